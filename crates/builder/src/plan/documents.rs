//! Arguments of the configure step that documents and CI files of the repository use: a way to try when the usual fails.

use super::Plan;
use crate::{
    BuildSystem,
    pattern::Pattern,
    tree::{Tree, join},
};

static CONFIGURE: Pattern = Pattern::new(r"(?m)(?:^|[\s`;&$])\.?\.?/?(?:\./)?configure[ \t]+(-[^\n`;&|]*)");
static CMAKE: Pattern = Pattern::new(r"(?m)(?:^|[\s`;&$])cmake[ \t]+([^\n`;&|]*-D[^\n`;&|]*)");
static MESON: Pattern = Pattern::new(r"(?m)(?:^|[\s`;&$])meson[ \t]+([^\n`;&|]*-D[^\n`;&|]*)");

/// Adds, behind the first plan of its kind, a variant with those arguments.
pub(super) fn add(tree: &Tree, plans: &mut Vec<Plan>) {
    let Some((number, plan)) = plans
        .iter()
        .enumerate()
        .find(|(_, plan)| pattern(plan.system).is_some())
    else {
        return;
    };
    let Some(pattern) = pattern(plan.system) else { return };
    let text = crate::detect::documents(tree).replace("\\\n", " ");
    let known = known(tree, plan);
    for line in pattern.all(&text) {
        let arguments: Vec<String> = line
            .split_whitespace()
            .filter(|word| is_choice(word) && known.as_deref().is_none_or(|known| names(known, word)))
            .map(str::to_owned)
            .collect();
        if arguments.is_empty() {
            continue;
        }
        let mut settings = plan.settings.clone();
        settings.arguments = arguments;
        let steps = plan.steps_with(&settings);
        let variant = Plan {
            variant: "as the documents say".to_owned(),
            settings,
            steps,
            ..plan.clone()
        };
        plans.insert(number + 1, variant);
        return;
    }
}

fn pattern(system: BuildSystem) -> Option<&'static Pattern> {
    match system {
        BuildSystem::CMake => Some(&CMAKE),
        BuildSystem::Meson => Some(&MESON),
        BuildSystem::Autotools | BuildSystem::AutotoolsBootstrap | BuildSystem::Configure => Some(&CONFIGURE),
        _ => None,
    }
}

/// The text that declares the options of a plan's system, where one file does.
fn known(tree: &Tree, plan: &Plan) -> Option<String> {
    let names: &[&str] = match plan.system {
        BuildSystem::Meson => &["meson_options.txt", "meson.options"],
        BuildSystem::Autotools | BuildSystem::AutotoolsBootstrap => &["configure.ac", "configure.in", "configure"],
        _ => return None,
    };
    names.iter().find_map(|name| tree.text(&join(&plan.root.folder, name)))
}

fn names(known: &str, word: &str) -> bool {
    let name = word
        .trim_start_matches("-D")
        .trim_start_matches("--enable-")
        .trim_start_matches("--disable-")
        .trim_start_matches("--with-")
        .trim_start_matches("--without-");
    let name = name.split('=').next().unwrap_or(name);
    known.contains(name)
}

/// An argument that chooses a part of the project, and not a place, a compiler or a kind of build.
fn is_choice(word: &str) -> bool {
    let form = word.starts_with("-D") && word.contains('=')
        || ["--with-", "--without-", "--enable-", "--disable-"]
            .iter()
            .any(|start| word.starts_with(start));
    let value = word.split_once('=').map(|(_, value)| value).unwrap_or_default();
    let is_place = value.starts_with(['/', '~', '.'])
        || word.contains(['$', '<', '>', '%', '{', '}', '[', ']', '"', '\'', '(', ')', '\\', '*']);
    let upper = word.to_ascii_uppercase();
    let is_other = [
        "CMAKE_BUILD_TYPE",
        "INSTALL",
        "TOOLCHAIN",
        "COMPILER",
        "FLAGS",
        "PREFIX",
        "_DIR=",
        "_ROOT=",
        "SANITI",
        "ASAN",
        "COVERAGE",
        "TEST",
        "GENERATOR",
        "WERROR",
        "DOC",
        "STRIP",
        "BUILDTYPE",
        "OSX",
        "ANDROID",
        "FUZZ",
        "BENCH",
        "EXAMPLE",
    ]
    .iter()
    .any(|part| upper.contains(part));
    form && !is_place && !is_other
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::testing::lay;

    #[test]
    fn patterns_compile() {
        assert!(CONFIGURE.compiles() && CMAKE.compiles() && MESON.compiles());
    }

    #[test]
    fn the_documents_arguments_make_a_second_way() {
        let folder = lay(&[
            ("CMakeLists.txt", "project(x)"),
            ("x.c", ""),
            (
                "README.md",
                "    cmake .. -DCMAKE_BUILD_TYPE=Release -DWITH_GUI=OFF \\\n      -DQT_DIR=/opt/qt -DUSE_SYSTEM=1 && make\n",
            ),
        ]);
        let tree = Tree::scan(folder.path());
        let plans = crate::plan::plans_for(&tree, &crate::detect::roots(&tree));
        let arguments: Vec<&[String]> = plans.iter().map(|plan| plan.settings.arguments.as_slice()).collect();
        assert_eq!(
            arguments,
            [&[][..], &["-DWITH_GUI=OFF".to_owned(), "-DUSE_SYSTEM=1".to_owned()][..]]
        );
    }
}
