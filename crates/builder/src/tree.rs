//! A source tree on the host, listed once within bounds. Reads only; a hostile tree costs a bounded amount of work.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Read,
    path::{Path, PathBuf},
};

use fs_err as fs;

use crate::names;

/// Folders below the top that are still looked into.
const DEPTH: usize = 12;
/// Files and folders that are listed.
const ENTRIES: usize = 120_000;
/// Bytes that are read of one file.
const TEXT: u64 = 512 << 10;

/// The listed tree. Paths are relative to its top, with `/`, without a leading one, written as [`names`] does it.
pub(crate) struct Tree {
    root: PathBuf,
    files: BTreeMap<String, FileFacts>,
    folders: BTreeSet<String>,
    /// Whether a bound was met, so that something may be missing.
    pub(crate) cut: bool,
    /// Folders that could not be read.
    pub(crate) unreadable: Vec<String>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct FileFacts {
    pub(crate) executable: bool,
}

impl Tree {
    /// Lists a folder.
    pub(crate) fn scan(root: &Path) -> Self {
        let mut tree = Self {
            root: root.to_owned(),
            files: BTreeMap::new(),
            folders: BTreeSet::new(),
            cut: false,
            unreadable: Vec::new(),
        };
        let mut queue = vec![(String::new(), 0_usize)];
        while let Some((folder, depth)) = queue.pop() {
            let Ok(entries) = fs::read_dir(root.join(names::real(&folder))) else {
                tree.unreadable.push(folder);
                continue;
            };
            for entry in entries.flatten() {
                if tree.files.len() + tree.folders.len() >= ENTRIES {
                    tree.cut = true;
                    return tree;
                }
                let name = names::written(&entry.file_name());
                let name = name.as_str();
                let Ok(kind) = entry.file_type() else { continue };
                let path = join(&folder, name);
                if kind.is_dir() {
                    if matches!(name, ".git" | ".hg" | ".svn" | ".bzr" | "CVS" | "_darcs") {
                        continue;
                    }
                    if depth < DEPTH {
                        queue.push((path.clone(), depth + 1));
                    } else {
                        tree.cut = true;
                    }
                    tree.folders.insert(path);
                } else if let Some(facts) = tree.facts(&path, kind.is_symlink()) {
                    tree.files.insert(path, facts);
                }
            }
        }
        tree
    }

    /// Facts of a regular file, or of a link to one that stays in the tree.
    fn facts(&self, path: &str, link: bool) -> Option<FileFacts> {
        use std::os::unix::fs::PermissionsExt as _;
        let full = self.root.join(names::real(path));
        if link {
            let target = fs::canonicalize(&full).ok()?;
            let top = fs::canonicalize(&self.root).ok()?;
            if !target.starts_with(top) {
                return None;
            }
        }
        let metadata = fs::metadata(&full).ok()?;
        metadata.is_file().then(|| FileFacts {
            executable: metadata.permissions().mode() & 0o111 != 0,
        })
    }

    pub(crate) fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    pub(crate) fn get(&self, path: &str) -> Option<FileFacts> {
        self.files.get(path).copied()
    }

    pub(crate) fn has_folder(&self, path: &str) -> bool {
        self.folders.contains(path)
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    pub(crate) fn folders(&self) -> impl Iterator<Item = &str> {
        std::iter::once("").chain(self.folders.iter().map(String::as_str))
    }

    /// Files directly in a folder, by name.
    pub(crate) fn names_in<'t>(&'t self, folder: &str) -> Vec<&'t str> {
        self.below(folder)
            .filter_map(|path| {
                let name = strip(path, folder);
                (!name.contains('/')).then_some(name)
            })
            .collect()
    }

    /// Files at any depth below a folder, by path from the top.
    pub(crate) fn below<'t>(&'t self, folder: &str) -> impl Iterator<Item = &'t str> + use<'t> {
        let prefix = if folder.is_empty() {
            String::new()
        } else {
            format!("{folder}/")
        };
        self.files
            .range(prefix.clone()..)
            .map(|(path, _)| path.as_str())
            .take_while(move |path| path.starts_with(&prefix))
    }

    /// The start of a file as text; bytes that are no UTF-8 are replaced.
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        self.head(path, TEXT)
    }

    /// At most so many bytes of a file as text.
    pub(crate) fn head(&self, path: &str, limit: u64) -> Option<String> {
        if !self.has(path) {
            return None;
        }
        let mut bytes = Vec::new();
        let file = fs::File::open(self.root.join(names::real(path))).ok()?;
        file.take(limit).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Whether there is nothing at all but version-control data.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Folders that `.gitmodules` names and that are missing or empty.
    pub(crate) fn empty_submodules(&self) -> Vec<String> {
        let Some(text) = self.text(".gitmodules") else {
            return Vec::new();
        };
        text.lines()
            .filter_map(|line| line.trim().strip_prefix("path"))
            .filter_map(|rest| rest.trim_start().strip_prefix('='))
            .map(|path| path.trim().trim_end_matches('/').to_owned())
            .filter(|path| !path.is_empty() && self.below(path).next().is_none())
            .collect()
    }
}

