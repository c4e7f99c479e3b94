//! Stopping what runs in a box from outside.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// Carries a caller's wish to stop into a box for as long as it lives.
pub struct StopLink {
    over: Arc<AtomicBool>,
}

impl StopLink {
    /// A link from the caller's flag to a box's own.
    pub fn new(caller: Option<Arc<AtomicBool>>, inner: Arc<AtomicBool>) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        if let Some(caller) = caller {
            let over = Arc::clone(&over);
            std::thread::spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    if caller.load(Ordering::Relaxed) {
                        inner.store(true, Ordering::Relaxed);
                        break;
                    }
                    std::thread::sleep(Duration::from_millis(50));
                }
            });
        }
        Self { over }
    }
}

impl Drop for StopLink {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}
