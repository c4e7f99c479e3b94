//! Ranks build roots by evidence.

use super::{BuildRoot, BuildSystem};
use crate::tree::{Tree, base, is_side_folder, language, parent};

/// Roots that are kept.
const KEPT: usize = 60;

/// What a system is worth when several are in one folder.
fn system_worth(system: BuildSystem) -> f64 {
    match system {
        BuildSystem::Autotools => 1.00,
        BuildSystem::Meson => 0.97,
        BuildSystem::AutotoolsBootstrap => 0.94,
        BuildSystem::CMake => 0.93,
        BuildSystem::Configure => 0.90,
        BuildSystem::QMake => 0.85,
        BuildSystem::Make | BuildSystem::Waf => 0.82,
        BuildSystem::Scons => 0.80,
        BuildSystem::Imake => 0.70,
        BuildSystem::Ninja => 0.65,
        BuildSystem::Script => 0.50,
        BuildSystem::PlainC => 0.20,
        // These files mean one thing only, and what lies beside them serves them.
        BuildSystem::RPackage | BuildSystem::Phpize => 1.05,
        BuildSystem::NginxModule | BuildSystem::NodeAddon => 0.98,
        // A binding beside the library that it binds comes after it, a makefile beside it is for its developers.
        BuildSystem::PythonExtension | BuildSystem::KernelModule => 0.84,
        BuildSystem::Jam => 0.74,
        BuildSystem::BoostBuild => 0.72,
        BuildSystem::Premake => 0.71,
        BuildSystem::Gn => 0.68,
        BuildSystem::Xmake => 0.66,
        BuildSystem::LuaRock => 0.64,
        BuildSystem::Qbs => 0.62,
        BuildSystem::Bazel => 0.60,
        BuildSystem::Arduino | BuildSystem::VisualStudio => 0.45,
        BuildSystem::CompileCommands => 0.30,
    }
}

/// Words by which documents and CI files show the system in use.
fn words(system: BuildSystem) -> &'static [&'static str] {
    match system {
        BuildSystem::CMake => &["cmake .", "cmake -", "cmake --build", "ccmake"],
        BuildSystem::Meson => &["meson setup", "meson build", "meson .", "meson _build", "ninja -C"],
        BuildSystem::Autotools | BuildSystem::AutotoolsBootstrap => {
            &["autogen.sh", "autoreconf", "bootstrap", "./configure"]
        }
        BuildSystem::Configure => &["./configure", "./config", "./Configure"],
        BuildSystem::QMake => &["qmake"],
        BuildSystem::Make => &["make linux", "make -f", "run make", "type make", "$ make", "`make`"],
        BuildSystem::Waf => &["./waf", "waf configure"],
        BuildSystem::Scons => &["scons"],
        BuildSystem::Imake => &["xmkmf"],
        BuildSystem::Ninja => &["ninja"],
        BuildSystem::Script => &["build.sh", "compile.sh", "make.sh"],
        BuildSystem::PlainC => &["gcc -", "cc -o", "g++ "],
        BuildSystem::Bazel => &["bazel build", "bazelisk"],
        BuildSystem::Premake => &["premake"],
        BuildSystem::Xmake => &["xmake"],
        BuildSystem::Gn => &["gn gen"],
        BuildSystem::Jam => &["jam"],
        BuildSystem::BoostBuild => &["b2", "bjam"],
        BuildSystem::Qbs => &["qbs"],
        BuildSystem::KernelModule => &["insmod", "modprobe", "dkms"],
        BuildSystem::Phpize => &["phpize"],
        BuildSystem::NginxModule => &["--add-module", "--add-dynamic-module"],
        BuildSystem::LuaRock => &["luarocks"],
        BuildSystem::RPackage => &["R CMD", "install.packages", "install_github"],
        BuildSystem::PythonExtension => &["pip install", "setup.py"],
        BuildSystem::NodeAddon => &["node-gyp", "npm install"],
        BuildSystem::Arduino => &["Arduino"],
        BuildSystem::VisualStudio => &["Visual Studio"],
        BuildSystem::CompileCommands => &["compile_commands"],
    }
}

