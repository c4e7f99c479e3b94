//! A diff applied to a tree on the disk: all of it or nothing.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    os::unix::{ffi::OsStrExt as _, fs::PermissionsExt as _},
    path::{Path, PathBuf},
};

use fs_err as fs;

use super::{
    base85,
    tree::{File, read},
};
use crate::{
    Fitting, PackageError,
    patch::{PatchChange, PatchError, PatchFiles, patch_files},
};

/// Bytes of one content in a diff.
const MOST_BYTES: u64 = 1 << 30;

/// What a diff did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// The files, in the order of the diff.
    pub files: Vec<Applied>,
}

/// What a diff did to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The path afterwards, or that of the file that is gone.
    pub path: String,
    /// What happened to it.
    pub change: Change,
    /// What had to be overlooked, such as other line numbers.
    pub notes: Vec<String>,
}

/// What happened to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It is new.
    Created,
    /// It has another content or mode.
    Modified,
    /// It is gone.
    Deleted,
    /// It was there under another name.
    Renamed(String),
}

/// Works out what a diff makes of the tree, and then writes all of it. After an error the tree is as it was.
pub(crate) fn apply(root: &Path, staging: &Path, diff: &str) -> Result<Report, PackageError> {
    let mut overlay = Overlay {
        root,
        now: BTreeMap::new(),
    };
    let mut report = Report::default();
    let mut problems = Vec::new();
    for section in sections(diff) {
        let done = match section {
            Section::Lines(text) => lines(&text, &mut overlay),
            Section::Link(text) => link(&text, &mut overlay),
            Section::Binary(text) => binary(&text, &mut overlay),
        };
        match done {
            Ok(files) => report.files.extend(files),
            Err(Problem::Told(problem)) => problems.push(problem),
            Err(Problem::Package(error)) => return Err(error),
        }
    }
    if !problems.is_empty() {
        return Err(PackageError::Diff(problems.join("\n")));
    }
    overlay.write(staging)?;
    Ok(report)
}

enum Problem {
    Told(String),
    Package(PackageError),
}

impl From<PackageError> for Problem {
    fn from(error: PackageError) -> Self {
        Self::Package(error)
    }
}

enum Section {
    Lines(String),
    Link(String),
    Binary(String),
}

/// Cuts a diff where git's headers stand, and tells what the sections are. Neighbours that are lines stay together.
fn sections(diff: &str) -> Vec<Section> {
    let mut cut: Vec<String> = vec![String::new()];
    for line in diff.split_inclusive('\n') {
        if line.starts_with("diff --git ") {
            cut.push(String::new());
        }
        if let Some(last) = cut.last_mut() {
            last.push_str(line);
        }
    }
    let mut sections: Vec<Section> = Vec::new();
    for text in cut.into_iter().filter(|text| !text.is_empty()) {
        let header = text.lines().take_while(|line| !line.starts_with("@@"));
        let (mut is_link, mut is_binary) = (false, false);
        for line in header {
            is_binary |= line == "GIT binary patch";
            is_link |= line.ends_with(" 120000")
                && ["new file mode ", "deleted file mode ", "index "]
                    .iter()
                    .any(|start| line.starts_with(start));
        }
        match sections.last_mut() {
            _ if is_binary => sections.push(Section::Binary(text)),
            _ if is_link => sections.push(Section::Link(text)),
            Some(Section::Lines(before)) => before.push_str(&text),
            _ => sections.push(Section::Lines(text)),
        }
    }
    sections
}

/// The tree as the diff has left it so far.
struct Overlay<'a> {
    root: &'a Path,
    now: BTreeMap<String, Option<File>>,
}

