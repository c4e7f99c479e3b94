//! Where a spec file allows a build.

use seatrial_core::Arch;

use super::{Spec, guard::Branch};
use crate::{Architectures, package::ArchList};

const ALL: [Arch; 7] = [
    Arch::X86_64,
    Arch::Aarch64,
    Arch::Riscv64,
    Arch::Ppc64le,
    Arch::S390x,
    Arch::I686,
    Arch::Armv7l,
];

/// Reads `ExclusiveArch`, `ExcludeArch` and `BuildArch` of the main package, conditions on the architecture included.
pub(crate) fn architectures(spec: &Spec) -> Architectures {
    let mut found = Architectures::default();
    for arch in ALL {
        let fits = |word: &str| ArchList::Rpm(word.to_owned()).fits(arch);
        let (mut only, mut not) = (Vec::new(), Vec::new());
        for (name, excludes) in [("exclusivearch", false), ("excludearch", true), ("buildarch", false)] {
            for tag in spec.main_tags(name) {
                let branches = spec.facts.get(tag.line).map_or(&[][..], |facts| &facts.branches);
                let holds: Vec<Option<bool>> = branches
                    .iter()
                    .map(|branch: &Branch| branch.holds(&spec.macros, &fits))
                    .collect();
                if holds.contains(&Some(false)) {
                    continue;
                }
                if holds.contains(&None) {
                    found.unknown.extend(tag.conditions.clone());
                    continue;
                }
                let expanded = spec.expand(&tag.value);
                found.unknown.extend(expanded.unknown);
                let words = expanded.text.split([' ', '\t', ',']).filter(|word| !word.is_empty());
                let list = words
                    .filter(|word| !word.starts_with('%'))
                    .map(|word| ArchList::Rpm(word.to_owned()));
                if excludes { &mut not } else { &mut only }.extend(list);
            }
        }
        found.on(arch, only, not);
    }
    found.unknown.sort();
    found.unknown.dedup();
    found
}
