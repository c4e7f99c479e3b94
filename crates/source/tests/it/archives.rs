//! Archives, good, broken and hostile.

use std::io::Write;

use expect_test::{Expect, expect};
use fs_err as fs;
use seatrial_core::{Digest, PinnedSource, SourceKind};
use seatrial_source::{SourceError, UnpackLimits};
use tar::EntryType;

use crate::support::{World, fetch_with, listing, sha256};

/// Builds tar archives whose headers say whatever a test wants.
#[derive(Default)]
struct Tar(Vec<u8>);

impl Tar {
    fn entry(mut self, kind: EntryType, name: &str, mode: u32, link: &str, content: &[u8]) -> Self {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(content.len() as u64);
        header.set_mode(mode);
        header.set_mtime(1_000_000);
        // Written past the crate's own checks.
        let old = header.as_old_mut();
        old.name[..name.len()].copy_from_slice(name.as_bytes());
        old.linkname[..link.len()].copy_from_slice(link.as_bytes());
        header.set_cksum();
        self.0.extend(header.as_bytes());
        self.0.extend(content);
        self.0.resize(self.0.len().next_multiple_of(512), 0);
        self
    }

    fn file(self, name: &str, content: &str) -> Self {
        self.entry(EntryType::Regular, name, 0o644, "", content.as_bytes())
    }

    fn link(self, name: &str, target: &str) -> Self {
        self.entry(EntryType::Symlink, name, 0o777, target, b"")
    }

