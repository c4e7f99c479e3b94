//! Which limits are kept on this machine, and how.

use super::{
    cgroups::{Controller, Places, Version},
    running::LOOK,
};
use crate::Enforcement;

/// All limits of a native box.
pub(crate) fn of_this_process() -> Vec<Enforcement> {
    let places = Places::of_this_process();
    let mut all = vec![
        grouped(places, Controller::Memory, "memory"),
        grouped(places, Controller::Cpu, "cpu"),
        processes(places),
    ];
    let kept = [
        (
            "disk",
            format!(
                "measured from outside every {} ms once the disk hints at it, and after each command; what is written \
                 meanwhile comes on top",
                LOOK.as_millis()
            ),
        ),
        ("output", "counted by the harness; what is over is dropped".to_owned()),
        ("open files", "RLIMIT_NOFILE, for each process".to_owned()),
        ("file size", "RLIMIT_FSIZE, for each file".to_owned()),
    ];
    all.extend(kept.map(|(limit, how)| Enforcement {
        limit,
        enforced: true,
        how,
    }));
    all
}

fn grouped(places: &Places, controller: Controller, limit: &'static str) -> Enforcement {
    if let Some(place) = places.of(controller) {
        let version = match place.version {
            Version::One => 1,
            Version::Two => 2,
        };
        return Enforcement {
            limit,
            enforced: true,
            how: format!("control group, version {version}, below {}", place.folder.display()),
        };
    }
    let lacking = places.lacking.iter().find(|lacking| lacking.controller == controller);
    Enforcement {
        limit,
        enforced: false,
        how: lacking.map_or_else(String::new, |lacking| format!("{}; {}", lacking.why, lacking.remedy)),
    }
}

/// Without a group there are two weaker bounds; the first of them counts everything, too.
fn processes(places: &Places) -> Enforcement {
    let grouped = grouped(places, Controller::Pids, "processes");
    if grouped.enforced {
        return grouped;
    }
    let how = if kernel_divides_numbers() {
        "the numbers that a command's processes get (300 or more of them), and RLIMIT_NPROC for each user of a box"
            .to_owned()
    } else {
        format!("only by RLIMIT_NPROC, for each user of a box: {}", grouped.how)
    };
    Enforcement {
        enforced: kernel_divides_numbers(),
        how,
        ..grouped
    }
}

/// Whether each namespace of processes has a bound of its own for their numbers: since Linux 6.14.
fn kernel_divides_numbers() -> bool {
    let name = rustix::system::uname();
    let mut numbers = name.release().to_str().unwrap_or_default().split(['.', '-']);
    let mut next = || {
        numbers
            .next()
            .and_then(|number| number.parse::<u32>().ok())
            .unwrap_or(0)
    };
    (next(), next()) >= (6, 14)
}
