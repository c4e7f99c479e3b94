//! Uploads and what comes of them.

use std::fmt::Write as _;

use seatrial_core::{Event, RebuildState};
use serde_json::{Value, json};

use super::{PackageRebuilds, RebuildOrder, RebuildsError, Rebuilt, Taken, Uploaded, take_package};
use crate::{
    Answer, Caching, Effect, Tool, ToolDescription, ToolFailure, ToolsError, World,
    building::told,
    state::Output,
    text::{counted, plain, visible},
    toolbox::describe,
};

/// Lines of a log's end that are shown.
const END_LINES: usize = 60;

/// Whoever rebuilds here.
pub(super) fn rebuilds<'a>(world: &World<'a>) -> Result<&'a dyn PackageRebuilds, ToolFailure> {
    world
        .ground
        .rebuilds
        .ok_or_else(|| ToolFailure::told("there is no package to repair here, so nothing is rebuilt"))
}

/// Takes the package as it is in the box now.
pub(super) fn take(world: &mut World<'_>) -> Result<Taken, ToolFailure> {
    let pristine = rebuilds(world)?.pristine();
    Ok(take_package(world.sandbox, world.root, pristine)?)
}

/// Takes the package as it is now for the next check; says what was taken.
pub(super) fn upload(world: &mut World<'_>) -> Result<(String, Value), ToolFailure> {
    let Taken { package, left_out } = take(world)?;
    let pristine = rebuilds(world)?.pristine();
    let wrong = |error: seatrial_packaging::PackageError| {
        ToolFailure::Told(format!("nothing was uploaded, the package cannot be packed: {error}"))
    };
    // What cannot be packed is told now, and not by the next check.
    let folder = tempfile::tempdir().map_err(|error| ToolsError::Rebuild(error.to_string()))?;
    let packed = package.pack(&folder.path().join("packed")).map_err(wrong)?;
    let diff = package.diff_from(pristine).map_err(wrong)?;
    let changed = diff.lines().filter(|line| line.starts_with("diff --git ")).count();
    let mut text = format!(
        "uploaded {} {} as sources {}: {} as it came",
        visible(package.name()),
        visible(package.version()),
        packed.source.short(),
        if changed == 0 {
            "exactly".to_owned()
        } else {
            format!("{} changed against the package", counted(changed as u64, "file"))
        }
    );
    if !left_out.is_empty() {
        let _ = write!(
            text,
            "\nleft out, because a build made it: {}",
            visible(&left_out.join(", "))
        );
    }
    let data = json!({"source": packed.source, "changed_files": changed, "left_out": left_out});
    let age = world.state.age();
    let repair = &mut world.state.repair;
    repair.uploads += 1;
    repair.uploaded = Some(Uploaded {
        package,
        source: packed.source,
        age,
    });
    Ok((text, data))
}

/// Rebuilds the last upload; the result of the very same sources is remembered.
pub(super) fn check(world: &mut World<'_>) -> Result<Rebuilt, ToolFailure> {
    let Some(uploaded) = world.state.repair.uploaded.take() else {
        return Err(ToolFailure::told(
            "nothing was checked, because nothing was uploaded yet: upload the package first, then check it",
        ));
    };
    world.state.repair.checks += 1;
    let rebuilt = rebuild(&uploaded, false, world);
    world.state.repair.uploaded = Some(uploaded);
    rebuilt
}

fn rebuild(uploaded: &Uploaded, cross: bool, world: &mut World<'_>) -> Result<Rebuilt, ToolFailure> {
    let rebuilds = rebuilds(world)?;
    if let Some(known) = world.state.repair.results.get(&(uploaded.source, cross)) {
        let known = known.clone();
        world.state.repair.last = Some(known.clone());
        return Ok(known);
    }
    let order = RebuildOrder {
        cross,
        time: world.time_for(world.limits.command_most)?,
    };
    world.emit(Event::Phase {
        name: format!("rebuild on {}", rebuilds.target()),
    })?;
    let mut nobody = |_: &[u8]| {};
    let output: &mut dyn FnMut(&[u8]) = match &mut world.watch {
        Some(watch) => *watch,
        None => &mut nobody,
    };
    let rebuilt = rebuilds
        .rebuild(&uploaded.package, &order, output)
        .map_err(|error| match error {
            RebuildsError::Package(text) => ToolFailure::Told(text),
            RebuildsError::Broken(text) => ToolsError::Rebuild(text).into(),
            RebuildsError::Interrupted => ToolsError::Interrupted.into(),
        })?;
    if rebuilt.source != uploaded.source {
        return Err(ToolsError::Rebuild(format!(
            "a rebuild of the sources {} was asked for, and told is one of {}",
            uploaded.source.short(),
            rebuilt.source.short()
        ))
        .into());
    }
    world.emit(Event::Note {
        text: format!(
            "rebuild: {} sources {}{}",
            rebuilt.state.as_str(),
            rebuilt.source,
            rebuilt.log.map(|log| format!(" log {log}")).unwrap_or_default()
        ),
    })?;
    if rebuilt.is_valid() {
        let key = (rebuilt.source, cross);
        world.state.repair.results.insert(key, rebuilt.clone());
    }
    world.state.repair.last = Some(rebuilt.clone());
    Ok(rebuilt)
}

