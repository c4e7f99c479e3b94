//! The `repodata` of rpm repositories: what packages provide, and which files they have.

use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

use fs_err as fs;
use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};
use seatrial_source::BinaryPackage;

use crate::{
    BuildSummary, PackagesError,
    builder::{Collector, assemble},
    classify::Family,
    foreign::{PROVIDES, package},
};

pub(crate) fn build(path: &Path, folder: &Path) -> Result<BuildSummary, PackagesError> {
    let parts = parts(folder)?;
    let primary = parts
        .get("primary")
        .ok_or_else(|| wrong(&folder.join("repomd.xml"), "it names no list of packages (`primary`)"))?;
    let (binaries, provided) = read_primary(primary)?;
    if binaries.is_empty() {
        return Err(wrong(primary, "it lists no package"));
    }
    // The list of all files holds those of the list of packages too.
    let files = parts.get("filelists").unwrap_or(primary);
    assemble(path, &binaries, &[], &mut |collector: &mut Collector<'_>| {
        for (name, text) in &provided {
            if let Some((family, key)) = capability(text) {
                collector.define(family, &key, &format!("{PROVIDES}{text}"), name);
            }
        }
        each_file(files, &mut |package, path| {
            collector.row(
                path.trim_start_matches('/').as_bytes(),
                b"",
                std::iter::once(package.as_bytes()),
            );
        })?;
        Ok(0)
    })
}

/// The family and name of a capability such as `pkgconfig(zlib)` or `libz.so.1()(64bit)`.
fn capability(text: &str) -> Option<(Family, String)> {
    let (kind, rest) = text.split_once('(')?;
    if kind.contains(".so") {
        return (!kind.is_empty()).then(|| (Family::Soname, kind.to_owned()));
    }
    let name = rest.split(')').next()?.to_owned();
    if name.is_empty() {
        return None;
    }
    let family = match kind {
        "pkgconfig" => Family::PkgConfig,
        "cmake" => Family::CMake,
        "perl" => return Some((Family::Path, format!("{}.pm", name.replace("::", "/")))),
        "rubygem" => Family::Ruby,
        "mvn" => return Some((Family::Maven, name.split(':').take(2).collect::<Vec<_>>().join(":"))),
        "npm" => Family::Node,
        "crate" => return Some((Family::Crate, name.split('/').next()?.to_owned())),
        "golang" => Family::Go,
        "tex" => Family::Tex,
        "typelib" => Family::Typelib,
        "R" => Family::R,
        "ocaml" => Family::Ocaml,
        "lua" => Family::Lua,
        _ => return None,
    };
    Some((family, name))
}

/// The kinds of lists that `repomd.xml` names, and where they are.
fn parts(folder: &Path) -> Result<HashMap<String, PathBuf>, PackagesError> {
    let path = folder.join("repomd.xml");
    let mut kind = String::new();
    let mut found = HashMap::new();
    each_event(&path, &mut |event, _text| {
        if let Event::Start(tag) | Event::Empty(tag) = event {
            match tag.local_name().as_ref() {
                "data" => kind = attribute(tag, "type"),
                "location" => {
                    // The place is told from the repository's root, which holds this folder.
                    let place = attribute(tag, "href");
                    let file = place.rsplit('/').next().unwrap_or_default();
                    found.insert(std::mem::take(&mut kind), folder.join(file));
                }
                _ => {}
            }
        }
    })?;
    Ok(found)
}

/// Packages, and pairs of a package and what it provides.
type Primary = (Vec<BinaryPackage>, Vec<(String, String)>);

