//! What was recorded once comes again, byte for byte, and nothing else comes.

use std::{fs, sync::Arc};

use expect_test::expect;
use seatrial_egress::{DoorEvent, DoorSpec, Policy};

use crate::support::{
    House, Opened,
    client::{Client, Reply},
    hasty,
    world::{Server, World, large},
};

/// Asks for everything that the world has to offer, over http and https.
fn tour(door: &Opened, world: &World) -> Vec<Reply> {
    let mut replies = Vec::new();
    for (server, tls) in [(&world.http, false), (&world.https, true)] {
        let host = server.authority();
        let mut client = if tls {
            door.connect_tls(server.port, "localhost")
        } else {
            door.connect(server.port)
        };
        for path in [
            "/plain",
            "/phrase",
            "/latin",
            "/empty",
            "/missing",
            "/redirect",
            "/error",
            "/large?1000000",
            "/large?1000",
            "/turn",
            "/turn",
            "/gzip",
            "/chunked",
            "/until-close",
            "/large?0",
        ] {
            replies.push(client.get(&host, path, ""));
        }
        replies.push(client.head(&host, "/plain", ""));
        replies.push(client.head(&host, "/chunked", ""));
        replies.push(client.get(&host, "/vary", "Accept: a\r\n"));
        replies.push(client.get(&host, "/vary", "Accept: b\r\n"));
        replies.push(client.post(&host, "/echo", "one"));
        replies.push(client.post(&host, "/echo", "two"));
        replies.push(client.post(&host, "/echo", ""));
        replies.push(client.get(&host, "/large?1000000", "Range: bytes=10-19\r\n"));
        replies.push(client.get(&host, "/plain", "If-None-Match: \"keel\"\r\n"));
    }
    replies
}

fn count(told: &[String], start: &str) -> usize {
    told.iter().filter(|event| event.starts_with(start)).count()
}

#[test]
fn a_replay_is_the_recording_byte_for_byte_without_a_world() {
    let (house, world) = (House::new(), World::new());
    let door = house.recording(&world);
    let recorded = tour(&door, &world);
    let told = door.close();
    // The part of what was recorded before need not be fetched again.
    assert_eq!(
        count(&told, "recorded ") + count(&told, "replayed "),
        recorded.len(),
        "{told:#?}"
    );
    let asked: Vec<_> = [&world.http, &world.https].map(Server::connections).into();
    // Whoever asks for part or on a condition: the world was asked for the whole.
    assert!(
        world
            .http
            .seen()
            .iter()
            .all(|seen| seen.header("range").is_none() && seen.header("if-none-match").is_none())
    );
    let partial: Vec<_> = recorded.iter().filter(|reply| reply.status == 206).collect();
    assert_eq!(partial.len(), 2);
    assert_eq!(partial[0].body, &large(1_000_000)[10..20]);
    assert_eq!(partial[0].header("content-range"), Some("bytes 10-19/1000000"));
    assert_eq!(recorded.iter().filter(|reply| reply.status == 304).count(), 2);

    // Twice: what a replay answers does not depend on what was replayed before to others.
    for _ in 0..2 {
        let door = house.replaying(&world);
        let replayed = tour(&door, &world);
        for (before, after) in recorded.iter().zip(&replayed) {
            assert_eq!(before, after);
        }
        let told = door.close();
        assert_eq!(count(&told, "replayed "), recorded.len(), "{told:#?}");
    }
    assert_eq!(
        asked,
        [&world.http, &world.https].map(Server::connections),
        "the world was left alone"
    );
}

