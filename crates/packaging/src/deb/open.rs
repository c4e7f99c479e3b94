//! Debian's source packages: found, checked and unpacked.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

use fs_err as fs;

use super::{
    Changelog, Control, Series,
    base::{Base, Before, Top},
    description::{self, without_armor},
};
use crate::{
    PackageError,
    archive::{self, Archive, Compression, Limits},
    package::{ending, text_of},
};

/// Debian's formats of source packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SourceFormat {
    /// `1.0` with a diff over upstream's archive.
    Old,
    /// `1.0` without.
    OldNative,
    /// `3.0 (native)`.
    Native,
    /// `3.0 (quilt)`.
    Quilt,
}

impl SourceFormat {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Old | Self::OldNative => "1.0",
            Self::Native => "3.0 (native)",
            Self::Quilt => "3.0 (quilt)",
        }
    }
}

/// What a package is made of besides its tree.
#[derive(Debug, Clone)]
pub(crate) struct Debian {
    pub(super) format: SourceFormat,
    /// The folder with the files that came with the package.
    pub(super) files: PathBuf,
    pub(super) limits: Limits,
    /// The name of its description, when it had one, and the description.
    pub(super) description: Option<(String, Control)>,
    /// Upstream's archives: the component's name (empty for the main one) and the file.
    pub(super) upstream: Vec<(String, String)>,
    /// Detached signatures, which are passed on and not looked at.
    pub(super) signatures: Vec<String>,
    /// The archive of a native package, or the packaging: its file, for how it is compressed.
    pub(super) packaging: Option<String>,
    /// The patches when it was opened: the series and its files.
    pub(super) patches: BTreeMap<Vec<u8>, Vec<u8>>,
    /// What was noticed when it was opened.
    pub(crate) notes: Vec<String>,
}

/// What is left by tools in a tree and never part of a package.
pub(crate) fn is_work(path: &[u8]) -> bool {
    path == b".pc" || path.starts_with(b".pc/")
}

/// Whether the rest of a name is that of a tar archive (and not of a signature of one).
fn is_tar(rest: &str) -> bool {
    matches!(rest, ".tar.gz" | ".tar.xz" | ".tar.bz2" | ".tar.lzma" | ".tar.zst")
}

/// The version without its epoch: what names of files hold.
pub(super) fn without_epoch(version: &str) -> &str {
    version.split_once(':').map_or(version, |(_, rest)| rest)
}

/// What upstream calls the version.
pub(super) fn upstream_version(version: &str) -> &str {
    let version = without_epoch(version);
    version.rsplit_once('-').map_or(version, |(upstream, _)| upstream)
}

impl Debian {
    fn new(format: SourceFormat, files: &Path, limits: Limits) -> Self {
        Self {
            format,
            files: files.to_owned(),
            limits,
            description: None,
            upstream: Vec::new(),
            signatures: Vec::new(),
            packaging: None,
            patches: BTreeMap::new(),
            notes: Vec::new(),
        }
    }

