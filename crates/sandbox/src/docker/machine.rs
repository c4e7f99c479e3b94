//! A live container, as the harness sees it.

use std::{
    collections::BTreeMap,
    io::{self, Read, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use seatrial_core::Digest;

use super::{
    factory::{Container, Shared},
    listing::{Listing, decode, difference, shown},
    protocol::{Ask, CHUNK, Reply},
    running::{Disk, Killed, Passing, attend},
    snapshots::{Frozen, Snapshots, State},
};
use crate::{
    Before, BoxSpec, Change, ChangeKind, Command, Execution, FileContent, Network, OutputSink, Sandbox, SandboxError,
    Snapshot, Status, TimeoutKind,
    native::{ExecRequest, FileRequest, io_error},
};

/// Files that daemons mount into every container.
const MOUNTED: [&str; 3] = ["/etc/hostname", "/etc/hosts", "/etc/resolv.conf"];

/// A live container.
pub(super) struct DockerBox {
    shared: Arc<Shared>,
    spec: BoxSpec,
    files: BTreeMap<String, Vec<u8>>,
    environment: BTreeMap<String, String>,
    container: Option<Container>,
    snapshots: Snapshots,
    /// Whether nobody has run or written anything since the container was made from an image that is no box's.
    pristine: bool,
    stop: Arc<AtomicBool>,
    disk: Disk,
}

impl DockerBox {
    pub(super) fn start(shared: Arc<Shared>, spec: &BoxSpec, image: &Arc<Frozen>) -> Result<Self, SandboxError> {
        let mut sandbox = Self {
            files: shared.files(spec),
            environment: Shared::environment(&spec.network),
            shared,
            spec: spec.clone(),
            container: None,
            snapshots: Snapshots::new(Arc::clone(image)),
            pristine: true,
            stop: Arc::default(),
            disk: Disk {
                frozen: 0,
                used: 0,
                free: 0,
                written: 0,
                measured: Instant::now(),
            },
        };
        sandbox.enter(image)?;
        Ok(sandbox)
    }

    /// Leaves the present container and starts one from an image.
    fn enter(&mut self, image: &Frozen) -> Result<(), SandboxError> {
        if let Some(old) = self.container.take() {
            old.end();
        }
        self.container = Some(self.shared.container(image, &self.spec, &self.stop)?);
        self.pristine = !image.own;
        // An image that was made of a box has them, perhaps changed since.
        if !image.own {
            let files = std::mem::take(&mut self.files);
            let laid = files
                .iter()
                .try_for_each(|(path, content)| self.put(&format!("/{path}"), content, 0o644));
            self.files = files;
            laid?;
        }
        self.disk.used = 0;
        self.disk.written = 0;
        self.disk.free = self.free()?;
        self.disk.measured = Instant::now();
        Ok(())
    }

    /// What a snapshot's image does not hold.
    fn restore(&mut self, state: &State) -> Result<(), SandboxError> {
        self.disk.frozen = state.written;
        let mut mounted = state.mounted.iter();
        mounted.try_for_each(|(path, content)| self.put(path, content, 0o644))
    }

    fn live(&mut self) -> Result<&mut Container, SandboxError> {
        if self.stop.load(Ordering::SeqCst) {
            return Err(SandboxError::Interrupted);
        }
        self.container.as_mut().ok_or_else(gone)
    }

    /// After an error in the middle of a conversation the container is of no more use.
    fn lost<T>(&mut self, result: Result<T, SandboxError>) -> Result<T, SandboxError> {
        if matches!(result, Err(SandboxError::Interrupted | SandboxError::Died(_))) {
            self.container = None;
        }
        result
    }

    fn free(&mut self) -> Result<u64, SandboxError> {
        let stop = Arc::clone(&self.stop);
        let link = &mut self.live()?.link;
        let answer = link
            .ask(&Ask::Free, &stop)
            .and_then(|()| link.reply(&stop, &mut |_| {}));
        let told = match answer {
            Ok(Reply::Free(bytes)) => Ok(bytes),
            Ok(reply) => Err(link.refused(reply)),
            Err(error) => Err(error),
        };
        self.lost(told)
    }

    fn check_host(&mut self) -> Result<(), SandboxError> {
        let free = self.free()?;
        if free < self.spec.limits.host_reserve_bytes {
            return Err(SandboxError::HostDiskFull { free_mib: free >> 20 });
        }
        Ok(())
    }

    /// Work whose bytes become files of the box, which are bounded like those that it writes itself.
    fn store(&mut self, request: FileRequest, from: &mut dyn Read) -> Result<(), SandboxError> {
        let limit = self.spec.limits.disk_bytes;
        let mut from = Counted {
            inner: from,
            left: self.disk.left(limit),
            read: 0,
            is_over: false,
        };
        let sent = self.send(&Ask::Files(request), &mut from, &mut |_| {});
        let (is_over, read) = (from.is_over, from.read);
        self.disk.add(read);
        if is_over {
            return Err(SandboxError::BoxFull { limit_mib: limit >> 20 });
        }
        sent
    }

    /// Work whose bytes flow towards the box, and perhaps back after that.
    fn send(&mut self, ask: &Ask, from: &mut dyn Read, reader: &mut dyn FnMut(&[u8])) -> Result<(), SandboxError> {
        let stop = Arc::clone(&self.stop);
        let link = &mut self.live()?.link;
        let result = (|| {
            link.ask(ask, &stop)?;
            let mut buffer = vec![0; 4 * CHUNK];
            let mut early = None;
            let mut broken = None;
            loop {
                let count = match from.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(count) => count,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => {
                        broken = Some(error);
                        break;
                    }
                };
                link.data(buffer.get(..count).unwrap_or_default(), &stop)?;
                early = link.early()?;
                if early.is_some() {
                    break;
                }
            }
            link.end(&stop)?;
            let reply = match early {
                Some(reply) => reply,
                None => link.reply(&stop, reader)?,
            };
            match (reply, broken) {
                (_, Some(error)) => Err(io_error("writing files into a box")(error)),
                (Reply::Done, None) => Ok(()),
                (reply, None) => Err(link.refused(reply)),
            }
        })();
        self.lost(result)
    }

    /// Work whose bytes flow out of the box.
    fn fetch(&mut self, ask: &Ask, reader: &mut dyn FnMut(&[u8])) -> Result<(), SandboxError> {
        let stop = Arc::clone(&self.stop);
        let link = &mut self.live()?.link;
        let result = link.ask(ask, &stop).and_then(|()| match link.reply(&stop, reader)? {
            Reply::Done => Ok(()),
            reply => Err(link.refused(reply)),
        });
        self.lost(result)
    }

    fn put(&mut self, path: &str, mut content: &[u8], mode: u32) -> Result<(), SandboxError> {
        let path = path.to_owned();
        self.store(FileRequest::WriteFile { path, mode }, &mut content)
    }

    fn listing(&mut self) -> Result<Listing, SandboxError> {
        let mut bytes = Vec::new();
        self.fetch(&Ask::List, &mut |part| bytes.extend_from_slice(part))?;
        decode(&bytes).map_err(io_error("the list of a box's files"))
    }

    /// Files that no image holds, as they are.
    fn mounted(&mut self) -> Result<Vec<(String, Vec<u8>)>, SandboxError> {
        let mut files = Vec::new();
        for path in MOUNTED {
            match self.read_file(path, 1 << 20) {
                Ok(file) => files.push((path.to_owned(), file.bytes)),
                Err(SandboxError::NoSuchFile(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(files)
    }

    /// A command that filled the disk faster than anybody looked is found out when it is over.
    fn is_over_disk(&mut self) -> Result<bool, SandboxError> {
        let free = self.free()?;
        if self.disk.is_suspect(free, self.spec.limits.disk_bytes) {
            let name = self.live()?.name.clone();
            let told = self.shared.daemon.measure(&name).recv().unwrap_or(None);
            self.disk.note(told, free);
        }
        Ok(self.disk.sum() > self.spec.limits.disk_bytes)
    }
}

/// A reader that fails once a budget is used up.
struct Counted<'a> {
    inner: &'a mut dyn Read,
    left: u64,
    read: u64,
    is_over: bool,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.read += count as u64;
        self.is_over = self.read > self.left;
        if self.is_over {
            return Err(io::Error::other("the box's disk is used up"));
        }
        Ok(count)
    }
}

fn gone() -> SandboxError {
    SandboxError::Died("it was ended".to_owned())
}

impl Sandbox for DockerBox {
    fn exec(&mut self, command: &Command, output: &mut dyn OutputSink) -> Result<Execution, SandboxError> {
        self.check_host()?;
        self.pristine = false;
        let mut env = self.environment.clone();
        env.extend(command.env.clone());
        let request = ExecRequest {
            argv: command.argv.clone(),
            env,
            folder: command.folder.clone(),
            processes: self.spec.limits.processes,
            open_files: self.spec.limits.open_files,
            file_bytes: self.spec.limits.file_bytes,
        };
        let began = Instant::now();
        let stop = Arc::clone(&self.stop);
        let sent = self.live()?.link.ask(&Ask::Exec(request), &stop);
        self.lost(sent)?;
        let mut passing = Passing::new(output, command.output_limit, began);
        let container = self.container.as_mut().ok_or_else(gone)?;
        let attended = attend(
            container,
            &self.shared,
            &self.spec.limits,
            &mut self.disk,
            &stop,
            command,
            &mut passing,
        );
        let truncated = passing.truncated;
        let wall = began.elapsed();
        let (ended, killed) = self.lost(attended)?;
        let status = match killed {
            Some(Killed::Stopped) => return Err(SandboxError::Interrupted),
            Some(Killed::HostDisk { free }) => return Err(SandboxError::HostDiskFull { free_mib: free >> 20 }),
            Some(Killed::Wall) => Status::TimedOut(TimeoutKind::Wall),
            Some(Killed::Idle) => Status::TimedOut(TimeoutKind::Idle),
            Some(Killed::Disk) => Status::DiskLimit,
            None if self.is_over_disk()? => Status::DiskLimit,
            None => match (ended.code, ended.signal) {
                (Some(code), _) => Status::Exited(code),
                (None, signal) => Status::Signaled(signal.unwrap_or(libc::SIGKILL)),
            },
        };
        Ok(Execution {
            status,
            wall,
            cpu: Duration::from_micros(ended.cpu_us),
            peak_kib: ended.peak_kib,
            truncated_bytes: truncated,
            memory_kills: ended.memory_kills,
        })
    }

    fn write_tree(&mut self, folder: &str, tar: &mut dyn Read) -> Result<(), SandboxError> {
        self.check_host()?;
        self.pristine = false;
        let folder = folder.to_owned();
        self.store(FileRequest::WriteTree { folder }, tar)
    }

    fn read_tree(&mut self, path: &str, tar: &mut dyn Write) -> Result<(), SandboxError> {
        let mut written = Ok(());
        let path = path.to_owned();
        self.fetch(&Ask::Files(FileRequest::ReadTree { path }), &mut |bytes| {
            if written.is_ok() {
                written = tar.write_all(bytes);
            }
        })?;
        written.map_err(io_error("reading files from a box"))
    }

    fn write_file(&mut self, path: &str, content: &[u8], mode: u32) -> Result<(), SandboxError> {
        self.check_host()?;
        self.pristine = false;
        self.put(path, content, mode)
    }

    fn read_file(&mut self, path: &str, limit: u64) -> Result<FileContent, SandboxError> {
        let mut bytes = Vec::new();
        let request = FileRequest::ReadFile {
            path: path.to_owned(),
            limit,
        };
        self.fetch(&Ask::Files(request), &mut |part| bytes.extend_from_slice(part))?;
        let Some((size, content)) = bytes.split_first_chunk::<8>() else {
            return Err(SandboxError::NoSuchFile(path.to_owned()));
        };
        Ok(FileContent {
            bytes: content.to_vec(),
            size: u64::from_le_bytes(*size),
        })
    }

    fn snapshot(&mut self) -> Result<Snapshot, SandboxError> {
        let listing = self.listing()?;
        let mounted = self.mounted()?;
        let image = match self.snapshots.same(&listing) {
            Some(image) => image,
            None if self.pristine => self.snapshots.base(),
            None => {
                let name = self.live()?.name.clone();
                let daemon = &self.shared.daemon;
                let frozen = daemon.commit(&name, self.shared.labels())?;
                Arc::new(Frozen {
                    name: frozen,
                    own: true,
                    daemon: Arc::clone(daemon),
                })
            }
        };
        Ok(self.snapshots.add(listing, image, mounted, self.disk.sum()))
    }

    fn rollback(&mut self, snapshot: &Snapshot) -> Result<(), SandboxError> {
        let state = self.snapshots.state(*snapshot)?;
        self.live()?;
        let entered = self.enter(&state.image).and_then(|()| self.restore(&state));
        self.lost(entered)?;
        let listing = self.listing()?;
        self.snapshots.gone_back(*snapshot, listing, state.image)
    }

    fn changes(&mut self, since: &Snapshot) -> Result<Vec<Change>, SandboxError> {
        let now = self.listing()?;
        let before = self.snapshots.since(*since, &now)?;
        let found = difference(&before, &now);
        let mut paths = Vec::new();
        for path in &found.present {
            paths.extend_from_slice(&(path.len() as u32).to_le_bytes());
            paths.extend_from_slice(path);
        }
        let mut lines = Vec::new();
        self.send(&Ask::Describe, &mut &paths[..], &mut |part| {
            lines.extend_from_slice(part);
        })?;
        let kinds = serde_json::Deserializer::from_slice(&lines).into_iter::<Option<ChangeKind>>();
        let mut changes = Vec::new();
        for (path, kind) in found.present.iter().zip(kinds) {
            let kind = kind.map_err(|error| io_error("what changed in a box")(error.into()))?;
            if let Some(kind) = kind {
                changes.push(change(path, kind));
            }
        }
        changes.extend(found.deleted.iter().map(|path| change(path, ChangeKind::Deleted)));
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(changes)
    }

    fn fork(&mut self, snapshot: &Snapshot) -> Result<Box<dyn Sandbox>, SandboxError> {
        let network = self.spec.network.clone();
        self.fork_with(snapshot, &network)
    }

    fn fork_with(&mut self, snapshot: &Snapshot, network: &Network) -> Result<Box<dyn Sandbox>, SandboxError> {
        let state = self.snapshots.state(*snapshot)?;
        self.live()?;
        let spec = BoxSpec {
            network: network.clone(),
            ..self.spec.clone()
        };
        let mut other = Self::start(Arc::clone(&self.shared), &spec, &state.image)?;
        other.restore(&state)?;
        Ok(Box::new(other))
    }

    fn image(&self) -> Digest {
        self.spec.image
    }

    fn stopper(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }
}

fn change(path: &[u8], kind: ChangeKind) -> Change {
    let path = shown(path);
    Change {
        before: Before::Unknown,
        ..Change::new(path, kind)
    }
}
