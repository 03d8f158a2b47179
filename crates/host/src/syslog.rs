//! The system's log, as `logger` writes to it.

use std::io;
use std::os::unix::net::UnixDatagram;
use std::path::Path;

use jiff::Zoned;

/// Facility user, severity notice.
const PRIORITY: u8 = 13;

/// The system's log, under one name. A machine without one has nobody to tell, which is no failure.
#[derive(Debug)]
pub struct Syslog {
    socket: Option<UnixDatagram>,
    tag: &'static str,
}

impl Syslog {
    /// Connects to `/dev/log`.
    pub fn connect(tag: &'static str) -> Self {
        Self { socket: Self::socket(Path::new("/dev/log")).ok(), tag }
    }

    fn socket(path: &Path) -> io::Result<UnixDatagram> {
        let socket = UnixDatagram::unbound()?;
        socket.connect(path)?;
        // A log that does not read must not hold up the boot.
        socket.set_nonblocking(true)?;
        Ok(socket)
    }

    /// Writes a message.
    pub fn write(&self, message: &str, now: &Zoned) {
        if let Some(socket) = &self.socket {
            let time = now.strftime("%b %e %H:%M:%S");
            let _ = socket.send(format!("<{PRIORITY}>{time} {}: {message}", self.tag).as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_priority_time_and_tag() {
        let path = std::env::temp_dir().join(format!("slipway-syslog-{}", std::process::id()));
        let daemon = UnixDatagram::bind(&path).unwrap();
        let log = Syslog { socket: Some(Syslog::socket(&path).unwrap()), tag: "launcher" };
        log.write("hello", &"2026-11-05T10:00:00+01:00[+01:00]".parse().unwrap());
        let mut buffer = [0; 100];
        let length = daemon.recv(&mut buffer).unwrap();
        assert_eq!(&buffer[..length], b"<13>Nov  5 10:00:00 launcher: hello");
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_machine_without_a_log_is_no_failure() {
        Syslog { socket: Syslog::socket(Path::new("/no/such/log")).ok(), tag: "launcher" }
            .write("hello", &Zoned::now());
    }
}
