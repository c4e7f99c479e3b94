//! Samples of the rows of `tests`.

#![expect(clippy::needless_raw_strings, reason = "one form for all samples")]

use super::samples::{Sample, sample};

pub(super) static SAMPLES: &[Sample] = &[
    sample(
        "ctest-timeout",
        r"	  4 - slow (Timeout)",
        "slow",
    ),
    sample(
        "ctest-crash",
        r"	  3 - crash (SEGFAULT)",
        "crash",
    ),
    sample(
        "ctest-not-run",
        r"	  5 - gone (Not Run)",
        "gone",
    ),
    sample(
        "ctest-failed",
        r"Total Test time (real) =   1.09 sec

The following tests FAILED:
	  2 - bad (Failed)
	  3 - crash (SEGFAULT)",
        "bad",
    )
    .line(4),
    sample(
        "ctest-failed",
        r"2/5 Test #2: bad ..............................***Failed    0.01 sec",
        "bad",
    )
    .documented(),
    sample(
        "ctest-summary",
        r"20% tests passed, 4 tests failed out of 5",
        "",
    ),
    sample(
        "meson-timeout",
        r"4/4 slow  TIMEOUT         1.06s   killed by signal 15 SIGTERM",
        "slow",
    ),
    sample(
        "meson-crash",
        r"3/4 crash FAIL            0.04s   killed by signal 11 SIGSEGV",
        "crash",
    ),
    sample(
        "meson-failed",
        r"1/4 good  OK              0.11s
2/4 bad   FAIL            0.09s   exit status 1
>>> MALLOC_PERTURB_=134 /usr/bin/false",
        "bad",
    )
    .line(2),
    sample(
        "meson-summary",
        r"Expected Fail:      0
Fail:               2
Unexpected Pass:    0",
        "",
    )
    .line(2),
    sample(
        "automake-failed",
        r"PASS: good.sh
FAIL: bad.sh
ERROR: err.sh
SKIP: skip.sh
XFAIL: xf.sh",
        "bad.sh",
    )
    .line(2),
    sample(
        "automake-error",
        r"ERROR: err.sh
SKIP: skip.sh",
        "err.sh",
    ),
    sample(
        "automake-summary",
        r"# PASS:  1
# SKIP:  1
# XFAIL: 1
# FAIL:  1
# XPASS: 0
# ERROR: 1",
        "",
    )
    .line(4),
    sample(
        "pytest-fixture",
        r"file /build/pt2/test_a.py, line 1
  def test_a(mocker): pass
E       fixture 'mocker' not found
>       available fixtures: cache, capfd, capfdbinary, caplog, capsys, capsysbinary, capteesys, doctest_namespace, monkeypatch, platformdirs_isolated, pytestconfig, record_property, record_testsuite_property, record_xml_attribute, recwarn, subtests, tmp_path, tmp_path_factory, tmpdir, tmpdir_factory",
        "pytest_mock",
    )
    .line(3),
    sample(
        "pytest-argument",
        r"ERROR: usage: python -m pytest [options] [file_or_dir] [file_or_dir] [...]
python -m pytest: error: unrecognized arguments: --cov=x --numprocesses=2
  inifile: None
  rootdir: /build/pt2",
        "pytest_cov",
    )
    .line(2),
    sample(
        "pytest-plugin",
        r"ERROR: Missing required plugins: pytest-cov",
        "pytest-cov",
    )
    .documented(),
    sample(
        "pytest-removed",
        r"pytest.PytestRemovedIn8Warning: Passing None has been deprecated.",
        "pytest",
    )
    .documented(),
    sample(
        "pytest-timeout",
        r"=========================== short test summary info ============================
FAILED test_a.py::test_slow - Failed: Timeout (>1.0s) from pytest-timeout.
============================== 1 failed in 1.31s ===============================",
        "test_a.py::test_slow",
    )
    .line(2),
    sample(
        "pytest-failed",
        r"=========================== short test summary info ============================
FAILED test_a.py::test_adds - assert (1 + 1) == 3
FAILED test_a.py::TestX::test_m - ValueError: no
==================== 2 failed, 1 passed, 1 xfailed in 0.50s ====================",
        "test_a.py::test_adds",
    )
    .line(2),
    sample(
        "pytest-failed",
        r#"    def test_m(self): raise ValueError("no")
                      ^^^^^^^^^^^^^^^^^^^^^^
E   ValueError: no
=========================== short test summary info ============================
FAILED test_a.py::test_adds - assert (1 + 1) == 3
FAILED test_a.py::TestX::test_m - ValueError: no
2 failed, 1 passed, 1 xfailed in 0.51s"#,
        "test_a.py::test_adds",
    )
    .line(5),
    sample(
        "pytest-error",
        r"==================================== ERRORS ====================================
_________________________ ERROR collecting b/test_m.py _________________________",
        "b/test_m.py",
    )
    .line(2),
    sample(
        "pytest-error",
        r"ERROR tests/test_a.py::test_x - OSError: no such device",
        "tests/test_a.py::test_x",
    )
    .documented(),
    sample(
        "pytest-mismatch",
        r"import file mismatch:
imported module 'test_m' has this __file__ attribute:
  /build/pt2/a/test_m.py
which is not the same as the test file we want to collect:",
        "test_m",
    ),
    sample(
        "pytest-crash",
        r#"test_a.py Fatal Python error: Segmentation fault

Current thread 0x00007fce44fc6b80 (most recent call first):
  File "/build/pt2/test_a.py", line 1 in test_a
  File "/build/v3.11.7/lib/python3.11/site-packages/_pytest/python.py", line 187 in pytest_pyfunc_call
  File "/build/v3.11.7/lib/python3.11/site-packages/pluggy/_execution.py", line 147 in _multicall"#,
        "test_a",
    ),
    sample(
        "pytest-summary",
        r"2 failed, 1 passed, 1 xfailed in 0.51s",
        "",
    ),
    sample(
        "pytest-none",
        r"============================ no tests ran in 0.08s =============================",
        "",
    ),
    sample(
        "unittest-failed",
        r#"======================================================================
ERROR: test_b (test_a.T.test_b)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/build/un/test_a.py", line 4, in test_b
    def test_b(self): raise ValueError(1)
                      ^^^^^^^^^^^^^^^^^^^
ValueError: 1"#,
        "test_a.T.test_b",
    )
    .line(2),
    sample(
        "unittest-summary",
        r"Ran 3 tests in 0.001s

FAILED (failures=1, errors=1)",
        "",
    )
    .line(3),
    sample(
        "go-test-timeout",
        r"panic: test timed out after 1s
	running tests:
		TestSlow (1s)",
        "TestSlow",
    ),
    sample(
        "go-test-failed",
        r"--- FAIL: TestAdd (0.00s)
    --- FAIL: TestAdd/sub (0.00s)
        i_test.go:3: 1+1 = 3
FAIL
FAIL	i	0.003s",
        "TestAdd",
    ),
    sample(
        "go-test-package",
        r"FAIL	i	0.003s",
        "i",
    ),
    sample(
        "cargo-test-failed",
        r"running 2 tests
test good ... ok
test adds ... FAILED

failures:

---- adds stdout ----",
        "adds",
    )
    .line(3),
    sample(
        "cargo-test-crash",
        r"error: test failed, to rerun pass `--lib`

Caused by:
  process didn't exit successfully: `/build/target/debug/deps/thing-0123456789abcdef` (signal: 11, SIGSEGV: invalid memory reference)",
        "thing-0123456789abcdef",
    )
    .documented(),
    sample(
        "cargo-test-summary",
        r"test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.25s",
        "",
    ),
    sample(
        "surefire-test",
        r"Tests run: 2, Failures: 1, Errors: 0, Skipped: 1, Time elapsed: 0.702 sec <<< FAILURE!
adds(ATest)  Time elapsed: 0.088 sec  <<< FAILURE!
java.lang.AssertionError: expected:<4> but was:<3>
	at org.junit.Assert.fail(Assert.java:89)",
        "adds(ATest)",
    )
    .line(2),
    sample(
        "surefire-test",
        r"[ERROR]   com.example.AppTest.adds:12 expected:<4> but was:<3>",
        "com.example.AppTest.adds",
    )
    .documented(),
    sample(
        "surefire-crash",
        r"[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:2.12.4:test (default-test) on project ok: Execution default-test of goal org.apache.maven.plugins:maven-surefire-plugin:2.12.4:test failed: The forked VM terminated without saying properly goodbye. VM crash or System.exit called ? -> [Help 1]",
        "",
    ),
    sample(
        "surefire-summary",
        r"[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:2.12.4:test (default-test) on project ok: There are test failures.",
        "",
    ),
    sample(
        "gradle-test",
        r"com.example.AppTest > adds FAILED
    java.lang.AssertionError at AppTest.java:12",
        "com.example.AppTest > adds",
    )
    .documented(),
    sample(
        "tap-failed",
        r"# Subtest: adds
not ok 1 - adds
  ---
  duration_ms: 1.071218
  location: '/build/mo/nt.js:1:30'",
        "adds",
    )
    .line(2),
    sample(
        "prove-file",
        r"Test Summary Report
-------------------
t/a.t (Wstat: 256 (exited 1) Tests: 2 Failed: 1)
  Failed test:  1
  Non-zero exit status: 1",
        "t/a.t",
    )
    .line(3),
    sample(
        "prove-summary",
        r"Files=1, Tests=2,  1 wallclock secs ( 0.02 usr  0.01 sys +  0.02 cusr  0.02 csys =  0.07 CPU)
Result: FAIL",
        "",
    )
    .line(2),
    sample(
        "gtest-failed",
        r"[  FAILED  ] Sum.Adds (0 ms)
[----------] 1 test from Sum (0 ms total)",
        "Sum.Adds",
    )
    .documented(),
    sample(
        "gtest-summary",
        r"[  FAILED  ] 1 test, listed below:",
        "",
    )
    .documented(),
    sample(
        "boost-test",
        r#"test.cpp(12): error: in "suite/case": check f() == 3 has failed [2 != 3]"#,
        "suite/case",
    )
    .documented(),
    sample(
        "qtest-failed",
        r"FAIL!  : tst_Sum::adds() Compared values are not the same",
        "tst_Sum::adds",
    )
    .documented(),
    sample(
        "check-failed",
        r"check_sum.c:12:F:Core:test_sum:0: Assertion 'sum(1, 1) == 3' failed",
        "test_sum",
    )
    .documented(),
    sample(
        "jest-failed",
        r"  ● adds

    expect(received).toBe(expected) // Object.is equality",
        "adds",
    ),
    sample(
        "mocha-failed",
        r"  1 passing (19ms)
  1 failing

  1) sum
       adds:
     Error: bad
      at Context.<anonymous> (test/a.js:1:42)",
        "sum adds",
    )
    .line(4),
    sample("ctest-program", "Could not find executable /build/out/check_buoy\nLooked in the following places:\n", "/build/out/check_buoy"),
    sample("junit-test", "    [junit] Testcase: threeSteps(canal.LockTest):\tFAILED\n    [junit] expected:<4> but was:<3>\n", "threeSteps"),
    sample("junit-test", "Testcase: opens took 0.003 sec\n\tCaused an ERROR\n/ by zero\n", "opens").documented(),
    sample("junit-class", "/build/build.xml:15: Test canal.LockTest failed", "canal.LockTest"),
    sample("minitest-failed", "  1) Failure:\nTestKnot#test_ties [/build/test/test_knot.rb:7]:\nExpected: 3\n  Actual: 2\n", "TestKnot#test_ties"),
    sample("test-unit-failed", "Failure: test_ties(TestKnot)", "test_ties"),
    sample("rspec-failed", "rspec ./spec/knot_spec.rb:4 # Knot ties itself", "Knot ties itself").documented(),
    sample("busted-failed", "Failure \u{2192} spec/knot_spec.lua @ 3", "spec/knot_spec.lua").documented(),
    sample("plain-failed", "Run test 001: showfigfonts output... **fail**", "001"),
    sample("plain-failed", "Test knots ... FAILED", "knots"),
    sample("make-crash", "make: *** [Makefile:9: test] Segmentation fault", "test"),
    sample("node-assert", "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:", ""),
    sample(
        "test-more-failed",
        "#   Failed test 'ties itself'\n#   at t/knot.t line 5.\n# Looks like you failed 1 test of 2.\n",
        "ties itself",
    ),
    sample("test-more-failed", "#   Failed test at t/knot.t line 5.", "t/knot.t"),
];