    fn end(mut self) -> Vec<u8> {
        self.0.extend([0; 1024]);
        self.0
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Every packing, by the ending of its name.
fn pack(ending: &str, bytes: &[u8]) -> Vec<u8> {
    match ending {
        "tar" => bytes.to_vec(),
        "tar.gz" => gzip(bytes),
        "tar.xz" => {
            let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        "tar.bz2" => {
            let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        "tar.zst" => {
            let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
            encoder.include_checksum(true).unwrap();
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        other => panic!("{other}"),
    }
}

const PACKINGS: [&str; 5] = ["tar", "tar.gz", "tar.xz", "tar.bz2", "tar.zst"];

/// The listing of an unpacked archive, or the error without the path before it.
fn unpacked(name: &str, bytes: &[u8], limits: &UnpackLimits) -> String {
    let world = World::new();
    let path = world.path(name);
    fs::write(&path, bytes).unwrap();
    let spec = path.display().to_string();
    let result = fetch_with(&world.fetcher().with_limits(limits.clone()), &spec);
    world.assert_clean();
    assert!(!world.path("escaped").exists() && !world.home.root().join("escaped").exists());
    match result {
        Ok(tree) => listing(&tree.root),
        Err(error) => error.to_string().replace(&format!("{spec}: "), ""),
    }
}

fn small() -> UnpackLimits {
    UnpackLimits {
        bytes: 1 << 20,
        entries: 100,
    }
}

fn check_tar(tar: Tar, expected: &Expect) {
    expected.assert_eq(&unpacked("a.tar.gz", &gzip(&tar.end()), &small()));
}

#[test]
fn every_packing_gives_the_same_tree_without_its_single_top_folder() {
    let tar = Tar::default()
        .entry(
            EntryType::XGlobalHeader,
            "pax_global_header",
            0o666,
            "",
            b"13 comment=x\n",
        )
        .entry(EntryType::Directory, "a-1.0/", 0o2775, "", b"")
        .entry(EntryType::Regular, "a-1.0/run", 0o4755, "", b"sh")
        .file("a-1.0/.hidden", "h")
        .file("./a-1.0/sub/deep", "d")
        .link("a-1.0/sub/up", "../run")
        .entry(EntryType::Link, "a-1.0/same", 0o644, "a-1.0/.hidden", b"")
        .file("a-1.0/run2", "first")
        .file("a-1.0/run2", "second")
        .end();
    let expected = expect![[r#"
        f 644 .hidden "h"
        f 755 run "sh"
        f 644 run2 "second"
        f 644 same "h"
        d 755 sub
        f 644 sub/deep "d"
        l sub/up -> ../run
    "#]];
    for ending in PACKINGS {
        expected.assert_eq(&unpacked(&format!("a.{ending}"), &pack(ending, &tar), &small()));
    }
    // The name may lie about the packing.
    expected.assert_eq(&unpacked("a.tar.xz", &gzip(&tar), &small()));
}

#[test]
fn several_top_entries_are_all_kept_and_times_survive() {
    let world = World::new();
    let tar = Tar::default().file("one", "1").file("d/two", "2").end();
    fs::write(world.path("a.tar"), tar).unwrap();
    let tree = world.fetch(world.path("a.tar").to_str().unwrap()).unwrap();
    expect![[r#"
        d 755 d
        f 644 d/two "2"
        f 644 one "1"
    "#]]
    .assert_eq(&listing(&tree.root));
    let mut stream = Vec::new();
    tree.write_tar(&mut stream).unwrap();
    let mut archive = tar::Archive::new(stream.as_slice());
    let shown: Vec<_> = archive
        .entries()
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let header = entry.header();
            let path = entry.path().unwrap().display().to_string();
            let time = if path == "d" { 0 } else { header.mtime().unwrap() };
            format!("{path} {:o} {} {time}", header.mode().unwrap(), header.uid().unwrap())
        })
        .collect();
    assert_eq!(shown, ["d 755 0 0", "d/two 644 0 1000000", "one 644 0 1000000"]);
}

#[test]
fn long_names_and_extended_headers_are_understood() {
    let long = format!("{}/{}", "x".repeat(120), "y".repeat(150));
    let mut builder = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(1);
    header.set_mode(0o644);
    builder.append_data(&mut header, &long, &b"z"[..]).unwrap();
    let bytes = builder.into_inner().unwrap();
    assert_eq!(
        unpacked("a.tar", &bytes, &small()),
        format!("f 644 {} \"z\"\n", "y".repeat(150))
    );
    check_tar(
        Tar::default()
            .entry(
                EntryType::XHeader,
                "PaxHeader",
                0o644,
                "",
                b"18 path=real/name\n22 mtime=1700000000.5\n",
            )
            .file("short", "x"),
        &expect![[r#"
            f 644 name "x"
        "#]],
    );
    check_tar(
        Tar::default()
            .entry(EntryType::XHeader, "PaxHeader", 0o644, "", b"19 path=../escaped\n")
            .file("short", "x"),
        &expect!["refused: entry `../escaped` has a name that leads out of the tree"],
    );
    check_tar(
        Tar::default()
            .entry(EntryType::GNULongName, "././@LongLink", 0o644, "", &vec![b'x'; 2 << 20])
            .file("short", "x"),
        &expect!["refused: entry `././@LongLink` has a header that is too large"],
    );
}

#[test]
fn names_and_links_that_lead_out_are_refused() {
    let tar = Tar::default;
    check_tar(
        tar().file("../escaped", "x"),
        &expect!["refused: entry `../escaped` has a name that leads out of the tree"],
    );
    check_tar(
        tar().file("a/../../escaped", "x"),
        &expect!["refused: entry `a/../../escaped` has a name that leads out of the tree"],
    );
    check_tar(
        tar().file("/tmp/escaped", "x"),
        &expect!["refused: entry `/tmp/escaped` has a name that leads out of the tree"],
    );
    check_tar(
        tar().link("a", "/etc"),
        &expect!["refused: entry `a` is a link that leads out of the tree (to `/etc`)"],
    );
    check_tar(
        tar().file("x", "").link("a", "../../.."),
        &expect!["refused: the link `a` leads out of the tree (to `../../..`)"],
    );
    check_tar(
        tar().link("a", "b").file("c", "").link("d/e", "../missing/../../c"),
        &expect!["refused: the link `d/e` leads out of the tree (to `../missing/../../c`)"],
    );
    // Neither link leads out by its own text.
    check_tar(
        tar().link("deep/er/top", "../..").link("x", "deep/er/top/.."),
        &expect!["refused: the link `x` leads out of the tree (to `deep/er/top/..`)"],
    );
    // Out of the folder that is stripped, although not out of the archive's root.
    check_tar(
        tar().file("p/x", "").link("p/y", "../p/x"),
        &expect!["refused: the link `y` leads out of the tree (to `../p/x`)"],
    );
    check_tar(
        tar().link("d", ".").file("d/../../escaped", "x"),
        &expect!["refused: entry `d/../../escaped` has a name that leads out of the tree"],
    );
    check_tar(
        tar().link("d", "sub").file("d/escaped", "x"),
        &expect!["refused: entry `d/escaped` would be written through `d`, which is no folder"],
    );
    check_tar(
        tar().file("x", "").link("loop", "loop"),
        &expect![[r#"
            l loop -> loop
            f 644 x ""
        "#]],
    );
    check_tar(
        tar().entry(EntryType::Link, "a", 0o644, "../../../etc/passwd", b""),
        &expect!["refused: entry `a` is a hard link that leads out of the tree (to `../../../etc/passwd`)"],
    );
    check_tar(
        tar().entry(EntryType::Link, "a", 0o644, "/etc/passwd", b""),
        &expect!["refused: entry `a` is a hard link that leads out of the tree (to `/etc/passwd`)"],
    );
    check_tar(
        tar().link("d", "..").entry(EntryType::Link, "a", 0o644, "d/x", b""),
        &expect!["refused: entry `a` is a hard link that leads out of the tree (to `d/x`)"],
    );
    check_tar(
        tar().link("d", "x").entry(EntryType::Link, "a", 0o644, "d", b""),
        &expect!["refused: entry `a` is a hard link to `d`, which is no earlier file of the archive"],
    );
}

#[test]
fn a_link_is_replaced_and_never_written_through() {
    check_tar(
        Tar::default()
            .file("victim", "old")
            .link("a", "victim")
            .file("a", "new"),
        &expect![[r#"
            f 644 a "new"
            f 644 victim "old"
        "#]],
    );
    check_tar(
        Tar::default().file("d/x", "").file("d", "new"),
        &expect!["refused: entry `d` stands where the archive already has a folder"],
    );
    check_tar(
        Tar::default()
            .link("d", "x")
            .entry(EntryType::Directory, "d", 0o755, "", b""),
        &expect!["refused: entry `d` is a folder where the archive already has something else"],
    );
}

#[test]
fn special_files_are_refused() {
    for (kind, expected) in [
        (EntryType::Char, expect!["refused: entry `dev` is a device file"]),
        (EntryType::Block, expect!["refused: entry `dev` is a device file"]),
        (EntryType::Fifo, expect!["refused: entry `dev` is a named pipe"]),
        (
            EntryType::GNUSparse,
            expect!["refused: entry `dev` is a sparse file, which is not understood"],
        ),
    ] {
        check_tar(Tar::default().entry(kind, "dev", 0o666, "", b""), &expected);
    }
}

#[test]
fn bombs_are_noticed_while_they_unpack() {
    check_tar(
        Tar::default().entry(EntryType::Regular, "big", 0o644, "", &vec![0; 8 << 20]),
        &expect!["refused: entry `big` makes the tree too large: more than 1048576 bytes are not unpacked"],
    );
    let many = (0..200).fold(Tar::default(), |tar, number| tar.file(&format!("f{number}"), ""));
    check_tar(
        many,
        &expect!["refused: entry `f100` is one too many: more than 100 entries are not unpacked"],
    );
    let deep = Tar::default()
        .file(&"d/".repeat(45), "")
        .file(&format!("{}x", "e/".repeat(49)), "");
    check_tar(
        deep.file(&format!("{}x", "f/".repeat(49)), ""),
        &expect![
            r"refused: entry `f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/f/x` is one too many: more than 100 entries are not unpacked"
        ],
    );
    let mut linked = Tar::default().entry(EntryType::Regular, "big", 0o644, "", &vec![0; 600 << 10]);
    for number in 0..3 {
        linked = linked.entry(EntryType::Link, &format!("l{number}"), 0o644, "big", b"");
    }
    check_tar(
        linked,
        &expect!["refused: entry `l0` makes the tree too large: more than 1048576 bytes are not unpacked"],
    );
}

#[test]
fn cut_off_and_damaged_archives_are_told_in_every_packing() {
    // Noise, so that no packing can put it into a few bytes.
    let mut noise = Vec::new();
    let mut state = 1_u32;
    for _ in 0..40_000 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        noise.push((state >> 24) as u8);
    }
    let tar = Tar::default()
        .file("first", "x")
        .entry(EntryType::Regular, "second", 0o644, "", &noise)
        .file("third", "x")
        .end();
    for ending in PACKINGS {
        let packed = pack(ending, &tar);
        let name = format!("a.{ending}");
        for cut in [
            packed.len() / 2,
            packed.len() - packed.len().min(1100),
            packed.len() * 9 / 10,
        ] {
            let shown = unpacked(&name, &packed[..cut], &small());
            assert!(
                shown.starts_with("refused: ") && shown.contains("damaged ("),
                "{ending} {cut}: {shown}"
            );
        }
        if ending != "tar" {
            let mut flipped = packed.clone();
            flipped[packed.len() / 2] ^= 0x10;
            let shown = unpacked(&name, &flipped, &small());
            assert!(shown.starts_with("refused: "), "{ending}: {shown}");
        }
    }
    expect!["refused: it is no tar archive (plain, gzip, xz, bzip2, zstd or lzma) and no zip archive; check that the download is complete and not a web page"]
        .assert_eq(&unpacked("a.tar.gz", b"<html>not found</html>", &small()));
    expect!["refused: it is no tar archive (plain, gzip, xz, bzip2, zstd or lzma) and no zip archive; check that the download is complete and not a web page"]
        .assert_eq(&unpacked("a.tar", b"", &small()));
}

#[test]
fn bytes_after_a_gzip_member_are_passed_over() {
    let mut bytes = gzip(&Tar::default().file("x", "1").end());
    bytes.extend([0; 600]);
    assert_eq!(unpacked("a.tar.gz", &bytes, &small()), "f 644 x \"1\"\n");
}

/// Builds a zip archive; `names` are put in the place of equally long ones, past the crate's own checks.
fn zip(entries: &[(&str, u32, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let mut names = Vec::new();
    for (number, (name, mode, content)) in entries.iter().enumerate() {
        let options = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Deflated)
            .unix_permissions(mode & 0o777);
        let stand_in = format!("{:~<width$}", format!("{number}#"), width = name.len());
        writer.start_file(stand_in.as_str(), options).unwrap();
        writer.write_all(content).unwrap();
        names.push((stand_in, *name, *mode));
    }
    let mut bytes = writer.finish().unwrap().into_inner();
    for (stand_in, name, mode) in names {
        let found: Vec<usize> = (0..bytes.len() - stand_in.len())
            .filter(|at| bytes[*at..].starts_with(stand_in.as_bytes()))
            .collect();
        for at in found {
            bytes[at..at + name.len()].copy_from_slice(name.as_bytes());
            // In the central directory the mode is in the upper half of the field 8 bytes before the name.
            if at >= 46 && bytes[at - 46..].starts_with(b"PK\x01\x02") {
                bytes[at - 6..at - 4].copy_from_slice(&u16::try_from(mode).unwrap().to_le_bytes());
            }
        }
    }
    bytes
}

fn check_zip(entries: &[(&str, u32, &[u8])], expected: &Expect) {
    expected.assert_eq(&unpacked("a.zip", &zip(entries), &small()));
}

#[test]
fn zip_archives_are_unpacked_by_the_same_rules() {
    check_zip(
        &[
            ("project/run.sh", 0o100_755, b"sh"),
            ("project/sub/notes", 0o100_644, b"n"),
            ("project/sub/link", 0o120_777, b"../run.sh"),
            ("project/setuid", 0o104_755, b"s"),
        ],
        &expect![[r#"
            f 755 run.sh "sh"
            f 755 setuid "s"
            d 755 sub
            l sub/link -> ../run.sh
            f 644 sub/notes "n"
        "#]],
    );
    check_zip(
        &[("../../escaped", 0o100_644, b"x")],
        &expect!["refused: entry `../../escaped` has a name that leads out of the tree"],
    );
    check_zip(
        &[("/tmp/escaped", 0o100_644, b"x")],
        &expect!["refused: entry `/tmp/escaped` has a name that leads out of the tree"],
    );
    check_zip(
        &[("folder-link", 0o120_777, b"/etc")],
        &expect!["refused: entry `folder-link` is a link that leads out of the tree (to `/etc`)"],
    );
    check_zip(
        &[("some-file", 0o100_644, b""), ("some-link", 0o120_777, b"../..")],
        &expect!["refused: the link `some-link` leads out of the tree (to `../..`)"],
    );
    check_zip(
        &[("somelink", 0o120_777, b"other"), ("somelink/escaped", 0o100_644, b"x")],
        &expect!["refused: entry `somelink/escaped` would be written through `somelink`, which is no folder"],
    );
    check_zip(
        &[("some-pipe", 0o010_644, b"")],
        &expect!["refused: entry `some-pipe` is a device file, a named pipe or a socket"],
    );
    check_zip(
        &[("big-file", 0o100_644, &vec![0; 8 << 20])],
        &expect!["refused: entry `big-file` makes the tree too large: more than 1048576 bytes are not unpacked"],
    );
    let whole = zip(&[("some-file", 0o100_644, &vec![7; 5000])]);
    let cut = unpacked("a.zip", &whole[..whole.len() / 2], &small());
    assert!(cut.starts_with("refused: it is cut off or damaged"), "{cut}");
}

#[test]
fn a_hash_is_recorded_and_compared() {
    let world = World::new();
    let bytes = Tar::default().file("x", "1").end();
    let path = world.path("a.tar");
    fs::write(&path, &bytes).unwrap();
    let spec = format!("{}#sha256={}", path.display(), sha256(&bytes));
    let fetcher = world.fetcher();
    let mut pinned = fetcher.pin(&spec.parse().unwrap()).unwrap();
    let tree = fetcher.fetch(&pinned).unwrap();
    pinned.tree = Some(tree.digest);
    assert_eq!(fetcher.fetch(&pinned).unwrap().digest, tree.digest);

    let wrong = format!("{}#sha256={}", path.display(), "0".repeat(64));
    let error = world.fetch(&wrong).unwrap_err().to_string();
    assert!(error.contains("does not verify: its SHA-256 is"), "{error}");

    // Another tree than was pinned, and an archive that changed after it was pinned.
    pinned.tree = Some(seatrial_core::Digest::of(b"other"));
    let error = fetcher.fetch(&pinned).unwrap_err().to_string();
    assert!(error.contains("was pinned"), "{error}");
    fs::remove_dir_all(world.home.root().join("cache/trees")).unwrap();
    fs::write(&path, b"changed").unwrap();
    let error = fetcher.fetch(&pinned).unwrap_err().to_string();
    assert!(error.contains("its SHA-256 is"), "{error}");
    fs::remove_file(&path).unwrap();
    let error = fetcher.fetch(&pinned).unwrap_err().to_string();
    assert!(error.contains("is gone"), "{error}");
}

#[test]
fn a_changed_source_is_its_base_with_a_patch_that_fits_wholly_or_not_at_all() {
    let world = World::new();
    let path = world.path("hull-1.0.tar.gz");
    let bytes = gzip(
        &Tar::default()
            .file("hull-1.0/main.c", "one\ntwo\n")
            .file("hull-1.0/old", "x\n")
            .end(),
    );
    fs::write(&path, &bytes).unwrap();
    let fetcher = world.fetcher();
    let base = fetcher
        .pin(&path.display().to_string().parse().unwrap())
        .unwrap()
        .origin;
    let changed = |patch: &str| PinnedSource {
        name: "hull".to_owned(),
        origin: SourceKind::Changed {
            base: Box::new(base.clone()),
            change: world.home.blobs().put(patch.as_bytes()).unwrap(),
        },
        tree: None,
    };
    let good = "diff --git a/main.c b/main.c\n--- a/main.c\n+++ b/main.c\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n\
                diff --git a/new/run b/new/run\nnew file mode 100755\n--- /dev/null\n+++ b/new/run\n@@ -0,0 +1 @@\n+go\n\
                diff --git a/old b/old\ndeleted file mode 100644\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
    expect![[r#"
        f 644 main.c "one\nthree\n"
        d 755 new
        f 755 new/run "go\n"
    "#]]
    .assert_eq(&listing(&fetcher.fetch(&changed(good)).unwrap().root));
    for bad in [
        "",
        "no patch",
        &good.replace(" one", " none"),
        &good.replace("new/run", "../run"),
        "diff --git a/way b/way\nnew file mode 120000\n--- /dev/null\n+++ b/way\n@@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\n",
    ] {
        let error = fetcher.fetch(&changed(bad)).unwrap_err();
        assert!(
            matches!(error, SourceError::Verify { .. } | SourceError::Archive { .. }),
            "{bad}: {error}"
        );
    }
    let gone = PinnedSource {
        origin: SourceKind::Changed {
            base: Box::new(base.clone()),
            change: Digest::of(b"never seen"),
        },
        ..changed(good)
    };
    assert!(matches!(fetcher.fetch(&gone), Err(SourceError::Unavailable(_))));
    world.assert_clean();
}

#[test]
fn files_that_a_corpus_keeps_are_laid_as_they_were_packed() {
    let world = World::new();
    let kept = |bytes: &[u8]| PinnedSource {
        name: "hull".to_owned(),
        origin: SourceKind::Kept {
            archive: world.home.blobs().put(bytes).unwrap(),
        },
        tree: None,
    };
    let fetcher = world.fetcher();
    // A single folder at the top is a part of it, and no wrapping.
    let packed = Tar::default().file("debian/control", "Source: hull\n").end();
    let tree = fetcher.fetch(&kept(&packed)).unwrap();
    assert!(tree.root.join("debian/control").is_file());
    assert!(matches!(
        fetcher.fetch(&kept(b"no archive")),
        Err(SourceError::Archive { .. })
    ));
    let gone = PinnedSource {
        origin: SourceKind::Kept {
            archive: Digest::of(b"never seen"),
        },
        ..kept(&packed)
    };
    assert!(matches!(fetcher.fetch(&gone), Err(SourceError::Unavailable(_))));
    world.assert_clean();
}
