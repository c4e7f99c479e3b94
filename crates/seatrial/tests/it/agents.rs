//! Agents with a model, from the command line to the verdict: the model is a script behind a real wire, the box does the work.

use seatrial_llm::{
    Wire,
    scripted::{Answer, Fault, Script, ScriptedServer, Scripts},
};
use serde_json::{Value, json};

use crate::{
    bench::{corpus, run_name},
    support::{boxes, home, leftovers, run, seatrial},
};

/// What a model says that builds the small project.
fn builds_it() -> Script {
    Script::of([
        Answer::call("shell", json!({ "command": "ls; cat Makefile" })).thinking("A Makefile, perhaps."),
        Answer::fault(Fault::Status {
            status: 500,
            retry_after: None,
            message: None,
        }),
        Answer::call("shell", json!({ "command": "make CFLAGS=-g" })),
        Answer::text("It is built."),
    ])
}

#[test]
fn a_trial_with_a_model_is_run_reported_exported_and_done_again() {
    if !boxes() {
        return;
    }
    let server = ScriptedServer::start(Scripts::any(builds_it())).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path(), &["rudder"]);
    let cassette = folder.path().join("rudder.cassette");
    let bench = |more: &[&str]| {
        run(seatrial()
            .args(["bench", "run"])
            .arg(&corpus)
            .args(["--agent", "bash", "--model", "scripted/small", "--cassette"])
            .arg(&cassette)
            .args(more))
    };
    let ran = bench(&["--base-url", &server.base_url(Wire::Chat)]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let name = run_name(&ran.err);
    assert_eq!(server.heard().len(), 4);

    let lock = std::fs::read_to_string(home().join("runs").join(&name).join("lock.json")).unwrap();
    let lock: Value = serde_json::from_str(&lock).unwrap();
    assert_eq!(lock["model"]["models"], json!(["scripted/small"]));

    let said = run(seatrial().args(["bench", "report", &name])).out;
    let models = said.lines().find(|line| line.starts_with("models: ")).unwrap();
    assert!(
        models.contains("3 answers of 1 trial")
            && models.contains("cost unknown")
            && models.ends_with("ended: finished 1"),
        "{models}"
    );

    let trial = format!("{name}/rudder");
    let file = folder.path().join("rudder.json");
    let ran = run(seatrial().args(["trajectory", "export", &trial, "-o"]).arg(&file));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ran = run(seatrial().args(["trajectory", "check"]).arg(&file));
    assert_eq!((ran.code, ran.out.trim()), (0, "valid"));
    let document: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let last = document["steps"].as_array().unwrap().last().unwrap();
    assert_eq!(last["message"], "It is built.");
    assert_eq!(document["extra"]["outcome"], "passed");

    let ran = run(seatrial().args(["replay", &trial]));
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("3 of 3 ended as they did then"), "{}", ran.out);

    // The cassette answers without a server, and another model name is another run.
    drop(server);
    let ran = bench(&["--cassette-mode", "replay"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert_eq!(leftovers(), Vec::<String>::new());
}

#[test]
fn what_all_trials_may_use_together_is_kept() {
    if !boxes() {
        return;
    }
    // Two trials of three answers each; the two that may be given in all are the first trial's.
    for (bound, ending) in [
        ("--max-steps-of-run", "steps"),
        ("--max-tool-calls-of-run", "tool_calls"),
    ] {
        let server = ScriptedServer::start(Scripts::any(builds_it())).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let corpus = corpus(folder.path(), &["mast", "stern"]);
        let ran = run(seatrial()
            .args(["bench", "run"])
            .arg(&corpus)
            .args(["--agent", "bash", "--model", "scripted/small", "--base-url"])
            .arg(server.base_url(Wire::Chat))
            .args([bound, "1"]));
        let said = run(seatrial().args(["bench", "report", &run_name(&ran.err), "--json"])).out;
        let report: Value = serde_json::from_str(&said).unwrap();
        let endings = &report["models"]["endings"];
        assert!(
            endings[ending].as_u64().is_some_and(|times| times >= 1),
            "{bound}: {said}"
        );
    }
}

#[test]
fn words_about_models_that_cannot_be_meant_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (words, part) in [
        (vec!["--agent", "bash"], "asks a model: name one with `--model"),
        (vec!["--agent", "rules", "--model", "ollama/qwen3"], "asks no model"),
        (
            vec!["--agent", "bash", "--model", "gpt-5"],
            "is not the name of a model",
        ),
        (
            vec!["--agent", "bash", "--model", "nobody/gpt-5"],
            "there is no provider `nobody`",
        ),
        (
            vec!["--agent", "bash", "--model", "openai/gpt-5"],
            "wants a key: set `OPENAI_API_KEY`",
        ),
        (
            vec!["--agent", "bash", "--model", "openai/gpt-5", "--max-cost", "much"],
            "it is no number",
        ),
        (vec!["--agent", "nobody"], "there is no agent `nobody`"),
        (
            vec![
                "--agent",
                "bash",
                "--model",
                "ollama/x",
                "--search",
                "searxng=http://127.0.0.1:1",
            ],
            "has no tool that searches the web",
        ),
        (
            vec!["--agent", "codeact", "--model", "ollama/x", "--search", "brave"],
            "--search: the search `brave` wants a key: set `BRAVE_API_KEY`",
        ),
        (
            vec!["--agent", "codeact", "--model", "ollama/x", "--search", "other"],
            "--search: there is no search `other`",
        ),
        (
            vec!["--agent", "oss-build", "--model", "ollama/x", "--embedder", "ollama/y"],
            "`--embedder` makes the vectors of",
        ),
        (
            vec![
                "--agent",
                "oss-build",
                "--model",
                "ollama/x",
                "--retrieval",
                "rag",
                "--embedder",
                "anthropic/y",
            ],
            "--embedder: `anthropic` wants a key",
        ),
    ] {
        let ran = run(seatrial()
            .args(["bench", "run"])
            .arg(folder.path())
            .args(&words)
            .env_remove("ANTHROPIC_API_KEY")
            .env_remove("BRAVE_API_KEY")
            .env_remove("OPENAI_API_KEY"));
        assert_eq!(ran.code, 2, "{words:?}: {}", ran.err);
        assert!(ran.err.contains(part), "{words:?}: {}", ran.err);
    }
}

