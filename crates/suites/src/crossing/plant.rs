//! Planting a fault in a package.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use fs_err as fs;
use regex::Regex;
use seatrial_packaging::Package;
use walkdir::WalkDir;

use super::{CrossError, Fault, Step};

/// A fault in a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planted {
    /// What leads from the working package to the broken one.
    pub change: String,
    /// What leads from the broken one to the repaired one.
    pub gold: String,
}

/// Why a package cannot have a fault.
type Unfit = String;

/// A place in a package, with what comes there.
struct Place {
    path: PathBuf,
    planted: String,
    repaired: String,
}

/// Plants a fault in a copy of a package; says why not where the package has no place for it.
pub fn plant(fault: &Fault, pristine: &Package) -> Result<Result<Planted, Unfit>, CrossError> {
    let (planted, repaired) = (pristine.copy()?, pristine.copy()?);
    for step in &fault.step {
        let place = match place(step, planted.root(), pristine.name()) {
            Ok(place) => place,
            Err(why) => return Ok(Err(why)),
        };
        for (package, text) in [(&planted, &place.planted), (&repaired, &place.repaired)] {
            let path = package.root().join(&place.path);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(path, text)?;
        }
    }
    Ok(Ok(Planted {
        change: planted.diff_from(pristine)?,
        gold: repaired.diff_from(&planted)?,
    }))
}

fn place(step: &Step, root: &Path, name: &str) -> Result<Place, Unfit> {
    let appended = |path: PathBuf, planted: &str, repaired: &str| -> Result<Place, Unfit> {
        let text = text(root, &path)?;
        let both = |more: &str| {
            let gap = if text.ends_with('\n') || text.is_empty() {
                ""
            } else {
                "\n"
            };
            format!("{text}{gap}{more}")
        };
        Ok(Place {
            planted: both(planted),
            repaired: both(repaired),
            path,
        })
    };
    match step {
        Step::Program { planted, repaired } => appended(program(root, name)?, planted, repaired),
        Step::Library { planted, repaired } => appended(library(root)?, planted, repaired),
        Step::File {
            path,
            planted,
            repaired,
        } => {
            if root.join(path).exists() {
                return Err(format!("{path} is there already"));
            }
            Ok(Place {
                path: path.into(),
                planted: planted.clone(),
                repaired: repaired.clone(),
            })
        }
        Step::Rules { planted, repaired } => {
            fits_rules(&text(root, Path::new("debian/rules"))?, planted)?;
            appended("debian/rules".into(), planted, repaired.as_deref().unwrap_or(planted))
        }
        Step::Append {
            file,
            planted,
            repaired,
        } => appended(found(root, file)?, planted, repaired.as_deref().unwrap_or(planted)),
        Step::Edit { file, find, put, all } => {
            let find = Regex::new(find).map_err(|error| error.to_string())?;
            let path = all_found(root, file)
                .into_iter()
                .find(|path| text(root, path).is_ok_and(|text| find.is_match(&text)))
                .ok_or_else(|| format!("nothing in {file} is like that"))?;
            let repaired = text(root, &path)?;
            let planted = if *all {
                find.replace_all(&repaired, put)
            } else {
                find.replace(&repaired, put)
            };
            Ok(Place {
                planted: planted.into_owned(),
                repaired,
                path,
            })
        }
    }
}

fn text(root: &Path, path: &Path) -> Result<String, Unfit> {
    let place = root.join(path);
    if place.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(format!("{} is a link", path.display()));
    }
    let text = fs::read_to_string(place).map_err(|error| error.to_string())?;
    if text.contains('\r') {
        return Err(format!("{} has lines that end as in DOS", path.display()));
    }
    Ok(text)
}

static MAIN: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^(?:(?:extern\s+)?(?:int|void)\s+)?main\s*\(").ok());
static ASIDE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)(^|/)(\.pc|debian|[^/]*(test|example|sample|contrib|doc|bench|script|win|dos|old)[^/]*)(/|$)").ok()
});
static DH: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?m)^\tdh\s.*\$@|^\tdh\s+\$@").ok());
static SAID: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^(?:export\s+)?([A-Za-z_][A-Za-z0-9_-]*)\s*(?::(?:[^=]|$)|[:+?]?=)").ok());

