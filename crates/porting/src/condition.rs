//! Which lines of a C source count on a target: `#if` and its kin, read with what compilers define by themselves.

use seatrial_core::Arch;

use crate::machine;

/// Whether something holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    Yes,
    No,
    Unknown,
}

impl Holds {
    fn not(self) -> Self {
        match self {
            Self::Yes => Self::No,
            Self::No => Self::Yes,
            Self::Unknown => Self::Unknown,
        }
    }

    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Yes, Self::Yes) => Self::Yes,
            _ => Self::Unknown,
        }
    }

    fn or(self, other: Self) -> Self {
        self.not().and(other.not()).not()
    }
}

/// One branch of a conditional: `#if`, `#elif` or `#else` and the lines below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Branch {
    /// The line of the directive, from 0.
    pub(crate) line: usize,
    /// The condition; empty for `#else`.
    pub(crate) condition: String,
    /// The line of the next directive of the conditional.
    pub(crate) end: usize,
}

/// A whole conditional.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) branches: Vec<Branch>,
}

/// The directive of a line and what stands behind it.
fn directive(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    Some(rest.split_at(end))
}

/// The condition of a directive as an expression.
fn condition(word: &str, rest: &str) -> Option<String> {
    let rest = rest.split("/*").next().unwrap_or(rest);
    let rest = rest.split("//").next().unwrap_or(rest).trim();
    match word {
        "if" | "elif" => Some(rest.to_owned()),
        "ifdef" | "elifdef" => Some(format!("defined({rest})")),
        "ifndef" | "elifndef" => Some(format!("!defined({rest})")),
        "else" => Some(String::new()),
        _ => None,
    }
}

/// All conditionals, in the order of their ends.
pub(crate) fn groups(text: &str) -> Vec<Group> {
    let mut open: Vec<Group> = Vec::new();
    let mut done = Vec::new();
    let mut joined: Option<(usize, String)> = None;
    for (at, line) in text.lines().enumerate() {
        // A directive may go on behind a backslash.
        let (first, whole) = match joined.take() {
            Some((first, before)) => (first, format!("{before} {line}")),
            None => (at, line.to_owned()),
        };
        if let Some(part) = whole.strip_suffix('\\')
            && part.trim_start().starts_with('#')
        {
            joined = Some((first, part.to_owned()));
            continue;
        }
        let Some((word, rest)) = directive(&whole) else {
            continue;
        };
        if word == "endif" {
            if let Some(mut group) = open.pop() {
                if let Some(last) = group.branches.last_mut() {
                    last.end = first;
                }
                done.push(group);
            }
            continue;
        }
        let Some(condition) = condition(word, rest) else {
            continue;
        };
        let branch = Branch {
            line: first,
            condition,
            end: first,
        };
        if word.starts_with("if") {
            open.push(Group { branches: vec![branch] });
        } else if let Some(group) = open.last_mut() {
            if let Some(last) = group.branches.last_mut() {
                last.end = first;
            }
            group.branches.push(branch);
        }
    }
    done
}

/// Whether each line counts on a target.
pub(crate) fn counts(text: &str, target: Arch) -> Vec<Holds> {
    let mut lines = vec![Holds::Yes; text.lines().count()];
    for group in groups(text) {
        let mut before = Holds::No;
        for branch in &group.branches {
            let own = if branch.condition.is_empty() {
                Holds::Yes
            } else {
                evaluate(&branch.condition, target)
            };
            let here = before.not().and(own);
            before = before.or(own);
            for line in lines.iter_mut().take(branch.end).skip(branch.line + 1) {
                *line = line.and(here);
            }
        }
    }
    lines
}

/// Whether a condition holds on a target.
pub(crate) fn evaluate(condition: &str, target: Arch) -> Holds {
    let tokens = tokens(condition);
    let mut parser = Parser {
        tokens: &tokens,
        at: 0,
        target,
    };
    let found = parser.any();
    if parser.at < tokens.len() {
        Holds::Unknown
    } else {
        found
    }
}

fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut in_word = false;
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        let is_word = c.is_ascii_alphanumeric() || c == '_';
        if is_word {
            match tokens.last_mut() {
                Some(last) if in_word => last.push(c),
                _ => tokens.push(c.to_string()),
            }
        } else if !c.is_whitespace() {
            let mut token = c.to_string();
            if matches!(c, '&' | '|' | '=' | '<' | '>' | '!')
                && let Some(next) = letters.peek()
                && (*next == c || *next == '=')
                && !(c == '!' && *next == '!')
            {
                token.push(*next);
                letters.next();
            }
            tokens.push(token);
        }
        in_word = is_word;
    }
    tokens
}

struct Parser<'t> {
    tokens: &'t [String],
    at: usize,
    target: Arch,
}

