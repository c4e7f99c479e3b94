//! `debian/changelog`: what the last entry says, and a new one on top.

use std::fmt::Write as _;

use jiff::{Timestamp, fmt::rfc2822};
use seatrial_source::compare_versions;

use crate::PackageError;

/// A changelog. Older entries stay as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changelog {
    text: String,
    top: ChangelogTop,
}

/// What the newest entry says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangelogTop {
    /// The source package.
    pub package: String,
    /// Its version.
    pub version: String,
    /// The suites that it is for.
    pub distributions: String,
    /// What stands behind the semicolon, such as `urgency=medium`.
    pub options: String,
    /// Who wrote it, `Name <address>`.
    pub by: String,
    /// When, in seconds since 1970; none when its date cannot be read.
    pub time: Option<i64>,
}

/// A new entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEntry<'a> {
    /// The version; [`version_above`] makes one.
    pub version: &'a str,
    /// The suites that it is for; those of the entry before when left out.
    pub distributions: Option<&'a str>,
    /// What was changed, one item each.
    pub changes: &'a [&'a str],
    /// Who did it, `Name <address>`.
    pub by: &'a str,
    /// When, in seconds since 1970.
    pub time: i64,
}

const FILE: &str = "debian/changelog";

impl Changelog {
    /// Reads a changelog.
    pub fn parse(text: &str) -> Result<Self, PackageError> {
        let bad = |line: usize, problem: &str| PackageError::recipe(format!("{FILE}:{line}"), problem);
        let (number, head) = (1..)
            .zip(text.lines())
            .find(|(_, line)| !line.trim().is_empty())
            .ok_or_else(|| bad(1, "there is no entry"))?;
        let head_error = || bad(number, "an entry begins with `package (version) suite; urgency=...`");
        let (package, rest) = head.split_once(" (").ok_or_else(head_error)?;
        let (version, rest) = rest.split_once(')').ok_or_else(head_error)?;
        let (distributions, options) = rest.split_once(';').ok_or_else(head_error)?;
        let is_word = |word: &str| !word.is_empty() && !word.contains(char::is_whitespace) && !word.contains('/');
        if !is_word(package) || !is_word(version) {
            return Err(head_error());
        }
        let (number, tail) = (1..)
            .zip(text.lines())
            .skip(number)
            .find(|(_, line)| line.starts_with(" -- "))
            .ok_or_else(|| bad(number, "the entry has no line ` -- Name <address>  date` at its end"))?;
        let (by, date) = tail
            .get(4..)
            .unwrap_or_default()
            .split_once("  ")
            .ok_or_else(|| bad(number, "two blanks stand between the address and the date"))?;
        let time = rfc2822::DateTimeParser::new().parse_timestamp(date.trim());
        Ok(Self {
            top: ChangelogTop {
                package: package.trim().to_owned(),
                version: version.to_owned(),
                distributions: distributions.trim().to_owned(),
                options: options.trim().to_owned(),
                by: by.trim().to_owned(),
                time: time.ok().map(Timestamp::as_second),
            },
            text: text.to_owned(),
        })
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The newest entry.
    pub fn top(&self) -> &ChangelogTop {
        &self.top
    }

    /// Puts an entry on top.
    pub fn add(&mut self, entry: &NewEntry<'_>) -> Result<(), PackageError> {
        let edit = |problem: String| PackageError::edit(FILE, problem);
        if compare_versions(entry.version, &self.top.version).is_le() {
            return Err(edit(format!(
                "the version {} is not above {}",
                entry.version, self.top.version
            )));
        }
        let date = Timestamp::from_second(entry.time)
            .map_err(|error| edit(format!("{} is no time: {error}", entry.time)))?
            .strftime("%a, %d %b %Y %H:%M:%S +0000")
            .to_string();
        let mut text = format!(
            "{} ({}) {}; {}\n\n",
            self.top.package,
            entry.version,
            entry.distributions.unwrap_or(&self.top.distributions),
            self.top.options
        );
        for change in entry.changes {
            for (number, line) in change.lines().enumerate() {
                let start = if number == 0 { "  * " } else { "    " };
                // Writing to a string does not fail.
                let _ = writeln!(text, "{}", format!("{start}{line}").trim_end());
            }
        }
        let _ = write!(text, "\n -- {}  {date}\n\n", entry.by);
        text.push_str(&self.text);
        *self = Self::parse(&text)?;
        Ok(())
    }
}

/// A version with a suffix that is above the old one, and below what the distribution itself would upload next: below a
/// rebuild (`+b1`), a stable update (`+deb12u1`), a non-maintainer upload (`.1`) and the next revision.
pub fn version_above(old: &str, suffix: &str) -> String {
    let suffix: String = suffix.chars().filter(char::is_ascii_alphanumeric).collect();
    let mark = format!("+0{suffix}");
    // A second edit counts on, instead of getting a second suffix.
    if let Some((start, number)) = old.rsplit_once(&mark)
        && let Ok(number) = number.parse::<u32>()
    {
        return format!("{start}{mark}{}", number.saturating_add(1));
    }
    format!("{old}{mark}1")
}
