//! `seatrial resolve`: a name to the packages that have it, and why.

use std::fmt::Write as _;

use seatrial_core::ExitCode;
use seatrial_packages::{Context, Distribution, Explained, Ground, Key, PackageIndex, distribution_of};
use seatrial_report::visible;

use super::{answer, answer_json, platform};
use crate::{app::App, failure::Failure, names_args::ResolveArgs};

pub(crate) fn run(app: &App, args: &ResolveArgs) -> Result<ExitCode, Failure> {
    let keys = args
        .keys
        .iter()
        .map(|text| text.parse::<Key>())
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| Failure::usage(error.to_string()))?;
    if args.pypi {
        return on_pypi(app, &keys);
    }
    let mut context = Context::of(args.installed.iter().cloned());
    let index = if let Some(path) = &args.index {
        PackageIndex::open(path).map_err(|error| Failure::usage(error.to_string()))?
    } else {
        let platform = match &args.image {
            Some(name) => {
                let image = app.images()?.named(name)?.ok_or_else(|| {
                    Failure::usage(format!("there is no image `{name}`; `seatrial image list` lists them"))
                })?;
                context
                    .installed
                    .extend(image.installed.iter().map(|package| package.name.clone()));
                image.platform
            }
            None => platform(&args.platform)?,
        };
        app.index(&platform, None)?
    };
    let answers: Vec<(&Key, Vec<Explained>, Vec<String>)> = keys
        .iter()
        .map(|key| {
            let found = index.explain(key, &context);
            let near = if found.is_empty() { index.near(key) } else { Vec::new() };
            (key, found, near)
        })
        .collect();
    if app.json {
        let list: Vec<_> = answers
            .iter()
            .map(|(key, found, near)| {
                serde_json::json!({
                    "family": key.family(), "name": key.name(), "candidates": found, "near": near,
                })
            })
            .collect();
        answer_json(&serde_json::json!({ "index": index.path(), "answers": list }))?;
    } else {
        let mut text = String::new();
        for (key, found, near) in &answers {
            show(&mut text, key, found, near, args.why);
        }
        answer(&visible(&text))?;
    }
    Ok(if answers.iter().any(|(_, found, _)| found.is_empty()) {
        ExitCode::Failed
    } else {
        ExitCode::Passed
    })
}

/// What imports are called where they are published.
fn on_pypi(app: &App, keys: &[Key]) -> Result<ExitCode, Failure> {
    let mut text = String::new();
    let mut list = Vec::new();
    let mut all = true;
    for key in keys {
        let Key::Python(import) = key else {
            return Err(Failure::usage(format!(
                "{key} is no Python import; with `--pypi` write `py:NAME`"
            )));
        };
        let (name, why) = match distribution_of(import) {
            Some(Distribution::Standard) => (None, "the interpreter brings it".to_owned()),
            Some(Distribution::Known(name)) => (Some(name.to_owned()), "the table of imports".to_owned()),
            Some(Distribution::SameName(name)) => (Some(name), "the same name; nobody has looked into it".to_owned()),
            Some(Distribution::Refused { resembles }) => {
                all = false;
                (None, format!("refused: it looks like a misspelling of `{resembles}`"))
            }
            None => {
                all = false;
                (None, "this is no module's name".to_owned())
            }
        };
        let _ = writeln!(text, "{key}\n  {}  {why}", name.as_deref().unwrap_or("-"));
        list.push(serde_json::json!({ "import": import, "distribution": name, "why": why }));
    }
    if app.json {
        answer_json(&list)?;
    } else {
        answer(&visible(&text))?;
    }
    Ok(if all { ExitCode::Passed } else { ExitCode::Failed })
}

fn show(text: &mut String, key: &Key, found: &[Explained], near: &[String], why: bool) {
    if found.is_empty() {
        let _ = writeln!(text, "{key}: no package of this release has it");
        if !near.is_empty() {
            let _ = writeln!(text, "  names like it: {}", near.join(", "));
        }
        return;
    }
    let _ = writeln!(text, "{key}");
    let width = found.iter().map(|row| row.package.len()).max().unwrap_or(0);
    for row in found {
        let _ = writeln!(text, "  {:<width$}  {}", row.package, row.because);
        if !why {
            continue;
        }
        let mut factors = vec![match row.ground {
            Ground::Table => "a row of the correction tables decides".to_owned(),
            Ground::File => "a file of the package has the name".to_owned(),
            Ground::Guess => "a name of another kind that sounds alike: a guess".to_owned(),
        }];
        if let Some(popularity) = row.popularity {
            factors.push(format!("popularity {popularity:.1}"));
        }
        match row.depth {
            Some(0) => factors.push("at the include root".to_owned()),
            Some(depth) => factors.push(format!(
                "{depth} below the include root: 1/{}",
                4_u64.pow(depth.min(8) as u32)
            )),
            None => {}
        }
        if row.coherent {
            factors.push("goes with what is installed".to_owned());
        }
        let _ = writeln!(text, "  {:<width$}  score {:.3}: {}", "", row.score, factors.join("; "));
    }
}
