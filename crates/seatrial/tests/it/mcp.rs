//! `seatrial mcp` as other people's programs see it.

use std::process::Command;

use crate::support::{run, seatrial};

#[test]
fn what_mcp_cannot_serve_is_said_before_anything_is_made() {
    for (words, part) in [
        (
            &["--tools", "shell,none"][..],
            "`none` is no tool; there are shell, list, read",
        ),
        (&["--allow", "https://x"], "--allow"),
        (&["--token", "x"], "--http"),
        (&["--network", "everything"], "registries"),
    ] {
        let ran = run(seatrial().arg("mcp").args(words));
        assert_eq!(ran.code, 2, "{words:?}");
        assert!(ran.err.contains(part), "{words:?}: {}", ran.err);
        assert!(ran.out.is_empty(), "standard output is for the protocol: {}", ran.out);
    }
}

#[test]
fn the_public_inspector_lists_the_tools() {
    let program = env!("CARGO_BIN_EXE_seatrial");
    let home = tempfile::tempdir().unwrap();
    // The client is greeted before there is a box, so none is needed here.
    let ran = Command::new("npx")
        .args([
            "--yes",
            "@modelcontextprotocol/inspector",
            "--cli",
            program,
            "mcp",
            "--image",
            "none",
        ])
        .args(["--network", "none", "--tools", "read,shell", "--method", "tools/list"])
        .env("SEATRIAL_HOME", home.path())
        .output();
    let Ok(ran) = ran else {
        println!("skipped: `npx` is not installed");
        return;
    };
    let (out, err) = (
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr),
    );
    if err.contains("npm error") || err.contains("npm ERR") {
        println!("skipped: the inspector cannot be had: {err}");
        return;
    }
    assert!(ran.status.success(), "{out}{err}");
    let names: Vec<&str> = out
        .lines()
        .filter(|line| line.trim_start().starts_with("\"name\":"))
        .map(str::trim)
        .collect();
    assert_eq!(names, [r#""name": "read","#, r#""name": "shell","#]);
}
