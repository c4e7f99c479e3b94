//! `seatrial corpus mine mutations` and `seatrial bench diagnosis`.

use std::{
    fmt::Write as _,
    path::Path,
    time::{Duration, Instant, SystemTime},
};

use seatrial_core::ExitCode;
use seatrial_diagnosis::{Class, diagnose};
use seatrial_report::{ShareRow, ShareTable, visible};
use seatrial_suites::{
    Answer, Case, CaseSet, Consultant, Grades, MiningFloor, MutationOptions, Opinion, Reveal, Side, Tally,
};

use super::{answer, answer_json, platform};
use crate::{
    app::App,
    args::MineVerb,
    bench_args::{DiagnosisArgs, OtherProgram},
    failure::Failure,
};

pub(super) fn mine(app: &App, verb: MineVerb) -> Result<ExitCode, Failure> {
    let MineVerb::Mutations {
        folder,
        seed,
        project,
        jobs,
        platform: name,
        why,
        labels_only,
    } = verb
    else {
        return Err(Failure::usage("this is not `corpus mine mutations`"));
    };
    let platform = platform(&name)?;
    if !folder.join("catalogue").is_dir() {
        return Err(Failure::usage(format!(
            "{} has no folder `catalogue` with projects to break; name a set's folder, such as corpora/mutations",
            folder.display()
        )));
    }
    // A set that cannot be read is not taken for a new one: another seed would move cases from one half to the other.
    let old = if folder.join("corpus.toml").exists() {
        Some(CaseSet::load(&folder)?.facts().seed)
    } else {
        None
    };
    let image = app.image(&platform)?;
    let (factory, fetcher) = (app.factory()?, app.fetcher(&platform));
    let report = seatrial_suites::mine_mutations(
        &MiningFloor {
            factory: &*factory,
            image: image.id,
            platform,
            network: app.open_network()?,
            fetcher: &fetcher,
            progress: &|line: &str| app.show.note(line),
        },
        &folder,
        &MutationOptions {
            seed: seed.or(old).unwrap_or(1),
            only: project,
            labels_only,
            jobs,
        },
    )?;
    factory.settle();
    app.show.clear();
    if why {
        for dropped in &report.dropped {
            app.show.note(&format!(
                "{}: {}\n{}",
                dropped.what,
                dropped.why,
                visible(&dropped.tail)
            ));
        }
    }
    let cases = report.set.cases();
    let unseen = cases.iter().filter(|case| case.split == Side::Unseen).count();
    if app.json {
        answer_json(&serde_json::json!({
            "folder": folder, "cases": cases.len(), "unseen": unseen, "dropped": report.dropped.len(),
        }))?;
    } else {
        let mut text = format!(
            "{}: {} cases, {unseen} of them unseen; {} dropped{}",
            folder.display(),
            cases.len(),
            report.dropped.len(),
            if report.dropped.is_empty() || why {
                ""
            } else {
                " (`--why` says why)"
            },
        );
        for class in Class::ALL {
            let count = cases.iter().filter(|case| case.class == class).count();
            let _ = write!(text, "\n  {:<12} {count}", class.name());
        }
        answer(&text)?;
    }
    Ok(ExitCode::Passed)
}

/// Makes a part of what is held out seen.
pub(super) fn reveal(app: &App, folder: &Path, seed: u64, share: f64) -> Result<ExitCode, Failure> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the share is between 0 and 1"
    )]
    let percent = ((share * 100.0).round() as u32).max(1);
    let set = CaseSet::load(folder)?;
    let drawn = Reveal::draw(&set, seed, percent, today());
    if drawn.is_empty() {
        return Err(Failure::nothing_run(format!(
            "{} holds nothing out of sight any more",
            folder.display()
        )));
    }
    let before = seatrial_suites::sides(&set);
    let set = seatrial_suites::reveal(folder, drawn.clone())?;
    let after = seatrial_suites::sides(&set);
    if app.json {
        answer_json(&serde_json::json!({ "reveal": drawn, "seen": after.0, "unseen": after.1 }))?;
    } else {
        answer(&format!(
            "{}: {} projects and {} mutations became seen, drawn with seed {seed}: {} cases seen and {} unseen, before {} and \
             {}\n  corpus.toml keeps which",
            folder.display(),
            drawn.projects.len(),
            drawn.mutations.len(),
            after.0,
            after.1,
            before.0,
            before.1
        ))?;
    }
    Ok(ExitCode::Passed)
}

