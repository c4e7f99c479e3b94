//! The attack table: each test is an attack from inside a box, or through what goes into one, and shows that it fails.
//! Attacks on the network door are where the door is.

mod archives;
mod escapes;
mod neighbours;
mod processes;
mod resources;

use seatrial_sandbox::{Command, Sandbox};

use crate::support::run;

/// Runs something that must be refused.
fn refused(sandbox: &mut dyn Sandbox, text: &str) {
    let (execution, output) = run(sandbox, &Command::bash(format!("{{ {text}; }} > /dev/null")));
    assert!(!execution.succeeded(), "`{text}` worked: {}", output.err());
}

/// Runs a Python program and returns what it printed.
fn python(sandbox: &mut dyn Sandbox, program: &str) -> String {
    sandbox.write_file("/attack.py", program.as_bytes(), 0o644).unwrap();
    let (execution, output) = run(sandbox, &Command::bash("exec python3 /attack.py"));
    assert!(
        execution.succeeded(),
        "{:?} {}{}",
        execution.status,
        output.out(),
        output.err()
    );
    output.out()
}
