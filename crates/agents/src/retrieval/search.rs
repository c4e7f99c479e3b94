//! Instructions without a model that chooses: the parts of documents that have most to do with a fixed question, or a label.

use std::collections::{BTreeSet, VecDeque};

use seatrial_core::Event;

use super::{
    Found, HashedWords, Library, Means, Repository,
    chunks::{self, Chunk, by_tf_idf},
    library::Outside,
    links::{self, Link},
    vectors::{self, nearest},
};
use crate::talk::Halt;

/// What is looked for.
const QUESTION: &str = "how to build, compile and install from source on Linux: dependencies and packages to install, configure, \
     cmake, make, meson, compiler, build commands";

/// Parts that are looked at, and parts that a model gets.
const LOOKED_AT: usize = 5;
const TOLD: usize = 3;

/// Links from the README to the last page.
const HOPS: u32 = 3;

/// Most pages of a crawl.
const MOST_PAGES: u32 = 40;

/// Ends of addresses that are no documents.
const NO_DOCUMENTS: [&str; 20] = [
    ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".ico", ".zip", ".gz", ".xz", ".bz2", ".tar", ".tgz", ".exe",
    ".dmg", ".deb", ".rpm", ".pdf", ".mp4", ".js",
];

/// In the project's own documents, by TF-IDF.
pub(super) fn in_documents(library: &mut Library) -> Found {
    let chunks: Vec<Chunk> = library
        .documents()
        .iter()
        .flat_map(|(path, text)| chunks::cut(path, text))
        .collect();
    let best = by_tf_idf(&chunks, QUESTION, LOOKED_AT);
    for chunk in &best {
        drop(library.file(&chunk.source));
    }
    found(&best)
}

/// In the project's documents and the pages that they lead to, by vectors.
pub(super) fn in_all(outside: &mut dyn Outside, library: &mut Library, means: &Means<'_>) -> Result<Found, Halt> {
    let local = means.embedder.unwrap_or(&HashedWords);
    let name = means
        .embedding
        .map_or_else(|| local.name(), |model| model.id().to_string());
    let mut texts = library.documents();
    texts.extend(crawl(outside, library)?);
    let chunks: Vec<Chunk> = texts.iter().flat_map(|(name, text)| chunks::cut(name, text)).collect();
    outside.tell(Event::Note {
        text: format!(
            "retrieval: {} parts of {} documents, as vectors by {}",
            chunks.len(),
            texts.len(),
            name
        ),
    })?;
    let told = vectors::texts(&chunks, QUESTION);
    let made = match means.embedding {
        Some(model) if !chunks.is_empty() => outside.embed(model, &told)?,
        Some(_) => Ok(vec![Vec::new()]),
        None => local.embed(&told),
    };
    let best = match made.and_then(|made| nearest(&name, made, &chunks, LOOKED_AT)) {
        Ok(best) => best,
        Err(why) => {
            outside.tell(Event::Note {
                text: format!("retrieval: no vectors ({why}); by TF-IDF instead"),
            })?;
            by_tf_idf(&chunks, QUESTION, LOOKED_AT)
        }
    };
    for chunk in &best {
        if !chunk.source.contains("://") {
            drop(library.file(&chunk.source));
        }
    }
    Ok(found(&best))
}

fn found(best: &[&Chunk]) -> Found {
    let told: Vec<String> = best
        .iter()
        .take(TOLD)
        .map(|chunk| format!("From {}:\n{}", chunk.source, chunk.text))
        .collect();
    let mut sources: Vec<String> = Vec::new();
    for chunk in best {
        if !sources.contains(&chunk.source) {
            sources.push(chunk.source.clone());
        }
    }
    Found {
        text: told.join("\n\n"),
        sources,
    }
}

/// The pages that are at most three links away from the README, nearest first.
fn crawl(outside: &mut dyn Outside, library: &mut Library) -> Result<Vec<(String, String)>, Halt> {
    let Some((readme, text)) = library.readme() else {
        return Ok(Vec::new());
    };
    let mut seen = BTreeSet::new();
    let mut queue: VecDeque<(String, u32)> = VecDeque::new();
    for link in links::written(&text) {
        if let Some(Link::Page(address)) = links::from_file(library.home.as_ref(), &readme, &link) {
            enqueue(&mut queue, &mut seen, address, 1);
        }
    }
    let mut pages = Vec::new();
    while let Some((address, hop)) = queue.pop_front() {
        if library.reached.requests >= MOST_PAGES {
            outside.tell(Event::Note {
                text: format!(
                    "retrieval: {MOST_PAGES} pages were asked for; {} more are left out",
                    queue.len() + 1
                ),
            })?;
            break;
        }
        let Ok(page) = library.page(outside, &address)? else {
            continue;
        };
        if hop < HOPS {
            for link in links::written(&page.text) {
                if let Some(Link::Page(next)) = links::from_page(library.home.as_ref(), &page.address, &link) {
                    enqueue(&mut queue, &mut seen, next, hop + 1);
                }
            }
        }
        pages.push((address, page.text));
    }
    Ok(pages)
}

fn enqueue(queue: &mut VecDeque<(String, u32)>, seen: &mut BTreeSet<String>, address: String, hop: u32) {
    let path = address.split('?').next().unwrap_or_default().to_ascii_lowercase();
    if NO_DOCUMENTS.iter().any(|end| path.ends_with(end)) || !seen.insert(address.clone()) {
        return;
    }
    queue.push_back((address, hop));
}

/// What the label names last, in the first of its forms that can be had.
pub(super) fn by_label(
    outside: &mut dyn Outside,
    library: &mut Library,
    label: Option<&Repository>,
) -> Result<Found, Halt> {
    let target = label.and_then(|label| label.trajectory.last());
    let Some(target) = target else {
        outside.tell(Event::Note {
            text: "retrieval: no label says where the instructions are".to_owned(),
        })?;
        return Ok(Found::default());
    };
    for address in target {
        let text = match label.and_then(|label| label.file_of(library, address)) {
            Some(path) => library.file(&path).map(|text| (path, text)),
            None => library.page(outside, address)?.map(|page| (address.clone(), page.text)),
        };
        if let Ok((name, text)) = text {
            return Ok(Found {
                text: format!("From {name}:\n{text}"),
                sources: vec![name],
            });
        }
    }
    Ok(Found::default())
}
