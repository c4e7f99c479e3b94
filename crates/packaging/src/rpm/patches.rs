//! A patch added to a spec file: named, and applied the way the file applies its patches.

use super::{Section, SectionKind, Spec, Tag};
use crate::PackageError;

/// A patch that a spec file names and applies now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedPatch {
    /// Its number.
    pub number: u32,
    /// How many folders at the beginning of its paths are left out when it is applied: what `-p` says.
    pub strip: u32,
}

/// A line of `%prep` that is about patches.
struct Step {
    line: usize,
    word: String,
    arguments: String,
}

impl Step {
    /// The value of `-p`.
    fn strip(&self) -> Option<u32> {
        let mut words = self.arguments.split_whitespace();
        while let Some(word) = words.next() {
            if let Some(level) = word.strip_prefix("-p") {
                return if level.is_empty() {
                    words.next()?.parse().ok()
                } else {
                    level.parse().ok()
                };
            }
        }
        None
    }

    fn has(&self, option: &str) -> bool {
        self.arguments.split_whitespace().any(|word| word.starts_with(option))
    }
}

impl Spec {
    /// Names a patch file (which the caller puts beside the spec file) and sees to it that `%prep` applies it last, in the
    /// style of the file: `%autosetup`, `%autopatch`, or one `%patch` a patch.
    pub fn add_patch(&mut self, file: &str) -> Result<AddedPatch, PackageError> {
        if file.is_empty() || file.contains(['/', '%']) || file.contains(char::is_whitespace) {
            return Err(self.refuse(format!("`{file}` is no name of a file beside it")));
        }
        let before = self.clone();
        let added = self.name_and_apply(file);
        if added.is_err() {
            *self = before;
        }
        added
    }

    fn name_and_apply(&mut self, file: &str) -> Result<AddedPatch, PackageError> {
        let tags: Vec<Tag> = self.main_tags("patch").cloned().collect();
        let last = tags.iter().filter_map(|tag| tag.number).max();
        let list = self.section(&SectionKind::PatchList).cloned();
        let listed = list.as_ref().map_or(0, |list| self.entries(list).len());
        let number = last.map_or(0, |last| last + 1) + u32::try_from(listed).unwrap_or(0);
        let is_first = tags.is_empty() && listed == 0;
        // From the bottom to the top, so that the lines above stay where they are; a list of patches can be anywhere.
        let strip = self.apply_patch(number, is_first)?;
        if let Some(list) = self.section(&SectionKind::PatchList).cloned() {
            let at = self.entries(&list).last().map_or(list.start, |last| self.behind(*last));
            self.insert(at, &format!("{file}\n"))?;
        } else {
            let source = self.main_tags("source").last().cloned();
            let any = self
                .main_tags("version")
                .last()
                .or_else(|| self.main_tags("name").last())
                .cloned();
            let Some(other) = tags.last().cloned().or(source).or(any) else {
                return Err(self.refuse("it has no tag that a patch could stand behind"));
            };
            let line = self.like(Some(&other), &format!("Patch{number}"), file);
            self.insert(self.behind(other.line), &line)?;
        }
        Ok(AddedPatch { number, strip })
    }

    /// Lines of a list that name something.
    fn entries(&self, list: &Section) -> Vec<usize> {
        let names = |at: &usize| {
            let line = self.lines.get(*at).map_or("", |line| line.trim());
            !line.is_empty() && !line.starts_with('#') && self.facts.get(*at).is_some_and(|facts| !facts.is_inner)
        };
        (list.start..list.end).filter(names).collect()
    }

