//! The files that a caller commits: what they are called, what they hold, and which are no sources.

use std::{
    io::{self, Read},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use fs_err as fs;
use md5::{Digest as _, Md5};
use sha2::Sha256;

use crate::ObsError;

/// Where a file's content is.
#[derive(Debug, Clone)]
pub enum Content {
    /// On the disk.
    File(PathBuf),
    /// In memory.
    Bytes(Arc<[u8]>),
}

/// A file of a package, under the name that it has at the service.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Its name.
    pub name: String,
    /// Its content.
    pub content: Content,
}

impl SourceFile {
    /// A file of the disk, under its own name.
    pub fn from_path(path: impl Into<PathBuf>) -> Result<Self, ObsError> {
        let path = path.into();
        let name = path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
        let name = name.ok_or_else(|| ObsError::NotSource {
            name: path.display().to_string(),
            why: "its name is not UTF-8 text".to_owned(),
        })?;
        Ok(Self {
            name,
            content: Content::File(path),
        })
    }

    /// A file made of bytes.
    pub fn from_bytes(name: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> Self {
        Self {
            name: name.into(),
            content: Content::Bytes(bytes.into()),
        }
    }

    pub(crate) fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(match &self.content {
            Content::File(path) => Box::new(fs::File::open(path)?),
            Content::Bytes(bytes) => Box::new(&bytes[..]),
        })
    }
}

/// A file with what its content is known by.
#[derive(Debug, Clone)]
pub(crate) struct Known<'a> {
    pub(crate) file: &'a SourceFile,
    pub(crate) size: u64,
    pub(crate) md5: String,
    pub(crate) sha256: String,
}

/// Reads and checks every file; in the order of their names.
pub(crate) fn know<'a>(files: &'a [SourceFile], there: &[String]) -> Result<Vec<Known<'a>>, ObsError> {
    let mut known = Vec::with_capacity(files.len());
    for file in files {
        check(file, there)?;
        let mut md5 = Md5::new();
        let mut sha256 = Sha256::new();
        let mut size = 0_u64;
        let mut reader = file.open()?;
        let mut buffer = vec![0; 1 << 16];
        loop {
            let count = match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            let piece = buffer.get(..count).unwrap_or_default();
            md5.update(piece);
            sha256.update(piece);
            size += count as u64;
        }
        known.push(Known {
            file,
            size,
            md5: hex(&md5.finalize()),
            sha256: hex(&sha256.finalize()),
        });
    }
    known.sort_by(|a, b| a.file.name.cmp(&b.file.name));
    for (one, next) in known.iter().zip(known.iter().skip(1)) {
        if one.file.name == next.file.name {
            return Err(not_source(&one.file.name, "the name is given twice"));
        }
    }
    Ok(known)
}

/// Refuses what is no source: notes about a case, logs, folders, and names that the service keeps for itself. `there` are
/// the files that the package has already: a `.log` among them is a source.
fn check(file: &SourceFile, there: &[String]) -> Result<(), ObsError> {
    let name = file.name.as_str();
    let reason = if name.is_empty() {
        "it has no name"
    } else if name.contains('/') {
        "it lies in a folder, and a package has none"
    } else if name.starts_with('.') || name.contains(char::is_control) {
        "the service takes no such name"
    } else if matches!(
        name,
        "_meta" | "_attribute" | "_history" | "_log" | "_status" | "_project" | "_upload"
    ) {
        "the service keeps that name for itself"
    } else if name == "manifest.json" || is_case_log(name) {
        "it is a note about the package and no source of it"
    } else if has_extension(name, "log") && !there.iter().any(|other| other == name) {
        "it is a log"
    } else {
        return match &file.content {
            Content::File(path) if !fs::metadata(path)?.is_file() => Err(not_source(name, "it is no regular file")),
            _ => Ok(()),
        };
    };
    Err(not_source(name, reason))
}

/// The names under which cases keep the logs of their builds.
fn is_case_log(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    has_extension(&name, "txt") && (name.starts_with("log_") || name.ends_with("_log.txt") || name == "log.txt")
}

fn has_extension(name: &str, wanted: &str) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(_, extension)| extension.eq_ignore_ascii_case(wanted))
}

fn not_source(name: &str, why: &str) -> ObsError {
    ObsError::NotSource {
        name: name.escape_debug().to_string(),
        why: why.to_owned(),
    }
}

/// A reader that learns what went through it.
pub(crate) struct Watched<'a> {
    pub(crate) inner: Box<dyn Read + 'a>,
    pub(crate) hash: Arc<Mutex<Md5>>,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let mut hash = self.hash.lock().unwrap_or_else(PoisonError::into_inner);
        hash.update(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_source_is_refused() {
        let there = ["expected.log".to_owned()];
        let refused = [
            "",
            "a/b",
            "../a",
            ".osc",
            "manifest.json",
            "log_failed.txt",
            "LOG_ok.TXT",
            "build_log.txt",
            "build.log",
            "_meta",
            "_log",
            "a\nb",
        ];
        for name in refused {
            let file = SourceFile::from_bytes(name, *b"x");
            assert!(check(&file, &there).is_err(), "{name}");
        }
        for name in [
            "a.spec",
            "_service",
            "_constraints",
            "_multibuild",
            "_link",
            "expected.log",
            "changelog.txt",
            "catalog.txt",
        ] {
            let file = SourceFile::from_bytes(name, *b"x");
            check(&file, &there).unwrap();
        }
        let folder = tempfile::tempdir().unwrap();
        assert!(check(&SourceFile::from_path(folder.path()).unwrap(), &[]).is_err());
        let twice = [SourceFile::from_bytes("a", *b"x"), SourceFile::from_bytes("a", *b"y")];
        assert!(know(&twice, &[]).is_err());
    }
}
