//! One fault a test, most for Debian and some for RPM.

use seatrial_core::Arch;
use seatrial_packages::{Candidate, Key, Resolver};
use seatrial_porting::{Mark, State};

use crate::plant::{DEBIAN, MAKE, Plant, RPM, SEQUENCE, has};

const FLAG_LOG: &str = "cc -O2 -msse2 -mfpmath=sse -c -o hull.o hull.c\ncc: error: unrecognized command-line option '-msse2'\n\
                        cc: error: unrecognized command-line option '-mfpmath=sse'\nmake: *** [Makefile:5: hull.o] Error 1\n";

#[test]
fn flags_of_another_processor_are_given_there_only() {
    for (path, before, after) in [
        (
            "Makefile",
            "CFLAGS = -O2 -msse2 -mfpmath=sse # fast\n",
            "CFLAGS = -O2 $(if $(filter x86_64-% i386-% i486-% i586-% i686-%,$(shell $(CC) -dumpmachine)),-msse2 -mfpmath=sse) # fast\n",
        ),
        (
            "CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.5)\nproject(hull C)\nset(CMAKE_C_FLAGS \"${CMAKE_C_FLAGS} -msse2 -mfpmath=sse\")\n",
            "project(hull C)\nif(CMAKE_SYSTEM_PROCESSOR MATCHES \"^(x86_64|amd64|AMD64|i[3-6]86)$\")\n  set(PORT_msse2__mfpmath_sse \
             \"-msse2 -mfpmath=sse\")\nendif()\nset(CMAKE_C_FLAGS \"${CMAKE_C_FLAGS} ${PORT_msse2__mfpmath_sse}\")\n",
        ),
        (
            "configure.ac",
            "AC_INIT([hull], [1])\nCFLAGS=\"$CFLAGS -msse2 -O2\"\n",
            "CFLAGS=\"$CFLAGS -O2\"\ncase `${CC-cc} -dumpmachine` in (x86_64-*|i?86-*) CFLAGS=\"$CFLAGS -msse2\" ;; esac\n",
        ),
        (
            "meson.build",
            "project('hull', 'c')\nadd_project_arguments('-msse2', '-O2', language : 'c')\n",
            "add_project_arguments(host_machine.cpu_family() in ['x86_64', 'x86'] ? ['-msse2'] : [], '-O2', language : 'c')\n",
        ),
        (
            "setup.py",
            "setup(ext_modules=[Extension('hull', ['hull.c'], extra_compile_args=['-msse2'])])\n",
            "extra_compile_args=[*([\"-msse2\"] if __import__(\"platform\").machine() in (\"x86_64\", \"AMD64\", \"i386\", \"i586\", \"i686\",) else [])]",
        ),
    ] {
        let files = [(path, before), ("hull.c", "int main(void) { return 0; }\n")];
        let plant = Plant {
            files: &files,
            log: FLAG_LOG,
            ..DEBIAN
        };
        has(&plant.repaired("conditional-flag"), path, after);
    }
    let rules = format!("export DEB_CFLAGS_MAINT_APPEND = -msse2\n{SEQUENCE}");
    let texts = Plant {
        build: &rules,
        log: FLAG_LOG,
        ..DEBIAN
    }
    .repaired("conditional-flag");
    has(
        &texts,
        "debian/rules",
        "DEB_CFLAGS_MAINT_APPEND = $(if $(filter amd64 i386,$(DEB_HOST_ARCH)),-msse2)\n",
    );
    has(
        &texts,
        "debian/rules",
        "DEB_HOST_ARCH ?= $(shell dpkg-architecture -qDEB_HOST_ARCH)\n",
    );
    let texts = Plant {
        build: "make CFLAGS=\"%{optflags} -msse2\"",
        log: FLAG_LOG,
        ..RPM
    }
    .repaired("conditional-flag");
    has(
        &texts,
        "hull.spec",
        "%ifarch x86_64 %{ix86}\n%global port_msse2 -msse2\n%endif\nName:",
    );
    has(&texts, "hull.spec", "make CFLAGS=\"%{optflags} %{?port_msse2}\"");
    // A compiler that knows the sister machine and has no library for it.
    let log = "In file included from hull.c:1:\n/usr/include/stdint.h:26:10: fatal error: bits/libc-header-start.h: No such file or directory\n";
    let files = [("Makefile", "CFLAGS = -O2 -m64\n")];
    let plant = Plant {
        files: &files,
        log,
        target: Arch::I686,
        ..DEBIAN
    };
    has(
        &plant.repaired("conditional-flag"),
        "Makefile",
        "CFLAGS = -O2 $(if $(filter x86_64-%,$(shell $(CC) -dumpmachine)),-m64)\n",
    );
    let log = "/usr/bin/ld: cannot find Scrt1.o: No such file or directory\n/usr/bin/ld: skipping incompatible \
               /usr/lib/gcc/i686-linux-gnu/12/libgcc.a when searching for -lgcc\ncollect2: error: ld returned 1 exit status\n";
    has(
        &Plant { log, ..plant }.repaired("conditional-flag"),
        "Makefile",
        "$(shell $(CC) -dumpmachine)),-m64)\n",
    );
    // The wider word length of the family is none of the narrower one's.
    let log = "cc: error: CPU you selected does not support x86-64 instruction set\ncc: error: unrecognized command-line option '-m64'\n";
    let files = [("Makefile", "CFLAGS=-m64\n")];
    let texts = Plant {
        files: &files,
        log,
        ..DEBIAN
    }
    .repaired("conditional-flag");
    has(
        &texts,
        "Makefile",
        "CFLAGS=$(if $(filter x86_64-%,$(shell $(CC) -dumpmachine)),-m64)\n",
    );
}

