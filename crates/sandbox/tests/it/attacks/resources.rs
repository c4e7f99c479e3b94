//! Attacks that use something up.

use std::time::Duration;

use expect_test::expect;
use seatrial_sandbox::{ChangeKind, Command, Limits, Network, SandboxError, Status};

use super::python;
use crate::{
    limits::is_enforced,
    support::{quiet_box, run, script, start},
};

#[test]
fn a_memory_bomb_ends_and_is_counted() {
    if !is_enforced("memory") {
        return;
    }
    let limits = Limits {
        memory_bytes: Some(96 << 20),
        ..Limits::default()
    };
    let Some(mut sandbox) = start(Network::Off, limits) else {
        return;
    };
    let (execution, _) = run(
        &mut *sandbox,
        &Command::bash("exec python3 -c 'b = bytearray(40 << 20)'"),
    );
    assert_eq!((execution.status, execution.memory_kills), (Status::Exited(0), 0));
    for _ in 0..2 {
        let (execution, _) = run(
            &mut *sandbox,
            &Command::bash("exec python3 -c 'b = bytearray(400 << 20)'"),
        );
        assert_eq!((execution.status, execution.memory_kills), (Status::Signaled(9), 1));
    }
    // Memory that looks like files is memory, and filling it must not make the box useless.
    let (execution, output) = run(
        &mut *sandbox,
        &Command::bash("head -c 400000000 /dev/zero > /dev/shm/fill"),
    );
    assert_eq!(execution.status, Status::Exited(1), "{}", output.err());
    assert_eq!(script(&mut *sandbox, "rm -f /dev/shm/fill; echo fine"), "fine\n");
}

#[test]
fn a_disk_bomb_is_stopped() {
    let limits = Limits {
        disk_bytes: 64 << 20,
        ..Limits::default()
    };
    let Some(mut sandbox) = start(Network::Off, limits) else {
        return;
    };
    let slow = "for n in $(seq 10000); do head -c 4000000 /dev/zero > /fill-$n; sleep 0.05; done";
    let (execution, _) = run(&mut *sandbox, &Command::bash(slow).with_timeout(Duration::from_mins(2)));
    assert_eq!(execution.status, Status::DiskLimit);
    let limits = Limits {
        disk_bytes: 16 << 20,
        ..Limits::default()
    };
    let Some(mut sandbox) = start(Network::Off, limits) else {
        return;
    };
    let (execution, _) = run(&mut *sandbox, &Command::bash("head -c 100000000 /dev/zero > /fill"));
    assert_eq!(
        execution.status,
        Status::DiskLimit,
        "also when it is over before anybody looked"
    );
}

#[test]
fn a_disk_bomb_in_a_file_without_a_name_is_stopped() {
    let limits = Limits {
        disk_bytes: 64 << 20,
        ..Limits::default()
    };
    let Some(mut sandbox) = start(Network::Off, limits) else {
        return;
    };
    let script = "exec 9>/gone; rm /gone; while :; do head -c 1M /dev/zero >&9; done";
    let (execution, _) = run(&mut *sandbox, &Command::bash(script));
    assert_eq!(execution.status, Status::DiskLimit);
}

#[test]
fn endless_output_is_drained_counted_and_dropped() {
    let Some(mut sandbox) = quiet_box() else { return };
    let mut command = Command::bash("head -c 50000000 /dev/zero; head -c 3000 /dev/zero >&2");
    command.output_limit = 1000;
    let (execution, output) = run(&mut *sandbox, &command);
    assert_eq!(execution.status, Status::Exited(0));
    assert_eq!((output.out.len(), output.err.len()), (1000, 1000));
    assert_eq!(execution.truncated_bytes, 50_000_000 - 1000 + 2000);
}

#[test]
fn a_memory_bomb_of_many_small_processes_hurts_the_command_only() {
    if !is_enforced("memory") {
        return;
    }
    let limits = Limits {
        memory_bytes: Some(128 << 20),
        ..Limits::default()
    };
    let Some(mut sandbox) = start(Network::Off, limits) else {
        return;
    };
    let program = "
import os, signal
for number in range(200):
    if os.fork() == 0:
        kept = os.urandom(4 << 20)
        signal.pause()
os.wait()
";
    sandbox.write_file("/bomb.py", program.as_bytes(), 0o644).unwrap();
    let bomb = Command::bash("python3 /bomb.py; true").with_timeout(Duration::from_mins(2));
    let (execution, _) = run(&mut *sandbox, &bomb);
    assert!(execution.memory_kills > 0, "{execution:?}");
    assert_eq!(script(&mut *sandbox, "echo fine"), "fine\n");
}

