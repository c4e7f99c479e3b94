//! `seatrial corpus`.

use std::{collections::BTreeSet, fmt::Write as _, path::Path};

use fs_err as fs;
use seatrial_core::{ExitCode, TaskId};
use seatrial_source::DebianArchive;
use seatrial_suites::{CaseSet, Corpus, LiveArchive, MineOptions, MutationError, Side, Split, TaskState};

use super::{answer, answer_json, mutations, platform};
use crate::{
    app::App,
    args::{CorpusVerb, MineVerb},
    failure::Failure,
};

pub(super) fn run(app: &App, verb: CorpusVerb) -> Result<ExitCode, Failure> {
    match verb {
        CorpusVerb::List { folder } => list(app, &folder),
        CorpusVerb::Show { corpus, task } => show(app, &corpus, task.as_deref()),
        CorpusVerb::Mine(verb) => mine(app, verb),
        CorpusVerb::Import(words) => super::import::run(app, &words),
        CorpusVerb::Split {
            corpus,
            seed,
            older,
            reveal,
        } => match reveal {
            Some(share) if CaseSet::load(&corpus).is_ok() => mutations::reveal(app, &corpus, seed, share),
            Some(share) => reveal_tasks(app, &corpus, seed, share),
            None => split(app, &corpus, seed, older.as_deref()),
        },
        CorpusVerb::Refresh { corpus } => refresh(app, &corpus),
    }
}

fn list(app: &App, folder: &Path) -> Result<ExitCode, Failure> {
    let (mut found, mut sets) = (Vec::new(), Vec::new());
    let mut folders = vec![folder.to_owned()];
    for entry in fs::read_dir(folder).map_err(|error| Failure::usage(error.to_string()))? {
        folders.push(entry?.path());
    }
    for path in folders.into_iter().filter(|path| path.join("corpus.toml").is_file()) {
        match CaseSet::load(&path) {
            Ok(set) => sets.push(set),
            Err(MutationError::NoSet(_) | MutationError::Malformed { line: None, .. }) => {
                found.push(Corpus::load(&path)?);
            }
            Err(error) => return Err(error.into()),
        }
    }
    if found.is_empty() && sets.is_empty() {
        return Err(Failure::nothing_run(format!("no corpus below {}", folder.display())));
    }
    if app.json {
        let mut list: Vec<_> = found
            .iter()
            .map(|corpus| {
                serde_json::json!({
                    "folder": corpus.folder(), "facts": corpus.facts(), "digest": corpus.digest(),
                    "tasks": corpus.all_tasks().count(), "fit": corpus.tasks().count(),
                })
            })
            .collect();
        list.extend(sets.iter().map(
            |set| serde_json::json!({ "folder": set.folder(), "facts": set.facts(), "cases": set.cases().len() }),
        ));
        answer_json(&list)?;
    } else {
        let mut text = String::new();
        for corpus in &found {
            let facts = corpus.facts();
            let _ = writeln!(
                text,
                "{}  {} of {} tasks fit  {}  {}",
                corpus.folder().display(),
                corpus.tasks().count(),
                corpus.all_tasks().count(),
                facts.platform,
                facts.about
            );
        }
        for set in &sets {
            let _ = writeln!(
                text,
                "{}  {} failing logs  {}",
                set.folder().display(),
                set.cases().len(),
                set.facts().about
            );
        }
        answer(&text)?;
    }
    Ok(ExitCode::Passed)
}

fn split(app: &App, folder: &Path, seed: u64, older: Option<&Path>) -> Result<ExitCode, Failure> {
    if CaseSet::load(folder).is_ok() {
        return Err(Failure::usage(format!(
            "{} holds failing logs, whose split follows from its seed; `--reveal SHARE` makes a part of what is out of \
             sight seen",
            folder.display()
        )));
    }
    let mut corpus = Corpus::load(folder)?;
    let older: BTreeSet<TaskId> = match older {
        Some(older) => Corpus::load(older)?.all_tasks().map(|task| task.id.clone()).collect(),
        None => BTreeSet::new(),
    };
    let split = Split::draw(&corpus, seed, &older);
    let about = split.about.clone();
    corpus.facts_mut().split = Some(split);
    corpus.save()?;
    if app.json {
        answer_json(&corpus.facts().split)?;
    } else {
        answer(&format!("{}: unseen are {about}", folder.display()))?;
    }
    Ok(ExitCode::Passed)
}

