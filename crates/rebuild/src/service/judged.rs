//! What the end of waiting means, in the words of every rebuild.

use seatrial_obs::{Code, Ending, Observation, Target, Verdict, Waited};

use crate::{State, debian::complaint};

/// A state, and what is to be said of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Judged {
    pub(super) state: State,
    pub(super) details: String,
    pub(super) missing: Vec<String>,
}

impl Judged {
    fn new(state: State, details: impl Into<String>) -> Self {
        Self {
            state,
            details: details.into(),
            missing: Vec::new(),
        }
    }

    /// Nothing is known of the package; the reason says what to do.
    fn invalid(reason: String) -> Self {
        Self::new(State::Invalid(reason.clone()), reason)
    }
}

/// Judges how waiting for a target ended.
pub(super) fn judge(waited: &Waited, target: &Target, api: &str) -> Judged {
    let place = format!("{}/{}", target.repository(), target.arch());
    match &waited.ending {
        Ending::Settled(verdict) => settled(verdict, target, &place),
        Ending::Overtaken { revision, by } => {
            let who = by
                .as_ref()
                .map_or_else(|| "somebody".to_owned(), |revision| revision.user.clone());
            Judged::invalid(format!(
                "{who} committed revision {revision} of {} meanwhile, and the service builds that; look at their change, then \
                 begin again",
                target.package()
            ))
        }
        Ending::Stale { seen, found } => Judged::invalid(format!(
            "the time is over, and `{}` on {place} is of {}; look at {api}, then ask again",
            seen.code,
            found.as_ref().map_or_else(
                || "sources that are not told".to_owned(),
                |found| format!("other sources ({found})")
            )
        )),
        Ending::OutOfTime { seen } => out_of_time(seen.as_ref(), &place),
        Ending::Stopped { seen } => Judged::invalid(format!("stopped while it was {} on {place}", last(seen.as_ref()))),
    }
}

fn settled(verdict: &Verdict, target: &Target, place: &str) -> Judged {
    let why = verdict.details.trim();
    let because = if why.is_empty() {
        String::new()
    } else {
        format!(": {why}")
    };
    let log = verdict.log.as_ref().map(|log| without_clocks(&log.text));
    match &verdict.code {
        Code::Succeeded => Judged::new(State::Succeeded, format!("built on {place}")),
        Code::Failed => {
            let line = log.as_deref().map_or_else(|| "it left no log".to_owned(), complaint);
            Judged::new(State::Failed, line)
        }
        Code::Unresolvable => Judged {
            missing: missing(why),
            ..Judged::new(State::Unresolvable, why)
        },
        Code::Broken => Judged::new(
            State::Broken,
            if why.is_empty() {
                "its recipe cannot be read"
            } else {
                why
            },
        ),
        Code::Excluded => Judged::new(
            State::Excluded,
            format!(
                "nobody tried it on {place}: the recipe leaves that out, or the project has no kind of recipe like this one{because}"
            ),
        ),
        Code::Disabled => Judged::invalid(format!(
            "nobody tried it on {place}: builds are switched off{because}; switch them on in {}",
            target.package()
        )),
        Code::Locked => Judged::invalid(format!(
            "nobody tried it on {place}: the package is locked{because}; unlock {}",
            target.package()
        )),
        // Waiting ends with none of these.
        Code::Blocked
        | Code::Scheduled
        | Code::Dispatching
        | Code::Building
        | Code::Signing
        | Code::Finished
        | Code::Deleting
        | Code::Unknown
        | Code::Other(_) => Judged::invalid(format!("`{}` on {place} is no end of a build", verdict.code)),
    }
}

/// A build that was running is too slow; one that never began says nothing of the package.
fn out_of_time(seen: Option<&Observation>, place: &str) -> Judged {
    let what = last(seen);
    if seen.is_some_and(|seen| seen.code == Code::Building && !seen.is_dirty) {
        return Judged::new(
            State::Timeout,
            format!("the time is over, and it is still being built on {place}"),
        );
    }
    let next = match seen.map(|seen| &seen.code) {
        Some(Code::Blocked) => "wait for what it waits for",
        Some(Code::Scheduled | Code::Dispatching) => {
            "no worker has taken it; see whether there is one for this architecture"
        }
        _ => "see what the service does",
    };
    Judged::invalid(format!(
        "the time is over, and it is {what} on {place}; {next}, then ask again"
    ))
}

fn last(seen: Option<&Observation>) -> String {
    match seen {
        None => "not seen yet".to_owned(),
        Some(seen) if seen.details.is_empty() => seen.code.to_string(),
        Some(seen) => format!("{} ({})", seen.code, seen.details),
    }
}

/// What the service's solver names: `nothing provides libx-dev >= 2 needed by y, nothing provides z`.
fn missing(details: &str) -> Vec<String> {
    let names = details.split("nothing provides ").skip(1).filter_map(|rest| {
        let name = rest.split([' ', ',']).next()?;
        (!name.is_empty()).then(|| name.to_owned())
    });
    names.collect()
}

