//! What the project stands on: licences, the number of locked packages, one TLS provider, shared lints.

use std::path::Path;

use anyhow::Context;

use crate::{
    finding::Finding,
    licence,
    metadata::{Metadata, Package},
};

/// Most packages that `Cargo.lock` may hold. Raise it by hand only, in a commit that says what the new ones are for.
const LOCK_BUDGET: usize = 400;

/// Packages that bring a TLS implementation. One is enough, and it is `ring`: it needs no CMake and no C++ to build.
const TLS_PROVIDERS: [&str; 7] = [
    "ring",
    "aws-lc-rs",
    "aws-lc-sys",
    "boring-sys",
    "native-tls",
    "openssl",
    "openssl-sys",
];
const TLS_PROVIDER: &str = "ring";

/// Licences of all dependencies that are compiled for this machine.
pub(crate) fn licences(metadata: &Metadata) -> Vec<Finding> {
    let foreign = metadata.packages.iter().filter(|package| package.source.is_some());
    foreign.filter_map(licence_of).collect()
}

fn licence_of(package: &Package) -> Option<Finding> {
    let problem = match &package.license {
        None => "it names no licence".to_owned(),
        Some(expression) => match licence::is_allowed(expression) {
            Ok(true) => return None,
            Ok(false) => format!("its licence `{expression}` is not on the list"),
            Err(reason) => format!("its licence `{expression}` cannot be read: {reason}"),
        },
    };
    Some(Finding::error(
        "Cargo.lock",
        "licence",
        format!("{} {}: {problem}", package.name, package.version),
        "Use another package, or add the licence to xtask/src/licence.rs when it is permissive.",
    ))
}

/// The lock file's size and its TLS providers.
pub(crate) fn lock_file(text: &str) -> Vec<Finding> {
    let names: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'))
        .collect();
    let mut findings = Vec::new();
    if names.len() > LOCK_BUDGET {
        findings.push(Finding::error(
            "Cargo.lock",
            "lock-budget",
            format!("{} packages are locked, {LOCK_BUDGET} are allowed", names.len()),
            "Drop a dependency or one of its features; `cargo tree --duplicates` shows where to start.",
        ));
    }
    for provider in TLS_PROVIDERS {
        if provider != TLS_PROVIDER && names.contains(&provider) {
            findings.push(Finding::error(
                "Cargo.lock",
                "one-tls",
                format!("`{provider}` brings another TLS implementation than `{TLS_PROVIDER}`"),
                format!("`cargo tree --invert {provider}` shows who asks for it; switch that feature off."),
            ));
        }
    }
    findings
}

/// Every member takes its lints from the workspace.
pub(crate) fn lints(root: &Path, metadata: &Metadata) -> anyhow::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for package in metadata.packages.iter().filter(|package| package.source.is_none()) {
        let place = metadata.place(package);
        let text = std::fs::read_to_string(root.join(&place)).with_context(|| format!("cannot read {place}"))?;
        if !inherits_lints(&text) {
            findings.push(Finding::error(
                place,
                "lints",
                "it does not take its lints from the workspace",
                "Add `[lints]` with `workspace = true`.",
            ));
        }
    }
    Ok(findings)
}

fn inherits_lints(manifest: &str) -> bool {
    let mut section = "";
    manifest.lines().map(str::trim).any(|line| {
        if line.starts_with('[') {
            section = line;
        }
        let compact: String = line.chars().filter(|c| !c.is_whitespace()).collect();
        (section == "[lints]" && compact == "workspace=true") || compact == "lints.workspace=true"
    })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::finding::listing;

    #[test]
    fn a_foreign_licence_is_named_and_members_are_not_asked() {
        let package = |name: &str, license: Option<&str>, source: Option<&str>| {
            serde_json::json!({"name": name, "version": "1.2.3", "license": license, "source": source,
                "manifest_path": "/house/x/Cargo.toml", "dependencies": []})
        };
        let metadata = serde_json::json!({"workspace_root": "/house", "packages": [
            package("ours", None, None),
            package("good", Some("MIT OR Apache-2.0"), Some("registry")),
            package("viral", Some("GPL-3.0-only"), Some("registry")),
            package("silent", None, Some("registry")),
        ]});
        expect![[r"
            error: Cargo.lock [licence]: viral 1.2.3: its licence `GPL-3.0-only` is not on the list
              Use another package, or add the licence to xtask/src/licence.rs when it is permissive.
            error: Cargo.lock [licence]: silent 1.2.3: it names no licence
              Use another package, or add the licence to xtask/src/licence.rs when it is permissive.
        "]]
        .assert_eq(&listing(&licences(&serde_json::from_value(metadata).unwrap())));
    }

    #[test]
    fn the_lock_file_has_a_budget_and_one_tls_provider() {
        let mut lock = "[[package]]\nname = \"hull\"\n".repeat(400);
        assert_eq!(listing(&lock_file(&lock)), "");
        lock.push_str("[[package]]\nname = \"ring\"\n[[package]]\nname = \"aws-lc-rs\"\n");
        expect![[r"
            error: Cargo.lock [lock-budget]: 402 packages are locked, 400 are allowed
              Drop a dependency or one of its features; `cargo tree --duplicates` shows where to start.
            error: Cargo.lock [one-tls]: `aws-lc-rs` brings another TLS implementation than `ring`
              `cargo tree --invert aws-lc-rs` shows who asks for it; switch that feature off.
        "]]
        .assert_eq(&listing(&lock_file(&lock)));
    }

    #[test]
    fn both_spellings_of_inherited_lints_are_known() {
        assert!(inherits_lints("[package]\nname = \"x\"\n[lints]\nworkspace = true\n"));
        assert!(inherits_lints("lints.workspace = true\n[package]\n"));
        assert!(!inherits_lints("[lints]\n[dependencies]\nworkspace = true\n"));
        assert!(!inherits_lints("[lints.clippy]\npedantic = \"warn\"\n"));
    }
}
