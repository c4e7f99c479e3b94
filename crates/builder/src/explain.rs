//! What a person is told at the end.

use std::{collections::BTreeSet, fmt::Write as _};

use crate::{AttemptSummary, pattern::Pattern, tree::Tree};

/// Nothing in the tree can be built: why, and what to do.
pub(crate) fn nothing_to_build(tree: &Tree) -> String {
    if !tree.unreadable.is_empty() && tree.is_empty() {
        return "The folder cannot be read. Check its permissions and run the same command again.".to_owned();
    }
    if tree.is_empty() {
        return "The folder is empty: there is nothing to build. Name the folder that holds the source.".to_owned();
    }
    let mut text = String::from(
        "No build system and no C or C++ source was found. Looked for CMake, Meson, Autotools, configure scripts, makefiles, qmake, \
         SCons, Waf, Ninja, Imake, build scripts and plain sources, in every folder.",
    );
    submodules(tree, &mut text);
    if tree.cut {
        text.push_str(" The tree is larger than what is looked at, so something may have been missed: name the project's own folder.");
    }
    let foreign: Vec<&str> = [
        ("Cargo.toml", "Rust (cargo)"),
        ("go.mod", "Go"),
        ("setup.py", "Python"),
        ("pyproject.toml", "Python"),
        ("package.json", "JavaScript (npm)"),
        ("pom.xml", "Java (Maven)"),
        ("build.gradle", "Java (Gradle)"),
    ]
    .into_iter()
    .filter(|(name, _)| tree.has(name))
    .map(|(_, language)| language)
    .collect();
    if !foreign.is_empty() {
        let _ = write!(
            text,
            " It looks like a project in {}, which this version does not build.",
            foreign.join(", ")
        );
    }
    text
}

/// Nothing was built: what was tried, where each attempt ended, and what to do next.
pub(crate) fn failure(tree: &Tree, attempts: &[AttemptSummary]) -> String {
    let mut text = if attempts.is_empty() {
        String::from("There was no time left to try anything.")
    } else {
        String::from("Nothing was built.")
    };
    list(attempts, &mut text);
    submodules(tree, &mut text);
    age(tree, &mut text);
    if let Some(hint) = attempts
        .first()
        .and_then(|attempt| attempt.problem.as_ref())
        .map(next_step)
    {
        let _ = write!(text, "\nNext: {hint}");
    }
    text
}

/// Years before which a source may want the tools of its time.
const OLD: u32 = 2014;

static YEAR: Pattern = Pattern::new(r"\b((?:19[89]|20[0-9])\d)\b");

/// Says how old the source is, where that may be why it does not build.
fn age(tree: &Tree, text: &mut String) {
    let newest = tree
        .names_in("")
        .into_iter()
        .filter(|name| {
            let upper = name.to_ascii_uppercase();
            ["CHANGE", "NEWS", "README", "HISTORY"]
                .iter()
                .any(|word| upper.starts_with(word))
        })
        .filter_map(|name| tree.head(name, 16_000))
        .flat_map(|head| {
            YEAR.all(&head)
                .into_iter()
                .filter_map(|year| year.parse().ok())
                .collect::<Vec<u32>>()
        })
        .max();
    if let Some(year) = newest.filter(|year| *year < OLD) {
        let _ = write!(
            text,
            "\nIts documents name no year after {year}: an image of an older release may build it, which \
             `seatrial image build` makes and `--platform` chooses."
        );
    }
}

/// Something was built: how, what, and what is missing.
pub(crate) fn success(
    tree: &Tree,
    plan: &str,
    stopped_by: Option<&str>,
    clean: bool,
    linked: &BTreeSet<&str>,
    attempts: &[AttemptSummary],
) -> String {
    let names: Vec<&str> = linked.iter().copied().take(12).collect();
    let more = linked.len().saturating_sub(names.len());
    let mut text = format!("Built with {plan}");
    if names.is_empty() {
        text.push_str("; no program or shared library was linked, only archives or objects.");
    } else {
        let _ = write!(text, ": {}", names.join(", "));
        if more > 0 {
            let _ = write!(text, " and {more} more");
        }
        text.push('.');
    }
    if !clean {
        text.push_str(" Not everything was built");
        if let Some(reason) = stopped_by {
            let _ = write!(text, "; the rest was stopped by this line: {reason}");
        }
        text.push('.');
        submodules(tree, &mut text);
    }
    let tells = |attempt: &AttemptSummary| !attempt.repairs.is_empty() || attempt.failing_command.is_some();
    if attempts.len() > 1 || attempts.iter().any(tells) {
        list(attempts, &mut text);
    }
    text
}

