//! Signatures of what belongs to another machine: flags, headers, intrinsics, assembly, system calls, registers, and what
//! code takes for given of its own.

use super::{
    Row,
    Subject::{BaseName, By, Fixed},
    Weight::{Build, Configure},
    row,
};
use crate::{
    Class,
    FlagsOf::{COrCxx, Cxx},
    Kind, Remedy,
    cure::Cure::{AddFlags, Clean, Disable, DropFlag, EditSource, Provide, ProvideOther, RefreshConfigGuess},
};

/// Flags of one family of processors.
macro_rules! processor_flags {
    () => {
        r"-m(?:64|32|16|x32|iamcu|no-)?(?:sse\S*|ssse3|avx\S*|fma4?|f16c|bmi2?|aes|vaes|pclmul|vpclmulqdq|popcnt|lzcnt|abm|adx|mmx|3dnow\S*|fpmath=\S*|no-red-zone|red-zone|stackrealign|sha|rdrnd|rdseed|movbe|xsave\S*|cx16|sahf|tbm|xop|lwp|gfni|sgx|prfchw|clflushopt|fsgsbase|accumulate-outgoing-args|preferred-stack-boundary=\S*|incoming-stack-boundary=\S*|omit-leaf-frame-pointer|tls-direct-seg-refs|long-double-\S*|align-double|push-args|regparm=\S*|rtd|indirect-branch\S*|function-return=\S*|fentry|asm=\S*|mitigate-rop|shstk|fpu=\S*|float-abi=\S*|thumb\S*|arm|outline-atomics|branch-protection=\S*|sign-return-address\S*|fix-cortex\S*|general-regs-only|strict-align|unaligned-access|abi=\S*|cpu=\S*|neon\S*|apcs\S*|tune=\S*|arch=\S*|altivec|vsx|power\d*\S*|cmodel=\S*|long-calls|hard-float|soft-float|isel|tp=\S*|big-endian|little-endian|sve\S*|lsx|lasx|dsp|mips\S*|nan=\S*|plt|zarch|explicit-relocs|relax|riscv\S*|save-restore)"
    };
}

/// The flag `-march=` or its like with its value, which stand in this order: value, flag.
fn value_and_flag(groups: &[String]) -> Vec<(Kind, String)> {
    match groups {
        [value, flag, ..] => vec![(Kind::ForeignFlag, format!("{}={value}", flag.trim_end_matches('=')))],
        [flag] => vec![(Kind::ForeignFlag, flag.clone())],
        [] => Vec::new(),
    }
}

/// A flag as a whole, a value of `-march=`, or a value with its flag.
fn march(groups: &[String]) -> Vec<(Kind, String)> {
    let flag = match groups {
        [value, flag, ..] => format!("{flag}{value}"),
        [flag] if flag.starts_with('-') => flag.clone(),
        [value] => format!("-march={value}"),
        [] => return Vec::new(),
    };
    vec![(Kind::ForeignFlag, flag)]
}

/// The flag of a code model.
fn model(groups: &[String]) -> Vec<(Kind, String)> {
    groups
        .first()
        .map(|model| vec![(Kind::ForeignFlag, format!("-mcmodel={model}"))])
        .unwrap_or_default()
}

/// An instruction that stands below the message: `error` and the instruction.
fn second_instruction(groups: &[String]) -> Vec<(Kind, String)> {
    groups
        .get(1)
        .map(|name| vec![(Kind::ForeignAssembly, name.clone())])
        .unwrap_or_default()
}

/// The processor that a message is about, where it names one.
fn architecture(groups: &[String]) -> Vec<(Kind, String)> {
    const NAMES: [&str; 16] = [
        "aarch64",
        "arm64",
        "armv7",
        "armhf",
        "x86_64",
        "amd64",
        "i386",
        "i686",
        "riscv64",
        "ppc64le",
        "ppc64",
        "s390x",
        "loongarch64",
        "mips64",
        "sparc64",
        "powerpc",
    ];
    let text = groups.first().map(|text| text.to_lowercase()).unwrap_or_default();
    let name = NAMES.iter().find(|name| text.contains(**name)).unwrap_or(&"");
    vec![(Kind::UnsupportedArchitecture, (*name).to_owned())]
}

