//! The thread that owns the box: calls come one after the other.

use std::{
    io,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

use seatrial_core::{EventSink, Platform, ToolCall};
use seatrial_packages::Resolver;
use seatrial_sandbox::Sandbox;
use seatrial_store::Blobs;
use serde_json::{Value, json};
use tokio::sync::{mpsc::UnboundedSender, oneshot};

use crate::{Answer, Ground, ToolLimits, ToolState, Toolbox, ToolsError, World};

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
    /// What there is to do, for whoever asks.
    pub task: String,
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
    known: Arc<Mutex<Known>>,
    /// The call that runs now.
    running: Arc<Mutex<Option<Arc<AtomicBool>>>>,
    stopper: Arc<AtomicBool>,
    thread: Mutex<Option<thread::JoinHandle<()>>>,
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
        if running.as_ref().is_some_and(|running| Arc::ptr_eq(running, cancelled)) {
            self.stopper.store(true, Ordering::SeqCst);
        }
    }

    /// Ends what runs and waits until the box is gone.
    pub(super) fn end(&self) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(running) = running {
            self.cancel(&running);
        }
        drop(self.jobs.lock().unwrap_or_else(PoisonError::into_inner).send(None));
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            drop(thread.join());
        }
    }

    pub(super) fn known(&self) -> Known {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

pub(super) fn start(served: ServedBox) -> io::Result<Worker> {
    let (jobs, queue) = channel();
    let worker = Worker {
        jobs: Mutex::new(jobs),
        known: Arc::new(Mutex::new(Known {
            task: served.task.clone(),
            verdict: json!({"finished": null, "last_build": null}),
            ..Known::default()
        })),
        running: Arc::default(),
        stopper: served.sandbox.stopper(),
        thread: Mutex::default(),
    };
    let (known, running, stopper) = (
        Arc::clone(&worker.known),
        Arc::clone(&worker.running),
        Arc::clone(&worker.stopper),
    );
    let thread = thread::Builder::new()
        .name("mcp-box".to_owned())
        .spawn(move || work(served, &queue, &known, &running, &stopper))?;
    *worker.thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
    Ok(worker)
}

fn work(
    mut served: ServedBox,
    queue: &Receiver<Option<Job>>,
    known: &Mutex<Known>,
    running: &Mutex<Option<Arc<AtomicBool>>>,
    stopper: &AtomicBool,
) {
    while let Ok(Some(job)) = queue.recv() {
        *running.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&job.cancelled));
        let answer = if job.cancelled.load(Ordering::SeqCst) {
            Err(CANCELLED.to_owned())
        } else {
            one(&mut served, &job, stopper)
        };
        *running.lock().unwrap_or_else(PoisonError::into_inner) = None;
        // Only the call was to end, not the box.
        stopper.store(false, Ordering::SeqCst);
        remember(&served, &job.call.name, answer.as_ref().ok(), known);
        drop(job.answer.send(answer));
    }
}

pub(super) const CANCELLED: &str = "cancelled";

fn one(served: &mut ServedBox, job: &Job, stopper: &AtomicBool) -> Result<Answer, String> {
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
        stop: stopper,
        watch: Some(&mut watch),
        state: &mut served.state,
        ground: Ground {
            platform: served.platform.as_ref(),
            base_packages: &served.base_packages,
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
    if let (Some(answer), "try_plan" | "build_by_rules", Some(verdict)) = (answer, tool, known.verdict.as_object_mut())
    {
        verdict.insert("last_build".to_owned(), answer.data.clone());
    }
    if let (Some(finished), Some(verdict)) = (served.state.finished(), known.verdict.as_object_mut()) {
        verdict.insert(
            "finished".to_owned(),
            json!({"succeeded": finished.succeeded, "message": finished.message}),
        );
    }
}
