//! `seatrial bench names`: how often the first answer is the right one.

use std::{collections::BTreeMap, fmt::Write as _, time::Instant};

use seatrial_core::ExitCode;
use seatrial_packages::{Batch, GoldName, GoldSet, Half, Key, PackageIndex, Resolver as _};
use seatrial_report::stats::wilson;

use super::{answer, answer_json, platform};
use crate::{
    app::App,
    failure::Failure,
    names_args::{BenchNamesArgs, Beside, Split},
};

/// Counts of one family.
#[derive(Debug, Default, Clone, serde::Serialize)]
struct Tally {
    names: u64,
    first: u64,
    among_three: u64,
    microseconds: f64,
}

pub(crate) fn bench(app: &App, args: &BenchNamesArgs) -> Result<ExitCode, Failure> {
    let set = GoldSet::load(&args.corpus).map_err(|error| Failure::usage(error.to_string()))?;
    let names: Vec<&GoldName> = set
        .names
        .iter()
        .filter(|name| match args.split {
            Split::All => true,
            Split::Seen => name.half == Half::Seen,
            Split::Revealed => name.half == Half::Revealed,
            Split::Unseen => name.half == Half::Unseen,
        })
        .collect();
    if names.is_empty() {
        return Err(Failure::nothing_run("no name is in that half"));
    }
    let index = app.index(&platform(&set.platform)?, None)?;
    let mut families: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut batches: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut exact = Tally::default();
    let mut all = Tally::default();
    let mut misses = String::new();
    for name in &names {
        let start = Instant::now();
        let found: Vec<String> = index
            .resolve(&name.key)
            .into_iter()
            .map(|found| found.package)
            .collect();
        let microseconds = start.elapsed().as_secs_f64() * 1e6;
        let (first, three) = judged(name, &found);
        let batch = match name.batch {
            Batch::First => "first batch",
            Batch::Later => "later batch",
        };
        let mut tallies = vec![
            families.entry(name.key.family()).or_default(),
            batches.entry(batch).or_default(),
            &mut all,
        ];
        if is_exact(&name.key) {
            tallies.push(&mut exact);
        }
        for tally in tallies {
            tally.names += 1;
            tally.first += u64::from(first);
            tally.among_three += u64::from(three);
            tally.microseconds += microseconds;
        }
        if !first && args.misses && name.half != Half::Unseen {
            let _ = writeln!(
                misses,
                "  {}:{}  {}  (accepted: {})",
                name.key.family(),
                name.key.name(),
                found.iter().take(3).cloned().collect::<Vec<_>>().join(" "),
                name.accepted.join(" ")
            );
        }
    }
    // Told, because an answer that the archive cannot give is a fault of the set or a change of the archive.
    let unknown: Vec<&str> = names
        .iter()
        .filter(|name| !name.accepted.is_empty() && !name.accepted.iter().any(|package| index.has_package(package)))
        .map(|name| name.key.name())
        .collect();
    let beside = match args.with {
        Some(Beside::AptFile) => Some(apt_file::ask(&names, args.sample, &index)?),
        None => None,
    };
    if app.json {
        answer_json(&serde_json::json!({
            "platform": set.platform, "seed": set.seed, "revealed": set.revealed, "split": split_name(args.split),
            "all": all, "families": families, "batches": batches, "exact": exact,
            "not_in_archive": unknown.len(), "beside": beside,
        }))?;
        return Ok(ExitCode::Passed);
    }
    let mut text = format!(
        "{} names of {}, half `{}`, seed {}, index {}\n{:<14}{:>6}{:>26}{:>26}{:>12}\n",
        names.len(),
        set.platform,
        split_name(args.split),
        set.seed,
        index.path().file_name().unwrap_or_default().display(),
        "family",
        "names",
        "first is right",
        "among the first three",
        "mean us"
    );
    for (family, tally) in families
        .iter()
        .map(|(family, tally)| (*family, tally))
        .chain([("the four", &exact)])
        .chain(batches.iter().map(|(batch, tally)| (*batch, tally)))
        .chain([("all", &all)])
    {
        let _ = writeln!(
            text,
            "{family:<14}{:>6}{:>26}{:>26}{:>12.1}",
            tally.names,
            share(tally.first, tally.names),
            share(tally.among_three, tally.names),
            tally.microseconds / tally.names.max(1) as f64
        );
    }
    if !unknown.is_empty() {
        let _ = writeln!(text, "{} names have no accepted package in the archive", unknown.len());
    }
    if let Some(beside) = beside {
        let _ = writeln!(
            text,
            "\nbeside it, on a sample of {} names (every n-th of families that files answer):\n{:<14}{:>26}{:>26}{:>16}\n\
             {:<14}{:>26}{:>26}{:>13.0} us\n{:<14}{:>26}{:>26}{:>13.0} ms",
            beside.names,
            "",
            "first is right",
            "among the first three",
            "mean time",
            "seatrial",
            share(beside.own_first, beside.names),
            share(beside.own_three, beside.names),
            beside.own_microseconds,
            "apt-file",
            share(beside.first, beside.names),
            share(beside.three, beside.names),
            beside.milliseconds
        );
    }
    if !misses.is_empty() {
        let _ = write!(text, "\nwrong, of what may be looked at:\n{misses}");
    }
    answer(&text)?;
    Ok(ExitCode::Passed)
}

