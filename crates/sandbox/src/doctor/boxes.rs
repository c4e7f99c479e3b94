//! Whole boxes, and each limit in one.

use fs_err as fs;
use seatrial_core::{Digest, Platform};

use super::{Finding, Ok, Subject};
use crate::{
    BoxSpec, Command, Execution, ImageStore, Limits, NativeFactory, Network, SandboxError, SandboxFactory, Status,
    native::{enforcement, io_error, open_to_boxes, version_of_machine},
};

/// Makes a box without anything in it and runs a program that is not there: the answer "no such program" comes from
/// inside the box, so all of it works.
pub(super) fn whole(subject: &Subject<'_>) -> Vec<Finding> {
    let (name, how) = ("overlayfs and namespaces", "an empty box was made, entered and left");
    let Err(error) = try_empty(subject) else {
        return vec![Finding::good(name, how, "works")];
    };
    let text = error.to_string();
    let remedy = if text.contains("network namespace") {
        "boxes without a network cannot be made here; run `sudo sysctl user.max_net_namespaces=10000`"
    } else if text.contains("overlay") {
        "run `sudo modprobe overlay`, and keep SEATRIAL_HOME on ext4, xfs, btrfs or tmpfs (not on an overlay itself)"
    } else if text.contains("/proc") {
        "this machine hides parts of /proc, as containers do; start the container with an unmasked /proc"
    } else {
        "the message says what the kernel refused; in a container, allow it to make namespaces and mounts"
    };
    vec![Finding::good(name, how, text).but(Ok::No, remedy)]
}

fn try_empty(subject: &Subject<'_>) -> Result<(), SandboxError> {
    let home = subject.home;
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
        &image.join("sys"),
    ] {
        open_to_boxes(path)?;
    }
    let factory = NativeFactory::new(home, subject.helper.to_owned())?;
    let inside = image.strip_prefix(home.root()).unwrap_or(&image).display().to_string();
    let spec = BoxSpec {
        image: Digest::of(b""),
        limits: Limits {
            host_reserve_bytes: 0,
            ..Limits::default()
        },
        network: Network::Off,
    };
    let mut command = Command::bash("");
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

/// Which kind of control groups there is.
pub(super) fn groups(_: &Subject<'_>) -> Vec<Finding> {
    let (name, how) = ("control groups", "the list of mounts was read");
    let version = version_of_machine();
    let finding = Finding::good(name, how, version);
    vec![if version == "none" {
        finding.but(Ok::Partly, "run `sudo mount -t cgroup2 none /sys/fs/cgroup`")
    } else {
        finding
    }]
}

/// A limit, how it is set, a command that goes over it, and whether it was stopped.
struct Trial {
    limit: &'static str,
    set: fn(&mut Limits),
    script: &'static str,
    is_kept: fn(&Execution, &str) -> bool,
}

const TRIALS: [Trial; 6] = [
    Trial {
        limit: "memory",
        set: |limits| limits.memory_bytes = Some(64 << 20),
        script: "head -c 300000000 /dev/zero | tail -c 200000000 | wc -c",
        is_kept: |execution, _| execution.memory_kills > 0,
    },
    Trial {
        limit: "cpu",
        set: |limits| limits.cpu_millis = Some(100),
        script: "timeout 1 sh -c 'while :; do :; done'",
        is_kept: |execution, _| execution.cpu < execution.wall / 2,
    },
    Trial {
        limit: "processes",
        set: |limits| limits.processes = 310,
        // Not Bash, which waits and tries again.
        script: "sh -c 'n=0; while [ $n -lt 330 ]; do sleep 100 & n=$((n + 1)); done; echo all' 2> /dev/null",
        is_kept: |_, said| !said.contains("all"),
    },
    Trial {
        limit: "disk",
        set: |limits| limits.disk_bytes = 1 << 20,
        script: "head -c 8000000 /dev/zero > /fill",
        is_kept: |execution, _| execution.status == Status::DiskLimit,
    },
    Trial {
        limit: "open files",
        set: |limits| limits.open_files = 20,
        script: "for i in $(seq 30 60); do eval \"exec $i< /dev/null\" || exit 3; done",
        is_kept: |execution, _| execution.status != Status::Exited(0),
    },
    Trial {
        limit: "file size",
        set: |limits| limits.file_bytes = 1 << 20,
        script: "exec head -c 2000000 /dev/zero > /fill",
        is_kept: |execution, _| execution.status == Status::Signaled(libc::SIGXFSZ),
    },
];

/// Each limit: what keeps it, and where there is an image, whether it is kept when a box goes over it.
pub(super) fn limits(subject: &Subject<'_>) -> Vec<Finding> {
    let images = ImageStore::new(subject.home, subject.helper.to_owned());
    let image = images.find(&Platform::default_host()).ok().flatten();
    let factory = NativeFactory::new(subject.home, subject.helper.to_owned()).ok();
    let mut findings = Vec::new();
    for known in enforcement() {
        let name = format!("limit of {}", known.limit);
        if !known.enforced {
            let (why, remedy) = known.how.split_once("; ").unwrap_or((&known.how, ""));
            findings.push(Finding::good(name, "a control group was tried", why).but(Ok::Partly, remedy));
            continue;
        }
        let trial = TRIALS.iter().find(|trial| trial.limit == known.limit);
        let tried = match (trial, &image, &factory) {
            (Some(trial), Some(image), Some(factory)) => Some(is_kept(factory, image.id, trial)),
            _ => None,
        };
        findings.push(match tried {
            None => Finding::good(name, "it is set for every box; none was tried", known.how),
            Some(Result::Ok(true)) => Finding::good(name, "a box went over it and was stopped", known.how),
            Some(Result::Ok(false)) => {
                let detail = format!("not kept, though set: {}", known.how);
                Finding::good(name, "a box went over it", detail).but(Ok::Partly, "please report this as a fault")
            }
            Some(Err(error)) => Finding::good(name, "a box was to go over it", error.to_string())
                .but(Ok::Partly, "the message says what is wrong"),
        });
    }
    findings
}

fn is_kept(factory: &NativeFactory, image: Digest, trial: &Trial) -> Result<bool, SandboxError> {
    let mut limits = Limits {
        host_reserve_bytes: 0,
        ..Limits::default()
    };
    (trial.set)(&mut limits);
    let spec = BoxSpec {
        image,
        limits,
        network: Network::Off,
    };
    let mut said = Vec::new();
    let command = Command::bash(trial.script).with_timeout(std::time::Duration::from_mins(1));
    let execution = factory.start(&spec)?.exec(&command, &mut said)?;
    Result::Ok((trial.is_kept)(&execution, &String::from_utf8_lossy(&said)))
}
