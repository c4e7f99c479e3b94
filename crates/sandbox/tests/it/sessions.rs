//! Shells that stay between commands.

use std::{fmt::Write as _, sync::atomic::Ordering, time::Duration};

use seatrial_sandbox::{
    Command, Limits, Network, OutputSink, Sandbox, SandboxError, Session, SessionCommand, SessionExecution,
    SessionSpec, Status, Stream, TimeoutKind,
};

use crate::support::{Output, quiet_box, script, start};

fn open(sandbox: &mut dyn Sandbox) -> Session {
    let spec = SessionSpec {
        env: [("GIVEN".to_owned(), "so".to_owned())].into(),
        folder: "/w".to_owned(),
    };
    sandbox.open_session(&spec).unwrap()
}

fn command(text: &str) -> SessionCommand {
    SessionCommand {
        script: text.to_owned(),
        timeout: Some(Duration::from_secs(30)),
        idle_timeout: None,
        output_limit: 1 << 20,
    }
}

fn run(sandbox: &mut dyn Sandbox, session: Session, command: &SessionCommand) -> (SessionExecution, Output) {
    let mut output = Output::default();
    let ran = sandbox.run_in_session(session, command, &mut output).unwrap();
    (ran, output)
}

/// Runs scripts one after another; each line tells how one went.
fn told(sandbox: &mut dyn Sandbox, session: Session, scripts: &[&str]) -> String {
    let mut text = String::new();
    for script in scripts {
        let (ran, output) = run(sandbox, session, &command(script));
        let status = match ran.execution.status {
            Status::Exited(code) => code.to_string(),
            other => format!("{other:?}"),
        };
        let restarted = if ran.restarted { " restarted" } else { "" };
        let _ = writeln!(text, "{status}{restarted} {:?} {:?}", output.out(), output.err());
    }
    text
}

