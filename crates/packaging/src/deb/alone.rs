//! A tree without upstream's archives beside it: one is made of the tree itself.

use std::path::Path;

use fs_err as fs;

use super::{
    base::{Base, Node},
    open::{Debian, SourceFormat, series_path},
    pack::{disk, settle, written},
    quilt::Series,
};
use crate::{PackageError, archive::Compression, package::stays_inside};

impl Debian {
    /// Makes upstream's archive of the tree without its packaging, the patches taken back by what their tools kept of the
    /// files before them. Without that nothing is made, and packing names the archive that is missing.
    pub(super) fn upstream_from_tree(
        &mut self,
        tree: &Path,
        name: &str,
        newest: Option<i64>,
    ) -> Result<(), PackageError> {
        let mut base = disk(tree, tree)?;
        if self.format == SourceFormat::Quilt && !take_back(&mut base, tree)? {
            return Ok(());
        }
        base.remove("debian");
        let time = newest.and_then(|time| u64::try_from(time).ok()).unwrap_or(0);
        settle(&mut base, time, None);
        let folder = name.split(".orig").next().unwrap_or(name).replace('_', "-");
        fs::write(
            self.files.join(name),
            written(&base, &folder, Compression::Gzip, time, name)?,
        )?;
        self.upstream.insert(0, (String::new(), name.to_owned()));
        self.notes
            .push(format!("there is no {name} beside the tree; it was made of the tree"));
        Ok(())
    }
}

/// Takes the patches of the series back, the last one first. No where a patch is not known to be applied.
fn take_back(base: &mut Base, tree: &Path) -> Result<bool, PackageError> {
    let Some(series) = series_path(|path| base.content(path).is_some()) else {
        return Ok(true);
    };
    let text = String::from_utf8_lossy(base.content(series.as_bytes()).unwrap_or_default()).into_owned();
    let listed: Vec<String> = Series::parse(&text).patches().map(str::to_owned).collect();
    let applied = fs::read_to_string(tree.join(".pc/applied-patches")).unwrap_or_default();
    if listed
        .iter()
        .any(|patch| !applied.lines().any(|line| line.trim() == patch))
    {
        return Ok(false);
    }
    for patch in listed.iter().rev() {
        let kept = format!(".pc/{patch}");
        stays_inside(tree, &kept)?;
        let folder = tree.join(&kept);
        if !folder.is_dir() {
            continue;
        }
        let before = disk(&folder, &folder)?;
        for (path, node) in before.nodes {
            let Node::File { content, mode, time } = node else {
                continue;
            };
            if path == b".timestamp" {
                continue;
            }
            // An empty one stands for a file that the patch makes.
            if content.is_empty() {
                base.nodes.remove(&path);
                continue;
            }
            let mode = match base.nodes.get(&path) {
                Some(Node::File { mode, .. }) => *mode,
                _ => mode,
            };
            base.nodes.insert(path, Node::File { content, mode, time });
        }
    }
    Ok(true)
}
