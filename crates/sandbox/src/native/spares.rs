//! Helpers that wait for a box to become: starting a process, giving it its ids and entering its namespaces is most of the
//! time that a box takes, and can be done before anybody waits for it.

use std::{
    os::fd::AsFd,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread::JoinHandle,
};

use seatrial_store::Home;

use super::{
    cgroups::{self, Groups, Places},
    idmap::IdMap,
    trash::{Helper, open_folder},
    wire::Request,
};
use crate::SandboxError;

/// How many helpers wait. One for each of two threads that make boxes as fast as they can; more would only be memory.
const READY: usize = 2;

/// Helpers in their namespaces, ready to become boxes of one data folder. They end with this, and with the harness: each
/// waits on a socket whose other end is here.
#[derive(Debug)]
pub(crate) struct Spares {
    program: PathBuf,
    ids: IdMap,
    ready: Arc<Mutex<Vec<Spare>>>,
    wishes: Option<mpsc::Sender<Wish>>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread that makes helpers is told.
#[derive(Debug)]
enum Wish {
    /// One was taken.
    Refill,
    /// Tell when all before this is done.
    Marker(mpsc::Sender<()>),
}

impl Spares {
    pub(crate) fn new(home: &Home, program: PathBuf, ids: IdMap) -> Self {
        let (wishes, wished) = mpsc::channel();
        let ready = Arc::new(Mutex::new(Vec::new()));
        let thread = {
            let (home, program, ids) = (home.root().to_owned(), program.clone(), ids.clone());
            let ready = Arc::clone(&ready);
            std::thread::spawn(move || {
                for wish in wished {
                    if let Wish::Marker(tell) = wish {
                        // Who does not wait any more need not be told.
                        let _ = tell.send(());
                        continue;
                    }
                    while lock(&ready).len() < READY {
                        // Whoever needs one then starts it, and is told what is wrong.
                        let Ok(spare) = Spare::make(&home, &program, &ids) else {
                            break;
                        };
                        lock(&ready).push(spare);
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

    /// Waits until nothing is being made any more.
    pub(crate) fn settle(&self) {
        let (tell, told) = mpsc::channel();
        if let Some(wishes) = &self.wishes
            && wishes.send(Wish::Marker(tell)).is_ok()
        {
            // An error means that the thread has ended, and then there is nothing to wait for.
            let _ = told.recv();
        }
    }

    /// A helper that waits for its first request; one that was ready where there is one.
    pub(crate) fn take(&self) -> Result<Spare, SandboxError> {
        let ready = lock(&self.ready).pop();
        if let Some(wishes) = &self.wishes {
            // The thread lives as long as the channel.
            drop(wishes.send(Wish::Refill));
        }
        // One that somebody killed meanwhile is of no use.
        if let Some(mut spare) = ready
            && spare.helper.as_mut().is_some_and(Helper::is_alive)
        {
            return Ok(spare);
        }
        Helper::start(&self.program, &self.ids).map(Spare::plain)
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

/// A helper that is not a box yet, and what was made for it.
#[derive(Debug)]
pub(crate) struct Spare {
    helper: Option<Helper>,
    groups: Groups,
}

impl Spare {
    fn plain(helper: Helper) -> Self {
        Self {
            helper: Some(helper),
            groups: Groups::default(),
        }
    }

    /// One in the namespaces and the group of a box that is still to be.
    fn make(home: &Path, program: &Path, ids: &IdMap) -> Result<Self, SandboxError> {
        let home = open_folder(home)?;
        let mut spare = Self::plain(Helper::start(program, ids)?);
        let Some(helper) = &mut spare.helper else {
            return Ok(spare);
        };
        let own = std::process::id();
        // The kernel gives numbers of processes again, so the group says when its owner started.
        let started = cgroups::started(own).unwrap_or_default();
        let name = format!("{own}-{}-{started}-ready", helper.child.id());
        spare.groups = Groups::ahead(Places::of_this_process(), &name);
        spare.groups.take(helper.child.id());
        helper.send(&Request::Settle, &[home.as_fd()])?;
        helper.done("making a box")?;
        Ok(spare)
    }

    /// The parts, for a box.
    pub(crate) fn into_parts(mut self) -> Result<(Helper, Groups), SandboxError> {
        let helper = self.helper.take();
        let helper = helper.ok_or_else(|| SandboxError::Died("its supervisor ended".to_owned()))?;
        Ok((helper, std::mem::take(&mut self.groups)))
    }
}

impl Drop for Spare {
    fn drop(&mut self) {
        // A group is empty when its process has been waited for.
        self.helper = None;
        drop(cgroups::remove(&self.groups.folders()));
    }
}

fn lock(ready: &Mutex<Vec<Spare>>) -> std::sync::MutexGuard<'_, Vec<Spare>> {
    ready.lock().unwrap_or_else(PoisonError::into_inner)
}
