//! A copy of the box's tree on this machine, for those parts that read trees and run nothing.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Component, Path},
};

use tempfile::TempDir;

use crate::{
    ToolFailure, ToolsError, World,
    files::{Look, SIDE, Seen},
};

/// Larger files are no build files.
const LARGEST: u64 = 4 << 20;

/// Copies the regular files below a folder. Links are left out: one could lead to a file of this machine.
pub(super) fn lay(folder: &str, world: &mut World<'_>) -> Result<TempDir, ToolFailure> {
    let made = TempDir::new().map_err(broken)?;
    let base = format!("{}/", folder.trim_end_matches('/'));
    let mut failed = None;
    let look = Look {
        folder,
        depth: 64,
        prune: &SIDE,
        glob: None,
        largest: LARGEST,
    };
    let root = made.path().to_owned();
    let (_, cut) = look.files(world, &mut |seen: Seen<'_>| {
        let below = seen.path.strip_prefix(&base).unwrap_or_default();
        match write(&root, below, seen.bytes, seen.mode) {
            Ok(()) => true,
            Err(error) => {
                failed = Some(error);
                false
            }
        }
    })?;
    match failed {
        Some(error) => Err(broken(error)),
        None if cut => Err(ToolFailure::told("the tree is too large to be looked at as a whole")),
        None => Ok(made),
    }
}

fn write(root: &Path, below: &str, bytes: &[u8], mode: u32) -> std::io::Result<()> {
    let below = Path::new(below);
    if !below.components().all(|part| matches!(part, Component::Normal(_))) {
        return Ok(());
    }
    let place = root.join(below);
    if let Some(folder) = place.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(&place, bytes)?;
    fs::set_permissions(&place, fs::Permissions::from_mode(0o600 | (mode & 0o111)))
}

fn broken(error: std::io::Error) -> ToolFailure {
    ToolsError::Store(error.into()).into()
}
