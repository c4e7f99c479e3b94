//! Lists of architectures: of packages, sources, build files and symbols.

use seatrial_core::Arch;
use seatrial_porting::{Mark, State};

use crate::plant::{DEBIAN, RPM};

#[test]
fn lists_of_architectures_let_the_target_in() {
    for (plant, head, path, wanted) in [
        (
            DEBIAN,
            "amd64 i386",
            "debian/control",
            "Architecture: amd64 i386 arm64\n",
        ),
        (
            RPM,
            "ExclusiveArch:  x86_64",
            "hull.spec",
            "ExclusiveArch:  x86_64 aarch64\n",
        ),
        (RPM, "ExcludeArch:  aarch64 s390x", "hull.spec", "ExcludeArch:  s390x\n"),
    ] {
        plant
            .state(State::Excluded)
            .head(head)
            .gives("allow-architecture", &[(path, wanted)]);
    }
}

#[test]
fn lists_of_architectures_in_sources_have_the_target_too() {
    let log = "hull.c:6:2: error: #error \"unsupported architecture\"\n    6 | #error \"unsupported architecture\"\n";
    let files = [(
        "hull.c",
        "#if defined(__x86_64__) || defined(__ia64__)\n#define WORD 64\n#elif defined(__i386__)\n#define WORD 32\n#else\n#error \"unsupported architecture\"\n#endif\n",
    )];
    DEBIAN.files(&files).log(log).gives(
        "widen-source-list",
        &[(
            "hull.c",
            "#if defined(__x86_64__) || defined(__ia64__) || defined(__aarch64__)\n#define WORD 64\n",
        )],
    );
    RPM.files(&files).log(log).target(Arch::Armv7l).gives(
        "widen-source-list",
        &[(
            "hull.c",
            "#elif defined(__i386__) || defined(__arm__)\n#define WORD 32\n",
        )],
    );
    DEBIAN
        .files(&[(
            "hull.c",
            "#ifdef __BIG_ENDIAN__\n#define BIG 1\n\
             #elif defined(__x86_64__) || defined(__LITTLE_ENDIAN__)\n#define BIG 0\n\
             #else\n#error unknown endianness\n#endif\n",
        )])
        .log("hull.c:6:2: error: #error unknown endianness\n")
        .gives(
            "widen-source-list",
            &[(
                "hull.c",
                "|| (defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)\n#define BIG 0\n",
            )],
        );
    DEBIAN
        .files(&[(
            "hull.c",
            "#if !defined(__x86_64__) && !defined(__i386__)\n#error \"this platform is not supported\"\n#endif\n",
        )])
        .log("hull.c:2:2: error: #error \"this platform is not supported\"\n")
        .gives(
            "widen-source-list",
            &[(
                "hull.c",
                "#if (!defined(__x86_64__) && !defined(__i386__)) && !defined(__aarch64__)\n",
            )],
        );
}

#[test]
fn lists_of_architectures_in_build_files_have_the_target_too() {
    for (path, text, log, wanted) in [
        (
            "Makefile",
            "ARCH := $(shell uname -m)\nifeq ($(ARCH),x86_64)\nBITS = 64\nelse\n$(error Unsupported architecture $(ARCH))\nendif\n",
            "Makefile:5: *** Unsupported architecture aarch64.  Stop.\n",
            "ifneq (,$(filter x86_64 aarch64,$(ARCH)))\nBITS = 64\n",
        ),
        (
            "CMakeLists.txt",
            "project(hull C)\nif(CMAKE_SYSTEM_PROCESSOR STREQUAL \"x86_64\")\n  set(BITS 64)\nelse()\n  message(FATAL_ERROR \"Unsupported architecture\")\nendif()\n",
            "CMake Error at CMakeLists.txt:5 (message):\n  Unsupported architecture\n\n\n-- Configuring incomplete, errors occurred!\n",
            "if(CMAKE_SYSTEM_PROCESSOR MATCHES \"^(x86_64|aarch64)$\")\n",
        ),
        (
            "configure",
            "#!/bin/sh\ncase `uname -m` in\n  i?86) bits=32 ;;\n  x86_64) bits=64 ;;\n  *) echo \"configure: error: unknown architecture\" >&2; exit 1 ;;\nesac\n",
            "configure: error: unknown architecture\n",
            "  x86_64|aarch64) bits=64 ;;\n",
        ),
    ] {
        DEBIAN
            .files(&[(path, text)])
            .log(log)
            .gives("widen-build-list", &[(path, wanted)]);
    }
}

#[test]
fn lists_of_symbols_have_tags() {
    let plant = DEBIAN
        .files(&[(
            "debian/libhull1.symbols",
            "libhull.so.1 libhull1 #MINVER#\n hull_fast@Base 1.0\n \
             (c++)\"hull::swap(unsigned long)@Base\" 1.0\n hull_slow@Base 1.0\n",
        )])
        .log(
            "dpkg-gensymbols: error: some symbols or patterns disappeared in the symbols \
             file: see diff output below\n\
             dpkg-gensymbols: warning: debian/libhull1/DEBIAN/symbols doesn't match \
             completely debian/libhull1.symbols\n\
             --- debian/libhull1.symbols (libhull1_1.0_arm64)\n\
             +++ dpkg-gensymbolsAbC\t2024-01-01\n\
             @@ -1,3 +1,3 @@\n libhull.so.1 libhull1 #MINVER#\n\
             +#MISSING: 1.0# hull_fast@Base 1.0\n+ hull_scalar@Base 1.0\n\
             dh_makeshlibs: error: failing due to earlier errors\n",
        );
    plant.gives(
        "symbol-tags",
        &[(
            "libhull1.symbols",
            "\n (arch=!arm64)hull_fast@Base 1.0\n (arch=arm64)hull_scalar@Base 1.0\n (c++)\"hull",
        )],
    );
    let repair = plant.gives(
        "symbol-check",
        &[("debian/rules", "override_dh_makeshlibs:\n\tdh_makeshlibs -- -c0\n")],
    );
    assert_eq!(repair.marks, [Mark::LowersChecks]);
}
