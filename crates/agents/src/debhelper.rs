//! The choice of Debian's `dh_auto_*` tools: the first build system of a fixed order, its usual flags, no repairs.
//!
//! The order is that of debhelper 13; a test asks the real program where it is installed. Only the root of the tree
//! counts. `dh` makes generated Autotools files anew before it chooses, so a tree with `configure.ac` has a `configure`
//! by then. No build dependencies are installed: a maintainer would have written them down.

use seatrial_core::{Purpose, Step, Submission};

use crate::{
    Agent, AgentError, SolveContext,
    steps::{no_way, or_go_on, step, submit},
    survey::Survey,
};

pub(crate) struct DebhelperOrder;

impl Agent for DebhelperOrder {
    fn name(&self) -> &'static str {
        "debhelper-order"
    }

    fn about(&self) -> &'static str {
        "baseline: the build system that debhelper would choose, with its flags; installs and repairs nothing"
    }

    fn needs_resolver(&self) -> bool {
        false
    }

    fn solve(&self, context: &mut SolveContext<'_>) -> Result<Submission, AgentError> {
        let survey = Survey::of(context.tree);
        let Some(system) = choose(&survey) else {
            return no_way(context, "no build system of debhelper's is in the root of the tree");
        };
        submit(
            context,
            system.name(),
            "the first of debhelper's order",
            steps(&survey, system),
        )
    }
}

/// The systems in debhelper's order. What another one always precedes (CMake with Ninja, QMake of Qt 4) is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum System {
    Autoconf,
    PerlBuild,
    PerlMakemaker,
    Makefile,
    PythonDistutils,
    CMake,
    Ant,
    QMake,
    Meson,
    Ninja,
}

impl System {
    const ORDER: [Self; 10] = [
        Self::Autoconf,
        Self::PerlBuild,
        Self::PerlMakemaker,
        Self::Makefile,
        Self::PythonDistutils,
        Self::CMake,
        Self::Ant,
        Self::QMake,
        Self::Meson,
        Self::Ninja,
    ];

    /// The name that debhelper has for it.
    fn name(self) -> &'static str {
        match self {
            Self::Autoconf => "autoconf",
            Self::PerlBuild => "perl_build",
            Self::PerlMakemaker => "perl_makemaker",
            Self::Makefile => "makefile",
            Self::PythonDistutils => "python_distutils",
            Self::CMake => "cmake+makefile",
            Self::Ant => "ant",
            Self::QMake => "qmake",
            Self::Meson => "meson+ninja",
            Self::Ninja => "ninja",
        }
    }

    fn is_in(self, survey: &Survey) -> bool {
        match self {
            Self::Autoconf => survey.is_executable("configure") || regenerates(survey),
            Self::PerlBuild => survey.has("Build.PL"),
            Self::PerlMakemaker => survey.has("Makefile.PL"),
            Self::Makefile => ["GNUmakefile", "makefile", "Makefile"]
                .iter()
                .any(|name| survey.has(name)),
            Self::PythonDistutils => survey.has("setup.py"),
            Self::CMake => survey.has("CMakeLists.txt"),
            Self::Ant => survey.has("build.xml"),
            Self::QMake => survey
                .names_in("")
                .any(|name| name.strip_suffix(".pro").is_some_and(|stem| !stem.is_empty())),
            Self::Meson => survey.has("meson.build"),
            Self::Ninja => survey.has("build.ninja"),
        }
    }
}

fn choose(survey: &Survey) -> Option<System> {
    System::ORDER.into_iter().find(|system| system.is_in(survey))
}

/// Whether `dh_autoreconf` runs Autoconf.
fn regenerates(survey: &Survey) -> bool {
    survey.has("configure.ac") || survey.has("configure.in")
}

/// The flags that every package gets.
const FLAGS: &str = "eval \"$(dpkg-buildflags --export=sh 2>/dev/null || true)\"\n\
                     multiarch=$(gcc -print-multiarch)\n";

const MAKE: &str = "make -j\"$JOBS\" \"INSTALL=install --strip-program=true\"";
/// Only when there is such a target; debhelper too looks with `make -n`.
const MAKE_INSTALL: &str = "if make -n install DESTDIR=\"$PREFIX\" > /dev/null 2>&1; then make -j\"$JOBS\" install \
                            DESTDIR=\"$PREFIX\" AM_UPDATE_INFO_DIR=no \"INSTALL=install --strip-program=true\"; fi";

