//! Rules for what goes wrong around the compiler: scripts, generated files, platforms, build folders. Data only.

use seatrial_core::{
    Purpose::{Build, Configure as Configuring, Prepare},
    RelaxationClass::{BuildSystem as Generated, Deceives, Downloads, Options, Parallelism, Source},
};

use super::{
    Rank,
    rules::{Rule, When, add, log},
};
use crate::{
    BuildSystem::{self, Autotools, AutotoolsBootstrap, CMake, Configure, Make, Meson, QMake},
    plan::Settings,
};

const AUTO: &[BuildSystem] = &[Autotools, AutotoolsBootstrap];
const MAKES: &[BuildSystem] = &[Make, Configure, BuildSystem::Imake];

/// The rules, in the order in which they are tried.
pub(super) static RULES: [Rule; 25] = [
    Rule {
        id: "carriage-returns",
        class: Source,
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
        class: Source,
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
        class: Generated,
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
        class: Generated,
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
        class: Generated,
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
        class: Generated,
        what: "run autoreconf in place of the project's own script",
        why: "the project's own script fails here",
        rank: Rank::After,
        phases: &[Prepare],
        systems: &[AutotoolsBootstrap],
        when: When::Always,
        change: |settings| settings.regenerate = true,
    },
    Rule {
        id: "cmake-policy",
        class: Generated,
        what: "let CMake accept projects of an old version",
        why: "this CMake has dropped what the project asks for",
        rank: Rank::First,
        phases: &[Configuring],
        systems: &[CMake],
        when: log(r"Compatibility with CMake < 3\.5 has been removed|CMAKE_POLICY_VERSION_MINIMUM"),
        change: |settings| add(&mut settings.arguments, "-DCMAKE_POLICY_VERSION_MINIMUM=3.5"),
    },
    Rule {
        id: "old-version",
        class: Deceives,
        what: "let the compiler say that it is of version 9",
        why: "the project's check takes a version of two digits for an old one",
        rank: Rank::First,
        phases: &[Configuring],
        systems: &[Autotools, AutotoolsBootstrap, Configure],
        when: log(
            r"(?im)(?:gcc|g\+\+|compiler|\bcc\b)[^\n]{0,80}\b1[0-9]\.[0-9]+(?:\.[0-9]+)?\b[^\n]{0,60}(?:old|required|bad|unsupported|not supported|at least)",
        ),
        change: |settings| {
            settings.shims = true;
            settings.old_version = true;
        },
    },
    Rule {
        id: "cmake-build-type",
        class: Options,
        what: "build the type RelWithDebInfo",
        why: "the project accepts no other types than CMake's own",
        rank: Rank::First,
        phases: &[Configuring],
        systems: &[CMake],
        when: log(
            r"(?i)(?:unsupported|unknown|invalid|unrecogni[sz]ed|bad|not supported|must be|expected)[^\n]*(?:build.?type|CMAKE_BUILD_TYPE)|CMAKE_BUILD_TYPE[^\n]*(?:must|invalid|unknown|supported|recogni[sz]ed|valid)",
        ),
        change: |settings| {
            add(&mut settings.dropped, "-DCMAKE_BUILD_TYPE=None");
            add(&mut settings.arguments, "-DCMAKE_BUILD_TYPE=RelWithDebInfo");
        },
    },
    Rule {
        id: "automake-objects",
        class: Source,
        what: "give programs and archives flags of their own in Makefile.am",
        why: "Automake makes one object with libtool and without unless their flags differ",
        rank: Rank::First,
        phases: &[Prepare],
        systems: AUTO,
        when: log(r"created both with libtool and without"),
        change: |settings| {
            settings.prepare.push((
                "one source goes into a program and into a library, which Automake only allows where flags differ".to_owned(),
                r#"find . -name Makefile.am -exec perl -0pi -e 'my %seen; my $more = ""; while (/^\w*_(?:PROGRAMS|LIBRARIES)\s*=((?:[^\\\n]|\\\n|\\.)*)/gm) { for my $name (split(/[\s\\]+/, $1)) { next if $name !~ /^[\w.+-]+$/; (my $own = $name) =~ s/[^\w]/_/g; next if $seen{$own}++ || /^\Q$own\E_CFLAGS\s*=/m; $more .= "${own}_CFLAGS = \$(AM_CFLAGS)\n${own}_CXXFLAGS = \$(AM_CXXFLAGS)\n" } } $_ .= "\n$more" if length $more' {} +"#.to_owned(),
            ));
        },
    },
    Rule {
        id: "python-bytes",
        class: Source,
        what: "let the build files read texts as texts",
        why: "Python 3 reads bytes where Python 2 read text",
        rank: Rank::First,
        phases: &[Configuring, Build],
        systems: &[BuildSystem::Scons],
        when: log(
            r"TypeError: (?:cannot use a (?:string|bytes) pattern on a|a bytes-like object is required|can't concat|must be str, not bytes)",
        ),
        change: |settings| {
            settings.prepare.push((
                "Python 3 reads bytes where Python 2 read text".to_owned(),
                "find . -type f \\( -name SConstruct -o -name SConscript -o -name 'SCons*' -o -path '*/site_scons/*.py' \\) \\\n    \
                 -exec sed -i 's/\\.get_contents()/.get_text_contents()/g' {} +"
                    .to_owned(),
            ));
        },
    },
    Rule {
        id: "in-tree",
        class: Generated,
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
        class: Generated,
        what: "make the folder m4",
        why: "aclocal wants it",
        rank: Rank::First,
        phases: &[Prepare],
        systems: AUTO,
        when: log(r"couldn't open directory .{0,3}m4"),
        change: |settings| {
            settings
                .prepare
                .push(("aclocal wants the folder".to_owned(), "mkdir -p m4".to_owned()));
        },
    },
    Rule {
        id: "rpath",
        class: Generated,
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
        class: Generated,
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
        id: "python-2",
        class: Source,
        what: "translate the build files to Python 3",
        why: "they are written in Python 2",
        rank: Rank::First,
        phases: &[Prepare, Configuring, Build],
        systems: &[BuildSystem::Scons, BuildSystem::Waf],
        when: log(
            r"SyntaxError: (?:Missing parentheses in call to|multiple exception types must be|invalid (?:decimal|octal) literal|leading zeros)|TabError: |NameError: name '(?:unicode|basestring|raw_input|xrange|file)' is not|AttributeError: 'dict' object has no attribute '(?:has_key|iteritems)'",
        ),
        change: |settings| {
            settings.prepare.push((
                "the build files are written in Python 2".to_owned(),
                "find . -type f \\( -name SConstruct -o -name SConscript -o -name 'SCons*' -o -name wscript -o -name '*.py' \\) \\\n    \
                 -exec python3 -m lib2to3 --write --nobackups --no-diffs {} +"
                    .to_owned(),
            ));
        },
    },
    Rule {
        id: "platform-linux",
        class: Options,
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
        class: Options,
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
        class: Options,
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
        class: Options,
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
        class: Options,
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
        class: Options,
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
        class: Downloads,
        what: "let Meson fetch what the project carries as wraps",
        why: "a dependency is in no package",
        rank: Rank::After,
        phases: &[Configuring],
        systems: &[Meson],
        when: log(r"(?i)automatic wrap-based|wrap.*nodownload|Subproject \S+ (?:is required|not found)|wrap-mode"),
        change: |settings| add(&mut settings.dropped, "--wrap-mode=nodownload"),
    },
    Rule {
        id: "serial",
        class: Parallelism,
        what: "build with one job",
        why: "a file was used before it was made, as happens with rules that name not all they need",
        rank: Rank::After,
        phases: &[Build],
        systems: &[],
        when: log(
            r"(?:config|version|generated|\.tab|\.pb|ui_\w+|moc_\w+)\S*\.h(?:pp)?: No such file|\.(?:o|lo|a|la|[ly])\W*:? (?:No such file|not found)|No rule to make target|file not recognized|cannot (?:open|stat|create)|File format not recognized|jobserver|cannot open output file|file truncated|Bus error|Text file busy",
        ),
        change: |settings| settings.serial = true,
    },
    Rule {
        id: "in-tree-guess",
        class: Generated,
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
