//! What a box's network door costs: a small request and a large body, directly and through doors that pass on, record and
//! replay, over http and https; and the same from inside a real box. All in one run, in turns, so that a busy machine slows
//! all of them alike. Prints tables; asserts nothing about time.
//!
//! Server, door and client share this machine's processors, which is harder on the door than a network would be.
//! `--rounds N` says how often (3), `--mebibytes N` how large the body is (1024). `SEATRIAL_BENCH_HOME` names the data
//! folder with an image for the part inside a box; the one of the tests is the default.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench talks to a person and may fail"
)]

use std::{
    collections::BTreeMap,
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream, UdpSocket},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use rustls::{
    ClientConfig, ClientConnection, RootCertStore, ServerConnection, StreamOwned,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};
use seatrial_core::Platform;
use seatrial_egress::{AllowList, Authority, DoorSpec, Egress, EgressConfig, Policy};
use seatrial_sandbox::{
    BoxSpec, Command, Door, DoorSockets, ImageStore, Limits, NativeFactory, Network, OpenDoor, SandboxFactory,
};
use seatrial_store::Home;

/// Small requests of one turn.
const SMALL: usize = 100;
/// Bytes that a usual link carries in a second.
const LINK: f64 = 125e6;
/// What is read and written at a time.
const PIECE: usize = 256 << 10;

fn main() -> std::process::ExitCode {
    if seatrial_sandbox::is_helper_invocation() {
        return seatrial_sandbox::helper_main();
    }
    let option = |name: &str, default: usize| {
        let mut words = std::env::args().skip_while(|word| word != name).skip(1);
        words.next().and_then(|number| number.parse().ok()).unwrap_or(default)
    };
    let (rounds, bytes) = (option("--rounds", 3), option("--mebibytes", 1024) << 20);
    let folder = tempfile::tempdir().unwrap();
    let authority = Arc::new(Authority::open(&folder.path().join("world")).unwrap());
    let servers = [serve(None), serve(Some(&authority))];
    let home = Home::open(folder.path().join("home")).unwrap();
    let mut config = EgressConfig::new(folder.path().join("door"), home.blobs());
    config.extra_roots = authority.certificate().as_bytes().to_vec();
    let egress = Egress::new(config).unwrap();

    for (scheme, server) in ["http", "https"].into_iter().zip(servers) {
        measure(
            scheme,
            "/large",
            server,
            &egress,
            &authority,
            folder.path(),
            rounds,
            bytes,
        );
        // A quarter is enough to see a limit.
        measure(
            scheme,
            "/paced",
            server,
            &egress,
            &authority,
            folder.path(),
            rounds,
            bytes / 4,
        );
    }
    in_a_box(servers[0], &egress, rounds, bytes);
    opening(&egress);
    std::process::ExitCode::SUCCESS
}

/// One table.
#[expect(clippy::too_many_arguments, reason = "one call, and each is another thing")]
fn measure(
    scheme: &str,
    path: &str,
    server: u16,
    egress: &Egress,
    world: &Authority,
    folder: &Path,
    rounds: usize,
    bytes: usize,
) {
    let name = format!("{scheme}-{}", path.trim_start_matches('/'));
    let index = folder.join(format!("{name}.jsonl"));
    let list = AllowList::new([format!("localhost:{server}").as_str()]).unwrap();
    let door = |policy| {
        let index = Some(index.clone());
        let observer: seatrial_egress::Observer = Arc::new(|_| {});
        egress
            .door(DoorSpec {
                policy,
                index,
                observer,
            })
            .unwrap()
    };
    let trusting = |authority: &Authority| (scheme == "https").then(|| trust(authority));
    // What is replayed has to be recorded first.
    {
        let open = Opened::new(&door(Policy::Record(list.clone())), server);
        let tls = trusting(egress.authority());
        small(&mut Client::new(open.address, tls.as_ref()), server, 1);
        large(&mut Client::new(open.address, tls.as_ref()), server, path, bytes);
    }
    let ways = [
        ("directly", None),
        ("allow", Some(Opened::new(&door(Policy::Allow(list.clone())), server))),
        ("record", {
            let index = Some(folder.join(format!("{name}-again.jsonl")));
            let observer: seatrial_egress::Observer = Arc::new(|_| {});
            let policy = Policy::Record(list);
            let door = egress
                .door(DoorSpec {
                    policy,
                    index,
                    observer,
                })
                .unwrap();
            Some(Opened::new(&door, server))
        }),
        ("replay", Some(Opened::new(&door(Policy::Replay), server))),
    ];
    let mut times: BTreeMap<&str, Taken> = BTreeMap::new();
    for _ in 0..rounds {
        for (name, open) in &ways {
            let (address, tls) = match open {
                None => (SocketAddr::from(([127, 0, 0, 1], server)), trusting(world)),
                Some(open) => (open.address, trusting(egress.authority())),
            };
            let taken = times.entry(name).or_default();
            taken
                .small
                .extend(small(&mut Client::new(address, tls.as_ref()), server, SMALL));
            let busy = processor_time();
            taken
                .large
                .push(large(&mut Client::new(address, tls.as_ref()), server, path, bytes));
            taken.busy.push(processor_time().saturating_sub(busy));
        }
    }
    let pace = if path == "/paced" {
        ", from a server that sends 1 Gbit/s"
    } else {
        ""
    };
    println!("{scheme}, {} MiB, {rounds} rounds{pace}", bytes >> 20);
    table(ways.iter().map(|(name, _)| *name), &mut times, bytes);
}

