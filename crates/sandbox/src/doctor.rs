//! What this machine can do for boxes, and how to get the rest.

use std::{
    fmt,
    path::Path,
    process::{Command, Stdio},
};

use fs_err as fs;
use seatrial_store::Home;
use serde::Serialize;

use crate::native::{Helper, IdMap};

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

/// Looks at this machine.
pub fn doctor(home: &Home, helper: &Path) -> Vec<Finding> {
    let mut findings = vec![ids(helper)];
    for (program, package, needed) in [
        ("mmdebstrap", "mmdebstrap", "makes images"),
        ("gpgv", "gpgv", "checks a distribution's signatures"),
        ("git", "git", "fetches git sources"),
    ] {
        let found = Command::new(program)
            .arg("--version")
            .stdin(Stdio::null())
            .output()
            .is_ok();
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
    findings.push(overlay());
    findings.push(disk(home));
    findings.push(Finding {
        name: "memory limits".to_owned(),
        ok: Ok::Partly,
        detail: format!(
            "control groups: {}; boxes do not use them yet, so a box's memory is not bounded",
            control_groups()
        ),
        remedy: String::new(),
    });
    findings
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

fn overlay() -> Finding {
    let known = fs::read_to_string("/proc/filesystems")
        .unwrap_or_default()
        .lines()
        .any(|line| line.ends_with("overlay"));
    Finding {
        name: "overlayfs".to_owned(),
        ok: if known { Ok::Yes } else { Ok::Partly },
        detail: if known {
            "known to the kernel".to_owned()
        } else {
            "not loaded; the kernel may load it when it is first used".to_owned()
        },
        remedy: if known {
            String::new()
        } else {
            "run `modprobe overlay`".to_owned()
        },
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

fn control_groups() -> &'static str {
    if Path::new("/sys/fs/cgroup/cgroup.controllers").exists() {
        "version 2"
    } else if Path::new("/sys/fs/cgroup/unified").exists() {
        "hybrid"
    } else if Path::new("/sys/fs/cgroup/memory").exists() {
        "version 1"
    } else {
        "none"
    }
}
