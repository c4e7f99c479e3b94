//! How long to wait before another attempt.

use std::time::{Duration, SystemTime};

use crate::Patience;

impl Patience {
    /// The wait before attempt number `next` (the first retry is 1): doubling, and anywhere between half of it and all of
    /// it, so that many who failed together do not come back together.
    pub(crate) fn wait(&self, next: u32) -> Duration {
        let doubled = self
            .first_wait
            .saturating_mul(1_u32.checked_shl(next.saturating_sub(1).min(16)).unwrap_or(1));
        let full = doubled.min(self.longest_wait);
        full.mul_f64(0.5 + fastrand::f64() / 2.0)
    }
}

/// The wait that a provider asks for: `retry-after-ms`, or `retry-after` in seconds or as a date.
pub(crate) fn asked_wait(header: &dyn Fn(&str) -> Option<String>, now: SystemTime) -> Option<Duration> {
    if let Some(milliseconds) = header("retry-after-ms").and_then(|text| text.trim().parse::<f64>().ok()) {
        return seconds(milliseconds / 1000.0);
    }
    let text = header("retry-after")?;
    let text = text.trim();
    if let Ok(number) = text.parse::<f64>() {
        return seconds(number);
    }
    let at = httpdate::parse_http_date(text).ok()?;
    // A date that is over is no wait.
    Some(at.duration_since(now).unwrap_or_default())
}

/// The wait that a body asks for, of a provider that sets no header: a `retryDelay` such as `34s` among the details.
pub(crate) fn wait_in_words(said: &str) -> Option<Duration> {
    let body: serde_json::Value = serde_json::from_str(said).ok()?;
    let details = body.pointer("/error/details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    seconds(delay.strip_suffix('s')?.parse().ok()?)
}

fn seconds(number: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(number).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_with_chance_up_to_a_bound() {
        let patience = Patience::default();
        for (next, most) in [(1, 1), (2, 2), (3, 4), (7, 60), (4_000_000, 60)] {
            for _ in 0..50 {
                let wait = patience.wait(next);
                assert!(
                    wait <= Duration::from_secs(most) && wait >= Duration::from_millis(most * 500),
                    "{next} {wait:?}"
                );
            }
        }
    }

    #[test]
    fn a_wait_is_asked_for_in_three_ways() {
        let now = httpdate::parse_http_date("Mon, 30 Nov 2026 12:00:00 GMT").unwrap();
        for (name, value, expected) in [
            ("retry-after", "2", Some(2000)),
            ("retry-after", " 0.5 ", Some(500)),
            ("retry-after-ms", "1250", Some(1250)),
            ("retry-after", "Mon, 30 Nov 2026 12:01:00 GMT", Some(60_000)),
            ("retry-after", "Mon, 30 Nov 2026 11:00:00 GMT", Some(0)),
            ("retry-after", "-3", None),
            ("retry-after", "1e300", None),
            ("retry-after", "soon", None),
            ("other", "2", None),
        ] {
            let header = |asked: &str| (asked == name).then(|| value.to_owned());
            let wait = asked_wait(&header, now);
            assert_eq!(wait, expected.map(Duration::from_millis), "{name}: {value}");
        }
        let body = r#"{"error":{"code":429,"details":[{"@type":"x"},{"retryDelay":"34.5s"}]}}"#;
        assert_eq!(wait_in_words(body), Some(Duration::from_millis(34_500)));
        assert_eq!(wait_in_words("34s"), None);
    }
}
