//! Faults of sources, lists and tests.

use seatrial_core::Arch;
use seatrial_porting::Mark;

use crate::plant::{DEBIAN, Plant, RPM, has};

#[test]
fn lists_of_architectures_in_sources_have_the_target_too() {
    let source = "#if defined(__x86_64__) || defined(__ia64__)\n#define WORD 64\n#elif defined(__i386__)\n#define WORD 32\n#else\n#error \"unsupported architecture\"\n#endif\n";
    let log = "hull.c:6:2: error: #error \"unsupported architecture\"\n    6 | #error \"unsupported architecture\"\n";
    let files = [("hull.c", source)];
    has(
        &Plant {
            files: &files,
            log,
            ..DEBIAN
        }
        .repaired("widen-source-list"),
        "hull.c",
        "#if defined(__x86_64__) || defined(__ia64__) || defined(__aarch64__)\n#define WORD 64\n",
    );
    let narrow = Plant {
        files: &files,
        log,
        target: Arch::Armv7l,
        ..RPM
    };
    has(
        &narrow.repaired("widen-source-list"),
        "hull.c",
        "#elif defined(__i386__) || defined(__arm__)\n#define WORD 32\n",
    );
    let source = "#ifdef __BIG_ENDIAN__\n#define BIG 1\n#elif defined(__x86_64__) || defined(__LITTLE_ENDIAN__)\n#define BIG 0\n#else\n#error unknown endianness\n#endif\n";
    let log = "hull.c:6:2: error: #error unknown endianness\n";
    let files = [("hull.c", source)];
    has(
        &Plant {
            files: &files,
            log,
            ..DEBIAN
        }
        .repaired("widen-source-list"),
        "hull.c",
        "|| (defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)\n#define BIG 0\n",
    );
    let source = "#if !defined(__x86_64__) && !defined(__i386__)\n#error \"this platform is not supported\"\n#endif\n";
    let log = "hull.c:2:2: error: #error \"this platform is not supported\"\n";
    let files = [("hull.c", source)];
    has(
        &Plant {
            files: &files,
            log,
            ..DEBIAN
        }
        .repaired("widen-source-list"),
        "hull.c",
        "#if (!defined(__x86_64__) && !defined(__i386__)) && !defined(__aarch64__)\n",
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
        let files = [(path, text)];
        has(
            &Plant {
                files: &files,
                log,
                ..DEBIAN
            }
            .repaired("widen-build-list"),
            path,
            wanted,
        );
    }
}

#[test]
fn the_size_of_a_page_is_asked_for() {
    let log = "hull.c:3:24: error: 'PAGE_SIZE' undeclared (first use in this function)\n";
    let files = [(
        "hull.c",
        "#include <sys/mman.h>\nvoid *f(void) {\n  return mmap(0, PAGE_SIZE, 3, 34, -1, 0);\n}\n",
    )];
    has(
        &Plant {
            files: &files,
            log,
            ..DEBIAN
        }
        .repaired("page-size"),
        "hull.c",
        "#include <unistd.h>\n#ifndef PAGE_SIZE\n#define PAGE_SIZE ((unsigned long) sysconf(_SC_PAGESIZE))\n#endif\n",
    );
    let files = [("hull.c", "#include <sys/mman.h>\nchar buffer[PAGE_SIZE];\n")];
    has(
        &Plant {
            files: &files,
            log,
            ..RPM
        }
        .repaired("page-size"),
        "hull.c",
        "#define PAGE_SIZE 65536\n",
    );
}

#[test]
fn calls_and_registers_have_the_names_of_the_architecture() {
    let log = "hull.c:4:18: error: 'SYS_open' undeclared (first use in this function); did you mean 'SYS_openat'?\n";
    let files = [(
        "hull.c",
        "#include <sys/syscall.h>\n#include <unistd.h>\nint f(const char *p) {\n  return syscall(SYS_open, p, 0);\n}\n",
    )];
    let texts = Plant {
        files: &files,
        log,
        ..DEBIAN
    }
    .repaired("system-call");
    has(&texts, "hull.c", "#include <fcntl.h>\n");
    has(&texts, "hull.c", "syscall(SYS_openat, AT_FDCWD, p, 0);\n");
    let log = "hull.c:3:40: error: 'mcontext_t' has no member named 'gregs'\nhull.c:3:46: error: 'REG_RIP' undeclared (first use in this function)\n";
    let files = [(
        "hull.c",
        "#include <ucontext.h>\nlong f(ucontext_t *c) {\n  return (long) c->uc_mcontext.gregs[REG_RIP];\n}\n",
    )];
    let texts = Plant {
        files: &files,
        log,
        ..DEBIAN
    }
    .repaired("signal-registers");
    has(
        &texts,
        "hull.c",
        "#include <ucontext.h>\n#if defined(__aarch64__)\n#define PORT_PC pc\n#else\n#define PORT_PC gregs[REG_RIP]\n#endif\n",
    );
    has(&texts, "hull.c", "c->uc_mcontext.PORT_PC;\n");
}

