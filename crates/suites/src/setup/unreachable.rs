//! Whether something that the repository itself asks for cannot be reached from here: then nothing is known of the script.
//!
//! A log only raises the question. A fresh box, in which nothing of the submission runs, answers it; and what a script
//! printed counts only for a host that the pinned repository names.

use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader},
    path::Path,
    time::Duration,
};

use fs_err as fs;
use seatrial_core::Digest;
use seatrial_sandbox::{BoxSpec, Command};

use crate::{GradeRequest, SuiteError};

/// What programs say when a host does not answer or refuses.
const COMPLAINTS: [&str; 14] = [
    "UnknownHostException",
    "Could not resolve host",
    "Could not GET",
    "Could not transfer artifact",
    "Temporary failure in name resolution",
    "Temporary failure resolving",
    "unable to access",
    "Failed to connect",
    "Connection refused",
    "Connection timed out",
    "Network is unreachable",
    "NewConnectionError",
    "403 Forbidden",
    "response code: 403",
];
/// Lines before a complaint in which the address may stand.
const BEFORE: usize = 4;
/// Addresses that are asked.
const ASKED: usize = 4;
/// Bytes of one file that are searched for a host.
const SEARCHED: u64 = 1 << 20;

/// The addresses that a log complains about, in order.
fn complained(log: impl BufRead) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut last: Vec<Vec<String>> = Vec::new();
    for line in log.split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line).into_owned();
        let urls = addresses(&line);
        let complains = COMPLAINTS.iter().any(|words| line.contains(words));
        last.push(urls);
        if last.len() > BEFORE + 1 {
            last.remove(0);
        }
        if complains {
            for url in last.iter().rev().find(|urls| !urls.is_empty()).into_iter().flatten() {
                if !found.contains(url) {
                    found.push(url.clone());
                }
            }
        }
    }
    found
}

fn addresses(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (start, _) in line.match_indices("http") {
        let rest = line.get(start..).unwrap_or_default();
        if !rest.starts_with("http://") && !rest.starts_with("https://") {
            continue;
        }
        let url: String = rest
            .chars()
            .take_while(|c| c.is_ascii_graphic() && !"\"'<>)]}`,".contains(*c))
            .collect();
        found.push(url.trim_end_matches(['.', ':', ';']).to_owned());
    }
    found
}

fn host(url: &str) -> Option<&str> {
    let rest = url.split_once("://")?.1;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    Some(host.split(':').next().unwrap_or(host)).filter(|host| !host.is_empty())
}

/// Whether a file of the pinned repository names a host.
fn names(root: &Path, host: &str) -> bool {
    walkdir::WalkDir::new(root)
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file())
        .filter(|entry| entry.metadata().is_ok_and(|metadata| metadata.len() <= SEARCHED))
        .any(|entry| {
            fs::read(entry.path()).is_ok_and(|content| content.windows(host.len()).any(|part| part == host.as_bytes()))
        })
}

/// The first address that cannot be reached; `logs` are of the script, and of the check, whose commands are the grader's.
pub(super) fn first(
    request: &GradeRequest<'_>,
    script: &Digest,
    check: Option<&Digest>,
) -> Result<Option<String>, SuiteError> {
    let mut urls = Vec::new();
    if let Some(check) = check {
        urls.extend(complained(BufReader::new(request.blobs.open(check)?)));
    }
    for url in complained(BufReader::new(request.blobs.open(script)?)) {
        if host(&url).is_some_and(|host| names(&request.source.root, host)) {
            urls.push(url);
        }
    }
    let mut hosts = BTreeSet::new();
    urls.retain(|url| host(url).is_some_and(|host| hosts.insert(host.to_owned())));
    urls.truncate(ASKED);
    if urls.is_empty() {
        return Ok(None);
    }
    let mut sandbox = request.factory.start(&BoxSpec {
        image: request.image,
        limits: request.limits.clone(),
        network: request.live.clone(),
    })?;
    for url in urls {
        // A refusal of the door is no answer of the world. What answers at all, be it with 404, is there.
        let mut command = Command::bash("").with_timeout(Duration::from_mins(2));
        let ask = "head=$(curl -sS -o /dev/null -D - --max-time 60 -- \"$1\") || exit 9; ! grep -qi '^x-seatrial-door:' <<< \"$head\"";
        command.argv = ["/bin/bash", "-c", ask, "ask", &url].map(str::to_owned).to_vec();
        if !sandbox.exec(&command, &mut Vec::new())?.succeeded() {
            return Ok(Some(url));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_complaints_and_of_nothing_else() {
        let log = "Downloading https://dist.example.org/hull-8.5-bin.zip\n\nException in thread \"main\" java.net.UnknownHostException: dist.example.org\n\
            see https://docs.example.org/help.\nfine\nfine\nfine\nfine\nfine\n\
            ERROR: 403 Forbidden (\"https://index.example.org/simple/hull/\")\n";
        assert_eq!(
            complained(log.as_bytes()),
            [
                "https://dist.example.org/hull-8.5-bin.zip",
                "https://index.example.org/simple/hull/"
            ]
        );
        assert_eq!(
            host("https://me:word@index.example.org:8080/simple"),
            Some("index.example.org")
        );
        assert_eq!(host("nothing"), None);
    }
}
