//! Proving a case: built on both sides, and kept only when what happened is what a case needs.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError, atomic::AtomicBool},
    time::Duration,
};

use fs_err as fs;
use seatrial_core::{
    Arch, Budget, Digest, Goal, PinnedSource, Platform, RecipeKind, RepairGoal, RepairTruth, SourceKind, Task, TaskId,
    Truth, TruthBody,
};
use seatrial_diagnosis::{Class, diagnose};
use seatrial_packaging::Package;
use seatrial_rebuild::{Outcome, RebuildError, RebuildRequest, Rebuilder, State, TimeLimits};
use seatrial_source::Fetcher;
use seatrial_store::Blobs;

use super::{CrossError, Pair};
use crate::{
    Corpus, CorpusFacts, TaskState,
    corpus::{keep, shorten},
};

/// What a miner of cases works with.
pub struct CrossFloor<'a> {
    /// Rebuilds packages on both sides.
    pub rebuilder: &'a (dyn Rebuilder + Sync),
    /// Gets source packages.
    pub fetcher: &'a Fetcher,
    /// Holds patches and logs.
    pub blobs: Blobs,
    /// Hears what happens.
    pub progress: &'a (dyn Fn(&str) + Sync),
    /// Ends it when set; what is found by then is kept.
    pub stop: Arc<AtomicBool>,
}

/// What to mine.
#[derive(Debug, Clone)]
pub struct CrossOptions {
    /// The corpus's folder; one that is there is gone on with.
    pub folder: PathBuf,
    /// The platform of the agents' boxes.
    pub platform: Platform,
    /// The state of the archive.
    pub revision: String,
    /// Decides the order of packages.
    pub seed: u64,
    /// Cases wanted in this run.
    pub limit: usize,
    /// Packages at one time.
    pub jobs: usize,
    /// Directions; all when empty.
    pub pairs: Vec<Pair>,
    /// Faults by name; all when empty.
    pub faults: Vec<String>,
    /// Cases that one package may give.
    pub per_package: usize,
    /// Packages that are tried for one fault and direction.
    pub tries: usize,
}

/// What was mined.
#[derive(Debug)]
pub struct CrossReport {
    /// The corpus, already written.
    pub corpus: Corpus,
    /// What was tried in this run, kept or not.
    pub tried: Vec<Tried>,
}

/// Something that was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// The package.
    pub package: String,
    /// The fault, or how the package was found.
    pub fault: String,
    /// The direction.
    pub pair: Pair,
    /// The task that came of it.
    pub task: Option<TaskId>,
    /// What happened.
    pub why: String,
}

impl Tried {
    fn key(package: &str, fault: &str, pair: Pair) -> String {
        format!("{package}\t{fault}\t{}\t{}", pair.works, pair.fails)
    }

    fn row(&self) -> String {
        let task = self.task.as_ref().map_or("-", TaskId::as_str);
        let why = self.why.replace(['\t', '\n'], " ");
        format!("{}\t{task}\t{why}\n", Self::key(&self.package, &self.fault, self.pair))
    }
}

/// The file of what was tried, in the corpus's folder: a run that goes on does not try it again.
const TRIED: &str = "tried.tsv";

/// So often in a row the machine may fail; then the rest would only be used up.
const FAULTS_OF_THE_MACHINE: usize = 4;

/// A corpus that grows.
pub(super) struct Growing<'a> {
    pub(super) floor: &'a CrossFloor<'a>,
    pub(super) options: &'a CrossOptions,
    state: Mutex<Grown>,
}

struct Grown {
    corpus: Corpus,
    tried: Vec<Tried>,
    before: BTreeSet<String>,
    per_package: BTreeMap<String, usize>,
    kept: usize,
    /// How often in a row the machine failed.
    unknown: usize,
}

/// A case that was proved, before it has a name.
pub(super) struct Case {
    pub(super) package: String,
    pub(super) fault: String,
    pub(super) is_planted: bool,
    pub(super) pair: Pair,
    pub(super) source: PinnedSource,
    pub(super) failed: Outcome,
    pub(super) worked: Option<Outcome>,
    pub(super) class: Class,
    pub(super) origin: String,
    pub(super) gold: Option<String>,
    /// The patch of a source that was changed.
    pub(super) change: Option<String>,
}

