//! What well-known instructions do, as an expression of C (with the extensions that gcc and clang share).

use std::fmt::Write as _;

use seatrial_core::Arch;

use super::statement::Statement;
use crate::machine;

/// The order of all atomic operations here.
const ORDER: &str = "__ATOMIC_SEQ_CST";

/// Portable code for a statement; none when it is not understood, or is of the target itself.
pub(super) fn of(statement: &Statement, target: Arch) -> Option<String> {
    let instructions = statement.instructions();
    let (first, arguments) = instructions.first()?;
    let words: Vec<&str> = instructions.iter().map(|(word, _)| word.as_str()).collect();
    if machine::is_x86(target) {
        // Code for 64 bits on the machine of 32.
        let is_wide = target == Arch::I686
            && (statement.template.contains("%%r") || words.iter().any(|word| word.len() > 3 && word.ends_with('q')));
        return arm(statement, first, arguments)
            .or_else(|| is_wide.then(|| intel(statement, &words, target)).flatten());
    }
    intel(statement, &words, target)
}

/// Whether a statement is of another processor than the target, as far as its words tell: an empty one is of none.
pub(super) fn is_foreign(statement: &Statement, target: Arch) -> bool {
    let instructions = statement.instructions();
    let Some((first, _)) = instructions.first() else {
        return false;
    };
    let is_intel = statement.template.contains("%%")
        || [
            "mov", "push", "pop", "xor", "cpuid", "int", "lock", "rep", "fld", "fst", "call",
        ]
        .iter()
        .any(|word| first.starts_with(word));
    is_intel && !machine::is_x86(target)
}

/// Whether a source talks to ports of the machine.
pub(super) fn has_ports(text: &str) -> bool {
    super::statement::find(text).iter().any(|statement| {
        let instructions = statement.instructions();
        instructions.iter().any(|(word, _)| is_port(word))
    })
}

fn is_port(word: &str) -> bool {
    matches!(
        word,
        "in" | "inb"
            | "inw"
            | "inl"
            | "out"
            | "outb"
            | "outw"
            | "outl"
            | "insl"
            | "insw"
            | "insb"
            | "outsl"
            | "outsw"
            | "outsb"
    )
}

/// All outputs are nought.
fn zeros(statement: &Statement) -> String {
    let mut code = String::new();
    for output in &statement.outputs {
        // Writing to a string does not fail.
        let _ = write!(code, "({}) = 0, ", output.value);
    }
    format!("({code}(void) 0)")
}

/// A clock that runs on, in the outputs that a counter of ticks would be in.
fn ticks(statement: &Statement, target: Arch) -> Option<String> {
    let read = if target == Arch::Aarch64 {
        "unsigned long long ticks_; __asm__ __volatile__(\"mrs %0, cntvct_el0\" : \"=r\"(ticks_));".to_owned()
    } else {
        "struct timespec now_; clock_gettime(CLOCK_MONOTONIC, &now_); unsigned long long ticks_ = \
         (unsigned long long) now_.tv_sec * 1000000000ULL + (unsigned long long) now_.tv_nsec;"
            .to_owned()
    };
    let joined = statement.template.contains("shl") || statement.template.contains("shift");
    let low = statement
        .output('a')
        .or_else(|| statement.output('A'))
        .or_else(|| statement.output('r'))?;
    let high = statement.output('d').filter(|_| !joined);
    Some(match high {
        Some(high) => {
            format!("({{ {read} ({low}) = (unsigned int) ticks_; ({high}) = (unsigned int) (ticks_ >> 32); }})")
        }
        None => format!("({{ {read} ({low}) = ticks_; }})"),
    })
}

fn without_suffix(word: &str) -> &str {
    match word {
        "bsf" | "sub" | "shl" | "rol" | "mul" | "imul" => word,
        _ => word.trim_end_matches(['l', 'q', 'w', 'b']),
    }
}

