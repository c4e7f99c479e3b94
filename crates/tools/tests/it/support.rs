//! A box with tools over it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use seatrial_core::{Event, PinnedSource, Platform, ToolCall};
use seatrial_packages::{Candidate, Key, Resolver};
use seatrial_sandbox::{BoxSpec, Limits, Network, Sandbox, SandboxFactory};
use seatrial_store::Home;
use seatrial_tools::{Answer, Ground, ToolLimits, ToolState, Toolbox, ToolsError, WebSearcher, World, mcp::ServedBox};
use serde_json::Value;

pub(crate) const ROOT: &str = seatrial_core::BOX_SOURCE;

/// One box, all tools, and what they write down.
pub(crate) struct Bench {
    pub(crate) sandbox: Box<dyn Sandbox>,
    pub(crate) toolbox: Toolbox,
    pub(crate) state: ToolState,
    pub(crate) events: Vec<Event>,
    pub(crate) limits: ToolLimits,
    pub(crate) deadline: Option<Instant>,
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) home: Home,
    platform: Platform,
    folder: tempfile::TempDir,
    calls: u32,
    pub(crate) searcher: Option<Arc<dyn WebSearcher>>,
    pub(crate) solution: Option<PinnedSource>,
}

/// Knows one header.
pub(crate) struct Names;

impl Resolver for Names {
    fn resolve(&self, key: &Key) -> Vec<Candidate> {
        if key.name() == "zlib.h" {
            vec![Candidate {
                package: "zlib1g-dev".to_owned(),
                because: "/usr/include/zlib.h".to_owned(),
                score: 1.0,
            }]
        } else {
            Vec::new()
        }
    }
}

impl Bench {
    /// A box without a network; without boxes the reason is printed.
    pub(crate) fn new(files: &[(&str, &str)]) -> Option<Self> {
        let boxes = crate::boxes::boxes()?;
        let spec = BoxSpec {
            image: boxes.image,
            limits: Limits::default(),
            network: Network::Off,
        };
        let mut sandbox = boxes.factory.start(&spec).unwrap();
        for (path, content) in files {
            sandbox
                .write_file(&format!("{ROOT}/{path}"), content.as_bytes(), 0o644)
                .unwrap();
        }
        let folder = tempfile::tempdir().unwrap();
        Some(Self {
            sandbox,
            toolbox: Toolbox::all(),
            state: ToolState::default(),
            events: Vec::new(),
            limits: ToolLimits::default(),
            searcher: None,
            solution: None,
            deadline: None,
            stop: Arc::default(),
            home: Home::open(folder.path()).unwrap(),
            platform: Platform::default_host(),
            folder,
            calls: 0,
        })
    }

    pub(crate) fn try_call(&mut self, name: &str, arguments: &str) -> Result<Answer, ToolsError> {
        self.calls += 1;
        let blobs = self.home.blobs();
        let mut world = World {
            sandbox: self.sandbox.as_mut(),
            root: ROOT,
            resolver: Some(&Names),
            blobs: &blobs,
            events: &mut self.events,
            deadline: self.deadline,
            limits: self.limits.clone(),
            stop: &self.stop,
            watch: None,
            state: &mut self.state,
            ground: Ground {
                platform: Some(&self.platform),
                searcher: self.searcher.as_deref(),
                solution: self.solution.as_ref(),
                ..Ground::default()
            },
        };
        let call = ToolCall {
            id: format!("call-{}", self.calls),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        };
        self.toolbox.call("main", &call, &mut world)
    }

    pub(crate) fn answer(&mut self, name: &str, arguments: &Value) -> Answer {
        self.try_call(name, &arguments.to_string()).unwrap()
    }

    /// The text of an answer to a call that does what it is asked for.
    pub(crate) fn ok(&mut self, name: &str, arguments: &Value) -> String {
        let answer = self.answer(name, arguments);
        assert!(!answer.failed, "{name} {arguments}: {}", answer.text);
        answer.text
    }

    /// The text of an answer to a call that cannot be done.
    pub(crate) fn told(&mut self, name: &str, arguments: &Value) -> String {
        let answer = self.answer(name, arguments);
        assert!(answer.failed, "{name} {arguments}: {}", answer.text);
        answer.text
    }

    /// The box and its tools, to be served to others.
    pub(crate) fn served(self) -> (ServedBox, tempfile::TempDir) {
        let served = ServedBox {
            rebuilds: None,
            searcher: None,
            sandbox: self.sandbox,
            root: ROOT.to_owned(),
            toolbox: self.toolbox,
            state: ToolState::default(),
            limits: self.limits,
            blobs: self.home.blobs(),
            events: Box::new(self.events),
            resolver: Some(Arc::new(Names)),
            platform: Some(self.platform),
            base_packages: Vec::new(),
        };
        (served, self.folder)
    }

    pub(crate) fn file(&mut self, path: &str) -> String {
        let content = self.sandbox.read_file(&format!("{ROOT}/{path}"), 1 << 20).unwrap();
        String::from_utf8(content.bytes).unwrap()
    }

    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }
}
