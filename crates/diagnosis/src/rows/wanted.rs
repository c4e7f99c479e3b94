//! Signatures of files that programs want: scripts that an interpreter was to run, data that a tool was to read, folders
//! that a shell was to enter, archives that are not there or are none; and of rights that a build does not have.

use super::{
    Row,
    Subject::{BaseName, By, Fixed},
    Weight::{Build, Configure, Stop, Weak},
    row,
};
use crate::{
    Kind, Remedy,
    cure::Cure::{Clean, EditSource, LaySubmodules, LessParallel, ProvideOther, Retry, RunFirst, Set, Use, Version},
    prose,
};

/// Whether a file's name says that a tool makes it.
pub(super) fn is_made(name: &str) -> bool {
    let base = name.rsplit('/').next().unwrap_or(name);
    base.starts_with("config.")
        || ["ui_", "moc_", "qrc_"].iter().any(|start| base.starts_with(start))
        || [".pb.", ".tab.", ".yy.", "_generated.", ".moc"]
            .iter()
            .any(|part| base.contains(part))
        || [
            ".o", ".lo", ".a", ".la", ".so", ".obj", ".lib", ".d", ".gmo", ".mo", ".pyc", ".class",
        ]
        .iter()
        .any(|end| base.ends_with(end))
}

/// A file that a command wants: one that the build should have made, or one that is just not there.
pub(super) fn file(groups: &[String]) -> Vec<(Kind, String)> {
    let Some(name) = groups.first().filter(|name| !name.is_empty()) else {
        return Vec::new();
    };
    let kind = if is_made(name) && !name.starts_with('/') {
        Kind::MissingGenerated
    } else {
        Kind::MissingFile
    };
    vec![(kind, name.clone())]
}

/// What a sentence says is not there.
fn sentence(groups: &[String]) -> Vec<(Kind, String)> {
    groups.first().and_then(|text| prose::guess(text)).into_iter().collect()
}

/// The name of a package at the end of an address.
fn last_of_address(groups: &[String]) -> Vec<(Kind, String)> {
    let address = groups.first().map_or("", String::as_str);
    let name = address.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    vec![(Kind::Download, name.replace("%2f", "/"))]
}

/// The runtime that is too old, in lower case.
fn runtime(groups: &[String]) -> Vec<(Kind, String)> {
    let name = groups.first().map(|name| name.to_lowercase()).unwrap_or_default();
    vec![(Kind::RuntimeVersion, name)]
}

fn runtime_cures(_: Kind, subject: &str, groups: &[String]) -> Vec<Remedy> {
    let wanted = groups.get(1).map_or("a newer one", String::as_str);
    vec![Version(subject_name(subject), "{1}").remedy(wanted, &[wanted.to_owned()])]
}

/// The spelling that remedies use for a runtime.
fn subject_name(subject: &str) -> &'static str {
    match subject {
        "perl" => "perl",
        "ruby" => "ruby",
        "node" | "nodejs" | "node.js" => "node",
        "java" | "jdk" => "java",
        "php" => "php",
        "go" => "go",
        _ => "python",
    }
}

/// What cures a file that is not there.
const FILE: &[crate::cure::Cure] = &[LaySubmodules, LessParallel, Clean];
/// What cures a right that is not there.
const RIGHT: &[crate::cure::Cure] = &[
    Set("DESTDIR", "a folder that can be written to"),
    Set("prefix", "a folder that can be written to"),
];

