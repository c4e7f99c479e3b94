//! A small source package for tests: Debian's native form, one program, and a recipe that needs no helper.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

const RULES: &str = "#!/usr/bin/make -f
clean:
build: build-arch build-indep
build-indep:
build-arch:
\t$(CC) -o prog prog.c
\t./prog check
binary: binary-arch binary-indep
binary-indep:
binary-arch: build-arch
\tinstall -D prog debian/t/usr/bin/prog
\tmkdir -p debian/t/DEBIAN
\tdpkg-gencontrol -Pdebian/t
\tdpkg-deb --root-owner-group --build debian/t ..
";

/// Writes the package `t`, version 1, for some architectures and with this program.
pub(crate) fn write_package(folder: &Path, arch: &str, program: &str) {
    let control = format!(
        "Source: t\nMaintainer: T <t@example.org>\nBuild-Depends: make\nStandards-Version: 4.6.2\n\
         Rules-Requires-Root: no\n\nPackage: t\nArchitecture: {arch}\nDescription: t\n t\n"
    );
    for (name, text) in [
        ("debian/control", control.as_str()),
        ("debian/rules", RULES),
        (
            "debian/changelog",
            "t (1) unstable; urgency=low\n\n  * A test.\n\n -- T <t@example.org>  Mon, 01 Jan 2024 00:00:00 +0000\n",
        ),
        ("debian/source/format", "3.0 (native)\n"),
        ("prog.c", program),
    ] {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    fs::set_permissions(folder.join("debian/rules"), PermissionsExt::from_mode(0o755)).unwrap();
}
