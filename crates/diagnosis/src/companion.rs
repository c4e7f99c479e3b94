//! Files that tools leave beside a log: what a log only has as a symptom stands there in full.
//!
//! They are asked only where the log itself says little: a compiler that "cannot create executables", a library that "was
//! not found" in a project's own words, a test that failed without a word.

use std::{
    borrow::Cow,
    io::{self, Read},
};

use crate::{Diagnosis, Kind, Problem, diagnose, diagnose_reader};

/// Names of files that are known here, as they lie below a build folder.
pub const COMPANIONS: &[&str] = &[
    "config.log",
    "CMakeFiles/CMakeError.log",
    "CMakeFiles/CMakeConfigureLog.yaml",
    "meson-logs/meson-log.txt",
    "test-suite.log",
    "Testing/Temporary/LastTest.log",
];

/// How sure a cause must be for the files beside the log not to be asked, in percent.
const SURE: u8 = 75;

/// Reads a log and, where it says little, the files beside it: their names and their bytes.
pub fn diagnose_with(log: impl Read, companions: &[(&str, &[u8])]) -> io::Result<Diagnosis> {
    let mut diagnosis = diagnose_reader(log)?;
    let is_silent = diagnosis.facts.bytes == 0;
    let Some(shown) = diagnosis
        .cause
        .as_ref()
        .map(Question::of)
        .or(is_silent.then_some(Question::Anything))
    else {
        return Ok(diagnosis);
    };
    for (name, bytes) in companions {
        let Some((found, first_line)) = section(name, bytes, shown) else {
            continue;
        };
        let mut inner = diagnose(&found);
        let Some(mut cause) = inner.cause.take().filter(|cause| shown.is_answered_by(cause)) else {
            continue;
        };
        let later = first_line - 1;
        cause.line += later;
        cause.span = (cause.span.0 + later, cause.span.1 + later);
        for follow in &mut cause.explains {
            follow.line += later;
        }
        for quoted in &mut inner.excerpt {
            quoted.line += later;
        }
        cause.file = Some((*name).to_owned());
        if let Some(symptom) = &diagnosis.cause {
            cause.class = symptom.class;
            cause.phase = symptom.phase;
            // The log's own words are what the file explains, not a second thing that is missing.
            diagnosis
                .missing
                .retain(|missing| (missing.kind, &missing.subject) != (symptom.kind, &symptom.subject));
        }
        if cause.kind.is_missing() && !diagnosis.missing.iter().any(|missing| is_same(missing, &cause)) {
            diagnosis.missing.insert(0, cause.clone());
        }
        diagnosis.cause = Some(cause);
        diagnosis.excerpt = inner.excerpt;
        break;
    }
    Ok(diagnosis)
}

fn is_same(one: &Problem, other: &Problem) -> bool {
    (one.kind, &one.subject) == (other.kind, &other.subject)
}

/// What a log leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Question {
    /// Nothing.
    Nothing,
    /// Why a configuration stopped.
    Configuration,
    /// Why a test failed.
    Test,
    /// Everything: there is no log.
    Anything,
}

impl Question {
    fn of(cause: &Problem) -> Self {
        match cause.kind {
            Kind::TestFailed | Kind::TestCrashed | Kind::TestSetup => Self::Test,
            Kind::BrokenCompiler => Self::Configuration,
            Kind::Other if cause.phase == crate::Phase::Test => Self::Test,
            _ if cause.confidence < SURE && cause.class == crate::Class::Preparation => Self::Configuration,
            _ => Self::Nothing,
        }
    }

    fn is_answered_by(self, found: &Problem) -> bool {
        match self {
            Self::Nothing => false,
            Self::Anything => true,
            Self::Configuration => !found.kind.is_vague(),
            // A test says much that is none of its failure; what is not there at all is.
            Self::Test => {
                found.kind.is_missing()
                    || matches!(
                        found.kind,
                        Kind::Resources | Kind::Privileges | Kind::Network | Kind::ForeignProgram | Kind::LibcTooOld
                    )
            }
        }
    }
}

impl Kind {
    /// Whether a problem of this kind says little of what is wrong.
    pub(crate) fn is_vague(self) -> bool {
        matches!(
            self,
            Self::Other | Self::BuildFile | Self::BrokenCompiler | Self::TestFailed | Self::Recipe
        )
    }
}

