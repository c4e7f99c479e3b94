//! Look-ups of names that are not of C: each family's spelling, and where it is looked up.

use crate::{
    Key, PackageIndex,
    classify::{Family, normalised},
    lookup::{Answer, GUESS},
};

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
                    (package.starts_with("perl-modules-") || package == "perl-base").then(|| "perl".to_owned())
                });
            }
            Key::Ruby(_) => {
                // `require 'nokogiri/xml'` and `gem 'net-ssh'`.
                let top = name.split('/').next().unwrap_or(name);
                for spelling in [name, &name.replace('/', "-"), top, &top.replace('_', "-")] {
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

    fn extend_from(&self, family: Family, name: &str, factor: f64, answer: &mut Answer) {
        answer.extend(self.look_up(family, name.as_bytes()), factor);
    }

    /// Only when nothing was found under another spelling.
    fn first_of(&self, family: Family, name: &str, factor: f64, answer: &mut Answer) {
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
        }
    }

    fn cmake_target(&self, name: &str, factor: f64, depth: u8, answer: &mut Answer) {
        self.extend_from(Family::CMakeTarget, name, factor, answer);
        let Some((space, component)) = name.split_once("::") else {
            return;
        };
        // A package a component: `Qt5::Widgets` is in Qt5Widgets, `Boost::filesystem` in boost_filesystem.
        for spelling in [
            format!("{space}{component}"),
            format!("{space}_{component}").to_ascii_lowercase(),
            format!("{space}-{component}").to_ascii_lowercase(),
        ] {
            self.extend_from(Family::CMake, &spelling, factor, answer);
        }
        if answer.is_empty() {
            self.collect(&Key::CMake(space.to_owned()), factor, depth, answer);
        }
    }

    pub(crate) fn cmake_command(&self, name: &str, factor: f64, depth: u8, answer: &mut Answer) {
        let folded = name.to_ascii_lowercase();
        self.extend_from(Family::CMakeCommand, &folded, factor, answer);
        if answer.is_empty()
            && let Some((package, _)) = folded.split_once('_')
        {
            // Packages begin their commands with their own name.
            self.extend_from(Family::CMakeFolded, package, factor * GUESS, answer);
            // KDE's frameworks leave out the family's name, and Qt's a module's where it is not the base one.
            if answer.is_empty()
                && let Some(bare) = package.strip_prefix('k')
            {
                for family in ["kf5", "kf6"] {
                    self.first_of(Family::CMakeFolded, &format!("{family}{bare}"), factor * GUESS, answer);
                }
            }
            if answer.is_empty() && package.len() > 2 {
                self.collect(
                    &Key::CMake(package.to_owned()),
                    factor * GUESS * GUESS,
                    depth.min(1),
                    answer,
                );
            }
        }
    }

    /// The longest beginning of a class's name that is some artifact's group.
    fn java(&self, name: &str, factor: f64, answer: &mut Answer) {
        let mut group = name.trim_end_matches(".*");
        while group.contains('.') && answer.is_empty() {
            self.extend_from(Family::JavaGroup, group, factor, answer);
            group = group.rsplit_once('.').map_or("", |(before, _)| before);
        }
        self.first_of(Family::JavaGroup, group, factor, answer);
    }
}
