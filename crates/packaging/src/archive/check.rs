//! What of an archive is refused.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{ArchiveError, Entry, EntryKind, Limits, plain, shown};

/// Linux gives up after so many links on one way.
const MOST_HOPS: usize = 40;

/// Refuses names that lead out, names behind links, and too much of anything.
pub(super) fn names(entries: &[Entry], limits: Limits) -> Result<(), ArchiveError> {
    if entries.len() > limits.entries {
        return Err(ArchiveError::TooMany(limits.entries));
    }
    let mut bytes = 0_u64;
    let mut files = BTreeSet::new();
    let mut links = BTreeSet::new();
    for entry in entries {
        let is_up = entry.name.split(|byte| *byte == b'/').any(|part| part == b"..");
        if entry.name.starts_with(b"/") || is_up || entry.name.contains(&0) {
            return Err(ArchiveError::LeadsOut(shown(&entry.name)));
        }
        let path = entry.path();
        match &entry.kind {
            EntryKind::File(content) => {
                bytes += content.len() as u64;
                if bytes > limits.bytes {
                    return Err(ArchiveError::TooLarge(limits.bytes));
                }
                files.insert(path);
            }
            EntryKind::Same(target) => {
                if !files.contains(&plain(target)) {
                    return Err(ArchiveError::NoTarget {
                        name: shown(&entry.name),
                        target: shown(target),
                    });
                }
                files.insert(path);
            }
            EntryKind::Link(_) => {
                links.insert(path);
            }
            EntryKind::Folder => {}
        }
    }
    if links.is_empty() {
        return Ok(());
    }
    for entry in entries {
        let path = entry.path();
        let behind = path
            .iter()
            .enumerate()
            .any(|(at, byte)| *byte == b'/' && path.get(..at).is_some_and(|folder| links.contains(folder)));
        if behind {
            return Err(ArchiveError::ThroughLink(shown(&entry.name)));
        }
    }
    Ok(())
}

/// Refuses links that lead out, be it through other links.
///
/// Reading the targets alone is not enough: `a/b/l -> ../..` makes `x -> a/b/l/..` lead out although neither does so by its
/// text. So each link is followed, step by step.
pub(super) fn links(entries: &[Entry], exempt: impl Fn(&[u8]) -> bool) -> Result<(), ArchiveError> {
    let targets: BTreeMap<Vec<u8>, &[u8]> = entries
        .iter()
        .filter_map(|entry| match &entry.kind {
            EntryKind::Link(target) => Some((entry.path(), target.as_slice())),
            _ => None,
        })
        .collect();
    for (path, target) in &targets {
        if !exempt(path) && leads_out(path, &targets) {
            return Err(ArchiveError::LinkOut {
                name: shown(path),
                target: shown(target),
            });
        }
    }
    Ok(())
}

fn leads_out(link: &[u8], targets: &BTreeMap<Vec<u8>, &[u8]>) -> bool {
    let parts = |path: &[u8]| -> Vec<Vec<u8>> { path.split(|byte| *byte == b'/').map(<[u8]>::to_vec).collect() };
    let mut at: Vec<Vec<u8>> = Vec::new();
    let mut ahead: VecDeque<Vec<u8>> = parts(link).into();
    let mut hops = 0;
    while let Some(part) = ahead.pop_front() {
        match part.as_slice() {
            b".." if at.pop().is_none() => return true,
            b"" | b"." | b".." => continue,
            _ => at.push(part),
        }
        let Some(target) = targets.get(&at.join(&b'/')) else {
            continue;
        };
        hops += 1;
        if hops > MOST_HOPS {
            return false;
        }
        if target.starts_with(b"/") {
            return true;
        }
        at.pop();
        for part in parts(target).into_iter().rev() {
            ahead.push_front(part);
        }
    }
    false
}

/// Of entries with one path the last counts, as it does for those who unpack the archive.
pub(super) fn once(entries: Vec<Entry>) -> Vec<Entry> {
    let mut last: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    for (number, entry) in entries.iter().enumerate() {
        last.insert(entry.path(), number);
    }
    if last.len() == entries.len() {
        return entries;
    }
    let mut kept: Vec<Entry> = Vec::with_capacity(last.len());
    for (number, entry) in entries.into_iter().enumerate() {
        if last.get(&entry.path()) == Some(&number) {
            kept.push(entry);
        }
    }
    kept
}
