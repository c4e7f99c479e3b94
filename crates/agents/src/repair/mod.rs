//! Repairs: a package in the box, what is handed in of it, and the agent `mcp-repair`.

mod brief;
mod mcp_repair;
mod package;

pub(crate) use brief::{task, texts};
pub(crate) use mcp_repair::McpRepair;
pub use mcp_repair::RepairOptions;
pub use package::rebuild_package;
pub(crate) use package::{BoxPackage, difference, hand_in};

use crate::talk::Prompt;

/// What tells of the task.
pub(crate) const TASK: Prompt = Prompt::new("task-repair", include_str!("../../prompts/task-repair.md"));
