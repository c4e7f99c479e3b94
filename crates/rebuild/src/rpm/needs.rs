//! What an RPM recipe builds with, in the names of Debian's packages.

use std::{cmp::Ordering, collections::BTreeMap};

use seatrial_packages::{Key, Resolver};
use seatrial_source::compare_versions;

/// Something that a package builds with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Need {
    /// As the recipe writes it.
    pub(super) text: String,
    /// Packages that may have it, the best first; with none, and not `given`, nobody knows.
    pub(super) choices: Vec<String>,
    /// The least version, where one is asked for and the package's own version tells.
    least: Option<String>,
    /// Whether the box has it anyway.
    given: bool,
}

/// Names that differ between distributions by more than a rule. A row without packages is about what every box has, or
/// what our own macros stand for.
const TABLE: [(&[&str], &[&str]); 62] = [
    (
        &[
            "gcc",
            "make",
            "binutils",
            "glibc-devel",
            "coreutils",
            "tar",
            "gzip",
            "sed",
            "grep",
            "findutils",
            "diffutils",
            "bash",
        ],
        &[],
    ),
    (
        &[
            "rpm",
            "rpm-build",
            "rpm-devel-macros",
            "patch",
            "file",
            "which",
            "hostname",
            "util-linux",
        ],
        &[],
    ),
    (
        &[
            "systemd-rpm-macros",
            "rpm-config-SUSE",
            "update-desktop-files",
            "desktop-file-utils-macros",
            "python-rpm-macros",
            "python-rpm-generators",
            "python3-rpm-macros",
            "cmake-rpm-macros",
            "perl-macros",
            "perl-rpm-packaging",
            "perl-generators",
            "fdupes",
            "brp-check-suse",
            "permissions",
            "post-build-checks",
            "sysuser-tools",
            "sysuser-shadow",
        ],
        &[],
    ),
    (&["gcc-c++", "gcc-g++", "c++_compiler"], &["g++"]),
    (&["gcc-fortran", "gcc-gfortran"], &["gfortran"]),
    (&["gcc-objc"], &["gobjc"]),
    (&["c_compiler"], &["gcc"]),
    (&["ninja"], &["ninja-build"]),
    (
        &["pkg-config", "pkgconf", "pkgconfig", "pkgconf-pkg-config"],
        &["pkg-config"],
    ),
    (
        &["gettext", "gettext-tools", "gettext-devel", "gettext-runtime"],
        &["gettext"],
    ),
    (&["libtool", "libtool-ltdl-devel"], &["libtool"]),
    (&["zlib-devel", "zlib-ng-compat-devel"], &["zlib1g-dev"]),
    (&["openssl-devel", "libopenssl-devel"], &["libssl-dev"]),
    (&["libcurl-devel"], &["libcurl4-openssl-dev"]),
    (&["ncurses-devel"], &["libncurses-dev"]),
    (&["readline-devel"], &["libreadline-dev"]),
    (&["glib2-devel"], &["libglib2.0-dev"]),
    (&["gtk2-devel"], &["libgtk2.0-dev"]),
    (&["gtk3-devel"], &["libgtk-3-dev"]),
    (&["bzip2-devel", "libbz2-devel"], &["libbz2-dev"]),
    (&["xz-devel", "lzma-devel", "liblzma-devel"], &["liblzma-dev"]),
    (&["sqlite-devel", "sqlite3-devel"], &["libsqlite3-dev"]),
    (&["expat-devel", "libexpat-devel"], &["libexpat1-dev"]),
    (
        &["boost-devel", "libboost_headers-devel"],
        &["libboost-all-dev", "libboost-dev"],
    ),
    (&["gmp-devel"], &["libgmp-dev"]),
    (&["mpfr-devel"], &["libmpfr-dev"]),
    (&["mpc-devel"], &["libmpc-dev"]),
    (&["pcre-devel"], &["libpcre3-dev"]),
    (&["pcre2-devel"], &["libpcre2-dev"]),
    (
        &[
            "libjpeg-devel",
            "libjpeg-turbo-devel",
            "libjpeg8-devel",
            "libjpeg62-devel",
        ],
        &["libjpeg-dev"],
    ),
    (&["libpng-devel", "libpng16-devel"], &["libpng-dev"]),
    (&["giflib-devel"], &["libgif-dev"]),
    (&["freetype-devel", "freetype2-devel"], &["libfreetype-dev"]),
    (&["libX11-devel"], &["libx11-dev"]),
    (&["Mesa-libGL-devel", "mesa-libGL-devel"], &["libgl-dev"]),
    (&["SDL-devel", "libSDL-devel"], &["libsdl1.2-dev"]),
    (&["SDL2-devel", "libSDL2-devel"], &["libsdl2-dev"]),
    (&["alsa-devel", "alsa-lib-devel"], &["libasound2-dev"]),
    (&["libpulse-devel", "pulseaudio-libs-devel"], &["libpulse-dev"]),
    (
        &["libusb-1_0-devel", "libusbx-devel", "libusb1-devel"],
        &["libusb-1.0-0-dev"],
    ),
    (&["libudev-devel", "systemd-devel"], &["libudev-dev", "libsystemd-dev"]),
    (&["pam-devel"], &["libpam0g-dev"]),
    (&["krb5-devel"], &["libkrb5-dev"]),
    (&["openldap2-devel", "openldap-devel"], &["libldap-dev"]),
    (&["cyrus-sasl-devel"], &["libsasl2-dev"]),
    (&["postgresql-devel", "libpq-devel"], &["libpq-dev"]),
    (
        &["mariadb-devel", "mysql-devel", "libmariadb-devel"],
        &["libmariadb-dev"],
    ),
    (&["cppunit-devel", "libcppunit-devel"], &["libcppunit-dev"]),
    (&["gtest", "gtest-devel", "googletest-devel"], &["libgtest-dev"]),
    (&["gmock", "gmock-devel"], &["libgmock-dev"]),
    (&["check-devel", "libcheck-devel"], &["check"]),
    (&["libelf-devel", "elfutils-libelf-devel"], &["libelf-dev"]),
    (&["lua-devel"], &["liblua5.4-dev"]),
    (&["python3-devel", "python-devel", "python3-base"], &["python3-dev"]),
    (&["python3-wheel", "python3-pip", "python3-setuptools"], &[]),
    (&["perl", "perl-base", "perl-devel"], &["perl"]),
    (&["golang-packaging", "go", "golang"], &["golang-go"]),
    (&["rust", "rust-packaging", "cargo-packaging"], &["rustc", "cargo"]),
    (
        &["java-devel", "java-11-openjdk-devel", "java-17-openjdk-devel"],
        &["default-jdk-headless"],
    ),
    (&["ruby-devel"], &["ruby-dev"]),
    (&["tcl-devel"], &["tcl-dev"]),
    (&["libtirpc-devel"], &["libtirpc-dev"]),
];

