//! Samples of the rows of `rpm`.

use super::samples::{Sample, sample};

pub(super) static SAMPLES: &[Sample] = &[
    sample("rpm-spec-twice", r#"error: Package already exists: %package devel"#, "%package").line(1).documented(),
    sample("rpm-spec-twice", r#"error: line 31: second %install"#, "%install").line(1).documented(),
    sample("rpm-spec-absent", r#"error: No source number 3"#, "source number 3").line(1).documented(),
    sample("rpm-spec-absent", r#"error: Package has no %description: mast-devel"#, "%description").line(1).documented(),
    sample("rpm-spec-number", r#"error: line 5: Epoch field must be an unsigned number: Epoch: one"#, "Epoch").line(1).documented(),
    sample("rpm-spec-condition", r#"error: mast.spec:44: bad %elif condition:  %{with docs} yes"#, "%elif").line(1).documented(),
    sample("rpm-spec-condition", r#"error: /root/rpmbuild/SPECS/mast.spec: line 61: %else with no %if"#, "%else").line(1).documented(),
    sample("rpm-spec-condition", r#"error: syntax error in expression: 1 =="#, "").line(1).documented(),
    sample("rpm-spec-macro", r#"error: mast.spec: line 9: Macro %1name has illegal name (%define)"#, "%1name").line(1).documented(),
    sample("rpm-spec-macro", r#"error: Too many levels of recursion in macro expansion. It is likely caused by recursive macro declaration."#, "").line(1).documented(),
    sample("rpm-spec-include", r#"error: Unable to open /build/SOURCES/mast-common.inc: No such file or directory"#, "mast-common.inc").line(1).documented(),
    sample("rpm-files-syntax", r#"error: Bad mode spec: %attr(yes,root,root)"#, "%attr").line(1).documented(),
    sample("rpm-files-syntax", r#"error: Two files on one line: /usr/share/mast"#, "/usr/share/mast").line(1).documented(),
    sample("rpm-files-path", r#"error: Not a directory: /root/rpmbuild/BUILDROOT/mast-1.0-1.x86_64/usr/share/mast"#, "/root/rpmbuild/BUILDROOT/mast-1.0-1.x86_64/usr/share/mast").line(1).documented(),
    sample("rpm-files-language", r#"+ /usr/lib/rpm/find-lang.sh /root/rpmbuild/BUILDROOT/mast-1.0-1.x86_64 mast
No translations found for mast in /root/rpmbuild/BUILDROOT/mast-1.0-1.x86_64
error: Bad exit status from /var/tmp/rpm-tmp.x1 (%install)"#, "mast").line(2).documented(),
    sample("rpm-changelog", r#"error: %changelog not in descending chronological order"#, "%changelog").line(1).documented(),
    sample("rpm-dist-macro", r#"error: invalid macro %cmake_build"#, "cmake_build").line(1).documented(),
    sample("rpm-dependencies-tag", r#"error: line 12: Only package names are allowed in Obsoletes: Obsoletes: /usr/bin/mast"#, "Obsoletes").line(1).documented(),
    sample("rpm-dependencies-tag", r#"error: line 14: Versioned file name not permitted: Requires: /usr/bin/mast >= 2"#, "").line(1).documented(),
    sample("rpm-source-download", r#"error: Couldn't download https://forge.example/mast/mast-1.0.tar.gz"#, "https://forge.example/mast/mast-1.0.tar.gz").line(1).documented(),
    sample("rpm-source-digest", r#"error: SHA256 digest mismatch for file mast-1.0.tar.gz"#, "mast-1.0.tar.gz").line(1).documented(),
    sample("rpm-spec-arch", r#"error: No compatible architectures found for build"#, "").line(1),
    sample("rpm-files-syntax", r#"+ exit 0
Processing files: hello-1.0-1.x86_64
error: Bad syntax: %attr(0755,root)

RPM build errors:
    Bad syntax: %attr(0755,root)"#, "%attr").line(3),
    sample("rpm-spec-number", r#"error: line 7: Epoch field must be an unsigned number: Epoch: x"#, "Epoch").line(1),
    sample("rpm-spec-macro", r#"error: /build/SPECS/p.spec: line 1: Macro % has illegal name (%define)
  0<  (%define)"#, "%").line(1),
    sample("rpm-spec-macro", r#"error: /build/SPECS/p.spec: line 1: Macro %foo has empty body
  0<  (%define)"#, "%foo").line(1),
    sample("rpm-spec-twice", r#"error: line 24: second %build"#, "%build").line(1),
    sample("rpm-spec-twice", r#"error: Duplicate Name entries in package: (main package)"#, "Name").line(1),
    sample("rpm-spec-twice", r#"error: source 0 defined multiple times"#, "source 0").line(1),
    sample("rpm-files-path", r#"+ exit 0
Processing files: hello-1.0-1.x86_64
error: File must begin with "/": %frob

RPM build errors:
    File must begin with "/": %frob"#, "%frob").line(3),
    sample("rpm-spec-absent", r#"error: line 24: %files devel
: package hello-devel does not exist"#, "%files devel").line(1),
    sample("rpm-files-language", r##"mkdir -p /build/BUILDROOT/hello-1.0-1.x86_64/usr/bin; printf "#!/bin/sh\n" > /build/BUILDROOT/hello-1.0-1.x86_64/usr/bin/hello; chmod 755 /build/BUILDROOT/hello-1.0-1.x86_64/usr/bin/hello
+ /usr/lib/rpm/find-lang.sh /build/BUILDROOT/hello-1.0-1.x86_64 hello
No translations found for hello in /build/BUILDROOT/hello-1.0-1.x86_64
error: Bad exit status from /var/tmp/rpm-tmp.1YFzt0 (%install)

RPM build errors:
    Bad exit status from /var/tmp/rpm-tmp.1YFzt0 (%install)"##, "hello").line(3),
    sample("rpm-spec-condition", r#"error: bare words are no longer supported, please use "...":  foo bar

error:                                                        ^
error: /build/SPECS/p.spec:12: bad %if condition:  foo bar
"#, "").line(1),
    sample("rpm-spec-include", r#"error: Unable to open /absent/file.inc: No such file or directory"#, "file.inc").line(1),
    sample("rpm-spec-macro", r#"error: /build/SPECS/p.spec: line 1: failed to load macro file /absent/x.macros
  0<  (%load)"#, "/absent/x.macros").line(1),
    sample("rpm-spec-macro", r#"error: lua script failed: [string "<lua>"]:1: x
  0<  (%lua)"#, "lua").line(1),
    sample("rpm-spec-absent", r#"error: Package has no %description: hello"#, "%description").line(1),
    sample("rpm-spec-absent", r#"error: No patch number 7"#, "patch number 7").line(1),
    sample("rpm-files-path", r#"+ exit 0
Processing files: hello-1.0-1.x86_64
error: File must begin with "/": usr/bin/hello

RPM build errors:
    File must begin with "/": usr/bin/hello"#, "usr/bin/hello").line(3),
    sample("rpm-spec-condition", r#"error: /build/SPECS/p.spec: line 12: %else with no %if"#, "%else").line(1),
    sample("rpm-spec-condition", r#"error: /build/SPECS/p.spec: line 12: %endif with no %if"#, "%endif").line(1),
    sample("rpm-files-syntax", r#"error: Bad package specification: %package"#, "%package").line(1),
    sample("rpm-files-link", r#"Processing files: hello-1.0-1.x86_64
warning: absolute symlink: /usr/bin/hello2 -> /build/BUILDROOT/hello-1.0-1.x86_64/usr/bin/hello
error: Symlink points to BuildRoot: /usr/bin/hello2 -> /build/BUILDROOT/hello-1.0-1.x86_64/usr/bin/hello

RPM build warnings:
    absolute symlink: /usr/bin/hello2 -> /build/BUILDROOT/hello-1.0-1.x86_64/usr/bin/hello
"#, "/usr/bin/hello2").line(3),
];
