//! Spec files and lists of changes, read and edited.

use std::fmt::Write as _;

use expect_test::expect;
use seatrial_core::Arch;
use seatrial_packaging::{
    Package,
    rpm::{Changes, SectionKind, Spec},
};

use crate::support::write as file;

pub(crate) const SPEC: &str = "\
%global upstream hull
%bcond_with tests
Name:           %{upstream}
Version:        1.0
Release:        0
Summary:        A hull
License:        MIT
Source0:        https://example.org/%{name}/%{name}-%{version}.tar.gz
Source1:        data.zip
Patch0:         first.patch
BuildRequires:  gcc
%if %{with tests}
BuildRequires:  check
%endif
ExcludeArch:    %{ix86}

%description
A hull.

%prep
%autosetup -p1 -a1

%build
gcc $CFLAGS -o run src/main.c

%install
install -D run %{buildroot}%{_bindir}/run

%files
%{_bindir}/run

%changelog
";

/// The lines that an edit changed, with what they were.
fn changed(before: &[u8], edit: impl Fn(&mut Spec)) -> String {
    let mut spec = Spec::parse("x.spec", before).unwrap();
    assert_eq!(spec.bytes(), before);
    edit(&mut spec);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (before, after) = (text(before), text(&spec.bytes()));
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let mut shown = String::new();
    let (mut at, mut there) = (0, 0);
    while at < old.len() || there < new.len() {
        if old.get(at) == new.get(there) {
            (at, there) = (at + 1, there + 1);
        } else if new.len() - there > old.len() - at {
            writeln!(shown, "{} + {}", there + 1, new[there]).unwrap();
            there += 1;
        } else if new.len() - there < old.len() - at {
            writeln!(shown, "{} - {}", at + 1, old[at]).unwrap();
            at += 1;
        } else {
            writeln!(shown, "{} - {}\n{} + {}", at + 1, old[at], there + 1, new[there]).unwrap();
            (at, there) = (at + 1, there + 1);
        }
    }
    shown
}

