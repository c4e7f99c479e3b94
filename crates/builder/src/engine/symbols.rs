//! Asks the box what is installed already: which library has the symbols that a link misses, which folder a header.

use std::{collections::BTreeSet, time::Duration};

use seatrial_diagnosis::{Diagnosis, Kind};
use seatrial_sandbox::Command;

use super::attempt::Shop;
use crate::{
    BuilderError,
    pattern::Pattern,
    repair::{in_tree, problems},
};

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

/// Folders below the usual ones that have headers which the compiler did not find, though their packages are there.
pub(super) fn include_folders(
    shop: &mut Shop<'_, '_>,
    diagnosis: &Diagnosis,
    packages: &[String],
) -> Result<Vec<String>, BuilderError> {
    let plain = |name: &str| {
        name.chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+'))
    };
    let names: Vec<&str> = problems(diagnosis)
        .into_iter()
        .filter(|problem| problem.kind == Kind::MissingHeader)
        .map(|problem| problem.subject.trim_start_matches("./"))
        .filter(|name| !name.is_empty() && !name.contains("..") && plain(name) && !in_tree(shop.tree, name))
        .take(20)
        .collect();
    if names.is_empty() || packages.is_empty() {
        return Ok(Vec::new());
    }
    let tests: Vec<String> = names.iter().map(|name| format!("-path '*/{name}'")).collect();
    let script = format!(
        "find /usr/include /usr/lib/*-linux-gnu* -type f \\( {} \\) -name '*.h*' 2>/dev/null | head -n 200",
        tests.join(" -o ")
    );
    let mut output = Vec::new();
    let command = Command::bash(script).with_timeout(Duration::from_secs(30));
    let _execution = shop.sandbox.exec(&command, &mut output)?;
    Ok(nearest(&String::from_utf8_lossy(&output), &names))
}

/// For each name the folder that is nearest to the top.
fn nearest(listing: &str, names: &[&str]) -> Vec<String> {
    let mut folders = Vec::new();
    for name in names {
        let best = listing
            .lines()
            .filter_map(|path| path.strip_suffix(name)?.strip_suffix('/'))
            // These are searched anyway.
            .filter(|folder| *folder != "/usr/include" && !folder.ends_with("-linux-gnu"))
            .min_by_key(|folder| (folder.matches('/').count(), folder.len()));
        if let Some(folder) = best
            && !folders.iter().any(|known| known == folder)
        {
            folders.push(folder.to_owned());
        }
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_folder_of_a_header_is_chosen() {
        let listing = "/usr/include/deep/er/mast.h\n/usr/include/sail/mast.h\n/usr/include/x86_64-linux-gnu/oar.h\n/usr/include/notmast.h\n";
        assert_eq!(nearest(listing, &["mast.h", "oar.h", "gone.h"]), ["/usr/include/sail"]);
    }

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
