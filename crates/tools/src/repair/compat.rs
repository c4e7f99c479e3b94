//! The tools of the published benchmark, under its names and with its parameters and forms of answers, over our own.
//!
//! What it does in ways that falsify results is not taken over: a state is of the sources that were uploaded, a result is
//! read from the state and not from words in a text, and archives are packed by the upload itself.

use std::{collections::BTreeMap, fmt::Write as _, sync::Arc};

use serde_json::{Map, Value, json};

use super::check;
use crate::{
    Answer, Caching, Effect, Tool, ToolDescription, ToolFailure, World, archive,
    files::{self, run_quietly},
    patch,
    place::{place, shown},
    text::visible,
    toolbox::{Arguments as _, describe},
};

/// Characters of an earlier edit's line that are told again.
const LINE: usize = 200;
/// Characters of a preview.
const PREVIEW: usize = 100;
/// Names that are left out of the structure of a package.
const UNTOLD: [&str; 6] = [
    "AUTHORS",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
    "LICENSE",
    "doc",
];
/// Where what an archive holds is laid.
const EXTRACTED: &str = "extracted";

/// What the published tools remember.
#[derive(Debug, Default)]
pub(crate) struct CompatHistory {
    edits: Vec<(String, String)>,
    cached: BTreeMap<String, String>,
    calls: BTreeMap<String, u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Init,
    Packages,
    Structure,
    Content,
    Modify,
    Patch,
    Extract,
    Compress,
    Upload,
    Check,
    Parse,
    Track,
    Prompt,
    Repeat,
    Cached,
    Cache,
    Record,
    Reset,
}

/// A tool: what it is, its name, what it takes with `?` for what may be left out, what it is for, and what it does.
type Row = (What, &'static str, &'static str, &'static str, Effect);

#[rustfmt::skip]
const ROWS: [Row; 18] = [
    (What::Init, "init_package_environment_tool", "base_dir? package_name? temp_work_dir? result_dir?",
        "Brings the package in the source folder back to what it was at first.", Effect::WRITES),
    (What::Packages, "get_packages_to_process", "base_dir? result_dir?", "Names the packages to repair.", Effect::NONE),
    (What::Structure, "get_structure_of_files", "package_path", "Shows the folders and files of a package.", Effect::READS),
    (What::Content, "get_file_content_tool", "file_path", "Gives the text of a file.", Effect::READS),
    (What::Modify, "modify_file_tool", "file_path new_content", "Puts a new text in the place of a file's.", Effect::WRITES),
    (What::Patch, "apply_git_unified_patch_tool", "repo_root patch_text record_history?",
        "Applies a unified diff; all of it or nothing.", Effect::WRITES),
    (What::Extract, "extract_archive_tool", "package_path", "Takes an archive of the package apart.", Effect::WRITES),
    (What::Compress, "compress_to_archive_tool", "package_path", "Puts the archive together again.", Effect::WRITES),
    (What::Upload, "upload_file_to_obs_tool", "package_path", "Takes the package as it is now for the next check.", Effect::READS),
    (What::Check, "check_build_result", "input_dir? package_name?",
        "Rebuilds the last upload on the target and tells what came of it.", Effect::NONE),
    (What::Parse, "parse_build_result_tool", "result_content package_name?", "Says whether a result is a success.", Effect::NONE),
    (What::Track, "track_file_modification_tool", "package_name? file_path package_path? old_content new_content",
        "Notes an edit.", Effect::NONE),
    (What::Prompt, "update_prompt_with_history_tool", "package_name? package_path? build_attempt formatted_prompt",
        "Gives the messages that begin an attempt, with the edits so far.", Effect::NONE),
    (What::Repeat, "check_repeat_tool_call", "tool_name args_key max_repeat package_name?",
        "Says whether a call may be made once more.", Effect::NONE),
    (What::Cached, "check_tool_cache", "call_key package_name?", "Gives a remembered result.", Effect::NONE),
    (What::Cache, "cache_tool_result", "call_key result package_name?", "Remembers a result.", Effect::NONE),
    (What::Record, "record_tool_call_history", "call_key package_name?", "Notes that a call was made.", Effect::NONE),
    (What::Reset, "reset_package_cache_tool", "package_name?", "Forgets results and calls; edits stay.", Effect::NONE),
];

/// The tools of one mode: with whole files, or with patches.
pub(crate) fn compat_tools(patches: bool) -> Vec<Arc<dyn Tool>> {
    let left_out = if patches { What::Modify } else { What::Patch };
    ROWS.into_iter()
        .filter(|(what, ..)| *what != left_out)
        .map(|row| Arc::new(Compat::new(row)) as Arc<dyn Tool>)
        .collect()
}

/// The names of the published tools that are for whoever leads a repair, and not for the model.
pub fn compat_names() -> impl Iterator<Item = &'static str> {
    ROWS.into_iter().map(|(_, name, ..)| name)
}

