//! What a porter gets: the patch, the package with it, and a report for upstream.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use fs_err as fs;
use seatrial_core::{Arch, Evidence, Outcome, Verdict};
use seatrial_packaging::{
    Change, Kind, Package,
    deb::{Changelog, NewEntry, PatchHeader, version_above},
    rpm::Changes,
};

use crate::failure::Failure;

pub(super) const PATCH: &str = "repair.patch";
pub(super) const REPORT: &str = "report.md";
/// The package with the repair in it.
const PACKAGE: &str = "package";

/// A trial that has ended.
pub(super) struct Repaired<'a> {
    pub(super) output: &'a Path,
    pub(super) package: &'a Package,
    pub(super) patch: &'a str,
    pub(super) note: &'a str,
    pub(super) verdict: &'a Verdict,
    pub(super) target: Arch,
    pub(super) works_on: Option<Arch>,
}

/// Removes the package of an earlier repair.
pub(super) fn clear(output: &Path) -> Result<(), Failure> {
    match fs::remove_dir_all(output.join(PACKAGE)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Writes what there is to hand out, and says what.
pub(super) fn write(repaired: &Repaired<'_>) -> Result<Vec<String>, Failure> {
    let mut made = Vec::new();
    if repaired.patch.is_empty() {
        fs::write(
            repaired.output.join("explanation.txt"),
            format!("{}\n", repaired.note.trim_end()),
        )?;
        made.push("explanation.txt".to_owned());
    } else {
        fs::write(repaired.output.join(PATCH), repaired.patch)?;
        fs::write(repaired.output.join(REPORT), report(repaired))?;
        made.extend([PATCH.to_owned(), REPORT.to_owned()]);
        if repaired.verdict.outcome == Outcome::Passed {
            match pack(repaired) {
                Ok(recipe) => made.push(format!("{PACKAGE}/{recipe}")),
                // The patch is there and proved; a package that cannot be packed is told, not lost.
                Err(error) => made.push(format!("(no {PACKAGE}/: {error})")),
            }
        }
    }
    made.extend(["verdict.json", "journal.jsonl", "build.log"].map(str::to_owned));
    Ok(made)
}

fn who() -> String {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let name = set("DEBFULLNAME")
        .or_else(|| set("NAME"))
        .unwrap_or_else(|| "Seatrial".to_owned());
    let address = set("DEBEMAIL")
        .or_else(|| set("EMAIL"))
        .unwrap_or_else(|| "seatrial@localhost".to_owned());
    format!("{name} <{address}>")
}

/// What a patch of the package says of itself.
fn header(target: Arch, note: &str) -> PatchHeader {
    PatchHeader {
        name: format!("build-on-{target}.patch"),
        description: format!("Make it build on {target}\n{}", note.trim_end()),
        author: Some(who()),
        time: Some((seatrial_store::unix_millis() / 1000).cast_signed()),
        ..PatchHeader::default()
    }
}

/// Packs the repaired package, with a patch of its own and an entry in the changelog.
fn pack(repaired: &Repaired<'_>) -> Result<String, seatrial_packaging::PackageError> {
    let mut package = repaired.package.copy()?;
    package.apply(repaired.patch)?;
    let header = header(repaired.target, repaired.note);
    if let Ok(patched) = package.with_patch(repaired.package, &header)? {
        package = patched;
    }
    let (by, time) = (who(), (seatrial_store::unix_millis() / 1000).cast_signed());
    let what = format!("Make it build on {}.", repaired.target);
    match package.kind() {
        Kind::Debian => {
            package.record(&header)?;
            let path = package.root().join("debian/changelog");
            let mut changelog = Changelog::parse(&fs::read_to_string(&path)?)?;
            let version = version_above(package.version(), "port");
            changelog.add(&NewEntry {
                version: &version,
                distributions: None,
                changes: &[&what],
                by: &by,
                time,
            })?;
            fs::write(path, changelog.text())?;
        }
        Kind::Rpm => {
            let changes: Vec<PathBuf> = fs::read_dir(package.root())?
                .filter_map(|entry| Some(entry.ok()?.path()))
                .filter(|path| path.extension().is_some_and(|ending| ending == "changes"))
                .collect();
            if let [path] = changes.as_slice() {
                let mut changes = Changes::new(fs::read(path)?);
                changes.add(&by, time, &[&what])?;
                fs::write(path, changes.bytes())?;
            }
        }
    }
    package.refresh()?;
    let packed = package.pack_with(&repaired.output.join(PACKAGE), &header)?;
    Ok(packed
        .recipe
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default())
}

/// A text that a porter can send on.
fn report(repaired: &Repaired<'_>) -> String {
    let package = repaired.package;
    let mut text = format!(
        "# {} {}: a patch to build on {}\n\n",
        package.name(),
        package.version(),
        repaired.target
    );
    let proved = repaired.verdict.outcome == Outcome::Passed;
    if proved {
        text.push_str("With the patch below the package builds from clean:\n\n");
    } else {
        text.push_str("The patch below was **not** proved:\n\n");
    }
    for check in &repaired.verdict.checks {
        let _ = writeln!(text, "* {}: {}", check.name, check.detail);
        for evidence in &check.evidence {
            if let Evidence::File { path, size, what, .. } = evidence {
                let _ = writeln!(text, "    * {path}, {size} bytes: {what}");
            }
        }
    }
    if let Some(works_on) = repaired.works_on {
        let _ = write!(text, "\nIt built on {works_on} before.\n");
    }
    if !repaired.verdict.flags.is_empty() {
        text.push_str("\nWhat it gives up:\n\n");
        for flag in &repaired.verdict.flags {
            let _ = writeln!(text, "* {}: {}", flag.name, flag.detail);
        }
    }
    if !repaired.note.is_empty() {
        let _ = write!(text, "\n## Why\n\n{}\n", repaired.note.trim_end());
    }
    let _ = write!(text, "\n## Patch\n\n```diff\n{}```\n", repaired.patch);
    text
}

/// Writes a repair into the user's own folder. A file that is no longer what was repaired stops it before anything is
/// written.
pub(super) fn apply(
    folder: &Path,
    package: &Package,
    (target, note): (Arch, &str),
    patch: &str,
) -> Result<Vec<String>, Failure> {
    let folder = if folder.is_file() {
        folder.parent().unwrap_or(Path::new("."))
    } else {
        folder
    };
    let mut edited = package.copy()?;
    let report = edited.apply(patch)?;
    if package.kind() == Kind::Rpm {
        let patched = edited.with_patch(package, &header(target, note))?;
        return apply_flat(folder, &patched.unwrap_or(edited));
    }
    for file in &report.files {
        let (own, known) = (folder.join(&file.path), package.root().join(&file.path));
        if read_if_there(&own)? != read_if_there(&known)? {
            return Err(Failure::usage(format!(
                "{} was changed since the repair began, so nothing was written into {}\n  the repair is in the output \
                 folder: {PATCH}",
                own.display(),
                folder.display()
            )));
        }
    }
    let mut changed = Vec::new();
    for file in report.files {
        let own = folder.join(&file.path);
        if matches!(file.change, Change::Deleted) {
            fs::remove_file(&own)?;
        } else {
            put(&edited.root().join(&file.path), &own)?;
        }
        changed.push(file.path);
    }
    Ok(changed)
}

/// Writes the files of a flat folder that were made anew.
fn apply_flat(folder: &Path, edited: &Package) -> Result<Vec<String>, Failure> {
    let staging = tempfile::tempdir()?;
    let packed = edited.pack(&staging.path().join(PACKAGE))?;
    let mut changed = Vec::new();
    for file in &packed.files {
        let (new, own) = (packed.folder.join(&file.name), folder.join(&file.name));
        if read_if_there(&own)? != read_if_there(&new)? {
            put(&new, &own)?;
            changed.push(file.name.clone());
        }
    }
    Ok(changed)
}

fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Copies under another name first, so that a full disk leaves the old file.
fn put(from: &Path, to: &Path) -> Result<(), Failure> {
    let folder = to.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let temporary = tempfile::NamedTempFile::new_in(folder)?;
    fs::copy(from, temporary.path())?;
    temporary.persist(to).map_err(|error| error.error)?;
    Ok(())
}
