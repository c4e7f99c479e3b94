//! The sockets of a network door: opened by the agent inside the container's network namespace, handed to the harness
//! through a socket in a folder that both see. That needs no right of the harness but to use the daemon; the agent gets
//! the right to set up its network for this, and gives it up before the first command.

use std::{
    io,
    os::{
        fd::{AsFd, AsRawFd, OwnedFd},
        unix::{
            fs::PermissionsExt,
            net::{UnixListener, UnixStream},
        },
    },
    path::{Path, PathBuf},
    time::Duration,
};

use fs_err as fs;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities},
};
use tempfile::TempDir;

use crate::{
    SandboxError,
    native::{Channel, Reply, io_error, open_folder, set_up_network},
};

/// Where the folder with the socket is mounted in a container.
pub(super) const PLACE: &str = "/dev/.seatrial-door";
/// The socket's name.
const SOCKET: &str = "socket";
/// The capability that sets up a network.
pub(super) const NET_ADMIN: u32 = 12;

/// Opens the sockets, hands them over and gives up the right to do so again. Runs in the agent.
pub(super) fn send_sockets(ports: &[u16]) -> io::Result<()> {
    let sockets = set_up_network(Some(ports))
        .map_err(|failure| io::Error::new(failure.source.kind(), format!("{}: {}", failure.what, failure.source)))?;
    let harness = UnixStream::connect(format!("{PLACE}/{SOCKET}"))?;
    let sent: Vec<_> = sockets.iter().map(AsFd::as_fd).collect();
    Channel::new(harness).send(&Reply::Done, &sent)?;
    let given = CapabilitySet::NET_ADMIN;
    let held = capabilities(None)?;
    set_capabilities(
        None,
        CapabilitySets {
            effective: held.effective - given,
            permitted: held.permitted - given,
            inheritable: held.inheritable - given,
        },
    )?;
    // SAFETY: a plain system call.
    if unsafe { libc::prctl(libc::PR_CAPBSET_DROP, libc::c_ulong::from(NET_ADMIN), 0, 0, 0) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// The harness's side: a socket in a folder of its own.
pub(super) struct Meeting {
    /// Closed to other users, who would have to pass through it.
    _closed: TempDir,
    folder: PathBuf,
    listener: UnixListener,
}

impl Meeting {
    /// Makes the folder below another one, and the socket in it.
    pub(super) fn new(room: &Path) -> Result<Self, SandboxError> {
        let failed = || io_error("a socket to meet the container at");
        let closed = tempfile::Builder::new()
            .prefix("door-")
            .permissions(std::fs::Permissions::from_mode(0o700))
            .tempdir_in(room)
            .map_err(failed())?;
        let folder = closed.path().join("open");
        fs::create_dir(&folder).map_err(failed())?;
        fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).map_err(failed())?;
        // The kernel takes only short paths for sockets, and the data folder may be anywhere.
        let opened = open_folder(&folder)?;
        let short = format!("/proc/self/fd/{}/{SOCKET}", opened.as_raw_fd());
        let listener = UnixListener::bind(short).map_err(failed())?;
        // Root in a container may be anybody outside. Nobody else gets at it: the folder above is the user's own.
        fs::set_permissions(folder.join(SOCKET), std::fs::Permissions::from_mode(0o666)).map_err(failed())?;
        Ok(Self {
            _closed: closed,
            folder,
            listener,
        })
    }

    /// The folder to mount at [`PLACE`].
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Takes the sockets that the agent has sent, and closes the meeting.
    pub(super) fn receive(self) -> Result<Vec<OwnedFd>, SandboxError> {
        let none = || SandboxError::Died("it sent no sockets for its door".to_owned());
        let patience = Timespec { tv_sec: 10, tv_nsec: 0 };
        let ready = poll(&mut [PollFd::new(&self.listener, PollFlags::IN)], Some(&patience));
        if ready != Ok(1) {
            return Err(none());
        }
        let (stream, _) = self.listener.accept().map_err(io_error("the container's door"))?;
        stream
            .set_read_timeout(Some(Duration::from_secs(10)))
            .map_err(io_error("the container's door"))?;
        let answer = Channel::new(stream).receive::<Reply>();
        let (_, sockets) = answer.map_err(io_error("the container's door"))?.ok_or_else(none)?;
        Ok(sockets)
    }
}
