//! Programs of others that agents run.

use std::path::{Path, PathBuf};

use fs_err as fs;
use seatrial_agents::Ognibuild;
use seatrial_core::Digest;

use crate::{app::App, failure::Failure};

/// How to get it, without a word that depends on the machine.
const INSTALL: &str = "cargo install ognibuild --locked --no-default-features --features cli,debian --bin ogni";

/// The program of the agent `ognibuild`, named or else found, and its digest.
pub(super) fn ognibuild(app: &App, named: Option<&Path>) -> Result<(Vec<u8>, Digest), Failure> {
    let program = match named {
        Some(named) => named.to_owned(),
        None => found(app.home.root(), Ognibuild::PROGRAM).ok_or_else(|| {
            Failure::usage(format!(
                "the agent `{}` runs the program `{}`, which is neither in {} nor on the search path\n  `{INSTALL}` makes it; \
                 `--program FILE` says where it is",
                Ognibuild::NAME,
                Ognibuild::PROGRAM,
                app.home.root().join("programs").display(),
            ))
        })?,
    };
    let bytes = fs::read(&program).map_err(|error| {
        Failure::usage(format!(
            "{error}\n  `--program` names the program `ogni`; `{INSTALL}` makes it"
        ))
    })?;
    let digest = Digest::of(&bytes);
    Ok((bytes, digest))
}

/// A program in the data folder's room for them, else the first on the search path.
fn found(home: &Path, name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::iter::once(home.join("programs"))
        .chain(std::env::split_paths(&path))
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}
