//! One plan with its rounds of run, diagnosis and repair.

use std::{cmp::Ordering, collections::BTreeSet, time::Duration};

use seatrial_core::{Purpose, Step};
use seatrial_diagnosis::{Diagnosis, Kind, Problem, diagnose};
use seatrial_packages::{Key, Resolver};
use seatrial_sandbox::Sandbox;
use seatrial_store::Blobs;

use super::{beside, ground::Ground, is_late, runner, symbols, watch};
use crate::{
    Artifact, ArtifactKind, AttemptSummary, BuildRequest, BuilderError, Plan, Watcher, artifacts,
    declared::{Declared, Hint, declared},
    pattern::Pattern,
    plan::Settings,
    repair::{Bars, Missing, Rank, Repair, Situation, keys, other_keys, problems, repairs},
    tree::Tree,
};

/// Rounds of one plan.
const ROUNDS: u32 = 18;

/// What every attempt works with.
pub(super) struct Shop<'a, 'b> {
    pub(super) request: &'a BuildRequest<'b>,
    pub(super) sandbox: &'a mut dyn Sandbox,
    pub(super) resolver: &'a dyn Resolver,
    pub(super) blobs: &'a Blobs,
    pub(super) watcher: &'a mut dyn Watcher,
    pub(super) tree: &'a Tree,
    pub(super) ground: Ground,
    pub(super) bars: &'a Bars,
    /// Whether failing calls of compilers and the like are noted.
    pub(super) watches: bool,
}

/// What one run of a plan's steps came to.
#[derive(Debug, Clone)]
pub(super) struct Trial {
    pub(super) settings: Settings,
    pub(super) packages: Vec<String>,
    /// The steps as a recipe has them.
    pub(super) steps: Vec<Step>,
    /// Whether every step but installing exited with 0.
    pub(super) clean: bool,
    /// How far it came: larger is later.
    pub(super) reached: u8,
    /// How many questions the configure step had answered when it failed.
    pub(super) checks: usize,
    pub(super) artifacts: Vec<Artifact>,
    pub(super) worth: f64,
    pub(super) wall: Duration,
    /// The phase and the log of the step that failed; of the build when none did.
    pub(super) phase: Purpose,
    pub(super) log: Vec<u8>,
    /// What ended it, when that was a limit.
    pub(super) limit: Option<String>,
    /// Different complaints in it: fewer is further, where nothing else tells.
    pub(super) errors: usize,
    /// Failing calls and downloads of the build, when they were noted.
    pub(super) calls: Vec<watch::Call>,
    /// What the configure step said, when it got through.
    pub(super) configured: Vec<u8>,
    pub(super) problem: Option<Problem>,
    pub(super) stopped_by: Option<String>,
}

impl Trial {
    /// For comparing plans: what was made, and a little for a build without failures.
    pub(super) fn score(&self) -> f64 {
        if self.clean { self.worth * 1.1 } else { self.worth }
    }

    /// Whether it made what a project is for: programs, shared libraries, or at least an archive.
    pub(super) fn is_product(&self) -> bool {
        [
            ArtifactKind::Executable,
            ArtifactKind::SharedObject,
            ArtifactKind::Archive,
        ]
        .into_iter()
        .any(|kind| artifacts::has(&self.artifacts, kind))
    }

    /// Compares how far two runs came, and what they made.
    fn ahead_of(&self, other: &Self) -> Ordering {
        // A build that makes nothing came less far than one that fails over what it makes, whatever it says.
        let place = |trial: &Self| {
            if trial.clean && !trial.is_product() {
                (false, reached(Purpose::Configure), 0)
            } else {
                (trial.clean, trial.reached, trial.checks)
            }
        };
        place(self)
            .cmp(&place(other))
            .then_with(|| self.worth.total_cmp(&other.worth))
    }

    /// Where nothing else tells, fewer different complaints are better.
    fn is_better_than(&self, other: &Self) -> bool {
        match self.ahead_of(other) {
            Ordering::Greater => true,
            Ordering::Equal => self.errors < other.errors,
            Ordering::Less => false,
        }
    }

    /// More complaints are not worse: what is met later may come with more words.
    fn is_worse_than(&self, other: &Self) -> bool {
        self.ahead_of(other) == Ordering::Less
    }
}

