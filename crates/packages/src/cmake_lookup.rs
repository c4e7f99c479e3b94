//! Look-ups of CMake's names: packages, the targets that they import, and the commands that they define.

use crate::{
    Candidate, Key, PackageIndex,
    classify::Family,
    lookup::{Answer, GUESS},
    tables::{customary_module, find_module, find_module_folded, package_of_command, separate_component},
};

/// A config file in a folder that is called like the package, against one in a folder of a variant.
const OWN_FOLDER: f64 = 2.0;

impl PackageIndex {
    pub(crate) fn cmake(&self, name: &str, factor: f64, depth: u8, answer: &mut Answer) {
        if let Some(keys) = find_module(name) {
            self.statics(keys, factor, depth, answer);
            if keys.is_empty() {
                return;
            }
        }
        if let Some(keys) = customary_module(name) {
            self.statics(keys, factor * GUESS, depth, answer);
        }
        answer.extend(
            own_folder_first(name, self.look_up(Family::CMake, name.as_bytes())),
            factor,
        );
        // A command's name where a package's is expected: what defines it is meant.
        let folded = name.to_ascii_lowercase();
        answer.extend(self.look_up(Family::CMakeCommand, folded.as_bytes()), factor * 0.5);
        // `find_package(Foo)` also reads `foo-config.cmake`.
        let alike = self.look_up(Family::CMakeFolded, folded.as_bytes());
        answer.extend(own_folder_first(name, alike), factor * 0.5);
        // Projects bring find modules of their own; what those look for is mostly called like the module. A config file of
        // the very name leaves nothing to guess.
        if answer.reaches(factor) {
            return;
        }
        let bare = folded.strip_prefix("lib").unwrap_or(&folded);
        // `OpenSSL3` is a generation of what is called so without the number.
        let plain = name.trim_end_matches(|c: char| c.is_ascii_digit());
        if plain != name && plain.len() > 3 && answer.is_empty() {
            let part = self.own_config(plain);
            answer.extend(part, factor * GUESS);
            if let Some(keys) = find_module(plain) {
                self.statics(keys, factor * GUESS, depth, answer);
            }
        }
        for guess in [
            Key::PkgConfig(name.to_owned()),
            Key::PkgConfig(folded.replace('_', "-")),
            Key::PkgConfig(folded.clone()),
            Key::PkgConfig(format!("lib{bare}")),
            Key::Library(bare.to_owned()),
            Key::Library(name.to_owned()),
        ] {
            self.collect(&guess, factor * GUESS, depth.min(1), answer);
        }
        // A find module that some other package happens to carry answers less than a file of that name.
        if !answer.reaches(factor * GUESS) {
            for guess in [
                Key::Python(folded.clone()),
                Key::Header(format!("{bare}/{bare}.h")),
                Key::Header(format!("{bare}.h")),
                Key::Header(format!("{bare}.hpp")),
                Key::Command(folded.clone()),
            ] {
                self.collect(&guess, factor * GUESS, depth.min(1), answer);
            }
        }
        if answer.is_empty() {
            for package in [format!("lib{bare}-dev"), format!("{bare}-dev"), folded.clone()] {
                self.package_guess(&package, factor, answer);
            }
        }
        if answer.is_empty() && folded == name && name.contains('_') {
            self.cmake_command(name, factor, depth, answer);
        }
    }

    pub(crate) fn cmake_target(&self, name: &str, factor: f64, depth: u8, answer: &mut Answer) {
        self.defined_target(name, factor, answer);
        // Package managers put their own namespace before what has no config file upstream.
        let name = name.strip_prefix("unofficial::").unwrap_or(name);
        let Some((space, component)) = name.split_once("::") else {
            // Older packages export their targets without a namespace, under their own name.
            if answer.is_empty() {
                self.collect(&Key::CMake(name.to_owned()), factor, depth, answer);
            }
            return;
        };
        if space == "PkgConfig" {
            // The project gave the name to what it asked pkg-config for.
            self.collect(&Key::CMake(component.to_owned()), factor * GUESS, depth, answer);
            return;
        }
        // A package a component: `Qt5::Widgets` is in Qt5Widgets, `Boost::filesystem` in boost_filesystem.
        for spelling in [
            format!("{space}{component}"),
            format!("{space}_{component}").to_ascii_lowercase(),
            format!("{space}-{component}").to_ascii_lowercase(),
        ] {
            answer.extend(self.own_config(&spelling), factor);
        }
        // A part of a component's: `KF5::ConfigCore` comes with KF5Config.
        let mut whole = component;
        while let Some(end) = whole.rfind(|c: char| c.is_ascii_uppercase()).filter(|end| *end > 0) {
            whole = whole.get(..end).unwrap_or_default();
            self.first_of(Family::CMake, &format!("{space}{whole}"), factor * 0.5, answer);
        }
        if answer.is_empty() && self.own_config(space).is_empty() {
            match find_module_folded(space) {
                Some(module) if find_module(module).is_none_or(<[_]>::is_empty) => {}
                Some(module) => self.component(module, component, factor, depth, answer),
                // What a project's own find module looks for is mostly spelled so for pkg-config: `XCB::RANDR`.
                None => {
                    let joined = format!("{space}-{component}").to_ascii_lowercase();
                    self.extend_from(Family::PkgConfig, &joined, factor * GUESS, answer);
                }
            }
        }
        if answer.is_empty() {
            self.collect(&Key::CMake(space.to_owned()), factor, depth, answer);
        }
        // Some other package's find module of that name is the last resort; the library that is called like both comes before.
        let letters = |text: &str| -> String { text.chars().filter(char::is_ascii_alphanumeric).collect() };
        let (one, other) = (
            letters(space).to_ascii_lowercase(),
            letters(component).to_ascii_lowercase(),
        );
        if !answer.reaches(factor * GUESS) && (one.contains(&other) || other.contains(&one)) {
            self.collect(
                &Key::Library(component.to_owned()),
                factor * GUESS,
                depth.min(1),
                answer,
            );
        }
    }

