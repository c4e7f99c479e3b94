//! Lays the pinned source into a box and closes the ways to the answer key.

use std::fmt::Write as _;

use seatrial_core::{BOX_OUT, BOX_PREFIX, BOX_SOURCE, Task};
use seatrial_sandbox::Sandbox;
use seatrial_source::SourceTree;

use crate::{SuiteError, lay::lay, running::helper};

/// Lays the source below [`BOX_SOURCE`], makes the two other folders, and blocks the task's own packages.
pub(super) fn prepare(task: &Task, source: &SourceTree, sandbox: &mut dyn Sandbox) -> Result<(), SuiteError> {
    lay(source, BOX_SOURCE, sandbox)?;
    for (path, text) in [
        ("/etc/apt/preferences.d/seatrial", preferences(&task.blocked_sources)),
        ("/etc/apt/apt.conf.d/zz-seatrial", APT_SETTINGS.to_owned()),
    ] {
        sandbox.write_file(path, text.as_bytes(), 0o644)?;
    }
    helper(
        sandbox,
        "closing the distribution's source packages",
        &format!(
            "mkdir -p {BOX_SOURCE} {BOX_OUT} {BOX_PREFIX}\n\
             shopt -s nullglob\n\
             for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do\n\
             [ -f \"$list\" ] && sed -i -E '/^[[:space:]]*deb-src/d' \"$list\"\n\
             done\n\
             for list in /etc/apt/sources.list.d/*.sources; do\n\
             sed -i -E '/^Types:/s/deb-src//g' \"$list\"\n\
             done\n\
             true"
        ),
    )?;
    Ok(())
}

/// Without this target the package manager knows no index of sources, even when a script adds a `deb-src` line.
const APT_SETTINGS: &str =
    "// Source packages are the answer key of a compile task.\n#clear Acquire::IndexTargets::deb-src;\n";

/// Pins that take every version of every package built from the sources off the table.
fn preferences(blocked: &[String]) -> String {
    let mut text = String::new();
    for source in blocked.iter().filter(|source| is_package_name(source)) {
        let _ = write!(
            text,
            "Explanation: packages built from the task's own source are its answer key\n\
             Package: src:{source}\nPin: release *\nPin-Priority: -1\n\n"
        );
    }
    text
}

/// Names are written into a file of the package manager, so only names can be.
fn is_package_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '+' | '-' | '.'))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn each_blocked_source_gets_a_pin_and_junk_gets_none() {
        expect![[r"
            Explanation: packages built from the task's own source are its answer key
            Package: src:hello
            Pin: release *
            Pin-Priority: -1

            Explanation: packages built from the task's own source are its answer key
            Package: src:libfoo++
            Pin: release *
            Pin-Priority: -1

        "]]
        .assert_eq(&preferences(&[
            "hello".to_owned(),
            "libfoo++".to_owned(),
            "x\nPin: y".to_owned(),
        ]));
    }
}
