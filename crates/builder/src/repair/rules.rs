//! The rules, as data: what a log must show, in which phase, and the change that helps. All of them are general.

use seatrial_core::Purpose;
use seatrial_diagnosis::Kind;

use super::{Rank, Repair, Situation, missing::in_tree};
use crate::{
    BuildSystem,
    pattern::Pattern,
    plan::Settings,
    tree::{base, is_side_folder, parent, strip},
};

/// What a rule looks at.
enum When {
    /// Lines of the log.
    Log(Pattern),
    /// The kind of the root cause.
    Cause(Kind),
    /// Nothing: tried when nothing else is known.
    Always,
}

struct Rule {
    id: &'static str,
    /// What is done.
    what: &'static str,
    /// Why.
    why: &'static str,
    rank: Rank,
    /// Phases in which it applies; none means all.
    phases: &'static [Purpose],
    /// Systems to which it applies; none means all.
    systems: &'static [BuildSystem],
    when: When,
    change: fn(&mut Settings),
}

use BuildSystem::{Autotools, AutotoolsBootstrap, CMake, Configure, Make, Meson, QMake};
use Purpose::{Build, Configure as Configuring, Prepare};

const AUTO: &[BuildSystem] = &[Autotools, AutotoolsBootstrap];
const MAKES: &[BuildSystem] = &[Make, Configure, BuildSystem::Imake];

const fn log(text: &'static str) -> When {
    When::Log(Pattern::new(text))
}

fn add(list: &mut Vec<String>, word: &str) {
    if !list.iter().any(|known| known == word) {
        list.push(word.to_owned());
    }
}

fn both(settings: &mut Settings, flag: &str) {
    settings.shims = true;
    add(&mut settings.c_flags, flag);
    add(&mut settings.cxx_flags, flag);
}

fn c_only(settings: &mut Settings, flag: &str) {
    settings.shims = true;
    settings
        .c_flags
        .retain(|known| !(known.starts_with("-std=") && flag.starts_with("-std=")));
    add(&mut settings.c_flags, flag);
}

fn cxx_only(settings: &mut Settings, flag: &str) {
    settings.shims = true;
    settings
        .cxx_flags
        .retain(|known| !(known.starts_with("-std=") && flag.starts_with("-std=")));
    add(&mut settings.cxx_flags, flag);
}

