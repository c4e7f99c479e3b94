//! The resolver of a box: it answers every name with the door's address and asks nobody, so that no name, however it is
//! made up, carries anything out of the box.
//!
//! Not a library for the whole format: a question has one name, which is never compressed, and that is all that is read.

use std::{
    collections::HashSet,
    fmt::Write as _,
    net::{Ipv4Addr, Ipv6Addr},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use seatrial_sandbox::DOOR_ADDRESS;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream, UdpSocket},
    task::JoinSet,
    time::{sleep, timeout},
};

/// Is told of each name that was asked for, once, as text that is fit to be shown.
pub(crate) type Asked = Arc<dyn Fn(&str) + Send + Sync>;

/// Different names that are told of; a box that asks for more asks for the sake of asking.
const NAMES: usize = 1024;
/// Streams at one time.
const STREAMS: usize = 32;
/// How long a stream may say nothing.
const SILENCE: Duration = Duration::from_secs(10);
/// How long to wait after an error of a socket that may last.
const PAUSE: Duration = Duration::from_millis(50);
/// Bytes of a message's fixed start.
const HEADER: usize = 12;
/// Seconds that an answer may be kept.
const KEPT: u32 = 300;

const A: u16 = 1;
const AAAA: u16 = 28;
const EDNS: u16 = 41;
const ANY: u16 = 255;
/// Asks for all names of a zone; and the one before it for what changed there.
const TRANSFER: u16 = 252;
const INTERNET: u16 = 1;

/// What an answer says in its last four bits of flags.
#[derive(Debug, Clone, Copy)]
enum Code {
    Fine = 0,
    Malformed = 1,
    NoSuchName = 3,
    NotImplemented = 4,
    Refused = 5,
}

/// Serves until it is dropped.
pub(crate) async fn serve(datagrams: UdpSocket, streams: TcpListener, asked: Asked) {
    let listener = Arc::new(Listener {
        asked,
        told: Mutex::default(),
    });
    tokio::join!(
        serve_datagrams(&datagrams, &listener),
        serve_streams(&streams, &listener)
    );
}

async fn serve_datagrams(socket: &UdpSocket, listener: &Listener) {
    // The longest that a datagram may be.
    let mut buffer = vec![0; 1 << 16];
    loop {
        match socket.recv_from(&mut buffer).await {
            Ok((length, from)) => {
                if let Some(answer) = listener.answer(buffer.get(..length).unwrap_or_default()) {
                    // Whoever does not take the answer asks again.
                    drop(socket.send_to(&answer, from).await);
                }
            }
            Err(_) => sleep(PAUSE).await,
        }
    }
}

async fn serve_streams(socket: &TcpListener, listener: &Arc<Listener>) {
    // They end with it when it is dropped.
    let mut open = JoinSet::new();
    loop {
        while open.len() >= STREAMS || open.try_join_next().is_some() {
            if open.len() >= STREAMS {
                open.join_next().await;
            }
        }
        match socket.accept().await {
            Ok((stream, _)) => {
                open.spawn(serve_stream(stream, Arc::clone(listener)));
            }
            Err(_) => sleep(PAUSE).await,
        }
    }
}

async fn serve_stream(mut stream: TcpStream, listener: Arc<Listener>) {
    let mut buffer = Vec::new();
    loop {
        let question = timeout(SILENCE, async {
            let length = stream.read_u16().await?;
            buffer.resize(usize::from(length), 0);
            stream.read_exact(&mut buffer).await
        });
        let Ok(Ok(_)) = question.await else { return };
        let Some(answer) = listener.answer(&buffer) else { return };
        let mut framed = (answer.len() as u16).to_be_bytes().to_vec();
        framed.extend(answer);
        let Ok(Ok(())) = timeout(SILENCE, stream.write_all(&framed)).await else {
            return;
        };
    }
}

struct Listener {
    asked: Asked,
    told: Mutex<HashSet<String>>,
}

