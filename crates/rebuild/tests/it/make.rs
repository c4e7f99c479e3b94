//! Source packages that tests make.

use std::{fmt::Write as _, io::Write as _, path::Path};

use seatrial_rebuild::SourcePackage;
use sha2::{Digest as _, Sha256};

/// A Debian source package of the native kind.
pub(crate) struct Debian<'a> {
    /// `Architecture` of its one package.
    pub(crate) arch: &'a str,
    /// `Build-Depends`.
    pub(crate) build_depends: &'a str,
    /// Recipe lines of `build`.
    pub(crate) build: &'a str,
    /// Recipe lines of `binary`, besides those that make the package; the tree of the package is `debian/t`.
    pub(crate) binary: &'a str,
    /// Further files.
    pub(crate) files: &'a [(&'a str, &'a str)],
}

impl Default for Debian<'_> {
    fn default() -> Self {
        Self {
            arch: "any",
            build_depends: "make",
            build: "\t$(CC) -o prog prog.c",
            binary: "\tinstall -D prog debian/t/usr/bin/prog",
            files: &[("prog.c", "int main(void) { return 0; }\n")],
        }
    }
}

/// Makes the package, unless the recipe made nothing.
const PACK: &str =
    "\tmkdir -p debian/t/DEBIAN\n\tdpkg-gencontrol -Pdebian/t\n\tdpkg-deb --root-owner-group --build debian/t ..\n";

impl Debian<'_> {
    /// Writes it into a folder and opens it.
    pub(crate) fn open(&self, folder: &Path) -> SourcePackage {
        self.write(folder, &self.control());
        SourcePackage::open(&folder.join("t_1.dsc")).unwrap()
    }

    pub(crate) fn control(&self) -> String {
        format!(
            "Source: t\nMaintainer: T <t@example.org>\nBuild-Depends: {}\nStandards-Version: 4.6.2\nRules-Requires-Root: no\n\n\
             Package: t\nArchitecture: {}\nDescription: t\n t\n",
            self.build_depends, self.arch
        )
    }

    pub(crate) fn write(&self, folder: &Path, control: &str) {
        let pack = if self.binary.is_empty() { "" } else { PACK };
        let rules = format!(
            "#!/usr/bin/make -f\nCC=gcc\nclean:\n\tid -un; uname -m\nbuild: build-arch build-indep\nbuild-indep:\nbuild-arch:\n{}\n\
             binary: binary-arch binary-indep\nbinary-indep:\nbinary-arch: build-arch\n{}\n{pack}",
            self.build, self.binary
        );
        let changelog =
            "t (1) unstable; urgency=low\n\n  * A test.\n\n -- T <t@example.org>  Mon, 01 Jan 2024 00:00:00 +0000\n";
        let mut tar = tar::Builder::new(Vec::new());
        let own = [
            ("debian/control", control, 0o644),
            ("debian/rules", rules.as_str(), 0o755),
            ("debian/changelog", changelog, 0o644),
            ("debian/source/format", "3.0 (native)\n", 0o644),
        ];
        let further = self.files.iter().map(|(name, content)| (*name, *content, 0o644));
        for (name, content, mode) in own.into_iter().chain(further) {
            append(&mut tar, &format!("t-1/{name}"), content, mode);
        }
        let packed = gzip(&tar.into_inner().unwrap());
        std::fs::write(folder.join("t_1.tar.gz"), &packed).unwrap();
        let dsc = format!(
            "Format: 3.0 (native)\nSource: t\nBinary: t\nArchitecture: {}\nVersion: 1\nMaintainer: T <t@example.org>\n\
             Build-Depends: {}\nChecksums-Sha256:\n {} {} t_1.tar.gz\nFiles:\n {:032} {} t_1.tar.gz\n",
            self.arch,
            self.build_depends,
            sha256(&packed),
            packed.len(),
            0,
            packed.len()
        );
        std::fs::write(folder.join("t_1.dsc"), dsc).unwrap();
    }
}

/// An RPM source package with one archive.
pub(crate) struct Rpm<'a> {
    /// Further lines of the head.
    pub(crate) head: &'a str,
    /// `%build`.
    pub(crate) build: &'a str,
    /// Whether its archive is there.
    pub(crate) whole: bool,
}

impl Default for Rpm<'_> {
    fn default() -> Self {
        Self {
            head: "BuildRequires: gcc",
            build: "gcc %{optflags} -o prog prog.c",
            whole: true,
        }
    }
}

impl Rpm<'_> {
    /// Writes it into a folder and opens it.
    pub(crate) fn open(&self, folder: &Path) -> SourcePackage {
        let spec = format!(
            "Name: t\nVersion: 1\nRelease: 1\nSummary: t\nLicense: MIT\nSource0: t-1.tar.gz\n{}\n\n%description\nt\n\n%prep\n%autosetup\n\n\
             %build\nid -un; uname -m\n{}\n\n%install\ninstall -D prog %{{buildroot}}%{{_bindir}}/prog\n%fdupes %{{buildroot}}\n\n\
             %check\n./prog\n\n%files\n%{{_bindir}}/prog\n",
            self.head, self.build
        );
        std::fs::write(folder.join("t.spec"), spec).unwrap();
        if self.whole {
            let mut tar = tar::Builder::new(Vec::new());
            append(&mut tar, "t-1/prog.c", "int main(void) { return 0; }\n", 0o644);
            std::fs::write(folder.join("t-1.tar.gz"), gzip(&tar.into_inner().unwrap())).unwrap();
        }
        SourcePackage::open(folder).unwrap()
    }
}

fn append(tar: &mut tar::Builder<Vec<u8>>, name: &str, content: &str, mode: u32) {
    let mut header = tar::Header::new_gnu();
    header.set_size(content.len() as u64);
    header.set_mode(mode);
    header.set_mtime(1_700_000_000);
    header.set_cksum();
    tar.append_data(&mut header, name, content.as_bytes()).unwrap();
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}
