//! Signatures of a whole `CMake Error` message, its wrapped lines joined by one blank each.

use super::{
    Row,
    Subject::{
        BaseName, By, CMakeCommand, CMakeInclude, CMakeLanguage, CMakePackage, CMakeTarget, Fixed, Many, QtComponent,
    },
    Weight::{Configure, Machine, Stop, Weak},
    row,
};
use crate::{
    Kind,
    cure::Cure::{LaySubmodules, ProvideOther, Retry, Set},
};

/// A source file of a target: where its name says that a tool makes it, that tool did not run.
fn source_file(groups: &[String]) -> Vec<(Kind, String)> {
    let Some(name) = groups.first() else { return Vec::new() };
    let base = name.rsplit('/').next().unwrap_or(name);
    let is_made = base.starts_with("config.")
        || ["ui_", "moc_", "qrc_"].iter().any(|start| base.starts_with(start))
        || [".pb.", ".tab.", ".yy.", "_generated.", ".moc"]
            .iter()
            .any(|part| base.contains(part));
    let kind = if is_made {
        Kind::MissingGenerated
    } else {
        Kind::MissingFile
    };
    vec![(kind, name.clone())]
}

pub(super) static ROWS: &[Row] = &[
    row("cmake-disk", Kind::Resources, Machine, r"No space left on device|Disk quota exceeded").subject(Fixed("disk")).message(),
    row("cmake-config", Kind::MissingCMake, Configure, r#"Could not find a (?:package configuration file|configuration file for package)(?: provided by)? "([^"]+)""#).unless(r"that is compatible with|was found but|considered but not accepted").subject(CMakePackage).message(),
    row("cmake-config-version", Kind::LibraryVersion, Configure, r#"Could not find a configuration file for package "([^"]+)""#).message(),
    row("cmake-find", Kind::MissingCMake, Configure, r#"By not providing "Find([^"]+)\.cmake""#).subject(CMakePackage).message(),
    row("cmake-qt-component", Kind::MissingCMake, Configure, r#"Failed to find (?:required )?(Qt\d?) component "?(\w+)"?"#).subject(QtComponent).message(),
    row("cmake-unsuitable", Kind::LibraryVersion, Configure, r#"Could NOT find ([\w+.-]+?):? Found unsuitable version "[^"]+""#).message(),
    row("cmake-missing", Kind::MissingCMake, Configure, r"Could NOT find ([\w+.-]+?):? \((?:missing|Required is[^)]*missing): ([^)]+)\)").subject(CMakePackage).message(),
    row("cmake-not-found", Kind::MissingCMake, Configure, r"Could NOT find ([\w+.-]*\w)").subject(CMakePackage).message(),
    row("cmake-required-packages", Kind::MissingPkgConfig, Configure, r"The following required packages were not found:\s+((?:- \S+\s*)+)").subject(Many).message(),
    row("cmake-include", Kind::MissingFile, Configure, r"include could not find (?:requested|load) file:\s+(\S+)").subject(CMakeInclude).message(),
    row("cmake-command", Kind::MissingCMake, Configure, r#"Unknown CMake command "([^"]+)""#).subject(CMakeCommand).message(),
    row("cmake-compiler", Kind::MissingCommand, Configure, r"No CMAKE_(\w+)_COMPILER could be found").subject(CMakeLanguage).message(),
    row("cmake-generator", Kind::MissingCommand, Configure, r#"unable to find a build program corresponding to "(Ninja|Unix Makefiles)""#).subject(CMakeLanguage).message(),
    row("cmake-too-old", Kind::ToolVersion, Configure, r"CMake \S+ or higher is required|Compatibility with CMake < \S+ has been removed").subject(Fixed("cmake")).message(),
    row("cmake-target", Kind::MissingCMake, Configure, r#"links to(?: target)?:?\s+"?([\w.+-]+)::[\w.+:-]+"?\s+but\s+the\s+target was not found"#).subject(CMakeTarget).message(),
    row("cmake-imported-file", Kind::MissingFile, Configure, r#"The imported target "[^"]+" references the file\s+"([^"]+)""#).message(),
    row("cmake-subfolder", Kind::MissingSubmodule, Configure, r#"add_subdirectory given source "([^"]+)" which is not an existing"#).message(),
    row("cmake-empty-folder", Kind::MissingSubmodule, Configure, r"The source directory\s+(\S+)\s+does not contain a CMakeLists\.txt file").message(),
    row("cmake-submodule", Kind::MissingSubmodule, Configure, r"(?i)submodule").subject(Fixed("")).message(),
    row("cmake-hash", Kind::Checksum, Configure, r"DOWNLOAD HASH mismatch\s+for file: \[([^\]]+)\]|HASH mismatch for file: \[([^\]]+)\]").subject(BaseName).message(),
    row("cmake-certificate", Kind::Certificate, Configure, r"(?s)(?:(?i:download\w*|fetch\w*|retriev\w*|get\w*) '?([^\s';]+?)'?(?: failed)?:?\s.*)?(?:SSL peer certificate|status_code: 60\b|certificate verify failed|SSL certificate problem)").message().remedies(&[ProvideOther("package", "ca-certificates"), Set("SSL_CERT_FILE", "the machine's certificates")]),
    row("cmake-network", Kind::Network, Configure, r#"(?s)(?:downloading '([^']+)' failed|(?i:download\w*|fetch\w*|retriev\w*) '?([^\s';]*[./][^\s';]*?)'?(?: failed)?:?\s).*?(?:status_code: (?:5|6|7|28|35|56)\b|\b(?:5|6|7|28|35|56);"|Could(?:n't| not) resolve host|Could(?:n't| not) connect to server|Timeout was reached)"#).message().remedies(&[Retry]),
    row("cmake-download", Kind::Download, Configure, r"downloading '([^']+)' failed").message(),
    row("cmake-compiler-path", Kind::MissingCommand, Configure, r"Could not find compiler set in environment variable \w+:\s+(\S+?)\.?(?:\s|$)|CMAKE_\w+_COMPILER:?\s+(\S+)\s+is not a full path").subject(BaseName).message(),
    row("cmake-dialect", Kind::CompilerTooOld, Configure, r#"requires the language dialect "([^"]+)""#).message(),
    row("cmake-feature", Kind::ToolVersion, Configure, r#"specified unknown feature "cxx_std_\d+""#).subject(Fixed("cmake")).message(),
    row("cmake-generator-name", Kind::UnknownOption, Configure, r"Could not create named generator ([^\n]+?)(?: Generators|\n|$)").message(),
    row("cmake-generator-changed", Kind::StaleCache, Configure, r"Error: generator : ").subject(Fixed("CMakeCache.txt")).message(),
    row("cmake-folder", Kind::BuildFile, Configure, r#"The source directory "([^"]+)" does not (?:appear to contain CMakeLists|exist)"#).message(),
    row("cmake-module-file", Kind::MissingFile, Configure, r"Could not find cmake module file: (\S+\.cmake)").message(),
    row("cmake-clone", Kind::Download, Configure, r"Failed to clone repository: '([^']+)'|downloading '([^']+)' failed|Each download failed|DOWNLOAD (?:HASH mismatch|cannot)|Failed to (?:checkout|fetch|download)").message(),
    row("cmake-library-names", Kind::MissingLibrary, Configure, r"\(find_library\): Could not find \S+ using the following names: ([^\s,]+)").message(),
    row("cmake-program-names", Kind::MissingCommand, Configure, r"\(find_program\): Could not find \S+ using the following names: ([^\s,]+)").message(),
    row("cmake-file-names", Kind::MissingHeader, Configure, r"\(find_(?:path|file)\): Could not find \S+ using the following (?:files|names): ([^\s,]+)").message(),
    row("cmake-source-file", Kind::MissingFile, Configure, r"Cannot find source file:\s+(\S+)").message().subject(By(source_file)).remedies(&[LaySubmodules]),
    row("cmake-in-source", Kind::InSourceBuild, Configure, r"(?i)in-?source builds? (?:are )?(?:not|forbidden)|out-?of-?source").subject(Fixed("")).message(),
    row("cmake-cache", Kind::StaleCache, Configure, r"CMakeCache\.txt directory .* is different|does not match the generator used previously").subject(Fixed("CMakeCache.txt")).message(),
    row("cmake-try-compile", Kind::BrokenCompiler, Configure, r"(?s)The (\w+) compiler\s.*\sis not able to compile a simple test program").subject(Fixed("")).message(),
    row("cmake-follow-up", Kind::Other, Weak, r"CMAKE_\w+_COMPILER not set, after EnableLanguage|CMAKE_MAKE_PROGRAM is not set|project\(\) command").subject(Fixed("")).message(),
    row("cmake-own", Kind::BuildFile, Stop, r"^CMake Error(?: at \S+)? \((?:add_\w+|target_\w+|set_\w+|list|string|file|install|if|else\w*|end\w+|include|cmake_\w+|project|get_\w+|export|configure_file|source_group|foreach|function|macro|math|separate_arguments)\):").subject(Fixed("")).message(),
];
