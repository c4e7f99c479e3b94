//! Archives into folders, safely.
//!
//! An archive may be hostile. Nothing it holds lands outside its folder, no link in it leads out, nothing special
//! (device, pipe) is made, and it cannot fill the disk. What breaks a rule is refused with the entry's name; there is
//! no "extract what is good".

mod decompress;
mod links;
mod tar;
mod writer;
mod zip;

use std::path::{Path, PathBuf};

use fs_err as fs;

use self::writer::TreeWriter;
pub(crate) use self::{
    decompress::{Packing, reader, sniff},
    links::check_links,
};
use crate::{Progress, SourceError};

/// Bounds of unpacking.
#[derive(Debug, Clone)]
pub struct UnpackLimits {
    /// Bytes of all files together.
    pub bytes: u64,
    /// Number of entries.
    pub entries: u64,
}

impl Default for UnpackLimits {
    fn default() -> Self {
        Self {
            bytes: 8 << 30,
            entries: 1_000_000,
        }
    }
}

/// Unpacks an archive below `target` (made here) and returns the folder that is the project's top: `target` itself, or
/// the only folder in it.
///
/// Links are checked one by one only for absolute targets; the caller runs [`check_links`] once the tree is complete.
pub(crate) fn unpack(
    archive: &Path,
    shown: &str,
    target: &Path,
    limits: &UnpackLimits,
    progress: Option<&dyn Progress>,
) -> Result<PathBuf, SourceError> {
    fs::create_dir_all(target)?;
    let packing = sniff(archive)?.ok_or_else(|| SourceError::Archive {
        archive: shown.to_owned(),
        problem: "it is no tar archive (plain, gzip, xz, bzip2, zstd or lzma) and no zip archive; \
            check that the download is complete and not a web page"
            .to_owned(),
    })?;
    let mut writer = TreeWriter::new(target, shown, limits, progress);
    match packing {
        Packing::Zip => zip::unpack_zip(archive, shown, &mut writer)?,
        Packing::Plain | Packing::Gzip | Packing::Xz | Packing::Bzip2 | Packing::Zstd | Packing::Lzma => {
            tar::unpack_tar(archive, shown, packing, &mut writer)?;
        }
    }
    writer.finish()?;
    let mut entries = fs::read_dir(target)?;
    if let (Some(only), None) = (entries.next(), entries.next()) {
        let only = only?;
        if only.file_type()?.is_dir() {
            return Ok(only.path());
        }
    }
    Ok(target.to_owned())
}
