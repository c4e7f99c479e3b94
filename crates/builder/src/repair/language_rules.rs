//! Rules for what compilers and linkers say: dialects, eras, flags. Data only.

use seatrial_core::{
    Purpose::{Build, Configure as Configuring},
    RelaxationClass::{Flags, OldApi, Standard, Warnings},
};

use super::{
    Rank,
    rules::{Rule, add, both, log},
};
use crate::plan::Settings;

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

/// The rules, in the order in which they are tried.
pub(super) static RULES: [Rule; 17] = [
    Rule {
        id: "own-errno",
        class: OldApi,
        what: "include errno.h in every C file",
        why: "errno is no plain variable any more, and old code declares it as one",
        rank: Rank::After,
        phases: &[Build],
        systems: &[],
        when: log(r"errno.{0,3}: TLS (?:definition|reference) .* mismatches non-TLS"),
        change: |settings| c_only(settings, "-include errno.h"),
    },
    Rule {
        id: "common",
        class: Flags,
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
        class: Warnings,
        what: "let warnings be warnings",
        why: "a newer compiler warns of more, and the project makes warnings errors",
        rank: Rank::Beside,
        phases: &[Configuring, Build],
        systems: &[],
        when: log(r"\[-Werror(?:=[\w+=-]+)?\]|all warnings being treated as errors"),
        change: |settings| both(settings, "-Wno-error"),
    },
    Rule {
        id: "gnu89",
        class: Standard,
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
        id: "gnu99",
        class: Standard,
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
        class: OldApi,
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
        class: Flags,
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
        class: Standard,
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
        class: Standard,
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
        class: Standard,
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
        class: Standard,
        what: "compile C++ as of 1998",
        why: "the code uses what C++11 forbids",
        rank: Rank::After,
        phases: &[Build],
        systems: &[],
        when: log(
            r"unable to find (?:string|numeric|character) literal operator|invalid suffix on literal|cannot bind .*basic_(?:o|i)stream|no match for .operator(?:==|!=).*(?:stream|nullptr)|cannot convert .*(?:std::)?(?:o|i|f)?stream.* to .(?:bool|void ?\*)|declared with .?throw|looser (?:throw|exception) specifi|cannot bind rvalue reference of type .* to lvalue of type",
        ),
        change: |settings| cxx_only(settings, "-std=gnu++98"),
    },
    Rule {
        id: "standard-integers",
        class: OldApi,
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
        class: OldApi,
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
        class: Flags,
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
        class: Flags,
        what: "compile with -O1",
        why: "some code cannot be compiled or linked without any optimisation",
        rank: Rank::After,
        phases: &[Build],
        systems: &[],
        when: log(
            r"impossible constraint in .asm|inlining failed in call to .always_inline|asm.? operand|__builtin_\w+ .* must be|requires optimization|the last argument must be|-Werror=cpp|_FORTIFY_SOURCE requires",
        ),
        change: |settings| {
            settings.shims = true;
            settings.optimisation = "-O1";
        },
    },
    Rule {
        id: "hidden-names",
        class: OldApi,
        what: "declare everything that the C library has",
        why: "types or functions are unknown, which the C library may be hiding",
        rank: Rank::After,
        phases: &[Build],
        systems: &[],
        when: log(
            r"error: (?:implicit declaration of function|storage size of|unknown type name|invalid use of (?:undefined|incomplete)|[^\n]{0,40}(?:undeclared|incomplete type|has no member named|defined as wrong kind of tag))",
        ),
        change: |settings| {
            settings.shims = true;
            add(&mut settings.c_flags, "-D_GNU_SOURCE");
        },
    },
    Rule {
        id: "test-stack",
        class: OldApi,
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
];
