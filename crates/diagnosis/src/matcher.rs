//! The rows' patterns, compiled when first needed, behind one search for all of their marks.

use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::{
    ParserBuilder,
    hir::{Hir, HirKind},
};

use crate::{
    Class, Kind, Remedy,
    cure::by_nature,
    endings,
    lines::{Line, Lines},
    locale,
    names::subjects,
    phases,
    rows::{self, Cures, Row, Scope, Subject, Weight},
};

/// Marks of what the engine itself knows: status lines, stops in a project's own words, lists, and what they stop with.
const OWN_MARKS: &[&str] = &[
    "rror: ",
    "rror:\n",
    "ERROR",
    "rror at ",
    "CMake Error",
    "NOT find ",
    "CMake Warning",
    "CMake Deprecation",
    "not found",
    "NOT found",
    "No package",
    "found: NO",
    "\" : NO",
    "... no",
    ": no\n",
    "*** ",
    "were not met",
    "onfiguration failed",
    "(ignored)",
    "fatal: ",
    "Error in ",
    "\x1b",
];
/// Shorter pieces of a pattern are no marks: they stand everywhere.
const SHORTEST_MARK: usize = 4;
/// Bytes of a mark that are enough to find it.
const SCANNED_MARK: usize = 10;
/// Lines that every build writes.
const ORDINARY: &str = include_str!("ordinary.txt");
/// Groups of a pattern that are kept.
const MOST_GROUPS: usize = 9;

/// A row that fits, with what it says.
#[derive(Debug)]
pub(crate) struct Match {
    pub(crate) row: &'static Row,
    /// Kinds and subjects, at least one.
    pub(crate) found: Vec<(Kind, String)>,
    /// What the pattern's groups captured, those that took part.
    pub(crate) groups: Vec<String>,
    /// Lines of the message after its first.
    pub(crate) more_lines: u64,
    /// How many lines after the first the subject stands.
    pub(crate) subject_line: u64,
}

impl Match {
    /// The class of the problem.
    pub(crate) fn class(&self, kind: Kind) -> Class {
        self.row.class.unwrap_or_else(|| kind.class())
    }

    /// How sure it is.
    pub(crate) fn confidence(&self, kind: Kind) -> u8 {
        if self.row.confidence > 0 {
            self.row.confidence
        } else {
            usual_confidence(self.row.weight, kind)
        }
    }

    /// What may cure it.
    pub(crate) fn remedies(&self, kind: Kind, subject: &str) -> Vec<Remedy> {
        let cures = match self.row.cures {
            Cures::OfKind => by_nature(kind),
            Cures::These(cures) => cures,
            Cures::By(cures) => return cures(kind, subject, &self.groups),
        };
        cures.iter().map(|cure| cure.remedy(subject, &self.groups)).collect()
    }
}

/// How sure a problem is that nothing more is known of.
pub(crate) fn usual_confidence(weight: Weight, kind: Kind) -> u8 {
    match weight {
        Weight::Machine => 95,
        Weight::Configure => 90,
        Weight::Build
            if matches!(
                kind,
                Kind::CompileError | Kind::LinkError | Kind::BuildFile | Kind::Other
            ) =>
        {
            60
        }
        Weight::Build | Weight::Package => 85,
        Weight::Test => 75,
        Weight::Stop => 50,
        Weight::Weak => 30,
    }
}

/// One row with its patterns.
struct Entry {
    row: &'static Row,
    patterns: OnceLock<Option<(Regex, Option<Regex>)>>,
}

impl Entry {
    fn patterns(&self) -> Option<&(Regex, Option<Regex>)> {
        self.patterns
            .get_or_init(|| {
                let unless = if self.row.unless.is_empty() {
                    None
                } else {
                    Some(compiled(self.row.unless).ok()?)
                };
                Some((compiled(self.row.pattern).ok()?, unless))
            })
            .as_ref()
    }

