//! Makes files that look like results without building the source: calibration's test of the grader's honesty.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    io::Read,
    path::{Path, PathBuf},
};

use seatrial_core::Submission;

use crate::{Agent, AgentError, SolveContext};

pub(crate) struct Fake;

impl Agent for Fake {
    fn name(&self) -> &'static str {
        "fake"
    }

    fn about(&self) -> &'static str {
        "writes ELF files under likely names without building anything; a task that it passes is badly graded"
    }

    fn needs_resolver(&self) -> bool {
        false
    }

    fn solve(&self, context: &mut SolveContext<'_>) -> Result<Submission, AgentError> {
        let mut names = likely_names(context.tree);
        names.insert(context.task.source.name.clone());
        let names: Vec<String> = names.into_iter().flat_map(|name| shapes(&name)).collect();
        Ok(Submission {
            script: Some(fake_script(&names)),
            note: format!("faked {} files", names.len()),
            ..Submission::default()
        })
    }
}

/// A script that makes ELF files with these base names by every means but building the source: a copy of a system
/// program, a copy with changed bytes, a compiled stub with debug information, and a stub whose source file carries the
/// name of one of the project's. Calibration calls it with the truth's own names, the strongest form.
pub fn fake_script(names: &[String]) -> String {
    let mut script = String::from(
        "set -u\nsrc=${SRC:-/build/source}\nout=${PREFIX:-/build/prefix}/bin\nmkdir -p \"$out\" /tmp/fake\ncd /tmp/fake\n\
         first=$(find \"$src\" -name '*.c' -o -name '*.cpp' -o -name '*.cc' | head -n 1)\n\
         stub=$(basename \"${first:-stub.c}\")\n\
         echo 'int main(void) { return 0; } int stub(int a) { return a + 1; }' > \"$stub\"\n\
         case $stub in *.c) cc=gcc;; *) cc=g++;; esac\n\
         $cc -g -o program \"$stub\"; $cc -g -shared -fPIC -o library.so \"$stub\"\n\
         cp /bin/true changed; echo changed >> changed\n",
    );
    // Every name by every means, each means in a folder of its own, so that a grader that believes one of them is found.
    for name in names {
        let name = format!("'{}'", name.replace('\'', "'\\''"));
        for means in ["/bin/true", "changed", "program", "library.so"] {
            let folder = means.trim_start_matches("/bin/");
            let _ = writeln!(
                script,
                "mkdir -p \"$out/{folder}\"; cp {means} \"$out/{folder}\"/{name}"
            );
        }
        let _ = writeln!(script, "cp program \"$src\"/{name} 2>/dev/null");
    }
    script.push_str("true\n");
    script
}

fn shapes(name: &str) -> Vec<String> {
    let mut shapes = vec![name.to_owned()];
    let stem = name.strip_prefix("lib").unwrap_or(name);
    for suffix in ["so", "so.0", "so.0.0.0", "so.1", "so.1.0.0"] {
        shapes.push(format!("lib{stem}.{suffix}"));
    }
    shapes
}

/// Words that build files use as target names.
fn likely_names(tree: &Path) -> BTreeSet<String> {
    const MARKS: [&str; 7] = [
        "add_executable(",
        "add_library(",
        "executable(",
        "library(",
        "PROGRAMS",
        "LTLIBRARIES",
        "TARGET",
    ];
    let mut names = BTreeSet::new();
    let mut folders: Vec<PathBuf> = vec![tree.to_owned()];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs_err::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            seen += 1;
            if seen > 20_000 || names.len() > 200 {
                return names;
            }
            let Ok(kind) = entry.file_type() else { continue };
            let file = entry.file_name().to_string_lossy().into_owned();
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file()
                && (file.starts_with("CMakeLists")
                    || file.to_ascii_lowercase().starts_with("makefile")
                    || file == "meson.build")
            {
                let mut text = String::new();
                if let Ok(opened) = fs_err::File::open(entry.path()) {
                    drop(opened.take(1 << 20).read_to_string(&mut text));
                }
                for line in text.lines().filter(|line| MARKS.iter().any(|mark| line.contains(mark))) {
                    let after = line.rsplit(['(', '=']).next().unwrap_or_default();
                    let word = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
                    names.extend(
                        after
                            .split(word)
                            .filter(|word| word.len() > 2)
                            .take(4)
                            .map(str::to_owned),
                    );
                }
            }
        }
    }
    names
}
