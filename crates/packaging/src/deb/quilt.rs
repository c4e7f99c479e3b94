//! `debian/patches/series`, and the header of a patch of ours.

use std::fmt::Write as _;

use jiff::Timestamp;

/// A list of patches. Comments, options and blanks stay as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Series {
    text: String,
}

impl Series {
    /// Reads a series.
    pub fn parse(text: &str) -> Self {
        Self { text: text.to_owned() }
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Names of the patches, in their order.
    pub fn patches(&self) -> impl Iterator<Item = &str> {
        self.text
            .lines()
            .filter_map(|line| line.split_whitespace().next())
            .filter(|word| !word.starts_with('#'))
    }

    /// Adds a patch as the last one.
    pub fn push(&mut self, name: &str) {
        if self.patches().any(|there| there == name) {
            return;
        }
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.text.push_str(name);
        self.text.push('\n');
    }
}

/// What stands at the head of a patch of ours (DEP-3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchHeader {
    /// The name of the file, such as `arm64-endian.patch`.
    pub name: String,
    /// One line that says what it does, and further ones.
    pub description: String,
    /// Who made it, `Name <address>`; left out when none is told.
    pub author: Option<String>,
    /// Whether it was sent on: `no`, `not-needed` or an address.
    pub forwarded: String,
    /// The day, in seconds since 1970.
    pub time: Option<i64>,
}

impl Default for PatchHeader {
    fn default() -> Self {
        Self {
            name: "edits.patch".to_owned(),
            description: "Edits of the upstream sources".to_owned(),
            author: None,
            forwarded: "no".to_owned(),
            time: None,
        }
    }
}

impl PatchHeader {
    /// The header's lines with the empty one that ends it.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for (number, line) in self.description.lines().enumerate() {
            // Writing to a string does not fail.
            let _ = match (number, line.trim().is_empty()) {
                (0, _) => writeln!(text, "Description: {line}"),
                (_, true) => writeln!(text, " ."),
                (_, false) => writeln!(text, " {line}"),
            };
        }
        if let Some(author) = &self.author {
            let _ = writeln!(text, "Author: {author}");
        }
        let _ = writeln!(text, "Forwarded: {}", self.forwarded);
        if let Some(day) = self.time.and_then(|time| Timestamp::from_second(time).ok()) {
            let _ = writeln!(text, "Last-Update: {}", day.strftime("%Y-%m-%d"));
        }
        text.push('\n');
        text
    }

    /// The file's name, safe and not one that is taken.
    pub(crate) fn free_name(&self, taken: impl Fn(&str) -> bool) -> String {
        let kept = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
        let name: String = self.name.chars().map(|c| if kept(c) { c } else { '-' }).collect();
        let stem = name.trim_start_matches(['.', '-']).trim_end_matches(".patch");
        let stem = if stem.is_empty() { "edits" } else { stem };
        let mut name = format!("{stem}.patch");
        let mut number = 1;
        while taken(&name) {
            number += 1;
            name = format!("{stem}-{number}.patch");
        }
        name
    }
}
