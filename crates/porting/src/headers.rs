//! Vector intrinsics of another processor: through simde, which has them in portable C, or through the scalar path that
//! the source has already.

use regex::Regex;
use seatrial_core::Arch;

use crate::{
    Repair,
    case::{Case, is_source},
    condition::{Holds, counts, groups},
    draft::{Draft, split},
    flags::{build_files, conditional},
    machine,
    recipe::build_with,
    table::Sign,
};

/// What stands in for a header of intrinsics.
fn stand_in(header: &str, text: &str) -> Option<&'static str> {
    Some(match header {
        "mmintrin.h" => "simde/x86/mmx.h",
        "xmmintrin.h" => "simde/x86/sse.h",
        "emmintrin.h" => "simde/x86/sse2.h",
        "pmmintrin.h" => "simde/x86/sse3.h",
        "tmmintrin.h" => "simde/x86/ssse3.h",
        "smmintrin.h" => "simde/x86/sse4.1.h",
        "nmmintrin.h" => "simde/x86/sse4.2.h",
        "wmmintrin.h" => "simde/x86/clmul.h",
        "immintrin.h" | "x86intrin.h" | "intrin.h" | "avxintrin.h" | "avx2intrin.h" => {
            if text.contains("_mm512") {
                "simde/x86/avx512.h"
            } else if text.contains("_fmadd_") || text.contains("_fmsub_") {
                "simde/x86/fma.h"
            } else {
                "simde/x86/avx2.h"
            }
        }
        "arm_neon.h" => "simde/arm/neon.h",
        _ => return None,
    })
}

/// When a header can be taken as it is.
fn native(header: &str, target: Arch) -> &'static str {
    match header {
        "arm_neon.h" => "defined(__ARM_NEON) || defined(__aarch64__)",
        // The target is of the family and its baseline has not all of it: then the compiler says what it has.
        "emmintrin.h" if machine::is_x86(target) => "defined(__x86_64__) || defined(__SSE2__)",
        "xmmintrin.h" if machine::is_x86(target) => "defined(__x86_64__) || defined(__SSE__)",
        "mmintrin.h" if machine::is_x86(target) => "defined(__x86_64__) || defined(__MMX__)",
        "pmmintrin.h" if machine::is_x86(target) => "defined(__SSE3__)",
        "tmmintrin.h" if machine::is_x86(target) => "defined(__SSSE3__)",
        "smmintrin.h" if machine::is_x86(target) => "defined(__SSE4_1__)",
        "nmmintrin.h" if machine::is_x86(target) => "defined(__SSE4_2__)",
        "wmmintrin.h" if machine::is_x86(target) => "defined(__PCLMUL__)",
        _ if machine::is_x86(target) => "defined(__x86_64__) || defined(__AVX2__)",
        _ => "defined(__x86_64__) || defined(__i386__)",
    }
}

/// An inclusion of intrinsics that counts, or may count, on the target.
#[derive(Debug, Clone)]
struct Inclusion {
    line: usize,
    header: String,
    holds: Holds,
}

fn inclusions(text: &str, target: Arch) -> Vec<Inclusion> {
    let Ok(include) = Regex::new(r#"^\s*#\s*include\s*[<"]([\w./]+)[>"]"#) else {
        return Vec::new();
    };
    let foreign = |header: &str| {
        stand_in(header, text).is_some()
            && match header {
                "arm_neon.h" => !machine::ARM.contains(&target),
                // The 32-bit machine of the family has the headers, not always the instructions.
                _ => target != Arch::X86_64,
            }
    };
    let held = counts(text, target);
    text.lines()
        .enumerate()
        .zip(held)
        .filter_map(|((line, words), holds)| {
            let header = include.captures(words)?.get(1)?.as_str();
            (holds != Holds::No && foreign(header)).then(|| Inclusion {
                line,
                header: header.to_owned(),
                holds,
            })
        })
        .collect()
}

