//! A proved repair, built once more at an Open Build Service.

use std::{fmt::Write as _, path::Path, time::Duration};

use fs_err as fs;
use seatrial_core::{Arch, ExitCode};
use seatrial_obs::{Client, Commit, Credentials, Ending, Event, ObsError, PackagePath, Projects, Settings, SigningKey};
use seatrial_rebuild::{BuildService, RebuildError, ServiceBuild, SourcePackage, State, WantedPlace};

use crate::{app::App, failure::Failure, service_args::ServiceArgs};

/// What the service made of it, for programs.
pub(super) const FACTS: &str = "obs.json";

/// A service that was found, with everything that can be known before anything is written there.
pub(super) struct Service(BuildService);

/// What a service made of a commit.
pub(super) struct Built {
    api: String,
    commit: Commit,
    package: PackagePath,
    repository: String,
    builds: Vec<ServiceBuild>,
}

/// Looks for the place where it would be built; `None` without `--obs`.
pub(super) fn find(app: &App, args: &ServiceArgs, name: &str, archs: Vec<Arch>) -> Result<Option<Service>, Failure> {
    let Some(api) = &args.obs else { return Ok(None) };
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let mut settings = Settings::new(api);
    settings.credentials = Credentials {
        user: args.obs_user.clone(),
        password: set("OBS_PASSWORD"),
        key: args.obs_key.as_ref().map(|file| SigningKey {
            file: file.clone(),
            agent: std::env::var_os("SSH_AUTH_SOCK").map(Into::into),
        }),
    };
    settings.cookies.clone_from(&args.obs_cookies);
    if args.obs_any_project {
        settings.projects = Projects::Any;
    }
    let project = match (&args.obs_project, &args.obs_user) {
        (Some(project), _) => project.clone(),
        (None, Some(user)) => format!("home:{user}:seatrial"),
        (None, None) => {
            return Err(Failure::usage(
                "--obs asks for a place to build in: name --obs-user, or a project with --obs-project",
            ));
        }
    };
    let base = args.obs_base.as_ref().map(|base| {
        base.split_once('/')
            .map(|(project, repository)| (project.to_owned(), repository.to_owned()))
            .ok_or_else(|| {
                Failure::usage(format!(
                    "--obs-base: `{base}` is not PROJECT/REPOSITORY, such as `Debian:12/standard`"
                ))
            })
    });
    let client = Client::new(settings).map_err(failure)?;
    let wanted = WantedPlace {
        package: PackagePath::new(&project, name).map_err(failure)?,
        repository: args.obs_repository.clone(),
        base: base.transpose()?,
        archs,
    };
    app.show.progress("obs", &format!("looking at {api}"));
    let place = wanted.find(&client).map_err(failure)?;
    app.show.clear();
    let service = BuildService::new(client, place, app.home.blobs(), Duration::from_secs(args.obs_timeout));
    // Whoever commits while the repair is looked for is not written over.
    service.note_head().map_err(failure)?;
    Ok(Some(Service(service)))
}

