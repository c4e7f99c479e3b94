//! A name that no file has: what is called nearly like it, by the habits of those who name programs and libraries.

use crate::{
    Candidate, Key, PackageIndex,
    classify::Family,
    lookup::{Answer, CERTAIN, GUESS},
    tables::alternatives,
};

/// A package called exactly like the program is meant rather than a part of it when so many times more sources use it.
const WHOLE_OVER_PART: f32 = 8.0;
/// Among several owners the one that is called like the program.
const NAMESAKE: f64 = 4.0;
/// What is put behind a library's name where it is built for several toolkits.
const FLAVOURS: [&str; 8] = [
    "-qt5", "_qt5", "-qt6", "_qt6", "_serial", "-openmpi", "_openmpi", "-mpich",
];
/// Folders of the system's own headers, and such as every project has.
const NO_FOLDERS_OF_A_PACKAGE: [&str; 16] = [
    "sys", "net", "netinet", "linux", "asm", "arpa", "bits", "gnu", "include", "src", "common", "core", "util",
    "utils", "machine", "test",
];
/// What GNU's programs are called where another system's own have the plain name.
const GNU_TWINS: [(&str, &str); 9] = [
    ("gsed", "sed"),
    ("ggrep", "grep"),
    ("gtar", "tar"),
    ("gfind", "find"),
    ("gpatch", "patch"),
    ("gdiff", "diff"),
    ("gdate", "date"),
    ("ginstall", "install"),
    ("greadlink", "readlink"),
];

impl PackageIndex {
    /// The packages that make a program's link when they are installed.
    pub(crate) fn alternatives(&self, name: &str, factor: f64, answer: &mut Answer) {
        for (position, package) in alternatives(name)
            .filter(|package| self.has_package(package))
            .enumerate()
        {
            let candidate = Candidate {
                package: package.to_owned(),
                because: "its name is a link of the alternatives system".to_owned(),
                score: CERTAIN - position as f64,
            };
            answer.add(candidate, factor);
        }
    }

    /// Of several owners the namesake counts more, and a package of which the owner is a part counts most.
    pub(crate) fn namesakes(&self, name: &str, found: &mut Vec<Candidate>) {
        for candidate in found.iter_mut().filter(|candidate| candidate.package == name) {
            candidate.score *= NAMESAKE;
        }
        let Some(best) = found.first() else { return };
        let is_part = best
            .package
            .strip_prefix(name)
            .is_some_and(|rest| rest.starts_with('-'));
        let popularity = |package: &str| self.popularity(package).unwrap_or(0.0);
        if is_part && popularity(name) > popularity(&best.package).max(1.0) * WHOLE_OVER_PART {
            let because = format!("`{}` owns {} and is a part of it", best.package, best.because);
            let score = best.score * 2.0;
            found.push(Candidate {
                package: name.to_owned(),
                because,
                score,
            });
        }
    }

    /// A program that is here only under its name with a version behind; the default version's package counts most.
    pub(crate) fn program_with_version(&self, name: &str, factor: f64, answer: &mut Answer) {
        let is_version = |ending: &str| {
            let version = ending.strip_prefix('-').unwrap_or(ending);
            !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        };
        if name.len() > 2 {
            for ending in self.endings(Family::Command, name, &is_version) {
                let longer = format!("{name}{ending}");
                answer.extend(self.look_up(Family::Command, longer.as_bytes()), factor * GUESS);
            }
        }
    }

    /// A program under the other names that it has elsewhere.
    pub(crate) fn program_elsewhere(&self, name: &str, factor: f64, answer: &mut Answer) {
        let mut others = Vec::new();
        if let Some((_, plain)) = GNU_TWINS.iter().find(|(twin, _)| *twin == name) {
            others.push(Key::Command((*plain).to_owned()));
        }
        // Where two generations of a toolkit are installed together, the name tells which.
        if let Some(plain) = name.strip_suffix("-qt5") {
            others.push(Key::Command(plain.to_owned()));
        }
        // Programs that told compiler flags were given up for modules of pkg-config.
        if let Some(stem) = name.strip_suffix("-config") {
            others.push(Key::PkgConfig(stem.to_owned()));
            others.push(Key::PkgConfig(format!("lib{stem}")));
            others.push(Key::Library(stem.to_owned()));
        }
        // Programs written in Python carry the language's version here and not elsewhere.
        if !name.ends_with(|c: char| c.is_ascii_digit()) {
            others.push(Key::Command(format!("{name}3")));
            others.push(Key::Command(format!("python3-{name}")));
        }
        for other in others {
            if answer.is_empty() {
                let family = match other {
                    Key::PkgConfig(_) => Family::PkgConfig,
                    Key::Library(_) => Family::Library,
                    _ => Family::Command,
                };
                if family == Family::Command {
                    self.override_rows(&other, factor * GUESS, answer);
                }
                answer.extend(self.look_up(family, other.name().as_bytes()), factor * GUESS);
            }
        }
    }

