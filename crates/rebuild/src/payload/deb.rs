//! Debian's packages: an `ar` archive with a tar of facts and a tar of files.

use std::io::{self, Read};

use super::{Contents, decompressed};

/// Looks into a package.
pub(super) fn look(mut deb: impl Read) -> io::Result<Contents> {
    let mut contents = Contents::default();
    let mut has_files = false;
    members(&mut deb, &mut |name, member| {
        if let Some(how) = ending(name, "control.tar") {
            contents.label = label(&mut *decompressed(how, member)?)?;
        } else if let Some(how) = ending(name, "data.tar") {
            has_files = true;
            let mut archive = tar::Archive::new(decompressed(how, member)?);
            for entry in archive.entries()? {
                let mut entry = entry?;
                if !entry.header().entry_type().is_file() {
                    continue;
                }
                let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
                contents.look(&path, &mut entry)?;
            }
        }
        Ok(())
    })?;
    if has_files && !contents.label.is_empty() {
        Ok(contents)
    } else {
        Err(io::Error::other("it is no Debian package"))
    }
}

/// What follows a member's name: how it is compressed.
fn ending<'a>(name: &'a str, stem: &str) -> Option<&'a str> {
    let rest = name.strip_prefix(stem)?;
    if rest.is_empty() {
        Some("")
    } else {
        rest.strip_prefix('.')
    }
}

/// The architecture that a package's facts name.
fn label(tar: &mut dyn Read) -> io::Result<String> {
    let mut archive = tar::Archive::new(tar);
    for entry in archive.entries()? {
        let mut entry = entry?;
        if entry.path()?.file_name().is_some_and(|name| name == "control") {
            let mut text = String::new();
            entry.by_ref().take(1 << 20).read_to_string(&mut text)?;
            let found = text.lines().find_map(|line| line.strip_prefix("Architecture:"));
            return Ok(found.unwrap_or_default().trim().to_owned());
        }
    }
    Ok(String::new())
}

/// Hands out the members of an `ar` archive one after the other.
pub(super) fn members(
    archive: &mut dyn Read,
    each: &mut dyn FnMut(&str, &mut dyn Read) -> io::Result<()>,
) -> io::Result<()> {
    let mut magic = [0; 8];
    archive.read_exact(&mut magic)?;
    if &magic != b"!<arch>\n" {
        return Err(io::Error::other("it is no archive"));
    }
    loop {
        let mut header = Vec::with_capacity(60);
        archive.take(60).read_to_end(&mut header)?;
        if header.is_empty() {
            return Ok(());
        }
        let field = |from: usize, to: usize| {
            let bytes = header
                .get(from..to)
                .ok_or_else(|| io::Error::other("its archive is cut short"))?;
            Ok::<_, io::Error>(String::from_utf8_lossy(bytes).trim().to_owned())
        };
        let (name, size) = (field(0, 16)?, field(48, 58)?);
        let size: u64 = size.parse().map_err(|_| io::Error::other("its archive is damaged"))?;
        let mut member = archive.take(size);
        each(name.trim_end_matches('/'), &mut member)?;
        io::copy(&mut member, &mut io::sink())?;
        if member.limit() > 0 {
            return Err(io::Error::other("its archive is cut short"));
        }
        if size % 2 == 1 {
            io::copy(&mut archive.take(1), &mut io::sink())?;
        }
    }
}