/// What the turns of one way took.
#[derive(Default)]
struct Taken {
    small: Vec<Duration>,
    large: Vec<Duration>,
    /// Of all of server, door and client.
    busy: Vec<Duration>,
}

/// Processor time that this program has used.
fn processor_time() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields = text.rsplit_once(')').unwrap().1;
    let ticks: u64 = fields
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(|ticks| ticks.parse::<u64>().unwrap())
        .sum();
    Duration::from_millis(ticks * 10)
}

/// Small requests by their median, large bodies by their best.
fn table<'a>(ways: impl Iterator<Item = &'a str>, times: &mut BTreeMap<&'a str, Taken>, bytes: usize) {
    println!(
        "{:<22} {:>13} {:>10} {:>12} {:>10} {:>16}",
        "way", "small request", "added", "large body", "of direct", "processor time"
    );
    let mut first = None;
    for way in ways {
        let Some(taken) = times.get_mut(way) else { continue };
        taken.small.sort_unstable();
        let small = taken.small[taken.small.len() / 2].as_secs_f64() * 1000.0;
        let speed = bytes as f64 / taken.large.iter().min().unwrap().as_secs_f64() / f64::from(1 << 20);
        let busy = taken.busy.iter().min().map_or_else(String::new, |busy| {
            let each = busy.as_secs_f64() * f64::from(1 << 30) / bytes as f64;
            format!("{each:>10.2} s/GiB")
        });
        let (direct, fastest) = *first.get_or_insert((small, speed));
        println!(
            "{way:<22} {small:>10.3} ms {:>7.3} ms {speed:>6.0} MiB/s {:>8.0} % {busy}",
            small - direct,
            100.0 * speed / fastest
        );
    }
    println!();
}