/// Makes a part of a corpus that is out of sight seen.
fn reveal_tasks(app: &App, folder: &Path, seed: u64, share: f64) -> Result<ExitCode, Failure> {
    let mut corpus = Corpus::load(folder)?;
    let nothing = || Failure::nothing_run(format!("nothing of {} is out of sight", folder.display()));
    let mut split = corpus.facts().split.clone().ok_or_else(nothing)?;
    let revealed = split.reveal(&corpus, seed, share);
    if revealed.is_empty() {
        return Err(nothing());
    }
    let left = split.unseen.len();
    corpus.facts_mut().split = Some(split);
    corpus.save()?;
    if app.json {
        answer_json(&serde_json::json!({ "revealed": revealed, "left": left }))?;
    } else {
        let names: Vec<&str> = revealed.iter().map(TaskId::as_str).collect();
        answer(&format!("revealed: {}\n{left} are left", names.join(", ")))?;
    }
    Ok(ExitCode::Passed)
}

fn show(app: &App, folder: &Path, task: Option<&str>) -> Result<ExitCode, Failure> {
    let corpus = Corpus::load(folder)?;
    for warning in corpus.warnings() {
        app.show.note(&format!("warning: {warning}"));
    }
    if let Some(task) = task {
        let id: TaskId = task
            .parse()
            .map_err(|error: seatrial_core::IdError| Failure::usage(error.to_string()))?;
        let (task, lock) = (corpus.task(&id)?, corpus.lock(&id)?);
        if app.json {
            answer_json(&serde_json::json!({ "task": task, "state": lock.state, "reason": lock.reason }))?;
        } else {
            let budget = task
                .budget
                .wall_seconds
                .map_or("unbounded".to_owned(), |seconds| format!("{seconds} s"));
            answer(&format!(
                "{}\n  source   {}\n  platform {}\n  budget   {budget}\n  state    {} {}",
                task.id,
                task.source,
                task.platform,
                state(lock.state),
                lock.reason
            ))?;
        }
        return Ok(ExitCode::Passed);
    }
    if app.json {
        let tasks: Vec<_> = corpus
            .all_tasks()
            .map(|task| {
                let lock = corpus.lock(&task.id).ok();
                serde_json::json!({
                    "id": task.id, "source": task.source.to_string(),
                    "state": lock.map(|lock| lock.state), "reason": lock.map(|lock| &lock.reason),
                })
            })
            .collect();
        answer_json(&serde_json::json!({ "facts": corpus.facts(), "digest": corpus.digest(), "tasks": tasks }))?;
    } else {
        let facts = corpus.facts();
        let mut text = format!(
            "{} version {} ({})\n{}\nmined from archive state {} with seed {}, digest {}\n",
            facts.name,
            facts.version,
            facts.platform,
            facts.about,
            facts.archive_revision,
            facts.seed,
            corpus.digest().short()
        );
        if let Some(split) = &facts.split {
            let _ = writeln!(text, "kept out of sight with seed {}: {}", split.seed, split.about);
        }
        for task in corpus.all_tasks() {
            let lock = corpus.lock(&task.id)?;
            let side = match &facts.split {
                Some(split) if split.has(Side::Unseen, &task.id) => "unseen ",
                Some(_) => "seen   ",
                None => "",
            };
            let _ = writeln!(
                text,
                "  {:<11} {side}{}  {}",
                state(lock.state),
                task.source,
                lock.reason
            );
        }
        answer(&text)?;
    }
    Ok(ExitCode::Passed)
}

fn state(state: TaskState) -> &'static str {
    match state {
        TaskState::New => "new",
        TaskState::Calibrated => "calibrated",
        TaskState::Quarantined => "quarantined",
    }
}

