//! Conditional and partial requests, answered from the whole body. Upstream is asked for the whole always, so that what is
//! recorded can answer whatever a replay asks.

use std::time::SystemTime;

use hyper::{
    HeaderMap, Method, StatusCode,
    header::{self, HeaderName, HeaderValue},
};

use crate::body::Window;

/// Headers that ask for less than the whole.
const CONDITIONS: [HeaderName; 6] = [
    header::IF_MATCH,
    header::IF_MODIFIED_SINCE,
    header::IF_NONE_MATCH,
    header::IF_RANGE,
    header::IF_UNMODIFIED_SINCE,
    header::RANGE,
];

/// What of a whole response is to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Portion {
    /// All of it.
    Whole,
    /// The client has it already.
    NotModified,
    /// Some bytes of so many.
    Part { window: Window, total: u64 },
    /// Bytes that are not there, of so many.
    Unsatisfiable { total: u64 },
}

/// Takes out what asks for less than the whole. Where something is to be changed, conditions keep it from harm, and stay.
pub(crate) fn strip(method: &Method, headers: &mut HeaderMap) {
    for name in CONDITIONS
        .iter()
        .filter(|_| matches!(*method, Method::GET | Method::HEAD))
    {
        headers.remove(name);
    }
}

/// What of a whole response a request asks for. Without a known length, it is the whole.
pub(crate) fn portion(
    method: &Method,
    request: &HeaderMap,
    status: StatusCode,
    response: &HeaderMap,
    length: Option<u64>,
) -> Portion {
    if status != StatusCode::OK || !matches!(*method, Method::GET | Method::HEAD) {
        return Portion::Whole;
    }
    if is_known(request, response) {
        return Portion::NotModified;
    }
    let Some(total) = length.filter(|_| *method == Method::GET) else {
        return Portion::Whole;
    };
    match text(request, &header::RANGE) {
        Some(range) if is_same(request, response) => window(range, total),
        _ => Portion::Whole,
    }
}

