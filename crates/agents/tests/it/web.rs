//! A web server on the loopback address, and pages of any host that come from it.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread::JoinHandle,
};

use seatrial_tools::{Page, PageSource, ToolFailure};

/// A server that has some pages, by `host/path`.
pub(crate) struct Web {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    thread: Option<JoinHandle<()>>,
}

impl Web {
    pub(crate) fn start(pages: &[(&str, &str)]) -> Self {
        let pages: BTreeMap<String, String> = pages
            .iter()
            .map(|(path, text)| (format!("/{path}"), (*text).to_owned()))
            .collect();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&asked);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { continue };
                let mut line = String::new();
                BufReader::new(&stream).read_line(&mut line).ok();
                let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
                if path == "/the-end" {
                    break;
                }
                heard.lock().unwrap().push(path.clone());
                let (status, body) = pages
                    .get(&path)
                    .map_or((404, "no such page"), |page| (200, page.as_str()));
                let kind = if body.starts_with('<') {
                    "text/html"
                } else {
                    "text/plain"
                };
                write!(stream, "HTTP/1.0 {status} x\r\ncontent-type: {kind}\r\n\r\n{body}").ok();
            }
        });
        Self {
            address,
            asked,
            thread: Some(thread),
        }
    }

    pub(crate) fn pages(&self) -> Arc<dyn PageSource> {
        Arc::new(FromHere(self.address))
    }

    pub(crate) fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        get(self.address, "/the-end").ok();
        drop(self.thread.take().map(JoinHandle::join));
    }
}

struct FromHere(SocketAddr);

impl PageSource for FromHere {
    fn fetch(&self, url: &str, _: u64) -> Result<Page, ToolFailure> {
        let path = url.split_once("://").map_or("", |(_, path)| path);
        let answer = get(self.0, &format!("/{path}")).map_err(|error| ToolFailure::told(error.to_string()))?;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
        Ok(Page {
            url: url.to_owned(),
            status: head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0),
            content_type: head.rsplit_once(": ").map_or("", |(_, kind)| kind).to_owned(),
            body: body.as_bytes().to_vec(),
            cut: false,
        })
    }
}

fn get(address: SocketAddr, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    write!(stream, "GET {path} HTTP/1.0\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}
