//! The helper alone, for tests and benches of this crate; the `seatrial` program is its own helper.

fn main() -> std::process::ExitCode {
    if seatrial_sandbox::is_helper_invocation() {
        return seatrial_sandbox::helper_main();
    }
    std::process::ExitCode::from(2)
}
