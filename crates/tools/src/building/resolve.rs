//! Which package has a name.

use std::fmt::Write as _;

use seatrial_packages::Key;
use serde_json::{Value, json};

use crate::{
    Answer, Caching, Effect, Tool, ToolDescription, ToolFailure, World,
    text::visible,
    toolbox::{Arguments as _, describe},
};

/// Packages that are shown.
const MOST: usize = 8;

pub(crate) struct Resolve(ToolDescription);

impl Resolve {
    pub(crate) fn new() -> Self {
        let families: Vec<&str> = Key::FAMILIES.iter().map(|(family, _, _)| *family).collect();
        Self(describe(
            "resolve",
            "Says which packages of the distribution have a header, library, module, program or the like. Installs nothing.",
            "At most 8 packages, best first.",
            Effect::NONE,
            Caching::UntilReset,
            json!({"name": {
                "type": "string",
                "minLength": 1,
                "description": format!(
                    "FAMILY:NAME, for instance `header:openssl/ssl.h`, `pc:gtk+-3.0`, `lib:z`, `cmd:bison`. Families: {}.",
                    families.join(", ")
                ),
            }}),
            &["name"],
        ))
    }
}

impl Tool for Resolve {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, arguments: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let resolver = world.resolver.ok_or_else(|| {
            ToolFailure::told("there is no index of packages here; use the package manager in the box")
        })?;
        let name = arguments.text("name").unwrap_or_default();
        let key: Key = name
            .trim()
            .parse()
            .map_err(|error| ToolFailure::Told(format!("{error}")))?;
        let candidates = resolver.resolve(&key);
        if candidates.is_empty() {
            return Err(ToolFailure::Told(format!(
                "no package is known that has the {}",
                visible(&key.to_string())
            )));
        }
        let mut text = String::new();
        for candidate in candidates.iter().take(MOST) {
            let _ = writeln!(text, "{} ({})", candidate.package, visible(&candidate.because));
        }
        if candidates.len() > MOST {
            let _ = writeln!(text, "[{} more]", candidates.len() - MOST);
        }
        let names: Vec<&str> = candidates.iter().map(|candidate| candidate.package.as_str()).collect();
        Ok(Answer::text(text).with_data(json!({"packages": names})))
    }
}
