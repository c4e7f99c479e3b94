//! What the grader knows of the pinned tree: its files, and lazily their lines, words and texts.

use std::{
    cell::OnceCell,
    collections::{HashMap, HashSet},
    hash::{DefaultHasher, Hash, Hasher},
    io::Read,
    path::{Path, PathBuf},
};

use fs_err as fs;
use seatrial_core::Digest;

/// Bytes of one file that are read for its lines and words; more is never a hand-written source.
const TEXT_LIMIT: u64 = 8 << 20;
/// Literals shorter than this occur everywhere.
const LITERAL_LENGTH: usize = 10;

/// The files of the pinned tree, as the submission's patch left them.
pub(super) struct PinnedTree {
    root: PathBuf,
    by_path: HashMap<String, Digest>,
    digests: HashSet<Digest>,
    /// Base names of C-like sources.
    names: HashMap<String, Vec<String>>,
    /// Contents of patched files, which are not on this machine.
    patched: HashMap<String, Vec<u8>>,
    lines: OnceCell<HashSet<u64>>,
    literals: OnceCell<HashSet<Vec<u8>>>,
}

impl PinnedTree {
    /// Reads and hashes every file.
    pub(super) fn read(root: &Path) -> std::io::Result<Self> {
        let mut tree = Self {
            root: root.to_owned(),
            by_path: HashMap::new(),
            digests: HashSet::new(),
            names: HashMap::new(),
            patched: HashMap::new(),
            lines: OnceCell::new(),
            literals: OnceCell::new(),
        };
        for entry in walkdir::WalkDir::new(root) {
            let entry = entry.map_err(std::io::Error::from)?;
            if !entry.file_type().is_file() {
                continue;
            }
            let Ok(relative) = entry.path().strip_prefix(root) else {
                continue;
            };
            let digest = Digest::of(&fs::read(entry.path())?);
            tree.insert(relative.to_string_lossy().into_owned(), digest);
        }
        Ok(tree)
    }

    fn insert(&mut self, path: String, digest: Digest) {
        self.digests.insert(digest);
        if is_source(&path) {
            let name = super::kinds::base_name(&path).to_owned();
            let paths = self.names.entry(name).or_default();
            if !paths.contains(&path) {
                paths.push(path.clone());
            }
        }
        self.by_path.insert(path, digest);
    }

    /// Takes in a file as the submission's patch left it: from now on this is the pinned content.
    pub(super) fn patch(&mut self, path: &str, content: Vec<u8>) {
        self.insert(path.to_owned(), Digest::of(&content));
        self.patched.insert(path.to_owned(), content);
        self.lines = OnceCell::new();
        self.literals = OnceCell::new();
    }

    /// Takes a source out that was replaced by another one under its name.
    pub(super) fn forget(&mut self, path: &str) {
        self.by_path.remove(path);
        if let Some(paths) = self.names.get_mut(super::kinds::base_name(path)) {
            paths.retain(|known| known != path);
        }
        self.lines = OnceCell::new();
        self.literals = OnceCell::new();
    }

    /// The pinned digest of a path relative to the tree.
    pub(super) fn digest(&self, path: &str) -> Option<Digest> {
        self.by_path.get(path).copied()
    }

    /// Whether any file of the tree has this content.
    pub(super) fn has_content(&self, digest: &Digest) -> bool {
        self.digests.contains(digest)
    }

    /// All paths with their digests.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, Digest)> {
        self.by_path.iter().map(|(path, digest)| (path.as_str(), *digest))
    }

    /// The sources with this base name.
    pub(super) fn named(&self, name: &str) -> &[String] {
        self.names.get(name).map_or(&[], Vec::as_slice)
    }

    /// A file's content, its start at most.
    pub(super) fn content(&self, path: &str) -> Vec<u8> {
        if let Some(content) = self.patched.get(path) {
            return content.clone();
        }
        let mut bytes = Vec::new();
        let read = fs::File::open(self.root.join(path)).and_then(|file| file.take(TEXT_LIMIT).read_to_end(&mut bytes));
        // What cannot be read proves nothing, which is the safe side.
        if read.is_ok() { bytes } else { Vec::new() }
    }

    /// The share of a text's telling lines that occur in the tree, and how many telling lines it has.
    ///
    /// A source that a build step derived from the tree (a filled-in template, an amalgamation, a source changed by a
    /// stream editor) keeps most of its lines; one that was written from nothing does not.
    pub(super) fn kinship(&self, text: &[u8]) -> (f64, usize) {
        let known = self.lines.get_or_init(|| {
            let mut lines = HashSet::new();
            for path in self.by_path.keys() {
                let content = self.content(path);
                if !is_binary(&content) {
                    lines.extend(telling_lines(&content).map(hash));
                }
            }
            lines
        });
        let own: HashSet<u64> = telling_lines(text).map(hash).collect();
        if own.is_empty() {
            return (0.0, 0);
        }
        let shared = own.iter().filter(|line| known.contains(line)).count();
        (shared as f64 / own.len() as f64, own.len())
    }

    /// The string literals of the tree's sources, cut at escapes, at least ten printable characters long.
    pub(super) fn literals(&self) -> &HashSet<Vec<u8>> {
        self.literals.get_or_init(|| {
            let mut literals = HashSet::new();
            for path in self.by_path.keys().filter(|path| is_source(path) || is_header(path)) {
                collect_literals(&self.content(path), &mut literals);
            }
            literals
        })
    }
}

