//! Files that are lists of lines: `install`, `docs`, `symbols` and their like.

/// A list of lines. Comments, order and blanks stay as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    lines: Vec<String>,
}

impl Rows {
    /// Reads a file.
    pub fn parse(text: &str) -> Self {
        Self {
            lines: text.split_inclusive('\n').map(str::to_owned).collect(),
        }
    }

    /// The whole text.
    pub fn text(&self) -> String {
        self.lines.concat()
    }

    /// The lines, without their ends.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(|line| line.trim_end_matches(['\n', '\r']))
    }

    /// Adds a line at the end, unless it is there.
    pub fn add(&mut self, line: &str) {
        if self.iter().any(|there| there.trim() == line.trim()) {
            return;
        }
        if let Some(last) = self.lines.last_mut()
            && !last.ends_with('\n')
        {
            last.push('\n');
        }
        self.lines.push(format!("{line}\n"));
    }

    /// Gives each line that `edit` has an answer for another text, or removes it when the answer is none of text. Says how
    /// many lines were changed.
    pub fn change(&mut self, edit: impl Fn(&str) -> Option<Option<String>>) -> usize {
        let mut changed = 0;
        let lines = std::mem::take(&mut self.lines);
        for line in lines {
            let text = line.trim_end_matches(['\n', '\r']);
            let end = line.get(text.len()..).unwrap_or_default();
            match edit(text) {
                None => self.lines.push(line),
                Some(Some(new)) => {
                    changed += usize::from(new != text);
                    self.lines.push(format!("{new}{end}"));
                }
                Some(None) => changed += 1,
            }
        }
        changed
    }
}
