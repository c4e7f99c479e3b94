//! What was found in a log, weighed: which problem is the root cause, what follows from it, and how the work ended.

use std::collections::{HashMap, HashSet};

use crate::{
    Class, Diagnosis, Ending, FollowOn, Kind, LogFacts, Phase, Problem, QuotedLine,
    extent::{LONGEST_QUOTE, extent, quoted},
    lines::{Line, Lines},
    rows::{Direction, Weight},
};

/// No repair installs more names than this at once; a log that repeats itself for ever must not fill the memory.
const MOST_MISSING: usize = 512;
/// Groups of errors that may follow from a cause.
const MOST_GROUPS: usize = 256;
/// Groups of them that are told.
const MOST_FOLLOW_ONS: usize = 12;
/// Tools that are named.
const MOST_TOOLS: usize = 16;

/// A problem that may be the cause.
struct Candidate {
    weight: Weight,
    direction: Direction,
    problem: Problem,
    excerpt: Vec<QuotedLine>,
    /// Whether the log itself says in which phase it was.
    has_phase: bool,
}

/// Errors of one kind about one thing.
struct Group {
    kind: Kind,
    subject: String,
    line: u64,
    text: String,
    count: u64,
    /// The second of them.
    again: Option<(u64, String)>,
}

/// Weighs problems as they come.
#[derive(Default)]
pub(crate) struct Judge {
    candidates: Vec<Candidate>,
    missing: Vec<Problem>,
    known: HashSet<(Kind, String)>,
    groups: Vec<Group>,
    group_of: HashMap<(String, String), usize>,
    tools: Vec<String>,
    phase: Phase,
    stopped_in: Option<(Phase, QuotedLine)>,
    /// Whether the packaging tool itself said in which phase it stopped.
    stop_is_sure: bool,
    closers: u64,
    closer: Option<QuotedLine>,
    success: u64,
    failure: u64,
}

impl Judge {
    /// A line begins a phase.
    pub(crate) fn phase(&mut self, phase: Phase) {
        self.phase = phase;
    }

    /// A tool says that it succeeded.
    pub(crate) fn success(&mut self, line: &Line<'_>) {
        self.success = line.number;
    }

    /// A line only says that something failed, perhaps in which phase.
    pub(crate) fn closer(&mut self, line: &Line<'_>, phase: Option<(Phase, bool)>) {
        self.failure = line.number;
        self.closers += 1;
        let quote = QuotedLine {
            line: line.number,
            text: line.text.trim().chars().take(LONGEST_QUOTE).collect(),
        };
        if let Some((phase, is_sure)) = phase
            && (self.stopped_in.is_none() || is_sure && !self.stop_is_sure)
        {
            // What failed first in the phase says more than what the packaging tool makes of it.
            if self.stopped_in.as_ref().is_none_or(|(before, _)| *before != phase) {
                self.stopped_in = Some((phase, quote.clone()));
            }
            self.stop_is_sure = is_sure;
        }
        self.closer = Some(quote);
    }

    /// A tool's output was recognised.
    pub(crate) fn tool(&mut self, name: &str) {
        if self.tools.len() < MOST_TOOLS && !self.tools.iter().any(|tool| tool == name) {
            self.tools.push(name.to_owned());
        }
    }

