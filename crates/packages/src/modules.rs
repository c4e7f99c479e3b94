//! What a path is good for in the languages that are not C: modules, gems, typelibs, fonts, poms, crates.

use crate::classify::{Family, Name, literal, normalised};

/// What the interpreter brings is there already, also where a newer version comes in a package of its own.
const CORE: f32 = 8.0;

/// Calls `out` with each name that a path below `usr/share/` answers; `rest` is what follows that folder.
pub(crate) fn below_share(path: &[u8], rest: &[u8], scratch: &mut Vec<u8>, out: &mut dyn FnMut(Name<'_>)) {
    let Some((first, tail)) = split(rest) else { return };
    match first {
        b"nodejs" => node_module(path, tail, out),
        b"rubygems-integration" => {
            if let Some((_version, file)) = split(tail)
                .and_then(|(version, tail)| tail.strip_prefix(b"specifications/").map(|file| (version, file)))
            {
                gem_specification(path, file, scratch, out);
            }
        }
        b"fonts" => font(path, tail, scratch, out),
        b"texlive" | b"texmf" => tex_file(path, tail, out),
        b"maven-repo" => pom(path, tail, scratch, out),
        b"lua" => lua_module(path, tail, b".lua", out),
        b"gocode" => {
            if let Some(import) = tail.strip_prefix(b"src/") {
                go_package(path, import, out);
            }
        }
        b"cargo" => {
            let unpacked = tail
                .strip_prefix(b"registry/")
                .and_then(|tail| tail.strip_suffix(b"/Cargo.toml"));
            if let Some(name) = unpacked.and_then(without_version).filter(|name| !name.contains(&b'/')) {
                literal(Family::Crate, name, path, 1.0, out);
            }
        }
        b"perl" => {
            // `perl/5.36.0/Pod/Simple.pm`: the standard library.
            if let Some((_version, module)) = split(tail) {
                super::classify::perl_module(path, module, CORE, out);
            }
        }
        _ => {
            if first.starts_with(b"vala") {
                let stem = tail.strip_prefix(b"vapi/").and_then(|file| file.strip_suffix(b".vapi"));
                if let Some(stem) = stem.filter(|stem| !stem.contains(&b'/')) {
                    named(Family::Vapi, stem, path, b".vapi", 1.0, out);
                }
            }
        }
    }
}

/// The same below `usr/lib/`; `own` is what follows it and the folder of the machine.
pub(crate) fn below_lib(path: &[u8], own: &[u8], scratch: &mut Vec<u8>, out: &mut dyn FnMut(Name<'_>)) {
    soname(path, own, out);
    let Some((first, tail)) = split(own) else { return };
    match first {
        b"girepository-1.0" => {
            if let Some(stem) = tail.strip_suffix(b".typelib").filter(|stem| !stem.contains(&b'/')) {
                named(Family::Typelib, stem, path, b".typelib", 1.0, out);
                // `Gtk`, where the message does not say which version.
                if let Some(dash) = memchr::memrchr(b'-', stem) {
                    literal(Family::Typelib, stem.get(..dash).unwrap_or_default(), path, 0.5, out);
                }
            }
        }
        b"nodejs" => node_module(path, tail, out),
        b"R" => {
            let package = tail
                .strip_prefix(b"site-library/")
                .or_else(|| tail.strip_prefix(b"library/"))
                .and_then(|tail| tail.strip_suffix(b"/DESCRIPTION"));
            if let Some(name) = package.filter(|name| !name.contains(&b'/')) {
                named(Family::R, name, path, b"/DESCRIPTION", 1.0, out);
            }
        }
        b"ruby" => ruby_file(path, tail, scratch, out),
        // Gems with parts that are compiled.
        b"rubygems-integration" => {
            let file = split(tail).and_then(|(_version, tail)| tail.strip_prefix(b"specifications/"));
            if let Some(file) = file {
                gem_specification(path, file, scratch, out);
            }
        }
        b"ocaml" => {
            if let Some(name) = tail.strip_suffix(b"/META").filter(|name| !name.contains(&b'/')) {
                named(Family::Ocaml, name, path, b"/META", 1.0, out);
            }
        }
        b"lua" => lua_module(path, tail, b".so", out),
        b"ghc" | b"haskell-packages" => {
            if let Some(module) = haskell_module(tail) {
                named(Family::Haskell, module, path, b".hi", 0.5, out);
            }
        }
        b"perl" | b"perl5" => {
            if let Some((_version, module)) = split(tail) {
                let weight = if first == b"perl" { CORE } else { 1.0 };
                super::classify::perl_module(path, module, weight, out);
            }
        }
        b"perl-base" => super::classify::perl_module(path, tail, CORE, out),
        _ => {}
    }
}

/// The same below `var/`.
pub(crate) fn below_var(path: &[u8], rest: &[u8], out: &mut dyn FnMut(Name<'_>)) {
    let stem = rest
        .strip_prefix(b"lib/ghc/package.conf.d/")
        .and_then(|file| file.strip_suffix(b".conf"));
    if let Some(name) = stem.and_then(without_version) {
        literal(Family::Haskell, name, path, 1.0, out);
    }
}

/// A shared object as programs ask for it: `libz.so.1`.
pub(crate) fn soname(path: &[u8], below_root: &[u8], out: &mut dyn FnMut(Name<'_>)) {
    let start = memchr::memrchr(b'/', below_root).map_or(0, |slash| slash + 1);
    let (folder, file) = below_root.split_at(start);
    if !(file.starts_with(b"lib") || file.starts_with(b"ld-") || file.starts_with(b"ld64")) {
        return;
    }
    let Some(at) = memchr::memmem::find(file, b".so.") else {
        return;
    };
    let version = file.get(at + 4..).unwrap_or_default();
    if version.is_empty() || !version.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.') {
        return;
    }
    let depth = memchr::memchr_iter(b'/', folder).count();
    if depth <= 2 {
        named(
            Family::Soname,
            file,
            path,
            b"",
            0.25_f32.powi(i32::try_from(depth).unwrap_or(2)),
            out,
        );
    }
}

fn node_module(path: &[u8], tail: &[u8], out: &mut dyn FnMut(Name<'_>)) {
    let Some(name) = tail.strip_suffix(b"/package.json") else {
        return;
    };
    let slashes = memchr::memchr_iter(b'/', name).count();
    let scoped = name.first() == Some(&b'@');
    if slashes == usize::from(scoped) {
        named(Family::Node, name, path, b"/package.json", 1.0, out);
    }
}

fn gem_specification(path: &[u8], file: &[u8], scratch: &mut Vec<u8>, out: &mut dyn FnMut(Name<'_>)) {
    let stem = file.strip_suffix(b".gemspec").filter(|stem| !stem.contains(&b'/'));
    if let Some(name) = stem.and_then(without_version) {
        scratch.clear();
        scratch.extend_from_slice(name);
        literal(Family::Ruby, scratch, path, 1.0, out);
    }
}

fn ruby_file(path: &[u8], tail: &[u8], scratch: &mut Vec<u8>, out: &mut dyn FnMut(Name<'_>)) {
    // `vendor_ruby/x.rb`, `3.1.0/x.rb`, `gems/3.1.0/specifications/default/x-1.gemspec`.
    let Some((first, below)) = split(tail) else { return };
    if first == b"gems" {
        if let Some(at) = memchr::memmem::find(below, b"/specifications/") {
            let file = below.get(at + b"/specifications/".len()..).unwrap_or_default();
            gem_specification(path, file.strip_prefix(b"default/").unwrap_or(file), scratch, out);
        }
        return;
    }
    if let Some(stem) = below.strip_suffix(b".rb").filter(|stem| !stem.contains(&b'/')) {
        named(Family::Ruby, stem, path, b".rb", 0.5, out);
    }
}

/// Fonts are asked for by their family's name; files are called after it and the style.
fn font(path: &[u8], tail: &[u8], scratch: &mut Vec<u8>, out: &mut dyn FnMut(Name<'_>)) {
    let file = tail.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let Some(stem) = [&b".ttf"[..], b".otf", b".ttc"]
        .iter()
        .find_map(|end| file.strip_suffix(*end))
    else {
        return;
    };
    let family = stem.split(|byte| *byte == b'-').next().unwrap_or(stem);
    scratch.clear();
    scratch.extend(normalised(family));
    if !scratch.is_empty() {
        literal(Family::Font, scratch, path, 1.0, out);
    }
}

fn tex_file(path: &[u8], tail: &[u8], out: &mut dyn FnMut(Name<'_>)) {
    let start = memchr::memrchr(b'/', tail).map_or(0, |slash| slash + 1);
    let (folder, file) = tail.split_at(start);
    let wanted = [
        &b".sty"[..],
        b".cls",
        b".bst",
        b".def",
        b".clo",
        b".fd",
        b".ldf",
        b".tfm",
        b".mf",
        b".bbx",
        b".cbx",
    ];
    if wanted.iter().any(|end| file.ends_with(end)) && memchr::memmem::find(folder, b"doc/").is_none() {
        // Its own folder is called after it; elsewhere it is a copy, or another file of that name.
        let stem = file.split(|byte| *byte == b'.').next().unwrap_or(file);
        let own = folder.strip_suffix(b"/").is_some_and(|folder| {
            folder
                .rsplit(|byte| *byte == b'/')
                .next()
                .is_some_and(|last| last == stem)
        });
        // Pre-releases of LaTeX are kept in trees of their own.
        let early = memchr::memmem::find(folder, b"-dev/").is_some();
        let weight = match (early, own) {
            (true, _) => 0.01,
            (false, true) => 1.0,
            (false, false) => 0.25,
        };
        named(Family::Tex, file, path, b"", weight, out);
    }
}

/// `org/slf4j/slf4j-api/1.7/slf4j-api-1.7.pom` answers `org.slf4j:slf4j-api`, and the group alone.
fn pom(path: &[u8], tail: &[u8], scratch: &mut Vec<u8>, out: &mut dyn FnMut(Name<'_>)) {
    if !tail.ends_with(b".pom") {
        return;
    }
    let mut parts = tail.rsplitn(4, |byte| *byte == b'/');
    let (Some(_file), Some(_version), Some(artifact), Some(group)) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return;
    };
    let dotted = |byte: &u8| if *byte == b'/' { b'.' } else { *byte };
    scratch.clear();
    scratch.extend(group.iter().map(dotted));
    literal(Family::JavaGroup, scratch, path, 1.0, out);
    scratch.push(b':');
    scratch.extend_from_slice(artifact);
    literal(Family::Maven, scratch, path, 1.0, out);
}

/// A module and the one below it, with `/` for `.`.
fn lua_module(path: &[u8], tail: &[u8], ending: &[u8], out: &mut dyn FnMut(Name<'_>)) {
    let Some((_version, file)) = split(tail) else { return };
    let Some(stem) = file.strip_suffix(ending) else { return };
    if let Some(module) = stem.strip_suffix(b"/init") {
        let after = [b"/init", ending].concat();
        named(Family::Lua, module, path, &after, 1.0, out);
    } else if memchr::memchr_iter(b'/', stem).count() <= 1 {
        named(Family::Lua, stem, path, ending, 1.0, out);
    }
}

/// The folder of a Go file is a package.
fn go_package(path: &[u8], import: &[u8], out: &mut dyn FnMut(Name<'_>)) {
    let Some(slash) = memchr::memrchr(b'/', import) else {
        return;
    };
    let (folder, file) = import.split_at(slash);
    let hidden = folder
        .split(|byte| *byte == b'/')
        .any(|part| matches!(part, b"testdata" | b"vendor" | b"internal"));
    if !hidden && file.ends_with(b".go") && !file.ends_with(b"_test.go") {
        let before = path.get(..path.len() - import.len()).unwrap_or_default();
        out(Name {
            family: Family::Go,
            key: folder,
            before,
            after: b"",
            literal: false,
            weight: 1.0,
        });
    }
}

/// `…/aeson-2.0.3.0-2hF…/Data/Aeson.hi` answers `Data/Aeson`.
fn haskell_module(tail: &[u8]) -> Option<&[u8]> {
    let stem = tail.strip_suffix(b".hi")?;
    let mut start = 0;
    for part in stem.split(|byte| *byte == b'/') {
        if part.first().is_some_and(u8::is_ascii_uppercase) {
            return stem.get(start..);
        }
        start += part.len() + 1;
    }
    None
}

/// `name-1.2.3` without its version; `None` when it carries none.
fn without_version(stem: &[u8]) -> Option<&[u8]> {
    let mut end = stem.len();
    while let Some(dash) = memchr::memrchr(b'-', stem.get(..end)?) {
        let version = stem.get(dash + 1..)?;
        if version.first().is_some_and(u8::is_ascii_digit) && version.contains(&b'.') {
            return stem.get(..dash).filter(|name| !name.is_empty());
        }
        end = dash;
    }
    None
}

/// A name that stands in the path as it is asked for, before `after`.
fn named(family: Family, key: &[u8], path: &[u8], after: &[u8], weight: f32, out: &mut dyn FnMut(Name<'_>)) {
    let before = path.len().checked_sub(key.len() + after.len());
    let before = before.and_then(|end| path.get(..end)).unwrap_or_default();
    if !key.is_empty() {
        out(Name {
            family,
            key,
            before,
            after,
            literal: false,
            weight,
        });
    }
}

fn split(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let slash = memchr::memchr(b'/', text)?;
    Some((text.get(..slash)?, text.get(slash + 1..)?))
}
