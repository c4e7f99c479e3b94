//! Why an answer ranks where it does.

use serde::Serialize;

use crate::{
    Context, Key, PackageIndex, Resolver,
    classify::{Family, normalised},
    lookup::CERTAIN,
};

/// What an answer stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ground {
    /// A row of a table, with the row's reason.
    Table,
    /// A file of the package.
    File,
    /// A name of another kind that sounds alike.
    Guess,
}

/// A candidate with what it was ranked by.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explained {
    /// The package to install.
    pub package: String,
    /// The file that answers, or the table's reason.
    pub because: String,
    /// Larger is better; comparable within one answer only.
    pub score: f64,
    /// What the answer stands on.
    pub ground: Ground,
    /// How often the archive's sources build with the package, directly or through what leans on it, plus one.
    pub popularity: Option<f32>,
    /// Folders between the include root and the name: each makes the answer four times less likely.
    pub depth: Option<usize>,
    /// Whether it was put first because it goes with what is installed.
    pub coherent: bool,
}

impl PackageIndex {
    /// Like `resolve_with`, with the factors of the ranking.
    pub fn explain(&self, key: &Key, context: &Context) -> Vec<Explained> {
        let explained = |candidate: crate::Candidate| Explained {
            ground: if candidate.because.starts_with('/') && candidate.score >= 0.01 {
                Ground::File
            } else if candidate.score >= CERTAIN / 1.0e6 || candidate.because.contains("table") {
                Ground::Table
            } else {
                Ground::Guess
            },
            popularity: self.popularity(&candidate.package),
            depth: depth(key, &candidate.because),
            coherent: candidate.because.contains("; goes with the "),
            package: candidate.package,
            because: candidate.because,
            score: candidate.score,
        };
        self.resolve_with(key, context).into_iter().map(explained).collect()
    }

    /// Names of the key's family that resemble it, for an answer that says what may have been meant.
    pub fn near(&self, key: &Key) -> Vec<String> {
        const MOST: usize = 5;
        let name = key.name().trim();
        let family = match key {
            Key::Header(_) => Family::Header,
            Key::PkgConfig(_) => Family::PkgConfig,
            Key::CMake(_) => Family::CMake,
            Key::CMakeTarget(_) => Family::CMakeTarget,
            Key::CMakeCommand(_) => Family::CMakeCommand,
            Key::Library(_) => Family::Library,
            Key::Soname(_) => Family::Soname,
            Key::Command(_) => Family::Command,
            Key::Macro(_) => Family::MacroDefinition,
            Key::Python(_) => Family::Python,
            Key::Perl(_) => {
                let module = format!("{}.pm", name.replace("::", "/"));
                let near = self.alike(Family::Path, &module, MOST);
                return near
                    .into_iter()
                    .map(|path| path.trim_end_matches(".pm").replace('/', "::"))
                    .collect();
            }
            Key::Ruby(_) => Family::Ruby,
            Key::Node(_) => Family::Node,
            Key::R(_) => Family::R,
            Key::Typelib(_) => Family::Typelib,
            Key::Vapi(_) => Family::Vapi,
            Key::Font(_) => {
                let letters: Vec<u8> = normalised(name.as_bytes()).collect();
                return self.alike(Family::Font, &String::from_utf8_lossy(&letters), MOST);
            }
            Key::Tex(_) => Family::Tex,
            Key::Maven(_) => Family::Maven,
            Key::Java(_) => Family::JavaGroup,
            Key::Haskell(_) => Family::Haskell,
            Key::Ocaml(_) => Family::Ocaml,
            Key::Lua(_) => Family::Lua,
            Key::Go(_) => Family::Go,
            Key::Crate(_) => Family::Crate,
            Key::Path(_) => Family::BaseName,
        };
        self.alike(family, name, MOST)
    }
}

fn depth(key: &Key, because: &str) -> Option<usize> {
    let Key::Header(name) = key else { return None };
    let path = because.split(';').next().unwrap_or(because);
    let before = path.strip_suffix(name.as_str())?.strip_prefix('/')?;
    let below = before.rsplit_once("include/").map_or("", |(_, below)| below);
    let own = below.strip_prefix("x86_64-linux-gnu/").unwrap_or(below);
    Some(own.matches('/').count())
}
