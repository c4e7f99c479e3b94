//! One real-looking line for each row, and the tests of all rows: the row named here, and no other, must be the one that fires.

use std::collections::BTreeSet;

use super::{cmake_rows, cmake_samples::MESSAGES, line_rows};
use crate::diagnose;

/// Row, text, subject.
static LINES: &[(&str, &str, &str)] = &[
    (
        "disk",
        "/usr/bin/ld: final link failed: No space left on device",
        "disk",
    ),
    ("disk", "cp: error writing 'x': Disk quota exceeded", "disk"),
    (
        "killed",
        "g++: fatal error: Killed signal terminated program cc1plus",
        "memory",
    ),
    (
        "killed",
        "c++: internal compiler error: Killed (program cc1plus)",
        "memory",
    ),
    (
        "memory",
        "cc1plus: out of memory allocating 65536 bytes after a total of 1 bytes",
        "memory",
    ),
    ("memory", "virtual memory exhausted: Cannot allocate memory", "memory"),
    ("processes", "make: fork: Resource temporarily unavailable", "processes"),
    (
        "header-gcc",
        "src/a.c:1:10: fatal error: openssl/ssl.h: No such file or directory",
        "openssl/ssl.h",
    ),
    (
        "header-gcc",
        "a.c:3:20: error: zlib.h: No such file or directory",
        "zlib.h",
    ),
    (
        "header-gcc",
        "a.cpp:1:10: fatal error: QtWidgets: No such file or directory",
        "QtWidgets",
    ),
    (
        "header-clang",
        "a.c:1:10: fatal error: 'zlib.h' file not found",
        "zlib.h",
    ),
    (
        "header-meson",
        "meson.build:7:0: ERROR: C header 'foo.h' not found",
        "foo.h",
    ),
    (
        "header-other",
        "a.c(1): error: cannot open source file \"foo.h\"",
        "foo.h",
    ),
    (
        "pc-program",
        "configure: error: The pkg-config script could not be found or is too old.  Make sure it",
        "pkg-config",
    ),
    ("pc-program", "/bin/sh: 1: pkg-config: not found", "pkg-config"),
    ("pc-no-package", "No package 'gtk+-3.0' found", "gtk+-3.0"),
    (
        "pc-was-not-found",
        "Package libfoo was not found in the pkg-config search path.",
        "libfoo",
    ),
    (
        "pc-was-not-found",
        "Package 'libfoo', required by 'virtual:world', not found",
        "libfoo",
    ),
    ("pc-was-not-found", "Package 'libfoo' not found", "libfoo"),
    (
        "pc-python",
        "pkgconfig.pkgconfig.PackageNotFoundError: libfoo not found",
        "libfoo",
    ),
    (
        "pc-version",
        "Requested 'glib-2.0 >= 99' but version of GLib is 2.74.6",
        "glib-2.0",
    ),
    (
        "pc-version",
        "Package dependency requirement 'glib-2.0 >= 99' could not be satisfied.",
        "glib-2.0",
    ),
    (
        "pc-qmake",
        "Project ERROR: libsecret-1 development package not found",
        "libsecret-1",
    ),
    (
        "vapi",
        "error: Package 'gee-0.8' not found in specified Vala API directories or GObject-Introspection GIR directories",
        "gee-0.8",
    ),
    (
        "meson-dependency",
        "meson.build:5:0: ERROR: Dependency \"libfoo\" not found, tried pkgconfig and cmake",
        "libfoo",
    ),
    (
        "meson-dependency",
        "../meson.build:5:0: ERROR: Dependency 'libfoo' is required but not found.",
        "libfoo",
    ),
    (
        "meson-lookup",
        "meson.build:5:0: ERROR: Dependency lookup for libfoo with method 'pkgconfig' failed: x",
        "libfoo",
    ),
    (
        "meson-program",
        "meson.build:5:0: ERROR: Program 'gdbus-codegen' not found or not executable",
        "gdbus-codegen",
    ),
    (
        "meson-program",
        "meson.build:5:0: ERROR: Program 'itstool xgettext' not found",
        "itstool xgettext",
    ),
    (
        "meson-library",
        "meson.build:5:0: ERROR: C shared or static library 'foo' not found",
        "foo",
    ),
    (
        "meson-version",
        "meson.build:1:0: ERROR: Meson version is 1.0.1 but project requires >=1.3.0",
        "meson",
    ),
    (
        "meson-compiler",
        "meson.build:1:0: ERROR: Unknown compiler(s): [['valac']]",
        "valac",
    ),
    (
        "meson-python",
        "meson.build:9:0: ERROR: python3 is missing modules: jinja2",
        "jinja2",
    ),
    (
        "meson-wrap-off",
        "meson.build:5:0: ERROR: Automatic wrap-based subproject downloading is disabled",
        "",
    ),
    (
        "meson-subproject",
        "meson.build:5:0: ERROR: Neither a subproject directory nor a libfoo.wrap file was found.",
        "libfoo",
    ),
    (
        "meson-option",
        "meson.build:1:0: ERROR: Unknown options: \"nonsense\"",
        "nonsense",
    ),
    (
        "macro-undefined",
        "configure.ac:12: error: possibly undefined macro: AM_GNU_GETTEXT",
        "AM_GNU_GETTEXT",
    ),
    (
        "macro-library",
        "configure.ac:5: warning: macro 'AM_PATH_GTK' not found in library",
        "AM_PATH_GTK",
    ),
    (
        "macro-shell",
        "./configure: line 2345: PKG_CHECK_MODULES: command not found",
        "PKG_CHECK_MODULES",
    ),
    (
        "macro-shell",
        "./configure: 2345: AX_CXX_COMPILE_STDCXX: not found",
        "AX_CXX_COMPILE_STDCXX",
    ),
    (
        "macro-shell",
        "./configure: line 2345: syntax error near unexpected token 'PKG_CHECK_MODULES'",
        "PKG_CHECK_MODULES",
    ),
    (
        "macro-syntax",
        "./configure: line 17: 'PKG_CHECK_MODULES(GTK, gtk+-2.0)'",
        "PKG_CHECK_MODULES",
    ),
    (
        "macro-libtool",
        "Makefile.am:3: error: Libtool library used but 'LIBTOOL' is undefined",
        "LT_INIT",
    ),
    (
        "stale-not-found",
        "/bin/bash: line 1: aclocal-1.14: command not found",
        "aclocal-1.14",
    ),
    (
        "stale-not-found",
        "/bin/sh: 1: automake-1.15: not found",
        "automake-1.15",
    ),
    (
        "stale-missing",
        "WARNING: 'aclocal-1.14' is missing on your system.",
        "aclocal-1.14",
    ),
    (
        "missing-helper",
        "WARNING: 'makeinfo' is missing on your system.",
        "makeinfo",
    ),
    (
        "stale-file",
        "configure.ac:7: error: required file './compile' not found",
        "./compile",
    ),
    (
        "stale-libtool",
        "libtool: Version mismatch error.  This is libtool 2.4.7, but the",
        "libtool",
    ),
    (
        "stale-gettext",
        "*** error: gettext infrastructure mismatch: using a Makefile.in.in from gettext version 0.18",
        "gettext",
    ),
    (
        "stale-input",
        "config.status: error: cannot find input file: 'po/Makefile.in.in'",
        "po/Makefile.in.in",
    ),
    (
        "stale-input",
        "configure: error: cannot find install-sh, install.sh, or shtool in \".\" \"./..\"",
        "install-sh",
    ),
    (
        "stale-m4-folder",
        "aclocal: error: couldn't open directory 'm4': No such file or directory",
        "m4",
    ),
    (
        "stale-guess",
        "configure: error: cannot guess build type; you must specify one",
        "config.guess",
    ),
    (
        "stale-guess",
        "Invalid configuration 'riscv64-unknown-linux-gnu': machine 'riscv64-unknown' not recognized",
        "config.guess",
    ),
    (
        "stale-bootstrap",
        "configure.ac:10: error: Please run ./bootstrap.sh first",
        "bootstrap",
    ),
    (
        "autoconf-version",
        "configure.ac:3: error: Autoconf version 2.72 or higher is required",
        "autoconf",
    ),
    (
        "automake-version",
        "configure.ac:9: error: require Automake 1.17, but have 1.16.5",
        "automake",
    ),
    (
        "perl-exec",
        "Can't exec \"libtoolize\": No such file or directory at /usr/share/autoconf/Autom4te/FileUtils.pm line 293.",
        "libtoolize",
    ),
    (
        "no-compiler",
        "configure: error: no acceptable C compiler found in $PATH",
        "cc",
    ),
    (
        "cmake-version",
        "CMake 3.28 or higher is required.  You are running version 3.25.1",
        "cmake",
    ),
    (
        "cmake-no-folder",
        "The source directory \"/x/y\" does not exist.",
        "/x/y",
    ),
    ("python-module", "ModuleNotFoundError: No module named 'mako'", "mako"),
    (
        "python-module",
        "ImportError: No module named google.protobuf",
        "google.protobuf",
    ),
    (
        "python-dependency",
        "ERROR: No matching distribution found for setuptools>=70",
        "setuptools>=70",
    ),
    (
        "perl-module",
        "Can't locate XML/Parser.pm in @INC (you may need to install the XML::Parser module)",
        "XML/Parser.pm",
    ),
    (
        "qmake-modules",
        "Project ERROR: Unknown module(s) in QT: webkitwidgets",
        "Qt5WebKitWidgets",
    ),
    ("qmake-tool", "qmake: could not find a Qt installation of ''", "qmake"),
    (
        "qmake-error",
        "Project ERROR: You need at least Qt 6",
        "You need at least Qt 6",
    ),
    ("command-make", "make: bison: No such file or directory", "bison"),
    ("command-make", "make[2]: /usr/bin/bison: Command not found", "bison"),
    ("command-shell", "/bin/sh: 1: gperf: not found", "gperf"),
    ("command-shell", "bash: line 5: gperf: command not found", "gperf"),
    (
        "command-script",
        "./autogen.sh: 12: intltoolize: not found",
        "intltoolize",
    ),
    (
        "command-script",
        "./build.sh: line 3: cmake: command not found",
        "cmake",
    ),
    (
        "command-env",
        "/usr/bin/env: 'python': No such file or directory",
        "python",
    ),
    (
        "command-interpreter",
        "bash: ./gen.py: /usr/bin/python2: bad interpreter: No such file or directory",
        "python2",
    ),
    (
        "command-exec",
        "exec: \"protoc\": executable file not found in $PATH",
        "protoc",
    ),
    ("command-exec", "Error: spawn node ENOENT", "node"),
    (
        "command-exec",
        "FileNotFoundError: [Errno 2] No such file or directory: 'dot'",
        "dot",
    ),
    ("command-plain", "autopoint: not found", "autopoint"),
    (
        "file-target",
        "make: *** No rule to make target '/usr/share/pgxs/pgxs.mk'.  Stop.",
        "/usr/share/pgxs/pgxs.mk",
    ),
    (
        "file-target",
        "ninja: error: No rule to make target '/usr/lib/libfoo.so', needed by 'a'",
        "/usr/lib/libfoo.so",
    ),
    (
        "file-include",
        "Makefile:3: /usr/lib/pgxs/src/makefiles/pgxs.mk: No such file or directory",
        "/usr/lib/pgxs/src/makefiles/pgxs.mk",
    ),
    (
        "file-crt",
        "/usr/bin/ld: cannot find Scrt1.o: No such file or directory",
        "Scrt1.o",
    ),
    (
        "file-fortran",
        "Fatal Error: Cannot open module file 'netcdf.mod' for reading at (1): No such file or directory",
        "netcdf.mod",
    ),
    (
        "file-swig",
        "foo.i:3: Error: Unable to find 'std_string.i'",
        "std_string.i",
    ),
    (
        "file-xsl",
        "I/O error : failed to load external entity \"/usr/share/xml/docbook/manpages/docbook.xsl\"",
        "/usr/share/xml/docbook/manpages/docbook.xsl",
    ),
    (
        "submodule-git",
        "fatal: No url found for submodule path 'ext/foo' in .gitmodules",
        "ext/foo",
    ),
    (
        "submodule-advice",
        "*** Please fetch it first: git submodule update --init",
        "",
    ),
    (
        "download-host",
        "curl: (6) Could not resolve host: example.org",
        "example.org",
    ),
    (
        "download-host",
        "wget: unable to resolve host address 'example.org'",
        "example.org",
    ),
    ("download-name", "ssh: x: Temporary failure in name resolution", ""),
    (
        "download-git",
        "fatal: unable to access 'https://example.org/x.git/': gnutls_handshake() failed",
        "https://example.org/x.git/",
    ),
    (
        "download-git-remote",
        "fatal: Could not read from remote repository.",
        "",
    ),
    ("download-curl", "curl: (22) The requested URL returned error: 404", ""),
    (
        "download-cmake",
        "error: downloading 'https://example.org/x.tar.gz' failed",
        "https://example.org/x.tar.gz",
    ),
    (
        "library",
        "/usr/bin/ld: cannot find -lfoo: No such file or directory",
        "foo",
    ),
    ("library", "ld.lld: error: unable to find library -lfoo", "foo"),
    (
        "library-loading",
        "./x: error while loading shared libraries: libfoo.so.1: cannot open shared object file: No such file or directory",
        "libfoo.so.1",
    ),
    (
        "library-libtool",
        "libtool:   error: cannot find the library '/usr/lib/libfoo.la' or unhandled argument",
        "libfoo.la",
    ),
    (
        "multiple-definition",
        "/usr/bin/ld: b.o:(.bss+0x0): multiple definition of 'counter'; a.o:(.bss+0x0): first defined here",
        "counter",
    ),
    (
        "undefined-reference",
        "/usr/bin/ld: a.c:(.text+0x9): undefined reference to 'sqrt'",
        "sqrt",
    ),
    (
        "undefined-reference",
        "/usr/bin/ld: x.o: undefined reference to symbol 'dlopen@@GLIBC_2.2.5'",
        "dlopen@@GLIBC_2.2.5",
    ),
    ("undefined-reference", "ld.lld: error: undefined symbol: sqrt", "sqrt"),
    (
        "link-pic",
        "/usr/bin/ld: a.o: relocation R_X86_64_32 against '.rodata' can not be used when making a PIE object; recompile with -fPIE",
        "-fPIC",
    ),
    (
        "link-format",
        "/usr/bin/ld: lib/libold.a: file in wrong format",
        "libold.a",
    ),
    (
        "warning-error",
        "a.c:3:5: error: unused variable 'x' [-Werror=unused-variable]",
        "unused-variable",
    ),
    (
        "warning-error",
        "a.c:3:5: error: unused variable 'x' [-Werror,-Wunused-variable]",
        "-Wunused-variable",
    ),
    ("warnings-error", "cc1: all warnings being treated as errors", ""),
    (
        "compile-flag",
        "g++: error: unrecognized command-line option '-fnope'",
        "-fnope",
    ),
    (
        "compile-implicit",
        "a.c:3:5: error: implicit declaration of function 'foo'",
        "foo",
    ),
    (
        "compile-undeclared",
        "a.c:3:5: error: 'FOO' undeclared (first use in this function)",
        "FOO",
    ),
    (
        "compile-undeclared",
        "a.cpp:3:5: error: 'uint8_t' does not name a type",
        "uint8_t",
    ),
    ("compile-undeclared", "a.c:3:5: error: unknown type name 'bool'", "bool"),
    ("compile-error", "a.c:3:5: error: expected ';' before 'x'", ""),
    ("compile-assembler", "a.s:3: Error: no such instruction: 'foo'", ""),
    ("compile-driver", "gcc: error: a.c: No such file or directory", ""),
    ("compile-driver", "cc1: error: bad value 'x' for '-march=' switch", ""),
    (
        "make-separator",
        "Makefile:12: *** missing separator.  Stop.",
        "Makefile",
    ),
    (
        "make-no-file",
        "make: *** No targets specified and no makefile found.  Stop.",
        "Makefile",
    ),
    (
        "make-target",
        "make[1]: *** No rule to make target 'gen.c', needed by 'gen.o'.  Stop.",
        "gen.c",
    ),
    (
        "make-include",
        "Makefile:1: config.mk: No such file or directory",
        "config.mk",
    ),
    (
        "make-ninja",
        "ninja: error: 'ext/foo.c', needed by 'foo.o', missing and no known rule to make it",
        "ext/foo.c",
    ),
    (
        "config-status",
        "config.status: error: Something went wrong bootstrapping makefile fragments",
        "Something went wrong bootstrapping makefile fragments",
    ),
    (
        "line-ends",
        "/usr/bin/env: 'bash\\r': No such file or directory",
        "line ends",
    ),
    (
        "crash",
        "make[1]: *** [Makefile:20: check] Segmentation fault (core dumped)",
        "Segmentation fault",
    ),
    ("permission", "/bin/sh: 1: ./gen.sh: Permission denied", "./gen.sh"),
];

