//! The search for instructions, from the command line: measured against labels, and in a trial that is done again.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::{Ipv4Addr, TcpListener},
    path::Path,
};

use expect_test::expect;
use seatrial_llm::{
    Wire,
    scripted::{Answer, Conversation, Script, ScriptedServer, Scripts},
};
use serde_json::{Value, json};

use crate::{
    bench::{corpus, run_name},
    support::{boxes, run, seatrial},
};

const TABLE: &str = "Repo_Name,html_url,default_branch,Compilable?,Build Trajectory\n\
    own/hull,https://host.example/own/hull,main,Yes,\"https://host.example/own/hull, https://hull.example/build\"\n\
    own/mast,https://host.example/own/mast,main,Yes,\"https://host.example/own/mast,\
    https://host.example/own/mast/blob/main/doc/build.md\"\n\
    own/gone,https://host.example/own/gone,main,Yes,https://host.example/own/gone\n\
    own/never,https://host.example/own/never,main,No,\n";

const BUILD_PAGE: &str = "<html><h1>Build from source on Linux</h1>Install cmake, compile and install.</html>";

fn lay(folder: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

fn repositories(folder: &Path) {
    lay(
        folder,
        &[
            ("labels.csv", TABLE),
            (
                "repos/own/hull/README.md",
                "# Hull\n\n[How](https://hull.example/build)\n",
            ),
            ("repos/mast/README", "A mast.\n"),
            ("repos/mast/doc/build.md", "# Build\n\nTo compile from source: make.\n"),
            ("pages/hull.example/build/index.html", BUILD_PAGE),
        ],
    );
}

#[test]
fn ways_of_finding_instructions_are_measured() {
    let folder = tempfile::tempdir().unwrap();
    repositories(folder.path());
    let bench = |more: &[&str]| {
        run(seatrial()
            .current_dir(folder.path())
            .args(["bench", "retrieval", "labels.csv", "--repos", "repos"])
            .args(more))
    };
    let ran = bench(&["--pages", "pages", "--tasks"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    expect![[r#"
        2 repositories with labels; Wilson intervals of 95 %
        1 more are not in repos

        strategy  repositories            reached   of those outside    steps covered
        none                 2      0.0 % [0, 66]      0.0 % [0, 79]  50.0 % [15, 85]
        tfidf                2     50.0 % [9, 91]      0.0 % [0, 79]  50.0 % [15, 85]
        rag                  2  100.0 % [34, 100]  100.0 % [21, 100]  75.0 % [30, 95]

        none: 0.0 pages asked for a repository, 0 calls of a model, 0 tokens
          missed  own/hull  1/2 steps  README.md
          missed  own/mast  1/2 steps  README
        tfidf: 0.0 pages asked for a repository, 0 calls of a model, 0 tokens
          missed  own/hull  1/2 steps  README.md
          reached  own/mast  1/2 steps  doc/build.md
        rag: 0.5 pages asked for a repository, 0 calls of a model, 0 tokens
          reached  own/hull  2/2 steps  https://hull.example/build README.md
          reached  own/mast  1/2 steps  doc/build.md
    "#]]
    .assert_eq(&ran.out);

    // The same pages from a server.
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut line = String::new();
        BufReader::new(&stream).read_line(&mut line).unwrap();
        write!(
            stream,
            "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{BUILD_PAGE}",
            BUILD_PAGE.len()
        )
        .unwrap();
        line
    });
    let ran = bench(&["--pages", &address, "--strategy", "rag", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(server.join().unwrap().trim(), "GET /hull.example/build HTTP/1.1");
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    let rag = &document["strategies"][0];
    assert_eq!(document["absent"], json!(["own/gone"]));
    assert_eq!(
        (&rag["reached"], &rag["outside_reached"], &rag["requests"]),
        (&json!(2), &json!(1), &json!(1))
    );
    assert_eq!(rag["scores"][0]["sources"][0], "https://hull.example/build");
}

#[test]
fn a_table_that_is_none_and_a_way_without_a_model_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    repositories(folder.path());
    let bench = |table: &str, more: &[&str]| {
        let ran = run(seatrial()
            .current_dir(folder.path())
            .args(["bench", "retrieval", table, "--repos", "repos", "--pages", "pages"])
            .args(more));
        format!("{} {}", ran.code, ran.err.trim())
    };
    lay(folder.path(), &[("wrong.csv", "Repo_Name,html_url\n")]);
    expect![[r#"
        2 error: wrong.csv: the table has no column `Compilable?`: its first line must name the columns
        2 error: failed to open file `absent.csv`: No such file or directory (os error 2)
        2 error: the strategy `llm` asks a model: name one with `--model provider/name`
        2 error: invalid value 'guess' for '--strategy <HOW>'"#]]
    .assert_eq(
        &[
            bench("wrong.csv", &[]),
            bench("absent.csv", &[]),
            bench("labels.csv", &["--strategy", "llm"]),
            bench("labels.csv", &["--strategy", "guess"])
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned(),
        ]
        .join("\n"),
    );
}

#[test]
fn a_trial_of_scripts_in_rounds_is_done_again() {
    if !boxes() {
        return;
    }
    let script = Script {
        conversation: vec![Conversation {
            name: Some("retrieve-*".to_owned()),
            system: None,
            answer: vec![Answer::text(
                r#"{"instructions": "run make", "sufficient": true, "pages": [], "files": []}"#,
            )],
        }],
        answer: vec![
            Answer::text("```bash\nmake nothing\n```"),
            Answer::text("```bash\nset -e\nmake CFLAGS=-g\n```"),
            Answer::text("It is built. TERMINATE"),
        ],
        ..Script::default()
    };
    let server = ScriptedServer::start(Scripts::any(script)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path(), &["rudder"]);
    let ran = run(seatrial().args(["bench", "run"]).arg(&corpus).args([
        "--agent",
        "oss-build",
        "--model",
        "scripted/small",
        "--base-url",
        &server.base_url(Wire::Chat),
    ]));
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let trial = format!("{}/rudder", run_name(&ran.err));
    let file = folder.path().join("rudder.json");
    assert_eq!(
        run(seatrial().args(["trajectory", "export", &trial, "-o"]).arg(&file)).code,
        0
    );
    let ran = run(seatrial().args(["trajectory", "check"]).arg(&file));
    assert_eq!((ran.code, ran.out.trim()), (0, "valid"));
    let ran = run(seatrial().args(["replay", &trial]));
    assert!(
        ran.out.contains("2 of 2 ended as they did then"),
        "{}{}",
        ran.out,
        ran.err
    );
}
