//! Paths in the box.

use crate::ToolFailure;

/// The longest path that is taken.
const LONGEST: usize = 4096;

/// A path in the box as an absolute one, without `.` and `..`. Relative ones start at the root folder. A path that climbs
/// over the top stays there, as it would in the box: there is nothing outside that it could name.
pub(crate) fn place(root: &str, path: &str) -> Result<String, ToolFailure> {
    if path.contains('\0') || path.len() > LONGEST {
        return Err(ToolFailure::told(format!(
            "the path is no path: it has {}; give a path in the box, such as `src/main.c`",
            if path.contains('\0') {
                "a null character".to_owned()
            } else {
                format!("{} bytes and at most {LONGEST} are allowed", path.len())
            }
        )));
    }
    let mut parts: Vec<&str> = Vec::new();
    let start = if path.starts_with('/') { "" } else { root };
    for part in start.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    Ok(format!("/{}", parts.join("/")))
}

/// A path for a reader: relative where it is below the root folder.
pub(crate) fn shown<'a>(root: &str, path: &'a str) -> &'a str {
    let root = root.trim_end_matches('/');
    match path.strip_prefix(root) {
        Some("") => ".",
        Some(rest) if rest.starts_with('/') && !root.is_empty() => rest.trim_start_matches('/'),
        _ => path,
    }
}

/// The folder and the name of an absolute path.
pub(crate) fn split(path: &str) -> (&str, &str) {
    match path.rsplit_once('/') {
        Some(("", name)) => ("/", name),
        Some((folder, name)) => (folder, name),
        None => ("/", path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_is_one_of_the_box() {
        for (path, expected, back) in [
            ("src/main.c", "/build/source/src/main.c", "src/main.c"),
            (".", "/build/source", "."),
            ("", "/build/source", "."),
            ("../out", "/build/out", "/build/out"),
            ("../../../../../etc/passwd", "/etc/passwd", "/etc/passwd"),
            ("/etc//./hosts", "/etc/hosts", "/etc/hosts"),
            ("/", "/", "/"),
            ("/build/source2", "/build/source2", "/build/source2"),
        ] {
            let place = place("/build/source", path).unwrap();
            assert_eq!((place.as_str(), shown("/build/source", &place)), (expected, back));
        }
        assert!(place("/", "a\0b").is_err());
        assert!(place("/", &"a/".repeat(4000)).is_err());
        assert_eq!(shown("/", "/etc"), "/etc");
    }
}
