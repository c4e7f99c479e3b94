//! One text for another, where it stands exactly once.

use memchr::memmem;
use serde_json::{Value, json};

use super::{look::mode_of, read};
use crate::{
    Answer, Caching, Effect, Tool, ToolDescription, ToolFailure, World,
    place::{place, shown},
    text::visible,
    toolbox::{Arguments as _, describe},
};

pub(crate) struct Replace(ToolDescription);

impl Replace {
    pub(crate) fn new() -> Self {
        Self(describe(
            "replace",
            "Replaces a text in a file by another one. The old text must stand in the file exactly once, to the letter, \
             unless `all` is set.",
            "Bytes around it stay as they are, whatever the file's encoding and line ends.",
            Effect::WRITES,
            Caching::No,
            json!({
                "path": {"type": "string", "minLength": 1, "description": "The file."},
                "old": {"type": "string", "minLength": 1, "description": "What stands there, without line numbers."},
                "new": {"type": "string", "description": "What shall stand there."},
                "all": {"type": "boolean", "description": "Replace it wherever it stands."},
            }),
            &["path", "old", "new"],
        ))
    }
}

impl Tool for Replace {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, arguments: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let given = arguments.text("path").unwrap_or_default();
        let path = place(world.root, given)?;
        let here = visible(shown(world.root, &path));
        let (old, new) = (
            arguments.text("old").unwrap_or_default(),
            arguments.text("new").unwrap_or_default(),
        );
        if old == new {
            return Err(ToolFailure::told("`old` and `new` are the same; nothing was changed"));
        }
        let (bytes, size) = read::content(&path, world)?;
        if (bytes.len() as u64) < size {
            return Err(ToolFailure::Told(format!(
                "`{here}` has {size} bytes, too many for this tool; use `shell`, for instance with sed"
            )));
        }
        let changed = exchange(&bytes, old, new, arguments.is("all"))
            .map_err(|problem| ToolFailure::Told(format!("nothing was changed in `{here}`: {problem}")))?;
        let mode = mode_of(&path, world)?;
        world.check_stop()?;
        world.sandbox.write_file(&path, &changed.bytes, mode)?;
        let places: Vec<String> = changed.lines.iter().map(u64::to_string).collect();
        Ok(Answer::text(format!(
            "replaced in {here} at line {}{}",
            places.join(", "),
            if changed.line_ends {
                "; its line ends (CRLF) were kept"
            } else {
                ""
            }
        )))
    }
}

struct Changed {
    bytes: Vec<u8>,
    /// Where the old text began.
    lines: Vec<u64>,
    line_ends: bool,
}

/// Places that are named one by one.
const NAMED: usize = 8;

fn exchange(bytes: &[u8], old: &str, new: &str, all: bool) -> Result<Changed, String> {
    let (mut old, mut new) = (old.to_owned(), new.to_owned());
    let mut sites: Vec<usize> = memmem::find_iter(bytes, old.as_bytes()).collect();
    let mut line_ends = false;
    if sites.is_empty() && old.contains('\n') && !old.contains('\r') {
        // A model writes plain line ends, whatever the file has.
        let dos = |text: &str| text.replace('\n', "\r\n");
        let with = dos(&old);
        sites = memmem::find_iter(bytes, with.as_bytes()).collect();
        if !sites.is_empty() {
            (old, new, line_ends) = (with, dos(&new), true);
        }
    }
    if sites.is_empty() {
        return Err(why_not_there(bytes, &old));
    }
    if sites.len() > 1 && !all {
        let lines: Vec<String> = sites
            .iter()
            .take(NAMED)
            .map(|site| line_of(bytes, *site).to_string())
            .collect();
        return Err(format!(
            "the old text stands there {} times (at line {}{}); give more of what is around it, or set `all`",
            sites.len(),
            lines.join(", "),
            if sites.len() > NAMED { ", ..." } else { "" }
        ));
    }
    let mut changed = Vec::with_capacity(bytes.len() + new.len());
    let mut at = 0;
    let mut lines = Vec::new();
    for site in sites {
        changed.extend_from_slice(bytes.get(at..site).unwrap_or_default());
        changed.extend_from_slice(new.as_bytes());
        at = site + old.len();
        lines.push(line_of(bytes, site));
    }
    changed.extend_from_slice(bytes.get(at..).unwrap_or_default());
    Ok(Changed {
        bytes: changed,
        lines,
        line_ends,
    })
}

