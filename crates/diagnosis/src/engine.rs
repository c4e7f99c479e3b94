//! One pass over a log: finds the lines of interest, tries the rows on them, and weighs what was found.

use std::{collections::HashSet, sync::LazyLock};

use regex::bytes::Regex;

use crate::{
    Diagnosis, Kind, Problem,
    cmake::{self, Heading},
    cure::by_nature,
    hints::Hints,
    lines::{Line, Lines},
    matcher::{Match, Matcher, compiled, usual_confidence},
    prose,
    rows::{Direction, Weight},
};

/// No repair installs more names than this at once; a log that repeats itself for ever must not fill the memory.
const MOST_MISSING: usize = 512;
/// Lines after `Package requirements ... were not met` that still belong to it.
const REQUIREMENTS_REACH: u64 = 16;

/// Lines of a `configure: error:` that are read on where its first one names nothing.
const CONTINUED_LINES: usize = 6;
/// Characters of a message that are quoted.
const LONGEST_QUOTE: usize = 400;

/// Reads a log.
pub fn diagnose(log: &[u8]) -> Diagnosis {
    let Some(tables) = TABLES.as_ref() else {
        return Diagnosis::default();
    };
    let mut reader = Reader::default();
    let mut lines = Lines::new(log);
    while let Some(hit) = tables.matcher.next_mark(log, lines.position()) {
        lines.seek(hit);
        let Some(line) = lines.next_line() else { break };
        match cmake::heading(&line.text) {
            Some(heading) => {
                let message = cmake::message(&line, &mut lines);
                if heading == Heading::Error {
                    let quoted = Line {
                        number: line.number,
                        text: message
                            .replace('\n', " ")
                            .chars()
                            .take(LONGEST_QUOTE)
                            .collect::<String>()
                            .into(),
                    };
                    reader.cmake_error(tables, &quoted, &message);
                }
            }
            None => {
                for _ in 0..reader.line(tables, &line, lines) {
                    lines.next_line();
                }
            }
        }
    }
    reader.finish()
}

struct Tables {
    matcher: Matcher,
    /// A `configure` script's or a similar tool's stop, with its own words.
    stop: Regex,
    /// `Package requirements (a >= 1 b) were not met`.
    requirements: Regex,
    /// An error of no known kind.
    other: Regex,
    /// Lines that only say that something before them failed.
    closer: Regex,
}

static TABLES: LazyLock<Option<Tables>> = LazyLock::new(|| Tables::new(Matcher::new()?).ok());

impl Tables {
    fn new(matcher: Matcher) -> Result<Self, regex::Error> {
        Ok(Self {
            matcher,
            stop: compiled(
                r"^configure: error:(.*)|^\S*meson\.build:\d+(?::\d+)?: ERROR: (.+)|^(?:\S+:\d+: )?\*\*\* (.+?)\.?  Stop\.?$|^(?:\*\*)?(?:Error|ERROR|error)(?:\*\*)?: (.+)|^(The configuration failed)",
            )?,
            requirements: compiled(r"Package requirements \(([^)]*)\) were not met")?,
            other: compiled(r"^(?:\S+: )?(?i:fatal error|error)[: ]|\bERROR\b|^fatal: ")?,
            closer: compiled(
                r"\*\*\* .*Error \d+|[Ee]rrors? occurred|build stopped|ld returned \d+|linker command failed|\d+ errors? generated|Error \d+ \(ignored\)|^--|0 errors|compilation terminated|Bad exit status|subprocess-exited-with-error|recipe for target|lines? with error|error log|error\.log|-Werror",
            )?,
        })
    }
}

/// A problem that is held as the cause so far, and which of its like counts.
type Held = (Problem, Direction);

#[derive(Default)]
struct Reader {
    hints: Hints,
    missing: Vec<Problem>,
    known: HashSet<(Kind, String)>,
    machine: Option<Held>,
    configure: Option<Held>,
    build: Option<Held>,
    package: Option<Held>,
    test: Option<Held>,
    stop: Option<Held>,
    weak: Option<Held>,
    /// pkg-config's lines up to this one explain a configure script's stop.
    requirements_until: u64,
    /// What the stop's own list names, in case no line explains it.
    requirements: Vec<Problem>,
}