const HEADER_LOG: &str = "cc -O2 -c -o hull.o hull.c\nhull.c:2:10: fatal error: emmintrin.h: No such file or directory\n    2 | #include <emmintrin.h>\n      |          ^~~~~~~~~~~~~\n\
                          compilation terminated.\nmake: *** [Makefile:5: hull.o] Error 1\n";
const VECTORS: &str = "#include <stdio.h>\n#include <emmintrin.h>\nint main(void) { __m128i x = _mm_setzero_si128(); return _mm_cvtsi128_si32(x); }\n";

#[test]
fn simde_stands_in_for_vector_instructions() {
    let files = [("hull.c", VECTORS), ("Makefile", "hull: hull.o\n")];
    let texts = Plant {
        files: &files,
        log: HEADER_LOG,
        ..DEBIAN
    }
    .repaired("simde");
    has(
        &texts,
        "hull.c",
        "#if defined(__x86_64__) || defined(__i386__)\n#include <emmintrin.h>\n#else\n#ifndef SIMDE_ENABLE_NATIVE_ALIASES\n\
         #define SIMDE_ENABLE_NATIVE_ALIASES\n#endif\n#include <simde/x86/sse2.h>\n#endif\n",
    );
    has(&texts, "debian/control", "debhelper-compat (= 13), libsimde-dev");
    let texts = Plant {
        files: &files,
        log: HEADER_LOG,
        ..RPM
    }
    .repaired("simde");
    has(&texts, "hull.spec", "BuildRequires:  simde-devel\n");
    has(&texts, "hull.c", "simde/x86/sse2.h");
    // The other way round.
    let log = HEADER_LOG.replace("emmintrin", "arm_neon");
    let neon = "#include <arm_neon.h>\nint32x4_t f(int32x4_t x) { return vaddq_s32(x, x); }\n";
    let files = [("hull.c", neon)];
    let texts = Plant {
        files: &files,
        log: &log,
        target: Arch::X86_64,
        works_on: Arch::Aarch64,
        ..DEBIAN
    }
    .repaired("simde");
    has(
        &texts,
        "hull.c",
        "#if defined(__ARM_NEON) || defined(__aarch64__)\n#include <arm_neon.h>\n#else\n",
    );
    // With a flag before it, both are mended at once.
    let files = [
        ("hull.c", VECTORS),
        ("Makefile", "CFLAGS = -O2 -msse2 -mfpmath=sse\nhull: hull.o\n"),
    ];
    let texts = Plant {
        files: &files,
        log: FLAG_LOG,
        ..DEBIAN
    }
    .repaired("conditional-flag-and-simde");
    assert_eq!(texts.len(), 3, "{:?}", texts.keys());
}

