//! Inline assembly of another processor: kept where it belongs, and in portable C elsewhere where what it does is plain.

mod portable;
mod statement;

use std::collections::BTreeMap;

use seatrial_core::Arch;

use self::statement::Statement;
use crate::{
    Mark, Repair,
    case::Case,
    condition::{Holds, counts},
    draft::{Draft, split},
    machine,
    table::Sign,
};

/// Where the assembly that is there belongs.
fn owners(case: &Case<'_>, statement: &Statement) -> &'static [Arch] {
    match case.target() {
        // Code for 64 bits that fails on the 32-bit machine of the same family.
        Arch::I686 if case.works_on() == Arch::X86_64 => &[Arch::X86_64],
        target if machine::is_x86(target) => machine::ARM,
        _ if statement.template.contains("rax") || statement.template.contains("rsp") => &[Arch::X86_64],
        _ => machine::X86,
    }
}

/// Gives a portable path to all assembly that counts on the target and is understood: in the files that are named, or in
/// all. `named` are lines that must be among it; otherwise nothing is done.
pub(crate) fn port(draft: &mut Draft<'_, '_>, named: &[(String, usize)]) -> bool {
    let case = draft.case;
    let target = case.target();
    let paths: Vec<String> = case.sources().map(str::to_owned).collect();
    let mut not_understood: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
    let mut done = false;
    for path in paths {
        done |= draft.edit(&path, |text| {
            if !text.contains("asm") {
                return None;
            }
            let held = counts(text, target);
            let mut statements = statement::find(text);
            statements.retain(|statement| held.get(statement.first_line) != Some(&Holds::No));
            let mut new = text.to_owned();
            let mut needs_time = false;
            for statement in statements.iter().rev() {
                let Some(code) = portable::of(statement, target) else {
                    if portable::is_foreign(statement, target) {
                        let lines = (statement.first_line, statement.last_line);
                        not_understood.entry(path.clone()).or_default().push(lines);
                    }
                    continue;
                };
                needs_time |= code.contains("clock_gettime");
                new = replaced(&new, statement, &machine::c_conditions(owners(case, statement)), &code)?;
            }
            if needs_time && !new.contains("<time.h>") {
                new = include(&new, "time.h");
            }
            Some(new)
        });
    }
    let is_missed = |(path, line): &(String, usize)| {
        not_understood
            .get(path)
            .is_some_and(|spans| spans.iter().any(|(first, last)| (first + 1..=last + 1).contains(line)))
    };
    done && !named.iter().any(is_missed)
}

/// A source that includes a header, before the others.
fn include(text: &str, header: &str) -> String {
    let mut lines = split(text);
    let at = lines
        .iter()
        .position(|line| line.trim_start().starts_with("#include") || line.trim_start().starts_with("# include"))
        .unwrap_or(0);
    lines.insert(at, format!("#include <{header}>\n"));
    lines.concat()
}

/// A source with one statement under a condition and other code otherwise.
fn replaced(text: &str, statement: &Statement, condition: &str, code: &str) -> Option<String> {
    let lines = split(text);
    let starts: Vec<usize> = lines
        .iter()
        .scan(0, |at, line| {
            let start = *at;
            *at += line.len();
            Some(start)
        })
        .collect();
    // A macro's body cannot have conditions in it: the whole macro is written twice.
    let continues = |at: usize| lines.get(at).is_some_and(|line| line.trim_end().ends_with('\\'));
    let mut first = statement.first_line;
    while first > 0 && continues(first - 1) {
        first -= 1;
    }
    let is_macro = lines.get(first).is_some_and(|line| {
        let line = line.trim_start().trim_start_matches('#').trim_start();
        line.starts_with("define")
            && lines
                .get(first)
                .is_some_and(|whole| whole.trim_start().starts_with('#'))
    });
    if is_macro {
        let mut last = statement.last_line;
        while continues(last) {
            last += 1;
        }
        let from = *starts.get(first)?;
        let to = from + lines.get(first..=last)?.iter().map(String::len).sum::<usize>();
        let whole = text.get(from..to)?.trim_end_matches('\n');
        let other = format!(
            "{}{code}{}",
            text.get(from..statement.start)?,
            text.get(statement.end..to)?.trim_end_matches('\n')
        );
        return Some(format!(
            "{}#if {condition}\n{whole}\n#else\n{other}\n#endif\n{}",
            text.get(..from)?,
            text.get(to..)?
        ));
    }
    let before = text.get(..statement.start)?;
    let after = text.get(statement.end..)?;
    let semicolon = after.trim_start().starts_with(';');
    let skip = if semicolon { after.find(';')? + 1 } else { 0 };
    let own = text.get(statement.start..statement.end + skip)?;
    let indent: String = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .take_while(|c| c.is_whitespace())
        .collect();
    let head = before.trim_end_matches([' ', '\t']);
    let gap = if head.is_empty() || head.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    let rest = after.get(skip..)?.trim_start_matches([' ', '\t']);
    let rest = rest.strip_prefix('\n').unwrap_or(rest);
    let rest_indent = if after.get(skip..)?.trim_start_matches([' ', '\t']).starts_with('\n') {
        ""
    } else {
        indent.as_str()
    };
    let code = if semicolon { format!("{code};") } else { code.to_owned() };
    Some(format!(
        "{head}{gap}#if {condition}\n{indent}{own}\n#else\n{indent}{code}\n#endif\n{rest_indent}{rest}"
    ))
}

/// Repairs for assembly of another processor.
pub(crate) fn repairs(case: &Case<'_>, signs: &[Sign]) -> Vec<Repair> {
    let Some(sign) = signs.first() else { return Vec::new() };
    let named: Vec<(String, usize)> = signs
        .iter()
        .filter_map(|sign| {
            let (file, line) = sign.place()?;
            Some((case.locate(file)?, line))
        })
        .collect();
    let mut draft = Draft::new(case);
    if !port(&mut draft, &named) {
        return Vec::new();
    }
    let mut with_headers = Draft::new(case);
    let also = crate::ports::guard(&mut with_headers) && port(&mut with_headers, &named);
    if also {
        draft = with_headers;
    }
    if case
        .sources()
        .any(|path| case.text(path).is_some_and(|text| portable::has_ports(&text)))
    {
        draft.mark(Mark::RemovesFeatures);
    }
    draft
        .finish(
            "portable-assembly",
            80,
            "keep the assembly on its own processor, and do the same in portable C on others",
            sign.quote("the assembly is of another processor, and what it does can be said in C"),
        )
        .into_iter()
        .collect()
}
