//! Paragraphs of `Field: value` lines, the format of all of a distribution's indexes.
//!
//! Values are slices of the text: an index has sixty thousand paragraphs and most fields of most are never looked at.

/// One paragraph.
#[derive(Debug, Default)]
pub(super) struct Paragraph<'a> {
    fields: Vec<(&'a str, &'a str)>,
}

impl<'a> Paragraph<'a> {
    /// The value of a field as written, its further lines included; the name's case does not matter.
    pub(super) fn get(&self, name: &str) -> Option<&'a str> {
        self.fields
            .iter()
            .find(|(field, _)| field.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
    }

    /// The value, or an empty text.
    pub(super) fn text(&self, name: &str) -> &'a str {
        self.get(name).unwrap_or_default()
    }

    /// The value as one line, for fields that may be wrapped.
    pub(super) fn line(&self, name: &str) -> String {
        let value = self.text(name);
        if value.contains('\n') {
            value.split_whitespace().collect::<Vec<_>>().join(" ")
        } else {
            value.to_owned()
        }
    }
}

/// Reads a text paragraph by paragraph. Lines that are no field are passed over; comment lines too.
pub(super) struct Paragraphs<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Paragraphs<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The next line with its start, without its end.
    fn line(&mut self) -> Option<(usize, &'a str)> {
        let start = self.at;
        let rest = self.text.get(start..).filter(|rest| !rest.is_empty())?;
        let end = rest.find('\n');
        self.at += end.map_or(rest.len(), |end| end + 1);
        let line = end.map_or(Some(rest), |end| rest.get(..end))?;
        Some((start, line))
    }
}

impl<'a> Iterator for Paragraphs<'a> {
    type Item = Paragraph<'a>;

    fn next(&mut self) -> Option<Paragraph<'a>> {
        let mut paragraph = Paragraph::default();
        // Name, start and end of the value of the field that is being read.
        let mut open: Option<(&'a str, usize, usize)> = None;
        let text = self.text;
        let close = |paragraph: &mut Paragraph<'a>, open: Option<(&'a str, usize, usize)>| {
            if let Some((name, start, end)) = open {
                paragraph.fields.push((name, text.get(start..end).unwrap_or_default()));
            }
        };
        while let Some((start, line)) = self.line() {
            if line.trim_end().is_empty() {
                close(&mut paragraph, open.take());
                if paragraph.fields.is_empty() {
                    continue;
                }
                return Some(paragraph);
            }
            if line.starts_with('#') {
                continue;
            }
            if line.starts_with([' ', '\t']) {
                if let Some((_, _, end)) = &mut open {
                    *end = start + line.len();
                }
                continue;
            }
            close(&mut paragraph, open.take());
            if let Some(colon) = line.find(':') {
                let name = line.get(..colon).unwrap_or_default();
                open = Some((name, start + colon + 1, start + line.len()));
            }
        }
        close(&mut paragraph, open);
        (!paragraph.fields.is_empty()).then_some(paragraph)
    }
}

/// The rows of a field such as `Checksums-Sha256`: hash, size, name.
pub(super) fn checksum_rows(value: &str) -> impl Iterator<Item = (&str, u64, &str)> {
    value.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        Some((words.next()?, words.next()?.parse().ok()?, words.next()?))
    })
}

/// The text inside a clear-signed document, or the text itself. Says nothing about the signature.
pub(super) fn without_armor(text: &str) -> &str {
    let Some(rest) = text.trim_start().strip_prefix("-----BEGIN PGP SIGNED MESSAGE-----") else {
        return text;
    };
    let body = rest
        .find("\n\n")
        .map_or(rest, |at| rest.get(at + 2..).unwrap_or_default());
    body.find("\n-----BEGIN PGP SIGNATURE-----")
        .map_or(body, |at| body.get(..=at).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_have_wrapped_values_and_pass_over_comments() {
        let text = "\n# c\nA: 1\nB:\n x\n# in the middle\n y\njunk\nC:2\n\n\n  \nA: 3";
        let read: Vec<_> = Paragraphs::new(text)
            .map(|p| format!("{}|{}|{}", p.text("a"), p.line("B"), p.text("C")))
            .collect();
        assert_eq!(read, ["1|x # in the middle y|2", "3||"]);
    }

    #[test]
    fn armor_is_taken_off() {
        let signed = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nA: 1\n-----BEGIN PGP SIGNATURE-----\nx\n";
        assert_eq!(without_armor(signed), "A: 1\n");
        assert_eq!(without_armor("A: 1\n"), "A: 1\n");
    }
}
