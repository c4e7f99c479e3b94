//! What a JVM repository does not build in the environment: the published command of its build tool, its exit code and
//! the lines that count.

use seatrial_core::{Digest, EventSink};
use seatrial_sandbox::Execution;

use super::sourced::Sourced;
use crate::{SuiteError, running::helper};

/// A build tool, as the first match in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tool {
    GradleWrapper,
    Gradle,
    MavenWrapper,
    Maven,
}

impl Tool {
    /// In the order in which they are looked for, each with the files of which one says that it is used.
    pub(super) const ORDER: [(Self, &'static [&'static str]); 4] = [
        (Self::GradleWrapper, &["gradlew"]),
        (Self::Gradle, &["build.gradle", "build.gradle.kts"]),
        (Self::MavenWrapper, &["mvnw"]),
        (Self::Maven, &["pom.xml"]),
    ];

    /// The first whose files are there.
    pub(super) fn of(is_there: impl Fn(&str) -> bool) -> Option<Self> {
        Self::ORDER
            .into_iter()
            .find(|(_, files)| files.iter().any(|file| is_there(file)))
            .map(|(tool, _)| tool)
    }

    /// The published command.
    pub(super) fn command(self) -> &'static str {
        match self {
            Self::GradleWrapper => "./gradlew build -x test --console=plain",
            Self::Gradle => "gradle build -x test --console=plain",
            Self::MavenWrapper => "./mvnw compile -DskipTests -B",
            Self::Maven => "mvn compile -DskipTests -B",
        }
    }

    /// What compiles the tests too.
    pub(super) fn tests(self) -> &'static str {
        match self {
            Self::GradleWrapper => "./gradlew testClasses --console=plain",
            Self::Gradle => "gradle testClasses --console=plain",
            Self::MavenWrapper => "./mvnw test-compile -B",
            Self::Maven => "mvn test-compile -B",
        }
    }

    /// What a line that counts has in it.
    pub(super) fn mark(self) -> &'static str {
        match self {
            Self::GradleWrapper | Self::Gradle => "FAILURE",
            Self::MavenWrapper | Self::Maven => "[ERROR]",
        }
    }

    /// The published word for it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::GradleWrapper | Self::Gradle => "gradle",
            Self::MavenWrapper | Self::Maven => "maven",
        }
    }

    /// The lines of a log that count.
    pub(super) fn counted(self, log: &str) -> impl Iterator<Item = (u64, &str)> {
        (1..)
            .zip(log.lines())
            .filter(move |(_, line)| line.contains(self.mark()))
    }
}

/// The build tool of the repository as it lies in the box now.
pub(super) fn tool(sourced: &mut Sourced<'_>) -> Result<Option<Tool>, SuiteError> {
    let listing = helper(
        sourced.bed.sandbox.as_mut(),
        "looking for the build tool",
        &format!("ls -1A {}", seatrial_core::BOX_PROJECT),
    )?;
    let listing = String::from_utf8_lossy(&listing).into_owned();
    Ok(Tool::of(|file| listing.lines().any(|line| line == file)))
}

/// Runs the published command under the environment that the script left.
pub(super) fn check(
    sourced: &mut Sourced<'_>,
    tool: Tool,
    events: &mut dyn EventSink,
) -> Result<(Execution, Digest), SuiteError> {
    let command = sourced.command(&format!("{} 2>&1", tool.command()));
    sourced.bed.run(&command, "check", events)
}

/// Whether the tests' classes compile too.
pub(super) fn test_classes(
    sourced: &mut Sourced<'_>,
    tool: Tool,
    events: &mut dyn EventSink,
) -> Result<bool, SuiteError> {
    let command = sourced.command(&format!("{} 2>&1", tool.tests()));
    Ok(sourced.bed.run(&command, "tests", events)?.0.succeeded())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_match_decides() {
        for (files, expected) in [
            (&["pom.xml", "gradlew"] as &[&str], Some(Tool::GradleWrapper)),
            (&["pom.xml", "build.gradle.kts", "mvnw"], Some(Tool::Gradle)),
            (&["mvnw", "pom.xml"], Some(Tool::MavenWrapper)),
            (&["pom.xml"], Some(Tool::Maven)),
            (&["build.xml"], None),
        ] {
            assert_eq!(Tool::of(|file| files.contains(&file)), expected, "{files:?}");
        }
    }

    #[test]
    fn lines_that_count() {
        let log = "[INFO] a\n[ERROR] b\nBUILD FAILURE\n";
        assert_eq!(Tool::Maven.counted(log).collect::<Vec<_>>(), [(2, "[ERROR] b")]);
        assert_eq!(Tool::Gradle.counted(log).collect::<Vec<_>>(), [(3, "BUILD FAILURE")]);
    }
}
