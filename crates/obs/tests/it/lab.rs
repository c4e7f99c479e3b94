//! Small things that several tests need.

use md5::{Digest as _, Md5};
use sha2::Sha256;

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect()
}

pub(crate) fn md5_of(bytes: &[u8]) -> String {
    hex(&Md5::digest(bytes))
}

pub(crate) fn sha256_of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}
