//! Signatures of the linkers: GNU ld, gold, lld and the loader.

use super::{
    Row,
    Subject::{BaseName, By, Fixed},
    Weight::{Build, Weak},
    row,
};
use crate::{
    FlagsOf::{C, COrCxx, Linker},
    Kind,
    cure::Cure::{AddFlags, Clean, DropFlag, EditSource, Provide, ProvideOther, Use, Version},
    known,
};

/// A linker as `-fuse-ld=` writes it, by the name of its program.
fn linker(groups: &[String]) -> Vec<(Kind, String)> {
    let Some(name) = groups.first() else { return Vec::new() };
    let program = match name.as_str() {
        "gold" | "lld" | "bfd" => format!("ld.{name}"),
        "ld" => return vec![(Kind::MissingCommand, "ld".to_owned())],
        other => other.to_owned(),
    };
    vec![(Kind::MissingCommand, program)]
}

/// Symbols that a linker lists with their arguments, as they are.
fn symbol(groups: &[String]) -> Vec<(Kind, String)> {
    groups
        .first()
        .map(|symbol| vec![(Kind::UndefinedReference, symbol.trim().to_owned())])
        .unwrap_or_default()
}

/// A library that the second captured text names.
fn second_library(groups: &[String]) -> Vec<(Kind, String)> {
    groups
        .get(1)
        .map(|library| vec![(Kind::DsoMissing, library.clone())])
        .unwrap_or_default()
}

/// A file that is not there: one of the machine's, or one that the build should have made.
fn file(groups: &[String]) -> Vec<(Kind, String)> {
    groups
        .first()
        .map(|name| {
            let kind = if name.starts_with('/') {
                Kind::MissingFile
            } else {
                Kind::MissingGenerated
            };
            vec![(kind, name.clone())]
        })
        .unwrap_or_default()
}

