//! `dependency`, `find_program`, `find_library`.

use seatrial_packages::Key;

use super::{Declared, headers::is_c_library};
use crate::pattern::Pattern;

static LANGUAGES: Pattern = Pattern::new(r"(?s)\bproject\s*\(\s*'[^']*'\s*,\s*(\[[^\]]*\]|(?:'[a-z]+'\s*,?\s*)+)");
static CALL: Pattern =
    Pattern::new(r"(?s)\b(dependency|find_program|find_library)\s*\(\s*'([^']+)'([^()]*(?:\([^()]*\)[^()]*)*)\)");

pub(super) fn read(text: &str, declared: &mut Declared) {
    let text: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'))
        .collect::<Vec<_>>()
        .join("\n");
    for list in LANGUAGES.all(&text) {
        for (language, program) in [
            ("'vala'", "valac"),
            ("'fortran'", "gfortran"),
            ("'rust'", "rustc"),
            ("'cython'", "cython3"),
        ] {
            if list.contains(language) {
                declared.require(Key::Command(program.to_owned()));
            }
        }
    }
    if text.contains("import('i18n')") {
        declared.require(Key::Command("msgfmt".to_owned()));
    }
    for groups in CALL.groups(&text) {
        let [call, name, rest] = groups.as_slice() else {
            continue;
        };
        if name.is_empty() || name.contains(['@', '/', ' ']) {
            continue;
        }
        let rest: String = rest.split_whitespace().collect();
        // A name in a variable, or a fallback that the project carries, is no certain need.
        let required = !rest.contains("required:") || rest.contains("required:true");
        let carried = rest.contains("fallback:");
        let key = match *call {
            "dependency"
                if matches!(
                    *name,
                    "threads" | "openmp" | "dl" | "m" | "intl" | "iconv" | "appleframeworks" | "python3" | "python"
                ) =>
            {
                continue;
            }
            "dependency" => dependency(name),
            "find_program" if name.contains('.') => continue,
            "find_program" => Key::Command((*name).to_owned()),
            _ if is_c_library(name) => continue,
            _ => Key::Library((*name).to_owned()),
        };
        declared.add(key, required && !carried);
    }
}

/// Meson finds some names by other means than pkg-config.
fn dependency(name: &str) -> Key {
    match name {
        "boost" => Key::CMake("Boost".to_owned()),
        "cups" | "pcap" | "gpgme" => Key::Library(name.to_owned()),
        "gl" => Key::PkgConfig("gl".to_owned()),
        "qt5" | "qt6" => Key::PkgConfig(format!("Qt{}Core", name.trim_start_matches("qt"))),
        "ncurses" | "curses" => Key::PkgConfig("ncurses".to_owned()),
        _ => Key::PkgConfig(name.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn patterns_compile() {
        assert!(super::CALL.compiles() && super::LANGUAGES.compiles());
    }
}
