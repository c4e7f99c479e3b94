//! Which packages may become tasks, as far as the indexes alone say.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use seatrial_source::{BinaryPackage, SourcePackage};

use super::MineOptions;

/// Sections whose packages are of other languages or no programs at all.
const OTHER_SECTIONS: [&str; 22] = [
    "cli-mono",
    "debug",
    "doc",
    "education",
    "fonts",
    "gnu-r",
    "golang",
    "haskell",
    "introspection",
    "java",
    "javascript",
    "kernel",
    "lisp",
    "localization",
    "metapackages",
    "ocaml",
    "perl",
    "php",
    "python",
    "ruby",
    "rust",
    "zope",
];

/// Build dependencies that show another language, a kernel, or a compiler's own build.
const OTHER_TOOLS: [&str; 40] = [
    "ant",
    "cargo",
    "cython3",
    "debhelper-cargo",
    "default-jdk",
    "dh-cargo",
    "dh-elpa",
    "dh-elixir",
    "dh-golang",
    "dh-ocaml",
    "dh-octave",
    "dh-php",
    "dh-python",
    "dh-r",
    "dh-rebar",
    "dh-sequence-python3",
    "dkms",
    "dh-dkms",
    "erlang-base",
    "erlang-dev",
    "fpc",
    "gdc",
    "gem2deb",
    "gfortran",
    "ghc",
    "gnat",
    "golang-any",
    "golang-go",
    "ldc",
    "linux-source",
    "lua-any",
    "mono-devel",
    "nim",
    "nodejs",
    "ocaml",
    "python3-setuptools",
    "rustc",
    "sbcl",
    "valac",
    "dh-lua",
];

/// Parts of a build that are there in every package and say nothing about it.
const COMMON_TOOLS: [&str; 9] = [
    "debhelper",
    "debhelper-compat",
    "dh-autoreconf",
    "autotools-dev",
    "dpkg-dev",
    "pkg-config",
    "pkgconf",
    "quilt",
    "cdbs",
];

/// The indexes, arranged for questions.
pub(super) struct Index<'a> {
    /// Newest version of each source, sorted by name.
    pub(super) sources: BTreeMap<&'a str, &'a SourcePackage>,
    built: HashMap<(&'a str, &'a str), Vec<&'a BinaryPackage>>,
    base: HashSet<&'a str>,
    /// Sources of the packages that provide a name.
    providers: HashMap<&'a str, Vec<&'a str>>,
}

impl<'a> Index<'a> {
    pub(super) fn new(sources: &'a [SourcePackage], binaries: &'a [BinaryPackage], options: &MineOptions) -> Self {
        let mut newest: BTreeMap<&str, &SourcePackage> = BTreeMap::new();
        for source in sources {
            // The first of a name is its newest.
            newest.entry(&source.package).or_insert(source);
        }
        let mut built: HashMap<(&str, &str), Vec<&BinaryPackage>> = HashMap::new();
        for binary in binaries
            .iter()
            .filter(|binary| binary.architecture == options.platform.arch.debian())
        {
            let group = built.entry((&binary.source, &binary.source_version)).or_default();
            // The same package may be listed in two suites.
            if !group.iter().any(|known| known.filename == binary.filename) {
                group.push(binary);
            }
        }
        for group in built.values_mut() {
            group.sort_by(|a, b| a.filename.cmp(&b.filename));
        }
        let mut providers: HashMap<&str, Vec<&str>> = HashMap::new();
        for binary in binaries {
            for name in package_names(&binary.provides) {
                providers.entry(name).or_default().push(&binary.source);
            }
        }
        Self {
            sources: newest,
            built,
            base: base_sources(binaries, options),
            providers,
        }
    }

