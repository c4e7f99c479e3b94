//! What is handed in of the work of a program of others.

use std::{collections::BTreeSet, time::Instant};

use seatrial_core::{BOX_SOURCE, Ending, Event, Submission};
use seatrial_sandbox::{SandboxError, Snapshot, Status, TimeoutKind};

use super::{
    LIST, SCRIPT, TRIED_SCRIPT, Work, broken,
    handed::{self, Patch},
    running::Run,
    told::Told,
};
use crate::{AgentError, steps::ended, talk::Script};

impl Work<'_, '_> {
    pub(super) fn hand_in(mut self, run: &Run, told: &Told, before: Snapshot) -> Result<Submission, AgentError> {
        let mut notes = Vec::new();
        let secrets = &self.program.secrets;
        let (own, refused) = match handed::script(self.context.sandbox, SCRIPT)? {
            Ok(script) => (script.map(|script| secrets.clean(&script)), None),
            Err(why) => (None, Some(why)),
        };
        let format = self.program.recipe.trajectory.format;
        let composed = self.composed(told);
        let how = if own.is_some() {
            "the script is the one that it left"
        } else if composed.is_some() {
            "it left no script; the script is what its commands did that went well"
        } else {
            "it left no script"
        };
        notes.push(how.to_owned());
        notes.extend(refused);
        let has_script = own.is_some() || composed.is_some();
        let is_absent = matches!(run.status, Status::Exited(126 | 127));
        let is_idle = format.tells_commands() && told.is_silent() && run.status != Status::Exited(0);
        if !has_script && (is_absent || is_idle) {
            // It never came to work: a key, a server or the program itself is wrong, and none of that is a failed build.
            let why = format!("it {} before it did anything: {}", ended(run.status), run.last_line());
            self.context.events.emit(Event::Ended {
                by: Ending::Model,
                why: why.clone(),
            })?;
            return Err(broken(why));
        }
        let mut patch = Patch::default();
        if has_script {
            let named = self.named(told)?;
            patch = Patch::of(self.context.sandbox, before, self.context.tree, &named)?;
            if let Some(script) = own.as_deref().or(composed.as_deref())
                && patch.count() > 0
            {
                self.settle(&mut patch, before, script)?;
            }
            notes.append(&mut patch.left_out);
            if patch.count() > 0 {
                notes.push(format!("{} files of the sources are changed", patch.count()));
            }
        }
        let (by, why) = ending(run, has_script);
        self.context.events.emit(Event::Ended { by, why: why.clone() })?;
        let words = told.last_words().map(|words| one_line(&words, 500));
        let note = words
            .into_iter()
            .chain(std::iter::once(format!("{why}; {}", notes.join("; "))))
            .collect::<Vec<_>>()
            .join("\n");
        Ok(Submission {
            script: own.or(composed),
            patch: patch.text().map(|text| self.program.secrets.clean(&text)),
            note: self.program.secrets.clean(&note),
            ..Submission::default()
        })
    }

    /// Hands in what differs in the package; no script is asked for.
    pub(super) fn hand_in_repair(self, run: &Run, told: &Told) -> Result<Submission, AgentError> {
        let secrets = &self.program.secrets;
        let (patch, how) = crate::repair::hand_in(self.context, None)?;
        let is_absent = matches!(run.status, Status::Exited(126 | 127));
        let is_idle = self.program.recipe.trajectory.format.tells_commands()
            && told.is_silent()
            && run.status != Status::Exited(0);
        if patch.is_none() && (is_absent || is_idle) {
            let why = format!("it {} before it did anything: {}", ended(run.status), run.last_line());
            self.context.events.emit(Event::Ended {
                by: Ending::Model,
                why: why.clone(),
            })?;
            return Err(broken(why));
        }
        let (by, why) = match run.status {
            Status::Exited(0) => (Ending::Finished, "the program ended well".to_owned()),
            _ => ending(run, patch.is_some()),
        };
        self.context.events.emit(Event::Ended { by, why: why.clone() })?;
        let words = told.last_words().map(|words| one_line(&words, 500));
        let note = words
            .into_iter()
            .chain(std::iter::once(format!("{why}; {how}")))
            .collect::<Vec<_>>()
            .join("\n");
        Ok(Submission {
            patch: patch.map(|patch| secrets.clean(&patch)),
            note: secrets.clean(&note),
            ..Submission::default()
        })
    }

    /// Finds out which of the changes the script makes itself, by running it once on the sources as they were, without the patch.
    /// However it ends: what it has changed by then it will change again.
    fn settle(&mut self, patch: &mut Patch, before: Snapshot, script: &str) -> Result<(), AgentError> {
        if self.context.deadline.is_some_and(|deadline| deadline <= Instant::now()) {
            patch
                .left_out
                .push("there was no time to see which of the changes the script makes itself".to_owned());
            return Ok(());
        }
        self.context.sandbox.rollback(&before)?;
        self.context
            .sandbox
            .write_file(TRIED_SCRIPT, script.as_bytes(), 0o755)?;
        let run = format!("cd {BOX_SOURCE} && exec /bin/bash {TRIED_SCRIPT}");
        let shown = "the script that is handed in, on the sources as they were";
        // How it ends is the grader's question.
        drop(crate::steps::run_script(self.context, "clean", &run, shown)?);
        patch.without_the_scripts_own(self.context.sandbox)?;
        Ok(())
    }

    /// The script of what its commands did, where they are known.
    fn composed(&self, told: &Told) -> Option<String> {
        let format = self.program.recipe.trajectory.format;
        if !format.tells_commands() {
            return None;
        }
        let mut script = Script::default();
        for ran in &told.commands {
            script.did(&ran.command, ran.went_well == Some(true), format.has_one_shell());
        }
        (!script.is_empty()).then(|| script.text(&self.context.task.source.to_string()))
    }

    /// The files that it added and named, relative to the sources.
    fn named(&mut self, told: &Told) -> Result<BTreeSet<String>, AgentError> {
        let listed = match self.context.sandbox.read_file(LIST, 1 << 20) {
            Ok(file) => String::from_utf8_lossy(&file.bytes).into_owned(),
            Err(SandboxError::NoSuchFile(_)) => String::new(),
            Err(error) => return Err(error.into()),
        };
        let all = listed.lines().chain(told.written.iter().map(String::as_str));
        let inside = |path: &str| -> Option<String> {
            let path = path.trim();
            let path = match path.strip_prefix(BOX_SOURCE) {
                Some(path) => path.strip_prefix('/')?,
                None => path.strip_prefix("./").unwrap_or(path),
            };
            (!path.is_empty() && !path.starts_with('/')).then(|| path.to_owned())
        };
        Ok(all.filter_map(inside).collect())
    }
}

/// What ended its work.
fn ending(run: &Run, has_script: bool) -> (Ending, String) {
    let how = ended(run.status);
    match run.status {
        Status::TimedOut(TimeoutKind::Wall) => (Ending::Time, format!("the program {how}")),
        Status::TimedOut(TimeoutKind::Idle) => (Ending::Stuck, format!("the program {how}")),
        Status::Exited(0) if has_script => (Ending::Finished, "the program ended well".to_owned()),
        Status::Exited(0) => (
            Ending::BadForm,
            format!("the program ended well and left no script at {SCRIPT}"),
        ),
        Status::Exited(_) | Status::Signaled(_) | Status::DiskLimit => {
            (Ending::GaveUp, format!("the program {how}: {}", run.last_line()))
        }
    }
}

fn one_line(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(most).collect()
}
