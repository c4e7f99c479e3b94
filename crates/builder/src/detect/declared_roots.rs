//! Systems whose build file says that it is a project: CMake, Meson, qmake, SCons, Waf, Ninja, Imake.

use super::{Add, BuildSystem};
use crate::{
    pattern::Pattern,
    tree::{Tree, join},
};

static CMAKE_PROJECT: Pattern = Pattern::new(r"(?im)^[ \t]*project[ \t]*\(");
static MESON_PROJECT: Pattern = Pattern::new(r"(?m)^[ \t]*project[ \t]*\(");
static QMAKE: Pattern = Pattern::new(r"(?m)^\s*(?:TEMPLATE|SOURCES|SUBDIRS|QT|TARGET|HEADERS|CONFIG)\s*[+*]?=");

pub(super) fn find(tree: &Tree, folder: &str, names: &[&str], add: &mut Add<'_>) {
    let text = |name: &str| tree.text(&join(folder, name)).unwrap_or_default();
    let has = |name: &str| names.contains(&name);
    if has("CMakeLists.txt") {
        let lists = text("CMakeLists.txt");
        if CMAKE_PROJECT.is_match(&lists) {
            add(
                BuildSystem::CMake,
                Some("CMakeLists.txt"),
                "CMakeLists.txt declares a project".to_owned(),
            );
        } else if folder.is_empty() && lists.to_ascii_lowercase().contains("add_") {
            // CMake itself accepts a top file without `project`.
            add(
                BuildSystem::CMake,
                Some("CMakeLists.txt"),
                "CMakeLists.txt at the top".to_owned(),
            );
        }
    }
    if has("meson.build") && MESON_PROJECT.is_match(&text("meson.build")) {
        add(
            BuildSystem::Meson,
            Some("meson.build"),
            "meson.build declares a project".to_owned(),
        );
    }
    if has("SConstruct") || has("sconstruct") {
        let name = if has("SConstruct") { "SConstruct" } else { "sconstruct" };
        add(BuildSystem::Scons, Some(name), format!("{name} is there"));
    }
    if has("wscript") {
        let what = if has("waf") {
            "wscript and its own waf"
        } else {
            "wscript"
        };
        let script = text("wscript");
        // The wscript of a sub-folder has no `configure`; the top one may do without.
        if folder.is_empty() || script.contains("def configure") || has("waf") {
            add(BuildSystem::Waf, Some("wscript"), what.to_owned());
        }
    }
    if has("build.ninja") && !has("CMakeCache.txt") && !text("build.ninja").contains("meson --internal") {
        add(
            BuildSystem::Ninja,
            Some("build.ninja"),
            "build.ninja is there".to_owned(),
        );
    }
    if has("Imakefile") {
        add(BuildSystem::Imake, Some("Imakefile"), "Imakefile is there".to_owned());
    }
    let mut projects: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| name.len() > 4 && has_extension(name, "pro"))
        .filter(|name| QMAKE.is_match(&text(name)))
        .collect();
    if !projects.is_empty() {
        // The file named like its folder is the one that qmake takes by itself.
        let own = format!("{}.pro", crate::tree::base(folder));
        projects.sort_by_key(|name| (**name != own, !text(name).contains("SUBDIRS"), name.len()));
        if let Some(name) = projects.first() {
            add(BuildSystem::QMake, Some(name), format!("{name} is a qmake project"));
        }
    }
    for name in [
        "build.sh",
        "compile.sh",
        "make.sh",
        "build_linux.sh",
        "build-linux.sh",
        "mk.sh",
    ] {
        if has(name) {
            let script = text(name);
            if ["gcc", "g++", "cc ", "$CC", "make", "cmake", "clang"]
                .iter()
                .any(|word| script.contains(word))
                && !script.contains("docker ")
            {
                add(
                    BuildSystem::Script,
                    Some(name),
                    format!("{name} calls a compiler or a build tool"),
                );
                break;
            }
        }
    }
}

fn has_extension(name: &str, wanted: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| extension == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_compile() {
        assert!(CMAKE_PROJECT.compiles() && MESON_PROJECT.compiles() && QMAKE.compiles());
    }
}
