//! The files that a replay made, and what each of them is worth.

use std::collections::{BTreeSet, HashMap, HashSet};

use seatrial_core::{Arch, Digest};
use seatrial_sandbox::{Change, ChangeKind, Sandbox};

use super::{
    installed::Installed,
    kinds::{Kind, base_name, is_intermediate, is_probe, kind},
    pinned::{PinnedTree, is_binary},
    provenance::{BoxFiles, Inspection, Inspector, Now, Proof},
    replay::Replay,
};
use crate::{SuiteError, running::read_if_there};

/// Bytes of one artifact that are read into memory for inspection.
const ARTIFACT_LIMIT: u64 = 1 << 30;
/// Objects still to be linked that are inspected when no expected name asks for them; the rest count for nothing.
const OBJECT_LIMIT: usize = 50;
/// Bytes of a changed source that are read.
const SOURCE_LIMIT: u64 = 8 << 20;

/// One file that the replay made.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) path: String,
    /// `None` for a file of another kind, which only an expected name makes a candidate.
    pub(super) kind: Option<Kind>,
    pub(super) size: u64,
    pub(super) digest: Digest,
    pub(super) standing: Standing,
}

/// What a candidate is worth.
#[derive(Debug, Clone)]
pub(super) enum Standing {
    /// It counts, with its proof.
    Counted(Proof),
    /// It does not count, for this reason.
    Refused(String),
    /// Nobody looked, because enough others of its kind were looked at.
    NotInspected,
}

impl Candidate {
    pub(super) fn name(&self) -> &str {
        base_name(&self.path)
    }

    /// Whether it is what a project is built for, not a step on the way there.
    pub(super) fn is_product(&self) -> bool {
        self.kind != Some(Kind::Object) || !is_intermediate(self.name())
    }

    pub(super) fn counts(&self) -> bool {
        matches!(self.standing, Standing::Counted(_))
    }

    /// One line on what it is.
    pub(super) fn what(&self, arch: Arch) -> String {
        let kind = self.kind.map_or("file", Kind::as_str);
        match &self.standing {
            Standing::Counted(proof) => {
                let debug = match proof.dwarf {
                    Some(version) => format!("DWARF {version}"),
                    None => "no debug information".to_owned(),
                };
                format!("{kind}, {arch}, {debug}; {}", proof.what)
            }
            Standing::Refused(reason) => format!("{kind}; not counted: {reason}"),
            Standing::NotInspected => format!("{kind}; not inspected"),
        }
    }
}

/// Finds and judges the files that a replay made. Sorted by path.
pub(super) fn collect(
    replay: &mut Replay,
    changes: &[Change],
    expected: &HashSet<&str>,
    arch: Arch,
) -> Result<Vec<Candidate>, SuiteError> {
    let sandbox = replay.sandbox.as_mut();
    let installed = Installed::read(sandbox)?;
    let mut candidates = Vec::new();
    for change in changes {
        let ChangeKind::File { size, digest, head, .. } = &change.kind else {
            continue;
        };
        if is_probe(&change.path) {
            continue;
        }
        let found = kind(head);
        if found.is_none() && !expected.contains(base_name(&change.path)) {
            continue;
        }
        let standing = first_look(
            change,
            *digest,
            found.and_then(|(_, machine)| machine),
            arch,
            &replay.tree,
            &installed,
        );
        // Package files are no candidates at all: a dependency brings thousands of them.
        let Some(standing) = standing else { continue };
        candidates.push(Candidate {
            path: change.path.clone(),
            kind: found.map(|(kind, _)| kind),
            size: *size,
            digest: *digest,
            standing,
        });
    }
    refuse_copies(sandbox, &mut candidates)?;
    inspect(sandbox, &replay.tree, changes, expected, arch, &mut candidates)?;
    Ok(candidates)
}

/// What can be said without reading the file. `None` when a package owns it.
fn first_look(
    change: &Change,
    digest: Digest,
    machine: Option<u16>,
    arch: Arch,
    tree: &PinnedTree,
    installed: &Installed,
) -> Option<Standing> {
    if installed.owns(&change.path) {
        return None;
    }
    Some(if tree.has_content(&digest) {
        Standing::Refused("it was shipped in the source tree".to_owned())
    } else if let Some(machine) = machine.filter(|machine| *machine != arch.elf_machine()) {
        Standing::Refused(format!("it is for another architecture (e_machine {machine})"))
    } else {
        Standing::NotInspected
    })
}

fn refuse_copies(sandbox: &mut dyn Sandbox, candidates: &mut [Candidate]) -> Result<(), SuiteError> {
    let open = |candidate: &Candidate| matches!(candidate.standing, Standing::NotInspected) && candidate.size > 0;
    let sizes: BTreeSet<u64> = candidates
        .iter()
        .filter(|candidate| open(candidate))
        .map(|candidate| candidate.size)
        .collect();
    let twins = Installed::twins(sandbox, &sizes)?;
    for candidate in candidates.iter_mut().filter(|candidate| open(candidate)) {
        if let Some(path) = twins.get(&candidate.digest) {
            candidate.standing = Standing::Refused(format!("it is a copy of {path}, which a package installed"));
        }
    }
    Ok(())
}

