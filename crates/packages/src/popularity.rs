//! Which of several owners of a file a packager would install.
//!
//! How often other source packages build with a package is the best single hint; names say the rest.

use std::collections::{HashMap, HashSet};

use seatrial_source::{BinaryPackage, SourcePackage};

/// A package that leans on more others than this is an application stack, not a thin alias.
const THIN_DEPENDENCIES: usize = 6;

/// What `build-essential` brings: its own dependencies, and the development packages that those need.
fn build_essential(binaries: &[BinaryPackage]) -> HashSet<&str> {
    let by_name = |wanted: &str| binaries.iter().find(|binary| binary.package == wanted);
    let mut found = HashSet::new();
    let Some(root) = by_name("build-essential") else {
        return found;
    };
    let mut front: Vec<&str> = first_alternatives(&root.depends).collect();
    while let Some(name) = front.pop() {
        if found.insert(name)
            && let Some(binary) = by_name(name)
        {
            // The compilers' own packages are thin and lean on those of the default version.
            let compiler = |name: &str| name.starts_with("gcc-") || name.starts_with("g++-");
            front.extend(first_alternatives(&binary.depends).filter(|name| name.ends_with("-dev") || compiler(name)));
        }
    }
    found
}

fn first_alternatives(field: &str) -> impl Iterator<Item = &str> {
    field
        .split(',')
        .filter_map(|item| relation_names(item.split('|').next().unwrap_or(item)).next())
}

/// Packages with a version in their name that the package without it leans on: the release's default ones.
fn default_versions(binaries: &[BinaryPackage]) -> HashMap<&str, &str> {
    let mut found = HashMap::new();
    for binary in binaries {
        let plain = binary.package.as_str();
        for target in relation_names(&binary.depends) {
            let version = target.strip_prefix(plain).unwrap_or_default();
            let version = version.strip_prefix('-').unwrap_or(version);
            if !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
                found.insert(target, plain);
            }
        }
    }
    found
}

/// What is known about each package by name.
#[derive(Debug, Default)]
pub(crate) struct Popularity {
    /// Times named in build dependencies, directly or through thin aliases and provided names, plus one.
    scores: HashMap<String, f32>,
    /// The unversioned package to install in place of a versioned one.
    stand_ins: HashMap<String, String>,
    /// What every build has, which nobody names.
    always_there: HashSet<String>,
}

impl Popularity {
    /// Counts the archive's build dependencies.
    pub(crate) fn new(binaries: &[BinaryPackage], sources: &[SourcePackage]) -> Self {
        let mut named: HashMap<&str, f32> = HashMap::new();
        let mut seen_sources = HashSet::new();
        for source in sources {
            // Several versions of one source must not vote several times.
            if !seen_sources.insert(source.package.as_str()) {
                continue;
            }
            let unique: HashSet<&str> = relation_names(&source.build_depends).collect();
            for name in unique {
                *named.entry(name).or_default() += 1.0;
            }
        }
        if sources.is_empty() {
            // Distributions that keep no list of sources beside the packages: what packages need of one another.
            for binary in binaries {
                let unique: HashSet<&str> = relation_names(&binary.depends).collect();
                for name in unique {
                    *named.entry(name).or_default() += 1.0;
                }
            }
        }
        // Who leans on whom, among development packages with few dependencies and a related name.
        let mut aliases: HashMap<&str, Vec<&str>> = HashMap::new();
        for binary in binaries {
            let alias = binary.package.as_str();
            if !(alias.ends_with("-dev") || is_default(alias)) {
                continue;
            }
            let depends: HashSet<&str> = relation_names(&binary.depends).collect();
            if depends.len() > THIN_DEPENDENCIES {
                continue;
            }
            for target in depends {
                if target != alias && (is_default(alias) || related(target, alias)) {
                    aliases.entry(target).or_default().push(alias);
                }
            }
        }
        let default_versions = default_versions(binaries);
        let mut result = Self {
            always_there: build_essential(binaries).into_iter().map(str::to_owned).collect(),
            ..Self::default()
        };
        for binary in binaries {
            let name = binary.package.as_str();
            let count = |name: &str| named.get(name).copied().unwrap_or(0.0);
            let mut score = 1.0 + count(name);
            // A little less than its own name counts: who carries the name is meant before who stands in for it.
            score += 0.9 * relation_names(&binary.provides).map(count).sum::<f32>();
            let mut reached: HashSet<&str> = HashSet::from([name]);
            let mut front = vec![name];
            for _hop in 0..3 {
                let next: Vec<&str> = front
                    .iter()
                    .flat_map(|name| aliases.get(name).into_iter().flatten().copied())
                    .filter(|alias| reached.insert(alias))
                    .collect();
                score += next.iter().map(|alias| count(alias)).sum::<f32>();
                front = next;
            }
            if let Some(alias) = default_versions.get(name).filter(|alias| !reached.contains(**alias)) {
                score += 1.0 + count(alias);
            }
            reached.remove(name);
            let stand_in = reached
                .into_iter()
                .filter(|alias| (count(alias) > count(name) && digits(alias) < digits(name)) || is_default(alias))
                .max_by(|left, right| count(left).total_cmp(&count(right)).then(right.cmp(left)));
            if let Some(alias) = stand_in {
                result.stand_ins.insert(name.to_owned(), alias.to_owned());
            }
            if matches!(binary.priority.as_str(), "required" | "important" | "standard") || binary.essential {
                score += 50.0;
            }
            result.scores.insert(name.to_owned(), score * name_weight(name));
        }
        result
    }

