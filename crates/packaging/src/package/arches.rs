//! Where a recipe allows a package to be built.

use seatrial_core::Arch;

/// What a recipe says about architectures.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Architectures {
    /// Lists of which one entry must fit; none of them when everything is allowed.
    only: Vec<ArchList>,
    /// Those that are ruled out.
    not: Vec<ArchList>,
    /// Lists that count on some architectures only: those that are allowed, or ruled out, there.
    conditional: Vec<(Arch, Vec<ArchList>, Vec<ArchList>)>,
    /// Words whose meaning is not known here, such as macros that the recipe does not define.
    pub unknown: Vec<String>,
}

/// One word of a list, in the language of its distribution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ArchList {
    /// A name or wildcard of Debian.
    Debian(String),
    /// A name of RPM.
    Rpm(String),
}

impl Architectures {
    pub(crate) fn only(only: Vec<ArchList>) -> Self {
        Self {
            only,
            ..Self::default()
        }
    }

    /// Says nothing, for a reason.
    pub(crate) fn unknown(reason: String) -> Self {
        Self {
            unknown: vec![reason],
            ..Self::default()
        }
    }

    /// Adds what counts on one architecture.
    pub(crate) fn on(&mut self, arch: Arch, only: Vec<ArchList>, not: Vec<ArchList>) {
        self.conditional.push((arch, only, not));
    }

    /// Whether the recipe allows a build on an architecture. What is not known does not forbid it.
    pub fn allows(&self, arch: Arch) -> bool {
        let fits = |list: &[ArchList]| list.iter().any(|word| word.fits(arch));
        let here = self.conditional.iter().find(|(on, ..)| *on == arch);
        match here {
            Some((_, only, not)) => (only.is_empty() || fits(only)) && !fits(not),
            None => (self.only.is_empty() || fits(&self.only)) && !fits(&self.not),
        }
    }
}

impl ArchList {
    pub(crate) fn fits(&self, arch: Arch) -> bool {
        match self {
            Self::Debian(word) => debian(word, arch),
            Self::Rpm(word) => rpm(word, arch),
        }
    }
}

/// Debian's names and wildcards: `any`, `all`, `linux-any`, `any-arm`, `arm64`.
fn debian(word: &str, arch: Arch) -> bool {
    // The processor that wildcards speak of is not always the architecture's name.
    let cpu = match arch {
        Arch::Armv7l => "arm",
        other => other.debian(),
    };
    if matches!(word, "any" | "all") || word == arch.debian() {
        return true;
    }
    let Some((systems, wanted)) = word.rsplit_once('-') else {
        return false;
    };
    let system = systems
        .split('-')
        .all(|part| matches!(part, "any" | "linux" | "gnu" | "gnueabihf"));
    system && (wanted == "any" || wanted == cpu)
}

/// RPM's names: a family has several, and packages name any of them.
fn rpm(word: &str, arch: Arch) -> bool {
    if word == "noarch" {
        return true;
    }
    match arch {
        Arch::I686 => matches!(
            word,
            "i386" | "i486" | "i586" | "i686" | "athlon" | "pentium3" | "pentium4" | "geode"
        ),
        Arch::Armv7l => matches!(word, "armv7l" | "armv7hl" | "armv7hnl" | "arm"),
        Arch::X86_64 => matches!(word, "x86_64" | "amd64"),
        Arch::Aarch64 => matches!(word, "aarch64" | "arm64"),
        other => word == other.as_str(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_wildcards_of_debian_are_understood() {
        for (words, allowed, not) in [
            ("any", &[Arch::Aarch64, Arch::S390x][..], &[][..]),
            ("all", &[Arch::Riscv64], &[]),
            ("amd64 i386", &[Arch::X86_64, Arch::I686], &[Arch::Aarch64]),
            (
                "any-amd64 any-i386 arm64",
                &[Arch::X86_64, Arch::I686, Arch::Aarch64],
                &[Arch::Armv7l],
            ),
            ("linux-any", &[Arch::Aarch64], &[]),
            ("any-arm", &[Arch::Armv7l], &[Arch::Aarch64]),
            ("kfreebsd-any hurd-amd64", &[], &[Arch::X86_64]),
            ("ppc64el", &[Arch::Ppc64le], &[Arch::X86_64]),
        ] {
            let list = words.split(' ').map(|word| ArchList::Debian(word.to_owned()));
            let architectures = Architectures::only(list.collect());
            for (arches, expected) in [(allowed, true), (not, false)] {
                for arch in arches {
                    assert_eq!(architectures.allows(*arch), expected, "{words} {arch}");
                }
            }
        }
    }
}