fn intel(statement: &Statement, words: &[&str], target: Arch) -> Option<String> {
    let has = |word: &str| words.contains(&word);
    let first = *words.first()?;
    if has("cpuid") || has("xgetbv") {
        return Some(zeros(statement));
    }
    if has("rdtsc") || has("rdtscp") {
        return ticks(statement, target);
    }
    if words == ["rep", "nop"] || words == ["pause"] {
        return Some("__asm__ __volatile__(\"\" ::: \"memory\")".to_owned());
    }
    if words.iter().all(|word| matches!(*word, "mfence" | "lfence" | "sfence")) {
        return Some("__sync_synchronize()".to_owned());
    }
    if words.iter().any(|word| is_port(word)) {
        let mut code = String::new();
        for output in &statement.outputs {
            let _ = write!(code, "({0}) = (__typeof__({0})) -1, ", output.value);
        }
        for input in &statement.inputs {
            let _ = write!(code, "(void) ({}), ", input.value);
        }
        return Some(format!("({code}(void) 0)"));
    }
    if first == "lock" || first.starts_with("xchg") {
        return atomic(statement, words);
    }
    if words.iter().all(|word| matches!(*word, "int3" | "ud2")) || statement.template.trim().replace(' ', "") == "int$3"
    {
        return Some("__builtin_trap()".to_owned());
    }
    if words.iter().all(|word| {
        matches!(
            *word,
            "emms"
                | "femms"
                | "cld"
                | "fninit"
                | "finit"
                | "fldcw"
                | "fnstcw"
                | "fstcw"
                | "ldmxcsr"
                | "stmxcsr"
                | "fwait"
                | "vzeroupper"
                | "fclex"
                | "fnclex"
        )
    }) {
        return Some(zeros(statement));
    }
    if words.len() != 1 {
        return None;
    }
    let output = statement.outputs.first().map(|operand| operand.value.as_str());
    let input = statement
        .source_of(0)
        .or_else(|| statement.inputs.first().map(|operand| operand.value.as_str()));
    if first.starts_with("prefetch") {
        let operand = statement.inputs.first()?;
        let place = if operand.constraint.contains('m') {
            format!("&({})", operand.value)
        } else {
            format!("({})", operand.value)
        };
        return Some(format!("__builtin_prefetch({place})"));
    }
    let (output, input) = (output?, input?);
    let wide = format!("sizeof({output}) == 8");
    Some(match without_suffix(first) {
        "bswap" => format!(
            "({output}) = {wide} ? (__typeof__({output})) __builtin_bswap64((unsigned long long) ({input})) \
             : (__typeof__({output})) __builtin_bswap32((unsigned int) ({input}))"
        ),
        "bsr" => format!("({output}) = 63 - __builtin_clzll((unsigned long long) ({input}))"),
        "bsf" | "tzcnt" => format!("({output}) = __builtin_ctzll((unsigned long long) ({input}))"),
        "popcnt" => format!("({output}) = __builtin_popcountll((unsigned long long) ({input}))"),
        "fsqrt" | "sqrtsd" | "sqrtss" => format!("({output}) = __builtin_sqrt({input})"),
        "frndint" => format!("({output}) = __builtin_rint({input})"),
        "fistp" | "cvtsd2si" | "cvtss2si" => format!("({output}) = __builtin_lrint({input})"),
        "rol" | "ror" => {
            let count = statement
                .inputs
                .iter()
                .find(|operand| operand.constraint.contains(['c', 'I', 'J']))?;
            let count = &count.value;
            let (there, back) = if first.starts_with("rol") {
                ("<<", ">>")
            } else {
                (">>", "<<")
            };
            format!(
                "({output}) = (({input}) {there} (({count}) & (8 * sizeof({output}) - 1))) | \
                 (({input}) {back} ((8 * sizeof({output}) - ({count})) & (8 * sizeof({output}) - 1)))"
            )
        }
        "mul" if first == "mulq" => wide_product(statement, "unsigned __int128", 64)?,
        "mul" if first == "mull" => wide_product(statement, "unsigned long long", 32)?,
        "mov" if statement.template.contains("%%esp") || statement.template.contains("%%rsp") => {
            format!("({output}) = (__typeof__({output})) __builtin_frame_address(0)")
        }
        _ => return None,
    })
}

fn wide_product(statement: &Statement, kind: &str, bits: u8) -> Option<String> {
    let (low, high) = (statement.output('a')?, statement.output('d')?);
    let one = statement.inputs.first()?;
    let other = statement.inputs.get(1)?;
    Some(format!(
        "({{ {kind} product_ = ({kind}) ({}) * ({}); ({low}) = (__typeof__({low})) product_; ({high}) = (__typeof__({high})) (product_ >> {bits}); }})",
        one.value, other.value
    ))
}

