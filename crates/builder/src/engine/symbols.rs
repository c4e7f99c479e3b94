//! Asks the box which installed library has the symbols that a link misses.

use std::{collections::BTreeSet, time::Duration};

use seatrial_sandbox::Command;

use super::attempt::Shop;
use crate::{BuilderError, pattern::Pattern};

static UNDEFINED: Pattern =
    Pattern::new(r"undefined reference to (?:symbol )?[`'\x22\u{2018}]([A-Za-z_][A-Za-z0-9_:~]*)");

/// Symbols that are looked for.
const SYMBOLS: usize = 120;
/// Libraries that are added at once.
const LIBRARIES: usize = 8;

/// Flags such as `-lgsl` for libraries in the box that define missing symbols, the one with most of them first.
pub(super) fn libraries(shop: &mut Shop<'_, '_>, log: &str) -> Result<Vec<String>, BuilderError> {
    let mut symbols: BTreeSet<&str> = UNDEFINED.all(log).into_iter().collect();
    if symbols.is_empty() || shop.is_late(Duration::from_secs(20)) {
        return Ok(Vec::new());
    }
    while symbols.len() > SYMBOLS {
        symbols.pop_last();
    }
    let names: String = symbols.iter().fold(String::new(), |text, name| text + name + "\n");
    // One line for each library that has at least one: its path, then the names. Demangled names lose their arguments.
    let script = "for library in /usr/lib/*-linux-gnu*/lib*.so* /lib/*-linux-gnu*/lib*.so* /usr/lib/lib*.so* /usr/local/lib/lib*.so*; do\n  \
         [ -f \"$library\" ] || continue\n  \
         found=$(nm -DC --defined-only \"$library\" 2>/dev/null | sed 's/^[0-9a-f ]*[A-Za-z] //; s/@.*//; s/(.*//' | grep -Fxf /tmp/symbols | sort -u | tr '\\n' ' ')\n  \
         if [ -n \"$found\" ]; then echo \"$library $found\"; fi\ndone";
    shop.sandbox.write_file("/tmp/symbols", names.as_bytes(), 0o644)?;
    let mut output = Vec::new();
    let command = Command::bash(script).with_timeout(Duration::from_mins(1));
    let _execution = shop.sandbox.exec(&command, &mut output)?;
    Ok(choose(&String::from_utf8_lossy(&output)))
}

/// The fewest libraries that together have all the names.
fn choose(listing: &str) -> Vec<String> {
    let mut libraries: Vec<(String, BTreeSet<&str>)> = listing
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let file = crate::tree::base(words.next()?);
            let name = file.strip_prefix("lib")?.split(".so").next()?;
            // The C library is linked anyway, and the compiler's own run-time libraries come by themselves.
            if matches!(
                name,
                "c" | "gcc_s"
                    | "stdc++"
                    | "asan"
                    | "tsan"
                    | "ubsan"
                    | "lsan"
                    | "hwasan"
                    | "itm"
                    | "pthread"
                    | "rt"
                    | "dl"
                    | "util"
            ) || name.starts_with("ld-")
            {
                return None;
            }
            Some((name.to_owned(), words.collect()))
        })
        .collect();
    let mut flags: Vec<String> = Vec::new();
    while flags.len() < LIBRARIES {
        // Between equals the shorter name: `z` before one that carries a copy of it.
        let best = libraries
            .iter()
            .filter(|(_, names)| !names.is_empty())
            .max_by(|a, b| a.1.len().cmp(&b.1.len()).then_with(|| b.0.len().cmp(&a.0.len())))
            .cloned();
        let Some((name, found)) = best else { break };
        flags.push(format!("-l{name}"));
        for (_, names) in &mut libraries {
            names.retain(|symbol| !found.contains(symbol));
        }
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_libraries_are_chosen() {
        assert!(UNDEFINED.compiles());
        let names = UNDEFINED.all("x: undefined reference to `sqrt'\ny: undefined reference to symbol 'XOpenDisplay@@V'\nz: undefined reference to `ns::call(int)'");
        assert_eq!(names, ["sqrt", "XOpenDisplay", "ns::call"]);
        let listing = "/usr/lib/a/libgsl.so gsl_cdf gsl_ran\n/usr/lib/a/libgsl.so.27 gsl_cdf gsl_ran\n/usr/lib/a/libcopy.so.1 gsl_ran\n/lib/a/libm.so.6 sqrt\n/lib/a/libc.so.6 sqrt\n";
        assert_eq!(choose(listing), ["-lgsl", "-lm"]);
        assert!(choose("").is_empty());
    }
}
