//! A root's folder under a name that every tool can take.
//!
//! Make cannot be told of a folder with a blank, Autoconf refuses one, and others stumble over `$`, `;` or a line break.
//! Such a folder gets another name before anything runs, and its own name becomes a link to it.

use seatrial_core::{Digest, Purpose, Step};

use super::{shell, step};

/// Whether every tool can take a path as it is.
pub(crate) fn is_plain(path: &str) -> bool {
    path.split('/').all(is_plain_name)
}

fn is_plain_name(name: &str) -> bool {
    !name.starts_with(['-', '~'])
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '@' | ',' | '=' | '~'))
}

/// A path in names that every tool can take.
pub(crate) fn plain(path: &str) -> String {
    path.split('/').map(plain_name).collect::<Vec<_>>().join("/")
}

/// The name itself where that will do; else what is left of it, and what tells it from others of which the same is left.
fn plain_name(name: &str) -> String {
    if is_plain_name(name) {
        return name.to_owned();
    }
    let kept: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .take(60)
        .collect();
    let short: String = Digest::of(name.as_bytes()).short().chars().take(6).collect();
    format!("{}-{short}", kept.trim_matches('-'))
        .trim_start_matches('-')
        .to_owned()
}

/// Gives the folders of a path their other names; none where all are plain.
pub(super) fn renaming(path: &str) -> Option<Step> {
    if is_plain(path) {
        return None;
    }
    let mut commands = Vec::new();
    let mut above = "$SRC/".to_owned();
    for name in path.split('/') {
        let plain = plain_name(name);
        if plain != name {
            let (old, new) = (shell::path(&above, name), shell::path(&above, &plain));
            commands.push(format!("[ -e {new} ] || {{ mv {old} {new} && ln -s {plain} {old}; }}"));
        }
        above = format!("{above}{plain}/");
    }
    Some(step(
        Purpose::Prepare,
        "the folder's name has characters that build tools stumble over: it gets another one, to which the old one leads",
        "$SRC",
        commands.join("\n"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_tools_stumble_over_is_renamed() {
        for name in ["", "src", "a/b-c.d_e+1", "caf\u{e9}", "a,b=c@d~"] {
            assert!(is_plain(name), "{name}");
            assert_eq!(plain(name), name);
            assert!(renaming(name).is_none());
        }
        let mut seen = std::collections::BTreeSet::new();
        for name in [
            "a b",
            "a$b",
            "a`b",
            "a;b",
            "a\nb",
            "a\u{f7ff}b",
            "-ab",
            "a'b",
            "a\"b",
            "a%b",
            "a:b",
            "~a",
            "$",
        ] {
            assert!(!is_plain(name), "{name}");
            let new = plain(name);
            assert!(is_plain(&new) && !new.is_empty(), "{new}");
            assert!(seen.insert(new), "{name}");
        }
    }
}
