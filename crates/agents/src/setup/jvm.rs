//! The published procedure for the JVM: a toolchain is chosen, and nothing is built.

use std::fmt::{self, Write as _};

use super::Procedure;

/// What the root's build file leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Decision {
    /// Maven, and the Java version that the POM writes out.
    Maven(Option<String>),
    /// Gradle, the Java version that the build file writes out, and the wrapper's version.
    Gradle(Option<String>, Option<String>),
    /// There is neither.
    Nothing,
}

impl Decision {
    /// Decides. Maven goes first, other than in the check.
    pub(super) fn of(has: impl Fn(&str) -> bool, read: &dyn Fn(&str) -> String, procedure: Procedure) -> Self {
        if has("pom.xml") {
            return Self::Maven(of_pom(&read("pom.xml")).filter(|version| is_version(version, procedure)));
        }
        let file = ["build.gradle", "build.gradle.kts"].into_iter().find(|file| has(file));
        let Some(file) = file else { return Self::Nothing };
        let text = read(file);
        let wrapper = read("gradle/wrapper/gradle-wrapper.properties");
        Self::Gradle(of_gradle(&text, file.ends_with("kts")), of_wrapper(&wrapper, procedure))
    }

    /// The script. In the published form it goes on after what fails, and the shell stops at failures again at its end.
    pub(super) fn script(&self, procedure: Procedure) -> String {
        let java = match self {
            Self::Maven(java) | Self::Gradle(java, _) => java.as_deref(),
            Self::Nothing => return "exit 1\n".to_owned(),
        };
        let number = java.map(|java| java.strip_prefix("1.").unwrap_or(java));
        match procedure {
            Procedure::Published => {
                let mut script = "set +e\n".to_owned();
                if let Some(number) = number {
                    let id = match number {
                        "8" => "8.0.382-tem".to_owned(),
                        "11" => "11.0.20-tem".to_owned(),
                        "17" => "17.0.8-tem".to_owned(),
                        "20" => "20.0.2-tem".to_owned(),
                        // Mostly there is none of this name.
                        other => format!("{other}.0-tem"),
                    };
                    let _ = write!(script, "sdk install java {id}\nsdk use java {id}\n");
                }
                if let Self::Gradle(_, Some(gradle)) = self {
                    let _ = write!(script, "sdk install gradle {gradle}\nsdk use gradle {gradle}\n");
                }
                script.push_str("set -e\n");
                script
            }
            Procedure::Mended => {
                // The oldest JDK of the image that knows the language level.
                let wanted: u32 = number.and_then(|number| number.parse().ok()).unwrap_or(17);
                format!(
                    "for jdk in 11 17 21 25; do\n  home=$(echo /usr/lib/jvm/java-$jdk-openjdk-*)\n  \
                     if [ $jdk -ge {wanted} ] && [ -x \"$home/bin/javac\" ]; then\n    \
                     export JAVA_HOME=$home PATH=$home/bin:$PATH\n    break\n  fi\ndone\n"
                )
            }
        }
    }
}

/// The first of three places of a POM, as literal text.
fn of_pom(text: &str) -> Option<String> {
    element(text, "maven.compiler.source")
        .or_else(|| {
            let plugin = text
                .split("<plugin>")
                .find(|part| part.contains("maven-compiler-plugin"))?;
            element(element(plugin, "configuration")?.as_str(), "source")
        })
        .or_else(|| element(element(text, "requireJavaVersion")?.as_str(), "version"))
}

fn element(text: &str, name: &str) -> Option<String> {
    let start = text.find(&format!("<{name}>"))? + name.len() + 2;
    let rest = text.get(start..)?;
    let end = rest.find(&format!("</{name}>"))?;
    rest.get(..end).map(|value| value.trim().to_owned())
}

/// Text that is not expanded stays as it is; a mended procedure does without it.
fn is_version(version: &str, procedure: Procedure) -> bool {
    let is_plain = version.chars().all(|c| c.is_ascii_digit() || c == '.');
    procedure == Procedure::Published || (is_plain && !version.is_empty())
}

fn of_gradle(text: &str, is_kotlin: bool) -> Option<String> {
    let number = text.lines().find_map(|line| {
        let (name, value) = line.split_once('=')?;
        let value = value.trim().trim_matches(['\'', '"']);
        let is_number = !value.is_empty() && value.chars().all(|c| c.is_ascii_digit() || c == '.');
        (name.trim() == "sourceCompatibility" && is_number).then(|| value.to_owned())
    });
    number.or_else(|| {
        let constant = text.lines().find_map(|line| {
            let (name, value) = line.split_once('=')?;
            (name.trim() == "java.sourceCompatibility").then(|| value.trim().to_owned())
        });
        let known = [
            ("VERSION_1_8", "8"),
            ("VERSION_11", "11"),
            ("VERSION_17", "17"),
            ("VERSION_20", "20"),
        ];
        let constant = constant.filter(|_| is_kotlin)?;
        known
            .into_iter()
            .find(|(name, _)| constant == format!("JavaVersion.{name}"))
            .map(|(_, number)| number.to_owned())
    })
}

