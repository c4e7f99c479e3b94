//! What boxes that stand on each other's layers hold of each other. A box's folder stays, with its lease, as long as the
//! box or a fork needs it; all of them are in one process, so when that is killed, all of their leases are free and the
//! next sweep takes all of their folders.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use seatrial_store::Lease;

use super::{supervisor::other_place, trash::Trash};

/// A box's folder. With the last owner it goes.
#[derive(Debug)]
pub(super) struct Held {
    /// Its name in the folder of boxes.
    name: String,
    folder: PathBuf,
    lease: Option<Lease>,
    trash: Arc<Trash>,
    /// Its control groups.
    groups: Vec<PathBuf>,
    pins: Mutex<Vec<Weak<Pin>>>,
}

/// Layers of a box that forks stand on.
#[derive(Debug)]
pub(super) struct Pin {
    held: Arc<Held>,
    layers: Vec<String>,
}

/// Layers of other boxes that a box stands on, lowest first.
#[derive(Debug, Default)]
pub(super) struct Below {
    layers: Vec<(Arc<Pin>, String)>,
}

impl Held {
    pub(super) fn new(name: String, lease: Lease, trash: Arc<Trash>, groups: Vec<PathBuf>) -> Arc<Self> {
        Arc::new(Self {
            name,
            folder: lease.folder().to_owned(),
            lease: Some(lease),
            trash,
            groups,
            pins: Mutex::default(),
        })
    }

    pub(super) fn folder(&self) -> &PathBuf {
        &self.folder
    }

    /// The layers that must stay.
    pub(super) fn pinned(&self) -> Vec<String> {
        let mut pins = self.pins.lock().unwrap_or_else(PoisonError::into_inner);
        pins.retain(|pin| pin.strong_count() > 0);
        pins.iter()
            .filter_map(Weak::upgrade)
            .flat_map(|pin| pin.layers.clone())
            .collect()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // The folder is deleted with its lease held; should this process die first, the next sweep finds it.
        self.trash
            .discard(self.folder.clone(), std::mem::take(&mut self.groups));
        self.lease = None;
    }
}

impl Below {
    /// Pins the layers that a fork of a box stands on, as the box's supervisor names them: its own by their names, and
    /// those of others by where it has them.
    pub(super) fn of_fork(&self, parent: &Arc<Held>, layers: &[String]) -> Self {
        let (places, _) = self.places();
        let inherited: BTreeMap<&String, &(Arc<Pin>, String)> = places.iter().zip(&self.layers).collect();
        let own = layers.iter().filter(|layer| !inherited.contains_key(layer));
        let pin = Arc::new(Pin {
            held: Arc::clone(parent),
            layers: own.cloned().collect(),
        });
        let mut pins = parent.pins.lock().unwrap_or_else(PoisonError::into_inner);
        pins.push(Arc::downgrade(&pin));
        let layers = layers.iter().map(|layer| match inherited.get(layer) {
            Some(known) => (*known).clone(),
            None => (Arc::clone(&pin), layer.clone()),
        });
        Self {
            layers: layers.collect(),
        }
    }

    /// Where a supervisor has the layers, and the folders of layers, from the data folder, that it needs for that.
    pub(super) fn places(&self) -> (Vec<String>, Vec<String>) {
        let mut folders: Vec<&str> = Vec::new();
        let mut places = Vec::new();
        for (pin, layer) in &self.layers {
            let name = pin.held.name.as_str();
            let index = folders.iter().position(|known| *known == name).unwrap_or_else(|| {
                folders.push(name);
                folders.len() - 1
            });
            places.push(format!("../{}/{layer}", other_place(index)));
        }
        let folders = folders.into_iter().map(|name| format!("boxes/{name}/layers"));
        (places, folders.collect())
    }
}
