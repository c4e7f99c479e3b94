//! `seatrial corpus mine cross-isa`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    path::Path,
};

use seatrial_core::{ExitCode, PinnedSource, Platform, SourceKind};
use seatrial_rebuild::{LocalDebian, LocalWorld};
use seatrial_source::DebianArchive;
use seatrial_suites::{
    Corpus, CrossFloor, CrossOptions, CrossReport, Faults, Pair, Side, gaps, mine_faults, mine_gaps,
};

use super::{answer, answer_json, platform, rebuilds};
use crate::{
    app::App,
    args::{CrossIsaArgs, CrossIsaVerb},
    failure::Failure,
};

pub(super) fn mine(app: &App, verb: CrossIsaVerb) -> Result<ExitCode, Failure> {
    match verb {
        CrossIsaVerb::Mutations {
            folder,
            from,
            fault,
            tries,
            common,
        } => {
            let catalogue = folder.join("catalogue");
            if !catalogue.is_dir() {
                return Err(Failure::usage(format!(
                    "{} has no folder `catalogue` with faults to plant; name a corpus's folder, such as \
                     corpora/repair-cross-isa",
                    folder.display()
                )));
            }
            let faults = Faults::load(&catalogue)?;
            let (packages, revision) = packages(&from, &common.package)?;
            let mut options = options(&folder, &common, revision)?;
            options.faults = fault;
            options.tries = tries;
            let wanted: BTreeSet<Pair> = if options.pairs.is_empty() {
                faults
                    .fault
                    .iter()
                    .flat_map(|fault| fault.pairs.iter().copied())
                    .collect()
            } else {
                options.pairs.iter().copied().collect()
            };
            let report = on_floor(app, &options, &wanted, |floor| {
                Ok(mine_faults(floor, &faults, &packages, &options)?)
            })?;
            tell(app, &folder, &report)
        }
        CrossIsaVerb::Archive {
            folder,
            max_bytes,
            list,
            common,
        } => {
            let mut options = options(&folder, &common, String::new())?;
            let [pair] = *options.pairs.as_slice() else {
                return Err(Failure::usage(
                    "say between which architectures, with one `--pair WORKS:FAILS`, such as x86_64:aarch64",
                ));
            };
            let index = |arch| -> Result<DebianArchive, Failure> {
                let platform = Platform {
                    arch,
                    ..options.platform.clone()
                };
                Ok(DebianArchive::open(&app.home, &platform, Some(app.show.clone()))?)
            };
            let (here, there) = (index(pair.works)?, index(pair.fails)?);
            let mut found = gaps(&here.sources()?, &here.binaries()?, &there.binaries()?, pair);
            if !common.package.is_empty() {
                found.retain(|gap| common.package.contains(&gap.source.package));
            }
            app.show.clear();
            let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
            for gap in &found {
                *kinds.entry(gap.kind.name()).or_default() += 1;
            }
            let counts: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
            app.show.note(&format!(
                "{} source packages are on {} and not on {}: {}",
                found.len(),
                pair.works,
                pair.fails,
                counts.join(", ")
            ));
            if list {
                let mut text = String::new();
                for gap in &found {
                    let _ = writeln!(
                        text,
                        "{}\t{}\t{}",
                        gap.source.package,
                        gap.source.version,
                        gap.kind.name()
                    );
                }
                answer(&text)?;
                return Ok(ExitCode::Passed);
            }
            options.revision = here.revision()?;
            let wanted = BTreeSet::from([pair]);
            let report = on_floor(app, &options, &wanted, |floor| {
                Ok(mine_gaps(floor, &found, pair, max_bytes, &options)?)
            })?;
            tell(app, &folder, &report)
        }
    }
}

