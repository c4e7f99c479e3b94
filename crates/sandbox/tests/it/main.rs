//! The promises of boxes, kept by the native back end with real namespaces, real images and real processes.
//!
//! The image is looked for, and made when it is missing, below `SEATRIAL_TEST_HOME` or the user's cache folder; the tests
//! of other crates share it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod attacks;
mod forks;
mod images;
mod lifecycle;
mod limits;
mod model;
mod seccomp;
mod sessions;
mod snapshots;
mod support;
mod tars;
mod users;
