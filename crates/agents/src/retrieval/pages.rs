//! Pages of the web as text.

use super::links::{absolute, written};

/// A page, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Page {
    /// Its address, which links in it are relative to.
    pub(crate) address: String,
    /// Its text, as Markdown where it was made for browsers.
    pub(crate) text: String,
}

impl Page {
    /// From what a server sent.
    pub(crate) fn new(address: &str, content_type: &str, body: &str) -> Self {
        let mut text = seatrial_tools::page_text(content_type, body);
        // Whoever reads a part of it does not know its address, so links say where they lead by themselves.
        for link in written(&text) {
            if let Some(whole) = absolute(address, &link).filter(|whole| *whole != link) {
                for end in [")", " "] {
                    text = text.replace(&format!("]({link}{end}"), &format!("]({whole}{end}"));
                }
            }
        }
        Self {
            address: address.to_owned(),
            text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_a_page_lead_there_by_themselves() {
        let body = "<html><body><p>See <a href='../b/'>b</a>, <a href='../b/c.html' title='x'>c</a>, <a href='#top'>top</a> and \
                    <a href='https://other.example/'>other</a>.</body></html>";
        let page = Page::new("https://keel.example/a/index.html", "text/html", body);
        assert_eq!(
            page.text.trim(),
            "See [b](https://keel.example/b/), [c](https://keel.example/b/c.html \"x\"), [top](#top) and [other](https://other.example/)."
        );
    }
}