impl Shop<'_, '_> {
    /// Whether less time than this is left.
    pub(super) fn is_late(&self, need: Duration) -> bool {
        is_late(self.request.deadline, need)
    }

    /// Runs a plan's steps once, from the pinned source with these packages.
    pub(super) fn run(
        &mut self,
        steps: &[Step],
        settings: &Settings,
        packages: &mut Vec<String>,
        missing: &mut Missing,
    ) -> Result<Trial, BuilderError> {
        let resumed = self
            .ground
            .resume(steps, packages, self.sandbox)?
            .map(|(done, stage)| (done, stage.configured.clone(), stage.wall));
        if resumed.is_none() {
            self.ground
                .prepare(packages, missing, self.request, self.sandbox, self.blobs, self.watcher)?;
        }
        self.ground.soil();
        let mut trial = Trial {
            settings: settings.clone(),
            packages: packages.clone(),
            steps: steps.to_vec(),
            clean: true,
            reached: u8::MAX,
            checks: 0,
            artifacts: Vec::new(),
            worth: 0.0,
            wall: Duration::ZERO,
            phase: Purpose::Build,
            log: Vec::new(),
            limit: None,
            errors: 0,
            calls: Vec::new(),
            configured: Vec::new(),
            problem: None,
            stopped_by: None,
        };
        if self.watches {
            watch::lay(self.sandbox)?;
        }
        let mut done = 0;
        if let Some((steps, configured, wall)) = resumed {
            (done, trial.configured, trial.wall) = (steps, configured, wall);
        }
        for (number, step) in steps.iter().enumerate().skip(done) {
            // Configuring is what a later run with another build step need not do again.
            let configured = number > done
                && step.purpose == Purpose::Build
                && steps
                    .get(number - 1)
                    .is_some_and(|before| before.purpose == Purpose::Configure);
            if configured {
                let before = steps.get(..number).unwrap_or_default();
                self.ground.stage(before, &trial.configured, trial.wall, self.sandbox)?;
            }
            // The compilers' wrappers of a recipe are laid under them, and so call them.
            let watched = self.watches && matches!(step.purpose, Purpose::Prepare | Purpose::Build);
            let first = if watched { watch::PATH } else { "" };
            let ran = runner::run_after(first, step, self.request, self.sandbox, self.blobs, self.watcher)?;
            if watched && step.purpose == Purpose::Build {
                trial.calls = watch::calls(self.sandbox)?;
            }
            trial.wall += ran.wall;
            if ran.ok {
                match step.purpose {
                    Purpose::Build => trial.log = ran.log,
                    Purpose::Configure => trial.configured = ran.log,
                    Purpose::Dependencies | Purpose::Prepare | Purpose::Install => {}
                }
                continue;
            }
            if step.purpose == Purpose::Install || step.keep_going {
                // Installing is a bonus; the step stays in the recipe, where its failure is tolerated too.
                continue;
            }
            trial.clean = false;
            trial.reached = reached(step.purpose);
            trial.phase = step.purpose;
            trial.limit = ran.stopped;
            if step.purpose == Purpose::Configure {
                trial.checks = checks(&ran.log);
            }
            trial.errors = complaints(&ran.log);
            trial.log = ran.log;
            if step.purpose == Purpose::Build
                && let Some(step) = trial.steps.get_mut(number)
            {
                step.keep_going = true;
            }
            break;
        }
        let changes = self.sandbox.changes(&self.ground.snapshot())?;
        trial.artifacts = artifacts::artifacts(&changes);
        trial.worth = artifacts::worth(&trial.artifacts);
        Ok(trial)
    }
}

