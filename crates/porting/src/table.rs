//! What porters know: how a failure shows in a log, what it means, what mends it. A row's function looks into the package
//! and writes the edits.

use std::sync::LazyLock;

use regex::Regex;
use seatrial_diagnosis::{Kind, Problem};
use serde::Serialize;

use crate::{
    Failure, Repair, State, added, arches, assembly, autotools, calls,
    case::{Case, Line},
    depends, flags, headers, lists, pages, paths, ports, symbols, untested,
};

/// A line of the log that a row is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sign {
    pub(crate) line: u64,
    pub(crate) text: String,
    /// What it names: the problem's subject, or what the row's pattern took out of the line.
    names: Vec<String>,
}

impl Sign {
    fn of(problem: &Problem) -> Self {
        Self {
            line: problem.line,
            text: problem.text.trim().to_owned(),
            names: vec![problem.subject.clone()],
        }
    }

    /// A reason with the line that it is read from.
    pub(crate) fn quote(&self, reason: &str) -> String {
        let mut text = self.text.clone();
        if let Some((end, _)) = text.char_indices().nth(300) {
            text.truncate(end);
            text.push_str("...");
        }
        format!("line {} of the log says: {text}\n{reason}", self.line)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str).filter(|name| !name.is_empty())
    }

    /// The source file and its line that the line is about.
    pub(crate) fn place(&self) -> Option<(&str, usize)> {
        let (file, rest) = self.text.split_once(':')?;
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let line = rest.get(..digits)?.parse().ok()?;
        (!file.contains(char::is_whitespace)).then_some((file, line))
    }
}

/// A row of what porters know.
pub(crate) struct Row {
    name: &'static str,
    topics: &'static [&'static str],
    /// The sign for a person.
    sign: &'static str,
    meaning: &'static str,
    repairs: &'static [&'static str],
    /// Kinds of problems that are a sign of it.
    kinds: &'static [Kind],
    /// Lines that are a sign of it; none when empty.
    pattern: &'static str,
    /// How the rebuild ended, for rows that are about that.
    states: &'static [State],
    find: fn(&Case<'_>, &[Sign]) -> Vec<Repair>,
}

/// A row of what porters know, for reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Knowledge {
    /// Its name.
    pub name: &'static str,
    /// Words to find it by.
    pub topics: &'static [&'static str],
    /// How it shows in a log.
    pub sign: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// What mends it, the best first.
    pub repairs: &'static [&'static str],
}

/// Only so many lines of a log are a sign of one thing.
const MOST_SIGNS: usize = 200;
/// What a row is worth less when nothing but a line says so, and the cause is another.
const ASIDE: u8 = 15;

/// The repairs that may help, the best first. The same failure has the same answer each time.
pub fn candidates(failure: &Failure<'_>) -> Vec<Repair> {
    let case = Case::new(failure);
    let mut found: Vec<(u8, usize, Repair)> = Vec::new();
    for (at, (row, pattern)) in ROWS.iter().zip(PATTERNS.iter()).enumerate() {
        let (signs, is_cause) = signs(&case, row, pattern.as_ref());
        let by_state = row.states.contains(failure.state);
        if signs.is_empty() && !by_state {
            continue;
        }
        for mut repair in (row.find)(&case, &signs) {
            if !is_cause && !by_state {
                repair.confidence = repair.confidence.saturating_sub(ASIDE);
            }
            found.push((repair.confidence, at, repair));
        }
    }
    found.sort_by(|one, other| (other.0, one.1).cmp(&(one.0, other.1)));
    let mut repairs: Vec<Repair> = Vec::new();
    for (_, _, repair) in found {
        if !repairs.iter().any(|known| known.edits == repair.edits) {
            repairs.push(repair);
        }
    }
    repairs
}

