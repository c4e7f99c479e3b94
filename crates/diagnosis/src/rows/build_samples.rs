//! One real-looking line for each row of `build`.

use super::samples::{Sample, sample};

pub(super) static SAMPLES: &[Sample] = &[
    sample("command-make", "make: bison: No such file or directory", "bison"),
    sample("command-make", "make[2]: /usr/bin/bison: Command not found", "bison"),
    sample("command-shell", "/bin/sh: 1: gperf: not found", "gperf"),
    sample("command-shell", "bash: line 5: gperf: command not found", "gperf"),
    sample(
        "command-script",
        "./autogen.sh: 12: intltoolize: not found",
        "intltoolize",
    ),
    sample(
        "command-script",
        "./build.sh: line 3: cmake: command not found",
        "cmake",
    ),
    sample(
        "command-env",
        "/usr/bin/env: 'python': No such file or directory",
        "python",
    ),
    sample(
        "command-interpreter",
        "bash: ./gen.py: /usr/bin/python2: bad interpreter: No such file or directory",
        "python2",
    ),
    sample(
        "command-exec",
        "exec: \"protoc\": executable file not found in $PATH",
        "protoc",
    ),
    sample("command-exec", "Error: spawn node ENOENT", "node"),
    sample(
        "command-exec",
        "FileNotFoundError: [Errno 2] No such file or directory: 'dot'",
        "dot",
    ),
    sample("command-plain", "autopoint: not found", "autopoint"),
    sample(
        "file-include",
        "Makefile:3: /usr/lib/pgxs/src/makefiles/pgxs.mk: No such file or directory",
        "/usr/lib/pgxs/src/makefiles/pgxs.mk",
    ),
    sample(
        "file-fortran",
        "Fatal Error: Cannot open module file 'netcdf.mod' for reading at (1): No such file or directory",
        "netcdf.mod",
    ),
    sample(
        "file-swig",
        "foo.i:3: Error: Unable to find 'std_string.i'",
        "std_string.i",
    ),
    sample(
        "file-xsl",
        "I/O error : failed to load external entity \"/usr/share/xml/docbook/manpages/docbook.xsl\"",
        "/usr/share/xml/docbook/manpages/docbook.xsl",
    ),
    sample(
        "submodule-git",
        "fatal: No url found for submodule path 'ext/foo' in .gitmodules",
        "ext/foo",
    ),
    sample(
        "submodule-advice",
        "*** Please fetch it first: git submodule update --init",
        "",
    ),
    sample(
        "network-said",
        "curl: (6) Could not resolve host: example.org",
        "example.org",
    ),
    sample(
        "network-said",
        "wget: unable to resolve host address 'example.org'",
        "example.org",
    ),
    sample("network-name", "ssh: x: Temporary failure in name resolution", "x"),
    sample(
        "download-git",
        "fatal: unable to access 'https://example.org/x.git/': gnutls_handshake() failed",
        "https://example.org/x.git/",
    ),
    sample(
        "download-git-remote",
        "fatal: Could not read from remote repository.",
        "",
    ),
    sample("download-curl", "curl: (22) The requested URL returned error: 404", ""),
    sample(
        "download-cmake",
        "error: downloading 'https://example.org/x.tar.gz' failed",
        "https://example.org/x.tar.gz",
    ),
    sample(
        "library",
        "/usr/bin/ld: cannot find -lfoo: No such file or directory",
        "foo",
    ),
    sample("library", "ld.lld: error: unable to find library -lfoo", "foo"),
    sample(
        "warning-error",
        "a.c:3:5: error: unused variable 'x' [-Werror=unused-variable]",
        "unused-variable",
    ),
    sample(
        "warning-error",
        "a.c:3:5: error: unused variable 'x' [-Werror,-Wunused-variable]",
        "unused-variable",
    ),
    sample("warnings-error", "cc1: all warnings being treated as errors", ""),
    sample(
        "compile-undeclared",
        "a.c:3:5: error: 'FOO' undeclared (first use in this function)",
        "FOO",
    ),
    sample(
        "compile-undeclared",
        "a.cpp:3:5: error: 'Shape' does not name a type",
        "Shape",
    ),
    sample(
        "compile-undeclared",
        "a.c:3:5: error: unknown type name 'shape'",
        "shape",
    ),
    sample("compile-error", "a.c:3:5: error: expected ';' before 'x'", ""),
    sample("compile-assembler", "a.s:3: Error: missing ')'", ""),
    sample("compile-driver", "gcc: error: missing argument to '-x'", ""),
    sample(
        "compile-driver",
        "cc1: error: too many filenames given; type 'cc1 --help' for usage",
        "",
    ),
    sample(
        "make-include",
        "Makefile:1: config.mk: No such file or directory",
        "config.mk",
    ),
    sample(
        "config-status",
        "config.status: error: Something went wrong bootstrapping makefile fragments",
        "Something went wrong bootstrapping makefile fragments",
    ),
    sample(
        "crash",
        "make[1]: *** [Makefile:20: tables] Segmentation fault (core dumped)",
        "Segmentation fault",
    ),
    sample("link-failed", "/usr/bin/ld: final link failed: bad value", ""),
    sample("link-failed", "ld.lld: error: bad.o:1: unexpected EOF", ""),
    sample(
        "network-pip",
        "WARNING: Retrying (Retry(total=4, connect=None, read=None, redirect=None, status=None)) after connection broken by 'NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object at 0x7f>: Failed to establish a new connection: [Errno -3] Temporary failure in name resolution')': /simple/rope/",
        "rope",
    ),
    sample(
        "network-host",
        "  warning: Could not resolve host: forge.example",
        "forge.example",
    ),
    sample(
        "network-curl",
        "curl: (28) Operation timed out after 30001 milliseconds",
        "",
    ),
];
