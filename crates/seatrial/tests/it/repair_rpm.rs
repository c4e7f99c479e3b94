//! `seatrial repair` on a flat folder with a spec file, in boxes of Debian with its tools for RPM.

use std::{fs, path::Path};

use flate2::{Compression, write::GzEncoder};

use crate::support::{boxes, run, seatrial};

const SPEC: &str = "Name:           hull
Version:        1
Release:        1
Summary:        A hull
License:        MIT
Source0:        hull-1.tar.gz
BuildRequires:  gcc
BuildRequires:  make

%description
A hull.

%prep
%autosetup

%build
make

%install
install -D prog %{buildroot}%{_bindir}/prog

%check
make check

%files
%{_bindir}/prog
";
const MAKEFILE: &str = "CFLAGS += -O2 @FLAG@\nprog: prog.c\n\t$(CC) $(CFLAGS) -o prog prog.c\ncheck: prog\n\t./prog\n";

/// Writes a flat folder: a spec file with a further line in its head, and one archive that is compiled with a flag.
fn write_flat(folder: &Path, head: &str, flag: &str) {
    fs::create_dir_all(folder).unwrap();
    fs::write(
        folder.join("hull.spec"),
        SPEC.replace("BuildRequires:  gcc\n", &format!("{head}BuildRequires:  gcc\n")),
    )
    .unwrap();
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let makefile = MAKEFILE.replace("@FLAG@", flag);
    for (name, content) in [
        ("hull-1/Makefile", makefile.as_str()),
        (
            "hull-1/prog.c",
            "#include <stdio.h>\nint main(void) { return puts(\"hull\") < 0; }\n",
        ),
    ] {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(1_700_000_000);
        tar.append_data(&mut header, name, content.as_bytes()).unwrap();
    }
    fs::write(
        folder.join("hull-1.tar.gz"),
        tar.into_inner().unwrap().finish().unwrap(),
    )
    .unwrap();
}

#[test]
fn recipes_and_sources_of_flat_folders_are_repaired_and_proved() {
    if !boxes() {
        return;
    }
    if !cfg!(target_arch = "x86_64") {
        println!("skipped: i686 runs without an emulator on x86_64 only");
        return;
    }
    for (case, head, flag, line) in [
        (
            "recipe",
            "ExclusiveArch:  x86_64 aarch64\n",
            "",
            "+ExclusiveArch:  x86_64 aarch64 %{ix86}",
        ),
        ("sources", "", "-m64", "-CFLAGS += -O2 -m64"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (source, out) = (folder.path().join("hull"), folder.path().join("out"));
        write_flat(&source, head, flag);
        let ran = run(seatrial()
            .arg("repair")
            .arg(&source)
            .args(["--target", "i686", "-o"])
            .arg(&out));
        let unlucky = [
            "rpm cannot be installed",
            "making the box ready",
            "cannot make the image",
        ];
        if ran.code == 4
            && unlucky
                .iter()
                .any(|words| ran.out.contains(words) || ran.err.contains(words))
        {
            println!("skipped: the mirror or the image is not there: {}{}", ran.out, ran.err);
            return;
        }
        assert_eq!(ran.code, 0, "{case}: {}{}", ran.out, ran.err);
        assert!(ran.out.starts_with("passed hull 1 on i686"), "{case}: {}", ran.out);
        let patch = fs::read_to_string(out.join("repair.patch")).unwrap();
        assert!(patch.contains(line), "{case}: {patch}");
        let verdict = fs::read_to_string(out.join("verdict.json")).unwrap();
        assert!(
            verdict.contains("hull-1-1.i686.rpm"),
            "{case}: what was built is named: {verdict}"
        );
        let spec = fs::read_to_string(out.join("package/hull.spec")).unwrap();
        assert_eq!(spec.contains("ix86"), case == "recipe", "{case}: {spec}");
        // The archive is the distribution's own; what was edited in it is a patch.
        let archive = |folder: &Path| fs::read(folder.join("hull-1.tar.gz")).unwrap();
        assert_eq!(archive(&out.join("package")), archive(&source), "{case}");
        let has_patch = spec.contains("Patch0:         build-on-i686.patch\n");
        assert_eq!(has_patch, case == "sources", "{case}: {spec}");
        if has_patch {
            // Handed out is another form than what was judged, so it is judged too.
            let again = run(seatrial()
                .arg("repair")
                .arg(out.join("package"))
                .args(["--target", "i686", "-o"])
                .arg(folder.path().join("again")));
            assert_eq!(again.code, 3, "it builds there as it is: {}{}", again.out, again.err);
        }
    }
}
