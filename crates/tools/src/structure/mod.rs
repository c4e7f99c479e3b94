//! The structure of source files: what is defined where.

mod extract;
mod grammars;
mod spec_file;
mod tool;

use serde::{Deserialize, Serialize};

pub(crate) use self::tool::StructureTool;

/// Something that a source file defines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// What it is, such as `function` or `class`.
    pub kind: String,
    /// Its name as the source writes it.
    pub name: String,
    /// First line, counted from 1.
    pub from: usize,
    /// Last line.
    pub to: usize,
    /// How many definitions it stands in.
    pub depth: usize,
}

/// What a source file defines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Structure {
    /// The language, such as `c`.
    pub language: String,
    /// Its definitions, in order; each is followed by those that stand in it.
    pub definitions: Vec<Definition>,
    /// Whether the file has parts that are not of the language, or was not read to its end.
    pub partial: bool,
}

/// What a file defines, by its name and content; none for a language that is not known, or a file that is no text or too
/// large.
pub fn structure(path: &str, content: &[u8]) -> Option<Structure> {
    extract::Extractor::default().structure(path, content)
}
