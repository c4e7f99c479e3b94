//! Makes connections to the world: resolves, looks at the address before anything is sent, and speaks TLS.

use std::{
    future::Future,
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use hyper::{Uri, rt::ReadBufCursor};
use hyper_util::{
    client::legacy::connect::{Connected, Connection},
    rt::TokioIo,
};
use rustls::{ClientConfig, pki_types::ServerName};
use seatrial_sandbox::DOOR_HOST;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpStream, lookup_host},
    time::timeout,
};
use tokio_rustls::{TlsConnector, client::TlsStream};

use super::{
    addresses::needs,
    proxies::{Proxies, Proxy},
};
use crate::{
    policy::{Policy, Reach},
    target::{Host, Scheme, Target, parse_authority},
};

/// A connection could not be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectError {
    #[error("the name `{0}` cannot be resolved: {1}")]
    Name(Host, io::Error),
    #[error("`{host}` is at {address}, which is {place}")]
    Inner {
        host: Host,
        address: IpAddr,
        place: &'static str,
    },
    #[error("{0} cannot be reached: {1}")]
    Unreachable(String, io::Error),
    #[error("{0} does not answer")]
    Silent(String),
    #[error("no trustworthy TLS connection to {0}: {1}")]
    Tls(String, io::Error),
    #[error("TLS cannot be used: {0}")]
    NoTls(String),
    #[error("the proxy {proxy} does not lead to {target}: {answer}")]
    Proxy {
        proxy: String,
        target: String,
        answer: String,
    },
    #[error("`{0}` names no host")]
    NoHost(Uri),
}

/// Makes the connections of one door, within the reach of its policy.
#[derive(Debug, Clone)]
pub(crate) struct Connector {
    pub(crate) policy: Arc<Policy>,
    pub(crate) proxies: Arc<Proxies>,
    pub(crate) tls: Result<Arc<ClientConfig>, Arc<str>>,
    pub(crate) patience: Duration,
}

impl tower_service::Service<Uri> for Connector {
    type Response = Wire;
    type Error = ConnectError;
    type Future = Pin<Box<dyn Future<Output = Result<Wire, ConnectError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ConnectError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connector = self.clone();
        Box::pin(async move { connector.connect(uri).await })
    }
}

impl Connector {
    async fn connect(self, uri: Uri) -> Result<Wire, ConnectError> {
        let no_host = || ConnectError::NoHost(uri.clone());
        let scheme = if uri.scheme_str() == Some("https") {
            Scheme::Https
        } else {
            Scheme::Http
        };
        let authority = uri.authority().ok_or_else(no_host)?;
        let (host, port) = parse_authority(authority.as_str()).ok_or_else(no_host)?;
        let target = Target {
            scheme,
            host,
            port: port.unwrap_or(scheme.default_port()),
            path: String::new(),
        };
        let reach = self.policy.reach_of_host(&target);
        let proxy = if is_this_machine(&target.host) {
            None
        } else {
            self.proxies.of(scheme, &target.host, target.port)
        };
        let (stream, by_proxy) = match proxy {
            None => (self.dial(&target.host, target.port, reach).await?, false),
            Some(proxy) => {
                // The proxy resolves for itself. Where this machine knows the name too, its answer is looked at; where it
                // does not, the proxy is trusted to keep its own network to itself.
                match resolve(&target.host, target.port).await {
                    Ok(addresses) => drop(within(&target.host, addresses, reach)?),
                    Err(ConnectError::Name(..)) => {}
                    Err(error) => return Err(error),
                }
                // The proxy itself was named by whoever runs this, not by the box.
                let stream = self.dial(&proxy.host, proxy.port, Reach::Own).await?;
                match scheme {
                    Scheme::Http => (stream, true),
                    Scheme::Https => {
                        let tunnel = timeout(self.patience, tunnel(stream, proxy, &target));
                        (
                            tunnel
                                .await
                                .map_err(|_| ConnectError::Silent(format!("the proxy {proxy:?}")))??,
                            false,
                        )
                    }
                }
            }
        };
        match scheme {
            Scheme::Http => Ok(Wire::Plain(TokioIo::new(stream), by_proxy)),
            Scheme::Https => {
                let config = self
                    .tls
                    .clone()
                    .map_err(|problem| ConnectError::NoTls(problem.to_string()))?;
                let name = ServerName::try_from(target.host.as_str().to_owned()).map_err(|_| no_host())?;
                let shaken = timeout(self.patience, TlsConnector::from(config).connect(name, stream));
                let stream = shaken
                    .await
                    .map_err(|_| ConnectError::Silent(target.authority()))?
                    .map_err(|error| ConnectError::Tls(target.authority(), error))?;
                Ok(Wire::Tls(Box::new(TokioIo::new(stream))))
            }
        }
    }

