//! A mirror of what makers publish, on this machine, that fails as it is told.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What becomes of a request.
#[derive(Clone, Copy)]
pub enum Manner {
    Serve,
    /// The right answer, later.
    Late(Duration),
    /// This status, and how many seconds to wait.
    Status(u16, Option<u64>),
    /// So many bytes of what is promised, then the end of the connection.
    Cut(usize),
    /// Something else, of the same length.
    Other,
}

/// A request for a file: its path, where it is to begin, and whether a password came with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub path: String,
    pub from: usize,
    pub authorization: Option<String>,
}

/// How requests are answered: by what is asked for and how often the same was asked before.
type Manners = dyn Fn(&Asked, usize) -> Manner + Send + Sync;

/// A running mirror. Its threads end with the program.
pub struct Mirror {
    pub address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Mirror {
    /// Serves these files by their paths.
    pub fn open(
        files: BTreeMap<String, Vec<u8>>,
        manners: impl Fn(&Asked, usize) -> Manner + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (seen, files, manners) = (Arc::clone(&asked), Arc::new(files), Arc::new(manners));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, files, manners) = (Arc::clone(&seen), Arc::clone(&files), Arc::clone(&manners));
                thread::spawn(move || answer(stream, &files, &*manners, &seen));
            }
        });
        Self { address, asked }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn answer(
    mut stream: TcpStream,
    files: &BTreeMap<String, Vec<u8>>,
    manners: &Manners,
    seen: &Mutex<Vec<Asked>>,
) {
    let Some(asked) = receive(&stream) else { return };
    let before = {
        let mut seen = seen.lock().unwrap();
        let before = seen.iter().filter(|other| other.path == asked.path).count();
        seen.push(asked.clone());
        before
    };
    let file = files.get(&asked.path).map(Vec::as_slice);
    let (status, file) = file.map_or((404, &b"there is no such file"[..]), |file| (200, file));
    let (mut status, mut body, mut most, mut fields) = (status, file.to_vec(), usize::MAX, String::new());
    match manners(&asked, before) {
        Manner::Serve => {}
        Manner::Late(time) => thread::sleep(time),
        Manner::Status(other, after) => {
            (status, body) = (other, b"not now".to_vec());
            fields = after.map(|seconds| format!("Retry-After: {seconds}\r\n")).unwrap_or_default();
        }
        Manner::Cut(length) => most = length,
        Manner::Other => body = vec![b'x'; body.len()],
    }
    let from = if status == 200 { asked.from.min(body.len()) } else { 0 };
    if from > 0 {
        status = 206;
        fields.push_str(&format!("Content-Range: bytes {from}-{}/{}\r\n", body.len() - 1, body.len()));
    }
    let body = &body[from..];
    let head =
        format!("HTTP/1.1 {status} So\r\nETag: \"one\"\r\nContent-Length: {}\r\n{fields}\r\n", body.len());
    // The client may have gone; that is its right.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body[..body.len().min(most)]));
}

fn receive(stream: &TcpStream) -> Option<Asked> {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let mut asked = Asked { path, from: 0, authorization: None };
    for line in lines.take_while(|line| !line.is_empty()) {
        match line.split_once(": ") {
            Some(("Range", range)) => {
                asked.from = range.trim_start_matches("bytes=").trim_end_matches('-').parse().ok()?;
            }
            Some(("Authorization", value)) => asked.authorization = Some(value.to_owned()),
            _ => {}
        }
    }
    Some(asked)
}
