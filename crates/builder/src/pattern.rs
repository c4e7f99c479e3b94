//! Regular expressions that are written once and compiled when first needed.

use std::sync::OnceLock;

use regex::Regex;

/// A regular expression in a `static`. One that does not compile never matches; the tests compile every one.
pub(crate) struct Pattern {
    text: &'static str,
    regex: OnceLock<Option<Regex>>,
}

impl Pattern {
    pub(crate) const fn new(text: &'static str) -> Self {
        Self {
            text,
            regex: OnceLock::new(),
        }
    }

    fn regex(&self) -> Option<&Regex> {
        self.regex.get_or_init(|| Regex::new(self.text).ok()).as_ref()
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }

    /// The first match's first group that took part.
    pub(crate) fn first<'t>(&self, text: &'t str) -> Option<&'t str> {
        let captures = self.regex()?.captures(text)?;
        captures.iter().skip(1).flatten().next().map(|group| group.as_str())
    }

    /// The first group that took part, of every match.
    pub(crate) fn all<'t>(&self, text: &'t str) -> Vec<&'t str> {
        self.groups(text)
            .into_iter()
            .filter_map(|groups| groups.into_iter().find(|group| !group.is_empty()))
            .collect()
    }

    /// All groups of every match; one that took no part is empty.
    pub(crate) fn groups<'t>(&self, text: &'t str) -> Vec<Vec<&'t str>> {
        let Some(regex) = self.regex() else { return Vec::new() };
        regex
            .captures_iter(text)
            .map(|captures| {
                captures
                    .iter()
                    .skip(1)
                    .map(|group| group.map_or("", |group| group.as_str()))
                    .collect()
            })
            .collect()
    }

    #[cfg(test)]
    pub(crate) fn compiles(&self) -> bool {
        self.regex().is_some()
    }
}
