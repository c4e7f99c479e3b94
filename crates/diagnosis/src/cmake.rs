//! CMake's messages: a heading, and indented lines wrapped at 77 columns.

use crate::lines::{Line, Lines};

/// Longer messages are cut: they list files.
const LONGEST_MESSAGE: usize = 80;

/// What a line begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heading {
    /// An error: the configuration goes on and fails at its end, or stops here.
    Error,
    /// Anything else with a heading; what it says has stopped nothing.
    Remark,
}

/// Whether a line is a heading of CMake's.
pub(crate) fn heading(text: &str) -> Option<Heading> {
    // Below `ninja` or a container's log the heading may be indented or prefixed, hence no anchor for errors.
    if text.starts_with("CMake Error") {
        Some(Heading::Error)
    } else if text.starts_with("CMake Warning") || text.starts_with("CMake Deprecation") {
        Some(Heading::Remark)
    } else {
        None
    }
}

/// Takes the lines that belong to the heading and joins them, blank lines as line feeds.
pub(crate) fn message(heading: &Line<'_>, lines: &mut Lines<'_>) -> String {
    let mut text = heading.text.trim().to_owned();
    let mut ahead = *lines;
    let mut blank = false;
    for _ in 0..LONGEST_MESSAGE {
        let Some(line) = ahead.next_line() else { break };
        if line.text.trim().is_empty() {
            blank = true;
        } else if line.text.starts_with("  ") {
            text.push(if blank { '\n' } else { ' ' });
            text.push_str(line.text.trim());
            blank = false;
            *lines = ahead;
        } else {
            if line.text.starts_with("Call Stack") {
                skip_call_stack(&mut ahead);
                *lines = ahead;
            }
            break;
        }
    }
    text
}

fn skip_call_stack(lines: &mut Lines<'_>) {
    let mut ahead = *lines;
    while ahead.next_line().is_some_and(|line| line.text.starts_with("  ")) {
        *lines = ahead;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrapped_message_is_one_text_and_its_call_stack_is_skipped() {
        let log = b"CMake Error at CMakeLists.txt:5 (find_package):\n  Could not find a package configuration file provided by\n  \"Foo\" with any\n\n  of these names:\n\nCall Stack (most recent call first):\n  a:1 (b)\n-- next\n";
        let mut lines = Lines::new(log);
        let first = lines.next_line().unwrap();
        assert_eq!(
            message(&first, &mut lines),
            "CMake Error at CMakeLists.txt:5 (find_package): Could not find a package configuration file provided by \"Foo\" with any\nof these names:"
        );
        assert_eq!(lines.next_line().unwrap().text, "-- next");
    }
}