/// The lines that are signs of a row, those of the diagnosis first, and whether the cause is among them.
fn signs(case: &Case<'_>, row: &Row, pattern: Option<&Regex>) -> (Vec<Sign>, bool) {
    let diagnosis = case.failure.diagnosis;
    let mut signs: Vec<Sign> = Vec::new();
    let is_own = |problem: &&Problem| row.kinds.contains(&problem.kind);
    let cause = diagnosis.cause.iter().find(is_own);
    signs.extend(cause.map(Sign::of));
    signs.extend(diagnosis.missing.iter().filter(is_own).map(Sign::of));
    let mut is_cause = cause.is_some();
    if let Some(pattern) = pattern {
        for Line { number, text } in &case.lines {
            if signs.len() >= MOST_SIGNS {
                break;
            }
            let Some(groups) = pattern.captures(text) else { continue };
            is_cause |= diagnosis
                .cause
                .as_ref()
                .is_none_or(|cause| (cause.span.0..=cause.span.1.max(cause.line)).contains(number));
            let names = groups
                .iter()
                .skip(1)
                .flatten()
                .map(|group| group.as_str().to_owned())
                .collect();
            match signs.iter_mut().find(|sign| sign.line == *number) {
                Some(sign) => sign.names.extend::<Vec<String>>(names),
                None => signs.push(Sign {
                    line: *number,
                    text: text.trim().to_owned(),
                    names,
                }),
            }
        }
    }
    (signs, is_cause)
}

/// The rows about a topic: a word of a row's topics or name, or a line of a log that is a sign of it. Every row for an empty
/// one.
pub fn lookup(topic: &str) -> Vec<Knowledge> {
    let wanted = topic.trim().to_lowercase();
    let words: Vec<&str> = wanted
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|word| word.len() > 1)
        .collect();
    ROWS.iter()
        .zip(PATTERNS.iter())
        .filter(|(row, pattern)| {
            wanted.is_empty()
                || row.name == wanted
                || words.iter().any(|word| row.topics.contains(word))
                || pattern.as_ref().is_some_and(|pattern| pattern.is_match(topic))
        })
        .map(|(row, _)| Knowledge {
            name: row.name,
            topics: row.topics,
            sign: row.sign,
            meaning: row.meaning,
            repairs: row.repairs,
        })
        .collect()
}

/// Whether a sign is about a header of the machine itself, not of its vector unit.
fn is_of_machine(sign: &Sign) -> bool {
    sign.names()
        .any(|name| matches!(name, "cpuid.h" | "mm_malloc.h") || name.starts_with("sys/") || name.starts_with("asm/"))
}

static PATTERNS: LazyLock<Vec<Option<Regex>>> = LazyLock::new(|| {
    let compile = |row: &Row| {
        (!row.pattern.is_empty())
            .then(|| Regex::new(row.pattern).ok())
            .flatten()
    };
    ROWS.iter().map(compile).collect()
});

