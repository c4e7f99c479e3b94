//! The network door of boxes: it looks at every request, and records or replays what comes back.

mod authority;
pub mod dns;
mod error;
pub mod trust;

pub use authority::Authority;
pub use error::EgressError;
pub use seatrial_sandbox::{Door, DoorSockets};
