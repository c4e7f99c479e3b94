//! Makes boxes.

use std::{
    collections::BTreeMap,
    io::{Read, Write},
    net::{TcpListener, UdpSocket},
    os::fd::{AsFd, OwnedFd},
    path::{Path, PathBuf},
    sync::Arc,
};

use fs_err as fs;
use rustix::fs::{Mode, OFlags};
use seatrial_core::{Arch, Digest};
use seatrial_store::{Hold, Home, Lease, StoreError, touch, unique_name};

use super::{
    cgroups::{self, Controller, Groups, Places},
    enforcement,
    fork::{Below, Held},
    idmap::IdMap,
    machine::{Furniture, NativeBox, Origin},
    spares::{Spare, Spares},
    trash::{Helper, Trash, open_folder, remove_tree},
    wire::{Reply, Request, StartRequest},
};
use crate::{
    BoxSpec, DOOR_ADDRESS, DoorSockets, Enforcement, Footing, Network, OpenDoor, Sandbox, SandboxError, SandboxFactory,
};

/// Makes native boxes. Each box has one of its own, to make forks.
#[derive(Debug, Clone)]
pub struct NativeFactory {
    home: Home,
    helper: PathBuf,
    ids: IdMap,
    /// Folder with the files that say who a box is.
    names: HostLayer,
    trash: Arc<Trash>,
    spares: Arc<Spares>,
}

/// The file in a box's folder that names the image it is made from.
pub(crate) const IMAGE_OF_BOX: &str = "image";

/// Bytes of `/dev/shm`.
const SHARED_BYTES: u64 = 1 << 30;

/// Ends the name of a box's folder whose harness is dead.
const DEAD: &str = ".dead";

impl NativeFactory {
    /// A factory that keeps its boxes in the data folder, and sweeps what dead harnesses left there. `helper` is a
    /// program that calls [`helper_main`](crate::helper_main) when
    /// [`is_helper_invocation`](crate::is_helper_invocation) says so.
    pub fn new(home: &Home, helper: PathBuf) -> Result<Self, SandboxError> {
        let ids = IdMap::of_this_user()?;
        // Where it must step aside for its boxes' groups, it does so before it has children.
        Places::of_this_process();
        open_to_boxes(home.root())?;
        open_to_boxes(&home.boxes())?;
        open_to_boxes(&home.images())?;
        let names = lay(home, &ids, &names())?;
        let factory = Self {
            home: home.clone(),
            trash: Arc::new(Trash::new(helper.clone(), ids.clone())),
            spares: Arc::new(Spares::new(home, helper.clone(), ids.clone())),
            helper,
            ids,
            names,
        };
        sweep(home, &factory.trash)?;
        Ok(factory)
    }

    /// Removes what dead harnesses left of boxes in a data folder, and waits until it is gone. Other than [`new`](Self::new)
    /// it needs no free space.
    pub fn sweep_leftovers(home: &Home, helper: PathBuf) -> Result<(), SandboxError> {
        let trash = Trash::new(helper, IdMap::of_this_user()?);
        sweep(home, &trash)
    }

    /// Removes a folder that may hold files of the ids of boxes.
    pub fn remove_tree(helper: &Path, path: &Path) -> Result<(), SandboxError> {
        remove_tree(helper, &IdMap::of_this_user()?, path)
    }

    /// A new folder for a box, with its lease.
    fn folder(&self) -> Result<(String, Lease), SandboxError> {
        let mut tries = 0;
        loop {
            let name = unique_name();
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
        self.start_for(spec, &[])
    }

    fn start_for(&self, spec: &BoxSpec, also: &[Arch]) -> Result<Box<dyn Sandbox>, SandboxError> {
        let image = format!("images/{}/rootfs", spec.image.hex());
        if !self.home.root().join(&image).is_dir() {
            return Err(SandboxError::NoImage(spec.image.short()));
        }
        let mut footing = Footing::of(&self.home.images().join(spec.image.hex()))?;
        footing.also = also.to_vec();
        self.start_on(image, spec, footing, Below::default())
    }

    fn enforcement(&self) -> Vec<Enforcement> {
        enforcement::of_this_process()
    }

    fn settle(&self) {
        self.trash.settle();
        self.spares.settle();
    }
}

impl NativeFactory {
    /// Starts a box from a root file system somewhere below the data folder.
    pub(crate) fn start_from(&self, image: String, spec: &BoxSpec) -> Result<Box<dyn Sandbox>, SandboxError> {
        self.start_on(image, spec, Footing::default(), Below::default())
    }

