//! Libraries that a tree carries and that its root expects to find installed: built and installed first.

use seatrial_core::{Purpose, Step};
use seatrial_packages::Key;

use super::Plan;
use crate::{
    BuildRoot, BuildSystem,
    declared::declared,
    tree::{Tree, base, join, strip},
};

/// Plans that get a variant.
const PLANS: usize = 3;
/// Libraries that are built first.
const LIBRARIES: usize = 6;

/// What lets a build find what was installed before it.
const FOUND: &str = "export PKG_CONFIG_PATH=\"$PREFIX/lib/pkgconfig:$PREFIX/share/pkgconfig\" CMAKE_PREFIX_PATH=\"$PREFIX\" \
                     CPATH=\"$PREFIX/include\" LIBRARY_PATH=\"$PREFIX/lib\" LD_LIBRARY_PATH=\"$PREFIX/lib\" PATH=\"$PREFIX/bin:$PATH\"\n";

/// Adds, behind the plans for roots that ask for something the tree carries, variants that build it first.
pub(super) fn add(tree: &Tree, roots: &[BuildRoot], plans: &mut Vec<Plan>) {
    let mut made = Vec::new();
    for (number, plan) in plans.iter().enumerate().take(PLANS) {
        let found = carried(tree, roots, plan);
        if found.is_empty() {
            continue;
        }
        let names: Vec<&str> = found.iter().map(|first| base(&first.root.folder)).collect();
        let mut variant = plan.clone();
        variant.variant = format!("with {} from the tree first", names.join(", "));
        variant.before = found;
        variant.steps = variant.steps_with(&variant.settings);
        made.push((number, variant));
    }
    for (number, variant) in made.into_iter().rev() {
        plans.insert(number + 1, variant);
    }
}

/// Plans for what a root declares to need, has below it, and does not build by itself.
fn carried(tree: &Tree, roots: &[BuildRoot], plan: &Plan) -> Vec<Plan> {
    let declared = declared(tree, plan);
    let wanted: Vec<String> = declared
        .required
        .iter()
        .chain(&declared.optional)
        .filter_map(|key| match key {
            Key::CMake(name) | Key::PkgConfig(name) | Key::Library(name) => Some(stem(name)),
            Key::Header(name) => Some(stem(base(name).trim_end_matches(".h"))),
            _ => None,
        })
        .collect();
    let file = join(&plan.root.folder, plan.root.file.as_deref().unwrap_or_default());
    let text = tree.text(&file).unwrap_or_default();
    let mut found: Vec<Plan> = Vec::new();
    for root in roots {
        let inside = root.folder != plan.root.folder && strip(&root.folder, &plan.root.folder) != root.folder
            || plan.root.folder.is_empty() && !root.folder.is_empty();
        let builds = matches!(
            root.system,
            BuildSystem::CMake
                | BuildSystem::Meson
                | BuildSystem::Autotools
                | BuildSystem::AutotoolsBootstrap
                | BuildSystem::Configure
                | BuildSystem::Make
        );
        let name = base(&root.folder);
        let taken = found.iter().any(|first| {
            root.folder == first.root.folder || root.folder.starts_with(&format!("{}/", first.root.folder))
        });
        if !inside
            || !builds
            || taken
            || !wanted.contains(&stem(name))
            || text.contains(strip(&root.folder, &plan.root.folder))
        {
            continue;
        }
        let mut own = Vec::new();
        super::plans_of(tree, root, &mut own);
        if let Some(first) = own.into_iter().next() {
            found.push(first);
        }
        if found.len() >= LIBRARIES {
            break;
        }
    }
    found
}

/// A library's name without what differs between the ways to write it: `libpng16`, `png-1.6` and `PNG` are one.
fn stem(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let plain = lower.strip_prefix("lib").unwrap_or(&lower);
    plain
        .trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '_' | '+'))
        .to_owned()
}

/// The steps of what comes first, each in a build folder of its own, and the main steps with what finds it.
pub(super) fn steps(before: &[Plan], main: Vec<Step>) -> Vec<Step> {
    if before.is_empty() {
        return main;
    }
    let mut steps = Vec::new();
    for (number, plan) in before.iter().enumerate() {
        let place = format!("$OUT/first-{number}");
        for step in plan.steps_with(&plan.settings) {
            steps.push(Step {
                folder: step.folder.replace("$OUT/build", &place),
                command: format!("{FOUND}{}", step.command.replace("$OUT/build", &place)),
                ..step
            });
        }
    }
    steps.extend(main.into_iter().map(|step| match step.purpose {
        Purpose::Configure | Purpose::Build | Purpose::Install => Step {
            command: format!("{FOUND}{}", step.command),
            ..step
        },
        Purpose::Dependencies | Purpose::Prepare => step,
    }));
    steps
}

#[cfg(test)]
mod tests {
    use crate::{
        detect::roots,
        plan::plans_for,
        tree::{Tree, testing::lay},
    };

    #[test]
    fn a_carried_library_that_the_root_does_not_build_is_built_first() {
        let main = "int main(void) { return 0; }";
        let titles = |top: &str| -> Vec<String> {
            let folder = lay(&[
                ("CMakeLists.txt", top),
                ("main.c", main),
                (
                    "third_party/libhull-1.2/CMakeLists.txt",
                    "project(hull)\nadd_library(hull h.c)\n",
                ),
                ("third_party/libhull-1.2/h.c", ""),
            ]);
            let tree = Tree::scan(folder.path());
            plans_for(&tree, &roots(&tree)).iter().map(super::Plan::title).collect()
        };
        assert_eq!(
            titles("project(ship)\nfind_library(HULL hull)\n"),
            [
                "CMake at the top",
                "CMake at the top, with libhull-1.2 from the tree first",
                "CMake in third_party/libhull-1.2"
            ]
        );
        assert_eq!(
            titles("project(ship)\nadd_subdirectory(third_party/libhull-1.2)\nfind_library(HULL hull)\n"),
            ["CMake at the top", "CMake in third_party/libhull-1.2"]
        );
    }
}
