//! `.changes` files: the list of changes that a build service keeps beside the spec file.

use jiff::Timestamp;

use crate::PackageError;

/// A list of changes, newest on top. Older entries stay byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes {
    bytes: Vec<u8>,
}

/// The line before each entry.
const LINE: &str = "-------------------------------------------------------------------";

impl Changes {
    /// Takes a file as it is; an empty one is the beginning.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }

    /// The whole file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Puts an entry on top: who (`Name <address>`), when (seconds since 1970), and what, one item each.
    pub fn add(&mut self, by: &str, time: i64, changes: &[&str]) -> Result<(), PackageError> {
        let date = Timestamp::from_second(time)
            .map_err(|error| PackageError::edit(".changes", format!("{time} is no time: {error}")))?
            .strftime("%a %b %e %H:%M:%S UTC %Y")
            .to_string();
        let mut text = format!("{LINE}\n{date} - {by}\n\n");
        for change in changes {
            for (number, line) in change.lines().enumerate() {
                let start = if number == 0 { "- " } else { "  " };
                text.push_str(format!("{start}{line}").trim_end());
                text.push('\n');
            }
        }
        text.push('\n');
        let mut bytes = text.into_bytes();
        bytes.append(&mut self.bytes);
        self.bytes = bytes;
        Ok(())
    }
}
