//! What a box sees of the kernel's own trees: a `/proc` of its own with the host's parts covered, and of `/sys` only what
//! build tools read.

use std::{ffi::CString, io, mem::size_of, path::Path};

use rustix::{
    fs::{CWD, Mode, mkdirat},
    mount::{MountFlags, mount, mount_bind, mount_bind_recursive, mount_remount},
};

use super::{
    cgroups::GroupView,
    supervisor::{Failure, What},
};

/// The supervisor's view of `/sys`, from which each command's is bound.
pub(crate) const SYS: &str = "/sys";
/// An empty folder of the supervisor's, which nobody can fill.
pub(crate) const EMPTY: &str = "/empty";

/// Folders of `/proc` that tell of the host's hardware and file systems, or set them up.
const HIDDEN_FOLDERS: [&str; 7] = ["acpi", "asound", "bus", "driver", "fs", "irq", "scsi"];
/// Files of `/proc` that tell of the host's kernel, keys and memory, or command them.
const HIDDEN_FILES: [&str; 15] = [
    "iomem",
    "ioports",
    "interrupts",
    "kallsyms",
    "kcore",
    "keys",
    "key-users",
    "kmsg",
    "latency_stats",
    "modules",
    "sched_debug",
    "slabinfo",
    "sysrq-trigger",
    "timer_list",
    "vmallocinfo",
];

/// Parts of `/sys` that programs read to find out how many processors there are and how large pages of memory can be.
const SHOWN: [&str; 3] = [
    "devices/system/cpu",
    "devices/system/node",
    "kernel/mm/transparent_hugepage",
];

/// Makes the empty folder.
pub(crate) fn make_empty(place: &str) -> Result<(), Failure> {
    let closed = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC | MountFlags::RDONLY;
    mount("tmpfs", place, "tmpfs", closed, Some(c"mode=0555,size=4k")).what("an empty folder")
}

/// Makes the view of `/sys`: the processors, the memory's nodes, and the box's own control groups, all of it read-only.
/// What cannot be shown is left out.
pub(crate) fn make_sys(place: &str, groups: &[GroupView]) -> Result<(), Failure> {
    let closed = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("tmpfs", place, "tmpfs", closed, Some(c"mode=0755,size=64k")).what("/sys")?;
    let mut shown = vec![place.to_owned()];
    for part in SHOWN {
        let source = format!("/sys/{part}");
        let target = format!("{place}/{part}");
        if Path::new(&source).is_dir() && make_folders(place, part).is_ok() && mount_bind(&source, &target).is_ok() {
            shown.push(target);
        }
    }
    if make_folders(place, "fs/cgroup").is_ok() {
        for group in groups {
            let part = format!("fs/cgroup/{}", group.folder);
            let target = format!("{place}/{part}");
            let Ok(options) = CString::new(group.options.as_str()) else {
                continue;
            };
            let options = Some(options.as_c_str()).filter(|options| !options.is_empty());
            if make_folders(place, &part).is_ok()
                && mount(group.kind.as_str(), &target, group.kind.as_str(), closed, options).is_ok()
            {
                shown.push(target);
            }
        }
    }
    if make_read_only(place).is_ok() {
        return Ok(());
    }
    // Kernels before 5.12 change one mount at a time.
    for target in shown {
        mount_remount(&target, closed | MountFlags::BIND | MountFlags::RDONLY, "").what("a read-only /sys")?;
    }
    Ok(())
}

/// Covers, in the tree of one command, what is not for it. Its `/proc` is mounted.
pub(crate) fn cover(root: &str) -> Result<(), Failure> {
    // An image may have no such folder.
    let _ = mount_bind_recursive(SYS, format!("{root}/sys"));
    for name in HIDDEN_FOLDERS {
        lay(EMPTY, &format!("{root}/proc/{name}"))?;
    }
    for name in HIDDEN_FILES {
        lay("/dev/null", &format!("{root}/proc/{name}"))?;
    }
    let settings = format!("{root}/proc/sys");
    mount_bind(&settings, &settings).what("/proc/sys")?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount_remount(&settings, flags | MountFlags::BIND | MountFlags::RDONLY, "").what("/proc/sys")
}

/// Lays something over a part of the tree that this kernel may not have.
fn lay(cover: &str, part: &str) -> Result<(), Failure> {
    match mount_bind(cover, part) {
        Ok(()) | Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) => Ok(()),
        Err(error) => Err(error).what(part),
    }
}

fn make_folders(place: &str, part: &str) -> io::Result<()> {
    let mut path = place.to_owned();
    for name in part.split('/').filter(|name| !name.is_empty()) {
        path.push('/');
        path.push_str(name);
        match mkdirat(CWD, &path, Mode::from_raw_mode(0o755)) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Makes a mount and all below it read-only, in one call.
fn make_read_only(place: &str) -> io::Result<()> {
    let place = CString::new(place).map_err(io::Error::other)?;
    let closed = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV | libc::MOUNT_ATTR_NOEXEC;
    let attributes = libc::mount_attr {
        attr_set: closed,
        attr_clr: 0,
        propagation: 0,
        userns_fd: 0,
    };
    // SAFETY: the path and the structure live until the call returns, and its size is told.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            place.as_ptr(),
            libc::AT_RECURSIVE,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    if done == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}
