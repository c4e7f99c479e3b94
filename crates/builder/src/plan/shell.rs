//! Words for Bash: what a tree or a log says goes into recipes as text, never as a command.

use std::fmt::Write as _;

use crate::{detect::is_quotable, names};

/// Variables that an argument may refer to: a recipe's own, and the folder that it runs in.
const KNOWN: [&str; 6] = ["SRC", "OUT", "PREFIX", "JOBS", "PWD", "HOME"];
/// Commands whose answer an argument may ask for: they read nothing of the tree's.
const HARMLESS: [&str; 2] = ["$(nproc)", "$(pwd)"];

/// A path behind a beginning that is our own, such as `$SRC/`, as one word.
pub(crate) fn path(beginning: &str, path: &str) -> String {
    if is_quotable(path) {
        format!("\"{beginning}{path}\"")
    } else {
        format!("\"{beginning}\"{}", literal(path))
    }
}

/// A text as one word; what is harmless stays as it is.
pub(crate) fn word(text: &str) -> String {
    if !text.is_empty() && text.chars().all(is_safe) {
        text.to_owned()
    } else if text
        .chars()
        .all(|c| c != '\'' && !c.is_control() && names::byte(c).is_none())
    {
        format!("'{text}'")
    } else {
        literal(text)
    }
}

/// An argument as one word. References to what a recipe itself has set, such as `$PREFIX`, are for Bash to fill in; all
/// else that Bash would read as more than text is text.
pub(crate) fn argument(text: &str) -> String {
    let mut pieces: Vec<(bool, &str)> = Vec::new();
    let mut rest = text;
    let mut begun = 0;
    while let Some(at) = rest.get(begun..).and_then(|tail| tail.find('$')).map(|at| at + begun) {
        match reference(rest.get(at..).unwrap_or_default()) {
            Some(length) => {
                pieces.push((false, rest.get(..at).unwrap_or_default()));
                pieces.push((true, rest.get(at..at + length).unwrap_or_default()));
                rest = rest.get(at + length..).unwrap_or_default();
                begun = 0;
            }
            None => begun = at + 1,
        }
    }
    if pieces.is_empty() {
        return word(text);
    }
    pieces.push((false, rest));
    let inside = |c: char| !matches!(c, '"' | '$' | '`' | '\\' | '!') && !c.is_control() && names::byte(c).is_none();
    if pieces.iter().all(|(known, piece)| *known || piece.chars().all(inside)) {
        return format!("\"{text}\"");
    }
    let mut out = String::new();
    for (known, piece) in pieces {
        if known {
            let _ = write!(out, "\"{piece}\"");
        } else if !piece.is_empty() {
            out.push_str(&word(piece));
        }
    }
    out
}

/// The length of a reference at the start of a text that may be filled in.
fn reference(text: &str) -> Option<usize> {
    if let Some(command) = HARMLESS.iter().find(|command| text.starts_with(**command)) {
        return Some(command.len());
    }
    let name = text.strip_prefix('$')?;
    if let Some((name, _)) = name.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
        return KNOWN.contains(&name).then_some(name.len() + 3);
    }
    let length = name
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(name.len());
    KNOWN.contains(&name.get(..length)?).then_some(length + 1)
}

fn is_safe(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '=' | '.' | '/' | ':' | ',' | '+' | '@' | '%')
}

/// The form in which Bash writes out every byte.
fn literal(text: &str) -> String {
    let mut word = String::from("$'");
    for character in text.chars() {
        match (character, names::byte(character)) {
            (_, Some(byte)) => {
                let _ = write!(word, "\\x{byte:02x}");
            }
            ('\'' | '\\', None) => {
                word.push('\\');
                word.push(character);
            }
            (control, None) if control.is_ascii_control() => {
                let _ = write!(word, "\\x{:02x}", u32::from(control));
            }
            (other, None) => word.push(other),
        }
    }
    word.push('\'');
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_runs_nothing_and_refers_to_nothing_unknown() {
        for (text, shown) in [
            ("-DA=b", "-DA=b"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's", "$'it\\'s'"),
            ("--prefix=$PREFIX/x y", "\"--prefix=$PREFIX/x y\""),
            ("-j$(nproc)", "\"-j$(nproc)\""),
            ("--srcdir=$PWD", "\"--srcdir=$PWD\""),
            ("-DA=${OUT}/x", "\"-DA=${OUT}/x\""),
            ("-DA=$PREFIXES", "'-DA=$PREFIXES'"),
            ("-DA=$HOSTNAME", "'-DA=$HOSTNAME'"),
            ("-DA=${OUT:-$(reboot)}", "'-DA=${OUT:-$(reboot)}'"),
            ("-DA=${OUT@P}", "'-DA=${OUT@P}'"),
            ("-DA=$(reboot)", "'-DA=$(reboot)'"),
            ("-DA=$(nproc; reboot)", "'-DA=$(nproc; reboot)'"),
            ("-DA=`reboot`", "'-DA=`reboot`'"),
            ("-DA=$((1+1))", "'-DA=$((1+1))'"),
            ("$PWD`reboot`$x", "\"$PWD\"'`reboot`$x'"),
            ("$OUT\"; reboot; \"", "\"$OUT\"'\"; reboot; \"'"),
            ("$OUT'$(reboot)'", "\"$OUT\"$'\\'$(reboot)\\''"),
            ("\n$SRC", "$'\\x0a'\"$SRC\""),
            ("\\$SRC", "'\\'\"$SRC\""),
            ("$", "'$'"),
            (">x", "'>x'"),
            ("~root", "'~root'"),
            ("*", "'*'"),
        ] {
            assert_eq!(argument(text), shown, "{text}");
        }
    }

    #[test]
    fn a_word_is_what_bash_reads_back() {
        for text in [
            "plain",
            "a b",
            "$(reboot) `x` \"y\" 'z' \\ ; & | < > * ? ~ # ! {a,b}",
            "line\nbreak\tand \u{7}",
            "caf\u{e9}",
            "\\x41'0",
        ] {
            for word in [word(text), path("", text), argument(text), literal(text)] {
                let output = std::process::Command::new("bash")
                    .args(["-c", &format!("printf %s {word}")])
                    .output();
                let Ok(output) = output else {
                    println!("skipped: no bash");
                    return;
                };
                assert_eq!(String::from_utf8_lossy(&output.stdout), text, "{word}");
            }
        }
    }
}
