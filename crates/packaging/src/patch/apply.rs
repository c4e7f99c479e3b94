//! Applies a diff to files in memory: all of it or nothing.

use std::collections::BTreeMap;

use super::{
    Fitting,
    parse::{FilePatch, Hunk, LineKind, Reading, parse},
    site::{Leniency, Lines, NoSite, Site, find},
};

/// Where the files are that a patch is for.
pub trait PatchFiles {
    /// What went wrong with the place itself.
    type Error;

    /// A file's content; none when there is no such file.
    fn content(&mut self, path: &str) -> Result<Option<Vec<u8>>, Self::Error>;
}

/// What a patch makes of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchedFile {
    /// The path afterwards, or that of the file that is gone.
    pub path: String,
    /// What happens to it.
    pub change: PatchChange,
    /// Permission bits that the patch sets.
    pub mode: Option<u32>,
    /// What had to be overlooked, one line each; empty when the patch fits to the letter.
    pub notes: Vec<String>,
    /// Hunks.
    pub hunks: usize,
}

/// What happens to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchChange {
    /// It gets a content.
    Modify(Vec<u8>),
    /// It is made.
    Create(Vec<u8>),
    /// It goes.
    Delete,
    /// It goes from another path to this one, with this content.
    Rename(String, Vec<u8>),
}

/// Why a patch was not applied.
#[derive(Debug, thiserror::Error)]
pub enum PatchError<E> {
    /// It is no diff, or does not fit. The text says where and what is there instead.
    #[error("{0}")]
    Told(String),
    /// The place of the files broke.
    #[error("the files cannot be read")]
    Files(E),
}

/// Works out what a patch makes of files. Nothing is written: whoever calls does that, when all of it fits.
///
/// A lenient reading overlooks what models get wrong (counts, line numbers, blanks, up to two lines of context), says so for
/// each hunk, and never takes one of several places at random.
pub fn patch_files<F: PatchFiles>(
    patch: &str,
    files: &mut F,
    fitting: Fitting,
) -> Result<Vec<PatchedFile>, PatchError<F::Error>> {
    let reading = match fitting {
        Fitting::LikePatch => Reading::Program,
        Fitting::Lenient | Fitting::Strict => Reading::Person,
    };
    let parsed = parse(patch, reading).map_err(PatchError::Told)?;
    let mut work = Work {
        files,
        fitting,
        now: BTreeMap::new(),
        patched: Vec::new(),
        problems: Vec::new(),
    };
    for file in &parsed {
        work.file(file)?;
    }
    if work.problems.is_empty() {
        Ok(work.patched)
    } else {
        Err(PatchError::Told(work.problems.join("\n")))
    }
}

struct Work<'a, F: PatchFiles> {
    files: &'a mut F,
    fitting: Fitting,
    /// Contents as the patch has left them so far; none for a file that is not there.
    now: BTreeMap<String, Option<Vec<u8>>>,
    patched: Vec<PatchedFile>,
    problems: Vec<String>,
}

