//! Signed releases: the root of trust of a suite.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use fs_err as fs;
use seatrial_core::Digest;

use super::{
    apt_sources::SignedBy,
    deb822::{Paragraphs, checksum_rows},
};
use crate::{
    SourceError,
    process::{Program, complaint},
};

/// What a suite's release says, after its signature was verified.
#[derive(Debug, Default)]
pub(super) struct Release {
    /// `Origin`, such as `Debian`.
    pub(super) origin: String,
    /// `Suite`, such as `oldstable`.
    pub(super) suite: String,
    /// `Codename`, such as `bookworm`.
    pub(super) codename: String,
    /// `Valid-Until`, as written.
    pub(super) valid_until: Option<String>,
    /// Whether indexes can be had under their hash.
    pub(super) by_hash: bool,
    /// Whether packages for all architectures are listed in each architecture's index.
    pub(super) all_is_everywhere: bool,
    /// SHA-256 and size of each index, by its path below the suite's folder.
    pub(super) indexes: HashMap<String, (String, u64)>,
    /// Digest of the verified text.
    pub(super) digest: Option<Digest>,
}

/// Reads the verified text of a release.
pub(super) fn parse(text: &str) -> Release {
    let Some(paragraph) = Paragraphs::new(text).next() else {
        return Release::default();
    };
    Release {
        origin: paragraph.text("Origin").to_owned(),
        suite: paragraph.text("Suite").to_owned(),
        codename: paragraph.text("Codename").to_owned(),
        valid_until: paragraph.get("Valid-Until").map(str::to_owned),
        by_hash: paragraph.text("Acquire-By-Hash").eq_ignore_ascii_case("yes"),
        all_is_everywhere: paragraph
            .text("No-Support-for-Architecture-all")
            .split_whitespace()
            .any(|word| word == "Packages")
            || !paragraph
                .text("Architectures")
                .split_whitespace()
                .any(|word| word == "all"),
        indexes: checksum_rows(paragraph.text("SHA256"))
            .map(|(hash, size, path)| (path.to_owned(), (hash.to_ascii_lowercase(), size)))
            .collect(),
        digest: Some(Digest::of(text.as_bytes())),
    }
}

/// Where a distribution's keys are on a machine that has its keyring package.
pub(super) fn default_keyrings(distribution: &str) -> Vec<PathBuf> {
    vec![
        PathBuf::from(format!("/usr/share/keyrings/{distribution}-archive-keyring.gpg")),
        PathBuf::from(format!("/usr/share/keyrings/{distribution}-archive-keyring.pgp")),
    ]
}