/// Scores, sorts and cuts the list.
pub(super) fn rank(tree: &Tree, found: &mut Vec<BuildRoot>) {
    let sources: Vec<&str> = tree.files().filter(|path| language(path).is_some()).collect();
    let documents = documents(tree);
    for root in found.iter_mut() {
        score(root, &sources, &documents);
    }
    found.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| a.folder.cmp(&b.folder))
            .then_with(|| a.system.cmp(&b.system))
    });
    found.truncate(KEPT);
}

fn score(root: &mut BuildRoot, sources: &[&str], documents: &str) {
    let mut score = system_worth(root.system);
    let depth = if root.folder.is_empty() {
        0
    } else {
        root.folder.matches('/').count() + 1
    };
    if depth > 0 {
        score -= 0.22 * depth.min(6) as f64;
        root.evidence.push(format!("{depth} folders below the top"));
    }
    // A solution lies beside the sources that it lists, in a folder that says for whom it is.
    let lists = root.system == BuildSystem::VisualStudio;
    let below = sources
        .iter()
        .filter(|path| lists || is_below(path, &root.folder))
        .count();
    let share = if sources.is_empty() {
        0.0
    } else {
        below as f64 / sources.len() as f64
    };
    score += 0.4 * share;
    root.evidence.push(format!(
        "{:.0} % of the sources {}",
        share * 100.0,
        if lists { "to choose from" } else { "below" }
    ));
    if let Some(word) = words(root.system).iter().find(|word| documents.contains(**word)) {
        score += 0.06;
        root.evidence.push(format!("the documents say `{word}`"));
    }
    if !root.folder.is_empty() && enters(documents, &root.folder) {
        score += 0.25;
        root.evidence.push("the documents enter it".to_owned());
    }
    let side = if lists {
        parent(&root.folder)
    } else {
        root.folder.as_str()
    };
    if !side.is_empty() && is_side_folder(side) {
        score -= 0.8;
        root.evidence
            .push("the folder's name says that it is not the project itself".to_owned());
    }
    if is_home_folder(&root.folder) {
        // `unix/Makefile` builds what lies beside it.
        score += 0.3;
        root.evidence.push("the folder is for systems like this".to_owned());
    }
    root.score = score;
}

/// Whether the documents tell to change into a folder, or to build there.
fn enters(documents: &str, folder: &str) -> bool {
    ["cd ", "cd ./", "make -C ", "pushd "].iter().any(|start| {
        documents.match_indices(start).any(|(at, _)| {
            let rest = documents.get(at + start.len()..).unwrap_or_default();
            rest.strip_prefix(folder).is_some_and(|rest| {
                rest.trim_start_matches('/')
                    .chars()
                    .next()
                    .is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.' | '/'))
            })
        })
    })
}

fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

fn is_home_folder(folder: &str) -> bool {
    matches!(
        base(folder).to_ascii_lowercase().as_str(),
        "unix" | "linux" | "posix" | "gcc" | "gmake" | "unixes"
    ) && !is_side_folder(parent(folder))
}

/// What documents and CI files at the top say, in one text.
pub(crate) fn documents(tree: &Tree) -> String {
    let mut text = String::new();
    for path in tree.files() {
        let name = base(path).to_ascii_lowercase();
        let at_top = !path.contains('/');
        let wanted = at_top
            && (name.starts_with("readme")
                || name.starts_with("install")
                || name.starts_with("building")
                || name.starts_with("compil")
                || name.starts_with("hacking")
                || name == "build.md"
                || name == "build.txt"
                || name.starts_with("dockerfile")
                || name == ".travis.yml"
                || name == ".gitlab-ci.yml")
            || path.starts_with(".github/workflows/");
        // The generic text that Automake lays says nothing about this project.
        if wanted
            && let Some(content) = tree.head(path, 64 << 10)
            && !content.contains("These are generic installation instructions")
        {
            text.push_str(&content);
            text.push('\n');
        }
    }
    text
}