#[test]
fn the_folder_of_devices_is_no_store() {
    let Some(mut sandbox) = quiet_box() else { return };
    let (execution, output) = run(&mut *sandbox, &Command::bash("head -c 100000000 /dev/zero > /dev/fill"));
    assert_eq!(execution.status, Status::Exited(1));
    assert!(output.err().contains("No space left"), "{}", output.err());
}

#[test]
fn a_bomb_of_files_without_content_is_stopped() {
    let limits = Limits {
        disk_bytes: 64 << 20,
        ..Limits::default()
    };
    let Some(mut sandbox) = start(Network::Off, limits) else {
        return;
    };
    let program = "
import os
os.mkdir('/many')
for number in range(10_000_000): os.close(os.open(f'/many/{number}', os.O_CREAT | os.O_WRONLY))
";
    sandbox.write_file("/many.py", program.as_bytes(), 0o644).unwrap();
    let (execution, _) = run(&mut *sandbox, &Command::bash("python3 /many.py"));
    assert_eq!(execution.status, Status::DiskLimit);
}

#[test]
fn files_that_are_all_holes_are_not_read_for_ever() {
    let Some(mut sandbox) = quiet_box() else { return };
    let before = sandbox.snapshot().unwrap();
    script(
        &mut *sandbox,
        "mkdir /w; for i in {1..100}; do truncate -s 8G /w/$i; done",
    );
    let error = sandbox.read_tree("/w", &mut std::io::sink()).unwrap_err();
    expect!["reading files: work on files: /w: /w/./1: files with holes beyond all measure are not read"]
        .assert_eq(&error.to_string());
    assert_eq!(sandbox.read_file("/w/1", 10).unwrap().bytes.len(), 10);
    let changes = sandbox.changes(&before).unwrap();
    let special = changes
        .iter()
        .filter(|change| change.kind == ChangeKind::Special)
        .count();
    assert_eq!((changes.len(), special), (101, 100));
}

#[test]
fn the_harness_cannot_be_made_to_overfill_a_box() {
    let limits = Limits {
        disk_bytes: 8 << 20,
        ..Limits::default()
    };
    let Some(mut sandbox) = start(Network::Off, limits) else {
        return;
    };
    sandbox.write_file("/most", &vec![1; 6 << 20], 0o644).unwrap();
    let error = sandbox.write_file("/more", &vec![1; 6 << 20], 0o644).unwrap_err();
    assert!(matches!(error, SandboxError::BoxFull { limit_mib: 8 }), "{error}");
    let mut header = tar::Header::new_gnu();
    header.set_path("endless").unwrap();
    header.set_size(1 << 40);
    header.set_mode(0o644);
    header.set_cksum();
    let mut endless = std::io::Read::chain(header.as_bytes().as_slice(), std::io::repeat(1));
    let error = sandbox.write_tree("/w", &mut endless).unwrap_err();
    assert!(matches!(error, SandboxError::BoxFull { limit_mib: 8 }), "{error}");
    assert_eq!(script(&mut *sandbox, "rm -r /more /w; echo fine"), "fine\n");
}

#[test]
fn names_that_no_text_has_come_back_as_they_are() {
    let Some(mut sandbox) = quiet_box() else { return };
    let before = sandbox.snapshot().unwrap();
    let program = r#"
import os
os.makedirs(b'/w/new\nline')
for name in [b'bad\xff\xfeutf', b'new\nline/in\tside', b'\x1b[31mred', b'-rf', b'..\\..', b'\xe2\x80\xaeback']:
    open(b'/w/' + name, 'w').write('x')
"#;
    python(&mut *sandbox, program);
    let changes = sandbox.changes(&before).unwrap();
    assert_eq!(
        changes.iter().filter(|change| change.path.starts_with("/w/")).count(),
        7,
        "{changes:?}"
    );
    let mut tar = Vec::new();
    sandbox.read_tree("/w", &mut tar).unwrap();
    sandbox.write_tree("/copy", &mut &tar[..]).unwrap();
    let listed = "diff -r /w /copy && LC_ALL=C ls -A --quoting-style=c /copy";
    expect![[r#"
        "\033[31mred"
        "-rf"
        "..\\.."
        "bad\377\376utf"
        "new\nline"
        "\342\200\256back"
    "#]]
    .assert_eq(&script(&mut *sandbox, listed));
}
