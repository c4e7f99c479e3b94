//! What is in a built package, and for which machine.
//!
//! A label proves nothing: a recipe can pack programs of the machine that it runs on under the name of any other. So each
//! file of each package is looked at.

mod deb;
mod elf;
mod rpm;

use std::{
    collections::BTreeSet,
    fmt,
    io::{self, Read},
    path::Path,
};

pub(crate) use elf::Machine;
use seatrial_core::{Arch, Digest};
use seatrial_sandbox::Sandbox;
use seatrial_store::Blobs;
use serde::{Deserialize, Serialize};

use crate::{State, step::Halt};

/// Bytes that a package may unpack to. No real one comes near; a bomb does.
const MOST_UNPACKED: u64 = 64 << 30;
/// Files for other machines that are named.
const MOST_NAMED: usize = 20;

/// A package that was built.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payload {
    /// Its file's name.
    pub path: String,
    /// The architecture that it is labelled for, as its format writes it: `arm64`, `all`, `noarch`.
    pub label: String,
    /// Kinds of machine that its files are for, `aarch64` for instance; empty when it has no program or library.
    pub machines: BTreeSet<String>,
    /// Files in it.
    pub files: u64,
    /// Files for another machine than the target, each with that machine; at most the first twenty.
    pub foreign: Vec<(String, String)>,
    /// Its size.
    pub size: u64,
    /// Its content, which is kept.
    pub digest: Digest,
}

impl fmt::Display for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} bytes, {} files", self.path, self.size, self.files)?;
        if self.machines.is_empty() {
            f.write_str(", none of them for a machine")
        } else {
            let machines: Vec<_> = self.machines.iter().map(String::as_str).collect();
            write!(f, ", for {}", machines.join(", "))
        }
    }
}

/// Takes the packages in a folder out of a box, keeps them, and looks into each.
pub(crate) fn collect(sandbox: &mut dyn Sandbox, folder: &str, blobs: &Blobs) -> Result<Vec<Payload>, Halt> {
    let (reader, mut writer) = io::pipe()?;
    let mut payloads = std::thread::scope(|scope| {
        let keeping = scope.spawn(move || keep(reader, blobs));
        let read = sandbox.read_tree(folder, &mut writer);
        drop(writer);
        let kept = keeping
            .join()
            .map_err(|_| io::Error::other("taking the packages out of the box broke off"))?;
        // Who stops reading because of what a package holds makes the box complain; who reads from a dead box complains too.
        if matches!(kept, Err(Halt::State { .. })) {
            return kept;
        }
        read?;
        kept
    })?;
    payloads.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(payloads)
}

fn keep(mut reader: io::PipeReader, blobs: &Blobs) -> Result<Vec<Payload>, Halt> {
    let mut payloads = Vec::new();
    let mut archive = tar::Archive::new(&mut reader);
    for entry in archive.entries()? {
        let mut entry = entry?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let path = entry.path()?.to_string_lossy().into_owned();
        let (digest, size) = blobs.put_reader(&mut entry)?;
        payloads.push(look(path, digest, size, blobs)?);
    }
    // The box waits for whoever reads to the end.
    io::copy(&mut reader, &mut io::sink())?;
    Ok(payloads)
}

/// Looks into a package that is kept.
pub(crate) fn look(path: String, digest: Digest, size: u64, blobs: &Blobs) -> Result<Payload, Halt> {
    let content = io::BufReader::new(blobs.open(&digest)?);
    let is_rpm = Path::new(&path).extension().is_some_and(|ending| ending == "rpm");
    let seen = if is_rpm { rpm::look(content) } else { deb::look(content) };
    match seen {
        Ok(contents) => Ok(Payload {
            path,
            label: contents.label,
            machines: BTreeSet::new(),
            files: contents.files,
            foreign: contents.found,
            size,
            digest,
        }),
        Err(error) if error.kind() == io::ErrorKind::Unsupported => Err(Halt::invalid(format!("{path}: {error}"))),
        // A package that cannot be opened is no package.
        Err(error) => Err(Halt::state(State::Failed, format!("{path} cannot be opened: {error}"))),
    }
}

/// What one package holds.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    label: String,
    files: u64,
    /// Files for a machine, each with that machine.
    found: Vec<(String, String)>,
}

