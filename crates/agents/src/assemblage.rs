//! The Linux builder of Assemblage, re-implemented from its description: one build system by substrings of file names, one
//! command line for it, ten minutes, no repairs.
//!
//! A fault of the original is kept, because published figures have it: what detection calls `autoconf` the builder knows
//! under another name, so a tree with nothing but a `configure` gets plain `make`, and `configure` is never run.

use seatrial_core::{Purpose, Step, Submission};

use crate::{
    Agent, AgentError, SolveContext,
    steps::{install, listed, no_way, step, submit},
    survey::{Survey, folder_and_name},
};

pub(crate) struct Assemblage;

/// Stands for the image of the original, in names of today's release.
const PACKAGES: &str = include_str!("data/assemblage-packages.txt");

impl Agent for Assemblage {
    fn name(&self) -> &'static str {
        "assemblage"
    }

    fn about(&self) -> &'static str {
        "baseline: Assemblage's Linux builder from its description, with its known fault; repairs nothing"
    }

    fn needs_resolver(&self) -> bool {
        false
    }

    fn solve(&self, context: &mut SolveContext<'_>) -> Result<Submission, AgentError> {
        let label = detect(&Survey::of(context.tree));
        match label {
            Label::Other => no_way(context, "no file has a name that Assemblage looks for"),
            Label::Solution => no_way(context, "a solution of Visual Studio is for its builder on Windows"),
            Label::Make | Label::CMake | Label::Autoconf => submit(
                context,
                label.command(),
                &format!("file names say `{}`", label.name()),
                steps(label),
            ),
        }
    }
}

/// What detection calls a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    Make,
    CMake,
    Solution,
    Autoconf,
    Other,
}

impl Label {
    fn name(self) -> &'static str {
        match self {
            Self::Make => "make",
            Self::CMake => "cmake",
            Self::Solution => "sln",
            Self::Autoconf => "autoconf",
            Self::Other => "others",
        }
    }

    fn command(self) -> &'static str {
        match self {
            Self::CMake => "cmake -Bbuild && cd build && make -j4",
            // `autoconf` is not a name that the builder knows.
            Self::Make | Self::Autoconf | Self::Solution | Self::Other => "make -j4",
        }
    }
}

/// The first of four substrings that any file's name has anywhere, in any case.
fn detect(survey: &Survey) -> Label {
    let any = |part: &str| {
        survey
            .files()
            .any(|path| folder_and_name(path).1.to_ascii_lowercase().contains(part))
    };
    if any("makefile") {
        Label::Make
    } else if any("cmakelists.txt") {
        Label::CMake
    } else if any(".sln") {
        Label::Solution
    } else if any("configure") {
        Label::Autoconf
    } else {
        Label::Other
    }
}

fn steps(label: Label) -> Vec<Step> {
    vec![
        install("stands for the image of the original", &listed(PACKAGES)),
        step(
            Purpose::Build,
            "the original's command, its memory guard of 5 GB and its ten minutes",
            "$SRC",
            format!(
                "timeout --kill-after=10 600 bash -c 'ulimit -v 5000000; {}'",
                label.command()
            ),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::expect;

    use super::*;

    #[test]
    fn substrings_of_names_decide_and_configure_is_never_run() {
        let mut text = String::new();
        for tree in [
            &["Makefile"] as &[&str],
            &["CMakeLists.txt", "docs/Makefile.in"],
            &["CMakeLists.txt"],
            &["configure", "hull.c"],
            &["configure", "win/hull.sln"],
            &["src/reconfigure.c"],
            &["makefile_d/hull.c"],
            &["hull.c"],
        ] {
            let label = detect(&Survey::made_up(tree));
            writeln!(text, "{}: {} -> {}", tree.join(" "), label.name(), label.command()).unwrap();
        }
        expect![[r#"
            Makefile: make -> make -j4
            CMakeLists.txt docs/Makefile.in: make -> make -j4
            CMakeLists.txt: cmake -> cmake -Bbuild && cd build && make -j4
            configure hull.c: autoconf -> make -j4
            configure win/hull.sln: sln -> make -j4
            src/reconfigure.c: autoconf -> make -j4
            makefile_d/hull.c: others -> make -j4
            hull.c: others -> make -j4
        "#]]
        .assert_eq(&text);
    }
}
