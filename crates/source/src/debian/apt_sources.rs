//! Which archives the package manager of a machine (or of an image's root) is configured for.
//!
//! Reads the files only; whether an entry is the distribution's own archive is decided later, from its signed release.

use std::{
    io,
    path::{Path, PathBuf},
};

use fs_err as fs;
use seatrial_core::Platform;

use super::deb822::Paragraphs;
use crate::SourceError;

/// One suite of one archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AptSource {
    /// The archive's root, without slash at the end.
    pub(super) uri: String,
    /// The suite.
    pub(super) suite: String,
    /// Its components.
    pub(super) components: Vec<String>,
    /// Who may sign it.
    pub(super) signed_by: SignedBy,
}

/// Who may sign a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SignedBy {
    /// The distribution's keyring.
    Default,
    /// Key files.
    Files(Vec<PathBuf>),
    /// Keys written out in the configuration.
    Inline(String),
    /// Fingerprints of keys in the distribution's keyring.
    Fingerprints(Vec<String>),
}

/// Components that hold free software of the distribution itself. The others are not needed to build what is in these.
const COMPONENTS: [&str; 2] = ["main", "universe"];

/// Names that move from release to release; which release they mean is known once they are fetched.
const MOVING: [&str; 6] = ["stable", "oldstable", "oldoldstable", "testing", "unstable", "devel"];

/// Reads `etc/apt` below a root and keeps what may belong to the platform's release.
pub(super) fn read(root: &Path, platform: &Platform) -> Result<Vec<AptSource>, SourceError> {
    let apt = root.join("etc/apt");
    let mut files = vec![apt.join("sources.list")];
    match fs::read_dir(apt.join("sources.list.d")) {
        Ok(entries) => {
            let mut more = entries
                .map(|entry| entry.map(|entry| entry.path()))
                .collect::<io::Result<Vec<_>>>()?;
            more.sort();
            files.extend(more);
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error.into()),
    }
    let mut sources: Vec<AptSource> = Vec::new();
    for file in files {
        let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if !matches!(ending, "list" | "sources") {
            continue;
        }
        let text = match fs::read(&file) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error.into()),
        };
        let found = if ending == "list" {
            one_line(&text)
        } else {
            deb822(&text)
        };
        for mut source in found {
            source
                .components
                .retain(|component| COMPONENTS.contains(&component.as_str()));
            if source.components.is_empty() || !may_belong(&source.suite, &platform.release) {
                continue;
            }
            let Some(uri) = usable_uri(root, &source.uri)? else {
                continue;
            };
            source.uri = uri;
            // `deb` and `deb-src` lines name the same suite twice.
            match sources
                .iter_mut()
                .find(|known| known.uri == source.uri && known.suite == source.suite)
            {
                Some(known) => {
                    for component in source.components {
                        if !known.components.contains(&component) {
                            known.components.push(component);
                        }
                    }
                }
                None => sources.push(source),
            }
        }
    }
    Ok(sources)
}

/// Whether a suite is a release itself, its updates or its security suite, or a moving name for one of these.
fn may_belong(suite: &str, release: &str) -> bool {
    let (base, pocket) = split_pocket(suite);
    matches!(pocket, "" | "updates" | "security") && (base == release || MOVING.contains(&base))
}

/// Splits `bookworm-security` and the older `buster/updates`.
pub(super) fn split_pocket(suite: &str) -> (&str, &str) {
    suite.split_once(['-', '/']).unwrap_or((suite, ""))
}

/// An address that can be downloaded from. Others (`cdrom:`, `tor+https:`) are passed over.
fn usable_uri(root: &Path, uri: &str) -> Result<Option<String>, SourceError> {
    let uri = if let Some(list) = uri.strip_prefix("mirror+file:") {
        // A list of mirrors, the best first.
        let list = root.join(list.trim_start_matches('/'));
        let text = fs::read_to_string(list)?;
        let first = text
            .lines()
            .map(str::trim)
            .find(|line| !line.is_empty() && !line.starts_with('#'))
            .and_then(|line| line.split_whitespace().next());
        match first {
            Some(first) => first.to_owned(),
            None => return Ok(None),
        }
    } else {
        uri.to_owned()
    };
    let uri = uri.replace("file://", "file:");
    let good = ["http://", "https://", "file:/"]
        .iter()
        .any(|start| uri.starts_with(start));
    Ok(good.then(|| uri.trim_end_matches('/').to_owned()))
}

