//! Pages for browsers as text: headings, lists, code and links stay, what is not read goes.
//!
//! One pass over the tags without a tree, so that no page is too deep for it.

use std::fmt::Write as _;

use super::links::absolute;

/// Elements whose content nobody reads.
const UNREAD: [&str; 8] = [
    "script", "style", "noscript", "template", "svg", "head", "iframe", "select",
];

/// Elements that begin a new line.
const BLOCKS: [&str; 24] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "br",
    "dd",
    "div",
    "dl",
    "dt",
    "figure",
    "footer",
    "form",
    "header",
    "hr",
    "main",
    "nav",
    "ol",
    "p",
    "section",
    "table",
    "td",
    "th",
    "tr",
    "ul",
];

/// Whether bytes are a page for browsers.
pub(super) fn is_html(content_type: &str, text: &str) -> bool {
    if !content_type.trim().is_empty() {
        return content_type.to_ascii_lowercase().contains("html");
    }
    let start: String = text.trim_start().chars().take(500).collect();
    let start = start.to_ascii_lowercase();
    start.starts_with("<!doctype html") || start.contains("<html")
}

/// The page as Markdown. `address` is its own, for links that are relative to it.
pub(super) fn to_markdown(html: &str, address: &str) -> String {
    let mut writer = Writer::default();
    let mut quotes = true;
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        writer.text(&rest[..at]);
        rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.split_once("-->").map_or("", |(_, behind)| behind);
            continue;
        }
        let begins = rest[1..].chars().next();
        if !begins.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')) {
            writer.text("<");
            rest = &rest[1..];
            continue;
        }
        let Some(end) = tag_end(rest, &mut quotes) else { break };
        let tag = rest[1..end].trim_end_matches('/');
        rest = &rest[end + 1..];
        let (closes, tag) = tag.strip_prefix('/').map_or((false, tag), |tag| (true, tag));
        let length = tag.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(tag.len());
        let name = tag[..length].to_ascii_lowercase();
        if !closes && UNREAD.contains(&name.as_str()) {
            rest = behind(rest, &name);
            continue;
        }
        writer.tag(&name, closes, &tag[length..], address);
    }
    writer.text(rest);
    writer.finish()
}

/// Where a tag ends: the first `>` outside of quotes. After a quote that is never closed, quotes count no more, so that no page
/// is read to its end for each of its tags.
fn tag_end(text: &str, quotes: &mut bool) -> Option<usize> {
    if !*quotes {
        return text.find('>');
    }
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '>') => return Some(at),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
    }
    *quotes = false;
    text.find('>')
}

/// What follows an element's end.
fn behind<'t>(text: &'t str, name: &str) -> &'t str {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("</") {
        let found = after
            .get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name));
        if found {
            return after.split_once('>').map_or("", |(_, behind)| behind);
        }
        rest = after;
    }
    ""
}

/// The value of an attribute.
fn attribute(attributes: &str, name: &str) -> Option<String> {
    let lower = attributes.to_ascii_lowercase();
    let mut from = 0;
    while let Some(found) = lower.get(from..)?.find(name) {
        let at = from + found;
        from = at + name.len();
        let starts = at == 0 || lower[..at].ends_with(|c: char| c.is_ascii_whitespace());
        let Some(value) = attributes[from..].trim_start().strip_prefix('=').filter(|_| starts) else {
            continue;
        };
        let value = value.trim_start();
        let text = match value.chars().next()? {
            quote @ ('"' | '\'') => value[1..].split(quote).next().unwrap_or_default(),
            _ => value
                .split(|c: char| c.is_ascii_whitespace())
                .next()
                .unwrap_or_default(),
        };
        return Some(unescape(text));
    }
    None
}

#[derive(Default)]
struct Writer {
    out: String,
    /// Inside of `pre`, blanks stay.
    pre: usize,
    link: Option<(String, usize)>,
}

impl Writer {
    fn text(&mut self, text: &str) {
        let text = unescape(text);
        if self.pre > 0 {
            self.out.push_str(&text);
            return;
        }
        for (index, word) in text.split_whitespace().enumerate() {
            let gap = index > 0 || text.starts_with(char::is_whitespace);
            if gap && !self.out.is_empty() && !self.out.ends_with(char::is_whitespace) {
                self.out.push(' ');
            }
            self.out.push_str(word);
        }
        if text.ends_with(char::is_whitespace) && !self.out.is_empty() && !self.out.ends_with(char::is_whitespace) {
            self.out.push(' ');
        }
    }

