//! Archives of the box: taken apart, and put together again as they were.

use seatrial_packaging::archive::{self, Archive, Compression, Entry, Format, Limits, Shape, Times};
use serde_json::{Value, json};

use crate::{
    Answer, Caching, Effect, Tool, ToolDescription, ToolFailure, World,
    files::{Kind, NEW_FILE, known, mode_of},
    place::{place, shown, split},
    text::{counted, visible},
    toolbox::{Arguments as _, describe},
};

/// Bytes of all files of one archive, and of the archive itself.
const MOST_BYTES: u64 = 1 << 30;
/// Bounds of one archive.
const LIMITS: Limits = Limits {
    bytes: MOST_BYTES,
    entries: 200_000,
};

/// What is remembered of an archive that was taken apart.
#[derive(Debug, Clone)]
pub(crate) struct Manifest {
    /// Where the archive is.
    archive: String,
    shape: Shape,
}

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
        let read = Archive::read(&content.bytes, LIMITS)
            .map_err(|problem| ToolFailure::Told(format!("`{here}` is not taken apart: {problem}")))?;
        world.check_stop()?;
        let packed = tar_of(read.entries.clone())?;
        world.sandbox.write_tree(&folder, &mut packed.as_slice())?;
        let (files, words) = (read.files(), read.words());
        let manifest = Manifest {
            archive: path,
            shape: read.into(),
        };
        world.state.archives.insert(folder.clone(), manifest);
        Ok(Answer::text(format!(
            "took {here} ({words}) apart into {}/: {}",
            visible(shown(world.root, &folder)),
            counted(files as u64, "file")
        )))
    }
}

/// An archive's path without its endings.
fn stem(path: &str) -> String {
    let (folder, name) = split(path);
    let name = archive::by_name(name).map_or_else(|| format!("{name}.d"), |(stem, ..)| stem.to_owned());
    format!("{}/{name}", folder.trim_end_matches('/'))
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
        let shape = match manifest {
            Some(manifest) if manifest.archive == path => manifest.shape,
            manifest => {
                let Some((_, format, compression)) = archive::by_name(&path) else {
                    return Err(ToolFailure::told(
                        "the name of the archive does not say its format; end it with .tar.gz, .tar.xz, .tar.bz2, .tar.zst, \
                         .tar, .zip, .cpio or .obscpio",
                    ));
                };
                match manifest {
                    Some(manifest) => manifest.shape.with_format(format, compression),
                    None => Shape::new(format, compression),
                }
            }
        };
        let mut bounded = Bounded(Vec::new());
        match world.sandbox.read_tree(&folder, &mut bounded) {
            Ok(()) => {}
            Err(_) if bounded.0.len() as u64 > MOST_BYTES => {
                return Err(ToolFailure::told("the folder has more than 1 GiB"));
            }
            Err(error) => return Err(error.into()),
        }
        let found = if bounded.0.is_empty() {
            Vec::new()
        } else {
            // What the box has may lead anywhere: nothing is laid out from it.
            let limits = Limits {
                bytes: u64::MAX / 2,
                entries: usize::MAX,
            };
            Archive::read_with_any_links(&bounded.0, limits)
                .map_err(|problem| told(&problem))?
                .entries
        };
        drop(bounded);
        let put = shape.refill(found, Times::AsFound);
        let bytes = put.archive.write().map_err(|problem| told(&problem))?;
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
            put.archive.words(),
            put.archive.entries.len(),
            bytes.len(),
            put.new,
            put.changed,
            put.gone
        )))
    }
}

/// Entries as a stream that a box lays out.
pub(crate) fn tar_of(entries: Vec<Entry>) -> Result<Vec<u8>, ToolFailure> {
    let archive = Archive {
        format: Format::Tar,
        compression: Compression::None,
        entries,
    };
    archive.write().map_err(|problem| told(&problem))
}

fn told(problem: &archive::ArchiveError) -> ToolFailure {
    ToolFailure::Told(problem.to_string())
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
