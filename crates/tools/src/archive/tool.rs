//! The two tools.

use std::collections::BTreeMap;

use seatrial_core::Digest;
use serde_json::{Value, json};

use super::{Entry, Format, MOST_BYTES, Manifest, Squeeze, What, read, tarball, write};
use crate::{
    Answer, Caching, Effect, Tool, ToolDescription, ToolFailure, World,
    files::{Kind, NEW_FILE, known, mode_of},
    place::{place, shown, split},
    text::{counted, visible},
    toolbox::{Arguments as _, describe},
};

pub(crate) struct Extract(ToolDescription);

impl Extract {
    pub(crate) fn new() -> Self {
        Self(describe(
            "extract",
            "Takes an archive apart into a new folder: tar (plain, gz, xz, bz2, zst), zip, cpio (also .obscpio). `pack` puts it \
             together again as it was.",
            "At most 1 GiB and 200000 entries; what leads out of the archive, devices and pipes are refused by name.",
            Effect::WRITES,
            Caching::No,
            json!({
                "path": {"type": "string", "minLength": 1, "description": "The archive."},
                "to": {"type": "string", "description": "The new folder; beside the archive and named like it when left out."},
            }),
            &["path"],
        ))
    }
}

impl Tool for Extract {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, arguments: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let path = place(world.root, arguments.text("path").unwrap_or_default())?;
        let here = visible(shown(world.root, &path));
        let folder = match arguments.text("to") {
            Some(to) => place(world.root, to)?,
            None => stem(&path),
        };
        if known(&folder, world)?.is_some() {
            return Err(ToolFailure::Told(format!(
                "`{}` is there already; say another folder in `to`, or remove it first",
                visible(shown(world.root, &folder))
            )));
        }
        let content = match world.sandbox.read_file(&path, MOST_BYTES) {
            Ok(content) => content,
            Err(seatrial_sandbox::SandboxError::NoSuchFile(_)) => {
                return Err(ToolFailure::Told(format!("there is no file `{here}` in the box")));
            }
            Err(error) => return Err(error.into()),
        };
        if (content.bytes.len() as u64) < content.size {
            return Err(ToolFailure::Told(format!(
                "`{here}` has {} bytes, which is too many",
                content.size
            )));
        }
        let (format, squeeze, entries) = read(&content.bytes)
            .map_err(|problem| ToolFailure::Told(format!("`{here}` is not taken apart: {problem}")))?;
        world.check_stop()?;
        // Times of zip files are of another kind, and folders must let themselves be filled.
        let laid: Vec<Entry> = entries
            .iter()
            .map(|entry| Entry {
                time: if format == Format::Zip { 0 } else { entry.time },
                ..entry.clone()
            })
            .collect();
        let packed = tarball::write(&laid).map_err(ToolFailure::Told)?;
        world.sandbox.write_tree(&folder, &mut packed.as_slice())?;
        let files = entries
            .iter()
            .filter(|entry| !matches!(entry.what, What::Folder))
            .count();
        let manifest = Manifest {
            archive: path,
            format,
            squeeze,
            entries: entries
                .into_iter()
                .map(|entry| match entry.what {
                    What::File(content) => {
                        let digest = Digest::of(&content);
                        let what = What::File(Vec::new());
                        (Entry { what, ..entry }, Some(digest))
                    }
                    _ => (entry, None),
                })
                .collect(),
        };
        world.state.archives.insert(folder.clone(), manifest);
        Ok(Answer::text(format!(
            "took {here} ({}) apart into {}/: {}",
            word(format, squeeze),
            visible(shown(world.root, &folder)),
            counted(files as u64, "file")
        )))
    }
}

/// An archive's path without its endings.
fn stem(path: &str) -> String {
    let (folder, name) = split(path);
    let endings = [
        ".tar.gz",
        ".tar.xz",
        ".tar.bz2",
        ".tar.zst",
        ".tgz",
        ".txz",
        ".tbz",
        ".tbz2",
        ".tzst",
        ".tar",
        ".zip",
        ".obscpio",
        ".cpio",
        ".cpio.gz",
        ".cpio.zst",
        ".gz",
        ".xz",
    ];
    let short = endings
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .filter(|stem| !stem.is_empty());
    let name = short.map_or_else(|| format!("{name}.d"), str::to_owned);
    format!("{}/{name}", folder.trim_end_matches('/'))
}

fn word(format: Format, squeeze: Squeeze) -> String {
    let format = match format {
        Format::Tar => "tar",
        Format::Cpio { sums: false } => "cpio",
        Format::Cpio { sums: true } => "cpio with sums",
        Format::Zip => "zip",
    };
    match squeeze {
        Squeeze::None => format.to_owned(),
        Squeeze::Gzip => format!("{format}, gzip"),
        Squeeze::Xz => format!("{format}, xz"),
        Squeeze::Bzip2 => format!("{format}, bzip2"),
        Squeeze::Zstd => format!("{format}, zstd"),
    }
}

pub(crate) struct Pack(ToolDescription);

impl Pack {
    pub(crate) fn new() -> Self {
        Self(describe(
            "pack",
            "Puts a folder that `extract` made together again: the same format, order, modes, links, owners and names; \
             times too, where nothing was changed. Any other folder becomes the archive that the name of `path` says.",
            "At most 1 GiB.",
            Effect::WRITES,
            Caching::No,
            json!({
                "folder": {"type": "string", "minLength": 1, "description": "The folder."},
                "path": {"type": "string", "description": "The archive to write; where it came from when left out."},
            }),
            &["folder"],
        ))
    }
}

