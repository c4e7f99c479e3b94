//! The kinds of problem, and what each kind is by nature.

use serde::{Deserialize, Serialize};

/// The five classes of failure of Build-bench (arXiv 2511.00780, section III).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Before compiling: a missing dependency, a tool, a configuration, a flag.
    #[default]
    Preparation,
    /// Compiling and linking.
    Compilation,
    /// The package's recipe, its patches and its lists of files.
    Packaging,
    /// Tests ran and failed.
    Test,
    /// The machine, the network, the time.
    Environment,
}

impl Class {
    /// All classes, in the order of a build.
    pub const ALL: [Self; 5] = [
        Self::Preparation,
        Self::Compilation,
        Self::Packaging,
        Self::Test,
        Self::Environment,
    ];

    /// The name in data and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Preparation => "preparation",
            Self::Compilation => "compilation",
            Self::Packaging => "packaging",
            Self::Test => "test",
            Self::Environment => "environment",
        }
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])+ $kind:ident $name:literal $class:ident $missing:literal;)+) => {
        /// The kinds of problem. The subject of a problem is what the description of its kind names first.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Kind {
            $($(#[$doc])+ #[serde(rename = $name)] $kind,)+
        }

        impl Kind {
            /// Every kind.
            pub const ALL: &[Self] = &[$(Self::$kind,)+];

            /// The name in data.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)+
                }
            }

            /// The class that a problem of this kind belongs to where nothing in the log says otherwise.
            pub fn class(self) -> Class {
                match self {
                    $(Self::$kind => Class::$class,)+
                }
            }

            /// Whether a problem of this kind names something that an installation may provide.
            pub fn is_missing(self) -> bool {
                match self {
                    $(Self::$kind => $missing,)+
                }
            }
        }
    };
}

