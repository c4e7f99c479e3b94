//! Names that libraries' newer versions no longer have, with what became of them: a table of changes.

use std::sync::LazyLock;

use crate::{FlagsOf, Remedy};

/// The table: one block a change, as its head explains.
const TABLE: &str = include_str!("breaks.txt");

/// One change of a library.
#[derive(Debug, Default)]
pub(crate) struct Break {
    /// The library, as its project calls it, mostly with the version that brought the change.
    pub(crate) library: &'static str,
    /// What changed.
    change: &'static str,
    /// Namespaces or types one of which the name must have been looked for in; empty for anywhere.
    scopes: Vec<&'static str>,
    /// Names that are gone; a star at the end stands for any rest.
    names: Vec<&'static str>,
    /// What may cure it, best first, in the table's words.
    cures: Vec<&'static str>,
}

/// All changes.
pub(crate) static BREAKS: LazyLock<Vec<Break>> = LazyLock::new(|| TABLE.split("\n\n").filter_map(block).collect());

/// Reads one block of the table; none for its head.
fn block(text: &'static str) -> Option<Break> {
    let mut row = Break::default();
    for line in text.lines() {
        let Some((field, value)) = line.split_once(": ") else {
            continue;
        };
        match field {
            "library" => row.library = value,
            "change" => row.change = value,
            "in" => row.scopes = value.split(' ').collect(),
            "names" => row.names = value.split(' ').collect(),
            "cure" => row.cures.push(value),
            _ => {}
        }
    }
    (!row.library.is_empty() && !row.names.is_empty()).then_some(row)
}

/// A cure in the table's words.
fn remedy(text: &str, name: &str) -> Option<Remedy> {
    let (verb, rest) = text.split_once(' ').unwrap_or((text, ""));
    let rest = rest.replace("{}", name);
    Some(match verb {
        "flags" => {
            let (to, flags) = rest.split_once(' ')?;
            Remedy::AddFlags {
                to: match to {
                    "c" => FlagsOf::C,
                    "c++" => FlagsOf::Cxx,
                    "c/c++" => FlagsOf::COrCxx,
                    _ => return None,
                },
                flags: flags.split(' ').map(str::to_owned).collect(),
            }
        }
        "include" => Remedy::Include { header: rest },
        "provide" => {
            let (of, name) = rest.split_once(' ')?;
            Remedy::ProvideOther {
                of: of.to_owned(),
                name: name.to_owned(),
            }
        }
        "use" => Remedy::Use { tool: rest },
        "version" => {
            let (of, wanted) = rest.split_once(": ")?;
            Remedy::Version {
                of: of.to_owned(),
                wanted: wanted.to_owned(),
            }
        }
        "drop" => Remedy::DropFlag { flag: rest },
        "standard" => Remedy::Standard { standard: rest },
        "clean" => Remedy::Clean,
        "edit" => Remedy::EditSource { how: rest },
        _ => return None,
    })
}

impl Break {
    /// What may cure it, for one of its names.
    pub(crate) fn remedies(&self, name: &str) -> Vec<Remedy> {
        let mut cures: Vec<Remedy> = self.cures.iter().filter_map(|cure| remedy(cure, name)).collect();
        cures.push(Remedy::EditSource {
            how: format!("{}: {}", self.library, self.change),
        });
        cures
    }

    fn has(&self, scope: &str, name: &str) -> bool {
        let named = self.names.iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == *pattern,
        });
        named && (self.scopes.is_empty() || self.scopes.iter().any(|wanted| scope.contains(wanted)))
    }
}

/// The change that took a name away.
pub(crate) fn find(scope: &str, name: &str) -> Option<&'static Break> {
    BREAKS.iter().find(|row| row.has(scope, name))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_block_of_the_table_is_read_whole() {
        assert_eq!(BREAKS.len(), TABLE.matches("\nlibrary: ").count());
        for row in BREAKS.iter() {
            assert!(row.change.len() > 5, "{}", row.library);
            for cure in &row.cures {
                assert!(remedy(cure, "x").is_some(), "{}: {cure}", row.library);
            }
            for name in &row.names {
                assert!(!name.is_empty() && *name != "*", "{}", row.library);
            }
        }
    }

    #[test]
    fn many_libraries_are_covered() {
        let libraries: BTreeSet<&str> = BREAKS
            .iter()
            .map(|row| {
                row.library
                    .trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ' ')
            })
            .collect();
        assert!(libraries.len() >= 60, "{}", libraries.len());
    }

    #[test]
    fn names_lead_to_their_change() {
        for (scope, name, library) in [
            ("", "CODEC_ID_H264", Some("FFmpeg 1")),
            ("", "CV_BGR2GRAY", Some("OpenCV 4")),
            ("AVStream", "codec", Some("FFmpeg 5")),
            ("", "codec", None),
            ("boost::asio", "io_service", Some("Boost.Asio 1.87")),
            ("incomplete", "EVP_MD_CTX", Some("OpenSSL 1.1")),
            ("", "EVP_MD_CTX", None),
            ("", "QRegExp", Some("Qt 6")),
            ("", "luaL_register", Some("Lua 5.2")),
            ("tbb", "task_scheduler_init", Some("oneTBB")),
            ("", "task", None),
            ("", "own_name", None),
        ] {
            assert_eq!(find(scope, name).map(|row| row.library), library, "{scope} {name}");
        }
    }
}
