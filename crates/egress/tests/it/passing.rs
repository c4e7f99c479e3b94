//! What is allowed goes through unchanged; what goes wrong in the world is seen as wrong.

use seatrial_egress::Policy;

use crate::support::{
    House, hasty,
    world::{World, large},
};

#[test]
fn answers_come_through_unchanged_over_http_and_https() {
    let (house, world) = (House::new(), World::new());
    let door = house.door(Policy::Allow(world.list()));
    for (server, tls) in [(&world.http, false), (&world.https, true)] {
        let host = server.authority();
        let mut client = if tls {
            door.connect_tls(server.port, "localhost")
        } else {
            door.connect(server.port)
        };
        // One connection for all: it is kept alive whatever came before.
        let plain = client.get(&host, "/plain", "");
        assert_eq!(
            (plain.status, plain.phrase.as_str(), plain.text().as_str()),
            (200, "OK", "keel\n")
        );
        let headers: Vec<_> = plain
            .headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        assert_eq!(
            headers,
            ["content-type: text/plain", "etag: \"keel\"", "content-length: 5"]
        );
        let phrase = client.get(&host, "/phrase", "");
        assert_eq!((phrase.status, phrase.phrase.as_str()), (200, "Aye Aye"));
        assert_eq!(phrase.headers.iter().filter(|(name, _)| name == "x-two").count(), 2);
        let redirect = client.get(&host, "/redirect", "");
        assert_eq!((redirect.status, redirect.header("location")), (302, Some("/plain")));
        assert_eq!(client.get(&host, "/gzip", "").body, b"\x1f\x8b not really");
        assert_eq!(client.get(&host, "/chunked", "").text(), "keel and keel2\n");
        assert_eq!(client.get(&host, "/empty", "").status, 204);
        assert_eq!(client.get(&host, "/missing", "").status, 404);
        assert_eq!(client.get(&host, "/error", "").status, 500);
        assert_eq!(
            client.head(&host, "/large?1000", "").header("content-length"),
            Some("1000")
        );
        assert_eq!(client.post(&host, "/echo", "anchor").text(), "anchor");
        let body = large(3_000_000);
        let whole = client.get(&host, "/large?3000000", "");
        assert!(whole.whole && whole.body == body);
        assert_eq!(client.get(&host, "/until-close", "").text(), "to the end\n");
        assert_eq!(client.get(&host, "/plain", "").text(), "keel\n");
        // Ranges and conditions are the world's matter here; this one knows none.
        assert_eq!(client.get(&host, "/plain", "Range: bytes=0-1\r\n").status, 200);
        let asked = server.seen().pop().unwrap();
        assert_eq!(
            (asked.header("range"), asked.header("host")),
            (Some("bytes=0-1"), Some(host.as_str()))
        );
        assert!(
            server.connections() <= 4,
            "connections to the world are kept: {}",
            server.connections()
        );
    }
    let told = door.close();
    let passed = told.iter().filter(|event| event.starts_with("passed ")).count();
    assert_eq!(passed, told.len(), "{told:#?}");
    assert!(told.contains(&format!(
        "passed GET http://{}/plain: 200, 5 bytes",
        world.http.authority()
    )));
}

