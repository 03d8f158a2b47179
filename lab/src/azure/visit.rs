//! One connection: requests in, faults or answers out.

use std::io::{BufReader, Write as _};
use std::net::{IpAddr, TcpStream};

use serde_json::json;

use super::answer::{Answer, Delivery};
use super::fault::Fault;
use super::http::{self, Request, Unreadable};
use super::listen::Closing;
use super::state::{Exchange, State, hold};
use super::{Service, artifacts, host_plugin, imds, wireserver};

const GARBAGE: &[u8] = b"\x00\xff<not {anything at all\x1b[\xfe\r\n\r\n";

/// Serves a connection until its client or a fault ends it.
pub(super) fn serve(state: &State, service: Service, mut stream: &TcpStream, closing: &Closing) {
    let Ok(peer) = stream.peer_addr().map(|peer| peer.ip().to_canonical()) else { return };
    let mut reader = BufReader::new(stream);
    loop {
        let mut request = match http::read(&mut reader, &mut stream) {
            Ok(Some(request)) => request,
            Ok(None) | Err(Unreadable::Broken(_)) => return,
            Err(Unreadable::Malformed(why)) => {
                let delivery = Delivery { header_only: false, keeps_connection: false, truncated: false };
                // The client may have gone; there is nobody else to tell.
                let _ = Answer::of(400, "text/plain", why).write(&mut stream, delivery);
                return;
            }
        };
        let at = state.started.elapsed();
        let fault = hold(&state.faults).strike(service, &request);
        let answer = match &fault {
            None | Some(Fault::Slow(_) | Fault::Truncate) => Some(answer(state, service, peer, &request)),
            Some(fault) => failure(fault),
        };
        let delivery = Delivery {
            header_only: request.method == "HEAD",
            keeps_connection: request.keeps_connection && fault != Some(Fault::Truncate),
            truncated: fault == Some(Fault::Truncate),
        };
        let status = answer.as_ref().map(|answer| answer.status);
        request.body = Vec::new();
        hold(&state.exchanges).push(Exchange { service, peer, at, request, status, fault: fault.clone() });
        if let Some(Fault::Slow(time)) = fault {
            closing.sleep(time);
        }
        if fault == Some(Fault::Refuse) {
            // Dissolving the association of a connected socket resets the connection.
            let _ = rustix::net::connect_unspec(stream);
        }
        let Some(answer) = answer else { return };
        let sent = answer.write(&mut stream, delivery).and_then(|()| stream.flush());
        if sent.is_err() || !delivery.keeps_connection {
            return;
        }
    }
}

/// The answer that is a fault; `None` when the fault is that there is none.
fn failure(fault: &Fault) -> Option<Answer> {
    match fault {
        Fault::Throttle(wait) => Some(
            Answer::json(429, &json!({ "error": "Too many requests" }))
                .with("Retry-After", wait.as_secs().to_string()),
        ),
        Fault::Status(status) => Some(Answer::json(*status, &json!({ "error": "Service error" }))),
        Fault::Garbage => Some(Answer::of(200, "application/json; charset=utf-8", GARBAGE)),
        Fault::Refuse | Fault::Drop | Fault::Slow(_) | Fault::Truncate => None,
    }
}

fn answer(state: &State, service: Service, peer: IpAddr, request: &Request) -> Answer {
    match service {
        Service::Imds => imds::answer(state, peer, request),
        Service::Wireserver => wireserver::answer(state, peer, request),
        Service::HostPlugin => host_plugin::answer(state, peer, request),
        Service::Artifacts => artifacts::answer(state, request),
    }
}
