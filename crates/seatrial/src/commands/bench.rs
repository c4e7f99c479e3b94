//! `seatrial bench`.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use fs_err as fs;
use seatrial_agents::{Agent, AgentSettings, Ognibuild, Retrieval};
use seatrial_core::{AgentName, Arch, Digest, ExitCode, Outcome, RelaxationClass, Task, TaskId, Truth, TruthBody};
use seatrial_egress::{AllowList, Egress};
use seatrial_packages::{PackageIndex, Resolver};
use seatrial_suites::{Corpus, Side};
use seatrial_trial::{
    Bench, Calibration, Calibrator, Estimate, Like, NetworkPlan, Networks, Room, Run, RunLock, RunView,
};

use super::{answer, answer_json, mutations, platform};
use crate::{
    app::{App, VERSION},
    args::NetworkArgs,
    bench_args::{BenchRunArgs, BenchVerb},
    failure::Failure,
    preflight,
};

pub(super) fn run(app: &App, verb: BenchVerb) -> Result<ExitCode, Failure> {
    match verb {
        BenchVerb::Run(args) => execute(app, &args),
        BenchVerb::Report {
            run,
            tasks,
            failures,
            show_unseen,
            markdown,
        } => {
            let view = RunView::read(&find_run(app, &run)?)?;
            if failures {
                return super::bench_views::failures(app, &view, show_unseen);
            }
            print(app, &view, tasks, markdown)?;
            Ok(ExitCode::Passed)
        }
        BenchVerb::Retrieval(args) => super::retrieval::bench(app, &args),
        BenchVerb::Names(args) => super::names::bench(app, &args),
        BenchVerb::Compare { runs } => {
            let folders = runs.iter().map(|name| find_run(app, name));
            super::bench_views::compare(app, &folders.collect::<Result<Vec<_>, _>>()?)
        }
        BenchVerb::List => list(app),
        BenchVerb::Diagnosis(args) => mutations::bench(app, &args),
        BenchVerb::Calibrate {
            corpus,
            jobs,
            attempts,
            task,
            new,
            network,
        } => calibrate(app, &corpus, &network, jobs, attempts, &task, new),
    }
}

/// What a run and a calibration share: everything but the agent.
struct Parts {
    corpus: Corpus,
    image: seatrial_sandbox::Image,
    /// What packages are rebuilt in.
    images: BTreeMap<Arch, Digest>,
    fetcher: seatrial_source::Fetcher,
    factory: Box<dyn seatrial_sandbox::SandboxFactory>,
    suite: &'static dyn seatrial_suites::Suite,
    egress: Egress,
    plan: NetworkPlan,
}

impl Parts {
    /// Opens a corpus and what is needed for it. `check` sees the corpus before anything is made.
    fn open(
        app: &App,
        folder: &Path,
        network: &NetworkArgs,
        check: impl FnOnce(&Corpus, bool) -> Result<(), Failure>,
    ) -> Result<Self, Failure> {
        let plan = network.plan(&AllowList::registries())?;
        let corpus = Corpus::load(folder)?;
        for warning in corpus.warnings() {
            app.show.note(&format!("warning: {warning}"));
        }
        let suite = seatrial_suites::suite(&corpus.facts().suite).ok_or_else(|| {
            Failure::usage(format!(
                "{}: this program knows no suite `{}`",
                folder.display(),
                corpus.facts().suite
            ))
        })?;
        let platform = platform(&corpus.facts().platform)?;
        check(&corpus, app.lacks_image(&platform)?)?;
        let recipe = match corpus.tasks().next() {
            Some(task) => suite.image(&task.goal)?,
            None => None,
        };
        let image = match recipe {
            Some(recipe) => super::rebuilds::of_recipe(app, &recipe)?,
            None => app.image(&platform)?,
        };
        corpus.keep_blobs(&app.home.blobs())?;
        let images = super::rebuilds::images(app, &corpus)?;
        let (fetcher, factory) = (app.fetcher(&platform), app.factory()?);
        Ok(Self {
            corpus,
            image,
            images,
            fetcher,
            factory,
            suite,
            egress: app.egress()?,
            plan,
        })
    }

