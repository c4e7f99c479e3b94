//! Edits of what an archive holds, as a patch that the spec file applies: how RPM packages are changed by those who do not own
//! the archive.

use fs_err as fs;

use super::{Flat, SectionKind, Spec};
use crate::{
    PackageError,
    deb::PatchHeader,
    diff::{self, Tree},
    package::Package,
};

/// The edits of one file, as a diff has them.
struct Edit<'a> {
    path: &'a str,
    text: &'a str,
}

/// The package as it came, with the edits that lead to another copy of it: those of the flat folder's own files as they are,
/// those of an archive as a patch beside the spec file, which names and applies it. After `%prep` the sources are the same as
/// with an archive that was made anew. The reason when this form is not possible.
pub(crate) fn as_patch(
    edited: &Package,
    pristine: &Package,
    header: &PatchHeader,
) -> Result<Result<Package, String>, PackageError> {
    let diff = edited.diff_from(pristine)?;
    let Some(edits) = edits(&diff) else {
        return Ok(Err("a file's name needs quotes in a patch".to_owned()));
    };
    let (packed, own): (Vec<&Edit<'_>>, Vec<&Edit<'_>>) =
        edits.iter().partition(|edit| pristine.archive_of(edit.path).is_some());
    let folders: Vec<String> = pristine
        .unpacked()
        .iter()
        .map(|(folder, _)| (*folder).to_owned())
        .collect();
    let spec = Flat::spec(pristine.root())?;
    let has_patches = spec.main_tags("patch").next().is_some()
        || spec
            .sections()
            .iter()
            .any(|section| section.kind == SectionKind::PatchList);
    let [folder] = folders.as_slice() else {
        return Ok(Err(
            "it has not one archive, so where a patch is applied is not clear".to_owned()
        ));
    };
    let why_not = if packed.is_empty() {
        Some("nothing of an archive was edited")
    } else if has_patches {
        Some("it has patches already, which are applied first")
    } else if packed.iter().any(|edit| edit.text.contains("\nGIT binary patch\n")) {
        Some("a file that is no text was edited")
    } else if pristine.root().join(&header.name).symlink_metadata().is_ok() {
        Some("there is a file with the patch's name")
    } else {
        None
    };
    if let Some(why_not) = why_not {
        return Ok(Err(why_not.to_owned()));
    }
    let mut made = pristine.copy()?;
    let own: String = own.iter().map(|edit| edit.text).collect();
    if !own.is_empty() {
        made.apply(&own)?;
    }
    let mut spec = Flat::spec(made.root())?;
    match spec.add_patch(&header.name) {
        Ok(added) if added.strip == 1 => {}
        Ok(_) => return Ok(Err("its patches are not applied with `-p1`".to_owned())),
        Err(error) => return Ok(Err(error.to_string())),
    }
    let patch: String = packed.iter().map(|edit| below(edit.text, folder)).collect();
    if !gives(&patch, folder, edited, pristine)? {
        return Ok(Err("the patch would not give the same sources".to_owned()));
    }
    write(&made, &spec, header, &patch)?;
    made.refresh()?;
    Ok(Ok(made))
}

fn write(made: &Package, spec: &Spec, header: &PatchHeader, patch: &str) -> Result<(), PackageError> {
    fs::write(made.root().join(&spec.file), spec.bytes())?;
    let mut text = header.description.trim_end().to_owned();
    if let Some(author) = &header.author {
        text.push_str("\n\nFrom: ");
        text.push_str(author);
    }
    text.push_str("\n\n");
    text.push_str(patch);
    Ok(fs::write(made.root().join(&header.name), text)?)
}

/// Whether the patch makes of the archive's folder what it is in the edited copy.
fn gives(patch: &str, folder: &str, edited: &Package, pristine: &Package) -> Result<bool, PackageError> {
    let copy = pristine.copy()?;
    let root = copy.root().join(folder);
    let scratch = tempfile::tempdir()?;
    if diff::apply(&root, scratch.path(), patch).is_err() {
        return Ok(false);
    }
    let digest = |root| Tree::list(root, |_| false)?.digest();
    Ok(digest(&root)? == digest(&edited.root().join(folder))?)
}

/// The files of a diff; none when a name stands in quotes.
fn edits(diff: &str) -> Option<Vec<Edit<'_>>> {
    let starts = diff
        .match_indices("diff --git ")
        .map(|(at, _)| at)
        .filter(|at| *at == 0 || diff.as_bytes().get(at - 1) == Some(&b'\n'));
    let starts: Vec<usize> = starts.chain([diff.len()]).collect();
    let mut edits = Vec::new();
    for pair in starts.windows(2) {
        let text = diff.get(*pair.first()?..*pair.last()?)?;
        // Both sides have one name.
        let names = text.lines().next()?.strip_prefix("diff --git a/")?;
        let path = names.get(..names.len().checked_sub(3)? / 2)?;
        if names != format!("{path} b/{path}") {
            return None;
        }
        edits.push(Edit { path, text });
    }
    Some(edits)
}

/// The same edit, told from within a folder.
fn below(edit: &str, folder: &str) -> String {
    let mut text = String::new();
    let mut is_head = true;
    for line in edit.split_inclusive('\n') {
        is_head &= !line.starts_with("@@ ");
        if is_head {
            let line = line.replacen(&format!("a/{folder}/"), "a/", 1);
            text.push_str(&line.replacen(&format!(" b/{folder}/"), " b/", 1));
        } else {
            text.push_str(line);
        }
    }
    text
}
