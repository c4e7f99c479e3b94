//! What a package manager fetched once comes again, byte for byte, without a network.
//!
//! Each proof runs one in a fresh box whose door records, and again in another whose door only replays and leads nowhere.
//! Both must exit alike and leave the same files, and every body of the second must be one of the first. What differs
//! between any two runs of a tool, with or without a door, is not compared; each proof names it.

mod doors;
mod forge;
mod table;
mod trust;
pub(crate) mod world;

use std::{collections::BTreeMap, io, net::TcpListener, time::Duration};

use doors::World;
use seatrial_egress::{AllowList, DoorEvent, Policy};
use seatrial_sandbox::{ChangeKind, Command, Execution, Sandbox};
use table::Row;
use world::Which;

/// One package manager at work.
struct Proof<'a> {
    tool: &'static str,
    image: Which,
    list: AllowList,
    world: World<'a>,
    /// Files that are there before.
    files: &'a [(&'a str, &'a str)],
    script: &'a str,
    /// Beginnings of paths that are never the same twice, such as logs, and of caches that hold times.
    volatile: &'a [&'a str],
}

/// How it went in one box.
struct Run {
    execution: Execution,
    output: String,
    files: BTreeMap<String, ChangeKind>,
}

impl Proof<'_> {
    /// A proof with the real world.
    fn new(tool: &'static str, script: &'static str) -> Self {
        Self {
            tool,
            image: Which::Tools,
            list: AllowList::registries(),
            world: World::Real,
            files: &[],
            script,
            volatile: &[],
        }
    }

    fn run(&self, sandbox: &mut dyn Sandbox) -> Run {
        for (path, content) in self.files {
            sandbox.write_file(path, content.as_bytes(), 0o644).unwrap();
        }
        let before = sandbox.snapshot().unwrap();
        let mut output = Vec::new();
        let command = Command::bash(format!("set -e\n{}", self.script))
            .in_folder("/proof")
            .with_env("DEBIAN_FRONTEND", "noninteractive")
            // Some tools write times into what they make, unless they are told one.
            .with_env("SOURCE_DATE_EPOCH", "1700000000")
            .with_timeout(Duration::from_hours(1));
        let execution = sandbox.exec(&command, &mut output).unwrap();
        let changes = sandbox.changes(&before).unwrap();
        Run {
            execution,
            output: String::from_utf8_lossy(&output).into_owned(),
            files: changes
                .into_iter()
                .filter(|change| !self.volatile.iter().any(|volatile| is_volatile(&change.path, volatile)))
                .map(|change| (change.path, change.kind))
                .collect(),
        }
    }

    fn prove(&self) {
        let Some(place) = world::world(self.image) else { return };
        let folder = tempfile::tempdir().unwrap();
        let (home, blobs) = doors::store(folder.path());
        let index = folder.path().join("index.jsonl");
        let authority = folder.path().join("authority");

        let door = doors::open(
            Policy::Record(self.list.clone()),
            &self.world,
            &home,
            Some(&index),
            &authority,
        );
        let first = self.run(&mut *place.start(door.door()));
        if !first.execution.succeeded()
            && let Some(reason) = door.unreachable()
        {
            println!("skipped: {} has no registry here: {reason}", self.tool);
            return;
        }
        let told = |run: &Run, door: &doors::Watched| format!("{}\n{}\n{}", self.tool, run.output, door.text());
        assert!(first.execution.succeeded(), "{}", told(&first, &door));
        let recorded = doors::answered(&door.events());
        drop(door);

        let nowhere = TcpListener::bind("127.0.0.1:0").unwrap();
        nowhere.set_nonblocking(true).unwrap();
        let door = doors::open(Policy::Replay, &World::Cut(&nowhere), &home, Some(&index), &authority);
        let second = self.run(&mut *place.start(door.door()));
        let told = told(&second, &door);
        assert_eq!(second.execution.status, first.execution.status, "{told}");
        assert_eq!(
            nowhere.accept().unwrap_err().kind(),
            io::ErrorKind::WouldBlock,
            "nobody went out: {told}"
        );
        let bad = |event: &DoorEvent| {
            matches!(
                event,
                DoorEvent::Missing { .. } | DoorEvent::Failed { .. } | DoorEvent::Unintelligible { .. }
            )
        };
        assert!(!door.events().iter().any(bad), "{told}");
        let replayed = doors::answered(&door.events());
        assert!(!replayed.is_empty() && !second.files.is_empty(), "{told}");
        for (asked, bodies) in &replayed {
            let known = &recorded[asked];
            for (_, digest, length) in bodies {
                assert!(known.iter().any(|(_, known, _)| known == digest), "{asked}");
                // What is in the store is what its name says.
                assert_eq!(blobs.read(digest).unwrap().len() as u64, *length, "{asked}");
            }
        }
        let different: Vec<&String> = first
            .files
            .keys()
            .chain(second.files.keys())
            .filter(|path| first.files.get(*path) != second.files.get(*path))
            .collect();
        assert!(different.is_empty(), "{}: {different:#?}", self.tool);
        let bytes = |bodies: &doors::Bodies| bodies.values().flatten().map(|(_, _, length)| length).sum();
        let count = |bodies: &doors::Bodies| bodies.values().map(Vec::len).sum();
        table::add(Row {
            tool: self.tool,
            recorded: count(&recorded),
            replayed: count(&replayed),
            bytes: bytes(&recorded),
            files: second.files.len(),
            seconds: [first.execution.wall, second.execution.wall],
        });
    }
}

