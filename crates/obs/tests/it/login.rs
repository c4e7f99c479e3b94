//! Logging in: a signature of a real key, a password, and a cookie that saves both the next time.

use std::{
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
};

use seatrial_obs::{Client, Credentials, ObsError, PlainHttp, SigningKey};

use crate::{
    service::{package, settings},
    wire::{Asked, Reply, Server},
};

const LISTING: &str = "<directory name=\"tiny\" rev=\"7\" srcmd5=\"abc\"/>";
const REALM: &str = "Use your account";

fn challenge() -> Reply {
    let offers = format!("Signature realm=\"{REALM}\",headers=\"(created)\"");
    Reply::Whole(
        401,
        vec![
            ("WWW-Authenticate", "Basic realm=\"x\"".to_owned()),
            ("WWW-Authenticate", offers),
        ],
        Vec::new(),
    )
}

fn welcome() -> Reply {
    let cookie = "session=s3cret; Path=/; HttpOnly; SameSite=Lax".to_owned();
    Reply::Whole(200, vec![("Set-Cookie", cookie)], LISTING.as_bytes().to_vec())
}

fn has_session(asked: &Asked) -> bool {
    asked.header("cookie") == Some("session=s3cret")
}

fn credentials(password: Option<&str>, key: Option<&Path>) -> Credentials {
    Credentials {
        user: Some("someone".to_owned()),
        password: password.map(str::to_owned),
        key: key.map(|file| SigningKey {
            file: file.to_owned(),
            agent: None,
        }),
    }
}

/// A key without a passphrase; `None` where there is no `ssh-keygen`.
fn key(folder: &Path) -> Option<std::path::PathBuf> {
    let file = folder.join("id");
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-C", "test", "-f"])
        .arg(&file)
        .status();
    match made {
        Ok(status) if status.success() => Some(file),
        other => {
            println!("skipped: no key can be made with ssh-keygen ({other:?})");
            None
        }
    }
}

#[test]
fn a_signature_is_one_that_ssh_keygen_verifies_and_is_needed_once() {
    let folder = tempfile::tempdir().unwrap();
    let Some(key) = key(folder.path()) else { return };
    let cookies = folder.path().join("cookies");
    let server = Server::start(|asked| {
        let signed = asked
            .header("authorization")
            .is_some_and(|value| value.starts_with("Signature "));
        if has_session(asked) || signed {
            welcome()
        } else {
            challenge()
        }
    });
    let mut settings = settings(&server.api);
    settings.credentials = credentials(Some("unused"), Some(&key));
    settings.cookies = Some(cookies.clone());
    let client = Client::new(settings.clone()).unwrap();
    assert_eq!(client.list(&package()).unwrap().revision, "7");

    let asked = server.asked();
    assert_eq!(asked.len(), 2);
    let header = asked[1].header("authorization").unwrap().to_owned();
    let value = |name: &str| {
        let start = header.split_once(&format!("{name}=")).unwrap().1;
        start
            .trim_start_matches('"')
            .split(['"', ','])
            .next()
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        (value("keyId"), value("algorithm"), value("headers")),
        ("someone".into(), "ssh".into(), "(created)".into())
    );
    let public = std::fs::read_to_string(key.with_extension("pub")).unwrap();
    std::fs::write(folder.path().join("signers"), format!("someone {public}")).unwrap();
    let armoured = format!(
        "-----BEGIN SSH SIGNATURE-----\n{}\n-----END SSH SIGNATURE-----\n",
        value("signature")
    );
    std::fs::write(folder.path().join("signature"), armoured).unwrap();
    let mut verify = Command::new("ssh-keygen")
        .args([
            "-Y",
            "verify",
            "-f",
            "signers",
            "-I",
            "someone",
            "-n",
            REALM,
            "-s",
            "signature",
        ])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let signed = format!("(created): {}", value("created"));
    verify.stdin.take().unwrap().write_all(signed.as_bytes()).unwrap();
    assert!(verify.wait().unwrap().success());

    // Another client of the same file has the session, and needs neither key nor password.
    settings.credentials = credentials(None, None);
    Client::new(settings).unwrap().list(&package()).unwrap();
    let last = server.asked().pop().unwrap();
    assert!(has_session(&last) && last.header("authorization").is_none());
}

#[test]
fn a_password_is_used_where_the_key_is_not_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let Some(key) = key(folder.path()) else { return };
    let server = Server::start(|asked| match asked.header("authorization") {
        Some("Basic c29tZW9uZTpzZWNyZXQ=") => Reply::xml(LISTING),
        _ => challenge(),
    });
    let mut settings = settings(&server.api);
    settings.credentials = credentials(Some("secret"), Some(&key));
    let client = Client::new(settings.clone()).unwrap();
    client.list(&package()).unwrap();
    assert_eq!(server.asked().len(), 3);
    // What was accepted is sent at once the next time.
    client.list(&package()).unwrap();
    assert_eq!(server.asked().len(), 4);

    settings.credentials = credentials(Some("wrong"), None);
    let error = Client::new(settings).unwrap().list(&package()).unwrap_err();
    assert_eq!(
        error.to_string().replace(&server.api, "API"),
        "API/source/home:someone/tiny?expand=1 wants to know who asks (it offers Basic, Signature): Basic of user someone was \
         not accepted; check the user's name and the key or password"
    );
}

#[test]
fn a_session_that_is_over_is_renewed() {
    let over = AtomicBool::new(false);
    let server = Server::start(move |asked| {
        let known = has_session(asked) && !over.swap(true, Ordering::Relaxed);
        if known || asked.header("authorization").is_some() {
            welcome()
        } else {
            challenge()
        }
    });
    let mut settings = settings(&server.api);
    settings.credentials = credentials(Some("secret"), None);
    let client = Client::new(settings).unwrap();
    for _ in 0..3 {
        client.list(&package()).unwrap();
    }
}

#[test]
fn credentials_are_not_sent_in_the_clear() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(|asked| match asked.header("authorization") {
        Some(_) => welcome(),
        None => challenge(),
    });
    // The system takes this address for itself too, but it is not one that says so.
    let api = server.api.replace("127.0.0.1", "0.0.0.0");
    let mut settings = settings(&api);
    settings.credentials = credentials(Some("secret"), None);
    settings.cookies = Some(folder.path().join("cookies"));
    let error = Client::new(settings.clone()).unwrap().list(&package()).unwrap_err();
    assert!(matches!(error, ObsError::Insecure { .. }), "{error}");
    // Where the caller does not mind, they are; the session that this makes still goes nowhere else.
    settings.plain_http = PlainHttp::Anywhere;
    Client::new(settings.clone()).unwrap().list(&package()).unwrap();
    settings.plain_http = PlainHttp::Loopback;
    Client::new(settings).unwrap().list(&package()).unwrap_err();
    let asked = server.asked();
    assert_eq!(
        asked
            .iter()
            .filter(|asked| asked.header("authorization").is_some())
            .count(),
        1
    );
    assert_eq!(asked.iter().filter(|asked| asked.header("cookie").is_some()).count(), 0);
}
