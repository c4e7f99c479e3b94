//! Other architectures: one that this machine's processor runs, and one that is emulated. Their images are kept for the
//! next time, because making one takes minutes.

use seatrial_core::Arch;
use seatrial_rebuild::{LocalDebian, LocalWorld, Mode, Outcome, RebuildRequest, Rebuilder, State};

use crate::{
    make::Debian,
    worlds::{log, request, world},
};

fn build(world: &LocalWorld<'_>, package: &Debian<'_>, arch: Arch, mode: Mode) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let request = RebuildRequest { mode, ..request() };
    LocalDebian::new(world)
        .rebuild(&package.open(folder.path()), arch, &request, &mut ())
        .unwrap()
}

fn machines(outcome: &Outcome) -> Vec<String> {
    let all = outcome.payloads.iter().flat_map(|payload| payload.machines.clone());
    all.collect()
}

#[test]
fn thirty_two_bits_are_built_without_an_emulator() {
    if Arch::host() != Arch::X86_64 {
        println!("skipped: this machine's processor runs no other architecture");
        return;
    }
    let Some(world) = world(Arch::I686) else { return };
    let outcome = build(&world, &Debian::default(), Arch::I686, Mode::Native);
    let text = log(&outcome);
    assert_eq!(outcome.state, State::Succeeded, "{text}");
    assert!(!outcome.emulated && outcome.proof);
    assert_eq!(machines(&outcome), ["i686"]);
    assert!(text.contains("\ni686\n"), "a build sees the target's machine: {text}");
    // What it packs for the machine that it runs on instead of the target is a failure that names the file.
    let packs_host = Debian {
        build: "\t$(CC) -m64 -c -o prog prog.c",
        ..Debian::default()
    };
    let outcome = build(&world, &packs_host, Arch::I686, Mode::Native);
    assert_eq!(outcome.state, State::Failed, "{}", log(&outcome));
    assert!(
        outcome.details.contains("/usr/bin/prog is for x86_64"),
        "{}",
        outcome.details
    );
    assert_eq!(outcome.payloads.len(), 1, "it is kept for whoever asks");
}

#[test]
fn another_processor_is_emulated_and_its_faults_are_told_from_a_packages() {
    let arch = if Arch::host() == Arch::Aarch64 {
        Arch::X86_64
    } else {
        Arch::Aarch64
    };
    if let Err(error) = seatrial_sandbox::emulator(arch) {
        println!("skipped: {error}");
        return;
    }
    let Some(world) = world(arch) else { return };
    let outcome = build(&world, &Debian::default(), arch, Mode::Native);
    let text = log(&outcome);
    assert_eq!(outcome.state, State::Succeeded, "{text}");
    assert!(outcome.emulated && outcome.proof);
    assert!(outcome.emulator.as_ref().unwrap().starts_with("qemu-"), "{outcome:?}");
    assert_eq!(machines(&outcome), [arch.as_str()]);
    assert!(text.contains(&format!("\n{arch}\n")), "{text}");
    // A program of the package that the processor ends is the package's fault, although it is the emulator that ends it.
    let illegal = Debian {
        build: "\t$(CC) -o prog prog.c && ./prog",
        files: &[("prog.c", "int main(void) { __builtin_trap(); }\n")],
        ..Debian::default()
    };
    let outcome = build(&world, &illegal, arch, Mode::Native);
    assert_eq!(outcome.state, State::Failed, "{}", log(&outcome));
}

#[test]
fn a_cross_build_tries_its_programs_and_proves_nothing() {
    let (host, target) = (Arch::host(), Arch::Aarch64);
    if host == target {
        println!("skipped: this machine is of the target's architecture");
        return;
    }
    if let Err(error) = seatrial_sandbox::emulator(target) {
        println!("skipped: {error}");
        return;
    }
    let Some(world) = world(host) else { return };
    let package = Debian {
        build_depends: "make:any",
        build: "\t$$DEB_HOST_GNU_TYPE-gcc -o prog prog.c && ./prog && uname -m",
        ..Debian::default()
    };
    let outcome = build(&world, &package, target, Mode::Cross);
    let text = log(&outcome);
    if let State::Invalid(reason) = &outcome.state
        && reason.starts_with("making the box ready")
    {
        println!("skipped: no cross compiler can be had: {reason}");
        return;
    }
    assert_eq!(outcome.state, State::Succeeded, "{text}");
    assert!(!outcome.proof && !outcome.emulated);
    assert_eq!(machines(&outcome), ["aarch64"]);
    assert!(
        text.contains(&format!("\n{host}\n")),
        "the machine stays its own: {text}"
    );
}