/// The flag that turns an intrinsic on, by the beginning of its name.
fn intrinsic_cures(_: Kind, subject: &str, groups: &[String]) -> Vec<Remedy> {
    let feature = groups.get(1).map(String::as_str);
    let flag = match feature {
        Some(feature) if subject.starts_with('v') => format!("-march=armv8-a+{feature}"),
        Some(feature) => format!("-m{feature}"),
        None if subject.starts_with("_mm512") => "-mavx512f".to_owned(),
        None if subject.starts_with("_mm256") => "-mavx2".to_owned(),
        None if subject.contains("aes") && subject.starts_with("_mm") => "-maes".to_owned(),
        None if subject.contains("clmul") => "-mpclmul".to_owned(),
        None if subject.contains("crc32") && subject.starts_with("_mm") => "-msse4.2".to_owned(),
        None if subject.contains("shuffle_epi8") || subject.contains("hadd") || subject.contains("_abs_") => {
            "-mssse3".to_owned()
        }
        None if subject.starts_with("_mm") => "-msse4.1".to_owned(),
        None if subject.contains("aes") || subject.contains("sha") => "-march=armv8-a+crypto".to_owned(),
        None if subject.contains("crc32") => "-march=armv8-a+crc".to_owned(),
        None if subject.contains("dot") => "-march=armv8.2-a+dotprod".to_owned(),
        None => return vec![disable_vectors()],
    };
    vec![
        Remedy::AddFlags {
            to: COrCxx,
            flags: vec![flag],
        },
        disable_vectors(),
    ]
}

fn disable_vectors() -> Remedy {
    Remedy::Disable {
        part: "vector instructions".to_owned(),
    }
}

