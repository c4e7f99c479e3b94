//! Archives, layers and configurations that tests make on the spot.

use std::{fmt::Write as _, io::Write as _};

use seatrial_core::{Arch, Digest};
use seatrial_sandbox::{BoxSpec, ImageStore, Limits, NativeFactory, Network, Sandbox, SandboxFactory};
use seatrial_store::Home;
use sha2::{Digest as _, Sha256};

use crate::support::helper;

/// A data folder of a test's own.
pub(crate) struct Own {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) home: Home,
    pub(crate) images: ImageStore,
}

impl Own {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(folder.path().join("home")).unwrap();
        let images = ImageStore::new(&home, helper());
        Self { folder, home, images }
    }

    pub(crate) fn factory(&self) -> NativeFactory {
        NativeFactory::new(&self.home, helper()).unwrap()
    }

    /// A box without a network from an image.
    pub(crate) fn start(&self, image: Digest) -> Box<dyn Sandbox> {
        let spec = BoxSpec {
            image,
            limits: Limits::default(),
            network: Network::Off,
        };
        self.factory().start(&spec).unwrap()
    }

    /// Names that begin with a dot, where images are made: nothing half-made may stay.
    pub(crate) fn leftovers(&self) -> Vec<String> {
        let folders = [self.home.images(), self.home.cache("image-build").unwrap()];
        let names = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
        names
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .filter(|name| name.starts_with('.'))
            .collect()
    }
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .fold("sha256:".to_owned(), |mut text, byte| {
            write!(text, "{byte:02x}").unwrap();
            text
        })
}

/// What an entry of a test's archive is.
pub(crate) enum Entry<'a> {
    File(&'a [u8], u32),
    Folder(u32),
    Link(&'a str),
    Hard(&'a str),
    Device,
}

/// An archive of these entries.
pub(crate) fn tar(entries: &[(&str, Entry<'_>)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, entry) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_mtime(1_600_000_000);
        header.set_uid(0);
        header.set_gid(0);
        header.set_size(0);
        header.set_mode(0o644);
        // Written as it is: what the library refuses to write is what is to be tested.
        let field = &mut header.as_old_mut().name;
        field[..name.len()].copy_from_slice(name.as_bytes());
        let mut content: &[u8] = b"";
        match entry {
            Entry::File(bytes, mode) => {
                header.set_entry_type(tar::EntryType::Regular);
                header.set_mode(*mode);
                header.set_size(bytes.len() as u64);
                content = bytes;
            }
            Entry::Folder(mode) => {
                header.set_entry_type(tar::EntryType::Directory);
                header.set_mode(*mode);
            }
            Entry::Link(target) | Entry::Hard(target) => {
                let is_hard = matches!(entry, Entry::Hard(_));
                header.set_entry_type(if is_hard {
                    tar::EntryType::Link
                } else {
                    tar::EntryType::Symlink
                });
                header.set_link_name_literal(target).unwrap();
            }
            Entry::Device => {
                header.set_entry_type(tar::EntryType::Char);
                header.set_device_major(1).unwrap();
                header.set_device_minor(3).unwrap();
            }
        }
        header.set_cksum();
        builder.append(&header, content).unwrap();
    }
    builder.into_inner().unwrap()
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

/// The names that images have for this machine's architecture.
pub(crate) fn arch() -> &'static str {
    match Arch::host() {
        Arch::X86_64 => "amd64",
        Arch::Aarch64 => "arm64",
        other => other.as_str(),
    }
}

/// A configuration for uncompressed layers.
pub(crate) fn config(layers: &[&[u8]]) -> Vec<u8> {
    let ids: Vec<_> = layers.iter().map(|layer| sha256(layer)).collect();
    serde_json::json!({
        "architecture": arch(),
        "os": "linux",
        "config": {
            "Env": ["PATH=/opt/bin:/usr/bin:/bin", "KEEL=oak", "HOSTNAME=elsewhere"],
            "Labels": {"maker": "test"},
            "Cmd": ["bash"],
        },
        "rootfs": {"type": "layers", "diff_ids": ids},
    })
    .to_string()
    .into_bytes()
}

/// A layer that changes what the small tree has, and one on top of it that takes away.
pub(crate) fn upper_layers() -> [Vec<u8>; 2] {
    let first = tar(&[
        ("opt/bin/", Entry::Folder(0o755)),
        ("opt/bin/hello", Entry::File(b"#!/bin/bash\necho hello $KEEL\n", 0o755)),
        ("opt/gone", Entry::File(b"gone", 0o644)),
        ("opt/full/old", Entry::File(b"old", 0o644)),
        ("opt/becomes-file/inner", Entry::File(b"inner", 0o644)),
        ("opt/becomes-folder", Entry::File(b"file", 0o644)),
        ("opt/hard", Entry::Hard("opt/bin/hello")),
        ("opt/setuid", Entry::File(b"x", 0o4755)),
        ("opt/null", Entry::Device),
        // Through a link of the layer below.
        ("lib/through-a-link", Entry::File(b"there", 0o644)),
    ]);
    let second = tar(&[
        ("opt/full/new", Entry::File(b"new", 0o644)),
        ("opt/full/.wh..wh..opq", Entry::File(b"", 0o644)),
        ("opt/.wh.gone", Entry::File(b"", 0o644)),
        ("opt/becomes-file", Entry::File(b"a file now", 0o644)),
        ("opt/becomes-folder/", Entry::Folder(0o750)),
        ("usr/bin/.wh.sleep", Entry::File(b"", 0o644)),
    ]);
    [first, second]
}

/// Looks at a box made from the small tree and [`upper_layers`].
pub(crate) fn check_layers(sandbox: &mut dyn Sandbox) {
    let text = crate::support::script(
        sandbox,
        "hello; cat /opt/full/*; cat /opt/becomes-file; echo; ls -d /opt/*; stat -c '%a %h' /opt/hard /opt/setuid /opt/becomes-folder /tmp;
         cat /usr/lib/through-a-link; echo; ls /usr/bin/sleep 2>&1; stat -c '%u %g' /tmp; echo \"$PATH $HOSTNAME\"",
    );
    expect_test::expect![[r#"
        hello oak
        newa file now
        /opt/becomes-file
        /opt/becomes-folder
        /opt/bin
        /opt/full
        /opt/hard
        /opt/setuid
        755 2
        4755 1
        750 2
        755 2
        there
        ls: cannot access '/usr/bin/sleep': No such file or directory
        12 34
        /opt/bin:/usr/bin:/bin box
    "#]]
    .assert_eq(&text);
}