impl Tool for Pack {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, arguments: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let folder = place(world.root, arguments.text("folder").unwrap_or_default())?;
        if known(&folder, world)?.is_none_or(|known| known.kind != Kind::Folder) {
            return Err(ToolFailure::Told(format!(
                "there is no folder `{}` in the box",
                visible(shown(world.root, &folder))
            )));
        }
        let manifest = world.state.archives.get(&folder).cloned();
        let path = match (arguments.text("path"), &manifest) {
            (Some(path), _) => place(world.root, path)?,
            (None, Some(manifest)) => manifest.archive.clone(),
            (None, None) => {
                return Err(ToolFailure::told(
                    "say in `path` which archive to write; `extract` did not make this folder",
                ));
            }
        };
        let (format, squeeze) = match &manifest {
            Some(manifest) if manifest.archive == path => (manifest.format, manifest.squeeze),
            _ => by_name(&path)?,
        };
        let mut bounded = Bounded(Vec::new());
        match world.sandbox.read_tree(&folder, &mut bounded) {
            Ok(()) => {}
            Err(_) if bounded.0.len() as u64 > MOST_BYTES => {
                return Err(ToolFailure::told("the folder has more than 1 GiB"));
            }
            Err(error) => return Err(error.into()),
        }
        let found = tarball::read(&bounded.0).map_err(ToolFailure::Told)?;
        drop(bounded);
        let put = put_together(found, manifest.as_ref());
        let bytes = write(format, squeeze, &put.entries).map_err(ToolFailure::Told)?;
        world.check_stop()?;
        let mode = if known(&path, world)?.is_some() {
            mode_of(&path, world)?
        } else {
            NEW_FILE
        };
        world.sandbox.write_file(&path, &bytes, mode)?;
        Ok(Answer::text(format!(
            "packed {}/ as {} ({}): {} entries, {} bytes; {} new, {} changed, {} gone",
            visible(shown(world.root, &folder)),
            visible(shown(world.root, &path)),
            word(format, squeeze),
            put.entries.len(),
            bytes.len(),
            put.new,
            put.changed,
            put.gone
        )))
    }
}

/// Takes so many bytes and no more.
struct Bounded(Vec<u8>);

impl std::io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.extend_from_slice(bytes);
        if self.0.len() as u64 > MOST_BYTES {
            return Err(std::io::Error::other("too much"));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn by_name(path: &str) -> Result<(Format, Squeeze), ToolFailure> {
    let has = |endings: &[&str]| endings.iter().any(|ending| path.ends_with(ending));
    let cpio = Format::Cpio { sums: false };
    Ok(if has(&[".tar.gz", ".tgz"]) {
        (Format::Tar, Squeeze::Gzip)
    } else if has(&[".tar.xz", ".txz"]) {
        (Format::Tar, Squeeze::Xz)
    } else if has(&[".tar.bz2", ".tbz", ".tbz2"]) {
        (Format::Tar, Squeeze::Bzip2)
    } else if has(&[".tar.zst", ".tzst"]) {
        (Format::Tar, Squeeze::Zstd)
    } else if has(&[".tar"]) {
        (Format::Tar, Squeeze::None)
    } else if has(&[".zip"]) {
        (Format::Zip, Squeeze::None)
    } else if has(&[".cpio", ".obscpio"]) {
        (cpio, Squeeze::None)
    } else {
        return Err(ToolFailure::told(
            "the name of the archive does not say its format; end it with .tar.gz, .tar.xz, .tar.bz2, .tar.zst, .tar, .zip, \
             .cpio or .obscpio",
        ));
    })
}

struct Put {
    entries: Vec<Entry>,
    new: usize,
    changed: usize,
    gone: usize,
}

/// The folder's entries in the order of the archive that they came from, with what only the archive knew.
fn put_together(found: Vec<Entry>, manifest: Option<&Manifest>) -> Put {
    let mut contents: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut now: BTreeMap<String, Entry> = BTreeMap::new();
    for mut entry in found {
        // A file with several names is one file with several contents that are the same.
        if let What::Same(target) = &entry.what {
            entry.what = What::File(contents.get(&super::plain(target)).cloned().unwrap_or_default());
        }
        if let What::File(content) = &entry.what {
            contents.insert(entry.path(), content.clone());
        }
        now.insert(entry.path(), entry);
    }
    let mut put = Put {
        entries: Vec::new(),
        new: 0,
        changed: 0,
        gone: 0,
    };
    let (mut dotted, mut folders) = (false, manifest.is_none());
    for (before, digest) in manifest.iter().flat_map(|manifest| &manifest.entries) {
        dotted |= before.name.starts_with(b"./");
        folders |= matches!(before.what, What::Folder);
        let Some(entry) = now.remove(&before.path()) else {
            put.gone += 1;
            continue;
        };
        let mut kept = before.clone();
        kept.mode = entry.mode;
        let same = match (&before.what, &entry.what) {
            (What::File(_), What::File(content)) => *digest == Some(Digest::of(content)),
            (What::Same(target), What::File(content)) => contents.get(&super::plain(target)) == Some(content),
            (before, now) => before == now,
        };
        if !same {
            put.changed += 1;
            kept.time = entry.time;
        }
        if !(same && matches!(before.what, What::Same(_))) {
            kept.what = entry.what;
        }
        put.entries.push(kept);
    }
    for (path, entry) in now {
        let is_folder = matches!(entry.what, What::Folder);
        // The folder itself, and folders in an archive that names only files.
        if path.is_empty() || (is_folder && !folders) {
            continue;
        }
        put.new += usize::from(!is_folder);
        let (start, end) = (if dotted { "./" } else { "" }, if is_folder { "/" } else { "" });
        put.entries.push(Entry {
            name: format!("{start}{path}{end}").into_bytes(),
            owner: (0, 0),
            owner_names: (b"root".to_vec(), b"root".to_vec()),
            ..entry
        });
    }
    put
}
