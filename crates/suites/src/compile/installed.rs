//! What the distribution's package manager put into the box: its files are nobody's build.

use std::collections::{BTreeSet, HashMap, HashSet};

use seatrial_core::Digest;
use seatrial_sandbox::Sandbox;

use super::debug_info::clean;
use crate::{SuiteError, running::helper};

/// Installed files that are compared with candidates of the same size.
const TWIN_LIMIT: usize = 4000;
/// Bytes of an installed file that is compared.
const TWIN_SIZE: u64 = 1 << 30;
/// Where texts lie while they are looked for.
const PATTERNS: &str = "/tmp/.seatrial-texts";

/// The files that packages own.
#[derive(Debug, Default)]
pub(super) struct Installed {
    owned: HashSet<String>,
}

impl Installed {
    /// Reads the package manager's lists.
    pub(super) fn read(sandbox: &mut dyn Sandbox) -> Result<Self, SuiteError> {
        let lists = helper(
            sandbox,
            "listing the files of packages",
            "cat /var/lib/dpkg/info/*.list 2>/dev/null; cat /var/lib/dpkg/diversions 2>/dev/null; true",
        )?;
        Ok(Self::parse(&String::from_utf8_lossy(&lists)))
    }

    fn parse(lists: &str) -> Self {
        // Lists and diversions both hold one path a line; a diversion's third line is a package's name, which is no path.
        let owned = lists
            .lines()
            .filter(|line| line.starts_with('/'))
            .map(without_merge)
            .collect();
        Self { owned }
    }

    /// Whether a package owns a path, also when it knows it by its name before `/usr` was merged.
    pub(super) fn owns(&self, path: &str) -> bool {
        self.owned.contains(&without_merge(path))
    }

    /// The content digests of owned files that are as large as one of the candidates.
    pub(super) fn twins(
        sandbox: &mut dyn Sandbox,
        sizes: &BTreeSet<u64>,
    ) -> Result<HashMap<Digest, String>, SuiteError> {
        let mut twins = HashMap::new();
        if sizes.is_empty() {
            return Ok(twins);
        }
        let listing = helper(
            sandbox,
            "measuring the files of packages",
            "cat /var/lib/dpkg/info/*.list | sort -u | xargs -d '\\n' stat -c '%F|%s|%n' 2>/dev/null; true",
        )?;
        let listing = String::from_utf8_lossy(&listing);
        let mut same = listing.lines().filter_map(|line| {
            let (size, path) = line.strip_prefix("regular file|")?.split_once('|')?;
            let size: u64 = size.parse().ok()?;
            (size <= TWIN_SIZE && sizes.contains(&size)).then_some(path)
        });
        for path in same.by_ref().take(TWIN_LIMIT) {
            if let Some(bytes) = crate::running::read_if_there(sandbox, path, TWIN_SIZE)? {
                twins.insert(Digest::of(&bytes), path.to_owned());
            }
        }
        Ok(twins)
    }

    /// Which of the texts are in programs and libraries of packages: those prove nothing.
    pub(super) fn common_texts(sandbox: &mut dyn Sandbox, texts: &[Vec<u8>]) -> Result<HashSet<Vec<u8>>, SuiteError> {
        if texts.is_empty() {
            return Ok(HashSet::new());
        }
        let mut file = texts.join(&b'\n');
        file.push(b'\n');
        helper(
            sandbox,
            "making room for texts",
            &format!("mkdir -p /tmp && rm -rf {PATTERNS}"),
        )?;
        sandbox.write_file(PATTERNS, &file, 0o600)?;
        let found = helper(
            sandbox,
            "comparing texts with those of packages",
            &format!(
                "cat /var/lib/dpkg/info/*.list | grep -E '^(/usr)?/(bin|sbin|lib|libexec|games)/' | sort -u |\n\
                 while IFS= read -r f; do [ -f \"$f\" ] && [ ! -L \"$f\" ] && printf '%s\\0' \"$f\"; done |\n\
                 LC_ALL=C xargs -0 grep -aohFf {PATTERNS} -- 2>/dev/null | LC_ALL=C sort -u; rm -f {PATTERNS}; true"
            ),
        )?;
        let found: HashSet<&[u8]> = found.split(|byte| *byte == b'\n').collect();
        // `grep -o` prints the longest match, so a text inside a longer one of the list is looked for there.
        Ok(texts
            .iter()
            .filter(|text| {
                found.iter().any(|line| {
                    line.len() >= text.len() && line.windows(text.len()).any(|part| part == text.as_slice())
                })
            })
            .cloned()
            .collect())
    }
}

/// One name for `/lib/x` and `/usr/lib/x`, which are one file where `/usr` is merged.
fn without_merge(path: &str) -> String {
    let path = clean(path);
    match path.strip_prefix("/usr") {
        Some(rest)
            if ["/bin/", "/sbin/", "/lib/", "/lib32/", "/lib64/", "/libx32/"]
                .iter()
                .any(|start| rest.starts_with(start)) =>
        {
            rest.to_owned()
        }
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_folders_and_diversions_are_seen_through() {
        let installed =
            Installed::parse("/.\n/lib/x/libhull.so.1\n/usr/bin/keel\n/usr/bin/mast\n/usr/bin/mast.distrib\nhull\n");
        for owned in [
            "/usr/lib/x/libhull.so.1",
            "/lib/x/libhull.so.1",
            "/bin/keel",
            "/usr/bin/mast.distrib",
        ] {
            assert!(installed.owns(owned), "{owned}");
        }
        for free in ["/usr/local/bin/keel", "/build/out/keel", "hull"] {
            assert!(!installed.owns(free), "{free}");
        }
    }
}
