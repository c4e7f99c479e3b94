//! Going back: snapshots of the box's files, and what has changed since one.

use std::fmt::Write as _;

use seatrial_sandbox::{Before, Change, ChangeKind, Snapshot};
use serde_json::{Value, json};

use crate::{
    Answer, Caching, Effect, Tool, ToolDescription, ToolFailure, World,
    place::shown,
    text::{counted, visible},
    toolbox::{Arguments as _, describe},
};

/// Changes that are shown.
const MOST: usize = 300;

pub(crate) struct TakeSnapshot(ToolDescription);

impl TakeSnapshot {
    pub(crate) fn new() -> Self {
        Self(describe(
            "snapshot",
            "Remembers the present state of all files in the box under a name, to go back to it with `rollback` or to see \
             with `changes` what has changed since.",
            "Takes milliseconds. Running programs are not part of it.",
            Effect::READS,
            Caching::No,
            json!({"name": {"type": "string", "minLength": 1, "maxLength": 80, "description": "A name for it."}}),
            &["name"],
        ))
    }
}

impl Tool for TakeSnapshot {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, arguments: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let name = arguments.text("name").unwrap_or_default().to_owned();
        let snapshot = world.sandbox.snapshot()?;
        world.state.snapshots.retain(|(other, _)| *other != name);
        world.state.snapshots.push((name.clone(), snapshot));
        Ok(Answer::text(format!("this state is now `{}`", visible(&name))))
    }
}

/// A snapshot by its name, or the last one.
fn find(arguments: &Value, parameter: &str, world: &World<'_>) -> Result<(String, Snapshot), ToolFailure> {
    let known = &world.state.snapshots;
    let found = match arguments.text(parameter) {
        Some(name) => known.iter().find(|(known, _)| known == name),
        None => known.last(),
    };
    found.cloned().ok_or_else(|| {
        let names: Vec<String> = known.iter().map(|(name, _)| format!("`{}`", visible(name))).collect();
        ToolFailure::Told(if names.is_empty() {
            "there is no snapshot; take one with `snapshot` first".to_owned()
        } else {
            format!("there is no such snapshot; there are {}", names.join(", "))
        })
    })
}

pub(crate) struct Rollback(ToolDescription);

impl Rollback {
    pub(crate) fn new() -> Self {
        Self(describe(
            "rollback",
            "Brings all files in the box back to a snapshot. What was done since is gone, later snapshots too.",
            "Takes milliseconds. A shell that stays is started anew with its folder and variables.",
            Effect::WRITES,
            Caching::No,
            json!({"to": {"type": "string", "description": "The snapshot's name; the last one when left out."}}),
            &[],
        ))
    }
}

impl Tool for Rollback {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, arguments: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let (name, snapshot) = find(arguments, "to", world)?;
        back(snapshot, world)?;
        Ok(Answer::text(format!(
            "all files are as they were at `{}`",
            visible(&name)
        )))
    }
}

/// Goes back, and forgets the snapshots that are gone with it.
pub(crate) fn back(snapshot: Snapshot, world: &mut World<'_>) -> Result<(), ToolFailure> {
    world.sandbox.rollback(&snapshot)?;
    world.state.snapshots.retain(|(_, other)| *other <= snapshot);
    Ok(())
}

pub(crate) struct Changes(ToolDescription);

impl Changes {
    pub(crate) fn new() -> Self {
        Self(describe(
            "changes",
            "Shows which files were added (A), changed (M) or deleted (D) since a snapshot.",
            "At most 300; everything is counted.",
            Effect::READS,
            Caching::WhileFilesStay,
            json!({
                "since": {"type": "string", "description": "The snapshot's name; the last one when left out."},
                "below": {"type": "string", "description": "Only what is below this folder."},
            }),
            &[],
        ))
    }
}

impl Tool for Changes {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, arguments: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let (name, snapshot) = find(arguments, "since", world)?;
        let below = arguments
            .text("below")
            .map(|below| crate::place::place(world.root, below))
            .transpose()?;
        let mut changes = world.sandbox.changes(&snapshot)?;
        if let Some(below) = &below {
            let below = format!("{}/", below.trim_end_matches('/'));
            changes.retain(|change| change.path.starts_with(&below));
        }
        let mut text = String::new();
        let (mut added, mut changed, mut deleted) = (0, 0, 0);
        for (number, change) in changes.iter().enumerate() {
            let letter = letter(change);
            match letter {
                'A' => added += 1,
                'D' => deleted += 1,
                _ => changed += 1,
            }
            if number < MOST {
                let path = visible(shown(world.root, &change.path));
                let _ = match &change.kind {
                    ChangeKind::File { size, .. } => writeln!(text, "{letter} {path} {size}"),
                    ChangeKind::Link { target } => writeln!(text, "{letter} {path} -> {}", visible(target)),
                    ChangeKind::Folder { .. } => writeln!(text, "{letter} {path}/"),
                    ChangeKind::Special | ChangeKind::Deleted => writeln!(text, "{letter} {path}"),
                };
            }
        }
        let over = changes.len().saturating_sub(MOST);
        if over > 0 {
            let _ = writeln!(text, "[{over} more are not shown; say `below`]");
        }
        let _ = write!(
            text,
            "[since `{}`: {added} added, {changed} changed, {deleted} deleted]",
            visible(&name)
        );
        Ok(Answer::text(text).with_data(json!({"added": added, "changed": changed, "deleted": deleted})))
    }
}

fn letter(change: &Change) -> char {
    match (&change.kind, &change.before) {
        (ChangeKind::Deleted, _) => 'D',
        (_, Before::Nothing) => 'A',
        _ => 'M',
    }
}

/// What a command made, in a few words.
pub(crate) fn amount(changes: &[Change]) -> String {
    let files = changes
        .iter()
        .filter(|change| matches!(change.kind, ChangeKind::File { .. }))
        .count();
    counted(files as u64, "file")
}
