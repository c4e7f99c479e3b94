//! The certificate authority of this machine's doors, and the leaf certificates that it signs.
//!
//! It may sign for every name, because a door stands for every host. What bounds it is where it is trusted: in boxes
//! only, whose programs never see its key.

use std::{
    collections::HashMap,
    fmt,
    io::{self, Write as _},
    net::IpAddr,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use fs_err as fs;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, PublicKeyData, date_time_ymd,
};
use rustls::{
    ServerConfig,
    crypto::CryptoProvider,
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, pem::PemObject as _},
    server::{ServerSessionMemoryCache, StoresServerSessions},
};
use seatrial_core::Digest;

use crate::EgressError;

/// Key and certificate, in one file, so that no two that do not fit are ever found.
const FILE: &str = "authority.pem";
/// Names whose certificates are kept at one time. A box that makes up more gets them, more slowly.
const NAMES: usize = 1024;
/// Sessions that clients may take up again.
const SESSIONS: usize = 4096;
const DAY: Duration = Duration::from_hours(24);
/// A leaf is valid since so long before it was made: the clock of a box may be behind.
const BEFORE: Duration = DAY.saturating_mul(3);
/// And so long after.
const AFTER: Duration = DAY.saturating_mul(14);

/// A certificate authority. Its key is readable by its owner only and never enters a box.
pub struct Authority {
    certificate: String,
    der: CertificateDer<'static>,
    name: String,
    issuer: Issuer<'static, KeyPair>,
    provider: Arc<CryptoProvider>,
    sessions: Arc<dyn StoresServerSessions>,
    leaves: Mutex<HashMap<String, Leaf>>,
}

struct Leaf {
    made: SystemTime,
    config: Arc<ServerConfig>,
}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authority")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Authority {
    /// Opens the authority that is kept in a folder, and makes one where there is none. Processes that do so at the
    /// same time get the same one.
    pub fn open(folder: &Path) -> Result<Self, EgressError> {
        let path = folder.join(FILE);
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(folder)?;
                make(&path)?;
                fs::read_to_string(&path)?
            }
            other => other?,
        };
        // A copy of a data folder may have lost it.
        if fs::metadata(&path)?.permissions().mode() & 0o077 != 0 {
            fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
        }
        Self::read(&text).map_err(|problem| EgressError::Certificate {
            what: format!("cannot use the certificate authority in {}", path.display()),
            problem: format!("{problem}; move that file away, and a new one is made"),
        })
    }

    fn read(text: &str) -> Result<Self, String> {
        let key = KeyPair::from_pem(text).map_err(|error| format!("no key: {error}"))?;
        let der =
            CertificateDer::from_pem_slice(text.as_bytes()).map_err(|error| format!("no certificate: {error:?}"))?;
        let public = key.der_bytes();
        if !der.windows(public.len()).any(|window| window == public) {
            return Err("the certificate is one of another key".to_owned());
        }
        let name = common_name(&key);
        let certificate = text
            .find("-----BEGIN CERTIFICATE-----")
            .and_then(|start| text.get(start..))
            .unwrap_or_default()
            .to_owned();
        Ok(Self {
            certificate,
            der,
            issuer: Issuer::new(params_of_authority(&name), key),
            name,
            provider: Arc::new(rustls::crypto::ring::default_provider()),
            sessions: ServerSessionMemoryCache::new(SESSIONS),
            leaves: Mutex::default(),
        })
    }

    /// Its certificate, in PEM.
    pub fn certificate(&self) -> &str {
        &self.certificate
    }

    pub(crate) fn der(&self) -> &[u8] {
        &self.der
    }

    /// The one part of its name: lower-case letters, digits and single spaces.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// How to be a server of that name: a host name or an address as text.
    pub fn server_config(&self, name: &str) -> Result<Arc<ServerConfig>, EgressError> {
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        let now = SystemTime::now();
        let leaves = || self.leaves.lock().unwrap_or_else(PoisonError::into_inner);
        // One from the future was made before the clock was set right.
        let fresh = |leaf: &Leaf| now.duration_since(leaf.made).is_ok_and(|age| age < DAY);
        if let Some(leaf) = leaves().get(&name).filter(|leaf| fresh(leaf)) {
            return Ok(Arc::clone(&leaf.config));
        }
        let config = self
            .sign(&name, now)
            .map(Arc::new)
            .map_err(|problem| EgressError::Certificate {
                what: format!("cannot make a certificate for `{}`", name.escape_debug()),
                problem,
            })?;
        let leaf = Leaf {
            made: now,
            config: Arc::clone(&config),
        };
        let mut leaves = leaves();
        if leaves.len() >= NAMES {
            leaves.clear();
        }
        leaves.insert(name, leaf);
        Ok(config)
    }

    fn sign(&self, name: &str, now: SystemTime) -> Result<ServerConfig, String> {
        if name.is_empty() || name.len() > 253 {
            return Err("a name has between 1 and 253 bytes".to_owned());
        }
        if !name.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("a name is made of printable ASCII".to_owned());
        }
        let told = |error: rcgen::Error| error.to_string();
        let mut params = CertificateParams::new([name.to_owned()]).map_err(told)?;
        let mut subject = DistinguishedName::new();
        // There is no room for longer ones, and only very old clients look here.
        if name.len() <= 64 && name.parse::<IpAddr>().is_err() {
            subject.push(DnType::CommonName, name);
        } else {
            subject.push(DnType::CommonName, "seatrial door");
        }
        params.distinguished_name = subject;
        let now = date_time_ymd(1970, 1, 1) + now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        params.not_before = now - BEFORE;
        params.not_after = now + AFTER;
        params.use_authority_key_identifier_extension = true;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        // One key for each: serial numbers are made of the key, and some clients refuse two that are equal.
        let key = KeyPair::generate().map_err(told)?;
        let certificate = params.signed_by(&key, &self.issuer).map_err(told)?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let mut config = ServerConfig::builder_with_provider(Arc::clone(&self.provider))
            .with_safe_default_protocol_versions()
            .and_then(|builder| {
                builder
                    .with_no_client_auth()
                    .with_single_cert(vec![certificate.der().clone()], key)
            })
            .map_err(|error| error.to_string())?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        config.session_storage = Arc::clone(&self.sessions);
        Ok(config)
    }
}