impl<F: PatchFiles> Work<'_, F> {
    fn content(&mut self, path: &str) -> Result<Option<Vec<u8>>, PatchError<F::Error>> {
        if let Some(known) = self.now.get(path) {
            return Ok(known.clone());
        }
        let content = self.files.content(path).map_err(PatchError::Files)?;
        self.now.insert(path.to_owned(), content.clone());
        Ok(content)
    }

    /// A path as it is in the tree: without the prefix of git, or without the first folder, whichever is there.
    fn path(&mut self, written: &str, prefixed: bool) -> Result<Result<String, String>, PatchError<F::Error>> {
        if written.starts_with('/') || written.split('/').any(|part| part == "..") {
            return Ok(Err(format!(
                "`{written}` leads out of the folder that is patched; write paths relative to it"
            )));
        }
        let stripped = written.split_once('/').map(|(_, rest)| rest.to_owned());
        let tries = match (prefixed, stripped) {
            // Several slashes are one, and a dot is nothing.
            (_, Some(stripped)) if self.fitting == Fitting::LikePatch => {
                let parts = stripped.split('/').filter(|part| !part.is_empty() && *part != ".");
                vec![parts.collect::<Vec<_>>().join("/")]
            }
            (true, Some(stripped)) => vec![stripped, written.to_owned()],
            (false, Some(stripped)) => vec![written.to_owned(), stripped],
            (_, None) => vec![written.to_owned()],
        };
        for path in &tries {
            if self.content(path)?.is_some() {
                return Ok(Ok(path.clone()));
            }
        }
        Ok(tries.into_iter().next().ok_or_else(|| "a path is empty".to_owned()))
    }

    fn file(&mut self, file: &FilePatch) -> Result<(), PatchError<F::Error>> {
        let mut resolve = |written: &Option<String>| {
            written
                .as_ref()
                .map(|written| self.path(written, file.prefixed))
                .transpose()
                .map(Option::transpose)
        };
        let (old, new) = match (resolve(&file.old)?, resolve(&file.new)?) {
            (Ok(old), Ok(new)) => (old, new),
            (Err(problem), _) | (_, Err(problem)) => {
                self.problems.push(problem);
                return Ok(());
            }
        };
        match (old, new) {
            (None, None) => self.problems.push("a part of it has no paths".to_owned()),
            (None, Some(new)) => self.create(file, &new)?,
            (Some(old), None) => self.delete(file, &old)?,
            (Some(old), Some(new)) => self.change(file, &old, &new)?,
        }
        Ok(())
    }

    fn create(&mut self, file: &FilePatch, path: &str) -> Result<(), PatchError<F::Error>> {
        let there = self.content(path)?;
        let (content, notes) = match apply(&[], &file.hunks, self.fitting) {
            Ok(applied) => applied,
            Err(problem) => {
                self.problems.push(format!("{path}: {problem}"));
                return Ok(());
            }
        };
        if there.as_ref().is_some_and(|there| !there.is_empty()) {
            let same = there.as_deref() == Some(content.as_slice());
            self.problems.push(format!(
                "{path}: the patch makes a new file and there is one already{}",
                if same {
                    ", with the very same content"
                } else {
                    "; write the patch against it"
                }
            ));
            return Ok(());
        }
        self.put(path, Some(content.clone()));
        self.push(path, PatchChange::Create(content), file, notes);
        Ok(())
    }

    fn delete(&mut self, file: &FilePatch, path: &str) -> Result<(), PatchError<F::Error>> {
        let Some(there) = self.content(path)? else {
            self.problems
                .push(format!("{path}: the patch deletes it and it is not there"));
            return Ok(());
        };
        match apply(&there, &file.hunks, self.fitting) {
            Ok((rest, notes)) if rest.is_empty() || file.hunks.is_empty() => {
                self.put(path, None);
                self.push(path, PatchChange::Delete, file, notes);
            }
            Ok(_) => self.problems.push(format!(
                "{path}: the patch deletes it, but it has more lines than those that are removed"
            )),
            Err(problem) => self.problems.push(format!("{path}: {problem}")),
        }
        Ok(())
    }

    fn change(&mut self, file: &FilePatch, old: &str, new: &str) -> Result<(), PatchError<F::Error>> {
        let moves = old != new && (file.renames || file.copies);
        // Without a rename, both are names of one file, and one of them is right.
        let (old, new) = if moves || self.content(old)?.is_some() {
            (old, if moves { new } else { old })
        } else {
            (new, new)
        };
        let Some(there) = self.content(old)? else {
            let only_adds = file
                .hunks
                .iter()
                .all(|hunk| hunk.lines.iter().all(|line| line.kind == LineKind::Add));
            if only_adds && !moves && !file.hunks.is_empty() {
                return self.create(file, new);
            }
            self.problems.push(format!("{old}: there is no such file"));
            return Ok(());
        };
        if moves && self.content(new)?.is_some() {
            self.problems
                .push(format!("{new}: the patch moves a file there and there is one already"));
            return Ok(());
        }
        match apply(&there, &file.hunks, self.fitting) {
            Err(problem) => self.problems.push(format!("{old}: {problem}")),
            Ok((content, notes)) => {
                let change = if file.renames && moves {
                    self.put(old, None);
                    PatchChange::Rename(old.to_owned(), content.clone())
                } else if moves {
                    PatchChange::Create(content.clone())
                } else if content.is_empty() && self.fitting == Fitting::LikePatch {
                    // With the option that packaging uses, `patch` removes what it emptied.
                    self.put(new, None);
                    self.push(new, PatchChange::Delete, file, notes);
                    return Ok(());
                } else {
                    PatchChange::Modify(content.clone())
                };
                self.put(new, Some(content));
                self.push(new, change, file, notes);
            }
        }
        Ok(())
    }

    fn put(&mut self, path: &str, content: Option<Vec<u8>>) {
        self.now.insert(path.to_owned(), content);
    }

    fn push(&mut self, path: &str, change: PatchChange, file: &FilePatch, notes: Vec<String>) {
        self.patched.push(PatchedFile {
            path: path.to_owned(),
            change,
            mode: file.mode,
            notes,
            hunks: file.hunks.len(),
        });
    }
}

