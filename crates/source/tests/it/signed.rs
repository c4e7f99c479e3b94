//! An archive made and signed here, served by a local server.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use fs_err as fs;
use seatrial_core::{FilePin, PinnedSource, Platform};
use seatrial_source::{DebianArchive, Fetcher, Mirror, SourceError};

use crate::support::{Server, World, pin, run, sha256};

/// A signed archive with the source package `tool` in two suites.
pub(crate) struct Archive {
    pub(crate) world: World,
    pub(crate) server: Server,
    pub(crate) root: PathBuf,
    pub(crate) keys: PathBuf,
    pub(crate) keyring: PathBuf,
}

pub(crate) const POOL: &str = "pool/main/t/tool";

fn tarball(entries: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, content) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, content.as_bytes()).unwrap();
    }
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
    std::io::Write::write_all(&mut encoder, &builder.into_inner().unwrap()).unwrap();
    encoder.finish().unwrap()
}

/// Writes the files of one version and returns its paragraph for `Sources`.
fn package(root: &Path, name: &str, version: &str, files: &[(String, Vec<u8>)]) -> String {
    let pool = root.join(POOL);
    fs::create_dir_all(&pool).unwrap();
    let mut pins = Vec::new();
    for (name, bytes) in files {
        fs::write(pool.join(name), bytes).unwrap();
        pins.push(pin(name, bytes));
    }
    let row = |file: &FilePin| format!(" {} {} {}\n", file.sha256, file.size, file.name);
    let format = if files.len() > 1 { "3.0 (quilt)" } else { "3.0 (native)" };
    let old_row = |(name, bytes): &(String, Vec<u8>)| format!(" {} {} {name}\n", "0".repeat(32), bytes.len());
    let description = format!(
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nFormat: {format}\nSource: {name}\nVersion: {version}\n\
         Binary: {name}-bin\nArchitecture: any\nMaintainer: A <a@example.org>\nFiles:\n{}Checksums-Sha256:\n{}\n\
         -----BEGIN PGP SIGNATURE-----\n\nAAAA\n-----END PGP SIGNATURE-----\n",
        files.iter().map(old_row).collect::<String>(),
        pins.iter().map(row).collect::<String>(),
    );
    let file_version = version.split_once(':').map_or(version, |(_, rest)| rest);
    let description_name = format!("{name}_{file_version}.dsc");
    fs::write(pool.join(&description_name), &description).unwrap();
    pins.push(pin(&description_name, description.as_bytes()));
    format!(
        "Package: {name}\nBinary: {name}-bin,\n lib{name}1\nVersion: {version}\nBuild-Depends: debhelper (>= 12),\n \
         zlib1g-dev\nBuild-Depends-Indep: doxygen\nArchitecture: any\nFormat: {format}\nDirectory: {POOL}\n\
         Section: utils\nChecksums-Sha256:\n{}\n",
        pins.iter().map(row).collect::<String>()
    )
}

impl Archive {
    pub(crate) fn new() -> Option<Self> {
        let world = World::new();
        let (keys, root) = (world.path("keys"), world.path("archive"));
        fs::create_dir_all(&keys).unwrap();
        let archive = Self {
            keyring: world.path("keys/ring.gpg"),
            server: Server::start(),
            world,
            root,
            keys,
        };
        if !archive.make_key("ring.gpg", "archive@example.org") {
            println!("skipped: gpg is not installed");
            return None;
        }
        let upstream = tarball(&[
            ("tool-1.0/main.c", "int main;"),
            ("tool-1.0/debian/rules", "upstream's own"),
            ("tool-1.0/data/stale", "replaced"),
        ]);
        let data = tarball(&[("whatever/table", "data")]);
        let packaging = tarball(&[
            ("debian/rules", "the answer"),
            ("debian/source/format", "3.0 (quilt)\n"),
            (
                "debian/changelog",
                "tool (1:1.0-2) x; urgency=low\n\n  * x\n\n -- A <a@example.org>  Thu, 01 Jan 2026 00:00:00 +0000\n",
            ),
            (
                "debian/control",
                "Source: tool\n\nPackage: tool-bin\nArchitecture: any\n",
            ),
            ("debian/patches/series", "fix\n"),
            (
                "debian/patches/fix",
                "--- a/main.c\n+++ b/main.c\n@@ -1 +1 @@\n-int main;\n\\ No newline at end of file\n+int fixed;\n\\ No newline at end of file\n",
            ),
        ]);
        let older = package(
            &archive.root,
            "tool",
            "1:1.0-1",
            &[
                ("tool_1.0.orig.tar.xz".to_owned(), upstream.clone()),
                ("tool_1.0-1.debian.tar.xz".to_owned(), packaging.clone()),
            ],
        );
        let newer = package(
            &archive.root,
            "tool",
            "1:1.0-2",
            &[
                ("tool_1.0.orig.tar.xz".to_owned(), upstream),
                ("tool_1.0.orig-data.tar.xz".to_owned(), data),
                ("tool_1.0-2.debian.tar.xz".to_owned(), packaging),
            ],
        );
        let native = package(
            &archive.root,
            "native",
            "7",
            &[(
                "native_7.tar.xz".to_owned(),
                tarball(&[("native/main.c", "x"), ("native/debian/rules", "the answer")]),
            )],
        );
        let binaries = "Package: tool-bin\nSource: tool (1:1.0-1)\nVersion: 1:1.0-1+b1\nArchitecture: amd64\n\
             Essential: yes\nPriority: optional\nSection: utils\nPre-Depends: dpkg\nDepends: libc6 (>= 2),\n zlib1g\n\
             Provides: editor\nFilename: pool/main/t/tool/tool-bin.deb\nSize: 12\nSHA256: AA\n";
        archive.index("bookworm", "main/source/Sources", &format!("{older}\n{native}"));
        archive.index("bookworm", "main/binary-amd64/Packages", binaries);
        archive.index("bookworm", "main/Contents-amd64", "usr/bin/tool utils/tool-bin\n");
        archive.index("bookworm-updates", "main/source/Sources", &newer);
        archive.sign("bookworm", "Debian", "archive@example.org");
        archive.sign("bookworm-updates", "Debian", "archive@example.org");
        Some(archive)
    }

