//! From a package that builds on one architecture and fails on another to edits that may mend it.
//!
//! What the log says is read by `diagnosis`; what porters know is a table ([`lookup`]) with a function behind each row that
//! looks into the package and writes the edits. The answers are ranked, the same for the same question, and no more than
//! proposals: only a rebuild on the target proves one. Nothing here is about one package, and nothing is run.
//!
//! | module | what |
//! |---|---|
//! | `case` | the failing package: its log, its files |
//! | `machine` | how architectures are called in each language, and whose a flag is |
//! | `condition` | which lines of a C source count on the target |
//! | `draft` | edits in the making |
//! | `recipe` | build dependencies and flags, added wherever this package has them |
//! | `table` | what porters know: sign, meaning, repairs |
//! | the others | the repairs, one kind a file |

mod added;
mod arches;
mod assembly;
mod autotools;
mod calls;
mod case;
mod condition;
mod depends;
mod draft;
mod flags;
mod headers;
mod lists;
mod machine;
mod pages;
mod paths;
mod ports;
mod recipe;
mod repair;
mod symbols;
mod table;
mod untested;

pub use case::Failure;
pub use repair::{Applied, Edit, PortingError, Repair};
pub use seatrial_core::{Mark, RebuildState as State};
pub use table::{Knowledge, candidates, lookup};
