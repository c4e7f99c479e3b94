//! Boxes of an ordinary user.

use std::{
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command as Process, Stdio},
};

use seatrial_core::Platform;
use seatrial_sandbox::{BoxSpec, ChangeKind, ImageStore, Limits, NativeFactory, Network, SandboxError, SandboxFactory};
use seatrial_store::Home;

use crate::support::{HELPER, helper, script, small_tree};

const ARCHIVE: &str = "SEATRIAL_TEST_USER_ARCHIVE";
const HOME: &str = "SEATRIAL_TEST_HOME";
const LACKING: u8 = 77;

/// A user who exists as long as this value.
struct User(String);

impl User {
    fn add(home: &Path) -> Result<Self, String> {
        let name = format!("seatrial-t{}", std::process::id());
        let output = Process::new("useradd")
            .args(["--no-create-home", "--home-dir"])
            .arg(home)
            .arg(&name)
            .output();
        let output = output.map_err(|error| format!("useradd: {error}"))?;
        if output.status.success() {
            Ok(Self(name))
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }
}

impl Drop for User {
    fn drop(&mut self) {
        drop(Process::new("userdel").arg(&self.0).stderr(Stdio::null()).status());
    }
}

#[test]
fn an_ordinary_user_has_boxes_too() {
    if !rustix::process::geteuid().is_root() {
        println!("skipped: the whole suite runs as an ordinary user already");
        return;
    }
    let Some(small) = small_tree() else { return };
    // The user may not look into the folders of root, so what it needs is laid where it can.
    let folder = tempfile::Builder::new().prefix("seatrial-user-").tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let user = match User::add(folder.path()) {
        Ok(user) => user,
        Err(why) => {
            println!("skipped: no user can be added: {why}");
            return;
        }
    };
    let home = folder.path().join("home");
    std::fs::create_dir(&home).unwrap();
    let archive = folder.path().join("small.tar");
    std::fs::write(&archive, small).unwrap();
    let (program, box_helper) = (folder.path().join("it"), folder.path().join("seatrial-box"));
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    std::fs::copy(helper(), &box_helper).unwrap();
    assert!(
        Process::new("chown")
            .arg("-R")
            .arg(&user.0)
            .arg(&home)
            .status()
            .unwrap()
            .success()
    );
    let output = Process::new("setpriv")
        .args(["--reuid", &user.0, "--regid", &user.0, "--init-groups"])
        .arg(&program)
        .args([
            "--exact",
            "users::in_the_name_of_a_user",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(HELPER, &box_helper)
        .env(ARCHIVE, &archive)
        .env(HOME, &home)
        .current_dir("/")
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            println!("skipped: setpriv: {error}");
            return;
        }
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(LACKING.into()) {
        println!("skipped: {text}");
        return;
    }
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    println!("{text}");
    let left: Vec<_> = std::fs::read_dir(home.join("boxes"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Not a test of its own: what the other one runs as an ordinary user.
#[test]
#[expect(clippy::exit, reason = "tells the test in the other process why nothing was tried")]
fn in_the_name_of_a_user() {
    let Some(archive) = std::env::var_os(ARCHIVE) else {
        return;
    };
    let home = Home::open(std::env::var_os(HOME).unwrap()).unwrap();
    let images = ImageStore::new(&home, helper());
    let platform = Platform::default_host();
    let image = match images.import_tar(Path::new(&archive), &platform) {
        Ok(image) => image,
        Err(error @ (SandboxError::NoProgram { .. } | SandboxError::Kernel { .. })) => {
            println!("{error}");
            std::process::exit(LACKING.into());
        }
        Err(error) => panic!("{error}"),
    };
    assert_eq!(images.find(&platform).unwrap().map(|found| found.id), Some(image.id));
    let factory = NativeFactory::new(&home, helper()).unwrap();
    let mut first = factory
        .start(&BoxSpec {
            image: image.id,
            limits: Limits::default(),
            network: Network::Off,
        })
        .unwrap();
    let sandbox = &mut *first;
    assert_eq!(script(sandbox, "id -u; stat -c '%u %g' /tmp"), "0\n12 34\n");
    script(
        sandbox,
        "mkdir -p /w/sub; echo one > /w/file; chown 1234:1234 /w/file; chmod 000 /w/sub /w/file",
    );
    let before = sandbox.snapshot().unwrap();
    script(sandbox, "echo two > /w/file; rm -r /w/sub; mkdir /w/new");
    let changes: Vec<_> = sandbox
        .changes(&before)
        .unwrap()
        .into_iter()
        .map(|change| (change.path, change.kind))
        .collect();
    let digest = seatrial_core::Digest::of(b"two\n");
    let file = ChangeKind::File {
        size: 4,
        mode: 0,
        digest,
        head: b"two\n".to_vec(),
    };
    let wanted = [
        ("/w/file".to_owned(), file),
        ("/w/new".to_owned(), ChangeKind::Folder { mode: 0o755 }),
        ("/w/sub".to_owned(), ChangeKind::Deleted),
    ];
    assert_eq!(changes, wanted);
    sandbox.rollback(&before).unwrap();
    assert_eq!(script(sandbox, "cat /w/file; ls -d /w/sub"), "one\n/w/sub\n");
    let error = images.remove(&image.id).unwrap_err();
    assert!(error.to_string().contains("in use"), "{error}");
    drop(first);
    // A limit that a user cannot have kept is told, and costs nobody a box.
    let enforced = factory.enforcement();
    let mut sandbox = factory
        .start(&BoxSpec {
            image: image.id,
            limits: Limits {
                memory_bytes: Some(1 << 30),
                cpu_millis: Some(1000),
                processes: 400,
                ..Limits::default()
            },
            network: Network::Off,
        })
        .unwrap();
    let numbers = script(&mut *sandbox, "cat /proc/sys/kernel/pid_max");
    for limit in &enforced {
        assert!(!limit.how.is_empty(), "{limit:?}");
        if limit.limit == "processes" && limit.how.starts_with("the numbers") {
            assert_eq!(numbers, "400\n");
        }
        println!("{}: {}: {}", limit.limit, limit.enforced, limit.how);
    }
    drop(sandbox);
    drop(factory);
    images.remove(&image.id).unwrap();
    assert!(images.list().unwrap().is_empty());
}
