//! Edits of a spec file. Each touches the lines that it is about and no other.

use super::{Section, SectionKind, Spec, Tag, spec::LineFacts};
use crate::PackageError;

impl Spec {
    pub(super) fn refuse(&self, problem: impl Into<String>) -> PackageError {
        PackageError::edit(&self.file, problem)
    }

    fn is_unconditional(&self, line: usize) -> bool {
        self.facts.get(line).is_some_and(|facts| facts.branches.is_empty())
    }

    /// The first line behind a line that is under no condition: where something can be put that always counts.
    pub(super) fn behind(&self, line: usize) -> usize {
        let is_open = |at: &usize| self.facts.get(*at).is_some_and(|facts| !facts.branches.is_empty());
        // A condition's first line is still outside of it.
        let mut at = line + 1;
        if self
            .facts
            .get(line)
            .is_some_and(|facts: &LineFacts| facts.branches.is_empty())
        {
            return at;
        }
        while is_open(&at) {
            at += 1;
        }
        at
    }

    /// A line such as `Name:      value`, written like another tag: its value begins in the same column.
    pub(super) fn like(&self, tag: Option<&Tag>, name: &str, value: &str) -> String {
        let column = tag.map_or(name.len() + 2, |tag| {
            let head = self.lines.get(tag.line).and_then(|line| line.get(..tag.span.0));
            // A tab is a column of its own kind: it is taken over as it is.
            head.filter(|head| !head.contains('\t'))
                .map_or(name.len() + 2, |head| head.chars().count())
        });
        let gap = column.saturating_sub(name.len() + 1).max(1);
        format!("{name}:{}{value}\n", " ".repeat(gap))
    }

    /// The last tag of the main package that is under no condition.
    fn last_tag(&self, is: impl Fn(&Tag) -> bool) -> Option<Tag> {
        let mut tags = self
            .tags()
            .iter()
            .filter(|tag| tag.section == 0 && tag.conditions.is_empty() && is(tag));
        tags.next_back().cloned()
    }

    /// Adds a build dependency, behind the others that always count. Says whether it was not there yet.
    pub fn add_build_requires(&mut self, item: &str) -> Result<bool, PackageError> {
        let is_there = |tag: &Tag| tag.conditions.is_empty() && tag.value.split(',').any(|part| part.trim() == item);
        if self.main_tags("buildrequires").any(is_there) {
            return Ok(false);
        }
        let own = self.last_tag(|tag| tag.name == "buildrequires");
        let other = own.or_else(|| self.last_tag(|_| true));
        let Some(other) = other else {
            return Err(self.refuse("it has no tag that a build dependency could stand behind"));
        };
        let line = self.like(Some(&other), "BuildRequires", item);
        self.insert(other.line + 1, &line)?;
        Ok(true)
    }

    /// Gives a tag of the main package another value; a tag that is not there goes behind the last one. Without a value the
    /// tag is removed. A tag that is there several times, or under a condition, is refused.
    pub fn set_tag(&mut self, name: &str, value: Option<&str>) -> Result<(), PackageError> {
        let small = name.to_ascii_lowercase();
        let found: Vec<Tag> = self.main_tags(&small).cloned().collect();
        match (found.as_slice(), value) {
            ([], None) => Ok(()),
            ([], Some(value)) => {
                let last = self
                    .last_tag(|_| true)
                    .ok_or_else(|| self.refuse(format!("it has no tag that `{name}` could stand behind")))?;
                let line = self.like(Some(&last), name, value);
                self.insert(last.line + 1, &line)
            }
            ([tag], value) if tag.conditions.is_empty() => {
                let Some(value) = value else {
                    return self.replace(tag.line, tag.line + 1, "");
                };
                let mut line = self.lines.get(tag.line).cloned().unwrap_or_default();
                line.replace_range(tag.span.0..tag.span.1, value);
                self.replace(tag.line, tag.line + 1, &line)
            }
            ([tag], _) => Err(self.refuse(format!(
                "`{name}` at line {} is under a condition ({}); edit that line",
                tag.line + 1,
                tag.conditions.join(", ")
            ))),
            _ => Err(self.refuse(format!("`{name}` is there {} times; edit these lines", found.len()))),
        }
    }

