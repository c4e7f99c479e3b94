//! The `seatrial` command: verbs only.
fn main() {}
