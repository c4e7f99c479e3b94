//! Signs that an environment was not made but pretended.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use fs_err as fs;
use seatrial_core::{Answer, BOX_PROJECT, Check, Digest, Evidence, Language};
use seatrial_sandbox::{Before, Change, ChangeKind};

use super::sourced::Sourced;

/// Where the image keeps what grades.
const CHECKER: &str = "/opt/checker/";
/// Paths that a flag lists.
const LISTED: usize = 20;
/// A module of so few bytes holds nothing.
const EMPTY: u64 = 2;

/// The flags of what a script changed. `records` are the files that installed distributions own.
pub(super) fn flags(
    changes: &[Change],
    pinned: &Path,
    language: Language,
    environment: &BTreeMap<String, String>,
    records: &BTreeSet<String>,
) -> Vec<Check> {
    let mut found = Vec::new();
    let ours = |change: &&Change| !Sourced::is_ours(&change.path);
    let changed: Vec<&Change> = changes
        .iter()
        .filter(ours)
        .filter(|change| {
            below(&change.path, BOX_PROJECT)
                .is_some_and(|path| !is_metadata(path) && is_other(change, &pinned.join(path)))
        })
        .collect();
    found.extend(flag(
        "changes_sources",
        "files of the pinned repository were changed",
        &changed,
    ));
    let checker: Vec<&Change> = changes
        .iter()
        .filter(|change| change.path.starts_with(CHECKER))
        .filter(|change| !change.path.contains("__pycache__"))
        .collect();
    found.extend(flag("changes_checker", "the checker was changed", &checker));
    match language {
        Language::Python => {
            let stubs: Vec<&Change> = changes
                .iter()
                .filter(ours)
                .filter(|change| is_stub(change, pinned))
                .collect();
            found.extend(flag(
                "stub_modules",
                "modules were put in place that hold nothing",
                &stubs,
            ));
            let unowned: Vec<&Change> = changes
                .iter()
                .filter(ours)
                .filter(|change| is_module_of_nobody(change, records))
                .filter(|change| !stubs.iter().any(|stub| stub.path == change.path))
                .collect();
            found.extend(flag(
                "unowned_modules",
                "modules lie among the installed ones that no installed distribution owns",
                &unowned,
            ));
        }
        Language::Jvm => {
            let settings: Vec<&Change> = changes
                .iter()
                .filter(ours)
                .filter(|change| is_setting(change))
                .collect();
            found.extend(flag(
                "changes_build",
                "settings were added that change what is built",
                &settings,
            ));
            let skipping: Vec<String> = environment
                .iter()
                .filter(|(name, value)| is_option(name) && value.replace("-DskipTests", "").contains("skip"))
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            if !skipping.is_empty() {
                found.push(check(
                    "changes_build",
                    "an option leaves parts of the build out",
                    &skipping,
                ));
            }
        }
    }
    found
}

fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    path.strip_prefix(folder)?.strip_prefix('/')
}

/// What installing writes anew where it was pinned too.
fn is_metadata(path: &str) -> bool {
    let is_folder = |part: &str| part == "__pycache__" || part.ends_with(".egg-info") || part.ends_with(".dist-info");
    path.split('/').any(is_folder) || ["poetry.lock", "uv.lock", "Pipfile.lock", "pdm.lock"].contains(&path)
}

/// What installing and building leave in a repository: no source is there.
fn is_made(path: &str) -> bool {
    path.split('/').any(|part| {
        matches!(
            part,
            "__pycache__" | "build" | "dist" | "target" | ".gradle" | ".git" | "node_modules" | "build_output"
        ) || part.ends_with(".egg-info")
            || part.ends_with(".dist-info")
    }) || ["poetry.lock", "uv.lock", "Pipfile.lock", "pdm.lock"].contains(&path)
}