static RULES: [Rule; 37] = [
    Rule {
        id: "carriage-returns",
        what: "take the carriage returns out of the scripts",
        why: "a shell stumbles over them",
        rank: Rank::First,
        phases: &[],
        systems: &[],
        when: log(
            r"\^M|bad interpreter|\\r': command not found|\$'\\r'|syntax error near unexpected token `(?:\$'(?:in|\{|do)?\\r|newline)|env: .{1,8}\S+\\r",
        ),
        change: |settings| settings.unix_lines = true,
    },
    Rule {
        id: "executable-bits",
        what: "make the scripts executable",
        why: "a script of the tree may not be run",
        rank: Rank::First,
        phases: &[],
        systems: &[],
        when: log(
            r"(?m)(?:/bin/(?:ba)?sh|make(?:\[\d+\])?|bash|sh|env|install|/bin/sh: \d+|line \d+): [^\n]*: Permission denied|Permission denied\n.*Error 126",
        ),
        change: |settings| settings.executable_bits = true,
    },
    Rule {
        id: "config-guess",
        what: "take the distribution's config.guess and config.sub",
        why: "the project's own do not know this machine",
        rank: Rank::First,
        phases: &[],
        systems: &[],
        when: log(
            r"cannot guess build type|config\.sub: .*not recognized|Invalid configuration .* not recognized|machine .* not recognized",
        ),
        change: |settings| settings.config_guess = true,
    },
    Rule {
        id: "times",
        what: "give the generated files times in the right order",
        why: "Make wants to run another version of the Autotools",
        rank: Rank::First,
        phases: &[],
        systems: AUTO,
        when: log(
            r"(?:aclocal|automake|autoconf|autoheader)(?:-[\d.]+)?.{0,3}:? (?:command )?not found|is missing on your system|am--refresh|aclocal-\d[\d.]*: not found|This is Automake .*, but the definition",
        ),
        change: |settings| settings.touch = true,
    },
    Rule {
        id: "regenerate",
        what: "make configure again with the present Autotools",
        why: "the generated files do not fit the tools that are here",
        rank: Rank::First,
        phases: &[],
        systems: AUTO,
        when: log(
            r"(?:aclocal|automake|autoconf|autoheader)-[\d.]+|is missing on your system|version mismatch|Libtool version|macro version|libtool: Version|you should recreate aclocal\.m4|X--(?:tag|mode)=\S+: command not found|ltmain\.sh: not found|cannot find (?:install-sh|required auxiliary files)|config\.(?:sub|guess): No such file|syntax error near unexpected token|unexpected EOF|Makefile\.in.? is needed|cannot find input file",
        ),
        change: |settings| {
            settings.regenerate = true;
            settings.touch = false;
        },
    },
    Rule {
        id: "regenerate-bootstrap",
        what: "run autoreconf in place of the project's own script",
        why: "the project's own script fails here",
        rank: Rank::After,
        phases: &[Prepare],
        systems: &[AutotoolsBootstrap],
        when: When::Always,
        change: |settings| settings.regenerate = true,
    },
    Rule {
        id: "common",
        what: "compile with -fcommon",
        why: "variables are defined in several files, as old compilers allowed",
        rank: Rank::Beside,
        phases: &[Build],
        systems: &[],
        when: log(r"multiple definition of .*(?:first defined here)?"),
        change: |settings| c_only(settings, "-fcommon"),
    },
    Rule {
        id: "no-error",
        what: "let warnings be warnings",
        why: "a newer compiler warns of more, and the project makes warnings errors",
        rank: Rank::Beside,
        phases: &[Configuring, Build],
        systems: &[],
        when: log(r"\[-Werror(?:=[\w+=-]+)?\]|all warnings being treated as errors"),
        change: |settings| both(settings, "-Wno-error"),
    },
    Rule {
        id: "cmake-policy",
        what: "let CMake accept projects of an old version",
        why: "this CMake has dropped what the project asks for",
        rank: Rank::First,
        phases: &[Configuring],
        systems: &[CMake],
        when: log(r"Compatibility with CMake < 3\.5 has been removed|CMAKE_POLICY_VERSION_MINIMUM"),
        change: |settings| add(&mut settings.arguments, "-DCMAKE_POLICY_VERSION_MINIMUM=3.5"),
    },
    Rule {
        id: "in-tree",
        what: "build beside the sources",
        why: "building out of tree fails",
        rank: Rank::First,
        phases: &[Configuring, Build],
        systems: &[Autotools, AutotoolsBootstrap, QMake],
        when: log(
            r"source directory already configured|No rule to make target .{0,3}(?:\.\./|[A-Za-z0-9_-]+\.[chylxo])|(?i:in.?tree builds? only|out.of.(?:tree|source) builds? (?:is|are) not|srcdir.* must)|cannot (?:stat|find|open) .{0,3}\./|can't (?:open|find) (?:file )?\./|cannot create .*: Directory nonexistent|cannot create [^\n]*: No such file|No such file or directory\ncompilation terminated|Assembler messages:\nFatal error: can't create",
        ),
        change: |settings| settings.in_tree = true,
    },
    Rule {
        id: "macro-folder",
        what: "make the folder m4",
        why: "aclocal wants it",
        rank: Rank::First,
        phases: &[Prepare],
        systems: AUTO,
        when: log(r"couldn't open directory .{0,3}m4"),
        change: |settings| {
            settings
                .prepare
                .push(("aclocal wants the folder".to_owned(), "mkdir -p m4".to_owned()))
        },
    },
    Rule {
        id: "rpath",
        what: "lay an empty config.rpath",
        why: "Automake asks for the file, which only some systems need",
        rank: Rank::First,
        phases: &[Prepare, Configuring],
        systems: AUTO,
        when: log(r"required file .{0,3}(?:\S+/)?config\.rpath|config\.rpath: No such file"),
        change: |settings| {
            settings.prepare.push((
                "Automake asks for the file".to_owned(),
                "for folder in . build-aux config admin build; do if [ -d \"$folder\" ]; then touch \"$folder/config.rpath\"; fi; done".to_owned(),
            ));
        },
    },
    Rule {
        id: "standard-files",
        what: "lay the files that GNU projects have",
        why: "Automake asks for them",
        rank: Rank::First,
        phases: &[Prepare, Configuring, Build],
        systems: AUTO,
        when: log(r"required file .{0,3}\./(?:NEWS|README|AUTHORS|ChangeLog|COPYING|INSTALL)"),
        change: |settings| {
            settings.prepare.push((
                "Automake asks for them".to_owned(),
                "touch NEWS README AUTHORS ChangeLog COPYING INSTALL".to_owned(),
            ));
        },
    },
    Rule {
        id: "platform-linux",
        what: "build the target linux",
        why: "the makefile wants to be told the system",
        rank: Rank::First,
        phases: &[Build],
        systems: MAKES,
        when: log(
            r"(?im)^(?:\s*please (?:do|choose|specify|type|select|use|run)|usage: make|type .?make|make \S+.*\blinux\b|you must specify|\s*specify (?:a|the|your) (?:target|platform|system)|.*(?:where|one of).*\blinux\b|.*\blinux\b.*(?:freebsd|solaris|sunos|generic|macosx|hpux|aix))",
        ),
        change: |settings| settings.build_arguments = with_target(settings, "linux"),
    },
    Rule {
        id: "platform-generic",
        what: "build the target generic",
        why: "the makefile wants to be told the system and does not know linux",
        rank: Rank::First,
        phases: &[Build],
        systems: MAKES,
        when: log(r"No rule to make target .{0,3}linux"),
        change: |settings| settings.build_arguments = with_target(settings, "generic"),
    },
    Rule {
        id: "platform-unix",
        what: "build the target unix",
        why: "the makefile wants to be told the system and does not know linux",
        rank: Rank::First,
        phases: &[Build],
        systems: MAKES,
        when: log(r"No rule to make target .{0,3}generic"),
        change: |settings| settings.build_arguments = with_target(settings, "unix"),
    },
    Rule {
        id: "platform-posix",
        what: "build the target posix",
        why: "the makefile wants to be told the system and does not know linux",
        rank: Rank::First,
        phases: &[Build],
        systems: MAKES,
        when: log(r"No rule to make target .{0,3}unix"),
        change: |settings| settings.build_arguments = with_target(settings, "posix"),
    },
    Rule {
        id: "platform-all",
        what: "build the target all",
        why: "the default target builds nothing",
        rank: Rank::Guess,
        phases: &[Build],
        systems: MAKES,
        when: When::Always,
        change: |settings| settings.build_arguments = with_target(settings, "all"),
    },
    Rule {
        id: "meson-werror",
        what: "drop an option that this project does not know",
        why: "Meson refuses unknown options",
        rank: Rank::First,
        phases: &[Configuring],
        systems: &[Meson],
        when: log(r"Unknown options?:"),
        change: |settings| settings.arguments.clear(),
    },
    Rule {
        id: "meson-wraps",
        what: "let Meson fetch what the project carries as wraps",
        why: "a dependency is in no package",
        rank: Rank::After,
        phases: &[Configuring],
        systems: &[Meson],
        when: log(r"(?i)automatic wrap-based|wrap.*nodownload|Subproject \S+ (?:is required|not found)|wrap-mode"),
        change: |settings| add(&mut settings.dropped, "--wrap-mode=nodownload"),
    },
    Rule {
        id: "gnu89",
        what: "compile C as of 1989, with GNU extensions",
        why: "the code is older than the compiler's default",
        rank: Rank::After,
        phases: &[Build],
        systems: &[],
        when: log(
            r"error: (?:implicit declaration of function|return type defaults to|type defaults to|.{0,3}inline.{0,3} |nested extern|redeclaration of|conflicting types for .{0,3}(?:bool|true|false))|\[-Werror=implicit|error: .{0,3}(?:bool|true|false|nullptr|constexpr|alignas|thread_local).{0,3} cannot be|error: two or more data types in declaration|cannot use keyword .(?:false|true)",
        ),
        change: |settings| c_only(settings, "-std=gnu89"),
    },
    Rule {
        id: "gnu89-inline",
        what: "give inline its meaning of 1989",
        why: "inline functions have no definition that others can link to",
        rank: Rank::After,
        phases: &[Build],
        systems: &[],
        when: When::Cause(Kind::UndefinedReference),
        change: |settings| c_only(settings, "-fgnu89-inline"),
    },
    Rule {
        id: "gnu99",
        what: "compile C as of 1999, with GNU extensions",
        why: "the code uses C of 1999 and the project's own flags bar it",
        rank: Rank::After,
        phases: &[Build],
        systems: &[],
        when: log(
            r"(?:only allowed in|loop initial declarations are only|C99|C11) (?:C99|mode|or C11|C11)|error: .{0,3}for.{0,3} loop initial declarations|error: expected .*asm.*before|unknown type name .{0,3}(?:uint|int|u_int|ulong|uint8_t|uint32_t)|error: .{0,3}(?:asm|typeof).{0,3} undeclared",
        ),
        change: |settings| c_only(settings, "-std=gnu11"),
    },
    Rule {
        id: "permissive-c",
        what: "compile C as older compilers did",
        why: "newer compilers make errors of what were warnings",
        rank: Rank::After,
        phases: &[Build],
        systems: &[],
        when: log(
            r"error: [^\n]*(?:incompatible.pointer|int-conversion|makes (?:pointer|integer) from|implicit-function|implicit-int|return-mismatch)",
        ),
        change: |settings| {
            for flag in [
                "-Wno-error=incompatible-pointer-types",
                "-Wno-error=int-conversion",
                "-Wno-error=implicit-function-declaration",
                "-Wno-error=implicit-int",
            ] {
                c_only(settings, flag);
            }
        },
    },
    Rule {
        id: "narrowing",
        what: "allow narrowing conversions in C++",
        why: "the code is older than C++11",
        rank: Rank::After,
        phases: &[Build],
        systems: &[],
        when: log(r"narrowing conversion of"),
        change: |settings| cxx_only(settings, "-Wno-narrowing"),
    },
    Rule {
        id: "cxx17",
        what: "compile C++ as of 2017",
        why: "the code or a library's header asks for it",
        rank: Rank::After,
        phases: &[Build],
        systems: &[],
        when: log(
            r"only available from C\+\+1[17] onwards|only available with .?-std=c\+\+1[17]|C\+\+ versions less than C\+\+1[47]|requires? (?:at least )?C\+\+1[47]|.std::(?:filesystem|optional|variant|string_view|any|byte|clamp|is_same_v).{0,3} has not been declared|.(?:filesystem|optional|variant|string_view|any|byte|clamp|make_unique|exchange|is_same_v|enable_if_t).{0,3} (?:is not a member of|in namespace|was not declared)|support for the ISO C\+\+ 201[147]|C\+\+1[147] (?:standard|support|or later|is required)|#error .*C\+\+1[147]",
        ),
        change: |settings| cxx_only(settings, "-std=gnu++17"),
    },
    Rule {
        id: "cxx20",
        what: "compile C++ as of 2020",
        why: "the code or a library's header asks for it",
        rank: Rank::After,
        phases: &[Build],
        systems: &[],
        when: log(
            r"only available (?:from|with) .{0,8}\+\+2[0a]|C\+\+ versions less than C\+\+20|.std::(?:span|ranges|format|strong_ordering).{0,3} has not been declared|.(?:span|ranges|format|bit_cast|source_location).{0,3} is not a member of .std|C\+\+20 (?:standard|support|or later|is required)",
        ),
        change: |settings| cxx_only(settings, "-std=gnu++20"),
    },
    Rule {
        id: "cxx14",
        what: "compile C++ as of 2014",
        why: "the code uses what later standards removed",
        rank: Rank::After,
        phases: &[Build],
        systems: &[],
        when: log(
            r"ISO C\+\+(?:17|11) does not allow|no (?:template|type|member) named .{0,3}(?:auto_ptr|unary_function|binary_function|random_shuffle|bind1st|bind2nd|mem_fun)|(?:auto_ptr|unary_function|random_shuffle|bind2nd|mem_fun|ptr_fun|bind1st).{0,3} (?:was not declared|is not a member)|reference to .{0,3}(?:byte|data|size|hash|function|distance|lerp|mutex|array|map).{0,3} is ambiguous",
        ),
        change: |settings| cxx_only(settings, "-std=gnu++14"),
    },
    Rule {
        id: "cxx98",
        what: "compile C++ as of 1998",
        why: "the code uses what C++11 forbids",
        rank: Rank::After,
        phases: &[Build],
        systems: &[],
        when: log(
            r"unable to find (?:string|numeric|character) literal operator|invalid suffix on literal|cannot bind .*basic_(?:o|i)stream|no match for .operator(?:==|!=).*(?:stream|nullptr)|cannot convert .*(?:std::)?(?:o|i|f)?stream.* to .(?:bool|void ?\*)|declared with .?throw|looser (?:throw|exception) specifi",
        ),
        change: |settings| cxx_only(settings, "-std=gnu++98"),
    },
    Rule {
        id: "standard-integers",
        what: "include <cstdint> in every C++ file",
        why: "newer library headers no longer bring it along",
        rank: Rank::After,
        phases: &[Build],
        systems: &[],
        when: log(
            r"(?:u?int(?:8|16|32|64)_t|u?intptr_t).{0,3} (?:does not name a type|was not declared|has not been declared|is not a member|in namespace)",
        ),
        change: |settings| cxx_only(settings, "-include cstdint"),
    },
    Rule {
        id: "permissive",
        what: "compile C++ with -fpermissive",
        why: "the compiler says that it would accept the code with it, or the code is of an older dialect",
        rank: Rank::After,
        phases: &[Build],
        systems: &[],
        when: log(
            r"\[-fpermissive\]|invalid conversion from|changes meaning of|there are no arguments to .* that depend on a template|was not declared in this scope, and no declarations were found by argument-dependent",
        ),
        change: |settings| cxx_only(settings, "-fpermissive"),
    },
    Rule {
        id: "position-independent",
        what: "compile with -fPIC",
        why: "objects are linked into a shared library",
        rank: Rank::After,
        phases: &[Build],
        systems: &[],
        when: log(r"recompile with -fPI[CE]|can not be used when making a (?:shared|PIE) object"),
        change: |settings| both(settings, "-fPIC"),
    },
    Rule {
        id: "optimise",
        what: "compile with -O1",
        why: "some code cannot be compiled or linked without any optimisation",
        rank: Rank::After,
        phases: &[Build],
        systems: &[],
        when: log(
            r"impossible constraint in .asm|inlining failed in call to .always_inline|undefined reference to|asm.? operand|__builtin_\w+ .* must be|requires optimization|the last argument must be|-Werror=cpp|_FORTIFY_SOURCE requires",
        ),
        change: |settings| {
            settings.shims = true;
            settings.optimisation = "-O1";
        },
    },
    Rule {
        id: "serial",
        what: "build with one job",
        why: "a file was used before it was made, as happens with rules that name not all they need",
        rank: Rank::After,
        phases: &[Build],
        systems: &[],
        when: log(
            r"No such file or directory|No rule to make target|file not recognized|cannot (?:find|open|stat|create)|unterminated|File format not recognized|jobserver|cannot open output file|file truncated|Bus error|Text file busy",
        ),
        change: |settings| settings.serial = true,
    },
    Rule {
        id: "dialect-macros",
        what: "declare everything that the C library has",
        why: "functions and types are hidden by the chosen standard",
        rank: Rank::After,
        phases: &[Build],
        systems: &[],
        when: log(
            r"(?:implicit declaration of function|undeclared|storage size of|unknown type name|has no member named|incomplete type).{0,40}(?:strdup|strcasecmp|usleep|snprintf|asprintf|memmem|timespec|sigaction|sigset_t|ucred|u_char|u_int|M_PI|popen|fileno|strptime|getline|strsep|tm_gmtoff|PATH_MAX|SO_REUSEPORT|strcasestr|cpu_set|RTLD_NEXT|mempcpy|wait3|siginfo|fd_set|getopt)",
        ),
        change: |settings| {
            settings.shims = true;
            add(&mut settings.c_flags, "-D_GNU_SOURCE");
        },
    },
    Rule {
        id: "test-stack",
        what: "give SIGSTKSZ a constant value",
        why: "it is no constant any more, and old test frameworks use it as one",
        rank: Rank::After,
        phases: &[Build],
        systems: &[],
        when: log(r"SIGSTKSZ|altStackMem"),
        change: |settings| {
            settings.shims = true;
            add(&mut settings.cxx_flags, "-D_DYNAMIC_STACK_SIZE_SOURCE=0");
            add(&mut settings.cxx_flags, "-DCATCH_CONFIG_NO_POSIX_SIGNALS");
        },
    },
    Rule {
        id: "in-tree-guess",
        what: "build beside the sources",
        why: "some projects cannot be built out of tree, and nothing else is known",
        rank: Rank::Guess,
        phases: &[Configuring, Build],
        systems: &[Autotools, AutotoolsBootstrap, QMake],
        when: When::Always,
        change: |settings| settings.in_tree = true,
    },
];

