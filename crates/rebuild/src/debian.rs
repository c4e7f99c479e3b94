//! Debian source packages, rebuilt in boxes of this machine.

use std::{collections::BTreeMap, io, io::Write as _};

use seatrial_core::Arch;
use seatrial_sandbox::{Command, Sandbox};

use crate::{
    Binaries, Kind, Listener, LocalWorld, Mode, Outcome, Phase, RebuildError, RebuildRequest, Rebuilder, SourcePackage,
    State,
    payload::{collect, judge},
    solver::unmet_of_build,
    step::{Halt, Work, last_line},
    world::{Base, Builder, install},
};

/// Builds Debian source packages with `dpkg-buildpackage`.
pub struct LocalDebian<'a> {
    world: &'a LocalWorld<'a>,
}

const NAME: &str = "local-debian";
/// Where the source package lies in a box.
pub(crate) const IN: &str = "/build/in";
/// Where it is unpacked, and where what is built comes to lie.
pub(crate) const WORK: &str = "/build/work";
/// What distributions' build machines have besides their base; our own images have it already.
const FAKEROOT: &str = "command -v fakeroot >/dev/null || apt-get -q --yes --no-install-recommends install fakeroot";
/// Runs something as the user of builds. A box that has no other user than root builds as root, and says so.
pub(crate) const AS_BUILDER: &str = "as=(setpriv --reuid=builder --regid=builder --init-groups)
\"${as[@]}\" true 2>/dev/null || { as=(); echo 'seatrial: this box has no other user than root, which builds'; }
";

impl<'a> LocalDebian<'a> {
    /// A builder in a world of boxes.
    pub fn new(world: &'a LocalWorld<'a>) -> Self {
        Self { world }
    }

    fn build(&self, work: &mut Work<'_>) -> Result<(), Halt> {
        let package = work.package;
        if let Some(problem) = package.problem() {
            return Err(Halt::state(State::Broken, problem));
        }
        if let Some(reason) = package.excluded_from(work.target) {
            return Err(Halt::state(State::Excluded, reason));
        }
        let mut sandbox = work.during(Phase::Resolve, |work| self.resolve(work))?;
        work.during(Phase::Unpack, |work| unpack(work, &mut *sandbox))?;
        work.during(Phase::Build, |work| build(work, &mut *sandbox))?;
        work.during(Phase::Inspect, |work| {
            let script = format!(
                "mkdir -p /build/out && find {WORK} -maxdepth 1 -type f '(' -name '*.deb' -o -name '*.udeb' ')' -exec mv -t /build/out {{}} +"
            );
            work.ask(&mut *sandbox, &script)?;
            work.payloads = collect(&mut *sandbox, "/build/out", self.world.blobs())?;
            judge(&mut work.payloads, work.target)
        })
    }

    /// A fresh box with what the package builds with.
    fn resolve(&self, work: &mut Work<'_>) -> Result<Box<dyn Sandbox>, Halt> {
        let package = work.package;
        let content = fs_err::read(package.folder().join(package.recipe()))?;
        let target = work.target.debian();
        let mut words = vec!["--no-install-recommends".to_owned()];
        if let Binaries::Architecture = work.request.binaries {
            words.push("--arch-only".to_owned());
        }
        let profiles = profiles(work.request);
        if !profiles.is_empty() {
            words.push(format!("--build-profiles={}", profiles.join(",")));
        }
        let cross;
        let (also, setup) = match work.request.mode {
            Mode::Native => (Vec::new(), FAKEROOT),
            Mode::Cross => {
                words.push(format!("--host-architecture={target}"));
                cross = cross_setup(target);
                (vec![work.target], cross.as_str())
            }
        };
        let fields: Vec<_> = [
            "build-depends",
            "build-depends-arch",
            "build-depends-indep",
            "build-conflicts",
            "build-conflicts-arch",
            "build-conflicts-indep",
        ]
        .iter()
        .map(|name| package.field(name))
        .collect();
        let what = format!("{words:?} {fields:?}");
        let script = format!(
            "cd {IN} && apt-get -q --yes {} build-dep ./package.dsc; code=$?; rm -rf {IN}; apt-get clean; exit $code",
            words.join(" ")
        );
        let base = Base { also: &also, setup };
        self.world.fresh(work, &base, &what, &mut |work, sandbox| {
            // Under a name of ours: it is written into a command line.
            sandbox.write_file(&format!("{IN}/package.dsc"), &content, 0o644)?;
            install(work, sandbox, &script)
        })
    }
}

impl Rebuilder for LocalDebian<'_> {
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
        let is_own = request.mode == Mode::Cross && target == Arch::host();
        let builder = Builder {
            name: NAME,
            kind: Kind::Debian,
            problem: is_own
                .then(|| format!("{target} is this machine's own architecture, for which nothing is built across")),
        };
        self.world
            .rebuild(builder, package, target, request, listener, |work| self.build(work))
    }
}

/// The compiler for a target, and the libraries that its programs need to run in the emulator.
fn cross_setup(target: &str) -> String {
    format!(
        "set -e
dpkg --add-architecture {target}
apt-get -q update
apt-get -q --yes --no-install-recommends install crossbuild-essential-{target} libc6:{target} libgcc-s1:{target} libstdc++6:{target}
apt-get clean"
    )
}

fn profiles(request: &RebuildRequest) -> Vec<String> {
    let mut profiles = request.profiles.clone();
    if request.mode == Mode::Cross && !profiles.iter().any(|profile| profile == "cross") {
        profiles.push("cross".to_owned());
    }
    profiles.retain(|profile| is_word(profile));
    profiles
}