/// Makes an authority, unless somebody else is faster.
fn make(path: &Path) -> Result<(), EgressError> {
    let failed = |error: rcgen::Error| EgressError::Certificate {
        what: "cannot make a certificate authority".to_owned(),
        problem: error.to_string(),
    };
    let key = KeyPair::generate().map_err(failed)?;
    let certificate = params_of_authority(&common_name(&key))
        .self_signed(&key)
        .map_err(failed)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    // Temporary files are their owner's only.
    let mut file = tempfile::Builder::new().prefix(".making-").tempfile_in(folder)?;
    file.write_all(key.serialize_pem().as_bytes())?;
    file.write_all(certificate.pem().as_bytes())?;
    file.as_file().sync_data()?;
    match file.persist_noclobber(path) {
        Err(error) if error.error.kind() != io::ErrorKind::AlreadyExists => Err(error.error.into()),
        _ => Ok(fs::File::open(folder)?.sync_all()?),
    }
}

/// Names the key, so that certificates of two authorities in one store are told apart.
fn common_name(key: &KeyPair) -> String {
    format!("seatrial door {}", Digest::of(key.der_bytes()).short())
}

fn params_of_authority(name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    // The last year that all forms of a date can say. Leaves are what is short-lived here.
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(2049, 12, 31);
    params
}

#[cfg(test)]
mod tests {
    use std::thread;

    use rustls::{
        ClientConfig, ClientConnection, RootCertStore, ServerConnection,
        pki_types::{ServerName, UnixTime},
    };

    use super::*;

    /// Is wrong by some days.
    #[derive(Debug)]
    struct Clock(i64);

    impl rustls::time_provider::TimeProvider for Clock {
        fn current_time(&self) -> Option<UnixTime> {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
            let now = now.as_secs().checked_add_signed(self.0 * 24 * 60 * 60).unwrap();
            Some(UnixTime::since_unix_epoch(Duration::from_secs(now)))
        }
    }

