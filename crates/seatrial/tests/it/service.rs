//! `seatrial repair --obs`: what a build service that cannot be used does to a repair, before any work is done.

use std::{
    fmt::Write as _,
    io::{Read, Write as _},
    net::TcpListener,
};

use expect_test::expect;

use crate::{
    small_package::write_package,
    support::{run, seatrial},
};

/// A service that gives every question one answer, as often as it is asked.
fn service(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut asked = [0; 4096];
            drop(stream.read(&mut asked));
            drop(stream.write_all(answer.as_bytes()));
        }
    });
    format!("http://{address}")
}

fn asked(api: &str, more: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("t-1");
    write_package(&source, "amd64", "int main(void) { return 0; }\n");
    let ran = run(seatrial()
        .arg("repair")
        .arg(&source)
        .args(["--target", "i686", "-o"])
        .arg(folder.path().join("out"))
        .args(["--obs", api])
        .args(more));
    let words = ran.err.replace(api, "http://SERVICE");
    let words = words
        .lines()
        .filter(|line| line.starts_with("error") || line.starts_with("  "));
    format!("{}: {}", ran.code, words.collect::<Vec<_>>().join("\n"))
}

#[test]
fn a_service_that_cannot_be_used_is_told_before_any_work_is_done() {
    let mut table = String::new();
    let own = ["--obs-project", "home:me"];
    for (what, answer, more) in [
        ("nobody named", "", &[] as &[&str]),
        ("a base that is none", "", &["--obs-user", "me", "--obs-base", "Debian"]),
        (
            "wants to know who asks",
            "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"obs\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            &own,
        ),
        (
            "has no such project",
            "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            &own,
        ),
        (
            "is broken",
            "HTTP/1.1 500 Oops\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            &own,
        ),
        (
            "is a page for people",
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 12\r\nConnection: close\r\n\r\n<html></html",
            &own,
        ),
    ] {
        writeln!(table, "{what}\n  {}", asked(&service(answer), more)).unwrap();
    }
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    writeln!(table, "nobody there\n  {}", asked(&format!("http://{free}"), &own)).unwrap();
    expect![[r#"
        nobody named
          2: error: --obs asks for a place to build in: name --obs-user, or a project with --obs-project
        a base that is none
          2: error: --obs-base: `Debian` is not PROJECT/REPOSITORY, such as `Debian:12/standard`
        wants to know who asks
          2: error: http://SERVICE/source/home:me/_meta wants to know who asks (it offers Basic): no user was given
        has no such project
          2: error: there is no project home:me at http://SERVICE, and nothing says what packages are to be built with; name a project and one of its repositories, such as `Debian:12/standard`
        is broken
          4: error: the build service failed at http://SERVICE/source/home:me/_meta with 500: Internal Server Error; this is a fault of the service's
        is a page for people
          4: error: http://SERVICE/source/home:me/_meta answered with something that is no XML (a page for people); it begins with `<html></html`. Is this the API's address?
        nobody there
          4: error: the build service at http://SERVICE/source/home:me/_meta cannot be reached: Connection refused (os error 111); check the address and the network
    "#]].assert_eq(&table);
}

#[test]
fn words_about_a_service_need_a_service() {
    let ran = run(seatrial().args(["repair", ".", "--target", "i686", "--obs-user", "me"]));
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("--obs <URL>"), "{}", ran.err);
}
