//! Programs, ids and room.

use std::process::{Command, Stdio};

use fs_err as fs;

use super::{Finding, Ok, Subject};
use crate::native::{Helper, IdMap};

/// A process enters a user namespace and gets the ids of a box.
pub(super) fn ids(subject: &Subject<'_>) -> Vec<Finding> {
    let (name, how) = ("user namespaces", "a process entered one and was given a box's ids");
    let tried = IdMap::of_this_user().and_then(|ids| Helper::start(subject.helper, &ids).map(|_| ids));
    let error = match tried {
        Result::Ok(ids) => {
            let detail = format!(
                "root in a box is user {} outside, its other users are {} and up",
                ids.root_uid, ids.uid_base
            );
            return vec![Finding::good(name, how, detail)];
        }
        Err(error) => error,
    };
    let setting = |name: &str| {
        fs::read_to_string(format!("/proc/sys/{name}"))
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    let remedy = if setting("user/max_user_namespaces") == "0" {
        "run `sudo sysctl user.max_user_namespaces=10000`"
    } else if setting("kernel/apparmor_restrict_unprivileged_userns") == "1" {
        "run `sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`, or start seatrial as root"
    } else if setting("kernel/unprivileged_userns_clone") == "0" {
        "run `sudo sysctl kernel.unprivileged_userns_clone=1`, or start seatrial as root"
    } else {
        "the message says what is needed; in a container, allow it to make user namespaces"
    };
    vec![Finding::good(name, how, error.to_string()).but(Ok::No, remedy)]
}

/// Ordinary users need two programs that write their id maps for them.
pub(super) fn id_map_programs(_: &Subject<'_>) -> Vec<Finding> {
    let (name, how) = ("newuidmap, newgidmap", "called");
    if rustix::process::geteuid().is_root() {
        return vec![Finding::good(name, how, "not needed by root")];
    }
    let found = ["newuidmap", "newgidmap"].into_iter().all(is_installed);
    vec![if found {
        Finding::good(name, how, "installed")
    } else {
        Finding::good(name, how, "not installed; they give a box its users")
            .but(Ok::No, "run `sudo apt-get install uidmap`")
    }]
}

/// Programs that make images and fetch sources.
pub(super) fn programs(_: &Subject<'_>) -> Vec<Finding> {
    let programs = [
        ("mmdebstrap", "mmdebstrap", "makes images"),
        ("gpgv", "gpgv", "checks a distribution's signatures"),
        ("git", "git", "fetches git sources"),
    ];
    programs
        .map(|(program, package, needed)| {
            if is_installed(program) {
                Finding::good(program, "called", needed)
            } else {
                Finding::good(program, "called", format!("not installed; it {needed}"))
                    .but(Ok::No, format!("run `sudo apt-get install {package}`"))
            }
        })
        .into()
}

/// Room for images, boxes and what is kept.
pub(super) fn disk(subject: &Subject<'_>) -> Vec<Finding> {
    let root = subject.home.root();
    let free = rustix::fs::statvfs(root).map_or(0, |known| known.f_bavail * known.f_frsize) >> 30;
    let ok = if free >= 10 {
        Ok::Yes
    } else if free >= 3 {
        Ok::Partly
    } else {
        Ok::No
    };
    let remedy = if ok == Ok::Yes {
        ""
    } else {
        "10 GiB are comfortable; set SEATRIAL_HOME to a larger disk, or run `seatrial cache gc`"
    };
    let detail = format!("{free} GiB free for {}", root.display());
    vec![Finding::good("disk", "the file system was asked", detail).but(ok, remedy)]
}

fn is_installed(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .is_ok()
}
