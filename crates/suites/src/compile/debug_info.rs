//! What debug information and symbols of an ELF file say about where it came from.
//!
//! Reads names only. Broken or hostile debug information gives fewer names, never an error.

use std::borrow::Cow;

use gimli::{EndianSlice, RunTimeEndian};
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, RelocationKind, RelocationTarget, SymbolKind};

use super::pinned::is_source;

/// Units that are looked at in one file.
const UNIT_LIMIT: usize = 20_000;
/// Bytes of one section that are inflated.
const SECTION_LIMIT: u64 = 2 << 30;

/// What an ELF file says about itself.
#[derive(Debug, Default)]
pub(super) struct Origin {
    /// The highest DWARF version of its units, when it has any.
    pub(super) dwarf: Option<u16>,
    /// The sources that its units name: as written, and joined to the unit's folder.
    pub(super) units: Vec<UnitName>,
    /// `STT_FILE` symbols.
    pub(super) files: Vec<String>,
    /// Functions that it defines, as symbols write them.
    pub(super) functions: Vec<String>,
    /// Whether it names a program interpreter: a program, even when it is position independent.
    pub(super) has_interpreter: bool,
}

/// The source of one unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnitName {
    /// `DW_AT_comp_dir`, empty when absent.
    pub(super) folder: String,
    /// `DW_AT_name`, or the name of a further source in its line table.
    pub(super) name: String,
}

impl UnitName {
    /// The places that the name can mean, cleaned of `.` and `..`.
    pub(super) fn paths(&self) -> Vec<String> {
        if self.name.starts_with('/') {
            return vec![clean(&self.name)];
        }
        let joined = clean(&format!("{}/{}", self.folder, self.name));
        if self.folder.starts_with('/') {
            return vec![joined];
        }
        // A compiler that was told to map its paths writes both relative to the top, each on its own.
        vec![joined, clean(&self.name)]
    }
}

/// Reads an ELF file.
pub(super) fn origin(bytes: &[u8]) -> Option<Origin> {
    let file = object::File::parse(bytes).ok()?;
    let mut origin = Origin {
        has_interpreter: file.section_by_name(".interp").is_some(),
        ..Origin::default()
    };
    for symbol in file.symbols() {
        let Ok(name) = symbol.name() else { continue };
        match symbol.kind() {
            SymbolKind::File => origin.files.push(name.to_owned()),
            SymbolKind::Text if symbol.is_definition() && !name.is_empty() => origin.functions.push(name.to_owned()),
            _ => {}
        }
    }
    // A broken unit ends the list; what came before it still counts.
    let _ = read_units(&file, &mut origin);
    Some(origin)
}

fn read_units(file: &object::File<'_>, origin: &mut Origin) -> gimli::Result<()> {
    let endian = if file.is_little_endian() {
        RunTimeEndian::Little
    } else {
        RunTimeEndian::Big
    };
    let sections = gimli::DwarfSections::load(|id| Ok::<_, gimli::Error>(section(file, id.name())))?;
    let dwarf = sections.borrow(|bytes| EndianSlice::new(bytes, endian));
    let mut headers = dwarf.units();
    let mut count = 0;
    while let Some(header) = headers.next()? {
        count += 1;
        if count > UNIT_LIMIT {
            break;
        }
        let version = header.version();
        let Ok(unit) = dwarf.unit(header) else { continue };
        origin.dwarf = origin.dwarf.max(Some(version));
        let text = |slice: EndianSlice<'_, RunTimeEndian>| String::from_utf8_lossy(slice.slice()).into_owned();
        let folder = unit.comp_dir.map(text).unwrap_or_default();
        if let Some(name) = unit.name {
            origin.units.push(UnitName {
                folder: folder.clone(),
                name: text(name),
            });
        }
        if let Some(program) = &unit.line_program {
            let header = program.header();
            for entry in header.file_names().iter().take(256) {
                let name = dwarf
                    .attr_string(&unit, entry.path_name())
                    .map(text)
                    .unwrap_or_default();
                if !is_source(&name) {
                    continue;
                }
                let below = entry
                    .directory(header)
                    .and_then(|attribute| dwarf.attr_string(&unit, attribute).ok())
                    .map(text)
                    .unwrap_or_default();
                let name = if below.is_empty() {
                    name
                } else {
                    format!("{below}/{name}")
                };
                origin.units.push(UnitName {
                    folder: folder.clone(),
                    name,
                });
            }
        }
    }
    Ok(())
}

/// A debug section, inflated, and in an object with the relocations that its offsets need.
fn section<'data>(file: &object::File<'data>, name: &str) -> Cow<'data, [u8]> {
    let Some(section) = file.section_by_name(name) else {
        return Cow::default();
    };
    if section.size() > SECTION_LIMIT {
        return Cow::default();
    }
    let Ok(mut data) = section.uncompressed_data() else {
        return Cow::default();
    };
    for (offset, relocation) in section.relocations() {
        if relocation.kind() != RelocationKind::Absolute || !matches!(relocation.size(), 32 | 64) {
            continue;
        }
        let RelocationTarget::Symbol(index) = relocation.target() else {
            continue;
        };
        let Ok(symbol) = file.symbol_by_index(index) else {
            continue;
        };
        let width = usize::from(relocation.size() / 8);
        let Ok(start) = usize::try_from(offset) else { continue };
        let Some(place) = data.to_mut().get_mut(start..start.saturating_add(width)) else {
            continue;
        };
        let mut value = symbol.address().wrapping_add_signed(relocation.addend());
        let little = file.is_little_endian();
        if relocation.has_implicit_addend() {
            let mut old = [0_u8; 8];
            if let Some(low) = old.get_mut(..width) {
                low.copy_from_slice(place);
                if !little {
                    low.reverse();
                }
            }
            value = value.wrapping_add(u64::from_le_bytes(old));
        }
        let bytes = value.to_le_bytes();
        let bytes = bytes.get(..width).unwrap_or_default();
        place.copy_from_slice(bytes);
        if !little {
            place.reverse();
        }
    }
    data
}

/// Takes `.` and `..` out of a path, without asking any file system.
pub(super) fn clean(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if path.starts_with('/') {
        format!("/{joined}")
    } else {
        joined
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_names_its_place() {
        let unit = |folder: &str, name: &str| {
            UnitName {
                folder: folder.to_owned(),
                name: name.to_owned(),
            }
            .paths()
        };
        assert_eq!(unit("/build/out/src", "../../source/a.c"), ["/build/source/a.c"]);
        assert_eq!(unit("/build/out", "/build/source/./a.c"), ["/build/source/a.c"]);
        assert_eq!(
            unit("/tmp", "a.c"),
            ["/tmp/a.c"],
            "a stub elsewhere is not the source of the same name"
        );
        assert_eq!(unit("./out", "./src/a.c"), ["out/src/a.c", "src/a.c"]);
        assert_eq!(unit(".", "src/a.c"), ["src/a.c", "src/a.c"]);
        assert_eq!(clean("/../../a"), "/a");
    }

    #[test]
    fn our_own_test_program_names_its_units() {
        let bytes = fs_err::read(std::env::current_exe().unwrap()).unwrap();
        let origin = origin(&bytes).unwrap();
        assert!(origin.dwarf.is_some());
        assert!(!origin.units.is_empty());
        assert!(origin.has_interpreter);
    }

    #[test]
    fn junk_gives_nothing() {
        assert!(origin(b"\x7fELF and no more").is_none());
    }
}
