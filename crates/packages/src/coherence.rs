//! What goes together: of several generations of one toolkit a build takes the one that it has begun with.

use crate::Candidate;

/// What is known about the build that asks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Context {
    /// Packages that are installed or will be.
    pub installed: Vec<String>,
}

impl Context {
    /// A context of installed packages.
    pub fn of(installed: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            installed: installed.into_iter().map(Into::into).collect(),
        }
    }
}

/// A toolkit with its generation, such as Qt and `5`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Generation {
    toolkit: &'static str,
    number: String,
}

/// Puts candidates of the generations that are there before those of others. Says so in `because`.
pub(crate) fn cohere(candidates: &mut [Candidate], context: &Context) {
    if context.installed.is_empty() || candidates.len() < 2 {
        return;
    }
    let present: Vec<Generation> = context.installed.iter().filter_map(|name| generation(name)).collect();
    let Some(best) = candidates.iter().map(|candidate| candidate.score).reduce(f64::max) else {
        return;
    };
    let mut changed = false;
    for candidate in candidates.iter_mut() {
        let Some(own) = generation(&candidate.package) else {
            continue;
        };
        let same_toolkit = present.iter().filter(|other| other.toolkit == own.toolkit);
        let mut met = 0;
        let mut fits = false;
        for other in same_toolkit {
            met += 1;
            fits |= other.number == own.number;
        }
        // Both generations at once say nothing.
        let others = present
            .iter()
            .any(|other| other.toolkit == own.toolkit && other.number != own.number);
        if met == 0 || (fits && others) {
            continue;
        }
        changed = true;
        if fits {
            candidate.score += best;
            candidate.because = format!(
                "{}; goes with the {} {} that is there",
                candidate.because, own.toolkit, own.number
            );
        } else {
            candidate.score *= 0.01;
        }
    }
    if changed {
        candidates.sort_by(|left, right| {
            right
                .score
                .total_cmp(&left.score)
                .then_with(|| right.package.cmp(&left.package))
        });
    }
}

/// The generation that a package's name tells, for toolkits of which two in one program do not go together.
fn generation(package: &str) -> Option<Generation> {
    let of = |toolkit, number: &str| {
        Some(Generation {
            toolkit,
            number: number.to_owned(),
        })
    };
    let starts_with_qt = ["qt", "libqt", "libkf", "python3-pyqt"]
        .iter()
        .any(|start| package.starts_with(start));
    if starts_with_qt {
        // `qtbase5-dev`, `libqt5svg5-dev`, `qt6-base-dev`, `libkf5i18n-dev`.
        let digit = package.bytes().find(|byte| matches!(byte, b'5' | b'6'))?;
        return of("Qt", if digit == b'5' { "5" } else { "6" });
    }
    if let Some(rest) = package
        .strip_prefix("libgtk")
        .or_else(|| package.strip_prefix("gir1.2-gtk"))
    {
        let rest = rest.strip_prefix("mm").unwrap_or(rest).trim_start_matches('-');
        let number = rest.bytes().find(|byte| matches!(byte, b'2' | b'3' | b'4'))?;
        if rest.as_bytes().first() == Some(&number) {
            return of("GTK", char::from(number).to_string().as_str());
        }
        return None;
    }
    if let Some(rest) = package.strip_prefix("liblua").or_else(|| package.strip_prefix("lua")) {
        let number = leading_version(rest);
        return if number.contains('.') { of("Lua", number) } else { None };
    }
    if package.starts_with("libboost") && package.ends_with("-dev") {
        let stem = package.strip_suffix("-dev")?;
        let start = stem.rfind(|c: char| !(c.is_ascii_digit() || c == '.'))? + 1;
        let number = stem.get(start..)?;
        return if number.contains('.') {
            of("Boost", number)
        } else {
            None
        };
    }
    if package.starts_with("libsoup") || package.starts_with("libwebkit2gtk") {
        // The older library of each pair is built with the other's older one.
        let older = package.contains("2.4") || package.contains("-4.0");
        return of("libsoup", if older { "2" } else { "3" });
    }
    if let Some(rest) = package
        .strip_prefix("llvm-")
        .or_else(|| package.strip_prefix("libclang-"))
    {
        let number = leading_version(rest);
        return if number.is_empty() { None } else { of("LLVM", number) };
    }
    if let Some(rest) = package.strip_prefix("guile-") {
        let number = leading_version(rest);
        return if number.is_empty() { None } else { of("Guile", number) };
    }
    None
}

fn leading_version(text: &str) -> &str {
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(candidates: &[&str], installed: &[&str]) -> Vec<String> {
        let mut list: Vec<_> = candidates
            .iter()
            .zip((1..=candidates.len()).rev())
            .map(|(package, score)| Candidate {
                package: (*package).to_owned(),
                because: String::new(),
                score: score as f64,
            })
            .collect();
        cohere(&mut list, &Context::of(installed.iter().copied()));
        list.into_iter().map(|candidate| candidate.package).collect()
    }

    #[test]
    fn what_is_there_decides_between_generations() {
        for (candidates, installed, first) in [
            (
                &["qtbase5-dev", "qt6-base-dev"][..],
                &["qt6-svg-dev"][..],
                "qt6-base-dev",
            ),
            (&["qtbase5-dev", "qt6-base-dev"], &["libqt5svg5-dev"], "qtbase5-dev"),
            (
                &["qtbase5-dev", "qt6-base-dev"],
                &["qt6-svg-dev", "libqt5svg5-dev"],
                "qtbase5-dev",
            ),
            (&["qtbase5-dev", "qt6-base-dev"], &["libgtk-3-dev"], "qtbase5-dev"),
            (
                &["libgtk-3-dev", "libgtk2.0-dev"],
                &["libgtkmm-2.4-dev"],
                "libgtk2.0-dev",
            ),
            (&["libgtk-3-dev", "libgtk-4-dev"], &["libgtk-4-dev"], "libgtk-4-dev"),
            (&["liblua5.3-dev", "liblua5.1-0-dev"], &["lua5.1"], "liblua5.1-0-dev"),
            (
                &["libboost1.74-dev", "libboost1.81-dev"],
                &["libboost-filesystem1.81-dev"],
                "libboost1.81-dev",
            ),
            (
                &["libsoup2.4-dev", "libsoup-3.0-dev"],
                &["libwebkit2gtk-4.1-dev"],
                "libsoup-3.0-dev",
            ),
            (&["llvm-14-dev", "llvm-16-dev"], &["libclang-16-dev"], "llvm-16-dev"),
        ] {
            assert_eq!(
                order(candidates, installed)[0],
                first,
                "{candidates:?} with {installed:?}"
            );
        }
    }

    #[test]
    fn without_a_context_nothing_moves() {
        assert_eq!(order(&["b", "a"], &[]), ["b", "a"]);
    }
}
