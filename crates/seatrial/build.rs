//! Tells the program its version, with the commit where it is built from a checkout, so that results can name it.

use std::process::Command;

fn main() {
    let git = |words: &[&str]| {
        let output = Command::new("git")
            .args(words)
            .output()
            .ok()
            .filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let version = env!("CARGO_PKG_VERSION");
    let version = match git(&["rev-parse", "--short=10", "HEAD"]) {
        Some(commit) => format!("{version}+{commit}"),
        None => version.to_owned(),
    };
    println!("cargo::rustc-env=SEATRIAL_VERSION={version}");
    for file in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", file]) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}
