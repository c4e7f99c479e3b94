//! Kinds of build, so that a corpus is spread over them.

use std::{collections::BTreeMap, path::Path};

use seatrial_builder::{BuildSystem, detect};
use seatrial_source::SourcePackage;

use super::candidates::needs;

/// Kinds of build and their shares of a corpus, in hundredths.
const SHARES: [(&str, usize); 10] = [
    ("cmake", 20),
    ("autotools", 20),
    ("meson", 14),
    ("autogen", 14),
    ("make", 14),
    ("nested", 6),
    ("qmake", 4),
    ("configure", 4),
    ("plain", 2),
    ("other", 2),
];

/// How many tasks of each kind are wanted and had.
pub(super) struct Strata {
    quota: BTreeMap<&'static str, usize>,
    had: BTreeMap<&'static str, usize>,
}

impl Strata {
    pub(super) fn new(count: usize) -> Self {
        // Rounded up, so that small corpora have some of each.
        let quota = SHARES
            .iter()
            .map(|(name, share)| (*name, (count * share).div_ceil(100)))
            .collect();
        Self {
            quota,
            had: BTreeMap::new(),
        }
    }

    /// Whether no more of a kind is wanted.
    pub(super) fn is_full(&self, stratum: &str) -> bool {
        self.had.get(stratum).copied().unwrap_or(0) >= self.quota.get(stratum).copied().unwrap_or(0)
    }

    /// Counts one in.
    pub(super) fn take(&mut self, stratum: &'static str) {
        *self.had.entry(stratum).or_default() += 1;
    }

    /// Whether every kind that a package can be of, as far as the indexes say, is full.
    pub(super) fn is_pointless(&self, source: &SourcePackage) -> Option<&'static str> {
        if needs(source, &["meson"]) {
            return self.is_full("meson").then_some("meson");
        }
        if needs(source, &["cmake", "extra-cmake-modules"]) {
            return self.is_full("cmake").then_some("cmake");
        }
        None
    }
}

/// The kind of a tree's best build root.
pub(super) fn stratum(tree: &Path) -> &'static str {
    let roots = detect(tree);
    let Some(best) = roots.first() else { return "other" };
    if !best.folder.is_empty() {
        return "nested";
    }
    match best.system {
        BuildSystem::CMake => "cmake",
        BuildSystem::Meson => "meson",
        BuildSystem::Autotools => "autotools",
        BuildSystem::AutotoolsBootstrap => "autogen",
        BuildSystem::Make => "make",
        BuildSystem::QMake => "qmake",
        BuildSystem::Configure => "configure",
        BuildSystem::PlainC => "plain",
        _ => "other",
    }
}

/// The share of C and C++ among the bytes of a tree's sources, and the bytes of C and C++.
pub(super) fn c_share(tree: &Path) -> (f64, u64) {
    const OWN: [&str; 12] = ["c", "cc", "cpp", "cxx", "c++", "C", "h", "hh", "hpp", "hxx", "y", "l"];
    const OTHER: [&str; 24] = [
        "py", "java", "go", "rs", "pl", "pm", "rb", "js", "ts", "hs", "ml", "vala", "f", "f90", "adb", "ads", "pas",
        "cs", "lisp", "scm", "php", "lua", "tcl", "erl",
    ];
    let (mut own, mut other) = (0_u64, 0_u64);
    for entry in walkdir::WalkDir::new(tree)
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file())
    {
        let Some(end) = entry.path().extension().and_then(|end| end.to_str()) else {
            continue;
        };
        let size = entry.metadata().map_or(0, |metadata| metadata.len());
        if OWN.contains(&end) {
            own += size;
        } else if OTHER.contains(&end) {
            other += size;
        }
    }
    let all = own + other;
    (if all == 0 { 0.0 } else { own as f64 / all as f64 }, own)
}
