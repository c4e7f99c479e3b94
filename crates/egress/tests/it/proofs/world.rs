//! Real boxes with real package managers in them.
//!
//! The tools come from the distribution, through a door, once; the image that has them is kept below the tests' data
//! folder, in a data folder of its own, because an image there is one that other tests might take.

use std::{
    io::Write as _,
    path::PathBuf,
    sync::{Arc, OnceLock},
    time::Duration,
};

use fs_err as fs;
use seatrial_core::{Digest, Platform};
use seatrial_egress::{AllowList, Door, Policy};
use seatrial_sandbox::{
    BoxSpec, Command, ImageRequest, ImageStore, Limits, NativeFactory, Network, OutputSink, Sandbox, SandboxFactory,
    Stream,
};
use seatrial_store::{Home, Lease, StoreError};

use super::doors;

/// What the image has besides what every image has.
const TOOLS: &str = "cargo-web curl default-jdk-headless golang-go gradle libio-socket-ssl-perl maven npm python3-pip \
    python3-venv wget";
/// A package of Java's wants to link its manual pages, of which these images have none. At the end, its keystore must hold
/// what the door is trusted by.
const INSTALL: &str =
    "set -e; mkdir -p /usr/share/man/man1; apt-get -q update; apt-get -q install $TOOLS; apt-get clean
    keytool -list -cacerts -storepass changeit 2>/dev/null | grep -q seatrial-door";
/// Everything but what the kernel and the box bring.
const PACK: &str = "tar --one-file-system --numeric-owner -C / -c .";

/// Which image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    /// The one that all tests share.
    Plain,
    /// The one with package managers.
    Tools,
}

/// Makes boxes of one image.
pub(crate) struct World {
    pub(crate) home: Home,
    image: Digest,
    factory: NativeFactory,
}

impl World {
    pub(crate) fn start(&self, door: Arc<dyn Door>) -> Box<dyn Sandbox> {
        let spec = BoxSpec {
            image: self.image,
            limits: Limits::default(),
            network: Network::Door(door),
        };
        self.factory.start(&spec).unwrap()
    }
}

/// Boxes of an image; where there can be none, the reason is printed.
pub(crate) fn world(which: Which) -> Option<&'static World> {
    static PLAIN: OnceLock<Result<World, String>> = OnceLock::new();
    static TOOLS: OnceLock<Result<World, String>> = OnceLock::new();
    let made = match which {
        Which::Plain => PLAIN.get_or_init(plain),
        Which::Tools => TOOLS.get_or_init(tools),
    };
    match made {
        Ok(world) => Some(world),
        Err(reason) => {
            println!("skipped: {reason}");
            None
        }
    }
}

fn plain() -> Result<World, String> {
    let set = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let root = set("SEATRIAL_TEST_HOME")
        .or_else(|| set("XDG_CACHE_HOME").map(|cache| cache.join("seatrial/test-home")))
        .or_else(|| set("HOME").map(|home| home.join(".cache/seatrial/test-home")))
        .ok_or("no home folder")?;
    let home = Home::open(root).map_err(told)?;
    let images = ImageStore::new(&home, helper()?);
    let platform = Platform::default_host();
    let image = match images.find(&platform).map_err(told)? {
        Some(image) => image,
        None => images
            .build(&ImageRequest::default_for(&platform), &mut |_| {})
            .map_err(told)?,
    };
    of(home, image.id)
}

fn of(home: Home, image: Digest) -> Result<World, String> {
    let factory = NativeFactory::new(&home, helper()?).map_err(told)?;
    Ok(World { home, image, factory })
}

fn tools() -> Result<World, String> {
    let plain = world(Which::Plain).ok_or("no image with package managers without a plain one")?;
    let room = plain.home.cache("proofs").map_err(told)?;
    let home = Home::open(&room).map_err(told)?;
    // Whoever comes second waits and takes what was made.
    let _lease = loop {
        match Lease::take(room.join("making")) {
            Err(StoreError::Busy(_)) => std::thread::sleep(Duration::from_millis(200)),
            other => break other.map_err(told)?,
        }
    };
    let made_of = format!("{}\n{TOOLS}\n{INSTALL}\n", plain.image.hex());
    let note = room.join("tools.txt");
    let images = ImageStore::new(&home, helper()?);
    let known = images.list().map_err(told)?;
    if let Ok(text) = fs::read_to_string(&note)
        && let Some(id) = text.strip_prefix(&made_of)
        && let Some(image) = known.iter().find(|image| image.id.hex() == id)
    {
        return of(home, image.id);
    }
    for old in known {
        // One that is in use is another version's, which is running now.
        drop(images.remove(&old.id));
    }
    let archive = tempfile::NamedTempFile::new_in(&room).map_err(told)?;
    pack_tools(plain, &archive)?;
    let image = images
        .import_tar(archive.path(), &Platform::default_host())
        .map_err(told)?;
    fs::write(&note, made_of + &image.id.hex()).map_err(told)?;
    of(home, image.id)
}

fn pack_tools(plain: &World, archive: &tempfile::NamedTempFile) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(told)?;
    let (store, _) = doors::store(folder.path());
    let list = Policy::Allow(AllowList::registries());
    let door = doors::open(
        list,
        &doors::World::Real,
        &store,
        None,
        &folder.path().join("authority"),
    );
    let mut sandbox = plain.start(door.door());
    let mut output = Vec::new();
    let install = Command::bash(INSTALL)
        .with_env("TOOLS", TOOLS)
        .with_env("DEBIAN_FRONTEND", "noninteractive")
        .with_timeout(Duration::from_hours(1));
    let execution = sandbox.exec(&install, &mut output).map_err(told)?;
    if !execution.succeeded() {
        let text = String::from_utf8_lossy(&output).into_owned();
        if let Some(reason) = door.unreachable() {
            return Err(format!("the distribution's registry cannot be reached: {reason}"));
        }
        panic!("{TOOLS} cannot be installed:\n{text}\n{}", door.text());
    }
    let mut pack = Command::bash(PACK);
    pack.output_limit = u64::MAX;
    let mut sink = Sink(archive.as_file().try_clone().map_err(told)?, Ok(()));
    let execution = sandbox.exec(&pack, &mut sink).map_err(told)?;
    assert!(execution.succeeded());
    sink.1.map_err(told)
}

/// Takes what a command prints into a file.
struct Sink(std::fs::File, std::io::Result<()>);

impl OutputSink for Sink {
    fn bytes(&mut self, stream: Stream, bytes: &[u8]) {
        if stream == Stream::Out && self.1.is_ok() {
            self.1 = self.0.write_all(bytes);
        }
    }
}

/// Another crate's program: beside this test's own, where the workspace's programs are.
fn helper() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(told)?;
    let folder = own.parent().and_then(std::path::Path::parent).ok_or("no folder")?;
    ["seatrial-box", "seatrial"]
        .iter()
        .map(|name| folder.join(name))
        .find(|path| path.is_file())
        .ok_or_else(|| "the helper `seatrial-box` is not built; build the workspace first".to_owned())
}

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}
