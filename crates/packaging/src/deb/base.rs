//! An unpacked source package in memory: upstream's archives, the packaging over them, patches applied.

use std::collections::BTreeMap;

use crate::{
    Fitting, PackageError,
    archive::{Archive, Compression, Entry, EntryKind, Format},
    diff::{File, latin, unlatin},
    patch::{PatchChange, PatchError, PatchFiles, patch_files},
};

/// One thing in a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    File { content: Vec<u8>, mode: u32, time: u64 },
    Link { target: Vec<u8> },
    Folder { mode: u32 },
}

/// A tree by its paths.
#[derive(Debug, Clone, Default)]
pub(super) struct Base {
    pub(super) nodes: BTreeMap<Vec<u8>, Node>,
}

/// What is done with the folder that all of an archive is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Top {
    LeftOut,
    Kept,
}

/// What a patch found: files as they were before it, none where there was none.
pub(super) type Before = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

impl Base {
    /// Lays an archive below a folder (`prefix`, empty for the top).
    pub(super) fn lay(&mut self, archive: Archive, prefix: &str, top: Top) {
        let first = |path: &[u8]| -> Vec<u8> { path.split(|byte| *byte == b'/').next().unwrap_or_default().to_vec() };
        let mut tops: Vec<(Vec<u8>, bool)> = archive
            .entries
            .iter()
            .map(|entry| (entry.path(), &entry.kind))
            .filter(|(path, _)| !path.is_empty())
            .map(|(path, kind)| (first(&path), path.contains(&b'/') || *kind == EntryKind::Folder))
            .collect();
        tops.sort();
        tops.dedup();
        let strip = match tops.as_slice() {
            [(only, true)] if top == Top::LeftOut => only.len() + 1,
            _ => 0,
        };
        let mut contents: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
        for entry in archive.entries {
            let whole = entry.path();
            let Some(path) = whole.get(strip..).filter(|path| !path.is_empty()) else {
                continue;
            };
            let path = if prefix.is_empty() {
                path.to_vec()
            } else {
                [prefix.as_bytes(), b"/", path].concat()
            };
            let (mode, time) = (entry.mode, entry.time);
            let node = match entry.kind {
                EntryKind::File(content) => {
                    contents.insert(whole.clone(), content.clone());
                    Node::File { content, mode, time }
                }
                EntryKind::Same(target) => {
                    let content = contents
                        .get(&crate::archive::plain(&target))
                        .cloned()
                        .unwrap_or_default();
                    contents.insert(whole.clone(), content.clone());
                    Node::File { content, mode, time }
                }
                EntryKind::Link(target) => Node::Link { target },
                EntryKind::Folder => Node::Folder { mode },
            };
            self.nodes.insert(path, node);
        }
    }

    /// Removes a folder with all that is in it.
    pub(super) fn remove(&mut self, folder: &str) {
        let start = format!("{folder}/");
        self.nodes
            .retain(|path, _| path != folder.as_bytes() && !path.starts_with(start.as_bytes()));
    }

    /// A file's content.
    pub(super) fn content(&self, path: &[u8]) -> Option<&[u8]> {
        match self.nodes.get(path) {
            Some(Node::File { content, .. }) => Some(content),
            _ => None,
        }
    }

    /// A file or link as a diff sees it; none for folders.
    pub(super) fn file(&self, path: &[u8]) -> Option<File> {
        match self.nodes.get(path)? {
            Node::File { content, mode, .. } => Some(File::Plain {
                content: content.clone(),
                runs: mode & 0o100 != 0,
            }),
            Node::Link { target } => Some(File::Link { target: target.clone() }),
            Node::Folder { .. } => None,
        }
    }

    /// The newest time of a file.
    fn newest(&self) -> u64 {
        let times = self.nodes.values().map(|node| match node {
            Node::File { time, .. } => *time,
            _ => 0,
        });
        times.max().unwrap_or(0)
    }

    /// Makes the rules a program, as unpacking a package does.
    pub(super) fn rules_run(&mut self) {
        if let Some(Node::File { mode, .. }) = self.nodes.get_mut(b"debian/rules".as_slice()) {
            *mode |= 0o111;
        }
    }

