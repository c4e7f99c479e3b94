//! A test that fails on the target is left out there, and says so. No clean fix: it is marked, and stands last.

use crate::{
    Mark, Repair,
    case::Case,
    draft::{Draft, split},
    machine,
    recipe::{is_sequence, know, rules},
    table::Sign,
};

/// How the log's test runner leaves one test out, as arguments of `dh_auto_test`.
fn runner(case: &Case<'_>, test: &str) -> Option<String> {
    let says = |word: &str| case.lines.iter().any(|line| line.text.contains(word));
    let has = |name: &str| {
        case.files
            .iter()
            .any(|path| path == name || path.ends_with(&format!("/{name}")))
    };
    let plain = test.rsplit(['/', ':']).next().unwrap_or(test);
    if !plain
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
        || plain.is_empty()
    {
        return None;
    }
    if says("tests passed,") && says("tests failed out of") && has("CMakeLists.txt") {
        return Some(format!("ARGS+=\"-E '^{plain}$$'\""));
    }
    if says("Testsuite summary") || has("Makefile.am") {
        return Some(format!("XFAIL_TESTS={plain}"));
    }
    None
}

/// Repairs that leave a failing test out on the target.
pub(crate) fn repairs(case: &Case<'_>, signs: &[Sign]) -> Vec<Repair> {
    let Some(sign) = signs.first() else { return Vec::new() };
    let target = case.target();
    let why = |what: &str| {
        sign.quote(&format!(
            "the test fails on {target} and passes on {}; {what}, because no cause is known",
            case.works_on()
        ))
    };
    let mut repairs = Vec::new();
    if !case.is_debian() {
        let mut draft = Draft::new(case);
        draft.mark(Mark::RemovesTests);
        let Some(path) = case.recipe().map(str::to_owned) else {
            return repairs;
        };
        draft.edit(&path, |text| {
            let mut lines = split(text);
            let start = lines.iter().position(|line| line.trim_end() == "%check")? + 1;
            let end = lines
                .iter()
                .skip(start)
                .position(|line| {
                    line.starts_with("%files")
                        || line.starts_with("%package")
                        || line.starts_with("%changelog")
                        || line.starts_with("%post")
                        || line.starts_with("%pre")
                })
                .map_or(lines.len(), |at| start + at);
            lines.insert(end, "%endif\n\n".to_owned());
            lines.insert(
                start,
                format!(
                    "# Tests fail on {target}: {}\n%ifnarch {}\n",
                    reason(sign),
                    machine::rpm(&[target])
                ),
            );
            Some(lines.concat())
        });
        repairs.extend(draft.finish(
            "skip-tests",
            6,
            format!("run no tests on {target}"),
            why("all tests are left out there"),
        ));
        return repairs;
    }
    let text = rules(case);
    let one = sign
        .names()
        .find_map(|test| Some((test.to_owned(), runner(case, test)?)));
    if let Some((test, arguments)) = one {
        let mut draft = Draft::new(case);
        draft.mark(Mark::RemovesTests);
        let other = format!("\tdh_auto_test -- {arguments}\n");
        draft.edit("debian/rules", |_| with_tests(&text, case, sign, &other));
        repairs.extend(draft.finish(
            "skip-one-test",
            12,
            format!("leave the test {test} out on {target}"),
            why("this one is left out there"),
        ));
    }
    let mut draft = Draft::new(case);
    draft.mark(Mark::RemovesTests);
    draft.edit("debian/rules", |_| with_tests(&text, case, sign, "\t-dh_auto_test\n"));
    repairs.extend(draft.finish(
        "skip-tests",
        6,
        format!("let tests fail on {target}"),
        why("failures are let pass there"),
    ));
    repairs
}

fn reason(sign: &Sign) -> String {
    sign.text
        .chars()
        .filter(|c| !matches!(c, '%' | '$' | '`'))
        .take(120)
        .collect()
}

/// A recipe that runs its tests otherwise on the target.
fn with_tests(text: &str, case: &Case<'_>, sign: &Sign, other: &str) -> Option<String> {
    if !is_sequence(text) || text.contains("dh_auto_test") {
        return None;
    }
    let text = know(text, "DEB_HOST_ARCH");
    let gap = if text.ends_with('\n') { "" } else { "\n" };
    Some(format!(
        "{text}{gap}\n# Fails on {0}: {1}\nifeq ($(DEB_HOST_ARCH),{2})\noverride_dh_auto_test:\n{other}endif\n",
        case.target(),
        reason(sign),
        case.target().debian()
    ))
}
