//! Who searches the web: one row a provider, in one small table.

use std::{io::Read as _, time::Duration};

use serde_json::{Value, json};
use ureq::{
    Agent,
    tls::{RootCerts, TlsConfig},
};

use super::{SearchHit, WebSearcher};
use crate::ToolFailure;

/// Bytes of an answer that are read.
const MOST_BYTES: u64 = 2 << 20;
/// Characters of a title, and of what of a page fits.
const MOST_TITLE: usize = 200;
const MOST_EXCERPT: usize = 600;

/// A provider of searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchProvider {
    /// Its name.
    pub name: &'static str,
    /// Where it is, when it is one place.
    pub address: Option<&'static str>,
    /// The variable that by custom holds its key, when it wants one.
    pub key_variable: Option<&'static str>,
    ask: Ask,
    /// Where its answer has the list of pages, and what a page's excerpt is called.
    hits: &'static str,
    excerpt: &'static str,
}

/// How a question is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ask {
    /// In the address.
    Get {
        path: &'static str,
        fixed: &'static [(&'static str, &'static str)],
        most: Option<&'static str>,
        key_header: Option<&'static str>,
    },
    /// As JSON, with the key as a bearer's.
    Post { path: &'static str, most: &'static str },
}

/// All providers.
pub const SEARCH_PROVIDERS: [SearchProvider; 3] = [
    SearchProvider {
        name: "searxng",
        address: None,
        key_variable: None,
        ask: Ask::Get {
            path: "/search",
            fixed: &[("format", "json")],
            most: None,
            key_header: None,
        },
        hits: "/results",
        excerpt: "content",
    },
    SearchProvider {
        name: "brave",
        address: Some("https://api.search.brave.com/res/v1"),
        key_variable: Some("BRAVE_API_KEY"),
        ask: Ask::Get {
            path: "/web/search",
            fixed: &[],
            most: Some("count"),
            key_header: Some("x-subscription-token"),
        },
        hits: "/web/results",
        excerpt: "description",
    },
    SearchProvider {
        name: "tavily",
        address: Some("https://api.tavily.com"),
        key_variable: Some("TAVILY_API_KEY"),
        ask: Ask::Post {
            path: "/search",
            most: "max_results",
        },
        hits: "/results",
        excerpt: "content",
    },
];

/// A search cannot be set up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// There is no such provider.
    #[error(
        "there is no search `{0}`: there are searxng=URL, brave and tavily, each of which takes `=URL` for a server that answers like it"
    )]
    Unknown(String),
    /// The address is not known.
    #[error("the search `{0}` has no address of its own: name it as `{0}=URL`")]
    NoAddress(&'static str),
    /// The address is none.
    #[error("`{0}` is no address of a search: write it with http:// or https://")]
    Address(String),
    /// There is no key.
    #[error("the search `{provider}` wants a key: set `{variable}`")]
    NoKey {
        /// The provider.
        provider: &'static str,
        /// The variable that may hold it.
        variable: &'static str,
    },
}

/// Searches by a provider, from this machine.
pub struct ProviderSearch {
    provider: SearchProvider,
    address: String,
    key: Option<String>,
    agent: Agent,
    patience: Duration,
}

impl ProviderSearch {
    /// The provider that a word names, with `=URL` where it is asked elsewhere. A key is found by the variable's name, and by the
    /// provider's.
    pub fn from_word(
        word: &str,
        key: &dyn Fn(&SearchProvider) -> Option<String>,
        patience: Duration,
    ) -> Result<Self, SearchError> {
        let (name, url) = word
            .split_once('=')
            .map_or((word, None), |(name, url)| (name, Some(url)));
        let provider = SEARCH_PROVIDERS
            .into_iter()
            .find(|provider| provider.name == name)
            .ok_or_else(|| SearchError::Unknown(name.to_owned()))?;
        let address = url
            .or(provider.address)
            .ok_or(SearchError::NoAddress(provider.name))?
            .trim_end_matches('/')
            .to_owned();
        if !(address.starts_with("http://") || address.starts_with("https://"))
            || address.chars().any(|c| c.is_control() || c == ' ')
        {
            return Err(SearchError::Address(address));
        }
        let key = key(&provider).filter(|key| !key.trim().is_empty());
        // A server of one's own that answers like another may want none.
        if let (None, None, Some(variable)) = (&key, url, provider.key_variable) {
            return Err(SearchError::NoKey {
                provider: provider.name,
                variable,
            });
        }
        let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
        let agent = Agent::config_builder()
            .tls_config(tls)
            .http_status_as_error(false)
            // A key is for the one address that was named.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("seatrial/", env!("CARGO_PKG_VERSION")))
            .timeout_global(Some(patience))
            .build()
            .new_agent();
        Ok(Self {
            provider,
            address,
            key,
            agent,
            patience,
        })
    }