fn is_like(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// C files that are no tests and no examples, the shallowest first.
fn c_files(root: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = WalkDir::new(root)
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file() && entry.path().extension().is_some_and(|ending| ending == "c"))
        .filter_map(|entry| Some(entry.path().strip_prefix(root).ok()?.to_owned()))
        .filter(|path| !is_like(&ASIDE, &path.to_string_lossy()))
        .collect();
    files.sort_by_key(|path| (path.components().count(), path.clone()));
    files
}

fn program(root: &Path, name: &str) -> Result<PathBuf, Unfit> {
    let mut mains: Vec<PathBuf> = c_files(root)
        .into_iter()
        .filter(|path| text(root, path).is_ok_and(|text| is_like(&MAIN, &text)))
        .collect();
    // The one that bears the package's name is surely built.
    mains.sort_by_key(|path| path.file_stem().is_none_or(|stem| stem != name));
    mains
        .into_iter()
        .next()
        .ok_or_else(|| "it has no C file with a `main`".to_owned())
}

fn library(root: &Path) -> Result<PathBuf, Unfit> {
    let list = found(root, "debian/*.symbols")?;
    let list = text(root, &list)?;
    let symbols: Vec<&str> = list
        .lines()
        .filter_map(|line| line.strip_prefix(' ')?.split('@').next())
        .filter(|symbol| symbol.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
        .take(20)
        .collect();
    for symbol in symbols {
        let Ok(defined) = Regex::new(&format!(r"(?m)^(?:\w[\w\s*]*\W)?{symbol}\s*\([^;{{]*\)?[^;]*\{{")) else {
            continue;
        };
        let has = |path: &PathBuf| text(root, path).is_ok_and(|text| defined.is_match(&text));
        if let Some(path) = c_files(root).into_iter().find(has) {
            return Ok(path);
        }
    }
    Err("no C file has a symbol of its list".to_owned())
}

/// The rules must leave the work to `dh`, and may not say already what is to be said.
fn fits_rules(rules: &str, more: &str) -> Result<(), Unfit> {
    if !is_like(&DH, rules) {
        return Err("its rules do not leave the work to dh".to_owned());
    }
    let names = |text: &str| -> BTreeSet<String> {
        let said = SAID.as_ref();
        let found = said.into_iter().flat_map(|said| said.captures_iter(text));
        found
            .filter_map(|found| Some(found.get(1)?.as_str().to_owned()))
            .collect()
    };
    match names(rules).intersection(&names(more)).next() {
        Some(name) => Err(format!("its rules have `{name}` already")),
        None => Ok(()),
    }
}

fn found(root: &Path, pattern: &str) -> Result<PathBuf, Unfit> {
    all_found(root, pattern)
        .into_iter()
        .next()
        .ok_or_else(|| format!("it has no {pattern}"))
}

fn all_found(root: &Path, pattern: &str) -> Vec<PathBuf> {
    if let Some(name) = pattern.strip_prefix("**/") {
        let mut files: Vec<PathBuf> = WalkDir::new(root)
            .into_iter()
            .filter_map(Result::ok)
            .filter(|entry| entry.file_type().is_file() && entry.file_name() == name)
            .filter_map(|entry| Some(entry.path().strip_prefix(root).ok()?.to_owned()))
            .filter(|path| !path.starts_with(".pc"))
            .collect();
        files.sort();
        return files;
    }
    let Some((start, end)) = pattern.split_once('*') else {
        return root
            .join(pattern)
            .is_file()
            .then(|| pattern.into())
            .into_iter()
            .collect();
    };
    let (folder, start) = start.rsplit_once('/').unwrap_or(("", start));
    let Ok(entries) = fs::read_dir(root.join(folder)) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.starts_with(start) && name.ends_with(end) && name.len() >= start.len() + end.len())
        .map(|name| Path::new(folder).join(name))
        .collect();
    files.sort();
    files
}
