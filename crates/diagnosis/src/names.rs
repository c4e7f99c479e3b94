//! From what a message captures to the subjects of a problem.

use crate::{Kind, rows::Subject};

/// The subjects of a match, with the kind each one is of.
pub(crate) fn subjects(kind: Kind, form: Subject, first: &str, second: &str) -> Vec<(Kind, String)> {
    let one = |name: &str| vec![(kind, name.to_owned())];
    match form {
        Subject::Whole => one(first.trim()),
        Subject::Fixed(name) => one(name),
        Subject::BaseName => one(first.trim().rsplit('/').next().unwrap_or_default()),
        Subject::Many => words(first).map(|name| (kind, name.to_owned())).collect(),
        Subject::QtModules => words(first)
            .map(|module| (kind, format!("Qt5{}", qt_component(module))))
            .collect(),
        Subject::QtComponent => {
            let version = if first.ends_with(|c: char| c.is_ascii_digit()) {
                first.to_owned()
            } else {
                "Qt5".to_owned()
            };
            one(&format!("{version}{second}"))
        }
        Subject::CMakePackage => cmake_package(first, second)
            .into_iter()
            .map(|name| (kind, name))
            .collect(),
        Subject::CMakeInclude if first.contains('.') => one(first),
        Subject::CMakeInclude => one(&format!("{first}.cmake")),
        Subject::CMakeTarget => one(first),
        Subject::CMakeLanguage => vec![(Kind::MissingCommand, language_program(first).to_owned())],
        // The row's own function is asked by whoever has all the groups.
        Subject::By(_) => Vec::new(),
        Subject::CMakeCommand => match command_owner(first) {
            Some((kind, name)) => vec![(kind, name.to_owned())],
            None => vec![(Kind::BuildFile, first.to_owned())],
        },
    }
}

/// Names between blanks, commas and quotes.
fn words(list: &str) -> impl Iterator<Item = &str> {
    list.split(|c: char| c.is_whitespace() || matches!(c, ',' | '\'' | '"' | '[' | ']'))
        .filter(|word| word.chars().any(char::is_alphanumeric))
}

/// A package; for Boost, whose parts are packages of their own, the parts that are missing.
fn cmake_package(name: &str, missing: &str) -> Vec<String> {
    if name == "Boost" {
        let parts: Vec<String> = words(missing)
            .filter(|part| {
                part.chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
            })
            .map(|part| format!("boost_{}", part.trim_start_matches("boost_")))
            .collect();
        if !parts.is_empty() {
            return parts;
        }
    }
    vec![name.to_owned()]
}

/// The program that compiles a language, or that a generator's files are for.
fn language_program(language: &str) -> &str {
    match language {
        "C" | "ASM" => "gcc",
        "CXX" => "g++",
        "Fortran" => "gfortran",
        "ASM_NASM" => "nasm",
        "CUDA" => "nvcc",
        "Java" => "javac",
        "Swift" => "swiftc",
        "Ninja" => "ninja",
        "Unix Makefiles" => "make",
        other => other,
    }
}

/// The package whose configuration defines a command.
fn command_owner(command: &str) -> Option<(Kind, &'static str)> {
    const OWNERS: [(&str, Kind, &str); 14] = [
        ("ecm_", Kind::MissingCMake, "ECM"),
        ("kde_", Kind::MissingCMake, "ECM"),
        ("ki18n_", Kind::MissingCMake, "KF5I18n"),
        ("kconfig_", Kind::MissingCMake, "KF5Config"),
        ("qt5_create_translation", Kind::MissingCMake, "Qt5LinguistTools"),
        ("qt5_add_translation", Kind::MissingCMake, "Qt5LinguistTools"),
        ("qt5_", Kind::MissingCMake, "Qt5Core"),
        ("qt6_", Kind::MissingCMake, "Qt6Core"),
        ("qt_add_", Kind::MissingCMake, "Qt6Core"),
        ("pybind11_", Kind::MissingCMake, "pybind11"),
        ("pkg_", Kind::MissingCMake, "PkgConfig"),
        ("protobuf_generate", Kind::MissingCMake, "Protobuf"),
        ("gtest_", Kind::MissingCMake, "GTest"),
        ("catch_", Kind::MissingCMake, "Catch2"),
    ];
    let folded = command.to_ascii_lowercase();
    OWNERS
        .iter()
        .find(|(prefix, _, _)| folded.starts_with(prefix))
        .map(|(_, kind, name)| (*kind, *name))
}

/// Qt's own spelling of a module that qmake spells in lower case.
fn qt_component(module: &str) -> String {
    const SPELLINGS: [(&str, &str); 16] = [
        ("printsupport", "PrintSupport"),
        ("opengl", "OpenGL"),
        ("x11extras", "X11Extras"),
        ("webkit", "WebKit"),
        ("webkitwidgets", "WebKitWidgets"),
        ("webengine", "WebEngine"),
        ("webenginewidgets", "WebEngineWidgets"),
        ("websockets", "WebSockets"),
        ("webchannel", "WebChannel"),
        ("serialport", "SerialPort"),
        ("multimediawidgets", "MultimediaWidgets"),
        ("quickwidgets", "QuickWidgets"),
        ("quickcontrols2", "QuickControls2"),
        ("xmlpatterns", "XmlPatterns"),
        ("uitools", "UiTools"),
        ("dbus", "DBus"),
    ];
    if let Some((_, spelling)) = SPELLINGS.iter().find(|(name, _)| *name == module) {
        return (*spelling).to_owned();
    }
    let mut letters = module.chars();
    letters
        .next()
        .map(|first| first.to_ascii_uppercase().to_string() + letters.as_str())
        .unwrap_or_default()
}
