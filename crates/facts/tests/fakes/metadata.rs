use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::thread;
use std::time::Duration;

/// A metadata service on this machine. Its thread ends with the test program.
pub struct Metadata;

impl Metadata {
    /// Answers the nth request with the nth of these after a pause; the last one serves for all that follow.
    pub fn start(answers: Vec<String>, pause: Duration) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            for (count, stream) in listener.incoming().enumerate() {
                let mut stream = stream.unwrap();
                let mut request = [0; 4096];
                let _ = stream.read(&mut request);
                thread::sleep(pause);
                let _ = stream.write_all(answers[count.min(answers.len() - 1)].as_bytes());
            }
        });
        address
    }
}

pub fn with_body(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

pub fn status(words: &str) -> String {
    format!("HTTP/1.1 {words}\r\nContent-Length: 0\r\n\r\n")
}
