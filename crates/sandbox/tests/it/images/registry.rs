//! Images from registries: a real one on this machine, and one that misbehaves.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command as Process, Stdio},
    sync::Arc,
};

use seatrial_core::Arch;
use seatrial_sandbox::{Credentials, Origin, Pull, SandboxError};

use super::{
    pretend::{Answer, Pretend},
    support::{Entry, Own, arch, check_layers, config, gzip, sha256, tar, upper_layers, zstd},
};
use crate::support::small_tree;

const LAYER: &str = "application/vnd.oci.image.layer.v1.tar+gzip";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";
const OLD_MANIFEST: &str = "application/vnd.docker.distribution.manifest.v2+json";
const OLD_LAYER: &str = "application/vnd.docker.image.rootfs.diff.tar.gzip";

/// A registry of Debian's package, with a folder and a port of its own; it ends with this value.
struct Registry {
    child: Child,
    host: String,
    _folder: tempfile::TempDir,
}

impl Registry {
    #[expect(clippy::print_stdout, reason = "a skipped test says so")]
    fn start(password: bool) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.yml");
        let auth = if password {
            let logins = folder.path().join("logins");
            // The password is `pass`.
            let line = "user:$2b$05$abcdefghijklmnopqrstuuZFBUbfXoM8LFiPx8LYlO/sXZB/Cwk3K\n";
            std::fs::write(&logins, line).unwrap();
            format!("auth: {{htpasswd: {{realm: test, path: {}}}}}\n", logins.display())
        } else {
            String::new()
        };
        let data = folder.path().join("data");
        let text = format!(
            "version: 0.1\nlog: {{level: info}}\nstorage: {{filesystem: {{rootdirectory: {}}}}}\n\
             http: {{addr: \"127.0.0.1:0\", secret: test}}\n{auth}",
            data.display()
        );
        std::fs::write(&file, text).unwrap();
        let child = Process::new("docker-registry")
            .arg("serve")
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = match child {
            Ok(child) => child,
            Err(error) => {
                println!("skipped: docker-registry: {error}");
                return None;
            }
        };
        // It says where it listens, and goes on talking, which somebody must read.
        let mut lines = BufReader::new(child.stderr.take().unwrap())
            .lines()
            .map_while(Result::ok);
        let host = lines.find_map(|line| {
            let (_, rest) = line.split_once("listening on ")?;
            Some(rest.split(['"', ' ', ',']).next()?.to_owned())
        });
        std::thread::spawn(move || lines.for_each(drop));
        Some(Self {
            child,
            host: host.unwrap(),
            _folder: folder,
        })
    }

    fn send(&self, method: &str, url: &str, kind: &str, body: &[u8]) -> String {
        let url = if url.starts_with('/') {
            format!("http://{}{url}", self.host)
        } else {
            url.to_owned()
        };
        let request = ureq::http::Request::builder()
            .method(method)
            .uri(url)
            .header("Content-Type", kind)
            .header("Authorization", "Basic dXNlcjpwYXNz")
            .body(body.to_vec())
            .unwrap();
        let response = ureq::run(request).unwrap();
        let place = response.headers().get("Location");
        place.map_or_else(String::new, |place| place.to_str().unwrap().to_owned())
    }

    fn push_blob(&self, name: &str, bytes: &[u8]) -> serde_json::Value {
        let place = self.send("POST", &format!("/v2/{name}/blobs/uploads/"), "", b"");
        let mark = if place.contains('?') { '&' } else { '?' };
        let digest = sha256(bytes);
        self.send(
            "PUT",
            &format!("{place}{mark}digest={digest}"),
            "application/octet-stream",
            bytes,
        );
        serde_json::json!({"mediaType": LAYER, "digest": digest, "size": bytes.len()})
    }

    /// Pushes an image and returns its manifest's digest and size.
    fn push(&self, name: &str, tag: &str, layers: &[&[u8]], old: bool) -> (String, usize) {
        let mut config = self.push_blob(name, &config(layers));
        config["mediaType"] = "application/vnd.oci.image.config.v1+json".into();
        let packed = layers.iter().enumerate().map(|(at, layer)| {
            let mut layer = self.push_blob(name, &if at % 2 == 0 { gzip(layer) } else { zstd(layer) });
            if old {
                layer["mediaType"] = OLD_LAYER.into();
            }
            layer
        });
        let kind = if old { OLD_MANIFEST } else { MANIFEST };
        let manifest = serde_json::json!({
            "schemaVersion": 2, "mediaType": kind, "config": config, "layers": packed.collect::<Vec<_>>(),
        })
        .to_string();
        self.send("PUT", &format!("/v2/{name}/manifests/{tag}"), kind, manifest.as_bytes());
        (sha256(manifest.as_bytes()), manifest.len())
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn pull(own: &Own, name: &str) -> Result<(seatrial_sandbox::Image, Vec<String>), SandboxError> {
    pull_as(own, &Pull::of(name.parse().unwrap()))
}

fn pull_as(own: &Own, pull: &Pull) -> Result<(seatrial_sandbox::Image, Vec<String>), SandboxError> {
    let mut told = Vec::new();
    let image = own.images.pull(pull, &mut |line: &str| told.push(line.to_owned()))?;
    Ok((image, told))
}

#[test]
fn an_image_is_pulled_by_tag_digest_and_platform_and_its_layers_are_kept_once() {
    let Some(small) = small_tree() else { return };
    let Some(registry) = Registry::start(false) else { return };
    let own = Own::new();
    let [first, second] = upper_layers();
    let layers: [&[u8]; 3] = [small, &first, &second];
    let (digest, size) = registry.push("deep/image", "one", &layers, false);
    let host = &registry.host;
    let (image, _) = pull(&own, &format!("{host}/deep/image:one")).unwrap();
    assert_eq!(
        image.origin,
        Origin::Registry(format!("{host}/deep/image:one@{digest}"))
    );
    check_layers(&mut *own.start(image.id));
    let (same, told) = pull(&own, &format!("{host}/deep/image@{digest}")).unwrap();
    assert_eq!(same.id, image.id);
    assert!(
        told.iter().any(|line| line == "layer 1 of 3 is here already"),
        "{told:?}"
    );
    // Another image that shares two layers, by Docker's own kinds, and through an index.
    let (old, old_size) = registry.push("deep/other", "two", &[small, &first], true);
    let index = serde_json::json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": [
        {"mediaType": OLD_MANIFEST, "digest": old, "size": old_size, "platform": {"os": "linux", "architecture": arch()}},
        {"mediaType": OLD_MANIFEST, "digest": old, "size": old_size, "platform": {"os": "windows", "architecture": arch()}},
    ]});
    registry.send(
        "PUT",
        "/v2/deep/other/manifests/all",
        INDEX,
        index.to_string().as_bytes(),
    );
    let (other, told) = pull(&own, &format!("{host}/deep/other:all")).unwrap();
    assert_ne!(other.id, image.id);
    assert_eq!(
        told.iter().filter(|line| line.ends_with("is here already")).count(),
        2,
        "{told:?}"
    );
    let mut wrong = Pull::of(format!("{host}/deep/other:all").parse().unwrap());
    wrong.arch = Some(Arch::S390x);
    let error = pull_as(&own, &wrong).unwrap_err().to_string();
    assert!(error.contains("nothing for linux/s390x"), "{error}");
    for (name, word) in [("deep/image:none", "no such name"), ("none:one", "no such name")] {
        let error = pull(&own, &format!("{host}/{name}")).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }
    assert!(size > 0);
    // What the store has lost is pulled again, and what is damaged in it is noticed and mended.
    let blobs = own.folder.path().join("home/blobs");
    own.images.remove(&image.id).unwrap();
    for blob in files(&blobs) {
        std::fs::write(blob, b"bent").unwrap();
    }
    for tries_left in (0..4).rev() {
        match pull(&own, &format!("{host}/deep/image:one")) {
            Ok((again, _)) => {
                assert_eq!(again.id, image.id);
                break;
            }
            Err(error) => assert!(tries_left > 0, "{error}"),
        }
    }
    std::fs::remove_dir_all(&blobs).unwrap();
    own.images.remove(&image.id).unwrap();
    assert_eq!(pull(&own, &format!("{host}/deep/image:one")).unwrap().0.id, image.id);
    assert!(own.leftovers().is_empty(), "{:?}", own.leftovers());
    drop(registry);
    let error = pull(&own, &format!("{}/deep/image:one", "127.0.0.1:1"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("nobody answers there"), "{error}");
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .collect()
}

