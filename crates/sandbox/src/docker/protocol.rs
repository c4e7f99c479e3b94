//! What the harness and the agent in a container say to each other: frames over the container's standard input and
//! output.
//!
//! A frame is one byte that tells its kind, four bytes (little endian) that tell its length, and so many bytes. There is
//! one conversation at a time: the harness asks, may send data up to an end mark, and waits for the reply; before the
//! reply come the bytes that belong to it. Only [`Ask::Kill`] and [`Ask::Free`] are also asked while a command runs.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::native::{ExecRequest, FileRequest};

/// What the harness asks for.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Ask {
    /// Get ready. With ports: open a door's sockets and send them through the socket in the door's folder.
    Begin { door: Option<Vec<u16>> },
    /// Run a command.
    Exec(ExecRequest),
    /// End the running command.
    Kill,
    /// Tell how many bytes the file system below the box has free.
    Free,
    /// Do something with files. Data goes in the direction that the work implies.
    Files(FileRequest),
    /// List the whole tree.
    List,
    /// Tell what is at the paths that follow as data, each with its length (four bytes, little endian) before it.
    Describe,
}

/// What the agent answers.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Reply {
    /// Done.
    Done,
    /// A command ended.
    Ended(Ended),
    /// Free bytes.
    Free(u64),
    /// It could not be done.
    Failed { what: String, errno: i32, missing: bool },
}

/// How a command ended.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Ended {
    /// Exit code, when it exited.
    pub(crate) code: Option<i32>,
    /// The signal that ended it.
    pub(crate) signal: Option<i32>,
    /// Processor time in microseconds.
    pub(crate) cpu_us: u64,
    /// Peak resident memory in KiB.
    pub(crate) peak_kib: u64,
    /// Bytes that its processes wrote to files, as the kernel has counted them.
    pub(crate) written: u64,
    /// Processes killed for lack of memory.
    pub(crate) memory_kills: u64,
}

/// The kind of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An [`Ask`] or a [`Reply`].
    Message,
    /// Bytes of files.
    Data,
    /// The end of data that the harness sends.
    End,
    /// A command's standard output.
    Out,
    /// A command's standard error.
    Err,
}

impl Kind {
    fn byte(self) -> u8 {
        match self {
            Self::Message => b'M',
            Self::Data => b'D',
            Self::End => b'E',
            Self::Out => b'1',
            Self::Err => b'2',
        }
    }

    fn of(byte: u8) -> io::Result<Self> {
        Ok(match byte {
            b'M' => Self::Message,
            b'D' => Self::Data,
            b'E' => Self::End,
            b'1' => Self::Out,
            b'2' => Self::Err,
            _ => return Err(io::Error::other("a frame of no known kind")),
        })
    }
}

/// Bytes before a frame's body.
pub(crate) const HEAD: usize = 5;
/// Bytes that one frame carries at most; more goes into several.
pub(crate) const CHUNK: usize = 64 << 10;
/// No frame is longer, whatever its head says: a message carries a command line at most.
const LONGEST: usize = 64 << 20;

/// The kind and length that a frame's head tells.
pub(crate) fn head(bytes: [u8; HEAD]) -> io::Result<(Kind, usize)> {
    let [kind, length @ ..] = bytes;
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST {
        return Err(io::Error::other("a frame of impossible length"));
    }
    Ok((Kind::of(kind)?, length))
}

/// Writes one frame.
pub(crate) fn write_frame(out: &mut impl Write, kind: Kind, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len())
        .ok()
        .filter(|length| *length as usize <= LONGEST);
    let length = length.ok_or_else(|| io::Error::other("more than one frame carries"))?;
    let mut frame = Vec::with_capacity(HEAD + bytes.len());
    frame.push(kind.byte());
    frame.extend_from_slice(&length.to_le_bytes());
    frame.extend_from_slice(bytes);
    out.write_all(&frame)
}

/// Writes a message.
pub(crate) fn write_message(out: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let bytes = serde_json::to_vec(message).map_err(io::Error::other)?;
    write_frame(out, Kind::Message, &bytes)
}

/// Reads one frame; `None` at the end of the stream between two frames.
pub(crate) fn read_frame(input: &mut impl Read) -> io::Result<Option<(Kind, Vec<u8>)>> {
    let mut first = [0; HEAD];
    let mut filled = 0;
    while let Some(rest) = first.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match input.read(rest) {
            Ok(0) if filled == 0 => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let (kind, length) = head(first)?;
    let mut bytes = vec![0; length];
    input.read_exact(&mut bytes)?;
    Ok(Some((kind, bytes)))
}

/// Reads a message's bytes.
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> io::Result<T> {
    serde_json::from_slice(bytes).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back_as_they_went_and_torn_or_foreign_ones_are_errors() {
        let mut stream = Vec::new();
        write_frame(&mut stream, Kind::Out, b"to out").unwrap();
        write_frame(&mut stream, Kind::End, b"").unwrap();
        write_message(&mut stream, &Reply::Free(7)).unwrap();
        let mut input = &stream[..];
        assert_eq!(read_frame(&mut input).unwrap(), Some((Kind::Out, b"to out".to_vec())));
        assert_eq!(read_frame(&mut input).unwrap(), Some((Kind::End, Vec::new())));
        let (kind, bytes) = read_frame(&mut input).unwrap().unwrap();
        assert_eq!(kind, Kind::Message);
        assert!(matches!(parse(&bytes).unwrap(), Reply::Free(7)));
        assert_eq!(read_frame(&mut input).unwrap(), None);
        for torn in [&stream[..3], &stream[..8], b"X\0\0\0\0", b"M\xff\xff\xff\xff"] {
            read_frame(&mut &*torn).unwrap_err();
        }
    }
}
