//! Every kind of answer that is none, told apart.

use std::{
    net::TcpListener,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use expect_test::expect;
use seatrial_obs::{Client, ObsError};

use crate::{
    service::{package, settings},
    wire::{Reply, Server},
};

const LISTING: &str = "<directory name=\"tiny\" rev=\"7\" srcmd5=\"abc\"/>";

fn list(server: &Server) -> Result<seatrial_obs::Listing, ObsError> {
    let mut settings = settings(&server.api);
    settings.pace.answer = Duration::from_millis(300);
    Client::new(settings).unwrap().list(&package())
}

#[test]
fn answers_that_are_none_are_told_apart() {
    let html = Reply::Whole(
        200,
        vec![("Content-Type", "text/html".to_owned())],
        b"<!DOCTYPE html><html><body><p>Log in</body></html>".to_vec(),
    );
    let page = Reply::Whole(500, Vec::new(), b"<html><h1>We're sorry</h1></html>".to_vec());
    let moved = Reply::Whole(
        301,
        vec![("Location", "https://api.example.org/".to_owned())],
        Vec::new(),
    );
    let rows = [
        (
            "401",
            Reply::Whole(
                401,
                vec![("WWW-Authenticate", "Basic realm=\"x\"".to_owned())],
                Vec::new(),
            ),
        ),
        ("401 without a word", Reply::Whole(401, Vec::new(), Vec::new())),
        ("403", Reply::status(403, "no permission")),
        ("404", Reply::status(404, "unknown package 'tiny'")),
        ("400", Reply::status(400, "bad request")),
        ("500", Reply::status(500, "database is gone")),
        ("500 page", page),
        ("502", Reply::status(502, "proxy")),
        ("moved", moved),
        ("page", html),
        ("words", Reply::xml("ok")),
        ("half", Reply::xml("<directory><entry")),
        ("binary", Reply::Whole(200, Vec::new(), vec![0xff, 0xfe, 0x00])),
        ("other", Reply::xml("<status code=\"ok\"/>")),
        ("cut", Reply::Cut(b"<direct".to_vec(), 100)),
        ("dropped", Reply::Drop),
        ("silent", Reply::Silence),
        ("big", Reply::Cut(Vec::new(), 1 << 40)),
    ];
    let mut told = String::new();
    for (name, reply) in rows {
        let server = Server::start(move |_| reply.clone());
        let error = list(&server).unwrap_err();
        let variant = format!("{error:?}");
        let variant = variant.split([' ', '(']).next().unwrap();
        told.push_str(&format!(
            "{name}: {variant}, asked {} times: {}\n",
            server.asked().len(),
            error.to_string().replace(&server.api, "API")
        ));
    }
    expect![[r#"
        401: Unauthorized, asked 1 times: API/source/home:someone/tiny?expand=1 wants to know who asks (it offers Basic): no user was given
        401 without a word: Unauthorized, asked 1 times: API/source/home:someone/tiny?expand=1 wants to know who asks (it offers no way to log in): no user was given
        403: Forbidden, asked 1 times: API/source/home:someone/tiny?expand=1 is not allowed for this user: no permission
        404: Missing, asked 1 times: API/source/home:someone/tiny?expand=1 is not there: unknown package 'tiny'
        400: Refused, asked 1 times: the build service refused API/source/home:someone/tiny?expand=1 with 400: bad request
        500: Broken, asked 1 times: the build service failed at API/source/home:someone/tiny?expand=1 with 500: database is gone; this is a fault of the service's
        500 page: Broken, asked 1 times: the build service failed at API/source/home:someone/tiny?expand=1 with 500: Internal Server Error; this is a fault of the service's
        502: Unready, asked 4 times: the build service was not ready for API/source/home:someone/tiny?expand=1: 502, 4 times; try again later
        moved: Moved, asked 1 times: API/source/home:someone/tiny?expand=1 has moved to https://api.example.org/: give that address
        page: NotXml, asked 1 times: API/source/home:someone/tiny?expand=1 answered with something that is no XML (a page for people); it begins with `<!DOCTYPE html><html><body><p>Log in</body></html>`. Is this the API's address?
        words: NotXml, asked 1 times: API/source/home:someone/tiny?expand=1 answered with something that is no XML (it holds no element); it begins with `ok`. Is this the API's address?
        half: NotXml, asked 1 times: API/source/home:someone/tiny?expand=1 answered with something that is no XML (syntax error: tag not closed: `>` not found before end of input); it begins with `<directory><entry`. Is this the API's address?
        binary: NotXml, asked 1 times: API/source/home:someone/tiny?expand=1 answered with something that is no XML (invalid utf-8 sequence of 1 bytes from index 0); it begins with `��\0`. Is this the API's address?
        other: Unexpected, asked 1 times: API/source/home:someone/tiny?expand=1 answered with XML that lacks a directory (it is a `status`)
        cut: Cut, asked 4 times: the connection broke while reading API/source/home:someone/tiny?expand=1: Peer disconnected; try again
        dropped: Cut, asked 4 times: the connection broke while reading API/source/home:someone/tiny?expand=1: Peer disconnected; try again
        silent: Slow, asked 1 times: the build service did not answer API/source/home:someone/tiny?expand=1 in time (receive response); try again later, or allow it more time
        big: TooBig, asked 1 times: the answer to API/source/home:someone/tiny?expand=1 is larger than 33554432 bytes and was not read on
    "#]].assert_eq(&told);
}

#[test]
fn nobody_at_home_is_told_at_once() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let api = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = Client::new(settings(&api)).unwrap().list(&package()).unwrap_err();
    assert!(matches!(error, ObsError::Down { .. }), "{error:?}");
    assert!(error.may_pass());
}

#[test]
fn a_service_that_is_not_ready_is_asked_again() {
    for trouble in [
        Reply::status(502, "proxy"),
        Reply::status(504, "proxy"),
        Reply::Whole(503, vec![("Retry-After", "0".to_owned())], Vec::new()),
        Reply::Drop,
        Reply::Cut(b"<dir".to_vec(), 400),
    ] {
        let count = AtomicUsize::new(0);
        let server = Server::start(move |_| {
            if count.fetch_add(1, Ordering::Relaxed) < 2 {
                trouble.clone()
            } else {
                Reply::xml(LISTING)
            }
        });
        assert_eq!(list(&server).unwrap().revision, "7");
        assert!(server.asked().len() >= 3);
    }
}

#[test]
fn addresses_that_are_none_are_refused() {
    for api in [
        "",
        "api.example.org",
        "ftp://x",
        "http://",
        "https://me:secret@x",
        "http://x?y",
        "http://a b",
    ] {
        let error = Client::new(settings(api)).unwrap_err();
        assert!(matches!(error, ObsError::Usage(_)), "{api}");
        assert!(!error.to_string().contains("secret"));
    }
    assert_eq!(
        Client::new(settings("https://x.example/api/")).unwrap().api(),
        "https://x.example/api"
    );
}
