//! Makes boxes.

use std::{
    collections::BTreeMap,
    os::fd::AsFd,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use fs_err as fs;
use seatrial_core::Digest;
use seatrial_store::{Home, Lease, StoreError, unix_millis};

use super::{
    idmap::IdMap,
    machine::NativeBox,
    trash::{Helper, Trash, open_folder, remove_tree},
    wire::{Request, StartRequest},
};
use crate::{BoxSpec, Network, Sandbox, SandboxError, SandboxFactory};

/// What boxes need of the host's network. The caller reads the environment; this crate does not.
#[derive(Debug, Clone)]
pub struct HostNetwork {
    /// Proxy variables, such as `http_proxy`, that commands get.
    pub proxies: BTreeMap<String, String>,
    /// Files of the host that a box gets a copy of: (path here, path there). Missing ones are left out.
    pub files: Vec<(PathBuf, String)>,
}

impl Default for HostNetwork {
    fn default() -> Self {
        let same = ["/etc/resolv.conf", "/etc/ssl/certs/ca-certificates.crt"];
        Self {
            proxies: BTreeMap::new(),
            files: same.map(|path| (PathBuf::from(path), path.to_owned())).into(),
        }
    }
}

/// Makes native boxes.
#[derive(Debug)]
pub struct NativeFactory {
    home: Home,
    helper: PathBuf,
    ids: IdMap,
    network: HostNetwork,
    /// Folder below the data folder with the host's files.
    host_files: String,
    trash: Arc<Trash>,
}

/// The file in a box's folder that names the image it is made from.
pub(crate) const IMAGE_OF_BOX: &str = "image";

/// Ends the name of a box's folder whose harness is dead.
const DEAD: &str = ".dead";

static COUNTER: AtomicU64 = AtomicU64::new(0);

impl NativeFactory {
    /// A factory that keeps its boxes in the data folder, and sweeps what dead harnesses left there. `helper` is a
    /// program that calls [`helper_main`](crate::helper_main) when
    /// [`is_helper_invocation`](crate::is_helper_invocation) says so.
    pub fn new(home: &Home, helper: PathBuf, network: HostNetwork) -> Result<Self, SandboxError> {
        let ids = IdMap::of_this_user()?;
        open_to_boxes(home.root())?;
        open_to_boxes(&home.boxes())?;
        open_to_boxes(&home.images())?;
        let host_files = host_files(home, &ids, &network)?;
        let factory = Self {
            home: home.clone(),
            trash: Arc::new(Trash::new(helper.clone(), ids.clone())),
            helper,
            ids,
            network,
            host_files,
        };
        factory.sweep()?;
        Ok(factory)
    }

    /// Removes, in the background, the folders of boxes whose harness is dead.
    fn sweep(&self) -> Result<(), SandboxError> {
        for entry in fs::read_dir(self.home.boxes()).map_err(io_error("reading the boxes' folder"))? {
            let path = entry.map_err(io_error("reading the boxes' folder"))?.path();
            // One that cannot be taken has a live owner, or another sweep is faster.
            let Ok(_lease) = Lease::take(&path) else { continue };
            // Renamed while the lease is held: whoever has just made the folder and waits for its lease then gets none,
            // instead of a box that is deleted under it.
            let mut dead = path.clone().into_os_string();
            if !dead.as_encoded_bytes().ends_with(DEAD.as_bytes()) {
                dead.push(DEAD);
                fs::rename(&path, &dead).map_err(io_error("sweeping the boxes' folder"))?;
            }
            self.trash.discard(dead.into());
        }
        Ok(())
    }

    /// A new folder for a box, with its lease.
    fn folder(&self) -> Result<(String, Lease), SandboxError> {
        let mut tries = 0;
        loop {
            // The time keeps apart processes that got the same number.
            let count = COUNTER.fetch_add(1, Ordering::Relaxed);
            let name = format!("{}-{count}-{}", std::process::id(), unix_millis());
            match Lease::take(self.home.boxes().join(&name)) {
                Ok(lease) => return Ok((name, lease)),
                // A sweep of another process came between the folder and its lock.
                Err(StoreError::Busy(_) | StoreError::Io(_)) if tries < 100 => tries += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn prepare(&self, folder: &Path, image: &Digest) -> Result<(), SandboxError> {
        fs::write(folder.join(IMAGE_OF_BOX), image.hex()).map_err(io_error("naming a box's image"))?;
        let layers = folder.join("layers");
        fs::create_dir(&layers).map_err(io_error("making a box's folder"))?;
        open_to_boxes(folder)?;
        give(&layers, &self.ids)
    }
}

impl SandboxFactory for NativeFactory {
    fn start(&self, spec: &BoxSpec) -> Result<Box<dyn Sandbox>, SandboxError> {
        let image = format!("images/{}/rootfs", spec.image.hex());
        if !self.home.root().join(&image).is_dir() {
            return Err(SandboxError::NoImage(spec.image.short()));
        }
        self.start_from(image, spec)
    }
}

impl NativeFactory {
    /// Starts a box from a root file system somewhere below the data folder.
    pub(crate) fn start_from(&self, image: String, spec: &BoxSpec) -> Result<Box<dyn Sandbox>, SandboxError> {
        let (name, lease) = self.folder()?;
        let folder = lease.folder().to_owned();
        self.prepare(&folder, &spec.image)?;
        let home = open_folder(self.home.root())?;
        let mut helper = match Helper::start(&self.helper, &self.ids) {
            Ok(helper) => helper,
            Err(error) => {
                drop(remove_tree(&self.helper, &self.ids, &folder));
                return Err(error);
            }
        };
        let start = StartRequest {
            hostname: "box".to_owned(),
            network: spec.network == Network::Host,
            layers: format!("boxes/{name}/layers"),
            image,
            host: (spec.network == Network::Host).then(|| self.host_files.clone()),
        };
        let made = helper
            .send(&Request::Start(start), &[home.as_fd()])
            .and_then(|()| helper.done("making a box"));
        if let Err(error) = made {
            drop(helper);
            drop(remove_tree(&self.helper, &self.ids, &folder));
            return Err(error);
        }
        let environment = if spec.network == Network::Host {
            self.network.proxies.clone()
        } else {
            BTreeMap::new()
        };
        Ok(Box::new(NativeBox::new(
            helper,
            spec,
            lease,
            environment,
            Arc::clone(&self.trash),
        )))
    }
}

pub(crate) fn io_error(what: &str) -> impl Fn(std::io::Error) -> SandboxError + '_ {
    move |source| SandboxError::Io {
        what: what.to_owned(),
        source,
    }
}

/// Lets the root of boxes pass through a folder (not list it).
pub(crate) fn open_to_boxes(path: &Path) -> Result<(), SandboxError> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path)
        .map_err(io_error("the data folder"))?
        .permissions()
        .mode();
    if mode & 0o001 == 0 {
        fs::set_permissions(path, std::fs::Permissions::from_mode(mode | 0o011))
            .map_err(io_error("the data folder"))?;
    }
    Ok(())
}

/// Makes a file or folder the property of the root of boxes.
pub(crate) fn give(path: &Path, ids: &IdMap) -> Result<(), SandboxError> {
    if ids.privileged {
        std::os::unix::fs::chown(path, Some(ids.root_uid), Some(ids.root_gid))
            .map_err(io_error("giving a folder to a box"))?;
    }
    Ok(())
}

/// Lays the host's files into a folder that is one more layer of each box; made once for each content.
fn host_files(home: &Home, ids: &IdMap, network: &HostNetwork) -> Result<String, SandboxError> {
    let mut contents = BTreeMap::new();
    contents.insert(
        "etc/hosts".to_owned(),
        b"127.0.0.1 localhost box\n::1 localhost ip6-localhost\n".to_vec(),
    );
    contents.insert("etc/hostname".to_owned(), b"box\n".to_vec());
    for (here, there) in &network.files {
        if let Ok(content) = fs::read(here) {
            contents.insert(there.trim_start_matches('/').to_owned(), content);
        }
    }
    let digest = Digest::of(&serde_json::to_vec(&(&contents, ids)).unwrap_or_default());
    let room = home.cache("host")?;
    open_to_boxes(&home.root().join("cache"))?;
    open_to_boxes(&room)?;
    let name = format!("cache/host/{}", digest.hex());
    let place = home.root().join(&name);
    if place.is_dir() {
        return Ok(name);
    }
    let making = tempfile::Builder::new()
        .prefix(".making-")
        .tempdir_in(&room)
        .map_err(io_error("laying the host's files"))?;
    open_to_boxes(making.path())?;
    for (path, content) in contents {
        let path = making.path().join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(io_error("laying the host's files"))?;
        }
        fs::write(&path, content).map_err(io_error("laying the host's files"))?;
    }
    open_tree(making.path(), ids)?;
    let making = making.keep();
    // Whoever was faster laid the same files.
    if fs::rename(&making, &place).is_err() {
        drop(fs::remove_dir_all(&making));
    }
    Ok(name)
}

fn open_tree(path: &Path, ids: &IdMap) -> Result<(), SandboxError> {
    use std::os::unix::fs::PermissionsExt;
    let is_folder = path.is_dir();
    let mode = if is_folder { 0o755 } else { 0o644 };
    fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).map_err(io_error("laying the host's files"))?;
    if is_folder {
        for entry in fs::read_dir(path).map_err(io_error("laying the host's files"))? {
            open_tree(&entry.map_err(io_error("laying the host's files"))?.path(), ids)?;
        }
    }
    give(path, ids)
}