impl<'a> Growing<'a> {
    pub(super) fn begin(floor: &'a CrossFloor<'a>, options: &'a CrossOptions) -> Result<Self, CrossError> {
        fs::create_dir_all(&options.folder)?;
        let corpus = if options.folder.join("corpus.toml").is_file() {
            Corpus::load(&options.folder)?
        } else {
            let name = options.folder.file_name();
            let facts = CorpusFacts {
                format: 1,
                name: name.map_or_else(|| "corpus".to_owned(), |name| name.to_string_lossy().into_owned()),
                version: 1,
                about: "Packages that build on one architecture and fail on another, each built on both.".to_owned(),
                suite: "repair".parse()?,
                platform: options.platform.to_string(),
                archive_revision: options.revision.clone(),
                seed: options.seed,
                tool: env!("CARGO_PKG_VERSION").to_owned(),
                split: None,
            };
            Corpus::new(&options.folder, facts)
        };
        let mut per_package = BTreeMap::new();
        for task in corpus.all_tasks() {
            *per_package.entry(task.source.name.clone()).or_default() += 1;
        }
        let before = fs::read_to_string(options.folder.join(TRIED)).unwrap_or_default();
        let before = before
            .lines()
            .map(|line| line.split('\t').take(4).collect::<Vec<_>>().join("\t"))
            .collect();
        Ok(Self {
            floor,
            options,
            state: Mutex::new(Grown {
                corpus,
                tried: Vec::new(),
                before,
                per_package,
                kept: 0,
                unknown: 0,
            }),
        })
    }

    fn state(&self) -> std::sync::MutexGuard<'_, Grown> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there is nothing more to do.
    pub(super) fn is_done(&self) -> bool {
        if self.floor.stop.load(std::sync::atomic::Ordering::Relaxed) {
            return true;
        }
        let state = self.state();
        state.kept >= self.options.limit || state.unknown >= FAULTS_OF_THE_MACHINE
    }

    /// Whether something was tried before this run.
    pub(super) fn was_tried(&self, package: &str, fault: &str, pair: Pair) -> bool {
        self.state().before.contains(&Tried::key(package, fault, pair))
    }

    /// Whether a fault has a case in a direction already.
    pub(super) fn has(&self, fault: &str, pair: Pair) -> bool {
        let state = self.state();
        state.corpus.all_tasks().any(|task| {
            let truth = state.corpus.truth(&task.id);
            let truth = truth.ok().and_then(|truth| truth.body.repair());
            let goal = task.goal.repair();
            truth.is_some_and(|truth| truth.fault.as_deref() == Some(fault))
                && goal.is_some_and(|goal| goal.target == pair.fails && goal.works_on == Some(pair.works))
        })
    }

    /// Takes a place among the cases that a package may give; no when it has given enough.
    pub(super) fn reserve(&self, package: &str) -> bool {
        let mut state = self.state();
        let count = state.per_package.entry(package.to_owned()).or_default();
        let free = *count < self.options.per_package;
        if free {
            *count += 1;
        }
        free
    }

    /// Writes down that nothing came of something, and why. What nobody could know is tried again by another run.
    pub(super) fn drop_it(
        &self,
        package: &str,
        fault: &str,
        pair: Pair,
        (why, known): (String, bool),
    ) -> Result<(), CrossError> {
        (self.floor.progress)(&format!("{package}, {fault}, {} to {}: {why}", pair.works, pair.fails));
        let mut state = self.state();
        if let Some(count) = state.per_package.get_mut(package) {
            *count = count.saturating_sub(1);
        }
        let tried = Tried {
            package: package.to_owned(),
            fault: fault.to_owned(),
            pair,
            task: None,
            why,
        };
        if known {
            self.note(&tried)?;
        }
        state.tried.push(tried);
        Ok(())
    }

    fn note(&self, tried: &Tried) -> Result<(), CrossError> {
        use std::io::Write as _;
        let path = self.options.folder.join(TRIED);
        let mut file = fs::OpenOptions::new().create(true).append(true).open(path)?;
        Ok(file.write_all(tried.row().as_bytes())?)
    }

