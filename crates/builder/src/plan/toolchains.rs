//! Makefiles for something else than programs of this system: boards, other machines, servers that are extended, trees
//! with a configuration of their own.

use seatrial_packages::Key;

use crate::{
    pattern::Pattern,
    tree::{Tree, join},
};

/// What a makefile assigns to the variables that name a compiler or the start of its name.
static COMPILER: Pattern = Pattern::new(
    r"(?m)^\s*(?:export\s+|override\s+)?(?:\w*(?:CC|CXX|GCC|LD|CPP|COMPILER|PREFIX|CROSS|CROSS_COMPILE|TOOLCHAIN|TRGT|TARGET|TOOLS?))\s*[:?]?=[ \t]*([^\n#]*)",
);
static RULE: Pattern =
    Pattern::new(r"(?m)^\t[ \t@-]*((?:avr|arm-none-eabi|xtensa-lx106-elf|riscv64-unknown-elf)-gcc|sdcc|cl65|cc65)\b");
static PGXS: Pattern = Pattern::new(r"(?m)^\s*(?:PGXS\s*:?=|include\s+\$\(PGXS\))");
static KCONFIG: Pattern = Pattern::new(r"(?m)\b(?:defconfig|oldconfig|olddefconfig|menuconfig)\b");

/// A word of a compiler's name, and the packages of its toolchain.
const TOOLCHAINS: [(&str, &[&str]); 16] = [
    ("avr-", &["gcc-avr", "avr-libc", "binutils-avr"]),
    (
        "arm-none-eabi",
        &[
            "gcc-arm-none-eabi",
            "libnewlib-arm-none-eabi",
            "libstdc++-arm-none-eabi-newlib",
        ],
    ),
    ("xtensa-lx106-elf", &["gcc-xtensa-lx106"]),
    (
        "riscv64-unknown-elf",
        &["gcc-riscv64-unknown-elf", "picolibc-riscv64-unknown-elf"],
    ),
    ("arm-linux-gnueabihf", &["g++-arm-linux-gnueabihf"]),
    ("arm-linux-gnueabi", &["g++-arm-linux-gnueabi"]),
    ("aarch64-linux-gnu", &["g++-aarch64-linux-gnu"]),
    ("riscv64-linux-gnu", &["g++-riscv64-linux-gnu"]),
    ("powerpc-linux-gnu", &["g++-powerpc-linux-gnu"]),
    ("mips-linux-gnu", &["g++-mips-linux-gnu"]),
    ("mipsel-linux-gnu", &["g++-mipsel-linux-gnu"]),
    ("m68k-linux-gnu", &["g++-m68k-linux-gnu"]),
    ("i686-w64-mingw32", &["g++-mingw-w64-i686"]),
    ("x86_64-w64-mingw32", &["g++-mingw-w64-x86-64"]),
    ("sdcc", &["sdcc"]),
    ("cl65", &["cc65"]),
];

/// What a makefile is for beside the usual.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Purpose {
    /// Packages of a cross toolchain.
    pub(crate) packages: Vec<String>,
    /// Names that lead to what it extends.
    pub(crate) needs: Vec<Key>,
    /// Words for every call of Make.
    pub(crate) words: &'static str,
    /// Installs below a folder by this variable and not by a prefix.
    pub(crate) staged: bool,
    /// Commands that make the configuration.
    pub(crate) configure: Option<String>,
    /// In words, for the title; empty for the usual.
    pub(crate) variant: &'static str,
}

pub(super) fn purpose(tree: &Tree, folder: &str, text: &str) -> Purpose {
    if PGXS.is_match(text) {
        return Purpose {
            needs: vec![Key::Path("pgxs.mk".to_owned())],
            // Its bitcode for the server's own compiler is no product.
            words: " USE_PGXS=1 with_llvm=no",
            staged: true,
            variant: "for PostgreSQL",
            ..Purpose::default()
        };
    }
    if let Some(commands) = kconfig(tree, folder, text) {
        let needs = if tree.has_folder(&join(folder, "scripts/kconfig")) {
            vec![Key::Command("flex".to_owned()), Key::Command("bison".to_owned())]
        } else {
            Vec::new()
        };
        return Purpose {
            needs,
            configure: Some(commands),
            variant: "with the default configuration",
            ..Purpose::default()
        };
    }
    let assigned = always(text);
    let named = COMPILER
        .all(&assigned)
        .into_iter()
        .chain(RULE.all(text))
        .find_map(|value| TOOLCHAINS.iter().find(|(word, _)| starts_a_name(value, word)));
    named.map_or_else(Purpose::default, |(_, packages)| Purpose {
        packages: packages.iter().map(|name| (*name).to_owned()).collect(),
        variant: "with a cross compiler",
        ..Purpose::default()
    })
}

