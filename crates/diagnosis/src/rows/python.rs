//! Signatures of Python: its interpreter's own messages, pip, setuptools, Cython, NumPy, and what native extensions want.

use super::{
    Row,
    Subject::{By, Fixed},
    Weight::{Build, Configure, Stop, Weak},
    row,
};
use crate::{
    Kind, Remedy,
    cure::Cure::{self, EditRecipe, EditSource, Provide, ProvideOther, Set, Use, Version},
};

pub(super) static ROWS: &[Row] = &[
    // Modules that are no longer part of Python, or never were part of this one.
    row("python-distutils", Kind::MissingPython, Build, r"No module named '?(distutils)\b").remedies(&[Provide, ProvideOther("python", "setuptools"), Version("python", "< 3.12")]),
    row("python-numpy-distutils", Kind::RuntimeVersion, Build, r"No module named 'numpy\.distutils").subject(Fixed("python")).remedies(&[Version("python", "< 3.12")]),
    row("python-removed-module", Kind::RuntimeVersion, Build, r"No module named '(imp|asyncore|asynchat|smtpd|cgi|cgitb|crypt|telnetlib|pipes|imghdr|sndhdr|nntplib|lib2to3|aifc|audioop|chunk|msilib|nis|ossaudiodev|spwd|sunau|uu|xdrlib|binhex|formatter|parser|symbol)'").subject(By(runtime)).remedies_by(removed_module),
    row("python-pkg-resources", Kind::MissingPython, Build, r"No module named '(pkg_resources)'").remedies(&[ProvideOther("python", "setuptools"), Version("setuptools", "< 82")]),
    row("python-2-module", Kind::OldSource, Build, r"No module named '?(?:ConfigParser|urllib2|urlparse|StringIO|cStringIO|Queue|commands|cPickle|Tkinter|httplib|__builtin__|HTMLParser|cookielib|SocketServer|BaseHTTPServer|SimpleHTTPServer|copy_reg|anydbm|exceptions|sets|md5|sha|htmlentitydefs|xmlrpclib|robotparser|UserDict|dummy_thread|thread|tkMessageBox|tkFileDialog)'?(?:$|\s)").subject(Fixed("python2")).remedies(PYTHON_2),
    row("python-back-end", Kind::MissingPython, Configure, r"BackendUnavailable: Cannot import '([\w.]+)'|^(?:ERROR: )?Backend '([\w.]+)(?::\w+)?' is not available").remedies(&[Provide, Set("PIP_NO_BUILD_ISOLATION", "1")]),
    row("python-module", Kind::MissingPython, Build, r"(?:ModuleNotFoundError|ImportError): No module named '?([\w.]+)'?|^\S*python[\d.]*: No module named ([\w.]+)$|cannot import name '\w+' from '([\w.]+)' \(unknown location\)").unless("'tzdata'"),
    // Python 2 in Python 3, and other source that is too old.
    row("python-2-syntax", Kind::OldSource, Build, r"SyntaxError: (?:Missing parentheses in call to '(?:print|exec)'|multiple exception types must be parenthesized|leading zeros in decimal integer literals)|TabError: inconsistent use of tabs|NameError: name '(?:unicode|xrange|raw_input|basestring|unichr|execfile|cmp|reload|apply|coerce|long|reduce|file)' is not defined|'dict' object has no attribute '(?:has_key|iteritems|iterkeys|itervalues)'").subject(Fixed("python2")).remedies(PYTHON_2),
    row("python-syntax", Kind::OldSource, Build, r"^\s*SyntaxError: invalid syntax").subject(Fixed("python2")).confidence(55).remedies(PYTHON_2),
    row("python-numpy-alias", Kind::RemovedApi, Build, r"module '(numpy)' has no attribute '(\w+)'").subject(By(dotted)).remedies(&[Version("numpy", "< 1.24"), Version("numpy", "< 2")]),
    row("python-numpy-abi", Kind::LibraryVersion, Build, r"A module that was compiled using NumPy 1\.x cannot be run in|numpy\.core\.multiarray failed to import|_ARRAY_API not found|numpy\.\w+ size changed, may indicate binary incompatibility").subject(Fixed("numpy")).remedies(&[Version("numpy", "< 2")]),
    row("python-setuptools-importer", Kind::ToolVersion, Build, r"module 'pkgutil' has no attribute 'ImpImporter'").subject(Fixed("setuptools")).remedies(&[Version("setuptools", ">= 66.1"), Version("pip", ">= 23.1"), Version("python", "< 3.12")]),
    row("python-removed-name", Kind::RemovedApi, Build, r"module '(collections|inspect|asyncio|ssl|ast|configparser|time|cgi|html|fractions|math|gettext|base64|array|locale|unittest|importlib|importlib\.\w+|threading|platform|string|os|typing|sys|plistlib|random|email|types|itertools|xml\.etree\.\w+)' has no attribute '(\w+)'").subject(By(dotted)).remedies(&[Version("python", "an older one"), EditSource("replace {}")]),
    row("python-removed-import", Kind::RemovedApi, Build, r"ImportError: cannot import name '(\w+)' from '(collections|inspect|asyncio|ssl|ast|configparser|typing|fractions|importlib|html|unittest|gettext|cgi|distutils\.\w+)'").subject(By(dotted_import)).remedies(&[Version("python", "an older one"), EditSource("replace {}")]),
    row("python-removed-method", Kind::RemovedApi, Build, r"'(ConfigParser|RawConfigParser|TestCase|\w*Test\w*)' object has no attribute '(readfp|assert\w+s|assertItemsEqual|assertRaisesRegexp|assertRegexpMatches|assert_|fail\w+)'").subject(By(dotted)).remedies(&[Version("python", "< 3.12"), EditSource("replace {}")]),
    row("python-removed-argument", Kind::RemovedApi, Build, r"TypeError: (?:\w+\.)?(\w+)\(\) got an unexpected keyword argument '(codeset|encoding|loop|usedforsecurity)'").remedies(&[Version("python", "an older one"), EditSource("leave out the argument {2} of {}")]),
    row("python-import-moved", Kind::LibraryVersion, Build, r"ImportError: cannot import name '\w+' from '(?:partially initialized module ')?(\w+)[\w.]*'"),
    // pip and its solver.
    row("pip-externally-managed", Kind::ExternallyManaged, Configure, r"^\s*(?:error: )?externally-managed-environment|error: The interpreter at .* is externally managed").subject(Fixed("python")).remedies(&[Use("a virtual environment"), Set("PIP_BREAK_SYSTEM_PACKAGES", "1")]),
    row("pip-other-python", Kind::RuntimeVersion, Build, r"requires a different Python: \S+ not in '([^']+)'|requires-python: '?([^'\s]+)'? is not (?:compatible|satisfied)|requested Python version \(([^)]*)\).* is incompatible with").subject(Fixed("python")).remedies(&[Version("python", "{1}")]),
    row("pip-conflict", Kind::DependencyConflict, Build, r"Cannot install (.+?) because these package versions have conflicting dependencies").subject(By(several)).last().remedies(&[EditRecipe("loosen one of the pins of {}")]),
    row("pip-impossible", Kind::DependencyConflict, Stop, r"ResolutionImpossible|incompatible with these constraints").subject(Fixed("")).last(),
    row("uv-conflict", Kind::DependencyConflict, Build, r"(?:^|\s)Because (?:only )?(?:there (?:is|are) no versions? of )?([A-Za-z0-9._-]+).*$").unless(r"we can conclude that your requirements|^\s+And ").marks(&["Because "]).confidence(60).last(),
    row("pip-no-version", Kind::NoSuchVersion, Build, r"ERROR: (?:Could not find a version that satisfies the requirement|No matching distribution found for) ([A-Za-z0-9._-]+)(.*)").remedies(&[Version("{}", ""), Version("python", "one that {} has wheels for")]),
    row("pip-wheel-platform", Kind::NoSuchVersion, Build, r"ERROR: (\S+\.whl) is not a supported wheel on this platform"),
    row("pip-renamed", Kind::NoSuchVersion, Build, r"The '(\w+)' PyPI package is deprecated, use '([\w-]+)'").remedies(&[ProvideOther("python", "{1}"), EditRecipe("require {2} in place of {}")]),
    row("pip-wrapper", Kind::Other, Stop, r"ERROR: (?:Could not build wheels for|Failed building wheel for|Failed to build(?: installable wheels for some pyproject\.toml based projects \()?) ?\(?([A-Za-z0-9._-]+)").remedies(&[]),
    row("pip-checksum", Kind::Checksum, Build, r"THESE PACKAGES DO NOT MATCH THE HASHES[^\n]*\n(?:\s*\n)*\s+(?:unknown package:\n[^\n]*|([A-Za-z0-9._-]+)(?:\[[^\]]*\])?(?:[=<>~! ]|$)[^\n]*)|Hashes are required in --require-hashes mode[^\n]*\n(?:\s*\n)*\s+([A-Za-z0-9._-]+)").marks(&["DO NOT MATCH THE HASHES", "Hashes are required in"]).with_next(3),
    row("pip-checksum-plain", Kind::Checksum, Build, r"THESE PACKAGES DO NOT MATCH THE HASHES").subject(Fixed("")),
    row("python-file", Kind::MissingFile, Weak, r"^(?:E +)?FileNotFoundError: \[Errno 2\] No such file or directory: '([^']*[./][^']*)'"),
    // setuptools and pyproject.toml.
    row("setuptools-2to3", Kind::ToolVersion, Build, r"use_2to3 is invalid").subject(Fixed("setuptools")).remedies(&[Version("setuptools", "< 58")]),
    row("setuptools-wheel", Kind::MissingPython, Build, r"error: invalid command 'bdist_(wheel)'").remedies(&[ProvideOther("python", "wheel"), Version("setuptools", ">= 70.1")]),
    row("setuptools-test", Kind::ToolVersion, Build, r"error: invalid command 'test'").subject(Fixed("setuptools")).remedies(&[Version("setuptools", "< 72")]),
    row("setuptools-command", Kind::MissingPlugin, Build, r"error: invalid command '(\w+)'").remedies_by(command_plugin),
    row("setuptools-packaging", Kind::ToolVersion, Build, r"canonicalize_version\(\) got an unexpected keyword|'?install_layout'?$|Invalid dash-separated key").subject(Fixed("setuptools")).remedies(&[Version("setuptools", "an older one"), Version("packaging", ">= 22")]),
    row("setuptools-layout", Kind::BuildFile, Configure, r"Multiple top-level (?:packages|modules) discovered in a flat-layout: (.+?)\.?$").subject(Fixed("pyproject.toml")).remedies(&[EditSource("name the packages in pyproject.toml")]),
    row("python-project-file", Kind::BuildFile, Configure, r"configuration error: '([\w.-]+)' must|TOMLDecodeError: (.+)"),
    row("setuptools-scm", Kind::GitState, Configure, r"setuptools-scm was unable to detect version|Versioning for this project requires either an sdist tarball, or access to an upstream git").subject(Fixed("version")).remedies(&[Set("SETUPTOOLS_SCM_PRETEND_VERSION", "0"), Set("PBR_VERSION", "0")]),
    row("tox-interpreter", Kind::RuntimeVersion, Configure, r"could not find python interpreter matching any of the specs (\S+)|InterpreterNotFound: (\S+)").remedies(&[Version("python", "{}")]),
    // Cython and C extensions.
    row("cython-removed", Kind::ToolVersion, Build, r"\bcython_sources\b|undeclared name not builtin: \w+|Cython\.Compiler\.Errors\.(?:CompileError|InternalError)").subject(Fixed("cython")).remedies(&[Version("cython", "< 3")]),
    row("cython-definitions", Kind::MissingPython, Build, r"'?([\w./]+)\.pxd'? not found$").subject(By(definitions)),
    row("python-old-extension", Kind::RemovedApi, Build, r"error: lvalue required as left operand of assignment\n[^\n]*?\b(Py_TYPE|Py_SIZE|Py_REFCNT)\(").marks(&["lvalue required as left operand"]).with_next(1).remedies(&[Version("python", "< 3.10"), EditSource("make the C files anew with a current Cython")]),
    row("python-old-extension-api", Kind::RemovedApi, Build, r"error: .*'?(_PyLong_\w+|PyUnicode_AS_UNICODE|PyUnicode_(?:GET|Get)_?(?:SIZE|DATA_SIZE)|tp_print|_PyInterpreterState\w*|PyEval_CallObject|PyCFunction_Call|_Py_OPCODE|Py_UNICODE|use_tracing|PyFrameObject|_PyUnicode_\w+|ob_digit)\b").remedies(&[Version("python", "an older one"), EditSource("make the C files anew with a current Cython")]),
    // Programs and libraries that extensions look for in words of their own.
    row("python-pg-config", Kind::MissingCommand, Build, r"(pg_config) executable not found|(xslt-config|xml2-config|gdal-config|geos-config|krb5-config|mysql_config|curl-config|llvm-config|cups-config|magick-config|net-snmp-config)(?:' could not be run| not found|: (?:not found|No such file))").remedies(&[Provide]),
    row("python-mysql", Kind::MissingPkgConfig, Build, r"Can not find valid pkg-config name").subject(Fixed("mysqlclient")).remedies(&[Provide, ProvideOther("pkg_config", "mariadb")]),
    row("python-xmlsec", Kind::MissingPkgConfig, Build, r"(xmlsec1) is not installed"),
    row("python-rust", Kind::MissingCommand, Build, r"can't find Rust compiler|Cargo, the Rust package manager, is not installed|Rust not found, installing into a temporary").subject(Fixed("cargo")).remedies(&[Provide, ProvideOther("command", "rustc")]),
    row("python-cmake", Kind::MissingCommand, Build, r"CMake must be installed to build|RuntimeError: CMake not found|(?:Problem|Error) with the CMake installation").subject(Fixed("cmake")),
    row("python-jpeg", Kind::MissingLibrary, Build, r"The headers or library files could not be found for (\w+)").subject(By(pillow)),
    row("python-hdf5", Kind::MissingLibrary, Build, r"(?i:could not find|unable to load dependency) (?:\w+ )?(?i:hdf5)\b|libhdf5\.so: cannot open shared").marks(&["HDF5", "hdf5"]).subject(Fixed("hdf5")),
];

