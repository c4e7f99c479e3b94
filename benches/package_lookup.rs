//! How long the index of a whole release takes to build, to open and to ask: one table from one run.
//!
//! Needs the archive; the data folder is `SEATRIAL_TEST_HOME` or `seatrial/test-home` in the user's cache.

use std::{env, path::PathBuf, time::Instant};

use seatrial_core::Platform;
use seatrial_packages::{BuildInput, Key, PackageIndex, PackagesError, Resolver, build};
use seatrial_source::DebianArchive;
use seatrial_store::Home;

fn main() {
    // `cargo test --benches` runs this too, and a test run must not take a minute.
    if !env::args().any(|argument| argument == "--bench") {
        return;
    }
    match measure() {
        Ok(table) => print(&table),
        Err(error) => print(&format!("skipped: {error}\n")),
    }
}

#[expect(clippy::print_stdout, reason = "a bench talks to a person")]
fn print(text: &str) {
    print!("{text}");
}

fn home() -> Result<Home, PackagesError> {
    let folder = env::var_os("SEATRIAL_TEST_HOME").map_or_else(
        || {
            let cache = env::var_os("XDG_CACHE_HOME").map_or_else(
                || PathBuf::from(env::var_os("HOME").unwrap_or_default()).join(".cache"),
                PathBuf::from,
            );
            cache.join("seatrial/test-home")
        },
        PathBuf::from,
    );
    Ok(Home::open(folder)?)
}

fn measure() -> Result<String, PackagesError> {
    let home = home()?;
    let platform = Platform::default_host();
    let archive = DebianArchive::open(&home, &platform, None)?;
    let (contents, binaries, sources) = (archive.contents()?, archive.binaries()?, archive.sources()?);
    let input = BuildInput {
        contents: &contents,
        binaries: &binaries,
        sources: &sources,
        arch: platform.arch,
        definitions: &[],
    };
    let path = home.cache("packages")?.join("bench.idx");
    let start = Instant::now();
    let summary = build(&path, &input, &mut |_file| ())?;
    let built = start.elapsed();
    let mut opens = Vec::new();
    for _ in 0..21 {
        let start = Instant::now();
        PackageIndex::open(&path)?;
        opens.push(start.elapsed());
    }
    let index = PackageIndex::open(&path)?;
    let mut rows = vec![
        (
            "build".to_owned(),
            format!("{:.2} s", built.as_secs_f64()),
            "60 s".to_owned(),
        ),
        (
            "size".to_owned(),
            format!("{:.1} MB, {} names", summary.bytes as f64 / 1e6, summary.names),
            String::new(),
        ),
        (
            "open, median".to_owned(),
            format!("{:.3} ms", median(&mut opens) * 1e3),
            "20 ms".to_owned(),
        ),
    ];
    let examples = Key::FAMILIES
        .iter()
        .map(|(family, _, name)| ((*family).to_owned(), format!("{family}:{name}")));
    let others = [
        ("header by its end", "header:Python.h"),
        ("cmake, of CMake itself", "cmake:OpenGL"),
        ("cmake, a config file", "cmake:Qt5Widgets"),
        ("cmake, guessed", "cmake:Wayland_Client"),
        ("cmake, unknown", "cmake:NoSuchPackage"),
        ("lib, guessed", "lib:MagickCore"),
        ("lib, unknown", "lib:no_such_library"),
        ("cmd, unknown", "cmd:no-such-program"),
        ("header, unknown", "header:no/such/header.h"),
    ]
    .map(|(what, text)| (what.to_owned(), text.to_owned()));
    for (what, text) in examples.chain(others) {
        let Ok(key) = text.parse::<Key>() else { continue };
        // The first time, nothing of it is in the processor's caches.
        let start = Instant::now();
        drop(index.resolve(&key));
        let first = start.elapsed();
        let mut times = Vec::new();
        for _ in 0..1001 {
            let start = Instant::now();
            let found = index.resolve(&key);
            times.push(start.elapsed());
            drop(found);
        }
        rows.push((
            what,
            format!(
                "{:.1} us, first {:.0} us",
                median(&mut times) * 1e6,
                first.as_secs_f64() * 1e6
            ),
            "50 us".to_owned(),
        ));
    }
    fs_err::remove_file(&path)?;
    let heading = format!("{:<28}{:>28}{:>10}\n", "package index", "measured", "target");
    let rows = rows
        .into_iter()
        .map(|(what, measured, target)| format!("{what:<28}{measured:>28}{target:>10}\n"));
    Ok(std::iter::once(heading).chain(rows).collect())
}

fn median(times: &mut [std::time::Duration]) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(0.0, std::time::Duration::as_secs_f64)
}
