//! The knobs that repairs turn.

use std::fmt::Write as _;

use seatrial_core::{Purpose, Relaxation, Step};

use super::{shell, step};
use crate::tree::base;

/// Settings of one run of a plan. The default is the usual way; a repair is a change of these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settings {
    /// `-O0`, or what code that does not compile without optimisation needs.
    pub(crate) optimisation: &'static str,
    /// Further flags for C.
    pub(crate) c_flags: Vec<String>,
    /// Further flags for C++.
    pub(crate) cxx_flags: Vec<String>,
    /// Flags of the project's own that this compiler does not know or that are for another machine.
    pub(crate) refused_flags: Vec<String>,
    /// Libraries at the end of every link.
    pub(crate) link_flags: Vec<String>,
    /// Compilers, `strip` and `sudo` are called through wrappers that add the flags and drop what would hide them.
    pub(crate) shims: bool,
    /// The wrappers leave `-Werror` as it is.
    pub(crate) keeps_errors: bool,
    /// One job at a time.
    pub(crate) serial: bool,
    /// Builds beside the sources.
    pub(crate) in_tree: bool,
    /// Generated Autotools files are made again.
    pub(crate) regenerate: bool,
    /// Generated Autotools files get times in the right order, so that Make does not want to make them again.
    pub(crate) touch: bool,
    /// Scripts lose their carriage returns.
    pub(crate) unix_lines: bool,
    /// Scripts become executable.
    pub(crate) executable_bits: bool,
    /// `config.guess` and `config.sub` are replaced by the distribution's.
    pub(crate) config_guess: bool,
    /// Further arguments of the configure step.
    pub(crate) arguments: Vec<String>,
    /// Usual arguments of the configure step that are left out.
    pub(crate) dropped: Vec<String>,
    /// Further arguments of the build tool.
    pub(crate) build_arguments: Vec<String>,
    /// Further commands before configuring, with their reasons.
    pub(crate) prepare: Vec<(String, String)>,
    /// Another compiler than the usual one, such as `clang` or `gcc-11`.
    pub(crate) compiler: Option<&'static str>,
    /// The compiler says that its version is one of a single digit.
    pub(crate) old_version: bool,
    /// Further targets of Make, each built after the usual one.
    pub(crate) targets: Vec<String>,
    /// Flags of single sources, after all others.
    pub(crate) for_files: Vec<FileFlags>,
    /// What these settings relax, in order.
    pub(crate) relaxations: Vec<Relaxation>,
    /// What each relaxation brought in, so that one can be taken out again.
    pub(crate) changes: Vec<Self>,
}

/// Flags of one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileFlags {
    /// Relative to the top of the tree.
    pub(crate) path: String,
    pub(crate) flags: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            optimisation: "-O0",
            c_flags: Vec::new(),
            cxx_flags: Vec::new(),
            refused_flags: Vec::new(),
            link_flags: Vec::new(),
            shims: false,
            keeps_errors: false,
            serial: false,
            in_tree: false,
            regenerate: false,
            touch: false,
            unix_lines: false,
            executable_bits: false,
            config_guess: false,
            arguments: Vec::new(),
            dropped: Vec::new(),
            build_arguments: Vec::new(),
            prepare: Vec::new(),
            compiler: None,
            old_version: false,
            targets: Vec::new(),
            for_files: Vec::new(),
            relaxations: Vec::new(),
            changes: Vec::new(),
        }
    }
}

impl Settings {
    /// What these settings do, without how it came to that.
    pub(crate) fn effect(&self) -> Self {
        Self {
            relaxations: Vec::new(),
            changes: Vec::new(),
            ..self.clone()
        }
    }

    pub(crate) fn c(&self) -> String {
        joined(self.optimisation, &self.c_flags)
    }

    pub(crate) fn cxx(&self) -> String {
        joined(self.optimisation, &self.cxx_flags)
    }

    /// Notes what the latest change, named by a relaxation, brought in.
    pub(crate) fn note(&mut self, earlier: &Self, relaxation: Relaxation) {
        self.relaxations.push(relaxation);
        let change = self.since(earlier);
        self.changes.push(change);
    }

