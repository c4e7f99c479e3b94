//! Requests to the daemon. Callers wait for the answers: the crate's callers are threads, and the futures of the client
//! run on a thread of this value's own.

use std::{
    collections::HashMap,
    future::Future,
    io::{self, Read},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread::JoinHandle,
    time::Duration,
};

use bollard::{
    API_DEFAULT_VERSION, Docker,
    container::{AttachContainerResults, LogOutput},
    errors::Error,
    models::{ContainerConfig, ContainerCreateBody},
    query_parameters::{
        AttachContainerOptions, CommitContainerOptions, CreateContainerOptions, CreateImageOptions,
        InspectContainerOptions, ListContainersOptions, ListImagesOptions, RemoveContainerOptions, RemoveImageOptions,
    },
};
use futures_util::{StreamExt, stream};
use tokio::{
    io::{AsyncWriteExt, copy},
    runtime::{Builder, Handle, Runtime},
    sync::mpsc as channel,
};

use super::link::Link;
use crate::{Finding, FindingOk, SandboxError, native::io_error};

/// Seconds that one request may take. Freezing a large tree takes long.
const PATIENCE: u64 = 900;
/// Bytes of an agent's complaints that are kept.
const COMPLAINTS: usize = 4096;

/// What is removed in the background.
enum Chore {
    Container(String),
    Image(String),
    /// Nothing is removed; somebody waits for what was asked for before.
    Tell(mpsc::Sender<()>),
}

/// A daemon's socket.
#[derive(Debug)]
pub(super) struct Daemon {
    docker: Docker,
    socket: PathBuf,
    handle: Handle,
    chores: Option<mpsc::Sender<Chore>>,
    thread: Option<JoinHandle<()>>,
    runtime: Option<Runtime>,
}

