//! Freezing, going back, and what changed.

use std::fmt::Write as _;

use seatrial_core::Digest;
use seatrial_sandbox::{Change, ChangeKind, Sandbox, Snapshot};

use crate::bench::{Bench, script, supported};

/// Changes as short lines, without what is below `/root` and `/tmp`.
fn lines(changes: &[Change]) -> String {
    let mut text = String::new();
    for change in changes {
        let what = match &change.kind {
            ChangeKind::File { size, mode, .. } => format!("file {size} {mode:o}"),
            ChangeKind::Link { target } => format!("link {target}"),
            ChangeKind::Folder { mode } => format!("folder {mode:o}"),
            ChangeKind::Special => "special".to_owned(),
            ChangeKind::Deleted => "deleted".to_owned(),
        };
        let _ = writeln!(text, "{}: {what}", change.path);
    }
    text
}

/// What a script changes, from a snapshot taken just before it.
fn after(sandbox: &mut dyn Sandbox, text: &str) -> String {
    let before = sandbox.snapshot().unwrap();
    script(sandbox, text);
    lines(&sandbox.changes(&before).unwrap())
}

pub(crate) fn changes_are_told_by_kind(bench: &Bench) {
    let mut sandbox = bench.quiet();
    script(
        &mut *sandbox,
        "mkdir -p /w/full/sub /w/modes; echo 1 > /w/full/one; echo 2 > /w/full/sub/two; echo 3 > /w/three; ln -s a /w/link; echo > /w/modes/m",
    );
    for (text, wanted) in [
        ("echo new > /w/new; chmod 600 /w/new", "/w/new: file 4 600\n"),
        ("echo longer > /w/three", "/w/three: file 7 644\n"),
        ("chmod 700 /w/modes/m", "/w/modes/m: file 1 700\n"),
        ("chmod 711 /w/modes", "/w/modes: folder 711\n"),
        ("ln -sfn b /w/link", "/w/link: link b\n"),
        (
            "mkdir -p /w/made/deep",
            "/w/made: folder 755\n/w/made/deep: folder 755\n",
        ),
        ("mkfifo /w/pipe", "/w/pipe: special\n"),
        ("rm /w/new", "/w/new: deleted\n"),
        ("echo gone > /w/passing; rm /w/passing", ""),
        ("rm -r /w/full", "/w/full: deleted\n"),
        (
            "mkdir -p /w/full/sub; echo 9 > /w/full/other",
            "/w/full: folder 755\n/w/full/other: file 2 644\n/w/full/sub: folder 755\n",
        ),
        (
            "rm -r /w/full; mkdir /w/full; echo 5 > /w/full/five",
            "/w/full/five: file 2 644\n/w/full/other: deleted\n/w/full/sub: deleted\n",
        ),
        ("rm -r /w/full; echo > /w/full", "/w/full: file 1 644\n"),
        ("rm /w/full; mkdir /w/full", "/w/full: folder 755\n"),
        ("mv /w/three /w/drei", "/w/drei: file 7 644\n/w/three: deleted\n"),
        ("true", ""),
        ("ls -R /w /etc > /dev/null; echo x > /dev/shm/x; echo x > /dev/null", ""),
    ] {
        assert_eq!(after(&mut *sandbox, text), wanted, "after `{text}`");
    }
}

pub(crate) fn changes_span_several_snapshots_and_the_last_state_counts(bench: &Bench) {
    let mut sandbox = bench.quiet();
    script(
        &mut *sandbox,
        "mkdir -p /w/d; echo base > /w/d/base; echo base > /w/base",
    );
    let first = sandbox.snapshot().unwrap();
    for text in [
        "rm -r /w/d; echo 1 > /w/a",
        "mkdir /w/d; echo 22 > /w/d/new; rm /w/base",
        "rm /w/a; echo 333 > /w/base",
        "rm -r /w/d; mkdir /w/d; echo 4444 > /w/d/again",
    ] {
        script(&mut *sandbox, text);
        sandbox.snapshot().unwrap();
    }
    let wanted = "/w/base: file 4 644\n/w/d/again: file 5 644\n/w/d/base: deleted\n";
    assert_eq!(lines(&sandbox.changes(&first).unwrap()), wanted);
}