/// Has simde stand in for all intrinsics that count on the target. Says whether there were any.
pub(crate) fn portable(draft: &mut Draft<'_, '_>) -> bool {
    let target = draft.case.target();
    let paths: Vec<String> = draft.case.sources().map(str::to_owned).collect();
    let mut done = false;
    for path in paths {
        done |= draft.edit(&path, |text| {
            let found = inclusions(text, target);
            let mut lines = split(text);
            for inclusion in found.iter().rev() {
                let line = lines.get_mut(inclusion.line)?;
                *line = with_simde(line, &inclusion.header, stand_in(&inclusion.header, text)?, target);
            }
            (!found.is_empty()).then(|| lines.concat())
        });
    }
    if done {
        build_with(draft, "libsimde-dev", "simde-devel");
    }
    done
}

fn with_simde(line: &str, header: &str, simde: &str, target: Arch) -> String {
    let line = line.trim_end();
    format!(
        "#if {}\n{line}\n#else\n#ifndef SIMDE_ENABLE_NATIVE_ALIASES\n#define SIMDE_ENABLE_NATIVE_ALIASES\n#endif\n\
         #include <{simde}>\n#endif\n",
        native(header, target)
    )
}

/// The line uses an intrinsic or a type of them.
fn uses(target: Arch) -> Option<Regex> {
    Regex::new(if machine::is_x86(target) {
        r"\b(?:_mm\d*_\w+|__m(?:64|128|256|512)[id]?|v\w+q?_[usfp]\d+|(?:u?int|float|poly)\d+x\d+(?:x\d)?_t)\b"
    } else {
        r"\b(?:_mm\d*_\w+|__m(?:64|128|256|512)[id]?)\b"
    })
    .ok()
}

/// A name in a condition that is nothing but that name.
fn simple_name(condition: &str) -> Option<&str> {
    let inner = condition.trim();
    let inner = inner.strip_prefix("defined").map_or(inner, str::trim_start);
    let name = inner.trim_start_matches('(').trim_end_matches(')').trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then_some(name)
}

/// Takes the scalar path that a source has. `None` when there is none.
fn scalar<'c, 'a>(case: &'c Case<'a>) -> Option<Draft<'c, 'a>> {
    let target = case.target();
    let uses = uses(target)?;
    let mut draft = Draft::new(case);
    let mut names: Vec<String> = Vec::new();
    let paths: Vec<String> = case.sources().map(str::to_owned).collect();
    for path in &paths {
        let Some(text) = case.text(path) else { continue };
        let found = inclusions(&text, target);
        let held = counts(&text, target);
        let used: Vec<usize> = text
            .lines()
            .enumerate()
            .filter(|(at, line)| uses.is_match(line) && held.get(*at) != Some(&Holds::No))
            .map(|(at, _)| at)
            .collect();
        if found.is_empty() && used.is_empty() {
            continue;
        }
        // Each use that may count must stand in a branch that has another one beside it, and depends on one name.
        let groups = groups(&text);
        let mut own: Vec<String> = Vec::new();
        for at in &used {
            let branch = groups.iter().find_map(|group| {
                let branch = group
                    .branches
                    .iter()
                    .find(|branch| (branch.line + 1..branch.end).contains(at))?;
                let name = simple_name(&branch.condition)?;
                let is_open = crate::condition::evaluate(&branch.condition, target) == Holds::Unknown;
                let is_guard = name.to_ascii_uppercase().ends_with("_H") || name.to_ascii_uppercase().ends_with("_H_");
                (is_open && !is_guard).then(|| name.to_owned())
            })?;
            own.push(branch);
        }
        // An inclusion outside of any condition is put under that of the uses.
        let guard = groups.iter().flat_map(|group| &group.branches).find_map(|branch| {
            let has_uses = text
                .lines()
                .enumerate()
                .any(|(at, line)| (branch.line + 1..branch.end).contains(&at) && uses.is_match(line));
            (has_uses && !branch.condition.is_empty()).then(|| branch.condition.clone())
        });
        for inclusion in found.iter().rev().filter(|inclusion| inclusion.holds == Holds::Yes) {
            let guard = guard.clone()?;
            draft.edit(path, |text| {
                let mut lines = split(text);
                let line = lines.get_mut(inclusion.line)?;
                *line = format!("#if {guard}\n{}\n#endif\n", line.trim_end());
                Some(lines.concat())
            });
        }
        names.extend(own);
    }
    names.sort();
    names.dedup();
    for name in &names {
        if !turn_off(&mut draft, name) {
            return None;
        }
    }
    (!draft.is_empty()).then_some(draft)
}

