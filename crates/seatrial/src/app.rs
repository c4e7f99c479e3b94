//! What every verb shares: the data folder, the switch that Ctrl-C throws, and the screen.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use seatrial_core::{Digest, Platform};
use seatrial_egress::{DoorSpec, Egress, EgressConfig, Policy, Proxies};
use seatrial_packages::PackageIndex;
use seatrial_sandbox::{DockerFactory, Image, ImageRequest, ImageStore, NativeFactory, Network, SandboxFactory};
use seatrial_source::Fetcher;
use seatrial_store::{Hold, Home, Scratch};
use seatrial_trial::Stop;

use crate::{
    args::{Args, BackEnd},
    failure::Failure,
    show::Show,
};

/// The version of this program, with its commit where it was built from a checkout.
pub(crate) const VERSION: &str = env!("SEATRIAL_VERSION");

/// What every verb shares.
pub(crate) struct App {
    pub(crate) home: Home,
    pub(crate) json: bool,
    pub(crate) stop: Stop,
    pub(crate) show: Arc<Show>,
    /// What boxes are made of.
    backend: BackEnd,
    /// Bytes that the data folder may take.
    pub(crate) max_size: Option<u64>,
    /// Keeps the images that this process works with.
    holds: Mutex<Vec<Hold>>,
    orderly: Arc<AtomicBool>,
    /// Where this process unpacks and packs, so that nothing of it stays in the machine's own folder when it is killed.
    _scratch: Option<Scratch>,
}

impl App {
    pub(crate) fn new(args: &Args) -> Result<Self, Failure> {
        let root = args.home.clone().or_else(data_folder).ok_or_else(|| {
            Failure::usage(
                "neither SEATRIAL_HOME nor HOME is set, so there is no place for data; set SEATRIAL_HOME to a folder",
            )
        })?;
        let home = Home::open(&root).map_err(|error| {
            let failure = Failure::from(error);
            Failure {
                message: format!(
                    "cannot use the data folder {}: {}\n  it is chosen with `--home DIR` or SEATRIAL_HOME",
                    root.display(),
                    failure.message
                ),
                ..failure
            }
        })?;
        // Without room for it (a data folder that may only be read) the machine's own folder does.
        let scratch = Scratch::new(&home).ok();
        if let Some(scratch) = &scratch {
            // It was chosen once already only in a second `App`, which there is not.
            drop(tempfile::env::override_temp_dir(scratch.folder()));
        }
        let app = Self {
            home,
            json: args.json,
            stop: Stop::default(),
            show: Arc::new(Show::new()),
            backend: args.backend.clone(),
            max_size: args.max_size,
            holds: Mutex::default(),
            orderly: Arc::default(),
            _scratch: scratch,
        };
        app.catch_signals()?;
        Ok(app)
    }

    /// Takes care of Ctrl-C and of a polite kill. While trials run, the first one ends running commands in an orderly
    /// way; at other times, and when it comes again, the process ends at once: what it was making is made anew the next
    /// time, and boxes die with it.
    fn catch_signals(&self) -> Result<(), Failure> {
        let mut signals =
            signal_hook::iterator::Signals::new([signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM])?;
        let (stop, show, json) = (self.stop.clone(), Arc::clone(&self.show), self.json);
        let orderly = Arc::clone(&self.orderly);
        std::thread::spawn(move || {
            for _ in signals.forever() {
                if stop.is_thrown() || !orderly.load(Ordering::SeqCst) {
                    show.clear();
                    let failure = Failure::interrupted();
                    failure.print(json);
                    std::process::exit(i32::from(failure.code as u8));
                }
                show.note("stopping; once more to stop at once");
                stop.throw();
            }
        });
        Ok(())
    }

    /// From now on trials run, and a signal ends them in an orderly way.
    pub(crate) fn trials_begin(&self) {
        self.orderly.store(true, Ordering::SeqCst);
    }

    pub(crate) fn fetcher(&self, platform: &Platform) -> Fetcher {
        Fetcher::new(&self.home, platform).with_progress(self.show.clone())
    }

    pub(crate) fn factory(&self) -> Result<Box<dyn SandboxFactory>, Failure> {
        let helper = std::env::current_exe()?;
        Ok(match &self.backend {
            BackEnd::Native => Box::new(NativeFactory::new(&self.home, helper)?),
            BackEnd::Docker(_) => {
                let socket = self.socket();
                Box::new(DockerFactory::new(&self.home, helper, &socket)?)
            }
        })
    }

    /// Boxes of the kind that images are made in, whatever others are made of.
    pub(crate) fn image_factory(&self) -> Result<NativeFactory, Failure> {
        Ok(NativeFactory::new(&self.home, std::env::current_exe()?)?)
    }

