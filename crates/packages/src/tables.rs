//! What files cannot say: small tables, each row with its reason.

mod alternatives;
mod cmake;
mod imports;
mod java;
mod macros;
mod overrides;
mod python;
mod renamed;

pub(crate) use alternatives::alternatives;
pub(crate) use cmake::{customary_module, find_module, find_module_folded, package_of_command, separate_component};
pub(crate) use imports::PYTHON_IMPORTS;
pub(crate) use java::artifacts_of;
pub(crate) use macros::macro_keys;
pub(crate) use overrides::{is_generated, is_gone, overrides};
pub(crate) use python::{PYTHON_NAMESPACES, PYTHON_STANDARD};
pub(crate) use renamed::elsewhere;

/// A key in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Static {
    /// A header.
    Header(&'static str),
    /// A pkg-config module.
    PkgConfig(&'static str),
    /// A library.
    Library(&'static str),
    /// A program.
    Command(&'static str),
    /// A Python module.
    Python(&'static str),
    /// A package by its name.
    Package(&'static str),
}
