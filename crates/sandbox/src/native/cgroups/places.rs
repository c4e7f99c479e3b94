//! Where this process may make groups: found by trying.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

use fs_err as fs;

use super::{
    Controller,
    group::PREFIX,
    table::{Hierarchy, has_word, hierarchies, own_folder},
};

/// Which of the kernel's two interfaces a hierarchy has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    One,
    Two,
}

/// A folder in which groups of boxes can be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) version: Version,
    pub(crate) folder: PathBuf,
    /// What groups in it can bound.
    pub(crate) controllers: Vec<Controller>,
    /// What names its hierarchy in a mount.
    pub(crate) options: String,
}

/// Why something cannot be bounded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lacking {
    pub(crate) controller: Controller,
    pub(crate) why: String,
    /// What a person can do about it.
    pub(crate) remedy: String,
}

/// Where groups can be made, and what cannot be bounded.
#[derive(Debug, Default)]
pub(crate) struct Places {
    pub(crate) found: Vec<Place>,
    pub(crate) lacking: Vec<Lacking>,
}

/// Which kinds of hierarchies are mounted.
pub(crate) fn version_of_machine() -> &'static str {
    let found = hierarchies(&fs::read_to_string("/proc/self/mountinfo").unwrap_or_default());
    let ones = found
        .iter()
        .any(|hierarchy| !hierarchy.unified && Controller::ALL.iter().any(|controller| has(hierarchy, *controller)));
    let two = found.iter().any(|hierarchy| hierarchy.unified);
    match (ones, two) {
        (true, true) => "hybrid",
        (true, false) => "version 1",
        (false, true) => "version 2",
        (false, false) => "none",
    }
}

fn has(hierarchy: &Hierarchy, controller: Controller) -> bool {
    hierarchy.options.iter().any(|option| option == controller.name())
}

