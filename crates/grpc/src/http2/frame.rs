//! Frames: nine bytes of length, kind, flags and stream, and a payload.

use super::Http2Error;

/// The largest payload that we accept and send: what every peer has to accept, unless it says more.
pub(super) const LARGEST_PAYLOAD: usize = 16_384;
const HEAD: usize = 9;

pub(super) const END_STREAM: u8 = 0x1;
pub(super) const ACK: u8 = 0x1;
pub(super) const END_HEADERS: u8 = 0x4;
const PADDED: u8 = 0x8;
const PRIORITY: u8 = 0x20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Data,
    Headers,
    Priority,
    Reset,
    Settings,
    PushPromise,
    Ping,
    GoAway,
    WindowUpdate,
    Continuation,
    Unknown,
}

/// The kinds in the order of their numbers.
const KINDS: [Kind; 10] = [
    Kind::Data,
    Kind::Headers,
    Kind::Priority,
    Kind::Reset,
    Kind::Settings,
    Kind::PushPromise,
    Kind::Ping,
    Kind::GoAway,
    Kind::WindowUpdate,
    Kind::Continuation,
];

/// A frame that has arrived.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) kind: Kind,
    flags: u8,
    pub(super) stream: u32,
    pub(super) payload: Vec<u8>,
}

impl Frame {
    /// Takes the first frame out of what has arrived; `None` while it is not complete.
    pub(super) fn take_from(arrived: &mut Vec<u8>) -> Result<Option<Self>, Http2Error> {
        let Some(&[a, b, c, kind, flags, s0, s1, s2, s3]) = arrived.first_chunk::<HEAD>() else {
            return Ok(None);
        };
        let length = usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c);
        if length > LARGEST_PAYLOAD {
            return Err(Http2Error::Malformed("a frame is larger than was allowed"));
        }
        let Some(payload) = arrived.get(HEAD..HEAD + length) else { return Ok(None) };
        let frame = Self {
            kind: KINDS.get(usize::from(kind)).copied().unwrap_or(Kind::Unknown),
            flags,
            // The highest bit is reserved, and passed over.
            stream: u32::from_be_bytes([s0 & 0x7f, s1, s2, s3]),
            payload: payload.to_vec(),
        };
        arrived.drain(..HEAD + length);
        Ok(Some(frame))
    }

    pub(super) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// The payload as numbers of 32 bits, when it is exactly `N` of them.
    pub(super) fn words<const N: usize>(&self) -> Result<[u32; N], Http2Error> {
        let (words, rest) = self.payload.as_chunks::<4>();
        match <&[[u8; 4]; N]>::try_from(words) {
            Ok(words) if rest.is_empty() => Ok(words.map(u32::from_be_bytes)),
            _ => Err(Http2Error::Malformed("a frame has the wrong size")),
        }
    }

    /// What a DATA or HEADERS frame is about: the payload without padding and priority.
    pub(super) fn content(&self) -> Result<&[u8], Http2Error> {
        const CUT: Http2Error = Http2Error::Malformed("a frame is smaller than its padding and priority");
        let mut content = self.payload.as_slice();
        let mut padding = 0;
        if self.has(PADDED) {
            let (length, rest) = content.split_first().ok_or(CUT)?;
            padding = usize::from(*length);
            content = rest;
        }
        if self.kind == Kind::Headers && self.has(PRIORITY) {
            content = content.get(5..).ok_or(CUT)?;
        }
        let length = content.len().checked_sub(padding).ok_or(CUT)?;
        Ok(&content[..length])
    }
}

/// Appends a frame. The payload is at most [`LARGEST_PAYLOAD`] long.
pub(super) fn write(out: &mut Vec<u8>, kind: Kind, flags: u8, stream: u32, payload: &[u8]) {
    debug_assert!(payload.len() <= LARGEST_PAYLOAD);
    let [.., a, b, c] = payload.len().to_be_bytes();
    out.extend_from_slice(&[a, b, c, kind as u8, flags]);
    out.extend_from_slice(&stream.to_be_bytes());
    out.extend_from_slice(payload);
}

/// How many bytes [`write`] appends for payloads of this length together, when each is as large as it may be.
pub(super) fn written_length(payload: usize) -> usize {
    payload + payload.div_ceil(LARGEST_PAYLOAD) * HEAD
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(bytes: &[u8]) -> Frame {
        Frame::take_from(&mut bytes.to_vec()).unwrap().unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = Vec::new();
        write(&mut bytes, Kind::Data, END_STREAM, 1, b"abc");
        write(&mut bytes, Kind::Ping, ACK, 0, &[7; 8]);
        assert_eq!(bytes[..12], *b"\0\0\x03\0\x01\0\0\0\x01abc");
        for length in 0..12 {
            assert!(Frame::take_from(&mut bytes[..length].to_vec()).unwrap().is_none(), "{length}");
        }
        let first = Frame::take_from(&mut bytes).unwrap().unwrap();
        assert_eq!((first.kind, first.stream, first.has(END_STREAM)), (Kind::Data, 1, true));
        assert_eq!(first.payload, b"abc");
        let second = Frame::take_from(&mut bytes).unwrap().unwrap();
        assert_eq!((second.kind, second.payload.len(), bytes.len()), (Kind::Ping, 8, 0));
    }

    #[test]
    fn a_frame_larger_than_allowed_is_refused_before_it_arrives() {
        assert!(Frame::take_from(&mut b"\0\x40\x01\0\0\0\0\0\x01".to_vec()).is_err());
        assert!(Frame::take_from(&mut b"HTTP/1.1 400".to_vec()).is_err());
        assert!(Frame::take_from(&mut b"\0\x40\0\0\0\0\0\0\x01".to_vec()).unwrap().is_none());
    }

    #[test]
    fn padding_and_priority_are_no_content() {
        for (bytes, expected) in [
            (&b"\0\0\x03\0\x00\0\0\0\x01abc"[..], Some(&b"abc"[..])),
            (b"\0\0\x04\0\x08\0\0\0\x01\x02a\0\0", Some(b"a")),
            (b"\0\0\x01\0\x08\0\0\0\x01\0", Some(b"")),
            (b"\0\0\0\0\x08\0\0\0\x01", None),
            (b"\0\0\x02\0\x08\0\0\0\x01\x02a", None),
            // In DATA the flag of priority means nothing.
            (b"\0\0\x01\0\x20\0\0\0\x01a", Some(b"a")),
            (b"\0\0\x06\x01\x20\0\0\0\x01\0\0\0\0\0a", Some(b"a")),
            (b"\0\0\x08\x01\x28\0\0\0\x01\x01\0\0\0\0\0a\0", Some(b"a")),
            (b"\0\0\x04\x01\x20\0\0\0\x01\0\0\0\0", None),
        ] {
            assert_eq!(frame(bytes).content().ok(), expected, "{bytes:?}");
        }
    }

    #[test]
    fn unknown_kinds_and_the_reserved_bit_do_no_harm() {
        let frame = frame(b"\0\0\0\x2a\xff\x80\0\0\x01");
        assert_eq!((frame.kind, frame.stream), (Kind::Unknown, 1));
    }
}