    /// A problem was found; `after` goes on right after its line.
    pub(crate) fn take(
        &mut self,
        weight: Weight,
        direction: Direction,
        mut problem: Problem,
        line: &Line<'_>,
        after: Lines<'_>,
    ) {
        self.failure = self.failure.max(problem.line);
        problem.phase = match (self.phase, weight) {
            (Phase::Unknown, Weight::Configure | Weight::Stop) => Phase::Configure,
            (Phase::Unknown, Weight::Build) => Phase::Build,
            (Phase::Unknown, Weight::Package) => Phase::Package,
            (Phase::Unknown, Weight::Test) => Phase::Test,
            (phase, _) => phase,
        };
        if problem.phase == Phase::Test
            && problem.kind == Kind::ForeignProgram
            && problem.text.contains("uncaught target signal")
        {
            // The emulator works; it is the test that crashed.
            problem.kind = Kind::TestCrashed;
            problem.class = Class::Test;
        }
        if problem.kind == Kind::Privileges
            && problem.subject.starts_with('/')
            && matches!(self.phase, Phase::Install | Phase::Package)
        {
            // A package's files belong into its own folder: so it is the recipe that is wrong, and not the user.
            problem.kind = Kind::Recipe;
            problem.class = Class::Packaging;
        }
        if problem.kind == Kind::Other && weight != Weight::Machine {
            problem.class = class_of(problem.phase).unwrap_or(problem.class);
        }
        self.group(&problem);
        let place = self
            .candidates
            .iter()
            .position(|held| held.weight == weight && held.problem.phase == problem.phase);
        let better = place.and_then(|place| self.candidates.get(place)).is_none_or(|held| {
            // Of a configuration's several complaints one that can be installed is worth more.
            weight == Weight::Configure && !held.problem.kind.is_missing() && !is_outside(held.problem.kind) && problem.kind.is_missing()
                // Names from one line stand in the order in which they are to be had.
                || direction == Direction::Last && held.direction == Direction::Last && held.problem.line != problem.line
                // Compiling goes on after an error, and what is missing altogether is worse than what does not fit.
                || weight == Weight::Build && held.problem.kind == Kind::CompileError && problem.kind == Kind::MissingHeader
                || weight == Weight::Build && held.problem.kind.is_vague() && !problem.kind.is_vague() && is_near(&held.problem, &problem)
        });
        if better {
            if problem.span == (problem.line, problem.line) && problem.line == line.number {
                problem.span = extent(line, after);
            }
            let candidate = Candidate {
                weight,
                direction,
                has_phase: self.phase != Phase::Unknown,
                excerpt: quoted(line, after, problem.span),
                problem: problem.clone(),
            };
            match place.and_then(|place| self.candidates.get_mut(place)) {
                Some(held) => *held = candidate,
                None => self.candidates.push(candidate),
            }
        }
        self.remember(problem);
    }

    fn remember(&mut self, problem: Problem) {
        let new = problem.kind.is_missing()
            && !problem.subject.is_empty()
            && self.missing.len() < MOST_MISSING
            && self.known.insert((problem.kind, problem.subject.clone()));
        if new {
            self.missing.push(problem);
        }
    }

    fn group(&mut self, problem: &Problem) {
        let key = (problem.signature.clone(), problem.subject.clone());
        if let Some(group) = self.group_of.get(&key).and_then(|at| self.groups.get_mut(*at)) {
            group.count += 1;
            group.again.get_or_insert_with(|| (problem.line, problem.text.clone()));
        } else if self.groups.len() < MOST_GROUPS {
            self.group_of.insert(key, self.groups.len());
            self.groups.push(Group {
                kind: problem.kind,
                subject: problem.subject.clone(),
                line: problem.line,
                text: problem.text.clone(),
                count: 1,
                again: None,
            });
        }
    }

    /// Make went on after a command that failed just before: so it stopped nothing.
    pub(crate) fn forgive(&mut self, number: u64) {
        let just_before = |found: &Problem| {
            matches!(
                found.kind,
                Kind::MissingCommand | Kind::MissingFile | Kind::MissingGenerated | Kind::NotExecutable
            ) && found.line + 2 >= number
                && found.line <= number
        };
        self.candidates.retain(|held| !just_before(&held.problem));
        if let Some(last) = self.missing.pop_if(|last| just_before(last)) {
            self.known.remove(&(last.kind, last.subject));
        }
    }

    /// All that is known at the end.
    pub(crate) fn finish(mut self, lines: u64, bytes: u64) -> Diagnosis {
        let mut facts = LogFacts {
            lines,
            bytes,
            ending: Ending::Unknown,
            closers: self.closers,
            closer: self.closer.take(),
            tools: std::mem::take(&mut self.tools),
        };
        if self.success > self.failure {
            facts.ending = Ending::Succeeded;
            return Diagnosis {
                facts,
                ..Diagnosis::default()
            };
        }
        let chosen = self.chosen();
        if chosen.is_some() || self.closers > 0 {
            facts.ending = Ending::Failed;
        }
        let (cause, excerpt) = match chosen {
            Some(mut held) => {
                held.problem.explains = self.follow_ons(&held.problem);
                (Some(held.problem), held.excerpt)
            }
            None => (None, Vec::new()),
        };
        Diagnosis {
            cause,
            missing: self.missing,
            excerpt,
            facts,
        }
    }

