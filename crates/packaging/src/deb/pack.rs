//! Debian's source packages, made of an edited tree.

use std::path::Path;

use fs_err as fs;

use super::{
    PatchHeader, Series,
    base::{Base, Before, Node, Top},
    description,
    open::{
        Debian, SourceFormat, apply_series, changelog_of, control_of, is_work, place, series_path, tar_of,
        upstream_version, without_epoch,
    },
};
use crate::{
    PackageError,
    archive::{self, Compression},
    diff::{File, NONE, hunks},
    package::no_link_on_the_way,
};

/// Files of a packed package, the description last.
pub(crate) type PackedFiles = Vec<(String, Vec<u8>)>;

/// An edit of one file: the path, what it was, what it is.
type Edit = (Vec<u8>, Option<File>, Option<File>);

/// What becomes of a tree of the format `3.0 (quilt)`.
struct Plan {
    /// The packaging with our patch in it.
    packaging: Base,
    /// Our patch: its name, and the files as they were before it.
    patch: Option<(String, Before)>,
    /// What the patches before ours found.
    applied: Vec<(String, Before)>,
}

impl Debian {
    /// The files of the packed package. `untouched` says that nothing was edited since it was opened.
    pub(crate) fn pack(&self, tree: &Path, header: &PatchHeader, untouched: bool) -> Result<PackedFiles, PackageError> {
        if let (true, Some((name, control))) = (untouched, &self.description) {
            let mut files = Vec::new();
            for file in description::files(name, control)? {
                let content = fs::read(self.files.join(&file.name))?;
                files.push((file.name, content));
            }
            files.push((name.clone(), fs::read(self.files.join(name))?));
            return Ok(files);
        }
        let (control, changelog) = (control_of(tree)?, changelog_of(tree)?);
        let source = control.get(0, "Source").unwrap_or_default();
        let top = changelog.top();
        if top.package != source {
            return Err(PackageError::recipe(
                "debian/changelog",
                format!("it is for `{}`, and debian/control for `{source}`", top.package),
            ));
        }
        let own = format!("{source}_{}", without_epoch(&top.version));
        let time = top.time.and_then(|time| u64::try_from(time).ok()).unwrap_or(0);
        let mut files = PackedFiles::new();
        let compression = self.compression();
        match self.format {
            SourceFormat::Native | SourceFormat::OldNative => {
                let folder = format!("{source}-{}", without_epoch(&top.version));
                let mut whole = disk(tree, tree)?;
                settle(&mut whole, time, self.packed_before(Top::LeftOut)?.as_ref());
                let name = format!("{own}.tar.{}", ending(compression));
                files.push((name.clone(), written(&whole, &folder, compression, time, &name)?));
            }
            SourceFormat::Quilt => {
                self.pass_upstream(&source, &top.version, &mut files)?;
                let mut packaging = self.plan(tree, header)?.packaging;
                settle(&mut packaging, time, self.packed_before(Top::Kept)?.as_ref());
                let name = format!("{own}.debian.tar.{}", ending(compression));
                files.push((name.clone(), written(&packaging, "", compression, time, &name)?));
            }
            SourceFormat::Old => {
                self.pass_upstream(&source, &top.version, &mut files)?;
                let label = format!("{source}-{}", upstream_version(&top.version));
                let mut base = self.upstream_base()?;
                let now = disk(tree, tree)?;
                let name = format!("{own}.diff.gz");
                let patch = text(&edits(&base, &now, |_| false), Style::Plain(&label))?;
                base.patch(&name, &patch)?;
                base.rules_run();
                same(&base, &now, |_| false)?;
                let packed = archive::close(Compression::Gzip, patch).map_err(PackageError::archive(&name))?;
                files.push((name, packed));
            }
        }
        let before = self.description.as_ref().map(|(_, control)| control);
        let description = description::write(self.format.name(), &top.version, &control, before, &files);
        files.push((format!("{own}.dsc"), description.into_bytes()));
        Ok(files)
    }

    /// How what we make is compressed: as it was, but never by what is only read for old times' sake.
    fn compression(&self) -> Compression {
        let by_name = self.packaging.as_deref().and_then(archive::by_name);
        match by_name {
            Some((_, _, compression)) if compression != Compression::Lzma => compression,
            _ if self.format == SourceFormat::OldNative => Compression::Gzip,
            _ => Compression::Xz,
        }
    }

