//! System calls and registers that newer architectures never had, or have under another name.

use regex::Regex;

use crate::{
    Repair,
    case::Case,
    draft::{Draft, split},
    table::Sign,
};

/// An old call, the call of today, what stands before its arguments, and what behind them.
const CALLS: &[(&str, &str, &str, &str)] = &[
    ("open", "openat", "AT_FDCWD, ", ""),
    ("mkdir", "mkdirat", "AT_FDCWD, ", ""),
    ("mknod", "mknodat", "AT_FDCWD, ", ""),
    ("chown", "fchownat", "AT_FDCWD, ", ", 0"),
    ("lchown", "fchownat", "AT_FDCWD, ", ", AT_SYMLINK_NOFOLLOW"),
    ("chmod", "fchmodat", "AT_FDCWD, ", ""),
    ("access", "faccessat", "AT_FDCWD, ", ""),
    ("unlink", "unlinkat", "AT_FDCWD, ", ", 0"),
    ("rmdir", "unlinkat", "AT_FDCWD, ", ", AT_REMOVEDIR"),
    ("readlink", "readlinkat", "AT_FDCWD, ", ""),
    ("pipe", "pipe2", "", ", 0"),
    ("dup2", "dup3", "", ", 0"),
    ("epoll_create", "epoll_create1", "", ""),
    ("epoll_wait", "epoll_pwait", "", ", NULL, 8"),
    ("inotify_init", "inotify_init1", "", "0"),
    ("eventfd", "eventfd2", "", ", 0"),
    ("signalfd", "signalfd4", "", ", 8, 0"),
];

/// Repairs for numbers of system calls that the architecture has not.
pub(crate) fn system_calls(case: &Case<'_>, signs: &[Sign]) -> Vec<Repair> {
    let Some(sign) = signs.first() else { return Vec::new() };
    let mut draft = Draft::new(case);
    let sources: Vec<String> = case.sources().map(str::to_owned).collect();
    for (old, new, before, behind) in CALLS {
        let is_named = signs
            .iter()
            .flat_map(Sign::names)
            .any(|name| name.trim_start_matches("SYS_").trim_start_matches("__NR_") == *old);
        if !is_named {
            continue;
        }
        let Ok(call) = Regex::new(&format!(
            r"\bsyscall\s*\(\s*(SYS_|__NR_){old}\b\s*(,\s*)?([^;]*?)\)\s*(;|\)|==|<|!=|\?|&&|\|\|)"
        )) else {
            continue;
        };
        for path in &sources {
            draft.edit(path, |text| {
                let mut new_text = call
                    .replace_all(text, |found: &regex::Captures<'_>| {
                        let part = |at: usize| found.get(at).map_or("", |part| part.as_str());
                        let arguments = if *old == "epoll_create" { "0" } else { part(3).trim() };
                        let comma = if arguments.is_empty() && before.is_empty() && behind.is_empty() {
                            ""
                        } else {
                            ", "
                        };
                        let end = part(4);
                        let gap = if matches!(end, ";" | ")") { "" } else { " " };
                        format!("syscall({}{new}{comma}{before}{arguments}{behind}){gap}{end}", part(1))
                    })
                    .into_owned();
                if new_text != text && new_text.contains("AT_") && !new_text.contains("<fcntl.h>") {
                    new_text = format!("#include <fcntl.h>\n{new_text}");
                }
                Some(new_text)
            });
        }
    }
    draft
        .finish(
            "system-call",
            80,
            "make the system call of today, which every architecture has",
            sign.quote("newer architectures have this call only in its later form"),
        )
        .into_iter()
        .collect()
}

/// A register in the context of a signal, by what the two machines of Intel's family and Arm's call it.
const REGISTERS: &[(&str, &str, &str, &str)] = &[
    ("RIP", "PORT_PC", "gregs[REG_RIP]", "pc"),
    ("EIP", "PORT_PC", "gregs[REG_EIP]", "pc"),
    ("RSP", "PORT_SP", "gregs[REG_RSP]", "sp"),
    ("ESP", "PORT_SP", "gregs[REG_ESP]", "sp"),
    ("RBP", "PORT_FP", "gregs[REG_RBP]", "regs[29]"),
    ("EBP", "PORT_FP", "gregs[REG_EBP]", "regs[29]"),
];

/// Repairs for registers in the context of a signal.
pub(crate) fn registers(case: &Case<'_>, signs: &[Sign]) -> Vec<Repair> {
    let (Some(sign), seatrial_core::Arch::Aarch64) = (signs.first(), case.target()) else {
        return Vec::new();
    };
    let mut draft = Draft::new(case);
    let sources: Vec<String> = case.sources().map(str::to_owned).collect();
    for path in sources {
        let held = case
            .text(&path)
            .map(|text| crate::condition::counts(&text, case.target()))
            .unwrap_or_default();
        draft.edit(&path, |text| {
            let mut head: Vec<String> = Vec::new();
            let mut lines = split(text);
            for (register, name, own, arm) in REGISTERS {
                let access = Regex::new(&format!(r"\bgregs\s*\[\s*REG_{register}\s*\]")).ok()?;
                for (at, line) in lines.iter_mut().enumerate() {
                    if held.get(at) != Some(&crate::condition::Holds::No) && access.is_match(line) {
                        *line = access.replace_all(line, *name).into_owned();
                        let definition = format!(
                            "#if defined(__aarch64__)\n#define {name} {arm}\n#else\n#define {name} {own}\n#endif\n"
                        );
                        if !head.contains(&definition) {
                            head.push(definition);
                        }
                    }
                }
            }
            let last = lines
                .iter()
                .rposition(|line| line.trim_start().starts_with("#include"))
                .map_or(0, |at| at + 1);
            if head.is_empty() {
                return None;
            }
            lines.insert(last, head.concat());
            Some(lines.concat())
        });
    }
    draft
        .finish(
            "signal-registers",
            80,
            "read the registers of a signal's context by the names that they have here",
            sign.quote("the registers in a signal's context have other names on this architecture"),
        )
        .into_iter()
        .collect()
}
