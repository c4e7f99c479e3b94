//! What a user writes to name a source.
//!
//! Looks at the file system only to tell a folder from a file; nothing is read and nothing is downloaded here.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    str::FromStr,
};

use crate::SourceError;

/// The forms a source can be written in, for messages.
const FORMS: &str = "a source is one of:\n  \
    a folder (`.`, `./project`)\n  \
    an archive (`project.tar.gz`, .tar, .tgz, .tar.xz, .tar.bz2, .tar.zst or .zip), optionally followed by `#sha256=HEX`\n  \
    an archive's URL (`https://HOST/project.tar.gz`), optionally followed by `#sha256=HEX`\n  \
    a git repository (`git+https://HOST/project.git`), optionally followed by `@COMMIT`, `@TAG` or `@BRANCH`\n  \
    a Debian source package (`debian:NAME` or `debian:NAME=VERSION`)";

/// Endings of archives that can be unpacked.
pub(crate) const ARCHIVE_ENDINGS: [&str; 13] = [
    ".tar",
    ".tar.gz",
    ".tgz",
    ".tar.xz",
    ".txz",
    ".tar.bz2",
    ".tbz",
    ".tbz2",
    ".tar.zst",
    ".tzst",
    ".tar.lzma",
    ".tlz",
    ".zip",
];

/// A source as written, not yet pinned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceSpec {
    /// A folder.
    Folder(PathBuf),
    /// An archive by path.
    ArchiveFile {
        /// The file.
        path: PathBuf,
        /// The expected SHA-256, when given as `PATH#sha256=HEX`.
        sha256: Option<String>,
    },
    /// An archive by URL, with its SHA-256 when given as `URL#sha256=HEX`.
    ArchiveUrl {
        /// The URL.
        url: String,
        /// The expected SHA-256.
        sha256: Option<String>,
    },
    /// `git+URL@COMMIT`; without a commit, the remote's default branch now.
    Git {
        /// The URL.
        url: String,
        /// The commit, branch or tag.
        revision: Option<String>,
    },
    /// `debian:NAME[=VERSION]`.
    Debian {
        /// The source package.
        package: String,
        /// Its version; the archive's newest when absent.
        version: Option<String>,
    },
}

impl SourceSpec {
    /// The same as from a text, for a word of a command line, which may name a folder whose name is no text.
    pub fn from_word(word: &OsStr) -> Result<Self, SourceError> {
        match word.to_str() {
            Some(text) => text.parse(),
            None if Path::new(word).is_dir() => Ok(Self::Folder(PathBuf::from(word))),
            None => Err(usage(format!(
                "`{}` is no folder, and its name is not valid UTF-8\n{FORMS}",
                word.display()
            ))),
        }
    }
}

impl FromStr for SourceSpec {
    type Err = SourceError;

    fn from_str(text: &str) -> Result<Self, SourceError> {
        if text.is_empty() || text.contains('\0') {
            return Err(usage(format!("the source is empty or holds a NUL byte\n{FORMS}")));
        }
        // A path that is there always means itself, even when it looks like one of the other forms.
        let path = Path::new(text);
        if path.is_dir() {
            return Ok(Self::Folder(path.to_owned()));
        }
        if let Some(rest) = text.strip_prefix("git+") {
            return git(text, rest);
        }
        if let Some(rest) = text.strip_prefix("debian:") {
            return debian(text, rest);
        }
        let (location, sha256) = split_sha256(text)?;
        if location.starts_with("http://") || location.starts_with("https://") {
            return url(location, sha256);
        }
        if let Some((scheme, _)) = location.split_once("://") {
            return Err(usage(format!(
                "`{text}`: no source can be fetched by `{scheme}:`\n{FORMS}"
            )));
        }
        file(location, sha256)
    }
}

fn usage(text: String) -> SourceError {
    SourceError::Usage(text)
}

/// Splits `#sha256=HEX` off. Another fragment is an error: it would be ignored silently otherwise.
fn split_sha256(text: &str) -> Result<(&str, Option<String>), SourceError> {
    // A file may have `#` in its name.
    if Path::new(text).exists() {
        return Ok((text, None));
    }
    let Some((location, fragment)) = text.rsplit_once('#') else {
        return Ok((text, None));
    };
    let Some(hex) = fragment.strip_prefix("sha256=") else {
        if location.contains("://") {
            return Err(usage(format!(
                "`{text}`: `#{fragment}` is not understood; only `#sha256=HEX` may follow an archive"
            )));
        }
        return Ok((text, None));
    };
    let hex = hex.to_ascii_lowercase();
    if is_sha256(&hex) {
        Ok((location, Some(hex)))
    } else {
        Err(usage(format!(
            "`{text}`: `{hex}` is not a SHA-256 (64 hexadecimal digits; `sha256sum FILE` prints it)"
        )))
    }
}

