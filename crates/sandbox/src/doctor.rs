//! What this machine can do for boxes, and how to get the rest.

use std::{
    fmt,
    path::Path,
    process::{Command, Stdio},
};

use fs_err as fs;
use seatrial_core::Digest;
use seatrial_store::Home;
use serde::Serialize;

use crate::{
    BoxSpec, HostNetwork, Limits, NativeFactory, Network, SandboxError, Status,
    images::foreign,
    native::{Helper, IdMap, enforcement, has_filter, io_error, open_to_boxes, version_of_machine},
};

/// One thing that was looked at.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// What was looked at.
    pub name: String,
    /// Whether it is there.
    pub ok: Ok,
    /// What was found.
    pub detail: String,
    /// What a person can do about it; empty when nothing is needed.
    pub remedy: String,
}

/// Whether something is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ok {
    /// It is.
    Yes,
    /// It is not, and boxes work without it.
    Partly,
    /// It is not, and boxes do not work without it.
    No,
}

impl Finding {
    /// Whether boxes work in spite of it.
    pub fn usable(&self) -> bool {
        self.ok != Ok::No
    }
}

impl fmt::Display for Ok {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Yes => "ok",
            Self::Partly => "limited",
            Self::No => "missing",
        })
    }
}

/// Looks at this machine, by trying where trying is possible.
pub fn doctor(home: &Home, helper: &Path) -> Vec<Finding> {
    let mut findings = vec![ids(helper), id_map_programs()];
    // Without ids nothing else can be tried.
    if findings.iter().all(Finding::usable) {
        findings.push(whole_box(home, helper));
    }
    for (program, package, needed) in [
        ("mmdebstrap", "mmdebstrap", "makes images"),
        ("gpgv", "gpgv", "checks a distribution's signatures"),
        ("git", "git", "fetches git sources"),
    ] {
        let found = is_installed(program);
        findings.push(Finding {
            name: program.to_owned(),
            ok: if found { Ok::Yes } else { Ok::No },
            detail: if found {
                needed.to_owned()
            } else {
                format!("not installed; it {needed}")
            },
            remedy: if found {
                String::new()
            } else {
                format!("run `apt-get install {package}`")
            },
        });
    }
    findings.push(foreign::finding(home, helper));
    findings.push(disk(home));
    for limit in enforcement() {
        findings.push(Finding {
            name: format!("limit of {}", limit.limit),
            ok: if limit.enforced { Ok::Yes } else { Ok::Partly },
            detail: limit.how,
            remedy: String::new(),
        });
    }
    let filters = Path::new("/proc/sys/kernel/seccomp/actions_avail").exists() && has_filter();
    findings.push(Finding {
        name: "system call filters".to_owned(),
        ok: if filters { Ok::Yes } else { Ok::Partly },
        detail: format!("control groups: {}", version_of_machine()),
        remedy: String::new(),
    });
    findings
}

fn is_installed(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .is_ok()
}

/// Ordinary users need two programs that write their id maps for them.
fn id_map_programs() -> Finding {
    let name = "newuidmap, newgidmap".to_owned();
    if rustix::process::geteuid().is_root() {
        return Finding {
            name,
            ok: Ok::Yes,
            detail: "not needed by root".to_owned(),
            remedy: String::new(),
        };
    }
    let found = ["newuidmap", "newgidmap"].into_iter().all(is_installed);
    Finding {
        name,
        ok: if found { Ok::Yes } else { Ok::No },
        detail: if found {
            "installed"
        } else {
            "not installed; they give a box its users"
        }
        .to_owned(),
        remedy: if found {
            String::new()
        } else {
            "run `apt-get install uidmap`".to_owned()
        },
    }
}