#[test]
fn the_scalar_path_of_a_source_is_taken() {
    let source = "#include <stdio.h>\n#include <emmintrin.h>\n#define USE_SSE2 1\nint f(void) {\n#ifdef USE_SSE2\n  return _mm_cvtsi128_si32(_mm_setzero_si128());\n#else\n  return 0;\n#endif\n}\n";
    let files = [("hull.c", source)];
    let texts = Plant {
        files: &files,
        log: HEADER_LOG,
        ..DEBIAN
    }
    .repaired("scalar-path");
    has(
        &texts,
        "hull.c",
        "#if defined(USE_SSE2)\n#include <emmintrin.h>\n#endif\n",
    );
    has(
        &texts,
        "hull.c",
        "#if defined(__x86_64__) || defined(__i386__)\n#define USE_SSE2 1\n#endif\n",
    );
    // The name comes from the command line.
    let source = source.replace("#define USE_SSE2 1\n", "");
    let files = [("hull.c", source.as_str()), ("Makefile", "CFLAGS += -DUSE_SSE2\n")];
    let texts = Plant {
        files: &files,
        log: HEADER_LOG,
        ..RPM
    }
    .repaired("scalar-path");
    has(&texts, "Makefile", "CFLAGS += $(if $(filter x86_64-% i386-%");
    // The uses have the right condition, and only the inclusion has none.
    let source = source.replace("#ifdef USE_SSE2", "#if defined(__SSE2__)");
    let files = [("hull.c", source.as_str())];
    let texts = Plant {
        files: &files,
        log: HEADER_LOG,
        ..DEBIAN
    }
    .repaired("scalar-path");
    has(
        &texts,
        "hull.c",
        "#if defined(__SSE2__)\n#include <emmintrin.h>\n#endif\nint f",
    );
}

#[test]
fn instructions_beyond_the_baseline_are_seen_on_the_sister_machine() {
    let log = "In file included from hull.c:2:\n/usr/lib/gcc/i686-linux-gnu/12/include/emmintrin.h:785:1: error: inlining failed in call to 'always_inline' '_mm_setzero_si128': target specific option mismatch\n";
    let files = [("hull.c", VECTORS), ("Makefile", "CFLAGS = -O2\nhull: hull.o\n")];
    let plant = Plant {
        files: &files,
        log,
        target: Arch::I686,
        ..DEBIAN
    };
    has(
        &plant.repaired("simde"),
        "hull.c",
        "#if defined(__x86_64__) || defined(__SSE2__)\n",
    );
    has(&plant.repaired("enable-instructions"), "Makefile", "CFLAGS = -O2 -msse");
}

