//! `seatrial build`.

use std::{collections::BTreeMap, fmt::Write as _, io::Write as _, path::Path, sync::Arc, time::Duration};

use flate2::{Compression, write::GzEncoder};
use fs_err as fs;
use seatrial_builder::Policy;
use seatrial_core::{
    Budget, CompileTruth, Digest, Evidence, ExitCode, Goal, InvalidReason, Outcome, Profile, Relaxation,
    RelaxationClass, SuiteName, Task, Truth, TruthBody, Verdict,
};
use seatrial_egress::AllowList;
use seatrial_source::SourceSpec;
use seatrial_trial::{Bench, Estimate, Like, Networks, Trial, TrialError, TrialResult};

use super::{answer, answer_json, platform};
use crate::{app::App, args::BuildArgs, failure::Failure, preflight};

/// What is written, in the order in which it is named.
const OUTPUTS: [&str; 7] = [
    "recipe.sh",
    "Dockerfile",
    "source.tar.gz",
    "explanation.txt",
    "verdict.json",
    "journal.jsonl",
    LOG,
];

/// In so little time no further way to build is begun.
const TOO_SHORT: Duration = Duration::from_secs(5);

/// All output of boxes.
pub(super) const LOG: &str = "build.log";

pub(super) fn run(app: &App, args: &BuildArgs) -> Result<ExitCode, Failure> {
    let platform = platform(&args.platform)?;
    // The source is the user's own choice, and no answer key lies on any forge.
    let mut network = args.network.clone();
    let external = if super::external::is_meant(&args.agent, &args.external)? {
        Some(super::external::program(&args.external, &args.models, &mut network)?)
    } else {
        None
    };
    let plan = network.plan(&AllowList::everything())?;
    let spec = SourceSpec::from_word(&args.source)?;
    let policy = policy(args)?;
    app.show.log_to(start_output(&args.output, &OUTPUTS)?);
    if !args.no_disk_check {
        let estimate = Estimate::of(&app.home, Like::Build, &[], 1, app.lacks_image(&platform)?)?;
        preflight::room(app, &estimate)?;
    }

    let fetcher = app.fetcher(&platform);
    let pinned = fetcher.pin(&spec)?;
    let tree = fetcher.fetch(&pinned)?;
    app.show.clear();
    for warning in fetcher.warnings() {
        app.show.note(&format!("warning: {warning}"));
    }
    let image = app.image(&platform)?;
    let resolver = Arc::new(app.index(&platform, None)?);
    let factory = app.factory()?;
    let egress = app.egress()?;

    let id = task_id(&pinned.name)?;
    let wanted = |name: &str| Failure::invalid(format!("this program has no {name}; it was built wrong"));
    let name: SuiteName = "compile"
        .parse()
        .map_err(|error: seatrial_core::IdError| Failure::invalid(error.to_string()))?;
    let suite = seatrial_suites::suite(&name).ok_or_else(|| wanted("suite `compile`"))?;
    let mut settings = match external {
        Some(made) => made.settings,
        None => super::models::settings(app, &args.models)?.0,
    };
    settings.policy = policy;
    let agent = super::bench::known(&args.agent, &settings)?;
    let task = Task {
        id: id.clone(),
        suite: name,
        source: pinned,
        platform: platform.clone(),
        goal: Goal::Compile,
        budget: Budget {
            wall_seconds: Some(args.timeout),
            ..Budget::default()
        },
        blocked_sources: Vec::new(),
    };
    let truth = Truth {
        task: id,
        body: TruthBody::Compile(CompileTruth::of(args.expect.clone())),
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
        forbid: &args.forbid,
        image: image.id,
        images: &BTreeMap::new(),
        base_packages: &image.requested,
        resolver: Some(resolver),
        blobs: app.home.blobs(),
        lock: Digest::of(args.source.as_encoded_bytes()),
        stop: app.stop.clone(),
    };
    let folder = app
        .home
        .runs()
        .join(format!("build-{}-{}", task.id, seatrial_store::unix_millis()));
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
                args.output.join(LOG).display()
            ));
            return Err(Failure::interrupted());
        }
        Err(error) => return Err(error.into()),
    };
    app.show.clear();
    let Some(verdict) = result.verdict(Profile::Strict).cloned() else {
        return Err(Failure::invalid("the grader gave no verdict"));
    };
    let deceits = write_output(&args.output, &folder, &result, &tree)?;
    let spent = Duration::from_millis(result.wall_ms) + TOO_SHORT >= Duration::from_secs(args.timeout);
    let code = exit_code(&verdict, spent);
    if app.json {
        answer_json(&serde_json::json!({
            "source": task.source, "outcome": verdict.outcome, "exit_code": code as u8, "output": args.output,
            "verdicts": result.verdicts, "note": result.note, "deceives": deceits, "wall_ms": result.wall_ms,
        }))?;
    } else {
        answer(&summary(&task, &result, &verdict, &deceits, &args.output))?;
    }
    Ok(code)
}

