//! RPM's side: spec files read and edited by lines, the list of changes, and flat folders as a build service stores them.

mod arches;
mod as_patch;
mod changes;
mod edit;
mod flat;
mod guard;
mod macros;
mod patches;
mod spec;

pub(crate) use self::{
    arches::architectures,
    as_patch::as_patch,
    flat::{Flat, is_no_source},
};
pub use self::{
    changes::Changes,
    macros::Expanded,
    patches::AddedPatch,
    spec::{Section, SectionKind, Spec, Tag},
};
