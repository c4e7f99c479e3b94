//! RPM packages, rebuilt in Debian boxes of this machine.
//!
//! The distribution of a recipe is mostly not at hand, so its macros are ours (`data/macros.seatrial`), and what it builds
//! with is mapped to Debian's packages by name. What cannot be mapped is named, and nothing is built. A success says that
//! the sources build and pass on the target; whether the distribution's own packages do is for its build service to say.

mod needs;
mod spec;

use std::{collections::BTreeMap, time::Duration};

use needs::{Need, choose, needs};
use seatrial_core::Arch;
use seatrial_packages::Resolver;
use seatrial_sandbox::{Command, OutputSink, Sandbox, Stream};
use spec::{excluded, missing_file};

use crate::{
    Kind, Listener, LocalWorld, Mode, Outcome, Phase, RebuildError, RebuildRequest, Rebuilder, SourcePackage, State,
    debian::{AS_BUILDER, IN, WORK, lay, personality},
    payload::{collect, judge},
    solver::Solved,
    step::{Halt, Work, last_line},
    world::{Base, Builder, install},
};

/// Builds RPM source packages with `rpmbuild`.
pub struct LocalRpm<'a> {
    world: &'a LocalWorld<'a>,
    resolver: Option<&'a dyn Resolver>,
}

const NAME: &str = "local-rpm";
/// What recipes of RPM distributions take for granted.
const TOOLS: &str = "rpm patch file cpio unzip zstd bzip2 xz-utils gawk pkg-config procps";
const MACROS: &str = include_str!("../../data/macros.seatrial");

impl<'a> LocalRpm<'a> {
    /// A builder in a world of boxes. The resolver says which package has a module or a file; without one only names of
    /// packages are mapped.
    pub fn new(world: &'a LocalWorld<'a>, resolver: Option<&'a dyn Resolver>) -> Self {
        Self { world, resolver }
    }

    fn build(&self, work: &mut Work<'_>) -> Result<(), Halt> {
        if let Some(problem) = work.package.problem() {
            return Err(Halt::state(State::Broken, problem));
        }
        let mut sandbox = work.during(Phase::Resolve, |work| self.resolve(work))?;
        work.during(Phase::Unpack, |work| lay(work, &mut *sandbox))?;
        work.during(Phase::Build, |work| build(work, &mut *sandbox))?;
        work.during(Phase::Inspect, |work| {
            let script =
                format!("mkdir -p /build/out && find {WORK}/RPMS -type f -name '*.rpm' -exec mv -t /build/out {{}} +");
            work.ask(&mut *sandbox, &script)?;
            work.payloads = collect(&mut *sandbox, "/build/out", self.world.blobs())?;
            judge(&mut work.payloads, work.target)
        })
    }

