//! One real-looking line for each row of `configure`.

use super::samples::{Sample, sample};
use crate::Kind;

pub(super) static SAMPLES: &[Sample] = &[
    sample(
        "header-gcc",
        "src/a.c:1:10: fatal error: openssl/ssl.h: No such file or directory",
        "openssl/ssl.h",
    ),
    sample(
        "header-gcc",
        "a.c:3:20: error: zlib.h: No such file or directory",
        "zlib.h",
    ),
    sample(
        "header-gcc",
        "a.cpp:1:10: fatal error: QtWidgets: No such file or directory",
        "QtWidgets",
    ),
    sample(
        "header-clang",
        "a.c:1:10: fatal error: 'zlib.h' file not found",
        "zlib.h",
    ),
    sample(
        "header-meson",
        "meson.build:7:0: ERROR: C header 'foo.h' not found",
        "foo.h",
    ),
    sample(
        "header-other",
        "a.c(1): error: cannot open source file \"foo.h\"",
        "foo.h",
    ),
    sample(
        "pc-program",
        "configure: error: The pkg-config script could not be found or is too old.  Make sure it",
        "pkg-config",
    ),
    sample("pc-program", "/bin/sh: 1: pkg-config: not found", "pkg-config"),
    sample("pc-no-package", "No package 'gtk+-3.0' found", "gtk+-3.0"),
    sample(
        "pc-was-not-found",
        "Package libfoo was not found in the pkg-config search path.",
        "libfoo",
    ),
    sample(
        "pc-was-not-found",
        "Package 'libfoo', required by 'virtual:world', not found",
        "libfoo",
    ),
    sample("pc-was-not-found", "Package 'libfoo' not found", "libfoo"),
    sample(
        "pc-python",
        "pkgconfig.pkgconfig.PackageNotFoundError: libfoo not found",
        "libfoo",
    ),
    sample(
        "pc-version",
        "Requested 'glib-2.0 >= 99' but version of GLib is 2.74.6",
        "glib-2.0",
    ),
    sample(
        "pc-version",
        "Package dependency requirement 'glib-2.0 >= 99' could not be satisfied.",
        "glib-2.0",
    ),
    sample(
        "pc-qmake",
        "Project ERROR: libsecret-1 development package not found",
        "libsecret-1",
    ),
    sample(
        "meson-dependency",
        "meson.build:5:0: ERROR: Dependency \"libfoo\" not found, tried pkgconfig and cmake",
        "libfoo",
    ),
    sample(
        "meson-dependency",
        "../meson.build:5:0: ERROR: Dependency 'libfoo' is required but not found.",
        "libfoo",
    ),
    sample(
        "meson-lookup",
        "meson.build:5:0: ERROR: Dependency lookup for libfoo with method 'pkgconfig' failed: x",
        "libfoo",
    ),
    sample(
        "meson-program",
        "meson.build:5:0: ERROR: Program 'gdbus-codegen' not found or not executable",
        "gdbus-codegen",
    ),
    sample(
        "meson-program",
        "meson.build:5:0: ERROR: Program 'itstool xgettext' not found",
        "itstool xgettext",
    ),
    sample(
        "meson-library",
        "meson.build:5:0: ERROR: C shared or static library 'foo' not found",
        "foo",
    ),
    sample(
        "meson-version",
        "meson.build:1:0: ERROR: Meson version is 1.0.1 but project requires >=1.3.0",
        "meson",
    ),
    sample(
        "meson-compiler",
        "meson.build:1:0: ERROR: Unknown compiler(s): [['valac']]",
        "valac",
    ),
    sample(
        "meson-python",
        "meson.build:9:0: ERROR: python3 is missing modules: jinja2",
        "jinja2",
    ),
    sample(
        "meson-wrap-off",
        "meson.build:5:0: ERROR: Automatic wrap-based subproject downloading is disabled",
        "",
    ),
    sample(
        "meson-subproject",
        "meson.build:5:0: ERROR: Neither a subproject directory nor a libfoo.wrap file was found.",
        "libfoo",
    ),
    sample(
        "macro-undefined",
        "configure.ac:12: error: possibly undefined macro: AM_GNU_GETTEXT",
        "AM_GNU_GETTEXT",
    ),
    sample(
        "macro-library",
        "configure.ac:5: warning: macro 'AM_PATH_GTK' not found in library",
        "AM_PATH_GTK",
    ),
    sample(
        "macro-shell",
        "./configure: line 2345: PKG_CHECK_MODULES: command not found",
        "PKG_CHECK_MODULES",
    ),
    sample(
        "macro-shell",
        "./configure: 2345: AX_CXX_COMPILE_STDCXX: not found",
        "AX_CXX_COMPILE_STDCXX",
    ),
    sample(
        "macro-shell",
        "./configure: line 2345: syntax error near unexpected token 'PKG_CHECK_MODULES'",
        "PKG_CHECK_MODULES",
    ),
    sample(
        "macro-syntax",
        "./configure: line 17: 'PKG_CHECK_MODULES(GTK, gtk+-2.0)'",
        "PKG_CHECK_MODULES",
    ),
    sample(
        "macro-libtool",
        "Makefile.am:3: error: Libtool library used but 'LIBTOOL' is undefined",
        "LT_INIT",
    ),
    sample(
        "stale-not-found",
        "/bin/bash: line 1: aclocal-1.14: command not found",
        "aclocal-1.14",
    ),
    sample(
        "stale-not-found",
        "/bin/sh: 1: automake-1.15: not found",
        "automake-1.15",
    ),
    sample(
        "stale-missing",
        "WARNING: 'aclocal-1.14' is missing on your system.",
        "aclocal-1.14",
    ),
    sample(
        "missing-helper",
        "WARNING: 'makeinfo' is missing on your system.",
        "makeinfo",
    ),
    sample(
        "stale-file",
        "configure.ac:7: error: required file './compile' not found",
        "./compile",
    ),
    sample(
        "stale-libtool",
        "libtool: Version mismatch error.  This is libtool 2.4.7, but the",
        "libtool",
    ),
    sample(
        "stale-gettext",
        "*** error: gettext infrastructure mismatch: using a Makefile.in.in from gettext version 0.18",
        "gettext",
    ),
    sample(
        "stale-input",
        "config.status: error: cannot find input file: 'po/Makefile.in.in'",
        "po/Makefile.in.in",
    ),
    sample(
        "stale-input",
        "configure: error: cannot find install-sh, install.sh, or shtool in \".\" \"./..\"",
        "install-sh",
    ),
    sample(
        "stale-m4-folder",
        "aclocal: error: couldn't open directory 'm4': No such file or directory",
        "m4",
    ),
    sample(
        "stale-guess",
        "configure: error: cannot guess build type; you must specify one",
        "config.guess",
    ),
    sample(
        "stale-guess-system",
        "./config.guess: unable to guess system type",
        "config.guess",
    ),
    sample(
        "stale-sub",
        "Invalid configuration 'riscv64-unknown-linux-gnu': machine 'riscv64-unknown' not recognized",
        "riscv64-unknown-linux-gnu",
    ),
    sample(
        "stale-sub",
        "configure: error: /bin/bash ./config.sub aarch64_be-none-elf failed",
        "aarch64_be-none-elf",
    ),
    sample(
        "stale-file",
        "Makefile.am: error: required file './ChangeLog' not found",
        "./ChangeLog",
    )
    .kind(Kind::MissingFile),
    sample(
        "configure-value",
        "configure: error: bad value many for --enable-threads",
        "--enable-threads",
    ),
    sample(
        "configure-value",
        "configure: error: invalid value: boxed for --with-float",
        "--with-float",
    ),
    sample(
        "configure-value",
        "configure: error: --with-pic must be yes or no",
        "--with-pic",
    ),
    sample(
        "stale-bootstrap",
        "configure.ac:10: error: Please run ./bootstrap.sh first",
        "bootstrap",
    ),
    sample(
        "autoconf-version",
        "configure.ac:3: error: Autoconf version 2.72 or higher is required",
        "autoconf",
    ),
    sample(
        "automake-version",
        "configure.ac:9: error: require Automake 1.17, but have 1.16.5",
        "automake",
    ),
    sample(
        "perl-exec",
        "Can't exec \"libtoolize\": No such file or directory at /usr/share/autoconf/Autom4te/FileUtils.pm line 293.",
        "libtoolize",
    ),
    sample(
        "cmake-version",
        "CMake 3.28 or higher is required.  You are running version 3.25.1",
        "cmake",
    ),
    sample(
        "cmake-no-folder",
        "The source directory \"/x/y\" does not exist.",
        "/x/y",
    ),
    sample(
        "qmake-modules",
        "Project ERROR: Unknown module(s) in QT: webkitwidgets",
        "Qt5WebKitWidgets",
    ),
    sample("qmake-tool", "qmake: could not find a Qt installation of ''", "qmake"),
    sample(
        "qmake-error",
        "Project ERROR: You need at least Qt 6",
        "You need at least Qt 6",
    ),
];