/// A line with its end apart.
struct Piece<'a> {
    text: &'a [u8],
    end: &'static [u8],
}

fn pieces(content: &[u8], fitting: Fitting) -> Vec<Piece<'_>> {
    content
        .split_inclusive(|byte| *byte == b'\n')
        .map(|line| {
            if let Some(text) = line.strip_suffix(b"\r\n").filter(|_| fitting != Fitting::LikePatch) {
                Piece { text, end: b"\r\n" }
            } else if let Some(text) = line.strip_suffix(b"\n") {
                Piece { text, end: b"\n" }
            } else {
                Piece { text: line, end: b"" }
            }
        })
        .collect()
}

/// Lines of a file that are shown where a hunk does not fit.
const SHOWN: usize = 12;

/// Applies hunks to a content. The second is what had to be overlooked.
fn apply(content: &[u8], hunks: &[Hunk], fitting: Fitting) -> Result<(Vec<u8>, Vec<String>), String> {
    let pieces = pieces(content, fitting);
    let texts: Vec<&[u8]> = pieces.iter().map(|piece| piece.text).collect();
    let lines = Lines::new(&texts);
    let dos = pieces.iter().filter(|piece| piece.end == b"\r\n").count() * 2 > pieces.len();
    let usual: &[u8] = if dos { b"\r\n" } else { b"\n" };
    let mut result: Vec<(Vec<u8>, &[u8])> = Vec::new();
    let mut notes = Vec::new();
    let mut problems = Vec::new();
    let (mut from, mut shift) = (0_usize, 0_isize);
    for (number, hunk) in (1..).zip(hunks) {
        let site = match find(&lines, hunk, from, shift, fitting) {
            Ok(site) => site,
            Err(none) => {
                problems.push(format!("hunk {number}: {}", explain(&none, &pieces, hunk)));
                continue;
            }
        };
        if let Some(said) = hunk
            .start
            .filter(|_| hunk.lines.iter().any(|line| line.kind != LineKind::Add))
        {
            let off = isize::try_from(site.start).unwrap_or(0) - isize::try_from(said.saturating_sub(1)).unwrap_or(0);
            if off != 0 {
                let (count, way) = (off.unsigned_abs(), if off > 0 { "further down" } else { "further up" });
                let lines = if count == 1 { "line" } else { "lines" };
                notes.push(format!("hunk {number} fits {count} {lines} {way}"));
            }
            shift = off;
        }
        match site.leniency {
            Leniency::Exact => {}
            Leniency::LineEnds => notes.push(format!(
                "hunk {number} has other blanks or line ends at the ends of lines"
            )),
            Leniency::Blanks => notes.push(format!("hunk {number} has other blanks than the file")),
            Leniency::Fuzz(1) => notes.push(format!("hunk {number} has 1 line of context that is not in the file")),
            Leniency::Fuzz(fuzz) => {
                notes.push(format!(
                    "hunk {number} has {fuzz} lines of context that are not in the file"
                ));
            }
        }
        if hunk.miscounted && fitting != Fitting::Lenient {
            problems.push(format!(
                "hunk {number}: the counts in its header are not those of its lines"
            ));
        } else if hunk.miscounted {
            notes.push(format!("hunk {number} has wrong counts in its header, or none"));
        }
        for piece in pieces.get(from..site.start).unwrap_or_default() {
            result.push((piece.text.to_vec(), piece.end));
        }
        lay(hunk, &site, &pieces, usual, &mut result);
        from = site.end;
    }
    if !problems.is_empty() {
        return Err(problems.join("\n  "));
    }
    for piece in pieces.get(from..).unwrap_or_default() {
        result.push((piece.text.to_vec(), piece.end));
    }
    let count = result.len();
    let mut bytes = Vec::with_capacity(content.len() + 256);
    for (number, (text, end)) in result.into_iter().enumerate() {
        bytes.extend_from_slice(&text);
        // What was the last line may not be it any more.
        bytes.extend_from_slice(if end.is_empty() && number + 1 < count {
            usual
        } else {
            end
        });
    }
    Ok((bytes, notes))
}

