//! The size of a page of memory, which is not the same everywhere.

use regex::Regex;

use crate::{
    Repair,
    case::Case,
    draft::{Draft, split},
    table::Sign,
};

/// A definition that asks the system, or a constant that is enough everywhere where a constant is needed.
fn definition(name: &str, text: &str) -> String {
    let constant = Regex::new(&format!(
        r"(?m)\[[^\]\n]*\b{name}\b[^\]\n]*\]|^\s*#\s*(?:el)?if\b[^\n]*\b{name}\b|^static[^\n=(]*=[^\n]*\b{name}\b"
    ))
    .is_ok_and(|constant| constant.is_match(text));
    match (name, constant) {
        // The largest page of any processor that distributions build for.
        ("PAGE_SHIFT", _) => "#define PAGE_SHIFT 16\n".to_owned(),
        ("PAGE_MASK", _) => "#define PAGE_MASK (~((unsigned long) sysconf(_SC_PAGESIZE) - 1))\n".to_owned(),
        (_, true) => format!("#define {name} 65536\n"),
        (_, false) => format!("#define {name} ((unsigned long) sysconf(_SC_PAGESIZE))\n"),
    }
}

/// Repairs for names of the page's size that are not there, and for tests that fail where it is written as a number.
pub(crate) fn repairs(case: &Case<'_>, signs: &[Sign]) -> Vec<Repair> {
    let Some(sign) = signs.first() else { return Vec::new() };
    let mut draft = Draft::new(case);
    for sign in signs {
        let (Some((file, _)), Some(name)) = (sign.place(), sign.names().find(|name| name.contains("PAGE"))) else {
            continue;
        };
        let Some(path) = case.locate(file) else { continue };
        let name = name.to_owned();
        draft.edit(&path, |text| {
            if Regex::new(&format!(r"(?m)^\s*#\s*define\s+{name}\b"))
                .ok()?
                .is_match(text)
            {
                return None;
            }
            let mut lines = split(text);
            let last = lines
                .iter()
                .rposition(|line| line.trim_start().starts_with("#include"))
                .map_or(0, |at| at + 1);
            lines.insert(
                last,
                format!(
                    "#include <unistd.h>\n#ifndef {name}\n{}#endif\n",
                    definition(&name, text)
                ),
            );
            Some(lines.concat())
        });
    }
    let mut repairs: Vec<Repair> = draft
        .finish(
            "page-size",
            84,
            "ask the system for the size of a page",
            sign.quote("the headers of this architecture have no such constant, because the size differs"),
        )
        .into_iter()
        .collect();
    let mut draft = Draft::new(case);
    let Ok(fixed) =
        Regex::new(r"^\s*#\s*define\s+(\w*PAGE_?SIZE\w*)\s+\(?(?:4096|0x1000|1\s*<<\s*12)[uUlL]*\)?\s*(?:/[*/].*)?$")
    else {
        return repairs;
    };
    let sources: Vec<String> = case.sources().map(str::to_owned).collect();
    for path in sources {
        draft.edit(&path, |text| {
            let uses_memory = ["mmap", "mprotect", "memalign", "madvise", "munmap"]
                .iter()
                .any(|word| text.contains(word));
            let lines: Vec<String> = split(text)
                .into_iter()
                .map(
                    |line| match fixed.captures(line.trim_end()).and_then(|found| found.get(1)) {
                        Some(name) if uses_memory => format!(
                            "#include <unistd.h>\n{}",
                            definition(name.as_str(), &text.replace(line.as_str(), ""))
                        ),
                        _ => line,
                    },
                )
                .collect();
            Some(lines.concat())
        });
    }
    repairs.extend(draft.finish(
        "page-size",
        58,
        "ask the system for the size of a page",
        sign.quote("the source takes a page for 4096 bytes, and pages are larger here"),
    ));
    repairs
}