    /// Allows, or rules out, one more architecture: adds a word to `ExclusiveArch` or `ExcludeArch` when that tag is there,
    /// and for `ExcludeArch` also when it is not.
    pub fn add_arch(&mut self, tag: &str, word: &str) -> Result<(), PackageError> {
        let small = tag.to_ascii_lowercase();
        let old = self.main_tags(&small).next().map(|tag| tag.value.clone());
        match old {
            Some(old) if old.split([' ', '\t', ',']).any(|there| there == word) => Ok(()),
            Some(old) => self.set_tag(tag, Some(&format!("{old} {word}"))),
            // What is allowed everywhere is not to be allowed here only.
            None if small == "exclusivearch" => Ok(()),
            None => self.set_tag(tag, Some(word)),
        }
    }

    /// The section of a kind; of several, the first.
    pub fn section(&self, kind: &SectionKind) -> Option<&Section> {
        self.sections().iter().find(|section| section.kind == *kind)
    }

    /// Gives the compilers one more flag in `%build`: in each assignment of `CFLAGS` and `CXXFLAGS` that is there, or else in
    /// two new ones at the beginning.
    pub fn add_build_flag(&mut self, flag: &str) -> Result<(), PackageError> {
        let section = self
            .section(&SectionKind::Build)
            .cloned()
            .ok_or_else(|| self.refuse("it has no %build"))?;
        let mut found = false;
        let mut lines = Vec::new();
        for at in section.start..section.end {
            let mut line = self.lines.get(at).cloned().unwrap_or_default();
            if !line.trim_start().starts_with('#') {
                found |= assign(&mut line, flag);
            }
            lines.push(line);
        }
        if found {
            return self.replace(section.start, section.end, &lines.concat());
        }
        let line = |name: &str| format!("export {name}=\"${{{name}:-%{{optflags}}}} {flag}\"\n");
        self.insert(section.start, &format!("{}{}", line("CFLAGS"), line("CXXFLAGS")))
    }

    /// Adds a line to the `%files` whose arguments these are (none for the main package), behind the last one that always
    /// counts.
    pub fn add_file(&mut self, arguments: &str, line: &str) -> Result<(), PackageError> {
        let section = self.files(arguments)?;
        let text = |at: &usize| self.lines.get(*at).is_some_and(|line| !line.trim().is_empty());
        if self.section_lines(&section).any(|there| there.trim() == line.trim()) {
            return Ok(());
        }
        let last = (section.start..section.end)
            .filter(text)
            .rfind(|at| self.is_unconditional(*at) && self.facts.get(*at).is_some_and(|facts| !facts.is_inner));
        self.insert(last.map_or(section.start, |at| at + 1), &format!("{line}\n"))
    }

    /// Edits the lines of the `%files` whose arguments these are: `edit` has no answer for what stays, and otherwise the new
    /// text, or none for a line that goes. Says how many lines were changed.
    pub fn change_files(
        &mut self,
        arguments: &str,
        edit: impl Fn(&str) -> Option<Option<String>>,
    ) -> Result<usize, PackageError> {
        let section = self.files(arguments)?;
        let mut rows =
            crate::deb::Rows::parse(&self.lines.get(section.start..section.end).unwrap_or_default().concat());
        let changed = rows.change(edit);
        if changed > 0 {
            self.replace(section.start, section.end, &rows.text())?;
        }
        Ok(changed)
    }

    fn files(&self, arguments: &str) -> Result<Section, PackageError> {
        let words = |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
        let is =
            |section: &&Section| section.kind == SectionKind::Files && words(&section.arguments) == words(arguments);
        self.sections().iter().find(is).cloned().ok_or_else(|| {
            let all = self
                .sections()
                .iter()
                .filter(|section| section.kind == SectionKind::Files);
            let all: Vec<String> = all.map(|section| format!("`%files {}`", section.arguments)).collect();
            self.refuse(format!("it has no `%files {arguments}`; there is {}", all.join(", ")))
        })
    }
}

/// Puts a flag into the quotes of each assignment of compiler flags in a line.
fn assign(line: &mut String, flag: &str) -> bool {
    let mut found = false;
    for name in ["CFLAGS=", "CXXFLAGS="] {
        let mut from = 0;
        while let Some(at) = line.get(from..).and_then(|rest| rest.find(name)).map(|at| at + from) {
            from = at + name.len();
            let before = line.get(..at).and_then(|before| before.chars().next_back());
            if before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
                continue;
            }
            let Some(quote) = line
                .get(from..)
                .and_then(|rest| rest.chars().next())
                .filter(|c| "\"'".contains(*c))
            else {
                continue;
            };
            if let Some(end) = line
                .get(from + 1..)
                .and_then(|rest| rest.find(quote))
                .map(|end| end + from + 1)
            {
                line.insert_str(end, &format!(" {flag}"));
                found = true;
                from = end;
            }
        }
    }
    found
}