impl Reader {
    /// Looks at a line; tells how many lines after it were part of its message.
    fn line(&mut self, tables: &Tables, line: &Line<'_>, after: Lines<'_>) -> u64 {
        let text: &str = &line.text;
        if let Some(found) = tables.matcher.line(line, after) {
            let row = found.row;
            let explains = row.kind == Kind::MissingPkgConfig || row.kind == Kind::ToolVersion;
            let weight = if explains && line.number <= self.requirements_until {
                self.requirements.clear();
                Weight::Configure
            } else if text.starts_with("configure: error:") {
                row.weight.min(Weight::Configure)
            } else {
                row.weight
            };
            return self.matched(weight, &found, line, &after);
        }
        if self.hints.note(line.number, text) {
            return 0;
        }
        if let Some(groups) = tables.requirements.captures(text.as_bytes()) {
            let list = groups
                .get(1)
                .map(|list| String::from_utf8_lossy(list.as_bytes()).into_owned())
                .unwrap_or_default();
            self.settle_requirements();
            self.requirements_until = line.number + REQUIREMENTS_REACH;
            self.requirements = required_modules(&list)
                .map(|name| problem(Kind::MissingPkgConfig, name, line))
                .collect();
            return 0;
        }
        if text.ends_with("(ignored)") {
            self.forgive(line.number);
            return 0;
        }
        if tables.closer.is_match(text.as_bytes()) {
            return 0;
        }
        if let Some(groups) = tables.stop.captures(text.as_bytes()) {
            let words = groups
                .iter()
                .skip(1)
                .flatten()
                .next()
                .map(|group| String::from_utf8_lossy(group.as_bytes()));
            let words = words.unwrap_or_default();
            if text.starts_with("configure: error:") && prose::guess(&words).is_none() {
                self.words(line, &continued(&words, after));
            } else {
                self.words(line, &words);
            }
        } else if tables.other.is_match(text.as_bytes()) {
            self.weak = Some((problem(Kind::Other, String::new(), line), Direction::Last));
        }
        0
    }

    fn cmake_error(&mut self, tables: &Tables, line: &Line<'_>, message: &str) {
        if message.contains("required package was not found") || message.contains("required packages were not found") {
            let modules: Vec<_> = self
                .hints
                .packages_before(line.number)
                .into_iter()
                .map(|hint| (Kind::MissingPkgConfig, hint.name.clone()))
                .collect();
            if !modules.is_empty() {
                self.take(Weight::Configure, modules, line);
                return;
            }
        }
        let Some(found) = tables.matcher.message(message) else {
            // The words follow the place: `CMake Error at CMakeLists.txt:5 (message): ...`.
            let words = message.split_once("): ").map_or(message, |(_, words)| words);
            return self.words(line, words);
        };
        for (kind, subject) in &found.found {
            let told = told(&found, *kind, subject, line);
            self.take_one(found.row.weight, told, found.row.direction);
        }
    }

    /// A stop in a project's own words.
    fn words(&mut self, line: &Line<'_>, words: &str) {
        let said = self.hints.about(words).map(|hint| match hint.kind {
            Some(kind) => (kind, hint.name.clone()),
            None => prose::classified(&hint.name, words),
        });
        let near = || {
            self.hints
                .before(line.number)
                .and_then(|hint| Some((hint.kind?, hint.name.clone())))
        };
        let last = || {
            let hint = self
                .hints
                .last()
                .filter(|_| words.starts_with("The configuration failed"))?;
            Some(
                hint.kind
                    .map_or_else(|| prose::classified(&hint.name, ""), |kind| (kind, hint.name.clone())),
            )
        };
        match said.or_else(|| prose::guess(words)).or_else(near).or_else(last) {
            Some(found) => self.take(Weight::Configure, vec![found], line),
            None => self.stop_with(vec![(Kind::Other, String::new())], line),
        }
    }

    /// Make went on after a command that failed just before: so it stopped nothing.
    fn forgive(&mut self, number: u64) {
        let just_before = |found: &Problem| found.kind == Kind::MissingCommand && found.line + 2 >= number;
        if let Some((found, _)) = self.build.take_if(|(found, _)| just_before(found)) {
            self.missing.retain(|missing| *missing != found);
            self.known.remove(&(found.kind, found.subject));
        } else if let Some(last) = self.missing.pop_if(|last| just_before(last)) {
            self.known.remove(&(last.kind, last.subject));
        }
    }

    fn stop_with(&mut self, found: Vec<(Kind, String)>, line: &Line<'_>) {
        self.take(Weight::Stop, found, line);
    }

    fn matched(&mut self, weight: Weight, found: &Match, line: &Line<'_>, after: &Lines<'_>) -> u64 {
        let mut problems: Vec<_> = found
            .found
            .iter()
            .map(|(kind, subject)| told(found, *kind, subject, line))
            .collect();
        if found.more_lines > 0 {
            let mut named = *after;
            let text = (1..=found.subject_line)
                .map_while(|_| named.next_line())
                .last()
                .map_or_else(|| line.text.trim().to_owned(), |line| line.text.trim().to_owned());
            for problem in &mut problems {
                problem.line = line.number + found.subject_line;
                problem.span = (line.number, line.number + found.more_lines);
                problem.text.clone_from(&text);
            }
        }
        for problem in problems {
            self.take_one(weight, problem, found.row.direction);
        }
        found.more_lines
    }

