//! Measures a way of finding instructions against labels, without building anything.

use std::{
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use seatrial_core::{Event, Message};
use seatrial_llm::{CallContext, Completion, EmbeddingModel, JsonSchema, Meter, Request};
use seatrial_tools::ToolFailure;
use serde::Serialize;

use super::{Library, Means, Outside, Page, Repository, Retrieval, desk::vectors, retrieve};
use crate::{
    AgentError, AgentSettings,
    talk::{Halt, models},
};

/// Most bytes of a page.
const MOST_BYTES: u64 = 8 << 20;

/// How one search went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RetrievalScore {
    /// The repository.
    pub repository: String,
    /// Whether what holds the instructions was reached: of searches in parts, whether it is among the five best.
    pub reached: bool,
    /// Whether the instructions are outside of the repository.
    pub outside: bool,
    /// Steps of the label's way, and how many of them were reached.
    pub steps: usize,
    /// Steps that were reached.
    pub covered: usize,
    /// Paths and addresses of what counts as reached.
    pub sources: Vec<String>,
    /// Pages that were asked for, those that did not come among them.
    pub requests: u32,
    /// Calls of a model.
    pub calls: u32,
    /// Tokens of these calls, as far as they are known.
    pub tokens: u64,
    /// Their cost in millionths of a US dollar; `None` when a price is unknown.
    pub cost_micros: Option<u64>,
    /// Why it ended early, when it did.
    pub ended: Option<String>,
}

/// Searches one repository and compares with its label. What a model does not do is part of the score; an error is the
/// machinery's.
pub fn measure_retrieval(
    repository: &Repository,
    tree: &Path,
    strategy: Retrieval,
    settings: &AgentSettings,
    stop: &AtomicBool,
) -> Result<RetrievalScore, AgentError> {
    let mut bench = Bench {
        settings,
        stop,
        meter: Meter::within(settings.bounds, settings.run_meter.clone()),
        calls: 0,
        tokens: 0,
        cost_micros: Some(0),
    };
    if strategy == Retrieval::Llm {
        models(settings, "retrieval")?;
    }
    let mut library = Library::new(tree, Some(repository.home()));
    if strategy == Retrieval::None {
        // Without a search, a model has what every agent is told.
        drop(library.readme());
    }
    let means = Means {
        strategy,
        embedder: settings.embedder.as_deref(),
        embedding: settings.embedding.as_deref(),
        label: Some(repository),
    };
    let (sources, ended) = match retrieve(&mut bench, &mut library, &means) {
        Ok(found) => (found.sources, None),
        Err(Halt::Ended(_, why)) => (Vec::new(), Some(why)),
        Err(Halt::Model(error)) => {
            if error.ending().is_none() {
                return Err(AgentError::Interrupted);
            }
            if error.invalid_reason().is_some() {
                return Err(error.into());
            }
            (Vec::new(), Some(error.to_string()))
        }
        Err(Halt::Broken(error)) => return Err(error),
    };
    // Of a reader, everything counts that it opened, whether or not it came to an end.
    let sources = if matches!(strategy, Retrieval::Tfidf | Retrieval::Rag) {
        sources
    } else {
        library
            .reached
            .files
            .iter()
            .chain(&library.reached.pages)
            .cloned()
            .collect()
    };
    let is_reached = |step: &Vec<String>| repository.is_reached(&library, step, &sources);
    let target = repository.trajectory.last();
    Ok(RetrievalScore {
        repository: repository.name.clone(),
        reached: target.is_some_and(is_reached),
        outside: target.is_some_and(|target| repository.is_outside(target)),
        steps: repository.trajectory.len(),
        covered: repository.trajectory.iter().filter(|step| is_reached(step)).count(),
        requests: library.reached.requests,
        sources,
        calls: bench.calls,
        tokens: bench.tokens,
        cost_micros: bench.cost_micros,
        ended,
    })
}

struct Bench<'b> {
    settings: &'b AgentSettings,
    stop: &'b AtomicBool,
    meter: Meter,
    calls: u32,
    tokens: u64,
    cost_micros: Option<u64>,
}

impl Outside for Bench<'_> {
    fn ask(
        &mut self,
        conversation: &str,
        messages: Vec<Message>,
        schema: Option<JsonSchema>,
    ) -> Result<Completion, Halt> {
        let model = Arc::clone(models(self.settings, "retrieval")?);
        let mut request = Request::new(messages);
        request.schema = schema;
        request.max_output = self.settings.options.max_output;
        request.temperature = self.settings.options.temperature;
        let mut call = CallContext::new(conversation, &self.meter, self.stop);
        self.calls += 1;
        let completion = model.complete(&request, &mut call).map_err(Halt::Model)?;
        self.tokens += completion.usage.total();
        self.cost_micros = self
            .cost_micros
            .zip(completion.record.cost_micros)
            .map(|(sum, cost)| sum + cost);
        Ok(completion)
    }

    fn embed(&mut self, model: &dyn EmbeddingModel, texts: &[String]) -> Result<Result<Vec<Vec<f32>>, String>, Halt> {
        let mut events: Vec<Event> = Vec::new();
        let mut call = CallContext::new("retrieve", &self.meter, self.stop);
        call.events = Some(&mut events);
        let made = model.embed(texts, &mut call);
        for event in events {
            let Event::ModelCalled(record) = event else { continue };
            self.calls += 1;
            self.tokens += record.usage.total();
            self.cost_micros = self.cost_micros.zip(record.cost_micros).map(|(sum, cost)| sum + cost);
        }
        vectors(made)
    }

    fn page(&mut self, address: &str) -> Result<Result<Page, String>, Halt> {
        Ok(match &self.settings.pages {
            Some(pages) => match pages.fetch(address, MOST_BYTES) {
                Ok(page) if page.status < 400 => Ok(Page::new(
                    &page.url,
                    &page.content_type,
                    &String::from_utf8_lossy(&page.body),
                )),
                Ok(page) => Err(format!("the server answers {}", page.status)),
                Err(ToolFailure::Told(why)) => Err(why),
                Err(ToolFailure::Broken(error)) => return Err(Halt::Broken(error.into())),
            },
            None => Err("no pages were given".to_owned()),
        })
    }

    fn tell(&mut self, _: Event) -> Result<(), Halt> {
        Ok(())
    }
}
