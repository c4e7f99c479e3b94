//! From what Python code imports to what an installer is told: the distribution's name.

use crate::tables::{PYTHON_IMPORTS, PYTHON_NAMESPACES, PYTHON_STANDARD};

/// What to tell an installer for an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Distribution {
    /// The interpreter brings it: nothing is to be installed.
    Standard,
    /// The distribution that is known to have it.
    Known(&'static str),
    /// A distribution of the same name, which may or may not be the one: nobody has looked.
    SameName(String),
    /// No name that should be installed: it looks like a misspelling of another one.
    Refused {
        /// The distribution whose name it resembles.
        resembles: &'static str,
    },
}

/// The distribution for an import such as `yaml` or `google.protobuf`; `None` when the name is no module's.
pub fn distribution_of(import: &str) -> Option<Distribution> {
    let import = import.trim();
    let good = import
        .split('.')
        .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
    if !good {
        return None;
    }
    // The longest beginning that is known: `google.protobuf` before `google`.
    let mut module = import;
    loop {
        if PYTHON_STANDARD.binary_search(&module).is_ok() {
            return Some(Distribution::Standard);
        }
        if let Ok(at) = PYTHON_IMPORTS.binary_search_by(|(known, _)| known.cmp(&module)) {
            return PYTHON_IMPORTS.get(at).map(|(_, name)| Distribution::Known(name));
        }
        let Some((shorter, _)) = module.rsplit_once('.') else {
            break;
        };
        module = shorter;
    }
    let name = own_part(import).to_ascii_lowercase().replace(['_', '.'], "-");
    // Whoever registers `reqeusts` waits for this. Only names long enough that the likeness is no chance.
    let resembles = POPULAR
        .iter()
        .find(|known| **known != name && name.len() >= 5 && crate::index::distance(&name, known, 1).is_some());
    if let Some(resembles) = resembles {
        return Some(Distribution::Refused { resembles });
    }
    Some(Distribution::SameName(name))
}

/// What of an import a distribution is called after: the first name, or the first one below a folder that many share.
fn own_part(import: &str) -> &str {
    let mut end = import.find('.').unwrap_or(import.len());
    while let Some(folder) = import.get(..end)
        && PYTHON_NAMESPACES.binary_search(&folder).is_ok()
        && let Some(rest) = import.get(end + 1..)
    {
        end += 1 + rest.find('.').unwrap_or(rest.len());
    }
    import.get(..end).unwrap_or(import)
}

impl Distribution {
    /// How far the answer may be trusted: from 0 to 1.
    pub fn confidence(&self) -> f32 {
        match self {
            Self::Standard | Self::Known(_) => 0.95,
            // Mostly true, but anybody may have registered a name.
            Self::SameName(_) => 0.5,
            Self::Refused { .. } => 0.0,
        }
    }
}

/// Names that are imitated most, because they are installed most.
const POPULAR: [&str; 40] = [
    "aiohttp",
    "beautifulsoup4",
    "boto3",
    "botocore",
    "certifi",
    "cffi",
    "charset-normalizer",
    "click",
    "colorama",
    "cryptography",
    "cython",
    "django",
    "docutils",
    "fastapi",
    "flask",
    "idna",
    "jinja2",
    "jsonschema",
    "keras",
    "matplotlib",
    "numpy",
    "packaging",
    "pandas",
    "pillow",
    "protobuf",
    "psutil",
    "pydantic",
    "pygments",
    "pytest",
    "python-dateutil",
    "pyyaml",
    "requests",
    "scipy",
    "selenium",
    "setuptools",
    "sqlalchemy",
    "tensorflow",
    "torch",
    "tqdm",
    "urllib3",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted() {
        assert!(PYTHON_IMPORTS.is_sorted_by(|one, other| one.0 < other.0));
        assert!(PYTHON_STANDARD.is_sorted_by(|one, other| one < other));
        assert!(PYTHON_NAMESPACES.is_sorted_by(|one, other| one < other));
    }

    #[test]
    fn a_row_says_more_than_the_name_does_itself() {
        let folded = |name: &str| name.to_ascii_lowercase().replace(['_', '.'], "-");
        for (import, distribution) in PYTHON_IMPORTS {
            let needed = folded(import) != folded(distribution) || import.contains('.');
            assert!(needed, "{import} is called the same where it is published");
        }
    }

    #[test]
    fn imports_become_distributions() {
        let known = |import: &str| match distribution_of(import) {
            Some(Distribution::Known(name)) => name.to_owned(),
            Some(Distribution::SameName(name)) => format!("{name}?"),
            Some(Distribution::Standard) => "-".to_owned(),
            Some(Distribution::Refused { resembles }) => format!("not {resembles}"),
            None => "nothing".to_owned(),
        };
        for (import, expected) in [
            ("yaml", "PyYAML"),
            ("cv2", "opencv-python"),
            ("PIL.Image", "Pillow"),
            ("sklearn.svm", "scikit-learn"),
            ("google.protobuf.message", "protobuf"),
            ("os.path", "-"),
            ("distutils.core", "-"),
            ("some_thing.part", "some-thing?"),
            ("google.cloud.some_thing.v1", "google-cloud-some-thing?"),
            ("azure.mgmt.unknown", "azure-mgmt-unknown?"),
            ("zope", "zope.interface"),
            ("reqeusts", "not requests"),
            ("numpyy", "not numpy"),
            ("requests", "requests?"),
            ("", "nothing"),
            ("a b", "nothing"),
            ("../x", "nothing"),
        ] {
            assert_eq!(known(import), expected, "{import}");
        }
    }
}