#[test]
fn a_replay_answers_parts_and_conditions_that_were_not_asked_before() {
    let (house, world) = (House::new(), World::new());
    let host = world.http.authority();
    let door = house.recording(&world);
    door.connect(world.http.port).get(&host, "/large?1000000", "");
    door.connect(world.http.port).get(&host, "/plain", "");
    door.close();
    let door = house.replaying(&world);
    let mut client = door.connect(world.http.port);
    let body = large(1_000_000);
    for (range, from, to) in [
        ("bytes=0-0", 0, 1),
        ("bytes=999999-", 999_999, 1_000_000),
        ("bytes=262143-262145", 262_143, 262_146),
        ("bytes=-7", 999_993, 1_000_000),
    ] {
        let reply = client.get(&host, "/large?1000000", &format!("Range: {range}\r\n"));
        assert_eq!((reply.status, reply.whole), (206, true), "{range}");
        assert!(reply.body == body[from..to], "{range}");
    }
    let beyond = client.get(&host, "/large?1000000", "Range: bytes=1000000-\r\n");
    assert_eq!(
        (beyond.status, beyond.header("content-range")),
        (416, Some("bytes */1000000"))
    );
    // As a download that was broken off is taken up again.
    let known = "Range: bytes=500000-\r\nIf-Range: Mon, 30 Nov 2020 09:00:00 GMT\r\n";
    assert_eq!(client.get(&host, "/large?1000000", known).body.len(), 500_000);
    let other = "Range: bytes=500000-\r\nIf-Range: Tue, 01 Dec 2020 09:00:00 GMT\r\n";
    assert_eq!(client.get(&host, "/large?1000000", other).body.len(), 1_000_000);
    let since = "If-Modified-Since: Mon, 30 Nov 2020 09:00:00 GMT\r\n";
    assert_eq!(client.get(&host, "/large?1000000", since).status, 304);
    assert_eq!(client.get(&host, "/plain", "If-None-Match: W/\"keel\"\r\n").status, 304);
    let head = client.head(&host, "/plain", "");
    assert_eq!((head.status, head.header("content-length")), (200, Some("5")));
    assert_eq!(count(&door.close(), "replayed "), 10);
}

