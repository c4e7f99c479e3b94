//! Where distributions keep the certificates that they trust.

/// Bundles, the most usual first.
pub(super) const BUNDLES: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/pki/tls/cert.pem",
    "/var/lib/ca-certificates/ca-bundle.pem",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ca-certificates/extracted/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// How one family of distributions keeps them.
pub(super) struct Layout {
    /// A file that tells the family.
    pub(super) sign: &'static str,
    /// The folder that `/etc/ssl/certs` is, or is a link to.
    pub(super) folder: &'static str,
    /// Where an administrator puts further ones.
    pub(super) anchors: Option<&'static str>,
}

impl Layout {
    /// Debian's, and that of whoever has no sign of another one.
    pub(super) const DEBIAN: Self = Self {
        sign: "/etc/debian_version",
        folder: "/etc/ssl/certs",
        anchors: None,
    };
}

pub(super) const LAYOUTS: &[Layout] = &[
    Layout::DEBIAN,
    // Fedora and its kin.
    Layout {
        sign: "/etc/pki/tls/certs/ca-bundle.crt",
        folder: "/etc/pki/tls/certs",
        anchors: Some("/etc/pki/ca-trust/source/anchors"),
    },
    Layout {
        sign: "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        folder: "/etc/pki/tls/certs",
        anchors: Some("/etc/pki/ca-trust/source/anchors"),
    },
    // openSUSE.
    Layout {
        sign: "/var/lib/ca-certificates/ca-bundle.pem",
        folder: "/var/lib/ca-certificates/pem",
        anchors: Some("/etc/pki/trust/anchors"),
    },
    // Arch.
    Layout {
        sign: "/etc/ca-certificates/extracted/tls-ca-bundle.pem",
        folder: "/etc/ssl/certs",
        anchors: Some("/etc/ca-certificates/trust-source/anchors"),
    },
];

/// Debian's keystore of Java.
pub(super) const JAVA_OF_DEBIAN: &str = "/etc/ssl/certs/java/cacerts";

/// Java's keystores. The path of a Java that is a link must not be here.
pub(super) const JAVA: &[&str] = &[
    JAVA_OF_DEBIAN,
    "/etc/pki/java/cacerts",
    "/etc/pki/ca-trust/extracted/java/cacerts",
    "/var/lib/ca-certificates/java-cacerts",
    // Images of builds that bring their own.
    "/opt/java/openjdk/lib/security/cacerts",
    "/opt/java/openjdk/jre/lib/security/cacerts",
    "/usr/local/openjdk-8/jre/lib/security/cacerts",
    "/usr/local/openjdk-11/lib/security/cacerts",
    "/usr/local/openjdk-17/lib/security/cacerts",
    "/usr/local/openjdk-21/lib/security/cacerts",
];