#[test]
fn assembly_gets_a_portable_path() {
    let log = "hull.c:4:3: error: impossible constraint in 'asm'\n    4 |   __asm__ (\"x\");\n      |   ^~~~~~~\nmake: *** [Makefile:5: hull.o] Error 1\n";
    for (source, wanted) in [
        (
            "void f(void) {\n  __asm__ volatile (\"pause\" ::: \"memory\");\n}\n",
            "#if defined(__x86_64__) || defined(__i386__)\n  __asm__ volatile (\"pause\" ::: \"memory\");\n#else\n  __asm__ __volatile__(\"\" ::: \"memory\");\n#endif\n}",
        ),
        (
            "#include <stdint.h>\nstatic inline uint64_t ticks(void) { uint32_t lo, hi; __asm__ volatile(\"rdtsc\" : \"=a\"(lo), \"=d\"(hi)); return ((uint64_t) hi << 32) | lo; }\n",
            "cntvct_el0\" : \"=r\"(ticks_)); (lo) = (unsigned int) ticks_; (hi) = (unsigned int) (ticks_ >> 32); });\n#endif\n",
        ),
        (
            "unsigned swap(unsigned x) {\n  asm(\"bswap %0\" : \"=r\" (x) : \"0\" (x));\n  return x;\n}\n",
            "  (x) = sizeof(x) == 8 ? (__typeof__(x)) __builtin_bswap64((unsigned long long) (x)) : (__typeof__(x)) __builtin_bswap32((unsigned int) (x));\n#endif\n  return x;",
        ),
        (
            "void id(unsigned *a) {\n  asm volatile (\"cpuid\" : \"=a\" (a[0]), \"=b\" (a[1]), \"=c\"(a[2]), \"=d\" (a[3]) /* output */ : \"a\" (0));\n}\n",
            "  ((a[0]) = 0, (a[1]) = 0, (a[2]) = 0, (a[3]) = 0, (void) 0);\n",
        ),
        (
            "#define barrier() \\\n  __asm__ __volatile__(\"mfence\" : : : \"memory\")\nvoid f(void) { barrier(); }\n",
            "#else\n#define barrier() \\\n  __sync_synchronize()\n#endif\n",
        ),
        (
            "int add(int *p, int v) {\n  asm volatile (\"lock; xaddl %0, %1\" : \"+r\" (v), \"+m\" (*p) : : \"memory\");\n  return v;\n}\n",
            "  (v) = __atomic_fetch_add(&(*p), (v), __ATOMIC_SEQ_CST);\n",
        ),
        (
            "int swap(int *p, int old, int new) {\n  int prev;\n  asm volatile(\"lock; cmpxchgl %1,%2\" : \"=a\"(prev) : \"r\"(new), \"m\"(*p), \"0\"(old) : \"memory\");\n  return prev;\n}\n",
            "({ __typeof__(old) old_ = (old); int done_ = __atomic_compare_exchange_n(&(*p), &old_, (new), 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); (void) done_; (prev) = old_; });",
        ),
        (
            "unsigned char in(unsigned short p) {\n  unsigned char v;\n  asm volatile (\"inb %1, %0\" : \"=a\" (v) : \"Nd\" (p));\n  return v;\n}\n",
            "  ((v) = (__typeof__(v)) -1, (void) (p), (void) 0);\n",
        ),
    ] {
        let files = [("hull.c", source)];
        let plant = Plant {
            files: &files,
            log,
            ..DEBIAN
        };
        has(&plant.repaired("portable-assembly"), "hull.c", wanted);
    }
    // What reads ports gives something up.
    let files = [(
        "hull.c",
        "void f(void) {\n  asm volatile (\"outb %0, %1\" : : \"a\" ((char) 1), \"d\" ((short) 128));\n}\n",
    )];
    let (repair, _) = Plant {
        files: &files,
        log,
        ..RPM
    }
    .repaired_with("portable-assembly", None);
    assert_eq!(repair.marks, [Mark::RemovesFeature]);
    // The assembler names no source, and another processor's clock is read the other way round.
    let log = "/tmp/ccX.s: Assembler messages:\n/tmp/ccX.s:12: Error: no such instruction: `mrs %rax,cntvct_el0'\n";
    let files = [(
        "hull.c",
        "long f(void) {\n  long t;\n  asm volatile(\"mrs %0, cntvct_el0\" : \"=r\"(t));\n  return t;\n}\n",
    )];
    let plant = Plant {
        files: &files,
        log,
        target: Arch::X86_64,
        works_on: Arch::Aarch64,
        ..DEBIAN
    };
    has(
        &plant.repaired("portable-assembly"),
        "hull.c",
        "#if defined(__aarch64__) || defined(__arm__)\n  asm volatile(\"mrs %0, cntvct_el0\" : \"=r\"(t));\n#else\n  (t) = __builtin_ia32_rdtsc();\n",
    );
}

