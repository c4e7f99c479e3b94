//! Snapshots of folders.

use std::os::unix::fs::PermissionsExt;

use expect_test::expect;
use fs_err as fs;
use seatrial_source::SourceSpec;

use crate::support::{World, listing};

#[test]
fn a_snapshot_has_everything_but_our_own_output_and_leaves_the_folder_alone() {
    let world = World::new();
    let project = world.path("project");
    for folder in [".git", ".hidden", "seatrial-out", "sub/seatrial-out", "empty"] {
        fs::create_dir_all(project.join(folder)).unwrap();
    }
    fs::write(project.join(".git/HEAD"), "ref").unwrap();
    fs::write(project.join(".hidden/file"), "h").unwrap();
    fs::write(project.join("seatrial-out/recipe.sh"), "x").unwrap();
    fs::write(project.join("sub/seatrial-out/kept"), "x").unwrap();
    fs::write(project.join("run"), "sh").unwrap();
    fs::set_permissions(project.join("run"), std::fs::Permissions::from_mode(0o755)).unwrap();
    fs::os::unix::fs::symlink("/etc/passwd", project.join("out")).unwrap();
    fs::os::unix::fs::symlink("nowhere", project.join("dangling")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        project.join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let before = listing(&project);

    let fetcher = world.fetcher();
    let pinned = fetcher.pin(&project.to_str().unwrap().parse().unwrap()).unwrap();
    let tree = fetcher.fetch(&pinned).unwrap();
    expect![[r#"
        d 755 .hidden
        f 644 .hidden/file "h"
        l dangling -> nowhere
        d 755 empty
        l out -> /etc/passwd
        f 755 run "sh"
        d 755 sub
        d 755 sub/seatrial-out
        f 644 sub/seatrial-out/kept "x"
    "#]]
    .assert_eq(&listing(&tree.root));
    assert!(tree.root.join(".git/HEAD").is_file());
    assert_eq!(Some(tree.digest), pinned.tree);
    assert_eq!(listing(&project), before);
    let warnings = fetcher.warnings();
    assert!(warnings.len() == 1 && warnings[0].contains("pipe"), "{warnings:?}");

    // The same folder is the same source; what was pinned stays what it was when the folder goes on.
    assert_eq!(
        fetcher.pin(&project.to_str().unwrap().parse().unwrap()).unwrap(),
        pinned
    );
    fs::write(project.join("run"), "sh-changed").unwrap();
    assert_eq!(
        fs::read(fetcher.fetch(&pinned).unwrap().root.join("run")).unwrap(),
        b"sh"
    );
    let changed = fetcher.pin(&project.to_str().unwrap().parse().unwrap()).unwrap();
    assert_ne!(changed.tree, pinned.tree);

    // Without the snapshot only the changed folder is left: that is not what was pinned.
    fs::remove_dir_all(world.home.root().join("cache/trees")).unwrap();
    let error = fetcher.fetch(&pinned).unwrap_err().to_string();
    assert!(error.contains("was pinned"), "{error}");
    world.assert_clean();
}

#[test]
fn a_folder_may_have_any_name() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};
    let world = World::new();
    for (name, short) in [
        (&b"two words"[..], "two-words"),
        (b"$(x) `y` ;", "x---y---"),
        (b"two\nlines", "two-lines"),
        (b"no\xfftext", "no-text"),
        (b"-leading", "leading"),
        (b"what?#sha256=1", "what--sha256-1"),
        (b"\xff", "source"),
    ] {
        let project = world.path("any").join(OsStr::from_bytes(name));
        fs::create_dir_all(project.join(OsStr::from_bytes(name))).unwrap();
        fs::write(project.join(OsStr::from_bytes(name)).join("x"), name).unwrap();
        let fetcher = world.fetcher();
        let spec = SourceSpec::from_word(project.as_os_str()).unwrap();
        let pinned = fetcher.pin(&spec).unwrap();
        assert_eq!(pinned.name, short);
        let tree = fetcher.fetch(&pinned).unwrap();
        assert_eq!(
            fs::read(tree.root.join(OsStr::from_bytes(name)).join("x")).unwrap(),
            name
        );
    }
    let gone = world.path("any").join(OsStr::from_bytes(b"gone\xff"));
    let error = SourceSpec::from_word(gone.as_os_str()).unwrap_err().to_string();
    assert!(
        error.contains("is no folder, and its name is not valid UTF-8\na source is one of"),
        "{error}"
    );
    world.assert_clean();
}

#[test]
fn a_data_folder_inside_the_project_is_not_copied_into_itself() {
    let folder = tempfile::tempdir().unwrap();
    let home = seatrial_store::Home::open(folder.path().join("data")).unwrap();
    fs::write(folder.path().join("main.c"), "int main;").unwrap();
    let fetcher = seatrial_source::Fetcher::new(&home, &seatrial_core::Platform::default_host());
    let pinned = fetcher.pin(&folder.path().to_str().unwrap().parse().unwrap()).unwrap();
    let tree = fetcher.fetch(&pinned).unwrap();
    assert_eq!(listing(&tree.root), "f 644 main.c \"int main;\"\n");
}

#[test]
fn an_unreadable_file_is_named() {
    if rustix::process::geteuid().is_root() {
        println!("skipped: root may read every file");
        return;
    }
    let world = World::new();
    fs::create_dir(world.path("project")).unwrap();
    let secret = world.path("project/secret");
    fs::write(&secret, "x").unwrap();
    fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o000)).unwrap();
    let error = world.fetch(world.path("project").to_str().unwrap()).unwrap_err();
    assert!(error.to_string().contains("project/secret"), "{error}");
    assert!(error.invalid_reason().is_none(), "the user can set it right");
    world.assert_clean();
}

