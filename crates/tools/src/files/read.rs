//! The lines of a file.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::look::{Kind, Look, known};
use crate::{
    Answer, Caching, Effect, Tool, ToolDescription, ToolFailure, World,
    place::{place, shown, split},
    text::visible,
    toolbox::{Arguments as _, describe},
};

const USUAL_LINES: i64 = 400;
const MOST_LINES: i64 = 5000;
/// Bytes of one line that are shown.
const LINE_BYTES: usize = 2000;

pub(crate) struct Read(ToolDescription);

impl Read {
    pub(crate) fn new() -> Self {
        Self(describe(
            "read",
            "Shows lines of a text file with their numbers. The path `output:N` is the whole of an output that was \
             shown in part.",
            "400 lines when nothing else is said, at most 5000; lines are cut after 2000 bytes.",
            Effect::READS,
            Caching::WhileFilesStay,
            json!({
                "path": {"type": "string", "minLength": 1, "description": "The file."},
                "from": {"type": "integer", "description": "The first line, counted from 1; negative: so many lines before the end."},
                "lines": {"type": "integer", "minimum": 1, "maximum": MOST_LINES, "description": "How many lines."},
            }),
            &["path"],
        ))
    }
}

/// A file's bytes, or why it has none.
pub(crate) fn content(path: &str, world: &mut World<'_>) -> Result<(Vec<u8>, u64), ToolFailure> {
    if path.starts_with("output:") {
        let digest = world.state.output(path).ok_or_else(|| {
            ToolFailure::told(format!(
                "there is no `{}`; outputs are numbered from 1 as they are cut",
                visible(path)
            ))
        })?;
        let bytes = world.blobs.read(&digest)?;
        let size = bytes.len() as u64;
        return Ok((bytes, size));
    }
    let file = place(world.root, path)?;
    match world.sandbox.read_file(&file, world.limits.file_bytes) {
        Ok(content) => Ok((content.bytes, content.size)),
        Err(error) => match ToolFailure::from(error) {
            ToolFailure::Told(text) => Err(ToolFailure::Told(why_not(&file, &text, world)?)),
            broken @ ToolFailure::Broken(_) => Err(broken),
        },
    }
}

/// Why there is no such file, and what is there instead.
fn why_not(file: &str, text: &str, world: &mut World<'_>) -> Result<String, ToolFailure> {
    let here = visible(shown(world.root, file));
    match known(file, world)?.map(|known| (known.kind, known.target)) {
        Some((Kind::Folder, _)) => return Ok(format!("`{here}` is a folder; `list` shows what is in it")),
        Some((Kind::Other, _)) => return Ok(format!("`{here}` is a device, pipe or socket, which cannot be read")),
        Some((Kind::Link, target)) => {
            return Ok(format!(
                "`{here}` is a link to `{}`, which is no file",
                visible(&target)
            ));
        }
        Some((Kind::File, _)) => return Ok(text.to_owned()),
        None => {}
    }
    let (folder, name) = split(file);
    let look = Look {
        folder,
        depth: 1,
        prune: &[],
        glob: None,
        largest: 0,
    };
    let Ok((names, _)) = look.names(world) else {
        return Ok(format!("there is no `{here}` in the box, nor its folder"));
    };
    let near = nearest(name, names.iter().map(|known| split(&known.path).1));
    Ok(if near.is_empty() {
        format!("there is no `{here}` in the box; `list` shows what is there")
    } else {
        let near: Vec<String> = near.iter().map(|name| format!("`{}`", visible(name))).collect();
        format!("there is no `{here}` in the box; near it are {}", near.join(", "))
    })
}

/// Names that somebody may have meant.
fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let plain = |name: &str| name.to_ascii_lowercase().replace(['-', '_'], "");
    let stem = |name: &str| {
        let name = plain(name);
        name.split_once('.').map_or(name.clone(), |(stem, _)| stem.to_owned())
    };
    let (whole, start) = (plain(wanted), stem(wanted));
    let mut near: Vec<&str> = names
        .filter(|name| {
            let other = plain(name);
            other == whole || (!start.is_empty() && stem(name) == start) || (start.len() > 3 && other.contains(&start))
        })
        .collect();
    near.truncate(5);
    near
}

