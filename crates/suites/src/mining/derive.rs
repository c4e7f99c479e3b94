//! One package, from its index entry to a task and its truth.

use fs_err as fs;
use seatrial_core::{CompileTruth, FilePin, Goal, PinnedSource, SourceKind, SuiteName, Task, TaskId, Truth, TruthBody};
use seatrial_source::{SourceError, SourcePackage};

use super::{
    Archive, MineError, MineOptions,
    candidates::Index,
    deb::{Label, labels, language},
    strata::{c_share, stratum},
};

/// A package that can be a task.
pub(super) struct Derived {
    pub(super) task: Task,
    pub(super) truth: Truth,
    pub(super) stratum: &'static str,
}

/// Why a source's files cannot all be had, when that is so. The inner reason leaves the package out.
pub(super) fn unavailable(source: &SourcePackage, archive: &dyn Archive) -> Result<Option<String>, MineError> {
    for file in &source.files {
        match archive.has(&source.directory, file) {
            Ok(true) => {}
            Ok(false) => return Ok(Some(format!("the mirror lacks {}", file.name))),
            Err(error) => return left_out(error).map(Some),
        }
    }
    Ok(None)
}

/// Derives; the outer error ends the mining, the inner one is the reason to leave the package out.
pub(super) fn derive(
    source: &SourcePackage,
    index: &Index<'_>,
    archive: &dyn Archive,
    options: &MineOptions,
) -> Result<Result<Derived, String>, MineError> {
    let expected = match expected(source, index, archive, options)? {
        Ok(expected) => expected,
        Err(reason) => return Ok(Err(reason)),
    };
    let mut pinned = PinnedSource {
        name: source.package.clone(),
        origin: SourceKind::Debian {
            package: source.package.clone(),
            version: source.version.clone(),
            directory: source.directory.clone(),
            files: source.files.clone(),
            packaging: false,
        },
        tree: None,
    };
    let tree = match archive.fetch(&pinned) {
        Ok(tree) => tree,
        Err(error) => return Ok(Err(left_out(error)?)),
    };
    let (share, bytes) = c_share(&tree.root);
    if bytes == 0 {
        return Ok(Err("no C or C++ sources".to_owned()));
    }
    if share < 0.5 {
        return Ok(Err("mostly in other languages than C and C++".to_owned()));
    }
    pinned.tree = Some(tree.digest);
    let id: TaskId = source.package.parse()?;
    let suite: SuiteName = "compile".parse()?;
    Ok(Ok(Derived {
        task: Task {
            id: id.clone(),
            suite,
            source: pinned,
            platform: options.platform.clone(),
            goal: Goal::Compile,
            budget: options.budget.clone(),
            blocked_sources: index.answer_keys(source),
        },
        truth: Truth {
            task: id,
            body: TruthBody::Compile(CompileTruth::of(expected)),
        },
        stratum: stratum(&tree.root),
    }))
}

/// The base names of the ELF programs and shared libraries of all binary packages, sorted.
fn expected(
    source: &SourcePackage,
    index: &Index<'_>,
    archive: &dyn Archive,
    options: &MineOptions,
) -> Result<Result<Vec<String>, String>, MineError> {
    let mut found: Vec<Label> = Vec::new();
    for binary in index.built_from(source) {
        let Some((directory, name)) = binary.filename.rsplit_once('/') else {
            return Ok(Err(format!("{} has no place in the archive", binary.package)));
        };
        let pin = FilePin {
            name: name.to_owned(),
            size: binary.size,
            sha256: binary.sha256.clone(),
        };
        let path = match archive.file(directory, &pin) {
            Ok(path) => path,
            Err(error) => return Ok(Err(left_out(error)?)),
        };
        match labels(&fs::read(path)?, options.platform.arch.elf_machine()) {
            Ok(labels) => found.extend(labels),
            Err(problem) => return Ok(Err(format!("{}: {problem}", binary.package))),
        }
    }
    if let Some(language) = found.iter().find_map(|label| language(&label.path)) {
        return Ok(Err(format!("has a binding whose name or place depends on {language}")));
    }
    let mut names: Vec<String> = found.into_iter().map(|label| label.name).collect();
    names.sort();
    names.dedup();
    if names.is_empty() {
        return Ok(Err("its packages hold no ELF program or shared library".to_owned()));
    }
    if names.len() > options.labels {
        return Ok(Err(format!("more than {} expected names", options.labels)));
    }
    Ok(Ok(names))
}

/// A file that is not there or not right is the package's fault; a network or disk that does not work is not.
fn left_out(error: SourceError) -> Result<String, MineError> {
    match error {
        SourceError::Unavailable(_) => Ok("the mirror lacks one of its files".to_owned()),
        SourceError::Verify { what, .. } => Ok(format!("{what} does not verify")),
        SourceError::Archive { archive, .. } => Ok(format!("{archive} cannot be unpacked safely")),
        other => Err(other.into()),
    }
}
