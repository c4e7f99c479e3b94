//! The network door of boxes: a proxy that looks at every request, and records or replays what comes back.

pub use seatrial_sandbox::{Door, DoorSockets};