    /// The cause: the weightiest of the phase in which the build stopped, else the weightiest of all.
    fn chosen(&mut self) -> Option<Candidate> {
        self.candidates.sort_by_key(|held| (held.weight, held.problem.line));
        let stopped_in = self.stopped_in.clone();
        if let Some((phase, _)) = stopped_in.as_ref().filter(|_| self.stop_is_sure) {
            // A phase that was left behind was left with success.
            self.candidates
                .retain(|held| held.weight == Weight::Machine || !held.has_phase || held.problem.phase >= *phase);
        }
        let of_phase = stopped_in.as_ref().and_then(|(phase, _)| {
            self.candidates
                .iter()
                .position(|held| held.problem.phase == *phase && held.weight < Weight::Stop)
        });
        let machine = self.candidates.iter().position(|held| held.weight == Weight::Machine);
        let strong = self.candidates.iter().position(|held| held.weight < Weight::Weak);
        if let Some(place) = machine.or(of_phase).or(strong) {
            return Some(self.candidates.swap_remove(place));
        }
        // Nothing names a cause; that tests failed, or that the packaging tools gave up, is something to say.
        let kind = match stopped_in.as_ref().map(|(phase, _)| *phase) {
            Some(Phase::Test) => Kind::TestFailed,
            Some(Phase::Install | Phase::Package) => Kind::Recipe,
            _ => return (!self.candidates.is_empty()).then(|| self.candidates.swap_remove(0)),
        };
        let (phase, closer) = stopped_in?;
        let weak = (!self.candidates.is_empty()).then(|| self.candidates.swap_remove(0));
        let line = weak.as_ref().map_or(closer.line, |held| held.problem.line);
        // A file that a command of the recipe's did not find says more than that the recipe failed.
        let (kind, subject) = match &weak {
            Some(held)
                if kind == Kind::Recipe && matches!(held.problem.kind, Kind::MissingFile | Kind::MissingGenerated) =>
            {
                (Kind::MissingFile, held.problem.subject.clone())
            }
            _ => (kind, String::new()),
        };
        let (text, excerpt, span) = match weak {
            Some(held) => (held.problem.text, held.excerpt, held.problem.span),
            None => (closer.text.clone(), vec![closer], (line, line)),
        };
        let mut problem = crate::engine::problem_at(kind, subject, line, text);
        if kind == Kind::MissingFile {
            problem.class = Class::Packaging;
        }
        problem.phase = phase;
        problem.span = span;
        problem.confidence = 40;
        Some(Candidate {
            weight: Weight::Weak,
            direction: Direction::Last,
            has_phase: true,
            problem,
            excerpt,
        })
    }

    fn follow_ons(&self, cause: &Problem) -> Vec<FollowOn> {
        let mut found: Vec<_> = self
            .groups
            .iter()
            .filter_map(|group| {
                let same = group.kind == cause.kind && group.subject == cause.subject;
                // What is missing besides is no consequence.
                if group.line < cause.line || group.kind.is_missing() && !same {
                    return None;
                }
                let follow = |line, text: &String, count| FollowOn {
                    line,
                    text: text.clone(),
                    count,
                };
                if same && group.line == cause.line {
                    let (line, text) = group.again.as_ref()?;
                    return Some(follow(*line, text, group.count - 1));
                }
                Some(follow(group.line, &group.text, group.count))
            })
            .collect();
        found.sort_by_key(|follow| follow.line);
        found.truncate(MOST_FOLLOW_ONS);
        found
    }
}

/// Whether something outside of the project failed: then what could not be had for that is no cause.
fn is_outside(kind: Kind) -> bool {
    matches!(kind, Kind::Network | Kind::Certificate | Kind::Resources)
}

/// Whether one problem may be another's first sign.
fn is_near(first: &Problem, second: &Problem) -> bool {
    second.line - first.line.min(second.line) <= 8
}

/// The class of an error that only its place tells anything of.
fn class_of(phase: Phase) -> Option<Class> {
    match phase {
        Phase::Unknown => None,
        Phase::Prepare | Phase::Dependencies | Phase::Configure => Some(Class::Preparation),
        Phase::Build => Some(Class::Compilation),
        Phase::Test => Some(Class::Test),
        Phase::Install | Phase::Package => Some(Class::Packaging),
    }
}
