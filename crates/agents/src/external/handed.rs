//! What a program of others leaves behind: a script, and changes to the sources.

use std::{collections::BTreeSet, fmt::Write as _, path::Path};

use fs_err as fs;
use seatrial_core::{BOX_SOURCE, Recipe};
use seatrial_sandbox::{Before, Change, ChangeKind, Sandbox, SandboxError, Snapshot};
use similar::TextDiff;

/// Most bytes of a script, of a file in the patch, of the patch, and most files in it.
const MOST_SCRIPT: u64 = 1 << 20;
const MOST_FILE: u64 = 1 << 20;
const MOST_PATCH: usize = 4 << 20;
const MOST_FILES: usize = 400;

/// The script at a path, made one that runs in the grader's box; `Err` says why what is there is none.
pub(super) fn script(sandbox: &mut dyn Sandbox, path: &str) -> Result<Result<Option<String>, String>, SandboxError> {
    let file = match sandbox.read_file(path, MOST_SCRIPT) {
        Ok(file) => file,
        Err(SandboxError::NoSuchFile(_)) => return Ok(Ok(None)),
        Err(error) => return Err(error),
    };
    if file.size > MOST_SCRIPT {
        return Ok(Err(format!("{path} has {} bytes, which is too long", file.size)));
    }
    let Ok(text) = String::from_utf8(file.bytes) else {
        return Ok(Err(format!("{path} is no text")));
    };
    if text.contains('\0') {
        return Ok(Err(format!("{path} is no text")));
    }
    if text.trim().is_empty() {
        return Ok(Ok(None));
    }
    let first = text.lines().next().unwrap_or_default();
    if let Some(interpreter) = first.strip_prefix("#!")
        && !interpreter.split_whitespace().any(|word| {
            let name = word.rsplit('/').next().unwrap_or(word);
            matches!(name, "sh" | "bash" | "dash")
        })
    {
        return Ok(Err(format!(
            "{path} is no script of a shell but of `{}`",
            interpreter.trim()
        )));
    }
    Ok(Ok(Some(format!(
        "#!/bin/bash\n{}cd \"$SRC\" || exit 1\n{text}",
        Recipe::preamble()
    ))))
}

/// A changed file.
#[derive(Debug)]
struct PatchedFile {
    path: String,
    /// What was left; `None` when it was deleted.
    left: Option<Vec<u8>>,
    hunk: String,
}

/// Changes to the sources.
#[derive(Debug, Default)]
pub(super) struct Patch {
    /// Its files, each with what was left of it and its part of the unified diff.
    files: Vec<PatchedFile>,
    /// What is not part of it, one line each.
    pub(super) left_out: Vec<String>,
}

impl Patch {
    /// What was changed since a snapshot, against the pinned tree. Of files that were added, those that are named.
    pub(super) fn of(
        sandbox: &mut dyn Sandbox,
        before: Snapshot,
        tree: &Path,
        named: &BTreeSet<String>,
    ) -> Result<Self, SandboxError> {
        let mut patch = Self::default();
        let (mut added, mut binary, mut other, mut long) = (0_usize, Vec::new(), 0_usize, Vec::new());
        for change in sandbox.changes(&before)? {
            let Some(path) = change
                .path
                .strip_prefix(BOX_SOURCE)
                .and_then(|path| path.strip_prefix('/'))
            else {
                continue;
            };
            let is_new = match sort(&change) {
                Sort::New if named.contains(path) => true,
                Sort::Changed | Sort::Gone => false,
                Sort::New => {
                    added += 1;
                    continue;
                }
                Sort::Other => {
                    other += 1;
                    continue;
                }
                Sort::Same => continue,
            };
            // Names that a diff cannot carry.
            if change.raw_path.is_some() || path.chars().any(|c| c.is_control() || c == '"' || c == '\\') {
                other += 1;
                continue;
            }
            let old = if is_new { Some(Vec::new()) } else { pinned(tree, path) };
            let is_gone = matches!(change.kind, ChangeKind::Deleted);
            let new = if is_gone {
                Some(Vec::new())
            } else {
                match sandbox.read_file(&change.path, MOST_FILE) {
                    Ok(file) if file.size <= MOST_FILE => Some(file.bytes),
                    Ok(_) | Err(SandboxError::NoSuchFile(_)) => None,
                    Err(error) => return Err(error),
                }
            };
            let (Some(old), Some(new)) = (old, new) else {
                long.push(path.to_owned());
                continue;
            };
            let (Some(old), Some(new)) = (as_text(old), as_text(new)) else {
                binary.push(path.to_owned());
                continue;
            };
            let hunk = unified(path, &old, &new, is_new, is_gone);
            if patch.files.len() >= MOST_FILES || patch.bytes() + hunk.len() > MOST_PATCH {
                long.push(path.to_owned());
                continue;
            }
            if !hunk.is_empty() {
                patch.files.push(PatchedFile {
                    path: path.to_owned(),
                    left: (!is_gone).then(|| new.into_bytes()),
                    hunk,
                });
            }
        }
        patch.note("binary and therefore not in the patch", &binary);
        patch.note("too long for the patch", &long);
        if added > 0 {
            patch
                .left_out
                .push(format!("{added} new files in the sources are not part of the patch"));
        }
        if other > 0 {
            patch.left_out.push(format!(
                "{other} changes of links, folders, rights or odd names are not part of the patch"
            ));
        }
        Ok(patch)
    }

    /// The unified diff; `None` when nothing is changed.
    pub(super) fn text(&self) -> Option<String> {
        (!self.files.is_empty()).then(|| self.files.iter().map(|file| file.hunk.as_str()).collect())
    }

