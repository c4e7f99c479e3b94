//! `seatrial bench retrieval`: does a way of finding instructions reach the document that has them?

use std::{
    fmt::Write as _,
    io::Read as _,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use fs_err as fs;
use seatrial_agents::{Repository, Retrieval, RetrievalScore, measure_retrieval};
use seatrial_core::ExitCode;
use seatrial_report::{ShareRow, ShareTable};
use seatrial_tools::{Page, PageSource, ToolFailure};
use serde_json::{Value, json};
use ureq::{
    Agent,
    tls::{RootCerts, TlsConfig},
};

use super::{answer, answer_json};
use crate::{app::App, failure::Failure, retrieval_args::BenchRetrievalArgs};

pub(super) fn bench(app: &App, args: &BenchRetrievalArgs) -> Result<ExitCode, Failure> {
    let labels = super::models::labels(&args.table)?;
    let mut known: Vec<(&Repository, PathBuf)> = Vec::new();
    let mut absent: Vec<&str> = Vec::new();
    for repository in &labels.repositories {
        if !repository.compilable || repository.trajectory.is_empty() {
            continue;
        }
        match folder_of(&args.repos, &repository.name) {
            Some(folder) => known.push((repository, folder)),
            None => absent.push(&repository.name),
        }
    }
    known.truncate(args.limit.unwrap_or(usize::MAX));
    if known.is_empty() {
        return Err(Failure::nothing_run(format!(
            "{} has no repository of {} that can be built and says how",
            args.repos.display(),
            args.table.display()
        )));
    }
    let (mut settings, _) = super::models::settings(app, &args.models)?;
    if args.strategies().contains(&Retrieval::Llm) && settings.models.is_empty() {
        return Err(Failure::usage(
            "the strategy `llm` asks a model: name one with `--model provider/name`",
        ));
    }
    settings.pages = Some(Arc::new(Pages::at(args.pages.as_deref())));
    let stop = AtomicBool::new(false);
    let mut measured = Vec::new();
    for strategy in args.strategies() {
        let mut scores = Vec::new();
        for (repository, folder) in &known {
            let score = measure_retrieval(repository, folder, strategy, &settings, &stop);
            scores.push(score.map_err(|error| Failure::invalid(format!("{}: {error}", repository.name)))?);
        }
        measured.push((strategy, scores));
    }
    if app.json {
        answer_json(&document(args, &measured, &absent))?;
    } else {
        answer(&text(args, &measured, known.len(), &absent))?;
    }
    Ok(ExitCode::Passed)
}

/// Where a repository's files are.
fn folder_of(repos: &Path, name: &str) -> Option<PathBuf> {
    let short = name.rsplit_once('/').map_or(name, |(_, short)| short);
    [name, short]
        .iter()
        .map(|name| repos.join(name))
        .find(|folder| folder.is_dir())
}

struct Sums {
    repositories: u64,
    reached: u64,
    outside: u64,
    outside_reached: u64,
    steps: u64,
    covered: u64,
    requests: u64,
    calls: u64,
    tokens: u64,
    cost_micros: Option<u64>,
    ended: u64,
}

impl Sums {
    fn of(scores: &[RetrievalScore]) -> Self {
        let count = |test: &dyn Fn(&RetrievalScore) -> bool| scores.iter().filter(|score| test(score)).count() as u64;
        let sum = |number: &dyn Fn(&RetrievalScore) -> u64| scores.iter().map(number).sum();
        Self {
            repositories: scores.len() as u64,
            reached: count(&|score| score.reached),
            outside: count(&|score| score.outside),
            outside_reached: count(&|score| score.outside && score.reached),
            steps: sum(&|score| score.steps as u64),
            covered: sum(&|score| score.covered as u64),
            requests: sum(&|score| u64::from(score.requests)),
            calls: sum(&|score| u64::from(score.calls)),
            tokens: sum(&|score| score.tokens),
            cost_micros: scores.iter().map(|score| score.cost_micros).sum(),
            ended: count(&|score| score.ended.is_some()),
        }
    }
}

fn document(args: &BenchRetrievalArgs, measured: &[(Retrieval, Vec<RetrievalScore>)], absent: &[&str]) -> Value {
    let strategies: Vec<Value> = measured
        .iter()
        .map(|(strategy, scores)| {
            let sums = Sums::of(scores);
            json!({
                "strategy": strategy.name(),
                "repositories": sums.repositories,
                "reached": sums.reached,
                "outside": sums.outside,
                "outside_reached": sums.outside_reached,
                "steps": sums.steps,
                "steps_covered": sums.covered,
                "requests": sums.requests,
                "calls": sums.calls,
                "tokens": sums.tokens,
                "cost_micros": sums.cost_micros,
                "ended_early": sums.ended,
                "scores": scores,
            })
        })
        .collect();
    json!({"version": 1, "table": args.table, "absent": absent, "models": args.models.model, "strategies": strategies})
}

fn text(
    args: &BenchRetrievalArgs,
    measured: &[(Retrieval, Vec<RetrievalScore>)],
    known: usize,
    absent: &[&str],
) -> String {
    let table = ShareTable {
        header: [
            "strategy",
            "repositories",
            "reached",
            "of those outside",
            "steps covered",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows: measured
            .iter()
            .map(|(strategy, scores)| {
                let sums = Sums::of(scores);
                ShareRow {
                    name: strategy.name().to_owned(),
                    cases: sums.repositories,
                    shares: vec![
                        (sums.reached, sums.repositories),
                        (sums.outside_reached, sums.outside),
                        (sums.covered, sums.steps),
                    ],
                }
            })
            .collect(),
    };
    let mut text = format!("{known} repositories with labels; Wilson intervals of 95 %\n");
    if !absent.is_empty() {
        let _ = writeln!(text, "{} more are not in {}", absent.len(), args.repos.display());
    }
    text.push('\n');
    text.push_str(&if args.markdown {
        table.to_markdown()
    } else {
        table.to_text()
    });
    text.push('\n');
    for (strategy, scores) in measured {
        let sums = Sums::of(scores);
        let cost = match sums.cost_micros {
            Some(0) => String::new(),
            Some(micros) => format!(", {:.4} US dollars", micros as f64 / 1e6),
            None => ", cost unknown".to_owned(),
        };
        let _ = writeln!(
            text,
            "{}: {:.1} pages asked for a repository, {} calls of a model, {} tokens{cost}",
            strategy.name(),
            sums.requests as f64 / sums.repositories.max(1) as f64,
            sums.calls,
            sums.tokens,
        );
        if sums.ended > 0 {
            let _ = writeln!(text, "  {} searches ended early", sums.ended);
        }
        if args.tasks {
            for score in scores {
                let how = if score.reached { "reached" } else { "missed" };
                let _ = writeln!(
                    text,
                    "  {how}  {}  {}/{} steps  {}",
                    score.repository,
                    score.covered,
                    score.steps,
                    score.ended.as_deref().unwrap_or(&score.sources.join(" "))
                );
            }
        }
    }
    text
}

/// Pages from a folder, from a server that has those of all hosts, or from the web.
enum Pages {
    Folder(PathBuf),
    Server(Agent, Option<String>),
}

impl Pages {
    fn at(place: Option<&str>) -> Self {
        let prefix = match place {
            None => None,
            Some(place) if place.starts_with("http://") || place.starts_with("https://") => {
                Some(place.trim_end_matches('/').to_owned())
            }
            Some(folder) => return Self::Folder(folder.into()),
        };
        let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
        let agent = Agent::config_builder()
            .tls_config(tls)
            .http_status_as_error(false)
            .user_agent(concat!("seatrial/", env!("CARGO_PKG_VERSION")))
            .timeout_global(Some(Duration::from_mins(2)))
            .build()
            .new_agent();
        Self::Server(agent, prefix)
    }
}

impl PageSource for Pages {
    fn fetch(&self, url: &str, most: u64) -> Result<Page, ToolFailure> {
        let told = |error: &dyn std::fmt::Display| ToolFailure::told(error.to_string());
        let (_, place) = url.split_once("://").unwrap_or(("", url));
        let (content_type, status, reader): (String, u16, Box<dyn std::io::Read>) = match self {
            Self::Folder(folder) => {
                let place = place.split(['?', '#']).next().unwrap_or_default();
                if place.split('/').any(|part| part == "..") {
                    return Err(ToolFailure::told("the address leads out of the folder"));
                }
                let mut path = folder.join(place);
                if path.is_dir() {
                    path.push("index.html");
                }
                let file = fs::File::open(&path).map_err(|error| told(&error))?;
                (String::new(), 200, Box::new(file))
            }
            Self::Server(agent, prefix) => {
                let address = match prefix {
                    Some(prefix) => format!("{prefix}/{place}"),
                    None => url.to_owned(),
                };
                let response = agent.get(&address).call().map_err(|error| told(&error))?;
                let content_type = response
                    .headers()
                    .get("content-type")
                    .and_then(|value| value.to_str().ok())
                    .unwrap_or_default()
                    .to_owned();
                let status = response.status().as_u16();
                (content_type, status, Box::new(response.into_body().into_reader()))
            }
        };
        let mut body = Vec::new();
        reader
            .take(most + 1)
            .read_to_end(&mut body)
            .map_err(|error| told(&error))?;
        let cut = body.len() as u64 > most;
        body.truncate(most as usize);
        Ok(Page {
            url: url.to_owned(),
            status,
            content_type,
            body,
            cut,
        })
    }
}