struct Compat {
    spec: ToolDescription,
    what: What,
}

impl Compat {
    fn new((what, name, parameters, purpose, effect): Row) -> Self {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for parameter in parameters.split(' ') {
            let (parameter, optional) = match parameter.strip_suffix('?') {
                Some(parameter) => (parameter, true),
                None => (parameter, false),
            };
            let kind = match parameter {
                "build_attempt" | "max_repeat" => json!({"type": "integer"}),
                "record_history" => json!({"type": "boolean"}),
                _ => json!({"type": "string"}),
            };
            properties.insert(parameter.to_owned(), kind);
            if !optional {
                required.push(parameter);
            }
        }
        Self {
            spec: describe(
                name,
                purpose,
                "",
                effect,
                Caching::No,
                Value::Object(properties),
                &required,
            ),
            what,
        }
    }
}

impl Tool for Compat {
    fn spec(&self) -> &ToolDescription {
        &self.spec
    }

    fn call(&self, arguments: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let text = |name: &str| arguments.text(name).unwrap_or_default();
        Ok(match self.what {
            What::Init => init(world)?,
            What::Packages => {
                let names = vec![check::rebuilds(world)?.pristine().name()];
                of_json(&json!({"success": true, "message": "1 package", "packages": names}))
            }
            What::Structure => structure(&at(text("package_path"), world)?, world)?,
            What::Content => content(text("file_path"), world)?,
            What::Modify => modify(text("file_path"), text("new_content"), world)?,
            What::Patch => apply(text("repo_root"), text("patch_text"), world)?,
            What::Extract => extract(text("package_path"), world)?,
            What::Compress => compress(text("package_path"), world)?,
            What::Upload => match check::upload(world) {
                Ok((told, data)) => Answer::text(format!("Upload successful. Result: {told}")).with_data(data),
                Err(ToolFailure::Told(why)) => Answer::failure(format!("Error: {why}")),
                Err(broken) => return Err(broken),
            },
            What::Check => result(world)?,
            What::Parse => parsed(text("result_content")),
            What::Track => {
                let path = text("file_path").to_owned();
                let diff = lines_of(text("old_content"), text("new_content"));
                world.state.repair.history.edits.push((path.clone(), diff));
                Answer::text(format!("noted the edit of {}", visible(&path)))
            }
            What::Prompt => {
                let attempt = arguments.number("build_attempt").unwrap_or(1);
                prompt(text("formatted_prompt"), attempt, world)
            }
            What::Repeat => {
                let key = format!("{}::{}", text("tool_name"), text("args_key"));
                let made = world.state.repair.history.calls.get(&key).copied().unwrap_or(0);
                let most = arguments.number("max_repeat").unwrap_or(3);
                let allowed = i64::try_from(made).is_ok_and(|made| made < most);
                let message = if allowed {
                    "it may be made".to_owned()
                } else {
                    format!("it was made {made} times in this attempt and is not made again")
                };
                of_json(&json!({"allowed": allowed, "message": message}))
            }
            What::Cached => {
                let found = world.state.repair.history.cached.get(text("call_key")).cloned();
                of_json(&json!({"hit": found.is_some(), "result": found}))
            }
            What::Cache => {
                let history = &mut world.state.repair.history;
                history
                    .cached
                    .insert(text("call_key").to_owned(), text("result").to_owned());
                Answer::text("remembered")
            }
            What::Record => {
                let history = &mut world.state.repair.history;
                *history.calls.entry(text("call_key").to_owned()).or_insert(0) += 1;
                Answer::text("noted")
            }
            What::Reset => {
                world.state.reset();
                world.state.repair.forget_results();
                let history = &mut world.state.repair.history;
                history.cached.clear();
                history.calls.clear();
                of_json(&json!({"success": true, "message": "results and calls are forgotten; edits stay"}))
            }
        })
    }
}

