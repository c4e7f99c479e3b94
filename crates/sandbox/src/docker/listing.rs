//! What a tree looked like: enough of each entry to know later whether somebody touched it, and how two looks differ.
//!
//! A container's tree cannot be compared layer by layer, as the daemon tells neither modes nor contents of what changed.
//! So the agent walks over the whole tree at each snapshot and each comparison, which takes time that grows with the
//! tree. What tells a touched file is its change time: the kernel sets it, and nothing in a container can set it back.

use std::{collections::BTreeMap, io, path::PathBuf};

/// What kind of thing an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Folder,
    Other,
}

/// One entry as it looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) sort: Sort,
    /// Of a folder: its permission bits. Of anything else: a digest of its times, mode and size.
    pub(crate) stamp: u64,
}

/// The whole tree, by path relative to its root.
pub(crate) type Listing = BTreeMap<Vec<u8>, Entry>;
/// What was there before, for each path that was touched.
pub(crate) type Before = BTreeMap<Vec<u8>, Option<Entry>>;

/// One entry's bytes on the wire: length of the path, the path, the kind, the stamp.
pub(crate) fn encode(out: &mut Vec<u8>, path: &[u8], entry: Entry) {
    out.extend_from_slice(&(path.len() as u32).to_le_bytes());
    out.extend_from_slice(path);
    out.push(u8::from(entry.sort == Sort::Folder));
    out.extend_from_slice(&entry.stamp.to_le_bytes());
}

/// Reads a listing.
pub(crate) fn decode(mut bytes: &[u8]) -> io::Result<Listing> {
    let mut listing = Listing::new();
    while !bytes.is_empty() {
        let path = take_path(&mut bytes)?.to_vec();
        let (folder, rest) = bytes.split_first().ok_or(io::ErrorKind::UnexpectedEof)?;
        let (stamp, rest) = rest.split_first_chunk::<8>().ok_or(io::ErrorKind::UnexpectedEof)?;
        bytes = rest;
        let sort = if *folder == 1 { Sort::Folder } else { Sort::Other };
        let stamp = u64::from_le_bytes(*stamp);
        listing.insert(path, Entry { sort, stamp });
    }
    Ok(listing)
}

/// Takes a path with its length before it off some bytes.
pub(crate) fn take_path<'a>(bytes: &mut &'a [u8]) -> io::Result<&'a [u8]> {
    let (length, rest) = bytes.split_first_chunk::<4>().ok_or(io::ErrorKind::UnexpectedEof)?;
    let length = u32::from_le_bytes(*length) as usize;
    let (path, rest) = rest.split_at_checked(length).ok_or(io::ErrorKind::UnexpectedEof)?;
    *bytes = rest;
    Ok(path)
}

/// What was touched between two looks, and what was there at the first.
pub(crate) fn touched(earlier: &Listing, later: &Listing) -> Before {
    let mut before = Before::new();
    for (path, entry) in earlier {
        if later.get(path) != Some(entry) {
            before.insert(path.clone(), Some(*entry));
        }
    }
    for path in later.keys() {
        if !earlier.contains_key(path) {
            before.insert(path.clone(), None);
        }
    }
    before
}

/// Adds what was touched later; what was there at the very first stays.
pub(crate) fn merge(into: &mut Before, later: Before) {
    for (path, entry) in later {
        into.entry(path).or_insert(entry);
    }
}

/// What has become of what was touched.
#[derive(Debug, Default)]
pub(crate) struct Difference {
    /// What is there now and is new, or was written to.
    pub(crate) present: Vec<Vec<u8>>,
    /// What is gone, without what was in folders that are gone too.
    pub(crate) deleted: Vec<Vec<u8>>,
}

/// Compares what was touched with how it is now.
pub(crate) fn difference(before: &Before, now: &Listing) -> Difference {
    let mut found = Difference::default();
    for (path, was) in before {
        match (was, now.get(path)) {
            (None, None) => {}
            (Some(_), None) => {
                if parent(path).is_none_or(|parent| now.get(parent).is_some_and(|entry| entry.sort == Sort::Folder)) {
                    found.deleted.push(path.clone());
                }
            }
            // A folder that merely gained or lost entries.
            (Some(was), Some(is)) if was.sort == Sort::Folder && was == is => {}
            (_, Some(_)) => found.present.push(path.clone()),
        }
    }
    found
}

/// The folder that an entry is in, when that is not the root.
fn parent(path: &[u8]) -> Option<&[u8]> {
    let slash = path.iter().rposition(|byte| *byte == b'/')?;
    path.get(..slash)
}

/// A path as people read it. Bytes that are no UTF-8 are replaced.
pub(crate) fn shown(path: &[u8]) -> String {
    use std::os::unix::ffi::OsStringExt;
    format!(
        "/{}",
        PathBuf::from(std::ffi::OsString::from_vec(path.to_vec())).to_string_lossy()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(entries: &[(&str, Sort, u64)]) -> Listing {
        let entry = |(path, sort, stamp): &(&str, Sort, u64)| {
            (
                path.as_bytes().to_vec(),
                Entry {
                    sort: *sort,
                    stamp: *stamp,
                },
            )
        };
        entries.iter().map(entry).collect()
    }

    fn told(before: &Before, now: &Listing) -> String {
        let found = difference(before, now);
        let text = |paths: Vec<Vec<u8>>| paths.iter().map(|path| shown(path)).collect::<Vec<_>>().join(" ");
        format!("{} - {}", text(found.present), text(found.deleted))
    }

    #[test]
    fn a_listing_comes_back_as_it_went() {
        let known = listing(&[("a", Sort::Folder, 1), ("a/\n", Sort::Other, u64::MAX)]);
        let mut bytes = Vec::new();
        for (path, entry) in &known {
            encode(&mut bytes, path, *entry);
        }
        assert_eq!(decode(&bytes).unwrap(), known);
        decode(&bytes[..bytes.len() - 1]).unwrap_err();
    }

    #[test]
    fn the_first_state_and_the_last_one_decide() {
        use Sort::{Folder, Other};
        let one = listing(&[("d", Folder, 7), ("d/a", Other, 1), ("f", Other, 1), ("g", Other, 1)]);
        let two = listing(&[("f", Other, 2), ("n", Other, 1)]);
        let three = listing(&[("d", Folder, 7), ("d/b", Other, 3), ("f", Folder, 5), ("g", Other, 9)]);
        let mut since = touched(&one, &two);
        assert_eq!(told(&since, &two), "/f /n - /d /g");
        merge(&mut since, touched(&two, &three));
        // The folder was there with the same mode; what was new in between never was.
        assert_eq!(told(&since, &three), "/d/b /f /g - /d/a");
        assert_eq!(told(&touched(&one, &one), &one), " - ");
    }
}