#[test]
fn a_registry_that_asks_for_a_password_gets_the_right_one_or_nothing() {
    let Some(registry) = Registry::start(true) else { return };
    let own = Own::new();
    let layer = tar(&[("bin/", Entry::Folder(0o755))]);
    registry.push("a", "b", &[&layer], false);
    let mut pull = Pull::of(format!("{}/a:b", registry.host).parse().unwrap());
    let error = pull_as(&own, &pull).unwrap_err().to_string();
    assert!(
        error.contains("wants to know who asks") && error.contains("--credentials"),
        "{error}"
    );
    pull.credentials = Credentials::default().with(&registry.host, "user", "wrong");
    let error = pull_as(&own, &pull).unwrap_err().to_string();
    assert!(error.contains("does not take these credentials"), "{error}");
    let file = serde_json::json!({"auths": {&registry.host: {"auth": "dXNlcjpwYXNz"}}}).to_string();
    pull.credentials = Credentials::read(file.as_bytes()).unwrap();
    pull_as(&own, &pull).unwrap();
}

/// An image of one layer, as a pretended registry has it.
struct Simple {
    manifest: Vec<u8>,
    config: Vec<u8>,
    layer: Vec<u8>,
}

impl Simple {
    fn new() -> Self {
        // Large enough that a connection can be cut in its midst.
        let noise: Vec<u8> = (0..300_000_u32)
            .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
            .collect();
        let layer = tar(&[("noise", Entry::File(&noise, 0o644))]);
        let config = config(&[&layer]);
        let manifest = serde_json::json!({
            "schemaVersion": 2,
            "config": {"digest": sha256(&config), "size": config.len()},
            "layers": [{"mediaType": LAYER, "digest": sha256(&layer), "size": layer.len()}],
        });
        Self {
            manifest: manifest.to_string().into_bytes(),
            config,
            layer,
        }
    }

