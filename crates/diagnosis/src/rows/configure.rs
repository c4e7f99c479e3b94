//! Signatures of the machine, of headers and of the tools that configure a build. They are tried first.

use super::{
    Row,
    Subject::{BaseName, By, Fixed, Many, QtModules},
    Weight::{Build, Configure},
    row,
};
use crate::{
    Kind, Remedy,
    cure::{Cure::DropFlag, by_nature},
};

pub(super) static ROWS: &[Row] = &[
    // Headers.
    row("header-gcc", Kind::MissingHeader, Build, r"(?:fatal )?error: ([^:\s']+): No such file or directory").unless(r"cc1\w*: |error: [^:]*\.(?:c|cc|cpp|cxx|o|s|S): No such|config\.status|configure: error|git error"),
    row("header-clang", Kind::MissingHeader, Build, r"fatal error: '([^']+)' file not found"),
    row("header-meson", Kind::MissingHeader, Configure, r"ERROR: \S+ header '([^']+)' not found"),
    row("header-other", Kind::MissingHeader, Build, r#"[Cc](?:annot|ould not) open (?:source|include) file:? ["']([^"']+)["']"#),
    // pkg-config.
    row("pc-program", Kind::MissingCommand, Configure, r"pkg-config script could not be found|Pkg-config (?:binary|for machine \S+) not found|Found pkg-config: NO.*ERROR|ERROR: Pkg-config (?:not found|binary)|pkg-config: (?:command )?not found").subject(Fixed("pkg-config")),
    row("pc-no-package", Kind::MissingPkgConfig, Build, r"No package '([^']+)' found").unless(r"^--"),
    row("pc-was-not-found", Kind::MissingPkgConfig, Build, r"Package '?([^\s',]+)'?(?:, required by '[^']*')?,? (?:was )?not found").unless(r"^--|: Package \S+ was not found by|in specified Vala API"),
    row("pc-python", Kind::MissingPkgConfig, Configure, r"PackageNotFoundError: (\S+) not found"),
    row("pc-version", Kind::LibraryVersion, Configure, r"Requested '([^' ]+)[^']*' but version of|Package dependency requirement '([^' ]+)[^']*' could not be satisfied|^Package '([^']+)' has version '[^']*', required version is").unless(r"^--"),
    row("pc-qmake", Kind::MissingPkgConfig, Configure, r"Project ERROR: (\S+) development package not found"),
    // Meson.
    row("meson-dependency", Kind::MissingPkgConfig, Configure, r#"ERROR: (?:Dependency|Native dependency) ["']?([^"' ]+)["']?(?: \([^)]*\))? (?:is required but )?not found"#),
    row("meson-lookup", Kind::MissingPkgConfig, Configure, r"ERROR: Dependency lookup for (\S+) with method"),
    row("meson-program", Kind::MissingCommand, Configure, r"ERROR: Program(?:\(s\))? \[?'([^']+)'.* not found").subject(BaseName),
    row("meson-library", Kind::MissingLibrary, Configure, r"ERROR: \S+ (?:shared or static |shared |static )?library '([^']+)' not found"),
    row("meson-version", Kind::ToolVersion, Configure, r"ERROR: Meson version is \S+ but project requires").subject(Fixed("meson")),
    row("meson-compiler", Kind::MissingCommand, Configure, r"ERROR: Unknown compiler\(s\): \[\['([^']+)'"),
    row("meson-python", Kind::MissingPython, Configure, r#"ERROR: (?:python3?|"?\S+python\S*"?) (?:is )?missing modules:? (.+)"#).subject(Many),
    row("meson-wrap-off", Kind::Download, Configure, r"Automatic wrap-based subproject downloading is disabled"),
    row("meson-subproject", Kind::MissingSubmodule, Configure, r"Neither a subproject directory nor an? (\S+?)(?:\.wrap)? file was found|ERROR: Subproject exists but has no meson.build file|ERROR: Subproject directory not found"),
    // Autotools.
    row("macro-undefined", Kind::MissingMacro, Configure, r"error: possibly undefined macro: (\w+)"),
    row("macro-library", Kind::MissingMacro, Configure, r"macro '?(\w+)'? not found in library"),
    row("macro-shell", Kind::MissingMacro, Configure, r"configure: (?:line )?\d+: (?:syntax error near unexpected token '?)?(?P<m>(?:A[CMXS]|PKG|LT|GTK_DOC|XORG|IT|GLIB|GNOME|GOBJECT)_[A-Z0-9_]+)"),
    row("macro-syntax", Kind::MissingMacro, Configure, r"configure: (?:line )?\d+: '\s*((?:A[CMXS]|PKG|LT|GTK_DOC|XORG|IT|GLIB|GNOME|GOBJECT)_[A-Z0-9_]+)"),
    row("macro-libtool", Kind::MissingMacro, Configure, r"Libtool library used but '?LIBTOOL'? is undefined").subject(Fixed("LT_INIT")),
    row("stale-not-found", Kind::StaleAutotools, Build, r"\b((?:aclocal|automake)-[\d.]+): (?:command )?not found"),
    row("stale-missing", Kind::StaleAutotools, Build, r"WARNING: '((?:aclocal|automake|autoconf|autoheader)(?:-[\d.]+)?)' is (?:missing on your system|needed)"),
    row("missing-helper", Kind::MissingCommand, Build, r"WARNING: '([\w.+-]+)' is (?:missing on your system|needed)"),
    row("stale-file", Kind::StaleAutotools, Configure, r"required file '([^']+)' not found").subject(By(required_file)).remedies_by(required_file_cures),
    row("stale-libtool", Kind::StaleAutotools, Build, r"libtool:\s+Version mismatch error").subject(Fixed("libtool")),
    row("stale-gettext", Kind::StaleAutotools, Build, r"gettext infrastructure mismatch").subject(Fixed("gettext")),
    row("stale-input", Kind::StaleAutotools, Configure, r"cannot find input file: '?([^\s']+)|cannot find (install-sh), install\.sh,? or shtool|cannot find required auxiliary files: (.+)"),
    row("stale-m4-folder", Kind::StaleAutotools, Configure, r"couldn't open directory '([^']+)'").unless("warning: "),
    row("stale-guess", Kind::StaleAutotools, Configure, r"cannot guess build type; you must specify one").subject(Fixed("config.guess")),
    row("stale-guess-system", Kind::StaleAutotools, Configure, r"config\.guess: unable to guess system type").subject(Fixed("config.guess")),
    row("stale-sub", Kind::StaleAutotools, Configure, r"Invalid configuration '([^']+)': |config\.sub:? (?:Invalid configuration )?'?(\S+?)'?:? (?:.*not recognized|failed)"),
    row("configure-value", Kind::UnknownOption, Configure, r"(?i)^(?:configure: )?error: .*(?:bad|invalid|unknown|unrecogni[sz]ed|unsupported|illegal|wrong|improper) (?:value|argument|choice|setting|option)s?:? (?:of )?.*?(?:for|to|of|in|with|given to) '?(--(?:enable|disable|with|without)-[\w-]+)|^(?:configure: )?error: (?:.*? )?'?(--(?:enable|disable|with|without)-[\w-]+)(?:=\S*)? (?:must|can only|should|takes|expects|needs|accepts|does not (?:take|accept))\b").marks(&["rror: "]).remedies(&[DropFlag("{}")]),
    row("stale-bootstrap", Kind::StaleAutotools, Build, r"Gnulib not yet bootstrapped|[Pp]lease run '?\./?(?:bootstrap|autogen)").subject(Fixed("bootstrap")),
    row("autoconf-version", Kind::ToolVersion, Configure, r"(Autoconf) version \S+ or higher is required").subject(Fixed("autoconf")),
    row("automake-version", Kind::ToolVersion, Configure, r"require Automake \S+, but have|automake-\S+ or (?:newer|higher) is required").subject(Fixed("automake")),
    row("perl-exec", Kind::MissingCommand, Configure, r#"Can't exec "([^"]+)": No such file"#).subject(BaseName),
    // CMake, in one line.
    row("cmake-version", Kind::ToolVersion, Configure, r"CMake \S+ or higher is required|Compatibility with CMake < \S+ has been removed").subject(Fixed("cmake")),
    row("cmake-no-folder", Kind::BuildFile, Configure, r#"The source directory "?([^" ]*)"? (?:does not exist|does not appear to contain CMakeLists)"#),
    // qmake.
    row("qmake-modules", Kind::MissingCMake, Configure, r"Unknown module\(s\) in QT: (.+)").subject(QtModules),
    row("qmake-tool", Kind::MissingCommand, Configure, r"(qmake): could not (?:find a Qt installation|exec)|could not find a (Qt) installation of").subject(Fixed("qmake")),
    row("qmake-error", Kind::BuildFile, Configure, r"Project ERROR: (.+)"),
];

/// Files that the GNU standards ask every project for; no tool makes them.
const STANDARD_FILES: &[&str] = &["NEWS", "README", "AUTHORS", "ChangeLog", "THANKS", "COPYING", "INSTALL"];

/// A file that Automake wants: one of the standards', or one that Autotools lay.
fn required_file(groups: &[String]) -> Vec<(Kind, String)> {
    let Some(name) = groups.first() else { return Vec::new() };
    let base = name.rsplit('/').next().unwrap_or(name);
    let kind = if STANDARD_FILES.contains(&base) {
        Kind::MissingFile
    } else {
        Kind::StaleAutotools
    };
    vec![(kind, name.clone())]
}

fn required_file_cures(kind: Kind, subject: &str, _: &[String]) -> Vec<Remedy> {
    if kind == Kind::MissingFile {
        return vec![Remedy::RunFirst {
            what: "touch NEWS README AUTHORS ChangeLog".to_owned(),
        }];
    }
    by_nature(kind).iter().map(|cure| cure.remedy(subject, &[])).collect()
}
