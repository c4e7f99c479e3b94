//! One connection of a box: what is spoken on it, TLS or not, and tunnels within it.

use std::{
    convert::Infallible,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use hyper::{Method, Request, Response, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf},
    sync::OwnedSemaphorePermit,
    time::timeout,
};
use tokio_rustls::LazyConfigAcceptor;

use crate::{
    body::{Body, empty},
    event::DoorEvent,
    exchange::{Inner, Way, answer, causes, malformed},
    target::{Host, Scheme, parse_authority},
};

/// Keeps a connection's place among those that a box may have, as long as anything of it is left.
type Place = Arc<OwnedSemaphorePermit>;

/// What TLS begins with.
const HANDSHAKE: u8 = 0x16;

/// Serves a connection to its end, or until the door closes.
pub(crate) async fn serve<S>(door: Arc<Inner>, stream: S, way: Way, place: Place)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut closing = door.closing.clone();
    tokio::select! {
        biased;
        _ = closing.wait_for(|closed| *closed) => {}
        outcome = look(&door, stream, &way, &place) => {
            if let Err(reason) = outcome {
                door.tell(DoorEvent::Unintelligible { port: way.port, reason });
            }
        }
    }
}

/// Looks at the first byte and speaks what the client speaks.
async fn look<S>(door: &Arc<Inner>, mut stream: S, way: &Way, place: &Place) -> Result<(), String>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut first = [0];
    match timeout(door.limits.head, stream.read(&mut first)).await {
        // A connection that is opened and closed is a look whether anybody is there.
        Ok(Ok(0) | Err(_)) => return Ok(()),
        Err(_) => return Err(format!("nothing was said for {} s", door.limits.head.as_secs())),
        Ok(Ok(_)) => {}
    }
    let stream = Begun {
        first: Some(first[0]),
        rest: stream,
    };
    if first[0] != HANDSHAKE {
        return speak(door, stream, way.clone(), place).await;
    }
    if way.scheme == Scheme::Https {
        return Err("TLS within TLS".to_owned());
    }
    let hello = timeout(
        door.limits.head,
        LazyConfigAcceptor::new(rustls::server::Acceptor::default(), stream),
    );
    let hello = hello
        .await
        .map_err(|_| "the start of TLS did not come".to_owned())?
        .map_err(|error| format!("TLS did not begin: {error}"))?;
    let name = hello.client_hello().server_name().map(str::to_owned);
    let named = match name {
        None => None,
        Some(name) => Some(Host::parse(&name).ok_or_else(|| format!("TLS for `{name}`, which is no host"))?),
    };
    let pinned = match (&way.pinned, named) {
        (Some((tunnel, _)), Some(named)) if named != *tunnel => {
            return Err(format!("a tunnel to `{tunnel}` with TLS for `{named}` in it"));
        }
        (Some(pinned), _) => Some(pinned.clone()),
        (None, Some(named)) => Some((named, "the TLS connection")),
        (None, None) => None,
    };
    let subject = pinned.as_ref().map_or_else(
        || seatrial_sandbox::DOOR_ADDRESS.to_string(),
        |(host, _)| host.as_str().to_owned(),
    );
    let config = door
        .authority
        .server_config(&subject)
        .map_err(|error| error.to_string())?;
    let stream = timeout(door.limits.head, hello.into_stream(config));
    let stream = stream
        .await
        .map_err(|_| format!("the handshake of TLS for `{subject}` did not end"))?
        .map_err(|error| {
            format!("no TLS for `{subject}`: {error} (a client that does not trust the door's certificate ends here)")
        })?;
    let way = Way {
        scheme: Scheme::Https,
        pinned,
        ..way.clone()
    };
    speak(door, stream, way, place).await
}

/// Speaks HTTP.
async fn speak<S>(door: &Arc<Inner>, stream: S, way: Way, place: &Place) -> Result<(), String>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(|request: Request<Incoming>| {
        let (door, way, place) = (Arc::clone(door), way.clone(), Arc::clone(place));
        async move {
            let response = if *request.method() == Method::CONNECT {
                tunnel(&door, &way, request, place)
            } else {
                answer(&door, &way, request).await
            };
            Ok::<_, Infallible>(response)
        }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(door.limits.head)
        .max_buf_size(door.limits.head_bytes)
        .max_headers(256)
        .title_case_headers(true)
        .auto_date_header(false)
        .half_close(true)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades()
        .await;
    match served {
        // Everything else is a client that went away, or an answer that broke off, which was told where it happened.
        Err(error) if error.is_parse() || error.is_parse_too_large() => Err(causes(&error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Opens a tunnel that leads to this door again: what goes through it is looked at as everything else is.
fn tunnel(door: &Arc<Inner>, way: &Way, request: Request<Incoming>, place: Place) -> Response<Body> {
    let authority = request
        .uri()
        .authority()
        .map_or("", |authority| authority.as_str())
        .to_owned();
    let Some((host, Some(port))) = parse_authority(&authority) else {
        return malformed(
            door,
            way.port,
            &format!("`{authority}` is no host and port to be connected to"),
        );
    };
    if way.tunnelled {
        return malformed(door, way.port, "a tunnel within a tunnel");
    }
    let way = Way {
        scheme: Scheme::Http,
        port,
        pinned: Some((host, "the tunnel")),
        tunnelled: true,
    };
    let door = Arc::clone(door);
    drop(tokio::spawn(async move {
        if let Ok(stream) = hyper::upgrade::on(request).await {
            // Boxed, because a tunnel is served as connections are, of which this is part.
            let served: Pin<Box<dyn Future<Output = ()> + Send>> =
                Box::pin(serve(door, TokioIo::new(stream), way, place));
            served.await;
        }
    }));
    Response::new(empty())
}

/// A stream of which one byte was read.
struct Begun<S> {
    first: Option<u8>,
    rest: S,
}

impl<S: AsyncRead + Unpin> AsyncRead for Begun<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if buffer.remaining() > 0
            && let Some(first) = self.first.take()
        {
            buffer.put_slice(&[first]);
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.rest).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Begun<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.rest).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.rest).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.rest).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.rest.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.rest).poll_write_vectored(context, slices)
    }
}
