//! Signatures of the state of the source tree: steps that were left out, files that are not there, scripts, git, archives;
//! and of configurations that stop because of it.

use super::{
    Row,
    Subject::{BaseName, By, Fixed},
    Weight::{Build, Configure, Stop, Weak},
    row,
};
use crate::{
    Class, Kind, Remedy,
    cure::Cure::{
        Clean, DropFlag, EditSource, FixLineEndings, LaySubmodules, LessParallel, MakeExecutable, ProvideOther,
        Regenerate, RunFirst, Set, Use, Version,
    },
    known,
};

/// A header that newer versions of a library no longer have.
fn removed_header(groups: &[String]) -> Vec<(Kind, String)> {
    match groups {
        // One in quotes and in no folder is the project's own.
        [header, _] if !header.contains('/') => Vec::new(),
        [header, ..] if known::breaks::find("header", header).is_some() => vec![(Kind::RemovedApi, header.clone())],
        _ => Vec::new(),
    }
}

fn removed_header_cures(_: Kind, subject: &str, _: &[String]) -> Vec<Remedy> {
    known::breaks::find("header", subject)
        .map(|found| found.remedies(subject))
        .unwrap_or_default()
}

/// What makes a generated file.
fn generated_cures(_: Kind, subject: &str, _: &[String]) -> Vec<Remedy> {
    let name = subject.rsplit('/').next().unwrap_or(subject);
    let what = if name.contains(".pb.") {
        "protoc"
    } else if name.starts_with("ui_") {
        "uic"
    } else if name.starts_with("moc_") || name.contains(".moc") {
        "moc"
    } else if name.starts_with("qrc_") {
        "rcc"
    } else if name.contains(".tab.") {
        "bison"
    } else if name.contains(".yy.") {
        "flex"
    } else if name.starts_with("config") {
        "./configure"
    } else {
        return vec![Remedy::LessParallel];
    };
    vec![Remedy::RunFirst { what: what.to_owned() }, Remedy::LessParallel]
}

/// A file that a build tool wants: absolute, it belongs to the machine.
fn wanted(groups: &[String]) -> Vec<(Kind, String)> {
    match groups.first() {
        Some(name) if name.starts_with('/') => vec![(Kind::MissingFile, name.clone())],
        Some(name) => vec![(Kind::MissingTarget, name.clone())],
        None => Vec::new(),
    }
}

/// The captured words, with the kind of a script that may not be run.
fn script(groups: &[String]) -> Vec<(Kind, String)> {
    match groups.first() {
        Some(name) if name.starts_with("/usr/") || name.starts_with("/etc/") || name.starts_with("/root") => {
            vec![(Kind::Privileges, name.clone())]
        }
        Some(name) => vec![(Kind::NotExecutable, name.clone())],
        None => Vec::new(),
    }
}

