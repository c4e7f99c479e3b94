//! Reads definitions out of packages: downloads those that own macro files and files of CMake packages, and looks inside.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead as _, BufReader, Read, Seek as _, SeekFrom, Write as _},
    path::Path,
    sync::Arc,
};

use fs_err as fs;
use seatrial_core::{FilePin, Platform};
use seatrial_source::{BinaryPackage, DebianArchive, Progress};
use seatrial_store::Home;

use crate::{
    Defined, Definition, PackagesError,
    contents::{packages_of, scan_file},
    definitions::definitions_of,
    shelf,
};

/// What came of reading packages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deepened {
    /// Packages that were read, now or before.
    pub packages: usize,
    /// Packages that are larger than wanted.
    pub too_large: usize,
    /// Packages that could not be had or read, with the reason.
    pub failed: Vec<String>,
    /// Definitions found.
    pub definitions: usize,
}

/// Macro files are few and small among the files of their packages, and nothing else says what is in them.
const MACRO_OWNER_BYTES: u64 = 8 << 20;
/// No macro file and no CMake file is larger.
const LARGEST_TEXT: u64 = 2 << 20;

/// Reads the definitions of a platform's archive and keeps them in the data folder, where the next index takes them from.
pub fn deepen(
    home: &Home,
    platform: &Platform,
    max_bytes: u64,
    progress: Option<&Arc<dyn Progress>>,
) -> Result<Deepened, PackagesError> {
    let archive = DebianArchive::open(home, platform, progress.cloned())?;
    let mut owners: BTreeMap<Vec<u8>, bool> = BTreeMap::new();
    for file in archive.contents()? {
        scan_file(&file, &mut |path, packages| {
            let Some(macros) = is_wanted(path) else { return };
            for package in packages_of(packages) {
                *owners.entry(package.to_vec()).or_default() |= macros;
            }
        })?;
    }
    let mut binaries: Vec<BinaryPackage> = archive.binaries()?;
    // The newest version of each comes first.
    let mut names = BTreeSet::new();
    binaries.retain(|binary| owners.contains_key(binary.package.as_bytes()) && names.insert(binary.package.clone()));
    let mut result = Deepened::default();
    let folder = home.cache("packages")?.join("definitions");
    fs::create_dir_all(&folder)?;
    let mut definitions = Vec::new();
    let total = binaries.len() as u64;
    for (number, binary) in (1..).zip(&binaries) {
        if let Some(progress) = progress {
            progress.advance("packages with definitions", number, Some(total));
        }
        let has_macros = owners.get(binary.package.as_bytes()).copied().unwrap_or(false);
        let most = if has_macros {
            max_bytes.max(MACRO_OWNER_BYTES)
        } else {
            max_bytes
        };
        if binary.size > most {
            result.too_large += 1;
            continue;
        }
        match one(&archive, &folder, binary) {
            Ok(found) => {
                result.packages += 1;
                definitions.extend(found);
            }
            Err(error) => result.failed.push(format!("{}: {error}", binary.package)),
        }
    }
    definitions.sort();
    definitions.dedup_by(|one, other| one.what == other.what && one.name == other.name && one.package == other.package);
    result.definitions = definitions.len();
    if result.packages == 0
        && let Some(first) = result.failed.first()
    {
        return Err(std::io::Error::other(format!("no package could be read: {first}")).into());
    }
    let path = home
        .cache("packages")?
        .join(format!("{}{}", shelf::prefix(platform), shelf::DEFINITIONS));
    write(&path, &definitions)?;
    Ok(result)
}

/// Whether a path may define something; `Some(true)` for macro files.
fn is_wanted(path: &[u8]) -> Option<bool> {
    if path.starts_with(b"usr/share/aclocal") && path.ends_with(b".m4") {
        return Some(true);
    }
    // CMake has its own modules' names in its documentation, and they come with it.
    let cmake = path.ends_with(b".cmake")
        && !path.starts_with(b"usr/share/cmake-")
        && !path.starts_with(b"usr/share/doc/")
        && path.starts_with(b"usr/");
    cmake.then_some(false)
}

