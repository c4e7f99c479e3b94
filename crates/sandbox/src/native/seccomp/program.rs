//! Rules to the kernel's filter language.
//!
//! Each table is searched as a tree: when a filter is installed, the kernel tries it for every call number, and that is
//! done for every command.

use std::collections::BTreeMap;

use libc::sock_filter as Instruction;

use super::table::{Answer, Group, When};

const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const AT_LEAST: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
const ANY_BIT: u16 = (libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K) as u16;
const JUMP: u16 = (libc::BPF_JMP | libc::BPF_JA) as u16;
const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;

/// Where the call's number, its architecture and its arguments are.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const ARGUMENTS: u32 = 16;

/// The bit in the numbers of programs with 32-bit addresses on x86-64.
const X32: u32 = 0x4000_0000;

/// A table of calls that the kernel takes from a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Abi {
    /// The kernel's word for it.
    pub(super) audit: u32,
    /// The column of numbers.
    pub(super) column: usize,
    /// Whether numbers with a high bit are a second set of calls.
    pub(super) has_x32: bool,
}

pub(super) const X86_64: Abi = Abi {
    audit: 0xc000_003e,
    column: 0,
    has_x32: true,
};
pub(super) const AARCH64: Abi = Abi {
    audit: 0xc000_00b7,
    column: 1,
    has_x32: false,
};
pub(super) const RISCV64: Abi = Abi {
    audit: 0xc000_00f3,
    column: 1,
    has_x32: false,
};
pub(super) const I386: Abi = Abi {
    audit: 0x4000_0003,
    column: 2,
    has_x32: false,
};
pub(super) const ARM: Abi = Abi {
    audit: 0x4000_0028,
    column: 3,
    has_x32: false,
};

/// A filter for programs of these kinds; those of any other are killed at their first call.
pub(super) fn assemble(abis: &[Abi], groups: &[&Group]) -> Vec<Instruction> {
    let mut program = vec![load(ARCHITECTURE)];
    for abi in abis {
        let mut body = vec![load(NUMBER)];
        if abi.has_x32 {
            body.push(test(AT_LEAST, X32, 0, 1));
            body.push(answer(Answer::Unknown));
        }
        body.extend(tree(&by_number(*abi, groups)));
        program.push(test(EQUAL, abi.audit, 1, 0));
        program.push(jump(body.len()));
        program.extend(body);
    }
    program.push(give(libc::SECCOMP_RET_KILL_PROCESS));
    program
}

/// Numbers in a row for which the same is done.
struct Range {
    first: u32,
    last: u32,
    body: Vec<Instruction>,
}

/// What is done for the numbers that are not simply allowed, in their order.
fn by_number(abi: Abi, groups: &[&Group]) -> Vec<Range> {
    let mut found: BTreeMap<u32, Vec<Instruction>> = BTreeMap::new();
    for group in groups {
        for call in group.calls {
            let number = call.numbers.get(abi.column).copied().unwrap_or(-1);
            let Ok(number) = u32::try_from(number) else { continue };
            let body = found.entry(number).or_default();
            // Nothing comes behind an answer that is always given.
            if body.last().is_none_or(|last| body.len() > 1 || last.code != RETURN) {
                body.extend(rule(group.when, group.answer));
            }
        }
    }
    let mut ranges: Vec<Range> = Vec::new();
    for (number, mut body) in found {
        if body.len() > 1 {
            body.push(give(libc::SECCOMP_RET_ALLOW));
        }
        match ranges.last_mut() {
            Some(range) if range.last + 1 == number && same(&range.body, &body) => range.last = number,
            _ => ranges.push(Range {
                first: number,
                last: number,
                body,
            }),
        }
    }
    ranges
}

fn same(a: &[Instruction], b: &[Instruction]) -> bool {
    let parts = |one: &Instruction| (one.code, one.jt, one.jf, one.k);
    a.iter().map(parts).eq(b.iter().map(parts))
}

