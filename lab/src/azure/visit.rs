//! One connection: requests in, faults or answers out.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{IpAddr, TcpStream};

use serde_json::{Value, json};

use super::Service;
use super::answer::{Answer, Delivery};
use super::arm::refusal;
use super::fault::Fault;
use super::http::{self, Request, Unreadable};
use super::listen::Closing;
use super::state::{Exchange, State, hold};

const GARBAGE: &[u8] = b"\x00\xff<not {anything at all\x1b[\xfe\r\n\r\n";

/// A connection as a service sees it.
pub(super) struct Visit<'a> {
    pub(super) state: &'a State,
    pub(super) service: Service,
    pub(super) stream: &'a TcpStream,
    pub(super) closing: &'a Closing,
}

impl Visit<'_> {
    /// Serves the connection until its client or a fault ends it.
    pub(super) fn serve(&self, answer: impl Fn(IpAddr, &Request) -> Answer) {
        let Ok(peer) = self.stream.peer_addr().map(|peer| peer.ip().to_canonical()) else { return };
        let answer = |request: &Request| answer(peer, request);
        if self.service.has_tls() {
            if let Ok(session) = self.state.tls.accept(self.stream) {
                self.talk(peer, Wire(BufReader::new(session)), answer);
            }
        } else {
            self.talk(peer, Wire(BufReader::new(self.stream)), answer);
        }
    }

    fn talk<S: Read + Write>(&self, peer: IpAddr, mut wire: Wire<S>, answer: impl Fn(&Request) -> Answer) {
        let Self { state, service, .. } = *self;
        loop {
            let mut request = match http::read(&mut wire) {
                Ok(Some(request)) => request,
                Ok(None) | Err(Unreadable::Broken(_)) => return,
                Err(Unreadable::Malformed(why)) => {
                    let delivery = Delivery { header_only: false, keeps_connection: false, truncated: false };
                    // The client may have gone; there is nobody else to tell.
                    let _ = Answer::of(400, "text/plain", why).write(&mut wire, delivery);
                    return;
                }
            };
            let at = state.started.elapsed();
            let fault = hold(&state.faults).strike(service, &request);
            let answer = match &fault {
                None | Some(Fault::Slow(_) | Fault::Truncate) => Some(answer(&request)),
                Some(fault) => failure(service, fault),
            };
            let delivery = Delivery {
                header_only: request.method == "HEAD",
                keeps_connection: request.keeps_connection && fault != Some(Fault::Truncate),
                truncated: fault == Some(Fault::Truncate),
            };
            let status = answer.as_ref().map(|answer| answer.status);
            request.body = Vec::new();
            hold(&state.exchanges).push(Exchange {
                service,
                peer,
                at,
                request,
                status,
                fault: fault.clone(),
            });
            if let Some(Fault::Slow(time)) = fault {
                self.closing.sleep(time);
            }
            if fault == Some(Fault::Refuse) {
                // Dissolving the association of a connected socket resets the connection.
                let _ = rustix::net::connect_unspec(self.stream);
            }
            let Some(answer) = answer else { return };
            let sent = answer.write(&mut wire, delivery).and_then(|()| wire.flush());
            if sent.is_err() || !delivery.keeps_connection {
                return;
            }
        }
    }
}

/// Both directions of a connection, the incoming one buffered.
struct Wire<S: Read>(BufReader<S>);

impl<S: Read> Read for Wire<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl<S: Read> BufRead for Wire<S> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.0.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.0.consume(count);
    }
}

impl<S: Read + Write> Write for Wire<S> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.0.get_mut().write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.get_mut().flush()
    }
}

/// The answer that is a fault; `None` when the fault is that there is none.
fn failure(service: Service, fault: &Fault) -> Option<Answer> {
    match fault {
        Fault::Throttle(wait) => Some(
            Answer::json(429, &complaint(service, 429, "Too many requests"))
                .with("Retry-After", wait.as_secs().to_string()),
        ),
        Fault::Status(status) => Some(Answer::json(*status, &complaint(service, *status, "Service error"))),
        Fault::Garbage => Some(Answer::of(200, "application/json; charset=utf-8", GARBAGE)),
        Fault::Refuse | Fault::Drop | Fault::Slow(_) | Fault::Truncate => None,
    }
}

/// A complaint in the shape that a service gives it.
fn complaint(service: Service, status: u16, words: &str) -> Value {
    match service {
        Service::Arm => refusal::body(refusal::usual_code(status), words),
        Service::Entra => json!({ "error": "temporarily_unavailable", "error_description": words }),
        _ => json!({ "error": words }),
    }
}
