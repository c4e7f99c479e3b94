//! A source package as files: read, checked against its own description, and digested.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use fs_err as fs;
use seatrial_core::{Arch, Digest, RecipeKind as Kind};
use seatrial_packaging::Package;
use sha2::{Digest as _, Sha256};

use crate::RebuildError;

/// A file of a source package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Its name.
    pub name: String,
    /// Its size.
    pub size: u64,
    /// Its SHA-256, in hexadecimal.
    pub sha256: String,
}

/// A source package as files in a folder.
#[derive(Debug, Clone)]
pub struct SourcePackage {
    kind: Kind,
    folder: PathBuf,
    recipe: String,
    name: String,
    version: String,
    files: Vec<SourceFile>,
    digest: Digest,
    problem: Option<String>,
    fields: BTreeMap<String, String>,
}

impl SourcePackage {
    /// Reads a `.dsc` with its files beside it, or a flat folder with one `.spec`.
    ///
    /// Files that are missing or are not what the description says do not make an error: the package is broken, and a
    /// rebuild says so.
    pub fn open(path: &Path) -> Result<Self, RebuildError> {
        let source = |problem: &str| RebuildError::Source {
            path: path.to_owned(),
            problem: problem.to_owned(),
        };
        if path.is_dir() {
            let mut dscs = with_ending(path, "dsc")?;
            if dscs.len() == 1 && with_ending(path, "spec")?.is_empty() {
                return Self::open_dsc(&path.join(dscs.remove(0)));
            }
            return Self::open_rpm(path);
        }
        if path.extension().is_some_and(|ending| ending == "dsc") {
            return Self::open_dsc(path);
        }
        Err(source(
            "it is neither a .dsc nor a folder with a .spec; name one of these",
        ))
    }

    /// Packs an opened package as it is now into a new folder, and reads that: what is rebuilt is what was edited. Its digest
    /// is that of the package's sources, so that an outcome can be compared with the package.
    pub fn pack(package: &Package, out: &Path) -> Result<Self, RebuildError> {
        let packed = package.pack(out)?;
        let recipe = packed.recipe.clone();
        let mut source = match package.kind() {
            seatrial_packaging::Kind::Debian => Self::open_dsc(&recipe)?,
            seatrial_packaging::Kind::Rpm => {
                let mut flat = Self::open_rpm(&packed.folder)?;
                flat.recipe = recipe
                    .file_name()
                    .map(|name| name.to_string_lossy().into_owned())
                    .unwrap_or_default();
                package.name().clone_into(&mut flat.name);
                flat.problem = None;
                flat
            }
        };
        package.version().clone_into(&mut source.version);
        source.digest = packed.source;
        Ok(source)
    }

    fn open_dsc(path: &Path) -> Result<Self, RebuildError> {
        let wrong = |problem: String| RebuildError::Source {
            path: path.to_owned(),
            problem,
        };
        let bytes = fs::read(path)?;
        let text = String::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8".to_owned()))?;
        let fields = fields(&text);
        let folder = path.parent().unwrap_or(Path::new(".")).to_owned();
        let recipe = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let mut files = vec![hashed(&folder, &recipe)?];
        let mut problem = None;
        let listed = listed(fields.get("checksums-sha256").map_or("", String::as_str));
        if listed.is_empty() {
            problem = Some(format!("{recipe} lists no files with their SHA-256"));
        }
        for (name, size, sha256) in listed {
            if !is_plain(&name) {
                problem = Some(format!(
                    "{recipe} names a file `{}` outside of its folder",
                    name.escape_debug()
                ));
                continue;
            }
            match hashed(&folder, &name) {
                Ok(file) if file.size == size && file.sha256 == sha256 => files.push(file),
                Ok(file) => {
                    problem = Some(format!(
                        "{name} is not the file that {recipe} describes (SHA-256 {} instead of {sha256}); pack the package again",
                        file.sha256
                    ));
                    files.push(file);
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    problem = Some(format!("{name}, which {recipe} names, is missing"));
                }
                Err(error) => return Err(error.into()),
            }
        }
        for needed in ["source", "version", "architecture"] {
            if fields.get(needed).is_none_or(|value| value.trim().is_empty()) {
                problem = Some(format!("{recipe} has no field {needed}"));
            }
        }
        let field = |name: &str| {
            fields
                .get(name)
                .map(|value| value.trim().to_owned())
                .unwrap_or_default()
        };
        Ok(Self {
            kind: Kind::Debian,
            name: field("source"),
            version: field("version"),
            digest: digest(&files),
            folder,
            recipe,
            files,
            problem,
            fields,
        })
    }

