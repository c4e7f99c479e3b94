//! The back ends, each held to all promises, at the same time.

use std::{
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command as Process, ExitCode, Stdio},
};

use seatrial_sandbox::SandboxError;
use tempfile::TempDir;

use crate::{
    Promise,
    bench::{BackEnd, Bench, HELPER, helper},
    image,
    table::{Column, fill, missing},
};

/// The socket of a Docker daemon that tests may use.
const DOCKER: &str = "SEATRIAL_TEST_DOCKER";
/// The socket of a Podman service that tests may use.
const PODMAN: &str = "SEATRIAL_TEST_PODMAN";
/// Says that this process is the ordinary user's column: its data folder.
const CHILD: &str = "SEATRIAL_CONFORMANCE_CHILD";
/// The archive of the image for that column.
const ARCHIVE: &str = "SEATRIAL_CONFORMANCE_ARCHIVE";
/// Begins the line in which that process tells its cells.
const TOLD: &str = "cells: ";

const ROOTLESS: &str = "native rootless";

/// A folder that is removed also where boxes' ids own what is in it.
fn folder() -> TempDir {
    let folder = tempfile::Builder::new()
        .prefix("seatrial-conformance-")
        .tempdir()
        .unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// All columns.
pub(crate) fn run(promises: &[Promise]) -> Vec<Column> {
    let root = rustix::process::geteuid().is_root();
    let archive = image::archive();
    let socket = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let (docker, podman) = (socket(DOCKER), socket(PODMAN));
    let folder = folder();
    let home = folder.path().join("home");
    let image = archive.as_ref().map(|archive| image::import(&home, archive));
    let in_process = |name: &str, back_end: BackEnd| match &image {
        Err(why) => missing(name, why, promises),
        Ok(Err(error)) => missing(name, &error.to_string(), promises),
        Ok(Ok(image)) => match Bench::new(back_end, &home, *image) {
            Ok(bench) => fill(name, &bench, promises),
            Err(error @ (SandboxError::Kernel { .. } | SandboxError::NoProgram { .. })) => {
                missing(name, &error.to_string(), promises)
            }
            Err(error) => panic!("{error}"),
        },
    };
    let containers = |name: &str, variable: &str, socket: Option<PathBuf>| match socket {
        Some(socket) => in_process(name, BackEnd::Containers(socket)),
        None => missing(name, &format!("{variable} names no daemon's socket"), promises),
    };
    std::thread::scope(|scope| {
        let mut columns = Vec::new();
        if root {
            columns.push(scope.spawn(|| in_process("native root", BackEnd::Native)));
            columns.push(scope.spawn(|| match &archive {
                Ok(archive) => rootless(archive, promises),
                Err(why) => missing(ROOTLESS, why, promises),
            }));
        } else {
            columns.push(scope.spawn(|| missing("native root", "the tests do not run as root", promises)));
            columns.push(scope.spawn(|| in_process(ROOTLESS, BackEnd::Native)));
        }
        columns.push(scope.spawn(|| containers("docker", DOCKER, docker)));
        // Podman is a second opinion for who has it; the promise is Docker's interface.
        if podman.is_some() {
            columns.push(scope.spawn(|| containers("podman", PODMAN, podman)));
        }
        columns.into_iter().map(|column| column.join().unwrap()).collect()
    })
}

/// A user who exists as long as this value.
struct User(String);

impl User {
    fn add(home: &Path) -> Result<Self, String> {
        let name = format!("seatrial-c{}", std::process::id());
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

/// The column of an ordinary user, from a process of theirs.
fn rootless(archive: &Path, promises: &[Promise]) -> Column {
    // The user may not look into the folders of root, so what it needs is laid where it can.
    let folder = folder();
    let user = match User::add(folder.path()) {
        Ok(user) => user,
        Err(why) => return missing(ROOTLESS, &format!("no user can be added: {why}"), promises),
    };
    let home = folder.path().join("home");
    std::fs::create_dir(&home).unwrap();
    let copy = |from: &Path, name: &str| {
        let to = folder.path().join(name);
        std::fs::copy(from, &to).unwrap();
        to
    };
    let program = copy(&std::env::current_exe().unwrap(), "conformance");
    let (helper, archive) = (copy(&helper(), "seatrial-box"), copy(archive, "small.tar"));
    std::fs::set_permissions(&archive, std::fs::Permissions::from_mode(0o644)).unwrap();
    let owned = Process::new("chown").arg(&user.0).arg(&home).status().unwrap();
    assert!(owned.success());
    let output = Process::new("setpriv")
        .args(["--reuid", &user.0, "--regid", &user.0, "--init-groups"])
        .arg(&program)
        .args(promises.iter().map(|(name, _)| name))
        .env(HELPER, &helper)
        .env(ARCHIVE, &archive)
        .env(CHILD, &home)
        .current_dir("/")
        .stderr(Stdio::inherit())
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) => return missing(ROOTLESS, &format!("setpriv: {error}"), promises),
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let told = text.lines().find_map(|line| line.strip_prefix(TOLD));
    let column: Column = serde_json::from_str(told.unwrap_or_else(|| panic!("{text}"))).unwrap();
    let left: Vec<_> = std::fs::read_dir(home.join("boxes"))
        .map(|entries| entries.map(|entry| entry.unwrap().path()).collect())
        .unwrap_or_default();
    assert!(left.is_empty(), "{left:?}");
    column
}

pub(crate) fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// What the process of the ordinary user does.
#[expect(clippy::print_stdout, reason = "tells the process that started this one")]
pub(crate) fn child(promises: &[Promise]) -> ExitCode {
    let home = PathBuf::from(std::env::var_os(CHILD).unwrap());
    let archive = PathBuf::from(std::env::var_os(ARCHIVE).unwrap());
    let made = image::import(&home, &archive).and_then(|image| Bench::new(BackEnd::Native, &home, image));
    let column = match made {
        Ok(bench) => fill(ROOTLESS, &bench, promises),
        Err(error @ (SandboxError::NoProgram { .. } | SandboxError::Kernel { .. })) => {
            missing(ROOTLESS, &error.to_string(), promises)
        }
        Err(error) => panic!("{error}"),
    };
    println!("{TOLD}{}", serde_json::to_string(&column).unwrap());
    ExitCode::SUCCESS
}