/// Makes the head of a whole response that of a portion.
pub(crate) fn apply(portion: &Portion, headers: &mut HeaderMap) -> Option<StatusCode> {
    let number = |value: u64| HeaderValue::from(value);
    match portion {
        Portion::Whole => None,
        Portion::NotModified => {
            headers.remove(header::CONTENT_LENGTH);
            Some(StatusCode::NOT_MODIFIED)
        }
        Portion::Part { window, total } => {
            let last = window.skip + window.take - 1;
            let range = format!("bytes {}-{last}/{total}", window.skip);
            headers.insert(header::CONTENT_LENGTH, number(window.take));
            headers.insert(header::CONTENT_RANGE, HeaderValue::from_str(&range).ok()?);
            Some(StatusCode::PARTIAL_CONTENT)
        }
        Portion::Unsatisfiable { total } => {
            headers.insert(header::CONTENT_LENGTH, number(0));
            headers.insert(
                header::CONTENT_RANGE,
                HeaderValue::from_str(&format!("bytes */{total}")).ok()?,
            );
            Some(StatusCode::RANGE_NOT_SATISFIABLE)
        }
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

fn time(text: Option<&str>) -> Option<SystemTime> {
    httpdate::parse_http_date(text?).ok()
}

/// Whether the client says that it has this very response.
fn is_known(request: &HeaderMap, response: &HeaderMap) -> bool {
    if request.contains_key(header::IF_NONE_MATCH) {
        let Some(tag) = text(response, &header::ETAG) else {
            return false;
        };
        return request
            .get_all(header::IF_NONE_MATCH)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(str::trim)
            .any(|known| known == "*" || weak(known) == weak(tag));
    }
    let since = time(text(request, &header::IF_MODIFIED_SINCE));
    let modified = time(text(response, &header::LAST_MODIFIED));
    matches!((since, modified), (Some(since), Some(modified)) if modified <= since)
}

fn weak(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}

/// Whether a range is of the response that the client has begun with.
fn is_same(request: &HeaderMap, response: &HeaderMap) -> bool {
    let Some(condition) = text(request, &header::IF_RANGE) else {
        return true;
    };
    if condition.starts_with('"') || condition.starts_with("W/") {
        return !condition.starts_with("W/") && text(response, &header::ETAG) == Some(condition);
    }
    let modified = text(response, &header::LAST_MODIFIED);
    time(Some(condition)).is_some() && time(Some(condition)) == time(modified)
}

/// The bytes that a range names; the whole where it is none that is understood.
fn window(range: &str, total: u64) -> Portion {
    let ends = range.strip_prefix("bytes=").and_then(|range| range.split_once('-'));
    let Some((first, last)) = ends.map(|(first, last)| (first.trim(), last.trim())) else {
        return Portion::Whole;
    };
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse::<u64>().unwrap_or(u64::MAX))
    };
    let (skip, end) = match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => (first, last.saturating_add(1).min(total)),
        (Some(first), None) if last.is_empty() => (first, total),
        (None, Some(count)) if first.is_empty() => (total.saturating_sub(count), total),
        _ => return Portion::Whole,
    };
    if skip >= end {
        return Portion::Unsatisfiable { total };
    }
    let window = Window { skip, take: end - skip };
    Portion::Part { window, total }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        lines
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect()
    }

    #[test]
    fn ranges_are_read_as_the_standard_says() {
        let part = |skip, take| Portion::Part {
            window: Window { skip, take },
            total: 100,
        };
        let nothing = || Portion::Unsatisfiable { total: 100 };
        let cases = [
            ("bytes=0-0", part(0, 1)),
            ("bytes=0-", part(0, 100)),
            ("bytes=10-19", part(10, 10)),
            ("bytes=90-1000", part(90, 10)),
            ("bytes=-5", part(95, 5)),
            ("bytes=-500", part(0, 100)),
            ("bytes=99-99999999999999999999999", part(99, 1)),
            ("bytes=100-", nothing()),
            ("bytes=-0", nothing()),
            ("bytes=5-4", Portion::Whole),
            ("bytes=0-1,5-6", Portion::Whole),
            ("bytes=-", Portion::Whole),
            ("bytes=a-b", Portion::Whole),
            ("lines=1-2", Portion::Whole),
        ];
        for (range, expected) in cases {
            assert_eq!(window(range, 100), expected, "{range}");
        }
    }

    #[test]
    fn a_client_gets_what_it_lacks() {
        const DAY: &str = "Mon, 30 Nov 2020 09:00:00 GMT";
        const LATER: &str = "Tue, 01 Dec 2020 09:00:00 GMT";
        let response = headers(&[("etag", "\"a\""), ("last-modified", DAY)]);
        let part = Portion::Part {
            window: Window { skip: 1, take: 2 },
            total: 9,
        };
        let cases: [(&[(&'static str, &'static str)], Portion); 13] = [
            (&[], Portion::Whole),
            (&[("if-none-match", "\"a\"")], Portion::NotModified),
            (&[("if-none-match", "\"b\", W/\"a\"")], Portion::NotModified),
            (&[("if-none-match", "\"b\"")], Portion::Whole),
            (
                &[("if-none-match", "\"b\""), ("if-modified-since", LATER)],
                Portion::Whole,
            ),
            (&[("if-modified-since", DAY)], Portion::NotModified),
            (&[("if-modified-since", LATER)], Portion::NotModified),
            (
                &[("if-modified-since", "Sun, 29 Nov 2020 09:00:00 GMT")],
                Portion::Whole,
            ),
            (&[("range", "bytes=1-2")], part.clone()),
            (&[("range", "bytes=1-2"), ("if-range", "\"a\"")], part.clone()),
            (&[("range", "bytes=1-2"), ("if-range", "\"b\"")], Portion::Whole),
            (&[("range", "bytes=1-2"), ("if-range", DAY)], part),
            (
                &[("range", "bytes=9-"), ("if-range", DAY)],
                Portion::Unsatisfiable { total: 9 },
            ),
        ];
        for (request, expected) in cases {
            let found = portion(&Method::GET, &headers(request), StatusCode::OK, &response, Some(9));
            assert_eq!(found, expected, "{request:?}");
        }
        let range = headers(&[("range", "bytes=1-2")]);
        let whole = |method: Method, status, length| portion(&method, &range, status, &response, length);
        assert_eq!(whole(Method::GET, StatusCode::OK, None), Portion::Whole);
        assert_eq!(whole(Method::GET, StatusCode::NOT_FOUND, Some(9)), Portion::Whole);
        assert_eq!(whole(Method::POST, StatusCode::OK, Some(9)), Portion::Whole);
        assert_eq!(whole(Method::HEAD, StatusCode::OK, Some(9)), Portion::Whole);
    }
}