    /// A fresh box with what the package builds with, as far as its recipe can be read and allows the target.
    fn resolve(&self, work: &mut Work<'_>) -> Result<Box<dyn Sandbox>, Halt> {
        let setup = format!(
            "set -e
apt-get -q --yes --no-install-recommends install {TOOLS}
apt-get clean
mkdir -p /usr/lib/rpm/macros.d
cat >/usr/lib/rpm/macros.d/macros.seatrial <<'END OF MACROS'
{MACROS}
END OF MACROS"
        );
        let base = Base {
            also: &[],
            setup: &setup,
        };
        // Reading a recipe runs what it likes, so it is read in a box that is thrown away.
        let mut reader = self.world.fresh(work, &base, "", &mut |_, _| Ok(Solved::Yes))?;
        lay(work, &mut *reader)?;
        let read = |work: &mut Work<'_>, reader: &mut dyn Sandbox, what: &str| {
            let script = format!(
                "{AS_BUILDER}cd {IN} && exec \"${{as[@]}}\" {}rpmspec {what} --target {} \"$SPEC\"",
                personality(work.target, Mode::Native),
                name_of(work.target)
            );
            let limit = work.stretched(Duration::from_mins(2));
            let command = Command::bash(script)
                .with_timeout(limit)
                .with_env("SPEC", format!("{IN}/{}", work.package.recipe()))
                .with_env("HOME", "/home/builder")
                .with_env("LC_ALL", "C.UTF-8");
            let mut said = Said::default();
            let _link = work.stopping(reader);
            let execution = reader.exec(&command, &mut said)?;
            work.end_of_build(&execution).map(|code| (code, said))
        };
        let (code, expanded) = read(work, &mut *reader, "--parse")?;
        if code != 0 {
            work.log.say(&String::from_utf8_lossy(&expanded.err));
            return Err(Halt::state(State::Broken, complaint(&expanded)));
        }
        let expanded = String::from_utf8_lossy(&expanded.out).into_owned();
        if let Some(reason) = excluded(&expanded, work.target) {
            return Err(Halt::state(State::Excluded, reason));
        }
        let files = work.package.files();
        if let Some(name) = missing_file(&expanded, &|name| files.iter().any(|file| file.name == name)) {
            let problem = format!("{name}, which {} names, is missing", work.package.recipe());
            return Err(Halt::state(State::Broken, problem));
        }
        let (code, listed) = read(work, &mut *reader, "--query --buildrequires")?;
        if code != 0 {
            return Err(Halt::state(State::Broken, complaint(&listed)));
        }
        let needs = needs(&String::from_utf8_lossy(&listed.out), self.resolver);
        let packages = packages(work, &mut *reader, &needs)?;
        drop(reader);
        if packages.is_empty() {
            return self.world.fresh(work, &base, "", &mut |_, _| Ok(Solved::Yes));
        }
        let script = format!(
            "apt-get -q --yes --no-install-recommends install {}; code=$?; apt-get clean; exit $code",
            packages.join(" ")
        );
        self.world.fresh(work, &base, &script, &mut |work, sandbox| {
            install(work, sandbox, &script)
        })
    }
}

impl Rebuilder for LocalRpm<'_> {
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
        let across = "recipes of RPM packages do not say which compiler to use, so none is built across; use the \
                      native mode";
        let builder = Builder {
            name: NAME,
            kind: Kind::Rpm,
            problem: (request.mode == Mode::Cross).then(|| across.to_owned()),
        };
        self.world
            .rebuild(builder, package, target, request, listener, |work| self.build(work))
    }
}

/// Both streams of a command, apart.
#[derive(Default)]
struct Said {
    out: Vec<u8>,
    err: Vec<u8>,
}

impl OutputSink for Said {
    fn bytes(&mut self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::Out => self.out.extend_from_slice(bytes),
            Stream::Err => self.err.extend_from_slice(bytes),
        }
    }
}

/// An architecture as RPM names it.
fn name_of(arch: Arch) -> &'static str {
    match arch {
        Arch::Armv7l => "armv7hl",
        other => other.as_str(),
    }
}

/// The last line that is an error, without the machine's path before the recipe's name.
fn complaint(said: &Said) -> String {
    let text = String::from_utf8_lossy(&said.err).into_owned();
    let line = text
        .lines()
        .rev()
        .find(|line| line.starts_with("error: ") && line.trim().len() > "error:".len() + 1);
    line.unwrap_or_else(|| last_line(&text)).replace(&format!("{IN}/"), "")
}

/// The packages that give what is needed, by what the archive has.
fn packages(work: &mut Work<'_>, sandbox: &mut dyn Sandbox, needs: &[Need]) -> Result<Vec<String>, Halt> {
    let names: Vec<&str> = needs
        .iter()
        .flat_map(|need| need.choices.iter().map(String::as_str))
        .collect();
    let known = if names.is_empty() {
        String::new()
    } else {
        work.ask(sandbox, &format!("LC_ALL=C.UTF-8 apt-cache policy {}", names.join(" ")))?
    };
    let (packages, missing) = choose(needs, &known);
    for need in needs {
        work.log.say(&format!("it builds with {}", need.text));
    }
    if missing.is_empty() {
        return Ok(packages);
    }
    Err(Halt::State {
        state: State::Unresolvable,
        details: format!(
            "no package of the box's distribution is known for {}",
            missing.join(", ")
        ),
        missing,
    })
}

