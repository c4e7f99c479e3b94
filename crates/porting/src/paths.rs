//! Paths of one architecture: its library folder, its name.

use regex::Regex;
use seatrial_core::Arch;

use crate::{
    Repair,
    case::Case,
    draft::{Draft, split},
    flags::{BuildFile, build_files},
    recipe::know,
    table::Sign,
};

/// Names of library folders that another architecture has.
fn foreign(case: &Case<'_>) -> Vec<&'static str> {
    let own = case.target().triplet();
    [
        Arch::X86_64,
        Arch::Aarch64,
        Arch::I686,
        Arch::Armv7l,
        Arch::Ppc64le,
        Arch::Riscv64,
        Arch::S390x,
    ]
    .into_iter()
    .map(Arch::triplet)
    .filter(|triplet| *triplet != own)
    .collect()
}

/// Whether the text is a list of files of debhelper.
fn is_list(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    path.starts_with("debian/")
        && [
            "install",
            "links",
            "dirs",
            "manpages",
            "examples",
            "docs",
            "not-installed",
            "lintian-overrides",
        ]
        .iter()
        .any(|ending| name == *ending || name.ends_with(&format!(".{ending}")))
}

/// Repairs for paths with the name of another architecture in them.
pub(crate) fn repairs(case: &Case<'_>, signs: &[Sign]) -> Vec<Repair> {
    let Some(sign) = signs.first() else { return Vec::new() };
    let triplets = foreign(case);
    let mut draft = Draft::new(case);
    let lists: Vec<String> = case.files.iter().filter(|path| is_list(path)).cloned().collect();
    for path in lists {
        draft.edit(&path, |text| {
            let lines: Vec<String> = split(text)
                .into_iter()
                .map(|line| globbed(&line, &triplets, &path))
                .collect();
            Some(lines.concat())
        });
    }
    let target = case.target();
    let works_on = case.works_on();
    for (path, kind) in build_files(case) {
        draft.edit(&path, |text| {
            let mut new = text.to_owned();
            for triplet in &triplets {
                let stand_in = match kind {
                    BuildFile::Rules => "$(DEB_HOST_MULTIARCH)",
                    BuildFile::Make => "$(shell $(CC) -print-multiarch)",
                    BuildFile::CMake => "${CMAKE_LIBRARY_ARCHITECTURE}",
                    BuildFile::Autoconf | BuildFile::Shell => "`${CC:-cc} -print-multiarch`",
                    BuildFile::Spec | BuildFile::Meson | BuildFile::Python | BuildFile::Qmake => continue,
                };
                // A compiler that is named by its machine is no path.
                let path = Regex::new(&format!(r"(/){}(/|[\s'\x22);:]|$)", regex::escape(triplet))).ok()?;
                new = path
                    .replace_all(&new, |found: &regex::Captures<'_>| {
                        format!("/{stand_in}{}", found.get(2).map_or("", |part| part.as_str()))
                    })
                    .into_owned();
            }
            if kind == BuildFile::Rules && new != text {
                new = know(&new, "DEB_HOST_MULTIARCH");
            }
            if kind == BuildFile::Spec {
                new = spec_paths(text, target, works_on);
            }
            Some(new)
        });
    }
    draft
        .finish(
            "library-path",
            80,
            "name the architecture's own folder instead of another one's",
            sign.quote("a path has the name of another architecture's folder in it"),
        )
        .into_iter()
        .collect()
}

/// A line of a list with a star where the architecture's name was; where what is installed keeps its folder, the second
/// column is not needed.
fn globbed(line: &str, triplets: &[&str], path: &str) -> String {
    let mut new = line.to_owned();
    for triplet in triplets {
        let words: Vec<&str> = new.split_whitespace().collect();
        if words.iter().all(|word| !word.contains(triplet)) || new.trim_start().starts_with('#') {
            continue;
        }
        // A star cannot stand in the place where something goes: there the name must be asked for, which debhelper does.
        let is_target = path.ends_with("links") || path.ends_with("dirs");
        new = match words.as_slice() {
            [one, two] if path.ends_with("install") && two.contains(triplet) => {
                format!(
                    "{} {}\n",
                    one.replace(triplet, "*"),
                    two.replace(triplet, "${DEB_HOST_MULTIARCH}")
                )
            }
            _ if is_target => new.replace(triplet, "${DEB_HOST_MULTIARCH}"),
            _ => new.replace(triplet, "*"),
        };
    }
    new
}

/// A spec with macros instead of one machine's folders, in what is installed and listed.
fn spec_paths(text: &str, target: Arch, works_on: Arch) -> String {
    let mut section = String::new();
    let replace = |line: &str| {
        let mut new = line
            .replace("%{_prefix}/lib64", "%{_libdir}")
            .replace("%{_exec_prefix}/lib64", "%{_libdir}");
        if let Ok(folder) = Regex::new(r"(%\{buildroot\}|\$RPM_BUILD_ROOT|\$\{RPM_BUILD_ROOT\}|^|\s|=)/usr/lib64\b") {
            new = folder.replace_all(&new, "${1}%{_libdir}").into_owned();
        }
        for name in [works_on.as_str(), works_on.triplet()] {
            if new.contains(name) && name != target.as_str() && !new.trim_start().starts_with("%if") {
                let stand_in = if name.contains("-linux") {
                    "%{_arch}-linux-gnu"
                } else {
                    "%{_arch}"
                };
                new = new.replace(name, stand_in);
            }
        }
        new
    };
    split(text)
        .into_iter()
        .map(|line| {
            if let Some(word) = line
                .strip_prefix('%')
                .and_then(|rest| rest.split(|c: char| !c.is_ascii_alphabetic()).next())
                && matches!(
                    word,
                    "files"
                        | "install"
                        | "build"
                        | "check"
                        | "prep"
                        | "description"
                        | "package"
                        | "changelog"
                        | "post"
                        | "pre"
                        | "conf"
                )
            {
                word.clone_into(&mut section);
            }
            if matches!(section.as_str(), "files" | "install" | "build" | "check" | "conf") {
                replace(&line)
            } else {
                line
            }
        })
        .collect()
}