/// Reads the list that `rpmspec` prints, a capability a line.
pub(super) fn needs(listed: &str, resolver: Option<&dyn Resolver>) -> Vec<Need> {
    let mut needs = Vec::new();
    for line in listed.lines().map(str::trim) {
        if line.is_empty() || line.starts_with("rpmlib(") {
            continue;
        }
        needs.push(need(line, resolver));
    }
    needs
}

fn need(text: &str, resolver: Option<&dyn Resolver>) -> Need {
    // Of a choice the first is taken, of several things at once that one: what else there is, the build tells.
    let first = text.trim_matches(['(', ')']);
    let inner = if text.starts_with('(') { first } else { text };
    let mut words = inner.split_whitespace();
    let name = words.next().unwrap_or_default().to_owned();
    let least = match (words.next(), words.next()) {
        (Some(">=" | ">" | "="), Some(version)) => Some(version.trim_end_matches(')').to_owned()),
        _ => None,
    };
    let row = TABLE.iter().find(|(names, _)| names.contains(&name.as_str()));
    let mut need = Need {
        text: text.to_owned(),
        choices: Vec::new(),
        least,
        given: false,
    };
    match row {
        Some((_, [])) if !name.starts_with("python3-") => need.given = true,
        Some((_, [])) => need.choices.push(name),
        Some((_, packages)) => need
            .choices
            .extend(packages.iter().map(|package| (*package).to_owned())),
        None => need.choices = guesses(&name, resolver),
    }
    // What is written into a command line is a package's name or nothing.
    need.choices.retain(|name| is_package(name));
    let mut seen = Vec::new();
    need.choices.retain(|name| {
        let is_new = !seen.contains(name);
        seen.push(name.clone());
        is_new
    });
    need
}