    /// Who defines a target, once the definitions have been read. Packages also define targets of CMake's own find modules,
    /// for old versions of it, and these are not theirs.
    fn defined_target(&self, name: &str, factor: f64, answer: &mut Answer) {
        let found = self.look_up(Family::CMakeTarget, name.as_bytes());
        let space = name.split_once("::").map_or(name, |(space, _)| space);
        let own = self.own_config(space);
        let (at_home, copies): (Vec<_>, Vec<_>) = found
            .into_iter()
            .partition(|candidate| own.iter().any(|other| other.package == candidate.package));
        answer.extend(at_home, factor);
        if find_module_folded(space).is_none() {
            answer.extend(copies, if own.is_empty() { factor } else { factor * GUESS });
        }
    }

    /// What a module of CMake itself finds apart from the rest: `OpenGL::EGL`, `X11::Xrandr`, `Protobuf::protoc`.
    fn component(&self, space: &str, component: &str, factor: f64, depth: u8, answer: &mut Answer) {
        if let Some(key) = separate_component(space, component) {
            self.statics(&[key], factor, depth, answer);
            return;
        }
        if component.eq_ignore_ascii_case(space) {
            return;
        }
        let joined = format!("{space}{component}").to_ascii_lowercase();
        self.development_library(&joined, factor, answer);
        if component.chars().all(|c| c.is_ascii_lowercase()) {
            self.first_of(Family::Command, component, factor, answer);
        }
        self.development_library(component, factor, answer);
    }

    fn own_config(&self, name: &str) -> Vec<Candidate> {
        let mut found = self.look_up(Family::CMake, name.as_bytes());
        found.retain(|candidate| candidate.score >= GUESS);
        found
    }

    fn development_library(&self, name: &str, factor: f64, answer: &mut Answer) {
        if answer.is_empty() {
            let mut found = self.look_up(Family::Library, name.as_bytes());
            found.retain(|candidate| candidate.package.ends_with("-dev"));
            answer.extend(found, factor);
        }
    }

    pub(crate) fn cmake_command(&self, name: &str, factor: f64, depth: u8, answer: &mut Answer) {
        let folded = name.to_ascii_lowercase();
        self.extend_from(Family::CMakeCommand, &folded, factor, answer);
        if !answer.is_empty() {
            return;
        }
        let Some((start, _)) = folded.split_once('_') else {
            return;
        };
        if let Some(package) = package_of_command(start) {
            self.collect(&Key::CMake(package.to_owned()), factor * GUESS, depth, answer);
        }
        // Packages begin their commands with their own name, KDE's frameworks without the family's.
        let mut others = Answer::default();
        for family in ["", "kf5", "kf6"] {
            let bare = start.strip_prefix('k').filter(|_| !family.is_empty());
            for package in [Some(start), bare].into_iter().flatten() {
                let package = format!("{family}{package}");
                if answer.is_empty() {
                    // Find modules that some other package carries come after everything else.
                    let found = self.look_up(Family::CMakeFolded, package.as_bytes());
                    let (own, foreign): (Vec<_>, Vec<_>) = found.into_iter().partition(|found| found.score >= GUESS);
                    answer.extend(own, factor * GUESS);
                    others.extend(foreign, factor * GUESS);
                }
                if answer.is_empty() && start.len() > 2 {
                    self.with_generation(&package, factor * GUESS, answer);
                }
            }
        }
        if answer.is_empty()
            && let Some(module) = find_module_folded(start)
        {
            self.collect(&Key::CMake(module.to_owned()), factor * GUESS, depth, answer);
        }
        if answer.is_empty() {
            answer.extend(others.finish(), 1.0);
        }
        if answer.is_empty() && start.len() > 2 {
            let package = Key::CMake(start.to_owned());
            self.collect(&package, factor * GUESS * GUESS, depth.min(1), answer);
        }
    }

    /// Config files of a package whose name ends in the number of its generation: `catch2`, `kf5kirigami2`.
    fn with_generation(&self, package: &str, factor: f64, answer: &mut Answer) {
        let is_number = |ending: &str| ending.bytes().all(|byte| byte.is_ascii_digit());
        for ending in self.endings(Family::CMakeFolded, package, &is_number) {
            self.extend_from(Family::CMakeFolded, &format!("{package}{ending}"), factor, answer);
        }
    }
}

/// Of several packages with the config file, the one whose folder is called like it.
fn own_folder_first(name: &str, mut found: Vec<Candidate>) -> Vec<Candidate> {
    for candidate in &mut found {
        let mut folders = candidate.because.rsplit('/').skip(1);
        let is_own = |folder: &str| {
            folder
                .get(..name.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(name))
                && folder
                    .get(name.len()..)
                    .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '.')))
        };
        // `cmake/Foo/`, `cmake/Foo-1.2/` and `Foo/cmake/`.
        let own = match folders.next() {
            Some("cmake") => folders.next().is_some_and(is_own),
            Some(folder) => is_own(folder),
            None => false,
        };
        if own {
            candidate.score *= OWN_FOLDER;
        }
    }
    found
}
