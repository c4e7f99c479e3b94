//! What a package's sources are: files, revisions, links and services.

use crate::{
    Client, ObsError, PackagePath,
    names::{encode, query},
    transport::Call,
    xml::Element,
};

/// A file of a revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Its MD5, which is how the service names its content.
    pub md5: String,
    /// Its size; unknown in some answers.
    pub size: Option<u64>,
    /// When it was uploaded, in seconds since 1970.
    pub mtime: Option<i64>,
}

/// Where a package's sources come from, when it is a link to another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The other project.
    pub project: String,
    /// The other package.
    pub package: String,
    /// The hash of the sources with the link followed, where the answer is not that already.
    pub expanded: Option<String>,
    /// Why it cannot be followed.
    pub error: Option<String>,
}

/// What the service's own source services make of the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceState {
    /// `running`, `failed`, `succeeded`, or another word of the service.
    pub code: String,
    /// What it says.
    pub error: String,
}

/// The files of one revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The revision; empty for a package without any.
    pub revision: String,
    /// The hash of all the sources.
    pub srcmd5: String,
    /// The files.
    pub entries: Vec<Entry>,
    /// The link, if the package is one.
    pub link: Option<Link>,
    /// What source services say, if there are any.
    pub service: Option<ServiceState>,
}

impl Listing {
    pub(crate) fn read(root: &Element, url: &str) -> Result<Self, ObsError> {
        if root.name != "directory" {
            return Err(ObsError::Unexpected {
                url: url.to_owned(),
                lacks: format!("a directory (it is a `{}`)", root.name),
            });
        }
        let entries = root.all("entry").map(|entry| Entry {
            name: entry.text_of("name"),
            md5: entry.text_of("md5"),
            size: entry.number("size"),
            mtime: entry.number("mtime"),
        });
        Ok(Self {
            revision: root.text_of("rev"),
            srcmd5: root.text_of("srcmd5"),
            entries: entries.collect(),
            link: root.child("linkinfo").map(|link| Link {
                project: link.text_of("project"),
                package: link.text_of("package"),
                expanded: link.attribute("xsrcmd5").map(str::to_owned),
                error: link.attribute("error").map(str::to_owned),
            }),
            service: root.child("serviceinfo").map(|service| ServiceState {
                code: service.text_of("code"),
                error: service.child_text("error"),
            }),
        })
    }

    /// Whether source services still work on it.
    pub fn is_in_service(&self) -> bool {
        self.service.as_ref().is_some_and(|service| service.code == "running")
    }
}

/// One commit of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// Its number.
    pub revision: String,
    /// The hash of its sources.
    pub srcmd5: String,
    /// When, in seconds since 1970.
    pub time: i64,
    /// Who.
    pub user: String,
    /// What they wrote.
    pub comment: String,
}

impl Client {
    /// Lists the newest sources, with links followed.
    pub fn list(&self, package: &PackagePath) -> Result<Listing, ObsError> {
        self.list_at(package, None, true)
    }

    /// Lists the sources of a revision. A link is followed, or shown as the files that it is made of.
    pub fn list_at(
        &self,
        package: &PackagePath,
        revision: Option<&str>,
        follow_link: bool,
    ) -> Result<Listing, ObsError> {
        let mut pairs = Vec::new();
        if follow_link {
            pairs.push(("expand", "1"));
        }
        if let Some(revision) = revision {
            pairs.push(("rev", revision));
        }
        let call = Call::get(format!("{}{}", package.source(), query(&pairs)));
        Listing::read(&self.transport.xml(&call)?, &self.transport.url(&call.path))
    }

    /// The commits of a package, oldest first; of many only the newest.
    pub fn revisions(&self, package: &PackagePath, newest: usize) -> Result<Vec<Revision>, ObsError> {
        let limit = newest.to_string();
        let call = Call::get(format!("{}/_history{}", package.source(), query(&[("limit", &limit)])));
        let root = self.transport.xml(&call)?;
        let mut revisions: Vec<Revision> = root
            .all("revision")
            .map(|revision| Revision {
                revision: revision.text_of("rev"),
                srcmd5: revision.child_text("srcmd5"),
                time: revision.child_text("time").parse().unwrap_or(0),
                user: revision.child_text("user"),
                comment: revision.child_text("comment"),
            })
            .collect();
        // A service that does not know the limit answers all of them.
        let surplus = revisions.len().saturating_sub(newest);
        revisions.drain(..surplus);
        Ok(revisions)
    }

    /// A file of a revision, up to a size.
    pub fn file(
        &self,
        package: &PackagePath,
        name: &str,
        revision: Option<&str>,
        limit: u64,
    ) -> Result<Vec<u8>, ObsError> {
        let mut pairs = vec![("expand", "1")];
        if let Some(revision) = revision {
            pairs.push(("rev", revision));
        }
        let path = format!("{}/{}{}", package.source(), encode(name), query(&pairs));
        self.transport.read(&Call::get(path), limit)
    }
}