/// Looks a number up; it is loaded.
fn tree(ranges: &[Range]) -> Vec<Instruction> {
    let mut program = Vec::new();
    if let Some(middle) = ranges.get(ranges.len() / 2).filter(|_| ranges.len() > 2) {
        let (low, high) = ranges.split_at(ranges.len() / 2);
        let low = tree(low);
        program.extend(skip_if(AT_LEAST, middle.first, low.len()));
        program.extend(low);
        program.extend(tree(high));
        return program;
    }
    for range in ranges {
        let mut body = Vec::new();
        if range.first != range.last {
            body.extend(skip_if(AT_LEAST, range.last + 1, range.body.len()));
        }
        body.extend_from_slice(&range.body);
        let inside = if range.first == range.last { EQUAL } else { AT_LEAST };
        program.extend(skip_unless(inside, range.first, body.len()));
        program.extend(body);
    }
    program.push(give(libc::SECCOMP_RET_ALLOW));
    program
}

/// Skips instructions when it holds. A test alone reaches no farther than a byte says; every instruction counts, because
/// the kernel translates the filter anew for each command.
fn skip_if(code: u16, value: u32, count: usize) -> Vec<Instruction> {
    match u8::try_from(count) {
        Ok(count) => vec![test(code, value, count, 0)],
        Err(_) => vec![test(code, value, 0, 1), jump(count)],
    }
}

/// Skips instructions unless it holds.
fn skip_unless(code: u16, value: u32, count: usize) -> Vec<Instruction> {
    match u8::try_from(count) {
        Ok(count) => vec![test(code, value, 0, count)],
        Err(_) => vec![test(code, value, 1, 0), jump(count)],
    }
}

/// Answers a call when its arguments are so, and falls through otherwise.
fn rule(when: When, told: Answer) -> Vec<Instruction> {
    let lower = |argument: u32| load(ARGUMENTS + 8 * argument);
    let upper = |argument: u32| load(ARGUMENTS + 8 * argument + 4);
    let mut program = match when {
        When::Always => Vec::new(),
        When::AnyOf { argument, bits } => vec![lower(argument), test(ANY_BIT, bits, 0, 1)],
        When::AnyBut {
            argument,
            bits,
            question,
        } => vec![lower(argument), test(EQUAL, question, 2, 0), test(ANY_BIT, !bits, 0, 1)],
        When::Is { argument, value } => vec![lower(argument), test(EQUAL, value, 0, 1)],
        When::NoneOf { argument, values } => {
            let mut program = vec![lower(argument)];
            for (index, value) in values.iter().enumerate() {
                // Over the tests that are left and the answer.
                program.push(test(EQUAL, *value, (values.len() - index) as u8, 0));
            }
            program
        }
        When::Both { argument, value, other } => vec![
            lower(argument),
            test(EQUAL, value, 0, 5),
            lower(other),
            test(EQUAL, 0, 0, 2),
            upper(other),
            test(EQUAL, 0, 1, 0),
        ],
    };
    program.push(answer(told));
    program
}

fn load(offset: u32) -> Instruction {
    instruction(LOAD, 0, 0, offset)
}

/// Skips one number of instructions when it holds and another when not.
fn test(code: u16, value: u32, holds: u8, fails: u8) -> Instruction {
    instruction(code, holds, fails, value)
}

fn jump(over: usize) -> Instruction {
    instruction(JUMP, 0, 0, over as u32)
}

fn give(verdict: u32) -> Instruction {
    instruction(RETURN, 0, 0, verdict)
}

fn answer(told: Answer) -> Instruction {
    give(libc::SECCOMP_RET_ERRNO | told.errno() as u32)
}

