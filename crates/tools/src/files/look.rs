//! Looking through a tree of the box: names with kinds, or whole files in one stream.

use std::{
    io::{self, Read as _},
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    time::Duration,
};

use seatrial_sandbox::{Command, Execution, OutputSink, Status, Stream};

use crate::{ToolFailure, World, text::plain};

/// What a path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Folder,
    Link,
    Other,
}

/// One path of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Known {
    /// Absolute, as the box has it; bytes that are no UTF-8 are replaced.
    pub(crate) path: String,
    pub(crate) kind: Kind,
    /// Permission bits.
    pub(crate) mode: u32,
    pub(crate) size: u64,
    /// Where a link leads.
    pub(crate) target: String,
}

/// A regular file that was seen.
pub(crate) struct Seen<'a> {
    pub(crate) path: &'a str,
    pub(crate) bytes: &'a [u8],
    /// Permission bits.
    pub(crate) mode: u32,
}

/// Which part of a tree is looked at.
pub(crate) struct Look<'a> {
    pub(crate) folder: &'a str,
    /// Levels below the folder.
    pub(crate) depth: u32,
    /// Names of folders that are not entered.
    pub(crate) prune: &'a [&'a str],
    /// Files whose name, or path below the folder, fits; all when there is none.
    pub(crate) glob: Option<&'a str>,
    /// Larger files are not looked into.
    pub(crate) largest: u64,
}

/// Runs a script of ours whose arguments are given apart, so nothing has to be quoted.
pub(crate) fn run_quietly(
    script: &str,
    arguments: &[&str],
    time: Duration,
    output: &mut dyn OutputSink,
    world: &mut World<'_>,
) -> Result<Execution, ToolFailure> {
    let mut argv: Vec<String> = ["/bin/bash", "-c", script, "seatrial"].map(str::to_owned).to_vec();
    argv.extend(arguments.iter().map(|argument| (*argument).to_owned()));
    let time = world.time_for(time)?;
    let command = Command {
        argv,
        output_limit: world.limits.tree_bytes,
        ..Command::bash("").with_timeout(time)
    };
    Ok(world.sandbox.exec(&command, output)?)
}

/// Standard output and standard error apart, each bounded.
#[derive(Default)]
pub(crate) struct Apart {
    pub(crate) out: Vec<u8>,
    pub(crate) err: Vec<u8>,
}

impl OutputSink for Apart {
    fn bytes(&mut self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::Out => self.out.extend_from_slice(bytes),
            Stream::Err if self.err.len() < 4096 => self.err.extend_from_slice(bytes),
            Stream::Err => {}
        }
    }
}

/// The expression by which `find` leaves out folders.
const PRUNE: &str = r#"
folder=$1 depth=$2 names=$3; shift 3
prune=(-false)
for name in $names; do prune+=(-o -name "$name"); done
"#;

/// What one path is, without following a link; `None` when nothing is there.
pub(crate) fn known(path: &str, world: &mut World<'_>) -> Result<Option<Known>, ToolFailure> {
    let script = "find \"$1\" -maxdepth 0 -printf '%y %m %s %p\\0%l\\0'";
    let mut apart = Apart::default();
    run_quietly(script, &[path], world.limits.look, &mut apart, world)?;
    Ok(parse(&apart.out).into_iter().next())
}

/// The mode of a file that is new.
pub(crate) const NEW_FILE: u32 = 0o644;

/// The mode that a file gets when it is written: its own, behind links too.
pub(crate) fn mode_of(path: &str, world: &mut World<'_>) -> Result<u32, ToolFailure> {
    let script = "find -L \"$1\" -maxdepth 0 -printf '%y %m %s %p\\0%l\\0'";
    let mut apart = Apart::default();
    run_quietly(script, &[path], world.limits.look, &mut apart, world)?;
    let known = parse(&apart.out).into_iter().next();
    Ok(known
        .filter(|known| known.kind == Kind::File)
        .map_or(NEW_FILE, |known| known.mode & 0o7777))
}