impl Overlay<'_> {
    fn file(&self, path: &str) -> Result<Option<File>, PackageError> {
        match self.now.get(path) {
            Some(known) => Ok(known.clone()),
            None => read(&self.place(path)?),
        }
    }

    /// Where a path is. A way through a link is refused: it could lead out.
    fn place(&self, path: &str) -> Result<PathBuf, PackageError> {
        let mut place = self.root.to_owned();
        let mut parts = path.split('/').peekable();
        while let Some(part) = parts.next() {
            if part.is_empty() || part == "." || part == ".." {
                return Err(PackageError::Diff(format!("`{path}` is no path inside the package")));
            }
            place.push(OsStr::from_bytes(part.as_bytes()));
            if parts.peek().is_some() && place.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
                return Err(PackageError::Diff(format!("`{path}` goes through a link")));
            }
        }
        Ok(place)
    }

    /// Writes everything. What is new is laid down beside the tree first, where a full disk does no harm; then each file is
    /// put in its place by a rename, and after an error everything is put back.
    fn write(self, staging: &Path) -> Result<(), PackageError> {
        let folder = tempfile::tempdir_in(staging)?;
        let mut moves = Vec::new();
        for (number, (path, file)) in self.now.iter().enumerate() {
            let place = self.place(path)?;
            let new = match file {
                None => None,
                Some(file) => {
                    let new = folder.path().join(format!("new{number}"));
                    lay(file, &new, &place)?;
                    Some(new)
                }
            };
            moves.push((place, new, folder.path().join(format!("old{number}"))));
        }
        let mut done = Vec::new();
        for (place, new, old) in &moves {
            if let Err(error) = exchange(place, new.as_deref(), old, &mut done) {
                for undo in done.into_iter().rev() {
                    match undo {
                        Undo::Back(from, to) => drop(fs::rename(from, to)),
                        Undo::Remove(path) => drop(fs::remove_file(path)),
                        Undo::RemoveFolder(path) => drop(fs::remove_dir(path)),
                    }
                }
                return Err(error.into());
            }
        }
        // Folders that held only what is gone go too, as they do in git.
        for (place, new, _) in &moves {
            let mut folder = place.parent();
            while let Some(empty) = folder.filter(|folder| new.is_none() && *folder != self.root) {
                if fs::remove_dir(empty).is_err() {
                    break;
                }
                folder = empty.parent();
            }
        }
        Ok(())
    }
}

enum Undo {
    Back(PathBuf, PathBuf),
    Remove(PathBuf),
    RemoveFolder(PathBuf),
}

fn exchange(place: &Path, new: Option<&Path>, old: &Path, done: &mut Vec<Undo>) -> std::io::Result<()> {
    if place.symlink_metadata().is_ok_and(|metadata| !metadata.is_dir()) {
        fs::rename(place, old)?;
        done.push(Undo::Back(old.to_owned(), place.to_owned()));
    }
    let Some(new) = new else { return Ok(()) };
    let mut missing = Vec::new();
    let mut parent = place.parent();
    while let Some(folder) = parent.filter(|folder| folder.symlink_metadata().is_err()) {
        missing.push(folder);
        parent = folder.parent();
    }
    for folder in missing.into_iter().rev() {
        fs::create_dir(folder)?;
        done.push(Undo::RemoveFolder(folder.to_owned()));
    }
    fs::rename(new, place)?;
    done.push(Undo::Remove(place.to_owned()));
    Ok(())
}

/// Writes a file with the mode that it has at its place; only whether it runs is told by a diff.
fn lay(file: &File, new: &Path, place: &Path) -> Result<(), PackageError> {
    match file {
        File::Link { target } => fs::os::unix::fs::symlink(OsStr::from_bytes(target), new)?,
        File::Plain { content, runs } => {
            let before = place.symlink_metadata().ok().filter(std::fs::Metadata::is_file);
            let before = before.map(|metadata| metadata.permissions().mode() & 0o777);
            let mode = match before {
                Some(mode) if (mode & 0o100 != 0) == *runs => mode,
                _ if *runs => 0o755,
                _ => 0o644,
            };
            fs::write(new, content)?;
            fs::set_permissions(new, std::fs::Permissions::from_mode(mode))?;
            // Only its mode is another: builds look at times, and it is as old as it was.
            if let Ok(there) = place.symlink_metadata()
                && there.is_file()
                && there.len() == content.len() as u64
                && fs::read(place)? == *content
            {
                let file = fs::File::options().write(true).open(new)?;
                file.file().set_modified(there.modified()?)?;
            }
        }
    }
    Ok(())
}

/// Contents of the overlay as one kind of file has them.
struct Contents<'a, 'b> {
    overlay: &'a Overlay<'b>,
    links: bool,
}

impl PatchFiles for Contents<'_, '_> {
    type Error = Problem;

    fn content(&mut self, path: &str) -> Result<Option<Vec<u8>>, Problem> {
        match self.overlay.file(path)? {
            Some(file) if file.is_link() != self.links => Err(Problem::Told(if self.links {
                format!("{path}: the diff is for a link, and this is a file")
            } else {
                format!("{path}: it is a link; a diff of it has the mode 120000")
            })),
            file => Ok(file.map(|file| file.content().to_vec())),
        }
    }
}