/// The log of a rebuild, which tools that read logs take for the last output from now on.
pub(super) fn log(rebuilt: &Rebuilt, world: &mut World<'_>) -> Result<String, ToolFailure> {
    let Some(digest) = rebuilt.log else {
        return Ok(String::new());
    };
    let text = plain(&world.blobs.read(&digest)?);
    world.state.last_output = Some(Output {
        text: end(&text),
        whole: Some(digest),
    });
    Ok(text)
}

/// The last lines of a log.
pub(super) fn end(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines
        .get(lines.len().saturating_sub(END_LINES)..)
        .unwrap_or_default()
        .join("\n")
}

/// What came of a rebuild, as a model reads it.
fn answer(rebuilt: &Rebuilt, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
    let whole = log(rebuilt, world)?;
    let mut text = format!(
        "state: {}\nsources: {}\n",
        rebuilt.state.as_str(),
        rebuilt.source.short()
    );
    if !rebuilt.details.is_empty() {
        let _ = writeln!(text, "{}", visible(&rebuilt.details));
    }
    if rebuilt.state == RebuildState::Succeeded && !rebuilt.proof {
        text.push_str("this is no proof: `upload` and `check` rebuild it on the target itself\n");
    }
    if !rebuilt.is_valid() {
        text.push_str("the machine failed, so nothing is known of the package; check once more\n");
    }
    let mut data = json!({"rebuild": rebuilt});
    if rebuilt.state != RebuildState::Succeeded && !whole.is_empty() {
        let diagnosis = seatrial_diagnosis::diagnose(whole.as_bytes());
        let _ = writeln!(text, "{}", told(&diagnosis, world.resolver).trim_end());
        let _ = writeln!(text, "the end of the log:\n{}", end(&whole));
        if let (Some(object), Ok(cause)) = (data.as_object_mut(), serde_json::to_value(&diagnosis.cause)) {
            object.insert("cause".to_owned(), cause);
        }
    }
    if let Some(digest) = rebuilt.log {
        let name = world.state.keep_output(digest);
        let _ = writeln!(text, "the whole log: `{name}`");
    }
    let answer = if rebuilt.is_valid() {
        Answer::text(text)
    } else {
        Answer::failure(text)
    };
    Ok(answer.with_data(data))
}

pub(crate) struct Upload(ToolDescription);

impl Upload {
    pub(crate) fn new() -> Self {
        Self(describe(
            "upload",
            "Takes the package as it is in the source folder now, for the next `check`. Later edits are not in it.",
            "At most 1 GiB; compiled files that did not come with the package are left out and named.",
            Effect::READS,
            Caching::No,
            json!({}),
            &[],
        ))
    }
}

impl Tool for Upload {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, _: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let (text, data) = upload(world)?;
        Ok(Answer::text(text).with_data(data))
    }
}

pub(crate) struct Check(ToolDescription);

impl Check {
    pub(crate) fn new() -> Self {
        Self(describe(
            "check",
            "Rebuilds the last upload from clean on the target, without a network, and tells its state, the cause of a failure \
             and the end of its log.",
            "Runs as long as one command may. The state is of just these sources; the same sources are not built twice.",
            Effect::NONE,
            Caching::No,
            json!({}),
            &[],
        ))
    }
}

impl Tool for Check {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, _: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let rebuilt = check(world)?;
        let mut answer = answer(&rebuilt, world)?;
        if world
            .state
            .repair
            .uploaded()
            .is_some_and(|uploaded| uploaded.age != world.state.age())
        {
            answer
                .text
                .push_str("what was edited after the upload is not in it; upload again to check that\n");
        }
        Ok(answer)
    }
}

pub(crate) struct TryBuild(ToolDescription);

impl TryBuild {
    pub(crate) fn new() -> Self {
        Self(describe(
            "try_build",
            "Builds the package as it is in the source folder now, with a cross compiler where the target is another machine: \
             much quicker than `check`, and no proof. Tells what `check` tells.",
            "Runs as long as one command may.",
            Effect::READS,
            Caching::No,
            json!({}),
            &[],
        ))
    }
}

impl Tool for TryBuild {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, _: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let taken = take(world)?;
        let source = taken
            .package
            .digest()
            .map_err(|error| ToolFailure::Told(error.to_string()))?;
        let uploaded = Uploaded {
            package: taken.package,
            source,
            age: world.state.age(),
        };
        let rebuilt = rebuild(&uploaded, true, world)?;
        answer(&rebuilt, world)
    }
}

pub(crate) struct ResetCache(ToolDescription);

impl ResetCache {
    pub(crate) fn new() -> Self {
        Self(describe(
            "reset_cache",
            "Forgets remembered results of tools and of rebuilds that failed, and how often a call was made. Edits stay.",
            "",
            Effect::NONE,
            Caching::No,
            json!({}),
            &[],
        ))
    }
}

impl Tool for ResetCache {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, _: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        world.state.reset();
        world.state.repair.forget_results();
        Ok(Answer::text("results are forgotten; edits and uploads stay"))
    }
}
