//! Why a build failed, from its log.

use std::fmt::Write as _;

use seatrial_diagnosis::{Diagnosis, Ending, Kind, Problem};
use seatrial_packages::{Key, Resolver};
use serde_json::{Value, json};

use crate::{
    Answer, Caching, Effect, Tool, ToolDescription, ToolFailure, World,
    files::content,
    text::{counted, visible},
    toolbox::{Arguments as _, describe},
};

/// Other missing names that are shown.
const MOST_NAMES: usize = 20;
/// Packages that are shown for a name.
const MOST_PACKAGES: usize = 3;

pub(crate) struct Diagnose(ToolDescription);

impl Diagnose {
    pub(crate) fn new() -> Self {
        Self(describe(
            "diagnose",
            "Names the root cause of a failed build from its log, with the lines that show it, what may cure it, and which \
             packages have what is missing.",
            "Reads the output of the last command when no file is named.",
            Effect::READS,
            Caching::No,
            json!({"path": {"type": "string", "description": "A log in the box, or `output:N`."}}),
            &[],
        ))
    }
}

impl Tool for Diagnose {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, arguments: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let log = match (arguments.text("path"), &world.state.last_output) {
            (Some(path), _) => content(path, world)?.0,
            (None, Some(last)) => match last.whole {
                Some(digest) => world.blobs.read(&digest)?,
                None => last.text.clone().into_bytes(),
            },
            (None, None) => {
                return Err(ToolFailure::told(
                    "no command was run yet; say which `path` has the log",
                ));
            }
        };
        let diagnosis = seatrial_diagnosis::diagnose(&log);
        let data = serde_json::to_value(&diagnosis).unwrap_or(Value::Null);
        Ok(Answer::text(told(&diagnosis, world.resolver)).with_data(data))
    }
}

/// A diagnosis as a model reads it.
pub(crate) fn told(diagnosis: &Diagnosis, resolver: Option<&dyn Resolver>) -> String {
    let Some(cause) = &diagnosis.cause else {
        let lines = counted(diagnosis.facts.lines, "line");
        return match (diagnosis.facts.ending, &diagnosis.facts.closer) {
            (Ending::Succeeded, _) => format!("no failure: the log of {lines} ends with success"),
            (Ending::Failed, Some(closer)) => format!(
                "it failed, and no known message in {lines} says why; the last word is at line {}: {}",
                closer.line,
                visible(&closer.text)
            ),
            _ => format!("no failure is recognised in {lines}"),
        };
    };
    let mut text = format!("cause: {}", name(cause));
    let _ = writeln!(
        text,
        "\nline {}, class {}, {} % sure",
        cause.line,
        cause.class.name(),
        cause.confidence
    );
    for quoted in &diagnosis.excerpt {
        let mark = if quoted.line == cause.line { '>' } else { ' ' };
        let _ = writeln!(text, "{mark} {:>6}\t{}", quoted.line, visible(&quoted.text));
    }
    for remedy in &cause.remedies {
        let _ = writeln!(text, "try: {}", visible(&remedy.to_string()));
    }
    packages(cause, resolver, &mut text);
    let follows: u64 = cause.explains.iter().map(|follow| follow.count).sum();
    if follows > 0 {
        let _ = writeln!(text, "{} follow from it", counted(follows, "later error"));
    }
    let others: Vec<&Problem> = diagnosis
        .missing
        .iter()
        .filter(|other| (other.kind, &other.subject) != (cause.kind, &cause.subject))
        .collect();
    for other in others.iter().take(MOST_NAMES) {
        let _ = writeln!(text, "also: {} (line {})", name(other), other.line);
        packages(other, resolver, &mut text);
    }
    if others.len() > MOST_NAMES {
        let _ = writeln!(text, "and {} more missing names", others.len() - MOST_NAMES);
    }
    text
}

fn name(problem: &Problem) -> String {
    if problem.subject.is_empty() {
        problem.kind.name().to_owned()
    } else {
        format!("{} `{}`", problem.kind.name(), visible(&problem.subject))
    }
}

fn packages(problem: &Problem, resolver: Option<&dyn Resolver>, text: &mut String) {
    let (Some(resolver), Some(key)) = (resolver, key(problem)) else {
        return;
    };
    let candidates = resolver.resolve(&key);
    if candidates.is_empty() {
        return;
    }
    let names: Vec<&str> = candidates
        .iter()
        .take(MOST_PACKAGES)
        .map(|candidate| candidate.package.as_str())
        .collect();
    let _ = writeln!(text, "  packages that have it, best first: {}", names.join(", "));
}

/// The name under which a package is looked for.
fn key(problem: &Problem) -> Option<Key> {
    let name = problem.subject.clone();
    Some(match problem.kind {
        Kind::MissingHeader => Key::Header(name),
        Kind::MissingPkgConfig => Key::PkgConfig(name),
        Kind::MissingCMake if name.contains("::") => Key::CMakeTarget(name),
        Kind::MissingCMake => Key::CMake(name),
        Kind::MissingLibrary => Key::Library(name),
        Kind::MissingSharedObject => Key::Soname(name),
        Kind::MissingCommand => Key::Command(name),
        Kind::MissingMacro => Key::Macro(name),
        Kind::MissingPython => Key::Python(name),
        Kind::MissingPerl => Key::Perl(name),
        Kind::MissingRuby => Key::Ruby(name),
        Kind::MissingR => Key::R(name),
        Kind::MissingNode => Key::Node(name),
        Kind::MissingGo => Key::Go(name),
        Kind::MissingCrate => Key::Crate(name),
        Kind::MissingTex => Key::Tex(name),
        Kind::MissingTypelib => Key::Typelib(name),
        Kind::MissingFile => Key::Path(name),
        _ => return None,
    })
}
