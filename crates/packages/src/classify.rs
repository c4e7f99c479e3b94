//! What a path of a distribution is good for: the names under which a build may ask for it.
//!
//! Byte matching by hand rather than by pattern: there are millions of rows and nearly all of them answer nothing.

use crate::modules;

/// The families of names; the byte is the first one of a key in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub(crate) enum Family {
    /// An include path: `openssl/ssl.h`, and each of its shorter ends.
    Header = b'h',
    /// A pkg-config module.
    PkgConfig = b'p',
    /// A CMake package, as spelled.
    CMake = b'c',
    /// The same in lower case.
    CMakeFolded = b'C',
    /// A library without `lib` and ending.
    Library = b'l',
    /// A program.
    Command = b'b',
    /// An Autoconf macro file's stem, only its letters and digits, in lower case.
    Macro = b'm',
    /// A Python module, at most two levels.
    Python = b'y',
    /// A shared object by its versioned file name.
    Soname = b's',
    /// A gem, or a library's file of Ruby.
    Ruby = b'r',
    /// A Node module.
    Node = b'N',
    /// An R package.
    R = b'R',
    /// A typelib with its version, and without.
    Typelib = b'g',
    /// A Vala package.
    Vapi = b'v',
    /// A font family's letters and digits in lower case.
    Font = b'F',
    /// A file of TeX.
    Tex = b't',
    /// A Maven coordinate without version.
    Maven = b'M',
    /// A Maven group.
    JavaGroup = b'J',
    /// A Haskell package, or a module with `/` for `.`.
    Haskell = b'H',
    /// An OCaml library.
    Ocaml = b'O',
    /// A Lua module with `/` for `.`.
    Lua = b'u',
    /// A Go import path.
    Go = b'G',
    /// A crate.
    Crate = b'k',
    /// An imported target of CMake, by definition.
    CMakeTarget = b'T',
    /// A function or macro of CMake in lower case, by definition.
    CMakeCommand = b'U',
    /// An Autoconf macro, by definition.
    MacroDefinition = b'D',
    /// A path.
    Path = b'f',
    /// The last part of such a path.
    BaseName = b'n',
}

/// One name that a path answers.
#[derive(Debug, PartialEq)]
pub(crate) struct Name<'a> {
    pub(crate) family: Family,
    pub(crate) key: &'a [u8],
    /// What stands before and after the key in the path; the whole path, with an empty end, when `literal`.
    pub(crate) before: &'a [u8],
    pub(crate) after: &'a [u8],
    /// Whether `before` is the whole path, because the key is spelled differently in it.
    pub(crate) literal: bool,
    /// 1 for the place where one looks first, less elsewhere.
    pub(crate) weight: f32,
}

/// Each folder between the include root and the start of a name makes the answer this much less likely.
const DEPTH_DIVISOR: f32 = 4.0;

