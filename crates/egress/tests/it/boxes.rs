//! The door in real boxes: what a program in one sees, and what it cannot reach.

use std::sync::{Arc, Mutex};

use expect_test::expect;
use seatrial_egress::{DoorEvent, DoorSpec, Policy};
use seatrial_sandbox::Command;

use crate::{
    proofs::world::{Which, world},
    support::{House, list, world::World},
};

/// A request by Bash alone: address, port, host, path.
const GET: &str = r#"get() {
    exec 3<>/dev/tcp/$1/$2 && printf 'GET %s HTTP/1.0\r\nHost: %s\r\n\r\n' "$4" "$3" >&3 && cat <&3; exec 3<&-
}
"#;

/// Runs a script in a fresh box behind a door; returns what it printed, and what happened at the door.
fn run(house: &House, policy: Policy, script: &str) -> Option<(String, Vec<String>)> {
    let world = world(Which::Plain)?;
    let events: Arc<Mutex<Vec<DoorEvent>>> = Arc::default();
    let told = Arc::clone(&events);
    let door = house
        .egress
        .door(DoorSpec {
            policy,
            index: Some(house.index()),
            observer: Arc::new(move |event| told.lock().unwrap().push(event)),
        })
        .unwrap();
    let mut sandbox = world.start(door);
    let mut output = Vec::new();
    sandbox
        .exec(&Command::bash(format!("{GET}{script}")), &mut output)
        .unwrap();
    drop(sandbox);
    let events = events.lock().unwrap().iter().map(ToString::to_string).collect();
    Some((String::from_utf8_lossy(&output).into_owned(), events))
}

#[test]
fn a_box_gets_what_is_allowed_and_reads_why_it_does_not_get_the_rest() {
    let (house, outside) = (House::new(), World::new());
    let (host, port) = (outside.http.authority(), outside.http.port);
    let script = format!(
        r#"
        get 198.18.0.1 {port} {host} /plain | tail -1
        get 198.18.0.1 {port} {host} '/large?3000000' | tail -c 3000000 | wc -c
        get forge.example 80 forge.example /their/answer | tr -d '\r' | grep -v Content-Length
        getent ahostsv4 c2VjcmV0.tunnel.example | head -1 | cut -d' ' -f1
        for name in 169.254.169.254 10.0.0.1 127.0.0.1 localhost; do get 198.18.0.1 80 $name /latest/meta-data/ | head -1 | tr -d '\r'; done
        (get 169.254.169.254 80 x /) 2>&1 | grep -o 'Network is unreachable' | head -1
        (get 127.0.0.1 {port} {host} /plain) 2>&1 | grep -o 'Connection refused' | head -1
        (get 198.18.0.1 22 {host} /plain) 2>&1 | grep -o 'Connection refused' | head -1
        (ls {folder}) 2>&1 | grep -o 'No such file'
        grep -rl 'PRIVATE KEY' /etc /usr/local/share/ca-certificates 2>/dev/null
        env | grep -ci proxy
        "#,
        folder = house.folder.path().display(),
    );
    let list = list(&[&host, "example.org"]);
    let Some((output, told)) = run(&house, Policy::Record(list), &script) else {
        return;
    };
    expect![[r"
        keel
        3000000
        HTTP/1.0 403 Refused by Seatrial: GET http://forge.example/their/answer
        Content-Type: text/plain; charset=utf-8
        Cache-Control: no-store
        X-Seatrial-Door: refused

        Refused by Seatrial: GET http://forge.example/their/answer
        Why: `forge.example` is not on the list of what is allowed.
        Policy of this box: record. Allowed: HOST, example.org.
        What to do: trying again will not help. Use what is allowed, or what is in the box already. Whoever runs this can add the host to the list of what is allowed.
        198.18.0.1
        HTTP/1.0 403 Refused by Seatrial: GET http://169.254.169.254/latest/meta-data/
        HTTP/1.0 403 Refused by Seatrial: GET http://10.0.0.1/latest/meta-data/
        HTTP/1.0 403 Refused by Seatrial: GET http://127.0.0.1/latest/meta-data/
        HTTP/1.0 403 Refused by Seatrial: GET http://localhost/latest/meta-data/
        Network is unreachable
        Connection refused
        Connection refused
        No such file
        0
    "]]
    .assert_eq(&output.replace(&host, "HOST"));
    let count = |start: &str| told.iter().filter(|event| event.starts_with(start)).count();
    assert_eq!((count("recorded "), count("refused ")), (2, 5), "{told:#?}");
    assert!(told.iter().any(|event| event == "looked up forge.example"), "{told:#?}");

    // The same in another box, from what was recorded; the world is gone.
    drop(outside);
    let script = format!(
        "get 198.18.0.1 80 localhost:80 /plain | head -1 | tr -d '\\r'
        exec 3<>/dev/tcp/198.18.0.1/80
        printf 'GET http://{host}/plain HTTP/1.0\\r\\n\\r\\n' >&3; tail -1 <&3
        exec 3<>/dev/tcp/198.18.0.1/80
        printf 'GET http://{host}/large?3000000 HTTP/1.0\\r\\nRange: bytes=2999999-\\r\\n\\r\\n' >&3; tail -c 1 <&3 | od -An -tu1"
    );
    let (output, told) = run(&house, Policy::Replay, &script).unwrap();
    expect![[r"
        HTTP/1.0 403 Not recorded by Seatrial: GET http://localhost/plain
        keel
          47
    "]]
    .assert_eq(&output);
    assert_eq!(told.len(), 3, "{told:#?}");
}
