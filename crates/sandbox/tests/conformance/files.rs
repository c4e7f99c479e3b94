//! Files in and out.

use std::{
    io::{Read, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use seatrial_sandbox::{Limits, Network, Sandbox, SandboxError};
use tar::{Builder, EntryType, Header};

use crate::{
    bench::{Bench, script},
    tars::{append, archive, file},
};

pub(crate) fn a_tree_arrives_with_modes_times_links_and_the_boxs_root_as_owner(bench: &Bench) {
    let mut sandbox = bench.quiet();
    let tar = archive(|tar| {
        append(tar, "closed/", EntryType::Directory, 0o555, "", b"");
        file(tar, "closed/inner", "deep");
        append(tar, "tool", EntryType::Regular, 0o755, "", b"#!/bin/sh\necho ran\n");
        append(tar, "same", EntryType::Link, 0o755, "tool", b"");
        append(tar, "soft", EntryType::Symlink, 0o777, "closed/inner", b"");
        append(tar, "dangling", EntryType::Symlink, 0o777, "/no/where", b"");
        file(tar, "/absolute", "is relative");
        file(tar, "./dotted", "dot");
    });
    sandbox.write_tree("/build/source", &mut &tar[..]).unwrap();
    let seen = script(
        &mut *sandbox,
        "cd /build/source; ./tool; cat soft absolute dotted; echo; stat -c '%n %A %U %Y %h' closed tool closed/inner; readlink dangling; ls -1 /absolute 2>&1 | head -c 2",
    );
    let wanted = "ran\ndeepis relativedot\nclosed dr-xr-xr-x root 1000000000 2\ntool -rwxr-xr-x root 1000000000 2\n\
        closed/inner -rw-r--r-- root 1000000000 1\n/no/where\nls";
    assert_eq!(seen, wanted);
}

pub(crate) fn a_hostile_archive_is_refused_by_name_and_writes_nothing_elsewhere(bench: &Bench) {
    let mut sandbox = bench.quiet();
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

pub(crate) fn unpacking_over_what_is_there_replaces_it(bench: &Bench) {
    let mut sandbox = bench.quiet();
    script(
        &mut *sandbox,
        "mkdir -p /t; echo old > /elsewhere; ln -s /elsewhere /t/name; echo old > /t/plain; ln /t/plain /kept",
    );
    let tar = archive(|tar| {
        file(tar, "name", "new");
        file(tar, "plain", "new");
    });
    sandbox.write_tree("/t", &mut &tar[..]).unwrap();
    assert_eq!(script(&mut *sandbox, "cat /elsewhere /t/name /t/plain"), "old\nnewnew");
}

pub(crate) fn a_large_tree_comes_back_as_it_went(bench: &Bench) {
    let mut sandbox = bench.quiet();
    let long = format!("{}/{}", "d".repeat(90), "f".repeat(120));
    script(
        &mut *sandbox,
        &format!(
            "mkdir -p /t/{0} /t/empty; echo long > /t/{long}; ln -s ../x /t/link; mkfifo /t/pipe; cd /t; seq 100000 > big; chmod 600 big",
            "d".repeat(90)
        ),
    );
    let mut tar = Vec::new();
    sandbox.read_tree("/t", &mut tar).unwrap();
    let mut names = Vec::new();
    for entry in tar::Archive::new(&tar[..]).entries().unwrap() {
        let mut entry = entry.unwrap();
        let name = entry
            .path()
            .unwrap()
            .to_string_lossy()
            .trim_start_matches("./")
            .trim_end_matches('/')
            .to_owned();
        if name == "big" {
            let mut content = String::new();
            entry.read_to_string(&mut content).unwrap();
            assert!(content.ends_with("100000\n"));
            assert_eq!(entry.header().mode().unwrap() & 0o7777, 0o600);
        }
        names.push(name);
    }
    for wanted in ["big", "empty", "link", &long] {
        assert!(names.iter().any(|name| name == wanted), "{wanted} in {names:?}");
    }
    sandbox.write_tree("/copy", &mut &tar[..]).unwrap();
    assert_eq!(
        script(
            &mut *sandbox,
            &format!("cmp /t/big /copy/big; cat /copy/{long}; readlink /copy/link; stat -c %a /copy/big")
        ),
        "long\n../x\n600\n"
    );
    let mut one = Vec::new();
    sandbox.read_tree("/t/big", &mut one).unwrap();
    let mut archive = tar::Archive::new(&one[..]);
    let names: Vec<_> = archive
        .entries()
        .unwrap()
        .map(|entry| entry.unwrap().path().unwrap().into_owned())
        .collect();
    assert_eq!(names, [std::path::PathBuf::from("big")]);
}

pub(crate) fn single_files_are_written_and_read(bench: &Bench) {
    let mut sandbox = bench.quiet();
    let sandbox: &mut dyn Sandbox = &mut *sandbox;
    sandbox
        .write_file("/new/folder/tool", b"#!/bin/sh\necho ran\n", 0o755)
        .unwrap();
    assert_eq!(
        script(sandbox, "/new/folder/tool; stat -c %a /new/folder /new/folder/tool"),
        "ran\n755\n755\n"
    );
    sandbox.write_file("/new/folder/tool", b"", 0o600).unwrap();
    assert_eq!(script(sandbox, "stat -c '%a %s' /new/folder/tool"), "600 0\n");
    let large = vec![7; 3_000_000];
    sandbox.write_file("/large", &large, 0o644).unwrap();
    let whole = sandbox.read_file("/large", u64::MAX).unwrap();
    assert_eq!((whole.size, whole.bytes == large), (3_000_000, true));
    let part = sandbox.read_file("/large", 10).unwrap();
    assert_eq!((part.size, part.bytes.len()), (3_000_000, 10));
    script(
        sandbox,
        "ln -s /large /link; mkfifo /pipe; ln -s / /rootlink; ln -s loop /loop",
    );
    assert_eq!(sandbox.read_file("/link", 1).unwrap().bytes, [7]);
    assert_eq!(sandbox.read_file("/rootlink/large", 1).unwrap().bytes, [7]);
    for missing in ["/no/such", "/etc", "/pipe", "/dev/zero", "/large/below", "/loop"] {
        let error = sandbox.read_file(missing, 10).unwrap_err();
        assert!(matches!(error, SandboxError::NoSuchFile(_)), "{missing}: {error:?}");
    }
    let error = sandbox.read_tree("/no/such", &mut Vec::new()).unwrap_err();
    assert!(matches!(error, SandboxError::NoSuchFile(_)), "{error:?}");
    // Nobody reads the pipe, so writing to it could wait for ever.
    sandbox.write_file("/pipe", b"x", 0o644).unwrap_err();
}

pub(crate) fn links_in_a_box_cannot_lead_out_of_it(bench: &Bench) {
    let mut sandbox = bench.quiet();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("secret"), "of the host").unwrap();
    let out = folder.path().display();
    script(
        &mut *sandbox,
        &format!("ln -s {out} /absolute; ln -s ../../../../../..{out} /relative; ln -s /proc/1/root{out} /magic"),
    );
    for name in ["absolute", "relative", "magic"] {
        let error = sandbox.read_file(&format!("/{name}/secret"), 100).unwrap_err();
        // Links of the kernel's own are refused, or lead to where nothing is mounted.
        let missing = matches!(error, SandboxError::NoSuchFile(_));
        assert!(missing || name == "magic", "{name}: {error:?}");
        drop(sandbox.write_file(&format!("/{name}/written"), b"x", 0o644));
    }
    assert!(!folder.path().join("written").exists());
}

pub(crate) fn a_tree_as_deep_as_paths_can_be_arrives(bench: &Bench) {
    let mut sandbox = bench.quiet();
    let mut builder = Builder::new(Vec::new());
    let deep = "d/".repeat(2000);
    // Several files at the bottom and one beside the way down: each has its parents looked at.
    for name in [format!("{deep}a"), format!("{deep}b"), "d/d/side".to_owned()] {
        let mut header = Header::new_gnu();
        header.set_mode(0o644);
        header.set_size(0);
        builder.append_data(&mut header, name, std::io::empty()).unwrap();
    }
    let tar = builder.into_inner().unwrap();
    sandbox.write_tree("/w", &mut &tar[..]).unwrap();
    assert_eq!(script(&mut *sandbox, "find /w -type f | wc -l; rm -r /w"), "3\n");
}

/// A file without end, which throws a switch on its way.
struct Endless {
    head: Vec<u8>,
    sent: u64,
    switch: Arc<AtomicBool>,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.sent > 1 << 20 {
            self.switch.store(true, Ordering::SeqCst);
        }
        if self.head.is_empty() {
            buffer.fill(0);
            self.sent += buffer.len() as u64;
            return Ok(buffer.len());
        }
        let count = buffer.len().min(self.head.len());
        buffer[..count].copy_from_slice(&self.head[..count]);
        self.head.drain(..count);
        Ok(count)
    }
}

/// Throws a switch at the first bytes.
struct Throw(Arc<AtomicBool>);

impl Write for Throw {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.store(true, Ordering::SeqCst);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

pub(crate) fn the_stop_switch_ends_work_on_files_that_would_not_end(bench: &Bench) {
    let mut sandbox = bench.quiet();
    let mut header = Header::new_gnu();
    header.set_path("endless").unwrap();
    header.set_mode(0o644);
    header.set_size(1 << 32);
    header.set_cksum();
    let mut endless = Endless {
        head: header.as_bytes().to_vec(),
        sent: 0,
        switch: sandbox.stopper(),
    };
    let error = sandbox.write_tree("/w", &mut endless).unwrap_err();
    assert!(matches!(error, SandboxError::Interrupted), "{error}");

    let mut sandbox = bench.quiet();
    script(&mut *sandbox, "mkdir /w; truncate -s 1G /w/1");
    let mut throw = Throw(sandbox.stopper());
    let error = sandbox.read_tree("/w", &mut throw).unwrap_err();
    assert!(matches!(error, SandboxError::Interrupted), "{error}");

    // Here nothing at all reaches the harness before everything was read.
    let mut sandbox = bench.quiet();
    let before = sandbox.snapshot().unwrap();
    script(
        &mut *sandbox,
        "mkdir /w; for i in {1..1000}; do truncate -s 8G /w/$i; done",
    );
    let switch = sandbox.stopper();
    let error = std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::yield_now();
            switch.store(true, Ordering::SeqCst);
        });
        sandbox.changes(&before).unwrap_err()
    });
    assert!(matches!(error, SandboxError::Interrupted), "{error}");
}