/// Whether the text is 64 hexadecimal digits in lower case.
pub(crate) fn is_sha256(text: &str) -> bool {
    text.len() == 64
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

fn git(text: &str, rest: &str) -> Result<SourceSpec, SourceError> {
    // `@` also separates a user from a host, so only one after the last `/` starts a revision.
    let after_host = rest.find("://").map_or(0, |at| at + 3);
    let slash = rest
        .get(after_host..)
        .and_then(|tail| tail.find('/'))
        .map_or(after_host, |at| after_host + at);
    let (head, tail) = rest.split_at(slash);
    let (url, revision) = match tail.split_once('@') {
        Some((path, revision)) => (format!("{head}{path}"), Some(revision.to_owned())),
        None => (rest.to_owned(), None),
    };
    if url.is_empty() || url.starts_with('-') || url.contains("::") || url.contains(char::is_control) {
        return Err(usage(format!("`{text}` does not name a git repository\n{FORMS}")));
    }
    if let Some(revision) = &revision {
        let good = |c: char| c.is_ascii_alphanumeric() || "._+-/".contains(c);
        if revision.is_empty() || revision.starts_with('-') || revision.contains("..") || !revision.chars().all(good) {
            return Err(usage(format!(
                "`{text}`: `{revision}` is not a commit, tag or branch (a full commit id is best)"
            )));
        }
    }
    let scheme = url.split_once("://").map(|(scheme, _)| scheme);
    match scheme {
        Some("http" | "https" | "git" | "ssh" | "file") => {}
        Some(scheme) => {
            return Err(usage(format!(
                "`{text}`: git cannot be asked by `{scheme}:` here; use https, http, ssh, git or file"
            )));
        }
        None if Path::new(&url).is_dir() => {}
        None => {
            return Err(usage(format!(
                "`{text}`: there is no folder `{url}`, and it is no URL\n{FORMS}"
            )));
        }
    }
    Ok(SourceSpec::Git { url, revision })
}

fn debian(text: &str, rest: &str) -> Result<SourceSpec, SourceError> {
    let (package, version) = match rest.split_once('=') {
        Some((package, version)) => (package, Some(version)),
        None => (rest, None),
    };
    if !is_package_name(package) {
        return Err(usage(format!(
            "`{text}`: `{package}` is not the name of a source package (two or more of a-z, 0-9, `+`, `-`, `.`)"
        )));
    }
    if let Some(version) = version
        && !is_version(version)
    {
        return Err(usage(format!(
            "`{text}`: `{version}` is not a version such as `2.10-3` or `1:1.2-4+deb12u1`"
        )));
    }
    Ok(SourceSpec::Debian {
        package: package.to_owned(),
        version: version.map(str::to_owned),
    })
}

/// Debian policy 5.6.1.
pub(crate) fn is_package_name(text: &str) -> bool {
    text.len() >= 2
        && text.len() <= 200
        && text.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && text
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "+-.".contains(c))
}

/// Debian policy 5.6.12, loosely: enough to be safe in a path and a URL.
pub(crate) fn is_version(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 200
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || ".+-~:".contains(c))
}

fn url(location: &str, sha256: Option<String>) -> Result<SourceSpec, SourceError> {
    let path = location.split(['?', '#']).next().unwrap_or(location);
    let host = path.split_once("://").map_or("", |(_, rest)| rest);
    if host.is_empty() || host.starts_with('/') || location.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(usage(format!("`{location}` is not a URL\n{FORMS}")));
    }
    if Path::new(path).extension().is_some_and(|ending| ending == "git") {
        return Err(usage(format!(
            "`{location}` looks like a git repository; write `git+{location}`, with `@COMMIT` for a certain commit"
        )));
    }
    Ok(SourceSpec::ArchiveUrl {
        url: location.to_owned(),
        sha256,
    })
}

fn file(location: &str, sha256: Option<String>) -> Result<SourceSpec, SourceError> {
    let path = PathBuf::from(location);
    match path.metadata() {
        Ok(metadata) if metadata.is_dir() => {
            return Err(usage(format!(
                "`{location}` is a folder; `#sha256=` may only follow an archive"
            )));
        }
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(usage(format!("`{location}` is neither a folder nor a file\n{FORMS}"))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(usage(format!("there is no `{location}`\n{FORMS}")));
        }
        Err(error) => return Err(usage(format!("cannot look at `{location}`: {error}"))),
    }
    let lower = location.to_ascii_lowercase();
    if ARCHIVE_ENDINGS.iter().any(|ending| lower.ends_with(ending)) {
        Ok(SourceSpec::ArchiveFile { path, sha256 })
    } else {
        Err(usage(format!(
            "`{location}` is a file, but its name does not end like an archive's\n{FORMS}"
        )))
    }
}
