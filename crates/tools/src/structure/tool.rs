//! The structure of one file or of a whole tree.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    num::NonZero,
    sync::{Mutex, PoisonError, mpsc::sync_channel},
    thread,
};

use serde_json::{Value, json};

use super::{
    Structure,
    extract::{Extractor, LARGEST},
};
use crate::{
    Answer, Caching, Effect, Tool, ToolDescription, ToolFailure, World,
    files::{Kind, Look, SIDE, Seen, content, known},
    place::{place, shown},
    text::{counted, visible},
    toolbox::{Arguments as _, describe},
};

pub(crate) struct StructureTool(ToolDescription);

impl StructureTool {
    pub(crate) fn new() -> Self {
        Self(describe(
            "structure",
            "Shows what source files define, with kind, name and lines: functions, types, classes, macros, targets, \
             sections. Knows C, C++, Python, Java, Kotlin, Go, JavaScript, TypeScript, Rust, shell, CMake and spec files.",
            "Files over 2 MiB are left out; at most 500 definitions unless more are asked for.",
            Effect::READS,
            Caching::WhileFilesStay,
            json!({
                "path": {"type": "string", "description": "File or folder; the root folder when left out."},
                "name": {"type": "string", "description": "Only definitions whose name contains this."},
                "kind": {"type": "string", "description": "Only definitions of this kind, for instance `function`."},
                "glob": {"type": "string", "description": "Only files of such names."},
                "most": {"type": "integer", "minimum": 1, "maximum": 20000, "description": "How many are shown at most."},
            }),
            &[],
        ))
    }
}

impl Tool for StructureTool {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, arguments: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let path = place(world.root, arguments.text("path").unwrap_or("."))?;
        let kind = known(&path, world)?.map(|known| known.kind);
        let (found, cut) = if let Some(Kind::Folder | Kind::Link) = kind {
            tree(&path, arguments.text("glob"), world)?
        } else {
            let (bytes, _) = content(&path, world)?;
            let structure = super::structure(&path, &bytes).ok_or_else(|| {
                ToolFailure::Told(format!(
                    "`{}` is of no language that is known here, or too large; `read` shows it",
                    visible(shown(world.root, &path))
                ))
            })?;
            (BTreeMap::from([(path.clone(), structure)]), false)
        };
        Ok(tell(&found, cut, arguments, world.root))
    }
}

/// The structure of all files below a folder, parsed by as many threads as there are processors.
fn tree(
    folder: &str,
    glob: Option<&str>,
    world: &mut World<'_>,
) -> Result<(BTreeMap<String, Structure>, bool), ToolFailure> {
    let look = Look {
        folder,
        depth: 100,
        prune: &SIDE,
        glob,
        largest: LARGEST as u64,
    };
    let workers = thread::available_parallelism().map_or(1, NonZero::get).min(8);
    let found = Mutex::new(BTreeMap::new());
    let (sender, receiver) = sync_channel::<(String, Vec<u8>)>(256);
    let receiver = Mutex::new(receiver);
    let looked = thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let mut extractor = Extractor::default();
                loop {
                    let next = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok((path, bytes)) = next else { return };
                    if let Some(structure) = extractor.structure(&path, &bytes) {
                        found
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .insert(path, structure);
                    }
                }
            });
        }
        let sender = sender;
        let looked = look.files(world, &mut |seen: Seen<'_>| {
            sender.send((seen.path.to_owned(), seen.bytes.to_vec())).is_ok()
        });
        drop(sender);
        looked
    });
    let (_, cut) = looked?;
    Ok((found.into_inner().unwrap_or_else(PoisonError::into_inner), cut))
}

fn tell(found: &BTreeMap<String, Structure>, cut: bool, arguments: &Value, root: &str) -> Answer {
    let most = arguments.number("most").unwrap_or(500) as usize;
    let name = arguments.text("name").map(str::to_lowercase);
    let kind = arguments.text("kind");
    let mut text = String::new();
    let (mut shown_count, mut all, mut languages) = (0, 0, BTreeMap::<&str, usize>::new());
    for (path, structure) in found {
        *languages.entry(&structure.language).or_insert(0) += 1;
        let fits: Vec<_> = structure
            .definitions
            .iter()
            .filter(|one| kind.is_none_or(|kind| one.kind == kind))
            .filter(|one| name.as_ref().is_none_or(|name| one.name.to_lowercase().contains(name)))
            .collect();
        all += fits.len();
        let room = most.saturating_sub(shown_count);
        if fits.is_empty() || room == 0 {
            continue;
        }
        let _ = writeln!(
            text,
            "{} ({}{})",
            visible(shown(root, path)),
            structure.language,
            if structure.partial {
                ", with parts that cannot be read"
            } else {
                ""
            }
        );
        for one in fits.iter().take(room) {
            shown_count += 1;
            let indent = "  ".repeat(one.depth + 1);
            let _ = writeln!(
                text,
                "{indent}{}-{} {} {}",
                one.from,
                one.to,
                one.kind,
                visible(&one.name)
            );
        }
    }
    let languages: Vec<String> = languages
        .iter()
        .map(|(language, count)| format!("{language} {count}"))
        .collect();
    let mut notes = vec![format!(
        "{} in {}",
        counted(all as u64, "definition"),
        counted(found.len() as u64, "source file")
    )];
    if !languages.is_empty() {
        notes.push(languages.join(", "));
    }
    if all > shown_count {
        notes.push(format!(
            "{} are not shown: narrow it by `path`, `name` or `kind`, or set `most`",
            all - shown_count
        ));
    }
    if cut {
        notes.push("looking was ended before all was seen".to_owned());
    }
    let _ = write!(text, "[{}]", notes.join("; "));
    Answer::text(text).with_data(json!({"definitions": all, "files": found.len()}))
}