fn policy(args: &BuildArgs) -> Result<Policy, Failure> {
    let policy = Policy {
        forbid: Vec::new(),
        without: args.without.clone(),
        minimise: args.minimise.map(Duration::from_secs),
    };
    let unknown = policy.unknown();
    if unknown.is_empty() {
        return Ok(policy);
    }
    Err(Failure::usage(format!(
        "no rule is called `{}`; the rules are:\n  {}",
        unknown.join("`, `"),
        Policy::rules().join(", ")
    )))
}

pub(super) fn task_id(name: &str) -> Result<seatrial_core::TaskId, Failure> {
    let clean: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '+') {
                c
            } else {
                '-'
            }
        })
        .collect();
    let clean = clean.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    let clean: String = clean.chars().take(100).collect();
    let clean = if clean.is_empty() { "source".to_owned() } else { clean };
    clean
        .parse()
        .map_err(|error: seatrial_core::IdError| Failure::usage(error.to_string()))
}

pub(super) fn exit_code(verdict: &Verdict, spent: bool) -> ExitCode {
    match (verdict.outcome, verdict.invalid) {
        (Outcome::Passed, _) => ExitCode::Passed,
        (Outcome::Failed, _) if spent => ExitCode::BudgetSpent,
        (Outcome::Failed, _) => ExitCode::Failed,
        // The task of `build` is the user's own input.
        (Outcome::Invalid, Some(InvalidReason::Task)) => ExitCode::Usage,
        (Outcome::Invalid, _) => ExitCode::Invalid,
    }
}

/// Makes the output folder; what an earlier build left in it must not be taken for this one's.
pub(super) fn start_output(output: &Path, outputs: &[&str]) -> Result<fs::File, Failure> {
    // The default folder lies in the project, and a project that nobody knows may bring it as a link to anywhere.
    if output.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(Failure::usage(format!(
            "the output folder {} is a link, through which nothing is written\n  name the folder that it leads to with \
             `-o DIR`, or remove it",
            output.display()
        )));
    }
    let make = || {
        fs::create_dir_all(output)?;
        for name in outputs {
            match fs::remove_file(output.join(name)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        fs::File::create(output.join(LOG))
    };
    make().map_err(|error| match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => error.into(),
        // The folder is the user's choice.
        _ => Failure::usage(format!(
            "cannot write to the output folder {}: {error}\n  choose another one with `-o DIR`",
            output.display()
        )),
    })
}