/// Whether a word of a value starts like this, maybe behind a folder.
fn starts_a_name(value: &str, word: &str) -> bool {
    value
        .split(|c: char| c.is_whitespace() || matches!(c, '/' | '$' | '(' | ')' | '"' | '='))
        .any(|part| part.starts_with(word))
}

/// The lines outside of Make's conditions.
fn always(text: &str) -> String {
    let mut depth = 0_usize;
    let mut kept = String::new();
    for line in text.lines() {
        let word = line.trim_start();
        if ["ifeq", "ifneq", "ifdef", "ifndef"]
            .iter()
            .any(|start| word.starts_with(start))
        {
            depth += 1;
        } else if word.starts_with("endif") {
            depth = depth.saturating_sub(1);
        } else if depth == 0 {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// Commands for a tree that is configured by `Kconfig`, where it says what its defaults are.
fn kconfig(tree: &Tree, folder: &str, text: &str) -> Option<String> {
    let described = ["Kconfig", "Config.in", "config/Config.in"]
        .iter()
        .any(|name| tree.has(&join(folder, name)));
    if !described || !(KCONFIG.is_match(text) || text.contains(".config")) || tree.has(&join(folder, ".config")) {
        return None;
    }
    let is_default =
        |name: &&str| name.ends_with("defconfig") && crate::detect::is_quotable(name) && !name.contains(' ');
    let configs = join(folder, "configs");
    let mut own: Vec<&str> = tree.names_in(&configs).into_iter().filter(is_default).collect();
    // The plainest name is the one for everybody; then what is for machines like this.
    own.sort_by_key(|name| {
        let here = ["native", "linux", "x86_64", "amd64", "sandbox", "generic", "host"];
        (!here.iter().any(|word| name.contains(word)), name.len(), *name)
    });
    let mut commands = vec!["make defconfig".to_owned()];
    if let Some(name) = own.first() {
        commands.push(format!("make {name}"));
        commands.push(format!("cp \"configs/{name}\" .config"));
    } else if let Some(name) = tree.names_in(folder).into_iter().find(is_default) {
        commands.push(format!("cp {name} .config"));
    }
    commands.push("make alldefconfig".to_owned());
    commands.push("make allnoconfig".to_owned());
    Some(format!(
        "[ -f .config ] || {} \\\n  || {{ yes '' | make oldconfig; }}",
        commands.join(" \\\n  || ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::testing::lay;

    #[test]
    fn patterns_compile() {
        assert!(
            [&COMPILER, &RULE, &PGXS, &KCONFIG]
                .iter()
                .all(|pattern| pattern.compiles())
        );
    }

    #[test]
    fn makefiles_say_what_they_are_for() {
        let folder = lay(&[("main.c", "")]);
        let tree = Tree::scan(folder.path());
        let variant = |text: &str| purpose(&tree, "", text).packages.first().cloned().unwrap_or_default();
        assert_eq!(variant("CC = avr-gcc -mmcu=x\n"), "gcc-avr");
        assert_eq!(
            variant("CROSS_COMPILE ?= /opt/x/bin/arm-none-eabi-\nCC=$(CROSS_COMPILE)gcc\n"),
            "gcc-arm-none-eabi"
        );
        assert_eq!(variant("all:\n\tavr-gcc -c x.c\n"), "gcc-avr");
        assert_eq!(variant("ifdef WIN\nCC = i686-w64-mingw32-gcc\nendif\nCC ?= gcc\n"), "");
        assert_eq!(variant("CC = gcc\n# CC = arm-none-eabi-gcc\n"), "");
    }

    #[test]
    fn a_tree_with_a_configuration_gets_its_default() {
        let folder = lay(&[
            ("Kconfig", ""),
            ("configs/board_defconfig", ""),
            ("configs/linux_defconfig", ""),
        ]);
        let purpose = purpose(&Tree::scan(folder.path()), "", "all:\nmenuconfig:\n");
        assert_eq!(
            purpose.configure.as_deref(),
            Some(
                "[ -f .config ] || make defconfig \\\n  || make linux_defconfig \\\n  || cp \"configs/linux_defconfig\" .config \\\n  || make alldefconfig \\\n  || make allnoconfig \\\n  || { yes '' | make oldconfig; }"
            )
        );
    }
}
