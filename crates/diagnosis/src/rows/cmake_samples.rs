//! One real-looking message of CMake's for each of its rows.

use crate::Kind;

/// Row, message, kind and subject where they are not the row's own.
pub(super) static MESSAGES: &[(&str, &str, Kind, &str)] = &[
    (
        "cmake-disk",
        "CMake Error: Cannot write x:\n  No space left on device\n",
        Kind::Resources,
        "disk",
    ),
    (
        "cmake-config",
        "CMake Error at CMakeLists.txt:5 (find_package):\n  Could not find a package configuration file provided by \"Qt5Multimedia\" with\n  any of the following names:\n\n    Qt5MultimediaConfig.cmake\n    qt5multimedia-config.cmake\n",
        Kind::MissingCMake,
        "Qt5Multimedia",
    ),
    (
        "cmake-config-version",
        "CMake Error at CMakeLists.txt:5 (find_package):\n  Could not find a configuration file for package \"Foo\" that is compatible\n  with requested version \"9\".\n",
        Kind::ToolVersion,
        "Foo",
    ),
    (
        "cmake-find",
        "CMake Error at CMakeLists.txt:5 (find_package):\n  By not providing \"FindFoo.cmake\" in CMAKE_MODULE_PATH this project has asked\n  CMake to find a package configuration file provided by \"Foo\", but CMake did\n  not find one.\n",
        Kind::MissingCMake,
        "Foo",
    ),
    (
        "cmake-qt-component",
        "CMake Error at /usr/lib/cmake/Qt5/Qt5Config.cmake:28 (find_package):\n  Failed to find Qt5 component \"Svg\" config file at\n",
        Kind::MissingCMake,
        "Qt5Svg",
    ),
    (
        "cmake-unsuitable",
        "CMake Error at /x/FindPackageHandleStandardArgs.cmake:230 (message):\n  Could NOT find Foo: Found unsuitable version \"1.0\", but required is at\n  least \"2.0\" (found /usr/lib/libfoo.so)\n",
        Kind::ToolVersion,
        "Foo",
    ),
    (
        "cmake-missing",
        "CMake Error at /x/FindPackageHandleStandardArgs.cmake:230 (message):\n  Could NOT find ZLIB (missing: ZLIB_LIBRARY ZLIB_INCLUDE_DIR)\nCall Stack (most recent call first):\n  /x:1 (y)\n",
        Kind::MissingCMake,
        "ZLIB",
    ),
    (
        "cmake-missing",
        "CMake Error at /x/FindPackageHandleStandardArgs.cmake:230 (message):\n  Could NOT find Boost (missing: filesystem) (found version \"1.74.0\")\n",
        Kind::MissingCMake,
        "boost_filesystem",
    ),
    (
        "cmake-not-found",
        "CMake Error at cmake/FindFoo.cmake:9 (message):\n  Could NOT find Foo\n",
        Kind::MissingCMake,
        "Foo",
    ),
    (
        "cmake-required-packages",
        "CMake Error at /x/FindPkgConfig.cmake:607 (message):\n  The following required packages were not found:\n\n   - libfoo>=2\n\nCall Stack (most recent call first):\n",
        Kind::MissingPkgConfig,
        "libfoo>=2",
    ),
    (
        "cmake-include",
        "CMake Error at CMakeLists.txt:3 (include):\n  include could not find requested file:\n\n    ECMSetupVersion\n",
        Kind::MissingFile,
        "ECMSetupVersion.cmake",
    ),
    (
        "cmake-command",
        "CMake Error at CMakeLists.txt:3 (pybind11_add_module):\n  Unknown CMake command \"pybind11_add_module\".\n",
        Kind::MissingCMake,
        "pybind11",
    ),
    (
        "cmake-command",
        "CMake Error at CMakeLists.txt:3 (own_command):\n  Unknown CMake command \"own_command\".\n",
        Kind::BuildFile,
        "own_command",
    ),
    (
        "cmake-compiler",
        "CMake Error at CMakeLists.txt:3 (project):\n  No CMAKE_Fortran_COMPILER could be found.\n",
        Kind::MissingCommand,
        "gfortran",
    ),
    (
        "cmake-generator",
        "CMake Error: CMake was unable to find a build program corresponding to \"Ninja\".  CMAKE_MAKE_PROGRAM is not set.\n",
        Kind::MissingCommand,
        "ninja",
    ),
    (
        "cmake-too-old",
        "CMake Error at CMakeLists.txt:1 (cmake_minimum_required):\n  CMake 3.28 or higher is required.  You are running version 3.25.1\n",
        Kind::ToolVersion,
        "cmake",
    ),
    (
        "cmake-too-old",
        "CMake Error at CMakeLists.txt:1 (cmake_minimum_required):\n  Compatibility with CMake < 3.5 has been removed from CMake.\n",
        Kind::ToolVersion,
        "cmake",
    ),
    (
        "cmake-target",
        "CMake Error at CMakeLists.txt:3 (add_executable):\n  Target \"x\" links to target \"fmt::fmt\" but the target was not found.\n",
        Kind::MissingCMake,
        "fmt",
    ),
    (
        "cmake-imported-file",
        "CMake Error at /x.cmake:9 (message):\n  The imported target \"foo\" references the file\n\n     \"/usr/bin/foo-tool\"\n\n  but this file does not exist.\n",
        Kind::MissingFile,
        "/usr/bin/foo-tool",
    ),
    (
        "cmake-subfolder",
        "CMake Error at CMakeLists.txt:3 (add_subdirectory):\n  add_subdirectory given source \"ext/foo\" which is not an existing\n  directory.\n",
        Kind::MissingSubmodule,
        "ext/foo",
    ),
    (
        "cmake-empty-folder",
        "CMake Error at CMakeLists.txt:3 (add_subdirectory):\n  The source directory\n\n    /build/source/ext/foo\n\n  does not contain a CMakeLists.txt file.\n",
        Kind::MissingSubmodule,
        "/build/source/ext/foo",
    ),
    (
        "cmake-submodule",
        "CMake Error at CMakeLists.txt:3 (message):\n  The submodules were not downloaded! Please update them and try again.\n",
        Kind::MissingSubmodule,
        "",
    ),
    (
        "cmake-clone",
        "CMake Error at x.cmake:40 (message):\n  Failed to clone repository: 'https://example.org/x.git'\n",
        Kind::Download,
        "https://example.org/x.git",
    ),
    (
        "cmake-library-names",
        "CMake Error at CMakeLists.txt:3 (find_library):\n  Could not find FOO_LIB using the following names: foo, libfoo\n",
        Kind::MissingLibrary,
        "foo",
    ),
    (
        "cmake-program-names",
        "CMake Error at CMakeLists.txt:3 (find_program):\n  Could not find FOO using the following names: footool\n",
        Kind::MissingCommand,
        "footool",
    ),
    (
        "cmake-file-names",
        "CMake Error at CMakeLists.txt:3 (find_path):\n  Could not find FOO_DIR using the following files: foo/foo.h\n",
        Kind::MissingHeader,
        "foo/foo.h",
    ),
    (
        "cmake-source-file",
        "CMake Error at CMakeLists.txt:3 (add_library):\n  Cannot find source file:\n\n    gone.c\n",
        Kind::BuildFile,
        "gone.c",
    ),
    (
        "cmake-in-source",
        "CMake Error at CMakeLists.txt:3 (message):\n  In-source builds not allowed.\n",
        Kind::BuildFile,
        "in-source build",
    ),
    (
        "cmake-cache",
        "CMake Error: The current CMakeCache.txt directory /a/CMakeCache.txt is different than the directory /b where CMakeCache.txt was created.\n",
        Kind::BuildFile,
        "CMakeCache.txt",
    ),
    (
        "cmake-try-compile",
        "CMake Error at /x/CMakeTestCCompiler.cmake:70 (message):\n  The C compiler\n\n    \"/usr/bin/cc\"\n\n  is not able to compile a simple test program.\n",
        Kind::CompileError,
        "compiler",
    ),
    (
        "cmake-follow-up",
        "CMake Error: CMAKE_C_COMPILER not set, after EnableLanguage\n",
        Kind::Other,
        "",
    ),
    (
        "cmake-own",
        "CMake Error at CMakeLists.txt:3 (target_link_libraries):\n  Cannot specify link libraries for target \"x\" which is not built by this\n  project.\n",
        Kind::BuildFile,
        "",
    ),
];
