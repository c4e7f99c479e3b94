//! Rust text without its comments, strings and tests, so that a rule about code does not trip over prose.
//!
//! A scanner, not a parser: it knows where literals and comments begin and end, and counts braces.

/// The text with every comment and every literal's inside replaced by blanks; lines stay where they are.
pub(crate) fn without_prose(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut previous = ' ';
    while let Some(next) = rest.chars().next() {
        let skipped = match next {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => block_comment(rest),
            '"' => string(rest),
            '\'' => character(rest),
            'r' | 'b' | 'c' if !is_word(previous) => raw_string(rest),
            _ => 0,
        };
        if skipped == 0 {
            out.push(next);
            previous = next;
            rest = rest.get(next.len_utf8()..).unwrap_or_default();
        } else {
            let (prose, tail) = rest.split_at_checked(skipped).unwrap_or((rest, ""));
            out.extend(prose.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
            previous = ' ';
            rest = tail;
        }
    }
    out
}

/// For each line of code without prose, whether it belongs to an item under `#[cfg(test)]`.
pub(crate) fn test_lines(code: &str) -> Vec<bool> {
    let mut depth: Option<usize> = None;
    let mut flags = Vec::new();
    for line in code.lines() {
        let mut tail = line;
        let mut is_test = depth.is_some();
        if depth.is_none()
            && let Some((_, after)) = line.split_once("#[cfg(test)]")
        {
            depth = Some(0);
            is_test = true;
            tail = after;
        }
        flags.push(is_test);
        for c in tail.chars() {
            depth = match (depth, c) {
                (Some(level), '{') => Some(level + 1),
                (Some(0 | 1), '}') | (Some(0), ';') => None,
                (Some(level), '}') => Some(level - 1),
                (other, _) => other,
            };
        }
    }
    flags
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn block_comment(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(rest) = text.get(at..)
        && let Some(next) = rest.chars().next()
    {
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += next.len_utf8();
        }
    }
    text.len()
}

/// Length of the string literal that the text starts with.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Length of the character literal that the text starts with; 0 when it is a lifetime or a label.
fn character(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), Some(_)) => chars.find(|(_, c)| *c == '\'').map_or(0, |(at, _)| at + 1),
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 0,
    }
}

/// Length of the raw string literal that the text starts with; 0 when it is something else.
fn raw_string(text: &str) -> usize {
    let Some(after) = ["r", "br", "cr"].iter().find_map(|prefix| text.strip_prefix(prefix)) else {
        return 0;
    };
    let body = after.trim_start_matches('#');
    let hashes = after.len() - body.len();
    let Some(inside) = body.strip_prefix('"') else {
        return 0;
    };
    let end = format!("\"{}", "#".repeat(hashes));
    let start = text.len() - inside.len();
    inside.find(&end).map_or(text.len(), |at| start + at + end.len())
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expected: &Expect) {
        let blank = without_prose(text);
        assert_eq!(blank.lines().count(), text.lines().count());
        expected.assert_eq(&blank.split_whitespace().collect::<Vec<_>>().join(" "));
    }

    #[test]
    fn prose_is_blanked_and_code_is_not() {
        check("a // todo!()\nb /* x /* y */ z\n */ c", &expect![["a b c"]]);
        check(
            r#"let s = "todo!() \" // no"; let t = 'a'; f::<'a>('\'', '"')"#,
            &expect![["let s = ; let t = ; f::<'a>( , )"]],
        );
        check(
            "let r = r#\"a \" todo!() \"#; br\"x\"; for_r(\"y\"); r#type",
            &expect![["let r = ; ; for_r( ); r#type"]],
        );
        check("open \"never closed", &expect![["open"]]);
    }

    #[test]
    fn test_items_end_where_their_braces_end() {
        let code =
            "fn a() {}\n#[cfg(test)]\nmod tests {\n  fn b() { {} }\n}\nfn c() {}\n#[cfg(test)]\nuse x::y;\nfn d() {}\n";
        let kept: Vec<_> = code
            .lines()
            .zip(test_lines(code))
            .filter(|(_, test)| !test)
            .map(|(line, _)| line)
            .collect();
        assert_eq!(kept, ["fn a() {}", "fn c() {}", "fn d() {}"]);
    }
}
