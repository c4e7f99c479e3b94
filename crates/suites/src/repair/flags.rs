//! Signs that a repair gave something up: told apart from one that makes the package build as it was meant.

use std::{collections::BTreeSet, path::Path, sync::LazyLock};

use regex::Regex;
use seatrial_core::{Answer, Arch, Check, Evidence, Mark};
use seatrial_packaging::Architectures;
use seatrial_rebuild::{Outcome, Payload};

/// The marks of a patch in git's format, each with the line or the path that shows it.
pub fn marks(patch: &str) -> Vec<(Mark, String)> {
    let mut found = Vec::new();
    for file in files(patch) {
        file.marks(&mut found);
    }
    let mut seen = BTreeSet::new();
    found.retain(|(mark, what)| seen.insert((*mark, what.clone())));
    found
}

/// Architectures that were allowed and are not any more.
pub(super) fn ruled_out(before: &Architectures, after: &Architectures) -> Vec<(Mark, String)> {
    Arch::ALL
        .into_iter()
        .filter(|arch| before.allows(*arch) && !after.allows(*arch))
        .map(|arch| {
            (
                Mark::RemovesArchitectures,
                format!("the recipe no longer allows {arch}"),
            )
        })
        .collect()
}

/// What is built where the package always built, and not on the target.
pub(super) fn missing(target: &Outcome, origin: &Outcome) -> Vec<(Mark, String)> {
    let name = |payload: &Payload| payload.path.split(['_', '.']).next().unwrap_or_default().to_owned();
    let mut found = Vec::new();
    for there in &origin.payloads {
        let is_same = |here: &&Payload| stem(here, target.target) == stem(there, origin.target);
        let Some(here) = target.payloads.iter().find(is_same) else {
            found.push((
                Mark::RemovesFeatures,
                format!("{} is built on {} only", name(there), origin.target),
            ));
            continue;
        };
        if here.machines.is_empty() && !there.machines.is_empty() {
            found.push((
                Mark::RemovesFeatures,
                format!(
                    "{} has programs on {} and none on {}",
                    name(there),
                    origin.target,
                    target.target
                ),
            ));
        } else if here.files * 2 < there.files {
            found.push((
                Mark::RemovesFeatures,
                format!(
                    "{} has {} files on {} and {} on {}",
                    name(there),
                    there.files,
                    origin.target,
                    here.files,
                    target.target
                ),
            ));
        }
    }
    found
}

/// A payload's name without the architecture that it is for.
fn stem(payload: &Payload, arch: Arch) -> String {
    payload.path.replace(arch.debian(), "").replace(arch.as_str(), "")
}

/// As checks of a verdict.
pub(super) fn checks(marks: Vec<(Mark, String)>) -> Vec<Check> {
    let mut checks: Vec<Check> = Vec::new();
    for (mark, text) in marks {
        if let Some(check) = checks.iter_mut().find(|check| check.name == mark.as_str()) {
            check.evidence.push(Evidence::Note { text });
        } else {
            checks.push(Check {
                name: mark.as_str().to_owned(),
                answer: Answer::Yes,
                detail: text.clone(),
                evidence: vec![Evidence::Note { text }],
            });
        }
    }
    checks
}

/// What a patch does to one file.
#[derive(Default)]
struct Changed<'p> {
    path: &'p str,
    is_new: bool,
    is_gone: bool,
    is_binary: bool,
    added: Vec<&'p str>,
    removed: Vec<&'p str>,
}

fn files(patch: &str) -> Vec<Changed<'_>> {
    let mut files: Vec<Changed<'_>> = Vec::new();
    let mut in_hunk = false;
    for line in patch.lines() {
        if let Some(names) = line.strip_prefix("diff --git ") {
            in_hunk = false;
            let path = names.split_once(" b/").map_or(names, |(_, path)| path);
            files.push(Changed {
                path,
                ..Changed::default()
            });
            continue;
        }
        let Some(file) = files.last_mut() else { continue };
        match line {
            _ if line.starts_with("@@ ") => in_hunk = true,
            "GIT binary patch" => file.is_binary = true,
            _ if !in_hunk && line.starts_with("new file mode") => file.is_new = true,
            _ if !in_hunk && line.starts_with("deleted file mode") => file.is_gone = true,
            _ if in_hunk => {
                if let Some(text) = line.strip_prefix('+') {
                    file.added.push(text.trim());
                } else if let Some(text) = line.strip_prefix('-') {
                    file.removed.push(text.trim());
                }
            }
            _ => {}
        }
    }
    files
}

