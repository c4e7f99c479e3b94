//! Attacks with processes, and on those of others.

use std::time::{Duration, Instant};

use seatrial_sandbox::{Command, Limits, Network, Status, TimeoutKind};

use super::{python, refused};
use crate::{
    limits::is_enforced,
    support::{quiet_box, run, script, start},
};

#[test]
fn a_fork_bomb_meets_the_limit_and_the_box_lives_on() {
    let limits = Limits {
        processes: 60,
        ..Limits::default()
    };
    let Some(mut sandbox) = start(Network::Off, limits) else {
        return;
    };
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

#[test]
fn a_fork_bomb_of_many_users_meets_the_same_limit() {
    if !is_enforced("processes") {
        return;
    }
    let limits = Limits {
        processes: 400,
        ..Limits::default()
    };
    let Some(mut sandbox) = start(Network::Off, limits) else {
        return;
    };
    let program = "
import os, signal, time
count = 0
for user in range(20):
    for _ in range(100):
        try: child = os.fork()
        except OSError: break
        if child == 0:
            try: os.setuid(1000 + user)
            except OSError: pass
            signal.pause()
        count += 1
print(count)
os.kill(-1, signal.SIGKILL)
";
    sandbox.write_file("/many.py", program.as_bytes(), 0o644).unwrap();
    let (_, output) = run(
        &mut *sandbox,
        &Command::bash("python3 /many.py").with_timeout(Duration::from_mins(2)),
    );
    let count: u32 = output.out().trim().parse().unwrap();
    assert!((50..=400).contains(&count), "{count}");
}

#[test]
fn a_daemon_ends_with_its_command() {
    let Some(mut sandbox) = quiet_box() else { return };
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

#[test]
fn a_process_that_ignores_signals_in_a_session_of_its_own_ends_at_the_time_limit() {
    let Some(mut sandbox) = quiet_box() else { return };
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

#[test]
fn killing_everything_inside_only_hurts_the_command() {
    let Some(mut sandbox) = quiet_box() else { return };
    assert_eq!(script(&mut *sandbox, "kill -9 1; kill -TERM 1; echo fine"), "fine\n");
    let (execution, _) = run(&mut *sandbox, &Command::bash("sleep 1000 & kill -9 -1; exit 3"));
    assert_eq!(execution.status, Status::Exited(3), "kill(-1) spares the caller");
    let (execution, _) = run(&mut *sandbox, &Command::bash("(kill -9 -1) ; exit 3"));
    assert_eq!(execution.status, Status::Signaled(9));
    assert_eq!(script(&mut *sandbox, "echo fine"), "fine\n");
}

#[test]
fn a_process_that_forked_twice_and_lost_its_parents_ends_with_its_command() {
    let Some(mut sandbox) = quiet_box() else { return };
    let program = "
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 100)
        while True:
            open('/new', 'w').write(str(time.time_ns()) + '\\n')
            os.rename('/new', '/alive')
    os._exit(0)
os.wait()
while not os.path.exists('/alive'): pass
";
    python(&mut *sandbox, program);
    let seen = script(&mut *sandbox, "cat /alive; sleep 0.2; cat /alive");
    let times: Vec<_> = seen.lines().collect();
    assert_eq!(times.first(), times.get(1), "{seen}");
}

#[test]
fn the_first_process_of_a_box_can_be_neither_read_nor_traced_nor_stopped() {
    let Some(mut sandbox) = quiet_box() else { return };
    for way in [
        "cat /proc/1/mem",
        "cat /proc/1/maps | grep .",
        "cat /proc/1/environ | grep .",
        "ls /proc/1/fd/ | grep .",
        "ls /proc/1/root/ | grep .",
        "echo 1000 > /proc/1/oom_score_adj",
        "python3 -c 'import ctypes; exit(0 if ctypes.CDLL(None).ptrace(16, 1, 0, 0) == 0 else 1)'",
    ] {
        refused(&mut *sandbox, way);
    }
    // Its death would be the command's own; that it does not stop is what keeps the reaping going.
    assert_eq!(
        script(&mut *sandbox, "kill -STOP 1; sleep 0.1 & wait; echo fine"),
        "fine\n"
    );
}

#[test]
fn the_harness_and_the_supervisor_can_be_neither_seen_nor_signalled_nor_traced() {
    let Some(mut sandbox) = quiet_box() else { return };
    let harness = std::process::id();
    let program = format!(
        "
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
mine = {{int(name) for name in os.listdir('/proc') if name.isdigit()}}
reached = []
for pid in list(range(2, 70000)) + [{harness}]:
    if pid in mine: continue
    try:
        os.kill(pid, 0)
        reached.append(pid)
    except ProcessLookupError: pass
    if libc.ptrace(16, pid, 0, 0) == 0: reached.append(-pid)
print(len(mine) < 5, reached)
"
    );
    assert_eq!(python(&mut *sandbox, &program), "True []\n");
}

#[test]
fn a_huge_environment_is_a_plain_error() {
    let Some(mut sandbox) = quiet_box() else { return };
    for command in [
        Command::bash("true").with_env("HUGE", "x".repeat(10 << 20)),
        (0..100_000).fold(Command::bash("true"), |command, number| {
            command.with_env(format!("V{number}"), "x".repeat(60))
        }),
        Command::bash("true").with_env("CUT\0OFF", "x"),
        Command::bash("true").with_env("CUT", "o\0ff"),
        Command::bash("x".repeat(10 << 20)),
    ] {
        let (execution, output) = run(&mut *sandbox, &command);
        assert_eq!(execution.status, Status::Exited(126), "{}", output.err());
        assert!(output.err().contains("/bin/bash"), "{}", output.err());
    }
    assert_eq!(script(&mut *sandbox, "echo fine"), "fine\n");
}
