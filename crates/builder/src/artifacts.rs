//! What a build made, told from the first bytes of the files that it wrote.
//!
//! Knows the heads of ELF files, `ar` archives and programs for Windows; says nothing about debug information or what is inside.

use std::collections::{BTreeMap, BTreeSet};

use seatrial_core::Digest;
use seatrial_sandbox::{Change, ChangeKind};
use serde::{Deserialize, Serialize};

/// A file that a build made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// Absolute path in the box.
    pub path: String,
    /// Base name.
    pub name: String,
    /// What it is.
    pub kind: ArtifactKind,
    /// `e_machine` of an ELF file.
    pub machine: Option<u16>,
    /// Size in bytes.
    pub size: u64,
    /// Digest of the whole content.
    pub digest: Digest,
}

/// What an artifact is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArtifactKind {
    /// An ELF program, or one for Windows.
    Executable,
    /// An ELF shared object, a module of the kernel, or a library for Windows.
    SharedObject,
    /// A relocatable ELF object.
    Object,
    /// An `ar` archive.
    Archive,
    /// Any other ELF file.
    Other,
}

/// The artifacts among a box's changes, sorted by path. Links, by-products of configure tests and deleted files are none.
pub fn artifacts(changes: &[Change]) -> Vec<Artifact> {
    let mut found: Vec<Artifact> = changes.iter().filter_map(artifact).collect();
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn artifact(change: &Change) -> Option<Artifact> {
    let ChangeKind::File { size, digest, head, .. } = &change.kind else {
        return None;
    };
    if is_probe(&change.path) {
        return None;
    }
    let name = change.path.rsplit('/').next().unwrap_or_default().to_owned();
    let (kind, machine) = kind_of(&name, head)?;
    Some(Artifact {
        path: change.path.clone(),
        name,
        kind,
        machine,
        size: *size,
        digest: *digest,
    })
}

/// What the first 64 bytes of a file say, and `e_machine` for ELF.
pub fn kind_of(name: &str, head: &[u8]) -> Option<(ArtifactKind, Option<u16>)> {
    if head.starts_with(b"!<arch>\n") || head.starts_with(b"!<thin>\n") {
        return Some((ArtifactKind::Archive, None));
    }
    if head.starts_with(b"MZ") {
        // A program or a library for Windows, made by a cross compiler. Where its machine is noted lies further behind.
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        return match ending.as_deref() {
            Some("exe") => Some((ArtifactKind::Executable, None)),
            Some("dll") => Some((ArtifactKind::SharedObject, None)),
            _ => None,
        };
    }
    if !head.starts_with(b"\x7fELF") {
        return None;
    }
    let big = head.get(5) == Some(&2);
    let wide = head.get(4) == Some(&2);
    let half = |at: usize| -> Option<u16> {
        let bytes: [u8; 2] = head.get(at..at + 2)?.try_into().ok()?;
        Some(if big {
            u16::from_be_bytes(bytes)
        } else {
            u16::from_le_bytes(bytes)
        })
    };
    let entry = head.get(24..if wide { 32 } else { 28 })?;
    let kind = match half(16)? {
        // A module of the kernel is a relocatable object that is linked as a whole when it is loaded.
        1 if name.len() > 3 && std::path::Path::new(name).extension().is_some_and(|end| end == "ko") => {
            ArtifactKind::SharedObject
        }
        1 => ArtifactKind::Object,
        // A position-independent program and a shared object have the same type; only the program starts somewhere.
        3 if is_library_name(name) || entry.iter().all(|byte| *byte == 0) => ArtifactKind::SharedObject,
        2 | 3 => ArtifactKind::Executable,
        _ => ArtifactKind::Other,
    };
    Some((kind, half(18)))
}

fn is_library_name(name: &str) -> bool {
    name.split('.').skip(1).any(|part| part == "so")
}

/// Whether a path is a by-product of a build system's own tests of the compiler.
fn is_probe(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    path.contains("/CMakeFiles/") && (path.contains("/CompilerId") || name.starts_with("CMakeDetermineCompilerABI"))
        || path.contains("/CMakeFiles/CMakeScratch/")
        || path.contains("/CMakeFiles/CMakeTmp/")
        || path.contains("/meson-private/")
        || path.contains("/.conf_check_")
        || path.contains("/.sconf_temp/")
        || name.starts_with("conftest")
        || path.starts_with("/tmp/")
        || path.starts_with("/var/tmp/")
}

/// How much a set of artifacts is worth when two builds of one project are compared: programs and shared libraries by
/// distinct name, archives less, objects only to break ties; what only tests the project, little.
pub(crate) fn worth(artifacts: &[Artifact]) -> f64 {
    let mut best: BTreeMap<&str, f64> = BTreeMap::new();
    let mut objects = 0_u32;
    for artifact in artifacts {
        let mut value = match artifact.kind {
            ArtifactKind::Executable | ArtifactKind::SharedObject => 1.0,
            ArtifactKind::Archive => 0.3,
            ArtifactKind::Object | ArtifactKind::Other => {
                objects += 1;
                continue;
            }
        };
        if is_test(artifact) {
            value *= 0.1;
        }
        let entry = best.entry(&artifact.name).or_insert(0.0);
        *entry = entry.max(value);
    }
    best.values().sum::<f64>() + f64::from(objects.min(5000)) * 1e-5
}

fn is_test(artifact: &Artifact) -> bool {
    let lower = artifact.path.to_ascii_lowercase();
    // Installed programs are products whatever they are called.
    !lower.starts_with(seatrial_core::BOX_PREFIX)
        && (lower.split('/').any(|part| {
            matches!(
                part,
                "test"
                    | "tests"
                    | "testing"
                    | "testsuite"
                    | "check"
                    | "examples"
                    | "example"
                    | "samples"
                    | "demo"
                    | "demos"
                    | "bench"
                    | "benchmarks"
                    | "fuzz"
            )
        }) || artifact.name.starts_with("test")
            || artifact.name.ends_with("_test")
            || artifact.name.ends_with("-test")
            || artifact.name.ends_with("_tests"))
}

/// Distinct names of programs and shared libraries.
pub(crate) fn linked(artifacts: &[Artifact]) -> BTreeSet<&str> {
    artifacts
        .iter()
        .filter(|artifact| matches!(artifact.kind, ArtifactKind::Executable | ArtifactKind::SharedObject))
        .map(|artifact| artifact.name.as_str())
        .collect()
}

/// Whether there is an artifact of a kind that is more than a by-product.
pub(crate) fn has(artifacts: &[Artifact], kind: ArtifactKind) -> bool {
    artifacts
        .iter()
        .any(|artifact| artifact.kind == kind && !is_test(artifact))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elf(kind: u16, entry: u8) -> Vec<u8> {
        let mut head = vec![0_u8; 64];
        head[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        head[16..18].copy_from_slice(&kind.to_le_bytes());
        head[18..20].copy_from_slice(&62_u16.to_le_bytes());
        head[24] = entry;
        head
    }

    fn file(path: &str, head: Vec<u8>) -> Change {
        let kind = ChangeKind::File {
            size: 100,
            mode: 0o755,
            digest: Digest::of(path.as_bytes()),
            head,
        };
        Change::new(path, kind)
    }

    #[test]
    fn kinds_are_told_from_heads_and_probes_are_left_out() {
        let changes = [
            file("/build/source/ship", elf(3, 0x40)),
            file("/build/source/libship.so.1.2", elf(3, 0x40)),
            file("/build/source/plugin", elf(3, 0)),
            file("/build/source/old", elf(2, 1)),
            file("/build/source/ship.o", elf(1, 0)),
            file("/build/source/libship.a", b"!<arch>\n".to_vec()),
            file("/build/out/build/CMakeFiles/3.25.1/CompilerIdC/a.out", elf(3, 1)),
            file("/build/source/short", b"\x7fELF".to_vec()),
            file("/build/source/script", b"#!/bin/sh".to_vec()),
            file("/build/source/ship.exe", b"MZ\x90".to_vec()),
            file("/build/source/MZ.txt", b"MZ".to_vec()),
            file("/build/source/hull.ko", elf(1, 0)),
        ];
        let found: Vec<_> = artifacts(&changes)
            .into_iter()
            .map(|artifact| (artifact.name, artifact.kind))
            .collect();
        assert_eq!(
            found,
            [
                ("hull.ko".to_owned(), ArtifactKind::SharedObject),
                ("libship.a".to_owned(), ArtifactKind::Archive),
                ("libship.so.1.2".to_owned(), ArtifactKind::SharedObject),
                ("old".to_owned(), ArtifactKind::Executable),
                ("plugin".to_owned(), ArtifactKind::SharedObject),
                ("ship".to_owned(), ArtifactKind::Executable),
                ("ship.exe".to_owned(), ArtifactKind::Executable),
                ("ship.o".to_owned(), ArtifactKind::Object),
            ]
        );
    }

    #[test]
    fn a_program_outweighs_many_objects_and_tests() {
        let program = artifacts(&[file("/build/source/ship", elf(2, 1))]);
        let rest = artifacts(&[
            file("/build/source/tests/one", elf(2, 1)),
            file("/build/source/a.o", elf(1, 0)),
            file("/build/source/b.o", elf(1, 0)),
        ]);
        assert!(worth(&program) > worth(&rest));
        assert_eq!(linked(&rest).len(), 1);
    }
}
