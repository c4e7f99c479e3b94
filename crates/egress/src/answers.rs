//! What a box reads when it does not get what it asked for.

use hyper::{
    Response, StatusCode,
    ext::ReasonPhrase,
    header::{self, HeaderName, HeaderValue},
};

use crate::{
    body::{Body, full},
    event::Asked,
    policy::Policy,
};

/// Entries of an allow-list that are written out.
const SHOWN: usize = 60;
/// Tells an answer of the door from one of the world.
const MARK: HeaderName = HeaderName::from_static("x-seatrial-door");

/// The policy does not allow it.
pub(crate) fn refused(policy: &Policy, asked: &Asked, reason: &str) -> Response<Body> {
    let allowed = match policy {
        Policy::Allow(list) | Policy::Record(list) => {
            let entries: Vec<&str> = list.entries().take(SHOWN).collect();
            let more = list.entries().len() - entries.len();
            let more = if more == 0 {
                String::new()
            } else {
                format!(", and {more} more")
            };
            if entries.is_empty() {
                "nothing".to_owned()
            } else {
                format!("{}{more}", entries.join(", "))
            }
        }
        Policy::Replay => "what was recorded".to_owned(),
        Policy::Open => "every public host over http and https".to_owned(),
    };
    text(
        StatusCode::FORBIDDEN,
        "refused",
        &format!("Refused by Seatrial: {asked}"),
        &format!(
            "Refused by Seatrial: {asked}\n\
             Why: {reason}.\n\
             Policy of this box: {}. Allowed: {allowed}.\n\
             What to do: trying again will not help. Use what is allowed, or what is in the box already. Whoever runs this \
             can add the host to the list of what is allowed.\n",
            policy.name()
        ),
    )
}

/// It was not recorded.
pub(crate) fn missing(asked: &Asked, reason: &str) -> Response<Body> {
    text(
        StatusCode::FORBIDDEN,
        "missing",
        &format!("Not recorded by Seatrial: {asked}"),
        &format!(
            "Not recorded by Seatrial: {asked}\n\
             Why: {reason}.\n\
             Policy of this box: replay. It gets what was recorded before, and nothing from the network.\n\
             What to do: trying again will not help. Ask for exactly what was asked for in the recording, or record again.\n"
        ),
    )
}

/// It was allowed, and the world did not answer.
pub(crate) fn failed(status: StatusCode, asked: &Asked, reason: &str) -> Response<Body> {
    text(
        status,
        "failed",
        &format!("Seatrial got no answer: {asked}"),
        &format!(
            "Seatrial got no answer: {asked}\n\
             Why: {reason}.\n\
             What to do: the request is allowed, so try again later, or ask another mirror.\n"
        ),
    )
}

/// It was no request.
pub(crate) fn malformed(reason: &str) -> Response<Body> {
    text(
        StatusCode::BAD_REQUEST,
        "malformed",
        "Not understood by Seatrial",
        &format!("Not understood by Seatrial: {reason}.\n"),
    )
}

fn text(status: StatusCode, mark: &'static str, phrase: &str, body: &str) -> Response<Body> {
    let mut response = Response::new(full(printable(body)));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(MARK, HeaderValue::from_static(mark));
    let phrase: Vec<u8> = phrase
        .bytes()
        .filter(|byte| (b' '..=b'~').contains(byte))
        .take(300)
        .collect();
    if let Ok(phrase) = ReasonPhrase::try_from(phrase) {
        response.extensions_mut().insert(phrase);
    }
    response
}

/// Parts of these texts come from the box, which may show them on a terminal.
fn printable(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            let plain = !c.is_control() || c == '\n';
            plain
                .then_some(c)
                .into_iter()
                .chain((!plain).then(|| c.escape_default()).into_iter().flatten())
        })
        .collect()
}
