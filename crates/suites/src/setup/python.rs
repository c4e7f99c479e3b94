//! What a Python repository does not find in the environment: a checker from outside of it reads every import.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    path::Path,
};

use fs_err as fs;
use seatrial_core::{BOX_PROJECT, Digest, EventSink};
use seatrial_sandbox::Status;
use serde::Deserialize;

use super::{driver::DESK, sourced::Sourced};
use crate::{
    SuiteError,
    running::{helper, read_if_there},
};

/// The checker of the image, with its own Node.
const CHECKER: &str = "/opt/checker/bin/node /opt/checker/node_modules/pyright/index.js";
/// Where its report lies.
const REPORT: &str = "/build/setup/report.json";
/// Bytes of a report that are read.
const REPORT_LIMIT: u64 = 512 << 20;
/// The configuration in the repository's root that the checker reads before any other.
const CONFIG: &str = "/data/project/pyrightconfig.json";
/// Only imports are asked for; a file of the repository cannot change what is asked.
const SETTINGS: &str = "{\"typeCheckingMode\": \"off\", \"reportMissingImports\": \"error\",
\"reportMissingModuleSource\": \"warning\", \"pythonPlatform\": \"Linux\"}\n";

/// The checker's rules that count.
const MISSING: &str = "reportMissingImports";
const STUB_ONLY: &str = "reportMissingModuleSource";

/// What the checker said.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Imports {
    /// Imports that nothing answers, one for each place, as `file:line: module`.
    pub(super) missing: Vec<String>,
    /// The modules, by their first component.
    pub(super) packages: BTreeSet<String>,
    /// Imports that a stub answers and no code.
    pub(super) stubs: Vec<String>,
    /// Files that were read.
    pub(super) files: u64,
}

#[derive(Deserialize)]
struct Report {
    #[serde(default, rename = "generalDiagnostics")]
    diagnostics: Vec<Diagnostic>,
    summary: Summary,
}

#[derive(Deserialize)]
struct Summary {
    #[serde(default, rename = "filesAnalyzed")]
    files: u64,
}

#[derive(Deserialize)]
struct Diagnostic {
    #[serde(default)]
    file: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    rule: Option<String>,
    #[serde(default)]
    range: Option<Range>,
}

#[derive(Deserialize)]
struct Range {
    start: Start,
}

#[derive(Deserialize)]
struct Start {
    line: u64,
}

impl Imports {
    /// Reads a report; `None` when it is none.
    pub(super) fn read(report: &[u8]) -> Option<Self> {
        let report: Report = serde_json::from_slice(report).ok()?;
        let mut imports = Self {
            files: report.summary.files,
            ..Self::default()
        };
        for diagnostic in report.diagnostics {
            let rule = diagnostic.rule.as_deref();
            if rule != Some(MISSING) && rule != Some(STUB_ONLY) {
                continue;
            }
            let module = diagnostic.message.split('"').nth(1).unwrap_or_default().to_owned();
            let file = diagnostic.file.strip_prefix(BOX_PROJECT).unwrap_or(&diagnostic.file);
            let line = diagnostic.range.map_or(0, |range| range.start.line + 1);
            let place = format!("{}:{line}: {module}", file.trim_start_matches('/'));
            if rule == Some(STUB_ONLY) {
                imports.stubs.push(place);
                continue;
            }
            imports.missing.push(place);
            let first = module.split('.').find(|part| !part.is_empty());
            imports.packages.extend(first.map(str::to_owned));
        }
        Some(imports)
    }
}

/// How a check ended.
pub(super) enum Checked {
    /// With a report.
    Report(Imports, Digest),
    /// The environment has no Python.
    NoPython(Digest),
    /// The checker broke off. What it wrote is kept.
    Broke(Status, Digest),
}

/// Asks the checker for what the script's environment lacks.
///
/// The configuration is laid into the root only now, and over one of the repository: earlier the script could have changed it.
pub(super) fn check(sourced: &mut Sourced<'_>, events: &mut dyn EventSink) -> Result<Checked, SuiteError> {
    helper(
        sourced.bed.sandbox.as_mut(),
        "making room for the checker's settings",
        &format!("rm -rf {CONFIG}"),
    )?;
    sourced.bed.sandbox.write_file(CONFIG, SETTINGS.as_bytes(), 0o644)?;
    let mut script = String::from("python=$(command -v python || command -v python3) || exit 111\n");
    let _ = write!(
        script,
        "exec /usr/bin/env -i HOME=/root PATH=/usr/bin:/bin {CHECKER} --outputjson -p {CONFIG} --pythonpath \"$python\" > {REPORT}"
    );
    let command = sourced.command(&script);
    let (execution, log) = sourced.bed.run(&command, "check", events)?;
    if execution.status == Status::Exited(111) {
        return Ok(Checked::NoPython(log));
    }
    // It exits with 1 when it found something, with more when it could not look.
    let report = match execution.status {
        Status::Exited(0 | 1) => read_if_there(sourced.bed.sandbox.as_mut(), REPORT, REPORT_LIMIT)?,
        _ => None,
    };
    let Some(bytes) = report else {
        return Ok(Checked::Broke(execution.status, log));
    };
    let mut writer = sourced.bed.request.blobs.writer()?;
    std::io::Write::write_all(&mut writer, &bytes)?;
    let (digest, _) = writer.finish()?;
    Ok(match Imports::read(&bytes) {
        Some(imports) => Checked::Report(imports, digest),
        None => Checked::Broke(execution.status, digest),
    })
}

