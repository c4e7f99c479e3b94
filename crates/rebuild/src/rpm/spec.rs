//! What an expanded recipe says of architectures and of files.

use seatrial_core::Arch;

/// The lines of the recipe's head: tags in lower case, and values. Further packages have none of those that are asked for
/// here; a changelog can have words that look like them.
fn head(expanded: &str) -> impl Iterator<Item = (String, &str)> {
    let head = expanded.lines().take_while(|line| {
        !["%description", "%package", "%prep", "%build"]
            .iter()
            .any(|part| line.starts_with(part))
    });
    head.filter_map(|line| {
        let (tag, value) = line.split_once(':')?;
        Some((tag.trim().to_ascii_lowercase(), value.trim()))
    })
}

/// A source or patch that a recipe names and that is not among the files of its package.
pub(super) fn missing_file(expanded: &str, is_there: &dyn Fn(&str) -> bool) -> Option<String> {
    let mut files = head(expanded).filter_map(|(tag, value)| {
        let number = tag.strip_prefix("source").or_else(|| tag.strip_prefix("patch"))?;
        // Of an address the last part is the file's name.
        let name = value.rsplit('/').next()?;
        (number.chars().all(|c| c.is_ascii_digit()) && !name.is_empty()).then(|| name.to_owned())
    });
    files.find(|name| !is_there(name))
}

/// Why a recipe does not allow a target, by its `ExclusiveArch` and `ExcludeArch` lines.
pub(super) fn excluded(expanded: &str, target: Arch) -> Option<String> {
    let mut exclusive: Vec<&str> = Vec::new();
    for (tag, value) in head(expanded) {
        let words = || value.split([' ', '\t', ',']).filter(|word| !word.is_empty());
        match tag.as_str() {
            "exclusivearch" => exclusive.extend(words()),
            "excludearch" => {
                if let Some(word) = words().find(|word| covers(word, target)) {
                    return Some(format!("the recipe excludes {word}"));
                }
            }
            _ => {}
        }
    }
    let allows = exclusive.is_empty() || exclusive.iter().any(|word| *word == "noarch" || covers(word, target));
    (!allows).then(|| format!("the recipe is for {} only", exclusive.join(" ")))
}

/// Whether a name that RPM has for an architecture means the target.
fn covers(word: &str, target: Arch) -> bool {
    match target {
        Arch::X86_64 => matches!(word, "x86_64" | "amd64" | "x86_64_v2"),
        Arch::Aarch64 => matches!(word, "aarch64" | "arm64"),
        Arch::Riscv64 => word == "riscv64",
        Arch::Ppc64le => word == "ppc64le",
        Arch::S390x => word == "s390x",
        Arch::I686 => matches!(word, "i386" | "i486" | "i586" | "i686"),
        Arch::Armv7l => matches!(word, "armv7l" | "armv7hl" | "armv7hnl"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_named_and_not_there_is_found() {
        let there = |name: &str| name == "a-1.tar.gz" || name == "b.tar";
        for (head, missing) in [
            (
                "Source: https://example.org/x/a-1.tar.gz\nSource1:  https://example.org/get#/b.tar\nSourceLicense: x",
                None,
            ),
            ("Source0: a-1.tar.gz\npatch3: fix.patch", Some("fix.patch")),
            ("Source0: a-1.tar.gz\n%description\nSource1: c", None),
        ] {
            assert_eq!(missing_file(head, &there).as_deref(), missing, "{head}");
        }
    }

    #[test]
    fn a_recipe_allows_what_its_lines_say() {
        for (head, target, allowed) in [
            ("Name: a", Arch::Aarch64, true),
            ("ExclusiveArch: i386 i486 i586 i686 x86_64", Arch::Aarch64, false),
            ("ExclusiveArch: i386 i486 i586 i686 x86_64", Arch::I686, true),
            ("ExclusiveArch:  x86_64\nexclusivearch: aarch64", Arch::Aarch64, true),
            ("ExcludeArch: s390x, aarch64", Arch::Aarch64, false),
            ("ExcludeArch: s390x", Arch::Aarch64, true),
            ("ExclusiveArch: noarch", Arch::Aarch64, true),
            ("%description\nExclusiveArch: x86_64", Arch::Aarch64, true),
        ] {
            assert_eq!(excluded(head, target).is_none(), allowed, "{head} on {target}");
        }
    }
}
