//! Pages of the web as text.

use super::html;

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
        let text = if html::is_html(content_type, body) {
            html::to_markdown(body, address)
        } else {
            body.to_owned()
        };
        Self {
            address: address.to_owned(),
            text,
        }
    }
}
