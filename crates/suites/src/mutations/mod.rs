//! Labelled failing logs: working builds, each broken in one known way.
//!
//! A catalogue names projects that build, and changes that break them. Mining builds each project in a box, makes sure
//! that it works, breaks it, builds again and keeps the log. What is wrong is known from the change; which line says so
//! is known from a witness that the change's author wrote. The program that is graded has no part in either.

mod case;
mod catalogue;
mod consultant;
mod dress;
mod error;
mod grade;
mod growth;
mod labels;
mod mine;
mod neutral;
mod reveal;
mod split;

pub use case::{Case, CaseSet, SetFacts};
pub use catalogue::{Catalogue, Change, Instance, Project};
pub use consultant::{Consultant, ConsultantError, Opinion};
pub use error::MutationError;
pub use grade::{Answer, Grades, Judgement, Tally, grade, judge};
pub use mine::{Dropped, MiningFloor, MutationOptions, MutationReport, mine_mutations};
pub use reveal::{Reveal, reveal, sides};
pub use split::Share;
