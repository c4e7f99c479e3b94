//! Samples of the rows of `packaging`.

#![expect(clippy::needless_raw_strings, reason = "one form for all samples")]

use super::samples::{Sample, sample};
use crate::Kind;

pub(super) static SAMPLES: &[Sample] = &[
    sample(
        "deb-unmet",
        r"dpkg-buildpackage: info: host architecture amd64
dpkg-checkbuilddeps: error: Unmet build dependencies: libnope-seatrial-dev
dpkg-buildpackage: warning: build dependencies/conflicts unsatisfied; aborting
dpkg-buildpackage: warning: (Use -d flag to override.)",
        "libnope-seatrial-dev",
    )
    .line(2),
    sample(
        "deb-unmet-list",
        r"The following packages have unmet dependencies:
 builddeps:./ : Depends: libnope-seatrial-dev but it is not installable
E: Unable to correct problems, you have held broken packages.",
        "libnope-seatrial-dev",
    ),
    sample(
        "deb-no-candidate",
        r"Reading state information...
E: Unable to locate package libnope-seatrial-dev",
        "libnope-seatrial-dev",
    )
    .line(2),
    sample(
        "deb-no-candidate",
        r"E: Package 'python-dev' has no installation candidate",
        "python-dev",
    )
    .documented(),
    sample(
        "deb-build-dep",
        r"E: Build-Depends dependency for thing cannot be satisfied because candidate version of package debhelper can't satisfy version requirements",
        "debhelper",
    )
    .documented(),
    sample(
        "deb-held",
        r"E: Unable to correct problems, you have held broken packages.",
        "",
    ),
    sample(
        "deb-archive",
        r"E: Release file for http://mirror.example.org/debian/dists/sid/InRelease is expired (invalid since 3d 4h). Updates for this repository will not be applied.",
        "http://mirror.example.org/debian/dists/sid/InRelease",
    )
    .documented(),
    sample(
        "deb-half-installed",
        r"dpkg: error processing package postfix (--configure):
 installed postfix package post-installation script subprocess returned error exit status 1",
        "postfix",
    )
    .documented(),
    sample(
        "deb-dpkg-failed",
        r"E: Sub-process /usr/bin/dpkg returned an error code (1)",
        "dpkg",
    )
    .documented(),
    sample(
        "rpm-build-dependencies",
        r"error: Failed build dependencies:
	nope-devel >= 3 is needed by hello-1.0-1.x86_64
	pkgconfig(zlib) is needed by hello-1.0-1.x86_64",
        "nope-devel",
    ),
    sample(
        "rpm-nothing-provides",
        r"Problem: nothing provides requested libnope-devel >= 3",
        "libnope-devel",
    )
    .documented(),
    sample(
        "rpm-nothing-provides",
        r"unresolvable: nothing provides pkgconfig(nope) needed by thing",
        "nope",
    )
    .kind(Kind::MissingPkgConfig)
    .documented(),
    sample(
        "rpm-no-match",
        r"No match for argument: nope-devel
Error: Unable to find a match: nope-devel",
        "nope-devel",
    )
    .documented(),
    sample(
        "rpm-no-match",
        r"No matching package to install: 'cmake(Nope)'",
        "Nope",
    )
    .kind(Kind::MissingCMake)
    .documented(),
    sample(
        "obs-choice",
        r"unresolvable: have choice for pkgconfig(jack): jack-devel pipewire-jack-devel",
        "pkgconfig(jack)",
    )
    .documented(),
    sample(
        "obs-conflict",
        r"expansion error: conflict for providers of libssl-dev needed by curl",
        "libssl-dev",
    )
    .documented(),
    sample(
        "apk-missing",
        r"ERROR: unable to select packages:
  nope-dev (no such package):
    required by: world[nope-dev]",
        "nope-dev",
    )
    .documented(),
    sample(
        "pacman-missing",
        r"error: target not found: nope",
        "nope",
    )
    .documented(),
    sample(
        "rpm-unpackaged",
        r"Checking for unpackaged file(s): /usr/lib/rpm/check-files /build/rpm/top/BUILDROOT/hello-1.0-1.x86_64
error: Installed (but unpackaged) file(s) found:
   /usr/bin/other",
        "/usr/bin/other",
    )
    .line(3),
    sample(
        "rpm-file-not-found",
        r"Processing files: hello-1.0-1.x86_64
error: File not found: /build/rpm/top/BUILDROOT/hello-1.0-1.x86_64/usr/lib64/libnope.so.*
error: Directory not found: /build/rpm/top/BUILDROOT/hello-1.0-1.x86_64/usr/share/nope
error: File not found: /build/rpm/top/BUILDROOT/hello-1.0-1.x86_64/usr/share/man/man1/hello.1.gz",
        "/usr/lib64/libnope.so.*",
    )
    .line(2),
    sample(
        "rpm-file-not-found",
        r"error: Directory not found: /home/abuild/rpmbuild/BUILD/x-1-build/BUILDROOT/usr/share/nope",
        "/usr/share/nope",
    )
    .documented(),
    sample(
        "rpm-file-twice",
        r"error: File listed twice: /usr/bin/hello",
        "/usr/bin/hello",
    )
    .documented(),
    sample(
        "rpm-file-list",
        r"Processing files: hello-1.0-1.x86_64
error: Could not open %files file /build/rpm/top/BUILD/hello.lang: No such file or directory",
        "hello.lang",
    )
    .line(2),
    sample(
        "rpm-file-list",
        r"Processing files: hello-1.0-1.x86_64
error: Empty %files file /build/rpm/top/BUILD/empty.list",
        "empty.list",
    )
    .line(2),
    sample(
        "rpm-conflict",
        r"file /usr/bin/x conflicts between attempted installs of a-1-1.x86_64 and b-1-1.x86_64",
        "/usr/bin/x",
    )
    .documented(),
    sample(
        "deb-not-installed",
        r"   dh_missing
dh_missing: warning: usr/share/extra/hello.c exists in debian/tmp but is not installed to anywhere
dh_missing: error: missing files, aborting
	The following debhelper tools have reported what they installed (with files per package)
	 * dh_install: k31 (1), k31-b (0)",
        "usr/share/extra/hello.c",
    )
    .line(2),
    sample(
        "deb-install-missing",
        r#"   dh_install
dh_install: warning: Cannot find (any matches for) "usr/lib/*/libnope.so.*" (tried in ., debian/tmp)

dh_install: warning: k32 missing files: usr/lib/*/libnope.so.*
dh_install: error: missing files, aborting"#,
        "usr/lib/*/libnope.so.*",
    )
    .line(2),
    sample(
        "deb-install-missing",
        r#"   dh_installdocs
dh_installdocs: error: Cannot find (any matches for) "NOPE" (tried in ., debian/tmp)

make: *** [debian/rules:3: binary] Error 25"#,
        "NOPE",
    )
    .line(2),
    sample(
        "deb-install-missing",
        r#"   dh_installman
dh_installman: error: Cannot find (any matches for) "nope.1" (tried in ., debian/tmp)

dh_installman: error: Aborting due to earlier error"#,
        "nope.1",
    )
    .line(2),
    sample(
        "deb-install-aborts",
        r"dh_install: error: missing files, aborting",
        "",
    )
    .documented(),
    sample(
        "deb-usr-local",
        r"   dh_usrlocal
dh_usrlocal: error: debian/k37l/usr/local/share/x/hello.c is not a directory
make: *** [debian/rules:3: binary] Error 25
dpkg-buildpackage: error: debian/rules binary subprocess returned exit status 2",
        "debian/k37l/usr/local/share/x/hello.c",
    )
    .line(2),
    sample(
        "rpm-noarch",
        r"error: Arch dependent binaries in noarch package",
        "noarch",
    )
    .documented(),
    sample(
        "rpm-rpath",
        r"ERROR   0002: file '/usr/lib64/libx.so.1' contains an invalid runpath '/build/x/lib' in [/build/x/lib]",
        "/usr/lib64/libx.so.1",
    )
    .documented(),
    sample(
        "rpm-build-root",
        r"Found '/home/abuild/rpmbuild/BUILDROOT/x-1' in installed files; aborting",
        "buildroot",
    )
    .documented(),
    sample(
        "rpm-shebang",
        r"*** ERROR: ambiguous python shebang in /usr/bin/x: #!/usr/bin/python. Change it to python3 (or python2) explicitly.",
        "/usr/bin/x",
    )
    .documented(),
    sample(
        "rpm-badness",
        r"(none): E: badness 10000 exceeds threshold 1000, aborting.",
        "rpmlint",
    )
    .documented(),
    sample(
        "rpmlint-error",
        r"x.x86_64: E: shlib-policy-name-error (Badness: 10000) libx1",
        "shlib-policy-name-error",
    )
    .documented(),
    sample(
        "deb-shlibs",
        r"   dh_shlibdeps -a
dpkg-shlibdeps: error: cannot find library libnope.so.1 needed by debian/k33/usr/bin/m (ELF format: 'elf64-x86-64' abi: '0201003e00000000'; RPATH: '')
dpkg-shlibdeps: error: cannot continue due to the error above",
        "libnope.so.1",
    )
    .line(2),
    sample(
        "deb-symbols",
        r"dpkg-gensymbols: error: some symbols or patterns disappeared in the symbols file: see diff output below",
        "symbols",
    )
    .documented(),
    sample(
        "deb-dwz",
        r"dwz: Too few files for multifile optimization
dh_dwz: error: Aborting due to earlier error",
        "dwz",
    )
    .documented(),
    sample(
        "deb-strip",
        r"strip: Unable to recognise the format of the input file `debian/x/usr/bin/x'",
        "debian/x/usr/bin/x",
    )
    .documented(),
    sample(
        "rpm-undefined-macro",
        r"+ %nope_macro -x
/var/tmp/rpm-tmp.NGCFFH: 28: %nope_macro: not found
error: Bad exit status from /var/tmp/rpm-tmp.NGCFFH (%build)",
        "nope_macro",
    )
    .line(2),
    sample(
        "rpm-job-control",
        r"/var/tmp/rpm-tmp.4Xh2Yl: line 36: fg: no job control",
        "macro",
    )
    .documented(),
    sample(
        "rpm-spec",
        r"error: line 6: Unknown tag: Nonsense: x",
        "line 6: Unknown tag",
    ),
    sample(
        "rpm-spec",
        r"error: line 10: Unclosed %if",
        "line 10: Unclosed %if",
    ),
    sample(
        "rpm-spec",
        r"error: line 11: unclosed macro or bad line continuation",
        "line 11: unclosed macro",
    ),
    sample(
        "rpm-spec-other",
        r"error: License field must be present in package: (main package)",
        "License",
    )
    .documented(),
    sample(
        "rpm-no-source",
        r"+ echo Cannot read /build/rpm/top/SOURCES/nope.patch
Cannot read /build/rpm/top/SOURCES/nope.patch
+ exit 1
error: Bad exit status from /var/tmp/rpm-tmp.DKea3F (%prep)",
        "nope.patch",
    )
    .line(2),
    sample(
        "rpm-folder",
        r"+ cd nope-1.0
/var/tmp/rpm-tmp.MsFR6M: 35: cd: can't cd to nope-1.0
error: Bad exit status from /var/tmp/rpm-tmp.MsFR6M (%prep)",
        "nope-1.0",
    )
    .line(2),
    sample(
        "rpm-architecture",
        r"error: Architecture is not included: x86_64",
        "x86_64",
    ),
    sample(
        "rpm-architecture",
        r"error: Architecture is excluded: x86_64",
        "x86_64",
    ),
    sample(
        "deb-architecture",
        r"dpkg-checkbuilddeps: error: current host architecture 'arm64' does not appear in package's list (amd64 i386)",
        "arm64",
    )
    .documented(),
    sample(
        "deb-no-artifacts",
        r" dpkg-genbuildinfo --build=binary -O../rarch_1.0_amd64.buildinfo
dpkg-genbuildinfo: error: binary build with no binary artifacts found; .buildinfo is meaningless
dpkg-buildpackage: error: dpkg-genbuildinfo --build=binary -O../rarch_1.0_amd64.buildinfo subprocess returned exit status 25",
        "",
    )
    .line(2),
    sample(
        "deb-compat",
        r"dh clean
dh: error: Sorry, but 15 is the highest compatibility level supported by this debhelper.
make: *** [debian/rules:3: clean] Error 25
dpkg-buildpackage: error: debian/rules clean subprocess returned exit status 2",
        "debhelper",
    )
    .line(2),
    sample(
        "deb-compat-missing",
        r"dh clean
dh: error: Please specify the compatibility level in debian/compat or via Build-Depends: debhelper-compat (= X)
make: *** [debian/rules:3: clean] Error 25
dpkg-buildpackage: error: debian/rules clean subprocess returned exit status 2",
        "compat",
    )
    .line(2),
    sample(
        "deb-changes",
        r"dpkg-source: info: local changes detected, the modified files are:
 k36/hello.c
dpkg-source: error: aborting due to unexpected upstream changes, see /tmp/k36_1.0-1.diff.EmSobH
dpkg-source: info: Hint: make sure the version in debian/changelog matches the unpacked source tree
dpkg-source: info: you can integrate the local changes with dpkg-source --commit",
        "aborting due to unexpected upstream changes",
    )
    .line(3),
    sample(
        "deb-changes",
        r"dpkg-source: info: building k36b using existing ./k36b_1.0.orig.tar.gz
dpkg-source: error: cannot represent change to blob: binary file contents changed
dpkg-source: error: add blob in debian/source/include-binaries if you want to store the modified binary in the debian tarball
dpkg-source: error: unrepresentable changes to source",
        "blob",
    )
    .line(2),
    sample(
        "deb-no-tarball",
        r" dpkg-source -b .
dpkg-source: error: can't build with source format '3.0 (quilt)': no upstream tarball found at ../k36d_1.0.orig.tar.{bz2,gz,lzma,xz}
dpkg-buildpackage: error: dpkg-source -b . subprocess returned exit status 25",
        "k36d_1.0.orig.tar",
    )
    .line(2),
    sample(
        "deb-control-parse",
        r"dpkg-buildpackage: error: syntax error in debian/control at line 1: first stanza lacks a 'Source' field",
        "debian/control",
    ),
    sample(
        "deb-changelog",
        r"dpkg-buildpackage: warning:     debian/changelog(l1): found end of file where expected first heading
dpkg-buildpackage: error: fatal error occurred while parsing debian/changelog",
        "debian/changelog",
    )
    .line(1),
    sample(
        "patch-missing",
        r"dpkg-source: error: cannot read debian/patches/gone.patch: No such file or directory",
        "gone.patch",
    )
    .documented(),
    sample(
        "patch-quilt",
        r"Patch debian/patches/fix.patch does not apply (enforce with -f)",
        "fix.patch",
    ),
    sample(
        "patch-quilt",
        r"dpkg-source: error: LC_ALL=C patch -t -F 0 -N -p1 -u -V never -E -b -B .pc/fix.patch/ --reject-file=- < x/debian/patches/fix.patch subprocess returned exit status 1",
        "fix.patch",
    )
    .documented(),
    sample(
        "patch-rpm",
        r"Patch #0 (fix.patch):
+ /usr/bin/patch --no-backup-if-mismatch -f -p1 --fuzz=0
patching file x
Hunk #1 FAILED at 1.
1 out of 1 hunk FAILED -- saving rejects to file x.rej
error: Bad exit status from /var/tmp/rpm-tmp.iqmsf3 (%prep)",
        "fix.patch",
    ),
    sample(
        "patch-hunk",
        r"+ /usr/bin/patch -p1 -s --fuzz=0 --no-backup-if-mismatch -f
1 out of 1 hunk FAILED -- saving rejects to file x.rej
error: Bad exit status from /var/tmp/rpm-tmp.cqCnE4 (%prep)",
        "x",
    )
    .line(2),
    sample(
        "patch-other",
        r"Reversed (or previously applied) patch detected!  Assume -R? [n]",
        "",
    )
    .documented(),
    sample(
        "install-outside",
        r"install: cannot create regular file '/usr/bin/x': Permission denied",
        "/usr/bin/x",
    )
    .documented(),
    sample(
        "obs-killed",
        r"Job seems to be stuck here, killed. (after 28800 seconds of inactivity)",
        "time",
    )
    .documented(),
    sample(
        "obs-worker-lost",
        r"build host went away: worker lost",
        "worker",
    )
    .documented(),
];
