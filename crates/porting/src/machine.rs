//! How architectures are called, and whose a compiler's flag is.

use seatrial_core::Arch;

/// The two of Intel's family.
pub(crate) const X86: &[Arch] = &[Arch::X86_64, Arch::I686];

/// The two of Arm's.
pub(crate) const ARM: &[Arch] = &[Arch::Aarch64, Arch::Armv7l];

pub(crate) fn is_x86(arch: Arch) -> bool {
    X86.contains(&arch)
}

pub(crate) fn is_little_endian(arch: Arch) -> bool {
    arch != Arch::S390x
}

pub(crate) fn is_64_bits(arch: Arch) -> bool {
    !matches!(arch, Arch::I686 | Arch::Armv7l)
}

/// Names that build files and sources use, the kernel's first.
pub(crate) fn names(arch: Arch) -> &'static [&'static str] {
    match arch {
        Arch::X86_64 => &["x86_64", "amd64", "x86-64", "AMD64", "x64"],
        Arch::I686 => &["i686", "i386", "i586", "i486", "ix86", "x86"],
        Arch::Aarch64 => &["aarch64", "arm64", "ARM64", "armv8"],
        Arch::Armv7l => &["armv7l", "armhf", "arm", "armv7"],
        Arch::Ppc64le => &["ppc64le", "ppc64el", "powerpc64le"],
        Arch::Riscv64 => &["riscv64"],
        Arch::S390x => &["s390x"],
    }
}

/// What a C compiler for it says of itself, as a condition.
pub(crate) fn c_condition(arch: Arch) -> &'static str {
    match arch {
        Arch::X86_64 => "defined(__x86_64__)",
        Arch::I686 => "defined(__i386__)",
        Arch::Aarch64 => "defined(__aarch64__)",
        Arch::Armv7l => "defined(__arm__)",
        Arch::Ppc64le => "(defined(__powerpc64__) && defined(__LITTLE_ENDIAN__))",
        Arch::Riscv64 => "(defined(__riscv) && __riscv_xlen == 64)",
        Arch::S390x => "defined(__s390x__)",
    }
}

/// The condition of several.
pub(crate) fn c_conditions(arches: &[Arch]) -> String {
    joined(arches, " || ", |arch| c_condition(arch).to_owned())
}

fn joined(arches: &[Arch], with: &str, name: impl Fn(Arch) -> String) -> String {
    let names: Vec<String> = arches.iter().map(|arch| name(*arch)).collect();
    names.join(with)
}

/// Debian's names, for `$(filter ...)`.
pub(crate) fn debian(arches: &[Arch]) -> String {
    joined(arches, " ", |arch| arch.debian().to_owned())
}

/// RPM's names, for `%ifarch`.
pub(crate) fn rpm(arches: &[Arch]) -> String {
    joined(arches, " ", |arch| {
        match arch {
            Arch::I686 => "%{ix86}",
            Arch::Armv7l => "%{arm}",
            other => other.as_str(),
        }
        .to_owned()
    })
}

/// What `cc -dumpmachine` begins with, for make's `$(filter ...)`.
pub(crate) fn make_patterns(arches: &[Arch]) -> String {
    joined(arches, " ", |arch| {
        match arch {
            Arch::I686 => "i386-% i486-% i586-% i686-%",
            Arch::Armv7l => "arm-%",
            Arch::Ppc64le => "powerpc64le-% ppc64le-%",
            Arch::X86_64 => "x86_64-%",
            Arch::Aarch64 => "aarch64-%",
            Arch::Riscv64 => "riscv64-%",
            Arch::S390x => "s390x-%",
        }
        .to_owned()
    })
}

/// The same for a shell's `case`.
pub(crate) fn shell_patterns(arches: &[Arch]) -> String {
    make_patterns(arches)
        .replace("i386-% i486-% i586-% i686-%", "i?86-*")
        .replace('%', "*")
        .replace(' ', "|")
}

/// A regular expression of CMake's for `CMAKE_SYSTEM_PROCESSOR`.
pub(crate) fn cmake_pattern(arches: &[Arch]) -> String {
    let names = joined(arches, "|", |arch| {
        match arch {
            Arch::X86_64 => "x86_64|amd64|AMD64",
            Arch::I686 => "i[3-6]86",
            Arch::Aarch64 => "aarch64|arm64",
            Arch::Armv7l => "armv[67].*",
            Arch::Ppc64le => "ppc64le",
            Arch::Riscv64 => "riscv64",
            Arch::S390x => "s390x",
        }
        .to_owned()
    });
    format!("^({names})$")
}