fn mine(app: &App, verb: MineVerb) -> Result<ExitCode, Failure> {
    let (seed, count, max_bytes, name, output) = match verb {
        MineVerb::DebianCompile {
            seed,
            count,
            max_bytes,
            platform,
            output,
        } => (seed, count, max_bytes, platform, output),
        MineVerb::CrossIsa(verb) => return super::cases::mine(app, verb),
        MineVerb::Mutations { .. } => return mutations::mine(app, verb),
    };
    let platform = platform(&name)?;
    if output.join("corpus.toml").exists() {
        return Err(Failure::usage(format!(
            "{} holds a corpus already; choose another folder, or `seatrial corpus refresh` it",
            output.display()
        )));
    }
    if count == 0 {
        return Err(Failure::usage("a corpus of 0 tasks is none; choose another `--count`"));
    }
    // Known now, and not after the minutes that mining takes.
    fs::create_dir_all(&output).map_err(|error| {
        Failure::usage(format!(
            "cannot write a corpus there: {error}\n  choose another folder with `-o DIR`"
        ))
    })?;
    let name = output
        .file_name()
        .map_or_else(|| "corpus".to_owned(), |name| name.to_string_lossy().into_owned());
    let archive = DebianArchive::open(&app.home, &platform, Some(app.show.clone()))?;
    let fetcher = app.fetcher(&platform);
    let live = LiveArchive {
        archive: &archive,
        fetcher: &fetcher,
    };
    let mut options = MineOptions::new(name, &output, platform);
    options.seed = seed;
    options.count = count;
    options.source_bytes = max_bytes;
    let report = seatrial_suites::mine_debian_compile(&live, &options, &mut |line: &str| app.show.note(line))?;
    app.show.clear();
    if app.json {
        answer_json(&serde_json::json!({
            "folder": output, "tasks": report.corpus.all_tasks().count(), "left_out": report.left_out.len(),
        }))?;
    } else {
        answer(&format!(
            "{}: {} tasks; {} packages left out, each with its reason in left-out.tsv\n\
             next: `seatrial bench calibrate {}`",
            output.display(),
            report.corpus.all_tasks().count(),
            report.left_out.len(),
            output.display()
        ))?;
    }
    Ok(ExitCode::Passed)
}

fn refresh(app: &App, folder: &Path) -> Result<ExitCode, Failure> {
    let mut corpus = Corpus::load(folder)?;
    let platform = platform(&corpus.facts().platform)?;
    let archive = DebianArchive::open(&app.home, &platform, Some(app.show.clone()))?;
    let fetcher = app.fetcher(&platform);
    let live = LiveArchive {
        archive: &archive,
        fetcher: &fetcher,
    };
    let options = MineOptions::new(corpus.facts().name.clone(), folder, platform);
    let report = seatrial_suites::refresh(&mut corpus, &live, &options, &mut |line: &str| app.show.note(line))?;
    app.show.clear();
    if app.json {
        let repinned: Vec<_> = report
            .repinned
            .iter()
            .map(|task| serde_json::json!({ "task": task.task, "from": task.from, "to": task.to }))
            .collect();
        answer_json(&serde_json::json!({ "kept": report.kept, "repinned": repinned, "lost": report.lost }))?;
    } else {
        let mut text = String::new();
        for task in &report.repinned {
            let _ = writeln!(text, "pinned again: {} from {} to {}", task.task, task.from, task.to);
        }
        for (task, reason) in &report.lost {
            let _ = writeln!(text, "lost: {task}: {reason}");
        }
        let _ = writeln!(
            text,
            "{} tasks as they were, {} pinned again, {} lost",
            report.kept.len(),
            report.repinned.len(),
            report.lost.len()
        );
        if !report.repinned.is_empty() {
            let _ = writeln!(text, "next: `seatrial bench calibrate {} --new`", folder.display());
        }
        answer(&text)?;
    }
    Ok(ExitCode::Passed)
}