/// Only archives of programs alone are read right; of others garbage is left, which the mended form drops.
fn of_wrapper(text: &str, procedure: Procedure) -> Option<String> {
    let url = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("distributionUrl="))?;
    let name = url.rsplit('/').next()?;
    let version = name.strip_prefix("gradle-").unwrap_or(name);
    match (version.strip_suffix("-bin.zip"), procedure) {
        (Some(version), _) => Some(version.to_owned()),
        (None, Procedure::Published) => Some(version.to_owned()),
        (None, Procedure::Mended) => version.strip_suffix("-all.zip").map(str::to_owned),
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let java = |java: &Option<String>| {
            java.as_ref()
                .map_or_else(|| "any Java".to_owned(), |java| format!("Java {java}"))
        };
        match self {
            Self::Maven(version) => write!(f, "Maven, {}", java(version)),
            Self::Gradle(version, None) => write!(f, "Gradle, {}", java(version)),
            Self::Gradle(version, Some(gradle)) => write!(f, "Gradle {gradle}, {}", java(version)),
            Self::Nothing => f.write_str("nothing found"),
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn the_version_that_is_written_out() {
        let compiler = |source: &str| {
            format!(
                "<plugin><artifactId>maven-compiler-plugin</artifactId><configuration><source>{source}</source></configuration></plugin>"
            )
        };
        let rows: [(&str, String); 14] = [
            (
                "pom.xml",
                "<maven.compiler.source>1.8</maven.compiler.source>".to_owned(),
            ),
            (
                "pom.xml",
                "<maven.compiler.source>${java.version}</maven.compiler.source>".to_owned(),
            ),
            ("pom.xml", compiler("11")),
            (
                "pom.xml",
                format!(
                    "<plugin><configuration><source>9</source></configuration></plugin>{}",
                    compiler("17")
                ),
            ),
            (
                "pom.xml",
                "<requireJavaVersion><version>[17,)</version></requireJavaVersion>".to_owned(),
            ),
            (
                "pom.xml",
                "<maven.compiler.release>21</maven.compiler.release>".to_owned(),
            ),
            ("build.gradle", "sourceCompatibility = 1.8\n".to_owned()),
            ("build.gradle", "    sourceCompatibility = '11'\n".to_owned()),
            (
                "build.gradle",
                "sourceCompatibility = JavaVersion.VERSION_17\n".to_owned(),
            ),
            (
                "build.gradle.kts",
                "java.sourceCompatibility = JavaVersion.VERSION_17\n".to_owned(),
            ),
            (
                "build.gradle.kts",
                "java.sourceCompatibility = JavaVersion.VERSION_21\n".to_owned(),
            ),
            (
                "build.gradle",
                "java { toolchain { languageVersion = JavaLanguageVersion.of(17) } }\n".to_owned(),
            ),
            (
                "gradle/wrapper/gradle-wrapper.properties build.gradle",
                "distributionUrl=https\\://dist.example.org/gradle-8.5-bin.zip\n".to_owned(),
            ),
            ("build.xml", String::new()),
        ];
        let mut text = String::new();
        for (files, content) in &rows {
            let files: Vec<&str> = files.split_whitespace().collect();
            for procedure in [Procedure::Published, Procedure::Mended] {
                let decision = Decision::of(
                    |name| files.contains(&name),
                    &|name| {
                        if files.first() == Some(&name) {
                            content.clone()
                        } else {
                            String::new()
                        }
                    },
                    procedure,
                );
                writeln!(text, "{decision}").unwrap();
            }
        }
        expect![[r#"
            Maven, Java 1.8
            Maven, Java 1.8
            Maven, Java ${java.version}
            Maven, any Java
            Maven, Java 11
            Maven, Java 11
            Maven, Java 17
            Maven, Java 17
            Maven, Java [17,)
            Maven, any Java
            Maven, any Java
            Maven, any Java
            Gradle, Java 1.8
            Gradle, Java 1.8
            Gradle, Java 11
            Gradle, Java 11
            Gradle, any Java
            Gradle, any Java
            Gradle, Java 17
            Gradle, Java 17
            Gradle, any Java
            Gradle, any Java
            Gradle, any Java
            Gradle, any Java
            Gradle 8.5, any Java
            Gradle 8.5, any Java
            nothing found
            nothing found
        "#]]
        .assert_eq(&text);
    }
}
