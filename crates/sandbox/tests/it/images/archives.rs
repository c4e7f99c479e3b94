//! Images from files.

use std::path::PathBuf;

use seatrial_core::Platform;
use seatrial_sandbox::{Command, Origin, SandboxError};

use super::support::{Entry, Own, check_layers, config, gzip, sha256, tar, upper_layers, zstd};
use crate::support::{run, script, small_tree};

fn keep(own: &Own, name: &str, bytes: &[u8]) -> PathBuf {
    let path = own.folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    std::io::Read::read_to_end(&mut liblzma::read::XzEncoder::new(bytes, 0), &mut out).unwrap();
    out
}

/// What `docker save` writes, in the order of an old one: the records last.
fn saved(layers: &[&[u8]]) -> Vec<u8> {
    let config = config(layers);
    let names: Vec<_> = (0..layers.len()).map(|at| format!("{at}/layer.tar")).collect();
    let manifest = serde_json::json!([{"Config": "config.json", "RepoTags": ["a:b"], "Layers": names}]).to_string();
    let mut entries: Vec<(&str, Entry<'_>)> = Vec::new();
    for (name, layer) in names.iter().zip(layers) {
        entries.push((name, Entry::File(layer, 0o644)));
    }
    entries.push(("config.json", Entry::File(&config, 0o644)));
    entries.push(("manifest.json", Entry::File(manifest.as_bytes(), 0o644)));
    tar(&entries)
}

/// An OCI layout with an index in its index; layers compressed each in another way.
fn layout(layers: &[&[u8]]) -> Vec<u8> {
    let config = config(layers);
    let packed: Vec<_> = layers
        .iter()
        .enumerate()
        .map(|(at, layer)| match at % 3 {
            0 => gzip(layer),
            1 => zstd(layer),
            _ => layer.to_vec(),
        })
        .collect();
    let describe =
        |bytes: &[u8], kind: &str| serde_json::json!({"mediaType": kind, "digest": sha256(bytes), "size": bytes.len()});
    let kind = "application/vnd.oci.image.layer.v1.tar+gzip";
    let manifest = serde_json::json!({
        "schemaVersion": 2,
        "config": describe(&config, "application/vnd.oci.image.config.v1+json"),
        "layers": packed.iter().map(|layer| describe(layer, kind)).collect::<Vec<_>>(),
    })
    .to_string();
    let mut one = describe(manifest.as_bytes(), "application/vnd.oci.image.manifest.v1+json");
    one["platform"] = serde_json::json!({"os": "linux", "architecture": super::support::arch()});
    let mut other = one.clone();
    other["platform"]["architecture"] = "mips".into();
    other["digest"] = sha256(b"not there").into();
    let inner = serde_json::json!({"schemaVersion": 2, "manifests": [other, one]}).to_string();
    let index = serde_json::json!({
        "schemaVersion": 2,
        "manifests": [describe(inner.as_bytes(), "application/vnd.oci.image.index.v1+json")],
    })
    .to_string();
    let mut blobs: Vec<&[u8]> = packed.iter().map(Vec::as_slice).collect();
    blobs.extend([&config[..], manifest.as_bytes(), inner.as_bytes()]);
    let names: Vec<_> = blobs
        .iter()
        .map(|blob| format!("blobs/sha256/{}", &sha256(blob)["sha256:".len()..]))
        .collect();
    let mut entries: Vec<(&str, Entry<'_>)> = vec![
        ("oci-layout", Entry::File(b"{}", 0o644)),
        ("index.json", Entry::File(index.as_bytes(), 0o644)),
    ];
    entries.extend(
        names
            .iter()
            .zip(&blobs)
            .map(|(name, blob)| (name.as_str(), Entry::File(blob, 0o644))),
    );
    tar(&entries)
}

#[test]
fn a_root_file_system_is_the_same_image_however_it_is_compressed() {
    let Some(small) = small_tree() else { return };
    let own = Own::new();
    let platform: Platform = "linux:small".parse().unwrap();
    let plain = own
        .images
        .import_tar(&keep(&own, "small.tar", small), &platform)
        .unwrap();
    for (name, bytes) in [
        ("small.tar.gz", gzip(small)),
        ("small.tar.zst", zstd(small)),
        ("small.tar.xz", xz(small)),
    ] {
        let image = own.images.import(&keep(&own, name, &bytes)).unwrap();
        assert_eq!(image.id, plain.id, "{name}");
        assert_eq!(image.platform.arch, platform.arch, "its programs say so");
    }
    let list = own.images.list().unwrap();
    assert_eq!(list.len(), 1);
    assert_eq!(list[0].origin, Origin::Platform, "it goes on to stand for its platform");
    assert_eq!(
        own.images.find(&platform).unwrap().map(|image| image.id),
        Some(plain.id)
    );
    assert!(own.images.disk_use(&plain.id) > 1 << 20);
    let made = own.images.last_used(&plain.id).unwrap();
    let mut sandbox = own.start(plain.id);
    assert!(own.images.last_used(&plain.id).unwrap() > made);
    assert_eq!(script(&mut *sandbox, "id -u; stat -c '%u %g' /tmp"), "0\n12 34\n");
    assert!(matches!(own.images.remove(&plain.id), Err(SandboxError::InUse { .. })));
    drop(sandbox);
    own.images.remove(&plain.id).unwrap();
    assert!(own.leftovers().is_empty(), "{:?}", own.leftovers());
}

#[test]
fn layers_of_archives_are_laid_over_one_another_with_what_they_take_away() {
    let Some(small) = small_tree() else { return };
    let own = Own::new();
    let [first, second] = upper_layers();
    let layers: [&[u8]; 3] = [small, &first, &second];
    let saved = own.images.import(&keep(&own, "saved.tar", &saved(&layers))).unwrap();
    assert_eq!(saved.origin, Origin::File("saved.tar".to_owned()));
    assert_eq!(saved.labels.get("maker").map(String::as_str), Some("test"));
    check_layers(&mut *own.start(saved.id));
    let layout = own
        .images
        .import(&keep(&own, "layout.tar.gz", &gzip(&layout(&layers))))
        .unwrap();
    assert_eq!(layout.id, saved.id, "the same configuration is the same image");
    assert!(
        own.images.find(&saved.platform).unwrap().is_none(),
        "it stands for itself only"
    );
    for name in ["layout.tar.gz", &saved.id.to_string(), &saved.id.short()] {
        assert_eq!(
            own.images.named(name).unwrap().map(|image| image.id),
            Some(saved.id),
            "{name}"
        );
    }
    assert!(own.images.named("other").unwrap().is_none());
    assert!(own.leftovers().is_empty(), "{:?}", own.leftovers());
}

#[test]
fn hostile_and_broken_archives_make_no_image_and_leave_nothing() {
    let own = Own::new();
    let outside = own.folder.path().join("outside");
    let file = || Entry::File(b"x", 0o644);
    let layer = tar(&[("a", file())]);
    let other = tar(&[("b", file())]);
    let mut exchanged = saved(&[&layer]);
    let at = exchanged
        .windows(512)
        .position(|part| part.starts_with(b"a\0"))
        .unwrap();
    // One byte of the layer's content, behind its header.
    exchanged[at + 512] ^= 1;
    let up = "../".repeat(12) + outside.to_str().unwrap().trim_start_matches('/');
    let mut endless = tar(&[("bomb", file())]);
    {
        // A file of 2^62 bytes, all but one of which are a hole.
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::GNUSparse);
        header.set_size(512);
        header.set_mode(0o644);
        header.as_old_mut().name[..4].copy_from_slice(b"hole");
        let gnu = header.as_gnu_mut().unwrap();
        gnu.set_real_size(1 << 62);
        gnu.sparse[0].set_offset((1 << 62) - 512);
        gnu.sparse[0].set_length(512);
        header.set_cksum();
        endless.splice(0..0, header.as_bytes().iter().copied().chain([1; 512]));
    }
    let mut owned = tar(&[("a", file())]);
    // The owner's field and the checksum, which is the sum of all bytes.
    owned[108..116].copy_from_slice(b"7777777\0");
    let sum: u32 = owned[..512]
        .iter()
        .enumerate()
        .map(|(at, byte)| if (148..156).contains(&at) { 32 } else { u32::from(*byte) })
        .sum();
    owned[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let cases: [(&str, Vec<u8>, &str); 12] = [
        ("an owner that boxes do not have", owned, "it belongs to 2097151"),
        (
            "up",
            tar(&[(&up[..up.len().min(99)], file())]),
            "leads out of its folder",
        ),
        (
            "hard link",
            tar(&[("a", Entry::Hard("../../../etc/passwd"))]),
            "leads out of its folder",
        ),
        ("no link target", tar(&[("a", Entry::Hard("etc/none"))]), "entry a"),
        (
            "dev is a link",
            tar(&[("a", file()), ("dev", Entry::Link("/etc"))]),
            "/dev is no folder",
        ),
        ("a hole", endless, "too many bytes"),
        (
            "cut off",
            zstd(&tar(&[("a", Entry::File(&vec![7; 100_000], 0o644))])[..50_000]),
            "",
        ),
        (
            "bad compression",
            [&gzip(&vec![1; 100_000])[..60], &[0xff; 100]].concat(),
            "",
        ),
        ("empty", Vec::new(), ""),
        ("exchanged layer", exchanged, "not what its digest says"),
        (
            "missing layer",
            tar(&[(
                "manifest.json",
                Entry::File(br#"[{"Config": "c", "Layers": ["l"]}]"#, 0o644),
            )]),
            "names c",
        ),
        (
            "too few layers",
            {
                let config = config(&[&layer, &other]);
                tar(&[
                    (
                        "manifest.json",
                        Entry::File(br#"[{"Config": "c", "Layers": ["l"]}]"#, 0o644),
                    ),
                    ("c", Entry::File(&config, 0o644)),
                    ("l", Entry::File(&layer, 0o644)),
                ])
            },
            "speaks of 2 layers",
        ),
    ];
    for (name, bytes, word) in cases {
        let error = own.images.import(&keep(&own, "case", &bytes)).unwrap_err().to_string();
        assert!(error.contains(word), "{name}: {error}");
        assert!(own.images.list().unwrap().is_empty(), "{name}");
        assert!(own.leftovers().is_empty(), "{name}: {:?}", own.leftovers());
        assert!(!outside.exists(), "{name}");
    }
    assert!(
        own.images
            .import(own.folder.path())
            .unwrap_err()
            .to_string()
            .contains("not a file")
    );
    assert!(own.images.import(&own.folder.path().join("none")).is_err());
}

#[test]
fn a_tree_with_nothing_in_it_but_one_program_is_an_image_too() {
    let Some(small) = small_tree() else { return };
    let own = Own::new();
    let tree = keep(&own, "small.tar", small);
    let small = own.images.import(&tree).unwrap();
    // No /dev, /proc, /etc, and no Bash.
    let mut sandbox = own.start(small.id);
    script(
        &mut *sandbox,
        "mkdir /bare /bare/bin; cp -a /usr/lib /bare/lib; cp -a /usr/lib64 /bare/lib64; cp /usr/bin/cat /bare/bin/cat",
    );
    let mut bare = Vec::new();
    sandbox.read_tree("/bare", &mut bare).unwrap();
    let image = own
        .images
        .import_tar(&keep(&own, "bare.tar", &bare), &small.platform)
        .unwrap();
    let mut sandbox = own.start(image.id);
    let mut command = Command::bash("");
    let (execution, output) = run(&mut *sandbox, &command);
    assert_eq!(execution.status, seatrial_sandbox::Status::Exited(127));
    assert_eq!(output.err(), "seatrial: /bin/bash: command not found\n");
    command.argv = ["cat", "/proc/sys/kernel/hostname", "/dev/null"]
        .map(str::to_owned)
        .into();
    let (execution, output) = run(&mut *sandbox, &command);
    assert!(execution.succeeded(), "{}", output.err());
    assert_eq!(output.out(), "box\n");
}

#[test]
fn a_damaged_image_is_named_and_the_others_are_listed() {
    let Some(small) = small_tree() else { return };
    let own = Own::new();
    let image = own.images.import(&keep(&own, "small.tar", small)).unwrap();
    let (bad, none) = (own.home.images().join("bad"), own.home.images().join("none"));
    for folder in [&bad, &none] {
        std::fs::create_dir(folder).unwrap();
    }
    std::fs::write(bad.join("image.json"), "{").unwrap();
    let listing = own.images.look().unwrap();
    assert_eq!(
        listing.images.iter().map(|image| image.id).collect::<Vec<_>>(),
        [image.id]
    );
    let damaged: Vec<_> = listing.damaged.iter().map(|(folder, _)| folder.clone()).collect();
    assert_eq!(damaged, [bad, none]);
    // Taking it in again repairs it.
    std::fs::write(own.home.images().join(image.id.hex()).join("image.json"), "").unwrap();
    assert!(own.images.list().unwrap().is_empty());
    own.images.import(&own.folder.path().join("small.tar")).unwrap();
    assert_eq!(own.images.list().unwrap().len(), 1);
}