    fn line(&mut self) {
        let kept = self.out.trim_end_matches(' ').len();
        self.out.truncate(kept);
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }

    fn tag(&mut self, name: &str, closes: bool, attributes: &str, address: &str) {
        match (name, closes) {
            ("h1" | "h2" | "h3" | "h4" | "h5" | "h6", false) => {
                self.line();
                self.out.push('\n');
                let depth = name[1..].parse().unwrap_or(1);
                self.out.push_str(&"#".repeat(depth));
                self.out.push(' ');
            }
            ("h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "li", true) => self.line(),
            ("li", false) => {
                self.line();
                self.out.push_str("- ");
            }
            ("pre", false) => {
                self.line();
                self.out.push_str("```\n");
                self.pre += 1;
            }
            ("pre", true) if self.pre > 0 => {
                self.pre -= 1;
                self.line();
                self.out.push_str("```\n");
            }
            ("code", _) if self.pre == 0 => self.out.push('`'),
            ("a", false) => {
                self.close_link();
                self.link = attribute(attributes, "href")
                    .and_then(|link| absolute(address, &link))
                    .map(|link| (link, self.out.len()));
            }
            ("a", true) => self.close_link(),
            (name, _) if BLOCKS.contains(&name) => self.line(),
            _ => {}
        }
    }

    fn close_link(&mut self) {
        let Some((link, from)) = self.link.take() else { return };
        let words = self.out.get(from..).unwrap_or_default().trim().to_owned();
        if words.is_empty() || self.pre > 0 {
            return;
        }
        let gap = self.out[from..].starts_with(' ');
        self.out.truncate(from);
        if gap {
            self.out.push(' ');
        }
        let _ = write!(self.out, "[{}]({link})", words.replace('\n', " "));
    }

    fn finish(mut self) -> String {
        self.close_link();
        let mut out = String::with_capacity(self.out.len());
        let mut empty = 0;
        for line in self.out.lines() {
            let line = line.trim_end();
            empty = if line.is_empty() { empty + 1 } else { 0 };
            if empty <= 1 {
                out.push_str(line);
                out.push('\n');
            }
        }
        out.trim().to_owned()
    }
}

/// Replaces the entities that matter, and numbers.
fn unescape(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let known = after
            .split_once(';')
            .filter(|(name, _)| name.len() <= 8)
            .and_then(|(name, behind)| Some((entity(name)?, behind)));
        if let Some((c, behind)) = known {
            out.push(c);
            rest = behind;
        } else {
            out.push('&');
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

fn entity(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "ndash" | "mdash" => '-',
        "hellip" => '…',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn a_page_is_read_as_text() {
        let page = r#"<!DOCTYPE html><html><head><title>x</title><script>var a = "</div>";</script></head><body>
            <nav><a href="/docs/">Docs</a> <a href='#top'>top</a></nav>
            <h2>Build&nbsp;it</h2><p>Run <code>make</code> in <a title="a > b" href="../src/index.html">the
            folder</a>.<!-- <p>no</p> --></p><ul><li>one<li>two &lt;3</ul>
            <pre><code>cmake -B build
  make &amp;&amp; make install</code></pre><p>1 < 2 &#x2714; &unknown;</body></html>"#;
        expect![[r#"
            [Docs](https://keel.example/docs/) top

            ## Build it
            Run `make` in [the folder](https://keel.example/src/index.html).
            - one
            - two <3
            ```
            cmake -B build
              make && make install
            ```
            1 < 2 ✔ &unknown;"#]]
        .assert_eq(&to_markdown(page, "https://keel.example/guide/build.html"));
    }

    #[test]
    fn broken_pages_end() {
        for page in [
            "<",
            "<a",
            "<a href='x",
            "<script>",
            "</",
            "<!--",
            "&",
            "&#x110000;",
            "<pre></pre></pre>x",
            "é<é>é",
            "<a href=>x</a>",
        ] {
            drop(to_markdown(page, "https://keel.example/"));
        }
        let long = "<a href='x\">y</a>".repeat(200_000);
        assert!(to_markdown(&long, "https://keel.example/").len() < 10 * long.len());
        let open = format!("{}<a \"x>y", "<p>z".repeat(200_000));
        assert!(to_markdown(&open, "https://keel.example/").ends_with("zy"));
        let deep = "<div>".repeat(200_000);
        assert_eq!(to_markdown(&deep, "https://keel.example/"), "");
    }
}