    fn bench<'a>(
        &'a self,
        app: &App,
        agent: &'a dyn Agent,
        index: Option<PackageIndex>,
        (lock, forbid): (Digest, &'a [RelaxationClass]),
    ) -> Bench<'a> {
        Bench {
            suite: self.suite,
            agent,
            fetcher: &self.fetcher,
            factory: &*self.factory,
            network: Some(Networks {
                plan: &self.plan,
                egress: &self.egress,
            }),
            forbid,
            image: self.image.id,
            images: &self.images,
            base_packages: &self.image.requested,
            resolver: index.map(|index| Arc::new(index) as Arc<dyn Resolver>),
            blobs: app.home.blobs(),
            lock,
            stop: app.stop.clone(),
            deadline: None,
        }
    }
}

/// The agent of this name, or a message with all the others.
pub(super) fn known(name: &str, settings: &AgentSettings) -> Result<Box<dyn Agent>, Failure> {
    let found = seatrial_agents::agent(name, settings).ok_or_else(|| {
        let names: Vec<_> = seatrial_agents::all()
            .iter()
            .map(|row| row.make(settings))
            .map(|agent| format!("{} ({})", agent.name(), agent.about()))
            .collect();
        Failure::usage(format!(
            "there is no agent `{name}`; there are:\n  {}",
            names.join("\n  ")
        ))
    })?;
    if settings.searcher.is_some() && !found.searches() {
        return Err(Failure::usage(format!(
            "the agent `{name}` has no tool that searches the web; leave `--search` out"
        )));
    }
    if !settings.outside.is_empty() && !found.takes_tools() {
        return Err(Failure::usage(format!(
            "the agent `{name}` takes no further tools; leave `--mcp` out, or choose `codeact` or `hybrid`"
        )));
    }
    if settings.embedding.is_some() && (name != "oss-build" || settings.options.retrieval != Retrieval::Rag) {
        return Err(Failure::usage(
            "`--embedder` makes the vectors of `--agent oss-build --retrieval rag`; leave it out, or choose these",
        ));
    }
    match (found.needs_model(), settings.models.is_empty()) {
        (true, true) => Err(Failure::usage(format!(
            "the agent `{name}` asks a model: name one with `--model provider/name`, such as `--model ollama/qwen3:8b`"
        ))),
        (false, false) => Err(Failure::usage(format!(
            "the agent `{name}` asks no model; leave `--model` out, or choose an agent that does, such as `hybrid`"
        ))),
        _ => Ok(found),
    }
}

