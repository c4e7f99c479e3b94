//! The client against a real back end that builds nothing: real commits, real states, real races.
//!
//! It is started by the project's script for the time of the test. Where that cannot be, the test says so.

use std::{path::PathBuf, process::Command, sync::atomic::AtomicBool, time::Duration};

use seatrial_obs::{
    Class, Client, Code, Commit, Ending, Event, LogLimits, ObsError, PackagePath, ProjectMeta, Proof, RepositoryMeta,
    Settings, Target, WaitOptions, Waited, Wanted,
};

use crate::real::{binary, commit, flag, maintainer, put, spec, wait_until};

const PROJECT: &str = "home:tester";

struct BackEnd {
    folder: tempfile::TempDir,
    api: String,
    arch: String,
}

fn script(verb: &str, folder: &std::path::Path) -> Command {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scripts/obs-backend");
    let mut command = Command::new(root);
    command.arg(verb).arg("--folder").arg(folder);
    command
}

fn start(folder: &std::path::Path) -> std::process::Output {
    script("start", folder)
        .args(["--light", "--no-install"])
        .output()
        .unwrap()
}

impl BackEnd {
    fn start() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let started = start(folder.path());
        let said = String::from_utf8_lossy(&started.stdout);
        if !started.status.success() {
            let why = String::from_utf8_lossy(&started.stderr);
            println!(
                "skipped: no back end can be started: {}",
                why.lines().next().unwrap_or_default()
            );
            return None;
        }
        Some(Self {
            api: said.lines().last().unwrap().to_owned(),
            folder,
            arch: std::env::consts::ARCH.to_owned(),
        })
    }

    fn client(&self, user: &str) -> Client {
        let mut settings = Settings::new(&self.api);
        settings.credentials.user = Some(user.to_owned());
        settings.pace.settle = Duration::from_mins(10);
        Client::new(settings).unwrap()
    }

    fn target(&self, package: &PackagePath) -> Target {
        Target::new(package.clone(), "here", &self.arch).unwrap()
    }

    /// Waits for a verdict, or until the package is seen clean in a state.
    fn wait(&self, client: &Client, package: &PackagePath, commit: &Commit, until: Option<&Code>) -> Waited {
        let within = Duration::from_mins(2);
        wait_until(client, &self.target(package), &Wanted::from(commit), within, until)
    }
}

impl Drop for BackEnd {
    fn drop(&mut self) {
        let stopped = script("stop", self.folder.path()).output().unwrap();
        assert!(stopped.status.success(), "{}", String::from_utf8_lossy(&stopped.stderr));
    }
}

fn package(name: &str) -> PackagePath {
    PackagePath::new(PROJECT, name).unwrap()
}

fn project(arch: &str) -> ProjectMeta {
    ProjectMeta {
        name: PROJECT.to_owned(),
        title: "A & B".to_owned(),
        repositories: vec![RepositoryMeta {
            name: "here".to_owned(),
            paths: Vec::new(),
            archs: vec![arch.to_owned()],
        }],
    }
}

