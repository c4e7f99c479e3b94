//! The one place where errors become messages and exit codes.

use std::{fmt::Write as _, io::Write as _, path::Path};

use seatrial_core::{ExitCode, InvalidReason};
use seatrial_store::governor::free_bytes;

use crate::amounts::bytes;

/// What is printed when a verb cannot do its work.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: ExitCode,
    pub(crate) message: String,
    /// Whether a disk without room is what it is about.
    pub(crate) disk_full: bool,
}

/// Less than this is no room.
const LITTLE: u64 = 16 << 20;

impl Failure {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self {
            code: ExitCode::Usage,
            message: message.into(),
            disk_full: false,
        }
    }

    pub(crate) fn nothing_run(message: impl Into<String>) -> Self {
        Self {
            code: ExitCode::NothingRun,
            message: message.into(),
            disk_full: false,
        }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self {
            code: ExitCode::Invalid,
            message: message.into(),
            disk_full: false,
        }
    }

    pub(crate) fn interrupted() -> Self {
        Self {
            code: ExitCode::Interrupted,
            message: "interrupted".to_owned(),
            disk_full: false,
        }
    }

    /// Names the folders whose disks are full, where that is what it is about: the error itself may name none.
    pub(crate) fn among(mut self, places: &[(&str, &Path, &str)]) -> Self {
        if !self.disk_full {
            return self;
        }
        let full: Vec<_> = places
            .iter()
            .filter_map(|place| {
                // What is not there yet would lie on the disk of what is above it.
                let free = place.1.ancestors().find_map(|folder| free_bytes(folder).ok())?;
                (free < LITTLE).then_some((place, free))
            })
            .collect();
        for ((what, path, step), free) in &full {
            let _ = write!(
                self.message,
                "\n  the disk of {what} {} has {} left: {step}",
                path.display(),
                bytes(*free)
            );
        }
        if full.is_empty() {
            let names: Vec<_> = places
                .iter()
                .map(|(what, path, step)| format!("{what} {} ({step})", path.display()))
                .collect();
            let _ = write!(
                self.message,
                "\n  there is room by now on the disks of {}",
                names.join(" and of ")
            );
        }
        self.message.push_str("\n  then run the same command again");
        self
    }

    /// Says it. A place that takes no text is no reason to fail differently: the exit code still tells.
    pub(crate) fn print(&self, json: bool) {
        if json {
            let answer = serde_json::json!({ "error": self.message, "exit_code": self.code as u8 });
            drop(writeln!(std::io::stdout(), "{answer}"));
        }
        drop(writeln!(
            std::io::stderr(),
            "error: {}",
            seatrial_report::visible(&self.message)
        ));
    }
}

/// The message, with what to do about a full disk.
fn disk_full(error: &dyn std::fmt::Display) -> Failure {
    Failure {
        disk_full: true,
        ..Failure::invalid(format!("{error}: the disk is full"))
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => disk_full(&error),
            _ => Self::invalid(error.to_string()),
        }
    }
}

impl From<seatrial_store::StoreError> for Failure {
    fn from(error: seatrial_store::StoreError) -> Self {
        if error.is_disk_full() {
            disk_full(&error)
        } else {
            Self::invalid(error.to_string())
        }
    }
}

impl From<seatrial_source::SourceError> for Failure {
    fn from(error: seatrial_source::SourceError) -> Self {
        match error.invalid_reason() {
            // A broken or hostile archive is bad input, not bad infrastructure.
            None | Some(InvalidReason::Task) => Self::usage(error.to_string()),
            Some(InvalidReason::DiskFull) => disk_full(&error),
            Some(_) => Self::invalid(error.to_string()),
        }
    }
}

impl From<seatrial_sandbox::SandboxError> for Failure {
    fn from(error: seatrial_sandbox::SandboxError) -> Self {
        match error {
            seatrial_sandbox::SandboxError::Interrupted => Self::interrupted(),
            seatrial_sandbox::SandboxError::NoImage(_) => Self::usage(error.to_string()),
            error if error.invalid_reason() == InvalidReason::DiskFull => disk_full(&error),
            error => Self::invalid(error.to_string()),
        }
    }
}

