//! Links in documents, and addresses.

use std::{collections::HashSet, sync::OnceLock};

use regex::Regex;

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Link {
    /// A file of the tree, by its path from the root.
    File(String),
    /// A page.
    Page(String),
}

/// Most links of one document that are looked at.
const MOST_LINKS: usize = 2000;

/// The links of a document, in order, each once; as they are written.
pub(super) fn written(text: &str) -> Vec<String> {
    static FORMS: OnceLock<Option<Regex>> = OnceLock::new();
    // Markdown `](x)`, references `[x]: y`, reStructuredText `<x>`_ and `.. _x: y`, attributes of HTML, and plain addresses.
    let forms = FORMS.get_or_init(|| {
        Regex::new(concat!(
            r"\]\(\s*<?([^\s()<>]+(?:\([^\s()]*\)[^\s()<>]*)?)>?",
            r"|(?m:^[ \t]{0,3}\[[^\]\n]+\]:[ \t]*<?([^\s>]+))",
            r"|<([^\s<>]+)>`_",
            r"|(?m:^\.\.[ \t]+_[^:\n]+:[ \t]*(\S+))",
            r#"|(?i:href|src)\s*=\s*["']([^"'\s]+)["']"#,
            r#"|(https?://[^\s<>"'`\])]+)"#,
        ))
        .ok()
    });
    let Some(forms) = forms else { return Vec::new() };
    let mut links: Vec<String> = Vec::new();
    let mut seen = HashSet::new();
    for found in forms.captures_iter(text) {
        let Some(link) = found.iter().skip(1).flatten().next() else {
            continue;
        };
        let link = link
            .as_str()
            .trim_end_matches(['.', ',', ';', ':', '!', '*', '\\'])
            .to_owned();
        if !link.is_empty() && seen.insert(link.clone()) {
            links.push(link);
        }
        if links.len() == MOST_LINKS {
            break;
        }
    }
    links
}

/// The repository that a tree is of, as a web address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Home {
    /// Such as `https://host/owner/name`.
    pub(super) address: String,
    /// The branch that a link to the repository's files names, where it is known.
    pub(super) branch: Option<String>,
}

impl Home {
    /// From the address of a repository.
    pub(super) fn new(address: &str, branch: Option<String>) -> Self {
        let address = address.trim().trim_end_matches('/');
        let address = address.strip_suffix(".git").unwrap_or(address);
        Self {
            address: without_fragment(address).to_owned(),
            branch,
        }
    }

    /// The file of the tree that an address shows, if it shows one: `ADDRESS/blob/BRANCH/PATH`, `tree`, `raw`, `edit`, with `-/`
    /// before it on some hosts.
    pub(super) fn file(&self, address: &str) -> Option<String> {
        let address = without_fragment(address);
        let rest = strip_prefix_caseless(&without_scheme(address), &without_scheme(&self.address))?.to_owned();
        let rest = rest.strip_prefix(".git").unwrap_or(&rest).trim_matches('/').to_owned();
        let rest = rest.strip_prefix("-/").unwrap_or(&rest);
        let (verb, rest) = rest.split_once('/')?;
        if !["blob", "tree", "raw", "edit", "src"].contains(&verb) {
            return None;
        }
        let path = match &self.branch {
            // A branch may have a slash in its name.
            Some(branch)
                if rest
                    .strip_prefix(branch.as_str())
                    .is_some_and(|rest| rest.starts_with('/')) =>
            {
                &rest[branch.len() + 1..]
            }
            _ => rest.split_once('/')?.1,
        };
        let path = path.split('?').next().unwrap_or(path).trim_matches('/');
        (!path.is_empty()).then(|| percent_decoded(path))
    }

    /// The address that shows a file of the tree.
    pub(super) fn address_of(&self, path: &str) -> String {
        let branch = self.branch.as_deref().unwrap_or("HEAD");
        format!("{}/blob/{branch}/{path}", self.address)
    }
}

