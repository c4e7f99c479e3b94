//! The draw: packages in a seeded order, a quota for each kind of build, a reason for each one left out.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use fs_err as fs;
use seatrial_core::{Digest, TaskId};
use seatrial_source::SourcePackage;

use super::{
    Archive, LeftOut, MineError, MineOptions, MineReport,
    candidates::Index,
    derive::{Derived, derive, unavailable},
    strata::Strata,
};
use crate::{Corpus, CorpusFacts};

/// Mines a corpus for the compile suite and writes it. The same seed and the same state of the archive give the same
/// corpus; a calibration that is already in the folder is kept for the tasks that did not change.
pub fn mine_debian_compile(
    archive: &dyn Archive,
    options: &MineOptions,
    progress: &mut dyn FnMut(&str),
) -> Result<MineReport, MineError> {
    progress("reading the archive's indexes");
    let (sources, binaries) = (archive.sources()?, archive.binaries()?);
    for (what, empty) in [
        ("source packages", sources.is_empty()),
        ("binary packages", binaries.is_empty()),
    ] {
        if empty {
            return Err(MineError::Empty {
                what,
                platform: options.platform.to_string(),
            });
        }
    }
    let index = Index::new(&sources, &binaries, options);
    let mut left_out = Vec::new();
    let mut candidates = Vec::new();
    for source in index.sources.values() {
        match index.reason_against(source, options) {
            Some(reason) => left_out.push(LeftOut {
                reason,
                package: source.package.clone(),
            }),
            None => candidates.push(*source),
        }
    }
    candidates.sort_by_key(|source| draw_order(options.seed, source));
    progress(&format!(
        "{} candidates among {} source packages",
        candidates.len(),
        index.sources.len()
    ));
    let mut draw = Draw {
        strata: Strata::new(options.count),
        taken: Vec::new(),
        spare: Vec::new(),
        examined: 0,
    };
    let mut rest = candidates.into_iter().peekable();
    while rest.peek().is_some() && draw.wants_more(options) {
        let batch: Vec<&SourcePackage> = rest.by_ref().take(BATCH).collect();
        let missing = ask_availability(&batch, &draw.strata, archive)?;
        for (source, missing) in batch.into_iter().zip(missing) {
            let leave = |reason: String| LeftOut {
                reason,
                package: source.package.clone(),
            };
            if !draw.wants_more(options) {
                left_out.push(leave(NOT_DRAWN.to_owned()));
                continue;
            }
            if let Some(kind) = draw.strata.is_pointless(source) {
                left_out.push(leave(format!("enough of the kind {kind}")));
                continue;
            }
            draw.examined += 1;
            let outcome = match missing {
                Some(reason) => Err(reason),
                None => derive(source, &index, archive, options)?,
            };
            match outcome {
                Err(reason) => {
                    progress(&format!("{}: left out: {reason}", source.package));
                    left_out.push(leave(reason));
                }
                Ok(derived) if draw.strata.is_full(derived.stratum) => draw.spare.push(derived),
                Ok(derived) => {
                    let number = draw.taken.len() + 1;
                    progress(&format!(
                        "{}: taken as {} ({number} of {})",
                        source.package, derived.stratum, options.count
                    ));
                    draw.strata.take(derived.stratum);
                    draw.taken.push(derived);
                }
            }
        }
    }
    left_out.extend(rest.map(|source| LeftOut {
        reason: NOT_DRAWN.to_owned(),
        package: source.package.clone(),
    }));
    // Kinds that the archive has too few of leave room for others.
    for derived in draw.spare {
        if draw.taken.len() < options.count {
            draw.taken.push(derived);
        } else {
            left_out.push(LeftOut {
                reason: format!("enough of the kind {}", derived.stratum),
                package: derived.task.id.to_string(),
            });
        }
    }
    left_out.sort();
    write(archive.revision()?, options, draw.taken, left_out, draw.examined)
}

const NOT_DRAWN: &str = "not drawn";
/// Packages whose files are asked for at one time. A mirror answers slowly, and most answers are no.
const BATCH: usize = 32;
/// Questions that are open at one time.
const QUESTIONS: usize = 8;

