//! Bounds: a call that could pass one is not made.

use std::sync::Arc;

use seatrial_core::Ending;
use seatrial_llm::{
    Bounds, Meter, ModelError, Pacing, Prices, Settings, Wire,
    scripted::{Answer, Script},
};

use crate::support::{ask, model, question, server, settings};

fn talker() -> Script {
    Script::of([Answer {
        repeat: true,
        ..Answer::text("word ".repeat(200))
    }])
}

#[test]
fn many_trials_of_one_run_never_use_more_than_the_run_may() {
    let server = server(talker());
    let settings = settings(&server, Wire::Chat);
    let run = Arc::new(Meter::new(Bounds {
        tokens: Some(60_000),
        ..Bounds::default()
    }));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let bounds = Bounds {
                    tokens: Some(12_000),
                    steps: Some(40),
                    ..Bounds::default()
                };
                let trial = Meter::within(bounds, Some(run.clone()));
                let model = model(Wire::Chat, &settings);
                let error = loop {
                    match ask(&*model, &question(), &trial).result {
                        Ok(_) => {}
                        Err(error) => break error,
                    }
                };
                assert!(
                    matches!(error.ending(), Some(Ending::Tokens | Ending::Steps)),
                    "{error}"
                );
                assert!(trial.spent().tokens() <= 12_000);
            });
        }
    });
    assert!(run.spent().tokens() <= 60_000);
    // What was sent along is the room that was left, never more.
    let largest = server
        .heard()
        .iter()
        .filter_map(|heard| heard.body["max_tokens"].as_u64())
        .max();
    assert!(largest.is_some_and(|largest| largest <= 12_000), "{largest:?}");
}

#[test]
fn each_bound_ends_a_trial_by_its_name() {
    let server = server(talker());
    let mut settings = settings(&server, Wire::Chat);
    let none = Bounds::default();
    let first = |bounds: Bounds, settings: &Settings| {
        let meter = Meter::new(bounds);
        let model = model(Wire::Chat, settings);
        loop {
            if let Err(error) = ask(&*model, &question(), &meter).result {
                return (error, meter.spent());
            }
        }
    };
    let (error, spent) = first(Bounds { steps: Some(2), ..none }, &settings);
    assert_eq!((error.ending(), spent.steps), (Some(Ending::Steps), 2));
    let (error, _) = first(
        Bounds {
            tokens: Some(500),
            ..none
        },
        &settings,
    );
    assert_eq!(error.ending(), Some(Ending::Tokens));
    let (error, spent) = first(
        Bounds {
            cost_micros: Some(5000),
            ..none
        },
        &settings,
    );
    assert!(matches!(error, ModelError::Unpriced { .. }), "{error}");
    assert_eq!(spent.input, 0);
    let row = "format = 1\n[[price]]\nmodel = 'scripted/ship'\ndate = '2026-01-01'\ninput = 1.0\noutput = 2.0\n";
    settings.prices = Prices::none().with_file(row).unwrap();
    let (error, spent) = first(
        Bounds {
            cost_micros: Some(5000),
            ..none
        },
        &settings,
    );
    assert_eq!(error.ending(), Some(Ending::Cost));
    assert!(spent.cost_micros > 0 && spent.cost_micros <= 5000, "{spent:?}");
}

#[test]
fn a_key_is_never_used_more_often_at_once_than_it_may() {
    let server = server(talker());
    let mut settings = settings(&server, Wire::Chat);
    settings.pacing = Pacing {
        at_once: Some(2),
        ..Pacing::default()
    };
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let meter = crate::support::unbounded();
                assert!(ask(&*model(Wire::Chat, &settings), &question(), &meter).result.is_ok());
            });
        }
    });
    assert_eq!(server.heard().len(), 8);
}

#[test]
fn nothing_that_goes_wrong_takes_a_trial_beyond_its_bound() {
    use seatrial_llm::scripted::Fault;
    let mut random = fastrand::Rng::with_seed(23);
    for wire in Wire::ALL {
        let mut answers: Vec<Answer> = (0..60)
            .map(|_| {
                let text = "word ".repeat(random.usize(1..300));
                let fault = match random.u8(..8) {
                    0 => Some(Fault::Cut { after: 6 }),
                    1 => Some(Fault::Unfinished { after: 6 }),
                    2 => Some(Fault::Midway { after: 6 }),
                    3 => Some(Fault::Status {
                        status: 503,
                        retry_after: None,
                        message: None,
                    }),
                    _ => None,
                };
                Answer {
                    fault,
                    hides_usage: random.bool(),
                    ..Answer::text(text)
                }
            })
            .collect();
        answers.push(Answer {
            repeat: true,
            ..Answer::text("word")
        });
        let server = server(Script::of(answers));
        let model = model(wire, &settings(&server, wire));
        let meter = Meter::new(Bounds {
            tokens: Some(20_000),
            ..Bounds::default()
        });
        let mut request = question();
        let error = loop {
            match ask(&*model, &request, &meter).result {
                Ok(completion) => {
                    request.messages.push(completion.message);
                    request
                        .messages
                        .push(seatrial_core::Message::text(seatrial_core::Role::User, "Go on."));
                }
                Err(ModelError::Exhausted { .. }) => {}
                Err(error) => break error,
            }
        };
        assert_eq!(error.ending(), Some(Ending::Tokens), "{wire}: {error}");
        assert!(meter.spent().tokens() <= 20_000, "{wire}: {:?}", meter.spent());
    }
}
