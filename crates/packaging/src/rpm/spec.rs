//! A spec file as lines: which section each is in, under which conditions, and what is a tag.
//!
//! Nothing is ever printed anew: what is not edited stays byte for byte, also where it is no UTF-8.

use super::{
    guard::{Branch, Condition},
    macros::Macros,
};
use crate::{
    PackageError,
    diff::{latin, unlatin},
};

/// A spec file.
#[derive(Debug, Clone)]
pub struct Spec {
    pub(super) file: String,
    /// The lines with their ends. Where the file is no UTF-8, each character is one byte.
    pub(super) lines: Vec<String>,
    is_latin: bool,
    pub(super) facts: Vec<LineFacts>,
    sections: Vec<Section>,
    tags: Vec<Tag>,
    pub(super) macros: Macros,
}

/// What is known about a line.
#[derive(Debug, Clone)]
pub(super) struct LineFacts {
    pub(super) section: usize,
    /// The branches that it is in, outermost first.
    pub(super) branches: Vec<Branch>,
    /// Whether it is part of a macro's body, or a conditional itself: nothing else is looked for there.
    pub(super) is_inner: bool,
}

/// A part of a spec file that begins with a line of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// What it is.
    pub kind: SectionKind,
    /// What stands behind the name, such as `-n lib%{name}`.
    pub arguments: String,
    /// Number of its first line behind its header, from 0.
    pub start: usize,
    /// Number of the line after its last one.
    pub end: usize,
}

/// Kinds of sections.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum SectionKind {
    Preamble,
    Package,
    Description,
    Prep,
    BuildRequires,
    Conf,
    Build,
    Install,
    Check,
    Clean,
    Files,
    Changelog,
    SourceList,
    PatchList,
    /// A program that runs when the package is installed or removed.
    Script(String),
}

/// A line such as `BuildRequires:  gcc`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// The name in small letters, without a number.
    pub name: String,
    /// The number of a source or patch, given or counted.
    pub number: Option<u32>,
    /// The value as written.
    pub value: String,
    /// The line, from 0.
    pub line: usize,
    /// Where in the line the value is.
    pub(super) span: (usize, usize),
    /// The section's number.
    pub section: usize,
    /// The conditions that it is under, outermost first, as text.
    pub conditions: Vec<String>,
}

fn section_kind(word: &str) -> Option<SectionKind> {
    Some(match word.to_ascii_lowercase().as_str() {
        "%package" => SectionKind::Package,
        "%description" => SectionKind::Description,
        "%prep" => SectionKind::Prep,
        "%generate_buildrequires" => SectionKind::BuildRequires,
        "%conf" => SectionKind::Conf,
        "%build" => SectionKind::Build,
        "%install" => SectionKind::Install,
        "%check" => SectionKind::Check,
        "%clean" => SectionKind::Clean,
        "%files" => SectionKind::Files,
        "%changelog" => SectionKind::Changelog,
        "%sourcelist" => SectionKind::SourceList,
        "%patchlist" => SectionKind::PatchList,
        other => {
            const SCRIPTS: [&str; 22] = [
                "%pre",
                "%post",
                "%preun",
                "%postun",
                "%pretrans",
                "%posttrans",
                "%preuntrans",
                "%postuntrans",
                "%verifyscript",
                "%trigger",
                "%triggerin",
                "%triggerun",
                "%triggerpostun",
                "%triggerprein",
                "%filetriggerin",
                "%filetriggerun",
                "%filetriggerpostun",
                "%transfiletriggerin",
                "%transfiletriggerun",
                "%transfiletriggerpostun",
                "%sepolicy",
                "%verify",
            ];
            let script = SCRIPTS.into_iter().find(|script| *script == other)?;
            SectionKind::Script(script.trim_start_matches('%').to_owned())
        }
    })
}

impl Spec {
    /// Reads a spec file; `file` is its name for messages.
    pub fn parse(file: &str, bytes: &[u8]) -> Result<Self, PackageError> {
        let (text, is_latin) = match std::str::from_utf8(bytes) {
            Ok(text) => (text.to_owned(), false),
            Err(_) => (latin(bytes), true),
        };
        let mut spec = Self {
            file: file.to_owned(),
            lines: text.split_inclusive('\n').map(str::to_owned).collect(),
            is_latin,
            facts: Vec::new(),
            sections: Vec::new(),
            tags: Vec::new(),
            macros: Macros::default(),
        };
        spec.read()?;
        Ok(spec)
    }

