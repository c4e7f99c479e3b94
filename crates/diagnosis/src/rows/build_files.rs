//! Signatures of build files that their tools cannot read or whose words they do not know: Meson, CMake, make, SCons, waf.

use super::{
    Row,
    Subject::{BaseName, By, Fixed},
    Weight::{Configure, Stop},
    row,
};
use crate::{
    Kind,
    cure::Cure::{EditSource, LaySubmodules, Provide, RunFirst, Set, Use},
};

/// A build file that is a program: the message is that of its language, the file that of the tool.
fn program(groups: &[String]) -> Vec<(Kind, String)> {
    let Some(path) = groups.first() else { return Vec::new() };
    let base = path.rsplit('/').next().unwrap_or(path);
    let known = [
        "SConstruct",
        "SConscript",
        "sconstruct",
        "wscript",
        "waf",
        "conanfile.py",
        "configure.py",
        "meson.build",
    ];
    if known.contains(&base) {
        vec![(Kind::BuildFile, base.to_owned())]
    } else {
        Vec::new()
    }
}

pub(super) static ROWS: &[Row] = &[
    // Meson.
    row("meson-header-unusable", Kind::MissingHeader, Configure, r"ERROR: \S+ header '([^']+)' not usable"),
    row("meson-machine-file", Kind::MissingFile, Configure, r"ERROR: Cannot find specified (?:cross|native|machine) file: (\S+)").remedies(&[EditSource("write the file {}, or leave its option out")]),
    row("meson-interpreter", Kind::MissingCommand, Configure, r"ERROR: (python[\d.]*|perl|ruby)(?:\S*) not found$"),
    row("meson-not-a-folder", Kind::NotConfigured, Configure, r"ERROR: Current directory is not a meson build directory").subject(Fixed("meson setup")).remedies(&[RunFirst("meson setup")]),
    row("meson-no-file", Kind::BuildFile, Configure, r"ERROR: (?:Neither (?:directory|source directory)[^\n]*contains? a build file (meson\.build)|Non-existent build file '([^']+)'|Neither source directory)").remedies(&[LaySubmodules, RunFirst("cd to the folder of meson.build")]),
    row("meson-option-unknown", Kind::UnknownOption, Configure, r"ERROR: Tried to access unknown option '([^']+)'").remedies(&[EditSource("declare {} in meson_options.txt")]),
    row("meson-syntax", Kind::BuildFile, Configure, r"^(?:\S*/)?(meson\.build|meson_options\.txt|meson\.options):\d+:\d+: ERROR: (?:Expecting |lexer$|Unknown (?:function|variable|statement|object|method)|Got unknown keyword|Unhandled python exception|Tried to (?:create target|use unknown language|assign|grab|form|add)|Invalid (?:source tree|use|argument|arguments|call|kwargs?)|Module |Unexpected|Unterminated|Mismatched|Malformed|Assignment|Plusassignment|Key |Object |First statement|Second call|Bad |Illegal|Cannot assign|Operator |Arguments? |Keyword |Function |Must be|Can ?not |project\(\)|Entries|Duplicate|Description|Missing |Index \d|Trying to|Reassigning|Method |Block |\S+ (?:keyword argument|got unknown|takes|must|does not|has no|got )|[^\n]*(?:keyword argument|positional argument|expected))").remedies(&[EditSource("mend {}"), Use("another version of meson")]),
    // CMake.
    row("cmake-parse", Kind::BuildFile, Configure, r"^CMake Error at (\S+?):\d+:?\s+(?:Parse error|Syntax (?:Error|error))|CMake Error: (?:Error in cmake code at|Syntax (?:Error|error) in cmake code at)\s+(\S+?):\d+").subject(BaseName).message().remedies(&[EditSource("mend {}")]),
    row("cmake-flow", Kind::BuildFile, Configure, r"^CMake Error at (\S+?):\d+ \(\w+\):\s+(?:Flow control statements|A logical block|\w+ Function invoked with incorrect|\w+ called with incorrect|given arguments)").subject(BaseName).message().remedies(&[EditSource("mend {}")]),
    row("cmake-toolchain-file", Kind::MissingFile, Configure, r"Could not find toolchain file:\s+(\S+)").message().remedies(&[LaySubmodules]),
    row("cmake-preset", Kind::MissingFile, Configure, r"Could not read presets from (\S+):\s+File not found|No such preset in \S+:?\s+\x22([^\x22]+)\x22").subject(Fixed("CMakePresets.json")).message(),
    row("cmake-make-program", Kind::MissingCommand, Configure, r"Running\s+'([^']+)' '--version'\s+failed with:\s+[Nn]o such file").subject(BaseName).message().remedies(&[Provide]),
    row("cmake-input-file", Kind::MissingFile, Configure, r"CMake Error: File (\S+) does not exist|file (?:INSTALL cannot find|COPY cannot find|failed to open for reading[^:]*:?|STRINGS file)\s+\x22([^\x22]+)\x22|file failed to open for reading \(No such file or directory\):\s+(\S+)").subject(BaseName).message().remedies(&[LaySubmodules]),
    row("cmake-export", Kind::BuildFile, Stop, r"INSTALL\(EXPORT\) given unknown export|install\(EXPORT \S+ \.\.\.\) includes target|Cannot determine link language for target|set_target_properties Can not find target|add_custom_command Wrong syntax").subject(Fixed("")).message(),
    row("right-cmake", Kind::Privileges, Configure, r"file cannot create directory: (\S+?)\.\s+Maybe need administrative|file INSTALL cannot (?:copy file|make directory|set permissions on|duplicate symlink|open file)[^\n]*?\s\x22([^\x22]+)\x22:\s+(?:Permission denied|Read-only)").message().remedies(&[Set("prefix", "a folder that can be written to")]),
    // make.
    row("make-syntax", Kind::BuildFile, Configure, r"^(\S+?):\d+: \*\*\* (?:(?:recipe|commands) commences? before first target|(?:target pattern contains|multiple target patterns|mixed implicit)|unterminated (?:call to function|variable reference)|empty variable name|virtual memory|insufficient number of arguments|attempt to (?:include|use)|prerequisites cannot be|non-numeric|invalid 'override'|missing rule before|missing target pattern)").remedies(&[EditSource("mend {}"), Use("bmake")]),
    row("make-own-version", Kind::ToolVersion, Configure, r"^\S+?:\d+: \*\*\* [^\n]*(?i:(?:gnu )?make(?:file)? (?:version )?v?\d[\d.]* or (?:newer|later|higher|above)|requires? (?:gnu )?make (?:version )?v?\d|(?:gnu )?make is too old)").subject(Fixed("make")),
    row("make-own-architecture", Kind::UnsupportedArchitecture, Configure, r"^\S+?:\d+: \*\*\* [^\n]*(?i:un(?:supported|known|recogni[sz]ed)|not supported)[^\n]*?\b(x86_64|aarch64|arm64|armv\d\w*|i[3-6]86|riscv\d*|ppc64\w*|s390x|loongarch\w*|mips\w*|amd64)\b"),
    // SCons, waf and others whose build files are programs.
    row("build-program", Kind::BuildFile, Configure, r#"^ *File "([^"]+)", line \d+[^\n]*\n(?:[^\n]*\n){0,5}?(?:SyntaxError|IndentationError|TabError|NameError|AttributeError): "#).marks(&[", line "]).with_next(7).subject(By(program)).remedies(&[EditSource("mend {}")]),
    row("scons-error", Kind::BuildFile, Configure, r"^scons: \*\*\* (?:No SConstruct file found|Import of non-existent variable|Invalid value|Unknown)").subject(Fixed("SConstruct")),
    row("scons-target", Kind::MissingTarget, Configure, r"^scons: \*\*\* (?:\[[^\]]*\] )?(?:Do not know how to make (?:File )?target '([^']+)'|Source '([^']+)' not found, needed by|Implicit dependency '([^']+)' not found)").subject(BaseName),
    row("waf-not-found", Kind::MissingCommand, Configure, r"^(?:Checking for program )?'?([\w.+-]+)'? +: not found$").confidence(60),
    row("waf-step", Kind::NotConfigured, Configure, r#"The project was not configured: run "(waf configure)" first"#),
    row("gyp-file", Kind::BuildFile, Configure, r"^gyp: (?:[^\n]* while (?:reading|trying to load) |Error importing|Undefined variable \S+ in )(\S+)").subject(BaseName),
];
