//! The search of the web, against servers of this machine that answer as providers do, or as they do on bad days.

use std::{
    fmt::Write as _,
    io::{Read as _, Write as _},
    net::{Ipv4Addr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread::JoinHandle,
    time::Duration,
};

use expect_test::expect;
use seatrial_core::{Event, PinnedSource, SourceKind};
use seatrial_tools::{ProviderSearch, ToolFailure, WebSearcher as _};
use serde_json::json;

use crate::support::Bench;

/// What a server does with a request.
#[derive(Clone)]
enum Does {
    Says(u16, &'static str, String),
    Redirects(String),
    Nothing,
}

/// A server that does the same with every request.
struct Web {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
    thread: Option<JoinHandle<()>>,
}

impl Web {
    fn start(does: Does) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&asked);
        let thread = std::thread::spawn(move || {
            // Those that get no answer stay open until the end.
            let mut open = Vec::new();
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { continue };
                let request = request(&mut stream);
                if request.starts_with("GET /the-end") {
                    break;
                }
                heard.lock().unwrap().push(request);
                let answer = match &does {
                    Does::Says(status, kind, body) => {
                        format!(
                            "HTTP/1.1 {status} x\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                            body.len()
                        )
                    }
                    Does::Redirects(to) => {
                        format!("HTTP/1.1 302 x\r\nlocation: {to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
                    }
                    Does::Nothing => {
                        open.push(stream);
                        continue;
                    }
                };
                // Whoever has enough goes away before the end.
                drop(stream.write_all(answer.as_bytes()));
            }
        });
        Self {
            address,
            asked,
            thread: Some(thread),
        }
    }

    fn says(status: u16, body: &str) -> Self {
        Self::start(Does::Says(status, "application/json", body.to_owned()))
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        if let Ok(mut stream) = TcpStream::connect(&self.address) {
            drop(stream.write_all(b"GET /the-end HTTP/1.0\r\n\r\n"));
        }
        drop(self.thread.take().map(JoinHandle::join));
    }
}

/// Head and body of a request.
fn request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    loop {
        let count = stream.read(&mut part).unwrap_or(0);
        bytes.extend_from_slice(&part[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                line.to_ascii_lowercase()
                    .strip_prefix("content-length: ")?
                    .parse::<usize>()
                    .ok()
            });
            if body.len() >= length.unwrap_or(0) {
                return text;
            }
        }
        if count == 0 {
            return text;
        }
    }
}

fn search(word: &str, key: Option<&str>, patience: Duration) -> ProviderSearch {
    ProviderSearch::from_word(word, &|_| key.map(str::to_owned), patience).unwrap()
}

const LONG: Duration = Duration::from_mins(1);

