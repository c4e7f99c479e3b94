//! Which pages are the answer key: what a task's own source was taken from. A search tells of none of them.

use seatrial_core::{PinnedSource, SourceKind};

/// Whether an address belongs to where a source comes from: the same repository, on its own host or on any other that keeps it under
/// the same owner and name; the folder of an archive; a distribution's pages of the very package.
pub(super) fn is_of_solution(address: &str, source: &PinnedSource) -> bool {
    is_of(address, &source.origin)
}

fn is_of(address: &str, origin: &SourceKind) -> bool {
    let (host, path) = parts(address);
    match origin {
        SourceKind::Changed { base, .. } => is_of(address, base),
        SourceKind::Folder { .. } | SourceKind::Kept { .. } => false,
        SourceKind::Git { url, .. } => {
            let (own_host, own_path) = parts(url);
            let last = own_path.len().saturating_sub(2);
            let is_named = own_path.len() >= 2 && own_path.get(last..).is_some_and(|own| path.starts_with(own));
            is_named || (host == own_host && !own_path.is_empty() && path.starts_with(&own_path))
        }
        SourceKind::Archive { location, .. } => {
            let (own_host, own_path) = parts(location);
            let folder = own_path.split_last().map_or(&[][..], |(_, folder)| folder);
            location.contains("://") && host == own_host && path.starts_with(folder)
        }
        SourceKind::Debian { package, .. } => {
            let is_package = |part: &String| {
                part == package
                    || part
                        .strip_prefix(package.as_str())
                        .is_some_and(|rest| rest.starts_with(['_', ':']))
            };
            (host.contains("debian") || host.contains("ubuntu")) && path.iter().any(is_package)
        }
    }
}

/// The host, and the parts of the path without the end of a repository's name, in small letters.
fn parts(address: &str) -> (String, Vec<String>) {
    let rest = address
        .split_once("://")
        .map_or(address, |(_, rest)| rest)
        .to_ascii_lowercase();
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (host, path) = match rest.split_once(['/', ':']) {
        // What follows a colon is a port, or the path of git's own form.
        Some((host, path)) if rest.get(host.len()..).is_some_and(|after| after.starts_with(':')) => {
            let is_port = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
            let (first, more) = path.split_once('/').unwrap_or((path, ""));
            (host, if is_port(first) { more } else { path })
        }
        Some((host, path)) => (host, path),
        None => (rest, ""),
    };
    let host = host.rsplit('@').next().unwrap_or_default();
    let path = path
        .split('/')
        .filter(|part| !part.is_empty())
        .map(|part| part.strip_suffix(".git").unwrap_or(part).to_owned())
        .collect();
    (host.strip_prefix("www.").unwrap_or(host).to_owned(), path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_the_source_are_known_and_others_are_not() {
        let git = |url: &str| SourceKind::Git {
            url: url.to_owned(),
            commit: "0".repeat(40),
        };
        let archive = SourceKind::Archive {
            location: "https://keel.example/releases/keel-1.0.tar.gz".to_owned(),
            sha256: String::new(),
        };
        let forge = git("https://forge.example/Owner/Keel.git");
        let short = git("git@forge.example:owner/keel");
        let cases: [(&SourceKind, &str, bool); 12] = [
            (&forge, "https://forge.example/owner/keel", true),
            (&forge, "https://www.forge.example/owner/keel/wiki?x=1", true),
            (&forge, "https://raw.other.example/owner/keel/main/README", true),
            (&forge, "https://forge.example/owner/keelson", false),
            (&forge, "https://forge.example/other/keel-fork", false),
            (&forge, "https://blog.example/how-to-build-keel", false),
            (&short, "http://forge.example:80/owner/keel/issues/1", true),
            (&short, "http://forge.example/", false),
            (&archive, "https://keel.example/releases/", true),
            (&archive, "https://keel.example/releases/INSTALL", true),
            (&archive, "https://keel.example/blog", false),
            (&archive, "https://other.example/releases/", false),
        ];
        for (origin, address, expected) in cases {
            let source = PinnedSource {
                name: "keel".to_owned(),
                origin: origin.clone(),
                tree: None,
            };
            assert_eq!(is_of_solution(address, &source), expected, "{origin:?} {address}");
        }
    }
}
