//! Look-ups of names that are not of C: each family's spelling, and where it is looked up.

use crate::{
    Candidate, Key, PackageIndex,
    classify::{Family, normalised},
    lookup::{Answer, CERTAIN, GUESS},
    popularity::is_development,
    relatives::is_private,
    tables::artifacts_of,
};

/// How much more a package counts that has what programs ask for when they start.
const RUNS: f64 = 100.0;

impl PackageIndex {
    pub(crate) fn module(&self, key: &Key, factor: f64, depth: u8, answer: &mut Answer) {
        let name = key.name();
        match key {
            Key::Soname(_) => self.shared_object(name, factor, answer),
            Key::CMakeTarget(_) => self.cmake_target(name, factor, depth, answer),
            Key::CMakeCommand(_) => self.cmake_command(name, factor, depth, answer),
            Key::Perl(_) => {
                let module = name.trim_end_matches(".pm").replace("::", "/");
                self.extend_from(Family::Path, &format!("{module}.pm"), factor, answer);
                self.stand_in(answer, |package| {
                    let own = ["perl-modules-", "libperl5."]
                        .iter()
                        .any(|start| package.starts_with(start));
                    (own || package == "perl-base").then(|| "perl".to_owned())
                });
                // A newer version of what the interpreter brings is in a package of its own; the name asks for no version.
                answer.prefer("perl");
            }
            Key::Ruby(_) => {
                // `require 'nokogiri/xml'` and `gem 'net-ssh'`.
                let top = name.split('/').next().unwrap_or(name);
                self.first_of(Family::Ruby, name, factor, answer);
                let mut gem = name.replace('/', "-");
                while gem.len() > top.len() {
                    self.first_of(Family::Ruby, &gem, factor, answer);
                    gem.truncate(gem.rfind('-').unwrap_or(0));
                }
                for spelling in [top, &top.replace('_', "-"), &top.replace('_', "")] {
                    self.first_of(Family::Ruby, spelling, factor, answer);
                }
                // The standard library comes with the interpreter.
                self.stand_in(answer, |package| {
                    let version = package.strip_prefix("libruby")?;
                    version
                        .starts_with(|c: char| c.is_ascii_digit())
                        .then(|| "ruby".to_owned())
                });
            }
            Key::Node(_) => {
                let parts = if name.starts_with('@') { 2 } else { 1 };
                let module: Vec<_> = name.split('/').take(parts).collect();
                self.extend_from(Family::Node, &module.join("/"), factor, answer);
            }
            Key::R(_) => self.extend_from(Family::R, name, factor, answer),
            Key::Typelib(_) => self.extend_from(Family::Typelib, name.trim_end_matches(".typelib"), factor, answer),
            Key::Vapi(_) => {
                let stem = name.trim_end_matches(".vapi");
                self.extend_from(Family::Vapi, stem, factor, answer);
                if answer.is_empty() {
                    self.collect(&Key::PkgConfig(stem.to_owned()), factor * GUESS, depth, answer);
                }
            }
            Key::Font(_) => {
                let letters: Vec<u8> = normalised(name.as_bytes()).collect();
                answer.extend(self.look_up(Family::Font, &letters), factor);
                let stem = String::from_utf8_lossy(&letters).into_owned();
                self.font_package(&stem, factor, answer);
                if answer.is_empty() && letters.len() > 3 {
                    // The file's name says more than the family's: `DroidSansFallbackFull.ttf`.
                    for ending in self.endings(Family::Font, &stem, &|_| true) {
                        let longer = format!("{stem}{ending}");
                        answer.extend(self.look_up(Family::Font, longer.as_bytes()), factor * GUESS);
                    }
                }
            }
            Key::Tex(_) => {
                let file = name.rsplit('/').next().unwrap_or(name);
                self.extend_from(Family::Tex, file, factor, answer);
                if !file.contains('.') {
                    for ending in [".sty", ".cls"] {
                        self.extend_from(Family::Tex, &format!("{file}{ending}"), factor, answer);
                    }
                }
            }
            Key::Maven(_) => {
                // `group:artifact`, with whatever follows: packing and version.
                let coordinate: Vec<_> = name.split(':').take(2).collect();
                self.extend_from(Family::Maven, &coordinate.join(":"), factor, answer);
            }
            Key::Java(_) => self.java(name, factor, answer),
            Key::Haskell(_) => {
                let bare = name.split([' ', '>', '<', '=']).next().unwrap_or(name);
                if bare.starts_with(|c: char| c.is_ascii_uppercase()) {
                    self.extend_from(Family::Haskell, &bare.replace('.', "/"), factor, answer);
                } else {
                    self.extend_from(Family::Haskell, bare, factor, answer);
                }
            }
            Key::Ocaml(_) => {
                let top = name.split('.').next().unwrap_or(name);
                self.extend_from(Family::Ocaml, top, factor, answer);
                // The finder describes the compiler's own libraries, and what is linked with is in development packages.
                self.stand_in(answer, |package| match package {
                    "libfindlib-ocaml" | "ocaml-findlib" => Some("ocaml".to_owned()),
                    _ => Some(format!("{package}-dev")),
                });
            }
            Key::Lua(_) => {
                let module = name.replace('.', "/");
                self.first_of(Family::Lua, &module, factor, answer);
                let top = module.split('/').next().unwrap_or_default();
                self.first_of(Family::Lua, top, factor, answer);
            }
            Key::Go(_) => {
                // A module's root may hold no Go file of its own, and a package of it may be newer than the archive's.
                let mut import = name.split('@').next().unwrap_or(name).trim_end_matches("/...");
                while import.contains('/') && answer.is_empty() {
                    self.first_of(Family::Go, import, factor, answer);
                    import = import.rsplit_once('/').map_or("", |(before, _)| before);
                }
            }
            Key::Crate(_) => {
                for spelling in [name, &name.replace('_', "-"), &name.replace('-', "_")] {
                    self.first_of(Family::Crate, spelling, factor, answer);
                }
                // The newest version is in the package without a version in its name.
                let own = format!("librust-{}-dev", name.replace('_', "-").to_ascii_lowercase());
                answer.prefer(&own);
            }
            // The others have their own look-ups.
            _ => {}
        }
    }

