//! A page as text.

use htmd::HtmlToMarkdown;
use serde_json::{Value, json};

use super::DoorPages;
use crate::{
    Answer, Caching, Effect, Tool, ToolDescription, ToolFailure, World,
    files::not_text,
    text::visible,
    toolbox::{Arguments as _, describe},
};

/// Fetches pages on behalf of a box, under its policy. A refusal is `Told`, with its reason.
pub trait PageSource: Send + Sync {
    /// Fetches one page, at most so many bytes of it.
    fn fetch(&self, url: &str, most: u64) -> Result<Page, ToolFailure>;
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Where it came from after redirections.
    pub url: String,
    /// The status of HTTP.
    pub status: u16,
    /// What the server says it is.
    pub content_type: String,
    /// The body, or its start.
    pub body: Vec<u8>,
    /// Whether the body goes on.
    pub cut: bool,
}

/// Bytes of a page.
const MOST: u64 = 8 << 20;

pub(crate) struct FetchPage(ToolDescription);

impl FetchPage {
    pub(crate) fn new() -> Self {
        Self(describe(
            "fetch_page",
            "Fetches a page over the box's network, as far as that is allowed, and shows it as Markdown or plain text.",
            "At most 8 MiB; long pages are shown by head and tail and can be read whole.",
            Effect {
                network: true,
                ..Effect::NONE
            },
            Caching::UntilReset,
            json!({
                "url": {"type": "string", "minLength": 8, "maxLength": 4000, "description": "http:// or https:// address."},
                "raw": {"type": "boolean", "description": "Show the source of the page instead."},
            }),
            &["url"],
        ))
    }
}

impl Tool for FetchPage {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, arguments: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let url = arguments.text("url").unwrap_or_default().trim();
        if !(url.starts_with("http://") || url.starts_with("https://"))
            || url.chars().any(|c| c.is_control() || c == ' ')
        {
            return Err(ToolFailure::Told(format!(
                "`{}` is no address of a page; write it with http:// or https://",
                visible(url)
            )));
        }
        let page = match world.ground.pages {
            Some(pages) => pages.fetch(url, MOST)?,
            None => DoorPages::fetch(url, MOST, world)?,
        };
        let text = shown(&page, arguments.is("raw"));
        if page.status >= 400 {
            let start: String = text.chars().take(600).collect();
            return Err(ToolFailure::Told(format!(
                "the server answers {} for {url}\n{start}",
                page.status
            )));
        }
        if let Some(what) = not_text(&page.body) {
            return Err(ToolFailure::Told(format!(
                "{url} is {what} of {} bytes and is not shown; fetch it in the box with curl or wget",
                page.body.len()
            )));
        }
        let cut = if page.cut { "; it goes on after 8 MiB" } else { "" };
        Ok(Answer::text(format!(
            "{} ({}{cut})\n\n{text}",
            visible(&page.url),
            visible(&page.content_type)
        ))
        .with_data(json!({"status": page.status, "url": page.url})))
    }
}

fn shown(page: &Page, raw: bool) -> String {
    let text = String::from_utf8_lossy(&page.body);
    if raw {
        text.into_owned()
    } else {
        page_text(&page.content_type, &text)
    }
}

/// What a server sent, as text: a page for browsers as Markdown, anything else as it is.
pub fn page_text(content_type: &str, text: &str) -> String {
    let kind = content_type.to_ascii_lowercase();
    let start: String = text
        .trim_start()
        .chars()
        .take(200)
        .collect::<String>()
        .to_ascii_lowercase();
    let is_html = kind.contains("html")
        || (kind.is_empty() && (start.starts_with("<!doctype html") || start.starts_with("<html")));
    if is_html {
        html_to_markdown(text)
    } else {
        text.to_owned()
    }
}

/// A page of HTML as Markdown, without what is for machines only. What cannot be read stays as it is.
fn html_to_markdown(html: &str) -> String {
    if is_too_deep(html) {
        return without_tags(html);
    }
    let converter = HtmlToMarkdown::builder()
        .skip_tags(vec!["script", "style", "noscript", "template", "svg", "iframe"])
        .build();
    let text = converter.convert(html).unwrap_or_else(|_| html.to_owned());
    // Layouts leave many empty lines behind.
    let mut short = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.lines() {
        empty = if line.trim().is_empty() { empty + 1 } else { 0 };
        if empty < 2 {
            short.push_str(line.trim_end());
            short.push('\n');
        }
    }
    short
}

/// Levels of a page that are converted. The converter calls itself for each, and a stack that overflows ends the process.
const MOST_LEVELS: usize = 200;

/// Elements that have no content, or that end by themselves where the next one begins.
const NO_LEVEL: [&str; 24] = [
    "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta", "option", "p",
    "param", "source", "tbody", "td", "th", "thead", "tr", "track", "wbr",
];

/// Whether elements are nested deeper than anybody writes them.
fn is_too_deep(html: &str) -> bool {
    let mut level = 0_usize;
    for tag in html.split('<').skip(1) {
        let closes = tag.starts_with('/');
        let name: String = tag
            .trim_start_matches('/')
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .take(12)
            .collect();
        let name = name.to_ascii_lowercase();
        if name.is_empty() || NO_LEVEL.contains(&name.as_str()) {
            continue;
        }
        level = if closes { level.saturating_sub(1) } else { level + 1 };
        if level > MOST_LEVELS {
            return true;
        }
    }
    false
}

/// The text alone.
fn without_tags(html: &str) -> String {
    let mut text = String::new();
    for (index, part) in html.split('<').enumerate() {
        let words = if index == 0 {
            part
        } else {
            part.split_once('>').map_or("", |(_, words)| words)
        };
        if !words.trim().is_empty() {
            text.push_str(words.trim());
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn a_page_is_shown_as_markdown_without_its_machinery() {
        let html = "<!doctype html><html><head><title>Hull</title><style>a{}</style><script>x()</script></head><body>\
                    <h1>Building</h1><p>Run <code>make</code>, see <a href=\"/more\">more</a>.</p>\
                    <pre><code>./configure\nmake</code></pre><ul><li>one<li>two</ul><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></body></html>";
        expect![[r#"
            Hull

            # Building

            Run `make`, see [more](/more).

            ```
            ./configure
            make
            ```

            *   one
            *   two

            | a | b |
            | - | - |
            | 1 | 2 |
        "#]]
        .assert_eq(&html_to_markdown(html));
    }

    #[test]
    fn a_page_of_any_depth_is_shown() {
        for element in ["div", "b", "ul><li", "table><tr><td", "blockquote"] {
            for times in [MOST_LEVELS - 1, 200_000] {
                let html = format!("<html><body>{}the end", format!("<{element}>").repeat(times));
                assert!(html_to_markdown(&html).trim_end().ends_with("the end"), "{element}");
            }
        }
        let many = format!("<ul>{}</ul>", "<li>one <p>two<br>".repeat(1000));
        assert!(html_to_markdown(&many).contains("*   one"));
    }
}