/// One package's definitions: from the last time that this very file was read, else out of it.
fn one(archive: &DebianArchive, folder: &Path, binary: &BinaryPackage) -> Result<Vec<Definition>, PackagesError> {
    let kept = folder.join(format!("{}.tsv", binary.sha256));
    if let Ok(found) = read(&kept) {
        return Ok(found);
    }
    let (directory, name) = binary.filename.rsplit_once('/').unwrap_or(("", &binary.filename));
    let pin = FilePin {
        name: name.to_owned(),
        size: binary.size,
        sha256: binary.sha256.clone(),
    };
    let file = archive.file(directory, &pin)?;
    let mut found = Vec::new();
    each_text(&file, &mut |path, text| {
        for (what, name) in definitions_of(path, text) {
            found.push(Definition {
                what,
                name,
                package: binary.package.clone(),
                path: path.to_owned(),
            });
        }
    })?;
    write(&kept, &found)?;
    Ok(found)
}

/// Calls `out` with each wanted file of a Debian package.
fn each_text(package: &Path, out: &mut dyn FnMut(&str, &str)) -> Result<(), std::io::Error> {
    let damaged = || std::io::Error::other(format!("{} is no Debian package", package.display()));
    let mut file = BufReader::new(fs::File::open(package)?);
    let mut magic = [0; 8];
    file.read_exact(&mut magic)?;
    if &magic != b"!<arch>\n" {
        return Err(damaged());
    }
    loop {
        let mut header = [0; 60];
        file.read_exact(&mut header).map_err(|_| damaged())?;
        let text =
            |from: usize, to: usize| -> Option<&str> { Some(std::str::from_utf8(header.get(from..to)?).ok()?.trim()) };
        let name = text(0, 16).ok_or_else(damaged)?.trim_end_matches('/').to_owned();
        let size: u64 = text(48, 58).and_then(|size| size.parse().ok()).ok_or_else(damaged)?;
        let Some(packing) = name.strip_prefix("data.tar") else {
            let skip = i64::try_from(size + size % 2).map_err(|_| damaged())?;
            file.seek(SeekFrom::Current(skip))?;
            continue;
        };
        let data = file.take(size);
        let stream: Box<dyn Read> = match packing {
            ".xz" => Box::new(liblzma::read::XzDecoder::new(data)),
            ".zst" => Box::new(zstd::Decoder::new(data)?),
            ".gz" => Box::new(flate2::read::GzDecoder::new(data)),
            "" => Box::new(data),
            _ => return Err(damaged()),
        };
        let mut archive = tar::Archive::new(stream);
        for entry in archive.entries()? {
            let entry = entry?;
            if !entry.header().entry_type().is_file() || entry.size() > LARGEST_TEXT {
                continue;
            }
            let path = entry.path()?.to_string_lossy().trim_start_matches("./").to_owned();
            if is_wanted(path.as_bytes()).is_some() {
                let mut bytes = Vec::new();
                entry.take(LARGEST_TEXT).read_to_end(&mut bytes)?;
                out(&path, &String::from_utf8_lossy(&bytes));
            }
        }
        return Ok(());
    }
}

/// Writes definitions in one step.
pub(crate) fn write(path: &Path, definitions: &[Definition]) -> Result<(), PackagesError> {
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".definitions-").tempfile_in(folder)?;
    {
        let mut out = std::io::BufWriter::new(&mut file);
        for row in definitions {
            let what = match row.what {
                Defined::Macro => "macro",
                Defined::Target => "target",
                Defined::Command => "command",
            };
            writeln!(out, "{what}\t{}\t{}\t{}", row.name, row.package, row.path)?;
        }
        out.flush()?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Reads what [`write`] wrote; rows that make no sense are left out.
pub(crate) fn read(path: &Path) -> Result<Vec<Definition>, PackagesError> {
    let mut found = Vec::new();
    for line in BufReader::new(fs::File::open(path)?).lines() {
        let line = line?;
        let mut fields = line.split('\t');
        let (Some(what), Some(name), Some(package), Some(path)) =
            (fields.next(), fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let what = match what {
            "macro" => Defined::Macro,
            "target" => Defined::Target,
            "command" => Defined::Command,
            _ => continue,
        };
        found.push(Definition {
            what,
            name: name.to_owned(),
            package: package.to_owned(),
            path: path.to_owned(),
        });
    }
    Ok(found)
}
