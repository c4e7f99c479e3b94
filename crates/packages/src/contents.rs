//! Rows of a `Contents` index: a path, blanks, and the packages that have it.
//!
//! It only splits rows; what a path means is for `classify`. Rows that make no sense are counted and skipped, because
//! one bad row among millions must not cost the whole index.

use std::{
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

use flate2::read::MultiGzDecoder;
use fs_err as fs;

use crate::PackagesError;

/// Longer rows are skipped: no path is that long (`PATH_MAX` is 4096), so it is not a row.
const LONGEST_ROW: usize = 64 << 10;

/// Calls `row` with each path and package list of a file, gzip-compressed or plain. Returns the number of skipped rows.
pub(crate) fn scan_file(path: &Path, row: &mut dyn FnMut(&[u8], &[u8])) -> Result<u64, PackagesError> {
    let failed = |error: io::Error| PackagesError::Contents {
        path: path.to_owned(),
        problem: error.to_string(),
    };
    let mut file = BufReader::with_capacity(1 << 18, fs::File::open(path)?);
    let magic = file.fill_buf().map_err(failed)?;
    if magic.starts_with(&[0x1f, 0x8b]) {
        scan(MultiGzDecoder::new(file), row).map_err(failed)
    } else if magic.starts_with(b"\xfd7zXZ") || magic.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        Err(failed(io::Error::other("its compression is not gzip")))
    } else {
        scan(file, row).map_err(failed)
    }
}

/// The same over an uncompressed stream.
pub(crate) fn scan(input: impl Read, row: &mut dyn FnMut(&[u8], &[u8])) -> io::Result<u64> {
    let mut input = BufReader::with_capacity(1 << 18, input);
    let mut carried: Vec<u8> = Vec::new();
    let mut oversized = false;
    let mut skipped = 0;
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            break;
        }
        let mut rest = buffer;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, after) = rest.split_at(end);
            rest = after.get(1..).unwrap_or_default();
            let good = if oversized {
                oversized = false;
                carried.clear();
                false
            } else if carried.is_empty() {
                split_row(line, row)
            } else {
                carried.extend_from_slice(line);
                let good = split_row(&carried, row);
                carried.clear();
                good
            };
            skipped += u64::from(!good);
        }
        if carried.len() + rest.len() > LONGEST_ROW {
            oversized = true;
        } else if !oversized {
            carried.extend_from_slice(rest);
        }
        let used = buffer.len();
        input.consume(used);
    }
    if oversized || (!carried.is_empty() && !split_row(&carried, row)) {
        skipped += 1;
    }
    Ok(skipped)
}

/// Splits at the *last* run of blanks: a path may hold blanks, a package list never does.
fn split_row(line: &[u8], row: &mut dyn FnMut(&[u8], &[u8])) -> bool {
    let line = line.trim_ascii_end();
    let Some(blank) = memchr::memrchr2(b' ', b'\t', line) else {
        return line.is_empty();
    };
    let (path, packages) = line.split_at(blank);
    let path = path.trim_ascii_end();
    let packages = packages.trim_ascii_start();
    if path.is_empty() || path.contains(&0) || path.contains(&crate::format::PLACEHOLDER) {
        return false;
    }
    row(path, packages);
    true
}

/// The names in a package list such as `devel/bison,main/libs/zlib1g-dev`. Packages of other areas than `main` are left
/// out: three parts with a first one that is not `main`.
pub(crate) fn packages_of(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    list.split(|byte| *byte == b',').filter_map(|item| {
        let name = item.rsplit(|byte| *byte == b'/').next()?;
        let slashes = memchr::memchr_iter(b'/', item).count();
        let main = slashes < 2 || item.starts_with(b"main/");
        (main && !name.is_empty()).then_some(name)
    })
}

#[cfg(test)]
#[expect(clippy::needless_raw_string_hashes, reason = "expect-test writes literals this way")]
mod tests {
    use std::io::Write;

    use expect_test::expect;
    use flate2::{Compression, write::GzEncoder};

    use super::*;

    const SAMPLE: &[u8] = b"FILE                                LOCATION\n\
        usr/bin/bison\t\t\tdevel/bison\n\
        \n\
        usr/include/event.h       libdevel/libevent-dev,libdevel/libev-libevent-dev\n\
        usr/share/a name with blanks/x.mk   misc/odd\n\
        usr/lib/closed.so contrib/libs/closed,libs/open\n\
        lonely\n\
        usr/include/\xff\xfe.h libdevel/bytes-dev\n\
        usr/include/last.h libdevel/last-dev";

    fn rows(input: &[u8]) -> String {
        let mut out = Vec::new();
        let skipped = scan(input, &mut |path, packages| {
            let packages: Vec<_> = packages_of(packages).map(String::from_utf8_lossy).collect();
            out.push(format!("{} <- {}\n", String::from_utf8_lossy(path), packages.join(" ")));
        })
        .unwrap();
        out.concat() + &format!("skipped {skipped}\n")
    }

    #[test]
    fn rows_are_split_at_the_last_blanks_and_nonsense_is_counted() {
        expect![[r#"
            FILE <- LOCATION
            usr/bin/bison <- bison
            usr/include/event.h <- libevent-dev libev-libevent-dev
            usr/share/a name with blanks/x.mk <- odd
            usr/lib/closed.so <- open
            usr/include/��.h <- bytes-dev
            usr/include/last.h <- last-dev
            skipped 1
        "#]]
        .assert_eq(&rows(SAMPLE));
    }

    #[test]
    fn a_monstrous_row_is_skipped_and_the_next_one_is_read() {
        let mut text = vec![b'x'; 3 << 20];
        text.extend_from_slice(b" misc/big\nusr/bin/small misc/small\n");
        assert_eq!(rows(&text), "usr/bin/small <- small\nskipped 1\n");
    }

    #[test]
    fn a_row_that_straddles_two_reads_is_whole() {
        let mut text = Vec::new();
        for number in 0..40_000 {
            writeln!(text, "usr/include/header{number}.h   libdevel/p{number}").unwrap();
        }
        let mut seen = 0;
        let skipped = scan(text.as_slice(), &mut |path, packages| {
            assert!(path.starts_with(b"usr/include/header") && packages.starts_with(b"libdevel/p"));
            seen += 1;
        })
        .unwrap();
        assert_eq!((seen, skipped), (40_000, 0));
    }

    #[test]
    fn a_truncated_file_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("Contents-cut.gz");
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(SAMPLE).unwrap();
        let whole = encoder.finish().unwrap();
        fs::write(&path, &whole[..whole.len() / 2]).unwrap();
        let error = scan_file(&path, &mut |_, _| ()).unwrap_err().to_string();
        assert!(
            error.contains("Contents-cut.gz") && error.contains("delete it"),
            "{error}"
        );
        fs::write(&path, &whole).unwrap();
        assert_eq!(scan_file(&path, &mut |_, _| ()).unwrap(), 1);
    }
}
