//! What the tests share.

use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use seatrial_core::{Event, Message, Role};
use seatrial_llm::{
    Bounds, CallContext, Completion, Meter, Model, ModelError, Patience, Piece, Request, Secret, Settings, ToolSpec,
    Wire, connect,
    scripted::{Script, ScriptedServer, Scripts},
};
use serde_json::json;

/// A server with one script.
pub(crate) fn server(script: Script) -> ScriptedServer {
    ScriptedServer::start(Scripts::any(script)).unwrap()
}

/// The provider in the table that speaks this wire to the scripted server.
pub(crate) fn provider(wire: Wire) -> &'static str {
    match wire {
        Wire::Chat | Wire::Embeddings => "scripted",
        Wire::Responses => "scripted-responses",
        Wire::Messages => "scripted-messages",
        Wire::Gemini => "scripted-gemini",
    }
}

/// Settings for the server: patient with a slow machine, quick to try again.
pub(crate) fn settings(server: &ScriptedServer, wire: Wire) -> Settings {
    Settings {
        base_url: Some(server.base_url(wire)),
        keys: [(provider(wire).to_owned(), Secret::new("a-key-that-nobody-shall-see"))].into(),
        patience: Patience {
            attempts: 3,
            first_wait: Duration::from_millis(1),
            longest_wait: Duration::from_millis(2),
            ..Patience::default()
        },
        ..Settings::default()
    }
}

pub(crate) fn model(wire: Wire, settings: &Settings) -> Arc<dyn Model> {
    connect(&format!("{}/ship", provider(wire)).parse().unwrap(), settings).unwrap()
}

pub(crate) fn unbounded() -> Meter {
    Meter::new(Bounds::default())
}

/// A question with one tool.
pub(crate) fn question() -> Request {
    Request::new(vec![
        Message::text(Role::System, "You build."),
        Message::text(Role::User, "Build it."),
    ])
    .with_tools(vec![ToolSpec {
        name: "shell".into(),
        description: "Runs a command.".into(),
        parameters: json!({"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}),
    }])
}

/// What came of a call.
pub(crate) struct Asked {
    pub(crate) result: Result<Completion, ModelError>,
    pub(crate) events: Vec<Event>,
    pub(crate) pieces: Vec<Piece>,
}

pub(crate) fn ask(model: &dyn Model, request: &Request, meter: &Meter) -> Asked {
    let (mut events, mut pieces) = (Vec::new(), Vec::new());
    let stop = AtomicBool::new(false);
    let mut watch = |piece| pieces.push(piece);
    let mut call = CallContext::new("main", meter, &stop);
    call.events = Some(&mut events);
    call.watch = Some(&mut watch);
    let result = model.complete(request, &mut call);
    Asked { result, events, pieces }
}
