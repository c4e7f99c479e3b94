//! The disk governor: what lies in the data folder, what may go, and why the rest stays.
//!
//! [`Survey`] measures, [`Plan`] decides, [`Plan::carry_out`] removes. Images and boxes belong to other user ids, so
//! whoever makes them removes them: the caller brings a [`Remover`].

mod deed;
mod measure;
mod plan;
mod policy;
mod references;
mod survey;

pub use deed::{Outcome, Removal, Remover};
pub use measure::{Size, free_bytes};
pub use plan::{Decision, Plan, Reason};
pub use policy::{Needs, Policy, RunNeeds};
pub use survey::{Item, Room, Survey};
