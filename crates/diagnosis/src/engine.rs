//! One pass over a log: finds the lines of interest, tries the rows on them, and hands what was found to the judge.

use std::{
    io::{self, Read},
    sync::LazyLock,
};

use regex::bytes::Regex;

use crate::{
    Diagnosis, Kind, Problem,
    cmake::{self, Heading},
    cure::by_nature,
    endings,
    extent::LONGEST_QUOTE,
    hints::Hints,
    judge::Judge,
    lines::{Line, Lines},
    locale,
    matcher::{Match, Matcher, compiled, usual_confidence},
    phases, prose,
    rows::{Direction, Weight},
    window::Window,
};

/// Lines after `Package requirements ... were not met` that still belong to it.
const REQUIREMENTS_REACH: u64 = 16;
/// Lines of a `configure: error:` that are read on where its first one names nothing.
const CONTINUED_LINES: usize = 6;
/// How sure a guess from a sentence is, in percent.
const GUESSED: u8 = 70;

/// Reads a log.
pub fn diagnose(log: &[u8]) -> Diagnosis {
    // Reading from memory does not fail.
    diagnose_reader(log).unwrap_or_default()
}

/// Reads a log of any size, once and in constant memory.
pub fn diagnose_reader(log: impl Read) -> io::Result<Diagnosis> {
    diagnose_window(Window::new(log))
}

/// Reads a log in parts of a size, for tests: what lies across two of them must be read as well.
#[doc(hidden)]
pub fn diagnose_in_parts(log: impl Read, size: usize) -> io::Result<Diagnosis> {
    diagnose_window(Window::of_size(log, size))
}

fn diagnose_window<R: Read>(mut window: Window<R>) -> io::Result<Diagnosis> {
    let Some(tables) = TABLES.as_ref() else {
        return Ok(Diagnosis::default());
    };
    let mut reader = Reader::default();
    loop {
        window.fill()?;
        let (mut lines, limit) = window.lines();
        while let Some(hit) = tables.matcher.next_mark(window.bytes(), lines.position()) {
            lines.seek(hit);
            if lines.position() >= limit || lines.is_amid() && !lines.leave_line() {
                break;
            }
            if lines.position() > hit {
                continue;
            }
            let Some(line) = lines.next_line() else { break };
            reader.look(tables, &line, &mut lines);
        }
        let place = window.place_after(lines, limit);
        window.advance(place);
        if window.is_ended() {
            return Ok(reader.finish(window.lines_in_all(), window.total));
        }
    }
}

struct Tables {
    matcher: Matcher,
    /// A `configure` script's or a similar tool's stop, with its own words.
    stop: Regex,
    /// `Package requirements (a >= 1 b) were not met`.
    requirements: Regex,
    /// An error of no known kind.
    other: Regex,
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
        })
    }
}

/// Of a message with more lines the one that names the subject is told.
const LONGEST_SPAN: u64 = 11;

#[derive(Default)]
struct Reader {
    hints: Hints,
    judge: Judge,
    /// pkg-config's lines up to this one explain a configure script's stop.
    requirements_until: u64,
    /// What the stop's own list names, in case no line explains it.
    requirements: Vec<Problem>,
}

impl Reader {
    /// Looks at a line of interest, and takes the lines after it that are part of its message.
    fn look(&mut self, tables: &Tables, line: &Line<'_>, lines: &mut Lines<'_>) {
        if let Some(heading) = cmake::heading(&line.text) {
            self.judge.tool("cmake");
            let after = *lines;
            let message = cmake::message(line, lines);
            if heading == Heading::Error {
                let last = lines.last_before(line);
                self.cmake_error(tables, line, &message, after, last);
            }
            return;
        }
        let more = match locale::english(&line.text) {
            Some(text) => {
                let english = Line {
                    text: text.into(),
                    ..line.clone()
                };
                self.line(tables, &english, line, *lines)
            }
            None => self.line(tables, line, line, *lines),
        };
        for _ in 0..more {
            lines.next_line();
        }
    }