impl Parser<'_> {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }

    fn take(&mut self) -> String {
        let token = self.peek().to_owned();
        self.at += 1;
        token
    }

    fn any(&mut self) -> Holds {
        let mut found = self.all();
        while self.peek() == "||" {
            self.at += 1;
            found = found.or(self.all());
        }
        found
    }

    fn all(&mut self) -> Holds {
        let mut found = self.one();
        while self.peek() == "&&" {
            self.at += 1;
            found = found.and(self.one());
        }
        found
    }

    fn one(&mut self) -> Holds {
        let found = self.plain();
        if matches!(self.peek(), "" | "&&" | "||" | ")") {
            return found;
        }
        // A comparison: what it says is not known here.
        let mut depth = 0;
        while !self.peek().is_empty() {
            match self.peek() {
                "(" => depth += 1,
                ")" | "&&" | "||" if depth == 0 => break,
                ")" => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
        Holds::Unknown
    }

    fn plain(&mut self) -> Holds {
        match self.take().as_str() {
            "!" => self.plain().not(),
            "(" => {
                let found = self.any();
                if self.peek() == ")" {
                    self.at += 1;
                }
                found
            }
            "defined" => {
                let braces = self.peek() == "(";
                self.at += usize::from(braces);
                let name = self.take();
                self.at += usize::from(braces);
                known(&name, self.target)
            }
            word if word.starts_with(|c: char| c.is_ascii_digit()) => {
                let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
                if digits.chars().all(|c| c == '0') {
                    Holds::No
                } else {
                    Holds::Yes
                }
            }
            word => known(word, self.target),
        }
    }
}

/// Whether a compiler for the target defines a name by itself, with the flags that distributions build with.
fn known(name: &str, target: Arch) -> Holds {
    let is = |holds: bool| if holds { Holds::Yes } else { Holds::No };
    match name {
        "__x86_64__" | "__x86_64" | "__amd64__" | "__amd64" | "_M_X64" | "_M_AMD64" => is(target == Arch::X86_64),
        "__i386__" | "__i386" | "i386" | "_M_IX86" | "__i686__" | "__i586__" | "__i486__" => is(target == Arch::I686),
        "__MMX__" | "__SSE__" | "__SSE2__" => match target {
            Arch::X86_64 => Holds::Yes,
            Arch::I686 => Holds::Unknown,
            _ => Holds::No,
        },
        _ if [
            "__SSE",
            "__SSSE",
            "__AVX",
            "__FMA",
            "__AES__",
            "__PCLMUL__",
            "__BMI",
            "__POPCNT__",
            "__F16C__",
            "__LZCNT__",
        ]
        .iter()
        .any(|beginning| name.starts_with(beginning)) =>
        {
            if machine::is_x86(target) {
                Holds::Unknown
            } else {
                Holds::No
            }
        }
        "__aarch64__" | "__arm64__" | "_M_ARM64" => is(target == Arch::Aarch64),
        "__arm__" | "__arm" | "_M_ARM" => is(target == Arch::Armv7l),
        "__ARM_NEON" | "__ARM_NEON__" => match target {
            Arch::Aarch64 => Holds::Yes,
            Arch::Armv7l => Holds::Unknown,
            _ => Holds::No,
        },
        _ if name.starts_with("__ARM_") => {
            if machine::ARM.contains(&target) {
                Holds::Unknown
            } else {
                Holds::No
            }
        }
        "__powerpc64__" | "__powerpc__" | "__ppc64__" | "__ppc__" | "__PPC__" | "__PPC64__" | "__ALTIVEC__"
        | "__VSX__" => is(target == Arch::Ppc64le),
        "__riscv" => is(target == Arch::Riscv64),
        "__s390x__" | "__s390__" => is(target == Arch::S390x),
        "__mips__" | "__mips" | "__sparc__" | "__sparc" | "__alpha__" | "__ia64__" | "__hppa__" | "__loongarch__"
        | "__m68k__" | "_WIN32" | "_WIN64" | "WIN32" | "__MINGW32__" | "_MSC_VER" | "__APPLE__" | "__FreeBSD__"
        | "__NetBSD__" | "__OpenBSD__" | "__CYGWIN__" | "__sun" | "__sun__" | "__BORLANDC__" | "__clang__" => Holds::No,
        "__LP64__" | "_LP64" => is(machine::is_64_bits(target)),
        "__LITTLE_ENDIAN__" if target == Arch::Ppc64le => Holds::Yes,
        "__linux__" | "__linux" | "linux" | "__unix__" | "__unix" | "__GNUC__" | "__ELF__" | "__STDC__"
        | "__BYTE_ORDER__" => Holds::Yes,
        _ => Holds::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_for_a_target() {
        for (condition, arm, intel) in [
            ("defined(__x86_64__)", Holds::No, Holds::Yes),
            ("defined __x86_64__ || defined(__i386__)", Holds::No, Holds::Yes),
            ("!defined(__aarch64__) && __GNUC__ >= 4", Holds::No, Holds::Unknown),
            ("defined(USE_FAST) && defined(__SSE2__)", Holds::No, Holds::Unknown),
            ("(defined(__SSE2__) || 0)", Holds::No, Holds::Yes),
            ("1", Holds::Yes, Holds::Yes),
            ("HAVE(X) && !1", Holds::No, Holds::No),
            ("!!1", Holds::Yes, Holds::Yes),
        ] {
            assert_eq!(evaluate(condition, Arch::Aarch64), arm, "{condition}");
            assert_eq!(evaluate(condition, Arch::X86_64), intel, "{condition}");
        }
    }

    #[test]
    fn branches_and_their_lines_are_found() {
        let text = "a\n#ifdef __x86_64__\nb\n# elif defined(X) \\\n  && Y\nc\n#else\n#if 0\nd\n#endif\ne\n#endif\nf\n";
        let held: Vec<(usize, Holds)> = counts(text, Arch::Aarch64).into_iter().enumerate().collect();
        let at = |line: usize| held.get(line).map(|(_, holds)| *holds);
        assert_eq!(
            [0, 2, 5, 8, 10, 12].map(at),
            [
                Some(Holds::Yes),
                Some(Holds::No),
                Some(Holds::Unknown),
                Some(Holds::No),
                Some(Holds::Unknown),
                Some(Holds::Yes)
            ]
        );
    }
}