impl Places {
    /// What this process found when it first looked. It looks once, because it may have to move to another group for it.
    pub(crate) fn of_this_process() -> &'static Self {
        static FOUND: OnceLock<Places> = OnceLock::new();
        FOUND.get_or_init(Self::find)
    }

    /// The place whose groups bound something.
    pub(crate) fn of(&self, controller: Controller) -> Option<&Place> {
        self.found.iter().find(|place| place.controllers.contains(&controller))
    }

    /// Groups of harnesses that are gone. Their names begin with the number of the process; a group that has processes
    /// cannot be removed.
    pub(crate) fn stale(&self) -> Vec<PathBuf> {
        let mut stale = Vec::new();
        for place in &self.found {
            for entry in std::fs::read_dir(&place.folder).into_iter().flatten().flatten() {
                let name = entry.file_name();
                if name.to_str().and_then(has_owner) == Some(false) {
                    stale.push(entry.path());
                }
            }
        }
        stale
    }

    fn find() -> Self {
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        Self::look(&hierarchies(&read("/proc/self/mountinfo")), &read("/proc/self/cgroup"))
    }

    fn look(mounted: &[Hierarchy], groups: &str) -> Self {
        let mut places = Self::default();
        let mut unified = Vec::new();
        for controller in Controller::ALL {
            let Some(hierarchy) = mounted
                .iter()
                .find(|hierarchy| !hierarchy.unified && has(hierarchy, controller))
            else {
                unified.push(controller);
                continue;
            };
            match version_one(hierarchy, groups, controller) {
                Ok(place) => match places.found.iter_mut().find(|known| known.folder == place.folder) {
                    // Controllers that share a hierarchy share its groups.
                    Some(known) => known.controllers.push(controller),
                    None => places.found.push(place),
                },
                Err((why, remedy)) => places.lack(controller, why, remedy),
            }
        }
        if unified.is_empty() {
            return places;
        }
        match mounted.iter().find(|hierarchy| hierarchy.unified) {
            Some(hierarchy) => match own_folder(hierarchy, groups) {
                Some(own) => places.version_two(hierarchy, &own, &unified),
                None => {
                    for controller in unified {
                        places.lack(controller, hidden(hierarchy), CONTAINER.to_owned());
                    }
                }
            },
            None => {
                for controller in unified {
                    let why = format!("no control groups with `{}` are mounted", controller.name());
                    places.lack(controller, why, "run `mount -t cgroup2 none /sys/fs/cgroup`".to_owned());
                }
            }
        }
        places
    }

    fn lack(&mut self, controller: Controller, why: String, remedy: String) {
        self.lacking.push(Lacking {
            controller,
            why,
            remedy,
        });
    }

    /// One hierarchy for all: the nearest group at or above the own one in which groups can be made that bound the most.
    /// In a group that has processes of its own none can, save in the first of all.
    fn version_two(&mut self, hierarchy: &Hierarchy, own: &Path, wanted: &[Controller]) {
        let mut best: Option<Place> = None;
        let mut problem = None;
        for folder in own
            .ancestors()
            .take_while(|folder| folder.starts_with(&hierarchy.mount))
        {
            let is_own = folder == own;
            for controller in wanted {
                enable(folder, *controller, is_own);
            }
            match attempt(folder, Version::Two, wanted) {
                Ok(controllers) => {
                    if controllers.len() > best.as_ref().map_or(0, |place| place.controllers.len()) {
                        best = Some(Place {
                            version: Version::Two,
                            folder: folder.to_owned(),
                            controllers,
                            options: String::new(),
                        });
                    }
                }
                Err(error) => {
                    problem = problem.or(Some(format!("no group can be made in {}: {error}", folder.display())));
                }
            }
            if best
                .as_ref()
                .is_some_and(|place| place.controllers.len() == wanted.len())
            {
                break;
            }
        }
        for controller in wanted {
            if best
                .as_ref()
                .is_some_and(|place| place.controllers.contains(controller))
            {
                continue;
            }
            let available = fs::read_to_string(hierarchy.mount.join("cgroup.controllers")).unwrap_or_default();
            let (why, remedy) = if has_word(&available, controller.name()) {
                let why = problem.clone().unwrap_or_else(|| {
                    format!(
                        "`{}` is not passed on to groups at or above {}, where other processes are",
                        controller.name(),
                        own.display()
                    )
                });
                (why, DELEGATE)
            } else {
                let why = format!("the kernel's control groups have no `{}` here", controller.name());
                (
                    why,
                    "use a kernel that has it; some need `cgroup_enable=memory` at start-up",
                )
            };
            self.lack(*controller, why, remedy.to_owned());
        }
        self.found.extend(best);
    }
}

/// What helps where groups belong to somebody else.
const DELEGATE: &str = "start it as `systemd-run --user --scope -p Delegate=yes seatrial ...`, or as root";
/// What helps in a container.
const CONTAINER: &str = "in a container, mount /sys/fs/cgroup writable and give it a namespace of groups of its own";

fn hidden(hierarchy: &Hierarchy) -> String {
    format!("{} does not show the group of this process", hierarchy.mount.display())
}

/// Whether the harness that a group is named after lives; none for a name that is not one of ours.
fn has_owner(name: &str) -> Option<bool> {
    let parts: Vec<&str> = name.strip_prefix(PREFIX)?.split('-').collect();
    let number: u32 = parts.first()?.parse().ok()?;
    Some(match parts.as_slice() {
        [_, _, start, "ready"] => started(number).is_some_and(|known| start.parse() == Ok(known)),
        _ => Path::new("/proc").join(number.to_string()).exists(),
    })
}

/// When a process started, in the kernel's ticks since it booted; none when there is no such process.
pub(crate) fn started(process: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of a program may hold anything, also brackets and blanks; what follows it does not.
    let (_, numbers) = stat.rsplit_once(')')?;
    numbers.split_whitespace().nth(19)?.parse().ok()
}

