//! Signatures of Java, Kotlin, Scala and Android: the compilers, Maven, Gradle, Ant and sbt.

use super::{
    Row,
    Subject::{By, Fixed},
    Weight::{Build, Configure, Machine, Stop},
    row,
};
use crate::{
    Class, Kind,
    cure::Cure::{
        self, AddFlags, Disable, EditRecipe, EditSource, More, Provide, ProvideOther, RunFirst, Set, Use, Version,
    },
};

pub(super) static ROWS: &[Row] = &[
    // The version of the runtime.
    row("java-source-option", Kind::RuntimeVersion, Configure, r"(?:Source|Target) option (\d+(?:\.\d+)?) is no longer supported\. Use (\d+(?:\.\d+)?) or later").subject(Fixed("java")).remedies(&[Set("maven.compiler.source", "{2}"), Set("maven.compiler.target", "{2}"), Version("java", "one that still has {1}")]),
    row("java-release", Kind::RuntimeVersion, Configure, r"(?:error: )?(?:release version (\d+\S*) not supported|invalid (?:target|source) release: (\S+))").subject(Fixed("java")).remedies(&[Version("java", ">= {1}"), Set("maven.compiler.release", "the runtime's own")]),
    row("java-class-version", Kind::RuntimeVersion, Build, r"\(class file version (\d+)\.\d+\), this version of the Java Runtime only recognizes|[Uu]nsupported class file major version (\d+)|class file has wrong version (\d+)\.\d+, should be").subject(Fixed("java")).remedies_by(class_version),
    row("java-opens", Kind::RuntimeVersion, Build, r"InaccessibleObjectException: .*does not '?\x22?opens ([\w.]+)|cannot access class (?:com\.sun\.tools\.javac|sun\.)[\w.]+ \(in module|IllegalAccessError: class \S+ .*because module \S+ does not export").subject(Fixed("java")).remedies(&[Set("MAVEN_OPTS", "--add-opens java.base/java.lang=ALL-UNNAMED"), Version("java", "an older one"), Version("lombok", ">= 1.18.30")]),
    row("java-lombok", Kind::LibraryVersion, Build, r"JCTree\$JCImport does not have member field|TypeTag :: UNKNOWN|java\.lang\.ExceptionInInitializerError: com\.sun\.tools\.javac").subject(Fixed("lombok")).remedies(&[Version("lombok", ">= 1.18.30"), Version("java", "an older one")]),
    row("gradle-java", Kind::RuntimeVersion, Configure, r"Could not determine java version from '([^']+)'|Could not initialize class org\.codehaus\.groovy|BUG! exception in phase 'semantic analysis'").subject(Fixed("java")).remedies(&[Version("gradle", "one that knows this java"), Version("java", "8 or 11")]),
    row("gradle-toolchain", Kind::RuntimeVersion, Configure, r"(?:No matching toolchains found for requested specification|Cannot find a Java installation .*matching)[^\n]*?languageVersion=(\d+)").subject(Fixed("java")).remedies(&[Version("java", "{1}"), Set("org.gradle.java.installations.paths", "the JDK {1}")]),
    row("maven-enforcer-java", Kind::RuntimeVersion, Configure, r"Detected JDK [Vv]ersion:? ?\S+ .*is not in the allowed range (\S+?)\.?$").subject(Fixed("java")).remedies(&[Version("java", "{1}"), Set("enforcer.skip", "true")]),
    row("maven-enforcer-maven", Kind::ToolVersion, Configure, r"Detected Maven [Vv]ersion:? ?\S+ .*is not in the allowed range (\S+?)\.?$|requires Maven version (\S+)").subject(Fixed("maven")).remedies(&[Version("maven", "{1}"), Set("enforcer.skip", "true")]),
    row("gradle-minimum", Kind::ToolVersion, Configure, r"Minimum supported Gradle version is (\S+?)\.? |requires at least Gradle (\S+)").subject(Fixed("gradle")).remedies(&[Version("gradle", ">= {1}")]),
    row("kotlin-version", Kind::ToolVersion, Build, r"was compiled with an incompatible version of Kotlin|Unknown JVM target version|Inconsistent JVM-target compatibility").subject(Fixed("kotlin")).remedies(&[Version("kotlin", ""), Set("jvmTarget", "the runtime's own")]),
    row("scala-version", Kind::RuntimeVersion, Build, r"object java\.lang\.Object in compiler mirror not found|bad constant pool (?:tag|index)").subject(Fixed("java")).remedies(&[Version("java", "8 or 11")]),
    // Memory.
    row("java-heap", Kind::Resources, Machine, r"OutOfMemoryError: (?:Java heap space|GC overhead limit exceeded|Metaspace)|Gradle build daemon disappeared unexpectedly|There is insufficient memory for the Java Runtime").subject(Fixed("memory")).remedies(&[Set("MAVEN_OPTS", "-Xmx2g"), Set("org.gradle.jvmargs", "-Xmx2g"), More("memory"), Cure::LessParallel]),
    // Artifacts. The last words of Maven's one long line and of Gradle's chain are the reason.
    row("java-tools-jar", Kind::RuntimeVersion, Configure, r"Could not find artifact com\.sun:(tools):jar|(?:file|find) \S*lib/(tools)\.jar").subject(Fixed("java")).last().remedies(&[Version("java", "8"), EditSource("leave out com.sun:tools")]),
    row("maven-blocked", Kind::Download, Configure, r"Blocked mirror for repositories: \[(?:[\w.-]+ \()?([^\s,)\]]+)").last().remedies(&[EditRecipe("reach the repository {} by https"), Use("a mirror of {}")]),
    row("maven-network", Kind::Network, Configure, r"Could not transfer artifact \S+ from/to .*?\): .*?(?:(?:Unknown host|UnknownHostException:?) ([^\s:]+)|(?:Connection refused|Connect to|[Cc]onnection timed out|Network is unreachable|Temporary failure in name resolution|transfer failed for (?:https?://)?([\w.-]+)))").subject(By(host_or_none)).last(),
    row("java-certificate", Kind::Certificate, Configure, r"PKIX path building failed|SunCertPathBuilderException|unable to find valid certification path").subject(Fixed("")).last().remedies(&[ProvideOther("package", "ca-certificates-java"), Set("javax.net.ssl.trustStore", "/etc/ssl/certs/java/cacerts")]),
    row("maven-offline", Kind::MissingJava, Configure, r"Cannot access \S+ \([^)]*\) in offline mode and the artifact ([\w.-]+:[\w.-]+)").last().remedies(&[RunFirst("mvn dependency:go-offline"), Provide]),
    row("maven-artifact", Kind::MissingJava, Configure, r"(?:Could not find artifact|Failure to (?:find|transfer)|Could not transfer artifact|Failure to find|was not found in \S+ during a previous attempt[^\n]*) ?([\w.-]+:[\w.-]+)|The following artifacts could not be resolved: ([\w.-]+:[\w.-]+)|(?:POM for|Missing artifact) ([\w.-]+:[\w.-]+):\S+ (?:is invalid|is missing)").unless(r"^\[WARNING\]|^Download").last(),
    row("maven-plugin-prefix", Kind::MissingPlugin, Configure, r"No plugin found for prefix '([^']+)'").last(),
    row("maven-plugin", Kind::MissingPlugin, Configure, r"Plugin ([\w.-]+:[\w.-]+):\S+ (?:or one of its dependencies could not be resolved|not found)").last(),
    row("maven-no-pom", Kind::BuildFile, Configure, r"there is no (POM) in this directory|Non-(readable) POM").subject(Fixed("pom.xml")).remedies(&[RunFirst("cd to the folder of pom.xml")]),
    row("maven-phase", Kind::UnknownOption, Configure, r#"Unknown lifecycle phase "([^"]+)""#).remedies(&[]),
    row("gradle-artifact", Kind::MissingJava, Configure, r"^\s*> (?:Could not (?:find|resolve) |No matching variant of )([\w.-]+:[\w.-]+)").remedies(&[Provide]).last(),
    row("gradle-network", Kind::Network, Configure, r"^\s*> ([\w.-]+)(?:: Name or service not known|: Temporary failure in name resolution|: No address associated)|Could not install Gradle distribution from '(?:https?://)?([^/']+)|(?:UnknownHostException: )([\w.-]+)$"),
    row("gradle-insecure", Kind::Download, Configure, r"Using insecure protocols with repositories, without explicit opt-in").subject(Fixed("")).remedies(&[EditRecipe("reach the repository by https"), Version("gradle", "< 7")]),
    row("gradle-plugin", Kind::MissingPlugin, Configure, r"Plugin (?:with id '([^']+)' not found|\[id: '([^']+)')"),
    row("gradle-old-method", Kind::ToolVersion, Configure, r"Could not find method (?:compile|testCompile|runtime|testRuntime|provided|apt|kapt|androidTestCompile)\(\)|Could not set unknown property 'mainClassName'|unknown property '(?:archivesBaseName|baseName|archiveName|destinationDir|convention|main)'").subject(Fixed("gradle")).remedies(&[Version("gradle", "< 7")]),
    row("gradle-method", Kind::BuildFile, Configure, r"> Could not (?:find method|get unknown property|set unknown property) '?(\w+)").remedies(&[Version("gradle", ""), EditSource("mend {} in the build file")]),
    row("gradle-task", Kind::MissingTarget, Configure, r"^Task '([^']+)' not found in (?:root )?project").remedies(&[RunFirst("gradle tasks")]),
    row("gradle-wrapper", Kind::MissingFile, Configure, r"Could not find or load main class org\.gradle\.wrapper\.GradleWrapperMain|Unable to access jarfile \S*(gradle-wrapper\.jar)").subject(Fixed("gradle/wrapper/gradle-wrapper.jar")).remedies(&[RunFirst("gradle wrapper"), Use("gradle")]),
    row("sbt-unresolved", Kind::MissingJava, Configure, r"unresolved dependency: ([\w.-]+#[\w.-]+)|Error downloading ([\w.-]+:[\w.-]+)|sbt\.librarymanagement\.ResolveException: .*?([\w.-]+:[\w.-]+)").last(),
    row("ant-no-file", Kind::BuildFile, Configure, r"Buildfile: (\S+) does not exist").remedies(&[RunFirst("cd to the folder of {}")]),
    row("ant-target", Kind::MissingTarget, Configure, r#"Target "([^"]+)" does not exist in the project"#).remedies(&[]),
    row("ant-task", Kind::MissingPlugin, Configure, r"failed to create task or type (\S+)|taskdef class (\S+) cannot be found|Could not load definitions from resource (\S+)\."),
    // Android.
    row("android-sdk", Kind::MissingPlugin, Configure, r"SDK location not found|ANDROID_HOME (?:is not set|environment variable)").subject(Fixed("android-sdk")).remedies(&[Set("ANDROID_HOME", "the SDK"), Provide]),
    row("android-platform", Kind::MissingPlugin, Configure, r"[Ff]ailed to find target with hash string '([\w-]+)'|[Ff]ailed to find (Build Tools revision \S+)|NDK (?:is )?not configured|\bCXX1101\b").remedies(&[RunFirst("sdkmanager"), Provide]),
    row("android-licence", Kind::Setup, Configure, r"[Ll]icen[cs]es? for (?:the following )?(?:SDK )?(?:package|component)s? .*(?:not (?:been )?accepted)|You have not accepted the license agreements").subject(Fixed("licence")).remedies(&[RunFirst("sdkmanager --licenses")]),
    // Checks that are not the build.
    row("maven-licences", Kind::PackagePolicy, Build, r"Too many files with unapproved licen[cs]e").subject(Fixed("rat")).class(Class::Test).remedies(&[Set("rat.skip", "true")]),
    row("maven-checks", Kind::PackagePolicy, Build, r"Failed to execute goal \S*?:(?:maven-)?(checkstyle|spotless|pmd|spotbugs|findbugs|jacoco|license|javadoc|gpg|animal-sniffer|sortpom|formatter|forbiddenapis|dependency-check|detekt|ktlint)(?:-maven)?(?:-plugin)?:").class(Class::Test).remedies(&[Set("{}.skip", "true")]),
    row("gradle-checks", Kind::PackagePolicy, Build, r"Execution failed for task ':(?:[\w-]+:)*(checkstyle|spotless|pmd|spotbugs|detekt|ktlint|license|javadoc|lint)\w*'").class(Class::Test).remedies(&[Disable("the task {}")]),
    row("javadoc-doclint", Kind::CompileError, Build, r"^(\S+\.java):\d+: error: (?:reference not found|unknown tag|bad use of|malformed HTML|@param name not found|self-closing element)").remedies(&[Set("maven.javadoc.skip", "true"), AddFlags(crate::FlagsOf::C, &["-Xdoclint:none"])]),
    // The compiler.
    row("java-unmappable", Kind::Setup, Build, r"unmappable character (?:\(0x\w+\) )?for encoding (\S+)").subject(Fixed("encoding")).remedies(&[Set("project.build.sourceEncoding", "UTF-8"), Set("LC_ALL", "C.UTF-8")]),
    row("java-removed-package", Kind::RemovedApi, Build, r"package (javax\.(?:xml\.bind|xml\.ws|annotation|activation|jws|transaction|xml\.soap)|org\.omg\.CORBA|sun\.misc\.BASE64\w*)(?:\.\w+)* does not exist|location: package (sun\.misc)$").remedies(&[Version("java", "8"), ProvideOther("java", "{}")]),
    row("java-package", Kind::MissingJava, Build, r"(?:error: |\] )package ([\w.]+) does not exist|(?:error: |\[error\] \S+ )object (\w+) is not a member of package|^e: \S+ ?.*[Uu]nresolved reference:? '?(\w+)").remedies(&[Provide]),
    row("java-class", Kind::MissingJava, Stop, r"(?:Caused by: |^)java\.lang\.(?:ClassNotFoundException|NoClassDefFoundError): ([\w./$]+)").unless(r"gradle\.wrapper"),
    row("java-symbol", Kind::CompileError, Build, r"^(?:\[ERROR\] |\s*\[javac\] )?(\S+\.(?:java|kt|scala)):(?:\[\d+,\d+\]|\d+:)(?: error:)? ?(?:cannot find symbol|incompatible types|class \S+ is public|unreported exception|.*(?:cannot be applied|expected|is not abstract|might not have been))").remedies(&[]),
    // What only says where it stopped.
    row("maven-goal", Kind::Other, Stop, r"Failed to execute goal ([\w.-]+:[\w.-]+)").unless(r"surefire|failsafe").last(),
    row("gradle-went-wrong", Kind::Other, Stop, r"^Execution failed for task '([^']+)'"),
];

/// The host that a message names, if it names one.
fn host_or_none(groups: &[String]) -> Vec<(Kind, String)> {
    vec![(Kind::Network, groups.first().cloned().unwrap_or_default())]
}

/// Java's own number for the version of a class file.
fn class_version(_: Kind, _: &str, groups: &[String]) -> Vec<crate::Remedy> {
    let number = groups.first().and_then(|number| number.parse::<u32>().ok());
    let wanted = match number {
        Some(number) if (45..=120).contains(&number) => format!(">= {}", number - 44),
        _ => String::new(),
    };
    ["java", "gradle"]
        .into_iter()
        .map(|of| crate::Remedy::Version {
            of: of.to_owned(),
            wanted: if of == "java" { wanted.clone() } else { String::new() },
        })
        .collect()
}
