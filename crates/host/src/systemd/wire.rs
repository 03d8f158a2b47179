//! D-Bus messages as bytes: the calls that we make, and what comes back.

use std::io;

/// No answer that we ask for comes near this; a longer one is not read.
const LONGEST: usize = 1 << 20;

/// The part of a message that says how long the rest is.
pub(super) const HEAD: usize = 16;

const METHOD_CALL: u8 = 1;

/// Numbers of header fields.
mod field {
    pub(super) const PATH: u8 = 1;
    pub(super) const INTERFACE: u8 = 2;
    pub(super) const MEMBER: u8 = 3;
    pub(super) const ERROR: u8 = 4;
    pub(super) const REPLY_SERIAL: u8 = 5;
    pub(super) const DESTINATION: u8 = 6;
    pub(super) const SIGNATURE: u8 = 8;
}

/// A method call. All that calls are made with here is strings.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) destination: &'a str,
    pub(super) path: &'a str,
    pub(super) interface: &'a str,
    pub(super) member: &'a str,
    pub(super) arguments: &'a [&'a str],
}

impl Call<'_> {
    /// The message with this number, little-endian.
    pub(super) fn encode(&self, serial: u32) -> Vec<u8> {
        let mut body = Writer::default();
        for argument in self.arguments {
            body.string(argument);
        }
        let signature = "s".repeat(self.arguments.len());
        let mut fields = Writer::default();
        fields.field(field::PATH, "o", self.path);
        fields.field(field::INTERFACE, "s", self.interface);
        fields.field(field::MEMBER, "s", self.member);
        fields.field(field::DESTINATION, "s", self.destination);
        if !signature.is_empty() {
            fields.pad(8);
            fields.0.push(field::SIGNATURE);
            fields.signature("g");
            fields.signature(&signature);
        }
        let mut message = Writer(vec![b'l', METHOD_CALL, 0, 1]);
        message.length(body.0.len());
        message.0.extend(serial.to_le_bytes());
        message.length(fields.0.len());
        // The fields begin at a multiple of eight, so that their own padding is right.
        message.0.extend(fields.0);
        message.pad(8);
        message.0.extend(body.0);
        message.0
    }
}

#[derive(Debug, Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn pad(&mut self, to: usize) {
        self.0.resize(self.0.len().next_multiple_of(to), 0);
    }

    /// Our messages are hundreds of bytes; a length that does not fit is one that the peer refuses.
    fn length(&mut self, length: usize) {
        self.0.extend(u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
    }

    fn string(&mut self, text: &str) {
        self.pad(4);
        self.length(text.len());
        self.0.extend(text.as_bytes());
        self.0.push(0);
    }

    fn signature(&mut self, text: &str) {
        self.0.push(u8::try_from(text.len()).unwrap_or(u8::MAX));
        self.0.extend(text.as_bytes());
        self.0.push(0);
    }

    fn field(&mut self, number: u8, kind: &str, text: &str) {
        self.pad(8);
        self.0.push(number);
        self.signature(kind);
        self.string(text);
    }
}

/// What kind of message came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Return,
    Error,
    Signal,
    Other,
}

/// A message that came.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) kind: Kind,
    /// Which call it answers.
    pub(super) reply_to: u32,
    pub(super) member: String,
    pub(super) error: String,
    signature: String,
    body: Vec<u8>,
}

/// How many bytes follow the first [`HEAD`] of a message.
pub(super) fn rest_length(head: &[u8; HEAD]) -> io::Result<usize> {
    if head[0] != b'l' || head[3] != 1 {
        return Err(garbled("it is not in this machine's byte order, or of another version"));
    }
    let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]) as usize;
    let (body, fields) = (word(4), word(12));
    if body > LONGEST || fields > LONGEST {
        return Err(garbled("it is too long"));
    }
    Ok(fields.next_multiple_of(8) + body)
}

