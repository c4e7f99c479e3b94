//! How fast logs of a gigabyte are read, and how much memory that takes: one table from one run. The logs are made on the
//! fly, so nothing of them lies in memory or on disk.

#![expect(clippy::print_stdout, reason = "a bench talks to a person")]

use std::{io::Read, time::Duration};

use seatrial_diagnosis::diagnose_reader;

/// Bytes of each log.
const SIZE: u64 = 1_000_000_000;

fn main() {
    // `cargo test --benches` runs this too, and a test run must not take a minute.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    println!("| log of 1 GB | cause | line | seconds of one processor, making it included | MB/s | peak memory |");
    println!("|---|---|---:|---:|---:|---:|");
    for (name, end, noise) in [
        ("successful", "[100%] Built target app\n", 0),
        ("failing at its end", FAILURE, 0),
        ("failing at its end, one line in twenty an error", FAILURE, 20),
    ] {
        row(name, end, noise);
    }
}

const FAILURE: &str = "src/last.c:7:10: fatal error: zlib.h: No such file or directory\n    7 | #include <zlib.h>\n      |          ^~~~~~~~\ncompilation terminated.\nmake[1]: *** [Makefile:120: last.o] Error 1\nmake: *** [Makefile:12: all] Error 2\n";

fn row(name: &str, end: &'static str, noise: usize) {
    let start = processor_time();
    let diagnosis = diagnose_reader(Log::new(end, noise)).unwrap_or_default();
    let time = processor_time().saturating_sub(start);
    let speed = diagnosis.facts.bytes as f64 / 1e6 / time.as_secs_f64();
    let (cause, line) = diagnosis
        .cause
        .as_ref()
        .map_or(("none".to_owned(), 0), |cause| (cause.subject.clone(), cause.line));
    println!(
        "| {name} | {cause} | {line} | {:.2} | {speed:.0} | {} |",
        time.as_secs_f64(),
        peak()
    );
}

/// Time that this process has had of a processor: other work on the machine does not count.
fn processor_time() -> Duration {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    Duration::from_nanos(
        text.split(' ')
            .next()
            .and_then(|time| time.parse().ok())
            .unwrap_or_default(),
    )
}

/// The most memory that this process has had.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .map_or_else(|| "unknown".to_owned(), |peak| peak.trim().to_owned())
}

/// A log such as builds write: compile commands, progress, warnings with their source, status lines.
struct Log {
    block: Vec<u8>,
    end: &'static [u8],
    /// Bytes given.
    given: u64,
}

impl Log {
    fn new(end: &'static str, noise: usize) -> Self {
        let mut block = String::new();
        for number in 0..2000 {
            let lines = match number % 10 {
                0 => format!(
                    "[ {:>2}%] Building C object src/CMakeFiles/app.dir/module_{number}.c.o\n",
                    number / 20
                ),
                1 => format!("make[2]: Entering directory '/build/app-1.0/src/part{number}'\n"),
                2 => format!(
                    "src/module_{number}.c:{number}:12: warning: unused variable 'count' [-Wunused-variable]\n  {number} |   int count = 0;\n      |       ^~~~~\n"
                ),
                3 => format!("checking for function_{number}... yes\n"),
                4 => format!(
                    "libtool: compile:  gcc -DHAVE_CONFIG_H -I. -I../include -g -O2 -Wall -Werror=format-security -MT lib_{number}.lo -MD -MP -MF .deps/lib_{number}.Tpo -c lib_{number}.c  -fPIC -DPIC -o .libs/lib_{number}.o\n"
                ),
                5 => format!("  CC       error_{number}.lo\n"),
                _ => format!(
                    "gcc -DPACKAGE_NAME=\\\"app\\\" -DVERSION=\\\"1.0\\\" -I. -I.. -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -g -O2 -fstack-protector-strong -Wformat -Wno-missing-prototypes -D_FORTIFY_SOURCE=2 -c -o missing_{number}.o missing_{number}.c\n"
                ),
            };
            block.push_str(&lines);
            if noise > 0 && number % noise == 0 {
                let line = format!("src/x.c:{number}:1: error: expected ';' before 'x{number}'\n");
                block.push_str(&line);
            }
        }
        Self {
            block: block.into_bytes(),
            end: end.as_bytes(),
            given: 0,
        }
    }
}

impl Read for Log {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.block.len() as u64;
        // Whole blocks up to the size, then the end.
        let body = SIZE / length * length;
        let rest = if self.given < body {
            self.block.get((self.given % length) as usize..)
        } else {
            self.end.get((self.given - body) as usize..)
        }
        .unwrap_or_default();
        let count = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        self.given += count as u64;
        Ok(count)
    }
}
