//! Signatures of programs, files, downloads, linking, compiling and make.

use super::{
    Row,
    Subject::{BaseName, By, Fixed},
    Weight::{Build, Configure, Weak},
    row,
};
use crate::{Kind, cure::Cure::Retry};

pub(super) static ROWS: &[Row] = &[
    // Programs.
    row("command-make", Kind::MissingCommand, Build, r"^(?:\S*/)?g?make(?:\[\d+\])?: ([^\s:]+): (?:Command not found|No such file or directory)").unless(r"make\S*: (?:\.{1,2}/|[\w.-]+\.(?:mk|mak|in|am|inc|d|h|c|txt): No such|[Mm]akefile)").subject(BaseName),
    row("command-shell", Kind::MissingCommand, Build, r"(?:^|/)(?:ba|da|z|k)?sh: (?:line )?(?:\d+: )?([^\s:']+): (?:command )?not found").unless(r": \.{1,2}/[^:\s]*: (?:command )?not found").subject(BaseName),
    row("command-script", Kind::MissingCommand, Build, r": (?:line )?\d+: ([^\s:']+): (?:command )?not found").unless(r": \.{1,2}/[^:\s]*: (?:command )?not found|config\.log").subject(BaseName),
    row("command-env", Kind::MissingCommand, Build, r"env: '([^'\\]+)': No such file or directory").unless(r"\\r|\^M").subject(BaseName),
    row("command-interpreter", Kind::MissingCommand, Build, r"(/\S+): bad interpreter: No such file").unless(r"\\r|\^M").subject(BaseName),
    row("command-exec", Kind::MissingCommand, Build, r#"exec: "([^"]+)": executable file not found|spawn (\S+) ENOENT|Cannot run program "([^"]+)"|failed to execute '?([^\s':]+)'?: No such file|FileNotFoundError: \[Errno 2\] No such file or directory: '([^'/.]+)'|execvp: ([^\s:]+): No such file"#).subject(BaseName),
    row("command-plain", Kind::MissingCommand, Weak, r"^([\w+-][\w.+-]*): (?:command )?not found$"),
    // Files.
    row("file-include", Kind::MissingFile, Build, r"^(?:\S*/)?[Mm]akefile\S*:\d+: (/(?:usr|opt|lib)/[^:\s]+): No such file or directory"),
    row("file-fortran", Kind::MissingFile, Build, r"Cannot open module file '([^']+)' for reading"),
    row("file-swig", Kind::MissingFile, Build, r"Error: Unable to find '([^']+)'"),
    row("file-xsl", Kind::MissingFile, Build, r#"I/O (?:error|warning) : failed to load external entity "(?:file://)?([^"]+)""#),
    // Submodules and downloads.
    row("submodule-git", Kind::MissingSubmodule, Build, r"(?:No url found for submodule path|No submodule mapping found in \.gitmodules for path) '([^']+)'"),
    row("submodule-advice", Kind::MissingSubmodule, Build, r"git submodule (?:update|init|sync)").unless(r"^\+|^Submodule|^\$|^(?:[\w.]+ )?git submodule").subject(Fixed("")),
    row("network-said", Kind::Network, Configure, r"^(?:fatal|error|ERROR|E|curl|wget|Err:\d+)\b.*?(?:[Cc]ould not resolve (?:host(?:name)?:? ?)?'?([\w.-]+\w)'?|unable to resolve host address '?([^\s']+\w)'?|[Ff]ailed to connect to '?([\w.-]+\w)|(?:Temporary failure|Something wicked happened) resolving '([^']+)'|[Cc]ould not connect to '?([\w.-]+\w)|unable to connect to '?([\w.-]+\w))").remedies(&[Retry]),
    row("network-pip", Kind::Network, Configure, r"^WARNING: Retrying \(.*(?:NewConnectionError|ConnectTimeoutError|NameResolutionError|ReadTimeoutError).*: /?(?:simple/)?([\w.-]+)/?$").remedies(&[Retry]),
    row("network-host", Kind::Network, Build, r"[Cc]ould not resolve host(?:name)?:? '?([^\s';:]+)|unable to resolve host address '?([^\s']+\w)'?|Failed to connect to ([\w.-]+)|dial tcp: lookup (\S+\w)|ssh: connect to host (\S+) port").remedies(&[Retry]),
    row("network-name", Kind::Network, Build, r"(?:^(?:ssh|ping|telnet|nc|ftp): (?:Could not resolve hostname )?([\w.-]+): )?(?:Temporary failure in name resolution|Name or service not known)").remedies(&[Retry]),
    row("download-git", Kind::Download, Build, r"fatal: unable to access '([^']+)'|Failed to clone repository: '([^']+)'|fatal: clone of '([^']+)'"),
    row("download-git-remote", Kind::Download, Build, r"fatal: Could not read from remote repository").subject(Fixed("")),
    row("network-curl", Kind::Network, Build, r"curl: \((?:5|6|7|28|35|52|55|56)\) (?:.*?(?:host(?:name)?|proxy|to):? '?([\w-]+(?:\.[\w-]+)*))?").remedies(&[Retry]),
    row("download-curl", Kind::Download, Build, r"curl: \((?:22|78|9|67)\) ").subject(Fixed("")),
    row("download-cmake", Kind::Download, Configure, r"error: downloading '([^']+)' failed|file DOWNLOAD (?:HASH mismatch|cannot)"),
    // Linking.
    row("library", Kind::MissingLibrary, Build, r"(?:cannot find|unable to find library|library not found for) '?-l([^\s:']+)").unless(r"^--|^checking "),
    row("link-failed", Kind::LinkError, Weak, r"final link failed: ([^\n]+)|ld(?:\.\w+)?: fatal error: ([^\n]+)|lld: error: ([^\n]+)").subject(Fixed("")),
    // Compiling.
    row("warning-error", Kind::WarningAsError, Build, r"error: .*\[-Werror=([\w+=-]+)\]|error: .*\[-Werror,-W([\w+=-]+)\]"),
    row("warnings-error", Kind::WarningAsError, Weak, r"(?:all|some) warnings being treated as errors").subject(Fixed("")),
    row("compile-undeclared", Kind::CompileError, Build, r"error: (?:use of undeclared identifier )?'([^']+)' (?:undeclared|was not declared|does not name a type|has not been declared)|error: use of undeclared identifier '([^']+)'|error: unknown type name '([^']+)'"),
    row("compile-member", Kind::CompileError, Build, r"error: '([^']+)' is not a member of '([^']+)'|error: no member named '([^']+)' in (?:namespace )?'([^']+)'").subject(By(member)),
    row("compile-error", Kind::CompileError, Build, r"^[^\s:]+:\d+(?::\d+)?: (?:fatal |internal compiler )?error: ").subject(Fixed("")),
    row("compile-assembler", Kind::CompileError, Build, r"^[^\s:]+:\d+: Error: ").subject(Fixed("")),
    row("compile-driver", Kind::CompileError, Build, r"^(?:\S*/)?(?:[\w]+-[\w-]+-)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|cc1|cc1plus)(?:-[\d.]+)?: (?:fatal )?error: ").unless(r"linker command failed|no input files").subject(Fixed("")),
    // Build files.
    row("make-include", Kind::BuildFile, Build, r"^(?:\S*/)?[Mm]akefile\S*:\d+: ([^:\s]+): No such file or directory"),
    row("config-status", Kind::BuildFile, Configure, r"config\.status: error: (.+)"),
    row("crash", Kind::Other, Weak, r"\*\*\* \[[^\]]*\] (Segmentation fault|Aborted|Illegal instruction|Bus error|Floating point exception)"),
];

/// A name with the place where it was looked for.
fn member(groups: &[String]) -> Vec<(Kind, String)> {
    let [name, place, ..] = groups else { return Vec::new() };
    vec![(Kind::CompileError, format!("{place}::{name}"))]
}
