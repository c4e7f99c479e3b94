//! Architectures and distributions.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A processor architecture, named as the Linux kernel names it (`uname -m`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Arch {
    #[serde(rename = "x86_64")]
    X86_64,
    Aarch64,
    Riscv64,
    Ppc64le,
    S390x,
    I686,
    Armv7l,
}

/// The text names no platform.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` names no known platform (expected for instance `debian:bookworm` or an architecture such as `x86_64`)")]
pub struct PlatformError(String);

impl Arch {
    /// All that there are.
    pub const ALL: [Self; 7] = [
        Self::X86_64,
        Self::Aarch64,
        Self::Riscv64,
        Self::Ppc64le,
        Self::S390x,
        Self::I686,
        Self::Armv7l,
    ];

    /// The architecture this program was compiled for.
    pub fn host() -> Self {
        std::env::consts::ARCH.parse().unwrap_or(Self::X86_64)
    }

    /// The kernel's name, as `uname -m` prints it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::X86_64 => "x86_64",
            Self::Aarch64 => "aarch64",
            Self::Riscv64 => "riscv64",
            Self::Ppc64le => "ppc64le",
            Self::S390x => "s390x",
            Self::I686 => "i686",
            Self::Armv7l => "armv7l",
        }
    }

    /// Debian's name (`dpkg --print-architecture`).
    pub fn debian(self) -> &'static str {
        match self {
            Self::X86_64 => "amd64",
            Self::Aarch64 => "arm64",
            Self::Riscv64 => "riscv64",
            Self::Ppc64le => "ppc64el",
            Self::S390x => "s390x",
            Self::I686 => "i386",
            Self::Armv7l => "armhf",
        }
    }

    /// The multiarch triplet of Debian's library folders.
    pub fn triplet(self) -> &'static str {
        match self {
            Self::X86_64 => "x86_64-linux-gnu",
            Self::Aarch64 => "aarch64-linux-gnu",
            Self::Riscv64 => "riscv64-linux-gnu",
            Self::Ppc64le => "powerpc64le-linux-gnu",
            Self::S390x => "s390x-linux-gnu",
            Self::I686 => "i386-linux-gnu",
            Self::Armv7l => "arm-linux-gnueabihf",
        }
    }

    /// `e_machine` of this architecture's ELF files (ELF gABI, chapter 4).
    pub fn elf_machine(self) -> u16 {
        match self {
            Self::X86_64 => 62,
            Self::Aarch64 => 183,
            Self::Riscv64 => 243,
            Self::Ppc64le => 21,
            Self::S390x => 22,
            Self::I686 => 3,
            Self::Armv7l => 40,
        }
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Arch {
    type Err = PlatformError;

    fn from_str(text: &str) -> Result<Self, PlatformError> {
        Self::ALL
            .into_iter()
            .find(|arch| arch.as_str() == text || arch.debian() == text)
            .ok_or_else(|| PlatformError(text.to_owned()))
    }
}

/// What a box looks like: a distribution's release on an architecture.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Platform {
    /// The distribution, such as `debian`.
    pub distribution: String,
    /// Its release's code name, such as `bookworm`.
    pub release: String,
    /// The architecture.
    pub arch: Arch,
}

impl Platform {
    /// Debian 12 on this machine's architecture.
    pub fn default_host() -> Self {
        Self {
            distribution: "debian".to_owned(),
            release: "bookworm".to_owned(),
            arch: Arch::host(),
        }
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}/{}", self.distribution, self.release, self.arch)
    }
}

/// Reads `debian:bookworm` or `debian:bookworm/aarch64`; the architecture defaults to the host's.
impl FromStr for Platform {
    type Err = PlatformError;

    fn from_str(text: &str) -> Result<Self, PlatformError> {
        let bad = || PlatformError(text.to_owned());
        let (system, arch) = match text.split_once('/') {
            Some((system, arch)) => (system, arch.parse()?),
            None => (text, Arch::host()),
        };
        let (distribution, release) = system.split_once(':').ok_or_else(bad)?;
        let good =
            |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '.');
        if good(distribution) && good(release) && !release.starts_with(['.', '-']) {
            Ok(Self {
                distribution: distribution.to_owned(),
                release: release.to_owned(),
                arch,
            })
        } else {
            Err(bad())
        }
    }
}
