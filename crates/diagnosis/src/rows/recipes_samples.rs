//! What dpkg's and debhelper's programs say, for each row of `recipes`.

use super::samples::{Sample, sample};

pub(super) static SAMPLES: &[Sample] = &[
    sample("deb-rules-syntax", "debian/rules:7: *** missing separator.  Stop.", "debian/rules"),
    sample("deb-rules-broken", "/bin/sh: 1: debian/rules: not found", "debian/rules"),
    sample("deb-rules-broken", "make: *** No rule to make target 'debian/rules'.  Stop.", "debian/rules"),
    sample("deb-rules-target", "dpkg-buildpackage: error: cannot execute debian/rules", "debian/rules").documented(),
    sample("deb-own-file", "cp: cannot stat 'debian/capstan.conf.in': No such file or directory", "debian/capstan.conf.in"),
    sample("deb-own-file", "sed: can't read debian/control.in: No such file or directory", "debian/control.in"),
    sample("deb-own-file", "cat: debian/docs.in: No such file or directory", "debian/docs.in"),
    sample("deb-changelog", "dpkg-buildpackage: warning:     debian/changelog(l1): badly formatted heading line\nLINE: capstan 1.2-1 unstable; urgency=medium\ndpkg-buildpackage: error: version number does not start with digit\n", "debian/changelog"),
    sample("deb-version", "dpkg-source: error: can't build with source format '3.0 (native)': native package version may not have a revision", "debian/changelog"),
    sample("deb-version", "dpkg-buildpackage: error: version number does not start with digit", "debian/changelog"),
    sample("deb-version-parse", "dpkg-buildpackage: error: unable to determine source version", "debian/changelog").documented(),
    sample("deb-control-parse", "dpkg-source: error: syntax error in debian/control at line 4: line with unknown format (not field-colon-value)", "debian/control"),
    sample("deb-control-parse", "dpkg-source: error: fatal error occurred while parsing debian/control", "debian/control").documented(),
    sample("deb-field-missing", "dpkg-gencontrol: error: missing information for output field Maintainer", "Maintainer").documented(),
    sample("deb-field-missing", "dpkg-source: error: missing critical source control field Source", "Source").documented(),
    sample("deb-control", "dh: error: Requested unknown package capstan-doc via -p/--package, expected one of: capstan", "debian/control").documented(),
    sample("deb-control", "dpkg-gencontrol: error: package capstan-doc not in control info", "debian/control").documented(),
    sample("deb-archive-control", "dpkg-deb: error: parsing file 'debian/capstan/DEBIAN/control' near line 7 package 'capstan':", "debian/control").documented(),
    sample("deb-compat-twice", "dh: error: debhelper compat level specified both in debian/compat and via build-dependency on debhelper-compat", "debian/compat"),
    sample("deb-compat-level", "dh: error: Compatibility levels before 7 are no longer supported (level 5 requested)", "debian/compat").documented(),
    sample("deb-source-format", "dpkg-source: error: source package format '3.1 (quilt)' is not supported: Can't locate Dpkg/Source/Package/V3/1.pm", "debian/source/format").documented(),
    sample("deb-sequence", "dh: error: Unknown sequence binaries (choose from: binary binary-arch build clean install)", "debian/rules").documented(),
    sample("deb-own-program", "dh_installman: error: Cannot open debian/capstan.8 for reading!", "debian/capstan.8").documented(),
    sample("deb-alternatives", "dh_installalternatives: error: Missing mandatory \"Link\" field for \"vi\" in debian/capstan.alternatives", "debian/capstan.alternatives").documented(),
    sample("deb-patch", "dpkg-source: info: applying words.patch\npatching file capstan.c\nHunk #1 FAILED at 1.\n1 out of 1 hunk FAILED\ndpkg-source: info: the patch has fuzz which is not allowed, or is malformed\n", "words.patch"),
    sample("deb-patch", "Applying patch no-network.patch\npatching file Makefile\nHunk #1 FAILED at 12.\n1 out of 1 hunk FAILED -- rejects in file Makefile\nPatch no-network.patch does not apply (enforce with -f)\n", "no-network.patch"),
    sample("deb-tool", "dh_link: error: debian/capstan.links lists a link without a destination.", "debian/capstan.links").documented(),
];
