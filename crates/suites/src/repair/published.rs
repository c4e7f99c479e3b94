//! The published procedure's verdict of a rebuild, with those of its faults that change numbers.
//!
//! It looks at the state every half minute and waits for nothing but `building`, three minutes at most; whatever else it
//! sees then is the result. The result is a sentence, and a success is a sentence with one of five words in it, wherever
//! they stand: `broken` holds one of them, and so does the path of many a package.

use seatrial_rebuild::{EMULATED_FACTOR, Outcome, State};

/// Words that make a sentence a success.
const WORDS: [&str; 5] = ["success", "succeeded", "successfully", "passed", "ok"];
/// Seconds between looks, and in all.
const EVERY: u64 = 30;
const BUDGET: u64 = 180;

/// What is seen of a build from some second on, in the words of a build service.
pub type Seen<'a> = (u64, &'a str);

/// The published answer to a check at second 0, of what can be seen over time.
pub fn published_answer(package: &str, seen: &[Seen<'_>]) -> String {
    let code = |now: u64| {
        let passed = seen.iter().rev().find(|(since, _)| *since <= now);
        passed.map_or("unknown", |(_, code)| *code)
    };
    let mut now = 0;
    while code(now) == "building" {
        if now >= BUDGET {
            return "Build result: Build timeout! Default build failed.".to_owned();
        }
        now += EVERY;
    }
    match code(now) {
        "succeeded" => "Build result: Build succeeded!".to_owned(),
        "broken" => "Build result: Build broken!".to_owned(),
        "unresolvable" => "Build result: Build unresolvable!".to_owned(),
        // All others, those in which nothing has been built yet among them.
        _ => format!("Build result: Build failed! The log is in temp_workspace/{package}/log_failed.txt"),
    }
}

/// Whether the published procedure takes an answer for a success, and the word that makes it one.
pub fn published_success(answer: &str) -> Option<&'static str> {
    let status = answer.split_once(": ").map_or(answer, |(_, status)| status);
    WORDS.into_iter().find(|word| status.contains(word))
}

/// The published verdict of a rebuild here, with the sentence that it rests on.
///
/// What takes time is what the processor did, as the load of this machine says nothing of the published one; an emulated build
/// counts as on a processor of its own.
pub(super) fn published_verdict(package: &str, rebuilt: &Outcome) -> (bool, String) {
    let cpu: u64 = rebuilt.spent.iter().map(|spent| spent.cpu_ms).sum();
    let slower = if rebuilt.emulated {
        u64::from(EMULATED_FACTOR)
    } else {
        1
    };
    let seconds = cpu / 1000 / slower;
    let end = match &rebuilt.state {
        // It is stopped by nobody there.
        State::Timeout => "building",
        other => other.as_str(),
    };
    let answer = published_answer(package, &[(0, "building"), (seconds, end)]);
    let success = published_success(&answer).is_some();
    (success, answer)
}
