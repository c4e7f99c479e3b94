//! Further samples of the rows of `packaging` and `recipes`: what the tools of a distribution really said.

use super::samples::{Sample, sample};

pub(super) static SAMPLES: &[Sample] = &[
    sample("deb-build-conflict", r#"dpkg-checkbuilddeps: error: Build conflicts: libmast-old-dev"#, "libmast-old-dev").line(1).documented(),
    sample("deb-unit", r#"dh_installsystemd: error: Package 'mast' does not install unit 'mast.service'."#, "mast.service").line(1).documented(),
    sample("deb-no-artifacts", r#"dh binary
 dpkg-genbuildinfo --build=binary -O../hello_1.0-1_amd64.buildinfo
dpkg-genbuildinfo: error: binary build with no binary artifacts found; .buildinfo is meaningless
dpkg-buildpackage: error: dpkg-genbuildinfo --build=binary -O../hello_1.0-1_amd64.buildinfo subprocess returned exit status 25"#, "").line(3),
    sample("deb-build-conflict", r#" dpkg-source --before-build .
dpkg-buildpackage: info: host architecture amd64
dpkg-checkbuilddeps: error: Build conflicts: gcc
dpkg-buildpackage: warning: build dependencies/conflicts unsatisfied; aborting
dpkg-buildpackage: warning: (Use -d flag to override.)"#, "gcc").line(3),
    sample("deb-unmet", r#" dpkg-source --before-build .
dpkg-buildpackage: info: host architecture amd64
dpkg-checkbuilddeps: error: Unmet build dependencies: libnope-dev (>= 2)
dpkg-buildpackage: warning: build dependencies/conflicts unsatisfied; aborting
dpkg-buildpackage: warning: (Use -d flag to override.)"#, "libnope-dev").line(3),
    sample("deb-tool", r#"dpkg-buildpackage: error: cannot open file debian/changelog: No such file or directory"#, "debian/changelog").line(1),
    sample("deb-tool", r#" dpkg-source --before-build .
dpkg-buildpackage: info: host architecture amd64
dpkg-source: error: source package has two conflicting values - hello and other
dpkg-buildpackage: error: dpkg-source --before-build . subprocess returned exit status 25"#, "").line(3),
    sample("deb-compat", r#" debian/rules clean
dh clean
dh: error: Sorry, but 15 is the highest compatibility level supported by this debhelper.
make: *** [debian/rules:3: clean] Error 25
dpkg-buildpackage: error: debian/rules clean subprocess returned exit status 2"#, "debhelper").line(3),
    sample("deb-tool", r#" debian/rules clean
dh clean
dh: error: debian/compat must contain a positive number (found: "thirteen")
make: *** [debian/rules:3: clean] Error 25
dpkg-buildpackage: error: debian/rules clean subprocess returned exit status 2"#, "debian/compat").line(3),
    sample("deb-compat-missing", r#" debian/rules clean
dh clean
dh: error: Please specify the compatibility level in debian/compat or via Build-Depends: debhelper-compat (= X)
make: *** [debian/rules:3: clean] Error 25
dpkg-buildpackage: error: debian/rules clean subprocess returned exit status 2"#, "compat").line(3),
    sample("deb-tool", r#" debian/rules clean
dh clean
dh: error: Package-field must be a valid package name, got: "Hello World", should match "(?^:^(?^:[a-z0-9][-+\.a-z0-9]+)$)"
make: *** [debian/rules:3: clean] Error 25
dpkg-buildpackage: error: debian/rules clean subprocess returned exit status 2"#, "debian/control").line(3),
    sample("deb-install-missing", r#"make[1]: Leaving directory '/build'
   dh_installdocs
dh_installdocs: error: Cannot find (any matches for) "README.none" (tried in ., debian/tmp)

make: *** [debian/rules:3: binary] Error 25
dpkg-buildpackage: error: debian/rules binary subprocess returned exit status 2"#, "README.none").line(3),
    sample("deb-install-missing", r#"   dh_installchangelogs
   dh_installexamples
dh_installexamples: error: Cannot find (any matches for) "examples/none" (tried in ., debian/tmp)

make: *** [debian/rules:3: binary] Error 25
dpkg-buildpackage: error: debian/rules binary subprocess returned exit status 2"#, "examples/none").line(3),
    sample("deb-install-missing", r#"make[1]: Leaving directory '/build'
   dh_install
dh_install: warning: Cannot find (any matches for) "usr/share/none" (tried in ., debian/tmp)

dh_install: warning: hello missing files: usr/share/none
dh_install: error: missing files, aborting
make: *** [debian/rules:3: binary] Error 25"#, "usr/share/none").line(3),
    sample("deb-install-missing", r#"make[1]: Leaving directory '/build'
   dh_install
dh_install: warning: Cannot find (any matches for) "doc/*.html" (tried in ., debian/tmp)

dh_install: warning: hello missing files: doc/*.html
dh_install: error: missing files, aborting
make: *** [debian/rules:3: binary] Error 25"#, "doc/*.html").line(3),
    sample("deb-tool", r#"   dh_perl
   dh_link
dh_link: error: debian/hello.links lists a link without a destination.
make: *** [debian/rules:3: binary] Error 25
dpkg-buildpackage: error: debian/rules binary subprocess returned exit status 2"#, "debian/hello.links").line(3),
    sample("deb-install-missing", r#"   dh_installchangelogs
   dh_installman
dh_installman: error: Cannot find (any matches for) "hello.1" (tried in ., debian/tmp)

dh_installman: error: Aborting due to earlier error
make: *** [debian/rules:3: binary] Error 25
dpkg-buildpackage: error: debian/rules binary subprocess returned exit status 2"#, "hello.1").line(3),
    sample("deb-not-installed", r#"   dh_fixperms
   dh_missing
dh_missing: warning: usr/bin/hello exists in debian/tmp but is not installed to anywhere 
dh_missing: error: missing files, aborting
	The following debhelper tools have reported what they installed (with files per package)
	 * dh_installdocs: hello (0), hello2 (0)
	If the missing files are installed by another tool, please file a bug against it."#, "usr/bin/hello").line(3),
    sample("deb-not-installed", r#"   dh_fixperms
   dh_missing
dh_missing: warning: usr/bin/other exists in debian/tmp but is not installed to anywhere 
dh_missing: error: missing files, aborting
	The following debhelper tools have reported what they installed (with files per package)
	 * dh_install: hello (0), hello-doc (1)
	 * dh_installdocs: hello (0), hello-doc (0)"#, "usr/bin/other").line(3),
    sample("patch-quilt", r#"dpkg-source: info: using patch list from debian/patches/series
patch: **** Only garbage was found in the patch input.
dpkg-source: error: LC_ALL=C patch -t -F 0 -N -p1 -u -V never -E -b -B .pc/a.patch/ --reject-file=- < hello-1.0.orig.p5rA9v/debian/patches/a.patch subprocess returned exit status 2
dpkg-source: info: the patch has fuzz which is not allowed, or is malformed
dpkg-source: info: if patch 'a.patch' is correctly applied by quilt, use 'quilt refresh' to update it
dpkg-source: info: if the file is present in the unpacked source, make sure it is also present in the orig tarball
dpkg-buildpackage: error: dpkg-source -b . subprocess returned exit status 2"#, "a.patch").line(3),
    sample("patch-missing", r#"dpkg-buildpackage: info: source changed by A B <a@example.org>
 dpkg-source --before-build .
dpkg-source: error: cannot read hello-1.0/debian/patches/a.patch: No such file or directory
dpkg-buildpackage: error: dpkg-source --before-build . subprocess returned exit status 25"#, "a.patch").line(3),
    sample("deb-unit", r#"make[1]: Entering directory '/build'
dh_installsystemd --name=absent absent.service
dh_installsystemd: error: Package 'hello' does not install unit 'absent.service'.
make[1]: *** [debian/rules:6: override_dh_installsystemd] Error 25
make[1]: Leaving directory '/build'
make: *** [debian/rules:3: binary] Error 2
dpkg-buildpackage: error: debian/rules binary subprocess returned exit status 2"#, "absent.service").line(3),
    sample("deb-shlibs", r#"   dh_makeshlibs -a
   dh_shlibdeps -a
dpkg-shlibdeps: error: cannot find library libfoo.so.1 needed by debian/hello/usr/bin/hello (ELF format: 'elf64-x86-64' abi: '0201003e00000000'; RPATH: '')
dpkg-shlibdeps: error: cannot continue due to the error above
Note: libraries are not searched in other binary packages that do not have any shlibs or symbols file.
To help dpkg-shlibdeps find private libraries, you might need to use -l.
dh_shlibdeps: error: dpkg-shlibdeps -Tdebian/hello.substvars debian/hello/usr/bin/hello returned exit code 2"#, "libfoo.so.1").line(3),
    sample("deb-changes", r#"dpkg-source: info: using source format '3.0 (quilt)'
dpkg-source: info: building hello using existing ./hello_1.0.orig.tar.gz
dpkg-source: error: cannot represent change to blob.bin: binary file contents changed
dpkg-source: error: add blob.bin in debian/source/include-binaries if you want to store the modified binary in the debian tarball
dpkg-source: error: unrepresentable changes to source
dpkg-buildpackage: error: dpkg-source -b . subprocess returned exit status 1"#, "blob.bin").line(3),
    sample("deb-no-tarball", r#"   dh_clean
 dpkg-source -b .
dpkg-source: error: can't build with source format '3.0 (quilt)': no upstream tarball found at ../hello_1.0.orig.tar.{bz2,gz,lzma,xz}
dpkg-buildpackage: error: dpkg-source -b . subprocess returned exit status 25"#, "hello_1.0.orig.tar").line(3),
    sample("deb-symbols", r#"   dh_makeshlibs -a
dpkg-gensymbols: warning: some new symbols appeared in the symbols file: see diff output below
dpkg-gensymbols: error: some symbols or patterns disappeared in the symbols file: see diff output below
dpkg-gensymbols: warning: debian/hello/DEBIAN/symbols doesn't match completely debian/hello.symbols
--- debian/hello.symbols (hello_1.0-1_amd64)
+++ dpkg-gensymbolscHAvJ3	2026-11-30 16:00:34.695827480 +0000
@@ -1,2 +1,3 @@"#, "symbols").line(3),
    sample("deb-usr-local", r#"   dh_perl
   dh_usrlocal
dh_usrlocal: error: debian/hello/usr/local/bin/hello is not a directory
make: *** [debian/rules:3: binary] Error 25
dpkg-buildpackage: error: debian/rules binary subprocess returned exit status 2"#, "debian/hello/usr/local/bin/hello").line(3),
    sample("deb-usr-local", r#"   dh_perl
   dh_usrlocal
dh_usrlocal: error: debian/hello/usr/local/hello is not a directory
make: *** [debian/rules:3: binary] Error 25
dpkg-buildpackage: error: debian/rules binary subprocess returned exit status 2"#, "debian/hello/usr/local/hello").line(3),
    sample("patch-hunk", r#"error: patch failed: f:1
error: f: patch does not apply"#, "f").line(1),
    sample("deb-no-candidate", r#"Building dependency tree...
Reading state information...
E: Unable to locate package nosuchpackage-dev"#, "nosuchpackage-dev").line(3),
    sample("deb-no-candidate", r#"  hello-traditional 2.10-6

E: Version '99' for 'hello' was not found"#, "hello").line(3),
    sample("install-outside", r#"cp Makefile /usr/lib/hello
cp: cannot create regular file '/usr/lib/hello': Permission denied
make: *** [Makefile:2: install] Error 1"#, "/usr/lib/hello").line(2),
    sample("install-outside", r#"install -m755 Makefile /usr/local/bin/hello
install: cannot create regular file '/usr/local/bin/hello': Permission denied
make: *** [Makefile:2: install] Error 1"#, "/usr/local/bin/hello").line(2),
    sample("install-outside", r#"mkdir: cannot create directory ‘/usr/share/x’: Permission denied"#, "/usr/share/x").line(1),
    sample("install-outside", r#"mkdir: cannot create directory ‘/opt/x’: Permission denied"#, "/opt/x").line(1),
    sample("rpm-spec", r#"error: line 7: Dependency tokens must begin with alpha-numeric, '_' or '/': Requires: foo >> 3"#, "line 7: Dependency tokens must begin").line(1),
    sample("rpm-spec", r#"error: line 2: Illegal char '-' (0x2d) in: Version: 1-0"#, "line 2: Illegal char").line(1),
    sample("rpm-build-dependencies", r#"error: Failed build dependencies:
	foo-devel >= 2 is needed by hello-1.0-1.x86_64
	pkgconfig(bar) is needed by hello-1.0-1.x86_64"#, "foo-devel").line(2),
    sample("rpm-file-not-found", r#"+ exit 0
Processing files: hello-1.0-1.x86_64
error: Directory not found: /build/BUILDROOT/hello-1.0-1.x86_64/usr/lib/absent

RPM build errors:
    Directory not found: /build/BUILDROOT/hello-1.0-1.x86_64/usr/lib/absent"#, "/usr/lib/absent").line(3),
    sample("rpm-file-not-found", r#"+ jobs -p
+ exit 0
error: File not found: /build/BUILDROOT/hello-1.0-1.x86_64/usr/share/doc/hello-1.0/README.absent

RPM build errors:
    File not found: /build/BUILDROOT/hello-1.0-1.x86_64/usr/share/doc/hello-1.0/README.absent"#, "/usr/share/doc/hello-1.0/README.absent").line(3),
    sample("rpm-spec", r#"error: line 3: Empty tag: Release:"#, "line 3: Empty tag").line(1),
    sample("rpm-architecture", r#"error: Architecture is not included: x86_64"#, "x86_64").line(1),
    sample("rpm-file-list", r#"+ exit 0
Processing files: hello-1.0-1.x86_64
error: Could not open %files file /build/BUILD/hello-1.0/list.txt: No such file or directory

RPM build errors:
    Could not open %files file /build/BUILD/hello-1.0/list.txt: No such file or directory"#, "list.txt").line(3),
    sample("rpm-file-not-found", r#"+ exit 0
Processing files: hello-1.0-1.x86_64
error: File not found: /build/BUILDROOT/hello-1.0-1.x86_64/usr/bin/other

RPM build errors:
    File not found: /build/BUILDROOT/hello-1.0-1.x86_64/usr/bin/other"#, "/usr/bin/other").line(3),
    sample("rpm-spec", r#"error: line 1: unclosed macro or bad line continuation"#, "line 1: unclosed macro").line(1),
    sample("rpm-file-not-found", r#"+ exit 0
Processing files: hello-1.0-1.x86_64
error: File not found: /build/BUILDROOT/hello-1.0-1.x86_64/usr/share/*.gz

RPM build errors:
    File not found: /build/BUILDROOT/hello-1.0-1.x86_64/usr/share/*.gz"#, "/usr/share/*.gz").line(3),
    sample("rpm-file-not-found", r#"+ jobs -p
+ exit 0
error: File not found: /build/BUILDROOT/hello-1.0-1.x86_64/usr/share/licenses/hello-1.0/COPYING

RPM build errors:
    File not found: /build/BUILDROOT/hello-1.0-1.x86_64/usr/share/licenses/hello-1.0/COPYING"#, "/usr/share/licenses/hello-1.0/COPYING").line(3),
    sample("rpm-undefined-macro", r#"hi
+ %frobnicate_build
/var/tmp/rpm-tmp.SSYeVh: 30: %frobnicate_build: not found
error: Bad exit status from /var/tmp/rpm-tmp.SSYeVh (%build)

RPM build errors:
    Bad exit status from /var/tmp/rpm-tmp.SSYeVh (%build)"#, "frobnicate_build").line(3),
    sample("rpm-spec", r#"error: line 15: unclosed macro or bad line continuation"#, "line 15: unclosed macro").line(1),
    sample("rpm-noarch", r#"Requires(rpmlib): rpmlib(CompressedFileNames) <= 3.0.4-1 rpmlib(FileDigests) <= 4.6.0-1 rpmlib(PayloadFilesHavePrefix) <= 4.0-1
Requires: libc.so.6()(64bit) libc.so.6(GLIBC_2.2.5)(64bit) libc.so.6(GLIBC_2.34)(64bit) rtld(GNU_HASH)
error: Arch dependent binaries in noarch package

RPM build errors:
    Arch dependent binaries in noarch package"#, "noarch").line(3),
    sample("rpm-spec-other", r#"error: License field must be present in package: (main package)"#, "License").line(1),
    sample("rpm-spec-other", r#"error: Name field must be present in package: (main package)"#, "Name").line(1),
    sample("rpm-spec-other", r#"error: Release field must be present in package: (main package)"#, "Release").line(1),
    sample("rpm-spec-other", r#"error: Summary field must be present in package: (main package)"#, "Summary").line(1),
    sample("rpm-spec-other", r#"error: Version field must be present in package: (main package)"#, "Version").line(1),
    sample("patch-rpm", r#"+ /bin/chmod -Rf a+rX,u+w,g-w,o-w .
+ echo Patch #0 (p.patch):
Patch #0 (p.patch):
+ /usr/bin/patch --no-backup-if-mismatch -f -p1 --fuzz=0
can't find file to patch at input line 3
Perhaps you used the wrong -p or --strip option?
The text leading up to this was:"#, "p.patch").line(3),
    sample("rpm-folder", r#"+ [ 0 -ne 0 ]
+ cd other-1.0
/var/tmp/rpm-tmp.dfK1Ed: 35: cd: can't cd to other-1.0
error: Bad exit status from /var/tmp/rpm-tmp.dfK1Ed (%prep)

RPM build errors:
    Bad exit status from /var/tmp/rpm-tmp.dfK1Ed (%prep)"#, "other-1.0").line(3),
    sample("rpm-unpackaged", r#"Checking for unpackaged file(s): /usr/lib/rpm/check-files /build/BUILDROOT/hello-1.0-1.x86_64
error: Installed (but unpackaged) file(s) found:
   /usr/share/x/a
   /usr/share/x/b

RPM build errors:
    Installed (but unpackaged) file(s) found:"#, "/usr/share/x/a").line(3),
    sample("deb-changelog", r#"dpkg-buildpackage: warning:     debian/changelog(l0): found end of file where expected first heading
dpkg-buildpackage: error: fatal error occurred while parsing debian/changelog"#, "debian/changelog").line(1),
    sample("deb-version", r#"dpkg-buildpackage: warning:     debian/changelog(l1): version 'v1.0-1' is invalid: version number does not start with digit
LINE: hello (v1.0-1) unstable; urgency=medium
dpkg-buildpackage: error: version number does not start with digit
dpkg-buildpackage: info: source package hello
dpkg-buildpackage: info: source version unknown"#, "debian/changelog").line(1),
    sample("deb-compat-level", r#" debian/rules clean
dh clean
dh: error: Compatibility levels before 7 are no longer supported (level 4 requested)
make: *** [debian/rules:3: clean] Error 25
dpkg-buildpackage: error: debian/rules clean subprocess returned exit status 2"#, "debian/compat").line(3),
    sample("deb-compat-twice", r#" debian/rules clean
dh clean
dh: warning: Please specify the debhelper compat level exactly once.
dh: warning:  * debian/compat requests compat 13.
dh: warning:  * debian/control requests compat 13 via "debhelper-compat (= 13)"
dh: warning: 
dh: warning: Hint: If you just added a build-dependency on debhelper-compat, then please remember to remove debian/compat"#, "debian/compat").line(3),
    sample("deb-archive-control", r#"   dh_md5sums
   dh_builddeb
dpkg-deb: error: conffile '/etc/hello.conf' does not appear in package
dh_builddeb: error: dpkg-deb --build debian/hello .. returned exit code 2
dh_builddeb: error: Aborting due to earlier error
make: *** [debian/rules:3: binary] Error 25
dpkg-buildpackage: error: debian/rules binary subprocess returned exit status 2"#, "debian/control").line(3),
    sample("deb-own-file", r#"dpkg-buildpackage: error: cannot read debian/control: No such file or directory"#, "debian/control").line(1),
    sample("deb-control", r#" dpkg-source --before-build .
dpkg-buildpackage: info: host architecture amd64
dpkg-source: warning: can't parse dependency foo (>>> 2)
dpkg-source: error: cannot parse Build-Depends field
dpkg-buildpackage: error: dpkg-source --before-build . subprocess returned exit status 25"#, "debian/control").line(3),
    sample("deb-control-parse", r#"dpkg-buildpackage: error: syntax error in debian/control at line 13: line with unknown format (not field-colon-value)"#, "debian/control").line(1),
    sample("deb-field-missing", r#" dpkg-genbuildinfo --build=binary -O../hello_1.0-1_amd64.buildinfo
 dpkg-genchanges --build=binary -O../hello_1.0-1_amd64.changes
dpkg-genchanges: error: missing information for critical output field Maintainer
dpkg-genchanges: info: binary-only upload (no source code included)
dpkg-buildpackage: error: dpkg-genchanges --build=binary -O../hello_1.0-1_amd64.changes subprocess returned exit status 25"#, "Maintainer").line(3),
    sample("deb-patch", r#"Applying patch debian/patches/a.patch
patching file Makefile
Hunk #1 FAILED at 1.
1 out of 1 hunk FAILED -- rejects in file Makefile
Patch debian/patches/a.patch does not apply (enforce with -f)"#, "debian/patches/a.patch").line(1),
    sample("deb-rules-broken", r#"dpkg-buildpackage: info: host architecture amd64
 debian/rules clean
Can't exec "debian/rules": No such file or directory at /usr/bin/dpkg-buildpackage line 834.
dpkg-buildpackage: error: debian/rules clean subprocess failed with unknown status code -1"#, "debian/rules").line(3),
    sample("deb-own-file", r#"make[1]: Entering directory '/build'
cp debian/extra.conf debian/hello/etc/
cp: cannot stat 'debian/extra.conf': No such file or directory
make[1]: *** [debian/rules:6: override_dh_auto_install] Error 1
make[1]: Leaving directory '/build'
make: *** [debian/rules:3: binary] Error 2
dpkg-buildpackage: error: debian/rules binary subprocess returned exit status 2"#, "debian/extra.conf").line(3),
    sample("deb-rules-syntax", r#"dpkg-buildpackage: info: host architecture amd64
 debian/rules clean
debian/rules:3: *** missing separator.  Stop.
dpkg-buildpackage: error: debian/rules clean subprocess returned exit status 2"#, "debian/rules").line(3),
    sample("deb-source-format", r#"dpkg-buildpackage: info: source changed by A B <a@example.org>
 dpkg-source --before-build .
dpkg-source: error: source package format '4.0 (quilt)' is not supported: Can't locate Dpkg/Source/Package/V4/Quilt.pm in @INC (you may need to install the Dpkg::Source::Package::V4::Quilt module) (@INC contains: /etc/perl /usr/local/lib/x86_64-linux-gnu/perl/

dpkg-buildpackage: error: dpkg-source --before-build . subprocess returned exit status 25"#, "debian/source/format").line(3),
];
