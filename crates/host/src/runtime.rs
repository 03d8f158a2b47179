//! The container runtime, asked over its socket in the language that kubelet speaks with it (CRI).

use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use slipway_grpc::{CallError, Request, Wire, protobuf, unary};

use crate::host::Pod;

/// How long one answer may take: ending a pod includes taking its network down.
const PATIENCE: Duration = Duration::from_mins(1);

const SERVICE: &str = "/runtime.v1.RuntimeService";

/// The numbers of fields in CRI's messages.
const ITEMS: u64 = 1;
const ID: u64 = 1;
const METADATA: u64 = 2;
const NAME: u64 = 1;
const NAMESPACE: u64 = 3;

/// All pods, running or not.
pub(crate) fn pods(socket: &Path) -> io::Result<Vec<Pod>> {
    read(&call(socket, SERVICE, "ListPodSandbox", &[])?)
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the runtime's list of pods is unreadable"))
}

/// Ends a pod, takes its network down and forgets it. A pod that is gone already is well.
pub(crate) fn remove(socket: &Path, pod: &Pod) -> io::Result<()> {
    let mut message = Vec::new();
    protobuf::put(&mut message, ID, pod.id.as_bytes());
    call(socket, SERVICE, "StopPodSandbox", &message)?;
    call(socket, SERVICE, "RemovePodSandbox", &message).map(drop)
}

/// Asks one of the runtime's services.
pub(crate) fn call(socket: &Path, service: &str, method: &str, message: &[u8]) -> io::Result<Vec<u8>> {
    let stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let method = format!("{service}/{method}");
    let request = Request {
        scheme: "http",
        authority: "localhost",
        method: &method,
        within: PATIENCE,
        credential: None,
        message,
    };
    unary(Socket(stream), &request).map_err(|error| match error {
        CallError::Wire(error) => error,
        CallError::Protocol(problem) => io::Error::other(problem),
        CallError::Status(status) => io::Error::other(status.message),
    })
}

struct Socket(UnixStream);

impl Wire for Socket {
    type Error = io::Error;

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    fn receive(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes)
    }
}

fn read(answer: &[u8]) -> Option<Vec<Pod>> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
    let field = |fields: &[(u64, &[u8])], wanted: u64| {
        fields.iter().find(|(number, _)| *number == wanted).map_or(Some(String::new()), |(_, it)| text(it))
    };
    let pod = |message: &[u8]| {
        let fields = protobuf::fields(message)?;
        let metadata = fields.iter().find(|(number, _)| *number == METADATA);
        let metadata = protobuf::fields(metadata.map_or(&[][..], |(_, message)| message))?;
        let name = format!("{}/{}", field(&metadata, NAMESPACE)?, field(&metadata, NAME)?);
        Some(Pod { id: field(&fields, ID)?, name })
    };
    let items = protobuf::fields(answer)?;
    items.into_iter().filter(|(number, _)| *number == ITEMS).map(|(_, message)| pod(message)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(fields: &[(u64, &[u8])]) -> Vec<u8> {
        let mut message = Vec::new();
        for (number, content) in fields {
            protobuf::put(&mut message, *number, content);
        }
        message
    }

    #[test]
    fn pods_are_told_by_namespace_and_name() {
        let metadata = message(&[(NAME, b"hello"), (2, b"uid"), (NAMESPACE, b"default")]);
        let first = message(&[(ID, b"abc"), (METADATA, &metadata)]);
        let answer = message(&[(ITEMS, &first), (ITEMS, &message(&[(ID, b"def")]))]);
        let pod = |id: &str, name: &str| Pod { id: id.to_owned(), name: name.to_owned() };
        assert_eq!(read(&answer), Some(vec![pod("abc", "default/hello"), pod("def", "/")]));
        assert_eq!(read(b""), Some(Vec::new()));
        assert_eq!(read(b"\x0a\x05abc"), None);
    }

    #[test]
    fn a_runtime_that_is_not_there_is_told_from_one_that_fails() {
        let error = pods(Path::new("/nonexistent/containerd.sock")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
