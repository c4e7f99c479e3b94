//! Macros as far as a spec file itself defines them. Nothing is run.

use std::collections::{BTreeMap, BTreeSet};

use super::spec::Tag;

/// A text after its macros were expanded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Expanded {
    /// The text. What is not known stays as it is written; an optional macro that is not known is nothing.
    pub text: String,
    /// Names of macros that the file does not define for sure, in the order in which they were met.
    pub unknown: Vec<String>,
}

/// What the file defines.
#[derive(Debug, Clone, Default)]
pub(super) struct Macros {
    known: BTreeMap<String, String>,
    /// Set under a condition: the value is one of several, or none.
    uncertain: BTreeSet<String>,
}

/// Families of architectures that RPM itself names.
const FAMILIES: [(&str, &str); 8] = [
    ("ix86", "i386 i486 i586 i686 pentium3 pentium4 athlon geode"),
    (
        "arm",
        "armv3l armv4b armv4l armv4tl armv5tl armv5tel armv5tejl armv6l armv6hl armv7l armv7hl armv7hnl armv8l armv8hl",
    ),
    ("arm64", "aarch64"),
    (
        "arm32",
        "armv3l armv4l armv5tl armv5tel armv6l armv6hl armv7l armv7hl armv7hnl",
    ),
    ("power64", "ppc64 ppc64p7 ppc64le"),
    ("riscv", "riscv32 riscv64 riscv128"),
    ("riscv64", "riscv64"),
    ("x86_64", "x86_64 amd64 em64t"),
];

/// Expansions within expansions.
const MOST_DEPTH: usize = 24;

impl Macros {
    /// A line (or several) that defines a macro.
    pub(super) fn define(&mut self, text: &str, conditional: bool) {
        let mut words = text.trim_start().splitn(3, char::is_whitespace);
        let (Some(how), Some(name)) = (words.next(), words.next()) else {
            return;
        };
        let rest = words.next().unwrap_or_default().trim();
        let name = name.trim();
        let mut set = |name: &str, value: Option<String>| {
            if conditional || value.is_none() {
                self.known.remove(name);
                self.uncertain.insert(name.to_owned());
            } else if let Some(value) = value {
                self.uncertain.remove(name);
                self.known.insert(name.to_owned(), value);
            }
        };
        match how {
            "%define" | "%global" => {
                // With parameters it is a function.
                let (bare, is_function) = name.split_once('(').map_or((name, false), |(bare, _)| (bare, true));
                set(bare, (!is_function).then(|| rest.to_owned()));
            }
            "%undefine" => {
                self.known.remove(name);
            }
            "%bcond_with" => self.bcond(name, false),
            "%bcond_without" => self.bcond(name, true),
            "%bcond" => match rest {
                "0" => self.bcond(name, false),
                "1" => self.bcond(name, true),
                _ => set(&format!("with_{name}"), None),
            },
            _ => {}
        }
    }

    fn bcond(&mut self, name: &str, on: bool) {
        let name = format!("with_{name}");
        if on {
            self.known.insert(name, "1".to_owned());
        } else {
            // Known to be off: defined by nobody.
            self.uncertain.remove(&name);
            self.known.insert(format!("!{name}"), String::new());
        }
    }

    /// A tag that is a macro too.
    pub(super) fn tag(&mut self, tag: &Tag, is_main: bool) {
        let number = tag.number.unwrap_or(0);
        let name = match tag.name.as_str() {
            "name" | "version" | "release" | "epoch" | "url" if is_main => tag.name.clone(),
            "source" => format!("SOURCE{number}"),
            "patch" => format!("PATCH{number}"),
            _ => return,
        };
        if name == "url" {
            self.known.insert("URL".to_owned(), tag.value.clone());
        }
        if tag.conditions.is_empty() {
            self.known.insert(name, tag.value.clone());
        } else {
            self.uncertain.insert(name);
        }
    }

    pub(super) fn expand(&self, text: &str) -> Expanded {
        let mut expanded = Expanded::default();
        expanded.text = self.inner(text, &mut expanded.unknown, 0);
        expanded.unknown.dedup();
        expanded
    }

