//! The filter of system calls that every program in a box has.
//!
//! It is a second wall: nearly all that it denies is refused by the kernel anyway, because a box has few capabilities and
//! can make no namespaces. It keeps what the kernel gets wrong out of reach. Debuggers work: `ptrace` and what belongs
//! to it are allowed, and reach a box's own processes only.
//!
//! 32-bit programs run under the same rules where the processor's 64-bit kind has them (x86, ARM). Elsewhere, and for
//! kinds of programs that nobody has thought of, the first call ends the program.
//!
//! Why no library: the usual one knows one kind of programs in a filter and one answer, and kills all others; and it
//! tests one number after another, which the kernel repeats for every number when the filter is installed, hence for
//! every command.

mod program;
mod table;

use std::{io, sync::OnceLock};

use self::table::{DENIED, Group, SOCKETCALL};

/// A call that boxes may not make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeniedCall {
    /// Its name.
    pub name: &'static str,
    /// Its number for this machine's own programs; `None` when they have no such call.
    pub number: Option<i64>,
    /// With which arguments.
    pub when: String,
    /// What the caller is told.
    pub answer: &'static str,
    /// Why it is denied.
    pub why: &'static str,
}

/// All calls that boxes may not make.
pub fn denied_calls() -> Vec<DeniedCall> {
    DENIED
        .iter()
        .chain([&SOCKETCALL])
        .flat_map(|group| {
            group.calls.iter().map(|call| DeniedCall {
                name: call.name,
                number: abis()
                    .first()
                    .and_then(|abi| call.numbers.get(abi.column).copied())
                    .filter(|number| *number >= 0),
                when: group.when.to_string(),
                answer: group.answer.name(),
                why: group.why,
            })
        })
        .collect()
}

/// Which kinds of programs this machine's kernel runs, the main one first; none where no filter is known.
fn abis() -> &'static [program::Abi] {
    if cfg!(target_arch = "x86_64") {
        &[program::X86_64, program::I386]
    } else if cfg!(target_arch = "aarch64") {
        &[program::AARCH64, program::ARM]
    } else if cfg!(target_arch = "riscv64") {
        &[program::RISCV64]
    } else {
        &[]
    }
}

/// Whether there is a filter for this machine's processor.
pub(crate) fn is_known() -> bool {
    !abis().is_empty()
}

static FILTER: OnceLock<Vec<libc::sock_filter>> = OnceLock::new();

/// Makes the filter that [`install`] installs from here on. `is_32_bit` says that the image's own programs are.
pub(crate) fn prepare(is_32_bit: bool) {
    let mut groups: Vec<&Group> = DENIED.iter().collect();
    if !is_32_bit {
        groups.push(&SOCKETCALL);
    }
    FILTER.get_or_init(|| match abis() {
        [] => Vec::new(),
        abis => program::assemble(abis, &groups),
    });
}

/// Installs the filter for this process and all that it starts. It must have given up new privileges before.
pub(crate) fn install() -> io::Result<()> {
    let Some(filter) = FILTER.get().filter(|filter| !filter.is_empty()) else {
        return Ok(());
    };
    let program = libc::sock_fprog {
        len: filter.len() as libc::c_ushort,
        filter: filter.as_ptr().cast_mut(),
    };
    // SAFETY: the program and what it points to live until the call returns, and the kernel only reads them.
    let done = unsafe {
        libc::prctl(
            libc::PR_SET_SECCOMP,
            libc::SECCOMP_MODE_FILTER,
            &raw const program,
            0,
            0,
        )
    };
    if done == 0 {
        return Ok(());
    }
    match io::Error::last_os_error() {
        // A kernel without filters: what the box may do is bounded by its capabilities then.
        error if error.raw_os_error() == Some(libc::EINVAL) => Ok(()),
        error => Err(error),
    }
}
