//! What a layer of an image takes away from the layers below it.
//!
//! The marks are names: `.wh.NAME` takes NAME away, `.wh..wh..opq` all that its folder had. They are about lower layers
//! only, wherever among the layer's own entries they stand.

use std::{
    collections::HashSet,
    ffi::OsStr,
    fs, io,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

const MARK: &[u8] = b".wh.";
const OPAQUE: &[u8] = b".wh..wh..opq";
/// Begins the names of an old union file system's own records.
const RECORDS: &[u8] = b".wh..wh.";

/// What one layer has placed so far, with the folders on the way.
#[derive(Debug, Default)]
pub(super) struct Layer {
    placed: HashSet<PathBuf>,
}

impl Layer {
    /// Takes note of an entry.
    pub(super) fn place(&mut self, path: &Path) {
        let mut path = Some(path);
        while let Some(known) = path {
            if !self.placed.insert(known.to_owned()) {
                break;
            }
            path = known.parent();
        }
    }

    /// Does what a mark says; `false` when the name is none.
    pub(super) fn mark(&self, path: &Path) -> io::Result<bool> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Ok(false);
        };
        let name = name.as_bytes();
        if name == OPAQUE {
            self.empty(folder)?;
        } else if name.starts_with(RECORDS) {
            // Nothing to take away.
        } else if let Some(gone) = name.strip_prefix(MARK).filter(|gone| !gone.is_empty()) {
            if matches!(gone, b"." | b"..") {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "it takes away a folder that it is in",
                ));
            }
            let gone = folder.join(OsStr::from_bytes(gone));
            if self.placed.contains(&gone) {
                // The layer replaced it; what the lower ones had in it must still go.
                self.empty(&gone)?;
            } else if is_reached(folder) {
                super::removal::remove(&gone)?;
            }
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Removes from a folder what this layer has not placed.
    fn empty(&self, folder: &Path) -> io::Result<()> {
        let mut waiting = vec![folder.to_owned()];
        while let Some(folder) = waiting.pop() {
            if !fs::symlink_metadata(&folder).is_ok_and(|known| known.is_dir()) {
                continue;
            }
            for entry in fs::read_dir(&folder)? {
                let path = entry?.path();
                if self.placed.contains(&path) {
                    waiting.push(path);
                } else {
                    super::removal::remove(&path)?;
                }
            }
        }
        Ok(())
    }
}

fn is_reached(folder: &Path) -> bool {
    fs::metadata(folder).is_ok_and(|known| known.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_take_away_what_lower_layers_have_and_nothing_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["a/old", "a/new", "b/deep/old", "b/deep/new", "c"] {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
        let mut layer = Layer::default();
        layer.place(&root.join("a/new"));
        layer.place(&root.join("b/deep/new"));
        assert!(layer.mark(&root.join("a/.wh..wh..opq")).unwrap());
        assert!(layer.mark(&root.join(".wh.b")).unwrap());
        assert!(layer.mark(&root.join(".wh.c")).unwrap());
        assert!(layer.mark(&root.join(".wh..wh.plnk")).unwrap());
        assert!(layer.mark(&root.join("none/.wh.x")).unwrap());
        assert!(!layer.mark(&root.join("a/new")).unwrap());
        assert!(layer.mark(&root.join("a/.wh...")).is_err());
        let left: Vec<_> = ["a/old", "a/new", "b/deep/old", "b/deep/new", "c"]
            .into_iter()
            .filter(|name| root.join(name).exists())
            .collect();
        assert_eq!(left, ["a/new", "b/deep/new"]);
    }
}
