//! Downloads from a local server: hashes, cut connections, retries, refusals.

use std::sync::{Arc, Mutex};

use fs_err as fs;
use seatrial_source::{Progress, SourceError};

use crate::support::{Page, Server, World, fetch_with, listing, sha256};

fn archive(content: &[u8]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    builder.append_data(&mut header, "p-1/file", content).unwrap();
    builder.into_inner().unwrap()
}

#[derive(Default)]
struct Heard(Mutex<Vec<(String, u64, Option<u64>)>>);

impl Progress for Heard {
    fn advance(&self, what: &str, bytes: u64, total: Option<u64>) {
        self.0.lock().unwrap().push((what.to_owned(), bytes, total));
    }
}

#[test]
fn an_archive_is_downloaded_once_and_progress_is_told() {
    let (world, server) = (World::new(), Server::start());
    let bytes = archive(b"hello");
    let url = server.page("/get/p.tar", Page::Body(bytes.clone()));
    let heard = Arc::new(Heard::default());
    let fetcher = world.fetcher().with_progress(heard.clone());
    let pinned = fetcher.pin(&url.parse().unwrap()).unwrap();
    assert_eq!(pinned.name, "p");
    let tree = fetcher.fetch(&pinned).unwrap();
    assert_eq!(listing(&tree.root), "f 644 file \"hello\"\n");
    fetcher.fetch(&pinned).unwrap();
    assert_eq!(server.requests(), ["GET /get/p.tar"]);
    let size = bytes.len() as u64;
    assert!(
        heard
            .0
            .lock()
            .unwrap()
            .contains(&("p.tar".to_owned(), size, Some(size)))
    );
    // With its hash in hand nothing needs to be asked at all.
    let spec = format!("{url}#sha256={}", sha256(&bytes));
    fs::remove_dir_all(world.home.root().join("cache/trees")).unwrap();
    fetch_with(&fetcher, &spec).unwrap();
    assert!(server.requests().is_empty());
}

#[test]
fn a_cut_connection_is_resumed_and_a_busy_server_is_asked_again() {
    let (world, server) = (World::new(), Server::start());
    let bytes = archive(&vec![b'x'; 100_000]);
    let url = server.page("/p.tar", Page::CutOnce(bytes.clone(), 70_000));
    world.fetch(&format!("{url}#sha256={}", sha256(&bytes))).unwrap();
    assert_eq!(server.requests(), ["GET /p.tar", "GET /p.tar from 70000"]);
    let bytes = archive(b"other");
    let url = server.page("/busy.tar", Page::StatusOnce(503, bytes.clone()));
    world.fetch(&format!("{url}#sha256={}", sha256(&bytes))).unwrap();
    assert_eq!(server.requests(), ["GET /busy.tar", "GET /busy.tar"]);
}

#[test]
fn what_does_not_come_or_does_not_verify_is_told_with_the_url() {
    let (world, server) = (World::new(), Server::start());
    let bytes = archive(b"hello");
    let wrong = "0".repeat(64);

    let url = server.page("/p.tar", Page::Body(bytes.clone()));
    let error = world.fetch(&format!("{url}#sha256={wrong}")).unwrap_err();
    assert!(matches!(&error, SourceError::Verify { .. }), "{error}");
    assert!(
        error.to_string().contains(&url) && error.to_string().contains(&sha256(&bytes)),
        "{error}"
    );

    let missing = format!("{}/none.tar", server.address);
    let error = world.fetch(&missing).unwrap_err();
    assert!(matches!(&error, SourceError::Usage(_)), "{error}");
    let error = world.fetch(&format!("{missing}#sha256={wrong}")).unwrap_err();
    assert!(matches!(&error, SourceError::Unavailable(_)), "{error}");

    server.requests();
    let url = server.page("/cut.tar", Page::CutAlways(bytes.clone(), 100));
    let error = world.fetch(&url).unwrap_err();
    assert!(matches!(&error, SourceError::Network { .. }), "{error}");
    assert!(error.to_string().contains("tried 3 times"), "{error}");
    assert_eq!(
        server.requests(),
        ["GET /cut.tar", "GET /cut.tar from 100", "GET /cut.tar from 200"]
    );

    let url = server.page("/forbidden.tar", Page::Status(403));
    let error = world.fetch(&url).unwrap_err();
    assert!(error.to_string().contains("403"), "{error}");

    // Nobody listens there, and nobody can.
    for dead in ["http://127.0.0.1:1/p.tar", "http://no-such-host.invalid/p.tar"] {
        let error = world.fetch(dead).unwrap_err();
        assert!(
            matches!(&error, SourceError::Network { url, .. } if url == dead),
            "{error}"
        );
        assert!(
            !error.to_string().contains("tried"),
            "a dead network is told at once: {error}"
        );
        assert_eq!(error.invalid_reason(), Some(seatrial_core::InvalidReason::Network));
    }
    world.assert_clean();
    let left: Vec<_> = fs::read_dir(world.home.cache("downloads").unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert!(left.is_empty(), "{left:?}");
}
