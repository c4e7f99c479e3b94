//! The tools over the protocol, with the SDK's own client, and outside tools in a toolbox.

use std::{
    collections::BTreeMap,
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use rmcp::{
    ClientHandler, RoleClient, ServiceExt as _,
    model::{
        CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, ProgressNotificationParam,
        ReadResourceRequestParams, ReadResourceResponse, ResourceContents,
    },
    service::{NotificationContext, PeerRequestOptions, RunningService},
};
use seatrial_tools::{
    Toolbox,
    mcp::{McpServer, McpServerSpec, McpWay, Server},
};
use serde_json::{Value, json};

use crate::support::Bench;

/// Keeps what it is told of progress.
#[derive(Clone, Default)]
struct Listener(Arc<Mutex<Vec<String>>>);

impl ClientHandler for Listener {
    async fn on_progress(&self, note: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.0.lock().unwrap().push(note.message.unwrap_or_default());
    }
}

type Client = RunningService<RoleClient, Listener>;

/// Serves a box to one client, which does something with it.
fn with_client<F: AsyncFnOnce(Client) -> Client>(files: &[(&str, &str)], act: F) {
    let Some(bench) = Bench::new(files) else { return };
    let (served, folder) = bench.served();
    let (near, far) = tokio::io::duplex(1 << 16);
    let serving = thread::spawn(move || {
        Server::new(&Toolbox::all(), "Build it.")
            .unwrap()
            .serve_stream(far, || Ok(served))
            .unwrap();
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let client = Listener::default().serve(near).await.unwrap();
        act(client).await.cancel().await.unwrap();
    });
    serving.join().unwrap();
    drop(folder);
}

fn params(name: &'static str, arguments: Value) -> CallToolRequestParams {
    let Value::Object(arguments) = arguments else {
        panic!("{arguments}")
    };
    CallToolRequestParams::new(name).with_arguments(arguments)
}

fn text(result: &CallToolResult) -> String {
    result
        .content
        .iter()
        .filter_map(|block| block.as_text())
        .map(|text| text.text.clone())
        .collect()
}

async fn resource(client: &Client, uri: &str) -> String {
    let ReadResourceResponse::Complete(result) = client
        .read_resource_once(ReadResourceRequestParams::new(uri))
        .await
        .unwrap()
    else {
        panic!("not complete")
    };
    match &result.contents[0] {
        ResourceContents::TextResourceContents { text, .. } => text.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_client_of_the_sdk_uses_tools_and_resources() {
    with_client(&[("a.c", "int x;\n")], async |client| {
        let tools = client.list_all_tools().await.unwrap();
        let names: Vec<String> = tools.iter().map(|tool| tool.name.to_string()).collect();
        assert_eq!(names, seatrial_tools::tool_names());
        let read = tools.iter().find(|tool| tool.name == "read").unwrap();
        assert_eq!(read.annotations.as_ref().unwrap().read_only_hint, Some(true));

        let result = client.call_tool(params("read", json!({"path": "a.c"}))).await.unwrap();
        assert_eq!(result.is_error, Some(false));
        assert_eq!(text(&result), "a.c: lines 1 to 1 of 1\n     1\tint x;\n");
        // What is asked again and cannot have changed is remembered, and that is counted (the verdict below tells it).
        let again = client.call_tool(params("read", json!({"path": "a.c"}))).await.unwrap();
        assert_eq!(text(&again), text(&result));
        assert_eq!(result.structured_content.as_ref().unwrap()["lines"], 1);
        for (name, arguments, part) in [
            (
                "read",
                json!({"path": "/etc/../../../no"}),
                "there is no `/no` in the box",
            ),
            ("read", json!({"lines": "x"}), "`path` is missing"),
            ("none", json!({}), "there is no tool `none`"),
        ] {
            let result = client.call_tool(params(name, arguments)).await.unwrap();
            assert_eq!(result.is_error, Some(true));
            assert!(text(&result).contains(part), "{}", text(&result));
        }
        assert_eq!(resource(&client, "seatrial://task").await, "Build it.");
        client
            .call_tool(params("shell", json!({"command": "echo hello"})))
            .await
            .unwrap();
        assert_eq!(resource(&client, "seatrial://log").await, "hello\n");
        client
            .call_tool(params("finish", json!({"message": "done"})))
            .await
            .unwrap();
        assert_eq!(
            resource(&client, "seatrial://verdict").await,
            r#"{"cache_hits":{"read":1},"finished":{"message":"done","succeeded":true},"last_build":null}"#
        );
        assert!(
            client
                .read_resource_once(ReadResourceRequestParams::new("file:///etc/passwd"))
                .await
                .is_err()
        );
        client
    });
}

#[test]
fn progress_is_told_and_cancelling_ends_the_command_and_not_the_box() {
    with_client(&[], async |client| {
        let request = |command: &str| {
            let call = params("shell", json!({"command": command, "fresh": true}));
            ClientRequest::CallToolRequest(CallToolRequest::new(call))
        };
        let handle = client
            .send_cancellable_request(request("echo working; sleep 1000"), PeerRequestOptions::no_options())
            .await
            .unwrap();
        // The command says that it runs; how long that takes depends on the machine.
        let heard = client.service().0.clone();
        while !heard.lock().unwrap().iter().any(|line| line == "working") {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        handle.cancel(Some("enough".to_owned())).await.unwrap();
        // Calls take turns, so this one comes when the other has ended.
        let result = client
            .call_tool(params(
                "shell",
                json!({"command": "pgrep -c sleep || echo none", "fresh": true}),
            ))
            .await
            .unwrap();
        assert!(!text(&result).contains("1000"), "{}", text(&result));
        assert_eq!(result.is_error, Some(false), "{}", text(&result));
        client
    });
}

/// Sends a request as it is written and gives the answer.
fn raw(port: u16, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(
        stream,
        "{head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn over_http_each_request_bears_the_token_and_is_for_this_machine() {
    let Some(bench) = Bench::new(&[]) else { return };
    let (served, _folder) = bench.served();
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let stop = Arc::new(AtomicBool::new(false));
    let serving = {
        let stop = Arc::clone(&stop);
        thread::spawn(move || {
            Server::new(&Toolbox::all(), "")
                .unwrap()
                .serve_http(listener, "secret", stop, || Ok(served))
                .unwrap();
        })
    };
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
    })
    .to_string();
    let head = |path: &str, host: &str, more: &str| {
        format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream{more}"
        )
    };
    let own = format!("127.0.0.1:{port}");
    let token = "\r\nAuthorization: Bearer secret";
    for (path, host, more, status) in [
        ("/mcp", own.as_str(), "", "401"),
        ("/mcp", own.as_str(), "\r\nAuthorization: Bearer secreT", "401"),
        ("/mcp", own.as_str(), "\r\nAuthorization: Bearer secret1", "401"),
        ("/mcp", "evil.example", token, "403"),
        (
            "/mcp",
            own.as_str(),
            &format!("{token}\r\nOrigin: http://evil.example"),
            "403",
        ),
        ("/", own.as_str(), token, "404"),
        ("/mcp", own.as_str(), token, "200"),
    ] {
        let answer = raw(port, &head(path, host, more), &hello);
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}")),
            "{path} {host} {more}: {answer}"
        );
        assert_eq!(status == "200", answer.contains(r#""name":"seatrial""#), "{answer}");
    }
    stop.store(true, Ordering::SeqCst);
    serving.join().unwrap();
}

/// A server in few lines, of which one never answers.
const OUTSIDE: &str = r#"
import json, sys
def say(id, result): print(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}), flush=True)
for line in sys.stdin:
    m = json.loads(line)
    method, id = m.get("method"), m.get("id")
    if method == "initialize":
        say(id, {"protocolVersion": m["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}})
    elif method == "tools/list":
        say(id, {"tools": [{"name": "add", "description": "Adds.", "inputSchema": {"type": "object", "required": ["a"], "properties": {"a": {"type": "number"}}}},
                           {"name": "hang", "inputSchema": {"type": "object"}}]})
    elif method == "tools/call" and m["params"]["name"] == "add":
        a = m["params"]["arguments"]["a"]
        say(id, {"content": [{"type": "text", "text": str(a + 1)}], "isError": a < 0})
    elif id is not None and method != "tools/call":
        print(json.dumps({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no"}}), flush=True)
"#;

#[test]
fn tools_of_an_outside_server_are_tools() {
    let Some(mut bench) = Bench::new(&[]) else { return };
    let python = std::env::var_os("PATH").and_then(|path| {
        std::env::split_paths(&path)
            .map(|folder| folder.join("python3"))
            .find(|file| file.is_file())
    });
    let Some(python) = python else {
        println!("skipped: `python3` is not installed");
        return;
    };
    let spec = |command: Vec<String>, patience| McpServerSpec {
        name: "outside".to_owned(),
        way: McpWay::Process {
            command,
            env: BTreeMap::new(),
        },
        patience: Duration::from_secs(patience),
    };
    let python = python.display().to_string();
    let server = McpServer::start(&spec(vec![python.clone(), "-c".to_owned(), OUTSIDE.to_owned()], 60)).unwrap();
    bench.toolbox = server.tools().into_iter().fold(Toolbox::all(), Toolbox::with);
    assert_eq!(bench.ok("outside__add", &json!({"a": 1})), "2");
    assert_eq!(bench.told("outside__add", &json!({"a": -5})), "-4");
    assert!(
        bench
            .told("outside__add", &json!({"a": "x"}))
            .contains("`a` must be number")
    );
    bench.limits.command_most = Duration::from_secs(1);
    assert!(
        bench
            .told("outside__hang", &json!({}))
            .contains("did not answer within 1 s")
    );
    bench.limits.command_most = Duration::from_mins(1);
    assert_eq!(bench.ok("outside__add", &json!({"a": 2})), "3");
    bench.toolbox = Toolbox::all();
    drop(server);

    for (command, part) in [
        (vec![], "no program is named"),
        (vec!["/no/such/program".to_owned()], "cannot be started"),
        (vec![python, "-c".to_owned(), "print('hello')".to_owned()], "outside"),
    ] {
        let Err(error) = McpServer::start(&spec(command, 60)) else {
            panic!("it started")
        };
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn tools_of_a_server_over_http_are_tools_and_its_token_is_not_shown() {
    let Some(bench) = Bench::new(&[("a.c", "int x;\n")]) else {
        return;
    };
    let Some(mut own) = Bench::new(&[]) else { return };
    let (served, _folder) = bench.served();
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let stop = Arc::new(AtomicBool::new(false));
    let serving = {
        let stop = Arc::clone(&stop);
        thread::spawn(move || {
            Server::new(&Toolbox::all(), "")
                .unwrap()
                .serve_http(listener, "a-secret-token", stop, || Ok(served))
                .unwrap();
        })
    };
    let spec = |url: String, token: Option<&str>, patience| McpServerSpec {
        name: "far".to_owned(),
        way: McpWay::Http {
            url,
            token: token.map(str::to_owned),
        },
        patience: Duration::from_secs(patience),
    };
    let url = format!("http://127.0.0.1:{port}/mcp");
    let right = spec(url.clone(), Some("a-secret-token"), 60);
    assert!(!format!("{right:?}").contains("a-secret-token"));
    let server = McpServer::start(&right).unwrap();
    own.toolbox = server.tools().into_iter().fold(Toolbox::default(), Toolbox::with);
    assert_eq!(
        own.ok("far__read", &json!({"path": "a.c"})),
        "a.c: lines 1 to 1 of 1\n     1\tint x;\n"
    );
    assert!(own.told("far__read", &json!({"path": "b.c"})).contains("there is no `"));
    assert!(own.told("far__read", &json!({"path": 1})).contains("must be"));
    // A command that takes longer than it may is given up by the client, and the server goes on.
    own.limits.command_most = Duration::from_secs(1);
    let told = own.told("far__shell", &json!({"command": "sleep 1000"}));
    assert!(told.contains("did not answer within 1 s"), "{told}");
    own.limits.command_most = Duration::from_mins(2);
    assert_eq!(
        own.ok("far__shell", &json!({"command": "echo still here", "fresh": true})),
        "still here\n[exit code 0]"
    );

    let silent = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let silent_port = silent.local_addr().unwrap().port();
    let nobody = TcpListener::bind(("127.0.0.1", 0))
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    for (url, token, patience, part) in [
        (url.clone(), None, 60, "401"),
        (url, Some("another-token"), 60, "401"),
        (
            format!("http://127.0.0.1:{port}/elsewhere"),
            Some("a-secret-token"),
            60,
            "404",
        ),
        (
            format!("http://127.0.0.1:{silent_port}/mcp"),
            None,
            1,
            "did not answer within 1 s",
        ),
        (
            format!("http://127.0.0.1:{nobody}/mcp"),
            None,
            60,
            "nobody answers at its address",
        ),
        (
            "ftp://127.0.0.1/mcp".to_owned(),
            None,
            60,
            "write it with http:// or https://",
        ),
    ] {
        let Err(error) = McpServer::start(&spec(url.clone(), token, patience)) else {
            panic!("{url}: it started")
        };
        let error = error.to_string();
        assert!(error.contains(part) && error.contains("far"), "{url}: {error}");
        assert!(
            !error.contains("a-secret-token") && !error.contains("another-token"),
            "{error}"
        );
    }
    drop(silent);
    own.toolbox = Toolbox::default();
    drop(server);
    stop.store(true, Ordering::SeqCst);
    serving.join().unwrap();
}

#[test]
fn a_box_that_cannot_be_made_is_told_to_whoever_calls() {
    let (near, far) = tokio::io::duplex(1 << 16);
    let serving = thread::spawn(move || {
        Server::new(&Toolbox::all(), "")
            .unwrap()
            .serve_stream(far, || Err("there is no image".to_owned()))
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let client = Listener::default().serve(near).await.unwrap();
        assert!(!client.list_all_tools().await.unwrap().is_empty());
        let error = client.call_tool(params("list", json!({}))).await.unwrap_err();
        assert!(error.to_string().contains("there is no image"), "{error}");
        client.cancel().await.unwrap();
    });
    assert!(
        serving
            .join()
            .unwrap()
            .unwrap_err()
            .to_string()
            .contains("there is no image")
    );
}