pub(super) static ROWS: &[Row] = &[
    // Rights.
    row("right-root", Kind::Privileges, Configure, r"requested operation requires superuser privilege|are you root\?|[Mm]ust be (?:run )?(?:as )?root|[Yy]ou (?:must|need to) be (?:the )?(?:root|superuser)|(?:requires|needs) (?:to be run (?:as|with) )?(?:root|superuser|administrat\w+) (?:access|privileges?|permissions?|rights)|[Pp]lease run (?:this )?(?:script )?as root|only root can|su: (?:Authentication failure|must be run from)").unless(r"^checking|^--|^#|no need").subject(Fixed("root")).remedies(&[Use("a user that may do that")]),
    row("right-change", Kind::Privileges, Build, r"^(?:\S*/)?(chown|chmod|chgrp|install|cp|mv|tar|mknod|date|nice|setcap|renice|hostname|insmod|mount): (?:\S+: )?(?:changing|[Cc]annot (?:set|change)|failed to|cap_set\w*|settimeofday|sethostname)[^\n]*: (?:Operation not permitted|Permission denied|Not owner)").remedies(&[Use("fakeroot")]),
    row("right-path", Kind::Privileges, Build, r"(?:cannot (?:create|remove|touch|open|write|change|make|move|copy|overwrite|set)|failed to (?:create|open|write|remove)|[Uu]nable to (?:create|open|write)|[Cc](?:an't|ould not) (?:create|open|write|make|remove)|mkdir)\b[^\n':]*?'?(/[^\s':]+)'?(?: for (?:writing|output))?: (?:\[?[Ee]rrno \d+\]? )?(?:Permission denied|Operation not permitted)").unless(r"BUILDROOT|/debian/|error: [^\n]*\.rs:").remedies(RIGHT),
    row("right-python", Kind::Privileges, Build, r"PermissionError: \[Errno (?:13|1)\] (?:Permission denied|Operation not permitted): '(/[^']+)'").unless(r"\.(?:sh|py|pl)'").remedies(&[Set("prefix", "a folder that can be written to"), Use("a virtual environment")]),
    row("right-gem", Kind::Privileges, Configure, r"You don't have write permissions for the (\S+) directory").remedies(&[Set("GEM_HOME", "a folder that can be written to")]),
    row("right-lock", Kind::Privileges, Configure, r"E: (?:Could not open lock file|List directory|Could not create temporary file|Unable to (?:write|lock)) (?:the )?(?:administration directory \()?(/\S+?)\)?(?: |,|$)[^\n]*(?:Permission denied|are you root)").remedies(&[Use("a user that may do that")]),
    row("right-socket", Kind::Privileges, Weak, r"^(?:PermissionError|OSError|socket\.error): \[Errno (?:13|1)\] (?:Permission denied|Operation not permitted)$").subject(Fixed("")).remedies(&[]),
    row("user-unknown", Kind::Setup, Build, r"(?:chown|chgrp|install|id|su|sudo|setpriv|runuser)\S*: (?:invalid (?:user|group):? '([^']+)'|'?([\w-]+)'?: no such user|(?:user|group) '?([\w-]+)'? does not exist|unknown (?:user|group):? '?([\w-]+))").remedies(&[RunFirst("adduser --system {}"), EditSource("leave the owner of {} alone")]),
    row("terminal-unknown", Kind::Setup, Build, r#"tput: (?:unknown terminal "([^"]+)"|No value for \$TERM)|'([\w-]+)': unknown terminal type|Error opening terminal: ([\w-]+)"#).subject(Fixed("terminal")).remedies(&[Set("TERM", "dumb")]),
    row("apt-sources", Kind::Setup, Configure, r"E: You must put some '(deb-src)' URIs in your sources\.list").remedies(&[RunFirst("add deb-src lines to the sources of apt")]),
    row("machine-killed", Kind::Resources, Weak, r"^[^\n]*line \d+: +\d+ Killed +\S|\*\*\* \[[^\]]*\] Killed").subject(Fixed("memory")).remedies(&[LessParallel, Retry]),
    row("machine-out-of-time", Kind::Resources, Weak, r"\*\*\* \[[^\]]*\] Error 124$|CPU time limit exceeded|\*\*\* \[[^\]]*\] Terminated|\d+ Terminated +\S").subject(Fixed("time")).remedies(&[Retry, LessParallel]),
    // The network, in the words of libraries.
    row("network-library", Kind::Network, Build, r"(?:failed to (?:connect to|resolve address for)|dial tcp|[Cc]ould not connect to|connect to address|Failed to open TCP connection to|[Uu]nable to connect to|NewConnectionError\([^\n]*host='|HTTPSConnectionPool\(host='|Couldn't connect to server[^\n]*//) ?'?\[?([\w.-]+[\w])\]?(?:[:,' ]|$)[^\n]*(?:[Cc]onnection (?:refused|timed out|reset)|[Nn]o route to host|[Nn]etwork is unreachable|class=(?:Os|Net)|getaddrinfo|i/o timeout|no such host|Max retries)").unless(r"(?i)postgres|mysql|redis|docker|localhost:\d+ \(test").remedies(&[Retry]),
    row("network-urlopen", Kind::Network, Weak, r"urlopen error \[Errno -?\d+\]|^(?:\w+\.)*(?:ConnectionRefusedError|ConnectionResetError|ConnectTimeout|ConnectionError|TimeoutError): ").subject(Fixed("")).remedies(&[Retry]),
    row("npm-not-cached", Kind::Download, Configure, r"^npm (?:ERR!|error) request to (\S+) failed: cache mode is").subject(By(last_of_address)).remedies(&[Set("npm_config_offline", "false"), Retry]),
    row("npm-not-cached-code", Kind::Download, Stop, r"^npm (?:ERR!|error) code (ENOTCACHED)").subject(Fixed("")).remedies(&[Set("npm_config_offline", "false")]),
    row("gem-not-found", Kind::MissingRuby, Configure, r"Could not find a valid gem '([^']+)'").remedies(&[Retry]),
    row("git-remote-absent", Kind::Download, Build, r"fatal: repository '([^']+)' (?:does not exist|not found)|remote: Repository not found|fatal: '([^']+)' does not appear to be a git repository"),
    row("git-revision", Kind::GitState, Build, r"error: pathspec '([^']+)' did not match any file|fatal: (?:ambiguous argument|bad revision|invalid reference:|Not a valid object name:?|Needed a single revision:?|reference is not a tree:) ?'?([^\s':]+)|fatal: Remote branch (\S+) not found").unless("HEAD").remedies(&[RunFirst("git fetch --tags --unshallow")]),
    row("git-no-tag", Kind::GitState, Build, r"fatal: no tag exactly matches|fatal: No tags? can describe|fatal: cannot describe").subject(Fixed("tag")).remedies(&[RunFirst("git tag v0")]),
    row("git-part", Kind::MissingCommand, Build, r"^git: '([\w-]+)' is not a git command").subject(By(git_program)),
    row("version-manager", Kind::MissingCommand, Build, r"^(?:pyenv|rbenv|nodenv|goenv|asdf|jenv): ([^\s:]+): command not found"),
    // Runtimes that a project's own words ask for.
    row("runtime-said", Kind::RuntimeVersion, Configure, r"(?i)^(?:\S+ )?(?:error|\*\*\*|sorry|fatal|configure: error)\W[^\n]*?(?:need|needs|require[sd]?|at least|minimum(?: version)?(?: of)?|use|install|supports only|only supports) (?:at least )?(?:version )?(python|perl|ruby|node(?:\.?js)?|java|php)(?: version)? ?(?:>=? ?|=> ?)?v?(\d[\w.]*)").unless(r"(?i)librar|header|module|package").subject(By(runtime)).remedies_by(runtime_cures).marks(&["Python ", "python ", "Perl ", "perl ", "Ruby ", "ruby ", "Node ", "node ", "Node.js", "node.js", "Java ", "java ", "PHP "]),
    row("runtime-said-after", Kind::RuntimeVersion, Configure, r"(?i)^(?:\S+ )?(?:error|\*\*\*|sorry|fatal|configure: error)\W[^\n]*?\b(python|perl|ruby|node(?:\.?js)?|java|php)(?: version)? ?(?:>=? ?|=> ?)?v?(\d[\w.]*)\+?(?: or (?:later|newer|higher|above|greater)| is (?:required|needed)| \(or newer\))").subject(By(runtime)).remedies_by(runtime_cures).marks(&["Python ", "python ", "Perl ", "perl ", "Ruby ", "ruby ", "Node ", "node ", "Node.js", "node.js", "Java ", "java ", "PHP "]),
    row("runtime-said-cmake", Kind::RuntimeVersion, Configure, r"(?i)\(message\):\s+[^\n]*?\b(python|perl|ruby|node(?:\.?js)?|java|php)(?: version)? ?(?:>=? ?|=> ?)?v?(\d[\w.]*)\+? (?:or (?:later|newer|higher|above|greater)|is (?:required|needed))").message().subject(By(runtime)).remedies_by(runtime_cures),
    // Archives.
    row("archive-cmake", Kind::BrokenSource, Configure, r"[Pp]roblem with archive_(?:read|write)\w*\(\): (?:Unrecognized|[^\n]*)").message().subject(Fixed("")).remedies(&[Retry]),
    row("archive-python", Kind::BrokenSource, Build, r"^(?:tarfile\.)?ReadError: (?:not a gzip file|file could not be opened|invalid header|unexpected end)|gzip\.BadGzipFile|^EOFError: Compressed file ended|zlib\.error: Error -\d|_lzma\.LZMAError").subject(Fixed("")).remedies(&[Retry]),
    row("archive-member", Kind::MissingFile, Build, r"^tar: (\S+): Not found in archive|^caution: filename not matched: +(\S+)"),
    row("archive-absent", Kind::MissingFile, Build, r"^tar(?: \(child\))?: (\S+): Cannot open: No such file|^unzip: +cannot find or open ([^\s,]+),|^(?:gzip|gunzip|bzip2|bunzip2|xz|unxz|zstd|lzip|7z|cpio): (?:can't stat: |cannot (?:open|stat) )?([^\s:(]+)(?: \([^)]*\))?: No such file"),
    row("archive-checksum", Kind::Checksum, Build, r"^(\S+): FAILED(?: open or read)?\n(?:[^\n]*\n){0,6}?(?:md5|sha\d*|b2|shasum|cksum)\w*: WARNING: ").marks(&[": FAILED"]).with_next(7),
    // Scripts and data that were to be read.
    row("script-perl", Kind::MissingFile, Build, r#"^Can't open perl script "([^"]+)": No such file"#).remedies(FILE),
    row("script-python", Kind::MissingFile, Build, r"^(?:\S*/)?(?:python|pypy)[\d.]*: can't open file '([^']+)': \[Errno 2\]").subject(BaseName).remedies(FILE),
    row("script-other", Kind::MissingFile, Build, r"^(?:\S*/)?ruby: No such file or directory -- (\S+) \(LoadError\)|^lua[\d.]*: cannot open (\S+)$|^(?:tclsh|wish)\S*: couldn't read file \x22([^\x22]+)\x22|^couldn't read file \x22([^\x22]+)\x22: no such file|^Could not open input file: (\S+)$|^awk: (?:\S+: )?(?:fatal: )?can(?:not|'t) open (?:source )?file '([^']+)'").remedies(FILE),
    row("script-shell", Kind::MissingFile, Build, r"^(?:\S*/)?(?:ba|da|z|k)?sh: (?:line )?(?:\d+: )?(?:cannot open |[Cc]an't open )?'?((?:\.{0,2}/)?[\w.+-][^\s':]*(?:/[^\s':]*)?)'?: (?:No such file(?: or directory)?|not found)$").unless(r"^\S*sh: (?:line )?\d+: [\w.+-]+: not found$").remedies(FILE),
    row("script-within", Kind::MissingFile, Weak, r"^(?:\./)?[^\s:]+: (?:line )?\d+: (?:source: |\.: )?(?:cannot open |[Cc]an't open )?'?((?:\./|\.\./|[\w.+-]+/)[^\s':]*|[\w+-]+\.(?:sh|pl|py|mk|inc|conf|cfg|in|txt|awk|sed|rb|js))'?: (?:No such file(?: or directory)?|not found)$").unless(r"cd: |rpm-tmp").remedies(FILE),
    row("script-make", Kind::MissingFile, Build, r"^(?:\S*/)?g?make(?:\[\d+\])?: (\.{1,2}/[^\s:]+|[\w.+-]+/[^\s:]+): (?:No such file or directory|Command not found)").confidence(70).remedies(FILE),
    row("folder-make", Kind::MissingFile, Build, r"^(?:\S*/)?g?make(?:\[\d+\])?: \*\*\* ([^\s:]+): No such file or directory\.  Stop").remedies(FILE),
    row("folder-shell", Kind::MissingFile, Weak, r"(?:^|/)(?:[\w.+-]*)(?:sh|[\w.+-]+): (?:line )?\d+: cd: (?:can't cd to )?([^\s:]+)(?:: (?:No such file or directory|Not a directory))?$").unless("rpm-tmp").remedies(FILE),
    row("driver-specs", Kind::MissingFile, Build, r"fatal error: cannot read spec file '([^']+)'").remedies(&[ProvideOther("path", "{}")]),
    row("driver-language", Kind::UnknownFlag, Build, r"error: language (\S+) not recognized"),
    row("assembler-flag", Kind::UnknownFlag, Build, r"^(?:\S*[-/])?as: unrecogni[sz]ed option '([^']+)'|^Assembler messages:\n(?:Fatal e|E)rror: (?:invalid|unrecogni[sz]ed|bad) [^\n]*?'?(-[\w-][^\s']*)").marks(&["as: unrecogni", "Assembler messages:"]).with_next(1),
    row("link-foreign-input", Kind::WrongFormat, Build, r"\S+ architecture of input file '([^'(]+)(?:\([^)]*\))?' is incompatible with \S+ output").remedies(&[Clean]),
    row("distutils-compiler", Kind::MissingCommand, Build, r"error: command '([^']+)' failed: No such file or directory|unable to execute '([^']+)': No such file").subject(BaseName),
    row("automake-no-input", Kind::MissingFile, Configure, r"^automake\S*: error: no '([^']+)' found for any configure output").remedies(&[RunFirst("./bootstrap")]),
    row("distribution-data", Kind::MissingFile, Weak, r"^(?:\S*/)?(?:cat|grep|egrep|fgrep|head|tail|diff|cmp|sort|wc|gawk|mawk|cut|comm|join|md5sum|sha\d+sum|base64|xxd|od|file|readlink|ls|find|rsync|m4|bison|flex|yacc|xsltproc|msgfmt|xgettext|gperf|objdump|nm|makeinfo|pandoc|dot|protoc|tclsh|source-highlight|asciidoctor|gs|convert|rst2man|help2man|pod2man|dos2unix|file): (?:\S+: )?(?:cannot (?:open|access|read):? |[Cc]an't open (?:file |input file )?|unable to (?:open|read) (?:file )?|error while opening |could not open )?['\x22]?([\w./+-][^\s':\x22]*)['\x22]?(?: for reading)?: (?:No such file|cannot open|[Cc]ould not open)").subject(By(file)).remedies(FILE),
    row("said-needed", Kind::MissingLibrary, Weak, r"^([\w.+-]+(?: (?:library|libraries|headers?|program|module|package))? (?:is|are) (?:needed|required)(?:,| and| but)[^\n]*(?:not (?:be )?(?:found|installed|available)|missing)[^\n]*)$|^((?:Missing|Cannot find|Could not find|Can't find|Unable to find) (?:required |the )*(?:library|header|program|tool|package|dependency):? [^\n]+)$").unless(r"^--|^checking|^WARNING").subject(By(sentence)),
];

/// The program behind a word of git's that git does not know.
fn git_program(groups: &[String]) -> Vec<(Kind, String)> {
    groups
        .first()
        .map(|word| (Kind::MissingCommand, format!("git-{word}")))
        .into_iter()
        .collect()
}