/// What cures source that was written for Python 2.
const PYTHON_2: &[Cure] = &[
    Version("python", "2.7"),
    EditSource("convert it to Python 3, such as with 2to3"),
];

fn runtime(_: &[String]) -> Vec<(Kind, String)> {
    vec![(Kind::RuntimeVersion, "python".to_owned())]
}

/// `module.name` from the module and the name.
fn dotted(groups: &[String]) -> Vec<(Kind, String)> {
    vec![(Kind::RemovedApi, groups.join("."))]
}

/// `module.name` from `import name` and the module.
fn dotted_import(groups: &[String]) -> Vec<(Kind, String)> {
    let [name, module, ..] = groups else { return Vec::new() };
    vec![(Kind::RemovedApi, format!("{module}.{name}"))]
}

/// The distributions of `a==1, b==2 and c==3`.
fn several(groups: &[String]) -> Vec<(Kind, String)> {
    let list = groups.first().map_or("", String::as_str);
    let mut names: Vec<&str> = list
        .split([',', ' '])
        .filter(|word| !word.is_empty() && *word != "and")
        .map(|word| word.split(['=', '<', '>', '~', '!', '[']).next().unwrap_or(word))
        .collect();
    names.dedup();
    vec![(Kind::DependencyConflict, names.join(" "))]
}