static TEST_PATH: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)(^|/)(tests?|testsuite|t|check|unittests?)/|(^|/)(test[_-][^/]*|[^/]*[_-]test)\.[a-z]+$").ok()
});
static NO_TESTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\bnocheck\b|--(disable|without)-(unit-?)?tests?\b|-D\w*TESTS?(ING)?=(OFF|0|FALSE|NO)\b|-Dtests?=(false|disabled)\b|--deselect|\bctest\b.*\s(-E|--exclude-regex)|pytest.*-k\s*.?not\b|mark\.(skip|xfail)|unittest\.skip|GTEST_SKIP|\bDISABLED_|XFAIL_TESTS|GTEST_FILTER=|--gtest_filter=.?-",
    )
    .ok()
});
static RUNS_TESTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^%check\b|\bdh_auto_test\b|\bmake\b.*\b(check|test)\b|^%(make_)?ctest\b|\bctest\b|%meson_test|%pytest|\bpytest\b|\bninja\b.*\btest\b|\bmeson\s+test\b|\bprove\b",
    )
    .ok()
});
static NO_FEATURE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)--(disable|without)-[a-z]|-D\w*(ENABLE|WITH|USE|BUILD|HAVE)_?\w*=(OFF|0|FALSE|NO)\b|-D\w+=(disabled|false)\b").ok()
});

fn fits(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

fn is_spec(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|ending| ending == "spec")
}

impl Changed<'_> {
    fn marks(&self, found: &mut Vec<(Mark, String)>) {
        let path = self.path;
        let is_recipe = path == "debian/rules" || is_spec(path);
        let mut add = |mark, what: &str| found.push((mark, format!("{path}: {what}")));
        if self.is_binary && !self.is_gone {
            add(Mark::AddsBinaries, "a binary file");
        }
        if self.is_gone && fits(&TEST_PATH, path) {
            add(Mark::RemovesTests, "deleted");
            return;
        }
        for line in &self.added {
            if is_comment(line) {
                continue;
            }
            let is_unheard = || is_recipe && fits(&RUNS_TESTS, line) && is_without_effect(line);
            if fits(&NO_TESTS, line) || is_unheard() {
                add(Mark::RemovesTests, line);
            } else if fits(&NO_FEATURE, line) && !self.removed.contains(line) {
                add(Mark::RemovesFeatures, line);
            }
        }
        if is_recipe {
            self.recipe(&mut add);
        }
        let ships = path.starts_with("debian/") && (path.ends_with(".install") || path.ends_with("/install"));
        if ships {
            for line in self.removed.iter().filter(|line| !line.is_empty() && !is_comment(line)) {
                let base = line.rsplit('/').next().unwrap_or(line);
                // A path that is written otherwise ships the same.
                if !self
                    .added
                    .iter()
                    .any(|added| added.ends_with(base) || added.contains('*'))
                {
                    add(Mark::RemovesFeatures, &format!("ships no {line}"));
                }
            }
        }
        if path == "debian/control" || is_spec(path) {
            for line in &self.removed {
                let is_package = line.starts_with("Package:") || line.starts_with("%package");
                if is_package && !self.added.contains(line) {
                    add(Mark::RemovesFeatures, &format!("`{line}` is gone"));
                }
            }
        }
    }

    fn recipe(&self, add: &mut impl FnMut(Mark, &str)) {
        for line in self.removed.iter().filter(|line| fits(&RUNS_TESTS, line)) {
            if !self.added.iter().any(|added| fits(&RUNS_TESTS, added)) {
                add(Mark::RemovesTests, &format!("`{line}` is gone"));
            }
        }
        let overrides = self.added.iter().any(|line| line.starts_with("override_dh_auto_test"));
        if overrides
            && !self
                .added
                .iter()
                .any(|line| !line.starts_with("override_") && fits(&RUNS_TESTS, line))
        {
            add(Mark::RemovesTests, "override_dh_auto_test runs none");
        }
    }
}

