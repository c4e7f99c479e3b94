//! The shell around a script, and what is left of the shell afterwards.

use std::collections::BTreeMap;

/// Where the grader's own files lie in the box, outside of the repository.
pub(super) const DESK: &str = "/build/setup";
/// Where the script lies.
pub(super) const SCRIPT: &str = "/build/setup/script.sh";
/// Where the shell around it lies.
pub(super) const DRIVER: &str = "/build/setup/driver.sh";
/// Where the environment of the shell is written when the script has come to its end.
pub(super) const ENVIRONMENT: &str = "/build/setup/environment";

/// Sources the script as it is published: in the repository's root, in a shell that stops at the first command that fails.
/// The environment is written by a program, so that neither a function nor an alias of the script stands in for it.
pub(super) fn strict(project: &str) -> String {
    format!("cd {project}\nset -e\n. {SCRIPT}\nexec /usr/bin/env -0 > {ENVIRONMENT}\n")
}

/// Variables that say how the shell itself works, or where it stands: they are not the environment.
const OF_THE_SHELL: [&str; 12] = [
    "PWD",
    "OLDPWD",
    "SHLVL",
    "_",
    "SHELLOPTS",
    "BASHOPTS",
    "BASH_ENV",
    "ENV",
    "IFS",
    "PS4",
    "CDPATH",
    "PROMPT_COMMAND",
];

/// The environment that a shell left, from what `env -0` writes. Functions, and what is only the shell's, are left out.
pub(super) fn environment(bytes: &[u8]) -> BTreeMap<String, String> {
    bytes
        .split(|byte| *byte == 0)
        .filter_map(|entry| {
            let entry = std::str::from_utf8(entry).ok()?;
            let (name, value) = entry.split_once('=')?;
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let is_name = !name.is_empty() && name.chars().all(plain);
            (is_name && !OF_THE_SHELL.contains(&name)).then(|| (name.to_owned(), value.to_owned()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_and_the_shell_s_own_are_not_the_environment() {
        let left = environment(
            b"PATH=/opt/venv/bin:/usr/bin\0BASH_FUNC_python%%=() {  true\n}\0PWD=/tmp\0EMPTY=\0TWO=a\nb=c\0BASH_ENV=/tmp/x\0\xff=1\0",
        );
        let shown: Vec<_> = left.iter().map(|(name, value)| format!("{name}={value:?}")).collect();
        assert_eq!(
            shown,
            ["EMPTY=\"\"", "PATH=\"/opt/venv/bin:/usr/bin\"", "TWO=\"a\\nb=c\""]
        );
    }
}
