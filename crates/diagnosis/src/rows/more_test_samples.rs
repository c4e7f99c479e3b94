//! Further samples of the rows of `tests`, of languages and of the machine: what the tools of a distribution really said.

use super::samples::{Sample, sample};
use crate::Kind;

pub(super) static SAMPLES: &[Sample] = &[
    sample("go-package", r#"go: finding module for package forge.invalid/rope
main.go:2:8: cannot find module providing package forge.invalid/rope: module lookup disabled by GOPROXY=off"#, "forge.invalid/rope").line(2),
    sample("java-heap", r#"Exception in thread "main" java.lang.OutOfMemoryError: Java heap space
	at A.main(A.java:1)"#, "memory").line(1),
    sample("perl-sequence", r#" debian/rules clean
dh clean --with nautical
dh: error: unable to load addon nautical: Can't locate Debian/Debhelper/Sequence/nautical.pm in @INC (you may need to install the Debian::Debhelper::Sequence::nautical module) (@INC contains: /etc/perl /usr/local/lib/x86_64-linux-gnu/perl/5.36.0 /usr/local/sha
BEGIN failed--compilation aborted at (eval 13) line 1.

make: *** [debian/rules:3: clean] Error 25
dpkg-buildpackage: error: debian/rules clean subprocess returned exit status 2"#, "nautical").line(3),
    sample("perl-module", r#"cp lib/Mast.pm blib/lib/Mast.pm
PERL_DL_NONLAZY=1 "/usr/bin/perl" "-MExtUtils::Command::MM" "-MTest::Harness" "-e" "undef *Test::Harness::Switches; test_harness(0, 'blib/lib', 'blib/arch')" t/*.t
Can't locate Not/Here.pm in @INC (you may need to install the Not::Here module) (@INC contains: /build/blib/lib /build/blib/arch /etc/perl /usr/local/lib/x86_64-linux-gnu/perl/5.36.0 /usr/local/share/perl/5.36.0 /usr/lib/x86_64-
BEGIN failed--compilation aborted at /build/blib/lib/Mast.pm line 1.
Compilation failed in require at t/mast.t line 1.
BEGIN failed--compilation aborted at t/mast.t line 1.
# Looks like your test exited with 2 before it could output anything."#, "Not::Here").line(3),
    sample("perl-module", r#"Can't locate inc/Module/Install.pm in @INC (you may need to install the inc::Module::Install module) (@INC contains: /etc/perl /usr/local/lib/x86_64-linux-gnu/perl/5.36.0 /usr/local/share/perl/5.36.0 /usr/lib/x86_64-linux-gnu/perl5/5.36 /usr/share/perl5 /usr/l
BEGIN failed--compilation aborted at Makefile.PL line 1."#, "inc::Module::Install").line(1),
    sample("perl-module", r#"Can't locate Devel/CheckLib.pm in @INC (you may need to install the Devel::CheckLib module) (@INC contains: /etc/perl /usr/local/lib/x86_64-linux-gnu/perl/5.36.0 /usr/local/share/perl/5.36.0 /usr/lib/x86_64-linux-gnu/perl5/5.36 /usr/share/perl5 /usr/lib/x86_64
BEGIN failed--compilation aborted at Makefile.PL line 1."#, "Devel::CheckLib").line(1),
    sample("perl-module", r#"Can't locate ExtUtils/PkgConfig.pm in @INC (you may need to install the ExtUtils::PkgConfig module) (@INC contains: /etc/perl /usr/local/lib/x86_64-linux-gnu/perl/5.36.0 /usr/local/share/perl/5.36.0 /usr/lib/x86_64-linux-gnu/perl5/5.36 /usr/share/perl5 /usr/li
BEGIN failed--compilation aborted."#, "ExtUtils::PkgConfig").line(1),
    sample("perl-prerequisite", r#"Warning: prerequisite Not::Here 2 not found.
WARNING: Setting VERSION via file 'lib/Mast.pm' failed
 at /usr/share/perl/5.36/ExtUtils/MakeMaker.pm line 741.
Generating a Unix-style Makefile
Writing Makefile for Mast"#, "Not::Here").line(1),
    sample("perl-module", r#"cp lib/Mast.pm blib/lib/Mast.pm
PERL_DL_NONLAZY=1 "/usr/bin/perl" "-MExtUtils::Command::MM" "-MTest::Harness" "-e" "undef *Test::Harness::Switches; test_harness(0, 'blib/lib', 'blib/arch')" t/*.t
Can't locate Test/Nothere.pm in @INC (you may need to install the Test::Nothere module) (@INC contains: /build/blib/lib /build/blib/arch /etc/perl /usr/local/lib/x86_64-linux-gnu/perl/5.36.0 /usr/local/share/perl/5.36.0 /usr/l
BEGIN failed--compilation aborted at t/mast.t line 1.
t/mast.t .. 
Dubious, test returned 2 (wstat 512, 0x200)
No subtests run "#, "Test::Nothere").line(3),
    sample("perl-version", r#"List::Util version 99 required--this is only version 1.62 at -e line 1.
BEGIN failed--compilation aborted at -e line 1."#, "List::Util").line(1),
    sample("ruby-have-header", r#"checking for frob.h... no
frob.h is missing
*** extconf.rb failed ***
Could not create Makefile due to some reason, probably lack of necessary
libraries and/or headers.  Check the mkmf.log file for more details.  You may
need configuration options."#, "frob.h").line(2),
    sample("network-refused", r#"--2026-11-30 16:09:15--  http://127.0.0.1:9/x.tar.gz
Connecting to 127.0.0.1:9... failed: Connection refused."#, "127.0.0.1").line(2),
    sample("machine-namespace", r#"chroot: cannot change root directory to '/': Operation not permitted"#, "chroot").line(1),
    sample("machine-home", r#"failed to initialize build cache at /nonexistent/.cache/go-build: mkdir /nonexistent: permission denied"#, "home").line(1),
    sample("machine-root", r#"initdb: error: cannot be run as root
initdb: hint: Please log in (using, e.g., "su") as the (unprivileged) user that will own the server process."#, "root").line(1),
    sample("machine-namespace", r#"mount: /mnt: must be superuser to use mount.
       dmesg(1) may have more information after failed mount system call."#, "mount").line(1),
    sample("machine-sudo", r#"/bin/sh: 1: sudo: not found"#, "sudo").line(1),
    sample("machine-namespace", r#"unshare: unshare failed: Operation not permitted"#, "unshare").line(1),
    sample("machine-memory", r#"virtual memory exhausted: Cannot allocate memory"#, "memory").line(1),
    sample("machine-file-size", r#"gen.sh: line 2: 11666 File size limit exceededhead -c 100000 /dev/zero > x"#, "disk").line(1),
    sample("machine-disk", r#"cp: error writing 'm/ls': No space left on device"#, "disk").line(1),
    sample("machine-files", r#"  File "<string>", line 1, in <module>
  File "<string>", line 1, in <listcomp>
OSError: [Errno 24] Too many open files: '/dev/null'"#, "files").line(3),
    sample("machine-display", r#"    self.tk = _tkinter.create(screenName, baseName, className, interactive, wantobjects, useTk, sync, use)
              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
_tkinter.TclError: no display name and no $DISPLAY environment variable"#, "display").line(3),
    sample("machine-locale", r#"    return _setlocale(category, locale)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
locale.Error: unsupported locale setting"#, "locale").line(3),
    sample("machine-zone", r#"  File "/usr/lib/python3.11/zoneinfo/_common.py", line 24, in load_tzdata
    raise ZoneInfoNotFoundError(f"No time zone found with key {key}")
zoneinfo._common.ZoneInfoNotFoundError: 'No time zone found with key Mars/Crater'"#, "Mars/Crater").line(3),
    sample("npm-network", r#"npm error syscall connect
npm error errno ECONNREFUSED
npm error FetchError: request to http://127.0.0.1:9/left-pad failed, reason: connect ECONNREFUSED 127.0.0.1:9
npm error     at ClientRequest.<anonymous> (/usr/lib/node_modules/npm/node_modules/minipass-fetch/lib/index.js:130:14)
npm error     at ClientRequest.emit (node:events:524:28)
npm error     at emitErrorEvent (node:_http_client:101:11)
npm error     at _destroy (node:_http_client:884:9)"#, "127.0.0.1").line(3),
    sample("node-heap", r#"<--- JS stacktrace --->

FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory
----- Native stack trace -----

 1: 0xb78db3 node::OOMErrorHandler(char const*, v8::OOMDetails const&) [node]
 2: 0xee8300 v8::Utils::ReportOOMFailure(v8::internal::Isolate*, char const*, v8::OOMDetails const&) [node]"#, "memory").line(3),
    sample("python-file", r#"FileNotFoundError: [Errno 2] No such file or directory: 'data/table.txt'"#, "data/table.txt").line(1).documented(),
    sample("pip-checksum", r#"ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated the package versions, please update the hashes.
    rope==1.16.0 from https://registry.example/packages/rope-1.16.0.whl (from -r requirements.txt (line 1)):
        Expected sha256 0000"#, "rope").line(2).documented(),
    sample("pip-no-version", r#"Looking in indexes: http://127.0.0.1:9/simple
Looking in links: /opt/wheels
ERROR: Could not find a version that satisfies the requirement rope (from versions: none)
ERROR: No matching distribution found for rope"#, "rope").line(3),
    sample("python-file", r#"Traceback (most recent call last):
  File "<string>", line 1, in <module>
FileNotFoundError: [Errno 2] No such file or directory: '/usr/share/doc/x'"#, "/usr/share/doc/x").line(3),
    sample("python-module", r#"conftest.py:1: in <module>
    import nothere
E   ModuleNotFoundError: No module named 'nothere'"#, "nothere").line(3),
    sample("python-module", r#"/usr/bin/python3: No module named pytset"#, "pytset").line(1),
    sample("python-module", r#"    module = __import__(module_name)
             ^^^^^^^^^^^^^^^^^^^^^^^
ModuleNotFoundError: No module named 'tests'


----------------------------------------------------------------------
Ran 1 test in 0.000s"#, "tests").line(3),
    sample("pytest-fixture", r#"E       fixture 'mocker' not found"#, "pytest_mock").line(1).documented(),
    sample("pytest-argument", r#"__main__.py: error: unrecognized arguments: --cov"#, "pytest_cov").line(1).documented(),
    sample("automake-failed", r#"make[1]: Entering directory '/build'
echo FAIL: t1; exit 1
FAIL: t1
make[1]: *** [Makefile:7: check] Error 1
make[1]: Leaving directory '/build'
dh_auto_test: error: make -j2 check returned exit code 2
make: *** [debian/rules:3: build] Error 25"#, "t1").line(3),
    sample("make-crash", r#"gcc -o m m.o 
./m
make: *** [Makefile:8: check] Aborted"#, "m").line(3),
    sample("make-crash", r#"make: *** [Makefile:8: check] Segmentation fault"#, "check").line(1),
    sample("prove-file", r#"Test Summary Report
-------------------
t/a.t (Wstat: 512 (exited 2) Tests: 0 Failed: 0)
  Non-zero exit status: 2
  Parse errors: Bad plan.  You planned 1 tests but ran 0.
Files=1, Tests=0,  1 wallclock secs ( 0.01 usr  0.01 sys +  0.03 cusr  0.00 csys =  0.05 CPU)
Result: FAIL"#, "t/a.t").line(3),
    sample("prove-file", r#"Test Summary Report
-------------------
t/mast.t (Wstat: 65280 (exited 255) Tests: 0 Failed: 0)
  Non-zero exit status: 255
  Parse errors: Bad plan.  You planned 2 tests but ran 0.
Files=1, Tests=0,  1 wallclock secs ( 0.02 usr  0.00 sys +  0.02 cusr  0.01 csys =  0.05 CPU)
Result: FAIL"#, "t/mast.t").line(3),
    sample("test-more-failed", r#"PERL_DL_NONLAZY=1 "/usr/bin/perl" "-MExtUtils::Command::MM" "-MTest::Harness" "-e" "undef *Test::Harness::Switches; test_harness(0, 'blib/lib', 'blib/arch')" t/*.t

#   Failed test 'height'
#   at t/mast.t line 1.
#          got: '3'
#     expected: '4'
# Looks like you failed 1 test of 2."#, "height").line(3),
    sample("test-more-failed", r#"PERL_DL_NONLAZY=1 "/usr/bin/perl" "-MExtUtils::Command::MM" "-MTest::Harness" "-e" "undef *Test::Harness::Switches; test_harness(0, 'blib/lib', 'blib/arch')" t/*.t

#   Failed test at t/mast.t line 1.
#          got: '3'
#     expected: '4'
# Looks like you failed 1 test of 2.
t/mast.t .. "#, "t/mast.t").line(3),
    sample("minitest-failed", r#"
  1) Failure:
TestMast#test_h [test_a.rb:4]:
Expected: 3
  Actual: 4

1 runs, 1 assertions, 1 failures, 0 errors, 0 skips"#, "TestMast#test_h").line(3),
    sample("test-unit-failed", r#"E
===============================================================================
Error: test_e(TestMast): TypeError: exception class/object expected
test_a.rb:7:in `raise'
test_a.rb:7:in `test_e'
     4:   assert_equal 3,4
     5:  end"#, "test_e").line(3),
    sample("automake-failed", r#"make[1]: Entering directory '/build'
make[2]: Entering directory '/build'
FAIL: tide.sh
===========================
   x 1: ./test-suite.log
===========================
"#, "tide.sh").line(3),
    sample("automake-error", r#"make[1]: Entering directory '/build'
make[2]: Entering directory '/build'
ERROR: tide.sh
============================================================================
Testsuite summary for x 1
============================================================================
# TOTAL: 1"#, "tide.sh").line(3),
    sample("ctest-failed", r#"Test project /build
    Start 1: tide
1/1 Test #1: tide .............................***Failed    0.01 sec

0% tests passed, 1 tests failed out of 1

Total Test time (real) =   0.01 sec"#, "tide").line(3),
    sample("ctest-failed", r#"Test project /build
    Start 1: setup
1/2 Test #1: setup ............................***Failed    0.00 sec
    Start 2: tide
Failed test dependencies: setup
2/2 Test #2: tide .............................***Not Run   0.00 sec
"#, "setup").line(3),
    sample("ctest-program", r#"Test project /build
    Start 1: tide
Could not find executable ./nothere
Looked in the following places:
./nothere
./nothere
./Release/nothere"#, "./nothere").line(3),
    sample("ctest-not-run", r#"    Start 1: tide
Unable to find required file: none.dat
1/1 Test #1: tide .............................***Not Run   0.00 sec

0% tests passed, 1 tests failed out of 1

Total Test time (real) =   0.00 sec"#, "tide").line(3),
    sample("ctest-timeout", r#"Test project /build
    Start 1: tide
1/1 Test #1: tide .............................***Timeout   1.00 sec

0% tests passed, 1 tests failed out of 1

Total Test time (real) =   1.00 sec"#, "tide").line(3),
    sample("meson-crash", r#"ninja: Entering directory `/build/o'
ninja: no work to do.
1/1 tide FAIL            0.02s   killed by signal 6 SIGABRT
>>> MALLOC_PERTURB_=77 /usr/bin/sh -c 'kill -6 $$'


Ok:                 0   "#, "tide").line(3),
    sample("meson-failed", r#"ninja: Entering directory `/build/o'
ninja: no work to do.
1/1 tide FAIL            0.01s   exit status 1
>>> MALLOC_PERTURB_=160 /usr/bin/false


Ok:                 0   "#, "tide").line(3),
    sample("meson-failed", r#"ninja: Entering directory `/build/o'
ninja: no work to do.
1/2 x:sea / tide FAIL            0.04s   exit status 1
>>> MALLOC_PERTURB_=244 /usr/bin/false

2/2 x / ok       OK              0.02s
"#, "x:sea / tide").line(3),
    sample("meson-timeout", r#"ninja: Entering directory `/build/o'
ninja: no work to do.
1/1 tide TIMEOUT        1.19s   killed by signal 15 SIGTERM
>>> MALLOC_PERTURB_=161 /usr/bin/sleep 9


Ok:                 0   "#, "tide").line(3),
    sample("plain-failed", r#"test tide ... failed
make: *** [Makefile:2: check] Error 1"#, "tide").line(1),
    sample("make-crash", r#"gcc -o t t.c
./t
make: *** [Makefile:2: check] Segmentation fault"#, "t").line(3),
    sample("pytest-failed", r#"test_a.py:1: AssertionError
=========================== short test summary info ============================
FAILED test_a.py::test_a - assert 1 == 2
============================== 1 failed in 0.05s ==============================="#, "test_a.py::test_a").line(3),
    sample("pytest-failed", r#"/build/a.py:3: DocTestFailure
=========================== short test summary info ============================
FAILED a.py::a.f
============================== 1 failed in 0.01s ==============================="#, "a.py::a.f").line(3),
    sample("pytest-fixture", r#"file /build/test_a.py, line 1
  def test_a(nofix): pass
E       fixture 'nofix' not found
>       available fixtures: cache, capfd, capfdbinary, caplog, capsys, capsysbinary, capteesys, doctest_namespace, monkeypatch, pytestconfig, record_property, record_testsuite_property, record_xml_attribute, recwarn, subtests, tmp_path, tmp_path_factory, tmpdi
>       use 'pytest --fixtures [testpath]' for help on them.

/build/test_a.py:1"#, "nofix").kind(Kind::TestSetup).line(3),
    sample("pytest-argument", r#"ERROR: usage: pytest [options] [file_or_dir] [file_or_dir] [...]
pytest: error: unrecognized arguments: --frob
  inifile: /build/pytest.ini
  rootdir: /build
"#, "--frob").kind(Kind::TestSetup).line(2),
    sample("pytest-plugin", r#"ERROR: Missing required plugins: pytest-frob
"#, "pytest-frob").line(1),
    sample("pytest-none", r#"/build/test_a.py:1: KeyboardInterrupt
(to show a full traceback on KeyboardInterrupt use --full-trace)
============================ no tests ran in 0.58s ============================="#, "").line(3),
    sample("pytest-failed", r#"test_a.py:3: AssertionError
=========================== short test summary info ============================
FAILED test_a.py::test_a[2] - assert 2 == 1
========================= 1 failed, 1 passed in 0.05s =========================="#, "test_a.py::test_a[2]").line(3),
    sample("pytest-plugin", r#"ERROR: Error importing plugin "nosuchplugin": No module named 'nosuchplugin'
"#, "nosuchplugin").line(1),
    sample("pytest-summary", r#"F                                                                        [100%]
1 failed in 0.03s"#, "").line(2),
    sample("pytest-crash", r#"
test_a.py Fatal Python error: Segmentation fault

Current thread 0x00007f126f666b80 (most recent call first):
  File "/usr/lib/python3.11/ctypes/__init__.py", line 519 in string_at
  File "/build/test_a.py", line 2 in test_a
  File "/usr/lib/python3.11/site-packages/_pytest/python.py", line 187 in pytest_pyfunc_call
  File "/usr/lib/python3.11/site-packages/pluggy/_execution.py", line 147 in _multicall
  File "/usr/lib/python3.11/site-packages/pluggy/_manager.py", line 183 in _hookexec
  File "/usr/lib/python3.11/site-packages/pluggy/_caller.py", line 197 in __call__
  File "/usr/lib/python3.11/site-packages/_pytest/python.py", line 1798 in runtest
  File "/usr/lib/python3.11/site-packages/_pytest/runner.py", line 184 in pytest_runtest_call
  File "/usr/lib/python3.11/site-packages/pluggy/_execution.py", line 147 in _multicall
  File "/usr/lib/python3.11/site-packages/pluggy/_manager.py", line 183 in _hookexec
  File "/usr/lib/python3.11/site-packages/pluggy/_caller.py", line 197 in __call__"#, "string_at").line(5),
    sample("pytest-error", r#"
==================================== ERRORS ====================================
___________________________ ERROR at setup of test_a ___________________________

    @pytest.fixture
>   def f(): raise OSError(2,"x")
             ^^^^^^^^^^^^^^^^^^^^"#, "test_a").line(3),
    sample("pytest-error", r#"
==================================== ERRORS ====================================
__________________________ ERROR collecting test_a.py __________________________
/usr/lib/python3.11/site-packages/_pytest/python.py:528: in importtestmodule
    mod = import_path(
/usr/lib/python3.11/site-packages/_pytest/pathlib.py:640: in import_path
    importlib.import_module(module_name)"#, "test_a.py").line(3),
    sample("unittest-failed", r#"F
======================================================================
FAIL: test_a (test_a.T.test_a)
Adds numbers.
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/build/test_a.py", line 5, in test_a"#, "test_a.T.test_a").line(3),
    sample("unittest-failed", r#"E
======================================================================
ERROR: setUpClass (test_a.T)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/build/test_a.py", line 4, in setUpClass
    def setUpClass(cls): raise OSError(3)"#, "test_a.T.setUpClass").line(3),
];
