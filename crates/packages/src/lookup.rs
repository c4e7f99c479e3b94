//! From a key to candidates: tables first, then the index, then guesses that say so.

use crate::{
    Candidate, Key, PackageIndex, Resolver,
    classify::{Family, normalised},
    format::MOST_CANDIDATES,
    relatives::is_private,
    tables::{Static, elsewhere, is_generated, is_gone, macro_keys, overrides},
};

/// Above every score that popularity reaches.
pub(crate) const CERTAIN: f64 = 1.0e9;
/// A name of another kind that sounds alike.
pub(crate) const GUESS: f64 = 1.0e-3;
/// How much more a header at the include root itself counts than one below some folder of it.
const AT_ROOT: f64 = 8.0;
/// A table leads to another table at most, never round and round.
const DEEPEST: u8 = 3;

impl Resolver for PackageIndex {
    fn resolve(&self, key: &Key) -> Vec<Candidate> {
        let mut answer = Answer::default();
        self.collect(key, 1.0, DEEPEST, &mut answer);
        answer.finish()
    }
}

/// Candidates gathered so far, each package once.
#[derive(Default)]
pub(crate) struct Answer(Vec<Candidate>);

impl Answer {
    pub(crate) fn add(&mut self, mut candidate: Candidate, factor: f64) {
        candidate.score *= factor;
        match self.0.iter_mut().find(|known| known.package == candidate.package) {
            Some(known) if known.score >= candidate.score => {}
            Some(known) => *known = candidate,
            None => self.0.push(candidate),
        }
    }

    pub(crate) fn extend(&mut self, candidates: Vec<Candidate>, factor: f64) {
        for candidate in candidates {
            self.add(candidate, factor);
        }
    }

    /// Gives packages other names; of two that become one the better stays.
    pub(crate) fn rename(&mut self, other: &dyn Fn(&str) -> Option<String>) {
        for mut candidate in std::mem::take(&mut self.0) {
            if let Some(name) = other(&candidate.package) {
                candidate.package = name;
            }
            self.add(candidate, 1.0);
        }
    }

    /// Puts a package first, when it is among them.
    pub(crate) fn prefer(&mut self, package: &str) {
        let best = self.0.iter().map(|candidate| candidate.score).fold(0.0, f64::max);
        if let Some(candidate) = self.0.iter_mut().find(|candidate| candidate.package == package) {
            candidate.score += best;
        }
    }

    /// Multiplies each candidate's score by what `factor` says of it.
    pub(crate) fn weigh(&mut self, factor: &dyn Fn(&Candidate) -> f64) {
        for candidate in &mut self.0 {
            candidate.score *= factor(candidate);
        }
    }

    /// Whether some candidate scores at least `score`.
    pub(crate) fn reaches(&self, score: f64) -> bool {
        self.0.iter().any(|candidate| candidate.score >= score)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn finish(mut self) -> Vec<Candidate> {
        self.0.sort_by(|left, right| {
            right
                .score
                .total_cmp(&left.score)
                .then_with(|| right.package.cmp(&left.package))
        });
        self.0.truncate(MOST_CANDIDATES);
        self.0
    }
}

impl PackageIndex {
    pub(crate) fn collect(&self, key: &Key, factor: f64, depth: u8, answer: &mut Answer) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let key = tidy(key);
        self.override_rows(&key, factor, answer);
        match &key {
            Key::Header(name) => self.header(name, factor, answer),
            Key::PkgConfig(name) => answer.extend(self.look_up(Family::PkgConfig, name.as_bytes()), factor),
            Key::CMake(name) => self.cmake(name, factor, depth, answer),
            Key::Library(name) => self.library(name, factor, answer),
            Key::Command(name) => self.command(name, factor, answer),
            Key::Macro(name) => self.autoconf_macro(name, factor, depth, answer),
            Key::Python(name) => self.python(name, factor, answer),
            Key::Path(name) => self.path_of(name, factor, depth, answer),
            other => self.module(other, factor, depth, answer),
        }
        if answer.is_empty() {
            self.statics(elsewhere(&key), factor * GUESS, depth, answer);
        }
    }

