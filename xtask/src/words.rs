//! Words that no text of the project holds: hosts of package registries and folders of somebody's machine.
//!
//! A mirror's name comes from the configuration of the machine that runs the program, and a path from its caller; one
//! that is written down works for its author only.

use crate::finding::Finding;

/// Hosts of registries, kept in parts so that this list does not find itself.
const HOSTS: [&[&str]; 11] = [
    &["deb", "debian", "org"],
    &["ftp", "debian", "org"],
    &["security", "debian", "org"],
    &["archive", "ubuntu", "com"],
    &["ports", "ubuntu", "com"],
    &["pypi", "org"],
    &["files", "pythonhosted", "org"],
    &["crates", "io"],
    &["registry", "npmjs", "org"],
    &["proxy", "golang", "org"],
    &["repo1", "maven", "org"],
];

/// The one file that may name them: which registries a box may ask is what it says.
const NAMES_REGISTRIES: &str = "crates/egress/data/registries.toml";

/// First folders of absolute paths at which checkouts lie on developers' and build machines.
const MACHINE_FOLDERS: [&str; 3] = ["work", "workspace", "workspaces"];

/// Checks one text file; `path` is relative to the checkout.
pub(crate) fn check(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let place = || format!("{path}:{}", number + 1);
        for host in HOSTS.map(|parts| parts.join(".")) {
            if path != NAMES_REGISTRIES && stands_alone(line, &host) {
                findings.push(Finding::error(
                    place(),
                    "no-hosts",
                    format!("the registry host `{host}` is written down"),
                    "Take the mirror from the machine's own configuration; in prose and tests use example.org.",
                ));
            }
        }
        for folder in MACHINE_FOLDERS.map(|name| format!("/{name}/")) {
            if starts_path(line, &folder) {
                findings.push(Finding::error(
                    place(),
                    "no-machine-paths",
                    format!("the absolute path `{folder}...` is of one machine only"),
                    "Use a path relative to the checkout, or a temporary folder.",
                ));
            }
        }
    }
    findings
}

/// Whether the host's name stands in the line and is not part of a longer name.
fn stands_alone(line: &str, host: &str) -> bool {
    line.match_indices(host).any(|(at, _)| {
        let before = line.get(..at).and_then(|head| head.chars().next_back());
        let after = line.get(at + host.len()..).and_then(|tail| tail.chars().next());
        let is_name = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        !before.is_some_and(is_name) && !after.is_some_and(is_name)
    })
}

/// Whether an absolute path in the line begins with the folder.
fn starts_path(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line.get(..at).and_then(|head| head.chars().next_back());
        !before.is_some_and(|c| c.is_alphanumeric() || "._-/}>)]*~$+".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_machine_paths_are_found_and_look_alikes_are_not() {
        let host = HOSTS[7].join(".");
        let folder = MACHINE_FOLDERS[0];
        let text = format!(
            "see https://{host}/x\nsee {host}-index\nopen /{folder}/main/x\nopen frame/{folder}/x, $HOME/{folder}/x\n"
        );
        let findings = check("docs/a.md", &text);
        let found: Vec<_> = findings
            .iter()
            .map(|finding| (finding.place.as_str(), finding.rule))
            .collect();
        assert_eq!(
            found,
            [("docs/a.md:1", "no-hosts"), ("docs/a.md:3", "no-machine-paths")]
        );
        let found = check(NAMES_REGISTRIES, &text);
        assert!(found.iter().all(|finding| finding.rule != "no-hosts"));
    }
}
