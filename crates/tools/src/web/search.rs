//! A search of the web, where somebody provides one. Off otherwise.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::solution::is_of_solution;
use crate::{
    Answer, Caching, Effect, Tool, ToolDescription, ToolFailure, World,
    text::visible,
    toolbox::{Arguments as _, describe},
};

/// Searches the web.
pub trait WebSearcher: Send + Sync {
    /// What fits, best first.
    fn search(&self, query: &str, most: usize) -> Result<Vec<SearchHit>, ToolFailure>;
}

/// One answer of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchHit {
    /// The page's title.
    pub title: String,
    /// Its address.
    pub url: String,
    /// What of it fits.
    pub excerpt: String,
}

pub(crate) struct WebSearch(ToolDescription);

impl WebSearch {
    pub(crate) fn new() -> Self {
        Self(describe(
            "web_search",
            "Searches the web, where a provider is set up.",
            "At most 10 answers; pages of where the task's own source comes from are left out.",
            Effect {
                network: true,
                ..Effect::NONE
            },
            Caching::UntilReset,
            json!({
                "query": {"type": "string", "minLength": 1, "maxLength": 500, "description": "What to search for."},
                "most": {"type": "integer", "minimum": 1, "maximum": 10, "description": "How many answers; 5 when left out."},
            }),
            &["query"],
        ))
    }
}

impl Tool for WebSearch {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, arguments: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let searcher = world
            .ground
            .searcher
            .ok_or_else(|| ToolFailure::told("no search of the web is set up here; go on without it"))?;
        let most = arguments.number("most").unwrap_or(5) as usize;
        let hits = searcher.search(arguments.text("query").unwrap_or_default(), most)?;
        let solution = world.ground.solution;
        let is_answer_key = |hit: &SearchHit| solution.is_some_and(|source| is_of_solution(&hit.url, source));
        let (left_out, hits): (Vec<_>, Vec<_>) = hits.into_iter().partition(is_answer_key);
        let mut text = String::new();
        for hit in hits.iter().take(most) {
            let _ = writeln!(
                text,
                "{}\n  {}\n  {}",
                visible(&hit.title),
                visible(&hit.url),
                visible(&hit.excerpt)
            );
        }
        if text.is_empty() {
            text.push_str("nothing was found");
        }
        if !left_out.is_empty() {
            let _ = write!(
                text,
                "\n[{} of the answers are pages of where this source comes from, and are left out]",
                left_out.len()
            );
        }
        Ok(Answer::text(text))
    }
}
