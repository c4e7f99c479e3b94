//! A choice of tools, and what is the same for each call of any of them.

use std::{sync::Arc, time::Instant};

use seatrial_core::{Event, ToolCall, ToolRecord};
use serde_json::Value;

use crate::{
    Answer, Caching, Tool, ToolDescription, ToolFailure, ToolState, ToolsError, World, archive, building, files,
    finish, patch, repair, schema, shell, snapshots, structure, text, web,
};

/// A choice of tools.
#[derive(Clone, Default)]
pub struct Toolbox {
    tools: Vec<Arc<dyn Tool>>,
}

/// All tools, in the order in which they are listed.
fn all() -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(shell::Shell::new()),
        Arc::new(files::List::new()),
        Arc::new(files::Read::new()),
        Arc::new(files::Search::new()),
        Arc::new(files::Write::new()),
        Arc::new(files::Replace::new()),
        Arc::new(patch::ApplyPatch::new()),
        Arc::new(archive::Extract::new()),
        Arc::new(archive::Pack::new()),
        Arc::new(structure::StructureTool::new()),
        Arc::new(building::Diagnose::new()),
        Arc::new(building::Resolve::new()),
        Arc::new(building::PlanTool::new()),
        Arc::new(building::TryPlan::new()),
        Arc::new(building::BuildByRules::new()),
        Arc::new(snapshots::TakeSnapshot::new()),
        Arc::new(snapshots::Rollback::new()),
        Arc::new(snapshots::Changes::new()),
        Arc::new(web::FetchPage::new()),
        Arc::new(web::WebSearch::new()),
        Arc::new(finish::Think::new()),
        Arc::new(finish::Finish::new()),
    ]
}

/// The tools of a repair, beside those that are for any work.
fn repairing() -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(repair::Upload::new()),
        Arc::new(repair::Check::new()),
        Arc::new(repair::TryBuild::new()),
        Arc::new(repair::CompareLogs::new()),
        Arc::new(repair::PortingLookup::new()),
        Arc::new(repair::ResetCache::new()),
    ]
}

/// Which tools a repair is made with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RepairTools {
    /// Files are changed by patches, and not written as a whole.
    pub patches: bool,
    /// The published tools by their names, instead of ours.
    pub compat: bool,
}

/// Ours, for a repair with whole files.
const REPAIR: [&str; 19] = [
    "structure",
    "list",
    "read",
    "search",
    "extract",
    "pack",
    "write",
    "replace",
    "apply_patch",
    "diagnose",
    "compare_logs",
    "porting_lookup",
    "resolve",
    "snapshot",
    "rollback",
    "try_build",
    "upload",
    "check",
    "reset_cache",
];

/// The names of all tools that are built in.
pub fn tool_names() -> Vec<String> {
    all().iter().map(|tool| tool.spec().name.clone()).collect()
}

impl Toolbox {
    /// All tools that are built in.
    pub fn all() -> Self {
        Self { tools: all() }
    }

    /// Those that are named, in that order. The error is the first name that is none.
    pub fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let known: Vec<_> = all().into_iter().chain(repairing()).collect();
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        for name in names {
            let tool = known
                .iter()
                .find(|tool| tool.spec().name == name)
                .ok_or_else(|| format!("`{name}` is no tool; there are {}", tool_names().join(", ")))?;
            if !tools.iter().any(|other| other.spec().name == name) {
                tools.push(Arc::clone(tool));
            }
        }
        Ok(Self { tools })
    }

    /// The tools of a repair.
    pub fn repair(choice: RepairTools) -> Self {
        if choice.compat {
            return Self {
                tools: repair::compat_tools(choice.patches),
            };
        }
        let left_out: &[&str] = if choice.patches {
            &["write", "replace"]
        } else {
            &["apply_patch", "replace"]
        };
        Self::of(REPAIR).unwrap_or_default().without(left_out)
    }

    /// The same and one more, in the place of one of that name.
    #[must_use]
    pub fn with(mut self, tool: Arc<dyn Tool>) -> Self {
        self.tools.retain(|other| other.spec().name != tool.spec().name);
        self.tools.push(tool);
        self
    }

    /// The same without those that are named.
    #[must_use]
    pub fn without(mut self, names: &[&str]) -> Self {
        self.tools.retain(|tool| !names.contains(&tool.spec().name.as_str()));
        self
    }

    /// What its tools are.
    pub fn specs(&self) -> impl ExactSizeIterator<Item = &ToolDescription> {
        self.tools.iter().map(|tool| tool.spec())
    }

    /// A tool by its name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.spec().name == name)
    }

    /// Makes a call as it was written, and writes it to the journal. A name that is none, arguments that cannot be read or
    /// do not fit, a tool that cannot do it: these are answers too.
    pub fn call(&self, conversation: &str, call: &ToolCall, world: &mut World<'_>) -> Result<Answer, ToolsError> {
        let start = Instant::now();
        let record = |answer: &Answer| {
            Event::ToolCalled(ToolRecord {
                conversation: conversation.to_owned(),
                id: call.id.clone(),
                name: call.name.clone(),
                arguments: call.arguments.clone(),
                failed: answer.failed,
                cached: answer.cached,
                left_out_bytes: answer.left_out_bytes,
                whole: answer.whole,
                wall_ms: start.elapsed().as_millis() as u64,
            })
        };
        let answer = match self.answer(call, world) {
            Ok(answer) => answer,
            Err(ToolFailure::Told(text)) => Answer::failure(text),
            Err(ToolFailure::Broken(error)) => {
                // It may have done something before it was cancelled or its box broke. What broke first is what is told.
                drop(world.events.emit(record(&Answer::failure(error.to_string()))));
                return Err(error);
            }
        };
        let answer = bound(answer, world)?;
        world.events.emit(record(&answer))?;
        Ok(answer)
    }

    fn answer(&self, call: &ToolCall, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        world.check_stop()?;
        let tool = self.get(call.name.trim()).ok_or_else(|| {
            let names: Vec<&str> = self.specs().map(|spec| spec.name.as_str()).collect();
            ToolFailure::Told(format!(
                "there is no tool `{}`; there are {}",
                text::visible(&shortened(&call.name)),
                names.join(", ")
            ))
        })?;
        let spec = tool.spec();
        let arguments = read_arguments(spec, &call.arguments)?;
        let key = ToolState::key(&spec.name, &arguments);
        if let Some(times) = world.state.too_often(&key) {
            return Err(ToolFailure::Told(format!(
                "not done: the very same call of `{}` was made {times} times already, and its answer will not be another \
                 one; change something first, or try another way",
                spec.name
            )));
        }
        if let Some(answer) = world.state.remembered(&spec.name, &key) {
            return Ok(answer);
        }
        let answer = tool.call(&arguments, world);
        if spec.effect.changes_files() {
            world.state.files_changed();
        }
        let answer = answer?;
        world.state.remember(spec.caching, key, &answer);
        Ok(answer)
    }
}