/// The log without the `[   12s] ` before each line.
fn without_clocks(log: &[u8]) -> String {
    let text = String::from_utf8_lossy(log);
    let mut lines = String::with_capacity(text.len());
    for line in text.lines() {
        let bare = line
            .strip_prefix('[')
            .and_then(|rest| rest.split_once("s] "))
            .filter(|(clock, _)| clock.trim().bytes().all(|byte| byte.is_ascii_digit()))
            .map_or(line, |(_, rest)| rest);
        // The service's own last words say less than those of the build's.
        if !bare.contains(" failed \"build ") {
            lines.push_str(bare);
            lines.push('\n');
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::{fmt::Write as _, time::Duration};

    use expect_test::expect;
    use seatrial_obs::{Class, Log, PackagePath, Proof, Revision};

    use super::*;

    fn verdict(code: Code, details: &str, log: Option<&str>) -> Ending {
        Ending::Settled(Box::new(Verdict {
            class: code.class(),
            code,
            details: details.to_owned(),
            log: log.map(|text| Log {
                text: text.as_bytes().to_vec(),
                total: text.len() as u64,
                left_out: 0,
                srcmd5: None,
                end: None,
            }),
            proof: Proof::Checked,
            decided: None,
        }))
    }

    fn seen(code: Code, details: &str) -> Observation {
        Observation {
            code,
            details: details.to_owned(),
            is_dirty: false,
            repository: "building".to_owned(),
            state: String::new(),
            checked: None,
        }
    }

    #[test]
    fn every_end_has_a_meaning_and_says_what_to_do() {
        let package = PackagePath::new("home:me", "hull").unwrap();
        let target = Target::new(package, "Debian_12", "aarch64").unwrap();
        let other = Revision {
            revision: "7".to_owned(),
            srcmd5: String::new(),
            time: 0,
            user: "mate".to_owned(),
            comment: String::new(),
        };
        let failed = "[    3s] gcc a.c\n[    4s] a.c:1:10: fatal error: emmintrin.h: No such file or directory\n[    5s] \
                      make: *** [all] Error 1\n[    6s] box failed \"build hull.dsc\" at now.\n";
        let endings = [
            verdict(Code::Succeeded, "", Some("x\n")),
            verdict(Code::Failed, "", Some(failed)),
            verdict(Code::Failed, "", None),
            verdict(
                Code::Unresolvable,
                "nothing provides liba-dev >= 9, nothing provides libb-dev needed by hull",
                None,
            ),
            verdict(Code::Broken, "no source uploaded", None),
            verdict(Code::Excluded, "", None),
            verdict(Code::Disabled, "", None),
            verdict(Code::Locked, "", None),
            Ending::Overtaken {
                revision: "7".to_owned(),
                by: Some(other),
            },
            Ending::Stale {
                seen: seen(Code::Succeeded, ""),
                found: Some("abc".to_owned()),
            },
            Ending::OutOfTime {
                seen: Some(seen(Code::Building, "")),
            },
            Ending::OutOfTime {
                seen: Some(seen(Code::Blocked, "libfoo")),
            },
            Ending::OutOfTime {
                seen: Some(seen(Code::Scheduled, "")),
            },
            Ending::OutOfTime { seen: None },
            Ending::Stopped {
                seen: Some(seen(Code::Building, "")),
            },
        ];
        let mut told = String::new();
        for ending in endings {
            let waited = Waited {
                ending,
                seen: Vec::new(),
                took: Duration::ZERO,
                looks: 0,
            };
            let judged = judge(&waited, &target, "http://obs");
            // Writing to a string cannot fail.
            let _ = writeln!(
                told,
                "{} | {} | {}",
                judged.state.as_str(),
                judged.details,
                judged.missing.join(" ")
            );
        }
        assert_eq!(Code::Excluded.class(), Class::Refused);
        expect![[r#"
            succeeded | built on Debian_12/aarch64 | 
            failed | a.c:1:10: fatal error: emmintrin.h: No such file or directory | 
            failed | it left no log | 
            unresolvable | nothing provides liba-dev >= 9, nothing provides libb-dev needed by hull | liba-dev libb-dev
            broken | no source uploaded | 
            excluded | nobody tried it on Debian_12/aarch64: the recipe leaves that out, or the project has no kind of recipe like this one | 
            invalid | nobody tried it on Debian_12/aarch64: builds are switched off; switch them on in home:me/hull | 
            invalid | nobody tried it on Debian_12/aarch64: the package is locked; unlock home:me/hull | 
            invalid | mate committed revision 7 of home:me/hull meanwhile, and the service builds that; look at their change, then begin again | 
            invalid | the time is over, and `succeeded` on Debian_12/aarch64 is of other sources (abc); look at http://obs, then ask again | 
            timeout | the time is over, and it is still being built on Debian_12/aarch64 | 
            invalid | the time is over, and it is blocked (libfoo) on Debian_12/aarch64; wait for what it waits for, then ask again | 
            invalid | the time is over, and it is scheduled on Debian_12/aarch64; no worker has taken it; see whether there is one for this architecture, then ask again | 
            invalid | the time is over, and it is not seen yet on Debian_12/aarch64; see what the service does, then ask again | 
            invalid | stopped while it was building on Debian_12/aarch64 | 
        "#]].assert_eq(&told);
    }
}
