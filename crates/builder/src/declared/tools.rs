//! Generators that sources call for, and what makefiles ask pkg-config for.

use seatrial_packages::Key;

use super::{Declared, Hint, headers::is_c_library};
use crate::{
    pattern::Pattern,
    tree::{Tree, is_side_folder, join, parent, strip},
};

static PKG_CONFIG: Pattern = Pattern::new(r"pkg-config((?:\s+[^`)\n|;&'\x22]+)+)");
static OLD_CONFIG: Pattern = Pattern::new(r"(?m)(?:`|\$\(shell\s+|\$\()\s*([a-z][a-z0-9_.-]*-config)\s+--");

/// Grammars and scanners whose output is not shipped.
pub(super) fn generators(tree: &Tree, folder: &str, declared: &mut Declared) {
    for path in tree.below(folder) {
        if is_side_folder(parent(strip(path, folder))) {
            continue;
        }
        let Some((stem, extension)) = path.rsplit_once('.') else {
            continue;
        };
        let made = |endings: &[&str]| {
            let plain = strip(stem, parent(path));
            endings.iter().any(|ending| tree.has(&format!("{stem}{ending}")))
                || endings
                    .iter()
                    .any(|ending| tree.has(&join(parent(path), &format!("{}{ending}", plain.replace('-', "_")))))
        };
        let tool = match extension {
            "y" | "yy" | "ypp" | "y++" if !made(&[".c", ".cc", ".cpp", ".tab.c", ".tab.h", ".cxx"]) => "bison",
            "l" | "ll" | "lpp" | "l++" if !made(&[".c", ".cc", ".cpp", ".yy.c", ".cxx"]) => "flex",
            _ => continue,
        };
        // Files of other languages and plain data have the same endings.
        if tree.head(path, 64 << 10).is_some_and(|text| text.contains("%%")) {
            declared.require(Key::Command(tool.to_owned()));
        }
    }
}

/// Libraries in one line beyond which they are no list of needs.
const ALTERNATIVES: usize = 12;

static FLAG: Pattern = Pattern::new(r"(?:^|[\s=])-l([A-Za-z0-9_+.-]+)");
static CONDITION: Pattern = Pattern::new(r"^\s*(ifn?eq|ifn?def|else|endif)\b");

/// Libraries that a makefile links, with `-l`: in every case, or under some condition. Those of the project's own are none.
pub(super) fn read_libraries(text: &str, own: &dyn Fn(&str) -> bool, declared: &mut Declared) {
    let text = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let mut depth = 0_usize;
    for line in text.lines() {
        match CONDITION.first(line) {
            Some("endif") => depth = depth.saturating_sub(1),
            Some("else") | None => {}
            Some(_) => depth += 1,
        }
        let line = line.split('#').next().unwrap_or_default();
        let names = FLAG.all(line);
        // A list of what some system somewhere has, which the project looks through by itself.
        let is_search = names.len() > ALTERNATIVES;
        for name in names {
            // What a variable of another system is set to is no need of this one.
            let head = line.split('=').next().unwrap_or_default().to_ascii_lowercase();
            let foreign = [
                "win", "mingw", "mac", "darwin", "osx", "sun", "solaris", "bsd", "aix", "hpux", "irix", "cygwin",
                "beos", "haiku",
            ]
            .iter()
            .any(|system| head.contains(system));
            if is_c_library(name) || own(name) || foreign || name.len() == 1 && name != "z" {
                continue;
            }
            if is_search {
                declared.hint(Hint::Name(Key::Library(name.to_owned())));
            } else {
                declared.add(Key::Library(name.to_owned()), depth == 0);
            }
        }
    }
}

/// Modules that a makefile names in calls of pkg-config: without them its flags would be silently empty.
pub(super) fn read_makefile(text: &str, declared: &mut Declared) {
    for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
        for arguments in PKG_CONFIG.all(line) {
            let words = arguments.split_whitespace().filter(|word| !word.starts_with('-'));
            for module in super::cmake::modules(words.filter(|word| {
                !word.contains(['$', '/', '2'].as_slice()) || word.starts_with(|c: char| c.is_ascii_alphabetic())
            })) {
                if module.chars().any(|c| c.is_ascii_lowercase() || c.is_ascii_uppercase()) && module.len() > 1 {
                    declared.require(Key::PkgConfig(module));
                }
            }
        }
        for program in OLD_CONFIG.all(line) {
            if program != "pkg-config" {
                declared.require(Key::Command(program.to_owned()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn patterns_compile() {
        assert!(super::PKG_CONFIG.compiles() && super::OLD_CONFIG.compiles());
        assert!(super::FLAG.compiles() && super::CONDITION.compiles());
    }
}
