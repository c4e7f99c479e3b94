//! Where something stands in the files of a tree.

use std::fmt::Write as _;

use regex::bytes::RegexBuilder;
use serde_json::{Value, json};

use super::{
    list::SIDE,
    look::{Kind, Look, Seen, known},
    read::{self, not_text},
};
use crate::{
    Answer, Caching, Effect, Tool, ToolDescription, ToolFailure, World,
    place::{place, shown},
    text::{counted, plain, visible},
    toolbox::{Arguments as _, describe},
};

/// Bytes of one line that are shown.
const LINE_BYTES: usize = 300;
/// Bytes of a file that is searched.
const LARGEST: u64 = 16 << 20;
/// Bytes that a compiled pattern may take.
const PATTERN_BYTES: usize = 4 << 20;

pub(crate) struct Search(ToolDescription);

impl Search {
    pub(crate) fn new() -> Self {
        Self(describe(
            "search",
            "Finds lines that a regular expression fits, in one file or in all files below a folder. The path `output:N` \
             is an output that was shown in part.",
            "At most 200 lines unless more are asked for; binary files and files over 16 MiB are left out.",
            Effect::READS,
            Caching::WhileFilesStay,
            json!({
                "pattern": {"type": "string", "minLength": 1, "maxLength": 2000, "description": "The regular expression."},
                "path": {"type": "string", "description": "File or folder; the root folder when left out."},
                "glob": {"type": "string", "description": "Only files of such names, for instance `*.c` or `src/**/*.h`."},
                "literal": {"type": "boolean", "description": "The pattern is a plain text."},
                "ignore_case": {"type": "boolean", "description": "Capitals do not matter."},
                "context": {"type": "integer", "minimum": 0, "maximum": 10, "description": "Lines to show before and after."},
                "most": {"type": "integer", "minimum": 1, "maximum": 2000, "description": "How many lines are shown at most."},
            }),
            &["pattern"],
        ))
    }
}

struct Hits {
    pattern: regex::bytes::Regex,
    root: String,
    context: usize,
    most: usize,
    text: String,
    found: usize,
    files: usize,
    looked: u64,
    binary: u64,
}

impl Hits {
    /// Looks through one file; false when enough was found.
    fn see(&mut self, path: &str, bytes: &[u8]) -> bool {
        if not_text(bytes).is_some() {
            self.binary += 1;
            return true;
        }
        self.looked += 1;
        // Most files have nothing, which is quicker to see at one go.
        if !self.pattern.is_match(bytes) {
            return true;
        }
        let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
        let fitting: Vec<usize> = (0..lines.len())
            .filter(|at| {
                lines
                    .get(*at)
                    .is_some_and(|line| self.pattern.is_match(line.strip_suffix(b"\r").unwrap_or(line)))
            })
            .collect();
        if fitting.is_empty() {
            return true;
        }
        self.files += 1;
        let here = visible(shown(&self.root, path));
        let mut shown_to = 0;
        for at in fitting {
            if self.found == self.most {
                return false;
            }
            self.found += 1;
            let first = at.saturating_sub(self.context).max(shown_to);
            let last = (at + self.context).min(lines.len().saturating_sub(1));
            if self.context > 0 && first > shown_to && shown_to > 0 {
                self.text.push_str("--\n");
            }
            for number in first..=last {
                let mark = if number == at { ':' } else { '-' };
                let line = plain(lines.get(number).copied().unwrap_or_default());
                let mut end = line.len().min(LINE_BYTES);
                while !line.is_char_boundary(end) {
                    end -= 1;
                }
                let rest = line.len() - end;
                let _ = write!(
                    self.text,
                    "{here}{mark}{}{mark}{}",
                    number + 1,
                    line.get(..end).unwrap_or_default()
                );
                if rest > 0 {
                    let _ = write!(self.text, "[... {rest} bytes]");
                }
                self.text.push('\n');
            }
            shown_to = last + 1;
        }
        true
    }
}

impl Tool for Search {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, arguments: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let text = arguments.text("pattern").unwrap_or_default();
        let pattern = if arguments.is("literal") {
            regex::escape(text)
        } else {
            text.to_owned()
        };
        let pattern = RegexBuilder::new(&pattern)
            .case_insensitive(arguments.is("ignore_case"))
            .multi_line(true)
            .size_limit(PATTERN_BYTES)
            .build()
            .map_err(|error| {
                ToolFailure::Told(format!(
                    "the pattern cannot be used: {error}\nset `literal` to search for it as it is written"
                ))
            })?;
        let mut hits = Hits {
            pattern,
            root: world.root.to_owned(),
            context: arguments.number("context").unwrap_or(0) as usize,
            most: arguments.number("most").unwrap_or(200) as usize,
            text: String::new(),
            found: 0,
            files: 0,
            looked: 0,
            binary: 0,
        };
        let given = arguments.text("path").unwrap_or(".");
        let (mut large, mut cut, mut enough) = (0, false, false);
        if given.starts_with("output:") {
            let (bytes, _) = read::content(given, world)?;
            enough = !hits.see(given, &bytes);
        } else {
            let path = place(world.root, given)?;
            let kind = known(&path, world)?.map(|known| known.kind);
            match kind {
                Some(Kind::File | Kind::Other) | None => {
                    let (bytes, size) = read::content(&path, world)?;
                    cut = (bytes.len() as u64) < size;
                    enough = !hits.see(&path, &bytes);
                }
                Some(Kind::Folder | Kind::Link) => {
                    let look = Look {
                        folder: &path,
                        depth: 100,
                        prune: &SIDE,
                        glob: arguments.text("glob"),
                        largest: LARGEST,
                    };
                    (large, cut) = look.files(world, &mut |seen: Seen<'_>| {
                        enough = !hits.see(seen.path, seen.bytes);
                        !enough
                    })?;
                }
            }
        }
        let mut notes = vec![if hits.found == 0 {
            format!("nothing fits in {}", counted(hits.looked, "file"))
        } else {
            format!(
                "{} in {}",
                counted(hits.found as u64, "line"),
                counted(hits.files as u64, "file")
            )
        }];
        if enough {
            notes.push("there are more: narrow it by `path` or `glob`, or set `most`".to_owned());
        }
        if hits.binary > 0 {
            notes.push(format!("left out: {}", counted(hits.binary, "binary file")));
        }
        if large > 0 {
            notes.push(format!("left out: {}", counted(large, "large file")));
        }
        if cut && !enough {
            notes.push("looking was ended before all was seen".to_owned());
        }
        Ok(Answer::text(format!("{}[{}]", hits.text, notes.join("; ")))
            .with_data(json!({"found": hits.found, "files": hits.files, "looked": hits.looked})))
    }
}
