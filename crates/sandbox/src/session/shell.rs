//! How a Bash is driven that stays between scripts. This needs four streams of bytes and knows nothing of how they reach
//! the shell, so that every back end can use it.
//!
//! The shell reads its commands from standard input and gets one line of ours after each script. That line tells how the
//! script went on a descriptor of its own ([`REPORTS`]), together with the shell's whole state, so that another shell can
//! go on where this one was lost. Nothing that a script prints can be taken for a report: while it runs, that descriptor
//! is closed for it and for what it starts, and a report begins with a number that was drawn for this script.

use std::{
    hash::{BuildHasher, RandomState},
    time::Duration,
};

/// The shell and its arguments.
pub(crate) const SHELL: [&str; 3] = ["bash", "--noprofile", "--norc"];

/// The descriptor on which the shell reports. Programs use small numbers, people round ones.
pub(crate) const REPORTS: i32 = 57;

/// What the shell reads first: it keeps its outputs under other numbers and lets go of the usual ones, so that what the
/// shell says about our own lines reaches nobody.
pub(crate) const OPENING: &[u8] = b"exec 58>&1 59>&2 >/dev/null 2>&1; shopt -s expand_aliases\n";

/// Where a script's standard streams go. They are its own: what a script does to them with `exec` ends with it.
const STREAMS: &str = "</dev/null >&58 2>&59 57>&- 58>&- 59>&-";

/// How a script went and what the shell is like now. Inside `||` neither `set -e` nor a trap on errors fires.
const REPORT: &str = r#"{ \builtin printf '%s %s\0' TOKEN "$?"; \builtin times; \builtin printf '\0%s\0' "$PWD"; \builtin shopt -p; \builtin declare -f; \builtin declare -F; \builtin declare -p; \builtin trap -p; \builtin umask -p; \builtin alias -p; \builtin printf '\0'; \builtin set +o; \builtin printf '\0%s\0' TOKEN; } >&57 2>/dev/null || \builtin :
"#;

/// Bytes of one part of a report that are kept. A shell with more state than that is restarted with what it had before.
const MOST: usize = 16 << 20;

/// What a report begins and ends with. Nobody can know it before the script is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token(String);

impl Token {
    pub(crate) fn new() -> Self {
        let random = || RandomState::new().hash_one(0);
        Self(format!("{:016x}{:016x}", random(), random()))
    }
}

/// What a shell is like between two scripts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct State {
    /// Its working folder.
    pub(crate) folder: Vec<u8>,
    /// Commands that make the rest of it, the options aside.
    rest: Vec<u8>,
    /// Commands that set its options, which are last: under some of them others would fail.
    options: Vec<u8>,
    /// The status of the last script.
    status: i32,
}

impl State {
    /// That of a shell which has only been told its folder.
    pub(crate) fn fresh(folder: &str) -> Self {
        Self {
            folder: folder.as_bytes().to_vec(),
            rest: Vec::new(),
            options: Vec::new(),
            status: 0,
        }
    }
}

/// What the shell reads to run a script and to report. `None` where the script has a NUL byte, which no shell takes.
pub(crate) fn frame(token: &Token, script: &str, before: &State) -> Option<Vec<u8>> {
    if script.contains('\0') {
        return None;
    }
    let mut text = Vec::new();
    let errexit = before.options.windows(14).any(|line| line == b"set -o errexit");
    if before.status != 0 && !errexit {
        // So that the script can ask for `$?`.
        text.extend_from_slice(format!("(\\builtin exit {})\n", before.status).as_bytes());
    }
    evaluate(&mut text, script.as_bytes(), STREAMS, token);
    Some(text)
}

/// What a fresh shell reads to become like an earlier one. When the folder is not there any more, it is in the root folder
/// afterwards, and its report says so.
pub(crate) fn replay(token: &Token, state: &State) -> Vec<u8> {
    let mut script = Vec::new();
    for part in [
        b"\\builtin cd -- ".as_slice(),
        &quoted(&state.folder),
        b"\n",
        &state.rest,
        b"\n[[ . -ef ",
        &quoted(&state.folder),
        b" ]] || \\builtin cd /\n",
        &state.options,
    ] {
        script.extend_from_slice(part);
    }
    let mut text = OPENING.to_vec();
    evaluate(&mut text, &script, "</dev/null", token);
    text
}