#[test]
fn what_was_not_recorded_is_refused_by_name() {
    let (house, world) = (House::new(), World::new());
    let host = world.http.authority();
    let door = house.recording(&world);
    let mut client = door.connect(world.http.port);
    client.get(&host, "/vary", "Accept: a\r\n");
    client.post(&host, "/echo", "one");
    drop(client);
    door.close();
    let door = house.replaying(&world);
    let mut client = door.connect(world.http.port);
    let mut texts = Vec::new();
    for reply in [
        client.get(&host, "/never", ""),
        client.get(&host, "/vary", "Accept: b\r\n"),
        client.get(&host, "/echo", ""),
        client.post(&host, "/echo", "two"),
    ] {
        assert_eq!((reply.status, reply.header("x-seatrial-door")), (403, Some("missing")));
        texts.push(format!("{}\n{}", reply.phrase, reply.text()));
    }
    // Whatever the browser says that it is: that is no part of what is asked for.
    assert_eq!(
        client.get(&host, "/vary", "Accept: a\r\nUser-Agent: other\r\n").status,
        200
    );
    let text = texts
        .concat()
        .replace(&house.index().display().to_string(), "INDEX")
        .replace(&host, "HOST");
    expect![[r"
        Not recorded by Seatrial: GET http://HOST/never
        Not recorded by Seatrial: GET http://HOST/never
        Why: nothing at that URL was recorded in INDEX.
        Policy of this box: replay. It gets what was recorded before, and nothing from the network.
        What to do: trying again will not help. Ask for exactly what was asked for in the recording, or record again.
        Not recorded by Seatrial: GET http://HOST/vary
        Not recorded by Seatrial: GET http://HOST/vary
        Why: it was recorded with `accept: a`, not `b`.
        Policy of this box: replay. It gets what was recorded before, and nothing from the network.
        What to do: trying again will not help. Ask for exactly what was asked for in the recording, or record again.
        Not recorded by Seatrial: GET http://HOST/echo
        Not recorded by Seatrial: GET http://HOST/echo
        Why: it was recorded in INDEX for POST only.
        Policy of this box: replay. It gets what was recorded before, and nothing from the network.
        What to do: trying again will not help. Ask for exactly what was asked for in the recording, or record again.
        Not recorded by Seatrial: POST http://HOST/echo
        Not recorded by Seatrial: POST http://HOST/echo
        Why: it was recorded in INDEX with another body of the request.
        Policy of this box: replay. It gets what was recorded before, and nothing from the network.
        What to do: trying again will not help. Ask for exactly what was asked for in the recording, or record again.
    "]]
    .assert_eq(&text);
    let told = door.close();
    assert_eq!(count(&told, "no record of "), 4, "{told:#?}");
}

#[test]
fn answers_that_change_are_replayed_in_their_order_and_the_last_one_stays() {
    let (house, world) = (House::new(), World::new());
    let host = world.http.authority();
    let turns = |door: &Opened, count: usize| -> Vec<String> {
        let mut client = door.connect(world.http.port);
        (0..count).map(|_| client.get(&host, "/turn", "").text()).collect()
    };
    let door = house.recording(&world);
    assert_eq!(turns(&door, 2), ["turn 1\n", "turn 2\n"]);
    door.close();
    // Another process goes on in the same file: so does what is replayed.
    let door = house.recording(&world);
    assert_eq!(turns(&door, 1), ["turn 3\n"]);
    door.close();
    let (one, other) = (house.replaying(&world), house.replaying(&world));
    assert_eq!(turns(&one, 4), ["turn 1\n", "turn 2\n", "turn 3\n", "turn 3\n"]);
    assert_eq!(turns(&other, 1), ["turn 1\n"], "each box begins at the beginning");
}

#[test]
fn a_client_that_hangs_up_early_does_not_shorten_the_recording() {
    let (house, world) = (House::new(), World::new());
    let host = world.http.authority();
    let door = house.recording(&world);
    let length = 30_000_000;
    let path = format!("/large?{length}");
    let mut client = door.connect(world.http.port);
    client.send(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    client.more().unwrap();
    drop(client);
    wait_for(&door, "recorded ");
    door.close();
    let door = house.replaying(&world);
    let reply = door.connect(world.http.port).get(&host, &path, "");
    assert!(reply.whole && reply.body == large(length));
}

/// Waits until something was told, as long as the door lives.
fn wait_for(door: &Opened, start: &str) {
    let begun = std::time::Instant::now();
    while count(&door.told(), start) == 0 {
        assert!(begun.elapsed().as_secs() < 60, "{:#?}", door.told());
        std::thread::yield_now();
    }
}

#[test]
fn what_did_not_come_whole_is_never_replayed_as_if_it_had() {
    let world = World::new();
    let house = House::with(|config| hasty(&mut config.limits));
    let (host, port) = (world.http.authority(), world.http.port);
    let broken = ["/broken", "/broken-chunks", "/stalled", "/silent", "/nonsense"];
    let door = house.recording(&world);
    let before: Vec<_> = broken.map(|path| door.connect(port).get(&host, path, "")).into();
    assert!(!before[0].whole && !before[1].whole && !before[2].whole);
    assert_eq!((before[3].status, before[4].status), (504, 502));
    let first = door.connect(port).get(&host, "/broken-once", "");
    assert!(!first.whole);
    assert_eq!(door.connect(port).get(&host, "/broken-once", "").text(), "all of it");
    // The box goes while something is on its way.
    let mut client = door.connect(port);
    client.send(format!("GET /stalled?box-gone HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    client.more().unwrap();
    let told = door.close();
    assert_eq!(count(&told, "recorded "), 1, "{told:#?}");
    assert_eq!(count(&told, "not recorded "), 5, "{told:#?}");
    let lines = fs::read_to_string(house.index()).unwrap();
    assert_eq!(
        lines.lines().filter(|line| line.contains("\"failure\"")).count(),
        7,
        "{lines}"
    );

    let door = house.replaying(&world);
    for path in broken.into_iter().chain(["/stalled?box-gone"]) {
        let reply = door.connect(port).get(&host, path, "");
        assert!([502, 504].contains(&reply.status), "{path}: {reply:?}");
        assert!(
            reply.text().contains("it failed when it was recorded"),
            "{}",
            reply.text()
        );
    }
    assert_eq!(door.connect(port).get(&host, "/broken-once", "").text(), "all of it");
}

#[test]
fn damage_in_the_store_is_named_and_never_given_out() {
    let (house, world) = (House::new(), World::new());
    let host = world.http.authority();
    let door = house.recording(&world);
    let paths = ["/large?100", "/large?200", "/large?1000000", "/large?2000000"];
    for path in paths {
        door.connect(world.http.port).get(&host, path, "");
    }
    let bodies: Vec<_> = {
        let events = Arc::clone(&door.events);
        door.close();
        let events = events.lock().unwrap();
        let body = |path: &str| {
            events.iter().find_map(|event| match event {
                DoorEvent::Recorded { asked, body, .. } if asked.url.ends_with(path) => Some(*body),
                _ => None,
            })
        };
        paths.iter().map(|path| body(path).unwrap()).collect()
    };
    let blobs = house.blobs();
    let damage = |digest, at: usize| {
        let mut bytes = fs::read(blobs.path(digest)).unwrap();
        bytes[at] ^= 1;
        fs::remove_file(blobs.path(digest)).unwrap();
        fs::write(blobs.path(digest), bytes).unwrap();
    };
    fs::remove_file(blobs.path(&bodies[0])).unwrap();
    damage(&bodies[1], 5);
    damage(&bodies[2], 999_999);
    fs::write(blobs.path(&bodies[3]), b"short").unwrap();
    let door = house.replaying(&world);
    for (place, problem) in [(0, "the store has no blob"), (1, "is damaged"), (3, "is damaged")] {
        let reply = door.connect(world.http.port).get(&host, paths[place], "");
        assert_eq!(reply.status, 502, "{reply:?}");
        let text = reply.text();
        assert!(
            text.contains(problem) && text.contains(&bodies[place].to_string()),
            "{text}"
        );
    }
    // It is known only at the end, so what came before it breaks off.
    let reply = door.connect(world.http.port).get(&host, paths[2], "");
    assert!(!reply.whole && reply.body.len() < 1_000_000);
    let told = door.close();
    assert_eq!(count(&told, "failed "), 4, "{told:#?}");
    assert!(
        told.iter()
            .any(|event| event.contains(&format!("blob {} is damaged", bodies[2]))),
        "{told:#?}"
    );
}

#[test]
fn boxes_share_an_index_at_the_same_time() {
    let (house, world) = (House::new(), World::new());
    let host = world.http.authority();
    let doors: Vec<_> = (0..3).map(|_| house.recording(&world)).collect();
    std::thread::scope(|scope| {
        for (number, door) in doors.iter().enumerate() {
            for client in 0..4 {
                let (host, address) = (&host, door.addresses[&world.http.port]);
                scope.spawn(move || {
                    let mut connection = Client::plain(address);
                    for round in 0..5 {
                        let length = 1000 * number + 100 * client + round;
                        let reply = connection.get(host, &format!("/large?{length}"), "");
                        assert!(reply.whole && reply.body == large(length));
                    }
                });
            }
        }
    });
    for door in doors {
        assert_eq!(count(&door.close(), "recorded "), 20);
    }
    let lines = fs::read_to_string(house.index()).unwrap();
    assert_eq!(lines.lines().count(), 60);
    let door = house.replaying(&world);
    let reply = door.connect(world.http.port).get(&host, "/large?2304", "");
    assert!(reply.whole && reply.body == large(2304));
}

#[test]
fn an_index_is_asked_for_and_its_damage_is_named() {
    let (house, world) = (House::new(), World::new());
    let spec = |policy, index| DoorSpec {
        policy,
        index,
        observer: Arc::new(|_| {}),
    };
    for policy in [Policy::Replay, Policy::Record(world.list())] {
        let error = house.egress.door(spec(policy, None)).unwrap_err().to_string();
        assert!(error.contains("needs an index of recordings"), "{error}");
    }
    let door = house.recording(&world);
    door.connect(world.http.port).get(&world.http.authority(), "/plain", "");
    door.close();
    let whole = fs::read_to_string(house.index()).unwrap();
    let line: serde_json::Value = serde_json::from_str(&whole).unwrap();
    assert_eq!(line["v"], 1);
    expect![[r#"
        {
          "response": {
            "body": "b3:3b7e8c65d9136aec82dc3b8405c859b33656919b4aa52329714142ffec527712",
            "headers": [
              [
                "content-type",
                "text/plain"
              ],
              [
                "etag",
                "\"keel\""
              ],
              [
                "content-length",
                "5"
              ]
            ],
            "length": 5,
            "status": 200
          }
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&line["answer"]).unwrap());
    fs::write(house.index(), format!("nonsense\n{whole}")).unwrap();
    let door = house.egress.door(spec(Policy::Replay, Some(house.index()))).unwrap();
    let socket = || std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let error = door.open(seatrial_sandbox::DoorSockets {
        tcp: vec![(80, socket())],
        dns_udp: std::net::UdpSocket::bind("127.0.0.1:0").unwrap(),
        dns_tcp: socket(),
    });
    let Err(error) = error else {
        panic!("a damaged index is opened")
    };
    assert!(error.to_string().contains("index.jsonl, line 1: "), "{error}");
}
