//! The rules of the Agent Trajectory Interchange Format up to version 1.8, checked on a document whoever wrote it.
//!
//! What the reference implementation refuses is refused here: unknown keys, step numbers with gaps, fields of the agent on
//! steps of others, metrics where no model was called, observations of calls that were not made, references that lead nowhere.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::atif::ATIF_VERSION;

/// A rule that a document breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where, such as `steps[3].metrics`; empty for the document itself.
    pub place: String,
    /// What is wrong there.
    pub problem: String,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.place.is_empty() {
            f.write_str(&self.problem)
        } else {
            write!(f, "{}: {}", self.place, self.problem)
        }
    }
}

/// Every rule that a document breaks, in the order of the document; none when it is valid.
pub fn faults(document: &Value) -> Vec<Fault> {
    let mut check = Checker::default();
    check.document(document, "", false);
    check.faults
}

/// The newest minor version that is known.
const NEWEST: u32 = 8;

/// A kind of JSON value.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Count,
    Number,
    Flag,
    Object,
    List,
    /// A text, or a list of content parts.
    Content,
    /// A text or a number.
    Effort,
}

/// A key: its name, its kind, whether it must be there.
type Key = (&'static str, Kind, bool);

const DOCUMENT: [Key; 10] = [
    ("schema_version", Kind::Text, true),
    ("session_id", Kind::Text, false),
    ("trajectory_id", Kind::Text, false),
    ("agent", Kind::Object, true),
    ("steps", Kind::List, true),
    ("notes", Kind::Text, false),
    ("final_metrics", Kind::Object, false),
    ("continued_trajectory_ref", Kind::Text, false),
    ("extra", Kind::Object, false),
    ("subagent_trajectories", Kind::List, false),
];

const AGENT: [Key; 5] = [
    ("name", Kind::Text, true),
    ("version", Kind::Text, true),
    ("model_name", Kind::Text, false),
    ("tool_definitions", Kind::List, false),
    ("extra", Kind::Object, false),
];

const STEP: [Key; 13] = [
    ("step_id", Kind::Count, true),
    ("timestamp", Kind::Text, false),
    ("source", Kind::Text, true),
    ("model_name", Kind::Text, false),
    ("reasoning_effort", Kind::Effort, false),
    ("message", Kind::Content, true),
    ("reasoning_content", Kind::Text, false),
    ("tool_calls", Kind::List, false),
    ("observation", Kind::Object, false),
    ("metrics", Kind::Object, false),
    ("is_copied_context", Kind::Flag, false),
    ("llm_call_count", Kind::Count, false),
    ("extra", Kind::Object, false),
];

/// Fields that only a step of the agent may have.
const AGENT_ONLY: [&str; 5] = [
    "model_name",
    "reasoning_effort",
    "reasoning_content",
    "tool_calls",
    "metrics",
];

const CALL: [Key; 4] = [
    ("tool_call_id", Kind::Text, true),
    ("function_name", Kind::Text, true),
    ("arguments", Kind::Object, true),
    ("extra", Kind::Object, false),
];

const RESULT: [Key; 4] = [
    ("source_call_id", Kind::Text, false),
    ("content", Kind::Content, false),
    ("subagent_trajectory_ref", Kind::List, false),
    ("extra", Kind::Object, false),
];

const REFERENCE: [Key; 4] = [
    ("trajectory_id", Kind::Text, false),
    ("session_id", Kind::Text, false),
    ("trajectory_path", Kind::Text, false),
    ("extra", Kind::Object, false),
];

const METRICS: [Key; 8] = [
    ("prompt_tokens", Kind::Count, false),
    ("completion_tokens", Kind::Count, false),
    ("cached_tokens", Kind::Count, false),
    ("cost_usd", Kind::Number, false),
    ("prompt_token_ids", Kind::List, false),
    ("completion_token_ids", Kind::List, false),
    ("logprobs", Kind::List, false),
    ("extra", Kind::Object, false),
];

const TOTALS: [Key; 6] = [
    ("total_prompt_tokens", Kind::Count, false),
    ("total_completion_tokens", Kind::Count, false),
    ("total_cached_tokens", Kind::Count, false),
    ("total_cost_usd", Kind::Number, false),
    ("total_steps", Kind::Count, false),
    ("extra", Kind::Object, false),
];

const PART: [Key; 4] = [
    ("type", Kind::Text, true),
    ("text", Kind::Text, false),
    ("source", Kind::Object, false),
    ("extra", Kind::Object, false),
];

#[derive(Default)]
struct Checker {
    faults: Vec<Fault>,
}

impl Checker {
    fn fault(&mut self, place: &str, problem: impl Into<String>) {
        self.faults.push(Fault {
            place: place.to_owned(),
            problem: problem.into(),
        });
    }

    /// Checks a value's keys; the object, when it is one.
    fn object<'v>(&mut self, value: &'v Value, place: &str, keys: &[Key]) -> Option<&'v Map<String, Value>> {
        let Some(object) = value.as_object() else {
            self.fault(place, "it must be an object");
            return None;
        };
        for name in object.keys() {
            if !keys.iter().any(|(known, ..)| known == name) {
                self.fault(
                    place,
                    format!("there is no key `{name}`; what is one's own goes into `extra`"),
                );
            }
        }
        for (name, kind, required) in keys {
            match object.get(*name) {
                None | Some(Value::Null) if *required => self.fault(place, format!("`{name}` is missing")),
                None | Some(Value::Null) => {}
                Some(value) => self.kind(value, &join(place, name), *kind),
            }
        }
        Some(object)
    }

    fn kind(&mut self, value: &Value, place: &str, kind: Kind) {
        let (fits, wanted) = match kind {
            Kind::Text => (value.is_string(), "a text"),
            Kind::Count => (value.is_u64(), "a whole number of at least 0"),
            Kind::Number => (value.is_number(), "a number"),
            Kind::Flag => (value.is_boolean(), "true or false"),
            Kind::Object => (value.is_object(), "an object"),
            Kind::List => (value.is_array(), "a list"),
            Kind::Effort => (value.is_string() || value.is_number(), "a text or a number"),
            Kind::Content => {
                if let Some(parts) = value.as_array() {
                    for (index, part) in parts.iter().enumerate() {
                        self.part(part, &format!("{place}[{index}]"));
                    }
                    return;
                }
                (value.is_string(), "a text or a list of parts")
            }
        };
        if !fits {
            self.fault(place, format!("it must be {wanted}"));
        }
    }

    fn part(&mut self, part: &Value, place: &str) {
        let Some(object) = self.object(part, place, &PART) else {
            return;
        };
        match object.get("type").and_then(Value::as_str) {
            Some("text") if object.get("text").is_none_or(Value::is_null) => {
                self.fault(place, "a part of type `text` needs a `text`");
            }
            Some("text") if object.get("source").is_some_and(|source| !source.is_null()) => {
                self.fault(place, "a part of type `text` has no `source`");
            }
            Some("image" | "audio") => {
                let source = object.get("source").and_then(Value::as_object);
                let has = |key: &str| source.is_some_and(|source| source.get(key).is_some_and(Value::is_string));
                if !has("media_type") || !has("path") {
                    self.fault(place, "it needs a `source` with `media_type` and `path`");
                }
            }
            Some("text") | None => {}
            Some(other) => self.fault(place, format!("there is no part of type `{other}`")),
        }
    }

    fn document(&mut self, value: &Value, place: &str, embedded: bool) {
        let Some(object) = self.object(value, place, &DOCUMENT) else {
            return;
        };
        if let Some(version) = object.get("schema_version").and_then(Value::as_str) {
            let minor = version
                .strip_prefix("ATIF-v1.")
                .and_then(|minor| minor.parse::<u32>().ok());
            if minor.is_none_or(|minor| minor > NEWEST) {
                self.fault(
                    &join(place, "schema_version"),
                    format!("`{version}` is not known; the newest one is {ATIF_VERSION}"),
                );
            }
        }
        if embedded && !object.get("trajectory_id").is_some_and(Value::is_string) {
            self.fault(place, "an embedded trajectory needs a `trajectory_id`");
        }
        if let Some(agent) = object.get("agent").filter(|agent| agent.is_object()) {
            self.object(agent, &join(place, "agent"), &AGENT);
        }
        if let Some(totals) = object.get("final_metrics").filter(|totals| totals.is_object()) {
            self.object(totals, &join(place, "final_metrics"), &TOTALS);
        }
        let mut embedded = BTreeSet::new();
        for (index, each) in list(object, "subagent_trajectories").iter().enumerate() {
            let place = join(place, &format!("subagent_trajectories[{index}]"));
            self.document(each, &place, true);
            if let Some(id) = each.get("trajectory_id").and_then(Value::as_str)
                && !embedded.insert(id)
            {
                self.fault(&place, format!("the `trajectory_id` `{id}` is there twice"));
            }
        }
        let steps = list(object, "steps");
        if steps.is_empty() && object.get("steps").is_some_and(Value::is_array) {
            self.fault(&join(place, "steps"), "there must be at least one step");
        }
        for (index, step) in steps.iter().enumerate() {
            self.step(step, &join(place, &format!("steps[{index}]")), index, &embedded);
        }
    }

    fn step(&mut self, step: &Value, place: &str, index: usize, embedded: &BTreeSet<&str>) {
        let Some(object) = self.object(step, place, &STEP) else {
            return;
        };
        if let Some(id) = object.get("step_id").and_then(Value::as_u64)
            && id != index as u64 + 1
        {
            self.fault(&join(place, "step_id"), format!("it is {id} and must be {}", index + 1));
        }
        if let Some(time) = object.get("timestamp").and_then(Value::as_str)
            && time.parse::<jiff::Timestamp>().is_err()
            && time.parse::<jiff::civil::DateTime>().is_err()
        {
            self.fault(&join(place, "timestamp"), format!("`{time}` is no time of ISO 8601"));
        }
        let source = object.get("source").and_then(Value::as_str);
        match source {
            Some("agent") | None => {}
            Some("system" | "user") => {
                for name in AGENT_ONLY {
                    if object.get(name).is_some_and(|value| !value.is_null()) {
                        self.fault(&join(place, name), "only a step of the agent has it");
                    }
                }
            }
            Some(other) => self.fault(
                &join(place, "source"),
                format!("`{other}` is none of `system`, `user`, `agent`"),
            ),
        }
        if object.get("llm_call_count").and_then(Value::as_u64) == Some(0) {
            for name in ["metrics", "reasoning_content"] {
                if object.get(name).is_some_and(|value| !value.is_null()) {
                    self.fault(&join(place, name), "no model was called in this step");
                }
            }
        }
        if let Some(metrics) = object.get("metrics").filter(|metrics| metrics.is_object()) {
            let place = join(place, "metrics");
            self.object(metrics, &place, &METRICS);
            let count = |name: &str| metrics.get(name).and_then(Value::as_u64);
            if let (Some(cached), Some(all)) = (count("cached_tokens"), count("prompt_tokens"))
                && cached > all
            {
                self.fault(
                    &place,
                    format!("{cached} cached tokens are more than the {all} of the prompt"),
                );
            }
        }
        let mut calls = BTreeSet::new();
        for (index, call) in list(object, "tool_calls").iter().enumerate() {
            self.object(call, &join(place, &format!("tool_calls[{index}]")), &CALL);
            calls.extend(call.get("tool_call_id").and_then(Value::as_str));
        }
        if let Some(observation) = object.get("observation").filter(|observation| observation.is_object()) {
            self.observation(observation, &join(place, "observation"), &calls, embedded);
        }
    }

    fn observation(&mut self, observation: &Value, place: &str, calls: &BTreeSet<&str>, embedded: &BTreeSet<&str>) {
        let keys = [("results", Kind::List, true), ("extra", Kind::Object, false)];
        let Some(object) = self.object(observation, place, &keys) else {
            return;
        };
        for (index, result) in list(object, "results").iter().enumerate() {
            let place = join(place, &format!("results[{index}]"));
            let Some(result) = self.object(result, &place, &RESULT) else {
                continue;
            };
            if let Some(id) = result.get("source_call_id").and_then(Value::as_str)
                && !calls.contains(id)
            {
                self.fault(&place, format!("no call of this step has the id `{id}`"));
            }
            for (index, reference) in list(result, "subagent_trajectory_ref").iter().enumerate() {
                let place = join(&place, &format!("subagent_trajectory_ref[{index}]"));
                let Some(reference) = self.object(reference, &place, &REFERENCE) else {
                    continue;
                };
                let text = |key: &str| reference.get(key).and_then(Value::as_str);
                match (text("trajectory_id"), text("trajectory_path")) {
                    (None, None) => self.fault(&place, "it needs a `trajectory_id` or a `trajectory_path`"),
                    (Some(id), None) if !embedded.contains(id) => {
                        self.fault(&place, format!("no embedded trajectory has the id `{id}`"));
                    }
                    _ => {}
                }
            }
        }
    }
}

fn join(place: &str, name: &str) -> String {
    if place.is_empty() {
        name.to_owned()
    } else {
        format!("{place}.{name}")
    }
}

fn list<'v>(object: &'v Map<String, Value>, key: &str) -> &'v [Value] {
    object.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
