//! Cases that others published, as tasks of the suite `repair`.
//!
//! A case folder holds a package, where it fails, and the log of that. What is imported is copied: the sources become one
//! archive that the corpus keeps, so that an agent of others that works in the case folder changes no task. Nothing is built
//! here: whether a case is what it says is for `bench calibrate` to find out.

mod build_bench;
mod case;
mod challenge;
mod pack;
mod problem;

use std::path::{Path, PathBuf};

use fs_err as fs;
pub use problem::{CaseProblem, ImportError};
use seatrial_core::{
    Arch, Budget, Goal, PinnedSource, Platform, RepairGoal, RepairTruth, SourceKind, Task, TaskId, Truth, TruthBody,
};
use seatrial_diagnosis::diagnose;
use seatrial_packaging::Package;
use seatrial_source::Fetcher;
use seatrial_store::Blobs;

use self::case::Case;
use crate::{
    Corpus, CorpusFacts,
    corpus::{keep, shorten},
};

/// Who published the cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseFormat {
    /// Build-bench: flat folders, manifest 1.
    BuildBench,
    /// The challenge that followed it: manifest 1.0.
    Challenge,
}

/// How cases are imported.
pub struct ImportOptions<'a> {
    /// The format.
    pub format: CaseFormat,
    /// The corpus's folder; one that is there grows.
    pub corpus: PathBuf,
    /// The platform of the agents' boxes.
    pub platform: Platform,
    /// Where the packages build, in place of what the cases say.
    pub works_on: Option<Arch>,
    /// Unpacks what was packed, which proves that it can be.
    pub fetcher: &'a Fetcher,
    /// Takes logs and sources.
    pub blobs: Blobs,
}

/// What became of the case folders.
#[derive(Debug)]
pub struct ImportReport {
    /// The corpus, already written.
    pub corpus: Corpus,
    /// The tasks that were made, or were there already and are the same.
    pub tasks: Vec<TaskId>,
    /// The folders that are no case that can be used.
    pub refused: Vec<Refused>,
    /// What a person should know of the others.
    pub notes: Vec<String>,
}

/// A folder that became no task.
#[derive(Debug)]
pub struct Refused {
    /// The folder.
    pub folder: PathBuf,
    /// Why.
    pub problem: CaseProblem,
}

/// Imports a case folder, or all that a folder holds. A folder that is no usable case is told and left out.
pub fn import_cases(from: &Path, options: &ImportOptions<'_>) -> Result<ImportReport, ImportError> {
    let folders = folders(from)?;
    let mut corpus = begin(options)?;
    let (mut tasks, mut refused, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for folder in &folders {
        let read = match options.format {
            CaseFormat::BuildBench => build_bench::read(folder),
            CaseFormat::Challenge => challenge::read(folder, twin_log(folder, &folders)),
        };
        let opened = read.and_then(|case| Ok((open(&case)?, case)));
        let (package, mut case) = match opened {
            Ok(opened) => opened,
            Err(problem) => {
                refused.push(Refused {
                    folder: folder.clone(),
                    problem,
                });
                continue;
            }
        };
        let told = case.notes.iter().chain(package.notes());
        notes.extend(told.map(|note| format!("{}: {note}", case.package)));
        case.works_on = options.works_on.or(case.works_on);
        let (task, truth) = task(&case, &package, &corpus, options)?;
        tasks.push(task.id.clone());
        corpus.insert(task, truth);
    }
    if !tasks.is_empty() {
        corpus.save()?;
    }
    Ok(ImportReport {
        corpus,
        tasks,
        refused,
        notes,
    })
}

/// The folder itself when it is a case, else the folders in it, by name. One without a manifest is told only when others
/// have one.
fn folders(from: &Path) -> Result<Vec<PathBuf>, ImportError> {
    let is_case = |folder: &Path| folder.join("manifest.json").is_file();
    if is_case(from) {
        return Ok(vec![from.to_owned()]);
    }
    let mut folders = Vec::new();
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            folders.push(entry.path());
        }
    }
    folders.sort();
    if folders.iter().any(|folder| is_case(folder)) {
        Ok(folders)
    } else {
        Err(ImportError::NoCases(from.to_owned()))
    }
}

