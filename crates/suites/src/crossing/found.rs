//! Cases that are found: what a distribution has for one architecture and not for another.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::{Mutex, PoisonError},
};

use seatrial_core::{Arch, Digest, PinnedSource, SourceKind};
use seatrial_diagnosis::Class;
use seatrial_packaging::Package;
use seatrial_rebuild::RebuildError;
use seatrial_source::{BinaryPackage, SourceError, SourcePackage};

use super::{
    CrossError, CrossFloor, CrossOptions, CrossReport, Pair,
    prove::{Case, Growing, fails},
};

/// Why a source package is worth a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GapKind {
    /// Its recipe allows the other architecture, and the distribution has nothing of it there.
    Missing,
    /// The distribution has an older version of it there.
    Older,
    /// Its recipe rules the other architecture out, perhaps without need.
    Excluded,
}

impl GapKind {
    /// Its name in data.
    pub fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Older => "older",
            Self::Excluded => "excluded",
        }
    }
}

/// A source package with programs on one architecture and none, or older ones, on another.
#[derive(Debug, Clone)]
pub struct Gap {
    /// The source package.
    pub source: SourcePackage,
    /// Why it is worth a look.
    pub kind: GapKind,
}

/// The gaps between the indexes of two architectures. What is for all architectures alike is none.
pub fn gaps(sources: &[SourcePackage], works: &[BinaryPackage], fails: &[BinaryPackage], pair: Pair) -> Vec<Gap> {
    let built = |packages: &[BinaryPackage], arch: Arch| -> BTreeMap<String, BTreeSet<String>> {
        let mut built: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for package in packages.iter().filter(|package| package.architecture == arch.debian()) {
            let versions = built.entry(package.source.clone()).or_default();
            versions.insert(package.source_version.clone());
        }
        built
    };
    let (here, there) = (built(works, pair.works), built(fails, pair.fails));
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for source in sources {
        // The newest of a name comes first.
        if !seen.insert(source.package.as_str()) {
            continue;
        }
        let is_built = here
            .get(&source.package)
            .is_some_and(|versions| versions.contains(&source.version));
        if !is_built {
            continue;
        }
        let allowed = source
            .architecture
            .split_whitespace()
            .any(|word| allows(word, pair.fails));
        let kind = match there.get(&source.package) {
            Some(versions) if versions.contains(&source.version) => continue,
            _ if !allowed => GapKind::Excluded,
            Some(_) => GapKind::Older,
            None => GapKind::Missing,
        };
        found.push(Gap {
            source: source.clone(),
            kind,
        });
    }
    found
}

/// Whether a word of `Architecture` allows one.
fn allows(word: &str, arch: Arch) -> bool {
    let cpu = match arch {
        Arch::Armv7l => "arm",
        other => other.debian(),
    };
    word == "any" || word == "linux-any" || word == arch.debian() || word.strip_prefix("any-") == Some(cpu)
}