pub(super) static ROWS: &[Row] = &[
    // Headers that no package brings.
    row("header-generated", Kind::MissingGenerated, Build, r"error: '?((?:[^\s:']*/)?(?:config(?:ure|_auto)?\.h|[\w.-]*(?:_generated|\.pb|\.grpc\.pb|\.tab|\.yy|-marshal|_moc|-protocol|-client-protocol)\.(?:h|hh|hpp)|ui_\w+\.h|moc_\w+\.(?:cpp|cxx)|qrc_\w+\.cpp|\w+\.moc))'?(?:: No such file| file not found)").remedies_by(generated_cures),
    row("header-removed", Kind::RemovedApi, Build, r#"error: '?([^\s:']+)'?(?:: No such file or directory| file not found)(?:\n[^\n]*#\s*include\s*("))?"#).marks(&[": No such file or directory", " file not found"]).with_next(1).subject(By(removed_header)).remedies_by(removed_header_cures),
    // Steps that were left out.
    row("step-configure", Kind::NotConfigured, Build, r"(?i:(?:please|must|need to|have to|should|first) (?:first )?run|run) '?((?:sh |bash )?(?:\./)?configure(?:\.\w+)?)'?(?i:[^\n]*(?:first|before|\*\*\*|again|\.|$))").unless(r"^(?:checking|configure: |make|\+|#|--)|Stop\.\n|config\.status|re-?run").remedies(&[RunFirst("{}"), Regenerate]).confidence(75),
    row("no-makefile", Kind::NotConfigured, Build, r"(No targets specified and no makefile found)").subject(Fixed("Makefile")).remedies(&[RunFirst("./configure"), RunFirst("cmake")]),
    row("no-build-file", Kind::NotConfigured, Build, r"ninja: error: loading '([^']+)'").remedies(&[RunFirst("cmake -G Ninja"), RunFirst("meson setup")]),
    row("no-build-folder", Kind::NotConfigured, Build, r"(?:ninja: (?:fatal|error): chdir to|Error: could not load cache|make\S*: \*\*\*) '?([^\s':]*)'? ?- ?No such file|Error: (could not load cache)").remedies(&[RunFirst("cmake")]),
    // Targets.
    row("target-needed", Kind::MissingTarget, Build, r"No rule to make target '([^']+)'(?:, needed by|\.  Stop| \(|$)").subject(By(wanted)).remedies(&[Clean, LaySubmodules, LessParallel]),
    row("target-ninja", Kind::MissingTarget, Build, r"ninja: error: (?:'([^']+)', needed by '[^']*', missing|unknown target '([^']+)')").subject(By(wanted)).remedies(&[LaySubmodules, Clean]),
    row("dialect", Kind::MakeDialect, Build, r"^(\S+?):\d+: \*\*\* missing separator").remedies(&[Use("bmake"), FixLineEndings]),
    row("dialect-bmake", Kind::MakeDialect, Build, r#"^b?make: "([^"]+)" line \d+: (?:Need an operator|Missing dependency operator|Unassociated shell command)"#).remedies(&[Use("gmake")]),
    row("dialect-conditional", Kind::MakeDialect, Build, r"^(\S+?):\d+: \*\*\* (?:invalid syntax in conditional|missing 'endif'|extraneous '\w+')").remedies(&[Use("bmake")]),
    // Scripts.
    row("line-endings", Kind::LineEndings, Build, r"(\S+): line \d+: \$'[^']*\\r': command not found|env: '(\w+)\\r': No such|(\S+): (?:/\S+\^M: )?bad interpreter: [^\n]*\^M|/(bin/\w+)\^M|(\S+): line \d+: syntax error near unexpected token '(?:\$'\{?\\r|[^']*\\r)"),
    row("line-endings-option", Kind::LineEndings, Build, r"^(\S+): (?:line )?\d+: (?:set|cd|shift|exit|read|export|ulimit|umask|test|return): (?:[^\n:]*: )?[^\n:]*\n(?:\s*\n)?: (?:invalid option|not a valid identifier|numeric argument required|No such file or directory|invalid shell option name|invalid number)").marks(&[": set: ", ": cd: ", ": shift: ", ": exit: ", ": read: ", ": export: ", ": ulimit: ", ": umask: ", ": test: ", ": return: "]).with_next(2),
    row("line-endings-perhaps", Kind::LineEndings, Build, r"(\S+): cannot execute: required file not found").confidence(55).remedies(&[FixLineEndings, EditSource("install the interpreter that the first line of {} names")]),
    row("not-executable", Kind::NotExecutable, Build, r"(?:^|: )((?:[\w.+-]*/)*[\w.+-]+): Permission denied$").unless(r"(?:cannot (?:create|open|remove|touch|access|stat|copy|move|change|make|write)|mkdir|rm|cp|mv|tar|open|ln|chmod|chown|touch|install|tee|sed|cc1\w*|ld|error opening|rror: (?:could not|opening)|publickey|[Cc]onnect\w*|fopen|stat|git|access|curl|wget|docker|dial)\b[^/]*: |^\S*(?:mkdir|rm|cp|mv|tar|ln|chmod|chown|touch|install|tee|sed|ld|git|curl|tar):|\): Permission|/dev/|\.(?:o|a|so|log|h|txt|json|tmp|lock|pid): Permission").subject(By(script)).remedies(&[MakeExecutable]),
    row("not-executable-python", Kind::NotExecutable, Build, r"PermissionError: \[Errno 13\] Permission denied: '(\./[^']+|[\w./-]+\.(?:sh|py|pl))'").remedies(&[MakeExecutable]),
    // Git.
    row("git-ownership", Kind::GitState, Build, r"(detected dubious ownership) in repository").subject(Fixed("ownership")).remedies(&[Set("GIT_CONFIG_COUNT", "1"), Set("GIT_CONFIG_KEY_0", "safe.directory"), Set("GIT_CONFIG_VALUE_0", "*")]),
    row("git-identity", Kind::GitState, Build, r"Author identity unknown|Committer identity unknown|[Pp]lease tell me who you are|unable to auto-detect email address|empty ident name").subject(Fixed("identity")).remedies(&[Set("GIT_AUTHOR_NAME", "builder"), Set("GIT_AUTHOR_EMAIL", "builder@localhost"), Set("GIT_COMMITTER_NAME", "builder"), Set("GIT_COMMITTER_EMAIL", "builder@localhost")]),
    row("git-submodule-clone", Kind::MissingSubmodule, Build, r"fatal: clone of '[^']*' into submodule path '([^']+)' failed|Failed to clone '([^']+)'\. Retry scheduled|Failed to recurse into submodule path '([^']+)'|Unable to checkout '\w+' in submodule path '([^']+)'|Unable to find current revision in submodule path '([^']+)'"),
    row("git-tag", Kind::GitState, Weak, r"No names found, cannot describe anything|No tags can describe|No annotated tags can describe|fatal: No names found").subject(Fixed("tag")).remedies(&[RunFirst("git tag v0")]),
    row("git-history", Kind::GitState, Weak, r"fatal: not a git repository|fatal: Not a git repository|your current branch '\w+' does not have any commits|fatal: ambiguous argument 'HEAD'|fatal: bad revision 'HEAD'|fatal: Needed a single revision").subject(Fixed("history")).remedies(&[RunFirst("git init"), RunFirst("git commit --allow-empty")]),
    // Archives and sources.
    row("source-archive", Kind::BrokenSource, Build, r"(This does not look like a tar archive)|stdin: (not in gzip format)|(?:bzip2|xz|lzma|lzip|zstd): [^\n]*(?:is not a bzip2 file|[Ff]ile format not recognized|unsupported format|\(stdin\): Not a)|(End-of-central-directory signature not found)|(File is not a zip file)|gzip: \S+: (unexpected end of file|invalid compressed data)|tar: (Unexpected EOF in archive)|zstd: [^\n]*: (unsupported format)").subject(Fixed("")).remedies(&[RunFirst("git lfs pull"), crate::cure::Cure::Retry]),
    row("source-pointer", Kind::BrokenSource, Build, r"(?:git-lfs|git lfs)[^\n]*(?:not found|smudge|pointer)|version https://git-lfs\.github\.com").subject(Fixed("git-lfs")).remedies(&[ProvideOther("command", "git-lfs"), RunFirst("git lfs pull")]),
    row("source-rpm", Kind::MissingFile, Build, r"error: (?:Bad (?:source|file): |File )(\S+?): No such file or directory").subject(BaseName).class(Class::Packaging),
    row("used-file", Kind::MissingFile, Weak, r"^(?:\S*/)?(?:cp|mv|install|cat|ln|sed|chmod|rm|tar|touch|grep|head|ls|xz|gzip|strip|objcopy|diff|sort): (?:cannot (?:stat|open|access|read)|can't read|failed to access|cannot stat) '?([^':]+)'?: No such file").subject(By(super::wanted::file)).remedies(&[LessParallel, Clean]),
    // Configurations that stop.
    row("compiler-broken", Kind::BrokenCompiler, Configure, r"^configure: error: (?:in '[^']*':\n(?:configure: )?error: )?(?:[\w+]+ )+compiler cannot create executables").with_next(1).marks(&["configure: error: "]).subject(Fixed("")).remedies(&[Set("CFLAGS", ""), ProvideOther("header", "stdio.h")]),
    row("compiler-cross", Kind::ForeignProgram, Configure, r"^configure: error: (?:in '[^']*':\n(?:configure: )?error: )?cannot run (?:(?:[\w+]+ )?compiled programs|test program while cross compiling)").with_next(1).marks(&["configure: error: "]).subject(Fixed("")).remedies(&[EditSource("give the answers as cache variables ac_cv_..., or run the programs under an emulator")]),
    row("compiler-none", Kind::MissingCommand, Configure, r"^configure: error: (?:in '[^']*':\n(?:configure: )?error: )?no acceptable (?:C|C\+\+) compiler").with_next(1).marks(&["configure: error: "]).subject(Fixed("cc")),
    row("pc-program-within", Kind::MissingCommand, Configure, r"^configure: error: in '[^']*':\n(?:configure: )?error: The pkg-config script could not be found").with_next(1).marks(&["configure: error: "]).subject(Fixed("pkg-config")),
    row("configure-option", Kind::UnknownOption, Configure, r"configure: error: unrecognized options?: '?(--?[^\s',]+)").remedies(&[DropFlag("{}")]),
    row("configure-variable", Kind::StaleCache, Configure, r"configure: error: (?:changes in the environment can compromise the build|'(\w+)' (?:has changed since|was (?:not )?set))").remedies(&[Clean]),
    row("configure-in-source", Kind::InSourceBuild, Configure, r"configure: error: source directory already configured|(?i:in-?source builds? (?:are|is) not (?:allowed|supported))|requires out-of-source|requires an? (?:separate|out-of-source|out-of-tree) build").subject(Fixed("")).unless(r"^CMake").marks(&["source directory already configured", "n-source build", "n-Source build", "ource build", "out-of-source", "out-of-tree"]),
    row("meson-version-of", Kind::LibraryVersion, Configure, r"ERROR: (?:Dependency lookup for (\S+) with method '[^']*' failed: Invalid version|Dependency '?([^\s']+)'? (?:is required but|found but) [^\n]*version|Subproject \S+ dependency (\S+) version is)").remedies(&[Version("{}", "")]),
    row("meson-program-version", Kind::ToolVersion, Configure, r"ERROR: (?:Invalid version of program, need '([^']+)'|Program '([^']+)' not found or [^\n]*version)").remedies(&[Version("{}", "")]),
    row("meson-unknown-option", Kind::UnknownOption, Configure, r#"ERROR: (?:Unknown options?: "([^"]+)"|Value "[^"]*" \(of type "\w+"\) for (?:combo )?option "([^"]+)"|Option "?(\S+?)"? (?:does not exist|value))"#).remedies(&[DropFlag("-D{}")]),
    row("meson-git", Kind::Download, Configure, r"ERROR: Git command failed: \[[^\n]*'((?:https?|git|ssh)://[^']+)'"),
    row("meson-download", Kind::Download, Configure, r"ERROR: (?:could not get|Failed to (?:download|fetch)) (\S+)"),
    row("meson-cuda", Kind::MissingCommand, Configure, r#"ERROR: Could not find suitable \w+ compiler: "([^"]+)""#),
    row("meson-file", Kind::MissingFile, Configure, r"ERROR: File (\S+) does not exist").subject(By(super::wanted::file)),
    row("qmake-project", Kind::BuildFile, Stop, r"Cannot find file: (\S+\.pro)").subject(BaseName),
];
