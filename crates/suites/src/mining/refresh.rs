//! Pins anew what has left the archive.

use seatrial_core::{SourceKind, Task, TaskId};
use seatrial_source::SourcePackage;

use super::{
    Archive, MineError, MineOptions,
    candidates::Index,
    derive::{derive, unavailable},
};
use crate::{Corpus, TaskState};

/// What a refresh did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RefreshReport {
    /// Tasks whose files are all still there.
    pub kept: Vec<TaskId>,
    /// Tasks that have a new version now, and with it a truth derived anew; their state is `new`.
    pub repinned: Vec<Repinned>,
    /// Tasks that cannot be had any more, with the reason; they are quarantined.
    pub lost: Vec<(TaskId, String)>,
}

/// A task with another version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repinned {
    /// The task.
    pub task: TaskId,
    /// Its version before.
    pub from: String,
    /// Its version now.
    pub to: String,
}

/// Checks every task of a mined corpus against the archive, re-pins those whose files are gone, and writes the corpus.
pub fn refresh(
    corpus: &mut Corpus,
    archive: &dyn Archive,
    options: &MineOptions,
    progress: &mut dyn FnMut(&str),
) -> Result<RefreshReport, MineError> {
    let (sources, binaries) = (archive.sources()?, archive.binaries()?);
    let index = Index::new(&sources, &binaries, options);
    let mut report = RefreshReport::default();
    let tasks: Vec<Task> = corpus.all_tasks().cloned().collect();
    for task in tasks {
        let SourceKind::Debian { package, version, .. } = &task.source.origin else {
            report.kept.push(task.id);
            continue;
        };
        let newest = index.sources.get(package.as_str()).copied();
        if is_whole(&task, newest, archive)? {
            report.kept.push(task.id);
            continue;
        }
        let outcome = match newest {
            Some(newest) => match unavailable(newest, archive)? {
                Some(reason) => Err(reason),
                None => derive(newest, &index, archive, options)?.map(|derived| (newest.version.clone(), derived)),
            },
            None => Err("the archive has no such source package any more".to_owned()),
        };
        match outcome {
            Ok((to, derived)) => {
                progress(&format!("{package}: {version} left the archive, now {to}"));
                report.repinned.push(Repinned {
                    task: task.id.clone(),
                    from: version.clone(),
                    to,
                });
                corpus.insert(
                    Task {
                        budget: task.budget,
                        ..derived.task
                    },
                    derived.truth,
                );
            }
            Err(reason) => {
                progress(&format!("{package}: {version} left the archive: {reason}"));
                corpus.set_state(&task.id, TaskState::Quarantined, reason.clone(), None)?;
                report.lost.push((task.id, reason));
            }
        }
    }
    if !report.repinned.is_empty() {
        corpus.facts_mut().version += 1;
    }
    corpus.facts_mut().archive_revision = archive.revision()?;
    corpus.save()?;
    Ok(report)
}

/// Whether a task's files can all still be had: the index has the version, or the mirror still has the files.
fn is_whole(task: &Task, newest: Option<&SourcePackage>, archive: &dyn Archive) -> Result<bool, MineError> {
    let SourceKind::Debian {
        version,
        directory,
        files,
        ..
    } = &task.source.origin
    else {
        return Ok(true);
    };
    if newest.is_none_or(|newest| newest.version != *version) {
        return Ok(false);
    }
    for file in files {
        if !archive.has(directory, file)? {
            return Ok(false);
        }
    }
    Ok(true)
}
