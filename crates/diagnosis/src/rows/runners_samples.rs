//! Samples of the rows of `runners`.

use super::samples::{Sample, sample};

pub(super) static SAMPLES: &[Sample] = &[
    sample("pytest-version", r#"ERROR: /build/pytest.ini: 'minversion' requires pytest-9.9, actual pytest-7.2.1'"#, "pytest").line(1).documented(),
    sample("pytest-option", r#"ERROR: usage: pytest [options] [file_or_dir] [file_or_dir] [...]
pytest: error: argument --maxfail: invalid int value: 'x'"#, "--maxfail").line(2).documented(),
    sample("pytest-option", r#"ERROR: Unknown config option: asyncio_mode"#, "asyncio_mode").line(1).documented(),
    sample("pytest-no-file", r#"ERROR: file or directory not found: tests/unit"#, "tests/unit").line(1).documented(),
    sample("pytest-no-file", r#"ERROR: not found: /build/tests/test_mast.py::test_none"#, "/build/tests/test_mast.py::test_none").line(1).documented(),
    sample("pytest-marker", r#"_____ ERROR collecting tests/test_mast.py _____
'slow' not found in `markers` configuration option"#, "slow").line(2).documented(),
    sample("pytest-heading", r#"F     [100%]
=== FAILURES ===
_______________ test_height _______________

    def test_height():
>       assert 1 == 2
E       assert 1 == 2

tests/test_mast.py:1: AssertionError
1 failed in 0.05s"#, "test_height").line(3).documented(),
    sample("pytest-heading", r#"_____ TestMast.test_depth[3] _____
1 failed in 0.05s"#, "TestMast.test_depth[3]").line(1).documented(),
    sample("pytest-file", r#"tests/test_mast.py .F.     [100%]
1 failed, 2 passed in 0.05s"#, "tests/test_mast.py").line(1).documented(),
    sample("pytest-conftest", r#"ImportError while loading conftest '/build/tests/conftest.py'."#, "conftest.py").line(1).documented(),
    sample("unittest-unexpected", r#"UNEXPECTED SUCCESS: test_depth (tests.test_mast.Mast.test_depth)"#, "tests.test_mast.Mast.test_depth").line(1).documented(),
    sample("unittest-none", r#"Ran 0 tests in 0.000s

NO TESTS RAN"#, "").line(3).documented(),
    sample("doctest", r#"**********
File "/build/mast.py", line 3, in mast.height
Failed example:
    height()
Expected:
    3
Got nothing
***Test Failed*** 1 failures."#, "mast.height").line(2).documented(),
    sample("ctest-none", r#"No tests were found!!!"#, "").line(1).documented(),
    sample("meson-no-test", r#"No suitable tests defined."#, "").line(1).documented(),
    sample("sanitizer", r#"==4711==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60200000001c at pc 0x55d0
READ of size 4 at 0x60200000001c thread T0"#, "heap-buffer-overflow").line(1).documented(),
    sample("sanitizer", r#"==4712==ERROR: LeakSanitizer: detected memory leaks"#, "detected memory leaks").line(1).documented(),
    sample("sanitizer-undefined", r#"mast.c:12:9: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'"#, "signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'").line(1).documented(),
    sample("assertion", r#"check_mast: tests/check_mast.c:14: main: Assertion `height == 3' failed.
make: *** [Makefile:9: check] Aborted"#, "check_mast").line(1).documented(),
    sample("assertion-glib", r#"ERROR:../tests/mast.c:31:test_height: assertion failed (height == 3): (2 == 3)
Bail out! ERROR:../tests/mast.c:31:test_height: assertion failed (height == 3): (2 == 3)"#, "test_height").line(1).documented(),
    sample("crash-shell", r#"run-tests.sh: line 7:  4711 Segmentation fault      (core dumped) ./check_mast"#, "check_mast").line(1).documented(),
    sample("valgrind", r#"==4711== ERROR SUMMARY: 3 errors from 2 contexts (suppressed: 0 from 0)"#, "").line(1).documented(),
    sample("list-before", r#"[FAIL] rope holds
make: *** [Makefile:2: check] Error 1"#, "rope holds").line(1).documented(),
    sample("list-before", r#"  ✗ rope holds (3 ms)"#, "rope holds").line(1).documented(),
    sample("list-before", r#"  ✖ rope holds"#, "rope holds").line(1).documented(),
    sample("list-after", r#"rope_holds: FAIL
make: *** [Makefile:2: check] Error 1"#, "rope_holds").line(1).documented(),
    sample("list-after", r#"rope holds            [FAILED]
make: *** [Makefile:2: check] Error 1"#, "rope holds").line(1).documented(),
    sample("list-after", r#"rope...FAIL
make: *** [Makefile:2: check] Error 1"#, "rope").line(1).documented(),
    sample("list-after", r#"Testing rope ... FAILED
make: *** [Makefile:2: check] Error 1"#, "rope").line(1).documented(),
    sample("list-numbered", r#"Test 3: rope holds FAILED
make: *** [Makefile:2: check] Error 1"#, "rope holds").line(1).documented(),
    sample("list-error", r#"ERROR: test rope_holds failed
make: *** [Makefile:2: check] Error 1"#, "rope_holds").line(1).documented(),
    sample("list-count", r#"1 of 5 tests failed
make: *** [Makefile:2: check] Error 1"#, "").line(1).documented(),
    sample("list-count", r#"Some tests failed.
make: *** [Makefile:2: check] Error 1"#, "").line(1).documented(),
    sample("dejagnu-error", r#"ERROR: tcl error sourcing /build/testsuite/mast/rope.exp."#, "rope.exp").line(1).documented(),
    sample("testthat", r#"── Failure (test-rope.R:3:3): rope holds ─────"#, "test-rope.R").line(1).documented(),
    sample("hspec", r#"  To rerun use: --match "/Rope/holds/""#, "Rope/holds").line(1).documented(),
    sample("eunit", r#"rope_tests: holds_test...*failed*"#, "rope_tests").line(1).documented(),
    sample("mix-test", r#"  1) test rope holds (RopeTest)
     test/rope_test.exs:4"#, "rope holds").line(1).documented(),
    sample("dune-test", r#"File "test/dune", line 2, characters 0-0:"#, "dune").line(1).documented(),
    sample("test-data", r#"cannot open test data: tests/rope.dat"#, "tests/rope.dat").line(1).documented(),
    sample("crash-shell", r#"gen.sh: line 2: 12571 Segmentation fault      ./a"#, "a").line(1),
    sample("assertion", r#"gcc -o m m.o 
./m
m: m.c:2: main: Assertion `0&&"x"' failed.
make: *** [Makefile:8: check] Aborted"#, "m").line(3),
    sample("list-count", r#"+ true
+ echo 1 test failed
1 test failed
+ exit 3
error: Bad exit status from /var/tmp/rpm-tmp.XVLaxW (%check)

RPM build errors:"#, "").line(3),
    sample("ctest-none", r#"Test project /build
No tests were found!!!
Errors while running CTest
Output from these tests are in: /build/Testing/Temporary/LastTest.log
Use "--rerun-failed --output-on-failure" to re-run the failed cases verbosely."#, "").line(2),
    sample("doctest", r#"**********************************************************************
File "/build/a.py", line 3, in a.f
Failed example:
    f()
Expected:
    3"#, "a.f").line(2),
    sample("meson-no-test", r#"ninja: no work to do.
No tests defined."#, "").line(2),
    sample("assertion", r#"gcc -o t t.c
./t
t: t.c:2: main: Assertion `1==2' failed.
make: *** [Makefile:2: test] Aborted"#, "t").line(3),
    sample("list-after", r#"a: FAIL
make: *** [Makefile:2: check] Error 1"#, "a").line(1),
    sample("list-before", r#"[FAIL] tide
make: *** [Makefile:2: check] Error 1"#, "tide").line(1),
    sample("list-after", r#"tide                 [FAILED]
make: *** [Makefile:2: check] Error 1"#, "tide").line(1),
    sample("list-numbered", r#"Test 3: tide FAILED
make: *** [Makefile:2: check] Error 1"#, "tide").line(1),
    sample("list-error", r#"ERROR: test tide failed
make: *** [Makefile:2: check] Error 1"#, "tide").line(1),
    sample("sanitizer", r#"./t
=================================================================
==14724==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60200000001c at pc 0x55c391a551ce bp 0x7ffc83563330 sp 0x7ffc83563328
WRITE of size 4 at 0x60200000001c thread T0
    #0 0x55c391a551cd in main /build/t.c:2
    #1 0x7fa430245249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58
    #2 0x7fa430245304 in __libc_start_main_impl ../csu/libc-start.c:360"#, "heap-buffer-overflow").line(3),
    sample("sanitizer-undefined", r#"gcc -fsanitize=undefined -fno-sanitize-recover -g -o t t.c
./t
t.c:1:50: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'
make: *** [Makefile:2: check] Error 1"#, "signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'").line(3),
    sample("pytest-file", r#"collected 1 item

test_a.py F                                                              [100%]

=================================== FAILURES ===================================
_________________________________ TestX.test_a _________________________________
"#, "test_a.py").line(3),
    sample("pytest-option", r#"
============================ no tests ran in 0.00s =============================
ERROR: Unknown config option: frob

"#, "frob").line(3),
    sample("pytest-marker", r#"==================================== ERRORS ====================================
__________________________ ERROR collecting test_a.py __________________________
'frob' not found in `markers` configuration option
=========================== short test summary info ============================
ERROR test_a.py - Failed: 'frob' not found in `markers` configuration option
!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!
=============================== 1 error in 0.27s ==============================="#, "frob").line(3),
    sample("pytest-version", r#"ERROR: /build/pytest.ini: 'minversion' requires pytest-99, actual pytest-9.2.0'
"#, "pytest").line(1),
    sample("pytest-no-file", r#"
============================ no tests ran in 0.01s =============================
ERROR: not found: /build/test_a.py::test_b
(no match in any of [<Module test_a.py>])
"#, "/build/test_a.py::test_b").line(3),
    sample("pytest-no-file", r#"
============================ no tests ran in 0.00s =============================
ERROR: file or directory not found: tests/none.py
"#, "tests/none.py").line(3),
    sample("pytest-option", r#"ERROR: usage: pytest [options] [file_or_dir] [file_or_dir] [...]
pytest: error: argument --maxfail: invalid int value: 'x'
"#, "--maxfail").line(2),
    sample("unittest-unexpected", r#"u
======================================================================
UNEXPECTED SUCCESS: test_a (test_a.T.test_a)
----------------------------------------------------------------------
Ran 1 test in 0.000s

FAILED (unexpected successes=1)"#, "test_a.T.test_a").line(3),
    sample("list-after", r#"test_a (test_a.T.test_a) ... FAIL

======================================================================
FAIL: test_a (test_a.T.test_a)
----------------------------------------------------------------------"#, "test_a (test_a.T.test_a)").line(1),
];
