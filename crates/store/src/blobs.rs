//! Content under its digest.

use std::{
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use fs_err as fs;
use rustix::fs::{FlockOperation, flock};
use seatrial_core::Digest;

use crate::{StoreError, touch};

/// A content-addressed store: `ab/cdef...` for the digest `abcdef...`.
///
/// A blob is written beside its place and renamed into it, so a crash leaves at most a temporary file.
#[derive(Debug, Clone)]
pub struct Blobs {
    root: PathBuf,
}

/// A blob being written; it has no name until it is finished.
#[derive(Debug)]
pub struct BlobWriter {
    blobs: Blobs,
    file: tempfile::NamedTempFile,
    hasher: blake3::Hasher,
    size: u64,
}

impl Blobs {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// Where a blob is or would be.
    pub fn path(&self, digest: &Digest) -> PathBuf {
        let hex = digest.hex();
        let (head, tail) = hex.split_at(2);
        self.root.join(head).join(tail)
    }

    /// Whether the store has it. Whoever asks counts on it, so this is a use.
    pub fn has(&self, digest: &Digest) -> bool {
        self.use_again(digest).unwrap_or(false)
    }

    /// Stores a byte string.
    pub fn put(&self, bytes: &[u8]) -> Result<Digest, StoreError> {
        let digest = Digest::of(bytes);
        if self.use_again(&digest)? {
            return Ok(digest);
        }
        let mut writer = self.writer()?;
        writer.write_all(bytes)?;
        Ok(writer.finish()?.0)
    }

    /// Whether the store has it; if so, it counts as used now.
    fn use_again(&self, digest: &Digest) -> Result<bool, StoreError> {
        let path = self.path(digest);
        let Some(folder) = path.parent().filter(|folder| folder.is_dir()) else {
            return Ok(false);
        };
        let _lock = share(folder)?;
        Ok(touch(&path)?)
    }

    /// Stores what a reader yields; returns the digest and the size.
    pub fn put_reader(&self, reader: &mut dyn Read) -> Result<(Digest, u64), StoreError> {
        let mut writer = self.writer()?;
        io::copy(reader, &mut writer)?;
        writer.finish()
    }

    /// Starts a blob of unknown content.
    pub fn writer(&self) -> Result<BlobWriter, StoreError> {
        fs::create_dir_all(&self.root)?;
        let file = tempfile::Builder::new().prefix(".writing-").tempfile_in(&self.root)?;
        Ok(BlobWriter {
            blobs: self.clone(),
            file,
            hasher: blake3::Hasher::new(),
            size: 0,
        })
    }

    /// Opens a blob for reading, which counts as its last use.
    pub fn open(&self, digest: &Digest) -> Result<fs::File, StoreError> {
        let path = self.path(digest);
        touch(&path)?;
        fs::File::open(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => StoreError::NoBlob(*digest),
            _ => error.into(),
        })
    }

    /// Reads a whole blob and checks that it is what its name says.
    pub fn read(&self, digest: &Digest) -> Result<Vec<u8>, StoreError> {
        let mut bytes = Vec::new();
        self.open(digest)?.read_to_end(&mut bytes)?;
        let found = Digest::of(&bytes);
        if found == *digest {
            Ok(bytes)
        } else {
            Err(StoreError::Damaged { name: *digest, found })
        }
    }
}

impl BlobWriter {
    /// Gives the blob its name. Storing the same content twice is one blob.
    pub fn finish(self) -> Result<(Digest, u64), StoreError> {
        let digest = Digest::from_bytes(*self.hasher.finalize().as_bytes());
        let path = self.blobs.path(&digest);
        let folder = path.parent().unwrap_or(&self.blobs.root);
        fs::create_dir_all(folder)?;
        let folder = share(folder)?;
        if !touch(&path)? {
            self.file.as_file().sync_data()?;
            self.file.persist(&path).map_err(|error| error.error)?;
            // A journal may name this blob in its next line, which is on the disk when it counts.
            folder.sync_all()?;
        }
        Ok((digest, self.size))
    }

    /// Where the bytes are while they are written.
    pub fn path(&self) -> &Path {
        self.file.path()
    }
}

/// Locks the folder of a blob. Whoever evicts blobs looks at their times under the same lock, so one that somebody counts
/// on is not removed.
fn share(folder: &Path) -> io::Result<fs::File> {
    let folder = fs::File::open(folder)?;
    flock(&folder, FlockOperation::LockShared)?;
    Ok(folder)
}

impl Write for BlobWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.hasher.update(bytes.get(..count).unwrap_or_default());
        self.size += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_found_under_its_digest_and_damage_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::new(folder.path().to_owned());
        let digest = blobs.put(b"keel").unwrap();
        assert_eq!(blobs.put_reader(&mut &b"keel"[..]).unwrap(), (digest, 4));
        assert_eq!(blobs.read(&digest).unwrap(), b"keel");
        fs::write(blobs.path(&digest), b"bent").unwrap();
        assert!(matches!(blobs.read(&digest), Err(StoreError::Damaged { .. })));
        assert!(matches!(blobs.read(&Digest::of(b"none")), Err(StoreError::NoBlob(_))));
        let left = fs::read_dir(folder.path())
            .unwrap()
            .filter(|e| e.as_ref().unwrap().path().is_file())
            .count();
        assert_eq!(left, 0, "no temporary file stays behind");
    }
}
