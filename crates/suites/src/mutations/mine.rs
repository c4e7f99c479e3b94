//! Makes the logs: builds each project of the catalogue in a box, breaks it, builds it again.
//!
//! Whatever an instance of a project gave is in the set at once.

use std::{
    collections::{BTreeSet, VecDeque},
    fmt::Write as _,
    path::Path,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use seatrial_core::{Digest, Platform};
use seatrial_sandbox::{BoxSpec, Command, Limits, Network, Sandbox, SandboxFactory, Snapshot};
use seatrial_source::Fetcher;

use super::{
    Case, CaseSet, Catalogue, Change, MutationError, Project, Share,
    dress::{DRESSES, dress},
    growth::Growth,
    labels::Labels,
    neutral::{neutral, shorten},
    split::number,
};

/// Where a project lies in its box.
const FOLDER: &str = "/build";
/// Longest installation of packages, and longest build.
const INSTALL: Duration = Duration::from_mins(15);
const BUILD: Duration = Duration::from_mins(4);

/// What the miner works with.
pub struct MiningFloor<'a> {
    /// Makes boxes.
    pub factory: &'a dyn SandboxFactory,
    /// The image that they begin with.
    pub image: Digest,
    /// Which platform that is.
    pub platform: Platform,
    /// Their network: packages are installed in them.
    pub network: Network,
    /// Fetches source packages of the distribution.
    pub fetcher: &'a Fetcher,
    /// Hears what happens.
    pub progress: &'a (dyn Fn(&str) + Sync),
}

/// A log, or a project, that is not in the set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// The project, its instance and the mutation.
    pub what: String,
    /// Why.
    pub why: String,
    /// The end of the log.
    pub tail: String,
}

/// What was mined.
#[derive(Debug)]
pub struct MutationReport {
    /// The set, already written.
    pub set: CaseSet,
    /// What is not in it.
    pub dropped: Vec<Dropped>,
}

/// What to mine.
#[derive(Debug, Clone, Default)]
pub struct MutationOptions {
    /// Seed of the split.
    pub seed: u64,
    /// Only these projects are made; the cases of all others stay. All when empty.
    pub only: Vec<String>,
    /// Nothing is built: the labels of the cases that are there are written anew from the catalogue.
    pub labels_only: bool,
    /// Projects at one time.
    pub jobs: usize,
}

/// Mines a set whose catalogue lies in `folder/catalogue`, and writes it there.
pub fn mine_mutations(
    floor: &MiningFloor<'_>,
    folder: &Path,
    options: &MutationOptions,
) -> Result<MutationReport, MutationError> {
    let MutationOptions {
        seed,
        ref only,
        labels_only,
        jobs,
    } = *options;
    let catalogue = Catalogue::load(&folder.join("catalogue"))?;
    if let Some(unknown) = only
        .iter()
        .find(|name| !catalogue.projects.iter().any(|project| project.name == **name))
    {
        return Err(MutationError::Catalogue {
            project: unknown.clone(),
            problem: format!("there is no such project in {}", folder.join("catalogue").display()),
        });
    }
    let wanted = |name: &str| !labels_only && (only.is_empty() || only.iter().any(|only| only == name));
    let mut growth = Growth::begin(folder, seed, &Labels::new(&catalogue))?;
    let share = growth.share();
    let queue: VecDeque<_> = catalogue
        .projects
        .iter()
        .filter(|project| wanted(&project.name))
        .flat_map(Project::instances)
        .collect();
    let waiting: BTreeSet<_> = queue
        .iter()
        .map(|(instance, project)| (project.name.clone(), instance.name.clone()))
        .collect();
    growth.keep(|case| !wanted(&case.project) || waiting.contains(&(case.project.clone(), case.instance.clone())));
    if only.is_empty() && !labels_only {
        growth.count_anew();
    }
    let (queue, growth) = (Mutex::new(queue), Mutex::new(growth));
    let work = || -> Result<(), MutationError> {
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some((instance, project)) = next else { return Ok(()) };
            let mut bench = Workbench {
                floor,
                project: &project,
                instance: &instance.name,
                share: &share,
                cases: Vec::new(),
                dropped: Vec::new(),
            };
            bench.run()?;
            (floor.progress)(&format!(
                "{}: {} logs, {} dropped",
                bench.name(),
                bench.cases.len(),
                bench.dropped.len()
            ));
            let (made, dropped) = (bench.cases, bench.dropped);
            growth.lock().unwrap_or_else(PoisonError::into_inner).take(
                (&project.name, &instance.name),
                made,
                dropped,
            )?;
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| {
            worker
                .join()
                .unwrap_or_else(|_| Err(std::io::Error::other("a worker of the miner broke off").into()))
        })
    })?;
    let (set, dropped) = growth.into_inner().unwrap_or_else(PoisonError::into_inner).finish()?;
    Ok(MutationReport { set, dropped })
}