/// Packages that may have a capability: by what the index of files says, then by the rules of names.
fn guesses(name: &str, resolver: Option<&dyn Resolver>) -> Vec<String> {
    let mut choices = Vec::new();
    let mut ask = |key: Key| {
        let found = resolver.map(|resolver| resolver.resolve(&key)).unwrap_or_default();
        choices.extend(found.into_iter().take(3).map(|candidate| candidate.package));
    };
    if let Some((kind, rest)) = name.split_once('(') {
        let inner = rest.split(')').next().unwrap_or_default().to_owned();
        match kind {
            "pkgconfig" => ask(Key::PkgConfig(inner)),
            "cmake" => ask(Key::CMake(inner)),
            "perl" => {
                ask(Key::Perl(inner.clone()));
                choices.push(format!("lib{}-perl", inner.replace("::", "-").to_lowercase()));
            }
            "python3dist" | "python3.11dist" => {
                ask(Key::Python(inner.clone()));
                choices.push(format!("python3-{}", inner.to_lowercase()));
            }
            "rubygem" => ask(Key::Ruby(inner)),
            "tex" => ask(Key::Tex(inner)),
            "npm" => ask(Key::Node(inner)),
            _ if kind.contains(".so") => ask(Key::Soname(kind.to_owned())),
            _ => {}
        }
        return choices;
    }
    if name.starts_with('/') {
        match name.rsplit_once('/') {
            Some(("/usr/bin" | "/bin" | "/usr/sbin" | "/sbin", program)) => ask(Key::Command(program.to_owned())),
            _ => ask(Key::Path(name.to_owned())),
        }
        return choices;
    }
    let lower = name.to_lowercase();
    if let Some(stem) = lower.strip_suffix("-devel").or_else(|| lower.strip_suffix("-static")) {
        let bare = stem.strip_prefix("lib").unwrap_or(stem);
        for choice in [format!("lib{bare}-dev"), format!("{stem}-dev"), format!("{bare}-dev")] {
            choices.push(choice);
        }
        if let Some(resolver) = resolver {
            for module in [stem, bare] {
                let found = resolver.resolve(&Key::PkgConfig(module.to_owned()));
                choices.extend(found.into_iter().take(1).map(|candidate| candidate.package));
            }
        }
        return choices;
    }
    for prefix in ["python3-", "python311-", "python-"] {
        if let Some(rest) = lower.strip_prefix(prefix) {
            choices.push(format!("python3-{rest}"));
        }
    }
    if let Some(rest) = lower.strip_prefix("perl-") {
        choices.push(format!("lib{rest}-perl"));
    }
    if let Some(rest) = lower.strip_prefix("rubygem-") {
        choices.push(format!("ruby-{rest}"));
    }
    choices.push(lower.clone());
    if let Some(resolver) = resolver {
        let found = resolver.resolve(&Key::Command(name.to_owned()));
        choices.extend(found.into_iter().take(1).map(|candidate| candidate.package));
    }
    choices
}

fn is_package(text: &str) -> bool {
    text.len() > 1
        && text.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && text
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '+' | '-' | '.'))
}

