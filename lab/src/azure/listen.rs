//! A listening socket with a thread for every connection, and a way to end all of them.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::state::hold;

/// Serves connections until it is dropped; then all of its threads have ended.
pub(crate) struct Listener {
    socket: Arc<TcpListener>,
    address: SocketAddr,
    closing: Arc<Closing>,
    connections: Arc<Mutex<Vec<Connection>>>,
    acceptor: Option<JoinHandle<()>>,
}

struct Connection {
    stream: TcpStream,
    thread: JoinHandle<()>,
}

/// Whether the listener is about to close.
#[derive(Default)]
pub(crate) struct Closing {
    begun: Mutex<bool>,
    changed: Condvar,
}

impl Closing {
    /// Sleeps, but not beyond the end of the listener.
    pub(super) fn sleep(&self, time: Duration) {
        let begun = hold(&self.begun);
        let _ = self.changed.wait_timeout_while(begun, time, |begun| !*begun);
    }

    fn begin(&self) {
        *hold(&self.begun) = true;
        self.changed.notify_all();
    }

    fn has_begun(&self) -> bool {
        *hold(&self.begun)
    }
}

impl Listener {
    /// Listens; every connection is given to `serve` on a thread of its own.
    pub(crate) fn open(
        address: SocketAddr,
        serve: impl Fn(&TcpStream, &Closing) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let socket = Arc::new(TcpListener::bind(address)?);
        let address = socket.local_addr()?;
        let closing = Arc::new(Closing::default());
        let connections = Arc::new(Mutex::new(Vec::new()));
        let acceptor = {
            let (socket, closing, connections) =
                (Arc::clone(&socket), Arc::clone(&closing), Arc::clone(&connections));
            let serve = Arc::new(serve);
            thread::Builder::new()
                .name(format!("azure {address}"))
                .spawn(move || accept(&socket, &closing, &connections, &serve))?
        };
        Ok(Self { socket, address, closing, connections, acceptor: Some(acceptor) })
    }

    /// Where it listens, with the port that was chosen.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

fn accept<S>(
    socket: &TcpListener,
    closing: &Arc<Closing>,
    connections: &Mutex<Vec<Connection>>,
    serve: &Arc<S>,
) where
    S: Fn(&TcpStream, &Closing) + Send + Sync + 'static,
{
    loop {
        let accepted = socket.accept().and_then(|(stream, _)| Ok((stream.try_clone()?, stream)));
        if closing.has_begun() {
            return;
        }
        // What fails here belongs to a client that has gone, or to a machine out of descriptors.
        let Ok((kept, stream)) = accepted else {
            closing.sleep(Duration::from_millis(10));
            continue;
        };
        let (serve, closing) = (Arc::clone(serve), Arc::clone(closing));
        let thread = thread::spawn(move || {
            serve(&stream, &closing);
            // The clone that is kept for the end would hold the connection open.
            let _ = stream.shutdown(Shutdown::Both);
        });
        let mut connections = hold(connections);
        connections.retain(|connection| !connection.thread.is_finished());
        connections.push(Connection { stream: kept, thread });
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.closing.begin();
        // On Linux this ends an `accept` that waits.
        let _ = rustix::net::shutdown(&self.socket, rustix::net::Shutdown::Both);
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
        for connection in hold(&self.connections).drain(..) {
            let _ = connection.stream.shutdown(Shutdown::Both);
            let _ = connection.thread.join();
        }
    }
}
