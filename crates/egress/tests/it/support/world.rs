//! What a door reaches: a server over http and one over https, which behave as a path says, well or badly.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::JoinHandle,
};

use rustls::{ServerConnection, StreamOwned};
use seatrial_egress::AllowList;

use super::authority_of_the_world;

/// A request as the world saw it.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) line: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(found, _)| found == name)
            .map(|(_, value)| value.as_str())
    }
}

/// A server.
pub(crate) struct Server {
    pub(crate) port: u16,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    seen: Mutex<Vec<Seen>>,
    connections: AtomicUsize,
    closed: AtomicBool,
    /// Streams that are to be ended with the server.
    open: Mutex<Vec<TcpStream>>,
}

/// Both servers.
pub(crate) struct World {
    pub(crate) http: Server,
    pub(crate) https: Server,
}

impl World {
    pub(crate) fn new() -> Self {
        Self {
            http: Server::start(false),
            https: Server::start(true),
        }
    }

    /// Lets both through.
    pub(crate) fn list(&self) -> AllowList {
        let entries = [self.http.authority(), self.https.authority()];
        AllowList::new(entries.iter().map(String::as_str)).unwrap()
    }
}

/// A body that is told from its neighbours and from itself when it is shifted.
pub(crate) fn large(length: usize) -> Vec<u8> {
    (0..length).map(|place| (place % 251) as u8).collect()
}

impl Server {
    fn start(tls: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared::default());
        let inner = Arc::clone(&shared);
        let thread = std::thread::spawn(move || {
            let mut threads = Vec::new();
            for stream in listener.incoming() {
                if inner.closed.load(Ordering::SeqCst) {
                    break;
                }
                let stream = stream.unwrap();
                stream.set_nodelay(true).unwrap();
                inner.connections.fetch_add(1, Ordering::SeqCst);
                inner.open.lock().unwrap().push(stream.try_clone().unwrap());
                let inner = Arc::clone(&inner);
                threads.push(std::thread::spawn(move || {
                    let raw = stream.try_clone().unwrap();
                    if tls {
                        let config = authority_of_the_world().server_config("localhost").unwrap();
                        let connection = ServerConnection::new(config).unwrap();
                        let mut stream = StreamOwned::new(connection, stream);
                        drop(serve(&inner, &mut stream, &raw));
                        stream.conn.send_close_notify();
                        drop(stream.flush());
                    } else {
                        drop(serve(&inner, &mut (&stream), &raw));
                    }
                    drop(raw.shutdown(Shutdown::Both));
                }));
            }
            for thread in threads {
                thread.join().unwrap();
            }
        });
        Self {
            port,
            shared,
            thread: Some(thread),
        }
    }

    /// Host and port.
    pub(crate) fn authority(&self) -> String {
        format!("localhost:{}", self.port)
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().unwrap().clone()
    }

    pub(crate) fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::SeqCst);
        for stream in self.shared.open.lock().unwrap().drain(..) {
            drop(stream.shutdown(Shutdown::Both));
        }
        drop(TcpStream::connect(("127.0.0.1", self.port)));
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

fn serve<S: Read + Write>(shared: &Shared, stream: &mut S, raw: &TcpStream) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let Some(request) = read(&mut reader)? else {
            return Ok(());
        };
        let turn = {
            let mut seen = shared.seen.lock().unwrap();
            seen.push(request.clone());
            seen.iter().filter(|other| other.line == request.line).count()
        };
        if !answer(&request, turn, reader.get_mut(), raw)? {
            return Ok(());
        }
    }
}

fn read<S: Read>(reader: &mut BufReader<S>) -> io::Result<Option<Seen>> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end().to_owned();
        if line.is_empty() {
            break;
        }
        lines.push(line);
    }
    let mut request = Seen {
        line: lines.remove(0),
        headers: lines
            .iter()
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect(),
        body: Vec::new(),
    };
    if let Some(length) = request.header("content-length").map(|length| length.parse().unwrap()) {
        request.body = vec![0; length];
        reader.read_exact(&mut request.body)?;
    } else if request.header("transfer-encoding") == Some("chunked") {
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let length = usize::from_str_radix(line.trim(), 16).unwrap();
            let mut piece = vec![0; length + 2];
            reader.read_exact(&mut piece)?;
            request.body.extend_from_slice(&piece[..length]);
            if length == 0 {
                break;
            }
        }
    }
    Ok(Some(request))
}