impl Listener {
    /// The answer to a message, if it deserves one.
    fn answer(&self, message: &[u8]) -> Option<Vec<u8>> {
        let header: &[u8; HEADER] = message.first_chunk()?;
        let [id_high, id_low, flags, _, counts @ ..] = header;
        // An answer is never answered: two that do would go on for ever.
        if flags & 0x80 != 0 {
            return None;
        }
        let mut answer = vec![*id_high, *id_low];
        let operation = flags & 0x78;
        let (code, question) = match question(message, *counts) {
            // Other operations have another form.
            _ if operation != 0 => (Code::NotImplemented, None),
            None => (Code::Malformed, None),
            Some(question) => {
                self.tell(&question);
                (question.code(), Some(question))
            }
        };
        let address = match (&question, code) {
            (Some(question), Code::Fine) => question.address(),
            _ => None,
        };
        let extended = question.as_ref().is_some_and(|question| question.extended);
        // What it was asked, whether recursion was wanted; and that there is recursion, as a lonely resolver must say:
        // some take an empty answer for a referral to another one otherwise.
        answer.extend([0x80 | operation | flags & 1, 0x80 | code as u8]);
        for count in [question.is_some(), address.is_some(), false, extended] {
            answer.extend(u16::from(count).to_be_bytes());
        }
        if let Some(question) = question {
            answer.extend(question.bytes);
            if let Some(address) = address {
                // The name is the one at the end of the header.
                answer.extend([0xc0, HEADER as u8]);
                answer.extend(address.kind.to_be_bytes());
                answer.extend(INTERNET.to_be_bytes());
                answer.extend(KEPT.to_be_bytes());
                answer.extend((address.bytes.len() as u16).to_be_bytes());
                answer.extend(address.bytes);
            }
            if extended {
                // The root's name, and how much may be sent here in one datagram.
                answer.push(0);
                answer.extend(EDNS.to_be_bytes());
                answer.extend(1232_u16.to_be_bytes());
                answer.extend([0; 6]);
            }
        }
        Some(answer)
    }

    fn tell(&self, question: &Question) {
        if question.is_local() {
            return;
        }
        let name = question.text();
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() < NAMES && told.insert(name.clone()) {
            drop(told);
            (self.asked)(&name);
        }
    }
}

/// What is asked.
struct Question<'a> {
    /// Labels of the name, without the root's.
    labels: Vec<&'a [u8]>,
    kind: u16,
    class: u16,
    /// The same as it was sent. The name's case stays: some ask in a mixed one to tell answers apart.
    bytes: &'a [u8],
    /// Whether the asker knows the extension of the format.
    extended: bool,
}

struct Address {
    kind: u16,
    bytes: Vec<u8>,
}

fn question(message: &[u8], counts: [u8; 8]) -> Option<Question<'_>> {
    let [0, 1, 0, 0, 0, 0, further @ ..] = counts else {
        return None;
    };
    let body = message.get(HEADER..)?;
    let mut rest = body;
    let mut labels = Vec::new();
    loop {
        let (&length, after) = rest.split_first()?;
        rest = after;
        if length == 0 {
            break;
        }
        // Longer ones are pointers or none at all.
        if length > 63 {
            return None;
        }
        let (label, after) = rest.split_at_checked(usize::from(length))?;
        labels.push(label);
        rest = after;
    }
    let ([kind_high, kind_low, class_high, class_low], after) = rest.split_first_chunk()?;
    let bytes = body.get(..body.len() - after.len())?;
    // The name alone is shorter than 256 bytes.
    if bytes.len() > 255 + 4 {
        return None;
    }
    let extended = further != [0, 0] && after.starts_with(&[0, 0, EDNS as u8]);
    Some(Question {
        labels,
        kind: u16::from_be_bytes([*kind_high, *kind_low]),
        class: u16::from_be_bytes([*class_high, *class_low]),
        bytes,
        extended,
    })
}

