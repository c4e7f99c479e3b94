//! Vectors of texts from a provider: many texts in few requests, each of which is retried, counted, bounded and recorded like any
//! other call of a model.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use seatrial_core::{Message, Role};

use crate::{CallContext, Model as _, ModelError, ModelId, Request, Settings, Wire, client::Client, connect::client};

/// Most texts of a request, and most bytes of all of them.
const MOST_TEXTS: usize = 64;
const MOST_BYTES: usize = 100_000;

/// A model that makes vectors of texts, so that texts on the same matter are near each other.
pub trait EmbeddingModel: Send + Sync {
    /// Its name.
    fn id(&self) -> &ModelId;

    /// One vector a text, in their order and all of the same length. One event tells of each request; none counts as a turn.
    fn embed(&self, texts: &[String], call: &mut CallContext<'_>) -> Result<Vec<Vec<f32>>, ModelError>;
}

/// Finds the provider of a model for vectors and makes ready to ask it. Nothing is sent yet.
pub fn connect_embeddings(id: &ModelId, settings: &Settings) -> Result<Arc<dyn EmbeddingModel>, ModelError> {
    let client = client(id, settings, Some(Wire::Embeddings))?;
    if !matches!(client.provider.wire, Wire::Chat | Wire::Responses) {
        return Err(ModelError::NoVectors {
            provider: client.provider.name.clone(),
        });
    }
    Ok(Arc::new(Embeddings {
        client,
        most: AtomicUsize::new(MOST_TEXTS),
    }))
}

struct Embeddings {
    client: Client,
    /// Most texts of a request; fewer once a server was found to take fewer.
    most: AtomicUsize,
}

impl EmbeddingModel for Embeddings {
    fn id(&self) -> &ModelId {
        &self.client.id
    }

    fn embed(&self, texts: &[String], call: &mut CallContext<'_>) -> Result<Vec<Vec<f32>>, ModelError> {
        let mut vectors: Vec<Vec<f32>> = Vec::with_capacity(texts.len());
        let mut rest = texts;
        while !rest.is_empty() {
            let count = batch(rest, self.most.load(Ordering::Relaxed));
            let Some((now, later)) = rest.split_at_checked(count) else {
                break;
            };
            match self.once(now, call) {
                Ok(mut some) => {
                    vectors.append(&mut some);
                    rest = later;
                }
                // Servers take fewer texts at once than they say.
                Err(ModelError::BadRequest { .. } | ModelError::ContextFull { .. }) if count > 1 => {
                    self.most.fetch_min((count / 2).max(1), Ordering::Relaxed);
                }
                Err(error) => return Err(error),
            }
        }
        let length = vectors.first().map_or(0, Vec::len);
        if vectors.iter().any(|vector| vector.len() != length) {
            return Err(self.no_vectors("they are not of one length".to_owned()));
        }
        Ok(vectors)
    }
}

impl Embeddings {
    fn once(&self, texts: &[String], call: &mut CallContext<'_>) -> Result<Vec<Vec<f32>>, ModelError> {
        let messages = texts.iter().map(|text| Message::text(Role::User, text.clone()));
        let mut request = Request::new(messages.collect());
        request.max_output = Some(0);
        let completion = self.client.complete(&request, call)?;
        let vectors: Vec<Vec<f32>> = serde_json::from_str(&completion.message.plain_text())
            .map_err(|error| self.no_vectors(error.to_string()))?;
        if vectors.len() != texts.len() {
            return Err(self.no_vectors(format!("{} came for {} texts", vectors.len(), texts.len())));
        }
        Ok(vectors)
    }

    fn no_vectors(&self, problem: String) -> ModelError {
        ModelError::BadVectors {
            model: self.client.id.to_string(),
            problem,
        }
    }
}

/// How many of these texts go into one request: at least one.
fn batch(texts: &[String], most: usize) -> usize {
    let mut bytes = 0_usize;
    texts
        .iter()
        .take(most)
        .take_while(|text| {
            bytes = bytes.saturating_add(text.len());
            bytes <= MOST_BYTES
        })
        .count()
        .max(1)
}
