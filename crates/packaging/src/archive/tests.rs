//! Archives of each format, and what is refused.

use super::*;

fn entries() -> Vec<Entry> {
    let mut entries = vec![
        Entry::new(b"./".to_vec(), EntryKind::Folder, 0o755),
        Entry::new(b"./b".to_vec(), EntryKind::File(b"second first\n".to_vec()), 0o644),
        Entry::new(b"./a/".to_vec(), EntryKind::Folder, 0o750),
        Entry::new(b"./a/run".to_vec(), EntryKind::File(vec![7; 5000]), 0o755),
        Entry::new(b"./a/link".to_vec(), EntryKind::Link(b"../b".to_vec()), 0o777),
        Entry::new(
            format!("./a/{}", "n".repeat(150)).into_bytes(),
            EntryKind::File(Vec::new()),
            0o600,
        ),
    ];
    for (number, entry) in (1..).zip(&mut entries) {
        entry.time = 1_700_000_000 + number * 2;
    }
    entries
}

fn archive(format: Format, compression: Compression) -> Archive {
    Archive {
        format,
        compression,
        entries: entries(),
    }
}

const FORMATS: [Format; 4] = [
    Format::Tar,
    Format::Cpio { sums: false },
    Format::Cpio { sums: true },
    Format::Zip,
];

const COMPRESSIONS: [Compression; 6] = [
    Compression::None,
    Compression::Gzip,
    Compression::Xz,
    Compression::Bzip2,
    Compression::Zstd,
    Compression::Lzma,
];

#[test]
fn each_format_gives_back_what_was_put_in() {
    for format in FORMATS {
        for compression in COMPRESSIONS {
            if format == Format::Zip && compression != Compression::None {
                continue;
            }
            let bytes = archive(format, compression).write().unwrap();
            let read = Archive::read(&bytes, Limits::default()).unwrap();
            assert_eq!((read.format, read.compression), (format, compression));
            let facts = |entries: &[Entry]| -> Vec<_> {
                entries
                    .iter()
                    .map(|entry| (entry.path(), entry.kind.clone(), entry.mode, entry.time))
                    .collect()
            };
            assert_eq!(facts(&read.entries), facts(&entries()), "{format:?} {compression:?}");
            assert_eq!(read.write().unwrap(), bytes, "{format:?} {compression:?}");
        }
    }
}

