//! The choice of CodeQL's autobuilder for C and C++ on Linux, from its documentation and what is known of its logs: the
//! first system in the root, else the only sub-folder that has one; its commands, no repairs.
//!
//! Where it cannot decide between folders it builds nothing, and a system whose tool is not installed is none. What newer
//! versions do on machines of its vendor, installing packages while they watch the build, is left out.

use seatrial_core::{Purpose, Step, Submission};

use crate::{
    Agent, AgentError, SolveContext,
    steps::{no_way, run_script, step, submit},
    survey::Survey,
};

pub(crate) struct CodeqlOrder;

impl Agent for CodeqlOrder {
    fn name(&self) -> &'static str {
        "codeql-order"
    }

    fn about(&self) -> &'static str {
        "baseline: the build system that CodeQL's autobuilder would choose; installs and repairs nothing"
    }

    fn needs_resolver(&self) -> bool {
        false
    }

    fn solve(&self, context: &mut SolveContext<'_>) -> Result<Submission, AgentError> {
        let mut tools = Vec::new();
        for tool in TOOLS {
            let script = format!("command -v {tool}");
            if run_script(context, "look", &script, &script)?.is_ok() {
                tools.push(tool);
            }
        }
        match choose(&Survey::of(context.tree), &tools) {
            Ok((folder, system)) => {
                let place = if folder.is_empty() { "the root" } else { folder.as_str() };
                let plan = format!("{} in {place}", system.name());
                submit(context, &plan, "the first of CodeQL's order", steps(&folder, system))
            }
            Err(why) => no_way(context, &why),
        }
    }
}

/// Tools that a system is nothing without.
const TOOLS: [&str; 6] = ["make", "cmake", "qmake", "meson", "scons", "python3"];

/// Build systems in the order of the documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum System {
    Autoconf,
    Make,
    CMake,
    QMake,
    Meson,
    Waf,
    Scons,
    Kbuild,
    Script(&'static str),
}

/// Names of scripts that build.
const SCRIPTS: [&str; 2] = ["build", "build.sh"];

impl System {
    const ORDER: [Self; 8] = [
        Self::Autoconf,
        Self::Make,
        Self::CMake,
        Self::QMake,
        Self::Meson,
        Self::Waf,
        Self::Scons,
        Self::Kbuild,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Autoconf => "Autoconf",
            Self::Make => "Make",
            Self::CMake => "CMake",
            Self::QMake => "qmake",
            Self::Meson => "Meson",
            Self::Waf => "Waf",
            Self::Scons => "SCons",
            Self::Kbuild => "Kbuild",
            Self::Script(_) => "a build script",
        }
    }

    fn tool(self) -> Option<&'static str> {
        match self {
            Self::Autoconf | Self::Make | Self::Kbuild => Some("make"),
            Self::CMake => Some("cmake"),
            Self::QMake => Some("qmake"),
            Self::Meson => Some("meson"),
            Self::Waf => Some("python3"),
            Self::Scons => Some("scons"),
            Self::Script(_) => None,
        }
    }

    fn is_in(self, names: &[&str]) -> bool {
        let any = |wanted: &[&str]| names.iter().any(|name| wanted.contains(name));
        match self {
            Self::Autoconf => any(&["configure.ac", "configure.in", "configure"]),
            Self::Make => any(&["GNUmakefile", "makefile", "Makefile"]),
            Self::CMake => any(&["CMakeLists.txt"]),
            Self::QMake => names.iter().any(|name| has_extension(name, "pro")),
            Self::Meson => any(&["meson.build"]),
            Self::Waf => any(&["waf"]),
            Self::Scons => any(&["SConstruct"]),
            Self::Kbuild => any(&["Kbuild"]),
            Self::Script(script) => any(&[script]),
        }
    }
}

fn has_extension(name: &str, extension: &str) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(stem, found)| !stem.is_empty() && found == extension)
}

/// The system of one folder.
fn system(survey: &Survey, folder: &str, tools: &[&str]) -> Option<System> {
    let names: Vec<&str> = survey.names_in(folder).collect();
    System::ORDER
        .into_iter()
        .chain(SCRIPTS.map(System::Script))
        .filter(|system| system.tool().is_none_or(|tool| tools.contains(&tool)))
        .find(|system| system.is_in(&names))
}

/// The folder and its system, or why there is none.
fn choose(survey: &Survey, tools: &[&str]) -> Result<(String, System), String> {
    if let Some(system) = system(survey, "", tools) {
        return Ok((String::new(), system));
    }
    // A folder below one that has a system belongs to that one.
    let mut found: Vec<(&str, System)> = Vec::new();
    for folder in survey.folders() {
        let is_below = found
            .iter()
            .any(|(above, _)| folder.strip_prefix(above).is_some_and(|rest| rest.starts_with('/')));
        if !is_below && let Some(system) = system(survey, folder, tools) {
            found.push((folder, system));
        }
    }
    match found.as_slice() {
        [(folder, system)] => Ok(((*folder).to_owned(), *system)),
        [] => Err("no supported build system was detected".to_owned()),
        [(first, _), (second, _), ..] => Err(format!(
            "{} folders have a build system (`{first}`, `{second}` ...), so the root is taken, which has none",
            found.len()
        )),
    }
}

