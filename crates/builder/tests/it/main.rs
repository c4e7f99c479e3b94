//! The builder at its seams: the loop against a scripted box, and whole builds in real ones.

mod real;
mod script;
mod scripted;
