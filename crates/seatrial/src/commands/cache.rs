//! `seatrial cache`.

use std::{collections::BTreeMap, fmt::Write as _, path::Path};

use seatrial_core::{Digest, ExitCode};
use seatrial_report::visible;
use seatrial_sandbox::{NativeFactory, SandboxError};
use seatrial_store::{
    governor::{Outcome, Plan, Policy, Remover, Room, Size, Survey, free_bytes},
    unix_millis,
};

use super::{answer, answer_json};
use crate::{
    amounts::{ago, bytes},
    app::App,
    args::{CacheVerb, GcArgs},
    failure::Failure,
};

pub(super) fn run(app: &App, verb: CacheVerb) -> Result<ExitCode, Failure> {
    match verb {
        CacheVerb::Size { verbose } => size(app, verbose),
        CacheVerb::Gc(args) => collect(app, args),
    }
}

/// Looks at the data folder and decides; nothing is changed.
pub(crate) fn plan(app: &App, policy: &Policy) -> Result<Plan, Failure> {
    let survey = Survey::of(&app.home)?;
    let needs = seatrial_trial::needs(&app.home)?;
    let busy = app.home.alone().is_none();
    Ok(Plan::of(&survey, &needs, policy, busy, unix_millis()))
}

/// One line of the table.
#[derive(Debug, Default, serde::Serialize)]
struct Row {
    count: usize,
    size: Size,
    last_used: u64,
    gc_frees: u64,
    could_free: u64,
}

fn rows(plan: &Plan) -> BTreeMap<Room, Row> {
    let mut rows: BTreeMap<Room, Row> = Room::ALL.iter().map(|room| (*room, Row::default())).collect();
    for decision in &plan.decisions {
        let row = rows.entry(decision.item.room).or_default();
        row.count += 1;
        row.size += decision.item.size;
        row.last_used = row.last_used.max(decision.item.last_used);
        if decision.remove {
            row.gc_frees += decision.item.size.real;
        }
        if decision.could_go() {
            row.could_free += decision.item.size.real;
        }
    }
    rows
}

fn size(app: &App, verbose: bool) -> Result<ExitCode, Failure> {
    let policy = Policy {
        max_size: app.max_size,
        ..Policy::default()
    };
    let plan = plan(app, &policy)?;
    let rows = rows(&plan);
    let free = free_bytes(app.home.root())?;
    if app.json {
        let mut document = serde_json::json!({
            "home": app.home.root(), "free_bytes": free, "max_size": app.max_size, "takes": plan.takes(),
            "gc_frees": plan.frees(), "could_free": plan.could_free(), "rooms": rows,
        });
        if verbose && let Some(document) = document.as_object_mut() {
            document.insert("items".to_owned(), items(&plan)?);
        }
        answer_json(&document)?;
        return Ok(ExitCode::Passed);
    }
    let now = unix_millis();
    let mut text = format!(
        "{:<16} {:>7}  {:>11}  {:>11}  {:>11}  {:>11}  {:>11}\n",
        "room", "count", "on disk", "apparent", "last use", "gc frees", "could free"
    );
    let mut line = |name: &str, row: &Row| {
        let _ = writeln!(
            text,
            "{name:<16} {:>7}  {:>11}  {:>11}  {:>11}  {:>11}  {:>11}",
            row.count,
            format!(
                "{}{}",
                if row.size.closed > 0 { "> " } else { "" },
                bytes(row.size.real)
            ),
            bytes(row.size.apparent),
            ago(row.last_used, now),
            bytes(row.gc_frees),
            bytes(row.could_free),
        );
    };
    let mut total = Row::default();
    for (room, row) in &rows {
        line(room.name(), row);
        total.count += row.count;
        total.size += row.size;
        total.last_used = total.last_used.max(row.last_used);
    }
    total.gc_frees = plan.frees();
    total.could_free = plan.could_free();
    line("all", &total);
    let _ = write!(
        text,
        "\ndata folder: {}; limit: {}; free on its disk: {}\n",
        visible(&app.home.root().display().to_string()),
        app.max_size.map_or_else(|| "none".to_owned(), bytes),
        bytes(free)
    );
    if verbose {
        text.push('\n');
        for decision in &plan.decisions {
            let _ = writeln!(
                text,
                "{}",
                said(decision, if decision.remove { "goes" } else { "stays" })
            );
        }
    }
    answer(&text)?;
    Ok(ExitCode::Passed)
}

fn items(plan: &Plan) -> Result<serde_json::Value, Failure> {
    serde_json::to_value(&plan.decisions).map_err(|error| Failure::invalid(error.to_string()))
}

