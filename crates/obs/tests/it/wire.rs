//! A loopback HTTP server that answers by a function of the test, and breaks where the test says so.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// A question as it came.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) method: String,
    /// Path and query.
    pub(crate) target: String,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// Method and target in one.
    pub(crate) fn line(&self) -> String {
        format!("{} {}", self.method, self.target)
    }

    pub(crate) fn parameter(&self, name: &str) -> Option<String> {
        let (_, query) = self.target.split_once('?')?;
        query
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value.replace("%20", " "))
    }
}

/// What comes back.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// An answer.
    Whole(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// An answer that promises more than it brings.
    Cut(Vec<u8>, usize),
    /// The connection ends without a word.
    Drop,
    /// Nothing comes for as long as the client waits.
    Silence,
}

impl Reply {
    pub(crate) fn xml(text: impl Into<String>) -> Self {
        Self::with(200, text)
    }

    pub(crate) fn with(status: u16, text: impl Into<String>) -> Self {
        Self::Whole(
            status,
            vec![("Content-Type", "application/xml".to_owned())],
            text.into().into_bytes(),
        )
    }

    pub(crate) fn status(status: u16, summary: &str) -> Self {
        Self::with(
            status,
            format!("<status code=\"{status}\"><summary>{summary}</summary></status>"),
        )
    }
}

type Answer = dyn Fn(&Asked) -> Reply + Send + Sync;

pub(crate) struct Server {
    pub(crate) api: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    over: Arc<AtomicBool>,
}

impl Server {
    pub(crate) fn start(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let api = format!("http://{}", listener.local_addr().unwrap());
        let (asked, over) = (Arc::default(), Arc::new(AtomicBool::new(false)));
        let server = Self {
            api,
            asked: Arc::clone(&asked),
            over: Arc::clone(&over),
        };
        let answer: Arc<Answer> = Arc::new(answer);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if over.load(Ordering::Relaxed) {
                    return;
                }
                let (answer, asked, over) = (Arc::clone(&answer), Arc::clone(&asked), Arc::clone(&over));
                std::thread::spawn(move || serve(stream.unwrap(), &*answer, &asked, &over));
            }
        });
        server
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// How many questions begin like this.
    pub(crate) fn count(&self, begin: &str) -> usize {
        self.asked()
            .iter()
            .filter(|asked| asked.line().starts_with(begin))
            .count()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        // Wakes the loop, so that the port is free again.
        drop(TcpStream::connect(self.api.trim_start_matches("http://")));
    }
}

fn serve(stream: TcpStream, answer: &Answer, log: &Mutex<Vec<Asked>>, over: &AtomicBool) {
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    while let Some(asked) = read(&mut reader) {
        log.lock().unwrap().push(asked.clone());
        let sent = match answer(&asked) {
            Reply::Whole(status, headers, body) => {
                let mut head = format!("HTTP/1.1 {status} Word\r\nContent-Length: {}\r\n", body.len());
                for (name, value) in headers {
                    head.push_str(&format!("{name}: {value}\r\n"));
                }
                head.push_str("\r\n");
                stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body))
            }
            Reply::Cut(body, promised) => {
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {promised}\r\n\r\n");
                drop(stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body)));
                return;
            }
            Reply::Drop => return,
            Reply::Silence => {
                let mut byte = [0];
                stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
                while !over.load(Ordering::Relaxed) && !matches!(stream.read(&mut byte), Ok(0)) {}
                return;
            }
        };
        if sent.is_err() {
            return;
        }
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Asked> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':')?;
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
    let mut asked = Asked {
        method,
        target,
        headers,
        body: Vec::new(),
    };
    let length = asked.header("content-length").map_or(0, |text| text.parse().unwrap());
    asked.body = vec![0; length];
    reader.read_exact(&mut asked.body).ok()?;
    Some(asked)
}
