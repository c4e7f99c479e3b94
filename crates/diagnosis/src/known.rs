//! What is known of names: which header declares them, which standard brought or removed them, which library defines
//! them, which library's newer version no longer has them.

pub(crate) mod breaks;
pub(crate) mod headers;
pub(crate) mod libraries;

use crate::{FlagsOf, Kind, Remedy};

/// What is behind a name that a compiler does not know: nothing where no table has it.
///
/// `file` is the source that uses it, `scope` the namespace or the type it was looked for in, empty when there is none.
pub(crate) fn undeclared(file: &str, scope: &str, name: &str) -> Vec<(Kind, String)> {
    let (scope, name) = match name.rsplit_once("::") {
        Some((outer, inner)) if scope.is_empty() => (outer, inner),
        _ => (scope, name),
    };
    let one = |kind: Kind, subject: &str| vec![(kind, subject.to_owned())];
    let is_c = is_c(file);
    if matches!(scope, "std" | "" | "::") && !is_c {
        if headers::REMOVED.contains(&name) {
            return one(Kind::StandardTooNew, name);
        }
        if let Some(standard) = headers::standard_of(name, scope == "std") {
            return one(Kind::StandardTooOld, standard);
        }
    }
    if breaks::find(scope, name).is_some() {
        return one(Kind::RemovedApi, name);
    }
    if !matches!(scope, "std" | "" | "::") {
        return Vec::new();
    }
    match headers::header_of(name, is_c, scope == "std") {
        Some(header) => one(Kind::MissingInclude, header),
        None => Vec::new(),
    }
}

/// What may cure what [`undeclared`] found.
pub(crate) fn cures(kind: Kind, subject: &str, groups: &[String]) -> Vec<Remedy> {
    match kind {
        Kind::MissingInclude => vec![Remedy::Include {
            header: subject.to_owned(),
        }],
        Kind::StandardTooOld => vec![Remedy::Standard {
            standard: subject.replace("c++", "gnu++"),
        }],
        Kind::StandardTooNew => vec![Remedy::Standard {
            standard: "gnu++14".to_owned(),
        }],
        Kind::RemovedApi => groups
            .iter()
            .rev()
            .chain([&subject.to_owned()])
            .find_map(|scope| breaks::find(scope, subject))
            .or_else(|| breaks::find("", subject))
            .map(|found| found.remedies(subject))
            .unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// Remedies of a function that was used without a declaration.
pub(crate) fn implicit_cures(kind: Kind, subject: &str, groups: &[String]) -> Vec<Remedy> {
    if kind == Kind::RemovedApi {
        return self::cures(kind, subject, &[]);
    }
    let mut cures = Vec::new();
    if let Some(header) = headers::header_of(subject, true, false) {
        cures.push(Remedy::Include {
            header: header.to_owned(),
        });
    }
    if headers::NEEDS_GNU.contains(&subject) {
        cures.push(Remedy::AddFlags {
            to: FlagsOf::C,
            flags: vec!["-D_GNU_SOURCE".to_owned()],
        });
    }
    if !groups.first().is_some_and(|file| is_cxx(file)) {
        cures.push(Remedy::AddFlags {
            to: FlagsOf::C,
            flags: vec!["-Wno-error=implicit-function-declaration".to_owned()],
        });
        cures.push(Remedy::Standard {
            standard: "gnu89".to_owned(),
        });
    }
    cures
}

/// Remedies of an undefined symbol.
pub(crate) fn undefined_cures(_: Kind, subject: &str, _: &[String]) -> Vec<Remedy> {
    libraries::cures(subject)
}

/// The ending of a file.
fn ending(file: &str) -> &str {
    file.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// Whether a file's ending says C.
fn is_c(file: &str) -> bool {
    ending(file) == "c"
}

/// Whether a file's ending says C++.
fn is_cxx(file: &str) -> bool {
    matches!(ending(file), "cc" | "cpp" | "cxx" | "C" | "hpp" | "hh" | "hxx" | "ipp")
}
