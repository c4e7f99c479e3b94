//! Rebuilding at an Open Build Service: the package is committed there in one revision, and what the workers make of just
//! these sources is the outcome.

mod judged;
mod place;

use std::{
    path::Path,
    sync::{Mutex, PoisonError, atomic::AtomicBool},
    time::{Duration, Instant},
};

use seatrial_core::Arch;
use seatrial_obs::{
    Client, Commit, Ending, Event, JobRecord, LogLimits, ObsError, ProjectMeta, RepositoryMeta, SourceFile, Target,
    Upload, WaitOptions, Waited, Wanted,
};
use seatrial_store::Blobs;

pub use self::place::{ServicePlace, WantedPlace, service_arch};
use crate::{
    Binaries, Listener, Mode, Outcome, Payload, Phase, RebuildError, RebuildRequest, Rebuilder, SourcePackage, Spent,
    State,
    payload::{judge, look},
    step::Halt,
};

const NAME: &str = "obs";
/// Bytes of one package that is looked into.
const LARGEST_PACKAGE: u64 = 1 << 30;

/// A package of a build service. Clones of its client are the same session.
pub struct BuildService {
    client: Client,
    place: ServicePlace,
    blobs: Blobs,
    within: Duration,
    /// The revision that the next commit is made from; what stands on another one is somebody else's.
    head: Mutex<Option<String>>,
}

/// What the service made of a commit on one architecture.
#[derive(Debug, Clone)]
pub struct ServiceBuild {
    /// The architecture.
    pub arch: Arch,
    /// What it means, in the words of every rebuild.
    pub state: State,
    /// One or a few lines for a person.
    pub details: String,
    /// Names of what the service could not give.
    pub missing: Vec<String>,
    /// What was built.
    pub payloads: Vec<Payload>,
    /// The end of waiting, and the way to it.
    pub waited: Waited,
    /// The build in the service's own words, where one ran.
    pub job: Option<JobRecord>,
}

impl ServiceBuild {
    /// The whole log, where a build ran.
    pub fn log(&self) -> Option<&[u8]> {
        match &self.waited.ending {
            Ending::Settled(verdict) => verdict.log.as_ref().map(|log| log.text.as_slice()),
            Ending::Overtaken { .. } | Ending::Stale { .. } | Ending::OutOfTime { .. } | Ending::Stopped { .. } => None,
        }
    }

    /// Whether a processor of another kind was emulated; the service tells which kind its worker has.
    pub fn is_emulated(&self) -> bool {
        let own = service_arch(self.arch);
        let runs_it = |host: &str| host == own || (host == "x86_64" && own == "i586") || host.is_empty();
        self.job.as_ref().is_some_and(|job| !runs_it(&job.host_arch))
    }
}

impl BuildService {
    /// A package at a service. Nothing is asked yet; `within` bounds the time that one architecture is waited for.
    pub fn new(client: Client, place: ServicePlace, blobs: Blobs, within: Duration) -> Self {
        Self {
            client,
            place,
            blobs,
            within,
            head: Mutex::default(),
        }
    }

    /// Where it builds.
    pub fn place(&self) -> &ServicePlace {
        &self.place
    }

    /// The service's address.
    pub fn api(&self) -> &str {
        self.client.api()
    }

    /// Notes at which revision the package is: a commit of somebody else after this is not written over.
    pub fn note_head(&self) -> Result<(), ObsError> {
        let head = match self.client.list_at(&self.place.package, None, false) {
            Ok(listing) => listing.revision,
            Err(ObsError::Missing { .. }) => String::new(),
            Err(error) => return Err(error),
        };
        *self.head.lock().unwrap_or_else(PoisonError::into_inner) = Some(head);
        Ok(())
    }

    /// Makes project, repository and package where they are missing, and makes the package consist of exactly these files,
    /// in one revision.
    pub fn commit(&self, package: &SourcePackage, comment: &str, stop: &AtomicBool) -> Result<Commit, ObsError> {
        let path = &self.place.package;
        if let Some(base) = &self.place.make {
            self.client.ensure_project(&ProjectMeta {
                name: path.project().to_owned(),
                title: "Packages that are made to build on other architectures".to_owned(),
                repositories: vec![RepositoryMeta {
                    name: self.place.repository.clone(),
                    paths: vec![base.clone()],
                    archs: self
                        .place
                        .archs
                        .iter()
                        .map(|arch| service_arch(*arch).to_owned())
                        .collect(),
                }],
            })?;
        }
        self.client.ensure_package(path, package.name())?;
        let files: Vec<SourceFile> = package
            .files()
            .iter()
            .map(|file| SourceFile::from_path(package.folder().join(&file.name)))
            .collect::<Result<_, _>>()?;
        let mut head = self.head.lock().unwrap_or_else(PoisonError::into_inner);
        let commit = self.client.commit(
            path,
            &Upload {
                files: &files,
                comment,
                base: head.as_deref(),
                stop,
            },
        )?;
        *head = Some(commit.revision.clone());
        Ok(commit)
    }