#[test]
fn assembly_that_nothing_stands_in_for_has_no_clean_repair() {
    let log = "hull.c:2:3: error: unknown register name 'rax' in 'asm'\n";
    let files = [(
        "hull.c",
        "void f(void) {\n  asm volatile (\"movq %%cr3, %%rax; movq %%rax, %0\" : \"=m\" (x) : : \"rax\");\n  asm(\"pause\");\n}\n",
    )];
    let plant = Plant {
        files: &files,
        log,
        ..DEBIAN
    };
    let (_folder, package) = plant.open();
    let found = plant.candidates(&package, None);
    assert!(found.iter().all(|repair| !repair.is_clean()), "{found:#?}");
    let (repair, texts) = plant.repaired_with("exclude-architecture", None);
    assert_eq!(repair.marks, [Mark::RemovesArchitecture]);
    has(&texts, "debian/control", "Architecture: amd64 i386\n");
}

#[test]
fn headers_of_one_family_have_something_to_stand_in() {
    let log = "hull.c:1:10: fatal error: sys/io.h: No such file or directory\n    1 | #include <sys/io.h>\n";
    let files = [(
        "hull.c",
        "#include <sys/io.h>\nint main(void) { if (ioperm(0x70, 2, 1)) return 1; outb(3, 0x70); return inb(0x71); }\n",
    )];
    let (repair, texts) = Plant {
        files: &files,
        log,
        ..DEBIAN
    }
    .repaired_with("foreign-header", None);
    assert_eq!(repair.marks, [Mark::RemovesFeature]);
    has(
        &texts,
        "hull.c",
        "#include <sys/io.h>\n#else\n#include <errno.h>\nstatic inline int ioperm(",
    );
    has(&texts, "hull.c", "static inline void outb(");
    assert!(
        repair
            .why
            .contains("line 1 of the log says: hull.c:1:10: fatal error: sys/io.h"),
        "{}",
        repair.why
    );
    // What another system's branch defines is not there on the target.
    let source = "#include <sys/io.h>\n#ifdef _WIN32\nint ioperm(unsigned long from, unsigned long count, int on)\n{ return 0; }\n#endif\n\
                  int main(void) { return ioperm(1, 2, 3); }\n";
    let files = [("hull.c", source)];
    let plant = Plant {
        files: &files,
        log,
        ..DEBIAN
    };
    has(&plant.repaired("foreign-header"), "hull.c", "static inline int ioperm(");
    let log = log.replace("sys/io.h", "cpuid.h");
    let files = [(
        "hull.c",
        "#include <cpuid.h>\nint main(void) { unsigned a, b, c, d; return __get_cpuid(1, &a, &b, &c, &d); }\n",
    )];
    let (repair, texts) = Plant {
        files: &files,
        log: &log,
        ..RPM
    }
    .repaired_with("foreign-header", None);
    assert!(repair.is_clean());
    has(
        &texts,
        "hull.c",
        "#define __get_cpuid(leaf, a, b, c, d) (*(a) = *(b) = *(c) = *(d) = 0, 0)\n",
    );
}

#[test]
fn lists_of_architectures_let_the_target_in() {
    let excluded = Plant {
        state: State::Excluded,
        ..DEBIAN
    };
    let texts = Plant {
        head: "amd64 i386",
        ..excluded
    }
    .repaired("allow-architecture");
    has(&texts, "debian/control", "Architecture: amd64 i386 arm64\n");
    let excluded = Plant {
        state: State::Excluded,
        ..RPM
    };
    let texts = Plant {
        head: "ExclusiveArch:  x86_64",
        ..excluded
    }
    .repaired("allow-architecture");
    has(&texts, "hull.spec", "ExclusiveArch:  x86_64 aarch64\n");
    let excluded = Plant {
        state: State::Excluded,
        ..RPM
    };
    let texts = Plant {
        head: "ExcludeArch:  aarch64 s390x",
        ..excluded
    }
    .repaired("allow-architecture");
    has(&texts, "hull.spec", "ExcludeArch:  s390x\n");
}