#[test]
fn each_edit_touches_the_lines_that_it_is_about() {
    let edit = |edit: fn(&mut Spec)| changed(SPEC.as_bytes(), edit);
    let shown = [
        edit(|spec| assert!(spec.add_build_requires("pkgconfig(foo)").unwrap())),
        edit(|spec| assert!(!spec.add_build_requires("gcc").unwrap())),
        edit(|spec| spec.set_tag("ExclusiveArch", Some("x86_64 aarch64")).unwrap()),
        edit(|spec| spec.add_arch("ExcludeArch", "armv7l").unwrap()),
        edit(|spec| spec.set_tag("ExcludeArch", None).unwrap()),
        edit(|spec| spec.add_build_flag("-fsigned-char").unwrap()),
        edit(|spec| spec.add_file("", "%license COPYING").unwrap()),
        edit(|spec| {
            let count = spec.change_files("", |line| {
                (line == "%{_bindir}/run").then(|| Some("%{_bindir}/*".to_owned()))
            });
            assert_eq!(count.unwrap(), 1);
        }),
        edit(|spec| assert_eq!(spec.add_patch("b.patch").unwrap().number, 1)),
    ];
    expect![[r#"
        12 + BuildRequires:  pkgconfig(foo)
        --
        --
        16 + ExclusiveArch:  x86_64 aarch64
        --
        15 - ExcludeArch:    %{ix86}
        15 + ExcludeArch:    %{ix86} armv7l
        --
        15 - ExcludeArch:    %{ix86}
        --
        24 + export CFLAGS="${CFLAGS:-%{optflags}} -fsigned-char"
        25 + export CXXFLAGS="${CXXFLAGS:-%{optflags}} -fsigned-char"
        --
        31 + %license COPYING
        --
        30 - %{_bindir}/run
        30 + %{_bindir}/*
        --
        11 + Patch1:         b.patch
    "#]]
    .assert_eq(&shown.join("--\n"));
}

#[test]
fn patches_are_applied_in_the_style_of_the_file() {
    let head = "Name: x\nVersion: 1\n";
    let mut shown = String::new();
    for (what, spec) in [
        ("autosetup without -p", "Source: s\n%prep\n%autosetup\n"),
        ("autosetup with -p0", "Source0: s\nPatch3:\ta\n%prep\n%autosetup -p0\n"),
        ("autopatch", "Patch: a\nPatch: b\n%prep\n%setup -q\n%autopatch -p 1\n"),
        (
            "one by one",
            "Patch1: a\n%if 1\nPatch2: b\n%endif\n%prep\n%setup\n%patch1 -p1\n%if 1\n  %patch2 -p2\n%endif\necho\n",
        ),
        ("with -P", "Patch1: a\n%prep\n%setup\n%patch -P1 -p1 -b .old\n"),
        ("setup only", "Source: s\n%prep\n%setup -q -n x\n%build\n"),
        ("list", "%patchlist\na\n\n%prep\n%autosetup -p1\n"),
    ] {
        let text = format!("{head}{spec}");
        writeln!(shown, "{what}").unwrap();
        shown.push_str(&changed(text.as_bytes(), |spec| {
            spec.add_patch("new.patch").unwrap();
        }));
    }
    for spec in [
        "Patch0: a\n%prep\n%autosetup\n",
        "%prep\ntar xf x\n",
        "%build\n",
        "Patch0: a\n%prep\n%setup\n%autopatch -m 1 -p1\n",
    ] {
        let text = format!("{head}{spec}");
        let mut parsed = Spec::parse("x.spec", text.as_bytes()).unwrap();
        writeln!(shown, "{}", parsed.add_patch("new.patch").unwrap_err()).unwrap();
        assert_eq!(parsed.bytes(), text.as_bytes());
    }
    expect![[r#"
        autosetup without -p
        4 + Patch0: new.patch
        5 - %autosetup
        6 + %autosetup -p1
        autosetup with -p0
        5 + Patch4: new.patch
        autopatch
        5 + Patch2: new.patch
        one by one
        7 + Patch3: new.patch
        14 +   %patch3 -p2
        with -P
        4 + Patch2: new.patch
        8 + %patch -P 2 -p1
        setup only
        4 + Patch0: new.patch
        7 + %patch -P 0 -p1
        list
        5 + new.patch
        x.spec is not edited: its patches are applied without `-p`, which finds files of the top folder only; give %autosetup a `-p1` and see that its other patches still apply
        x.spec is not edited: its %prep has none of %autosetup, %setup, %autopatch and %patch, so where a patch fits is not clear; apply it there by hand
        x.spec is not edited: it has no %prep in which a patch could be applied
        x.spec is not edited: %autopatch names the patches that it applies; add the new one there by hand
    "#]]
    .assert_eq(&shown);
}

#[test]
fn what_a_file_says_is_read_as_far_as_it_defines_it() {
    let text = "\
%global major 2
%define full %{major}.%{minor}
%global minor 5
%if 0%{?suse_version}
%global flavor suse
%endif
%define with_lua %{lua: print(\"x\")
}
%bcond_without ssl
Name: x%{?flavor:-%flavor}
Version: %full
Source0: https://example.org/%{name}-%{version}%{?extra}.tar.xz
Source: b-%{unknown}.zip
%if %{without ssl}
Source5: c
%endif
%ifarch x86_64 %arm64
ExclusiveArch: x86_64 aarch64
%else
ExcludeArch: %{power64} s390x
%endif
%package -n lib%{name}
BuildArch: noarch
%description -n lib%{name}
BuildRequires: no tag
%files -n lib%{name} -f list
";
    let spec = Spec::parse("x.spec", text.as_bytes()).unwrap();
    let mut shown = format!("{:?}\n", spec.name_and_version());
    for (file, conditional, unknown) in spec.named_files() {
        writeln!(shown, "{file} {conditional} {unknown:?}").unwrap();
    }
    for section in spec.sections() {
        writeln!(
            shown,
            "{:?} `{}` {}..{}",
            section.kind, section.arguments, section.start, section.end
        )
        .unwrap();
    }
    for tag in spec.tags() {
        writeln!(
            shown,
            "{} {:?} `{}` {:?}",
            tag.name, tag.number, tag.value, tag.conditions
        )
        .unwrap();
    }
    expect![[r#"
        ("x", "2.5")
        x-2.5.tar.xz false ["flavor", "extra"]
        b-%{unknown}.zip false ["unknown"]
        c true []
        Preamble `` 0..21
        Package `-n lib%{name}` 22..23
        Description `-n lib%{name}` 24..25
        Files `-n lib%{name} -f list` 26..26
        name None `x%{?flavor:-%flavor}` []
        version None `%full` []
        source Some(0) `https://example.org/%{name}-%{version}%{?extra}.tar.xz` []
        source Some(1) `b-%{unknown}.zip` []
        source Some(5) `c` ["if %{without ssl}"]
        exclusivearch None `x86_64 aarch64` ["ifarch x86_64 %arm64"]
        excludearch None `%{power64} s390x` ["not (ifarch x86_64 %arm64)"]
        buildarch None `noarch` []
    "#]]
    .assert_eq(&shown);
    assert!(spec.section(&SectionKind::Files).is_some());
    let folder = tempfile::tempdir().unwrap();
    file(folder.path(), "x.spec", text);
    file(folder.path(), "_service", "");
    let allowed = Package::open(folder.path()).unwrap().architectures();
    for (arch, expected) in [
        (Arch::X86_64, true),
        (Arch::Aarch64, true),
        (Arch::Riscv64, true),
        (Arch::Ppc64le, false),
        (Arch::S390x, false),
    ] {
        assert_eq!(allowed.allows(arch), expected, "{arch}");
    }
}

#[test]
fn a_file_that_is_no_utf8_stays_so_byte_for_byte() {
    let text =
        b"# caf\xe9\r\nName: x\r\nVersion: 1\r\nBuildRequires: gcc\r\n%description\r\n\xe4\xf6\r\n%prep\r\n%setup\r\n"
            .as_slice();
    let mut spec = Spec::parse("x.spec", text).unwrap();
    assert!(!spec.is_utf8());
    spec.add_build_requires("make").unwrap();
    let expected = [&text[..text.len() - 41], b""].concat();
    assert!(spec.bytes().starts_with(&expected[..20]));
    let added = b"BuildRequires: gcc\r\nBuildRequires: make\r\n%description\r\n\xe4\xf6\r\n";
    assert!(spec.bytes().windows(added.len()).any(|window| window == added));
    let error = spec.add_build_requires("\u{4e2d}").unwrap_err().to_string();
    assert!(error.contains("has letters that it cannot hold"), "{error}");
}

#[test]
fn a_change_is_put_on_top() {
    let mut changes = Changes::new(b"----\nold \xe9\n".to_vec());
    changes
        .add(
            "A Porter <p@example.org>",
            1_750_000_000,
            &["Builds on aarch64:\nno x86 code", "Other"],
        )
        .unwrap();
    expect![[r#"
        -------------------------------------------------------------------
        Sun Jun 15 15:06:40 UTC 2025 - A Porter <p@example.org>

        - Builds on aarch64:
          no x86 code
        - Other

        ----
        old �
    "#]]
    .assert_eq(&String::from_utf8_lossy(changes.bytes()));
}