#[test]
fn each_provider_is_asked_in_its_own_way_and_read() {
    let page = |excerpt: &str| json!({"title": "Hull &amp; <b>keel</b>", "url": "https://yard.example/hull", excerpt: "Run\n make."});
    let odd = json!({"title": 7, "url": "javascript:alert(1)"});
    let mut text = String::new();
    for (name, body) in [
        ("searxng", json!({"results": [page("content"), odd]})),
        ("brave", json!({"web": {"results": [page("description"), odd]}})),
        ("tavily", json!({"results": [page("content"), odd]})),
    ] {
        let web = Web::says(200, &body.to_string());
        let searcher = search(&format!("{name}=http://{}/base/", web.address), Some("a-key"), LONG);
        let hits = searcher.search("build a hull & more", 3).unwrap();
        assert_eq!(searcher.name(), format!("{name}=http://{}/base", web.address));
        let asked = web.asked.lock().unwrap().join("\n");
        let telling = asked.lines().filter(|line| {
            let line = line.to_ascii_lowercase();
            ["get ", "post ", "x-sub", "authorization", "{"]
                .iter()
                .any(|start| line.starts_with(start))
        });
        for line in telling {
            writeln!(text, "{line}").unwrap();
        }
        writeln!(text, "  {hits:?}").unwrap();
    }
    expect![[r#"
        GET /base/search?q=build%20a%20hull%20%26%20more&format=json HTTP/1.1
          [SearchHit { title: "Hull & keel", url: "https://yard.example/hull", excerpt: "Run make." }]
        GET /base/web/search?q=build%20a%20hull%20%26%20more&count=3 HTTP/1.1
        x-subscription-token: a-key
          [SearchHit { title: "Hull & keel", url: "https://yard.example/hull", excerpt: "Run make." }]
        POST /base/search HTTP/1.1
        authorization: Bearer a-key
        {"max_results":3,"query":"build a hull & more"}
          [SearchHit { title: "Hull & keel", url: "https://yard.example/hull", excerpt: "Run make." }]
    "#]]
    .assert_eq(&text);
}

#[test]
fn what_goes_wrong_is_told_and_the_key_is_not() {
    let elsewhere = Web::says(200, r#"{"results": []}"#);
    let mut text = String::new();
    let says = |status, kind, body: &str| Does::Says(status, kind, body.to_owned());
    let json = "application/json";
    let huge = format!(r#"{{"results": [], "more": "{}"}}"#, "x".repeat(3 << 20));
    for (what, does) in [
        ("nothing found", says(200, json, r#"{"results": []}"#)),
        ("nothing found, and no list", says(200, json, r#"{"query": "x"}"#)),
        ("wrong key", says(401, json, r#"{"error": "no such key: a-key-0815"}"#)),
        ("forbidden", says(403, json, "a-key-0815")),
        ("too often", says(429, json, "{}")),
        ("broken", says(500, "text/plain", "oh")),
        (
            "elsewhere",
            Does::Redirects(format!("http://{}/search", elsewhere.address)),
        ),
        ("a page", says(200, "text/html", "<html>Please sign in.</html>")),
        ("half", says(200, json, r#"{"results": [{"#)),
        ("another form", says(200, json, r#"[1, 2]"#)),
        ("huge", says(200, json, &huge)),
        ("silent", Does::Nothing),
    ] {
        let patience = if matches!(does, Does::Nothing) {
            Duration::from_secs(1)
        } else {
            LONG
        };
        let web = Web::start(does);
        let found = search(&format!("tavily=http://{}", web.address), Some("a-key-0815"), patience).search("hull", 5);
        let told = match found {
            Ok(hits) => format!("{hits:?}"),
            Err(ToolFailure::Told(why)) => why,
            Err(ToolFailure::Broken(error)) => panic!("{error}"),
        };
        assert!(!told.contains("a-key-0815"), "{told}");
        writeln!(text, "{what}: {}", told.replace(&web.address, "HOST")).unwrap();
    }
    assert!(elsewhere.asked.lock().unwrap().is_empty());
    expect![[r#"
        nothing found: []
        nothing found, and no list: []
        wrong key: the search `tavily` did not answer: status 401: it does not take the key; whoever runs this has to check TAVILY_API_KEY; go on without it
        forbidden: the search `tavily` did not answer: status 403: it does not take the key; whoever runs this has to check TAVILY_API_KEY; go on without it
        too often: the search `tavily` did not answer: status 429: it takes no more questions for now; go on without it
        broken: the search `tavily` did not answer: status 500; is http://HOST the right address?; go on without it
        elsewhere: the search `tavily` did not answer: status 302; is http://HOST the right address?; go on without it
        a page: the search `tavily` did not answer: its answer is no JSON; the address may be wrong, or the server may not give JSON to everybody; go on without it
        half: the search `tavily` did not answer: its answer is no JSON; the address may be wrong, or the server may not give JSON to everybody; go on without it
        another form: the search `tavily` did not answer: its answer has no list of pages; go on without it
        huge: the search `tavily` did not answer: its answer is longer than 2097152 bytes; go on without it
        silent: the search `tavily` did not answer: nothing came within 1 s; go on without it
    "#]].assert_eq(&text);
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let mut text = String::new();
    for word in [
        "altavista",
        "searxng",
        "searxng=ftp://x",
        "searxng=",
        "brave",
        "tavily",
        "tavily=http://127.0.0.1:1",
    ] {
        let made = ProviderSearch::from_word(word, &|_| None, LONG);
        let told = made.map_or_else(|error| error.to_string(), |searcher| searcher.name());
        writeln!(text, "{word}: {told}").unwrap();
    }
    expect![[r#"
        altavista: there is no search `altavista`: there are searxng=URL, brave and tavily, each of which takes `=URL` for a server that answers like it
        searxng: the search `searxng` has no address of its own: name it as `searxng=URL`
        searxng=ftp://x: `ftp://x` is no address of a search: write it with http:// or https://
        searxng=: `` is no address of a search: write it with http:// or https://
        brave: the search `brave` wants a key: set `BRAVE_API_KEY`
        tavily: the search `tavily` wants a key: set `TAVILY_API_KEY`
        tavily=http://127.0.0.1:1: tavily=http://127.0.0.1:1
    "#]].assert_eq(&text);
}

#[test]
fn the_tool_leaves_out_where_the_source_comes_from_and_the_journal_has_the_call() {
    let Some(mut bench) = Bench::new(&[]) else { return };
    let page = |url: &str| json!({"title": "A \u{1b}[31mtitle", "url": url, "content": "Run make."});
    let pages = ["https://forge.example/owner/keel/wiki", "https://yard.example/keel"].map(page);
    let web = Web::says(200, &json!({ "results": pages }).to_string());
    bench.searcher = Some(Arc::new(search(&format!("searxng=http://{}", web.address), None, LONG)));
    bench.solution = Some(PinnedSource {
        name: "keel".to_owned(),
        origin: SourceKind::Git {
            url: "https://forge.example/owner/keel.git".to_owned(),
            commit: "0".repeat(40),
        },
        tree: None,
    });
    let told = bench.ok("web_search", &json!({"query": "build keel"}));
    assert!(
        told.contains("yard.example") && !told.contains("forge.example"),
        "{told}"
    );
    assert!(
        told.contains("[1 of the answers are pages of where this source comes from") && !told.contains('\u{1b}'),
        "{told}"
    );
    // The same question is not asked twice.
    bench.ok("web_search", &json!({"query": "build keel"}));
    assert_eq!(web.asked.lock().unwrap().len(), 1);
    let called = bench.events.iter().filter_map(|event| match event {
        Event::ToolCalled(record) => Some((record.name.as_str(), record.cached)),
        _ => None,
    });
    assert_eq!(
        called.collect::<Vec<_>>(),
        [("web_search", false), ("web_search", true)]
    );
    let spec = bench.toolbox.specs().find(|spec| spec.name == "web_search").unwrap();
    assert!(spec.effect.network);
}
