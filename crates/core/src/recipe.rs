//! Recipes: ordered, replayable steps that render to a shell script and to a Dockerfile.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::{BOX_OUT, BOX_PREFIX, BOX_SOURCE, Platform, Relaxation};

/// How to build a pinned source in a fresh box.
///
/// Commands are lines of Bash that may use `$SRC`, `$OUT`, `$PREFIX` and `$JOBS`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// What is built, for the head of the script.
    pub title: String,
    /// The platform it was proved on.
    pub platform: Platform,
    /// Packages of the distribution that the image must have before any step, when it is not one of ours.
    pub base_packages: Vec<String>,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// Where it departs from the usual way to build.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relaxations: Vec<Relaxation>,
}

/// One step of a recipe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// What kind of work it is.
    pub purpose: Purpose,
    /// Why it is there, for a reader.
    pub why: String,
    /// Where it runs: `$SRC`, `$OUT` or a folder below one of them.
    pub folder: String,
    /// Bash.
    pub command: String,
    /// Whether a failure of this step does not end the recipe (a build that keeps going past a broken target).
    pub keep_going: bool,
}

/// What kind of work a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Purpose {
    Dependencies,
    Prepare,
    Configure,
    Build,
    Install,
}

impl Purpose {
    /// The word for logs and journals.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dependencies => "dependencies",
            Self::Prepare => "prepare",
            Self::Configure => "configure",
            Self::Build => "build",
            Self::Install => "install",
        }
    }
}

impl Recipe {
    /// Lines that a script starts with before it runs any step: the folders' variables and neutral settings. Perl scripts
    /// of an older time expect their own folder on Perl's search path.
    pub fn preamble() -> String {
        format!(
            "export SRC=\"${{SRC:-{BOX_SOURCE}}}\" OUT=\"${{OUT:-{BOX_OUT}}}\" PREFIX=\"${{PREFIX:-{BOX_PREFIX}}}\"\n\
             export JOBS=\"${{JOBS:-$(nproc)}}\" LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive\n\
             export PERL_USE_UNSAFE_INC=1\n\
             mkdir -p \"$OUT\" \"$PREFIX\"\n"
        )
    }

    /// A Bash script that runs the steps in a box of this platform, or on a machine that is one.
    pub fn to_script(&self) -> String {
        let mut script = String::from("#!/bin/bash\n");
        let _ = writeln!(script, "# Builds {} on {}.", one_line(&self.title), self.platform);
        script.push_str(
            "# SRC is the unpacked source, OUT a scratch folder, PREFIX where the result is installed.\nset -eu\n",
        );
        for relaxation in &self.relaxations {
            let _ = writeln!(
                script,
                "# Relaxed ({}, {}): {}, because: {}.",
                relaxation.class,
                one_line(&relaxation.scope.to_string()),
                one_line(&relaxation.what),
                one_line(&relaxation.why)
            );
        }
        script.push_str(&Self::preamble());
        for step in &self.steps {
            let _ = write!(
                script,
                "\n# {}: {}\n{}",
                step.purpose.as_str(),
                one_line(&step.why),
                step.to_bash()
            );
        }
        script
    }

    /// A Dockerfile that expects `source.tar.gz` (the pinned tree) and `recipe.sh` beside it.
    pub fn to_dockerfile(&self) -> String {
        let platform = &self.platform;
        let mut text = format!(
            "# Builds {}.\nFROM {}:{}\n",
            one_line(&self.title),
            platform.distribution,
            platform.release
        );
        if !self.base_packages.is_empty() {
            let _ = writeln!(
                text,
                "RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \\\n    {}",
                self.base_packages.join(" \\\n    ")
            );
        }
        let _ = write!(
            text,
            "ADD source.tar.gz {BOX_SOURCE}/\nCOPY recipe.sh /build/recipe.sh\nRUN bash /build/recipe.sh\n"
        );
        text
    }
}

impl Step {
    /// The step as Bash, in a subshell of its own so that it cannot change the next one's folder or settings.
    pub fn to_bash(&self) -> String {
        let folder = &self.folder;
        let body = format!(
            "mkdir -p \"{folder}\" && cd \"{folder}\"\n{}\n",
            self.command.trim_end()
        );
        if self.keep_going {
            // Run by a Bash of its own: inside `( ... ) || ...` the shell would ignore `set -e`.
            format!(
                "if ! bash -euc {}; then echo 'recipe: the {} step failed, going on' >&2; fi\n",
                quote(&body),
                self.purpose.as_str()
            )
        } else {
            format!("(\n{body})\n")
        }
    }
}

/// The text as one line of a comment. Reasons quote logs, and whoever looks at a script should not obey a log.
fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars()
        .map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c })
        .collect()
}

/// Quotes a text for a POSIX shell.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_renders_to_a_script_and_a_dockerfile() {
        let recipe = Recipe {
            title: "hull 1.0\n# injected".to_owned(),
            platform: "debian:bookworm/x86_64".parse().unwrap(),
            base_packages: vec!["gcc".to_owned(), "make".to_owned()],
            steps: vec![
                Step {
                    purpose: Purpose::Configure,
                    why: "an Autotools project".to_owned(),
                    folder: "$OUT".to_owned(),
                    command: "\"$SRC/configure\" --prefix=\"$PREFIX\"".to_owned(),
                    keep_going: false,
                },
                Step {
                    purpose: Purpose::Build,
                    why: "all targets".to_owned(),
                    folder: "$OUT".to_owned(),
                    command: "make -k V='1'".to_owned(),
                    keep_going: true,
                },
            ],
            relaxations: vec![Relaxation {
                class: crate::RelaxationClass::Flags,
                rule: "common".to_owned(),
                what: "compile with -fcommon".to_owned(),
                scope: crate::RelaxationScope::Project,
                why: "several files define\none \u{1b}[31mvariable".to_owned(),
            }],
        };
        expect_test::expect![[r##"
            #!/bin/bash
            # Builds hull 1.0 # injected on debian:bookworm/x86_64.
            # SRC is the unpacked source, OUT a scratch folder, PREFIX where the result is installed.
            set -eu
            # Relaxed (flags, whole project): compile with -fcommon, because: several files define one �[31mvariable.
            export SRC="${SRC:-/build/source}" OUT="${OUT:-/build/out}" PREFIX="${PREFIX:-/build/prefix}"
            export JOBS="${JOBS:-$(nproc)}" LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
            export PERL_USE_UNSAFE_INC=1
            mkdir -p "$OUT" "$PREFIX"

            # configure: an Autotools project
            (
            mkdir -p "$OUT" && cd "$OUT"
            "$SRC/configure" --prefix="$PREFIX"
            )

            # build: all targets
            if ! bash -euc 'mkdir -p "$OUT" && cd "$OUT"
            make -k V='\''1'\''
            '; then echo 'recipe: the build step failed, going on' >&2; fi
        "##]]
        .assert_eq(&recipe.to_script());
        assert!(
            recipe
                .to_dockerfile()
                .starts_with("# Builds hull 1.0 # injected.\nFROM debian:bookworm\nRUN apt-get update")
        );
    }

    #[test]
    fn a_recipe_of_the_first_journals_is_read_and_one_without_relaxations_is_written_like_it() {
        let old = r#"{"title":"hull","platform":{"distribution":"debian","release":"bookworm","arch":"x86_64"},"base_packages":[],"steps":[]}"#;
        let recipe: Recipe = serde_json::from_str(old).unwrap();
        assert!(recipe.relaxations.is_empty());
        assert!(!serde_json::to_string(&recipe).unwrap().contains("relaxations"));
    }
}