/// The day, of the calendar that began in March: each leap day is then the last of its year.
fn today() -> String {
    let days = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs() / 86_400)
        + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (0, month + 3) } else { (1, month - 9) };
    format!("{:04}-{month:02}-{day:02}", year_of_era + era * 400 + year)
}

pub(super) fn bench(app: &App, args: &DiagnosisArgs) -> Result<ExitCode, Failure> {
    let set = CaseSet::load(&args.corpus)?;
    let split = args.split;
    let mut own = Clock::default();
    let grades = seatrial_suites::grade(&set, split, &mut |_, log| own.time(log.len(), || explain(log)))?;
    if grades.by_split.is_empty() {
        return Err(Failure::nothing_run(format!(
            "{} has no such cases",
            args.corpus.display()
        )));
    }
    let other = match args.with {
        Some(OtherProgram::BuildlogConsultant) => {
            let program = args.program.clone().unwrap_or_else(|| "analyze-build-log".into());
            Some(consult(&set, split, &Consultant::new(program))?)
        }
        None => None,
    };
    if app.json {
        return json(&grades, other.as_ref());
    }
    let mut text = format!(
        "{}: seed {}; projects and mutations held out as a whole; Wilson intervals of 95 %\n\n",
        set.facts().name,
        set.facts().seed
    );
    let table = own_table(&grades);
    text.push_str(&if args.markdown {
        table.to_markdown()
    } else {
        table.to_text()
    });
    let _ = writeln!(text, "\nin {}", own.said());
    if let Some(other) = &other {
        let table = other.table(&grades);
        let _ = write!(
            text,
            "\nbuildlog-consultant on the same logs (its kinds are others: `subject` asks whether it names the subject at all)\n\n{}",
            if args.markdown {
                table.to_markdown()
            } else {
                table.to_text()
            }
        );
        let _ = writeln!(text, "\nin {}", other.clock.said());
    }
    if args.failures {
        failures(&mut text, &grades);
    }
    answer(&text)?;
    Ok(ExitCode::Passed)
}

/// Asks our own diagnosis.
fn explain(log: &[u8]) -> Answer {
    match diagnose(log).cause {
        Some(cause) => Answer {
            class: Some(cause.class),
            kind: Some(cause.kind),
            lines: Some(if cause.span == (0, 0) {
                (cause.line, cause.line)
            } else {
                cause.span
            }),
            subject: cause.subject,
        },
        None => Answer::default(),
    }
}

/// Time and bytes.
#[derive(Default)]
struct Clock {
    logs: u64,
    bytes: usize,
    total: Duration,
}

impl Clock {
    fn time<T>(&mut self, bytes: usize, work: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let result = work();
        self.add(bytes, begun.elapsed());
        result
    }

    fn add(&mut self, bytes: usize, took: Duration) {
        self.logs += 1;
        self.bytes += bytes;
        self.total += took;
    }

    fn said(&self) -> String {
        format!(
            "{:.3} s for {} logs, {:.1} MB",
            self.total.as_secs_f64(),
            self.logs,
            self.bytes as f64 / 1e6
        )
    }
}

fn own_table(grades: &Grades) -> ShareTable {
    let row = |name: String, tally: &Tally| ShareRow {
        name,
        cases: tally.cases,
        shares: [tally.class, tally.kind, tally.subject, tally.line]
            .map(|hits| (hits, tally.cases))
            .to_vec(),
    };
    ShareTable {
        header: ["", "cases", "class", "kind", "kind and subject", "line within 1"]
            .map(str::to_owned)
            .to_vec(),
        rows: rows(grades)
            .into_iter()
            .map(|(name, _, tally)| row(name, &tally))
            .collect(),
    }
}

