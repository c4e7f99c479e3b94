//! Logs that grow, break, begin anew, or have no end.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use seatrial_obs::{Client, LogLimits, LogReader, Pull};

use crate::{
    service::{Service, log_of, settings, target},
    wire::{Reply, Server},
};

#[test]
fn a_broken_stream_goes_on_where_it_broke() {
    let whole = Arc::new(log_of("0123456789abcdef0123456789abcdef", "failed"));
    let text = Arc::clone(&whole);
    let count = AtomicUsize::new(0);
    let server = Server::start(move |asked| {
        let start: usize = asked.parameter("start").unwrap().parse().unwrap();
        let rest = &text[start..];
        // Every other answer breaks after ten bytes.
        if count.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) && rest.len() > 10 {
            Reply::Cut(rest[..10].to_vec(), rest.len())
        } else {
            Reply::Whole(200, Vec::new(), rest[..rest.len().min(30)].to_vec())
        }
    });
    let client = Client::new(settings(&server.api)).unwrap();
    let log = client.log(&target(), LogLimits::default()).unwrap().unwrap();
    assert_eq!(log.text, *whole);
    assert_eq!(log.srcmd5.as_deref(), Some("0123456789abcdef0123456789abcdef"));
    assert_eq!(log.total, whole.len() as u64);
}

#[test]
fn a_stream_that_never_gets_on_is_given_up() {
    let server = Server::start(|_| Reply::Cut(Vec::new(), 100));
    let client = Client::new(settings(&server.api)).unwrap();
    let error = client.log(&target(), LogLimits::default()).unwrap_err();
    assert!(
        error.to_string().contains("it ended after 0 of 100 bytes") || error.may_pass(),
        "{error}"
    );
}

#[test]
fn a_log_is_shown_while_it_grows_and_begins_anew_with_another_build() {
    let service = Service::start();
    let client = service.client();
    let mut reader = LogReader::new(&client, &target(), LogLimits::default());
    let shown = Mutex::new(Vec::new());
    let mut show = |piece: &[u8]| shown.lock().unwrap().extend_from_slice(piece);
    assert_eq!(reader.pull(&mut show).unwrap(), Pull::Absent);
    service.change(|inside| inside.log = b"first line\n".to_vec());
    assert_eq!(reader.pull(&mut show).unwrap(), Pull::Grew(11));
    service.change(|inside| inside.log.extend_from_slice(b"second line\n"));
    assert_eq!(reader.pull(&mut show).unwrap(), Pull::Grew(12));
    assert_eq!(reader.pull(&mut show).unwrap(), Pull::Grew(0));
    assert_eq!(shown.lock().unwrap().as_slice(), b"first line\nsecond line\n");
    service.change(|inside| inside.log = b"other\n".to_vec());
    assert_eq!(reader.pull(&mut show).unwrap(), Pull::Restarted);
    assert_eq!(reader.pull(&mut show).unwrap(), Pull::Grew(6));
    assert_eq!(reader.log().text, b"other\n");
}

#[test]
fn a_log_without_end_is_left_where_it_is() {
    let server = Server::start(|_| Reply::Whole(200, Vec::new(), vec![b'x'; 100_000]));
    let client = Client::new(settings(&server.api)).unwrap();
    let limits = LogLimits {
        head: 10,
        tail: 20,
        read: 250_000,
    };
    let log = client.log(&target(), limits).unwrap().unwrap();
    assert!(log.total >= 250_000 && log.total < 400_000, "{}", log.total);
    assert_eq!(log.left_out, log.total - 30);
    assert!(log.text.len() < 100);
}
