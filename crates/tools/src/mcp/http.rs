//! HTTP on this machine only: each request bears the token and is for a name of this machine.

use std::{
    convert::Infallible,
    net::TcpListener,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, combinators::BoxBody};
use hyper::{Request, Response, StatusCode, body::Incoming, header, service::service_fn};
use hyper_util::rt::TokioIo;
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};

use super::{McpError, face::Face};

/// Where the tools are.
const PATH: &str = "/mcp";
/// How often the stop switch is looked at.
const LOOK: Duration = Duration::from_millis(200);

pub(super) async fn serve(face: Face, listener: TcpListener, token: &str, stop: &AtomicBool) -> Result<(), McpError> {
    let io = |what| move |source| McpError::Io { what, source };
    let address = listener.local_addr().map_err(io("listen"))?;
    if !address.ip().is_loopback() {
        return Err(McpError::Protocol {
            what: address.to_string(),
            reason: "tools are served to this machine only; listen on a loopback address".to_owned(),
        });
    }
    listener.set_nonblocking(true).map_err(io("listen"))?;
    let listener = tokio::net::TcpListener::from_std(listener).map_err(io("listen"))?;
    let mut config = StreamableHttpServerConfig::default();
    config.allowed_origins = vec!["http://localhost:*".to_owned(), "http://127.0.0.1:*".to_owned()];
    let service = StreamableHttpService::new(
        move || Ok(face.clone()),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    let wanted: Arc<str> = format!("Bearer {token}").into();
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else {
                    // Out of file handles, most likely: others have to end first.
                    tokio::time::sleep(LOOK).await;
                    continue;
                };
                stream
            },
            () = tokio::time::sleep(LOOK) => {
                if stop.load(Ordering::SeqCst) {
                    return Ok(());
                }
                continue;
            }
        };
        drop(stream.set_nodelay(true));
        let (service, wanted) = (service.clone(), Arc::clone(&wanted));
        drop(tokio::spawn(async move {
            let answer = service_fn(move |request: Request<Incoming>| {
                let (service, wanted) = (service.clone(), Arc::clone(&wanted));
                async move { Ok::<_, Infallible>(answer(service, &wanted, request).await) }
            });
            let mut connection = hyper::server::conn::http1::Builder::new();
            connection.half_close(true);
            drop(connection.serve_connection(TokioIo::new(stream), answer).await);
        }));
    }
}

async fn answer(
    service: StreamableHttpService<Face, LocalSessionManager>,
    wanted: &str,
    request: Request<Incoming>,
) -> Response<BoxBody<Bytes, Infallible>> {
    let told = request
        .headers()
        .get(header::AUTHORIZATION)
        .map(header::HeaderValue::as_bytes);
    if !told.is_some_and(|told| is_same(told, wanted.as_bytes())) {
        return plain(StatusCode::UNAUTHORIZED, "the token is missing or wrong\n");
    }
    if request.uri().path() != PATH {
        return plain(StatusCode::NOT_FOUND, "the tools are at /mcp\n");
    }
    service.handle(request).await
}

fn plain(status: StatusCode, text: &'static str) -> Response<BoxBody<Bytes, Infallible>> {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *response.status_mut() = status;
    if status == StatusCode::UNAUTHORIZED {
        response
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer"));
    }
    response
}

/// Compares in a time that does not tell where the first difference is.
fn is_same(told: &[u8], wanted: &[u8]) -> bool {
    told.len() == wanted.len() && told.iter().zip(wanted).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}
