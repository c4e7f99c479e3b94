//! One grading of a setup, from the request to the verdicts of both profiles.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufReader, Read as _},
};

use seatrial_core::{
    Answer, Check, Digest, Event, EventSink, Evidence, InvalidReason, Language, Outcome, Profile, Verdict,
};
use seatrial_sandbox::Change;

use super::{
    goal, integrity, jvm, paper,
    python::{self, Checked},
    sourced::Sourced,
    unreachable,
};
use crate::{GradeRequest, SuiteError, running::helper};

/// Places that a check lists.
const LISTED: usize = 50;
/// Bytes of a build's log that are read for lines that count.
const LOG_LIMIT: u64 = 64 << 20;

/// Grades; a fault of the machinery becomes an invalid verdict of each profile.
pub(super) fn grade(request: &GradeRequest<'_>, events: &mut dyn EventSink) -> Vec<Verdict> {
    try_grade(request, events).unwrap_or_else(|error| {
        [Profile::Strict, Profile::Paper]
            .map(|profile| Verdict::invalid(profile, error.invalid_reason(), error.to_string()))
            .to_vec()
    })
}

fn try_grade(request: &GradeRequest<'_>, events: &mut dyn EventSink) -> Result<Vec<Verdict>, SuiteError> {
    let language = goal(request.task)?.language;
    let script = request.submission.script.as_deref().unwrap_or_default();
    events.emit(Event::Phase {
        name: "replay".to_owned(),
    })?;
    let strict = strict(request, language, script, events)?;
    events.emit(Event::Phase {
        name: "paper".to_owned(),
    })?;
    let mut paper = match paper::judge(request, language, script, events) {
        Ok(verdict) => verdict,
        // What was judged already stands.
        Err(error) if !error.is_interrupt() => {
            Verdict::invalid(Profile::Paper, error.invalid_reason(), error.to_string())
        }
        Err(error) => return Err(error),
    };
    // What cannot be reached from here says nothing of a script under either procedure.
    if strict.outcome == Outcome::Invalid && paper.outcome == Outcome::Failed {
        let kind = strict.invalid.unwrap_or(InvalidReason::Network);
        paper = Verdict::invalid(Profile::Paper, kind, strict.reason.clone());
    }
    Ok(vec![strict, paper])
}

/// What the strict procedure found out.
struct Found {
    checks: Vec<Check>,
    flags: Vec<Check>,
    figures: BTreeMap<String, f64>,
    reason: String,
    /// The log of the check, whose commands are the grader's.
    log: Option<Digest>,
}

impl Found {
    fn figure(&mut self, name: &str, value: u64) {
        self.figures.insert(name.to_owned(), value as f64);
    }
}

fn strict(
    request: &GradeRequest<'_>,
    language: Language,
    script: &str,
    events: &mut dyn EventSink,
) -> Result<Verdict, SuiteError> {
    if script.trim().is_empty() {
        let note = request.submission.note.lines().next().unwrap_or_default().trim();
        let reason = if note.is_empty() {
            "nothing was handed in: the submission has no script".to_owned()
        } else {
            format!("nothing was handed in: {note}")
        };
        return Ok(failed(vec![check("ends", Answer::NotAsked, &reason)], &reason));
    }
    if let Err(reason) = super::taken(request.submission) {
        return Ok(failed(vec![check("ends", Answer::NotAsked, &reason)], &reason));
    }
    let mut sourced = Sourced::strict(request, script, events)?;
    let script_log = sourced.log;
    let mut found = Found {
        checks: Vec::new(),
        flags: Vec::new(),
        figures: BTreeMap::new(),
        reason: String::new(),
        log: None,
    };
    found
        .figures
        .insert("script_ms".to_owned(), sourced.execution.wall.as_millis() as f64);
    found.figure(
        "script_lines",
        script.lines().filter(|line| !line.trim().is_empty()).count() as u64,
    );
    if sourced.left.is_some() {
        found.checks.push(Check {
            name: "ends".to_owned(),
            answer: Answer::Yes,
            detail: "the script came to its end".to_owned(),
            evidence: vec![log_line(script_log, 1, "")],
        });
        inspect(&mut sourced, language, &mut found, events)?;
    } else {
        found.reason = sourced.why_not();
        found.checks.push(Check {
            name: "ends".to_owned(),
            answer: Answer::No,
            detail: found.reason.clone(),
            evidence: vec![
                Evidence::Exit {
                    command: "script".to_owned(),
                    code: sourced.execution.status.code(),
                    signal: sourced.execution.status.signal(),
                },
                log_line(script_log, 1, ""),
            ],
        });
    }
    let earned = found.checks.iter().all(|check| check.answer == Answer::Yes);
    if !earned && let Some(url) = unreachable::first(request, &script_log, found.log.as_ref())? {
        return Ok(Verdict::invalid(
            Profile::Strict,
            InvalidReason::Network,
            format!(
                "{url} cannot be reached from a box, and the repository asks for it: {}",
                found.reason
            ),
        ));
    }
    if earned && !found.flags.is_empty() {
        let names: Vec<_> = found.flags.iter().map(|flag| flag.name.as_str()).collect();
        found.reason = format!("not earned: {}", names.join(", "));
    }
    Ok(Verdict {
        outcome: if earned && found.flags.is_empty() {
            Outcome::Passed
        } else {
            Outcome::Failed
        },
        profile: Profile::Strict,
        checks: found.checks,
        reason: found.reason,
        invalid: None,
        figures: found.figures,
        flags: found.flags,
    })
}

