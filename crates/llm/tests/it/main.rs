//! Models against the scripted server, over real connections.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod cassettes;
mod conversations;
mod embeddings;
mod limits;
mod matrix;
mod program;
mod support;
mod words;
