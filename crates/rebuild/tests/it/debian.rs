//! Debian source packages on this machine's own architecture.

use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use seatrial_core::Arch;
use seatrial_packaging::Package;
use seatrial_rebuild::{
    Listener, LocalDebian, LocalWorld, Outcome, Phase, RebuildError, RebuildRequest, Rebuilder, SourcePackage, State,
    TimeLimits,
};

use crate::{
    make::Debian,
    worlds::{log, request, world},
};

fn build(world: &LocalWorld<'_>, package: &SourcePackage) -> Outcome {
    LocalDebian::new(world)
        .rebuild(package, Arch::host(), &request(), &mut ())
        .unwrap()
}

fn other<'a>(arch: &'a str, build_depends: &'a str, build: &'a str, binary: &'a str) -> Debian<'a> {
    Debian {
        arch,
        build_depends,
        build,
        binary,
        ..Debian::default()
    }
}

#[test]
fn what_happens_to_a_package_is_its_state() {
    let Some(world) = world(Arch::host()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let package = Debian::default().open(folder.path());
    let outcome = build(&world, &package);
    let text = log(&outcome);
    assert_eq!(outcome.state, State::Succeeded, "{text}");
    assert!(outcome.proof && !outcome.emulated);
    let [payload] = outcome.payloads.as_slice() else {
        panic!("{outcome:?}");
    };
    assert_eq!(payload.path, format!("t_1_{}.deb", Arch::host().debian()));
    let machines: Vec<_> = payload.machines.iter().map(String::as_str).collect();
    assert_eq!(machines, [Arch::host().as_str()]);
    // A log says what it is of, and that nobody built as root.
    let head: Vec<_> = text.lines().take(3).collect();
    assert!(head[0].starts_with("seatrial: t 1 (deb) for "), "{head:?}");
    assert_eq!(head[1], format!("seatrial: source {}", package.digest()));
    assert!(head[2].starts_with("seatrial: began 20"), "{head:?}");
    assert!(text.contains("\nbuilder\n"), "{text}");
    assert!(
        text.trim_end()
            .rsplit('\n')
            .next()
            .unwrap()
            .starts_with("seatrial: succeeded, after")
    );

    let install = Debian::default().binary;
    // A file of another machine: its first bytes.
    let foreign = if Arch::host() == Arch::Riscv64 {
        "\\267"
    } else {
        "\\363"
    };
    let packs_foreign = format!(
        "\tinstall -D prog debian/t/usr/bin/prog\n\tprintf '\\177ELF\\002\\001\\001\\0\\0\\0\\0\\0\\0\\0\\0\\0\\002\\0{foreign}\\0' > debian/t/usr/bin/wrong"
    );
    for (package, state, words) in [
        (other("any", "make", "\tfalse", install), State::Failed, "exit code"),
        (
            other("any", "libdoesnotexist-dev (>= 2), make", "\t:", install),
            State::Unresolvable,
            "libdoesnotexist-dev (>= 2)",
        ),
        (
            other("any", "make, (((", "\t:", install),
            State::Broken,
            "Build-Depends",
        ),
        (
            other("s390x hurd-any", "make", "\t:", install),
            State::Excluded,
            "s390x hurd-any",
        ),
        (
            other("any", "make", Debian::default().build, ""),
            State::Failed,
            "exit code",
        ),
        (
            other("any", "make", Debian::default().build, &packs_foreign),
            State::Failed,
            "/usr/bin/wrong is for",
        ),
        (
            other(
                "any",
                "make",
                Debian::default().build,
                "\tinstall -D prog debian/t/usr/bin/prog\n\techo no package > ../junk_1_all.deb",
            ),
            State::Failed,
            "junk_1_all.deb cannot be opened",
        ),
        // No network, not even the door that the dependencies came through.
        (
            other(
                "any",
                "make",
                "\tbash -c '</dev/tcp/198.18.0.1/80' || test $$(ls /sys/class/net | wc -l) = 1 && false",
                install,
            ),
            State::Failed,
            "exit code",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let outcome = build(&world, &package.open(folder.path()));
        assert_eq!(outcome.state, state, "{}", log(&outcome));
        assert!(outcome.details.contains(words), "{words}: {}", outcome.details);
        assert_eq!(outcome.missing.is_empty(), state != State::Unresolvable);
    }
}

type Spoil = fn(&std::path::Path) -> std::io::Result<()>;

#[test]
fn a_package_whose_recipe_cannot_be_read_is_broken() {
    let Some(world) = world(Arch::host()) else { return };
    let spoil: [(&str, Spoil); 4] = [
        ("missing", |folder| std::fs::remove_file(folder.join("t_1.tar.gz"))),
        ("is not the file that", |folder| {
            std::fs::write(folder.join("t_1.tar.gz"), "other")
        }),
        ("lists no files", |folder| {
            std::fs::write(folder.join("t_1.dsc"), "Source: t\nVersion: 1\nArchitecture: any\n")
        }),
        ("control", |folder| {
            Debian::default().write(folder, "Source: t\n no: colon\nbroken line\n\nPackage t\n");
            Ok(())
        }),
    ];
    for (words, spoil) in spoil {
        let folder = tempfile::tempdir().unwrap();
        Debian::default().write(folder.path(), &Debian::default().control());
        spoil(folder.path()).unwrap();
        let package = SourcePackage::open(&folder.path().join("t_1.dsc")).unwrap();
        let outcome = build(&world, &package);
        assert_eq!(outcome.state, State::Broken, "{}", log(&outcome));
        assert!(outcome.details.contains(words), "{words}: {}", outcome.details);
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("readme"), "").unwrap();
    let outcome = SourcePackage::open(folder.path()).unwrap();
    assert!(outcome.problem().unwrap().contains("no recipe"));
}

#[test]
fn what_was_edited_is_what_is_rebuilt() {
    let Some(world) = world(Arch::host()) else { return };
    let folder = tempfile::tempdir().unwrap();
    other("any", "make", "\tfalse", Debian::default().binary).open(folder.path());
    let mut package = Package::open(&folder.path().join("t_1.dsc")).unwrap();
    let rebuilt = |package: &Package, name: &str| {
        let packed = SourcePackage::pack(package, &folder.path().join(name)).unwrap();
        assert_eq!(packed.digest(), package.digest().unwrap());
        build(&world, &packed)
    };
    let outcome = rebuilt(&package, "before");
    assert_eq!(outcome.state, State::Failed, "{}", log(&outcome));
    let rules = package.root().join("debian/rules");
    let text = std::fs::read_to_string(&rules).unwrap();
    std::fs::write(&rules, text.replace("\tfalse", Debian::default().build)).unwrap();
    package.refresh().unwrap();
    let outcome = rebuilt(&package, "after");
    assert_eq!(outcome.state, State::Succeeded, "{}", log(&outcome));
    assert_eq!(outcome.source, package.digest().unwrap());
}

#[test]
fn a_build_that_does_not_end_goes_over_its_time() {
    let Some(world) = world(Arch::host()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let endless = Debian {
        build: "\twhile :; do echo still; sleep 0.1; done",
        ..Debian::default()
    }
    .open(folder.path());
    let limits = |build, idle| RebuildRequest {
        time: TimeLimits {
            build,
            idle,
            ..TimeLimits::default()
        },
        ..request()
    };
    let (short, long) = (Duration::from_secs(3), Duration::from_mins(3));
    let builder = LocalDebian::new(&world);
    let outcome = builder
        .rebuild(&endless, Arch::host(), &limits(short, long), &mut ())
        .unwrap();
    assert_eq!(outcome.state, State::Timeout);
    assert!(outcome.details.contains("took longer than 3 s"), "{}", outcome.details);
    let folder = tempfile::tempdir().unwrap();
    let silent = Debian {
        build: "\tsleep 1000",
        ..Debian::default()
    }
    .open(folder.path());
    let outcome = builder
        .rebuild(&silent, Arch::host(), &limits(long, short), &mut ())
        .unwrap();
    assert_eq!(outcome.state, State::Timeout);
    assert!(outcome.details.contains("was silent for 3 s"), "{}", outcome.details);
}

#[test]
fn a_box_that_runs_full_says_nothing_of_the_package() {
    let Some(world) = world(Arch::host()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let package = Debian {
        build: "\thead -c 3G /dev/zero > big",
        ..Debian::default()
    }
    .open(folder.path());
    let mut request = request();
    request.limits.disk_bytes = 256 << 20;
    let outcome = LocalDebian::new(&world)
        .rebuild(&package, Arch::host(), &request, &mut ())
        .unwrap();
    let State::Invalid(reason) = &outcome.state else {
        panic!("{}", log(&outcome));
    };
    assert!(reason.contains("256 MiB"), "{reason}");
}

/// Stops when the build begins.
struct Stops(Arc<AtomicBool>);

impl Listener for Stops {
    fn phase(&mut self, phase: Phase) {
        if phase == Phase::Build {
            self.0.store(true, std::sync::atomic::Ordering::SeqCst);
        }
    }
}

#[test]
fn whoever_stops_it_gets_no_verdict() {
    let Some(world) = world(Arch::host()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let package = Debian {
        build: "\tsleep 1000",
        ..Debian::default()
    }
    .open(folder.path());
    let stop = Arc::new(AtomicBool::new(false));
    let request = RebuildRequest {
        stop: Some(Arc::clone(&stop)),
        ..request()
    };
    let result = LocalDebian::new(&world).rebuild(&package, Arch::host(), &request, &mut Stops(stop));
    assert!(matches!(result, Err(RebuildError::Interrupted)), "{result:?}");
}
