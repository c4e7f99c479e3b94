//! Kinds of names that were once answered wrongly, each over the few files that show it.

use std::io::Write as _;

use seatrial_core::Arch;
use seatrial_packages::{BuildInput, Defined, Definition, Key, PackageIndex, PackagesError, Resolver, build};

use super::synthetic::{binary, source};

/// What is asked, and which package must come first; nothing must come where it is empty.
struct Case {
    kind: &'static str,
    /// Paths with their packages.
    files: &'static [(&'static str, &'static str)],
    /// Packages and what they depend on; those that own a file need not be told again.
    depends: &'static [(&'static str, &'static str)],
    /// How many sources build with a package.
    used: &'static [(&'static str, usize)],
    answers: &'static [(&'static str, &'static str)],
}

const CASES: &[Case] = &[
    Case {
        kind: "a header at the include root, and a more popular one below a folder",
        files: &[
            ("usr/include/wide.hpp", "libwide-dev"),
            ("usr/include/big/wide.hpp", "libbig-dev"),
        ],
        depends: &[],
        used: &[("libbig-dev", 20), ("libwide-dev", 2)],
        answers: &[
            ("header:wide.hpp", "libwide-dev"),
            ("header:big/wide.hpp", "libbig-dev"),
        ],
    },
    Case {
        kind: "a header below a folder that is a link",
        files: &[
            ("usr/include/sky-7.12/sky.h", "sky-dev"),
            ("usr/include/code++/sha.h", "libcode++-dev"),
            ("usr/include/other/list.h", "libother-dev"),
        ],
        depends: &[],
        used: &[],
        answers: &[
            ("header:sky/sky.h", "sky-dev"),
            ("header:codepp/sha.h", "libcode++-dev"),
            ("header:mine/list.h", ""),
            ("header:sys/sky.h", ""),
        ],
    },
    Case {
        kind: "what is there for Windows programs or a graphics card",
        files: &[
            ("usr/include/wine/windows/cards.h", "libwine-dev"),
            ("usr/lib/x86_64-linux-gnu/wine/x86_64-unix/libcards.a", "libwine-dev"),
            (
                "usr/lib/gcc/x86_64-linux-gnu/12/accel/nvptx-none/libguard.a",
                "gcc-12-offload",
            ),
        ],
        depends: &[],
        used: &[],
        answers: &[
            ("header:cards.h", ""),
            ("header:wine/windows/cards.h", "libwine-dev"),
            ("lib:cards", ""),
            ("lib:guard", ""),
        ],
    },
    Case {
        kind: "a library in the compiler's own folder, and a link to another one of that name",
        files: &[
            ("usr/lib/gcc/x86_64-linux-gnu/12/libpar.so", "libgcc-12-dev"),
            ("usr/lib/gcc/x86_64-linux-gnu/11/libpar.so", "libgcc-11-dev"),
            ("usr/lib/llvm-14/lib/libpar.so", "libpar-14-dev"),
        ],
        depends: &[
            ("build-essential", "gcc"),
            ("gcc", "gcc-12 (>= 12)"),
            ("gcc-12", "libgcc-12-dev (= 12)"),
        ],
        used: &[("libpar-14-dev", 3)],
        answers: &[("lib:par", "libgcc-12-dev")],
    },
    Case {
        kind: "several versions, of which one is the default",
        files: &[
            ("usr/lib/python3/dist-packages/tongs/cindex.py", "python3-tongs-14"),
            ("usr/lib/python3/dist-packages/tongs/cindex.py", "python3-tongs-19"),
            ("usr/bin/shears-14", "shears-14"),
            ("usr/bin/shears-19", "shears-19"),
        ],
        depends: &[("python3-tongs", "python3-tongs-14"), ("shears", "shears-14 (>= 14)")],
        used: &[],
        answers: &[("py:tongs.cindex", "python3-tongs-14")],
    },
    Case {
        kind: "a program that is there only with a version behind its name",
        files: &[("usr/bin/lathe-2.2", "lathe-tools")],
        depends: &[],
        used: &[],
        answers: &[("cmd:lathe", "lathe-tools")],
    },
    Case {
        kind: "what a program asks for when it starts, and what is built with",
        files: &[
            ("usr/lib/x86_64-linux-gnu/libspr4.so", "libspr4"),
            ("usr/lib/x86_64-linux-gnu/libspr4.a", "libspr4-dev"),
            ("lib64/ld-linux-x86-64.so.2", "libc6"),
        ],
        depends: &[],
        used: &[("libspr4-dev", 9)],
        answers: &[
            ("soname:libspr4.so", "libspr4"),
            ("lib:spr4", "libspr4-dev"),
            ("soname:ld-linux-x86-64.so.2", "libc6"),
        ],
    },
    Case {
        kind: "modules that the interpreter brings, and newer ones in packages of their own",
        files: &[
            ("usr/lib/x86_64-linux-gnu/perl/5.36.0/Data/Heap.pm", "libperl5.36"),
            ("usr/share/perl5/Data/Heap.pm", "libdata-heap-perl"),
        ],
        depends: &[("perl", "libperl5.36")],
        used: &[("libdata-heap-perl", 200)],
        answers: &[("perl:Data::Heap", "perl")],
    },
    Case {
        kind: "gems with compiled parts, and what of a gem is required",
        files: &[
            (
                "usr/lib/x86_64-linux-gnu/rubygems-integration/3.1.0/specifications/iffy-1.15.5.gemspec",
                "ruby-iffy",
            ),
            (
                "usr/share/rubygems-integration/all/specifications/active-core-3.1.gemspec",
                "ruby-active-core",
            ),
            (
                "usr/share/rubygems-integration/all/specifications/livelysupport-6.1.gemspec",
                "ruby-livelysupport",
            ),
        ],
        depends: &[],
        used: &[],
        answers: &[
            ("ruby:iffy", "ruby-iffy"),
            ("ruby:active/core/rake_task", "ruby-active-core"),
            ("ruby:lively_support/all", "ruby-livelysupport"),
        ],
    },
    Case {
        kind: "fonts whose files are abbreviated",
        files: &[
            ("usr/share/fonts/opentype/ll/LL_R.otf", "fonts-longletters"),
            ("usr/share/fonts/truetype/dust/DustSansFull.ttf", "fonts-dust-fallback"),
            ("usr/share/fonts/opentype/gar/Garland12-Regular.otf", "fonts-garland"),
            (
                "usr/share/fonts/opentype/gar/Garland-Initials.otf",
                "fonts-garland-extra",
            ),
        ],
        depends: &[],
        used: &[],
        answers: &[
            ("font:Long Letters O", "fonts-longletters"),
            ("font:Dust Sans", "fonts-dust-fallback"),
            ("font:Garland", "fonts-garland"),
        ],
    },
    Case {
        kind: "targets: of parts of a component, of modules of CMake itself, and without a namespace",
        files: &[
            (
                "usr/lib/x86_64-linux-gnu/cmake/KF5Conf/KF5ConfConfig.cmake",
                "libkf5conf-dev",
            ),
            ("usr/share/ECM/find-modules/FindKF5.cmake", "extra-cmake-modules"),
            ("usr/lib/x86_64-linux-gnu/libEGL.so", "libegl-dev"),
            ("usr/include/GL/gl.h", "libgl-dev"),
            ("usr/bin/protoc", "protobuf-compiler"),
            ("usr/lib/x86_64-linux-gnu/libprotoc.so", "libprotoc-dev"),
            ("usr/include/google/protobuf/message.h", "libprotobuf-dev"),
            ("usr/lib/x86_64-linux-gnu/pkgconfig/xcb-randr.pc", "libxcb-randr0-dev"),
            ("usr/share/ECM/find-modules/FindXCB.cmake", "extra-cmake-modules"),
            (
                "usr/lib/x86_64-linux-gnu/cmake/glide3/glide3Config.cmake",
                "libglide3-dev",
            ),
            ("usr/lib/x86_64-linux-gnu/libglide.so", "libglide3-dev"),
            ("usr/lib/x86_64-linux-gnu/pkgconfig/usb-9.0.pc", "libusb-9-dev"),
        ],
        depends: &[],
        used: &[("libgl-dev", 50)],
        answers: &[
            ("cmake:KF5::ConfCore", "libkf5conf-dev"),
            ("cmake:OpenGL::EGL", "libegl-dev"),
            ("cmake:OpenGL::GL", "libgl-dev"),
            ("cmake:protobuf::protoc", "protobuf-compiler"),
            ("cmake:XCB::RANDR", "libxcb-randr0-dev"),
            ("cmake-target:glide", "libglide3-dev"),
            ("cmake:PkgConfig::usb-9.0", "libusb-9-dev"),
            ("cmake:Threads::Threads", ""),
        ],
    },
    Case {
        kind: "a config file in the package's own folder, and in one of a variant",
        files: &[
            ("usr/lib/x86_64-linux-gnu/cmake/opt/OptConfig.cmake", "libopt-dev"),
            (
                "usr/lib/x86_64-linux-gnu/cmake/opt_cxx/OptConfig.cmake",
                "libopt-cxx-dev",
            ),
        ],
        depends: &[],
        used: &[("libopt-cxx-dev", 9), ("libopt-dev", 8)],
        answers: &[("cmake:Opt", "libopt-dev"), ("cmake:opt", "libopt-dev")],
    },
    Case {
        kind: "commands: of a generation, and of modules of CMake itself that others copy",
        files: &[
            ("usr/lib/x86_64-linux-gnu/cmake/Grasp2/Grasp2Config.cmake", "grasp2"),
            ("usr/share/other/cmake/FindDoxygen.cmake", "other-dev"),
            ("usr/bin/doxygen", "doxygen"),
            ("usr/lib/x86_64-linux-gnu/cmake/Qt6/Qt6Config.cmake", "qt6-base-dev"),
            ("usr/share/wrap/QtConfig.cmake", "wrap-dev"),
        ],
        depends: &[],
        used: &[("other-dev", 99)],
        answers: &[
            ("cmake-command:grasp_discover_tests", "grasp2"),
            ("cmake-command:doxygen_add_docs", "doxygen"),
            ("cmake-command:qt_add_executable", "qt6-base-dev"),
        ],
    },
    Case {
        kind: "libraries of a flavour",
        files: &[("usr/lib/x86_64-linux-gnu/libwidget-qt5.so", "libwidget-qt5-dev")],
        depends: &[],
        used: &[],
        answers: &[("lib:widget", "libwidget-qt5-dev")],
    },
    Case {
        kind: "classes whose package is not the artifact's group",
        files: &[
            (
                "usr/share/maven-repo/com/google/guava/guava/31/guava-31.pom",
                "libguava-java",
            ),
            (
                "usr/share/maven-repo/commons-io/commons-io/2.11/commons-io-2.11.pom",
                "libcommons-io-java",
            ),
            (
                "usr/share/maven-repo/org/apache/commons/commons-text/1/commons-text-1.pom",
                "libcommons-text-java",
            ),
        ],
        depends: &[],
        used: &[],
        answers: &[
            ("java:com.google.common.collect.Lists", "libguava-java"),
            ("java:org.apache.commons.io.FileUtils", "libcommons-io-java"),
            ("java:org.apache.commons.text.*", "libcommons-text-java"),
        ],
    },
    Case {
        kind: "a file under another search path than here",
        files: &[
            (
                "usr/lib/x86_64-linux-gnu/perl5/5.36/Xml/Reader.pm",
                "libxml-reader-perl",
            ),
            ("usr/lib/python3/dist-packages/reader/__init__.py", "python3-reader"),
        ],
        depends: &[],
        used: &[],
        answers: &[
            ("file:/usr/share/perl5/Xml/Reader.pm", "libxml-reader-perl"),
            (
                "file:/usr/local/lib/python3.9/site-packages/reader/__init__.py",
                "python3-reader",
            ),
        ],
    },
    Case {
        kind: "macros of the tools themselves, and of whoever has a file of the name",
        files: &[
            ("usr/bin/autoconf", "autoconf"),
            ("usr/share/aclocal/flow.m4", "libflow-dev"),
        ],
        depends: &[],
        used: &[],
        answers: &[
            ("m4:AC_CONFIG_HEADERS", "autoconf"),
            ("m4:AC_DEFINE", "autoconf"),
            ("m4:AC_DEFINE_OF_THE_PROJECT", ""),
            ("m4:RIVER_PATH_FLOW", "libflow-dev"),
        ],
    },
];