    /// The right answer.
    fn answer(&self, path: &str) -> Answer {
        if path.contains("/manifests/") {
            Answer::ok(self.manifest.clone())
        } else if path.ends_with(&sha256(&self.config)) {
            Answer::ok(self.config.clone())
        } else if path.ends_with(&sha256(&self.layer)) {
            Answer::ok(self.layer.clone())
        } else {
            Answer::status(404)
        }
    }
}

#[test]
fn a_token_is_asked_for_where_the_registry_says_and_again_when_it_has_run_out() {
    let own = Own::new();
    let image = Simple::new();
    let pretend = Pretend::start(move |asked, before| {
        let token = |value: &str| Answer::ok(format!("{{\"token\": \"{value}\"}}"));
        if asked.path.starts_with("/token") {
            // Only the service for tokens hears the password.
            assert_eq!(
                asked.headers.get("authorization").map(String::as_str),
                Some("Basic dXNlcjpwYXNz")
            );
            return token(if before == 0 { "first" } else { "second" });
        }
        let wanted = if asked.path.contains("/manifests/") {
            "Bearer first"
        } else {
            "Bearer second"
        };
        if asked.headers.get("authorization").map(String::as_str) == Some(wanted) {
            return image.answer(&asked.path);
        }
        let host = asked.headers["host"].clone();
        let challenge =
            format!("Bearer realm=\"http://{host}/token\",service=\"a service\",scope=\"repository:a:pull\"");
        Answer(401, vec![("WWW-Authenticate", challenge)], Vec::new(), usize::MAX)
    });
    let mut pull = Pull::of(format!("{}/a:b", pretend.host).parse().unwrap());
    pull.credentials = Credentials::default().with(&pretend.host, "user", "pass");
    pull_as(&own, &pull).unwrap();
    let paths: Vec<_> = pretend.asked().into_iter().map(|asked| asked.path).collect();
    let tokens: Vec<_> = paths.iter().filter(|path| path.starts_with("/token")).collect();
    assert_eq!(tokens.len(), 2, "{paths:?}");
    assert!(
        tokens[0].contains("scope=repository") && tokens[0].contains("service=a"),
        "{tokens:?}"
    );
}

#[test]
fn a_cut_download_is_gone_on_with_and_passing_trouble_is_waited_out() {
    let own = Own::new();
    let image = Arc::new(Simple::new());
    let (layer, served) = (sha256(&image.layer), Arc::clone(&image));
    let wanted = layer.clone();
    let pretend = Pretend::start(move |asked, before| {
        if !asked.path.ends_with(&wanted) {
            // Each is asked for twice: the first answer is a passing one, with a wish for how long to wait.
            return if before == 0 {
                Answer(429, vec![("Retry-After", "0".to_owned())], Vec::new(), usize::MAX)
            } else {
                served.answer(&asked.path)
            };
        }
        let from = asked
            .headers
            .get("range")
            .and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok());
        match from {
            None => Answer(200, Vec::new(), served.layer.clone(), 100_000),
            Some(from) => {
                let from: usize = from;
                let range = format!("bytes {from}-{}/{}", served.layer.len() - 1, served.layer.len());
                Answer(
                    206,
                    vec![("Content-Range", range)],
                    served.layer[from..].to_vec(),
                    usize::MAX,
                )
            }
        }
    });
    pull(&own, &format!("{}/a:b", pretend.host)).unwrap();
    let asked = pretend.asked();
    let ranges: Vec<_> = asked
        .iter()
        .filter(|asked| asked.path.ends_with(&layer))
        .map(|asked| asked.headers.contains_key("range"))
        .collect();
    assert_eq!(ranges, [false, true], "the second try goes on where the first was cut");
}