/// From within a box: a client in Perl, which every Debian has.
fn in_a_box(server: u16, egress: &Egress, rounds: usize, bytes: usize) {
    const CLIENT: &str = r#"
        use IO::Socket::INET; use Time::HiRes qw(time); $| = 1;
        my ($host, $port, $count, $bytes) = @ARGV;
        sub ask { my ($s, $path) = @_; print $s "GET $path HTTP/1.1\r\nHost: localhost:$port\r\n\r\n"; }
        sub head { my ($s) = @_; my ($all, $b) = ("", ""); until ($all =~ /\r\n\r\n/) { sysread($s, $b, 65536) or die "head"; $all .= $b; }
            $all =~ /\r\n\r\n(.*)/s; return length $1; }
        my $s = IO::Socket::INET->new(PeerAddr => $host, PeerPort => $port) or die $!; $s->autoflush(1);
        for (1..$count) { my $t = time; ask($s, "/small"); my $n = head($s); while ($n < 5) { $n += sysread($s, my $b, 65536) or die "body"; } printf "small %.6f\n", time - $t; }
        $s = IO::Socket::INET->new(PeerAddr => $host, PeerPort => $port) or die $!; $s->autoflush(1);
        my $t = time; ask($s, "/large?$bytes"); my $n = head($s);
        while ($n < $bytes) { my $got = sysread($s, my $b, 262144); die "short" unless $got; $n += $got; } printf "large %.6f\n", time - $t;
    "#;
    let set = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let root = set("SEATRIAL_BENCH_HOME")
        .or_else(|| set("SEATRIAL_TEST_HOME"))
        .unwrap_or_else(|| {
            set("XDG_CACHE_HOME")
                .or_else(|| set("HOME").map(|home| home.join(".cache")))
                .unwrap()
                .join("seatrial/test-home")
        });
    let home = Home::open(root).unwrap();
    let helper = std::env::current_exe().unwrap();
    let found = ImageStore::new(&home, helper.clone()).find(&Platform::default_host());
    let Ok(Some(image)) = found else {
        println!("inside a box: skipped: no image in {}", home.root().display());
        return;
    };
    let factory = match NativeFactory::new(&home, helper) {
        Ok(factory) => factory,
        Err(error) => {
            println!("inside a box: skipped: {error}");
            return;
        }
    };
    let policy = Policy::Allow(AllowList::new([format!("localhost:{server}").as_str()]).unwrap());
    let observer: seatrial_egress::Observer = Arc::new(|_| {});
    let door = egress
        .door(DoorSpec {
            policy,
            index: None,
            observer,
        })
        .unwrap();
    let ways = [
        ("this machine, direct", None, "127.0.0.1".to_owned()),
        (
            "box, door (allow)",
            Some(Network::Door(door)),
            seatrial_sandbox::DOOR_ADDRESS.to_string(),
        ),
    ];
    let mut times: BTreeMap<&str, Taken> = BTreeMap::new();
    for _ in 0..rounds {
        for (name, network, address) in &ways {
            let mut command = Command::bash("");
            let words = [
                address.clone(),
                server.to_string(),
                SMALL.to_string(),
                bytes.to_string(),
            ];
            command.argv = ["perl", "-e", CLIENT]
                .map(str::to_owned)
                .into_iter()
                .chain(words)
                .collect();
            let (succeeded, output) = if let Some(network) = network {
                let spec = BoxSpec {
                    image: image.id,
                    limits: Limits::default(),
                    network: network.clone(),
                };
                let mut sandbox = factory.start(&spec).unwrap();
                let mut output = Vec::new();
                (sandbox.exec(&command, &mut output).unwrap().succeeded(), output)
            } else {
                let (program, words) = command.argv.split_first().unwrap();
                let done = std::process::Command::new(program).args(words).output().unwrap();
                (done.status.success(), done.stdout)
            };
            let output = String::from_utf8_lossy(&output);
            if !succeeded {
                println!("inside a box: skipped: {name}: {output}");
                return;
            }
            let taken = times.entry(name).or_default();
            for line in output.lines() {
                match line.split_once(' ') {
                    Some(("small", time)) => taken.small.push(Duration::from_secs_f64(time.parse().unwrap())),
                    Some(("large", time)) => taken.large.push(Duration::from_secs_f64(time.parse().unwrap())),
                    _ => {}
                }
            }
        }
    }
    println!("http from inside a box, {} MiB, {rounds} rounds", bytes >> 20);
    table(ways.iter().map(|(name, ..)| *name), &mut times, bytes);
}

/// What a door adds to the start and the end of a box.
fn opening(egress: &Egress) {
    let observer: seatrial_egress::Observer = Arc::new(|_| {});
    let policy = Policy::Allow(AllowList::registries());
    let door = egress
        .door(DoorSpec {
            policy,
            index: None,
            observer,
        })
        .unwrap();
    let bundle = std::fs::read("/etc/ssl/certs/ca-certificates.crt").ok();
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..100 {
        let begun = Instant::now();
        let files = door.files(&|path: &str| path.ends_with("ca-certificates.crt").then(|| bundle.clone()).flatten());
        times[0].push(begun.elapsed());
        drop(files);
        let begun = Instant::now();
        let open = Opened::new(&door, 80);
        times[1].push(begun.elapsed());
        let begun = Instant::now();
        drop(open);
        times[2].push(begun.elapsed());
    }
    println!("what a door adds to a box, median of 100");
    for (name, mut times) in ["its files", "opening", "closing"].into_iter().zip(times) {
        times.sort_unstable();
        println!("{name:<22} {:>10.3} ms", times[times.len() / 2].as_secs_f64() * 1000.0);
    }
}

/// An open door with one port, on loopback.
struct Opened {
    address: SocketAddr,
    _open: Box<dyn OpenDoor>,
}

