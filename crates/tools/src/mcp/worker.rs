//! The thread that owns the box: calls come one after the other.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
    mpsc::{Receiver, Sender, channel},
};

use seatrial_core::{EventSink, Platform, ToolCall};
use seatrial_packages::Resolver;
use seatrial_sandbox::Sandbox;
use seatrial_store::Blobs;
use serde_json::{Value, json};
use tokio::sync::{mpsc::UnboundedSender, oneshot};

use crate::{Answer, Ground, PackageRebuilds, ToolLimits, ToolState, Toolbox, ToolsError, WebSearcher, World};

/// A box with tools, to be served.
pub struct ServedBox {
    /// The box.
    pub sandbox: Box<dyn Sandbox>,
    /// The folder in it from which relative paths start.
    pub root: String,
    /// The tools.
    pub toolbox: Toolbox,
    /// What they remember.
    pub state: ToolState,
    /// Bounds of single calls.
    pub limits: ToolLimits,
    /// Keeps long outputs.
    pub blobs: Blobs,
    /// The journal.
    pub events: Box<dyn EventSink + Send>,
    /// Knows which package has a name.
    pub resolver: Option<Arc<dyn Resolver>>,
    /// What the box is.
    pub platform: Option<Platform>,
    /// Packages that its image was made with on purpose.
    pub base_packages: Vec<String>,
    /// Searches the web.
    pub searcher: Option<Arc<dyn WebSearcher>>,
    /// Rebuilds the package that is to be repaired.
    pub rebuilds: Option<Box<dyn PackageRebuilds + Send>>,
}

/// A call that waits for its turn.
pub(super) struct Job {
    pub(super) client: String,
    pub(super) call: ToolCall,
    /// Set when nobody wants the answer any more.
    pub(super) cancelled: Arc<AtomicBool>,
    /// Is told the last line of what a command writes.
    pub(super) progress: UnboundedSender<String>,
    pub(super) answer: oneshot::Sender<Result<Answer, String>>,
}

/// What is known besides answers.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    pub(super) task: String,
    /// What the last command wrote, as far as it is shown.
    pub(super) log: String,
    /// What the last build came to, and what was said at the end.
    pub(super) verdict: Value,
}

pub(super) struct Worker {
    jobs: Mutex<Sender<Option<Job>>>,
    known: Mutex<Known>,
    /// The call that runs now.
    running: Mutex<Option<Arc<AtomicBool>>>,
    /// Ends what runs in the box, once there is one.
    stopper: Mutex<Option<Arc<AtomicBool>>>,
}

impl Worker {
    /// Hands a call in.
    pub(super) fn hand_in(&self, job: Job) -> bool {
        self.jobs
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .send(Some(job))
            .is_ok()
    }

    /// Ends a call: at once when it runs, else when its turn comes.
    pub(super) fn cancel(&self, cancelled: &Arc<AtomicBool>) {
        cancelled.store(true, Ordering::SeqCst);
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.as_ref().is_some_and(|running| Arc::ptr_eq(running, cancelled))
            && let Some(stopper) = &*self.stopper.lock().unwrap_or_else(PoisonError::into_inner)
        {
            stopper.store(true, Ordering::SeqCst);
        }
    }

    /// Ends what runs, and the work when nothing else waits.
    pub(super) fn end(&self) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(running) = running {
            self.cancel(&running);
        }
        drop(self.jobs.lock().unwrap_or_else(PoisonError::into_inner).send(None));
    }

    pub(super) fn known(&self) -> Known {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Calls that wait, for the thread that has the box.
pub(super) struct Queue(Receiver<Option<Job>>);

pub(super) fn new(task: &str) -> (Worker, Queue) {
    let (jobs, queue) = channel();
    let worker = Worker {
        jobs: Mutex::new(jobs),
        known: Mutex::new(Known {
            task: task.to_owned(),
            verdict: json!({"finished": null, "last_build": null}),
            ..Known::default()
        }),
        running: Mutex::default(),
        stopper: Mutex::default(),
    };
    (worker, Queue(queue))
}

impl Queue {
    /// Makes the box and does call after call, until the end. The box is gone when this returns.
    pub(super) fn work(&self, make: impl FnOnce() -> Result<ServedBox, String>, worker: &Worker) -> Result<(), String> {
        let mut served = make();
        if let Ok(served) = &served {
            *worker.stopper.lock().unwrap_or_else(PoisonError::into_inner) = Some(served.sandbox.stopper());
        }
        while let Ok(Some(job)) = self.0.recv() {
            *worker.running.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&job.cancelled));
            let answer = match &mut served {
                _ if job.cancelled.load(Ordering::SeqCst) => Err(CANCELLED.to_owned()),
                Err(reason) => Err(reason.clone()),
                Ok(served) => one(served, &job),
            };
            *worker.running.lock().unwrap_or_else(PoisonError::into_inner) = None;
            if let Ok(served) = &served {
                // Only the call was to end, not the box.
                served.sandbox.stopper().store(false, Ordering::SeqCst);
                remember(served, &job.call.name, answer.as_ref().ok(), &worker.known);
            }
            drop(job.answer.send(answer));
        }
        served.map(drop)
    }
}

pub(super) const CANCELLED: &str = "cancelled";

fn one(served: &mut ServedBox, job: &Job) -> Result<Answer, String> {
    let stopper = served.sandbox.stopper();
    let mut watch = |bytes: &[u8]| {
        let text = crate::text::plain(bytes);
        if let Some(line) = text.lines().rfind(|line| !line.trim().is_empty()) {
            drop(job.progress.send(line.chars().take(200).collect()));
        }
    };
    let mut world = World {
        sandbox: served.sandbox.as_mut(),
        root: &served.root,
        resolver: served.resolver.as_deref(),
        blobs: &served.blobs,
        events: served.events.as_mut(),
        deadline: None,
        limits: served.limits.clone(),
        stop: &stopper,
        watch: Some(&mut watch),
        state: &mut served.state,
        ground: Ground {
            platform: served.platform.as_ref(),
            base_packages: &served.base_packages,
            searcher: served.searcher.as_deref(),
            rebuilds: served
                .rebuilds
                .as_deref()
                .map(|rebuilds| rebuilds as &dyn PackageRebuilds),
            ..Ground::default()
        },
    };
    served
        .toolbox
        .call(&job.client, &job.call, &mut world)
        .map_err(|error: ToolsError| {
            if error.is_interrupt() {
                CANCELLED.to_owned()
            } else {
                error.to_string()
            }
        })
}

fn remember(served: &ServedBox, tool: &str, answer: Option<&Answer>, known: &Mutex<Known>) {
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(output) = &served.state.last_output {
        known.log.clone_from(&output.text);
    }
    if let (Some(answer), "try_plan" | "build_by_rules" | "check" | "check_build_result" | "try_build", Some(verdict)) =
        (answer, tool, known.verdict.as_object_mut())
    {
        verdict.insert("last_build".to_owned(), answer.data.clone());
    }
    if let (hits, Some(verdict)) = (served.state.cache_hits(), known.verdict.as_object_mut())
        && !hits.is_empty()
    {
        verdict.insert("cache_hits".to_owned(), json!(hits));
    }
    if let (Some(finished), Some(verdict)) = (served.state.finished(), known.verdict.as_object_mut()) {
        verdict.insert(
            "finished".to_owned(),
            json!({"succeeded": finished.succeeded, "message": finished.message}),
        );
    }
}
