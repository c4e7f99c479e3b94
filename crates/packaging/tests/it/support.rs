//! Small packages, and the programs that know them.

use std::{
    collections::BTreeMap,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

pub(crate) fn write(root: &Path, path: &str, content: impl AsRef<[u8]>) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

pub(crate) fn run_bit(root: &Path, path: &str, runs: bool) {
    let mode = if runs { 0o755 } else { 0o644 };
    std::fs::set_permissions(root.join(path), std::fs::Permissions::from_mode(mode)).unwrap();
}

pub(crate) fn read(root: &Path, path: &str) -> String {
    let content = std::fs::read(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    String::from_utf8_lossy(&content).into_owned()
}

/// Whether a program is there; says so when it is not.
pub(crate) fn program(name: &str) -> bool {
    let found = Command::new(name)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok();
    if !found {
        println!("skipped: `{name}` is not installed");
    }
    found
}

/// Runs a program in a folder; the error is what it said.
pub(crate) fn run(folder: &Path, words: &[&str]) -> Result<String, String> {
    let output = Command::new(words[0])
        .args(&words[1..])
        .current_dir(folder)
        .env("LC_ALL", "C")
        .env("HOME", folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        Ok(text(&output.stdout))
    } else {
        Err(format!("{words:?}: {}{}", text(&output.stdout), text(&output.stderr)))
    }
}

/// All files of a tree: the content, whether it runs, or where a link leads.
pub(crate) fn files(root: &Path) -> BTreeMap<PathBuf, (Vec<u8>, String)> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_owned();
            let metadata = path.symlink_metadata().unwrap();
            if name == Path::new(".pc") {
                continue;
            }
            if metadata.is_symlink() {
                let target = std::fs::read_link(&path).unwrap();
                files.insert(name, (target.into_os_string().into_encoded_bytes(), "link".to_owned()));
            } else if metadata.is_dir() {
                folders.push(path);
            } else {
                let runs = metadata.permissions().mode() & 0o100 != 0;
                let what = if runs { "program" } else { "file" };
                files.insert(name, (std::fs::read(&path).unwrap(), what.to_owned()));
            }
        }
    }
    files
}

/// Fails with the names of the files that are not the same.
pub(crate) fn assert_same(one: &Path, other: &Path) {
    let (one, other) = (files(one), files(other));
    let paths: std::collections::BTreeSet<&PathBuf> = one.keys().chain(other.keys()).collect();
    let different: Vec<_> = paths
        .into_iter()
        .filter(|path| one.get(*path) != other.get(*path))
        .collect();
    assert!(
        different.is_empty(),
        "{different:?}: {:?} {:?}",
        different
            .first()
            .and_then(|path| one.get(*path))
            .map(|(content, what)| (what, String::from_utf8_lossy(content))),
        different
            .first()
            .and_then(|path| other.get(*path))
            .map(|(content, what)| (what, String::from_utf8_lossy(content))),
    );
}
