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
    transport::TokioChildProcess,
};
use serde_json::Value;
use tokio::{process::Command, runtime::Runtime, sync::Mutex, time::timeout};

use super::{McpError, runtime};
use crate::{Answer, Caching, Effect, Tool, ToolDescription, ToolFailure, ToolsError, World};

/// How an outside server is started. It runs on this machine, outside of any box: whoever names it trusts it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServerSpec {
    /// A short name, which its tools begin with.
    pub name: String,
    /// Program and arguments.
    pub command: Vec<String>,
    /// All of its variables.
    pub env: BTreeMap<String, String>,
    /// How long it may take to start, and any one call.
    pub patience: Duration,
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

impl McpServer {
    /// Starts a server and asks it for its tools.
    pub fn start(spec: &McpServerSpec) -> Result<Self, McpError> {
        let broken = |reason: String| McpError::Protocol {
            what: format!("the tool server `{}`", spec.name),
            reason,
        };
        let (program, arguments) = spec
            .command
            .split_first()
            .ok_or_else(|| broken("no program is named".to_owned()))?;
        let runtime = runtime(1)?;
        let (service, group, tools) = runtime.block_on(async {
            let mut command = Command::new(program);
            command
                .args(arguments)
                .env_clear()
                .envs(&spec.env)
                .process_group(0)
                .kill_on_drop(true);
            let (child, _) = TokioChildProcess::builder(command)
                .stderr(Stdio::null())
                .spawn()
                .map_err(|error| broken(format!("`{program}` cannot be started: {error}")))?;
            let group = child
                .id()
                .and_then(|id| rustix::process::Pid::from_raw(id.cast_signed()));
            let begun = timeout(spec.patience, async {
                let service = ().serve(child).await.map_err(|error| error.to_string())?;
                let tools = service.list_all_tools().await.map_err(|error| error.to_string())?;
                Ok::<_, String>((service, tools))
            })
            .await;
            match begun {
                Ok(Ok((service, tools))) => Ok((service, group, tools)),
                Ok(Err(reason)) => {
                    end_group(group);
                    Err(broken(reason))
                }
                Err(_) => {
                    end_group(group);
                    Err(broken(format!(
                        "it did not answer within {} s",
                        spec.patience.as_secs()
                    )))
                }
            }
        })?;
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