/// Verifies a clear-signed release and returns the text that is covered by the signature, and only that.
///
/// `root` is where the paths of key files start: this machine, or an image.
pub(super) fn verify(
    signed: &Path,
    shown: &str,
    signed_by: &SignedBy,
    distribution: &str,
    root: &Path,
) -> Result<String, SourceError> {
    let folder = tempfile::tempdir()?;
    let refuse = |problem: String| SourceError::Verify {
        what: shown.to_owned(),
        problem,
    };
    let keys: Vec<Vec<u8>> = match signed_by {
        SignedBy::Inline(text) => vec![text.clone().into_bytes()],
        SignedBy::Files(files) => files
            .iter()
            .map(|file| {
                let below = root.join(file.strip_prefix("/").unwrap_or(file));
                Ok(fs::read(if below.is_file() { &below } else { file })?)
            })
            .collect::<Result<_, SourceError>>()?,
        SignedBy::Default | SignedBy::Fingerprints(_) => {
            let there = default_keyrings(distribution).into_iter().find(|path| path.is_file());
            match there {
                Some(path) => vec![fs::read(path)?],
                None => {
                    return Err(SourceError::NoProgram {
                        program: format!("{distribution}-archive-keyring"),
                        install: format!("apt-get install {distribution}-archive-keyring"),
                    });
                }
            }
        }
    };
    let mut command = Program::new("gpgv", "apt-get install gpgv", folder.path())
        .env("GNUPGHOME", folder.path())
        .args(["--status-fd", "1", "--output", "text"]);
    for (number, key) in keys.into_iter().enumerate() {
        let file = folder.path().join(format!("key-{number}.gpg"));
        let key = if key.windows(10).any(|window| window == b"-----BEGIN") {
            dearmor(&String::from_utf8_lossy(&key)).ok_or_else(|| refuse("its key cannot be read".to_owned()))?
        } else {
            key
        };
        fs::write(&file, key)?;
        command = command.arg("--keyring").arg(file);
    }
    let output = command.arg(signed).output()?;
    let status = String::from_utf8_lossy(&output.stdout);
    judge(&status, signed_by).map_err(|problem| {
        refuse(format!(
            "{problem}; {}",
            complaint(&output).trim_start_matches("gpgv: ")
        ))
    })?;
    let text = fs::read(folder.path().join("text")).map_err(|_| refuse("nothing in it is signed".to_owned()))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// One good signature by a known key is enough, because an archive signs with several keys and an older keyring does
/// not have the newest; but no signature may be wrong.
fn judge(status: &str, signed_by: &SignedBy) -> Result<(), String> {
    let mut good = false;
    let mut valid = Vec::new();
    let mut missing = Vec::new();
    for line in status.lines() {
        let mut words = line.trim_start_matches("[GNUPG:] ").split_whitespace();
        match words.next() {
            Some("GOODSIG") => good = true,
            Some("VALIDSIG") => {
                let fingerprint = words.next().unwrap_or_default().to_owned();
                let primary = words.next_back().unwrap_or_default().to_owned();
                valid.extend([fingerprint, primary]);
            }
            Some("BADSIG") => return Err("its signature is wrong".to_owned()),
            Some("NO_PUBKEY") => missing.push(words.next().unwrap_or_default()),
            Some("EXPKEYSIG") => missing.push("(an expired key)"),
            Some("REVKEYSIG") => return Err("it is signed with a revoked key".to_owned()),
            _ => {}
        }
    }
    if !good || valid.is_empty() {
        return Err(if missing.is_empty() {
            "it has no signature".to_owned()
        } else {
            format!("it is signed only by unknown keys: {}", missing.join(", "))
        });
    }
    if let SignedBy::Fingerprints(wanted) = signed_by
        && !valid.iter().any(|key| wanted.contains(key))
    {
        return Err("it is not signed by a key that the configuration names".to_owned());
    }
    Ok(())
}

/// Turns armored keys into the binary form, which is all that `gpgv` reads. Checksums are left to `gpgv`'s own reading.
fn dearmor(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut in_block = false;
    let mut in_body = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("-----BEGIN PGP PUBLIC KEY") {
            (in_block, in_body) = (true, false);
        } else if line.starts_with("-----END") {
            in_block = false;
        } else if in_block && !in_body {
            // Header lines end with an empty one; some writers leave both out.
            if line.is_empty() || !line.contains(": ") {
                in_body = true;
                bytes.extend(base64(line)?);
            }
        } else if in_block && !line.starts_with('=') {
            bytes.extend(base64(line)?);
        }
    }
    (!bytes.is_empty()).then_some(bytes)
}

/// Decodes one line of base64; lines of armor hold whole groups.
fn base64(line: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(line.len());
    let (mut bits, mut count) = (0_u32, 0);
    for byte in line.bytes().filter(|byte| *byte != b'=') {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    Some(bytes)
}

/// Reads `Sat, 05 Dec 2026 02:53:00 UTC` as seconds since the Unix epoch.
pub(super) fn parse_date(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let mut words = text.split_whitespace().skip(1);
    let day: u32 = words.next()?.parse().ok()?;
    let month = words.next()?;
    let month = MONTHS.iter().position(|name| *name == month)? as u32 + 1;
    let year: i64 = words.next()?.parse().ok()?;
    let mut clock = words.next()?.split(':').map(str::parse::<u32>);
    let mut next = || clock.next()?.ok();
    let second = next()? * 3600 + next()? * 60 + next()?;
    Some(crate::tree::Modified::from_civil(year, month, day, second).seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_base64_are_read() {
        assert_eq!(parse_date("Thu, 01 Jan 1970 00:01:00 UTC"), Some(60));
        assert_eq!(parse_date("Sat, 05 Dec 2026 02:53:00 UTC"), Some(1_796_439_180));
        assert_eq!(parse_date("soon"), None);
        assert_eq!(base64("aGVsbG8="), Some(b"hello".to_vec()));
        assert_eq!(base64("a b"), None);
    }

    #[test]
    fn one_good_signature_is_enough_and_one_wrong_is_too_many() {
        let default = SignedBy::Default;
        let good = "[GNUPG:] GOODSIG 1 x\n[GNUPG:] VALIDSIG AB 2026 1 0 4 0 1 8 01 CD\n";
        assert_eq!(judge(good, &default), Ok(()));
        assert_eq!(judge(&format!("{good}[GNUPG:] NO_PUBKEY 2\n"), &default), Ok(()));
        assert!(judge(&format!("{good}[GNUPG:] BADSIG 2 x\n"), &default).is_err());
        assert!(judge("", &default).is_err());
        assert!(judge("[GNUPG:] EXPKEYSIG 1 x\n[GNUPG:] VALIDSIG AB 2026\n", &default).is_err());
        let named = |key: &str| SignedBy::Fingerprints(vec![key.to_owned()]);
        assert_eq!(judge(good, &named("CD")), Ok(()));
        assert!(judge(good, &named("EF")).is_err());
    }
}