pub(crate) fn many_files_come_back_as_they_went(bench: &Bench) {
    let mut sandbox = bench.quiet();
    let tar = archive(|tar| {
        for number in 0..5000 {
            file(tar, &format!("d{}/{number}", number % 50), &format!("{number}\n"));
        }
    });
    sandbox.write_tree("/many", &mut &tar[..]).unwrap();
    assert_eq!(
        script(&mut *sandbox, "find /many -type f | wc -l; cat /many/d7/4957"),
        "5000\n4957\n"
    );
    let mut back = Vec::new();
    sandbox.read_tree("/many", &mut back).unwrap();
    let count = tar::Archive::new(&back[..]).entries().unwrap().count();
    assert_eq!(count, 5000 + 50 + 1);
}

pub(crate) fn the_harness_cannot_be_made_to_overfill_a_box(bench: &Bench) {
    let limits = Limits {
        disk_bytes: 8 << 20,
        ..Limits::default()
    };
    let mut sandbox = bench.start(Network::Off, limits);
    sandbox.write_file("/most", &vec![1; 6 << 20], 0o644).unwrap();
    let error = sandbox.write_file("/more", &vec![1; 6 << 20], 0o644).unwrap_err();
    assert!(matches!(error, SandboxError::BoxFull { limit_mib: 8 }), "{error}");
    assert_eq!(script(&mut *sandbox, "rm /more; echo fine"), "fine\n");
}
