//! Looking outside: pages through the box's door, and a search where somebody provides one.

mod door;
mod page;
mod providers;
mod search;
mod solution;

use door::DoorPages;
pub(crate) use page::FetchPage;
pub use page::{Page, PageSource, page_text};
pub use providers::{ProviderSearch, SEARCH_PROVIDERS, SearchError, SearchProvider};
pub(crate) use search::WebSearch;
pub use search::{SearchHit, WebSearcher};