/// A JSON text, as the published tools answer.
fn of_json(value: &Value) -> Answer {
    Answer::text(value.to_string()).with_data(value.clone())
}

/// A path as the published tools write it: the source folder is `temp_workspace/NAME`, or just `NAME`.
fn at(path: &str, world: &World<'_>) -> Result<String, ToolFailure> {
    let name = check::rebuilds(world)?.pristine().name();
    let path = path.trim().trim_start_matches("./");
    let mut parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    if !path.starts_with('/') {
        if parts.first() == Some(&"temp_workspace") {
            parts.drain(..parts.len().min(2));
        } else if parts.first() == Some(&name) {
            parts.remove(0);
        }
        return place(world.root, &parts.join("/"));
    }
    place(world.root, path)
}

/// Puts the package as it came in the place of what is there.
fn init(world: &mut World<'_>) -> Result<Answer, ToolFailure> {
    let pristine = check::rebuilds(world)?.pristine();
    let entries = seatrial_packaging::archive::read_folder(pristine.root())
        .map_err(|error| crate::ToolsError::Rebuild(error.to_string()))?;
    let tar = archive::tar_of(entries)?;
    let root = world.root.to_owned();
    let script = "cd \"$1\" && find . -mindepth 1 -maxdepth 1 -exec rm -rf {} +";
    run_quietly(script, &[&root], world.limits.look, &mut Vec::new(), world)?;
    world.sandbox.write_tree(&root, &mut tar.as_slice())?;
    world.state.repair.uploaded = None;
    world.state.repair.history = CompatHistory::default();
    Ok(of_json(&json!({
        "success": true,
        "package_temp_dir": root,
        "package_path": root,
        "result_file": "",
        "message": format!("{} is as it came", pristine.name()),
    })))
}

fn structure(folder: &str, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
    let mut listed = Vec::new();
    let script = "cd \"$1\" && find -P . -mindepth 1 ! -type d -printf '%P\\0'";
    let execution = run_quietly(script, &[folder], world.limits.look, &mut listed, world)?;
    if !execution.succeeded() {
        return Ok(Answer::failure(format!(
            "Error: File not found - {}",
            shown(world.root, folder)
        )));
    }
    let listed = String::from_utf8_lossy(&listed);
    let mut names: Vec<&str> = listed.split('\0').filter(|name| !name.is_empty()).collect();
    names.sort_unstable();
    let mut top = Map::new();
    for name in names {
        if name.split('/').any(|part| UNTOLD.contains(&part)) {
            continue;
        }
        hang(&mut top, name);
    }
    let name = check::rebuilds(world)?.pristine().name();
    Ok(of_json(&json!({"repo": name, "structure": {"root": top}})))
}

/// Hangs a file into the tree of its folders.
fn hang(tree: &mut Map<String, Value>, path: &str) {
    match path.split_once('/') {
        None => drop(tree.insert(path.to_owned(), Value::Null)),
        Some((folder, rest)) => {
            let below = tree
                .entry(folder.to_owned())
                .or_insert_with(|| Value::Object(Map::new()));
            if let Some(below) = below.as_object_mut() {
                hang(below, rest);
            }
        }
    }
}

fn content(path: &str, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
    let file = at(path, world)?;
    Ok(match world.sandbox.read_file(&file, world.limits.file_bytes) {
        Ok(content) => match String::from_utf8(content.bytes) {
            Ok(text) => Answer::text(text),
            Err(error) => Answer::failure(format!("Error reading file: {error}")),
        },
        Err(error) => match ToolFailure::from(error) {
            ToolFailure::Told(_) => Answer::failure(format!("Error: File not found - {path}")),
            broken @ ToolFailure::Broken(_) => return Err(broken),
        },
    })
}