    pub(crate) fn override_rows(&self, key: &Key, factor: f64, answer: &mut Answer) {
        for (position, row) in overrides(key).filter(|row| self.has_package(row.package)).enumerate() {
            let candidate = Candidate {
                package: row.package.to_owned(),
                because: format!("override table: {}", row.reason),
                score: CERTAIN - position as f64,
            };
            answer.add(candidate, factor);
        }
    }

    fn header(&self, name: &str, factor: f64, answer: &mut Answer) {
        if is_gone(name) || is_generated(name) {
            return;
        }
        let mut found = self.look_up(Family::Header, name.as_bytes());
        // A common word such as `utils.h` that many own and nobody owns at an include root names nothing in
        // particular. Only a package named after it may be meant then.
        let exact = found
            .iter()
            .any(|candidate| is_at_include_root(&candidate.because, name));
        if found.len() == MOST_CANDIDATES && !exact && !name.contains('/') {
            let stem = name.split('.').next().unwrap_or(name).to_ascii_lowercase();
            found.retain(|candidate| stem.len() > 1 && candidate.package.contains(&stem));
        }
        // Without a folder's name it is the file at the root that is asked for, however popular the owner of another one is
        // that is reached only with `-I`.
        if !name.contains('/') {
            for candidate in &mut found {
                if is_at_include_root(&candidate.because, name) {
                    candidate.score *= AT_ROOT;
                }
            }
        }
        answer.extend(found, factor);
        if answer.is_empty() {
            self.header_through_link(name, factor, answer);
        }
    }

    fn library(&self, name: &str, factor: f64, answer: &mut Answer) {
        let mut found = self.look_up(Family::Library, name.as_bytes());
        self.to_build_with(&mut found);
        // A plugin that happens to have the name is a weaker answer than the library itself under another spelling.
        let (private, public): (Vec<_>, Vec<_>) = found.into_iter().partition(is_private);
        answer.extend(public, factor);
        if answer.is_empty() {
            self.library_elsewhere(name, factor, answer);
        }
        let weaker = if answer.is_empty() {
            factor
        } else {
            factor * GUESS * GUESS
        };
        answer.extend(private, weaker);
    }

    fn command(&self, name: &str, factor: f64, answer: &mut Answer) {
        let mut found = self.look_up(Family::Command, name.as_bytes());
        self.namesakes(name, &mut found);
        answer.extend(found, factor);
        if answer.is_empty() {
            self.alternatives(name, factor, answer);
        }
        if !answer.is_empty() {
            return;
        }
        // `aclocal-1.14`, `gcc-4.8`, `python3.7`: the same program of the version that there is. But not another
        // language under the same name.
        if name.starts_with("python2") {
            return;
        }
        let digits = |c: char| c.is_ascii_digit();
        let major = name.trim_end_matches(digits).trim_end_matches('.');
        let plain = name
            .trim_end_matches(|c: char| digits(c) || c == '.')
            .trim_end_matches('-');
        for shorter in [major, plain] {
            if shorter.len() < 2 || shorter == name || !answer.is_empty() {
                continue;
            }
            self.override_rows(&Key::Command(shorter.to_owned()), factor * GUESS, answer);
            answer.extend(self.look_up(Family::Command, shorter.as_bytes()), factor * GUESS);
        }
        // Links that are made when a package is installed are in no file list; the package is called after the program.
        for package in [format!("{name}-cli"), name.to_owned()] {
            if answer.is_empty() {
                self.package_guess(&package, factor, answer);
            }
        }
        if answer.is_empty() {
            self.program_elsewhere(name, factor, answer);
        }
        if answer.is_empty() {
            self.program_with_version(name, factor, answer);
        }
    }