fn execute(app: &App, args: &BenchRunArgs) -> Result<ExitCode, Failure> {
    let mut network = args.network.clone();
    let mut program = None;
    let (mut settings, model) = if super::external::is_meant(&args.agent, &args.external)? {
        let made = super::external::program(&args.external, &args.models, &mut network)?;
        program = Some(made.digest);
        (made.settings, Some(made.lock))
    } else {
        super::models::settings(app, &args.models)?
    };
    if args.agent == Ognibuild::NAME {
        let (bytes, digest) = super::programs::ognibuild(app, args.program.as_deref())?;
        settings.program = Some(bytes);
        program = Some(digest);
    } else if args.program.is_some() {
        return Err(Failure::usage(format!(
            "the agent `{}` runs no program; `--program` is for `{}`",
            args.agent,
            Ognibuild::NAME
        )));
    }
    let agent = known(&args.agent, &settings)?;
    let agent = &*agent;
    let name = |error: seatrial_core::IdError| Failure::usage(error.to_string());
    let agent_name = agent.name().parse::<AgentName>().map_err(name)?;
    let mut tasks = Vec::new();
    let mut room = Room::unbounded(&app.home);
    let parts = Parts::open(app, &args.corpus, &network, |corpus, image_missing| {
        tasks = select(corpus, &args.task, args.quarantined, args.split, args.limit)?;
        if tasks.is_empty() {
            return Err(Failure::nothing_run(format!(
                "no task of {} was chosen",
                args.corpus.display()
            )));
        }
        if !args.no_disk_check {
            let like = Like::Run(&corpus.facts().name, &agent_name);
            room = checked_room(app, like, &tasks, args.jobs, image_missing)?;
        }
        Ok(())
    })?;
    let mut lock = RunLock {
        v: 5,
        suite: parts.corpus.facts().suite.clone(),
        corpus: parts.corpus.facts().name.clone(),
        corpus_path: fs::canonicalize(&args.corpus)?.display().to_string(),
        corpus_digest: parts.corpus.digest(),
        tasks: tasks.iter().map(|task| task.id.clone()).collect(),
        agent: agent_name.clone(),
        program,
        model,
        attempts: args.attempts,
        wall_seconds: args.max_time_of_run.map(|span| span.as_secs()),
        image: parts.image.id,
        index: None,
        network: parts.plan.clone(),
        forbid: args.forbidden(),
        tool_version: VERSION.to_owned(),
    };
    let begun = Run::unfinished(&app.home, &lock)?;
    let index = if agent.needs_resolver() {
        let name = begun.as_ref().and_then(|lock| lock.index.as_deref());
        let index = app.index(&parts.image.platform, name)?;
        lock.index = index.path().file_name().map(|name| name.to_string_lossy().into_owned());
        Some(index)
    } else {
        None
    };
    let mut bench = parts.bench(app, agent, index, (lock.digest(), &lock.forbid));
    let run = Run::open(&app.home, &lock)?;
    if args.retry_invalid {
        let count = run.retry_invalid()?;
        app.show.note(&format!("{count} invalid trials will be run again"));
    }
    let view = RunView::read(run.folder())?;
    let done = view.results.len();
    let total = done + view.pending.len();
    app.show.expect_trials(done, total);
    let how = if done > 0 {
        format!("resuming, {done} of {total} trials are done")
    } else {
        format!("{total} trials")
    };
    app.show.note(&format!("run {}: {how}", run.id()));
    app.trials_begin();
    bench.deadline = args.max_time_of_run.and_then(|span| Instant::now().checked_add(span));
    let outcome = run.execute(&bench, &parts.corpus, args.jobs, &room, app.show.as_ref())?;
    app.show.clear();
    print(app, &outcome.view, false, false)?;
    if outcome.interrupted {
        app.show.note("stopped; the same command goes on where it was");
        return Ok(ExitCode::Interrupted);
    }
    if outcome.late > 0 {
        app.show.note(&format!(
            "the time of the run was up: {} trials were not begun; the same command goes on with them",
            outcome.late
        ));
        return Ok(ExitCode::BudgetSpent);
    }
    Ok(exit_code(&outcome.view))
}

fn checked_room(app: &App, like: Like<'_>, tasks: &[Task], jobs: usize, image_missing: bool) -> Result<Room, Failure> {
    let tasks: Vec<&Task> = tasks.iter().collect();
    preflight::room(app, &Estimate::of(&app.home, like, &tasks, jobs, image_missing)?)
}

fn select(
    corpus: &Corpus,
    names: &[String],
    quarantined: bool,
    side: Option<Side>,
    limit: Option<usize>,
) -> Result<Vec<Task>, Failure> {
    let mut tasks = Vec::new();
    if names.is_empty() {
        let all: Vec<&Task> = if quarantined {
            corpus.all_tasks().collect()
        } else {
            corpus.tasks().collect()
        };
        tasks.extend(all.into_iter().cloned());
    }
    for name in names {
        let id: TaskId = name
            .parse()
            .map_err(|error: seatrial_core::IdError| Failure::usage(error.to_string()))?;
        let task = corpus.task(&id)?;
        if !tasks.contains(task) {
            tasks.push(task.clone());
        }
    }
    if let Some(side) = side {
        let split = corpus.facts().split.as_ref().ok_or_else(|| {
            Failure::usage(format!(
                "{} is not divided; `seatrial corpus split` does that",
                corpus.folder().display()
            ))
        })?;
        tasks.retain(|task| split.has(side, &task.id));
    }
    tasks.truncate(limit.unwrap_or(usize::MAX));
    Ok(tasks)
}

