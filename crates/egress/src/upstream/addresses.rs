//! Which addresses a door may connect to on behalf of a box.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use crate::policy::Reach;

/// The reach that a connection to this address needs.
pub(crate) fn needs(address: IpAddr) -> Reach {
    let kind = match address {
        IpAddr::V4(address) => of_v4(address),
        IpAddr::V6(address) => of_v6(address),
    };
    if kind != Reach::Own && is_of_this_machine(address) {
        return Reach::Own;
    }
    kind
}

fn of_v4(address: Ipv4Addr) -> Reach {
    let [a, b, c, _] = address.octets();
    let own = address.is_unspecified()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_multicast()
        || a == 0
        // Served by the host of a virtual machine, whatever network that is in.
        || address == Ipv4Addr::new(168, 63, 129, 16);
    let private = address.is_private()
        // Shared by a provider's customers.
        || (a == 100 && (64..128).contains(&b))
        // Protocol assignments, and test networks between devices: a door's own address is one of the latter.
        || (a == 192 && b == 0 && c == 0)
        || (a == 198 && (b == 18 || b == 19))
        || a >= 240;
    match (own, private) {
        (true, _) => Reach::Own,
        (_, true) => Reach::Private,
        _ => Reach::Public,
    }
}

fn of_v6(address: Ipv6Addr) -> Reach {
    let segments = address.segments();
    let [.., high, low] = segments;
    let inner = || Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match segments {
        // Before what carries an older address, which these two would be.
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => Reach::Own,
        // The older address written in the newer way, or behind a translator.
        [0, 0, 0, 0, 0, 0 | 0xffff, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] => of_v4(inner()),
        // Translators of a network's own, and tunnels: they carry an address that nobody can look at here.
        [0x64, 0xff9b, 1, ..] | [0x2002, ..] | [0x2001, 0, ..] => Reach::Private,
        [first, ..] if first & 0xffc0 == 0xfe80 || first & 0xff00 == 0xff00 => Reach::Own,
        [first, ..] if first & 0xfe00 == 0xfc00 || first & 0xffc0 == 0xfec0 => Reach::Private,
        _ => Reach::Public,
    }
}

/// Whether the kernel would deliver to itself: it then picks the very address as the source. Nothing is sent.
fn is_of_this_machine(address: IpAddr) -> bool {
    let any: SocketAddr = match address {
        IpAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        IpAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let source = UdpSocket::bind(any).and_then(|socket| {
        socket.connect((address, 9))?;
        socket.local_addr()
    });
    source.is_ok_and(|source| source.ip() == address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_addresses_are_told_from_public_ones() {
        let cases = [
            ("127.0.0.1", Reach::Own),
            ("127.255.1.2", Reach::Own),
            ("0.0.0.0", Reach::Own),
            ("0.1.2.3", Reach::Own),
            ("169.254.169.254", Reach::Own),
            ("168.63.129.16", Reach::Own),
            ("224.0.0.1", Reach::Own),
            ("255.255.255.255", Reach::Own),
            ("::", Reach::Own),
            ("::1", Reach::Own),
            ("fe80::1", Reach::Own),
            ("ff02::1", Reach::Own),
            ("::ffff:127.0.0.1", Reach::Own),
            ("::127.0.0.1", Reach::Own),
            ("64:ff9b::7f00:1", Reach::Own),
            ("::ffff:169.254.169.254", Reach::Own),
            ("10.0.0.1", Reach::Private),
            ("172.16.0.1", Reach::Private),
            ("172.31.255.255", Reach::Private),
            ("192.168.1.1", Reach::Private),
            ("100.64.0.1", Reach::Private),
            ("100.100.100.200", Reach::Private),
            ("192.0.0.192", Reach::Private),
            ("198.18.0.1", Reach::Private),
            ("240.0.0.1", Reach::Private),
            ("fd00:ec2::254", Reach::Private),
            ("fec0::1", Reach::Private),
            ("::ffff:10.0.0.1", Reach::Private),
            ("2002:7f00:1::", Reach::Private),
            ("2001::1", Reach::Private),
            ("64:ff9b:1::1", Reach::Private),
            ("172.32.0.1", Reach::Public),
            ("100.128.0.1", Reach::Public),
            ("8.8.8.8", Reach::Public),
            ("::ffff:8.8.8.8", Reach::Public),
            ("2606:4700::1111", Reach::Public),
            ("2001:4860::8888", Reach::Public),
        ];
        for (text, expected) in cases {
            let kind = match text.parse().unwrap() {
                IpAddr::V4(address) => of_v4(address),
                IpAddr::V6(address) => of_v6(address),
            };
            assert_eq!(kind, expected, "{text}");
        }
    }

    #[test]
    fn an_address_of_a_device_of_this_machine_is_its_own() {
        // The loopback network is this machine's, whichever of its addresses a device has.
        assert!(is_of_this_machine(IpAddr::V4(Ipv4Addr::LOCALHOST)));
        assert!(!is_of_this_machine("203.0.113.77".parse().unwrap()));
    }
}
