//! Tools of outside servers, as tools like ours.

use std::{
    collections::BTreeMap,
    process::Stdio,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use rmcp::{
    RoleClient, ServiceExt as _,
    model::{CallToolRequestParams, ContentBlock, ResourceContents},
    service::RunningService,
    transport::{
        StreamableHttpClientTransport, TokioChildProcess, streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use serde_json::Value;
use tokio::{process::Command, runtime::Runtime, sync::Mutex, time::timeout};

use super::{McpError, runtime};
use crate::{Answer, Caching, Effect, Tool, ToolDescription, ToolFailure, ToolsError, World};

/// An outside server. It works outside of any box: whoever names it trusts it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServerSpec {
    /// A short name, which its tools begin with.
    pub name: String,
    /// How it is reached.
    pub way: McpWay,
    /// How long it may take to start, and any one call.
    pub patience: Duration,
}

/// How an outside server is reached.
#[derive(Clone, PartialEq, Eq)]
pub enum McpWay {
    /// As a process of this machine, by its standard streams.
    Process {
        /// Program and arguments.
        command: Vec<String>,
        /// All of its variables.
        env: BTreeMap<String, String>,
    },
    /// Over HTTP. No proxy is used and no redirection is followed: the token is for this address.
    Http {
        /// The address of its tools.
        url: String,
        /// What it wants to see as a bearer's token.
        token: Option<String>,
    },
}

impl std::fmt::Debug for McpWay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            // Variables may hold keys.
            Self::Process { command, env } => f
                .debug_struct("Process")
                .field("command", command)
                .field("env", &env.keys())
                .finish(),
            Self::Http { url, token } => f
                .debug_struct("Http")
                .field("url", url)
                .field("token", &token.as_ref().map(|_| ".."))
                .finish(),
        }
    }
}

/// A running outside server. It is ended when the last of its tools is gone.
pub struct McpServer {
    shared: Arc<Shared>,
    tools: Vec<ToolDescription>,
}

struct Shared {
    name: String,
    patience: Duration,
    runtime: Option<Runtime>,
    /// Taken when it ends.
    service: Mutex<Option<RunningService<RoleClient, ()>>>,
    peer: rmcp::Peer<RoleClient>,
    group: Option<rustix::process::Pid>,
}

/// How long a server may take to end by itself.
const ENDING: Duration = Duration::from_secs(2);
/// How long a connection may take.
const CONNECTING: Duration = Duration::from_secs(20);

impl McpServer {
    /// Starts or calls a server and asks it for its tools.
    pub fn start(spec: &McpServerSpec) -> Result<Self, McpError> {
        let broken = |reason: String| McpError::Protocol {
            what: format!("the tool server `{}`", spec.name),
            reason,
        };
        let runtime = runtime(1)?;
        let patience = spec.patience;
        let greeted = match &spec.way {
            McpWay::Process { command, env } => runtime.block_on(async { process(command, env, patience).await }),
            McpWay::Http { url, token } => runtime.block_on(async {
                let transport = http(url, token.as_deref())?;
                greet(transport, patience)
                    .await
                    .map(|(service, tools)| (service, None, tools))
            }),
        };
        let (service, group, tools) = greeted.map_err(broken)?;
        let tools = tools.iter().map(|tool| described(&spec.name, tool)).collect();
        Ok(Self {
            shared: Arc::new(Shared {
                name: spec.name.clone(),
                patience: spec.patience,
                runtime: Some(runtime),
                peer: service.peer().clone(),
                service: Mutex::new(Some(service)),
                group,
            }),
            tools,
        })
    }

    /// Its tools, named `SERVER__TOOL`.
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.tools
            .iter()
            .map(|description| {
                Arc::new(Outside {
                    shared: Arc::clone(&self.shared),
                    description: description.clone(),
                }) as Arc<dyn Tool>
            })
            .collect()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let Some(runtime) = self.runtime.take() else { return };
        if let Some(service) = self.service.get_mut().take() {
            drop(runtime.block_on(async { timeout(ENDING, service.cancel()).await }));
        }
        end_group(self.group);
        runtime.shutdown_background();
    }
}

type Greeted = (RunningService<RoleClient, ()>, Vec<rmcp::model::Tool>);

/// Greets a server and asks it for its tools.
async fn greet<T, E, A>(transport: T, patience: Duration) -> Result<Greeted, String>
where
    T: rmcp::transport::IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let begun = timeout(patience, async {
        let service = ().serve(transport).await.map_err(|error| chain(&error))?;
        let tools = service.list_all_tools().await.map_err(|error| chain(&error))?;
        Ok::<Greeted, String>((service, tools))
    });
    match begun.await {
        Ok(Err(reason)) if reason.contains("Auth required") => {
            Err("it answers 401: it wants a token, or another one".to_owned())
        }
        Ok(Err(reason)) if reason.contains("error sending request") => {
            Err(format!("nobody answers at its address: {reason}"))
        }
        Ok(greeted) => greeted,
        Err(_) => Err(format!("it did not answer within {} s", patience.as_secs())),
    }
}

