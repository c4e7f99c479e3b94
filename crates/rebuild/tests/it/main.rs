//! Packages that are made on the spot, rebuilt in real boxes.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]
#![expect(clippy::print_stdout, reason = "a test that is skipped says why")]

mod debian;
mod foreign;
mod make;
mod rpm;
mod worlds;