fn inspect(
    sandbox: &mut dyn Sandbox,
    tree: &PinnedTree,
    changes: &[Change],
    expected: &HashSet<&str>,
    arch: Arch,
    candidates: &mut [Candidate],
) -> Result<(), SuiteError> {
    let mut live = Live {
        sandbox,
        changed: HashMap::new(),
        error: None,
    };
    for change in changes {
        let now = match &change.kind {
            ChangeKind::File { digest, .. } => Now::Content(*digest),
            ChangeKind::Link { .. } | ChangeKind::Special | ChangeKind::Deleted => Now::Gone,
            ChangeKind::Folder { .. } => continue,
        };
        live.changed.insert(change.path.as_str(), now);
    }
    let mut inspector = Inspector::new(tree);
    let mut known: HashMap<Digest, Inspection> = HashMap::new();
    let mut objects = 0;
    for candidate in candidates.iter_mut() {
        if !matches!(candidate.standing, Standing::NotInspected) {
            continue;
        }
        let wanted = expected.contains(candidate.name());
        if candidate.kind == Some(Kind::Object) && !wanted && is_intermediate(candidate.name()) {
            objects += 1;
            if objects > OBJECT_LIMIT {
                continue;
            }
        }
        if candidate.size > ARTIFACT_LIMIT {
            candidate.standing = Standing::Refused("it is too large to be inspected".to_owned());
            continue;
        }
        let inspection = if let Some(inspection) = known.get(&candidate.digest) {
            inspection.clone()
        } else {
            let Some(bytes) = read_if_there(live.sandbox, &candidate.path, ARTIFACT_LIMIT)? else {
                continue;
            };
            let inspection = match candidate.kind {
                Some(_) => inspector.inspect(&candidate.path, &bytes, &mut live),
                None => text(tree, &bytes),
            };
            if let Some(error) = live.error.take() {
                return Err(error);
            }
            known.insert(candidate.digest, inspection.clone());
            inspection
        };
        if inspection.has_interpreter {
            candidate.kind = Some(Kind::Executable);
        }
        candidate.standing = match (inspection.machine, inspection.proof) {
            (Some(machine), _) if machine != arch.elf_machine() => Standing::Refused(format!(
                "its objects are for another architecture (e_machine {machine})"
            )),
            (_, Ok(proof)) => Standing::Counted(proof),
            (_, Err(problem)) => Standing::Refused(format!("unproven: {problem}")),
        };
    }
    weigh_texts(live.sandbox, candidates)
}

/// Takes texts that installed programs have too out of proofs by texts.
fn weigh_texts(sandbox: &mut dyn Sandbox, candidates: &mut [Candidate]) -> Result<(), SuiteError> {
    let mut texts: BTreeSet<Vec<u8>> = BTreeSet::new();
    for candidate in candidates.iter() {
        if let Standing::Counted(proof) = &candidate.standing {
            texts.extend(proof.texts.iter().take(200).cloned());
        }
    }
    if texts.is_empty() {
        return Ok(());
    }
    let texts: Vec<Vec<u8>> = texts.into_iter().collect();
    let common = Installed::common_texts(sandbox, &texts)?;
    for candidate in candidates {
        if let Standing::Counted(proof) = &candidate.standing
            && !proof.texts.is_empty()
        {
            let own = proof
                .texts
                .iter()
                .take(200)
                .filter(|text| !common.contains(*text))
                .count();
            if own < 3 {
                candidate.standing = Standing::Refused(
                    "unproven: it has no debug information, and its texts are those of installed programs".to_owned(),
                );
            }
        }
    }
    Ok(())
}

/// A file of another kind, such as a script, is proved by the lines that it shares with the source.
fn text(tree: &PinnedTree, bytes: &[u8]) -> Inspection {
    let proof = if is_binary(bytes) {
        Err("it is neither ELF nor text".to_owned())
    } else {
        let (share, lines) = tree.kinship(bytes);
        if share >= 0.5 && lines > 0 {
            Ok(Proof {
                what: format!("{:.0} % of its lines are the source's", share * 100.0),
                dwarf: None,
                texts: Vec::new(),
            })
        } else {
            Err("its lines are not the source's".to_owned())
        }
    };
    Inspection {
        proof,
        has_interpreter: false,
        machine: None,
    }
}

struct Live<'a> {
    sandbox: &'a mut dyn Sandbox,
    changed: HashMap<&'a str, Now>,
    error: Option<SuiteError>,
}

impl BoxFiles for Live<'_> {
    fn now(&self, path: &str) -> Now {
        self.changed.get(path).copied().unwrap_or(Now::Same)
    }

    fn read(&mut self, path: &str) -> Option<Vec<u8>> {
        match read_if_there(self.sandbox, path, SOURCE_LIMIT) {
            Ok(content) => content,
            Err(error) => {
                self.error = Some(error);
                None
            }
        }
    }
}