impl Look<'_> {
    /// The paths below the folder, sorted; the folder itself is not one of them. The second is whether time was up.
    pub(crate) fn names(&self, world: &mut World<'_>) -> Result<(Vec<Known>, bool), ToolFailure> {
        let script = format!(
            "{PRUNE}exec find -- \"$folder\" -mindepth 1 -maxdepth \"$depth\" \
             '(' -type d '(' \"${{prune[@]}}\" ')' -printf '%y %m %s %p\\0%l\\0' -prune ')' -o -printf '%y %m %s %p\\0%l\\0'"
        );
        let mut apart = Apart::default();
        let folder = with_slash(self.folder);
        let (depth, prune) = (self.depth.to_string(), self.prune.join(" "));
        let execution = run_quietly(
            &script,
            &[&folder, &depth, &prune],
            world.limits.look,
            &mut apart,
            world,
        )?;
        let mut names = parse(&apart.out);
        if names.is_empty() && !execution.succeeded() {
            return Err(no_look(&execution, &apart.err));
        }
        names.sort_by(|a, b| a.path.cmp(&b.path));
        Ok((
            names,
            matches!(execution.status, Status::TimedOut(_)) || execution.truncated_bytes > 0,
        ))
    }

    /// Shows each regular file's content, in the order of the tree, until told to stop by `false`. Gives the count of files
    /// that were too large, and whether the time or the bytes were used up.
    pub(crate) fn files(
        &self,
        world: &mut World<'_>,
        see: &mut (dyn FnMut(Seen<'_>) -> bool + Send),
    ) -> Result<(u64, bool), ToolFailure> {
        // Sorted, so that the same tree gives the same answer. Files that are too large are counted by a name of no size.
        let script = format!(
            "{PRUNE}set -o pipefail\ncd -- \"$folder\" || exit 3\nfind . -mindepth 1 -maxdepth \"$depth\" \
             '(' -type d '(' \"${{prune[@]}}\" ')' -prune ')' -o -type f -size -\"$1\"c -print0 \
             | LC_ALL=C sort -z | tar --create --format=gnu --null --no-recursion --verbatim-files-from --files-from=- \
             --ignore-failed-read --file=- 2>/dev/null\n\
             code=$?\nfind . -mindepth 1 -maxdepth \"$depth\" '(' -type d '(' \"${{prune[@]}}\" ')' -prune ')' \
             -o -type f -size +\"$1\"c -printf x >&2\nexit $code"
        );
        let folder = self.folder.to_owned();
        let (depth, prune) = (self.depth.to_string(), self.prune.join(" "));
        let largest = (self.largest + 1).to_string();
        let (sender, receiver) = sync_channel::<Vec<u8>>(64);
        let base = self.folder.trim_end_matches('/').to_owned();
        let pattern = self.glob.map(glob).transpose()?;
        let (outcome, execution, err) = std::thread::scope(|scope| {
            let reading = scope.spawn(move || read_stream(receiver, &base, pattern.as_ref(), see));
            let mut pour = Pour {
                sender: Some(sender),
                err: Vec::new(),
            };
            let execution = run_quietly(
                &script,
                &[&folder, &depth, &prune, &largest],
                world.limits.look,
                &mut pour,
                world,
            );
            let err = std::mem::take(&mut pour.err);
            drop(pour);
            (reading.join(), execution, err)
        });
        let execution = execution?;
        // A stream that ends early is a stop, a time limit or a limit of bytes; all of these are told.
        drop(outcome);
        if execution.status == Status::Exited(3) {
            return Err(ToolFailure::told(format!("`{}` is no folder in the box", self.folder)));
        }
        let cut = matches!(execution.status, Status::TimedOut(_)) || execution.truncated_bytes > 0;
        let large = memchr::memchr_iter(b'x', &err).count() as u64;
        Ok((large, cut))
    }
}

/// `find` follows a link that is its starting point only with a slash behind it.
fn with_slash(folder: &str) -> String {
    format!("{}/", folder.trim_end_matches('/'))
}

fn no_look(execution: &Execution, err: &[u8]) -> ToolFailure {
    let said = plain(err);
    ToolFailure::told(match execution.status {
        Status::TimedOut(_) => "looking took too long; look at a smaller part".to_owned(),
        _ if said.trim().is_empty() => "the box's `find` does not work; use `shell` instead".to_owned(),
        _ => said.trim().to_owned(),
    })
}

fn parse(bytes: &[u8]) -> Vec<Known> {
    let mut fields = bytes.split(|byte| *byte == 0);
    let mut names = Vec::new();
    while let (Some(head), Some(target)) = (fields.next(), fields.next()) {
        let head = String::from_utf8_lossy(head);
        let mut words = head.splitn(4, ' ');
        let (Some(kind), Some(mode), Some(size), Some(path)) = (words.next(), words.next(), words.next(), words.next())
        else {
            continue;
        };
        names.push(Known {
            path: path.replacen("//", "/", 1),
            kind: match kind {
                "f" => Kind::File,
                "d" => Kind::Folder,
                "l" => Kind::Link,
                _ => Kind::Other,
            },
            mode: u32::from_str_radix(mode, 8).unwrap_or(0),
            size: size.parse().unwrap_or(0),
            target: String::from_utf8_lossy(target).into_owned(),
        });
    }
    names
}

/// Hands standard output on to whoever reads it; when nobody does any more, it goes nowhere.
struct Pour {
    sender: Option<SyncSender<Vec<u8>>>,
    err: Vec<u8>,
}

impl OutputSink for Pour {
    fn bytes(&mut self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::Out => {
                if let Some(sender) = &self.sender
                    && sender.send(bytes.to_vec()).is_err()
                {
                    self.sender = None;
                }
            }
            Stream::Err => self.err.extend_from_slice(bytes),
        }
    }
}

