//! Limits of a whole box, kept by control groups where the machine has them.

use std::time::Duration;

use seatrial_sandbox::{BoxSpec, Command, Limits, Network, SandboxFactory};

use crate::support::{factory, run, script, start};

/// Whether a limit can be kept here; says so when not.
#[expect(clippy::print_stdout, reason = "a skipped test says so")]
pub(crate) fn is_enforced(limit: &str) -> bool {
    let Some(factory) = factory() else { return false };
    let found = factory.enforcement().into_iter().find(|found| found.limit == limit);
    let found = found.unwrap_or_else(|| panic!("nobody says whether {limit} is enforced"));
    if !found.enforced {
        println!("skipped: {limit} cannot be enforced here: {}", found.how);
    }
    found.enforced
}

#[test]
fn every_limit_is_said_to_be_kept_or_why_not() {
    let Some(factory) = factory() else { return };
    let mut names: Vec<_> = factory.enforcement().iter().map(|found| found.limit).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "cpu",
            "disk",
            "file size",
            "memory",
            "open files",
            "output",
            "processes"
        ]
    );
    assert!(factory.enforcement().iter().all(|found| !found.how.is_empty()));
}

#[test]
fn processor_time_has_a_limit() {
    if !is_enforced("cpu") {
        return;
    }
    let limits = Limits {
        cpu_millis: Some(100),
        ..Limits::default()
    };
    let Some(mut sandbox) = start(Network::Off, limits) else {
        return;
    };
    let spin = "for i in 1 2 3; do (while :; do :; done) & done; sleep 2; kill $(jobs -p)";
    let (execution, _) = run(&mut *sandbox, &Command::bash(spin).with_timeout(Duration::from_mins(2)));
    // A tenth of one processor; without the limit it would be at least one whole.
    let share = execution.cpu.as_secs_f64() / execution.wall.as_secs_f64();
    assert!(share < 0.5, "{share} of a processor");
}

#[test]
fn a_box_sees_its_own_groups_only() {
    let limits = Limits {
        memory_bytes: Some(256 << 20),
        ..Limits::default()
    };
    let Some(mut sandbox) = start(Network::Off, limits) else {
        return;
    };
    let own = script(&mut *sandbox, "cut -d: -f3 /proc/self/cgroup | sort -u");
    assert_eq!(own, "/\n");
    let mounts = script(&mut *sandbox, "grep -c seatrial /proc/self/mountinfo || true");
    assert_eq!(mounts, "0\n");
    if is_enforced("memory") {
        let told = "cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null";
        let (_, output) = run(&mut *sandbox, &Command::bash(told));
        assert_eq!(output.out().trim(), (256 << 20).to_string());
        let raise = "for f in /sys/fs/cgroup/{memory.max,memory/memory.limit_in_bytes}; do echo 1G > $f; done 2>/dev/null; \
            mkdir /sys/fs/cgroup/{,memory/}out 2>/dev/null";
        assert!(!run(&mut *sandbox, &Command::bash(raise)).0.succeeded());
        let (_, output) = run(&mut *sandbox, &Command::bash(told));
        assert_eq!(output.out().trim(), (256 << 20).to_string());
    }
}

#[test]
fn groups_go_with_their_box() {
    let Some(factory) = factory() else { return };
    let Some(image) = crate::support::image() else { return };
    let spec = BoxSpec {
        image,
        limits: Limits {
            memory_bytes: Some(1 << 30),
            cpu_millis: Some(1000),
            ..Limits::default()
        },
        network: Network::Off,
    };
    let mut sandbox = factory.start(&spec).unwrap();
    script(&mut *sandbox, "sleep 1000 & true");
    let mine = groups_of(std::process::id());
    drop(sandbox);
    // Other tests of this process have boxes of their own: one of those that were seen goes.
    crate::support::eventually("a group is removed", || {
        mine.is_empty() || mine.iter().any(|group| !group.exists())
    });
}

/// Control groups of boxes that a process made.
pub(crate) fn groups_of(pid: u32) -> Vec<std::path::PathBuf> {
    let prefix = format!("seatrial-{pid}-");
    let mut found = Vec::new();
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
    let mut waiting: Vec<std::path::PathBuf> = mounts
        .lines()
        .filter(|line| line.split(' ').nth(2).is_some_and(|kind| kind.starts_with("cgroup")))
        .filter_map(|line| line.split(' ').nth(1).map(std::path::PathBuf::from))
        .collect();
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            if entry.file_name().to_str().is_some_and(|name| name.starts_with(&prefix)) {
                found.push(entry.path());
            }
            waiting.push(entry.path());
        }
    }
    found
}
