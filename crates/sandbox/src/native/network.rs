//! The network namespace of a box: its loopback device, and the sockets of its door.

use std::{
    io,
    net::{Ipv4Addr, SocketAddrV4, TcpListener, UdpSocket},
    os::fd::{AsFd, AsRawFd, OwnedFd},
};

use rustix::net::{AddressFamily, SocketType, bind, listen, socket, sockopt};

use super::supervisor::{Failure, What};
use crate::DOOR_ADDRESS;

/// Where resolvers are asked.
const DNS_PORT: u16 = 53;
/// Connections that may wait to be taken.
const BACKLOG: i32 = 1024;

/// Sets up the namespace that this process has just entered; returns the door's sockets in the order that
/// [`StartRequest::door`](super::wire::StartRequest::door) tells.
pub(crate) fn set_up(door: Option<&[u16]>) -> Result<Vec<OwnedFd>, Failure> {
    let Some(ports) = door else {
        loopback(None).what("the loopback device")?;
        return Ok(Vec::new());
    };
    loopback(Some(DOOR_ADDRESS)).what("the loopback device")?;
    let mut sockets = Vec::with_capacity(ports.len() + 2);
    for port in ports {
        sockets.push(listener(*port).what(format!("the door's port {port}"))?);
    }
    let datagrams = UdpSocket::bind((DOOR_ADDRESS, DNS_PORT)).what("the resolver's port")?;
    sockets.push(datagrams.into());
    sockets.push(listener(DNS_PORT).what("the resolver's port")?);
    Ok(sockets)
}

fn listener(port: u16) -> io::Result<OwnedFd> {
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None)?;
    sockopt::set_socket_reuseaddr(&socket, true)?;
    bind(&socket, &SocketAddrV4::new(DOOR_ADDRESS, port))?;
    listen(&socket, BACKLOG)?;
    Ok(TcpListener::from(socket).into())
}

/// Brings the loopback device up, with a second address where one is given.
fn loopback(second: Option<Ipv4Addr>) -> io::Result<()> {
    let socket = socket(AddressFamily::INET, SocketType::DGRAM, None)?;
    let up = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    configure(&socket, b"lo", libc::SIOCSIFFLAGS, |data| data.ifru_flags = up)?;
    let Some(address) = second else { return Ok(()) };
    let address = libc::sockaddr_in {
        sin_family: libc::AF_INET as libc::sa_family_t,
        sin_port: 0,
        sin_addr: libc::in_addr {
            s_addr: u32::from(address).to_be(),
        },
        sin_zero: [0; 8],
    };
    configure(&socket, b"lo:0", libc::SIOCSIFADDR, |data| {
        // SAFETY: both are plain data, an internet address is no larger than a general one, and the general one has
        // room for it.
        unsafe {
            std::ptr::from_mut(&mut data.ifru_addr)
                .cast::<libc::sockaddr_in>()
                .write_unaligned(address);
        }
    })
}

fn configure(
    socket: impl AsFd,
    name: &[u8],
    code: libc::Ioctl,
    fill: impl FnOnce(&mut libc::__c_anonymous_ifr_ifru),
) -> io::Result<()> {
    // SAFETY: the structure is plain data, for which zeros are a value.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (place, byte) in request.ifr_name.iter_mut().zip(name) {
        *place = libc::c_char::from_ne_bytes([*byte]);
    }
    fill(&mut request.ifr_ifru);
    // SAFETY: both codes take a `struct ifreq`, which outlives the call.
    let result = unsafe { libc::ioctl(socket.as_fd().as_raw_fd(), code, &raw const request) };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}