struct Pieces {
    receiver: Receiver<Vec<u8>>,
    piece: Vec<u8>,
    at: usize,
}

impl io::Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.piece.len() {
            match self.receiver.recv() {
                Ok(piece) => (self.piece, self.at) = (piece, 0),
                Err(_) => return Ok(0),
            }
        }
        let rest = self.piece.get(self.at..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        self.at += count;
        Ok(count)
    }
}

fn read_stream(
    receiver: Receiver<Vec<u8>>,
    base: &str,
    pattern: Option<&regex::Regex>,
    see: &mut (dyn FnMut(Seen<'_>) -> bool + Send),
) -> io::Result<()> {
    let mut archive = tar::Archive::new(io::BufReader::with_capacity(
        1 << 18,
        Pieces {
            receiver,
            piece: Vec::new(),
            at: 0,
        },
    ));
    let mut bytes = Vec::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let name = name.trim_start_matches("./");
        if pattern.is_some_and(|pattern| !pattern.is_match(name)) {
            continue;
        }
        let mode = entry.header().mode().unwrap_or(NEW_FILE);
        bytes.clear();
        entry.read_to_end(&mut bytes)?;
        if !see(Seen {
            path: &format!("{base}/{name}"),
            bytes: &bytes,
            mode,
        }) {
            break;
        }
    }
    Ok(())
}

/// A pattern of file names as a regular expression over the path below a folder: `*.c` fits in any folder, `src/*.c` and
/// `**/x/*.c` only where they say.
pub(crate) fn glob(pattern: &str) -> Result<regex::Regex, ToolFailure> {
    let mut text = String::from(if pattern.contains('/') { "^" } else { "^(?:.*/)?" });
    let mut chars = pattern.trim_start_matches("./").chars().peekable();
    let mut braces = 0_u32;
    while let Some(c) = chars.next() {
        match c {
            '*' if chars.peek() == Some(&'*') => {
                chars.next();
                if chars.peek() == Some(&'/') {
                    chars.next();
                    text.push_str("(?:.*/)?");
                } else {
                    text.push_str(".*");
                }
            }
            '*' => text.push_str("[^/]*"),
            '?' => text.push_str("[^/]"),
            '{' => {
                braces += 1;
                text.push_str("(?:");
            }
            '}' if braces > 0 => {
                braces -= 1;
                text.push(')');
            }
            ',' if braces > 0 => text.push('|'),
            c => text.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
        }
    }
    text.push('$');
    regex::Regex::new(&text)
        .map_err(|_| ToolFailure::told(format!("`{pattern}` is no pattern of names; write for instance `*.c`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_names_fit_where_they_say() {
        for (pattern, path, fits) in [
            ("*.c", "main.c", true),
            ("*.c", "src/deep/main.c", true),
            ("*.c", "main.cc", false),
            ("src/*.c", "src/main.c", true),
            ("src/*.c", "src/deep/main.c", false),
            ("src/**/*.c", "src/deep/main.c", true),
            ("src/**/*.c", "src/main.c", true),
            ("*.{c,h}", "a/b.h", true),
            ("a?b", "a.b", true),
            ("a.b", "axb", false),
            ("**", "a/b", true),
        ] {
            assert_eq!(glob(pattern).unwrap().is_match(path), fits, "{pattern} {path}");
        }
        assert!(glob("{a").is_err());
    }
}
