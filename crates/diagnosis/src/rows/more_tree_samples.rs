//! Further samples of the rows of `tree`, `configure`, `cmake`, `build` and of compilers: what the tools of a distribution really said.

use super::samples::{Sample, sample};
use crate::Kind;

pub(super) static SAMPLES: &[Sample] = &[
    sample("foreign-flag-value", r#"gcc -march=frob -c a.c
cc1: error: bad value ‘frob’ for ‘-march=’ switch
cc1: note: valid arguments to ‘-march=’ switch are: nocona core2 nehalem corei7 westmere sandybridge corei7-avx ivybridge core-avx-i haswell core-avx2 broadwell skylake skylake-avx512 cannonlake icelake-client rocketlake icelake-server cascadelake tigerlake co
make: *** [Makefile:2: all] Error 1"#, "-march=frob").line(2),
    sample("foreign-flag-value", r#"gcc -mcpu=cortex-a53 -c m.c
gcc: warning: ‘-mcpu=’ is deprecated; use ‘-mtune=’ or ‘-march=’ instead
cc1: error: bad value ‘cortex-a53’ for ‘-mtune=’ switch
cc1: note: valid arguments to ‘-mtune=’ switch are: nocona core2 nehalem corei7 westmere sandybridge corei7-avx ivybridge core-avx-i haswell core-avx2 broadwell skylake skylake-avx512 cannonlake icelake-client rocketlake icelake-server cascadelake tigerlake co
make: *** [Makefile:6: m.o] Error 1"#, "-mtune=cortex-a53").line(3),
    sample("compile-member", r#"main.cpp:3:69: error: 'flushNow' is not a member of 'Qt'; did you mean 'flush'?"#, "Qt::flushNow").line(1).documented(),
    sample("command-script", r#"gen.sh: line 32: gbp: command not found"#, "gbp").line(1),
    sample("command-make", r#"make[1]: Entering directory '/build'
dh_frobnicate
make[1]: dh_frobnicate: No such file or directory
make[1]: *** [debian/rules:6: override_dh_install] Error 127
make[1]: Leaving directory '/build'
make: *** [debian/rules:3: binary] Error 2
dpkg-buildpackage: error: debian/rules binary subprocess returned exit status 2"#, "dh_frobnicate").line(3),
    sample("command-make", r#"make[1]: Entering directory '/build'
frobnicate --all
make[1]: frobnicate: No such file or directory
make[1]: *** [debian/rules:6: override_dh_auto_build] Error 127
make[1]: Leaving directory '/build'
make: *** [debian/rules:3: build] Error 2
dpkg-buildpackage: error: debian/rules build subprocess returned exit status 2"#, "frobnicate").line(3),
    sample("command-script", r#"gen.sh: line 32: uscan: command not found"#, "uscan").line(1),
    sample("network-said", r#"Cloning into 'x'...
fatal: unable to access 'http://127.0.0.1:9/x.git/': Failed to connect to 127.0.0.1 port 9 after 0 ms: Couldn't connect to server"#, "127.0.0.1").line(2),
    sample("network-said", r#"Cloning into 'x'...
fatal: unable to access 'https://nothere.invalid/x.git/': Could not resolve host: nothere.invalid"#, "nothere.invalid").line(2),
    sample("network-host", r#"Cloning into 'x'...
ssh: connect to host 127.0.0.1 port 9: Connection refused
fatal: Could not read from remote repository.

Please make sure you have the correct access rights
and the repository exists."#, "127.0.0.1").line(2),
    sample("command-script", r#"gen.sh: line 2: dnf: command not found"#, "dnf").line(1),
    sample("network-name", r#"    for res in _socket.getaddrinfo(host, port, family, type, proto, flags):
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
socket.gaierror: [Errno -2] Name or service not known

During handling of the above exception, another exception occurred:

Traceback (most recent call last):"#, "").line(3),
    sample("command-env", r#"./tools/frob x
/usr/bin/env: ‘frobsh’: No such file or directory
make: *** [Makefile:2: all] Error 127"#, "frobsh").line(2),
    sample("command-make", r#"arm-none-eabi-gcc    -c -o a.o a.c
make: arm-none-eabi-gcc: No such file or directory
make: *** [<builtin>: a.o] Error 127"#, "arm-none-eabi-gcc").line(2),
    sample("command-make", r#"clang-99 -c a.c
make: clang-99: No such file or directory
make: *** [Makefile:2: all] Error 127"#, "clang-99").line(2),
    sample("command-shell", r#"frobnicate x && true
/bin/sh: 1: frobnicate: not found
make: *** [Makefile:2: all] Error 127"#, "frobnicate").line(2),
    sample("library", r#"gcc -o a a.c -lfrob
/usr/bin/ld: cannot find -lfrob: No such file or directory
collect2: error: ld returned 1 exit status
make: *** [Makefile:2: all] Error 1"#, "frob").line(2),
    sample("compile-error", r#"g++ -c a.cc
a.cc: In function ‘int main()’:
a.cc:3:44: error: no matching function for call to ‘std::vector<int>::push_back(std::string)’
    3 | int main(){ std::vector<int> v; v.push_back(std::string("a")); }
      |                                 ~~~~~~~~~~~^~~~~~~~~~~~~~~~~~
In file included from /usr/include/c++/12/vector:64,
                 from a.cc:1:"#, "").line(3),
    sample("command-make", r#"arm-linux-gnueabihf-gcc  -c m.c
make: arm-linux-gnueabihf-gcc: No such file or directory
make: *** [Makefile:6: m.o] Error 127"#, "arm-linux-gnueabihf-gcc").line(2),
    sample("command-script", r#"gen.sh: line 2: bundle: command not found"#, "bundle").line(1),
    sample("compile-undeclared", r#"gcc -DPACKAGE_NAME=\"x\" -DPACKAGE_TARNAME=\"x\" -DPACKAGE_VERSION=\"1\" -DPACKAGE_STRING=\"x\ 1\" -DPACKAGE_BUGREPORT=\"\" -DPACKAGE_URL=\"\" -DPACKAGE=\"x\" -DVERSION=\"1\" -I.     -g -O2 -MT tide.o -MD -MP -MF .deps/tide.Tpo -c -o tide.o tide.c
tide.c: In function ‘main’:
tide.c:1:20: error: ‘x’ undeclared (first use in this function)
    1 | int main(){ return x; }
      |                    ^
tide.c:1:20: note: each undeclared identifier is reported only once for each function it appears in
make[1]: *** [Makefile:532: tide.o] Error 1"#, "x").line(3),
    sample("command-exec", r#"    def test_a(self): open("none")
                      ^^^^^^^^^^^^
FileNotFoundError: [Errno 2] No such file or directory: 'none'

----------------------------------------------------------------------
Ran 1 test in 0.000s
"#, "none").line(3),
    sample("cmake-network", r#"-- Using src='http://127.0.0.1:9/r.tgz'
CMake Error at rope-stamp/download-rope.cmake:170 (message):
  Each download failed!

    error: downloading 'http://127.0.0.1:9/r.tgz' failed
          status_code: 7
          status_string: "Couldn't connect to server"
          log:
          --- LOG BEGIN ---
            Trying 127.0.0.1:9...

  connect to 127.0.0.1 port 9 failed: Connection refused

  Failed to connect to 127.0.0.1 port 9 after 0 ms: Couldn't connect to
  server"#, "http://127.0.0.1:9/r.tgz").line(5),
    sample("cmake-own", r#"-- Detecting C compile features
-- Detecting C compile features - done
CMake Error at CMakeLists.txt:3 (add_library):
  add_library cannot create ALIAS target "a::b" because target "none" does
  not already exist.

"#, "").line(3),
    sample("cmake-missing", r#"

CMake Error at /usr/share/cmake-3.25/Modules/FindPackageHandleStandardArgs.cmake:230 (message):
  Could NOT find Boost (missing: Boost_INCLUDE_DIR frob) (Required is at
  least version "1.99")
Call Stack (most recent call first):
  /usr/share/cmake-3.25/Modules/FindPackageHandleStandardArgs.cmake:600 (_FPHSA_FAILURE_MESSAGE)"#, "boost_frob").line(3),
    sample("cmake-compiler-path", r#"CMake Error at CMakeLists.txt:2 (project):
  The CMAKE_C_COMPILER:

    frobcc

  is not a full path and was not found in the PATH.

  Tell CMake where to find the compiler by setting either the environment
  variable "CC" or the CMake cache entry CMAKE_C_COMPILER to the full path to"#, "frobcc").line(1),
    sample("cmake-command", r#"-- Detecting C compile features
-- Detecting C compile features - done
CMake Error at CMakeLists.txt:3 (frobnicate):
  Unknown CMake command "frobnicate".


-- Configuring incomplete, errors occurred!"#, "frobnicate").kind(Kind::BuildFile).line(3),
    sample("cmake-folder", r#"CMake Error: The source directory "/build/nosuchdir" does not exist.
Specify --help for usage, or press the help button on the CMake GUI."#, "/build/nosuchdir").line(1),
    sample("cmake-generator-name", r#"CMake Error: Could not create named generator Frob

Generators
  Green Hills MULTI            = Generates Green Hills MULTI files
                                 (experimental, work-in-progress)."#, "Frob").line(1),
    sample("cmake-include", r#"-- Detecting C compile features
-- Detecting C compile features - done
CMake Error at CMakeLists.txt:3 (include):
  include could not find requested file:

    Frob
"#, "Frob.cmake").line(3),
    sample("cmake-include", r#"-- Detecting C compile features
-- Detecting C compile features - done
CMake Error at CMakeLists.txt:3 (include):
  include could not find requested file:

    cmake/frob.cmake
"#, "cmake/frob.cmake").line(3),
    sample("cmake-unsuitable", r#"-- Detecting C compile features
-- Detecting C compile features - done
CMake Error at /usr/share/cmake-3.25/Modules/FindPackageHandleStandardArgs.cmake:230 (message):
  Could NOT find Java: Found unsuitable version "17.0.15", but required is at
  least "99" (found /usr/bin/java)
Call Stack (most recent call first):
  /usr/share/cmake-3.25/Modules/FindPackageHandleStandardArgs.cmake:598 (_FPHSA_FAILURE_MESSAGE)"#, "Java").line(3),
    sample("cmake-module-file", r#"-- Detecting C compile features
-- Detecting C compile features - done
CMake Error: Could not find cmake module file: CMakeDetermineFrobCompiler.cmake
CMake Error: Error required internal CMake variable not set, cmake may not be built correctly.
Missing variable is:
CMAKE_Frob_COMPILER_ENV_VAR
CMake Error: Error required internal CMake variable not set, cmake may not be built correctly."#, "CMakeDetermineFrobCompiler.cmake").line(3),
    sample("cmake-library-names", r#"-- Detecting C compile features
-- Detecting C compile features - done
CMake Error at CMakeLists.txt:3 (find_library):
  Could not find FROB using the following names: frob


-- Configuring incomplete, errors occurred!"#, "frob").line(3),
    sample("cmake-file-names", r#"-- Detecting C compile features
-- Detecting C compile features - done
CMake Error at CMakeLists.txt:3 (find_path):
  Could not find FROB using the following files: frob.h


-- Configuring incomplete, errors occurred!"#, "frob.h").line(3),
    sample("cmake-config", r#"-- Detecting C compile features - done
CMake Error at CMakeLists.txt:3 (find_package):
  By not providing "FindFrob.cmake" in CMAKE_MODULE_PATH this project has
  asked CMake to find a package configuration file provided by "Frob", but
  CMake did not find one.

  Could not find a package configuration file provided by "Frob" with any of"#, "Frob").line(2),
    sample("cmake-program-names", r#"-- Detecting C compile features
-- Detecting C compile features - done
CMake Error at CMakeLists.txt:3 (find_program):
  Could not find FROB using the following names: frob


-- Configuring incomplete, errors occurred!"#, "frob").line(3),
    sample("cmake-missing", r#"-- Detecting C compile features - done
CMake Error at /usr/share/cmake-3.25/Modules/FindPackageHandleStandardArgs.cmake:230 (message):
  Could NOT find Python3 (missing: Python3_EXECUTABLE Python3_INCLUDE_DIRS
  Python3_LIBRARIES Interpreter Development Development.Module
  Development.Embed) (Required is at least version "3.99")

      Reason given by package: "#, "Python3").line(2),
    sample("cmake-config", r#"-- Detecting C compile features - done
CMake Error at CMakeLists.txt:3 (find_package):
  By not providing "FindQt5.cmake" in CMAKE_MODULE_PATH this project has
  asked CMake to find a package configuration file provided by "Qt5", but
  CMake did not find one.

  Could not find a package configuration file provided by "Qt5" with any of"#, "Qt5").line(2),
    sample("cmake-source-file", r#"-- Detecting C compile features - done
-- Configuring done
CMake Error at CMakeLists.txt:3 (add_executable):
  Cannot find source file:

    none.c
"#, "none.c").line(3),
    sample("cmake-feature", r#"-- Detecting C compile features
-- Detecting C compile features - done
CMake Error at CMakeLists.txt:6 (target_compile_features):
  target_compile_features specified unknown feature "cxx_std_95" for target
  "x".

"#, "cmake").line(3),
    sample("cmake-subfolder", r#"-- Detecting C compile features
-- Detecting C compile features - done
CMake Error at CMakeLists.txt:3 (add_subdirectory):
  add_subdirectory given source "frob" which is not an existing directory.


-- Configuring incomplete, errors occurred!"#, "frob").line(3),
    sample("cmake-source-file", r#"-- Detecting C compile features
-- Detecting C compile features - done
CMake Error at /build/CMakeFiles/CMakeTmp/CMakeLists.txt:18 (add_executable):
  Cannot find source file:

    /build/none.c
"#, "/build/none.c").line(3),
    sample("perl-exec", r#"make[1]: Leaving directory '/build'
   dh_install
Can't exec "/build/debian/hello.install": No such file or directory at /usr/share/perl5/Debian/Debhelper/Dh_Lib.pm line 1616.
dh_install: error: cannot run debian/hello.install: No such file or directory
make: *** [debian/rules:3: binary] Error 25
dpkg-buildpackage: error: debian/rules binary subprocess returned exit status 2"#, "hello.install").line(3),
    sample("pc-version", r#"-- Checking for module 'zlib>=99'
--   Package dependency requirement 'zlib >= 99' could not be satisfied.
Package 'zlib' has version '1.2.13', required version is '>= 99'
CMake Error at /usr/share/cmake-3.25/Modules/FindPkgConfig.cmake:607 (message):
  A required package was not found
Call Stack (most recent call first):
  /usr/share/cmake-3.25/Modules/FindPkgConfig.cmake:829 (_pkg_check_modules_internal)"#, "zlib").line(3),
    sample("pc-program", r#"/bin/sh: 1: pkg-config: not found
false
make: *** [Makefile:3: all] Error 1"#, "pkg-config").line(1),
    sample("pc-was-not-found", r#"Package frob was not found in the pkg-config search path.
Perhaps you should add the directory containing `frob.pc'
to the PKG_CONFIG_PATH environment variable
Package 'frob', required by 'virtual:world', not found
gcc a.c "#, "frob").line(1),
    sample("meson-dependency", r#"Run-time dependency frob found: NO (tried pkgconfig and cmake)

meson.build:2:0: ERROR: Dependency "frob" not found, tried pkgconfig and cmake

A full log can be found at /build/out/meson-logs/meson-log.txt"#, "frob").line(3),
    sample("meson-compiler", r#"Project version: undefined

meson.build:1:0: ERROR: Unknown compiler(s): [['frobcc']]
The following exception(s) were encountered:
Running `frobcc --version` gave "[Errno 2] No such file or directory: 'frobcc'"

A full log can be found at /build/out/meson-logs/meson-log.txt"#, "frobcc").line(3),
    sample("header-meson", r#"Host machine cpu: x86_64

meson.build:2:24: ERROR: C header 'frob.h' not found

A full log can be found at /build/out/meson-logs/meson-log.txt"#, "frob.h").line(3),
    sample("meson-library", r#"Host machine cpu: x86_64

meson.build:2:24: ERROR: C shared or static library 'frob' not found

A full log can be found at /build/out/meson-logs/meson-log.txt"#, "frob").line(3),
    sample("meson-version", r#"Build type: native build

meson.build:1:0: ERROR: Meson version is 1.0.1 but project requires >=99

A full log can be found at /build/out/meson-logs/meson-log.txt"#, "meson").line(3),
    sample("meson-program", r#"Program frob found: NO

meson.build:2:0: ERROR: Program 'frob' not found or not executable

A full log can be found at /build/out/meson-logs/meson-log.txt"#, "frob").line(3),
    sample("meson-python", r#"Program python3 (frobmod) found: NO

meson.build:2:17: ERROR: python3 is missing modules: frobmod

A full log can be found at /build/out/meson-logs/meson-log.txt"#, "frobmod").line(3),
    sample("meson-subproject", r#"Host machine cpu: x86_64

meson.build:2:0: ERROR: Neither a subproject directory nor a frob.wrap file was found.

A full log can be found at /build/out/meson-logs/meson-log.txt"#, "frob").line(3),
    sample("header-gcc", r#"mv Mast.xsc Mast.c
x86_64-linux-gnu-gcc -c   -D_REENTRANT -D_GNU_SOURCE -DDEBIAN -fwrapv -fno-strict-aliasing -pipe -I/usr/local/include -D_LARGEFILE_SOURCE -D_FILE_OFFSET_BITS=64 -O2 -g   -DVERSION=\"0\" -DXS_VERSION=\"0\" -fPIC "-I/usr/lib/x86_64-linux-gnu/perl/5.36/CORE"   Ma
Mast.xs:4:10: fatal error: frob.h: No such file or directory
    4 | #include <frob.h>
      |          ^~~~~~~~
compilation terminated.
make: *** [Makefile:331: Mast.o] Error 1"#, "frob.h").line(3),
    sample("source-gone", r#"make[1]: Entering directory '/build'
gcc -o hello absent.c
cc1: fatal error: absent.c: No such file or directory
compilation terminated.
make[1]: *** [Makefile:2: all] Error 1
make[1]: Leaving directory '/build'
dh_auto_build: error: make -j2 "INSTALL=install --strip-program=true" returned exit code 2"#, "absent.c").line(3),
    sample("flag", r#"    Building C object CMakeFiles/cmTC_6eafa.dir/testCCompiler.c.o
    /usr/bin/cc   -frobnicate  -o CMakeFiles/cmTC_6eafa.dir/testCCompiler.c.o -c /build/CMakeFiles/CMakeScratch/TryCompile-BiFizS/testCCompiler.c
    cc: error: unrecognized command-line option ‘-frobnicate’
    gmake[1]: *** [CMakeFiles/cmTC_6eafa.dir/build.make:78: CMakeFiles/cmTC_6eafa.dir/testCCompiler.c.o] Error 1
    gmake[1]: Leaving directory '/build/CMakeFiles/CMakeScratch/TryCompile-BiFizS'
    gmake: *** [Makefile:127: cmTC_6eafa/fast] Error 2
    "#, "-frobnicate").line(3),
    sample("flag", r#"gcc -ffrob -o a a.c
gcc: error: unrecognized command-line option ‘-ffrob’
make: *** [Makefile:2: all] Error 1"#, "-ffrob").line(2),
    sample("flag-argument", r#"gcc -O9x -fsanitize=frob -c a.c
gcc: error: unrecognized argument to ‘-fsanitize=’ option: ‘frob’
make: *** [Makefile:2: all] Error 1"#, "-fsanitize=").line(2),
    sample("flag", r#"gcc -Wfrob -Werror -o a a.c
gcc: error: unrecognized command-line option ‘-Wfrob’
make: *** [Makefile:2: all] Error 1"#, "-Wfrob").line(2),
    sample("flag-standard", r#"gcc -std=c77 -c a.c
gcc: error: unrecognized command-line option ‘-std=c77’; did you mean ‘-std=c17’?
make: *** [Makefile:2: all] Error 1"#, "c77").line(2),
    sample("source-gone", r#"gcc -o a none.c
cc1: fatal error: none.c: No such file or directory
compilation terminated.
make: *** [Makefile:2: all] Error 1"#, "none.c").line(2),
    sample("int-conversion", r#"gcc -Werror=int-conversion -c a.c
a.c: In function ‘f’:
a.c:1:17: error: returning ‘int’ from a function with return type ‘int *’ makes pointer from integer without a cast [-Werror=int-conversion]
    1 | int *f(){return 5;} char *g(int *p){ return p;}
      |                 ^
a.c: In function ‘g’:
a.c:1:45: warning: returning ‘int *’ from a function with incompatible return type ‘char *’ [-Wincompatible-pointer-types]"#, "").line(3),
    sample("flag", r#"gcc -fno-such -c m.c
gcc: error: unrecognized command-line option ‘-fno-such’
make: *** [Makefile:6: m.o] Error 1"#, "-fno-such").line(2),
    sample("link-output", r#"/usr/bin/ld: cannot open output file a: Permission denied
collect2: error: ld returned 1 exit status"#, "a").line(1),
    sample("link-input", r#"gcc -o a none.o -lm
/usr/bin/ld: cannot find none.o: No such file or directory
collect2: error: ld returned 1 exit status
make: *** [Makefile:2: all] Error 1"#, "none.o").line(2),
    sample("link-option", r#"gcc -Wl,--frob -o a a.c
/usr/bin/ld: unrecognized option '--frob'
/usr/bin/ld: use the --help option for usage information
collect2: error: ld returned 1 exit status
make: *** [Makefile:2: all] Error 1"#, "--frob").line(2),
    sample("link-emulation", r#"gcc -Wl,-m,frob -o a a.c
/usr/bin/ld: unrecognised emulation mode: frob
Supported emulations: elf_x86_64 elf32_x86_64 elf_i386 elf_iamcu i386pep i386pe
collect2: error: ld returned 1 exit status
make: *** [Makefile:2: all] Error 1"#, "frob").line(2),
    sample("link-linker", r#"gcc -fuse-ld=mold -o a a.c
collect2: fatal error: cannot find ‘ld’
compilation terminated.
make: *** [Makefile:2: all] Error 1"#, "ld").line(2),
    sample("link-input", r#"gcc -o a a.c libfrob.a
/usr/bin/ld: cannot find libfrob.a: No such file or directory
collect2: error: ld returned 1 exit status
make: *** [Makefile:2: all] Error 1"#, "libfrob.a").line(2),
    sample("link-loading", r#"./a
./a: error while loading shared libraries: libfrob.so: cannot open shared object file: No such file or directory
make: *** [Makefile:2: all] Error 127"#, "libfrob.so").line(2),
    sample("link-not-recognized", r#"gcc -o a a.o
a.o: file not recognized: file format not recognized
collect2: error: ld returned 1 exit status
make: *** [Makefile:2: all] Error 1"#, "a.o").line(2),
    sample("link-garbage", r#"gcc -o a a.o
/usr/bin/ld:a.o: file format not recognized; treating as linker script
/usr/bin/ld:a.o:0: syntax error
collect2: error: ld returned 1 exit status
make: *** [Makefile:2: all] Error 1"#, "a.o").line(2),
    sample("link-garbage", r#"gcc -o a m.c libx.a
/usr/bin/ld:libx.a: file format not recognized; treating as linker script
/usr/bin/ld:libx.a:0: syntax error
collect2: error: ld returned 1 exit status
make: *** [Makefile:2: all] Error 1"#, "libx.a").line(2),
    sample("link-undefined-loading", r#"./a
./a: symbol lookup error: ./a: undefined symbol: f
make: *** [Makefile:2: all] Error 127"#, "f").line(2),
    sample("link-not-recognized", r#"make: Warning: File 'm.o' has modification time 3599 s in the future
gcc -o m m.o 
m.o: file not recognized: file format not recognized
collect2: error: ld returned 1 exit status
make: *** [Makefile:4: m] Error 1"#, "m.o").line(3),
    sample("link-foreign-library", r#"gcc  -c m.c
gcc -o m m.o -Wl,-m,elf_i386
/usr/bin/ld: skipping incompatible /usr/lib/gcc/x86_64-linux-gnu/12/libgcc.a when searching for -lgcc
/usr/bin/ld: cannot find -lgcc: No such file or directory
/usr/bin/ld: skipping incompatible /usr/lib/gcc/x86_64-linux-gnu/12/../../../x86_64-linux-gnu/libgcc_s.so.1 when searching for libgcc_s.so.1
/usr/bin/ld: skipping incompatible /lib/x86_64-linux-gnu/libgcc_s.so.1 when searching for libgcc_s.so.1
/usr/bin/ld: skipping incompatible /usr/lib/x86_64-linux-gnu/libgcc_s.so.1 when searching for libgcc_s.so.1"#, "/usr/lib/gcc/x86_64-linux-gnu/12/libgcc.a").line(3),
    sample("link-emulation", r#"gcc  -c m.c
gcc -o m m.o -Wl,-melf64ppc
/usr/bin/ld: unrecognised emulation mode: elf64ppc
Supported emulations: elf_x86_64 elf32_x86_64 elf_i386 elf_iamcu i386pep i386pe
collect2: error: ld returned 1 exit status
make: *** [Makefile:4: m] Error 1"#, "elf64ppc").line(3),
    sample("link-loading", r#"gcc -o m m.o -L. -lf
./m
./m: error while loading shared libraries: libf.so.4: cannot open shared object file: No such file or directory
make: *** [Makefile:8: check] Error 127"#, "libf.so.4").line(3),
    sample("used-file", r#"make[1]: Entering directory '/build'
install -D -m644 hello.1 debian/hello/usr/share/man/man1/hello.1
install: cannot stat 'hello.1': No such file or directory
make[1]: *** [debian/rules:6: override_dh_auto_install] Error 1
make[1]: Leaving directory '/build'
make: *** [debian/rules:3: binary] Error 2
dpkg-buildpackage: error: debian/rules binary subprocess returned exit status 2"#, "hello.1").line(3),
    sample("target-needed", r#"true
 debian/rules build
make: *** No rule to make target 'build'.  Stop.
dpkg-buildpackage: error: debian/rules build subprocess returned exit status 2"#, "build").line(3),
    sample("source-archive", r#"dpkg-source: info: building hello using existing ./hello_1.0.orig.tar.gz

gzip: stdin: not in gzip format
tar: This does not look like a tar archive
tar: Exiting with failure status due to previous errors
dpkg-source: error: tar -xf - --no-same-permissions --no-same-owner subprocess returned exit status 2
dpkg-buildpackage: error: dpkg-source -b . subprocess returned exit status 29"#, "").line(3),
    sample("dialect", r#"	make -j2 distclean
make[1]: Entering directory '/build'
Makefile:10: *** missing separator.  Stop.
make[1]: Leaving directory '/build'
dh_auto_clean: error: make -j2 distclean returned exit code 2
make: *** [debian/rules:3: clean] Error 25
dpkg-buildpackage: error: debian/rules clean subprocess returned exit status 2"#, "Makefile").line(3),
    sample("git-tag", r#"fatal: No names found, cannot describe anything.
fatal: ambiguous argument 'v1.0..HEAD': unknown revision or path not in the working tree.
Use '--' to separate paths from revisions, like this:
'git <command> [<revision>...] -- [<file>...]'"#, "tag").line(1),
    sample("git-identity", r#"Author identity unknown

*** Please tell me who you are.

Run"#, "identity").line(1),
    sample("git-history", r#"fatal: not a git repository (or any of the parent directories): .git"#, "history").line(1),
    sample("meson-download", r#"A fallback URL could be specified using source_fallback_url key in the wrap file

meson.build:2:0: ERROR: could not get http://127.0.0.1:9/rope.tgz is the internet available?

A full log can be found at /build/o/meson-logs/meson-log.txt"#, "http://127.0.0.1:9/rope.tgz").line(3),
    sample("not-executable", r#"bash: line 1: /etc/hello.conf: Permission denied"#, "/etc/hello.conf").kind(Kind::Privileges).line(1),
    sample("git-ownership", r#"fatal: detected dubious ownership in repository at '/build/r'
To add an exception for this directory, call:

	git config --global --add safe.directory /build/r"#, "ownership").line(1),
    sample("not-executable", r#"mknod: x: Permission denied"#, "x").line(1),
    sample("line-endings-perhaps", r#"./tools/frob x && true
/bin/bash: line 1: ./tools/frob: cannot execute: required file not found
make: *** [Makefile:3: all] Error 127"#, "./tools/frob").line(2),
    sample("dialect-conditional", r#"Makefile:4: *** missing 'endif'.  Stop."#, "Makefile").line(1),
    sample("used-file", r#"cp a.conf b
cp: cannot stat 'a.conf': No such file or directory
make: *** [Makefile:2: all] Error 1"#, "a.conf").line(2),
    sample("step-configure", r#"Makefile:1: *** please run ./configure first.  Stop."#, "./configure").line(1),
    sample("target-needed", r#"Makefile:1: config.mk: No such file or directory
make: *** No rule to make target 'config.mk'.  Stop."#, "config.mk").line(2),
    sample("not-executable", r#"./tools/frob x
make: ./tools/frob: Permission denied
make: *** [Makefile:2: all] Error 127"#, "./tools/frob").line(2),
    sample("target-needed", r#"make: *** No rule to make target 'a.o', needed by 'all'.  Stop."#, "a.o").line(1),
    sample("no-makefile", r#"make: *** No targets specified and no makefile found.  Stop."#, "Makefile").line(1),
    sample("target-needed", r#"make: *** No rule to make target 'frob'.  Stop."#, "frob").line(1),
    sample("used-file", r#"sed s/a/b/ a.in > b
sed: can't read a.in: No such file or directory
make: *** [Makefile:2: all] Error 2"#, "a.in").line(2),
    sample("meson-file", r#"Host machine cpu: x86_64

meson.build:2:0: ERROR: File frob.in does not exist.

A full log can be found at /build/out/meson-logs/meson-log.txt"#, "frob.in").line(3),
    sample("meson-version-of", r#"Run-time dependency zlib found: NO 

meson.build:2:0: ERROR: Dependency lookup for zlib with method 'pkgconfig' failed: Invalid version, need 'zlib' ['>=99'] found '1.2.13'.

A full log can be found at /build/out/meson-logs/meson-log.txt"#, "zlib").line(3),
    sample("meson-file", r#"Host machine cpu: x86_64

meson.build:2:0: ERROR: File none.c does not exist.

A full log can be found at /build/out/meson-logs/meson-log.txt"#, "none.c").line(3),
    sample("meson-unknown-option", r#"Build type: native build

meson.build:1:0: ERROR: Unknown options: "frob"

A full log can be found at /build/out/meson-logs/meson-log.txt"#, "frob").line(3),
    sample("meson-program-version", r#"Program python3 found: NO found 3.11.7 but need: '>=99' (/root/.pyenv/shims/python3)

meson.build:2:0: ERROR: Invalid version of program, need 'python3' ['>=99'] found '3.11.7'.

A full log can be found at /build/out/meson-logs/meson-log.txt"#, "python3").line(3),
    sample("meson-unknown-option", r#"Project version: undefined

meson.build:1:0: ERROR: Value "c77" (of type "string") for combo option "C language standard to use" is not one of the choices. Possible choices are (as string): "none", "c89", "c99", "c11", "c17", "c18", "c2x", "gnu89", "gnu99", "gnu11", "gnu17", "gnu18", "gn

A full log can be found at /build/out/meson-logs/meson-log.txt"#, "C language standard to use").line(3),
    sample("no-build-folder", r#"ninja: Entering directory `out'
ninja: fatal: chdir to 'out' - No such file or directory"#, "out").line(2),
    sample("no-build-file", r#"ninja: error: loading 'build.ninja': No such file or directory"#, "build.ninja").line(1),
    sample("not-executable", r#"./gen.sh > m.c
/bin/sh: 1: ./gen.sh: Permission denied
make: *** [Makefile:13: m.c] Error 126"#, "./gen.sh").line(2),
    sample("target-needed", r#"make: *** No rule to make target 'x.tar.gz', needed by 'm.c'.  Stop."#, "x.tar.gz").line(1),
    sample("source-rpm", r#"+ /usr/lib/rpm/rpmuncompress /build/SOURCES/absent.patch
+ /usr/bin/patch --no-backup-if-mismatch -f -p1 --fuzz=0
error: File /build/SOURCES/absent.patch: No such file or directory
+ echo patch_fail
/usr/bin/patch: **** Only garbage was found in the patch input.
error: Bad exit status from /var/tmp/rpm-tmp.TmK992 (%prep)
"#, "absent.patch").line(3),
    sample("source-rpm", r#"error: Bad file: /build/SOURCES/absent.tar.gz: No such file or directory

RPM build errors:
    Bad file: /build/SOURCES/absent.tar.gz: No such file or directory"#, "absent.tar.gz").line(1),
];