impl Service {
    /// Commits what was packed and waits for every architecture. What the service decides is no error. What ends the waiting
    /// early stands beside what is known by then.
    fn build(&self, app: &App, recipe: &Path) -> Result<(Built, Option<Failure>), Failure> {
        let service = &self.0;
        let stop = app.stop.flag();
        let package = SourcePackage::open(recipe).map_err(rebuild_failure)?;
        let place = service.place();
        app.show.note(&format!(
            "committing {} {} to {} at {}",
            package.name(),
            package.version(),
            place.package,
            service.api()
        ));
        let comment = format!("Make {} build on other architectures", package.name());
        let commit = service.commit(&package, &comment, &stop).map_err(failure)?;
        app.show.note(&if commit.is_new {
            format!("revision {}, {} files sent", commit.revision, commit.uploaded.len())
        } else {
            format!("revision {} has exactly these files: nothing was sent", commit.revision)
        });
        let (mut builds, mut early) = (Vec::new(), None);
        for arch in &place.archs {
            let mut show = |event: Event<'_>| match event {
                // What the scheduler has yet to look at is of other sources.
                Event::Seen(seen) if seen.is_dirty => app.show.progress(arch.as_str(), "waiting for the scheduler"),
                Event::Seen(seen) => app.show.note(&format!("{arch}: {} {}", seen.code, seen.details)),
                Event::Log(piece) => {
                    let text = String::from_utf8_lossy(piece);
                    if let Some(line) = text.lines().rev().find(|line| !line.trim().is_empty()) {
                        app.show.progress(arch.as_str(), &seatrial_report::visible(line));
                    }
                }
                Event::Trouble(error) => app.show.note(&format!("{arch}: {error}; still waiting")),
            };
            let build = match service.verdict(&commit, *arch, &stop, &mut show) {
                Ok(build) => build,
                Err(error) => {
                    early = Some(rebuild_failure(error));
                    break;
                }
            };
            app.show.clear();
            if matches!(build.waited.ending, Ending::Stopped { .. }) {
                early = Some(Failure::interrupted());
                break;
            }
            app.show
                .note(&format!("{arch}: {}: {}", build.state.as_str(), build.details));
            builds.push(build);
        }
        app.show.clear();
        let built = Built {
            api: service.api().to_owned(),
            commit,
            package: place.package.clone(),
            repository: place.repository.clone(),
            builds,
        };
        let early = early.map(|mut failure| {
            let _ = write!(
                failure.message,
                "\n  the service goes on building revision {} of {} at {}",
                built.commit.revision, built.package, built.api
            );
            failure
        });
        Ok((built, early))
    }
}

impl Built {
    /// What the whole came to.
    pub(super) fn code(&self) -> ExitCode {
        let is = |wanted: fn(&State) -> bool| self.builds.iter().any(|build| wanted(&build.state));
        if is(|state| state.is_valid() && *state != State::Succeeded && *state != State::Timeout) {
            ExitCode::Failed
        } else if is(|state| *state == State::Timeout) {
            ExitCode::BudgetSpent
        } else if is(|state| !state.is_valid()) {
            ExitCode::Invalid
        } else {
            ExitCode::Passed
        }
    }

    /// The facts for programs.
    pub(super) fn facts(&self) -> serde_json::Value {
        let builds: Vec<_> = self
            .builds
            .iter()
            .map(|build| {
                let (proof, waited) = match &build.waited.ending {
                    Ending::Settled(verdict) => (Some(format!("{:?}", verdict.proof)), "settled"),
                    Ending::Overtaken { .. } => (None, "overtaken"),
                    Ending::Stale { .. } => (None, "stale"),
                    Ending::OutOfTime { .. } => (None, "out_of_time"),
                    Ending::Stopped { .. } => (None, "stopped"),
                };
                let payloads: Vec<_> = build
                    .payloads
                    .iter()
                    .map(|payload| {
                        serde_json::json!({"path": payload.path, "size": payload.size, "digest": payload.digest,
                            "machines": payload.machines.iter().map(ToString::to_string).collect::<Vec<_>>()})
                    })
                    .collect();
                let job = build.job.as_ref().map(|job| {
                    serde_json::json!({"seconds": job.end - job.start, "waited_seconds": job.start - job.ready,
                        "worker": job.worker, "host_arch": job.host_arch})
                });
                serde_json::json!({"arch": build.arch, "state": build.state.as_str(), "details": build.details,
                    "ending": waited, "proof": proof, "missing": build.missing, "payloads": payloads,
                    "wall_ms": build.waited.took.as_millis() as u64, "job": job})
            })
            .collect();
        serde_json::json!({"api": self.api, "package": self.package.to_string(), "repository": self.repository,
            "revision": self.commit.revision, "srcmd5": self.commit.srcmd5, "built": self.commit.built,
            "new_revision": self.commit.is_new, "uploaded": self.commit.uploaded, "deleted": self.commit.deleted,
            "builds": builds})
    }

