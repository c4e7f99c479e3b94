//! Packages of both kinds, with the distributions' own programs as the second opinion.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests are tests too")]

mod debian;
mod full;
mod recipes;
mod rpm;
mod specs;
mod support;
