//! Reads what the program notes about its commands, and makes steps of them that need no such program.

use seatrial_core::{BOX_SOURCE, Purpose, Step};

use crate::steps::{quoted, step};

/// What precedes a command, one line each.
const RUNNING: &str = "Running command: ";

/// What follows a command of a build; package managers have no such line.
const RETURNED: &str = "Command returned code ";

/// A command that was run.
#[derive(Debug, PartialEq, Eq)]
struct Ran {
    argv: Vec<String>,
    folder: String,
    /// Where the program says it.
    code: Option<i32>,
}

/// The commands of a log, in order, as steps.
///
/// What failed and was followed by something else is tried in the replay too, because it may have done half of its work,
/// and may fail there too. The last one decides, as it did for the program.
pub(super) fn steps(log: &str) -> Vec<Step> {
    let commands = commands(log);
    let count = commands.len();
    let known = |(index, ran): (usize, Ran)| {
        let is_last = index + 1 == count;
        let command: Vec<String> = ran.argv.iter().map(|word| quoted(word)).collect();
        let purpose = purpose(&ran.argv);
        Step {
            keep_going: !is_last && ran.code != Some(0),
            ..step(
                purpose,
                why(purpose, ran.code),
                &in_script(&ran.folder),
                command.join(" "),
            )
        }
    };
    commands.into_iter().enumerate().map(known).collect()
}

fn commands(log: &str) -> Vec<Ran> {
    let mut commands: Vec<Ran> = Vec::new();
    for line in log.lines() {
        if let Some(rest) = line.strip_prefix(RUNNING) {
            commands.extend(command(rest));
        } else if let Some(code) = line.strip_prefix(RETURNED)
            && let Some(last) = commands.last_mut()
        {
            last.code = code.split(',').next().and_then(|code| code.parse().ok());
        }
    }
    commands
}

/// A command as it is noted: a list of words, and sometimes a folder and a user, which is root here.
fn command(text: &str) -> Option<Ran> {
    let mut rest = text.strip_prefix('[')?;
    let mut argv = Vec::new();
    loop {
        let (word, after) = word(rest)?;
        argv.push(word);
        if let Some(after) = after.strip_prefix(", ") {
            rest = after;
        } else {
            rest = after.strip_prefix(']')?;
            break;
        }
    }
    let folder = match rest.strip_prefix(" in ") {
        Some(rest) => word(rest)?.0,
        None => BOX_SOURCE.to_owned(),
    };
    Some(Ran {
        argv,
        folder,
        code: None,
    })
}

/// A word in quotes, as Rust shows texts, and what comes after it.
fn word(text: &str) -> Option<(String, &str)> {
    let mut characters = text.strip_prefix('"')?.chars();
    let mut word = String::new();
    loop {
        match characters.next()? {
            '"' => return Some((word, characters.as_str())),
            '\\' => match characters.next()? {
                'n' => word.push('\n'),
                't' => word.push('\t'),
                'r' => word.push('\r'),
                '0' => return None,
                'u' => {
                    let (code, after) = characters.as_str().strip_prefix('{')?.split_once('}')?;
                    word.push(char::from_u32(u32::from_str_radix(code, 16).ok()?)?);
                    characters = after.chars();
                }
                plain => word.push(plain),
            },
            plain => word.push(plain),
        }
    }
}

/// A folder as it stands between double quotes of the script.
fn in_script(folder: &str) -> String {
    let below = folder.strip_prefix(BOX_SOURCE).map(|below| below.trim_end_matches('/'));
    let escaped = |path: &str| {
        let mut text = String::new();
        for c in path.chars() {
            if matches!(c, '"' | '\\' | '$' | '`') {
                text.push('\\');
            }
            text.push(c);
        }
        text
    };
    match below {
        Some(below) if below.is_empty() || below.starts_with('/') => format!("$SRC{}", escaped(below)),
        _ => escaped(folder),
    }
}