    /// Puts another package in the place of one, where the archive has that.
    fn stand_in(&self, answer: &mut Answer, other: impl Fn(&str) -> Option<String>) {
        answer.rename(&|package| other(package).filter(|other| self.has_package(other)));
    }

    pub(crate) fn extend_from(&self, family: Family, name: &str, factor: f64, answer: &mut Answer) {
        answer.extend(self.look_up(family, name.as_bytes()), factor);
    }

    /// Files of fonts are called by abbreviations; packages mostly carry the whole name, or the beginning of it.
    fn font_package(&self, letters: &str, factor: f64, answer: &mut Answer) {
        for start in ["fonts-", "ttf-", "otf-"] {
            for package in self.packages_beginning(start) {
                let rest = package.get(start.len()..).unwrap_or_default();
                let stem: Vec<u8> = normalised(rest.as_bytes()).collect();
                let whole = stem == letters.as_bytes();
                if !whole && (answer.reaches(factor) || stem.len() < 5 || !letters.as_bytes().starts_with(&stem)) {
                    continue;
                }
                // The longer the part that is the same, the better. A file that happens to have the name says less than a
                // package of the whole name.
                let score = if whole { CERTAIN } else { stem.len() as f64 };
                let because = "a package of that name".to_owned();
                let candidate = Candidate {
                    package,
                    because,
                    score,
                };
                answer.add(candidate, factor * GUESS);
            }
        }
    }

    /// Only when nothing was found under another spelling.
    pub(crate) fn first_of(&self, family: Family, name: &str, factor: f64, answer: &mut Answer) {
        if answer.is_empty() {
            self.extend_from(family, name, factor, answer);
        }
    }

    fn shared_object(&self, name: &str, factor: f64, answer: &mut Answer) {
        let mut spelling = name;
        // `libz.so.1.2.13` is the file, `libz.so.1` what programs ask for. Another version is another library.
        while let Some((shorter, number)) = spelling.rsplit_once('.') {
            self.first_of(Family::Soname, spelling, factor, answer);
            let version = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            if !answer.is_empty() || !version {
                break;
            }
            spelling = shorter;
        }
        if answer.is_empty()
            && let Some(stem) = name.strip_prefix("lib").and_then(|name| name.strip_suffix(".so"))
        {
            self.extend_from(Family::Library, stem, factor, answer);
            // A program asks for it when it starts: what is needed to build with it is more than that.
            answer.weigh(&|candidate| {
                let runs = !is_development(&candidate.package) && !is_private(candidate);
                if runs { RUNS } else { 1.0 }
            });
        }
    }

    /// The longest beginning of a class's name that is some artifact's group.
    fn java(&self, name: &str, factor: f64, answer: &mut Answer) {
        let (known, derived) = artifacts_of(name);
        for coordinate in known.iter().map(|known| (*known).to_owned()).chain(derived) {
            self.first_of(Family::Maven, &coordinate, factor, answer);
        }
        let mut group = name.trim_end_matches(".*");
        while group.contains('.') && answer.is_empty() {
            self.extend_from(Family::JavaGroup, group, factor, answer);
            group = group.rsplit_once('.').map_or("", |(before, _)| before);
        }
        self.first_of(Family::JavaGroup, group, factor, answer);
    }
}
