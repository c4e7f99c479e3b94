//! The groups of one box.

use std::{
    io,
    path::{Path, PathBuf},
};

use fs_err as fs;
use serde::{Deserialize, Serialize};

use super::{
    Controller,
    places::{Place, Places, Version},
    table::number_of,
};
use crate::Limits;

/// Begins the name of every group of ours.
pub(super) const PREFIX: &str = "seatrial-";

/// The file in a box's folder that lists its groups, so that whoever finds the folder finds them too.
const LIST: &str = "groups";

/// Length of the period in which processor time is counted, in microseconds: the kernel's own default.
const PERIOD: u64 = 100_000;

/// What a box's own supervision takes of its processes: the supervisor, the namespace's first process, and one that
/// works on files or measures.
const SUPERVISION: u64 = 3;

/// How the supervisor shows a group of its box in there.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct GroupView {
    /// The folder in `/sys/fs/cgroup`; empty for the whole of it.
    pub(crate) folder: String,
    /// The file system's name.
    pub(crate) kind: String,
    /// What names the hierarchy.
    pub(crate) options: String,
}

/// The groups of one box.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    made: Vec<Made>,
}

#[derive(Debug)]
struct Made {
    folder: PathBuf,
    place: Place,
    /// What is bounded in it.
    bounded: Vec<Controller>,
    /// Whether the box's supervisor is in it already.
    taken: bool,
}

impl Groups {
    /// Makes the group that every box has, before it is known which box it is for. Putting a process into a group can take
    /// the kernel many milliseconds.
    pub(crate) fn ahead(places: &Places, name: &str) -> Self {
        let mut groups = Self::default();
        let Some(place) = places.of(Controller::Pids) else {
            return groups;
        };
        let folder = place.folder.join(format!("{PREFIX}{name}"));
        if std::fs::create_dir(&folder).is_ok() {
            groups.made.push(Made {
                folder,
                place: place.clone(),
                bounded: Vec::new(),
                taken: false,
            });
        }
        groups
    }

    /// Makes the groups that keep a box's limits, as far as this machine has a place for them. The name is the box's; groups
    /// that were made ahead keep theirs.
    pub(crate) fn make(places: &Places, folder: &Path, name: &str, limits: &Limits, ahead: &Self) -> io::Result<Self> {
        let mut planned: Vec<Made> = Vec::new();
        let wanted = [
            (Controller::Memory, limits.memory_bytes.is_some()),
            (Controller::Cpu, limits.cpu_millis.is_some()),
            (Controller::Pids, true),
        ];
        for (controller, _) in wanted.into_iter().filter(|(_, wanted)| *wanted) {
            let Some(place) = places.of(controller) else { continue };
            let known = ahead.made.iter().find(|made| made.place.folder == place.folder);
            let group = known.map_or_else(
                || place.folder.join(format!("{PREFIX}{name}")),
                |made| made.folder.clone(),
            );
            match planned.iter_mut().find(|made| made.folder == group) {
                Some(made) => made.bounded.push(controller),
                None => planned.push(Made {
                    folder: group,
                    place: place.clone(),
                    bounded: vec![controller],
                    taken: known.is_some_and(|made| made.taken),
                }),
            }
        }
        if planned.is_empty() {
            return Ok(Self::default());
        }
        // Before the first is made: who dies between leaves none that nobody knows of.
        let folders: Vec<_> = planned.iter().map(|made| &made.folder).collect();
        fs::write(folder.join(LIST), serde_json::to_vec(&folders)?)?;
        let mut groups = Self::default();
        for mut made in planned {
            if !made.taken && std::fs::create_dir(&made.folder).is_err() {
                continue;
            }
            made.bounded
                .retain(|controller| bound(&made.folder, made.place.version, *controller, limits).is_ok());
            groups.made.push(made);
        }
        Ok(groups)
    }

