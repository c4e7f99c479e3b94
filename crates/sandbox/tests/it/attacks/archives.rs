//! Attacks by archives that the harness unpacks into a box.

use tar::{Builder, EntryType};

use crate::{
    support::{quiet_box, script},
    tars::{append, archive, file},
};

#[test]
fn a_hostile_archive_is_refused_by_name_and_writes_nothing_elsewhere() {
    let Some(mut sandbox) = quiet_box() else { return };
    let up = archive(|tar| file(tar, "../up", "x"));
    let deep = archive(|tar| file(tar, "a/../../up", "x"));
    let through = archive(|tar| {
        append(tar, "link", EntryType::Symlink, 0o777, "/victim", b"");
        file(tar, "link/file", "x");
    });
    let linked = archive(|tar| append(tar, "hard", EntryType::Link, 0o644, "../../victim/kept", b""));
    script(&mut *sandbox, "mkdir /victim; echo kept > /victim/kept");
    for (tar, name) in [
        (up, "../up"),
        (deep, "a/../../up"),
        (through, "link/file"),
        (linked, "hard"),
    ] {
        let error = sandbox.write_tree("/deep/er", &mut &tar[..]).unwrap_err();
        assert!(error.to_string().contains(name), "{name}: {error}");
    }
    let seen = script(&mut *sandbox, "ls /victim; find / -xdev -name up; cat /victim/kept");
    assert_eq!(seen, "kept\nkept\n");
    // A broken stream is an error too, and the box is none the worse for it.
    let torn = archive(|tar| file(tar, "large", &"x".repeat(100_000)));
    sandbox.write_tree("/torn", &mut &torn[..50_000]).unwrap_err();
    assert_eq!(script(&mut *sandbox, "echo fine"), "fine\n");
}

#[test]
fn devices_pipes_and_other_oddities_are_refused_by_name() {
    let Some(mut sandbox) = quiet_box() else { return };
    for kind in [EntryType::Char, EntryType::Block, EntryType::Fifo] {
        let tar = archive(|tar| append(tar, "odd", kind, 0o666, "", b""));
        let error = sandbox.write_tree("/w", &mut &tar[..]).unwrap_err();
        assert!(error.to_string().contains("odd"), "{error}");
    }
    assert_eq!(script(&mut *sandbox, "ls /w"), "");
}

#[test]
fn links_of_an_archive_lead_nowhere_that_is_written_to() {
    let Some(mut sandbox) = quiet_box() else { return };
    script(&mut *sandbox, "mkdir /victim; echo kept > /victim/kept");
    let hostile: [fn(&mut Builder<Vec<u8>>); 5] = [
        // Through a link to a folder, one that replaces a folder, and one that an earlier entry turned round.
        |tar| {
            append(tar, "a", EntryType::Symlink, 0o777, "/victim", b"");
            append(tar, "a/", EntryType::Directory, 0o777, "", b"");
            file(tar, "a/kept", "lost");
        },
        |tar| {
            append(tar, "d/", EntryType::Directory, 0o777, "", b"");
            append(tar, "d/e", EntryType::Symlink, 0o777, "../../victim", b"");
            file(tar, "d/e/kept", "lost");
        },
        |tar| {
            append(tar, "x", EntryType::Symlink, 0o777, ".", b"");
            append(tar, "x/y", EntryType::Symlink, 0o777, "/victim", b"");
            file(tar, "y/kept", "lost");
        },
        // A second name for a file outside, then written to; and a name that is a link to one.
        |tar| {
            append(tar, "s", EntryType::Symlink, 0o777, "/victim", b"");
            append(tar, "h", EntryType::Link, 0o644, "s/kept", b"");
            file(tar, "h", "lost");
        },
        |tar| {
            append(tar, "s", EntryType::Symlink, 0o777, "/victim/kept", b"");
            file(tar, "s", "harmless");
        },
    ];
    for (number, fill) in hostile.into_iter().enumerate() {
        let tar = archive(fill);
        drop(sandbox.write_tree(&format!("/w{number}"), &mut &tar[..]));
        assert_eq!(
            script(&mut *sandbox, "cat /victim/kept; ls /victim"),
            "kept\nkept\n",
            "{number}"
        );
    }
}

#[test]
fn an_archive_that_claims_more_than_it_holds_is_refused() {
    let Some(mut sandbox) = quiet_box() else { return };
    // A sparse file: a few bytes of archive for a tebibyte of zeros.
    let mut header = tar::Header::new_gnu();
    header.set_path("bomb").unwrap();
    header.set_mode(0o644);
    header.set_entry_type(EntryType::GNUSparse);
    header.set_size(0);
    let gnu = header.as_gnu_mut().unwrap();
    gnu.sparse[0].offset.copy_from_slice(b"20000000000\0");
    gnu.sparse[0].numbytes.copy_from_slice(b"00000000000\0");
    gnu.realsize.copy_from_slice(b"20000000000\0");
    header.set_cksum();
    let mut tar = header.as_bytes().to_vec();
    tar.extend([0; 1024]);
    let error = sandbox.write_tree("/w", &mut &tar[..]).unwrap_err();
    assert!(error.to_string().contains("bomb"), "{error}");
    assert_eq!(script(&mut *sandbox, "du -s /w | cut -f1"), "4\n");
}
