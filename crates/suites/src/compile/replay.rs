//! Replays a submission in a fresh box.

use std::time::Duration;

use seatrial_core::{BOX_OUT, BOX_PREFIX, BOX_SOURCE, Digest, EventSink, Submission};
use seatrial_sandbox::{BoxSpec, ChangeKind, Command, Execution, Network, Sandbox, Snapshot, StopLink};

use super::{
    debug_info::clean,
    pinned::{PinnedTree, is_source, retention},
    prepare::prepare,
};
use crate::{
    GradeRequest, SuiteError,
    running::{read_if_there, run},
};

/// Where the script lies in the grading box.
const SCRIPT: &str = "/build/recipe.sh";
/// Where a patch lies while it is applied.
const PATCH: &str = "/build/.submission.patch";
/// Bytes of a patched source that are read.
const SOURCE_LIMIT: u64 = 8 << 20;
/// A source that keeps less than this share of its lines is another one under the same name.
pub(super) const REPLACED: f64 = 0.5;

/// A box after the script ran in it.
pub(super) struct Replay {
    pub(super) sandbox: Box<dyn Sandbox>,
    /// The state before the script.
    pub(super) pristine: Snapshot,
    /// The pinned tree as the patch left it.
    pub(super) tree: PinnedTree,
    /// How the script went.
    pub(super) execution: Execution,
    /// Its output.
    pub(super) log: Digest,
    /// Packages that were installed before the script, as lines of [`packages`].
    pub(super) packages_before: Vec<String>,
    /// Sources that the patch or the files replaced rather than changed.
    pub(super) replaced: Vec<String>,
    _link: StopLink,
}

/// The submission could not be replayed, and that is its own fault.
pub(super) struct Refused {
    pub(super) reason: String,
}

/// Replays; the outer error is the machinery's, the inner one the submission's.
pub(super) fn replay(
    request: &GradeRequest<'_>,
    script: &str,
    network: &Network,
    events: &mut dyn EventSink,
) -> Result<Result<Replay, Refused>, SuiteError> {
    let mut sandbox = request.factory.start(&BoxSpec {
        image: request.image,
        limits: request.limits.clone(),
        network: network.clone(),
    })?;
    let link = StopLink::new(request.stopper.clone(), sandbox.stopper());
    prepare(request.task, request.source, sandbox.as_mut())?;
    let mut tree = PinnedTree::read(&request.source.root)?;
    let laid = sandbox.snapshot()?;
    let mut runs = |sandbox: &mut dyn Sandbox, command: &Command| {
        run(request, sandbox, command, "patch", events).map(|(execution, _)| execution)
    };
    if let Err(reason) = lay(request.submission, sandbox.as_mut(), &mut runs)? {
        return Ok(Err(Refused { reason }));
    }
    let replaced = take_in_changes(sandbox.as_mut(), laid, &mut tree)?;
    let packages_before = packages(sandbox.as_mut())?;
    sandbox.write_file(SCRIPT, script.as_bytes(), 0o755)?;
    let pristine = sandbox.snapshot()?;
    let mut command = Command::bash("");
    command.argv = vec!["/bin/bash".to_owned(), SCRIPT.to_owned()];
    let command = Command {
        timeout: request.task.budget.grade_seconds.map(Duration::from_secs),
        ..command
            .in_folder(BOX_SOURCE)
            .with_env("SRC", BOX_SOURCE)
            .with_env("OUT", BOX_OUT)
            .with_env("PREFIX", BOX_PREFIX)
    };
    let (execution, log) = run(request, sandbox.as_mut(), &command, "replay", events)?;
    Ok(Ok(Replay {
        sandbox,
        pristine,
        tree,
        execution,
        log,
        packages_before,
        replaced,
        _link: link,
    }))
}

/// The installed packages, one a line: source, a tab, package.
pub(super) fn packages(sandbox: &mut dyn Sandbox) -> Result<Vec<String>, SuiteError> {
    let output = crate::running::helper(
        sandbox,
        "listing packages",
        "dpkg-query -W -f '${source:Package}\\t${Package}\\n' 2>/dev/null; true",
    )?;
    Ok(String::from_utf8_lossy(&output).lines().map(str::to_owned).collect())
}