/// Asks the mirror for the files of each package of a batch, several at a time; the order is kept.
fn ask_availability(
    batch: &[&SourcePackage],
    strata: &Strata,
    archive: &dyn Archive,
) -> Result<Vec<Option<String>>, MineError> {
    let next = AtomicUsize::new(0);
    let ask = || -> Vec<(usize, Result<Option<String>, MineError>)> {
        let mut answers = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(source) = batch.get(index) else { return answers };
            // A kind that is full now stays full, so its answer is not needed.
            let answer = if strata.is_pointless(source).is_some() {
                Ok(None)
            } else {
                unavailable(source, archive)
            };
            answers.push((index, answer));
        }
    };
    let mut answers: Vec<(usize, Result<Option<String>, MineError>)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..QUESTIONS).map(|_| scope.spawn(ask)).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap_or_default())
            .collect()
    });
    answers.sort_by_key(|(index, _)| *index);
    let answers: Vec<Option<String>> = answers
        .into_iter()
        .map(|(_, answer)| answer)
        .collect::<Result<_, _>>()?;
    if answers.len() == batch.len() {
        Ok(answers)
    } else {
        Err(std::io::Error::other("asking the mirror for files broke off").into())
    }
}

struct Draw {
    strata: Strata,
    taken: Vec<Derived>,
    /// Fit, but of a kind of which there are enough.
    spare: Vec<Derived>,
    examined: usize,
}

impl Draw {
    fn wants_more(&self, options: &MineOptions) -> bool {
        self.taken.len() < options.count && self.examined < options.examined
    }
}

/// A package's place in the draw depends on the seed and its name only, so packages that come to the archive or leave
/// it do not change the order of the others.
fn draw_order(seed: u64, source: &SourcePackage) -> Digest {
    Digest::of(format!("{seed} {}", source.package).as_bytes())
}

fn write(
    archive_revision: String,
    options: &MineOptions,
    taken: Vec<Derived>,
    left_out: Vec<LeftOut>,
    examined: usize,
) -> Result<MineReport, MineError> {
    let facts = CorpusFacts {
        format: 1,
        name: options.name.clone(),
        version: 1,
        about: format!(
            "C and C++ source packages of {}, labelled by their own binary packages.",
            options.platform
        ),
        suite: "compile".parse()?,
        platform: options.platform.to_string(),
        archive_revision,
        seed: options.seed,
        tool: env!("CARGO_PKG_VERSION").to_owned(),
        split: None,
    };
    let mut corpus = match Corpus::load(&options.folder) {
        Ok(mut known) => {
            let kept: BTreeSet<&TaskId> = taken.iter().map(|derived| &derived.task.id).collect();
            let gone: Vec<TaskId> = known
                .all_tasks()
                .map(|task| task.id.clone())
                .filter(|id| !kept.contains(id))
                .collect();
            for id in gone {
                known.remove(&id);
            }
            *known.facts_mut() = facts;
            known
        }
        Err(crate::CorpusError::NoCorpus(_)) => Corpus::new(&options.folder, facts),
        Err(error) => return Err(error.into()),
    };
    let mut strata: BTreeMap<String, Vec<TaskId>> = BTreeMap::new();
    for derived in taken {
        strata
            .entry(derived.stratum.to_owned())
            .or_default()
            .push(derived.task.id.clone());
        corpus.insert(derived.task, derived.truth);
    }
    corpus.save()?;
    write_strata(&options.folder.join("strata.tsv"), &strata)?;
    write_left_out(&options.folder.join("left-out.tsv"), &left_out)?;
    Ok(MineReport {
        corpus,
        strata,
        left_out,
        examined,
    })
}

fn write_strata(path: &Path, strata: &BTreeMap<String, Vec<TaskId>>) -> std::io::Result<()> {
    let mut rows: Vec<(&TaskId, &String)> = strata
        .iter()
        .flat_map(|(stratum, ids)| ids.iter().map(move |id| (id, stratum)))
        .collect();
    rows.sort();
    let mut text = String::from("task\tkind of build\n");
    for (id, stratum) in rows {
        let _ = writeln!(text, "{id}\t{stratum}");
    }
    fs::write(path, text)
}

/// One row a reason: a distribution has tens of thousands of packages, and most share a few reasons.
fn write_left_out(path: &Path, left_out: &[LeftOut]) -> std::io::Result<()> {
    let mut rows: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for each in left_out {
        rows.entry(&each.reason).or_default().push(&each.package);
    }
    let mut text = String::from("reason\tcount\tpackages\n");
    for (reason, packages) in rows {
        let _ = writeln!(
            text,
            "{}\t{}\t{}",
            reason.replace(['\t', '\n'], " "),
            packages.len(),
            packages.join(" ")
        );
    }
    fs::write(path, text)
}