/// Atomic operations on one place in memory.
fn atomic(statement: &Statement, words: &[&str]) -> Option<String> {
    let operation = words.iter().find(|word| **word != "lock")?;
    // A full barrier that changes nothing.
    if words.len() == 2 && (statement.template.contains("(%%esp)") || statement.template.contains("(%%rsp)")) {
        return Some("__sync_synchronize()".to_owned());
    }
    let place = statement
        .outputs
        .iter()
        .chain(&statement.inputs)
        .find(|operand| operand.constraint.contains('m'))?;
    let place = format!("&({})", place.value);
    let register = statement
        .outputs
        .iter()
        .enumerate()
        .find(|(_, operand)| !operand.constraint.contains('m'));
    let amount = |letters: [char; 3]| {
        let found = statement
            .inputs
            .iter()
            .find(|operand| operand.constraint.contains(letters));
        found.map(|operand| operand.value.clone())
    };
    if operation.starts_with("cmpxchg") {
        let (_, before) = register?;
        let old = statement
            .inputs
            .iter()
            .find(|operand| operand.constraint.contains('a') || operand.constraint.trim().parse::<u8>().is_ok())?;
        let new = statement
            .inputs
            .iter()
            .find(|operand| operand.constraint.contains(['r', 'q']))?;
        let flag = words.iter().any(|word| word.starts_with("set"));
        let (old, new, before) = (&old.value, &new.value, &before.value);
        let exchange = format!(
            "__typeof__({old}) old_ = ({old}); int done_ = __atomic_compare_exchange_n({place}, &old_, ({new}), 0, {ORDER}, {ORDER}); (void) done_;"
        );
        let answer = if flag { "done_" } else { "old_" };
        return Some(format!("({{ {exchange} ({before}) = {answer}; }})"));
    }
    if words.len() > 2 && !words.iter().any(|word| word.starts_with("set")) {
        return None;
    }
    if operation.starts_with("xadd") {
        let (at, output) = register?;
        let value = statement.source_of(at)?;
        return Some(format!(
            "({}) = __atomic_fetch_add({place}, ({value}), {ORDER})",
            output.value
        ));
    }
    if operation.starts_with("xchg") {
        let (at, output) = register?;
        let value = statement.source_of(at)?;
        return Some(format!(
            "({}) = __atomic_exchange_n({place}, ({value}), {ORDER})",
            output.value
        ));
    }
    let code = if operation.starts_with("inc") {
        format!("__atomic_add_fetch({place}, 1, {ORDER})")
    } else if operation.starts_with("dec") {
        format!("__atomic_sub_fetch({place}, 1, {ORDER})")
    } else if operation.starts_with("add") {
        format!("__atomic_add_fetch({place}, ({}), {ORDER})", amount(['r', 'i', 'q'])?)
    } else if operation.starts_with("sub") {
        format!("__atomic_sub_fetch({place}, ({}), {ORDER})", amount(['r', 'i', 'q'])?)
    } else if operation.starts_with("or") {
        format!("__atomic_or_fetch({place}, ({}), {ORDER})", amount(['r', 'i', 'q'])?)
    } else if operation.starts_with("and") {
        format!("__atomic_and_fetch({place}, ({}), {ORDER})", amount(['r', 'i', 'q'])?)
    } else {
        return None;
    };
    // Whether the result is nought.
    match register {
        Some((_, output)) if words.iter().any(|word| matches!(*word, "sete" | "setz")) => {
            Some(format!("({}) = ({code} == 0)", output.value))
        }
        Some((_, output)) if words.iter().any(|word| matches!(*word, "setne" | "setnz")) => {
            Some(format!("({}) = ({code} != 0)", output.value))
        }
        Some(_) => None,
        None => Some(format!("(void) {code}")),
    }
}

/// Arm's instructions on Intel's processors.
fn arm(statement: &Statement, first: &str, arguments: &str) -> Option<String> {
    let output = statement.outputs.first().map(|operand| operand.value.as_str());
    let input = statement.inputs.first().map(|operand| operand.value.as_str());
    Some(match first {
        "dmb" | "dsb" | "isb" => "__sync_synchronize()".to_owned(),
        "yield" | "wfe" | "sev" => "__asm__ __volatile__(\"\" ::: \"memory\")".to_owned(),
        "brk" | "udf" | "bkpt" => "__builtin_trap()".to_owned(),
        "prfm" | "pld" => format!("__builtin_prefetch((const void *) ({}))", input?),
        "mrs" if arguments.contains("cntvct") || arguments.contains("cntpct") || arguments.contains("pmccntr") => {
            format!("({}) = __builtin_ia32_rdtsc()", output?)
        }
        "mrs" if arguments.contains("cntfrq") => format!("({}) = 1000000000", output?),
        "rev" => {
            let (output, input) = (output?, input?);
            format!(
                "({output}) = sizeof({output}) == 8 ? (__typeof__({output})) __builtin_bswap64((unsigned long long) ({input})) \
                 : (__typeof__({output})) __builtin_bswap32((unsigned int) ({input}))"
            )
        }
        "clz" => {
            let (output, input) = (output?, input?);
            format!(
                "({output}) = sizeof({input}) == 8 ? __builtin_clzll({input}) : __builtin_clz((unsigned int) ({input}))"
            )
        }
        "mov" if arguments.ends_with("sp") => {
            let output = output?;
            format!("({output}) = (__typeof__({output})) __builtin_frame_address(0)")
        }
        _ => return None,
    })
}
