//! The catalogue: projects that build, and the changes that break them. It is data, in the set's own folder.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use fs_err as fs;
use regex::Regex;
use seatrial_diagnosis::{Class, Kind};
use serde::Deserialize;

use super::MutationError;

/// All projects.
#[derive(Debug, Clone, Default)]
pub struct Catalogue {
    /// In order of their names.
    pub projects: Vec<Project>,
}

/// A project that builds.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Project {
    /// Its name; the split holds out whole projects.
    #[serde(default)]
    pub name: String,
    /// Packages that every instance needs.
    #[serde(default)]
    pub packages: Vec<String>,
    /// Bash, as root and with the network, after the packages are there and before the files are: what no package has.
    #[serde(default)]
    pub prepare: String,
    /// Bash in the project's folder: the build that works.
    pub build: String,
    /// Programs whose versions are noted: command lines whose first line of output says it.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Files by path.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// A source package of the distribution that is unpacked instead.
    #[serde(default)]
    pub source: String,
    /// The libraries or the like that it is made for; without any, there is one nameless instance.
    #[serde(default)]
    pub instance: Vec<Instance>,
    /// What breaks it.
    #[serde(default)]
    pub mutation: Vec<Change>,
}

/// One making of a project.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// Its name.
    pub name: String,
    /// Further packages.
    #[serde(default)]
    pub packages: Vec<String>,
    /// `@NAME@` in every text of the project stands for one of these.
    #[serde(default)]
    pub vars: BTreeMap<String, String>,
    /// Mutations that do not suit it.
    #[serde(default)]
    pub without: Vec<String>,
}

/// One way to break a project.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The kind of change; the split holds out whole kinds.
    pub name: String,
    /// Tells apart several changes of one kind.
    #[serde(default)]
    pub variation: String,
    /// Bash as root in the project's folder, before the build.
    #[serde(default)]
    pub change: String,
    /// Another build.
    #[serde(default)]
    pub build: String,
    /// The class of the failure.
    pub class: Class,
    /// Classes that are right too.
    #[serde(default)]
    pub also: Vec<Class>,
    /// The kinds that are right.
    pub kind: Vec<Kind>,
    /// The spellings of the subject that are right.
    #[serde(default)]
    pub subject: Vec<String>,
    /// A regular expression that matches the line that names the cause; the first line that it matches counts.
    pub witness: String,
    /// Takes the last line that it matches.
    #[serde(default)]
    pub last: bool,
    /// Lines before the witness that belong to the message.
    #[serde(default)]
    pub before: u64,
    /// Lines after the witness that belong to the message.
    #[serde(default)]
    pub after: u64,
    /// What undoes the change.
    pub remedy: String,
    /// The only instances that it is for; all when empty.
    #[serde(default)]
    pub only: Vec<String>,
    /// How it is built and dressed, besides plainly; drawn when not given.
    #[serde(default)]
    pub variants: Option<Vec<String>>,
}

impl Catalogue {
    /// Reads every `NAME.toml` of a folder.
    pub fn load(folder: &Path) -> Result<Self, MutationError> {
        let mut projects = Vec::new();
        let mut names = BTreeSet::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_none_or(|ending| ending != "toml") {
                continue;
            }
            let malformed = |problem: String| MutationError::Malformed {
                path: path.clone(),
                line: None,
                problem,
            };
            let mut project: Project =
                toml::from_str(&fs::read_to_string(&path)?).map_err(|error| malformed(error.to_string()))?;
            if project.name.is_empty() {
                project.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            }
            if !names.insert(project.name.clone()) {
                return Err(malformed(format!("`{}` is there twice", project.name)));
            }
            project.check()?;
            projects.push(project);
        }
        projects.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Self { projects })
    }
}

impl Change {
    /// The name of the case that it makes of a project's instance, without its variant.
    pub(super) fn case_name(&self, project: &str, instance: &str) -> String {
        let parts = [project, instance].map(str::to_owned);
        let place = parts
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("-");
        let parts = [&*place, &*self.name, &*self.variation];
        parts
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(".")
    }

    /// The lines of the message that names the cause.
    pub(super) fn witnessed(&self, log: &str) -> Option<(u64, u64)> {
        let witness = Regex::new(&self.witness).ok()?;
        let mut found = log.lines().zip(1_u64..).filter(|(line, _)| witness.is_match(line));
        let (_, line) = if self.last { found.last() } else { found.next() }?;
        let last = log.lines().count() as u64;
        Some((line.saturating_sub(self.before).max(1), (line + self.after).min(last)))
    }
}

impl Project {
    /// Its instances, each with the texts that are made for it.
    pub(super) fn instances(&self) -> Vec<(Instance, Self)> {
        let nameless = [Instance::default()];
        let instances = if self.instance.is_empty() {
            &nameless
        } else {
            &*self.instance
        };
        instances
            .iter()
            .map(|instance| (instance.clone(), self.made_for(instance)))
            .collect()
    }

    fn made_for(&self, instance: &Instance) -> Self {
        let text = |text: &String| fill(text, &instance.vars);
        let texts = |list: &Vec<String>| list.iter().map(text).collect();
        let suits = |change: &&Change| {
            (change.only.is_empty() || change.only.contains(&instance.name)) && !instance.without.contains(&change.name)
        };
        let change = |change: &Change| Change {
            change: text(&change.change),
            build: text(&change.build),
            subject: texts(&change.subject),
            witness: text_of_witness(&change.witness, &instance.vars),
            remedy: text(&change.remedy),
            ..change.clone()
        };
        Self {
            packages: self.packages.iter().chain(&instance.packages).map(text).collect(),
            prepare: text(&self.prepare),
            build: text(&self.build),
            files: self
                .files
                .iter()
                .map(|(path, content)| (text(path), text(content)))
                .collect(),
            mutation: self.mutation.iter().filter(suits).map(change).collect(),
            ..self.clone()
        }
    }

    fn check(&self) -> Result<(), MutationError> {
        let wrong = |problem: String| MutationError::Catalogue {
            project: self.name.clone(),
            problem,
        };
        let mut seen = BTreeSet::new();
        for change in &self.mutation {
            if !seen.insert((&change.name, &change.variation)) {
                return Err(wrong(format!(
                    "the mutation `{}` is there twice; give it a `variation`",
                    change.name
                )));
            }
            if change.kind.is_empty() {
                return Err(wrong(format!("the mutation `{}` has no kind", change.name)));
            }
        }
        for (instance, made) in self.instances() {
            for change in made.mutation {
                if let Err(error) = Regex::new(&change.witness) {
                    return Err(wrong(format!("`{}` for `{}`: {error}", change.name, instance.name)));
                }
            }
        }
        Ok(())
    }
}

fn fill(text: &str, vars: &BTreeMap<String, String>) -> String {
    vars.iter().fold(text.to_owned(), |text, (name, value)| {
        text.replace(&format!("@{name}@"), value)
    })
}

/// In a witness a name stands for itself, whatever characters it has.
fn text_of_witness(text: &str, vars: &BTreeMap<String, String>) -> String {
    vars.iter().fold(text.to_owned(), |text, (name, value)| {
        text.replace(&format!("@{name}@"), &regex::escape(value))
    })
}