/// Asks the checker of the language, and what the script changed.
fn inspect(
    sourced: &mut Sourced<'_>,
    language: Language,
    found: &mut Found,
    events: &mut dyn EventSink,
) -> Result<(), SuiteError> {
    let changes = {
        let pristine = sourced.pristine;
        sourced.bed.sandbox.changes(&pristine)?
    };
    let records = match language {
        Language::Python => records(sourced, &changes)?,
        Language::Jvm => BTreeSet::new(),
    };
    let left = sourced.left.clone().unwrap_or_default();
    found.flags = integrity::flags(&changes, &sourced.bed.request.source.root, language, &left, &records);
    match language {
        Language::Python => python(sourced, found, events),
        Language::Jvm => jvm(sourced, found, events),
    }
}

fn python(sourced: &mut Sourced<'_>, found: &mut Found, events: &mut dyn EventSink) -> Result<(), SuiteError> {
    let (imports, report) = match python::check(sourced, events)? {
        Checked::Report(imports, report) => (imports, report),
        Checked::NoPython(log) => {
            found.log = Some(log);
            "the environment that the script left has no Python on its PATH".clone_into(&mut found.reason);
            found.checks.push(check("imports", Answer::No, &found.reason));
            return Ok(());
        }
        Checked::Broke(status, log) => {
            found.log = Some(log);
            found.reason = format!("the checker gave no report: {status:?}");
            let mut check = check("imports", Answer::No, &found.reason);
            check.evidence.push(log_line(log, 1, ""));
            found.checks.push(check);
            return Ok(());
        }
    };
    found.figure("issues", imports.missing.len() as u64);
    found.figure("missing_packages", imports.packages.len() as u64);
    found.figure("stubs_only", imports.stubs.len() as u64);
    found.figure("files", imports.files);
    let clean = imports.missing.is_empty() && imports.files > 0;
    found.reason = if imports.files == 0 {
        "the checker found no file to read".to_owned()
    } else if clean {
        format!("every import of {} files is answered", imports.files)
    } else {
        let names: Vec<&str> = imports.packages.iter().take(8).map(String::as_str).collect();
        let more = imports.packages.len().saturating_sub(names.len());
        let more = if more == 0 {
            String::new()
        } else {
            format!(", and {more} more")
        };
        format!(
            "{} imports are not answered, of {} packages: {}{more}",
            imports.missing.len(),
            imports.packages.len(),
            names.join(", ")
        )
    };
    let mut evidence = vec![log_line(report, 1, "the checker's report")];
    evidence.extend(
        imports
            .missing
            .iter()
            .take(LISTED)
            .map(|place| Evidence::Note { text: place.clone() }),
    );
    found.checks.push(Check {
        name: "imports".to_owned(),
        answer: Answer::from(clean),
        detail: found.reason.clone(),
        evidence,
    });
    if !imports.stubs.is_empty() {
        // A stub says what a module would offer. Nothing runs with it.
        let detail = format!("{} imports are answered by a stub alone", imports.stubs.len());
        if clean {
            found.reason.clone_from(&detail);
        }
        let places = imports.stubs.iter().take(LISTED);
        found.checks.push(Check {
            name: "sources".to_owned(),
            answer: Answer::No,
            detail,
            evidence: places.map(|place| Evidence::Note { text: place.clone() }).collect(),
        });
    }
    if clean {
        let root = sourced.bed.request.source.root.clone();
        let ran = python::probe(sourced, &root, events)?;
        found.figure("own_imports", ran.imports);
        found.figure("own_imports_asked", ran.imports_asked);
        found.figure("tools", ran.tools);
        found.figure("tools_asked", ran.tools_asked);
    }
    Ok(())
}