    /// Starts a box on an image and on layers of other boxes.
    pub(super) fn start_on(
        &self,
        image: String,
        spec: &BoxSpec,
        footing: Footing,
        below: Below,
    ) -> Result<Box<dyn Sandbox>, SandboxError> {
        let (name, lease) = self.folder()?;
        let folder = lease.folder().to_owned();
        self.prepare(&folder, &spec.image)?;
        let home = open_folder(self.home.root())?;
        let (mut helper, ahead) = match self.spares.take().and_then(Spare::into_parts) {
            Ok(parts) => parts,
            Err(error) => {
                drop(remove_tree(&self.helper, &self.ids, &folder));
                return Err(error);
            }
        };
        let origin = Origin {
            factory: self.clone(),
            image,
            spec: spec.clone(),
            footing,
        };
        let made = self.furnish((&mut helper, &ahead), &home, (&folder, &name), &origin, &below);
        let furniture = match made {
            Ok(made) => made,
            Err(error) => {
                drop(helper);
                drop(cgroups::remove_listed(&folder));
                // Where it failed before they were listed.
                drop(cgroups::remove(&ahead.folders()));
                drop(remove_tree(&self.helper, &self.ids, &folder));
                return Err(error);
            }
        };
        let held = Held::new(name, lease, Arc::clone(&self.trash), furniture.groups.folders());
        Ok(Box::new(NativeBox::new(helper, origin, held, below, furniture)))
    }

    /// A removal looks for boxes that name the image before and after it takes its name away, so whoever has named it first
    /// and finds it here keeps it.
    fn still_there(&self, image: &str, spec: &BoxSpec) -> Result<(), SandboxError> {
        if self.home.root().join(image).is_dir() {
            Ok(())
        } else {
            Err(SandboxError::NoImage(spec.image.short()))
        }
    }

    /// Makes a helper the supervisor of a box.
    fn furnish(
        &self,
        (helper, ahead): (&mut Helper, &Groups),
        home: &OwnedFd,
        (folder, name): (&Path, &str),
        origin: &Origin,
        below: &Below,
    ) -> Result<Furniture, SandboxError> {
        let Origin {
            image, spec, footing, ..
        } = origin;
        let (inherited, others) = below.places();
        let foreign = footing.foreign()?;
        self.still_there(image, spec)?;
        let mut groups = Groups::make(Places::of_this_process(), folder, name, &spec.limits, ahead)
            .map_err(io_error("listing a box's control groups"))?;
        // Before it makes a process or a mount: both are counted where they are made.
        groups.take(helper.child.id());
        let (door, host, environment) = self.wire(&spec.network, image)?;
        // The door's and the host's variables are about this machine; the image knows nothing of it.
        let environment: BTreeMap<_, _> = footing.environment.clone().into_iter().chain(environment).collect();
        let start = StartRequest {
            hostname: "box".to_owned(),
            door,
            layers: format!("boxes/{name}/layers"),
            others,
            inherited,
            image: image.clone(),
            host: host.as_ref().map(|host| host.name.clone()),
            groups: groups.views(),
            // Files in it are memory. Filled to the brim it must leave room for the command that empties it.
            shared_bytes: spec
                .limits
                .memory_bytes
                .map_or(SHARED_BYTES, |bytes| SHARED_BYTES.min(bytes / 2)),
            processes: (!groups.bounds(Controller::Pids)).then_some(spec.limits.processes),
            foreign,
        };
        helper.send(&Request::Start(start), &[home.as_fd()])?;
        let sockets = match helper.receive_all()? {
            (Reply::Done, sockets) => sockets,
            (reply, _) => return Err(helper.refused("making a box", reply)),
        };
        Ok(Furniture {
            environment,
            host,
            door: open_door(&spec.network, sockets)?,
            groups,
        })
    }

