//! Case folders of Build-bench: one flat folder with the files of a package as a build service stores them, a manifest, and the
//! log of the build that failed.

use std::path::Path;

use fs_err as fs;
use seatrial_core::Arch;

use super::{
    CaseProblem,
    case::{Case, arch, inside, json, text},
};

const MANIFEST: &str = "manifest.json";
const LOG: &str = "log_failed.txt";
/// Beside it, when somebody has kept the log of the other side.
const WORKING_LOG: &str = "log_succeeded.txt";

pub(super) fn read(folder: &Path) -> Result<Case, CaseProblem> {
    let manifest = json(folder, MANIFEST)?.ok_or(CaseProblem::NoManifest)?;
    if let Some(version) = manifest.get("version").filter(|version| version.as_u64() != Some(1)) {
        return Err(CaseProblem::Version {
            found: version.to_string(),
            known: "1",
        });
    }
    let package = text(&manifest, MANIFEST, "/task/package")?.to_owned();
    let target = arch(MANIFEST, text(&manifest, MANIFEST, "/task/arch")?)?;
    let project = text(&manifest, MANIFEST, "/task/project")?;
    let told = |pointer: &str| {
        let value = manifest.pointer(pointer).and_then(serde_json::Value::as_str);
        value.unwrap_or("unknown").to_owned()
    };
    let mut notes = Vec::new();
    let listed = listed(&manifest)?;
    let mut sources = Vec::new();
    for (name, told) in &listed {
        let path = inside(MANIFEST, name)?;
        let found = match fs::symlink_metadata(folder.join(&path)) {
            Ok(metadata) if metadata.is_file() => metadata.len(),
            _ => return Err(CaseProblem::MissingFile(name.clone())),
        };
        if let Some(told) = told.filter(|told| *told != found) {
            return Err(CaseProblem::WrongSize {
                file: name.clone(),
                found,
                told,
            });
        }
        sources.push(path);
    }
    for name in others(folder)? {
        if listed.iter().all(|(listed, _)| *listed != name) {
            notes.push(format!(
                "`{name}` was left out: the manifest does not list it among the sources"
            ));
        }
    }
    let failed_log = fs::read(folder.join(LOG)).ok().filter(|log| !log.is_empty());
    Ok(Case {
        origin: format!(
            "imported: a case of Build-bench, {package} of {project}, revision {}, sources {}; the class is the diagnosis's",
            told("/task/rev"),
            told("/task/srcmd5")
        ),
        works_on: works_on(project, target),
        failed_log: failed_log.ok_or(CaseProblem::NoLog("`log_failed.txt`"))?,
        working_log: fs::read(folder.join(WORKING_LOG)).ok(),
        package,
        target,
        sources,
        root: folder.to_owned(),
        seconds: None,
        notes,
    })
}

/// The sources that the manifest lists, with the size where it is told: as a number, or as its digits.
fn listed(manifest: &serde_json::Value) -> Result<Vec<(String, Option<u64>)>, CaseProblem> {
    let files = manifest
        .get("files")
        .and_then(serde_json::Value::as_array)
        .filter(|files| !files.is_empty())
        .ok_or_else(|| CaseProblem::manifest(MANIFEST, "it lists no files at `/files`"))?;
    files
        .iter()
        .map(|file| {
            let size = file.get("size");
            let digits = size
                .and_then(serde_json::Value::as_str)
                .and_then(|text| text.parse().ok());
            Ok((
                text(file, MANIFEST, "/name")?.to_owned(),
                size.and_then(serde_json::Value::as_u64).or(digits),
            ))
        })
        .collect()
}

/// Files of the folder that are no notes of the benchmark.
fn others(folder: &Path) -> Result<Vec<String>, CaseProblem> {
    let read = || -> std::io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(folder)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if ![MANIFEST, LOG, WORKING_LOG].contains(&name.as_str()) {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    };
    read().map_err(|error| CaseProblem::Package(error.into()))
}

/// Where the package builds: what the project's name says, else the other one of the benchmark's two architectures.
fn works_on(project: &str, target: Arch) -> Option<Arch> {
    let name = project.rsplit(':').next().unwrap_or(project).to_lowercase();
    let told = match name.split_once("_succe").map(|(side, _)| side) {
        Some("x86" | "x86_64") => Some(Arch::X86_64),
        Some("arm" | "arm64" | "aarch64") => Some(Arch::Aarch64),
        _ => None,
    };
    let other = match target {
        Arch::Aarch64 => Some(Arch::X86_64),
        Arch::X86_64 => Some(Arch::Aarch64),
        Arch::Riscv64 | Arch::Ppc64le | Arch::S390x | Arch::I686 | Arch::Armv7l => None,
    };
    told.filter(|told| *told != target).or(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_package_builds_is_read_from_the_project_or_is_the_other_side() {
        for (project, target, works_on_there) in [
            ("home:someone:x86_succeed_pro", Arch::Aarch64, Some(Arch::X86_64)),
            ("home:someone:arm_succeed_pro", Arch::X86_64, Some(Arch::Aarch64)),
            ("home:someone:tools", Arch::X86_64, Some(Arch::Aarch64)),
            ("home:someone:x86_succeed_pro", Arch::Riscv64, Some(Arch::X86_64)),
            ("home:someone:arm_succeed_pro", Arch::Aarch64, Some(Arch::X86_64)),
            ("tools", Arch::S390x, None),
        ] {
            assert_eq!(works_on(project, target), works_on_there, "{project} {target}");
        }
    }
}
