//! Texts as vectors: from whatever the caller gives, else from hashed words.

use super::chunks::{Chunk, best, words};

/// Makes vectors of texts, so that texts on the same matter are near each other.
pub trait Embedder: Send + Sync {
    /// What makes them, for the journal.
    fn name(&self) -> String;

    /// One vector a text, all of the same length; the error says in one line why there are none.
    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, String>;
}

/// Vectors without a model: words and pairs of words are hashed to places of a vector. Knows nothing of meaning.
#[derive(Debug, Clone, Copy, Default)]
pub struct HashedWords;

/// Places of a vector.
const PLACES: usize = 2048;

impl Embedder for HashedWords {
    fn name(&self) -> String {
        format!("hashed words in {PLACES} places, without a model")
    }

    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, String> {
        Ok(texts.iter().map(|text| hashed(text)).collect())
    }
}

fn hashed(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; PLACES];
    let mut before: Option<String> = None;
    for word in words(text) {
        put(&mut vector, &word, 1.0);
        if let Some(before) = before {
            put(&mut vector, &format!("{before} {word}"), 0.5);
        }
        before = Some(word);
    }
    for value in &mut vector {
        *value = value.signum() * (1.0 + value.abs()).ln();
    }
    vector
}

fn put(vector: &mut [f32], word: &str, weight: f32) {
    // FNV-1a: the same on every machine and with every compiler.
    let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let place = (hash % vector.len() as u64) as usize;
    let sign = if hash >> 63 == 0 { 1.0 } else { -1.0 };
    if let Some(value) = vector.get_mut(place) {
        *value += sign * weight;
    }
}

/// The texts of which vectors are needed: a question, and the pieces.
pub(super) fn texts(chunks: &[Chunk], question: &str) -> Vec<String> {
    std::iter::once(question.to_owned())
        .chain(chunks.iter().map(|chunk| chunk.text.clone()))
        .collect()
}

/// The best pieces for a question, best first, by the vectors of [`texts`].
pub(super) fn nearest<'c>(
    name: &str,
    vectors: Vec<Vec<f32>>,
    chunks: &'c [Chunk],
    most: usize,
) -> Result<Vec<&'c Chunk>, String> {
    let mut vectors = vectors.into_iter();
    let question = vectors.next().unwrap_or_default();
    let vectors: Vec<Vec<f32>> = vectors.collect();
    if vectors.len() != chunks.len() || vectors.iter().any(|vector| vector.len() != question.len()) {
        return Err(format!(
            "{name} gave {} vectors of uneven length for {} texts",
            vectors.len(),
            chunks.len()
        ));
    }
    Ok(best(
        chunks,
        vectors.iter().map(|vector| cosine(&question, vector)),
        most,
    ))
}

fn cosine(one: &[f32], other: &[f32]) -> f64 {
    let dot =
        |one: &[f32], other: &[f32]| -> f64 { one.iter().zip(other).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum() };
    dot(one, other) / (dot(one, one) * dot(other, other)).sqrt().max(f64::MIN_POSITIVE)
}