    /// Keeps a case and writes the corpus.
    pub(super) fn keep(&self, case: Case) -> Result<(), CrossError> {
        let (folder, blobs) = (&self.options.folder, &self.floor.blobs);
        let log = |outcome: &Outcome| -> Result<Option<Digest>, CrossError> {
            let Some(log) = outcome.log else { return Ok(None) };
            let log = shorten(&blobs.read(&log)?);
            Ok(Some(keep(folder, blobs, log.as_bytes())?))
        };
        let failed_log = log(&case.failed)?;
        let working_log = case.worked.as_ref().map(log).transpose()?.flatten();
        if let Some(change) = &case.change {
            keep(folder, blobs, change.as_bytes())?;
        }
        let mut state = self.state();
        let free = |number: &usize| -> bool {
            let id = format!("{}-{}-{number}", case.package, case.pair.fails);
            state.corpus.all_tasks().all(|task| task.id.as_str() != id)
        };
        let number = (1..=usize::MAX).find(free).unwrap_or(1);
        // The name says nothing of the fault: agents see it.
        let id: TaskId = format!("{}-{}-{number}", case.package, case.pair.fails)
            .replace(['+', '_'], "-")
            .parse()?;
        let task = Task {
            id: id.clone(),
            suite: "repair".parse()?,
            source: case.source,
            platform: self.options.platform.clone(),
            goal: Goal::Repair(RepairGoal {
                recipe: RecipeKind::Debian,
                target: case.pair.fails,
                works_on: Some(case.pair.works),
                failed_log,
                working_log,
            }),
            budget: Budget {
                wall_seconds: Some(3600),
                command_seconds: Some(1800),
                grade_seconds: Some(3600),
                ..Budget::default()
            },
            blocked_sources: vec![case.package.clone()],
        };
        let is_calibrated = case
            .gold
            .as_ref()
            .is_some_and(|gold| crate::repair::marks(gold).is_empty());
        let truth = Truth {
            task: id.clone(),
            body: TruthBody::Repair(RepairTruth {
                class: case.class.name().to_owned(),
                origin: case.origin,
                gold: case.gold,
                fault: case.is_planted.then(|| case.fault.clone()),
            }),
        };
        state.corpus.insert(task, truth);
        if is_calibrated {
            // Both sides were built with the repair and without it: that is what calibration asks for.
            state.corpus.set_state(&id, TaskState::Calibrated, "", None)?;
        }
        state.corpus.save()?;
        state.kept += 1;
        let tried = Tried {
            package: case.package,
            fault: case.fault,
            pair: case.pair,
            task: Some(id.clone()),
            why: case.failed.details.lines().next().unwrap_or_default().to_owned(),
        };
        self.note(&tried)?;
        (self.floor.progress)(&format!(
            "{id}: kept ({}, {}, case {} of {})",
            tried.fault,
            case.class.name(),
            state.kept,
            self.options.limit
        ));
        state.tried.push(tried);
        Ok(())
    }

    pub(super) fn finish(self) -> CrossReport {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        CrossReport {
            corpus: state.corpus,
            tried: state.tried,
        }
    }

    /// Rebuilds a package from clean.
    pub(super) fn build(&self, package: &Package, arch: Arch) -> Result<Outcome, CrossError> {
        let request = RebuildRequest {
            jobs: 1,
            time: TimeLimits {
                build: Duration::from_mins(10),
                ..TimeLimits::default()
            },
            stop: Some(self.floor.stop.clone()),
            ..RebuildRequest::default()
        };
        let rebuilt = self.floor.rebuilder.rebuild_opened(package, arch, &request, &mut ());
        let outcome = rebuilt.map_err(|error| match error {
            RebuildError::Packaging(error) => CrossError::Package(error),
            other => other.into(),
        })?;
        let mut state = self.state();
        state.unknown = match outcome.state {
            State::Invalid(_) => state.unknown + 1,
            _ => 0,
        };
        if state.unknown == FAULTS_OF_THE_MACHINE {
            (self.floor.progress)("the machine fails again and again; the same command goes on when that is mended");
        }
        drop(state);
        Ok(outcome)
    }

    /// The log of a rebuild, with what was said of it: an exclusion has no log.
    pub(super) fn log(&self, outcome: &Outcome) -> Result<String, CrossError> {
        let log = outcome.log.map(|log| self.floor.blobs.read(&log)).transpose()?;
        let log = log.unwrap_or_default();
        Ok(format!("{}\n{}", String::from_utf8_lossy(&log), outcome.details))
    }

    /// The class of a failure by its diagnosis, or else another.
    pub(super) fn class(&self, outcome: &Outcome, other: Class) -> Result<Class, CrossError> {
        let log = self.log(outcome)?;
        Ok(diagnose(log.as_bytes()).cause.map_or(other, |cause| cause.class))
    }
}

/// What a rebuild says of a package: nothing, that it fails, or that it builds.
pub(super) fn fails(outcome: &Outcome) -> Result<bool, (String, bool)> {
    match &outcome.state {
        State::Succeeded => Ok(false),
        State::Failed | State::Unresolvable | State::Excluded | State::Broken => Ok(true),
        State::Timeout | State::Invalid(_) => Err((format!("{}: {}", outcome.state, outcome.details), false)),
    }
}

/// A source with its packaging, as a package is repaired.
pub(super) fn with_packaging(source: &PinnedSource) -> Option<PinnedSource> {
    match &source.origin {
        SourceKind::Debian {
            package,
            version,
            directory,
            files,
            ..
        } => Some(PinnedSource {
            name: package.clone(),
            origin: SourceKind::Debian {
                package: package.clone(),
                version: version.clone(),
                directory: directory.clone(),
                files: files.clone(),
                packaging: true,
            },
            tree: None,
        }),
        _ => None,
    }
}