/// Tries a plan until it is clean or nothing more is known; hands back the best run that made something.
pub(super) fn attempt(shop: &mut Shop<'_, '_>, plan: &Plan) -> Result<(Option<Trial>, AttemptSummary), BuilderError> {
    let mut state = State::new(shop, plan);
    let mut best: Option<Trial> = None;
    let mut calls: Vec<watch::Call> = Vec::new();
    let mut rounds = 0;
    while rounds < ROUNDS && !shop.is_late(Duration::from_secs(3)) {
        rounds += 1;
        let steps = plan.steps_with(&state.settings);
        let mut trial = shop.run(&steps, &state.settings, &mut state.packages, &mut state.missing)?;
        let mut diagnosis = examine(&mut trial);
        if !trial.clean && trial.phase == Purpose::Configure {
            beside::add(shop, &steps, &mut diagnosis)?;
        }
        let done = trial.clean && trial.is_product();
        if !trial.calls.is_empty() {
            calls = std::mem::take(&mut trial.calls);
        }
        // From the second round on: a build that works at once is not slowed down.
        shop.watches = !done && trial.phase == Purpose::Build;
        let useless = best.as_ref().is_some_and(|best| {
            trial.is_worse_than(best)
                || !trial.is_better_than(best) && state.is_guess && trial.settings != best.settings
        });
        if useless && !done {
            // What was changed did no good: its settings are dropped. Packages stay, since dropping them could hide why.
            if let Some(best) = &best
                && state.settings != best.settings
            {
                shop.watcher
                    .decision("take the last change back", "no more was built with it");
                state.repairs.pop();
                state.settings = best.settings.clone();
                // What is still wrong is what was wrong before.
                trial = best.clone();
                diagnosis = diagnose(&trial.log);
            }
        } else {
            best = Some(trial.clone());
        }
        if done || trial.limit.is_some() {
            break;
        }
        let text = String::from_utf8_lossy(&trial.log).into_owned();
        let libraries = if trial.phase == Purpose::Build {
            symbols::libraries(shop, &text)?
        } else {
            Vec::new()
        };
        let include_folders = symbols::include_folders(shop, &diagnosis, &state.packages)?;
        let situation = Situation {
            system: plan.system,
            phase: trial.phase,
            log: &text,
            diagnosis: &diagnosis,
            settings: &trial.settings,
            tree: shop.tree,
            folder: &plan.root.folder,
            bars: shop.bars,
            libraries: &libraries,
            include_folders: &include_folders,
        };
        if !state.repair(shop, &situation, &trial) {
            break;
        }
    }
    shop.watches = false;
    let failing = calls.iter().find(|call| call.code != 0 && !call.fetches());
    let summary = AttemptSummary {
        failing_command: failing.map(watch::Call::words),
        downloads: calls
            .iter()
            .filter(|call| call.fetches())
            .map(watch::Call::words)
            .take(8)
            .collect(),
        plan: plan.title(),
        system: plan.system,
        rounds,
        clean: best.as_ref().is_some_and(|best| best.clean),
        linked: best.as_ref().map_or(0, |best| artifacts::linked(&best.artifacts).len()),
        repairs: state.repairs,
        stopped_by: best.as_ref().and_then(|best| best.stopped_by.clone()),
        problem: best.as_ref().and_then(|best| best.problem.clone()),
    };
    Ok((best, summary))
}

static UNKNOWN_GOAL: Pattern = Pattern::new(r"(?m)^make: \*\*\* No rule to make target [^\s]+\.(?:\s+Stop\.)?\s*$");

/// Different complaints in a log: lines that call something an error, each counted once without its numbers.
fn complaints(log: &[u8]) -> usize {
    let text = String::from_utf8_lossy(log);
    // A make that knows no such goal looked at nothing: its silence is not progress, and must not hide what was wrong.
    if UNKNOWN_GOAL.is_match(&text) {
        return usize::MAX;
    }
    let keys: BTreeSet<String> = text
        .lines()
        .filter(|line| line.contains("error") || line.contains("undefined reference") || line.contains("Error"))
        .filter(|line| !line.starts_with("make"))
        .take(20_000)
        .map(|line| line.chars().filter(|c| !c.is_ascii_digit()).take(160).collect())
        .collect();
    keys.len()
}

/// Lines of a configure log that answer a question.
fn checks(log: &[u8]) -> usize {
    log.split(|byte| *byte == b'\n')
        .filter(|line| line.starts_with(b"checking ") || line.starts_with(b"-- ") || line.ends_with(b"YES"))
        .count()
}

/// The order of the phases.
fn reached(purpose: Purpose) -> u8 {
    match purpose {
        Purpose::Dependencies => 0,
        Purpose::Prepare => 1,
        Purpose::Configure => 2,
        Purpose::Build => 3,
        Purpose::Install => 4,
    }
}

