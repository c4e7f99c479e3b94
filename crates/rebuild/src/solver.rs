//! What apt says when it is asked for what a package builds with.

use seatrial_sandbox::Status;

/// How it ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Solved {
    /// Everything is installed.
    Yes,
    /// There is no way; each line names what is missing.
    Unresolvable(Vec<String>),
    /// What the recipe asks for cannot be read.
    Unreadable(String),
    /// A list or a package could not be fetched.
    Unreachable(String),
    /// Anything else: the machine's or the distribution's fault.
    Broken(String),
}

/// Reads its end. It was run with the language of programs, so its words are known.
pub(crate) fn solved(status: Status, output: &str) -> Solved {
    if status == Status::Exited(0) {
        return Solved::Yes;
    }
    if !matches!(status, Status::Exited(_)) {
        return Solved::Broken(format!("{status:?}"));
    }
    let complaints: Vec<_> = output
        .lines()
        .filter_map(|line| line.strip_prefix("E: "))
        .map(str::trim)
        .collect();
    let says = |words: &[&str]| {
        complaints
            .iter()
            .find(|line| words.iter().any(|word| line.contains(word)))
            .map(|line| (*line).to_owned())
    };
    if let Some(line) = says(&[
        "Problem parsing dependency",
        "Unable to get build-dependency information",
    ]) {
        return Solved::Unreadable(line);
    }
    let missing = unmet(output);
    if !missing.is_empty() {
        return Solved::Unresolvable(missing);
    }
    let unknown: Vec<_> = complaints
        .iter()
        .filter_map(|line| {
            line.strip_prefix("Unable to locate package ")
                .map(str::to_owned)
                .or_else(|| {
                    let rest = line.strip_prefix("Package '")?;
                    let (name, rest) = rest.split_once('\'')?;
                    rest.contains("has no installation candidate").then(|| name.to_owned())
                })
        })
        .collect();
    if !unknown.is_empty() {
        return Solved::Unresolvable(unknown);
    }
    if let Some(line) = says(&["Failed to fetch", "Unable to fetch", "Some index files failed"]) {
        return Solved::Unreachable(line);
    }
    Solved::Broken(
        complaints
            .first()
            .map_or_else(|| crate::step::last_line(output).to_owned(), |line| (*line).to_owned()),
    )
}

/// The dependencies in the list of unmet ones. Those of the package that is built come first; only where there are none,
/// those of others count.
fn unmet(output: &str) -> Vec<String> {
    let mut lines = output
        .lines()
        .skip_while(|line| !line.starts_with("The following packages have unmet dependencies"))
        .skip(1)
        .take_while(|line| line.starts_with(' '));
    let (mut own, mut others) = (Vec::new(), Vec::new());
    let mut is_own = false;
    for line in &mut lines {
        let rest = match line.split_once(" : ") {
            Some((name, rest)) => {
                is_own = name.trim().starts_with("builddeps:");
                rest
            }
            None => line,
        };
        let Some((_, what)) = rest.trim().split_once("Depends: ") else {
            if let Some((_, what)) = rest.trim().split_once("Conflicts: ") {
                others.push(format!("a conflict with {}", before_but(what)));
            }
            continue;
        };
        let list = if is_own { &mut own } else { &mut others };
        list.push(before_but(what).to_owned());
    }
    if own.is_empty() { others } else { own }
}

fn before_but(text: &str) -> &str {
    text.split(" but ").next().unwrap_or(text).trim()
}

/// What `dpkg-checkbuilddeps` misses, out of a build that refused to begin.
pub(crate) fn unmet_of_build(log: &str) -> Option<Vec<String>> {
    let line = log.lines().find_map(|line| {
        line.split_once("error: Unmet build dependencies: ")
            .map(|(_, rest)| rest)
    })?;
    // Names, each with a version in parentheses where one is asked for.
    let mut names: Vec<String> = Vec::new();
    for word in line.split_whitespace() {
        match names.last_mut() {
            Some(last) if word.starts_with('(') || (last.contains('(') && !last.ends_with(')')) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => names.push(word.to_owned()),
        }
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(output: &str, expected: &Solved) {
        assert_eq!(&solved(Status::Exited(100), output), expected, "{output}");
    }

    #[test]
    fn the_end_of_the_solver_says_who_is_to_blame() {
        check(
            "Reading package lists...\nSome packages could not be installed.\n\nThe following packages have unmet dependencies:\n builddeps:./x.dsc : Depends: libdoesnotexist-dev (>= 9) but it is not installable\n                     Depends: zlib1g-dev (>= 99) but 1.2 is to be installed\nE: Unable to correct problems, you have held broken packages.\n",
            &Solved::Unresolvable(vec![
                "libdoesnotexist-dev (>= 9)".to_owned(),
                "zlib1g-dev (>= 99)".to_owned(),
            ]),
        );
        check(
            "The following packages have unmet dependencies:\n libfoo-dev : Depends: libfoo1 (= 1) but it is not going to be installed\nE: Unable to correct problems\n",
            &Solved::Unresolvable(vec!["libfoo1 (= 1)".to_owned()]),
        );
        check(
            "E: Problem parsing dependency: Build-Depends\nE: Unable to get build-dependency information for ./x.dsc\n",
            &Solved::Unreadable("Problem parsing dependency: Build-Depends".to_owned()),
        );
        check(
            "E: Unable to locate package nosuch1\nE: Package 'libz-dev' has no installation candidate\n",
            &Solved::Unresolvable(vec!["nosuch1".to_owned(), "libz-dev".to_owned()]),
        );
        check(
            "E: Failed to fetch http://mirror.test/x.deb  404  Not Found\nE: Unable to fetch some archives, maybe run apt-get update\n",
            &Solved::Unreachable("Failed to fetch http://mirror.test/x.deb  404  Not Found".to_owned()),
        );
        check(
            "E: Sub-process /usr/bin/dpkg returned an error code (1)\n",
            &Solved::Broken("Sub-process /usr/bin/dpkg returned an error code (1)".to_owned()),
        );
        assert_eq!(solved(Status::Exited(0), "E: nothing"), Solved::Yes);
    }

    #[test]
    fn what_a_build_misses_keeps_its_versions() {
        assert_eq!(
            unmet_of_build("dpkg-checkbuilddeps: error: Unmet build dependencies: cmake (>= 99) libx-dev\n"),
            Some(vec!["cmake (>= 99)".to_owned(), "libx-dev".to_owned()])
        );
    }
}