    /// Applies a patch as `patch -p1 -F0 -E` does, or nothing of it. All files that it touches get one time, which is after
    /// that of all others.
    pub(super) fn patch(&mut self, name: &str, patch: &[u8]) -> Result<Before, PackageError> {
        let wrong = |problem: String| PackageError::OwnPatch {
            patch: name.to_owned(),
            problem,
        };
        let begins = |line: &[u8]| line.starts_with(b"--- ") || line.starts_with(b"diff --git ");
        let has_files = patch.split(|byte| *byte == b'\n').any(begins);
        if !has_files {
            return Ok(Before::new());
        }
        let patched =
            patch_files(&latin(patch), &mut Latin(self), Fitting::LikePatch).map_err(|error| match error {
                PatchError::Told(problem) => wrong(problem),
                PatchError::Files(never) => match never {},
            })?;
        let time = self.newest().saturating_add(1);
        let mut before = Before::new();
        let bytes = |text: &str| unlatin(text).unwrap_or_else(|| text.as_bytes().to_vec());
        for file in patched {
            let path = bytes(&file.path);
            let mut old = self.nodes.get(&path).cloned();
            before
                .entry(path.clone())
                .or_insert_with(|| self.content(&path).map(<[u8]>::to_vec));
            let content = match file.change {
                PatchChange::Modify(content) | PatchChange::Create(content) => content,
                PatchChange::Delete => {
                    self.nodes.remove(&path);
                    continue;
                }
                PatchChange::Rename(from, content) => {
                    let from = bytes(&from);
                    old = self.nodes.remove(&from);
                    let was = match &old {
                        Some(Node::File { content, .. }) => Some(content.clone()),
                        _ => None,
                    };
                    before.entry(from).or_insert(was);
                    content
                }
            };
            let was = match old {
                Some(Node::File { mode, .. }) => mode,
                _ => 0o644,
            };
            let content = std::str::from_utf8(&content).ok().and_then(unlatin).unwrap_or(content);
            let mode = file.mode.unwrap_or(was);
            self.nodes.insert(path, Node::File { content, mode, time });
        }
        Ok(before)
    }

    /// The tree as an archive whose paths begin with a folder (empty for none), in the order of the paths; every folder
    /// comes before what is in it.
    pub(super) fn archive(&self, folder: &str, compression: Compression) -> Archive {
        let mut all: BTreeMap<Vec<u8>, Entry> = BTreeMap::new();
        let start = if folder.is_empty() {
            Vec::new()
        } else {
            format!("{folder}/").into_bytes()
        };
        for (path, node) in &self.nodes {
            let path = [start.as_slice(), path].concat();
            for (at, byte) in path.iter().enumerate() {
                if *byte == b'/'
                    && let Some(parent) = path.get(..at)
                {
                    let name = [parent, b"/"].concat();
                    all.entry(parent.to_vec())
                        .or_insert_with(|| Entry::new(name, EntryKind::Folder, 0o755));
                }
            }
            let (kind, mode, time, name) = match node {
                Node::File { content, mode, time } => (EntryKind::File(content.clone()), *mode, *time, path.clone()),
                Node::Link { target } => (EntryKind::Link(target.clone()), 0o777, 0, path.clone()),
                Node::Folder { mode } => (EntryKind::Folder, *mode, 0, [path.as_slice(), b"/"].concat()),
            };
            all.insert(
                path,
                Entry {
                    time,
                    ..Entry::new(name, kind, mode)
                },
            );
        }
        Archive {
            format: Format::Tar,
            compression,
            entries: all.into_values().collect(),
        }
    }
}

/// The tree for a patch whose bytes were made text one by one.
struct Latin<'a>(&'a Base);

impl PatchFiles for Latin<'_> {
    type Error = std::convert::Infallible;

    fn content(&mut self, path: &str) -> Result<Option<Vec<u8>>, Self::Error> {
        let path = unlatin(path).unwrap_or_else(|| path.as_bytes().to_vec());
        Ok(self.0.content(&path).map(|content| latin(content).into_bytes()))
    }
}