/// The families whose names are exact: pkg-config modules, CMake packages, programs and libraries.
fn is_exact(key: &Key) -> bool {
    matches!(
        key,
        Key::PkgConfig(_) | Key::CMake(_) | Key::Command(_) | Key::Library(_)
    )
}

fn split_name(split: Split) -> &'static str {
    match split {
        Split::Seen => "seen",
        Split::Revealed => "revealed",
        Split::Unseen => "unseen",
        Split::All => "all",
    }
}

/// Whether the first answer, and any of the first three, is right. Where no package is, no answer is.
fn judged(name: &GoldName, found: &[String]) -> (bool, bool) {
    if name.accepted.is_empty() {
        return (found.is_empty(), found.is_empty());
    }
    let right = |package: &String| name.accepted.contains(package);
    (found.first().is_some_and(right), found.iter().take(3).any(right))
}

fn share(part: u64, all: u64) -> String {
    wilson(part, all).map_or_else(String::new, |interval| {
        format!(
            "{part} {:.1} % [{:.1}, {:.1}]",
            100.0 * part as f64 / all as f64,
            100.0 * interval.low,
            100.0 * interval.high
        )
    })
}

/// `apt-file` beside it: the packages of all files that fit, in the order in which it prints them.
mod apt_file {
    use seatrial_packages::Resolver as _;

    use super::{Failure, GoldName, Instant, Key, PackageIndex, judged};

    #[derive(Debug, serde::Serialize)]
    pub(super) struct Beside {
        pub(super) names: u64,
        pub(super) first: u64,
        pub(super) three: u64,
        pub(super) milliseconds: f64,
        pub(super) own_first: u64,
        pub(super) own_three: u64,
        pub(super) own_microseconds: f64,
    }

    pub(super) fn ask(names: &[&GoldName], sample: usize, index: &PackageIndex) -> Result<Beside, Failure> {
        let askable: Vec<_> = names
            .iter()
            .filter_map(|name| Some((*name, pattern(&name.key)?)))
            .collect();
        let step = (askable.len() / sample.max(1)).max(1);
        let mut total = Beside {
            names: 0,
            first: 0,
            three: 0,
            milliseconds: 0.0,
            own_first: 0,
            own_three: 0,
            own_microseconds: 0.0,
        };
        for (name, pattern) in askable.into_iter().step_by(step).take(sample) {
            let start = Instant::now();
            let output = std::process::Command::new("apt-file")
                .args(["search", "--regexp", "--package-only", &pattern])
                .output()
                .map_err(|error| {
                    Failure::invalid(format!(
                        "cannot run apt-file: {error}\n  install it and run `apt-file update` first"
                    ))
                })?;
            total.milliseconds += start.elapsed().as_secs_f64() * 1e3;
            if output.status.code().is_none_or(|code| code > 1) {
                return Err(Failure::invalid(format!(
                    "apt-file failed: {}\n  run `apt-file update` first",
                    String::from_utf8_lossy(&output.stderr).trim()
                )));
            }
            let found: Vec<String> = String::from_utf8_lossy(&output.stdout)
                .lines()
                .map(str::to_owned)
                .collect();
            let (first, three) = judged(name, &found);
            let start = Instant::now();
            let own: Vec<String> = index
                .resolve(&name.key)
                .into_iter()
                .map(|found| found.package)
                .collect();
            total.own_microseconds += start.elapsed().as_secs_f64() * 1e6;
            let (own_first, own_three) = judged(name, &own);
            total.names += 1;
            total.first += u64::from(first);
            total.three += u64::from(three);
            total.own_first += u64::from(own_first);
            total.own_three += u64::from(own_three);
        }
        let count = total.names.max(1) as f64;
        total.milliseconds /= count;
        total.own_microseconds /= count;
        Ok(total)
    }

    /// What a person would search for; none for families that no file name answers.
    fn pattern(key: &Key) -> Option<String> {
        let name: String = key
            .name()
            .chars()
            .flat_map(|c| {
                if c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-') {
                    vec![c]
                } else {
                    vec!['\\', c]
                }
            })
            .collect();
        Some(match key {
            Key::Header(_) => format!("/include/(.*/)?{name}$"),
            Key::PkgConfig(_) => format!("/pkgconfig/{name}\\.pc$"),
            Key::Library(_) => format!("/lib{name}\\.(so|a)$"),
            Key::Soname(_) => format!("/{name}$"),
            Key::Command(_) => format!("/s?bin/{name}$"),
            _ => return None,
        })
    }
}
