//! What sources include from outside of the tree, and which of it they include whatever the settings.

use std::collections::BTreeSet;

use seatrial_packages::Key;

use super::headers::is_given;
use crate::{
    pattern::Pattern,
    tree::{Tree, base, is_side_folder, language, parent, strip},
};

static INCLUDE: Pattern = Pattern::new(r#"(?m)^[ \t]*#[ \t]*include[ \t]*(<[^>\n]+>|"[^"\n]+")"#);
/// Conditions that hold on a system like this.
static HOME: Pattern = Pattern::new(
    r"^(?:def\s+(?:__linux__|__linux|linux|__unix__|__unix|unix|__GNUC__|__gnu_linux__|__GLIBC__)|ndef\s+_?_?(?:WIN32|WIN64|WINDOWS|MSC_VER|APPLE__|MINGW32__|CYGWIN__|DJGPP__|MSDOS__)|\s*!\s*defined\s*\(?\s*_?_?(?:WIN32|WIN64|WINDOWS|MSC_VER|APPLE__|MINGW32__)\s*\)?|\s*defined\s*\(?\s*(?:__linux__|__linux|__unix__|__GNUC__)\s*\)?|\s*1)\s*(?:$|/[/*])",
);
/// Conditions that do not.
static ABROAD: Pattern = Pattern::new(
    r"^(?:def\s+_?_?(?:WIN32|WIN64|WINDOWS|WIN32_WCE|MSC_VER|APPLE__|MINGW32__|MINGW64__|CYGWIN__|DJGPP__|MSDOS__|AVR__|EMSCRIPTEN__|ANDROID__|FreeBSD__|NetBSD__|OpenBSD__|sun|hpux|sgi|VMS|BEOS__|HAIKU__|AMIGA|OS2__|BORLANDC__|TURBOC__|WATCOMC__)\w*|\s*defined\s*\(?\s*_?_?(?:WIN32|WIN64|WINDOWS|MSC_VER|APPLE__|MINGW32__)\s*\)?|\s*0)\s*(?:$|/[/*])",
);

/// Files that are looked into.
const FILES: usize = 1500;
/// Headers that are kept.
const HEADERS: usize = 40;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Condition {
    Holds,
    Fails,
    Unknown,
}

/// The lines that a compiler on a system like this sees whatever else is defined.
pub(crate) fn unconditional(text: &str) -> String {
    let mut stack: Vec<Condition> = Vec::new();
    let mut kept = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(directive) = line.trim_start().strip_prefix('#').map(str::trim_start) else {
            if stack.iter().all(|condition| *condition == Condition::Holds) {
                kept.push_str(line);
                kept.push('\n');
            }
            continue;
        };
        if let Some(condition) = directive.strip_prefix("if") {
            stack.push(if let Some(name) = condition.strip_prefix("ndef") {
                let guard = lines.peek().is_some_and(|next| {
                    let next = next.trim_start().trim_start_matches('#').trim_start();
                    next.strip_prefix("define")
                        .is_some_and(|rest| rest.split_whitespace().next() == name.split_whitespace().next())
                });
                if guard { Condition::Holds } else { judge(condition) }
            } else {
                judge(condition)
            });
        } else if directive.starts_with("elif") {
            if let Some(last) = stack.last_mut() {
                *last = match last {
                    Condition::Holds => Condition::Fails,
                    Condition::Fails | Condition::Unknown => Condition::Unknown,
                };
            }
        } else if directive.starts_with("else") {
            if let Some(last) = stack.last_mut() {
                *last = match last {
                    Condition::Holds => Condition::Fails,
                    Condition::Fails => Condition::Holds,
                    Condition::Unknown => Condition::Unknown,
                };
            }
        } else if directive.starts_with("endif") {
            stack.pop();
        } else if stack.iter().all(|condition| *condition == Condition::Holds) {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

fn judge(condition: &str) -> Condition {
    let condition = condition.trim_end();
    if HOME.is_match(condition) {
        Condition::Holds
    } else if ABROAD.is_match(condition) {
        Condition::Fails
    } else {
        Condition::Unknown
    }
}

/// Headers that sources below a folder include in every case, and that neither the tree nor the compiler has.
pub(super) fn headers(tree: &Tree, folder: &str) -> Vec<Key> {
    let own: BTreeSet<&str> = tree.files().map(base).collect();
    let mut found: BTreeSet<String> = BTreeSet::new();
    let paths = tree.below(folder).filter(|path| {
        let header = [".h", ".hpp", ".hh", ".hxx"].iter().any(|end| path.ends_with(end));
        (header || language(path).is_some()) && !is_side_folder(parent(strip(path, folder)))
    });
    for path in paths.take(FILES) {
        let Some(text) = tree.head(path, 64 << 10) else {
            continue;
        };
        if !text.contains("include") {
            continue;
        }
        for word in INCLUDE.all(&unconditional(&text)) {
            let quoted = word.starts_with('"');
            let name = word.trim_matches(['<', '>', '"']).trim();
            // A quoted name without a folder is the project's own as a rule, made by its build when it is not there.
            if is_given(name) || quoted && !name.contains('/') || name.contains("..") || own.contains(base(name)) {
                continue;
            }
            found.insert(name.to_owned());
        }
    }
    found.into_iter().take(HEADERS).map(Key::Header).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_compile() {
        assert!([&INCLUDE, &HOME, &ABROAD].iter().all(|pattern| pattern.compiles()));
    }

    #[test]
    fn what_is_seen_in_every_case_is_told_from_what_is_not() {
        let text = "#ifndef X_H\n#define X_H\na\n#ifdef _WIN32\nb\n#else\nc\n#endif\n#if HAVE_Y\nd\n#else\ne\n#endif\n#ifdef __linux__\nf\n#elif 1\ng\n#endif\n\
                    #if 0\nh\n#endif\n#if !defined(_WIN32)\ni\n#endif\n# if defined(_WIN32) || X\nj\n# endif\n#endif\nk\n";
        let seen: String = unconditional(text)
            .lines()
            .filter(|line| !line.starts_with('#'))
            .collect();
        assert_eq!(seen, "acfik");
    }
}
