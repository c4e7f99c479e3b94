//! What an agent is told of a task before it looks for itself.

use std::path::Path;

use fs_err as fs;
use seatrial_core::{BOX_OUT, BOX_PREFIX, BOX_SOURCE, Task};

use super::Prompt;
use crate::SolveContext;

const TASK: Prompt = Prompt::new("task-compile", include_str!("../../prompts/task-compile.md"));

/// Most names of a list of files.
const MOST_NAMES: usize = 200;

/// Most bytes of a document.
const MOST_DOCUMENT: usize = 20_000;

/// Names at the top that say nothing of how to build.
const UNTOLD: [&str; 11] = [
    ".git",
    ".github",
    ".gitmodules",
    "tests",
    "test",
    "license",
    "license.md",
    "changelog.md",
    "redistributed.md",
    ".dockerignore",
    "docker-compose.yml",
];

/// The prompt that tells of a build, for the journal.
pub(crate) const fn task_prompt() -> Prompt {
    TASK
}

/// The prompt that tells of this task, for the journal.
pub(crate) fn prompt_of(task: &Task) -> Prompt {
    if task.goal.repair().is_some() {
        crate::repair::TASK
    } else {
        TASK
    }
}

/// The task in words: what is to be built, what counts, the files at the top, and the README when it is wanted.
pub(crate) fn task(context: &SolveContext<'_>, with_readme: bool) -> String {
    if context.task.goal.repair().is_some() {
        return crate::repair::task(context);
    }
    let readme = if with_readme { readme(context.tree) } else { None };
    let readme = readme.map_or_else(String::new, |(name, text)| format!("\nThe file {name}:\n\n{text}\n"));
    let jobs = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    TASK.fill(&[
        ("source", BOX_SOURCE),
        ("platform", &context.task.platform.to_string()),
        ("prefix", BOX_PREFIX),
        ("out", BOX_OUT),
        ("jobs", &jobs.to_string()),
        ("files", &files(context.tree)),
        ("readme", &readme),
    ])
}

/// The names at the top of a tree, folders with a slash.
pub(crate) fn files(tree: &Path) -> String {
    let mut names: Vec<String> = listed(tree)
        .into_iter()
        .filter(|(name, _)| !UNTOLD.contains(&name.to_lowercase().as_str()))
        .map(|(name, folder)| if folder { format!("{name}/") } else { name })
        .collect();
    let more = names.len().saturating_sub(MOST_NAMES);
    names.truncate(MOST_NAMES);
    if more > 0 {
        names.push(format!("[and {more} more]"));
    }
    names.join("\n")
}

fn listed(tree: &Path) -> Vec<(String, bool)> {
    let Ok(entries) = fs::read_dir(tree) else {
        return Vec::new();
    };
    let mut names: Vec<(String, bool)> = entries
        .flatten()
        .map(|entry| {
            let folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            (entry.file_name().to_string_lossy().into_owned(), folder)
        })
        .collect();
    names.sort();
    names
}

/// The document to read first: its name and its text.
pub(crate) fn readme(tree: &Path) -> Option<(String, String)> {
    let name = readme_name(tree)?;
    // The name may be a link, and what is outside of the tree is nobody's to read.
    let path = fs::canonicalize(tree.join(&name)).ok()?;
    if !path.starts_with(fs::canonicalize(tree).ok()?) {
        return None;
    }
    let text = fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&text);
    let (text, _) = seatrial_tools::shorten(&text, MOST_DOCUMENT, "read the file");
    Some((name, text))
}

/// The name of the document to read first in a folder: `README.md`, else another README, else the first Markdown file.
pub(crate) fn readme_name(tree: &Path) -> Option<String> {
    let names: Vec<String> = listed(tree)
        .into_iter()
        .filter(|(_, folder)| !folder)
        .map(|(name, _)| name)
        .collect();
    let lower = |name: &&String| name.to_lowercase();
    let is_markdown = |name: &&String| {
        Path::new(name)
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("md"))
    };
    let name = names
        .iter()
        .find(|name| lower(name) == "readme.md")
        .or_else(|| names.iter().find(|name| lower(name).contains("readme")))
        .or_else(|| names.iter().find(is_markdown))?;
    Some(name.clone())
}
