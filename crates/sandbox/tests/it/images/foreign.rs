//! Programs of other architectures.

use seatrial_core::{Arch, Platform};
use seatrial_sandbox::{
    BoxSpec, ImageRequest, ImageStore, Limits, Network, SandboxError, SandboxFactory, Status, doctor,
};

use super::support::{Entry, Own, tar};
use crate::support::{factory, helper, home, run, script};

/// A program of 64-bit ARM or RISC-V that exits with 42.
fn program(arch: Arch) -> Vec<u8> {
    let code: [u32; 3] = match arch {
        Arch::Aarch64 => [0xd280_0ba8, 0xd280_0540, 0xd400_0001],
        _ => [0x05d0_0893, 0x02a0_0513, 0x0000_0073],
    };
    let mut bytes = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0];
    bytes.extend(arch.elf_machine().to_le_bytes());
    bytes.extend(1_u32.to_le_bytes());
    for number in [0x10078_u64, 64, 0] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(0_u32.to_le_bytes());
    for number in [64_u16, 56, 1, 0, 0, 0] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend([1, 0, 0, 0, 5, 0, 0, 0]);
    for number in [0_u64, 0x10000, 0x10000, 132, 132, 0x1000] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(code.iter().flat_map(|word| word.to_le_bytes()));
    bytes
}

#[expect(clippy::print_stdout, reason = "a skipped test says so")]
fn lacks(error: &SandboxError) -> bool {
    let lacking = matches!(error, SandboxError::NoProgram { .. } | SandboxError::Kernel { .. });
    if lacking {
        println!("skipped: {error}");
    }
    lacking
}

#[test]
fn programs_of_another_architecture_run_in_a_box_and_nothing_of_the_host_changes() {
    let table = || std::fs::read_dir("/proc/sys/fs/binfmt_misc").map_or(0, Iterator::count);
    let before = table();
    for arch in [Arch::Aarch64, Arch::Riscv64] {
        if arch == Arch::host() {
            continue;
        }
        let own = Own::new();
        let archive = own.folder.path().join("tiny.tar");
        std::fs::write(&archive, tar(&[("bin/sh", Entry::File(&program(arch), 0o755))])).unwrap();
        let image = own.images.import(&archive).unwrap();
        assert_eq!(image.platform.arch, arch, "the program says so");
        let spec = BoxSpec {
            image: image.id,
            limits: Limits::default(),
            network: Network::Off,
        };
        let mut sandbox = match own.factory().start(&spec) {
            Ok(sandbox) => sandbox,
            Err(error) => {
                assert!(lacks(&error), "{error}");
                return;
            }
        };
        let mut command = seatrial_sandbox::Command::bash("");
        command.argv = vec!["sh".to_owned()];
        let (execution, output) = run(&mut *sandbox, &command);
        assert_eq!(execution.status, Status::Exited(42), "{arch}: {}", output.err());
        assert_eq!(table(), before, "the host's table of interpreters");
    }
}

#[test]
fn an_image_of_another_architecture_is_built_and_its_programs_run() {
    let arch = if Arch::host() == Arch::Aarch64 {
        Arch::Riscv64
    } else {
        Arch::Aarch64
    };
    let platform: Platform = format!("debian:bookworm/{arch}").parse().unwrap();
    // Kept with the image of this machine's architecture, because it takes a minute.
    let images = ImageStore::new(&home(), helper());
    let request = ImageRequest {
        packages: Vec::new(),
        ..ImageRequest::default_for(&platform)
    };
    let found = images.find(&platform).unwrap();
    let image = match found.map_or_else(|| images.build(&request, &mut |_| {}), Ok) {
        Ok(image) => image,
        Err(SandboxError::Image(text)) if text.contains("resolve") || text.contains("connect") => {
            println!("skipped: {text}");
            return;
        }
        Err(error) => {
            assert!(lacks(&error), "{error}");
            return;
        }
    };
    let spec = BoxSpec {
        image: image.id,
        limits: Limits::default(),
        network: Network::Off,
    };
    let Some(factory) = factory() else { return };
    let mut sandbox = factory.start(&spec).unwrap();
    let text = script(
        &mut *sandbox,
        "uname -m; dpkg --print-architecture; echo ok | sed s/ok/good/; ls /var/lib/dpkg/info/dash.list",
    );
    let wanted = format!("{arch}\n{}\ngood\n/var/lib/dpkg/info/dash.list\n", arch.debian());
    assert_eq!(text, wanted);
}

#[test]
fn an_architecture_without_an_interpreter_is_named() {
    let findings = doctor(&home(), &helper());
    let finding = findings
        .iter()
        .find(|finding| finding.name == "other architectures")
        .unwrap();
    assert!(finding.usable(), "boxes of this machine's own work without it");
}
