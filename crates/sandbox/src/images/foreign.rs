//! Programs of other architectures: which interpreter runs them, and how the kernel is told.
//!
//! Since Linux 6.7 each user namespace has a table of interpreters of its own, so a box brings its own entry and nothing
//! of the host changes. Older kernels have one table for all; there the host's entry is used when it has the flag `F`.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io,
    os::{
        fd::AsFd,
        unix::fs::{FileExt, PermissionsExt},
    },
    path::{Path, PathBuf},
};

use fs_err as fs;
use seatrial_core::Arch;
use seatrial_store::Home;

use crate::{
    Finding, FindingOk, SandboxError,
    native::{Helper, IdMap, Reply, Request, ToolRequest, give, io_error, open_folder, open_to_boxes},
};

/// Where interpreters are looked for.
const FOLDERS: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];
/// The host's table.
const TABLE: &str = "/proc/sys/fs/binfmt_misc";
/// All architectures that boxes can have.
pub(crate) const ALL: [Arch; 7] = [
    Arch::X86_64,
    Arch::Aarch64,
    Arch::Riscv64,
    Arch::Ppc64le,
    Arch::S390x,
    Arch::I686,
    Arch::Armv7l,
];

/// The emulator's name for an architecture.
fn emulated(arch: Arch) -> &'static str {
    match arch {
        Arch::X86_64 => "x86_64",
        Arch::Aarch64 => "aarch64",
        Arch::Riscv64 => "riscv64",
        Arch::Ppc64le => "ppc64le",
        Arch::S390x => "s390x",
        Arch::I686 => "i386",
        Arch::Armv7l => "arm",
    }
}

/// Whether this machine's processor runs an architecture's programs by itself.
pub fn is_native(arch: Arch) -> bool {
    arch == Arch::host() || (arch == Arch::I686 && Arch::host() == Arch::X86_64)
}

/// The start of an ELF program: class, byte order and machine.
fn header(arch: Arch) -> [u8; 20] {
    let wide = !matches!(arch, Arch::I686 | Arch::Armv7l);
    let big = arch == Arch::S390x;
    let mut header = [0; 20];
    let pair = |number: u16| {
        if big {
            number.to_be_bytes()
        } else {
            number.to_le_bytes()
        }
    };
    let start = [
        0x7f,
        b'E',
        b'L',
        b'F',
        if wide { 2 } else { 1 },
        if big { 2 } else { 1 },
        1,
    ];
    let (kind, machine) = (pair(2), pair(arch.elf_machine()));
    let bytes = start.into_iter().chain([0; 9]).chain(kind).chain(machine);
    for (place, byte) in header.iter_mut().zip(bytes) {
        *place = byte;
    }
    header
}

/// The line that registers an interpreter.
fn registration(arch: Arch, interpreter: &Path) -> String {
    let magic = header(arch);
    // Any operating system's mark, and programs that may be loaded anywhere (type 3) as well as others (type 2).
    let mut mask = [0xff; 20];
    let kind = if arch == Arch::S390x { 17 } else { 16 };
    for (place, value) in [(7, 0x00), (kind, 0xfe)] {
        if let Some(byte) = mask.get_mut(place) {
            *byte = value;
        }
    }
    let escaped = |bytes: &[u8]| {
        bytes.iter().fold(String::new(), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\x{byte:02x}");
            text
        })
    };
    format!(
        ":qemu-{}:M::{}:{}:{}:F",
        emulated(arch),
        escaped(&magic),
        escaped(&mask),
        interpreter.display()
    )
}

/// The architecture of an ELF program, by its first bytes.
pub(super) fn arch_of(start: &[u8]) -> Option<Arch> {
    ALL.into_iter().find(|arch| {
        let header = header(*arch);
        start.get(..6) == header.get(..6) && start.get(18..20) == header.get(18..20)
    })
}

/// The interpreter of an architecture on this machine: it must be static, because in a box it has no libraries.
fn interpreter(arch: Arch) -> Result<PathBuf, SandboxError> {
    let name = emulated(arch);
    for folder in FOLDERS {
        for program in [format!("qemu-{name}-static"), format!("qemu-{name}")] {
            let path = Path::new(folder).join(program);
            if is_static(&path).unwrap_or(false) {
                return Ok(path);
            }
        }
    }
    Err(SandboxError::NoProgram {
        program: format!("qemu-{name}-static"),
        install: "apt-get install qemu-user-static".to_owned(),
    })
}

