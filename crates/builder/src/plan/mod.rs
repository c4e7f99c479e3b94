//! From build roots to plans: what to run, in which order, with which settings. Executes nothing.

mod autotools;
mod cmake_meson;
mod described;
mod documents;
mod extensions;
mod generators;
mod make;
mod other;
mod place;
mod plain;
mod settings;
mod shell;
mod studio;
mod template;
mod toolchains;
mod units;
mod vendored;

use std::path::Path;

pub(crate) use place::is_plain;
use seatrial_core::{Purpose, Step};
use seatrial_packages::Key;
pub(crate) use settings::{FileFlags, Settings, drops_errors, shims};

use crate::{
    BuildRoot, BuildSystem,
    detect::plain_sources,
    names,
    tree::{Tree, join},
};

/// Plans that are kept.
const KEPT: usize = 24;

/// One way to build a tree, from one root.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The root it starts from.
    pub root: BuildRoot,
    /// Its build system.
    pub system: BuildSystem,
    /// What tells it from other plans for the same root; empty for the usual way.
    pub variant: String,
    /// Its steps before anything was repaired.
    pub steps: Vec<Step>,
    pub(crate) method: Method,
    pub(crate) settings: Settings,
    /// What the system itself needs.
    pub(crate) needs: Vec<Key>,
    /// Packages that it needs, where no name leads to them.
    pub(crate) packages: Vec<String>,
    /// Plans for libraries of the tree that are built and installed before.
    pub(crate) before: Vec<Self>,
}

/// What the steps of a plan are made from.
#[derive(Debug, Clone)]
pub(crate) enum Method {
    CMake,
    Meson,
    Autotools(autotools::Facts),
    Configure { script: String },
    Make(make::Facts),
    QMake { file: String, major: u8 },
    Scons { file: String, installs: bool },
    Waf { own: bool },
    Ninja,
    Imake,
    Script { name: String },
    Plain(plain::Facts),
    Units(units::Units),
    Template(template::Template),
}

impl Plan {
    fn new(root: &BuildRoot, variant: &str, method: Method, settings: Settings, needs: Vec<Key>) -> Self {
        let mut plan = Self {
            root: root.clone(),
            system: root.system,
            variant: variant.to_owned(),
            steps: Vec::new(),
            method,
            settings,
            needs,
            packages: Vec::new(),
            before: Vec::new(),
        };
        plan.steps = plan.steps_with(&plan.settings);
        plan
    }

    /// The plan in words, such as `CMake in src`.
    pub fn title(&self) -> String {
        let place = if self.root.folder.is_empty() {
            "at the top".to_owned()
        } else {
            format!("in {}", names::shown(&self.root.folder))
        };
        if self.variant.is_empty() {
            format!("{} {place}", self.system.title())
        } else {
            format!("{} {place}, {}", self.system.title(), self.variant)
        }
    }

    /// Whether it makes programs for another system.
    fn is_abroad(&self) -> bool {
        matches!(&self.method, Method::Units(units) if units.windows)
    }

    /// The root's folder in the box, under a name that every tool takes.
    pub(crate) fn folder(&self) -> String {
        if self.root.folder.is_empty() {
            "$SRC".to_owned()
        } else {
            format!("$SRC/{}", place::plain(&self.root.folder))
        }
    }

    /// Another name for the root's folder, where its own will not do. Lists of units run at the top.
    fn renaming(&self) -> Option<Step> {
        if matches!(self.method, Method::Units(_)) {
            return None;
        }
        place::renaming(&self.root.folder)
    }

    /// The steps under some settings: preparations that every system shares, then the system's own.
    pub(crate) fn steps_with(&self, settings: &Settings) -> Vec<Step> {
        let folder = self.folder();
        let mut steps: Vec<Step> = self.renaming().into_iter().collect();
        steps.extend(settings.common_preparations(&folder));
        if settings.shims {
            steps.push(shims(settings, self.tools_folder()));
        }
        match &self.method {
            Method::CMake => cmake_meson::cmake(&folder, settings, &mut steps),
            Method::Meson => cmake_meson::meson(&folder, settings, &mut steps),
            Method::Autotools(facts) => autotools::steps(&folder, facts, settings, &mut steps),
            Method::Configure { script } => autotools::hand_written(&folder, script, settings, &mut steps),
            Method::Make(facts) => make::steps(&folder, facts, settings, &mut steps),
            Method::QMake { file, major } => other::qmake(&folder, file, *major, settings, &mut steps),
            Method::Scons { file, installs } => other::scons(&folder, file, *installs, settings, &mut steps),
            Method::Waf { own } => other::waf(&folder, *own, settings, &mut steps),
            Method::Ninja => other::ninja(&folder, settings, &mut steps),
            Method::Imake => other::imake(&folder, settings, &mut steps),
            Method::Script { name } => other::script(&folder, name, settings, &mut steps),
            Method::Plain(facts) => plain::steps(&folder, facts, settings, &mut steps),
            Method::Units(units) => units::steps(units, settings, &mut steps),
            Method::Template(template) => template.steps(&folder, settings, &mut steps),
        }
        vendored::steps(&self.before, steps)
    }