/// Reads the log of the step that counts, and notes what stopped the run.
fn examine(trial: &mut Trial) -> Diagnosis {
    let diagnosis = diagnose(&trial.log);
    if trial.clean {
        if !trial.is_product() {
            trial.stopped_by = Some("every step exited with 0, but no program or library was made".to_owned());
        }
        return diagnosis;
    }
    let words = trial.phase.as_str();
    trial.problem.clone_from(&diagnosis.cause);
    trial.stopped_by = Some(match (&trial.limit, &diagnosis.cause) {
        (Some(limit), _) => format!("{words}: {limit}"),
        (None, Some(cause)) => format!("{words}: {}", cause.text.trim()),
        (None, None) => format!("{words}: {}", last_line(&trial.log)),
    });
    diagnosis
}

/// The last line that says something.
fn last_line(log: &[u8]) -> String {
    let text = String::from_utf8_lossy(log.get(log.len().saturating_sub(4096)..).unwrap_or(log)).into_owned();
    let says = |line: &&str| !line.trim().is_empty();
    let error = text
        .lines()
        .rfind(|line| line.to_ascii_lowercase().contains("error") && !line.starts_with("make"));
    error
        .or_else(|| text.lines().rfind(says))
        .unwrap_or("it failed without a word")
        .trim()
        .chars()
        .take(300)
        .collect()
}

/// What an attempt has changed so far.
struct State {
    settings: Settings,
    packages: Vec<String>,
    missing: Missing,
    declared: Declared,
    tried: BTreeSet<String>,
    /// Settings that were tried with the packages as they are now.
    seen: Vec<Settings>,
    repairs: Vec<String>,
    /// Whether the last change was a guess, which is kept only where it helps.
    is_guess: bool,
}

impl State {
    /// Starts with what the project declares to be needed.
    fn new(shop: &mut Shop<'_, '_>, plan: &Plan) -> Self {
        let declared = declared(shop.tree, plan);
        let missing = Missing::default();
        let mut packages = packages_for(&declared.required, &missing, shop.resolver);
        packages.extend(declared.packages.iter().cloned());
        if !packages.is_empty() {
            let names: Vec<String> = declared.required.iter().map(ToString::to_string).collect();
            shop.watcher.decision(
                &format!("install {}", packages.join(" ")),
                &format!("the project declares that it needs {}", names.join(", ")),
            );
        }
        Self {
            settings: plan.settings.clone(),
            packages,
            missing,
            declared,
            tried: BTreeSet::new(),
            seen: Vec::new(),
            repairs: Vec::new(),
            is_guess: false,
        }
    }

    /// Changes something that the log calls for. False when nothing is left to try.
    fn repair(&mut self, shop: &mut Shop<'_, '_>, situation: &Situation<'_>, trial: &Trial) -> bool {
        let (diagnosis, text) = (situation.diagnosis, situation.log);
        let mut found = repairs(situation);
        found.retain(|repair| !self.tried.contains(&repair.id) && !self.seen.contains(&repair.settings.effect()));
        if let Some(at) = found.iter().position(|repair| repair.rank == Rank::First) {
            self.apply(shop, found.swap_remove(at));
            return true;
        }
        let mut changed = self.install(shop, &missing_keys(diagnosis, shop.tree));
        while let Some(at) = found.iter().position(|repair| repair.rank == Rank::Beside) {
            let repair = found.swap_remove(at);
            self.apply_beside(shop, &repair, situation);
            changed = true;
        }
        if changed {
            return true;
        }
        if trial.phase == Purpose::Configure && self.install(shop, &last_checks(text)) {
            return true;
        }
        found.sort_by_key(|repair| repair.rank);
        if let Some(at) = found.iter().position(|repair| repair.rank == Rank::After) {
            self.apply(shop, found.remove(at));
            return true;
        }
        if trial.phase == Purpose::Configure && self.tried.insert("optional packages".to_owned()) {
            let keys: Vec<Vec<Key>> = wishes(&self.declared).into_iter().map(|key| vec![key]).collect();
            if self.install(shop, &keys) {
                return true;
            }
        }
        if trial.worth < 0.25 && self.tried.insert("mentioned packages".to_owned()) && self.install_mentioned(shop) {
            return true;
        }
        // A guess is only worth a run where nothing at all was made.
        if trial.worth < 0.25
            && let Some(at) = found.iter().position(|repair| repair.rank == Rank::Guess)
        {
            self.apply(shop, found.remove(at));
            return true;
        }
        false
    }