    /// The binary packages for the platform that were built from exactly this source.
    pub(super) fn built_from(&self, source: &SourcePackage) -> Vec<&'a BinaryPackage> {
        self.built
            .get(&(source.package.as_str(), source.version.as_str()))
            .into_iter()
            .flatten()
            .filter(|binary| !is_debug(binary))
            .copied()
            .collect()
    }

    /// The source itself, and the sources of packages that stand in for one of its packages: their files would be the
    /// same programs. What the image already holds is not blocked, because everything may depend on it.
    pub(super) fn answer_keys(&self, source: &SourcePackage) -> Vec<String> {
        let mut keys = vec![source.package.clone()];
        for binary in &source.binaries {
            for stand_in in self.providers.get(binary.as_str()).into_iter().flatten() {
                if !self.base.contains(stand_in) && !keys.iter().any(|key| key == stand_in) {
                    keys.push((*stand_in).to_owned());
                }
            }
        }
        keys.get_mut(1..).unwrap_or_default().sort();
        keys
    }

    /// Why the indexes alone rule a package out.
    pub(super) fn reason_against(&self, source: &SourcePackage, options: &MineOptions) -> Option<String> {
        let section = source.section.rsplit('/').next().unwrap_or_default();
        if OTHER_SECTIONS.contains(&section) {
            return Some(format!("section {section}"));
        }
        let arch = options.platform.arch.debian();
        let fits = |word: &str| word == "any" || word == "linux-any" || word == arch || word == format!("any-{arch}");
        if !source.architecture.split_whitespace().any(fits) {
            return Some(format!("not built for {arch}"));
        }
        if self.base.contains(source.package.as_str()) {
            return Some("part of the image".to_owned());
        }
        let needs = package_names(&source.build_depends);
        if !needs.iter().any(|need| need.starts_with("debhelper")) {
            return Some("not built with debhelper".to_owned());
        }
        if let Some(tool) = needs.iter().find(|need| is_other_tool(need)) {
            return Some(format!("needs {tool}"));
        }
        let own = needs.iter().filter(|need| !COMMON_TOOLS.contains(need)).count();
        if own > options.build_depends {
            return Some(format!("more than {} build dependencies", options.build_depends));
        }
        if upstream_bytes(source) > options.source_bytes {
            return Some(format!("upstream source over {} bytes", options.source_bytes));
        }
        let built = self.built_from(source);
        if built.is_empty() {
            return Some(format!("no binary package of this version for {arch}"));
        }
        if built.iter().map(|binary| binary.size).sum::<u64>() > options.binary_bytes {
            return Some(format!("binary packages over {} bytes", options.binary_bytes));
        }
        None
    }
}

/// Whether a package of this source's build needs the named one.
pub(super) fn needs(source: &SourcePackage, names: &[&str]) -> bool {
    package_names(&source.build_depends)
        .iter()
        .any(|need| names.contains(need))
}

fn is_debug(binary: &BinaryPackage) -> bool {
    binary.section.ends_with("debug") || binary.package.ends_with("-dbg") || binary.package.ends_with("-dbgsym")
}

fn is_other_tool(need: &str) -> bool {
    const STARTS: [&str; 12] = [
        "libghc-",
        "golang-",
        "librust-",
        "python3-all",
        "python-all",
        "r-base",
        "php-",
        "linux-headers",
        "gcc-source",
        "lib32gcc",
        "gcc-multilib",
        "llvm-toolchain",
    ];
    OTHER_TOOLS.contains(&need) || STARTS.iter().any(|start| need.starts_with(start))
}

fn upstream_bytes(source: &SourcePackage) -> u64 {
    source
        .files
        .iter()
        .filter(|file| file.name.rsplit('.').next() != Some("asc"))
        .filter(|file| {
            file.name.contains(".orig") || !(file.name.contains(".debian.tar") || file.name.contains(".diff."))
        })
        .map(|file| file.size)
        .sum()
}

/// Names of a dependency field; of alternatives, the first.
pub(super) fn package_names(field: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for relation in field.split(',') {
        let first = relation.split('|').next().unwrap_or_default().trim();
        let end = first.find([' ', '(', '[', '<', ':', '\n']).unwrap_or(first.len());
        if let Some(name) = first.get(..end)
            && !name.is_empty()
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names
}

/// Sources of everything that the image holds: the essential packages, its own, and what they depend on.
fn base_sources<'a>(binaries: &'a [BinaryPackage], options: &MineOptions) -> HashSet<&'a str> {
    let mut by_name: HashMap<&str, &BinaryPackage> = HashMap::new();
    let mut providers: HashMap<&str, &BinaryPackage> = HashMap::new();
    for binary in binaries {
        by_name.entry(&binary.package).or_insert(binary);
        for name in package_names(&binary.provides) {
            providers.entry(name).or_insert(binary);
        }
    }
    let mut open: Vec<&str> = options.image_packages.iter().map(String::as_str).collect();
    open.extend(
        binaries
            .iter()
            .filter(|binary| binary.essential || binary.priority == "required")
            .map(|binary| binary.package.as_str()),
    );
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut sources = HashSet::new();
    while let Some(name) = open.pop() {
        if !seen.insert(name) {
            continue;
        }
        let Some(binary) = by_name.get(name).or_else(|| providers.get(name)) else {
            continue;
        };
        sources.insert(binary.source.as_str());
        open.extend(package_names(&binary.depends));
    }
    sources
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_dependency_field() {
        assert_eq!(
            package_names(
                "debhelper-compat (= 13), libx-dev [amd64] | liby-dev, python3:any, , zlib1g-dev <!nocheck>,\n pkgconf"
            ),
            ["debhelper-compat", "libx-dev", "python3", "zlib1g-dev", "pkgconf"]
        );
    }
}
