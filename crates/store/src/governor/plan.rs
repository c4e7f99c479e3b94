//! What goes, what stays, and why.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    time::Duration,
};

use seatrial_core::Digest;
use serde::{Serialize, Serializer};

use super::{
    policy::{Needs, Policy, RunNeeds},
    survey::{Item, Room, Survey},
};

/// While somebody works with the data folder, what is younger than this may be about to be used.
pub(super) const YOUNG: Duration = Duration::from_hours(24);

/// Why something goes or stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// Goes: its harness is dead.
    DeadBox,
    /// Goes: nobody will finish it.
    LeftUnfinished,
    /// Goes: nothing names it.
    Unnamed,
    /// Goes: it was not used for longer than was asked for.
    Old,
    /// Goes: no other run than one that goes names it.
    WithItsRun,
    /// Goes: the data folder is too large, and it was not used for longest.
    TooMuch,
    /// Stays: somebody uses it.
    Live,
    /// Stays: a live box is made from it.
    OfBox(String),
    /// Stays: a run that is not finished needs it.
    OfUnfinishedRun(String),
    /// Stays: a run names it; it goes with the run.
    OfRun(String),
    /// Stays: it is a run that is not finished.
    UnfinishedRun,
    /// Stays: results are let go of only on demand.
    Results,
    /// Stays: another process is at work and may have just made it.
    AtWork,
    /// Stays: it was asked for.
    AskedFor,
    /// Stays: it can be made again, but nothing says that it has to go.
    Fits,
    /// Stays: this program does not know what it is.
    Unknown,
    /// Stays: a file that may name it cannot be read.
    Unsure,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DeadBox => f.write_str("its harness is dead"),
            Self::LeftUnfinished => f.write_str("left unfinished"),
            Self::Unnamed => f.write_str("nothing names it any more"),
            Self::WithItsRun => f.write_str("goes with the run that names it"),
            Self::Old => f.write_str("not used for longer than asked for"),
            Self::TooMuch => f.write_str("not used for longest, and the data folder is over its limit"),
            Self::Live => f.write_str("in use"),
            Self::OfBox(name) => write!(f, "the live {name} is made from it"),
            Self::OfUnfinishedRun(name) => write!(f, "the unfinished run {name} needs it"),
            Self::OfRun(name) => write!(f, "the run {name} names it"),
            Self::UnfinishedRun => f.write_str("a run that is not finished"),
            Self::Results => f.write_str("results; `--runs` lets finished runs go"),
            Self::AtWork => f.write_str("new, and another process is at work"),
            Self::AskedFor => f.write_str("kept on request"),
            Self::Fits => f.write_str("can be made again; nothing says that it has to go"),
            Self::Unknown => f.write_str("no cache that may be emptied"),
            Self::Unsure => f.write_str("a file that may name it cannot be read"),
        }
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What becomes of one item.
#[derive(Debug, Clone, Serialize)]
pub struct Decision {
    /// The item.
    pub item: Item,
    /// Whether it goes.
    pub remove: bool,
    /// Why.
    pub reason: Reason,
}

impl Decision {
    /// Whether it goes, or would when there were less room.
    pub fn could_go(&self) -> bool {
        self.remove || self.reason == Reason::Fits
    }
}

/// What becomes of everything.
#[derive(Debug)]
pub struct Plan {
    /// One decision an item: first what goes, in the order in which it goes; then what could go, the longest unused first;
    /// then the rest, by name.
    pub decisions: Vec<Decision>,
    /// Bytes on the disk that the data folder may take.
    pub max_size: Option<u64>,
}

