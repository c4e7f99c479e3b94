//! Repairs that need more than a pattern: they are made from names in the log and from the tree.

use seatrial_core::{Purpose, RelaxationClass};
use seatrial_diagnosis::Kind;

use super::{
    Rank, Repair, Situation,
    missing::in_tree,
    rules::{add, both, repair},
};
use crate::{
    detect::is_quotable,
    pattern::Pattern,
    tree::{is_side_folder, parent},
};

/// A header of the project's own that the compiler does not find: its folder joins the search path.
pub(super) fn own_headers(situation: &Situation<'_>, found: &mut Vec<Repair>) {
    if situation.phase != Purpose::Build {
        return;
    }
    let mut folders: Vec<String> = Vec::new();
    for problem in super::missing::problems(situation.diagnosis) {
        let name = problem.subject.trim_start_matches("./");
        if problem.kind != Kind::MissingHeader || name.contains("..") || !in_tree(situation.tree, name) {
            continue;
        }
        let best = situation
            .tree
            .files()
            .filter(|path| *path == name || path.strip_suffix(name).is_some_and(|rest| rest.ends_with('/')))
            .min_by_key(|path| (is_side_folder(parent(path)), path.matches('/').count()));
        let Some(folder) = best.and_then(|path| path.strip_suffix(name)) else {
            continue;
        };
        let folder = folder.trim_end_matches('/').to_owned();
        if is_quotable(&folder) && !folder.contains(' ') && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    if folders.is_empty() {
        return;
    }
    let subject = folders.join(" ");
    let what = format!(
        "search headers in {}",
        folders
            .iter()
            .map(|folder| place(folder))
            .collect::<Vec<_>>()
            .join(", ")
    );
    found.push(repair(
        situation,
        (RelaxationClass::Link, "own-headers", &subject),
        what,
        "the project has the missing header itself".to_owned(),
        Rank::First,
        |settings| {
            for folder in &folders {
                let path = if folder.is_empty() {
                    seatrial_core::BOX_SOURCE.to_owned()
                } else {
                    format!("{}/{folder}", seatrial_core::BOX_SOURCE)
                };
                both(settings, &format!("-I{path}"));
            }
        },
    ));
}

fn place(folder: &str) -> String {
    if folder.is_empty() {
        "the top folder".to_owned()
    } else {
        folder.to_owned()
    }
}

/// Libraries of the box that define the symbols that a link misses.
pub(super) fn libraries(situation: &Situation<'_>, found: &mut Vec<Repair>) {
    if situation.libraries.is_empty() {
        return;
    }
    let words = situation.libraries.join(" ");
    found.push(repair(
        situation,
        (RelaxationClass::Link, "libraries", &words),
        format!("link with {words}"),
        "these libraries have the symbols that a link misses".to_owned(),
        Rank::Beside,
        |settings| {
            settings.shims = true;
            add(&mut settings.link_flags, "-Wl,--no-as-needed");
            for flag in situation.libraries {
                add(&mut settings.link_flags, flag);
            }
        },
    ));
}

static UNDEFINED: Pattern = Pattern::new(r"undefined reference to .([A-Za-z_][A-Za-z0-9_]*)\W");
/// `extern inline` was no definition once, so that the real one could follow it.
static REDEFINED: Pattern = Pattern::new(r"error: redefinition of [^\w\s]{1,3}([A-Za-z_][A-Za-z0-9_]*)\W");

/// Inline functions of C without a definition that others can link to, or with one too many: their meaning changed, and
/// `-O0` inlines none.
pub(super) fn inline_functions(situation: &Situation<'_>, found: &mut Vec<Repair>) {
    if situation.phase != Purpose::Build {
        return;
    }
    let mut symbols = UNDEFINED.all(situation.log);
    let is_undefined = !symbols.is_empty();
    symbols.extend(REDEFINED.all(situation.log));
    symbols.sort_unstable();
    symbols.dedup();
    symbols.truncate(40);
    if symbols.is_empty() {
        return;
    }
    let sources = situation.tree.files().filter(|path| {
        std::path::Path::new(path)
            .extension()
            .is_some_and(|end| end == "c" || end == "h")
    });
    let is_inline = sources.take(600).any(|path| {
        let text = situation.tree.text(path).unwrap_or_default();
        let mut inline_before = false;
        text.lines().any(|line| {
            let inline = line.contains("inline") || line.contains("INLINE");
            // The name may stand on the line after the word.
            let hit = (inline || inline_before) && symbols.iter().any(|symbol| line.contains(symbol));
            inline_before = inline;
            hit
        })
    });
    if !is_inline {
        return;
    }
    let why = if is_undefined {
        "an inline function has no definition that others can link to"
    } else {
        "an inline function is defined again, as it once had to be"
    };
    found.push(repair(
        situation,
        (RelaxationClass::Standard, "old-inline", ""),
        "give inline its meaning of 1989".to_owned(),
        why.to_owned(),
        Rank::After,
        |settings| {
            settings.shims = true;
            add(&mut settings.c_flags, "-fgnu89-inline");
        },
    ));
    if !is_undefined {
        return;
    }
    found.push(repair(
        situation,
        (RelaxationClass::Flags, "inline-optimised", ""),
        "compile with -O1".to_owned(),
        why.to_owned(),
        Rank::After,
        |settings| {
            settings.shims = true;
            settings.optimisation = "-O1";
        },
    ));
}

static UNKNOWN_FLAG: Pattern = Pattern::new(
    r"unrecognized command.line option [^\w\s-]*(-[A-Za-z0-9_+=.-]+)|unrecognized argument in option [^\w\s-]*(-[A-Za-z0-9_+=.-]+)|bad value [^\n]* for [^\w\s-]*(-m[a-z]+=?)|unknown value [^\n]* for [^\w\s-]*(-m[a-z]+=?)|argument to [^\w\s-]*(-O)[^\w\s-]* should be",
);
static OTHER_WIDTH: Pattern = Pattern::new(
    r"skipping incompatible|bits/libc-header-start\.h: No such file|gnu/stubs-32\.h|sys/cdefs\.h: No such file|cannot find -lgcc\b",
);

/// Flags that this compiler refuses, or that ask for another machine: the wrappers drop them.
pub(super) fn unknown_flags(situation: &Situation<'_>, found: &mut Vec<Repair>) {
    let mut flags: Vec<String> = Vec::new();
    for flag in UNKNOWN_FLAG.all(situation.log) {
        // A value that is refused is dropped with its option, whatever it is.
        let word = if flag.ends_with('=') || flag.starts_with("-m") && !flag.contains('=') && flag.len() < 8 {
            format!("{}*", flag.trim_end_matches('='))
        } else {
            flag.to_owned()
        };
        add(&mut flags, &word);
    }
    if OTHER_WIDTH.is_match(situation.log) {
        add(&mut flags, "-m32");
    }
    flags.truncate(12);
    if flags.is_empty() {
        return;
    }
    let words = flags.join(" ");
    found.push(repair(
        situation,
        (RelaxationClass::Flags, "flags", &words),
        format!("drop {words} from compiler calls"),
        "this compiler, or this machine, does not have them".to_owned(),
        Rank::First,
        |settings| {
            settings.shims = true;
            for flag in &flags {
                add(&mut settings.refused_flags, flag);
            }
        },
    ));
}

static OLD_PLACE: Pattern = Pattern::new(
    r"/usr(?:/local)?/lib(?:64)?/lib([A-Za-z0-9_+-]+)\.(?:a|so)\b[^\n]*\b(?:no\b|not found|No such file|missing)",
);

/// A configure script that looks for a library's file where distributions had it before they had several architectures.
pub(super) fn multiarch_links(situation: &Situation<'_>, found: &mut Vec<Repair>) {
    let mut names = OLD_PLACE.all(situation.log);
    names.sort_unstable();
    names.dedup();
    names.truncate(8);
    if names.is_empty() {
        return;
    }
    let words = names.join(" ");
    found.push(repair(
        situation,
        (RelaxationClass::Link, "multiarch", &words),
        format!("lay links in /usr/lib to the libraries {words}"),
        "the project looks for their files there, and this distribution has them one folder deeper".to_owned(),
        Rank::After,
        |settings| {
            settings.prepare.push((
                "the project looks for these libraries in /usr/lib itself".to_owned(),
                format!(
                    "for name in {words}; do\n  for file in /usr/lib/*-linux-gnu*/lib$name.a /usr/lib/*-linux-gnu*/lib$name.so; do\n    \
                     if [ -e \"$file\" ]; then ln -sf \"$file\" /usr/lib/; fi\n  done\ndone"
                ),
            ));
        },
    ));
}

static KNOWN_HEADER: Pattern = Pattern::new(
    r"(?:is defined in header|include) [^\w\s]*<([a-z][a-z0-9_/]*(?:\.h)?)>[^\n]*(?:did you forget|or provide a declaration|; )",
);

/// Headers that the compiler itself says are not included.
pub(super) fn named_headers(situation: &Situation<'_>, found: &mut Vec<Repair>) {
    if situation.phase != Purpose::Build {
        return;
    }
    let mut headers = KNOWN_HEADER.all(situation.log);
    headers.sort_unstable();
    headers.dedup();
    headers.truncate(8);
    if headers.is_empty() {
        return;
    }
    let words = headers.join(" ");
    found.push(repair(
        situation,
        (RelaxationClass::OldApi, "headers", &words),
        format!("include {words} in every file"),
        "the compiler says that names of these headers are used without them".to_owned(),
        Rank::After,
        |settings| {
            settings.shims = true;
            for header in &headers {
                let flag = format!("-include {header}");
                if header.contains('.') {
                    add(&mut settings.c_flags, &flag);
                }
                add(&mut settings.cxx_flags, &flag);
            }
        },
    ));
}

/// A header of an installed library that lies in a folder of its own below the usual ones: that folder joins the search
/// path. The box was asked.
pub(super) fn include_folders(situation: &Situation<'_>, found: &mut Vec<Repair>) {
    if situation.include_folders.is_empty() {
        return;
    }
    let words = situation.include_folders.join(" ");
    found.push(repair(
        situation,
        (RelaxationClass::Link, "include-folders", &words),
        format!("search headers in {words}"),
        "a package has the missing header, in a folder that the build files do not name".to_owned(),
        Rank::First,
        |settings| {
            for folder in situation.include_folders {
                both(settings, &format!("-I{folder}"));
            }
        },
    ));
}

static CLASH: Pattern = Pattern::new(
    r"error: (?:static declaration of|conflicting types for) .{1,3}?([A-Za-z_]\w*)(?:[^\n]*\n){1,9}?/usr/include/([A-Za-z0-9_./+-]+?):\d+:\d+: note: previous declaration",
);

/// Functions of the project's own whose names the C library has taken since: in its sources they get another name.
pub(super) fn own_names(situation: &Situation<'_>, found: &mut Vec<Repair>) {
    if situation.phase != Purpose::Build {
        return;
    }
    let mut names: Vec<String> = Vec::new();
    let mut headers: Vec<String> = Vec::new();
    for groups in CLASH.groups(situation.log) {
        let [name, header] = groups.as_slice() else { continue };
        // Parts of a library's header are reached by way of the header itself.
        if !header.contains("bits/") {
            add(&mut names, name);
            add(&mut headers, header.trim_start_matches("x86_64-linux-gnu/"));
        }
    }
    names.truncate(12);
    if names.is_empty() {
        return;
    }
    let words = names.join(" ");
    let includes: String = headers
        .iter()
        .fold(String::new(), |text, header| text + "#include <" + header + ">\\n");
    let defines: String = names.iter().fold(String::new(), |text, name| {
        text + "#define " + name + " own_" + name + "\\n"
    });
    let command = format!(
        "mkdir -p \"$OUT/own\"\nprintf '#ifndef __ASSEMBLER__\\n{includes}{defines}#endif\\n' > \"$OUT/own/names.h\""
    );
    found.push(repair(
        situation,
        (RelaxationClass::OldApi, "own-names", &words),
        format!("give the project's {words} another name"),
        "the C library has functions of the same names, with other types".to_owned(),
        Rank::After,
        |settings| {
            settings.shims = true;
            settings.prepare.push((
                "the C library has taken names that the project uses".to_owned(),
                command,
            ));
            add(&mut settings.c_flags, "-include $OUT/own/names.h");
        },
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_compile() {
        assert!(
            UNDEFINED.compiles()
                && REDEFINED.compiles()
                && UNKNOWN_FLAG.compiles()
                && OTHER_WIDTH.compiles()
                && OLD_PLACE.compiles()
                && KNOWN_HEADER.compiles()
        );
        assert!(CLASH.compiles());
        let log = "formisc.h:20:2: error: conflicting types for 'getline'; have 'int(void)'\n   20 | getline P((void));\n      |\nIn file included from includes.h:1:\n/usr/include/stdio.h:645:18: note: previous declaration of 'getline' with type\n";
        assert_eq!(CLASH.groups(log), [["getline", "stdio.h"]]);
        // The header's name goes into a command.
        let log = log.replace("stdio.h:645", "x';reboot;'.h:645");
        assert!(CLASH.groups(&log).is_empty());
    }
}
