//! Case folders of the challenge that followed Build-bench: sources in `input/`, what builds them beside, and a manifest of
//! version 1.0. A case has two folders, one for each side; the one that builds gives the other its log.

use std::path::{Path, PathBuf};

use fs_err as fs;
use seatrial_core::Arch;
use walkdir::WalkDir;

use super::{
    CaseProblem,
    case::{Case, arch, inside, json, text},
};

const MANIFEST: &str = "manifest.json";
const INFO: &str = "evidence/case-info.json";
/// Names of the failing log in `logs/`, the surest first. A single file there is it, whatever its name.
const LOGS: [&str; 4] = ["initial-build.log", "failed.log", "build.log", "log_failed.txt"];

/// Reads a case. `twin` is the log of the folder of the other side, when it is among those that are imported.
pub(super) fn read(folder: &Path, twin: Option<Vec<u8>>) -> Result<Case, CaseProblem> {
    let manifest = json(folder, MANIFEST)?.ok_or(CaseProblem::NoManifest)?;
    let version = manifest.get("schema_version").and_then(serde_json::Value::as_str);
    if version != Some("1.0") {
        return Err(CaseProblem::Version {
            found: version.unwrap_or("unknown").to_owned(),
            known: "1.0",
        });
    }
    let id = text(&manifest, MANIFEST, "/case_id")?.to_owned();
    let target = arch(MANIFEST, text(&manifest, MANIFEST, "/build/architecture")?)?;
    let recipe = inside(MANIFEST, text(&manifest, MANIFEST, "/build/recipe")?)?;
    let info = json(folder, INFO)?.unwrap_or_default();
    let works_on = match direction(&info)? {
        Some((works, _)) if works == target => return Err(CaseProblem::BuildsThere(works)),
        Some((works, fails)) if fails == target => Some(works),
        Some((works, fails)) => {
            return Err(CaseProblem::manifest(
                INFO,
                format!("it is about {works} and {fails}, and the manifest builds on {target}"),
            ));
        }
        // The name of a case ends with its side.
        None if id.ends_with("--source") => return Err(CaseProblem::BuildsThere(target)),
        None => None,
    };
    let input = folder.join("input");
    if !folder.join(&recipe).is_file() {
        return Err(CaseProblem::MissingFile(recipe.display().to_string()));
    }
    let root = recipe.starts_with("input").then_some(input).ok_or_else(|| {
        CaseProblem::manifest(
            MANIFEST,
            format!("its recipe `{}` is not in `input/`", recipe.display()),
        )
    })?;
    let name = info.get("package_name").and_then(serde_json::Value::as_str);
    let stem = recipe.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let stem = stem.unwrap_or_default();
    let package = name.map_or_else(|| stem.split('_').next().unwrap_or_default().to_owned(), str::to_owned);
    Ok(Case {
        origin: format!("imported: the challenge's case {id}; the class is the diagnosis's"),
        failed_log: log(folder).ok_or(CaseProblem::NoLog("in `logs/`"))?,
        working_log: twin,
        package,
        target,
        works_on,
        sources: files(&root)?,
        root,
        seconds: manifest
            .pointer("/build/timeout_seconds")
            .and_then(serde_json::Value::as_u64),
        notes: Vec::new(),
    })
}

/// The two sides of a case, that on which it builds first.
fn direction(info: &serde_json::Value) -> Result<Option<(Arch, Arch)>, CaseProblem> {
    let Some(told) = info.get("direction").and_then(serde_json::Value::as_str) else {
        return Ok(None);
    };
    let (works, fails) = told
        .split_once("_to_")
        .ok_or_else(|| CaseProblem::manifest(INFO, format!("the direction `{told}` is not of the form `A_to_B`")))?;
    Ok(Some((arch(INFO, works)?, arch(INFO, fails)?)))
}

/// The log of a case folder.
pub(super) fn log(folder: &Path) -> Option<Vec<u8>> {
    let logs = folder.join("logs");
    let named = LOGS.iter().map(|name| logs.join(name)).find(|path| path.is_file());
    let path = named.or_else(|| {
        let mut all = fs::read_dir(&logs)
            .ok()?
            .filter_map(Result::ok)
            .map(|entry| entry.path());
        let first = all.next()?;
        (all.next().is_none() && first.is_file()).then_some(first)
    })?;
    fs::read(path).ok().filter(|log| !log.is_empty())
}

/// The name of a case without its side, by which its two folders belong together.
pub(super) fn pair_name(folder: &Path) -> Option<String> {
    let manifest = json(folder, MANIFEST).ok()??;
    let id = manifest.get("case_id")?.as_str()?;
    let (name, _) = id.rsplit_once("--")?;
    Some(name.to_owned())
}

fn files(root: &Path) -> Result<Vec<PathBuf>, CaseProblem> {
    let mut files = Vec::new();
    for entry in WalkDir::new(root).sort_by_file_name() {
        let entry = entry.map_err(|error| CaseProblem::Package(std::io::Error::from(error).into()))?;
        if !entry.file_type().is_dir() {
            files.push(entry.path().strip_prefix(root).unwrap_or(entry.path()).to_owned());
        }
    }
    Ok(files)
}
