//! What every process of a box gives up before it becomes what was asked for, in the order in which it must happen.

use std::{fs, io, sync::OnceLock};

use nix::sys::resource::{Resource, setrlimit};
use rustix::fs::{Mode, OFlags, ResolveFlags, open, openat2};

use super::{
    layers::{IMAGE, MERGED},
    masks, seccomp,
    supervisor::{Failure, What},
    wire::{ExecRequest, StartRequest},
};

/// Capabilities that root in a box keeps: what package managers and build tools use on files, users and processes.
/// Everything that reaches into the kernel (mounting, tracing, devices, raw sockets, time, the network's set-up) is given
/// up; making devices is refused in a user namespace with the capability, too.
pub(crate) const KEPT_CAPABILITIES: [u32; 11] = [
    0,  // chown
    1,  // dac_override
    3,  // fowner
    4,  // fsetid
    5,  // kill
    6,  // setgid
    7,  // setuid
    8,  // setpcap: to give up more
    10, // net_bind_service
    18, // sys_chroot
    31, // setfcap
];

/// How much more likely than the host's processes a box's are ended when memory runs out; it keeps the supervisor alive
/// beside the command that used the memory up.
const LIKELIER: &str = "500";

/// Bytes of a core file. Of all values only 1 keeps cores both from files and from a crash handler of the host's.
const CORE_BYTES: u64 = 1;

/// Bytes that a process may keep from being swapped out.
const LOCKED_BYTES: u64 = 64 << 20;

/// The smallest bound that the kernel takes for the numbers of processes.
const LEAST_NUMBERS: u64 = 301;

static NUMBERS: OnceLock<Option<u64>> = OnceLock::new();

/// Gets ready, once for a box; its tree is mounted.
pub(crate) fn prepare(start: &StartRequest) {
    NUMBERS.get_or_init(|| start.processes.map(|processes| processes.max(LEAST_NUMBERS)));
    prepare_filter(IMAGE);
}

/// Makes the filter of system calls that fits a tree's programs.
pub(crate) fn prepare_filter(root: &str) {
    seccomp::prepare(is_32_bit(root));
}

/// Whether a tree's own programs are 32-bit ones of x86.
fn is_32_bit(root: &str) -> bool {
    let Ok(image) = open(root, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()) else {
        return false;
    };
    ["bin/sh", "usr/bin/env", "bin/busybox"].iter().any(|program| {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let opened = openat2(&image, *program, flags, Mode::empty(), ResolveFlags::IN_ROOT);
        let mut head = [0_u8; 20];
        let read = opened.ok().and_then(|file| rustix::io::read(&file, &mut head).ok());
        // Its class, then the machine: ELF gABI, chapter 4.
        read == Some(head.len()) && head.starts_with(b"\x7fELF\x01") && head.ends_with(&[3, 0])
    })
}

/// Walls of a command's namespaces; its `/proc` is mounted, and this process is the first one in there.
pub(crate) fn raise_around() -> Result<(), Failure> {
    if let Some(Some(numbers)) = NUMBERS.get() {
        // Kernels before 6.14 have one such bound for the whole machine, and refuse.
        drop(fs::write(
            format!("{MERGED}/proc/sys/kernel/pid_max"),
            numbers.to_string(),
        ));
    }
    masks::cover(MERGED)
}

/// Walls of a command's main process and all that it starts; it is in the box's tree.
pub(crate) fn raise(request: &ExecRequest) -> Result<(), Failure> {
    // Hidden as a copy of the supervisor, this process may not write to its own files in `/proc`. Only the namespace's
    // first process is beside it yet, and no one else can look.
    nix::sys::prctl::set_dumpable(true).what("being an ordinary process")?;
    drop(fs::write("/proc/self/oom_score_adj", LIKELIER));
    for (resource, value) in [
        (Resource::RLIMIT_CORE, CORE_BYTES),
        (Resource::RLIMIT_NOFILE, request.open_files),
        (Resource::RLIMIT_FSIZE, request.file_bytes),
        (Resource::RLIMIT_NPROC, request.processes),
        (Resource::RLIMIT_MEMLOCK, LOCKED_BYTES),
    ] {
        // A hard limit of the host that is lower stays as it is.
        let (_, hard) = nix::sys::resource::getrlimit(resource).what("limits")?;
        let value = value.min(hard);
        setrlimit(resource, value, value).what("limits")?;
    }
    for capability in 0..64 {
        if !KEPT_CAPABILITIES.contains(&capability) {
            // SAFETY: a plain system call; numbers that the kernel does not know are refused and do not matter.
            unsafe { libc::prctl(libc::PR_CAPBSET_DROP, libc::c_ulong::from(capability), 0, 0, 0) };
        }
    }
    filter().what("a filter of system calls")
}

/// The filter alone, for a process of ours that works on a box's files.
pub(crate) fn filter() -> io::Result<()> {
    nix::sys::prctl::set_no_new_privs()?;
    seccomp::install()
}

/// Leaves the session's keyring of whoever started the harness; a kernel without keyrings has none to leave.
pub(crate) fn leave_keyring() {
    const JOIN_SESSION_KEYRING: libc::c_long = 1;
    // SAFETY: a plain system call; without a name it takes no memory.
    unsafe { libc::syscall(libc::SYS_keyctl, JOIN_SESSION_KEYRING, 0) };
}