/// Why bytes are not shown as text.
pub(crate) fn not_text(bytes: &[u8]) -> Option<String> {
    let head = bytes.get(..8192.min(bytes.len())).unwrap_or_default();
    if !head.contains(&0) {
        return None;
    }
    let what = match head {
        [0x7f, b'E', b'L', b'F', ..] => "an ELF file",
        [0x1f, 0x8b, ..] => "a gzip file",
        [0x50, 0x4b, 3, 4, ..] => "a zip file",
        [b'!', b'<', b'a', b'r', ..] => "an archive of objects",
        [0x89, b'P', b'N', b'G', ..] => "an image",
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "text in UTF-16",
        _ => "a binary file",
    };
    Some(what.to_owned())
}

impl Tool for Read {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, arguments: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let path = arguments.text("path").unwrap_or_default();
        let (bytes, size) = content(path, world)?;
        let here = if path.starts_with("output:") {
            path.to_owned()
        } else {
            let place = place(world.root, path)?;
            visible(shown(world.root, &place))
        };
        if let Some(what) = not_text(&bytes) {
            return Err(ToolFailure::Told(format!(
                "`{here}` is {what} of {size} bytes and is not shown; `shell` has programs such as file, strings, od"
            )));
        }
        let text = String::from_utf8_lossy(&bytes);
        let replaced = matches!(text, std::borrow::Cow::Owned(_));
        let total = i64::try_from(text.lines().count()).unwrap_or(i64::MAX);
        let wanted = arguments.number("lines").unwrap_or(USUAL_LINES);
        let from = match arguments.number("from").unwrap_or(1) {
            back if back < 0 => (total + back + 1).max(1),
            from => from.max(1),
        };
        if bytes.is_empty() {
            return Ok(Answer::text(format!("{here} is empty")));
        }
        if from > total {
            return Err(ToolFailure::Told(format!(
                "`{here}` has {total} lines; there is no line {from}"
            )));
        }
        let mut shown_lines = String::new();
        let mut last = from - 1;
        let mut long = 0_u64;
        // The answer has room for so much; what does not fit is asked for by its line.
        let room = world.limits.answer_bytes;
        for (number, line) in (from..).zip(text.lines().skip(from as usize - 1)).take(wanted as usize) {
            let mut end = line.len().min(LINE_BYTES);
            while !line.is_char_boundary(end) {
                end -= 1;
            }
            let cut = line.len() - end;
            if !shown_lines.is_empty() && shown_lines.len() + end > room {
                break;
            }
            let _ = write!(shown_lines, "{number:>6}\t{}", line.get(..end).unwrap_or_default());
            if cut > 0 {
                long += 1;
                let _ = write!(shown_lines, "[... {cut} bytes of this line left out]");
            }
            shown_lines.push('\n');
            last = number;
        }
        let mut head = format!("{here}: lines {from} to {last} of {total}");
        if (bytes.len() as u64) < size {
            let _ = write!(head, " in its first {} of {size} bytes", bytes.len());
        }
        if last < total {
            let _ = write!(head, "; go on with `from` {}", last + 1);
        }
        if replaced {
            head.push_str("; it is no UTF-8, so some bytes are shown as \u{fffd}");
        }
        Ok(Answer::text(format!("{head}\n{shown_lines}"))
            .with_data(json!({"from": from, "to": last, "lines": total, "size": size, "long_lines": long})))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_somebody_may_have_meant() {
        let names = ["README.md", "configure.ac", "main_test.c", "Makefile.am", "src"];
        for (wanted, expected) in [
            ("readme", &["README.md"][..]),
            ("configure", &["configure.ac"]),
            ("maintest.c", &["main_test.c"]),
            ("makefile", &["Makefile.am"]),
            ("other.c", &[]),
        ] {
            assert_eq!(nearest(wanted, names.into_iter()), expected, "{wanted}");
        }
    }
}