fn said(decision: &seatrial_store::governor::Decision, what: &str) -> String {
    format!(
        "{what:<5} {:>11}  {}: {}",
        bytes(decision.item.size.real),
        visible(&decision.item.name),
        decision.reason
    )
}

fn collect(app: &App, args: GcArgs) -> Result<ExitCode, Failure> {
    let policy = Policy {
        max_size: app.max_size,
        older_than: args.older_than,
        runs: args.runs,
        keep: args.keep,
    };
    let plan = plan(app, &policy)?;
    let takes = plan.takes();
    let mut text = String::new();
    let (mut freed, mut removed, mut failed) = (0, 0, 0);
    let mut removals = Vec::new();
    if args.dry_run {
        for decision in plan.decisions.iter().filter(|decision| decision.remove) {
            freed += decision.item.size.real;
            removed += 1;
            let _ = writeln!(text, "{}", said(decision, "would"));
        }
    } else {
        plan.carry_out(&app.home, &Boxes { app }, &mut |removal| {
            let what = match &removal.outcome {
                Outcome::Removed => {
                    freed += removal.decision.item.size.real;
                    removed += 1;
                    "gone".to_owned()
                }
                Outcome::Kept(why) => format!("kept ({})", visible(why)),
                Outcome::Failed(why) => {
                    failed += 1;
                    format!("FAILED ({})", visible(why))
                }
            };
            app.show.progress("cache gc", &removal.decision.item.name);
            let _ = writeln!(text, "{}", said(&removal.decision, &what));
            removals.push(removal.clone());
        });
        app.show.clear();
    }
    let left = takes.saturating_sub(freed);
    let over = policy.max_size.map_or(0, |most| left.saturating_sub(most));
    if app.json {
        let mut document = serde_json::json!({
            "dry_run": args.dry_run, "freed": freed, "removed": removed, "failed": failed, "takes": left,
            "max_size": policy.max_size, "over_limit": over, "free_bytes": free_bytes(app.home.root())?,
            "removals": removals,
        });
        if let Some(document) = document.as_object_mut() {
            document.insert("items".to_owned(), items(&plan)?);
        }
        answer_json(&document)?;
    } else {
        if args.verbose {
            for decision in plan.decisions.iter().filter(|decision| !decision.remove) {
                let _ = writeln!(text, "{}", said(decision, "stays"));
            }
        } else if !args.dry_run {
            // Thousands of blobs are of no interest one by one; what did not go as planned is.
            text = text
                .lines()
                .filter(|line| !line.starts_with("gone"))
                .fold(String::new(), |mut text, line| {
                    text.push_str(line);
                    text.push('\n');
                    text
                });
        }
        let _ = write!(
            text,
            "{} {} in {removed} things; the data folder takes {}",
            if args.dry_run { "would free" } else { "freed" },
            bytes(freed),
            bytes(left)
        );
        if over > 0 {
            let _ = write!(
                text,
                ", {} more than its limit\nwhat stays is needed; `seatrial cache gc -v` says by whom{}",
                bytes(over),
                if args.runs {
                    ""
                } else {
                    ", and `--runs` lets finished runs go too"
                }
            );
        }
        answer(&text)?;
    }
    Ok(if failed > 0 {
        ExitCode::Invalid
    } else if over > 0 && !args.dry_run {
        ExitCode::Failed
    } else {
        ExitCode::Passed
    })
}

/// Removes what belongs to the ids of boxes.
struct Boxes<'a> {
    app: &'a App,
}

impl Boxes<'_> {
    fn helper() -> Result<std::path::PathBuf, String> {
        std::env::current_exe().map_err(|error| error.to_string())
    }
}

fn words(error: &impl std::fmt::Display) -> String {
    error.to_string()
}

impl Remover for Boxes<'_> {
    fn image(&self, id: &Digest) -> Result<(), String> {
        let images = self.app.images().map_err(|failure| failure.message)?;
        // Nobody waits here until an image that is being made is done.
        images.sweep().map_err(|error| words(&error))?;
        images.remove(id).map_err(|error| words(&error))
    }

    fn leftovers(&self) -> Result<(), String> {
        let images = self.app.images().map_err(|failure| failure.message)?;
        let boxes = NativeFactory::sweep_leftovers(&self.app.home, Self::helper()?);
        match images.sweep() {
            // Whoever makes an image removes such leftovers first.
            Err(SandboxError::InUse { .. }) | Ok(()) => boxes.map_err(|error| words(&error)),
            Err(error) => Err(words(&error)),
        }
    }

    fn tree(&self, path: &Path) -> Result<(), String> {
        NativeFactory::remove_tree(&Self::helper()?, path).map_err(|error| words(&error))
    }
}
