//! Makes boxes that are containers.

use std::{
    collections::{BTreeMap, HashMap},
    io,
    os::fd::AsFd,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
};

use bollard::models::{ContainerCreateBody, HostConfig, HostConfigLogConfig, Mount, MountType};
use fs_err as fs;
use seatrial_core::Digest;
use seatrial_store::{Home, Lease, StoreError, unique_name};

use super::{
    daemon::Daemon,
    door::{self, Meeting, NET_ADMIN},
    link::Link,
    machine::DockerBox,
    program::{self, Program},
    protocol::{Ask, Reply},
    snapshots::Frozen,
};
use crate::{
    BoxSpec, DOOR_ADDRESS, Enforcement, Limits, Network, OpenDoor, Sandbox, SandboxError, SandboxFactory,
    native::{Helper, IdMap, KEPT_CAPABILITIES, door_sockets, io_error, names, open_folder, read_in, send_pack},
};

/// The repository that imported images are tagged in.
const REPOSITORY: &str = "seatrial";
/// Label of all that belongs to a data folder; its value tells which.
const HOME: &str = "seatrial.home";
/// Label of what belongs to one harness; its value is the name of the harness's lease.
const LEASE: &str = "seatrial.lease";
/// Begins the names of the folders with harnesses' leases.
const HARNESS: &str = "harness-";

/// Names of the kernel's capabilities, by number.
const CAPABILITIES: [&str; 41] = [
    "CHOWN",
    "DAC_OVERRIDE",
    "DAC_READ_SEARCH",
    "FOWNER",
    "FSETID",
    "KILL",
    "SETGID",
    "SETUID",
    "SETPCAP",
    "LINUX_IMMUTABLE",
    "NET_BIND_SERVICE",
    "NET_BROADCAST",
    "NET_ADMIN",
    "NET_RAW",
    "IPC_LOCK",
    "IPC_OWNER",
    "SYS_MODULE",
    "SYS_RAWIO",
    "SYS_CHROOT",
    "SYS_PTRACE",
    "SYS_PACCT",
    "SYS_ADMIN",
    "SYS_BOOT",
    "SYS_NICE",
    "SYS_RESOURCE",
    "SYS_TIME",
    "SYS_TTY_CONFIG",
    "MKNOD",
    "LEASE",
    "AUDIT_WRITE",
    "AUDIT_CONTROL",
    "SETFCAP",
    "MAC_OVERRIDE",
    "MAC_ADMIN",
    "SYSLOG",
    "WAKE_ALARM",
    "BLOCK_SUSPEND",
    "AUDIT_READ",
    "PERFMON",
    "BPF",
    "CHECKPOINT_RESTORE",
];

/// Makes boxes that are containers of a daemon.
#[derive(Debug)]
pub struct DockerFactory {
    shared: Arc<Shared>,
}

/// What all boxes of a factory share.
#[derive(Debug)]
pub(super) struct Shared {
    home: Home,
    helper: PathBuf,
    pub(super) daemon: Arc<Daemon>,
    program: Program,
    /// Tells which data folder things in the daemon belong to.
    mark: String,
    lease: Lease,
}

impl DockerFactory {
    /// A factory that makes containers through a daemon's socket, Docker's or Podman's, from the images of a data
    /// folder, and removes what dead harnesses left there. `helper` is as for
    /// [`NativeFactory::new`](crate::NativeFactory::new).
    pub fn new(home: &Home, helper: PathBuf, socket: &Path) -> Result<Self, SandboxError> {
        let daemon = Arc::new(Daemon::connect(socket)?);
        let program = Program::new(home, &helper)?;
        let root = fs::canonicalize(home.root()).map_err(io_error("the data folder"))?;
        let mark = Digest::of(root.as_os_str().as_encoded_bytes()).short();
        sweep(home, &daemon, &mark)?;
        let shared = Shared {
            home: home.clone(),
            helper,
            daemon,
            program,
            mark,
            lease: lease(home)?,
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }
}

/// A folder that says, by its lock, that this harness lives.
fn lease(home: &Home) -> Result<Lease, SandboxError> {
    let room = home.cache("docker")?;
    let mut tries = 0;
    loop {
        let name = format!("{HARNESS}{}", unique_name());
        match Lease::take(room.join(name)) {
            Ok(lease) => return Ok(lease),
            // A sweep of another process came between the folder and its lock.
            Err(StoreError::Busy(_) | StoreError::Io(_)) if tries < 100 => tries += 1,
            Err(error) => return Err(error.into()),
        }
    }
}

/// Removes what dead harnesses of a data folder left in the daemon, in the background.
fn sweep(home: &Home, daemon: &Daemon, mark: &str) -> Result<(), SandboxError> {
    let room = home.cache("docker")?;
    let label = format!("{HOME}={mark}");
    // Asked before leases are looked at: what is made from here on belongs to somebody who lives.
    let (containers, images) = (daemon.containers(&label, LEASE)?, daemon.images(&label, LEASE)?);
    let mut live = HashMap::new();
    let mut lives = |name: &str| {
        *live.entry(name.to_owned()).or_insert_with(|| {
            // Whoever has no folder any more has ended in an orderly way.
            let folder = room.join(name);
            folder.is_dir() && matches!(Lease::take(&folder), Err(StoreError::Busy(_)))
        })
    };
    for (id, owner) in containers {
        if !lives(&owner) {
            daemon.discard_container(id);
        }
    }
    for (id, owner) in images {
        if !lives(&owner) {
            daemon.discard_image(id);
        }
    }
    for entry in fs::read_dir(&room)
        .map_err(io_error("the leases of harnesses"))?
        .flatten()
    {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        if name.starts_with(HARNESS)
            && let Ok(_lease) = Lease::take_over(entry.path())
        {
            drop(fs::remove_dir_all(entry.path()));
        }
    }
    Ok(())
}

impl Drop for Shared {
    fn drop(&mut self) {
        // With the lease held; should this be cut short, the next sweep finds it.
        drop(fs::remove_dir_all(self.lease.folder()));
    }
}

impl SandboxFactory for DockerFactory {
    fn start(&self, spec: &BoxSpec) -> Result<Box<dyn Sandbox>, SandboxError> {
        let image = self.shared.image(&spec.image)?;
        Ok(Box::new(DockerBox::start(Arc::clone(&self.shared), spec, &image)?))
    }