/// Runs a command in a box.
type Runs<'a> = &'a mut dyn FnMut(&mut dyn Sandbox, &Command) -> Result<Execution, SuiteError>;

/// Lays a submission's patch and files into a box with the pinned source; the inner error is the submission's.
pub(super) fn lay(
    submission: &Submission,
    sandbox: &mut dyn Sandbox,
    runs: Runs<'_>,
) -> Result<Result<(), String>, SuiteError> {
    if let Some(patch) = submission.patch.as_deref().filter(|patch| !patch.trim().is_empty()) {
        if let Some(path) = unsafe_patch_path(patch) {
            return Ok(Err(format!("the patch names `{path}`, which is outside of the source")));
        }
        sandbox.write_file(PATCH, patch.as_bytes(), 0o600)?;
        let command = Command::bash(format!(
            "patch --batch --forward -p1 -d {BOX_SOURCE} < {PATCH}; code=$?; rm -f {PATCH}; exit $code"
        ))
        .with_timeout(Duration::from_mins(5));
        if !runs(sandbox, &command)?.succeeded() {
            return Ok(Err("the patch does not apply to the pinned source".to_owned()));
        }
    }
    for file in &submission.files {
        let parts: Vec<&str> = file.path.split('/').collect();
        if file.path.is_empty() || file.path.starts_with('/') || file.path.contains('\0') || parts.contains(&"..") {
            return Ok(Err(format!(
                "the file `{}` is outside of the source",
                file.path.escape_debug()
            )));
        }
        sandbox.write_file(
            &format!("{BOX_SOURCE}/{}", file.path),
            file.content.as_bytes(),
            file.mode & 0o777,
        )?;
    }
    Ok(Ok(()))
}

/// A path of a unified diff that leads out of the tree.
fn unsafe_patch_path(patch: &str) -> Option<&str> {
    const STARTS: [&str; 6] = ["--- ", "+++ ", "rename from ", "rename to ", "copy to ", "Index: "];
    patch.lines().find_map(|line| {
        let path = STARTS.iter().find_map(|start| line.strip_prefix(start))?;
        let path = path.split('\t').next().unwrap_or(path).trim();
        let outside = path.split('/').any(|part| part == "..") || (path.starts_with('/') && path != "/dev/null");
        outside.then_some(path)
    })
}

/// Makes what the patch and the files left the new pinned content; returns the sources that they replaced.
fn take_in_changes(
    sandbox: &mut dyn Sandbox,
    laid: Snapshot,
    tree: &mut PinnedTree,
) -> Result<Vec<String>, SuiteError> {
    let mut replaced = Vec::new();
    for change in sandbox.changes(&laid)? {
        let ChangeKind::File { .. } = change.kind else { continue };
        let Some(path) = change
            .path
            .strip_prefix(BOX_SOURCE)
            .map(|rest| rest.trim_start_matches('/').to_owned())
        else {
            continue;
        };
        let Some(content) = read_if_there(sandbox, &change.path, SOURCE_LIMIT)? else {
            continue;
        };
        if is_source(&path) {
            // A new source, or another one under a pinned name, proves nothing of what is made from it.
            if tree.digest(&path).is_none() {
                continue;
            }
            if retention(&tree.content(&path), &content) < REPLACED {
                tree.forget(&path);
                replaced.push(path);
                continue;
            }
        }
        tree.patch(&path, content);
    }
    Ok(replaced)
}

/// The path of a change relative to the pinned source, when it is below it.
pub(super) fn below_source(path: &str) -> Option<String> {
    let path = clean(path);
    path.strip_prefix(BOX_SOURCE)?.strip_prefix('/').map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_stays_in_the_tree() {
        assert_eq!(unsafe_patch_path("--- a/x.c\n+++ b/x.c\n@@\n+++i;\n"), None);
        assert_eq!(unsafe_patch_path("--- /dev/null\n+++ b/new.c\n"), None);
        assert_eq!(
            unsafe_patch_path("--- a/x\n+++ b/../../etc/passwd\t2020\n"),
            Some("b/../../etc/passwd")
        );
        assert_eq!(unsafe_patch_path("--- /etc/passwd\n"), Some("/etc/passwd"));
    }
}