    /// The archive that is made anew, as it came.
    fn packed_before(&self, top: Top) -> Result<Option<Base>, PackageError> {
        let Some(name) = &self.packaging else {
            return Ok(None);
        };
        let mut base = Base::default();
        base.lay(self.archive(name)?, "", top);
        Ok(Some(base))
    }

    /// Upstream's archives go along byte for byte.
    fn pass_upstream(&self, source: &str, version: &str, files: &mut PackedFiles) -> Result<(), PackageError> {
        let start = format!("{source}_{}.orig", upstream_version(version));
        let misses = |file: String| PackageError::MissingFile {
            recipe: "debian/changelog".to_owned(),
            file,
        };
        if !self.upstream.iter().any(|(part, _)| part.is_empty()) {
            return Err(misses(format!("{start}.tar.*")));
        }
        for name in self.upstream.iter().map(|(_, name)| name).chain(&self.signatures) {
            if !name.starts_with(&start) {
                return Err(misses(format!("{start}.tar.* (there is {name})")));
            }
            files.push((name.clone(), fs::read(self.files.join(name))?));
        }
        Ok(())
    }

    /// Turns edits of upstream's files into one patch.
    ///
    /// When the list of patches was edited as well, what the tree lacks of them is not an edit: a tree that was not touched
    /// follows its patches, and edits that fit on top of them are put there. Otherwise the tree is what counts.
    fn plan(&self, tree: &Path, header: &PatchHeader) -> Result<Plan, PackageError> {
        let now = disk(tree, tree)?;
        let is_packaging = |path: &[u8]| path.starts_with(b"debian/") || path == b"debian";
        let mut packaging = Base::default();
        for (path, node) in now.nodes.iter().filter(|(path, _)| is_packaging(path)) {
            packaging.nodes.insert(path.clone(), node.clone());
        }
        let mut upstream = self.upstream_base()?;
        upstream.remove("debian");
        let mut stacked = upstream.clone();
        stacked.nodes.extend(packaging.nodes.clone());
        let applied = apply_series(&mut stacked)?;
        let mut goal = now;
        let mut changed = edits(&stacked, &goal, is_packaging);
        if !changed.is_empty() && self.patches != patches_of(&packaging) {
            let mut opened = upstream;
            for (path, content) in &self.patches {
                let node = Node::File {
                    content: content.clone(),
                    mode: 0o644,
                    time: 0,
                };
                opened.nodes.insert(path.clone(), node);
            }
            if apply_series(&mut opened).is_ok() {
                let direct = edits(&opened, &goal, is_packaging);
                let mut both = stacked.clone();
                if direct.is_empty() || both.patch("the edits", &text(&direct, Style::Git)?).is_ok() {
                    goal = both;
                    changed = edits(&stacked, &goal, is_packaging);
                }
            }
        }
        if changed.is_empty() {
            return Ok(Plan {
                packaging,
                patch: None,
                applied,
            });
        }
        let series = series_path(|path| packaging.content(path).is_some()).unwrap_or("debian/patches/series");
        let listed = packaging.content(series.as_bytes()).unwrap_or_default().to_vec();
        let listed = String::from_utf8(listed).map_err(|_| PackageError::recipe(series, "it is no UTF-8"))?;
        let mut listed = Series::parse(&listed);
        let file = |name: &str| format!("debian/patches/{name}");
        let name = header.free_name(|name| packaging.nodes.contains_key(file(name).as_bytes()));
        let body = [header.text().into_bytes(), text(&changed, Style::Git)?].concat();
        let before = stacked.patch(&file(&name), &body)?;
        same(&stacked, &goal, is_packaging)?;
        listed.push(&name);
        for (path, content) in [
            (file(&name), body),
            (series.to_owned(), listed.text().as_bytes().to_vec()),
        ] {
            let node = Node::File {
                content,
                mode: 0o644,
                time: u64::MAX,
            };
            packaging.nodes.insert(path.into_bytes(), node);
        }
        Ok(Plan {
            packaging,
            patch: Some((name, before)),
            applied,
        })
    }

    /// Writes edits of upstream's files into the tree as one patch of its own, so that the tree is complete by itself. Says
    /// the patch's name; none when nothing was edited, or when the format has no patches.
    pub(crate) fn record(&mut self, tree: &Path, header: &PatchHeader) -> Result<Option<String>, PackageError> {
        if self.format != SourceFormat::Quilt {
            return Ok(None);
        }
        let plan = self.plan(tree, header)?;
        let Some((name, before)) = plan.patch else {
            return Ok(None);
        };
        for path in plan
            .packaging
            .nodes
            .keys()
            .filter(|path| path.starts_with(b"debian/patches/"))
        {
            no_link_on_the_way(tree, &place(tree, path))?;
        }
        fs::create_dir_all(tree.join("debian/patches"))?;
        for (path, node) in &plan.packaging.nodes {
            if let Node::File {
                content,
                time: u64::MAX,
                ..
            } = node
            {
                fs::write(place(tree, path), content)?;
            }
        }
        let mut applied = plan.applied;
        applied.push((name.clone(), before));
        quilt_work(tree, &applied)?;
        self.patches = patches_of(&plan.packaging);
        Ok(Some(name))
    }
}

