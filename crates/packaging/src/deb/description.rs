//! `.dsc` files, and what `debian/control` says about where a package may be built.

use std::fmt::Write as _;

use super::Control;
use crate::{Architectures, PackageError, hash, package::ArchList};

/// A file that a description names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) size: u64,
    /// SHA-256, or MD5 where there is nothing better.
    pub(super) hash: String,
}

/// The text inside a clear-signed document, or the text itself. Says nothing about the signature.
pub(super) fn without_armor(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let Some(rest) = text.trim_start().strip_prefix("-----BEGIN PGP SIGNED MESSAGE-----") else {
        return text;
    };
    let body = rest.split_once("\n\n").map_or(rest, |(_, body)| body);
    let body = body.split("\n-----BEGIN PGP SIGNATURE-----").next().unwrap_or(body);
    let lines: Vec<&str> = body
        .lines()
        .map(|line| line.strip_prefix("- ").unwrap_or(line))
        .collect();
    format!("{}\n", lines.join("\n").trim_end())
}

/// The files that a description names.
pub(super) fn files(file: &str, control: &Control) -> Result<Vec<Named>, PackageError> {
    let bad = |problem: String| PackageError::recipe(file, problem);
    let strong = control.get(0, "Checksums-Sha256");
    let rows = strong
        .or_else(|| control.get(0, "Files"))
        .ok_or_else(|| bad("it names no files".to_owned()))?;
    let mut files = Vec::new();
    for row in rows.lines().filter(|row| !row.trim().is_empty()) {
        let words: Vec<&str> = row.split_whitespace().collect();
        let [hash, size, name] = words.as_slice() else {
            return Err(bad(format!("`{row}` is no hash, size and name")));
        };
        let size = size.parse().map_err(|_| bad(format!("`{size}` is no size")))?;
        if name.contains('/') || name.starts_with('.') {
            return Err(bad(format!("`{name}` is no name of a file beside it")));
        }
        files.push(Named {
            name: (*name).to_owned(),
            size,
            hash: hash.to_ascii_lowercase(),
        });
    }
    Ok(files)
}

impl Named {
    /// Refuses a content that is not the described one.
    pub(super) fn check(&self, description: &str, content: &[u8]) -> Result<(), PackageError> {
        let found = if self.hash.len() == 64 {
            hash::sha256(content)
        } else {
            hash::md5(content)
        };
        let what = if content.len() as u64 != self.size {
            format!("{} bytes instead of {}", content.len(), self.size)
        } else if found != self.hash {
            format!("the hash is {found}")
        } else {
            return Ok(());
        };
        Err(PackageError::Mismatch {
            recipe: description.to_owned(),
            file: self.name.clone(),
            what,
        })
    }
}

type Hash = fn(&[u8]) -> String;

/// What of the source paragraph goes into a description as it is.
const KEPT: [&str; 14] = [
    "Maintainer",
    "Uploaders",
    "Homepage",
    "Standards-Version",
    "Vcs-Browser",
    "Vcs-Git",
    "Testsuite",
    "Build-Depends",
    "Build-Depends-Arch",
    "Build-Depends-Indep",
    "Build-Conflicts",
    "Build-Conflicts-Arch",
    "Build-Conflicts-Indep",
    "Build-Driver",
];

