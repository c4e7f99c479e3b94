//! How commands run, end and are ended.

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use seatrial_sandbox::{Command, Limits, Network, SandboxError, Status, TimeoutKind};

use crate::bench::{Bench, run, script, skip};

pub(crate) fn exit_codes_and_signals_are_told_apart(bench: &Bench) {
    let mut sandbox = bench.quiet();
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

pub(crate) fn a_program_that_is_not_there_is_a_result_as_in_a_shell(bench: &Bench) {
    let mut sandbox = bench.quiet();
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

pub(crate) fn the_streams_are_apart_the_input_is_empty_and_the_folder_is_made(bench: &Bench) {
    let mut sandbox = bench.quiet();
    let command = Command::bash("echo to out; echo to err >&2; cat; pwd").in_folder("/made/on/demand");
    let (execution, output) = run(&mut *sandbox, &command);
    assert_eq!(execution.status, Status::Exited(0));
    assert_eq!(
        (output.out().as_str(), output.err().as_str()),
        ("to out\n/made/on/demand\n", "to err\n")
    );
}

pub(crate) fn merged_output_keeps_the_order(bench: &Bench) {
    let mut sandbox = bench.quiet();
    let mut merged: Vec<u8> = Vec::new();
    let text = "for n in 1 2 3; do echo out $n; sleep 0.1; echo err $n >&2; sleep 0.1; done";
    assert!(sandbox.exec(&Command::bash(text), &mut merged).unwrap().succeeded());
    assert_eq!(
        String::from_utf8_lossy(&merged),
        "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n"
    );
}

pub(crate) fn the_environment_is_small_and_the_commands_own(bench: &Bench) {
    let mut sandbox = bench.quiet();
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

pub(crate) fn a_time_limit_ends_the_whole_tree_also_what_left_its_session(bench: &Bench) {
    let mut sandbox = bench.quiet();
    // A grandchild in a session of its own that ignores every polite signal and would go on writing.
    let text = "setsid bash -c 'trap \"\" HUP TERM INT; (trap \"\" HUP TERM INT; while :; do date +%s%N > /alive; sleep 0.02; done) & disown' &
        while [ ! -e /alive ]; do sleep 0.02; done; sleep 1000";
    let (execution, _) = run(
        &mut *sandbox,
        &Command::bash(text).with_timeout(Duration::from_millis(700)),
    );
    assert_eq!(execution.status, Status::TimedOut(TimeoutKind::Wall));
    let first = script(&mut *sandbox, "cat /alive; set -- /proc/[0-9]*; echo $#");
    let second = script(&mut *sandbox, "sleep 0.3; cat /alive; set -- /proc/[0-9]*; echo $#");
    assert_eq!(first, second, "the grandchild is still writing");
}

pub(crate) fn what_a_command_leaves_running_ends_with_it(bench: &Bench) {
    let mut sandbox = bench.quiet();
    let began = Instant::now();
    // It also keeps the output open, which must not keep the harness waiting.
    script(&mut *sandbox, "setsid sleep 1000 & disown; nohup sleep 1000 & exit 0");
    assert!(began.elapsed() < Duration::from_secs(500));
    assert_eq!(
        script(
            &mut *sandbox,
            "pgrep sleep || cat /proc/[0-9]*/comm | grep -c sleep || true"
        )
        .trim(),
        "0"
    );
}

pub(crate) fn silence_has_a_limit_of_its_own(bench: &Bench) {
    let mut sandbox = bench.quiet();
    let mut silent = Command::bash("echo once; sleep 1000");
    silent.idle_timeout = Some(Duration::from_millis(300));
    let (execution, output) = run(&mut *sandbox, &silent);
    assert_eq!(execution.status, Status::TimedOut(TimeoutKind::Idle));
    assert_eq!(output.out(), "once\n");
    let mut chatty = Command::bash("for n in 1 2 3 4 5 6; do echo; sleep 0.25; done");
    chatty.idle_timeout = Some(Duration::from_secs(20));
    assert_eq!(run(&mut *sandbox, &chatty).0.status, Status::Exited(0));
}

pub(crate) fn a_flood_of_output_is_drained_counted_and_dropped(bench: &Bench) {
    let mut sandbox = bench.quiet();
    let mut command = Command::bash("head -c 50000000 /dev/zero; head -c 3000 /dev/zero >&2");
    command.output_limit = 1000;
    let (execution, output) = run(&mut *sandbox, &command);
    assert_eq!(execution.status, Status::Exited(0));
    assert_eq!((output.out.len(), output.err.len()), (1000, 1000));
    assert_eq!(execution.truncated_bytes, 50_000_000 - 1000 + 2000);
}

pub(crate) fn a_fork_bomb_meets_the_limit_and_the_box_lives_on(bench: &Bench) {
    let limits = Limits {
        processes: 60,
        ..Limits::default()
    };
    let mut sandbox = bench.start(Network::Off, limits);
    let bomb = Command::bash("bomb() { bomb | bomb & }; bomb; sleep 1000").with_timeout(Duration::from_secs(2));
    let (execution, _) = run(&mut *sandbox, &bomb);
    assert!(
        matches!(
            execution.status,
            Status::TimedOut(TimeoutKind::Wall) | Status::Exited(_)
        ),
        "{:?}",
        execution.status
    );
    assert_eq!(script(&mut *sandbox, "echo fine"), "fine\n");
    let many = "n=0; for i in $(seq 100); do sleep 5 & n=$i; done 2>/dev/null; jobs -p | wc -l";
    let (_, output) = run(&mut *sandbox, &Command::bash(many).with_timeout(Duration::from_mins(1)));
    let started: u32 = output.out().trim().parse().unwrap_or(0);
    assert!(started < 60, "{started} processes at once");
}

pub(crate) fn killing_everything_inside_only_hurts_the_command(bench: &Bench) {
    let mut sandbox = bench.quiet();
    assert_eq!(script(&mut *sandbox, "kill -9 1; kill -TERM 1; echo fine"), "fine\n");
    let (execution, _) = run(&mut *sandbox, &Command::bash("sleep 1000 & kill -9 -1; exit 3"));
    assert_eq!(execution.status, Status::Exited(3), "kill(-1) spares the caller");
    let (execution, _) = run(&mut *sandbox, &Command::bash("(kill -9 -1) ; exit 3"));
    assert_eq!(execution.status, Status::Signaled(9));
    assert_eq!(script(&mut *sandbox, "echo fine"), "fine\n");
}

pub(crate) fn time_and_memory_are_measured(bench: &Bench) {
    let mut sandbox = bench.quiet();
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

pub(crate) fn the_disk_has_a_limit(bench: &Bench) {
    let limits = Limits {
        disk_bytes: 64 << 20,
        ..Limits::default()
    };
    let mut sandbox = bench.start(Network::Off, limits);
    let slow = "for n in $(seq 10000); do head -c 4000000 /dev/zero > /fill-$n; sleep 0.05; done";
    let (execution, _) = run(&mut *sandbox, &Command::bash(slow).with_timeout(Duration::from_mins(2)));
    assert_eq!(execution.status, Status::DiskLimit);
    let limits = Limits {
        disk_bytes: 16 << 20,
        ..Limits::default()
    };
    let mut sandbox = bench.start(Network::Off, limits);
    let (execution, _) = run(&mut *sandbox, &Command::bash("head -c 100000000 /dev/zero > /fill"));
    assert_eq!(
        execution.status,
        Status::DiskLimit,
        "also when it is over before anybody looked"
    );
    // Somebody else frees more than the box takes, which hides it in what is free.
    let other = bench.home.join(format!("other-{}", bench.is_container()));
    std::fs::write(&other, vec![1; 64 << 20]).unwrap();
    let limits = Limits {
        disk_bytes: 16 << 20,
        ..Limits::default()
    };
    let mut sandbox = bench.start(Network::Off, limits);
    script(&mut *sandbox, "head -c 4000000 /dev/zero > /first");
    std::fs::remove_file(&other).unwrap();
    let (execution, _) = run(&mut *sandbox, &Command::bash("head -c 30000000 /dev/zero > /fill"));
    assert_eq!(execution.status, Status::DiskLimit, "also when others free as much");
}

pub(crate) fn one_file_has_a_limit(bench: &Bench) {
    let limits = Limits {
        file_bytes: 1 << 20,
        ..Limits::default()
    };
    let mut sandbox = bench.start(Network::Off, limits);
    let (execution, _) = run(&mut *sandbox, &Command::bash("exec head -c 10000000 /dev/zero > /fill"));
    assert_eq!(execution.status, Status::Signaled(25), "SIGXFSZ");
}

pub(crate) fn a_full_host_is_the_hosts_fault(bench: &Bench) {
    let limits = Limits {
        host_reserve_bytes: u64::MAX,
        ..Limits::default()
    };
    let mut sandbox = bench.start(Network::Off, limits);
    let error = sandbox.exec(&Command::bash("true"), &mut Vec::new()).unwrap_err();
    assert!(matches!(error, SandboxError::HostDiskFull { .. }), "{error}");
    assert_eq!(error.invalid_reason(), seatrial_core::InvalidReason::DiskFull);
}

pub(crate) fn the_stop_switch_ends_the_command_and_refuses_later_ones(bench: &Bench) {
    let mut sandbox = bench.quiet();
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

pub(crate) fn memory_has_a_limit_and_its_victims_are_counted(bench: &Bench) {
    let kept = bench.factory().enforcement();
    let memory = kept.iter().find(|enforcement| enforcement.limit == "memory");
    if let Some(memory) = memory.filter(|memory| !memory.enforced) {
        skip(memory.how.clone());
    }
    let limits = Limits {
        memory_bytes: Some(128 << 20),
        ..Limits::default()
    };
    let mut sandbox = bench.start(Network::Off, limits);
    let (execution, _) = run(
        &mut *sandbox,
        &Command::bash("exec python3 -c 'b = bytearray(1 << 30)'"),
    );
    // Python is killed, or is told that there is no more.
    assert!(!execution.succeeded(), "{execution:?}");
    if execution.status == Status::Signaled(9) {
        assert!(execution.memory_kills > 0, "{execution:?}");
    }
    assert!(execution.peak_kib < 200 << 10, "{} KiB", execution.peak_kib);
    assert_eq!(script(&mut *sandbox, "echo fine"), "fine\n");
}
