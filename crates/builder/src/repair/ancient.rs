//! Constructs of C that compilers once took and that no option brings back: the sources are edited where they have them.

use seatrial_core::{Purpose, RelaxationClass};

use super::{
    Rank, Repair, Situation,
    rules::{add, repair},
};
use crate::{pattern::Pattern, plan::is_plain, tree::base};

/// What a compiler says of a construct, how the construct looks, and the edits by which it says the same in present C.
struct Construct {
    complaint: Pattern,
    text: Pattern,
    edits: &'static [&'static str],
    what: &'static str,
}

/// Files beyond which this is no matter of a few old lines.
const FILES: usize = 80;

static CONSTRUCTS: [Construct; 2] = [
    Construct {
        complaint: Pattern::new(
            r"error: (?:invalid lvalue in (?:increment|decrement|assignment)|lvalue required as (?:increment|decrement|left) operand)",
        ),
        text: Pattern::new(
            r"(?m)\(\([A-Za-z_][A-Za-z0-9_ ]*\*+ *\) *(?:\([A-Za-z_][A-Za-z0-9_]*\)|[A-Za-z_][A-Za-z0-9_]*)\) *(?:\+\+|--|[-+]=)|^[ \t]*\([A-Za-z_][A-Za-z0-9_ ]*\*+ *\) *[A-Za-z_][A-Za-z0-9_]* *[-+]?=[^=]",
        ),
        edits: &[
            r"s/\(\(([A-Za-z_][A-Za-z0-9_ ]*\*+) *\) *(\([A-Za-z_][A-Za-z0-9_]*\)|[A-Za-z_][A-Za-z0-9_]*)\) *(\+\+|--|[-+]=)/(*(\1*)\&\2)\3/g",
            r"s/^([ \t]*)\(([A-Za-z_][A-Za-z0-9_ ]*\*+) *\) *([A-Za-z_][A-Za-z0-9_]*) *([-+]?=[^=])/\1(*(\2*)\&\3) \4/",
        ],
        what: "what a cast yields is assigned to",
    },
    Construct {
        complaint: Pattern::new(r"error: (?:pointers are not permitted as case values|case label does not reduce)"),
        text: Pattern::new(r"\bcase +NULL *:"),
        edits: &[r"s/\bcase +NULL *:/case 0:/g"],
        what: "NULL is a case of numbers",
    },
];

/// Edits the files that have such constructs and that the compiler complains of.
pub(super) fn constructs(situation: &Situation<'_>, found: &mut Vec<Repair>) {
    if situation.phase != Purpose::Build {
        return;
    }
    for construct in &CONSTRUCTS {
        let complaints: Vec<&str> = situation
            .log
            .lines()
            .filter(|line| construct.complaint.is_match(line))
            .collect();
        if complaints.is_empty() {
            continue;
        }
        let is_old = |path: &&str| {
            let name = base(path);
            std::path::Path::new(path)
                .extension()
                .is_some_and(|end| end == "c" || end == "h")
                && is_plain(path)
                && complaints.iter().any(|line| names(line, name))
                && construct.text.is_match(&situation.tree.text(path).unwrap_or_default())
        };
        let files: Vec<&str> = situation.tree.files().filter(is_old).take(FILES).collect();
        if files.is_empty() {
            continue;
        }
        let mut command = "cd \"$SRC\" && sed -E -i".to_owned();
        for edit in construct.edits {
            command = command + " \\\n  -e '" + edit + "'";
        }
        for file in &files {
            command = command + " \\\n  ./" + file;
        }
        let subject = files.join(" ");
        found.push(repair(
            situation,
            (RelaxationClass::Source, "ancient-c", &subject),
            format!("write in present C that {}: {subject}", construct.what),
            "compilers took it long ago, and no option makes this one take it".to_owned(),
            Rank::After,
            |settings| {
                let edit = (format!("old C is written anew where {}", construct.what), command);
                if !settings.prepare.contains(&edit) {
                    settings.prepare.push(edit);
                }
                // A definition that was tolerated beside another one is of the same age.
                settings.shims = true;
                add(&mut settings.c_flags, "-fcommon");
            },
        ));
    }
}

/// Whether a line of the compiler is about a file of this name.
fn names(line: &str, name: &str) -> bool {
    line.split(':').next().is_some_and(|path| base(path.trim()) == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_compile_and_know_the_old_from_the_present() {
        for construct in &CONSTRUCTS {
            assert!(construct.complaint.compiles() && construct.text.compiles());
        }
        let [cast, _] = &CONSTRUCTS;
        for old in [
            "x = *((short *) (at))++;",
            "((char*)p) += 4;",
            "  (char *) p += 4;\n",
            "((unsigned long *)q)--;",
        ] {
            assert!(cast.text.is_match(old), "{old}");
        }
        for present in [
            "x = *(*(short **)&(at))++;",
            "y = (char *) p + 4;",
            "if ((char *) p == q)",
            "((void) p);",
        ] {
            assert!(!cast.text.is_match(present), "{present}");
        }
        assert!(names("lib/swap.h:3:7: error: lvalue", "swap.h") && !names("swap.h.c:3: x", "swap.h"));
    }
}
