//! Debian's recipe files, edited as text.

use expect_test::{Expect, expect};
use seatrial_packaging::deb::{Changelog, Control, NewEntry, PatchHeader, Rows, Series, version_above};

use crate::support::{program, run};

const CONTROL: &str = "\
# The source.
Source: hull
Build-Depends: debhelper-compat (= 13), libfoo-dev (>= 2) [amd64 i386],
# why bar
               libbar-dev <!nocheck>,
Build-Depends-Indep: a, b
Build-Conflicts:
 , c
 , d
Uploaders: One <one@example.org>,
 Two <two@example.org>

# The binary.

Package: hull
Architecture: amd64 i386
Depends:
 ${shlibs:Depends},
 x
Description: a hull
 .
 of a ship
# last";

fn edited(edit: impl Fn(&mut Control)) -> String {
    let mut control = Control::parse("debian/control", CONTROL).unwrap();
    assert_eq!(control.text(), CONTROL);
    edit(&mut control);
    let (old, new): (Vec<&str>, String) = (CONTROL.lines().collect(), control.text());
    let gone = old
        .iter()
        .filter(|line| !new.lines().any(|other| other == **line))
        .map(|line| format!("-{line}\n"));
    let come = new
        .lines()
        .filter(|line| !old.contains(line))
        .map(|line| format!("+{line}\n"));
    gone.chain(come).collect()
}

