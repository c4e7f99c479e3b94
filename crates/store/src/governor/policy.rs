//! What a person wants kept and let go of, and what runs need.

use std::{collections::BTreeMap, time::Duration};

use seatrial_core::Digest;

/// What a person wants.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// Bytes that the data folder may take; what was not used for longest goes until it fits.
    pub max_size: Option<u64>,
    /// What was not used for so long goes.
    pub older_than: Option<Duration>,
    /// Whether finished runs may go too, and what only they need.
    pub runs: bool,
    /// Names of rooms, or beginnings of names in the data folder, that stay.
    pub keep: Vec<String>,
}

/// What a run needs to go on, or to be looked at. Whoever knows runs tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunNeeds {
    /// Whether trials of it are still to be run.
    pub unfinished: bool,
    /// Images that its lock names.
    pub images: Vec<Digest>,
    /// File names of package indexes that its lock names.
    pub indexes: Vec<String>,
    /// Names of unpacked sources that trials which are still to be run need.
    pub sources: Vec<String>,
}

/// The needs of all runs, by the names of their folders. One that is missing here is finished and needs nothing but what
/// its files name.
pub type Needs = BTreeMap<String, RunNeeds>;
