//! A state counts when it is settled and is of what was committed; everything else is told apart.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use seatrial_obs::{Class, Client, Code, Ending, Event, LogLimits, Proof, WaitOptions, Waited, Wanted};

use crate::{
    service::{EPOCH, Look, Service, log_of, target},
    wire::Reply,
};

const LONG: Duration = Duration::from_mins(1);

/// A package with one old revision and ours; what is waited for is ours.
fn committed(service: &Service) -> Wanted {
    let mut srcmd5 = String::new();
    service.change(|inside| {
        inside.put("someone", "first", &[("tiny.spec", "old")]);
        srcmd5 = inside.put("us", "port it", &[("tiny.spec", "new")]);
    });
    Wanted {
        revision: "2".to_owned(),
        srcmd5,
        time: EPOCH + 1,
        in_service: false,
        after: None,
    }
}

fn wait(client: &Client, wanted: &Wanted, within: Duration) -> Waited {
    let stop = AtomicBool::new(false);
    let mut options = WaitOptions {
        within,
        stop: &stop,
        log: LogLimits::default(),
        follow: false,
        progress: &mut |_| {},
    };
    client.wait(&target(), wanted, &mut options).unwrap()
}

fn looks(list: &[Look]) -> std::collections::VecDeque<Look> {
    list.iter().cloned().collect()
}

fn dirty(code: &'static str) -> Look {
    Look {
        dirty: true,
        ..Look::new(code)
    }
}

/// The way as words; looks that only repeat are not in it.
fn way(waited: &Waited) -> Vec<String> {
    let word = |dirty: bool| if dirty { " dirty" } else { "" };
    waited
        .seen
        .iter()
        .map(|seen| format!("{}{}", seen.code, word(seen.is_dirty)))
        .collect()
}

#[test]
fn an_old_state_and_an_old_log_do_not_count() {
    let service = Service::start();
    let wanted = committed(&service);
    let ours = wanted.srcmd5.clone();
    service.change(|inside| {
        // The scheduler has not noticed yet: the old success stands there, clean, with its old log.
        inside.looks = looks(&[
            Look::new("succeeded"),
            Look::new("succeeded"),
            dirty("succeeded"),
            Look::new("scheduled"),
            Look::new("building"),
            Look::new("finished"),
            Look::new("failed"),
        ]);
        inside.log = log_of(&inside.srcmd5(1), "finished");
        inside.after_look = Some(Box::new(move |_, inside| {
            if inside.looks.len() == 1 {
                inside.log = log_of(&ours, "failed");
            }
        }));
    });
    let waited = wait(&service.client(), &wanted, LONG);
    let Ending::Settled(verdict) = &waited.ending else {
        panic!("{waited:?}");
    };
    assert_eq!(
        (&verdict.code, verdict.class, verdict.proof),
        (&Code::Failed, Class::Failure, Proof::Log)
    );
    assert_eq!(
        verdict.log.as_ref().unwrap().srcmd5.as_deref(),
        Some(wanted.srcmd5.as_str())
    );
    assert_eq!(
        way(&waited),
        [
            "succeeded",
            "succeeded dirty",
            "scheduled",
            "building",
            "finished",
            "failed"
        ]
    );
}

#[test]
fn a_state_without_a_log_counts_when_the_scheduler_looked_after_the_commit() {
    for (code, class) in [
        ("unresolvable", Class::Failure),
        ("broken", Class::Failure),
        ("excluded", Class::Refused),
        ("disabled", Class::Refused),
        ("locked", Class::Refused),
    ] {
        let service = Service::start();
        let wanted = committed(&service);
        let look = |checked| Look {
            checked,
            details: "why",
            ..Look::new(code)
        };
        service.change(|inside| {
            inside.looks = looks(&[look(EPOCH), look(EPOCH), look(EPOCH + 2)]);
        });
        let waited = wait(&service.client(), &wanted, LONG);
        let Ending::Settled(verdict) = &waited.ending else {
            panic!("{waited:?}");
        };
        assert_eq!(
            (verdict.code.word(), verdict.class, verdict.proof),
            (code, class, Proof::Checked)
        );
        assert_eq!((verdict.details.as_str(), &verdict.log), ("why", &None));
        service.change(|inside| assert!(inside.looked > 3));
    }
}

