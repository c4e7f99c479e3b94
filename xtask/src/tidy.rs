//! All rules over the whole checkout.

use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::{
    dependencies,
    finding::{Finding, Level},
    layers,
    metadata::Metadata,
    sources, words,
};

/// Folders that hold no text of the project.
const SKIPPED_FOLDERS: [&str; 4] = ["target", ".git", "seatrial-out", "node_modules"];
/// Written by tools; Cargo's lock file names its registry in every paragraph.
const SKIPPED_FILES: [&str; 1] = ["Cargo.lock"];

/// Runs every rule, prints what was found, and returns whether nothing has to be mended.
pub(crate) fn run(root: &Path) -> anyhow::Result<bool> {
    let members = Metadata::of_workspace(root)?;
    let mut findings = layers::check(&members);
    findings.extend(dependencies::lints(root, &members)?);
    let lock = std::fs::read_to_string(root.join("Cargo.lock")).context("cannot read Cargo.lock")?;
    findings.extend(dependencies::lock_file(&lock));
    match Metadata::with_dependencies(root) {
        Ok(metadata) => findings.extend(dependencies::licences(&metadata)),
        // A breach that is found already may be the cause, as a cycle is; so this must not hide it.
        Err(error) => findings.push(Finding::error(
            "Cargo.lock",
            "licence",
            format!("the dependencies cannot be read: {error:#}"),
            "Mend what cargo complains about; `cargo fetch --locked` downloads what is missing.",
        )),
    }
    findings.extend(texts(root)?);
    let errors = findings.iter().filter(|finding| finding.level == Level::Error).count();
    for finding in &findings {
        println!("{finding}");
    }
    println!("tidy: {errors} errors, {} warnings", findings.len() - errors);
    Ok(errors == 0)
}

/// The rules for single files.
fn texts(root: &Path) -> anyhow::Result<Vec<Finding>> {
    let mut files = Vec::new();
    collect(root, &mut files)?;
    files.sort();
    let mut texts = Vec::new();
    for file in files {
        let bytes = match std::fs::read(&file) {
            Ok(bytes) => bytes,
            // Somebody's editor may have removed it since the folder was read.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", file.display())),
        };
        // Fixtures may be binary; they hold no words.
        let Ok(text) = String::from_utf8(bytes) else {
            continue;
        };
        let path = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().into_owned();
        let is_rust = file.extension().is_some_and(|extension| extension == "rs") && !path.contains("/fixtures/");
        texts.push((path, text, is_rust));
    }
    let sources = || texts.iter().filter(|(_, _, is_rust)| *is_rust);
    let test_modules: Vec<String> = sources()
        .flat_map(|(path, text, _)| sources::test_modules(path, text))
        .collect();
    let mut findings: Vec<Finding> = sources()
        .flat_map(|(path, text, _)| sources::check(path, text, &test_modules))
        .collect();
    findings.extend(texts.iter().flat_map(|(path, text, _)| words::check(path, text)));
    Ok(findings)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot read {}", folder.display()))?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let kind = entry.file_type()?;
        if kind.is_dir() && !SKIPPED_FOLDERS.contains(&name.as_ref()) {
            collect(&entry.path(), files)?;
        } else if kind.is_file() && !SKIPPED_FILES.contains(&name.as_ref()) {
            files.push(entry.path());
        }
    }
    Ok(())
}