/// The text of a file that is there.
fn text_at(file: &str, world: &mut World<'_>) -> Result<Option<String>, ToolFailure> {
    match world.sandbox.read_file(file, world.limits.file_bytes) {
        Ok(content) => Ok(Some(String::from_utf8_lossy(&content.bytes).into_owned())),
        Err(error) => match ToolFailure::from(error) {
            ToolFailure::Told(_) => Ok(None),
            broken @ ToolFailure::Broken(_) => Err(broken),
        },
    }
}

fn modify(path: &str, new: &str, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
    let file = at(path, world)?;
    let Some(old) = text_at(&file, world)? else {
        return Ok(Answer::failure(format!("Error: File does not exist - {path}")));
    };
    told(
        files::Write::new().call(&json!({"path": file, "content": new}), world),
        |_| {
            let preview: String = new.chars().take(PREVIEW).collect();
            format!("Success: Replaced content of {path}\nPreview: {preview}...")
        },
    )
    .inspect(|answer| {
        if !answer.failed {
            let edit = (path.to_owned(), lines_of(&old, new));
            world.state.repair.history.edits.push(edit);
        }
    })
}

fn apply(root: &str, patch: &str, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
    let folder = at(root, world)?;
    let answer = patch::ApplyPatch::new().call(&json!({"folder": folder, "patch": patch}), world);
    let answer = told(answer, |answer| {
        let mut text = "Success: applied patch".to_owned();
        for change in answer.data.as_array().into_iter().flatten() {
            let word = |name: &str| change.get(name).and_then(Value::as_str).unwrap_or_default();
            let _ = write!(text, "\n{} {}", word("change"), word("path"));
        }
        text
    })?;
    if !answer.failed {
        let edit = ("patch".to_owned(), patch.to_owned());
        world.state.repair.history.edits.push(edit);
    }
    Ok(answer)
}

/// An answer in the published form: the text of a success, or the reason behind `Error: `.
fn told(answer: Result<Answer, ToolFailure>, success: impl FnOnce(&Answer) -> String) -> Result<Answer, ToolFailure> {
    match answer {
        Ok(answer) if answer.failed => Ok(Answer::failure(format!("Error: {}", answer.text))),
        Ok(answer) => {
            let text = success(&answer);
            Ok(Answer { text, ..answer })
        }
        Err(ToolFailure::Told(why)) => Ok(Answer::failure(format!("Error: {why}"))),
        Err(broken) => Err(broken),
    }
}

fn extract(path: &str, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
    let given = at(path, world)?;
    let pristine = check::rebuilds(world)?.pristine();
    let open: Vec<String> = pristine
        .unpacked()
        .into_iter()
        .filter(|(_, archive)| given == world.root || given.ends_with(&format!("/{archive}")))
        .map(|(folder, archive)| format!("{archive} is at {folder}/"))
        .collect();
    if !open.is_empty() {
        return Ok(Answer::text(format!("Success: Extracted: {}", open.join(", "))));
    }
    let to = format!("{}/{EXTRACTED}", world.root);
    remove(&to, world)?;
    told(
        archive::Extract::new().call(&json!({"path": given, "to": to}), world),
        |_| format!("Success: Extracted to {EXTRACTED}/"),
    )
}

fn compress(path: &str, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
    if path.contains(EXTRACTED) {
        return Ok(Answer::failure(format!(
            "Error: give the path of the package, not of `{EXTRACTED}`"
        )));
    }
    let folder = format!("{}/{EXTRACTED}", world.root);
    if files::known(&folder, world)?.is_none() {
        return Ok(Answer::text(
            "Success: Compressed to the package's own archives: an upload packs what was edited in them",
        ));
    }
    let answer = told(archive::Pack::new().call(&json!({"folder": folder}), world), |answer| {
        format!("Success: Compressed to {}", answer.text)
    })?;
    if !answer.failed {
        remove(&folder, world)?;
    }
    Ok(answer)
}

fn remove(folder: &str, world: &mut World<'_>) -> Result<(), ToolFailure> {
    run_quietly("rm -rf -- \"$1\"", &[folder], world.limits.look, &mut Vec::new(), world)?;
    Ok(())
}

