//! Rebuilding a package from clean on a target architecture.
//!
//! A [`Rebuilder`] takes a source package as files and a target, and says what happened: a [`State`] decided by the
//! dependency solver, the recipe's parser and the build, never by words in a log. What the machine broke is
//! [`State::Invalid`], not a failure of the package.
//!
//! | module | what |
//! |---|---|
//! | [`rebuilder`] | the trait, the states, what is asked and what comes back |
//! | [`source`] | a source package as files: read, checked, digested |
//! | [`world`] | boxes with build dependencies in them, and fresh ones made from those |
//! | [`debian`], [`rpm`], [`local`] | the two local builders, and both as one |
//! | [`service`] | a build service that does it instead |
//! | [`payload`] | what is in a built package, and for which machine |
//! | [`emulator`] | what an emulator's fault looks like, and what emulation costs |

mod debian;
mod emulator;
mod error;
mod local;
mod log;
mod payload;
mod rebuilder;
mod rpm;
mod service;
mod solver;
mod source;
mod step;
mod world;

pub use debian::LocalDebian;
pub use emulator::EMULATED_FACTOR;
pub use error::RebuildError;
pub use local::Local;
pub use payload::Payload;
pub use rebuilder::{
    BUILD_BEGINS, Binaries, Heard, Listener, Mode, Outcome, Phase, RebuildRequest, Rebuilder, Spent, TimeLimits,
};
pub use rpm::LocalRpm;
pub use seatrial_core::{RebuildState as State, RecipeKind as Kind};
pub use service::{BuildService, ServiceBuild, ServicePlace, WantedPlace, service_arch};
pub use source::{SourceFile, SourcePackage};
pub use world::{LocalWorld, RECIPE, images_of, recipe};