/// The code and class of a verdict, and what shows it.
fn verdict(waited: &Waited) -> (&str, Class, Proof) {
    match &waited.ending {
        Ending::Settled(verdict) => (verdict.code.word(), verdict.class, verdict.proof),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_real_back_end_commits_once_and_its_states_are_of_what_was_committed() {
    let Some(back_end) = BackEnd::start() else { return };
    let client = back_end.client("tester");
    projects(&back_end, &client);
    put(
        &back_end.api,
        &format!("/source/{PROJECT}/_config"),
        "Type: spec\nRepotype: none\nBinarytype: deb\n",
    );
    commits(&back_end, &client);
    links(&back_end, &client);
    states(&back_end, &client);
    somebody_else(&back_end, &client);
    away_for_a_while(&back_end, &client);
    client.delete_project(PROJECT).unwrap();
    client.delete_project(PROJECT).unwrap();
    assert!(matches!(client.list(&package("one")), Err(ObsError::Missing { .. })));
}

fn projects(back_end: &BackEnd, client: &Client) {
    let mut meta = project(&back_end.arch);
    assert!(client.ensure_project(&meta).unwrap());
    assert!(!client.ensure_project(&meta).unwrap());
    meta.repositories.push(RepositoryMeta {
        name: "there".to_owned(),
        ..meta.repositories[0].clone()
    });
    assert!(client.ensure_project(&meta).unwrap());
    assert!(!client.ensure_project(&project(&back_end.arch)).unwrap());
    meta.repositories[0].archs.push("riscv64".to_owned());
    let error = client.ensure_project(&meta).unwrap_err();
    assert_eq!(
        error.to_string(),
        "home:tester is there already and differs: its repository `here` is not built for riscv64"
    );
    let elsewhere = ProjectMeta {
        name: "home:other".to_owned(),
        ..meta
    };
    assert!(matches!(client.ensure_project(&elsewhere), Err(ObsError::Usage(_))));
    assert!(client.ensure_package(&package("one"), "first").unwrap());
    assert!(!client.ensure_package(&package("one"), "first").unwrap());
}

fn commits(back_end: &BackEnd, client: &Client) {
    let one = package("one");
    let text = spec("one", "");
    let first = commit(
        client,
        &one,
        &[("one.spec", &text), ("a+b.patch", "x\n"), ("gone.txt", "y\n")],
    );
    assert_eq!(
        (first.revision.as_str(), first.is_new, first.uploaded.len()),
        ("1", true, 3)
    );
    let second = commit(client, &one, &[("one.spec", &text), ("a+b.patch", "z\n")]);
    assert_eq!(
        (second.revision.as_str(), second.deleted.as_slice()),
        ("2", &["gone.txt".to_owned()][..])
    );
    assert_eq!(second.uploaded, ["a+b.patch"]);
    let same = commit(client, &one, &[("one.spec", &text), ("a+b.patch", "z\n")]);
    assert_eq!((same.revision.as_str(), same.is_new), ("2", false));
    // Back to what was: the service has it all.
    let back = commit(
        client,
        &one,
        &[("one.spec", &text), ("a+b.patch", "x\n"), ("gone.txt", "y\n")],
    );
    assert_eq!((back.revision.as_str(), back.uploaded.len()), ("3", 0));
    assert_eq!(back.srcmd5, first.srcmd5);
    let revisions = client.revisions(&one, 9).unwrap();
    let users: Vec<_> = revisions
        .iter()
        .map(|revision| (revision.user.as_str(), revision.comment.as_str()))
        .collect();
    assert_eq!(users, [("tester", "a change of the test"); 3]);
    assert_eq!(client.revisions(&one, 1).unwrap()[0].revision, "3");
    assert_eq!(client.file(&one, "a+b.patch", Some("2"), 100).unwrap(), b"z\n");
    let error = client.file(&one, "one.spec", None, 5).unwrap_err();
    assert!(matches!(error, ObsError::TooBig { limit: 5, .. }), "{error}");
    assert_eq!(client.log(&back_end.target(&one), LogLimits::default()).unwrap(), None);
    assert_eq!(client.builds(&back_end.target(&one), 5).unwrap(), []);
    assert_eq!(client.jobs(&back_end.target(&one), 5).unwrap(), []);
}

/// A package that is a link keeps being one: what is committed is the difference, and what is built is both together.
fn links(back_end: &BackEnd, client: &Client) {
    let linked = package("linked");
    client.ensure_package(&linked, "linked").unwrap();
    let link = format!("<link project=\"{PROJECT}\" package=\"one\"/>");
    put(&back_end.api, &format!("/source/{PROJECT}/linked/_link"), &link);
    let before = client.list(&linked).unwrap();
    assert_eq!(before.link.as_ref().map(|link| link.package.as_str()), Some("one"));
    let names: Vec<_> = before.entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, ["a+b.patch", "gone.txt", "one.spec"]);

    let text = spec("one", "");
    let same = commit(
        client,
        &linked,
        &[("one.spec", &text), ("a+b.patch", "x\n"), ("gone.txt", "y\n")],
    );
    assert_eq!((same.revision.as_str(), same.is_new), ("1", false));
    let done = commit(client, &linked, &[("one.spec", &text), ("a+b.patch", "other\n")]);
    assert_eq!(
        (done.revision.as_str(), done.is_new, done.deleted.len()),
        ("2", true, 1)
    );
    assert_ne!(done.built, done.srcmd5);
    let after = client.list(&linked).unwrap();
    assert_eq!((after.srcmd5.as_str(), after.entries.len()), (done.built.as_str(), 2));
    let own = client.list_at(&linked, None, false).unwrap();
    assert!(own.entries.iter().any(|entry| entry.name == "_link"), "{own:?}");
    let waited = back_end.wait(client, &linked, &done, Some(&Code::Scheduled));
    assert!(matches!(waited.ending, Ending::Stopped { .. }), "{waited:?}");
}

fn states(back_end: &BackEnd, client: &Client) {
    let other = if back_end.arch == "x86_64" { "aarch64" } else { "x86_64" };
    let refuses = [
        (
            "needs",
            spec("needs", "BuildRequires: nosuchthing >= 9"),
            "unresolvable",
            Class::Failure,
        ),
        (
            "alien",
            spec("alien", &format!("ExclusiveArch: {other}")),
            "excluded",
            Class::Refused,
        ),
    ];
    for (name, text, code, class) in refuses {
        let package = package(name);
        client.ensure_package(&package, name).unwrap();
        let file = format!("{name}.spec");
        let done = commit(client, &package, &[(&file, &text)]);
        let waited = back_end.wait(client, &package, &done, None);
        assert_eq!(verdict(&waited), (code, class, Proof::Checked), "{waited:?}");
        // Mended: the old state must not come back for the new commit.
        let done = commit(client, &package, &[(&file, &spec(name, ""))]);
        let waited = back_end.wait(client, &package, &done, Some(&Code::Scheduled));
        assert!(matches!(waited.ending, Ending::Stopped { .. }), "{name}: {waited:?}");
        // And broken again, from a state that is on its way.
        let done = commit(client, &package, &[(&file, &text)]);
        let waited = back_end.wait(client, &package, &done, None);
        assert_eq!(verdict(&waited), (code, class, Proof::Checked), "{waited:?}");
    }
    let Ending::Settled(needs) = back_end
        .wait(client, &package("needs"), &again(client, "needs"), None)
        .ending
    else {
        panic!("a commit that changes nothing has the verdict at once");
    };
    assert_eq!(needs.details, "nothing provides nosuchthing >= 9");

    for (name, text, code) in [
        ("off", "<build><disable/></build>", "disabled"),
        ("shut", "<lock><enable/></lock>", "locked"),
    ] {
        let package = package(name);
        client.ensure_package(&package, name).unwrap();
        let done = commit(client, &package, &[(&format!("{name}.spec"), &spec(name, ""))]);
        flag(&back_end.api, &package, text);
        let waited = back_end.wait(client, &package, &done, None);
        assert_eq!(verdict(&waited).0, code);
        assert_eq!(verdict(&waited).1, Class::Refused);
    }

    let broken = package("broken");
    client.ensure_package(&broken, "broken").unwrap();
    let done = commit(client, &broken, &[("readme", "no recipe\n")]);
    let waited = back_end.wait(client, &broken, &done, None);
    assert!(["broken", "excluded"].contains(&verdict(&waited).0), "{waited:?}");
    put(
        &back_end.api,
        &format!("/source/{PROJECT}/broken/_link"),
        "<link project=\"home:tester\" package=\"nosuch\"/>",
    );
    let seen = loop {
        let seen = client.observe(&back_end.target(&broken)).unwrap();
        if !seen.is_dirty && seen.code == Code::Broken && seen.details.contains("nosuch") {
            break seen;
        }
    };
    assert_eq!(seen.code.class(), Class::Failure);
    assert!(client.list(&broken).is_err());

    // What something that is to be built depends on is waited for.
    let deb = binary(back_end.folder.path(), "base");
    let place = format!(
        "{}/build/{PROJECT}/here/{}/_repository/base.deb",
        back_end.api, back_end.arch
    );
    ureq::put(place).send(&deb[..]).unwrap();
    let (base, waiting) = (package("base"), package("waiting"));
    client.ensure_package(&base, "base").unwrap();
    client.ensure_package(&waiting, "waiting").unwrap();
    let done = commit(client, &base, &[("base.spec", &spec("base", ""))]);
    back_end.wait(client, &base, &done, Some(&Code::Scheduled));
    let done = commit(
        client,
        &waiting,
        &[("waiting.spec", &spec("waiting", "BuildRequires: base"))],
    );
    let waited = back_end.wait(client, &waiting, &done, Some(&Code::Blocked));
    match waited.ending {
        Ending::Stopped { seen: Some(seen) } => assert_eq!((seen.code, seen.details.as_str()), (Code::Blocked, "base")),
        other => panic!("{other:?}"),
    }
    let trigger = client.rebuild(&back_end.target(&base)).unwrap();
    assert_eq!(trigger.last, None);
    client.abort(&back_end.target(&base)).unwrap();
    let results = client.results(PROJECT, &[], &["here"], &[]).unwrap();
    assert!(results.repositories[0].packages.len() >= 7, "{results:?}");
    let unknown = Target::new(package("base"), "nowhere", &back_end.arch).unwrap();
    assert!(matches!(client.observe(&unknown), Err(ObsError::Missing { .. })));
}

/// The package as it is, committed again.
fn again(client: &Client, name: &str) -> Commit {
    let package = package(name);
    let file = format!("{name}.spec");
    let bytes = client.file(&package, &file, None, 10_000).unwrap();
    commit(client, &package, &[(&file, &String::from_utf8(bytes).unwrap())])
}

/// A back end that is started again while it is waited for has lost nothing, and neither has the client.
fn away_for_a_while(back_end: &BackEnd, client: &Client) {
    let package = package("needs");
    let done = commit(
        client,
        &package,
        &[("needs.spec", &spec("needs", "BuildRequires: what-is-not"))],
    );
    let stopped = script("stop", back_end.folder.path()).output().unwrap();
    assert!(stopped.status.success());
    let (send, receive) = std::sync::mpsc::channel();
    let waited = std::thread::scope(|scope| {
        let wait = scope.spawn(|| {
            let stop = AtomicBool::new(false);
            let mut options = WaitOptions {
                within: Duration::from_mins(2),
                stop: &stop,
                log: LogLimits::default(),
                follow: false,
                progress: &mut |event| {
                    if matches!(event, Event::Trouble(ObsError::Down { .. })) {
                        let _ = send.send(());
                    }
                },
            };
            client.wait(&back_end.target(&package), &Wanted::from(&done), &mut options)
        });
        receive.recv().unwrap();
        let started = start(back_end.folder.path());
        assert!(started.status.success(), "{}", String::from_utf8_lossy(&started.stderr));
        wait.join().unwrap().unwrap()
    });
    assert_eq!(verdict(&waited).0, "unresolvable");
}

fn somebody_else(back_end: &BackEnd, client: &Client) {
    let package = package("needs");
    let ours = commit(
        client,
        &package,
        &[("needs.spec", &spec("needs", "BuildRequires: ours"))],
    );
    let other = maintainer(&back_end.api, "other");
    let theirs = commit(
        &other,
        &package,
        &[("needs.spec", &spec("needs", "BuildRequires: theirs"))],
    );
    let waited = back_end.wait(client, &package, &ours, None);
    match waited.ending {
        Ending::Overtaken { revision, by } => {
            assert_eq!((revision, by.unwrap().user.as_str()), (theirs.revision, "other"));
        }
        other => panic!("{other:?}"),
    }
}
