//! Conditions of spec files.

use super::macros::Macros;

/// What a line asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Test {
    Arch(String),
    NotArch(String),
    /// An expression, or an operating system.
    Other(String),
}

/// A line that begins, goes on with or ends a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Condition {
    If(Test),
    /// None for the last branch, which asks nothing.
    Else(Option<Test>),
    End,
}

impl Condition {
    pub(super) fn read(word: &str, rest: &str) -> Option<Self> {
        let rest = rest.trim().to_owned();
        // `%if(...)` needs no blank.
        if let Some(joined) = word
            .strip_prefix("%if")
            .filter(|joined| joined.starts_with(['(', '!', '"']))
        {
            return Some(Self::If(Test::Other(format!("{joined} {rest}").trim_end().to_owned())));
        }
        Some(match word {
            "%ifarch" => Self::If(Test::Arch(rest)),
            "%ifnarch" => Self::If(Test::NotArch(rest)),
            "%if" | "%ifos" | "%ifnos" => Self::If(Test::Other(rest)),
            "%elifarch" => Self::Else(Some(Test::Arch(rest))),
            "%elif" | "%elifos" => Self::Else(Some(Test::Other(rest))),
            "%else" => Self::Else(None),
            "%endif" => Self::End,
            _ => return None,
        })
    }
}

/// Where between `%if` and `%endif` a line is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Branch {
    /// What was asked before and must not hold.
    before: Vec<Test>,
    /// What must hold; none in the last branch.
    test: Option<Test>,
}

impl Branch {
    pub(super) fn new(test: Test) -> Self {
        Self {
            before: Vec::new(),
            test: Some(test),
        }
    }

    pub(super) fn next(&mut self, test: Option<Test>) {
        self.before.extend(std::mem::replace(&mut self.test, test));
    }

    /// The condition as a person would say it.
    pub(super) fn text(&self) -> String {
        let of = |test: &Test| match test {
            Test::Arch(list) => format!("ifarch {list}"),
            Test::NotArch(list) => format!("ifnarch {list}"),
            Test::Other(expression) => format!("if {expression}"),
        };
        let mut parts: Vec<String> = self.before.iter().map(|test| format!("not ({})", of(test))).collect();
        parts.extend(self.test.as_ref().map(of));
        parts.join(" and ")
    }

    /// Whether the branch is taken on a machine whose names fit; none when nobody can tell from the file alone.
    pub(super) fn holds(&self, macros: &Macros, fits: &impl Fn(&str) -> bool) -> Option<bool> {
        let value = |test: &Test| match test {
            Test::Arch(list) => named(list, macros, fits),
            Test::NotArch(list) => named(list, macros, fits).map(|named| !named),
            Test::Other(expression) => truth(expression, macros),
        };
        let mut result = match &self.test {
            Some(test) => value(test),
            None => Some(true),
        };
        for test in &self.before {
            result = match (result, value(test)) {
                (Some(false), _) | (_, Some(true)) => Some(false),
                (Some(true), Some(false)) => Some(true),
                _ => None,
            };
        }
        result
    }
}

fn named(list: &str, macros: &Macros, fits: &impl Fn(&str) -> bool) -> Option<bool> {
    let expanded = macros.expand(list);
    let found = expanded
        .text
        .split([' ', '\t', ','])
        .filter(|word| !word.is_empty())
        .any(fits);
    // What is unknown could name it too.
    (found || expanded.unknown.is_empty()).then_some(found)
}

/// Numbers and their opposites; everything else is left open.
fn truth(expression: &str, macros: &Macros) -> Option<bool> {
    let expanded = macros.expand(expression);
    if !expanded.unknown.is_empty() {
        return None;
    }
    let text = expanded.text.trim();
    let (text, negated) = match text.strip_prefix('!') {
        Some(rest) => (rest.trim(), true),
        None => (text, false),
    };
    let number: i64 = text.trim_start_matches('(').trim_end_matches(')').trim().parse().ok()?;
    Some((number != 0) != negated)
}
