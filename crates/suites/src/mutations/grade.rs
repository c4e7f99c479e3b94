//! Whether an answer to a log is right, and how many are.

use std::collections::BTreeMap;

use seatrial_diagnosis::{Class, Kind};
use serde::Serialize;

use super::{Case, CaseSet, MutationError};
use crate::corpus::Side;

/// What was answered to a log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// The class of failure.
    pub class: Option<Class>,
    /// The kind of problem.
    pub kind: Option<Kind>,
    /// What it is about.
    pub subject: String,
    /// First and last line of the message, counted from 1.
    pub lines: Option<(u64, u64)>,
}

/// What is right of an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Judgement {
    /// Something was answered.
    pub answered: bool,
    /// The class is.
    pub class: bool,
    /// The kind is.
    pub kind: bool,
    /// The kind and the subject are.
    pub subject: bool,
    /// The lines lie within one of the cause's.
    pub line: bool,
}

/// Counts of judgements.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Cases.
    pub cases: u64,
    /// Those with an answer.
    pub answered: u64,
    /// Those with the right class.
    pub class: u64,
    /// Those with the right kind.
    pub kind: u64,
    /// Those with the right kind and subject.
    pub subject: u64,
    /// Those whose line was hit.
    pub line: u64,
}

impl Tally {
    fn add(&mut self, judgement: Judgement) {
        self.cases += 1;
        self.answered += u64::from(judgement.answered);
        self.class += u64::from(judgement.class);
        self.kind += u64::from(judgement.kind);
        self.subject += u64::from(judgement.subject);
        self.line += u64::from(judgement.line);
    }
}

/// Counts of a whole set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grades {
    /// By split and class of failure.
    pub by_class: BTreeMap<(Side, Class), Tally>,
    /// By split.
    pub by_split: BTreeMap<Side, Tally>,
    /// Cases of the seen half whose answer is wrong in something. Those of the other half are counted only, whoever asks.
    pub wrong: Vec<(Case, Answer, Judgement)>,
}

/// Judges one answer.
pub fn judge(case: &Case, answer: &Answer) -> Judgement {
    let kind = answer.kind.is_some_and(|kind| case.kind.contains(&kind));
    Judgement {
        answered: answer.kind.is_some() || answer.lines.is_some(),
        class: answer
            .class
            .is_some_and(|class| class == case.class || case.also.contains(&class)),
        kind,
        subject: kind && names(&case.subject, &answer.subject),
        line: answer.lines.is_some_and(|lines| near(case.lines, lines)),
    }
}

/// Whether a subject is one of the accepted ones; letters' case and quotes around it are no difference. An empty one among
/// them says that the kind fixes no subject here, so that any will do.
pub(super) fn names(accepted: &[String], subject: &str) -> bool {
    let plain = |text: &str| {
        text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '.' | '\u{2018}' | '\u{2019}'))
            .to_lowercase()
    };
    is_open(accepted) || accepted.iter().any(|each| plain(each) == plain(subject))
}

/// Whether any subject will do.
pub(super) fn is_open(accepted: &[String]) -> bool {
    accepted.is_empty() || accepted.iter().any(String::is_empty)
}

/// Whether the answer's first line lies in the cause's message, or the cause's first line in the answer's, give or take one.
/// An answer that spans half the log hits nothing: more than a dozen lines are taken for their first.
fn near(cause: (u64, u64), answer: (u64, u64)) -> bool {
    let within = |line: u64, span: (u64, u64)| line + 1 >= span.0 && line <= span.1 + 1;
    let answer = if answer.1.saturating_sub(answer.0) > 12 {
        (answer.0, answer.0)
    } else {
        answer
    };
    within(answer.0, cause) || within(cause.0, answer)
}

/// Asks about every log and counts.
pub fn grade(
    set: &CaseSet,
    split: Option<Side>,
    ask: &mut dyn FnMut(&Case, &[u8]) -> Answer,
) -> Result<Grades, MutationError> {
    let mut grades = Grades::default();
    for case in set.cases() {
        if split.is_some_and(|split| split != case.split) {
            continue;
        }
        let answer = ask(case, &set.log(case)?);
        let judgement = judge(case, &answer);
        grades
            .by_class
            .entry((case.split, case.class))
            .or_default()
            .add(judgement);
        grades.by_split.entry(case.split).or_default().add(judgement);
        let right = judgement.class && judgement.subject && judgement.line;
        if case.split == Side::Seen && !right {
            grades.wrong.push((case.clone(), answer, judgement));
        }
    }
    Ok(grades)
}
