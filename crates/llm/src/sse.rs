//! Server-sent events, byte by byte: any line ending, characters that are cut in two, comments, and a bound on what is held.

/// One event: what kind it is, where the server says so, and its data.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Event {
    /// The kind; empty when none was given.
    pub(crate) name: String,
    /// The data lines, joined by line ends.
    pub(crate) data: String,
}

/// A line or an event is longer than the bound.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

/// Cuts a stream of bytes into events.
#[derive(Debug)]
pub(crate) struct Parser {
    line: Vec<u8>,
    event: Event,
    has_data: bool,
    /// The last byte was a carriage return: a line feed that follows belongs to it.
    after_return: bool,
    /// No line was seen yet: a byte order mark may stand there.
    at_start: bool,
    bound: usize,
}

impl Parser {
    /// A parser that holds at most so many bytes.
    pub(crate) fn new(bound: usize) -> Self {
        Self {
            line: Vec::new(),
            event: Event::default(),
            has_data: false,
            after_return: false,
            at_start: true,
            bound,
        }
    }

    /// Takes bytes and appends the events that they complete.
    pub(crate) fn push(&mut self, bytes: &[u8], events: &mut Vec<Event>) -> Result<(), TooLong> {
        let mut rest = bytes;
        if self.after_return && !rest.is_empty() {
            self.after_return = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (head, tail) = rest.split_at(at);
            self.hold(head)?;
            self.end_line(events)?;
            rest = match tail {
                [b'\r'] => {
                    self.after_return = true;
                    &[]
                }
                [b'\r', b'\n', more @ ..] | [_, more @ ..] => more,
                [] => &[],
            };
        }
        self.hold(rest)
    }

    /// The stream is over. A last event without an empty line after it counts: some servers forget it.
    pub(crate) fn end(&mut self, events: &mut Vec<Event>) -> Result<(), TooLong> {
        if !self.line.is_empty() {
            self.end_line(events)?;
        }
        self.end_event(events);
        Ok(())
    }

    fn hold(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        if self.line.len() + self.event.data.len() + bytes.len() > self.bound {
            return Err(TooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self, events: &mut Vec<Event>) -> Result<(), TooLong> {
        let bytes = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&bytes);
        let mut line = text.as_ref();
        if std::mem::take(&mut self.at_start) {
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            self.end_event(events);
            return Ok(());
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.event.data.len() + value.len() + 1 > self.bound {
                    return Err(TooLong);
                }
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
                self.has_data = true;
            }
            "event" => value.clone_into(&mut self.event.name),
            // Comments have an empty name; `id` and `retry` are for those who connect again, which a paid call does not.
            _ => {}
        }
        Ok(())
    }

    fn end_event(&mut self, events: &mut Vec<Event>) {
        let event = std::mem::take(&mut self.event);
        if std::mem::take(&mut self.has_data) {
            events.push(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&[u8]]) -> Vec<(String, String)> {
        let mut parser = Parser::new(1 << 20);
        let mut events = Vec::new();
        for piece in pieces {
            parser.push(piece, &mut events).unwrap();
        }
        parser.end(&mut events).unwrap();
        events.into_iter().map(|event| (event.name, event.data)).collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected
            .iter()
            .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
            .collect()
    }

    #[test]
    fn every_way_of_writing_events_is_read() {
        let cases: [(&str, &[(&str, &str)]); 9] = [
            ("data: a\n\ndata: b\n\n", &[("", "a"), ("", "b")]),
            ("data: a\r\n\r\ndata: b\r\n\r\n", &[("", "a"), ("", "b")]),
            ("data: a\r\rdata: b\r\r", &[("", "a"), ("", "b")]),
            (
                ": ping\n\nevent: x\ndata:  two\ndata:lines\n\n",
                &[("x", " two\nlines")],
            ),
            ("data\n\n", &[("", "")]),
            ("event: alone\n\ndata: after\n\n", &[("", "after")]),
            ("\u{feff}data: marked\n\n", &[("", "marked")]),
            ("data: not ended", &[("", "not ended")]),
            ("id: 1\nretry: 5\nunknown: x\ndata: ü\n\n", &[("", "ü")]),
        ];
        for (text, expected) in cases {
            assert_eq!(read(&[text.as_bytes()]), pairs(expected), "{text:?}");
            let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
            assert_eq!(read(&bytes), pairs(expected), "{text:?} byte by byte");
        }
    }

    #[test]
    fn cuts_do_not_change_what_is_read() {
        let mut random = fastrand::Rng::with_seed(7);
        let alphabet: [&[u8]; 12] = [
            b"data: ",
            b"event: ",
            b"\n",
            b"\r",
            b"\r\n",
            b"\n\n",
            b":",
            b"{\"a\":1}",
            "ü€😀".as_bytes(),
            b"\xff\xc3",
            b" ",
            b"x",
        ];
        for _ in 0..2000 {
            let mut text = Vec::new();
            for _ in 0..random.usize(..40) {
                text.extend_from_slice(alphabet[random.usize(..alphabet.len())]);
            }
            let whole = read(&[&text]);
            let mut pieces = Vec::new();
            let mut rest: &[u8] = &text;
            while !rest.is_empty() {
                let (head, tail) = rest.split_at(random.usize(1..=rest.len().min(9)));
                pieces.push(head);
                rest = tail;
            }
            assert_eq!(read(&pieces), whole, "{:?}", String::from_utf8_lossy(&text));
        }
    }

    #[test]
    fn what_is_held_has_a_bound() {
        let mut events = Vec::new();
        let mut parser = Parser::new(100);
        let line = parser.push(&[b'x'; 200], &mut events);
        assert_eq!(line, Err(TooLong));
        let mut parser = Parser::new(100);
        let many = (0..20).try_for_each(|_| parser.push(b"data: 123456789\n", &mut events));
        assert_eq!(many, Err(TooLong));
    }
}