impl Daemon {
    /// Finds out whether a daemon listens, and which version of the API it speaks.
    pub(super) fn connect(socket: &Path) -> Result<Self, SandboxError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("docker")
            .enable_all()
            .build()
            .map_err(io_error("a thread for requests to the daemon"))?;
        let path = socket.to_str().unwrap_or_default();
        let docker =
            Docker::connect_with_unix(path, PATIENCE, API_DEFAULT_VERSION).map_err(|error| away(socket, &error))?;
        let docker = runtime
            .block_on(docker.negotiate_version())
            .map_err(|error| away(socket, &error))?;
        let (chores, waiting) = mpsc::channel();
        let (client, handle) = (docker.clone(), runtime.handle().clone());
        let worker = handle.clone();
        let thread = std::thread::spawn(move || {
            for chore in waiting {
                // What cannot be removed now is found by the next sweep.
                worker.block_on(do_chore(&client, &chore));
            }
        });
        Ok(Self {
            docker,
            socket: socket.to_owned(),
            handle,
            chores: Some(chores),
            thread: Some(thread),
            runtime: Some(runtime),
        })
    }

    fn wait<T>(&self, what: &str, answer: impl Future<Output = Result<T, Error>>) -> Result<T, SandboxError> {
        self.handle.block_on(answer).map_err(|error| self.refused(what, &error))
    }

    fn refused(&self, what: &str, error: &Error) -> SandboxError {
        match error {
            Error::DockerResponseServerError { message, .. } => SandboxError::Daemon {
                what: what.to_owned(),
                reason: format!("the daemon at {} says: {}", self.socket.display(), message.trim()),
                hint: "run `seatrial doctor` to see what this daemon is".to_owned(),
            },
            error => away(&self.socket, error),
        }
    }

    /// Makes a container, starts it and opens the conversation with its agent.
    pub(super) fn start(&self, name: &str, config: ContainerCreateBody) -> Result<Link, SandboxError> {
        let options = CreateContainerOptions {
            name: Some(name.to_owned()),
            ..CreateContainerOptions::default()
        };
        self.wait(
            "making a container",
            self.docker.create_container(Some(options), config),
        )?;
        let options = AttachContainerOptions {
            stream: true,
            stdin: true,
            stdout: true,
            stderr: true,
            ..AttachContainerOptions::default()
        };
        let attached = self.wait(
            "attaching to a container",
            self.docker.attach_container(name, Some(options)),
        )?;
        let link = self.bridge(attached).map_err(io_error("a socket"))?;
        self.wait("starting a container", self.docker.start_container(name, None))?;
        Ok(link)
    }

    /// Passes an attached container's streams on to a socket that can be waited for without the client's futures.
    fn bridge(&self, attached: AttachContainerResults) -> io::Result<Link> {
        let (ours, theirs) = UnixStream::pair()?;
        theirs.set_nonblocking(true)?;
        let _entered = self.handle.enter();
        let (mut asked, mut told) = tokio::net::UnixStream::from_std(theirs)?.into_split();
        let AttachContainerResults { mut output, mut input } = attached;
        let complaints = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&complaints);
        self.handle.spawn(async move {
            while let Some(Ok(said)) = output.next().await {
                match said {
                    LogOutput::StdOut { message } => {
                        if told.write_all(&message).await.is_err() {
                            break;
                        }
                    }
                    LogOutput::StdErr { message } | LogOutput::StdIn { message } | LogOutput::Console { message } => {
                        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                        if kept.len() < COMPLAINTS {
                            kept.push_str(&String::from_utf8_lossy(&message));
                        }
                    }
                }
            }
            drop(told.shutdown().await);
        });
        self.handle.spawn(async move {
            drop(copy(&mut asked, &mut input).await);
            // The agent sees the end of its input and ends.
            drop(input.shutdown().await);
        });
        Link::new(ours, complaints)
    }

    /// Ends a container and removes it, in the background.
    pub(super) fn discard_container(&self, name: String) {
        self.discard(Chore::Container(name));
    }

    /// Removes an image, in the background, after the containers that were discarded before.
    pub(super) fn discard_image(&self, name: String) {
        self.discard(Chore::Image(name));
    }

    /// Waits until all that was discarded so far is removed.
    pub(super) fn settle(&self) {
        let (told, done) = mpsc::channel();
        self.discard(Chore::Tell(told));
        // An error says that nobody removes anything any more.
        let _ = done.recv();
    }

    fn discard(&self, chore: Chore) {
        if let Some(chores) = &self.chores {
            // The thread lives as long as the queue.
            drop(chores.send(chore));
        }
    }

    /// Ends a container and removes it, now.
    pub(super) fn end(&self, name: &str) {
        self.handle
            .block_on(do_chore(&self.docker, &Chore::Container(name.to_owned())));
    }

    /// Freezes a container's files as an image, and returns its identifier.
    pub(super) fn commit(&self, name: &str, labels: HashMap<String, String>) -> Result<String, SandboxError> {
        let options = CommitContainerOptions {
            container: Some(name.to_owned()),
            // No command runs, and only the agent's own process would be stopped.
            pause: false,
            ..CommitContainerOptions::default()
        };
        let config = ContainerConfig {
            labels: Some(labels),
            ..ContainerConfig::default()
        };
        let answer = self.wait(
            "freezing a container's files",
            self.docker.commit_container(options, config),
        )?;
        Ok(answer.id)
    }

    /// Whether the daemon has an image.
    pub(super) fn has_image(&self, name: &str) -> Result<bool, SandboxError> {
        match self.handle.block_on(self.docker.inspect_image(name)) {
            Ok(_) => Ok(true),
            Err(Error::DockerResponseServerError { status_code: 404, .. }) => Ok(false),
            Err(error) => Err(self.refused("asking for an image", &error)),
        }
    }

    /// Makes an image from a tar stream of a root file system.
    pub(super) fn import(
        &self,
        tar: impl Read + Send + 'static,
        repository: &str,
        tag: &str,
        labels: &[(&str, String)],
    ) -> Result<(), SandboxError> {
        let options = CreateImageOptions {
            from_src: Some("-".to_owned()),
            repo: Some(repository.to_owned()),
            tag: Some(tag.to_owned()),
            changes: labels
                .iter()
                .map(|(name, value)| format!("LABEL {name}={value}"))
                .collect(),
            ..CreateImageOptions::default()
        };
        let body = bollard::body_try_stream(blocks(tar));
        let answers = self.docker.create_image(Some(options), Some(body), None);
        let import = async {
            let mut answers = std::pin::pin!(answers);
            while let Some(answer) = answers.next().await {
                answer?;
            }
            Ok(())
        };
        self.wait("importing an image into the daemon", import)
    }

    /// Asks how many bytes a container has written, without waiting for the answer.
    pub(super) fn measure(&self, name: &str) -> mpsc::Receiver<Option<u64>> {
        let (answer, receiver) = mpsc::channel();
        let (docker, name) = (self.docker.clone(), name.to_owned());
        self.handle.spawn(async move {
            let options = InspectContainerOptions { size: true };
            let told = docker.inspect_container(&name, Some(options)).await;
            let size = told
                .ok()
                .and_then(|told| told.size_rw)
                .and_then(|size| u64::try_from(size).ok());
            // Whoever asked may have gone on without the answer.
            let _ = answer.send(size);
        });
        receiver
    }

    /// Names of containers, running or not, that carry a label, with the value of another one.
    pub(super) fn containers(&self, label: &str, wanted: &str) -> Result<Vec<(String, String)>, SandboxError> {
        let options = ListContainersOptions {
            all: true,
            filters: Some(HashMap::from([("label".to_owned(), vec![label.to_owned()])])),
            ..ListContainersOptions::default()
        };
        let listed = self.wait("listing containers", self.docker.list_containers(Some(options)))?;
        let of_interest = listed.into_iter().filter_map(|container| {
            let value = container.labels?.remove(wanted)?;
            Some((container.id?, value))
        });
        Ok(of_interest.collect())
    }

    /// The same of images.
    pub(super) fn images(&self, label: &str, wanted: &str) -> Result<Vec<(String, String)>, SandboxError> {
        let options = ListImagesOptions {
            filters: Some(HashMap::from([("label".to_owned(), vec![label.to_owned()])])),
            ..ListImagesOptions::default()
        };
        let listed = self.wait("listing images", self.docker.list_images(Some(options)))?;
        let of_interest = listed.into_iter().filter_map(|mut image| {
            let value = image.labels.remove(wanted)?;
            Some((image.id, value))
        });
        Ok(of_interest.collect())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.chores = None;
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_secs(1));
        }
    }
}

