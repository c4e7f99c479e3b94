//! One commit is one revision; nothing is sent twice; nothing is lost when an answer is.

use std::sync::atomic::AtomicBool;

use seatrial_obs::{Commit, ObsError, SourceFile, Upload};

use crate::{
    service::{Service, package},
    wire::Reply,
};

fn files(list: &[(&str, &str)]) -> Vec<SourceFile> {
    list.iter()
        .map(|(name, text)| SourceFile::from_bytes(*name, text.as_bytes().to_vec()))
        .collect()
}

fn commit(service: &Service, list: &[(&str, &str)], base: Option<&str>) -> Result<Commit, ObsError> {
    let files = files(list);
    service.client().commit(
        &package(),
        &Upload {
            files: &files,
            comment: "port it",
            base,
            stop: &AtomicBool::new(false),
        },
    )
}

#[test]
fn a_commit_is_one_revision_and_deletes_what_is_gone() {
    let service = Service::start();
    service.change(|inside| {
        inside.put(
            "someone",
            "first",
            &[("tiny.spec", "old"), ("a.patch", "same"), ("gone.patch", "x")],
        );
    });
    let list = [("tiny.spec", "new"), ("a.patch", "same"), ("b+c.patch", "more")];
    let done = commit(&service, &list, Some("1")).unwrap();
    assert_eq!((done.revision.as_str(), done.is_new), ("2", true));
    assert_eq!(done.uploaded, ["b+c.patch", "tiny.spec"]);
    assert_eq!(done.deleted, ["gone.patch"]);
    assert_eq!(done.between, []);
    service.change(|inside| {
        assert_eq!(done.srcmd5, inside.srcmd5(2));
        assert_eq!(done.built, done.srcmd5);
        let names: Vec<_> = inside.revisions[1].files.keys().map(String::as_str).collect();
        assert_eq!(names, ["a.patch", "b+c.patch", "tiny.spec"]);
    });
    assert_eq!(service.server.count("PUT "), 2);
    assert_eq!(
        service
            .server
            .count("PUT /source/home:someone/tiny/b%2Bc.patch?rev=repository"),
        1
    );
    // The same again is no revision, and nothing is sent.
    let again = commit(&service, &list, Some("2")).unwrap();
    assert_eq!((again.revision.as_str(), again.is_new), ("2", false));
    assert_eq!(service.server.count("PUT "), 2);
    assert_eq!(service.server.count("POST "), 2);
    // Content that the service has of old needs no second upload, only its longer hash.
    commit(&service, &[("tiny.spec", "old"), ("a.patch", "same")], None).unwrap();
    assert_eq!(service.server.count("PUT "), 2);
    service.change(|inside| assert_eq!(inside.revisions.len(), 3));
}

#[test]
fn a_lost_answer_is_looked_up_and_not_asked_for_again() {
    for reply in [
        Reply::Drop,
        Reply::status(502, "proxy"),
        Reply::Cut(b"<dir".to_vec(), 99),
    ] {
        let service = Service::start();
        let mut lists = 0;
        service.change(|inside| {
            inside.put("someone", "first", &[("tiny.spec", "old")]);
            inside.interrupt = Some(Box::new(move |asked| {
                if asked.method != "POST" {
                    return None;
                }
                lists += 1;
                // The second list is the one that commits: the service does its work, and its answer is lost.
                (lists == 2).then(|| (reply.clone(), false))
            }));
        });
        let done = commit(&service, &[("tiny.spec", "new")], Some("1")).unwrap();
        assert_eq!((done.revision.as_str(), done.is_new), ("2", true));
        assert_eq!(service.server.count("POST "), 2);
        service.change(|inside| assert_eq!(inside.revisions.len(), 2));
    }
}

#[test]
fn an_upload_whose_answer_is_lost_is_not_sent_again_when_it_arrived() {
    for (arrived, sent) in [(true, 1), (false, 2)] {
        let service = Service::start();
        let mut puts = 0;
        service.change(|inside| {
            inside.interrupt = Some(Box::new(move |asked| {
                puts += usize::from(asked.method == "PUT");
                (asked.method == "PUT" && puts == 1).then(|| (Reply::status(504, "proxy"), !arrived))
            }));
        });
        let done = commit(&service, &[("tiny.spec", "new")], None).unwrap();
        assert_eq!(done.revision, "1");
        assert_eq!(service.server.count("PUT "), sent, "arrived: {arrived}");
    }
}

