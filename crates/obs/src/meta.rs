//! Projects and packages in a home project: made when they are not there, and never changed behind their owner's back.

use std::fmt::Write as _;

use crate::{
    Client, ObsError, PackagePath,
    names::{check, encode, query},
    transport::Call,
    xml::{Element, escape},
};

/// A project that is to be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectMeta {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// What packages are built for.
    pub repositories: Vec<RepositoryMeta>,
}

/// A repository of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryMeta {
    /// Its name.
    pub name: String,
    /// The projects and repositories that it builds with, in their order.
    pub paths: Vec<(String, String)>,
    /// The architectures, in the service's words.
    pub archs: Vec<String>,
}

impl RepositoryMeta {
    fn read(repository: &Element) -> Self {
        Self {
            name: repository.text_of("name"),
            paths: repository
                .all("path")
                .map(|path| (path.text_of("project"), path.text_of("repository")))
                .collect(),
            archs: repository.all("arch").map(|arch| arch.text.clone()).collect(),
        }
    }

    fn xml(&self) -> String {
        let mut text = format!("  <repository name=\"{}\">\n", escape(&self.name));
        for (project, repository) in &self.paths {
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "    <path project=\"{}\" repository=\"{}\"/>",
                escape(project),
                escape(repository)
            );
        }
        for arch in &self.archs {
            let _ = writeln!(text, "    <arch>{}</arch>", escape(arch));
        }
        text.push_str("  </repository>\n");
        text
    }

    /// What of this repository the other one lacks; empty when it is all there.
    fn differs(&self, there: &Element) -> Option<String> {
        let there = Self::read(there);
        if let Some(arch) = self.archs.iter().find(|arch| !there.archs.contains(arch)) {
            return Some(format!("its repository `{}` is not built for {arch}", self.name));
        }
        (!self.paths.is_empty() && there.paths != self.paths)
            .then(|| format!("its repository `{}` builds with other repositories", self.name))
    }
}

impl Client {
    /// A project as it is; `None` when it is not there.
    pub fn project(&self, name: &str) -> Result<Option<ProjectMeta>, ObsError> {
        check("project", name)?;
        let place = format!("/source/{}/_meta", encode(name));
        let root = match self.transport.xml(&Call::get(place.clone())) {
            Ok(root) => root,
            Err(ObsError::Missing { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        if root.name != "project" {
            return Err(ObsError::Unexpected {
                url: self.transport.url(&place),
                lacks: format!("a project (it is a `{}`)", root.name),
            });
        }
        Ok(Some(ProjectMeta {
            name: name.to_owned(),
            title: root.child_text("title"),
            repositories: root.all("repository").map(RepositoryMeta::read).collect(),
        }))
    }

    /// Makes the project if it is not there, and adds repositories that it lacks. What is there stays as it is: a repository
    /// of the same name that is another one is an error. Returns whether anything was written.
    pub fn ensure_project(&self, project: &ProjectMeta) -> Result<bool, ObsError> {
        check("project", &project.name)?;
        self.may_write(&project.name)?;
        let place = format!("/source/{}/_meta", encode(&project.name));
        let text = match self.transport.read(&Call::get(place.clone()), 4 << 20) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(ObsError::Missing { .. }) => {
                let repositories: String = project.repositories.iter().map(RepositoryMeta::xml).collect();
                let maintainer = self.user().map_or_else(String::new, |user| {
                    format!("  <person userid=\"{}\" role=\"maintainer\"/>\n", escape(user))
                });
                let text = format!(
                    "<project name=\"{}\">\n  <title>{}</title>\n  <description/>\n{maintainer}{repositories}</project>\n",
                    escape(&project.name),
                    escape(&project.title)
                );
                self.put_meta(&place, &text)?;
                return Ok(true);
            }
            Err(error) => return Err(error),
        };
        let root = self.transport.xml(&Call::get(place.clone()))?;
        let mut added = String::new();
        for repository in &project.repositories {
            let there = root
                .all("repository")
                .find(|there| there.attribute("name") == Some(&repository.name));
            match there.map(|there| repository.differs(there)) {
                None => added.push_str(&repository.xml()),
                Some(None) => {}
                Some(Some(problem)) => {
                    return Err(ObsError::MetaDiffers {
                        what: project.name.clone(),
                        problem,
                    });
                }
            }
        }
        if added.is_empty() {
            return Ok(false);
        }
        // Repositories stand last, so that the rest of the owner's text stays letter by letter.
        let Some(end) = text.rfind("</project>") else {
            return Err(ObsError::Unexpected {
                url: self.transport.url(&place),
                lacks: "the end of the project".to_owned(),
            });
        };
        let (head, tail) = text.split_at(end);
        self.put_meta(&place, &format!("{head}{added}{tail}"))?;
        Ok(true)
    }

    /// Makes the package if it is not there. Returns whether it was made.
    pub fn ensure_package(&self, package: &PackagePath, title: &str) -> Result<bool, ObsError> {
        self.may_write(package.project())?;
        let place = format!("{}/_meta", package.source());
        match self.transport.xml(&Call::get(place.clone())) {
            Ok(_) => return Ok(false),
            Err(ObsError::Missing { .. }) => {}
            Err(error) => return Err(error),
        }
        let text = format!(
            "<package name=\"{}\" project=\"{}\">\n  <title>{}</title>\n  <description/>\n</package>\n",
            escape(package.package()),
            escape(package.project()),
            escape(title)
        );
        self.put_meta(&place, &text)?;
        Ok(true)
    }

    /// Deletes a package with its sources and builds. One that is not there is as good as deleted.
    pub fn delete_package(&self, package: &PackagePath) -> Result<(), ObsError> {
        self.may_write(package.project())?;
        self.delete(package.source())
    }

    /// Deletes a project with all that is in it. One that is not there is as good as deleted.
    pub fn delete_project(&self, project: &str) -> Result<(), ObsError> {
        check("project", project)?;
        self.may_write(project)?;
        self.delete(format!("/source/{}", encode(project)))
    }

    fn delete(&self, path: String) -> Result<(), ObsError> {
        match self.transport.read(&Call::delete(path), 1 << 20) {
            Ok(_) | Err(ObsError::Missing { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn put_meta(&self, place: &str, text: &str) -> Result<(), ObsError> {
        let user: Vec<(&str, &str)> = self.user().map(|user| ("user", user)).into_iter().collect();
        let call = Call::put(format!("{place}{}", query(&user)), text);
        self.transport.xml(&call).map(|_| ())
    }
}
