//! The floors of the house: a crate uses the floors below it, never one above or beside it.

use crate::{
    finding::Finding,
    metadata::{Metadata, Package},
};

/// From the ground up. A crate that is planned has its place already.
const FLOORS: [(&str, &[&str]); 8] = [
    ("ground", &["seatrial-core", "seatrial-store"]),
    (
        "worlds",
        &["seatrial-sandbox", "seatrial-egress", "seatrial-source", "seatrial-obs"],
    ),
    (
        "knowledge",
        &["seatrial-diagnosis", "seatrial-packages", "seatrial-packaging"],
    ),
    (
        "skills",
        &[
            "seatrial-builder",
            "seatrial-tools",
            "seatrial-llm",
            "seatrial-rebuild",
            "seatrial-porting",
        ],
    ),
    ("the work", &["seatrial-suites", "seatrial-agents"]),
    ("running", &["seatrial-trial"]),
    ("views", &["seatrial-report"]),
    ("command line", &["seatrial"]),
];

/// Edges between neighbours on one floor, each with its reason.
const ARROWS: [(&str, &str, &str); 4] = [
    (
        "seatrial-store",
        "seatrial-core",
        "the journal is made of core's events",
    ),
    (
        "seatrial-egress",
        "seatrial-sandbox",
        "the door is one that boxes ask for",
    ),
    ("seatrial-tools", "seatrial-builder", "plans are offered as tools"),
    (
        "seatrial-tools",
        "seatrial-porting",
        "what porters know is offered as a tool",
    ),
];

/// Stands outside: uses none of the crates, and none uses it.
const OUTSIDE: &str = "xtask";

const RULE: &str = "layers";
const TABLE: &str = "xtask/src/layers.rs";

/// Checks every edge between members of the workspace, those of tests and build scripts too.
pub(crate) fn check(metadata: &Metadata) -> Vec<Finding> {
    let mut findings = Vec::new();
    let members: Vec<&Package> = metadata
        .packages
        .iter()
        .filter(|package| package.source.is_none())
        .collect();
    for package in &members {
        let place = metadata.place(package);
        if package.name != OUTSIDE && floor(&package.name).is_none() {
            findings.push(Finding::error(
                &place,
                RULE,
                format!("`{}` stands on no floor", package.name),
                format!(
                    "Give it a floor in {TABLE} and in ARCHITECTURE.md, or name it as one of those that are there."
                ),
            ));
            continue;
        }
        for dependency in &package.dependencies {
            if !members.iter().any(|member| member.name == dependency.name) {
                continue;
            }
            if let Some(problem) = breach(&package.name, &dependency.name) {
                let kind = dependency
                    .kind
                    .as_deref()
                    .map_or(String::new(), |kind| format!("{kind}-"));
                findings.push(Finding::error(
                    &place,
                    RULE,
                    format!("{kind}dependency on `{}`: {problem}", dependency.name),
                    "Move the code to a lower floor, or pass what is needed in from above.",
                ));
            }
        }
    }
    findings
}

/// Why an edge is not allowed; `None` when it is.
fn breach(from: &str, to: &str) -> Option<String> {
    if from == OUTSIDE || to == OUTSIDE {
        return Some(format!("`{OUTSIDE}` stands outside the house"));
    }
    if ARROWS.iter().any(|(tail, head, _)| (*tail, *head) == (from, to)) {
        return None;
    }
    let (from_level, from_floor) = floor(from)?;
    let Some((to_level, to_floor)) = floor(to) else {
        return Some(format!("`{to}` stands on no floor"));
    };
    match to_level.cmp(&from_level) {
        std::cmp::Ordering::Less => None,
        std::cmp::Ordering::Equal => Some(format!(
            "both stand on the floor \"{from_floor}\", and no arrow is drawn"
        )),
        std::cmp::Ordering::Greater => Some(format!("it reaches up from \"{from_floor}\" to \"{to_floor}\"")),
    }
}

