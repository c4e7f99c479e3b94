//! Signatures of tests that failed: CTest, Automake, Meson, pytest, unittest, Go, Rust, JUnit, TAP, GoogleTest, Jest, Mocha
//! and others.

use super::{
    Row,
    Subject::{By, Fixed},
    Weight::{Build, Stop, Test, Weak},
    row,
};
use crate::{
    Kind, Remedy,
    cure::Cure::{LookAtTest, ProvideOther, Set},
};

pub(super) static ROWS: &[Row] = &[
    // CTest.
    row("ctest-timeout", Kind::TestTimeout, Test, r"^\s*\d+ - (.+?) \(Timeout\)|^\s*\d+/\d+ Test\s+#\d+: (\S+) \.*\s*\*\*\*Timeout").remedies(&[Set("CTEST_TEST_TIMEOUT", "longer"), LookAtTest]),
    row("ctest-crash", Kind::TestCrashed, Test, r"^\s*\d+ - (.+?) \((?:SEGFAULT|ILLEGAL|Subprocess aborted|SIGSEGV|Child aborted|OTHER_FAULT|Exception[^)]*|Bus error|Numerical)\)|^\s*\d+/\d+ Test\s+#\d+: (\S+) \.*\s*\*\*\*Exception"),
    row("ctest-not-run", Kind::TestSetup, Test, r"^\s*\d+ - (.+?) \(Not Run\)|^\s*\d+/\d+ Test\s+#\d+: (\S+) \.*\s*\*\*\*Not Run"),
    row("ctest-failed", Kind::TestFailed, Test, r"^\s*\d+ - (.+?) \(Failed\)|^\s*\d+/\d+ Test\s+#\d+: (\S+) \.*\s*\*\*\*Failed"),
    row("ctest-program", Kind::TestSetup, Test, r"^(?:Could not|Unable to) find executable:? (\S+)"),
    row("ctest-summary", Kind::TestFailed, Stop, r"^\d+% tests passed, ([1-9]\d*) tests failed out of").subject(Fixed("")),
    // Meson. Before the plain `n/m` forms of others.
    row("meson-timeout", Kind::TestTimeout, Test, r"^\s*\d+/\d+ (.+?)\s+TIMEOUT\s+\d").remedies(&[Set("meson test --timeout-multiplier", "10"), LookAtTest]),
    row("meson-crash", Kind::TestCrashed, Test, r"^\s*\d+/\d+ (.+?)\s+(?:FAIL|ERROR)\s+[\d.]+ ?s\s+.*killed by signal"),
    row("meson-failed", Kind::TestFailed, Test, r"^\s*\d+/\d+ (.+?)\s+(?:FAIL|ERROR|UNEXPECTEDPASS)\s+[\d.]+ ?s"),
    row("meson-summary", Kind::TestFailed, Stop, r"^(?:Fail|Timeout|Unexpected Pass):\s+[1-9]").subject(Fixed("")),
    // Automake and DejaGnu.
    row("automake-failed", Kind::TestFailed, Test, r"^(?:FAIL|XPASS): (\S[^(]*?)(?: \(exit status: \d+\))?$"),
    row("automake-error", Kind::TestSetup, Test, r"^ERROR: (\S+\.\w+|[\w/-]+/[\w.-]+)(?: - .*)?$").unless(r"^ERROR: \S+::|^ERROR: \S+\.(?:toml|cfg|json|ya?ml|lock)$"),
    row("automake-summary", Kind::TestFailed, Stop, r"^# (?:FAIL|ERROR|XPASS):\s+[1-9]").subject(Fixed("")),
    // pytest.
    row("pytest-fixture", Kind::MissingPython, Build, r"^E\s+fixture '(\w+)' not found").subject(By(fixture)).remedies_by(fixture_cures),
    row("pytest-argument", Kind::MissingPython, Build, r"(?:pytest|py\.test|__main__\.py|setup\.py)[^:]*: error: unrecognized arguments: (--?[\w-]+)").subject(By(argument)).remedies_by(argument_cures),
    row("pytest-plugin", Kind::MissingPlugin, Build, r#"Error importing plugin "([\w.]+)"|Missing required plugins: ([\w-]+)"#),
    row("pytest-removed", Kind::ToolVersion, Build, r"PytestRemovedIn(\d+)Warning").subject(Fixed("pytest")).remedies(&[crate::cure::Cure::Version("pytest", "< {1}")]),
    row("pytest-timeout", Kind::TestTimeout, Test, r"^FAILED (\S+::.+?) - Failed: Timeout"),
    row("pytest-failed", Kind::TestFailed, Test, r"^FAILED (\S+::.+?)(?: - .*)?$|^(\S+\.py::\S+) FAILED\b"),
    row("pytest-error", Kind::TestSetup, Test, r"^ERROR (\S+\.py(?:::\S+)?)(?: - .*)?$|^_+ ERROR (?:collecting|at setup of|at teardown of) (\S+) _+$"),
    row("pytest-mismatch", Kind::TestSetup, Test, r"^import file mismatch:\nimported module '([\w.]+)'").marks(&["import file mismatch"]).with_next(1).remedies(&[Set("--import-mode", "importlib"), crate::cure::Cure::Clean]),
    row("pytest-crash", Kind::TestCrashed, Test, r#"Fatal Python error: [^\n]+\n(?:[^\n]*\n){0,5}?  File "[^"]*", line \d+ in (\w+)"#).marks(&["Fatal Python error: "]).with_next(7),
    row("pytest-summary", Kind::TestFailed, Stop, r"^=* ?(?:[1-9]\d* failed|[1-9]\d* errors?)\b.* in [\d.]+s").subject(Fixed("")),
    row("pytest-none", Kind::TestSetup, Stop, r"^=* ?no tests ran in [\d.]+s").subject(Fixed("")),
    // unittest and nose.
    row("unittest-failed", Kind::TestFailed, Test, r"^(?:FAIL|ERROR): (\w+) \(([\w.<>-]+)\)").subject(By(unittest_name)),
    row("unittest-summary", Kind::TestFailed, Stop, r"^FAILED \((?:failures|errors|unexpected)").subject(Fixed("")),
    // Go.
    row("go-test-timeout", Kind::TestTimeout, Test, r"^panic: test timed out after \S+(?:\n[^\n]*running tests:\n\s+(\S+)|(?:\n[^\n]*){1,40}?\n[^\s(]+\.((?:Test|Fuzz|Example|Benchmark)\w*)\()?").marks(&["test timed out after"]).with_next(40).remedies(&[Set("go test -timeout", "longer"), LookAtTest]),
    row("go-test-failed", Kind::TestFailed, Test, r"^--- FAIL: (\S+)"),
    row("go-test-package", Kind::TestFailed, Stop, r"^FAIL\t(\S+)\t").unless(r"\[(?:build|setup) failed\]"),
    // Rust.
    row("cargo-test-failed", Kind::TestFailed, Test, r"^test (\S.*?) \.\.\. FAILED$|^\s+FAIL \[\s*[\d.]+s\] (?:\(\S+\) )?(.+)$"),
    row("cargo-test-crash", Kind::TestCrashed, Test, r"process didn't exit successfully: '([^']+?)(?: [^']*)?' \(signal: \d+, SIG(?:SEGV|ILL|ABRT|BUS|FPE)").subject(super::Subject::BaseName),
    row("cargo-test-summary", Kind::TestFailed, Stop, r"^test result: FAILED").subject(Fixed("")),
    // JUnit by Surefire and Gradle; TestNG.
    row("junit-test", Kind::TestFailed, Test, r"^\s*(?:\[junit\] +)?Testcase: (\w+)(?:\([\w.$]+\))?(?: took [\d.,]+ sec)?:?\s+(?:\[junit\] +)?(?:FAILED|Caused an ERROR)").marks(&["Testcase: "]).with_next(1),
    row("junit-class", Kind::TestFailed, Stop, r"^Test ([\w.$]+) failed$|: Test ([\w.$]+) failed(?: \(crashed\))?$"),
    row("surefire-test", Kind::TestFailed, Test, r"^(?:\[ERROR\]\s+)?(?:Failed tests:\s+|Tests in error:\s+)?(\w+\([\w.$]+\)|[\w.$]+\.\w+(?:\([^)]*\))?)(?:\s+Time elapsed: .*<<< (?:FAILURE|ERROR)!|: expected|:\d+ expected)").marks(&["<<< FAILURE!", "<<< ERROR!", "expected:<", "expected: <"]),
    row("surefire-crash", Kind::TestCrashed, Test, r"The forked VM terminated without (?:saying )?properly").subject(Fixed("")).remedies(&[Set("argLine", "-Djava.awt.headless=true"), LookAtTest]),
    row("surefire-summary", Kind::TestFailed, Stop, r"Tests run: \d+, (?:Failures: [1-9]\d*|Failures: \d+, Errors: [1-9])|There are test failures").subject(Fixed("")),
    row("gradle-test", Kind::TestFailed, Test, r"^([\w.$]+ > .+?) FAILED$"),
    // TAP and Perl.
    row("tap-failed", Kind::TestFailed, Test, r"^\s*not ok (?:\d+ ?)?(?:- )?([^#\n]*?)\s*$").unless(r"# (?i:todo|skip)"),
    row("test-more-failed", Kind::TestFailed, Test, r"^\s*#\s+Failed (?:\(TODO\) )?test (?:'([^'\n]+)'|at (\S+\.t) line)").unless(r"\(TODO\)"),
    row("prove-file", Kind::TestFailed, Stop, r"^\s*(\S+\.t)\s+\(Wstat: |^(\S+\.t)\s+Failed \d+/\d+"),
    row("prove-summary", Kind::TestFailed, Weak, r"^Result: FAIL|^Failed \d+/\d+ (?:subtests|test programs)").subject(Fixed("")),
    // GoogleTest, Catch2, Boost.Test, Qt, CppUnit, Check.
    row("gtest-failed", Kind::TestFailed, Test, r"^\[  FAILED  \] ([\w/]+\.[\w/]+)"),
    row("gtest-summary", Kind::TestFailed, Stop, r"^\[  FAILED  \] \d+ tests?").subject(Fixed("")),
    row("boost-test", Kind::TestFailed, Test, r#"error: in "([^"]+)": check"#),
    row("qtest-failed", Kind::TestFailed, Test, r"^FAIL!\s+: (\w+::\w+)\("),
    row("check-failed", Kind::TestFailed, Test, r"^\S+\.c:\d+:[FE]:[^:]+:(\w+):\d+: ").marks(&[":F:", ":E:"]),
    // Ruby, Lua, shell.
    row("minitest-failed", Kind::TestFailed, Test, r"^\s*\d+\) (?:Failure|Error):\n\s*([\w:]+#\w+)(?: \[|:)").marks(&[") Failure:", ") Error:"]).with_next(1),
    row("test-unit-failed", Kind::TestFailed, Test, r"^(?:Failure|Error): (\w+)\([\w:]+\)"),
    row("rspec-failed", Kind::TestFailed, Test, r"^rspec \S+:\d+ # (.+)$"),
    row("busted-failed", Kind::TestFailed, Test, r"^(?:Failure|Error) \x{2192} (\S+) @ \d+").marks(&["Failure \u{2192}", "Error \u{2192}"]),
    row("plain-failed", Kind::TestFailed, Test, r"^(?:Run(?:ning)? )?(?i:test)(?: case)?:? (?:(\w+): )?(\S.*?) ?(?:\.{2,}|:) ?\**(?:FAIL|fail|Fail)(?:ED|ed|URE|ure)?\**[!.]?$").subject(By(numbered)).marks(&["FAIL", "fail", "Fail"]),
    // Programs that a test's make started.
    row("make-crash", Kind::TestCrashed, Test, r"\*\*\* \[(?:\S+: )?((?:\S*[-_/])?(?:run)?(?:check|tests?)(?:[-_]\S+)?)\] (?:Segmentation fault|Aborted|Illegal instruction|Bus error|Floating point exception|Trace/breakpoint trap)"),
    // JavaScript.
    row("node-assert", Kind::TestFailed, Stop, r"^(?:Uncaught )?AssertionError \[ERR_ASSERTION\]: ").subject(Fixed("")),
    row("jest-failed", Kind::TestFailed, Test, r"^  \x{25CF} (.+)$").marks(&["\u{25cf} "]),
    row("mocha-failed", Kind::TestFailed, Test, r"^\s+[1-9]\d* failing\n\n?\s+1\) (.+?):?\n(?:\s+(.+?):\n)?").marks(&[" failing"]).with_next(4).subject(By(spaced)),
];

/// `module.Class.method` from unittest's `method (module.Class)`; newer versions write the whole name in the brackets.
fn unittest_name(groups: &[String]) -> Vec<(Kind, String)> {
    let [method, place, ..] = groups else { return Vec::new() };
    let whole = if place.ends_with(&format!(".{method}")) {
        place.clone()
    } else {
        format!("{place}.{method}")
    };
    vec![(Kind::TestFailed, whole)]
}

/// A test's words, or its number where it has one before them.
fn numbered(groups: &[String]) -> Vec<(Kind, String)> {
    groups
        .first()
        .map(|name| (Kind::TestFailed, name.clone()))
        .into_iter()
        .collect()
}

/// Suite and test of Mocha's.
fn spaced(groups: &[String]) -> Vec<(Kind, String)> {
    vec![(Kind::TestFailed, groups.join(" "))]
}

/// What a test misses: the module of the plugin that brings it, else whatever sets the test up.
fn plugin(module: Option<&str>, name: &str) -> Vec<(Kind, String)> {
    vec![match module {
        Some(module) => (Kind::MissingPython, module.to_owned()),
        None => (Kind::TestSetup, name.to_owned()),
    }]
}

fn fixture(groups: &[String]) -> Vec<(Kind, String)> {
    let name = groups.first().map_or("", String::as_str);
    plugin(fixture_plugin(name), name)
}

fn argument(groups: &[String]) -> Vec<(Kind, String)> {
    let name = groups.first().map_or("", String::as_str);
    plugin(argument_plugin(name), name)
}

fn plugin_cures(kind: Kind, subject: &str) -> Vec<Remedy> {
    match (kind, subject) {
        (Kind::MissingPython, _) => vec![ProvideOther("python", "{}").remedy(subject, &[])],
        (_, "testdir" | "pytester") => vec![Set("-p", "pytester").remedy(subject, &[])],
        _ => Vec::new(),
    }
}

fn fixture_cures(kind: Kind, subject: &str, _: &[String]) -> Vec<Remedy> {
    plugin_cures(kind, subject)
}

fn argument_cures(kind: Kind, subject: &str, _: &[String]) -> Vec<Remedy> {
    plugin_cures(kind, subject)
}

/// The plugin of pytest that defines a fixture.
fn fixture_plugin(fixture: &str) -> Option<&'static str> {
    Some(match fixture {
        "mocker" | "class_mocker" | "module_mocker" | "session_mocker" => "pytest_mock",
        "benchmark" => "pytest_benchmark",
        "httpx_mock" => "pytest_httpx",
        "httpserver" => "pytest_httpserver",
        "requests_mock" => "requests_mock",
        "aiohttp_client" | "aiohttp_server" | "test_client" | "loop" => "pytest_aiohttp",
        "event_loop" => "pytest_asyncio",
        "client" | "db" | "django_user_model" | "settings" | "rf" | "admin_client" => "pytest_django",
        "qtbot" => "pytestqt",
        "datadir" | "shared_datadir" => "pytest_datadir",
        "data_regression" | "file_regression" | "num_regression" => "pytest_regressions",
        "faker" => "faker",
        "freezer" => "pytest_freezegun",
        "snapshot" => "syrupy",
        "subtests" => "pytest_subtests",
        "fs" => "pyfakefs",
        "lazy_fixture" => "pytest_lazyfixture",
        _ => return None,
    })
}

/// The plugin of pytest that knows an argument.
fn argument_plugin(argument: &str) -> Option<&'static str> {
    let name = argument.trim_start_matches('-');
    Some(match name {
        _ if name.starts_with("cov") || name == "no-cov" => "pytest_cov",
        "n" | "numprocesses" | "dist" | "maxprocesses" | "boxed" => "xdist",
        "timeout" | "timeout-method" => "pytest_timeout",
        _ if name.starts_with("benchmark") => "pytest_benchmark",
        "reruns" | "reruns-delay" => "pytest_rerunfailures",
        "flake8" => "pytest_flake8",
        "pep8" => "pytest_pep8",
        "mypy" => "pytest_mypy",
        "black" => "pytest_black",
        "isort" => "pytest_isort",
        "asyncio-mode" => "pytest_asyncio",
        "forked" => "pytest_forked",
        "html" | "self-contained-html" => "pytest_html",
        "randomly-seed" | "random-order" => "pytest_randomly",
        "nbval" | "nbval-lax" => "nbval",
        "doctest-plus" | "doctest-rst" => "pytest_doctestplus",
        _ => return None,
    })
}
