//! What is built: results, histories, and the commands that start and end builds.

use std::time::Duration;

use crate::{
    Client, Code, ObsError, Observation, Results, Target,
    names::{encode, query},
    transport::{Call, Repeat},
};

/// A successful build of the past.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildRecord {
    /// The revision.
    pub revision: String,
    /// The hash of its sources.
    pub srcmd5: String,
    /// Version and release.
    pub version: String,
    /// When it ended, in seconds since 1970.
    pub time: i64,
    /// How long it took, in seconds.
    pub duration: Option<u64>,
}

/// A build of the past, however it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobRecord {
    /// The hash of the sources.
    pub srcmd5: String,
    /// `succeeded`, `failed` or `unchanged`.
    pub code: String,
    /// When it could have begun, in seconds since 1970.
    pub ready: i64,
    /// When it began.
    pub start: i64,
    /// When it ended.
    pub end: i64,
    /// Which machine built it.
    pub worker: String,
    /// That machine's architecture.
    pub host_arch: String,
    /// Why it was built.
    pub reason: String,
}

/// A build that was asked for. What ended before it does not count as its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger {
    /// The last build before it.
    pub last: Option<JobRecord>,
    /// When the scheduler had looked at the target before it, in seconds since 1970, if the service tells.
    pub checked: Option<i64>,
}

impl Client {
    /// The results of a project; of some packages, repositories and architectures, or of all.
    pub fn results(
        &self,
        project: &str,
        packages: &[&str],
        repositories: &[&str],
        archs: &[&str],
    ) -> Result<Results, ObsError> {
        crate::names::check("project", project)?;
        let mut pairs = Vec::new();
        pairs.extend(packages.iter().map(|package| ("package", *package)));
        pairs.extend(repositories.iter().map(|repository| ("repository", *repository)));
        pairs.extend(archs.iter().map(|arch| ("arch", *arch)));
        pairs.extend([("view", "status"), ("view", "stats")]);
        let place = format!("/build/{}/_result", encode(project));
        let root = match self.transport.xml(&Call::get(format!("{place}{}", query(&pairs)))) {
            // A service that does not know the statistics says so with a 400.
            Err(ObsError::Refused {
                status: 400, summary, ..
            }) if summary.contains("view") => {
                pairs.pop();
                self.transport.xml(&Call::get(format!("{place}{}", query(&pairs))))?
            }
            result => result?,
        };
        Ok(Results::read(&root))
    }

    /// One look at a target.
    pub fn observe(&self, target: &Target) -> Result<Observation, ObsError> {
        self.observe_after(target, None, true)
    }

    /// One look; with the state of an earlier one, the service answers when something has changed, or when `hold` is over,
    /// which is an error of its own.
    pub(crate) fn observe_after(
        &self,
        target: &Target,
        old: Option<(&str, Duration)>,
        with_stats: bool,
    ) -> Result<Observation, ObsError> {
        let mut pairs = vec![
            ("package", target.package().package()),
            ("repository", target.repository()),
            ("arch", target.arch()),
            ("view", "status"),
        ];
        if with_stats {
            pairs.push(("view", "stats"));
        }
        if let Some((state, _)) = old {
            pairs.push(("oldstate", state));
        }
        let call = Call {
            within: old.map(|(_, hold)| hold),
            repeat: if old.is_some() { Repeat::No } else { Repeat::Yes },
            ..Call::get(format!(
                "/build/{}/_result{}",
                encode(target.package().project()),
                query(&pairs)
            ))
        };
        let root = match self.transport.xml(&call) {
            Ok(root) => root,
            // A service that does not know the statistics says so with a 400.
            Err(ObsError::Refused {
                status: 400, summary, ..
            }) if with_stats && summary.contains("view") => {
                return self.observe_after(target, old, false);
            }
            Err(error) => return Err(error),
        };
        if root.name != "resultlist" {
            return Err(ObsError::Unexpected {
                url: self.transport.url(&call.path),
                lacks: "a list of results".to_owned(),
            });
        }
        let results = Results::read(&root);
        let place = results
            .repositories
            .into_iter()
            .find(|place| place.repository == target.repository() && place.arch == target.arch());
        let Some(place) = place else {
            return Err(ObsError::Missing {
                url: self.transport.url(&call.path),
                summary: format!(
                    "{} is not built for {}/{}",
                    target.package().project(),
                    target.repository(),
                    target.arch()
                ),
            });
        };
        let name = target.package().package();
        let state = place.packages.into_iter().find(|state| state.package == name);
        let (code, details) = state.map_or((Code::Unknown, String::new()), |state| (state.code, state.details));
        Ok(Observation {
            code,
            details: if details.is_empty() { place.details } else { details },
            is_dirty: place.is_dirty,
            repository: place.code,
            state: results.state,
            checked: place.checked,
        })
    }

