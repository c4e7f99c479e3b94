//! Scripts and diffs in a model's text.

/// The languages of blocks that are scripts.
const SHELLS: [&str; 4] = ["bash", "sh", "shell", "console"];
/// The languages of blocks that are diffs.
const DIFFS: [&str; 2] = ["diff", "patch"];

/// The diffs in a text, found like [`scripts`].
pub(crate) fn diffs(text: &str) -> Vec<String> {
    blocks(text, &DIFFS)
}

/// The scripts in a text: its fenced blocks for a shell, or those without a language when there are no others. A block that
/// is not closed ends with the text.
pub(crate) fn scripts(text: &str) -> Vec<String> {
    blocks(text, &SHELLS)
}

fn blocks(text: &str, languages: &[&str]) -> Vec<String> {
    let mut named = Vec::new();
    let mut plain = Vec::new();
    let mut open: Option<(String, String, Vec<&str>)> = None;
    for line in text.lines() {
        let start = line.trim_start();
        if let Some((fence, language, lines)) = &mut open {
            let closes =
                start.trim_end().len() >= fence.len() && start.trim_end().chars().all(|c| fence.starts_with(c));
            if closes {
                let block = format!("{}\n", lines.join("\n"));
                put(&mut named, &mut plain, languages, language, block);
                open = None;
            } else {
                lines.push(line);
            }
            continue;
        }
        let mark = if start.starts_with("```") {
            '`'
        } else if start.starts_with("~~~") {
            '~'
        } else {
            continue;
        };
        let length = start.chars().take_while(|c| *c == mark).count();
        let fence: String = std::iter::repeat_n(mark, length).collect();
        let language = start[length..].trim().to_lowercase();
        open = Some((fence, language, Vec::new()));
    }
    if let Some((_, language, lines)) = open {
        let block = format!("{}\n", lines.join("\n"));
        put(&mut named, &mut plain, languages, &language, block);
    }
    if named.is_empty() { plain } else { named }
}

fn put(named: &mut Vec<String>, plain: &mut Vec<String>, languages: &[&str], language: &str, block: String) {
    if block.trim().is_empty() {
        return;
    }
    if language.is_empty() {
        plain.push(block);
    } else if languages.contains(&language) {
        named.push(block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_found_in_any_fence() {
        assert_eq!(
            scripts("Do:\n```bash\nmake\n```\nand\n```sh\nmake install\n```"),
            ["make\n", "make install\n"]
        );
        assert_eq!(scripts("```\nmake\n```"), ["make\n"]);
        assert_eq!(scripts("```\nout\n```\n~~~bash\n./configure\n~~~"), ["./configure\n"]);
        assert_eq!(scripts("````bash\ncat <<E\n```\nE\n````"), ["cat <<E\n```\nE\n"]);
        assert_eq!(scripts("```bash\nmake"), ["make\n"]);
        assert_eq!(scripts("```c\nint x;\n```\nmake"), Vec::<String>::new());
        assert_eq!(scripts("```bash\n\n```"), Vec::<String>::new());
    }
}
