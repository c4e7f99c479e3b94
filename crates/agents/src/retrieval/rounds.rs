//! A model reads documents in rounds: it takes down what it needs, says whether that is enough, and what to read next.

use std::fmt::Write as _;

use seatrial_core::{BOX_SOURCE, Event, Message, Role};
use seatrial_llm::{JsonSchema, ModelError};
use serde_json::{Value, json};

use super::{
    Found, Library,
    library::Outside,
    links::{self, Link},
};
use crate::talk::{Halt, Prompt};

const READ: Prompt = Prompt::new("retrieve", include_str!("../../prompts/retrieve.md"));
const FORM: Prompt = Prompt::new("retrieve-form", include_str!("../../prompts/retrieve-form.md"));

/// Rounds of following links.
const ROUNDS: u32 = 3;

/// Links of a kind that are followed in one round.
const LINKS: usize = 3;

/// Most bytes of one document, and of the notes.
const MOST_DOCUMENT: usize = 24_000;
const MOST_NOTES: usize = 12_000;

/// The prompts that are used, for the journal.
pub(crate) fn prompts() -> [&'static Prompt; 2] {
    [&READ, &FORM]
}

/// What the model says of what it read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Reading {
    instructions: String,
    sufficient: bool,
    links: Vec<String>,
}

/// Reads on from the README until the model has enough.
pub(super) fn read_on(outside: &mut dyn Outside, library: &mut Library) -> Result<Found, Halt> {
    let mut notes = String::new();
    let mut sources: Vec<String> = Vec::new();
    let mut documents = match library.readme() {
        Some((name, text)) => vec![(name, text)],
        // Without a README, what says by its name that it is about building comes first.
        None => library.documents().into_iter().take(LINKS).collect(),
    };
    if documents.is_empty() {
        outside.tell(Event::Note {
            text: "retrieval: there is no document to start from".to_owned(),
        })?;
        return Ok(Found::default());
    }
    let mut asked: Vec<Link> = documents.iter().map(|(name, _)| Link::File(name.clone())).collect();
    for round in 0..=ROUNDS {
        sources.extend(documents.iter().map(|(name, _)| name.clone()));
        let Some(reading) = read(outside, round, &notes, &documents)? else {
            break;
        };
        if !reading.instructions.trim().is_empty() {
            notes = reading.instructions;
        }
        if reading.sufficient || round == ROUNDS {
            break;
        }
        documents = follow(outside, library, &reading.links, &mut asked)?;
        if documents.is_empty() {
            break;
        }
    }
    Ok(Found { text: notes, sources })
}

/// One round: the model reads some documents. `None` when it cannot, and what was found before must do.
fn read(
    outside: &mut dyn Outside,
    round: u32,
    notes: &str,
    documents: &[(String, String)],
) -> Result<Option<Reading>, Halt> {
    let mut text = String::new();
    for (name, document) in documents {
        let (document, _) = seatrial_tools::shorten(document, MOST_DOCUMENT, "");
        let _ = writeln!(text, "----- {name} -----\n{document}\n");
    }
    let notes = if notes.is_empty() { "(none yet)" } else { notes };
    let (notes, _) = seatrial_tools::shorten(notes, MOST_NOTES, "");
    let filled = READ.fill(&[("notes", &notes), ("documents", &text)]);
    let mut messages = vec![Message::text(Role::User, filled)];
    let conversation = format!("retrieve-{}", round + 1);
    for again in [false, true] {
        let answer = outside.ask(&conversation_of(&conversation, again), messages.clone(), Some(schema()));
        let completion = match answer {
            Ok(completion) => completion,
            // Reading is a help, not the work: what the model cannot take in is left.
            Err(Halt::Model(
                error @ (ModelError::ContextFull { .. } | ModelError::TooLong { .. } | ModelError::Refused { .. }),
            )) => {
                outside.tell(Event::Note {
                    text: format!("retrieval: round {}: {error}", round + 1),
                })?;
                return Ok(None);
            }
            Err(halt) => return Err(halt),
        };
        let text = completion.message.plain_text();
        if let Some(reading) = parse(&text) {
            return Ok(Some(reading));
        }
        if again {
            outside.tell(Event::Note {
                text: format!(
                    "retrieval: round {}: the answer is not of the form asked for; its text is taken",
                    round + 1
                ),
            })?;
            return Ok(Some(Reading {
                instructions: text,
                sufficient: true,
                links: Vec::new(),
            }));
        }
        messages.push(completion.message);
        messages.push(Message::text(Role::User, FORM.fill(&[])));
    }
    Ok(None)
}

