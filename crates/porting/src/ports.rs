//! Headers of one family of processors with something to stand in for them: ports of the machine, CPUID.

use regex::Regex;

use crate::{
    Mark, Repair,
    case::Case,
    condition::{Holds, counts},
    draft::{Draft, split},
    machine,
    table::Sign,
};

/// Functions of `sys/io.h`: the name, and a definition that says that there are no ports.
const PORTS: &[(&str, &str)] = &[
    (
        "ioperm",
        "static inline int ioperm(unsigned long from, unsigned long count, int on) { (void) from; (void) count; (void) on; errno = ENOSYS; return -1; }",
    ),
    (
        "iopl",
        "static inline int iopl(int level) { (void) level; errno = ENOSYS; return -1; }",
    ),
    (
        "inb",
        "static inline unsigned char inb(unsigned short port) { (void) port; return 0xff; }",
    ),
    (
        "inw",
        "static inline unsigned short inw(unsigned short port) { (void) port; return 0xffff; }",
    ),
    (
        "inl",
        "static inline unsigned int inl(unsigned short port) { (void) port; return 0xffffffffU; }",
    ),
    (
        "inb_p",
        "static inline unsigned char inb_p(unsigned short port) { (void) port; return 0xff; }",
    ),
    (
        "outb",
        "static inline void outb(unsigned char value, unsigned short port) { (void) value; (void) port; }",
    ),
    (
        "outw",
        "static inline void outw(unsigned short value, unsigned short port) { (void) value; (void) port; }",
    ),
    (
        "outl",
        "static inline void outl(unsigned int value, unsigned short port) { (void) value; (void) port; }",
    ),
    (
        "outb_p",
        "static inline void outb_p(unsigned char value, unsigned short port) { (void) value; (void) port; }",
    ),
];

/// `cpuid.h` for a processor that has no CPUID: it reports nothing.
const CPUID: &str = "\
#define __get_cpuid(leaf, a, b, c, d) (*(a) = *(b) = *(c) = *(d) = 0, 0)
#define __get_cpuid_count(leaf, sub, a, b, c, d) (*(a) = *(b) = *(c) = *(d) = 0, 0)
#define __get_cpuid_max(leaf, signature) 0
#define __cpuid(leaf, a, b, c, d) ((a) = (b) = (c) = (d) = 0)
#define __cpuid_count(leaf, sub, a, b, c, d) ((a) = (b) = (c) = (d) = 0)
";

/// What stands in for a header; none when nothing does.
fn stand_in(header: &str, text: &str) -> Option<String> {
    match header {
        "cpuid.h" => Some(CPUID.to_owned()),
        "sys/io.h" | "asm/io.h" => {
            let mut lines = String::from("#include <errno.h>\n");
            for (name, definition) in PORTS {
                let called = Regex::new(&format!(r"\b{name}\s*\(")).is_ok_and(|call| call.is_match(text));
                let defined = Regex::new(&format!(
                    r"(?m)^\s*(?:#\s*define\s+{name}\b|(?:static|inline|extern|__inline\w*|unsigned|int|void|char|short)\b[^;=\n]*\b{name}\s*\([^;\n]*\)?\s*(?:\{{|$))"
                ))
                .is_ok_and(|definition| definition.is_match(text));
                if called && !defined {
                    lines.push_str(definition);
                    lines.push('\n');
                }
            }
            Some(lines)
        }
        "sys/perm.h" | "asm/vm86.h" | "sys/vm86.h" | "asm/ldt.h" | "asm/msr.h" => Some(String::new()),
        "mm_malloc.h" => Some(
            "#include <stdlib.h>\n\
             static inline void *_mm_malloc(size_t size, size_t align) { void *place; return posix_memalign(&place, align < sizeof(void *) ? sizeof(void *) : align, size) ? NULL : place; }\n\
             #define _mm_free free\n"
                .to_owned(),
        ),
        _ => None,
    }
}

/// Puts the inclusions that count on the target under a condition, with what stands in for them otherwise.
pub(crate) fn guard(draft: &mut Draft<'_, '_>) -> bool {
    let target = draft.case.target();
    if machine::is_x86(target) {
        return false;
    }
    let Ok(include) = Regex::new(r#"^\s*#\s*include\s*[<"]([\w./]+)[>"]"#) else {
        return false;
    };
    let paths: Vec<String> = draft.case.sources().map(str::to_owned).collect();
    let mut done = false;
    for path in paths {
        done |= draft.edit(&path, |text| {
            let held = counts(text, target);
            // What another system's branch defines is not there.
            let here: String = text
                .split_inclusive('\n')
                .zip(&held)
                .filter(|(_, holds)| **holds != Holds::No)
                .map(|(line, _)| line)
                .collect();
            let lines: Vec<String> = split(text)
                .into_iter()
                .enumerate()
                .map(|(at, line)| {
                    let header = include
                        .captures(&line)
                        .and_then(|found| found.get(1))
                        .map(|name| name.as_str().to_owned());
                    let stand_in = header.and_then(|header| stand_in(&header, &here));
                    match stand_in {
                        Some(lines) if held.get(at) != Some(&Holds::No) => {
                            let other = if lines.is_empty() {
                                String::new()
                            } else {
                                format!("#else\n{lines}")
                            };
                            format!(
                                "#if {}\n{}\n{other}#endif\n",
                                machine::c_conditions(machine::X86),
                                line.trim_end()
                            )
                        }
                        _ => line,
                    }
                })
                .collect();
            Some(lines.concat())
        });
    }
    done
}

/// Repairs for headers that only one family of processors has.
pub(crate) fn repairs(case: &Case<'_>, signs: &[Sign]) -> Vec<Repair> {
    let Some(sign) = signs.first() else { return Vec::new() };
    let mut draft = Draft::new(case);
    if !guard(&mut draft) {
        return Vec::new();
    }
    let about_ports = signs.iter().any(|sign| sign.names().any(|name| name.ends_with("io.h")));
    if about_ports {
        draft.mark(Mark::RemovesFeatures);
    }
    // The instructions are often there as well, beside the header.
    let mut with_assembly = Draft::new(case);
    let both = guard(&mut with_assembly) && crate::assembly::port(&mut with_assembly, &[]);
    let mut repairs = Vec::new();
    let title = if about_ports {
        "without ports of the machine where it has none: they answer that there is no such function"
    } else {
        "take the header on its own processors only, with something to stand in for it"
    };
    let why = sign.quote("the header is of one family of processors");
    if both {
        if about_ports {
            with_assembly.mark(Mark::RemovesFeatures);
        }
        repairs.extend(with_assembly.finish(
            "foreign-header-and-assembly",
            80,
            format!("{title}; the same for the assembly"),
            why.clone(),
        ));
    }
    repairs.extend(draft.finish("foreign-header", 76, title, why));
    repairs
}