/// Meson's families of processors, as a list of its language.
pub(crate) fn meson_families(arches: &[Arch]) -> String {
    joined(arches, ", ", |arch| {
        match arch {
            Arch::I686 => "'x86'",
            Arch::X86_64 => "'x86_64'",
            Arch::Aarch64 => "'aarch64'",
            Arch::Armv7l => "'arm'",
            Arch::Ppc64le => "'ppc64'",
            Arch::Riscv64 => "'riscv64'",
            Arch::S390x => "'s390x'",
        }
        .to_owned()
    })
}

/// What `platform.machine()` says, as a list of Python's.
pub(crate) fn python_machines(arches: &[Arch]) -> String {
    joined(arches, ", ", |arch| match arch {
        Arch::I686 => "\"i386\", \"i586\", \"i686\"".to_owned(),
        Arch::X86_64 => "\"x86_64\", \"AMD64\"".to_owned(),
        other => format!("\"{other}\""),
    })
}

/// Beginnings of flags of Intel's family.
const X86_FLAGS: &[&str] = &[
    "-msse",
    "-mssse",
    "-mavx",
    "-mmmx",
    "-mno-mmx",
    "-mno-sse",
    "-m3dnow",
    "-mfma",
    "-mf16c",
    "-mbmi",
    "-maes",
    "-mpclmul",
    "-mpopcnt",
    "-mlzcnt",
    "-mcx16",
    "-mfpmath=",
    "-mno-red-zone",
    "-mstackrealign",
    "-malign-double",
    "-mrdrnd",
    "-msha",
    "-mpreferred-stack-boundary",
    "-maccumulate-outgoing-args",
    "-mcmodel=medium",
    "-mregparm",
    "-mtls-direct-seg-refs",
    "-mno-tls-direct-seg-refs",
    "-momit-leaf-frame-pointer",
    "-masm=",
    "-mabm",
    "-madx",
    "-mmovbe",
    "-mxsave",
];

/// The architectures that know a flag, as far as its name says; none when it is no flag of a machine.
pub(crate) fn owners(flag: &str, works_on: Option<Arch>) -> Option<&'static [Arch]> {
    if let Some((name, value)) = flag.split_once('=')
        && matches!(name, "-march" | "-mcpu" | "-mtune")
    {
        let begins = |words: &[&str]| words.iter().any(|word| value.starts_with(word));
        return Some(match value {
            "native" => return None,
            _ if begins(&["x86-64"]) => &[Arch::X86_64],
            _ if begins(&[
                "armv7",
                "armv6",
                "armv5",
                "cortex-a7",
                "cortex-a8",
                "cortex-a9",
                "cortex-a15",
                "arm11",
            ]) =>
            {
                &[Arch::Armv7l]
            }
            _ if begins(&["armv8", "armv9", "cortex-", "neoverse", "apple-"]) => &[Arch::Aarch64],
            _ if begins(&["power", "ppc"]) => &[Arch::Ppc64le],
            _ if begins(&["rv64"]) => &[Arch::Riscv64],
            _ if begins(&["z1", "z9", "arch1"]) => &[Arch::S390x],
            _ => X86,
        });
    }
    Some(match flag {
        "-m64" => &[Arch::X86_64],
        "-m32" | "-m16" | "-mx32" if works_on == Some(Arch::X86_64) => X86,
        "-m32" | "-m16" | "-mx32" => &[Arch::I686],
        _ if X86_FLAGS.iter().any(|beginning| flag.starts_with(beginning)) => X86,
        _ if ["-mfpu=", "-mfloat-abi=", "-mthumb", "-marm", "-mneon"]
            .iter()
            .any(|word| flag.starts_with(word)) =>
        {
            &[Arch::Armv7l]
        }
        _ if [
            "-moutline-atomics",
            "-mno-outline-atomics",
            "-mbranch-protection",
            "-mfix-cortex",
        ]
        .iter()
        .any(|word| flag.starts_with(word)) =>
        {
            &[Arch::Aarch64]
        }
        _ if ["-maltivec", "-mvsx", "-mpower", "-misel"]
            .iter()
            .any(|word| flag.starts_with(word)) =>
        {
            &[Arch::Ppc64le]
        }
        _ if flag.starts_with("-m") => match works_on {
            Some(arch) if is_x86(arch) => X86,
            Some(Arch::Aarch64) => &[Arch::Aarch64],
            Some(Arch::Armv7l) => &[Arch::Armv7l],
            Some(Arch::Ppc64le) => &[Arch::Ppc64le],
            Some(Arch::Riscv64) => &[Arch::Riscv64],
            Some(Arch::S390x) => &[Arch::S390x],
            _ => return None,
        },
        _ => return None,
    })
}
