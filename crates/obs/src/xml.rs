//! Answers of the service as small trees.

use quick_xml::{
    Reader, XmlVersion,
    events::{BytesStart, Event},
};

/// Answers are flat; anything deeper is no answer.
const DEPTH: usize = 32;
const ELEMENTS: usize = 400_000;

/// One element.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) name: String,
    attributes: Vec<(String, String)>,
    pub(crate) children: Vec<Self>,
    pub(crate) text: String,
}

impl Element {
    /// An attribute, unless it is empty.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(key, value)| key == name && !value.is_empty())
            .map(|(_, value)| value.as_str())
    }

    /// The attribute as text; empty when there is none.
    pub(crate) fn text_of(&self, name: &str) -> String {
        self.attribute(name).unwrap_or_default().to_owned()
    }

    /// The attribute as a number.
    pub(crate) fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.attribute(name)?.trim().parse().ok()
    }

    /// The children of a name.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The first child of a name.
    pub(crate) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The text of the first child of a name; empty when there is none.
    pub(crate) fn child_text(&self, name: &str) -> String {
        self.child(name).map(|child| child.text.clone()).unwrap_or_default()
    }
}

/// Reads a document; the message says what is wrong with one that is none.
pub(crate) fn parse(text: &str) -> Result<Element, String> {
    let mut reader = Reader::from_str(text);
    let mut open: Vec<Element> = Vec::new();
    let mut count = 0_usize;
    loop {
        match reader.read_event().map_err(|error| error.to_string())? {
            Event::Start(tag) => {
                count += 1;
                if open.len() >= DEPTH || count > ELEMENTS {
                    return Err("it is nested too deeply, or has too many elements".to_owned());
                }
                open.push(element(&tag)?);
            }
            Event::Empty(tag) => {
                count += 1;
                if count > ELEMENTS {
                    return Err("it has too many elements".to_owned());
                }
                let done = element(&tag)?;
                match open.last_mut() {
                    Some(parent) => parent.children.push(done),
                    None => return Ok(done),
                }
            }
            Event::End(_) => {
                let mut done = open.pop().ok_or("an element ends that never began")?;
                done.text = String::from(done.text.trim());
                match open.last_mut() {
                    Some(parent) => parent.children.push(done),
                    None => return Ok(done),
                }
            }
            Event::Text(piece) => append(&mut open, &piece.xml10_content()),
            Event::CData(piece) => append(&mut open, &piece.xml10_content()),
            Event::GeneralRef(name) => {
                let character = name.resolve_char_ref().map_err(|error| error.to_string())?;
                match character {
                    Some(character) => append(&mut open, character.encode_utf8(&mut [0; 4])),
                    None => append(&mut open, entity(name.as_ref())),
                }
            }
            Event::Eof if open.is_empty() => return Err("it holds no element".to_owned()),
            Event::Eof => return Err("it ends in the middle".to_owned()),
            _ => {}
        }
    }
}

fn append(open: &mut [Element], text: &str) {
    if let Some(element) = open.last_mut() {
        element.text.push_str(text);
    }
}

fn entity(name: &str) -> &'static str {
    match name {
        "amp" => "&",
        "lt" => "<",
        "gt" => ">",
        "quot" => "\"",
        "apos" => "'",
        _ => "",
    }
}

fn element(tag: &BytesStart<'_>) -> Result<Element, String> {
    let mut attributes = Vec::new();
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        let value = attribute
            .normalized_value(XmlVersion::Implicit1_0)
            .map_err(|error| error.to_string())?;
        attributes.push((attribute.key.as_ref().to_owned(), value.into_owned()));
    }
    Ok(Element {
        name: tag.local_name().as_ref().to_owned(),
        attributes,
        ..Element::default()
    })
}

/// Text as it stands between tags or in an attribute.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_attributes_are_unescaped() {
        let root = parse("<?xml version=\"1.0\"?>\n<status package=\"a&amp;b\" code=\"\"><details>x &gt;= 9 &#38; y</details><empty/></status>").unwrap();
        assert_eq!(root.name, "status");
        assert_eq!(root.attribute("package"), Some("a&b"));
        assert_eq!(root.attribute("code"), None);
        assert_eq!(root.child_text("details"), "x >= 9 & y");
        assert!(root.child("empty").is_some());
    }

    #[test]
    fn what_is_no_document_is_refused() {
        for text in [
            "",
            "  \n",
            "plain words",
            "<a><b></a>",
            "<a>",
            "<a b=c/>",
            &"<a>".repeat(99),
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
