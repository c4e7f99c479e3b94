//! Projects of Visual Studio and compilation databases: other tools' lists of sources and flags.

use super::{Add, BuildSystem};
use crate::tree::{Tree, join};

pub(super) fn find(tree: &Tree, folder: &str, names: &[&str], add: &mut Add<'_>) {
    let ending = |end: &str| {
        let mut found: Vec<&str> = names
            .iter()
            .copied()
            .filter(|name| name.len() > end.len() && name.ends_with(end))
            .collect();
        found.sort_by_key(|name| name.len());
        found.first().copied()
    };
    if let Some(name) = [".sln", ".vcxproj", ".vcproj"].into_iter().find_map(ending) {
        add(
            BuildSystem::VisualStudio,
            Some(name),
            format!("{name} lists sources and flags"),
        );
    }
    if names.contains(&"compile_commands.json")
        && tree
            .head(&join(folder, "compile_commands.json"), 4096)
            .is_some_and(|text| text.contains("\"file\""))
    {
        add(
            BuildSystem::CompileCommands,
            Some("compile_commands.json"),
            "compile_commands.json lists sources and flags".to_owned(),
        );
    }
}