fn lines(text: &str, overlay: &mut Overlay<'_>) -> Result<Vec<Applied>, Problem> {
    if !text
        .lines()
        .any(|line| line.starts_with("@@") || line.starts_with("diff --git "))
        && text.trim().is_empty()
    {
        return Ok(Vec::new());
    }
    run(text, overlay, false)
}

fn link(text: &str, overlay: &mut Overlay<'_>) -> Result<Vec<Applied>, Problem> {
    run(
        &text.replacen("new file mode 120000", "new file mode 100644", 1),
        overlay,
        true,
    )
}

fn run(text: &str, overlay: &mut Overlay<'_>, links: bool) -> Result<Vec<Applied>, Problem> {
    let mut files = Contents { overlay, links };
    let patched = patch_files(text, &mut files, Fitting::Strict).map_err(|error| match error {
        PatchError::Told(problem) => Problem::Told(problem),
        PatchError::Files(problem) => problem,
    })?;
    let mut applied = Vec::new();
    for file in patched {
        let (source, change, content) = match file.change {
            PatchChange::Modify(content) => (&file.path, Change::Modified, Some(content)),
            PatchChange::Create(content) => (&file.path, Change::Created, Some(content)),
            PatchChange::Delete => (&file.path, Change::Deleted, None),
            PatchChange::Rename(ref from, content) => (from, Change::Renamed(from.clone()), Some(content)),
        };
        let before = overlay.file(source)?;
        let runs = match (file.mode, before) {
            (Some(mode), _) => mode & 0o100 != 0,
            (None, Some(File::Plain { runs, .. })) => runs,
            (None, _) => false,
        };
        let now = content.map(|content| {
            if links {
                File::Link { target: content }
            } else {
                File::Plain { content, runs }
            }
        });
        if let Change::Renamed(from) = &change {
            overlay.now.insert(from.clone(), None);
        }
        overlay.now.insert(file.path.clone(), now);
        applied.push(Applied {
            path: file.path,
            change,
            notes: file.notes,
        });
    }
    Ok(applied)
}

/// A whole content. The one before must be there to the byte.
fn binary(text: &str, overlay: &mut Overlay<'_>) -> Result<Vec<Applied>, Problem> {
    let mut header = text.lines().take_while(|line| *line != "GIT binary patch");
    let paths = crate::patch::git_paths(header.next().unwrap_or_default());
    let path = paths.ok_or_else(|| Problem::Told("a binary part of it has no path".to_owned()))?;
    let (mut is_new, mut is_gone, mut mode) = (false, false, None);
    for line in header {
        if let Some(new) = line.strip_prefix("new file mode ") {
            (is_new, mode) = (true, Some(new.ends_with("755")));
        } else if line.starts_with("deleted file mode ") {
            is_gone = true;
        } else if let Some(new) = line.strip_prefix("new mode ") {
            mode = Some(new.ends_with("755"));
        }
    }
    let told = |problem: &str| Problem::Told(format!("{path}: {problem}"));
    let mut body = text.lines().skip_while(|line| *line != "GIT binary patch").skip(1);
    let after = base85::read(&mut body, MOST_BYTES).map_err(|problem| told(&problem))?;
    let before = base85::read(&mut body, MOST_BYTES).map_err(|problem| told(&problem))?;
    let (is_there, runs) = match overlay.file(&path)? {
        None => (false, false),
        Some(File::Link { .. }) => return Err(told("the diff is for a file, and this is a link")),
        Some(File::Plain { content, .. }) if !is_new && content != before => {
            return Err(told("it has another content than the one that the diff is for"));
        }
        Some(File::Plain { runs, .. }) => (true, runs),
    };
    if is_there == is_new {
        let problem = if is_new {
            "the diff makes a new file and there is one already"
        } else {
            "there is no such file"
        };
        return Err(told(problem));
    }
    let change = match (is_new, is_gone) {
        (true, _) => Change::Created,
        (_, true) => Change::Deleted,
        _ => Change::Modified,
    };
    let file = File::Plain {
        content: after,
        runs: mode.unwrap_or(runs),
    };
    overlay.now.insert(path.clone(), (!is_gone).then_some(file));
    Ok(vec![Applied {
        path,
        change,
        notes: Vec::new(),
    }])
}