#[test]
fn lists_of_symbols_have_tags() {
    let list = "libhull.so.1 libhull1 #MINVER#\n hull_fast@Base 1.0\n (c++)\"hull::swap(unsigned long)@Base\" 1.0\n hull_slow@Base 1.0\n";
    let log = "dpkg-gensymbols: error: some symbols or patterns disappeared in the symbols file: see diff output below\n\
               dpkg-gensymbols: warning: debian/libhull1/DEBIAN/symbols doesn't match completely debian/libhull1.symbols\n\
               --- debian/libhull1.symbols (libhull1_1.0_arm64)\n+++ dpkg-gensymbolsAbC\t2024-01-01\n@@ -1,3 +1,3 @@\n libhull.so.1 libhull1 #MINVER#\n\
               +#MISSING: 1.0# hull_fast@Base 1.0\n+ hull_scalar@Base 1.0\ndh_makeshlibs: error: failing due to earlier errors\n";
    let files = [("debian/libhull1.symbols", list)];
    let plant = Plant {
        files: &files,
        log,
        ..DEBIAN
    };
    let texts = plant.repaired("symbol-tags");
    has(
        &texts,
        "libhull1.symbols",
        "\n (arch=!arm64)hull_fast@Base 1.0\n (arch=arm64)hull_scalar@Base 1.0\n (c++)\"hull",
    );
    let (repair, texts) = plant.repaired_with("symbol-check", None);
    assert_eq!(repair.marks, [Mark::LowersChecks]);
    has(
        &texts,
        "debian/rules",
        "override_dh_makeshlibs:\n\tdh_makeshlibs -- -c0\n",
    );
}

#[test]
fn paths_have_the_architectures_own_folder() {
    let log = "dh_install: warning: Cannot find (any matches for) \"usr/lib/x86_64-linux-gnu/libhull.so.*\" (tried in ., debian/tmp)\n\
               dh_install: warning: hull missing files: usr/lib/x86_64-linux-gnu/libhull.so.*\ndh_install: error: missing files, aborting\n";
    let files = [(
        "debian/hull.install",
        "usr/lib/x86_64-linux-gnu/libhull.so.*\nusr/bin\n",
    )];
    let rules = "\n%:\n\tdh $@\n\noverride_dh_auto_install:\n\tinstall -D libhull.so.1 debian/tmp/usr/lib/x86_64-linux-gnu/libhull.so.1\n";
    let texts = Plant {
        files: &files,
        build: rules,
        log,
        ..DEBIAN
    }
    .repaired("library-path");
    has(&texts, "hull.install", "usr/lib/*/libhull.so.*\nusr/bin\n");
    has(
        &texts,
        "debian/rules",
        "debian/tmp/usr/lib/$(DEB_HOST_MULTIARCH)/libhull.so.1\n",
    );
    let log = "error: File not found: /home/abuild/rpmbuild/BUILDROOT/hull-1.0-0.i386/usr/lib64/hull\n";
    let plant = Plant {
        head: "%files extra\n/usr/lib64/hull\n",
        log,
        target: Arch::I686,
        ..RPM
    };
    has(&plant.repaired("library-path"), "hull.spec", "%{_libdir}/hull\n");
    let log = "make: *** No rule to make target '/usr/lib/x86_64-linux-gnu/libz.a', needed by 'hull'.  Stop.\n";
    let files = [("Makefile", "hull: hull.o /usr/lib/x86_64-linux-gnu/libz.a\n")];
    let texts = Plant {
        files: &files,
        log,
        ..DEBIAN
    }
    .repaired("library-path");
    has(&texts, "Makefile", "/usr/lib/$(shell $(CC) -print-multiarch)/libz.a");
}

#[test]
fn tests_are_left_out_last_and_with_a_mark() {
    let log =
        "FAIL: t-digits\n# FAIL:  1\nTestsuite summary for hull 1.0\nmake[2]: *** [Makefile:9: check-TESTS] Error 1\n";
    let files = [("Makefile.am", "TESTS = t-digits\n")];
    let (repair, texts) = Plant {
        files: &files,
        log,
        ..DEBIAN
    }
    .repaired_with("skip-one-test", None);
    assert_eq!(repair.marks, [Mark::RemovesTest]);
    has(
        &texts,
        "debian/rules",
        "ifeq ($(DEB_HOST_ARCH),arm64)\noverride_dh_auto_test:\n\tdh_auto_test -- XFAIL_TESTS=t-digits\nendif\n",
    );
    let (repair, texts) = Plant { log, ..RPM }.repaired_with("skip-tests", None);
    assert_eq!(repair.marks, [Mark::RemovesTest]);
    has(&texts, "hull.spec", "%ifnarch aarch64\nmake check\n\n%endif\n");
}