/// What came of the last upload, in the words of the published check.
fn result(world: &mut World<'_>) -> Result<Answer, ToolFailure> {
    let rebuilt = check::check(world)?;
    let log = check::log(&rebuilt, world)?;
    let state = match rebuilt.state.as_str() {
        "succeeded" if rebuilt.proof => "succeeded",
        "broken" | "unresolvable" | "timeout" => rebuilt.state.as_str(),
        _ => "failed",
    };
    let mut text = format!(
        "Build result: Build {state}! ({}) {}",
        rebuilt.state.as_str(),
        rebuilt.details
    );
    if state != "succeeded" && !log.is_empty() {
        let _ = write!(text, "\n{}", check::end(&log));
    }
    Ok(Answer::text(text).with_data(json!({"rebuild": rebuilt})))
}

/// Whether a result is a success: by its state, so that no other word of it counts.
fn parsed(result: &str) -> Answer {
    let status = result.split_once(": ").map_or(result, |(_, status)| status);
    let success = status.starts_with("Build succeeded!");
    of_json(&json!({"success": success, "status": status}))
}

/// Lines that went and lines that came.
fn lines_of(old: &str, new: &str) -> String {
    let mut text = String::new();
    let (before, after): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    for line in before.iter().filter(|line| !after.contains(line)) {
        let _ = writeln!(text, "-{line}");
    }
    for line in after.iter().filter(|line| !before.contains(line)) {
        let _ = writeln!(text, "+{line}");
    }
    text
}

fn prompt(system: &str, attempt: i64, world: &World<'_>) -> Answer {
    let name = check::rebuilds(world).map_or_else(|_| String::new(), |rebuilds| rebuilds.pristine().name().to_owned());
    let mut user = format!("Repair the package {name} in {}. Edit nothing else.", world.root);
    let edits = &world.state.repair.history.edits;
    if attempt > 1 && !edits.is_empty() {
        user.push_str("\nEdits of earlier attempts, which did not suffice:");
        for (path, diff) in edits {
            let _ = write!(user, "\n{path}:");
            for line in diff.lines() {
                let line: String = line.chars().take(LINE).collect();
                let _ = write!(user, "\n{line}");
            }
        }
    }
    of_json(&json!({"messages": [
        {"role": "system", "content": system},
        {"role": "user", "content": user},
    ]}))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn names_and_parameters_are_the_published_ones() {
        let mut text = String::new();
        for (patches, mode) in [(false, "full-file"), (true, "patch")] {
            let tools = compat_tools(patches);
            writeln!(text, "{mode}: {} tools", tools.len()).unwrap();
            if patches {
                continue;
            }
            for tool in &tools {
                writeln!(text, "  {}: {}", tool.spec().name, tool.spec().signature()).unwrap();
            }
        }
        expect![[r"
            full-file: 17 tools
              init_package_environment_tool: base_dir?, package_name?, result_dir?, temp_work_dir?
              get_packages_to_process: base_dir?, result_dir?
              get_structure_of_files: package_path
              get_file_content_tool: file_path
              modify_file_tool: file_path, new_content
              extract_archive_tool: package_path
              compress_to_archive_tool: package_path
              upload_file_to_obs_tool: package_path
              check_build_result: input_dir?, package_name?
              parse_build_result_tool: result_content, package_name?
              track_file_modification_tool: file_path, old_content, new_content, package_name?, package_path?
              update_prompt_with_history_tool: build_attempt, formatted_prompt, package_name?, package_path?
              check_repeat_tool_call: tool_name, args_key, max_repeat, package_name?
              check_tool_cache: call_key, package_name?
              cache_tool_result: call_key, result, package_name?
              record_tool_call_history: call_key, package_name?
              reset_package_cache_tool: package_name?
            patch: 17 tools
        "]]
        .assert_eq(&text);
    }

    #[test]
    fn a_result_is_read_from_its_state() {
        for (text, success) in [
            ("Build result: Build succeeded! (succeeded) ", true),
            ("Build result: Build broken! (broken) the recipe", false),
            (
                "Build result: Build failed! in /src/tokei: ok, passed, succeeded",
                false,
            ),
            ("ok", false),
        ] {
            assert_eq!(parsed(text).data["success"], success, "{text}");
        }
    }
}
