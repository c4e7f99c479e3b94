//! Boxes: isolated machines in which foreign code runs.
//!
//! The [`Sandbox`] trait is the contract; [`NativeFactory`] is the back end that needs nothing but the Linux kernel.
//! This crate knows nothing of tasks, networks' policies beyond on and off, or build systems.
#![expect(
    unsafe_code,
    reason = "namespaces, forks and descriptors; each block says why it is sound"
)]

mod contract;
mod docker;
mod doctor;
mod door;
mod error;
mod images;
mod native;
mod session;
mod sources;
mod stop;

pub use contract::{
    Before, BoxSpec, Change, ChangeKind, Command, Enforcement, Execution, FileContent, Limits, Network, OutputSink,
    Sandbox, SandboxFactory, Snapshot, Status, Stream, TimeoutKind,
};
pub use docker::{DockerFactory, probe_daemon};
pub use doctor::{Finding, Ok as FindingOk, doctor};
pub use door::{DOOR_ADDRESS, DOOR_HOST, Door, DoorSockets, OpenDoor};
pub use error::SandboxError;
pub(crate) use images::Footing;
pub use images::{
    Credentials, Image, ImageLock, ImageRecipe, ImageRequest, ImageStore, InstalledPackage, Listing, Origin, Pull,
    RecipeBuild, Reference, emulator, is_native,
};
pub use native::{DeniedCall, NativeFactory, denied_calls, helper_main, is_helper_invocation};
pub use session::{Session, SessionCommand, SessionExecution, SessionSpec};
pub use stop::StopLink;
