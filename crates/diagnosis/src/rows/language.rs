//! Signatures of C, C++ and Fortran as languages: what newer compilers, newer standards and newer libraries refuse.

use super::{
    Row,
    Subject::{By, Fixed},
    Weight::Build,
    row,
};
use crate::{
    FlagsOf::{C, COrCxx, Cxx, Fortran},
    Kind,
    cure::Cure::{self, AddFlags, DropFlag, EditSource, LessParallel, Standard, Use, Version},
    known,
};

/// A name that is looked for in no place in particular: the file and the name.
fn plain(groups: &[String]) -> Vec<(Kind, String)> {
    match groups {
        [file, name, ..] => known::undeclared(file, "", name),
        _ => Vec::new(),
    }
}

/// A name in a namespace or a type: the file, the name and the place.
fn placed(groups: &[String]) -> Vec<(Kind, String)> {
    match groups {
        [file, name, scope, ..] => known::undeclared(file, scope, name),
        _ => Vec::new(),
    }
}

/// A type that is not complete: the file and the type.
fn incomplete(groups: &[String]) -> Vec<(Kind, String)> {
    let Some(name) = groups.get(1) else { return Vec::new() };
    let bare = name.trim_start_matches("struct ").trim_end_matches(['*', ' ']);
    let bare = bare.split_once(" {aka").map_or(bare, |(name, _)| name);
    match known::breaks::find("incomplete", bare) {
        Some(_) => vec![(Kind::RemovedApi, bare.to_owned())],
        None => Vec::new(),
    }
}

/// The standard that words such as `requires C++17 or newer` ask for.
fn standard(groups: &[String]) -> Vec<(Kind, String)> {
    let Some(digits) = groups.first() else {
        return Vec::new();
    };
    let year = match digits.as_str() {
        "2011" | "0x" | "11" => "11",
        "2014" | "1y" | "14" => "14",
        "2017" | "1z" | "17" => "17",
        "2020" | "2a" | "20" => "20",
        "2023" | "2b" | "23" => "23",
        _ => return Vec::new(),
    };
    vec![(Kind::StandardTooOld, format!("c++{year}"))]
}

/// A member of a type: the file, the type and the member.
fn member(groups: &[String]) -> Vec<(Kind, String)> {
    match groups {
        [file, scope, name, ..] => known::undeclared(file, scope, name),
        _ => Vec::new(),
    }
}

/// A function without a declaration: the file and the function.
fn implicit(groups: &[String]) -> Vec<(Kind, String)> {
    match groups {
        [_, name, ..] if known::breaks::find("", name).is_some() => vec![(Kind::RemovedApi, name.clone())],
        [_, name, ..] => vec![(Kind::ImplicitDeclaration, name.clone())],
        _ => Vec::new(),
    }
}

/// The program that brings a part of the compiler.
fn compiler_of_part(groups: &[String]) -> Vec<(Kind, String)> {
    let program = match groups.first().map(String::as_str) {
        Some("cc1plus") => "g++",
        Some("f951") => "gfortran",
        Some("cc1obj" | "cc1objplus") => "gobjc",
        Some("d21") => "gdc",
        Some("gnat1") => "gnat",
        Some("go1") => "gccgo",
        Some("as") => "as",
        _ => "gcc",
    };
    vec![(Kind::MissingCommand, program.to_owned())]
}

/// The standard in the second captured text.
fn second_standard(groups: &[String]) -> Vec<(Kind, String)> {
    standard(groups.get(1..).unwrap_or_default())
}

/// The header in the second captured text.
fn second_header(groups: &[String]) -> Vec<(Kind, String)> {
    groups
        .get(1)
        .map(|header| vec![(Kind::MissingInclude, header.clone())])
        .unwrap_or_default()
}

/// A name in a namespace `std` that the compiler has not even heard of: the file and the name.
fn of_std(groups: &[String]) -> Vec<(Kind, String)> {
    match groups {
        [file, name, ..] => known::undeclared(file, "std", name),
        _ => Vec::new(),
    }
}