    /// The socket of the daemon of containers: the one that was named, else where clients look, else the usual place.
    pub(crate) fn socket(&self) -> PathBuf {
        if let BackEnd::Docker(Some(socket)) = &self.backend {
            return socket.clone();
        }
        let named = std::env::var("DOCKER_HOST").ok();
        if let Some(socket) = named.as_deref().and_then(|host| host.strip_prefix("unix://")) {
            return PathBuf::from(socket);
        }
        let own = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        let usual = PathBuf::from("/run/docker.sock");
        let places = [Some(usual.clone()), own.as_ref().map(|own| own.join("docker.sock"))];
        let podman = [
            own.map(|own| own.join("podman/podman.sock")),
            Some(PathBuf::from("/run/podman/podman.sock")),
        ];
        let mut places = places.into_iter().chain(podman).flatten();
        places.find(|place| place.exists()).unwrap_or(usual)
    }

    /// What opens the doors of boxes.
    pub(crate) fn egress(&self) -> Result<Egress, Failure> {
        let set = |names: [&str; 2]| names.iter().find_map(|name| std::env::var(name).ok());
        // In capitals a server's client could set the first one (a header becomes such a variable), so it is not read.
        let http = std::env::var("http_proxy").ok();
        let (https, none) = (set(["https_proxy", "HTTPS_PROXY"]), set(["no_proxy", "NO_PROXY"]));
        let mut config = EgressConfig::new(self.home.root().join("authority"), self.home.blobs());
        config.proxies = Proxies::new(http.as_deref(), https.as_deref(), none.as_deref())?;
        Ok(Egress::new(config)?)
    }

    /// A network that reaches every public host, for what the user's own files ask for.
    pub(crate) fn open_network(&self) -> Result<Network, Failure> {
        Ok(Network::Door(self.egress()?.door(DoorSpec {
            policy: Policy::Open,
            index: None,
            observer: Arc::new(|_| {}),
        })?))
    }

    pub(crate) fn images(&self) -> Result<ImageStore, Failure> {
        let helper = std::env::current_exe()?;
        Ok(ImageStore::new(&self.home, helper).with_environment(proxy_variables()))
    }

    /// Whether the platform's image has to be made first.
    pub(crate) fn lacks_image(&self, platform: &Platform) -> Result<bool, Failure> {
        Ok(self.images()?.find(platform)?.is_none())
    }

    /// Keeps an image in its place as long as this program runs.
    pub(crate) fn hold_image(&self, id: &Digest) -> Result<(), Failure> {
        let hold = self.images()?.hold(id)?;
        self.holds.lock().unwrap_or_else(PoisonError::into_inner).push(hold);
        Ok(())
    }

    /// The platform's image, made now when there is none.
    pub(crate) fn image(&self, platform: &Platform) -> Result<Image, Failure> {
        let images = self.images()?;
        let keep = |image: Image| {
            self.hold_image(&image.id)?;
            Ok(image)
        };
        if let Some(image) = images.find(platform)? {
            return keep(image);
        }
        self.show.note(&format!(
            "making the image {platform}; this happens once and takes about a minute"
        ));
        keep(images.build(&ImageRequest::default_for(platform), &mut |line: &str| {
            self.show.progress("image", line);
        })?)
    }

    /// The package index: the one with this file name where it is still there, else the archive's newest.
    pub(crate) fn index(&self, platform: &Platform, name: Option<&str>) -> Result<PackageIndex, Failure> {
        if let Some(name) = name {
            let path = self.home.cache("packages")?.join(name);
            if path.is_file() {
                return Ok(PackageIndex::open(&path)?);
            }
        }
        self.show.progress("package index", "opening");
        let index = PackageIndex::open_or_build(&self.home, platform, Some(self.show.clone()))?;
        self.show.clear();
        for note in index.notes() {
            self.show.note(&format!("warning: {note}"));
        }
        Ok(index)
    }
}

fn data_folder() -> Option<PathBuf> {
    let set = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let base = set("XDG_DATA_HOME").or_else(|| set("HOME").map(|home| home.join(".local/share")))?;
    Some(base.join("seatrial"))
}

/// What tools that fetch for this program need to know of this machine's network.
fn proxy_variables() -> BTreeMap<String, String> {
    const NAMES: [&str; 8] = [
        "http_proxy",
        "https_proxy",
        "ftp_proxy",
        "no_proxy",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "FTP_PROXY",
        "NO_PROXY",
    ];
    let set = |name: &&str| Some(((*name).to_owned(), std::env::var(name).ok()?));
    NAMES.iter().filter_map(set).collect()
}