/// Words that may be written into a command line.
fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.=+:,".contains(c))
}

/// Lays the files into a box.
pub(crate) fn lay(work: &Work<'_>, sandbox: &mut dyn Sandbox) -> Result<(), Halt> {
    let (mut reader, mut writer) = io::pipe()?;
    let package = work.package;
    std::thread::scope(|scope| {
        let packing = scope.spawn(move || {
            let packed = package.write_tar(&mut writer);
            packed.and_then(|()| writer.flush())
        });
        let laid = sandbox.write_tree(IN, &mut reader);
        // Whoever stopped reading early must not leave the packer waiting for ever.
        drop(reader);
        let packed = packing
            .join()
            .map_err(|_| io::Error::other("packing the source for the box broke off"))?;
        laid?;
        packed?;
        Ok(())
    })
}

fn unpack(work: &mut Work<'_>, sandbox: &mut dyn Sandbox) -> Result<(), Halt> {
    lay(work, sandbox)?;
    let script = format!(
        "{AS_BUILDER}install -d -o builder -g builder {WORK} 2>/dev/null || mkdir -p {WORK}
cd {WORK} && exec \"${{as[@]}}\" dpkg-source --no-check --no-copy --extract \"$RECIPE\""
    );
    let limit = work.stretched(work.request.time.idle);
    let command = Command::bash(script)
        .with_timeout(limit)
        .with_env("RECIPE", format!("{IN}/{}", work.package.recipe()))
        .with_env("LC_ALL", "C.UTF-8");
    let execution = work.run(sandbox, command)?;
    if work.end_of_build(&execution)? == 0 {
        return Ok(());
    }
    let tail = work.log.tail();
    Err(Halt::state(State::Broken, complaint(&tail)))
}

fn build(work: &mut Work<'_>, sandbox: &mut dyn Sandbox) -> Result<(), Halt> {
    let request = work.request;
    let binaries = match request.binaries {
        Binaries::All => "-b",
        Binaries::Architecture => "-B",
    };
    let host = match request.mode {
        Mode::Native => String::new(),
        Mode::Cross => format!(" --host-arch {}", work.target.debian()),
    };
    let line = format!("dpkg-buildpackage -us -uc {binaries}{host}");
    let mut options = request.options.clone();
    options.push(format!("parallel={}", request.jobs()));
    options.retain(|option| is_word(option));
    let env = BTreeMap::from([
        ("DEB_BUILD_OPTIONS".to_owned(), options.join(" ")),
        ("DEB_BUILD_PROFILES".to_owned(), profiles(request).join(" ")),
        ("LC_ALL".to_owned(), "C.UTF-8".to_owned()),
        // A package may not count on one; a distribution's build machines have none either.
        ("HOME".to_owned(), "/nonexistent".to_owned()),
        ("USER".to_owned(), "builder".to_owned()),
        ("LOGNAME".to_owned(), "builder".to_owned()),
    ]);
    let personality = personality(work.target, request.mode);
    let script = format!("{AS_BUILDER}cd {WORK}/*/ && exec \"${{as[@]}}\" {personality}{line}");
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
    // What failed before the recipe's own script was called is not the build.
    if !tail.contains("debian/rules") {
        if let Some(missing) = unmet_of_build(&tail) {
            return Err(Halt::State {
                state: State::Unresolvable,
                details: format!("the build misses {}", missing.join(", ")),
                missing,
            });
        }
        return Err(Halt::state(State::Broken, complaint(&tail)));
    }
    // Where the target's programs run no more, nothing that failed says anything.
    work.check_machine(sandbox)?;
    Err(Halt::state(
        State::Failed,
        format!("the build ended with exit code {code}: {}", complaint(&tail)),
    ))
}

/// The target's programs see the target, also where this machine's kernel runs them as they are.
pub(crate) fn personality(target: Arch, mode: Mode) -> String {
    if mode == Mode::Native && target != Arch::host() && seatrial_sandbox::is_native(target) {
        format!("setarch {target} ")
    } else {
        String::new()
    }
}

/// One line for a person: the first error of a compiler, else the last complaint of the distribution's tools, else the
/// last line. Whoever wants the cause asks for a diagnosis of the log.
pub(crate) fn complaint(log: &str) -> String {
    let is_tool = |line: &str| {
        line.split_once(": error: ")
            .is_some_and(|(tool, _)| tool.starts_with("dpkg") || tool.starts_with("dh"))
    };
    let is_compiler =
        |line: &&str| [": error: ", ": fatal error: "].iter().any(|word| line.contains(word)) && !is_tool(line);
    let first = log.lines().find(is_compiler);
    let found = first.or_else(|| log.lines().rev().find(|line| is_tool(line)));
    found.unwrap_or_else(|| last_line(log)).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_gets_the_line_that_says_most() {
        let tools = "make: *** [debian/rules:6: build] Error 25\ndpkg-buildpackage: error: debian/rules build subprocess returned exit status 2\n";
        let compiler = "a.c:1:10: fatal error: sys/io.h: No such file or directory\na.c:2:1: error: x\n";
        for (log, line) in [
            (
                format!("cc a.c\n{compiler}{tools}"),
                "a.c:1:10: fatal error: sys/io.h: No such file or directory",
            ),
            (
                tools.to_owned(),
                "dpkg-buildpackage: error: debian/rules build subprocess returned exit status 2",
            ),
            ("one\nlast\n\n".to_owned(), "last"),
        ] {
            assert_eq!(complaint(&log), line);
        }
    }
}