/// The share of the old text's telling lines that the new text keeps.
pub(super) fn retention(old: &[u8], new: &[u8]) -> f64 {
    let before: HashSet<u64> = telling_lines(old).map(hash).collect();
    if before.is_empty() {
        return 1.0;
    }
    let after: HashSet<u64> = telling_lines(new).map(hash).collect();
    before.intersection(&after).count() as f64 / before.len() as f64
}

/// Whether a name is that of a file that compilers turn into code, or that generators turn into such a file.
pub(super) fn is_source(path: &str) -> bool {
    const ENDS: [&str; 26] = [
        "c", "cc", "cpp", "cxx", "c++", "C", "cp", "CPP", "m", "mm", "s", "S", "asm", "y", "yy", "ypp", "l", "ll",
        "lpp", "rl", "re", "gperf", "vala", "f", "f90", "cu",
    ];
    extension(path).is_some_and(|end| ENDS.contains(&end))
}

fn is_header(path: &str) -> bool {
    extension(path).is_some_and(|end| {
        matches!(
            end,
            "h" | "hh" | "hpp" | "hxx" | "h++" | "H" | "inc" | "in" | "def" | "tcc"
        )
    })
}

fn extension(path: &str) -> Option<&str> {
    super::kinds::base_name(path).rsplit_once('.').map(|(_, end)| end)
}

/// Whether a text is no text.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(4096).any(|byte| *byte == 0)
}

/// Lines that say something: not too short, white space at the ends taken off.
fn telling_lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .filter(|line| line.len() >= 8 && line.iter().filter(|byte| byte.is_ascii_alphanumeric()).count() >= 4)
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// Finds `"..."` in a C-like text. Comments are not told apart: what is quoted in one is rarely in a program.
fn collect_literals(text: &[u8], found: &mut HashSet<Vec<u8>>) {
    for line in text.split(|byte| *byte == b'\n') {
        let mut bytes = line.iter().copied();
        let mut inside = false;
        let mut piece = Vec::new();
        while let Some(byte) = bytes.next() {
            match (inside, byte) {
                (false, b'"') => inside = true,
                (true, b'"') => {
                    inside = false;
                    keep(&mut piece, found);
                }
                (true, b'\\') => match bytes.next() {
                    Some(escaped @ (b'"' | b'\\' | b'\'')) => piece.push(escaped),
                    // A control character splits the string in the program too.
                    _ => keep(&mut piece, found),
                },
                (true, byte) => piece.push(byte),
                (false, _) => {}
            }
        }
    }
}

fn keep(piece: &mut Vec<u8>, found: &mut HashSet<Vec<u8>>) {
    let piece = std::mem::take(piece);
    if piece.len() >= LITERAL_LENGTH && piece.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        found.insert(piece);
    }
}

/// The printable runs of a program, long enough to be told from noise.
pub(super) fn printable_runs(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes
        .split(|byte| !matches!(byte, b' '..=b'~'))
        .filter(|run| run.len() >= LITERAL_LENGTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_cut_at_escapes() {
        let mut found = HashSet::new();
        collect_literals(
            br#"x = "usage: hull [options]\n  -v show the \"version\"" "short" 'c'"#,
            &mut found,
        );
        let mut found: Vec<_> = found.into_iter().map(|text| String::from_utf8(text).unwrap()).collect();
        found.sort();
        assert_eq!(found, ["  -v show the \"version\"", "usage: hull [options]"]);
    }

    #[test]
    fn a_derived_text_is_kin_and_a_written_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let source =
            "int keel(int length) {\n  return length * width_of_hull;\n}\nconst char *version = \"@VERSION@\";\n";
        fs::write(folder.path().join("hull.c.in"), source).unwrap();
        let tree = PinnedTree::read(folder.path()).unwrap();
        assert!(tree.kinship(source.replace("@VERSION@", "1").as_bytes()).0 > 0.6);
        assert!(
            tree.kinship(b"int main(void) { return 0; }\nint stub(int a) { return a; }\n")
                .0
                < 0.1
        );
        assert!(retention(source.as_bytes(), b"int main(void) { return 0; }") < 0.1);
    }
}
