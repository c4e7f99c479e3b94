//! GHCC, re-implemented from its description: every folder with a Makefile, one after the other, with wrappers around the
//! compilers and a fixed list of packages; no repairs.
//!
//! The original runs in an image that was made once. Here the first step makes what that image had, so it is part of the
//! submission; nothing else is installed. Its success rule (Make exits with 0, or any ELF file is there) is what the note
//! tells; the verdict is the suite's.

use std::fmt::Write as _;

use seatrial_core::{Purpose, Step, Submission};

use crate::{
    Agent, AgentError, SolveContext,
    steps::{install, listed, no_way, step, submit},
    survey::{Survey, folder_and_name},
};

pub(crate) struct Ghcc;

/// Found by the loop that the original describes: libraries that failed links name, looked up in the distribution.
const PACKAGES: &str = include_str!("data/ghcc-packages.txt");

/// What each folder goes through.
const ROUTINE: &str = include_str!("data/ghcc-routine.sh");

/// Compilers, `sudo` and `pkg-config`, first in the path.
const WRAPPERS: &str = include_str!("data/ghcc-wrappers.sh");

impl Agent for Ghcc {
    fn name(&self) -> &'static str {
        "ghcc"
    }

    fn about(&self) -> &'static str {
        "baseline: GHCC's routine from its description: every folder with a Makefile, a fixed list of packages"
    }

    fn needs_resolver(&self) -> bool {
        false
    }

    fn solve(&self, context: &mut SolveContext<'_>) -> Result<Submission, AgentError> {
        let survey = Survey::of(context.tree);
        let folders = folders(&survey);
        if folders.is_empty() {
            return no_way(context, "no folder has a Makefile, and GHCC looks for nothing else");
        }
        let plan = format!("make in {} folders", folders.len());
        submit(context, &plan, "every folder with a Makefile is built", steps(&folders))
    }
}

/// Every folder that has a file called `makefile`, in any case; those above before those below.
fn folders(survey: &Survey) -> Vec<&str> {
    let mut found: Vec<&str> = survey
        .files()
        .map(folder_and_name)
        .filter(|(_, name)| name.eq_ignore_ascii_case("makefile"))
        .map(|(folder, _)| folder)
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn steps(folders: &[&str]) -> Vec<Step> {
    let mut list = String::new();
    for folder in folders {
        let _ = writeln!(list, "{}", if folder.is_empty() { "." } else { folder });
    }
    vec![
        install("stands for the image of the original", &listed(PACKAGES)),
        step(
            Purpose::Prepare,
            "wrappers that drop warnings, optimisation and machine flags, and move libraries to the end",
            "$OUT",
            WRAPPERS,
        ),
        step(
            Purpose::Build,
            "every folder with a Makefile, 900 seconds for all of them",
            "$SRC",
            // The list is quoted as a whole: names of folders are the project's.
            format!("folders='{}'\n{ROUTINE}", list.replace('\'', "'\\''")),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn every_folder_with_a_makefile_counts_and_nothing_else_does() {
        for (tree, expected) in [
            (
                &["Makefile", "src/makefile", "src/deep/MAKEFILE"] as &[&str],
                "|src|src/deep",
            ),
            (&["GNUmakefile", "Makefile.am", "Makefile.in", "configure"], "none"),
            (&["b/Makefile", "a/Makefile", "a/Makefile.bak"], "a|b"),
            (&["CMakeLists.txt"], "none"),
        ] {
            let survey = Survey::made_up(tree);
            let found = folders(&survey);
            let found = if found.is_empty() {
                "none".to_owned()
            } else {
                found.join("|")
            };
            assert_eq!(found, expected, "{tree:?}");
        }
    }

    #[test]
    fn the_steps_of_a_tree() {
        let steps = steps(&["", "it's/here"]);
        let mut text = String::new();
        for step in &steps {
            let shown: Vec<&str> = step.command.lines().take(3).collect();
            let shown: Vec<String> = shown.iter().map(|line| line.chars().take(80).collect()).collect();
            let _ = writeln!(text, "{}: {}", step.purpose.as_str(), shown.join("\n  "));
        }
        expect![[r#"
            dependencies: mkdir -p /usr/share/man/man1
              apt-get update -q
              apt-get install -q -y --no-install-recommends autoconf-archive bc binutils-dev b
            prepare: mkdir -p "$OUT/ghcc"
              for tool in gcc cc clang; do
              real=$(command -v "$tool") || continue
            build: folders='.
              it'\''s/here
              '
        "#]]
        .assert_eq(&text);
    }
}
