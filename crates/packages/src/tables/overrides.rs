//! Answers that files and popularity get wrong, and questions that no package answers.

use crate::Key;

/// One correction.
#[derive(Debug)]
pub(crate) struct Override {
    /// The package to install, when the archive has it.
    pub(crate) package: &'static str,
    /// Why the index alone errs.
    pub(crate) reason: &'static str,
}

/// The corrections for a key, best first.
pub(crate) fn overrides(key: &Key) -> impl Iterator<Item = &'static Override> {
    let family = match key {
        Key::Header(_) => 'h',
        Key::PkgConfig(_) => 'p',
        Key::CMake(_) | Key::CMakeCommand(_) => 'c',
        Key::Library(_) => 'l',
        Key::Command(_) => 'b',
        Key::Macro(_) => 'm',
        Key::Python(_) => 'y',
        Key::Path(_) => 'f',
        Key::Soname(_) => 's',
        // The files of the others say enough: no row has this letter.
        _ => ' ',
    };
    let name = key.name();
    // A file's place differs between releases; its own name does not.
    let name = if family == 'f' {
        name.rsplit('/').next().unwrap_or(name)
    } else {
        name
    };
    ROWS.iter()
        .filter(move |(row, names, _)| *row == family && names.contains(&name))
        .map(|(_, _, row)| row)
}

const fn to(package: &'static str, reason: &'static str) -> Override {
    Override { package, reason }
}

/// Programs made available by the alternatives system are in no file list.
const ALTERNATIVE: &str = "its name is a link of the alternatives system";
/// Several packages have it, and the metapackage picks the release's own.
const META: &str = "the metapackage follows the release's default version";

