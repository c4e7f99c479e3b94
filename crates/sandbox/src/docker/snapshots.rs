//! Frozen states of a container: images that the daemon made of it, and what was touched between one and the next.

use std::sync::Arc;

use super::{
    daemon::Daemon,
    listing::{Before, Listing, merge, touched},
};
use crate::{SandboxError, Snapshot};

/// An image that containers are made from. Those that a box made go with the last one that uses them.
#[derive(Debug)]
pub(super) struct Frozen {
    /// What the daemon calls it.
    pub(super) name: String,
    /// Whether it was made of a box.
    pub(super) own: bool,
    pub(super) daemon: Arc<Daemon>,
}

impl Drop for Frozen {
    fn drop(&mut self) {
        if self.own {
            self.daemon.discard_image(std::mem::take(&mut self.name));
        }
    }
}

/// A frozen state.
#[derive(Clone)]
pub(super) struct State {
    pub(super) image: Arc<Frozen>,
    /// Files that the daemon mounts into containers, which no image holds.
    pub(super) mounted: Vec<(String, Vec<u8>)>,
    /// Bytes that the box had written until then, as far as it was known.
    pub(super) written: u64,
}

/// A snapshot.
struct Taken {
    number: u32,
    state: State,
    /// What was touched since the snapshot before, and what was there then.
    before: Before,
}

/// The snapshots of one box.
pub(super) struct Snapshots {
    taken: Vec<Taken>,
    numbered: u32,
    /// How the tree looked at the last snapshot, or right after going back to it.
    last: Listing,
    /// The image of that state.
    image: Arc<Frozen>,
}

impl Snapshots {
    /// None yet; the container was made from an image.
    pub(super) fn new(image: Arc<Frozen>) -> Self {
        Self {
            taken: Vec::new(),
            numbered: 0,
            last: Listing::new(),
            image,
        }
    }

    /// The image of the last snapshot, when the tree still looks as it did then.
    pub(super) fn same(&self, listing: &Listing) -> Option<Arc<Frozen>> {
        (!self.taken.is_empty() && self.last == *listing).then(|| Arc::clone(&self.image))
    }

    /// The image of the last snapshot, or before any the one that the container was made from.
    pub(super) fn base(&self) -> Arc<Frozen> {
        Arc::clone(&self.image)
    }

    /// Adds one.
    pub(super) fn add(
        &mut self,
        listing: Listing,
        image: Arc<Frozen>,
        mounted: Vec<(String, Vec<u8>)>,
        written: u64,
    ) -> Snapshot {
        let before = if self.taken.is_empty() {
            Before::new()
        } else {
            touched(&self.last, &listing)
        };
        let number = self.numbered;
        self.numbered += 1;
        self.taken.push(Taken {
            number,
            before,
            state: State {
                image: Arc::clone(&image),
                mounted,
                written,
            },
        });
        self.last = listing;
        self.image = image;
        Snapshot(number)
    }

    fn find(&self, snapshot: Snapshot) -> Result<usize, SandboxError> {
        let position = self.taken.iter().position(|taken| taken.number == snapshot.0);
        position.ok_or(SandboxError::NoSnapshot(snapshot.0))
    }

    /// The state of a snapshot.
    pub(super) fn state(&self, snapshot: Snapshot) -> Result<State, SandboxError> {
        let position = self.find(snapshot)?;
        let taken = self.taken.get(position).ok_or(SandboxError::NoSnapshot(snapshot.0))?;
        Ok(taken.state.clone())
    }

    /// The container was made anew from a snapshot and looks like this.
    pub(super) fn gone_back(
        &mut self,
        snapshot: Snapshot,
        listing: Listing,
        image: Arc<Frozen>,
    ) -> Result<(), SandboxError> {
        let position = self.find(snapshot)?;
        self.taken.truncate(position + 1);
        self.last = listing;
        self.image = image;
        Ok(())
    }

    /// What was touched since a snapshot, and what was there then.
    pub(super) fn since(&self, snapshot: Snapshot, now: &Listing) -> Result<Before, SandboxError> {
        let position = self.find(snapshot)?;
        let mut before = Before::new();
        for taken in self.taken.iter().skip(position + 1) {
            merge(&mut before, taken.before.clone());
        }
        merge(&mut before, touched(&self.last, now));
        Ok(before)
    }
}