/// Writes what a hunk makes of its place.
fn lay<'a>(hunk: &Hunk, site: &Site, pieces: &[Piece<'a>], usual: &'a [u8], result: &mut Vec<(Vec<u8>, &'a [u8])>) {
    let mut at = site.start;
    let begin = result.len();
    for (line, place) in hunk.lines.iter().zip(&site.lines) {
        match (line.kind, place) {
            (LineKind::Add, _) => result.push((line.text.clone().into_bytes(), usual)),
            (LineKind::Keep, Some(place)) => {
                if let Some(piece) = pieces.get(*place) {
                    result.push((piece.text.to_vec(), piece.end));
                }
                at = place + 1;
            }
            (LineKind::Remove, Some(place)) => at = place + 1,
            (LineKind::Keep | LineKind::Remove, None) => {}
        }
    }
    let at_end = at == pieces.len();
    let was_open = pieces.last().is_some_and(|piece| piece.end.is_empty());
    if at_end
        && result.len() > begin
        && let Some((_, end)) = result.last_mut()
    {
        let is_open = if hunk.old_open || hunk.new_open {
            hunk.new_open
        } else {
            was_open
        };
        *end = match (is_open, end.is_empty()) {
            (true, _) => b"",
            (false, true) => usual,
            (false, false) => *end,
        };
    }
}

fn explain(none: &NoSite, pieces: &[Piece<'_>], hunk: &Hunk) -> String {
    match none {
        NoSite::Several(starts) => {
            let lines: Vec<String> = starts.iter().take(8).map(|start| (start + 1).to_string()).collect();
            format!(
                "it fits in {} places (at line {}{}); give more lines of context, or the right line number",
                starts.len(),
                lines.join(", "),
                if starts.len() > 8 { ", ..." } else { "" }
            )
        }
        NoSite::Unplaced => "it only adds lines and does not say where; give lines of context".to_owned(),
        NoSite::Done(at) => format!("what it makes is there already, at line {}", at + 1),
        NoSite::Nowhere(None) => "none of its lines is in the file".to_owned(),
        NoSite::Nowhere(Some((start, count))) => {
            let old = hunk.lines.iter().filter(|line| line.kind != LineKind::Add).count();
            let shown: Vec<String> = pieces
                .iter()
                .enumerate()
                .skip(*start)
                .take(old.min(SHOWN))
                .map(|(number, piece)| format!("    {:>6}\t{}", number + 1, String::from_utf8_lossy(piece.text)))
                .collect();
            format!(
                "it does not fit: {count} of its {old} old lines are at line {}, where the file has\n{}",
                start + 1,
                shown.join("\n")
            )
        }
    }
}

#[cfg(test)]
mod tests;
