//! Steps of the rarer systems: qmake, SCons, Waf, Ninja, Imake, scripts.

use seatrial_core::{Purpose, Step};
use seatrial_packages::Key;

use super::{Settings, shell, step};
use crate::{pattern::Pattern, tree::Tree};

static QT_MODULES: Pattern = Pattern::new(r"(?m)^[^#\n]*\bQT\s*[+*]?=\s*([^#\n]*)");

fn build(steps: &mut Vec<Step>, folder: &str, command: String) {
    steps.push(step(
        Purpose::Build,
        "all targets; a broken one does not stop the others",
        folder,
        command,
    ));
}

fn install(steps: &mut Vec<Step>, folder: &str, command: String) {
    steps.push(step(Purpose::Install, "what the project installs", folder, command));
}

/// The major versions of Qt to try, in order.
pub(super) fn qt_order(text: &str) -> Vec<u8> {
    if text.contains("lessThan(QT_MAJOR_VERSION, 6)") || text.contains("core5compat") {
        vec![6, 5]
    } else {
        vec![5, 6]
    }
}

/// The modules that a project and its sub-projects name, as pkg-config knows them.
pub(super) fn qt_needs(tree: &Tree, folder: &str, major: u8) -> Vec<Key> {
    let mut needs = vec![Key::PkgConfig(format!("Qt{major}Core"))];
    let projects = tree.below(folder).filter(|path| {
        std::path::Path::new(path)
            .extension()
            .is_some_and(|end| end == "pro" || end == "pri")
    });
    for path in projects.take(60) {
        let text = tree.text(path).unwrap_or_default();
        for module in QT_MODULES.all(&text).iter().flat_map(|list| list.split_whitespace()) {
            let Some(name) = module_name(module) else { continue };
            let key = Key::PkgConfig(format!("Qt{major}{name}"));
            if !needs.contains(&key) {
                needs.push(key);
            }
        }
    }
    needs
}

/// How the name of a qmake module is written in the names of its files; those of the base package need no look-up.
fn module_name(module: &str) -> Option<String> {
    let plain = module.trim_end_matches("-private");
    Some(match plain {
        "core" | "gui" | "widgets" | "network" | "sql" | "xml" | "testlib" | "printsupport" | "concurrent" | "dbus"
        | "opengl" | "" | "\\" => return None,
        "webenginewidgets" => "WebEngineWidgets".to_owned(),
        "x11extras" => "X11Extras".to_owned(),
        "uitools" => "UiTools".to_owned(),
        "serialport" => "SerialPort".to_owned(),
        "multimediawidgets" => "MultimediaWidgets".to_owned(),
        "quickwidgets" => "QuickWidgets".to_owned(),
        "quickcontrols2" => "QuickControls2".to_owned(),
        "xmlpatterns" => "XmlPatterns".to_owned(),
        "texttospeech" => "TextToSpeech".to_owned(),
        "websockets" => "WebSockets".to_owned(),
        "openglwidgets" => "OpenGLWidgets".to_owned(),
        "svgwidgets" => "SvgWidgets".to_owned(),
        "core5compat" => "Core5Compat".to_owned(),
        _ if plain.chars().all(|c| c.is_ascii_alphanumeric()) => {
            let mut letters = plain.chars();
            letters
                .next()
                .map(|first| first.to_ascii_uppercase().to_string() + letters.as_str())?
        }
        _ => return None,
    })
}

pub(super) fn qmake(folder: &str, file: &str, major: u8, settings: &Settings, steps: &mut Vec<Step>) {
    let path = settings.path_line();
    let at = if settings.in_tree { folder } else { "$OUT/build" };
    let arguments = settings.configure_arguments(&["CONFIG+=debug", "CONFIG+=nostrip", "PREFIX=\"$PREFIX\""]);
    steps.push(step(
        Purpose::Configure,
        "a qmake project, with debug information",
        at,
        format!(
            "{path}qmake=$(ls /usr/lib/qt{major}/bin/qmake /usr/bin/qmake{major} 2>/dev/null | head -n 1)\n\
             \"${{qmake:-qmake}}\" {project}{arguments}",
            project = shell::path(&format!("{folder}/"), file),
        ),
    ));
    build(
        steps,
        at,
        format!("{path}make -k {}{}", settings.jobs(), settings.build_words()),
    );
    install(
        steps,
        at,
        format!("{path}make -k install STRIP=: INSTALL_ROOT=\"$PREFIX\""),
    );
}

pub(super) fn scons(folder: &str, file: &str, installs: bool, settings: &Settings, steps: &mut Vec<Step>) {
    let arguments = settings.configure_arguments(&[]);
    let words = settings.build_words();
    build(
        steps,
        folder,
        format!("scons -f {file} -k {}{arguments}{words}", settings.jobs()),
    );
    if installs {
        install(
            steps,
            folder,
            format!("scons -f {file} -k install PREFIX=\"$PREFIX\" prefix=\"$PREFIX\"{arguments}"),
        );
    }
}

pub(super) fn waf(folder: &str, own: bool, settings: &Settings, steps: &mut Vec<Step>) {
    let path = settings.path_line();
    let tool = if own { "python3 ./waf" } else { "waf" };
    let arguments = settings.configure_arguments(&["--prefix=\"$PREFIX\""]);
    steps.push(step(
        Purpose::Configure,
        "a Waf project, with debug information",
        folder,
        format!(
            "{path}export CFLAGS=\"{}\" CXXFLAGS=\"{}\"\n{tool} configure{arguments}",
            settings.c(),
            settings.cxx()
        ),
    ));
    build(
        steps,
        folder,
        format!("{path}{tool} build -k {}{}", settings.jobs(), settings.build_words()),
    );
    install(steps, folder, format!("{path}{tool} install"));
}

pub(super) fn ninja(folder: &str, settings: &Settings, steps: &mut Vec<Step>) {
    build(
        steps,
        folder,
        format!(
            "{}ninja -v -k 0 {}{}",
            settings.path_line(),
            settings.jobs(),
            settings.build_words()
        ),
    );
}

pub(super) fn imake(folder: &str, settings: &Settings, steps: &mut Vec<Step>) {
    let path = settings.path_line();
    steps.push(step(
        Purpose::Configure,
        "an Imake project",
        folder,
        format!("{path}xmkmf -a || xmkmf"),
    ));
    build(
        steps,
        folder,
        format!("{path}make -k {}{}", settings.jobs(), settings.build_words()),
    );
    install(
        steps,
        folder,
        format!("{path}make -k install INSTPGMFLAGS= DESTDIR=\"$PREFIX\""),
    );
}

pub(super) fn script(folder: &str, name: &str, settings: &Settings, steps: &mut Vec<Step>) {
    build(
        steps,
        folder,
        format!("{}bash ./{name}{}", settings.path_line(), settings.build_words()),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::testing::lay;

    #[test]
    fn qt_modules_become_keys() {
        assert!(QT_MODULES.compiles());
        let folder = lay(&[("x.pro", "QT += core gui svg serialport # more\nQT -= network\n")]);
        let keys = qt_needs(&Tree::scan(folder.path()), "", 5);
        let names: Vec<String> = keys.iter().map(ToString::to_string).collect();
        assert_eq!(
            names,
            [
                "pkg-config module `Qt5Core`",
                "pkg-config module `Qt5Svg`",
                "pkg-config module `Qt5SerialPort`"
            ]
        );
    }
}
