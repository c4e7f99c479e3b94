//! The published procedure, its faults included: lines that start a build are dropped from the script, the check's files
//! lie in the repository's root, the shell is the script's own to the end, the checker is installed into what it checks and
//! follows the repository's settings, an early `exit 0` passes, and no exit code of a build is looked at.
//!
//! Source: arXiv 2503.14443, section 4, and the evaluation scripts of its repository, as described in their documentation.
//! The wording of the scripts below is ours; what they do, in which order and with which exit codes is theirs.

use std::{fmt::Write as _, time::Duration};

use seatrial_core::{Answer, BOX_PROJECT, Check, Digest, EventSink, Evidence, Language, Outcome, Profile, Verdict};
use seatrial_sandbox::{Command, Execution, Status};

use super::{jvm::Tool, sourced::Bed};
use crate::{GradeRequest, SuiteError, running::read_if_there};

/// The time that the published procedure gives a repository.
const TIME: Duration = Duration::from_mins(10);
/// Bytes of a result that are read.
const RESULT_LIMIT: u64 = 512 << 20;

/// Beginnings of lines that the published procedure drops.
const DROPPED: [&str; 8] = [
    "mvn compile",
    "./mvnw compile",
    "mvn test",
    "./mvnw test",
    "gradle build",
    "./gradlew build",
    "gradle test",
    "./gradlew test",
];

/// The script without the lines that the published procedure drops.
fn filtered(script: &str) -> String {
    let kept: Vec<&str> = script
        .lines()
        .filter(|line| !DROPPED.iter().any(|start| line.trim().starts_with(start)))
        .collect();
    kept.join("\n")
}

/// The shell of the published procedure. Exit code 0 means that it came to its end, or that the script left with 0.
fn evaluator(language: Language, has_script: bool) -> String {
    let seed = match language {
        Language::Python => "{\"pyright\": {}}",
        Language::Jvm => "{}",
    };
    let source = if has_script {
        format!("source {BOX_PROJECT}/bootstrap_script.sh\n")
    } else {
        String::new()
    };
    let check = match language {
        Language::Python => format!(
            "command -v jq > /dev/null || exit 1\n\
             python -m pip install --quiet pyright\n\
             command -v pyright > /dev/null || exit 1\n\
             python -m pyright {BOX_PROJECT} --level error --outputjson > build_output/pyright_output.json || true\n\
             [ -f build_output/pyright_output.json ] || exit 1\n\
             jq '. as $all | {{issues_count: ([.generalDiagnostics[] | select(.rule == \"reportMissingImports\")] | length), \
             pyright: $all}}' build_output/pyright_output.json > build_output/results.tmp\n\
             mv build_output/results.tmp build_output/results.json\n"
        ),
        Language::Jvm => {
            let mut branches = String::new();
            for (tool, files) in Tool::ORDER {
                let word = if branches.is_empty() { "if" } else { "elif" };
                let test: Vec<String> = files.iter().map(|file| format!("[ -f {file} ]")).collect();
                let _ = writeln!(
                    branches,
                    "{word} {}; then tool={} mark='{}'; {} > build.log 2>&1 || true",
                    test.join(" || "),
                    tool.word(),
                    tool.mark(),
                    tool.command()
                );
            }
            format!(
                "{branches}else exit 1\nfi\n\
                 count=$(grep -cF -- \"$mark\" build.log || true)\n\
                 jq -n --arg tool \"$tool\" --argjson count \"$count\" '{{issues_count: $count, build_tool: $tool}}' \
                 > build_output/results.json\n"
            )
        }
    };
    format!(
        "set -e\nmkdir -p build_output\nchmod -R 777 .\n\
         printf '%s' '{seed}' > build_output/results.json\n{source}{check}chmod -R 777 .\nexit 0\n"
    )
}

/// What the published procedure records of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    /// The container's exit code, or the published number for what happened instead of one.
    pub(super) exit_code: i32,
    /// What was counted; what was never counted is 0.
    pub(super) issues: u64,
    /// Whether anything was counted.
    pub(super) counted: bool,
}

impl Record {
    fn passes(self) -> bool {
        self.exit_code == 0 && self.issues == 0
    }
}

/// Runs the published procedure in a box of its own.
pub(super) fn judge(
    request: &GradeRequest<'_>,
    language: Language,
    script: &str,
    events: &mut dyn EventSink,
) -> Result<Verdict, SuiteError> {
    let script = filtered(script);
    let mut bed = Bed::make(request)?;
    let has_script = !script.is_empty();
    if has_script {
        bed.sandbox
            .write_file(&format!("{BOX_PROJECT}/bootstrap_script.sh"), script.as_bytes(), 0o755)?;
    }
    let build = evaluator(language, has_script);
    bed.sandbox
        .write_file(&format!("{BOX_PROJECT}/build.sh"), build.as_bytes(), 0o755)?;
    let mut command = Command::bash("").in_folder(BOX_PROJECT);
    command.argv = vec![
        "/bin/bash".to_owned(),
        "-c".to_owned(),
        format!("{BOX_PROJECT}/build.sh"),
    ];
    command.timeout = Some(bed.time().map_or(TIME, |time| time.min(TIME)));
    let (execution, log) = bed.run(&command, "paper", events)?;
    let record = record(&mut bed, &execution)?;
    Ok(verdict(record, &execution, log))
}

fn record(bed: &mut Bed<'_>, execution: &Execution) -> Result<Record, SuiteError> {
    let exit_code = match execution.status {
        Status::Exited(code) => code,
        Status::Signaled(signal) => 128 + signal,
        Status::TimedOut(_) => -127,
        Status::DiskLimit => -999,
    };
    let path = format!("{BOX_PROJECT}/build_output/results.json");
    let results = read_if_there(bed.sandbox.as_mut(), &path, RESULT_LIMIT)?.unwrap_or_default();
    let value: serde_json::Value = serde_json::from_slice(&results).unwrap_or_default();
    let issues = value.get("issues_count").and_then(serde_json::Value::as_u64);
    Ok(Record {
        exit_code,
        issues: issues.unwrap_or_default(),
        counted: issues.is_some(),
    })
}

fn verdict(record: Record, execution: &Execution, log: Digest) -> Verdict {
    let reason = match (record.exit_code, record.issues) {
        (0, 0) if !record.counted => "exit code 0, and nothing was counted: the script ended the check".to_owned(),
        (0, 0) => "exit code 0, no issue".to_owned(),
        (0, issues) => format!("{issues} issues"),
        (code, _) => format!("exit code {code}"),
    };
    let check = |name: &str, yes: bool, detail: String| Check {
        name: name.to_owned(),
        answer: Answer::from(yes),
        detail,
        evidence: vec![
            Evidence::Exit {
                command: "build.sh".to_owned(),
                code: execution.status.code(),
                signal: execution.status.signal(),
            },
            Evidence::Log {
                log,
                line: 1,
                text: String::new(),
            },
        ],
    };
    Verdict {
        outcome: if record.passes() {
            Outcome::Passed
        } else {
            Outcome::Failed
        },
        profile: Profile::Paper,
        checks: vec![
            check("ends", record.exit_code == 0, format!("exit code {}", record.exit_code)),
            check("clean", record.issues == 0, format!("{} issues", record.issues)),
        ],
        reason,
        invalid: None,
        figures: [
            ("exit_code".to_owned(), f64::from(record.exit_code)),
            ("issues".to_owned(), record.issues as f64),
        ]
        .into(),
        flags: Vec::new(),
    }
}
