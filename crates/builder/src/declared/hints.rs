//! What CI files, documents, container files and other packagers' manifests of the repository mention.
//!
//! Only hints: installing everything that somebody mentions switches on parts that then fail. They serve when an error
//! names nothing. A distribution's packaging is not read.

use seatrial_packages::Key;

use super::{Declared, Hint};
use crate::{
    pattern::Pattern,
    tree::{Tree, base},
};

static APT: Pattern =
    Pattern::new(r"\b(?:apt-get|apt|aptitude)\b((?:\s+-[\w=-]+)*)\s+(?:install|build-essential)\b([^\n;&|#`<>]*)");
static BUILD_REQUIRES: Pattern = Pattern::new(r"(?mi)^BuildRequires:[ \t]*([^\n]*)");
static WRAPPED_NAME: Pattern = Pattern::new(r"^(pkgconfig|cmake)\(([^)]+)\)");
static CONAN: Pattern = Pattern::new(r#"(?m)(?:^|["'(])([a-z][a-z0-9_+-]*)/[0-9\[c][\w.\[\]<>=~ ,-]*"#);
static VCPKG: Pattern = Pattern::new(r#"(?s)"dependencies"\s*:\s*\[(.*?)\]"#);
static JSON_WORD: Pattern = Pattern::new(r#""([a-z][a-z0-9-]+)""#);
static NIX: Pattern =
    Pattern::new(r"(?s)(?:buildInputs|nativeBuildInputs|packages)\s*=\s*(?:with [^;]+;\s*)?\[(.*?)\]");
static YAML_ITEM: Pattern = Pattern::new(r"(?m)^\s*-\s+([a-z0-9][a-z0-9.+:-]+)\s*$");

/// Bytes that are read of a file.
const TEXT: u64 = 128 << 10;
/// Files that are read.
const FILES: usize = 60;
/// Hints that are kept.
const HINTS: usize = 60;

pub(super) fn read(tree: &Tree, declared: &mut Declared) {
    for path in tree.files().filter(|path| is_hinting(path)).take(FILES) {
        let Some(text) = tree.head(path, TEXT) else { continue };
        let name = base(path).to_ascii_lowercase();
        let text = text.replace("\\\r\n", " ").replace("\\\n", " ");
        match name.as_str() {
            "vcpkg.json" => {
                for list in VCPKG.all(&text) {
                    for word in JSON_WORD.all(list) {
                        named(word, declared);
                    }
                }
            }
            "conanfile.txt" | "conanfile.py" => {
                for word in CONAN.all(&text) {
                    named(word, declared);
                }
            }
            "default.nix" | "flake.nix" | "shell.nix" => {
                for list in NIX.all(&text) {
                    for word in list.split_whitespace() {
                        named(word.rsplit('.').next().unwrap_or(word), declared);
                    }
                }
            }
            "environment.yml" | "environment.yaml" => {
                for word in YAML_ITEM.all(&text) {
                    named(word, declared);
                }
            }
            _ if name.rsplit_once('.').is_some_and(|(_, end)| end == "spec") => spec(&text, declared),
            _ => {
                apt(&text, declared);
                if name == "snapcraft.yaml" || name == ".travis.yml" || name == ".appveyor.yml" {
                    lists(&text, declared);
                }
            }
        }
    }
    declared.hints.truncate(HINTS);
}

fn is_hinting(path: &str) -> bool {
    let name = base(path).to_ascii_lowercase();
    if path.starts_with(".github/workflows/") || path.starts_with(".circleci/") || path.starts_with(".github/actions/")
    {
        return true;
    }
    let depth = path.matches('/').count();
    let at_top = depth == 0;
    let spec = name.rsplit_once('.').is_some_and(|(_, end)| end == "spec");
    // A few folders below: container files and manifests have folders of their own.
    depth <= 2
        // A distribution's packaging is the answer key, wherever in the tree it lies.
        && path.split('/').all(|folder| folder != "debian")
        && (name.starts_with("dockerfile") || name == "containerfile" || name == "snapcraft.yaml" || spec)
        || at_top
            && (name.starts_with("readme")
                || name.starts_with("install")
                || name.starts_with("building")
                || name.starts_with("compil")
                || name.starts_with("hacking")
                || name.starts_with("contributing")
                || name.starts_with("build.")
                || matches!(
                    name.as_str(),
                    ".travis.yml"
                        | ".gitlab-ci.yml"
                        | "appveyor.yml"
                        | ".appveyor.yml"
                        | "azure-pipelines.yml"
                        | ".cirrus.yml"
                        | "conanfile.txt"
                        | "conanfile.py"
                        | "vcpkg.json"
                        | "default.nix"
                        | "flake.nix"
                        | "shell.nix"
                        | "environment.yml"
                        | "environment.yaml"
                ))
}

fn apt(text: &str, declared: &mut Declared) {
    for groups in APT.groups(text) {
        for word in groups.iter().skip(1).flat_map(|words| words.split_whitespace()) {
            package(word.trim_matches(['\'', '"', ',', ')', ']']), declared);
        }
    }
}

/// Lists below `packages:` and `build-packages:`.
fn lists(text: &str, declared: &mut Declared) {
    let mut inside = false;
    for line in text.lines() {
        let word = line.trim();
        if let Some(key) = word.strip_suffix(':') {
            inside = matches!(key.trim_start_matches("- "), "packages" | "build-packages");
        } else if inside && let Some(item) = word.strip_prefix("- ") {
            package(item.trim().trim_matches(['\'', '"']), declared);
        } else if inside && !word.is_empty() && !word.starts_with('#') {
            inside = false;
        }
    }
}

fn spec(text: &str, declared: &mut Declared) {
    for line in BUILD_REQUIRES.all(text) {
        for word in line.split([',', ' ', '\t']) {
            match WRAPPED_NAME.groups(word).first().map(Vec::as_slice) {
                Some(["pkgconfig", name]) => declared.hint(Hint::Name(Key::PkgConfig((*name).to_owned()))),
                Some(["cmake", name]) => declared.hint(Hint::Name(Key::CMake((*name).to_owned()))),
                _ => {
                    if let Some(name) = word.strip_suffix("-devel") {
                        named(name, declared);
                    }
                }
            }
        }
    }
}

/// A name that other package managers give to a library: most are pkg-config's or the linker's.
fn named(word: &str, declared: &mut Declared) {
    let is_word = word.len() > 1
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+'));
    let is_tool = matches!(
        word,
        "cmake"
            | "ninja"
            | "meson"
            | "pkg-config"
            | "gcc"
            | "clang"
            | "make"
            | "git"
            | "python"
            | "pip"
            | "stdenv"
            | "gtest"
            | "catch2"
            | "host"
            | "name"
            | "features"
            | "doxygen"
            | "python3"
            | "bash"
            | "channels"
            | "dependencies"
            | "true"
            | "false"
    );
    if !is_word || is_tool {
        return;
    }
    declared.hint(Hint::Name(Key::PkgConfig(word.to_owned())));
}

fn package(word: &str, declared: &mut Declared) {
    let starts = word.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
    let is_name = word.len() > 1
        && word
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '+' | '.' | '-'));
    // Compilers, other architectures, and what every box has.
    let is_given = matches!(
        word,
        "build-essential"
            | "gcc"
            | "clang"
            | "make"
            | "git"
            | "sudo"
            | "curl"
            | "wget"
            | "ca-certificates"
            | "install"
            | "and"
            | "or"
            | "the"
            | "apt-utils"
            | "gdb"
            | "valgrind"
            | "lcov"
            | "ccache"
            | "docker"
            | "docker.io"
            | "python3-pip"
            | "to"
            | "on"
            | "if"
            | "for"
            | "you"
            | "then"
    ) || word.starts_with("gcc-")
        || word.starts_with("g++")
        || word.starts_with("clang-")
        || word.contains("multilib");
    if starts && is_name && !is_given {
        declared.hint(Hint::Package(word.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::tree::testing::lay;

    #[test]
    fn patterns_compile() {
        let all = [
            &APT,
            &BUILD_REQUIRES,
            &WRAPPED_NAME,
            &CONAN,
            &VCPKG,
            &JSON_WORD,
            &NIX,
            &YAML_ITEM,
        ];
        assert!(all.iter().all(|pattern| pattern.compiles()));
    }

    #[test]
    fn everybody_says_in_a_way_of_their_own_what_is_needed() {
        let folder = lay(&[
            (
                ".github/workflows/ci.yml",
                "    - run: |\n        sudo apt-get update && sudo apt-get -y install --no-install-recommends libfoo-dev \\\n          libbar-dev && make\n",
            ),
            (
                ".travis.yml",
                "addons:\n  apt:\n    packages:\n    - libtravis-dev\n    - gcc-9\nscript: make\n",
            ),
            ("README.md", "    $ sudo apt install libreadme-dev # needed\n"),
            (
                "docker/Dockerfile",
                "RUN apt-get install -y libdocker-dev && rm -rf /var\n",
            ),
            (
                "ship.spec",
                "BuildRequires: gcc, pkgconfig(glib-2.0) >= 2, zlib-devel\nBuildRequires:  cmake(Qt5Core)\n",
            ),
            ("conanfile.txt", "[requires]\nfmt/9.1.0\n[generators]\ncmake\n"),
            (
                "vcpkg.json",
                "{\"name\": \"x\", \"dependencies\": [\"sdl2\", {\"name\": \"curl\"}]}",
            ),
            (
                "shell.nix",
                "mkShell { buildInputs = with pkgs; [ cmake libpng pkgs.expat ]; }",
            ),
            ("debian/Dockerfile", "RUN apt-get install libsecret-dev\n"),
            ("dist/debian/Dockerfile", "RUN apt-get install libsecret-dev\n"),
        ]);
        let mut declared = Declared::default();
        read(&Tree::scan(folder.path()), &mut declared);
        let mut lines: Vec<String> = declared.hints.iter().map(ToString::to_string).collect();
        lines.push(String::new());
        expect![[r"
            package libfoo-dev
            package libbar-dev
            package libtravis-dev
            package libreadme-dev
            pkg-config module `fmt`
            package libdocker-dev
            pkg-config module `libpng`
            pkg-config module `expat`
            pkg-config module `glib-2.0`
            pkg-config module `zlib`
            CMake package `Qt5Core`
            pkg-config module `sdl2`
            pkg-config module `curl`
        "]]
        .assert_eq(&lines.join("\n"));
    }
}