    /// Opens a description with the files beside it: copies those to `files` and unpacks into `tree`, which is made.
    pub(crate) fn from_description(
        path: &Path,
        files: &Path,
        tree: &Path,
        limits: Limits,
    ) -> Result<Self, PackageError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bad = |problem: &str| PackageError::recipe(&name, problem);
        let text = String::from_utf8(fs::read(path)?).map_err(|_| bad("it is no UTF-8"))?;
        let control = Control::parse(&name, &without_armor(&text))?;
        let field = |field: &str| {
            control
                .get(0, field)
                .ok_or_else(|| bad(&format!("it has no `{field}`")))
        };
        let (source, version, format) = (field("Source")?, field("Version")?, field("Format")?);
        let named = description::files(&name, &control)?;
        let folder = path.parent().unwrap_or(Path::new("."));
        for file in &named {
            let from = folder.join(&file.name);
            if !from.is_file() {
                return Err(PackageError::MissingFile {
                    recipe: name,
                    file: file.name.clone(),
                });
            }
            let content = fs::read(&from)?;
            file.check(&name, &content)?;
            fs::write(files.join(&file.name), content)?;
        }
        fs::write(files.join(&name), text)?;
        let names: Vec<String> = named.into_iter().map(|file| file.name).collect();
        let mut opened = Self::new(SourceFormat::Native, files, limits);
        opened.sort(&source, &version, &names);
        opened.format = match format.as_str() {
            "1.0" if opened.upstream.is_empty() => SourceFormat::OldNative,
            "1.0" => SourceFormat::Old,
            "3.0 (native)" => SourceFormat::Native,
            "3.0 (quilt)" => SourceFormat::Quilt,
            other => return Err(PackageError::UnknownFormat(other.to_owned())),
        };
        let misses = |what: &str| PackageError::MissingFile {
            recipe: name.clone(),
            file: what.to_owned(),
        };
        let upstream = format!("{source}_{}.orig.tar.*", upstream_version(&version));
        match opened.format {
            SourceFormat::Old | SourceFormat::Quilt if !opened.upstream.iter().any(|(part, _)| part.is_empty()) => {
                return Err(misses(&upstream));
            }
            SourceFormat::Quilt | SourceFormat::Native | SourceFormat::OldNative if opened.packaging.is_none() => {
                return Err(misses(&format!("{source}_{}.*tar.*", without_epoch(&version))));
            }
            _ => {}
        }
        opened.description = Some((name, control));
        let (base, applied) = opened.unpack()?;
        fs::create_dir_all(tree)?;
        archive::lay(&base.archive("", Compression::None), tree).map_err(PackageError::archive("the package"))?;
        opened.remember(&base);
        if opened.format == SourceFormat::Quilt {
            super::pack::quilt_work(tree, &applied)?;
        }
        Ok(opened)
    }

    /// Takes an unpacked tree that was copied to `tree`; `beside` is the folder that upstream's archives would be in.
    pub(crate) fn from_tree(tree: &Path, beside: &Path, files: &Path, limits: Limits) -> Result<Self, PackageError> {
        let (control, changelog) = (control_of(tree)?, changelog_of(tree)?);
        let source = control.get(0, "Source").unwrap_or_default();
        let version = changelog.top().version.clone();
        let written = text_of(tree, "debian/source/format")?;
        let names: Vec<String> = match fs::read_dir(beside) {
            Ok(folder) => folder
                .filter_map(|entry| Some(entry.ok()?.file_name().to_str()?.to_owned()))
                .collect(),
            Err(_) => Vec::new(),
        };
        let mut names = names;
        names.sort();
        let mut opened = Self::new(SourceFormat::Native, files, limits);
        let upstream = format!("{source}_{}.orig", upstream_version(&version));
        let is_native = !version.contains('-');
        names.retain(|name| name.starts_with(&upstream) && !is_native);
        opened.sort(&source, &version, &names);
        for name in opened.upstream.iter().map(|(_, name)| name).chain(&opened.signatures) {
            fs::copy(beside.join(name), files.join(name))?;
        }
        opened.format = match written.as_deref().map_or("1.0", str::trim) {
            "1.0" | "" if opened.upstream.is_empty() && is_native => SourceFormat::OldNative,
            "1.0" | "" => SourceFormat::Old,
            "3.0 (native)" => SourceFormat::Native,
            "3.0 (quilt)" => SourceFormat::Quilt,
            other => return Err(PackageError::UnknownFormat(other.to_owned())),
        };
        let found = archive::read_folder(&tree.join("debian")).map_err(PackageError::archive("debian"))?;
        let mut base = Base::default();
        base.lay(tar_of(found), "debian", Top::Kept);
        opened.remember(&base);
        let has_main = opened.upstream.iter().any(|(part, _)| part.is_empty());
        if !has_main && matches!(opened.format, SourceFormat::Old | SourceFormat::Quilt) {
            opened.upstream_from_tree(tree, &format!("{upstream}.tar.gz"), changelog.top().time)?;
        }
        Ok(opened)
    }

    /// Says where the files are after they were copied.
    pub(crate) fn move_files(&mut self, files: &Path) {
        files.clone_into(&mut self.files);
    }

    /// Sorts the names of a package's files.
    fn sort(&mut self, source: &str, version: &str, names: &[String]) {
        let upstream = format!("{source}_{}.orig", upstream_version(version));
        let own = format!("{source}_{}", without_epoch(version));
        for name in names {
            if matches!(ending(name), "asc" | "sig" | "sign") {
                self.signatures.push(name.clone());
            } else if let Some(rest) = name.strip_prefix(&upstream) {
                if is_tar(rest) {
                    self.upstream.insert(0, (String::new(), name.clone()));
                } else if let Some((part, rest)) = rest.strip_prefix('-').and_then(|rest| rest.split_once('.'))
                    && is_tar(&format!(".{rest}"))
                    && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
                    && !part.is_empty()
                {
                    self.upstream.push((part.to_owned(), name.clone()));
                }
            } else if let Some(rest) = name.strip_prefix(&own)
                && (is_tar(rest) || rest.strip_prefix(".debian").is_some_and(is_tar) || rest == ".diff.gz")
            {
                self.packaging = Some(name.clone());
            }
        }
    }

    pub(super) fn archive(&self, name: &str) -> Result<Archive, PackageError> {
        let bytes = fs::read(self.files.join(name))?;
        let read = Archive::read_with_any_links(&bytes, self.limits).map_err(PackageError::archive(name))?;
        // What the distribution itself ships may point into an installed system from its packaging.
        let is_packaging =
            |path: &[u8]| path.starts_with(b"debian/") || path.windows(8).any(|part| part == b"/debian/");
        read.check_links(is_packaging).map_err(PackageError::archive(name))?;
        Ok(read)
    }

    /// Upstream's archives over each other.
    pub(super) fn upstream_base(&self) -> Result<Base, PackageError> {
        let mut base = Base::default();
        for (part, name) in &self.upstream {
            if !part.is_empty() {
                base.remove(part);
            }
            base.lay(self.archive(name)?, part, Top::LeftOut);
        }
        Ok(base)
    }

    /// Everything as the package's files have it, and what each patch found.
    fn unpack(&self) -> Result<(Base, Vec<(String, Before)>), PackageError> {
        let packaging = self.packaging.as_deref();
        let mut applied = Vec::new();
        let mut base = match (self.format, packaging) {
            (SourceFormat::Native | SourceFormat::OldNative, Some(name)) => {
                let mut base = Base::default();
                base.lay(self.archive(name)?, "", Top::LeftOut);
                base
            }
            (SourceFormat::Quilt, Some(name)) => {
                let mut base = self.upstream_base()?;
                base.remove("debian");
                base.lay(self.archive(name)?, "", Top::Kept);
                applied = apply_series(&mut base)?;
                base
            }
            (SourceFormat::Old, Some(name)) => {
                let mut base = self.upstream_base()?;
                let bytes = fs::read(self.files.join(name))?;
                let (_, patch) = archive::open(&bytes, self.limits.bytes).map_err(PackageError::archive(name))?;
                base.patch(name, &patch.unwrap_or(bytes))?;
                base
            }
            (_, None) => self.upstream_base()?,
        };
        base.rules_run();
        Ok((base, applied))
    }

    fn remember(&mut self, base: &Base) {
        let is_patch = |path: &&Vec<u8>| path.starts_with(b"debian/patches/");
        self.patches = base
            .nodes
            .keys()
            .filter(is_patch)
            .filter_map(|path| Some((path.clone(), base.content(path)?.to_vec())))
            .collect();
    }
}

