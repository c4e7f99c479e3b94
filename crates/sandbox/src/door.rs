//! What a back end asks of a network door. The door itself is not here: whoever makes boxes brings one.

use std::{
    collections::BTreeMap,
    fmt::Debug,
    io,
    net::{Ipv4Addr, TcpListener, UdpSocket},
};

/// The one address, besides the loopback device's, that a box with a door has. The block is set aside for test networks
/// (RFC 2544), so no real host is shadowed; and it is no loopback address, because resolvers ask for no address at all
/// where there are only those.
pub const DOOR_ADDRESS: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 1);

/// The name under which a box with a door asks this machine itself, since `localhost` there is the box. It leads to the
/// loopback address, for the ports that a list writes out with it; the domain is set aside for private use.
pub const DOOR_HOST: &str = "host.seatrial.internal";

/// The one way out of a box. The back end opens the sockets inside the box's own network namespace, which has no other
/// route, and hands them over.
///
/// Names are answered by the door with [`DOOR_ADDRESS`], so a program reaches it without knowing of it: no proxy
/// variables are needed.
pub trait Door: Debug + Send + Sync {
    /// The TCP ports to listen on.
    fn ports(&self) -> Vec<u16>;

    /// Variables that every command gets.
    fn environment(&self) -> BTreeMap<String, String>;

    /// Files to lay over the image's, by absolute path: above all the certificates to trust. `of_image` reads a regular
    /// file of the image.
    fn files(&self, of_image: &dyn Fn(&str) -> Option<Vec<u8>>) -> BTreeMap<String, Vec<u8>>;

    /// Begins to serve a box. When what it returns is dropped, the sockets are closed and every request has ended.
    fn open(&self, sockets: DoorSockets) -> io::Result<Box<dyn OpenDoor>>;
}

/// Serves a box as long as it lives.
pub trait OpenDoor: Send {}

/// The sockets of one box's door, all bound to [`DOOR_ADDRESS`].
#[derive(Debug)]
pub struct DoorSockets {
    /// Listening sockets with their port, as [`Door::ports`] named them.
    pub tcp: Vec<(u16, TcpListener)>,
    /// The resolver's port for datagrams.
    pub dns_udp: UdpSocket,
    /// The resolver's port for streams.
    pub dns_tcp: TcpListener,
}
