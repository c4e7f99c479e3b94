//! An index that answers is never lost to one that could not be made.

use std::{
    env,
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Command, Stdio},
};

use seatrial_core::{Arch, Platform};
use seatrial_packages::{BuildInput, Key, PackageIndex, PackagesError, Resolver as _, build, remove, shelved};
use seatrial_source::{DebianArchive, Mirror};
use seatrial_store::Home;

fn make(path: &Path, contents: &Path, tick: &mut dyn FnMut(&Path)) -> Result<(), PackagesError> {
    fs_err::write(contents, "usr/bin/thing utils/thing\n")?;
    let contents = [contents.to_owned()];
    let input = BuildInput {
        contents: &contents,
        binaries: &[super::synthetic::binary("thing", "", "")],
        sources: &[],
        arch: Arch::X86_64,
        definitions: &[],
    };
    build(path, &input, tick).map(|_| ())
}

#[test]
fn without_an_archive_the_old_index_answers_and_its_age_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::open(folder.path()).unwrap();
    let platform: Platform = "debian:bookworm/x86_64".parse().unwrap();
    let nowhere = Mirror {
        uri: format!("file://{}", folder.path().join("no-mirror").display()),
        suites: vec!["bookworm".to_owned()],
        components: vec!["main".to_owned()],
        keyrings: Vec::new(),
    };
    let archive = || Ok(DebianArchive::with_mirror(&nowhere, &home, &platform, None));
    assert!(PackageIndex::of_archive(&home, &platform, archive(), None).is_err());
    let old = home
        .cache("packages")
        .unwrap()
        .join("debian-bookworm-x86_64-0123456789ab.idx");
    make(&old, &folder.path().join("Contents"), &mut |_| ()).unwrap();
    let index = PackageIndex::of_archive(&home, &platform, archive(), None).unwrap();
    assert_eq!(index.path(), old);
    let note = index.notes().concat();
    assert!(note.contains("is used as it is") && note.contains("ago"), "{note}");
    // A newer file that is damaged, such as one that the disk had no room for, is passed over.
    let damaged = old.with_file_name("debian-bookworm-x86_64-ffffffffffff.idx");
    fs_err::write(&damaged, "SEAPKIX").unwrap();
    let index = PackageIndex::of_archive(&home, &platform, archive(), None).unwrap();
    assert_eq!(index.path(), old);
    let listed = shelved(&home).unwrap();
    assert_eq!(listed.iter().filter(|index| index.names.is_some()).count(), 1);
    assert_eq!(remove(&home, &platform).unwrap(), [old, damaged]);
    assert!(shelved(&home).unwrap().is_empty());
}

const KILLED: &str = "SEATRIAL_TEST_KILLED_BUILD";

#[test]
fn a_killed_build_leaves_the_old_index() {
    if let Some(folder) = env::var_os(KILLED) {
        // The child: it stands in the middle of its work until it is killed.
        let folder = Path::new(&folder);
        let waiting = &mut |_: &Path| {
            println!("\nbegun");
            drop(std::io::stdin().read(&mut [0]));
        };
        make(&folder.join("x.idx"), &folder.join("Contents"), waiting).unwrap();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.idx");
    make(&path, &folder.path().join("Contents"), &mut |_| ()).unwrap();
    let whole = fs_err::read(&path).unwrap();
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "kept::a_killed_build_leaves_the_old_index", "--nocapture"])
        .env(KILLED, folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let begun = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok)
        .any(|line| line == "begun");
    assert!(begun);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(fs_err::read(&path).unwrap(), whole);
}

const READ_ONLY: &str = "SEATRIAL_TEST_READ_ONLY_HOME";

#[test]
fn an_index_in_a_folder_that_may_only_be_read_is_listed_and_answers() {
    let platform: Platform = "debian:bookworm/x86_64".parse().unwrap();
    if let Some(folder) = env::var_os(READ_ONLY) {
        // The child, to which the folder is mounted without the right to write.
        let folder = Path::new(&folder);
        assert!(fs_err::write(folder.join("x"), "").is_err());
        let home = Home::open(folder).unwrap();
        assert_eq!(shelved(&home).unwrap().len(), 1);
        let nowhere = Mirror {
            uri: format!("file://{}", folder.join("no-mirror").display()),
            suites: vec!["bookworm".to_owned()],
            components: vec!["main".to_owned()],
            keyrings: Vec::new(),
        };
        let archive = Ok(DebianArchive::with_mirror(&nowhere, &home, &platform, None));
        let index = PackageIndex::of_archive(&home, &platform, archive, None).unwrap();
        let found = index.resolve(&Key::Command("thing".to_owned()));
        assert_eq!(found.first().unwrap().package, "thing");
        println!("\nanswered");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let index = folder
        .path()
        .join("cache/packages/debian-bookworm-x86_64-0123456789ab.idx");
    fs_err::create_dir_all(index.parent().unwrap()).unwrap();
    let contents = tempfile::tempdir().unwrap();
    make(&index, &contents.path().join("Contents"), &mut |_| ()).unwrap();
    let script =
        "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\" && shift && echo mounted && exec \"$@\"";
    let output = Command::new("unshare")
        .args(["--map-root-user", "--mount", "sh", "-c", script, "sh"])
        .arg(folder.path())
        .arg(env::current_exe().unwrap())
        .args([
            "--exact",
            "kept::an_index_in_a_folder_that_may_only_be_read_is_listed_and_answers",
            "--nocapture",
        ])
        .env(READ_ONLY, folder.path())
        .output();
    let text = match &output {
        Ok(output) => [&output.stdout, &output.stderr]
            .map(|text| String::from_utf8_lossy(text))
            .concat(),
        Err(error) => {
            println!("skipped: cannot run unshare: {error}");
            return;
        }
    };
    if !text.contains("mounted") {
        println!("skipped: this user may not mount in a namespace of its own");
        return;
    }
    assert!(text.contains("answered"), "{text}");
}
