//! Paragraphs of `Field: value` lines (`debian/control`, `.dsc`), edited without touching what is not meant.

use crate::PackageError;

/// A text of paragraphs. Comments, order, indentation and blank lines stay as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control {
    file: String,
    lines: Vec<String>,
}

/// Lines of one field, from its name to its last continuation line.
struct Field {
    start: usize,
    end: usize,
}

/// An item of a list with commas: where it is in the text of the field's lines.
struct Item {
    start: usize,
    end: usize,
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

fn name_of(line: &str) -> Option<&str> {
    if line.starts_with([' ', '\t', '#']) {
        return None;
    }
    let (name, _) = line.split_once(':')?;
    (!name.is_empty() && !name.contains(char::is_whitespace)).then_some(name)
}

impl Control {
    /// Reads a text; `file` is its name for messages.
    pub fn parse(file: &str, text: &str) -> Result<Self, PackageError> {
        let lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        let mut in_field = false;
        for (number, line) in (1..).zip(&lines) {
            if is_blank(line) {
                in_field = false;
            } else if name_of(line).is_some() {
                in_field = true;
            } else if !(line.starts_with('#') || in_field && line.starts_with([' ', '\t'])) {
                return Err(PackageError::recipe(
                    format!("{file}:{number}"),
                    "this is neither a field (`Name: value`) nor a line that goes on with one",
                ));
            }
        }
        Ok(Self {
            file: file.to_owned(),
            lines,
        })
    }

    /// The whole text.
    pub fn text(&self) -> String {
        self.lines.concat()
    }

    /// How many paragraphs there are; blocks of comments are none.
    pub fn paragraphs(&self) -> usize {
        self.blocks().len()
    }

    /// Ranges of lines that are paragraphs.
    fn blocks(&self) -> Vec<(usize, usize)> {
        let mut blocks = Vec::new();
        let mut start = None;
        for (at, line) in self.lines.iter().enumerate() {
            if is_blank(line) {
                blocks.extend(start.take().map(|start| (start, at)));
            } else if start.is_none() {
                start = Some(at);
            }
        }
        blocks.extend(start.map(|start| (start, self.lines.len())));
        let has_field = |(start, end): &(usize, usize)| {
            let lines = self.lines.get(*start..*end).unwrap_or_default();
            lines.iter().any(|line| name_of(line).is_some())
        };
        blocks.retain(has_field);
        blocks
    }

    fn field(&self, paragraph: usize, name: &str) -> Option<Field> {
        let (first, last) = *self.blocks().get(paragraph)?;
        let is_name = |at: &usize| {
            let line = self.lines.get(*at).and_then(|line| name_of(line));
            line.is_some_and(|found| found.eq_ignore_ascii_case(name))
        };
        let start = (first..last).find(is_name)?;
        let mut end = start + 1;
        // Comments in the middle belong to the field, those behind it do not.
        for at in start + 1..last {
            match self.lines.get(at) {
                Some(line) if line.starts_with([' ', '\t']) => end = at + 1,
                Some(line) if line.starts_with('#') => {}
                _ => break,
            }
        }
        Some(Field { start, end })
    }

    /// Names of the fields of a paragraph, in their order.
    pub fn names(&self, paragraph: usize) -> Vec<&str> {
        let (first, last) = self.blocks().get(paragraph).copied().unwrap_or_default();
        let lines = self.lines.get(first..last).unwrap_or_default();
        lines.iter().filter_map(|line| name_of(line)).collect()
    }

    /// A field's value with its further lines, without comments; the name's case does not matter.
    pub fn get(&self, paragraph: usize, name: &str) -> Option<String> {
        let field = self.field(paragraph, name)?;
        let lines = self.lines.get(field.start..field.end)?;
        let kept: String = lines.iter().filter(|line| !line.starts_with('#')).cloned().collect();
        Some(kept.split_once(':')?.1.trim().to_owned())
    }

    /// The first paragraph in which a field has a value.
    pub fn find(&self, name: &str, value: &str) -> Option<usize> {
        (0..self.paragraphs()).find(|paragraph| self.get(*paragraph, name).as_deref() == Some(value))
    }

