//! Tools that an agent with a model works with: what they are for, what they take, and what they do in a box.
//!
//! A [`Toolbox`] is a choice of tools. It reads a call as the model wrote it, checks it, runs it in a [`World`] and gives
//! an [`Answer`] that fits into a conversation. Whatever a model can mend is an answer; an error is the machinery's.
//! Nothing here knows a model, a task or a grader, and every path is one of the box.

mod answer;
mod archive;
mod building;
mod error;
mod files;
mod finish;
pub mod mcp;
mod patch;
mod place;
mod repair;
mod schema;
mod shell;
mod snapshots;
mod spec;
mod state;
mod structure;
mod text;
mod toolbox;
mod web;
mod world;

pub use answer::Answer;
pub use error::{ToolFailure, ToolsError};
pub use repair::{
    PackageRebuilds, RebuildOrder, RebuildsError, Rebuilt, RepairState, TakeError, Taken, Uploaded, compat_names,
    take_package,
};
pub use spec::{Caching, Effect, Tool, ToolDescription};
pub use state::{CacheRule, Finished, GuardRule, ToolState};
pub use structure::{Definition, Structure, structure};
pub use text::shorten;
pub use toolbox::{RepairTools, Toolbox, tool_names};
pub use web::{
    Page, PageSource, ProviderSearch, SEARCH_PROVIDERS, SearchError, SearchHit, SearchProvider, WebSearcher, page_text,
};
pub use world::{Ground, ToolLimits, Watch, World};