    fn settle(&self) {
        self.shared.daemon.settle();
    }

    fn enforcement(&self) -> Vec<Enforcement> {
        let kept = |limit, how: &str| Enforcement {
            limit,
            enforced: true,
            how: how.to_owned(),
        };
        vec![
            kept("memory", "the daemon's control group of the container"),
            kept("cpu", "the daemon's control group of the container"),
            kept("processes", "the daemon's control group of the container"),
            kept(
                "disk",
                "measured by the daemon while commands run; what is over ends the command",
            ),
            kept("output", "counted and dropped on its way out"),
            kept("open files", "a limit of each process"),
            kept("file size", "a limit of each process"),
        ]
    }
}

/// A container that is being talked to.
pub(super) struct Container {
    pub(super) name: String,
    pub(super) link: Link,
    daemon: Arc<Daemon>,
    door: Option<Box<dyn OpenDoor>>,
}

impl Drop for Container {
    fn drop(&mut self) {
        // Nobody is left to be served before the door is closed.
        self.daemon.discard_container(std::mem::take(&mut self.name));
        self.door = None;
    }
}

impl Container {
    /// Ends it now, for whoever must be sure that nothing runs in it any more.
    pub(super) fn end(&self) {
        self.daemon.end(&self.name);
    }
}

impl Shared {
    /// An image in the daemon, imported now when it is not there.
    fn image(&self, id: &Digest) -> Result<Arc<Frozen>, SandboxError> {
        let name = format!("{REPOSITORY}:{}", id.hex());
        if !self.daemon.has_image(&name)? {
            let rootfs = self.home.images().join(id.hex()).join("rootfs");
            if !rootfs.is_dir() {
                return Err(SandboxError::NoImage(id.short()));
            }
            self.import(&rootfs, id, &name)?;
        }
        Ok(Arc::new(Frozen {
            name,
            own: false,
            daemon: Arc::clone(&self.daemon),
        }))
    }

    fn import(&self, rootfs: &Path, id: &Digest, name: &str) -> Result<(), SandboxError> {
        let room = self.home.cache("docker-import")?;
        let _lease = loop {
            match Lease::take(&room) {
                Err(StoreError::Busy(_)) => std::thread::sleep(std::time::Duration::from_millis(100)),
                other => break other?,
            }
        };
        // Somebody else has imported it while this one waited.
        if self.daemon.has_image(name)? {
            return Ok(());
        }
        let ids = IdMap::of_this_user()?;
        let mut helper = Helper::start(&self.helper, &ids)?;
        let (read, write) = io::pipe().map_err(io_error("a pipe"))?;
        let folder = open_folder(rootfs)?;
        send_pack(&mut helper, folder.as_fd(), write.as_fd())?;
        drop(write);
        let labels = [("seatrial.image", id.hex())];
        let imported = self.daemon.import(read, REPOSITORY, &id.hex(), &labels);
        // Why the packing failed says more than what the daemon made of a stream that stopped.
        helper.done("packing an image").and(imported)
    }

    /// Labels of all that this harness makes in the daemon.
    pub(super) fn labels(&self) -> HashMap<String, String> {
        let lease = self.lease.folder().file_name().unwrap_or_default();
        HashMap::from([
            (HOME.to_owned(), self.mark.clone()),
            (LEASE.to_owned(), lease.to_string_lossy().into_owned()),
        ])
    }

