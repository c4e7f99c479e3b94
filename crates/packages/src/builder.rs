//! Makes the index file out of a distribution's indexes.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use fst::MapBuilder;
use seatrial_core::Arch;
use seatrial_source::{BinaryPackage, SourcePackage};

use crate::{
    PackagesError,
    classify::{Family, Name, classify},
    contents::{packages_of, scan_file},
    definitions::Definition,
    format::{self, COUNT_BITS, MOST_CANDIDATES, PLACEHOLDER, Texts},
    popularity::{Popularity, is_development},
};

/// What an index is made of.
#[derive(Debug)]
pub struct BuildInput<'a> {
    /// `Contents` files, gzip-compressed or plain.
    pub contents: &'a [PathBuf],
    /// The packages that can be installed; files of others are left out.
    pub binaries: &'a [BinaryPackage],
    /// The source packages, whose build dependencies say what is popular.
    pub sources: &'a [SourcePackage],
    /// The architecture, for the folders that carry its name.
    pub arch: Arch,
    /// What was read out of packages: who defines which macro, target and command.
    pub definitions: &'a [Definition],
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildSummary {
    /// Names that can be looked up.
    pub names: u64,
    /// Rows of the `Contents` files that made no sense.
    pub skipped_rows: u64,
    /// Size of the index in bytes.
    pub bytes: u64,
}

/// Builds an index at `path`, replacing an older one in one step. `tick` is told the path of each file that is begun.
pub fn build(path: &Path, input: &BuildInput<'_>, tick: &mut dyn FnMut(&Path)) -> Result<BuildSummary, PackagesError> {
    let triplet = input.arch.triplet().as_bytes();
    assemble(path, input.binaries, input.sources, &mut |collector| {
        let mut skipped_rows = 0;
        for file in input.contents {
            tick(file);
            skipped_rows += scan_file(file, &mut |path, packages| {
                collector.row(path, triplet, packages_of(packages));
            })?;
        }
        for definition in input.definitions {
            collector.define(
                definition.what.family(),
                &definition.name,
                &definition.path,
                &definition.package,
            );
        }
        Ok(skipped_rows)
    })
}