/// One instance of a project in its box.
struct Workbench<'a> {
    floor: &'a MiningFloor<'a>,
    project: &'a Project,
    instance: &'a str,
    share: &'a Share,
    cases: Vec<(Case, Vec<u8>)>,
    dropped: Vec<Dropped>,
}

impl Workbench<'_> {
    fn name(&self) -> String {
        if self.instance.is_empty() {
            self.project.name.clone()
        } else {
            format!("{}-{}", self.project.name, self.instance)
        }
    }

    fn run(&mut self) -> Result<(), MutationError> {
        let mut sandbox = self.floor.factory.start(&BoxSpec {
            image: self.floor.image,
            limits: Limits::default(),
            network: self.floor.network.clone(),
        })?;
        let sandbox = &mut *sandbox;
        let mut script = String::from("set -e\nexport DEBIAN_FRONTEND=noninteractive\n");
        if !self.project.packages.is_empty() {
            let _ = writeln!(
                script,
                "apt-get -q update\napt-get -q install -y --no-install-recommends {}",
                self.project.packages.join(" ")
            );
        }
        let _ = writeln!(script, "{}", self.project.prepare);
        let (log, ended) = Self::exec(sandbox, &script, INSTALL, "/", &[])?;
        if !ended {
            self.drop_it("", "the packages cannot be installed", &log);
            return Ok(());
        }
        self.lay(sandbox)?;
        let fresh = sandbox.snapshot()?;
        let (log, works) = Self::exec(sandbox, &self.project.build, BUILD, FOLDER, &locale(false))?;
        if !works {
            self.drop_it("", "the build does not work before anything is changed", &log);
            return Ok(());
        }
        let tools = self.versions(sandbox)?;
        for change in &self.project.mutation {
            self.mutate(sandbox, fresh, change, &tools)?;
        }
        Ok(())
    }

    /// Writes the files, or unpacks the source.
    fn lay(&self, sandbox: &mut dyn Sandbox) -> Result<(), MutationError> {
        if !self.project.source.is_empty() {
            let spec = self.project.source.parse()?;
            let tree = self.floor.fetcher.fetch(&self.floor.fetcher.pin(&spec)?)?;
            let mut tar = Vec::new();
            tree.write_tar(&mut tar)?;
            sandbox.write_tree(FOLDER, &mut &*tar)?;
        }
        for (path, content) in &self.project.files {
            let script = content.starts_with("#!");
            sandbox.write_file(
                &format!("{FOLDER}/{path}"),
                content.as_bytes(),
                if script { 0o755 } else { 0o644 },
            )?;
        }
        Ok(())
    }

    fn versions(&self, sandbox: &mut dyn Sandbox) -> Result<Vec<String>, MutationError> {
        let mut versions = Vec::new();
        for tool in &self.project.tools {
            let (log, _) = Self::exec(sandbox, &format!("{tool} 2>&1 | head -n 1"), BUILD, FOLDER, &[])?;
            if let Some(line) = log.lines().next() {
                versions.push(line.trim().to_owned());
            }
        }
        Ok(versions)
    }

    /// Breaks the project in one way, with all the variants of it.
    fn mutate(
        &mut self,
        sandbox: &mut dyn Sandbox,
        fresh: Snapshot,
        change: &Change,
        tools: &[String],
    ) -> Result<(), MutationError> {
        let name = change.case_name(&self.project.name, self.instance);
        let build = if change.build.is_empty() {
            &self.project.build
        } else {
            &change.build
        };
        let draw = number(&name);
        let utf8 = draw.is_multiple_of(2);
        let variants = change.variants.clone().unwrap_or_else(|| drawn(draw, build));
        let mut plain = None;
        for variant in std::iter::once(String::new()).chain(variants) {
            let flags = match &*variant {
                "keep-going" => Some("-k -j4"),
                "parallel" => Some("-j4"),
                _ => None,
            };
            let log = if let (Some(log), None) = (&plain, flags) {
                String::clone(log)
            } else {
                sandbox.rollback(&fresh)?;
                let (log, changed) = Self::exec(sandbox, &format!("set -e\n{}", change.change), BUILD, FOLDER, &[])?;
                if !changed {
                    self.drop_it(&name, "the change itself failed", &log);
                    return Ok(());
                }
                let mut variables = locale(utf8).to_vec();
                if let Some(flags) = flags {
                    variables.push(("MAKEFLAGS", flags));
                }
                let (log, works) = Self::exec(sandbox, build, BUILD, FOLDER, &variables)?;
                if works {
                    self.drop_it(&name, "it builds all the same", &log);
                    return Ok(());
                }
                let log = neutral(&log);
                if plain.as_ref() == Some(&log) {
                    continue;
                }
                log
            };
            let Some(lines) = change.witnessed(&log) else {
                let what = format!("{name} {variant}");
                self.drop_it(what.trim_end(), &format!("no line matches {:?}", change.witness), &log);
                // What plainly does not show its cause does not show it in another dress either.
                if plain.is_none() {
                    return Ok(());
                }
                continue;
            };
            plain.get_or_insert_with(|| log.clone());
            let (short, lines) = shorten(&log, lines);
            let text = if variant.is_empty() || flags.is_some() {
                short
            } else if let Some(text) = dress(&variant, &short) {
                text
            } else {
                self.drop_it(&name, &format!("there is no variant `{variant}`"), "");
                continue;
            };
            self.keep(&name, &variant, utf8, change, lines, tools, text);
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "they are the fields of one case")]
    fn keep(
        &mut self,
        name: &str,
        variant: &str,
        utf8: bool,
        change: &Change,
        lines: (u64, u64),
        tools: &[String],
        text: String,
    ) {
        let mut variants = Vec::new();
        if utf8 {
            variants.push("utf8".to_owned());
        }
        let mut id = name.to_owned();
        if !variant.is_empty() {
            variants.push(variant.to_owned());
            id = format!("{id}.{variant}");
        }
        let case = Case {
            id,
            project: self.project.name.clone(),
            instance: self.instance.to_owned(),
            mutation: change.name.clone(),
            variant: variants,
            class: change.class,
            also: change.also.clone(),
            kind: change.kind.clone(),
            subject: change.subject.clone(),
            lines,
            remedy: change.remedy.clone(),
            tools: tools.to_vec(),
            platform: self.floor.platform.to_string(),
            split: self.share.case(&self.project.name, &change.name),
        };
        self.cases.push((case, text.into_bytes()));
    }

    fn drop_it(&mut self, name: &str, why: &str, log: &str) {
        let lines: Vec<&str> = log.lines().collect();
        let tail = lines
            .get(lines.len().saturating_sub(12)..)
            .unwrap_or_default()
            .join("\n");
        self.dropped.push(Dropped {
            what: if name.is_empty() { self.name() } else { name.to_owned() },
            why: why.to_owned(),
            tail,
        });
    }

    /// Runs a script; gives its output, both streams in one, and whether it succeeded.
    fn exec(
        sandbox: &mut dyn Sandbox,
        script: &str,
        limit: Duration,
        folder: &str,
        variables: &[(&str, &str)],
    ) -> Result<(String, bool), MutationError> {
        let mut command = Command::bash(format!("exec 2>&1\n{script}"))
            .in_folder(folder)
            .with_timeout(limit);
        for (name, value) in variables {
            command = command.with_env(*name, *value);
        }
        let mut output = Vec::new();
        let execution = sandbox.exec(&command, &mut output)?;
        Ok((String::from_utf8_lossy(&output).into_owned(), execution.succeeded()))
    }
}

/// Which quotes and words the tools use.
fn locale(utf8: bool) -> [(&'static str, &'static str); 2] {
    [("LC_ALL", if utf8 { "C.UTF-8" } else { "C" }), ("TERM", "dumb")]
}

/// Variants where the catalogue names none: one dress for every other change, a build that keeps going for some more.
fn drawn(draw: u64, build: &str) -> Vec<String> {
    let dresses = DRESSES.len() as u64;
    match draw / 2 % 4 {
        0 | 1 => DRESSES
            .get((draw / 8 % dresses) as usize)
            .map(|name| (*name).to_owned())
            .into_iter()
            .collect(),
        2 if build.contains("make") => vec!["keep-going".to_owned()],
        _ => Vec::new(),
    }
}