static ROWS: &[(char, &[&str], Override)] = &[
    (
        'b',
        &["python3"],
        to("python3", "the minimal package lacks most of the standard library"),
    ),
    (
        'b',
        &[
            "convert",
            "identify",
            "mogrify",
            "montage",
            "composite",
            "display",
            "animate",
            "import",
            "compare",
            "conjure",
            "stream",
        ],
        to("imagemagick", ALTERNATIVE),
    ),
    (
        'b',
        &["qmake-qt5"],
        to("qt5-qmake", "other distributions tell the version by the name"),
    ),
    (
        'b',
        &[
            "lconvert",
            "linguist",
            "qhelpgenerator",
            "qcollectiongenerator",
            "qdoc",
            "qtdiag",
        ],
        to("qttools5-dev-tools", "a wrapper owns the names without the programs"),
    ),
    (
        'b',
        &["qdbusxml2cpp", "qdbuscpp2xml", "qlalr"],
        to("qtbase5-dev-tools", "a wrapper owns the names without the programs"),
    ),
    (
        'b',
        &["lrelease-qt6", "lupdate-qt6", "lconvert-qt6"],
        to("qt6-l10n-tools", "other distributions tell the version by the name"),
    ),
    (
        'b',
        &["moc-qt6", "uic-qt6", "rcc-qt6"],
        to("qt6-base-dev-tools", "other distributions tell the version by the name"),
    ),
    (
        'b',
        &["qmake-qt6"],
        to("qmake6", "other distributions tell the version by the name"),
    ),
    ('b', &["Magick++-config"], to("libmagick++-dev", ALTERNATIVE)),
    ('b', &["yarn"], to("yarnpkg", "another program owns the name")),
    (
        'b',
        &["icu-config"],
        to("libicu-dev", "the program was given up for modules"),
    ),
    (
        'b',
        &["db2x_docbook2man", "db2x_docbook2texi", "db2x_xsltproc"],
        to("docbook2x", "the programs are called otherwise here"),
    ),
    ('l', &["Magick++", "Magick++-6.Q16"], to("libmagick++-dev", META)),
    ('l', &["openblas"], to("libopenblas-dev", META)),
    (
        'l',
        &["cblas"],
        to("libblas-dev", "the library of Fortran has the calls of C as well"),
    ),
    (
        'h',
        &[
            "numpy/arrayobject.h",
            "numpy/ndarrayobject.h",
            "numpy/npy_math.h",
            "numpy/ufuncobject.h",
        ],
        to("python3-numpy", "the headers are in a folder of the module's own"),
    ),
    (
        'h',
        &["wx/wx.h", "wx/setup.h", "wx/wxprec.h"],
        to(
            "libwxgtk3.2-dev",
            "the headers are apart from what says how to use them",
        ),
    ),
    ('l', &["omp"], to("libomp-dev", META)),
    ('l', &["json"], to("libjson-c-dev", "the library's older name")),
    ('l', &["ungif"], to("libgif-dev", "the library's older name")),
    ('l', &["png12"], to("libpng-dev", "the older library's successor")),
    ('b', &["fpc"], to("fp-compiler", ALTERNATIVE)),
    ('b', &["bibtex"], to("texlive-binaries", ALTERNATIVE)),
    ('b', &["guile"], to("guile-3.0", ALTERNATIVE)),
    ('b', &["mvn"], to("maven", ALTERNATIVE)),
    ('h', &["cblas.h"], to("libblas-dev", ALTERNATIVE)),
    (
        'h',
        &["opencv2/opencv.hpp"],
        to("libopencv-dev", "it includes the headers of all modules"),
    ),
    (
        'f',
        &["pgxs.mk"],
        to(
            "postgresql-server-dev-all",
            "the client owns the file without what it includes",
        ),
    ),
    (
        'h',
        &[
            "curl/curl.h",
            "curl.h",
            "curl/easy.h",
            "curl/multi.h",
            "curl/curlver.h",
            "curl/header.h",
            "curl/options.h",
            "curl/urlapi.h",
            "curl/websockets.h",
        ],
        to("libcurl4-openssl-dev", "of several builds the one most programs expect"),
    ),
    (
        'l',
        &["curl"],
        to("libcurl4-openssl-dev", "of several builds the one most programs expect"),
    ),
    (
        'p',
        &["libcurl"],
        to("libcurl4-openssl-dev", "of several builds the one most programs expect"),
    ),
    (
        'b',
        &["curl-config"],
        to("libcurl4-openssl-dev", "of several builds the one most programs expect"),
    ),
    (
        'p',
        &["boost"],
        to("libboost-dev", "a dependency's name in Meson, no module"),
    ),
    (
        'p',
        &["qt5", "Qt5"],
        to("qtbase5-dev", "a dependency's name in Meson, no module"),
    ),
    (
        'p',
        &["qt6", "Qt6"],
        to("qt6-base-dev", "a dependency's name in Meson, no module"),
    ),
    (
        'p',
        &["llvm", "LLVM"],
        to("llvm-dev", "a dependency's name in Meson, no module"),
    ),
    (
        'p',
        &["mpi"],
        to("mpi-default-dev", "a dependency's name in Meson, no module"),
    ),
    (
        'p',
        &["curses", "termcap"],
        to("libncurses-dev", "a dependency's name in Meson, no module"),
    ),
    (
        'p',
        &["libgcrypt-config"],
        to("libgcrypt20-dev", "a dependency's name in Meson, no module"),
    ),
    (
        'h',
        &["jni.h", "jni_md.h", "jvmti.h", "jawt.h", "jawt_md.h"],
        to("default-jdk-headless", META),
    ),
    (
        'h',
        &["omp.h"],
        to("libomp-dev", "GCC always has it: only clang misses it"),
    ),
    ('h', &["crypt.h"], to("libcrypt-dev", "other C libraries own it too")),
    (
        'h',
        &["perl.h", "EXTERN.h", "XSUB.h"],
        to("libperl-dev", "the interpreter's own folder is versioned"),
    ),
    ('h', &["Magick++.h"], to("libmagick++-dev", META)),
    (
        'h',
        &[
            "mysql.h",
            "mysql/mysql.h",
            "mysql/errmsg.h",
            "mysql/mysqld_error.h",
            "mysql/mysql_version.h",
            "errmsg.h",
            "mysqld_error.h",
        ],
        to("default-libmysqlclient-dev", META),
    ),
    (
        'h',
        &["postgres.h", "server/postgres.h"],
        to("postgresql-server-dev-all", META),
    ),
    ('h', &["mpi.h"], to("mpi-default-dev", META)),
    (
        'h',
        &["lua.h", "lauxlib.h", "lualib.h", "lua.hpp"],
        to("liblua5.3-dev", "of several versions the one most programs accept"),
    ),
    ('h', &["GL/glut.h"], to("freeglut3-dev", "other toolkits carry a copy")),
    (
        'h',
        &["OpenCL/cl.h", "CL/cl.h"],
        to("ocl-icd-opencl-dev", "it brings the library to link with as well"),
    ),
    (
        'l',
        &["OpenCL"],
        to("ocl-icd-opencl-dev", "it brings the headers as well"),
    ),
    ('l', &["jvm"], to("default-jdk-headless", META)),
    (
        'l',
        &["mysqlclient", "mysqlclient_r"],
        to("default-libmysqlclient-dev", META),
    ),
    (
        'l',
        &["lua"],
        to("liblua5.3-dev", "the library's name carries the version"),
    ),
    ('l', &["boost_thread-mt"], to("libboost-thread-dev", META)),
    ('l', &["python3"], to("python3-dev", META)),
    (
        'l',
        &["termcap", "curses", "ncurses", "tinfo", "tinfow", "termlib"],
        to("libncurses-dev", "it replaces the older library"),
    ),
    (
        'p',
        &["lua"],
        to("liblua5.3-dev", "the module's name carries the version"),
    ),
    ('p', &["ruby"], to("ruby-dev", META)),
    ('p', &["python", "python3", "python3-embed"], to("python3-dev", META)),
    ('p', &["libpng12"], to("libpng-dev", "the older module's successor")),
    ('p', &["mysqlclient"], to("default-libmysqlclient-dev", META)),
    (
        'p',
        &["openblas", "blas"],
        to("libopenblas-dev", "an alternative of the same interface"),
    ),
    (
        'c',
        &["qt5_add_translation", "qt5_create_translation"],
        to(
            "qttools5-dev",
            "commands begin with the family's name, whichever module defines them",
        ),
    ),
    (
        'c',
        &[
            "qt_add_translations",
            "qt_add_translation",
            "qt_create_translation",
            "qt6_add_translations",
            "qt6_add_translation",
            "qt6_create_translation",
        ],
        to(
            "qt6-tools-dev",
            "commands begin with the family's name, whichever module defines them",
        ),
    ),
    (
        'c',
        &["qt_add_qml_module", "qt6_add_qml_module"],
        to(
            "qt6-declarative-dev",
            "commands begin with the family's name, whichever module defines them",
        ),
    ),
    ('c', &["Boost"], to("libboost-dev", META)),
    ('c', &["LLVM"], to("llvm-dev", META)),
    ('c', &["Clang"], to("libclang-dev", META)),
    (
        'c',
        &["Wayland"],
        to("libwayland-dev", "frameworks ship a find module for it"),
    ),
    ('b', &["automake", "aclocal"], to("automake", ALTERNATIVE)),
    (
        'b',
        &["libtool"],
        to("libtool-bin", "the script alone is apart; `libtoolize` is in `libtool`"),
    ),
    ('b', &["java", "jar"], to("default-jdk-headless", ALTERNATIVE)),
    (
        'b',
        &["javac", "javah", "javadoc"],
        to("default-jdk-headless", ALTERNATIVE),
    ),
    ('b', &["awk", "nawk"], to("mawk", ALTERNATIVE)),
    ('b', &["yacc"], to("bison", ALTERNATIVE)),
    ('b', &["lex"], to("flex", ALTERNATIVE)),
    ('b', &["cc", "c89", "c99"], to("gcc", ALTERNATIVE)),
    ('b', &["c++"], to("g++", ALTERNATIVE)),
    ('b', &["gcc"], to("gcc", "the metapackage is tiny and little named")),
    ('b', &["g++"], to("g++", "the metapackage is tiny and little named")),
    ('b', &["make", "gmake"], to("make", "scripts for BSD call it `gmake`")),
    (
        'b',
        &["python"],
        to("python-is-python3", "the unversioned name is a choice of its own"),
    ),
    (
        'b',
        &["qmake"],
        to("qt5-qmake", "a wrapper owns the name without the program"),
    ),
    ('b', &["qmake"], to("qtbase5-dev", "it brings what `qmake` needs next")),
    (
        'b',
        &["moc", "uic", "rcc"],
        to("qtbase5-dev-tools", "a wrapper owns the names without the programs"),
    ),
    (
        'b',
        &["lrelease", "lupdate"],
        to("qttools5-dev-tools", "a wrapper owns the names without the programs"),
    ),
    ('b', &["wx-config"], to("libwxgtk3.2-dev", ALTERNATIVE)),
    ('b', &["nc", "netcat"], to("netcat-openbsd", ALTERNATIVE)),
    ('b', &["which"], to("debianutils", ALTERNATIVE)),
    ('b', &["vi", "ex"], to("vim-tiny", ALTERNATIVE)),
    ('b', &["ctags"], to("universal-ctags", ALTERNATIVE)),
    (
        'b',
        &["rst2man", "rst2html", "rst2man.py", "rst2html.py"],
        to("python3-docutils", ALTERNATIVE),
    ),
    (
        'b',
        &[
            "mpicc", "mpicxx", "mpic++", "mpiCC", "mpif90", "mpif77", "mpirun", "mpiexec",
        ],
        to("mpi-default-bin", ALTERNATIVE),
    ),
    (
        'b',
        &["mpicc", "mpicxx", "mpic++", "mpiCC", "mpif90", "mpif77"],
        to("mpi-default-dev", META),
    ),
    ('b', &["f77", "f95", "fort77"], to("gfortran", ALTERNATIVE)),
    (
        'b',
        &["xelatex", "lualatex"],
        to("texlive-xetex", "the format's link is made at installation"),
    ),
    (
        'b',
        &["latex", "pdflatex"],
        to("texlive-latex-base", "the format's link is made at installation"),
    ),
    (
        'b',
        &["libpng12-config"],
        to("libpng-dev", "the older program's successor"),
    ),
    ('b', &["mysql_config"], to("default-libmysqlclient-dev", META)),
    ('b', &["lua", "luac"], to("lua5.3", ALTERNATIVE)),
    ('b', &["clang", "clang++"], to("clang", META)),
    ('b', &["llvm-config"], to("llvm-dev", META)),
    (
        'b',
        &["cython"],
        to("cython3", "the program's name carries the version"),
    ),
    ('b', &["sphinx-build"], to("python3-sphinx", ALTERNATIVE)),
    (
        'b',
        &["nosetests", "py.test"],
        to("python3-pytest", "the older runner's successor"),
    ),
    (
        'b',
        &["a2x", "asciidoc"],
        to("asciidoc", "a subpackage owns the file but lacks the back ends"),
    ),
    (
        'b',
        &["x86_64-w64-mingw32-gcc"],
        to("gcc-mingw-w64-x86-64", ALTERNATIVE),
    ),
    ('b', &["i686-w64-mingw32-gcc"], to("gcc-mingw-w64-i686", ALTERNATIVE)),
    (
        'y',
        &["distutils"],
        to("python3-distutils", "the rest of it is in the standard library"),
    ),
    ('y', &["setuptools", "pkg_resources"], to("python3-setuptools", META)),
    (
        'y',
        &["tkinter"],
        to("python3-tk", "the rest of it is in the standard library"),
    ),
    ('y', &["jinja2"], to("python3-jinja2", META)),
    (
        's',
        &["libjvm.so", "libjava.so", "libjli.so"],
        to("default-jre-headless", META),
    ),
];

