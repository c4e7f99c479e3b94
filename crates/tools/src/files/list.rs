//! What is in a folder.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::look::{Kind, Look, known};
use crate::{
    Answer, Caching, Effect, Tool, ToolDescription, ToolFailure, World,
    place::{place, shown},
    text::visible,
    toolbox::{Arguments as _, describe},
};

/// Entries that are shown.
const MOST: usize = 1000;
/// Folders of tools that say nothing about a project.
pub(crate) const SIDE: [&str; 4] = [".git", ".hg", ".svn", "node_modules"];

pub(crate) struct List(ToolDescription);

impl List {
    pub(crate) fn new() -> Self {
        Self(describe(
            "list",
            "Shows the files and folders below a folder, with sizes.",
            "At most 1000 entries; .git, .hg, .svn and node_modules are not entered.",
            Effect::READS,
            Caching::WhileFilesStay,
            json!({
                "path": {"type": "string", "description": "The folder; the root folder when left out."},
                "depth": {"type": "integer", "minimum": 1, "maximum": 20, "description": "How many levels; 2 when left out."},
            }),
            &[],
        ))
    }
}

impl Tool for List {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, arguments: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let folder = place(world.root, arguments.text("path").unwrap_or("."))?;
        let depth = arguments.number("depth").unwrap_or(2) as u32;
        let here = shown(world.root, &folder).to_owned();
        let look = Look {
            folder: &folder,
            depth,
            prune: &SIDE,
            glob: None,
            largest: 0,
        };
        let (names, cut) = match look.names(world) {
            Ok(names) => names,
            Err(ToolFailure::Told(text)) => {
                return Err(ToolFailure::Told(match known(&folder, world)? {
                    None => format!("there is no `{here}` in the box; `list` the folder above it"),
                    Some(known) if known.kind != Kind::Folder => {
                        format!("`{here}` is no folder; `read` shows a file")
                    }
                    Some(_) => text,
                }));
            }
            Err(error) => return Err(error),
        };
        // A file with a slash behind its name has nothing below it, and `find` says so by an error only.
        let mut text = format!("{here}/\n");
        for known in names.iter().take(MOST) {
            let below = known
                .path
                .strip_prefix(folder.trim_end_matches('/'))
                .unwrap_or(&known.path);
            let below = below.trim_start_matches('/');
            let indent = "  ".repeat(below.matches('/').count() + 1);
            let name = visible(below.rsplit('/').next().unwrap_or(below));
            let _ = match known.kind {
                Kind::Folder => writeln!(text, "{indent}{name}/"),
                Kind::File if known.mode & 0o111 != 0 => writeln!(text, "{indent}{name}* {}", known.size),
                Kind::File => writeln!(text, "{indent}{name} {}", known.size),
                Kind::Link => writeln!(text, "{indent}{name} -> {}", visible(&known.target)),
                Kind::Other => writeln!(text, "{indent}{name} (device, pipe or socket)"),
            };
        }
        if names.is_empty() {
            text.push_str("  (empty)\n");
        }
        let over = names.len().saturating_sub(MOST);
        if over > 0 {
            let _ = writeln!(
                text,
                "[{over} more entries are not shown; list a folder of it, or less depth]"
            );
        }
        if cut {
            text.push_str("[looking was ended before all was seen: the tree is too large]\n");
        }
        Ok(Answer::text(text).with_data(json!({"entries": names.len()})))
    }
}