fn read_primary(path: &Path) -> Result<Primary, PackagesError> {
    let mut binaries: Vec<BinaryPackage> = Vec::new();
    let mut provided: Vec<(String, String)> = Vec::new();
    let mut current = package("");
    let mut list: Option<&'static str> = None;
    each_event(path, &mut |event, text| match event {
        Event::Start(tag) | Event::Empty(tag) => match tag.local_name().as_ref() {
            "package" => current = package(""),
            "provides" => list = Some("provides"),
            "requires" => list = Some("requires"),
            "obsoletes" | "conflicts" | "recommends" | "suggests" | "supplements" | "enhances" => list = None,
            "entry" => {
                let name = attribute(tag, "name");
                let field = match list {
                    Some("provides") => {
                        let version = attribute(tag, "ver");
                        let text = if name.starts_with("typelib(") && !version.is_empty() {
                            format!("{}-{version})", name.trim_end_matches(')'))
                        } else {
                            name.clone()
                        };
                        provided.push((current.package.clone(), text));
                        &mut current.provides
                    }
                    Some("requires") => &mut current.depends,
                    _ => return,
                };
                // Brackets end a name in Debian's relations.
                if !field.is_empty() {
                    field.push_str(", ");
                }
                field.push_str(&name.replace(['(', ')', ':'], "!"));
            }
            _ => {}
        },
        Event::End(tag) => match tag.local_name().as_ref() {
            "name" if current.package.is_empty() => text.clone_into(&mut current.package),
            "arch" => text.clone_into(&mut current.architecture),
            "package" => {
                let done = std::mem::replace(&mut current, package(""));
                if !done.package.is_empty() && done.architecture != "src" {
                    binaries.push(done);
                }
            }
            _ => {}
        },
        _ => {}
    })?;
    Ok((binaries, provided))
}

/// Calls `out` with each package and file of a list.
fn each_file(path: &Path, out: &mut dyn FnMut(&str, &str)) -> Result<(), PackagesError> {
    let mut name = String::new();
    let mut folder = false;
    each_event(path, &mut |event, text| match event {
        Event::Start(tag) => match tag.local_name().as_ref() {
            "package" => name = attribute(tag, "name"),
            "file" => folder = attribute(tag, "type") == "dir",
            _ => {}
        },
        Event::End(tag) => match tag.local_name().as_ref() {
            "name" if name.is_empty() => text.clone_into(&mut name),
            "file" if !folder => out(&name, text),
            _ => {}
        },
        _ => {}
    })
}

/// Streams an XML file, packed or not. With the end of an element comes the text in it.
fn each_event(path: &Path, out: &mut dyn FnMut(&Event<'_>, &str)) -> Result<(), PackagesError> {
    let failed = |problem: String| wrong(path, &problem);
    let mut reader = Reader::from_reader(open(path)?);
    let mut buffer = Vec::new();
    let mut text = String::new();
    let mut depth = 0_usize;
    loop {
        let event = reader
            .read_event_into(&mut buffer)
            .map_err(|error| failed(error.to_string()))?;
        match &event {
            Event::Text(piece) => text.push_str(&piece.xml10_content()),
            Event::GeneralRef(name) => text.push_str(match name.as_ref() {
                "amp" => "&",
                "lt" => "<",
                "gt" => ">",
                "quot" => "\"",
                "apos" => "'",
                _ => "",
            }),
            Event::Start(_) => {
                depth += 1;
                text.clear();
                out(&event, "");
            }
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                out(&event, text.trim());
                text.clear();
            }
            Event::Empty(_) => out(&event, ""),
            Event::Eof if depth > 0 => return Err(failed("it ends in the middle".to_owned())),
            Event::Eof => return Ok(()),
            _ => {}
        }
        buffer.clear();
    }
}

fn open(path: &Path) -> Result<Box<dyn BufRead>, PackagesError> {
    let mut file = BufReader::with_capacity(1 << 18, fs::File::open(path)?);
    let magic = file.fill_buf()?;
    let stream: Box<dyn Read> = if magic.starts_with(&[0x1f, 0x8b]) {
        Box::new(flate2::read::MultiGzDecoder::new(file))
    } else if magic.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        Box::new(zstd::Decoder::new(file)?)
    } else if magic.starts_with(b"\xfd7zXZ") {
        Box::new(liblzma::read::XzDecoder::new_multi_decoder(file))
    } else {
        return Ok(Box::new(file));
    };
    Ok(Box::new(BufReader::with_capacity(1 << 18, stream)))
}

fn attribute(tag: &BytesStart<'_>, wanted: &str) -> String {
    tag.try_get_attribute(wanted)
        .ok()
        .flatten()
        .map(|attribute| {
            attribute
                .value
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&apos;", "'")
                .replace("&amp;", "&")
        })
        .unwrap_or_default()
}

fn wrong(path: &Path, problem: &str) -> PackagesError {
    PackagesError::Contents {
        path: path.to_owned(),
        problem: problem.to_owned(),
    }
}