/// What runs an architecture's programs on this machine: the emulator's name and version. `None` where the processor
/// does.
pub fn emulator(arch: Arch) -> Result<Option<String>, SandboxError> {
    if is_native(arch) {
        return Ok(None);
    }
    let program = interpreter(arch)?;
    let said = std::process::Command::new(&program).arg("--version").output();
    let text = said.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let text = text.unwrap_or_default();
    // `qemu-aarch64 version 7.2.22 (Debian ...)`
    let version = text.split_whitespace().nth(2).unwrap_or("of unknown version");
    Ok(Some(format!("qemu-{} {version}", emulated(arch))))
}

/// Whether a 64-bit program needs no loader.
fn is_static(path: &Path) -> io::Result<bool> {
    const LOADER: u32 = 3;
    let file = std::fs::File::open(path)?;
    let mut head = [0; 64];
    file.read_exact_at(&mut head, 0)?;
    let number = |from: usize, bytes: usize| {
        let part = head.get(from..from + bytes).unwrap_or_default();
        part.iter().rev().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte))
    };
    let (table, size, count) = (number(32, 8), number(54, 2), number(56, 2));
    for entry in 0..count {
        let mut kind = [0; 4];
        file.read_exact_at(&mut kind, table + entry * size)?;
        if u32::from_ne_bytes(kind) == LOADER {
            return Ok(false);
        }
    }
    Ok(head.starts_with(b"\x7fELF"))
}

/// Lines that make the kernel run an architecture's programs in a namespace; none when nothing is needed.
pub(crate) fn registrations(arch: Arch) -> Result<Vec<String>, SandboxError> {
    if is_native(arch) {
        return Ok(Vec::new());
    }
    if has_own_tables() {
        return Ok(vec![registration(arch, &interpreter(arch)?)]);
    }
    if host_has(arch) {
        return Ok(Vec::new());
    }
    Err(SandboxError::Kernel {
        what: format!("programs of {arch} need an interpreter that the host has registered"),
        source: io::Error::from(io::ErrorKind::Unsupported),
        hint: "run `apt-get install qemu-user-static binfmt-support`, or use Linux 6.7 or newer, where nothing on the host \
               is needed but the first of the two"
            .to_owned(),
    })
}

