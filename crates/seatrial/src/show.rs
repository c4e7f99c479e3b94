//! The screen: live lines on a terminal, plain lines elsewhere. All of it goes to standard error.

use std::{
    collections::HashMap,
    fmt::Write as _,
    io::{IsTerminal, Write},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use seatrial_core::{Event, NetworkRecord, Outcome, TaskId};
use seatrial_report::visible;
use seatrial_trial::{Observer, TrialResult};

/// Shows what is going on.
pub(crate) struct Show {
    bars: Option<MultiProgress>,
    lines: Mutex<HashMap<String, Line>>,
    log: Mutex<Option<fs_err::File>>,
    total: Mutex<Option<(usize, usize)>>,
}

struct Line {
    bar: Option<ProgressBar>,
    since: Instant,
    phase: String,
    last: Vec<u8>,
}

impl Show {
    pub(crate) fn new() -> Self {
        let bars = std::io::stderr().is_terminal().then(MultiProgress::new);
        Self {
            bars,
            lines: Mutex::default(),
            log: Mutex::default(),
            total: Mutex::default(),
        }
    }

    /// Keeps a copy of all output of boxes in a file.
    pub(crate) fn log_to(&self, file: fs_err::File) {
        *lock(&self.log) = Some(file);
    }

    /// Counts finished trials in the lines that tell of them.
    pub(crate) fn expect_trials(&self, done: usize, total: usize) {
        *lock(&self.total) = Some((done, total));
    }

    /// One lasting line.
    pub(crate) fn note(&self, text: &str) {
        let text = visible(text);
        match &self.bars {
            Some(bars) => {
                drop(bars.println(text));
            }
            None => plain(&text),
        }
    }

    /// Work that belongs to no trial. On a terminal, one live line; elsewhere, a line when the work changes.
    pub(crate) fn progress(&self, what: &str, state: &str) {
        let mut lines = lock(&self.lines);
        let known = lines.contains_key(what);
        let line = lines.entry(what.to_owned()).or_insert_with(|| self.line(what));
        if let Some(bar) = &line.bar {
            bar.set_message(visible(state));
        } else if !known {
            plain(&format!("{what} ..."));
        }
    }

    /// Ends all live lines.
    pub(crate) fn clear(&self) {
        for (_, line) in lock(&self.lines).drain() {
            if let Some(bar) = line.bar {
                bar.finish_and_clear();
            }
        }
    }

    fn line(&self, what: &str) -> Line {
        let bar = self.bars.as_ref().map(|bars| {
            let bar = bars.add(ProgressBar::new_spinner());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} {elapsed:>4} {wide_msg}") {
                bar.set_style(style);
            }
            bar.set_prefix(what.to_owned());
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        Line {
            bar,
            since: Instant::now(),
            phase: String::new(),
            last: Vec::new(),
        }
    }
}

impl Observer for Show {
    fn started(&self, task: &TaskId, attempt: u32) {
        let key = key(task, attempt);
        let line = self.line(&key);
        lock(&self.lines).insert(key, line);
    }

    fn event(&self, task: &TaskId, attempt: u32, event: &Event) {
        let text = match event {
            Event::Phase { name } => name.clone(),
            Event::Decision { what, why } if why.is_empty() => what.clone(),
            Event::Decision { what, why } => format!("{what} ({why})"),
            Event::Note { text } => text.clone(),
            Event::Network(record) if !record.refusals.is_empty() => refused(record),
            Event::Unenforced { limits } => format!("not enforced on this machine: {}", limits.join("; ")),
            Event::Interrupted { reason } => format!("interrupted: {reason}"),
            Event::ToolCalled(record) => {
                let how = if record.failed { " failed" } else { "" };
                format!("{}{how}", record.name)
            }
            Event::ModelCalled(record) => match &record.error {
                Some(error) => format!("{}: {error}", record.model),
                None => format!("{} answered", record.model),
            },
            Event::Condensed { .. } => "older messages were condensed".to_owned(),
            Event::Ended { why, .. } => format!("ended: {why}"),
            Event::Said { .. }
            | Event::TrialStarted { .. }
            | Event::Command(_)
            | Event::Network(_)
            | Event::Submitted { .. }
            | Event::Judged { .. }
            | Event::TrialFinished { .. } => return,
        };
        let key = key(task, attempt);
        let mut lines = lock(&self.lines);
        let Some(line) = lines.get_mut(&key) else { return };
        match &line.bar {
            Some(bar) => bar.set_message(visible(&text)),
            None => plain(&format!(
                "[{:>7}] {key}: {}",
                seconds(line.since.elapsed()),
                visible(&text)
            )),
        }
        line.phase = text;
    }

    fn output(&self, task: &TaskId, attempt: u32, bytes: &[u8]) {
        if let Some(file) = lock(&self.log).as_mut() {
            // A log that cannot be written must not end the build; the journal has its own copy.
            drop(file.write_all(bytes));
        }
        let mut lines = lock(&self.lines);
        let Some(line) = lines.get_mut(&key(task, attempt)) else {
            return;
        };
        let Some(bar) = &line.bar else { return };
        line.last.extend_from_slice(bytes);
        if let Some(end) = line.last.iter().rposition(|&byte| byte == b'\n' || byte == b'\r') {
            let rest = line.last.split_off(end + 1);
            let text = String::from_utf8_lossy(&line.last).into_owned();
            line.last = rest;
            if let Some(last) = text.lines().rev().find(|text| !text.trim().is_empty()) {
                bar.set_message(format!("{}: {}", visible(&line.phase), visible(last.trim())));
            }
        } else if line.last.len() > 8192 {
            line.last.clear();
        }
    }

    fn finished(&self, result: &TrialResult) {
        let key = key(&result.task, result.attempt);
        if let Some(line) = lock(&self.lines).remove(&key)
            && let Some(bar) = line.bar
        {
            bar.finish_and_clear();
        }
        let mut text = String::new();
        if let Some((done, total)) = lock(&self.total).as_mut() {
            *done += 1;
            let _ = write!(text, "[{done}/{total}] ");
        } else {
            return;
        }
        let reason = result.verdicts.first().map_or("", |verdict| verdict.reason.as_str());
        let mark = match result.outcome() {
            Outcome::Passed => "passed ",
            Outcome::Failed => "failed ",
            Outcome::Invalid => "invalid",
        };
        let _ = write!(
            text,
            "{mark} {key} {}  {reason}",
            seconds(Duration::from_millis(result.wall_ms))
        );
        self.note(text.lines().next().unwrap_or_default());
    }
}

impl seatrial_source::Progress for Show {
    fn advance(&self, what: &str, bytes: u64, total: Option<u64>) {
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        let state = match total {
            Some(total) => format!("{what} {:.1} of {:.1} MiB", mib(bytes), mib(total)),
            None => format!("{what} {:.1} MiB", mib(bytes)),
        };
        if self.bars.is_some() {
            self.progress("download", &state);
        }
    }
}

fn key(task: &TaskId, attempt: u32) -> String {
    if attempt == 1 {
        task.to_string()
    } else {
        format!("{task}#{attempt}")
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1}s", time.as_secs_f64())
}

/// A screen that is gone must not end what is shown on it.
fn plain(text: &str) {
    drop(writeln!(std::io::stderr(), "{text}"));
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Columns of the terminal on standard output; 100 where it is none, so that files and pipes do not depend on a window.
pub(crate) fn width() -> u16 {
    let size = rustix::termios::tcgetwinsize(std::io::stdout());
    size.map_or(100, |size| size.ws_col.max(60))
}

/// What a person should know of requests that were not answered.
fn refused(record: &NetworkRecord) -> String {
    let first = record.refusals.first().map_or_else(String::new, |refusal| {
        format!("{}: {}", refusal.request, refusal.reason)
    });
    match record.refusals.len() as u64 + record.more_refusals {
        1 => format!("the network door refused {first}"),
        count => format!("the network door refused {count} requests, the first {first}"),
    }
}
