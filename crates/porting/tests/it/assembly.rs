//! Assembly of another processor.

use seatrial_core::Arch;
use seatrial_porting::Mark;

use crate::plant::{DEBIAN, RPM};

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
        DEBIAN
            .files(&[("hull.c", source)])
            .log(log)
            .gives("portable-assembly", &[("hull.c", wanted)]);
    }
    // What reads ports gives something up.
    let repair = RPM
        .files(&[(
            "hull.c",
            "void f(void) {\n  asm volatile (\"outb %0, %1\" : : \"a\" ((char) 1), \"d\" ((short) 128));\n}\n",
        )])
        .log(log)
        .gives("portable-assembly", &[]);
    assert_eq!(repair.marks, [Mark::RemovesFeatures]);
    // The assembler names no source, and another processor's clock is read the other way round.
    DEBIAN
        .files(&[(
            "hull.c",
            "long f(void) {\n  long t;\n  asm volatile(\"mrs %0, cntvct_el0\" : \
             \"=r\"(t));\n  return t;\n}\n",
        )])
        .log(
            "/tmp/ccX.s: Assembler messages:\n\
             /tmp/ccX.s:12: Error: no such instruction: `mrs %rax,cntvct_el0'\n",
        )
        .target(Arch::X86_64)
        .works_on(Arch::Aarch64)
        .gives(
            "portable-assembly",
            &[(
                "hull.c",
                "#if defined(__aarch64__) || defined(__arm__)\n  asm volatile(\"mrs %0, \
                 cntvct_el0\" : \"=r\"(t));\n#else\n  (t) = __builtin_ia32_rdtsc();\n",
            )],
        );
}

#[test]
fn assembly_that_nothing_stands_in_for_has_no_clean_repair() {
    let plant = DEBIAN
        .files(&[(
            "hull.c",
            "void f(void) {\n  asm volatile (\"movq %%cr3, %%rax; movq %%rax, %0\" : \
             \"=m\" (x) : : \"rax\");\n  asm(\"pause\");\n}\n",
        )])
        .log("hull.c:2:3: error: unknown register name 'rax' in 'asm'\n");
    let (_folder, package) = plant.open();
    let found = plant.candidates(&package, None);
    assert!(found.iter().all(|repair| !repair.is_clean()), "{found:#?}");
    let repair = plant.gives(
        "exclude-architecture",
        &[("debian/control", "Architecture: amd64 i386\n")],
    );
    assert_eq!(repair.marks, [Mark::RemovesArchitectures]);
}
