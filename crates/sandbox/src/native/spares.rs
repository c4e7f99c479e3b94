//! Helpers that wait for a box to become: starting a process and giving it its ids is half of the time that a box takes,
//! and can be done before anybody waits for it.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread::JoinHandle,
};

use super::{idmap::IdMap, trash::Helper};
use crate::SandboxError;

/// How many helpers wait. One for each of two threads that make boxes as fast as they can; more would only be memory.
const READY: usize = 2;

/// Helpers in their user namespaces, ready for their first request. They end with this, and with the harness: each
/// waits on a socket whose other end is here.
#[derive(Debug)]
pub(crate) struct Spares {
    program: PathBuf,
    ids: IdMap,
    ready: Arc<Mutex<Vec<Helper>>>,
    wishes: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Spares {
    pub(crate) fn new(program: PathBuf, ids: IdMap) -> Self {
        let (wishes, wished) = mpsc::channel();
        let ready = Arc::new(Mutex::new(Vec::new()));
        let thread = {
            let (program, ids, ready) = (program.clone(), ids.clone(), Arc::clone(&ready));
            std::thread::spawn(move || {
                for () in wished {
                    while lock(&ready).len() < READY {
                        // Whoever needs one then starts it, and is told what is wrong.
                        let Ok(helper) = Helper::start(&program, &ids) else {
                            break;
                        };
                        lock(&ready).push(helper);
                    }
                }
            })
        };
        Self {
            program,
            ids,
            ready,
            wishes: Some(wishes),
            thread: Some(thread),
        }
    }

    /// A helper that waits for its first request; one that was ready where there is one.
    pub(crate) fn take(&self) -> Result<Helper, SandboxError> {
        let ready = lock(&self.ready).pop();
        if let Some(wishes) = &self.wishes {
            // The thread lives as long as the channel.
            let _ = wishes.send(());
        }
        // One that somebody killed meanwhile is of no use.
        if let Some(mut helper) = ready
            && helper.is_alive()
        {
            return Ok(helper);
        }
        Helper::start(&self.program, &self.ids)
    }
}

impl Drop for Spares {
    fn drop(&mut self) {
        self.wishes = None;
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn lock(ready: &Mutex<Vec<Helper>>) -> std::sync::MutexGuard<'_, Vec<Helper>> {
    ready.lock().unwrap_or_else(PoisonError::into_inner)
}