    /// Speaks as a client that trusts the authority with a server that it has named, at some time.
    fn greet(authority: &Authority, name: &str, days: i64) -> Result<Option<Vec<u8>>, rustls::Error> {
        let mut roots = RootCertStore::empty();
        roots.add(authority.der.clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ClientConfig::builder_with_details(provider, Arc::new(Clock(days)))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let host = ServerName::try_from(name.to_owned()).unwrap();
        let mut client = ClientConnection::new(Arc::new(config), host)?;
        let mut server = ServerConnection::new(authority.server_config(name).unwrap())?;
        while client.is_handshaking() || server.is_handshaking() {
            let mut wire = Vec::new();
            client.write_tls(&mut wire).unwrap();
            server.read_tls(&mut &wire[..]).unwrap();
            server.process_new_packets()?;
            wire.clear();
            server.write_tls(&mut wire).unwrap();
            client.read_tls(&mut &wire[..]).unwrap();
            client.process_new_packets()?;
        }
        Ok(client.alpn_protocol().map(<[u8]>::to_vec))
    }

    #[test]
    fn a_client_that_trusts_it_trusts_every_name() {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::open(folder.path()).unwrap();
        let long = format!("{}.{}.example.org", "a".repeat(60), "b".repeat(60));
        for name in [
            "example.org",
            "under_score.example.org",
            "192.0.2.7",
            "2001:db8::1",
            &long,
        ] {
            assert_eq!(greet(&authority, name, 0), Ok(Some(b"http/1.1".to_vec())), "{name}");
        }
        // Clocks that are wrong by a day or two, and boxes that live on.
        for days in [-2, 2, 10] {
            assert!(greet(&authority, "example.org", days).is_ok(), "{days}");
        }
        let other = tempfile::tempdir().unwrap();
        let other = Authority::open(other.path()).unwrap();
        let mixed = Authority {
            der: other.der.clone(),
            ..Authority::open(folder.path()).unwrap()
        };
        assert!(greet(&mixed, "example.org", 0).is_err());
    }

    #[test]
    fn what_is_no_name_is_an_error_that_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::open(folder.path()).unwrap();
        let told = |name: &str| authority.server_config(name).unwrap_err().to_string();
        expect_test::expect![[r#"
            cannot make a certificate for ``: a name has between 1 and 253 bytes
            cannot make a certificate for `müll\n.example`: a name is made of printable ASCII"#]]
        .assert_eq(&[told("."), told("müll\n.example")].join("\n"));
        assert!(authority.server_config(&"a.".repeat(130)).is_err());
    }

    #[test]
    fn certificates_are_kept_and_their_number_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::open(folder.path()).unwrap();
        let first = authority.server_config("Example.org.").unwrap();
        assert!(Arc::ptr_eq(&first, &authority.server_config("example.org").unwrap()));
        for number in 0..NAMES {
            authority.server_config(&format!("{number}.example.org")).unwrap();
        }
        assert!(authority.leaves.lock().unwrap().len() <= NAMES);
    }

    #[test]
    fn all_who_open_it_at_once_get_the_same_and_only_its_owner_can_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("new");
        let names: Vec<_> = thread::scope(|scope| {
            let open = || Authority::open(&place).unwrap().certificate().to_owned();
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(
            names
                .iter()
                .all(|name| *name == names[0] && name.starts_with("-----BEGIN CERTIFICATE-----"))
        );
        assert!(!names[0].contains("KEY"));
        assert_eq!(fs::read_dir(&place).unwrap().count(), 1);
        let mode = || fs::metadata(place.join(FILE)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(), 0o600);
        fs::set_permissions(place.join(FILE), std::fs::Permissions::from_mode(0o644)).unwrap();
        let authority = Authority::open(&place).unwrap();
        assert_eq!(mode(), 0o600);
        assert!(!format!("{authority:?}").contains("KEY"));
    }

    #[test]
    fn a_damaged_one_is_named_and_never_replaced_in_silence() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let read = |folder: &tempfile::TempDir| {
            Authority::open(folder.path()).unwrap();
            fs::read_to_string(folder.path().join(FILE)).unwrap()
        };
        let (first, second) = (read(&one), read(&two));
        let certificate = |text: &str| text[text.find("-----BEGIN CERTIFICATE").unwrap()..].to_owned();
        let key = |text: &str| text[..text.find("-----BEGIN CERTIFICATE").unwrap()].to_owned();
        for damaged in [
            String::new(),
            key(&first),
            certificate(&first),
            key(&first) + &certificate(&second),
        ] {
            fs::write(one.path().join(FILE), &damaged).unwrap();
            let error = Authority::open(one.path()).unwrap_err().to_string();
            assert!(
                error.contains("authority.pem") && error.contains("move that file away"),
                "{error}"
            );
            assert_eq!(read_back(one.path()), damaged);
        }
    }

    fn read_back(folder: &Path) -> String {
        fs::read_to_string(folder.join(FILE)).unwrap()
    }
}