/// What the C library has come to declare by itself.
macro_rules! libc_names {
    () => {
        r"(?:gettid|tgkill|strlcpy|strlcat|reallocarray|memfd_create|getrandom|getentropy|close_range|copy_file_range|basename|dirname|canonicalize|fexecve|isnan|isinf|signbit|finite|round|roundf|trunc|log2|exp10|getline|getdelim|strndup|strnlen|stpcpy|strsep|strsignal|index|clone|pkey_\w+|fsconfig|fsopen|mount_setattr|pidfd_\w+|statx|sched_\w+|arc4random\w*|memmem|mempcpy|daemon|crypt|encrypt|dprintf|eaccess|qsort_r|posix_spawn\w*|timespec_get\w*|thrd_\w+|mtx_\w+|call_once|error|err|warn|y0|y1|yn|j0|j1|jn|gamma|select|wait|bool|execvpe|futimens|fallocate|sync_file_range|renameat2|eventfd|pipe2|accept4|epoll_pwait2|explicit_bzero|strverscmp|strcasestr|memrchr)"
    };
}

fn clash(groups: &[String]) -> Vec<(Kind, String)> {
    groups
        .first()
        .map(|name| vec![(Kind::Clash, name.clone())])
        .unwrap_or_default()
}

fn clash_cures(_: Kind, subject: &str, _: &[String]) -> Vec<crate::Remedy> {
    vec![
        crate::Remedy::AddFlags {
            to: COrCxx,
            flags: vec![format!("-DHAVE_{}=1", subject.to_uppercase())],
        },
        crate::Remedy::EditSource {
            how: format!("give the project's `{subject}` a name of its own: the C library has one"),
        },
    ]
}

