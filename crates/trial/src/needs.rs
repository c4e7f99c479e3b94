//! What runs need of the data folder, for whoever wants to make room in it.

use fs_err as fs;
use seatrial_source::Fetcher;
use seatrial_store::{
    Home,
    governor::{Needs, RunNeeds},
};
use seatrial_suites::Corpus;

use crate::{RunView, TrialError};

/// The needs of all runs. A run that cannot be read counts as unfinished: what is not understood is not thrown away.
pub fn needs(home: &Home) -> Result<Needs, TrialError> {
    let mut needs = Needs::new();
    for entry in fs::read_dir(home.runs())? {
        let folder = entry?.path();
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Builds and calibrations are run by themselves, without a lock; they are over when nobody has their journal.
        if name.starts_with('.') || !folder.join("lock.json").is_file() {
            continue;
        }
        let of_run = RunView::read(&folder).map_or(
            RunNeeds {
                unfinished: true,
                ..RunNeeds::default()
            },
            |view| of_run(&view),
        );
        needs.insert(name, of_run);
    }
    Ok(needs)
}

fn of_run(view: &RunView) -> RunNeeds {
    // A corpus that has moved away cannot name its sources; they are fetched again.
    let corpus = Corpus::load(view.lock.corpus_path.as_ref()).ok();
    let mut sources: Vec<String> = Vec::new();
    for (task, _) in &view.pending {
        let task = corpus.as_ref().and_then(|corpus| corpus.task(task).ok());
        if let Some(Ok(key)) = task.map(|task| Fetcher::key(&task.source)) {
            sources.push(key);
        }
    }
    sources.sort();
    sources.dedup();
    RunNeeds {
        unfinished: !view.pending.is_empty(),
        images: vec![view.lock.image],
        indexes: view.lock.index.iter().cloned().collect(),
        sources,
    }
}