    /// How many files it changes.
    pub(super) fn count(&self) -> usize {
        self.files.len()
    }

    fn bytes(&self) -> usize {
        self.files.iter().map(|file| file.hunk.len()).sum()
    }

    /// Takes out the files that now, after the script alone ran on clean sources, are as they were left: the script makes these
    /// changes itself, and would make them twice.
    pub(super) fn without_the_scripts_own(&mut self, sandbox: &mut dyn Sandbox) -> Result<(), SandboxError> {
        let mut own = Vec::new();
        let mut kept = Vec::new();
        for file in std::mem::take(&mut self.files) {
            let now = match sandbox.read_file(&format!("{BOX_SOURCE}/{}", file.path), MOST_FILE) {
                Ok(now) => Some(now.bytes),
                Err(SandboxError::NoSuchFile(_)) => None,
                Err(error) => return Err(error),
            };
            if now == file.left {
                own.push(file.path);
            } else {
                kept.push(file);
            }
        }
        self.files = kept;
        self.note("changed by the script itself and therefore not in the patch", &own);
        Ok(())
    }

    fn note(&mut self, what: &str, paths: &[String]) {
        const SHOWN: usize = 5;
        if paths.is_empty() {
            return;
        }
        let mut text = format!(
            "{what}: {}",
            paths.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ")
        );
        if paths.len() > SHOWN {
            let _ = write!(text, " and {} more", paths.len() - SHOWN);
        }
        self.left_out.push(text);
    }
}

/// What kind of change it is.
enum Sort {
    Changed,
    Gone,
    New,
    Same,
    Other,
}

fn sort(change: &Change) -> Sort {
    match (&change.before, &change.kind) {
        (
            Before::File {
                same_content: true,
                mode: old,
                ..
            },
            ChangeKind::File { mode: new, .. },
        ) => {
            if old == new {
                Sort::Same
            } else {
                Sort::Other
            }
        }
        (Before::File { .. }, ChangeKind::File { .. }) => Sort::Changed,
        (Before::File { .. }, ChangeKind::Deleted) => Sort::Gone,
        (Before::Nothing, ChangeKind::File { .. }) => Sort::New,
        // A build makes those by itself.
        (Before::Nothing, ChangeKind::Folder { .. } | ChangeKind::Link { .. } | ChangeKind::Special) => Sort::Same,
        _ => Sort::Other,
    }
}

/// The bytes of a file of the pinned tree. No link is followed: it could lead out of the tree.
fn pinned(tree: &Path, path: &str) -> Option<Vec<u8>> {
    let mut place = tree.to_owned();
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        if part.is_empty() || part == "." || part == ".." {
            return None;
        }
        place.push(part);
        let kind = place.symlink_metadata().ok()?;
        let fits = if parts.peek().is_some() {
            kind.is_dir()
        } else {
            kind.is_file() && kind.len() <= MOST_FILE
        };
        if !fits {
            return None;
        }
    }
    fs::read(place).ok()
}

fn as_text(bytes: Vec<u8>) -> Option<String> {
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

fn unified(path: &str, old: &str, new: &str, is_new: bool, is_gone: bool) -> String {
    // A name with a blank ends with a tab.
    let name = |side: &str| format!("{side}/{path}{}", if path.contains(' ') { "\t" } else { "" });
    let before = if is_new { "/dev/null".to_owned() } else { name("a") };
    let after = if is_gone { "/dev/null".to_owned() } else { name("b") };
    let diff = TextDiff::from_lines(old, new);
    diff.unified_diff()
        .context_radius(3)
        .header(&before, &after)
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_can_be_applied_again() {
        let folder = tempfile::tempdir().unwrap();
        let cases = [
            ("a.c", "one\ntwo\nthree\n", "one\n2\nthree\n", false, false),
            ("with blank.c", "x", "x\ny", false, false),
            ("sub/new.txt", "", "made\n", true, false),
            ("gone.c", "no\nmore\n", "", false, true),
        ];
        let mut patch = String::new();
        for (path, old, new, is_new, is_gone) in cases {
            let place = folder.path().join(path);
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            if !is_new {
                fs::write(&place, old).unwrap();
            }
            patch.push_str(&unified(path, old, new, is_new, is_gone));
        }
        fs::write(folder.path().join("patch"), &patch).unwrap();
        let out = std::process::Command::new("patch")
            .args(["--batch", "--forward", "-p1", "-i", "patch"])
            .current_dir(folder.path())
            .output();
        let Ok(out) = out else {
            return;
        };
        assert!(
            out.status.success(),
            "{}\n{patch}",
            String::from_utf8_lossy(&out.stdout)
        );
        for (path, _, new, _, is_gone) in cases {
            let found = fs::read_to_string(folder.path().join(path)).ok();
            assert_eq!(found.as_deref(), (!is_gone).then_some(new), "{path}");
        }
    }

    #[test]
    fn no_link_of_the_tree_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        fs::write(folder.path().join("sub/a.c"), "a").unwrap();
        std::os::unix::fs::symlink("/etc", folder.path().join("etc")).unwrap();
        std::os::unix::fs::symlink("sub/a.c", folder.path().join("link.c")).unwrap();
        assert_eq!(pinned(folder.path(), "sub/a.c").as_deref(), Some(&b"a"[..]));
        for path in ["etc/passwd", "link.c", "../x", "sub", "none"] {
            assert_eq!(pinned(folder.path(), path), None, "{path}");
        }
    }
}