impl Contents {
    /// Looks at a file of the package.
    fn look(&mut self, name: &str, content: &mut dyn Read) -> io::Result<()> {
        self.files += 1;
        let name = name.trim_start_matches('.').trim_start_matches('/');
        for machine in elf::machines(content)? {
            self.found.push((format!("/{name}"), machine.to_string()));
        }
        Ok(())
    }
}

/// Whether what was built is for the target: there is something, and nothing of it is for this machine or for another
/// one without saying so.
pub(crate) fn judge(payloads: &mut [Payload], target: Arch) -> Result<(), Halt> {
    if payloads.is_empty() {
        return Err(Halt::state(State::Failed, "the build ended well and made no package"));
    }
    let own = Machine::of(target).to_string();
    let mut wrong = Vec::new();
    for payload in payloads {
        payload.machines = payload.foreign.iter().map(|(_, machine)| machine.clone()).collect();
        payload.foreign.retain(|(_, machine)| *machine != own);
        let is_for_all = matches!(payload.label.as_str(), "all" | "noarch");
        if !is_for_all {
            for (file, machine) in payload
                .foreign
                .iter()
                .filter(|(file, machine)| !is_meant_for(file, machine))
            {
                wrong.push(format!("{}: {file} is for {machine}", payload.path));
            }
        }
        payload.foreign.truncate(MOST_NAMED);
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let count = wrong.len();
    wrong.truncate(MOST_NAMED);
    Err(Halt::state(
        State::Failed,
        format!(
            "{count} files of packages for {target} are for another machine:\n{}",
            wrong.join("\n")
        ),
    ))
}

/// Whether a file's place says that it is for another machine: cross compilers, libraries of a second architecture,
/// firmware, programs of virtual machines.
fn is_meant_for(path: &str, machine: &str) -> bool {
    let names: Vec<&str> = match Machine::arch_of(machine) {
        Some(Arch::X86_64) => vec!["x86_64", "amd64", "x86-64", "lib64", "libx32"],
        Some(Arch::I686) => vec!["i386", "i486", "i586", "i686", "x86", "lib32"],
        Some(Arch::Aarch64) => vec!["aarch64", "arm64"],
        Some(Arch::Armv7l) => vec!["arm", "armhf", "armv7"],
        Some(Arch::Riscv64) => vec!["riscv64", "riscv"],
        Some(Arch::Ppc64le) => vec!["powerpc64le", "ppc64le", "ppc64el", "ppc64", "powerpc64"],
        Some(Arch::S390x) => vec!["s390x", "s390"],
        // For none of the machines that packages are built on or for.
        None => return true,
    };
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let is_firmware = ["firmware", "qemu", "seabios", "grub", "syslinux"].iter().any(|word| {
        folder
            .split('/')
            .any(|part| part == *word || part.starts_with(&format!("{word}-")))
    });
    is_firmware
        || folder.split('/').any(|part| {
            names
                .iter()
                .any(|name| part == *name || part.strip_prefix(name).is_some_and(|rest| rest.starts_with('-')))
        })
}

/// A reader that refuses to yield more than any real package does.
struct Bounded<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Bounded<R> {
    fn new(inner: R) -> Self {
        Self {
            inner,
            left: MOST_UNPACKED,
        }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.left = self
            .left
            .checked_sub(count as u64)
            .ok_or_else(|| io::Error::other("it unpacks to more than any real package"))?;
        Ok(count)
    }
}

/// Opens a stream by the name of its compression: an ending of a file, or a word of a header.
fn decompressed<'a>(how: &str, inner: impl Read + 'a) -> io::Result<Box<dyn Read + 'a>> {
    Ok(match how {
        "" => Box::new(Bounded::new(inner)),
        "gz" | "gzip" => Box::new(Bounded::new(flate2::read::MultiGzDecoder::new(inner))),
        "xz" | "lzma" => Box::new(Bounded::new(liblzma::read::XzDecoder::new_stream(
            inner,
            liblzma::stream::Stream::new_auto_decoder(u64::MAX, 0).map_err(io::Error::other)?,
        ))),
        "bz2" | "bzip2" => Box::new(Bounded::new(bzip2::read::MultiBzDecoder::new(inner))),
        "zst" | "zstd" => Box::new(Bounded::new(zstd::Decoder::new(inner)?)),
        other => {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                format!("it is compressed in a way that is not known here (`{other}`)"),
            ));
        }
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    /// The first bytes of a program.
    pub(super) fn program(arch: Arch) -> Vec<u8> {
        let wide = !matches!(arch, Arch::I686 | Arch::Armv7l);
        let mut bytes = vec![0x7f, b'E', b'L', b'F', if wide { 2 } else { 1 }, 1, 1, 0];
        bytes.resize(16, 0);
        bytes.extend([2, 0]);
        bytes.extend(arch.elf_machine().to_le_bytes());
        bytes.resize(64, 0);
        bytes
    }

    fn tar_of(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (name, content) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_mode(0o755);
            header.set_cksum();
            builder.append_data(&mut header, name, *content).unwrap();
        }
        builder.into_inner().unwrap()
    }

    fn ar_of(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let mut bytes = b"!<arch>\n".to_vec();
        for (name, content) in members {
            writeln!(
                bytes,
                "{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`",
                0,
                0,
                0,
                644,
                content.len()
            )
            .unwrap();
            bytes.extend(content);
            if content.len() % 2 == 1 {
                bytes.push(b'\n');
            }
        }
        bytes
    }

    fn deb_of(arch: &str, compression: &str, files: &[(&str, &[u8])]) -> Vec<u8> {
        let control = format!("Package: x\nArchitecture: {arch}\n");
        let data = tar_of(files);
        let data = match compression {
            ".zst" => zstd::encode_all(data.as_slice(), 1).unwrap(),
            ".gz" => {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                encoder.write_all(&data).unwrap();
                encoder.finish().unwrap()
            }
            ".xz" => {
                let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
                encoder.write_all(&data).unwrap();
                encoder.finish().unwrap()
            }
            _ => data,
        };
        ar_of(&[
            ("debian-binary", b"2.0\n".to_vec()),
            ("control.tar", tar_of(&[("./control", control.as_bytes())])),
            (&format!("data.tar{compression}"), data),
        ])
    }

    /// What is said of a package for 64-bit ARM.
    fn check(arch: &str, files: &[(&str, &[u8])], wrong: Option<&str>) {
        for compression in ["", ".gz", ".xz", ".zst"] {
            let deb = deb_of(arch, compression, files);
            let contents = deb::look(deb.as_slice()).unwrap();
            assert_eq!((contents.label.as_str(), contents.files), (arch, files.len() as u64));
            let mut payloads = [Payload {
                path: "x.deb".to_owned(),
                label: contents.label,
                machines: BTreeSet::new(),
                files: contents.files,
                foreign: contents.found,
                size: 0,
                digest: Digest::of(b""),
            }];
            match (judge(&mut payloads, Arch::Aarch64), wrong) {
                (Ok(()), None) => {}
                (Err(Halt::State { state, details, .. }), Some(wrong)) => {
                    assert_eq!(state, State::Failed);
                    assert!(details.contains(wrong), "{details}");
                }
                (result, _) => panic!("{files:?}: {}", result.is_ok()),
            }
        }
    }

    #[test]
    fn a_program_of_the_host_under_another_label_is_named() {
        let (own, host) = (program(Arch::Aarch64), program(Arch::X86_64));
        let library = ar_of(&[("/", b"index".to_vec()), ("a.o/", own.clone()), ("b.o/", host.clone())]);
        check(
            "arm64",
            &[("./usr/bin/x", &own), ("./usr/share/x/readme", b"text")],
            None,
        );
        check(
            "arm64",
            &[("./usr/bin/x", &own), ("./usr/bin/y", &host)],
            Some("/usr/bin/y is for x86_64"),
        );
        check(
            "arm64",
            &[("./usr/lib/libx.a", &library)],
            Some("/usr/lib/libx.a is for x86_64"),
        );
        // Where the place says so, and where the label promises nothing.
        check("arm64", &[("./usr/lib/x86_64-linux-gnu/x.o", &host)], None);
        check("arm64", &[("./usr/share/qemu/x.elf", &host)], None);
        check("all", &[("./usr/lib/x/tests/prog", &host)], None);
        // Shorter than any program.
        check("arm64", &[("./usr/bin/e", b"\x7fELF"), ("./empty", b"")], None);
    }

    #[test]
    fn no_package_at_all_is_a_failure() {
        assert!(judge(&mut [], Arch::X86_64).is_err());
        deb::look(&b"no archive"[..]).unwrap_err();
        deb::look(ar_of(&[("debian-binary", b"2.0\n".to_vec())]).as_slice()).unwrap_err();
        rpm::look(&b"no package"[..]).unwrap_err();
    }
}
