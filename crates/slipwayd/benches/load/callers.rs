//! Many callers, each with a connection of its own.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::running::request;

/// What callers met with.
#[derive(Default)]
pub(crate) struct Tally {
    /// Payloads.
    pub(crate) answered: u64,
    /// Answers that there is no room.
    pub(crate) refused: u64,
    /// No answer, or another one.
    pub(crate) failed: u64,
    times: Vec<Duration>,
}

impl Tally {
    fn count(&mut self, outcome: &io::Result<u16>, time: Duration) {
        match outcome {
            Ok(200) => {
                self.answered += 1;
                self.times.push(time);
            }
            Ok(503) => self.refused += 1,
            Ok(_) | Err(_) => self.failed += 1,
        }
    }

    fn add(&mut self, other: Self) {
        self.answered += other.answered;
        self.refused += other.refused;
        self.failed += other.failed;
        self.times.extend(other.times);
    }

    /// Median, 99th percentile and longest time to a payload.
    pub(crate) fn latencies(&self) -> [Duration; 3] {
        let mut times = self.times.clone();
        times.sort_unstable();
        let at = |percent: usize| {
            times.get(times.len().saturating_sub(1) * percent / 100).copied().unwrap_or_default()
        };
        [at(50), at(99), at(100)]
    }
}

/// Callers of one service.
#[derive(Clone)]
pub(crate) struct Callers {
    address: SocketAddr,
    request: Arc<Vec<u8>>,
}

/// A connection, opened when it is needed.
struct Caller {
    address: SocketAddr,
    stream: Option<TcpStream>,
    buffer: Vec<u8>,
}

impl Callers {
    pub(crate) fn new(address: SocketAddr) -> Self {
        let (path, body) = request("request-00");
        let text = format!(
            "GET {path} HTTP/1.1\r\nHost: s\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        Self { address, request: Arc::new(text.into_bytes()) }
    }

    /// So many requests per second, sent when they are due whatever became of those before. Waiting to be sent
    /// counts as time to the answer.
    pub(crate) fn at_rate(&self, rate: u32, callers: usize, time: Duration) -> Tally {
        let between = Duration::from_secs(1) / rate;
        let period = between * u32::try_from(callers).unwrap();
        self.run(callers, move |callers, at| async move {
            let mut tally = Tally::default();
            let mut caller = Caller::new(callers.address);
            let start = Instant::now() + between * u32::try_from(at).unwrap();
            let mut due = start;
            while due < start + time {
                sleep_until(due).await;
                let outcome = caller.ask(&callers.request).await;
                tally.count(&outcome, due.elapsed());
                due += period;
            }
            tally
        })
    }

    /// As fast as answers come. A caller that gets none waits for a moment, and comes again.
    pub(crate) fn at_full_speed(&self, callers: usize, time: Duration) -> Tally {
        self.run(callers, move |callers, _| async move {
            let mut tally = Tally::default();
            let mut caller = Caller::new(callers.address);
            let end = Instant::now() + time;
            while Instant::now() < end {
                let asked = Instant::now();
                let outcome = caller.ask(&callers.request).await;
                tally.count(&outcome, asked.elapsed());
                match outcome {
                    Ok(200) => {}
                    Ok(_) => sleep(Duration::from_millis(100)).await,
                    Err(_) => sleep(Duration::from_millis(10)).await,
                }
            }
            tally
        })
    }

    /// The same, while something else goes on. Failures are to be expected.
    pub(crate) fn in_background(&self, callers: usize, time: Duration) -> JoinHandle<Tally> {
        let this = self.clone();
        std::thread::spawn(move || this.at_full_speed(callers, time))
    }

    /// Whether a request is answered now.
    pub(crate) fn once(&self) -> bool {
        let mut caller = Caller::new(self.address);
        runtime().block_on(async { matches!(caller.ask(&self.request).await, Ok(200)) })
    }

    fn run<W, F>(&self, callers: usize, work: W) -> Tally
    where
        W: Fn(Self, usize) -> F,
        F: Future<Output = Tally> + Send + 'static,
    {
        runtime().block_on(async {
            let running: Vec<_> = (0..callers).map(|at| tokio::spawn(work(self.clone(), at))).collect();
            let mut tally = Tally::default();
            for caller in running {
                tally.add(caller.await.unwrap());
            }
            tally
        })
    }
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

impl Caller {
    fn new(address: SocketAddr) -> Self {
        Self { address, stream: None, buffer: Vec::with_capacity(32 * 1024) }
    }

    async fn ask(&mut self, request: &[u8]) -> io::Result<u16> {
        let asked = timeout(Duration::from_secs(10), self.exchange(request)).await;
        let outcome = asked.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        if !matches!(outcome, Ok((_, true))) {
            self.stream = None;
        }
        outcome.map(|(status, _)| status)
    }

    /// The status, and whether the connection may be used again.
    async fn exchange(&mut self, request: &[u8]) -> io::Result<(u16, bool)> {
        if self.stream.is_none() {
            let stream = TcpStream::connect(self.address).await?;
            stream.set_nodelay(true)?;
            self.stream = Some(stream);
        }
        let stream = self.stream.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        // A service that refuses may have closed already; its answer is there all the same.
        let _ = stream.write_all(request).await;
        self.buffer.clear();
        loop {
            if let Some(answer) = complete(&self.buffer) {
                return Ok(answer);
            }
            if stream.read_buf(&mut self.buffer).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
}

/// What a whole answer says.
fn complete(bytes: &[u8]) -> Option<(u16, bool)> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let header = std::str::from_utf8(&bytes[..end]).ok()?;
    let field = |name: &str| header.lines().find_map(|line| line.strip_prefix(name));
    let length: usize = field("content-length: ")?.parse().ok()?;
    let status = header.split(' ').nth(1)?.parse().ok()?;
    (bytes.len() >= end + 4 + length).then(|| (status, field("connection: close").is_none()))
}