/// Answers by the path; whether the connection may go on.
fn answer<S: Write>(request: &Seen, turn: usize, out: &mut S, raw: &TcpStream) -> io::Result<bool> {
    let mut words = request.line.split(' ');
    let (method, target) = (words.next().unwrap(), words.next().unwrap());
    let path = match target.strip_prefix("http://") {
        // As a proxy is asked.
        Some(rest) => rest.find('/').map_or("/", |at| &rest[at..]),
        None => target,
    };
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let reply = |out: &mut S, head: &str, body: &[u8]| -> io::Result<bool> {
        write!(out, "HTTP/1.1 {head}\r\nContent-Length: {}\r\n\r\n", body.len())?;
        if method != "HEAD" {
            out.write_all(body)?;
        }
        out.flush()?;
        Ok(true)
    };
    match path {
        "/plain" => reply(out, "200 OK\r\nContent-Type: text/plain\r\nETag: \"keel\"", b"keel\n"),
        "/phrase" => reply(out, "200 Aye Aye\r\nX-Two: 1\r\nX-Two: 2", b"aye"),
        "/latin" => {
            out.write_all(b"HTTP/1.1 200 OK\r\nX-Name: caf\xe9\r\nContent-Length: 0\r\n\r\n")?;
            Ok(true)
        }
        "/empty" => reply(out, "204 No Content", b""),
        "/missing" => reply(out, "404 Not Found", b"no such thing"),
        "/redirect" => reply(out, "302 Found\r\nLocation: /plain", b""),
        "/error" => reply(out, "500 Internal Server Error", b"broken"),
        "/large" => {
            let body = large(query.parse().unwrap());
            reply(out, "200 OK\r\nLast-Modified: Mon, 30 Nov 2020 09:00:00 GMT", &body)
        }
        "/turn" => reply(out, "200 OK", format!("turn {turn}\n").as_bytes()),
        "/vary" => {
            let body = format!("for {}\n", request.header("accept").unwrap_or("-"));
            reply(out, "200 OK\r\nVary: Accept, User-Agent", body.as_bytes())
        }
        // Not decoded by anybody: what is in it is no gzip at all.
        "/gzip" => reply(out, "200 OK\r\nContent-Encoding: gzip", b"\x1f\x8b not really"),
        "/echo" => reply(out, "200 OK", &request.body),
        "/chunked" => {
            write!(
                out,
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
            )?;
            if method != "HEAD" {
                write!(out, "4\r\nkeel\r\n6\r\n and k\r\n5\r\neel2\n\r\n0\r\nX-Sum: 15\r\n\r\n")?;
            }
            out.flush()?;
            Ok(true)
        }
        "/until-close" => {
            write!(out, "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nto the end\n")?;
            out.flush()?;
            Ok(false)
        }
        "/broken" => {
            write!(out, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")?;
            out.flush()?;
            Ok(false)
        }
        "/broken-chunks" => {
            write!(
                out,
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nonly this\r\n"
            )?;
            out.flush()?;
            Ok(false)
        }
        "/broken-once" if turn == 1 => {
            write!(out, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\non")?;
            out.flush()?;
            Ok(false)
        }
        "/broken-once" => reply(out, "200 OK", b"all of it"),
        // Begins, and says nothing more until the other side goes away.
        "/stalled" => {
            write!(out, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")?;
            out.flush()?;
            drop(io::copy(&mut (&*raw), &mut io::sink()));
            Ok(false)
        }
        "/silent" => {
            drop(io::copy(&mut (&*raw), &mut io::sink()));
            Ok(false)
        }
        "/nonsense" => {
            out.write_all(b"this is no HTTP\r\n\r\n")?;
            out.flush()?;
            Ok(false)
        }
        _ => reply(out, "404 Not Found", b""),
    }
}