pub(super) static ROWS: &[Row] = &[
    // Flags.
    row("foreign-flag", Kind::ForeignFlag, Build, concat!(r"error: (?:unrecognized command[- ]line option|unsupported option|unknown argument:?|unrecognized argument in option) '(", processor_flags!(), r"|-m(?:64|32|16|x32|arm|thumb))'")),
    row("foreign-flag-target", Kind::ForeignFlag, Build, r"error: (?:unsupported option '([^']+)' for target|'([^']+)' is not supported for this target)"),
    row("foreign-flag-value", Kind::ForeignFlag, Build, r"error: (?:unknown value|bad value) \(?'?([\w.+-]+)'?\)? for '?(-m(?:arch|cpu|tune|abi|fpu|float-abi)=?)").subject(By(value_and_flag)).remedies(&[DropFlag("{}")]),
    row("foreign-flag-march", Kind::ForeignFlag, Build, r"error: '(-m(?:arch|cpu|tune)=[^']+)': ISA string|error: unknown target CPU '([\w.+-]+)'|error: unsupported argument '([^']+)' to option '(-m\w[\w-]*=)'").subject(By(march)).remedies(&[DropFlag("{}")]),
    row("foreign-flag-model", Kind::ForeignFlag, Build, r"(?:error|sorry, unimplemented): code model '(\w+)' with '-f").subject(By(model)).remedies(&[DropFlag("{}")]),
    row("foreign-flag-cpu", Kind::ForeignFlag, Build, r"error: CPU you selected does not support (\S+ instruction set)|error: (?:'-m\w+' )?(?:requires|is not compatible with) (?:a )?64-bit").remedies(&[DropFlag("-m64")]),
    // Headers.
    row("foreign-header", Kind::ForeignHeader, Build, r"fatal error: '?((?:[a-z]mm|x86|imm|amm|fma4?|bmi2?|lzcnt|popcnt|ia32|wmm|nmm|tmm|pmm|smm|emm|xmm|avx\w*|zmm)intrin\.h|mm_malloc\.h|cpuid\.h|mm3dnow\.h|arm_(?:neon|acle|sve|sme|fp16|bf16|mve)\.h|altivec\.h|vecintrin\.h|msa\.h|lsxintrin\.h|lasxintrin\.h|riscv_vector\.h|asm/hwcap\.h|sys/(?:io|perm|vm86|auxv_arm)\.h|asm/(?:vm86|ldt|prctl|msr|processor-flags)\.h|quadmath\.h|intrin\.h)'?(?:: No such file| file not found)").remedies(&[Disable("vector instructions"), ProvideOther("header", "simde/x86/sse2.h")]),
    row("foreign-header-refuses", Kind::ForeignHeader, Build, r#"^\S*/([\w.]+\.h):\d+:\d+: error: (?:#error )?"?(?:This header is only meant to be used on|this header is for x86 only|NEON intrinsics not available|ACLE intrinsics support not enabled|SVE support not enabled|SSE\S* instruction set not enabled|\w+ instruction set not enabled)"#).remedies(&[Disable("vector instructions")]),
    row("foreign-header-types", Kind::ForeignHeader, Build, r"^\S*/(arm_\w+\.h):\d+:\d+: error: unknown type name '__\w+'").remedies(&[Disable("vector instructions")]),
    // Intrinsics.
    row("intrinsic-option", Kind::ForeignIntrinsic, Build, r"error: inlining failed in call to '?(?:'always_inline')?'? ?'(?:[\w: *]+ )?(\w+)(?:\([^']*\))?'[^\n]*: target specific option mismatch").remedies_by(intrinsic_cures),
    row("intrinsic-feature", Kind::ForeignIntrinsic, Build, r"error: (?:always_inline function )?'(\w+)' requires target feature '([^']+)'|error: '(\w+)' needs target feature (\S+)").remedies_by(intrinsic_cures),
    row("intrinsic", Kind::ForeignIntrinsic, Build, r"error: (?:use of unknown builtin |use of undeclared identifier |unknown type name |call to undeclared function |implicit declaration of function )?'(__builtin_ia32_\w+|_mm\d*_\w+|__m(?:64|128|256|512)[id]?|__rdtscp?|_rdtscp?|__cpuid(?:ex|_count)?|_xgetbv|__builtin_(?:aarch64|arm|neon|altivec|msa)_\w+|v(?:ld|st|add|sub|mul|mla|max|min|dup|get|set|and|orr|eor|shl|shr|mov|rev|ext|zip|trn|tbl|ceq|cgt|cvt|reinterpret|create|combine|abs|neg|bsl|pad|qadd|qmov)\w*q?_[usfpn]\d+|(?:u?int|float|poly)(?:8|16|32|64)x\d+(?:x\d)?_t|sv\w+_[usf]\d+_[mxz])'").remedies(&[Disable("vector instructions"), ProvideOther("header", "simde/x86/sse2.h")]),
    // Assembly.
    row("assembly-constraint", Kind::ForeignAssembly, Build, r"error: (impossible constraint) in 'asm'|error: invalid (?:output|input) constraint '([^']+)' in asm|error: (inconsistent operand constraints) in an 'asm'").remedies(&[Disable("assembly")]),
    row("assembly-operand", Kind::ForeignAssembly, Build, r"error: (?:'asm' operand has (impossible constraints)|invalid 'asm': (\S[^\n]*))").remedies(&[Disable("assembly")]),
    row("assembly-register", Kind::ForeignAssembly, Build, r"error: unknown register name '(%?\w+)' in '?asm'?|error: invalid register name for '(\w+)'|Error: bad register name '(%?\w+)'|Error: bad expression|error: invalid register name in '?asm").remedies(&[Disable("assembly")]),
    row("assembly-mnemonic-clang", Kind::ForeignAssembly, Build, r"(error): unrecognized instruction mnemonic[^\n]*\n(?:[^\n]*\n){0,4}?[^\n]*<inline asm>[^\n]*\n +(?:\d+ \|)?\s*(\w+)").with_next(5).marks(&["unrecognized instruction mnemonic"]).subject(By(second_instruction)).remedies(&[Disable("assembly")]),
    row("assembly-mnemonic-plain", Kind::ForeignAssembly, Build, r"error: unrecognized instruction mnemonic").subject(Fixed("")).remedies(&[Disable("assembly")]),
    row("assembly-mnemonic", Kind::ForeignAssembly, Build, r"(?:Error|error): (?:unknown mnemonic|no such instruction:|bad instruction|unrecognized opcode:?|unrecognized instruction:?|invalid instruction mnemonic|[Ii]llegal instruction|opcode not supported on this processor:?|selected processor does not support) '?\.?([\w.]+)").remedies(&[Disable("assembly")]),
    row("assembly-suffix", Kind::ForeignAssembly, Build, r"Error: (?:invalid instruction suffix for|operand type mismatch for|operand size mismatch for|incorrect register '[^']*' used with|'[^']+' is not supported in 64-bit mode) ?'?(\w+)").remedies(&[Disable("assembly")]),
    row("assembly-directive", Kind::ForeignAssembly, Build, r"Error: (?:no such architecture: '(\w+)'|unknown pseudo-op: '(\.\w+)'|unknown architecture '?([\w-]+)|junk at end of line, first unrecognized character is '([^']*)')").remedies(&[Disable("assembly")]).confidence(70),
    // System calls and registers.
    row("syscall", Kind::ForeignSyscall, Build, r"error: (?:use of undeclared identifier )?'((?:SYS|__NR|__ARM_NR|NR)_[a-z_]\w*)'").remedies(&[EditSource("use the call of today that stands in for `{}`, such as openat, newfstatat, clone, pipe2, epoll_pwait, dup3")]),
    row("syscall-go", Kind::ForeignSyscall, Build, r"undefined: (?:syscall|unix)\.(SYS_\w+|Dup2|Stat_t|Select)").remedies(&[EditSource("use the call that this architecture has, such as Dup3 for Dup2")]),
    row("register", Kind::ForeignRegister, Build, r"error: [^\n]*no member named '(gregs|rip|eip|orig_rax|orig_eax|rsp|esp|rax|eax|rbp|ebp|uc_regs|pc|sp|regs|arm_pc|arm_sp|arm_lr|arm_fp|arm_r\d+|fault_address|fpregs|mc_rip|__rip|__gregs|psw|gp_regs|__ss|pstate|trapno)'").unless(r"'(?:std::|Q|class )|no member named 'pc' in '[A-Z]"),
    row("register-constant", Kind::ForeignRegister, Build, r"error: (?:use of undeclared identifier )?'(REG_(?:RIP|EIP|RSP|ESP|RBP|EBP|RAX|EAX|R\d+|ERR|TRAPNO|CR2|EFL|UESP|PC|SP)|PTRACE_(?:GET|SET)(?:FP|FPX)?REGS|ORIG_RAX|ORIG_EAX|PTRACE_ARCH_PRCTL|ARCH_(?:SET|GET)_[FG]S)'"),
    // What code takes for given.
    row("char-sign", Kind::DataModel, Build, r"error: (?:narrowing conversion of '(-\d+)' from '[\w ]+' to 'char'|constant expression evaluates to (-\d+) which cannot be narrowed to type 'char'|case value evaluates to (-\d+), which cannot be narrowed to type 'char')").subject(Fixed("char")).remedies(&[AddFlags(COrCxx, &["-fsigned-char"])]),
    row("char-range", Kind::DataModel, Build, r"error: comparison is always (?:true|false) due to limited range of data type|error: result of comparison of constant -\d+ with expression of type 'char' is always").subject(Fixed("char")).remedies(&[AddFlags(COrCxx, &["-fsigned-char"]), AddFlags(COrCxx, &["-Wno-error=type-limits"])]),
    row("pointer-size", Kind::DataModel, Build, r"error: cast from '[^']+' to '[\w ]+' loses precision|error: cast from pointer to smaller type '[\w ]+' loses information").subject(Fixed("pointer")).remedies(&[AddFlags(Cxx, &["-fpermissive"]), EditSource("hold pointers in intptr_t")]),
    row("wide-integer", Kind::DataModel, Build, r"error: (?:unknown type name )?'?(__int128(?:_t)?|__uint128_t|__float128|_Float128|__float80|_Float64x|_Float16|__fp16|__bf16|__ibm128)'?(?: is not supported on this target| does not name a type| was not declared|;|$| undeclared)"),
    row("wide-integer-expected", Kind::DataModel, Build, r"error: (?:expected [^\n]*before|use of undeclared identifier) '(__int128(?:_t)?|__uint128_t|__float128)'"),
    row("size-assertion", Kind::DataModel, Build, r"error: (?:static assertion failed|static_assert failed)[^\n]*(?:sizeof ?\([^\n]*|\d\d[- ]bits?\b[^\n]*|\n[^\n]*sizeof ?\([^\n]*)").with_next(1).marks(&["static assertion failed", "static_assert failed"]).subject(Fixed("size")),
    row("page-size", Kind::DataModel, Build, r"error: (?:use of undeclared identifier )?'(PAGE_SIZE|PAGE_SHIFT|PAGE_MASK|EXEC_PAGESIZE|PAGESIZE)'|(Unsupported system page size)|(ELF load command alignment not page-aligned)|(ELF load command address/offset not page-aligned)").remedies(&[EditSource("ask sysconf(_SC_PAGESIZE) for the size of a page")]),
    row("byte-order", Kind::DataModel, Build, r#"error: (?:#error )?"?[^\n]*(?i:endian|byte.?order)"#).unless(r"(?:undeclared|was not declared|has no member|No such file|not found)|-m(?:big|little)-endian").subject(Fixed("byte order")).remedies(&[AddFlags(COrCxx, &["-D__BYTE_ORDER__=__ORDER_LITTLE_ENDIAN__"]), EditSource("take the byte order from __BYTE_ORDER__")]),
    row("architecture-directive", Kind::UnsupportedArchitecture, Build, r#"^[^\s:]+:\d+:(?:\d+:)? (?:fatal )?error: (?:#error )?"?([^\n]*(?i:(?:un(?:supported|known|recogni[sz]ed|implemented)|not (?:yet )?(?:supported|implemented|ported)|add support for|please (?:define|port|add)|no (?:support|implementation) for|must be (?:ported|defined) for)[^\n]{0,40}\b(?:arch(?:itecture)?s?|platforms?|cpus?|processors?|target|host|machine|isa|hardware)\b|\b(?:arch(?:itecture)?|platform|cpu|processor|target|machine)\b[^\n]{0,24}(?:not|un)[ -]?(?:supported|known|recogni[sz]ed|implemented|defined))[^\n]*)"#).unless(r"option|argument|linker|directory|LTO|sanitize|-m\w+|is not supported for this target|on this target|__int128|compiler|ninja: error|ELF machine|unknown target CPU|unsupported architecture: '").subject(By(architecture)).class(Class::Compilation).remedies(&[EditSource("give this architecture a branch of its own, after the one that is most like it")]),
    row("architecture-configure", Kind::UnsupportedArchitecture, Configure, r"(?:configure: error:|ERROR:|CMake Error|^error:)[^\n]*?((?i:un(?:supported|known|recogni[sz]ed)|not supported|do not know|don't know)[^\n]*(?:aarch64|arm64|armv\d\w*|x86_64|amd64|i[3-6]86|riscv\d*|ppc\w*|s390x|loongarch\w*|mips\w*)|(?:aarch64|arm64|armv\d\w*|x86_64|amd64|i[3-6]86|riscv\d*|ppc\w*|s390x|loongarch\w*|mips\w*)[^\n]*(?i:not supported|unsupported|unknown))").unless(r"-m\w+").subject(By(architecture)).remedies(&[RefreshConfigGuess, EditSource("add the architecture to what the configuration knows")]).marks(&["nsupported", "nknown", "ot supported", "nrecogni", "o not know", "on't know"]),
    row("architecture-configure-plain", Kind::UnsupportedArchitecture, Configure, r"configure: error: [^\n]*?(?i:(?:unknown|unsupported|unrecogni[sz]ed) (?:(?:host|target|build|system) )?(?:arch(?:itecture)?|cpu|processor)\b)").subject(Fixed("")).remedies(&[RefreshConfigGuess, EditSource("add the architecture to what the configuration knows")]),
    // Objects.
    row("relocation-unknown", Kind::WrongFormat, Build, r"ld(?:\.\w+)?: (\S+?)(?:\([^)]*\))?: (?:unrecognized|unsupported|unknown) relocation(?: type)? \(?0x[0-9a-f]+").remedies(&[Clean]),
    // Programs.
    row("program-started", Kind::ForeignProgram, Build, r"(?:^|[\s:'(])((?:\./|/|\w)[^\s:'(]*): (?:cannot execute binary file(?:: Exec format error)?|Exec format error)|\[Errno 8\] Exec format error: '([^']+)'|(?:fork/)?exec (\S+): exec format error").subject(BaseName).remedies(&[Provide, Clean, EditSource("build the tool for the machine that builds")]),
    row("program-shell", Kind::ForeignProgram, Build, r#"^(\S+): \d+: (?:\S+: )?Syntax error: "\(" unexpected"#).subject(BaseName).remedies(&[Provide, Clean]).confidence(50),
    row("program-emulated", Kind::ForeignProgram, Build, r"(?:qemu-?\w*: (?:uncaught target signal \d+|Could not open '([^']+)')|Invalid ELF image for this architecture|rosetta error: )").subject(Fixed("")),
    row("multilib", Kind::MissingHeader, Build, r"fatal error: '?(gnu/stubs-(?:32|64|soft|hard|x32|lp64d?|ilp32)\.h|bits/libc-header-start\.h|bits/wordsize\.h|asm/errno\.h|sys/cdefs\.h|bits/c\+\+config\.h)'?(?:: No such file| file not found)").remedies(&[Provide, DropFlag("-m32"), DropFlag("-m64")]),
    row("legacy-varargs", Kind::OldDialect, Build, r#"error: #error "(GCC no longer implements <varargs\.h>|The GNU C Library no longer implements <regexp\.h>)"#).remedies(&[EditSource("use <stdarg.h> or <regex.h>")]),
];