fn evaluate(text: &mut Vec<u8>, script: &[u8], streams: &str, token: &Token) {
    text.extend_from_slice(b"\\builtin eval -- ");
    text.extend_from_slice(&quoted(script));
    text.push(b' ');
    text.extend_from_slice(streams.as_bytes());
    text.push(b'\n');
    text.extend_from_slice(REPORT.replace("TOKEN", &token.0).as_bytes());
}

/// A word that means itself.
fn quoted(text: &[u8]) -> Vec<u8> {
    let mut word = vec![b'\''];
    for byte in text {
        match byte {
            b'\'' => word.extend_from_slice(b"'\\''"),
            byte => word.push(*byte),
        }
    }
    word.push(b'\'');
    word
}

/// How a script went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Report {
    /// What the shell calls its status.
    pub(crate) status: i32,
    /// Processor time of the shell and of all children that it has waited for, since it began.
    pub(crate) cpu: Duration,
    /// What the shell is like now; `None` when that is too much to be kept.
    pub(crate) state: Option<State>,
}

/// Puts a report together from the bytes that come.
#[derive(Debug)]
pub(crate) struct Reports {
    token: Token,
    parts: Vec<Vec<u8>>,
    part: Vec<u8>,
    whole: bool,
}

impl Reports {
    /// Waits for the report with a token; everything else is passed over.
    pub(crate) fn new(token: Token) -> Self {
        Self {
            token,
            parts: Vec::new(),
            part: Vec::new(),
            whole: true,
        }
    }

    /// Takes some bytes; the report, once it is complete.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Option<Report> {
        let mut pieces = bytes.split(|byte| *byte == 0).peekable();
        while let Some(piece) = pieces.next() {
            if self.part.len() + piece.len() <= MOST {
                self.part.extend_from_slice(piece);
            } else {
                self.whole = false;
            }
            if pieces.peek().is_some() {
                let part = std::mem::take(&mut self.part);
                if let Some(report) = self.end_of(part) {
                    return Some(report);
                }
            }
        }
        None
    }

    fn end_of(&mut self, part: Vec<u8>) -> Option<Report> {
        if self.parts.is_empty() && !part.starts_with(self.token.0.as_bytes()) {
            self.whole = true;
            return None;
        }
        self.parts.push(part);
        let [first, times, folder, rest, options, last] = self.parts.as_slice() else {
            return None;
        };
        let status = first
            .get(self.token.0.len()..)
            .and_then(|text| std::str::from_utf8(text).ok()?.trim().parse().ok());
        let report = match (status, last == self.token.0.as_bytes()) {
            (Some(status), true) => Some(Report {
                status,
                cpu: cpu(times),
                state: self.whole.then(|| State {
                    folder: folder.clone(),
                    rest: rest.clone(),
                    options: options.clone(),
                    status,
                }),
            }),
            _ => None,
        };
        self.parts.clear();
        report
    }
}

