//! One real-looking message of CMake's for each of its rows.

use super::samples::{Sample, sample};
use crate::Kind;

pub(super) static SAMPLES: &[Sample] = &[
    sample(
        "cmake-disk",
        "CMake Error: Cannot write x:\n  No space left on device\n",
        "disk",
    ),
    sample(
        "cmake-config",
        "CMake Error at CMakeLists.txt:5 (find_package):\n  Could not find a package configuration file provided by \"Qt5Multimedia\" with\n  any of the following names:\n\n    Qt5MultimediaConfig.cmake\n    qt5multimedia-config.cmake\n",
        "Qt5Multimedia",
    ),
    sample(
        "cmake-config-version",
        "CMake Error at CMakeLists.txt:5 (find_package):\n  Could not find a configuration file for package \"Foo\" that is compatible\n  with requested version \"9\".\n",
        "Foo",
    ),
    sample(
        "cmake-find",
        "CMake Error at CMakeLists.txt:5 (find_package):\n  By not providing \"FindFoo.cmake\" in CMAKE_MODULE_PATH this project has asked\n  CMake to find a package configuration file provided by \"Foo\", but CMake did\n  not find one.\n",
        "Foo",
    ),
    sample(
        "cmake-qt-component",
        "CMake Error at /usr/lib/cmake/Qt5/Qt5Config.cmake:28 (find_package):\n  Failed to find Qt5 component \"Svg\" config file at\n",
        "Qt5Svg",
    ),
    sample(
        "cmake-unsuitable",
        "CMake Error at /x/FindPackageHandleStandardArgs.cmake:230 (message):\n  Could NOT find Foo: Found unsuitable version \"1.0\", but required is at\n  least \"2.0\" (found /usr/lib/libfoo.so)\n",
        "Foo",
    ),
    sample(
        "cmake-missing",
        "CMake Error at /x/FindPackageHandleStandardArgs.cmake:230 (message):\n  Could NOT find ZLIB (missing: ZLIB_LIBRARY ZLIB_INCLUDE_DIR)\nCall Stack (most recent call first):\n  /x:1 (y)\n",
        "ZLIB",
    ),
    sample(
        "cmake-missing",
        "CMake Error at /x/FindPackageHandleStandardArgs.cmake:230 (message):\n  Could NOT find Boost (missing: filesystem) (found version \"1.74.0\")\n",
        "boost_filesystem",
    ),
    sample(
        "cmake-not-found",
        "CMake Error at cmake/FindFoo.cmake:9 (message):\n  Could NOT find Foo\n",
        "Foo",
    ),
    sample(
        "cmake-required-packages",
        "CMake Error at /x/FindPkgConfig.cmake:607 (message):\n  The following required packages were not found:\n\n   - libfoo>=2\n\nCall Stack (most recent call first):\n",
        "libfoo>=2",
    ),
    sample(
        "cmake-include",
        "CMake Error at CMakeLists.txt:3 (include):\n  include could not find requested file:\n\n    ECMSetupVersion\n",
        "ECMSetupVersion.cmake",
    ),
    sample(
        "cmake-command",
        "CMake Error at CMakeLists.txt:3 (pybind11_add_module):\n  Unknown CMake command \"pybind11_add_module\".\n",
        "pybind11",
    ),
    sample(
        "cmake-command",
        "CMake Error at CMakeLists.txt:3 (own_command):\n  Unknown CMake command \"own_command\".\n",
        "own_command",
    )
    .kind(Kind::BuildFile),
    sample(
        "cmake-compiler",
        "CMake Error at CMakeLists.txt:3 (project):\n  No CMAKE_Fortran_COMPILER could be found.\n",
        "gfortran",
    ),
    sample(
        "cmake-generator",
        "CMake Error: CMake was unable to find a build program corresponding to \"Ninja\".  CMAKE_MAKE_PROGRAM is not set.\n",
        "ninja",
    ),
    sample(
        "cmake-too-old",
        "CMake Error at CMakeLists.txt:1 (cmake_minimum_required):\n  CMake 3.28 or higher is required.  You are running version 3.25.1\n",
        "cmake",
    ),
    sample(
        "cmake-too-old",
        "CMake Error at CMakeLists.txt:1 (cmake_minimum_required):\n  Compatibility with CMake < 3.5 has been removed from CMake.\n",
        "cmake",
    ),
    sample(
        "cmake-target",
        "CMake Error at CMakeLists.txt:3 (add_executable):\n  Target \"x\" links to target \"fmt::fmt\" but the target was not found.\n",
        "fmt",
    ),
    sample(
        "cmake-imported-file",
        "CMake Error at /x.cmake:9 (message):\n  The imported target \"foo\" references the file\n\n     \"/usr/bin/foo-tool\"\n\n  but this file does not exist.\n",
        "/usr/bin/foo-tool",
    ),
    sample(
        "cmake-subfolder",
        "CMake Error at CMakeLists.txt:3 (add_subdirectory):\n  add_subdirectory given source \"ext/foo\" which is not an existing\n  directory.\n",
        "ext/foo",
    ),
    sample(
        "cmake-empty-folder",
        "CMake Error at CMakeLists.txt:3 (add_subdirectory):\n  The source directory\n\n    /build/source/ext/foo\n\n  does not contain a CMakeLists.txt file.\n",
        "/build/source/ext/foo",
    ),
    sample(
        "cmake-submodule",
        "CMake Error at CMakeLists.txt:3 (message):\n  The submodules were not downloaded! Please update them and try again.\n",
        "",
    ),
    sample(
        "cmake-clone",
        "CMake Error at x.cmake:40 (message):\n  Failed to clone repository: 'https://example.org/x.git'\n",
        "https://example.org/x.git",
    ),
    sample(
        "cmake-library-names",
        "CMake Error at CMakeLists.txt:3 (find_library):\n  Could not find FOO_LIB using the following names: foo, libfoo\n",
        "foo",
    ),
    sample(
        "cmake-program-names",
        "CMake Error at CMakeLists.txt:3 (find_program):\n  Could not find FOO using the following names: footool\n",
        "footool",
    ),
    sample(
        "cmake-file-names",
        "CMake Error at CMakeLists.txt:3 (find_path):\n  Could not find FOO_DIR using the following files: foo/foo.h\n",
        "foo/foo.h",
    ),
    sample(
        "cmake-source-file",
        "CMake Error at CMakeLists.txt:3 (add_library):\n  Cannot find source file:\n\n    gone.c\n",
        "gone.c",
    ),
    sample(
        "cmake-in-source",
        "CMake Error at CMakeLists.txt:3 (message):\n  In-source builds not allowed.\n",
        "",
    ),
    sample(
        "cmake-cache",
        "CMake Error: The current CMakeCache.txt directory /a/CMakeCache.txt is different than the directory /b where CMakeCache.txt was created.\n",
        "CMakeCache.txt",
    ),
    sample(
        "cmake-try-compile",
        "CMake Error at /x/CMakeTestCCompiler.cmake:70 (message):\n  The C compiler\n\n    \"/usr/bin/cc\"\n\n  is not able to compile a simple test program.\n",
        "",
    ),
    sample(
        "cmake-follow-up",
        "CMake Error: CMAKE_C_COMPILER not set, after EnableLanguage\n",
        "",
    ),
    sample(
        "cmake-own",
        "CMake Error at CMakeLists.txt:3 (target_link_libraries):\n  Cannot specify link libraries for target \"x\" which is not built by this\n  project.\n",
        "",
    ),
    sample(
        "cmake-hash",
        "CMake Error at CMakeLists.txt:4 (file):\n  file DOWNLOAD HASH mismatch\n\n    for file: [/build/y.tar.gz]\n      expected hash: [0000]\n        actual hash: [5942]\n",
        "y.tar.gz",
    ),
    sample(
        "cmake-download",
        "CMake Error at stamp/download-foo.cmake:170 (message):\n  Each download failed!\n\n    error: downloading 'https://registry.example/foo.tgz' failed\n          status_code: 22\n",
        "https://registry.example/foo.tgz",
    ),
    sample(
        "cmake-compiler-path",
        "CMake Error at /usr/share/cmake/Modules/CMakeDetermineCCompiler.cmake:49 (message):\n  Could not find compiler set in environment variable CC:\n\n  /opt/bin/foo-cc.\n",
        "foo-cc",
    ),
    sample(
        "cmake-dialect",
        "CMake Error in CMakeLists.txt:\n  Target \"a\" requires the language dialect \"CXX23\" (with compiler extensions).\n  But the current compiler \"GNU\" does not support this, or CMake does not know\n  the flags to enable it.\n",
        "CXX23",
    ),
    sample(
        "cmake-feature",
        "CMake Error at CMakeLists.txt:5 (target_compile_features):\n  target_compile_features specified unknown feature \"cxx_std_26\" for target\n  \"a\".\n",
        "cmake",
    ),
    sample(
        "cmake-generator-name",
        "CMake Error: Could not create named generator Nosuch\n\nGenerators\n",
        "Nosuch",
    ),
    sample(
        "cmake-generator-changed",
        "CMake Error: Error: generator : Ninja\nDoes not match the generator used previously: Unix Makefiles\nEither remove the CMakeCache.txt file and CMakeFiles directory or choose a different binary directory.\n",
        "CMakeCache.txt",
    ),
    sample(
        "cmake-folder",
        "CMake Error: The source directory \"/build/sub\" does not appear to contain CMakeLists.txt.\nSpecify --help for usage, or press the help button on the CMake GUI.\n",
        "/build/sub",
    ),
    sample(
        "cmake-module-file",
        "CMake Error: Could not find cmake module file: CMakeDetermineASM_YASMCompiler.cmake\n",
        "CMakeDetermineASM_YASMCompiler.cmake",
    ),
    sample(
        "cmake-target",
        "CMake Error at CMakeLists.txt:5 (target_link_libraries):\n  Target \"a\" links to:\n\n    Nosuch::Lib\n\n  but the target was not found.  Possible reasons include:\n",
        "Nosuch",
    ),
    sample(
        "cmake-certificate",
        "CMake Error at CMakeLists.txt:14 (message):\n  cannot download rope.tar.gz: 60;\"SSL peer certificate or SSH remote key was\n  not OK\"\n",
        "rope.tar.gz",
    ),
    sample(
        "cmake-network",
        "CMake Error at CMakeLists.txt:9 (message):\n  cannot download https://forge.example/x.tgz: 6;\"Couldn't resolve host name\"\n",
        "https://forge.example/x.tgz",
    ),
    sample(
        "cmake-network",
        "CMake Error at stamp/download-foo.cmake:170 (message):\n  Each download failed!\n\n    error: downloading 'https://forge.example/foo.tgz' failed\n          status_code: 6\n          status_string: \"Couldn't resolve host name\"\n",
        "https://forge.example/foo.tgz",
    ),
];
