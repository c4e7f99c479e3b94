//! Steps written down as text with places for the settings: how the systems are planned that need no code of their own.

use seatrial_core::{Purpose, Step};
use seatrial_packages::Key;

use super::{Settings, step};

/// What a plan of such a system is made from.
#[derive(Debug, Clone, Default)]
pub(crate) struct Template {
    lines: Vec<Line>,
    /// What the system itself needs.
    pub(crate) needs: Vec<Key>,
}

#[derive(Debug, Clone)]
struct Line {
    purpose: Purpose,
    why: String,
    /// In `$OUT/build` and not beside the sources.
    apart: bool,
    command: String,
}

impl Template {
    /// Starts with what the system needs.
    pub(crate) fn needing(needs: Vec<Key>) -> Self {
        Self {
            lines: Vec::new(),
            needs,
        }
    }

    /// A step beside the sources. In the command, `@folder@` stands for the root's folder, `@jobs@` for the jobs option,
    /// `@arguments@` for further arguments of the configure step, `@words@` for those of the build tool, `@c@`, `@cxx@`
    /// and `@libraries@` for flags.
    pub(crate) fn here(mut self, purpose: Purpose, why: &str, command: impl Into<String>) -> Self {
        self.lines.push(Line {
            purpose,
            why: why.to_owned(),
            apart: false,
            command: command.into(),
        });
        self
    }

    /// The same in a folder apart from the sources.
    pub(crate) fn apart(mut self, purpose: Purpose, why: &str, command: impl Into<String>) -> Self {
        self.lines.push(Line {
            purpose,
            why: why.to_owned(),
            apart: true,
            command: command.into(),
        });
        self
    }

    pub(crate) fn build(self, command: impl Into<String>) -> Self {
        self.here(
            Purpose::Build,
            "all targets; a broken one does not stop the others",
            command,
        )
    }

    pub(crate) fn install(self, command: impl Into<String>) -> Self {
        self.here(Purpose::Install, "what the project installs", command)
    }

    pub(super) fn steps(&self, folder: &str, settings: &Settings, steps: &mut Vec<Step>) {
        let libraries = settings
            .link_flags
            .iter()
            .fold(String::new(), |text, flag| text + " " + flag);
        for line in &self.lines {
            let command = line
                .command
                .replace("@folder@", folder)
                .replace("@jobs@", settings.jobs())
                .replace("@arguments@", &settings.configure_arguments(&[]))
                .replace("@words@", &settings.build_words())
                .replace("@cxx@", &settings.cxx())
                .replace("@c@", &settings.c())
                .replace("@libraries@", &libraries);
            let path = if line.purpose == Purpose::Prepare {
                ""
            } else {
                settings.path_line()
            };
            let at = if line.apart { "$OUT/build" } else { folder };
            steps.push(step(line.purpose, line.why.as_str(), at, format!("{path}{command}")));
        }
    }
}