    /// Whether `build-essential` brings the package.
    pub(crate) fn is_always_there(&self, package: &str) -> bool {
        self.always_there.contains(package)
    }

    /// The score of a package; larger is more likely what is meant.
    pub(crate) fn score(&self, package: &str) -> f32 {
        self.scores.get(package).copied().unwrap_or(1.0)
    }

    /// The package to install for what `package` has: itself, or the unversioned one that leans on it.
    pub(crate) fn stand_in<'a>(&'a self, package: &'a str) -> &'a str {
        self.stand_ins.get(package).map_or(package, String::as_str)
    }
}

/// A package that is meant for building with others.
pub(crate) fn is_development(package: &str) -> bool {
    package.ends_with("-dev")
        || package.ends_with("-devel")
        || package.contains("-dev-")
        || package.ends_with("-headers")
        || is_default(package)
}

fn is_default(package: &str) -> bool {
    package.starts_with("default-") || package.contains("-default-")
}

/// Packages that own popular names without being meant: other C libraries, other machines, copies, records.
fn name_weight(package: &str) -> f32 {
    const STARTS: [&str; 12] = [
        "dietlibc",
        "musl",
        "wasi-",
        "libwasi",
        "android-",
        "emscripten",
        "mingw",
        "newlib",
        "libnewlib",
        "lib32",
        "libx32",
        "lib64",
    ];
    const PARTS: [&str; 6] = ["-cross", "-dbg", "mingw-w64", "-android-", "-arm-none-", "-avr"];
    const ENDS: [&str; 5] = ["-doc", "-examples", "-dbgsym", "-source", "-udeb"];
    // Big frameworks that ship copies of small libraries below their own folder; and what stands in for another package
    // under its names.
    const COPIES: [&str; 6] = [
        "paraview",
        "libvtk",
        "libinsighttoolkit",
        "libvxl",
        "libgdcm",
        "libroot",
    ];
    let hit = STARTS.iter().any(|start| package.starts_with(start))
        || PARTS.iter().any(|part| package.contains(part))
        || ENDS.iter().any(|end| package.ends_with(end));
    if hit {
        0.02
    } else if package.ends_with("-compat") || COPIES.iter().any(|start| package.starts_with(start)) {
        0.2
    } else {
        1.0
    }
}

/// The names of a relation field such as `debhelper-compat (= 13), libfoo-dev [amd64] | libbar-dev <!nocheck>`.
fn relation_names(field: &str) -> impl Iterator<Item = &str> {
    field.split([',', '|']).filter_map(|item| {
        let item = item.trim();
        let end = item
            .find(|c: char| c.is_whitespace() || matches!(c, '(' | '[' | '<' | ':'))
            .unwrap_or(item.len());
        item.get(..end).filter(|name| !name.is_empty())
    })
}

fn digits(name: &str) -> usize {
    name.bytes().filter(u8::is_ascii_digit).count()
}

/// The name without `lib`, `-dev` and version numbers: `libboost1.74-dev` and `libboost-dev` share `boost`.
fn stem(name: &str) -> String {
    let name = name.strip_prefix("lib").unwrap_or(name);
    let name = ["-dev", "-devel", "-headers"]
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(name);
    let bare: String = name.chars().filter(|c| !c.is_ascii_digit() && *c != '.').collect();
    bare.trim_matches('-').replace("--", "-")
}

fn related(left: &str, right: &str) -> bool {
    let headers = left.ends_with("-headers");
    let (left, right) = (stem(left), stem(right));
    // The headers of several builds of one library are in a package of their own.
    if headers
        && right
            .strip_prefix(&left)
            .is_some_and(|tail| tail.starts_with(['-', '.']))
    {
        return true;
    }
    !left.is_empty() && (left == right || left.strip_prefix(&right).is_some_and(|tail| tail.starts_with('-')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_are_read_as_written() {
        let names: Vec<_> =
            relation_names("debhelper-compat (= 13), libfoo-dev:native [amd64] | libbar-dev <!nocheck>,, a").collect();
        assert_eq!(names, ["debhelper-compat", "libfoo-dev", "libbar-dev", "a"]);
    }

    #[test]
    fn names_of_one_stem_are_related() {
        assert!(related("libpython3.11-dev", "python3-dev"));
        assert!(related("libboost-filesystem1.74-dev", "libboost-filesystem-dev"));
        assert!(related("libjpeg62-turbo-dev", "libjpeg-dev"));
        assert!(related("libmagickwand-6-headers", "libmagickwand-6.q16-dev"));
        assert!(!related("libglib2.0-dev", "libgtk-3-dev"));
        assert!(!related("libssl-dev", "libcurl4-openssl-dev"));
    }
}