impl Message {
    /// Reads a message from its head and the bytes after it.
    pub(super) fn decode(head: &[u8; HEAD], rest: &[u8]) -> io::Result<Self> {
        let fields_length = u32::from_le_bytes([head[12], head[13], head[14], head[15]]) as usize;
        let (fields, body) = rest
            .split_at_checked(fields_length.next_multiple_of(8))
            .ok_or_else(|| garbled("its header is cut off"))?;
        let kind = match head[1] {
            2 => Kind::Return,
            3 => Kind::Error,
            4 => Kind::Signal,
            _ => Kind::Other,
        };
        let mut message = Self {
            kind,
            reply_to: 0,
            member: String::new(),
            error: String::new(),
            signature: String::new(),
            body: body.to_vec(),
        };
        let mut reader = Reader { bytes: fields.get(..fields_length).unwrap_or_default(), at: 0 };
        while reader.at < fields_length {
            reader.pad(8);
            let number = reader.byte()?;
            let kind = reader.signature()?;
            match (number, kind) {
                (field::REPLY_SERIAL, "u") => message.reply_to = reader.word()?,
                (field::SIGNATURE, "g") => reader.signature()?.clone_into(&mut message.signature),
                (field::MEMBER, "s") => reader.string()?.clone_into(&mut message.member),
                (field::ERROR, "s") => reader.string()?.clone_into(&mut message.error),
                (_, "s" | "o") => drop(reader.string()?),
                (_, "g") => drop(reader.signature()?),
                (_, "u") => drop(reader.word()?),
                _ => return Err(garbled("its header has a field of an unknown type")),
            }
        }
        Ok(message)
    }

    /// Its content, if it is of these types.
    pub(super) fn body(&self, signature: &str) -> io::Result<Reader<'_>> {
        if self.signature == signature {
            return Ok(Reader { bytes: &self.body, at: 0 });
        }
        Err(garbled(&format!("it holds '{}' instead of '{signature}'", self.signature)))
    }

    /// The first string of its content, which explains an error.
    pub(super) fn explanation(&self) -> &str {
        let mut reader = Reader { bytes: &self.body, at: 0 };
        if self.signature.starts_with('s') { reader.string().unwrap_or_default() } else { "" }
    }
}

/// Values one after the other, as they are aligned from the start of the bytes.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn pad(&mut self, to: usize) {
        self.at = self.at.next_multiple_of(to);
    }

    fn take(&mut self, length: usize) -> io::Result<&'a [u8]> {
        let end = self.at.checked_add(length);
        let taken =
            end.and_then(|end| self.bytes.get(self.at..end)).ok_or_else(|| garbled("it is cut off"))?;
        self.at += length;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        self.pad(N);
        self.take(N)?.try_into().map_err(|_| garbled("it is cut off"))
    }

    fn byte(&mut self) -> io::Result<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(super) fn word(&mut self) -> io::Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn text(&mut self, length: usize) -> io::Result<&'a str> {
        let text = self.take(length)?;
        if self.byte()? != 0 {
            return Err(garbled("a string in it does not end"));
        }
        std::str::from_utf8(text).map_err(|_| garbled("a string in it is not UTF-8"))
    }

    /// A string or an object's path.
    pub(super) fn string(&mut self) -> io::Result<&'a str> {
        let length = self.word()? as usize;
        self.text(length)
    }

    fn signature(&mut self) -> io::Result<&'a str> {
        let length = self.byte()?.into();
        self.text(length)
    }

    /// A string in a variant.
    pub(super) fn variant_string(&mut self) -> io::Result<&'a str> {
        match self.signature()? {
            "s" => self.string(),
            other => Err(garbled(&format!("a value in it is '{other}' instead of 's'"))),
        }
    }

    /// A number of 64 bits in a variant.
    pub(super) fn variant_number(&mut self) -> io::Result<u64> {
        match self.signature()? {
            "t" => self.array().map(u64::from_le_bytes),
            other => Err(garbled(&format!("a value in it is '{other}' instead of 't'"))),
        }
    }
}

