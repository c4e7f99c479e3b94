//! What makes the tools in a box trust the door's certificates: files over the image's own, and variables.
//!
//! Files come first. Nearly every tool reads the system's bundle, also when a script has cleared its environment, and what
//! a person adds to it in the box counts as ever. Variables are for tools that bring their own list.

mod keystore;
mod places;

use std::collections::BTreeMap;

use places::{BUNDLES, JAVA, JAVA_OF_DEBIAN, LAYOUTS, Layout};
use ring::digest;
use rustls::pki_types::{CertificateDer, pem::PemObject as _};

use crate::Authority;

/// The bundle's path in every box. Where distributions have their own, a link of theirs leads to it.
const BUNDLE: &str = "/etc/ssl/certs/ca-certificates.crt";
/// Where an administrator of a Debian system puts certificates: when `ca-certificates` is installed or brought up to date
/// in a box, it takes them from here into the bundle, and into Java's keystore.
const ANCHOR: &str = "/usr/local/share/ca-certificates/seatrial-door.crt";
/// For a Java that is told by a variable.
const KEYSTORE: &str = "/usr/local/share/seatrial/cacerts";

/// Files to lay over the image's, by absolute path. `of_image` reads a regular file of the image. The same authority and
/// the same image give the same files.
pub(crate) fn files(authority: &Authority, of_image: &dyn Fn(&str) -> Option<Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
    let own = authority.certificate().as_bytes();
    let mut files = BTreeMap::new();
    let mut of_distribution = None;
    for path in BUNDLES {
        let Some(bundle) = of_image(path) else { continue };
        files.insert((*path).to_owned(), joined(&bundle, own));
        of_distribution.get_or_insert(bundle);
    }
    let of_distribution = of_distribution.unwrap_or_default();

    // What the folder of certificates is called without links: a file under a link's path would take the link's place.
    let layout = LAYOUTS
        .iter()
        .find(|layout| of_image(layout.sign).is_some())
        .unwrap_or(&Layout::DEBIAN);
    files.insert(
        format!("{}/ca-certificates.crt", layout.folder),
        joined(&of_distribution, own),
    );
    files.insert(
        format!("{}/{}", layout.folder, hash_name(authority.name())),
        own.to_vec(),
    );
    files.insert(ANCHOR.to_owned(), own.to_vec());
    if let Some(anchors) = layout.anchors {
        files.insert(format!("{anchors}/seatrial-door.pem"), own.to_vec());
    }

    let keystore = keystore(authority.der(), &of_distribution);
    for path in JAVA {
        // Debian's is laid also where there is no Java yet: its installation adds to what it finds, and would not find
        // the anchor, because it follows links only.
        let added_to = *path == JAVA_OF_DEBIAN && layout.folder == Layout::DEBIAN.folder;
        if added_to || of_image(path).is_some() {
            files.insert((*path).to_owned(), keystore.clone());
        }
    }
    files.insert(KEYSTORE.to_owned(), keystore);
    files
}