fn row_of(name: &str) -> &'static super::Row {
    line_rows()
        .chain(cmake_rows())
        .find(|row| row.name == name)
        .unwrap_or_else(|| panic!("no row `{name}`"))
}

#[test]
fn every_sample_gives_its_rows_problem_and_no_other() {
    let mut wrong = Vec::new();
    let lines = LINES
        .iter()
        .map(|(row, text, subject)| (*row, *text, row_of(row).kind, *subject));
    for (row, text, kind, subject) in lines.chain(MESSAGES.iter().copied()) {
        let fired = crate::engine::row_that_fires(text).unwrap_or("none");
        if fired != row {
            wrong.push(format!("{text}\n    fired {fired}, expected {row}\n"));
        }
        let got = diagnose(text.as_bytes());
        let cause = got.cause.map(|cause| (cause.kind, cause.subject));
        if cause.as_ref().map(|(kind, subject)| (*kind, subject.as_str())) != Some((kind, subject)) {
            wrong.push(format!("{text}\n    gave {cause:?}, expected {kind:?} {subject:?}\n"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.concat());
}

#[test]
fn every_row_has_a_sample_and_a_name_of_its_own() {
    let sampled: BTreeSet<_> = LINES
        .iter()
        .map(|line| line.0)
        .chain(MESSAGES.iter().map(|message| message.0))
        .collect();
    let mut names = BTreeSet::new();
    for row in line_rows().chain(cmake_rows()) {
        assert!(sampled.contains(row.name), "row `{}` has no sample", row.name);
        assert!(names.insert(row.name), "two rows are called `{}`", row.name);
    }
}

#[test]
fn the_words_of_success_are_no_problem() {
    for text in [
        "-- Could NOT find Foo (missing: FOO_LIBRARY)",
        "checking for foo.h... no",
        "checking for gcc option to accept ISO C99... none needed",
        "Dependency foo found: NO (tried pkgconfig)",
        "[ 12%] Building C object src/error.c.o",
        "gcc -c -Werror -Wno-error=foo missing.c -o error.o",
        "make[1]: Entering directory '/build/error'",
        "CMake Warning at x:1 (message):\n  Could not find a package configuration file provided by \"Foo\"\n",
        "  CC       strerror.lo",
        "libtool: warning: remember to run 'libtool --finish /usr/lib'",
        "a.c:3:5: warning: unused variable 'error' [-Wunused-variable]",
        "0 errors, 3 warnings",
        "checking whether fork is required... no",
    ] {
        assert_eq!(diagnose(text.as_bytes()), crate::Diagnosis::default(), "{text}");
    }
}