    /// Its name and address, for a lock; no key.
    pub fn name(&self) -> String {
        format!("{}={}", self.provider.name, self.address)
    }

    fn ask(&self, query: &str, most: usize) -> Result<(u16, Vec<u8>), String> {
        let answer = match self.provider.ask {
            Ask::Get {
                path,
                fixed,
                most: count,
                key_header,
            } => {
                let mut request = self.agent.get(format!("{}{path}", self.address)).query("q", query);
                for (name, value) in fixed {
                    request = request.query(name, value);
                }
                if let Some(name) = count {
                    request = request.query(name, most.to_string());
                }
                if let (Some(name), Some(key)) = (key_header, &self.key) {
                    request = request.header(name, key);
                }
                request.header("accept", "application/json").call()
            }
            Ask::Post { path, most: count } => {
                let mut request = self
                    .agent
                    .post(format!("{}{path}", self.address))
                    .header("content-type", "application/json");
                if let Some(key) = &self.key {
                    request = request.header("authorization", format!("Bearer {key}"));
                }
                request.send(json!({"query": query, count: most}).to_string())
            }
        };
        let answer = answer.map_err(|error| self.broke(&error))?;
        let status = answer.status().as_u16();
        let mut body = Vec::new();
        answer
            .into_body()
            .into_reader()
            .take(MOST_BYTES + 1)
            .read_to_end(&mut body)
            .map_err(|error| format!("the answer broke off: {error}"))?;
        Ok((status, body))
    }

    fn broke(&self, error: &ureq::Error) -> String {
        match error {
            ureq::Error::Timeout(_) => format!("nothing came within {} s", self.patience.as_secs_f64()),
            other => other.to_string(),
        }
    }

    fn read(&self, status: u16, body: &[u8]) -> Result<Vec<SearchHit>, String> {
        let key = self.provider.key_variable.unwrap_or("the server's own rules");
        match status {
            200..=299 => {}
            401 | 403 => {
                return Err(format!(
                    "status {status}: it does not take the key; whoever runs this has to check {key}"
                ));
            }
            429 => return Err("status 429: it takes no more questions for now".to_owned()),
            other => return Err(format!("status {other}; is {} the right address?", self.address)),
        }
        if body.len() as u64 > MOST_BYTES {
            return Err(format!("its answer is longer than {MOST_BYTES} bytes"));
        }
        let answer: Value = serde_json::from_slice(body).map_err(|_| {
            "its answer is no JSON; the address may be wrong, or the server may not give JSON to everybody".to_owned()
        })?;
        let list = answer.pointer(self.provider.hits).and_then(Value::as_array);
        let Some(list) = list else {
            // Nothing found is told by leaving the list out, too.
            return if answer.is_object() && answer.get("error").is_none() {
                Ok(Vec::new())
            } else {
                Err("its answer has no list of pages".to_owned())
            };
        };
        let text = |item: &Value, field: &str, most: usize| -> String {
            plain(item.get(field).and_then(Value::as_str).unwrap_or_default())
                .chars()
                .take(most)
                .collect()
        };
        Ok(list
            .iter()
            .filter_map(|item| {
                let url = item.get("url")?.as_str()?;
                let is_page = url.starts_with("http://") || url.starts_with("https://");
                is_page.then(|| SearchHit {
                    title: text(item, "title", MOST_TITLE),
                    url: url.chars().take(2000).collect(),
                    excerpt: text(item, self.provider.excerpt, MOST_EXCERPT),
                })
            })
            .collect())
    }
}

impl WebSearcher for ProviderSearch {
    fn search(&self, query: &str, most: usize) -> Result<Vec<SearchHit>, ToolFailure> {
        let hits = self
            .ask(query, most)
            .and_then(|(status, body)| self.read(status, &body));
        hits.map_err(|why| {
            ToolFailure::Told(format!(
                "the search `{}` did not answer: {why}; go on without it",
                self.provider.name
            ))
        })
    }
}

/// A text of a search without marks of HTML, in one line.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for (number, part) in text.split('<').enumerate() {
        let is_tag = number > 0 && part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
        match part.split_once('>') {
            Some((_, rest)) if is_tag => out.push_str(rest),
            _ => {
                if number > 0 {
                    out.push('<');
                }
                out.push_str(part);
            }
        }
    }
    for (mark, sign) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#x27;", "'"),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ] {
        out = out.replace(mark, sign);
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_go_and_signs_stay() {
        for (text, expected) in [
            ("how to <strong>build</strong>\n it", "how to build it"),
            ("a < b &amp;&amp; c > d", "a < b && c > d"),
            ("std::vector&lt;int&gt; <b>x</b>", "std::vector<int> x"),
            ("cut <strong", "cut <strong"),
        ] {
            assert_eq!(plain(text), expected);
        }
    }
}
