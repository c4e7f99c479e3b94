//! How far a message reaches beyond the line that names its problem, and the lines around it.

use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::{
    QuotedLine,
    lines::{Line, Lines},
    matcher::compiled,
};

/// Lines before a compiler's error that say how it got there.
const MOST_BEFORE: usize = 24;
/// Lines after it that show the source.
const MOST_AFTER: usize = 12;
/// Lines of a traceback.
const MOST_TRACEBACK: usize = 120;
/// Lines around a message that are quoted, before and after.
const AROUND: (usize, usize) = (3, 5);
/// Lines of a message that are quoted.
const MOST_QUOTED: usize = 24;
/// Characters of a line that are quoted.
pub(crate) const LONGEST_QUOTE: usize = 400;

struct Forms {
    compiler: Regex,
    leads: Regex,
    gutter: Regex,
    exception: Regex,
}

static FORMS: LazyLock<Option<Forms>> = LazyLock::new(|| {
    Some(Forms {
        compiler: compiled(r"^[^\s:][^:]*:\d+(?::\d+)?: ").ok()?,
        leads: compiled(r"^In file included from |^\s+from \S+:\d+|^[^\s:][^:]*: (?:In |At global scope)").ok()?,
        gutter: compiled(r"^\s*\d* \|(?:\s|$)|^\s+[~^]+|^\s*#\s*include ").ok()?,
        exception: compiled(r"^(?:\w+\.)*\w*(?:Error|Exception|Exit|Interrupt)\b").ok()?,
    })
});

/// First and last line of the message that a line belongs to.
pub(crate) fn extent(line: &Line<'_>, after: Lines<'_>) -> (u64, u64) {
    let (mut first, mut last) = (line.number, line.number);
    let Some(forms) = FORMS.as_ref() else {
        return (first, last);
    };
    let text = line.text.as_bytes();
    if forms.compiler.is_match(text) {
        let mut at = line.clone();
        for _ in 0..MOST_BEFORE {
            let Some(before) = after
                .before(&at)
                .filter(|before| forms.leads.is_match(before.text.as_bytes()))
            else {
                break;
            };
            first = before.number;
            at = before;
        }
        let mut ahead = after;
        for _ in 0..MOST_AFTER {
            let Some(next) = ahead
                .next_line()
                .filter(|next| forms.gutter.is_match(next.text.as_bytes()))
            else {
                break;
            };
            last = next.number;
        }
    } else if forms.exception.is_match(text) {
        let mut at = line.clone();
        for _ in 0..MOST_TRACEBACK {
            let Some(before) = after.before(&at) else { break };
            if before.text.starts_with("Traceback (most recent call last)") {
                first = before.number;
                break;
            }
            if !before.text.starts_with(' ') && !before.text.is_empty() {
                break;
            }
            at = before;
        }
    }
    (first, last)
}

/// The message's lines with a few around them. What the message's span has after `line` must be at hand after it.
pub(crate) fn quoted(line: &Line<'_>, after: Lines<'_>, span: (u64, u64)) -> Vec<QuotedLine> {
    let quote = |line: &Line<'_>| QuotedLine {
        line: line.number,
        text: line.text.trim_end().chars().take(LONGEST_QUOTE).collect(),
    };
    let earlier = AROUND.0
        + usize::try_from(line.number - span.0.min(line.number))
            .unwrap_or(0)
            .min(MOST_QUOTED);
    let later = AROUND.1
        + usize::try_from(span.1.saturating_sub(line.number))
            .unwrap_or(0)
            .min(MOST_QUOTED);
    let mut lines = vec![quote(line)];
    let mut at = line.clone();
    for _ in 0..earlier {
        let Some(before) = after.before(&at) else { break };
        lines.push(quote(&before));
        at = before;
    }
    lines.reverse();
    let mut ahead = after;
    for _ in 0..later {
        let Some(next) = ahead.next_line() else { break };
        lines.push(quote(&next));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_its_way_in_and_its_source() {
        let log = b"cc -c a.c\nIn file included from b.h:1,\n                 from a.c:1:\na.c: In function 'f':\na.c:3:1: error: x\n    3 | x\n      | ^\nmake: *** [a] Error 1\n";
        let mut lines = Lines::new(log);
        let line = std::iter::from_fn(|| lines.next_line()).nth(4).unwrap();
        let mut after = Lines::new(log);
        after.seek(line.start);
        after.next_line();
        assert_eq!(extent(&line, after), (2, 7));
        let numbers: Vec<_> = quoted(&line, after, (2, 7)).iter().map(|line| line.line).collect();
        assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn an_exception_has_its_traceback() {
        let log = b"x\nTraceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    import b\nModuleNotFoundError: No module named 'b'\n";
        let mut lines = Lines::new(log);
        let line = std::iter::from_fn(|| lines.next_line()).nth(4).unwrap();
        assert_eq!(extent(&line, lines), (2, 5));
    }
}
