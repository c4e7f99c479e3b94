//! Statements of inline assembly in a source.

use std::sync::LazyLock;

use regex::Regex;

/// An operand: its constraint and its expression.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Operand {
    pub(crate) constraint: String,
    pub(crate) value: String,
}

/// One statement.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Statement {
    /// Where it begins, and where it ends behind its bracket.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Its first and last line, from 0.
    pub(crate) first_line: usize,
    pub(crate) last_line: usize,
    /// The instructions, in small letters.
    pub(crate) template: String,
    pub(crate) outputs: Vec<Operand>,
    pub(crate) inputs: Vec<Operand>,
}

static BEGINS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\b(?:__asm__|__asm|asm)\b\s*(?:(?:__volatile__|__volatile|volatile|__inline__|inline)\s*)*\(").ok()
});

static COMMENT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?s)/\*.*?\*/").ok());

/// All statements of a source, in order.
pub(crate) fn find(text: &str) -> Vec<Statement> {
    let Some(begins) = BEGINS.as_ref() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(begin) = begins.find_at(text, at) {
        at = begin.end();
        let Some(length) = text.get(begin.end()..).and_then(closing) else {
            continue;
        };
        let inner = text.get(begin.end()..begin.end() + length).unwrap_or_default();
        let end = begin.end() + length + 1;
        let line_of = |place: usize| text.get(..place).unwrap_or_default().matches('\n').count();
        let plain = match COMMENT.as_ref() {
            Some(comment) => comment.replace_all(inner, " "),
            None => inner.into(),
        };
        let parts = parts(&plain, ':');
        let template = strings(parts.first().map_or("", String::as_str)).to_ascii_lowercase();
        // `asm("name")` behind a declaration gives a symbol its name.
        let is_name = parts.len() == 1
            && text
                .get(..begin.start())
                .is_some_and(|before| before.trim_end().ends_with(')'));
        if !template.is_empty() && !is_name {
            found.push(Statement {
                start: begin.start(),
                end,
                first_line: line_of(begin.start()),
                last_line: line_of(end),
                template,
                outputs: operands(parts.get(1)),
                inputs: operands(parts.get(2)),
            });
        }
        at = end;
    }
    found
}

/// How far it is to the bracket that closes what is open.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1;
    walk(text, |at, c, quoted| {
        match c {
            '(' | '[' if !quoted => depth += 1,
            ')' | ']' if !quoted => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })
}

/// Goes through a text and knows what is inside of quotes.
fn walk<T>(text: &str, mut visit: impl FnMut(usize, char, bool) -> Option<T>) -> Option<T> {
    let mut quoted = false;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        let is_quote = c == '"' && !escaped;
        if let Some(found) = visit(at, c, quoted || is_quote) {
            return Some(found);
        }
        if is_quote {
            quoted = !quoted;
        }
        escaped = c == '\\' && quoted && !escaped;
    }
    None
}

/// A text in parts between a letter that stands outside of quotes and brackets.
fn parts(text: &str, separator: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0;
    walk(text, |_, c, quoted| {
        match c {
            '(' | '[' if !quoted => depth += 1,
            ')' | ']' if !quoted => depth -= 1,
            _ => {}
        }
        if c == separator && depth == 0 && !quoted {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(c);
        }
        None::<()>
    });
    parts
}

/// All strings of a text, joined, with their escapes read as blanks and line ends.
fn strings(text: &str) -> String {
    let mut joined = String::new();
    let mut inside = false;
    walk(text, |_, c, quoted| {
        if c == '"' && quoted {
            inside = !inside;
        } else if quoted && inside {
            joined.push(c);
        }
        None::<()>
    });
    joined.replace("\\n", "\n").replace("\\t", " ")
}

fn operands(part: Option<&String>) -> Vec<Operand> {
    let Some(part) = part.filter(|part| !part.trim().is_empty()) else {
        return Vec::new();
    };
    parts(part, ',')
        .iter()
        .map(|operand| {
            let constraint = strings(operand.split('(').next().unwrap_or_default());
            let value = operand.split_once('(').map_or("", |(_, rest)| rest).trim();
            let value = value.strip_suffix(')').unwrap_or(value);
            Operand {
                constraint,
                value: value
                    .split_whitespace()
                    .filter(|word| *word != "\\")
                    .collect::<Vec<_>>()
                    .join(" "),
            }
        })
        .collect()
}

impl Statement {
    /// The instructions: each a mnemonic and what stands behind it. Prefixes are words of their own.
    pub(crate) fn instructions(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for part in self.template.split(['\n', ';']) {
            let mut rest = part.trim();
            // A label.
            if let Some((label, behind)) = rest.split_once(':')
                && label
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '%' | '='))
            {
                rest = behind.trim();
            }
            while !rest.is_empty() {
                let (word, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                let is_prefix = matches!(word, "lock" | "rep" | "repe" | "repne");
                found.push((
                    word.to_owned(),
                    if is_prefix {
                        String::new()
                    } else {
                        behind.trim().to_owned()
                    },
                ));
                rest = if is_prefix { behind.trim() } else { "" };
            }
        }
        found
    }

    /// The expression of an output whose constraint has a letter.
    pub(crate) fn output(&self, letter: char) -> Option<&str> {
        let found = self.outputs.iter().find(|operand| operand.constraint.contains(letter));
        found.map(|operand| operand.value.as_str())
    }

    /// What goes into an output: itself when it is read and written, or the input that shares its place, or the first one.
    pub(crate) fn source_of(&self, number: usize) -> Option<&str> {
        let output = self.outputs.get(number)?;
        if output.constraint.contains('+') {
            return Some(&output.value);
        }
        let shared = self
            .inputs
            .iter()
            .find(|input| input.constraint.trim() == number.to_string());
        shared.or(self.inputs.first()).map(|input| input.value.as_str())
    }
}
