//! One data folder, one image and one way to run commands for all tests.

use std::{
    path::PathBuf,
    sync::{Mutex, OnceLock},
};

use seatrial_core::{Digest, Platform};
use seatrial_sandbox::{
    BoxSpec, Command, Execution, Finding, ImageRequest, ImageStore, Limits, NativeFactory, Network, OutputSink,
    Sandbox, SandboxError, SandboxFactory, Stream, doctor,
};
use seatrial_store::Home;

/// Both streams of a command, apart.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) out: Vec<u8>,
    pub(crate) err: Vec<u8>,
}

impl OutputSink for Output {
    fn bytes(&mut self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::Out => self.out.extend_from_slice(bytes),
            Stream::Err => self.err.extend_from_slice(bytes),
        }
    }
}

impl Output {
    pub(crate) fn out(&self) -> String {
        String::from_utf8_lossy(&self.out).into_owned()
    }

    pub(crate) fn err(&self) -> String {
        String::from_utf8_lossy(&self.err).into_owned()
    }
}

/// The helper's path, when it is not where it was built.
pub(crate) const HELPER: &str = "SEATRIAL_TEST_HELPER";

pub(crate) fn helper() -> PathBuf {
    std::env::var_os(HELPER).map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_seatrial-box")), PathBuf::from)
}

pub(crate) fn home() -> Home {
    let set = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let root = set("SEATRIAL_TEST_HOME").unwrap_or_else(|| {
        set("XDG_CACHE_HOME")
            .or_else(|| set("HOME").map(|home| home.join(".cache")))
            .unwrap()
            .join("seatrial/test-home")
    });
    Home::open(root).unwrap()
}

/// The image that all tests share, or why there is none.
pub(crate) fn image() -> Option<Digest> {
    static IMAGE: OnceLock<Option<Digest>> = OnceLock::new();
    *IMAGE.get_or_init(|| {
        let images = ImageStore::new(&home(), helper());
        let platform = Platform::default_host();
        let found = images.find(&platform).and_then(|found| match found {
            Some(image) => Ok(image),
            None => images.build(&ImageRequest::default_for(&platform), &mut |_| {}),
        });
        match found {
            Ok(image) => Some(image.id),
            Err(error) => skipped(error),
        }
    })
}

/// What this machine lacks is a reason to skip; anything else that goes wrong is ours and fails the test.
#[expect(clippy::needless_pass_by_value, reason = "fits `map_or_else`")]
#[expect(clippy::print_stdout, reason = "a skipped test says so")]
fn skipped<T>(error: SandboxError) -> Option<T> {
    let lacking = match &error {
        SandboxError::NoProgram { .. } => true,
        SandboxError::Kernel { source, .. } => {
            !doctor(&home(), &helper()).iter().all(Finding::usable) || source.raw_os_error() == Some(libc::ENOSYS)
        }
        SandboxError::Image(text) => text.contains("resolve") || text.contains("connect") || text.contains("mirror"),
        _ => false,
    };
    assert!(lacking, "{error}");
    println!("skipped: {error}");
    None
}

/// Starts a box, or says why this machine cannot.
pub(crate) fn start(network: Network, limits: Limits) -> Option<Box<dyn Sandbox>> {
    let image = image()?;
    let factory = factory()?;
    let spec = BoxSpec { image, limits, network };
    factory.start(&spec).map_or_else(skipped, Some)
}

/// One factory for the whole test program, as a harness has one.
pub(crate) fn factory() -> Option<&'static NativeFactory> {
    static FACTORY: OnceLock<Option<NativeFactory>> = OnceLock::new();
    static MAKING: Mutex<()> = Mutex::new(());
    let _making = MAKING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    FACTORY
        .get_or_init(|| match NativeFactory::new(&home(), helper()) {
            Ok(factory) => Some(factory),
            Err(error) => skipped(error),
        })
        .as_ref()
}

/// A box without a network.
pub(crate) fn quiet_box() -> Option<Box<dyn Sandbox>> {
    start(Network::Off, Limits::default())
}

/// Runs a command and keeps its streams apart.
pub(crate) fn run(sandbox: &mut dyn Sandbox, command: &Command) -> (Execution, Output) {
    let mut output = Output::default();
    let execution = sandbox.exec(command, &mut output).unwrap();
    (execution, output)
}

/// Runs a script that must succeed and returns what it printed.
pub(crate) fn script(sandbox: &mut dyn Sandbox, text: &str) -> String {
    let (execution, output) = run(sandbox, &Command::bash(text));
    assert!(
        execution.succeeded(),
        "`{text}`: {:?}\n{}{}",
        execution.status,
        output.out(),
        output.err()
    );
    output.out()
}

/// Waits for something that the kernel does in its own time; how long is no part of the promise.
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..1500 {
        if holds() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("never came true: {what}");
}

/// A root file system that is small enough to be unpacked by a test.
const SMALL: &str = r#"
mkdir -p /small/usr/bin /small/usr/lib /small/usr/lib64 /small/proc /small/dev /small/sys /small/tmp /small/etc /small/root
for name in bin lib lib64; do ln -s usr/$name /small/$name; done
cp /etc/passwd /etc/group /small/etc/
for name in bash cat chmod chown cp id ln ls mkdir rm sh sleep stat true; do
    program=$(realpath "$(command -v $name)")
    cp "$program" /small/usr/bin/$name
    for library in $(ldd "$program" | grep -o '/[^ ]*'); do
        folder=$(realpath "$(dirname "$library")")
        mkdir -p "/small$folder"
        cp -Ln "$folder/$(basename "$library")" "/small$folder/"
    done
done
chown 12:34 /small/tmp
tar -C /small -cf /small.tar .
"#;

/// The archive of a root file system that is small enough to be unpacked by a test; its `/tmp` belongs to 12:34.
pub(crate) fn small_tree() -> Option<&'static [u8]> {
    static TREE: OnceLock<Option<Vec<u8>>> = OnceLock::new();
    let tree = TREE.get_or_init(|| {
        let mut sandbox = quiet_box()?;
        script(&mut *sandbox, SMALL);
        Some(sandbox.read_file("/small.tar", u64::MAX).unwrap().bytes)
    });
    tree.as_deref()
}