    /// Installs what the repository mentions somewhere: the last resort where an error names nothing.
    fn install_mentioned(&mut self, shop: &mut Shop<'_, '_>) -> bool {
        let mut new = Vec::new();
        for hint in &self.declared.hints {
            let package = match hint {
                Hint::Package(name) => Some(name.clone()),
                Hint::Name(key) => self.missing.best(key, shop.resolver),
            };
            if let Some(package) = package.filter(|name| !self.packages.contains(name) && !new.contains(name)) {
                new.push(package);
            }
        }
        if new.is_empty() {
            return false;
        }
        let what = format!("install {}", new.join(" "));
        shop.watcher.decision(
            &what,
            "the repository mentions them, and no error names what is missing",
        );
        self.repairs.push(what);
        self.is_guess = false;
        self.packages.extend(new);
        true
    }

    fn apply(&mut self, shop: &mut Shop<'_, '_>, repair: Repair) {
        shop.watcher.decision(&repair.what, &repair.why);
        self.is_guess = matches!(repair.rank, Rank::After | Rank::Guess);
        self.tried.insert(repair.id);
        self.repairs.push(repair.what);
        self.settings = repair.settings;
        self.seen.push(self.settings.effect());
        if let Some(compiler) = self.settings.compiler
            && let Some(package) = self.missing.best(&Key::Command(compiler.to_owned()), shop.resolver)
            && !self.packages.contains(&package)
        {
            self.packages.push(package);
        }
    }

    /// Applies a repair on top of what was changed in the same round.
    fn apply_beside(&mut self, shop: &mut Shop<'_, '_>, repair: &Repair, situation: &Situation<'_>) {
        let now = Situation {
            settings: &self.settings,
            ..*situation
        };
        let again = repairs(&now).into_iter().find(|other| other.id == repair.id);
        self.tried.insert(repair.id.clone());
        if let Some(again) = again {
            self.apply(shop, again);
        }
    }

    /// Takes the next candidate for each missing name. False when there is none.
    fn install(&mut self, shop: &mut Shop<'_, '_>, wanted: &[Vec<Key>]) -> bool {
        let mut new = Vec::new();
        let mut reasons = Vec::new();
        for keys in wanted {
            // A package whose name is still missing was the wrong one for it.
            let wrong = self.missing.wrong(keys);
            self.packages.retain(|package| !wrong.contains(package));
            // One answer in this round may cure several names.
            if let Some((package, reason)) = self.missing.next(keys, shop.resolver, &self.packages)
                && !new.contains(&package)
            {
                new.push(package);
                reasons.push(reason);
            }
        }
        if new.is_empty() {
            return false;
        }
        let what = format!("install {}", new.join(" "));
        self.is_guess = false;
        shop.watcher.decision(&what, &reasons.join("; "));
        self.repairs.push(what);
        self.packages.extend(new);
        self.seen.clear();
        true
    }
}

/// Packages for declared needs, each once, in order.
pub(super) fn packages_for(needs: &[Key], missing: &Missing, resolver: &dyn Resolver) -> Vec<String> {
    let mut packages = Vec::new();
    for key in needs {
        if let Some(package) = missing.best(key, resolver)
            && !packages.contains(&package)
        {
            packages.push(package);
        }
    }
    packages
}

/// What a project would like to have, without programs: those make documents, as a rule.
pub(super) fn wishes(declared: &Declared) -> Vec<Key> {
    declared
        .optional
        .iter()
        .filter(|key| !matches!(key, Key::Command(_)))
        .cloned()
        .collect()
}

pub(super) fn missing_keys(diagnosis: &Diagnosis, tree: &Tree) -> Vec<Vec<Key>> {
    problems(diagnosis)
        .into_iter()
        .filter(|problem| problem.kind != Kind::StaleAutotools)
        .map(|problem| {
            let mut all = keys(problem, tree);
            all.extend(
                other_keys(problem)
                    .into_iter()
                    .filter(|key| !all.contains(key))
                    .collect::<Vec<_>>(),
            );
            all
        })
        .filter(|keys| !keys.is_empty())
        .collect()
}