/// `deb [options] URI SUITE COMPONENT...`
fn one_line(text: &str) -> Vec<AptSource> {
    text.lines()
        .filter_map(|line| {
            let line = line.split('#').next().unwrap_or_default().trim();
            let (kind, rest) = line.split_once(char::is_whitespace)?;
            if !matches!(kind, "deb" | "deb-src") {
                return None;
            }
            let rest = rest.trim_start();
            let (options, rest) = match rest.strip_prefix('[') {
                Some(rest) => rest.split_once(']')?,
                None => ("", rest),
            };
            let signed_by = options
                .split_whitespace()
                .find_map(|option| {
                    option
                        .to_ascii_lowercase()
                        .starts_with("signed-by=")
                        .then(|| option.get(10..))?
                })
                .map_or(SignedBy::Default, |value| signed_by(&value.replace(',', " ")));
            let mut words = rest.split_whitespace();
            Some(AptSource {
                uri: words.next()?.to_owned(),
                suite: words.next()?.trim_end_matches('/').to_owned(),
                components: words.map(str::to_owned).collect(),
                signed_by,
            })
        })
        .collect()
}

/// Paragraphs with `Types`, `URIs`, `Suites`, `Components`.
fn deb822(text: &str) -> Vec<AptSource> {
    let text: String = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .flat_map(|line| [line, "\n"])
        .collect();
    let mut sources = Vec::new();
    for paragraph in Paragraphs::new(&text) {
        if matches!(
            paragraph.text("Enabled").to_ascii_lowercase().as_str(),
            "no" | "false" | "0" | "off" | "without" | "disable"
        ) {
            continue;
        }
        let signed_by = paragraph.get("Signed-By").map_or(SignedBy::Default, signed_by);
        for uri in paragraph.text("URIs").split_whitespace() {
            for suite in paragraph.text("Suites").split_whitespace() {
                sources.push(AptSource {
                    uri: uri.to_owned(),
                    suite: suite.trim_end_matches('/').to_owned(),
                    components: paragraph
                        .text("Components")
                        .split_whitespace()
                        .map(str::to_owned)
                        .collect(),
                    signed_by: signed_by.clone(),
                });
            }
        }
    }
    sources
}

fn signed_by(value: &str) -> SignedBy {
    if value.contains("-----BEGIN PGP PUBLIC KEY BLOCK-----") {
        // In such a paragraph a line with one dot is an empty line.
        let lines: Vec<&str> = value
            .lines()
            .map(|line| match line.trim() {
                "." => "",
                line => line,
            })
            .collect();
        return SignedBy::Inline(lines.join("\n"));
    }
    let words: Vec<&str> = value.split_whitespace().collect();
    if words.is_empty() {
        SignedBy::Default
    } else if words.iter().all(|word| word.starts_with('/')) {
        SignedBy::Files(words.into_iter().map(PathBuf::from).collect())
    } else {
        SignedBy::Fingerprints(
            words
                .into_iter()
                .map(|word| word.trim_end_matches('!').to_ascii_uppercase())
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn check(files: &[(&str, &str)], expected: &expect_test::Expect) {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let sources = read(root.path(), &Platform::default_host()).unwrap();
        let lines: Vec<_> = sources
            .iter()
            .map(|s| format!("{} {} {} {:?}\n", s.uri, s.suite, s.components.join("+"), s.signed_by))
            .collect();
        expected.assert_eq(&lines.concat());
    }

    #[test]
    fn both_formats_are_read_and_only_the_release_is_kept() {
        check(
            &[
                (
                    "etc/apt/sources.list",
                    "deb http://m.example/debian/ bookworm main contrib # note\n\
                     deb-src http://m.example/debian bookworm main\n\
                     deb [arch=amd64 signed-by=/k/a.gpg,/k/b.asc] https://m.example/debian bookworm-updates main\n\
                     deb http://m.example/debian bookworm-backports main\n\
                     deb http://other.example/x ./\n\
                     deb cdrom:[Debian]/ bookworm main\n# deb http://off.example bookworm main\n",
                ),
                (
                    "etc/apt/sources.list.d/a.sources",
                    "Types: deb\n# comment\nURIs: http://s.example/sec\nSuites: bookworm-security stable\nComponents: main\n\
                     Signed-By:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n AAAA\n -----END PGP PUBLIC KEY BLOCK-----\n\n\
                     Enabled: no\nTypes: deb\nURIs: http://off.example\nSuites: bookworm\nComponents: main\n",
                ),
                (
                    "etc/apt/sources.list.d/b.list.disabled",
                    "deb http://off.example bookworm main\n",
                ),
                (
                    "etc/apt/sources.list.d/c.list",
                    "deb mirror+file:/etc/apt/m.txt bookworm main\n",
                ),
                ("etc/apt/m.txt", "# best\nhttp://best.example/debian/ priority:1\n"),
            ],
            &expect![[r#"
                http://m.example/debian bookworm main Default
                https://m.example/debian bookworm-updates main Files(["/k/a.gpg", "/k/b.asc"])
                http://s.example/sec bookworm-security main Inline("-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nAAAA\n-----END PGP PUBLIC KEY BLOCK-----")
                http://s.example/sec stable main Inline("-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nAAAA\n-----END PGP PUBLIC KEY BLOCK-----")
                http://best.example/debian bookworm main Default
            "#]],
        );
    }
}
