//! Models behind one trait: requests and answers in core's words over the wires that providers speak, with retries, limits,
//! counts, prices and cassettes; and a scripted server that stands in for a provider in tests.
//!
//! Knows no agent, no tool and no box. Reads no environment: keys and addresses are passed in.

mod cassette;
mod client;
mod connect;
mod course;
mod digest;
mod embed;
mod error;
mod estimate;
mod exchange;
mod id;
mod letter;
mod mend;
mod meter;
mod pace;
mod patience;
mod prices;
mod providers;
mod quirks;
mod reading;
mod redact;
mod request;
pub mod scripted;
mod settings;
mod sse;
mod text_protocol;
mod transport;
mod wire;

pub use cassette::{Cassette, CassetteError, CassetteMode};
pub use connect::connect;
pub use embed::{EmbeddingModel, connect_embeddings};
pub use error::{Attempt, ModelError};
pub use id::{ModelId, ModelIdError};
pub use meter::{Bounds, Meter, Spent};
pub use prices::{Price, PriceError, Prices};
pub use providers::{Provider, Wire, provider, providers};
pub use redact::{LEAST_SECRET, forms as secret_forms};
pub use request::{
    Abilities, CallContext, Completion, JsonSchema, Model, Piece, Request, ToolChoice, ToolProtocol, ToolSpec,
};
pub use settings::{Pacing, Patience, Secret, Settings, Shared};
