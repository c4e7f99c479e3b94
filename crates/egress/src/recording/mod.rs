//! Keeping what comes back, and giving it again.

mod conditions;
mod index;
mod player;
mod recorder;

pub(crate) use self::{
    index::Index,
    player::{Player, replay},
    recorder::record,
};
