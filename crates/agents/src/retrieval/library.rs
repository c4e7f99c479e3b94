//! What retrieval reads: files of the tree and pages, each once, and a list of all that was reached.

use std::{
    collections::BTreeSet,
    io::Read as _,
    path::{Path, PathBuf},
};

use fs_err as fs;
use seatrial_core::{Event, Message, SourceKind};
use seatrial_llm::{Completion, EmbeddingModel, JsonSchema};

use super::{Page, links::Home};
use crate::{
    SolveContext,
    talk::{Halt, briefing},
};

/// Most bytes of a file that are read.
const MOST_BYTES: u64 = 1 << 20;

/// Most bytes of all documents of a tree.
const MOST_TEXT: usize = 16 << 20;

/// Most files that are looked through for documents.
const MOST_FILES: usize = 50_000;

/// Whom retrieval asks.
pub(crate) trait Outside {
    /// Asks the model, in a conversation of its own.
    fn ask(
        &mut self,
        conversation: &str,
        messages: Vec<Message>,
        schema: Option<JsonSchema>,
    ) -> Result<Completion, Halt>;

    /// Vectors of texts, from a model; the inner error says why this model makes none of these texts.
    fn embed(&mut self, model: &dyn EmbeddingModel, texts: &[String]) -> Result<Result<Vec<Vec<f32>>, String>, Halt>;

    /// A page; the inner error says why it cannot be had.
    fn page(&mut self, address: &str) -> Result<Result<Page, String>, Halt>;

    /// Tells the journal.
    fn tell(&mut self, event: Event) -> Result<(), Halt>;
}

/// What was reached.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Reached {
    /// Files of the tree that were read, in order.
    pub(super) files: Vec<String>,
    /// Pages that came, in order.
    pub(super) pages: Vec<String>,
    /// Pages that were asked for, those that did not come among them.
    pub(super) requests: u32,
}

/// A tree, and what was reached from it.
pub(super) struct Library {
    tree: PathBuf,
    pub(super) home: Option<Home>,
    pub(super) reached: Reached,
    asked: BTreeSet<String>,
}

impl Library {
    pub(super) fn new(tree: &Path, home: Option<Home>) -> Self {
        Self {
            tree: tree.to_owned(),
            home,
            reached: Reached::default(),
            asked: BTreeSet::new(),
        }
    }

    /// The document to start from: its path and its text.
    pub(super) fn readme(&mut self) -> Option<(String, String)> {
        let name = self.readme_name()?;
        let text = self.file(&name).ok()?;
        Some((name, text))
    }

    /// The path of the document to start from.
    pub(super) fn readme_name(&self) -> Option<String> {
        briefing::readme_name(&self.tree)
    }

    /// A file of the tree as text. A folder is its README.
    pub(super) fn file(&mut self, path: &str) -> Result<String, String> {
        let (path, text) = self.look(path)?;
        if !self.reached.files.contains(&path) {
            self.reached.files.push(path);
        }
        Ok(text)
    }