#[test]
fn a_shell_keeps_what_it_is_told() {
    let Some(mut sandbox) = quiet_box() else { return };
    let sandbox = &mut *sandbox;
    let session = open(sandbox);
    let scripts = [
        "pwd; echo $GIVEN; X='a b'; export Y=2; f() { echo \"f $1 $X\"; }; alias hi='echo hello'; set -o pipefail; cd /tmp",
        "pwd; f 1; env | grep ^Y; hi; false | true; echo $?",
        "sleep 1000 & echo one",
        "jobs -r | wc -l; kill %1; wait; cat <<'END'\nit's $X\nEND",
        "cat; read line; echo \"[$line]\"",
        "(exit 3)",
        "echo $?; exec 7<>/tmp/kept; echo kept >&7",
        "cat /tmp/kept; exec 7>&-; ls /proc/self/fd | wc -l",
        "exec >/tmp/hidden; echo hidden",
        "cat /tmp/hidden; echo out; echo err >&2",
        "trap 'echo trapped' USR1; kill -USR1 $$",
        "set -x",
        "echo traced",
        "set +x",
    ];
    let wanted = expect_test::expect![[r#"
        0 "/w\nso\n" ""
        0 "/tmp\nf 1 a b\nY=2\nhello\n1\n" ""
        0 "one\n" ""
        0 "1\nit's $X\n" ""
        0 "[]\n" ""
        3 "" ""
        0 "3\n" ""
        0 "kept\n4\n" ""
        0 "" ""
        0 "hidden\nout\n" "err\n"
        0 "trapped\n" ""
        0 "" ""
        0 "traced\n" "++ echo traced\n"
        0 "" "++ set +x\n"
    "#]];
    wanted.assert_eq(&told(sandbox, session, &scripts));
}

#[test]
fn what_ends_a_shell_does_not_end_the_session() {
    let Some(mut sandbox) = quiet_box() else { return };
    let sandbox = &mut *sandbox;
    let session = open(sandbox);
    let scripts = [
        "cd /tmp; X=1; f() { echo \"f $X\"; }; alias hi='echo hello'",
        "X=2; cd /; exit 5",
        "pwd; f; hi",
        "kill -9 $$",
        "f",
        "exec bash -c 'echo instead; exit 4'",
        "f; set -eu -o pipefail",
        "false; echo not reached",
        "echo $-; f",
        "echo ${nothing}",
        "f; set +eu",
        "if then; echo",
        "echo 'unfinished",
        "f",
        "trap 'echo bye' EXIT",
        "exit 1",
        "trap -p; kill -TERM $$",
        "set -o posix; eval 'if then'",
        "X=kept",
        "readonly R=1; R=2; echo no",
        "echo $R $X",
    ];
    let wanted = expect_test::expect![[r#"
        0 "" ""
        5 restarted "" ""
        0 "/tmp\nf 1\nhello\n" ""
        Signaled(9) restarted "" ""
        0 "f 1\n" ""
        4 restarted "instead\n" ""
        0 "f 1\n" ""
        1 restarted "" ""
        0 "ehuBs\nf 1\n" ""
        1 restarted "" "bash: line 152: nothing: unbound variable\n"
        0 "f 1\n" ""
        2 "" "bash: eval: line 152: syntax error near unexpected token `then'\nbash: eval: line 152: `if then; echo'\n"
        2 restarted "" "bash: eval: line 155: unexpected EOF while looking for matching `''\n"
        0 "f 1\n" ""
        0 "" ""
        1 restarted "bye\n" ""
        Signaled(15) restarted "trap -- 'echo bye' EXIT\nbye\n" ""
        2 restarted "bye\n" "bash: eval: line 151: syntax error near unexpected token `then'\nbash: eval: line 151: `if then'\n"
        0 "" ""
        1 "" "bash: line 153: R: readonly variable\n"
        0 "1 kept\n" ""
    "#]];
    wanted.assert_eq(&told(sandbox, session, &scripts));
}

#[test]
fn limits_end_what_a_script_started_and_nothing_more() {
    let Some(mut sandbox) = quiet_box() else { return };
    let sandbox = &mut *sandbox;
    let session = open(sandbox);
    script(sandbox, "mkdir -p /w");
    let setup =
        "cd /tmp; X=1; f() { echo f $X; }; (while [ ! -e /w/stop ]; do sleep 0.05; done; echo > /w/stopped) & JOB=$!";
    assert_eq!(told(sandbox, session, &[setup]), "0 \"\" \"\"\n");
    let limits = [
        (
            Some(Duration::from_millis(300)),
            None,
            TimeoutKind::Wall,
            "while :; do echo; done",
        ),
        (
            Some(Duration::from_secs(30)),
            Some(Duration::from_millis(300)),
            TimeoutKind::Idle,
            "sleep 1000",
        ),
    ];
    for (timeout, idle_timeout, kind, end) in limits {
        let text = format!(
            "X=2; cd /; setsid nohup bash -c 'exec -a survivor sleep 1000' & (trap '' TERM INT HUP; bash -c 'exec -a survivor sleep 1000' & exec sleep 1000) & echo started; {end}"
        );
        let limited = SessionCommand {
            timeout,
            idle_timeout,
            ..command(&text)
        };
        let (ran, output) = run(sandbox, session, &limited);
        assert_eq!(ran.execution.status, Status::TimedOut(kind));
        assert!(ran.restarted);
        assert!(output.out().starts_with("started\n"));
        let after = "pwd; f; grep -l [s]urvivor /proc/[0-9]*/cmdline 2>/dev/null; kill -0 $JOB && echo job";
        let (ran, output) = run(sandbox, session, &command(after));
        assert!(!ran.restarted, "it was told already");
        assert_eq!(
            (output.out(), output.err()),
            ("/tmp\nf 1\njob\n".to_owned(), String::new())
        );
    }
    let (ran, _) = run(
        sandbox,
        session,
        &command("echo > /w/stop; while [ ! -e /w/stopped ]; do sleep 0.05; done"),
    );
    assert!(ran.execution.succeeded(), "the job of an earlier script goes on");
}

#[test]
fn output_is_passed_on_whole_apart_and_within_its_limit() {
    let Some(mut sandbox) = quiet_box() else { return };
    let sandbox = &mut *sandbox;
    let session = open(sandbox);
    let text = "head -c 700000 /dev/zero; echo end; head -c 300000 /dev/zero >&2; printf '\\1\\377\\0' >&2";
    let (ran, output) = run(sandbox, session, &command(text));
    assert!(ran.execution.succeeded());
    assert_eq!((output.out.len(), output.err.len()), (700_004, 300_003));
    assert!(output.out.ends_with(b"end\n") && output.err.ends_with(&[1, 255, 0]));
    let limited = SessionCommand {
        output_limit: 10,
        ..command("seq 100000; echo done > /w/done")
    };
    let (ran, output) = run(sandbox, session, &limited);
    assert_eq!(output.out, b"1\n2\n3\n4\n5\n");
    assert_eq!(ran.execution.truncated_bytes, 588_895 - 10);
    assert_eq!(script(sandbox, "cat /w/done"), "done\n");
    // A job that never stops writing holds nobody up, and a long script is no trouble.
    let (ran, _) = run(
        sandbox,
        session,
        &SessionCommand {
            output_limit: 100,
            ..command("yes & echo")
        },
    );
    assert!(ran.execution.succeeded());
    let long = format!(": '{}'; echo done >&2; kill %1", "x".repeat(300_000));
    let (ran, output) = run(
        sandbox,
        session,
        &SessionCommand {
            output_limit: 100,
            ..command(&long)
        },
    );
    assert!(ran.execution.succeeded());
    assert_eq!(output.err(), "done\n");
    let (ran, output) = run(sandbox, session, &command("a\0b"));
    assert_eq!(ran.execution.status, Status::Exited(126));
    assert!(output.err().contains("NUL byte"));
}

#[test]
fn output_cannot_be_taken_for_a_report() {
    let Some(mut sandbox) = quiet_box() else { return };
    let sandbox = &mut *sandbox;
    let session = open(sandbox);
    // A program has none of the shell's own descriptors, and a part of the script that looks for them does not know what a
    // report begins with.
    let text = "for n in {3..255}; do (eval \"printf '%s\\0' 'x 0' '' / '' '' x >&$n\") >/dev/null 2>&1; done
        bash -c 'for n in {3..255}; do printf \"0\\0\\0\\0\\0\\0\" >&$n; done' 2>/dev/null; exit 9";
    let (ran, _) = run(sandbox, session, &command(text));
    assert_eq!((ran.execution.status, ran.restarted), (Status::Exited(9), true));
    assert_eq!(told(sandbox, session, &["echo on"]), "0 \"on\\n\" \"\"\n");
    assert_eq!(
        told(sandbox, session, &["ls -l /proc/self/fd | grep -c pipe"]),
        "0 \"2\\n\" \"\"\n",
        "a program has its two outputs and no more of ours"
    );
}

#[test]
fn what_a_script_costs_is_its_own() {
    let Some(mut sandbox) = quiet_box() else { return };
    let sandbox = &mut *sandbox;
    let session = open(sandbox);
    let busy = "python3 -c \"x = bytearray(200 << 20); n = sum(range(10000000))\"";
    let (ran, _) = run(sandbox, session, &command(busy));
    assert!(ran.execution.cpu > Duration::from_millis(50), "{:?}", ran.execution);
    assert!(ran.execution.peak_kib > 150 << 10, "{:?}", ran.execution);
    let (ran, _) = run(sandbox, session, &command("true"));
    assert!(ran.execution.cpu < Duration::from_millis(50), "{:?}", ran.execution);
    assert!(ran.execution.peak_kib < 50 << 10, "{:?}", ran.execution);
    assert!(ran.execution.peak_kib > 0);
    // Also when the shell goes with it.
    let (ran, _) = run(sandbox, session, &command(&format!("{busy}; exit 1")));
    assert!(ran.execution.cpu > Duration::from_millis(50), "{:?}", ran.execution);
    let (ran, _) = run(sandbox, session, &command("for n in {1..100000}; do :; done"));
    assert!(ran.execution.cpu > Duration::from_millis(5), "{:?}", ran.execution);
}

#[test]
fn sessions_live_beside_commands_and_file_work() {
    let Some(mut sandbox) = quiet_box() else { return };
    let sandbox = &mut *sandbox;
    let (one, two) = (open(sandbox), open(sandbox));
    assert_ne!(one, two);
    assert_eq!(told(sandbox, one, &["X=1; echo from session > file"]), "0 \"\" \"\"\n");
    assert_eq!(
        told(sandbox, two, &["X=2; exec -a other sleep 1000 &"]),
        "0 \"\" \"\"\n"
    );
    assert_eq!(
        script(
            sandbox,
            "cat /w/file; ls /proc | grep -c '^[0-9]'; kill -9 -1; echo here"
        ),
        "from session\n4\nhere\n"
    );
    sandbox.write_file("/w/file", b"from outside\n", 0o644).unwrap();
    assert_eq!(
        told(sandbox, one, &["cat file; echo $X"]),
        "0 \"from outside\\n1\\n\" \"\"\n"
    );
    assert_eq!(
        told(sandbox, two, &["jobs -r | wc -l; echo $X"]),
        "0 \"1\\n2\\n\" \"\"\n"
    );
    sandbox.close_session(two).unwrap();
    for gone in [two, Session(99)] {
        sandbox
            .run_in_session(gone, &command("true"), &mut Vec::new())
            .unwrap_err();
        sandbox.close_session(gone).unwrap_err();
    }
    assert_eq!(told(sandbox, one, &["echo $X"]), "0 \"1\\n\" \"\"\n");
}

#[test]
fn a_session_survives_snapshots_and_rollbacks_with_its_state() {
    let Some(mut sandbox) = quiet_box() else { return };
    let sandbox = &mut *sandbox;
    let session = open(sandbox);
    assert_eq!(
        told(sandbox, session, &["X=1; echo 1 > file; sleep 1000 &"]),
        "0 \"\" \"\"\n"
    );
    let first = sandbox.snapshot().unwrap();
    assert_eq!(
        told(
            sandbox,
            session,
            &["echo $X; pwd; jobs; mkdir new; cd new; X=2; echo 2 > ../file"]
        ),
        "0 restarted \"1\\n/w\\n\" \"\"\n"
    );
    let second = sandbox.snapshot().unwrap();
    sandbox.snapshot().unwrap();
    assert_eq!(told(sandbox, session, &["pwd"]), "0 restarted \"/w/new\\n\" \"\"\n");
    sandbox.rollback(&first).unwrap();
    assert_eq!(
        told(sandbox, session, &["pwd; echo $X; cat /w/file", "pwd"]),
        "0 restarted \"/\\n2\\n1\\n\" \"seatrial: the folder /w/new is not there any more; the shell is in / now\\n\"\n0 \"/\\n\" \"\"\n"
    );
    sandbox.rollback(&second).unwrap_err();
    // A snapshot of an unchanged state disturbs nobody.
    let job = "sleep 1000 & echo";
    told(sandbox, session, &[job]);
    sandbox.snapshot().unwrap();
    assert_eq!(told(sandbox, session, &["jobs -r | wc -l"]), "0 \"1\\n\" \"\"\n");
}

#[test]
fn a_session_fills_no_disk() {
    let limits = Limits {
        disk_bytes: 64 << 20,
        ..Limits::default()
    };
    let Some(mut sandbox) = start(Network::Off, limits) else {
        return;
    };
    let sandbox = &mut *sandbox;
    let session = open(sandbox);
    let (ran, _) = run(sandbox, session, &command("X=1; cat /dev/zero > /w/full"));
    assert_eq!(ran.execution.status, Status::DiskLimit);
    assert!(ran.restarted);
    let (ran, output) = run(sandbox, session, &command("rm /w/full; echo \"[$X]\""));
    assert!(ran.execution.succeeded(), "{:?}", ran.execution);
    assert_eq!(output.out(), "[]\n");
}

/// Throws the stop switch when something is said.
struct Stop(std::sync::Arc<std::sync::atomic::AtomicBool>);

impl OutputSink for Stop {
    fn bytes(&mut self, _: Stream, _: &[u8]) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn whoever_is_told_to_stop_does_not_wait_for_a_session() {
    let Some(mut sandbox) = quiet_box() else { return };
    let sandbox = &mut *sandbox;
    let session = open(sandbox);
    let mut stop = Stop(sandbox.stopper());
    let error = sandbox
        .run_in_session(session, &command("echo; sleep 1000"), &mut stop)
        .unwrap_err();
    assert!(matches!(error, SandboxError::Interrupted), "{error}");
    sandbox
        .run_in_session(session, &command("true"), &mut Vec::new())
        .unwrap_err();
    sandbox
        .open_session(&SessionSpec {
            env: [].into(),
            folder: "/".to_owned(),
        })
        .unwrap_err();
    sandbox.exec(&Command::bash("true"), &mut Vec::new()).unwrap_err();
}
