//! The side of the door that looks at the world: connections, names, proxies and trust.

mod addresses;
mod connector;
mod proxies;

use std::{sync::Arc, time::Duration};

use hyper_util::{
    client::legacy::Client,
    rt::{TokioExecutor, TokioTimer},
};
use rustls::{
    ClientConfig,
    pki_types::{CertificateDer, pem::PemObject},
};
use rustls_platform_verifier::Verifier;

pub(crate) use self::connector::{ConnectError, Connector};
pub use self::proxies::Proxies;
use crate::body::Body;

/// Asks the world on behalf of one door.
pub(crate) type Upstream = Client<Connector, Body>;

/// The client of one door. Doors share no connections, because their policies reach differently far.
pub(crate) fn client(connector: Connector) -> Upstream {
    Client::builder(TokioExecutor::new())
        .timer(TokioTimer::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(Duration::from_secs(30))
        .pool_max_idle_per_host(16)
        .http1_title_case_headers(true)
        .set_host(false)
        .build(connector)
}

/// How to trust the world: as this machine does, and the roots that are given in PEM.
pub(crate) fn trust(extra_roots: &[u8]) -> Result<Arc<ClientConfig>, Arc<str>> {
    make(extra_roots).map_err(|problem| {
        Arc::from(format!(
            "{problem}; install the certificates of this machine's distribution (the package is often `ca-certificates`)"
        ))
    })
}

fn make(extra_roots: &[u8]) -> Result<Arc<ClientConfig>, String> {
    let roots = CertificateDer::pem_slice_iter(extra_roots)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| format!("the extra roots are no certificates: {error:?}"))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = Verifier::new_with_extra_roots(roots, Arc::clone(&provider)).map_err(|error| error.to_string())?;
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