pub(super) static ROWS: &[Row] = &[
    // A library or the C library changed.
    row("signal-stack", Kind::RemovedApi, Build, r"error: [^\n]*(?:size of array '\w+' is not an integral|array bound is not an integer constant|variably modified '\w+' at file scope|call to non-'constexpr' function 'long int sysconf|initializer element is not constant|fields must have a constant size|variable length array)[^\n]*(?:\n[^\n]*){0,3}?(?:SIGSTKSZ|altStackMem|sigStackSize)").with_next(3).marks(&["is not an integral", "is not an integer constant", "variably modified ", "call to non-", "is not constant", "must have a constant size", "variable length array"]).subject(Fixed("SIGSTKSZ")).remedies(&[AddFlags(Cxx, &["-DCATCH_CONFIG_NO_POSIX_SIGNALS", "-DDOCTEST_CONFIG_NO_POSIX_SIGNALS"]), Version("the test framework", "newer"), EditSource("give the signal stack a fixed size: SIGSTKSZ is no constant any more")]),
    row("signal-stack-if", Kind::RemovedApi, Build, r#"error: missing binary operator before token "\("[^\n]*\n[^\n]*SIGSTKSZ"#).with_next(1).marks(&["missing binary operator"]).subject(Fixed("SIGSTKSZ")).remedies(&[EditSource("compare SIGSTKSZ at run time: it is no constant any more")]),
    row("opaque-storage", Kind::RemovedApi, Build, r"^([^\s:]+):[\d:]* error: storage size of '\w+' isn't known\n[^\n]*?\b(EVP_MD_CTX|EVP_CIPHER_CTX|HMAC_CTX|EVP_ENCODE_CTX|RSA|DSA|DH|BIGNUM|EVP_PKEY|SSL_CTX|X509_STORE_CTX|WINDOW|MIR)\b").with_next(1).marks(&["storage size of"]).subject(By(incomplete)).remedies_by(known::cures),
    row("opaque", Kind::RemovedApi, Build, r"^([^\s:]+):[\d:]* error: (?:invalid use of incomplete typedef|dereferencing pointer to incomplete type|invalid use of incomplete type|invalid use of undefined type|variable has incomplete type|incomplete definition of type|invalid application of 'sizeof' to (?:an )?incomplete type|member access into incomplete type) '(?:struct |class )?([^']+)'").subject(By(incomplete)).remedies_by(known::cures),
    row("opaque-aggregate", Kind::RemovedApi, Build, r"^([^\s:]+):[\d:]* error: aggregate '(?:struct )?(\w+) \w+' has incomplete type").subject(By(incomplete)).remedies_by(known::cures),
    row("clash-static", Kind::Clash, Build, concat!(r"error: (?:static declaration of|conflicting types for|ambiguating new declaration of|conflicting declaration of(?: C function)?) '(?:[\w: *]+ )?(", libc_names!(), r")(?:\([^']*\))?'|error: '[^']*?\b(", libc_names!(), r")\([^']*\)' was declared 'extern' and later 'static'")).subject(By(clash)).remedies_by(clash_cures),
    row("icu-booleans", Kind::RemovedApi, Build, r"error: (?:use of undeclared identifier )?'(TRUE|FALSE)'(?: undeclared| was not declared|$|;)").remedies(&[AddFlags(COrCxx, &["-DU_DEFINE_FALSE_AND_TRUE=1"]), AddFlags(COrCxx, &["-DTRUE=1", "-DFALSE=0"])]),
    // Standards.
    row("standard-note", Kind::StandardTooOld, Build, r"(error): [^\n]*(?:\n[^\n]*){1,6}?note: '[^']+' is only available from C\+\+(\d\d) onwards").with_next(6).marks(&["does not name a t", "is not a member of", "has not been declared", "was not declared in", "not found in"]).unless(r"error: [^\n]*\n(?:[^\n]*\n)*?[^\n]* error: ").subject(By(second_standard)).remedies_by(known::cures),
    row("standard-header", Kind::StandardTooOld, Build, r"error: #error This file requires compiler and library support for the (?:upcoming )?ISO C\+\+ (\d{4})").subject(By(standard)).remedies_by(known::cures),
    row("standard-directive", Kind::StandardTooOld, Build, r#"error: (?:#error |static assertion failed[^'"]*|static_assert failed[^'"]*)?["']?[^\n]*?C\+\+ ?(?:standard )?(\d\d|2011|2014|2017|2020|0x)\b[^\n]*(?i:requir|need|newer|later|at least|or above|or greater|or higher|support|compil|minimum|enable)"#).subject(By(standard)).remedies_by(known::cures).unless(r"\[-W|ISO C\+\+|does not allow"),
    row("standard-directive-before", Kind::StandardTooOld, Build, r#"error: (?:#error |static assertion failed[^'"]*|static_assert failed[^'"]*)?["']?[^\n]*(?i:requir|need|at least|less than|older than|minimum|support for|enable|compile with|compiler with|wants)[^\n]*C\+\+ ?(?:standard )?(\d\d|2011|2014|2017|2020|0x)\b"#).subject(By(standard)).remedies_by(known::cures).unless(r"\[-W|ISO C\+\+|does not allow"),
    row("standard-clang", Kind::StandardTooOld, Build, r"error: [^\n]*(?:(?:is a|are a) C\+\+(\d\d) extension|(?:not allowed|not available|not supported) [^\n]*(?:before|in|until) C\+\+(\d\d)$)").subject(By(standard)).remedies_by(known::cures),
    row("standard-only", Kind::StandardTooOld, Build, r"error: [^\n]*only available with '-std=(?:c|gnu)\+\+(\w\w)'").subject(By(standard)).remedies_by(known::cures),
    row("standard-unordered", Kind::StandardTooNew, Build, r"error: ISO C\+\+(?:17|1z|20) does not allow '?(dynamic exception specifications|register|incrementing|an? [\w ]+)").remedies(&[Standard("gnu++14")]),
    row("standard-increment", Kind::StandardTooNew, Build, r"error: use of an operand of type 'bool' in '(operator\+\+)' is forbidden in C\+\+17").remedies(&[Standard("gnu++14")]),
    row("standard-ambiguous", Kind::StandardTooNew, Build, r"error: reference to '(byte|data|size|empty|hash|function|distance|lerp|midpoint|mutex|array|count|ref|bind|any|optional|variant|gcd|lcm|clamp|sample|apply|invoke|begin|end|next|prev|move|min|max|tuple|map|set|list|ratio|rank|thread|regex|span|format|barrier|latch|endian|numbers|ranges|views|identity|unexpected|expected|print|byteswap|y0|y1|left|right|plus|minus|less|greater|chrono|random_device)' is ambiguous").remedies(&[Standard("gnu++14"), EditSource("qualify `{}`: the namespace std has one, too")]),
    row("standard-c23-bool", Kind::StandardTooNew, Build, r"error: (?:'(bool|true|false|nullptr|constexpr|thread_local|typeof|alignas|alignof|static_assert)' cannot be (?:defined|used)|redeclaration of C\+\+ built-in type '(bool)'|expected identifier (?:or '\(' )?before '(true|false|bool|nullptr|constexpr|typeof|thread_local)'|cannot use keyword '(false|true|bool|nullptr)' as enumeration constant)").unless(r"^[^\s:]+\.(?:cc|cpp|cxx|C|hpp|hh|hxx):").remedies(&[Standard("gnu17")]),
    row("standard-c23-type", Kind::StandardTooNew, Build, r"error: (?:two or more data types in declaration specifiers|cannot combine with previous '\w+' declaration specifier)(?:\n[^\n]*){0,2}?\b(bool|nullptr|true|false)\b").with_next(2).marks(&["two or more data types", "cannot combine with previous"]).remedies(&[Standard("gnu17")]),
    row("standard-c23-arguments", Kind::StandardTooNew, Build, r"error: too many arguments to function (?:call|'(\w+)'[^;]*)[,;] expected 0, have \d").remedies(&[Standard("gnu17")]),
    // Headers that were forgotten, and names that are gone.
    row("include-noted", Kind::MissingInclude, Build, r"(error): [^\n]*\n(?:[^\n]*\n){0,6}?[^\n]*note: '(?:std::)?[\w:]+' is defined in header '<([^>]+)>'").with_next(6).marks(&["does not name a t", "is not a member of", "has not been declared", "was not declared in", "undeclared (first", "undeclared here", "not found by", "has no member named", "nown type name", "has incomplete type"]).unless(r"error: [^\n]*\n(?:[^\n]*\n)*?[^\n]* error: [^\n]*\n(?:[^\n]*\n)*?[^\n]*is defined in header").subject(By(second_header)),
    row("include-initializer", Kind::MissingInclude, Build, r"error: deducing from brace-enclosed initializer list requires '#include <(initializer_list)>'"),
    row("include-typeinfo", Kind::MissingInclude, Build, r"error: must '#include <(typeinfo|compare|coroutine|initializer_list)>' before using"),
    row("implicit", Kind::ImplicitDeclaration, Build, r"^([^\s:]+):[\d:]* error: (?:implicit declaration of function|call to undeclared (?:library )?function|implicitly declaring library function) '(\w+)'").subject(By(implicit)).remedies_by(known::implicit_cures),
    row("implicit-template", Kind::OldDialect, Build, r"error: there are no arguments to '(\w+)' that depend on a template parameter").remedies(&[AddFlags(Cxx, &["-fpermissive"])]),
    row("name-placed", Kind::CompileError, Build, r"^([^\s:]+):[\d:]* (?:fatal )?error: '([\w:~]+)' (?:is not a member of|in namespace) '([^']+)'").subject(By(placed)).remedies_by(known::cures),
    row("name-placed-clang", Kind::CompileError, Build, r"^([^\s:]+):[\d:]* (?:fatal )?error: no (?:member|type|template|type or namespace) named '([^']+)' in (?:namespace )?'([^']+)'").subject(By(placed)).remedies_by(known::cures),
    row("name-std", Kind::CompileError, Build, r"^([^\s:]+):[\d:]* error: (?:use of undeclared identifier 'std'|'std' (?:has not been declared|was not declared in this scope))[^\n]*\n[^\n]*?\bstd::(\w+)").with_next(1).marks(&["se of undeclared identifier", "has not been declared", "was not declared in"]).subject(By(of_std)).remedies_by(known::cures),
    row("name-member", Kind::CompileError, Build, r"^([^\s:]+):[\d:]* error: '(?:const |struct |class |union )*([^']+)'(?: \{aka '[^']*'\})? has no member named '(\w+)'").subject(By(member)).remedies_by(known::cures),
    row("name-plain", Kind::CompileError, Build, r"^([^\s:]+):[\d:]* (?:fatal )?error: (?:(?:use of undeclared identifier|unknown type name|unknown class name|no template named|use of undeclared template) '([\w:]+)'|'([\w:]+)' (?:undeclared|was not declared|does not name a t|has not been declared))").subject(By(plain)).remedies_by(known::cures),
    // What newer C compilers refuse.
    row("implicit-int", Kind::ImplicitInt, Build, r"error: (?:type defaults to 'int' in declaration of '(\w+)'|type of '(\w+)' defaults to 'int'|(?:return )?type defaults to 'int'|type specifier missing, defaults to 'int'|parameter '(\w+)' was not declared, defaults? to)").remedies(&[AddFlags(C, &["-Wno-error=implicit-int"]), Standard("gnu89")]),
    row("int-conversion", Kind::IntConversion, Build, r"error: [^\n]*(?:makes (?:pointer from integer|integer from pointer) without a cast|incompatible (?:integer to pointer|pointer to integer) conversion)").subject(Fixed("")).remedies(&[AddFlags(C, &["-Wno-error=int-conversion"]), Standard("gnu89")]),
    row("pointer-types", Kind::IncompatiblePointer, Build, r"error: [^\n]*(?:from incompatible pointer type|incompatible (?:function )?pointer types|pointer type mismatch in conditional|\[-W(?:error=)?incompatible-(?:function-)?pointer-types)").subject(Fixed("")).remedies(&[AddFlags(C, &["-Wno-error=incompatible-pointer-types"]), AddFlags(C, &["-Wno-incompatible-function-pointer-types"])]),
    row("return-mismatch", Kind::OldDialect, Build, r"error: (?:'return' with (?:no|a) value, in function returning|(?:non-)?void function '\w+' should (?:not )?return a value)[^\n]*\[-W(?:error=)?(return-(?:mismatch|type))\]").remedies(&[AddFlags(C, &["-Wno-error=return-mismatch", "-Wno-error=return-type"]), Standard("gnu89")]),
    row("parameter-type", Kind::OldDialect, Build, r"error: [^\n]*\[-W(?:error=)?(declaration-missing-parameter-type|builtin-declaration-mismatch|missing-parameter-name)\]").remedies(&[AddFlags(C, &["-Wno-error={}"]), Standard("gnu89")]),
    row("old-definition", Kind::OldDialect, Build, r"error: (?:old-style (?:parameter declarations in prototyped )?function definition|a function definition without a prototype is deprecated|parameter names \(without types\) in function declaration)").subject(Fixed("function definitions without prototypes")).remedies(&[Standard("gnu17"), Standard("gnu89")]),
    row("old-definition-clang", Kind::OldDialect, Build, r"error: unknown type name '\w+'\n[^\n]*?\w+\((?:\w+,? ?)+\) *(?:(?:unsigned |const |struct )*\w+[ *]+\w+;|$)").with_next(1).marks(&["nown type name"]).subject(Fixed("function definitions without prototypes")).remedies(&[Standard("gnu17"), Standard("gnu89")]),
    // What newer C++ compilers refuse.
    row("narrowing", Kind::Narrowing, Build, r"error: (?:narrowing conversion of|constant expression evaluates to \S+ which cannot be narrowed|(?:non-constant-expression|type '[^']+') cannot be narrowed)").subject(Fixed("")).remedies(&[AddFlags(Cxx, &["-Wno-narrowing"])]),
    row("pointer-order", Kind::OldDialect, Build, r"error: (ordered comparison (?:of pointer with integer|between pointer and) zero)").remedies(&[EditSource("compare the pointer with nullptr, and by != instead of >")]),
    row("const-conversion", Kind::OldDialect, Build, r"error: (?:invalid conversion from '(const (?:unsigned )?(?:char|void|wchar_t) ?\*|void ?\*)' to|cannot initialize a (?:variable|parameter|return object|member subobject) of type '[^']+' with an? [lrx]value of type '(const [^']+|void \*)'|assigning to '[^']+' from '(const char \*|void \*)' discards|assigning to '[^']+ ?\*' from incompatible type '(void \*|const char \*)')").remedies(&[AddFlags(Cxx, &["-fpermissive"]), EditSource("declare the target const, or cast")]),
    row("changes-meaning", Kind::OldDialect, Build, r"error: declaration of '[^']+' (changes meaning) of").remedies(&[AddFlags(Cxx, &["-fpermissive"])]),
    row("template-body", Kind::OldDialect, Build, r"error: [^\n]*\[-W(template-body)\]").remedies(&[AddFlags(Cxx, &["-Wno-template-body"])]),
    row("extra-qualification", Kind::OldDialect, Build, r"error: (extra qualification '[^']+') on member").remedies(&[AddFlags(Cxx, &["-fpermissive"])]),
    row("permissive", Kind::OldDialect, Build, r"error: [^\n]*\[-f(permissive)\]").unless(r"loses precision").remedies(&[AddFlags(Cxx, &["-fpermissive"])]),
    row("literal-suffix", Kind::OldDialect, Build, r#"error: (?:invalid suffix on literal; C\+\+11 requires a space between literal and|unable to find string literal operator '(operator[^']+)'|no matching literal operator)"#).remedies(&[AddFlags(Cxx, &["-Wno-reserved-user-defined-literal"]), Standard("gnu++98")]),
    // `#error`.
    row("directive-config", Kind::NotConfigured, Build, r#"error: (?:#error )?"?([^\n]*(?:HAVE_CONFIG_H|config\.h)[^\n]*?)"?$"#).unless(r"No such file|not found|was not declared|undeclared").confidence(70),
    row("directive-compiler", Kind::CompilerTooOld, Build, r#"error: #error "?([^\n]*(?i:(?:gcc|clang|g\+\+|compiler)[^\n]*(?:\d or (?:later|newer|higher|above)|too old|required|at least|>=)|requires? (?:gcc|clang|a newer compiler)|unsupported compiler|compiler (?:is )?not supported)[^\n]*?)"?$"#).remedies(&[Version("the compiler", "newer")]),
    row("directive", Kind::ErrorDirective, Build, r#"error: #error "?(.+?)"?$"#),
    row("directive-clang", Kind::ErrorDirective, Build, r#"^[^\s:]+:\d+:\d+: error: ([^\n]+)\n +(?:\d+ \| *)?# *error\b"#).with_next(1).marks(&[": error: "]).confidence(85),
    row("directive-static", Kind::CompileError, Build, r#"error: (?:static assertion failed|static_assert failed)(?: due to requirement '[^']*')?:? *"?([^"\n]*)"?$"#),
    // Compilers themselves.
    row("flag-standard", Kind::CompilerTooOld, Build, r"error: (?:unrecognized command[- ]line option '-std=([^']+)'|invalid value '([^']+)' in '-std=)").remedies(&[Version("the compiler", "newer"), DropFlag("-std={}")]),
    row("flag", Kind::UnknownFlag, Build, r"error: (?:unrecognized command[- ]line option|unknown (?:command[- ]line )?argument:?|unsupported option|unknown warning option|unsupported argument '[^']*' to option|invalid option|unknown option:?) '?(--?[^'\s]+?)'?(?:[;\s,]|$)"),
    row("flag-argument", Kind::UnknownFlag, Build, r"error: (?:unrecognized argument (?:to|in option) '([^']+)'|'(-W[^']+)': no option|argument to '(-[^']+)' (?:should be|is missing))"),
    row("compiler-crash", Kind::CompilerCrash, Build, r"internal compiler error(?::|\b)|PLEASE submit a bug report|clang(?:\+\+)?(?:-\d+)?: error: (?:unable to execute command: Segmentation|clang frontend command failed)|Please submit a full bug report").unless(r"Killed").subject(Fixed("")).remedies(&[AddFlags(COrCxx, &["-O1"]), Use("another compiler"), LessParallel]),
    row("source-gone", Kind::MissingFile, Build, r"(?:cc1\w*|gcc|g\+\+|cc|c\+\+|clang|clang\+\+|f951|as)(?:-[\d.]+)?: (?:fatal )?error: (?:([^\s:']+\.\w+): No such file|no such file or directory: '([^']+)')|nasm: fatal: unable to open input file '([^']+)'").subject(By(super::wanted::file)).remedies(&[Cure::Clean]),
    row("compiler-part", Kind::MissingCommand, Build, r"(?:fatal )?error: cannot execute '(cc1plus|cc1obj|cc1objplus|f951|d21|gnat1|go1|as|cc1)': (?:execvp|posix_spawnp?)").subject(By(compiler_of_part)),
    // Fortran.
    row("fortran-arguments", Kind::OldDialect, Build, r"^Error: (Type mismatch|Rank mismatch)(?: between actual argument at| in argument)").remedies(&[AddFlags(Fortran, &["-fallow-argument-mismatch"]), AddFlags(Fortran, &["-std=legacy"])]),
    row("fortran-line", Kind::OldDialect, Build, r"^Error: (Line truncated) at").remedies(&[AddFlags(Fortran, &["-ffree-line-length-none", "-ffixed-line-length-none"])]),
    row("fortran-range", Kind::OldDialect, Build, r"^Error: (?:(Integer too big) for its kind|(Arithmetic overflow))").remedies(&[AddFlags(Fortran, &["-fno-range-check"])]),
    row("fortran-form", Kind::OldDialect, Build, r"^Error: (Non-numeric character in statement label|Unclassifiable statement|Invalid character in name) at").remedies(&[AddFlags(Fortran, &["-ffree-form"]), AddFlags(Fortran, &["-std=legacy"])]).confidence(60),
    row("fortran-deleted", Kind::OldDialect, Build, r"^Error: (?:Fortran 20\d\d deleted feature|GNU Extension|Legacy Extension|Deleted feature): ([^\n]+?)(?: at|$)").remedies(&[AddFlags(Fortran, &["-std=legacy"])]),
    row("fortran", Kind::CompileError, Build, r"^(?:Fatal )?Error: [^\n]*\(1\)").unless(r"Cannot open module file").subject(Fixed("")),
];
