//! The catalogue of porting faults. It is data, in the corpus's own folder.

use std::path::Path;

use fs_err as fs;
use regex::Regex;
use seatrial_core::Arch;
use seatrial_diagnosis::Class;
use serde::Deserialize;

use super::CrossError;

/// All faults.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Faults {
    /// In the order of their names.
    #[serde(default)]
    pub fault: Vec<Fault>,
}

/// A mistake that porters meet.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Its name.
    pub name: String,
    /// What kind of mistake it is, in words.
    pub kind: String,
    /// The class of its failure, where the log's diagnosis names none.
    pub class: Class,
    /// Why it builds on the one and not on the other.
    pub reason: String,
    /// Where it builds, and where it does not.
    pub pairs: Vec<Pair>,
    /// What the failing log must show: otherwise something else failed.
    pub witness: String,
    /// How it is planted.
    pub step: Vec<Step>,
}

/// A direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// Where a package builds.
    pub works: Arch,
    /// Where it fails.
    pub fails: Arch,
}

/// One edit of a package. Its repair is the same edit with other text.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "place", rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// Text at the end of the C file that has the program's `main`.
    Program {
        /// What is planted.
        planted: String,
        /// What a porter would write.
        repaired: String,
    },
    /// Text at the end of the C file that has a symbol of the package's list of symbols.
    Library {
        /// What is planted.
        planted: String,
        /// What a porter would write.
        repaired: String,
    },
    /// A new file.
    File {
        /// Its path.
        path: String,
        /// What is planted.
        planted: String,
        /// What a porter would write.
        repaired: String,
    },
    /// Text at the end of a `debian/rules` that leaves the work to `dh`. It may not say again what is there.
    Rules {
        /// What is planted.
        planted: String,
        /// What a porter would write; nothing else when left out.
        #[serde(default)]
        repaired: Option<String>,
    },
    /// A line at the end of a file.
    Append {
        /// The file: a path with at most one `*`, or `**/NAME` for the first of that name.
        file: String,
        /// What is planted.
        planted: String,
        /// What a porter would write; nothing else when left out.
        #[serde(default)]
        repaired: Option<String>,
    },
    /// Text of a file that is replaced. The repair is the file as it was.
    Edit {
        /// The file, as with `append`.
        file: String,
        /// A regular expression for what is replaced.
        find: String,
        /// What comes in its place.
        put: String,
        /// Every place, and not the first alone.
        #[serde(default)]
        all: bool,
    },
}

impl Faults {
    /// Reads all files of a folder that end in `.toml`, and checks them.
    pub fn load(folder: &Path) -> Result<Self, CrossError> {
        let mut paths = Vec::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|ending| ending == "toml") {
                paths.push(path);
            }
        }
        paths.sort();
        let mut all = Self::default();
        for path in paths {
            let wrong = |problem: String| CrossError::Catalogue {
                path: path.clone(),
                problem,
            };
            let part: Self = toml::from_str(&fs::read_to_string(&path)?)
                .map_err(|error| wrong(error.to_string().trim().to_owned()))?;
            for fault in part.fault {
                if let Err(problem) = fault.check() {
                    return Err(wrong(format!("fault `{}`: {problem}", fault.name)));
                }
                if all.fault.iter().any(|known| known.name == fault.name) {
                    return Err(wrong(format!("two faults are called `{}`", fault.name)));
                }
                all.fault.push(fault);
            }
        }
        all.fault.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(all)
    }
}

impl Fault {
    fn check(&self) -> Result<(), String> {
        Regex::new(&self.witness).map_err(|error| format!("key `witness`: {error}"))?;
        if self.pairs.is_empty() || self.step.is_empty() {
            return Err("it needs at least one pair and one step".to_owned());
        }
        if let Some(pair) = self.pairs.iter().find(|pair| pair.works == pair.fails) {
            return Err(format!("it works and fails on {}", pair.works));
        }
        for step in &self.step {
            if let Step::Edit { find, .. } = step {
                Regex::new(find).map_err(|error| format!("key `find`: {error}"))?;
            }
        }
        Ok(())
    }

    /// Whether a log, or the reason of an exclusion, shows this fault.
    pub fn is_seen_in(&self, text: &str) -> bool {
        Regex::new(&self.witness).is_ok_and(|witness| witness.is_match(text))
    }
}