pub(crate) fn a_change_carries_the_digest_of_the_whole_and_the_first_bytes(bench: &Bench) {
    let mut sandbox = bench.quiet();
    let before = sandbox.snapshot().unwrap();
    let content: Vec<u8> = (0..1_000_000_u32).map(|n| (n % 251) as u8).collect();
    sandbox.write_file("/build/big", &content, 0o644).unwrap();
    let changes = sandbox.changes(&before).unwrap();
    let wanted = ChangeKind::File {
        size: 1_000_000,
        mode: 0o644,
        digest: Digest::of(&content),
        head: content[..64].to_vec(),
    };
    assert_eq!(
        changes.last().map(|change| (change.path.as_str(), &change.kind)),
        Some(("/build/big", &wanted))
    );
}

pub(crate) fn the_image_itself_can_change(bench: &Bench) {
    let mut sandbox = bench.quiet();
    let text =
        "rm /etc/issue; echo x >> /etc/passwd; rm -r /usr/share/things; mkdir /usr/share/things; ln -s x /etc/new";
    let seen = after(&mut *sandbox, text);
    for wanted in ["/etc/issue: deleted\n", "/etc/new: link x\n", "/etc/passwd: file "] {
        assert!(seen.contains(wanted), "{seen}");
    }
    assert!(
        seen.lines()
            .filter(|line| line.starts_with("/usr/share/things/") && line.ends_with("deleted"))
            .count()
            > 3,
        "{seen}"
    );
    assert!(!seen.contains("/usr/share/things: "), "{seen}");
}

pub(crate) fn going_back_undoes_everything_and_forgets_later_snapshots(bench: &Bench) {
    let mut sandbox = bench.quiet();
    script(&mut *sandbox, "mkdir /w; echo one > /w/file");
    let one = sandbox.snapshot().unwrap();
    script(&mut *sandbox, "echo two > /w/file; echo > /w/more; rm /etc/issue");
    let two = sandbox.snapshot().unwrap();
    script(&mut *sandbox, "rm -r /w /usr/share/things; echo three > /three");
    sandbox.rollback(&two).unwrap();
    assert_eq!(
        script(&mut *sandbox, "cat /w/file; ls /w; ls /three 2>/dev/null; true"),
        "two\nfile\nmore\n"
    );
    script(&mut *sandbox, "echo again > /w/file");
    sandbox.rollback(&two).unwrap();
    assert_eq!(script(&mut *sandbox, "cat /w/file"), "two\n");
    sandbox.rollback(&one).unwrap();
    assert_eq!(
        script(&mut *sandbox, "cat /w/file; ls /w; ls /etc/issue"),
        "one\nfile\n/etc/issue\n"
    );
    assert!(sandbox.changes(&one).unwrap().is_empty());
    for gone in [two, Snapshot(999)] {
        sandbox.rollback(&gone).unwrap_err();
        sandbox.changes(&gone).unwrap_err();
    }
    assert_eq!(script(&mut *sandbox, "cat /w/file"), "one\n");
}

pub(crate) fn many_snapshots_are_no_trouble(bench: &Bench) {
    // In containers each costs the better part of a second.
    let (empty, full) = if bench.is_container() { (10, 10) } else { (300, 100) };
    let mut sandbox = bench.quiet();
    let first = sandbox.snapshot().unwrap();
    for _ in 0..empty {
        sandbox.snapshot().unwrap();
    }
    let mut kept = Vec::new();
    for number in 0..full {
        sandbox.write_file(&format!("/n/{number}"), b"x", 0o644).unwrap();
        kept.push(sandbox.snapshot().unwrap());
    }
    assert_eq!(script(&mut *sandbox, "ls /n | wc -l"), format!("{full}\n"));
    assert_eq!(sandbox.changes(&first).unwrap().len(), full + 1);
    sandbox.rollback(&kept[full / 2 - 1]).unwrap();
    assert_eq!(script(&mut *sandbox, "ls /n | wc -l"), format!("{}\n", full / 2));
}

