//! Everything that a change must pass, in one command.
//!
//! Every step runs, also after one that failed: a person wants to see all that is wrong at once.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use anyhow::Context;

use crate::{metadata::cargo, outcome::Outcome, tidy};

/// Runs the steps; the last line printed is `N passed, N failed, N skipped`.
pub(crate) fn run(root: &Path) -> anyhow::Result<bool> {
    let mut broken = Vec::new();
    // `xfmt` is the alias that carries the project's settings for imports.
    let steps: [(&str, &[&str]); 2] = [
        ("format", &["xfmt", "--check"]),
        (
            "clippy",
            &[
                "clippy",
                "--workspace",
                "--all-targets",
                "--locked",
                "--",
                "-D",
                "warnings",
            ],
        ),
    ];
    for (name, arguments) in steps {
        let status = timed(name, || {
            Command::new(cargo())
                .args(arguments)
                .current_dir(root)
                .status()
                .context("cannot start cargo")
        })?;
        if !status.success() {
            broken.push(name);
        }
    }
    // After clippy, because that has fetched the packages whose licences are read.
    if !timed("tidy", || tidy::run(root))? {
        broken.push("tidy");
    }
    let (outcome, success) = timed("tests", || tests(root))?;
    if !success {
        broken.push("tests");
    }
    for reason in &outcome.reasons {
        println!("skipped: {reason}");
    }
    if !broken.is_empty() {
        println!("not clean: {}", broken.join(", "));
    }
    println!(
        "{} passed, {} failed, {} skipped",
        outcome.passed(),
        outcome.failed,
        outcome.skipped
    );
    Ok(broken.is_empty())
}

fn timed<T>(name: &str, step: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    println!("\n==> {name}");
    let began = Instant::now();
    let result = step();
    println!("    {name}: {} s", began.elapsed().as_secs());
    result
}

/// Runs all tests, shows their output as it comes, and counts.
fn tests(root: &Path) -> anyhow::Result<(Outcome, bool)> {
    let mut child = Command::new(cargo())
        // The output of passed tests is wanted too: there they say what they skipped.
        .args([
            "test",
            "--workspace",
            "--locked",
            "--no-fail-fast",
            "--",
            "--show-output",
        ])
        .current_dir(root)
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start cargo")?;
    let mut outcome = Outcome::default();
    if let Some(pipe) = child.stdout.take() {
        let mut reader = BufReader::new(pipe);
        let mut line = Vec::new();
        let mut screen = std::io::stdout();
        while reader.read_until(b'\n', &mut line)? > 0 {
            screen.write_all(&line)?;
            outcome.line(&String::from_utf8_lossy(&line));
            line.clear();
        }
        screen.flush()?;
    }
    let success = child.wait().context("cannot wait for cargo test")?.success();
    if !success && outcome.failed == 0 {
        println!("the tests did not compile, or a test program died before it could count");
        outcome.failed = 1;
    }
    Ok((outcome, success))
}
