//! Samples of the rows of `java`.

#![expect(clippy::needless_raw_strings, reason = "one form for all samples")]

use super::samples::{Sample, sample};

pub(super) static SAMPLES: &[Sample] = &[
    sample(
        "java-source-option",
        r"[INFO] -------------------------------------------------------------
[ERROR] Source option 5 is no longer supported. Use 7 or later.
[ERROR] Target option 5 is no longer supported. Use 7 or later.
[INFO] 2 errors",
        "java",
    )
    .line(2),
    sample(
        "java-release",
        r"[INFO] ------------------------------------------------------------------------
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.1:compile (default-compile) on project j02: Fatal error compiling: error: invalid target release: 21 -> [Help 1]",
        "java",
    )
    .line(2),
    sample(
        "java-release",
        r"error: release version 21 not supported",
        "java",
    )
    .documented(),
    sample(
        "java-class-version",
        r"java.lang.UnsupportedClassVersionError: A has been compiled by a more recent version of the Java Runtime (class file version 65.0), this version of the Java Runtime only recognizes class file versions up to 61.0",
        "java",
    )
    .documented(),
    sample(
        "java-class-version",
        r"> Unsupported class file major version 65",
        "java",
    )
    .documented(),
    sample(
        "java-opens",
        r#"Exception in thread "main" java.lang.reflect.InaccessibleObjectException: Unable to make field private final byte[] java.lang.String.value accessible: module java.base does not "opens java.lang" to unnamed module @23fe1d71
	at java.base/java.lang.reflect.AccessibleObject.checkCanSetAccessible(AccessibleObject.java:354)
	at java.base/java.lang.reflect.AccessibleObject.checkCanSetAccessible(AccessibleObject.java:297)"#,
        "java",
    ),
    sample(
        "java-opens",
        r"[INFO] ------------------------------------------------------------------------
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.1:compile (default-compile) on project j08: Fatal error compiling: java.lang.IllegalAccessError: class lombok.javac.apt.LombokProcessor (in unnamed module @0x2db2a05f) cannot access class com.sun.tools.javac.processing.JavacProcessingEnvironment (in module jdk.compiler) because module jdk.compiler does not export com.sun.tools.javac.processing to unnamed module @0x2db2a05f -> [Help 1]",
        "java",
    )
    .line(2),
    sample(
        "java-lombok",
        r"Fatal error compiling: java.lang.NoSuchFieldError: Class com.sun.tools.javac.tree.JCTree$JCImport does not have member field 'com.sun.tools.javac.tree.JCTree qualid'",
        "lombok",
    )
    .documented(),
    sample(
        "gradle-java",
        r"Could not determine java version from '17.0.15'.",
        "java",
    )
    .documented(),
    sample(
        "gradle-toolchain",
        r"> No matching toolchains found for requested specification: {languageVersion=11, vendor=any, implementation=vendor-specific} for LINUX on x86_64.",
        "java",
    )
    .documented(),
    sample(
        "maven-enforcer-java",
        r"[ERROR] Failed to execute goal org.apache.maven.plugins:maven-enforcer-plugin:3.4.1:enforce (e) on project j10:
[ERROR] Rule 0: org.apache.maven.enforcer.rules.version.RequireJavaVersion failed with message:
[ERROR] Detected JDK version 17.0.15 (JAVA_HOME=/usr/lib/jvm/java-17-openjdk-amd64) is not in the allowed range [1.8,12).",
        "java",
    )
    .line(3),
    sample(
        "maven-enforcer-maven",
        r"[ERROR] Rule 1: org.apache.maven.enforcer.rules.version.RequireMavenVersion failed with message:
[ERROR] Detected Maven Version: 3.8.7 is not in the allowed range [4,).",
        "maven",
    )
    .line(2),
    sample(
        "gradle-minimum",
        r"> Minimum supported Gradle version is 8.0. Current version is 7.4.2.",
        "gradle",
    )
    .documented(),
    sample(
        "kotlin-version",
        r"e: /build/x.jar!/META-INF/x.kotlin_module: Module was compiled with an incompatible version of Kotlin. The binary version of its metadata is 1.9.0, expected version is 1.6.0.",
        "kotlin",
    )
    .documented(),
    sample(
        "scala-version",
        r"[error] scala.reflect.internal.MissingRequirementError: object java.lang.Object in compiler mirror not found.",
        "java",
    )
    .documented(),
    sample(
        "java-heap",
        r#"Exception in thread "main" java.lang.OutOfMemoryError: Java heap space
	at H.main(H.java:1)"#,
        "memory",
    ),
    sample(
        "java-tools-jar",
        r"[ERROR] Failed to execute goal on project j07b: Could not resolve dependencies for project demo:j07b:jar:1.0: Could not find artifact com.sun:tools:jar:1.8 at specified path /usr/lib/jvm/java-17-openjdk-amd64/../lib/tools.jar -> [Help 1]",
        "java",
    ),
    sample(
        "maven-blocked",
        r"[ERROR] Failed to execute goal on project j05d: Could not resolve dependencies for project demo:j05d:jar:1.0: Failed to collect dependencies at com.example.nope:thing:jar:1.2.3: Failed to read artifact descriptor for com.example.nope:thing:jar:1.2.3: Could not transfer artifact com.example.nope:thing:pom:1.2.3 from/to maven-default-http-blocker (http://0.0.0.0/): Blocked mirror for repositories: [old (http://repo.example.org/maven, default, releases+snapshots)] -> [Help 1]",
        "http://repo.example.org/maven",
    ),
    sample(
        "maven-network",
        r"[ERROR] Plugin org.apache.maven.plugins:maven-resources-plugin:2.6 or one of its dependencies could not be resolved: Failed to read artifact descriptor for org.apache.maven.plugins:maven-resources-plugin:jar:2.6: Could not transfer artifact org.apache.maven.plugins:maven-resources-plugin:pom:2.6 from/to central (https://registry.example.org/maven2): transfer failed for https://registry.example.org/maven2/org/apache/maven/plugins/maven-resources-plugin/2.6/maven-resources-plugin-2.6.pom: Unknown host registry.example.org: Temporary failure in name resolution -> [Help 1]",
        "registry.example.org",
    ),
    sample(
        "java-certificate",
        r"sun.security.validator.ValidatorException: PKIX path building failed: sun.security.provider.certpath.SunCertPathBuilderException: unable to find valid certification path to requested target",
        "",
    )
    .documented(),
    sample(
        "maven-offline",
        r"[ERROR] Plugin org.apache.maven.plugins:maven-resources-plugin:2.6 or one of its dependencies could not be resolved: Cannot access central (https://registry.example.org/maven2) in offline mode and the artifact org.apache.maven.plugins:maven-resources-plugin:jar:2.6 has not been downloaded from it before. -> [Help 1]",
        "org.apache.maven.plugins:maven-resources-plugin",
    ),
    sample(
        "maven-artifact",
        r"[INFO] ------------------------------------------------------------------------
[ERROR] Failed to execute goal on project j05: Could not resolve dependencies for project demo:j05:jar:1.0: Could not find artifact com.example.nope:thing:jar:1.2.3 in central (https://registry.example.org/maven2) -> [Help 1]",
        "com.example.nope:thing",
    )
    .line(2),
    sample(
        "maven-artifact",
        r"[ERROR] [ERROR] Some problems were encountered while processing the POMs:
[FATAL] Non-resolvable parent POM for demo:j05b:1.0: Could not find artifact com.example.nope:parent:pom:9 in central (https://registry.example.org/maven2) and 'parent.relativePath' points at wrong local POM @ line 3, column 9
 @
[ERROR] The build could not read 1 project -> [Help 1]",
        "com.example.nope:parent",
    )
    .line(2),
    sample(
        "maven-artifact",
        r"[INFO] ------------------------------------------------------------------------
[ERROR] Failed to execute goal on project j05e: Could not resolve dependencies for project demo:j05e:jar:1.0: Could not find artifact com.example.nope:thing:jar:1.2.3-SNAPSHOT -> [Help 1]",
        "com.example.nope:thing",
    )
    .line(2),
    sample(
        "maven-plugin-prefix",
        r"[ERROR] No plugin found for prefix 'nope' in the current project and in the plugin groups [org.apache.maven.plugins, org.codehaus.mojo] available from the repositories [local (/home/user/.m2/repository), central (https://registry.example.org/maven2)] -> [Help 1]",
        "nope",
    ),
    sample(
        "maven-plugin",
        r"[ERROR] Plugin com.example:nope-maven-plugin:1 or one of its dependencies could not be resolved",
        "com.example:nope-maven-plugin",
    )
    .documented(),
    sample(
        "maven-no-pom",
        r"[ERROR] The goal you specified requires a project to execute but there is no POM in this directory (/build/none). Please verify you invoked Maven from the correct directory. -> [Help 1]",
        "pom.xml",
    ),
    sample(
        "maven-phase",
        r#"[ERROR] Unknown lifecycle phase "frobnicate". You must specify a valid lifecycle phase or a goal in the format <plugin-prefix>:<goal> or <plugin-group-id>:<plugin-artifact-id>[:<plugin-version>]:<goal>. Available lifecycle phases are: validate, initialize, generate-sources, process-sources, generate-resources, process-resources, compile, process-classes, generate-test-sources, process-test-sources, generate-test-resources, process-test-resources, test-compile, process-test-classes, test, prepare-package, package, pre-integration-test, integration-test, post-integration-test, verify, install, deploy, pre-clean, clean, post-clean, pre-site, site, post-site, site-deploy. -> [Help 1]"#,
        "frobnicate",
    ),
    sample(
        "gradle-artifact",
        r"* What went wrong:
Could not resolve all files for configuration ':compileClasspath'.
> Could not resolve com.example.nope:thing:1.2.
  Required by:",
        "com.example.nope:thing",
    )
    .line(3),
    sample(
        "gradle-network",
        r"            > example.invalid: Name or service not known

* Try:",
        "example.invalid",
    ),
    sample(
        "gradle-network",
        r#"Exception in thread "main" java.io.IOException: Could not install Gradle distribution from 'https://dist.example.org/gradle-8.5-bin.zip'."#,
        "dist.example.org",
    )
    .documented(),
    sample(
        "gradle-insecure",
        r"   > Using insecure protocols with repositories, without explicit opt-in, is unsupported.",
        "",
    )
    .documented(),
    sample(
        "gradle-plugin",
        r"* What went wrong:
A problem occurred evaluating root project 'gw'.
> Plugin with id 'nope' not found.",
        "nope",
    )
    .line(3),
    sample(
        "gradle-plugin",
        r"Plugin [id: 'com.example.nope', version: '1.0'] was not found in any of the following sources:",
        "com.example.nope",
    )
    .documented(),
    sample(
        "gradle-old-method",
        r"> Could not find method compile() for arguments [junit:junit:4.13] on object of type org.gradle.api.internal.artifacts.dsl.dependencies.DefaultDependencyHandler.",
        "gradle",
    )
    .documented(),
    sample(
        "gradle-method",
        r"* What went wrong:
A problem occurred evaluating root project 'gw'.
> Could not find method implementtion() for arguments [a:b:1] on object of type org.gradle.api.internal.artifacts.dsl.dependencies.DefaultDependencyHandler.",
        "implementtion",
    )
    .line(3),
    sample(
        "gradle-task",
        r"* What went wrong:
Task 'frob' not found in root project 'gw'.

* Try:",
        "frob",
    )
    .line(2),
    sample(
        "gradle-wrapper",
        r"Error: Could not find or load main class org.gradle.wrapper.GradleWrapperMain",
        "gradle/wrapper/gradle-wrapper.jar",
    ),
    sample(
        "sbt-unresolved",
        r"[error] sbt.librarymanagement.ResolveException: Error downloading com.example:thing_2.13:1.0",
        "com.example:thing_2.13",
    )
    .documented(),
    sample(
        "ant-no-file",
        r"Buildfile: build.xml does not exist!
Build failed",
        "build.xml",
    ),
    sample(
        "ant-target",
        r#"BUILD FAILED
Target "zzz" does not exist in the project "null"."#,
        "zzz",
    )
    .line(2),
    sample(
        "ant-task",
        r"BUILD FAILED
/build/anty/build.xml:1: Problem: failed to create task or type nopetask
Cause: The name is undefined.
Action: Check the spelling.
Action: Check that any custom tasks/types have been declared.",
        "nopetask",
    )
    .line(2),
    sample(
        "android-sdk",
        r"> SDK location not found. Define a valid SDK location with an ANDROID_HOME environment variable or by setting the sdk.dir path in your project's local properties file.",
        "android-sdk",
    )
    .documented(),
    sample(
        "android-platform",
        r"> Failed to find target with hash string 'android-33' in: /opt/android-sdk",
        "android-33",
    )
    .documented(),
    sample(
        "android-licence",
        r"   > License for package Android SDK Build-Tools 33 not accepted.",
        "licence",
    )
    .documented(),
    sample(
        "maven-licences",
        r"[ERROR] Failed to execute goal org.apache.rat:apache-rat-plugin:0.15:check (default) on project j14: Too many files with unapproved license: 2 See RAT report in: /build/j14/target/rat.txt -> [Help 1]",
        "rat",
    ),
    sample(
        "maven-checks",
        r"[INFO] ------------------------------------------------------------------------
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-checkstyle-plugin:3.3.1:check (default) on project j14b: Failed during checkstyle execution: There are 5 errors reported by Checkstyle 9.3 with sun_checks.xml ruleset. -> [Help 1]",
        "checkstyle",
    )
    .line(2),
    sample(
        "gradle-checks",
        r"* What went wrong:
Execution failed for task ':app:spotlessJavaCheck'.",
        "spotless",
    )
    .documented(),
    sample(
        "javadoc-doclint",
        r"Building tree for all the packages and classes...
src/main/java/A.java:1: error: reference not found
/** @see Nope
         ^",
        "src/main/java/A.java",
    )
    .line(2),
    sample(
        "java-removed-package",
        r"[INFO] -------------------------------------------------------------
[ERROR] /build/j07/src/main/java/A.java:[1,22] package javax.xml.bind does not exist
[ERROR] /build/j07/src/main/java/A.java:[1,59] package javax.annotation does not exist
[ERROR] /build/j07/src/main/java/A.java:[1,90] cannot find symbol",
        "javax.xml.bind",
    )
    .line(2),
    sample(
        "java-package",
        r"[INFO] -------------------------------------------------------------
[ERROR] /build/j07c/src/main/java/A.java:[1,33] package com.google.common.collect does not exist
[ERROR] /build/j07c/src/main/java/A.java:[1,58] cannot find symbol
  symbol:   class Foo
  location: class A",
        "com.google.common.collect",
    )
    .line(2),
    sample(
        "java-class",
        r"Caused by: java.lang.ClassNotFoundException: org.example.Nope",
        "org.example.Nope",
    )
    .documented(),
    sample(
        "java-symbol",
        r"    [javac] Compiling 1 source file
    [javac] /build/anty/A.java:1: error: cannot find symbol
    [javac] class A { Nope n; }
    [javac]           ^
    [javac]   symbol:   class Nope",
        "/build/anty/A.java",
    )
    .line(2),
    sample(
        "java-unmappable",
        r"A.java:3: error: unmappable character (0xE9) for encoding US-ASCII",
        "encoding",
    )
    .documented(),
    sample(
        "maven-goal",
        r"[ERROR] Failed to execute goal org.codehaus.mojo:exec-maven-plugin:3.1.0:exec (default) on project x: Command execution failed.",
        "org.codehaus.mojo:exec-maven-plugin",
    )
    .documented(),
    sample(
        "gradle-went-wrong",
        r"FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':doThings'.",
        ":doThings",
    )
    .documented(),
];
