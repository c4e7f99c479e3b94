//! What a check found: where, which rule, and what to do about it.

use std::fmt;

/// One breach of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    /// Whether it fails the check or is only told.
    pub(crate) level: Level,
    /// File relative to the checkout, with `:line` where there is one.
    pub(crate) place: String,
    /// Short stable name of the rule.
    pub(crate) rule: &'static str,
    /// What is wrong.
    pub(crate) problem: String,
    /// What to do.
    pub(crate) remedy: String,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    Error,
    Warning,
}

impl Finding {
    pub(crate) fn error(
        place: impl Into<String>,
        rule: &'static str,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            level: Level::Error,
            place: place.into(),
            rule,
            problem: problem.into(),
            remedy: remedy.into(),
        }
    }

    pub(crate) fn warning(
        place: impl Into<String>,
        rule: &'static str,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            level: Level::Warning,
            ..Self::error(place, rule, problem, remedy)
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            Level::Error => "error",
            Level::Warning => "warning",
        };
        write!(
            f,
            "{level}: {} [{}]: {}\n  {}",
            self.place, self.rule, self.problem, self.remedy
        )
    }
}

/// Findings as one text, for expected values in tests.
#[cfg(test)]
pub(crate) fn listing(findings: &[Finding]) -> String {
    findings
        .iter()
        .fold(String::new(), |text, finding| text + &finding.to_string() + "\n")
}
