//! Archives as a friend or a foe would make them.

use tar::{Builder, EntryType, Header};

/// Appends an entry whose name is not checked, as a hostile archive would have it.
pub(crate) fn append(
    builder: &mut Builder<Vec<u8>>,
    name: &str,
    kind: EntryType,
    mode: u32,
    link: &str,
    content: &[u8],
) {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_mtime(1_000_000_000);
    header.set_size(content.len() as u64);
    header.set_uid(1234);
    header.set_gid(1234);
    let old = header.as_old_mut();
    old.name[..name.len()].copy_from_slice(name.as_bytes());
    old.linkname[..link.len()].copy_from_slice(link.as_bytes());
    header.set_cksum();
    builder.append(&header, content).unwrap();
}

pub(crate) fn file(builder: &mut Builder<Vec<u8>>, name: &str, content: &str) {
    append(builder, name, EntryType::Regular, 0o644, "", content.as_bytes());
}

pub(crate) fn archive(fill: impl FnOnce(&mut Builder<Vec<u8>>)) -> Vec<u8> {
    let mut builder = Builder::new(Vec::new());
    fill(&mut builder);
    builder.into_inner().unwrap()
}
