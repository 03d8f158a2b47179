//! One request and its answer: which frames go out, and what the frames that come in mean.

use slipway_model::Secret;

use super::fields::block;
use super::frame::{self, ACK, END_HEADERS, END_STREAM, Frame, Kind, LARGEST_PAYLOAD};
use super::hpack::{Decoder, LARGEST_LIST};
use super::window::Window;
use super::{ErrorCode, Fields, Http2Error, Literal};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const CONNECTION: u32 = 0;
/// The one stream of the connection.
const STREAM: u32 = 1;
/// How much the server may send before it waits for us. More than an answer may have.
const RECEIVE_WINDOW: u32 = 8 * 1024 * 1024;
/// What the window of a connection is before anything is said; no setting changes it.
const DEFAULT_WINDOW: u32 = 65_535;

const ENABLE_PUSH: u16 = 2;
const INITIAL_WINDOW_SIZE: u16 = 4;
const MAX_FRAME_SIZE: u16 = 5;
const MAX_HEADER_LIST_SIZE: u16 = 6;
/// What is said of ourselves; for the rest the defaults will do.
const SETTINGS: [(u16, u32); 3] =
    [(ENABLE_PUSH, 0), (INITIAL_WINDOW_SIZE, RECEIVE_WINDOW), (MAX_HEADER_LIST_SIZE, LARGEST_LIST)];

/// A piece of the answer, and whether it is the last.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The header of the answer.
    Header { status: u16, fields: Fields, is_end: bool },
    /// Some of its body.
    Body { bytes: Vec<u8>, is_end: bool },
    /// What comes after the body; always the last.
    Trailers(Fields),
}

/// An exchange, as far as it has got.
#[derive(Debug)]
pub(crate) struct Exchange {
    arrived: Vec<u8>,
    output: Vec<u8>,
    /// What is left of the request's body.
    body: Vec<u8>,
    connection_window: Window,
    stream_window: Window,
    /// What the window of a new stream is by the server's settings.
    initial_window: u32,
    decoder: Decoder,
    /// A header block that goes on in the next frame, and whether it ends the stream.
    unfinished: Option<(Vec<u8>, bool)>,
    /// How much was received that the server does not yet know to be taken.
    taken: u32,
    has_settings: bool,
    has_header: bool,
    went_away: Option<ErrorCode>,
}

