//! Where at a build service a package is built: found among what is there, or made.

use seatrial_core::Arch;
use seatrial_obs::{Client, ObsError, PackagePath, ProjectMeta, RepositoryMeta};

/// Where a package is built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServicePlace {
    /// The package in its project.
    pub package: PackagePath,
    /// The repository of the project.
    pub repository: String,
    /// The project and repository that the repository builds with, where it has to be made.
    pub make: Option<(String, String)>,
    /// The architectures that are asked for.
    pub archs: Vec<Arch>,
}

/// What is known of a place before anybody looked.
#[derive(Debug, Clone)]
pub struct WantedPlace {
    /// The package in its project.
    pub package: PackagePath,
    /// The repository; the only one that fits when left out.
    pub repository: Option<String>,
    /// The project and repository that packages are built with.
    pub base: Option<(String, String)>,
    /// The architectures that are asked for.
    pub archs: Vec<Arch>,
}

/// The service's word for an architecture.
pub fn service_arch(arch: Arch) -> &'static str {
    match arch {
        // Its 32-bit repositories are named after an older processor.
        Arch::I686 => "i586",
        other => other.as_str(),
    }
}

impl WantedPlace {
    /// Looks where this is, without writing anything. That nobody may be asked, that there is nothing to build with, and that
    /// an architecture is not built there is found out here, before any work is done.
    pub fn find(&self, client: &Client) -> Result<ServicePlace, ObsError> {
        let name = self.package.project();
        let found = match client.project(name)? {
            None => None,
            Some(project) => self.among(&project)?,
        };
        let (repository, make) = match found {
            Some(repository) => (repository, None),
            None => self.made(client)?,
        };
        Ok(ServicePlace {
            package: self.package.clone(),
            repository,
            make,
            archs: self.archs.clone(),
        })
    }

    /// A repository that is there; none where one has to be made.
    fn among(&self, project: &ProjectMeta) -> Result<Option<String>, ObsError> {
        let all = &project.repositories;
        if let Some(name) = &self.repository {
            return match all.iter().find(|repository| repository.name == *name) {
                Some(there) => self.fitting(&project.name, there).map(Some),
                None if self.base.is_some() => Ok(None),
                None => Err(ObsError::Usage(format!(
                    "{} has no repository `{name}`; it has {}",
                    project.name,
                    names(all)
                ))),
            };
        }
        if let Some(base) = &self.base {
            let own = all.iter().find(|repository| repository.paths.first() == Some(base));
            return own.map(|there| self.fitting(&project.name, there)).transpose();
        }
        let fitting: Vec<_> = all.iter().filter(|there| self.lacking(there).is_none()).collect();
        match fitting.as_slice() {
            [one] => Ok(Some(one.name.clone())),
            [] => Err(ObsError::Usage(format!(
                "no repository of {} is built for {}; it has {}",
                project.name,
                self.words(),
                names(all)
            ))),
            _ => Err(ObsError::Usage(format!(
                "several repositories of {} are built for {}: {}; name one of them",
                project.name,
                self.words(),
                names(all)
            ))),
        }
    }

    /// A repository that will be made, and what it builds with.
    fn made(&self, client: &Client) -> Result<(String, Option<(String, String)>), ObsError> {
        let Some(base) = self.base.clone() else {
            return Err(ObsError::Usage(format!(
                "there is no project {} at {}, and nothing says what packages are to be built with; name a project and one of \
                 its repositories, such as `Debian:12/standard`",
                self.package.project(),
                client.api()
            )));
        };
        let Some(project) = client.project(&base.0)? else {
            return Err(ObsError::Usage(format!(
                "there is no project {} at {} to build with; check its name",
                base.0,
                client.api()
            )));
        };
        let Some(there) = project.repositories.iter().find(|repository| repository.name == base.1) else {
            return Err(ObsError::Usage(format!(
                "{} has no repository `{}` to build with; it has {}",
                base.0,
                base.1,
                names(&project.repositories)
            )));
        };
        self.fitting(&base.0, there)?;
        let own = self.repository.clone().unwrap_or_else(|| base.0.replace(':', "_"));
        Ok((own, Some(base)))
    }

    fn fitting(&self, project: &str, there: &RepositoryMeta) -> Result<String, ObsError> {
        match self.lacking(there) {
            None => Ok(there.name.clone()),
            Some(arch) => Err(ObsError::Usage(format!(
                "the repository `{}` of {project} is not built for {}; it is for {}",
                there.name,
                service_arch(arch),
                there.archs.join(", ")
            ))),
        }
    }

    fn lacking(&self, there: &RepositoryMeta) -> Option<Arch> {
        let has = |arch: &Arch| there.archs.iter().any(|own| own == service_arch(*arch));
        self.archs.iter().copied().find(|arch| !has(arch))
    }

    fn words(&self) -> String {
        let words: Vec<_> = self.archs.iter().map(|arch| service_arch(*arch)).collect();
        words.join(" and ")
    }
}

fn names(repositories: &[RepositoryMeta]) -> String {
    if repositories.is_empty() {
        return "none".to_owned();
    }
    let names: Vec<_> = repositories
        .iter()
        .map(|there| format!("{} ({})", there.name, there.archs.join(", ")))
        .collect();
    names.join(", ")
}