fn exit_code(view: &RunView) -> ExitCode {
    let count = |outcome| view.results.iter().filter(|result| result.outcome() == outcome).count();
    if view.results.is_empty() {
        ExitCode::NothingRun
    } else if count(Outcome::Failed) > 0 {
        ExitCode::Failed
    } else if count(Outcome::Invalid) > 0 {
        ExitCode::Invalid
    } else {
        ExitCode::Passed
    }
}

fn print(app: &App, view: &RunView, tasks: bool, markdown: bool) -> Result<(), Failure> {
    let summary = super::bench_views::summary(view)?;
    if app.json {
        answer(&summary.to_json().map_err(|error| Failure::invalid(error.to_string()))?)?;
    } else if markdown {
        answer(&summary.to_markdown())?;
    } else {
        let width = crate::show::width();
        let mut text = summary.to_text(width);
        if tasks {
            let _ = write!(text, "\n{}", summary.trials_to_text(width));
        }
        answer(&text)?;
    }
    Ok(())
}

fn runs(app: &App) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for entry in fs::read_dir(app.home.runs())? {
        let path = entry?.path();
        if path.join("lock.json").is_file() {
            let changed = fs::metadata(path.join("lease")).and_then(|meta| meta.modified()).ok();
            found.push((changed, path));
        }
    }
    found.sort();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// The run with this name.
pub(super) fn find_run(app: &App, name: &str) -> Result<PathBuf, Failure> {
    let direct = PathBuf::from(name);
    if direct.join("lock.json").is_file() {
        return Ok(direct);
    }
    let all = runs(app)?;
    if name == "latest" {
        return all
            .last()
            .cloned()
            .ok_or_else(|| Failure::nothing_run("there is no run yet; `seatrial bench run` makes one"));
    }
    let file_name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut matching: Vec<_> = all.iter().filter(|path| file_name(path) == name).collect();
    if matching.is_empty() {
        matching = all.iter().filter(|path| file_name(path).starts_with(name)).collect();
    }
    match matching.as_slice() {
        [one] => Ok((*one).clone()),
        [] => Err(Failure::usage(format!(
            "there is no run `{name}`; `seatrial bench list` shows what there is"
        ))),
        several => {
            let names: Vec<_> = several.iter().map(|path| file_name(path)).collect();
            Err(Failure::usage(format!(
                "`{name}` could be any of:\n  {}",
                names.join("\n  ")
            )))
        }
    }
}

fn list(app: &App) -> Result<ExitCode, Failure> {
    let mut text = String::new();
    let mut rows = Vec::new();
    for path in runs(app)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // A damaged run must not hide the others.
        let view = match RunView::read(&path) {
            Ok(view) => view,
            Err(error) => {
                let _ = writeln!(text, "{name}  cannot be read: {error}");
                rows.push(serde_json::json!({ "run": name, "error": error.to_string() }));
                continue;
            }
        };
        let passed = view
            .results
            .iter()
            .filter(|result| result.outcome() == Outcome::Passed)
            .count();
        let (done, total) = (view.results.len(), view.results.len() + view.pending.len());
        let _ = writeln!(text, "{name}  {done} of {total} trials done, {passed} passed");
        rows.push(serde_json::json!({ "run": name, "done": done, "total": total, "passed": passed }));
    }
    if app.json {
        answer_json(&rows)?;
    } else if rows.is_empty() {
        answer("no runs; `seatrial bench run` makes one")?;
    } else {
        answer(&text)?;
    }
    Ok(ExitCode::Passed)
}