/// Headers that the C library has given up or that belong to other systems: a package that happens to own a file of
/// that name does not help.
pub(crate) fn is_gone(name: &str) -> bool {
    const GONE: [&str; 22] = [
        "sys/sysctl.h",
        "xlocale.h",
        "stropts.h",
        "sys/stropts.h",
        "asm/page.h",
        "regexp.h",
        "varargs.h",
        "sys/io.h",
        "ustat.h",
        "libio.h",
        "_G_config.h",
        "windows.h",
        "Windows.h",
        "winsock2.h",
        "winsock.h",
        "conio.h",
        "dos.h",
        "io.h",
        "process.h",
        "direct.h",
        "tchar.h",
        "malloc/malloc.h",
    ];
    // A compiler has its own machine's intrinsics, and no package has another machine's.
    const INTRINSICS: [&str; 3] = ["arm_neon.h", "arm_acle.h", "cpuid.h"];
    // Frameworks of macOS of which no package has a copy.
    const MACOS: [&str; 16] = [
        "Availability.h",
        "AvailabilityMacros.h",
        "TargetConditionals.h",
        "CommonCrypto/",
        "GLUT/",
        "OpenGL/",
        "Security/",
        "mach/",
        "libkern/",
        "IOKit/",
        "CoreFoundation/",
        "CoreServices/",
        "ApplicationServices/",
        "AudioToolbox/",
        "AudioUnit/",
        "Carbon/",
    ];
    GONE.contains(&name)
        || name.ends_with("intrin.h")
        || INTRINSICS.contains(&name)
        || MACOS.iter().any(|folder| name.starts_with(folder))
}

/// Headers that a build makes itself: a step is missing, not a package.
pub(crate) fn is_generated(name: &str) -> bool {
    const NAMES: [&str; 16] = [
        // Of another compiler's habits: what is compiled before the rest, and what is in a program's resources.
        "stdafx.h",
        "pch.h",
        "targetver.h",
        "resource.h",
        "config.h",
        "version.h",
        "config.hpp",
        "version.hpp",
        "revision.h",
        "git_version.h",
        "gitversion.h",
        "build.h",
        "autoconfig.h",
        "config-host.h",
        "configure.h",
        "buildinfo.h",
    ];
    const ENDS: [&str; 8] = [
        ".pb.h",
        ".tab.h",
        ".tab.hh",
        ".moc",
        "_generated.h",
        ".grpc.pb.h",
        "_version.h",
        "_config.h",
    ];
    !name.contains('/')
        && (NAMES.contains(&name)
            || name.starts_with("ui_")
            || name.starts_with("moc_")
            || ENDS.iter().any(|end| name.ends_with(end)))
}