    /// The successful builds of a target, oldest first.
    pub fn builds(&self, target: &Target, newest: usize) -> Result<Vec<BuildRecord>, ObsError> {
        let limit = newest.to_string();
        let call = Call::get(format!("{}/_history{}", target.build(), query(&[("limit", &limit)])));
        let root = self.transport.xml(&call)?;
        Ok(root
            .all("entry")
            .map(|entry| BuildRecord {
                revision: entry.text_of("rev"),
                srcmd5: entry.text_of("srcmd5"),
                version: entry.text_of("versrel"),
                time: entry.number("time").unwrap_or(0),
                duration: entry.number("duration"),
            })
            .collect())
    }

    /// The builds of a target however they ended, oldest first.
    pub fn jobs(&self, target: &Target, newest: usize) -> Result<Vec<JobRecord>, ObsError> {
        let limit = newest.to_string();
        let name = target.package().package();
        let pairs = [("package", name), ("limit", limit.as_str())];
        let call = Call::get(format!("{}/_jobhistory{}", target.shelf(), query(&pairs)));
        let root = self.transport.xml(&call)?;
        Ok(root
            .all("jobhist")
            .filter(|job| job.attribute("package") == Some(name))
            .map(|job| JobRecord {
                srcmd5: job.text_of("srcmd5"),
                code: job.text_of("code"),
                ready: job.number("readytime").unwrap_or(0),
                start: job.number("starttime").unwrap_or(0),
                end: job.number("endtime").unwrap_or(0),
                worker: job.text_of("workerid"),
                host_arch: job.text_of("hostarch"),
                reason: job.text_of("reason"),
            })
            .collect())
    }

    /// The files that the last successful build of a target left, with their sizes: packages, and what the service adds.
    pub fn binaries(&self, target: &Target) -> Result<Vec<(String, u64)>, ObsError> {
        let root = self.transport.xml(&Call::get(target.build()))?;
        Ok(root
            .all("binary")
            .map(|file| (file.text_of("filename"), file.number("size").unwrap_or(0)))
            .collect())
    }

    /// One of these files, up to a size.
    pub fn binary(&self, target: &Target, name: &str, limit: u64) -> Result<Vec<u8>, ObsError> {
        let path = format!("{}/{}", target.build(), encode(name));
        self.transport.read(&Call::get(path), limit)
    }

    /// Has a target built again.
    pub fn rebuild(&self, target: &Target) -> Result<Trigger, ObsError> {
        self.may_write(target.package().project())?;
        let last = self.jobs(target, 1)?.pop();
        let checked = self.observe(target)?.checked;
        self.order("rebuild", target)?;
        Ok(Trigger { last, checked })
    }

    /// Ends a running build of a target. Without one nothing happens.
    pub fn abort(&self, target: &Target) -> Result<(), ObsError> {
        self.may_write(target.package().project())?;
        self.order("abortbuild", target)
    }

    fn order(&self, command: &str, target: &Target) -> Result<(), ObsError> {
        let pairs = [
            ("cmd", command),
            ("package", target.package().package()),
            ("repository", target.repository()),
            ("arch", target.arch()),
        ];
        let call = Call {
            // Asked twice it is done once.
            repeat: Repeat::Yes,
            ..Call::post(format!(
                "/build/{}{}",
                encode(target.package().project()),
                query(&pairs)
            ))
        };
        let root = self.transport.xml(&call)?;
        if root.name == "status" && root.attribute("code") == Some("ok") {
            return Ok(());
        }
        Err(ObsError::Unexpected {
            url: self.transport.url(&call.path),
            lacks: "the word `ok`".to_owned(),
        })
    }
}