fn line_of(bytes: &[u8], at: usize) -> u64 {
    memchr::memchr_iter(b'\n', bytes.get(..at).unwrap_or_default()).count() as u64 + 1
}

/// What is like the old text, when itself is not there.
fn why_not_there(bytes: &[u8], old: &str) -> String {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.lines().collect();
    let squeezed = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let wanted: Vec<String> = old.lines().map(squeezed).collect();
    let numbered = old.lines().filter(|line| !line.trim().is_empty()).all(|line| {
        line.split_once('\t').is_some_and(|(number, _)| {
            !number.trim().is_empty() && number.trim().bytes().all(|byte| byte.is_ascii_digit())
        })
    });
    if numbered {
        return "the old text begins with line numbers, which are not in the file; leave them out".to_owned();
    }
    let there: Vec<String> = lines.iter().map(|line| squeezed(line)).collect();
    if let Some(at) = there
        .windows(wanted.len().max(1))
        .position(|window| window == wanted.as_slice())
    {
        let exact = lines.get(at..at + wanted.len()).unwrap_or_default().join("\n");
        return format!(
            "the old text stands at line {} with other blanks; there it is, to the letter:\n{exact}",
            at + 1
        );
    }
    let first = wanted.iter().find(|line| !line.is_empty());
    let near: Vec<String> = first
        .into_iter()
        .flat_map(|first| {
            there
                .iter()
                .enumerate()
                .filter(move |(_, line)| *line == first || (first.len() > 8 && line.contains(first.as_str())))
        })
        .take(NAMED)
        .map(|(number, _)| (number + 1).to_string())
        .collect();
    if near.is_empty() {
        "the old text is not there, nor its first line; `read` or `search` the file first".to_owned()
    } else {
        format!(
            "the old text is not there; its first line is (at line {}), what follows is another; `read` it there",
            near.join(", ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_replaced_where_it_stands_once() {
        let check = |file: &str, old: &str, new: &str, all: bool| match exchange(file.as_bytes(), old, new, all) {
            Ok(changed) => format!("{:?} {:?}", String::from_utf8(changed.bytes).unwrap(), changed.lines),
            Err(problem) => problem,
        };
        for (file, old, new, all, expected) in [
            ("a\nb\nc\n", "b\n", "x\n", false, r#""a\nx\nc\n" [2]"#),
            ("a\r\nb\r\nc\r\n", "a\nb\n", "x\n", false, r#""x\r\nc\r\n" [1]"#),
            ("x\nx\n", "x", "y", true, r#""y\ny\n" [1, 2]"#),
            (
                "x\nx\n",
                "x",
                "y",
                false,
                "the old text stands there 2 times (at line 1, 2); give more of what is around it, or set `all`",
            ),
            (
                "int main() {\n\treturn 0;\n}\n",
                "    return 0;",
                "x",
                false,
                "the old text stands at line 2 with other blanks; there it is, to the letter:\n\treturn 0;",
            ),
            (
                "a\n",
                "     1\ta",
                "b",
                false,
                "the old text begins with line numbers, which are not in the file; leave them out",
            ),
            (
                "int main(void)\n{\n",
                "int main(void)\nint x",
                "b",
                false,
                "the old text is not there; its first line is (at line 1), what follows is another; `read` it there",
            ),
            (
                "a\n",
                "b",
                "c",
                false,
                "the old text is not there, nor its first line; `read` or `search` the file first",
            ),
        ] {
            assert_eq!(check(file, old, new, all), expected);
        }
        let latin = exchange(b"caf\xe9 = old\n", "old", "new", false).unwrap();
        assert_eq!(latin.bytes, b"caf\xe9 = new\n");
    }
}
