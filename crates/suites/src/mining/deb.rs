//! The files of a binary package that become labels. Reads the package's own format; no package manager is asked.

use std::io::Read;

use object::read::archive::ArchiveFile;

use crate::compile::program_machine;

/// Bytes of a package's files, unpacked.
const DATA_LIMIT: u64 = 512 << 20;

/// An ELF program or shared library of a package.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Label {
    /// Absolute path once installed.
    pub(super) path: String,
    /// Base name.
    pub(super) name: String,
}

/// The ELF programs and shared libraries of a `.deb`, in the package's order. `Err` says what is wrong with it.
pub(super) fn labels(deb: &[u8], machine: u16) -> Result<Vec<Label>, String> {
    let archive = ArchiveFile::parse(deb).map_err(|error| format!("it is no package: {error}"))?;
    for member in archive.members() {
        let member = member.map_err(|error| format!("it is cut off: {error}"))?;
        let name = String::from_utf8_lossy(member.name()).into_owned();
        let Some(packing) = name.trim_end_matches('/').strip_prefix("data.tar") else {
            continue;
        };
        let data = member.data(deb).map_err(|error| format!("it is cut off: {error}"))?;
        let unpacked: Box<dyn Read + '_> = match packing {
            "" => Box::new(data),
            ".gz" => Box::new(flate2::read::GzDecoder::new(data)),
            ".xz" => Box::new(liblzma::read::XzDecoder::new(data)),
            ".zst" => Box::new(zstd::Decoder::new(data).map_err(|error| error.to_string())?),
            other => return Err(format!("its files are packed as `{other}`")),
        };
        return read_data(unpacked, machine).map_err(|error| format!("its files cannot be read: {error}"));
    }
    Err("it holds no files".to_owned())
}

fn read_data(data: Box<dyn Read + '_>, machine: u16) -> std::io::Result<Vec<Label>> {
    let mut labels = Vec::new();
    let mut tar = tar::Archive::new(data.take(DATA_LIMIT));
    for entry in tar.entries()? {
        let mut entry = entry?;
        if entry.header().entry_type() != tar::EntryType::Regular {
            continue;
        }
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let path = format!("/{}", path.trim_start_matches("./").trim_start_matches('/'));
        let mut head = Vec::with_capacity(64);
        entry.by_ref().take(64).read_to_end(&mut head)?;
        if program_machine(&head) == Some(machine) && !is_by_product(&path) {
            let name = path.rsplit('/').next().unwrap_or_default().to_owned();
            labels.push(Label { path, name });
        }
    }
    Ok(labels)
}

/// Whether a packaged file is no result of the project's build proper.
fn is_by_product(path: &str) -> bool {
    path.starts_with("/usr/lib/debug/")
        || path.rsplit('.').next() == Some("debug")
        || path
            .split('/')
            .any(|part| matches!(part, "installed-tests" | "doc" | "examples" | "tests"))
}

/// The language whose version is part of a label's place, when there is one.
pub(super) fn language(path: &str) -> Option<&'static str> {
    const PLACES: [(&str, &str); 12] = [
        ("/python3", "Python"),
        ("/perl5/", "Perl"),
        ("/perl/", "Perl"),
        ("/ruby/", "Ruby"),
        ("/R/", "R"),
        ("/jni/", "Java"),
        ("/ocaml/", "OCaml"),
        ("/php/", "PHP"),
        ("/nodejs/", "JavaScript"),
        ("/erlang/", "Erlang"),
        ("/lua/", "Lua"),
        ("/guile/", "Guile"),
    ];
    PLACES
        .iter()
        .find(|(place, _)| path.contains(place))
        .map(|(_, language)| *language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn junk_is_no_package() {
        assert!(labels(b"junk", 62).is_err());
        assert!(labels(b"!<arch>\n", 62).is_err());
    }

    #[test]
    fn bindings_show_their_language() {
        assert_eq!(language("/usr/lib/python3/dist-packages/hull.so"), Some("Python"));
        assert_eq!(language("/usr/lib/x86_64-linux-gnu/libhull.so.1"), None);
    }
}