fn calibrate(
    app: &App,
    folder: &Path,
    network: &NetworkArgs,
    jobs: usize,
    attempts: u32,
    names: &[String],
    only_new: bool,
) -> Result<ExitCode, Failure> {
    let nobody = known("null", &AgentSettings::default())?;
    let mut tasks = Vec::new();
    let mut room = Room::unbounded(&app.home);
    let mut parts = Parts::open(app, folder, network, |corpus, image_missing| {
        tasks = select(corpus, names, true, None, None)?;
        if only_new {
            let is_new = |task: &Task| {
                let lock = corpus.lock(&task.id);
                lock.is_ok_and(|lock| lock.state == seatrial_suites::TaskState::New)
            };
            tasks.retain(is_new);
        }
        if tasks.is_empty() {
            return Err(Failure::nothing_run("no task was chosen"));
        }
        // Nearly all is spent on the reference solution, which builds as the rules do.
        let rules = "rules"
            .parse()
            .map_err(|error: seatrial_core::IdError| Failure::usage(error.to_string()))?;
        room = checked_room(
            app,
            Like::Run(&corpus.facts().name, &rules),
            &tasks,
            jobs,
            image_missing,
        )?;
        Ok(())
    })?;
    let image = parts.image.id;
    let plan = serde_json::to_string(&parts.plan).unwrap_or_default();
    let lock = Digest::of(format!("calibrate {} {image} {plan} {}", parts.corpus.digest(), VERSION).as_bytes());
    let journals = app
        .home
        .runs()
        .join(format!("calibrate-{}-{}", parts.corpus.facts().name, lock.short()));
    let _lease = seatrial_store::Lease::take(&journals)?;
    app.trials_begin();
    let found = {
        let calibrator = Calibrator {
            bench: parts.bench(app, &*nobody, None, (lock, RelaxationClass::NOT_GRADED)),
            attempts,
            folder: &journals,
            room: &room,
        };
        calibrator.all(&parts.corpus, &tasks, jobs, app.show.as_ref(), &|id, answer| {
            app.show.note(&format!("{id}: {}", words(answer)));
        })?
    };
    app.show.clear();
    for (id, answer) in &found {
        if let Some(state) = answer.state() {
            let reason = if let Calibration::Quarantined(reason) = answer {
                reason.as_str()
            } else {
                ""
            };
            parts.corpus.set_state(id, state, reason, Some(image))?;
            if let Calibration::Fit(key, _) = answer {
                parts.corpus.improve_truth(Truth {
                    task: id.clone(),
                    body: TruthBody::Compile(key.clone()),
                })?;
            }
        }
    }
    parts.corpus.save()?;
    let count = |wanted: fn(&Calibration) -> bool| found.iter().filter(|(_, answer)| wanted(answer)).count();
    let fit = count(|answer| matches!(answer, Calibration::Fit(..) | Calibration::Proved));
    let quarantined = count(|answer| matches!(answer, Calibration::Quarantined(_)));
    let unknown = count(|answer| matches!(answer, Calibration::Unknown(_)));
    if app.json {
        let rows: Vec<_> = found
            .iter()
            .map(|(id, answer)| serde_json::json!({ "task": id, "answer": words(answer) }))
            .collect();
        answer_json(&serde_json::json!({ "fit": fit, "quarantined": quarantined, "unknown": unknown, "tasks": rows }))?;
    } else {
        answer(&format!(
            "{fit} tasks fit, {quarantined} quarantined, {unknown} not known; written to {}",
            folder.join("corpus.lock").display()
        ))?;
    }
    if app.stop.is_thrown() {
        app.show.note("stopped; the same command goes on where it was");
        return Ok(ExitCode::Interrupted);
    }
    Ok(if unknown > 0 {
        ExitCode::Invalid
    } else {
        ExitCode::Passed
    })
}

fn words(answer: &Calibration) -> String {
    match answer {
        Calibration::Fit(key, notes) => {
            let mut words = "fit".to_owned();
            if !key.aliases.is_empty() {
                let pairs: Vec<_> = key
                    .aliases
                    .iter()
                    .map(|(name, others)| format!("{name} = {}", others.join(" = ")))
                    .collect();
                let _ = write!(words, "; also known as: {}", pairs.join(", "));
            }
            if !key.patched.is_empty() {
                let _ = write!(
                    words,
                    "; made by the distribution's patches: {}",
                    key.patched.join(", ")
                );
            }
            for note in notes {
                words.push_str("; ");
                words.push_str(note);
            }
            words
        }
        Calibration::Proved => "fit".to_owned(),
        Calibration::Quarantined(reason) => format!("quarantined: {reason}"),
        Calibration::Unknown(reason) => format!("not known: {reason}"),
    }
}
