//! `seatrial build`.

use std::{collections::BTreeMap, fmt::Write as _, io::Write as _, path::Path, time::Duration};

use flate2::{Compression, write::GzEncoder};
use fs_err as fs;
use seatrial_builder::Policy;
use seatrial_core::{
    Budget, CompileTruth, Evidence, ExitCode, Goal, Outcome, Relaxation, RelaxationClass, Task, Truth, TruthBody,
    Verdict,
};
use seatrial_egress::AllowList;
use seatrial_source::SourceSpec;
use seatrial_trial::{Estimate, Like, TrialResult};

use super::{
    answer, answer_json,
    output::{LOG, exit_code, start_output, task_id, write_proof},
    platform,
    single::{Single, suite_name},
};
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
    let id = task_id(&pinned.name)?;
    let mut settings = match external {
        Some(made) => made.settings,
        None => super::models::settings(app, &args.models)?.0,
    };
    settings.policy = policy;
    let agent = super::bench::known(&args.agent, &settings)?;
    let task = Task {
        id: id.clone(),
        suite: suite_name("compile")?,
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
    let ran = Single {
        verb: "build",
        task: &task,
        truth: &truth,
        agent: &*agent,
        fetcher: &fetcher,
        plan: &plan,
        forbid: &args.forbid,
        images: &BTreeMap::new(),
        named: args.source.as_encoded_bytes(),
        output: &args.output,
    }
    .run(app)?;
    let (result, verdict) = (&ran.result, &ran.verdict);
    let deceits = write_output(&args.output, &ran.folder, result, &tree)?;
    let code = exit_code(verdict, result, args.timeout);
    if app.json {
        answer_json(&serde_json::json!({
            "source": task.source, "outcome": verdict.outcome, "exit_code": code as u8, "output": args.output,
            "verdicts": result.verdicts, "note": result.note, "deceives": deceits, "wall_ms": result.wall_ms,
        }))?;
    } else {
        answer(&summary(&task, result, verdict, &deceits, &args.output))?;
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
    write_proof(output, folder, result)?;
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