impl Plan {
    /// Decides. `now` is in milliseconds since the Unix epoch; `busy` says whether another process works with the data
    /// folder.
    pub fn of(survey: &Survey, needs: &Needs, policy: &Policy, busy: bool, now: u64) -> Self {
        let planner = Planner::new(survey, needs, policy, busy, now);
        let mut decisions: Vec<Decision> = survey
            .items
            .iter()
            .map(|item| {
                let (remove, reason) = planner.first_look(item);
                Decision {
                    item: item.clone(),
                    remove,
                    reason,
                }
            })
            .collect();
        Evictions::new(survey, policy, now).choose(&mut decisions);
        let rank = |decision: &Decision| match (decision.remove, &decision.reason) {
            (true, Reason::DeadBox | Reason::LeftUnfinished | Reason::Unnamed) => 0,
            // After its run: should this be cut short, no run is left whose logs are gone.
            (true, Reason::WithItsRun) => 2,
            (true, _) => 1,
            (false, Reason::Fits) => 3,
            (false, _) => 4,
        };
        decisions.sort_by(|one, other| {
            // For garbage, and for what stays anyhow, its age is of no matter.
            let by_use = match rank(one) {
                1 | 3 => one.item.last_used.cmp(&other.item.last_used),
                _ => std::cmp::Ordering::Equal,
            };
            rank(one)
                .cmp(&rank(other))
                .then(by_use)
                .then_with(|| one.item.name.cmp(&other.item.name))
        });
        Self {
            decisions,
            max_size: policy.max_size,
        }
    }

    /// Bytes on the disk that the plan frees.
    pub fn frees(&self) -> u64 {
        self.sum(|decision| decision.remove)
    }

    /// Bytes on the disk that could be freed when nothing but what is needed stays.
    pub fn could_free(&self) -> u64 {
        self.sum(Decision::could_go)
    }

    /// Bytes on the disk of everything.
    pub fn takes(&self) -> u64 {
        self.sum(|_| true)
    }

    fn sum(&self, wanted: impl Fn(&Decision) -> bool) -> u64 {
        self.decisions
            .iter()
            .filter(|decision| wanted(decision))
            .map(|decision| decision.item.size.real)
            .sum()
    }
}

struct Planner<'a> {
    survey: &'a Survey,
    needs: &'a Needs,
    policy: &'a Policy,
    busy: bool,
    young: u64,
    /// A run that names a blob.
    named_by: HashMap<Digest, &'a str>,
}

impl<'a> Planner<'a> {
    fn new(survey: &'a Survey, needs: &'a Needs, policy: &'a Policy, busy: bool, now: u64) -> Self {
        let mut named_by = HashMap::new();
        for (run, digests) in &survey.named_by_run {
            for digest in digests {
                named_by.entry(*digest).or_insert(run.as_str());
            }
        }
        Self {
            survey,
            needs,
            policy,
            busy,
            young: now.saturating_sub(YOUNG.as_millis() as u64),
            named_by,
        }
    }

    /// What can be said of an item alone: that it goes, that it must stay, or that it could go.
    fn first_look(&self, item: &Item) -> (bool, Reason) {
        let young = self.busy && item.last_used > self.young;
        let asked_for = self
            .policy
            .keep
            .iter()
            .any(|keep| keep == item.room.name() || item.name.starts_with(keep));
        let reason = match item.room {
            Room::LiveBoxes => Reason::Live,
            Room::DeadBoxes => Reason::DeadBox,
            Room::Unfinished if young => Reason::AtWork,
            Room::Unfinished => Reason::LeftUnfinished,
            Room::Other => Reason::Unknown,
            Room::Runs => self.run(item),
            Room::Blobs => self.blob(item, young),
            Room::Images => self.image(item),
            Room::Sources | Room::PackageIndexes => match self.needed(item) {
                Some(run) => Reason::OfUnfinishedRun(run.to_owned()),
                None if young && !item.path.is_dir() => Reason::AtWork,
                None => Reason::Fits,
            },
            Room::HostLayers => Reason::Fits,
        };
        let remove = matches!(reason, Reason::DeadBox | Reason::LeftUnfinished | Reason::Unnamed);
        if asked_for && (reason == Reason::Fits || reason == Reason::Unnamed) {
            (false, Reason::AskedFor)
        } else {
            (remove, reason)
        }
    }

    fn run(&self, item: &Item) -> Reason {
        let name = item.file_name().to_string_lossy();
        if item.locked {
            Reason::Live
        } else if self.needs.get(name.as_ref()).is_some_and(|needs| needs.unfinished) {
            Reason::UnfinishedRun
        } else if self.policy.runs {
            Reason::Fits
        } else {
            Reason::Results
        }
    }

