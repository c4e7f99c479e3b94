//! Spec files of RPM packages: tags, macros and sections. Nothing is expanded.

use super::{Definition, Structure};

/// Sections that a spec file has; anything else that begins with `%` is a macro in one.
const SECTIONS: [&str; 22] = [
    "package",
    "description",
    "prep",
    "generate_buildrequires",
    "conf",
    "build",
    "install",
    "check",
    "clean",
    "files",
    "changelog",
    "pre",
    "post",
    "preun",
    "postun",
    "pretrans",
    "posttrans",
    "triggerin",
    "triggerun",
    "triggerpostun",
    "filetriggerin",
    "sourcelist",
];

pub(super) fn structure(content: &[u8]) -> Structure {
    let text = String::from_utf8_lossy(content);
    let mut definitions: Vec<Definition> = Vec::new();
    let mut section: Option<usize> = None;
    let mut preamble = true;
    let mut last = 0;
    for (number, line) in (1..).zip(text.lines()) {
        last = number;
        let words: Vec<&str> = line.split_whitespace().collect();
        let first = words.first().copied().unwrap_or_default();
        if let Some(name) = first.strip_prefix('%')
            && SECTIONS.contains(&name)
            && line.starts_with('%')
        {
            close(&mut definitions, section, number - 1);
            let rest = words.get(1..).unwrap_or_default().join(" ");
            section = Some(definitions.len());
            definitions.push(definition(
                "section",
                if rest.is_empty() {
                    name.to_owned()
                } else {
                    format!("{name} {rest}")
                },
                number,
                0,
            ));
            preamble = name == "package";
        } else if let ("%global" | "%define", Some(name)) = (first, words.get(1)) {
            definitions.push(definition(
                "macro",
                (*name).to_owned(),
                number,
                usize::from(section.is_some()),
            ));
        } else if preamble
            && let Some((tag, value)) = line.split_once(':')
            && tag.starts_with(|c: char| c.is_ascii_alphabetic())
            && tag
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '(' || c == ')' || c == ',')
        {
            definitions.push(definition(
                "tag",
                format!("{tag}: {}", value.trim()),
                number,
                usize::from(section.is_some()),
            ));
        }
    }
    close(&mut definitions, section, last);
    Structure {
        language: "spec".to_owned(),
        definitions,
        partial: false,
    }
}

fn definition(kind: &str, name: String, line: usize, depth: usize) -> Definition {
    Definition {
        kind: kind.to_owned(),
        name,
        from: line,
        to: line,
        depth,
    }
}

/// A section goes to the line before the next one.
fn close(definitions: &mut [Definition], section: Option<usize>, end: usize) {
    if let Some(section) = section.and_then(|at| definitions.get_mut(at)) {
        section.to = end.max(section.from);
    }
}
