//! `seatrial repair`.

mod hand_out;
mod service;

use std::{collections::BTreeSet, path::Path};

use fs_err as fs;
use seatrial_agents::BUILDS_AS_IT_IS;
use seatrial_core::{
    Arch, Budget, Digest, Event, ExitCode, Goal, Outcome, PinnedSource, RepairGoal, RepairTruth, Task, Truth,
    TruthBody, Verdict,
};
use seatrial_egress::AllowList;
use seatrial_packaging::Package;
use seatrial_source::{Fetcher, SourceSpec};

use super::{
    answer, answer_json,
    output::{LOG, exit_code, start_output, task_id, write_proof},
    platform, rebuilds,
    single::{Single, suite_name},
};
use crate::{app::App, failure::Failure, repair_args::RepairArgs};

/// What is written besides the folder of the package.
const OUTPUTS: [&str; 6] = [
    hand_out::PATCH,
    hand_out::REPORT,
    "explanation.txt",
    "verdict.json",
    "journal.jsonl",
    LOG,
];

pub(super) fn run(app: &App, args: &RepairArgs) -> Result<ExitCode, Failure> {
    let usage =
        |error: seatrial_packaging::PackageError| Failure::usage(format!("{}: {error}", args.package.display()));
    let mut platform = platform(&args.platform)?;
    platform.arch = Arch::host();
    if !args.package.exists() {
        return Err(Failure::usage(format!(
            "there is no {}\n  name a .dsc, an unpacked tree with debian/, or a flat folder with one .spec",
            args.package.display()
        )));
    }
    let package = Package::open(&args.package).map_err(usage)?;
    if args.apply && args.package.is_file() {
        return Err(Failure::usage(format!(
            "{} is a description and no folder that a repair could be written into\n  unpack it (`dpkg-source -x`) and name \
             the folder, or leave --apply out and take the package from {}",
            args.package.display(),
            args.output.display()
        )));
    }
    let works_on = args.works_on.or_else(|| (args.target != Arch::host()).then(Arch::host));
    let plan = args.network.plan(&AllowList::everything())?;
    let (settings, _) = super::models::settings(app, &args.models)?;
    let agent = super::bench::known(&args.agent, &settings)?;
    let wanted: BTreeSet<Arch> = [Some(args.target), works_on].into_iter().flatten().collect();
    let service = service::find(app, &args.service, package.name(), wanted.iter().copied().collect())?;
    let log = start_output(&args.output, &OUTPUTS)?;
    hand_out::clear(&args.output)?;
    service::clear(&args.output)?;
    app.show.log_to(log);

    let fetcher = app.fetcher(&platform);
    let source = pin(&fetcher, &args.package)?;
    app.show.clear();
    let images = rebuilds::images_for(app, &platform, &wanted)?;
    let id = task_id(package.name())?;
    let keep = |path: &Option<std::path::PathBuf>| -> Result<Option<Digest>, Failure> {
        let Some(path) = path else { return Ok(None) };
        let mut file = fs::File::open(path).map_err(|error| Failure::usage(error.to_string()))?;
        Ok(Some(app.home.blobs().put_reader(&mut file)?.0))
    };
    let task = Task {
        id: id.clone(),
        suite: suite_name("repair")?,
        source,
        platform,
        goal: Goal::Repair(RepairGoal {
            recipe: package.kind(),
            target: args.target,
            works_on,
            failed_log: keep(&args.log)?,
            working_log: keep(&args.working_log)?,
        }),
        budget: Budget {
            wall_seconds: Some(args.timeout),
            ..Budget::default()
        },
        blocked_sources: Vec::new(),
    };
    let truth = Truth {
        task: id,
        body: TruthBody::Repair(RepairTruth::default()),
    };
    let ran = Single {
        verb: "repair",
        task: &task,
        truth: &truth,
        agent: &*agent,
        fetcher: &fetcher,
        plan: &plan,
        forbid: &[],
        images: &images,
        named: args.package.as_os_str().as_encoded_bytes(),
        output: &args.output,
    }
    .run(app)?;
    let (result, verdict) = (&ran.result, &ran.verdict);
    let submission = seatrial_trial::submission(&ran.folder)?.unwrap_or_default();
    let patch = submission.patch.as_deref().unwrap_or_default();
    // An agent that finds nothing to repair says so in the journal; that is no failure of the package.
    let nothing_to_do = patch.is_empty() && says_it_builds(&ran.folder)?;
    let mut made = hand_out::write(&hand_out::Repaired {
        output: &args.output,
        package: &package,
        patch,
        note: &result.note,
        verdict,
        target: args.target,
        works_on,
    })?;
    write_proof(&args.output, &ran.folder, result)?;
    let applied = if args.apply && verdict.outcome == Outcome::Passed {
        hand_out::apply(&args.package, &package, (args.target, &result.note), patch)?
    } else {
        Vec::new()
    };
    let code = if nothing_to_do {
        ExitCode::NothingRun
    } else {
        exit_code(verdict, result, args.timeout)
    };
    let mut early = None;
    let built = match &service {
        Some(service) if verdict.outcome == Outcome::Passed => {
            match service::prove(app, service, &args.output, hand_out::REPORT, &mut made) {
                Ok((built, failure)) => {
                    early = failure;
                    Some(built)
                }
                Err(failure) => {
                    early = Some(failure);
                    None
                }
            }
        }
        Some(_) => {
            app.show
                .note("nothing was sent to the service: there is no proved repair");
            None
        }
        None => None,
    };
    let code = match (&early, &built) {
        (Some(failure), _) => failure.code,
        (None, Some(built)) => built.code(),
        (None, None) => code,
    };
    if app.json {
        answer_json(&serde_json::json!({
            "package": package.name(), "version": package.version(), "target": args.target, "works_on": works_on,
            "outcome": verdict.outcome, "exit_code": code as u8, "output": args.output, "verdicts": result.verdicts,
            "patch": patch, "note": result.note, "made": made, "applied": applied, "wall_ms": result.wall_ms,
            "service": built.as_ref().map(service::Built::facts),
        }))?;
    } else {
        let mut text = if nothing_to_do {
            let visible = seatrial_report::visible;
            format!(
                "nothing to repair: {} {}: {} ({:.1} s)\n\nwritten to {}: {}",
                package.name(),
                package.version(),
                visible(result.note.lines().next().unwrap_or_default()),
                result.wall_ms as f64 / 1000.0,
                visible(&args.output.display().to_string()),
                made.join(", ")
            )
        } else {
            summary(args, &package, verdict, &result.note, result.wall_ms, &made, &applied)
        };
        for line in built.iter().flat_map(service::Built::lines) {
            text.push('\n');
            text.push_str(&line);
        }
        answer(&text)?;
    }
    early.map_or(Ok(code), Err)
}