impl Exchange {
    /// A request, and the bytes that begin it. They hold what the fields hold.
    pub(crate) fn new(fields: &[Literal<'_>], body: Vec<u8>) -> (Self, Secret<Vec<u8>>) {
        let mut exchange = Self {
            arrived: Vec::new(),
            output: Vec::new(),
            body,
            connection_window: Window::new(DEFAULT_WINDOW),
            stream_window: Window::new(DEFAULT_WINDOW),
            initial_window: DEFAULT_WINDOW,
            decoder: Decoder::new(),
            unfinished: None,
            taken: 0,
            has_settings: false,
            has_header: false,
            went_away: None,
        };
        exchange.send_body();
        let body = std::mem::take(&mut exchange.output);
        (exchange, opening(block(fields).expose(), &body))
    }

    /// What has to be sent before waiting for more.
    pub(crate) fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.output)
    }

    /// Takes in bytes that have arrived.
    pub(crate) fn receive(&mut self, bytes: &[u8]) {
        self.arrived.extend_from_slice(bytes);
    }

    /// The error that it is when the connection ends here.
    pub(crate) fn hung_up(&self) -> Http2Error {
        self.went_away.map_or(Http2Error::HungUp, Http2Error::GoneAway)
    }

    /// The next piece of the answer; `None` when more has to arrive first.
    pub(crate) fn event(&mut self) -> Result<Option<Event>, Http2Error> {
        while let Some(frame) = Frame::take_from(&mut self.arrived)? {
            if let Some(event) = self.take(&frame)? {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    fn take(&mut self, frame: &Frame) -> Result<Option<Event>, Http2Error> {
        if !self.has_settings && (frame.kind != Kind::Settings || frame.has(ACK)) {
            return Err(Http2Error::Malformed("it does not begin with settings"));
        }
        if self.unfinished.is_some() != (frame.kind == Kind::Continuation) {
            return Err(Http2Error::Malformed("a header block is interrupted"));
        }
        check_stream(frame)?;
        match frame.kind {
            Kind::Headers => return self.headers(frame.content()?.to_vec(), frame),
            Kind::Continuation => return self.continuation(frame),
            Kind::Data => return self.data(frame).map(Some),
            Kind::Settings => self.settings(frame)?,
            Kind::WindowUpdate => self.window_update(frame)?,
            Kind::Ping => self.ping(frame)?,
            Kind::GoAway => self.go_away(frame)?,
            Kind::Reset => {
                let [code] = frame.words()?;
                return Err(Http2Error::Reset(ErrorCode(code)));
            }
            Kind::PushPromise => return Err(Http2Error::Malformed("it pushes, which was not allowed")),
            Kind::Priority | Kind::Unknown => {}
        }
        Ok(None)
    }

    fn headers(&mut self, block: Vec<u8>, frame: &Frame) -> Result<Option<Event>, Http2Error> {
        let is_end = frame.has(END_STREAM);
        if frame.has(END_HEADERS) {
            return self.header(&block, is_end);
        }
        self.unfinished = Some((block, is_end));
        Ok(None)
    }

    fn continuation(&mut self, frame: &Frame) -> Result<Option<Event>, Http2Error> {
        let Some((mut block, is_end)) = self.unfinished.take() else { return Ok(None) };
        block.extend_from_slice(&frame.payload);
        if block.len() > LARGEST_LIST as usize {
            return Err(Http2Error::HeaderTooLarge);
        }
        if frame.has(END_HEADERS) {
            return self.header(&block, is_end);
        }
        self.unfinished = Some((block, is_end));
        Ok(None)
    }

    fn header(&mut self, block: &[u8], is_end: bool) -> Result<Option<Event>, Http2Error> {
        let fields = self.decoder.decode(block)?;
        if !fields.are_well_formed() {
            return Err(Http2Error::Malformed("a field has a name that none may have"));
        }
        match (self.has_header, fields.status()) {
            // "Early hints" and its like come before the answer.
            (false, Some(100..200)) if !is_end => Ok(None),
            (false, Some(status @ 200..)) => {
                self.has_header = true;
                Ok(Some(Event::Header { status, fields, is_end }))
            }
            (true, None) if is_end && fields.get(":status").is_none() => Ok(Some(Event::Trailers(fields))),
            (false, _) => Err(Http2Error::Malformed("the header has no status")),
            (true, _) => Err(Http2Error::Malformed("there is a second header")),
        }
    }

    fn data(&mut self, frame: &Frame) -> Result<Event, Http2Error> {
        if !self.has_header {
            return Err(Http2Error::Malformed("there is a body before the header"));
        }
        let bytes = frame.content()?.to_vec();
        // Padding counts.
        self.taken += u32::try_from(frame.payload.len()).unwrap_or(0);
        if self.taken >= RECEIVE_WINDOW / 2 {
            for stream in [CONNECTION, STREAM] {
                frame::write(&mut self.output, Kind::WindowUpdate, 0, stream, &self.taken.to_be_bytes());
            }
            self.taken = 0;
        }
        Ok(Event::Body { bytes, is_end: frame.has(END_STREAM) })
    }

    fn settings(&mut self, frame: &Frame) -> Result<(), Http2Error> {
        let (settings, rest) = frame.payload.as_chunks::<6>();
        if !rest.is_empty() || (frame.has(ACK) && !settings.is_empty()) {
            return Err(Http2Error::Malformed("its settings have the wrong size"));
        }
        if frame.has(ACK) {
            return Ok(());
        }
        self.has_settings = true;
        for &[n0, n1, ref value @ ..] in settings {
            self.setting(u16::from_be_bytes([n0, n1]), u32::from_be_bytes(*value))?;
        }
        frame::write(&mut self.output, Kind::Settings, ACK, CONNECTION, &[]);
        self.send_body();
        Ok(())
    }

    fn setting(&mut self, name: u16, value: u32) -> Result<(), Http2Error> {
        match (name, value) {
            (INITIAL_WINDOW_SIZE, _) => {
                self.stream_window.resize(self.initial_window, value)?;
                self.initial_window = value;
                Ok(())
            }
            (ENABLE_PUSH, 1..) | (MAX_FRAME_SIZE, ..0x4000 | 0x0100_0000..) => {
                Err(Http2Error::Malformed("one of its settings is not allowed"))
            }
            // Frames larger than the least that is allowed are never sent, and neither is a second header block.
            _ => Ok(()),
        }
    }

    fn window_update(&mut self, frame: &Frame) -> Result<(), Http2Error> {
        let [increment] = frame.words()?;
        let window =
            if frame.stream == CONNECTION { &mut self.connection_window } else { &mut self.stream_window };
        window.widen(increment & 0x7fff_ffff)?;
        self.send_body();
        Ok(())
    }

    fn ping(&mut self, frame: &Frame) -> Result<(), Http2Error> {
        let [_, _] = frame.words()?;
        if !frame.has(ACK) {
            frame::write(&mut self.output, Kind::Ping, ACK, CONNECTION, &frame.payload);
        }
        Ok(())
    }

    /// A server that goes away finishes the streams up to the one it names.
    fn go_away(&mut self, frame: &Frame) -> Result<(), Http2Error> {
        let (words, _) = frame.payload.as_chunks();
        let [last, code, ..] = words else {
            return Err(Http2Error::Malformed("a frame has the wrong size"));
        };
        let code = ErrorCode(u32::from_be_bytes(*code));
        if u32::from_be_bytes(*last) & 0x7fff_ffff < STREAM {
            return Err(Http2Error::GoneAway(code));
        }
        self.went_away = Some(code);
        Ok(())
    }

    /// Sends as much of the body as the windows allow.
    fn send_body(&mut self) {
        while !self.body.is_empty() {
            let room = self.connection_window.room().min(self.stream_window.room());
            let length = self.body.len().min(LARGEST_PAYLOAD).min(room);
            if length == 0 {
                return;
            }
            let rest = self.body.split_off(length);
            let flags = if rest.is_empty() { END_STREAM } else { 0 };
            frame::write(&mut self.output, Kind::Data, flags, STREAM, &self.body);
            self.connection_window.take(length);
            self.stream_window.take(length);
            self.body = rest;
        }
    }
}

/// Whether a frame is on a stream where its kind belongs. Only one stream was ever opened.
fn check_stream(frame: &Frame) -> Result<(), Http2Error> {
    let belongs = match frame.kind {
        Kind::Settings | Kind::Ping | Kind::GoAway => frame.stream == CONNECTION,
        Kind::Data | Kind::Headers | Kind::Continuation | Kind::Reset => frame.stream == STREAM,
        Kind::WindowUpdate => frame.stream <= STREAM,
        Kind::Priority => frame.stream != CONNECTION,
        Kind::PushPromise | Kind::Unknown => true,
    };
    if belongs {
        Ok(())
    } else {
        Err(Http2Error::Malformed("a frame is on a stream where it does not belong"))
    }
}

/// Preface, settings, the header block in its frames, and the body's frames, in one piece.
fn opening(block: &[u8], body: &[u8]) -> Secret<Vec<u8>> {
    let mut start = PREFACE.to_vec();
    let settings = SETTINGS.map(|(name, value)| [&name.to_be_bytes()[..], &value.to_be_bytes()].concat());
    frame::write(&mut start, Kind::Settings, 0, CONNECTION, &settings.concat());
    let increment = RECEIVE_WINDOW - DEFAULT_WINDOW;
    frame::write(&mut start, Kind::WindowUpdate, 0, CONNECTION, &increment.to_be_bytes());
    let mut bytes = Vec::with_capacity(start.len() + frame::written_length(block.len()) + body.len());
    bytes.extend_from_slice(&start);
    let last = block.chunks(LARGEST_PAYLOAD).len() - 1;
    for (place, piece) in block.chunks(LARGEST_PAYLOAD).enumerate() {
        let kind = if place == 0 { Kind::Headers } else { Kind::Continuation };
        let flags = if place == last { END_HEADERS } else { 0 };
        frame::write(&mut bytes, kind, flags, STREAM, piece);
    }
    bytes.extend_from_slice(body);
    Secret::new(bytes)
}

#[cfg(test)]
#[path = "exchange_tests.rs"]
mod tests;