/// The sum of what `times` tells: four times such as `1m2.003s`.
fn cpu(text: &[u8]) -> Duration {
    let text = String::from_utf8_lossy(text);
    text.split_whitespace()
        .filter_map(|word| {
            let (minutes, seconds) = word.strip_suffix('s')?.split_once('m')?;
            // Some languages write a comma.
            let seconds = seconds.replace(',', ".").parse::<f64>().ok()?;
            Some(Duration::from_secs(60 * minutes.parse::<u64>().ok()?) + Duration::try_from_secs_f64(seconds).ok()?)
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        process::{Command, Stdio},
    };

    use super::*;

    #[test]
    fn a_report_is_found_whatever_comes_before_it_and_however_it_is_cut() {
        let token = Token("t1".to_owned());
        let text = b"t0 0\0x\0t1 7\x000m0.500s 1m0.250s\n0m0.000s 0m0.001s\n\0/w\0rest\0set -o errexit\n\0t1\0";
        for size in 1..text.len() {
            let mut reports = Reports::new(token.clone());
            let found: Vec<_> = text.chunks(size).filter_map(|piece| reports.take(piece)).collect();
            let [report] = found.as_slice() else {
                panic!("{found:?} in pieces of {size}")
            };
            assert_eq!(report.status, 7);
            assert_eq!(report.cpu, Duration::from_millis(60_751));
            assert_eq!(
                report.state.as_ref().map(|state| state.folder.as_slice()),
                Some(b"/w".as_slice())
            );
        }
        let mut reports = Reports::new(token);
        assert_eq!(reports.take(b"t1 x\0\0\0\0\0t1\0t1 0\0\0/\0\0\0other\0"), None);
        assert_eq!(reports.take(&vec![b'x'; MOST + 1]), None);
        let report = reports.take(b"\0t1 0\0\0/\0\0\0t1\0").unwrap();
        assert!(
            report.state.is_some(),
            "what is too long before a report does not matter"
        );
    }

    /// Runs frames in a Bash of the host that reports on standard output.
    fn reports(frames: &[(Token, Vec<u8>)]) -> Vec<Report> {
        let child = Command::new("bash")
            .args(["-c", "exec 57>&1; exec bash --noprofile --norc"])
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut child) = child else {
            println!("skipped: there is no bash");
            return Vec::new();
        };
        let mut input = child.stdin.take().unwrap();
        for (_, frame) in frames {
            input.write_all(frame).unwrap();
        }
        drop(input);
        let mut bytes = Vec::new();
        child.stdout.take().unwrap().read_to_end(&mut bytes).unwrap();
        child.wait().unwrap();
        frames
            .iter()
            .map(|(token, _)| Reports::new(token.clone()).take(&bytes).unwrap())
            .collect()
    }

    #[test]
    fn a_state_survives_being_replayed() {
        let script = "cd /usr/share; cd /tmp; X=$'it\\'s\\nmore'; export Y=2; declare -A m=([a b]=c); readonly R=1
            shopt -s extglob nullglob; alias ll='ls -l'; umask 027; trap 'echo bye' USR1
            f() { case $1 in !(a|b)) echo \"no 'a'\";; esac; }; export -f f; set -eu -o pipefail";
        let fresh = State::fresh("/");
        let (one, two) = (Token::new(), Token::new());
        let frames = [
            (one.clone(), replay(&one, &fresh)),
            (two.clone(), frame(&two, script, &fresh).unwrap()),
        ];
        let first = reports(&frames);
        let Some(state) = first.last().and_then(|report| report.state.clone()) else {
            return;
        };
        assert_eq!(state.folder, b"/tmp");
        let three = Token::new();
        let second = reports(&[(three.clone(), replay(&three, &state))]);
        let again = second.first().and_then(|report| report.state.clone()).unwrap();
        // The variables that the shell counts for itself differ.
        let lines = |state: &State| {
            let text = String::from_utf8_lossy(&state.rest).into_owned() + &String::from_utf8_lossy(&state.options);
            let lines = text.lines().filter(|line| !line.starts_with("declare "));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(lines(&state), lines(&again));
        assert_eq!(again.folder, b"/tmp");
        let text = String::from_utf8_lossy(&again.rest).into_owned();
        for wanted in [
            "declare -x OLDPWD=\"/usr/share\"",
            "declare -- X=$'it\\'s\\nmore'",
            "declare -x Y=\"2\"",
            "declare -A m=([\"a b\"]=\"c\" )",
            "declare -r R=\"1\"",
            "alias ll=",
            "no 'a'",
            "declare -fx f",
            "umask 0027",
        ] {
            assert!(text.contains(wanted), "{wanted}: {text}");
        }
    }

    #[test]
    fn a_folder_that_is_gone_leads_to_the_root_folder() {
        let token = Token::new();
        let state = State::fresh("/nowhere/at all");
        for report in reports(&[(token.clone(), replay(&token, &state))]) {
            assert_eq!(report.state.unwrap().folder, b"/");
        }
    }

    #[test]
    fn a_script_with_a_nul_byte_is_refused() {
        assert_eq!(frame(&Token::new(), "a\0b", &State::fresh("/")), None);
    }
}
