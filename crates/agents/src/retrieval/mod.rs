//! Finds what tells how to build a project, before anything is built: in its documents and in the pages that they lead to.

mod benchmark;
mod chunks;
mod desk;
mod labels;
mod library;
mod links;
mod pages;
mod rounds;
mod search;
mod vectors;

pub use benchmark::{RetrievalScore, measure_retrieval};
use desk::AtDesk;
pub use labels::{LabelError, Labels, Repository};
use library::{Library, Outside};
use pages::Page;
pub(crate) use rounds::prompts;
use seatrial_core::Event;
use seatrial_llm::EmbeddingModel;
use serde::{Deserialize, Serialize};
pub use vectors::{Embedder, HashedWords};

use crate::talk::{Desk, Halt};

/// How instructions are looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Retrieval {
    /// Not at all: the README must do.
    None,
    /// The model reads the README, names what else to read, and judges when it is enough: three rounds of at most three files
    /// and three pages.
    #[default]
    Llm,
    /// The parts of the project's own documents that have most to do with building, by TF-IDF.
    Tfidf,
    /// The same by vectors, over the documents and the pages that are at most three links away.
    Rag,
    /// What a person found: a label that the caller gives.
    Perfect,
}

impl Retrieval {
    /// All, in the order in which tables list them.
    pub const ALL: [Self; 5] = [Self::None, Self::Llm, Self::Tfidf, Self::Rag, Self::Perfect];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Llm => "llm",
            Self::Tfidf => "tfidf",
            Self::Rag => "rag",
            Self::Perfect => "perfect",
        }
    }
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// What a model is told.
    pub(crate) text: String,
    /// Paths and addresses of what it was taken from.
    pub(crate) sources: Vec<String>,
}

/// What a search works with.
pub(crate) struct Means<'m> {
    pub(crate) strategy: Retrieval,
    pub(crate) embedder: Option<&'m dyn Embedder>,
    /// A provider's model for vectors, before `embedder`.
    pub(crate) embedding: Option<&'m dyn EmbeddingModel>,
    /// What is known of the repository, for `perfect` only.
    pub(crate) label: Option<&'m Repository>,
}

/// Looks for instructions in the tree of a desk's task.
pub(crate) fn of_task(desk: &mut Desk<'_, '_>, means: &Means<'_>) -> Result<Found, Halt> {
    let home = library::home_of(desk.context).or_else(|| means.label.map(Repository::home));
    let mut library = Library::new(desk.context.tree, home);
    retrieve(&mut AtDesk(desk), &mut library, means)
}

/// Looks for instructions.
fn retrieve(outside: &mut dyn Outside, library: &mut Library, means: &Means<'_>) -> Result<Found, Halt> {
    let found = match means.strategy {
        Retrieval::None => return Ok(Found::default()),
        Retrieval::Llm => rounds::read_on(outside, library)?,
        Retrieval::Tfidf => search::in_documents(library),
        Retrieval::Rag => search::in_all(outside, library, means)?,
        Retrieval::Perfect => search::by_label(outside, library, means.label)?,
    };
    let what = format!("retrieval: {}", means.strategy.name());
    let why = if found.sources.is_empty() {
        "nothing was found".to_owned()
    } else {
        format!("from {}", found.sources.join(", "))
    };
    outside.tell(Event::Decision { what, why })?;
    Ok(found)
}