fn version_one(hierarchy: &Hierarchy, groups: &str, controller: Controller) -> Result<Place, (String, String)> {
    let folder = own_folder(hierarchy, groups).ok_or_else(|| (hidden(hierarchy), CONTAINER.to_owned()))?;
    let refused = |why: String| {
        let remedy = if rustix::process::geteuid().is_root() {
            CONTAINER
        } else {
            "start seatrial as root; control groups of version 1 belong to root"
        };
        (why, remedy.to_owned())
    };
    let found = attempt(&folder, Version::One, &[controller])
        .map_err(|error| refused(format!("no group can be made in {}: {error}", folder.display())))?;
    if found.is_empty() {
        return Err(refused(format!("groups in {} bound nothing", folder.display())));
    }
    Ok(Place {
        version: Version::One,
        folder,
        controllers: found,
        options: hierarchy.options.join(","),
    })
}

/// Makes a group and looks at what it bounds; processes can be put in only by whoever may write here too.
fn attempt(folder: &Path, version: Version, wanted: &[Controller]) -> io::Result<Vec<Controller>> {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let probe = folder.join(format!("{PREFIX}probe-{}-{number}", std::process::id()));
    // Not through the wrapper: the callers name the folder themselves.
    std::fs::create_dir(&probe)?;
    let mut writable = std::fs::OpenOptions::new()
        .write(true)
        .open(probe.join("cgroup.procs"))
        .map(drop);
    if version == Version::Two && writable.is_ok() {
        writable = std::fs::OpenOptions::new()
            .write(true)
            .open(folder.join("cgroup.procs"))
            .map(drop);
    }
    let found = wanted
        .iter()
        .copied()
        .filter(|controller| probe.join(controller.file(version)).exists())
        .collect();
    std::fs::remove_dir(&probe)?;
    writable.map(|()| found)
}

/// Passes a controller on to the groups below a folder: in the own group, and in the first of the hierarchy, which alone
/// may have processes besides. Those between belong to others, who have their reasons.
fn enable(folder: &Path, controller: Controller, is_own: bool) {
    let list = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
    if has_word(&list("cgroup.subtree_control"), controller.name())
        || !has_word(&list("cgroup.controllers"), controller.name())
    {
        return;
    }
    let is_first = !folder.join("cgroup.type").exists();
    let write = || std::fs::write(folder.join("cgroup.subtree_control"), format!("+{}", controller.name()));
    if is_first {
        drop(write());
    } else if is_own && list("cgroup.procs").trim() == std::process::id().to_string() {
        // This process is alone in its group, so it makes room by stepping aside.
        let leaf = folder.join(format!("{PREFIX}harness"));
        let step = |to: &Path| std::fs::write(to.join("cgroup.procs"), std::process::id().to_string());
        drop(std::fs::create_dir(&leaf));
        if step(&leaf).is_ok() && write().is_err() {
            drop(step(folder));
            drop(std::fs::remove_dir(&leaf));
        }
    } else if is_own && list("cgroup.procs").trim().is_empty() {
        drop(write());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_the_kernel_gave_again_is_no_owner() {
        let own = std::process::id();
        let start = started(own).unwrap();
        for (name, expected) in [
            (format!("seatrial-{own}-7-{start}-ready"), Some(true)),
            (format!("seatrial-{own}-7-{}-ready", start + 1), Some(false)),
            (format!("seatrial-{own}-7-x-ready"), Some(false)),
            (format!("seatrial-{own}-0-1796052132399"), Some(true)),
            ("seatrial-4194999-7-1-ready".to_owned(), Some(false)),
            ("seatrial-4194999-0-1796052132399".to_owned(), Some(false)),
            ("seatrial-harness".to_owned(), None),
            ("another".to_owned(), None),
        ] {
            assert_eq!(has_owner(&name), expected, "{name}");
        }
    }
}