    /// Sets a field. A new one goes to the end of the paragraph; an old one stays where it is.
    pub fn set(&mut self, paragraph: usize, name: &str, value: &str) -> Result<(), PackageError> {
        if value.lines().skip(1).any(|line| !line.starts_with([' ', '\t'])) {
            return Err(self.edit(format!("further lines of `{name}` must begin with a blank")));
        }
        if self.get(paragraph, name).as_deref() == Some(value.trim()) {
            return Ok(());
        }
        let text = if value.starts_with('\n') {
            format!("{name}:{}\n", value.trim_end())
        } else {
            format!("{name}: {}\n", value.trim())
        };
        if let Some(field) = self.field(paragraph, name) {
            let written = self
                .lines
                .get(field.start)
                .and_then(|line| name_of(line))
                .unwrap_or(name);
            let text = text.replacen(name, written, 1);
            self.lines.splice(field.start..field.end, lines_of(&text));
            return Ok(());
        }
        let Some((first, last)) = self.blocks().get(paragraph).copied() else {
            return Err(self.edit(format!("there is no paragraph {paragraph}")));
        };
        // Before comments that end the paragraph: they may belong to what follows.
        let end = (first..last)
            .rev()
            .find(|at| self.lines.get(*at).is_some_and(|line| !line.starts_with('#')))
            .map_or(last, |at| at + 1);
        self.close_line(end);
        self.lines.splice(end..end, lines_of(&text));
        Ok(())
    }

    /// Removes a field; says whether it was there.
    pub fn remove(&mut self, paragraph: usize, name: &str) -> bool {
        let field = self.field(paragraph, name);
        if let Some(field) = &field {
            self.lines.drain(field.start..field.end);
        }
        field.is_some()
    }

    /// Items of a list with commas, such as build dependencies.
    pub fn items(&self, paragraph: usize, name: &str) -> Vec<String> {
        let Some((text, items)) = self.spans(paragraph, name) else {
            return Vec::new();
        };
        items
            .iter()
            .filter_map(|item| text.get(item.start..item.end))
            .map(|item| {
                let lines = item.lines().filter(|line| !line.starts_with('#'));
                lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
            })
            .collect()
    }

    /// Adds an item to a list with commas, written as the others are: behind them on their line, or on one of its own.
    pub fn add_item(&mut self, paragraph: usize, name: &str, item: &str) -> Result<(), PackageError> {
        let Some((text, items)) = self.spans(paragraph, name) else {
            return self.set(paragraph, name, item);
        };
        let Some(last) = items.last() else {
            return self.set(paragraph, name, item);
        };
        let (before, after) = text.split_at_checked(last.end).unwrap_or((&text, ""));
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = text.get(line_start..last.end).unwrap_or_default();
        let own_line = items.len() > 1 && {
            let previous = items.iter().rev().nth(1).map_or(0, |item| item.end);
            text.get(previous..last.start)
                .is_some_and(|between| between.contains('\n'))
        };
        let indent: String = line.chars().take_while(|c| c.is_whitespace()).collect();
        let rest = line.trim_start();
        let comma_ends = after.trim_start_matches([' ', '\t']).starts_with(',');
        let added = match (own_line && !indent.is_empty(), comma_ends) {
            // `, item` at the beginning of each line.
            (true, false) if rest.starts_with(',') => {
                let gap: String = rest.chars().skip(1).take_while(|c| c.is_whitespace()).collect();
                format!("{before}\n{indent},{gap}{item}{after}")
            }
            (true, false) => format!("{before},\n{indent}{item}{after}"),
            (true, true) => {
                let (comma, rest) = after
                    .split_at_checked(after.find(',').map_or(0, |at| at + 1))
                    .unwrap_or(("", after));
                format!("{before}{comma}\n{indent}{item},{rest}")
            }
            (false, true) => {
                let (comma, rest) = after
                    .split_at_checked(after.find(',').map_or(0, |at| at + 1))
                    .unwrap_or(("", after));
                format!("{before}{comma} {item}{rest}")
            }
            (false, false) => format!("{before}, {item}{after}"),
        };
        self.put(paragraph, name, &added);
        Ok(())
    }

