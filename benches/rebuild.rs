//! What rebuilding an emulated package from clean costs over the bare tool: a warm rebuild of a small package by the local
//! builder, against `dpkg-buildpackage` in a plain folder with the same root file system and the same emulator; one table
//! from one run, in turns.
//!
//! Needs root, an emulator, Linux 6.7 and an image of the architecture (`seatrial image build images/rebuild.toml --arch
//! arm64`) in the data folder, which is `SEATRIAL_TEST_HOME` or `seatrial/test-home` in the user's cache.

use std::{
    env,
    error::Error,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command as Process, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use seatrial_core::Arch;
use seatrial_egress::{AllowList, DoorSpec, Egress, EgressConfig, Policy};
use seatrial_rebuild::{LocalDebian, LocalWorld, Phase, RebuildRequest, Rebuilder, SourcePackage, State, images_of};
use seatrial_sandbox::{BoxSpec, Command, ImageStore, Limits, NativeFactory, Network, SandboxFactory};
use seatrial_store::Home;

/// Turns of each way.
const TURNS: usize = 3;

fn main() {
    // `cargo test --benches` runs this too, and a test run must not take minutes.
    if !env::args().any(|argument| argument == "--bench") {
        return;
    }
    match measure() {
        Ok(table) => print(&table),
        Err(error) => print(&format!("skipped: {error}\n")),
    }
}

#[expect(clippy::print_stdout, reason = "a bench talks to a person")]
fn print(text: &str) {
    print!("{text}");
}

fn measure() -> Result<String, Box<dyn Error>> {
    let target = if Arch::host() == Arch::Aarch64 {
        Arch::Riscv64
    } else {
        Arch::Aarch64
    };
    let folder = env::var_os("SEATRIAL_TEST_HOME").map_or_else(
        || {
            let cache = env::var_os("XDG_CACHE_HOME").map_or_else(
                || PathBuf::from(env::var_os("HOME").unwrap_or_default()).join(".cache"),
                PathBuf::from,
            );
            cache.join("seatrial/test-home")
        },
        PathBuf::from,
    );
    let home = Home::open(folder)?;
    let helper = env::current_exe()?
        .ancestors()
        .skip(2)
        .flat_map(|folder| ["seatrial-box", "seatrial"].map(|name| folder.join(name)))
        .find(|path| path.is_file())
        .ok_or("the helper `seatrial-box` is not built; build the workspace first")?;
    let factory = NativeFactory::new(&home, helper.clone())?;
    let images = images_of(&ImageStore::new(&home, helper), "debian", "bookworm")?;
    let image = *images
        .get(&target)
        .ok_or("there is no image; `seatrial image build images/rebuild.toml --arch arm64` makes one")?;
    let egress = Egress::new(EgressConfig::new(home.root().join("authority"), home.blobs()))?;
    let network = Network::Door(egress.door(DoorSpec {
        policy: Policy::Allow(AllowList::registries()),
        index: None,
        observer: Arc::new(|_| {}),
    })?);

    let scratch = tempfile::tempdir()?;
    let package = package(scratch.path())?;
    let bare = Bare::make(&factory, image, &network, scratch.path(), target)?;
    let world = LocalWorld::new(&factory, images, network, home.blobs());
    let builder = LocalDebian::new(&world);
    let request = RebuildRequest {
        jobs: 2,
        ..RebuildRequest::default()
    };
    let rebuild = || {
        let outcome = builder.rebuild(&package, target, &request, &mut ())?;
        if outcome.state == State::Succeeded {
            Ok(outcome)
        } else {
            Err(Box::<dyn Error>::from(format!(
                "{}: {}",
                outcome.state, outcome.details
            )))
        }
    };
    let cold = rebuild()?.duration;
    bare.run(scratch.path())?;
    let (mut plain, mut ours, mut builds) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        plain.push(bare.run(scratch.path())?);
        let outcome = rebuild()?;
        ours.push(outcome.duration);
        let spent = outcome.spent.iter().filter(|spent| spent.phase == Phase::Build);
        builds.push(Duration::from_millis(spent.map(|spent| spent.wall_ms).sum()));
    }
    let (plain, ours, builds) = (median(plain), median(ours), median(builds));
    Ok(format!(
        "a small package for {target}, median of {TURNS}\n\
         | way | seconds |\n|---|---|\n\
         | bare dpkg-buildpackage, emulated, in a plain root folder | {:.2} |\n\
         | warm rebuild from clean, emulated | {:.2} |\n\
         | of it the build itself | {:.2} |\n\
         | cold rebuild: what it builds with is installed first | {:.2} |\n\
         ratio of warm to bare: {:.2} (wanted: at most 1.3)\n",
        plain.as_secs_f64(),
        ours.as_secs_f64(),
        builds.as_secs_f64(),
        cold.as_secs_f64(),
        ours.as_secs_f64() / plain.as_secs_f64()
    ))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// A library and a program of ten small files, packed the usual way.
fn package(scratch: &Path) -> Result<SourcePackage, Box<dyn Error>> {
    let tree = scratch.join("small-1");
    fs::create_dir_all(tree.join("debian/source"))?;
    let mut makefile = "all: small\nsmall: main.o".to_owned();
    let mut main = String::new();
    for number in 0..10 {
        fs::write(
            tree.join(format!("part{number}.c")),
            format!(
                "#include <stdio.h>\n#include <string.h>\nint part{number}(const char *s) {{ return printf(\"%zu\\n\", strlen(s) + {number}); }}\n"
            ),
        )?;
        makefile.extend([" part", &number.to_string(), ".o"]);
        main.extend(["int part", &number.to_string(), "(const char *);\n"]);
    }
    makefile.push_str("\n\t$(CC) $(LDFLAGS) -o $@ $^\ninstall:\n\tinstall -D small $(DESTDIR)/usr/bin/small\nclean:\n\trm -f *.o small\n");
    main.push_str("int main(void) { return part1(\"x\") < 0; }\n");
    let changelog =
        "small (1) unstable; urgency=low\n\n  * Made.\n\n -- A <a@example.org>  Mon, 01 Jan 2024 00:00:00 +0000\n";
    let control = "Source: small\nMaintainer: A <a@example.org>\nBuild-Depends: debhelper-compat (= 13)\nStandards-Version: 4.6.2\n\n\
                   Package: small\nArchitecture: any\nDepends: ${shlibs:Depends}, ${misc:Depends}\nDescription: small\n small\n";
    for (name, text) in [
        ("Makefile", makefile.as_str()),
        ("main.c", main.as_str()),
        ("debian/control", control),
        ("debian/changelog", changelog),
        ("debian/rules", "#!/usr/bin/make -f\n%:\n\tdh $@\n"),
        ("debian/source/format", "3.0 (native)\n"),
    ] {
        fs::write(tree.join(name), text)?;
    }
    succeed(Process::new("chmod").arg("+x").arg(tree.join("debian/rules")))?;
    succeed(
        Process::new("dpkg-source")
            .arg("--build")
            .arg("small-1")
            .current_dir(scratch),
    )?;
    Ok(SourcePackage::open(&scratch.join("small_1.dsc"))?)
}

/// A plain folder with a root file system in which the package can be built.
struct Bare {
    root: PathBuf,
    script: String,
}

impl Bare {
    fn make(
        factory: &NativeFactory,
        image: seatrial_core::Digest,
        network: &Network,
        scratch: &Path,
        target: Arch,
    ) -> Result<Self, Box<dyn Error>> {
        let root = scratch.join("root");
        fs::create_dir(&root)?;
        let mut sandbox = factory.start(&BoxSpec {
            image,
            limits: Limits::default(),
            network: network.clone(),
        })?;
        let mut said = Vec::new();
        let install = "apt-get -q update; apt-get -q --yes --no-install-recommends install debhelper";
        let execution = sandbox.exec(&Command::bash(install), &mut said)?;
        if !execution.succeeded() {
            return Err(format!("installing debhelper: {}", String::from_utf8_lossy(&said)).into());
        }
        let mut unpack = Process::new("tar")
            .args(["--extract", "--numeric-owner", "--directory"])
            .arg(&root)
            .stdin(Stdio::piped())
            .spawn()?;
        let mut input = unpack.stdin.take().ok_or("no pipe")?;
        sandbox.export(&mut input)?;
        input.flush()?;
        drop(input);
        if !unpack.wait()?.success() {
            return Err("unpacking the root file system".into());
        }
        fs::create_dir_all(root.join("bare"))?;
        let facts = fs::read_to_string(format!("/usr/share/binfmts/qemu-{target}"))?;
        let fact = |name: &str| {
            let found = facts.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
            found.ok_or_else(|| format!("the emulator's facts have no {name}"))
        };
        let line = format!(
            ":bare:M::{}:{}:/usr/bin/qemu-{target}-static:F",
            fact("magic")?,
            fact("mask")?
        );
        let script = format!(
            "set -e; place=/proc/sys/fs/binfmt_misc; mount -t binfmt_misc binfmt_misc $place; printf %s '{line}' >$place/register; \
             mount --rbind /proc \"$ROOT/proc\"; mount --rbind /dev \"$ROOT/dev\"; \
             exec chroot \"$ROOT\" /bin/bash -c 'cd /bare/small-1 && exec dpkg-buildpackage -us -uc -b -j2'"
        );
        Ok(Self { root, script })
    }

    /// Builds a fresh copy of the tree; only the build is measured.
    fn run(&self, scratch: &Path) -> Result<Duration, Box<dyn Error>> {
        let place = self.root.join("bare");
        fs::remove_dir_all(&place)?;
        fs::create_dir(&place)?;
        succeed(Process::new("cp").arg("-a").arg(scratch.join("small-1")).arg(&place))?;
        let began = Instant::now();
        succeed(
            Process::new("unshare")
                .args([
                    "--kill-child",
                    "--user",
                    "--map-root-user",
                    "--mount",
                    "--pid",
                    "--fork",
                    "bash",
                    "-c",
                    &self.script,
                ])
                .env("ROOT", &self.root)
                .env("LC_ALL", "C.UTF-8")
                .env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
        )?;
        let took = began.elapsed();
        if place.read_dir()?.count() > 1 {
            Ok(took)
        } else {
            Err("the bare build made nothing".into())
        }
    }
}

fn succeed(process: &mut Process) -> Result<(), Box<dyn Error>> {
    let output = process.stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&said).into_owned();
    let last: Vec<_> = text.lines().rev().take(5).collect();
    Err(format!("{process:?}: {}", last.join(" | ")).into())
}
