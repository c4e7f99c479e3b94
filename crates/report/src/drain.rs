//! Groups lines that differ only in their details, so that many logs show a few shapes.
//!
//! After P. He et al., "Drain: an online log parsing approach with fixed depth tree" (ICWS 2017): details are masked, lines of
//! one length with the same first words meet in one leaf, and there the most similar group takes a line in.

use std::collections::BTreeMap;

/// Stands for what differs.
const ANY: &str = "<*>";
/// Words at the start that must be the same, masked ones apart.
const DEPTH: usize = 2;
/// The share of words that must be the same.
const ALIKE: f64 = 0.5;
/// Words of a line that are looked at; what is longer is a command line more often than a message.
const MOST_WORDS: usize = 40;

/// Lines of one shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The words; what differs is masked.
    words: Vec<String>,
    /// How many lines there are.
    pub(crate) count: u64,
}

impl Shape {
    pub(crate) fn template(&self) -> String {
        self.words.join(" ")
    }

    /// The share of words that a line has in common with it; masked ones say nothing.
    fn likeness(&self, words: &[String]) -> f64 {
        let same = self
            .words
            .iter()
            .zip(words)
            .filter(|(own, other)| own == other && *own != ANY)
            .count();
        let telling = self.words.iter().filter(|word| *word != ANY).count();
        same as f64 / telling.max(1) as f64
    }
}

/// The groups so far.
#[derive(Debug, Default)]
pub(crate) struct Drain {
    shapes: Vec<Shape>,
    /// Number of words and the first of them, to places in `shapes`.
    leaves: BTreeMap<(usize, Vec<String>), Vec<usize>>,
}

impl Drain {
    /// Takes a line in; says which group has it. A line without words is in none.
    pub(crate) fn add(&mut self, line: &str) -> Option<usize> {
        let words: Vec<String> = line.split_whitespace().take(MOST_WORDS).map(masked).collect();
        if words.iter().all(|word| word == ANY) {
            return None;
        }
        let start = words.iter().take(DEPTH).cloned().collect();
        let leaf = self.leaves.entry((words.len(), start)).or_default();
        let best = leaf
            .iter()
            .filter_map(|place| Some((*place, self.shapes.get(*place)?.likeness(&words))))
            .filter(|(_, likeness)| *likeness >= ALIKE)
            // The first of those that are equally alike, whatever the order of comparison.
            .fold(None, |best: Option<(usize, f64)>, next| match best {
                Some(best) if best.1 >= next.1 => Some(best),
                _ => Some(next),
            });
        if let Some((place, _)) = best
            && let Some(shape) = self.shapes.get_mut(place)
        {
            shape.count += 1;
            for (own, other) in shape.words.iter_mut().zip(&words) {
                if own != other {
                    ANY.clone_into(own);
                }
            }
            return Some(place);
        }
        let place = self.shapes.len();
        leaf.push(place);
        self.shapes.push(Shape { words, count: 1 });
        Some(place)
    }

    /// Every group, in order of first appearance.
    pub(crate) fn shapes(&self) -> &[Shape] {
        &self.shapes
    }
}

/// A word without what differs from project to project: numbers, paths, names in quotes.
fn masked(word: &str) -> String {
    const QUOTES: [char; 6] = ['\'', '"', '`', '\u{2018}', '\u{2019}', '\u{201c}'];
    let closes = |c: char| matches!(c, ':' | ',' | '.' | ';' | ')' | ']');
    let core = word.trim_end_matches(closes);
    let end = word.get(core.len()..).unwrap_or_default();
    let is_detail = core.chars().any(|c| c.is_ascii_digit())
        || core.contains('/')
        || (core.starts_with(QUOTES) && core.chars().count() > 1)
        || core.rsplit_once('.').is_some_and(|(stem, ending)| {
            !stem.is_empty() && (1..=4).contains(&ending.len()) && ending.chars().all(|c| c.is_ascii_alphanumeric())
        });
    if is_detail {
        format!("{ANY}{end}")
    } else {
        word.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::expect;

    use super::*;

    #[test]
    fn lines_of_one_shape_meet() {
        let mut drain = Drain::default();
        for line in [
            "src/hull.c:12:3: error: the keel 'oak' is not laid",
            "deck.c:7:1: error: the keel 'elm' is not laid",
            "src/hull.c:12:3: error: the mast is not stepped yet",
            "make: *** [Makefile:12: hull] Error 2",
            "make: *** [deep/Makefile:812: deck] Error 1",
            "ninja: build stopped: subcommand failed.",
            "   ",
            "17 42",
            "rig: stay alone is here",
            "rig: stay alone was there",
        ] {
            drain.add(line);
        }
        let mut text = String::new();
        for shape in drain.shapes() {
            writeln!(text, "{} {}", shape.count, shape.template()).unwrap();
        }
        expect![[r#"
            2 <*>: error: the keel <*> is not laid
            1 <*>: error: the mast is not stepped yet
            2 make: *** <*>: <*> Error <*>
            1 ninja: build stopped: subcommand failed.
            2 rig: stay alone <*> <*>
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn a_line_of_any_length_is_cut() {
        let mut drain = Drain::default();
        drain.add(&"word ".repeat(100_000));
        assert_eq!(drain.shapes()[0].template().split(' ').count(), MOST_WORDS);
    }
}