#[test]
fn leftovers_of_a_killed_process_are_swept_and_live_ones_are_not() {
    let world = World::new();
    fs::create_dir(world.path("project")).unwrap();
    fs::write(world.path("project/a"), "x").unwrap();
    let trees = world.home.cache("trees").unwrap();
    fs::create_dir_all(trees.join(".new-dead/tree/deep")).unwrap();
    let live = seatrial_store::Lease::take(trees.join(".new-live")).unwrap();
    world.fetch(world.path("project").to_str().unwrap()).unwrap();
    assert!(!trees.join(".new-dead").exists());
    assert!(live.folder().exists());
}

#[test]
fn many_fetchers_of_one_source_do_not_disturb_each_other() {
    let world = World::new();
    fs::create_dir(world.path("project")).unwrap();
    for number in 0..50 {
        fs::write(world.path(&format!("project/{number}")), "x").unwrap();
    }
    let spec = world.path("project").display().to_string();
    let digests: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| world.fetch(&spec).unwrap().digest))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(digests.iter().all(|digest| *digest == digests[0]));
    world.assert_clean();
}

#[test]
fn folders_that_nobody_can_copy_are_refused_before_they_are_copied() {
    let world = World::new();
    // On a disk this file takes nothing, a copy of it could take everything.
    fs::create_dir(world.path("holes")).unwrap();
    let file = fs::File::create(world.path("holes/endless")).unwrap();
    file.file().set_len(1 << 42).unwrap();
    let error = world.fetch(world.path("holes").to_str().unwrap()).unwrap_err();
    assert!(error.to_string().contains("too large"), "{error}");
    assert!(error.invalid_reason().is_none(), "the user can set it right");

    // Deeper than a path can be: made and removed step by step.
    let top = world.path("deep");
    fs::create_dir(&top).unwrap();
    let mut below = rustix::fs::open(&top, rustix::fs::OFlags::DIRECTORY, rustix::fs::Mode::empty()).unwrap();
    for _ in 0..2500 {
        rustix::fs::mkdirat(&below, "d", rustix::fs::Mode::RWXU).unwrap();
        below = rustix::fs::openat(&below, "d", rustix::fs::OFlags::DIRECTORY, rustix::fs::Mode::empty()).unwrap();
    }
    let error = world.fetch(top.to_str().unwrap()).unwrap_err();
    assert!(error.invalid_reason().is_none(), "{error}");
    let text = error.to_string();
    assert!(text.contains("nested deeper") && text.len() < 500, "{text}");
    world.assert_clean();
}
