//! Committing: one list of files, one revision, one build.

use std::{
    collections::HashSet,
    fmt::Write as _,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use md5::{Digest as _, Md5};
use ureq::http::Method;

use crate::{
    Client, Listing, ObsError, PackagePath, Revision, SourceFile,
    files::{Known, Watched, hex, know},
    names::{encode, query},
    transport::{Call, Payload, Repeat},
    xml::{Element, escape},
};

/// How often the service may ask for files that it lacks.
const ROUNDS: usize = 3;
/// How many of the newest commits are looked at for those of others.
const LOOK_BACK: usize = 20;

/// What to commit.
#[derive(Debug, Clone, Copy)]
pub struct Upload<'a> {
    /// All files of the package; what is not among them is deleted.
    pub files: &'a [SourceFile],
    /// What the commit says.
    pub comment: &'a str,
    /// The revision that the change was made from. When the package is at another one, nothing is committed.
    pub base: Option<&'a str>,
    /// Raised by the caller to stop before the commit.
    pub stop: &'a AtomicBool,
}

/// What was committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The revision.
    pub revision: String,
    /// The hash of the files as they were committed.
    pub srcmd5: String,
    /// The hash of the sources that are built: with a link followed and services applied. Logs name this one.
    pub built: String,
    /// The service's time of the commit, in seconds since 1970.
    pub time: i64,
    /// Whether a revision was made; `false` when the package had exactly these files.
    pub is_new: bool,
    /// The files whose content was sent.
    pub uploaded: Vec<String>,
    /// The files that the package had and has no longer.
    pub deleted: Vec<String>,
    /// Commits of others that came between the base and this one: this one stands on top of them.
    pub between: Vec<Revision>,
    /// Whether source services still work on it.
    pub in_service: bool,
}

impl Client {
    /// Makes the package consist of exactly these files, in one revision.
    ///
    /// Content that the service has is not sent, nor the same content twice, and a package that has these files already
    /// gets no new revision. An answer that is lost on its way is not asked for again: whether the commit was made is
    /// looked up.
    pub fn commit(&self, package: &PackagePath, upload: &Upload<'_>) -> Result<Commit, ObsError> {
        self.may_write(package.project())?;
        let plain = self.list_at(package, None, false)?;
        let head = plain.revision.clone();
        let is_link = plain.link.is_some();
        if let Some(base) = upload.base
            && base != head
        {
            return Err(self.overtaken(package, base, &head));
        }
        let before = if is_link { self.list(package)? } else { plain };
        let there: Vec<String> = before.entries.iter().map(|entry| entry.name.clone()).collect();
        let files = know(upload.files, &there)?;
        if files.is_empty() {
            return Err(ObsError::Usage(format!(
                "{package}: a commit of no files would empty the package"
            )));
        }
        let deleted: Vec<String> = there
            .into_iter()
            .filter(|name| !files.iter().any(|known| known.file.name == *name) && !is_made_by_service(name))
            .collect();
        if same(&before, &files) && !head.is_empty() {
            let mut commit = self.described(package, &head, before, None)?;
            commit.is_new = false;
            return Ok(commit);
        }
        let (reply, uploaded) = self.send(package, &files, upload, is_link, &head)?;
        let revision = reply.revision.clone();
        let mut commit = self.described(package, &revision, reply, Some(&head))?;
        commit.uploaded = uploaded;
        commit.deleted = deleted;
        Ok(commit)
    }