/// Variables that every command gets.
///
/// Java's own, `JAVA_TOOL_OPTIONS`, is not among them: every Java says on standard error that it has read it, which breaks
/// whoever reads a version from there.
pub(crate) fn environment() -> BTreeMap<String, String> {
    let java = format!("-Djavax.net.ssl.trustStore={KEYSTORE}");
    [
        // OpenSSL in its many builds, Go, Rust, Ruby, PHP, uv; curl's program.
        ("SSL_CERT_FILE", BUNDLE),
        // Python's `requests` and what is made with it: pip, Poetry, Conda, Conan.
        ("REQUESTS_CA_BUNDLE", BUNDLE),
        ("PIP_CERT", BUNDLE),
        ("GIT_SSL_CAINFO", BUNDLE),
        // Where it comes with a curl of its own.
        ("CARGO_HTTP_CAINFO", BUNDLE),
        // These are added to the lists that they bring.
        ("NODE_EXTRA_CA_CERTS", ANCHOR),
        ("DENO_CERT", ANCHOR),
        // Their Java may be one that is not of a distribution.
        ("MAVEN_OPTS", &java),
        ("GRADLE_OPTS", &java),
        ("SBT_OPTS", &java),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .collect()
}

/// A bundle with one more certificate.
fn joined(bundle: &[u8], own: &[u8]) -> Vec<u8> {
    let mut bundle = bundle.to_vec();
    if !bundle.is_empty() && !bundle.ends_with(b"\n") {
        bundle.push(b'\n');
    }
    bundle.extend(own);
    bundle
}

/// Java's keystore with what the distribution trusts and one more certificate.
fn keystore(own: &[u8], of_distribution: &[u8]) -> Vec<u8> {
    let known: Vec<_> = CertificateDer::pem_slice_iter(of_distribution)
        .filter_map(Result::ok)
        .collect();
    let mut certificates = vec![("seatrial-door".to_owned(), own)];
    certificates.extend(
        known
            .iter()
            .enumerate()
            .map(|(number, certificate)| (format!("distribution-{number}"), &**certificate)),
    );
    keystore::write(&certificates)
}

/// The name under which OpenSSL looks for a certificate in a folder: a digest of its subject in a canonical form, which
/// for a subject of one name in lower-case letters is the encoded name itself.
fn hash_name(name: &str) -> String {
    let wrapped = |tag: u8, content: &[u8]| {
        // All of it is far shorter than the 128 bytes that need a longer form.
        let mut whole = vec![tag, content.len() as u8];
        whole.extend(content);
        whole
    };
    let (set, sequence, text) = (0x31, 0x30, 0x0c);
    let mut pair = vec![0x06, 0x03, 0x55, 0x04, 0x03];
    pair.extend(wrapped(text, name.as_bytes()));
    let subject = wrapped(set, &wrapped(sequence, &pair));
    let digest = digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, &subject);
    let start = digest.as_ref().first_chunk().copied().unwrap_or_default();
    format!("{:08x}.0", u32::from_le_bytes(start))
}

#[cfg(test)]
mod tests {
    use std::{
        fmt::Write as _,
        io::Write as _,
        process::{Command, Stdio},
    };

    use super::*;

    fn authority() -> (tempfile::TempDir, Authority) {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::open(folder.path()).unwrap();
        (folder, authority)
    }

