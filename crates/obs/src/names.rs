//! Names of projects, packages, repositories and architectures, and how they stand in an address.

use std::{borrow::Cow, fmt};

use crate::ObsError;

/// A package of a project.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PackagePath {
    project: String,
    package: String,
}

impl PackagePath {
    /// Refuses names that would be other paths.
    pub fn new(project: impl Into<String>, package: impl Into<String>) -> Result<Self, ObsError> {
        let (project, package) = (project.into(), package.into());
        check("project", &project)?;
        check("package", &package)?;
        Ok(Self { project, package })
    }

    /// The project, such as `home:someone`.
    pub fn project(&self) -> &str {
        &self.project
    }

    /// The package.
    pub fn package(&self) -> &str {
        &self.package
    }

    pub(crate) fn source(&self) -> String {
        format!("/source/{}/{}", encode(&self.project), encode(&self.package))
    }
}

impl fmt::Display for PackagePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.project, self.package)
    }
}

/// A package as it is built for one repository and architecture.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target {
    package: PackagePath,
    repository: String,
    arch: String,
}

impl Target {
    /// Refuses names that would be other paths.
    pub fn new(package: PackagePath, repository: impl Into<String>, arch: impl Into<String>) -> Result<Self, ObsError> {
        let (repository, arch) = (repository.into(), arch.into());
        check("repository", &repository)?;
        check("architecture", &arch)?;
        Ok(Self {
            package,
            repository,
            arch,
        })
    }

    /// The package.
    pub fn package(&self) -> &PackagePath {
        &self.package
    }

    /// The repository, such as `standard`.
    pub fn repository(&self) -> &str {
        &self.repository
    }

    /// The architecture in the service's words, such as `x86_64` or `aarch64`.
    pub fn arch(&self) -> &str {
        &self.arch
    }

    /// The folder of the repository and architecture.
    pub(crate) fn shelf(&self) -> String {
        format!(
            "/build/{}/{}/{}",
            encode(&self.package.project),
            encode(&self.repository),
            encode(&self.arch)
        )
    }

    pub(crate) fn build(&self) -> String {
        format!("{}/{}", self.shelf(), encode(&self.package.package))
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}/{}", self.package, self.repository, self.arch)
    }
}

/// What the service itself takes as a name, at most.
pub(crate) fn check(what: &str, name: &str) -> Result<(), ObsError> {
    let problem = if name.is_empty() {
        "is empty"
    } else if name.len() > 200 {
        "has more than 200 bytes"
    } else if name.starts_with(['.', '_']) {
        "starts with a character that the service keeps for itself"
    } else if name.contains(|c: char| c == '/' || c.is_control() || c.is_whitespace()) {
        "holds a slash, a blank or a control character"
    } else {
        return Ok(());
    };
    Err(ObsError::Usage(format!(
        "the {what} `{}` {problem}",
        name.escape_debug()
    )))
}

/// A part of a path or a value of a query, with everything escaped that could mean something.
pub(crate) fn encode(text: &str) -> Cow<'_, str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~:".contains(&byte);
    if text.bytes().all(plain) {
        return Cow::Borrowed(text);
    }
    text.bytes()
        .map(|byte| {
            if plain(byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect::<String>()
        .into()
}

/// A query of pairs, with its question mark.
pub(crate) fn query(pairs: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (name, value) in pairs {
        text.push(if text.is_empty() { '?' } else { '&' });
        text.push_str(name);
        text.push('=');
        text.push_str(&encode(value));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_would_be_other_paths_are_refused() {
        for (project, package) in [
            ("", "a"),
            ("home:a", "../b"),
            ("home:a/b", "c"),
            ("_x", "c"),
            ("p", "a b"),
        ] {
            assert!(PackagePath::new(project, package).is_err(), "{project} {package}");
        }
        let path = PackagePath::new("home:a", "gtk+:flavour").unwrap();
        assert_eq!(path.source(), "/source/home:a/gtk%2B:flavour");
        assert_eq!(
            query(&[("cmd", "commit"), ("comment", "a&b ü")]),
            "?cmd=commit&comment=a%26b%20%C3%BC"
        );
    }
}