fn index_of(case: &Case, definitions: &[Definition]) -> Result<(tempfile::TempDir, PackageIndex), PackagesError> {
    let folder = tempfile::tempdir()?;
    let contents = folder.path().join("Contents-amd64");
    let mut rows = Vec::new();
    for (path, package) in case.files {
        writeln!(rows, "{path} x/{package}")?;
    }
    fs_err::write(&contents, rows)?;
    let mut binaries: Vec<_> = case
        .depends
        .iter()
        .map(|(package, depends)| binary(package, depends, ""))
        .collect();
    for (_, package) in case.files {
        if !binaries.iter().any(|known| known.package == *package) {
            binaries.push(binary(package, "", ""));
        }
    }
    let sources: Vec<_> = case
        .used
        .iter()
        .flat_map(|(package, count)| (0..*count).map(move |number| source(&format!("{package}-{number}"), package)))
        .collect();
    let path = folder.path().join("x.idx");
    let input = BuildInput {
        contents: &[contents],
        binaries: &binaries,
        sources: &sources,
        arch: Arch::X86_64,
        definitions,
    };
    build(&path, &input, &mut |_file| ())?;
    let index = PackageIndex::open(&path)?;
    Ok((folder, index))
}

#[test]
fn each_kind_has_its_answer() {
    for case in CASES {
        let (_folder, index) = index_of(case, &[]).unwrap();
        for (text, expected) in case.answers {
            let key: Key = text.parse().unwrap();
            let found = index.resolve(&key);
            let first = found.first().map_or("", |found| found.package.as_str());
            assert_eq!(first, *expected, "{text}: {}", case.kind);
        }
    }
}

