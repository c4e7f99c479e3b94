//! Documents in pieces of even length, and how much a piece has to do with a question.

use std::collections::HashMap;

/// Characters of a piece.
const LENGTH: usize = 3000;

/// Characters that a piece shares with the one before it.
const OVERLAP: usize = 200;

/// A piece of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chunk {
    /// The document's name: a path or an address.
    pub(super) source: String,
    pub(super) text: String,
}

/// Cuts a document, at the end of a paragraph, a line or a word where there is one in the second half of a piece.
pub(super) fn cut(source: &str, text: &str) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let whole = byte_of(rest, LENGTH);
        let end = match whole {
            None => rest.len(),
            Some(end) => {
                let piece = &rest[..end];
                ["\n\n", "\n", " "]
                    .iter()
                    .find_map(|mark| piece.rfind(mark).filter(|at| *at > end / 2).map(|at| at + mark.len()))
                    .unwrap_or(end)
            }
        };
        chunks.push(Chunk {
            source: source.to_owned(),
            text: rest[..end].trim().to_owned(),
        });
        if whole.is_none() {
            break;
        }
        let mut next = end.saturating_sub(OVERLAP);
        while !rest.is_char_boundary(next) {
            next += 1;
        }
        rest = &rest[next..];
    }
    chunks
}

fn byte_of(text: &str, characters: usize) -> Option<usize> {
    text.char_indices().nth(characters).map(|(at, _)| at)
}

/// Words that say nothing.
const EMPTY_WORDS: [&str; 24] = [
    "the", "a", "an", "and", "or", "of", "to", "in", "is", "are", "for", "on", "with", "this", "that", "it", "be",
    "as", "by", "you", "from", "at", "can", "will",
];

/// The words of a text: letters and digits, in lower case; a plural's `s` and `ing` make no difference.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '+' && c != '_')
        .filter(|word| word.chars().count() > 1)
        .map(str::to_lowercase)
        .filter(|word| !EMPTY_WORDS.contains(&word.as_str()))
        .map(|word| {
            let stem = word.strip_suffix("ing").or_else(|| word.strip_suffix('s'));
            stem.filter(|stem| stem.len() > 3).map_or(word.clone(), str::to_owned)
        })
}

/// The best pieces for a question by TF-IDF and the cosine of the angle, best first. Equals stay in order.
pub(super) fn by_tf_idf<'c>(chunks: &'c [Chunk], question: &str, most: usize) -> Vec<&'c Chunk> {
    let counts: Vec<HashMap<String, f64>> = chunks.iter().map(|chunk| count(&chunk.text)).collect();
    let mut documents: HashMap<&str, f64> = HashMap::new();
    for words in &counts {
        for word in words.keys() {
            *documents.entry(word).or_default() += 1.0;
        }
    }
    let total = chunks.len() as f64;
    let weight = |word: &str, count: f64| {
        let rare = ((1.0 + total) / (1.0 + documents.get(word).copied().unwrap_or(0.0))).ln() + 1.0;
        (1.0 + count.ln()) * rare
    };
    let question = count(question);
    let length = |words: &HashMap<String, f64>| {
        let sum: f64 = words.iter().map(|(word, count)| weight(word, *count).powi(2)).sum();
        sum.sqrt().max(f64::MIN_POSITIVE)
    };
    let scores = counts.iter().map(|words| {
        // Sums in a fixed order, so that the last bit does not decide by chance.
        let mut shared: Vec<(&String, &f64)> = question.iter().filter(|(word, _)| words.contains_key(*word)).collect();
        shared.sort_by(|one, other| one.0.cmp(other.0));
        let sum: f64 = shared
            .into_iter()
            .map(|(word, asked)| weight(word, *asked) * weight(word, words.get(word).copied().unwrap_or(1.0)))
            .sum();
        sum / length(words)
    });
    best(chunks, scores, most)
}

/// The pieces with the highest scores above 0, best first. Scores are compared to six digits, so that equals are equal.
pub(super) fn best(chunks: &[Chunk], scores: impl Iterator<Item = f64>, most: usize) -> Vec<&Chunk> {
    let mut ranked: Vec<(i64, &Chunk)> = scores
        .map(|score| (score * 1e6).round() as i64)
        .zip(chunks)
        .filter(|(score, _)| *score > 0)
        .collect();
    ranked.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    ranked.into_iter().take(most).map(|(_, chunk)| chunk).collect()
}

fn count(text: &str) -> HashMap<String, f64> {
    let mut counts = HashMap::new();
    for word in words(text) {
        *counts.entry(word).or_default() += 1.0;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_a_document_and_overlap() {
        for text in [
            "x",
            &"é".repeat(9000),
            &"word ".repeat(2000),
            &"line of a text\n".repeat(900),
        ] {
            let chunks = cut("f", text);
            let longest = chunks.iter().map(|chunk| chunk.text.chars().count()).max().unwrap();
            assert!(longest <= LENGTH);
            assert!(text.trim().starts_with(&chunks[0].text));
            assert!(text.trim().ends_with(&chunks.last().unwrap().text));
            for pair in chunks.windows(2) {
                let end: String = pair[0].text.chars().rev().take(50).collect();
                let end: String = end.chars().rev().collect();
                assert!(
                    pair[1].text.contains(&end),
                    "a piece begins before the one before it ends"
                );
            }
        }
        assert!(cut("f", " \n ").is_empty());
    }

    #[test]
    fn the_piece_that_answers_is_first() {
        let chunk = |source: &str, text: &str| Chunk {
            source: source.to_owned(),
            text: text.to_owned(),
        };
        let chunks = [
            chunk("a", "A keel keeps a ship upright. The ship has one keel."),
            chunk(
                "b",
                "Building: install cmake, then compile with make. Dependencies: zlib.",
            ),
            chunk("c", "Licence text of the ship."),
        ];
        let found = by_tf_idf(&chunks, "how to build and compile from source, dependencies, cmake", 2);
        assert_eq!(
            found.iter().map(|chunk| chunk.source.as_str()).collect::<Vec<_>>(),
            ["b"]
        );
    }
}