    /// What a program of this machine says of some input, if there is that program.
    fn ask(program: &str, arguments: &[&str], input: &[u8]) -> Option<String> {
        let child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut child) = child else {
            println!("skipped: `{program}` is not installed");
            return None;
        };
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{program}");
        Some(String::from_utf8(output.stdout).unwrap())
    }

    #[test]
    fn each_family_of_distributions_has_its_files() {
        let (_folder, authority) = authority();
        let families: [(&str, &[&str]); 6] = [
            ("nothing at all", &[]),
            ("Debian without", &["/etc/debian_version"]),
            (
                "Debian with Java",
                &[
                    "/etc/debian_version",
                    "/etc/ssl/certs/ca-certificates.crt",
                    "/etc/ssl/certs/java/cacerts",
                ],
            ),
            ("Alpine", &["/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem"]),
            (
                "Fedora",
                &[
                    "/etc/pki/tls/certs/ca-bundle.crt",
                    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
                ],
            ),
            (
                "openSUSE",
                &["/var/lib/ca-certificates/ca-bundle.pem", "/etc/ssl/ca-bundle.pem"],
            ),
        ];
        let mut text = String::new();
        for (family, has) in families {
            let of_image = |path: &str| has.contains(&path).then(|| b"known".to_vec());
            let files = files(&authority, &of_image);
            assert_eq!(files, super::files(&authority, &of_image), "always the same");
            writeln!(text, "{family}").unwrap();
            let hash = hash_name(authority.name());
            // In the order of the names that are shown.
            let files: BTreeMap<_, _> = files
                .into_iter()
                .map(|(path, content)| (path.replace(&hash, "HASH.0"), content))
                .collect();
            for (path, content) in files {
                let own = authority.certificate();
                let is = match String::from_utf8(content) {
                    Ok(text) if text == own => "own",
                    Ok(text) if text == format!("known\n{own}") => "known and own",
                    Ok(text) => panic!("{text}"),
                    Err(_) => "keystore",
                };
                writeln!(text, "    {path}: {is}").unwrap();
            }
        }
        expect_test::expect![[r#"
            nothing at all
                /etc/ssl/certs/HASH.0: own
                /etc/ssl/certs/ca-certificates.crt: own
                /etc/ssl/certs/java/cacerts: keystore
                /usr/local/share/ca-certificates/seatrial-door.crt: own
                /usr/local/share/seatrial/cacerts: keystore
            Debian without
                /etc/ssl/certs/HASH.0: own
                /etc/ssl/certs/ca-certificates.crt: own
                /etc/ssl/certs/java/cacerts: keystore
                /usr/local/share/ca-certificates/seatrial-door.crt: own
                /usr/local/share/seatrial/cacerts: keystore
            Debian with Java
                /etc/ssl/certs/HASH.0: own
                /etc/ssl/certs/ca-certificates.crt: known and own
                /etc/ssl/certs/java/cacerts: keystore
                /usr/local/share/ca-certificates/seatrial-door.crt: own
                /usr/local/share/seatrial/cacerts: keystore
            Alpine
                /etc/ssl/cert.pem: known and own
                /etc/ssl/certs/HASH.0: own
                /etc/ssl/certs/ca-certificates.crt: known and own
                /etc/ssl/certs/java/cacerts: keystore
                /usr/local/share/ca-certificates/seatrial-door.crt: own
                /usr/local/share/seatrial/cacerts: keystore
            Fedora
                /etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem: known and own
                /etc/pki/ca-trust/source/anchors/seatrial-door.pem: own
                /etc/pki/tls/certs/HASH.0: own
                /etc/pki/tls/certs/ca-bundle.crt: known and own
                /etc/pki/tls/certs/ca-certificates.crt: known and own
                /usr/local/share/ca-certificates/seatrial-door.crt: own
                /usr/local/share/seatrial/cacerts: keystore
            openSUSE
                /etc/pki/trust/anchors/seatrial-door.pem: own
                /etc/ssl/ca-bundle.pem: known and own
                /usr/local/share/ca-certificates/seatrial-door.crt: own
                /usr/local/share/seatrial/cacerts: keystore
                /var/lib/ca-certificates/ca-bundle.pem: known and own
                /var/lib/ca-certificates/pem/HASH.0: own
                /var/lib/ca-certificates/pem/ca-certificates.crt: known and own
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn openssl_finds_it_in_a_folder_and_likes_it() {
        let (folder, authority) = authority();
        let own = authority.certificate().as_bytes();
        let Some(hash) = ask("openssl", &["x509", "-hash", "-noout"], own) else {
            return;
        };
        assert_eq!(format!("{}.0", hash.trim()), hash_name(authority.name()));
        let path = folder.path().join("own.pem");
        fs_err::write(&path, own).unwrap();
        let told = ask(
            "openssl",
            &["verify", "-x509_strict", "-CAfile", &path.display().to_string()],
            own,
        );
        assert_eq!(told.as_deref(), Some("stdin: OK\n"));
    }

    #[test]
    fn java_reads_the_keystore() {
        let (folder, authority) = authority();
        let (_other, other) = self::authority();
        let of_image = |path: &str| (path == BUNDLE).then(|| other.certificate().as_bytes().to_vec());
        let store = files(&authority, &of_image).remove(KEYSTORE).unwrap();
        let path = folder.path().join("cacerts");
        fs_err::write(&path, store).unwrap();
        let path = path.display().to_string();
        let arguments = ["-list", "-rfc", "-keystore", &path, "-storepass", "changeit"];
        let Some(list) = ask("keytool", &arguments, b"") else {
            return;
        };
        let list = list.replace('\r', "");
        assert!(list.contains("contains 2 entries"), "{list}");
        for name in ["seatrial-door", "distribution-0"] {
            assert!(list.contains(&format!("Alias name: {name}\n")), "{list}");
        }
        for known in [authority, other] {
            assert!(list.contains(known.certificate().trim()), "{list}");
        }
    }
}