    fn open_rpm(folder: &Path) -> Result<Self, RebuildError> {
        let specs = with_ending(folder, "spec")?;
        let name = folder
            .canonicalize()?
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        // Several are allowed where one bears the package's name, as a build service has it.
        let own = format!("{name}.spec");
        let (recipe, problem) = match specs.as_slice() {
            [] => (String::new(), Some("it has no recipe: no .spec, no .dsc".to_owned())),
            [one] => (one.clone(), None),
            several if several.contains(&own) => (own, None),
            several => (
                String::new(),
                Some(format!(
                    "it has several recipes ({}), and none is {own}",
                    several.join(", ")
                )),
            ),
        };
        let mut files = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                files.push(hashed(folder, &entry.file_name().to_string_lossy())?);
            }
        }
        files.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Self {
            kind: Kind::Rpm,
            folder: folder.to_owned(),
            name: recipe.strip_suffix(".spec").map_or(name, str::to_owned),
            version: String::new(),
            digest: digest(&files),
            recipe,
            files,
            problem,
            fields: BTreeMap::new(),
        })
    }

    /// Its kind.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its version, where the description says one.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The folder that its files are in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The name of the `.dsc` or `.spec`.
    pub fn recipe(&self) -> &str {
        &self.recipe
    }

    /// Its files.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// The digest of its files' names and contents.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// What is wrong with it that needs no build to be seen.
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// A field of a `.dsc`, its lines joined.
    pub(crate) fn field(&self, name: &str) -> String {
        let value = self.fields.get(name).map_or("", String::as_str);
        value.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Why a `.dsc` does not allow a target, by its `Architecture` field.
    pub(crate) fn excluded_from(&self, target: Arch) -> Option<String> {
        let list = self.field("architecture");
        (!allows(&list, target)).then(|| format!("the package is for `{list}` only, which {} is not", target.debian()))
    }

    /// Packs its files as a tar.
    pub(crate) fn write_tar(&self, tar: &mut dyn Write) -> io::Result<()> {
        let mut builder = tar::Builder::new(tar);
        for file in &self.files {
            let mut header = tar::Header::new_gnu();
            header.set_size(file.size);
            header.set_mode(0o644);
            header.set_cksum();
            // Not one byte more than was digested, whoever writes to it meanwhile.
            let content = fs::File::open(self.folder.join(&file.name))?.take(file.size);
            builder.append_data(&mut header, &file.name, content)?;
        }
        builder.finish()
    }
}

/// Whether an `Architecture` field allows a target: its name, a wildcard that covers it, or nothing but packages for all.
fn allows(list: &str, target: Arch) -> bool {
    let mut words = list.split_whitespace().filter(|word| *word != "all").peekable();
    words.peek().is_none() || words.any(|word| covers(word, target))
}

/// Whether a Debian architecture or wildcard covers a target: `any`, `arm64`, `any-arm64`, `linux-any`.
fn covers(word: &str, target: Arch) -> bool {
    // The processor's name in wildcards is not always that of the architecture.
    let cpu = match target {
        Arch::Armv7l => "arm",
        other => other.debian(),
    };
    if word == "any" || word == target.debian() {
        return true;
    }
    let parts: Vec<_> = word.split('-').collect();
    let (system, processor) = match parts.as_slice() {
        [system, processor] | [_, system, processor] => (*system, *processor),
        _ => return false,
    };
    matches!(system, "any" | "linux") && (processor == "any" || processor == cpu)
}

