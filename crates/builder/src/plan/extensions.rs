//! Plans of modules of other programs: the kernel, PHP, nginx, Lua, R, Python, Node, Arduino boards.

use seatrial_core::Purpose;
use seatrial_packages::Key;

use super::template::Template;
use crate::{
    BuildRoot, BuildSystem,
    pattern::Pattern,
    tree::{Tree, join},
};

static R_FIELD: Pattern = Pattern::new(r"(?m)^(?:Depends|Imports|LinkingTo):((?:[^\n]|\n[ \t])*)");
static REQUIRES: Pattern = Pattern::new(r"(?s)\brequires\s*=\s*\[(.*?)\]");
static QUOTED: Pattern = Pattern::new(r#"["']([A-Za-z0-9_.-]+)"#);
static IMPORT: Pattern = Pattern::new(r"(?m)^\s*(?:import|from)\s+([A-Za-z0-9_]+)");

/// The plan of a root, with packages to install by name; none when the system is none of these.
pub(super) fn template(tree: &Tree, root: &BuildRoot) -> Option<(Template, Vec<String>)> {
    let file = root.file.as_deref().unwrap_or_default();
    let text = tree.text(&join(&root.folder, file)).unwrap_or_default();
    let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
    Some(match root.system {
        BuildSystem::KernelModule => (kernel_module(), named(&["kmod"])),
        BuildSystem::Phpize => (phpize(), named(&["php-dev"])),
        BuildSystem::NginxModule => (nginx(), named(&["nginx-dev"])),
        BuildSystem::LuaRock => {
            let version = lua_version(&text);
            let packages = vec![
                "luarocks".to_owned(),
                format!("lua{version}"),
                format!("liblua{version}-dev"),
            ];
            (rock(file, version), packages)
        }
        BuildSystem::RPackage => {
            let mut packages = named(&["r-base-dev"]);
            packages.extend(r_packages(&text));
            (r_package(), packages)
        }
        BuildSystem::PythonExtension => {
            let script = file == "setup.py";
            let needs = python_needs(tree, &root.folder);
            (
                python(script, needs),
                named(&["python3-dev", "python3-setuptools", "python3-pip", "python3-wheel"]),
            )
        }
        BuildSystem::NodeAddon => {
            let mut packages = named(&["nodejs", "node-gyp", "libnode-dev"]);
            let both = format!(
                "{text}{}",
                tree.text(&join(&root.folder, "package.json")).unwrap_or_default()
            );
            if both.contains("node-addon-api") {
                packages.push("node-addon-api".to_owned());
            }
            if both.contains("'nan'") || both.contains("\"nan\"") {
                packages.push("node-nan".to_owned());
            }
            (node(), packages)
        }
        BuildSystem::Arduino => (arduino(file), named(&["gcc-avr", "avr-libc", "arduino-core-avr"])),
        _ => return None,
    })
}

/// The running kernel is the machine's and not the box's: the distribution's headers are what a module can be built
/// against.
fn kernel_module() -> Template {
    const KERNEL: &str = "kernel=$(ls -d /usr/src/linux-headers-*-\"$(dpkg --print-architecture)\" /lib/modules/*/build 2>/dev/null | sort -V | tail -n 1)";
    Template::default()
        .here(
            Purpose::Dependencies,
            "the headers of the distribution's kernel",
            "headers=linux-headers-$(dpkg --print-architecture)\nexport DEBIAN_FRONTEND=noninteractive\n\
             apt-get install -y --no-install-recommends \"$headers\" || { apt-get update && { apt-get install -y --no-install-recommends \
             \"$headers\" || apt-get install -y --no-install-recommends linux-headers-generic; }; }",
        )
        .build(format!("{KERNEL}\nmake -k @jobs@ -C \"$kernel\" M=\"$PWD\" V=1 KCFLAGS=-g modules@words@"))
        .install(format!(
            "{KERNEL}\nmake -C \"$kernel\" M=\"$PWD\" INSTALL_MOD_PATH=\"$PREFIX\" DEPMOD=true modules_install"
        ))
}

fn phpize() -> Template {
    Template::default()
        .here(Purpose::Prepare, "makes configure from config.m4", "phpize")
        .here(
            Purpose::Configure,
            "a PHP extension, with debug information",
            "CFLAGS=\"@c@\" CXXFLAGS=\"@cxx@\" ./configure@arguments@",
        )
        .build("make -k @jobs@@words@")
        .install("make -k install INSTALL_ROOT=\"$PREFIX\"")
}

/// Built by nginx's own configure, which the distribution packages for this purpose, with the flags of its nginx.
fn nginx() -> Template {
    Template::default()
        .apart(
            Purpose::Configure,
            "an nginx module, against the distribution's nginx",
            "cp -a /usr/share/nginx/src/. .\n\
             ./configure --with-compat --with-cc-opt=\"@c@\" --add-dynamic-module=\"@folder@\"@arguments@",
        )
        .apart(
            Purpose::Build,
            "the module alone",
            "make -k @jobs@ -f objs/Makefile modules@words@",
        )
        .apart(
            Purpose::Install,
            "the module",
            "mkdir -p \"$PREFIX/lib/nginx/modules\"\ncp objs/*.so \"$PREFIX/lib/nginx/modules/\"",
        )
}

fn lua_version(spec: &str) -> &'static str {
    if spec.contains("< 5.2") || spec.contains("<5.2") || spec.contains("~> 5.1") {
        "5.1"
    } else if spec.contains("< 5.4") || spec.contains("<5.4") {
        "5.3"
    } else {
        "5.4"
    }
}

