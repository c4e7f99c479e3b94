//! `Sources` and `Packages` indexes.

use seatrial_core::FilePin;

use super::{
    BinaryPackage, SourcePackage,
    deb822::{Paragraph, Paragraphs, checksum_rows},
};

/// Reads the paragraphs of a `Sources` index for which `wanted` says yes to the name.
pub(super) fn sources(text: &str, wanted: &dyn Fn(&str) -> bool) -> Vec<SourcePackage> {
    Paragraphs::new(text)
        .filter(|paragraph| wanted(paragraph.text("Package")))
        .filter_map(|paragraph| source(&paragraph))
        .collect()
}

fn source(paragraph: &Paragraph<'_>) -> Option<SourcePackage> {
    let build_depends: Vec<String> = ["Build-Depends", "Build-Depends-Arch", "Build-Depends-Indep"]
        .iter()
        .map(|field| paragraph.line(field))
        .filter(|value| !value.is_empty())
        .map(|value| value.trim_end_matches([',', ' ']).to_owned())
        .collect();
    Some(SourcePackage {
        package: paragraph.get("Package")?.to_owned(),
        version: paragraph.get("Version")?.to_owned(),
        directory: paragraph.text("Directory").to_owned(),
        files: pins(paragraph.text("Checksums-Sha256")),
        binaries: paragraph
            .text("Binary")
            .split([',', '\n'])
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect(),
        build_depends: build_depends.join(", "),
        architecture: paragraph.line("Architecture"),
        section: paragraph.text("Section").to_owned(),
        format: paragraph.text("Format").to_owned(),
    })
}

/// The rows of `Checksums-Sha256` as pins.
pub(super) fn pins(value: &str) -> Vec<FilePin> {
    checksum_rows(value)
        .map(|(hash, size, name)| FilePin {
            name: name.to_owned(),
            size,
            sha256: hash.to_ascii_lowercase(),
        })
        .collect()
}

/// Reads a `Packages` index.
pub(super) fn binaries(text: &str) -> Vec<BinaryPackage> {
    Paragraphs::new(text)
        .filter_map(|paragraph| binary(&paragraph))
        .collect()
}

fn binary(paragraph: &Paragraph<'_>) -> Option<BinaryPackage> {
    let package = paragraph.get("Package")?;
    let version = paragraph.get("Version")?;
    // `Source` is there only when it differs, and holds a version only when that differs too.
    let (source, source_version) = match paragraph.get("Source") {
        None => (package, version),
        Some(value) => match value.split_once('(') {
            Some((name, rest)) => (name.trim(), rest.trim_end().trim_end_matches(')')),
            None => (value, version),
        },
    };
    let depends: Vec<String> = ["Pre-Depends", "Depends"]
        .iter()
        .map(|field| paragraph.line(field))
        .filter(|value| !value.is_empty())
        .collect();
    Some(BinaryPackage {
        package: package.to_owned(),
        version: version.to_owned(),
        source: source.to_owned(),
        source_version: source_version.to_owned(),
        filename: paragraph.get("Filename")?.to_owned(),
        size: paragraph.text("Size").parse().ok()?,
        sha256: paragraph.get("SHA256")?.to_ascii_lowercase(),
        section: paragraph.text("Section").to_owned(),
        depends: depends.join(", "),
        provides: paragraph.line("Provides"),
        architecture: paragraph.text("Architecture").to_owned(),
        priority: paragraph.text("Priority").to_owned(),
        essential: paragraph.text("Essential") == "yes",
    })
}