    pub(crate) fn gpg(&self, arguments: &[&str]) -> bool {
        let home = self.keys.display().to_string();
        let base = [
            "--homedir",
            &home,
            "--batch",
            "--yes",
            "--quiet",
            "--pinentry-mode",
            "loopback",
            "--passphrase",
            "",
        ];
        run(&self.keys, "gpg", &[&base, arguments].concat())
    }

    pub(crate) fn make_key(&self, ring: &str, name: &str) -> bool {
        self.gpg(&["--quick-generate-key", name, "ed25519", "sign", "never"])
            && self.gpg(&["--output", self.keys.join(ring).to_str().unwrap(), "--export", name])
    }

    pub(crate) fn index(&self, suite: &str, path: &str, text: &str) {
        let path = self.root.join("dists").join(suite).join(format!("{path}.gz"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
        fs::write(path, encoder.finish().unwrap()).unwrap();
    }

    /// Writes the signed release of a suite over what lies in its folder, and serves everything.
    pub(crate) fn sign(&self, suite: &str, origin: &str, key: &str) {
        let folder = self.root.join("dists").join(suite);
        let mut rows = String::new();
        for entry in walkdir::WalkDir::new(&folder).sort_by_file_name() {
            let entry = entry.unwrap();
            let path = entry.path().strip_prefix(&folder).unwrap().display().to_string();
            if entry.file_type().is_file() && path.contains('/') {
                let bytes = fs::read(entry.path()).unwrap();
                rows.extend([format!(" {} {} {path}\n", sha256(&bytes), bytes.len())]);
            }
        }
        let text = format!(
            "Origin: {origin}\nLabel: x\nSuite: oldstable\nCodename: {suite}\nArchitectures: all amd64\n\
             No-Support-for-Architecture-all: Packages\nValid-Until: Sat, 05 Dec 2020 00:00:00 UTC\nSHA256:\n{rows}"
        );
        let plain = self.keys.join("Release");
        fs::write(&plain, text).unwrap();
        let signed = folder.join("InRelease");
        assert!(self.gpg(&[
            "--local-user",
            key,
            "--output",
            signed.to_str().unwrap(),
            "--clear-sign",
            plain.to_str().unwrap(),
        ]));
        self.server.folder(&self.root);
    }

    pub(crate) fn open(&self) -> DebianArchive {
        let mirror = Mirror {
            uri: self.server.address.clone(),
            suites: vec!["bookworm".to_owned(), "bookworm-updates".to_owned()],
            components: vec!["main".to_owned()],
            keyrings: vec![self.keyring.clone()],
        };
        DebianArchive::with_mirror(&mirror, &self.world.home, &platform(), None)
            .with_snapshot_archive(&format!("{}/snapshot", self.server.address))
    }

    pub(crate) fn fetcher(&self) -> Fetcher {
        Fetcher::new(&self.world.home, &platform()).with_archive(Arc::new(self.open()))
    }

    pub(crate) fn pin(&self, spec: &str) -> Result<PinnedSource, SourceError> {
        self.fetcher().pin(&spec.parse()?)
    }

    pub(crate) fn drop_cache(&self) {
        fs::remove_dir_all(self.world.home.root().join("cache")).unwrap();
    }
}

pub(crate) fn platform() -> Platform {
    "debian:bookworm/x86_64".parse().unwrap()
}