kinds! {
    // Names that something may provide.
    /// A header, as the `#include` writes it.
    MissingHeader "missing_header" Preparation true;
    /// A pkg-config module.
    MissingPkgConfig "missing_pkg_config" Preparation true;
    /// A CMake package.
    MissingCMake "missing_cmake" Preparation true;
    /// A library, as `-l` writes it.
    MissingLibrary "missing_library" Preparation true;
    /// A shared object by file name that a program wants when it starts.
    MissingSharedObject "missing_shared_object" Preparation true;
    /// A program.
    MissingCommand "missing_command" Preparation true;
    /// An Autoconf macro.
    MissingMacro "missing_macro" Preparation true;
    /// A Python module.
    MissingPython "missing_python" Preparation true;
    /// A Perl module as `A::B`.
    MissingPerl "missing_perl" Preparation true;
    /// A Ruby library or gem.
    MissingRuby "missing_ruby" Preparation true;
    /// An R package.
    MissingR "missing_r" Preparation true;
    /// A Node module.
    MissingNode "missing_node" Preparation true;
    /// A Maven artifact (`group:artifact`) or a Java package or class.
    MissingJava "missing_java" Preparation true;
    /// A Haskell module or package.
    MissingHaskell "missing_haskell" Preparation true;
    /// An OCaml library or module.
    MissingOcaml "missing_ocaml" Preparation true;
    /// A Lua, Tcl, Erlang, PHP, Octave or similar module.
    MissingModule "missing_module" Preparation true;
    /// A Go module or package.
    MissingGo "missing_go" Preparation true;
    /// A crate.
    MissingCrate "missing_crate" Preparation true;
    /// A file of TeX, such as `a4wide.sty`.
    MissingTex "missing_tex" Preparation true;
    /// A namespace of GObject introspection, or a package of Vala.
    MissingTypelib "missing_typelib" Preparation true;
    /// A font or its configuration.
    MissingFont "missing_font" Preparation true;
    /// A file by path.
    MissingFile "missing_file" Preparation true;
    /// A distribution's package that the archive does not have, or whose dependencies cannot be met.
    MissingPackage "missing_package" Preparation true;

    // The source tree.
    /// A folder that should hold a git submodule is empty.
    MissingSubmodule "missing_submodule" Preparation false;
    /// A file that an earlier step of the build should have made.
    MissingGenerated "missing_generated" Preparation false;
    /// A target that no rule makes.
    MissingTarget "missing_target" Preparation false;
    /// Generated Autotools files want a version that is not there.
    StaleAutotools "stale_autotools" Preparation false;
    /// A cache of a configuration made elsewhere or by another generator.
    StaleCache "stale_cache" Preparation false;
    /// The tree was not configured: the step that must run first.
    NotConfigured "not_configured" Preparation false;
    /// A script with line endings of another system.
    LineEndings "line_endings" Preparation false;
    /// A script without its executable bit.
    NotExecutable "not_executable" Preparation false;
    /// The tree lacks its git history, an identity, or a version that would come from a tag.
    GitState "git_state" Preparation false;
    /// A patch that does not apply.
    PatchFailed "patch_failed" Packaging false;
    /// A source that is no archive, a page instead of a file, or a pointer of git-lfs.
    BrokenSource "broken_source" Preparation false;
    /// The project refuses to be built inside its source tree.
    InSourceBuild "in_source_build" Preparation false;
    /// A Makefile of another make.
    MakeDialect "make_dialect" Preparation false;
    /// The build tool's own complaint about its input.
    BuildFile "build_file" Preparation false;
    /// The build tool is too old or too new for the project.
    ToolVersion "tool_version" Preparation false;
    /// A library is there, too old or too new: its name.
    LibraryVersion "library_version" Preparation false;
    /// The compiler makes no programs: configure's first check fails.
    BrokenCompiler "broken_compiler" Preparation false;
    /// An option of the build that the tool or the project does not know.
    UnknownOption "unknown_option" Preparation false;

    // C, C++, Fortran.
    /// A warning that was made an error: the warning's name.
    WarningAsError "warning_as_error" Compilation false;
    /// A function used without a declaration.
    ImplicitDeclaration "implicit_declaration" Compilation false;
    /// A type that was left out.
    ImplicitInt "implicit_int" Compilation false;
    /// An integer used as a pointer or the other way round.
    IntConversion "int_conversion" Compilation false;
    /// Pointers of types that do not fit.
    IncompatiblePointer "incompatible_pointer" Compilation false;
    /// Other code of an older dialect that today's compilers refuse.
    OldDialect "old_dialect" Compilation false;
    /// A header whose inclusion was forgotten: the header, where the compiler or a table knows it, else the name.
    MissingInclude "missing_include" Compilation false;
    /// The language standard is too old for the code: the standard that is needed, such as `c++17`.
    StandardTooOld "standard_too_old" Compilation false;
    /// The language standard is too new for the code: what was removed.
    StandardTooNew "standard_too_new" Compilation false;
    /// A conversion that narrows.
    Narrowing "narrowing" Compilation false;
    /// A name that a library's newer version no longer has: the name.
    RemovedApi "removed_api" Compilation false;
    /// A declaration of the project's that clashes with the C library's: the name.
    Clash "clash" Compilation false;
    /// An `#error` of the source: its message.
    ErrorDirective "error_directive" Compilation false;
    /// The compiler crashed.
    CompilerCrash "compiler_crash" Compilation false;
    /// A flag that the compiler or linker does not know: the flag.
    UnknownFlag "unknown_flag" Preparation false;
    /// The compiler is too old for the source.
    CompilerTooOld "compiler_too_old" Preparation false;
    /// Any other error of a compiler.
    CompileError "compile_error" Compilation false;

    // Linking.
    /// Several definitions of one symbol.
    MultipleDefinition "multiple_definition" Compilation false;
    /// A symbol that nothing defines.
    UndefinedReference "undefined_reference" Compilation false;
    /// A library that is needed and not on the command line: its name.
    DsoMissing "dso_missing" Compilation false;
    /// Objects that were not compiled for a shared object.
    NotPositionIndependent "not_position_independent" Compilation false;
    /// An object, a library or a program of another architecture: the file.
    WrongFormat "wrong_format" Compilation false;
    /// Something prebuilt wants a newer C library.
    LibcTooOld "libc_too_old" Compilation false;
    /// Link-time optimisation with objects of another compiler.
    LinkTimeMismatch "link_time_mismatch" Compilation false;
    /// A relocation or a section that does not fit.
    DoesNotFit "does_not_fit" Compilation false;
    /// Another error of the linker.
    LinkError "link_error" Compilation false;

    // Architecture.
    /// A flag of another architecture: the flag.
    ForeignFlag "foreign_flag" Preparation false;
    /// A header of another architecture: the header.
    ForeignHeader "foreign_header" Compilation false;
    /// An intrinsic or builtin of another architecture, or one that is not enabled.
    ForeignIntrinsic "foreign_intrinsic" Compilation false;
    /// Assembly of another architecture: the instruction or register.
    ForeignAssembly "foreign_assembly" Compilation false;
    /// A system call that this architecture never had.
    ForeignSyscall "foreign_syscall" Compilation false;
    /// Registers of another architecture in a signal's context or in ptrace.
    ForeignRegister "foreign_register" Compilation false;
    /// Code that takes `char` for signed, pointers for 32 bits, a byte order or a page size for given.
    DataModel "data_model" Compilation false;
    /// The project or its package says that it does not know this architecture.
    UnsupportedArchitecture "unsupported_architecture" Preparation false;
    /// A program of another architecture was started.
    ForeignProgram "foreign_program" Preparation false;
    /// The recipe leaves this architecture out.
    ExcludedArchitecture "excluded_architecture" Packaging false;

    // Python, Java, Node, Go, Rust, Haskell.
    /// The interpreter or runtime is too old or too new for the project: which.
    RuntimeVersion "runtime_version" Preparation false;
    /// Source of a dialect that the interpreter no longer reads.
    OldSource "old_source" Compilation false;
    /// Requirements that contradict each other.
    DependencyConflict "dependency_conflict" Preparation false;
    /// A version of a dependency that the registry does not have, or not for this platform: the dependency.
    NoSuchVersion "no_such_version" Preparation false;
    /// A lock file that does not match.
    LockMismatch "lock_mismatch" Preparation false;
    /// The system's own interpreter refuses installations.
    ExternallyManaged "externally_managed" Environment false;
    /// A plugin, SDK or workload of the build tool that is not there: its name.
    MissingPlugin "missing_plugin" Preparation true;

    // Packaging.
    /// A file that the recipe lists and the build did not make, or the other way round.
    FileList "file_list" Packaging false;
    /// The recipe itself is wrong.
    Recipe "recipe" Packaging false;
    /// A policy check of the packaging tools.
    PackagePolicy "package_policy" Packaging false;

    // Tests.
    /// A test failed: its name.
    TestFailed "test_failed" Test false;
    /// A test crashed or was ended.
    TestCrashed "test_crashed" Test false;
    /// A test took too long.
    TestTimeout "test_timeout" Test false;
    /// No test could be collected or started.
    TestSetup "test_setup" Test false;

    // The machine, the network.
    /// The network could not be reached: the host.
    Network "network" Environment false;
    /// A certificate was not accepted.
    Certificate "certificate" Environment false;
    /// The build wanted to download something: its address or name.
    Download "download" Environment false;
    /// A file is not what its checksum says.
    Checksum "checksum" Environment false;
    /// `disk`, `memory`, `processes`, `files`, `time`.
    Resources "resources" Environment false;
    /// A permission or a privilege that the build does not have.
    Privileges "privileges" Environment false;
    /// A locale, a display, a terminal, a clock or a user that is not set up.
    Setup "setup" Environment false;
    /// The tools of the machine are broken or half installed.
    BrokenMachine "broken_machine" Environment false;

    /// An error line of no known kind.
    Other "other" Preparation false;
}