static LIBRARY_FILE: Pattern = Pattern::new(r"(?:^|/)lib([A-Za-z0-9_+-]+)\.(?:a|so)$");
static CHECK: Pattern = Pattern::new(
    r"(?m)^checking (?:for|if|whether) (?:lib)?([A-Za-z0-9_.+/-]+)(?:\(\))?(?: in -l([A-Za-z0-9_+-]+)| [^\n.]*)?\.\.\.[^\n]*\bno(?:t found)?\s*$",
);

const WORDS: &[&str] = &[
    "a",
    "an",
    "the",
    "to",
    "we",
    "it",
    "this",
    "that",
    "gcc",
    "g++",
    "cc",
    "c",
    "c++",
    "compiler",
    "linker",
    "ld",
    "make",
    "stripping",
    "libtool",
    "shared",
    "static",
    "build",
    "host",
    "target",
    "working",
    "large",
    "size",
    "maintainer-specific",
];

/// The last things that a configure script looked for and did not find, before it gave up.
fn last_checks(log: &str) -> Vec<Vec<Key>> {
    let end: Vec<&str> = log.lines().collect();
    let tail = end.get(end.len().saturating_sub(25)..).unwrap_or_default().join("\n");
    let Some(groups) = CHECK.groups(&tail).into_iter().next_back() else {
        return Vec::new();
    };
    let [name, library] = groups.as_slice() else {
        return Vec::new();
    };
    if !library.is_empty() {
        return vec![vec![
            Key::Library((*library).to_owned()),
            Key::PkgConfig((*library).to_owned()),
        ]];
    }
    if let Some(library) = LIBRARY_FILE.first(name) {
        return vec![vec![Key::Library(library.to_owned())]];
    }
    if std::path::Path::new(name).extension().is_some_and(|end| end == "h") {
        return vec![vec![Key::Header((*name).to_owned())]];
    }
    let lower = name.to_ascii_lowercase();
    // Words of a question such as "whether to build shared libraries".
    if WORDS.contains(&lower.as_str()) {
        return Vec::new();
    }
    vec![vec![
        Key::Command((*name).to_owned()),
        Key::PkgConfig(lower.clone()),
        Key::Library(lower.clone()),
        Key::Header(format!("{lower}.h")),
    ]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_that_make_does_not_know_is_no_progress() {
        let missing =
            complaints(b"m.c:1:10: fatal error: a.h: No such file or directory\nmake: *** [Makefile:2: m] Error 1\n");
        assert_eq!(missing, 1);
        for log in [
            "make: *** No rule to make target 'all'.  Stop.\n",
            "make: *** No rule to make target 'all'.\n",
            "cc -c a.c\nmake: *** No rule to make target `linux'.  Stop.",
        ] {
            assert!(complaints(log.as_bytes()) > missing, "{log}");
        }
        // A file that a rule needs is another matter.
        let needed = "make: *** No rule to make target 'a.h', needed by 'a.o'.  Stop.\n";
        assert_eq!(complaints(needed.as_bytes()), 0);
    }

    #[test]
    fn the_last_failed_check_is_looked_up() {
        assert!(UNKNOWN_GOAL.compiles() && CHECK.compiles() && LIBRARY_FILE.compiles());
        let names = |log: &str| -> Vec<String> {
            last_checks(log)
                .into_iter()
                .flatten()
                .map(|key| key.to_string())
                .collect()
        };
        assert_eq!(
            names("checking for gcc... gcc\nchecking for png_read in -lpng... no\nconfigure: error: sorry"),
            ["library `png`", "pkg-config module `png`"]
        );
        assert_eq!(
            names("checking for foo/bar.h... no\nconfigure: error: sorry"),
            ["header `foo/bar.h`"]
        );
        assert!(names("checking whether to build shared libraries... no\nconfigure: error: sorry").is_empty());
        assert!(names("checking for gcc... gcc\nconfigure: error: sorry").is_empty());
    }
}
