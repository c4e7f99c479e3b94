//! The network door of boxes: it looks at every request, and records or replays what comes back.
//!
//! A door is transparent. Its resolver answers every name with the door's own address and asks nobody, and what then comes
//! to the door is HTTP, with or without TLS, that says which host it is for. Clients that were told to use a proxy are
//! served too. Nothing else leaves a box.

mod answers;
mod authority;
mod body;
mod connection;
mod dns;
mod egress;
mod error;
mod event;
mod exchange;
mod headers;
mod policy;
mod recording;
mod target;
pub mod trust;
mod upstream;

pub use authority::Authority;
pub use egress::{DoorSpec, Egress, EgressConfig};
pub use error::EgressError;
pub use event::{Asked, DoorEvent};
pub use exchange::{DoorLimits, Observer};
pub use policy::{AllowList, Policy};
pub use seatrial_sandbox::{Door, DoorSockets};
pub use upstream::Proxies;