    fn apply_patch(&mut self, number: u32, is_first: bool) -> Result<u32, PackageError> {
        let prep = self
            .section(&SectionKind::Prep)
            .cloned()
            .ok_or_else(|| self.refuse("it has no %prep in which a patch could be applied"))?;
        let steps = self.steps(&prep);
        let all = |word: &str| steps.iter().filter(|step| step.word == word).collect::<Vec<_>>();
        let autosetup: Vec<&Step> = all("%autosetup").into_iter().filter(|step| !step.has("-N")).collect();
        let autopatch = all("%autopatch");
        let automatic = if autosetup.is_empty() { &autopatch } else { &autosetup };
        if !automatic.is_empty() {
            // A number that is no value of `-p` is that of a patch.
            let is_partial = |step: &&Step| {
                let words: Vec<&str> = step.arguments.split_whitespace().collect();
                let is_number = |at: &usize| {
                    let of_option = at.checked_sub(1).and_then(|before| words.get(before)) == Some(&"-p");
                    !of_option && words.get(*at).is_some_and(|word| word.parse::<u32>().is_ok())
                };
                step.has("-m") || step.has("-M") || (0..words.len()).any(|at| is_number(&at))
            };
            if automatic.iter().copied().any(|step| is_partial(&step)) {
                return Err(self.refuse("%autopatch names the patches that it applies; add the new one there by hand"));
            }
            let mut levels: Vec<Option<u32>> = automatic.iter().map(|step| step.strip()).collect();
            levels.dedup();
            return match (levels.as_slice(), is_first) {
                ([Some(level)], _) => Ok(*level),
                // Nothing was applied so far, so nobody has relied on how.
                ([None], true) => {
                    let lines: Vec<usize> = automatic.iter().map(|step| step.line).collect();
                    for at in lines {
                        let line = self.lines.get(at).cloned().unwrap_or_default();
                        let text = line.trim_end();
                        let end = line.get(text.len()..).unwrap_or_default();
                        self.replace(at, at + 1, &format!("{text} -p1{end}"))?;
                    }
                    Ok(1)
                }
                _ => Err(self.refuse(
                    "its patches are applied without `-p`, which finds files of the top folder only; give %autosetup a `-p1` \
                     and see that its other patches still apply",
                )),
            };
        }
        if let Some(last) = steps.iter().rfind(|step| step.word.starts_with("%patch")) {
            let strip = last.strip().unwrap_or(0);
            let line = self.lines.get(last.line).cloned().unwrap_or_default();
            let indent: String = line.chars().take_while(|c| *c == ' ' || *c == '\t').collect();
            // The number stands where the others have it.
            let joined = last.word.len() > "%patch".len();
            let new = match (joined, strip) {
                (true, 0) => format!("{indent}%patch{number}\n"),
                (true, strip) => format!("{indent}%patch{number} -p{strip}\n"),
                (false, 0) => format!("{indent}%patch -P {number}\n"),
                (false, strip) => format!("{indent}%patch -P {number} -p{strip}\n"),
            };
            self.insert(self.behind(last.line), &new)?;
            return Ok(strip);
        }
        let unpacks = |step: &&Step| step.word == "%setup" || step.word == "%autosetup";
        let Some(last) = steps.iter().rfind(unpacks) else {
            return Err(self.refuse(
                "its %prep has none of %autosetup, %setup, %autopatch and %patch, so where a patch fits is not clear; \
                 apply it there by hand",
            ));
        };
        self.insert(self.behind(last.line), &format!("%patch -P {number} -p1\n"))?;
        Ok(1)
    }

    fn steps(&self, prep: &Section) -> Vec<Step> {
        let mut steps = Vec::new();
        for at in prep.start..prep.end {
            let (Some(line), Some(facts)) = (self.lines.get(at), self.facts.get(at)) else {
                continue;
            };
            let text = line.trim();
            let (word, arguments) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
            // `%{patch1}` is a file's name and `%patch1` is a step.
            let is_patch = word
                .strip_prefix("%patch")
                .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()));
            if !facts.is_inner && (is_patch || matches!(word, "%autosetup" | "%setup" | "%autopatch")) {
                steps.push(Step {
                    line: at,
                    word: word.to_owned(),
                    arguments: arguments.to_owned(),
                });
            }
        }
        steps
    }
}
