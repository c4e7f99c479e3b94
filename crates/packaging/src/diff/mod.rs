//! Differences between two trees as one text, and that text applied to a tree.
//!
//! The text is what `git diff --binary` would print: lines where both sides are text and the lines give back the very
//! bytes, otherwise the whole content in git's base 85.

mod apply;
mod base85;
mod lines;
mod tree;

pub use self::apply::{Applied, Change, Report};
pub(crate) use self::{
    apply::apply,
    lines::{hunks, latin, unlatin},
    tree::{File, Tree},
};
use crate::{Fitting, PackageError, hash::git_blob, patch::patched};

/// The null device, which stands for a file that is not there.
pub(crate) const NONE: &str = "/dev/null";
const NO_BLOB: &str = "0000000000000000000000000000000000000000";

/// What leads from one tree to another; empty when they are the same.
pub(crate) fn between(old: &Tree, new: &Tree) -> Result<String, PackageError> {
    let mut paths: Vec<&Vec<u8>> = old.paths().chain(new.paths()).collect();
    paths.sort();
    paths.dedup();
    let mut text = String::new();
    for path in paths {
        let (before, after) = (old.file(path)?, new.file(path)?);
        if before == after {
            continue;
        }
        let path = std::str::from_utf8(path).map_err(|_| {
            PackageError::not_representable(
                crate::archive::shown(path),
                "its name is no UTF-8, so no text can say what was done to it; leave the file as it was",
            )
        })?;
        match (&before, &after) {
            // A file that becomes a link is one that goes and one that comes.
            (Some(one), Some(other)) if one.is_link() != other.is_link() => {
                section(&mut text, path, before.as_ref(), None)?;
                section(&mut text, path, None, after.as_ref())?;
            }
            _ => section(&mut text, path, before.as_ref(), after.as_ref())?,
        }
    }
    Ok(text)
}

/// What leads from one content of a file to another, as [`Package::diff_from`](crate::Package::diff_from) would write it
/// for that file; empty when they are the same. A content comes with whether it may be run; none is a file that is not there.
pub fn file_diff(path: &str, old: Option<(&[u8], bool)>, new: Option<(&[u8], bool)>) -> Result<String, PackageError> {
    let file = |side: Option<(&[u8], bool)>| {
        side.map(|(content, runs)| File::Plain {
            content: content.to_vec(),
            runs,
        })
    };
    let (old, new) = (file(old), file(new));
    let mut text = String::new();
    if old != new {
        section(&mut text, path, old.as_ref(), new.as_ref())?;
    }
    Ok(text)
}

fn section(text: &mut String, path: &str, old: Option<&File>, new: Option<&File>) -> Result<(), PackageError> {
    let (from, to) = (quoted(&format!("a/{path}")), quoted(&format!("b/{path}")));
    let mut lines = vec![format!("diff --git {from} {to}")];
    match (old, new) {
        (None, Some(new)) => lines.push(format!("new file mode {}", new.git_mode())),
        (Some(old), None) => lines.push(format!("deleted file mode {}", old.git_mode())),
        (Some(old), Some(new)) if old.git_mode() != new.git_mode() => {
            lines.push(format!("old mode {}", old.git_mode()));
            lines.push(format!("new mode {}", new.git_mode()));
        }
        _ => {}
    }
    let content = |file: Option<&File>| file.map_or(&[][..], File::content).to_vec();
    let (before, after) = (content(old), content(new));
    if before == after && old.is_some() && new.is_some() {
        text.push_str(&lines.join("\n"));
        text.push('\n');
        return Ok(());
    }
    let blob = |file: Option<&File>| file.map_or_else(|| NO_BLOB.to_owned(), |file| git_blob(file.content()));
    let mode = match (old, new) {
        (Some(old), Some(new)) if old.git_mode() == new.git_mode() => format!(" {}", new.git_mode()),
        _ => String::new(),
    };
    lines.push(format!("index {}..{}{mode}", blob(old), blob(new)));
    text.push_str(&lines.join("\n"));
    text.push('\n');
    if before == after {
        // A file of no bytes comes or goes.
        return Ok(());
    }
    if let Some(body) = as_lines(path, &before, &after, old.is_some(), new.is_some()) {
        text.push_str(&body);
    } else {
        text.push_str("GIT binary patch\n");
        text.push_str(&base85::literal(&after)?);
        text.push_str(&base85::literal(&before)?);
    }
    Ok(())
}

/// The change as lines; none when a text of lines would not give back the very bytes.
fn as_lines(path: &str, before: &[u8], after: &[u8], is_old: bool, is_new: bool) -> Option<String> {
    std::str::from_utf8(before).ok()?;
    std::str::from_utf8(after).ok()?;
    if before.contains(&0) || after.contains(&0) {
        return None;
    }
    let name = |prefix: &str, is_there: bool| {
        let tab = if path.contains(char::is_whitespace) { "\t" } else { "" };
        if is_there {
            format!("{}{tab}", quoted(&format!("{prefix}/{path}")))
        } else {
            NONE.to_owned()
        }
    };
    let hunks = String::from_utf8(hunks(before, after)).ok()?;
    let text = format!("--- {}\n+++ {}\n{hunks}", name("a", is_old), name("b", is_new));
    (patched(&text, is_old.then_some(before), Fitting::Strict).as_deref() == Some(after)).then_some(text)
}

/// A path as git writes it: in quotes when there is something special in it.
fn quoted(path: &str) -> String {
    use std::fmt::Write as _;
    let special = |c: char| c.is_control() || c == '"' || c == '\\';
    if !path.contains(special) {
        return path.to_owned();
    }
    let mut quoted = String::from("\"");
    for c in path.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    // Writing to a string does not fail.
                    let _ = write!(quoted, "\\{byte:03o}");
                }
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests;
