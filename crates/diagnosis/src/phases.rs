//! Where in a build a line stands: the headings of packaging tools, of test runners and of installations; and the lines
//! that say in which phase a build stopped.

use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::{Phase, matcher::compiled};

/// Texts one of which stands in every line that this module knows.
pub(crate) const MARKS: &[&str] = &[
    "Executing(%",
    "dh_",
    "dpkg-source: ",
    "dpkg-genchanges",
    "dpkg-buildpackage: ",
    "| Build ",
    "| Install ",
    "| Fetch ",
    "| Update ",
    "| Post ",
    "| Package ",
    "| Cleanup ",
    "Processing files: ",
    "Bad exit status",
    "Test project ",
    "test session starts",
    "Testsuite summary",
    "Running tests...",
    "check-TESTS",
    "Install the project...",
    "** [",
    "Reading package lists...",
    "debian/rules ",
];

/// A heading: what it matches, and the phase that it begins.
static HEADINGS: LazyLock<Vec<(Regex, Phase)>> = LazyLock::new(|| {
    [
        (r"^Executing\(%(?:prep|setup)\)", Phase::Prepare),
        (r"^Executing\(%(?:conf|generate_buildrequires)\)", Phase::Configure),
        (r"^Executing\(%build\)", Phase::Build),
        (r"^Executing\(%install\)", Phase::Install),
        (r"^Executing\(%check\)", Phase::Test),
        (r"^Processing files: |^Executing\(%clean\)|^Executing\(rmbuild\)", Phase::Package),
        (r"^\s*(?:debian/rules override_)?dh_(?:auto_configure|autoreconf|update_autotools_config)\b", Phase::Configure),
        (r"^\s*(?:debian/rules override_)?dh_auto_build\b", Phase::Build),
        (r"^\s*(?:debian/rules override_)?dh_auto_test\b", Phase::Test),
        (r"^\s*(?:debian/rules override_)?dh_(?:auto_install|prep)\b", Phase::Install),
        (
            r"^\s*(?:debian/rules override_)?dh_(?:install\w*|missing|strip|makeshlibs|shlibdeps|gencontrol|md5sums|builddeb|fixperms|compress|link|dwz|movefiles|lintian|python3|perl|usrlocal)\b",
            Phase::Package,
        ),
        (r"^\s*(?:debian/rules override_)?dh_(?:clean|testdir|auto_clean)\b", Phase::Prepare),
        (r"^dpkg-source: ", Phase::Prepare),
        (r"^dpkg-genchanges|^dpkg-buildpackage: info: (?:binary|full)", Phase::Package),
        (r"^make(?:\[\d+\])?: Entering directory .*debian/rules build", Phase::Build),
        (r"^\| Build (?:environment)?\s*\|", Phase::Build),
        (r"^\| (?:Install (?:[\w ]*)dependencies|Update chroot)", Phase::Dependencies),
        (r"^\| (?:Fetch source files|Check architectures)", Phase::Prepare),
        (r"^\| Post[ -]Build|^\| Package contents|^\| Cleanup", Phase::Package),
        (r"^Test project /|^=+ test session starts =+|^Testsuite summary|^Running tests\.\.\.$|check-TESTS", Phase::Test),
        (r"^-- Install the project\.\.\.|^Install the project\.\.\.", Phase::Install),
        (r"^Reading package lists\.\.\.", Phase::Dependencies),
    ]
    .into_iter()
    .filter_map(|(pattern, phase)| Some((compiled(pattern).ok()?, phase)))
    .collect()
});