#[test]
fn a_copy_of_what_is_known_to_be_anothers_is_not_its_home() {
    let case = Case {
        kind: "copies of macros and targets",
        files: &[
            ("usr/include/GL/gl.h", "libgl-dev"),
            ("usr/lib/x86_64-linux-gnu/libGL.so", "libgl-dev"),
            ("usr/share/hull/cmake/FindOpenGL.cmake", "libhull-dev"),
            ("usr/lib/cmake/keel/keelConfig.cmake", "libkeel-dev"),
            ("usr/bin/autoconf", "autoconf"),
            ("usr/share/aclocal/hull.m4", "libhull-dev"),
        ],
        depends: &[],
        used: &[("libhull-dev", 9)],
        answers: &[
            ("cmake-target:OpenGL::GL", "libgl-dev"),
            ("cmake-target:keel::plank", "libkeel-dev"),
            ("m4:AC_PROG_CC", "autoconf"),
            ("m4:HULL_CHECK_PLANKS", "libhull-dev"),
        ],
    };
    let defined = |what, name: &str, package: &str| Definition {
        what,
        name: name.to_owned(),
        package: package.to_owned(),
        path: "usr/share/x".to_owned(),
    };
    let definitions = [
        defined(Defined::Target, "OpenGL::GL", "libhull-dev"),
        defined(Defined::Target, "keel::plank", "libkeel-dev"),
        defined(Defined::Macro, "AC_PROG_CC", "libhull-dev"),
        defined(Defined::Macro, "HULL_CHECK_PLANKS", "libhull-dev"),
    ];
    let (_folder, index) = index_of(&case, &definitions).unwrap();
    for (text, expected) in case.answers {
        let found = index.resolve(&text.parse().unwrap());
        assert_eq!(
            found.first().map_or("", |found| found.package.as_str()),
            *expected,
            "{text}"
        );
    }
}