async fn do_chore(docker: &Docker, chore: &Chore) {
    match chore {
        Chore::Container(name) => {
            let options = RemoveContainerOptions {
                force: true,
                v: true,
                ..RemoveContainerOptions::default()
            };
            drop(docker.remove_container(name, Some(options)).await);
            // The daemon removes it by itself as soon as it ends, and then the request above finds it being removed.
            for _ in 0..200 {
                if docker.inspect_container(name, None).await.is_err() {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        Chore::Tell(somebody) => {
            // Who has stopped waiting need not be told.
            let _ = somebody.send(());
        }
        Chore::Image(name) => {
            let options = RemoveImageOptions {
                force: true,
                ..RemoveImageOptions::default()
            };
            drop(docker.remove_image(name, Some(options), None).await);
        }
    }
}

fn away(socket: &Path, error: &Error) -> SandboxError {
    SandboxError::Daemon {
        what: format!("the daemon at {}", socket.display()),
        reason: error.to_string(),
        hint:
            "start it (`systemctl start docker`, or `podman system service --time=0`), make sure that you may use its \
               socket, or take the native back end, which needs no daemon"
                .to_owned(),
    }
}

/// What a reader gives, block by block.
fn blocks(
    mut from: impl Read + Send + 'static,
) -> impl stream::Stream<Item = io::Result<bytes::Bytes>> + Send + 'static {
    let (sender, receiver) = channel::channel(4);
    std::thread::spawn(move || {
        loop {
            let mut block = vec![0; 256 << 10];
            let (item, last) = match from.read(&mut block) {
                Ok(0) => return,
                Ok(count) => {
                    block.truncate(count);
                    (Ok(bytes::Bytes::from(block)), false)
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => (Err(error), true),
            };
            if sender.blocking_send(item).is_err() || last {
                return;
            }
        }
    });
    stream::unfold(receiver, |mut receiver| async move {
        receiver.recv().await.map(|item| (item, receiver))
    })
}

/// Looks at the daemon behind a socket: whether it answers, what it is, and what boxes in it are worth.
pub fn probe_daemon(socket: &Path) -> Finding {
    let name = "docker or podman".to_owned();
    let how = "the daemon behind the socket was asked what it is".to_owned();
    let told = Daemon::connect(socket).and_then(|daemon| {
        let version = daemon.wait("asking for the version", daemon.docker.version())?;
        let info = daemon.wait("asking what the daemon is", daemon.docker.info())?;
        Ok((version, info))
    });
    let (version, info) = match told {
        Ok(told) => told,
        Err(error) => {
            return Finding {
                name,
                ok: FindingOk::Partly,
                how,
                detail: format!(
                    "no daemon answers at {}; `--backend docker` needs one",
                    socket.display()
                ),
                remedy: format!("nothing to do unless you want that back end; {error}"),
            };
        }
    };
    let kind = version
        .components
        .unwrap_or_default()
        .into_iter()
        .next()
        .map_or_else(|| "Docker".to_owned(), |component| component.name);
    let security = info.security_options.unwrap_or_default();
    let is = |word: &str| security.iter().any(|option| option.contains(word));
    let mut facts = vec![
        format!("{kind} {} at {}", version.version.unwrap_or_default(), socket.display()),
        format!("storage driver {}", info.driver.unwrap_or_default()),
        if is("rootless") {
            "rootless"
        } else {
            "with the machine's root"
        }
        .to_owned(),
        format!(
            "control groups version {}",
            info.cgroup_version
                .map_or_else(|| "unknown".to_owned(), |known| known.to_string())
        ),
    ];
    if !is("seccomp") {
        facts.push("no system call filter of its own".to_owned());
    }
    let root = !is("rootless") && !is("userns");
    Finding {
        name,
        ok: if root { FindingOk::Partly } else { FindingOk::Yes },
        how,
        detail: facts.join(", "),
        remedy: if root {
            "root in its containers is the machine's root with fewer rights; a rootless daemon, or the native back end, keeps them apart".to_owned()
        } else {
            String::new()
        },
    }
}