    /// The same without counting it as reached.
    fn look(&self, path: &str) -> Result<(String, String), String> {
        let found = self.locate(path)?;
        let (path, found) = if found.is_dir() {
            let name = briefing::readme_name(&found).ok_or("it is a folder without a README")?;
            let path = format!("{path}/{name}");
            let found = self.locate(&path)?;
            (path, found)
        } else {
            (path.to_owned(), found)
        };
        if !found.is_file() {
            return Err("it is no file".to_owned());
        }
        let mut bytes = Vec::new();
        fs::File::open(&found)
            .and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes))
            .map_err(|error| error.to_string())?;
        if bytes.contains(&0) {
            return Err("it is no text".to_owned());
        }
        Ok((path, String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Where a file really is: links never lead out of the tree. Letters may be of the wrong case.
    fn locate(&self, path: &str) -> Result<PathBuf, String> {
        let root = fs::canonicalize(&self.tree).map_err(|error| error.to_string())?;
        let found = fs::canonicalize(root.join(path)).ok().or_else(|| {
            let mut at = root.clone();
            for part in path.split('/') {
                at = fs::read_dir(&at)
                    .ok()?
                    .flatten()
                    .find(|entry| entry.file_name().to_string_lossy().eq_ignore_ascii_case(part))?
                    .path();
            }
            fs::canonicalize(at).ok()
        });
        let found = found.ok_or("there is no such file")?;
        if found.starts_with(&root) {
            Ok(found)
        } else {
            Err("it leads out of the tree".to_owned())
        }
    }

    /// Whether a path is a file or a folder of the tree.
    pub(super) fn has(&self, path: &str) -> bool {
        self.locate(path).is_ok()
    }

    /// A page, when it was not asked for before. What it is in the journal, its name tells.
    pub(super) fn page(&mut self, outside: &mut dyn Outside, address: &str) -> Result<Result<Page, String>, Halt> {
        if !self.asked.insert(address.to_owned()) {
            return Ok(Err("it was asked for before".to_owned()));
        }
        self.reached.requests += 1;
        let page = outside.page(address)?;
        match &page {
            Ok(_) => {
                self.reached.pages.push(address.to_owned());
                outside.tell(Event::Note {
                    text: format!("page: {address}"),
                })?;
            }
            Err(why) => outside.tell(Event::Note {
                text: format!("no page: {address}: {}", why.lines().next().unwrap_or_default()),
            })?,
        }
        Ok(page)
    }

    /// The documents of the tree, by path: Markdown, reStructuredText, AsciiDoc, and files whose names say that they tell how to
    /// build. They are read, but count as reached only when they are used.
    pub(super) fn documents(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let mut folders = vec![String::new()];
        let mut seen = 0;
        while let Some(folder) = folders.pop() {
            let Ok(entries) = fs::read_dir(self.tree.join(&folder)) else {
                continue;
            };
            for entry in entries.flatten() {
                seen += 1;
                let name = entry.file_name().to_string_lossy().into_owned();
                let path = if folder.is_empty() {
                    name.clone()
                } else {
                    format!("{folder}/{name}")
                };
                // Links are not followed: the same document would be there twice.
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() && name != ".git" => folders.push(path),
                    Ok(kind) if kind.is_file() && is_document(&name) => found.push(path),
                    _ => {}
                }
            }
            if seen > MOST_FILES {
                break;
            }
        }
        // Where there are too many, those near the root are kept.
        found.sort_by_key(|path| (path.matches('/').count(), path.clone()));
        let mut bytes = 0;
        let mut documents = Vec::new();
        for path in found {
            let Ok((path, text)) = self.look(&path) else { continue };
            bytes += text.len();
            if bytes > MOST_TEXT {
                break;
            }
            documents.push((path, text));
        }
        documents
    }
}

fn is_document(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let (stem, end) = name.split_once('.').unwrap_or((&name, ""));
    let last = name.rsplit_once('.').map_or("", |(_, end)| end);
    let speaks = [
        "readme",
        "install",
        "build",
        "building",
        "compile",
        "compiling",
        "hacking",
    ]
    .iter()
    .any(|word| stem == *word || stem.starts_with(&format!("{word}-")) || stem.starts_with(&format!("{word}_")));
    ["md", "markdown", "rst", "adoc", "asciidoc"].contains(&last)
        || speaks && ["", "txt", "unix", "linux"].contains(&end)
}

/// The repository of a task, where its source tells one.
pub(super) fn home_of(context: &SolveContext<'_>) -> Option<Home> {
    match &context.task.source.origin {
        SourceKind::Git { url, commit } => Some(Home::new(url, Some(commit.clone()))),
        SourceKind::Folder { .. }
        | SourceKind::Archive { .. }
        | SourceKind::Debian { .. }
        | SourceKind::Changed { .. }
        | SourceKind::Kept { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn nothing_outside_of_the_tree_is_read() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("secret.md"), "a key").unwrap();
        let tree = folder.path().join("tree");
        fs::create_dir_all(tree.join("doc/deep")).unwrap();
        fs::write(tree.join("doc/INSTALL.rst"), "make").unwrap();
        fs::write(tree.join("doc/raw.md"), [0, 1]).unwrap();
        fs::write(tree.join("doc/deep/README.txt"), "deep").unwrap();
        symlink("../secret.md", tree.join("README.md")).unwrap();
        symlink("../..", tree.join("doc/up")).unwrap();
        symlink("doc/INSTALL.rst", tree.join("HOW")).unwrap();
        assert_eq!(briefing::readme(&tree), None);
        let mut library = Library::new(&tree, None);
        assert_eq!(library.readme(), None);
        for (path, expected) in [
            ("README.md", Err("it leads out of the tree")),
            ("../secret.md", Err("it leads out of the tree")),
            ("doc/up/secret.md", Err("it leads out of the tree")),
            ("/etc/hostname", Err("it leads out of the tree")),
            ("none.md", Err("there is no such file")),
            ("doc/raw.md", Err("it is no text")),
            ("doc", Err("it is no text")),
            ("doc/deep", Ok("deep")),
            ("DOC/install.RST", Ok("make")),
            ("HOW", Ok("make")),
        ] {
            let found = library.file(path);
            let found = found.as_deref().map_err(String::as_str);
            assert_eq!(found, expected, "{path}");
        }
        let documents: Vec<String> = library.documents().into_iter().map(|(path, _)| path).collect();
        assert_eq!(documents, ["doc/INSTALL.rst", "doc/deep/README.txt"]);
        assert_eq!(library.reached.files, ["doc/deep/README.txt", "DOC/install.RST", "HOW"]);
    }
}