    fn take(&mut self, weight: Weight, found: Vec<(Kind, String)>, line: &Line<'_>) {
        for (kind, subject) in found {
            let mut problem = problem(kind, subject, line);
            problem.confidence = usual_confidence(weight, kind);
            self.take_one(weight, problem, Direction::First);
        }
    }

    fn take_one(&mut self, weight: Weight, found: Problem, direction: Direction) {
        let place = match weight {
            Weight::Machine => &mut self.machine,
            Weight::Configure => &mut self.configure,
            Weight::Build => &mut self.build,
            Weight::Package => &mut self.package,
            Weight::Test => &mut self.test,
            Weight::Stop => &mut self.stop,
            Weight::Weak => &mut self.weak,
        };
        let better = match place {
            None => true,
            Some((held, held_direction)) => {
                // Of a configuration's several complaints one that can be installed is worth more.
                weight == Weight::Configure && !held.kind.is_missing() && found.kind.is_missing()
                    // Names from one line stand in the order in which they are to be had.
                    || direction == Direction::Last && *held_direction == Direction::Last && held.line != found.line
            }
        };
        if better {
            *place = Some((found.clone(), direction));
        }
        self.remember(found);
    }

    fn remember(&mut self, found: Problem) {
        let new = found.kind.is_missing()
            && !found.subject.is_empty()
            && self.missing.len() < MOST_MISSING
            && self.known.insert((found.kind, found.subject.clone()));
        if new {
            self.missing.push(found);
        }
    }

    /// No line explained which of a stop's requirements failed: then each may have.
    fn settle_requirements(&mut self) {
        for found in std::mem::take(&mut self.requirements) {
            self.configure.get_or_insert_with(|| (found.clone(), Direction::First));
            self.remember(found);
        }
    }

    fn finish(mut self) -> Diagnosis {
        self.settle_requirements();
        Diagnosis {
            cause: self
                .machine
                .or(self.configure)
                .or(self.build)
                .or(self.package)
                .or(self.test)
                .or(self.stop)
                .or(self.weak)
                .map(|(problem, _)| problem),
            missing: self.missing,
            facts: crate::LogFacts::default(),
        }
    }
}

/// A message with its next lines, up to the blank line that ends it.
fn continued(words: &str, mut after: Lines<'_>) -> String {
    let mut text = words.trim().to_owned();
    for _ in 0..CONTINUED_LINES {
        match after.next_line() {
            Some(line) if !line.text.trim().is_empty() => {
                text.push(' ');
                text.push_str(line.text.trim_matches(|c| matches!(c, '*' | '#' | ' ' | '\t')));
            }
            // The message proper may start after a blank line.
            Some(_) if text.is_empty() => {}
            _ => break,
        }
    }
    text
}

/// A problem as a row tells it.
fn told(found: &Match, kind: Kind, subject: &str, line: &Line<'_>) -> Problem {
    Problem {
        class: found.class(kind),
        confidence: found.confidence(kind),
        signature: found.row.name.to_owned(),
        remedies: found.remedies(kind, subject),
        ..problem(kind, subject.to_owned(), line)
    }
}

fn problem(kind: Kind, subject: String, line: &Line<'_>) -> Problem {
    let remedies = by_nature(kind).iter().map(|cure| cure.remedy(&subject, &[])).collect();
    Problem {
        kind,
        subject,
        class: kind.class(),
        phase: crate::Phase::Unknown,
        line: line.number,
        span: (line.number, line.number),
        text: line.text.trim().to_owned(),
        confidence: 0,
        signature: String::new(),
        file: None,
        explains: Vec::new(),
        remedies,
    }
}

/// The modules of a list such as `glib-2.0 >= 2.40 gtk+-3.0`.
fn required_modules(list: &str) -> impl Iterator<Item = String> {
    let mut bound = false;
    list.split(|c: char| c.is_whitespace() || c == ',')
        .filter(|word| !word.is_empty())
        .filter_map(move |word| {
            if word.starts_with(['<', '>', '=', '!']) {
                bound = true;
                return None;
            }
            // The word after a comparison is a version.
            (!std::mem::take(&mut bound)).then(|| word.to_owned())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert!(TABLES.is_some());
    }

    #[test]
    fn requirements_are_split_into_modules() {
        let modules: Vec<_> = required_modules("glib-2.0 >= 2.40 gtk+-3.0, x").collect();
        assert_eq!(modules, ["glib-2.0", "gtk+-3.0", "x"]);
    }
}
