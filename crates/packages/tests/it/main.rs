//! The index over a small made-up archive, and over the real one.

mod gold;
mod synthetic;