pub(super) static ROWS: &[Row] = &[
    // What is prebuilt for another machine or another C library.
    row("link-foreign-library", Kind::WrongFormat, Build, r"skipping incompatible (\S+) when searching for -l\S+\n(?:[^\n]*\n){0,3}?[^\n]*(?:cannot find -l|unable to find library -l)").with_next(3).marks(&["skipping incompatible "]).remedies(&[Clean, ProvideOther("library", "{}")]),
    row("link-foreign", Kind::WrongFormat, Build, r"ld(?:\.\w+)?: (\S+?)(?:\([^)]*\))?: (?:Relocations in generic ELF|relocations in generic ELF|file in wrong format|error adding symbols: (?:file|File) (?:in wrong format|format not recognized)|file class ELFCLASS\d+ incompatible|incompatible target)"),
    row("link-foreign-gold", Kind::WrongFormat, Build, r"error: (\S+?)(?:\([^)]*\))?: (?:unsupported ELF machine number|incompatible target|unsupported ELF file type|ELF file is for)"),
    row("link-foreign-lld", Kind::WrongFormat, Build, r"lld: error: (\S+?)(?:\([^)]*\))? is incompatible with "),
    row("link-foreign-class", Kind::WrongFormat, Build, r"(\S+?): (?:wrong ELF class: ELFCLASS\d+|cannot open shared object file: wrong ELF class|invalid ELF header|ELF file data encoding not)"),
    row("link-garbage", Kind::WrongFormat, Build, r"ld(?:\.\w+)?: ?(\S+?):? (?:file format not recognized; treating as linker script|file not recognized)"),
    row("link-not-recognized", Kind::WrongFormat, Build, r"^(?:\S*: )?(\S+?): (?:file not recognized: |error adding symbols: )?(?:[Ff]ile format not recognized|file not recognized|file in wrong format)"),
    row("link-float", Kind::WrongFormat, Build, r"error: \S+ uses VFP register arguments, (\S+) does not"),
    row("link-float-merge", Kind::WrongFormat, Weak, r"failed to merge target specific data of file (\S+)"),
    row("link-libc", Kind::LibcTooOld, Build, r"version '((?:GLIBC|GLIBCXX|CXXABI|GCC)_[\w.]+)' not found|undefined reference to '[\w.]+@+((?:GLIBC|GLIBCXX|CXXABI)_[\w.]+)'").remedies(&[Version("the C library", "{}"), EditSource("build from source what was built elsewhere")]),
    // Options and linkers.
    row("link-emulation", Kind::ForeignFlag, Build, r"unrecognised emulation mode: (\S+)").remedies(&[DropFlag("-m {}")]),
    row("link-option", Kind::UnknownFlag, Build, r"(?:ld(?:\.\w+)?: (?:fatal error: |error: )?(?:[\w./+-]+: )?(?:unrecognized option|unknown argument|unknown -z value|unrecognized -z option):? ?|^collect2: error: unknown option )'?(-{0,2}[^'\s:]+)'?"),
    row("link-linker", Kind::MissingCommand, Build, r"invalid linker name in argument '-fuse-ld=([\w.-]+)'|collect2: fatal error: cannot find '([\w.-]+)'").subject(By(linker)).remedies(&[Provide, DropFlag("-fuse-ld={}")]),
    row("link-versions", Kind::LinkError, Build, r"version script assignment of '[^']*' to symbol '([^']+)' failed|error: (?:symbol|version) '?([^\s']+)'? (?:is )?(?:not defined|undefined)(?: in version script)?|(\S+): undefined version:").remedies(&[AddFlags(Linker, &["-Wl,--undefined-version"])]),
    row("link-stack", Kind::LinkError, Weak, r"warning: (\S+): missing \.note\.GNU-stack section implies executable stack\n(?:[^\n]*NOTE[^\n]*\n)?[^\n]*ld returned [1-9]").with_next(2).marks(&["missing .note.GNU-stack"]).remedies(&[DropFlag("-Wl,--fatal-warnings"), AddFlags(Linker, &["-Wl,--no-warn-execstack"])]),
    // Objects.
    row("link-lto", Kind::LinkTimeMismatch, Build, r"bytecode stream in file '([^']+)' generated with LTO version|(\S+): plugin needed to handle lto object|lto1: fatal error: ([^\n]+)|error: (\S+?)(?:\([^)]*\))?: (?:Unknown attribute kind|Invalid (?:record|bitcode)|Opaque pointers)").remedies(&[AddFlags(COrCxx, &["-fno-lto"]), Clean]),
    row("link-position", Kind::NotPositionIndependent, Build, r"ld(?:\.\w+)?: (\S+?): (?:error: )?(?:relocation R_\S+ against)[^\n]*(?:can ?not be used when making|recompile with -f)").remedies(&[AddFlags(COrCxx, &["-fPIC"]), AddFlags(Linker, &["-no-pie"]), Clean]),
    row("link-position-gold", Kind::NotPositionIndependent, Build, r"ld(?:\.\w+)?: error: (\S+): requires (?:dynamic|unsupported dynamic) R_\S+ reloc").remedies(&[AddFlags(COrCxx, &["-fPIC"]), AddFlags(Linker, &["-no-pie"]), Clean]),
    row("link-position-lld", Kind::NotPositionIndependent, Build, r"lld: error: (?:relocation R_\S+ cannot be used against|can't create dynamic relocation R_\S+ against)[^\n]*\n>>> defined in (\S+)").with_next(1).marks(&["cannot be used against", "create dynamic relocation"]).remedies(&[AddFlags(COrCxx, &["-fPIC"]), AddFlags(Linker, &["-no-pie"]), Clean]),
    row("link-position-any", Kind::NotPositionIndependent, Build, r"relocation R_\S+ [^\n]*(?:can ?not be used|recompile with)|dangerous relocation: unsupported relocation").subject(Fixed("")).remedies(&[AddFlags(COrCxx, &["-fPIC"]), AddFlags(Linker, &["-no-pie"]), Clean]),
    row("link-fit", Kind::DoesNotFit, Build, r"relocation truncated to fit: (R_\w+)|relocation (R_\w+) out of range|section '?([^\s']+)'? will not fit in region|region '([^']+)' overflowed by").remedies(&[AddFlags(COrCxx, &["-mcmodel=large"]), AddFlags(COrCxx, &["-ffunction-sections", "-Os"]), AddFlags(Linker, &["-Wl,--gc-sections"])]),
    row("link-dso", Kind::DsoMissing, Build, r"(undefined reference to symbol) '[^']+'\n[^\n]*?(?:\S*/)?lib([^/\s]+?)\.(?:so[.\d]*|a): (?:error adding symbols: )?(?:DSO missing from command line|could not read symbols: Invalid operation)").with_next(1).marks(&["undefined reference to symbol "]).subject(By(second_library)).remedies(&[AddFlags(Linker, &["-l{}"]), AddFlags(Linker, &["-Wl,--copy-dt-needed-entries"])]),
    row("link-dso-alone", Kind::DsoMissing, Build, r"(?:\S*/)?lib([^/\s]+?)\.(?:so[.\d]*|a): error adding symbols: DSO missing from command line").remedies(&[AddFlags(Linker, &["-l{}"]), AddFlags(Linker, &["-Wl,--copy-dt-needed-entries"])]),
    row("link-hidden", Kind::LinkError, Build, r"hidden symbol '([^']+)' in \S+ is referenced by DSO").remedies(&[EditSource("give `{}` default visibility"), AddFlags(COrCxx, &["-fvisibility=default"])]),
    row("link-multiple", Kind::MultipleDefinition, Build, r"multiple definition of '([^']+)'|duplicate symbol:? '?([^\s']+)|symbol '([^']+)' (?:multiply|is already) defined").remedies(&[AddFlags(C, &["-fcommon"]), AddFlags(C, &["-fgnu89-inline"]), AddFlags(Linker, &["-Wl,--allow-multiple-definition"])]),
    row("link-undefined", Kind::UndefinedReference, Build, r"undefined reference to '([^']+)'").remedies_by(known::undefined_cures),
    row("link-undefined-lld", Kind::UndefinedReference, Build, r"lld: error: undefined (?:hidden |protected )?symbol: ([^\n]+)").subject(By(symbol)).remedies_by(known::undefined_cures),
    row("link-undefined-loading", Kind::UndefinedReference, Build, r"(?:symbol lookup error: \S+|(?:ImportError|OSError): \S+|Error relocating \S+): (?:undefined symbol: )?'?([\w@.]+)'?(?::? symbol not found)?(?: \(|,|$)").unless(r"(?:ImportError|OSError): (?:cannot|No module|\[|lib\S+ cannot)|No such file").remedies_by(known::undefined_cures).marks(&["undefined symbol: ", "symbol not found", "symbol lookup error"]),
    // Files.
    row("link-start-files", Kind::MissingFile, Build, r"(?:cannot find|cannot open) (\w*crt\w*\.o)\b").remedies(&[Provide, ProvideOther("header", "gnu/stubs.h"), DropFlag("-m32")]),
    row("link-input", Kind::MissingGenerated, Build, r"(?:cannot find|cannot open) ([^\s:'-][^\s:']*\.(?:o|lo|a|so|obj|lib|la|ld|lds|map|sym|def|ver|x))(?::|$| No such)").subject(By(file)),
    row("link-archive", Kind::MissingGenerated, Build, r"^(?:\S*-)?(?:ar|ranlib|nm): (\S+\.(?:a|o|lo)): No such file").subject(By(file)),
    row("link-loading", Kind::MissingSharedObject, Build, r"(?:error while loading shared libraries|OSError|ImportError): (\S+?): cannot open shared object file"),
    row("link-loading-musl", Kind::MissingSharedObject, Build, r"Error loading shared library (\S+?): No such file"),
    row("link-libtool", Kind::MissingLibrary, Build, r"cannot find the library '(?:\S*/)?(?:lib)?([^\s'/]+)\.la'|error: '(?:\S*/)?(?:lib)?([^\s'/]+)\.la' is not a valid libtool archive").remedies(&[Provide, Clean]),
    row("link-output", Kind::LinkError, Build, r"cannot open output file ([^\s:]+)"),
    row("link-linker-script", Kind::LinkError, Build, r"ld(?:\.\w+)?: ?(\S+):\d+: (?:syntax error|ignoring invalid character|nonconstant expression)").subject(BaseName).remedies(&[Use("ld.bfd")]),
];