static ROWS: &[Row] = &[
    Row {
        name: "architecture-list",
        topics: &["architecture", "exclusivearch", "excludearch", "excluded", "list"],
        sign: "the state `excluded`; `current host architecture 'X' does not appear in package's list`; `Architecture is not included`",
        meaning: "The recipe lists the architectures that it is built for, and the target is not among them. Often nobody tried.",
        repairs: &[
            "add the target to Architecture, or to ExclusiveArch; take it out of ExcludeArch",
            "Architecture: any; no list",
        ],
        kinds: &[Kind::ExcludedArchitecture],
        pattern: "",
        states: &[State::Excluded],
        find: arches::allow,
    },
    Row {
        name: "unresolvable",
        topics: &["dependency", "unresolvable", "multilib", "renamed"],
        sign: "the state `unresolvable`; `nothing provides X`; `Depends: X but it is not installable`",
        meaning: "A build dependency is not there on the target: it exists elsewhere only (compilers for the sister machine, \
                  libraries of one processor), or has another name there.",
        repairs: &[
            "restrict the dependency to the architectures that have it, such as `gcc-multilib [amd64 i386]`",
            "name the package that has it today",
            "build without it",
        ],
        kinds: &[Kind::MissingPackage],
        pattern: r"nothing provides ([\w.+-]+)|Depends: ([\w.+-]+)(?: \([^)]*\))? but it is not (?:installable|going)",
        states: &[State::Unresolvable],
        find: depends::unresolvable,
    },
    Row {
        name: "restricted-dependency",
        topics: &["dependency", "missing", "header", "restricted"],
        sign: "a header, program or library is missing on the target only",
        meaning: "A build dependency is restricted to other architectures (`[amd64]`, `%ifarch x86_64`), or comes along by chance \
                  elsewhere and is not named.",
        repairs: &[
            "add the target to the restriction",
            "name the package among the build dependencies",
        ],
        kinds: &[
            Kind::MissingHeader,
            Kind::MissingPkgConfig,
            Kind::MissingCMake,
            Kind::MissingLibrary,
            Kind::MissingSharedObject,
            Kind::MissingCommand,
            Kind::MissingMacro,
            Kind::MissingPython,
            Kind::MissingPerl,
            Kind::MissingFile,
        ],
        pattern: "",
        states: &[],
        find: depends::missing,
    },
    Row {
        name: "foreign-flag",
        topics: &["flag", "-m64", "-msse", "-march", "-mtune", "cflags", "option"],
        sign: "`unrecognized command-line option '-msse2'`; `unknown value 'core2' for '-march'`; `bits/libc-header-start.h: No such file` (-m64 or -m32)",
        meaning: "A build file gives every compiler a flag of one processor.",
        repairs: &[
            "give it on that processor only: `$(filter ...)` in makefiles and debian/rules, `%ifarch` in a spec, \
             CMAKE_SYSTEM_PROCESSOR, host_machine in meson",
            "leave it out",
        ],
        kinds: &[Kind::ForeignFlag],
        pattern: r"(?:unrecognized command[- ]line option|unsupported option|unknown argument:?|unrecognized argument in option|option) '(-m[\w.+=-]+)'|fatal error: (?:bits/(?:libc-header-start|wordsize|c\+\+config)|gnu/stubs-\w+|sys/cdefs|asm/errno)\.h|cannot find S?crt[1i]\.o|skipping incompatible \S+ when searching for -lgcc",
        states: &[],
        find: flags::repairs,
    },
    Row {
        name: "stale-config-guess",
        topics: &["config.guess", "config.sub", "autotools", "libtool", "autoreconf"],
        sign: "`config.guess: unable to guess system type`; `config.sub: machine 'aarch64' not recognized`; `cannot guess build type`",
        meaning: "The project ships files of Autotools that are older than the architecture.",
        repairs: &[
            "copy the distribution's config.guess and config.sub before configuring",
            "autoreconf -fi (libtool too)",
        ],
        kinds: &[Kind::StaleAutotools],
        pattern: r"config\.guess.*unable to guess|unable to guess system type|config\.sub.*(?:not recognized|invalid configuration)|(?:machine|system) '[^']+' not recognized|Invalid configuration '[^']+'|cannot guess (?:build|host) type|libtool: .*unrecognised|don't know how to (?:build|link) shared librar",
        states: &[],
        find: autotools::repairs,
    },
    Row {
        name: "foreign-header",
        topics: &["header", "sys/io.h", "asm/io.h", "cpuid.h", "ioperm", "inb", "outb"],
        sign: "`sys/io.h: No such file or directory`; `cpuid.h: No such file or directory`",
        meaning: "A header of one family of processors: ports of the machine, CPUID. Elsewhere there are no such things.",
        repairs: &["include it on its own processors only; ports answer ENOSYS, CPUID reports nothing"],
        kinds: &[Kind::ForeignHeader, Kind::MissingHeader],
        pattern: r"fatal error: ((?:sys|asm)/(?:io|perm|vm86|ldt|msr)\.h|cpuid\.h|mm_malloc\.h)",
        states: &[],
        find: |case, signs| {
            let own: Vec<Sign> = signs.iter().filter(|sign| is_of_machine(sign)).cloned().collect();
            ports::repairs(case, &own)
        },
    },
    Row {
        name: "vector-instructions",
        topics: &[
            "sse",
            "avx",
            "neon",
            "intrinsics",
            "simd",
            "simde",
            "emmintrin.h",
            "immintrin.h",
            "arm_neon.h",
            "vector",
        ],
        sign: "`emmintrin.h: No such file or directory`; `unknown type name '__m128i'`; `target specific option mismatch`",
        meaning: "The source uses vector instructions of one processor by name.",
        repairs: &[
            "take the scalar path that the source has, by the right condition",
            "simde: the same names in portable C (libsimde-dev, simde-devel, or SIMDe's headers)",
            "on a processor of the family: turn the instructions on, which raises what the package needs",
        ],
        kinds: &[Kind::ForeignIntrinsic, Kind::ForeignHeader],
        pattern: r"fatal error: (\w*mmintrin\.h|immintrin\.h|x86intrin\.h|arm_neon\.h)|unknown type name '(__m(?:128|256|512|64)[id]?)'|(target specific option mismatch)|SSE\d* instruction set not enabled",
        states: &[],
        find: |case, signs| {
            let own: Vec<Sign> = signs.iter().filter(|sign| !is_of_machine(sign)).cloned().collect();
            headers::repairs(case, &own)
        },
    },
    Row {
        name: "foreign-assembly",
        topics: &[
            "assembly", "asm", "inline", "rdtsc", "cpuid", "pause", "bswap", "register",
        ],
        sign: "`impossible constraint in 'asm'`; `unknown register name 'eax' in 'asm'`; `Error: unknown mnemonic 'cpuid'`",
        meaning: "Assembly of one processor, not under a condition.",
        repairs: &[
            "keep it on its processor; elsewhere the same in C: a clock for rdtsc, __builtin_bswap, __atomic builtins, nothing for pause, \
             no features for cpuid",
            "where nothing stands in for it, the package is for that processor",
        ],
        kinds: &[Kind::ForeignAssembly],
        pattern: r"impossible constraint in 'asm'|unknown register name '?(%?\w+)'? in '?asm|(?:invalid|inconsistent) [\w ]*(?:constraint|operand)[^']*(?:in|an) '?asm|Error: (?:unknown mnemonic|bad instruction|unrecognized opcode|no such instruction:?|invalid instruction suffix for|bad register name) '(\S+?)'",
        states: &[],
        find: assembly::repairs,
    },
    Row {
        name: "atomic",
        topics: &["atomic", "libatomic", "-latomic", "undefined"],
        sign: "`undefined reference to '__atomic_load_8'`",
        meaning: "The processor has no instruction for atomic operations of that size; they are functions of libatomic.",
        repairs: &["link with -latomic"],
        kinds: &[],
        pattern: r"undefined reference to '(__atomic_\w+)'|undefined symbol: (__atomic_\w+)",
        states: &[],
        find: added::atomic,
    },
    Row {
        name: "signed-char",
        topics: &[
            "char",
            "signed",
            "unsigned",
            "-fsigned-char",
            "narrowing",
            "getopt",
            "eof",
        ],
        sign: "`narrowing conversion of '-1' from 'int' to 'char'`; `comparison is always false due to limited range of data type`",
        meaning: "Plain char has a sign on Intel's processors and none on Arm's, POWER, S/390 and RISC-V.",
        repairs: &[
            "compile with -fsigned-char",
            "say `signed char`, or int for what getc and getopt return",
        ],
        kinds: &[],
        pattern: r"narrowing conversion of '-\d+' from '[\w ]+' to 'char'|cannot be narrowed to type 'char'|comparison is always (?:true|false) due to limited range of data type",
        states: &[],
        find: added::signed_char,
    },
    Row {
        name: "suspected-char",
        topics: &["char", "test"],
        sign: "a test fails on the target only, and the sources hold -1 or EOF in a plain char",
        meaning: "The same, seen when it runs instead of when it is compiled: a loop does not end, a number is 255 instead of -1.",
        repairs: &["compile with -fsigned-char"],
        kinds: &[Kind::TestFailed, Kind::TestCrashed, Kind::TestTimeout],
        pattern: "",
        states: &[],
        find: added::suspected_char,
    },
    Row {
        name: "position-independent",
        topics: &["-fpic", "pic", "relocation", "shared"],
        sign: "`relocation R_AARCH64_ADR_PREL_PG_HI21 ... can not be used when making a shared object; recompile with -fPIC`",
        meaning: "Objects of a shared library that were not compiled for one; some processors' linkers let it pass.",
        repairs: &["compile with -fPIC"],
        kinds: &[Kind::NotPositionIndependent],
        pattern: r"recompile with -fPIC|can not be used when making a (?:shared|PIE) object",
        states: &[],
        find: added::position,
    },
    Row {
        name: "source-list",
        topics: &[
            "#error",
            "architecture",
            "endian",
            "byte",
            "order",
            "unsupported",
            "uname",
            "list",
        ],
        sign: "`#error \"unsupported architecture\"`; `*** Unsupported architecture aarch64`; `configure: error: unknown CPU`",
        meaning: "The source or a build file lists the architectures (or orders of bytes) that its author knew.",
        repairs: &[
            "give the target the branch of the architecture that is most like it: word length, order of bytes",
            "take the order of bytes from __BYTE_ORDER__",
        ],
        kinds: &[Kind::UnsupportedArchitecture, Kind::ErrorDirective],
        pattern: r"error: #error|(?i:un(?:supported|known|recogni[sz]ed) (?:arch(?:itecture)?|cpu|platform|processor|host|target|machine))",
        states: &[],
        find: lists::repairs,
    },
    Row {
        name: "page-size",
        topics: &["page", "page_size", "sysconf", "mmap", "65536", "4096"],
        sign: "`'PAGE_SIZE' undeclared`; `mmap: Invalid argument`; `Unsupported system page size`",
        meaning: "Pages have 4096 bytes on Intel's processors and 65536 on some others; headers of those have no constant.",
        repairs: &["sysconf(_SC_PAGESIZE); 65536 where a constant is needed"],
        kinds: &[],
        pattern: r"error: (?:use of undeclared identifier )?'(PAGE_SIZE|PAGE_SHIFT|PAGE_MASK|PAGESIZE|EXEC_PAGESIZE)'|(?:mmap|mprotect|munmap)[^\n]*Invalid argument|nsupported system page size",
        states: &[],
        find: pages::repairs,
    },
    Row {
        name: "system-call",
        topics: &["syscall", "sys_open", "__nr_open", "openat"],
        sign: "`'SYS_open' undeclared`; `'__NR_epoll_wait' undeclared`",
        meaning: "Newer architectures have only the later form of many system calls.",
        repairs: &[
            "openat, mkdirat, unlinkat, dup3, pipe2, epoll_pwait ... with the arguments that make them the old call",
        ],
        kinds: &[Kind::ForeignSyscall],
        pattern: r"'((?:SYS|__NR)_\w+)' (?:undeclared|was not declared)",
        states: &[],
        find: calls::system_calls,
    },
    Row {
        name: "signal-registers",
        topics: &["ucontext", "gregs", "reg_rip", "registers", "mcontext"],
        sign: "`has no member named 'gregs'`; `'REG_RIP' undeclared`",
        meaning: "A signal's context holds the registers under the names of the processor.",
        repairs: &["pc, sp and regs[29] on aarch64 for REG_RIP, REG_RSP and REG_RBP"],
        kinds: &[Kind::ForeignRegister],
        pattern: "",
        states: &[],
        find: calls::registers,
    },
    Row {
        name: "symbols-file",
        topics: &["symbols", "dpkg-gensymbols", "abi", "library"],
        sign: "`dpkg-gensymbols: error: some symbols or patterns disappeared in the symbols file`",
        meaning: "A library has other symbols on the target (a type has another size, a function is for one processor), and \
                  debian/*.symbols says that all architectures have the same.",
        repairs: &[
            "tags: `(arch=!arm64)symbol`, `(arch=arm64)symbol`",
            "dh_makeshlibs -- -c0 (marked: it lowers a check)",
        ],
        kinds: &[],
        pattern: r"dpkg-gensymbols: error: some symbols or patterns disappeared|dpkg-gensymbols: warning: \S+ doesn't match completely",
        states: &[],
        find: symbols::repairs,
    },
    Row {
        name: "library-path",
        topics: &[
            "path",
            "lib64",
            "multiarch",
            "x86_64-linux-gnu",
            "install",
            "files",
            "libdir",
        ],
        sign: "a path with `x86_64-linux-gnu` or `lib64` is not there; `dh_install: missing files`; `File not found: .../usr/lib64/...`",
        meaning: "A recipe or build file names the folder of another architecture's libraries.",
        repairs: &[
            "a star in debian/*.install, $(DEB_HOST_MULTIARCH) in debian/rules, %{_libdir} in a spec",
            "`cc -print-multiarch` in makefiles and scripts, ${CMAKE_LIBRARY_ARCHITECTURE} in CMake",
        ],
        kinds: &[Kind::FileList],
        pattern: r"(?:(?i:no such file|not found|missing files?|cannot find|can't find|No rule to make target|cannot stat|skipping incompatible|does not exist)[^\n]*(?:/lib64\b|/lib/\w+-linux-gnu|/\w+-linux-gnu/|x86_64|aarch64)|(?:/lib64\b|\w+-linux-gnu\w*/|x86_64)[^\n]*(?i:no such file|not found|missing|does not exist|cannot find))",
        states: &[],
        find: paths::repairs,
    },
    Row {
        name: "failing-test",
        topics: &["test", "check", "skip", "tolerance", "long", "double"],
        sign: "a test fails on the target only",
        meaning: "The test found a fault of the package on this architecture, or takes something for given: the digits of a \
                  floating-point number (long double has 64 bits of precision on Intel's, 113 on Arm's 64-bit processors; fused \
                  multiplication rounds once), addresses, times.",
        repairs: &[
            "mend the cause",
            "leave the one test out on the target, with the reason (marked: it removes a test)",
        ],
        kinds: &[Kind::TestFailed, Kind::TestCrashed, Kind::TestTimeout],
        pattern: "",
        states: &[],
        find: untested::repairs,
    },
    Row {
        name: "another-processor",
        topics: &["exclude", "architecture"],
        sign: "assembly, registers or instructions of another processor that nothing stands in for",
        meaning: "Some packages are about one processor: they read its registers or emulate its firmware.",
        repairs: &["leave the architecture out of the recipe's list (marked: it removes an architecture)"],
        kinds: &[
            Kind::ForeignAssembly,
            Kind::ForeignRegister,
            Kind::ForeignHeader,
            Kind::UnsupportedArchitecture,
        ],
        pattern: "",
        states: &[],
        find: arches::exclude,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_can_be_found_and_its_pattern_is_one() {
        for (row, pattern) in ROWS.iter().zip(PATTERNS.iter()) {
            assert_eq!(pattern.is_some(), !row.pattern.is_empty(), "{}", row.name);
            assert!(
                !row.kinds.is_empty() || !row.pattern.is_empty() || !row.states.is_empty(),
                "{}",
                row.name
            );
            for topic in row.topics.iter().chain([&row.name]) {
                assert!(lookup(topic).iter().any(|found| found.name == row.name), "{topic}");
            }
        }
        assert_eq!(lookup("").len(), ROWS.len());
        assert!(lookup("no such thing").is_empty());
        let by_line = lookup("a.o: undefined reference to '__atomic_load_16'");
        assert_eq!(by_line.first().map(|row| row.name), Some("atomic"));
    }
}