    /// Looks at a line as it is meant, with the line as it was written; tells how many lines after it were part of its
    /// message.
    fn line(&mut self, tables: &Tables, line: &Line<'_>, written: &Line<'_>, after: Lines<'_>) -> u64 {
        let text: &str = &line.text;
        if text.starts_with("+ ") || text.starts_with("++ ") {
            // A shell's trace shows a command; what the command says stands in lines of its own.
            return 0;
        }
        if let Some(phase) = phases::begun_by(text) {
            self.judge.phase(phase);
        }
        if let Some(found) = tables.matcher.line(line, after) {
            let row = found.row;
            let explains = matches!(
                row.kind,
                Kind::MissingPkgConfig | Kind::ToolVersion | Kind::LibraryVersion
            );
            let weight = if explains && line.number <= self.requirements_until {
                self.requirements.clear();
                Weight::Configure
            } else if text.starts_with("configure: error:") {
                row.weight.min(Weight::Configure)
            } else {
                row.weight
            };
            self.matched(weight, &found, written, after);
            return found.more_lines;
        }
        if endings::is_success(text) {
            self.judge.success(line);
            return 0;
        }
        if self.hints.note(line.number, text) {
            return 0;
        }
        if let Some(groups) = tables.requirements.captures(text.as_bytes()) {
            let list = groups
                .get(1)
                .map(|list| String::from_utf8_lossy(list.as_bytes()).into_owned())
                .unwrap_or_default();
            self.settle_requirements(written, after);
            self.requirements_until = line.number + REQUIREMENTS_REACH;
            self.requirements = required_modules(&list)
                .map(|name| problem(Kind::MissingPkgConfig, name, line))
                .collect();
            return 0;
        }
        if text.ends_with("(ignored)") {
            self.judge.forgive(line.number);
            return 0;
        }
        let stopped_in = phases::stopped_in(text);
        if stopped_in.is_some() || endings::is_closer(text) {
            self.judge.closer(written, stopped_in);
            return 0;
        }
        if endings::is_innocent(text) {
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
                self.words(written, &continued(&words, after), after);
            } else {
                self.words(written, &words, after);
            }
        } else if tables.other.is_match(text.as_bytes()) {
            let found = problem(Kind::Other, String::new(), written);
            self.judge.take(Weight::Weak, Direction::Last, found, written, after);
        }
        0
    }

    fn cmake_error(&mut self, tables: &Tables, line: &Line<'_>, message: &str, after: Lines<'_>, last: u64) {
        let span = (line.number, last);
        let text: String = message.replace('\n', " ").chars().take(LONGEST_QUOTE).collect();
        let whole = |mut found: Problem| {
            found.span = span;
            found.text.clone_from(&text);
            found
        };
        if message.contains("required package was not found") || message.contains("required packages were not found") {
            let modules: Vec<_> = self
                .hints
                .packages_before(line.number)
                .into_iter()
                .map(|hint| hint.name.clone())
                .collect();
            if !modules.is_empty() {
                for name in modules {
                    let found = whole(problem(Kind::MissingPkgConfig, name, line));
                    self.judge.take(Weight::Configure, Direction::First, found, line, after);
                }
                return;
            }
        }
        let Some(found) = tables.matcher.message(message) else {
            // The words follow the place: `CMake Error at CMakeLists.txt:5 (message): ...`.
            let words = message.split_once("): ").map_or(message, |(_, words)| words);
            let (weight, found) = self.meaning(line, words);
            self.judge.take(weight, Direction::First, whole(found), line, after);
            return;
        };
        if found.row.kind == Kind::BrokenCompiler
            && let Some((within, inner)) = said_within(tables, after, last)
        {
            // CMake quotes what the compiler said of its own test program.
            for (kind, subject) in &inner.found {
                let told = told(&inner, *kind, subject, &within);
                self.judge
                    .take(found.row.weight, found.row.direction, told, line, after);
            }
            return;
        }
        for (kind, subject) in &found.found {
            let mut told = whole(told(&found, *kind, subject, line));
            if last - line.number > LONGEST_SPAN
                && let Some(named) = naming(subject, after, last)
            {
                told.line = named;
                told.span = (named, last.min(named + 3));
            }
            self.judge
                .take(found.row.weight, found.row.direction, told, line, after);
        }
    }

    /// A stop in a project's own words.
    fn words(&mut self, line: &Line<'_>, words: &str, after: Lines<'_>) {
        let (weight, found) = self.meaning(line, words);
        self.judge.take(weight, Direction::First, found, line, after);
    }

    /// What a stop in a project's own words is about.
    fn meaning(&self, line: &Line<'_>, words: &str) -> (Weight, Problem) {
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
        if let Some((kind, subject)) = said.or_else(|| prose::guess(words)).or_else(near).or_else(last) {
            let mut found = problem(kind, subject, line);
            found.confidence = GUESSED;
            return (Weight::Configure, found);
        }
        let mut found = problem(Kind::Other, String::new(), line);
        found.confidence = usual_confidence(Weight::Stop, Kind::Other);
        (Weight::Stop, found)
    }

    fn matched(&mut self, weight: Weight, found: &Match, line: &Line<'_>, after: Lines<'_>) {
        let mut named = after;
        let text = (1..=found.subject_line)
            .map_while(|_| named.next_line())
            .last()
            .map_or_else(|| line.text.trim().to_owned(), |line| line.text.trim().to_owned());
        // Make tells its target; the program that crashed stands in the line before.
        let program = (found.row.name == "make-crash")
            .then(|| after.before(line))
            .flatten()
            .and_then(|before| started(&before.text));
        for (kind, subject) in &found.found {
            let mut told = told(found, *kind, program.as_ref().unwrap_or(subject), line);
            if found.more_lines > 0 {
                told.line = line.number + found.subject_line;
                told.span = (line.number, line.number + found.more_lines);
                told.text.clone_from(&text);
            }
            self.judge.take(weight, found.row.direction, told, line, after);
        }
    }

    /// No line explained which of a stop's requirements failed: then each may have.
    fn settle_requirements(&mut self, line: &Line<'_>, after: Lines<'_>) {
        for found in std::mem::take(&mut self.requirements) {
            self.judge.take(Weight::Configure, Direction::First, found, line, after);
        }
    }

    fn finish(mut self, lines: u64, bytes: u64) -> Diagnosis {
        let nothing = Line {
            number: 0,
            start: 0,
            text: "".into(),
        };
        self.settle_requirements(&nothing, Lines::at(&[], 0, 1, false));
        self.judge.finish(lines, bytes)
    }
}

