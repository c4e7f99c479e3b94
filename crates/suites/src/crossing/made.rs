//! Cases that are made: one porting fault in a package that works.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

use seatrial_core::{Digest, PinnedSource, SourceKind};
use seatrial_packaging::Package;
use seatrial_rebuild::RebuildError;
use seatrial_source::SourceError;

use super::{
    CrossError, CrossFloor, CrossOptions, CrossReport, Fault, Faults, Pair, plant,
    prove::{Case, Growing, fails, with_packaging},
};

/// Makes cases of a catalogue's faults and some source packages, and writes them as they come. For each fault and
/// direction, packages are tried in an order of the seed until one gives a case.
///
/// A case is kept when the package with the fault fails on the one side, twice, and shows it, and builds on the other;
/// and with the catalogue's repair it builds on both.
pub fn mine_faults(
    floor: &CrossFloor<'_>,
    catalogue: &Faults,
    packages: &[PinnedSource],
    options: &CrossOptions,
) -> Result<CrossReport, CrossError> {
    if let Some(unknown) = options
        .faults
        .iter()
        .find(|name| catalogue.fault.iter().all(|fault| fault.name != **name))
    {
        return Err(CrossError::Catalogue {
            path: options.folder.clone(),
            problem: format!("there is no fault `{unknown}` in the catalogue"),
        });
    }
    let growing = Growing::begin(floor, options)?;
    let wanted = |fault: &Fault| options.faults.is_empty() || options.faults.contains(&fault.name);
    let mut queue: Vec<(&Fault, Pair)> = Vec::new();
    for fault in catalogue.fault.iter().filter(|fault| wanted(fault)) {
        for pair in &fault.pairs {
            if options.pairs.is_empty() || options.pairs.contains(pair) {
                queue.push((fault, *pair));
            }
        }
    }
    let order = |text: String| Digest::of(format!("{} {text}", options.seed).as_bytes());
    queue.sort_by_key(|(fault, pair)| order(format!("{} {} {}", fault.name, pair.works, pair.fails)));
    let queue = Mutex::new(VecDeque::from(queue));
    let work = || -> Result<(), CrossError> {
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some((fault, pair)) = next else { return Ok(()) };
            if growing.is_done() {
                return Ok(());
            }
            if growing.has(&fault.name, pair) {
                continue;
            }
            let mut packages: Vec<&PinnedSource> = packages.iter().collect();
            packages.sort_by_key(|package| order(format!("{} {}", fault.name, package.name)));
            let mut tries = 0;
            for package in packages {
                if tries >= options.tries || growing.is_done() {
                    break;
                }
                let name = &package.name;
                if growing.was_tried(name, &fault.name, pair) || !growing.reserve(name) {
                    continue;
                }
                let made = match one(&growing, fault, package, pair) {
                    // One package that cannot be read or packed is no reason to stop.
                    Err(CrossError::Package(error)) => Err(Left::unfit(error.to_string())),
                    Err(CrossError::Rebuild(RebuildError::Interrupted)) => return Ok(()),
                    other => other?,
                };
                match made {
                    Ok(case) => {
                        growing.keep(case)?;
                        break;
                    }
                    Err(Left { why, built, known }) => {
                        tries += usize::from(built);
                        growing.drop_it(name, &fault.name, pair, (why, known))?;
                    }
                }
            }
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..options.jobs.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| {
            worker
                .join()
                .unwrap_or_else(|_| Err(std::io::Error::other("a worker of the miner broke off").into()))
        })
    })?;
    Ok(growing.finish())
}

/// Why a package gave no case.
struct Left {
    why: String,
    /// Whether anything was built: that is what costs time.
    built: bool,
    /// Whether it is known, and need not be tried again.
    known: bool,
}

impl Left {
    fn unfit(why: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            built: false,
            known: true,
        }
    }

    fn built(why: impl Into<String>) -> Self {
        Self {
            built: true,
            ..Self::unfit(why)
        }
    }
}

impl From<(String, bool)> for Left {
    fn from((why, known): (String, bool)) -> Self {
        Self {
            why,
            built: true,
            known,
        }
    }
}

