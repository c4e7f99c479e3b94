//! A registry that behaves as a test wants it to: asks for tokens, cuts connections, sends the wrong thing.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
};

/// A request, with names of headers in small letters.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) headers: BTreeMap<String, String>,
}

/// An answer: status, headers, body, and how many bytes of the body are sent before the connection is cut.
pub(crate) struct Answer(
    pub(crate) u16,
    pub(crate) Vec<(&'static str, String)>,
    pub(crate) Vec<u8>,
    pub(crate) usize,
);

impl Answer {
    pub(crate) fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self(200, Vec::new(), body.into(), usize::MAX)
    }

    pub(crate) fn status(status: u16) -> Self {
        Self(status, Vec::new(), Vec::new(), usize::MAX)
    }
}

type Behaviour = dyn Fn(&Asked, usize) -> Answer + Send + Sync;

/// The server; it ends with this value.
pub(crate) struct Pretend {
    pub(crate) host: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Pretend {
    /// Starts it. It is told how often the same path was asked for before.
    pub(crate) fn start(behaviour: impl Fn(&Asked, usize) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let (asked, over) = (Arc::default(), Arc::new(AtomicBool::new(false)));
        let (list, end): (Arc<Mutex<Vec<Asked>>>, _) = (Arc::clone(&asked), Arc::clone(&over));
        let behaviour: Box<Behaviour> = Box::new(behaviour);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if end.load(Ordering::SeqCst) {
                    break;
                }
                // One at a time: a client asks one thing after the other. Who goes away in the midst of an answer may.
                drop(serve(&stream, &behaviour, &list));
            }
        });
        Self {
            host,
            asked,
            over,
            thread: Some(thread),
        }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Pretend {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(&self.host));
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn serve(stream: &TcpStream, behaviour: &Behaviour, list: &Mutex<Vec<Asked>>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    let mut asked = Asked {
        path: first.split(' ').nth(1).unwrap_or_default().to_owned(),
        headers: BTreeMap::new(),
    };
    for line in lines {
        let line = line?;
        let Some((name, value)) = line.split_once(':') else {
            break;
        };
        asked.headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let before = {
        let mut list = list.lock().unwrap();
        let before = list.iter().filter(|known| known.path == asked.path).count();
        list.push(asked.clone());
        before
    };
    let Answer(status, headers, body, most) = behaviour(&asked, before);
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status} x\r\nConnection: close\r\nContent-Length: {}\r\n",
        body.len()
    )?;
    for (name, value) in headers {
        write!(stream, "{name}: {value}\r\n")?;
    }
    stream.write_all(b"\r\n")?;
    stream.write_all(&body[..most.min(body.len())])
}