pub(crate) fn deep_trees_and_odd_names_do_no_harm(bench: &Bench) {
    let mut sandbox = bench.quiet();
    let before = sandbox.snapshot().unwrap();
    let deep = "import os\nos.mkdir('/deep'); os.chdir('/deep')\nfor n in range(3000):\n  os.mkdir('d'); os.chdir('d')\nopen('end', 'w')";
    script(&mut *sandbox, &format!("python3 -c \"{deep}\""));
    script(
        &mut *sandbox,
        "mkdir /odd; cd /odd; : > $'new\\nline'; : > $'bad\\xff'; : > '-rf'; : > '.wh.file'",
    );
    let changes = sandbox.changes(&before).unwrap();
    assert!(changes.iter().any(|change| change.path == "/odd/new\nline"));
    assert!(changes.iter().any(|change| change.path == "/odd/bad\u{fffd}"));
    assert!(changes.iter().any(|change| change.path == "/deep/d/d/d"));
    let mut sorted = changes.clone();
    sorted.sort_by(|a, b| a.path.cmp(&b.path));
    assert_eq!(changes.len(), sorted.len());
    sandbox.rollback(&before).unwrap();
    assert!(sandbox.changes(&before).unwrap().is_empty());
}

pub(crate) fn holes_without_end_are_told_of_but_not_read(bench: &Bench) {
    let mut sandbox = bench.quiet();
    let before = sandbox.snapshot().unwrap();
    script(
        &mut *sandbox,
        "mkdir /w; for i in {1..500}; do truncate -s 8G /w/endless-$i; done; truncate -s 1M /w/holey; echo x > /w/whole",
    );
    let changes = sandbox.changes(&before).unwrap();
    let read: Vec<_> = changes
        .iter()
        .filter(|change| matches!(change.kind, ChangeKind::File { .. }))
        .map(|change| change.path.as_str())
        .collect();
    assert_eq!(read, ["/w/holey", "/w/whole"]);
    assert_eq!(changes.len(), 503);
}

pub(crate) fn changes_are_told_across_going_back(bench: &Bench) {
    let mut sandbox = bench.quiet();
    script(
        &mut *sandbox,
        "mkdir -p /w/d; echo 0 > /w/kept; echo 0 > /w/changed; echo 0 > /w/gone",
    );
    let first = sandbox.snapshot().unwrap();
    script(
        &mut *sandbox,
        "echo 11 > /w/changed; rm /w/gone; echo 1 > /w/new; echo x > /w/passing",
    );
    let second = sandbox.snapshot().unwrap();
    script(&mut *sandbox, "rm -r /w; echo 3 > /three");
    sandbox.rollback(&second).unwrap();
    assert_eq!(lines(&sandbox.changes(&second).unwrap()), "");
    script(&mut *sandbox, "rm /w/passing; chmod 700 /w/d");
    assert_eq!(
        lines(&sandbox.changes(&second).unwrap()),
        "/w/d: folder 700\n/w/passing: deleted\n"
    );
    assert_eq!(
        lines(&sandbox.changes(&first).unwrap()),
        "/w/changed: file 3 644\n/w/d: folder 700\n/w/gone: deleted\n/w/new: file 2 644\n"
    );
}

pub(crate) fn a_fork_begins_with_a_snapshot_and_shares_nothing(bench: &Bench) {
    let mut sandbox = bench.quiet();
    script(&mut *sandbox, "mkdir /w; echo one > /w/file");
    let one = sandbox.snapshot().unwrap();
    script(&mut *sandbox, "echo two > /w/file");
    let mut fork = supported(sandbox.fork(&one));
    assert_eq!(fork.image(), sandbox.image());
    assert_eq!(script(&mut *fork, "cat /w/file; echo fork > /w/file"), "one\n");
    assert_eq!(script(&mut *sandbox, "cat /w/file"), "two\n");
    let of_fork = fork.snapshot().unwrap();
    let mut second = fork.fork(&of_fork).unwrap();
    drop(sandbox);
    assert_eq!(script(&mut *fork, "cat /w/file"), "fork\n");
    drop(fork);
    assert_eq!(script(&mut *second, "cat /w/file"), "fork\n");
}