/// Builds gaps on both sides, in an order of the seed, and keeps what builds on the one and fails on the other, both times;
/// and what its recipe alone keeps from building, with the wider recipe as its repair. A package whose files the mirror
/// lacks is told and left out.
pub fn mine_gaps(
    floor: &CrossFloor<'_>,
    gaps: &[Gap],
    pair: Pair,
    largest: u64,
    options: &CrossOptions,
) -> Result<CrossReport, CrossError> {
    let growing = Growing::begin(floor, options)?;
    let size = |gap: &Gap| gap.source.files.iter().map(|file| file.size).sum::<u64>();
    let mut queue: Vec<&Gap> = gaps.iter().filter(|gap| size(gap) <= largest).collect();
    queue.sort_by_key(|gap| Digest::of(format!("{} {}", options.seed, gap.source.package).as_bytes()));
    let queue = Mutex::new(VecDeque::from(queue));
    let work = || -> Result<(), CrossError> {
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(gap) = next else { return Ok(()) };
            if growing.is_done() {
                return Ok(());
            }
            let (name, kind) = (&gap.source.package, gap.kind.name());
            if growing.was_tried(name, kind, pair) || !growing.reserve(name) {
                continue;
            }
            let found = match one(&growing, gap, pair) {
                // One package that cannot be read or packed is no reason to stop.
                Err(CrossError::Package(error)) => Err((error.to_string(), true)),
                Err(CrossError::Rebuild(RebuildError::Interrupted)) => return Ok(()),
                other => other?,
            };
            match found {
                Ok(case) => growing.keep(case)?,
                Err(why) => growing.drop_it(name, kind, pair, why)?,
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

fn one(growing: &Growing<'_>, gap: &Gap, pair: Pair) -> Result<Result<Case, (String, bool)>, CrossError> {
    let source = &gap.source;
    let base = SourceKind::Debian {
        package: source.package.clone(),
        version: source.version.clone(),
        directory: source.directory.clone(),
        files: source.files.clone(),
        packaging: true,
    };
    let pinned = |origin: SourceKind| PinnedSource {
        name: source.package.clone(),
        origin,
        tree: None,
    };
    let mut found = pinned(base.clone());
    let tree = match growing.floor.fetcher.fetch(&found) {
        Ok(tree) => tree,
        Err(SourceError::Unavailable(why)) => return Ok(Err((format!("the mirror lacks it: {why}"), true))),
        Err(error) => return Ok(Err((error.to_string(), false))),
    };
    found.tree = Some(tree.digest);
    let pristine = match Package::open(&tree.root) {
        Ok(package) => package,
        Err(error) => return Ok(Err((error.to_string(), true))),
    };
    // Where it works comes first: most of what cannot be built here cannot be built anywhere.
    let worked = growing.build(&pristine, pair.works)?;
    match fails(&worked) {
        Err(unknown) => return Ok(Err(unknown)),
        Ok(true) => return Ok(Err((format!("it fails on {}: {}", pair.works, worked.details), true))),
        Ok(false) => {}
    }
    let failed = growing.build(&pristine, pair.fails)?;
    let again = growing.build(&pristine, pair.fails)?;
    match (fails(&failed), fails(&again)) {
        (Err(unknown), _) | (_, Err(unknown)) => return Ok(Err(unknown)),
        (Ok(true), Ok(true)) => {}
        _ => return Ok(Err((format!("it builds on {}", pair.fails), true))),
    }
    let mut gold = None;
    if gap.kind == GapKind::Excluded {
        let wider = pristine.copy()?;
        let control = wider.root().join("debian/control");
        let text = fs_err::read_to_string(&control)?;
        fs_err::write(&control, widened(&text, pair.fails))?;
        let built = growing.build(&wider, pair.fails)?;
        match fails(&built) {
            Err(unknown) => return Ok(Err(unknown)),
            Ok(false) => gold = Some(wider.diff_from(&pristine)?),
            // Then the architecture is ruled out for a reason, and what is asked for is the port.
            Ok(true) => {}
        }
    }
    let class = growing.class(&failed, Class::Packaging)?;
    Ok(Ok(Case {
        package: source.package.clone(),
        fault: gap.kind.name().to_owned(),
        is_planted: false,
        pair,
        source: found,
        origin: format!(
            "mined: {} {} is {} on {} in the distribution; it failed twice there and was built on {}",
            source.package,
            source.version,
            gap.kind.name(),
            pair.fails,
            pair.works
        ),
        failed,
        worked: Some(worked),
        class,
        gold,
        change: None,
    }))
}

/// The recipe with one architecture more in each list.
fn widened(control: &str, arch: Arch) -> String {
    let mut text = String::new();
    for line in control.lines() {
        text.push_str(line);
        let names_some = line.strip_prefix("Architecture:").is_some_and(|list| {
            list.split_whitespace().all(|word| word != "all" && !allows(word, arch)) && !list.trim().is_empty()
        });
        if names_some {
            text.push(' ');
            text.push_str(arch.debian());
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn source(package: &str, architecture: &str) -> SourcePackage {
        SourcePackage {
            package: package.to_owned(),
            version: "1-1".to_owned(),
            directory: String::new(),
            files: Vec::new(),
            binaries: Vec::new(),
            build_depends: String::new(),
            architecture: architecture.to_owned(),
            section: String::new(),
            format: String::new(),
        }
    }

    fn binary(source: &str, version: &str, architecture: &str) -> BinaryPackage {
        BinaryPackage {
            package: source.to_owned(),
            version: version.to_owned(),
            source: source.to_owned(),
            source_version: version.to_owned(),
            filename: String::new(),
            size: 0,
            sha256: String::new(),
            section: String::new(),
            depends: String::new(),
            provides: String::new(),
            architecture: architecture.to_owned(),
            priority: String::new(),
            essential: false,
        }
    }

    #[test]
    fn what_one_side_has_and_the_other_lacks_is_found_with_the_reason() {
        let names = ["both", "lost", "late", "narrow", "data", "nowhere"];
        let lists = ["any", "any", "any", "amd64 i386", "all", "any"];
        let sources: Vec<_> = names.iter().zip(lists).map(|(name, list)| source(name, list)).collect();
        let mut here: Vec<_> = names[..4].iter().map(|name| binary(name, "1-1", "amd64")).collect();
        here.push(binary("data", "1-1", "all"));
        let there = [
            binary("both", "1-1", "arm64"),
            binary("late", "0-9", "arm64"),
            binary("data", "1-1", "all"),
        ];
        let pair = Pair {
            works: Arch::X86_64,
            fails: Arch::Aarch64,
        };
        let found: Vec<String> = gaps(&sources, &here, &there, pair)
            .iter()
            .map(|gap| format!("{} {}\n", gap.source.package, gap.kind.name()))
            .collect();
        expect![[r"
            lost missing
            late older
            narrow excluded
        "]]
        .assert_eq(&found.concat());
    }

    #[test]
    fn a_recipe_is_widened_where_it_names_others() {
        let control = "Source: a\n\nPackage: a\nArchitecture: amd64 i386\n\nPackage: a-data\nArchitecture: all\n\nPackage: b\nArchitecture: any\n";
        let wider = widened(control, Arch::Aarch64);
        assert_eq!(wider, control.replace("amd64 i386", "amd64 i386 arm64"));
    }
}