/// Calls `out` with each name that `path` answers.
pub(crate) fn classify(path: &[u8], triplet: &[u8], scratch: &mut Vec<u8>, out: &mut dyn FnMut(Name<'_>)) {
    if path.len() > 250 {
        return;
    }
    let Some(usr) = path.strip_prefix(b"usr/") else {
        if let Some(rest) = strip_any(path, &[b"bin/", b"sbin/"]) {
            command(path, rest, 1.0, out);
        } else if let Some(rest) = strip_any(path, &[b"lib/", b"lib64/"]) {
            let own = strip_triplet(rest, triplet);
            library(path, own, out);
            if !is_triplet(own.split(|byte| *byte == b'/').next().unwrap_or_default()) {
                modules::soname(path, own, out);
            }
        } else if let Some(rest) = path.strip_prefix(b"var/") {
            modules::below_var(path, rest, out);
        }
        return;
    };
    if let Some(rest) = usr.strip_prefix(b"include/") {
        let own = strip_triplet(rest, triplet);
        if !is_triplet(own.split(|byte| *byte == b'/').next().unwrap_or_default()) {
            header(path, own, 1.0, out);
        }
    } else if let Some(rest) = strip_any(usr, &[b"bin/", b"sbin/"]) {
        command(path, rest, 1.0, out);
    } else if let Some(rest) = usr.strip_prefix(b"games/") {
        command(path, rest, 0.5, out);
    } else if let Some(rest) = strip_any(usr, &[b"lib/", b"lib64/"]) {
        below_lib(path, rest, triplet, scratch, out);
    } else if let Some(rest) = usr.strip_prefix(b"share/") {
        below_share(path, rest, scratch, out);
    }
}

fn below_lib(path: &[u8], rest: &[u8], triplet: &[u8], scratch: &mut Vec<u8>, out: &mut dyn FnMut(Name<'_>)) {
    if let Some(python) = rest.strip_prefix(b"python3/dist-packages/") {
        python_module(path, python, 1.0, out);
        return;
    }
    if let Some(after) = rest.strip_prefix(b"python3.") {
        let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if let Some(module) = after.get(digits..).and_then(|tail| tail.strip_prefix(b"/")) {
            match module.strip_prefix(b"site-packages/") {
                Some(module) => python_module(path, module, 1.0, out),
                None => python_module(path, module, 0.2, out),
            }
        }
        return;
    }
    let own = strip_triplet(rest, triplet);
    let weight = foreign_weight(rest, triplet);
    if weight <= 0.0 {
        return;
    }
    modules::below_lib(path, own, scratch, out);
    extra_headers(path, rest, weight, out);
    library(path, own, out);
    tool_files(path, scratch, out);
}

fn below_share(path: &[u8], rest: &[u8], scratch: &mut Vec<u8>, out: &mut dyn FnMut(Name<'_>)) {
    if strip_any(
        rest,
        &[
            b"doc/",
            b"man/",
            b"locale/",
            b"icons/",
            b"help/",
            b"gtk-doc/",
            b"emscripten/",
        ],
    )
    .is_some()
    {
        return;
    }
    if let Some(header_path) = rest.strip_prefix(b"R/include/") {
        header(path, header_path, 1.0, out);
    } else if let Some(module) = rest.strip_prefix(b"perl5/") {
        perl_module(path, module, 1.0, out);
    } else if let Some(macros) = rest.strip_prefix(b"aclocal") {
        // `aclocal/x.m4` and `aclocal-1.16/x.m4`.
        let file = macros.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        if let Some(stem) = file.strip_suffix(b".m4") {
            scratch.clear();
            scratch.extend(normalised(stem));
            literal(Family::Macro, scratch, path, 1.0, out);
        }
    }
    modules::below_share(path, rest, scratch, out);
    tool_files(path, scratch, out);
}

/// Files that are asked for by kind, wherever they are: pkg-config modules, CMake packages, includes of other tools.
fn tool_files(path: &[u8], scratch: &mut Vec<u8>, out: &mut dyn FnMut(Name<'_>)) {
    let start = memchr::memrchr(b'/', path).map_or(0, |slash| slash + 1);
    let (folder, file) = path.split_at(start);
    let Some(dot) = memchr::memrchr(b'.', file) else { return };
    let (stem, ending) = file.split_at(dot);
    match ending {
        b".pc" if folder.ends_with(b"/pkgconfig/") => {
            let weight = if slashes(folder) <= 4 { 1.0 } else { 0.25 };
            out(Name {
                family: Family::PkgConfig,
                key: stem,
                before: folder,
                after: ending,
                literal: false,
                weight,
            });
        }
        b".cmake" => {
            let package = stem.strip_suffix(b"Config").or_else(|| stem.strip_suffix(b"-config"));
            if let Some(name) = package.filter(|name| !name.is_empty()) {
                cmake_package(name, path, 1.0, scratch, out);
            } else if let Some(name) = stem.strip_prefix(b"Find").filter(|name| !name.is_empty()) {
                // CMake's own modules find other packages' files: the package that ships the module is no answer.
                if !folder.starts_with(b"usr/share/cmake-") {
                    cmake_package(name, path, 1.0e-7, scratch, out);
                }
            }
            by_path(path, file, out);
        }
        b".mk" | b".m4" | b".prf" | b".pri" | b".xsl" | b".dtd" | b".xsd" | b".rng" | b".vapi" | b".gir" | b".mak" => {
            by_path(path, file, out);
        }
        b".jar" if folder == b"usr/share/java/" => by_path(path, file, out),
        _ => {}
    }
}

fn by_path(path: &[u8], file: &[u8], out: &mut dyn FnMut(Name<'_>)) {
    out(Name {
        family: Family::Path,
        key: path,
        before: b"",
        after: b"",
        literal: false,
        weight: 1.0,
    });
    let folder = path.get(..path.len() - file.len()).unwrap_or_default();
    out(Name {
        family: Family::BaseName,
        key: file,
        before: folder,
        after: b"",
        literal: false,
        weight: 1.0,
    });
}

fn cmake_package(name: &[u8], path: &[u8], weight: f32, scratch: &mut Vec<u8>, out: &mut dyn FnMut(Name<'_>)) {
    literal(Family::CMake, name, path, weight, out);
    scratch.clear();
    scratch.extend(name.iter().map(u8::to_ascii_lowercase));
    literal(Family::CMakeFolded, scratch, path, weight, out);
}

pub(crate) fn literal(family: Family, key: &[u8], path: &[u8], weight: f32, out: &mut dyn FnMut(Name<'_>)) {
    out(Name {
        family,
        key,
        before: path,
        after: b"",
        literal: true,
        weight,
    });
}

/// A header answers its whole include path and each shorter end of it: projects add folders with `-I`.
fn header(path: &[u8], below_root: &[u8], root_weight: f32, out: &mut dyn FnMut(Name<'_>)) {
    if below_root.is_empty() {
        return;
    }
    let mut key = below_root;
    let mut weight = root_weight;
    loop {
        let before = path.get(..path.len() - key.len()).unwrap_or_default();
        out(Name {
            family: Family::Header,
            key,
            before,
            after: b"",
            literal: false,
            weight,
        });
        // Another system's headers are meant only where they are asked for as what they are.
        let Some(slash) = memchr::memchr(b'/', key).filter(|_| !key.starts_with(b"wine/")) else {
            break;
        };
        key = key.get(slash + 1..).unwrap_or_default();
        weight /= DEPTH_DIVISOR;
    }
}

/// Headers that are not below `usr/include`: of compilers, interpreters and virtual machines.
fn extra_headers(path: &[u8], rest: &[u8], weight: f32, out: &mut dyn FnMut(Name<'_>)) {
    let is_header = [&b".h"[..], b".hpp", b".hh", b".hxx", b".inc", b".def", b".tcc"]
        .iter()
        .any(|end| rest.ends_with(end));
    if !is_header {
        return;
    }
    if let Some(at) = memchr::memmem::find(rest, b"/include/") {
        let below = rest.get(at + b"/include/".len()..).unwrap_or_default();
        header(path, below, weight, out);
    } else if let Some(at) = memchr::memmem::find(rest, b"/CORE/") {
        let below = rest.get(at + b"/CORE/".len()..).unwrap_or_default();
        header(path, below, weight, out);
    } else if let Some(below) = rest.strip_prefix(b"ocaml/") {
        header(path, below, weight, out);
    }
}

/// How far a folder below `usr/lib` may be trusted for headers; 0 for trees of other machines, which answer nothing.
fn foreign_weight(rest: &[u8], triplet: &[u8]) -> f32 {
    let first = rest.split(|byte| *byte == b'/').next().unwrap_or_default();
    if first == triplet {
        return 0.5;
    }
    match first {
        b"gcc" => {
            let own = rest.strip_prefix(b"gcc/").and_then(|tail| tail.strip_prefix(triplet));
            let plugin = memchr::memmem::find(rest, b"/plugin/").is_some();
            match own {
                None => 0.0,
                Some(_) if plugin => 0.05,
                Some(_) => 0.5,
            }
        }
        b"gcc-cross" | b"debug" | b"klibc" | b"modules" | b"firmware" => 0.0,
        b"R" => 0.1,
        b"jvm" | b"ocaml" | b"perl" => 1.0,
        _ if is_triplet(first) => 0.0,
        _ => 0.5,
    }
}

fn library(path: &[u8], below_root: &[u8], out: &mut dyn FnMut(Name<'_>)) {
    let start = memchr::memrchr(b'/', below_root).map_or(0, |slash| slash + 1);
    let (folder, file) = below_root.split_at(start);
    let Some(tail) = file.strip_prefix(b"lib") else { return };
    let (stem, ending, kind) = if let Some(stem) = tail.strip_suffix(b".so") {
        (stem, &b".so"[..], 1.0)
    } else if let Some(stem) = tail.strip_suffix(b".a") {
        (stem, &b".a"[..], 0.8)
    } else {
        return;
    };
    if stem.is_empty() {
        return;
    }
    // What builds Windows programs, or runs on a graphics card, is nothing to link with here.
    if folder.starts_with(b"wine/") || memchr::memmem::find(folder, b"/accel/").is_some() {
        return;
    }
    let depth = if folder.starts_with(b"gcc/") {
        // The compiler looks in its own folder, of machine and version, without being told.
        slashes(folder).saturating_sub(3)
    } else if folder.starts_with(b"llvm-") {
        1
    } else {
        slashes(folder)
    };
    if depth > 4 {
        return;
    }
    let weight = kind / DEPTH_DIVISOR.powi(i32::try_from(depth).unwrap_or(4));
    let before = path.get(..path.len() - stem.len() - ending.len()).unwrap_or_default();
    out(Name {
        family: Family::Library,
        key: stem,
        before,
        after: ending,
        literal: false,
        weight,
    });
}

fn command(path: &[u8], rest: &[u8], weight: f32, out: &mut dyn FnMut(Name<'_>)) {
    if rest.is_empty() || rest.contains(&b'/') {
        return;
    }
    let before = path.get(..path.len() - rest.len()).unwrap_or_default();
    out(Name {
        family: Family::Command,
        key: rest,
        before,
        after: b"",
        literal: false,
        weight,
    });
}

/// The module and the module one level below it, as an `import` names them with `/` for `.`.
fn python_module(path: &[u8], below_root: &[u8], weight: f32, out: &mut dyn FnMut(Name<'_>)) {
    let mut end = 0;
    for part in below_root.split(|byte| *byte == b'/').take(2) {
        let is_file = end + part.len() == below_root.len();
        let name = if is_file {
            let Some(name) = python_file(part) else { return };
            name
        } else {
            part
        };
        let good = name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        if name.is_empty() || !good || name == b"__pycache__" || name == b"__init__" {
            return;
        }
        let key = below_root.get(..end + name.len()).unwrap_or_default();
        let before = path.get(..path.len() - below_root.len()).unwrap_or_default();
        out(Name {
            family: Family::Python,
            key,
            before,
            after: b"",
            literal: false,
            weight,
        });
        end += part.len() + 1;
    }
}

/// The module's name of `x.py`, `x.so`, `x.abi3.so` or `x.cpython-311-x86_64-linux-gnu.so`.
fn python_file(file: &[u8]) -> Option<&[u8]> {
    if let Some(stem) = file.strip_suffix(b".py") {
        return Some(stem);
    }
    let stem = file.strip_suffix(b".so")?;
    stem.split(|byte| *byte == b'.').next()
}

fn slashes(text: &[u8]) -> usize {
    memchr::memchr_iter(b'/', text).count()
}

/// A Perl module answers its path below the search path, such as `XML/Parser.pm`.
pub(crate) fn perl_module(path: &[u8], module: &[u8], weight: f32, out: &mut dyn FnMut(Name<'_>)) {
    if !module.ends_with(b".pm") {
        return;
    }
    let before = path.get(..path.len() - module.len()).unwrap_or_default();
    out(Name {
        family: Family::Path,
        key: module,
        before,
        after: b"",
        literal: false,
        weight,
    });
}

/// Letters and digits in lower case: how macro files and macros are compared.
pub(crate) fn normalised(text: &[u8]) -> impl Iterator<Item = u8> {
    text.iter()
        .filter(|byte| byte.is_ascii_alphanumeric())
        .map(u8::to_ascii_lowercase)
}

fn strip_any<'a>(text: &'a [u8], prefixes: &[&[u8]]) -> Option<&'a [u8]> {
    prefixes.iter().find_map(|prefix| text.strip_prefix(*prefix))
}

/// Whether a folder is named after a machine; the own one has been taken away before.
fn is_triplet(folder: &[u8]) -> bool {
    memchr::memmem::find(folder, b"-linux-gnu").is_some() || folder.ends_with(b"-linux-musl")
}

fn strip_triplet<'a>(rest: &'a [u8], triplet: &[u8]) -> &'a [u8] {
    rest.strip_prefix(triplet)
        .and_then(|tail| tail.strip_prefix(b"/"))
        .unwrap_or(rest)
}

#[cfg(test)]
#[expect(clippy::needless_raw_string_hashes, reason = "expect-test writes literals this way")]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(path: &str, expected: &Expect) {
        let mut scratch = Vec::new();
        let mut out = Vec::new();
        classify(path.as_bytes(), b"x86_64-linux-gnu", &mut scratch, &mut |name| {
            out.push(format!(
                "{:?} {} {}\n",
                name.family,
                String::from_utf8_lossy(name.key),
                name.weight
            ));
        });
        expected.assert_eq(&out.concat());
    }

    #[test]
    fn each_family_has_its_places() {
        check(
            "usr/include/x86_64-linux-gnu/openssl/configuration.h",
            &expect![[r#"
            Header openssl/configuration.h 1
            Header configuration.h 0.25
        "#]],
        );
        check(
            "usr/include/python3.11/Python.h",
            &expect![[r#"
            Header python3.11/Python.h 1
            Header Python.h 0.25
        "#]],
        );
        check(
            "usr/lib/jvm/java-17-openjdk-amd64/include/linux/jni_md.h",
            &expect![[r#"
            Header linux/jni_md.h 1
            Header jni_md.h 0.25
        "#]],
        );
        check(
            "usr/lib/x86_64-linux-gnu/perl/5.36/CORE/perl.h",
            &expect![[r#"
            Header perl.h 0.5
        "#]],
        );
        check(
            "usr/lib/x86_64-linux-gnu/pkgconfig/gtk+-3.0.pc",
            &expect![[r#"
            PkgConfig gtk+-3.0 1
        "#]],
        );
        check(
            "usr/lib/x86_64-linux-gnu/cmake/Qt5Widgets/Qt5WidgetsConfig.cmake",
            &expect![[r#"
            CMake Qt5Widgets 1
            CMakeFolded qt5widgets 1
            Path usr/lib/x86_64-linux-gnu/cmake/Qt5Widgets/Qt5WidgetsConfig.cmake 1
            BaseName Qt5WidgetsConfig.cmake 1
        "#]],
        );
        check(
            "usr/share/cmake-3.25/Modules/FindZLIB.cmake",
            &expect![[r#"
            Path usr/share/cmake-3.25/Modules/FindZLIB.cmake 1
            BaseName FindZLIB.cmake 1
        "#]],
        );
        check(
            "usr/lib/x86_64-linux-gnu/libz.so",
            &expect![[r#"
            Library z 1
        "#]],
        );
        check(
            "usr/lib/gcc/x86_64-linux-gnu/12/libgomp.a",
            &expect![[r#"
                Library gomp 0.8
            "#]],
        );
        check(
            "usr/bin/bison",
            &expect![[r#"
            Command bison 1
        "#]],
        );
        check(
            "usr/lib/x86_64-linux-gnu/perl5/5.36/XML/Parser.pm",
            &expect![[r#"
                Path XML/Parser.pm 1
            "#]],
        );
        check(
            "usr/share/aclocal/gtk-2.0.m4",
            &expect![[r#"
            Macro gtk20 1
            Path usr/share/aclocal/gtk-2.0.m4 1
            BaseName gtk-2.0.m4 1
        "#]],
        );
        check(
            "usr/lib/python3/dist-packages/google/protobuf/json_format.py",
            &expect![[r#"
            Python google 1
            Python google/protobuf 1
        "#]],
        );
        check(
            "usr/lib/python3/dist-packages/_cffi_backend.cpython-311-x86_64-linux-gnu.so",
            &expect![[r#"
            Python _cffi_backend 1
        "#]],
        );
    }

    #[test]
    fn other_machines_and_documents_answer_nothing() {
        for path in [
            "usr/lib/gcc-cross/arm-linux-gnueabi/12/include/stddef.h",
            "usr/lib/gcc/avr/5.4.0/include/stddef.h",
            "usr/share/doc/cmake/examples/FooConfig.cmake",
            "usr/share/emscripten/system/include/zlib.h",
            "usr/lib/python3/dist-packages/mako-1.2.egg-info/PKG-INFO",
            "usr/aarch64-linux-gnu/include/stdio.h",
            "usr/lib/aarch64-linux-gnu/libz.so.1",
            "usr",
            "usr/include/",
            "usr/bin/",
            "",
        ] {
            check(path, &expect![""]);
        }
    }
}