    /// What a network means for the namespace, the files laid over the image's, and the variables.
    #[expect(clippy::type_complexity, reason = "taken apart at the one place that asks")]
    fn wire(
        &self,
        network: &Network,
        image: &str,
    ) -> Result<(Option<Vec<u16>>, Option<HostLayer>, BTreeMap<String, String>), SandboxError> {
        Ok(match network {
            Network::Off => (None, Some(self.names.clone()), BTreeMap::new()),
            Network::Door(door) => {
                let root = self.home.root().join(image);
                let mut contents = names();
                contents.insert(
                    "etc/resolv.conf".to_owned(),
                    format!("nameserver {DOOR_ADDRESS}\n").into_bytes(),
                );
                let files = door.files(&|path| read_in(&root, path));
                contents.extend(
                    files
                        .into_iter()
                        .map(|(path, content)| (path.trim_start_matches('/').to_owned(), content)),
                );
                let host = lay(&self.home, &self.ids, &contents)?;
                (Some(door.ports()), Some(host), door.environment())
            }
        })
    }
}

/// Removes, in the background, the folders of boxes whose harness is dead.
fn sweep(home: &Home, trash: &Trash) -> Result<(), SandboxError> {
    for entry in fs::read_dir(home.boxes()).map_err(io_error("reading the boxes' folder"))? {
        let path = entry.map_err(io_error("reading the boxes' folder"))?.path();
        // One that cannot be taken has a live owner, or another sweep is faster (and has moved it away).
        let Ok(_lease) = Lease::take_over(&path) else { continue };
        // Renamed while the lease is held: whoever has just made the folder and waits for its lease then gets none,
        // instead of a box that is deleted under it.
        let mut dead = path.clone().into_os_string();
        if !dead.as_encoded_bytes().ends_with(DEAD.as_bytes()) {
            dead.push(DEAD);
            fs::rename(&path, &dead).map_err(io_error("sweeping the boxes' folder"))?;
        }
        trash.discard(dead.into(), Vec::new());
    }
    // Those of helpers that waited for a box, and of boxes whose folders are gone.
    trash.discard_groups(Places::of_this_process().stale());
    Ok(())
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

/// Hands a door its sockets.
fn open_door(network: &Network, sockets: Vec<OwnedFd>) -> Result<Option<Box<dyn OpenDoor>>, SandboxError> {
    let Network::Door(door) = network else { return Ok(None) };
    let sockets = door_sockets(door.ports(), sockets)?;
    door.open(sockets)
        .map(Some)
        .map_err(io_error("opening the network door"))
}

/// Tells a door's sockets apart by the order in which they come.
pub(crate) fn door_sockets(ports: Vec<u16>, mut sockets: Vec<OwnedFd>) -> Result<DoorSockets, SandboxError> {
    let (Some(dns_tcp), Some(dns_udp)) = (sockets.pop(), sockets.pop()) else {
        return Err(SandboxError::Died("it sent no sockets for its door".to_owned()));
    };
    Ok(DoorSockets {
        tcp: ports
            .into_iter()
            .zip(sockets.into_iter().map(TcpListener::from))
            .collect(),
        dns_udp: UdpSocket::from(dns_udp),
        dns_tcp: TcpListener::from(dns_tcp),
    })
}

/// Bytes of an image's file that are read into memory; none of those that are asked for comes near.
const MOST_OF_IMAGE: u64 = 64 << 20;

/// A regular file of an image, links followed inside it only. One that is too large is as none.
pub(crate) fn read_in(root: &Path, path: &str) -> Option<Vec<u8>> {
    use rustix::fs::{ResolveFlags, openat2};
    let root = open_folder(root).ok()?;
    let file = openat2(
        &root,
        path.trim_start_matches('/'),
        OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK,
        Mode::empty(),
        ResolveFlags::IN_ROOT,
    );
    let file = std::fs::File::from(file.ok()?);
    // A hole takes no room in an image, and all of this machine's memory here.
    let known = file.metadata().ok()?;
    if !known.is_file() || known.len() > MOST_OF_IMAGE {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(MOST_OF_IMAGE).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The files that say who a box is.
pub(crate) fn names() -> BTreeMap<String, Vec<u8>> {
    let hosts = b"127.0.0.1 localhost box\n::1 localhost ip6-localhost\n";
    BTreeMap::from([
        ("etc/hosts".to_owned(), hosts.to_vec()),
        ("etc/hostname".to_owned(), b"box\n".to_vec()),
    ])
}

/// A folder below the data folder that is one more layer of boxes. It stays as long as this lives.
#[derive(Debug, Clone)]
pub(super) struct HostLayer {
    name: String,
    _hold: Arc<Hold>,
}

impl HostLayer {
    fn find(home: &Home, name: &str) -> Result<Option<Self>, SandboxError> {
        let place = home.root().join(name);
        let Some(hold) = Hold::shared(&place).map_err(io_error("the host's files"))? else {
            return Ok(None);
        };
        touch(&place).map_err(io_error("the host's files"))?;
        Ok(Some(Self {
            name: name.to_owned(),
            _hold: Arc::new(hold),
        }))
    }
}

/// Lays files into a folder that is one more layer of a box; made once for each content.
fn lay(home: &Home, ids: &IdMap, contents: &BTreeMap<String, Vec<u8>>) -> Result<HostLayer, SandboxError> {
    let digest = Digest::of(&serde_json::to_vec(&(contents, ids)).unwrap_or_default());
    let room = home.cache("host")?;
    open_to_boxes(&home.root().join("cache"))?;
    open_to_boxes(&room)?;
    let name = format!("cache/host/{}", digest.hex());
    let place = home.root().join(&name);
    if let Some(layer) = HostLayer::find(home, &name)? {
        return Ok(layer);
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
        let mut file = fs::File::create(&path).map_err(io_error("laying the host's files"))?;
        // A layer is taken for whole by its name, also after a power cut.
        file.write_all(content)
            .and_then(|()| file.sync_data())
            .map_err(io_error("laying the host's files"))?;
    }
    open_tree(making.path(), ids)?;
    let making = making.keep();
    // Whoever was faster laid the same files.
    if fs::rename(&making, &place).is_err() {
        drop(fs::remove_dir_all(&making));
    }
    HostLayer::find(home, &name)?.ok_or_else(|| SandboxError::Io {
        what: place.display().to_string(),
        source: std::io::Error::new(
            std::io::ErrorKind::NotFound,
            "it was removed while it was made; run the same command again",
        ),
    })
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
