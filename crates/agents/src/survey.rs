//! What lies in a tree, by name: all that the baselines decide by.

use std::{
    collections::BTreeMap,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

/// Entries that are looked at; a tree with more is judged by these.
const MOST_ENTRIES: usize = 200_000;

/// The files of a tree: path relative to its root, and whether it is executable.
pub(crate) struct Survey {
    files: BTreeMap<String, bool>,
}

impl Survey {
    /// Walks a tree. Links count as files, and are not followed.
    pub(crate) fn of(root: &Path) -> Self {
        let mut files = BTreeMap::new();
        let mut folders: Vec<(PathBuf, String)> = vec![(root.to_owned(), String::new())];
        let mut seen = 0_usize;
        while let Some((folder, prefix)) = folders.pop() {
            let Ok(entries) = fs_err::read_dir(&folder) else {
                continue;
            };
            for entry in entries.flatten() {
                seen += 1;
                if seen > MOST_ENTRIES {
                    return Self { files };
                }
                let Ok(kind) = entry.file_type() else { continue };
                // A name that is no text cannot be written into a script, and no build system has such a name.
                let Ok(name) = entry.file_name().into_string() else {
                    continue;
                };
                let path = format!("{prefix}{name}");
                if kind.is_dir() {
                    if name != ".git" {
                        folders.push((entry.path(), format!("{path}/")));
                    }
                } else {
                    let executable = kind.is_file()
                        && entry
                            .metadata()
                            .is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0);
                    files.insert(path, executable);
                }
            }
        }
        Self { files }
    }

    /// A tree that was made up: paths, those of executables with a `*` at the end.
    #[cfg(test)]
    pub(crate) fn made_up(paths: &[&str]) -> Self {
        let file = |path: &&str| {
            let name = path.trim_end_matches('*');
            (name.to_owned(), name.len() < path.len())
        };
        Self {
            files: paths.iter().map(file).collect(),
        }
    }

    /// Every file, in order.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Whether the file is there.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Whether the file is there and executable.
    pub(crate) fn is_executable(&self, path: &str) -> bool {
        self.files.get(path).copied().unwrap_or(false)
    }

    /// The names of the files of one folder; `""` is the root.
    pub(crate) fn names_in(&self, folder: &str) -> impl Iterator<Item = &str> {
        let prefix = if folder.is_empty() {
            String::new()
        } else {
            format!("{folder}/")
        };
        self.files
            .keys()
            .filter_map(move |path| path.strip_prefix(prefix.as_str()))
            .filter(|rest| !rest.contains('/'))
    }

    /// Every folder that has a file in it, the root first.
    pub(crate) fn folders(&self) -> Vec<&str> {
        let mut folders: Vec<&str> = self.files().map(|path| folder_and_name(path).0).collect();
        folders.sort_unstable();
        folders.dedup();
        folders
    }
}

/// Splits a path; the folder of a file in the root is `""`.
pub(crate) fn folder_and_name(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_seen_as_it_lies() {
        let folder = tempfile::tempdir().unwrap();
        fs_err::create_dir_all(folder.path().join("src/deep")).unwrap();
        fs_err::create_dir_all(folder.path().join(".git")).unwrap();
        for name in ["configure", "src/deep/Makefile", ".git/Makefile"] {
            fs_err::write(folder.path().join(name), "").unwrap();
        }
        fs_err::set_permissions(folder.path().join("configure"), std::fs::Permissions::from_mode(0o755)).unwrap();
        std::os::unix::fs::symlink("/etc", folder.path().join("link")).unwrap();
        let survey = Survey::of(folder.path());
        assert_eq!(
            survey.files().collect::<Vec<_>>(),
            ["configure", "link", "src/deep/Makefile"]
        );
        assert!(survey.is_executable("configure") && !survey.is_executable("link"));
        assert_eq!(survey.folders(), ["", "src/deep"]);
        assert_eq!(survey.names_in("src/deep").collect::<Vec<_>>(), ["Makefile"]);
    }
}