/// Whether each user namespace has a table of its own.
fn has_own_tables() -> bool {
    let release = rustix::system::uname().release().to_string_lossy().into_owned();
    let mut numbers = release
        .split(|c: char| !c.is_ascii_digit())
        .map(|part| part.parse::<u32>().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= (6, 7)
}

/// Whether the host's table has an entry that works in other root file systems too.
fn host_has(arch: Arch) -> bool {
    let text = fs::read_to_string(format!("{TABLE}/qemu-{}", emulated(arch))).unwrap_or_default();
    text.starts_with("enabled")
        && text
            .lines()
            .any(|line| line.strip_prefix("flags:").is_some_and(|flags| flags.contains('F')))
}

/// The exit code of [`probe_program`].
const PROBED: i32 = 42;

/// The smallest program of an architecture: it exits with [`PROBED`].
fn probe_program(arch: Arch) -> Option<Vec<u8>> {
    // exit(42), by each architecture's own call convention.
    let code: &[u32] = match arch {
        Arch::Aarch64 => &[0xd280_0ba8, 0xd280_0540, 0xd400_0001],
        Arch::Riscv64 => &[0x05d0_0893, 0x02a0_0513, 0x0000_0073],
        Arch::Ppc64le => &[0x3800_0001, 0x3860_002a, 0x4400_0002],
        Arch::Armv7l => &[0xe3a0_7001, 0xe3a0_002a, 0xef00_0000],
        Arch::X86_64 | Arch::I686 | Arch::S390x => return None,
    };
    let wide = arch != Arch::Armv7l;
    let base = 0x10000_u64;
    let (head, entry) = if wide { (64, 56) } else { (52, 32) };
    let start = head + entry;
    let size = start + code.len() as u64 * 4;
    let mut bytes = header(arch).to_vec();
    let put = |bytes: &mut Vec<u8>, number: u64, long: bool| {
        if long {
            bytes.extend(number.to_le_bytes());
        } else {
            bytes.extend((number as u32).to_le_bytes());
        }
    };
    put(&mut bytes, 1, false);
    put(&mut bytes, base + start, wide);
    put(&mut bytes, head, wide);
    put(&mut bytes, 0, wide);
    // Second version of the 64-bit PowerPC convention; fifth of 32-bit ARM's.
    let flags = match arch {
        Arch::Ppc64le => 2,
        Arch::Armv7l => 0x0500_0000,
        _ => 0,
    };
    put(&mut bytes, flags, false);
    for number in [head as u16, entry as u16, 1, 0, 0, 0] {
        bytes.extend(number.to_le_bytes());
    }
    put(&mut bytes, 1, false);
    if wide {
        put(&mut bytes, 5, false);
    }
    for number in [0, base, base, size, size] {
        put(&mut bytes, number, wide);
    }
    if !wide {
        put(&mut bytes, 5, false);
    }
    put(&mut bytes, 0x1000, wide);
    for word in code {
        bytes.extend(word.to_le_bytes());
    }
    Some(bytes)
}

/// Runs the smallest program of an architecture in a namespace of its own; `None` when there is no such program to try.
pub(crate) fn try_arch(helper: &Path, ids: &IdMap, room: &Path, arch: Arch) -> Result<Option<()>, SandboxError> {
    let Some(program) = probe_program(arch) else {
        return Ok(None);
    };
    let foreign = registrations(arch)?;
    let folder = tempfile::tempdir_in(room).map_err(io_error("a folder for a trial"))?;
    open_to_boxes(folder.path())?;
    give(folder.path(), ids)?;
    let path = folder.path().join("probe");
    fs::write(&path, program).map_err(io_error("a program for a trial"))?;
    fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).map_err(io_error("a program for a trial"))?;
    let place = "/mnt".to_owned();
    let request = ToolRequest {
        argv: vec!["probe".to_owned()],
        env: BTreeMap::from([("PATH".to_owned(), place.clone())]),
        foreign,
        place,
    };
    let null = fs::File::create("/dev/null").map_err(io_error("/dev/null"))?;
    let opened = open_folder(folder.path())?;
    let mut helper = Helper::start(helper, ids)?;
    helper.send(&Request::Tool(request), &[opened.as_fd(), null.as_fd(), null.as_fd()])?;
    match helper.receive()? {
        Reply::Ended(ended) if ended.code == Some(PROBED) => Ok(Some(())),
        Reply::Ended(ended) => Err(SandboxError::Died(format!(
            "the smallest program of {arch} ended with {:?} or signal {:?} instead of {PROBED}",
            ended.code, ended.signal
        ))),
        reply => Err(helper.refused("running a program of another architecture", reply)),
    }
}

/// What `seatrial doctor` says of other architectures: each was tried with the smallest of its programs.
pub(crate) fn finding(home: &Home, helper: &Path) -> Finding {
    let (mut works, mut problem) = (Vec::new(), None);
    let room = IdMap::of_this_user().and_then(|ids| {
        let room = home.cache("doctor")?;
        open_to_boxes(&room)?;
        Ok((ids, room))
    });
    let tried = room.map(|(ids, room)| {
        for arch in ALL {
            match try_arch(helper, &ids, &room, arch) {
                Ok(Some(())) => works.push(arch.as_str()),
                Ok(None) => {}
                Err(error) => problem = Some(error),
            }
        }
    });
    let problem = tried.err().or(problem);
    let remedy = match &problem {
        None => String::new(),
        Some(SandboxError::NoProgram { install, .. }) => format!("run `{install}`"),
        Some(SandboxError::Kernel { hint, .. }) => hint.clone(),
        Some(_) => "run `apt-get install qemu-user-static`; nothing else of the host is needed".to_owned(),
    };
    let detail = match (works.is_empty(), &problem) {
        (false, _) => format!("programs of {} ran", works.join(", ")),
        (true, Some(problem)) => problem.to_string().replace('\n', ";"),
        (true, None) => "none could be tried".to_owned(),
    };
    Finding {
        name: "other architectures".to_owned(),
        ok: if problem.is_none() {
            FindingOk::Yes
        } else {
            FindingOk::Partly
        },
        how: "the smallest program of each was run in a namespace of its own".to_owned(),
        detail,
        remedy,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registration_names_the_start_of_a_program_and_its_interpreter() {
        let line = registration(Arch::Aarch64, Path::new("/usr/bin/qemu-aarch64-static"));
        assert_eq!(
            line,
            ":qemu-aarch64:M::\\x7f\\x45\\x4c\\x46\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xb7\\x00:\
             \\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff:\
             /usr/bin/qemu-aarch64-static:F"
        );
        for arch in ALL {
            assert_eq!(arch_of(&header(arch)), Some(arch));
        }
        assert_eq!(arch_of(b"#!/bin/sh\n"), None);
    }
}
