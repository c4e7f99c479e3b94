//! Reads Visual Studio's solutions and projects, old and new, and compilation databases.

use std::collections::BTreeSet;

use super::{
    shell,
    units::{Product, Source, Target, Units},
};
use crate::{
    BuildRoot,
    detect::has_main,
    pattern::Pattern,
    tree::{Language, Tree, base, join, language, parent},
};

static SOLUTION_PROJECT: Pattern = Pattern::new(r#"(?m)^Project\("[^"]*"\)\s*=\s*"[^"]*",\s*"([^"]+\.vcx?proj)""#);
static COMPILE: Pattern = Pattern::new(r#"(?s)<ClCompile\s+Include="([^"]+)"\s*(/>|>.*?</ClCompile>)"#);
static OLD_FILE: Pattern = Pattern::new(r#"(?s)<File\s[^>]*?RelativePath="([^"]+)""#);
static TYPE: Pattern = Pattern::new(r#"<ConfigurationType>\s*(\w+)|ConfigurationType="(\d+)""#);
static INCLUDES: Pattern =
    Pattern::new(r#"(?s)<AdditionalIncludeDirectories>(.*?)</|AdditionalIncludeDirectories="([^"]*)""#);
static DEFINES: Pattern = Pattern::new(r#"(?s)<PreprocessorDefinitions>(.*?)</|PreprocessorDefinitions="([^"]*)""#);
static REFERENCE: Pattern = Pattern::new(r#"<ProjectReference\s+Include="([^"]+)""#);
static STANDARD: Pattern = Pattern::new(r"<LanguageStandard>stdcpp(\d+|latest)");
static NAME: Pattern = Pattern::new(r"<TargetName>([A-Za-z0-9_.-]+)</TargetName>");
static WINDOWS_HEADER: Pattern = Pattern::new(
    r#"(?mi)^#[ \t]*include[ \t]*[<"](?:windows|windowsx|winsock2?|tchar|d3d\w*|commctrl|shlobj|atlbase|afxwin|dsound|ddraw|wininet|winuser|conio|direct|io)\.h"#,
);

/// Projects that are read.
const PROJECTS: usize = 24;
/// Sources of all projects.
const SOURCES: usize = 1500;

/// What a solution or a project says, and whether its sources need Windows.
pub(super) fn visual_studio(tree: &Tree, root: &BuildRoot) -> (Units, bool) {
    let file = root.file.as_deref().unwrap_or_default();
    let path = join(&root.folder, file);
    let projects = if has_ending(file, "sln") {
        let text = tree.text(&path).unwrap_or_default();
        SOLUTION_PROJECT
            .all(&text)
            .into_iter()
            .filter_map(|project| resolve(&root.folder, project))
            .filter_map(|project| existing(tree, &project))
            .take(PROJECTS)
            .collect()
    } else {
        vec![path]
    };
    let mut targets = Vec::new();
    let mut left = SOURCES;
    for project in &projects {
        if let Some(target) = target(tree, project, &mut left) {
            targets.push(target);
        }
    }
    // A solution without project references lists libraries beside the programs that want them.
    let libraries: Vec<String> = targets
        .iter()
        .filter(|target| target.product != Product::Program)
        .map(|target| target.name.clone())
        .collect();
    for target in &mut targets {
        if target.needs.is_empty() && target.product == Product::Program {
            target.needs.clone_from(&libraries);
        }
    }
    let windows = targets
        .iter()
        .flat_map(|target| &target.sources)
        .take(300)
        .any(|source| needs_windows(tree, &source.path));
    (
        Units {
            targets: sorted(targets),
            windows: false,
        },
        windows,
    )
}

fn has_ending(name: &str, wanted: &str) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(_, end)| end.eq_ignore_ascii_case(wanted))
}

fn target(tree: &Tree, project: &str, left: &mut usize) -> Option<Target> {
    let text = tree.text(project)?;
    let folder = parent(project);
    let stem = base(project).rsplit_once('.').map_or(base(project), |(stem, _)| stem);
    let name: String = NAME
        .first(&text)
        .unwrap_or(stem)
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+') {
                c
            } else {
                '_'
            }
        })
        .collect();
    let product = match TYPE.first(&text) {
        Some("DynamicLibrary" | "2") => Product::Shared,
        Some("StaticLibrary" | "4") => Product::Archive,
        Some("Utility" | "Makefile" | "0" | "10") => return None,
        _ => Product::Program,
    };
    let flags = flags(tree, folder, &text);
    let mut sources = Vec::new();
    let mut seen = BTreeSet::new();
    let compiled = COMPILE.groups(&text).into_iter().filter_map(|groups| {
        let [path, body] = groups.as_slice() else { return None };
        // Excluded everywhere, as a rule because another file includes it.
        (!body.contains("<ExcludedFromBuild>true")).then_some(*path)
    });
    for listed in compiled.chain(OLD_FILE.all(&text)) {
        let Some(path) = resolve(folder, listed).and_then(|path| existing(tree, &path)) else {
            continue;
        };
        let Some(language) = language(&path) else { continue };
        if *left == 0 || !seen.insert(path.clone()) {
            continue;
        }
        *left -= 1;
        sources.push(Source {
            path,
            language,
            flags: match (language, STANDARD.first(&text)) {
                (Language::Cxx, Some("latest")) => format!("{flags} -std=gnu++20"),
                (Language::Cxx, Some(year)) => format!("{flags} -std=gnu++{year}"),
                _ => flags.clone(),
            },
        });
    }
    if sources.is_empty() {
        return None;
    }
    let needs = REFERENCE
        .all(&text)
        .into_iter()
        .map(|path| path.replace('\\', "/"))
        .map(|path| {
            base(&path)
                .rsplit_once('.')
                .map_or_else(|| base(&path).to_owned(), |(stem, _)| stem.to_owned())
        })
        .collect();
    Some(Target {
        name,
        product,
        sources,
        needs,
        libraries: Vec::new(),
    })
}

/// Include folders and definitions of all configurations together, without what only Windows has.
fn flags(tree: &Tree, folder: &str, text: &str) -> String {
    let mut words = Vec::new();
    for list in INCLUDES.all(text) {
        for one in list.split(';') {
            let one = one
                .trim()
                .trim_matches('"')
                .replace("$(ProjectDir)", "./")
                .replace("$(SolutionDir)", "./")
                .replace("&quot;", "");
            if one.is_empty() || one.contains('%') || one.contains('$') {
                continue;
            }
            if let Some(path) = resolve(folder, &one).and_then(|path| existing_folder(tree, &path)) {
                let word = format!(" -I{}", shell::path("$SRC/", &path));
                if !words.contains(&word) {
                    words.push(word);
                }
            }
        }
    }
    let own = format!(" -I{}", shell::path("$SRC/", folder));
    if !words.contains(&own) {
        words.push(own);
    }
    for list in DEFINES.all(text) {
        for one in list.split([';', ',']) {
            let one = one.trim().replace("&quot;", "\"").replace("\\\"", "\"");
            let name = one.split('=').next().unwrap_or_default();
            let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            let is_theirs = name.starts_with("WIN")
                || name.starts_with("_WIN")
                || name.starts_with("_CRT")
                || name.starts_with("_SCL")
                || matches!(
                    name,
                    "NDEBUG"
                        | "_DEBUG"
                        | "DEBUG"
                        | "_CONSOLE"
                        | "_LIB"
                        | "_USRDLL"
                        | "_MBCS"
                        | "UNICODE"
                        | "_UNICODE"
                        | "STRICT"
                );
            if is_name && !is_theirs && !one.contains(['$', '%', '\'']) {
                let word = format!(" '-D{one}'");
                if !words.contains(&word) {
                    words.push(word);
                }
            }
        }
    }
    words.concat()
}

/// Libraries come before the programs that link them.
fn sorted(targets: Vec<Target>) -> Vec<Target> {
    let (programs, mut libraries): (Vec<Target>, Vec<Target>) = targets
        .into_iter()
        .partition(|target| target.product == Product::Program);
    libraries.sort_by_key(|target| target.product != Product::Archive);
    libraries.extend(programs);
    libraries
}

/// Whether a source includes a header of Windows outside of every condition.
fn needs_windows(tree: &Tree, path: &str) -> bool {
    let text = tree.text(path).unwrap_or_default();
    crate::declared::unconditional(&text)
        .lines()
        .any(|line| WINDOWS_HEADER.is_match(line))
}

/// A path with backslashes, relative to a folder; none when it leads out of the tree.
fn resolve(folder: &str, path: &str) -> Option<String> {
    let path = path.replace('\\', "/");
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            other => parts.push(other),
        }
    }
    Some(parts.join("/"))
}