fn is_comment(line: &str) -> bool {
    line.starts_with('#') && !line.starts_with("#define") || line.starts_with("//")
}

/// A command whose failure is not heard.
fn is_without_effect(line: &str) -> bool {
    line.ends_with("|| true") || line.ends_with("|| :") || line.starts_with('-')
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::expect;

    use super::*;

    fn patch(path: &str, lines: &str) -> String {
        format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1,3 +1,3 @@\n{lines}\n")
    }

    #[test]
    fn what_a_repair_gives_up_is_seen() {
        let cases = [
            patch("src/a.c", "-x\n+y\n+#if defined(__x86_64__)"),
            patch("debian/rules", "+override_dh_auto_test:"),
            patch("debian/rules", "+override_dh_auto_test:\n+\tdh_auto_test -- TESTS=fast"),
            patch("debian/rules", "+override_dh_auto_test:\n+\tdh_auto_test || true"),
            patch("debian/rules", "+export DEB_BUILD_OPTIONS=nocheck"),
            patch("debian/rules", "+# nocheck is not asked for"),
            patch("debian/rules", "+\tdh_auto_configure -- --disable-simd"),
            patch("hull.spec", "-%check\n-make check"),
            patch("hull.spec", "-%configure\n+%configure --without-asm --build=%{_host}"),
            patch("hull.spec", "-%package doc"),
            patch("debian/hull.install", "-usr/lib/x86_64-linux-gnu/*.so\n+usr/lib/*/*.so"),
            patch("debian/hull.install", "-usr/bin/hull-tune"),
            patch("tests/test_io.py", "+@pytest.mark.skip(reason='slow')"),
            "diff --git a/tests/io.sh b/tests/io.sh\ndeleted file mode 100755\n--- a/tests/io.sh\n+++ /dev/null\n@@ -1 +0,0 @@\n-exit 1\n".to_owned(),
            "diff --git a/lib.so b/lib.so\nnew file mode 100755\nindex 0..1\nGIT binary patch\nliteral 4\n".to_owned(),
            "no patch at all".to_owned(),
        ];
        let mut text = String::new();
        for case in &cases {
            text.push_str(case.lines().nth(4).unwrap_or(case));
            text.push('\n');
            for (mark, what) in marks(case) {
                writeln!(text, "    {mark}: {what}").unwrap();
            }
        }
        expect![[r#"
            -x
            +override_dh_auto_test:
                removes_tests: debian/rules: override_dh_auto_test runs none
            +override_dh_auto_test:
            +override_dh_auto_test:
                removes_tests: debian/rules: dh_auto_test || true
            +export DEB_BUILD_OPTIONS=nocheck
                removes_tests: debian/rules: export DEB_BUILD_OPTIONS=nocheck
            +# nocheck is not asked for
            +	dh_auto_configure -- --disable-simd
                removes_features: debian/rules: dh_auto_configure -- --disable-simd
            -%check
                removes_tests: hull.spec: `%check` is gone
                removes_tests: hull.spec: `make check` is gone
            -%configure
                removes_features: hull.spec: %configure --without-asm --build=%{_host}
            -%package doc
                removes_features: hull.spec: `%package doc` is gone
            -usr/lib/x86_64-linux-gnu/*.so
            -usr/bin/hull-tune
                removes_features: debian/hull.install: ships no usr/bin/hull-tune
            +@pytest.mark.skip(reason='slow')
                removes_tests: tests/test_io.py: @pytest.mark.skip(reason='slow')
            @@ -1 +0,0 @@
                removes_tests: tests/io.sh: deleted
            literal 4
                adds_binaries: lib.so: a binary file
            no patch at all
        "#]]
        .assert_eq(&text);
    }
}