fn steps(folder: &str, system: System) -> Vec<Step> {
    const FLAGS: &str = "export CXXFLAGS=-fpermissive\n";
    let place = if folder.is_empty() {
        "$SRC".to_owned()
    } else {
        format!("$SRC/{}", escaped(folder))
    };
    let configure = |command: &str| {
        step(
            Purpose::Configure,
            "the autobuilder's configure step",
            &place,
            format!("{FLAGS}{command}"),
        )
    };
    let build = |command: &str| {
        step(
            Purpose::Build,
            "the autobuilder's build step",
            &place,
            format!("{FLAGS}{command}"),
        )
    };
    match system {
        System::Autoconf => vec![
            configure("[ -f configure ] || autoreconf --force --install\nchmod +x configure\n./configure"),
            build("make -j\"$JOBS\""),
        ],
        System::Make => vec![build("make -j\"$JOBS\"")],
        System::CMake => vec![
            configure(
                "cmake -S . -B _codeql_build_dir -DCMAKE_VERBOSE_MAKEFILE=ON -DBUILD_DOCS=OFF -DBUILD_DOCUMENTATION=OFF \
                 -DCATKIN_ENABLE_TESTING=OFF -DCMAKE_BUILD_TYPE=Release",
            ),
            build("cmake --build _codeql_build_dir --parallel \"$JOBS\""),
        ],
        System::QMake => vec![configure("qmake"), build("make -j\"$JOBS\"")],
        System::Meson => vec![
            configure("meson setup _codeql_build_dir"),
            build("ninja -C _codeql_build_dir"),
        ],
        System::Waf => vec![configure("python3 ./waf configure"), build("python3 ./waf build")],
        System::Scons => vec![build("scons -j \"$JOBS\"")],
        System::Kbuild => vec![build("make -C \"/lib/modules/$(uname -r)/build\" M=\"$PWD\" modules")],
        System::Script(script) => vec![build(&format!("chmod +x ./{script}\n./{script}"))],
    }
}

/// A name inside double quotes of Bash.
fn escaped(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if matches!(c, '"' | '\\' | '$' | '`') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::expect;

    use super::*;

    #[test]
    fn the_root_is_first_and_then_the_only_folder() {
        let all = ["make", "cmake", "qmake", "meson", "scons", "python3"];
        let image = ["make", "cmake", "meson", "python3"];
        let mut text = String::new();
        for (tree, tools) in [
            (&["configure.ac", "Makefile", "CMakeLists.txt"] as &[&str], &all[..]),
            (&["configure", "Makefile"], &all),
            (&["Makefile", "CMakeLists.txt", "src/Makefile"], &all),
            (&["CMakeLists.txt", "meson.build"], &all),
            (&["hull.pro", "meson.build"], &all),
            (&["hull.pro", "meson.build"], &image),
            (&["SConstruct"], &image),
            (&["waf", "wscript"], &all),
            (&["Kbuild"], &all),
            (&["build.sh"], &all),
            (
                &["README", "src/Makefile", "src/lib/Makefile", "src/a/b/CMakeLists.txt"],
                &all,
            ),
            (&["README", "one/Makefile", "two/CMakeLists.txt"], &all),
            (&["one/Makefile", "one-more/Makefile"], &all),
            (&["hull.c"], &all),
            (&[".pro"], &all),
        ] {
            let found = match choose(&Survey::made_up(tree), tools) {
                Ok((folder, system)) => format!("{} in `{folder}`", system.name()),
                Err(why) => why,
            };
            writeln!(text, "{}: {found}", tree.join(" ")).unwrap();
        }
        expect![[r#"
            configure.ac Makefile CMakeLists.txt: Autoconf in ``
            configure Makefile: Autoconf in ``
            Makefile CMakeLists.txt src/Makefile: Make in ``
            CMakeLists.txt meson.build: CMake in ``
            hull.pro meson.build: qmake in ``
            hull.pro meson.build: Meson in ``
            SConstruct: no supported build system was detected
            waf wscript: Waf in ``
            Kbuild: Kbuild in ``
            build.sh: a build script in ``
            README src/Makefile src/lib/Makefile src/a/b/CMakeLists.txt: Make in `src`
            README one/Makefile two/CMakeLists.txt: 2 folders have a build system (`one`, `two` ...), so the root is taken, which has none
            one/Makefile one-more/Makefile: 2 folders have a build system (`one`, `one-more` ...), so the root is taken, which has none
            hull.c: no supported build system was detected
            .pro: no supported build system was detected
        "#]].assert_eq(&text);
    }

    #[test]
    fn folders_are_quoted() {
        assert_eq!(steps("a \"b\" $c", System::Make)[0].folder, "$SRC/a \\\"b\\\" \\$c");
    }
}
