//! What the tests share.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, Mutex},
};

use fs_err as fs;
use seatrial_core::{FilePin, Platform};
use seatrial_source::{Fetcher, SourceError, SourceTree};
use seatrial_store::Home;
use sha2::Digest as _;
use walkdir::WalkDir;

/// A data folder and a folder to put sources in.
pub(crate) struct World {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) home: Home,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(folder.path().join("home")).unwrap();
        Self { folder, home }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn fetcher(&self) -> Fetcher {
        Fetcher::new(&self.home, &Platform::default_host())
    }

    /// Reads, pins and fetches a source.
    pub(crate) fn fetch(&self, spec: &str) -> Result<SourceTree, SourceError> {
        fetch_with(&self.fetcher(), spec)
    }

    /// No half-made tree is left.
    pub(crate) fn assert_clean(&self) {
        let trees = self.home.root().join("cache/trees");
        let left: Vec<_> = fs::read_dir(trees)
            .map(|entries| entries.map(|entry| entry.unwrap().file_name()).collect())
            .unwrap_or_default();
        assert!(
            left.iter().all(|name| !name.to_string_lossy().starts_with('.')),
            "{left:?}"
        );
    }
}

pub(crate) fn fetch_with(fetcher: &Fetcher, spec: &str) -> Result<SourceTree, SourceError> {
    let pinned = fetcher.pin(&spec.parse()?)?;
    fetcher.fetch(&pinned)
}

/// One line an entry: kind, mode, path, content. `.git` is passed over.
pub(crate) fn listing(root: &Path) -> String {
    let mut text = String::new();
    let walk = WalkDir::new(root).min_depth(1).sort_by_file_name();
    for entry in walk.into_iter().filter_entry(|entry| entry.file_name() != ".git") {
        let entry = entry.unwrap();
        let path = entry.path().strip_prefix(root).unwrap().display().to_string();
        let metadata = entry.metadata().unwrap();
        let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o7777;
        let line = if metadata.is_dir() {
            format!("d {mode:o} {path}\n")
        } else if metadata.is_symlink() {
            format!("l {path} -> {}\n", fs::read_link(entry.path()).unwrap().display())
        } else if !metadata.is_file() {
            format!("s {path}\n")
        } else {
            let content = fs::read(entry.path()).unwrap();
            let content = String::from_utf8_lossy(&content);
            format!("f {mode:o} {path} {:?}\n", content.chars().take(40).collect::<String>())
        };
        text.push_str(&line);
    }
    text
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    let hexadecimal =
        |byte: &u8| [byte >> 4, byte & 15].map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)]));
    sha2::Sha256::digest(bytes).iter().flat_map(hexadecimal).collect()
}

pub(crate) fn pin(name: &str, bytes: &[u8]) -> FilePin {
    FilePin {
        name: name.to_owned(),
        size: bytes.len() as u64,
        sha256: sha256(bytes),
    }
}

/// Runs a program that the tests need; `false` when it is not installed.
pub(crate) fn run(folder: &Path, program: &str, arguments: &[&str]) -> bool {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_NAME", "a")
        .env("GIT_AUTHOR_EMAIL", "a@example.org")
        .env("GIT_COMMITTER_NAME", "a")
        .env("GIT_COMMITTER_EMAIL", "a@example.org")
        .env("GIT_COMMITTER_DATE", "2020-01-02T03:04:05Z")
        .env("GIT_AUTHOR_DATE", "2020-01-02T03:04:05Z")
        .output();
    match output {
        Ok(output) => {
            assert!(
                output.status.success(),
                "{program} {arguments:?}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            true
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
        Err(error) => panic!("{program}: {error}"),
    }
}

/// How the server answers one path.
#[derive(Clone)]
pub(crate) enum Page {
    Body(Vec<u8>),
    /// The first answer breaks off after so many bytes; later ones honour ranges.
    CutOnce(Vec<u8>, usize),
    /// Every answer breaks off.
    CutAlways(Vec<u8>, usize),
    /// The first answer is this status; later ones are the body.
    StatusOnce(u16, Vec<u8>),
    Status(u16),
}

/// A local HTTP server. Its threads end with the test's process.
pub(crate) struct Server {
    pub(crate) address: String,
    pages: Arc<Mutex<BTreeMap<String, Page>>>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let pages = Arc::new(Mutex::new(BTreeMap::<String, Page>::new()));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let server = Self {
            address,
            pages: pages.clone(),
            requests: requests.clone(),
        };
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (pages, requests) = (pages.clone(), requests.clone());
                std::thread::spawn(move || answer(stream.unwrap(), &pages, &requests));
            }
        });
        server
    }

    pub(crate) fn page(&self, path: &str, page: Page) -> String {
        self.pages.lock().unwrap().insert(path.to_owned(), page);
        format!("{}{path}", self.address)
    }

    /// Serves every file of a folder.
    pub(crate) fn folder(&self, root: &Path) {
        for entry in WalkDir::new(root) {
            let entry = entry.unwrap();
            if entry.file_type().is_file() {
                let path = entry.path().strip_prefix(root).unwrap().display().to_string();
                self.page(&format!("/{path}"), Page::Body(fs::read(entry.path()).unwrap()));
            }
        }
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }
}

fn answer(mut stream: TcpStream, pages: &Mutex<BTreeMap<String, Page>>, requests: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut first = String::new();
    reader.read_line(&mut first).unwrap();
    let mut words = first.split_whitespace();
    let (method, path) = (
        words.next().unwrap_or_default().to_owned(),
        words.next().unwrap_or_default().to_owned(),
    );
    let mut range = None;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("range: bytes=") {
            range = value.trim().trim_end_matches('-').parse::<usize>().ok();
        }
    }
    let shown_range = range.map_or_else(String::new, |at| format!(" from {at}"));
    requests.lock().unwrap().push(format!("{method} {path}{shown_range}"));
    let page = {
        let mut pages = pages.lock().unwrap();
        let page = pages.get(&path).cloned();
        match &page {
            Some(Page::CutOnce(body, _) | Page::StatusOnce(_, body)) if method == "GET" => {
                pages.insert(path, Page::Body(body.clone()));
            }
            _ => {}
        }
        page
    };
    let plain = |status: u16| format!("HTTP/1.1 {status} x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    let (body, cut) = match page {
        None => return stream.write_all(plain(404).as_bytes()).unwrap_or(()),
        Some(Page::Status(status) | Page::StatusOnce(status, _)) => {
            return stream.write_all(plain(status).as_bytes()).unwrap_or(());
        }
        Some(Page::Body(body)) => (body, None),
        Some(Page::CutOnce(body, at) | Page::CutAlways(body, at)) => (body, Some(at)),
    };
    let start = range.unwrap_or(0).min(body.len());
    let head = match range {
        Some(_) => format!(
            "HTTP/1.1 206 x\r\ncontent-range: bytes {start}-{}/{}\r\n",
            body.len() - 1,
            body.len()
        ),
        None => "HTTP/1.1 200 x\r\n".to_owned(),
    };
    let part = &body[start..];
    let head = format!("{head}content-length: {}\r\nconnection: close\r\n\r\n", part.len());
    stream.write_all(head.as_bytes()).unwrap_or(());
    if method != "HEAD" {
        let end = cut.unwrap_or(part.len()).min(part.len());
        stream.write_all(&part[..end]).unwrap_or(());
    }
    // Closing with unread input would reset the connection and lose what was sent.
    stream.shutdown(std::net::Shutdown::Write).unwrap_or(());
    drop(reader.read(&mut [0; 64]));
}
