//! Nothing stays behind: not after a drop, and not after the harness was killed.

use std::path::PathBuf;

use seatrial_core::Digest;
use seatrial_sandbox::{BoxSpec, Limits, Network, SandboxError};

use crate::bench::{Bench, eventually, processes_with, script};

/// Folders that boxes or harnesses of a process have in the data folder.
fn folders_of(bench: &Bench, pid: u32) -> Vec<PathBuf> {
    let prefixes = [format!("{pid}-"), format!("harness-{pid}-")];
    let mut found = Vec::new();
    for room in ["boxes", "cache/docker"] {
        for entry in std::fs::read_dir(bench.home.join(room)).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if prefixes.iter().any(|prefix| name.starts_with(prefix)) {
                found.push(entry.path());
            }
        }
    }
    found
}

/// Begins the names of containers that a process makes.
fn name_in_daemon(pid: u32) -> String {
    format!("seatrial-{pid}-")
}

pub(crate) fn an_image_that_is_not_there_is_named(bench: &Bench) {
    let spec = BoxSpec {
        image: Digest::of(b"none"),
        ..bench.spec(Network::Off, Limits::default())
    };
    let error = bench.factory().start(&spec).map(drop).unwrap_err();
    assert!(matches!(error, SandboxError::NoImage(_)), "{error}");
    assert!(error.to_string().contains("image build"), "{error}");
}

pub(crate) fn a_dropped_box_leaves_nothing_also_when_it_outlives_its_factory(bench: &Bench) {
    let mark = format!("mark-{}-{}-dropped", std::process::id(), bench.is_container());
    let known = folders_of(bench, std::process::id());
    let factory = bench.another_factory();
    let spec = bench.spec(Network::Off, Limits::default());
    let mut boxes = [factory.start(&spec).unwrap(), factory.start(&spec).unwrap()];
    for sandbox in &mut boxes {
        // Read-only folders, foreign owners, and names that are to be found again.
        script(
            &mut **sandbox,
            &format!(
                "mkdir -p /a/b/c /{mark}; chown 12:34 /a/b; chmod 000 /a/b /a; mkdir /ro; : > /ro/x; chmod 555 /ro"
            ),
        );
        sandbox.snapshot().unwrap();
        script(&mut **sandbox, "rm -r /etc/issue; mkdir /etc/issue");
    }
    let made: Vec<_> = folders_of(bench, std::process::id())
        .into_iter()
        .filter(|path| !known.contains(path))
        .collect();
    assert!(!made.is_empty());
    let [one, two] = boxes;
    drop(one);
    drop(factory);
    drop(two);
    // Other promises may be making boxes in this data folder; these have gone.
    eventually("the folders are removed", || made.iter().all(|path| !path.exists()));
    let harness = format!("harness-{}-", std::process::id());
    eventually("the daemon has nothing of it", || {
        bench.left_in_daemon(&harness).is_empty()
    });
}

pub(crate) fn a_killed_harness_leaves_nothing_after_the_next_start(bench: &Bench) {
    let mark = format!("mark-{}-{}-killed", std::process::id(), bench.is_container());
    let mut child = bench.start_victim(&mark);
    let pid = child.id();
    assert!(!processes_with(&mark).is_empty());
    assert!(!folders_of(bench, pid).is_empty());
    if bench.is_container() {
        assert!(!bench.left_in_daemon(&name_in_daemon(pid)).is_empty());
    }
    child.kill().unwrap();
    child.wait().unwrap();
    eventually("every process of the box ends", || processes_with(&mark).is_empty());
    // Containers of this process are none of the sweep's business, so its own label is of no use here.
    drop(bench.another_factory());
    eventually("the folders are swept", || folders_of(bench, pid).is_empty());
    for left in [name_in_daemon(pid), format!("harness-{pid}-")] {
        eventually("the daemon has nothing of it", || {
            bench.left_in_daemon(&left).is_empty()
        });
    }
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
    assert!(!mounts.contains(&format!("/boxes/{pid}-")), "{mounts}");
}

pub(crate) fn a_sweep_leaves_live_boxes_alone(bench: &Bench) {
    let mark = format!("mark-{}-{}-alive", std::process::id(), bench.is_container());
    let mut child = bench.start_victim(&mark);
    drop(bench.another_factory());
    assert!(!folders_of(bench, child.id()).is_empty());
    assert!(!processes_with(&mark).is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    eventually("every process of the box ends", || processes_with(&mark).is_empty());
    drop(bench.another_factory());
}
