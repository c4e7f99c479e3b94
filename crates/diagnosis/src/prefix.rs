//! What build services, containers and build tools write before a line: clocks, counters, module names.

/// Prefixes in one line: a clock of a build service before the counter of a build tool, and one more.
const MOST_PREFIXES: usize = 4;

/// The line without what stands before its proper text. Only one blank after a prefix is taken: indentation tells.
pub(crate) fn unprefixed(text: &str) -> &str {
    let mut text = text;
    for _ in 0..MOST_PREFIXES {
        let Some(rest) = without_one(text) else { break };
        text = rest;
    }
    text
}

fn without_one(text: &str) -> Option<&str> {
    match text.as_bytes().first()? {
        b'[' => bracketed(text),
        b'#' => container(text),
        b'0'..=b'9' => clocked(text),
        b'D' | b'I' => koji(text).or_else(|| service(text)),
        byte if byte.is_ascii_lowercase() || byte.is_ascii_uppercase() => service(text),
        _ => None,
    }
}

/// `[  12s] `, `[12:34:56] `, `[2024-01-02T03:04:05Z] `, `[2024-01-02 03:04:05] `, `[3/17] `, `[ 12%] `.
fn bracketed(text: &str) -> Option<&str> {
    let (inner, rest) = text.strip_prefix('[')?.split_once(']')?;
    let inner = inner.trim();
    let seconds = inner.strip_suffix('s').is_some_and(is_number);
    let percent = inner.strip_suffix('%').is_some_and(is_number);
    let counter = inner
        .split_once('/')
        .is_some_and(|(done, all)| is_number(done.trim()) && is_number(all.trim()));
    let spaced = inner
        .split_once(' ')
        .is_some_and(|(date, clock)| is_date(date) && is_clock(clock.split([' ', '+', 'Z']).next().unwrap_or(clock)));
    (seconds || percent || counter || spaced || is_clock(inner) || is_date_time(inner)).then(|| one_blank(rest))
}

/// `builder-1  | ` and `builder_1 | `: the services of a composition of containers, which are numbered.
fn service(text: &str) -> Option<&str> {
    let (name, rest) = text.split_once(' ')?;
    let (word, number) = name.rsplit_once(['-', '_'])?;
    let is_name = word
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    let rest = rest.trim_start_matches(' ').strip_prefix('|')?;
    (is_number(number) && is_name && (rest.is_empty() || rest.starts_with(' '))).then(|| one_blank(rest))
}

/// `#12 3.45 `.
fn container(text: &str) -> Option<&str> {
    let (step, rest) = text.strip_prefix('#')?.split_once(' ')?;
    let (clock, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    (is_number(step) && clock.contains('.') && is_decimal(clock)).then_some(rest)
}

/// `2024-01-02T03:04:05.678Z `, `2024-01-02 03:04:05,678 `, `03:04:05 `.
fn clocked(text: &str) -> Option<&str> {
    // A blank line has nothing after its clock.
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    if is_date_time(first) || is_clock(first) {
        return Some(rest);
    }
    let (second, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    (is_date(first) && is_clock(second)).then_some(rest)
}

/// `DEBUG util.py:463:  `.
fn koji(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("DEBUG ").or_else(|| text.strip_prefix("INFO "))?;
    let (file, rest) = rest.split_once(".py:")?;
    let (line, rest) = rest.split_once(':')?;
    (is_number(line) && file.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
        .then(|| rest.strip_prefix("  ").unwrap_or_else(|| one_blank(rest)))
}

fn one_blank(text: &str) -> &str {
    text.strip_prefix(' ').unwrap_or(text)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_decimal(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Whether digits stand where the form has `0`, and its other bytes where it has them.
fn has_form(text: &str, form: &str) -> bool {
    text.len() == form.len()
        && text.bytes().zip(form.bytes()).all(|(byte, wanted)| {
            if wanted == b'0' {
                byte.is_ascii_digit()
            } else {
                byte == wanted
            }
        })
}

/// `03:04:05`, with or without a fraction.
fn is_clock(text: &str) -> bool {
    let (clock, fraction) = text.split_at_checked(8).unwrap_or((text, ""));
    has_form(clock, "00:00:00") && (fraction.is_empty() || fraction.strip_prefix(['.', ',']).is_some_and(is_number))
}

fn is_date(text: &str) -> bool {
    has_form(text, "0000-00-00")
}

/// `2024-01-02T03:04:05`, with or without a fraction and a zone.
fn is_date_time(text: &str) -> bool {
    let Some((date, clock)) = text.split_once('T') else {
        return false;
    };
    let clock = clock.trim_end_matches('Z');
    let clock = clock.split_once(['+', '-']).map_or(clock, |(clock, _)| clock);
    is_date(date) && is_clock(clock)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_go_and_everything_else_stays() {
        for (text, expected) in [
            ("[   12s] make: x", "make: x"),
            ("[   12s]   indented", "  indented"),
            ("[   12s] [ 12%] Building C object x.o", "Building C object x.o"),
            ("#7 12.34 make: x", "make: x"),
            ("[1/2] Building", "Building"),
            ("[12:34:56] error: x", "error: x"),
            ("2024-01-02T03:04:05.1234567Z a.c:1:2: error: x", "a.c:1:2: error: x"),
            ("2024-01-02T03:04:05+01:00 error: x", "error: x"),
            ("2024-01-02 03:04:05,678 error: x", "error: x"),
            ("03:04:05 error: x", "error: x"),
            ("2024-01-02T03:04:05.1234567Z", ""),
            ("2024-01-02 03:04:05", ""),
            ("#12 3.456", ""),
            (
                "DEBUG util.py:463:  No match for argument: x",
                "No match for argument: x",
            ),
            ("DEBUG util.py:463:   Problem: x", " Problem: x"),
            ("INFO buildroot.py:12: x", "x"),
            ("[2026-03-04 10:00:00]   indented", "  indented"),
            ("[2026-03-04 10:00:00.123 +0100] make: x", "make: x"),
            ("[2026-03-04 10:00:00]", ""),
            ("builder-1  | make: x", "make: x"),
            ("my_app_1 |   indented", "  indented"),
            ("builder-1  |", ""),
            ("Job-12 | [ 12%] Building", "Building"),
            ("name | value", "name | value"),
            ("x-1 is | not", "x-1 is | not"),
            ("cat a-1 | sort", "cat a-1 | sort"),
            ("[see chapter 3] x", "[see chapter 3] x"),
            ("[ERROR] Failed to execute", "[ERROR] Failed to execute"),
            ("[x] y", "[x] y"),
            ("# 1 \"a.c\"", "# 1 \"a.c\""),
            ("#define X 1.0 y", "#define X 1.0 y"),
            ("12 tests", "12 tests"),
            ("3 errors generated.", "3 errors generated."),
            ("DEBUG is on", "DEBUG is on"),
            ("[", "["),
            ("", ""),
        ] {
            assert_eq!(unprefixed(text), expected, "{text}");
        }
    }
}
