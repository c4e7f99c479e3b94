//! What a file is, told from its first bytes, and which files are by-products of a configure step.

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// An ELF program.
    Executable,
    /// An ELF shared object; a position-independent program looks the same until its content is read.
    Shared,
    /// A relocatable ELF object.
    Object,
    /// A static library.
    Archive,
}

impl Kind {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Executable => "ELF executable",
            Self::Shared => "ELF shared object",
            Self::Object => "ELF object",
            Self::Archive => "ar archive",
        }
    }
}

/// What the first 64 bytes say: the kind and, for ELF, `e_machine`.
pub(super) fn kind(head: &[u8]) -> Option<(Kind, Option<u16>)> {
    if head.starts_with(b"!<arch>\n") || head.starts_with(b"!<thin>\n") {
        // A Debian package is an `ar` archive too.
        let package = head.get(8..).is_some_and(|rest| rest.starts_with(b"debian-binary"));
        return (!package).then_some((Kind::Archive, None));
    }
    if !is_elf(head) {
        return None;
    }
    let word = |at: usize| -> Option<u16> {
        let bytes: [u8; 2] = head.get(at..at + 2)?.try_into().ok()?;
        Some(if head.get(5) == Some(&2) {
            u16::from_be_bytes(bytes)
        } else {
            u16::from_le_bytes(bytes)
        })
    };
    let kind = match word(16)? {
        1 => Kind::Object,
        2 => Kind::Executable,
        3 => Kind::Shared,
        _ => return None,
    };
    Some((kind, word(18)))
}

/// `e_machine` of an ELF program or shared object; `None` for anything else.
pub(crate) fn program_machine(head: &[u8]) -> Option<u16> {
    match kind(head)? {
        (Kind::Executable | Kind::Shared, machine) => machine,
        (Kind::Object | Kind::Archive, _) => None,
    }
}

/// Whether a file starts as a whole ELF header does (ELF gABI, chapter 4: magic, class, byte order, header's size).
pub(super) fn is_elf(head: &[u8]) -> bool {
    head.starts_with(b"\x7fELF")
        && matches!((head.get(4), head.get(5)), (Some(1 | 2), Some(1 | 2)))
        && head.len() >= if head.get(4) == Some(&2) { 64 } else { 52 }
}

/// Whether a file comes from a configure step's own trial compilations.
pub(super) fn is_probe(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let name = parts.last().copied().unwrap_or_default();
    let cmake = parts.contains(&"CMakeFiles")
        && (name.starts_with("cmTC_")
            || name.starts_with("CMakeDetermineCompilerABI")
            || name.starts_with("feature_tests")
            || parts.iter().any(|part| {
                part.starts_with("CompilerId")
                    || *part == "CMakeTmp"
                    || *part == "CMakeScratch"
                    || part.starts_with("TryCompile-")
            }));
    cmake
        || parts
            .iter()
            .any(|part| matches!(*part, "meson-private" | ".sconf_temp" | ".conf_check_0"))
        || parts
            .iter()
            .any(|part| *part == "config.tests" || part.starts_with(".conf_check_"))
        || name == "conftest"
        || name.starts_with("conftest.")
}

/// Whether an object has the name that compilers and build tools give to what is still to be linked. A kernel module is an
/// object too, but a result.
pub(super) fn is_intermediate(name: &str) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(_, end)| matches!(end, "o" | "lo" | "os" | "obj"))
}

/// The base name of a path.
pub(super) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elf(class: u8, order: u8, kind: u16, machine: u16) -> Vec<u8> {
        let mut head = b"\x7fELF".to_vec();
        head.extend([class, order, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        for word in [kind, machine] {
            head.extend(if order == 2 {
                word.to_be_bytes()
            } else {
                word.to_le_bytes()
            });
        }
        head.resize(64, 0);
        head
    }

    #[test]
    fn heads_are_told_apart() {
        assert_eq!(kind(&elf(2, 1, 3, 62)), Some((Kind::Shared, Some(62))));
        assert_eq!(kind(&elf(2, 2, 2, 22)), Some((Kind::Executable, Some(22))));
        assert_eq!(kind(&elf(1, 1, 1, 3)), Some((Kind::Object, Some(3))));
        assert_eq!(kind(&elf(2, 1, 4, 62)), None, "a core dump is no artifact");
        assert_eq!(kind(b"!<arch>\nx.o/"), Some((Kind::Archive, None)));
        assert_eq!(kind(b"!<arch>\ndebian-binary   "), None);
        assert_eq!(kind(b"\x7fELF"), None, "a magic number alone is no file");
        assert_eq!(kind(b"#!/bin/sh\n"), None);
    }

    #[test]
    fn what_is_still_to_be_linked_is_known_by_its_name() {
        assert!(is_intermediate("hull.o") && is_intermediate("hull.cpp.o") && is_intermediate("hull.lo"));
        assert!(!is_intermediate("hull.ko") && !is_intermediate("hull") && !is_intermediate("foo"));
    }

    #[test]
    fn trial_compilations_are_no_artifacts() {
        for path in [
            "/build/out/CMakeFiles/3.25.1/CompilerIdC/a.out",
            "/build/out/CMakeFiles/CMakeScratch/TryCompile-x/cmTC_1",
            "/build/out/meson-private/sanitycheckc.exe",
            "/build/out/conftest",
            "/build/out/conftest.o",
        ] {
            assert!(is_probe(path), "{path}");
        }
        for path in [
            "/build/out/CMakeFiles/hull.dir/a.c.o",
            "/build/out/a.out",
            "/build/out/conftester",
        ] {
            assert!(!is_probe(path), "{path}");
        }
    }
}
