//! Where people found the instructions: tables in the form of the published data.
//!
//! One row a repository; its trajectory is the way from the README to the instructions, steps parted by commas, alternatives of a
//! step by `&&`. The repository's own address stands for its README.

use seatrial_core::{PinnedSource, SourceKind};

use super::{
    Library,
    links::{self, Home},
};

/// What is known of one repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// Its name as the table has it: `owner/name`, or the name alone.
    pub name: String,
    /// Its address.
    pub address: String,
    /// Its branch.
    pub branch: Option<String>,
    /// Whether a person could build it.
    pub compilable: bool,
    /// The steps to the instructions, each with its alternatives; empty when there are no instructions.
    pub trajectory: Vec<Vec<String>>,
}

/// A table of labels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Labels {
    /// The repositories, in the table's order.
    pub repositories: Vec<Repository>,
}

/// A table cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LabelError {
    /// A column is missing.
    #[error("the table has no column `{}`: its first line must name the columns", .0.join("` or `"))]
    Column(&'static [&'static str]),
    /// A row is too short.
    #[error("row {row} of the table has {found} fields and should have {expected}")]
    Row {
        /// The row, counted from 1 with the names of columns.
        row: usize,
        /// Its fields.
        found: usize,
        /// The columns.
        expected: usize,
    },
}

impl Labels {
    /// Reads a table: comma-separated values with a line of names.
    pub fn parse(text: &str) -> Result<Self, LabelError> {
        let mut rows = rows(text).into_iter();
        let names: Vec<String> = rows.next().unwrap_or_default();
        let column = |known: &'static [&'static str]| {
            let place = names
                .iter()
                .position(|name| known.iter().any(|known| known.eq_ignore_ascii_case(name.trim())));
            place.ok_or(LabelError::Column(known))
        };
        let name = column(&["Repo_Name"])?;
        let address = column(&["html_url", "Github_Url"])?;
        let compilable = column(&["Compilable?"])?;
        let trajectory = column(&["Build Trajectory", "build_instruction_trajectory"])?;
        let branch = column(&["default_branch"]).ok();
        let mut repositories = Vec::new();
        for (index, row) in rows.enumerate() {
            if row.len() != names.len() {
                return Err(LabelError::Row {
                    row: index + 2,
                    found: row.len(),
                    expected: names.len(),
                });
            }
            let field = |at: usize| row.get(at).map_or("", |field| field.trim());
            repositories.push(Repository {
                name: field(name).to_owned(),
                address: field(address).to_owned(),
                branch: branch.map(field).filter(|name| !name.is_empty()).map(str::to_owned),
                compilable: field(compilable).eq_ignore_ascii_case("yes"),
                trajectory: steps(field(trajectory)),
            });
        }
        Ok(Self { repositories })
    }

    /// The label of a source: by its address, else by its name when only one repository has it.
    pub fn of(&self, source: &PinnedSource) -> Option<&Repository> {
        if let SourceKind::Git { url, .. } = &source.origin {
            return self.repositories.iter().find(|known| links::same(&known.address, url));
        }
        let mut named = self.repositories.iter().filter(|known| {
            let name = known
                .name
                .rsplit_once('/')
                .map_or(known.name.as_str(), |(_, name)| name);
            known.name == source.name || name == source.name
        });
        named.next().filter(|_| named.next().is_none())
    }
}

fn steps(text: &str) -> Vec<Vec<String>> {
    text.split(',')
        .map(|step| {
            step.split("&&")
                .map(str::trim)
                .filter(|address| !address.is_empty() && !address.eq_ignore_ascii_case("none"))
                .map(str::to_owned)
                .collect::<Vec<String>>()
        })
        .filter(|step| !step.is_empty())
        .collect()
}

impl Repository {
    /// The repository as the home of a tree.
    pub(super) fn home(&self) -> Home {
        Home::new(&self.address, self.branch.clone())
    }

    /// The file of the tree that a step's address means, if it means one. The repository itself means its README.
    pub(super) fn file_of(&self, library: &Library, address: &str) -> Option<String> {
        if links::same(address, &self.address) {
            return library.readme_name();
        }
        let path = self.home().file(address)?;
        library.has(&path).then_some(path)
    }

    /// Whether what a step means is not in the repository.
    pub(super) fn is_outside(&self, step: &[String]) -> bool {
        step.iter()
            .all(|address| !links::same(address, &self.address) && self.home().file(address).is_none())
    }

