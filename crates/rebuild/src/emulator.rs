//! What emulation costs, and what an emulator's own fault looks like.

/// By how much the time limits of a build grow when it is emulated. Configure scripts take about twenty times as long as
/// on a processor of their own, compilers ten to fifteen times.
pub const EMULATED_FACTOR: u32 = 15;

/// Keeps what an emulator said of itself, out of a log that goes by.
///
/// That a program of the package was ended by a signal is the package's doing, also when the emulator reports it
/// (`uncaught target signal`): an illegal instruction that a package wrote is one on the real processor too.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    line: Vec<u8>,
    found: Option<String>,
}

/// Longer lines are looked at up to here.
const LONGEST: usize = 4096;

impl Faults {
    /// Looks at some more of a log.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = LONGEST.saturating_sub(self.line.len());
            self.line
                .extend_from_slice(part.get(..part.len().min(room)).unwrap_or_default());
            if part.ends_with(b"\n") {
                if self.found.is_none()
                    && let Some(fault) = fault(&String::from_utf8_lossy(&self.line))
                {
                    self.found = Some(fault);
                }
                self.line.clear();
            }
        }
    }

    /// The first line that is a fault of the emulator.
    pub(crate) fn found(&self) -> Option<&str> {
        self.found.as_deref()
    }
}

/// What an emulator writes when it fails itself. Each row is a message of its own code, none of a program that it runs.
const OWN: [&str; 9] = [
    "qemu: unhandled CPU exception",
    "qemu: fatal:",
    "qemu: Unsupported syscall",
    "QEMU internal SIG",
    "qemu: could not ",
    "qemu: Unable to find a guest_base",
    "qemu: Unable to reserve",
    "tcg fatal error",
    "code should not be reached",
];

fn fault(line: &str) -> Option<String> {
    let line = line.trim();
    let of_emulator = OWN.iter().any(|own| line.starts_with(own))
        // `qemu-aarch64-static: Unable to reserve 0x... bytes`, `qemu-aarch64: ../../tcg/tcg.c:1234: f: Assertion ...`
        || (is_own_message(line)
            && ["Unable to", "Assertion", "Unsupported syscall", "cannot allocate"]
                .iter()
                .any(|word| line.contains(word)))
        // `ERROR:../../accel/tcg/cpu-exec.c:961:cpu_exec: assertion failed: ...`
        || (line.starts_with("ERROR:") && ["/accel/tcg/", "/linux-user/", "/tcg/"].iter().any(|part| line.contains(part)));
    of_emulator.then(|| line.to_owned())
}

/// Whether a line begins with the name of an emulator's program and a colon.
fn is_own_message(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(name, _)| {
        name.rsplit('/').next().unwrap_or_default().starts_with("qemu-") && !name.contains(' ')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_of_the_emulator_is_told_from_a_signal_of_a_program() {
        for (line, is_fault) in [
            (
                "qemu: uncaught target signal 4 (Illegal instruction) - core dumped",
                false,
            ),
            (
                "qemu: uncaught target signal 11 (Segmentation fault) - core dumped",
                false,
            ),
            ("qemu: unhandled CPU exception 0x10000 - aborting", true),
            ("qemu: Unsupported syscall: 439", true),
            ("QEMU internal SIGSEGV {code=MAPERR, addr=0x20}", true),
            (
                "qemu-aarch64-static: Unable to reserve 0xffffffffffff bytes of virtual address space",
                true,
            ),
            (
                "/usr/bin/qemu-aarch64: ../../tcg/tcg.c:3316: tcg_reg_alloc: Assertion `x' failed.",
                true,
            ),
            (
                "ERROR:../../accel/tcg/cpu-exec.c:961:cpu_exec: assertion failed: (cpu == current_cpu)",
                true,
            ),
            ("ERROR: test_foo: assertion failed", false),
            ("qemu-img: could not open the test image", false),
            ("checking for qemu-aarch64... no", false),
            (
                "./test.sh: line 3: ./prog: cannot execute binary file: Exec format error",
                false,
            ),
        ] {
            let mut faults = Faults::default();
            // In pieces, as logs come.
            let (a, b) = line.as_bytes().split_at(line.len() / 2);
            faults.feed(a);
            faults.feed(b);
            faults.feed(b"\n");
            assert_eq!(faults.found().is_some(), is_fault, "{line}");
        }
    }
}
