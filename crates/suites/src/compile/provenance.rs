//! Whether an ELF file or archive came from the pinned source, and by which proof.
//!
//! In this order: the units of its debug information, its file symbols, its texts. A later proof is asked for only when
//! the file has nothing of the earlier kind, so a stub cannot hide a telling unit behind a lucky text.

use std::collections::{HashMap, HashSet};

use object::read::archive::ArchiveFile;
use seatrial_core::{BOX_SOURCE, Digest};

use super::{
    debug_info::{Origin, UnitName, clean, origin},
    kinds::{base_name, is_elf},
    pinned::{PinnedTree, printable_runs},
};

/// Members of an archive that are looked at before it counts as unproven.
const MEMBER_LIMIT: usize = 200;
/// Share of a changed or generated source's lines that must come from the tree.
const KINSHIP: f64 = 0.5;
/// Telling lines below which a share means nothing.
const KINSHIP_LINES: usize = 4;
/// Distinct texts of the tree that a stripped program must have.
const LITERALS: usize = 3;

/// Why a file counts as made from the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Proof {
    /// One line for a person.
    pub(super) what: String,
    /// The highest DWARF version, when there is debug information.
    pub(super) dwarf: Option<u16>,
    /// Texts that must still be looked for in installed programs before the proof holds.
    pub(super) texts: Vec<Vec<u8>>,
}

/// What an inspection found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Inspection {
    /// The proof, or why there is none.
    pub(super) proof: Result<Proof, String>,
    /// Whether an ELF file is a program although its type is that of a shared object.
    pub(super) has_interpreter: bool,
    /// `e_machine` of an archive's first object.
    pub(super) machine: Option<u16>,
}

/// What the inspector may ask about the box.
pub(super) trait BoxFiles {
    /// What became of a file since the pristine state.
    fn now(&self, path: &str) -> Now;
    /// The content of a file that is new or changed; `None` when it cannot be had.
    fn read(&mut self, path: &str) -> Option<Vec<u8>>;
}

/// What became of a file since the pristine state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Now {
    /// Nothing, or it was never there.
    Same,
    /// It is new or changed.
    Content(Digest),
    /// It was deleted or is no file any more.
    Gone,
}

/// Inspects files one after the other, remembering what sources turned out to be.
pub(super) struct Inspector<'a> {
    tree: &'a PinnedTree,
    derived: HashMap<String, Option<f64>>,
}

impl<'a> Inspector<'a> {
    pub(super) fn new(tree: &'a PinnedTree) -> Self {
        Self {
            tree,
            derived: HashMap::new(),
        }
    }

    /// Inspects one file.
    pub(super) fn inspect(&mut self, path: &str, bytes: &[u8], files: &mut dyn BoxFiles) -> Inspection {
        if bytes.starts_with(b"!<") {
            return self.archive(path, bytes, files);
        }
        let Some(origin) = origin(bytes) else {
            return Inspection {
                proof: Err("it is no readable ELF file".to_owned()),
                has_interpreter: false,
                machine: None,
            };
        };
        Inspection {
            proof: self.elf(&origin, bytes, files),
            has_interpreter: origin.has_interpreter,
            machine: None,
        }
    }

    fn archive(&mut self, path: &str, bytes: &[u8], files: &mut dyn BoxFiles) -> Inspection {
        let mut inspection = Inspection {
            proof: Err("it holds no object".to_owned()),
            has_interpreter: false,
            machine: None,
        };
        let Ok(archive) = ArchiveFile::parse(bytes) else {
            inspection.proof = Err("it is no readable archive".to_owned());
            return inspection;
        };
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for member in archive.members().take(MEMBER_LIMIT) {
            let Ok(member) = member else { break };
            let name = String::from_utf8_lossy(member.name()).into_owned();
            let beside;
            let data = if archive.is_thin() {
                beside = files.read(&clean(&format!("{folder}/{name}")));
                beside.as_deref()
            } else {
                member.data(bytes).ok()
            };
            let Some(data) = data.filter(|data| is_elf(data)) else {
                continue;
            };
            inspection.machine = inspection
                .machine
                .or_else(|| super::kinds::kind(data).and_then(|(_, machine)| machine));
            let proof = match origin(data) {
                Some(origin) => self.elf(&origin, data, files),
                None => Err("it is no readable ELF file".to_owned()),
            };
            inspection.proof = proof
                .map(|proof| Proof {
                    what: format!("member {name}: {}", proof.what),
                    ..proof
                })
                .map_err(|problem| format!("member {name}: {problem}"));
            if inspection.proof.is_ok() {
                break;
            }
        }
        inspection
    }

    fn elf(&mut self, origin: &Origin, bytes: &[u8], files: &mut dyn BoxFiles) -> Result<Proof, String> {
        let proof = |what: String| {
            Ok(Proof {
                what,
                dwarf: origin.dwarf,
                texts: Vec::new(),
            })
        };
        for unit in &origin.units {
            if let Some(what) = self.unit(unit, files) {
                return proof(what);
            }
        }
        if let Some(unit) = origin.units.iter().find(|unit| !is_runtime(unit)) {
            return Err(format!(
                "its debug information names {}, which is no file of the source",
                unit.name
            ));
        }
        let named: Vec<&String> = origin.files.iter().filter(|file| !is_runtime_file(file)).collect();
        if let Some(first) = named.first() {
            return match self.symbols(&named, &origin.functions) {
                Some(what) => proof(what),
                None => Err(format!(
                    "its symbols name {first}, which is not recognised in the source"
                )),
            };
        }
        let literals = self.tree.literals();
        let texts: HashSet<&[u8]> = printable_runs(bytes).filter(|run| literals.contains(*run)).collect();
        if texts.len() < LITERALS {
            return Err(format!(
                "it has no debug information and no symbols, and {} of its texts are in the source",
                texts.len()
            ));
        }
        let mut texts: Vec<Vec<u8>> = texts.into_iter().map(<[u8]>::to_vec).collect();
        texts.sort();
        Ok(Proof {
            what: format!("{} texts of the source", texts.len()),
            dwarf: origin.dwarf,
            texts,
        })
    }