    /// What of these settings was not in earlier ones.
    pub(crate) fn since(&self, earlier: &Self) -> Self {
        fn new<T: Clone + PartialEq>(now: &[T], before: &[T]) -> Vec<T> {
            now.iter().filter(|item| !before.contains(item)).cloned().collect()
        }
        Self {
            optimisation: if self.optimisation == earlier.optimisation {
                ""
            } else {
                self.optimisation
            },
            c_flags: new(&self.c_flags, &earlier.c_flags),
            cxx_flags: new(&self.cxx_flags, &earlier.cxx_flags),
            refused_flags: new(&self.refused_flags, &earlier.refused_flags),
            link_flags: new(&self.link_flags, &earlier.link_flags),
            shims: false,
            keeps_errors: false,
            serial: self.serial && !earlier.serial,
            in_tree: self.in_tree && !earlier.in_tree,
            regenerate: self.regenerate && !earlier.regenerate,
            touch: self.touch && !earlier.touch,
            unix_lines: self.unix_lines && !earlier.unix_lines,
            executable_bits: self.executable_bits && !earlier.executable_bits,
            config_guess: self.config_guess && !earlier.config_guess,
            arguments: new(&self.arguments, &earlier.arguments),
            dropped: new(&self.dropped, &earlier.dropped),
            build_arguments: new(&self.build_arguments, &earlier.build_arguments),
            prepare: new(&self.prepare, &earlier.prepare),
            compiler: self.compiler.filter(|_| self.compiler != earlier.compiler),
            old_version: self.old_version && !earlier.old_version,
            targets: new(&self.targets, &earlier.targets),
            for_files: new(&self.for_files, &earlier.for_files),
            relaxations: new(&self.relaxations, &earlier.relaxations),
            changes: Vec::new(),
        }
    }

    /// These settings without what a change brought in. The wrappers stay as they are.
    pub(crate) fn without(&self, change: &Self) -> Self {
        fn less<T: Clone + PartialEq>(now: &[T], gone: &[T]) -> Vec<T> {
            now.iter().filter(|item| !gone.contains(item)).cloned().collect()
        }
        Self {
            optimisation: if change.optimisation == self.optimisation {
                "-O0"
            } else {
                self.optimisation
            },
            c_flags: less(&self.c_flags, &change.c_flags),
            cxx_flags: less(&self.cxx_flags, &change.cxx_flags),
            refused_flags: less(&self.refused_flags, &change.refused_flags),
            link_flags: less(&self.link_flags, &change.link_flags),
            shims: self.shims,
            keeps_errors: self.keeps_errors,
            serial: self.serial && !change.serial,
            in_tree: self.in_tree && !change.in_tree,
            regenerate: self.regenerate && !change.regenerate,
            touch: self.touch && !change.touch,
            unix_lines: self.unix_lines && !change.unix_lines,
            executable_bits: self.executable_bits && !change.executable_bits,
            config_guess: self.config_guess && !change.config_guess,
            arguments: less(&self.arguments, &change.arguments),
            dropped: less(&self.dropped, &change.dropped),
            build_arguments: less(&self.build_arguments, &change.build_arguments),
            prepare: less(&self.prepare, &change.prepare),
            compiler: self.compiler.filter(|_| change.compiler.is_none()),
            old_version: self.old_version && !change.old_version,
            targets: less(&self.targets, &change.targets),
            for_files: less(&self.for_files, &change.for_files),
            relaxations: less(&self.relaxations, &change.relaxations),
            changes: self.changes.iter().filter(|known| *known != change).cloned().collect(),
        }
    }

    /// `-jN` for Make and friends.
    pub(crate) fn jobs(&self) -> &'static str {
        if self.serial { "-j1" } else { "-j\"$JOBS\"" }
    }

    /// A line that puts the wrappers first in the path; empty without them.
    pub(crate) fn path_line(&self) -> &'static str {
        if self.shims {
            "export PATH=\"$OUT/tools:$PATH\"\n"
        } else {
            ""
        }
    }

    /// The usual arguments that are not left out and the further ones, each after a space.
    pub(crate) fn configure_arguments(&self, usual: &[&str]) -> String {
        let mut text = String::new();
        for argument in usual
            .iter()
            .copied()
            .filter(|argument| !self.dropped.iter().any(|dropped| dropped == argument))
        {
            text.push(' ');
            text.push_str(argument);
        }
        for argument in &self.arguments {
            text.push(' ');
            text.push_str(&shell::argument(argument));
        }
        text
    }

    /// The build tool's further arguments, each after a space.
    pub(crate) fn build_words(&self) -> String {
        self.build_arguments
            .iter()
            .fold(String::new(), |text, word| text + " " + &shell::argument(word))
    }

    /// Preparations that do not depend on the build system.
    pub(super) fn common_preparations(&self, folder: &str) -> Vec<Step> {
        let mut steps = Vec::new();
        if self.unix_lines {
            steps.push(step(
                Purpose::Prepare,
                "scripts and build files have carriage returns that a Unix shell stumbles over",
                folder,
                "find . -type f -size -2000k \\( -perm -u+x -o -name '*.sh' -o -name 'configure*' -o -name 'Makefile*' \
                 -o -name 'makefile*' -o -name '*.ac' -o -name '*.am' -o -name '*.in' -o -name '*.m4' -o -name '*.mk' \\) \
                 -exec grep -Iq . {} \\; -exec sed -i 's/\\r$//' {} +",
            ));
        }
        if self.executable_bits {
            steps.push(step(
                Purpose::Prepare,
                "scripts are not executable",
                folder,
                "find . -type f -exec sh -c 'for file do case \"$(head -c 2 \"$file\")\" in \"#!\") chmod +x \"$file\" ;; esac; done' sh {} +",
            ));
        }
        for (why, command) in &self.prepare {
            steps.push(step(Purpose::Prepare, why.as_str(), folder, command.as_str()));
        }
        if self.config_guess {
            steps.push(step(
                Purpose::Prepare,
                "config.guess and config.sub are older than this architecture",
                folder,
                "for name in config.guess config.sub; do\n  for new in /usr/share/misc/$name /usr/share/automake-*/$name; do\n    \
                 if [ -f \"$new\" ]; then find . -name \"$name\" -exec cp -f \"$new\" {} \\;; break; fi\n  done\ndone",
            ));
        }
        steps
    }
}