    fn blob(&self, item: &Item, young: bool) -> Reason {
        let Some(digest) = item.digest else {
            return Reason::Unknown;
        };
        if let Some(run) = self.named_by.get(&digest) {
            return Reason::OfRun((*run).to_owned());
        }
        if self.survey.named_by_cache.contains(&digest) {
            Reason::Fits
        } else if young {
            Reason::AtWork
        } else if self.survey.unsure {
            Reason::Unsure
        } else {
            Reason::Unnamed
        }
    }

    fn image(&self, item: &Item) -> Reason {
        let Some(digest) = item.digest else {
            return Reason::Unknown;
        };
        if let Some(name) = self.survey.images_of_boxes.get(&digest) {
            return Reason::OfBox(name.clone());
        }
        // A run that cannot be read may still name its image.
        let names = |run: &String, needs: &RunNeeds| {
            let written = self.survey.named_by_run.get(run);
            needs.images.contains(&digest) || written.is_some_and(|digests| digests.contains(&digest))
        };
        let find = |unfinished| {
            let mut all = self.needs.iter();
            all.find(|(run, needs)| needs.unfinished == unfinished && names(run, needs))
        };
        if let Some((run, _)) = find(true) {
            Reason::OfUnfinishedRun(run.clone())
        } else if let (Some((run, _)), false) = (find(false), self.policy.runs) {
            Reason::OfRun(run.clone())
        } else {
            Reason::Fits
        }
    }

    fn needed(&self, item: &Item) -> Option<&str> {
        let name = item.file_name().to_string_lossy();
        let wanted = |needs: &RunNeeds| {
            needs.unfinished && (needs.sources.iter().any(|n| *n == name) || needs.indexes.iter().any(|n| *n == name))
        };
        self.needs
            .iter()
            .find(|(_, needs)| wanted(needs))
            .map(|(run, _)| run.as_str())
    }
}

/// Chooses among what could go, the longest unused first. A run takes along the blobs that only it names.
struct Evictions<'a> {
    survey: &'a Survey,
    policy: &'a Policy,
    old: Option<u64>,
}

impl<'a> Evictions<'a> {
    fn new(survey: &'a Survey, policy: &'a Policy, now: u64) -> Self {
        let old = policy.older_than.map(|age| now.saturating_sub(age.as_millis() as u64));
        Self { survey, policy, old }
    }

    fn choose(&self, decisions: &mut [Decision]) {
        let mut left: u64 = decisions
            .iter()
            .filter(|decision| !decision.remove)
            .map(|decision| decision.item.size.real)
            .sum();
        let mut order: Vec<usize> = (0..decisions.len())
            .filter(|index| {
                decisions
                    .get(*index)
                    .is_some_and(|decision| decision.reason == Reason::Fits)
            })
            .collect();
        order.sort_by_key(|index| decisions.get(*index).map(|decision| decision.item.last_used));
        let mut names: HashMap<Digest, usize> = HashMap::new();
        for digest in self.survey.named_by_run.values().flatten() {
            *names.entry(*digest).or_default() += 1;
        }
        let blobs: BTreeMap<Digest, usize> = decisions
            .iter()
            .enumerate()
            .filter(|(_, decision)| decision.item.room == Room::Blobs)
            .filter_map(|(index, decision)| Some((decision.item.digest?, index)))
            .collect();
        for index in order {
            let Some(decision) = decisions.get_mut(index) else {
                continue;
            };
            let reason = if self.old.is_some_and(|old| decision.item.last_used < old) {
                Reason::Old
            } else if self.policy.max_size.is_some_and(|most| left > most) {
                Reason::TooMuch
            } else {
                continue;
            };
            decision.remove = true;
            decision.reason = reason;
            left -= decision.item.size.real;
            if decision.item.room != Room::Runs {
                continue;
            }
            let run = decision.item.file_name().to_string_lossy().into_owned();
            for digest in self.survey.named_by_run.get(&run).into_iter().flatten() {
                let count = names.entry(*digest).or_default();
                *count = count.saturating_sub(1);
                let alone = *count == 0 && !self.survey.named_by_cache.contains(digest) && !self.survey.unsure;
                let blob = blobs.get(digest).and_then(|index| decisions.get_mut(*index));
                if let Some(blob) = blob.filter(|blob| alone && matches!(blob.reason, Reason::OfRun(_))) {
                    blob.remove = true;
                    blob.reason = Reason::WithItsRun;
                    left -= blob.item.size.real;
                }
            }
        }
    }
}
