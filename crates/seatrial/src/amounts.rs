//! Amounts as people write and read them: bytes, and spans of time.

use std::time::Duration;

/// Reads `20G`, `512M`, `1.5T` or plain bytes; a letter stands for a power of 1024.
pub(crate) fn parse_bytes(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is no number of bytes; write for instance 20G or 512M");
    let lower = text.trim().to_ascii_lowercase();
    let lower = lower.strip_suffix("ib").or(lower.strip_suffix('b')).unwrap_or(&lower);
    let (number, factor) = match lower.char_indices().last() {
        Some((at, unit)) if unit.is_ascii_alphabetic() => {
            let factor = match unit {
                'k' => 1_u64 << 10,
                'm' => 1 << 20,
                'g' => 1 << 30,
                't' => 1 << 40,
                _ => return Err(wrong()),
            };
            (lower.get(..at).unwrap_or_default(), factor as f64)
        }
        _ => (lower, 1.0),
    };
    match number.trim().parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok((number * factor) as u64),
        Ok(_) | Err(_) => Err(format!(
            "`{text}` is no number of bytes; write for instance 20G or 512M"
        )),
    }
}

/// Reads a share above 0 and up to 1.
pub(crate) fn parse_share(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(share) if share > 0.0 && share <= 1.0 => Ok(share),
        Ok(_) | Err(_) => Err(format!(
            "`{text}` is no share; say how much, above 0 and up to 1, such as 0.5"
        )),
    }
}

/// Reads `30d`, `12h`, `2w`, `90m` or `10s`.
pub(crate) fn parse_age(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no span of time; write for instance 30d, 12h or 2w");
    let (at, unit) = text.char_indices().last().ok_or_else(wrong)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        'w' => 7 * 86_400,
        _ => return Err(wrong()),
    };
    let number: u64 = text.get(..at).unwrap_or_default().trim().parse().map_err(|_| wrong())?;
    Ok(Duration::from_secs(number.saturating_mul(seconds)))
}

/// Bytes for a person, such as `1.5 GiB`.
pub(crate) fn bytes(count: u64) -> String {
    let mut rest = count as f64;
    let mut units = ["KiB", "MiB", "GiB", "TiB"].into_iter();
    let mut unit = "B";
    while rest >= 1024.0
        && let Some(next) = units.next()
    {
        rest /= 1024.0;
        unit = next;
    }
    if unit == "B" {
        format!("{count} B")
    } else {
        format!("{rest:.1} {unit}")
    }
}

/// Bytes as `--max-size` takes them, rounded down, such as `1500M`.
pub(crate) fn bytes_word(count: u64) -> String {
    if count < 1 << 20 {
        count.to_string()
    } else {
        format!("{}M", count >> 20)
    }
}

/// How long ago something was, in its largest unit.
pub(crate) fn ago(then: u64, now: u64) -> String {
    if then == 0 {
        return "-".to_owned();
    }
    let seconds = now.saturating_sub(then) / 1000;
    match seconds {
        0..60 => format!("{seconds} s ago"),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_as_people_write_them() {
        for (text, expected) in [
            ("0", Some(0)),
            ("512", Some(512)),
            ("20G", Some(20 << 30)),
            ("20 GiB", Some(20 << 30)),
            ("1.5k", Some(1536)),
            ("2TB", Some(2 << 40)),
            ("", None),
            ("-1", None),
            ("5X", None),
            ("many", None),
            ("NaN", None),
        ] {
            assert_eq!(parse_bytes(text).ok(), expected, "{text}");
        }
        for (text, expected) in [
            ("30d", Some(30 * 86_400)),
            ("2w", Some(14 * 86_400)),
            ("0s", Some(0)),
            ("d", None),
            ("3", None),
            ("-3d", None),
        ] {
            assert_eq!(parse_age(text).ok().map(|age| age.as_secs()), expected, "{text}");
        }
        let shown: Vec<_> = [0, 1023, 1024, 1_500_000_000, u64::MAX].map(bytes).into();
        assert_eq!(shown, ["0 B", "1023 B", "1.0 KiB", "1.4 GiB", "16777216.0 TiB"]);
        for count in [0, 5000, 3 << 30, (3 << 30) + 77] {
            let read = parse_bytes(&bytes_word(count)).unwrap();
            assert!(read <= count && count - read < 1 << 20, "{count}");
        }
    }
}
