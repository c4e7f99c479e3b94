//! What tests need besides the client to talk to a real back end: waiting, flags, links, configurations, and tiny
//! packages.

use std::{
    path::Path,
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use seatrial_obs::{
    Client, Code, Commit, Event, LogLimits, PackagePath, Projects, Settings, SourceFile, Target, Upload, WaitOptions,
    Waited, Wanted,
};

/// A client of a user who writes where it likes, as a maintainer of the project may.
pub(crate) fn maintainer(api: &str, user: &str) -> Client {
    let mut settings = Settings::new(api);
    settings.credentials.user = Some(user.to_owned());
    settings.projects = Projects::Any;
    Client::new(settings).unwrap()
}

/// Waits for a verdict, or until the package is seen clean in a state.
pub(crate) fn wait_until(
    client: &Client,
    target: &Target,
    wanted: &Wanted,
    within: Duration,
    until: Option<&Code>,
) -> Waited {
    let stop = AtomicBool::new(false);
    let mut options = WaitOptions {
        within,
        stop: &stop,
        log: LogLimits::default(),
        follow: false,
        progress: &mut |event| {
            if let Event::Seen(seen) = event
                && !seen.is_dirty
                && Some(&seen.code) == until
            {
                stop.store(true, Ordering::Relaxed);
            }
        },
    };
    client.wait(target, wanted, &mut options).unwrap()
}

/// Puts a document where the client has no call for it.
pub(crate) fn put(api: &str, path: &str, text: &str) {
    let answer = ureq::put(format!("{api}{path}?user=tester")).send(text);
    assert!(answer.is_ok(), "{path}: {answer:?}");
}

/// Gives a package a flag such as `<build><disable/></build>`.
pub(crate) fn flag(api: &str, package: &PackagePath, flag: &str) {
    let (project, name) = (package.project(), package.package());
    put(
        api,
        &format!("/source/{project}/{name}/_meta"),
        &format!("<package name=\"{name}\" project=\"{project}\"><title/><description/>{flag}</package>"),
    );
}

pub(crate) fn commit(client: &Client, package: &PackagePath, files: &[(&str, &str)]) -> Commit {
    let files: Vec<SourceFile> = files
        .iter()
        .map(|(name, text)| SourceFile::from_bytes(*name, text.as_bytes().to_vec()))
        .collect();
    commit_files(client, package, &files)
}

pub(crate) fn commit_files(client: &Client, package: &PackagePath, files: &[SourceFile]) -> Commit {
    let upload = Upload {
        files,
        comment: "a change of the test",
        base: None,
        stop: &AtomicBool::new(false),
    };
    client.commit(package, &upload).unwrap()
}

/// A spec file that needs nothing but what it is told.
pub(crate) fn spec(name: &str, more: &str) -> String {
    format!(
        "Name: {name}\nVersion: 1\nRelease: 1\nSummary: test\nLicense: MIT\n{more}\n%description\ntest\n%prep\n%build\n%install\n%files\n"
    )
}

/// A Debian source package of one C file, which needs no helper to be built.
pub(crate) fn debian(folder: &Path, name: &str, arch: &str, depends: &str, program: &str) -> Vec<SourceFile> {
    let tree = folder.join(format!("{name}-1"));
    if tree.exists() {
        std::fs::remove_dir_all(&tree).unwrap();
    }
    let write = |place: &str, text: &str| {
        let path = tree.join(place);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let depends = if depends.is_empty() {
        String::new()
    } else {
        format!("Build-Depends: {depends}\n")
    };
    write("main.c", program);
    write("debian/source/format", "3.0 (native)\n");
    write(
        "debian/control",
        &format!(
            "Source: {name}\nSection: misc\nPriority: optional\nMaintainer: Test <test@example.org>\n{depends}\
             Standards-Version: 4.6.2\n\nPackage: {name}\nArchitecture: {arch}\nDescription: test\n A test.\n"
        ),
    );
    write(
        "debian/changelog",
        &format!(
            "{name} (1) unstable; urgency=medium\n\n  * Test.\n\n -- Test <test@example.org>  Mon, 01 Jan 2024 00:00:00 +0000\n"
        ),
    );
    write(
        "debian/rules",
        "#!/usr/bin/make -f\nbuild build-arch build-indep:\n\tgcc -O1 -o prog main.c\n\t./prog\n\
         clean:\n\trm -rf prog debian/tmp debian/files\nbinary-indep:\nbinary binary-arch: build\n\
         \tinstall -D prog debian/tmp/usr/bin/$$(basename $(CURDIR))-test\n\tmkdir -p debian/tmp/DEBIAN\n\
         \tdpkg-gencontrol\n\tdpkg-deb --root-owner-group --build debian/tmp ..\n",
    );
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(tree.join("debian/rules"), mode).unwrap();
    let made = Command::new("dpkg-source")
        .arg("--build")
        .arg(&tree)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    [format!("{name}_1.dsc"), format!("{name}_1.tar.xz")]
        .map(|file| SourceFile::from_path(folder.join(file)).unwrap())
        .to_vec()
}

/// A binary package of a name, so that something can depend on it.
pub(crate) fn binary(folder: &Path, name: &str) -> Vec<u8> {
    let tree = folder.join(format!("{name}-binary"));
    std::fs::create_dir_all(tree.join("DEBIAN")).unwrap();
    std::fs::write(
        tree.join("DEBIAN/control"),
        format!("Package: {name}\nVersion: 0.1-1\nArchitecture: all\nMaintainer: Test <test@example.org>\nDescription: test\n"),
    )
    .unwrap();
    let file = folder.join(format!("{name}.deb"));
    let made = Command::new("dpkg-deb")
        .arg("--build")
        .arg(&tree)
        .arg(&file)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    std::fs::read(file).unwrap()
}