/// The module whose definitions Cython looked for as `a/b.pxd`.
fn definitions(groups: &[String]) -> Vec<(Kind, String)> {
    let path = groups.first().map_or("", String::as_str);
    vec![(Kind::MissingPython, path.replace('/', "."))]
}

/// The library that Pillow calls by a name of its own.
fn pillow(groups: &[String]) -> Vec<(Kind, String)> {
    let name = match groups.first().map_or("", String::as_str) {
        "zlib" => "z",
        other => other,
    };
    vec![(Kind::MissingLibrary, name.to_owned())]
}

/// Distributions that bring a removed module back, and the last interpreters that had it.
fn removed_module(_: Kind, _: &str, groups: &[String]) -> Vec<Remedy> {
    let module = groups.first().map_or("", String::as_str);
    let (back, last) = match module {
        "imp" => ("zombie-imp".to_owned(), "< 3.12"),
        "asyncore" | "asynchat" => (format!("py{module}"), "< 3.12"),
        "smtpd" => ("aiosmtpd".to_owned(), "< 3.12"),
        "binhex" => (String::new(), "< 3.11"),
        "formatter" | "parser" | "symbol" => (String::new(), "< 3.10"),
        "cgi" | "cgitb" => ("legacy-cgi".to_owned(), "< 3.13"),
        "lib2to3" => ("fissix".to_owned(), "< 3.13"),
        other => (format!("standard-{other}"), "< 3.13"),
    };
    let mut remedies = vec![Remedy::Version {
        of: "python".to_owned(),
        wanted: last.to_owned(),
    }];
    if !back.is_empty() {
        remedies.push(Remedy::ProvideOther {
            of: "python".to_owned(),
            name: back,
        });
    }
    remedies
}

/// What brings a command of setuptools that is not there.
fn command_plugin(_: Kind, command: &str, _: &[String]) -> Vec<Remedy> {
    let module = match command {
        "build_sphinx" | "upload_docs" => "sphinx",
        "compile_catalog" | "extract_messages" | "update_catalog" | "init_catalog" => "babel",
        "pytest" | "ptr" => "pytest_runner",
        "nosetests" => "nose",
        "build_ui" => "pyqt_distutils",
        "build_rust" => "setuptools_rust",
        "build_i18n" | "build_help" | "build_icons" => "DistUtilsExtra",
        "flake8" => "flake8",
        other => other,
    };
    vec![Remedy::ProvideOther {
        of: "python".to_owned(),
        name: module.to_owned(),
    }]
}