fn garbled(what: &str) -> io::Error {
    let reason = format!("a message of the service manager cannot be read: {what}");
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: Call<'_> =
        Call { destination: "d.e", path: "/p", interface: "i.f", member: "Get", arguments: &["ab", "c"] };

    /// The same call by hand, after the specification.
    const CALL_BYTES: &[u8] = b"l\x01\x00\x01\x0e\0\0\0\x07\0\0\0\x48\0\0\0\
        \x01\x01o\0\x02\0\0\0/p\0\0\0\0\0\0\
        \x02\x01s\0\x03\0\0\0i.f\0\0\0\0\0\
        \x03\x01s\0\x03\0\0\0Get\0\0\0\0\0\
        \x06\x01s\0\x03\0\0\0d.e\0\0\0\0\0\
        \x08\x01g\0\x02ss\0\
        \x02\0\0\0ab\0\0\x01\0\0\0c\0";

    /// `JobRemoved(7, "/j/7", "a.service", "done")`, number 9.
    const SIGNAL: &[u8] = b"l\x04\x01\x01\x29\0\0\0\x09\0\0\0\x32\0\0\0\
        \x03\x01s\0\x0a\0\0\0JobRemoved\0\0\0\0\0\0\
        \x01\x01o\0\x02\0\0\0/p\0\0\0\0\0\0\
        \x08\x01g\0\x04uoss\0\0\0\0\0\0\0\
        \x07\0\0\0\x04\0\0\0/j/7\0\0\0\0\x09\0\0\0a.service\0\0\0\x04\0\0\0done\0";

    fn decode(bytes: &[u8]) -> io::Result<Message> {
        let (head, rest) = bytes.split_first_chunk::<HEAD>().unwrap();
        assert_eq!(rest_length(head)?, rest.len());
        Message::decode(head, rest)
    }

    #[test]
    fn a_call_is_written_byte_for_byte() {
        let written = CALL.encode(7);
        assert_eq!(written, CALL_BYTES, "{written:02x?}");
        let bare = Call { arguments: &[], ..CALL }.encode(1);
        assert!(bare.len().is_multiple_of(8) && bare[4..8] == [0; 4]);
    }

    #[test]
    fn a_call_reads_back_as_itself() {
        let message = decode(CALL_BYTES).unwrap();
        assert_eq!((message.kind, message.member.as_str()), (Kind::Other, "Get"));
        let mut body = message.body("ss").unwrap();
        assert_eq!((body.string().unwrap(), body.string().unwrap()), ("ab", "c"));
    }

    #[test]
    fn a_signal_is_read() {
        let message = decode(SIGNAL).unwrap();
        assert_eq!((message.kind, message.member.as_str()), (Kind::Signal, "JobRemoved"));
        let mut body = message.body("uoss").unwrap();
        assert_eq!(body.word().unwrap(), 7);
        let texts = [body.string(), body.string(), body.string()].map(Result::unwrap);
        assert_eq!(texts, ["/j/7", "a.service", "done"]);
        assert!(message.body("s").is_err());
    }

    #[test]
    fn no_change_of_a_byte_and_no_cut_does_harm() {
        for bytes in [CALL_BYTES, SIGNAL] {
            let (head, rest) = bytes.split_first_chunk::<HEAD>().unwrap();
            for cut in 0..rest.len() {
                if let Ok(message) = Message::decode(head, &rest[..cut]) {
                    assert!(message.body("uoss").is_err() || read_all(&message).is_err());
                }
            }
            for at in 0..bytes.len() {
                for value in 0..=u8::MAX {
                    let mut changed = bytes.to_vec();
                    changed[at] = value;
                    let (head, rest) = changed.split_first_chunk::<HEAD>().unwrap();
                    if rest_length(head).is_ok_and(|length| length <= 2 * LONGEST + 8)
                        && let Ok(message) = Message::decode(head, rest)
                    {
                        let _ = (read_all(&message), message.explanation());
                    }
                }
            }
        }
    }

    fn read_all(message: &Message) -> io::Result<()> {
        let mut body = message.body("uoss")?;
        body.word()?;
        for _ in 0..3 {
            body.string()?;
        }
        Ok(())
    }

    #[test]
    fn lengths_beyond_all_reason_are_refused() {
        let mut head = *SIGNAL.first_chunk::<HEAD>().unwrap();
        head[7] = 0x7f;
        assert!(rest_length(&head).is_err());
    }
}
