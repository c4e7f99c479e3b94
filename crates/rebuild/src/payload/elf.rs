//! For which machine a file is: programs, libraries and object files, and those in static libraries.

use std::{
    collections::BTreeSet,
    fmt,
    io::{self, Read},
};

use seatrial_core::Arch;

use super::deb::members;

/// A kind of machine, as the start of an ELF file names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Machine {
    number: u16,
    wide: bool,
    big: bool,
}

const ALL: [Arch; 7] = [
    Arch::X86_64,
    Arch::Aarch64,
    Arch::Riscv64,
    Arch::Ppc64le,
    Arch::S390x,
    Arch::I686,
    Arch::Armv7l,
];

impl Machine {
    /// That of an architecture.
    pub(crate) fn of(arch: Arch) -> Self {
        Self {
            number: arch.elf_machine(),
            wide: !matches!(arch, Arch::I686 | Arch::Armv7l),
            big: arch == Arch::S390x,
        }
    }

    /// The architecture that a machine's name means.
    pub(crate) fn arch_of(name: &str) -> Option<Arch> {
        ALL.into_iter().find(|arch| arch.as_str() == name)
    }

    /// Reads the first 20 bytes of a file.
    fn read(start: &[u8]) -> Option<Self> {
        if !start.starts_with(b"\x7fELF") {
            return None;
        }
        let (class, order) = (*start.get(4)?, *start.get(5)?);
        let number = [*start.get(18)?, *start.get(19)?];
        let big = order == 2;
        Some(Self {
            number: if big {
                u16::from_be_bytes(number)
            } else {
                u16::from_le_bytes(number)
            },
            wide: class == 2,
            big,
        })
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match ALL.into_iter().find(|arch| Self::of(*arch) == *self) {
            Some(arch) => f.write_str(arch.as_str()),
            None => write!(
                f,
                "machine {} ({} bits, {} endian)",
                self.number,
                if self.wide { 64 } else { 32 },
                if self.big { "big" } else { "little" }
            ),
        }
    }
}

/// The machines that a file is for.
pub(super) fn machines(content: &mut dyn Read) -> io::Result<BTreeSet<Machine>> {
    let start = start(content)?;
    if let Some(machine) = Machine::read(&start) {
        return Ok(BTreeSet::from([machine]));
    }
    let mut found = BTreeSet::new();
    if start.starts_with(b"!<arch>\n") {
        let mut whole = start.as_slice().chain(content);
        // A damaged library says nothing of a machine, and packages are not judged by it.
        drop(members(&mut whole, &mut |_, member| {
            found.extend(Machine::read(&self::start(member)?));
            Ok(())
        }));
    }
    Ok(found)
}

fn start(content: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut start = Vec::with_capacity(20);
    content.take(20).read_to_end(&mut start)?;
    Ok(start)
}
