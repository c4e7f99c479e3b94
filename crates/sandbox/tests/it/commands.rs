//! How commands run, end and are ended.

use std::{sync::atomic::Ordering, time::Duration};

use seatrial_sandbox::{Command, Limits, Network, SandboxError, Status, TimeoutKind};

use crate::support::{quiet_box, run, script, start};

#[test]
fn exit_codes_and_signals_are_told_apart() {
    let Some(mut sandbox) = quiet_box() else { return };
    for (text, status) in [
        ("true", Status::Exited(0)),
        ("exit 7", Status::Exited(7)),
        ("exit 137", Status::Exited(137)),
        ("kill -KILL $$", Status::Signaled(9)),
        ("kill -SEGV $$", Status::Signaled(11)),
        ("kill -TERM $$", Status::Signaled(15)),
        ("no-such-program", Status::Exited(127)),
    ] {
        let (execution, _) = run(&mut *sandbox, &Command::bash(text));
        assert_eq!(execution.status, status, "{text}");
    }
}

#[test]
fn a_program_that_is_not_there_is_a_result_as_in_a_shell() {
    let Some(mut sandbox) = quiet_box() else { return };
    for (program, code) in [
        ("no-such-program", 127),
        ("/no/such/program", 127),
        ("/etc/passwd", 126),
        ("/etc", 126),
    ] {
        let mut command = Command::bash("");
        command.argv = vec![program.to_owned()];
        let (execution, output) = run(&mut *sandbox, &command);
        assert_eq!(execution.status, Status::Exited(code), "{program}");
        assert!(output.err().contains(program), "{}", output.err());
    }
}

#[test]
fn the_streams_are_apart_the_input_is_empty_and_the_folder_is_made() {
    let Some(mut sandbox) = quiet_box() else { return };
    let command = Command::bash("echo to out; echo to err >&2; cat; pwd").in_folder("/made/on/demand");
    let (execution, output) = run(&mut *sandbox, &command);
    assert_eq!(execution.status, Status::Exited(0));
    assert_eq!(
        (output.out().as_str(), output.err().as_str()),
        ("to out\n/made/on/demand\n", "to err\n")
    );
}

#[test]
fn merged_output_keeps_the_order() {
    let Some(mut sandbox) = quiet_box() else { return };
    let mut merged: Vec<u8> = Vec::new();
    let text = "for n in 1 2 3; do echo out $n; sleep 0.1; echo err $n >&2; sleep 0.1; done";
    assert!(sandbox.exec(&Command::bash(text), &mut merged).unwrap().succeeded());
    assert_eq!(
        String::from_utf8_lossy(&merged),
        "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n"
    );
}

#[test]
fn the_environment_is_small_and_the_commands_own() {
    let Some(mut sandbox) = quiet_box() else { return };
    let mut command = Command::bash("")
        .with_env("COLOUR", "green = blue")
        .with_env("LANG", "C");
    command.argv = vec!["env".to_owned()];
    let (_, output) = run(&mut *sandbox, &command);
    let text = output.out();
    let mut names: Vec<_> = text.lines().filter_map(|line| line.split('=').next()).collect();
    names.sort_unstable();
    for name in &names {
        assert!(
            ["COLOUR", "HOME", "LANG", "PATH", "TERM", "USER"].contains(name),
            "{name} leaked in"
        );
    }
    for wanted in ["COLOUR=green = blue", "LANG=C", "HOME=/root"] {
        assert!(text.lines().any(|line| line == wanted), "{wanted} in {text}");
    }
}

#[test]
fn silence_has_a_limit_of_its_own() {
    let Some(mut sandbox) = quiet_box() else { return };
    let mut silent = Command::bash("echo once; sleep 1000");
    silent.idle_timeout = Some(Duration::from_millis(300));
    let (execution, output) = run(&mut *sandbox, &silent);
    assert_eq!(execution.status, Status::TimedOut(TimeoutKind::Idle));
    assert_eq!(output.out(), "once\n");
    let mut chatty = Command::bash("for n in 1 2 3 4 5 6; do echo; sleep 0.25; done");
    chatty.idle_timeout = Some(Duration::from_secs(20));
    assert_eq!(run(&mut *sandbox, &chatty).0.status, Status::Exited(0));
}

#[test]
fn time_and_memory_are_measured() {
    let Some(mut sandbox) = quiet_box() else { return };
    let text = "python3 -c 'b = bytearray(200 << 20); n = sum(range(3000000))'";
    let (execution, _) = run(&mut *sandbox, &Command::bash(text));
    assert!(execution.succeeded());
    assert!(execution.peak_kib > 200 << 10, "{} KiB", execution.peak_kib);
    assert!(
        execution.cpu > Duration::from_millis(5) && execution.cpu < Duration::from_secs(100),
        "{:?}",
        execution.cpu
    );
}

#[test]
fn one_file_has_a_limit() {
    let limits = Limits {
        file_bytes: 1 << 20,
        ..Limits::default()
    };
    let Some(mut sandbox) = start(Network::Off, limits) else {
        return;
    };
    let (execution, _) = run(&mut *sandbox, &Command::bash("exec head -c 10000000 /dev/zero > /fill"));
    assert_eq!(execution.status, Status::Signaled(25), "SIGXFSZ");
}

#[test]
fn a_full_host_is_the_hosts_fault() {
    let limits = Limits {
        host_reserve_bytes: u64::MAX,
        ..Limits::default()
    };
    let Some(mut sandbox) = start(Network::Off, limits) else {
        return;
    };
    let error = sandbox.exec(&Command::bash("true"), &mut Vec::new()).unwrap_err();
    assert!(matches!(error, SandboxError::HostDiskFull { .. }), "{error}");
    assert_eq!(error.invalid_reason(), seatrial_core::InvalidReason::DiskFull);
}

#[test]
fn the_stop_switch_ends_the_command_and_refuses_later_ones() {
    let Some(mut sandbox) = quiet_box() else { return };
    let switch = sandbox.stopper();
    let mut sink = Throw(switch.clone());
    let error = sandbox
        .exec(&Command::bash("echo started; sleep 1000"), &mut sink)
        .unwrap_err();
    assert!(matches!(error, SandboxError::Interrupted), "{error}");
    let error = sandbox.exec(&Command::bash("true"), &mut Vec::new()).unwrap_err();
    assert!(matches!(error, SandboxError::Interrupted), "{error}");
    switch.store(false, Ordering::SeqCst);
    assert_eq!(script(&mut *sandbox, "echo fine"), "fine\n");
}

/// Throws the switch at the first output.
struct Throw(std::sync::Arc<std::sync::atomic::AtomicBool>);

impl seatrial_sandbox::OutputSink for Throw {
    fn bytes(&mut self, _: seatrial_sandbox::Stream, _: &[u8]) {
        self.0.store(true, Ordering::SeqCst);
    }
}
