//! Where things are inside a box. Recipes refer to these through `$SRC`, `$OUT` and `$PREFIX`.

/// The pinned source, writable.
pub const BOX_SOURCE: &str = "/build/source";
/// The pinned repository whose environment is set up, writable. Published scripts know this path.
pub const BOX_PROJECT: &str = "/data/project";
/// The folder for builds out of tree.
pub const BOX_OUT: &str = "/build/out";
/// The prefix that `install` steps write to.
pub const BOX_PREFIX: &str = "/build/prefix";