    /// Whether a unit's source is a file of the pinned tree, or one that was made from it.
    fn unit(&mut self, unit: &UnitName, files: &mut dyn BoxFiles) -> Option<String> {
        for path in unit.paths() {
            let absolute = if path.starts_with('/') {
                path
            } else {
                format!("{BOX_SOURCE}/{path}")
            };
            let relative = absolute
                .strip_prefix(BOX_SOURCE)
                .and_then(|rest| rest.strip_prefix('/'));
            match files.now(&absolute) {
                Now::Gone => {}
                Now::Same => {
                    if let Some(relative) = relative
                        && self.tree.digest(relative).is_some()
                    {
                        return Some(format!("debug information of {relative}"));
                    }
                }
                Now::Content(digest) if self.tree.has_content(&digest) => {
                    return Some(format!("debug information of a copy of {}", base_name(&absolute)));
                }
                Now::Content(_) => {
                    if let Some(share) = self.kinship(&absolute, files) {
                        return Some(format!(
                            "debug information of {absolute}, {:.0} % of whose lines are the source's",
                            share * 100.0
                        ));
                    }
                }
            }
        }
        None
    }

    /// How much of a changed or generated source comes from the tree, when it is enough.
    fn kinship(&mut self, path: &str, files: &mut dyn BoxFiles) -> Option<f64> {
        if let Some(known) = self.derived.get(path) {
            return *known;
        }
        let share = files.read(path).and_then(|text| {
            let (share, lines) = self.tree.kinship(&text);
            (share >= KINSHIP && lines >= KINSHIP_LINES).then_some(share)
        });
        self.derived.insert(path.to_owned(), share);
        share
    }

    /// Whether file symbols name sources of the tree that define the functions that the file has.
    fn symbols(&self, named: &[&String], functions: &[String]) -> Option<String> {
        let sources: Vec<&String> = named.iter().flat_map(|name| self.tree.named(base_name(name))).collect();
        let first = sources.first()?;
        let own: Vec<&String> = functions.iter().filter(|name| !is_runtime_function(name)).collect();
        if own.is_empty() {
            // A program of `main` alone says too little about where it came from.
            return None;
        }
        let mut words = HashSet::new();
        for source in sources.iter().take(200) {
            let content = self.tree.content(source);
            words.extend(identifiers(&content).map(<[u8]>::to_vec));
        }
        let known = own
            .iter()
            .filter(|name| parts(name).any(|part| words.contains(part.as_bytes())))
            .count();
        (known * 2 >= own.len()).then(|| format!("symbols of {first} and {known} of its functions"))
    }
}

/// The identifiers of a C-like text.
fn identifiers(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
        .filter(|word| word.len() > 2)
}

/// A symbol's own name and, when it is mangled, the names in it (Itanium C++ ABI: length, then name).
fn parts(symbol: &str) -> impl Iterator<Item = &str> {
    let plain = symbol.split('.').next().unwrap_or(symbol);
    let mut rest = plain.strip_prefix("_Z").unwrap_or("");
    std::iter::once(plain).chain(std::iter::from_fn(move || {
        loop {
            let start = rest.find(|c: char| c.is_ascii_digit())?;
            rest = rest.get(start..)?;
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let length: usize = rest.get(..end)?.parse().ok()?;
            rest = rest.get(end..)?;
            if let Some(name) = rest.get(..length)
                && length > 2
            {
                rest = rest.get(length..)?;
                return Some(name);
            }
        }
    }))
}

fn is_runtime_function(name: &str) -> bool {
    const NAMES: [&str; 14] = [
        "_start",
        "_init",
        "_fini",
        "main",
        "deregister_tm_clones",
        "register_tm_clones",
        "frame_dummy",
        "__do_global_dtors_aux",
        "__libc_csu_init",
        "__libc_csu_fini",
        "_dl_relocate_static_pie",
        "atexit",
        "__stat",
        "__libc_start_main",
    ];
    NAMES.contains(&name) || name.starts_with("__x86.get_pc_thunk") || name.starts_with("_GLOBAL__sub")
}

/// Files of the C runtime that every program is linked with.
fn is_runtime_file(name: &str) -> bool {
    name.is_empty()
        || matches!(
            base_name(name),
            "crtstuff.c"
                | "crt1.o"
                | "Scrt1.o"
                | "gcrt1.o"
                | "crti.o"
                | "crtn.o"
                | "init.c"
                | "static-reloc.c"
                | "abi-note.c"
                | "elf-init.c"
                | "start.S"
                | "crti.S"
                | "crtn.S"
        )
}

fn is_runtime(unit: &UnitName) -> bool {
    unit.folder.contains("/csu")
        || unit.name.contains("sysdeps/")
        || unit.name.contains("libgcc")
        || is_runtime_file(&unit.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mangled_names_show_their_parts() {
        assert_eq!(
            parts("_ZN4hull4Keel6lengthEv").skip(1).collect::<Vec<_>>(),
            ["hull", "Keel", "length"]
        );
        assert_eq!(parts("keel_length.part.0").collect::<Vec<_>>(), ["keel_length"]);
        assert_eq!(parts("_Z99999999999999999999999x").count(), 1);
    }
}
