//! Which package sources of this machine serve a distribution's release: read from the package manager's own
//! configuration, so that an image comes from the mirror that its owner chose.

use std::path::{Path, PathBuf};

use fs_err as fs;

/// Endings of suites that complete a release.
const POCKETS: [&str; 3] = ["", "-updates", "-security"];
/// Last folders of the addresses of distributions' archives. Other archives use the same suite names, and their
/// packages have no place in an image.
const ARCHIVES: [&str; 5] = ["debian", "debian-security", "ubuntu", "ubuntu-ports", "raspbian"];
/// Keys that distributions sign with; third parties bring their own.
const KEYRINGS: [&str; 3] = ["debian-archive-", "ubuntu-archive-", "raspbian-archive-"];

/// Lines for the release, its updates and its security fixes, without source packages; none when this machine has none.
pub(crate) fn of_this_machine(release: &str) -> Vec<String> {
    let mut files = vec![PathBuf::from("/etc/apt/sources.list")];
    for entry in fs::read_dir("/etc/apt/sources.list.d").into_iter().flatten().flatten() {
        files.push(entry.path());
    }
    files.sort();
    let mut lines = Vec::new();
    for file in files {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        for line in read(&file, &text, release) {
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    // Updates without the release itself are of no use.
    if lines.iter().any(|line| line.split(' ').nth(2) == Some(release)) {
        lines
    } else {
        Vec::new()
    }
}

fn read(file: &Path, text: &str, release: &str) -> Vec<String> {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("sources") => read_paragraphs(text, release),
        Some("list") => text.lines().filter_map(|line| read_line(line, release)).collect(),
        _ => Vec::new(),
    }
}

/// One line of the older format: `deb [options] address suite component ...`.
fn read_line(line: &str, release: &str) -> Option<String> {
    let line = line.split('#').next()?.trim();
    let rest = line.strip_prefix("deb ")?.trim_start();
    let (options, rest) = match rest.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => ("", rest),
    };
    let key = options
        .split_whitespace()
        .find_map(|option| option.strip_prefix("signed-by="));
    let mut words = rest.split_whitespace();
    let (address, suite) = (words.next()?, words.next()?);
    let components: Vec<_> = words.collect();
    is_wanted(address, suite, &components, key, release)
        .then(|| format!("deb {address} {suite} {}", components.join(" ")))
}

/// The newer format: paragraphs of fields, whose values may go on in lines that begin with a space.
fn read_paragraphs(text: &str, release: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let plain: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
    for paragraph in plain.split(|line| line.trim().is_empty()) {
        let mut fields: Vec<(String, String)> = Vec::new();
        for line in paragraph {
            if line.starts_with([' ', '\t']) {
                if let Some((_, value)) = fields.last_mut() {
                    value.push(' ');
                    value.push_str(line.trim());
                }
            } else if let Some((name, value)) = line.split_once(':') {
                fields.push((name.to_ascii_lowercase(), value.trim().to_owned()));
            }
        }
        let field = |name: &str| {
            fields
                .iter()
                .find(|(known, _)| known == name)
                .map_or("", |(_, value)| value.as_str())
        };
        let off = ["no", "false", "0"].contains(&field("enabled").to_ascii_lowercase().as_str());
        if off || !field("types").split_whitespace().any(|kind| kind == "deb") {
            continue;
        }
        let components: Vec<_> = field("components").split_whitespace().collect();
        let key = Some(field("signed-by")).filter(|key| !key.is_empty());
        for address in field("uris").split_whitespace() {
            for suite in field("suites").split_whitespace() {
                if is_wanted(address, suite, &components, key, release) {
                    lines.push(format!("deb {address} {suite} {}", components.join(" ")));
                }
            }
        }
    }
    lines
}

fn is_wanted(address: &str, suite: &str, components: &[&str], key: Option<&str>, release: &str) -> bool {
    let by_network = address.starts_with("http://") || address.starts_with("https://");
    let archive = address.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let own_key = key.is_none_or(|key| {
        let name = key.rsplit('/').next().unwrap_or_default();
        KEYRINGS.iter().any(|known| name.starts_with(known))
    });
    by_network
        && own_key
        && components.contains(&"main")
        && ARCHIVES.contains(&archive)
        && POCKETS.iter().any(|pocket| suite.strip_suffix(pocket) == Some(release))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distributions_own_binary_archives_are_taken_and_nothing_else() {
        let list = "\
deb http://mirror.test/debian bookworm main contrib # comment
deb-src http://mirror.test/debian bookworm main
# deb http://off.test/debian bookworm main
deb [arch=amd64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://mirror.test/debian/ bookworm-updates main
deb [signed-by=/etc/apt/keyrings/other.gpg] http://other.test/debian bookworm main
deb http://other.test/tool/debian-tool bookworm main
deb http://mirror.test/debian bookworm-backports main
deb http://mirror.test/debian trixie main
deb http://mirror.test/debian bookworm non-free
deb file:/srv/debian bookworm main
";
        assert_eq!(
            read(Path::new("x.list"), list, "bookworm"),
            [
                "deb http://mirror.test/debian bookworm main contrib",
                "deb http://mirror.test/debian/ bookworm-updates main"
            ]
        );
        let sources = "\
# a comment: with a colon
Types: deb deb-src
URIs: http://mirror.test/debian
Suites: bookworm
 bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: https://mirror.test/debian-security
suites: bookworm-security
Components: main contrib

Enabled: no
Types: deb
URIs: http://off.test/debian
Suites: bookworm
Components: main

Types: deb
URIs: http://other.test/debian
Suites: bookworm
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 x
";
        assert_eq!(
            read(Path::new("x.sources"), sources, "bookworm"),
            [
                "deb http://mirror.test/debian bookworm main",
                "deb http://mirror.test/debian bookworm-updates main",
                "deb https://mirror.test/debian-security bookworm-security main contrib"
            ]
        );
        assert!(read(Path::new("x.save"), list, "bookworm").is_empty());
    }
}