#[test]
fn a_service_that_keeps_asking_is_given_up() {
    let service = Service::start();
    service.change(|inside| {
        inside.interrupt = Some(Box::new(|asked| {
            (asked.method == "PUT").then(|| (Reply::xml("<revision/>"), true))
        }));
    });
    let error = commit(&service, &[("tiny.spec", "new")], None).unwrap_err();
    assert!(
        matches!(&error, ObsError::KeepsMissing { names, rounds: 3 } if names == &["tiny.spec"]),
        "{error}"
    );
    service.change(|inside| assert!(inside.revisions.is_empty()));
}

#[test]
fn somebody_elses_commit_is_not_overwritten() {
    let service = Service::start();
    service.change(|inside| {
        inside.put("someone", "first", &[("tiny.spec", "old")]);
        inside.put("other", "theirs", &[("tiny.spec", "theirs")]);
    });
    let error = commit(&service, &[("tiny.spec", "new")], Some("1")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "home:someone/tiny is at revision 2 (by other) and not at 1: somebody else committed; look at their change first"
    );
    service.change(|inside| assert_eq!(inside.revisions.len(), 2));
    assert_eq!(service.server.count("PUT "), 0);
}

#[test]
fn a_commit_that_came_between_is_told() {
    let service = Service::start();
    let inside = std::sync::Arc::downgrade(&service.inside);
    let mut lists = 0;
    service.change(|inside| {
        inside.put("someone", "first", &[("tiny.spec", "old")]);
    });
    // Not under the lock: the commit of the other is made by the test while ours is under way.
    let (send, receive) = std::sync::mpsc::channel::<()>();
    let other = std::thread::spawn(move || {
        receive.recv().unwrap();
        let inside = inside.upgrade().unwrap();
        inside
            .lock()
            .unwrap()
            .put("other", "theirs", &[("tiny.spec", "theirs")]);
    });
    service.change(|inside| {
        inside.interrupt = Some(Box::new(move |asked| {
            lists += usize::from(asked.method == "POST");
            (asked.method == "POST" && lists == 1).then(|| {
                send.send(()).unwrap();
                (Reply::status(503, "busy"), true)
            })
        }));
    });
    let files = files(&[("tiny.spec", "new")]);
    let stop = AtomicBool::new(false);
    let upload = Upload {
        files: &files,
        comment: "port it",
        base: Some("1"),
        stop: &stop,
    };
    let client = service.client();
    let committed = client.commit(&package(), &upload).unwrap();
    other.join().unwrap();
    // Whether the other was faster is up to the machine; that it is told when it was, is not.
    service.change(|inside| {
        let theirs = inside.revisions.iter().position(|rev| rev.user == "other").unwrap() + 1;
        let ours: usize = committed.revision.parse().unwrap();
        let told: Vec<_> = committed.between.iter().map(|rev| rev.user.as_str()).collect();
        assert_eq!(told, if theirs < ours { vec!["other"] } else { vec![] });
    });
}

#[test]
fn nothing_is_asked_for_what_may_not_be_written() {
    let service = Service::start();
    let error = commit(&service, &[("tiny.spec", "x"), ("manifest.json", "{}")], None).unwrap_err();
    assert!(matches!(error, ObsError::NotSource { .. }), "{error}");
    assert!(commit(&service, &[], None).is_err());
    let mut settings = crate::service::settings(&service.server.api);
    settings.projects = seatrial_obs::Projects::Home;
    settings.credentials.user = Some("me".to_owned());
    let client = seatrial_obs::Client::new(settings).unwrap();
    let stop = AtomicBool::new(false);
    let files = files(&[("tiny.spec", "x")]);
    let upload = Upload {
        files: &files,
        comment: "x",
        base: None,
        stop: &stop,
    };
    let error = client.commit(&package(), &upload).unwrap_err();
    assert!(matches!(error, ObsError::Usage(_)), "{error}");
    assert_eq!(service.server.count("POST "), 0);
    assert_eq!(service.server.count("PUT "), 0);
}

#[test]
fn a_raised_flag_stops_before_the_commit() {
    let service = Service::start();
    let files = files(&[("tiny.spec", "x")]);
    let stop = AtomicBool::new(true);
    let upload = Upload {
        files: &files,
        comment: "x",
        base: None,
        stop: &stop,
    };
    let error = service.client().commit(&package(), &upload).unwrap_err();
    assert!(matches!(error, ObsError::Stopped));
    assert_eq!(service.server.count("POST "), 0);
}