    fn autoconf_macro(&self, name: &str, factor: f64, depth: u8, answer: &mut Answer) {
        // Many packages carry copies of well-known macros: whose these are, a table says.
        self.statics(macro_keys(name), factor, depth, answer);
        // Whoever defines another is the answer, once the definitions have been read.
        let defined = self.look_up(Family::MacroDefinition, name.as_bytes());
        let is_known = !defined.is_empty();
        answer.extend(defined, factor * if answer.is_empty() { 1.0 } else { GUESS });
        if is_known {
            return;
        }
        // Files are called after the whole macro, or after what follows its usual beginnings.
        let mut spellings = vec![name];
        for prefix in ["AM_PATH_", "AM_CHECK_", "AM_", "AC_CHECK_", "AC_", "CHECK_"] {
            if let Some(rest) = name.strip_prefix(prefix) {
                spellings.push(rest);
            }
        }
        // `XIPH_PATH_OGG`, whoever's macro it is.
        if let Some((_, rest)) = name.split_once("_PATH_").filter(|(_, rest)| !spellings.contains(rest)) {
            spellings.push(rest);
        }
        for (position, spelling) in spellings.iter().enumerate() {
            let mut spelling = *spelling;
            let mut factor = factor / 2_f64.powi(i32::try_from(position).unwrap_or(0));
            while spelling.len() > 2 {
                let stem: Vec<u8> = normalised(spelling.as_bytes()).collect();
                answer.extend(self.look_up(Family::Macro, &stem), factor);
                // The last words may say what of it is wanted: `GTK_DOC_CHECK`, `PKG_CHECK_MODULES`.
                let Some((shorter, _)) = spelling.rsplit_once('_') else {
                    break;
                };
                if matches!(
                    shorter,
                    "AM" | "AC" | "AX" | "AM_PATH" | "AM_CHECK" | "AC_CHECK" | "AC_PROG" | "AC_LIB" | "CHECK"
                ) {
                    break;
                }
                spelling = shorter;
                factor *= 0.1;
            }
        }
    }

    fn python(&self, name: &str, factor: f64, answer: &mut Answer) {
        let mut parts = name.split('.');
        let top = parts.next().unwrap_or_default();
        if let Some(second) = parts.next() {
            answer.extend(
                self.look_up(Family::Python, format!("{top}/{second}").as_bytes()),
                factor,
            );
        }
        if answer.is_empty() {
            answer.extend(self.look_up(Family::Python, top.as_bytes()), factor);
        }
    }

    fn path_of(&self, name: &str, factor: f64, depth: u8, answer: &mut Answer) {
        let Some(relative) = name.strip_prefix('/') else {
            // A path below some search path of its own, or a bare file name.
            answer.extend(self.look_up(Family::Path, name.as_bytes()), factor);
            if answer.is_empty() {
                let base = name.rsplit('/').next().unwrap_or(name);
                answer.extend(self.look_up(Family::BaseName, base.as_bytes()), factor);
            }
            return;
        };
        answer.extend(self.look_up(Family::Path, relative.as_bytes()), factor);
        // What stands below a search path of its language is known without it.
        let mut below = relative;
        while let Some((_, shorter)) = below.split_once('/').filter(|_| answer.is_empty()) {
            below = shorter;
            if below.contains('/') {
                answer.extend(self.look_up(Family::Path, below.as_bytes()), factor * 0.5);
            }
        }
        if !answer.is_empty() {
            return;
        }
        // The place may be another one here; what it is for is not.
        let base = name.rsplit('/').next().unwrap_or_default();
        let key = if let Some((_, below)) = name.split_once("/include/") {
            Some(Key::Header(below.to_owned()))
        } else if let Some(stem) = base.strip_suffix(".pc") {
            Some(Key::PkgConfig(stem.to_owned()))
        } else if base.starts_with("lib") && is_library_file(base) {
            Some(Key::Library(base.to_owned()))
        } else if let Some((_, module)) = name.split_once("-packages/") {
            let module = module.trim_end_matches(".py").trim_end_matches("/__init__");
            Some(Key::Python(module.replace('/', ".")))
        } else if name.contains("/bin/") || name.contains("/sbin/") {
            Some(Key::Command(base.to_owned()))
        } else {
            None
        };
        match key {
            Some(key) => self.collect(&key, factor * 0.5, depth, answer),
            None => answer.extend(self.look_up(Family::BaseName, base.as_bytes()), factor * 0.5),
        }
    }