fn floor(name: &str) -> Option<(usize, &'static str)> {
    FLOORS
        .iter()
        .enumerate()
        .find_map(|(level, (floor, crates))| crates.contains(&name).then_some((level, *floor)))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::finding::listing;

    /// Reads `crate: dependency dev:dependency ...` lines as a workspace.
    fn check_house(house: &str, expected: &Expect) {
        let packages = house
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .map(|line| {
                let (name, edges) = line.split_once(':').unwrap();
                let dependencies: Vec<_> = edges
                    .split_whitespace()
                    .map(|edge| match edge.split_once(':') {
                        Some((kind, name)) => serde_json::json!({"name": name, "kind": kind}),
                        None => serde_json::json!({"name": edge, "kind": null}),
                    })
                    .collect();
                serde_json::json!({
                    "name": name, "version": "0.1.0", "license": "MIT", "source": null,
                    "manifest_path": format!("/house/crates/{name}/Cargo.toml"), "dependencies": dependencies,
                })
            })
            .collect::<Vec<_>>();
        let metadata = serde_json::json!({"packages": packages, "workspace_root": "/house"});
        expected.assert_eq(&listing(&check(&serde_json::from_value(metadata).unwrap())));
    }

    #[test]
    fn edges_that_go_down_and_the_drawn_arrow_are_fine() {
        check_house(
            "seatrial-core: serde
             seatrial-store: seatrial-core tempfile
             seatrial-sandbox: seatrial-core seatrial-store
             seatrial-suites: seatrial-sandbox dev:seatrial-store
             seatrial: seatrial-suites seatrial-core
             xtask: anyhow",
            &expect![[""]],
        );
    }

    #[test]
    fn edges_that_go_up_or_sideways_are_named() {
        check_house(
            "seatrial-core: seatrial-store
             seatrial-store:
             seatrial-agents: seatrial-suites
             seatrial-suites: dev:seatrial-agents build:seatrial-trial
             seatrial-trial: xtask
             xtask: seatrial-core",
            &expect![[r#"
                error: crates/seatrial-core/Cargo.toml [layers]: dependency on `seatrial-store`: both stand on the floor "ground", and no arrow is drawn
                  Move the code to a lower floor, or pass what is needed in from above.
                error: crates/seatrial-agents/Cargo.toml [layers]: dependency on `seatrial-suites`: both stand on the floor "the work", and no arrow is drawn
                  Move the code to a lower floor, or pass what is needed in from above.
                error: crates/seatrial-suites/Cargo.toml [layers]: dev-dependency on `seatrial-agents`: both stand on the floor "the work", and no arrow is drawn
                  Move the code to a lower floor, or pass what is needed in from above.
                error: crates/seatrial-suites/Cargo.toml [layers]: build-dependency on `seatrial-trial`: it reaches up from "the work" to "running"
                  Move the code to a lower floor, or pass what is needed in from above.
                error: crates/seatrial-trial/Cargo.toml [layers]: dependency on `xtask`: `xtask` stands outside the house
                  Move the code to a lower floor, or pass what is needed in from above.
                error: crates/xtask/Cargo.toml [layers]: dependency on `seatrial-core`: `xtask` stands outside the house
                  Move the code to a lower floor, or pass what is needed in from above.
            "#]],
        );
    }

    #[test]
    fn a_crate_without_a_floor_is_named() {
        check_house(
            "seatrial-attic: serde
             seatrial-core:",
            &expect![[r"
                error: crates/seatrial-attic/Cargo.toml [layers]: `seatrial-attic` stands on no floor
                  Give it a floor in xtask/src/layers.rs and in ARCHITECTURE.md, or name it as one of those that are there.
            "]],
        );
    }

    #[test]
    fn this_house_stands() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let metadata = Metadata::of_workspace(root).unwrap();
        assert!(metadata.packages.iter().any(|package| package.name == "seatrial-core"));
        assert_eq!(listing(&check(&metadata)), "");
    }
}
