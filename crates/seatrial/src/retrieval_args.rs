//! Words of `bench retrieval`.

use std::path::PathBuf;

use seatrial_agents::Retrieval;

use crate::model_args::{ModelArgs, RetrievalWord};

/// Words of `bench retrieval`.
#[derive(Debug, clap::Args)]
pub(crate) struct BenchRetrievalArgs {
    /// The table of labels: comma-separated values with Repo_Name, html_url, default_branch, `Compilable?` and `Build
    /// Trajectory`
    pub(crate) table: PathBuf,
    /// The folder with the repositories, as OWNER/NAME or NAME
    #[arg(long, value_name = "DIR")]
    pub(crate) repos: PathBuf,
    /// Where pages are, as HOST/PATH below a folder or an address; without it the web itself is asked
    #[arg(long, value_name = "DIR-OR-URL")]
    pub(crate) pages: Option<String>,
    /// The ways to measure [default: none, tfidf and rag, and llm when a model is named]
    #[arg(long, value_name = "HOW", value_delimiter = ',')]
    pub(crate) strategy: Vec<RetrievalWord>,
    /// Only the first N repositories
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// List every repository too
    #[arg(long)]
    pub(crate) tasks: bool,
    /// Print Markdown
    #[arg(long)]
    pub(crate) markdown: bool,
    #[command(flatten)]
    pub(crate) models: ModelArgs,
}

impl BenchRetrievalArgs {
    /// The ways to measure.
    pub(crate) fn strategies(&self) -> Vec<Retrieval> {
        if !self.strategy.is_empty() {
            return self.strategy.iter().map(|word| word.kind()).collect();
        }
        let mut all = vec![Retrieval::None, Retrieval::Tfidf, Retrieval::Rag];
        if !self.models.model.is_empty() {
            all.push(Retrieval::Llm);
        }
        all
    }
}