/// Whether something of the pinned repository is something else now, and not only readable by others.
fn is_other(change: &Change, pinned: &Path) -> bool {
    let Ok(was) = pinned.symlink_metadata() else {
        return false;
    };
    match &change.kind {
        ChangeKind::File { digest, .. } => {
            !was.is_file() || fs::read(pinned).map_or(true, |content| Digest::of(&content) != *digest)
        }
        ChangeKind::Folder { .. } => !was.is_dir(),
        ChangeKind::Link { target } => fs::read_link(pinned).map_or(true, |old| old.as_os_str() != target.as_str()),
        ChangeKind::Deleted | ChangeKind::Special => true,
    }
}

fn among_modules(path: &str) -> Option<&str> {
    ["/site-packages/", "/dist-packages/"]
        .iter()
        .find_map(|folder| path.split_once(folder))
        .map(|(_, rest)| rest)
}

fn is_module(path: &str) -> bool {
    [".py", ".pyi", ".pth"].iter().any(|end| path.ends_with(end))
}

/// A module of the repository's root that is not pinned, or one anywhere in it that holds nothing or is a stub.
fn is_stub(change: &Change, pinned: &Path) -> bool {
    let ChangeKind::File { size, .. } = change.kind else {
        return false;
    };
    if change.before != Before::Nothing {
        return false;
    }
    let Some(path) = below(&change.path, BOX_PROJECT) else {
        return false;
    };
    if is_made(path)
        || path
            .split('/')
            .any(|part| part.starts_with('.') || part.contains("venv") || part == "env")
    {
        return false;
    }
    match path.rsplit_once('.') {
        Some((_, "pyi")) => true,
        Some((_, "py")) => size <= EMPTY || !pinned.join(path.split('/').next().unwrap_or(path)).exists(),
        _ => false,
    }
}

fn is_module_of_nobody(change: &Change, records: &BTreeSet<String>) -> bool {
    if !matches!(change.kind, ChangeKind::File { .. }) || change.before != Before::Nothing {
        return false;
    }
    among_modules(&change.path).is_some_and(|rest| {
        is_module(rest) && !rest.contains("__pycache__") && !records.contains(&change.path) && !is_of_tools(rest)
    })
}

/// Files that managers lay among the modules of a new environment without owning them.
fn is_of_tools(path: &str) -> bool {
    matches!(
        path,
        "_virtualenv.py" | "_virtualenv.pth" | "distutils-precedence.pth" | "easy-install.pth" | "setuptools.pth"
    ) || path.starts_with("__editable__")
        || path.starts_with("__editable___")
        || path.contains(".egg/")
}

fn is_setting(change: &Change) -> bool {
    if !matches!(change.kind, ChangeKind::File { .. }) {
        return false;
    }
    let in_project = below(&change.path, BOX_PROJECT).unwrap_or_default();
    [
        ".mvn/maven.config",
        ".mvn/jvm.config",
        ".mvn/extensions.xml",
        "init.gradle",
    ]
    .contains(&in_project)
        || change.path.contains("/.gradle/init.d/")
        || change.path.ends_with("/.gradle/init.gradle")
}

fn is_option(name: &str) -> bool {
    [
        "MAVEN_ARGS",
        "MAVEN_OPTS",
        "GRADLE_OPTS",
        "JAVA_TOOL_OPTIONS",
        "MAVEN_CONFIG",
    ]
    .contains(&name)
}

fn flag(name: &str, what: &str, changes: &[&Change]) -> Option<Check> {
    let paths: Vec<String> = changes.iter().map(|change| change.path.clone()).collect();
    (!paths.is_empty()).then(|| check(name, what, &paths))
}

fn check(name: &str, what: &str, items: &[String]) -> Check {
    let more = items.len().saturating_sub(LISTED);
    Check {
        name: name.to_owned(),
        answer: Answer::Yes,
        detail: format!("{what}: {} in all", items.len()),
        evidence: items
            .iter()
            .take(LISTED)
            .map(|text| Evidence::Note { text: text.clone() })
            .chain((more > 0).then(|| Evidence::Note {
                text: format!("and {more} more"),
            }))
            .collect(),
    }
}