    /// The file's bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let text = self.lines.concat();
        if self.is_latin {
            // Nothing else gets in: edits are checked.
            unlatin(&text).unwrap_or_else(|| text.into_bytes())
        } else {
            text.into_bytes()
        }
    }

    /// Whether the file is UTF-8. If it is not, edits may hold letters of Latin 1 only.
    pub fn is_utf8(&self) -> bool {
        !self.is_latin
    }

    /// The sections, in their order; the first is the preamble.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// The lines of a section, without their ends.
    pub fn section_lines(&self, section: &Section) -> impl Iterator<Item = &str> {
        let lines = self.lines.get(section.start..section.end).unwrap_or_default();
        lines.iter().map(|line| line.trim_end_matches(['\n', '\r']))
    }

    /// All tags, those of subpackages included.
    pub fn tags(&self) -> &[Tag] {
        &self.tags
    }

    /// Tags of the main package with a name (in small letters).
    pub fn main_tags<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Tag> {
        self.tags.iter().filter(move |tag| tag.section == 0 && tag.name == name)
    }

    /// A text with the macros expanded that this file defines.
    pub fn expand(&self, text: &str) -> super::Expanded {
        self.macros.expand(text)
    }

    /// Name and version, expanded as far as they can be.
    pub fn name_and_version(&self) -> (String, String) {
        let value = |name: &str| {
            self.main_tags(name)
                .next()
                .map_or(String::new(), |tag| self.expand(&tag.value).text)
        };
        (value("name"), value("version"))
    }

    /// Files that `Source` and `Patch` tags (and `%sourcelist`, `%patchlist`) name: the name with macros expanded, whether it
    /// is under a condition, and the macros that are not known.
    pub fn named_files(&self) -> Vec<(String, bool, Vec<String>)> {
        let mut files = Vec::new();
        let mut name = |value: &str, conditional: bool| {
            let expanded = self.expand(value);
            let last = expanded.text.rsplit('/').next().unwrap_or_default().trim().to_owned();
            if !last.is_empty() {
                files.push((last, conditional, expanded.unknown));
            }
        };
        for tag in &self.tags {
            if matches!(tag.name.as_str(), "source" | "patch") {
                name(&tag.value, !tag.conditions.is_empty());
            }
        }
        for section in &self.sections {
            if matches!(section.kind, SectionKind::SourceList | SectionKind::PatchList) {
                for at in section.start..section.end {
                    let (Some(line), Some(facts)) = (self.lines.get(at), self.facts.get(at)) else {
                        continue;
                    };
                    if !facts.is_inner && !line.trim().is_empty() && !line.starts_with('#') {
                        name(line.trim(), !facts.branches.is_empty());
                    }
                }
            }
        }
        files
    }

    fn wrong(&self, line: usize, problem: impl Into<String>) -> PackageError {
        PackageError::recipe(format!("{}:{}", self.file, line + 1), problem)
    }

    /// Looks through the lines anew.
    pub(super) fn read(&mut self) -> Result<(), PackageError> {
        let mut facts: Vec<LineFacts> = Vec::with_capacity(self.lines.len());
        let mut sections = vec![Section {
            kind: SectionKind::Preamble,
            arguments: String::new(),
            start: 0,
            end: 0,
        }];
        let mut tags: Vec<Tag> = Vec::new();
        let mut macros = Macros::default();
        let mut branches: Vec<Branch> = Vec::new();
        let mut opened_at: Vec<usize> = Vec::new();
        // Open braces, and whether the line before goes on, while a macro's body is passed over.
        let mut body: Option<(String, i64)> = None;
        for (at, line) in self.lines.iter().enumerate() {
            let text = line.trim_end_matches(['\n', '\r']);
            let mut fact = LineFacts {
                section: sections.len() - 1,
                branches: branches.clone(),
                is_inner: true,
            };
            if let Some((mut whole, mut depth)) = body.take() {
                whole.push('\n');
                whole.push_str(text);
                depth += braces(text);
                if depth > 0 || text.ends_with('\\') {
                    body = Some((whole, depth));
                } else {
                    macros.define(&whole, !branches.is_empty());
                }
                facts.push(fact);
                continue;
            }
            let trimmed = text.trim_start();
            let (word, rest) = trimmed.split_once(char::is_whitespace).unwrap_or((trimmed, ""));
            if let Some(condition) = Condition::read(word, rest) {
                match condition {
                    Condition::End => {
                        opened_at.pop();
                        if branches.pop().is_none() {
                            return Err(self.wrong(at, "a `%endif` without its `%if`"));
                        }
                    }
                    Condition::Else(next) => match branches.last_mut() {
                        Some(branch) => branch.next(next),
                        None => return Err(self.wrong(at, format!("a `{word}` without its `%if`"))),
                    },
                    Condition::If(test) => {
                        branches.push(Branch::new(test));
                        opened_at.push(at);
                    }
                }
                facts.push(fact);
                continue;
            }
            if matches!(
                word,
                "%define" | "%global" | "%undefine" | "%bcond_with" | "%bcond_without" | "%bcond"
            ) {
                if braces(text) > 0 || text.ends_with('\\') {
                    body = Some((text.to_owned(), braces(text)));
                } else {
                    macros.define(text, !branches.is_empty());
                }
                facts.push(fact);
                continue;
            }
            if let Some(kind) = section_kind(word) {
                if let Some(last) = sections.last_mut() {
                    last.end = at;
                }
                sections.push(Section {
                    kind,
                    arguments: rest.trim().to_owned(),
                    start: at + 1,
                    end: self.lines.len(),
                });
                fact.section = sections.len() - 1;
                facts.push(fact);
                continue;
            }
            fact.is_inner = false;
            let kind = sections.last().map(|section| &section.kind);
            if matches!(kind, Some(SectionKind::Preamble | SectionKind::Package))
                && let Some(mut tag) = read_tag(text)
            {
                tag.line = at;
                tag.section = fact.section;
                tag.conditions = branches.iter().map(Branch::text).collect();
                if matches!(tag.name.as_str(), "source" | "patch") && tag.number.is_none() {
                    let last = tags
                        .iter()
                        .filter(|other| other.name == tag.name)
                        .filter_map(|other| other.number);
                    tag.number = Some(last.max().map_or(0, |number| number + 1));
                }
                macros.tag(&tag, sections.len() == 1);
                tags.push(tag);
            }
            facts.push(fact);
        }
        if let Some(last) = sections.last_mut() {
            last.end = self.lines.len();
        }
        if let Some(at) = opened_at.last() {
            return Err(self.wrong(*at, "this condition has no `%endif`"));
        }
        if let Some((start, _)) = &body {
            let name = start.split_whitespace().nth(1).unwrap_or_default();
            return Err(self.wrong(
                self.lines.len().saturating_sub(1),
                format!("the macro `{name}` is not closed"),
            ));
        }
        (self.facts, self.sections, self.tags, self.macros) = (facts, sections, tags, macros);
        Ok(())
    }

    /// Puts lines before a line, and reads again. A text that the file's encoding cannot hold is refused.
    pub(super) fn insert(&mut self, at: usize, text: &str) -> Result<(), PackageError> {
        self.replace(at, at, text)
    }

    /// Puts other lines in the place of some, and reads again. When the result cannot be read, nothing is changed.
    pub(super) fn replace(&mut self, from: usize, to: usize, text: &str) -> Result<(), PackageError> {
        if self.is_latin && text.chars().any(|c| u32::from(c) > 255) {
            return Err(PackageError::edit(
                &self.file,
                "it is no UTF-8, and the new text has letters that it cannot hold; write them plainly",
            ));
        }
        let before = self.lines.clone();
        let dos = self.lines.first().is_some_and(|line| line.ends_with("\r\n"));
        if let Some(last) = from.checked_sub(1).and_then(|at| self.lines.get_mut(at))
            && !last.ends_with('\n')
        {
            last.push('\n');
        }
        let new = text.split_inclusive('\n').map(|line| match line.strip_suffix('\n') {
            Some(text) if dos && !text.ends_with('\r') => format!("{text}\r\n"),
            _ => line.to_owned(),
        });
        self.lines.splice(from..to, new.collect::<Vec<_>>());
        self.read().inspect_err(|_| self.lines = before)
    }
}