/// The file of this name, also where its letters' case differs: Windows does not mind.
fn existing(tree: &Tree, path: &str) -> Option<String> {
    if tree.has(path) {
        return Some(path.to_owned());
    }
    tree.files()
        .find(|file| file.eq_ignore_ascii_case(path))
        .map(str::to_owned)
}

fn existing_folder(tree: &Tree, path: &str) -> Option<String> {
    if path.is_empty() || tree.has_folder(path) {
        return Some(path.to_owned());
    }
    tree.folders()
        .find(|folder| folder.eq_ignore_ascii_case(path))
        .map(str::to_owned)
}

/// What a compilation database says. Paths of the machine that it was made on are found again by their ends.
pub(super) fn compile_commands(tree: &Tree, root: &BuildRoot) -> Units {
    let text = tree
        .text(&join(&root.folder, root.file.as_deref().unwrap_or_default()))
        .unwrap_or_default();
    let Ok(serde_json::Value::Array(entries)) = serde_json::from_str::<serde_json::Value>(&text) else {
        return Units::default();
    };
    let mut sources: Vec<Source> = Vec::new();
    for entry in entries.iter().take(SOURCES) {
        let word = |name: &str| entry.get(name).and_then(serde_json::Value::as_str).unwrap_or_default();
        let Some(path) = found_again(word("file"), |end| tree.has(end)) else {
            continue;
        };
        let Some(language) = language(&path) else { continue };
        if sources.iter().any(|source| source.path == path) {
            continue;
        }
        let words: Vec<String> = match entry.get("arguments").and_then(serde_json::Value::as_array) {
            Some(list) => list
                .iter()
                .filter_map(serde_json::Value::as_str)
                .map(str::to_owned)
                .collect(),
            None => word("command").split_whitespace().map(str::to_owned).collect(),
        };
        sources.push(Source {
            path,
            language,
            flags: unit_flags(tree, &words),
        });
    }
    let (mains, shared): (Vec<Source>, Vec<Source>) = sources
        .into_iter()
        .partition(|source| tree.text(&source.path).is_some_and(|text| has_main(&text)));
    let mut targets = Vec::new();
    let library = "objects".to_owned();
    let mut needs = Vec::new();
    if !shared.is_empty() {
        needs.push(library.clone());
        targets.push(Target {
            name: library,
            product: Product::Archive,
            sources: shared,
            needs: Vec::new(),
            libraries: Vec::new(),
        });
    }
    for main in mains {
        let name = base(&main.path)
            .rsplit_once('.')
            .map_or(base(&main.path), |(stem, _)| stem)
            .to_owned();
        targets.push(Target {
            name,
            product: Product::Program,
            sources: vec![main],
            needs: needs.clone(),
            libraries: Vec::new(),
        });
    }
    Units {
        targets,
        windows: false,
    }
}