/// Makes a box without anything in it and runs a program that is not there: the answer "no such program" comes from
/// inside the box, so all of it works.
fn whole_box(home: &Home, helper: &Path) -> Finding {
    let name = "overlayfs and namespaces".to_owned();
    match try_box(home, helper, Network::Off) {
        Result::Ok(()) => Finding {
            name,
            ok: Ok::Yes,
            detail: "an empty box was made, entered and left".to_owned(),
            remedy: String::new(),
        },
        Err(error) => {
            let network_only = try_box(home, helper, Network::Host).is_ok();
            let text = error.to_string();
            let remedy = if network_only {
                "boxes without a network cannot be made here; allow network namespaces (`sysctl user.max_net_namespaces`)"
            } else if text.contains("overlay") {
                "run `modprobe overlay`, and keep SEATRIAL_HOME on ext4, xfs, btrfs or tmpfs (not on an overlay itself)"
            } else if text.contains("/proc") {
                "this machine hides parts of /proc, as containers do; start the container with an unmasked /proc"
            } else {
                "the message says what the kernel refused; in a container, allow it to make namespaces and mounts"
            };
            Finding {
                name,
                ok: Ok::No,
                detail: text,
                remedy: remedy.to_owned(),
            }
        }
    }
}

fn try_box(home: &Home, helper: &Path, network: Network) -> Result<(), SandboxError> {
    let room = home.cache("doctor")?;
    let folder = tempfile::tempdir_in(&room).map_err(io_error("a folder for the trial box"))?;
    let image = folder.path().join("rootfs");
    for part in ["dev", "proc", "sys"] {
        fs::create_dir_all(image.join(part)).map_err(io_error("a folder for the trial box"))?;
    }
    for path in [
        &home.root().join("cache"),
        &room,
        folder.path(),
        &image,
        &image.join("dev"),
        &image.join("proc"),
    ] {
        open_to_boxes(path)?;
    }
    let factory = NativeFactory::new(home, helper.to_owned(), HostNetwork::default())?;
    let inside = image.strip_prefix(home.root()).unwrap_or(&image).display().to_string();
    let limits = Limits {
        host_reserve_bytes: 0,
        ..Limits::default()
    };
    let spec = BoxSpec {
        image: Digest::of(b""),
        limits,
        network,
    };
    let mut command = crate::Command::bash("");
    command.argv = vec!["/no-such-program".to_owned()];
    let execution = factory.start_from(inside, &spec)?.exec(&command, &mut Vec::new())?;
    if execution.status == Status::Exited(127) {
        Result::Ok(())
    } else {
        Err(SandboxError::Died(format!(
            "its first command ended with {:?}",
            execution.status
        )))
    }
}

fn ids(helper: &Path) -> Finding {
    let name = "user namespaces".to_owned();
    match IdMap::of_this_user().and_then(|ids| Helper::start(helper, &ids).map(|_| ids)) {
        Ok(ids) => Finding {
            name,
            ok: Ok::Yes,
            detail: format!("root in a box is user {} outside", ids.root_uid),
            remedy: String::new(),
        },
        Err(error) => {
            let limit = fs::read_to_string("/proc/sys/user/max_user_namespaces").unwrap_or_default();
            let apparmor =
                fs::read_to_string("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").unwrap_or_default();
            let clone = fs::read_to_string("/proc/sys/kernel/unprivileged_userns_clone").unwrap_or_default();
            let remedy = if limit.trim() == "0" {
                "run `sysctl user.max_user_namespaces=10000`"
            } else if apparmor.trim() == "1" {
                "run `sysctl kernel.apparmor_restrict_unprivileged_userns=0`, or start seatrial as root"
            } else if clone.trim() == "0" {
                "run `sysctl kernel.unprivileged_userns_clone=1`, or start seatrial as root"
            } else {
                "the message above says what is needed"
            };
            Finding {
                name,
                ok: Ok::No,
                detail: error.to_string(),
                remedy: remedy.to_owned(),
            }
        }
    }
}

fn disk(home: &Home) -> Finding {
    let free = rustix::fs::statvfs(home.root()).map_or(0, |known| known.f_bavail * known.f_frsize) >> 30;
    let ok = if free >= 10 {
        Ok::Yes
    } else if free >= 3 {
        Ok::Partly
    } else {
        Ok::No
    };
    Finding {
        name: "disk".to_owned(),
        ok,
        detail: format!("{free} GiB free for {}", home.root().display()),
        remedy: if ok == Ok::Yes {
            String::new()
        } else {
            "10 GiB are comfortable; set SEATRIAL_HOME to a larger disk".to_owned()
        },
    }
}
