//! Applies unified diffs to files of the box.

use seatrial_packaging::{Fitting, PatchChange, PatchError, PatchFiles, PatchedFile, patch_files};
use serde_json::{Value, json};

use crate::{
    Answer, Caching, Effect, Tool, ToolDescription, ToolFailure, World,
    files::{NEW_FILE, known, mode_of, run_quietly},
    place::place,
    text::counted,
    toolbox::{Arguments as _, describe},
};

pub(crate) struct ApplyPatch(ToolDescription);

impl ApplyPatch {
    pub(crate) fn new() -> Self {
        Self(describe(
            "apply_patch",
            "Applies a unified diff to files: several hunks and files, also new, deleted and renamed ones. All of it is \
             applied or nothing.",
            "Wrong counts, line numbers, blanks and up to two wrong lines of context are overlooked and reported, unless \
             `strict` is set; a hunk that fits in several places is refused.",
            Effect::WRITES,
            Caching::No,
            json!({
                "patch": {"type": "string", "minLength": 1, "description": "The diff."},
                "folder": {"type": "string", "description": "The folder that its paths start from; the root folder when left out."},
                "strict": {"type": "boolean", "description": "Overlook nothing but line numbers."},
            }),
            &["patch"],
        ))
    }
}

struct InBox<'w, 'a> {
    world: &'w mut World<'a>,
    folder: String,
}

impl PatchFiles for InBox<'_, '_> {
    type Error = ToolFailure;

    fn content(&mut self, path: &str) -> Result<Option<Vec<u8>>, ToolFailure> {
        let place = place(&self.folder, path)?;
        match self.world.sandbox.read_file(&place, self.world.limits.file_bytes) {
            Ok(content) if content.bytes.len() as u64 == content.size => Ok(Some(content.bytes)),
            Ok(content) => Err(ToolFailure::Told(format!(
                "`{path}` has {} bytes, too many for a patch; nothing was changed",
                content.size
            ))),
            Err(seatrial_sandbox::SandboxError::NoSuchFile(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

impl Tool for ApplyPatch {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, arguments: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let folder = place(world.root, arguments.text("folder").unwrap_or("."))?;
        let patch = arguments.text("patch").unwrap_or_default();
        let mut files = InBox {
            world: &mut *world,
            folder: folder.clone(),
        };
        let fitting = if arguments.is("strict") {
            Fitting::Strict
        } else {
            Fitting::Lenient
        };
        let patched = patch_files(patch, &mut files, fitting).map_err(|error| match error {
            PatchError::Told(text) => ToolFailure::Told(format!("nothing was changed: {text}")),
            PatchError::Files(failure) => failure,
        })?;
        world.check_stop()?;
        let mut undo = Vec::new();
        for file in &patched {
            if let Err(failure) = write(file, &folder, &mut undo, world) {
                take_back(undo, world)?;
                return Err(match failure {
                    ToolFailure::Told(text) => ToolFailure::Told(format!("nothing was changed: {}: {text}", file.path)),
                    broken @ ToolFailure::Broken(_) => broken,
                });
            }
        }
        Ok(report(&patched))
    }
}

/// How to take a change back: the content and mode that a file had, or that it was not there.
struct Undo {
    place: String,
    before: Option<(Vec<u8>, u32)>,
}

fn write(file: &PatchedFile, folder: &str, undo: &mut Vec<Undo>, world: &mut World<'_>) -> Result<(), ToolFailure> {
    let target = place(folder, &file.path)?;
    match &file.change {
        PatchChange::Modify(content) | PatchChange::Create(content) => {
            let before = remember(&target, undo, world)?;
            let mode = file.mode.or(before).unwrap_or(NEW_FILE);
            world.sandbox.write_file(&target, content, mode)?;
        }
        PatchChange::Delete => {
            remember(&target, undo, world)?;
            remove(&target, world)?;
        }
        PatchChange::Rename(from, content) => {
            let source = place(folder, from)?;
            let before = remember(&source, undo, world)?;
            remember(&target, undo, world)?;
            let mode = file.mode.or(before).unwrap_or(NEW_FILE);
            world.sandbox.write_file(&target, content, mode)?;
            remove(&source, world)?;
        }
    }
    Ok(())
}

/// Keeps what a file is now; gives its mode when it is there.
fn remember(place: &str, undo: &mut Vec<Undo>, world: &mut World<'_>) -> Result<Option<u32>, ToolFailure> {
    let before = match world.sandbox.read_file(place, world.limits.file_bytes) {
        Ok(content) => Some((content.bytes, mode_of(place, world)?)),
        Err(seatrial_sandbox::SandboxError::NoSuchFile(_)) => match known(place, world)? {
            Some(_) => return Err(ToolFailure::told("something that is no file is in the way")),
            None => None,
        },
        Err(error) => return Err(error.into()),
    };
    let mode = before.as_ref().map(|(_, mode)| *mode);
    undo.push(Undo {
        place: place.to_owned(),
        before,
    });
    Ok(mode)
}

fn remove(place: &str, world: &mut World<'_>) -> Result<(), ToolFailure> {
    let mut output = Vec::new();
    let execution = run_quietly("rm -f -- \"$1\"", &[place], world.limits.look, &mut output, world)?;
    if execution.succeeded() {
        Ok(())
    } else {
        Err(ToolFailure::Told(String::from_utf8_lossy(&output).trim().to_owned()))
    }
}

fn take_back(undo: Vec<Undo>, world: &mut World<'_>) -> Result<(), ToolFailure> {
    for Undo { place, before } in undo.into_iter().rev() {
        match before {
            Some((bytes, mode)) => world.sandbox.write_file(&place, &bytes, mode)?,
            None => remove(&place, world)?,
        }
    }
    Ok(())
}

fn report(patched: &[PatchedFile]) -> Answer {
    let mut lines = Vec::new();
    let mut data = Vec::new();
    for file in patched {
        let (letter, path) = match &file.change {
            PatchChange::Modify(_) => ("M", file.path.clone()),
            PatchChange::Create(_) => ("A", file.path.clone()),
            PatchChange::Delete => ("D", file.path.clone()),
            PatchChange::Rename(from, _) => ("R", format!("{from} -> {}", file.path)),
        };
        lines.push(format!("{letter} {path} ({})", counted(file.hunks as u64, "hunk")));
        lines.extend(file.notes.iter().map(|note| format!("  {note}")));
        let from = match &file.change {
            PatchChange::Rename(from, _) => Some(from),
            _ => None,
        };
        data.push(json!({"change": letter, "path": file.path, "from": from, "hunks": file.hunks, "notes": file.notes}));
    }
    Answer::text(format!("applied:\n{}", lines.join("\n"))).with_data(Value::Array(data))
}