/// Where a link that is written in a file of the tree leads; `None` for what is no document.
pub(super) fn from_file(home: Option<&Home>, file: &str, link: &str) -> Option<Link> {
    if has_scheme(link) || link.starts_with("//") {
        return from_page(home, "https://none.invalid/", link);
    }
    let link = without_fragment(link);
    let link = link.split('?').next().unwrap_or(link);
    if link.is_empty() {
        return None;
    }
    let folder = if link.starts_with('/') {
        ""
    } else {
        file.rsplit_once('/').map_or("", |(folder, _)| folder)
    };
    clean(&format!("{folder}/{}", percent_decoded(link))).map(Link::File)
}

/// Where a link that is written in a page leads.
pub(super) fn from_page(home: Option<&Home>, page: &str, link: &str) -> Option<Link> {
    let address = absolute(page, link)?;
    match home.and_then(|home| home.file(&address)) {
        Some(path) => clean(&path).map(Link::File),
        None => Some(Link::Page(address)),
    }
}

/// An address from one that may be relative to a page; without its fragment. `None` for what is none of the web, and for a mere
/// fragment.
pub(super) fn absolute(page: &str, link: &str) -> Option<String> {
    let link = without_fragment(link.trim());
    if link.is_empty() || link.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return None;
    }
    if has_scheme(link) {
        let lower = link.to_ascii_lowercase();
        let is_web = lower.starts_with("http://") || lower.starts_with("https://");
        return (is_web && link.len() > 8).then(|| link.to_owned());
    }
    let (scheme, rest) = page.split_once("://")?;
    if let Some(rest) = link.strip_prefix("//") {
        return Some(format!("{scheme}://{rest}"));
    }
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let folder = match link.strip_prefix('/') {
        Some(_) => "",
        None => path.rsplit_once('/').map_or("", |(folder, _)| folder),
    };
    let (link, query) = link
        .split_once('?')
        .map_or((link, None), |(link, query)| (link, Some(query)));
    let slash = if link.ends_with('/') { "/" } else { "" };
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(link.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let slash = if parts.is_empty() { "" } else { slash };
    let query = query.map_or_else(String::new, |query| format!("?{query}"));
    Some(format!("{scheme}://{host}/{}{slash}{query}", parts.join("/")))
}

/// A path from the root of the tree without `.` and `..`; `None` when it leads out or is the root itself.
pub(super) fn clean(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

/// Two addresses are the same document: letters of the host, `www.`, the scheme, a slash at the end, a fragment, `.git`, and
/// whether a file is shown, edited or raw make no difference.
pub(super) fn same(one: &str, other: &str) -> bool {
    key(one) == key(other)
}

fn key(address: &str) -> String {
    let address = without_fragment(address.trim());
    let address = without_scheme(address);
    let (host, path) = address.split_once('/').unwrap_or((&address, ""));
    let host = host.to_ascii_lowercase();
    let host = host.strip_prefix("www.").unwrap_or(&host);
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let mut path = percent_decoded(path);
    for end in ["/index.html", "/index.htm", "index.html"] {
        if let Some(short) = path.strip_suffix(end) {
            path = short.to_owned();
            break;
        }
    }
    let mut parts: Vec<&str> = path.split('/').collect();
    if let Some(verb) = parts.get_mut(2)
        && ["tree", "raw", "edit", "src"].contains(verb)
    {
        *verb = "blob";
    }
    format!("{host}/{}", parts.join("/"))
}

fn without_fragment(address: &str) -> &str {
    address.split('#').next().unwrap_or(address)
}

fn without_scheme(address: &str) -> String {
    address.split_once("://").map_or(address, |(_, rest)| rest).to_owned()
}

fn has_scheme(link: &str) -> bool {
    link.split_once(':').is_some_and(|(scheme, _)| {
        !scheme.is_empty()
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    })
}

fn strip_prefix_caseless<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let start = text.get(..prefix.len())?;
    let rest = text.get(prefix.len()..)?;
    let ends = rest.is_empty() || rest.starts_with('/') || rest.starts_with(".git");
    (start.eq_ignore_ascii_case(prefix) && ends).then_some(rest)
}

fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let decoded = if byte == b'%' {
            bytes.get(at + 1..at + 3).and_then(hex)
        } else {
            None
        };
        out.push(decoded.unwrap_or(byte));
        at += if decoded.is_some() { 3 } else { 1 };
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

fn hex(digits: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_every_form_are_found_once() {
        let text = "See [the guide](docs/build.md#linux \"how\"), [it](docs/build.md#linux) or [w](<a b.md>).\n\
            [ref]: https://keel.example/x\n\
            `Install <INSTALL.rst>`_ and\n.. _more: doc/more.rst\n<a href=\"wiki/Home\">w</a> https://keel.example/y_(z).\n\
            [paren](https://keel.example/w_(v)) mailto:x@y";
        assert_eq!(
            written(text),
            [
                "docs/build.md#linux",
                "a",
                "https://keel.example/x",
                "INSTALL.rst",
                "doc/more.rst",
                "wiki/Home",
                "https://keel.example/y_(z",
                "https://keel.example/w_(v)",
            ]
        );
    }

    #[test]
    fn links_lead_to_files_of_the_tree_or_to_pages() {
        let home = Home::new("https://host.example/own/keel.git/", Some("dev/2".to_owned()));
        let file = |path: &str| Some(Link::File(path.to_owned()));
        let page = |address: &str| Some(Link::Page(address.to_owned()));
        for (from, link, expected) in [
            ("README.md", "docs/build.md#linux", file("docs/build.md")),
            ("docs/a.md", "../INSTALL%20me.txt?x=1", file("INSTALL me.txt")),
            ("docs/a.md", "/BUILD", file("BUILD")),
            ("docs/a.md", "../../etc/passwd", None),
            ("a", "#top", None),
            ("a", "mailto:me@keel.example", None),
            (
                "a",
                "https://host.example/Own/Keel/blob/dev/2/doc/x.md",
                file("doc/x.md"),
            ),
            ("a", "https://host.example/own/keel/tree/main/doc", file("doc")),
            (
                "a",
                "https://host.example/own/keel/-/raw/main/doc/y.md?inline=0",
                file("doc/y.md"),
            ),
            (
                "a",
                "https://host.example/own/keel/wiki",
                page("https://host.example/own/keel/wiki"),
            ),
            (
                "a",
                "https://host.example/own/keelson/blob/main/x",
                page("https://host.example/own/keelson/blob/main/x"),
            ),
            ("a", "//other.example/x#y", page("https://other.example/x")),
        ] {
            assert_eq!(from_file(Some(&home), from, link), expected, "{from} {link}");
        }
        assert_eq!(
            home.address_of("doc/x.md"),
            "https://host.example/own/keel/blob/dev/2/doc/x.md"
        );
        for (page, link, expected) in [
            (
                "https://k.example/a/b.html",
                "c.html",
                Some("https://k.example/a/c.html"),
            ),
            ("https://k.example/a/", "../../d/", Some("https://k.example/d/")),
            ("https://k.example", "/d?e=/f", Some("https://k.example/d?e=/f")),
            ("http://k.example:81/a", "//l.example/m", Some("http://l.example/m")),
            ("https://k.example", "javascript:x()", None),
        ] {
            assert_eq!(absolute(page, link).as_deref(), expected, "{page} {link}");
        }
    }

    #[test]
    fn addresses_of_one_document_are_the_same() {
        for (one, other, equal) in [
            ("https://www.K.example/a/", "http://k.example/a#b", true),
            ("https://h.example/o/n.git", "https://h.example/o/n", true),
            (
                "https://h.example/o/n/tree/main/x.md",
                "https://h.example/o/n/blob/main/x.md",
                true,
            ),
            ("https://k.example/a/index.html", "https://k.example/a/", true),
            ("https://k.example/a%20b", "https://k.example/a b", true),
            ("https://k.example/a", "https://k.example/A", false),
            ("https://k.example/a", "https://k.example/a/b", false),
        ] {
            assert_eq!(same(one, other), equal, "{one} {other}");
        }
    }
}
