//! A box with a door reaches the door and nothing else.

use std::{
    collections::BTreeMap,
    io::{self, Read, Write},
    net::TcpListener,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
};

use expect_test::expect;
use seatrial_sandbox::{Command, Door, DoorSockets, Limits, Network, OpenDoor};

use crate::bench::{Bench, script};

/// Says one thing to whoever comes.
#[derive(Debug)]
pub(crate) struct Greeter;

impl Door for Greeter {
    fn ports(&self) -> Vec<u16> {
        vec![80, 8081]
    }

    fn environment(&self) -> BTreeMap<String, String> {
        BTreeMap::from([("DOOR".to_owned(), "here".to_owned())])
    }

    fn files(&self, of_image: &dyn Fn(&str) -> Option<Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
        let mut names = of_image("/etc/debian_version").unwrap();
        names.extend_from_slice(b"with a door\n");
        BTreeMap::from([("/etc/greeting".to_owned(), names)])
    }

    fn open(&self, sockets: DoorSockets) -> io::Result<Box<dyn OpenDoor>> {
        let closed = Arc::new(AtomicBool::new(false));
        let threads = sockets
            .tcp
            .into_iter()
            .map(|(port, listener)| {
                let closed = Arc::clone(&closed);
                let handle = listener.try_clone().unwrap();
                (handle, std::thread::spawn(move || greet(port, &listener, &closed)))
            })
            .collect();
        Ok(Box::new(Open { closed, threads }))
    }
}

fn greet(port: u16, listener: &TcpListener, closed: &AtomicBool) {
    for stream in listener.incoming() {
        if closed.load(Ordering::SeqCst) {
            return;
        }
        let Ok(mut stream) = stream else { return };
        // The whole request: what is left unread when a connection is closed resets it.
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            let mut part = [0; 4096];
            match stream.read(&mut part).unwrap() {
                0 => break,
                count => request.extend_from_slice(&part[..count]),
            }
        }
        let body = format!("hello on {port}\n");
        write!(
            stream,
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
    }
}

struct Open {
    closed: Arc<AtomicBool>,
    threads: Vec<(TcpListener, JoinHandle<()>)>,
}

impl OpenDoor for Open {}

impl Drop for Open {
    fn drop(&mut self) {
        self.closed.store(true, Ordering::SeqCst);
        for (listener, thread) in self.threads.drain(..) {
            // Whoever waits for a connection wakes with an error.
            rustix::net::shutdown(&listener, rustix::net::Shutdown::Both).unwrap();
            thread.join().unwrap();
        }
    }
}

pub(crate) fn the_door_is_the_only_way_out(bench: &Bench) {
    let mut sandbox = bench.start(Network::Door(Arc::new(Greeter)), Limits::default());
    let asked = r#"
        tail -1 /etc/greeting; echo "$DOOR"
        get() { exec 3<>/dev/tcp/$1/$2 && printf 'GET / HTTP/1.0\r\n\r\n' >&3 && tail -1 <&3; exec 3<&-; }
        get 198.18.0.1 80; get 198.18.0.1 8081
        (get 198.18.0.1 22) 2>&1 | grep -o 'Connection refused' | head -1
        for host in 169.254.169.254 192.168.0.1 8.8.8.8; do (get $host 80) 2>&1 | grep -o 'Network is unreachable' | head -1; done
        cat /etc/resolv.conf
        ls /sys/class/net 2>/dev/null || tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '
    "#;
    let mut output = Vec::new();
    sandbox.exec(&Command::bash(asked), &mut output).unwrap();
    expect![[r#"
        with a door
        here
        hello on 80
        hello on 8081
        Connection refused
        Network is unreachable
        Network is unreachable
        Network is unreachable
        nameserver 198.18.0.1
        lo
    "#]]
    .assert_eq(&String::from_utf8_lossy(&output));
}

pub(crate) fn the_door_is_there_again_after_going_back(bench: &Bench) {
    let mut sandbox = bench.start(Network::Door(Arc::new(Greeter)), Limits::default());
    let ask = "exec 3<>/dev/tcp/198.18.0.1/80 && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && tail -1 <&3";
    let before = sandbox.snapshot().unwrap();
    script(&mut *sandbox, "rm /etc/greeting");
    assert_eq!(script(&mut *sandbox, ask), "hello on 80\n");
    sandbox.rollback(&before).unwrap();
    assert_eq!(script(&mut *sandbox, ask), "hello on 80\n");
    assert_eq!(
        script(&mut *sandbox, "tail -1 /etc/greeting; cat /etc/resolv.conf"),
        "with a door\nnameserver 198.18.0.1\n"
    );
}