    /// A header below a folder that is a link, or is called otherwise in other releases: links are in no file list. The
    /// package or the real folder must be called like it, else the header is another one.
    pub(crate) fn header_through_link(&self, name: &str, factor: f64, answer: &mut Answer) {
        let Some((folder, mut below)) = name.split_once('/') else {
            return;
        };
        let stem = folder.to_ascii_lowercase().replace('+', "p");
        let stem: String = stem.chars().filter(char::is_ascii_alphanumeric).collect();
        let stem = stem.strip_prefix("lib").unwrap_or(&stem);
        if stem.len() < 3 || NO_FOLDERS_OF_A_PACKAGE.contains(&stem) {
            return;
        }
        loop {
            let mut found = self.look_up(Family::Header, below.as_bytes());
            found.retain(|candidate| {
                let is_like = |text: &str| {
                    let text = text
                        .strip_prefix("lib")
                        .unwrap_or(text)
                        .to_ascii_lowercase()
                        .replace('+', "p");
                    text.starts_with(stem)
                };
                is_like(&candidate.package) || candidate.because.split('/').rev().skip(1).any(is_like)
            });
            answer.extend(found, factor * GUESS);
            match below.split_once('/') {
                Some((_, shorter)) if answer.is_empty() => below = shorter,
                _ => break,
            }
        }
    }

    /// Where only what runs with a library owns its file, the package to build with is beside it.
    pub(crate) fn to_build_with(&self, found: &mut Vec<Candidate>) {
        let mut added = Vec::new();
        for candidate in found.iter() {
            let package = candidate.package.as_str();
            if package.ends_with("-dev") || is_private(candidate) {
                continue;
            }
            let bare = package.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
            for stem in [package, bare.trim_end_matches('-')] {
                let development = format!("{stem}-dev");
                let known = |list: &[Candidate]| list.iter().any(|other| other.package == development);
                if stem.len() > 3 && self.has_package(&development) && !known(found) && !known(&added) {
                    added.push(Candidate {
                        package: development,
                        because: format!("`{package}` owns {} and is what runs with it", candidate.because),
                        score: candidate.score * 2.0,
                    });
                    break;
                }
            }
        }
        found.append(&mut added);
    }

    /// A library under its name with a version, with other capitals, or without what says how it was built.
    pub(crate) fn library_elsewhere(&self, name: &str, factor: f64, answer: &mut Answer) {
        // Another major version of a language is another language.
        if name.starts_with("python2") || name.len() < 2 {
            return;
        }
        let factor = factor * GUESS;
        let mut part = Answer::default();
        for end in ["_static", "-static", "_shared", "-shared", "_a", "-mt", "_r", "w"] {
            if let Some(plain) = name.strip_suffix(end).filter(|plain| plain.len() > 2) {
                part.extend(self.public(plain), factor);
            }
        }
        if part.is_empty() {
            for flavour in FLAVOURS {
                part.extend(self.public(&format!("{name}{flavour}")), factor);
            }
        }
        if part.is_empty() {
            part.extend(self.versions(name), factor);
        }
        if part.is_empty() {
            let folded = name.to_ascii_lowercase();
            if folded != name {
                part.extend(self.public(&folded), factor);
            }
        }
        if part.is_empty() {
            // `glfw3` is `libglfw.so` of `libglfw3-dev`: the digits are the package's.
            let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
            let stem = stem.trim_end_matches('-');
            if stem.len() > 1 && stem != name {
                let same: Vec<_> = self
                    .public(stem)
                    .into_iter()
                    .chain(self.versions(stem))
                    .filter(|candidate| {
                        candidate.package.contains(&name.to_ascii_lowercase()) || same_generation(name, candidate)
                    })
                    .collect();
                part.extend(same, factor);
            }
        }
        answer.extend(part.finish(), 1.0);
    }

    fn public(&self, name: &str) -> Vec<Candidate> {
        let mut found = self.look_up(Family::Library, name.as_bytes());
        found.retain(|candidate| !is_private(candidate));
        found
    }

    /// The libraries called like `name` with a version behind: `MagickCore-6.Q16`, `gtk-3`, `lzo2`.
    fn versions(&self, name: &str) -> Vec<Candidate> {
        let is_version = |ending: &str| {
            let version = ending.strip_prefix(['-', '_', '.']).unwrap_or(ending);
            version.starts_with(|c: char| c.is_ascii_digit())
                && version
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))
        };
        let mut found = Vec::new();
        for ending in self.endings(Family::Library, name, &is_version) {
            found.extend(self.look_up(Family::Library, format!("{name}{ending}").as_bytes()));
        }
        found.retain(|candidate| !is_private(candidate) && candidate.package.ends_with("-dev"));
        found
    }
}

/// Whether what was asked for is the beginning of what the file is called: `boost_python3` and `boost_python311`.
fn same_generation(name: &str, candidate: &Candidate) -> bool {
    let file = candidate.because.rsplit('/').next().unwrap_or_default();
    file.strip_prefix("lib").is_some_and(|rest| rest.starts_with(name))
}

/// Whether a library's file is in a folder of some program's own, where the linker does not look.
pub(crate) fn is_private(candidate: &Candidate) -> bool {
    let path = candidate.because.as_str();
    let Some(below) = path.split_once("/lib/").map(|(_, below)| below) else {
        return false;
    };
    let folders: Vec<_> = below.split('/').collect();
    let own = folders.first().is_some_and(|first| first.contains("-linux-"));
    let depth = folders.len().saturating_sub(1 + usize::from(own));
    depth > 0 && !candidate.package.ends_with("-dev") && !path.contains("/gcc/")
}