/// The build arguments with another target.
fn with_target(settings: &Settings, target: &str) -> Vec<String> {
    let mut words: Vec<String> = settings
        .build_arguments
        .iter()
        .filter(|word| word.contains('=') || word.starts_with('-'))
        .cloned()
        .collect();
    words.push(target.to_owned());
    words
}

/// The rules that fire, and those that need more than a pattern.
pub(super) fn apply(situation: &Situation<'_>) -> Vec<Repair> {
    let mut found: Vec<Repair> = RULES
        .iter()
        .filter(|rule| rule.phases.is_empty() || rule.phases.contains(&situation.phase))
        .filter(|rule| rule.systems.is_empty() || rule.systems.contains(&situation.system))
        .filter(|rule| match &rule.when {
            When::Log(pattern) => pattern.is_match(situation.log),
            When::Cause(kind) => situation
                .diagnosis
                .cause
                .as_ref()
                .is_some_and(|cause| cause.kind == *kind),
            When::Always => true,
        })
        .map(|rule| {
            repair(
                situation,
                rule.id.to_owned(),
                rule.what.to_owned(),
                rule.why.to_owned(),
                rule.rank,
                rule.change,
            )
        })
        .collect();
    own_headers(situation, &mut found);
    libraries(situation, &mut found);
    optional_parts(situation, &mut found);
    found
}

