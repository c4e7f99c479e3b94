//! RPM source packages on this machine's own architecture.

use seatrial_core::Arch;
use seatrial_rebuild::{LocalRpm, Mode, RebuildError, RebuildRequest, Rebuilder, State};

use crate::{
    make::Rpm,
    worlds::{log, request, world},
};

#[test]
fn what_happens_to_a_package_is_its_state() {
    let Some(world) = world(Arch::host()) else { return };
    let builder = LocalRpm::new(&world, None);
    let host = Arch::host();
    let rpm = |head: &'static str, build: &'static str, whole| Rpm { head, build, whole };
    let build = Rpm::default().build;
    for (package, state, words) in [
        (Rpm::default(), State::Succeeded, "for "),
        (rpm("BuildRequires: gcc", "false", true), State::Failed, "exit code"),
        (
            rpm("BuildRequires: nosuchlib-devel >= 9", build, true),
            State::Unresolvable,
            "nosuchlib-devel >= 9",
        ),
        (rpm("BuildRequires: gcc\n%if", build, true), State::Broken, "%if"),
        (
            rpm("ExclusiveArch: s390 alpha", build, true),
            State::Excluded,
            "s390 alpha",
        ),
        (rpm("BuildRequires: gcc", build, false), State::Broken, "t-1.tar.gz"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let outcome = builder
            .rebuild(&package.open(folder.path()), host, &request(), &mut ())
            .unwrap();
        let text = log(&outcome);
        if let State::Invalid(reason) = &outcome.state
            && reason.starts_with("making the box ready")
        {
            println!("skipped: rpm cannot be installed: {reason}");
            return;
        }
        assert_eq!(outcome.state, state, "{text}");
        assert!(outcome.details.contains(words), "{words}: {}", outcome.details);
        if state == State::Succeeded {
            let [payload] = outcome.payloads.as_slice() else {
                panic!("{outcome:?}");
            };
            assert_eq!((payload.label.as_str(), payload.files), (host.as_str(), 1));
            assert!(payload.machines.contains(host.as_str()));
            assert!(text.contains("\nbuilder\n"), "{text}");
        }
    }
}

#[test]
fn what_is_no_rpm_or_is_asked_to_be_built_across_is_refused() {
    let Some(world) = world(Arch::host()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let package = Rpm::default().open(folder.path());
    let request = RebuildRequest {
        mode: Mode::Cross,
        ..request()
    };
    let result = LocalRpm::new(&world, None).rebuild(&package, Arch::host(), &request, &mut ());
    assert!(matches!(result, Err(RebuildError::Unsupported { .. })), "{result:?}");
}