fn instruction(code: u16, jt: u8, jf: u8, k: u32) -> Instruction {
    Instruction { code, jt, jf, k }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the kernel would do.
    pub(crate) fn run(program: &[Instruction], audit: u32, number: u32, arguments: [u64; 6]) -> u32 {
        let mut data = [0_u8; 64];
        data[..4].copy_from_slice(&number.to_le_bytes());
        data[4..8].copy_from_slice(&audit.to_le_bytes());
        for (index, argument) in arguments.iter().enumerate() {
            data[16 + 8 * index..24 + 8 * index].copy_from_slice(&argument.to_le_bytes());
        }
        let (mut at, mut value) = (0, 0_u32);
        loop {
            let Instruction { code, jt, jf, k } = program[at];
            at += 1;
            let holds = match code {
                LOAD => {
                    value = u32::from_le_bytes(data[k as usize..k as usize + 4].try_into().unwrap());
                    continue;
                }
                RETURN => return k,
                JUMP => {
                    at += k as usize;
                    continue;
                }
                EQUAL => value == k,
                AT_LEAST => value >= k,
                ANY_BIT => value & k != 0,
                other => panic!("{other}"),
            };
            at += usize::from(if holds { jt } else { jf });
        }
    }

    const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;

    fn errno(value: i32) -> u32 {
        libc::SECCOMP_RET_ERRNO | value as u32
    }

    #[test]
    fn every_number_of_every_table_gets_its_answer() {
        let groups: Vec<&Group> = super::super::table::DENIED.iter().collect();
        for abis in [&[X86_64, I386][..], &[AARCH64, ARM], &[RISCV64]] {
            let program = assemble(abis, &groups);
            assert!(program.len() < 4096, "{}", program.len());
            for abi in abis {
                for number in 0..1000 {
                    let rows: Vec<_> = groups
                        .iter()
                        .filter(|group| {
                            group
                                .calls
                                .iter()
                                .any(|call| call.numbers[abi.column] == i64::from(number))
                        })
                        .collect();
                    let always = rows.iter().find(|group| group.when == When::Always);
                    let wanted = always.map_or(ALLOW, |group| errno(group.answer.errno()));
                    // Arguments of zero are harmless, except that there is no socket of no family.
                    let is_socket = rows.iter().any(|group| matches!(group.when, When::NoneOf { .. }));
                    let wanted = if is_socket { errno(libc::EAFNOSUPPORT) } else { wanted };
                    assert_eq!(run(&program, abi.audit, number, [0; 6]), wanted, "{abi:?} {number}");
                }
            }
        }
    }

    #[test]
    fn arguments_decide() {
        let groups: Vec<&Group> = super::super::table::DENIED.iter().collect();
        let program = assemble(&[X86_64, I386], &groups);
        let high = 1 << 32;
        for (number, arguments, wanted) in [
            // clone and unshare: threads and forks, then namespaces.
            (56, [0x003d_0f00, 0, 0, 0, 0, 0], ALLOW),
            (56, [0x11, 0, 0, 0, 0, 0], ALLOW),
            (56, [0x1000_0011, 0, 0, 0, 0, 0], errno(libc::EPERM)),
            (56, [0x0002_0000, 0, 0, 0, 0, 0], errno(libc::EPERM)),
            (272, [0x400, 0, 0, 0, 0, 0], ALLOW),
            (272, [0x80, 0, 0, 0, 0, 0], errno(libc::EPERM)),
            (272, [0x2000_0000, 0, 0, 0, 0, 0], errno(libc::EPERM)),
            // personality: a question, the harmless ones, the others.
            (135, [0xffff_ffff, 0, 0, 0, 0, 0], ALLOW),
            (135, [0x4_0008, 0, 0, 0, 0, 0], ALLOW),
            (135, [0x10_0000, 0, 0, 0, 0, 0], errno(libc::EPERM)),
            (135, [0x40_0008, 0, 0, 0, 0, 0], errno(libc::EPERM)),
            // socket: unix, inet, inet6, routes; then packets, the hypervisor's, and netlink's audit and firewall.
            (41, [1, 1, 0, 0, 0, 0], ALLOW),
            (41, [2, 1, 6, 0, 0, 0], ALLOW),
            (41, [10, 2, 17, 0, 0, 0], ALLOW),
            (41, [16, 3, 0, 0, 0, 0], ALLOW),
            (41, [17, 3, 0, 0, 0, 0], errno(libc::EAFNOSUPPORT)),
            (41, [40, 1, 0, 0, 0, 0], errno(libc::EAFNOSUPPORT)),
            (41, [16, 3, 9, 0, 0, 0], errno(libc::EPROTONOSUPPORT)),
            (41, [16, 3, 12, 0, 0, 0], errno(libc::EPROTONOSUPPORT)),
            // The kernel looks at the lower half only, so the upper one hides nothing.
            (41, [0x28 | high, 1, 0, 0, 0, 0], errno(libc::EAFNOSUPPORT)),
            // ioctl: an ordinary one, two hostile ones, and one with rubbish above.
            (16, [0, 0x5401, 0, 0, 0, 0], ALLOW),
            (16, [0, 0x5412, 0, 0, 0, 0], errno(libc::EPERM)),
            (16, [0, 0x5412 | high, 0, 0, 0, 0], errno(libc::EPERM)),
            (16, [0, 0x541c, 0, 0, 0, 0], errno(libc::EPERM)),
            // Core files: setting the limit does nothing, asking for it and other limits are as ever.
            (302, [0, 4, 0, 1, 0, 0], ALLOW),
            (302, [0, 4, 0x1000, 0, 0, 0], errno(0)),
            (302, [0, 4, high, 0, 0, 0], errno(0)),
            (302, [0, 7, 0x1000, 0, 0, 0], ALLOW),
            (160, [4, 0x1000, 0, 0, 0, 0], errno(0)),
            // Numbers of programs with short addresses.
            (X32, [0; 6], errno(libc::ENOSYS)),
            (X32 | 0xa5, [0; 6], errno(libc::ENOSYS)),
        ] {
            assert_eq!(
                run(&program, X86_64.audit, number, arguments),
                wanted,
                "{number} {arguments:x?}"
            );
        }
        assert_eq!(run(&program, I386.audit, 21, [0; 6]), errno(libc::EPERM));
        assert_eq!(run(&program, I386.audit, 165, [0; 6]), ALLOW);
        assert_eq!(run(&program, ARM.audit, 1, [0; 6]), libc::SECCOMP_RET_KILL_PROCESS);
    }

    /// The numbers are facts; where the kernel's own list is installed, they are compared with it.
    #[test]
    fn the_numbers_are_the_kernels() {
        let mut compared = 0;
        for (file, column) in [
            ("/usr/include/x86_64-linux-gnu/asm/unistd_64.h", 0),
            ("/usr/include/asm-generic/unistd.h", 1),
            ("/usr/include/x86_64-linux-gnu/asm/unistd_32.h", 2),
            ("/usr/arm-linux-gnueabihf/include/asm/unistd-eabi.h", 3),
        ] {
            let Ok(text) = std::fs::read_to_string(file) else {
                continue;
            };
            let known: BTreeMap<&str, i64> = text
                .lines()
                .filter_map(|line| {
                    let (name, number) = line.strip_prefix("#define __NR_")?.trim().split_once([' ', '\t'])?;
                    let number = number
                        .trim()
                        .trim_start_matches("(__NR_SYSCALL_BASE +")
                        .trim_end_matches(')');
                    Some((name, number.trim().parse().ok()?))
                })
                .collect();
            for group in super::super::table::DENIED {
                for call in group.calls {
                    if let Some(number) = known.get(call.name) {
                        assert_eq!(call.numbers[column], *number, "{} in {file}", call.name);
                        compared += 1;
                    }
                }
            }
        }
        if compared == 0 {
            println!("skipped: the kernel's lists of calls are not installed");
        }
    }
}