impl Opened {
    fn new(door: &Arc<dyn Door>, port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let sockets = DoorSockets {
            tcp: vec![(port, listener)],
            dns_udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
            dns_tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
        };
        Self {
            address,
            _open: door.open(sockets).unwrap(),
        }
    }
}

fn trust(authority: &Authority) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    let certificate = CertificateDer::from_pem_slice(authority.certificate().as_bytes()).unwrap();
    roots.add(certificate).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    Arc::new(config)
}

trait Stream: Read + Write {}
impl<S: Read + Write> Stream for S {}

struct Client {
    stream: Box<dyn Stream>,
    buffer: Vec<u8>,
}

impl Client {
    fn new(address: SocketAddr, tls: Option<&Arc<ClientConfig>>) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        let stream: Box<dyn Stream> = match tls {
            None => Box::new(stream),
            Some(config) => {
                let name = ServerName::try_from("localhost").unwrap();
                let connection = ClientConnection::new(Arc::clone(config), name).unwrap();
                Box::new(StreamOwned::new(connection, stream))
            }
        };
        Self {
            stream,
            buffer: vec![0; PIECE],
        }
    }

    /// Reads a whole answer to a `GET`.
    fn get(&mut self, server: u16, path: &str) -> usize {
        write!(self.stream, "GET {path} HTTP/1.1\r\nHost: localhost:{server}\r\n\r\n").unwrap();
        self.stream.flush().unwrap();
        let mut filled = 0;
        let end = loop {
            let count = self.stream.read(&mut self.buffer[filled..]).unwrap();
            assert!(count > 0, "the head of an answer");
            filled += count;
            if let Some(at) = self.buffer[..filled].windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                break at + 4;
            }
        };
        let head = String::from_utf8_lossy(&self.buffer[..end]).to_ascii_lowercase();
        assert!(head.starts_with("http/1.1 200"), "{head}");
        let length: usize = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "))
            .and_then(|length| length.trim().parse().ok())
            .unwrap();
        let mut got = filled - end;
        while got < length {
            let count = self.stream.read(&mut self.buffer).unwrap();
            assert!(count > 0, "broken off after {got} bytes");
            got += count;
        }
        got
    }
}

fn small(client: &mut Client, server: u16, count: usize) -> Vec<Duration> {
    // The first one pays for the connections.
    client.get(server, "/small");
    (0..count)
        .map(|_| {
            let begun = Instant::now();
            client.get(server, "/small");
            begun.elapsed()
        })
        .collect()
}

fn large(client: &mut Client, server: u16, path: &str, bytes: usize) -> Duration {
    let begun = Instant::now();
    assert_eq!(client.get(server, &format!("{path}?{bytes}")), bytes);
    begun.elapsed()
}

/// A server on loopback that lives as long as the program; returns its port.
fn serve(authority: Option<&Arc<Authority>>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let authority = authority.map(Arc::clone);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            stream.set_nodelay(true).unwrap();
            let authority = authority.clone();
            std::thread::spawn(move || match authority {
                None => answer(stream),
                Some(authority) => {
                    let config = authority.server_config("localhost").unwrap();
                    answer(StreamOwned::new(ServerConnection::new(config).unwrap(), stream));
                }
            });
        }
    });
    port
}

/// Answers as long as somebody asks.
fn answer(mut stream: impl Read + Write) {
    let piece = vec![7; PIECE];
    let mut rest = Vec::new();
    let mut buffer = vec![0; 16 << 10];
    loop {
        while let Some(end) = rest.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&rest[..end]).into_owned();
            rest.drain(..end + 4);
            let path = head.split(' ').nth(1).unwrap_or_default();
            let (kind, length) = path.split_once('?').unwrap_or((path, "5"));
            let length: usize = length.parse().unwrap();
            let begun = Instant::now();
            let mut answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n").into_bytes();
            answer.extend_from_slice(&piece[..length.min(5)]);
            if stream.write_all(&answer).is_err() {
                return;
            }
            let mut left = length - length.min(5);
            while left > 0 {
                let count = left.min(PIECE);
                if stream.write_all(&piece[..count]).is_err() {
                    return;
                }
                left -= count;
                if kind == "/paced" {
                    let due = Duration::from_secs_f64((length - left) as f64 / LINK);
                    std::thread::sleep(due.saturating_sub(begun.elapsed()));
                }
            }
            if stream.flush().is_err() {
                return;
            }
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(count) => rest.extend_from_slice(&buffer[..count]),
        }
    }
}