/// Knows one header.
struct Knows(&'static str, &'static str);

impl Resolver for Knows {
    fn resolve(&self, key: &Key) -> Vec<Candidate> {
        let found = (key.name() == self.0).then(|| Candidate {
            package: self.1.to_owned(),
            because: "a test".to_owned(),
            score: 1.0,
        });
        found.into_iter().collect()
    }
}

#[test]
fn build_dependencies_are_restricted_widened_renamed_and_added() {
    let unresolvable = Plant {
        state: State::Unresolvable,
        ..DEBIAN
    };
    let texts = Plant {
        builds_with: "debhelper-compat (= 13), gcc-multilib",
        missing: &["gcc-multilib"],
        ..unresolvable
    }
    .repaired("restrict-dependency");
    has(&texts, "debian/control", "gcc-multilib [amd64 x32]\n");
    let unresolvable = Plant {
        state: State::Unresolvable,
        ..DEBIAN
    };
    let plant = Plant {
        builds_with: "debhelper-compat (= 13), libfoo4-dev (>= 1)",
        missing: &["libfoo4-dev (>= 1)"],
        ..unresolvable
    };
    let (repair, texts) = plant.repaired_with("restrict-dependency", None);
    has(&texts, "debian/control", "libfoo4-dev (>= 1) [!arm64]\n");
    assert_eq!(repair.marks, [Mark::RemovesFeature]);
    let (_, texts) = plant.repaired_with("renamed-dependency", Some(&Knows("foo", "libfoo5-dev")));
    has(&texts, "debian/control", "libfoo5-dev (>= 1)\n");
    let log = "hull.c:1:10: fatal error: zlib.h: No such file or directory\n";
    let plant = Plant {
        builds_with: "debhelper-compat (= 13), zlib1g-dev [amd64 i386]",
        log,
        ..DEBIAN
    };
    has(
        &plant.repaired("widen-dependency"),
        "debian/control",
        "zlib1g-dev [amd64 i386 arm64]\n",
    );
    let (_, texts) = Plant { log, ..DEBIAN }.repaired_with("add-dependency", Some(&Knows("zlib.h", "zlib1g-dev")));
    has(&texts, "debian/control", "debhelper-compat (= 13), zlib1g-dev\n");
    let plant = Plant {
        builds_with: "BuildRequires:  gcc\n%ifarch x86_64\nBuildRequires:  zlib-devel\n%endif",
        log,
        ..RPM
    };
    has(
        &plant.repaired("widen-dependency"),
        "hull.spec",
        "%ifarch x86_64 aarch64\nBuildRequires:  zlib-devel\n",
    );
}

#[test]
fn old_files_of_autotools_are_refreshed() {
    let log = "checking build system type... ./config.guess: unable to guess system type\nconfigure: error: cannot guess build type; you must specify one\n";
    let files = [
        ("configure", "#!/bin/sh\n"),
        ("config.guess", "#!/bin/sh\n"),
        ("config.sub", "#!/bin/sh\n"),
    ];
    let rules = "\nclean:\nbuild:\n\t./configure --prefix=/usr\n\t$(MAKE)\nbinary: build\n";
    let texts = Plant {
        files: &files,
        build: rules,
        log,
        ..DEBIAN
    }
    .repaired("refresh-config-guess");
    has(
        &texts,
        "debian/rules",
        "build:\n\tcp -f /usr/share/misc/config.guess /usr/share/misc/config.sub .\n\t./configure --prefix=/usr\n",
    );
    has(&texts, "debian/control", "autotools-dev");
    let texts = Plant {
        files: &files,
        build: "./configure --prefix=%{_prefix}\nmake",
        log,
        ..RPM
    }
    .repaired("refresh-config-guess");
    has(
        &texts,
        "hull.spec",
        "config.$name | tail -n 1)\" ./config.$name; done\n./configure",
    );
    has(&texts, "hull.spec", "BuildRequires:  automake\n");
    let log = "libtool: link: unrecognised option\nconfigure: error: cannot guess build type; you must specify one\n";
    let files = [("configure.ac", "AC_INIT\n"), ("config.sub", "#!/bin/sh\n")];
    let texts = Plant {
        files: &files,
        build: "\n%:\n\tdh $@ --without autoreconf\n",
        log,
        ..DEBIAN
    }
    .repaired("regenerate");
    has(&texts, "debian/rules", "\tdh $@\n");
}

