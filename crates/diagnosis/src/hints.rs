//! Status lines: what a configuration looked for in vain without stopping there.
//!
//! They are no problems by themselves (optional parts are looked for too), but when the configuration stops with words
//! that name such a thing, or right after it, they say precisely what it is.

use std::{collections::VecDeque, sync::LazyLock};

use regex::Regex;

use crate::Kind;

/// Older ones are forgotten: an error comes soon after what it is about.
const MOST_HINTS: usize = 256;
/// An error within so many lines of a status is about it, whatever its words.
const NEAR: u64 = 3;

/// Something that was looked for in vain.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hint {
    /// What it must be; absent where the words allow several things.
    pub(crate) kind: Option<Kind>,
    pub(crate) name: String,
    line: u64,
}

/// The latest status lines.
#[derive(Debug, Default)]
pub(crate) struct Hints(VecDeque<Hint>);

/// Status lines by form. The first group is the name.
static FORMS: LazyLock<Vec<(Option<Kind>, Regex)>> = LazyLock::new(|| {
    [
        (Some(Kind::MissingCMake), r"^-- Could NOT find ([\w+.-]*\w)"),
        (Some(Kind::MissingPkgConfig), r"^--\s+No package '([^']+)' found"),
        (Some(Kind::MissingPkgConfig), r"^--\s+Package '([^']+)'.* not found"),
        (Some(Kind::MissingPkgConfig), r"^(?:\S+\| )?(?:Run-time |Build-time )?[Dd]ependency (\S+) found: NO"),
        (Some(Kind::MissingCommand), r"^(?:\S+\| )?Program (\S+) found: NO"),
        (Some(Kind::MissingLibrary), r"^(?:\S+\| )?Library (\S+) found: NO"),
        (Some(Kind::MissingHeader), r#"^(?:\S+\| )?(?:Has header|Check usable header) "([^"]+)" : NO"#),
        (Some(Kind::MissingLibrary), r"^checking (?:for|whether) .* in -l([^\s.]+)\.\.\. .*\bno$"),
        (Some(Kind::MissingHeader), r"^[Cc]hecking (?:for )?(?:C(?:\+\+)? header (?:file )?)?([\w./+-]+\.(?:h|hpp|hh))(?: usability| presence)?\s*\.\.\. ?(?:\(cached\) )?no$"),
        (Some(Kind::MissingPkgConfig), r"^checking for ([\w.+-]+) (?:[<>=]+ \S+).*\.\.\. .*\bno$"),
        (Some(Kind::MissingLibrary), r"^Checking for C(?:\+\+)? library (\S+?)\.\.\. ?no$"),
        (Some(Kind::MissingCommand), r"^Checking for program '?([^\s',]+).* : not found"),
        (Some(Kind::MissingHeader), r"^Checking for header '?([^\s']+)'?\s+: not found"),
        (Some(Kind::MissingLibrary), r"^Checking for library '?([^\s']+)'?\s+: not found"),
        (None, r"^Checking for '?([\w.+-]+)[^:]*\s+: (?:not found|no)$"),
        (None, r"^checking for (?:the )?([\w.+-]+)(?: (?:library|program|support|development files|headers?))?\.\.\. .*\bno(?:t found)?$"),
    ]
    .into_iter()
    .filter_map(|(kind, pattern)| Some((kind, Regex::new(&format!("(?-u){pattern}")).or_else(|_| Regex::new(pattern)).ok()?)))
    .collect()
});

impl Hints {
    /// Remembers a status line; tells whether it was one.
    pub(crate) fn note(&mut self, number: u64, text: &str) -> bool {
        let starts = [
            "--",
            "checking",
            "Checking",
            "Run-time",
            "Build-time",
            "Dependency",
            "Program",
            "Library",
            "Has",
            "Check",
        ];
        if !starts.iter().any(|start| text.starts_with(start)) && !text.contains("| ") {
            return false;
        }
        for (kind, form) in FORMS.iter() {
            if let Some(name) = form.captures(text).and_then(|groups| groups.get(1)) {
                if self.0.len() == MOST_HINTS {
                    self.0.pop_front();
                }
                self.0.push_back(Hint {
                    kind: *kind,
                    name: name.as_str().to_owned(),
                    line: number,
                });
                return true;
            }
        }
        false
    }

    /// The latest hint whose name a message mentions.
    pub(crate) fn about(&self, text: &str) -> Option<&Hint> {
        let folded = text.to_ascii_lowercase();
        self.0.iter().rev().find(|hint| {
            let name = hint.name.to_ascii_lowercase();
            let bare = name.trim_start_matches("lib");
            mentions(&folded, &name)
                || (bare.len() > 2 && mentions(&folded, bare))
                || mentions(&folded, &format!("lib{name}"))
        })
    }

    /// The hint right before a line, when its kind is certain.
    pub(crate) fn before(&self, number: u64) -> Option<&Hint> {
        self.0
            .back()
            .filter(|hint| hint.kind.is_some() && hint.line + NEAR >= number)
    }

    /// The latest pkg-config modules in a row that were not found.
    pub(crate) fn packages_before(&self, number: u64) -> Vec<&Hint> {
        let mut found: Vec<&Hint> = self
            .0
            .iter()
            .rev()
            .take_while(|hint| hint.kind == Some(Kind::MissingPkgConfig) && hint.line + 2 * NEAR >= number)
            .collect();
        found.reverse();
        found
    }

    /// The latest hint.
    pub(crate) fn last(&self) -> Option<&Hint> {
        self.0.back()
    }
}

/// Whether a word stands in a text on its own.
fn mentions(text: &str, word: &str) -> bool {
    if word.is_empty() {
        return false;
    }
    let joins = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    memchr::memmem::find_iter(text.as_bytes(), word.as_bytes()).any(|at| {
        let before = at.checked_sub(1).and_then(|at| text.as_bytes().get(at));
        !joins(before) && !joins(text.as_bytes().get(at + word.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_compiles_and_fires() {
        for (text, kind, name) in [
            (
                "-- Could NOT find Foo (missing: FOO_LIBRARY)",
                Some(Kind::MissingCMake),
                "Foo",
            ),
            ("--   No package 'foo' found", Some(Kind::MissingPkgConfig), "foo"),
            (
                "--   Package 'foo', required by 'virtual:world', not found",
                Some(Kind::MissingPkgConfig),
                "foo",
            ),
            (
                "Run-time dependency foo found: NO (tried pkgconfig and cmake)",
                Some(Kind::MissingPkgConfig),
                "foo",
            ),
            ("sub| Dependency foo found: NO", Some(Kind::MissingPkgConfig), "foo"),
            ("Program foo found: NO", Some(Kind::MissingCommand), "foo"),
            ("Library foo found: NO", Some(Kind::MissingLibrary), "foo"),
            ("Has header \"foo.h\" : NO", Some(Kind::MissingHeader), "foo.h"),
            (
                "checking for foo_init in -lfoo... no",
                Some(Kind::MissingLibrary),
                "foo",
            ),
            ("checking for sys/foo.h... no", Some(Kind::MissingHeader), "sys/foo.h"),
            (
                "Checking for C header file foo.h... no",
                Some(Kind::MissingHeader),
                "foo.h",
            ),
            ("checking for foo >= 1.2... no", Some(Kind::MissingPkgConfig), "foo"),
            ("Checking for C library foo... no", Some(Kind::MissingLibrary), "foo"),
            (
                "Checking for program 'foo'            : not found",
                Some(Kind::MissingCommand),
                "foo",
            ),
            (
                "Checking for header foo.h             : not found",
                Some(Kind::MissingHeader),
                "foo.h",
            ),
            (
                "Checking for library foo              : not found",
                Some(Kind::MissingLibrary),
                "foo",
            ),
            ("Checking for 'foo' >= 1               : not found", None, "foo"),
            ("checking for foo... no", None, "foo"),
        ] {
            let mut hints = Hints::default();
            assert!(hints.note(1, text), "{text}");
            let hint = hints.last().unwrap();
            assert_eq!((hint.kind, hint.name.as_str()), (kind, name), "{text}");
        }
        assert_eq!(FORMS.len(), 16);
        let mut hints = Hints::default();
        for text in ["checking for foo... yes", "-- Found Foo", "Program foo found: YES"] {
            assert!(!hints.note(1, text), "{text}");
        }
    }

    #[test]
    fn a_hint_is_found_by_mention() {
        let mut hints = Hints::default();
        hints.note(1, "checking for foo... no");
        hints.note(2, "checking for bar... no");
        assert_eq!(hints.about("libfoo is needed").unwrap().name, "foo");
        assert!(hints.about("food is needed").is_none());
    }
}
