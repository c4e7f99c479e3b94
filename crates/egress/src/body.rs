//! Bodies: texts of the door's own, and what is passed on with a watch on it.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use http_body_util::{BodyExt, Empty, Full, combinators::UnsyncBoxBody};
use hyper::body::{Body as HttpBody, Bytes, Frame, Incoming, SizeHint};
use tokio::{
    sync::mpsc,
    time::{Instant, Sleep, sleep},
};

/// Any body that the door sends.
pub(crate) type Body = UnsyncBoxBody<Bytes, BodyError>;

/// Why a body broke off.
pub(crate) type BodyError = Box<dyn std::error::Error + Send + Sync>;

/// A body without bytes.
pub(crate) fn empty() -> Body {
    Empty::new().map_err(|never| match never {}).boxed_unsync()
}

/// A body that is all there.
pub(crate) fn full(bytes: impl Into<Bytes>) -> Body {
    Full::new(bytes.into()).map_err(|never| match never {}).boxed_unsync()
}

/// A body as it comes in.
pub(crate) fn incoming(body: Incoming) -> Body {
    if body.is_end_stream() {
        return empty();
    }
    body.map_err(Into::into).boxed_unsync()
}

/// What became of a body that was passed on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Passage {
    pub(crate) bytes: u64,
    pub(crate) whole: bool,
}

/// A body that breaks off when nothing comes for too long, and tells how it ended.
pub(crate) struct Watched<F: FnOnce(Passage) + Send + 'static> {
    inner: Incoming,
    patience: Duration,
    alarm: Pin<Box<Sleep>>,
    waiting: bool,
    bytes: u64,
    whole: bool,
    told: Option<F>,
}

impl<F: FnOnce(Passage) + Send + 'static> Watched<F> {
    pub(crate) fn new(inner: Incoming, patience: Duration, told: F) -> Self {
        let whole = inner.is_end_stream();
        Self {
            inner,
            patience,
            alarm: Box::pin(sleep(patience)),
            waiting: false,
            bytes: 0,
            whole,
            told: Some(told),
        }
    }
}

impl<F: FnOnce(Passage) + Send + 'static> Unpin for Watched<F> {}

impl<F: FnOnce(Passage) + Send + 'static> HttpBody for Watched<F> {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let this = self.get_mut();
        let Poll::Ready(frame) = Pin::new(&mut this.inner).poll_frame(context) else {
            if !this.waiting {
                this.waiting = true;
                this.alarm.as_mut().reset(Instant::now() + this.patience);
            }
            return this.alarm.as_mut().poll(context).map(|()| {
                let seconds = this.patience.as_secs();
                Some(Err(format!("nothing came for {seconds} s").into()))
            });
        };
        this.waiting = false;
        if let Some(Ok(frame)) = &frame {
            this.bytes += frame.data_ref().map_or(0, |data| data.len() as u64);
        }
        this.whole = frame.is_none() || this.inner.is_end_stream();
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl<F: FnOnce(Passage) + Send + 'static> Drop for Watched<F> {
    fn drop(&mut self) {
        if let Some(told) = self.told.take() {
            told(Passage {
                bytes: self.bytes,
                whole: self.whole,
            });
        }
    }
}

/// A part of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    /// Bytes to leave out before it.
    pub(crate) skip: u64,
    /// Bytes of it.
    pub(crate) take: u64,
}

impl Window {
    /// What of the next bytes is in it.
    pub(crate) fn cut(&mut self, mut bytes: Bytes) -> Bytes {
        let before = self.skip.min(bytes.len() as u64);
        self.skip -= before;
        drop(bytes.split_to(before as usize));
        bytes.truncate(self.take.min(bytes.len() as u64) as usize);
        self.take -= bytes.len() as u64;
        bytes
    }
}

/// A body that another task sends. Its length, where it is known, stands in the headers.
pub(crate) struct Piped(mpsc::Receiver<Result<Frame<Bytes>, BodyError>>);

impl Piped {
    /// A body and the end to send it by.
    pub(crate) fn new() -> (mpsc::Sender<Result<Frame<Bytes>, BodyError>>, Self) {
        let (sender, frames) = mpsc::channel(16);
        (sender, Self(frames))
    }
}

impl HttpBody for Piped {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        self.0.poll_recv(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_cut_out_wherever_the_pieces_end() {
        let whole: Vec<u8> = (0..100).collect();
        for size in [1, 3, 7, 50, 100] {
            for (skip, take) in [(0, 0), (0, 100), (10, 5), (99, 1), (49, 2)] {
                let mut window = Window { skip, take };
                let cut: Vec<u8> = whole
                    .chunks(size)
                    .flat_map(|piece| window.cut(Bytes::copy_from_slice(piece)))
                    .collect();
                assert_eq!(
                    cut,
                    whole[skip as usize..(skip + take) as usize],
                    "{size} {skip} {take}"
                );
            }
        }
    }
}