    /// Starts a container from an image.
    pub(super) fn container(
        &self,
        image: &Frozen,
        spec: &BoxSpec,
        stop: &AtomicBool,
    ) -> Result<Container, SandboxError> {
        let name = format!("seatrial-{}", unique_name());
        let meeting = match &spec.network {
            Network::Door(_) => Some(Meeting::new(self.lease.folder())?),
            Network::Off => None,
        };
        let config = self.config(image, spec, meeting.as_ref());
        let link = self.daemon.start(&name, config).inspect_err(|_| {
            self.daemon.discard_container(name.clone());
        })?;
        let mut container = Container {
            name,
            link,
            daemon: Arc::clone(&self.daemon),
            door: None,
        };
        let ports = match &spec.network {
            Network::Door(door) => Some(door.ports()),
            Network::Off => None,
        };
        container.link.ask(&Ask::Begin { door: ports.clone() }, stop)?;
        match container.link.reply(stop, &mut |_| {})? {
            Reply::Done => {}
            reply => return Err(container.link.refused(reply)),
        }
        if let (Network::Door(door), Some(meeting), Some(ports)) = (&spec.network, meeting, ports) {
            let sockets = door_sockets(ports, meeting.receive()?)?;
            let open = door.open(sockets).map_err(io_error("opening the network door"))?;
            container.door = Some(open);
        }
        Ok(container)
    }

    fn config(&self, image: &Frozen, spec: &BoxSpec, meeting: Option<&Meeting>) -> ContainerCreateBody {
        let bind = |from: &Path, to: &str| Mount {
            target: Some(to.to_owned()),
            source: Some(from.display().to_string()),
            typ: Some(MountType::BIND),
            read_only: Some(true),
            ..Mount::default()
        };
        let mut mounts = vec![bind(&self.program.folder, program::PLACE)];
        mounts.extend(meeting.map(|meeting| bind(meeting.folder(), door::PLACE)));
        let own = meeting.is_some().then_some(NET_ADMIN);
        let capabilities = KEPT_CAPABILITIES.into_iter().chain(own);
        let capabilities = capabilities.filter_map(|number| CAPABILITIES.get(number as usize));
        let Limits {
            processes,
            memory_bytes,
            cpu_millis,
            ..
        } = spec.limits;
        let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        let host_config = HostConfig {
            // With nobody to talk to it ends, and then nothing of it is to stay.
            auto_remove: Some(true),
            memory: memory_bytes.map(number),
            memory_swap: memory_bytes.map(number),
            nano_cpus: cpu_millis.map(|millis| i64::from(millis) * 1_000_000),
            // The agent and its children that work on files count too.
            pids_limit: Some(number(processes.saturating_add(2))),
            network_mode: Some("none".to_owned()),
            cap_drop: Some(vec!["ALL".to_owned()]),
            cap_add: Some(capabilities.map(|name| (*name).to_owned()).collect()),
            security_opt: Some(vec!["no-new-privileges".to_owned()]),
            log_config: Some(HostConfigLogConfig {
                typ: Some("none".to_owned()),
                config: None,
            }),
            mounts: Some(mounts),
            shm_size: Some(1 << 30),
            init: Some(false),
            ..HostConfig::default()
        };
        ContainerCreateBody {
            image: Some(image.name.clone()),
            entrypoint: Some(self.program.entry.clone()),
            cmd: Some(Vec::new()),
            hostname: Some("box".to_owned()),
            user: Some("0:0".to_owned()),
            working_dir: Some("/".to_owned()),
            attach_stdin: Some(true),
            attach_stdout: Some(true),
            attach_stderr: Some(true),
            open_stdin: Some(true),
            // When the harness goes, the agent reads the end of its input.
            stdin_once: Some(true),
            tty: Some(false),
            labels: Some(self.labels()),
            host_config: Some(host_config),
            ..ContainerCreateBody::default()
        }
    }

    /// Files that a box has besides its image's.
    pub(super) fn files(&self, spec: &BoxSpec) -> BTreeMap<String, Vec<u8>> {
        let mut files = names();
        let mut lay = |path: &str, content: Vec<u8>| {
            files.insert(path.trim_start_matches('/').to_owned(), content);
        };
        match &spec.network {
            Network::Off => {}
            Network::Door(door) => {
                lay("etc/resolv.conf", format!("nameserver {DOOR_ADDRESS}\n").into_bytes());
                let root = self.home.images().join(spec.image.hex()).join("rootfs");
                for (path, content) in door.files(&|path| read_in(&root, path)) {
                    lay(&path, content);
                }
            }
        }
        files
    }

    /// Variables that every command gets.
    pub(super) fn environment(network: &Network) -> BTreeMap<String, String> {
        match network {
            Network::Off => BTreeMap::new(),
            Network::Door(door) => door.environment(),
        }
    }
}
