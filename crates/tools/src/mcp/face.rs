//! What a client sees: tools and three resources.

use std::{
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListResourcesResult,
        ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ReadResourceRequestParams,
        ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ServerCapabilities, ServerConfig, Tool,
        ToolAnnotations,
    },
    service::RequestContext,
};
use seatrial_core::ToolCall;
use serde_json::Value;
use tokio::{
    sync::{mpsc::unbounded_channel, oneshot},
    time::{MissedTickBehavior, interval},
};

use super::worker::{CANCELLED, Job, Worker};
use crate::{Answer, ToolDescription};

/// How often a client hears of a call that goes on.
const BEAT: Duration = Duration::from_secs(1);

const TASK: &str = "seatrial://task";
const LOG: &str = "seatrial://log";
const VERDICT: &str = "seatrial://verdict";

#[derive(Clone)]
pub(super) struct Face {
    specs: Arc<Vec<ToolDescription>>,
    worker: Arc<Worker>,
}

impl Face {
    pub(super) fn new(specs: Vec<ToolDescription>, worker: Arc<Worker>) -> Self {
        Self {
            specs: Arc::new(specs),
            worker,
        }
    }

    async fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<Answer, String> {
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let client = context
            .peer
            .peer_info()
            .map_or_else(|| "mcp".to_owned(), |info| format!("mcp:{}", info.client_info.name));
        let (progress, mut lines) = unbounded_channel();
        let (answer, mut answered) = oneshot::channel();
        let cancelled = Arc::new(AtomicBool::new(false));
        let job = Job {
            client,
            call: ToolCall {
                id: context.id.to_string(),
                name: request.name.into_owned(),
                arguments: if arguments.is_null() {
                    String::new()
                } else {
                    arguments.to_string()
                },
            },
            cancelled: Arc::clone(&cancelled),
            progress,
            answer,
        };
        // Also when this future is dropped: then the client has gone.
        let _guard = CancelOnDrop {
            worker: Arc::clone(&self.worker),
            cancelled: Arc::clone(&cancelled),
        };
        let gone = || "the box is gone; start the server again".to_owned();
        if !self.worker.hand_in(job) {
            return Err(gone());
        }
        let token = request
            .meta
            .as_ref()
            .and_then(rmcp::model::RequestMetaObject::get_progress_token)
            .or_else(|| context.meta.get_progress_token());
        let start = Instant::now();
        let mut beat = interval(BEAT);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        beat.tick().await;
        let mut last: Option<String> = None;
        let mut waits = true;
        loop {
            tokio::select! {
                answer = &mut answered => return answer.map_err(|_| gone())?,
                () = context.ct.cancelled(), if waits => {
                    // The command is ended; the answer comes when it is.
                    self.worker.cancel(&cancelled);
                    waits = false;
                }
                Some(line) = lines.recv() => last = Some(line),
                _ = beat.tick() => {
                    if let Some(token) = &token {
                        let mut note = ProgressNotificationParam::new(token.clone(), start.elapsed().as_secs_f64());
                        note.message = last.take();
                        drop(context.peer.notify_progress(note).await);
                    }
                }
            }
        }
    }
}

/// Ends a call whose client went away. One that has ended is not touched.
struct CancelOnDrop {
    worker: Arc<Worker>,
    cancelled: Arc<AtomicBool>,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.worker.cancel(&self.cancelled);
    }
}

fn as_tool(spec: &ToolDescription) -> Tool {
    let schema = spec.parameters.as_object().cloned().unwrap_or_default();
    let annotations = ToolAnnotations::new()
        .read_only(!spec.effect.changes_files())
        .destructive(spec.effect.changes_files())
        .open_world(spec.effect.network);
    Tool::new(spec.name.clone(), spec.description(), Arc::new(schema)).with_annotations(annotations)
}

fn as_result(answer: Answer) -> CallToolResult {
    let content = vec![ContentBlock::text(answer.text)];
    let mut result = if answer.failed {
        CallToolResult::error(content)
    } else {
        CallToolResult::success(content)
    };
    if answer.data.is_object() {
        result.structured_content = Some(answer.data);
    }
    result
}

impl ServerHandler for Face {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        let mut info = ServerConfig::new(capabilities);
        info.server_info = Implementation::new("seatrial", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(
            "Tools over one isolated Linux box with a source tree in it. Every path is one of the box. What there is to do is \
             in the resource seatrial://task."
                .to_owned(),
        );
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(
            self.specs.iter().map(as_tool).collect(),
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match self.call(request, context).await {
            Ok(answer) => Ok(as_result(answer).into()),
            Err(reason) if reason == CANCELLED => {
                Ok(CallToolResult::error(vec![ContentBlock::text("cancelled; what it had started was ended")]).into())
            }
            Err(reason) => Err(ErrorData::internal_error(reason, None)),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let one = |uri: &str, name: &str, about: &str, kind: &str| {
            Resource::new(uri, name).with_description(about).with_mime_type(kind)
        };
        Ok(ListResourcesResult::with_all_items(vec![
            one(TASK, "task", "What there is to do", "text/plain"),
            one(LOG, "log", "What the last command wrote", "text/plain"),
            one(
                VERDICT,
                "verdict",
                "What the last build came to, and what was said at the end; nobody has graded it",
                "application/json",
            ),
        ]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let known = self.worker.known();
        let contents = match request.uri.as_str() {
            TASK => ResourceContents::text(known.task, TASK),
            LOG => ResourceContents::text(known.log, LOG),
            VERDICT => ResourceContents::text(known.verdict.to_string(), VERDICT).with_mime_type("application/json"),
            other => {
                return Err(ErrorData::resource_not_found(
                    format!("there is no resource {other}; there are {TASK}, {LOG}, {VERDICT}"),
                    None,
                ));
            }
        };
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}
