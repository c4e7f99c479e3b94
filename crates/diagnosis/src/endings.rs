//! How a log ends: what tools say when all went well, and the lines that only say that something before them failed.

use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::matcher::compiled;

/// Texts one of which stands in every line of success.
pub(crate) const MARKS: &[&str] = &[
    "BUILD SUCCESS",
    "Build succeeded",
    "Build files have been written",
    "[100%] Built target",
    "Wrote: ",
    "dpkg-genchanges",
    "dpkg-buildpackage: info: ",
    "Finished ",
    "Successfully ",
    "100% tests passed",
    "# FAIL:  0",
    " passed",
    "finished \"build",
    "uild completed successfully",
];

static SUCCESS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compiled(
        r"^(?:\[INFO\] )?BUILD SUCCESS(?:FUL)?\b|^Build succeeded\.?$|^-- Build files have been written to|^(?:\[100%\] )?Built target|^Wrote: .*\.rpm$|^dpkg-genchanges: info: |^dpkg-buildpackage: info: (?:binary|full|source)[ -].*upload|^\s*Finished .*\btarget\(s\) in|^Successfully (?:built|installed|created)|^100% tests passed|^# FAIL:  0$|^=* ?(?:\d+ (?:passed|skipped|xfailed|xpassed|deselected|warnings?),? )*\d+ (?:passed|skipped|xfailed|xpassed|deselected|warnings?) in [\d.]+s|^\S+ finished \x22build |^INFO: Build completed successfully",
    )
    .ok()
});

static CLOSERS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compiled(
        r"\*\*\* .*Error \d+|[Ee]rrors? occurred|build stopped|ld returned \d+|linker command failed|\d+ errors? generated|compilation terminated|Bad exit status|subprocess-exited-with-error|recipe for target|lines? with error|^FAILED: |^make(?:\[\d+\])?: Target .* not remade|^BUILD FAILED|^\[ERROR\] BUILD FAILURE|^\[INFO\] BUILD FAILURE|^\s*dh_\w+: error: .* returned exit code|^dpkg-buildpackage: error: .* subprocess returned exit status|^RPM build errors|^error: could not compile|^Errors while running CTest|^debuild: fatal error|failed with exit code \d+$",
    )
    .ok()
});

/// What looks like an error and is none, nor a sign of one.
static INNOCENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compiled(r"Error \d+ \(ignored\)|^--|\b0 errors|error log|error\.log|-Werror|^#? ?[A-Z]+: +0$").ok()
});

fn fits(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern
        .as_ref()
        .is_some_and(|pattern| pattern.is_match(text.as_bytes()))
}

/// Whether a tool says that it succeeded.
pub(crate) fn is_success(text: &str) -> bool {
    fits(&SUCCESS, text)
}

/// Whether a line only says that something before it failed.
pub(crate) fn is_closer(text: &str) -> bool {
    fits(&CLOSERS, text) && !text.ends_with("(ignored)")
}

/// Whether a line with the word for an error speaks of none.
pub(crate) fn is_innocent(text: &str) -> bool {
    fits(&INNOCENT, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn successes_and_closers_are_told_apart() {
        assert!(SUCCESS.is_some() && CLOSERS.is_some() && INNOCENT.is_some());
        for text in [
            "[INFO] BUILD SUCCESS",
            "BUILD SUCCESSFUL in 3s",
            "-- Build files have been written to: /build",
            "[100%] Built target x",
            "Wrote: /root/rpmbuild/RPMS/x86_64/x-1-1.x86_64.rpm",
            "    Finished `release` profile [optimized] target(s) in 3.21s",
            "100% tests passed, 0 tests failed out of 3",
            "Successfully installed x-1.0",
        ] {
            assert!(is_success(text) && !is_closer(text), "{text}");
            assert!(MARKS.iter().any(|mark| text.contains(mark)), "{text}");
        }
        for text in [
            "make: *** [Makefile:2: all] Error 2",
            "ninja: build stopped: subcommand failed.",
            "collect2: error: ld returned 1 exit status",
            "-- Configuring incomplete, errors occurred!",
            "error: Bad exit status from /var/tmp/x (%build)",
            "BUILD FAILED in 3s",
        ] {
            assert!(is_closer(text) && !is_success(text), "{text}");
        }
        assert!(!is_closer("make: [Makefile:2: all] Error 2 (ignored)"));
    }
}