    /// Waits for what becomes of a commit on one architecture. What the service decides is no error.
    pub fn verdict(
        &self,
        commit: &Commit,
        arch: Arch,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(Event<'_>),
    ) -> Result<ServiceBuild, RebuildError> {
        let target = Target::new(self.place.package.clone(), &self.place.repository, service_arch(arch))?;
        let waited = self.client.wait(
            &target,
            &Wanted::from(commit),
            &mut WaitOptions {
                within: self.within,
                stop,
                log: LogLimits::default(),
                follow: true,
                progress,
            },
        )?;
        let judged = judged::judge(&waited, &target, self.client.api());
        // Only for its figures: the verdict has its proof already.
        let job = self.client.jobs(&target, 1).ok().and_then(|mut jobs| jobs.pop());
        let mut build = ServiceBuild {
            arch,
            state: judged.state,
            details: judged.details,
            missing: judged.missing,
            payloads: Vec::new(),
            waited,
            job: job.filter(|job| job.srcmd5 == commit.built),
        };
        if build.state == State::Succeeded {
            match self.payloads(&target, arch) {
                Ok(payloads) => build.payloads = payloads,
                Err(Halt::Error(error)) => return Err(error),
                Err(Halt::State { state, details, .. }) => (build.state, build.details) = (state, details),
            }
        }
        Ok(build)
    }

    /// Gets what was built, keeps it and looks into it: a label proves nothing.
    fn payloads(&self, target: &Target, arch: Arch) -> Result<Vec<Payload>, Halt> {
        let service = |error: ObsError| Halt::Error(error.into());
        let mut payloads = Vec::new();
        for (name, _) in self.client.binaries(target).map_err(service)? {
            if !is_package(&name) {
                continue;
            }
            let content = match self.client.binary(target, &name, LARGEST_PACKAGE) {
                Ok(content) => content,
                Err(error @ ObsError::TooBig { .. }) => {
                    return Err(Halt::invalid(format!("{name} is not looked into: {error}")));
                }
                Err(error) => return Err(service(error)),
            };
            let digest = self.blobs.put(&content)?;
            payloads.push(look(name, digest, content.len() as u64, &self.blobs)?);
        }
        payloads.sort_by(|a, b| a.path.cmp(&b.path));
        judge(&mut payloads, arch)?;
        Ok(payloads)
    }
}

/// Whether a file that a build left is a package of binaries.
fn is_package(name: &str) -> bool {
    let ending = Path::new(name)
        .extension()
        .and_then(|ending| ending.to_str())
        .unwrap_or_default();
    matches!(ending, "deb" | "ddeb" | "udeb") || (ending == "rpm" && !name.ends_with(".src.rpm"))
}

impl Rebuilder for BuildService {
    fn name(&self) -> &'static str {
        NAME
    }

    fn rebuild(
        &self,
        package: &SourcePackage,
        target: Arch,
        request: &RebuildRequest,
        listener: &mut dyn Listener,
    ) -> Result<Outcome, RebuildError> {
        let asks_more = request.mode != Mode::Native || request.binaries != Binaries::All;
        if asks_more || !request.profiles.is_empty() || !request.options.is_empty() {
            return Err(RebuildError::Unsupported {
                builder: NAME,
                problem:
                    "a build service builds everything, on the target, as its project says; ask for nothing else, or \
                          rebuild locally"
                        .to_owned(),
            });
        }
        let began = Instant::now();
        let never = AtomicBool::new(false);
        let stop = request.stop.as_deref().unwrap_or(&never);
        listener.phase(Phase::Unpack);
        let comment = format!("{} {} for {target}", package.name(), package.version());
        let commit = self.commit(package, comment.trim(), stop).map_err(interrupted)?;
        listener.phase(Phase::Build);
        let build = self.verdict(&commit, target, stop, &mut |event| {
            if let Event::Log(piece) = event {
                listener.output(piece);
            }
        })?;
        if matches!(build.waited.ending, Ending::Stopped { .. }) {
            return Err(RebuildError::Interrupted);
        }
        let duration = began.elapsed();
        let emulated = build.is_emulated();
        Ok(Outcome {
            log: build.log().map(|log| self.blobs.put(log)).transpose()?,
            state: build.state,
            details: build.details,
            missing: build.missing,
            duration,
            spent: vec![Spent {
                phase: Phase::Build,
                wall_ms: duration.as_millis().try_into().unwrap_or(u64::MAX),
                // The service tells no processor time.
                cpu_ms: 0,
            }],
            emulated,
            emulator: emulated.then(|| "the service's worker".to_owned()),
            proof: true,
            payloads: build.payloads,
            source: package.digest(),
            target,
            builder: NAME.to_owned(),
            mode: Mode::Native,
        })
    }
}

fn interrupted(error: ObsError) -> RebuildError {
    match error {
        ObsError::Stopped => RebuildError::Interrupted,
        other => other.into(),
    }
}
