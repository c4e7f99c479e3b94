//! Text of strangers, made safe to show.
//!
//! What a build prints or a project calls its files may hold sequences that move the cursor, change colours, rename the
//! window or turn the reading direction. They are shown, never obeyed.

use std::fmt::Write as _;

/// The text with every control character but line end and tab written out, such as `\x1b`.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' | '\t' => out.push(c),
            // A line end of other systems is no attack, and written out it would only disturb.
            '\r' if chars.peek() == Some(&'\n') => {}
            c if u32::from(c) < 0x20 || c == '\u{7f}' => {
                let _ = write!(out, "\\x{:02x}", u32::from(c));
            }
            c if c.is_control() || is_invisible(c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// The text as one visible line: every run of white space is one blank.
pub fn one_line(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    visible(&words.join(" "))
}

/// Characters that show nothing but change how others are shown or read.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_for_terminals_are_shown_and_not_obeyed() {
        for (text, expected) in [
            ("plain, gr\u{fc}n", "plain, gr\u{fc}n"),
            ("\x1b[31mred\x1b]0;title\x07", "\\x1b[31mred\\x1b]0;title\\x07"),
            ("back\x08space\x7f", "back\\x08space\\x7f"),
            ("c1\u{9b}31m", "c1\\u{9b}31m"),
            ("evil\u{202e}cod.exe", "evil\\u{202e}cod.exe"),
            ("over\rwritten", "over\\x0dwritten"),
            ("line\r\nend\t.", "line\nend\t."),
            ("both\r\n\rhidden", "both\n\\x0dhidden"),
        ] {
            assert_eq!(visible(text), expected);
        }
        assert_eq!(one_line("  two\n\nlines\tand \x1b[0m\r"), "two lines and \\x1b[0m");
    }
}
