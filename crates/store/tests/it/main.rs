//! The store's public face, on real folders.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod governor;