/// Whether a path is named by a beginning, or by a name after `*/` that is anywhere in it.
fn is_volatile(path: &str, volatile: &str) -> bool {
    match volatile.strip_prefix('*') {
        Some(part) => path.contains(part),
        None => path.starts_with(volatile),
    }
}

#[test]
fn proof_of_apt() {
    Proof {
        image: Which::Plain,
        volatile: &[
            "/var/log/",
            // Both hold times of other files.
            "/var/cache/apt/",
            "/var/cache/ldconfig/",
        ],
        ..Proof::new(
            "apt",
            "apt-get -q update && apt-get -q install --no-install-recommends jq",
        )
    }
    .prove();
}

#[test]
fn proof_of_pip() {
    Proof {
        volatile: &["/root/.cache/"],
        ..Proof::new(
            "pip",
            "python3 -m venv env && env/bin/pip install --quiet python-dateutil && env/bin/python -c 'import dateutil'",
        )
    }
    .prove();
}

#[test]
fn proof_of_uv() {
    Proof {
        volatile: &["/root/.cache/", "*/__pycache__/"],
        ..Proof::new(
            "uv",
            "python3 -m venv tools && tools/bin/pip install --quiet --upgrade pip && tools/bin/pip install --quiet uv
             tools/bin/uv venv -q env && tools/bin/uv pip install -q --python env/bin/python python-dateutil
             env/bin/python -c 'import dateutil'",
        )
    }
    .prove();
}

#[test]
fn proof_of_npm() {
    Proof {
        files: &[(
            "/proof/package.json",
            r#"{"name":"proof","version":"1.0.0","private":true}"#,
        )],
        volatile: &["/root/.npm/"],
        ..Proof::new("npm", "npm install chalk@4 && node -e 'require(\"chalk\")'")
    }
    .prove();
}

#[test]
fn proof_of_cargo() {
    Proof {
        files: &[
            (
                "/proof/Cargo.toml",
                "[package]\nname = \"proof\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nitoa = \"1\"\n",
            ),
            (
                "/proof/src/main.rs",
                "fn main() { println!(\"{}\", itoa::Buffer::new().format(7)); }\n",
            ),
        ],
        // When each step was done; and what the compiler said of itself, in an order that is drawn anew each time.
        volatile: &[
            "*/.fingerprint/",
            "*/incremental/",
            "*/.global-cache",
            "*/.rustc_info.json",
        ],
        ..Proof::new("cargo", "cargo build && target/debug/proof")
    }
    .prove();
}