    /// Tries the row on a text.
    fn fits(&self, text: &str) -> Option<Match> {
        let (pattern, unless) = self.patterns()?;
        let bytes = text.as_bytes();
        let groups = pattern.captures(bytes)?;
        if unless.as_ref().is_some_and(|unless| unless.is_match(bytes)) {
            return None;
        }
        let line_of = |at: usize| memchr::memchr_iter(b'\n', bytes.get(..at).unwrap_or_default()).count() as u64;
        let mut subject_line = None;
        let mut captured = Vec::new();
        for group in groups.iter().skip(1).flatten().take(MOST_GROUPS) {
            subject_line.get_or_insert_with(|| line_of(group.start()));
            captured.push(String::from_utf8_lossy(group.as_bytes()).into_owned());
        }
        let first = captured.first().map_or("", String::as_str);
        let second = captured.get(1).map_or("", String::as_str);
        let found = match self.row.subject {
            Subject::By(derive) => derive(&captured),
            form => subjects(self.row.kind, form, first, second),
        };
        if found.is_empty() {
            return None;
        }
        let (first_line, last_line) = groups
            .get(0)
            .map_or((0, 0), |whole| (line_of(whole.start()), line_of(whole.end())));
        Some(Match {
            row: self.row,
            found,
            more_lines: last_line,
            subject_line: subject_line.unwrap_or(first_line),
            groups: captured,
        })
    }
}

/// All rows and the search for their marks.
pub(crate) struct Matcher {
    /// Finds lines of interest: starts of the marks that do not stand in ordinary lines.
    scan: AhoCorasick,
    /// Finds all marks of a line of interest.
    marks: AhoCorasick,
    /// The rows of each mark.
    rows_of: Vec<Vec<u16>>,
    entries: Vec<Entry>,
    /// Rows for whole messages of CMake's.
    messages: Vec<u16>,
}

impl Matcher {
    /// Compiles the search; none when a row has no marks or the marks cannot be searched for.
    pub(crate) fn new() -> Option<Self> {
        let mut texts: Vec<String> = OWN_MARKS
            .iter()
            .chain(phases::MARKS)
            .chain(endings::MARKS)
            .copied()
            .chain(locale::marks())
            .map(str::to_owned)
            .collect();
        let mut rows_of: Vec<Vec<u16>> = vec![Vec::new(); texts.len()];
        let mut messages = Vec::new();
        let mut entries = Vec::new();
        for (number, row) in rows::all().enumerate() {
            let number = u16::try_from(number).ok()?;
            entries.push(Entry {
                row,
                patterns: OnceLock::new(),
            });
            if row.scope == Scope::CMake {
                messages.push(number);
                continue;
            }
            for mark in marks_of(row)? {
                let place = texts.iter().position(|text| *text == mark).unwrap_or_else(|| {
                    texts.push(mark);
                    rows_of.push(Vec::new());
                    texts.len() - 1
                });
                if let Some(rows) = rows_of.get_mut(place) {
                    rows.push(number);
                }
            }
        }
        let marks = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .match_kind(MatchKind::Standard)
            .build(&texts)
            .ok()?;
        let scan = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::DFA))
            .match_kind(MatchKind::Standard)
            .build(
                texts
                    .iter()
                    .filter(|text| !is_ordinary(text))
                    .map(|text| start_of(text)),
            )
            .ok()?;
        Some(Self {
            scan,
            marks,
            rows_of,
            entries,
            messages,
        })
    }

    /// Where the next mark starts, from a position on.
    pub(crate) fn next_mark(&self, log: &[u8], from: usize) -> Option<usize> {
        let rest = log.get(from..)?;
        self.scan.find(rest).map(|hit| from + hit.start())
    }

    /// The first row that fits a line, with the lines after it where the row wants them.
    pub(crate) fn line(&self, line: &Line<'_>, after: Lines<'_>) -> Option<Match> {
        let mut rows: Vec<u16> = Vec::new();
        for hit in self.marks.find_overlapping_iter(line.text.as_bytes()) {
            rows.extend(self.rows_of.get(hit.pattern().as_usize())?);
        }
        rows.sort_unstable();
        rows.dedup();
        rows.into_iter()
            .filter_map(|number| self.entries.get(usize::from(number)))
            .find_map(|entry| match entry.row.scope {
                Scope::Lines(count) => entry.fits(&joined(line, after, count)),
                Scope::Line | Scope::CMake => entry.fits(&line.text),
            })
    }

    /// The first row that fits a whole message of CMake's.
    pub(crate) fn message(&self, message: &str) -> Option<Match> {
        self.messages
            .iter()
            .filter_map(|number| self.entries.get(usize::from(*number)))
            .find_map(|entry| entry.fits(message))
    }
}

fn joined(line: &Line<'_>, mut after: Lines<'_>, count: u8) -> String {
    let mut text = line.text.as_ref().to_owned();
    for _ in 0..count {
        let Some(next) = after.next_line() else { break };
        text.push('\n');
        text.push_str(&next.text);
    }
    text
}

/// A pattern as all patterns here are meant: on bytes.
pub(crate) fn compiled(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).unicode(false).build()
}

