//! Hashes that other programs check.

use sha2::Digest as _;

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| DIGITS.get(usize::from(value)).copied().map_or('0', char::from);
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

/// MD5, which old formats ask for; it proves nothing.
pub(crate) fn md5(bytes: &[u8]) -> String {
    hex(&md5::Md5::digest(bytes))
}

/// SHA-1, likewise.
pub(crate) fn sha1(bytes: &[u8]) -> String {
    hex(&sha1::Sha1::digest(bytes))
}

/// SHA-256.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex(&sha2::Sha256::digest(bytes))
}

/// The name that git gives to a content.
pub(crate) fn git_blob(content: &[u8]) -> String {
    let mut hash = sha1::Sha1::new();
    hash.update(format!("blob {}\0", content.len()));
    hash.update(content);
    hex(&hash.finalize())
}