/// How many more braces are opened than closed.
fn braces(text: &str) -> i64 {
    text.bytes().fold(0, |depth, byte| match byte {
        b'{' => depth + 1,
        b'}' => depth - 1,
        _ => depth,
    })
}

fn read_tag(text: &str) -> Option<Tag> {
    let start = text.len() - text.trim_start().len();
    let (head, _) = text.split_once(':')?;
    let name = head.trim();
    let word = name.split('(').next().unwrap_or(name).trim_end();
    if word.is_empty() || !word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_') {
        return None;
    }
    if !word.starts_with(|c: char| c.is_ascii_alphabetic()) || start > 0 && text.starts_with('#') {
        return None;
    }
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = word.get(letters.len()..).and_then(|digits| digits.parse().ok());
    let small = letters.to_ascii_lowercase();
    let is_numbered = matches!(small.as_str(), "source" | "patch");
    let after = text.get(head.len() + 1..)?;
    let begin = head.len() + 1 + (after.len() - after.trim_start().len());
    let value = text.get(begin..)?.trim_end();
    Some(Tag {
        name: if is_numbered { small } else { word.to_ascii_lowercase() },
        number: number.filter(|_| is_numbered),
        value: value.to_owned(),
        line: 0,
        span: (begin, begin + value.len()),
        section: 0,
        conditions: Vec::new(),
    })
}
