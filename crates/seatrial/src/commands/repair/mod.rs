//! `seatrial repair`.

mod hand_out;

use std::{collections::BTreeSet, path::Path, sync::Arc as Shared, time::Duration};

use fs_err as fs;
use seatrial_core::{
    Arch, Budget, Digest, ExitCode, Goal, Outcome, PinnedSource, Profile, RecipeKind, RepairGoal, RepairTruth,
    SuiteName, Task, Truth, TruthBody, Verdict,
};
use seatrial_egress::AllowList;
use seatrial_packaging::{Kind, Package};
use seatrial_source::{Fetcher, SourceSpec};
use seatrial_trial::{Bench, Networks, Trial, TrialError};

use super::{answer, answer_json, build, platform, rebuilds};
use crate::{app::App, failure::Failure, repair_args::RepairArgs};

/// What is written besides the folder of the package.
const OUTPUTS: [&str; 6] = [
    hand_out::PATCH,
    hand_out::REPORT,
    "explanation.txt",
    "verdict.json",
    "journal.jsonl",
    build::LOG,
];

/// In so little time nothing further is begun.
const TOO_SHORT: Duration = Duration::from_secs(5);

pub(super) fn run(app: &App, args: &RepairArgs) -> Result<ExitCode, Failure> {
    let usage =
        |error: seatrial_packaging::PackageError| Failure::usage(format!("{}: {error}", args.package.display()));
    let mut platform = platform(&args.platform)?;
    platform.arch = Arch::host();
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
    let log = build::start_output(&args.output, &OUTPUTS)?;
    hand_out::clear(&args.output)?;
    app.show.log_to(log);

    let wanted: BTreeSet<Arch> = [Some(args.target), works_on].into_iter().flatten().collect();
    let fetcher = app.fetcher(&platform);
    let source = pin(&fetcher, &args.package)?;
    app.show.clear();
    let images = rebuilds::images_for(app, &platform, &wanted)?;
    let image = app.image(&platform)?;
    let resolver = Shared::new(app.index(&platform, None)?);
    let (factory, egress) = (app.factory()?, app.egress()?);
    let name: SuiteName = "repair"
        .parse()
        .map_err(|error: seatrial_core::IdError| Failure::invalid(error.to_string()))?;
    let suite = seatrial_suites::suite(&name)
        .ok_or_else(|| Failure::invalid("this program has no suite `repair`; it was built wrong"))?;
    let id = build::task_id(package.name())?;
    let keep = |path: &Option<std::path::PathBuf>| -> Result<Option<Digest>, Failure> {
        let Some(path) = path else { return Ok(None) };
        let mut file = fs::File::open(path).map_err(|error| Failure::usage(error.to_string()))?;
        Ok(Some(app.home.blobs().put_reader(&mut file)?.0))
    };
    let task = Task {
        id: id.clone(),
        suite: name,
        source,
        platform,
        goal: Goal::Repair(RepairGoal {
            recipe: match package.kind() {
                Kind::Debian => RecipeKind::Debian,
                Kind::Rpm => RecipeKind::Rpm,
            },
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
    let bench = Bench {
        suite,
        agent: &*agent,
        fetcher: &fetcher,
        factory: &*factory,
        network: Some(Networks {
            plan: &plan,
            egress: &egress,
        }),
        forbid: &[],
        image: image.id,
        images: &images,
        base_packages: &image.requested,
        resolver: Some(resolver),
        blobs: app.home.blobs(),
        lock: Digest::of(args.package.as_os_str().as_encoded_bytes()),
        stop: app.stop.clone(),
    };
    let folder = app
        .home
        .runs()
        .join(format!("repair-{}-{}", task.id, seatrial_store::unix_millis()));
    let trial = Trial {
        task: &task,
        truth: &truth,
        attempt: 1,
    };
    app.trials_begin();
    let result = match bench.run(&trial, &folder, app.show.as_ref()) {
        Ok(result) => result,
        Err(TrialError::Interrupted) => {
            app.show.clear();
            app.show.note(&format!(
                "stopped; the log so far is {}",
                args.output.join(build::LOG).display()
            ));
            return Err(Failure::interrupted());
        }
        Err(error) => return Err(error.into()),
    };
    app.show.clear();
    let Some(verdict) = result.verdict(Profile::Strict).cloned() else {
        return Err(Failure::invalid("the grader gave no verdict"));
    };
    let spent = Duration::from_millis(result.wall_ms) + TOO_SHORT >= Duration::from_secs(args.timeout);
    let submission = seatrial_trial::submission(&folder)?.unwrap_or_default();
    let patch = submission.patch.as_deref().unwrap_or_default();
    // An agent that finds nothing to repair says so; that is no failure of the package.
    let nothing_to_do = patch.is_empty() && result.note.contains("as it is");
    let made = hand_out::write(&hand_out::Repaired {
        output: &args.output,
        package: &package,
        patch,
        note: &result.note,
        verdict: &verdict,
        target: args.target,
        works_on,
    })?;
    let verdicts =
        serde_json::to_string_pretty(&result.verdicts).map_err(|error| Failure::invalid(error.to_string()))?;
    fs::write(args.output.join("verdict.json"), verdicts + "\n")?;
    fs::copy(folder.join("journal.jsonl"), args.output.join("journal.jsonl"))?;
    let applied = if args.apply && verdict.outcome == Outcome::Passed {
        hand_out::apply(&args.package, &package, patch)?
    } else {
        Vec::new()
    };
    let code = if nothing_to_do {
        ExitCode::NothingRun
    } else {
        build::exit_code(&verdict, spent)
    };
    if app.json {
        answer_json(&serde_json::json!({
            "package": package.name(), "version": package.version(), "target": args.target, "works_on": works_on,
            "outcome": verdict.outcome, "exit_code": code as u8, "output": args.output, "verdicts": result.verdicts,
            "patch": patch, "note": result.note, "made": made, "applied": applied, "wall_ms": result.wall_ms,
        }))?;
    } else {
        answer(&summary(
            args,
            &package,
            &verdict,
            &result.note,
            result.wall_ms,
            &made,
            &applied,
        ))?;
    }
    Ok(code)
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