/// Whether the agent decided that there is nothing to repair, because the package builds.
fn says_it_builds(folder: &Path) -> Result<bool, Failure> {
    let entries = seatrial_store::read_journal(&folder.join("journal.jsonl"))?.entries;
    Ok(entries
        .iter()
        .any(|entry| matches!(&entry.event, Event::Decision { what, .. } if what == BUILDS_AS_IT_IS)))
}

/// The package, as a folder that cannot change any more.
fn pin(fetcher: &Fetcher, path: &Path) -> Result<PinnedSource, Failure> {
    let unread = |error: std::io::Error| Failure::usage(error.to_string());
    let is_description = path.is_file() && path.extension().is_some_and(|ending| ending == "dsc");
    let staging = tempfile::tempdir()?;
    let folder = if is_description {
        // Its files alone: what else lies in the user's folder is none of the package.
        let (beside, name) = (
            path.parent().unwrap_or(Path::new(".")),
            path.file_name().unwrap_or_default(),
        );
        let text = fs::read_to_string(path).map_err(unread)?;
        let named = text.split_whitespace().filter(|word| !word.contains('/'));
        for file in named.map(std::ffi::OsStr::new).chain([name]) {
            if beside.join(file).is_file() {
                fs::copy(beside.join(file), staging.path().join(file)).map_err(unread)?;
            }
        }
        staging.path()
    } else if path.is_file() {
        path.parent().unwrap_or(Path::new("."))
    } else {
        path
    };
    let folder = fs::canonicalize(folder).map_err(unread)?;
    let source = fetcher.pin(&SourceSpec::Folder(folder))?;
    // The snapshot is what counts from here on.
    fetcher.fetch(&source)?;
    Ok(source)
}

fn summary(
    args: &RepairArgs,
    package: &Package,
    verdict: &Verdict,
    note: &str,
    wall_ms: u64,
    made: &[String],
    applied: &[String],
) -> String {
    let visible = seatrial_report::visible;
    let mut lines = vec![format!(
        "{} {} {} on {} in {:.1} s: {}",
        verdict.outcome,
        package.name(),
        package.version(),
        args.target,
        wall_ms as f64 / 1000.0,
        visible(&verdict.reason)
    )];
    for flag in &verdict.flags {
        lines.push(format!("flag: {}: {}", flag.name, visible(&flag.detail)));
    }
    if !note.is_empty() {
        lines.push(String::new());
        lines.extend(note.lines().map(visible));
    }
    if !applied.is_empty() {
        lines.push(format!(
            "\nchanged in {}: {}",
            args.package.display(),
            applied.join(", ")
        ));
    }
    lines.push(format!(
        "\nwritten to {}: {}",
        visible(&args.output.display().to_string()),
        made.join(", ")
    ));
    lines.join("\n")
}
