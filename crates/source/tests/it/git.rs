//! Git repositories made here, with nested and relative submodules.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use expect_test::expect;
use fs_err as fs;
use seatrial_core::SourceKind;

use crate::support::{World, fetch_with, listing, run};

fn git(folder: &Path, arguments: &[&str]) -> String {
    assert!(run(
        folder,
        "git",
        &[&["-c", "protocol.file.allow=always"], arguments].concat()
    ));
    let output = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// A repository with one commit of one file.
fn repository(folder: &Path, name: &str) -> Option<PathBuf> {
    let path = folder.join(name);
    fs::create_dir_all(&path).unwrap();
    if !run(&path, "git", &["init", "-q", "-b", "main"]) {
        println!("skipped: git is not installed");
        return None;
    }
    commit(&path, "file", name);
    Some(path)
}

fn commit(repository: &Path, file: &str, content: &str) -> String {
    fs::write(repository.join(file), content).unwrap();
    assert!(run(repository, "git", &["add", "-A"]));
    assert!(run(repository, "git", &["commit", "-q", "-m", content]));
    read(repository, &["rev-parse", "HEAD"])
}

/// What git says about a tree, without the user's configuration.
fn read(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "safe.directory=*"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[test]
fn a_commit_is_laid_without_anything_that_came_later() {
    let world = World::new();
    let Some(origin) = repository(world.folder.path(), "origin") else {
        return;
    };
    let pinned_commit = commit(&origin, "file", "pinned");
    git(&origin, &["tag", "-a", "-m", "x", "v1"]);
    let later = commit(&origin, "solution", "later");
    let spec = format!("git+{}@{pinned_commit}", origin.display());
    let tree = world.fetch(&spec).unwrap();
    assert_eq!(listing(&tree.root), "f 644 file \"pinned\"\n");
    assert_eq!(read(&tree.root, &["rev-parse", "HEAD"]), pinned_commit);
    assert_eq!(read(&tree.root, &["rev-list", "--all", "HEAD"]), pinned_commit);
    assert_eq!(read(&tree.root, &["for-each-ref"]), "");
    assert_eq!(read(&tree.root, &["status", "--porcelain"]), "");
    assert!(!read(&tree.root, &["describe", "--always"]).is_empty());
    let objects = read(
        &tree.root,
        &["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"],
    );
    assert!(!objects.contains(&later));
    assert_eq!(objects.lines().count(), 3, "commit, tree, file");
    for left in ["FETCH_HEAD", "ORIG_HEAD", "logs", "hooks"] {
        assert!(!tree.root.join(".git").join(left).exists(), "{left}");
    }
    // Two fetches of one commit agree although git's own files differ.
    let other = World::new();
    assert_eq!(other.fetch(&spec).unwrap().digest, tree.digest);

    // Branches and annotated tags name commits; all files have the commit's time.
    let fetcher = world.fetcher();
    for (revision, expected) in [("@v1", &pinned_commit), ("@main", &later), ("", &later)] {
        let spec = format!("git+file://{}{revision}", origin.display());
        let pinned = fetcher.pin(&spec.parse().unwrap()).unwrap();
        let SourceKind::Git { commit, .. } = &pinned.origin else {
            panic!("{pinned:?}");
        };
        assert_eq!(commit, expected, "{revision}");
    }
    let time = fs::metadata(tree.root.join("file")).unwrap().modified().unwrap();
    let seconds = time.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    assert_eq!(seconds, 1_577_934_245);
}

#[test]
fn submodules_are_real_ones_at_their_pinned_commits() {
    let world = World::new();
    let root = world.folder.path();
    let (Some(inner), Some(middle), Some(outer)) = (
        repository(root, "inner"),
        repository(root, "middle"),
        repository(root, "outer"),
    ) else {
        return;
    };
    let inner_pinned = read(&inner, &["rev-parse", "HEAD"]);
    git(
        &middle,
        &[
            "submodule",
            "--quiet",
            "add",
            "--name",
            "deep",
            "../inner",
            "third party/in",
        ],
    );
    let middle_pinned = commit(&middle, "file", "middle");
    git(&outer, &["submodule", "--quiet", "add", "../middle", "lib/mid"]);
    let outer_pinned = commit(&outer, "file", "outer");
    commit(&inner, "file", "later");
    commit(&middle, "file", "later");

    let tree = world
        .fetch(&format!("git+file://{}@{outer_pinned}", outer.display()))
        .unwrap();
    expect![[r#"
        f 644 .gitmodules "[submodule \"lib/mid\"]\n\tpath = lib/mid\n\tu"
        f 644 file "outer"
        d 755 lib
        d 755 lib/mid
        f 644 lib/mid/.gitmodules "[submodule \"deep\"]\n\tpath = third party/i"
        f 644 lib/mid/file "middle"
        d 755 lib/mid/third party
        d 755 lib/mid/third party/in
        f 644 lib/mid/third party/in/file "inner"
    "#]]
    .assert_eq(&listing(&tree.root));
    // A copy somewhere else, as in a box where the origin cannot be reached.
    let moved = world.path("moved");
    assert!(run(
        root,
        "cp",
        &["-a", tree.root.to_str().unwrap(), moved.to_str().unwrap()]
    ));
    for repository in ["inner", "middle", "outer"] {
        fs::rename(world.path(repository), world.path(&format!("{repository}-gone"))).unwrap();
    }
    assert_eq!(read(&moved, &["submodule", "update", "--init", "--recursive"]), "");
    let mid = moved.join("lib/mid");
    assert_eq!(read(&mid, &["rev-parse", "HEAD"]), middle_pinned);
    assert_eq!(read(&mid.join("third party/in"), &["rev-parse", "HEAD"]), inner_pinned);
    assert_eq!(read(&mid, &["rev-list", "--all", "HEAD"]), middle_pinned);
    assert_eq!(read(&moved, &["status", "--porcelain", "--ignore-submodules=none"]), "");
    let status = read(&moved, &["submodule", "status", "--recursive"]);
    assert!(status.lines().all(|line| !line.starts_with(['-', '+'])), "{status}");
}

#[test]
fn what_cannot_be_had_is_named() {
    let world = World::new();
    let root = world.folder.path();
    let (Some(sub), Some(outer)) = (repository(root, "sub"), repository(root, "outer")) else {
        return;
    };
    git(&outer, &["submodule", "--quiet", "add", "../sub", "lib/sub"]);
    let commit_with_sub = commit(&outer, "file", "x");
    fs::rename(&sub, root.join("elsewhere")).unwrap();
    let error = world
        .fetch(&format!("git+{}@{commit_with_sub}", outer.display()))
        .unwrap_err();
    assert!(
        error.to_string().contains("submodule `lib/sub` cannot be fetched"),
        "{error}"
    );
    assert_eq!(
        error.invalid_reason(),
        Some(seatrial_core::InvalidReason::SourceUnavailable)
    );

    let missing = "1".repeat(40);
    let error = world.fetch(&format!("git+{}@{missing}", outer.display())).unwrap_err();
    assert!(error.to_string().contains("is no longer to be had"), "{error}");
    let error = world.fetch(&format!("git+{}@nothing", outer.display())).unwrap_err();
    assert!(error.to_string().contains("no branch or tag `nothing`"), "{error}");
    let error = world
        .fetch(&format!("git+file://{}", world.path("none").display()))
        .unwrap_err();
    assert!(matches!(error, seatrial_source::SourceError::Network { .. }), "{error}");
    world.assert_clean();
    let scratch = world.home.cache("scratch").unwrap();
    assert_eq!(fs::read_dir(scratch).unwrap().count(), 0);
}

#[test]
fn a_hostile_submodule_is_refused() {
    let world = World::new();
    let Some(outer) = repository(world.folder.path(), "outer") else {
        return;
    };
    let head = read(&outer, &["rev-parse", "HEAD"]);
    for (modules, expected) in [
        (
            "[submodule \"../../escaped\"]\n\tpath = sub\n\turl = ../sub\n",
            "leads out",
        ),
        ("[submodule \"x\"]\n\tpath = sub\n\turl = ext::sh -c true\n", "URL"),
        ("[submodule \"x\"]\n\tpath = sub\n\turl = -u./escaped\n", ""),
    ] {
        fs::write(outer.join(".gitmodules"), modules).unwrap();
        git(
            &outer,
            &["update-index", "--add", "--cacheinfo", &format!("160000,{head},sub")],
        );
        git(&outer, &["add", ".gitmodules"]);
        git(&outer, &["commit", "-q", "-m", "x"]);
        let error = fetch_with(&world.fetcher(), &format!("git+{}", outer.display())).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert!(!world.path("escaped").exists());
    }
    world.assert_clean();
}
