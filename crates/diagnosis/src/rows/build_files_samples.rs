//! Samples of the rows of `build_files`.

use super::samples::{Sample, sample};

pub(super) static SAMPLES: &[Sample] = &[
    sample(
        "right-cmake",
        r#"CMake Error at cmake_install.cmake:52 (file):
  file INSTALL cannot copy file "/build/out/libmast.so" to
  "/usr/local/lib/libmast.so": Permission denied.
"#,
        "/usr/local/lib/libmast.so",
    )
    .line(1)
    .documented(),
    sample(
        "right-cmake",
        r#"CMake Error at cmake_install.cmake:41 (file):
  file cannot create directory: /usr/local/share/mast.  Maybe need
  administrative privileges.
"#,
        "/usr/local/share/mast",
    )
    .line(1)
    .documented(),
    sample(
        "meson-header-unusable",
        r#"meson.build:2:24: ERROR: C header 'pcap.h' not usable"#,
        "pcap.h",
    )
    .line(1)
    .documented(),
    sample(
        "meson-machine-file",
        r#"ERROR: Cannot find specified cross file: arm.ini"#,
        "arm.ini",
    )
    .line(1)
    .documented(),
    sample(
        "meson-interpreter",
        r#"meson.build:2:17: ERROR: python3.13 not found"#,
        "python3.13",
    )
    .line(1)
    .documented(),
    sample(
        "meson-not-a-folder",
        r#"ERROR: Current directory is not a meson build directory: '/build/out'.
Please specify a valid build dir or change the working directory to it."#,
        "meson setup",
    )
    .line(1)
    .documented(),
    sample(
        "meson-no-file",
        r#"ERROR: Neither directory contains a build file meson.build."#,
        "meson.build",
    )
    .line(1)
    .documented(),
    sample(
        "meson-no-file",
        r#"meson.build:9:0: ERROR: Non-existent build file 'po/meson.build'"#,
        "po/meson.build",
    )
    .line(1)
    .documented(),
    sample(
        "meson-option-unknown",
        r#"meson.build:2:0: ERROR: Tried to access unknown option 'docs'."#,
        "docs",
    )
    .line(1)
    .documented(),
    sample(
        "meson-syntax",
        r#"meson.build:5:0: ERROR: Expecting rparen got id."#,
        "meson.build",
    )
    .line(1)
    .documented(),
    sample("meson-syntax", r#"meson.build:2:3: ERROR: lexer"#, "meson.build")
        .line(1)
        .documented(),
    sample(
        "meson-syntax",
        r#"meson.build:2:0: ERROR: Unknown variable "srcs"."#,
        "meson.build",
    )
    .line(1)
    .documented(),
    sample(
        "meson-syntax",
        r#"meson.build:4:0: ERROR: Unknown function "pkg_config"."#,
        "meson.build",
    )
    .line(1)
    .documented(),
    sample(
        "meson-syntax",
        r#"src/meson.build:4:0: ERROR: Got unknown keyword arguments "install_dirs""#,
        "meson.build",
    )
    .line(1)
    .documented(),
    sample(
        "meson-syntax",
        r#"meson.build:7:0: ERROR: Invalid use of addition: must be str, not int"#,
        "meson.build",
    )
    .line(1)
    .documented(),
    sample(
        "meson-syntax",
        r#"meson.build:3:0: ERROR: Tried to create target "x", but a target of that name already exists."#,
        "meson.build",
    )
    .line(1)
    .documented(),
    sample(
        "cmake-parse",
        r#"CMake Error at CMakeLists.txt:3:
  Parse error.  Function missing ending ")".  End of file reached.
"#,
        "CMakeLists.txt",
    )
    .line(1)
    .documented(),
    sample(
        "cmake-flow",
        r#"CMake Error at src/CMakeLists.txt:3 (if):
  Flow control statements are not properly nested.
"#,
        "CMakeLists.txt",
    )
    .line(1)
    .documented(),
    sample(
        "cmake-toolchain-file",
        r#"CMake Error at /usr/share/cmake-3.25/Modules/CMakeDetermineSystem.cmake:130 (message):
  Could not find toolchain file: cmake/arm.cmake
"#,
        "cmake/arm.cmake",
    )
    .line(1)
    .documented(),
    sample(
        "cmake-preset",
        r#"CMake Error: Could not read presets from /build: File not found
"#,
        "CMakePresets.json",
    )
    .line(1)
    .documented(),
    sample(
        "cmake-make-program",
        r#"CMake Error at CMakeLists.txt:2 (project):
  Running

   '/opt/bin/ninja' '--version'

  failed with:

   No such file or directory
"#,
        "ninja",
    )
    .line(1)
    .documented(),
    sample(
        "cmake-input-file",
        r#"CMake Error: File /build/mast.pc.in does not exist.
CMake Error at CMakeLists.txt:3 (configure_file):
  configure_file Problem configuring file
"#,
        "mast.pc.in",
    )
    .line(1)
    .documented(),
    sample(
        "cmake-input-file",
        r#"CMake Error at cmake_install.cmake:46 (file):
  file INSTALL cannot find "/build/docs/mast.1": No such file or directory.
"#,
        "mast.1",
    )
    .line(1)
    .documented(),
    sample(
        "cmake-export",
        r#"CMake Error: INSTALL(EXPORT) given unknown export "mast"
"#,
        "",
    )
    .line(1)
    .documented(),
    sample(
        "cmake-export",
        r#"CMake Error: Cannot determine link language for target "mast".
"#,
        "",
    )
    .line(1)
    .documented(),
    sample(
        "make-syntax",
        r#"Makefile:1: *** recipe commences before first target.  Stop."#,
        "Makefile",
    )
    .line(1)
    .documented(),
    sample(
        "make-syntax",
        r#"rules.mk:4: *** target pattern contains no '%'.  Stop."#,
        "rules.mk",
    )
    .line(1)
    .documented(),
    sample(
        "make-syntax",
        r#"Makefile:12: *** multiple target patterns.  Stop."#,
        "Makefile",
    )
    .line(1)
    .documented(),
    sample(
        "make-syntax",
        r#"Makefile:3: *** unterminated call to function 'shell': missing ')'.  Stop."#,
        "Makefile",
    )
    .line(1)
    .documented(),
    sample(
        "make-syntax",
        r#"Makefile:5: *** mixed implicit and normal rules.  Stop."#,
        "Makefile",
    )
    .line(1)
    .documented(),
    sample(
        "make-syntax",
        r#"config.mk:2: *** empty variable name.  Stop."#,
        "config.mk",
    )
    .line(1)
    .documented(),
    sample(
        "make-own-version",
        r#"Makefile:2: *** GNU make 4.4 or newer is required.  Stop."#,
        "make",
    )
    .line(1)
    .documented(),
    sample(
        "make-own-architecture",
        r#"Makefile:2: *** unsupported architecture: riscv64.  Stop."#,
        "riscv64",
    )
    .line(1)
    .documented(),
    sample(
        "build-program",
        r#"  File "/build/SConstruct", line 4

    env = Environment(

                     ^

SyntaxError: '(' was never closed"#,
        "SConstruct",
    )
    .line(1)
    .documented(),
    sample(
        "build-program",
        r#"Traceback (most recent call last):
  File "/build/wscript", line 12, in configure
    ctx.frob()
AttributeError: 'ConfigurationContext' object has no attribute 'frob'"#,
        "wscript",
    )
    .line(2)
    .documented(),
    sample(
        "scons-error",
        r#"scons: *** No SConstruct file found.
File "/usr/lib/python3/dist-packages/SCons/Script/Main.py", line 965, in _main"#,
        "SConstruct",
    )
    .line(1)
    .documented(),
    sample(
        "scons-target",
        r#"scons: *** Do not know how to make File target `docs' (/build/docs).  Stop."#,
        "docs",
    )
    .line(1)
    .documented(),
    sample(
        "scons-target",
        r#"scons: *** [main.o] Source `main.c' not found, needed by target `main.o'."#,
        "main.c",
    )
    .line(1)
    .documented(),
    sample(
        "waf-not-found",
        r#"Checking for program 'bison'              : not found
The configuration failed"#,
        "bison",
    )
    .line(1)
    .documented(),
    sample(
        "waf-step",
        r#"The project was not configured: run "waf configure" first!"#,
        "waf configure",
    )
    .line(1)
    .documented(),
    sample(
        "gyp-file",
        r#"gyp: binding.gyp not found (cwd: /build) while trying to load binding.gyp"#,
        "binding.gyp",
    )
    .line(1)
    .documented(),
    sample(
        "right-cmake",
        r#"-- Install configuration: ""
CMake Error at cmake_install.cmake:41 (file):
  file cannot create directory: /usr/share/x.  Maybe need administrative
  privileges.

"#,
        "/usr/share/x",
    )
    .line(2),
    sample(
        "cmake-input-file",
        r#"-- Detecting C compile features
-- Detecting C compile features - done
CMake Error: File /build/frob.in does not exist.
CMake Error at CMakeLists.txt:3 (configure_file):
  configure_file Problem configuring file

"#,
        "frob.in",
    )
    .line(3),
    sample(
        "cmake-flow",
        r#"CMake Error at CMakeLists.txt:3 (if):
  Flow control statements are not properly nested.


-- Configuring incomplete, errors occurred!"#,
        "CMakeLists.txt",
    )
    .line(1),
    sample(
        "cmake-export",
        r#"-- Detecting C compile features - done
-- Configuring done
CMake Error: INSTALL(EXPORT) given unknown export "f"
-- Generating done
CMake Generate step failed.  Build files cannot be regenerated correctly."#,
        "",
    )
    .line(3),
    sample(
        "cmake-make-program",
        r#"CMake Error at CMakeLists.txt:2 (project):
  Running

   '/none/ninja' '--version'

  failed with:

   No such file or directory
"#,
        "ninja",
    )
    .line(1),
    sample(
        "cmake-parse",
        r#"CMake Error at CMakeLists.txt:3:
  Parse error.  Function missing ending ")".  End of file reached.


-- Configuring incomplete, errors occurred!"#,
        "CMakeLists.txt",
    )
    .line(1),
    sample(
        "cmake-preset",
        r#"CMake Error: Could not read presets from /build: File not found"#,
        "CMakePresets.json",
    )
    .line(1),
    sample(
        "cmake-toolchain-file",
        r#"CMake Error at /usr/share/cmake-3.25/Modules/CMakeDetermineSystem.cmake:130 (message):
  Could not find toolchain file: none.cmake
Call Stack (most recent call first):
  CMakeLists.txt:2 (project)
"#,
        "none.cmake",
    )
    .line(1),
    sample(
        "make-own-architecture",
        r#"Makefile:2: *** unsupported architecture: x86_64.  Stop."#,
        "x86_64",
    )
    .line(1),
    sample(
        "make-syntax",
        r#"Makefile:1: *** recipe commences before first target.  Stop."#,
        "Makefile",
    )
    .line(1),
    sample(
        "make-own-version",
        r#"Makefile:2: *** GNU make 9.0 or newer is required.  Stop."#,
        "make",
    )
    .line(1),
    sample(
        "meson-header-unusable",
        r#"Host machine cpu: x86_64

meson.build:2:24: ERROR: C header 'frob.h' not usable

A full log can be found at /build/out/meson-logs/meson-log.txt"#,
        "frob.h",
    )
    .line(3),
    sample(
        "meson-not-a-folder",
        r#"
ERROR: Current directory is not a meson build directory: `/build/out`.
Please specify a valid build dir or change the working directory to it.
It is also possible that the build directory was generated with an old
meson version. Please regenerate it in this case."#,
        "meson setup",
    )
    .line(2),
    sample(
        "meson-machine-file",
        r#"Could not find any valid candidate for cross files: none.ini

ERROR: Cannot find specified cross file: none.ini"#,
        "none.ini",
    )
    .line(3),
    sample(
        "meson-syntax",
        r#"Host machine cpu: x86_64

meson.build:3:0: ERROR: Tried to create target "x", but a target of that name already exists.

A full log can be found at /build/out/meson-logs/meson-log.txt"#,
        "meson.build",
    )
    .line(3),
    sample(
        "meson-no-file",
        r#"
ERROR: Neither directory contains a build file meson.build."#,
        "meson.build",
    )
    .line(2),
    sample(
        "meson-option-unknown",
        r#"Host machine cpu: x86_64

meson.build:2:0: ERROR: Tried to access unknown option 'frob'.

A full log can be found at /build/out/meson-logs/meson-log.txt"#,
        "frob",
    )
    .line(3),
    sample(
        "meson-interpreter",
        r#"Program nonexistingprogram found: NO

meson.build:2:17: ERROR: python9 not found

A full log can be found at /build/out/meson-logs/meson-log.txt"#,
        "python9",
    )
    .line(3),
    sample(
        "meson-no-file",
        r#"Host machine cpu: x86_64

meson.build:2:0: ERROR: Non-existent build file 'frob/meson.build'

A full log can be found at /build/out/meson-logs/meson-log.txt"#,
        "frob/meson.build",
    )
    .line(3),
];
