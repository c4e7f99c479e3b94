//! What makes the tools in a box trust the door's certificates: files over the image's own, and variables.

use std::collections::BTreeMap;

use crate::Authority;

/// Files to lay over the image's, by absolute path. `of_image` reads a regular file of the image.
pub fn files(_authority: &Authority, _of_image: &dyn Fn(&str) -> Option<Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
    BTreeMap::new()
}

/// Variables that every command gets.
pub fn environment() -> BTreeMap<String, String> {
    BTreeMap::new()
}
