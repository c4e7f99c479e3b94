//! Packages with one fault each, and what is proposed for them.

use std::{collections::BTreeMap, io::Write as _, path::Path};

use seatrial_core::Arch;
use seatrial_diagnosis::diagnose;
use seatrial_packages::Resolver;
use seatrial_packaging::Package;
use seatrial_porting::{Failure, Repair, State, candidates};

/// A package and how it fails.
#[derive(Clone)]
pub(crate) struct Plant<'a> {
    pub(crate) is_debian: bool,
    /// Debian: `Architecture`. RPM: further lines of the head.
    pub(crate) head: &'a str,
    /// Items of `Build-Depends`, or lines of `BuildRequires`.
    pub(crate) builds_with: &'a str,
    /// Debian: `debian/rules` behind its first line. RPM: `%build`.
    pub(crate) build: &'a str,
    /// Further files.
    pub(crate) files: &'a [(&'a str, &'a str)],
    pub(crate) target: Arch,
    pub(crate) works_on: Arch,
    pub(crate) log: &'a str,
    pub(crate) state: State,
    pub(crate) missing: &'a [&'a str],
}

pub(crate) const MAKE: &str =
    "\nclean:\nbuild build-arch build-indep:\n\t$(MAKE)\nbinary-indep:\nbinary binary-arch: build\n";
pub(crate) const SEQUENCE: &str = "\n%:\n\tdh $@\n";

pub(crate) const DEBIAN: Plant<'static> = Plant {
    is_debian: true,
    head: "any",
    builds_with: "debhelper-compat (= 13)",
    build: SEQUENCE,
    files: &[],
    target: Arch::Aarch64,
    works_on: Arch::X86_64,
    log: "",
    state: State::Failed,
    missing: &[],
};

pub(crate) const RPM: Plant<'static> = Plant {
    is_debian: false,
    head: "",
    builds_with: "BuildRequires:  gcc",
    build: "make %{?_smp_mflags}",
    ..DEBIAN
};

/// A plant that differs from another one in one thing.
macro_rules! with {
    ($($name:ident: $kind:ty),+) => {
        impl<'a> Plant<'a> {
            $(pub(crate) fn $name(self, $name: $kind) -> Self {
                Self { $name, ..self }
            })+
        }
    };
}

with! {
    head: &'a str,
    builds_with: &'a str,
    build: &'a str,
    files: &'a [(&'a str, &'a str)],
    target: Arch,
    works_on: Arch,
    log: &'a str,
    state: State,
    missing: &'a [&'a str]
}

