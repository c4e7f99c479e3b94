//! The index over a small made-up archive, and over the real one.

mod foreign;
mod gold;
mod kept;
mod kinds;
mod synthetic;