fn ending(compression: Compression) -> &'static str {
    match compression {
        Compression::Gzip => "gz",
        Compression::Bzip2 => "bz2",
        Compression::Zstd => "zst",
        Compression::Lzma => "lzma",
        Compression::None | Compression::Xz => "xz",
    }
}

pub(super) fn written(
    base: &Base,
    folder: &str,
    compression: Compression,
    time: u64,
    name: &str,
) -> Result<Vec<u8>, PackageError> {
    let mut archive = base.archive(folder, compression);
    for entry in &mut archive.entries {
        // Times of folders and links say when somebody unpacked the package.
        if matches!(entry.kind, archive::EntryKind::Folder | archive::EntryKind::Link(_)) {
            entry.time = time;
        }
    }
    archive.write().map_err(PackageError::archive(name))
}

/// A part of the tree on the disk, without what tools left there.
pub(super) fn disk(tree: &Path, part: &Path) -> Result<Base, PackageError> {
    let found = archive::read_folder(part).map_err(PackageError::archive("the tree"))?;
    let found = found.into_iter().filter(|entry| !is_work(&entry.path())).collect();
    let prefix = part.strip_prefix(tree).unwrap_or(part).to_string_lossy().into_owned();
    let mut base = Base::default();
    base.lay(tar_of(found), &prefix, Top::Kept);
    Ok(base)
}

/// Modes and times as packages have them: the same for everybody who packs, and nothing from after the last entry of the
/// changelog. What was edited is as old as that entry, and what was not keeps its time.
pub(super) fn settle(base: &mut Base, newest: u64, before: Option<&Base>) {
    for (path, node) in &mut base.nodes {
        match node {
            Node::File { content, mode, time } => {
                *mode = if *mode & 0o100 == 0 { 0o644 } else { 0o755 };
                let old = before.map(|before| before.nodes.get(path));
                let known = match old {
                    Some(Some(Node::File { content: was, time, .. })) if was == content => *time,
                    Some(_) => newest,
                    None => *time,
                };
                *time = known.min(newest);
            }
            Node::Folder { mode } => *mode = 0o755,
            Node::Link { .. } => {}
        }
    }
}

fn patches_of(base: &Base) -> std::collections::BTreeMap<Vec<u8>, Vec<u8>> {
    let is_patch = |path: &&Vec<u8>| path.starts_with(b"debian/patches/");
    let paths = base.nodes.keys().filter(is_patch);
    paths
        .filter_map(|path| Some((path.clone(), base.content(path)?.to_vec())))
        .collect()
}

/// What leads from one tree to another, but for what `skip` says yes to.
fn edits(old: &Base, new: &Base, skip: impl Fn(&[u8]) -> bool) -> Vec<Edit> {
    let mut paths: Vec<&Vec<u8>> = old.nodes.keys().chain(new.nodes.keys()).collect();
    paths.sort();
    paths.dedup();
    paths
        .into_iter()
        .filter(|path| !skip(path) && !is_work(path))
        .map(|path| (path.clone(), old.file(path), new.file(path)))
        .filter(|(_, old, new)| old != new)
        .collect()
}

/// Refuses a result that is not the tree.
fn same(result: &Base, goal: &Base, skip: impl Fn(&[u8]) -> bool) -> Result<(), PackageError> {
    match edits(result, goal, skip).first() {
        None => Ok(()),
        Some((path, ..)) => Err(PackageError::not_representable(
            archive::shown(path),
            "its edit cannot be held by a patch of this package's format; edit it by a line in debian/rules instead",
        )),
    }
}

/// How a patch is written.
#[derive(Clone, Copy)]
enum Style<'a> {
    /// With `a/` and `b/`, and with git's header where a mode must be told.
    Git,
    /// As the old format has it, with names of folders; it has no modes.
    Plain(&'a str),
}

