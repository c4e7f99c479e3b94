//! Cases of the repair suite: packages that build on one architecture and fail on another.
//!
//! Some are made: a working package gets one porting fault of a catalogue, and is kept when it still builds where it
//! should and fails where it should, both times, and when the catalogue's repair heals it on both sides. Others are found:
//! what a distribution has built for one architecture and not for another. Nothing is kept that was not built here.

mod catalogue;
mod error;
mod found;
mod made;
mod plant;
mod prove;

pub use catalogue::{Fault, Faults, Pair, Step};
pub use error::CrossError;
pub use found::{Gap, GapKind, gaps, mine_gaps};
pub use made::mine_faults;
pub use plant::{Planted, plant};
pub use prove::{CrossFloor, CrossOptions, CrossReport, Tried};
