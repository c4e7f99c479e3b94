//! Generators and build tools that are rarer: Bazel, Premake, xmake, GN, Jam, Boost.Build, Qbs.

use super::{Add, BuildSystem};
use crate::{
    pattern::Pattern,
    tree::{Tree, join},
};

static BAZEL_TARGET: Pattern = Pattern::new(r"(?m)^\s*(?:cc_binary|cc_library|cc_test|cc_shared_library)\s*\(");
static PREMAKE: Pattern = Pattern::new(r#"(?m)^\s*(?:solution|workspace|project)\s*[({"']"#);
static XMAKE: Pattern = Pattern::new(r#"(?m)^\s*target\s*\(\s*["']"#);

pub(super) fn find(tree: &Tree, folder: &str, names: &[&str], add: &mut Add<'_>) {
    let text = |name: &str| tree.text(&join(folder, name)).unwrap_or_default();
    let first = |wanted: &[&'static str]| wanted.iter().copied().find(|name| names.contains(name));
    if let Some(name) = first(&["MODULE.bazel", "WORKSPACE.bazel", "WORKSPACE"])
        && tree
            .below(folder)
            .filter(|path| matches!(crate::tree::base(path), "BUILD" | "BUILD.bazel"))
            .take(200)
            .any(|path| tree.text(path).is_some_and(|text| BAZEL_TARGET.is_match(&text)))
    {
        add(
            BuildSystem::Bazel,
            Some(name),
            format!("{name} and BUILD files with C or C++"),
        );
    }
    if let Some(name) = first(&["premake5.lua", "premake4.lua", "premake.lua"])
        && PREMAKE.is_match(&text(name))
    {
        add(BuildSystem::Premake, Some(name), format!("{name} declares a project"));
    }
    if names.contains(&"xmake.lua") && XMAKE.is_match(&text("xmake.lua")) {
        add(
            BuildSystem::Xmake,
            Some("xmake.lua"),
            "xmake.lua declares targets".to_owned(),
        );
    }
    if names.contains(&".gn") && names.contains(&"BUILD.gn") {
        add(
            BuildSystem::Gn,
            Some("BUILD.gn"),
            ".gn and BUILD.gn are there".to_owned(),
        );
    }
    if let Some(name) = first(&["Jamroot", "Jamroot.jam", "jamroot.jam", "jamroot", "project-root.jam"]) {
        add(BuildSystem::BoostBuild, Some(name), format!("{name} is there"));
    } else if let Some(name) = first(&["Jamfile", "jamfile", "Jambase", "Jamrules", "jamfile.jam"])
        && (folder.is_empty() || first(&["Jamrules", "Jambase"]).is_some())
    {
        // `exe x : x.c ;` is the younger Boost.Build; `Main x : x.c ;` the old Jam.
        let all = format!("{}\n{}", text(name), text("Jamrules"));
        let boost =
            all.contains("\nexe ") || all.starts_with("exe ") || all.contains("\nproject ") || all.contains("\nlib ");
        let system = if boost {
            BuildSystem::BoostBuild
        } else {
            BuildSystem::Jam
        };
        add(system, Some(name), format!("{name} is there"));
    }
    let mut qbs: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| name.len() > 4 && name.strip_suffix(".qbs").is_some())
        .collect();
    qbs.sort_by_key(|name| name.len());
    if let Some(name) = qbs.first()
        && text(name).contains("import qbs")
            | text(name).contains("Project {")
            | text(name).contains("Product {")
            | text(name).contains("Application {")
    {
        add(BuildSystem::Qbs, Some(name), format!("{name} is a Qbs project"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_compile() {
        assert!(BAZEL_TARGET.compiles() && PREMAKE.compiles() && XMAKE.compiles());
    }
}
