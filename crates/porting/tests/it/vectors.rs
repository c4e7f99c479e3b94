//! Vector instructions of another processor.

use seatrial_core::Arch;

use crate::{
    flags::FLAG_LOG,
    plant::{DEBIAN, RPM},
};

const HEADER_LOG: &str = "cc -O2 -c -o hull.o hull.c\nhull.c:2:10: fatal error: emmintrin.h: No such file or directory\n    2 | #include <emmintrin.h>\n      |          ^~~~~~~~~~~~~\n\
                          compilation terminated.\nmake: *** [Makefile:5: hull.o] Error 1\n";
const VECTORS: &str = "#include <stdio.h>\n#include <emmintrin.h>\nint main(void) { __m128i x = _mm_setzero_si128(); return _mm_cvtsi128_si32(x); }\n";

#[test]
fn simde_stands_in_for_vector_instructions() {
    let files = [("hull.c", VECTORS), ("Makefile", "hull: hull.o\n")];
    DEBIAN.files(&files).log(HEADER_LOG).gives(
        "simde",
        &[
            (
                "hull.c",
                "#if defined(__x86_64__) || defined(__i386__)\n#include <emmintrin.h>\n\
                 #else\n#ifndef SIMDE_ENABLE_NATIVE_ALIASES\n\
                 #define SIMDE_ENABLE_NATIVE_ALIASES\n#endif\n#include <simde/x86/sse2.h>\n\
                 #endif\n",
            ),
            ("debian/control", "debhelper-compat (= 13), libsimde-dev"),
        ],
    );
    RPM.files(&files).log(HEADER_LOG).gives(
        "simde",
        &[
            ("hull.spec", "BuildRequires:  simde-devel\n"),
            ("hull.c", "simde/x86/sse2.h"),
        ],
    );
    // The other way round.
    DEBIAN
        .files(&[(
            "hull.c",
            "#include <arm_neon.h>\nint32x4_t f(int32x4_t x) { return vaddq_s32(x, x); }\n",
        )])
        .log(&HEADER_LOG.replace("emmintrin", "arm_neon"))
        .target(Arch::X86_64)
        .works_on(Arch::Aarch64)
        .gives(
            "simde",
            &[(
                "hull.c",
                "#if defined(__ARM_NEON) || defined(__aarch64__)\n#include <arm_neon.h>\n#else\n",
            )],
        );
    // With a flag before it, both are mended at once.
    let (_, texts) = DEBIAN
        .files(&[
            ("hull.c", VECTORS),
            ("Makefile", "CFLAGS = -O2 -msse2 -mfpmath=sse\nhull: hull.o\n"),
        ])
        .log(FLAG_LOG)
        .repaired("conditional-flag-and-simde", None);
    assert_eq!(texts.len(), 3, "{:?}", texts.keys());
}

#[test]
fn the_scalar_path_of_a_source_is_taken() {
    let source = "#include <stdio.h>\n#include <emmintrin.h>\n#define USE_SSE2 1\nint f(void) {\n#ifdef USE_SSE2\n  return _mm_cvtsi128_si32(_mm_setzero_si128());\n#else\n  return 0;\n#endif\n}\n";
    DEBIAN.files(&[("hull.c", source)]).log(HEADER_LOG).gives(
        "scalar-path",
        &[
            ("hull.c", "#if defined(USE_SSE2)\n#include <emmintrin.h>\n#endif\n"),
            (
                "hull.c",
                "#if defined(__x86_64__) || defined(__i386__)\n#define USE_SSE2 1\n#endif\n",
            ),
        ],
    );
    // The name comes from the command line.
    let source = source.replace("#define USE_SSE2 1\n", "");
    RPM.files(&[("hull.c", source.as_str()), ("Makefile", "CFLAGS += -DUSE_SSE2\n")])
        .log(HEADER_LOG)
        .gives(
            "scalar-path",
            &[("Makefile", "CFLAGS += $(if $(filter x86_64-% i386-%")],
        );
    // The uses have the right condition, and only the inclusion has none.
    DEBIAN
        .files(&[(
            "hull.c",
            source.replace("#ifdef USE_SSE2", "#if defined(__SSE2__)").as_str(),
        )])
        .log(HEADER_LOG)
        .gives(
            "scalar-path",
            &[("hull.c", "#if defined(__SSE2__)\n#include <emmintrin.h>\n#endif\nint f")],
        );
}

#[test]
fn instructions_beyond_the_baseline_are_seen_on_the_sister_machine() {
    let plant = DEBIAN
        .files(&[("hull.c", VECTORS), ("Makefile", "CFLAGS = -O2\nhull: hull.o\n")])
        .log(
            "In file included from hull.c:2:\n\
             /usr/lib/gcc/i686-linux-gnu/12/include/emmintrin.h:785:1: error: inlining \
             failed in call to 'always_inline' '_mm_setzero_si128': target specific \
             option mismatch\n",
        )
        .target(Arch::I686);
    plant.gives("simde", &[("hull.c", "#if defined(__x86_64__) || defined(__SSE2__)\n")]);
    plant.gives("enable-instructions", &[("Makefile", "CFLAGS = -O2 -msse")]);
}