impl Question<'_> {
    fn code(&self) -> Code {
        let last = self.labels.last().copied().unwrap_or_default();
        if self.class != INTERNET || [TRANSFER - 1, TRANSFER].contains(&self.kind) {
            Code::Refused
        } else if [&b"arpa"[..], b"invalid"]
            .iter()
            .any(|top| top.eq_ignore_ascii_case(last))
        {
            // Names of addresses, and what is set aside for names that must not be there.
            Code::NoSuchName
        } else {
            // Also where nothing is known of that kind: whoever asks for a service's place then takes the name itself.
            Code::Fine
        }
    }

    fn is_local(&self) -> bool {
        self.labels
            .last()
            .is_some_and(|label| label.eq_ignore_ascii_case(b"localhost"))
    }

    fn address(&self) -> Option<Address> {
        let four = if self.is_local() {
            Ipv4Addr::LOCALHOST
        } else {
            DOOR_ADDRESS
        };
        match self.kind {
            // The root is no host.
            _ if self.labels.is_empty() => None,
            A | ANY => Some(Address {
                kind: A,
                bytes: four.octets().into(),
            }),
            AAAA if self.is_local() => Some(Address {
                kind: AAAA,
                bytes: Ipv6Addr::LOCALHOST.octets().into(),
            }),
            _ => None,
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for label in &self.labels {
            if !text.is_empty() {
                text.push('.');
            }
            for byte in *label {
                match byte {
                    b'.' | b'\\' => text.extend(['\\', char::from(*byte)]),
                    0x21..=0x7e => text.push(char::from(byte.to_ascii_lowercase())),
                    _ => {
                        let _ = write!(text, "\\{byte:03}");
                    }
                }
            }
        }
        if text.is_empty() {
            text.push('.');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listener() -> (Listener, Arc<Mutex<Vec<String>>>) {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let asked: Asked = {
            let heard = Arc::clone(&heard);
            Arc::new(move |name| heard.lock().unwrap().push(name.to_owned()))
        };
        let told = Mutex::default();
        (Listener { asked, told }, heard)
    }

    fn message(name: &[&[u8]], kind: u16, class: u16, further: &[u8]) -> Vec<u8> {
        let mut message = vec![0xab, 0xcd, 1, 0, 0, 1, 0, 0, 0, 0, 0, u8::from(!further.is_empty())];
        for label in name {
            message.push(label.len() as u8);
            message.extend(*label);
        }
        message.push(0);
        message.extend(kind.to_be_bytes());
        message.extend(class.to_be_bytes());
        message.extend(further);
        message
    }

    /// Code, and the data of the answer if there is one.
    fn read(answer: &[u8], asked: &[u8]) -> String {
        assert_eq!(answer[..2], asked[..2], "the same number");
        assert_eq!(answer[2] & 0x80, 0x80, "an answer");
        let code = answer[3] & 0xf;
        if code == 1 || code == 4 {
            assert_eq!(answer.len(), HEADER);
            return code.to_string();
        }
        let own = asked.len() - if asked[11] == 1 { 11 } else { 0 };
        assert_eq!(answer[12..own], asked[12..own], "the same question");
        let data = &answer[own..answer.len() - if answer[11] == 1 { 11 } else { 0 }];
        match (answer[7], data) {
            (0, []) => format!("{code}"),
            (1, [0xc0, 12, 0, kind, 0, 1, 0, 0, 1, 44, 0, length, data @ ..]) => {
                assert_eq!(data.len(), usize::from(*length));
                format!("{code} type {kind} {data:?}")
            }
            _ => panic!("{answer:?}"),
        }
    }

    #[test]
    fn every_name_is_the_door_and_nothing_else_is_known() {
        let (listener, heard) = listener();
        let edns = [0, 0, 41, 16, 0, 0, 0, 0, 0, 0, 0];
        let long: &[&[u8]] = &[&[b'x'; 63], &[b'y'; 63], &[b'z'; 63], &[b'q'; 61]];
        let table: &[(&[&[u8]], u16, u16)] = &[
            (&[b"example", b"org"], A, 1),
            (&[b"eXaMpLe", b"org"], AAAA, 1),
            (&[b"example", b"org"], ANY, 1),
            (&[b"example", b"org"], 16, 1),
            (&[b"_http", b"_tcp", b"mirror", b"test"], 33, 1),
            (&[b"1", b"0", b"18", b"198", b"in-addr", b"arpa"], 12, 1),
            (&[b"gone", b"invalid"], A, 1),
            (&[b"example", b"org"], 252, 1),
            (&[b"version", b"bind"], 16, 3),
            (&[b"localhost"], A, 1),
            (&[b"app", b"LOCALHOST"], AAAA, 1),
            (&[], A, 1),
            (&[b"a.b\\\x1b[2J", b"org"], A, 1),
            (long, A, 1),
        ];
        let mut answers = String::new();
        for (name, kind, class) in table {
            for further in [&[][..], &edns] {
                let message = message(name, *kind, *class, further);
                let answer = listener.answer(&message).unwrap();
                assert!(answer.len() <= 512);
                assert_eq!(answer[11] == 1, !further.is_empty());
                let read = read(&answer, &message);
                if further.is_empty() {
                    writeln!(answers, "{kind}: {read}").unwrap();
                }
            }
        }
        expect_test::expect![[r#"
            1: 0 type 1 [198, 18, 0, 1]
            28: 0
            255: 0 type 1 [198, 18, 0, 1]
            16: 0
            33: 0
            12: 3
            1: 3
            252: 5
            16: 5
            1: 0 type 1 [127, 0, 0, 1]
            28: 0 type 28 [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
            1: 0
            1: 0 type 1 [198, 18, 0, 1]
            1: 0 type 1 [198, 18, 0, 1]
        "#]]
        .assert_eq(&answers);
        expect_test::expect![[r#"
            example.org
            _http._tcp.mirror.test
            1.0.18.198.in-addr.arpa
            gone.invalid
            version.bind
            .
            a\.b\\\027[2j.org
            xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy.zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz.qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq"#]].assert_eq(&heard.lock().unwrap().join("\n"));
    }

    #[test]
    fn what_is_no_question_is_told_so_or_left_alone() {
        let (listener, heard) = listener();
        let good = message(&[b"example", b"org"], A, 1, &[]);
        let with = |place: usize, byte: u8| {
            let mut message = good.clone();
            message[place] = byte;
            message
        };
        let answer = |message: &[u8]| listener.answer(message).map(|answer| read(&answer, message));
        assert_eq!(answer(&good[..11]), None, "no header");
        assert_eq!(answer(&with(2, 0x81)), None, "an answer");
        assert_eq!(answer(&with(2, 0x29)).as_deref(), Some("4"), "an update");
        for (message, why) in [
            (with(5, 0), "no question"),
            (with(5, 2), "two questions"),
            (with(7, 1), "an answer in the question"),
            (with(12, 0xc0), "a pointer"),
            (with(12, 0x47), "a label of no known kind"),
            (with(12, 63), "a label that is not there"),
            (good[..good.len() - 1].to_vec(), "cut short"),
            (message(&[&[b'x'; 63][..]; 4], A, 1, &[]), "too long"),
        ] {
            assert_eq!(answer(&message).as_deref(), Some("1"), "{why}");
        }
        assert_eq!(*heard.lock().unwrap(), [] as [&str; 0]);
        // Whatever comes, there is an answer that is well-formed or none. The numbers follow no order, but always the same.
        let mut state = 1_u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize
        };
        for _ in 0..50_000 {
            let mut message = good.clone();
            for _ in 0..=next() % 4 {
                let place = next() % message.len();
                message[place] = next() as u8;
            }
            message.truncate(message.len() - next() % 4 * (next() % 9));
            if let Some(answer) = listener.answer(&message) {
                assert!((HEADER..=512).contains(&answer.len()));
            }
        }
    }

    #[test]
    fn a_name_is_told_once_and_not_without_end() {
        let (listener, heard) = listener();
        for number in 0..3 * NAMES {
            let label = format!("{}", number / 2);
            listener
                .answer(&message(&[label.as_bytes(), b"test"], 16, 1, &[]))
                .unwrap();
        }
        let heard = heard.lock().unwrap();
        assert_eq!((heard.len(), &*heard[1]), (NAMES, "1.test"));
    }

    #[tokio::test]
    async fn datagrams_and_streams_are_answered_together() {
        let datagrams = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let streams = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (by_datagram, by_stream) = (datagrams.local_addr().unwrap(), streams.local_addr().unwrap());
        let server = tokio::spawn(serve(datagrams, streams, Arc::new(|_| ())));
        let question = message(&[b"example", b"org"], A, 1, &[]);
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let mut answer = [0; 600];
        for _ in 0..2 {
            socket.send_to(b"x", by_datagram).await.unwrap();
            socket.send_to(&question, by_datagram).await.unwrap();
            let length = socket.recv(&mut answer).await.unwrap();
            assert_eq!(read(&answer[..length], &question), "0 type 1 [198, 18, 0, 1]");
        }
        // More than are served at one time: those that go make room for those that wait.
        let framed = [&(question.len() as u16).to_be_bytes()[..], &question].concat();
        let mut open = Vec::new();
        for _ in 0..STREAMS + 8 {
            open.push(TcpStream::connect(by_stream).await.unwrap());
        }
        for mut stream in open {
            // Two in one go.
            stream.write_all(&framed.repeat(2)).await.unwrap();
            for _ in 0..2 {
                let length = usize::from(stream.read_u16().await.unwrap());
                stream.read_exact(&mut answer[..length]).await.unwrap();
                assert_eq!(read(&answer[..length], &question), "0 type 1 [198, 18, 0, 1]");
            }
        }
        let mut last = TcpStream::connect(by_stream).await.unwrap();
        last.write_all(&framed[..5]).await.unwrap();
        server.abort();
        assert_eq!(last.read(&mut answer).await.unwrap_or(0), 0, "closed with the server");
    }
}
