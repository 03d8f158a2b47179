//! A conversation over a Unix socket, in which every wait has an end.

use std::collections::VecDeque;
use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Instant;

use super::wire::{Call, HEAD, Kind, Message, rest_length};

/// The answer to an authentication is a line of some forty characters.
const LONGEST_LINE: usize = 512;

/// The manager tells about a unit in messages of a few thousand bytes.
const AT_ONCE: usize = 8192;

/// Signals that nobody asked for yet; the oldest go first.
const MOST_SIGNALS: usize = 1024;

/// Errors that mean something to callers beyond their text.
const MEANINGS: [(&str, io::ErrorKind); 5] = [
    ("org.freedesktop.systemd1.NoSuchUnit", io::ErrorKind::NotFound),
    ("org.freedesktop.DBus.Error.FileNotFound", io::ErrorKind::NotFound),
    ("org.freedesktop.DBus.Error.AccessDenied", io::ErrorKind::PermissionDenied),
    ("org.freedesktop.DBus.Error.InteractiveAuthorizationRequired", io::ErrorKind::PermissionDenied),
    ("org.freedesktop.DBus.Error.InvalidArgs", io::ErrorKind::InvalidInput),
];

#[derive(Debug)]
pub(super) struct Connection {
    stream: UnixStream,
    /// What has come and was not read yet.
    received: VecDeque<u8>,
    serial: u32,
    /// Signals that came before an answer; nothing, unless somebody listens for them.
    signals: Option<VecDeque<Message>>,
}

impl Connection {
    /// Connects and says who we are.
    pub(super) fn open(socket: &Path, deadline: Instant) -> io::Result<Self> {
        let stream = UnixStream::connect(socket)?;
        let mut connection = Self { stream, received: VecDeque::new(), serial: 0, signals: None };
        let mut greeting = String::from("\0AUTH EXTERNAL ");
        for digit in rustix::process::geteuid().as_raw().to_string().chars() {
            // The number's text in hexadecimal: `3` before each digit.
            greeting.extend(['3', digit]);
        }
        // All of it at once, before the answer. Behind its private socket, systemd 252 does not look again at a call that
        // came in the same read as BEGIN, and waits for more while we wait for an answer.
        greeting.push_str("\r\nBEGIN\r\n");
        connection.send(greeting.as_bytes(), deadline)?;
        let answer = connection.line(deadline)?;
        if !answer.starts_with("OK ") {
            let reason = format!("{} does not let us in: {}", socket.display(), answer.escape_debug());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, reason));
        }
        Ok(connection)
    }

    /// Keeps signals from now on.
    pub(super) fn listen(&mut self) {
        self.signals.get_or_insert_default();
    }

    /// Makes a call and waits for its answer.
    pub(super) fn call(&mut self, call: &Call<'_>, deadline: Instant) -> io::Result<Message> {
        let [answer] = self.calls(&[call], deadline)?;
        answer
    }

    /// Makes calls that do not depend on each other, in one go, and waits for all answers. On a busy machine it is the
    /// number of turns in a conversation that costs.
    pub(super) fn calls<const N: usize>(
        &mut self,
        calls: &[&Call<'_>; N],
        deadline: Instant,
    ) -> io::Result<[io::Result<Message>; N]> {
        let first = self.serial + 1;
        let mut bytes = Vec::new();
        for call in calls {
            self.serial += 1;
            bytes.extend(call.encode(self.serial));
        }
        self.send(&bytes, deadline)?;
        let mut answers = [const { None }; N];
        while answers.iter().any(Option::is_none) {
            let message = self.receive(deadline)?;
            if message.kind == Kind::Signal {
                if let Some(signals) = &mut self.signals {
                    if signals.len() == MOST_SIGNALS {
                        signals.pop_front();
                    }
                    signals.push_back(message);
                }
                continue;
            }
            let index = message.reply_to.checked_sub(first).and_then(|index| usize::try_from(index).ok());
            let Some(answer) = index.and_then(|index| answers.get_mut(index)) else { continue };
            match message.kind {
                Kind::Return => *answer = Some(Ok(message)),
                Kind::Error => *answer = Some(Err(refusal(&message))),
                _ => {}
            }
        }
        Ok(answers.map(|answer| answer.unwrap_or_else(|| Err(io::ErrorKind::UnexpectedEof.into()))))
    }

    /// The next signal, of those that were kept or will come.
    pub(super) fn signal(&mut self, deadline: Instant) -> io::Result<Message> {
        if let Some(signal) = self.signals.as_mut().and_then(VecDeque::pop_front) {
            return Ok(signal);
        }
        loop {
            let message = self.receive(deadline)?;
            if message.kind == Kind::Signal {
                return Ok(message);
            }
        }
    }

    /// Ends it as the other side would.
    #[cfg(test)]
    pub(super) fn close(&self) {
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
    }

    fn send(&mut self, bytes: &[u8], deadline: Instant) -> io::Result<()> {
        self.stream.set_write_timeout(Some(left(deadline)?))?;
        self.stream.write_all(bytes).map_err(plainly)
    }

    fn receive(&mut self, deadline: Instant) -> io::Result<Message> {
        let mut head = [0; HEAD];
        self.fill(&mut head, deadline)?;
        let mut rest = vec![0; rest_length(&head)?];
        self.fill(&mut rest, deadline)?;
        Message::decode(&head, &rest)
    }

    fn fill(&mut self, buffer: &mut [u8], deadline: Instant) -> io::Result<()> {
        while self.received.len() < buffer.len() {
            self.hear(deadline)?;
        }
        self.received.read_exact(buffer)
    }

    fn line(&mut self, deadline: Instant) -> io::Result<String> {
        let mut line = Vec::new();
        while !line.ends_with(b"\r\n") && line.len() < LONGEST_LINE {
            let mut byte = [0];
            self.fill(&mut byte, deadline)?;
            line.extend(byte);
        }
        Ok(String::from_utf8_lossy(&line).trim_end().to_owned())
    }

    /// Takes what the other side has sent, or waits for it.
    fn hear(&mut self, deadline: Instant) -> io::Result<()> {
        let mut buffer = [0; AT_ONCE];
        loop {
            self.stream.set_read_timeout(Some(left(deadline)?))?;
            match self.stream.read(&mut buffer) {
                Ok(0) => {
                    let reason = "the service manager closed the connection";
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, reason));
                }
                Ok(length) => {
                    self.received.extend(&buffer[..length]);
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(plainly(error)),
            }
        }
    }
}

/// The time that is left, which is never nothing: a socket would take that for all the time in the world.
fn left(deadline: Instant) -> io::Result<std::time::Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(plainly(io::ErrorKind::WouldBlock.into())) } else { Ok(left) }
}

/// A socket whose time is up says that it would block.
fn plainly(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::WouldBlock => {
            io::Error::new(io::ErrorKind::TimedOut, "the service manager did not answer in time")
        }
        _ => error,
    }
}

fn refusal(message: &Message) -> io::Error {
    let kind = MEANINGS.iter().find(|(name, _)| *name == message.error).map(|(_, kind)| *kind);
    let text = match message.explanation() {
        "" => message.error.clone(),
        text => text.to_owned(),
    };
    io::Error::new(kind.unwrap_or(io::ErrorKind::Other), text)
}
