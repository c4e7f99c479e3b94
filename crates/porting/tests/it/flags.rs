//! Flags for another processor, and those that the tools of this one must be told.

use seatrial_core::Arch;

use crate::plant::{DEBIAN, MAKE, RPM, SEQUENCE};

pub(crate) const FLAG_LOG: &str = "cc -O2 -msse2 -mfpmath=sse -c -o hull.o hull.c\ncc: error: unrecognized command-line option '-msse2'\n\
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
        DEBIAN
            .files(&[(path, before), ("hull.c", "int main(void) { return 0; }\n")])
            .log(FLAG_LOG)
            .gives("conditional-flag", &[(path, after)]);
    }
    DEBIAN
        .build(&format!("export DEB_CFLAGS_MAINT_APPEND = -msse2\n{SEQUENCE}"))
        .log(FLAG_LOG)
        .gives(
            "conditional-flag",
            &[
                (
                    "debian/rules",
                    "DEB_CFLAGS_MAINT_APPEND = $(if $(filter amd64 i386,$(DEB_HOST_ARCH)),-msse2)\n",
                ),
                (
                    "debian/rules",
                    "DEB_HOST_ARCH ?= $(shell dpkg-architecture -qDEB_HOST_ARCH)\n",
                ),
            ],
        );
    RPM.build("make CFLAGS=\"%{optflags} -msse2\"").log(FLAG_LOG).gives(
        "conditional-flag",
        &[
            (
                "hull.spec",
                "%ifarch x86_64 %{ix86}\n%global port_msse2 -msse2\n%endif\nName:",
            ),
            ("hull.spec", "make CFLAGS=\"%{optflags} %{?port_msse2}\""),
        ],
    );
    // A compiler that knows the sister machine and has no library for it.
    let plant = DEBIAN
        .files(&[("Makefile", "CFLAGS = -O2 -m64\n")])
        .log(
            "In file included from hull.c:1:\n\
             /usr/include/stdint.h:26:10: fatal error: bits/libc-header-start.h: No such \
             file or directory\n",
        )
        .target(Arch::I686);
    plant.gives(
        "conditional-flag",
        &[(
            "Makefile",
            "CFLAGS = -O2 $(if $(filter x86_64-%,$(shell $(CC) -dumpmachine)),-m64)\n",
        )],
    );
    plant
        .log(
            "/usr/bin/ld: cannot find Scrt1.o: No such file or directory\n\
             /usr/bin/ld: skipping incompatible /usr/lib/gcc/i686-linux-gnu/12/libgcc.a \
             when searching for -lgcc\ncollect2: error: ld returned 1 exit status\n",
        )
        .gives(
            "conditional-flag",
            &[("Makefile", "$(shell $(CC) -dumpmachine)),-m64)\n")],
        );
    // The wider word length of the family is none of the narrower one's.
    DEBIAN
        .files(&[("Makefile", "CFLAGS=-m64\n")])
        .log(
            "cc: error: CPU you selected does not support x86-64 instruction set\n\
             cc: error: unrecognized command-line option '-m64'\n",
        )
        .gives(
            "conditional-flag",
            &[(
                "Makefile",
                "CFLAGS=$(if $(filter x86_64-%,$(shell $(CC) -dumpmachine)),-m64)\n",
            )],
        );
}

#[test]
fn what_the_tools_must_be_told_is_told_where_the_package_listens() {
    let log = "/usr/bin/ld: hull.o: in function `f':\nhull.c:3: undefined reference to `__atomic_fetch_add_8'\ncollect2: error: ld returned 1 exit status\n";
    let i686 = DEBIAN.target(Arch::I686).log(log);
    i686.gives(
        "link-atomic",
        &[(
            "debian/rules",
            "export DEB_LDFLAGS_MAINT_APPEND = -Wl,--push-state,--no-as-needed -latomic -Wl,--pop-state\n",
        )],
    );
    i686.files(&[("Makefile", "LDLIBS = -lm\nhull: hull.o\n\t$(CC) -o $@ $< $(LDLIBS)\n")])
        .build(MAKE)
        .gives("link-atomic", &[("Makefile", "LDLIBS = -lm -latomic\n")]);
    RPM.build("gcc %{optflags} -o hull hull.c")
        .target(Arch::I686)
        .log(log)
        .gives(
            "link-atomic",
            &[("hull.spec", "gcc %{optflags} -o hull hull.c -latomic\n")],
        );

    let log = "hull.c:3:18: error: narrowing conversion of '-1' from 'int' to 'char' [-Wnarrowing]\n";
    DEBIAN
        .files(&[("Makefile", "CXXFLAGS ?= -O2\nCFLAGS=-O2 \\\n  -Wall\n")])
        .build(MAKE)
        .log(log)
        .gives("signed-char", &[("Makefile", "CFLAGS=-O2 \\\n  -Wall -fsigned-char\n")]);
    RPM.log(log)
        .build("make")
        .gives("signed-char", &[("hull.spec", "-fsigned-char")]);
    DEBIAN
        .files(&[("hull.c", "int f(FILE *in) { char c = getc(in); return c == EOF; }\n")])
        .log("FAIL: t-loop\nmake[2]: *** [Makefile:9: check-TESTS] Error 1\n")
        .gives(
            "signed-char",
            &[(
                "debian/rules",
                "export DEB_CFLAGS_MAINT_APPEND = -fsigned-char\nexport DEB_CXXFLAGS_MAINT_APPEND = -fsigned-char\n",
            )],
        );

    let log = "/usr/bin/ld: hull.o: relocation R_AARCH64_ADR_PREL_PG_HI21 against symbol `x' which may bind externally can not be used when making a shared object; recompile with -fPIC\n";
    DEBIAN
        .files(&[(
            "Makefile",
            "libhull.so: hull.o\n\t$(CC) -shared -o $@ $<\nhull.o: hull.c\n\tgcc -O2 -c hull.c\n",
        )])
        .build(MAKE)
        .log(log)
        .gives("position-independent", &[("Makefile", "\tgcc -fPIC -O2 -c hull.c\n")]);
    RPM.files(&[("CMakeLists.txt", "project(hull C)\nadd_library(hull SHARED a.c)\n")])
        .log(log)
        .gives(
            "position-independent",
            &[(
                "CMakeLists.txt",
                "project(hull C)\nset(CMAKE_POSITION_INDEPENDENT_CODE ON)\n",
            )],
        );
}