/// The marks of a row: its own or those of its pattern.
pub(crate) fn marks_of(row: &Row) -> Option<Vec<String>> {
    if !row.marks.is_empty() {
        return Some(row.marks.iter().map(|&mark| mark.to_owned()).collect());
    }
    if matches!(row.scope, Scope::Lines(_)) {
        return None;
    }
    let parsed = ParserBuilder::new()
        .unicode(false)
        .utf8(false)
        .build()
        .parse(row.pattern)
        .ok()?;
    literals(&parsed)
}

/// Texts one of which stands in everything that the expression fits.
fn literals(expression: &Hir) -> Option<Vec<String>> {
    match expression.kind() {
        HirKind::Literal(literal) => {
            // Quotes are written in many ways, and colours are switched where they stand.
            let text = std::str::from_utf8(&literal.0).ok()?;
            text.split(|c: char| matches!(c, '\'' | '"' | '`') || !c.is_ascii() || c.is_ascii_control())
                .filter(|piece| piece.len() >= SHORTEST_MARK)
                .max_by_key(|piece| worth(piece))
                .map(|piece| vec![piece.to_owned()])
        }
        HirKind::Capture(capture) => literals(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => literals(&repetition.sub),
        HirKind::Concat(parts) => parts
            .iter()
            .filter_map(literals)
            .max_by_key(|set| set.iter().map(|piece| worth(piece)).min()),
        HirKind::Alternation(branches) => {
            let mut all = Vec::new();
            for branch in branches {
                all.extend(literals(branch)?);
            }
            Some(all)
        }
        HirKind::Empty | HirKind::Class(_) | HirKind::Look(_) | HirKind::Repetition(_) => None,
    }
}

/// Whether a text stands in lines that every build writes: looking at each of them would take the speed away. What only
/// such texts mark is tried on lines that something else marks too.
fn is_ordinary(text: &str) -> bool {
    ORDINARY.contains(text)
}

/// The start of a mark, as short as still tells it from ordinary lines: a small search stays in the processor's cache.
fn start_of(text: &str) -> &str {
    (SCANNED_MARK..text.len())
        .filter_map(|length| text.get(..length))
        .find(|start| !is_ordinary(start))
        .unwrap_or(text)
}

/// How rare a text is thought to be.
fn worth(text: &str) -> usize {
    if is_ordinary(text) {
        return 0;
    }
    text.bytes().filter(u8::is_ascii_alphabetic).count() * 2 + text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_marks_and_compiles() {
        let mut wrong = Vec::new();
        for row in rows::all() {
            if row.scope != Scope::CMake && marks_of(row).is_none_or(|marks| marks.is_empty()) {
                wrong.push(format!(
                    "row `{}` has no marks: name some with `.marks(&[..])`\n",
                    row.name
                ));
            }
            for pattern in [row.pattern, row.unless] {
                if let Err(error) = compiled(pattern) {
                    wrong.push(format!("row `{}`: {error}\n", row.name));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.concat());
        assert!(Matcher::new().is_some());
    }

    #[test]
    fn ordinary_lines_are_passed_over() {
        let matcher = Matcher::new().unwrap();
        let mut wrong = Vec::new();
        for line in ORDINARY.split_inclusive('\n') {
            if let Some(at) = matcher.next_mark(line.as_bytes(), 0) {
                wrong.push(format!(
                    "{:?} in {line}",
                    line.get(at..).unwrap_or_default().chars().take(12).collect::<String>()
                ));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.concat());
    }

    #[test]
    fn marks_are_the_rarest_texts_that_must_be_there() {
        let marks = |pattern| {
            let parsed = ParserBuilder::new()
                .unicode(false)
                .utf8(false)
                .build()
                .parse(pattern)
                .unwrap();
            literals(&parsed)
        };
        for (pattern, expected) in [
            (
                r"(?:fatal )?error: ([^:]+): No such file",
                Some(&[": No such file"][..]),
            ),
            (
                r"a(?:nnot find|nable to find) -l(\S+)",
                Some(&["nnot find", "nable to find"]),
            ),
            (r"undefined reference to '([^']+)'", Some(&["undefined reference to "])),
            (r"(?:x|no mark here)", None),
            (r"(?i)submodule", None),
            (r"(?:word)*", None),
        ] {
            let expected = expected.map(|set| set.iter().map(|&text| text.to_owned()).collect::<Vec<_>>());
            assert_eq!(marks(pattern), expected, "{pattern}");
        }
    }
}