    /// Whether one of the sources, paths or addresses, is what a step means.
    pub(super) fn is_reached(&self, library: &Library, step: &[String], sources: &[String]) -> bool {
        step.iter().any(|wanted| {
            let file = self.file_of(library, wanted);
            sources.iter().any(|source| match &file {
                Some(path) => same_path(path, source),
                None => links::same(wanted, source) || links::same(wanted, &self.home().address_of(source)),
            })
        })
    }
}

/// Two paths of the tree are the same; a folder and its README are too.
fn same_path(wanted: &str, source: &str) -> bool {
    let folder = source
        .rsplit_once('/')
        .filter(|(_, name)| name.to_ascii_lowercase().contains("readme"));
    wanted.eq_ignore_ascii_case(source) || folder.is_some_and(|(folder, _)| folder.eq_ignore_ascii_case(wanted))
}

/// The rows of comma-separated values, by RFC 4180; lines may end in any way.
fn rows(text: &str) -> Vec<Vec<String>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut rows = Vec::new();
    let mut row: Vec<String> = Vec::new();
    let mut field = String::new();
    let mut quoted = false;
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '"' if quoted && signs.peek() == Some(&'"') => {
                field.push('"');
                signs.next();
            }
            '"' if quoted => quoted = false,
            '"' if field.is_empty() => quoted = true,
            ',' if !quoted => row.push(std::mem::take(&mut field)),
            '\r' if !quoted && signs.peek() == Some(&'\n') => {}
            '\n' if !quoted => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            sign => field.push(sign),
        }
    }
    if !field.is_empty() || !row.is_empty() {
        row.push(field);
        rows.push(row);
    }
    rows.retain(|row| row.iter().any(|field| !field.trim().is_empty()));
    rows
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const TABLE: &str = "Repo_Name,html_url,default_branch,Compilable?,Build Trajectory\r\n\
        own/keel,https://h.example/own/keel,main,Yes,\"https://h.example/own/keel.git,  https://h.example/own/keel/blob/main/doc/b.md && https://k.example/b\"\r\n\
        own/mast,https://h.example/own/mast,master,Yes,None\r\n\
        own/hull,https://h.example/own/hull,\"a \"\"b\"\"\",No,\r\n";

    #[test]
    fn a_table_is_read_as_published() {
        let labels = Labels::parse(TABLE).unwrap();
        let names: Vec<&str> = labels.repositories.iter().map(|known| known.name.as_str()).collect();
        assert_eq!(names, ["own/keel", "own/mast", "own/hull"]);
        let [keel, mast, hull] = &labels.repositories[..] else {
            panic!()
        };
        assert_eq!(
            keel.trajectory,
            [
                vec!["https://h.example/own/keel.git"],
                vec!["https://h.example/own/keel/blob/main/doc/b.md", "https://k.example/b"]
            ]
        );
        assert!(mast.trajectory.is_empty() && mast.compilable && !hull.compilable);
        assert_eq!(hull.branch.as_deref(), Some("a \"b\""));
        let missing = Labels::parse("Repo_Name,html_url\n").unwrap_err();
        assert!(missing.to_string().contains("`Compilable?`"), "{missing}");
        let short = Labels::parse(&TABLE.replace(",Yes,None", "")).unwrap_err();
        assert!(short.to_string().starts_with("row 3 "), "{short}");
    }

    #[test]
    fn a_step_is_reached_by_any_of_its_forms() {
        let folder = tempfile::tempdir().unwrap();
        fs_err::create_dir(folder.path().join("doc")).unwrap();
        for name in ["Readme.rst", "doc/b.md", "doc/README.md"] {
            fs_err::write(folder.path().join(name), "x").unwrap();
        }
        let labels = Labels::parse(TABLE).unwrap();
        let keel = &labels.repositories[0];
        let library = Library::new(Path::new(folder.path()), None);
        let reached =
            |step: usize, source: &str| keel.is_reached(&library, &keel.trajectory[step], &[source.to_owned()]);
        assert!(reached(0, "Readme.rst") && !reached(0, "doc/README.md"));
        assert!(reached(1, "doc/b.md") && reached(1, "http://k.example/b/") && !reached(1, "doc/README.md"));
        assert!(!keel.is_outside(&keel.trajectory[1]));
        assert!(keel.is_outside(&["https://k.example/b".to_owned()]));
    }
}
