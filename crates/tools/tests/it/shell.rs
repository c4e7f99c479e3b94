//! Commands.

use std::fmt::Write as _;

use seatrial_core::Event;
use serde_json::json;

use crate::support::Bench;

#[test]
fn a_shell_stays_or_is_fresh() {
    let Some(mut bench) = Bench::new(&[]) else { return };
    let mut text = String::new();
    for arguments in [
        json!({"command": "pwd; x=1; cd /tmp"}),
        json!({"command": "pwd; echo x=$x; echo warning >&2; (exit 3)"}),
        json!({"command": "pwd; echo x=$x", "fresh": true}),
        json!({"command": "pwd", "folder": "sub/deep"}),
        json!({"command": "kill -9 $BASHPID", "fresh": true}),
        json!({"command": "printf '\\033[31mred\\033[0m\\n10%%\\r20%%\\n\\377\\n'"}),
        json!({"command": "cat", "timeout": 5}),
        json!({"command": "exit 4"}),
        json!({"command": "pwd; echo x=$x"}),
    ] {
        let answer = bench.answer("shell", &arguments);
        writeln!(text, "{arguments}\n{}", answer.text).unwrap();
    }
    expect_test::expect![[r#"
        {"command":"pwd; x=1; cd /tmp"}
        /build/source
        [exit code 0]
        {"command":"pwd; echo x=$x; echo warning >&2; (exit 3)"}
        /tmp
        x=1
        warning
        [exit code 3]
        {"command":"pwd; echo x=$x","fresh":true}
        /build/source
        x=
        [exit code 0]
        {"command":"pwd","folder":"sub/deep"}
        /build/source/sub/deep
        [exit code 0]
        {"command":"kill -9 $BASHPID","fresh":true}
        [ended by signal 9]
        {"command":"printf '\\033[31mred\\033[0m\\n10%%\\r20%%\\n\\377\\n'"}
        red
        20%
        �
        [exit code 0]
        {"command":"cat","timeout":5}
        [exit code 0]
        {"command":"exit 4"}
        [exit code 4; the shell was started anew with the same folder and variables]
        {"command":"pwd; echo x=$x"}
        /tmp
        x=1
        [exit code 0]
    "#]]
    .assert_eq(&text);
    let commands = bench
        .events
        .iter()
        .filter(|event| matches!(event, Event::Command(_)))
        .count();
    assert_eq!(commands, 9);
}

#[test]
fn a_time_limit_ends_a_command_and_is_said() {
    let Some(mut bench) = Bench::new(&[]) else { return };
    for fresh in [true, false] {
        let told = bench.told(
            "shell",
            &json!({"command": "echo begun; sleep 1000", "timeout": 1, "fresh": fresh}),
        );
        assert!(told.starts_with("begun\n") && told.contains("its time limit"), "{told}");
    }
    bench.limits.command_most = std::time::Duration::from_secs(1);
    let told = bench.told("shell", &json!({"command": "sleep 1000", "timeout": 999}));
    assert!(told.contains("after 1 s"), "{told}");
}

#[test]
fn ten_megabytes_of_output_are_shown_by_head_and_tail_and_can_be_read_whole() {
    let Some(mut bench) = Bench::new(&[]) else { return };
    let answer = bench.answer("shell", &json!({"command": "seq 1 1500000"}));
    assert!(!answer.failed && answer.text.len() < 21_000);
    assert!(answer.text.starts_with("1\n2\n3\n"), "{}", answer.text);
    assert!(
        answer.text.contains("\n1499999\n1500000\n[exit code 0]"),
        "{}",
        answer.text
    );
    assert!(answer.left_out_bytes > 9_000_000);
    let Some(Event::ToolCalled(record)) = bench.events.last() else {
        panic!("{:?}", bench.events)
    };
    assert_eq!(
        (record.left_out_bytes, record.whole),
        (answer.left_out_bytes, answer.whole)
    );
    let middle = bench.ok("read", &json!({"path": "output:1", "from": 700_000, "lines": 2}));
    assert_eq!(
        middle,
        "output:1: lines 700000 to 700001 of 1500000; go on with `from` 700002\n700000\t700000\n700001\t700001\n"
    );
    let found = bench.ok(
        "search",
        &json!({"path": "output:1", "pattern": "^123456[0-9]$", "most": 2}),
    );
    assert!(
        found.starts_with("output:1:1234560:1234560\noutput:1:1234561:1234561\n[2 lines"),
        "{found}"
    );
    let told = bench.told("read", &json!({"path": "output:2"}));
    assert!(told.contains("no `output:2`"), "{told}");
}