#[test]
fn fields_and_items_are_edited_and_everything_else_stays() {
    let control = Control::parse("debian/control", CONTROL).unwrap();
    assert_eq!(control.paragraphs(), 2);
    assert_eq!(control.find("Package", "hull"), Some(1));
    assert_eq!(
        control.items(0, "build-depends"),
        [
            "debhelper-compat (= 13)",
            "libfoo-dev (>= 2) [amd64 i386]",
            "libbar-dev <!nocheck>"
        ]
    );
    assert_eq!(control.get(1, "Description").unwrap(), "a hull\n .\n of a ship");
    let name = |name: &'static str| move |item: &str| item.split([' ', '[', '(']).next() == Some(name);
    let shown = [
        edited(|control| control.set(1, "architecture", "any").unwrap()),
        edited(|control| control.set(1, "Multi-Arch", "same").unwrap()),
        edited(|control| control.add_item(0, "Build-Depends", "libsimde-dev").unwrap()),
        edited(|control| control.add_item(0, "Build-Depends-Indep", "c").unwrap()),
        edited(|control| control.add_item(0, "Build-Depends-Arch", "c").unwrap()),
        edited(|control| control.add_item(0, "Build-Conflicts", "e").unwrap()),
        edited(|control| control.add_item(0, "Uploaders", "Three").unwrap()),
        edited(|control| control.add_item(1, "Depends", "y").unwrap()),
        edited(|control| {
            assert!(control.change_item(0, "Build-Depends", name("libfoo-dev"), Some("libfoo-dev (>= 2)")));
        }),
        edited(|control| assert!(control.change_item(0, "Build-Depends", name("libfoo-dev"), None))),
        edited(|control| assert!(control.change_item(0, "Build-Depends-Indep", name("b"), None))),
        edited(|control| assert!(control.change_item(0, "Build-Depends-Indep", name("a"), None))),
        edited(|control| assert!(!control.change_item(0, "Build-Depends", name("none"), None))),
        edited(|control| assert!(control.remove(0, "Build-Conflicts"))),
    ];
    expect![[r#"
        -Architecture: amd64 i386
        +Architecture: any
        --
        +Multi-Arch: same
        --
        +               libsimde-dev,
        --
        -Build-Depends-Indep: a, b
        +Build-Depends-Indep: a, b, c
        --
        +Build-Depends-Arch: c
        --
        + , e
        --
        - Two <two@example.org>
        + Two <two@example.org>,
        + Three
        --
        - x
        + x,
        + y
        --
        -Build-Depends: debhelper-compat (= 13), libfoo-dev (>= 2) [amd64 i386],
        +Build-Depends: debhelper-compat (= 13), libfoo-dev (>= 2),
        --
        -Build-Depends: debhelper-compat (= 13), libfoo-dev (>= 2) [amd64 i386],
        +Build-Depends: debhelper-compat (= 13),
        --
        -Build-Depends-Indep: a, b
        +Build-Depends-Indep: a
        --
        -Build-Depends-Indep: a, b
        +Build-Depends-Indep: b
        --
        --
        -Build-Conflicts:
        - , c
        - , d
    "#]]
    .assert_eq(&shown.join("--\n"));
}

fn refused(text: &str, expected: &Expect) {
    expected.assert_eq(&Control::parse("debian/control", text).unwrap_err().to_string());
}

#[test]
fn what_is_no_paragraph_is_refused_with_its_line() {
    refused(
        "Source: x\n\n y\n",
        &expect!["debian/control:3: this is neither a field (`Name: value`) nor a line that goes on with one"],
    );
    refused(
        "Source: x\nnothing\n",
        &expect!["debian/control:2: this is neither a field (`Name: value`) nor a line that goes on with one"],
    );
    let mut control = Control::parse("debian/control", "Source: x\n").unwrap();
    let error = control.set(0, "Description", "a\nb").unwrap_err().to_string();
    expect!["debian/control is not edited: further lines of `Description` must begin with a blank"].assert_eq(&error);
    let error = control.set(3, "A", "b").unwrap_err().to_string();
    expect!["debian/control is not edited: there is no paragraph 3"].assert_eq(&error);
}

const CHANGELOG: &str = "\
hull (1.0-1) unstable; urgency=medium, binary-only=no

  * First.

 -- A Person <a@example.org>  Mon, 01 Jan 2024 10:00:00 +0100
";

#[test]
fn an_entry_is_put_on_top_of_the_changelog() {
    let mut changelog = Changelog::parse(CHANGELOG).unwrap();
    assert_eq!(changelog.top().time, Some(1_704_099_600));
    let mut entry = NewEntry {
        version: "1.0-1",
        distributions: None,
        changes: &["Builds on arm64:\nno x86 code.", "Other."],
        by: "A Porter <p@example.org>",
        time: 1_750_000_000,
    };
    let error = changelog.add(&entry).unwrap_err().to_string();
    expect!["debian/changelog is not edited: the version 1.0-1 is not above 1.0-1"].assert_eq(&error);
    let version = version_above("1.0-1", "port");
    entry.version = &version;
    changelog.add(&entry).unwrap();
    expect![[r#"
        hull (1.0-1+0port1) unstable; urgency=medium, binary-only=no

          * Builds on arm64:
            no x86 code.
          * Other.

         -- A Porter <p@example.org>  Sun, 15 Jun 2025 15:06:40 +0000

        hull (1.0-1) unstable; urgency=medium, binary-only=no

          * First.

         -- A Person <a@example.org>  Mon, 01 Jan 2024 10:00:00 +0100
    "#]]
    .assert_eq(changelog.text());
    assert_eq!(changelog.top().by, "A Porter <p@example.org>");
    for text in [
        "",
        "hull 1.0\n",
        "hull (1.0) unstable; urgency=low\n\n  * x\n",
        "hull (1) u; u=l\n -- a <b> date\n",
    ] {
        assert!(
            Changelog::parse(text)
                .unwrap_err()
                .to_string()
                .contains("debian/changelog:"),
            "{text}"
        );
    }
}

#[test]
fn a_version_is_above_the_old_and_below_what_comes_next() {
    let has_dpkg = program("dpkg");
    for (old, next) in [
        (
            "1.0-1",
            &["1.0-1+b1", "1.0-1+deb12u1", "1.0-1.1", "1.0-2", "1.0.1-1", "1:0.1-1"][..],
        ),
        ("2:3.4", &["2:3.4+nmu1", "2:3.4.1", "2:3.5"]),
        ("1.0~rc1-1", &["1.0~rc1-2", "1.0~rc2-1", "1.0-1"]),
        ("1.0-1+deb12u1", &["1.0-1+deb12u2", "1.0-2"]),
    ] {
        let first = version_above(old, "port");
        let second = version_above(&first, "port");
        let order = [&[old, first.as_str(), second.as_str()][..]].concat();
        let pairs = order.windows(2).map(|pair| (pair[0], pair[1]));
        for (one, other) in pairs.chain(next.iter().map(|next| (second.as_str(), *next))) {
            assert!(!has_dpkg || is_below(one, other), "{one} {other}");
        }
    }
    assert_eq!(version_above("1.0-1", "port"), "1.0-1+0port1");
    assert_eq!(version_above("1.0-1+0port1", "port"), "1.0-1+0port2");
}

fn is_below(one: &str, other: &str) -> bool {
    run(
        std::path::Path::new("/"),
        &["dpkg", "--compare-versions", one, "lt", other],
    )
    .is_ok()
}

#[test]
fn lists_of_lines_and_patches_keep_what_is_in_them() {
    let mut rows = Rows::parse("usr/bin/a\n# c\n\nusr/lib/x86_64-linux-gnu/*.so");
    let change = |line: &str| match line {
        "usr/bin/a" => Some(None),
        line if line.contains("x86_64-linux-gnu") => Some(Some(line.replace("x86_64-linux-gnu", "*"))),
        _ => None,
    };
    assert_eq!(rows.change(change), 2);
    rows.add("usr/bin/b");
    rows.add("usr/bin/b");
    assert_eq!(rows.text(), "# c\n\nusr/lib/*/*.so\nusr/bin/b\n");
    let mut series = Series::parse("# first\na.patch -p1\n\nb.patch # why\n# end");
    assert_eq!(series.patches().collect::<Vec<_>>(), ["a.patch", "b.patch"]);
    series.push("c.patch");
    series.push("c.patch");
    assert_eq!(series.text(), "# first\na.patch -p1\n\nb.patch # why\n# end\nc.patch\n");
    assert_eq!(PatchHeader::default().name, "edits.patch");
}