fn build(work: &mut Work<'_>, sandbox: &mut dyn Sandbox) -> Result<(), Halt> {
    let request = work.request;
    let script = format!(
        "{AS_BUILDER}install -d -o builder -g builder {WORK} 2>/dev/null || mkdir -p {WORK}
cd {WORK} && \"${{as[@]}}\" mkdir -p BUILD BUILDROOT RPMS SRPMS SPECS && exec \"${{as[@]}}\" {}rpmbuild --nodeps -bb --target {} \"$SPEC\"",
        personality(work.target, Mode::Native),
        name_of(work.target)
    );
    let env = BTreeMap::from([
        ("SPEC".to_owned(), format!("{IN}/{}", work.package.recipe())),
        ("RPM_BUILD_NCPUS".to_owned(), request.jobs().to_string()),
        ("LC_ALL".to_owned(), "C.UTF-8".to_owned()),
        ("HOME".to_owned(), "/home/builder".to_owned()),
        ("USER".to_owned(), "builder".to_owned()),
        ("LOGNAME".to_owned(), "builder".to_owned()),
    ]);
    let command = Command {
        env,
        timeout: Some(work.stretched(request.time.build)),
        idle_timeout: Some(work.stretched(request.time.idle)),
        ..Command::bash(script)
    };
    let execution = work.run(sandbox, command)?;
    let code = work.end_of_build(&execution)?;
    if code == 0 {
        return Ok(());
    }
    let tail = work.log.tail();
    // What failed before a script of the recipe ran is not the build.
    if !tail.lines().any(|line| line.starts_with("Executing(%")) {
        return Err(Halt::state(
            State::Broken,
            last_line(&tail).replace(&format!("{IN}/"), ""),
        ));
    }
    work.check_machine(sandbox)?;
    let line = failure(&tail);
    Err(Halt::state(
        State::Failed,
        format!("the build ended with exit code {code}: {line}"),
    ))
}

/// One line for a person: the first error of a compiler, else what rpm says last of the step that failed, else the last line.
/// Its word `error: ` may stand on a line of its own, as its two outputs are one here.
fn failure(log: &str) -> &str {
    let is_compiler = |line: &&str| [": error: ", ": fatal error: "].iter().any(|word| line.contains(word));
    let of_rpm = |line: &&str| {
        let said = line.trim();
        let said = said.strip_prefix("error:").unwrap_or(said).trim();
        said.starts_with("Bad exit status") || (line.trim_start().starts_with("error: ") && !said.is_empty())
    };
    let found = log.lines().find(is_compiler);
    let found = found.or_else(|| log.lines().rev().find(of_rpm));
    found.unwrap_or_else(|| last_line(log)).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_gets_the_line_that_says_most() {
        let tools = "make: *** [Makefile:3: prog] Error 1\n";
        let torn = "error: \nRPM build errors:\nBad exit status from /var/tmp/rpm-tmp.7 (%build)\n    Bad exit status from /var/tmp/rpm-tmp.7 (%build)\n";
        let whole = "error: Bad exit status from /var/tmp/rpm-tmp.7 (%check)\n\nRPM build errors:\n";
        let compiler = "cc: error: unrecognized command-line option '-m64'\na.c:2:1: error: x\n";
        for (log, line) in [
            (
                format!("{compiler}{tools}{torn}"),
                "cc: error: unrecognized command-line option '-m64'",
            ),
            (
                format!("{tools}{torn}"),
                "Bad exit status from /var/tmp/rpm-tmp.7 (%build)",
            ),
            (
                format!("{tools}{whole}"),
                "error: Bad exit status from /var/tmp/rpm-tmp.7 (%check)",
            ),
            ("one\nerror: \nlast\n\n".to_owned(), "last"),
        ] {
            assert_eq!(failure(&log), line, "{log}");
        }
    }
}