    /// Replaces the first item that `is` says yes to, or removes it. Says whether there was one.
    pub fn change_item(&mut self, paragraph: usize, name: &str, is: impl Fn(&str) -> bool, new: Option<&str>) -> bool {
        let Some((mut text, items)) = self.spans(paragraph, name) else {
            return false;
        };
        let Some(at) = self.items(paragraph, name).iter().position(|item| is(item)) else {
            return false;
        };
        let Some(item) = items.get(at) else { return false };
        match (new, at.checked_sub(1).and_then(|before| items.get(before))) {
            (Some(new), _) => text.replace_range(item.start..item.end, new),
            (None, _) if items.len() == 1 => return self.remove(paragraph, name),
            (None, previous) => {
                let rest = text.get(item.end..).unwrap_or_default();
                let gap = rest.len() - rest.trim_start_matches([' ', '\t']).len();
                if rest.get(gap..).is_some_and(|rest| rest.starts_with(',')) {
                    cut(&mut text, item.start, item.end + gap + 1);
                } else if let Some(previous) = previous {
                    text.replace_range(previous.end..item.end, "");
                } else if let Some(next) = items.get(at + 1) {
                    text.replace_range(item.start..next.start, "");
                }
            }
        }
        self.put(paragraph, name, &text);
        true
    }

    /// The text of a field's lines and the items in it.
    fn spans(&self, paragraph: usize, name: &str) -> Option<(String, Vec<Item>)> {
        let field = self.field(paragraph, name)?;
        let text = self.lines.get(field.start..field.end)?.concat();
        let colon = text.find(':')? + 1;
        let mut items = Vec::new();
        let mut open: Option<Item> = None;
        let (mut at_start, mut comment) = (false, false);
        for (at, c) in text.char_indices().skip_while(|(at, _)| *at < colon) {
            if at_start {
                comment = c == '#';
            }
            at_start = c == '\n';
            if comment || c.is_whitespace() {
                continue;
            }
            if c == ',' {
                items.extend(open.take());
                continue;
            }
            let end = at + c.len_utf8();
            match &mut open {
                Some(item) => item.end = end,
                None => open = Some(Item { start: at, end }),
            }
        }
        items.extend(open);
        Some((text, items))
    }

    fn put(&mut self, paragraph: usize, name: &str, text: &str) {
        if let Some(field) = self.field(paragraph, name) {
            self.lines.splice(field.start..field.end, lines_of(text));
        }
    }

    /// Ends the line before a place when the file ends without a line end.
    fn close_line(&mut self, at: usize) {
        if let Some(line) = at.checked_sub(1).and_then(|at| self.lines.get_mut(at))
            && !line.ends_with('\n')
        {
            line.push('\n');
        }
    }

    fn edit(&self, problem: String) -> PackageError {
        PackageError::edit(&self.file, problem)
    }
}

/// Takes an item and its comma out. A line that has nothing else goes whole.
fn cut(text: &mut String, start: usize, end: usize) {
    let line = text
        .get(..start)
        .and_then(|before| before.rfind('\n'))
        .map_or(0, |at| at + 1);
    let before = text.get(line..start).unwrap_or_default();
    let after = text.get(end..).unwrap_or_default();
    let blanks = after.len() - after.trim_start_matches([' ', '\t']).len();
    let ends = after
        .get(blanks..)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('\n'));
    let own = before.len() - before.trim_end_matches([' ', '\t']).len();
    let range = match (ends, before.trim().is_empty()) {
        (true, true) => line..end + blanks + usize::from(after.len() > blanks),
        (true, false) => start - own..end + blanks,
        (false, _) => start..end + blanks,
    };
    text.replace_range(range, "");
}

fn lines_of(text: &str) -> Vec<String> {
    text.split_inclusive('\n').map(str::to_owned).collect()
}
