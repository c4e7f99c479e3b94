//! SCons, Waf, qmake, Premake, xmake: what their scripts check for and link.

use seatrial_packages::Key;

use super::{Declared, headers::is_c_library};
use crate::pattern::Pattern;

static CONFIG_TOOL: Pattern = Pattern::new(r#"ParseConfig\(\s*["']([a-z0-9_.+-]+-config)\s+--"#);
static CHECK_LIBRARY: Pattern = Pattern::new(
    r#"(?s)\b(?:CheckLib|CheckLibWithHeader|check_cc|check_cxx|conf\.check|cfg\.check|ctx\.check)\s*\(\s*(?:lib\s*=\s*)?\[?\s*["']([A-Za-z0-9_.+-]+)["']"#,
);
static CHECK_HEADER: Pattern = Pattern::new(
    r#"\b(?:CheckHeader|CheckCHeader|CheckCXXHeader|check_header)\s*\(\s*\[?\s*["']([A-Za-z0-9_./+-]+\.h(?:pp)?)["']|header_name\s*=\s*["']([A-Za-z0-9_./+-]+\.h(?:pp)?)["']"#,
);
static WAF_CONFIG: Pattern = Pattern::new(r#"check_cfg\s*\(([^)]*)\)"#);
static WAF_PACKAGE: Pattern = Pattern::new(r#"package\s*=\s*["']([^"']+)["']"#);
static WAF_LIBRARY: Pattern = Pattern::new(r#"check(?:_cc|_cxx)?\s*\(([^)]*\blib\s*=\s*["'][^)]*)\)"#);
static LIB_WORD: Pattern = Pattern::new(r#"\blib\s*=\s*["']([A-Za-z0-9_+-]+)["']"#);
static LIBS_LIST: Pattern = Pattern::new(
    r#"(?s)\bLIBS\s*=\s*\[([^\]]*)\]|\bAppend\(\s*LIBS\s*=\s*\[([^\]]*)\]|\bLIBS\s*=\s*(["'][A-Za-z0-9_+-]+["'])"#,
);
static QUOTED: Pattern = Pattern::new(r#"["']([A-Za-z0-9_.+-]+)["']"#);
static QMAKE_PKGCONFIG: Pattern = Pattern::new(r"(?m)^[^#\n]*\bPKGCONFIG\s*\+?=\s*([^#\n]*)");
static QMAKE_LIBS: Pattern = Pattern::new(r"^\s*(?:unix|linux[^:{]*|unix:!macx|!win32)?\s*:?\s*LIBS\s*\+?=\s*([^#]*)");
static FLAG: Pattern = Pattern::new(r"(?:^|\s)-l([A-Za-z0-9_+.-]+)");
static PREMAKE_LINKS: Pattern = Pattern::new(r#"(?s)\blinks\s*[({]+([^})]*)[})]"#);
static PREMAKE_PROJECT: Pattern = Pattern::new(r#"\bproject\s*\(?\s*["']([^"']+)["']"#);
static XMAKE_WORDS: Pattern = Pattern::new(r"\b(?:add_requires|add_packages|add_syslinks|add_links)\s*\(([^)]*)\)");
static XMAKE_TARGET: Pattern = Pattern::new(r#"\btarget\s*\(\s*["']([^"']+)["']"#);

/// SCons and Waf; both are Python, and both ask pkg-config in words that [`super::tools`] reads too.
pub(super) fn read_python(text: &str, own: &dyn Fn(&str) -> bool, declared: &mut Declared) {
    let text: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'))
        .fold(String::new(), |text, line| text + line + "\n");
    for program in CONFIG_TOOL.all(&text) {
        if program != "pkg-config" {
            declared.require(Key::Command(program.to_owned()));
        }
    }
    for call in WAF_CONFIG.all(&text) {
        for names in WAF_PACKAGE.all(call) {
            for module in super::cmake::modules(names.split_whitespace()) {
                declared.add(Key::PkgConfig(module), !is_optional(call));
            }
        }
    }
    for call in WAF_LIBRARY.all(&text) {
        for name in LIB_WORD.all(call).into_iter().filter(|name| !is_c_library(name)) {
            declared.add(Key::Library(name.to_owned()), !is_optional(call));
        }
    }
    for name in CHECK_LIBRARY.all(&text) {
        if !is_c_library(name) && name.len() > 1 {
            declared.wish(Key::Library(name.to_owned()));
        }
    }
    for name in CHECK_HEADER.all(&text) {
        if !super::headers::is_given(name) {
            declared.wish(Key::Header(name.to_owned()));
        }
    }
    for list in LIBS_LIST.all(&text) {
        for name in QUOTED.all(list) {
            let plain = name.trim_start_matches("lib");
            if !is_c_library(name) && !own(name) && !own(plain) {
                declared.wish(Key::Library(name.to_owned()));
            }
        }
    }
}

fn is_optional(call: &str) -> bool {
    let call: String = call.split_whitespace().collect();
    call.contains("mandatory=False") || call.contains("mandatory=0")
}

/// qmake: scopes of other systems are left out.
pub(super) fn read_qmake(text: &str, own: &dyn Fn(&str) -> bool, declared: &mut Declared) {
    let text = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let mut foreign: Vec<bool> = Vec::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let lower = line.to_ascii_lowercase();
        let is_foreign = [
            "win32", "macx", "mac", "msvc", "mingw", "android", "ios", "haiku", "symbian", "wince", "os2",
        ]
        .iter()
        .any(|system| {
            let scope = lower.trim_start().trim_start_matches('}').trim_start();
            scope.starts_with(system)
                && scope
                    .get(system.len()..)
                    .is_some_and(|rest| rest.trim_start().starts_with([':', '{', '-', '|']))
        });
        let opens = line.matches('{').count();
        let closes = line.matches('}').count();
        if !is_foreign && !foreign.contains(&true) {
            for list in QMAKE_PKGCONFIG.all(line) {
                for module in super::cmake::modules(list.split_whitespace()) {
                    declared.require(Key::PkgConfig(module));
                }
            }
            for list in QMAKE_LIBS.all(line) {
                for name in FLAG.all(list) {
                    if !is_c_library(name) && !own(name) {
                        declared.add(Key::Library(name.to_owned()), foreign.is_empty());
                    }
                }
            }
        }
        for _ in 0..closes {
            foreign.pop();
        }
        for _ in 0..opens {
            foreign.push(is_foreign);
        }
    }
}

/// Premake's `links` and xmake's requirements, without the project's own targets.
pub(super) fn read_lua(text: &str, declared: &mut Declared) {
    let text: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("--"))
        .fold(String::new(), |text, line| text + line + "\n");
    let own: Vec<&str> = [PREMAKE_PROJECT.all(&text), XMAKE_TARGET.all(&text)].concat();
    for list in PREMAKE_LINKS.all(&text).into_iter().chain(XMAKE_WORDS.all(&text)) {
        for name in QUOTED.all(list) {
            let foreign = name
                .split_once('.')
                .is_some_and(|(_, end)| end == "framework" || end == "lib");
            if !own.contains(&name) && !is_c_library(name) && !foreign {
                declared.wish(Key::Library(name.to_owned()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_compile() {
        let all = [
            &CONFIG_TOOL,
            &CHECK_LIBRARY,
            &CHECK_HEADER,
            &WAF_CONFIG,
            &WAF_PACKAGE,
            &WAF_LIBRARY,
            &LIB_WORD,
            &LIBS_LIST,
            &QUOTED,
            &QMAKE_PKGCONFIG,
            &QMAKE_LIBS,
            &FLAG,
            &PREMAKE_LINKS,
            &PREMAKE_PROJECT,
            &XMAKE_WORDS,
            &XMAKE_TARGET,
        ];
        for (number, pattern) in all.iter().enumerate() {
            assert!(pattern.compiles(), "{number}");
        }
    }
}