#[test]
fn a_look_of_the_scheduler_that_began_before_the_commit_does_not_count() {
    let service = Service::start();
    let wanted = committed(&service);
    let look = |code, checked| Look {
        checked,
        ..Look::new(code)
    };
    service.change(|inside| {
        // Its result is written after the commit, and is the old one: then it looks again.
        inside.looks = looks(&[
            dirty("broken"),
            look("broken", EPOCH + 2),
            dirty("broken"),
            look("unresolvable", EPOCH + 3),
        ]);
    });
    let waited = wait(&service.client(), &wanted, LONG);
    assert!(
        matches!(&waited.ending, Ending::Settled(verdict) if verdict.code == Code::Unresolvable),
        "{waited:?}"
    );
}

#[test]
fn an_old_state_without_a_log_never_counts() {
    let service = Service::start();
    let wanted = committed(&service);
    service.change(|inside| {
        inside.looks = looks(&[Look {
            checked: EPOCH,
            ..Look::new("unresolvable")
        }]);
    });
    let waited = wait(&service.client(), &wanted, Duration::from_millis(200));
    assert!(
        matches!(waited.ending, Ending::OutOfTime { seen: Some(_) }),
        "{waited:?}"
    );
}

#[test]
fn a_log_of_other_sources_is_stale_and_not_a_failure() {
    let service = Service::start();
    let wanted = committed(&service);
    service.change(|inside| {
        inside.looks = looks(&[Look::new("failed")]);
        inside.log = log_of(&inside.srcmd5(1), "failed");
    });
    let waited = wait(&service.client(), &wanted, Duration::from_millis(200));
    let mut old = String::new();
    service.change(|inside| old = inside.srcmd5(1));
    match waited.ending {
        Ending::Stale { seen, found } => assert_eq!((seen.code, found), (Code::Failed, Some(old))),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_commit_of_somebody_else_ends_the_waiting() {
    for code in ["failed", "unresolvable"] {
        let service = Service::start();
        let wanted = committed(&service);
        service.change(|inside| {
            inside.looks = looks(&[
                dirty("succeeded"),
                Look::new("building"),
                Look {
                    checked: EPOCH + 9,
                    ..Look::new(code)
                },
            ]);
            inside.after_look = Some(Box::new(|number, inside| {
                if number == 2 {
                    let theirs = inside.put("other", "theirs", &[("tiny.spec", "theirs")]);
                    inside.log = log_of(&theirs, "failed");
                }
            }));
        });
        let waited = wait(&service.client(), &wanted, LONG);
        match waited.ending {
            Ending::Overtaken { revision, by } => {
                assert_eq!((revision.as_str(), by.unwrap().user.as_str()), ("3", "other"));
            }
            other => panic!("{code}: {other:?}"),
        }
    }
}

#[test]
fn a_state_that_goes_on_is_out_of_time_and_a_raised_flag_stops() {
    let service = Service::start();
    let wanted = committed(&service);
    service.change(|inside| {
        inside.looks = looks(&[Look {
            details: "other",
            ..Look::new("blocked")
        }]);
    });
    let waited = wait(&service.client(), &wanted, Duration::from_millis(100));
    match waited.ending {
        Ending::OutOfTime { seen: Some(seen) } => {
            assert_eq!((seen.code, seen.details.as_str()), (Code::Blocked, "other"));
        }
        other => panic!("{other:?}"),
    }
    let stop = AtomicBool::new(false);
    let mut options = WaitOptions {
        within: LONG,
        stop: &stop,
        log: LogLimits::default(),
        follow: false,
        progress: &mut |event| stop.store(matches!(event, Event::Seen(_)), Ordering::Relaxed),
    };
    let waited = service.client().wait(&target(), &wanted, &mut options).unwrap();
    assert!(matches!(waited.ending, Ending::Stopped { seen: Some(_) }), "{waited:?}");
}

#[test]
fn a_service_that_is_away_for_a_while_is_waited_for() {
    let service = Service::start();
    let wanted = committed(&service);
    let ours = wanted.srcmd5.clone();
    let mut questions = 0;
    service.change(|inside| {
        inside.looks = looks(&[Look::new("building"), Look::new("succeeded")]);
        inside.log = log_of(&ours, "finished");
        inside.interrupt = Some(Box::new(move |asked| {
            questions += usize::from(asked.target.contains("/_result"));
            (questions == 2 || questions == 3).then_some((Reply::status(500, "restarting"), true))
        }));
    });
    let mut settings = crate::service::settings(&service.server.api);
    settings.pace.grace = LONG;
    let troubles = std::cell::Cell::new(0);
    let stop = AtomicBool::new(false);
    let mut options = WaitOptions {
        within: LONG,
        stop: &stop,
        log: LogLimits::default(),
        follow: false,
        progress: &mut |event| troubles.set(troubles.get() + usize::from(matches!(event, Event::Trouble(_)))),
    };
    let client = Client::new(settings).unwrap();
    let waited = client.wait(&target(), &wanted, &mut options).unwrap();
    assert!(
        matches!(&waited.ending, Ending::Settled(verdict) if verdict.class == Class::Success),
        "{waited:?}"
    );
    assert!(troubles.get() >= 1);

    // Away for good, it is an error and no verdict.
    service.change(|inside| {
        inside.interrupt = Some(Box::new(|_| Some((Reply::status(500, "gone"), true))));
    });
    let mut options = WaitOptions {
        within: LONG,
        stop: &stop,
        log: LogLimits::default(),
        follow: false,
        progress: &mut |_| {},
    };
    let error = service.client().wait(&target(), &wanted, &mut options).unwrap_err();
    assert!(error.may_pass(), "{error}");
}

#[test]
fn the_log_is_shown_while_the_build_runs() {
    let service = Service::start();
    let wanted = committed(&service);
    let whole = log_of(&wanted.srcmd5, "finished");
    let text = whole.clone();
    service.change(|inside| {
        inside.looks = looks(&[
            Look::new("building"),
            Look::new("building"),
            Look::new("building"),
            Look::new("succeeded"),
        ]);
        inside.after_look = Some(Box::new(move |number, inside| {
            inside.log = text[..text.len() * number.min(4) / 4].to_vec();
        }));
    });
    let stop = AtomicBool::new(false);
    let shown = std::cell::RefCell::new(Vec::new());
    let mut options = WaitOptions {
        within: LONG,
        stop: &stop,
        log: LogLimits::default(),
        follow: true,
        progress: &mut |event| {
            if let Event::Log(piece) = event {
                shown.borrow_mut().extend_from_slice(piece);
            }
        },
    };
    let waited = service.client().wait(&target(), &wanted, &mut options).unwrap();
    assert!(matches!(waited.ending, Ending::Settled(_)), "{waited:?}");
    assert!(whole.starts_with(&shown.borrow()) && !shown.borrow().is_empty());
}

#[test]
fn a_service_that_cannot_hold_a_question_is_asked_again_and_again() {
    let service = Service::start();
    let wanted = committed(&service);
    let ours = wanted.srcmd5.clone();
    service.change(|inside| {
        inside.looks = looks(&[Look::new("building"), Look::new("building"), Look::new("succeeded")]);
        inside.log = log_of(&ours, "finished");
        inside.interrupt = Some(Box::new(|asked| {
            let held = asked.parameter("oldstate").is_some();
            held.then(|| (Reply::status(400, "oldstate not supported for remote projects"), true))
        }));
    });
    let waited = wait(&service.client(), &wanted, LONG);
    assert!(matches!(waited.ending, Ending::Settled(_)), "{waited:?}");
}
