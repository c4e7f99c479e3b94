//! Names of files as text: those that are no UTF-8 are written so that they can be had back, byte by byte.
//!
//! Nobody is asked to like such names, but a tree that has one is built like any other.

use std::{
    borrow::Cow,
    ffi::{OsStr, OsString},
    fmt::Write as _,
    os::unix::ffi::{OsStrExt as _, OsStringExt as _},
};

/// A byte that is no part of a character is written as the character this far behind it, of a range that nobody assigns.
const BASE: u32 = 0xF700;

/// The byte that a character stands for.
pub(crate) fn byte(character: char) -> Option<u8> {
    let value = u32::from(character).checked_sub(BASE)?;
    u8::try_from(value).ok().filter(|byte| *byte >= 0x80)
}

/// A name as text.
pub(crate) fn written(name: &OsStr) -> String {
    let mut text = String::new();
    let escaped = |text: &mut String, bytes: &[u8]| {
        text.extend(bytes.iter().filter_map(|byte| char::from_u32(BASE + u32::from(*byte))));
    };
    for chunk in name.as_bytes().utf8_chunks() {
        for character in chunk.valid().chars() {
            // What looks like such a character already is written the same way, so that no two names become one.
            if byte(character).is_some() {
                escaped(&mut text, character.encode_utf8(&mut [0; 4]).as_bytes());
            } else {
                text.push(character);
            }
        }
        escaped(&mut text, chunk.invalid());
    }
    text
}

/// The name that a text was written for.
pub(crate) fn real(text: &str) -> OsString {
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        match byte(character) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    OsString::from_vec(bytes)
}

/// A name for a person to read.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains(|character| byte(character).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::new();
    for character in text.chars() {
        match byte(character) {
            Some(byte) => {
                let _ = write!(shown, "\\x{byte:02x}");
            }
            None => shown.push(character),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_comes_back_as_it_was() {
        let names: [&[u8]; 7] = [
            b"plain",
            b"a b",
            b"\xff",
            b"caf\xe9/x",
            "caf\u{e9}".as_bytes(),
            "\u{f7ff}\u{f77f}".as_bytes(),
            b"\xe2\x82",
        ];
        let mut seen = std::collections::BTreeSet::new();
        for bytes in names {
            let name = OsStr::from_bytes(bytes);
            let text = written(name);
            assert_eq!(real(&text), name);
            assert!(seen.insert(text));
        }
        assert_eq!(written(OsStr::from_bytes(b"a b")), "a b");
        assert_eq!(shown(&written(OsStr::from_bytes(b"caf\xe9"))), "caf\\xe9");
    }
}