/// Picks, for each need, the first package that the archive has in a version that does, out of what `apt-cache policy`
/// said; the second list names the needs for which there is none.
pub(super) fn choose(needs: &[Need], policy: &str) -> (Vec<String>, Vec<String>) {
    let mut versions: BTreeMap<&str, &str> = BTreeMap::new();
    let mut name = "";
    for line in policy.lines() {
        if let Some(rest) = line.strip_suffix(':').filter(|rest| !rest.starts_with(' ')) {
            name = rest;
        } else if let Some(version) = line.trim().strip_prefix("Candidate: ")
            && version != "(none)"
        {
            versions.insert(name, version);
        }
    }
    let (mut packages, mut missing) = (Vec::new(), Vec::new());
    for need in needs.iter().filter(|need| !need.given) {
        let there = need
            .choices
            .iter()
            .find_map(|choice| Some((choice, *versions.get(choice.as_str())?)));
        match there {
            Some((package, version)) if need.least.as_deref().is_none_or(|least| is_enough(version, least)) => {
                if !packages.contains(package) {
                    packages.push(package.clone());
                }
            }
            Some((package, version)) => missing.push(format!("{} (there is {package} {version})", need.text)),
            None => missing.push(need.text.clone()),
        }
    }
    packages.sort();
    (packages, missing)
}

/// Whether a Debian package's upstream version is not less than one that a recipe asks for. A distribution's own release
/// number behind it says nothing here.
fn is_enough(version: &str, least: &str) -> bool {
    let upstream = version.split_once(':').map_or(version, |(_, rest)| rest);
    let upstream = upstream.rsplit_once('-').map_or(upstream, |(upstream, _)| upstream);
    let least = least.split_once(':').map_or(least, |(_, rest)| rest);
    let least = least.rsplit_once('-').map_or(least, |(least, _)| least);
    compare_versions(upstream, least) != Ordering::Less
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use seatrial_packages::Candidate;

    use super::*;

    struct Index;

    impl Resolver for Index {
        fn resolve(&self, key: &Key) -> Vec<Candidate> {
            let package = match key {
                Key::PkgConfig(name) if name == "zlib" => "zlib1g-dev",
                Key::Command(name) if name == "bison" => "bison",
                Key::Perl(name) if name == "XML::Parser" => "libxml-parser-perl",
                _ => return Vec::new(),
            };
            vec![Candidate {
                package: package.to_owned(),
                because: String::new(),
                score: 1.0,
            }]
        }
    }

    #[test]
    fn each_capability_gets_the_first_package_that_the_archive_has() {
        let listed = "gcc\ngcc-c++ >= 7\npkgconfig(zlib) >= 1.2\npkgconfig(zlib) >= 99\n/usr/bin/bison\nperl(XML::Parser)\n\
                      libfoo-devel\nncurses-devel\n(cmake or meson)\nsystemd-rpm-macros\nnosuch-devel\npython3-setuptools\nrpmlib(X) <= 1\n\
                      evil; rm\n";
        let policy = "g++:\n  Installed: (none)\n  Candidate: 4:12.2.0-3\n  Version table:\n     4:12.2.0-3 500\n\
            zlib1g-dev:\n  Installed: (none)\n  Candidate: 1:1.2.13.dfsg-1\nbison:\n  Candidate: 2:3.8\n\
            libxml-parser-perl:\n  Candidate: 2.46-4\nlibfoo-dev:\n  Candidate: 1\nlibncurses-dev:\n  Candidate: 6.4-4\n\
            cmake:\n  Candidate: 3.25.1-1\nlibnosuch-dev:\n  Candidate: (none)\npython3-setuptools:\n  Candidate: 66\n";
        let needs = needs(listed, Some(&Index));
        let (packages, missing) = choose(&needs, policy);
        expect![[r#"
            bison cmake g++ libfoo-dev libncurses-dev libxml-parser-perl python3-setuptools zlib1g-dev
            pkgconfig(zlib) >= 99 (there is zlib1g-dev 1:1.2.13.dfsg-1)
            nosuch-devel
            evil; rm"#]]
        .assert_eq(&format!("{}\n{}", packages.join(" "), missing.join("\n")));
    }

    #[test]
    fn a_release_of_another_distribution_says_nothing_here() {
        for (version, least, enough) in [
            ("1:1.2.13.dfsg-1", "1.2.13", true),
            ("3.25.1-1", "3.26", false),
            ("4:12.2.0-3", "12.2.0-150400.1", true),
            ("9", "10", false),
        ] {
            assert_eq!(is_enough(version, least), enough, "{version} for {least}");
        }
    }
}