/// Joins a folder and a name.
pub(crate) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

/// A path relative to a folder that it is below.
pub(crate) fn strip<'p>(path: &'p str, folder: &str) -> &'p str {
    if folder.is_empty() {
        path
    } else {
        path.strip_prefix(folder)
            .map_or(path, |rest| rest.trim_start_matches('/'))
    }
}

/// The folder of a path.
pub(crate) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The last part of a path.
pub(crate) fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The kind of a source file by its extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    C,
    Cxx,
}

/// The language of a file that is compiled; headers are none.
pub(crate) fn language(path: &str) -> Option<Language> {
    let (stem, extension) = base(path).rsplit_once('.')?;
    if stem.is_empty() {
        return None;
    }
    match extension {
        "c" => Some(Language::C),
        "cc" | "cpp" | "cxx" | "c++" | "C" | "CPP" | "cp" => Some(Language::Cxx),
        _ => None,
    }
}

/// Whether a folder of a path says that it is not the project itself: foreign code, other systems, tests, documents.
pub(crate) fn is_side_folder(path: &str) -> bool {
    path.split('/').any(|part| {
        let lower = part.to_ascii_lowercase();
        matches!(
            lower.as_str(),
            "third_party"
                | "thirdparty"
                | "third-party"
                | "3rdparty"
                | "3rd_party"
                | "3rd-party"
                | "vendor"
                | "vendored"
                | "external"
                | "externals"
                | "extern"
                | "deps"
                | "dependencies"
                | "contrib"
                | "contribs"
                | "subprojects"
                | "examples"
                | "example"
                | "samples"
                | "sample"
                | "demo"
                | "demos"
                | "tutorial"
                | "tutorials"
                | "test"
                | "tests"
                | "testing"
                | "testsuite"
                | "unittest"
                | "unittests"
                | "t"
                | "fuzz"
                | "fuzzing"
                | "bench"
                | "benchmark"
                | "benchmarks"
                | "doc"
                | "docs"
                | "documentation"
                | "man"
                | "po"
                | "website"
                | "android"
                | "ios"
                | "win32"
                | "win64"
                | "windows"
                | "win"
                | "msvc"
                | "vc"
                | "vs"
                | "visualc"
                | "msw"
                | "macosx"
                | "macos"
                | "osx"
                | "mac"
                | "darwin"
                | "os2"
                | "dos"
                | "msdos"
                | "vms"
                | "amiga"
                | "wince"
                | "emscripten"
                | "wasm"
                | "debian"
                | "rpm"
                | "snap"
                | "flatpak"
                | "docker"
                | "packaging"
                | "dist"
                | "attic"
                | "old"
                | "obsolete"
                | "node_modules"
                | "python"
                | "java"
                | "perl"
                | "ruby"
                | "bindings"
                | "gnulib"
                | "gnulib-tests"
                | "mingw"
                | "cygwin"
                | "borland"
                | "watcom"
                | "xcode"
        )
    })
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// Lays a tree described as `path` or `path: content` lines; `\n` in the content is a line break, a path that ends in `/` a folder,
    /// and `*` before a path makes it executable.
    pub(crate) fn lay(lines: &[(&str, &str)]) -> tempfile::TempDir {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        for (path, content) in lines {
            let (path, executable) = path.strip_prefix('*').map_or((*path, false), |path| (path, true));
            let full = folder.path().join(path);
            if path.ends_with('/') {
                fs::create_dir_all(full).unwrap();
                continue;
            }
            fs::create_dir_all(full.parent().unwrap()).unwrap();
            fs::write(&full, content).unwrap();
            if executable {
                fs::set_permissions(&full, std::fs::Permissions::from_mode(0o755)).unwrap();
            }
        }
        folder
    }

    #[test]
    fn a_hostile_tree_is_listed_within_bounds() {
        let folder = lay(&[("a.c", "int main(void){return 0;}"), ("sub/b.c", "")]);
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("Makefile")).unwrap();
        std::os::unix::fs::symlink("a.c", folder.path().join("link.c")).unwrap();
        std::os::unix::fs::symlink("loop", folder.path().join("loop")).unwrap();
        std::os::unix::fs::symlink("..", folder.path().join("sub/up")).unwrap();
        let tree = Tree::scan(folder.path());
        assert_eq!(tree.files().collect::<Vec<_>>(), ["a.c", "link.c", "sub/b.c"]);
        assert_eq!(tree.names_in("sub"), ["b.c"]);
        assert!(Tree::scan(&folder.path().join("missing")).is_empty());
    }
}
