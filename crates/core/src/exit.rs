//! Exit codes of the command line. Zero is never returned when nothing was built.

/// What the process tells its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// Everything asked for was done and passed.
    Passed = 0,
    /// It ran, and the verdict is `failed`.
    Failed = 1,
    /// The command line or an input file is wrong.
    Usage = 2,
    /// Nothing was run (for instance: no task matched).
    NothingRun = 3,
    /// The infrastructure, not the task, is at fault.
    Invalid = 4,
    /// The budget was spent before an answer was reached.
    BudgetSpent = 5,
    /// Stopped by the user.
    Interrupted = 130,
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code as u8)
    }
}