/// What a tool said in lines that a message quotes, up to its line `last`.
fn said_within<'log>(tables: &Tables, mut after: Lines<'log>, last: u64) -> Option<(Line<'log>, Match)> {
    while let Some(line) = after.next_line().filter(|line| line.number <= last) {
        let text = line.text.trim_start().to_owned();
        let inner = Line {
            text: text.into(),
            ..line
        };
        if let Some(found) = tables.matcher.line(&inner, after)
            && found.row.weight <= Weight::Build
            && found.more_lines == 0
            && found.found.iter().all(|(kind, _)| !kind.is_vague())
        {
            return Some((inner, found));
        }
    }
    None
}

/// The first line up to `last` that names a subject.
fn naming(subject: &str, mut after: Lines<'_>, last: u64) -> Option<u64> {
    if subject.is_empty() {
        return None;
    }
    while let Some(line) = after.next_line().filter(|line| line.number <= last) {
        if line.text.contains(subject) {
            return Some(line.number);
        }
    }
    None
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
    problem_at(
        kind,
        subject,
        line.number,
        line.text.trim().chars().take(LONGEST_QUOTE).collect(),
    )
}

/// A problem that nothing more is known of.
pub(crate) fn problem_at(kind: Kind, subject: String, line: u64, text: String) -> Problem {
    let remedies = by_nature(kind).iter().map(|cure| cure.remedy(&subject, &[])).collect();
    Problem {
        kind,
        subject,
        class: kind.class(),
        phase: crate::Phase::Unknown,
        line,
        span: (line, line),
        text,
        confidence: usual_confidence(Weight::Weak, kind),
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

/// The program of the tree that a command line starts, without the folder that is the current one.
fn started(command: &str) -> Option<String> {
    let word = command.split_whitespace().find(|word| {
        !word.contains('=') && !matches!(*word, "time" | "exec" | "env" | "valgrind" | "libtool" | "sh" | "-c")
    })?;
    let program = word.strip_prefix("./").unwrap_or(word);
    (word.contains('/') && !program.is_empty() && !word.starts_with('-')).then(|| program.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_compiles() {
        assert!(TABLES.is_some());
    }

    #[test]
    fn requirements_are_split_into_modules() {
        let modules: Vec<_> = required_modules("glib-2.0 >= 2.40 gtk+-3.0, x").collect();
        assert_eq!(modules, ["glib-2.0", "gtk+-3.0", "x"]);
    }
}