#[test]
fn what_was_laid_out_and_not_edited_is_the_archive_again() {
    for format in FORMATS {
        let mut archive = archive(format, Compression::None);
        if format != Format::Zip {
            archive.entries.push(Entry::new(
                b"./a/\xe9t\xe9".to_vec(),
                EntryKind::File(b"latin".to_vec()),
                0o444,
            ));
        }
        if format == Format::Tar {
            archive
                .entries
                .push(Entry::new(b"./again".to_vec(), EntryKind::Same(b"./b".to_vec()), 0o644));
        }
        archive
            .entries
            .push(Entry::new(b"./locked/".to_vec(), EntryKind::Folder, 0o555));
        let bytes = archive.write().unwrap();
        let read = Archive::read(&bytes, Limits::default()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        lay(&read, folder.path()).unwrap();
        let shape = Shape::from(read);
        let same = shape.refill(read_folder(folder.path()).unwrap(), Times::AfterAll);
        assert_eq!((same.new, same.changed, same.gone), (0, 0, 0), "{format:?}");
        assert_eq!(same.archive.write().unwrap(), bytes, "{format:?}");
        // Edited: the order stays, and the time is that of the archive and not of the clock.
        std::fs::write(folder.path().join("b"), "other").unwrap();
        std::fs::write(folder.path().join("new"), "new").unwrap();
        std::fs::remove_file(folder.path().join("a/link")).unwrap();
        let edited = shape.refill(read_folder(folder.path()).unwrap(), Times::AfterAll);
        // The other name of what was edited keeps its content, and is a file of its own from now on.
        let changed = if format == Format::Tar { 2 } else { 1 };
        assert_eq!((edited.new, edited.changed, edited.gone), (1, changed, 1), "{format:?}");
        let second = &edited.archive.entries[1];
        assert_eq!((second.path(), second.time), (b"b".to_vec(), 1_700_000_014));
        assert_eq!(edited.archive.entries.last().unwrap().name, b"./new");
    }
}

#[test]
fn what_leads_out_is_refused_by_name() {
    let file = |name: &str| Entry::new(name.as_bytes().to_vec(), EntryKind::File(Vec::new()), 0o644);
    let link =
        |name: &str, to: &str| Entry::new(name.as_bytes().to_vec(), EntryKind::Link(to.as_bytes().to_vec()), 0o777);
    let check =
        |entries: &[Entry]| check::names(entries, Limits::default()).and_then(|()| check::links(entries, |_| false));
    for (entries, part) in [
        (vec![file("../x")], "`../x` leads out"),
        (vec![file("/etc/x")], "`/etc/x` leads out"),
        (vec![file("a/../../x")], "leads out"),
        (vec![link("l", "/etc/passwd")], "`l` leads to `/etc/passwd`"),
        (vec![link("a/l", "../../x")], "`a/l` leads to"),
        (vec![link("a/l", "x/../../../y")], "`a/l` leads to"),
        (
            vec![link("a/b/l", "../.."), link("x", "a/b/l/..")],
            "`x` leads to `a/b/l/..`",
        ),
        (vec![link("l", "a"), file("l/x")], "`l/x` goes through a link"),
        (
            vec![Entry::new(b"h".to_vec(), EntryKind::Same(b"none".to_vec()), 0o644)],
            "another name of `none`",
        ),
    ] {
        let error = check(&entries).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    assert!(check(&[link("a/l", "../x"), link("l", "a/b"), link("round", "round")]).is_ok());
}

#[test]
fn damaged_archives_are_refused_and_never_break_anything() {
    for format in [Format::Tar, Format::Cpio { sums: true }, Format::Zip] {
        let bytes = archive(format, Compression::None).write().unwrap();
        for at in 0..bytes.len().min(3000) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x5a;
            drop(Archive::read(&damaged, Limits::default()));
            drop(Archive::read(&bytes[..at], Limits::default()));
        }
    }
    assert!(matches!(
        Archive::read(b"hello", Limits::default()),
        Err(ArchiveError::Unknown)
    ));
}

#[test]
fn little_that_becomes_much_is_refused() {
    let limits = Limits {
        bytes: 1 << 20,
        entries: 3,
    };
    for compression in COMPRESSIONS.into_iter().skip(1) {
        let bomb = close(compression, vec![0; 4 << 20]).unwrap();
        assert!(
            matches!(Archive::read(&bomb, limits), Err(ArchiveError::TooLarge(_))),
            "{compression:?}"
        );
    }
    for format in FORMATS {
        let bytes = archive(format, Compression::None).write().unwrap();
        assert!(matches!(Archive::read(&bytes, limits), Err(ArchiveError::TooMany(3))));
        let limits = Limits {
            bytes: 3000,
            entries: 30,
        };
        assert!(matches!(Archive::read(&bytes, limits), Err(ArchiveError::TooLarge(_))));
    }
    // A sparse file: a header that says how much, and nothing else.
    let mut header = tar::Header::new_gnu();
    header.set_path("sparse").unwrap();
    header.set_entry_type(tar::EntryType::GNUSparse);
    header.set_size(0);
    header.set_mode(0o644);
    header.set_mtime(0);
    header.as_gnu_mut().unwrap().realsize = *b"77777777777\0";
    header.set_cksum();
    let mut bytes = header.as_bytes().to_vec();
    bytes.resize(bytes.len() + 1024, 0);
    assert!(matches!(
        Archive::read(&bytes, limits),
        Err(ArchiveError::TooLarge(_) | ArchiveError::Damaged(_))
    ));
}