fn conversation_of(name: &str, again: bool) -> String {
    if again { format!("{name}-form") } else { name.to_owned() }
}

/// Fetches what the model wants to read next: what was not read before, three files and three pages at most.
fn follow(
    outside: &mut dyn Outside,
    library: &mut Library,
    wanted: &[String],
    asked: &mut Vec<Link>,
) -> Result<Vec<(String, String)>, Halt> {
    let mut documents = Vec::new();
    let [mut files, mut pages] = [0; 2];
    for link in wanted {
        let Some(link) = place(library, link).filter(|link| !asked.contains(link)) else {
            continue;
        };
        match &link {
            Link::File(path) if files < LINKS => {
                files += 1;
                match library.file(path) {
                    Ok(text) => documents.push((path.clone(), text)),
                    Err(why) => outside.tell(Event::Note {
                        text: format!("no file: {path}: {why}"),
                    })?,
                }
            }
            Link::Page(address) if pages < LINKS => {
                pages += 1;
                if let Ok(page) = library.page(outside, address)? {
                    documents.push((address.clone(), page.text));
                }
            }
            Link::File(_) | Link::Page(_) => continue,
        }
        asked.push(link);
    }
    Ok(documents)
}

/// Where a link of the model's leads: paths may be of the box or of the tree.
fn place(library: &Library, link: &str) -> Option<Link> {
    let link = link.trim();
    let inner = link.strip_prefix(BOX_SOURCE).unwrap_or(link).trim_start_matches('/');
    links::from_file(library.home.as_ref(), "", inner)
}

fn schema() -> JsonSchema {
    let texts = |about: &str| json!({"type": "array", "items": {"type": "string"}, "description": about});
    JsonSchema {
        name: "reading".to_owned(),
        schema: json!({
            "type": "object",
            "properties": {
                "instructions": {
                    "type": "string",
                    "description": "All that is known by now of how to build it from its sources on Linux, as commands and short notes; empty when nothing is."
                },
                "sufficient": {"type": "boolean", "description": "Whether that is enough to build it without reading more."},
                "pages": texts("At most three whole addresses of pages to read next."),
                "files": texts("At most three paths of files of the project to read next, from its root."),
            },
            "required": ["instructions", "sufficient", "pages", "files"],
            "additionalProperties": false,
        }),
    }
}

/// Reads an answer: the JSON object in it, wherever that is.
fn parse(text: &str) -> Option<Reading> {
    let value = object_in(text)?;
    let texts = |name: &str| -> Vec<String> {
        match value.get(name) {
            Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            Some(Value::String(one)) if !one.trim().is_empty() => vec![one.clone()],
            _ => Vec::new(),
        }
    };
    let instructions = match value.get("instructions")? {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Array(lines) => {
            let lines: Vec<&str> = lines.iter().filter_map(Value::as_str).collect();
            lines.join("\n")
        }
        other => other.to_string(),
    };
    let sufficient = match value.get("sufficient") {
        Some(Value::Bool(yes)) => *yes,
        Some(Value::String(word)) => ["true", "yes"].contains(&word.trim().to_lowercase().as_str()),
        _ => false,
    };
    let mut links = texts("files");
    links.extend(texts("pages"));
    Some(Reading {
        instructions,
        sufficient,
        links,
    })
}

/// The first JSON object in a text.
fn object_in(text: &str) -> Option<Value> {
    text.match_indices('{').take(50).find_map(|(at, _)| {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        values.next()?.ok().filter(|value| value.get("instructions").is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_in_whatever_it_is_wrapped() {
        let reading = |instructions: &str, sufficient: bool, links: &[&str]| {
            Some(Reading {
                instructions: instructions.to_owned(),
                sufficient,
                links: links.iter().map(|link| (*link).to_owned()).collect(),
            })
        };
        for (text, expected) in [
            (
                r#"{"instructions": "make", "sufficient": true, "pages": ["https://k.example/a"], "files": ["b.md"]}"#,
                reading("make", true, &["b.md", "https://k.example/a"]),
            ),
            (
                "Here {it} is:\n```json\n{\"instructions\": [\"a\", \"b\"], \"sufficient\": \"Yes\", \"files\": \"c\"}\n```",
                reading("a\nb", true, &["c"]),
            ),
            (r#"{"instructions": null}"#, reading("", false, &[])),
            ("Run make.", None),
            (r#"{"instructions": "cut"#, None),
            (r#"{"sufficient": true}"#, None),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }
}