    /// SCons looks for compilers in its own list of folders, of which this one is the first.
    fn tools_folder(&self) -> &'static str {
        if matches!(self.method, Method::Scons { .. }) {
            "/usr/local/bin"
        } else {
            "$OUT/tools"
        }
    }
}

/// Plans for the roots of a tree, best first; several for a root where its system has several ways.
pub fn plans(tree: &Path, roots: &[BuildRoot]) -> Vec<Plan> {
    plans_for(&Tree::scan(tree), roots)
}

/// The same on a tree that is already listed.
pub(crate) fn plans_for(tree: &Tree, roots: &[BuildRoot]) -> Vec<Plan> {
    let mut plans = Vec::new();
    for root in roots {
        plans_of(tree, root, &mut plans);
        if plans.len() >= KEPT {
            break;
        }
    }
    vendored::add(tree, roots, &mut plans);
    documents::add(tree, &mut plans);
    // A program for Windows is what is left when nothing can be made for this system.
    plans.sort_by_key(Plan::is_abroad);
    plans.truncate(KEPT);
    plans
}

fn plans_of(tree: &Tree, root: &BuildRoot, plans: &mut Vec<Plan>) {
    let usual = Settings::default();
    let wrapped = Settings {
        shims: true,
        ..Settings::default()
    };
    let command = |name: &str| Key::Command(name.to_owned());
    let file = root.file.clone().unwrap_or_default();
    let at = |name: &str| join(&root.folder, name);
    let plan = match root.system {
        BuildSystem::CMake => Plan::new(root, "", Method::CMake, usual, Vec::new()),
        BuildSystem::Meson => Plan::new(root, "", Method::Meson, usual, Vec::new()),
        BuildSystem::Autotools | BuildSystem::AutotoolsBootstrap => {
            let facts = autotools::facts(tree, root);
            let settings = Settings {
                shims: !facts.automake,
                in_tree: !facts.automake,
                ..Settings::default()
            };
            Plan::new(root, "", Method::Autotools(facts), settings, Vec::new())
        }
        BuildSystem::Configure => Plan::new(root, "", Method::Configure { script: file }, wrapped, Vec::new()),
        BuildSystem::Make => {
            let facts = make::facts(tree, root);
            let (variant, packages, needs) = (
                facts.purpose.variant,
                facts.purpose.packages.clone(),
                facts.purpose.needs.clone(),
            );
            let mut plan = Plan::new(root, variant, Method::Make(facts), wrapped, needs);
            plan.packages = packages;
            plan
        }
        BuildSystem::QMake => {
            let text = tree.text(&at(&file)).unwrap_or_default();
            for major in other::qt_order(&text) {
                let needs = other::qt_needs(tree, &root.folder, major);
                let method = Method::QMake {
                    file: file.clone(),
                    major,
                };
                plans.push(Plan::new(root, &format!("Qt {major}"), method, wrapped.clone(), needs));
            }
            return;
        }
        BuildSystem::Scons => {
            let installs = tree
                .text(&at(&file))
                .is_some_and(|text| text.to_ascii_lowercase().contains("install"));
            Plan::new(
                root,
                "",
                Method::Scons { file, installs },
                wrapped,
                vec![command("scons")],
            )
        }
        BuildSystem::Waf => {
            let own = tree.has(&at("waf"));
            let needs = if own {
                vec![command("python3")]
            } else {
                vec![command("waf")]
            };
            Plan::new(root, "", Method::Waf { own }, wrapped, needs)
        }
        BuildSystem::Ninja => Plan::new(root, "", Method::Ninja, wrapped, Vec::new()),
        BuildSystem::Imake => Plan::new(
            root,
            "",
            Method::Imake,
            wrapped,
            vec![command("xmkmf"), command("imake")],
        ),
        BuildSystem::Script => Plan::new(root, "", Method::Script { name: file }, wrapped, Vec::new()),
        BuildSystem::PlainC => {
            let sources = plain_sources(tree, &root.folder);
            let facts = plain::facts(tree, &root.folder, sources);
            Plan::new(root, "", Method::Plain(facts), usual, Vec::new())
        }
        BuildSystem::VisualStudio => {
            let (units, windows) = studio::visual_studio(tree, root);
            units_of(root, units, windows, plans);
            return;
        }
        BuildSystem::CompileCommands => {
            units_of(root, studio::compile_commands(tree, root), false, plans);
            return;
        }
        BuildSystem::Bazel
        | BuildSystem::Premake
        | BuildSystem::Xmake
        | BuildSystem::Gn
        | BuildSystem::Jam
        | BuildSystem::BoostBuild
        | BuildSystem::Qbs => {
            for (variant, template) in generators::templates(tree, root) {
                let needs = template.needs.clone();
                plans.push(Plan::new(
                    root,
                    variant,
                    Method::Template(template),
                    wrapped.clone(),
                    needs,
                ));
            }
            return;
        }
        BuildSystem::KernelModule
        | BuildSystem::Phpize
        | BuildSystem::NginxModule
        | BuildSystem::LuaRock
        | BuildSystem::RPackage
        | BuildSystem::PythonExtension
        | BuildSystem::NodeAddon
        | BuildSystem::Arduino => {
            if let Some((template, packages)) = extensions::template(tree, root) {
                let needs = template.needs.clone();
                // Wrapped compilers would be given to the kernel's own checks of the compiler.
                let settings = if matches!(root.system, BuildSystem::KernelModule | BuildSystem::Arduino) {
                    usual
                } else {
                    wrapped
                };
                let mut plan = Plan::new(root, "", Method::Template(template), settings, needs);
                plan.packages = packages;
                plans.push(plan);
            }
            return;
        }
    };
    plans.push(plan);
}

