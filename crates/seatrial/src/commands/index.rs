//! `seatrial index`.

use std::{fmt::Write as _, path::Path};

use seatrial_core::ExitCode;
use seatrial_packages::{Foreign, PackageIndex, build_foreign, deepen, remove, shelved};
use seatrial_source::Progress;

use super::{answer, answer_json, platform};
use crate::{amounts::bytes, app::App, failure::Failure, names_args::IndexVerb};

pub(super) fn run(app: &App, verb: IndexVerb) -> Result<ExitCode, Failure> {
    match verb {
        // The archive is asked each time: an index of it as it is now is never made twice.
        IndexVerb::Build {
            from: Some(from),
            output: Some(output),
            ..
        } => foreign(app, &from, &output),
        IndexVerb::Build { platform, .. } | IndexVerb::Refresh { platform } => refresh(app, &platform),
        IndexVerb::List => list(app),
        IndexVerb::Deepen { platform, max_bytes } => deeper(app, &platform, max_bytes),
        IndexVerb::Rm { platform } => rm(app, &platform),
    }
}

fn refresh(app: &App, name: &str) -> Result<ExitCode, Failure> {
    let index = app.index(&platform(name)?, None)?;
    tell(app, &index)?;
    // The old one still answers, but it is not what was asked for.
    Ok(if index.notes().is_empty() {
        ExitCode::Passed
    } else {
        ExitCode::Invalid
    })
}

fn foreign(app: &App, from: &Path, output: &Path) -> Result<ExitCode, Failure> {
    let what = Foreign::of(from).ok_or_else(|| {
        Failure::usage(format!(
            "{} is neither an rpm repository (a folder with repodata/repomd.xml) nor an APKINDEX.tar.gz",
            from.display()
        ))
    })?;
    build_foreign(output, &what).map_err(|error| Failure::usage(error.to_string()))?;
    tell(app, &PackageIndex::look(output)?)?;
    Ok(ExitCode::Passed)
}

fn tell(app: &App, index: &PackageIndex) -> Result<(), Failure> {
    if app.json {
        return answer_json(&serde_json::json!({
            "index": index.path(), "names": index.len(), "notes": index.notes(),
        }));
    }
    answer(&format!("{}: {} names", index.path().display(), index.len()))
}

fn list(app: &App) -> Result<ExitCode, Failure> {
    let found = shelved(&app.home)?;
    if app.json {
        let list: Vec<_> = found
            .iter()
            .map(|index| {
                serde_json::json!({
                    "platform": index.platform, "path": index.path, "bytes": index.bytes, "names": index.names,
                    "age_seconds": index.age.map(|age| age.as_secs()),
                })
            })
            .collect();
        answer_json(&list)?;
        return Ok(ExitCode::Passed);
    }
    if found.is_empty() {
        answer("there is no package index; `seatrial index build` makes one")?;
        return Ok(ExitCode::Passed);
    }
    let mut text = String::new();
    for index in &found {
        let names = index.names.map_or(
            "of another version: it is made again when it is needed".to_owned(),
            |names| format!("{names} names"),
        );
        let age = index
            .age
            .map_or_else(String::new, |age| format!("{:.1} h old", age.as_secs_f64() / 3600.0));
        let _ = writeln!(
            text,
            "{:<28} {:>9}  {age:>12}  {names}  {}",
            index.platform,
            bytes(index.bytes),
            index.path.file_name().unwrap_or_default().display()
        );
    }
    answer(&text)?;
    Ok(ExitCode::Passed)
}

fn deeper(app: &App, name: &str, max_bytes: u64) -> Result<ExitCode, Failure> {
    let platform = platform(name)?;
    let progress: std::sync::Arc<dyn Progress> = app.show.clone();
    let found = deepen(&app.home, &platform, max_bytes, Some(&progress))?;
    app.show.clear();
    for problem in &found.failed {
        app.show.note(&format!("warning: left out: {problem}"));
    }
    let index = app.index(&platform, None)?;
    if app.json {
        answer_json(&serde_json::json!({
            "packages": found.packages, "too_large": found.too_large, "failed": found.failed,
            "definitions": found.definitions, "index": index.path(), "names": index.len(),
        }))?;
    } else {
        answer(&format!(
            "{} packages read, {} larger than {} left out: {} macros, targets and commands\n{}: {} names",
            found.packages,
            found.too_large,
            bytes(max_bytes),
            found.definitions,
            index.path().display(),
            index.len()
        ))?;
    }
    Ok(ExitCode::Passed)
}

fn rm(app: &App, name: &str) -> Result<ExitCode, Failure> {
    let removed = remove(&app.home, &platform(name)?)?;
    if removed.is_empty() {
        return Err(Failure::nothing_run(format!(
            "there is no index of {name}; `seatrial index list` lists them"
        )));
    }
    let names: Vec<_> = removed.iter().map(|path| path.display().to_string()).collect();
    if app.json {
        answer_json(&names)?;
    } else {
        answer(&format!("removed:\n  {}", names.join("\n  ")))?;
    }
    Ok(ExitCode::Passed)
}
