//! One unary gRPC call over any connection.
//!
//! Comes in: a connection that is open already, a method, a protobuf message as bytes. Goes out: the answer's message as
//! bytes, or why there is none. Never does: sockets, TLS, retries, deadlines; those belong to who owns the connection.
//!
//! As much of HTTP/2 as one request needs is written here, and no runtime is started for it. Two services are asked this
//! way: live patching over TLS, the container runtime over its socket.

mod call;
mod http2;
pub mod protobuf;
mod status;

pub use call::{CallError, Request, Wire, unary};
pub use status::{Code, Status};