/// A patch of the edits. What no patch can hold is refused by name.
fn text(edits: &[Edit], style: Style<'_>) -> Result<Vec<u8>, PackageError> {
    let mut patch = Vec::new();
    // `patch` takes a header without lines for one of the file that comes next, so these go to the end.
    let mut modes = Vec::new();
    for (path, old, new) in edits {
        let shown = archive::shown(path);
        let refuse = |what: &str| Err(PackageError::not_representable(&shown, what));
        if [old, new].into_iter().flatten().any(File::is_link) {
            return refuse("a link was made, changed or removed, which no patch can hold; do it in debian/rules");
        }
        let content = |file: &Option<File>| file.as_ref().map_or(Vec::new(), |file| file.content().to_vec());
        let (before, after) = (content(old), content(new));
        if before.contains(&0) || after.contains(&0) {
            return refuse("a binary file was changed, which no patch can hold; make it in debian/rules");
        }
        if (before != after || old.is_none() || new.is_none()) && (before.is_empty() || after.is_empty()) {
            let becomes_empty = after.is_empty() && new.is_some();
            let was_empty = before.is_empty() && old.is_some() && new.is_none();
            if becomes_empty || was_empty {
                return refuse("an empty file was made or removed, which no patch can hold; do it in debian/rules");
            }
        }
        if path.iter().any(|byte| *byte < b' ' || *byte == b'"' || *byte == b'\\') {
            return refuse("its name has signs that no patch can hold");
        }
        let runs = |file: &Option<File>| matches!(file, Some(File::Plain { runs: true, .. }));
        let moded = new.is_some() && runs(old) != runs(new);
        let tab: &[u8] = if path.contains(&b' ') { b"\t" } else { b"" };
        let (old_start, new_start) = match style {
            Style::Git => ("a".to_owned(), "b".to_owned()),
            Style::Plain(label) => (format!("{label}.orig"), label.to_owned()),
        };
        let line = |mark: &str, start: &str| [mark.as_bytes(), start.as_bytes(), b"/", path, tab, b"\n"].concat();
        if moded {
            if matches!(style, Style::Plain(_)) && path.as_slice() != b"debian/rules" {
                return refuse(
                    "it runs now, or does not any more, which this format cannot hold; do it in debian/rules",
                );
            }
            if matches!(style, Style::Git) {
                let mode = |runs: bool| if runs { "100755" } else { "100644" };
                let told = match old {
                    None => format!("new file mode {}\n", mode(runs(new))),
                    Some(_) => format!("old mode {}\nnew mode {}\n", mode(runs(old)), mode(runs(new))),
                };
                let header = [b"diff --git a/".as_slice(), path, b" b/", path, b"\n", told.as_bytes()].concat();
                if before == after {
                    modes.extend(header);
                } else {
                    patch.extend(header);
                }
            }
        }
        if before == after {
            continue;
        }
        let none = |mark: &str| format!("{mark}{NONE}\n").into_bytes();
        let is_plain = matches!(style, Style::Plain(_));
        patch.extend(if old.is_some() || is_plain {
            line("--- ", &old_start)
        } else {
            none("--- ")
        });
        patch.extend(if new.is_some() {
            line("+++ ", &new_start)
        } else {
            none("+++ ")
        });
        patch.extend(hunks(&before, &after));
    }
    patch.extend(modes);
    Ok(patch)
}

/// What quilt keeps about applied patches, so that it and Debian's own tools know that they are.
pub(super) fn quilt_work(tree: &Path, applied: &[(String, Before)]) -> Result<(), PackageError> {
    let work = tree.join(".pc");
    match work.symlink_metadata() {
        Ok(there) if there.is_dir() => fs::remove_dir_all(&work)?,
        Ok(_) => fs::remove_file(&work)?,
        Err(_) => {}
    }
    fs::create_dir_all(&work)?;
    let series = series_path(|path| place(tree, path).is_file()).unwrap_or("debian/patches/series");
    let series = series.rsplit('/').next().unwrap_or(series);
    fs::write(work.join(".version"), "2\n")?;
    fs::write(work.join(".quilt_patches"), "debian/patches\n")?;
    fs::write(work.join(".quilt_series"), format!("{series}\n"))?;
    let mut list = String::new();
    for (name, before) in applied {
        list.push_str(name);
        list.push('\n');
        let folder = work.join(name);
        for (path, content) in before {
            let backup = place(&folder, path);
            if let Some(parent) = backup.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(&backup, content.as_deref().unwrap_or_default())?;
        }
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(".timestamp"), "")?;
    }
    fs::write(work.join("applied-patches"), list)?;
    Ok(())
}