/// Starts a process and greets it.
async fn process(
    command: &[String],
    env: &BTreeMap<String, String>,
    patience: Duration,
) -> Result<
    (
        RunningService<RoleClient, ()>,
        Option<rustix::process::Pid>,
        Vec<rmcp::model::Tool>,
    ),
    String,
> {
    let (program, arguments) = command.split_first().ok_or("no program is named")?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .envs(env)
        .process_group(0)
        .kill_on_drop(true);
    let (child, _) = TokioChildProcess::builder(command)
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("`{program}` cannot be started: {error}"))?;
    let group = child
        .id()
        .and_then(|id| rustix::process::Pid::from_raw(id.cast_signed()));
    match greet(child, patience).await {
        Ok((service, tools)) => Ok((service, group, tools)),
        Err(reason) => {
            end_group(group);
            Err(reason)
        }
    }
}

/// The way to a server over HTTP.
fn http(url: &str, token: Option<&str>) -> Result<StreamableHttpClientTransport<reqwest::Client>, String> {
    let is_plain = url.starts_with("http://");
    if !(is_plain || url.starts_with("https://")) {
        return Err(format!("`{url}` is no address: write it with http:// or https://"));
    }
    // Somebody else may have chosen already, and then it is the same one: no other is compiled in.
    drop(rustls::crypto::ring::default_provider().install_default());
    let mut client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECTING)
        .pool_max_idle_per_host(0)
        .tcp_nodelay(true)
        .user_agent(concat!("seatrial/", env!("CARGO_PKG_VERSION")))
        // Also keeps it from reading the environment.
        .no_proxy();
    if is_plain {
        // Reading the system's certificates takes a while, and nothing on the way speaks TLS.
        client = client.tls_certs_only(Vec::new());
    }
    let client = client.build().map_err(|error| chain(&error))?;
    let mut config = StreamableHttpClientTransportConfig::with_uri(url);
    if let Some(token) = token {
        config = config.auth_header(token);
    }
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

/// An error with its causes in one line, without the names of types that the SDK puts into it.
fn chain(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    if let Some((before, rest)) = words.split_once(" [rmcp::")
        && let Some((_, after)) = rest.split_once("] ")
    {
        words = format!("{before} {after}");
    }
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause.to_string();
        if !words.contains(&text) {
            words.push_str(": ");
            words.push_str(&text);
        }
        next = cause.source();
    }
    words
}

/// Ends a server and all that it has started.
fn end_group(group: Option<rustix::process::Pid>) {
    if let Some(group) = group {
        // It may have ended by itself.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

fn described(server: &str, tool: &rmcp::model::Tool) -> ToolDescription {
    ToolDescription {
        name: format!("{server}__{}", tool.name),
        purpose: tool.description.as_deref().unwrap_or_default().to_owned(),
        limits: String::new(),
        parameters: Value::Object((*tool.input_schema).clone()),
        effect: Effect {
            network: true,
            ..Effect::NONE
        },
        caching: Caching::No,
    }
}

struct Outside {
    shared: Arc<Shared>,
    description: ToolDescription,
}

impl Tool for Outside {
    fn spec(&self) -> &ToolDescription {
        &self.description
    }

    fn call(&self, arguments: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let shared = &self.shared;
        let time = world.time_for(shared.patience)?;
        let name = self
            .description
            .name
            .strip_prefix(&format!("{}__", shared.name))
            .unwrap_or(&self.description.name);
        let mut params = CallToolRequestParams::new(name.to_owned());
        if let Value::Object(arguments) = arguments {
            params = params.with_arguments(arguments.clone());
        }
        let Some(runtime) = &shared.runtime else {
            return Err(ToolFailure::told("the tool server has ended"));
        };
        let stop = world.stop;
        let stopped = async {
            while !stop.load(Ordering::SeqCst) {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        let called = runtime.block_on(async {
            tokio::select! {
                called = timeout(time, shared.peer.call_tool(params)) => Some(called),
                () = stopped => None,
            }
        });
        let result = match called {
            None => return Err(ToolsError::Interrupted.into()),
            Some(Err(_)) => {
                return Err(ToolFailure::Told(format!(
                    "`{name}` of the tool server `{}` did not answer within {} s",
                    shared.name,
                    time.as_secs()
                )));
            }
            Some(Ok(Err(error))) => {
                return Err(ToolFailure::Told(format!("the tool server `{}`: {error}", shared.name)));
            }
            Some(Ok(Ok(result))) => result,
        };
        let texts: Vec<String> = result.content.iter().map(as_text).collect();
        Ok(Answer {
            failed: result.is_error.unwrap_or(false),
            data: result.structured_content.unwrap_or(Value::Null),
            ..Answer::text(crate::text::plain(texts.join("\n").as_bytes()))
        })
    }
}

fn as_text(block: &ContentBlock) -> String {
    if let Some(text) = block.as_text() {
        return text.text.clone();
    }
    if let Some(resource) = block.as_resource()
        && let ResourceContents::TextResourceContents { text, .. } = &resource.resource
    {
        return text.clone();
    }
    "[something that is no text is left out]".to_owned()
}