/// Builds an index of what `fill` tells the collector; it returns the number of rows that made no sense.
pub(crate) fn assemble(
    path: &Path,
    binaries: &[BinaryPackage],
    sources: &[SourcePackage],
    fill: &mut dyn FnMut(&mut Collector<'_>) -> Result<u64, PackagesError>,
) -> Result<BuildSummary, PackagesError> {
    let mut names: Vec<&str> = binaries.iter().map(|binary| binary.package.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let mut collector = Collector::new(&names)?;
    let skipped_rows = fill(&mut collector)?;
    collector.check()?;
    let popularity = Popularity::new(binaries, sources);
    let mut name_texts = Texts::default();
    let mut scores = Vec::with_capacity(names.len() * 4);
    for name in &names {
        name_texts.push(&[name.as_bytes()])?;
        scores.extend_from_slice(&popularity.score(name).to_le_bytes());
    }
    let (keys, candidates, count) = collector.finish(&names, &popularity)?;
    let patterns = collector.patterns;
    let bytes = format::write(
        path,
        &[
            &keys,
            &candidates,
            &name_texts.ends,
            &name_texts.bytes,
            &patterns.ends,
            &patterns.bytes,
            &scores,
        ],
    )?;
    Ok(BuildSummary {
        names: count,
        skipped_rows,
        bytes,
    })
}

/// One name that one package answers.
#[derive(Debug, Clone, Copy)]
struct Answer {
    family: Family,
    key_length: u8,
    key_start: u32,
    package: u32,
    pattern: u32,
    weight: f32,
}

/// Gathers who answers which name.
pub(crate) struct Collector<'n> {
    packages: HashMap<&'n [u8], u32>,
    /// All names, end to end; those that end alike share their bytes.
    arena: Vec<u8>,
    answers: Vec<Answer>,
    patterns: Texts,
    pattern_numbers: HashMap<Vec<u8>, u32>,
    pattern: Vec<u8>,
    /// Where the row's whole path is in the arena, once something needs it.
    row_start: Option<usize>,
    /// The last Python module or Go package and its owners: a package has hundreds of files of one module in a row.
    last_module: (Vec<u8>, Vec<u32>),
    failure: Option<PackagesError>,
    scratch: Vec<u8>,
    owners: Vec<u32>,
}

impl<'n> Collector<'n> {
    fn new(names: &[&'n str]) -> Result<Self, PackagesError> {
        let mut packages = HashMap::with_capacity(names.len());
        for (number, name) in names.iter().enumerate() {
            let number = u32::try_from(number).map_err(|_| PackagesError::TooLarge("packages"))?;
            packages.insert(name.as_bytes(), number);
        }
        Ok(Self {
            packages,
            arena: Vec::new(),
            answers: Vec::new(),
            patterns: Texts::default(),
            pattern_numbers: HashMap::new(),
            pattern: Vec::new(),
            row_start: None,
            last_module: (Vec::new(), Vec::new()),
            failure: None,
            scratch: Vec::new(),
            owners: Vec::new(),
        })
    }

    fn begin_row(&mut self) {
        self.row_start = None;
    }

    fn add(&mut self, path: &[u8], name: &Name<'_>, owners: &[u32]) {
        if owners.is_empty() || self.failure.is_some() {
            return;
        }
        if matches!(name.family, Family::Python | Family::Go) {
            if self.last_module.0 == name.key && self.last_module.1 == owners {
                return;
            }
            self.last_module.0.clear();
            self.last_module.0.extend_from_slice(name.key);
            self.last_module.1.clear();
            self.last_module.1.extend_from_slice(owners);
        }
        if let Err(error) = self.try_add(path, name, owners) {
            self.failure = Some(error);
        }
    }

    fn try_add(&mut self, path: &[u8], name: &Name<'_>, owners: &[u32]) -> Result<(), PackagesError> {
        let key_start = if path.ends_with(name.key) {
            let row = if let Some(row) = self.row_start {
                row
            } else {
                let row = self.arena.len();
                self.arena.extend_from_slice(path);
                self.row_start = Some(row);
                row
            };
            row + path.len() - name.key.len()
        } else {
            let start = self.arena.len();
            self.arena.extend_from_slice(name.key);
            start
        };
        let key_start = u32::try_from(key_start).map_err(|_| PackagesError::TooLarge("names"))?;
        let Ok(key_length) = u8::try_from(name.key.len()) else {
            return Ok(());
        };
        self.pattern.clear();
        self.pattern.extend_from_slice(name.before);
        if !name.literal {
            self.pattern.push(PLACEHOLDER);
            self.pattern.extend_from_slice(name.after);
        }
        let pattern = if let Some(number) = self.pattern_numbers.get(&self.pattern) {
            *number
        } else {
            let number = self.patterns.push(&[&self.pattern])?;
            self.pattern_numbers.insert(self.pattern.clone(), number);
            number
        };
        for package in owners {
            self.answers.push(Answer {
                family: name.family,
                key_length,
                key_start,
                package: *package,
                pattern,
                weight: name.weight,
            });
        }
        Ok(())
    }

    /// Adds all that a path answers, for the packages that own it.
    pub(crate) fn row<'p>(&mut self, path: &[u8], triplet: &[u8], mut packages: impl Iterator<Item = &'p [u8]>) {
        self.begin_row();
        let mut scratch = std::mem::take(&mut self.scratch);
        let mut owners = std::mem::take(&mut self.owners);
        owners.clear();
        let mut asked = false;
        classify(path, triplet, &mut scratch, &mut |name| {
            // Most rows answer nothing: their packages are not even looked at.
            if !asked {
                owners.extend(packages.by_ref().filter_map(|name| self.packages.get(name)));
                asked = true;
            }
            self.add(path, &name, &owners);
        });
        self.scratch = scratch;
        self.owners = owners;
    }

    /// Adds a name that no path answers by itself; `because` is told with the answer.
    pub(crate) fn define(&mut self, family: Family, name: &str, because: &str, package: &str) {
        let owner: Vec<u32> = self.packages.get(package.as_bytes()).copied().into_iter().collect();
        self.begin_row();
        let name = Name {
            family,
            key: name.as_bytes(),
            before: because.as_bytes(),
            after: b"",
            literal: true,
            weight: 1.0,
        };
        self.add(because.as_bytes(), &name, &owner);
    }

    fn check(&mut self) -> Result<(), PackagesError> {
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Sorts, ranks and packs: the key map, the candidates and the number of keys.
    fn finish(&mut self, names: &[&str], popularity: &Popularity) -> Result<(Vec<u8>, Vec<u8>, u64), PackagesError> {
        let ranks: Vec<Rank> = names
            .iter()
            .map(|name| Rank {
                score: popularity.score(name),
                development: is_development(name),
                always_there: popularity.is_always_there(name),
                stand_in: self.packages.get(popularity.stand_in(name).as_bytes()).copied(),
            })
            .collect();
        let arena = &self.arena;
        let key_of = |answer: &Answer| {
            let start = answer.key_start as usize;
            arena
                .get(start..start + usize::from(answer.key_length))
                .unwrap_or_default()
        };
        self.answers.sort_unstable_by(|left, right| {
            left.family
                .cmp(&right.family)
                .then_with(|| key_of(left).cmp(key_of(right)))
        });
        // `Family` sorts by its byte, as the map wants it.
        let mut keys = MapBuilder::memory();
        let mut candidates: Vec<u8> = Vec::new();
        let mut key = Vec::new();
        let mut count = 0;
        let mut group: Vec<(u32, u32, f32)> = Vec::new();
        for same in self
            .answers
            .chunk_by(|left, right| left.family == right.family && key_of(left) == key_of(right))
        {
            let Some(first) = same.first() else { continue };
            group.clear();
            group.extend(same.iter().map(|answer| ranked(answer, &ranks)));
            group.sort_unstable_by(|left, right| right.2.total_cmp(&left.2).then(left.cmp_name(right)));
            let start = (candidates.len() / format::CANDIDATE_SIZE) as u64;
            let mut kept: Vec<u32> = Vec::with_capacity(MOST_CANDIDATES);
            for (package, pattern, score) in &group {
                if kept.len() == MOST_CANDIDATES {
                    break;
                }
                if kept.contains(package) {
                    continue;
                }
                kept.push(*package);
                candidates.extend_from_slice(&package.to_le_bytes());
                candidates.extend_from_slice(&pattern.to_le_bytes());
                candidates.extend_from_slice(&score.to_le_bytes());
            }
            key.clear();
            key.push(first.family as u8);
            key.extend_from_slice(key_of(first));
            keys.insert(&key, (start << COUNT_BITS) | kept.len() as u64)
                .map_err(std::io::Error::other)?;
            count += 1;
        }
        let keys = keys.into_inner().map_err(std::io::Error::other)?;
        Ok((keys, candidates, count))
    }
}

/// A package's standing.
struct Rank {
    score: f32,
    development: bool,
    always_there: bool,
    stand_in: Option<u32>,
}

/// A tie is broken by name, so that equal inputs make equal files: the last one, which is the newer of two versions.
trait ByName {
    fn cmp_name(&self, other: &Self) -> std::cmp::Ordering;
}

impl ByName for (u32, u32, f32) {
    fn cmp_name(&self, other: &Self) -> std::cmp::Ordering {
        other.0.cmp(&self.0).then(self.1.cmp(&other.1))
    }
}

/// Nobody names what every build has: it counts like the most popular package.
const ALWAYS_THERE: f32 = 10_000.0;
/// Runtime packages own the odd header or `.so` of a plug-in; what is built against comes in development packages.
const RUNTIME_WEIGHT: f32 = 0.3;

fn ranked(answer: &Answer, ranks: &[Rank]) -> (u32, u32, f32) {
    let built_against = matches!(
        answer.family,
        Family::Header
            | Family::PkgConfig
            | Family::CMake
            | Family::CMakeFolded
            | Family::CMakeTarget
            | Family::CMakeCommand
            | Family::MacroDefinition
            | Family::Library
    );
    let Some(rank) = ranks.get(answer.package as usize) else {
        return (answer.package, answer.pattern, 0.0);
    };
    // Only where the name itself is looked for: `linux/magic.h` is not what is meant by `magic.h`.
    let bonus = if rank.always_there && answer.weight >= 1.0 {
        ALWAYS_THERE
    } else {
        0.0
    };
    let mut score = answer.weight * (rank.score + bonus);
    let mut package = answer.package;
    if built_against {
        // What is at an include root itself is there to be built against, whatever its package is called.
        let at_root = answer.family == Family::Header && answer.weight >= 1.0;
        if !rank.development && !at_root {
            score *= RUNTIME_WEIGHT;
        }
        package = rank.stand_in.unwrap_or(package);
    }
    (package, answer.pattern, score)
}
