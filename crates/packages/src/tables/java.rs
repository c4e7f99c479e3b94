//! Java: which artifact has a class, where the group's name does not begin the package's.

/// The coordinates that may have a class or package: those that are known, and those that the habits of large families of
/// artifacts lead to.
pub(crate) fn artifacts_of(name: &str) -> (&'static [&'static str], Vec<String>) {
    let known = KNOWN
        .iter()
        .filter(|(start, _)| {
            name.strip_prefix(start)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
        .max_by_key(|(start, _)| start.len())
        .map_or(&[][..], |(_, artifacts)| *artifacts);
    let mut derived = Vec::new();
    // `org.apache.commons.io` is in `commons-io:commons-io`, and newer generations are in the group of all of them.
    if let Some(rest) = name.strip_prefix("org.apache.commons.") {
        let part = rest.split('.').next().unwrap_or(rest);
        derived.push(format!("commons-{part}:commons-{part}"));
        derived.push(format!("org.apache.commons:commons-{part}"));
    }
    (known, derived)
}

/// Packages and the artifacts that have them.
static KNOWN: &[(&str, &[&str])] = &[
    ("antlr", &["antlr:antlr"]),
    ("ch.qos.logback.classic", &["ch.qos.logback:logback-classic"]),
    ("ch.qos.logback.core", &["ch.qos.logback:logback-core"]),
    ("com.beust.jcommander", &["com.beust:jcommander"]),
    (
        "com.fasterxml.jackson.annotation",
        &["com.fasterxml.jackson.core:jackson-annotations"],
    ),
    (
        "com.fasterxml.jackson.core",
        &["com.fasterxml.jackson.core:jackson-core"],
    ),
    (
        "com.fasterxml.jackson.databind",
        &["com.fasterxml.jackson.core:jackson-databind"],
    ),
    ("com.google.common", &["com.google.guava:guava"]),
    ("com.google.gson", &["com.google.code.gson:gson"]),
    ("com.google.inject", &["com.google.inject:guice"]),
    ("com.google.protobuf", &["com.google.protobuf:protobuf-java"]),
    ("com.jcraft.jsch", &["com.jcraft:jsch"]),
    ("com.sun.jna", &["net.java.dev.jna:jna"]),
    ("com.sun.jna.platform", &["net.java.dev.jna:jna-platform"]),
    ("com.thoughtworks.xstream", &["com.thoughtworks.xstream:xstream"]),
    (
        "edu.umd.cs.findbugs.annotations",
        &["com.google.code.findbugs:findbugs-annotations"],
    ),
    ("groovy.lang", &["org.codehaus.groovy:groovy"]),
    (
        "javax.activation",
        &["javax.activation:activation", "com.sun.activation:javax.activation"],
    ),
    (
        "javax.annotation",
        &[
            "com.google.code.findbugs:jsr305",
            "javax.annotation:javax.annotation-api",
        ],
    ),
    ("javax.inject", &["javax.inject:javax.inject"]),
    ("javax.mail", &["javax.mail:mail", "javax.mail:javax.mail-api"]),
    ("javax.servlet", &["javax.servlet:javax.servlet-api"]),
    ("javax.servlet.jsp", &["javax.servlet.jsp:javax.servlet.jsp-api"]),
    ("javax.xml.bind", &["javax.xml.bind:jaxb-api"]),
    ("jline", &["jline:jline"]),
    ("junit", &["junit:junit"]),
    ("net.sf.saxon", &["net.sf.saxon:Saxon-HE"]),
    ("okhttp3", &["com.squareup.okhttp3:okhttp"]),
    ("okio", &["com.squareup.okio:okio"]),
    ("org.antlr.runtime", &["org.antlr:antlr-runtime"]),
    ("org.antlr.v4.runtime", &["org.antlr:antlr4-runtime"]),
    ("org.apache.commons.codec", &["commons-codec:commons-codec"]),
    ("org.apache.commons.lang", &["commons-lang:commons-lang"]),
    ("org.apache.commons.lang3", &["org.apache.commons:commons-lang3"]),
    ("org.apache.http", &["org.apache.httpcomponents:httpclient"]),
    ("org.apache.log4j", &["log4j:log4j"]),
    ("org.apache.logging.log4j", &["org.apache.logging.log4j:log4j-api"]),
    ("org.apache.lucene", &["org.apache.lucene:lucene-core"]),
    ("org.apache.maven.plugin", &["org.apache.maven:maven-plugin-api"]),
    ("org.apache.tools.ant", &["org.apache.ant:ant", "ant:ant"]),
    ("org.apache.xerces", &["xerces:xercesImpl"]),
    ("org.assertj.core", &["org.assertj:assertj-core"]),
    ("org.bouncycastle", &["org.bouncycastle:bcprov-jdk15on"]),
    ("org.codehaus.janino", &["org.codehaus.janino:janino"]),
    ("org.dom4j", &["dom4j:dom4j", "org.dom4j:dom4j"]),
    ("org.easymock", &["org.easymock:easymock"]),
    ("org.hamcrest", &["org.hamcrest:hamcrest", "org.hamcrest:hamcrest-core"]),
    ("org.jdom", &["org.jdom:jdom", "jdom:jdom"]),
    ("org.jdom2", &["org.jdom:jdom2"]),
    ("org.joda.time", &["joda-time:joda-time"]),
    ("org.json", &["org.json:json"]),
    ("org.jsoup", &["org.jsoup:jsoup"]),
    // The older framework's classes are in the root of the newer one's group.
    ("org.junit", &["junit:junit"]),
    ("org.junit.jupiter", &["org.junit.jupiter:junit-jupiter-api"]),
    ("org.junit.platform", &["org.junit.platform:junit-platform-launcher"]),
    ("org.kohsuke.args4j", &["args4j:args4j"]),
    ("org.mockito", &["org.mockito:mockito-core"]),
    ("org.mozilla.javascript", &["org.mozilla:rhino"]),
    ("org.objectweb.asm", &["org.ow2.asm:asm"]),
    ("org.slf4j", &["org.slf4j:slf4j-api"]),
    ("org.testng", &["org.testng:testng"]),
    ("org.xerial.snappy", &["org.xerial.snappy:snappy-java"]),
    ("org.yaml.snakeyaml", &["org.yaml:snakeyaml"]),
    ("picocli", &["info.picocli:picocli"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_beginning_decides() {
        assert_eq!(artifacts_of("org.junit.Test").0, ["junit:junit"]);
        assert_eq!(
            artifacts_of("org.junit.jupiter.api.Test").0,
            ["org.junit.jupiter:junit-jupiter-api"]
        );
        assert!(artifacts_of("org.junitpioneer.X").0.is_empty());
        let derived = artifacts_of("org.apache.commons.io.FileUtils").1;
        assert_eq!(derived, ["commons-io:commons-io", "org.apache.commons:commons-io"]);
        assert!(KNOWN.is_sorted_by(|one, other| one.0 < other.0));
    }
}