fn joined(optimisation: &str, flags: &[String]) -> String {
    let mut text = format!("-g {optimisation}");
    for flag in flags {
        text.push(' ');
        text.push_str(flag);
    }
    text
}

/// What a wrapper answers to questions for the version, for checks that were written when one digit was enough.
const OLD_VERSION: &str = r#"case "\$*" in
  -dumpversion|-dumpfullversion) echo 9.9.9; exit ;;
  --version|-v|-V) $real "\$@" 2>&1 | sed 's/[1-9][0-9]\.[0-9][0-9]*\.[0-9][0-9]*/9.9.9/g'; exit ;;
esac
"#;

/// What the wrappers leave out, so that a newer compiler's further warnings do not stop a build.
const DROPS_ERRORS: &str = "|-Werror|-Werror=*";

/// Whether these steps have wrappers that make errors warnings again.
pub(crate) fn drops_errors(steps: &[Step]) -> bool {
    steps.iter().any(|step| step.command.contains(DROPS_ERRORS))
}

/// What wrappers need for flags of single sources, each part empty without any: before they are laid, before they look at
/// their words, for each word, and at the end of a call.
fn own_flags(files: &[FileFlags]) -> (&'static str, &'static str, String, &'static str) {
    if files.is_empty() {
        return ("", "", String::new(), "");
    }
    let mut words = String::new();
    for FileFlags { path, flags } in files {
        let name = base(path);
        let _ = writeln!(
            words,
            "  case \"\\$word\" in {name}|*/{name}) if [ \"\\$(realpath \"\\$word\" 2>/dev/null)\" = \"$top/{path}\" ]; then own=\"\\$own {}\"; fi ;; esac",
            flags.join(" ")
        );
    }
    ("top=$(realpath \"$SRC\")\n", "own=\n", words, " \\$own")
}

/// The step that lays the wrappers.
pub(crate) fn shims(settings: &Settings, folder: &str) -> Step {
    let mut libraries = String::new();
    for flag in &settings.link_flags {
        libraries.push(' ');
        libraries.push_str(flag);
    }
    let refused = settings
        .refused_flags
        .iter()
        .fold(String::new(), |text, flag| text + "|" + flag);
    let (top, own_begin, own_words, own_end) = own_flags(&settings.for_files);
    let command = format!(
        r#"{top}mkdir -p "{folder}"
for tool in cc gcc c89 c99 clang c++ g++ clang++; do
  real=$(command -v {real}) || continue
  case "$tool" in *++) flags='{cxx}' ;; *) flags='{c}' ;; esac
  cat > "{folder}/$tool" <<END
#!/bin/sh
{version}{own_begin}for word do
  shift
  case "\$word" in -s{errors}{refused}) ;; *) set -- "\$@" "\$word" ;; esac
{own_words}done
exec $real "\$@" $flags{own_end}{libraries}
END
  chmod 755 "{folder}/$tool"
done
printf '#!/bin/sh\nexit 0\n' > "{folder}/strip"
printf '#!/bin/sh\nexec "$@"\n' > "{folder}/sudo"
chmod 755 "{folder}/strip" "{folder}/sudo""#,
        errors = if settings.keeps_errors { "" } else { DROPS_ERRORS },
        version = if settings.old_version { OLD_VERSION } else { "" },
        real = match settings.compiler {
            None => "\"$tool\"".to_owned(),
            Some("clang") => "\"clang${tool##*[a-z0-9]}\"".to_owned(),
            Some(name) => {
                let version = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
                format!("\"$(case \"$tool\" in *++) echo g++{version} ;; *) echo gcc{version} ;; esac)\"")
            }
        },
        cxx = settings.cxx(),
        c = settings.c(),
    );
    step(
        Purpose::Prepare,
        "compilers are wrapped so that debug information survives whatever the build files say",
        "$OUT",
        command,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrappers_leave_errors_where_that_is_forbidden() {
        let mut settings = Settings::default();
        let wrappers = shims(&settings, "$OUT/tools");
        assert!(drops_errors(std::slice::from_ref(&wrappers)));
        settings.keeps_errors = true;
        let wrappers = shims(&settings, "$OUT/tools");
        assert!(!drops_errors(std::slice::from_ref(&wrappers)) && !wrappers.command.contains("Werror"));
        let change = settings.since(&Settings::default());
        assert!(settings.without(&change).keeps_errors);
    }
}
