//! The `paper` verdict: the published rule of BuildBench, its faults included.
//!
//! The rule takes the base names of all ELF files below the build folder, skips folders named exactly `test` or `Test`,
//! and compares names only. Known faults, kept on purpose: ELF files that the source tree ships count as produced; any
//! ELF file with the right name counts, whoever made it; static libraries, scripts and files of other systems never
//! match. The last is eased by a second set beside the official one, whose checks start with `extended-`.
//!
//! The build folder is everything below `/build`, because recipes here may build and install outside of the source.

use std::collections::{BTreeMap, BTreeSet};

use seatrial_core::{Answer, BOX_SOURCE, Evidence, Outcome, Profile, Verdict};
use seatrial_sandbox::{Change, ChangeKind};

use super::{
    judge::{Facts, asked, replay_check, run_figures},
    kinds::{base_name, is_elf},
    pinned::PinnedTree,
};

const BUILD_FOLDER: &str = "/build/";

/// Judges by the published rule.
pub(super) fn judge(facts: &Facts<'_>, tree: &PinnedTree, changes: &[Change]) -> Verdict {
    let (official, extended) = produced(tree, changes);
    let expected: BTreeSet<&str> = facts.truth.artifacts.iter().map(String::as_str).collect();
    let mut checks = vec![replay_check(facts)];
    for (prefix, produced) in [("", &official), ("extended-", &extended)] {
        let matched: Vec<&str> = expected
            .iter()
            .copied()
            .filter(|name| produced.contains_key(*name))
            .collect();
        let files = || -> Vec<Evidence> {
            matched
                .iter()
                .filter_map(|name| produced.get(*name))
                .map(Produced::evidence)
                .collect()
        };
        let mut strict = files();
        strict.extend(
            expected
                .iter()
                .filter(|name| !produced.contains_key(**name))
                .map(|name| Evidence::Note {
                    text: format!("{name}: no file has this name"),
                }),
        );
        checks.push(seatrial_core::Check {
            name: format!("{prefix}completion"),
            answer: (!produced.is_empty()).into(),
            detail: format!("{} names were produced", produced.len()),
            evidence: produced.values().take(20).map(Produced::evidence).collect(),
        });
        checks.push(asked(
            &expected,
            &format!("{prefix}flexible"),
            !matched.is_empty(),
            &matched,
            files(),
        ));
        let all = matched.len() == expected.len();
        checks.push(asked(&expected, &format!("{prefix}strict"), all, &matched, strict));
    }
    let matched = expected.iter().filter(|name| official.contains_key(**name)).count();
    let decisive = if expected.is_empty() { "completion" } else { "strict" };
    let passed = checks
        .iter()
        .any(|check| check.name == decisive && check.answer == Answer::Yes);
    let mut figures: BTreeMap<String, f64> = [
        ("expected".to_owned(), expected.len() as f64),
        ("matched".to_owned(), matched as f64),
        ("produced".to_owned(), official.len() as f64),
        ("produced_extended".to_owned(), extended.len() as f64),
    ]
    .into();
    figures.extend(run_figures(facts.execution));
    Verdict {
        outcome: if passed { Outcome::Passed } else { Outcome::Failed },
        profile: Profile::Paper,
        checks,
        reason: if expected.is_empty() {
            format!("{} ELF names were produced", official.len())
        } else {
            format!("{matched} of {} expected names were produced", expected.len())
        },
        invalid: None,
        figures,
        flags: Vec::new(),
    }
}

struct Produced {
    path: String,
    digest: seatrial_core::Digest,
    size: u64,
    shipped: bool,
}

impl Produced {
    fn evidence(&self) -> Evidence {
        Evidence::File {
            path: self.path.clone(),
            digest: self.digest,
            size: self.size,
            what: if self.shipped {
                "shipped in the source tree"
            } else {
                "new or changed"
            }
            .to_owned(),
        }
    }
}

type Names = BTreeMap<String, Produced>;

fn produced(tree: &PinnedTree, changes: &[Change]) -> (Names, Names) {
    let (mut official, mut extended) = (Names::new(), Names::new());
    let mut touched = BTreeSet::new();
    for change in changes.iter().filter(|change| change.path.starts_with(BUILD_FOLDER)) {
        touched.insert(change.path.as_str());
        let ChangeKind::File { size, digest, head, .. } = &change.kind else {
            continue;
        };
        if in_test_folder(&change.path) {
            continue;
        }
        let file = || Produced {
            path: change.path.clone(),
            digest: *digest,
            size: *size,
            shipped: false,
        };
        let name = base_name(&change.path).to_owned();
        if is_elf(head) {
            official.entry(name.clone()).or_insert_with(file);
        }
        extended.entry(name).or_insert_with(file);
    }
    for (path, digest) in tree.files() {
        let absolute = format!("{BOX_SOURCE}/{path}");
        if touched.contains(absolute.as_str()) || in_test_folder(&absolute) {
            continue;
        }
        let content = tree.content(path);
        if is_elf(content.get(..64).unwrap_or(&content)) {
            let file = || Produced {
                path: absolute.clone(),
                digest,
                size: content.len() as u64,
                shipped: true,
            };
            let name = base_name(path).to_owned();
            official.entry(name.clone()).or_insert_with(file);
            extended.entry(name).or_insert_with(file);
        }
    }
    (official, extended)
}

fn in_test_folder(path: &str) -> bool {
    path.rsplit_once('/')
        .is_some_and(|(folders, _)| folders.split('/').any(|part| part == "test" || part == "Test"))
}

#[cfg(test)]
mod tests {
    use seatrial_core::Digest;

    use super::*;

    fn file(path: &str, head: &[u8]) -> Change {
        let mut head = head.to_vec();
        head.resize(64, 1);
        let kind = ChangeKind::File {
            size: 64,
            mode: 0o755,
            digest: Digest::of(path.as_bytes()),
            head,
        };
        Change::new(path, kind)
    }

    #[test]
    fn the_published_rule_skips_test_folders_and_counts_what_the_tree_ships() {
        let folder = tempfile::tempdir().unwrap();
        let elf = [b"\x7fELF\x02\x01\x01".as_slice(), &[0; 57]].concat();
        fs_err::write(folder.path().join("firmware"), &elf).unwrap();
        let tree = PinnedTree::read(folder.path()).unwrap();
        let changes = [
            file("/build/out/hull", b"\x7fELF\x02\x01"),
            file("/build/out/test/keel", b"\x7fELF\x02\x01"),
            file("/build/out/tests/mast", b"\x7fELF\x02\x01"),
            file("/build/out/libhull.a", b"!<arch>\n"),
            file("/usr/bin/other", b"\x7fELF\x02\x01"),
        ];
        let (official, extended) = produced(&tree, &changes);
        assert_eq!(official.keys().collect::<Vec<_>>(), ["firmware", "hull", "mast"]);
        assert_eq!(
            extended.keys().collect::<Vec<_>>(),
            ["firmware", "hull", "libhull.a", "mast"]
        );
    }
}