/// The series that counts: the one of the distribution goes before the general one.
pub(super) fn series_path(has: impl Fn(&[u8]) -> bool) -> Option<&'static str> {
    ["debian/patches/debian.series", "debian/patches/series"]
        .into_iter()
        .find(|path| has(path.as_bytes()))
}

/// Applies the patches of the tree's own series.
pub(super) fn apply_series(base: &mut Base) -> Result<Vec<(String, Before)>, PackageError> {
    let Some(path) = series_path(|path| base.content(path).is_some()) else {
        return Ok(Vec::new());
    };
    let text = base.content(path.as_bytes()).unwrap_or_default().to_vec();
    let text = String::from_utf8(text).map_err(|_| PackageError::recipe(path, "it is no UTF-8"))?;
    let names: Vec<String> = Series::parse(&text).patches().map(str::to_owned).collect();
    let mut applied = Vec::new();
    for name in names {
        let file = format!("debian/patches/{name}");
        let patch = base
            .content(file.as_bytes())
            .map(<[u8]>::to_vec)
            .ok_or_else(|| PackageError::MissingFile {
                recipe: path.to_owned(),
                file: file.clone(),
            })?;
        let before = base.patch(&file, &patch)?;
        applied.push((name, before));
    }
    Ok(applied)
}

/// Entries that were found in a folder, as if they came from an archive.
pub(super) fn tar_of(entries: Vec<archive::Entry>) -> Archive {
    Archive {
        format: archive::Format::Tar,
        compression: Compression::None,
        entries,
    }
}

/// The tree's `debian/control`.
pub(crate) fn control_of(tree: &Path) -> Result<Control, PackageError> {
    let file = "debian/control";
    let text = text_of(tree, file)?.ok_or_else(|| PackageError::NoRecipe(tree.to_owned()))?;
    let control = Control::parse(file, &text)?;
    if control.get(0, "Source").is_none_or(|source| source.is_empty()) {
        return Err(PackageError::recipe(file, "its first paragraph has no `Source`"));
    }
    Ok(control)
}

/// The tree's `debian/changelog`.
pub(crate) fn changelog_of(tree: &Path) -> Result<Changelog, PackageError> {
    let file = "debian/changelog";
    let text = text_of(tree, file)?.ok_or_else(|| PackageError::MissingFile {
        recipe: "debian/control".to_owned(),
        file: file.to_owned(),
    })?;
    Changelog::parse(&text)
}

/// A path of a tree on the disk.
pub(super) fn place(tree: &Path, path: &[u8]) -> PathBuf {
    tree.join(OsStr::from_bytes(path))
}