/// Writes a description of the packed files. Fields of the one before that say nothing about what was edited are kept.
pub(super) fn write(
    format: &str,
    version: &str,
    control: &Control,
    before: Option<&Control>,
    files: &[(String, Vec<u8>)],
) -> String {
    let source = control.get(0, "Source").unwrap_or_default();
    let one_line = |value: &str| value.split_whitespace().collect::<Vec<_>>().join(" ");
    let binaries: Vec<usize> = (1..control.paragraphs()).collect();
    let field = |paragraph: usize, name: &str| control.get(paragraph, name).unwrap_or_default();
    let mut text = format!("Format: {format}\nSource: {source}\n");
    let names: Vec<String> = binaries.iter().map(|paragraph| field(*paragraph, "Package")).collect();
    let (list, _) = arch_words(control);
    let _ = write!(
        text,
        "Binary: {}\nArchitecture: {}\nVersion: {version}\n",
        names.join(", "),
        summary(&list)
    );
    let mut put = |name: &str, value: &str| {
        let _ = writeln!(text, "{name}: {value}");
    };
    for name in KEPT {
        if let Some(value) = control.get(0, name) {
            put(name, one_line(&value).trim_end_matches(','));
        }
    }
    if let Some(before) = before {
        let ours = [
            "Format",
            "Source",
            "Binary",
            "Architecture",
            "Version",
            "Package-List",
            "Files",
            "Checksums-Sha1",
            "Checksums-Sha256",
        ];
        for name in before.names(0) {
            let is = |other: &&str| other.eq_ignore_ascii_case(name);
            if !ours.iter().chain(&KEPT).any(is) {
                put(name, &before.get(0, name).unwrap_or_default());
            }
        }
    }
    text.push_str("Package-List:\n");
    for paragraph in binaries {
        let or = |name: &str, otherwise: &str| {
            let own = control.get(paragraph, name).or_else(|| control.get(0, name));
            own.unwrap_or_else(|| otherwise.to_owned())
        };
        let kind = control
            .get(paragraph, "Package-Type")
            .unwrap_or_else(|| "deb".to_owned());
        let arches = field(paragraph, "Architecture");
        let arches: Vec<&str> = arches.split_whitespace().collect();
        let _ = write!(
            text,
            " {} {kind} {} {} arch={}",
            field(paragraph, "Package"),
            or("Section", "unknown"),
            or("Priority", "optional"),
            arches.join(",")
        );
        let profiles = field(paragraph, "Build-Profiles");
        if !profiles.is_empty() {
            let groups: Vec<String> = profiles
                .split(['<', '>'])
                .filter(|group| !group.trim().is_empty())
                .map(|group| group.split_whitespace().collect::<Vec<_>>().join("+"))
                .collect();
            let _ = write!(text, " profile={}", groups.join(","));
        }
        if field(paragraph, "Essential") == "yes" {
            text.push_str(" essential=yes");
        }
        text.push('\n');
    }
    let hashes: [(&str, Hash); 3] = [
        ("Checksums-Sha1", hash::sha1),
        ("Checksums-Sha256", hash::sha256),
        ("Files", hash::md5),
    ];
    for (name, of) in hashes {
        let _ = writeln!(text, "{name}:");
        for (file, content) in files {
            let _ = writeln!(text, " {} {} {file}", of(content), content.len());
        }
    }
    text
}

/// Words of all `Architecture` fields of binary packages, and whether there is any package at all.
fn arch_words(control: &Control) -> (Vec<String>, bool) {
    let mut words: Vec<String> = Vec::new();
    let mut any = false;
    for paragraph in 1..control.paragraphs() {
        any = true;
        let value = control.get(paragraph, "Architecture").unwrap_or_default();
        for word in value.split_whitespace() {
            if !words.iter().any(|there| there == word) {
                words.push(word.to_owned());
            }
        }
    }
    (words, any)
}

fn summary(words: &[String]) -> String {
    let has = |word: &str| words.iter().any(|there| there == word);
    let mut kept: Vec<&str> = words.iter().map(String::as_str).filter(|word| *word != "all").collect();
    if has("any") {
        kept = vec!["any"];
    }
    kept.sort_unstable();
    if has("all") {
        kept.push("all");
    }
    kept.join(" ")
}

/// Where the package may be built: what its binary packages say.
pub(crate) fn architectures(control: &Control) -> Architectures {
    let (words, any) = arch_words(control);
    let words = if any { words } else { vec!["any".to_owned()] };
    Architectures::only(words.into_iter().map(ArchList::Debian).collect())
}