/// Plans for another tool's list of sources: by the compiler of this system, and by the one for Windows where the sources
/// ask for that.
fn units_of(root: &BuildRoot, units: units::Units, windows: bool, plans: &mut Vec<Plan>) {
    if units.targets.is_empty() {
        return;
    }
    let here = Plan::new(root, "", Method::Units(units.clone()), Settings::default(), Vec::new());
    plans.push(here);
    if !windows {
        return;
    }
    let crossed = units::Units { windows: true, ..units };
    let mut abroad = Plan::new(
        root,
        "for Windows",
        Method::Units(crossed),
        Settings::default(),
        Vec::new(),
    );
    abroad.packages = vec!["gcc-mingw-w64-x86-64".to_owned(), "g++-mingw-w64-x86-64".to_owned()];
    plans.push(abroad);
}

/// A step with the usual choice of what happens when it fails.
pub(crate) fn step(
    purpose: Purpose,
    why: impl Into<String>,
    folder: impl Into<String>,
    command: impl Into<String>,
) -> Step {
    Step {
        purpose,
        why: why.into(),
        folder: folder.into(),
        command: command.into(),
        // Installing is worth trying, but what was built counts also where nothing can be installed.
        keep_going: purpose == Purpose::Install,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::tree::testing::lay;

    fn check(files: &[(&str, &str)], expected: &Expect) {
        let folder = lay(files);
        let text: String = plans(folder.path(), &crate::detect(folder.path()))
            .iter()
            .take(1)
            .flat_map(|plan| {
                std::iter::once(format!("== {}\n", plan.title())).chain(plan.steps.iter().map(|step| {
                    format!(
                        "[{} in {}]\n{}\n",
                        step.purpose.as_str(),
                        step.folder,
                        step.command.trim_end()
                    )
                }))
            })
            .collect();
        expected.assert_eq(&text);
    }

    #[test]
    fn the_usual_steps_of_the_common_systems() {
        check(
            &[("src/CMakeLists.txt", "project(x)"), ("src/x.c", "")],
            &expect![[r#"
            == CMake in src
            [configure in $OUT/build]
            CFLAGS="-g -O0" CXXFLAGS="-g -O0" cmake "$SRC/src" -DCMAKE_BUILD_TYPE=None -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_VERBOSE_MAKEFILE=ON -DCMAKE_EXPORT_NO_PACKAGE_REGISTRY=ON
            [build in $OUT/build]
            cmake --build . -- -k -j"$JOBS"
            [install in $OUT/build]
            cmake --install .
        "#]],
        );
        check(
            &[("meson.build", "project('x')"), ("x.c", "")],
            &expect![[r#"
            == Meson at the top
            [configure in $SRC]
            CFLAGS="-g -O0" CXXFLAGS="-g -O0" meson setup "$OUT/build" . --prefix="$PREFIX" --libdir=lib --buildtype=debug --wrap-mode=nodownload
            [build in $OUT/build]
            ninja -v -k 0 -j"$JOBS"
            [install in $OUT/build]
            meson install --no-rebuild
        "#]],
        );
        check(
            &[
                ("configure.ac", "AC_INIT(x,1)\nAM_INIT_AUTOMAKE\n"),
                ("Makefile.am", ""),
                ("*autogen.sh", "#!/bin/sh\n"),
                ("x.c", ""),
            ],
            &expect![[r#"
                == Autotools without a generated configure at the top
                [prepare in $SRC]
                chmod +x autogen.sh
                NOCONFIGURE=1 ./autogen.sh || AUTOMAKE='automake --foreign' autoreconf -fi
                [ -f configure ] || AUTOMAKE='automake --foreign' autoreconf -fi
                if [ -f config.status ]; then make distclean >/dev/null 2>&1 || rm -f config.status Makefile; fi
                [configure in $OUT/build]
                CFLAGS="-g -O0" CXXFLAGS="-g -O0" "$SRC/configure" --prefix="$PREFIX" --disable-dependency-tracking --disable-silent-rules
                [build in $OUT/build]
                make -k -j"$JOBS"
                [install in $OUT/build]
                make -k install STRIP=:
            "#]],
        );
    }

    #[test]
    fn compilers_of_makefiles_are_wrapped() {
        check(
            &[
                (
                    "Makefile.linux",
                    "all: x\nx: x.c\n\tgcc -O2 -s -o x x.c\ninstall:\n\tcp x $(PREFIX)/bin\n",
                ),
                ("x.c", ""),
            ],
            &expect![[r#"
                == Make at the top
                [prepare in $OUT]
                mkdir -p "$OUT/tools"
                for tool in cc gcc c89 c99 clang c++ g++ clang++; do
                  real=$(command -v "$tool") || continue
                  case "$tool" in *++) flags='-g -O0' ;; *) flags='-g -O0' ;; esac
                  cat > "$OUT/tools/$tool" <<END
                #!/bin/sh
                for word do
                  shift
                  case "\$word" in -s|-Werror|-Werror=*) ;; *) set -- "\$@" "\$word" ;; esac
                done
                exec $real "\$@" $flags
                END
                  chmod 755 "$OUT/tools/$tool"
                done
                printf '#!/bin/sh\nexit 0\n' > "$OUT/tools/strip"
                printf '#!/bin/sh\nexec "$@"\n' > "$OUT/tools/sudo"
                chmod 755 "$OUT/tools/strip" "$OUT/tools/sudo"
                [build in $SRC]
                export PATH="$OUT/tools:$PATH"
                make -f Makefile.linux -k -j"$JOBS"
                [install in $SRC]
                export PATH="$OUT/tools:$PATH"
                mkdir -p "$PREFIX"/bin "$PREFIX"/sbin "$PREFIX"/lib "$PREFIX"/include "$PREFIX"/etc "$PREFIX"/man/man1 "$PREFIX"/share/man/man1
                make -f Makefile.linux -k install PREFIX="$PREFIX" prefix="$PREFIX" STRIP=:
            "#]],
        );
    }

    #[test]
    fn plain_sources_are_compiled_one_by_one() {
        check(
            &[
                ("ship.c", "int main(void) { return 0; }"),
                ("oar.c", "int oar;"),
                ("include/oar.h", ""),
            ],
            &expect![[r#"
                == plain C or C++ sources at the top
                [build in $SRC]
                mkdir -p "$OUT/build"
                status=0
                gcc -g -O0 -fPIC -I. -I"$SRC/include" -c "./oar.c" -o "$OUT/build/oar.c.o" || status=1
                gcc -g -O0 -fPIC -I. -I"$SRC/include" -c "./ship.c" -o "$OUT/build/ship.c.o" || status=1
                gcc -g "$OUT/build/ship.c.o" "$OUT/build/oar.c.o" -o "$OUT/build/ship" -lm || gcc -g "$OUT/build/ship.c.o" -o "$OUT/build/ship" -lm || status=1
                exit "$status"
            "#]],
        );
    }
}
