//! An instance metadata service.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// The running service. Its thread ends with the test program.
pub struct Metadata {
    pub address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Metadata {
    /// Answers the nth connection with the nth of these; the last one serves for all that follow. An answer is sent
    /// in pieces with a pause before each.
    pub fn start(answers: Vec<Vec<(Duration, String)>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        thread::spawn(move || {
            for (count, stream) in listener.incoming().enumerate() {
                let mut stream = stream.unwrap();
                let mut request = Vec::new();
                let mut piece = [0; 1024];
                while !request.ends_with(b"\r\n\r\n") {
                    let length = stream.read(&mut piece).unwrap();
                    request.extend_from_slice(&piece[..length]);
                }
                kept.lock().unwrap().push(String::from_utf8(request).unwrap());
                for (pause, piece) in &answers[count.min(answers.len() - 1)] {
                    thread::sleep(*pause);
                    if stream.write_all(piece.as_bytes()).is_err() {
                        break;
                    }
                }
            }
        });
        Self { address, requests }
    }

    /// Answers every request with this.
    pub fn answering(answer: impl Into<String>) -> Self {
        Self::start(vec![vec![(Duration::ZERO, answer.into())]])
    }

    /// A service that gives every machine the same document.
    pub fn attesting(signature: &str) -> Self {
        Self::answering(json(&format!(r#"{{"encoding":"pkcs7","signature":"{signature}"}}"#)))
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// An answer with status 200 and this body.
pub fn json(body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}