/// What the rock depends on at run time is not needed to compile it.
fn rock(file: &str, version: &str) -> Template {
    let file = super::shell::word(file);
    Template::default().build(format!(
        "export HOME=\"$OUT\"\nluarocks --lua-version={version} --tree=\"$PREFIX\" make --deps-mode=none --no-doc {file} CFLAGS=\"@c@ -fPIC\" \
         LIBFLAG=\"-shared@libraries@\""
    ))
}

fn r_package() -> Template {
    Template::default().build(
        "printf 'CFLAGS = @c@\\nCXXFLAGS = @cxx@\\nCXX11FLAGS = @cxx@\\nCXX14FLAGS = @cxx@\\nCXX17FLAGS = @cxx@\\nFFLAGS = -g\\n' > \"$OUT/Makevars\"\n\
         mkdir -p \"$PREFIX/lib/R\"\nexport R_MAKEVARS_USER=\"$OUT/Makevars\" MAKEFLAGS=\"-k @jobs@\"\n\
         R CMD INSTALL --no-docs --no-test-load --no-byte-compile --library=\"$PREFIX/lib/R\" .@words@",
    )
}

/// Packages of R that the distribution names by rule; those that come with R itself are left out.
fn r_packages(description: &str) -> Vec<String> {
    const BASE: [&str; 16] = [
        "R",
        "base",
        "methods",
        "stats",
        "utils",
        "graphics",
        "grDevices",
        "parallel",
        "tools",
        "grid",
        "splines",
        "stats4",
        "tcltk",
        "compiler",
        "datasets",
        "nlme",
    ];
    let mut packages = Vec::new();
    for list in R_FIELD.all(description) {
        for word in list.split(',') {
            let name = word
                .split(['(', ' ', '\n', '\t'])
                .find(|part| !part.is_empty())
                .unwrap_or_default();
            let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '.');
            if is_name && !BASE.contains(&name) {
                let package = format!("r-cran-{}", name.to_ascii_lowercase());
                if !packages.contains(&package) {
                    packages.push(package);
                }
            }
        }
    }
    packages
}

fn python(script: bool, needs: Vec<Key>) -> Template {
    const INSTALL: &str = "PIP_BREAK_SYSTEM_PACKAGES=1 CFLAGS=\"@c@\" CXXFLAGS=\"@cxx@\" python3 -m pip install --no-index \
                           --no-build-isolation --no-deps --prefix \"$PREFIX\" .";
    if script {
        Template::needing(needs)
            .build("CFLAGS=\"@c@\" CXXFLAGS=\"@cxx@\" python3 setup.py build --build-base \"$OUT/build\"@words@")
            .install(INSTALL)
    } else {
        Template::needing(needs).build(INSTALL)
    }
}

/// What the build of a Python project imports: its build requirements, and what `setup.py` itself needs.
fn python_needs(tree: &Tree, folder: &str) -> Vec<Key> {
    let mut names: Vec<String> = Vec::new();
    let project = tree.text(&join(folder, "pyproject.toml")).unwrap_or_default();
    for list in REQUIRES.all(&project) {
        names.extend(QUOTED.all(list).into_iter().map(module_of));
    }
    let setup = tree.text(&join(folder, "setup.py")).unwrap_or_default();
    names.extend(IMPORT.all(&setup).into_iter().map(str::to_owned));
    let mut needs = Vec::new();
    for name in names {
        let given = matches!(
            name.as_str(),
            "setuptools"
                | "wheel"
                | "pip"
                | "distutils"
                | "os"
                | "sys"
                | "re"
                | "glob"
                | "subprocess"
                | "platform"
                | "pathlib"
                | "shutil"
                | "io"
                | "codecs"
                | "sysconfig"
                | "warnings"
                | "json"
                | "ctypes"
                | "tempfile"
                | "logging"
                | "typing"
                | "functools"
                | "itertools"
                | "struct"
                | "errno"
                | "ast"
                | "importlib"
                | "contextlib"
                | "multiprocessing"
                | "time"
                | "textwrap"
                | "configparser"
                | "argparse"
                | "runpy"
                | "string"
                | "copy"
                | "collections"
                | "datetime"
                | "inspect"
                | "traceback"
                | "types"
                | "__future__"
                | "builtins"
                | "imp"
                | "unittest"
                | "hashlib"
                | "zipfile"
                | "tarfile"
                | "urllib"
                | "stat"
                | "fnmatch"
                | "operator"
                | "math"
                | "random"
                | "enum"
                | "dataclasses"
                | "locale"
                | "getpass"
        );
        let own = tree.has(&join(folder, &format!("{name}.py"))) || tree.has_folder(&join(folder, &name));
        let key = Key::Python(name);
        if !given && !own && !needs.contains(&key) {
            needs.push(key);
        }
    }
    needs
}

