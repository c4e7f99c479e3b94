//! The sources of a case as one archive: the same files give the same bytes.

use std::{io, os::unix::fs::PermissionsExt as _};

use fs_err as fs;

use super::case::Case;

/// Packs the sources in the order of their names, without times and owners.
pub(super) fn pack(case: &Case) -> io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    let mut sources = case.sources.clone();
    sources.sort();
    for path in &sources {
        let place = case.root.join(path);
        let metadata = fs::symlink_metadata(&place)?;
        let mut header = tar::Header::new_gnu();
        header.set_mtime(0);
        if metadata.is_symlink() {
            header.set_entry_type(tar::EntryType::Symlink);
            header.set_mode(0o777);
            header.set_size(0);
            archive.append_link(&mut header, path, fs::read_link(&place)?)?;
        } else {
            let content = fs::read(&place)?;
            let runs = metadata.permissions().mode() & 0o111 != 0;
            header.set_mode(if runs { 0o755 } else { 0o644 });
            header.set_size(content.len() as u64);
            archive.append_data(&mut header, path, content.as_slice())?;
        }
    }
    archive.into_inner()
}
