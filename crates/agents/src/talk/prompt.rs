//! Prompts: texts in files of their own, with a version and a hash, and with places to be filled.

use std::collections::BTreeSet;

use seatrial_core::Digest;

/// A prompt. Its file begins with a line `version: N`; `{{name}}` is a place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prompt {
    name: &'static str,
    file: &'static str,
}

impl Prompt {
    /// A prompt from the text of its file.
    pub(crate) const fn new(name: &'static str, file: &'static str) -> Self {
        Self { name, file }
    }

    /// What the journal says of it: name, version and hash.
    pub(crate) fn mark(&self) -> String {
        format!(
            "{} {} {}",
            self.name,
            self.version(),
            Digest::of(self.file.as_bytes()).short()
        )
    }

    fn version(&self) -> &'static str {
        self.file
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("version: "))
            .map_or("0", str::trim)
    }

    fn body(&self) -> &'static str {
        self.file.split_once('\n').map_or("", |(_, body)| body).trim()
    }

    /// The text with its places filled. What is put in is never looked through for places.
    ///
    /// A place without a value stays as it is, which a test of every prompt rules out.
    pub(crate) fn fill(&self, values: &[(&str, &str)]) -> String {
        debug_assert_eq!(
            self.places(),
            values.iter().map(|(name, _)| *name).collect(),
            "the places of `{}`",
            self.name
        );
        let mut out = String::new();
        let mut rest = self.body();
        while let Some((before, after)) = rest.split_once("{{") {
            out.push_str(before);
            let Some((name, behind)) = after.split_once("}}") else {
                out.push_str("{{");
                rest = after;
                continue;
            };
            if let Some((_, value)) = values.iter().find(|(known, _)| *known == name.trim()) {
                out.push_str(value);
            } else {
                out.push_str("{{");
                out.push_str(name);
                out.push_str("}}");
            }
            rest = behind;
        }
        out.push_str(rest);
        out
    }

    /// The names of its places.
    pub(crate) fn places(&self) -> BTreeSet<&'static str> {
        self.body()
            .split("{{")
            .skip(1)
            .filter_map(|part| part.split_once("}}"))
            .map(|(name, _)| name.trim())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_prompt_of_the_folder_has_a_version() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/prompts");
        for entry in fs_err::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let text = fs_err::read_to_string(&path).unwrap();
            let version = text
                .strip_prefix("version: ")
                .and_then(|rest| rest.lines().next()?.parse::<u32>().ok());
            assert!(version.is_some(), "{}", path.display());
        }
    }

    #[test]
    fn places_are_filled_once_and_what_is_put_in_is_no_place() {
        let prompt = Prompt::new("test", "version: 3\n\nBuild {{ source }} with {{how}}; {{ not closed\n");
        assert_eq!(prompt.places(), BTreeSet::from(["source", "how"]));
        let text = prompt.fill(&[("source", "{{how}}"), ("how", "make")]);
        assert_eq!(text, "Build {{how}} with make; {{ not closed");
        assert!(prompt.mark().starts_with("test 3 "), "{}", prompt.mark());
    }
}