/// The module that a distribution of PyPI is imported as, where the names differ.
fn module_of(name: &str) -> String {
    match name.to_ascii_lowercase().as_str() {
        "cython" => "Cython".to_owned(),
        "meson-python" => "mesonpy".to_owned(),
        "scikit-build" => "skbuild".to_owned(),
        other => other.replace('-', "_"),
    }
}

/// Node's headers are the distribution's, so that none are fetched.
fn node() -> Template {
    Template::default().build(
        "export HOME=\"$OUT\" CFLAGS=\"@c@\" CXXFLAGS=\"@cxx@\" V=1 JOBS=\"$JOBS\"\n\
         node-gyp rebuild --nodedir=/usr@words@",
    )
}

/// The core of the board and the sketch, compiled by the cross compiler as the Arduino programs do it.
fn arduino(sketch: &str) -> Template {
    Template::default().apart(
        Purpose::Build,
        "the sketch with the core of the commonest board",
        format!(
            "hardware=/usr/share/arduino/hardware/arduino/avr\nflags='-g -Os -mmcu=atmega328p -DF_CPU=16000000L -DARDUINO=10819 \
             -DARDUINO_AVR_UNO -DARDUINO_ARCH_AVR -ffunction-sections -fdata-sections'\nincludes=\"-I$hardware/cores/arduino \
             -I$hardware/variants/standard -I@folder@ -I@folder@/src\"\nfor folder in $hardware/libraries/*/src; do includes=\"$includes -I$folder\"; done\n\
             status=0\nmkdir -p core sketch\nfor file in $hardware/cores/arduino/*.c $hardware/cores/arduino/*.cpp $hardware/cores/arduino/*.S \
             $hardware/libraries/*/src/*.cpp $hardware/libraries/*/src/utility/*.c; do\n  [ -f \"$file\" ] || continue\n  case \"$file\" in \
             *.cpp) tool='avr-g++ -std=gnu++11 -fno-exceptions -fpermissive' ;; *.S) tool='avr-gcc -x assembler-with-cpp' ;; *) tool='avr-gcc -std=gnu11' ;; esac\n  \
             $tool $flags $includes -c \"$file\" -o \"core/$(basename \"$file\").o\" || true\ndone\navr-ar rcs core.a core/*.o\n\
             cat \"@folder@/{sketch}\" $(ls @folder@/*.ino @folder@/*.pde 2>/dev/null | grep -v -F '/{sketch}') > sketch.cpp\n\
             # A sketch calls functions before it defines them.\n{{ echo '#include <Arduino.h>'; grep -E '^(static )?(void|int|bool|boolean|byte|char|long|float|double|word|String|unsigned [a-z]+|uint[0-9]+_t|int[0-9]+_t) [A-Za-z_0-9]+ ?\\([^;]*\\) *\\{{? *$' sketch.cpp | grep -v '=' | sed 's/ *{{ *$//; s/$/;/'; \
             }} > prototypes.h\nfor file in sketch.cpp @folder@/*.c @folder@/*.cpp @folder@/src/*.c @folder@/src/*.cpp; do\n  [ -f \"$file\" ] || continue\n  \
             case \"$file\" in sketch.cpp) tool='avr-g++ -std=gnu++11 -fno-exceptions -fpermissive -include Arduino.h' ;; *.cpp) tool='avr-g++ -std=gnu++11 -fno-exceptions -fpermissive' ;; \
             *) tool='avr-gcc -std=gnu11' ;; esac\n  if [ \"$file\" = sketch.cpp ]; then $tool $flags $includes -include prototypes.h -c sketch.cpp -o sketch/sketch.o || \
             $tool $flags $includes -c sketch.cpp -o sketch/sketch.o || status=1\n  else $tool $flags $includes -c \"$file\" -o \"sketch/$(basename \"$file\").o\" || status=1; fi\ndone\n\
             avr-gcc -g -Os -mmcu=atmega328p -Wl,--gc-sections sketch/*.o core.a -lm -o sketch.elf || status=1\nexit \"$status\""
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_compile() {
        assert!(
            [&R_FIELD, &REQUIRES, &QUOTED, &IMPORT]
                .iter()
                .all(|pattern| pattern.compiles())
        );
    }

    #[test]
    fn packages_of_r_are_named_by_rule() {
        let description = "Package: hull\nDepends: R (>= 3.5), methods\nImports: Rcpp (>= 1.0),\n    data.table\nLinkingTo: Rcpp\nSuggests: testthat\n";
        assert_eq!(r_packages(description), ["r-cran-rcpp", "r-cran-data.table"]);
    }
}
