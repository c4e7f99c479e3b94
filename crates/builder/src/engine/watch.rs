//! Tools that note their failing calls and their downloads, laid first in the path while a failing build is looked into.
//!
//! They are no part of any recipe, add nothing to a call and pass everything on. With many jobs at one time they are what
//! tells the command that failed from its neighbours.

use std::time::Duration;

use seatrial_sandbox::{Command, Sandbox};

use crate::BuilderError;

/// Puts them first in the path.
pub(super) const PATH: &str = "export PATH=\"/build/watch/bin:$PATH\"\n";

/// Lays them over the tools that are there; what they wrote before is gone.
const LAY: &str = r#"rm -rf /build/watch
mkdir -p /build/watch/bin /build/watch/calls
for tool in cc gcc g++ c++ clang clang++ ld ar pkg-config git curl wget pip pip3; do
  real=$(command -v "$tool") || continue
  case "$tool" in git|curl|wget|pip*) always=1 ;; *) always=0 ;; esac
  cat > "/build/watch/bin/$tool" <<END
#!/bin/sh
note=/build/watch/calls/\$\$
"$real" "\$@" 2>"\$note.err"
code=\$?
cat "\$note.err" >&2
if [ "\$code" -ne 0 ] || [ $always = 1 ]; then
  { echo "$tool"; echo "\$code"; pwd; printf '%s ' "\$@"; echo; head -n 1 "\$note.err"; } >"\$note.call"
fi
rm -f "\$note.err"
exit "\$code"
END
  chmod 755 "/build/watch/bin/$tool"
done
"#;

/// A call that was noted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) tool: String,
    pub(super) code: i32,
    pub(super) folder: String,
    pub(super) arguments: String,
    /// The first line that it wrote as an error.
    pub(super) said: String,
}

impl Call {
    /// Whether it was for fetching something.
    pub(super) fn fetches(&self) -> bool {
        matches!(self.tool.as_str(), "git" | "curl" | "wget" | "pip" | "pip3")
            && ["://", "install", "clone", "fetch", "pull", "submodule"]
                .iter()
                .any(|word| self.arguments.contains(word))
    }

    /// As a reader would type it, not endless.
    pub(super) fn words(&self) -> String {
        let text: String = self.arguments.chars().take(300).collect();
        format!("cd {} && {} {}", self.folder, self.tool, text.trim())
    }
}

pub(super) fn lay(sandbox: &mut dyn Sandbox) -> Result<(), BuilderError> {
    let mut output = Vec::new();
    let command = Command::bash(LAY).with_timeout(Duration::from_secs(30));
    let _execution = sandbox.exec(&command, &mut output)?;
    Ok(())
}

/// What was noted since they were laid, in the order in which the calls ended.
pub(super) fn calls(sandbox: &mut dyn Sandbox) -> Result<Vec<Call>, BuilderError> {
    let script = "cd /build/watch/calls 2>/dev/null || exit 0\n\
                  ls -tr | grep 'call$' | head -n 200 | while read -r file; do head -c 8000 \"$file\" | head -n 5; echo \"--\"; done";
    let mut output = Vec::new();
    let command = Command::bash(script).with_timeout(Duration::from_secs(30));
    let _execution = sandbox.exec(&command, &mut output)?;
    Ok(read(&String::from_utf8_lossy(&output)))
}

fn read(text: &str) -> Vec<Call> {
    text.split("--\n")
        .filter_map(|note| {
            let mut lines = note.lines();
            Some(Call {
                tool: lines.next()?.to_owned(),
                code: lines.next()?.parse().ok()?,
                folder: lines.next()?.to_owned(),
                arguments: lines.next()?.trim().to_owned(),
                said: lines.next().unwrap_or_default().to_owned(),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_become_calls() {
        let calls = read(
            "gcc\n1\n/build/source\n-c a.c \na.c:1: error: no\n--\ngit\n128\n/\nclone https://x.example/y \n--\nrubbish\n--\n",
        );
        assert_eq!(calls.len(), 2);
        assert!(calls[1].fetches() && !calls[0].fetches());
        assert_eq!(calls[0].words(), "cd /build/source && gcc -c a.c");
        assert_eq!(calls[0].said, "a.c:1: error: no");
    }
}