/// The longest end of a path that is in the tree.
fn found_again(path: &str, is_there: impl Fn(&str) -> bool) -> Option<String> {
    let path = path.trim_start_matches('/').trim_start_matches("./");
    let mut rest = path;
    loop {
        if is_there(rest) {
            return Some(rest.to_owned());
        }
        rest = rest.split_once('/')?.1;
    }
}

/// The flags that say what is compiled: definitions, standards, and folders that are in the tree.
fn unit_flags(tree: &Tree, words: &[String]) -> String {
    let mut flags = String::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let folder = match word.as_str() {
            "-I" | "-isystem" | "-iquote" => words.next().map(String::as_str),
            _ => word.strip_prefix("-I").or_else(|| word.strip_prefix("-isystem")),
        };
        if let Some(folder) = folder {
            let folder = folder.trim_end_matches('/');
            if let Some(path) = found_again(folder, |end| tree.has_folder(end)) {
                flags.push_str(" -I");
                flags.push_str(&shell::path("$SRC/", &path));
            }
        } else if (word.starts_with("-D") || word.starts_with("-std=") || word.starts_with("-f"))
            && !word.contains('\'')
        {
            flags.push_str(" '");
            flags.push_str(&word.replace("\\\"", "\""));
            flags.push('\'');
        }
    }
    flags.push_str(" -I\"$SRC\"");
    flags
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{detect::BuildSystem, tree::testing::lay};

    #[test]
    fn patterns_compile() {
        let all = [
            &SOLUTION_PROJECT,
            &COMPILE,
            &OLD_FILE,
            &TYPE,
            &INCLUDES,
            &DEFINES,
            &REFERENCE,
            &STANDARD,
            &NAME,
            &WINDOWS_HEADER,
        ];
        assert!(all.iter().all(|pattern| pattern.compiles()));
    }

    fn root(file: &str) -> BuildRoot {
        BuildRoot {
            folder: String::new(),
            system: BuildSystem::VisualStudio,
            score: 0.0,
            evidence: Vec::new(),
            file: Some(file.to_owned()),
        }
    }

    #[test]
    fn a_solution_lists_projects_and_their_sources_whatever_the_case() {
        let folder = lay(&[
            (
                "fleet.sln",
                "Project(\"{8BC9}\") = \"ship\", \"win\\ship.vcxproj\", \"{1}\"\nEndProject\nProject(\"{8BC9}\") = \"hull\", \"hull\\hull.vcproj\", \"{2}\"\nEndProject\n",
            ),
            (
                "win/ship.vcxproj",
                "<ConfigurationType>Application</ConfigurationType><AdditionalIncludeDirectories>..\\Hull;%(More)</AdditionalIncludeDirectories>\
                 <PreprocessorDefinitions>WIN32;SAILS=3;NDEBUG;%(X)</PreprocessorDefinitions><ClCompile Include=\"..\\SRC\\Main.c\" />\
                 <ClCompile Include=\"..\\src\\off.c\"><ExcludedFromBuild>true</ExcludedFromBuild></ClCompile><ProjectReference Include=\"..\\hull\\hull.vcproj\">",
            ),
            (
                "hull/hull.vcproj",
                "<Configuration ConfigurationType=\"4\"><Tool PreprocessorDefinitions=\"WIN32;_LIB\"/><File\n\tRelativePath=\".\\hull.cpp\"\n>",
            ),
            (
                "src/main.c",
                "#ifdef _WIN32\n#include <windows.h>\n#endif\nint main(void) { return 0; }",
            ),
            ("src/off.c", ""),
            ("hull/hull.cpp", ""),
        ]);
        let tree = Tree::scan(folder.path());
        let (units, windows) = visual_studio(&tree, &root("fleet.sln"));
        assert!(!windows);
        let lines: Vec<String> = units
            .targets
            .iter()
            .map(|target| {
                let sources: Vec<String> = target
                    .sources
                    .iter()
                    .map(|source| format!("{}{}", source.path, source.flags))
                    .collect();
                format!(
                    "{} {:?} <- {:?}: {}",
                    target.name,
                    target.product,
                    target.needs,
                    sources.join(", ")
                )
            })
            .collect();
        assert_eq!(
            lines,
            [
                "hull Archive <- []: hull/hull.cpp -I\"$SRC/hull\"",
                "ship Program <- [\"hull\"]: src/main.c -I\"$SRC/hull\" -I\"$SRC/win\" '-DSAILS=3'",
            ]
        );
    }

    #[test]
    fn a_database_of_another_machine_is_read() {
        let folder = lay(&[
            (
                "compile_commands.json",
                r#"[{"directory":"/home/a/ship/build","command":"cc -I/home/a/ship/include -DX=1 -O2 -o m.o -c /home/a/ship/src/m.c","file":"/home/a/ship/src/m.c"},
                   {"directory":"/home/a/ship","arguments":["cc","-c","src/oar.c"],"file":"src/oar.c"},{"file":"/usr/x.c"}]"#,
            ),
            ("include/oar.h", ""),
            ("src/m.c", "int main(void) { return 0; }"),
            ("src/oar.c", ""),
        ]);
        let units = compile_commands(&Tree::scan(folder.path()), &root("compile_commands.json"));
        let names: Vec<&str> = units.targets.iter().map(|target| target.name.as_str()).collect();
        assert_eq!(names, ["objects", "m"]);
        let flags: Vec<&str> = units
            .targets
            .iter()
            .flat_map(|target| &target.sources)
            .map(|source| source.flags.as_str())
            .collect();
        assert_eq!(flags, [" -I\"$SRC\"", " -I\"$SRC/include\" '-DX=1' -I\"$SRC\""]);
    }
}