/// Has a name be defined on machines only whose instructions it stands for.
fn turn_off(draft: &mut Draft<'_, '_>, name: &str) -> bool {
    let case = draft.case;
    let owners = if machine::is_x86(case.target()) {
        machine::ARM
    } else {
        machine::X86
    };
    let mut done = false;
    let flags: Vec<(String, &'static [Arch])> = [format!("-D{name}"), format!("-D{name}=1")]
        .into_iter()
        .map(|flag| (flag, owners))
        .collect();
    for (path, kind) in build_files(case) {
        done |= draft.edit(&path, |text| conditional(kind, text, &flags));
    }
    let Ok(define) = Regex::new(&format!(r"^\s*#\s*define\s+{name}(?:\s+1)?\s*(?:/[*/].*)?$")) else {
        return done;
    };
    let paths: Vec<String> = case.files.iter().filter(|path| is_source(path)).cloned().collect();
    for path in paths {
        done |= draft.edit(&path, |text| {
            let lines: Vec<String> = split(text)
                .into_iter()
                .map(|line| {
                    if define.is_match(line.trim_end()) {
                        format!("#if {}\n{}\n#endif\n", machine::c_conditions(owners), line.trim_end())
                    } else {
                        line
                    }
                })
                .collect();
            Some(lines.concat())
        });
    }
    done
}

/// Repairs for headers, types and functions of another processor's vector unit.
pub(crate) fn repairs(case: &Case<'_>, signs: &[Sign]) -> Vec<Repair> {
    let Some(sign) = signs.first() else { return Vec::new() };
    let mut repairs = Vec::new();
    if let Some(draft) = scalar(case) {
        repairs.extend(draft.finish(
            "scalar-path",
            86,
            "take the scalar path of the source where the processor has not these instructions",
            sign.quote("the source has a path without vector instructions, and takes the other one on any machine"),
        ));
    }
    let mut draft = Draft::new(case);
    if portable(&mut draft) {
        repairs.extend(draft.finish(
            "simde",
            78,
            "have simde stand in for the vector instructions on other processors",
            sign.quote("the sources use vector instructions of another processor, and simde has them in portable C"),
        ));
    }
    if machine::is_x86(case.target()) {
        repairs.extend(enabled(case, sign));
    }
    repairs
}

/// The flag that turns the instructions on, for a target whose family has them and whose baseline has not.
fn enabled(case: &Case<'_>, sign: &Sign) -> Option<Repair> {
    let flag = case
        .failure
        .diagnosis
        .cause
        .iter()
        .flat_map(|cause| &cause.remedies)
        .find_map(|remedy| match remedy {
            seatrial_diagnosis::Remedy::AddFlags { flags, .. } => flags
                .first()
                .filter(|flag| flag.starts_with("-ms") || flag.starts_with("-ma")),
            _ => None,
        })?;
    // What the first feature in the log needs at the least.
    let flag = if sign.text.contains("mmintrin.h") && sign.text.contains("emmintrin") {
        "-msse2"
    } else {
        flag
    };
    let mut draft = Draft::new(case);
    crate::recipe::give(&mut draft, crate::recipe::Give::Compilers, flag);
    draft.finish(
        "enable-instructions",
        55,
        format!("compile with {flag}"),
        sign.quote(
            "the instruction set is not on by default here; with the flag, the package needs a processor that has it",
        ),
    )
}
