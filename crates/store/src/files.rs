//! Files that are there whole or not at all, also after a power cut.

use std::{io, path::Path};

use fs_err as fs;

use crate::StoreError;

/// Writes a file beside its place and renames it into it. When this returns, content and name are on the disk; whoever
/// reads meanwhile sees the old content or the new one, never half of it.
pub fn write_file(path: &Path, content: &[u8]) -> Result<(), StoreError> {
    use std::os::unix::fs::PermissionsExt;

    use io::Write as _;
    let folder = folder_of(path);
    let mut half = tempfile::Builder::new()
        .prefix(".writing-")
        // As any other new file: what the umask leaves.
        .permissions(std::fs::Permissions::from_mode(0o666))
        .tempfile_in(folder)?;
    half.write_all(content)?;
    half.as_file().sync_data()?;
    half.persist(path).map_err(|error| error.error)?;
    Ok(sync_folder_of(path)?)
}

/// Brings the names in a path's folder to the disk: a file that is there and has no name yet is lost by a power cut.
pub(crate) fn sync_folder_of(path: &Path) -> io::Result<()> {
    fs::File::open(folder_of(path))?.sync_all()
}

fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_stays_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock.json");
        write_file(&path, b"old and long").unwrap();
        write_file(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(write_file(&folder.path().join("none/lock.json"), b"x").is_err());
    }
}