    /// Each key of a table row, the first one counting most; only the best answer of each, as all are wanted.
    pub(crate) fn statics(&self, keys: &[Static], factor: f64, depth: u8, answer: &mut Answer) {
        for (position, key) in keys.iter().enumerate() {
            let factor = factor * CERTAIN / 10_f64.powi(i32::try_from(position).unwrap_or(0));
            let key = match key {
                Static::Header(name) => Key::Header((*name).to_owned()),
                Static::PkgConfig(name) => Key::PkgConfig((*name).to_owned()),
                Static::Library(name) => Key::Library((*name).to_owned()),
                Static::Command(name) => Key::Command((*name).to_owned()),
                Static::Python(name) => Key::Python((*name).to_owned()),
                Static::Package(name) => {
                    if self.has_package(name) {
                        let because = "macro and module table".to_owned();
                        answer.add(
                            Candidate {
                                package: (*name).to_owned(),
                                because,
                                score: 1.0,
                            },
                            factor,
                        );
                    }
                    continue;
                }
            };
            let mut part = Answer::default();
            self.collect(&key, 1.0, depth, &mut part);
            // The order of the row counts, not how popular one row's package is against another's.
            for (rank, candidate) in part.finish().into_iter().take(2).enumerate() {
                let score = 1.0 / 1000_f64.powi(i32::try_from(rank).unwrap_or(0));
                answer.add(Candidate { score, ..candidate }, factor);
            }
        }
    }

    pub(crate) fn package_guess(&self, package: &str, factor: f64, answer: &mut Answer) {
        if self.has_package(package) {
            let because = "a package of that name".to_owned();
            answer.add(
                Candidate {
                    package: package.to_owned(),
                    because,
                    score: 1.0,
                },
                factor * GUESS,
            );
        }
    }
}

/// Whether the file is the name itself below an include root, not below some folder of a package in it.
fn is_at_include_root(path: &str, name: &str) -> bool {
    let Some(before) = path.strip_suffix(name) else {
        return false;
    };
    let Some(tail) = before.strip_prefix("/usr/include/") else {
        return before.ends_with("/include/");
    };
    // Nothing, or the triplet's folder.
    tail.is_empty() || (tail.matches('/').count() == 1 && tail.contains("-linux-gnu"))
}

/// The name as the index spells it: without brackets, options, version bounds and endings.
fn tidy(key: &Key) -> Key {
    match key {
        Key::Soname(name) => Key::Soname(name.trim().rsplit('/').next().unwrap_or_default().to_owned()),
        Key::Header(name) => {
            let mut name = name.trim().trim_matches(|c| matches!(c, '<' | '>' | '"'));
            while let Some(rest) = name.strip_prefix("./").or_else(|| name.strip_prefix("../")) {
                name = rest;
            }
            Key::Header(name.to_owned())
        }
        Key::PkgConfig(name) => {
            let name = name
                .split(|c: char| c.is_whitespace() || matches!(c, '>' | '<' | '=' | '!' | ','))
                .find(|part| !part.is_empty());
            Key::PkgConfig(name.unwrap_or_default().trim_end_matches(".pc").to_owned())
        }
        Key::Library(name) => {
            let whole = name.trim();
            let full = is_library_file(whole);
            let name = whole.strip_prefix("-l").unwrap_or(whole).trim_start_matches(':');
            let name = match name.find(".so") {
                Some(end) => name.get(..end).unwrap_or(name),
                None => name.trim_end_matches(".a").trim_end_matches(".la"),
            };
            // `lib` belongs to the file's name; but `-llibfoo` exists, so only a whole file name loses it.
            Key::Library(name.strip_prefix("lib").filter(|_| full).unwrap_or(name).to_owned())
        }
        Key::Command(name) => {
            let base = name.trim().rsplit('/').next().unwrap_or_default();
            Key::Command(base.to_owned())
        }
        Key::Macro(name) => Key::Macro(name.trim().trim_end_matches("()").to_owned()),
        other => other.with_name(other.name().trim()),
    }
}

/// Whether a name is a library's file, not its name for the linker.
fn is_library_file(name: &str) -> bool {
    name.contains(".so") || [".a", ".la"].iter().any(|end| name.ends_with(end))
}
