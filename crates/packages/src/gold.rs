//! A set of names with the packages that are right for them, split in two: one half to tune on, one to report.

use std::path::{Path, PathBuf};

use fs_err as fs;
use seatrial_core::Digest;

use crate::{Key, PackagesError};

/// The half that a name falls into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// Rankings and tables may be made with it.
    Seen,
    /// Was unseen at first, and has been looked at since: what was measured on it before stands, nothing new is.
    Revealed,
    /// Only reported.
    Unseen,
}

/// When a row was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Batch {
    /// Before some of the unseen rows were revealed.
    First,
    /// Afterwards.
    Later,
}

/// A name with its accepted answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoldName {
    /// What is asked for.
    pub key: Key,
    /// The packages of which any is right; none when no package should be offered.
    pub accepted: Vec<String>,
    /// Its half.
    pub half: Half,
    /// When it was written.
    pub batch: Batch,
}

/// A set of names, read from a folder that holds `names.toml` and `names.tsv`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoldSet {
    /// The platform that the answers are written for, such as `debian:bookworm/x86_64`.
    pub platform: String,
    /// The seed of the split.
    pub seed: String,
    /// The seed that chose which of the first batch's unseen names are revealed.
    pub revealed: Option<String>,
    /// The names, in the file's order.
    pub names: Vec<GoldName>,
}

impl GoldSet {
    /// Reads the set in a folder.
    pub fn load(folder: &Path) -> Result<Self, PackagesError> {
        let facts_path = folder.join("names.toml");
        let facts = read(&facts_path)?;
        let fact = |wanted: &str| {
            facts
                .lines()
                .find_map(|line| line.strip_prefix(wanted)?.trim().strip_prefix('='))
                .map(|value| value.trim().trim_matches('"').to_owned())
                .ok_or_else(|| wrong(&facts_path, 1, &format!("`{wanted} = ...` is missing")))
        };
        if fact("format")? != "1" {
            return Err(wrong(&facts_path, 1, "its format is not 1"));
        }
        let (platform, seed) = (fact("platform")?, fact("seed")?);
        let revealed = fact("revealed").ok();
        let path = folder.join("names.tsv");
        let mut names: Vec<GoldName> = Vec::new();
        for (number, line) in read(&path)?.lines().enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut fields = line.split('\t');
            let (Some(family), Some(name), Some(accepted), Some(age)) =
                (fields.next(), fields.next(), fields.next(), fields.next())
            else {
                return Err(wrong(&path, number + 1, "it has fewer than four fields"));
            };
            let key: Key = format!("{family}:{name}")
                .parse()
                .map_err(|error: crate::KeyError| wrong(&path, number + 1, &error.to_string()))?;
            if names.iter().any(|known| known.key == key) {
                return Err(wrong(&path, number + 1, "the name is there twice"));
            }
            let batch = match age {
                "before" | "new" => Batch::First,
                "later" => Batch::Later,
                _ => {
                    return Err(wrong(
                        &path,
                        number + 1,
                        "its age is none of `before`, `new` and `later`",
                    ));
                }
            };
            let is_seen = age == "before" || !is_chosen(&seed, family, name);
            let chosen = |seed: &String| batch == Batch::First && is_chosen(seed, family, name);
            let half = if is_seen {
                Half::Seen
            } else if revealed.as_ref().is_some_and(chosen) {
                Half::Revealed
            } else {
                Half::Unseen
            };
            names.push(GoldName {
                key,
                accepted: accepted.split_whitespace().map(str::to_owned).collect(),
                half,
                batch,
            });
        }
        Ok(Self {
            platform,
            seed,
            revealed,
            names,
        })
    }
}

/// Every second name, by the hash of seed and key alone, so that no later row moves an earlier one.
fn is_chosen(seed: &str, family: &str, name: &str) -> bool {
    let digest = Digest::of(format!("{seed}\t{family}\t{name}").as_bytes()).hex();
    // Each hexadecimal digit is even half of the time.
    digest
        .bytes()
        .next()
        .is_some_and(|digit| matches!(digit, b'0' | b'2' | b'4' | b'6' | b'8' | b'a' | b'c' | b'e'))
}

fn read(path: &PathBuf) -> Result<String, PackagesError> {
    Ok(fs::read_to_string(path)?)
}

fn wrong(path: &Path, line: usize, problem: &str) -> PackagesError {
    PackagesError::Gold {
        path: path.to_owned(),
        line,
        problem: problem.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(seeds: &str, rows: &str) -> Result<GoldSet, PackagesError> {
        let folder = tempfile::tempdir().unwrap();
        let facts = format!("format = 1\nplatform = \"debian:bookworm/x86_64\"\n{seeds}");
        fs::write(folder.path().join("names.toml"), facts).unwrap();
        fs::write(folder.path().join("names.tsv"), rows).unwrap();
        GoldSet::load(folder.path())
    }

    #[test]
    fn a_name_stays_in_its_half_whatever_else_is_in_the_file() {
        let write = |rows: &str| load("seed = \"s\"\n", rows);
        let short = write("header\tzlib.h\tzlib1g-dev\tnew\n").unwrap();
        let long = write("# x\nlib\tz\tzlib1g-dev\tbefore\nheader\tzlib.h\tzlib1g-dev\tnew\n").unwrap();
        assert_eq!(short.names[0], long.names[1]);
        assert_eq!(long.names[0].half, Half::Seen);
        for bad in [
            "header\tx\n",
            "nothing\tx\ty\tnew\n",
            "lib\tz\ta\tnew\nlib\tz\tb\tnew\n",
            "lib\tz\ta\told\n",
        ] {
            let error = write(bad).unwrap_err().to_string();
            assert!(error.contains("names.tsv"), "{error}");
        }
    }

    #[test]
    fn a_second_seed_reveals_only_what_was_unseen_in_the_first_batch() {
        use std::fmt::Write as _;

        let mut rows = String::new();
        for number in 0..400 {
            let age = ["before", "new", "later"][number % 3];
            writeln!(rows, "lib\tx{number}\ta\t{age}").unwrap();
        }
        let closed = load("seed = \"s\"\n", &rows).unwrap();
        let open = load("seed = \"s\"\nrevealed = \"t\"\n", &rows).unwrap();
        let mut revealed = 0;
        for (before, after) in closed.names.iter().zip(&open.names) {
            if after.half == Half::Revealed {
                assert_eq!((before.half, before.batch), (Half::Unseen, Batch::First));
                revealed += 1;
            } else {
                assert_eq!(before, after);
            }
        }
        let unseen = |set: &GoldSet, batch| {
            let is_counted = |name: &&GoldName| name.half == Half::Unseen && name.batch == batch;
            set.names.iter().filter(is_counted).count()
        };
        assert_eq!(unseen(&closed, Batch::Later), unseen(&open, Batch::Later));
        assert_eq!(unseen(&closed, Batch::First), unseen(&open, Batch::First) + revealed);
        assert!(revealed > 0 && unseen(&open, Batch::First) > 0);
    }
}