    /// Writes the facts, the logs, and a part of the report. Says what was written.
    pub(super) fn write(&self, output: &Path, report: &str) -> Result<Vec<String>, Failure> {
        let mut made = vec![FACTS.to_owned()];
        seatrial_store::write_file(&output.join(FACTS), format!("{:#}\n", self.facts()).as_bytes())?;
        for build in &self.builds {
            if let Some(log) = build.log() {
                let name = log_of(build.arch);
                fs::write(output.join(&name), log)?;
                made.push(name);
            }
        }
        let path = output.join(report);
        let text = fs::read_to_string(&path)?;
        // Before the patch, which is the long part.
        let (before, after) = text.split_at(text.find("\n## Patch\n").unwrap_or(text.len()));
        fs::write(&path, format!("{before}\n{}{after}", self.section()))?;
        Ok(made)
    }

    fn section(&self) -> String {
        let mut text = format!(
            "## At the build service\n\n{} at {}, revision {} ({}), repository {}:\n\n",
            self.package, self.api, self.commit.revision, self.commit.srcmd5, self.repository
        );
        for build in &self.builds {
            let _ = writeln!(text, "* {}: {}: {}", build.arch, build.state.as_str(), build.details);
            for payload in &build.payloads {
                let machines: Vec<_> = payload.machines.iter().map(ToString::to_string).collect();
                let _ = writeln!(
                    text,
                    "    * {}, {} bytes: {}",
                    payload.path,
                    payload.size,
                    machines.join(" ")
                );
            }
        }
        text
    }

    /// Lines for a person.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "at {}, {} revision {}:",
            self.api, self.package, self.commit.revision
        )];
        lines.extend(self.builds.iter().map(|build| {
            format!(
                "  {}: {} in {:.1} s: {}",
                build.arch,
                build.state.as_str(),
                build.waited.took.as_secs_f64(),
                seatrial_report::visible(&build.details)
            )
        }));
        lines
    }
}

/// The log of one architecture.
fn log_of(arch: Arch) -> String {
    format!("obs-{arch}.log")
}

/// The packed package among what was written: its description, or the folder of a spec file.
fn packed(output: &Path, made: &[String]) -> Option<std::path::PathBuf> {
    let recipe = made.iter().find(|name| name.starts_with("package/"))?;
    let path = output.join(recipe);
    if path.extension().is_some_and(|ending| ending == "dsc") {
        Some(path)
    } else {
        path.parent().map(Path::to_owned)
    }
}

/// Builds a proved repair at the service and writes down what came of it. Whatever fails here, the repair is in the output
/// folder already, and the message says so.
pub(super) fn prove(
    app: &App,
    service: &Service,
    output: &Path,
    report: &str,
    made: &mut Vec<String>,
) -> Result<(Built, Option<Failure>), Failure> {
    let recipe = packed(output, made).ok_or_else(|| {
        Failure::invalid("the repaired package could not be packed, so nothing was sent to the service")
    })?;
    let kept = |mut failure: Failure| {
        let _ = write!(
            failure.message,
            "\n  the repair was proved on this machine and is in {}",
            output.display()
        );
        failure
    };
    let (built, early) = service.build(app, &recipe).map_err(kept)?;
    made.extend(built.write(output, report).map_err(kept)?);
    Ok((built, early.map(kept)))
}

/// Removes what an earlier repair wrote here.
pub(super) fn clear(output: &Path) -> Result<(), Failure> {
    let Ok(entries) = fs::read_dir(output) else {
        return Ok(());
    };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_log = name
            .strip_prefix("obs-")
            .and_then(|rest| rest.strip_suffix(".log"))
            .is_some();
        if is_log || name == FACTS {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn failure(error: ObsError) -> Failure {
    match error {
        ObsError::Stopped => Failure::interrupted(),
        // What was typed, and who asks, is for the user to put right; the rest is the network's or the service's.
        ObsError::Usage(_)
        | ObsError::Unauthorized { .. }
        | ObsError::Forbidden { .. }
        | ObsError::Missing { .. }
        | ObsError::Insecure { .. }
        | ObsError::Moved { .. } => Failure::usage(error.to_string()),
        other => Failure::invalid(other.to_string()),
    }
}

fn rebuild_failure(error: RebuildError) -> Failure {
    match error {
        RebuildError::Service(error) => failure(error),
        RebuildError::Interrupted => Failure::interrupted(),
        other => Failure::invalid(other.to_string()),
    }
}