    /// Offers the list, sends what is missing, and offers it again.
    fn send(
        &self,
        package: &PackagePath,
        files: &[Known<'_>],
        upload: &Upload<'_>,
        is_link: bool,
        head: &str,
    ) -> Result<(Listing, Vec<String>), ObsError> {
        let mut pairs = vec![("cmd", "commitfilelist"), ("withvalidate", "1")];
        if is_link {
            pairs.push(("keeplink", "1"));
        }
        if let Some(user) = self.user() {
            pairs.push(("user", user));
        }
        pairs.push(("comment", upload.comment));
        let path = format!("{}{}", package.source(), query(&pairs));
        let mut with_hash: HashSet<String> = HashSet::new();
        let mut sent: Vec<String> = Vec::new();
        let mut lost = 0;
        let mut rounds = 0;
        loop {
            if upload.stop.load(Ordering::Relaxed) {
                return Err(ObsError::Stopped);
            }
            let list = file_list(files, &with_hash);
            let call = Call {
                method: Method::POST,
                payload: Payload::Text(&list),
                repeat: Repeat::No,
                ..Call::get(path.clone())
            };
            let root = match self.transport.xml(&call) {
                Ok(root) => root,
                Err(error) if error.is_ambiguous() => {
                    // Perhaps it was made: then it is found. Otherwise the list may be offered again.
                    lost += 1;
                    std::thread::sleep(self.pace().retry);
                    if let Some(listing) = self.find_commit(package, files, head, upload.comment)? {
                        return Ok((listing, sent));
                    }
                    if lost >= self.pace().tries {
                        return Err(error);
                    }
                    continue;
                }
                Err(error) => return Err(error),
            };
            if root.attribute("error") != Some("missing") {
                let listing = Listing::read(&root, &self.transport.url(&path))?;
                if listing.revision.is_empty() || listing.srcmd5.is_empty() {
                    return Err(ObsError::Unexpected {
                        url: self.transport.url(&path),
                        lacks: "the new revision".to_owned(),
                    });
                }
                return Ok((listing, sent));
            }
            rounds += 1;
            let hashes = with_hash.len();
            let missing: Vec<&Known<'_>> = missing(&root, files, &mut with_hash);
            // With nothing to send and no hash to add, the next answer would be the same.
            if rounds > ROUNDS || (missing.is_empty() && with_hash.len() == hashes) {
                return Err(ObsError::KeepsMissing {
                    names: root.all("entry").map(|entry| entry.text_of("name")).collect(),
                    rounds: rounds - 1,
                });
            }
            for known in missing {
                if upload.stop.load(Ordering::Relaxed) {
                    return Err(ObsError::Stopped);
                }
                match self.put(package, known) {
                    Ok(()) => {
                        if !sent.contains(&known.file.name) {
                            sent.push(known.file.name.clone());
                        }
                    }
                    // Whether it arrived, the next round says.
                    Err(error) if error.is_ambiguous() && rounds < ROUNDS => std::thread::sleep(self.pace().retry),
                    Err(error) => return Err(error),
                }
            }
        }
    }

    /// Sends the content of one file, which makes no revision.
    fn put(&self, package: &PackagePath, known: &Known<'_>) -> Result<(), ObsError> {
        let path = format!(
            "{}/{}{}",
            package.source(),
            encode(&known.file.name),
            query(&[("rev", "repository")])
        );
        let hash = Arc::new(Mutex::new(Md5::new()));
        let open = || -> std::io::Result<Box<dyn std::io::Read>> {
            *hash.lock().unwrap_or_else(PoisonError::into_inner) = Md5::new();
            Ok(Box::new(Watched {
                inner: known.file.open()?,
                hash: Arc::clone(&hash),
            }))
        };
        let call = Call {
            method: Method::PUT,
            payload: Payload::Stream {
                size: known.size,
                open: &open,
            },
            repeat: Repeat::No,
            ..Call::get(path)
        };
        let result = self.transport.xml(&call);
        let went = std::mem::take(&mut *hash.lock().unwrap_or_else(PoisonError::into_inner));
        if result.is_ok() && hex(&went.finalize()) != known.md5 {
            return Err(ObsError::FileChanged {
                name: known.file.name.clone(),
            });
        }
        result.map(|_| ())
    }

    /// The commit of these files that was made after `head`, if there is one.
    fn find_commit(
        &self,
        package: &PackagePath,
        files: &[Known<'_>],
        head: &str,
        comment: &str,
    ) -> Result<Option<Listing>, ObsError> {
        let ours = self
            .revisions(package, LOOK_BACK)?
            .into_iter()
            .rev()
            .take_while(|revision| revision.revision != head)
            .find(|revision| revision.comment == comment);
        let Some(ours) = ours else {
            return Ok(None);
        };
        let listing = self.list_at(package, Some(&ours.revision), true)?;
        Ok(same(&listing, files).then_some(Listing {
            revision: ours.revision,
            srcmd5: ours.srcmd5,
            ..listing
        }))
    }

    /// What is to be known of a revision: its time, what is built of it, and what others did between the head and it.
    fn described(
        &self,
        package: &PackagePath,
        revision: &str,
        mut listing: Listing,
        head: Option<&str>,
    ) -> Result<Commit, ObsError> {
        let srcmd5 = listing.srcmd5.clone();
        if head.is_some() && (listing.link.is_some() || listing.service.is_some()) {
            match self.list_at(package, Some(revision), true) {
                Ok(followed) => listing = followed,
                Err(error) if error.may_pass() => return Err(error),
                // A link that no longer fits cannot be followed. The commit is made all the same, and the state will say so.
                Err(_) => {}
            }
        }
        let revisions = self.revisions(package, LOOK_BACK)?;
        let time = revisions
            .iter()
            .find(|other| other.revision == revision)
            .map_or(0, |revision| revision.time);
        let number = |revision: &str| revision.parse::<u64>().ok();
        let between = revisions.into_iter().filter(|other| {
            head.is_some_and(|head| {
                number(&other.revision) > number(head) && number(&other.revision) < number(revision)
            })
        });
        Ok(Commit {
            revision: revision.to_owned(),
            srcmd5,
            in_service: listing.is_in_service(),
            built: listing.srcmd5,
            time,
            is_new: true,
            uploaded: Vec::new(),
            deleted: Vec::new(),
            between: between.collect(),
        })
    }

    pub(crate) fn overtaken(&self, package: &PackagePath, expected: &str, found: &str) -> ObsError {
        let by = self
            .revisions(package, 1)
            .ok()
            .and_then(|mut revisions| revisions.pop());
        ObsError::Overtaken {
            package: package.to_string(),
            expected: expected.to_owned(),
            found: if found.is_empty() {
                "none".to_owned()
            } else {
                found.to_owned()
            },
            by: by.map_or_else(|| "nobody known".to_owned(), |revision| revision.user),
        }
    }
}

/// The files that the answer lacks; those that it wants a hash for are noted.
fn missing<'a, 'b>(root: &Element, files: &'a [Known<'b>], with_hash: &mut HashSet<String>) -> Vec<&'a Known<'b>> {
    let mut lacking = Vec::new();
    for entry in root.all("entry") {
        let name = entry.text_of("name");
        let Some(known) = files.iter().find(|known| known.file.name == name) else {
            continue;
        };
        // `missing`: the content is there, and whoever can tell its longer hash may use it. A service that says nothing
        // of hashes does not know them.
        let wish = entry.attribute("hash");
        let is_new_wish = wish.is_some() && with_hash.insert(name);
        if wish != Some("missing") || !is_new_wish {
            lacking.push(known);
        }
    }
    lacking
}

fn file_list(files: &[Known<'_>], with_hash: &HashSet<String>) -> String {
    let mut list = String::from("<directory>\n");
    for known in files {
        let hash = if with_hash.contains(&known.file.name) {
            format!(" hash=\"sha256:{}\"", known.sha256)
        } else {
            String::new()
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            list,
            "  <entry name=\"{}\" md5=\"{}\"{hash}/>",
            escape(&known.file.name),
            known.md5
        );
    }
    list.push_str("</directory>\n");
    list
}

/// Whether a listing holds exactly these files.
fn same(listing: &Listing, files: &[Known<'_>]) -> bool {
    let own: Vec<_> = listing
        .entries
        .iter()
        .filter(|entry| !is_made_by_service(&entry.name) || files.iter().any(|known| known.file.name == entry.name))
        .collect();
    own.len() == files.len()
        && files.iter().all(|known| {
            own.iter()
                .any(|entry| entry.name == known.file.name && entry.md5 == known.md5)
        })
}

/// Files that source services make beside those that were committed.
fn is_made_by_service(name: &str) -> bool {
    name.starts_with("_service:")
}