/// The first paragraph's fields, names in lower case; a signature around it is passed over.
fn fields(text: &str) -> BTreeMap<String, String> {
    let mut fields: BTreeMap<String, String> = BTreeMap::new();
    let mut last = String::new();
    let mut lines = text.lines().peekable();
    if lines
        .peek()
        .is_some_and(|line| line.starts_with("-----BEGIN PGP SIGNED MESSAGE"))
    {
        // Its own header ends with an empty line.
        for line in lines.by_ref() {
            if line.trim().is_empty() {
                break;
            }
        }
    }
    for line in lines {
        if line.trim().is_empty() {
            if fields.is_empty() {
                continue;
            }
            break;
        }
        if line.starts_with('#') {
            continue;
        }
        if line.starts_with([' ', '\t']) {
            if let Some(value) = fields.get_mut(&last) {
                value.push('\n');
                value.push_str(line.trim());
            }
        } else if let Some((name, value)) = line.split_once(':') {
            last = name.to_ascii_lowercase();
            fields.insert(last.clone(), value.trim().to_owned());
        }
    }
    fields
}

/// Name, size and SHA-256 of the files that a field lists.
fn listed(value: &str) -> Vec<(String, u64, String)> {
    let rows = value.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let (sha256, size, name) = (words.next()?, words.next()?, words.next()?);
        Some((name.to_owned(), size.parse().ok()?, sha256.to_owned()))
    });
    rows.collect()
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.contains(['/', '\0']) && name != "." && name != ".."
}

fn with_ending(folder: &Path, ending: &str) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if Path::new(&name).extension().is_some_and(|own| own == ending) && entry.file_type()?.is_file() {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

fn hashed(folder: &Path, name: &str) -> io::Result<SourceFile> {
    let mut file = fs::File::open(folder.join(name))?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    let mut size = 0;
    loop {
        let count = file.read(&mut buffer)?;
        let Some(bytes) = buffer.get(..count).filter(|bytes| !bytes.is_empty()) else {
            break;
        };
        hasher.update(bytes);
        size += count as u64;
    }
    let sha256 = hasher.finalize().iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    });
    Ok(SourceFile {
        name: name.to_owned(),
        size,
        sha256,
    })
}

/// The digest of names and contents, whatever order they came in.
fn digest(files: &[SourceFile]) -> Digest {
    let mut lines: Vec<_> = files
        .iter()
        .map(|file| format!("{} {}\n", file.sha256, file.name))
        .collect();
    lines.sort();
    Digest::of(lines.concat().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_architecture_field_allows_what_it_covers() {
        for (list, target, allowed) in [
            ("any", Arch::Aarch64, true),
            ("all", Arch::Aarch64, true),
            ("any all", Arch::I686, true),
            ("amd64 i386 all", Arch::Aarch64, false),
            ("amd64 i386", Arch::I686, true),
            ("any-amd64 any-i386", Arch::I686, true),
            ("any-amd64", Arch::Aarch64, false),
            ("linux-any", Arch::Riscv64, true),
            ("kfreebsd-any hurd-any", Arch::X86_64, false),
            ("any-arm", Arch::Armv7l, true),
            ("gnu-linux-arm64", Arch::Aarch64, true),
            ("x32", Arch::X86_64, false),
        ] {
            assert_eq!(allows(list, target), allowed, "{list} on {target}");
        }
    }

    #[test]
    fn a_signed_description_is_read_and_its_signature_is_not() {
        let text = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\nSource: a\nBuild-Depends: b,\n c\n\n-----BEGIN PGP SIGNATURE-----\nx: y\n";
        let fields = fields(text);
        assert_eq!(fields.len(), 2);
        assert_eq!(fields["build-depends"], "b,\nc");
    }
}