impl From<seatrial_packages::PackagesError> for Failure {
    fn from(error: seatrial_packages::PackagesError) -> Self {
        use seatrial_packages::PackagesError;
        let failure = match error {
            PackagesError::Source(error) => error.into(),
            PackagesError::Store(error) => error.into(),
            PackagesError::Io(error) => error.into(),
            error => Self::invalid(error.to_string()),
        };
        Self {
            code: ExitCode::Invalid,
            message: format!("cannot make the package index: {}", failure.message),
            ..failure
        }
    }
}

impl From<seatrial_suites::SuiteError> for Failure {
    fn from(error: seatrial_suites::SuiteError) -> Self {
        use seatrial_suites::SuiteError;
        match error {
            SuiteError::Io(error) => error.into(),
            SuiteError::Sandbox(error) => error.into(),
            error => Self::invalid(error.to_string()),
        }
    }
}

impl From<seatrial_packaging::PackageError> for Failure {
    fn from(error: seatrial_packaging::PackageError) -> Self {
        use seatrial_packaging::PackageError;
        match error {
            PackageError::Io(error) => error.into(),
            error => Self::usage(error.to_string()),
        }
    }
}

impl From<seatrial_suites::CorpusError> for Failure {
    fn from(error: seatrial_suites::CorpusError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<seatrial_suites::MutationError> for Failure {
    fn from(error: seatrial_suites::MutationError) -> Self {
        use seatrial_suites::MutationError;
        match error {
            MutationError::Io(error) => error.into(),
            MutationError::Sandbox(error) => error.into(),
            MutationError::Source(error) => error.into(),
            MutationError::NoSet(_)
            | MutationError::Newer { .. }
            | MutationError::Malformed { .. }
            | MutationError::Catalogue { .. } => Self::usage(error.to_string()),
        }
    }
}

impl From<seatrial_suites::CrossError> for Failure {
    fn from(error: seatrial_suites::CrossError) -> Self {
        use seatrial_suites::CrossError;
        match error {
            CrossError::Source(error) => error.into(),
            CrossError::Corpus(error) => error.into(),
            CrossError::Store(error) => error.into(),
            CrossError::Io(error) => error.into(),
            CrossError::Catalogue { .. } => Self::usage(error.to_string()),
            CrossError::Package(_) | CrossError::Rebuild(_) | CrossError::Name(_) => Self::invalid(error.to_string()),
        }
    }
}

impl From<seatrial_suites::ImportError> for Failure {
    fn from(error: seatrial_suites::ImportError) -> Self {
        use seatrial_suites::ImportError;
        match error {
            ImportError::Source(error) => error.into(),
            ImportError::Corpus(error) => error.into(),
            ImportError::Io(error) => error.into(),
            ImportError::NoCases(_) => Self::nothing_run(error.to_string()),
            ImportError::OtherSuite { .. } | ImportError::Name(_) => Self::usage(error.to_string()),
        }
    }
}

impl From<seatrial_suites::MineError> for Failure {
    fn from(error: seatrial_suites::MineError) -> Self {
        use seatrial_suites::MineError;
        match error {
            MineError::Source(error) => error.into(),
            MineError::Corpus(error) => error.into(),
            MineError::Io(error) => error.into(),
            MineError::Name(_) | MineError::Empty { .. } => Self::invalid(error.to_string()),
        }
    }
}

impl From<seatrial_egress::EgressError> for Failure {
    fn from(error: seatrial_egress::EgressError) -> Self {
        use seatrial_egress::EgressError;
        match error {
            EgressError::Store(error) => error.into(),
            EgressError::Io(error) => error.into(),
            EgressError::Entry { .. } | EgressError::Proxy { .. } => Self::usage(error.to_string()),
            EgressError::Certificate { .. } | EgressError::Index { .. } | EgressError::NoIndex(_) => {
                Self::invalid(error.to_string())
            }
        }
    }
}

impl From<seatrial_trial::TrialError> for Failure {
    fn from(error: seatrial_trial::TrialError) -> Self {
        use seatrial_trial::TrialError;
        match error {
            TrialError::Interrupted => Self::interrupted(),
            TrialError::NoRun(..) | TrialError::Corpus(_) => Self::usage(error.to_string()),
            TrialError::Store(error) => error.into(),
            TrialError::Io(error) => error.into(),
            TrialError::Egress(error) => error.into(),
            TrialError::NoRoom { .. } | TrialError::Busy(_) | TrialError::Lock { .. } | TrialError::Sink(_) => {
                Self::invalid(error.to_string())
            }
        }
    }
}