#[test]
fn what_a_registry_sends_is_believed_only_when_its_digest_is_right() {
    let image = Arc::new(Simple::new());
    let other = Arc::new(gzip(b"something else"));
    for (what, word) in [
        ("layer", "not what its digest says"),
        ("config", "not what its digest says"),
        ("long", "has more than its"),
    ] {
        let own = Own::new();
        let (image, other) = (Arc::clone(&image), Arc::clone(&other));
        let layer = sha256(&image.layer);
        let pretend = Pretend::start(move |asked, _| {
            let is_layer = asked.path.ends_with(&layer);
            match what {
                "layer" if is_layer => {
                    // As long as it should be.
                    let mut bytes = image.layer.clone();
                    bytes[1000] ^= 1;
                    Answer::ok(bytes)
                }
                "long" if is_layer => Answer::ok([&image.layer[..], b"more"].concat()),
                "config" if asked.path.ends_with(&sha256(&image.config)) => Answer::ok(other.to_vec()),
                _ => image.answer(&asked.path),
            }
        });
        let error = pull(&own, &format!("{}/a:b", pretend.host)).unwrap_err().to_string();
        assert!(error.contains(word), "{what}: {error}");
        let blobs = own.folder.path().join("home/blobs");
        assert!(
            !blobs.exists() || files(&blobs).is_empty(),
            "{what}: nothing of it stays in the store"
        );
        assert!(own.images.list().unwrap().is_empty(), "{what}");
        // By a digest that the manifest does not have.
        let name = format!("{}/a@{}", pretend.host, sha256(b"other"));
        let error = pull(&own, &name).unwrap_err().to_string();
        assert!(error.contains("the manifest is not what its digest says"), "{error}");
    }
}

#[test]
fn answers_that_are_no_image_are_refused_in_words() {
    let own = Own::new();
    let digest = sha256(b"x");
    let layer = |kind: &str| {
        format!(
            r#"{{"schemaVersion": 2, "config": {{"digest": "{digest}", "size": 1}}, "layers": [{{"mediaType": "{kind}", "digest": "{digest}", "size": 1}}]}}"#
        )
    };
    for (answer, word) in [
        (Answer::ok("x"), "cannot be understood"),
        (Answer::ok(r#"{"schemaVersion": 1}"#), "schema 1"),
        (
            Answer::ok(layer("application/vnd.cncf.helm.chart.content.v1.tar+gzip").replace(".tar", "")),
            "no root file system",
        ),
        (
            Answer::ok(layer("application/vnd.docker.image.rootfs.foreign.diff.tar.gzip")),
            "not distributed",
        ),
        (
            Answer::ok(layer(LAYER).replace("sha256:", "sha256:../")),
            "no SHA-256 digest",
        ),
        (
            Answer::ok(r#"{"schemaVersion": 2, "manifests": [{"digest": "sha256:../..", "size": 1}]}"#),
            "no SHA-256 digest",
        ),
        (Answer::ok(vec![b' '; 9 << 20]), "larger than any"),
        (
            Answer(
                403,
                Vec::new(),
                br#"{"errors": [{"code": "DENIED", "message": "no"}]}"#.to_vec(),
                usize::MAX,
            ),
            "DENIED no",
        ),
        (
            Answer(
                401,
                vec![("WWW-Authenticate", "Bearer realm=\"ftp://x\"".to_owned())],
                Vec::new(),
                usize::MAX,
            ),
            "not followed",
        ),
        (
            Answer(
                302,
                vec![("Location", "/v2/a/manifests/b".to_owned())],
                Vec::new(),
                usize::MAX,
            ),
            "redirect",
        ),
    ] {
        let Answer(status, headers, body, most) = answer;
        let pretend = Pretend::start(move |_, _| Answer(status, headers.clone(), body.clone(), most));
        let error = pull(&own, &format!("{}/a:b", pretend.host)).unwrap_err().to_string();
        assert!(error.contains(word), "{word}: {error}");
    }
    assert!(own.images.list().unwrap().is_empty());
}
