//! Programs of other architectures: the kernel's table of interpreters, of which each user namespace has its own.
//!
//! The table of a box is empty but for what is registered here, and nothing of it is seen on the host. Interpreters are
//! opened when they are registered (flag `F`), so they need not be in the box.

use std::io;

use rustix::mount::{MountFlags, mount};

use super::supervisor::{Failure, What};

/// Mounts the namespace's table at a folder, made where it is missing, and registers what the lines say. Without lines
/// nothing is done: the table costs a mount.
pub(super) fn register(place: &str, lines: &[String]) -> Result<(), Failure> {
    if lines.is_empty() {
        return Ok(());
    }
    std::fs::create_dir_all(place).what(place)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("binfmt_misc", place, "binfmt_misc", flags, None)
        .map_err(|error| match io::Error::from(error) {
            error if error.raw_os_error() == Some(libc::EPERM) => io::Error::other(
                "this kernel has one table of interpreters for all (Linux 6.7 and newer give each box its own); \
                 `seatrial doctor` says what helps",
            ),
            error => error,
        })
        .what("the table of interpreters (binfmt_misc)")?;
    for line in lines {
        // One write is one registration.
        std::fs::write(format!("{place}/register"), line)
            .what(format!("registering {}", line.split(':').nth(1).unwrap_or_default()))?;
    }
    Ok(())
}