    /// Puts a process in, with all that it will start.
    pub(crate) fn take(&mut self, pid: u32) {
        self.made.retain_mut(|made| {
            if !made.taken {
                made.taken = std::fs::write(made.folder.join("cgroup.procs"), pid.to_string()).is_ok();
            }
            if !made.taken {
                drop(std::fs::remove_dir(&made.folder));
            }
            made.taken
        });
    }

    /// Whether something is bounded.
    pub(crate) fn bounds(&self, controller: Controller) -> bool {
        self.made.iter().any(|made| made.bounded.contains(&controller))
    }

    /// Processes that were killed so far because the memory was used up.
    pub(crate) fn memory_kills(&self) -> u64 {
        let Some(made) = self.made.iter().find(|made| made.bounded.contains(&Controller::Memory)) else {
            return 0;
        };
        let file = match made.place.version {
            Version::One => "memory.oom_control",
            Version::Two => "memory.events",
        };
        let text = std::fs::read_to_string(made.folder.join(file)).unwrap_or_default();
        number_of(&text, "oom_kill").unwrap_or(0)
    }

    /// Where they are.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        self.made.iter().map(|made| made.folder.clone()).collect()
    }

    /// How the box sees its groups.
    pub(crate) fn views(&self) -> Vec<GroupView> {
        let view = |made: &Made| match made.place.version {
            Version::One => GroupView {
                folder: made.place.options.clone(),
                kind: "cgroup".to_owned(),
                options: made.place.options.clone(),
            },
            Version::Two => GroupView {
                folder: String::new(),
                kind: "cgroup2".to_owned(),
                options: String::new(),
            },
        };
        let mut views: Vec<_> = self.made.iter().map(view).collect();
        // What is mounted on the whole must come first.
        views.sort_by_key(|view| view.folder.len());
        views
    }
}

/// Writes one limit.
fn bound(group: &Path, version: Version, controller: Controller, limits: &Limits) -> io::Result<()> {
    // Not through the wrapper, which would make the files that are not there.
    let set = |name: &str, value: String| {
        let mut file = std::fs::OpenOptions::new().write(true).open(group.join(name))?;
        io::Write::write_all(&mut file, value.as_bytes())
    };
    match controller {
        Controller::Memory => {
            let Some(bytes) = limits.memory_bytes else {
                return Ok(());
            };
            set(controller.file(version), bytes.to_string())?;
            // Memory that went to the swap is memory; kernels that do not count it have no such file.
            match version {
                Version::One => drop(set("memory.memsw.limit_in_bytes", bytes.to_string())),
                Version::Two => drop(set("memory.swap.max", "0".to_owned())),
            }
            Ok(())
        }
        Controller::Cpu => {
            let Some(millis) = limits.cpu_millis else { return Ok(()) };
            // The kernel refuses less than a millisecond in a period.
            let quota = (u64::from(millis) * PERIOD / 1000).max(1000);
            match version {
                Version::One => {
                    set("cpu.cfs_period_us", PERIOD.to_string())?;
                    set(controller.file(version), quota.to_string())
                }
                Version::Two => set(controller.file(version), format!("{quota} {PERIOD}")),
            }
        }
        Controller::Pids => set(
            controller.file(version),
            limits.processes.saturating_add(SUPERVISION).min(4 << 20).to_string(),
        ),
    }
}

/// Removes the groups that a box's folder tells of. It fails while processes are in them.
pub(crate) fn remove_listed(folder: &Path) -> io::Result<()> {
    let text = match std::fs::read(folder.join(LIST)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    // A list that was cut off by a crash names nothing that was made.
    remove(&serde_json::from_slice::<Vec<PathBuf>>(&text).unwrap_or_default())
}

/// Removes groups; those that are gone are removed already.
pub(crate) fn remove(groups: &[PathBuf]) -> io::Result<()> {
    for group in groups {
        let ours = group
            .file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| name.starts_with(PREFIX));
        if !ours {
            continue;
        }
        match std::fs::remove_dir(group) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}
