//! A world of one host: a proxy behind which every name is the same small server, with a certificate of its own and a
//! repository of Git's.

use std::{
    convert::Infallible,
    io::{Read as _, Write as _},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
};

use http_body_util::{BodyExt as _, Full};
use hyper::{
    Method, Request, Response,
    body::{Bytes, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use seatrial_egress::Authority;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
    runtime::Runtime,
};
use tokio_rustls::TlsAcceptor;

/// What is at `/hello`.
pub(crate) const HELLO: &str = "a sound hull";

/// Serves until it is dropped.
pub(crate) struct Forge {
    pub(crate) proxy: String,
    /// The certificate that it is trusted by.
    pub(crate) root: String,
    _runtime: Runtime,
}

impl Forge {
    /// Serves the repositories below a folder.
    pub(crate) fn start(repositories: &Path) -> Self {
        let authority = Arc::new(Authority::open(&repositories.join("authority")).unwrap());
        let root = authority.certificate().to_owned();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let (address, listener) = runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            (listener.local_addr().unwrap(), listener)
        });
        let repositories: Arc<PathBuf> = Arc::new(repositories.to_owned());
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&authority), Arc::clone(&repositories)));
            }
        });
        Self {
            proxy: url(address),
            root,
            _runtime: runtime,
        }
    }
}

fn url(address: SocketAddr) -> String {
    format!("http://{address}")
}

async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    authority: Arc<Authority>,
    repositories: Arc<PathBuf>,
) {
    let service = service_fn(move |request: Request<Incoming>| {
        let (authority, repositories) = (Arc::clone(&authority), Arc::clone(&repositories));
        async move {
            if *request.method() == Method::CONNECT {
                tokio::spawn(serve_tunnel(request, authority, repositories));
                return Ok(Response::default());
            }
            answer(request, repositories).await
        }
    });
    // Whoever breaks off gets no more.
    drop(
        http1::Builder::new()
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades()
            .await,
    );
}

async fn serve_tunnel(request: Request<Incoming>, authority: Arc<Authority>, repositories: Arc<PathBuf>) {
    let host = request.uri().host().unwrap().to_owned();
    let stream = TokioIo::new(hyper::upgrade::on(request).await.unwrap());
    let config = authority.server_config(&host).unwrap();
    let Ok(stream) = TlsAcceptor::from(config).accept(stream).await else {
        return;
    };
    let service = service_fn(move |request| answer(request, Arc::clone(&repositories)));
    drop(
        http1::Builder::new()
            .serve_connection(TokioIo::new(stream), service)
            .await,
    );
}

async fn answer(request: Request<Incoming>, repositories: Arc<PathBuf>) -> Result<Response<Full<Bytes>>, Infallible> {
    if request.uri().path() == "/hello" {
        return Ok(Response::new(Full::from(HELLO)));
    }
    let (head, body) = request.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let said = tokio::task::spawn_blocking(move || by_git(&head, &body, &repositories));
    Ok(said.await.unwrap())
}

/// Lets Git's own server program answer, which speaks to a web server by variables and pipes.
fn by_git(head: &hyper::http::request::Parts, body: &[u8], repositories: &Path) -> Response<Full<Bytes>> {
    let header = |name: &str| {
        head.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
            .to_owned()
    };
    let mut git = Command::new("git")
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", repositories)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("REQUEST_METHOD", head.method.as_str())
        .env("PATH_INFO", head.uri.path())
        .env("QUERY_STRING", head.uri.query().unwrap_or_default())
        .env("CONTENT_TYPE", header("content-type"))
        .env("HTTP_CONTENT_ENCODING", header("content-encoding"))
        .env("GIT_PROTOCOL", header("git-protocol"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    git.stdin.take().unwrap().write_all(body).unwrap();
    let mut said = Vec::new();
    git.stdout.take().unwrap().read_to_end(&mut said).unwrap();
    git.wait().unwrap();
    let end = said.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let mut response = Response::builder();
    for line in String::from_utf8_lossy(&said[..end]).lines() {
        let (name, value) = line.split_once(": ").unwrap();
        response = match name {
            "Status" => response.status(&value[..3]),
            _ => response.header(name, value),
        };
    }
    response.body(Full::from(said.split_off(end + 4))).unwrap()
}