fn jvm(sourced: &mut Sourced<'_>, found: &mut Found, events: &mut dyn EventSink) -> Result<(), SuiteError> {
    let Some(tool) = jvm::tool(sourced)? else {
        "the repository's root has no build file of Gradle or Maven".clone_into(&mut found.reason);
        found.checks.push(check("builds", Answer::No, &found.reason));
        return Ok(());
    };
    let (execution, log) = jvm::check(sourced, tool, events)?;
    found.log = Some(log);
    let mut text = Vec::new();
    BufReader::new(sourced.bed.request.blobs.open(&log)?)
        .take(LOG_LIMIT)
        .read_to_end(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    let counted: Vec<(u64, &str)> = tool.counted(&text).collect();
    found.figure("issues", counted.len() as u64);
    let built = execution.succeeded() && counted.is_empty();
    found.reason = if built {
        format!("`{}` builds it", tool.command())
    } else if execution.succeeded() {
        format!(
            "`{}` ended well, and {} lines of its log count",
            tool.command(),
            counted.len()
        )
    } else {
        format!("`{}` failed; {} lines of its log count", tool.command(), counted.len())
    };
    let mut evidence = vec![Evidence::Exit {
        command: tool.command().to_owned(),
        code: execution.status.code(),
        signal: execution.status.signal(),
    }];
    evidence.extend(
        counted
            .iter()
            .take(LISTED)
            .map(|(line, text)| log_line(log, *line, text)),
    );
    found.checks.push(Check {
        name: "builds".to_owned(),
        answer: Answer::from(built),
        detail: found.reason.clone(),
        evidence,
    });
    if built {
        let compiled = jvm::test_classes(sourced, tool, events)?;
        found.figure("tests_compile", u64::from(compiled));
    }
    Ok(())
}

/// The files that installed distributions say are theirs, as paths of the box.
fn records(sourced: &mut Sourced<'_>, changes: &[Change]) -> Result<BTreeSet<String>, SuiteError> {
    let mut files = BTreeSet::new();
    for change in changes {
        let Some(folder) = change.path.strip_suffix(".dist-info/RECORD") else {
            continue;
        };
        let Some((modules, _)) = folder.rsplit_once('/') else {
            continue;
        };
        let Some(record) = crate::running::read_if_there(sourced.bed.sandbox.as_mut(), &change.path, 64 << 20)? else {
            continue;
        };
        for line in String::from_utf8_lossy(&record).lines() {
            // A path with a comma is quoted; its hash and size come after the last two commas.
            let mut parts = line.rsplitn(3, ',');
            let (_, _, path) = (parts.next(), parts.next(), parts.next());
            if let Some(path) = path {
                let path = path.trim_matches('"');
                files.insert(if path.starts_with('/') {
                    path.to_owned()
                } else {
                    format!("{modules}/{path}")
                });
            }
        }
    }
    // What the distribution's package manager laid is its own.
    if changes.iter().any(|change| change.path.contains("/dist-packages/")) {
        let listed = helper(
            sourced.bed.sandbox.as_mut(),
            "listing installed files",
            "cat /var/lib/dpkg/info/*.list 2>/dev/null | grep -F /dist-packages/; true",
        )?;
        files.extend(String::from_utf8_lossy(&listed).lines().map(str::to_owned));
    }
    Ok(files)
}

fn log_line(log: Digest, line: u64, text: &str) -> Evidence {
    Evidence::Log {
        log,
        line,
        text: text.to_owned(),
    }
}

fn check(name: &str, answer: Answer, detail: &str) -> Check {
    Check {
        name: name.to_owned(),
        answer,
        detail: detail.to_owned(),
        evidence: Vec::new(),
    }
}

fn failed(checks: Vec<Check>, reason: &str) -> Verdict {
    Verdict {
        outcome: Outcome::Failed,
        profile: Profile::Strict,
        checks,
        reason: reason.to_owned(),
        invalid: None,
        figures: BTreeMap::new(),
        flags: Vec::new(),
    }
}
