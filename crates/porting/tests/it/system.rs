//! What the system of another architecture has under other names: headers, sizes, calls, registers.

use seatrial_porting::Mark;

use crate::plant::{DEBIAN, RPM};

#[test]
fn headers_of_one_family_have_something_to_stand_in() {
    let log = "hull.c:1:10: fatal error: sys/io.h: No such file or directory\n    1 | #include <sys/io.h>\n";
    let repair = DEBIAN
        .files(&[(
            "hull.c",
            "#include <sys/io.h>\n\
             int main(void) { if (ioperm(0x70, 2, 1)) return 1; outb(3, 0x70); return \
             inb(0x71); }\n",
        )])
        .log(log)
        .gives(
            "foreign-header",
            &[
                (
                    "hull.c",
                    "#include <sys/io.h>\n#else\n#include <errno.h>\nstatic inline int ioperm(",
                ),
                ("hull.c", "static inline void outb("),
            ],
        );
    assert_eq!(repair.marks, [Mark::RemovesFeatures]);
    assert!(
        repair
            .why
            .contains("line 1 of the log says: hull.c:1:10: fatal error: sys/io.h"),
        "{}",
        repair.why
    );
    // What another system's branch defines is not there on the target.
    DEBIAN
        .files(&[(
            "hull.c",
            "#include <sys/io.h>\n#ifdef _WIN32\n\
             int ioperm(unsigned long from, unsigned long count, int on)\n{ return 0; }\n\
             #endif\nint main(void) { return ioperm(1, 2, 3); }\n",
        )])
        .log(log)
        .gives("foreign-header", &[("hull.c", "static inline int ioperm(")]);
    let repair = RPM
        .files(&[(
            "hull.c",
            "#include <cpuid.h>\nint main(void) { unsigned a, b, c, d; return __get_cpuid(1, &a, &b, &c, &d); }\n",
        )])
        .log(&log.replace("sys/io.h", "cpuid.h"))
        .gives(
            "foreign-header",
            &[(
                "hull.c",
                "#define __get_cpuid(leaf, a, b, c, d) (*(a) = *(b) = *(c) = *(d) = 0, 0)\n",
            )],
        );
    assert!(repair.is_clean());
}

#[test]
fn the_size_of_a_page_is_asked_for() {
    let log = "hull.c:3:24: error: 'PAGE_SIZE' undeclared (first use in this function)\n";
    DEBIAN
        .files(&[(
            "hull.c",
            "#include <sys/mman.h>\nvoid *f(void) {\n  return mmap(0, PAGE_SIZE, 3, 34, -1, 0);\n}\n",
        )])
        .log(log)
        .gives(
            "page-size",
            &[(
                "hull.c",
                "#include <unistd.h>\n#ifndef PAGE_SIZE\n\
                 #define PAGE_SIZE ((unsigned long) sysconf(_SC_PAGESIZE))\n#endif\n",
            )],
        );
    RPM.files(&[("hull.c", "#include <sys/mman.h>\nchar buffer[PAGE_SIZE];\n")])
        .log(log)
        .gives("page-size", &[("hull.c", "#define PAGE_SIZE 65536\n")]);
}

#[test]
fn calls_and_registers_have_the_names_of_the_architecture() {
    DEBIAN
        .files(&[(
            "hull.c",
            "#include <sys/syscall.h>\n#include <unistd.h>\n\
             int f(const char *p) {\n  return syscall(SYS_open, p, 0);\n}\n",
        )])
        .log(
            "hull.c:4:18: error: 'SYS_open' undeclared (first use in this function); did \
             you mean 'SYS_openat'?\n",
        )
        .gives(
            "system-call",
            &[
                ("hull.c", "#include <fcntl.h>\n"),
                ("hull.c", "syscall(SYS_openat, AT_FDCWD, p, 0);\n"),
            ],
        );
    DEBIAN
        .files(&[(
            "hull.c",
            "#include <ucontext.h>\n\
             long f(ucontext_t *c) {\n  return (long) c->uc_mcontext.gregs[REG_RIP];\n}\n",
        )])
        .log(
            "hull.c:3:40: error: 'mcontext_t' has no member named 'gregs'\n\
             hull.c:3:46: error: 'REG_RIP' undeclared (first use in this function)\n",
        )
        .gives(
            "signal-registers",
            &[
                (
                    "hull.c",
                    "#include <ucontext.h>\n#if defined(__aarch64__)\n#define PORT_PC pc\n#else\n\
                     #define PORT_PC gregs[REG_RIP]\n#endif\n",
                ),
                ("hull.c", "c->uc_mcontext.PORT_PC;\n"),
            ],
        );
}