/// A row for each class of each half, and one for the half.
fn rows(grades: &Grades) -> Vec<(String, (Side, Option<Class>), Tally)> {
    let mut rows = Vec::new();
    for (split, all) in &grades.by_split {
        for ((_, class), tally) in grades.by_class.iter().filter(|((of, _), _)| of == split) {
            rows.push((
                format!("{} {}", split.name(), class.name()),
                (*split, Some(*class)),
                *tally,
            ));
        }
        rows.push((format!("{} all", split.name()), (*split, None), *all));
    }
    rows
}

/// What the other program answered.
struct Other {
    opinions: Vec<(Side, Class, bool, Option<bool>)>,
    clock: Clock,
}

fn consult(set: &CaseSet, split: Option<Side>, consultant: &Consultant) -> Result<Other, Failure> {
    let mut other = Other {
        opinions: Vec::new(),
        clock: Clock::default(),
    };
    let wanted = |case: &&Case| split.is_none_or(|split| split == case.split);
    for case in set.cases().iter().filter(wanted) {
        let opinion: Opinion = consultant
            .ask(&set.log_path(case))
            .map_err(|error| Failure::usage(error.to_string()))?;
        let bytes = set.log(case)?.len();
        other.clock.add(bytes, opinion.took);
        other
            .opinions
            .push((case.split, case.class, opinion.hits(case), opinion.names(case)));
    }
    Ok(other)
}

impl Other {
    /// Hits of the line, and of the subject where there is one.
    fn shares(&self, of: (Side, Option<Class>)) -> [(u64, u64); 2] {
        let mut shares = [(0, 0); 2];
        let [subject, line] = &mut shares;
        for (_, _, hit, named) in self
            .opinions
            .iter()
            .filter(|(split, class, ..)| *split == of.0 && of.1.is_none_or(|of| of == *class))
        {
            line.0 += u64::from(*hit);
            line.1 += 1;
            if let Some(named) = named {
                subject.0 += u64::from(*named);
                subject.1 += 1;
            }
        }
        shares
    }

    fn table(&self, grades: &Grades) -> ShareTable {
        ShareTable {
            header: ["", "cases", "subject", "line within 1"].map(str::to_owned).to_vec(),
            rows: rows(grades)
                .into_iter()
                .map(|(name, of, tally)| ShareRow {
                    name,
                    cases: tally.cases,
                    shares: self.shares(of).to_vec(),
                })
                .collect(),
        }
    }
}

fn failures(text: &mut String, grades: &Grades) {
    let _ = writeln!(text, "\nwrong, of the seen half:");
    for (case, answer, judgement) in &grades.wrong {
        let wrong = [
            ("class", judgement.class),
            ("subject", judgement.subject),
            ("line", judgement.line),
        ];
        let wrong: Vec<_> = wrong
            .iter()
            .filter(|(_, right)| !right)
            .map(|(what, _)| *what)
            .collect();
        let kinds: Vec<_> = case.kind.iter().map(|kind| kind.name()).collect();
        let _ = writeln!(
            text,
            "{} ({})\n  wanted {} {} {} {:?}\n  got    {} {} {} {:?}",
            case.id,
            wrong.join(", "),
            case.class.name(),
            kinds.join("|"),
            case.subject.join("|"),
            case.lines,
            answer.class.map_or("-", Class::name),
            answer.kind.map_or("-", |kind| kind.name()),
            visible(&answer.subject),
            answer.lines.unwrap_or_default()
        );
    }
}

fn json(grades: &Grades, other: Option<&Other>) -> Result<ExitCode, Failure> {
    let rows: Vec<_> = rows(grades)
        .into_iter()
        .map(|(_, of, tally)| {
            let beside = other.map(|other| {
                let [subject, line] = other.shares(of);
                serde_json::json!({
                    "subject": { "hits": subject.0, "of": subject.1 }, "line": { "hits": line.0, "of": line.1 },
                })
            });
            serde_json::json!({
                "split": of.0, "class": of.1, "tally": tally, "buildlog_consultant": beside,
            })
        })
        .collect();
    answer_json(&rows)?;
    Ok(ExitCode::Passed)
}