#[test]
fn requests_are_understood_in_each_of_their_forms() {
    let (house, world) = (House::new(), World::new());
    let door = house.door(Policy::Allow(world.list()));
    let (host, port) = (world.http.authority(), world.http.port);
    let mut client = door.connect(port);
    // Several at once, before the first is answered.
    let one = format!("GET /plain HTTP/1.1\r\nHost: {host}\r\n\r\n");
    client.send(one.repeat(3));
    for _ in 0..3 {
        assert_eq!(client.reply().text(), "keel\n");
    }
    // As a proxy is asked, on whatever port it was said to be on; the header does not count then.
    let mut client = door.connect(80);
    client.send(format!(
        "GET http://{host}/plain HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n"
    ));
    assert_eq!(client.reply().text(), "keel\n");
    assert_eq!(world.http.seen().pop().unwrap().header("host"), Some(host.as_str()));
    // Through a tunnel, plain and with TLS.
    let mut client = door.connect(80);
    client.send(format!("CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    assert_eq!(client.reply_to("CONNECT").status, 200);
    assert_eq!(client.get(&host, "/plain", "").text(), "keel\n");
    let secure = world.https.authority();
    let mut client = door.connect(80);
    client.send(format!("CONNECT {secure} HTTP/1.1\r\nHost: {secure}\r\n\r\n"));
    assert_eq!(client.reply_to("CONNECT").status, 200);
    let mut client = client.tls("localhost", &door.authority);
    assert_eq!(client.get(&secure, "/plain", "").text(), "keel\n");
    // The oldest version, with and without being kept alive, and a client that says at once that it has said all.
    let mut client = door.connect(port);
    client.send(format!("GET /chunked HTTP/1.0\r\nHost: {host}\r\n\r\n"));
    client.finish();
    let reply = client.reply();
    assert_eq!(
        (reply.text().as_str(), reply.header("transfer-encoding")),
        ("keel and keel2\n", None)
    );
    // A body in pieces, and one that waits to be wanted.
    let mut client = door.connect(port);
    client.send(format!(
        "POST /echo HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
    ));
    assert_eq!(client.reply().text(), "abcde");
    client.send(format!(
        "POST /echo HTTP/1.1\r\nHost: {host}\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"
    ));
    client.more().unwrap();
    client.send("xyz");
    assert_eq!(client.reply().text(), "xyz");
    // A server that offers the newest version over plain HTTP is not needed to be asked in the old one.
    let upgrade = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n";
    assert_eq!(client.get(&host, "/plain", upgrade).text(), "keel\n");
    let asked = world.http.seen().pop().unwrap();
    assert_eq!((asked.header("upgrade"), asked.header("http2-settings")), (None, None));
}

#[test]
fn what_breaks_in_the_world_is_never_a_short_success() {
    let world = World::new();
    let house = House::with(|config| hasty(&mut config.limits));
    let door = house.door(Policy::Allow(world.list()));
    let (host, port) = (world.http.authority(), world.http.port);
    for path in ["/broken", "/broken-chunks", "/stalled"] {
        let reply = door.connect(port).get(&host, path, "");
        assert!(
            !reply.whole && b"only this".starts_with(&reply.body),
            "{path}: {reply:?}"
        );
    }
    let reply = door.connect(port).get(&host, "/nonsense", "");
    assert_eq!(reply.status, 502, "{reply:?}");
    let reply = door.connect(port).get(&host, "/silent", "");
    assert_eq!(reply.status, 504, "{reply:?}");
    assert!(
        reply.text().contains("took the request and said nothing"),
        "{}",
        reply.text()
    );
    // The door itself goes on.
    assert_eq!(door.connect(port).get(&host, "/plain", "").text(), "keel\n");
    let told = door.close();
    assert_eq!(
        told.iter()
            .filter(|event| event.contains("broken off after 9 bytes"))
            .count(),
        3,
        "{told:#?}"
    );
    assert_eq!(
        told.iter().filter(|event| event.starts_with("failed ")).count(),
        2,
        "{told:#?}"
    );
}

#[test]
fn a_world_that_is_not_there_is_explained() {
    let (house, world) = (House::new(), World::new());
    let (gone, untrusted) = (World::new().http.port, world.http.port);
    let list = crate::support::list(&[
        &format!("localhost:{gone}"),
        "no-such-name.invalid",
        // No TLS is spoken there.
        &format!("localhost:{untrusted}"),
    ]);
    let door = house.door(Policy::Allow(list));
    let cases = [
        (
            door.connect(gone).get(&format!("localhost:{gone}"), "/", ""),
            "cannot be reached",
        ),
        (
            door.connect(80).get("no-such-name.invalid", "/", ""),
            "cannot be resolved",
        ),
        (
            door.connect_tls(untrusted, "localhost")
                .get(&format!("localhost:{untrusted}"), "/", ""),
            "no trustworthy TLS connection",
        ),
    ];
    for (reply, reason) in cases {
        assert_eq!(
            (reply.status, reply.header("x-seatrial-door")),
            (502, Some("failed")),
            "{reply:?}"
        );
        assert!(reply.text().contains(reason), "{}", reply.text());
        assert!(
            reply.phrase.starts_with("Seatrial got no answer: GET http"),
            "{}",
            reply.phrase
        );
    }
}