fn purpose(argv: &[String]) -> Purpose {
    let program = argv.first().map_or("", String::as_str);
    let arguments = argv.get(1..).unwrap_or_default();
    let asks = |word: &str| arguments.iter().any(|argument| argument == word);
    match program.rsplit('/').next().unwrap_or(program) {
        "apt" | "apt-get" => Purpose::Dependencies,
        "configure" | "config" | "autogen.sh" | "bootstrap" | "autoreconf" | "qmake" => Purpose::Configure,
        "cmake" if !asks("--build") => Purpose::Configure,
        "meson" if asks("setup") => Purpose::Configure,
        "sh" if asks("./autogen.sh") => Purpose::Configure,
        _ => Purpose::Build,
    }
}

fn why(purpose: Purpose, code: Option<i32>) -> &'static str {
    match (purpose, code) {
        (Purpose::Dependencies, _) => "ognibuild found it missing",
        (_, Some(0)) => "ognibuild ran it",
        (_, Some(_)) => "ognibuild ran it, and it failed",
        (_, None) => "ognibuild ran it and did not say how it ended",
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::expect;

    use super::*;

    fn shown(log: &str) -> String {
        let mut text = String::new();
        for step in steps(log) {
            let mark = if step.keep_going { " (goes on)" } else { "" };
            let _ = writeln!(
                text,
                "{} in {}{mark}: {}",
                step.purpose.as_str(),
                step.folder,
                step.command
            );
        }
        text
    }

    #[test]
    fn a_build_that_was_repaired_is_replayed_as_it_went() {
        let log = r#"Preparing directory /build/source
Checking that declared dependencies are present
Running command: ["./configure"] in "/build/source"
checking for gcc... gcc
Command returned code 1, with 40 lines of output.
Identified error: Missing C Header: anchor.h
apt: running ["apt", "-y", "satisfy", "--download-only", "libanchor-dev (>= 1.2)"]
Running command: ["apt", "-y", "satisfy", "--download-only", "libanchor-dev (>= 1.2)"] in "/" as user root
Running command: ["apt", "-y", "satisfy", "--no-download", "libanchor-dev (>= 1.2)"] in "/" as user root
Running command: ["./configure"] in "/build/source"
Command returned code 0, with 92 lines of output.
Running command: ["make", "all", "ACLOCAL=:"] in "/build/source/build"
Command returned code 2, with 3 lines of output.
Build failed with unidentified error:
"#;
        expect![[r"
            configure in $SRC (goes on): ./configure
            dependencies in / (goes on): apt -y satisfy --download-only 'libanchor-dev (>= 1.2)'
            dependencies in / (goes on): apt -y satisfy --no-download 'libanchor-dev (>= 1.2)'
            configure in $SRC: ./configure
            build in $SRC/build: make all ACLOCAL=:
        "]]
        .assert_eq(&shown(log));
    }

    #[test]
    fn words_keep_what_is_in_them_and_other_lines_are_no_commands() {
        let log = concat!(
            "Running command: [\"sh\", \"-c\", \"echo \\\"it's\\\" $HOME\\n\", \"\\u{e9}\", \"\"]\n",
            "Command returned code 0, with 1 lines of output.\n",
            "Running command: make all\n",
            "Running command: [\"cut\n",
            "note: Running command: [\"no\"]\n",
            "Running command: [\"cmake\", \"-G\", \"Unix Makefiles\", \".\"] in \"/build/source-2/a\\\"$b\"\n",
            "Running command: [\"cmake\", \"--build\", \".\"] in \"/build/source/\"\n",
        );
        expect![[r#"
            build in $SRC: sh -c 'echo "it'\''s" $HOME
            ' 'é' ''
            configure in /build/source-2/a\"\$b (goes on): cmake -G 'Unix Makefiles' .
            build in $SRC: cmake --build .
        "#]]
        .assert_eq(&shown(log));
        assert_eq!(shown(""), "");
    }
}
