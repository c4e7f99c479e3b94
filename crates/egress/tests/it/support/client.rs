//! A client that speaks HTTP byte by byte, so that a test sees what really came.

use std::{
    io::{self, Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    sync::Arc,
    time::Duration,
};

use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};

enum Wire {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

/// One connection.
pub(crate) struct Client {
    wire: Wire,
    /// Read and not yet taken.
    rest: Vec<u8>,
}

/// What came back.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) phrase: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// Whether the body came to the end that was announced.
    pub(crate) whole: bool,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(found, _)| found == name)
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl Client {
    pub(crate) fn plain(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        // A test that hangs says nothing; one that fails does.
        stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        Self {
            wire: Wire::Plain(stream),
            rest: Vec::new(),
        }
    }

    /// Speaks TLS from here on.
    pub(crate) fn tls(self, name: &str, authority: &str) -> Self {
        self.try_tls(name, authority).unwrap()
    }

    pub(crate) fn try_tls(self, name: &str, authority: &str) -> io::Result<Self> {
        let Wire::Plain(mut stream) = self.wire else {
            panic!("TLS already")
        };
        let mut roots = RootCertStore::empty();
        roots
            .add(CertificateDer::from_pem_slice(authority.as_bytes()).unwrap())
            .unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = ServerName::try_from(name.to_owned()).unwrap();
        let mut connection = ClientConnection::new(Arc::new(config), name).unwrap();
        connection.complete_io(&mut stream)?;
        Ok(Self {
            wire: Wire::Tls(Box::new(StreamOwned::new(connection, stream))),
            rest: Vec::new(),
        })
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.try_send(bytes).unwrap();
    }

    pub(crate) fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        match &mut self.wire {
            Wire::Plain(stream) => stream.write_all(bytes.as_ref()),
            Wire::Tls(stream) => stream.write_all(bytes.as_ref()).and_then(|()| stream.flush()),
        }
    }

    /// Says that nothing more will be sent.
    pub(crate) fn finish(&mut self) {
        match &mut self.wire {
            Wire::Plain(stream) => stream.shutdown(Shutdown::Write).unwrap(),
            Wire::Tls(stream) => stream.sock.shutdown(Shutdown::Write).unwrap(),
        }
    }

    /// A `GET` with more header lines, each with its line end.
    pub(crate) fn get(&mut self, host: &str, path: &str, more: &str) -> Reply {
        self.send(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n"));
        self.reply()
    }

    pub(crate) fn head(&mut self, host: &str, path: &str, more: &str) -> Reply {
        self.send(format!("HEAD {path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n"));
        self.reply_to("HEAD")
    }

    pub(crate) fn post(&mut self, host: &str, path: &str, body: &str) -> Reply {
        let length = body.len();
        self.send(format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n{body}"
        ));
        self.reply()
    }

    pub(crate) fn reply(&mut self) -> Reply {
        self.reply_to("GET")
    }

    pub(crate) fn reply_to(&mut self, method: &str) -> Reply {
        loop {
            let Some(head) = self.until(b"\r\n\r\n") else {
                // What breaks off soon may do so before its head is sent.
                return Reply::default();
            };
            let head = String::from_utf8_lossy(&head).into_owned();
            let mut lines = head.split("\r\n");
            let mut first = lines.next().unwrap().splitn(3, ' ');
            let (_, status) = (first.next().unwrap(), first.next().unwrap().parse().unwrap());
            let mut reply = Reply {
                status,
                phrase: first.next().unwrap_or_default().to_owned(),
                headers: lines
                    .filter_map(|line| line.split_once(": "))
                    .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
                    .collect(),
                body: Vec::new(),
                whole: true,
            };
            if status == 100 {
                continue;
            }
            if method == "HEAD" || status == 204 || status == 304 {
                return reply;
            }
            if reply.header("transfer-encoding") == Some("chunked") {
                reply.whole = self.chunks(&mut reply.body);
            } else if let Some(length) = reply.header("content-length").map(|length| length.parse().unwrap()) {
                reply.whole = self.exactly(length, &mut reply.body);
            } else if method != "CONNECT" {
                reply.whole = self.rest(&mut reply.body);
            }
            return reply;
        }
    }

    fn chunks(&mut self, body: &mut Vec<u8>) -> bool {
        loop {
            let Some(line) = self.until(b"\r\n") else { return false };
            let line = String::from_utf8_lossy(&line).into_owned();
            let length = usize::from_str_radix(line.trim(), 16).unwrap();
            if length == 0 {
                // Trailers, and the empty line behind them.
                while let Some(line) = self.until(b"\r\n") {
                    if line.len() == 2 {
                        return true;
                    }
                }
                return false;
            }
            if !self.exactly(length, body) || self.until(b"\r\n").is_none() {
                return false;
            }
        }
    }

    fn exactly(&mut self, length: usize, body: &mut Vec<u8>) -> bool {
        while self.rest.len() < length {
            if !self.more().unwrap_or(false) {
                body.append(&mut self.rest);
                return false;
            }
        }
        body.extend(self.rest.drain(..length));
        true
    }

    /// Reads to the end; whether that was an orderly one.
    pub(crate) fn rest(&mut self, body: &mut Vec<u8>) -> bool {
        let orderly = loop {
            match self.more() {
                Ok(true) => {}
                Ok(false) => break true,
                Err(error) => {
                    assert_ne!(error.kind(), io::ErrorKind::WouldBlock, "nobody ends this connection");
                    break false;
                }
            }
        };
        body.append(&mut self.rest);
        orderly
    }

    fn until(&mut self, end: &[u8]) -> Option<Vec<u8>> {
        loop {
            if let Some(at) = self.rest.windows(end.len()).position(|window| window == end) {
                return Some(self.rest.drain(..at + end.len()).collect());
            }
            if !self.more().unwrap_or(false) {
                return None;
            }
        }
    }

    /// Reads something; false at the end.
    pub(crate) fn more(&mut self) -> io::Result<bool> {
        let mut piece = [0; 16384];
        let count = match &mut self.wire {
            Wire::Plain(stream) => stream.read(&mut piece)?,
            Wire::Tls(stream) => stream.read(&mut piece)?,
        };
        self.rest.extend_from_slice(&piece[..count]);
        Ok(count > 0)
    }
}
