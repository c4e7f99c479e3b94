//! Licence expressions of dependencies (SPDX, and the older form with a slash).

/// Licences that a dependency may have. All of them let a user of the program do what our own two licences let them do.
const ALLOWED: [&str; 14] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
    // Of the bzip2 library's port: a BSD licence in other words.
    "bzip2-1.0.6",
];

/// Whether the expression can be met with allowed licences alone; `Err` when it cannot be read.
pub(crate) fn is_allowed(expression: &str) -> Result<bool, String> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut tokens = spaced.split_whitespace().peekable();
    let answer = any_of(&mut tokens)?;
    match tokens.next() {
        None => Ok(answer),
        Some(token) => Err(format!("`{token}` is not expected there")),
    }
}

type Tokens<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any_of(tokens: &mut Tokens<'_>) -> Result<bool, String> {
    let mut answer = all_of(tokens)?;
    while tokens.next_if_eq(&"OR").is_some() {
        // Both sides are read, or a bad right side would go unnoticed.
        answer |= all_of(tokens)?;
    }
    Ok(answer)
}

fn all_of(tokens: &mut Tokens<'_>) -> Result<bool, String> {
    let mut answer = one(tokens)?;
    while tokens.next_if_eq(&"AND").is_some() {
        answer &= one(tokens)?;
    }
    Ok(answer)
}

fn one(tokens: &mut Tokens<'_>) -> Result<bool, String> {
    match tokens.next() {
        Some("(") => {
            let answer = any_of(tokens)?;
            match tokens.next() {
                Some(")") => Ok(answer),
                _ => Err("a parenthesis is not closed".to_owned()),
            }
        }
        Some(token @ ("OR" | "AND" | "WITH" | ")")) => Err(format!("`{token}` is not expected there")),
        Some(name) if tokens.next_if_eq(&"WITH").is_some() => {
            let exception = tokens.next().ok_or("an exception's name is missing")?;
            Ok(ALLOWED.contains(&format!("{name} WITH {exception}").as_str()))
        }
        Some(name) => Ok(ALLOWED.contains(&name)),
        None => Err("a licence's name is missing".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_read_as_choices_and_sums() {
        for (expression, expected) in [
            ("MIT", Ok(true)),
            ("MIT/Apache-2.0", Ok(true)),
            ("GPL-3.0-only", Ok(false)),
            ("MIT OR Apache-2.0 OR LGPL-2.1-or-later", Ok(true)),
            ("MIT AND GPL-2.0-only", Ok(false)),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", Ok(true)),
            ("GPL-2.0-only OR MIT AND LGPL-2.1-only", Ok(false)),
            ("Apache-2.0 WITH LLVM-exception", Ok(true)),
            ("GPL-2.0-only WITH Classpath-exception-2.0", Ok(false)),
            ("MIT OR", Err("a licence's name is missing".to_owned())),
            ("(MIT", Err("a parenthesis is not closed".to_owned())),
            ("MIT Apache-2.0", Err("`Apache-2.0` is not expected there".to_owned())),
        ] {
            assert_eq!(is_allowed(expression), expected, "{expression}");
        }
    }
}
