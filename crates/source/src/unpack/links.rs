//! Where symbolic links lead.

use std::{
    collections::VecDeque,
    ffi::OsString,
    path::{Path, PathBuf},
};

use fs_err as fs;
use walkdir::WalkDir;

use crate::SourceError;

/// Linux gives up after so many links on one way.
const MOST_HOPS: usize = 40;

/// Refuses a tree in which a symbolic link leads out, be it through other links. `exempt` is a folder at the top whose
/// links are not looked at.
///
/// Reading the targets alone is not enough: `a/b/l -> ../..` makes `x -> a/b/l/..` lead out although neither does so by
/// its text. So each link is followed on the finished tree, step by step, without ever touching what is outside.
pub(crate) fn check_links(root: &Path, archive: &str, exempt: Option<&str>) -> Result<(), SourceError> {
    let walk = WalkDir::new(root)
        .min_depth(1)
        .into_iter()
        .filter_entry(|entry| !(entry.depth() == 1 && exempt.is_some_and(|name| entry.file_name() == name)));
    for entry in walk {
        let entry = entry.map_err(std::io::Error::from)?;
        if !entry.path_is_symlink() {
            continue;
        }
        let link = entry.path().strip_prefix(root).unwrap_or(entry.path());
        if leads_out(root, link)? {
            let target = fs::read_link(entry.path())?;
            return Err(SourceError::Archive {
                archive: archive.to_owned(),
                problem: format!(
                    "the link `{}` leads out of the tree (to `{}`)",
                    link.display(),
                    target.display()
                ),
            });
        }
    }
    Ok(())
}

/// Follows one link, given relative to the root.
fn leads_out(root: &Path, link: &Path) -> Result<bool, SourceError> {
    let mut at: Vec<OsString> = Vec::new();
    let mut ahead: VecDeque<OsString> = link.components().map(|part| part.as_os_str().to_owned()).collect();
    let mut hops = 0;
    while let Some(part) = ahead.pop_front() {
        if part == "." {
            continue;
        }
        if part == ".." {
            if at.pop().is_none() {
                return Ok(true);
            }
            continue;
        }
        at.push(part);
        let here: PathBuf = root.join(at.iter().collect::<PathBuf>());
        // What is not there could come to be there later, so the way is followed on as if it were a folder.
        let is_link = here.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
        if !is_link {
            continue;
        }
        hops += 1;
        if hops > MOST_HOPS {
            return Ok(false);
        }
        let target = fs::read_link(&here)?;
        if target.is_absolute() {
            return Ok(true);
        }
        at.pop();
        for part in target.components().rev() {
            ahead.push_front(part.as_os_str().to_owned());
        }
    }
    Ok(false)
}
