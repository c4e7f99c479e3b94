//! Names that a release has under another one: because the distribution calls the file otherwise, or because the upstream
//! project renamed it and older sources still ask for the old name.

use super::Static::{self, Command as B, Header as H, Library as L, PkgConfig as P};
use crate::Key;

/// What answers a name that no file has; asked only then.
pub(crate) fn elsewhere(key: &Key) -> &'static [Static] {
    let family = match key {
        Key::Header(_) => 'h',
        Key::PkgConfig(_) => 'p',
        Key::Library(_) => 'l',
        Key::Command(_) => 'b',
        _ => return &[],
    };
    ROWS.iter()
        .find(|(row, names, _)| *row == family && names.contains(&key.name()))
        .map_or(&[], |(_, _, keys)| *keys)
}

static ROWS: &[(char, &[&str], &[Static])] = &[
    // OpenEXR 3 gave its libraries other names and moved the mathematics out.
    ('l', &["IlmImf", "IlmImfUtil", "IexMath"], &[L("OpenEXR")]),
    ('l', &["Half"], &[L("Imath")]),
    ('p', &["IlmBase"], &[P("Imath"), P("OpenEXR")]),
    ('h', &["OpenEXR/half.h", "half.h"], &[H("Imath/half.h")]),
    (
        'h',
        &["OpenEXR/ImathVec.h", "OpenEXR/ImathBox.h", "OpenEXR/ImathMatrix.h"],
        &[H("Imath/ImathVec.h")],
    ),
    // Another project had the name first.
    ('h', &["dnet.h"], &[H("dumbnet.h")]),
    ('l', &["dnet"], &[L("dumbnet")]),
    ('b', &["dnet-config"], &[B("dumbnet-config")]),
    // Version 7 has one program for all; with version 6 there are several.
    ('b', &["magick"], &[B("convert")]),
    // Several libraries became one, with the same calls.
    (
        'p',
        &[
            "libsystemd-daemon",
            "libsystemd-journal",
            "libsystemd-login",
            "libsystemd-id128",
        ],
        &[P("libsystemd")],
    ),
    (
        'l',
        &["systemd-daemon", "systemd-journal", "systemd-login"],
        &[L("systemd")],
    ),
    ('l', &["ldap_r"], &[L("ldap")]),
    ('l', &["gnutls-extra"], &[L("gnutls")]),
    // The module's name carries the version since then.
    ('p', &["opencv"], &[P("opencv4")]),
    // Names on another system.
    ('l', &["glut32", "freeglut"], &[L("glut")]),
    ('l', &["ssleay32", "libeay32", "eay32"], &[L("ssl")]),
    ('l', &["zlib", "zlibstatic", "zdll"], &[L("z")]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_in_one_row_only() {
        let mut all: Vec<_> = ROWS
            .iter()
            .flat_map(|(family, names, _)| names.iter().map(move |name| (*family, *name)))
            .collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        assert_eq!(elsewhere(&Key::Library("Half".to_owned())), [L("Imath")]);
        assert_eq!(elsewhere(&Key::Python("Half".to_owned())), []);
    }
}
