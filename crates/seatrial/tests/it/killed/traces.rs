//! What a killed harness could leave behind: processes, namespaces, mounts, control groups.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// The kinds of namespaces, as `/proc` names them.
const KINDS: [&str; 8] = ["cgroup", "ipc", "mnt", "net", "pid", "time", "user", "uts"];

/// What was seen of harnesses before they were killed.
#[derive(Default)]
pub(super) struct Traces {
    harnesses: BTreeSet<u32>,
    /// Processes below a harness: id and time of start, which together name one process for ever.
    processes: BTreeSet<(u32, u64)>,
    /// Namespaces that only boxes have, such as `pid:[4026532281]`.
    namespaces: BTreeSet<String>,
}

/// A process, as its `stat` file shows it.
struct Stat {
    parent: u32,
    start: u64,
}

fn stat(pid: u32) -> Option<Stat> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program, in parentheses, can hold anything.
    let rest = text.rsplit_once(')')?.1;
    let mut fields = rest.split_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let start = fields.nth(17)?.parse().ok()?;
    // A dead one whose parent has not asked yet holds nothing any more.
    (state != "Z" && state != "X").then_some(Stat { parent, start })
}

fn all_processes() -> Vec<u32> {
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}

fn namespaces_of(pid: u32) -> BTreeSet<String> {
    let link = |kind: &str| std::fs::read_link(format!("/proc/{pid}/ns/{kind}")).ok();
    KINDS
        .iter()
        .filter_map(|kind| link(kind)?.to_str().map(str::to_owned))
        .collect()
}

/// Namespaces that an open file keeps alive.
fn namespaces_open_in(pid: u32) -> Vec<String> {
    let Ok(files) = std::fs::read_dir(format!("/proc/{pid}/fd")) else {
        return Vec::new();
    };
    files
        .flatten()
        .filter_map(|file| std::fs::read_link(file.path()).ok()?.to_str().map(str::to_owned))
        .filter(|target| KINDS.iter().any(|kind| target.starts_with(&format!("{kind}:["))))
        .collect()
}

impl Traces {
    /// Notes what is below a harness now.
    pub(super) fn note(&mut self, harness: u32) {
        self.harnesses.insert(harness);
        let all: BTreeMap<u32, Stat> = all_processes()
            .into_iter()
            .filter_map(|pid| Some((pid, stat(pid)?)))
            .collect();
        let mut below = BTreeSet::from([harness]);
        loop {
            let next: Vec<u32> = all
                .iter()
                .filter(|(pid, stat)| below.contains(&stat.parent) && !below.contains(*pid))
                .map(|(pid, _)| *pid)
                .collect();
            if next.is_empty() {
                break;
            }
            below.extend(next);
        }
        let ours = namespaces_of(std::process::id());
        for pid in below {
            if let Some(stat) = all.get(&pid) {
                self.processes.insert((pid, stat.start));
            }
            self.namespaces.extend(namespaces_of(pid).difference(&ours).cloned());
        }
    }

    /// How many processes were seen below harnesses.
    pub(super) fn seen(&self) -> usize {
        self.processes.len() - self.harnesses.len()
    }

    /// No process that was seen lives, and no namespace either. The kernel ends them in its own time.
    pub(super) fn assert_no_process_or_namespace(&self) {
        eventually(|| {
            let mut found = Vec::new();
            for (pid, start) in &self.processes {
                if stat(*pid).is_some_and(|stat| stat.start == *start) {
                    found.push(format!("process {pid}: {}", command_line(*pid)));
                }
            }
            for pid in all_processes().into_iter().filter(|pid| stat(*pid).is_some()) {
                let mut held = namespaces_of(pid).into_iter().chain(namespaces_open_in(pid));
                if held.any(|namespace| self.namespaces.contains(&namespace)) && self.is_orphan(pid) {
                    found.push(format!("namespaces of process {pid}: {}", command_line(pid)));
                }
            }
            found
        });
    }

    /// Whether the process's uppermost ancestor lives in a namespace of a killed harness's box. The kernel gives numbers of
    /// namespaces again: those of other boxes belong to processes below a harness that lives.
    fn is_orphan(&self, pid: u32) -> bool {
        let mut top = pid;
        while let Some(parent) = stat(top).map(|stat| stat.parent).filter(|parent| *parent > 1) {
            top = parent;
        }
        namespaces_of(top).intersection(&self.namespaces).next().is_some()
    }

    /// Nothing at all: the above, no mount of the data folder anywhere, no control group of a harness.
    pub(super) fn assert_nothing(&self, home: &Path) {
        self.assert_no_process_or_namespace();
        let home = home.file_name().unwrap().to_str().unwrap().to_owned();
        eventually(|| {
            let mut found = Vec::new();
            for pid in all_processes() {
                let mounts = std::fs::read(format!("/proc/{pid}/mountinfo")).unwrap_or_default();
                let mounts = String::from_utf8_lossy(&mounts).into_owned();
                found.extend(
                    mounts
                        .lines()
                        .filter(|line| line.contains(&home))
                        .map(|line| format!("mount of process {pid}: {line}")),
                );
            }
            for group in control_groups() {
                let name = group.file_name().unwrap().to_string_lossy().into_owned();
                let of_harness = |pid: &u32| name.contains(&format!("seatrial-{pid}-"));
                if self.harnesses.iter().any(of_harness) {
                    found.push(format!("control group {}", group.display()));
                }
            }
            found
        });
    }
}

fn command_line(pid: u32) -> String {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&line).replace('\0', " ")
}

fn control_groups() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from("/sys/fs/cgroup")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            // Links lead to folders that are listed under their own name.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
                found.push(entry.path());
            }
        }
    }
    found
}

/// Gives the kernel the time that it takes; how long is no part of the promise.
fn eventually(mut found: impl FnMut() -> Vec<String>) {
    let since = std::time::Instant::now();
    loop {
        let left = found();
        if left.is_empty() {
            return;
        }
        assert!(
            since.elapsed() < std::time::Duration::from_secs(20),
            "left behind:\n{}",
            left.join("\n")
        );
        std::thread::yield_now();
    }
}
