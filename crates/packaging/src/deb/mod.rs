//! Debian's side: the files of `debian/`, each read and edited as text with everything else kept, and source packages.

mod alone;
mod base;
mod changelog;
mod control;
mod description;
mod open;
mod pack;
mod quilt;
mod rows;

pub use self::{
    changelog::{Changelog, ChangelogTop, NewEntry, version_above},
    control::Control,
    quilt::{PatchHeader, Series},
    rows::Rows,
};
pub(crate) use self::{
    description::architectures,
    open::{Debian, changelog_of, control_of, is_work},
};