fn begin(options: &ImportOptions<'_>) -> Result<Corpus, ImportError> {
    let suite: seatrial_core::SuiteName = "repair".parse()?;
    if options.corpus.join("corpus.toml").is_file() {
        let corpus = Corpus::load(&options.corpus)?;
        if corpus.facts().suite != suite {
            return Err(ImportError::OtherSuite {
                corpus: corpus.facts().name.clone(),
                suite: corpus.facts().suite.to_string(),
            });
        }
        return Ok(corpus);
    }
    let name = options.corpus.file_name();
    let about = match options.format {
        CaseFormat::BuildBench => "Cases of Build-bench, as they were published.",
        CaseFormat::Challenge => "Cases of the challenge that followed Build-bench, as they were published.",
    };
    Ok(Corpus::new(
        &options.corpus,
        CorpusFacts {
            format: 1,
            name: name.map_or_else(|| "corpus".to_owned(), |name| name.to_string_lossy().into_owned()),
            version: 1,
            about: about.to_owned(),
            suite,
            platform: options.platform.to_string(),
            archive_revision: String::new(),
            seed: 0,
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            split: None,
        },
    ))
}

/// The log of the folder that is the other side of the same case.
fn twin_log(folder: &Path, folders: &[PathBuf]) -> Option<Vec<u8>> {
    let name = challenge::pair_name(folder)?;
    let twin = folders
        .iter()
        .find(|other| *other != folder && challenge::pair_name(other).as_deref() == Some(&name))?;
    challenge::log(twin)
}

/// The package of a case, from its sources alone: what else lies in the folder is not looked at.
fn open(case: &Case) -> Result<Package, CaseProblem> {
    let copy = || -> std::io::Result<tempfile::TempDir> {
        let folder = tempfile::Builder::new().prefix("seatrial-case-").tempdir()?;
        for path in &case.sources {
            let (from, to) = (case.root.join(path), folder.path().join(path));
            if let Some(above) = to.parent() {
                fs::create_dir_all(above)?;
            }
            if fs::symlink_metadata(&from)?.is_symlink() {
                fs::os::unix::fs::symlink(fs::read_link(&from)?, &to)?;
            } else {
                fs::copy(&from, &to)?;
            }
        }
        Ok(folder)
    };
    let folder = copy().map_err(|error| CaseProblem::Package(error.into()))?;
    // The message names the folder that the user knows, not the copy.
    Package::open(folder.path()).map_err(|error| {
        CaseProblem::Package(match error {
            seatrial_packaging::PackageError::NoRecipe(_) => {
                seatrial_packaging::PackageError::NoRecipe(case.root.clone())
            }
            seatrial_packaging::PackageError::SeveralRecipes { names, .. } => {
                seatrial_packaging::PackageError::SeveralRecipes {
                    folder: case.root.clone(),
                    names,
                }
            }
            other => other,
        })
    })
}

fn task(
    case: &Case,
    package: &Package,
    corpus: &Corpus,
    options: &ImportOptions<'_>,
) -> Result<(Task, Truth), ImportError> {
    let (folder, blobs) = (&options.corpus, &options.blobs);
    fs::create_dir_all(folder)?;
    let log = |log: &[u8]| keep(folder, blobs, shorten(log).as_bytes());
    let failed_log = log(&case.failed_log)?;
    let working_log = case.working_log.as_deref().map(log).transpose()?;
    let archive = keep(folder, blobs, &pack::pack(case)?)?;
    let mut source = PinnedSource {
        name: case.package.clone(),
        origin: SourceKind::Kept { archive },
        tree: None,
    };
    source.tree = Some(options.fetcher.fetch(&source)?.digest);
    let goal = Goal::Repair(RepairGoal {
        recipe: package.kind(),
        target: case.target,
        works_on: case.works_on,
        failed_log: Some(failed_log),
        working_log,
    });
    let id = free_id(case, corpus, &source)?;
    let class = diagnose(&case.failed_log)
        .cause
        .map_or("unknown", |cause| cause.class.name());
    let truth = Truth {
        task: id.clone(),
        body: TruthBody::Repair(RepairTruth {
            class: class.to_owned(),
            origin: case.origin.clone(),
            gold: None,
            fault: None,
        }),
    };
    let task = Task {
        id,
        suite: "repair".parse()?,
        source,
        platform: options.platform.clone(),
        goal,
        budget: Budget {
            wall_seconds: Some(3600),
            command_seconds: Some(1800),
            grade_seconds: Some(case.seconds.unwrap_or(3600)),
            ..Budget::default()
        },
        blocked_sources: vec![case.package.clone(), package.name().to_owned()]
            .into_iter()
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect(),
    };
    Ok((task, truth))
}

/// A name that says package and target. The same source keeps the name that it has.
fn free_id(case: &Case, corpus: &Corpus, source: &PinnedSource) -> Result<TaskId, ImportError> {
    let mut number = 1_u32;
    loop {
        let id: TaskId = format!("{}-{}-{number}", case.package, case.target)
            .replace(['+', '_', ':', '/', ' ', '~'], "-")
            .parse()?;
        let is_taken = corpus.task(&id).is_ok_and(|there| there.source != *source);
        if !is_taken {
            return Ok(id);
        }
        number += 1;
    }
}