/// What really ran.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ran {
    pub(super) imports: u64,
    pub(super) imports_asked: u64,
    pub(super) tools: u64,
    pub(super) tools_asked: u64,
}

/// Imports the repository's own packages with the script's Python, and asks its console scripts for help. These are
/// figures, no verdict: a package may need a display, or settings of its user.
pub(super) fn probe(sourced: &mut Sourced<'_>, root: &Path, events: &mut dyn EventSink) -> Result<Ran, SuiteError> {
    let modules = own_modules(root)?;
    sourced
        .bed
        .sandbox
        .write_file(&format!("{DESK}/probe.py"), PROBE.as_bytes(), 0o644)?;
    let command = sourced.command(&format!(
        "exec \"$(command -v python || command -v python3)\" {DESK}/probe.py {BOX_PROJECT} {DESK}/probe.txt {}",
        modules.join(" ")
    ));
    sourced.bed.run(&command, "probe", events)?;
    let answer =
        read_if_there(sourced.bed.sandbox.as_mut(), &format!("{DESK}/probe.txt"), 1 << 20)?.unwrap_or_default();
    let numbers: BTreeMap<String, u64> = String::from_utf8_lossy(&answer)
        .lines()
        .filter_map(|line| {
            let (name, number) = line.split_once(' ')?;
            Some((name.to_owned(), number.parse().ok()?))
        })
        .collect();
    let number = |name: &str| numbers.get(name).copied().unwrap_or_default();
    Ok(Ran {
        imports: number("imports"),
        imports_asked: modules.len() as u64,
        tools: number("tools"),
        tools_asked: number("tools_asked"),
    })
}

/// Runs in the box: each import and each tool is a process of its own, with a time limit.
const PROBE: &str = include_str!("probe.py");

/// Names that a root's own modules do not have.
const NO_PACKAGES: [&str; 14] = [
    "test",
    "tests",
    "testing",
    "doc",
    "docs",
    "example",
    "examples",
    "benchmark",
    "benchmarks",
    "script",
    "scripts",
    "tools",
    "build",
    "dist",
];

/// The packages and modules that a repository has at its root, or below `src`.
fn own_modules(root: &Path) -> Result<Vec<String>, SuiteError> {
    let mut found = BTreeSet::new();
    for folder in [root.to_owned(), root.join("src")] {
        if !folder.is_dir() {
            continue;
        }
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = entry.path();
            let is_name = |name: &str| {
                !name.is_empty()
                    && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                    && !NO_PACKAGES.contains(&name)
            };
            if is_name(&name) && path.join("__init__.py").is_file() {
                found.insert(name);
            } else if folder != root
                && let Some(stem) = name.strip_suffix(".py").filter(|stem| is_name(stem))
            {
                found.insert(stem.to_owned());
            }
        }
    }
    Ok(found.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_packages_of_a_report() {
        let report = br#"{"version": "1", "generalDiagnostics": [
            {"file": "/data/project/hull/a.py", "severity": "error", "message": "Import \"yaml.nodes\" could not be resolved",
             "range": {"start": {"line": 2, "character": 0}, "end": {"line": 2, "character": 4}}, "rule": "reportMissingImports"},
            {"file": "/data/project/hull/b.py", "severity": "error", "message": "Import \"yaml\" could not be resolved",
             "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 4}}, "rule": "reportMissingImports"},
            {"file": "/data/project/hull/b.py", "severity": "warning", "message": "Import \"six\" could not be resolved from source",
             "range": {"start": {"line": 4, "character": 0}, "end": {"line": 4, "character": 4}}, "rule": "reportMissingModuleSource"},
            {"file": "/data/project/hull/b.py", "severity": "error", "message": "else", "rule": "reportUndefinedVariable"}],
            "summary": {"filesAnalyzed": 7, "errorCount": 3}}"#;
        let imports = Imports::read(report).unwrap();
        assert_eq!(imports.missing, ["hull/a.py:3: yaml.nodes", "hull/b.py:1: yaml"]);
        assert_eq!(imports.packages.into_iter().collect::<Vec<_>>(), ["yaml"]);
        assert_eq!((imports.stubs.len(), imports.files), (1, 7));
        assert_eq!(Imports::read(b"No configuration file found."), None);
    }

    #[test]
    fn a_repository_s_own_modules() {
        let root = tempfile::tempdir().unwrap();
        for file in [
            "hull/__init__.py",
            "tests/__init__.py",
            "src/keel/__init__.py",
            "src/rib.py",
            "setup.py",
            "data/x.py",
            "my-notes/__init__.py",
        ] {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        assert_eq!(own_modules(root.path()).unwrap(), ["hull", "keel", "rib"]);
    }
}
