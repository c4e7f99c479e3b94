//! The agent's program, with its loader and libraries, in a folder that can be mounted into any container: an image's own
//! C library may be another one, older, or missing.

use std::{
    collections::BTreeMap,
    io::{self, Read, Seek, SeekFrom},
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use fs_err as fs;
use seatrial_core::Digest;
use seatrial_store::Home;

use super::agent::AGENT;
use crate::{
    SandboxError,
    native::{io_error, open_to_boxes},
};

/// Where the folder is mounted in a container.
pub(super) const PLACE: &str = "/dev/.seatrial";

/// The folder, and the command line that starts the agent.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) folder: PathBuf,
    pub(super) entry: Vec<String>,
}

impl Program {
    /// Lays the folder, or finds it. It is named by what identifies the files that it was copied from.
    pub(super) fn new(home: &Home, helper: &Path) -> Result<Self, SandboxError> {
        let failed = |error| io_error("laying the program that runs in containers")(error);
        let loader = interpreter(helper).map_err(failed)?;
        let libraries = match &loader {
            Some(loader) => libraries(loader, helper)?,
            None => BTreeMap::new(),
        };
        let mut files = vec![("program".to_owned(), helper.to_owned())];
        files.extend(loader.iter().map(|path| ("loader".to_owned(), path.clone())));
        files.extend(libraries.into_iter().map(|(name, path)| (format!("lib/{name}"), path)));
        let mut known = Vec::new();
        for (name, path) in &files {
            let facts = fs::metadata(path).map_err(failed)?;
            known.push((
                name,
                facts.dev(),
                facts.ino(),
                facts.size(),
                facts.mtime(),
                facts.mtime_nsec(),
            ));
        }
        let digest = Digest::of(&serde_json::to_vec(&known).unwrap_or_default());
        let room = home.cache("docker")?;
        for folder in [&home.root().join("cache"), &room] {
            open_to_boxes(folder)?;
        }
        let folder = room.join(format!("program-{}", digest.short()));
        if !folder.is_dir() {
            let making = tempfile::Builder::new()
                .prefix(".making-")
                .tempdir_in(&room)
                .map_err(failed)?;
            fs::create_dir(making.path().join("lib")).map_err(failed)?;
            for (name, path) in &files {
                let copy = making.path().join(name);
                fs::copy(path, &copy).map_err(failed)?;
                fs::set_permissions(&copy, std::fs::Permissions::from_mode(0o755)).map_err(failed)?;
            }
            for folder in [making.path(), &making.path().join("lib")] {
                fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).map_err(failed)?;
            }
            let making = making.keep();
            // Whoever was faster laid the same files.
            if fs::rename(&making, &folder).is_err() {
                drop(fs::remove_dir_all(&making));
            }
        }
        let mut entry = Vec::new();
        if loader.is_some() {
            entry.extend([
                format!("{PLACE}/loader"),
                "--library-path".to_owned(),
                format!("{PLACE}/lib"),
            ]);
        }
        entry.extend([format!("{PLACE}/program"), AGENT.to_owned()]);
        Ok(Self { folder, entry })
    }
}

/// The dynamic loader that a program names in its headers; `None` when it needs none.
fn interpreter(program: &Path) -> io::Result<Option<PathBuf>> {
    use std::os::unix::ffi::OsStringExt;
    let odd = || io::Error::new(io::ErrorKind::InvalidData, "not a 64-bit little-endian ELF program");
    let mut file = fs::File::open(program)?;
    let mut header = [0; 64];
    file.read_exact(&mut header)?;
    if !header.starts_with(b"\x7fELF\x02\x01") {
        return Err(odd());
    }
    let offset = number(&header, 32, 8).ok_or_else(odd)?;
    let size = number(&header, 54, 2).ok_or_else(odd)?;
    let count = number(&header, 56, 2).ok_or_else(odd)?;
    let mut table = vec![0; (size * count) as usize];
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(&mut table)?;
    for entry in table.chunks_exact(size.max(1) as usize) {
        // PT_INTERP
        if number(entry, 0, 4) == Some(3) {
            let place = number(entry, 8, 8).ok_or_else(odd)?;
            let length = number(entry, 32, 8).filter(|length| *length < 4096).ok_or_else(odd)?;
            let mut name = vec![0; length as usize];
            file.seek(SeekFrom::Start(place))?;
            file.read_exact(&mut name)?;
            name.retain(|byte| *byte != 0);
            return Ok(Some(PathBuf::from(std::ffi::OsString::from_vec(name))));
        }
    }
    Ok(None)
}

fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + length)?;
    Some(bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
}

/// The shared libraries of a program by the names that it calls them, as its loader finds them here.
fn libraries(loader: &Path, program: &Path) -> Result<BTreeMap<String, PathBuf>, SandboxError> {
    let what = format!("asking {} for the libraries of {}", loader.display(), program.display());
    let output = Command::new(loader)
        .arg("--list")
        .arg(program)
        .env_clear()
        .stdin(Stdio::null())
        .output()
        .map_err(io_error(&what))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(io_error(&what)(io::Error::other(said)));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let listed = text.lines().filter_map(|line| {
        let (name, place) = line.trim().split_once(" => ")?;
        let place = place.rsplit_once(" (").map_or(place, |(place, _)| place);
        // The loader lists itself too, by its path.
        let wanted = !name.contains('/') && place.starts_with('/');
        wanted.then(|| (name.to_owned(), PathBuf::from(place)))
    });
    Ok(listed.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_names_its_loader_and_the_loader_its_libraries() {
        let own = std::env::current_exe().unwrap();
        if let Some(loader) = interpreter(&own).unwrap() {
            assert!(loader.is_file(), "{}", loader.display());
            for (name, path) in libraries(&loader, &own).unwrap() {
                assert!(path.is_file(), "{name}: {}", path.display());
            }
        }
        interpreter(Path::new("/etc/passwd")).unwrap_err();
    }
}
