//! A whole file, new or in the place of an old one.

use serde_json::{Value, json};

use super::look::{Kind, NEW_FILE, known, mode_of};
use crate::{
    Answer, Caching, Effect, Tool, ToolDescription, ToolFailure, World,
    place::{place, shown},
    text::{counted, visible},
    toolbox::{Arguments as _, describe},
};

pub(crate) struct Write(ToolDescription);

impl Write {
    pub(crate) fn new() -> Self {
        Self(describe(
            "write",
            "Writes a whole text file, new or in the place of an old one; folders on the way are made.",
            "An old file keeps its mode, unless `executable` is said.",
            Effect::WRITES,
            Caching::No,
            json!({
                "path": {"type": "string", "minLength": 1, "description": "The file."},
                "content": {"type": "string", "description": "All of its content."},
                "executable": {"type": "boolean", "description": "Whether it is a program."},
            }),
            &["path", "content"],
        ))
    }
}

impl Tool for Write {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, arguments: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let path = place(world.root, arguments.text("path").unwrap_or_default())?;
        let here = visible(shown(world.root, &path));
        let content = arguments.text("content").unwrap_or_default();
        let before = known(&path, world)?;
        let mode = match &before {
            Some(known) if known.kind == Kind::Folder => {
                return Err(ToolFailure::Told(format!(
                    "`{here}` is a folder; give the path of a file"
                )));
            }
            Some(known) if known.kind == Kind::Other => {
                return Err(ToolFailure::Told(format!(
                    "`{here}` is a device, pipe or socket and stays as it is"
                )));
            }
            Some(_) => mode_of(&path, world)?,
            None => NEW_FILE,
        };
        let mode = match arguments.get("executable").and_then(Value::as_bool) {
            Some(true) => mode | 0o111,
            Some(false) => mode & !0o111,
            None => mode,
        };
        world.check_stop()?;
        world.sandbox.write_file(&path, content.as_bytes(), mode)?;
        let lines = counted(content.lines().count() as u64, "line");
        Ok(Answer::text(match before {
            Some(known) if known.kind == Kind::Link => {
                format!("wrote {lines} through the link {here} -> {}", visible(&known.target))
            }
            Some(known) => format!(
                "wrote {here}: {lines}, {}; it had {}",
                counted(content.len() as u64, "byte"),
                counted(known.size, "byte")
            ),
            None => format!(
                "wrote {here}: {lines}, {}; it is new",
                counted(content.len() as u64, "byte")
            ),
        }))
    }
}
