//! The kernel's parts that boxes are made of, each tried by itself.

use std::{io, os::unix::process::CommandExt, process::Command};

use nix::sched::{CloneFlags, unshare};

use super::{Finding, Ok, Subject};
use crate::native::{filter_calls, has_filter, prepare_filter};

/// The error by which a child that runs no program says that all went well.
const DONE: i32 = libc::ECANCELED;

/// Only makes system calls.
type Act = fn() -> io::Result<()>;

/// Tries something in a child process.
fn attempt(act: Act) -> io::Result<()> {
    // Never run: the child reports an error in any case.
    let mut command = Command::new("/proc/self/exe");
    let report = move || {
        act()?;
        Err(io::Error::from_raw_os_error(DONE))
    };
    // SAFETY: after the fork only system calls are made, with memory that was there before.
    unsafe { command.pre_exec(report) };
    match command.status() {
        Err(error) if error.raw_os_error() == Some(DONE) => Result::Ok(()),
        Err(error) => Err(error),
        Result::Ok(_) => Err(io::Error::other("the trial ran a program")),
    }
}

/// Each namespace together with one of users, as boxes use them.
pub(super) fn each(_: &Subject<'_>) -> Vec<Finding> {
    fn enter(flag: CloneFlags) -> io::Result<()> {
        Ok::<_, io::Error>(unshare(CloneFlags::CLONE_NEWUSER | flag)?)
    }
    use std::result::Result::Ok;
    let tries: [(&str, &str, Act); 6] = [
        ("mount namespaces", "max_mnt_namespaces", || {
            enter(CloneFlags::CLONE_NEWNS)
        }),
        ("process namespaces", "max_pid_namespaces", || {
            enter(CloneFlags::CLONE_NEWPID)
        }),
        ("network namespaces", "max_net_namespaces", || {
            enter(CloneFlags::CLONE_NEWNET)
        }),
        ("message and memory namespaces", "max_ipc_namespaces", || {
            enter(CloneFlags::CLONE_NEWIPC)
        }),
        ("host name namespaces", "max_uts_namespaces", || {
            enter(CloneFlags::CLONE_NEWUTS)
        }),
        ("control group namespaces", "max_cgroup_namespaces", || {
            enter(CloneFlags::CLONE_NEWCGROUP)
        }),
    ];
    tries
        .map(|(name, setting, act)| {
            let how = "a process entered one";
            match attempt(act) {
                Ok(()) => Finding::good(name, how, "works"),
                Err(error) => {
                    // Boxes do without the last one.
                    let ok = if name.starts_with("control") {
                        super::Ok::Partly
                    } else {
                        super::Ok::No
                    };
                    let remedy =
                        format!("run `sudo sysctl user.{setting}=10000`; in a container, allow it to make namespaces");
                    Finding::good(name, how, error.to_string()).but(ok, remedy)
                }
            }
        })
        .into()
}

/// The filter of system calls that boxes have.
pub(super) fn filters(_: &Subject<'_>) -> Vec<Finding> {
    let (name, how) = ("filters of system calls", "a process installed that of a box");
    if !has_filter() {
        let detail =
            "no filter is known for this processor; boxes are bounded by their capabilities and namespaces only";
        return vec![Finding::good(name, how, detail).but(Ok::Partly, "use an x86-64, arm64 or riscv64 machine")];
    }
    prepare_filter("/");
    vec![match attempt(filter_calls) {
        Result::Ok(()) => Finding::good(name, how, "works"),
        Err(error) => Finding::good(name, how, error.to_string()).but(
            Ok::Partly,
            "use a kernel with CONFIG_SECCOMP_FILTER; in a container, allow it to install filters",
        ),
    }]
}