/// Writes what a person asked for, and returns what in it may deceive.
fn write_output(
    output: &Path,
    folder: &Path,
    result: &TrialResult,
    tree: &seatrial_source::SourceTree,
) -> Result<Vec<Relaxation>, Failure> {
    let view = seatrial_trial::submission(folder)?;
    if let Some(script) = view.as_ref().and_then(|submission| submission.script.as_ref()) {
        fs::write(output.join("recipe.sh"), script)?;
        executable(&output.join("recipe.sh"))?;
    }
    if let Some(recipe) = view.as_ref().and_then(|submission| submission.recipe.as_ref()) {
        fs::write(output.join("Dockerfile"), recipe.to_dockerfile())?;
        let file = fs::File::create(output.join("source.tar.gz"))?;
        let mut gzip = GzEncoder::new(file, Compression::fast());
        tree.write_tar(&mut gzip)?;
        gzip.finish()?.flush()?;
    }
    if result.outcome() != Outcome::Passed && !result.note.is_empty() {
        fs::write(output.join("explanation.txt"), format!("{}\n", result.note.trim_end()))?;
    }
    let verdicts =
        serde_json::to_string_pretty(&result.verdicts).map_err(|error| Failure::invalid(error.to_string()))?;
    fs::write(output.join("verdict.json"), verdicts + "\n")?;
    fs::copy(folder.join("journal.jsonl"), output.join("journal.jsonl"))?;
    let recipe = view.and_then(|submission| submission.recipe);
    let relaxations = recipe.map(|recipe| recipe.relaxations).unwrap_or_default();
    Ok(relaxations
        .into_iter()
        .filter(|relaxation| relaxation.class == RelaxationClass::Deceives)
        .collect())
}

fn executable(path: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))?)
}

fn summary(task: &Task, result: &TrialResult, verdict: &Verdict, deceits: &[Relaxation], output: &Path) -> String {
    let visible = seatrial_report::visible;
    let mut text = format!(
        "{} {} in {:.1} s: {}\n",
        verdict.outcome,
        task.source,
        result.wall_ms as f64 / 1000.0,
        visible(&verdict.reason)
    );
    let files: Vec<_> = verdict
        .checks
        .iter()
        .filter(|check| check.name == "completion")
        .flat_map(|check| &check.evidence)
        .filter_map(|evidence| match evidence {
            Evidence::File { path, what, size, .. } => Some((path, what, size)),
            Evidence::Log { .. } | Evidence::Exit { .. } | Evidence::Note { .. } => None,
        })
        .collect();
    // What a person looks for first: programs and libraries; the objects they were linked from only as a number.
    let (objects, shown): (Vec<_>, Vec<_>) = files
        .into_iter()
        .partition(|(_, what, _)| what.starts_with("ELF object"));
    if !shown.is_empty() || !objects.is_empty() {
        text.push_str("artifacts (made again from the recipe in a fresh box):\n");
    }
    for (path, what, size) in shown.iter().take(20) {
        let _ = writeln!(text, "  {}  {} bytes  {}", visible(path), size, visible(what));
    }
    let hidden = shown.len().saturating_sub(20) + objects.len();
    if hidden > 0 {
        let _ = writeln!(
            text,
            "  and {hidden} more, {} of them object files; all are in verdict.json",
            objects.len()
        );
    }
    for flag in &verdict.flags {
        let _ = writeln!(text, "flag: {}: {}", flag.name, visible(&flag.detail));
    }
    for deceit in deceits {
        let _ = writeln!(
            text,
            "warning: what was built may not be what its source says: {}, because {}; `--forbid deceives` goes without",
            visible(&deceit.what),
            visible(&deceit.why)
        );
    }
    // Also after a pass: a project of which only a part was built passes where nobody named what there should be.
    if !result.note.is_empty() {
        let _ = writeln!(
            text,
            "\n{}",
            result
                .note
                .lines()
                .map(visible)
                .collect::<Vec<_>>()
                .join("\n")
                .trim_end()
        );
    }
    let written: Vec<_> = OUTPUTS.into_iter().filter(|name| output.join(name).exists()).collect();
    let _ = write!(
        text,
        "\nwritten to {}: {}",
        visible(&output.display().to_string()),
        written.join(", ")
    );
    text
}
