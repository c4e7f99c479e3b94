//! A failing package: what is asked, its log as lines, and its files.

use std::{cell::RefCell, collections::BTreeMap, os::unix::fs::PermissionsExt as _, rc::Rc, sync::LazyLock};

use fs_err as fs;
use regex::Regex;
use seatrial_core::{Arch, RebuildState as State};
use seatrial_diagnosis::Diagnosis;
use seatrial_packages::Resolver;
use seatrial_packaging::{Kind, Package};
use walkdir::WalkDir;

/// A package that fails on a target.
#[derive(Clone, Copy)]
pub struct Failure<'a> {
    /// The package as it is now.
    pub package: &'a Package,
    /// Where it fails.
    pub target: Arch,
    /// Where it builds, when that is known.
    pub works_on: Option<Arch>,
    /// The log of the failing build.
    pub log: &'a [u8],
    /// What `diagnosis` says of that log.
    pub diagnosis: &'a Diagnosis,
    /// The log of the build that works, where there is one.
    pub working_log: Option<&'a [u8]>,
    /// How the rebuild ended.
    pub state: &'a State,
    /// Names of what the solver could not give.
    pub missing: &'a [String],
    /// Who knows which package has what.
    pub resolver: Option<&'a dyn Resolver>,
}

/// A line of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) number: u64,
    pub(crate) text: String,
}

/// Larger files are no sources that somebody edits.
const MOST_BYTES: u64 = 1 << 20;
/// More files are not looked at.
const MOST_FILES: usize = 60_000;
/// More of a log is not looked at: its end, where builds say why they stopped.
const MOST_LOG: usize = 8 << 20;

pub(crate) struct Case<'a> {
    pub(crate) failure: Failure<'a>,
    pub(crate) lines: Vec<Line>,
    /// Paths of the files, in order.
    pub(crate) files: Vec<String>,
    texts: RefCell<BTreeMap<String, Option<Rc<str>>>>,
}

impl<'a> Case<'a> {
    pub(crate) fn new(failure: &Failure<'a>) -> Self {
        Self {
            failure: *failure,
            lines: lines(failure.log),
            files: files(failure.package),
            texts: RefCell::default(),
        }
    }

    pub(crate) fn target(&self) -> Arch {
        self.failure.target
    }

    /// Where the package builds: what is known, or else what most packages were written on.
    pub(crate) fn works_on(&self) -> Arch {
        self.failure.works_on.unwrap_or(match self.failure.target {
            Arch::X86_64 => Arch::Aarch64,
            _ => Arch::X86_64,
        })
    }

    pub(crate) fn is_debian(&self) -> bool {
        self.failure.package.kind() == Kind::Debian
    }

    /// The recipe that says how it is built.
    pub(crate) fn recipe(&self) -> Option<&str> {
        if self.is_debian() {
            return self
                .files
                .iter()
                .find(|path| *path == "debian/rules")
                .map(String::as_str);
        }
        self.files
            .iter()
            .find(|path| !path.contains('/') && path.rsplit('.').next() == Some("spec"))
            .map(String::as_str)
    }

    /// A file's bytes, and whether it runs.
    pub(crate) fn bytes(&self, path: &str) -> Option<(Vec<u8>, bool)> {
        let place = self.failure.package.root().join(path);
        let metadata = place.symlink_metadata().ok()?;
        if !metadata.is_file() {
            return None;
        }
        let content = fs::read(&place).ok()?;
        Some((content, metadata.permissions().mode() & 0o100 != 0))
    }

    /// A text file; where it is no UTF-8, each byte is one character. None for what is no text.
    pub(crate) fn text(&self, path: &str) -> Option<Rc<str>> {
        if let Some(known) = self.texts.borrow().get(path) {
            return known.clone();
        }
        let text = self.bytes(path).and_then(|(bytes, _)| decode(&bytes)).map(Rc::from);
        self.texts.borrow_mut().insert(path.to_owned(), text.clone());
        text
    }

    /// The file of the package that a log calls by some path: the one that shares the most of the path's end.
    pub(crate) fn locate(&self, path: &str) -> Option<String> {
        let wanted: Vec<&str> = path
            .split('/')
            .filter(|part| !matches!(*part, "" | "." | ".."))
            .collect();
        let name = wanted.last()?;
        let shared = |file: &str| {
            file.rsplit('/')
                .zip(wanted.iter().rev())
                .take_while(|(one, other)| one == *other)
                .count()
        };
        self.files
            .iter()
            .filter(|file| file.rsplit('/').next() == Some(name))
            .max_by(|one, other| (shared(one), other.len(), *other).cmp(&(shared(other), one.len(), *one)))
            .cloned()
    }

    /// The files of C and C++.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str).filter(|path| is_source(path))
    }
}

/// A text of bytes, one character each where they are no UTF-8; none when there are zeros among them.
pub(crate) fn decode(bytes: &[u8]) -> Option<String> {
    if bytes.contains(&0) {
        return None;
    }
    Some(match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().copied().map(char::from).collect(),
    })
}

/// The way back, for a file whose bytes were those; none for letters that the file's encoding has not.
pub(crate) fn encode(text: &str, old: &[u8]) -> Option<Vec<u8>> {
    if std::str::from_utf8(old).is_ok() {
        return Some(text.as_bytes().to_vec());
    }
    text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect()
}

pub(crate) fn is_source(path: &str) -> bool {
    let ending = path.rsplit('.').next().unwrap_or_default();
    matches!(
        ending,
        "c" | "h"
            | "cc"
            | "cpp"
            | "cxx"
            | "c++"
            | "C"
            | "hh"
            | "hpp"
            | "hxx"
            | "H"
            | "inl"
            | "inc"
            | "ipp"
            | "tcc"
            | "tpp"
    ) && !is_aside(path)
}

/// What no build reads, or what tools made.
pub(crate) fn is_aside(path: &str) -> bool {
    path.starts_with(".pc/")
        || path.starts_with("debian/patches/")
        || path.contains("/.git/")
        || path.starts_with(".git/")
}

fn files(package: &Package) -> Vec<String> {
    let root = package.root();
    let walk = WalkDir::new(root).sort_by_file_name().into_iter().flatten();
    let mut files: Vec<String> = walk
        .filter(|entry| entry.file_type().is_file())
        .filter(|entry| entry.metadata().is_ok_and(|metadata| metadata.len() <= MOST_BYTES))
        .filter_map(|entry| entry.path().strip_prefix(root).ok()?.to_str().map(str::to_owned))
        .filter(|path| !is_aside(path))
        .take(MOST_FILES)
        .collect();
    files.sort();
    files
}

/// What a build service or a tool with colours writes around a line.
static AROUND: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\[ *\d+s\] |\x1b\[[0-9;]*[A-Za-z]").ok());

fn lines(log: &[u8]) -> Vec<Line> {
    let skipped = log.len().saturating_sub(MOST_LOG);
    let (before, rest) = log.split_at(skipped);
    let first = before.split(|byte| *byte == b'\n').count() as u64 - 1;
    rest.split(|byte| *byte == b'\n')
        .enumerate()
        .map(|(at, line)| {
            let text = String::from_utf8_lossy(line);
            let text = match AROUND.as_ref() {
                Some(around) => around.replace_all(&text, ""),
                None => text.clone(),
            };
            Line {
                number: first + at as u64 + 1,
                text: text.trim_end().replace(['\u{2018}', '\u{2019}', '`'], "'"),
            }
        })
        .collect()
}