    async fn dial(&self, host: &Host, port: u16, reach: Reach) -> Result<TcpStream, ConnectError> {
        let addresses = within(host, resolve(host, port).await?, reach)?;
        let place = || format!("{host}:{port}");
        let mut last = ConnectError::Silent(place());
        for address in addresses {
            match timeout(self.patience, TcpStream::connect((address, port))).await {
                Ok(Ok(stream)) => {
                    stream
                        .set_nodelay(true)
                        .map_err(|error| ConnectError::Unreachable(place(), error))?;
                    return Ok(stream);
                }
                Ok(Err(error)) => last = ConnectError::Unreachable(place(), error),
                Err(_) => {}
            }
        }
        Err(last)
    }
}

async fn resolve(host: &Host, port: u16) -> Result<Vec<IpAddr>, ConnectError> {
    if let Some(address) = host.address() {
        return Ok(vec![address]);
    }
    if is_this_machine(host) {
        return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
    }
    match lookup_host((host.as_str(), port)).await {
        Ok(found) => Ok(found.map(|address| address.ip()).collect()),
        Err(error) => Err(ConnectError::Name(host.clone(), error)),
    }
}

/// Whether it is the name by which boxes ask for this machine.
fn is_this_machine(host: &Host) -> bool {
    host.as_str() == DOOR_HOST
}

/// The addresses that may be connected to; when there is none, why.
fn within(host: &Host, addresses: Vec<IpAddr>, reach: Reach) -> Result<Vec<IpAddr>, ConnectError> {
    let mut inner = None;
    let mut open = Vec::with_capacity(addresses.len());
    for address in addresses {
        let needed = needs(address);
        if needed <= reach {
            open.push(address);
        } else {
            inner.get_or_insert((address, needed));
        }
    }
    match inner {
        Some((address, needed)) if open.is_empty() => Err(ConnectError::Inner {
            host: host.clone(),
            address,
            place: match needed {
                Reach::Own => "this machine itself or its own link",
                Reach::Private | Reach::Public => "a private network",
            },
        }),
        _ => Ok(open),
    }
}

/// Asks a proxy for a connection to a target.
async fn tunnel(mut stream: TcpStream, proxy: &Proxy, target: &Target) -> Result<TcpStream, ConnectError> {
    const LONGEST: usize = 16 << 10;
    let place = format!("{}:{}", target.host, target.port);
    let failed = |answer: String| ConnectError::Proxy {
        proxy: format!("{proxy:?}"),
        target: place.clone(),
        answer,
    };
    let mut request = format!("CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n").into_bytes();
    if let Some(credentials) = &proxy.credentials {
        request.extend_from_slice(b"Proxy-Authorization: ");
        request.extend_from_slice(credentials.as_bytes());
        request.extend_from_slice(b"\r\n");
    }
    request.extend_from_slice(b"\r\n");
    stream
        .write_all(&request)
        .await
        .map_err(|error| failed(error.to_string()))?;
    let mut answer = Vec::new();
    // Byte by byte, so that nothing of what follows is taken.
    while !answer.ends_with(b"\r\n\r\n") {
        let byte = stream.read_u8().await.map_err(|error| failed(error.to_string()))?;
        answer.push(byte);
        if answer.len() > LONGEST {
            return Err(failed("its answer has no end".to_owned()));
        }
    }
    let text = String::from_utf8_lossy(&answer);
    let line = text.lines().next().unwrap_or_default();
    if line.split(' ').nth(1).is_some_and(|status| status.starts_with('2')) {
        Ok(stream)
    } else {
        Err(failed(format!("it says `{line}`")))
    }
}

/// A connection to the world.
#[derive(Debug)]
pub(crate) enum Wire {
    /// As it is; whether it leads to a proxy that reads requests.
    Plain(TokioIo<TcpStream>, bool),
    Tls(Box<TokioIo<TlsStream<TcpStream>>>),
}

impl Connection for Wire {
    fn connected(&self) -> Connected {
        match self {
            Self::Plain(_, by_proxy) => Connected::new().proxy(*by_proxy),
            Self::Tls(_) => Connected::new(),
        }
    }
}

impl hyper::rt::Read for Wire {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream, _) => Pin::new(stream).poll_read(context, buffer),
            Self::Tls(stream) => Pin::new(stream.as_mut()).poll_read(context, buffer),
        }
    }
}

impl hyper::rt::Write for Wire {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream, _) => Pin::new(stream).poll_write(context, bytes),
            Self::Tls(stream) => Pin::new(stream.as_mut()).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream, _) => Pin::new(stream).poll_flush(context),
            Self::Tls(stream) => Pin::new(stream.as_mut()).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream, _) => Pin::new(stream).poll_shutdown(context),
            Self::Tls(stream) => Pin::new(stream.as_mut()).poll_shutdown(context),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Plain(stream, _) => stream.is_write_vectored(),
            Self::Tls(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream, _) => Pin::new(stream).poll_write_vectored(context, slices),
            Self::Tls(stream) => Pin::new(stream.as_mut()).poll_write_vectored(context, slices),
        }
    }
}
