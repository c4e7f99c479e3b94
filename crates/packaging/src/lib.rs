//! Source packages as files: Debian's, and RPM's as a build service stores them.
//!
//! A package is opened as a copy, read, edited with its formatting kept, and packed again. Nothing of it is ever run, and
//! nothing is asked of a network: that is for boxes and for other rooms.

pub mod archive;
pub mod deb;
mod diff;
mod error;
mod hash;
mod package;
mod patch;
pub mod rpm;

pub use diff::{Applied, Change, Report, file_diff};
pub use error::PackageError;
pub use package::{Architectures, OpenOptions, Package, Packed, PackedFile};
pub use patch::{Fitting, PatchChange, PatchError, PatchFiles, PatchedFile, patch_files};
pub use seatrial_core::RecipeKind as Kind;