fn options(folder: &Path, common: &CrossIsaArgs, revision: String) -> Result<CrossOptions, Failure> {
    let mut pairs = Vec::new();
    for text in &common.pair {
        let pair = text.split_once(':').and_then(|(works, fails)| {
            Some(Pair {
                works: works.parse().ok()?,
                fails: fails.parse().ok()?,
            })
        });
        match pair {
            Some(pair) if pair.works != pair.fails => pairs.push(pair),
            _ => {
                return Err(Failure::usage(format!(
                    "`--pair {text}` names no two architectures; write it as x86_64:aarch64, where packages build first"
                )));
            }
        }
    }
    Ok(CrossOptions {
        folder: folder.to_owned(),
        platform: platform(&common.platform)?,
        revision,
        seed: common.seed,
        limit: common.limit,
        jobs: common.jobs,
        pairs,
        faults: Vec::new(),
        per_package: common.per_package,
        tries: 1,
    })
}

/// The source packages of a corpus, but for those that are kept out of sight, and the state of its archive.
fn packages(folder: &Path, names: &[String]) -> Result<(Vec<PinnedSource>, String), Failure> {
    let corpus = Corpus::load(folder)?;
    let split = corpus.facts().split.clone().unwrap_or_default();
    let packages: Vec<PinnedSource> = corpus
        .tasks()
        .filter(|task| split.has(Side::Seen, &task.id) && matches!(task.source.origin, SourceKind::Debian { .. }))
        .filter(|task| names.is_empty() || names.contains(&task.source.name))
        .map(|task| task.source.clone())
        .collect();
    if packages.is_empty() {
        return Err(Failure::usage(format!(
            "{} has no such source packages that may be seen",
            folder.display()
        )));
    }
    Ok((packages, corpus.facts().archive_revision.clone()))
}

fn on_floor(
    app: &App,
    options: &CrossOptions,
    pairs: &BTreeSet<Pair>,
    work: impl FnOnce(&CrossFloor<'_>) -> Result<CrossReport, Failure>,
) -> Result<CrossReport, Failure> {
    let arches = pairs.iter().flat_map(|pair| [pair.works, pair.fails]).collect();
    let images = rebuilds::images_for(app, &options.platform, &arches)?;
    let (factory, fetcher) = (app.factory()?, app.fetcher(&options.platform));
    let world = LocalWorld::new(&*factory, images, app.open_network()?, app.home.blobs());
    let report = work(&CrossFloor {
        rebuilder: &LocalDebian::new(&world),
        fetcher: &fetcher,
        blobs: app.home.blobs(),
        progress: &|line: &str| app.show.note(line),
        stop: app.stop.flag(),
    });
    world.forget();
    factory.settle();
    app.show.clear();
    report
}

fn tell(app: &App, folder: &Path, report: &CrossReport) -> Result<ExitCode, Failure> {
    let kept = report.tried.iter().filter(|tried| tried.task.is_some()).count();
    let mut classes: BTreeMap<(String, String), usize> = BTreeMap::new();
    for task in report.corpus.all_tasks() {
        let class = report
            .corpus
            .truth(&task.id)?
            .body
            .repair()
            .map(|truth| truth.class.clone());
        if let (Some(goal), Some(class)) = (task.goal.repair(), class) {
            let works = goal.works_on.map_or("?", |arch| arch.as_str());
            *classes
                .entry((format!("{works} to {}", goal.target), class))
                .or_default() += 1;
        }
    }
    let count = report.corpus.all_tasks().count();
    if app.json {
        answer_json(&serde_json::json!({
            "folder": folder, "cases": count, "new": kept, "left": report.tried.len() - kept,
        }))?;
    } else {
        let mut text = format!(
            "{}: {count} cases, {kept} of them new; {} tried in vain, each with its reason in tried.tsv",
            folder.display(),
            report.tried.len() - kept
        );
        for ((direction, class), count) in classes {
            let _ = write!(text, "\n  {direction:<20} {class:<12} {count}");
        }
        answer(&text)?;
    }
    if app.stop.is_thrown() {
        app.show.note("stopped; the same command goes on where it was");
        return Ok(ExitCode::Interrupted);
    }
    Ok(ExitCode::Passed)
}