#[test]
fn what_the_tools_must_be_told_is_told_where_the_package_listens() {
    let log = "/usr/bin/ld: hull.o: in function `f':\nhull.c:3: undefined reference to `__atomic_fetch_add_8'\ncollect2: error: ld returned 1 exit status\n";
    let i686 = Plant {
        target: Arch::I686,
        log,
        ..DEBIAN
    };
    has(
        &i686.repaired("link-atomic"),
        "debian/rules",
        "export DEB_LDFLAGS_MAINT_APPEND = -Wl,--push-state,--no-as-needed -latomic -Wl,--pop-state\n",
    );
    let files = [("Makefile", "LDLIBS = -lm\nhull: hull.o\n\t$(CC) -o $@ $< $(LDLIBS)\n")];
    has(
        &Plant {
            files: &files,
            build: MAKE,
            ..i686
        }
        .repaired("link-atomic"),
        "Makefile",
        "LDLIBS = -lm -latomic\n",
    );
    let plant = Plant {
        build: "gcc %{optflags} -o hull hull.c",
        target: Arch::I686,
        log,
        ..RPM
    };
    has(
        &plant.repaired("link-atomic"),
        "hull.spec",
        "gcc %{optflags} -o hull hull.c -latomic\n",
    );

    let log = "hull.c:3:18: error: narrowing conversion of '-1' from 'int' to 'char' [-Wnarrowing]\n";
    let files = [("Makefile", "CXXFLAGS ?= -O2\nCFLAGS=-O2 \\\n  -Wall\n")];
    has(
        &Plant {
            files: &files,
            build: MAKE,
            log,
            ..DEBIAN
        }
        .repaired("signed-char"),
        "Makefile",
        "CFLAGS=-O2 \\\n  -Wall -fsigned-char\n",
    );
    has(
        &Plant {
            log,
            build: "make",
            ..RPM
        }
        .repaired("signed-char"),
        "hull.spec",
        "-fsigned-char",
    );
    let log = "FAIL: t-loop\nmake[2]: *** [Makefile:9: check-TESTS] Error 1\n";
    let files = [("hull.c", "int f(FILE *in) { char c = getc(in); return c == EOF; }\n")];
    let texts = Plant {
        files: &files,
        log,
        ..DEBIAN
    }
    .repaired("signed-char");
    has(
        &texts,
        "debian/rules",
        "export DEB_CFLAGS_MAINT_APPEND = -fsigned-char\nexport DEB_CXXFLAGS_MAINT_APPEND = -fsigned-char\n",
    );

    let log = "/usr/bin/ld: hull.o: relocation R_AARCH64_ADR_PREL_PG_HI21 against symbol `x' which may bind externally can not be used when making a shared object; recompile with -fPIC\n";
    let files = [(
        "Makefile",
        "libhull.so: hull.o\n\t$(CC) -shared -o $@ $<\nhull.o: hull.c\n\tgcc -O2 -c hull.c\n",
    )];
    has(
        &Plant {
            files: &files,
            build: MAKE,
            log,
            ..DEBIAN
        }
        .repaired("position-independent"),
        "Makefile",
        "\tgcc -fPIC -O2 -c hull.c\n",
    );
    let files = [("CMakeLists.txt", "project(hull C)\nadd_library(hull SHARED a.c)\n")];
    has(
        &Plant {
            files: &files,
            log,
            ..RPM
        }
        .repaired("position-independent"),
        "CMakeLists.txt",
        "project(hull C)\nset(CMAKE_POSITION_INDEPENDENT_CODE ON)\n",
    );
}
