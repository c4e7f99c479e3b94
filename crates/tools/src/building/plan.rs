//! The ways to build a tree.

use std::fmt::Write as _;

use seatrial_builder::Plan;
use serde_json::{Value, json};

use super::lay::lay;
use crate::{
    Answer, Caching, Effect, Tool, ToolDescription, ToolFailure, World,
    place::{place, shown},
    text::visible,
    toolbox::{Arguments as _, describe},
};

/// Plans that are shown.
const MOST: usize = 8;

pub(crate) struct PlanTool(ToolDescription);

impl PlanTool {
    pub(crate) fn new() -> Self {
        Self(describe(
            "plan",
            "Finds the build systems in a source tree and shows, best first, the ways to build it, each with its commands. \
             Runs nothing.",
            "At most 8 plans. `$SRC`, `$OUT`, `$PREFIX` and `$JOBS` are set when a plan is tried.",
            Effect::READS,
            Caching::WhileFilesStay,
            json!({"path": {"type": "string", "description": "The source folder; the root folder when left out."}}),
            &[],
        ))
    }
}

/// The plans for the tree in a folder of the box.
pub(super) fn plans(folder: &str, world: &mut World<'_>) -> Result<Vec<Plan>, ToolFailure> {
    let tree = lay(folder, world)?;
    let roots = seatrial_builder::detect(tree.path());
    Ok(seatrial_builder::plans(tree.path(), &roots))
}

impl Tool for PlanTool {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, arguments: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let folder = place(world.root, arguments.text("path").unwrap_or("."))?;
        let plans = plans(&folder, world)?;
        if plans.is_empty() {
            return Err(ToolFailure::Told(format!(
                "no way to build `{}` is known: no build file and no sources with a main function",
                visible(shown(world.root, &folder))
            )));
        }
        let mut text = String::new();
        for (number, plan) in (1..).zip(plans.iter().take(MOST)) {
            let _ = writeln!(
                text,
                "{number}. {} ({})",
                visible(&plan.title()),
                visible(&plan.root.evidence.join(", "))
            );
            for step in &plan.steps {
                let _ = writeln!(text, "   {}, in {}:", step.purpose.as_str(), step.folder);
                for line in step.command.lines() {
                    let _ = writeln!(text, "     {line}");
                }
            }
        }
        if plans.len() > MOST {
            let _ = writeln!(text, "[{} more]", plans.len() - MOST);
        }
        let titles: Vec<String> = plans.iter().map(Plan::title).collect();
        Ok(Answer::text(text).with_data(json!({"plans": titles})))
    }
}
