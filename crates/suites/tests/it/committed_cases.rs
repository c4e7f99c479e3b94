//! The committed cases of the repair suite: what is promised of them, and that all that they name is there.

use std::{collections::BTreeSet, path::PathBuf};

use fs_err as fs;
use seatrial_core::{Arch, Digest, SourceKind};
use seatrial_suites::{Corpus, Faults, Side, TaskState, marks};

/// Cases that there are at least: the corpus grows.
const LEAST: usize = 30;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpora/repair-cross-isa")
}

/// A blob of the corpus, and how many bytes it takes.
fn blob(digest: &Digest) -> (Vec<u8>, usize) {
    let packed = fs::read(folder().join("blobs").join(format!("{}.zst", digest.hex()))).unwrap();
    (zstd::decode_all(packed.as_slice()).unwrap(), packed.len())
}

#[test]
fn there_are_calibrated_cases_of_four_classes_in_both_directions() {
    let corpus = Corpus::load(&folder()).unwrap();
    let (mut count, mut classes, mut directions) = (0, BTreeSet::new(), BTreeSet::new());
    let mut sources = BTreeSet::new();
    for task in corpus.tasks() {
        if corpus.lock(&task.id).unwrap().state != TaskState::Calibrated {
            continue;
        }
        let goal = task.goal.repair().unwrap();
        count += 1;
        classes.insert(corpus.truth(&task.id).unwrap().body.repair().unwrap().class.clone());
        directions.insert((goal.works_on.unwrap(), goal.target));
        sources.insert(task.source.name.clone());
    }
    assert!(count >= LEAST, "{count} cases");
    assert!(sources.len() * 10 >= count * 8, "{} sources", sources.len());
    assert!(classes.len() >= 4, "{classes:?}");
    for direction in [
        (Arch::X86_64, Arch::Aarch64),
        (Arch::Aarch64, Arch::X86_64),
        (Arch::X86_64, Arch::I686),
        (Arch::I686, Arch::X86_64),
    ] {
        assert!(directions.contains(&direction), "{direction:?}: {directions:?}");
    }
    let split = corpus.facts().split.clone().unwrap();
    let unseen = corpus.tasks().filter(|task| split.has(Side::Unseen, &task.id)).count();
    assert!(unseen * 5 >= count * 2, "{unseen} of {count} are out of sight");
}

#[test]
fn what_a_case_names_is_there_and_small_and_says_what_failed() {
    let corpus = Corpus::load(&folder()).unwrap();
    let faults = Faults::load(&folder().join("catalogue")).unwrap();
    let mut known = BTreeSet::new();
    for task in corpus.all_tasks() {
        let (id, goal) = (&task.id, task.goal.repair().unwrap());
        let truth = corpus.truth(id).unwrap().body.repair().unwrap();
        let mut blobs: Vec<Digest> = goal.failed_log.iter().chain(&goal.working_log).copied().collect();
        if let SourceKind::Changed { change, .. } = &task.source.origin {
            blobs.push(*change);
        }
        let bytes: usize = blobs.iter().map(|digest| blob(digest).1).sum();
        assert!(bytes < 300 << 10, "{id} takes {bytes} bytes");
        for digest in &blobs {
            assert_eq!(Digest::of(&blob(digest).0), *digest, "{id}");
            known.insert(format!("{}.zst", digest.hex()));
        }
        assert_ne!(Some(goal.target), goal.works_on, "{id}");
        let Some(fault) = &truth.fault else { continue };
        let fault = faults.fault.iter().find(|known| known.name == *fault);
        let fault = fault.unwrap_or_else(|| panic!("{id} has a fault that the catalogue lacks"));
        let pair = fault
            .pairs
            .iter()
            .find(|pair| pair.fails == goal.target && Some(pair.works) == goal.works_on);
        assert!(pair.is_some(), "{id}: {} does not fail there", fault.name);
        if let Some(log) = &goal.failed_log {
            let log = String::from_utf8(blob(log).0).unwrap();
            assert!(fault.is_seen_in(&log), "{id}: its log does not show {}", fault.name);
        }
        assert_eq!(marks(truth.gold.as_deref().unwrap()), Vec::new(), "{id}");
        // Agents see the name of a task.
        assert!(!id.as_str().contains(&fault.name), "{id}");
    }
    for entry in fs::read_dir(folder().join("blobs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(known.contains(&name), "nothing needs {name}");
    }
}
