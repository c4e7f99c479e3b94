//! What build tools write beside their logs: the compiler's own words behind a configure script's "no".

use std::time::Duration;

use seatrial_core::{Purpose, Step};
use seatrial_diagnosis::{Diagnosis, diagnose};
use seatrial_sandbox::Command;

use super::attempt::Shop;
use crate::BuilderError;

/// Bytes that are read of each file: its end, where the last question stands.
const BYTES: u32 = 60_000;

/// Adds the missing names that the files beside a failed configuration show, after those of its log.
pub(super) fn add(shop: &mut Shop<'_, '_>, steps: &[Step], diagnosis: &mut Diagnosis) -> Result<(), BuilderError> {
    let Some(step) = steps.iter().find(|step| step.purpose == Purpose::Configure) else {
        return Ok(());
    };
    // Only files of this run, and of config.log only the last questions before the script gave up: earlier ones were
    // answered with "no" and lived with.
    let script = format!(
        "{}cd \"{}\" 2>/dev/null || exit 0\n\
         for file in $OUT/build/meson-logs/meson-log.txt CMakeFiles/CMakeError.log CMakeFiles/CMakeConfigureLog.yaml; do\n  \
         if [ -f \"$file\" ]; then tail -c {BYTES} \"$file\"; fi\ndone\n\
         if [ -f config.log ]; then sed '/^## Cache variables/,$d' config.log | tail -n 80; fi\n",
        seatrial_core::Recipe::preamble(),
        step.folder
    );
    let mut output = Vec::new();
    let command = Command::bash(script).with_timeout(Duration::from_secs(20));
    let _execution = shop.sandbox.exec(&command, &mut output)?;
    let more = diagnose(&output);
    for problem in more.cause.into_iter().chain(more.missing) {
        let known = diagnosis
            .missing
            .iter()
            .any(|known| known.kind == problem.kind && known.subject == problem.subject);
        if !known && problem.kind.is_missing() && !problem.subject.is_empty() {
            diagnosis.missing.push(problem);
        }
    }
    Ok(())
}
