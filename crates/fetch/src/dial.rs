//! From a name to a connection. Neither the resolver nor `connect` can be interrupted, so both run in threads of
//! their own, which are left behind when nobody waits for them any more.

use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::HttpError;
use crate::patience::{Patience, SLICE};

/// How long one address may keep the next one waiting: firewalls that swallow IPv6 are common.
const HEAD_START: Duration = Duration::from_millis(250);
/// How long a thread tries one address.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
const MOST_ADDRESSES: usize = 8;

pub(crate) const RESOLVING: &str = "its name was looked up";
const CONNECTING: &str = "connecting";

/// Connects to the first of a host's addresses that answers.
pub(crate) fn dial(host: &str, port: u16, patience: Patience<'_>) -> Result<TcpStream, HttpError> {
    let addresses = resolve(host, port, patience)?;
    let race = Race::new(host, port, addresses);
    let stream = race.winner(patience)?;
    // Both only cost a little time when they fail.
    let _ = stream.set_nodelay(true);
    let _ = stream.set_read_timeout(Some(SLICE)).and(stream.set_write_timeout(Some(SLICE)));
    Ok(stream)
}

fn resolve(host: &str, port: u16, patience: Patience<'_>) -> Result<Vec<SocketAddr>, HttpError> {
    if let Ok(address) = host.parse() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let unresolved =
        |problem: String| HttpError::NameUnresolved { host: host.to_owned(), problem: problem.clone() };
    let (sender, receiver) = channel();
    let name = host.to_owned();
    let found = move || (name.as_str(), port).to_socket_addrs().map(Vec::from_iter);
    spawn(move || drop(sender.send(found()))).map_err(|error| unresolved(error.to_string()))?;
    let addresses = loop {
        let slice = patience.slice().map_err(|end| HttpError::waiting(end, host, RESOLVING))?;
        match receiver.recv_timeout(slice) {
            Ok(found) => break found.map_err(|error| unresolved(error.to_string()))?,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(unresolved("the resolver died".into())),
        }
    };
    if addresses.is_empty() { Err(unresolved("it has no address".into())) } else { Ok(addresses) }
}

/// Connections to several addresses of one host, each begun a moment after the one before.
struct Race {
    name: String,
    waiting: std::vec::IntoIter<SocketAddr>,
    running: usize,
    sender: Sender<io::Result<TcpStream>>,
    receiver: Receiver<io::Result<TcpStream>>,
}

impl Race {
    fn new(host: &str, port: u16, mut addresses: Vec<SocketAddr>) -> Self {
        addresses.truncate(MOST_ADDRESSES);
        let (sender, receiver) = channel();
        Self { name: format!("{host}:{port}"), waiting: addresses.into_iter(), running: 0, sender, receiver }
    }

    fn winner(mut self, patience: Patience<'_>) -> Result<TcpStream, HttpError> {
        let mut problem = None;
        let mut next_start = Instant::now();
        loop {
            if next_start <= Instant::now() {
                problem = self.start_next().err().or(problem);
                next_start = Instant::now() + HEAD_START;
            }
            let slice = patience.slice().map_err(|end| HttpError::waiting(end, &self.name, CONNECTING))?;
            match self.receiver.recv_timeout(slice) {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) => {
                    self.running -= 1;
                    problem = Some(error);
                    next_start = Instant::now();
                }
                Err(_) => {}
            }
            if self.running == 0 && self.waiting.len() == 0 {
                return Err(self.failed(problem));
            }
        }
    }

    fn start_next(&mut self) -> io::Result<()> {
        let Some(address) = self.waiting.next() else { return Ok(()) };
        let sender = self.sender.clone();
        spawn(move || drop(sender.send(TcpStream::connect_timeout(&address, CONNECT_WITHIN))))?;
        self.running += 1;
        Ok(())
    }

    fn failed(self, problem: Option<io::Error>) -> HttpError {
        let host = self.name;
        match problem.unwrap_or_else(|| io::ErrorKind::NotConnected.into()) {
            error if error.kind() == io::ErrorKind::ConnectionRefused => HttpError::Refused { host },
            error if error.kind() == io::ErrorKind::TimedOut => HttpError::Late { host, doing: CONNECTING },
            problem => HttpError::Unreachable { host, problem },
        }
    }
}

fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name("dial".into()).stack_size(128 * 1024).spawn(work).map(drop)
}