/// What lies beside the root that was built, and did not get through.
pub(crate) fn beside(failed: &[String], text: &mut String) {
    const SHOWN: usize = 8;
    for step in failed.iter().take(SHOWN) {
        let _ = write!(text, "\n- beside it, not built: {step}");
    }
    if failed.len() > SHOWN {
        let _ = write!(text, "\n- and {} further steps beside it", failed.len() - SHOWN);
    }
}

/// What a smaller recipe no longer has.
pub(crate) fn shrunk(runs: u32, packages: &[String], relaxations: &[String], steps: usize, text: &mut String) {
    if packages.is_empty() && relaxations.is_empty() && steps == 0 {
        let _ = write!(text, "\nMinimised in {runs} runs: everything in the recipe is needed.");
        return;
    }
    let _ = write!(text, "\nMinimised in {runs} runs: not needed are");
    let mut parts: Vec<String> = packages
        .iter()
        .map(|package| format!(" the package {package}"))
        .collect();
    parts.extend(relaxations.iter().map(|what| format!(" to {what}")));
    if steps > 0 {
        parts.push(format!(" {steps} further steps"));
    }
    text.push_str(&parts.join(","));
    text.push('.');
}

fn list(attempts: &[AttemptSummary], text: &mut String) {
    for attempt in attempts {
        let _ = write!(
            text,
            "\n- {} ({} round{})",
            attempt.plan,
            attempt.rounds,
            if attempt.rounds == 1 { "" } else { "s" }
        );
        if !attempt.repairs.is_empty() {
            let _ = write!(text, ", repaired: {}", attempt.repairs.join(", "));
        }
        match &attempt.stopped_by {
            Some(line) => {
                let _ = write!(text, "; stopped by: {line}");
            }
            None if attempt.clean => text.push_str("; clean"),
            None => {}
        }
        if attempt.clean {
            continue;
        }
        if let Some(command) = &attempt.failing_command {
            let _ = write!(text, "\n  the command that failed: {command}");
        }
        for download in &attempt.downloads {
            let _ = write!(text, "\n  it fetched, or tried to: {download}");
        }
    }
}

fn submodules(tree: &Tree, text: &mut String) {
    let empty = tree.empty_submodules();
    if !empty.is_empty() {
        let _ = write!(
            text,
            "\nGit submodules are missing: {}. Fetch the source with them, for instance as git+URL@COMMIT, or run `git submodule update \
             --init --recursive` in the folder.",
            empty.join(", ")
        );
    }
}

/// What a person can do about a problem.
fn next_step(problem: &seatrial_diagnosis::Problem) -> String {
    use seatrial_diagnosis::Kind;
    let subject = &problem.subject;
    match problem.kind {
        kind if kind.is_missing() => {
            format!(
                "`{subject}` is in no package that helped; find out which project provides it and build that first."
            )
        }
        Kind::MissingSubmodule => "fetch the source with its git submodules.".to_owned(),
        Kind::Network => {
            "the network could not be reached; try again where it can, or give the source with its parts.".to_owned()
        }
        Kind::Download => "the build wants to download something; provide it as a package or in the tree.".to_owned(),
        Kind::ToolVersion => {
            format!("another release of the distribution may have the version of `{subject}` that is asked for.")
        }
        Kind::Resources => "give the box more memory or disk, or build with fewer jobs.".to_owned(),
        _ => "look at the line above in the log; the code or its build file needs a change.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::testing::lay;

    #[test]
    fn what_cannot_be_built_is_explained() {
        let say = |files: &[(&str, &str)]| nothing_to_build(&Tree::scan(lay(files).path()));
        assert!(say(&[]).starts_with("The folder is empty"));
        assert!(say(&[("README", "x")]).starts_with("No build system"));
        assert!(say(&[("Cargo.toml", "")]).contains("Rust (cargo)"));
        assert!(
            say(&[(".gitmodules", "[submodule \"a\"]\n\tpath = libs/a\n\turl = x\n")])
                .contains("submodules are missing: libs/a")
        );
    }
}