/// What says in which phase a build stopped.
static STOPS: LazyLock<Vec<(Regex, Phase)>> = LazyLock::new(|| {
    [
        (r"Bad exit status from \S+ \(%(?:prep|setup)\)", Phase::Prepare),
        (
            r"Bad exit status from \S+ \(%(?:conf|generate_buildrequires)\)",
            Phase::Configure,
        ),
        (r"Bad exit status from \S+ \(%build\)", Phase::Build),
        (r"Bad exit status from \S+ \(%check\)", Phase::Test),
        (r"Bad exit status from \S+ \(%install\)", Phase::Install),
        (r"Bad exit status from \S+ \(%\w+\)", Phase::Package),
        (r"dh_auto_configure: error: ", Phase::Configure),
        (r"dh_auto_build: error: ", Phase::Build),
        (
            r"dh_auto_test: error: |\*\*\* \[(?:\S+: )?override_dh_auto_test\]",
            Phase::Test,
        ),
        (r"dh_auto_install: error: ", Phase::Install),
        (
            r"dh_(?:install\w*|missing|shlibdeps|gencontrol|makeshlibs|builddeb|fixperms): error: ",
            Phase::Package,
        ),
        (
            r"\*\*\* \[(?:\S+: )?(?:check|test|tests|check-\w+|test-\w+|run-tests?)\]",
            Phase::Test,
        ),
        (r"\*\*\* \[(?:\S+: )?install(?:-\w+)*\]", Phase::Install),
    ]
    .into_iter()
    .filter_map(|(pattern, phase)| Some((compiled(pattern).ok()?, phase)))
    .collect()
});

/// The phase that a line begins.
pub(crate) fn begun_by(text: &str) -> Option<Phase> {
    phase_of(&HEADINGS, text)
}

/// The phase that a line says the build stopped in, and whether it is the packaging tool that says so: make only knows
/// the name of its target.
pub(crate) fn stopped_in(text: &str) -> Option<(Phase, bool)> {
    let is_sure = text.contains("Bad exit status") || text.contains(": error: ");
    phase_of(&STOPS, text).map(|phase| (phase, is_sure))
}

fn phase_of(table: &[(Regex, Phase)], text: &str) -> Option<Phase> {
    table
        .iter()
        .find(|(pattern, _)| pattern.is_match(text.as_bytes()))
        .map(|(_, phase)| *phase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_begin_phases_and_stops_name_them() {
        assert_eq!((HEADINGS.len(), STOPS.len()), (22, 13));
        for (text, phase) in [
            ("Executing(%prep): /bin/sh -e /var/tmp/x", Some(Phase::Prepare)),
            ("Executing(%build): /bin/sh -e /var/tmp/x", Some(Phase::Build)),
            ("Executing(%check): /bin/sh -e /var/tmp/x", Some(Phase::Test)),
            ("   dh_auto_configure -O--buildsystem=cmake", Some(Phase::Configure)),
            ("   debian/rules override_dh_auto_test", Some(Phase::Test)),
            ("   dh_auto_install", Some(Phase::Install)),
            ("   dh_installdocs", Some(Phase::Package)),
            ("   dh_install", Some(Phase::Package)),
            (
                "| Install package build dependencies                                         |",
                Some(Phase::Dependencies),
            ),
            (
                "| Build                                                                        |",
                Some(Phase::Build),
            ),
            (
                "============================= test session starts ==============================",
                Some(Phase::Test),
            ),
            ("Test project /build", Some(Phase::Test)),
            ("gcc -c dh_auto_test.c", None),
            ("make[1]: Entering directory '/x'", None),
        ] {
            assert_eq!(begun_by(text), phase, "{text}");
        }
        for (text, phase) in [
            (
                "error: Bad exit status from /var/tmp/rpm-tmp.x (%check)",
                Some(Phase::Test),
            ),
            (
                "error: Bad exit status from /var/tmp/rpm-tmp.x (%install)",
                Some(Phase::Install),
            ),
            (
                "dh_auto_test: error: make -j2 check returned exit code 2",
                Some(Phase::Test),
            ),
            ("make[1]: *** [Makefile:20: check-am] Error 2", Some(Phase::Test)),
            ("make: *** [Makefile:3: check] Error 1", Some(Phase::Test)),
            ("make: *** [Makefile:3: install] Error 1", Some(Phase::Install)),
            ("make: *** [Makefile:3: all] Error 1", None),
        ] {
            assert_eq!(stopped_in(text).map(|(phase, _)| phase), phase, "{text}");
            assert!(MARKS.iter().any(|mark| text.contains(mark)), "{text}");
        }
    }
}
