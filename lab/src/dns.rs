//! The resolver of a virtual network, for the few names that a test gives it.
//!
//! It answers over UDP: an address for a known name, nothing for other kinds of questions about it, and for every other
//! name that it does not exist.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use crate::Error;
use crate::error::At as _;

const HEADER: usize = 12;
/// Of a question and of a record: the kind "address", and the class "Internet".
const ADDRESS: [u8; 4] = [0, 1, 0, 1];
const NO_SUCH_NAME: u8 = 3;
const SECONDS_TO_LIVE: u32 = 30;

/// A running resolver; it ends when this is dropped.
pub struct Dns {
    socket: Arc<UdpSocket>,
    zone: Arc<Mutex<Zone>>,
    answering: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Zone {
    addresses: BTreeMap<String, Ipv4Addr>,
    questions: Vec<String>,
}

impl Dns {
    /// Listens on an address.
    pub fn start(address: SocketAddr) -> Result<Self, Error> {
        let place = address.to_string();
        let socket = Arc::new(UdpSocket::bind(address).at("listen for questions on", Path::new(&place))?);
        let zone = Arc::<Mutex<Zone>>::default();
        let (asked, known) = (Arc::clone(&socket), Arc::clone(&zone));
        let answering = Some(thread::spawn(move || answer_all(&asked, &known)));
        Ok(Self { socket, zone, answering })
    }

    /// Gives a name an address.
    pub fn name(&self, name: &str, address: Ipv4Addr) {
        hold(&self.zone).addresses.insert(name.to_owned(), address);
    }

    /// The names that were asked for, in their order.
    pub fn questions(&self) -> Vec<String> {
        hold(&self.zone).questions.clone()
    }
}

impl Drop for Dns {
    fn drop(&mut self) {
        // On Linux this ends a `recv` that waits.
        let _ = rustix::net::shutdown(&self.socket, rustix::net::Shutdown::Both);
        if let Some(answering) = self.answering.take() {
            let _ = answering.join();
        }
    }
}

fn answer_all(socket: &UdpSocket, zone: &Mutex<Zone>) {
    let mut buffer = [0; 512];
    // A socket that was shut down gives empty datagrams, which nobody sends.
    while let Ok((length @ 1.., peer)) = socket.recv_from(&mut buffer) {
        if let Some(answer) = answer(&buffer[..length], &mut hold(zone)) {
            // Whoever has gone asks again.
            let _: io::Result<usize> = socket.send_to(&answer, peer);
        }
    }
}

/// The answer to a message with one question.
fn answer(message: &[u8], zone: &mut Zone) -> Option<Vec<u8>> {
    let (header, rest) = message.split_at_checked(HEADER)?;
    let (name, length) = name(rest)?;
    let question = rest.get(..length + ADDRESS.len())?;
    let address = zone.addresses.get(&name).copied();
    zone.questions.push(name);
    let is_address = question[length..] == ADDRESS;
    let found = address.filter(|_| is_address);
    let code = if address.is_none() { NO_SUCH_NAME } else { 0 };
    let mut answer = Vec::with_capacity(message.len() + 16);
    answer.extend(&header[..2]);
    // An answer, with authority, to the same kind of question; recursion is wanted and to be had.
    answer.extend([0x84 | (header[2] & 0x79), 0x80 | code]);
    answer.extend([0, 1, 0, u8::from(found.is_some()), 0, 0, 0, 0]);
    answer.extend(question);
    if let Some(address) = found {
        // The name is the one at the question's place.
        answer.extend([0xc0, 12]);
        answer.extend(ADDRESS);
        answer.extend(SECONDS_TO_LIVE.to_be_bytes());
        answer.extend([0, 4]);
        answer.extend(address.octets());
    }
    Some(answer)
}

/// A name with dots, in lower case, and how many octets it takes in the message.
fn name(octets: &[u8]) -> Option<(String, usize)> {
    let mut labels = Vec::new();
    let mut at = 0;
    loop {
        let length = usize::from(*octets.get(at)?);
        at += 1;
        if length == 0 {
            return Some((labels.join("."), at));
        }
        let label = octets.get(at..at + length)?;
        labels.push(String::from_utf8_lossy(label).to_ascii_lowercase());
        at += length;
    }
}

fn hold(zone: &Mutex<Zone>) -> MutexGuard<'_, Zone> {
    zone.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(kind: u8, name: &[&str]) -> Vec<u8> {
        let mut message = vec![7, 9, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        for label in name {
            message.push(u8::try_from(label.len()).unwrap());
            message.extend(label.as_bytes());
        }
        message.extend([0, 0, kind, 0, 1]);
        message
    }

    #[test]
    fn a_known_name_has_its_address_and_every_other_does_not_exist() {
        let mut zone = Zone::default();
        zone.addresses.insert("a.test".to_owned(), Ipv4Addr::new(10, 1, 2, 3));
        let found = answer(&asked(1, &["A", "test"]), &mut zone).unwrap();
        assert_eq!(found[..4], [7, 9, 0x85, 0x80]);
        assert_eq!(found[7], 1);
        assert_eq!(found[found.len() - 4..], [10, 1, 2, 3]);
        let other_kind = answer(&asked(28, &["a", "test"]), &mut zone).unwrap();
        assert_eq!((other_kind[3], other_kind[7]), (0x80, 0));
        let unknown = answer(&asked(1, &["b", "test"]), &mut zone).unwrap();
        assert_eq!((unknown[3], unknown[7]), (0x83, 0));
        assert_eq!(zone.questions, ["a.test", "a.test", "b.test"]);
    }

    #[test]
    fn what_is_no_question_has_no_answer() {
        let whole = asked(1, &["a", "test"]);
        for length in 0..whole.len() {
            assert_eq!(answer(&whole[..length], &mut Zone::default()), None, "{length}");
        }
    }
}