/// The part of a file that bears on a question, with the number of its first line.
fn section<'a>(name: &str, bytes: &'a [u8], question: Question) -> Option<(Cow<'a, [u8]>, u64)> {
    let base = name.rsplit('/').next().unwrap_or(name);
    let asks_tests = matches!(question, Question::Test | Question::Anything);
    let asks_configuration = matches!(question, Question::Configuration | Question::Anything);
    match base {
        "config.log" if asks_configuration => {
            let (text, first) = last_failed_check(bytes)?;
            Some((Cow::Borrowed(text), first))
        }
        "CMakeError.log" | "meson-log.txt" if asks_configuration => Some((Cow::Borrowed(bytes), 1)),
        "CMakeConfigureLog.yaml" if asks_configuration => Some((Cow::Owned(without_indentation(bytes)), 1)),
        "test-suite.log" | "LastTest.log" if asks_tests => Some((Cow::Borrowed(bytes), 1)),
        _ => None,
    }
}

/// What the last command that failed before configure's own stop said: from its line to its status.
fn last_failed_check(log: &[u8]) -> Option<(&[u8], u64)> {
    let mut stop = None;
    let mut command = (0, 1);
    let mut failed = None;
    let mut offset = 0;
    for (number, raw) in (1..).zip(log.split_inclusive(|byte| *byte == b'\n')) {
        let end = offset + raw.len();
        if let Some(rest) = numbered(raw) {
            if rest.starts_with(b"$? = ") {
                if !rest.starts_with(b"$? = 0") {
                    failed = Some((command, end));
                }
            } else if rest.starts_with(b"error: ") {
                stop = failed;
            } else {
                command = (offset, number);
            }
        }
        offset = end;
    }
    let ((start, first), end) = stop.or(failed)?;
    Some((log.get(start..end)?, first))
}

/// The line behind `configure:123: `.
fn numbered(raw: &[u8]) -> Option<&[u8]> {
    let rest = raw.strip_prefix(b"configure:")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    rest.get(digits..)?.strip_prefix(b": ").filter(|_| digits > 0)
}

fn without_indentation(bytes: &[u8]) -> Vec<u8> {
    bytes
        .split_inclusive(|byte| *byte == b'\n')
        .flat_map(|line| {
            let blanks = line.iter().take_while(|byte| **byte == b' ').count();
            line.get(blanks..).unwrap_or_default()
        })
        .copied()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG_LOG: &[u8] = b"This file contains any messages\n\
        configure:2001: checking for gcc\n\
        configure:2010: gcc -o conftest conftest.c >&5\n\
        configure:2010: $? = 0\n\
        configure:3001: checking for foo\n\
        configure:3010: gcc -o conftest conftest.c -lfoo >&5\n\
        conftest.c:1:10: fatal error: foo/foo.h: No such file or directory\n\
        compilation terminated.\n\
        configure:3010: $? = 1\n\
        configure: failed program was:\n\
        | /* confdefs.h */\n\
        configure:3040: error: cannot find the Foo toolkit\n\
        ## Cache variables. ##\n";

    fn asked(log: &str, companions: &[(&str, &[u8])]) -> Option<(Kind, String, u64, Option<String>)> {
        let cause = diagnose_with(log.as_bytes(), companions).unwrap().cause?;
        Some((cause.kind, cause.subject, cause.line, cause.file))
    }

    #[test]
    fn what_configure_only_hints_at_its_log_names() {
        let log = "checking for x... yes\nconfigure: error: something about the toolkit\n";
        assert_eq!(
            asked(log, &[("config.log", CONFIG_LOG)]),
            Some((
                Kind::MissingHeader,
                "foo/foo.h".to_owned(),
                7,
                Some("config.log".to_owned())
            ))
        );
        assert_eq!(
            asked("", &[("config.log", CONFIG_LOG)]).map(|found| found.0),
            Some(Kind::MissingHeader)
        );
    }

    #[test]
    fn a_log_that_names_its_cause_needs_no_other() {
        let log = "a.c:1:10: fatal error: zlib.h: No such file or directory\n";
        assert_eq!(
            asked(log, &[("config.log", CONFIG_LOG)]),
            Some((Kind::MissingHeader, "zlib.h".to_owned(), 1, None))
        );
        assert_eq!(asked("all is well\n", &[("config.log", CONFIG_LOG)]), None);
    }

    #[test]
    fn broken_companions_say_nothing() {
        let log = "configure: error: something about the toolkit\n";
        for bytes in [&b""[..], b"\xff\xfe\0", b"configure:1: $? = 1\n", b"configure:: $? = 1"] {
            for name in COMPANIONS {
                assert_eq!(
                    asked(log, &[(name, bytes)]).map(|found| found.0),
                    Some(Kind::Other),
                    "{name}"
                );
            }
        }
    }
}