/// What configures, builds and installs, each with its folder.
type Commands = (
    Option<(&'static str, String)>,
    (&'static str, &'static str),
    Option<(&'static str, &'static str)>,
);

fn steps(survey: &Survey, system: System) -> Vec<Step> {
    const CONFIGURE: Purpose = Purpose::Configure;
    let mut steps = vec![or_go_on(step(
        Purpose::Prepare,
        "the system's config.guess and config.sub know more machines",
        "$SRC",
        "for name in config.guess config.sub; do\n  new=$(ls /usr/share/misc/$name /usr/share/automake-*/$name \
         2>/dev/null | head -n 1)\n  [ -n \"$new\" ] && find . -name $name -exec cp -f \"$new\" {} \\;\ndone\ntrue",
    ))];
    if regenerates(survey) {
        steps.push(step(
            Purpose::Prepare,
            "generated Autotools files are always made anew",
            "$SRC",
            "autoreconf -f -i",
        ));
    }
    let build_folder = "$SRC/obj-build";
    let (configure, build, install): Commands = match system {
        System::Autoconf => (
            Some((
                "$SRC",
                format!(
                    "{FLAGS}./configure --build=\"$multiarch\" --prefix=/usr '--includedir=${{prefix}}/include' \
                     '--mandir=${{prefix}}/share/man' '--infodir=${{prefix}}/share/info' --sysconfdir=/etc \
                     --localstatedir=/var --disable-option-checking --disable-silent-rules \
                     \"--libdir=\\${{prefix}}/lib/$multiarch\" --runstatedir=/run --disable-maintainer-mode \
                     --disable-dependency-tracking"
                ),
            )),
            ("$SRC", MAKE),
            Some(("$SRC", MAKE_INSTALL)),
        ),
        System::PerlBuild => (
            Some((
                "$SRC",
                "export PERL_MM_USE_DEFAULT=1\nperl -I. Build.PL --installdirs vendor".to_owned(),
            )),
            ("$SRC", "perl Build"),
            Some(("$SRC", "perl Build install --destdir \"$PREFIX\" --create_packlist 0")),
        ),
        System::PerlMakemaker => (
            Some((
                "$SRC",
                format!(
                    "{FLAGS}export PERL_MM_USE_DEFAULT=1 PERL_AUTOINSTALL=--skipdeps\nperl -I. Makefile.PL \
                     INSTALLDIRS=vendor \"OPTIMIZE=${{CFLAGS:-}} ${{CPPFLAGS:-}}\""
                ),
            )),
            ("$SRC", MAKE),
            Some(("$SRC", MAKE_INSTALL)),
        ),
        System::Makefile => (None, ("$SRC", MAKE), Some(("$SRC", MAKE_INSTALL))),
        System::PythonDistutils => (
            None,
            ("$SRC", "python3 setup.py build --force"),
            Some((
                "$SRC",
                "python3 setup.py install --root=\"$PREFIX\" --no-compile -O0 --install-layout=deb",
            )),
        ),
        System::CMake => (
            Some((
                build_folder,
                format!(
                    "{FLAGS}cmake -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_BUILD_TYPE=None -DCMAKE_INSTALL_SYSCONFDIR=/etc \
                     -DCMAKE_INSTALL_LOCALSTATEDIR=/var -DCMAKE_EXPORT_NO_PACKAGE_REGISTRY=ON \
                     -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF -DCMAKE_FIND_PACKAGE_NO_PACKAGE_REGISTRY=ON \
                     -DFETCHCONTENT_FULLY_DISCONNECTED=ON -DCMAKE_INSTALL_RUNSTATEDIR=/run \
                     -DCMAKE_SKIP_INSTALL_ALL_DEPENDENCY=ON -DCMAKE_VERBOSE_MAKEFILE=ON \
                     -DCMAKE_INSTALL_LIBDIR=lib/\"$multiarch\" -G 'Unix Makefiles' \"$SRC\""
                ),
            )),
            (build_folder, MAKE),
            Some((build_folder, MAKE_INSTALL)),
        ),
        System::Ant => (None, ("$SRC", "ant"), None),
        System::QMake => (
            Some((
                "$SRC",
                format!(
                    "{FLAGS}qmake -makefile \"QMAKE_CFLAGS_RELEASE=${{CFLAGS:-}} ${{CPPFLAGS:-}}\" \
                     \"QMAKE_CXXFLAGS_RELEASE=${{CXXFLAGS:-}} ${{CPPFLAGS:-}}\" \"QMAKE_LFLAGS_RELEASE=${{LDFLAGS:-}}\" \
                     QMAKE_STRIP=: PREFIX=/usr"
                ),
            )),
            ("$SRC", MAKE),
            Some(("$SRC", "make -j\"$JOBS\" install INSTALL_ROOT=\"$PREFIX\"")),
        ),
        System::Meson => (
            Some((
                build_folder,
                format!(
                    "{FLAGS}meson setup \"$SRC\" --wrap-mode=nodownload --buildtype=plain --prefix=/usr --sysconfdir=/etc \
                     --localstatedir=/var --libdir=lib/\"$multiarch\""
                ),
            )),
            (build_folder, "ninja -j\"$JOBS\" -v"),
            Some((build_folder, "DESTDIR=\"$PREFIX\" ninja install")),
        ),
        System::Ninja => (
            None,
            ("$SRC", "ninja -j\"$JOBS\" -v"),
            Some(("$SRC", "DESTDIR=\"$PREFIX\" ninja install")),
        ),
    };
    if let Some((folder, command)) = configure {
        steps.push(step(CONFIGURE, "as dh_auto_configure does", folder, command));
    }
    // What configures has the flags written down; what does not gets them from the environment.
    let flags = if steps.iter().any(|step| step.purpose == CONFIGURE) {
        ""
    } else {
        FLAGS
    };
    steps.push(step(
        Purpose::Build,
        "as dh_auto_build does",
        build.0,
        format!("{flags}{}", build.1),
    ));
    if let Some((folder, command)) = install {
        // Without a package around them, installed files are of use only where a build makes some while it installs.
        steps.push(or_go_on(step(
            Purpose::Install,
            "as dh_auto_install does",
            folder,
            command,
        )));
    }
    steps
}

#[cfg(test)]
mod tests {
    use std::{fmt::Write as _, os::unix::fs::PermissionsExt as _, path::Path};

    use expect_test::expect;

    use super::*;

    const TREES: [&[&str]; 24] = [
        &["Makefile"],
        &["configure"],
        &["configure*"],
        &["configure*", "CMakeLists.txt"],
        &["CMakeLists.txt", "Makefile"],
        &["CMakeLists.txt"],
        &["meson.build", "Makefile"],
        &["meson.build"],
        &["hull.pro"],
        &["hull.pro", "Makefile"],
        &["hull.pro", "CMakeLists.txt"],
        &["setup.py", "Makefile"],
        &["setup.py", "CMakeLists.txt"],
        &["Makefile.PL", "Makefile"],
        &["Build.PL", "Makefile.PL"],
        &["build.ninja", "Makefile"],
        &["build.ninja"],
        &["meson.build", "CMakeLists.txt"],
        &["build.xml", "Makefile"],
        &["build.xml"],
        &["GNUmakefile"],
        &["meson.build", "build.ninja"],
        &["configure*", "meson.build"],
        &["src/Makefile"],
    ];

    #[test]
    fn the_first_system_of_the_order_is_taken() {
        let mut text = String::new();
        for tree in TREES.iter().chain(&[&["configure.ac", "Makefile"] as &[&str]]) {
            let system = choose(&Survey::made_up(tree)).map_or("nothing", System::name);
            writeln!(text, "{}: {system}", tree.join(" ")).unwrap();
        }
        expect![[r#"
            Makefile: makefile
            configure: nothing
            configure*: autoconf
            configure* CMakeLists.txt: autoconf
            CMakeLists.txt Makefile: makefile
            CMakeLists.txt: cmake+makefile
            meson.build Makefile: makefile
            meson.build: meson+ninja
            hull.pro: qmake
            hull.pro Makefile: makefile
            hull.pro CMakeLists.txt: cmake+makefile
            setup.py Makefile: makefile
            setup.py CMakeLists.txt: python_distutils
            Makefile.PL Makefile: perl_makemaker
            Build.PL Makefile.PL: perl_build
            build.ninja Makefile: makefile
            build.ninja: ninja
            meson.build CMakeLists.txt: cmake+makefile
            build.xml Makefile: makefile
            build.xml: ant
            GNUmakefile: makefile
            meson.build build.ninja: meson+ninja
            configure* meson.build: autoconf
            src/Makefile: nothing
            configure.ac Makefile: autoconf
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn debhelper_itself_chooses_the_same() {
        let program = Path::new("/usr/bin/dh_auto_configure");
        if !program.is_file() {
            println!("skipped: debhelper is not installed");
            return;
        }
        // A start of the real program takes a second: only trees with a choice to make are asked about.
        for tree in TREES.iter().filter(|tree| tree.len() > 1).step_by(2) {
            let folder = tempfile::tempdir().unwrap();
            let lay = |path: &str, text: &str, mode: u32| {
                let path = folder.path().join(path);
                fs_err::create_dir_all(path.parent().unwrap()).unwrap();
                fs_err::write(&path, text).unwrap();
                fs_err::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            };
            lay(
                "debian/control",
                "Source: hull\nBuild-Depends: debhelper-compat (= 13)\n\nPackage: hull\nArchitecture: any\n",
                0o644,
            );
            lay(
                "debian/changelog",
                "hull (1.0-1) unstable; urgency=low\n\n  * Test.\n\n -- A <a@example.org>  Mon, 01 Jan 2024 00:00:00 +0000\n",
                0o644,
            );
            for path in *tree {
                let name = path.trim_end_matches('*');
                lay(name, "", if name.len() < path.len() { 0o755 } else { 0o644 });
            }
            let output = std::process::Command::new(program)
                .arg("--list")
                .current_dir(folder.path())
                .output()
                .unwrap();
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let theirs = text
                .lines()
                .find_map(|line| line.strip_prefix("Auto-selected: "))
                .unwrap_or("nothing");
            let ours = choose(&Survey::made_up(tree)).map_or("nothing", System::name);
            assert_eq!(ours, theirs, "{tree:?}: {text}");
        }
    }
}