#[test]
fn a_file_of_keys_that_others_may_read_is_refused_and_its_text_never_shown() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let keys = folder.path().join("keys.toml");
    for (text, mode, part) in [
        (
            "openai = \"sk-hidden-hidden\"\n",
            0o644,
            "others may read it (mode 0644)",
        ),
        ("openai sk-hidden-hidden\n", 0o600, "is no line like `openai = \"key\"`"),
    ] {
        std::fs::write(&keys, text).unwrap();
        std::fs::set_permissions(&keys, std::fs::Permissions::from_mode(mode)).unwrap();
        let ran = run(seatrial()
            .args(["bench", "run", "corpus", "--agent", "bash", "--model", "openai/gpt-5"])
            .env("SEATRIAL_HOME", folder.path()));
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(ran.err.contains(part), "{}", ran.err);
        assert!(!ran.err.contains("hidden"), "{}", ran.err);
    }
}

#[test]
fn a_model_is_asked_whether_it_answers_and_whether_it_calls_tools() {
    let ready = Answer {
        repeat: true,
        ..Answer::text("ready").using(12, 1)
    };
    let tools = Answer::call("report", json!({ "word": "ready" })).using(40, 9);
    let refuses = Script::of([ready.clone()]).refusing("tools");
    let broken = Script::of([Answer {
        repeat: true,
        ..Answer::fault(Fault::Status {
            status: 401,
            retry_after: None,
            message: None,
        })
    }]);
    for (script, code, parts) in [
        (
            Script::of([tools.when("Call the tool"), Answer::text("ready").using(12, 1)]),
            0,
            vec![
                "scripted/small answers: ready",
                "12 + 1 tokens, cost unknown",
                "it was called: report {\"word\":\"ready\"}",
            ],
        ),
        (Script::of([ready]), 0, vec!["it was not called; the answer was: ready"]),
        (refuses, 0, vec!["tools are described in words"]),
        (broken, 4, vec!["does not take the key"]),
    ] {
        let server = ScriptedServer::start(Scripts::any(script)).unwrap();
        let ran = run(seatrial()
            .args(["model", "scripted/small", "--base-url"])
            .arg(server.base_url(Wire::Chat)));
        let said = format!("{}{}", ran.out, ran.err);
        assert_eq!(ran.code, code, "{said}");
        for part in parts {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
}