#[test]
fn proof_of_go() {
    Proof {
        files: &[
            (
                "/proof/go.mod",
                "module example.org/proof\n\ngo 1.19\n\nrequire github.com/fatih/color v1.13.0\n",
            ),
            (
                "/proof/main.go",
                "package main\n\nimport \"github.com/fatih/color\"\n\nfunc main() { color.Green(\"sound\") }\n",
            ),
        ],
        volatile: &["/root/.cache/go-build/"],
        ..Proof::new("go", "go mod tidy && go build -o proof . && ./proof")
    }
    .prove();
}

const PROOF_IN_JAVA: &str =
    "public class Proof { String text = new org.apache.commons.codec.binary.Hex().toString(); }\n";
const POM: &str = "<project xmlns=\"http://maven.apache.org/POM/4.0.0\">
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.example</groupId><artifactId>proof</artifactId><version>1</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
    <project.build.outputTimestamp>2023-11-14T00:00:00Z</project.build.outputTimestamp>
  </properties>
  <dependencies>
    <dependency><groupId>commons-codec</groupId><artifactId>commons-codec</artifactId><version>1.17.0</version></dependency>
  </dependencies>
  <build><plugins>
    <plugin><artifactId>maven-jar-plugin</artifactId><version>3.3.0</version></plugin>
  </plugins></build>
</project>
";

#[test]
fn proof_of_maven() {
    Proof {
        files: &[
            ("/proof/pom.xml", POM),
            ("/proof/src/main/java/Proof.java", PROOF_IN_JAVA),
        ],
        // When and from where each file came.
        volatile: &[
            "*/_remote.repositories",
            "*/resolver-status.properties",
            "*.lastUpdated",
        ],
        ..Proof::new("maven", "mvn -B -q package && ls target/*.jar")
    }
    .prove();
}

const GRADLE: &str = "apply plugin: 'java'
repositories { mavenCentral() }
dependencies { compile 'commons-codec:commons-codec:1.17.0' }
jar { preserveFileTimestamps = false; reproducibleFileOrder = true }
";

#[test]
fn proof_of_gradle() {
    Proof {
        files: &[
            ("/proof/build.gradle", GRADLE),
            ("/proof/settings.gradle", "rootProject.name = 'proof'\n"),
            ("/proof/src/main/java/Proof.java", PROOF_IN_JAVA),
        ],
        volatile: &["/root/.gradle/", "/proof/.gradle/", "/tmp/"],
        ..Proof::new("gradle", "gradle --no-daemon -q jar && ls build/libs/*.jar")
    }
    .prove();
}

#[test]
fn proof_of_git() {
    let folder = tempfile::tempdir().unwrap();
    let make = "git init -q --bare hull.git && git clone -q hull.git hull && cd hull && seq 20000 > log && git add log \
        && git -c user.name=a -c user.email=a@example.org commit -qm one && git push -q origin HEAD && cd .. && rm -r hull";
    let made = std::process::Command::new("bash")
        .args(["-c", make])
        .current_dir(folder.path())
        .stderr(std::process::Stdio::null())
        .status();
    if !made.is_ok_and(|status| status.success()) {
        println!("skipped: there is no git to serve a repository with");
        return;
    }
    let forge = forge::Forge::start(folder.path());
    Proof {
        image: Which::Plain,
        list: AllowList::new(["forge.example/hull.git"]).unwrap(),
        world: World::Local {
            proxy: forge.proxy.clone(),
            root: &forge.root,
        },
        // When it was cloned, and where the files are on the disk.
        volatile: &["/proof/hull/.git/logs/", "/proof/hull/.git/index"],
        ..Proof::new("git", "git clone -q https://forge.example/hull.git && tail -1 hull/log")
    }
    .prove();
}