impl Plant<'_> {
    /// Writes it into a folder.
    pub(crate) fn write(&self, folder: &Path) {
        let write = |path: &str, content: &str| {
            let path = folder.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        };
        if self.is_debian {
            let control = format!(
                "Source: hull\nSection: misc\nPriority: optional\nMaintainer: A <a@example.org>\nBuild-Depends: {}\nStandards-Version: 4.6.2\n\n\
                 Package: hull\nArchitecture: {}\nDescription: a hull\n A hull.\n",
                self.builds_with, self.head
            );
            write("debian/control", &control);
            write("debian/rules", &format!("#!/usr/bin/make -f\n{}", self.build));
            let changelog = "hull (1.0) unstable; urgency=low\n\n  * A test.\n\n -- A <a@example.org>  Mon, 01 Jan 2024 00:00:00 +0000\n";
            write("debian/changelog", changelog);
            write("debian/source/format", "3.0 (native)\n");
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(folder.join("debian/rules"), mode).unwrap();
            for (path, content) in self.files {
                write(path, content);
            }
            return;
        }
        let spec = format!(
            "Name:           hull\nVersion:        1.0\nRelease:        0\nSummary:        A hull\nLicense:        MIT\n\
             Source0:        hull-1.0.tar.gz\n{}\n{}\n%description\nA hull.\n\n%prep\n%autosetup\n\n%build\n{}\n\n\
             %install\ninstall -D hull %{{buildroot}}%{{_bindir}}/hull\n\n%check\nmake check\n\n%files\n%{{_bindir}}/hull\n",
            self.builds_with, self.head, self.build
        );
        write("hull.spec", &spec);
        let packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let mut tar = tar::Builder::new(packed);
        for (path, content) in self.files {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_mode(0o644);
            header.set_cksum();
            tar.append_data(&mut header, format!("hull-1.0/{path}"), content.as_bytes())
                .unwrap();
        }
        let mut packed = tar.into_inner().unwrap();
        packed.flush().unwrap();
        std::fs::write(folder.join("hull-1.0.tar.gz"), packed.finish().unwrap()).unwrap();
    }

    pub(crate) fn open(&self) -> (tempfile::TempDir, Package) {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("hull-1.0");
        std::fs::create_dir_all(&place).unwrap();
        self.write(&place);
        let package = Package::open(&place).unwrap();
        (folder, package)
    }

    pub(crate) fn candidates(&self, package: &Package, resolver: Option<&dyn Resolver>) -> Vec<Repair> {
        let diagnosis = diagnose(self.log.as_bytes());
        let missing: Vec<String> = self.missing.iter().map(|&name| name.to_owned()).collect();
        candidates(&Failure {
            package,
            target: self.target,
            works_on: Some(self.works_on),
            log: self.log.as_bytes(),
            diagnosis: &diagnosis,
            working_log: None,
            state: &self.state,
            missing: &missing,
            resolver,
        })
    }

    /// The expected repair, which must be the first or the second, and puts these texts into these files.
    pub(crate) fn gives(&self, name: &str, wanted: &[(&str, &str)]) -> Repair {
        self.gives_with(name, None, wanted)
    }

    pub(crate) fn gives_with(&self, name: &str, resolver: Option<&dyn Resolver>, wanted: &[(&str, &str)]) -> Repair {
        let (repair, texts) = self.repaired(name, resolver);
        for (path, text) in wanted {
            has(&texts, path, text);
        }
        repair
    }

    /// The package with the expected repair applied to it: the texts of its files that were changed.
    pub(crate) fn repaired(&self, name: &str, resolver: Option<&dyn Resolver>) -> (Repair, BTreeMap<String, String>) {
        let (_folder, mut package) = self.open();
        let found = self.candidates(&package, resolver);
        assert_eq!(
            found,
            self.candidates(&package, resolver),
            "the same question has the same answer"
        );
        let names: Vec<(&str, u8)> = found
            .iter()
            .map(|repair| (repair.name.as_str(), repair.confidence))
            .collect();
        let place = found.iter().position(|repair| repair.name == name);
        assert!(
            place.is_some_and(|place| place < 2),
            "{name} is not among the first two of {names:?}"
        );
        let repair = found.into_iter().find(|repair| repair.name == name).unwrap();
        let applied = repair.apply(&mut package).unwrap();
        let texts = applied.files.iter().map(|path| {
            let text = std::fs::read(package.root().join(path)).unwrap();
            (path.clone(), String::from_utf8_lossy(&text).into_owned())
        });
        let texts = texts.collect();
        // What it was made for is gone: it fits no more, and leaves everything as it is.
        let digest = package.digest().unwrap();
        assert!(repair.apply(&mut package).is_err());
        assert_eq!(package.digest().unwrap(), digest);
        (repair, texts)
    }
}

/// Fails when a text is not in a file whose path ends so.
fn has(texts: &BTreeMap<String, String>, path: &str, wanted: &str) {
    let (_, text) = texts
        .iter()
        .find(|(known, _)| known.ends_with(path))
        .unwrap_or_else(|| panic!("{path} was not changed: {:?}", texts.keys()));
    assert!(text.contains(wanted), "{path} has no {wanted:?}:\n{text}");
}
