//! A connection that does not wait for ever: idle between requests, half-sent headers and readers that do not read.

use std::future::Future as _;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// How long a connection may keep the service waiting.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    /// Between requests. Longer than the 90 seconds for which Go's clients keep connections, so that it is they who
    /// close: a request that meets a close is a failed launch there.
    pub(crate) idle: Duration,
    /// From the first byte of a header to its last.
    pub(crate) header: Duration,
    /// For the peer to take what is written.
    pub(crate) write: Duration,
}

/// What the peer is expected to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Phase {
    /// Nothing: no byte of a next request has come.
    Idle,
    /// Finish the header that it began.
    Header,
    /// Wait for an answer; bodies have a limit of their own.
    Serving,
}

/// The phase of a connection, told by whoever serves its requests.
#[derive(Clone)]
pub(crate) struct Progress(Arc<AtomicU8>);

impl Progress {
    /// A header is complete.
    pub(crate) fn serving(&self) {
        self.0.store(Phase::Serving as u8, Ordering::Relaxed);
    }

    /// The answer is ready; the next request may come.
    pub(crate) fn answered(&self) {
        self.0.store(Phase::Idle as u8, Ordering::Relaxed);
    }

    /// Whether a header was begun and not finished.
    pub(crate) fn in_header(&self) -> bool {
        self.0.load(Ordering::Relaxed) == Phase::Header as u8
    }

    fn header_began(&self) -> bool {
        self.0
            .compare_exchange(Phase::Idle as u8, Phase::Header as u8, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
    }

    fn is_serving(&self) -> bool {
        self.0.load(Ordering::Relaxed) == Phase::Serving as u8
    }
}

/// A stream under a [`Pace`].
pub(crate) struct Paced<S> {
    stream: S,
    pace: Pace,
    progress: Progress,
    reading: Option<Pin<Box<Sleep>>>,
    writing: Option<Pin<Box<Sleep>>>,
}

impl<S> Paced<S> {
    /// Begins idle.
    pub(crate) fn new(stream: S, pace: Pace) -> Self {
        let progress = Progress(Arc::new(AtomicU8::new(Phase::Idle as u8)));
        Self { stream, pace, progress, reading: None, writing: None }
    }

    /// Where to tell how requests are coming along.
    pub(crate) fn progress(&self) -> Progress {
        self.progress.clone()
    }

    /// The stream itself, without limits.
    pub(crate) fn into_inner(self) -> S {
        self.stream
    }
}

/// Waits for at most `limit`, counted from the first time that it is asked.
fn expired(timer: &mut Option<Pin<Box<Sleep>>>, limit: Duration, context: &mut Context<'_>) -> Poll<()> {
    timer.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + limit))).as_mut().poll(context)
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if let Poll::Ready(read) = Pin::new(&mut this.stream).poll_read(context, into) {
            // The time for a header runs from its first byte on, however slowly the others come.
            if this.progress.header_began() || this.progress.is_serving() {
                this.reading = None;
            }
            return Poll::Ready(read);
        }
        if this.progress.is_serving() {
            this.reading = None;
            return Poll::Pending;
        }
        let limit = if this.progress.in_header() { this.pace.header } else { this.pace.idle };
        ready!(expired(&mut this.reading, limit, context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncWrite + Unpin> Paced<S> {
    fn written<T>(&mut self, outcome: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.writing = None;
            return outcome;
        }
        ready!(expired(&mut self.writing, self.pace.write, context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.written(outcome, context)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_write_vectored(context, slices);
        this.written(outcome, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_flush(context);
        this.written(outcome, context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_shutdown(context);
        this.written(outcome, context)
    }
}