fn one(
    growing: &Growing<'_>,
    fault: &Fault,
    source: &PinnedSource,
    pair: Pair,
) -> Result<Result<Case, Left>, CrossError> {
    let Some(source) = with_packaging(source) else {
        return Ok(Err(Left::unfit("it is no source package of a distribution")));
    };
    let fetcher = growing.floor.fetcher;
    let pristine = match fetcher.fetch(&source) {
        Ok(tree) => Package::open(&tree.root)?,
        // A mirror may lack what its indexes list.
        Err(SourceError::Unavailable(why)) => return Ok(Err(Left::unfit(why))),
        Err(error) => return Err(error.into()),
    };
    for arch in [pair.works, pair.fails] {
        if !pristine.architectures().allows(arch) {
            return Ok(Err(Left::unfit(format!("its recipe does not allow {arch}"))));
        }
    }
    let planted = match plant(fault, &pristine)? {
        Ok(planted) => planted,
        Err(why) => return Ok(Err(Left::unfit(why))),
    };
    let change = growing.floor.blobs.put(planted.change.as_bytes())?;
    let mut broken = PinnedSource {
        name: source.name.clone(),
        origin: SourceKind::Changed {
            base: Box::new(source.origin.clone()),
            change,
        },
        tree: None,
    };
    // From here on it is what a grader gets.
    let tree = match fetcher.fetch(&broken) {
        Ok(tree) => tree,
        Err(error) => return Ok(Err(Left::unfit(error.to_string()))),
    };
    broken.tree = Some(tree.digest);
    let package = Package::open(&tree.root)?;
    let mut repaired = package.copy()?;
    if let Err(error) = repaired.apply(&planted.gold) {
        return Ok(Err(Left::unfit(format!("the repair does not apply: {error}"))));
    }
    let failed = growing.build(&package, pair.fails)?;
    match fails(&failed) {
        Err(unknown) => return Ok(Err(unknown.into())),
        Ok(false) => return Ok(Err(Left::built(format!("it builds on {} all the same", pair.fails)))),
        Ok(true) => {}
    }
    if !fault.is_seen_in(&growing.log(&failed)?) {
        return Ok(Err(Left::built(format!(
            "it fails on {} of something else: {}",
            pair.fails, failed.details
        ))));
    }
    let worked = growing.build(&package, pair.works)?;
    match fails(&worked) {
        Err(unknown) => return Ok(Err(unknown.into())),
        Ok(true) => {
            return Ok(Err(Left::built(format!(
                "it does not build on {} either: {}",
                pair.works, worked.details
            ))));
        }
        Ok(false) => {}
    }
    // The repair where it fails is the dearer question, so what could spoil the answer comes before it.
    let again = growing.build(&package, pair.fails)?;
    match fails(&again) {
        Err(unknown) => return Ok(Err(unknown.into())),
        Ok(false) => return Ok(Err(Left::built(format!("it fails on {} only sometimes", pair.fails)))),
        Ok(true) => {}
    }
    for arch in [pair.fails, pair.works] {
        let healed = growing.build(&repaired, arch)?;
        match fails(&healed) {
            Err(unknown) => return Ok(Err(unknown.into())),
            Ok(true) => {
                return Ok(Err(Left::built(format!(
                    "the repair does not build on {arch}: {}",
                    healed.details
                ))));
            }
            Ok(false) => {}
        }
    }
    let class = growing.class(&failed, fault.class)?;
    let SourceKind::Debian { package, version, .. } = &source.origin else {
        return Ok(Err(Left::unfit("it is no source package of a distribution")));
    };
    Ok(Ok(Case {
        package: package.clone(),
        fault: fault.name.clone(),
        is_planted: true,
        pair,
        source: broken,
        origin: format!(
            "mutation: {} ({}) planted in {package} {version}; it failed twice on {} and was built on {}, and with the \
             repair on both. {}",
            fault.name, fault.kind, pair.fails, pair.works, fault.reason
        ),
        failed,
        worked: Some(worked),
        class,
        gold: Some(planted.gold),
        change: Some(planted.change),
    }))
}
