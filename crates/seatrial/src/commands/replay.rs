//! `seatrial replay`.

use std::{collections::BTreeMap, path::Path};

use fs_err as fs;
use seatrial_agents::{AgentSettings, Redone};
use seatrial_core::{Digest, Event, ExitCode, Task, TaskId};
use seatrial_egress::AllowList;
use seatrial_source::SourceSpec;
use seatrial_store::read_journal;
use seatrial_suites::Corpus;
use seatrial_trial::{Bench, NetworkPlan, Networks, Replay, ReplayError, RunLock};
use serde_json::json;

use super::{answer, answer_json, bench, platform, trajectory};
use crate::{app::App, args::ReplayArgs, failure::Failure};

pub(super) fn run(app: &App, args: &ReplayArgs) -> Result<ExitCode, Failure> {
    let found = trajectory::find(app, &args.trial)?;
    let folder = found.journal.parent().unwrap_or(Path::new("."));
    let entries = read_journal(&found.journal)?.entries;
    let id = entries.iter().rev().find_map(|entry| match &entry.event {
        Event::TrialStarted { task, .. } => Some(task.clone()),
        _ => None,
    });
    let id =
        id.ok_or_else(|| Failure::nothing_run(format!("{}: no trial was begun in it", found.journal.display())))?;
    let (task, plan) = task(app, args, folder, &id)?;
    let image = app.image(&task.platform)?;
    let fetcher = app.fetcher(&task.platform);
    let (factory, egress) = (app.factory()?, app.egress()?);
    let suite = seatrial_suites::suite(&task.suite)
        .ok_or_else(|| Failure::usage(format!("this program knows no suite `{}`", task.suite)))?;
    let nobody = bench::known("null", &AgentSettings::default())?;
    let bench = Bench {
        suite,
        agent: &*nobody,
        fetcher: &fetcher,
        factory: &*factory,
        network: Some(Networks {
            plan: &plan,
            egress: &egress,
        }),
        forbid: &[],
        image: image.id,
        images: &BTreeMap::new(),
        base_packages: &image.requested,
        resolver: Some(std::sync::Arc::new(app.index(&task.platform, None)?)),
        blobs: app.home.blobs(),
        lock: Digest::of(b"replay"),
        stop: app.stop.clone(),
        deadline: None,
    };
    let replay = Replay {
        task: &task,
        folder,
        live: args.live,
    };
    app.trials_begin();
    let mut told = |redone: &Redone| app.show.note(&seatrial_report::visible(&line(redone)));
    let done = match bench.replay(&replay, &mut told, &mut |_| {}) {
        Ok(done) => done,
        Err(ReplayError::Trial(error)) => return Err(error.into()),
        Err(error) if app.stop.is_thrown() => {
            drop(error);
            return Err(Failure::interrupted());
        }
        Err(error) => return Err(Failure::invalid(error.to_string())),
    };
    if done.is_empty() {
        return Err(Failure::nothing_run(
            "the agent of this trial did nothing that could be done again",
        ));
    }
    let other: Vec<&Redone> = done.iter().filter(|redone| !redone.is_same()).collect();
    if app.json {
        let list: Vec<_> = done
            .iter()
            .map(|redone| {
                json!({
                    "what": redone.what,
                    "then": redone.then.to_string(),
                    "now": redone.now.map(|now| now.to_string()),
                    "same": redone.is_same(),
                })
            })
            .collect();
        answer_json(&json!({ "done": list, "same": other.is_empty() }))?;
    } else {
        answer(&format!(
            "{} of {} ended as they did then",
            done.len() - other.len(),
            done.len()
        ))?;
    }
    Ok(if other.is_empty() {
        ExitCode::Passed
    } else {
        ExitCode::Failed
    })
}

fn line(redone: &Redone) -> String {
    let what: String = redone.what.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = what.chars().take(100).collect();
    match redone.now {
        None => format!("{short}: not done again, its tool is not one of this program"),
        Some(_) if redone.is_same() => format!("{short}: {}, as then", redone.then),
        Some(now) => format!("{short}: {now}; then it was {}", redone.then),
    }
}

/// The trial's task and what its boxes could reach.
fn task(app: &App, args: &ReplayArgs, folder: &Path, id: &TaskId) -> Result<(Task, NetworkPlan), Failure> {
    let lock = folder.ancestors().nth(2).map(|run| run.join("lock.json"));
    if let Some(lock) = lock.filter(|lock| lock.is_file()) {
        let lock: RunLock = serde_json::from_slice(&fs::read(&lock)?)
            .map_err(|error| Failure::usage(format!("{}: {error}", lock.display())))?;
        let corpus = Corpus::load(Path::new(&lock.corpus_path))?;
        if corpus.digest() != lock.corpus_digest {
            app.show.note(&format!(
                "warning: {} has changed since the trial; its task is taken as it is now",
                lock.corpus_path
            ));
        }
        return Ok((corpus.task(id)?.clone(), lock.network));
    }
    let Some(source) = &args.source else {
        return Err(Failure::usage(
            "this trial is none of a corpus: say what it built with `--source`, such as `--source debian:hello`",
        ));
    };
    let platform = platform(&args.platform)?;
    let fetcher = app.fetcher(&platform);
    let pinned = fetcher.pin(&SourceSpec::from_word(source)?)?;
    let task = Task {
        id: id.clone(),
        suite: "compile"
            .parse()
            .map_err(|error: seatrial_core::IdError| Failure::invalid(error.to_string()))?,
        source: pinned,
        platform,
        goal: seatrial_core::Goal::Compile,
        budget: seatrial_core::Budget::default(),
        blocked_sources: Vec::new(),
    };
    let allow = AllowList::registries();
    Ok((task, NetworkPlan::Recorded { allow }))
}