/// The longest name of a tool that is repeated to whoever wrote it.
const SHOWN_NAME: usize = 80;

fn shortened(name: &str) -> String {
    name.chars().take(SHOWN_NAME).collect()
}

/// Reads arguments as models write them: JSON, nothing at all for none, or JSON in a string of JSON.
fn read_arguments(spec: &ToolDescription, text: &str) -> Result<Value, ToolFailure> {
    let wrong = |problem: String| {
        ToolFailure::Told(format!(
            "`{}` was not called: {problem}. It takes a JSON object with: {}",
            spec.name,
            spec.signature()
        ))
    };
    let trimmed = text.trim();
    let mut value: Value = if trimmed.is_empty() || trimmed == "null" {
        Value::Object(serde_json::Map::new())
    } else {
        serde_json::from_str(trimmed).map_err(|error| wrong(format!("its arguments are not valid JSON ({error})")))?
    };
    if let Value::String(inner) = &value
        && let Ok(object @ Value::Object(_)) = serde_json::from_str(inner)
    {
        value = object;
    }
    let value = schema::without_nulls(&spec.parameters, value);
    let problems = schema::problems(&spec.parameters, &value);
    if problems.is_empty() {
        Ok(value)
    } else {
        Err(wrong(problems.join("; ")))
    }
}

/// Bounds an answer's text, unless the tool did that itself.
fn bound(answer: Answer, world: &mut World<'_>) -> Result<Answer, ToolsError> {
    // A tool that bounds its own output adds a line or two.
    let most = world.limits.answer_bytes + world.limits.answer_bytes / 8 + 512;
    if answer.text.len() <= most {
        return Ok(answer);
    }
    let whole = world.blobs.put(answer.text.as_bytes())?;
    let name = world.state.keep_output(whole);
    let (text, left_out) = text::shorten(
        &answer.text,
        world.limits.answer_bytes,
        &format!("read the whole with the path `{name}`"),
    );
    Ok(Answer {
        text,
        left_out_bytes: answer.left_out_bytes + left_out,
        whole: Some(whole),
        ..answer
    })
}

/// Arguments that were checked already.
pub(crate) trait Arguments {
    fn text(&self, name: &str) -> Option<&str>;
    fn number(&self, name: &str) -> Option<i64>;
    fn is(&self, name: &str) -> bool;
}

impl Arguments for Value {
    fn text(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(Self::as_str)
    }

    fn number(&self, name: &str) -> Option<i64> {
        let value = self.get(name)?;
        value.as_i64().or_else(|| value.as_f64().map(|number| number as i64))
    }

    fn is(&self, name: &str) -> bool {
        self.get(name).and_then(Self::as_bool).unwrap_or(false)
    }
}

/// A description of a tool that is built in.
pub(crate) fn describe(
    name: &str,
    purpose: &str,
    limits: &str,
    effect: crate::Effect,
    caching: Caching,
    mut parameters: Value,
    required: &[&str],
) -> ToolDescription {
    parameters = serde_json::json!({
        "type": "object",
        "properties": parameters,
        "required": required,
        "additionalProperties": false,
    });
    ToolDescription {
        name: name.to_owned(),
        purpose: purpose.to_owned(),
        limits: limits.to_owned(),
        parameters,
        effect,
        caching,
    }
}