fn repair(
    situation: &Situation<'_>,
    id: String,
    what: String,
    why: String,
    rank: Rank,
    change: impl FnOnce(&mut Settings),
) -> Repair {
    let mut settings = situation.settings.clone();
    change(&mut settings);
    Repair {
        id,
        what,
        why,
        rank,
        settings,
    }
}

/// A header of the project's own that the compiler does not find: its folder joins the search path.
fn own_headers(situation: &Situation<'_>, found: &mut Vec<Repair>) {
    if situation.phase != Purpose::Build {
        return;
    }
    let mut folders: Vec<String> = Vec::new();
    for problem in super::missing::problems(situation.diagnosis) {
        let name = problem.subject.trim_start_matches("./");
        if problem.kind != Kind::MissingHeader || name.contains("..") || !in_tree(situation.tree, name) {
            continue;
        }
        let best = situation
            .tree
            .files()
            .filter(|path| *path == name || path.strip_suffix(name).is_some_and(|rest| rest.ends_with('/')))
            .min_by_key(|path| (is_side_folder(parent(path)), path.matches('/').count()));
        let Some(folder) = best.and_then(|path| path.strip_suffix(name)) else {
            continue;
        };
        let folder = folder.trim_end_matches('/').to_owned();
        if !folder.contains(' ') && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    if folders.is_empty() {
        return;
    }
    let id = format!("own-headers {}", folders.join(" "));
    let what = format!(
        "search headers in {}",
        folders
            .iter()
            .map(|folder| place(folder))
            .collect::<Vec<_>>()
            .join(", ")
    );
    found.push(repair(
        situation,
        id,
        what,
        "the project has the missing header itself".to_owned(),
        Rank::First,
        |settings| {
            for folder in &folders {
                let path = if folder.is_empty() {
                    seatrial_core::BOX_SOURCE.to_owned()
                } else {
                    format!("{}/{folder}", seatrial_core::BOX_SOURCE)
                };
                both(settings, &format!("-I{path}"));
            }
        },
    ));
}

fn place(folder: &str) -> String {
    if folder.is_empty() {
        "the top folder".to_owned()
    } else {
        folder.to_owned()
    }
}

/// Symbols by the library that has them: only those whose prefix or name leaves no doubt.
static SYMBOLS: [(Pattern, &str); 22] = [
    (
        Pattern::new(
            r"undefined reference to .(?:sin|cos|tan|sqrt|pow|log|log10|exp|floor|ceil|atan2?|asin|acos|fmod|round|hypot|lrint|cbrt|sinh|cosh|tanh|log2|fabs|rint|trunc|exp2|ldexp|frexp|modf)(?:f|l)?\W",
        ),
        "-lm",
    ),
    (Pattern::new(r"undefined reference to .(?:pthread_|sem_)"), "-lpthread"),
    (
        Pattern::new(r"undefined reference to .dl(?:open|sym|close|error)"),
        "-ldl",
    ),
    (
        Pattern::new(r"undefined reference to .(?:clock_gettime|timer_create|shm_open|aio_)"),
        "-lrt",
    ),
    (Pattern::new(r"undefined reference to .crypt\W"), "-lcrypt"),
    (
        Pattern::new(r"undefined reference to .(?:initscr|wrefresh|endwin|newwin|stdscr|waddch|wgetch)"),
        "-lncurses",
    ),
    (
        Pattern::new(
            r"undefined reference to .(?:tgetent|tputs|tgoto|tgetstr|tgetnum|tgetflag|cbreak|keypad|nodelay|setupterm)\W",
        ),
        "-ltinfo",
    ),
    (
        Pattern::new(
            r"undefined reference to .(?:deflate|inflate|compress2?|uncompress|crc32|gzopen|gzread)(?:Init2?_|End)?\W",
        ),
        "-lz",
    ),
    (Pattern::new(r"undefined reference to .BZ2_"), "-lbz2"),
    (Pattern::new(r"undefined reference to .lzma_"), "-llzma"),
    (
        Pattern::new(r"undefined reference to .(?:EVP_|BIO_|RSA_|SHA1|MD5_|X509_|ERR_|BN_|HMAC)"),
        "-lcrypto",
    ),
    (Pattern::new(r"undefined reference to .(?:SSL_|TLS_)"), "-lssl"),
    (
        Pattern::new(r"undefined reference to .X(?:OpenDisplay|Create|Map|Draw|Free|Next|Set|Default|Intern|Lookup)"),
        "-lX11",
    ),
    (Pattern::new(r"undefined reference to .png_"), "-lpng"),
    (Pattern::new(r"undefined reference to .jpeg_"), "-ljpeg"),
    (Pattern::new(r"undefined reference to .curl_easy"), "-lcurl"),
    (Pattern::new(r"undefined reference to .sqlite3_"), "-lsqlite3"),
    (
        Pattern::new(r"undefined reference to .(?:readline|add_history|rl_)\W"),
        "-lreadline",
    ),
    (
        Pattern::new(r"undefined reference to .gl(?:Begin|End|Clear|Enable|Vertex|Matrix|Color)"),
        "-lGL",
    ),
    (Pattern::new(r"undefined reference to .glu[A-Z]"), "-lGLU"),
    (Pattern::new(r"undefined reference to .__atomic_"), "-latomic"),
    (
        Pattern::new(r"undefined reference to .(?:xdr_|clnt_|svc_|rpc_)"),
        "-ltirpc",
    ),
];

static DSO: Pattern =
    Pattern::new(r"/lib([A-Za-z0-9_+.-]+?)\.so[.0-9]*: error adding symbols: DSO missing from command line");

fn libraries(situation: &Situation<'_>, found: &mut Vec<Repair>) {
    if situation.phase != Purpose::Build {
        return;
    }
    let mut flags: Vec<String> = SYMBOLS
        .iter()
        .filter(|(pattern, _)| pattern.is_match(situation.log))
        .map(|(_, flag)| (*flag).to_owned())
        .collect();
    for name in DSO.all(situation.log) {
        let flag = format!("-l{name}");
        if !flags.contains(&flag) {
            flags.push(flag);
        }
    }
    if flags.is_empty() {
        return;
    }
    let words = flags.join(" ");
    found.push(repair(
        situation,
        format!("libraries {words}"),
        format!("link with {words}"),
        "symbols of these libraries are missing from a link".to_owned(),
        Rank::Beside,
        |settings| {
            settings.shims = true;
            add(&mut settings.link_flags, "-Wl,--no-as-needed");
            for flag in &flags {
                add(&mut settings.link_flags, flag);
            }
        },
    ));
}

static CMAKE_OPTION: Pattern = Pattern::new(r"(?im)^\s*(?:cmake_dependent_)?option\s*\(\s*([A-Za-z0-9_-]+)");

/// When configuring does not get anywhere: what tests, documents and examples need is left out.
fn optional_parts(situation: &Situation<'_>, found: &mut Vec<Repair>) {
    if situation.phase != Purpose::Configure {
        return;
    }
    let side = |name: &str| {
        let upper = name.to_ascii_uppercase();
        [
            "TEST", "DOC", "EXAMPLE", "SAMPLE", "BENCH", "FUZZ", "PYTHON", "JAVA", "MANPAGE",
        ]
        .iter()
        .any(|word| upper.contains(word))
    };
    let mut arguments: Vec<String> = Vec::new();
    match situation.system {
        CMake => {
            arguments.push("-DBUILD_TESTING=OFF".to_owned());
            let paths = situation.tree.below(situation.folder).filter(|path| {
                base(path) == "CMakeLists.txt" && !is_side_folder(parent(strip(path, situation.folder)))
            });
            for path in paths.take(50) {
                let text = situation.tree.text(path).unwrap_or_default();
                for name in CMAKE_OPTION.all(&text).into_iter().filter(|name| side(name)).take(12) {
                    add(&mut arguments, &format!("-D{name}=OFF"));
                }
            }
        }
        Meson => {
            for name in ["meson_options.txt", "meson.options"] {
                let text = situation
                    .tree
                    .text(&crate::tree::join(situation.folder, name))
                    .unwrap_or_default();
                for groups in MESON_OPTION.groups(&text) {
                    let [name, kind] = groups.as_slice() else { continue };
                    if side(name) || name.contains("introspection") || name.contains("man") {
                        let off = if *kind == "feature" { "disabled" } else { "false" };
                        arguments.push(format!("-D{name}={off}"));
                    }
                }
            }
        }
        Autotools | AutotoolsBootstrap => {
            for name in [
                "--disable-doc",
                "--disable-docs",
                "--disable-gtk-doc",
                "--disable-tests",
                "--disable-werror",
                "--disable-nls",
            ] {
                arguments.push(name.to_owned());
            }
        }
        _ => {}
    }
    if arguments.is_empty() {
        return;
    }
    found.push(repair(
        situation,
        "side-parts".to_owned(),
        "leave out tests, documents and examples".to_owned(),
        "configuring does not get through with them".to_owned(),
        Rank::Guess,
        |settings| {
            for argument in &arguments {
                add(&mut settings.arguments, argument);
            }
        },
    ));
}

static MESON_OPTION: Pattern = Pattern::new(r"(?s)option\s*\(\s*'([^']+)'\s*,[^)]*?type\s*:\s*'(boolean|feature)'");

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use seatrial_diagnosis::Diagnosis;

    use super::*;
    use crate::tree::Tree;

    #[test]
    fn every_pattern_compiles_and_every_id_is_unique() {
        let mut ids = std::collections::BTreeSet::new();
        for rule in &RULES {
            assert!(ids.insert(rule.id), "{} twice", rule.id);
            if let When::Log(pattern) = &rule.when {
                assert!(pattern.compiles(), "{}", rule.id);
            }
        }
        for (pattern, flag) in &SYMBOLS {
            assert!(pattern.compiles(), "{flag}");
        }
        assert!(DSO.compiles() && CMAKE_OPTION.compiles() && MESON_OPTION.compiles());
    }

    fn check(system: BuildSystem, phase: Purpose, log: &str, expected: &Expect) {
        let folder = tempfile::tempdir().unwrap();
        let tree = Tree::scan(folder.path());
        let settings = Settings::default();
        let diagnosis = Diagnosis::default();
        let situation = Situation {
            system,
            phase,
            log,
            diagnosis: &diagnosis,
            settings: &settings,
            tree: &tree,
            folder: "",
        };
        let text: String = crate::repair::repairs(&situation)
            .iter()
            .filter(|repair| repair.rank != Rank::Guess)
            .map(|repair| format!("{:?} {}\n", repair.rank, repair.id))
            .collect();
        expected.assert_eq(&text);
    }

    #[test]
    fn logs_fire_the_rules_that_they_should() {
        check(
            Make,
            Build,
            "/usr/bin/ld: b.o:(.bss+0x0): multiple definition of `hull'; a.o:(.bss+0x0): first defined here",
            &expect![[r"
            Beside common
        "]],
        );
        check(
            Make,
            Build,
            "x.c:1:1: error: unused variable 'x' [-Werror=unused-variable]\ncc1: all warnings being treated as errors",
            &expect![[r"
            Beside no-error
        "]],
        );
        check(
            Autotools,
            Build,
            "/bin/bash: line 1: aclocal-1.14: command not found",
            &expect![[r"
            First times
            First regenerate
        "]],
        );
        check(
            Autotools,
            Configuring,
            "configure: error: cannot guess build type; you must specify one",
            &expect![[r"
            First config-guess
        "]],
        );
        check(
            Make,
            Build,
            "make: ./gen.sh: Permission denied\nmake: *** [Makefile:3: x.h] Error 127",
            &expect![[r"
            First executable-bits
        "]],
        );
        check(
            Make,
            Build,
            "Please do\n   make PLATFORM\nwhere PLATFORM is one of these:\n   aix bsd generic linux macosx posix",
            &expect![[r"
            First platform-linux
        "]],
        );
        check(
            Make,
            Build,
            "main.c:(.text+0x10): undefined reference to `sqrt'\ncollect2: error: ld returned 1 exit status",
            &expect![[r"
            Beside libraries -lm
            After optimise
        "]],
        );
        check(
            Make,
            Build,
            "x.cpp:3:1: error: 'uint32_t' does not name a type",
            &expect![[r"
            After standard-integers
        "]],
        );
        check(
            CMake,
            Configuring,
            "CMake Error: Compatibility with CMake < 3.5 has been removed from CMake.",
            &expect![[r"
            First cmake-policy
        "]],
        );
        check(
            AutotoolsBootstrap,
            Prepare,
            "aclocal: error: couldn't open directory 'm4': No such file or directory",
            &expect![[r"
            First macro-folder
            After regenerate-bootstrap
        "]],
        );
        check(Make, Build, "cc -c x.c\nok\n", &expect![[""]]);
    }
}
