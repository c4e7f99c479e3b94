//! Samples of the rows of `tree`: shortened output of real failures, and messages after documentation.

use super::samples::{Sample, sample};
use crate::Kind;

pub(super) static SAMPLES: &[Sample] = &[
    sample("compiler-broken", r"configure: error: in `/build/ac':
configure: error: C compiler cannot create executables
See `config.log' for more details
checking for a BSD-compatible install... /usr/bin/install -c", "").line(1),
    sample("compiler-cross", r"configure: error: in `/build/ac':
configure: error: cannot run test program while cross compiling
See `config.log' for more details", "").line(1),
    sample("compiler-none", r"configure: error: in `/build':
configure: error: no acceptable C compiler found in $PATH", "cc").line(1).documented(),
    sample("configure-in-source", r#"configure: error: source directory already configured; run "make distclean" there first"#, "").line(1).documented(),
    sample("configure-option", r"configure: error: unrecognized option: `--nosuch-option'
Try `./configure --help' for more information
configure: error: unrecognized option: `--nosuch'
Try `./configure --help' for more information", "--nosuch-option").line(1),
    sample("configure-variable", r"configure: error: changes in the environment can compromise the build", "").line(1).documented(),
    sample("dialect", r"Makefile:2: *** missing separator (did you mean TAB instead of 8 spaces?).  Stop.", "Makefile").line(1),
    sample("dialect-bmake", r#"make: "/build/Makefile" line 3: Need an operator"#, "/build/Makefile").line(1).documented(),
    sample("dialect-conditional", r"Makefile:1: *** invalid syntax in conditional.  Stop.", "Makefile").line(1),
    sample("git-identity", r"Author identity unknown

*** Please tell me who you are.", "identity").line(1),
    sample("git-ownership", r"fatal: detected dubious ownership in repository at '/build/g'
To add an exception for this directory, call:

	git config --global --add safe.directory /build/g", "ownership").line(1),
    sample("git-submodule-clone", r"fatal: Unable to find current revision in submodule path 'ext/foo'", "ext/foo").line(1).documented(),
    sample("header-generated", r"h.c:1:10: fatal error: config.h: No such file or directory
    1 | #include <config.h>
      |          ^~~~~~~~~~
compilation terminated.", "config.h").line(1),
    sample("header-generated", r"h.c:1:10: fatal error: foo.pb.h: No such file or directory
    1 | #include <foo.pb.h>
      |          ^~~~~~~~~~
compilation terminated.", "foo.pb.h").line(1),
    sample("header-generated", r"h.c:1:10: fatal error: parser.tab.h: No such file or directory
    1 | #include <parser.tab.h>
      |          ^~~~~~~~~~~~~~
compilation terminated.", "parser.tab.h").line(1),
    sample("header-generated", r"src/main.cpp:4:10: fatal error: 'ui_mainwindow.h' file not found", "ui_mainwindow.h").line(1).documented(),
    sample("header-removed", r"h.c:1:10: fatal error: asm/page.h: No such file or directory
    1 | #include <asm/page.h>
      |          ^~~~~~~~~~~~
compilation terminated.", "asm/page.h").line(1),
    sample("header-removed", r"h.c:1:10: fatal error: stropts.h: No such file or directory
    1 | #include <stropts.h>
      |          ^~~~~~~~~~~
compilation terminated.", "stropts.h").line(1),
    sample("header-removed", r"h.c:1:10: fatal error: sys/sysctl.h: No such file or directory
    1 | #include <sys/sysctl.h>
      |          ^~~~~~~~~~~~~~
compilation terminated.", "sys/sysctl.h").line(1),
    sample("header-removed", r"src/main.cpp:4:10: fatal error: tbb/task_scheduler_init.h: No such file or directory", "tbb/task_scheduler_init.h").line(1).documented(),
    sample("header-removed", r"src/main.cpp:4:10: fatal error: 'opencv/cv.h' file not found", "opencv/cv.h").line(1).documented(),
    sample("line-endings", r"./gen.sh: line 3: syntax error near unexpected token `$'{\r''", "./gen.sh").line(1).documented(),
    sample("line-endings", r"bash: ./gen.sh: /bin/sh^M: bad interpreter: No such file or directory", "bin/sh").line(1).documented(),
    sample("line-endings-perhaps", r"/gen/prep.sh: line 295: ./crlf.sh: cannot execute: required file not found
./crlf.sh: line 2: $'echo\r': command not found
crlf.sh: 2: echo
: not found
sh: 1: ./crlf.sh: not found", "./crlf.sh").line(1),
    sample("line-endings-perhaps", r"/gen/prep.sh: line 2: ./sx2: cannot execute: required file not found", "./sx2").line(1),
    sample("meson-cuda", r#"meson.build:1:0: ERROR: Could not find suitable CUDA compiler: "nvcc"

A full log can be found at /build/me/b/meson-logs/meson-log.txt"#, "nvcc").line(1),
    sample("meson-download", r"meson.build:3:0: ERROR: could not get https://registry.example/foo.tgz is the internet available?", "https://registry.example/foo.tgz").line(1).documented(),
    sample("meson-file", r"meson.build:2:0: ERROR: File gone.c does not exist.

A full log can be found at /build/me/b/meson-logs/meson-log.txt", "gone.c").line(1),
    sample("meson-git", r"meson.build:2:0: ERROR: Git command failed: ['/usr/bin/git', 'clone', 'https://nosuch.invalid/foo.git', 'foo']

A full log can be found at /build/me/b/meson-logs/meson-log.txt
The Meson build system", "https://nosuch.invalid/foo.git").line(1),
    sample("meson-program-version", r"meson.build:2:0: ERROR: Invalid version of program, need 'git' ['>=99'] found '2.39.5'.

A full log can be found at /build/me/b/meson-logs/meson-log.txt", "git").line(1),
    sample("meson-unknown-option", r#"meson.build:1:0: ERROR: Unknown options: "nosuch"

A full log can be found at /build/me/b2/meson-logs/meson-log.txt"#, "nosuch").line(1),
    sample("meson-unknown-option", r#"meson.build:1:0: ERROR: Value "nosuch" (of type "string") for combo option "Build type to use" is not one of the choices. Possible choices are (as string): "plain", "debu

A full log can be found at /build/me/b3/meson-logs/meson-log.txt
The Meson build system"#, "Build type to use").line(1),
    sample("meson-unknown-option", r#"meson.build:1:0: ERROR: Value "c++29" (of type "string") for combo option "C++ language standard to use" is not one of the choices. Possible choices are (as string): "non

A full log can be found at /build/me/b/meson-logs/meson-log.txt"#, "C++ language standard to use").line(1),
    sample("meson-version-of", r"meson.build:2:0: ERROR: Dependency lookup for zlib with method 'pkgconfig' failed: Invalid version, need 'zlib' ['>=99'] found '1.2.13'.

A full log can be found at /build/me/b/meson-logs/meson-log.txt", "zlib").line(1),
    sample("no-build-file", r"ninja: error: loading 'build.ninja': No such file or directory", "build.ninja").line(1).documented(),
    sample("no-build-folder", r"Error: could not load cache", "could not load cache").line(1).documented(),
    sample("no-build-folder", r"ninja: fatal: chdir to 'build' - No such file or directory", "build").line(1).documented(),
    sample("no-makefile", r"make: *** No targets specified and no makefile found.  Stop.
make: *** No rule to make target 'install'.  Stop.
make: *** No rule to make target 'all'.  Stop.
make: *** No rule to make target 'install'.  Stop.", "Makefile").line(1),
    sample("not-executable", r"make: ./gen.sh: Permission denied
make: *** [Makefile:2: all] Error 127
bash: line 1: ./gen.sh: Permission denied
sh: 1: ./gen.sh: Permission denied", "./gen.sh").line(1),
    sample("not-executable", r"/bin/sh: 1: ./autogen.sh: Permission denied", "./autogen.sh").line(1).documented(),
    sample("not-executable-python", r"PermissionError: [Errno 13] Permission denied: './configure'", "./configure").line(1).documented(),
    sample("pc-program-within", r"configure: error: in `/build/ac':
configure: error: The pkg-config script could not be found or is too old.  Make sure it
is in your PATH or set the PKG_CONFIG environment variable to the full
path to pkg-config.", "pkg-config").line(1),
    sample("qmake-project", r"Cannot find file: /build/gone.pro.", "gone.pro").line(1).documented(),
    sample("source-archive", r"tar: This does not look like a tar archive

gzip: stdin: not in gzip format
tar: Child returned status 1", "").line(1),
    sample("source-pointer", r"git-lfs filter-process: 1: git-lfs: not found", "git-lfs").line(1).documented(),
    sample("source-rpm", r"error: Bad source: /root/rpmbuild/SOURCES/foo-1.0.tar.gz: No such file or directory", "foo-1.0.tar.gz").line(1).documented(),
    sample("step-configure", r"Makefile:4: *** please run ./configure first.  Stop.", "./configure").line(1),
    sample("target-needed", r"make: *** No rule to make target '/usr/include/gone/z.h', needed by 'x.o'.  Stop.", "/usr/include/gone/z.h").kind(Kind::MissingFile).line(1),
    sample("target-needed", r"make: *** No rule to make target 'gen/gone.c', needed by 'x.o'.  Stop.", "gen/gone.c").line(1),
    sample("target-needed", r"make: *** No rule to make target 'config.mk'.  Stop.", "config.mk").line(1),
    sample("target-ninja", r"ninja: error: 'gone.c', needed by 'x.o', missing and no known rule to make it
[1/1] gcc -c x.c -o x.o
FAILED: x.o 
gcc -c x.c -o x.o", "gone.c").line(1),
    sample("target-ninja", r"ninja: error: unknown target 'nosucht'
ninja: error: build.ninja:3: expected '=', got newline
 build
      ^ near here", "nosucht").line(1),
    sample("used-file", r"cp: cannot stat 'gone.txt': No such file or directory
make: *** [Makefile:2: all] Error 1", "gone.txt").line(1),
    sample("git-tag", "fatal: No names found, cannot describe anything.", "tag").line(1),
    sample("git-history", "fatal: not a git repository (or any of the parent directories): .git", "history").line(1),
    sample(
        "line-endings-option",
        "bootstrap: line 1: set: -\n: invalid option\nset: usage: set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]\n",
        "bootstrap",
    ),
];
