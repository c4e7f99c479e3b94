//! What a box may try, and what it gets.

use std::{
    net::{TcpListener, UdpSocket},
    sync::Arc,
    time::Duration,
};

use expect_test::expect;
use seatrial_egress::{AllowList, DoorSpec, Policy, Proxies};

use crate::support::{House, hasty, list, world::World};

#[test]
fn what_is_not_allowed_is_refused_in_words_over_http_and_https() {
    let (house, world) = (House::new(), World::new());
    let door = house.door(Policy::Allow(list(&["example.org", "*.example.net:8080/pub"])));
    let plain = door.connect(80).get("forge.example", "/a/b?c=d", "");
    let secure = door
        .connect_tls(443, "forge.example")
        .get("forge.example", "/a/b?c=d", "");
    assert_eq!((plain.status, plain.header("x-seatrial-door")), (403, Some("refused")));
    assert_eq!(plain.phrase, "Refused by Seatrial: GET http://forge.example/a/b?c=d");
    assert_eq!(secure.phrase, "Refused by Seatrial: GET https://forge.example/a/b?c=d");
    expect![[r"
        Refused by Seatrial: GET https://forge.example/a/b?c=d
        Why: `forge.example` is not on the list of what is allowed.
        Policy of this box: allow. Allowed: example.org, *.example.net:8080/pub.
        What to do: trying again will not help. Use what is allowed, or what is in the box already. Whoever runs this can add the host to the list of what is allowed.
    "]]
    .assert_eq(&secure.text());
    let told = door.close();
    assert_eq!(
        told,
        [
            "refused GET http://forge.example/a/b?c=d: `forge.example` is not on the list of what is allowed",
            "refused GET https://forge.example/a/b?c=d: `forge.example` is not on the list of what is allowed",
        ]
    );
    drop(world);
}

#[test]
fn a_request_cannot_hide_what_it_is_for() {
    let (house, world) = (House::new(), World::new());
    let (allowed, port) = (world.http.authority(), world.http.port);
    let (secure, secure_port) = (world.https.authority(), world.https.port);
    let door = house.door(Policy::Allow(world.list()));

    // TLS for an allowed host, and a request within for another one; and the other way round.
    let inner = door
        .connect_tls(secure_port, "localhost")
        .get(&format!("evil.example:{secure_port}"), "/", "");
    assert_eq!(inner.status, 403);
    assert!(
        inner
            .text()
            .contains("the TLS connection is for `localhost`, the request within is for `evil.example`")
    );
    assert_eq!(
        door.connect_tls(secure_port, "evil.example")
            .get(&secure, "/plain", "")
            .status,
        403
    );
    // The same within a tunnel.
    let mut tunnel = door.connect(80);
    tunnel.send(format!("CONNECT {allowed} HTTP/1.1\r\nHost: {allowed}\r\n\r\n"));
    assert_eq!(tunnel.reply_to("CONNECT").status, 200);
    assert_eq!(tunnel.get(&format!("evil.example:{port}"), "/plain", "").status, 403);
    let mut tunnel = door.connect(80);
    tunnel.send(format!("CONNECT {secure} HTTP/1.1\r\nHost: {secure}\r\n\r\n"));
    assert_eq!(tunnel.reply_to("CONNECT").status, 200);
    assert!(tunnel.try_tls("evil.example", &door.authority).is_err());
    // A tunnel to what is not allowed opens, and what goes through it is refused in words.
    let mut tunnel = door.connect(80);
    tunnel.send("CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n");
    assert_eq!(tunnel.reply_to("CONNECT").status, 200);
    let mut tunnel = tunnel.tls("evil.example", &door.authority);
    assert_eq!(tunnel.get("evil.example", "/", "").status, 403);

    // Each of these is for nobody, or for two.
    for head in [
        "GET / HTTP/1.1\r\n".to_owned(),
        format!("GET / HTTP/1.1\r\nHost: {allowed}\r\nHost: evil.example\r\n"),
        format!("GET / HTTP/1.1\r\nHost: {allowed}@evil.example\r\n"),
        format!("GET / HTTP/1.1\r\nHost: {allowed}/evil.example\r\n"),
        "GET / HTTP/1.1\r\nHost: \r\n".to_owned(),
        format!("GET http://{allowed}@evil.example/ HTTP/1.1\r\nHost: {allowed}\r\n"),
        "GET ftp://localhost/ HTTP/1.1\r\nHost: localhost\r\n".to_owned(),
        // For another port than it came to: the header must not lead to a port that is not listened on.
        format!("GET / HTTP/1.1\r\nHost: localhost:{secure_port}\r\n"),
        "CONNECT localhost HTTP/1.1\r\nHost: localhost\r\n".to_owned(),
        format!("TRACE / HTTP/1.1\r\nHost: {allowed}\r\n"),
        // The header of one request in that of another.
        format!("GET / HTTP/1.1\r\nHost: {allowed}\r\nX: a\0b\r\n"),
        format!("GET / HTTP/1.1\r\nHost: {allowed}\r\nContent-Length: 3\r\nContent-Length: 4\r\n"),
        format!("GET / HTTP/1.1\r\nHost: {allowed}\r\n Folded: yes\r\n"),
    ] {
        let mut client = door.connect(port);
        client.send(format!("{head}\r\n"));
        let reply = client.reply();
        assert_eq!(reply.status, 400, "{head:?}: {reply:?}");
    }
    let websocket = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
    let reply = door.connect(port).get(&allowed, "/plain", websocket);
    assert!(reply.status == 403 && reply.text().contains("websockets"), "{reply:?}");
    // Two lengths: what one of them would leave over is no request of its own.
    let mut client = door.connect(port);
    client.send(format!(
        "POST /echo HTTP/1.1\r\nHost: {allowed}\r\nContent-Length: 60\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ));
    client.finish();
    let reply = client.reply();
    assert!(reply.status == 400 || reply.body.is_empty(), "{reply:?}");
    assert!(
        world
            .http
            .seen()
            .iter()
            .all(|seen| seen.line.starts_with("POST /echo "))
            && world.https.seen().is_empty(),
        "{:?}",
        world.http.seen()
    );
}

#[test]
fn a_path_with_steps_upwards_does_not_leave_what_is_allowed() {
    let (house, world) = (House::new(), World::new());
    let host = world.http.authority();
    let door = house.door(Policy::Allow(list(&[&format!("{host}/pub")])));
    let mut client = door.connect(world.http.port);
    for path in [
        "/plain",
        "/pub/../plain",
        "/pub/%2e%2e/plain",
        "/pub/..%2fplain",
        "/publish",
        "//pub",
        "/pub\\..\\plain",
    ] {
        let reply = client.get(&host, path, "");
        assert_eq!(reply.status, 403, "{path}: {reply:?}");
    }
    assert_eq!(client.get(&host, "/pub/x", "").status, 404);
    assert_eq!(world.http.seen().len(), 1);
}

#[test]
fn this_machine_and_private_networks_are_out_of_reach() {
    let (house, world) = (House::new(), World::new());
    let port = world.http.port;
    let metadata = "169.254.169.254";
    // Open means the world, and a name with an asterisk means names of the world, whatever they resolve to.
    let policies = [
        Policy::Open,
        Policy::Allow(AllowList::everything()),
        Policy::Allow(list(&[
            "*.localhost",
            "localhost",
            "host.seatrial.internal",
            "127.0.0.1",
            metadata,
        ])),
        Policy::Record(list(&["*", "localhost"])),
    ];
    for policy in policies {
        let name = format!("{policy:?}");
        let door = house.door(policy);
        for host in [
            "localhost",
            "a.localhost",
            "host.seatrial.internal",
            "127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f000001",
            "0.0.0.0",
            "[::1]",
            "[::ffff:127.0.0.1]",
            metadata,
            "[::ffff:169.254.169.254]",
            "[fe80::1]",
        ] {
            let reply = door.connect(80).get(host, "/latest/meta-data/", "");
            // A name that this machine's resolver does not know leads nowhere either.
            let refused = reply.status == 403 || (reply.status == 502 && reply.text().contains("cannot be resolved"));
            assert!(refused, "{name}: {host}: {reply:?}");
        }
    }
    let door = house.door(Policy::Open);
    for host in [
        "10.0.0.1",
        "192.168.1.1",
        "172.17.0.1",
        "100.100.100.200",
        "[fd00:ec2::254]",
        "198.18.0.1",
    ] {
        let reply = door.connect(80).get(host, "/", "");
        assert!(
            reply.status == 403 && reply.text().contains("which is "),
            "{host}: {reply:?}"
        );
    }
    // As a proxy is asked, with whatever port.
    let mut client = door.connect(80);
    client.send(format!("GET http://localhost:{port}/plain HTTP/1.1\r\nHost: x\r\n\r\n"));
    assert_eq!(client.reply().status, 403);
    assert!(world.http.seen().is_empty() && world.http.connections() == 0);
    // Written out with its port, it was meant.
    for name in ["localhost", "host.seatrial.internal"] {
        let host = format!("{name}:{port}");
        let door = house.door(Policy::Allow(list(&[&host])));
        assert_eq!(door.connect(port).get(&host, "/plain", "").status, 200, "{host}");
    }
}

#[test]
fn an_address_of_a_device_of_this_machine_is_out_of_reach_too() {
    // Whichever address packets to the world would leave from; without a network there is none.
    let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
    let own = socket.connect("203.0.113.1:9").and_then(|()| socket.local_addr());
    let Ok(own) = own.map(|own| own.ip()) else {
        println!("skipped: this machine has no route");
        return;
    };
    let listener = TcpListener::bind((own, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let house = House::new();
    let door = house.door(Policy::Allow(list(&["*", &format!("*:{port}")])));
    let mut client = door.connect(port);
    let reply = client.get(&format!("{own}:{port}"), "/", "");
    assert!(
        reply.status == 403 && reply.text().contains("this machine itself"),
        "{reply:?}"
    );
}

#[test]
fn names_are_not_carried_anywhere() {
    let house = House::new();
    // Nobody is asked: a name that nobody knows is answered as any other.
    let door = house.door(Policy::Open);
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
    let mut question = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00".to_vec();
    for label in ["c2vjcmv0igrhdge", "tunnel", "example"] {
        question.push(label.len() as u8);
        question.extend_from_slice(label.as_bytes());
    }
    question.extend_from_slice(b"\x00\x00\x01\x00\x01");
    socket.send_to(&question, door.resolver).unwrap();
    let mut answer = [0; 512];
    let count = socket.recv(&mut answer).unwrap();
    assert_eq!(&answer[..2], b"\x12\x34");
    assert_eq!(&answer[count - 4..count], &seatrial_sandbox::DOOR_ADDRESS.octets());
    assert_eq!(door.close(), ["looked up c2vjcmv0igrhdge.tunnel.example"]);
}

#[test]
fn nothing_is_sent_to_the_world_in_a_replay() {
    let (house, world) = (House::new(), World::new());
    let door = house.replaying(&world);
    assert_eq!(
        door.connect(world.http.port)
            .get(&world.http.authority(), "/plain", "")
            .status,
        403
    );
    let secure = world.https.authority();
    assert_eq!(
        door.connect_tls(world.https.port, "localhost")
            .get(&secure, "/plain", "")
            .status,
        403
    );
    assert_eq!((world.http.connections(), world.https.connections()), (0, 0));
}

#[test]
fn a_box_cannot_use_the_door_up() {
    let house = House::with(|config| {
        hasty(&mut config.limits);
        config.limits.connections = 8;
    });
    let world = World::new();
    let (host, port) = (world.http.authority(), world.http.port);
    let door = house.door(Policy::Allow(world.list()));
    // Those who say nothing, or say it slowly, are sent away; until then others wait, and then they are served.
    let mut slow: Vec<_> = (0..20).map(|_| door.connect(port)).collect();
    for (number, client) in slow.iter_mut().enumerate() {
        client.send(match number % 4 {
            0 => &b""[..],
            1 => b"GET / HTTP/1.1\r\nX: ",
            2 => b"\x16\x03\x01",
            _ => b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        });
    }
    assert_eq!(door.connect(port).get(&host, "/plain", "").text(), "keel\n");
    drop(slow);
    // Heads beyond all measure.
    let mut client = door.connect(port);
    let long = format!(
        "GET /plain HTTP/1.1\r\nHost: {host}\r\nX: {}\r\n\r\n",
        "x".repeat(1 << 20)
    );
    drop(client.try_send(long));
    let reply = client.reply();
    assert!([0, 400, 431].contains(&reply.status), "{reply:?}");
    let mut client = door.connect(port);
    let many = "X-Many: 1\r\n".repeat(1000);
    drop(client.try_send(format!("GET /plain HTTP/1.1\r\nHost: {host}\r\n{many}\r\n")));
    let reply = client.reply();
    assert!([0, 400, 431].contains(&reply.status), "{reply:?}");
    let mut client = door.connect(port);
    drop(client.try_send(format!("GET /{} HTTP/1.1\r\nHost: {host}\r\n\r\n", "x".repeat(1 << 20))));
    let reply = client.reply();
    assert!([0, 400, 414, 431].contains(&reply.status), "{reply:?}");
    // What is no HTTP at all.
    let mut client = door.connect(port);
    client.send("SSH-2.0-OpenSSH\r\n\r\n");
    assert_eq!(client.reply().status, 400);
    assert_eq!(door.connect(port).get(&host, "/plain", "").text(), "keel\n");
}

#[test]
fn a_closed_door_ends_everything_at_once() {
    let (house, world) = (House::new(), World::new());
    let (host, port) = (world.http.authority(), world.http.port);
    for policy in [Policy::Allow(world.list()), Policy::Record(world.list())] {
        let door = house.door(policy);
        let address = door.addresses[&port];
        let mut clients: Vec<_> = ["/stalled", "/silent", "/large?100000000", "/plain"]
            .map(|path| {
                let mut client = door.connect(port);
                client.send(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
                client
            })
            .into();
        let mut idle = door.connect(port);
        let mut tunnel = door.connect(80);
        tunnel.send(format!("CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
        assert_eq!(tunnel.reply_to("CONNECT").status, 200);
        clients[0].more().unwrap();
        clients[2].more().unwrap();
        door.close();
        for client in clients.iter_mut().chain([&mut idle, &mut tunnel]) {
            client.rest(&mut Vec::new());
        }
        assert!(
            std::net::TcpStream::connect(address).is_err(),
            "nobody listens any more"
        );
    }
}

#[test]
fn doors_outlive_the_egress_that_made_them() {
    let (house, world) = (House::new(), World::new());
    let door = house.door(Policy::Allow(world.list()));
    let House { egress, folder, .. } = house;
    drop(egress);
    let reply = door.connect(world.http.port).get(&world.http.authority(), "/plain", "");
    assert_eq!(reply.text(), "keel\n");
    door.close();
    drop(folder);
}

#[test]
fn a_proxy_of_the_machine_is_used_and_its_password_stays_here() {
    let (world, gone) = (World::new(), World::new().http.port);
    // The world itself understands what proxies are asked; it opens no tunnels.
    let proxy = format!("http://user:secret@{}", world.http.authority());
    let house = House::with(|config| {
        config.proxies = Proxies::new(Some(&proxy), Some(&proxy), Some("localhost")).unwrap();
    });
    let door = house.door(Policy::Allow(list(&["far.invalid", &format!("localhost:{gone}")])));
    let reply = door
        .connect(80)
        .get("far.invalid", "/plain", "Proxy-Authorization: Basic b3du\r\n");
    assert_eq!(reply.text(), "keel\n", "{reply:?}");
    let asked = world.http.seen().pop().unwrap();
    assert_eq!(asked.line, "GET http://far.invalid/plain HTTP/1.1");
    assert_eq!(asked.header("proxy-authorization"), Some("Basic dXNlcjpzZWNyZXQ="));
    let reply = door.connect_tls(443, "far.invalid").get("far.invalid", "/plain", "");
    assert_eq!(reply.status, 502);
    assert!(
        reply
            .text()
            .contains("does not lead to far.invalid:443: it says `HTTP/1.1 404 Not Found`"),
        "{}",
        reply.text()
    );
    assert_eq!(
        world.http.seen().pop().unwrap().line,
        "CONNECT far.invalid:443 HTTP/1.1"
    );
    // Whoever is named as to be asked directly is.
    assert_eq!(
        door.connect(gone).get(&format!("localhost:{gone}"), "/", "").status,
        502
    );
    let told = door.close().join("\n");
    assert!(!told.contains("secret") && !told.contains("dXNl"), "{told}");
}

#[test]
fn a_door_may_be_opened_by_several_boxes() {
    let (house, world) = (House::new(), World::new());
    let door = house
        .egress
        .door(DoorSpec {
            policy: Policy::Allow(world.list()),
            index: None,
            observer: Arc::new(|_| {}),
        })
        .unwrap();
    assert_eq!(door.ports(), {
        let mut ports = vec![80, 443, world.http.port, world.https.port];
        ports.sort_unstable();
        ports
    });
    let sockets = || seatrial_sandbox::DoorSockets {
        tcp: vec![(world.http.port, TcpListener::bind("127.0.0.1:0").unwrap())],
        dns_udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
        dns_tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
    };
    let (one, other) = (sockets(), sockets());
    let addresses = [&one, &other].map(|sockets| sockets.tcp[0].1.local_addr().unwrap());
    let one = door.open(one).unwrap();
    let _other = door.open(other).unwrap();
    drop(one);
    let mut client = crate::support::client::Client::plain(addresses[1]);
    assert_eq!(client.get(&world.http.authority(), "/plain", "").text(), "keel\n");
}