    fn value(&self, name: &str, unknown: &mut Vec<String>, depth: usize) -> Option<String> {
        if let Some(value) = self.known.get(name) {
            return Some(self.inner(value, unknown, depth + 1));
        }
        let family = FAMILIES.iter().find(|(family, _)| *family == name);
        if let Some((_, list)) = family
            && !self.uncertain.contains(name)
        {
            return Some((*list).to_owned());
        }
        None
    }

    fn is_off(&self, name: &str) -> bool {
        self.known.contains_key(&format!("!{name}"))
    }

    fn inner(&self, text: &str, unknown: &mut Vec<String>, depth: usize) -> String {
        if depth > MOST_DEPTH {
            unknown.push("(macros without end)".to_owned());
            return text.to_owned();
        }
        let mut result = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('%') {
            let (before, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
            result.push_str(before);
            let body = after.get(1..).unwrap_or_default();
            if let Some(next) = body.strip_prefix('%') {
                result.push('%');
                rest = next;
            } else if let Some(open) = body.chars().next().filter(|c| matches!(c, '{' | '(' | '[')) {
                let length = closed(body, open).unwrap_or(body.len());
                let (whole, next) = body.split_at_checked(length).unwrap_or((body, ""));
                let inside = whole.get(1..whole.len().saturating_sub(1)).unwrap_or_default();
                if open == '{' {
                    result.push_str(&self.braced(inside, unknown, depth));
                } else {
                    unknown.push(format!("%{whole}"));
                    result.extend(["%", whole]);
                }
                rest = next;
            } else {
                let marks = body.len() - body.trim_start_matches(['?', '!']).len();
                let name_length = body
                    .get(marks..)
                    .unwrap_or_default()
                    .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .unwrap_or(body.len() - marks);
                let (word, next) = body.split_at_checked(marks + name_length).unwrap_or((body, ""));
                if name_length == 0 {
                    result.push('%');
                    result.push_str(word);
                } else {
                    result.push_str(&self.braced(word, unknown, depth));
                }
                rest = next;
            }
        }
        result.push_str(rest);
        result
    }

    /// What stands between braces, or a bare name.
    fn braced(&self, inside: &str, unknown: &mut Vec<String>, depth: usize) -> String {
        let bare = inside.trim_start_matches(['?', '!']);
        let marks = inside.get(..inside.len() - bare.len()).unwrap_or_default();
        let optional = marks.contains('?');
        let negated = marks.matches('!').count() % 2 == 1;
        let (name, otherwise) = match bare.split_once(':') {
            Some((name, text)) => (name, Some(text)),
            None => (bare, None),
        };
        if !optional && let Some((word, flag)) = bare.split_once(' ') {
            let flag = format!("with_{}", flag.trim());
            let on = if self.known.contains_key(&flag) {
                Some(true)
            } else if self.is_off(&flag) {
                Some(false)
            } else {
                None
            };
            match (word, on) {
                ("with", Some(on)) => return u8::from(on).to_string(),
                ("without", Some(on)) => return u8::from(!on).to_string(),
                _ => {}
            }
        }
        let value = self.value(name, unknown, depth);
        match (optional, value) {
            (true, Some(value)) => match (negated, otherwise) {
                (false, None) => value,
                (false, Some(text)) => self.inner(text, unknown, depth + 1),
                (true, _) => String::new(),
            },
            (true, None) => {
                if !self.is_off(name) {
                    unknown.push(name.to_owned());
                }
                match (negated, otherwise) {
                    (true, Some(text)) => self.inner(text, unknown, depth + 1),
                    _ => String::new(),
                }
            }
            (false, Some(value)) if otherwise.is_none() => value,
            (false, _) => {
                unknown.push(bare.to_owned());
                format!("%{{{inside}}}")
            }
        }
    }
}

/// Bytes up to the bracket that closes the first one, with it.
fn closed(text: &str, open: char) -> Option<usize> {
    let close = match open {
        '{' => '}',
        '(' => ')',
        _ => ']',
    };
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return Some(at + 1);
            }
        }
    }
    None
}
