use super::*;

const SETTINGS_FRAME: &[u8] = b"\0\0\0\x04\0\0\0\0\0";
const OK: &[u8] = b"\x88";
const FIELD: &[u8] = b"\x00\x01a\x01b";

fn request(body: &[u8]) -> (Exchange, Vec<u8>) {
    let fields = [Literal { name: ":method", value: "POST", secret: false }];
    let (exchange, opening) = Exchange::new(&fields, body.to_vec());
    (exchange, opening.expose().clone())
}

fn frame(kind: Kind, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    frame::write(&mut out, kind, flags, stream, payload);
    out
}

fn frames(mut bytes: &[u8]) -> Vec<(u8, u8, Vec<u8>)> {
    let mut frames = Vec::new();
    while let [_, a, b, kind, flags, _, _, _, _, rest @ ..] = bytes {
        let length = usize::from(*a) << 8 | usize::from(*b);
        frames.push((*kind, *flags, rest[..length].to_vec()));
        bytes = &rest[length..];
    }
    assert!(bytes.is_empty());
    frames
}

/// Everything that an exchange makes of these frames after the settings.
fn events(frames: &[Vec<u8>]) -> Result<Vec<Event>, Http2Error> {
    let (mut exchange, _) = request(b"x");
    exchange.receive(SETTINGS_FRAME);
    exchange.receive(&frames.concat());
    let mut events = Vec::new();
    while let Some(event) = exchange.event()? {
        events.push(event);
    }
    Ok(events)
}

fn answer() -> Vec<Vec<u8>> {
    vec![
        frame(Kind::Headers, END_HEADERS, 1, b"\x08\x03103"),
        frame(Kind::Headers, 0x2c, 1, b"\x01\0\0\0\0\0\x88\0"),
        frame(Kind::Data, 0x8, 1, b"\x02ab\0\0"),
        frame(Kind::Priority, 0, 3, &[0; 5]),
        frame(Kind::Unknown, 0, 7, b"?"),
        frame(Kind::Ping, 0, 0, b"12345678"),
        frame(Kind::Data, 0, 1, b"c"),
        frame(Kind::Headers, END_STREAM, 1, &FIELD[..3]),
        frame(Kind::Continuation, END_HEADERS, 1, &FIELD[3..]),
    ]
}

#[test]
fn an_answer_with_everything_that_may_be_in_one_is_understood() {
    let expected = vec![
        Event::Header { status: 200, fields: Fields::from([(":status", "200")]), is_end: false },
        Event::Body { bytes: b"ab".to_vec(), is_end: false },
        Event::Body { bytes: b"c".to_vec(), is_end: false },
        Event::Trailers(Fields::from([("a", "b")])),
    ];
    assert_eq!(events(&answer()), Ok(expected));
}

#[test]
fn the_opening_is_preface_settings_header_and_body() {
    let (_, opening) = request(b"body");
    let sent = frames(opening.strip_prefix(PREFACE).unwrap());
    let kinds: Vec<_> = sent.iter().map(|(kind, flags, _)| (*kind, *flags)).collect();
    assert_eq!(kinds, [(4, 0), (8, 0), (1, END_HEADERS), (0, END_STREAM)]);
    assert_eq!(sent[0].2, b"\0\x02\0\0\0\0\0\x04\0\x80\0\0\0\x06\0\x01\0\0");
    assert_eq!(sent[2].2, b"\0\x07:method\x04POST");
    assert_eq!(sent[3].2, b"body");
}

#[test]
fn a_large_header_goes_on_in_continuations() {
    let value = "x".repeat(40_000);
    let fields = [Literal { name: "authorization", value: &value, secret: true }];
    let (_, opening) = Exchange::new(&fields, b"b".to_vec());
    let sent = frames(opening.expose().strip_prefix(PREFACE).unwrap());
    let kinds: Vec<_> = sent.iter().map(|(kind, flags, payload)| (*kind, *flags, payload.len())).collect();
    assert_eq!(kinds[2..4], [(1, 0, LARGEST_PAYLOAD), (9, 0, LARGEST_PAYLOAD)]);
    assert_eq!((kinds[4].0, kinds[4].1, kinds[5].0), (9, END_HEADERS, 0));
    let block: Vec<u8> = sent[2..5].iter().flat_map(|(_, _, payload)| payload.clone()).collect();
    let fields = Decoder::new().decode(&block).unwrap();
    assert_eq!(fields.get("authorization"), Some(value.as_bytes()));
}

#[test]
fn settings_and_pings_are_acknowledged() {
    let (mut exchange, _) = request(b"x");
    exchange.receive(SETTINGS_FRAME);
    exchange.receive(&frame(Kind::Ping, 0, 0, b"12345678"));
    exchange.receive(&frame(Kind::Ping, ACK, 0, b"12345678"));
    exchange.receive(&frame(Kind::Settings, ACK, 0, b""));
    assert_eq!(exchange.event(), Ok(None));
    assert_eq!(frames(&exchange.take_output()), [(4, ACK, vec![]), (6, ACK, b"12345678".to_vec())]);
    assert!(exchange.take_output().is_empty());
}

#[test]
fn a_body_waits_for_both_windows() {
    let (mut exchange, opening) = request(&vec![7; 100_000]);
    let length = |frames: &[(u8, u8, Vec<u8>)]| {
        let data = frames.iter().filter(|(kind, ..)| *kind == 0);
        data.map(|(_, _, payload)| payload.len()).sum::<usize>()
    };
    assert_eq!(length(&frames(opening.strip_prefix(PREFACE).unwrap())), 65_535);
    exchange.receive(&frame(Kind::Settings, 0, 0, b"\0\x04\0\x01\0\x00"));
    exchange.receive(&frame(Kind::WindowUpdate, 0, 1, b"\0\0\0\x09"));
    assert_eq!((exchange.event(), length(&frames(&exchange.take_output()))), (Ok(None), 0));
    exchange.receive(&frame(Kind::WindowUpdate, 0, 0, b"\0\0\0\x05"));
    assert_eq!((exchange.event(), length(&frames(&exchange.take_output()))), (Ok(None), 5));
    exchange.receive(&frame(Kind::WindowUpdate, 0, 0, b"\0\x10\0\0"));
    assert_eq!((exchange.event(), length(&frames(&exchange.take_output()))), (Ok(None), 5));
    // Less than nothing, until the difference is made good.
    exchange.receive(&frame(Kind::Settings, 0, 0, b"\0\x04\0\0\0\0"));
    exchange.receive(&frame(Kind::WindowUpdate, 0, 1, b"\0\x01\0\0"));
    assert_eq!((exchange.event(), length(&frames(&exchange.take_output()))), (Ok(None), 0));
    exchange.receive(&frame(Kind::WindowUpdate, 0, 1, b"\0\x10\0\0"));
    assert_eq!(exchange.event(), Ok(None));
    let rest = frames(&exchange.take_output());
    assert_eq!((length(&rest), rest.last().unwrap().1), (100_000 - 65_545, END_STREAM));
}

#[test]
fn what_is_received_makes_room_for_more() {
    let (mut exchange, _) = request(b"x");
    exchange.receive(SETTINGS_FRAME);
    exchange.receive(&frame(Kind::Headers, END_HEADERS, 1, OK));
    for _ in 0..RECEIVE_WINDOW as usize / LARGEST_PAYLOAD {
        exchange.receive(&frame(Kind::Data, 0, 1, &[0; LARGEST_PAYLOAD]));
        while exchange.event().unwrap().is_some() {}
    }
    let half = (RECEIVE_WINDOW / 2).to_be_bytes().to_vec();
    let sent = frames(&exchange.take_output());
    assert_eq!(sent[1..], vec![(8, 0, half); 4]);
}

#[test]
fn a_reset_and_a_farewell_end_the_exchange() {
    let header = frame(Kind::Headers, END_HEADERS, 1, OK);
    let reset = frame(Kind::Reset, 0, 1, &[0, 0, 0, 7]);
    assert_eq!(events(&[header.clone(), reset]), Err(Http2Error::Reset(ErrorCode::REFUSED_STREAM)));
    let farewell = |last: u8| frame(Kind::GoAway, 0, 0, &[0, 0, 0, last, 0, 0, 0, 11, b'!']);
    assert_eq!(events(&[farewell(0)]), Err(Http2Error::GoneAway(ErrorCode::ENHANCE_YOUR_CALM)));
    // It may still finish what it has begun.
    assert_eq!(events(&[farewell(1), header]).unwrap().len(), 1);
    let (mut exchange, _) = request(b"x");
    assert_eq!(exchange.hung_up(), Http2Error::HungUp);
    exchange.receive(SETTINGS_FRAME);
    exchange.receive(&farewell(1));
    assert_eq!(exchange.event(), Ok(None));
    assert_eq!(exchange.hung_up(), Http2Error::GoneAway(ErrorCode::ENHANCE_YOUR_CALM));
}

#[test]
fn what_the_rfc_forbids_is_refused() {
    let header = || frame(Kind::Headers, END_HEADERS, 1, OK);
    for (why, frames) in [
        ("another stream", vec![frame(Kind::Headers, END_HEADERS, 3, OK)]),
        ("the connection's stream", vec![frame(Kind::Headers, END_HEADERS, 0, OK)]),
        ("a push", vec![frame(Kind::PushPromise, END_HEADERS, 1, b"\0\0\0\x02\x88")]),
        ("settings on a stream", vec![frame(Kind::Settings, 0, 1, b"")]),
        ("settings of the wrong size", vec![frame(Kind::Settings, 0, 0, b"\0")]),
        ("an acknowledgement with settings", vec![frame(Kind::Settings, ACK, 0, &[0; 6])]),
        ("a window of 2^31", vec![frame(Kind::Settings, 0, 0, b"\0\x04\x80\0\0\0")]),
        ("tiny frames", vec![frame(Kind::Settings, 0, 0, b"\0\x05\0\0\0\x01")]),
        ("a setting that pushes", vec![frame(Kind::Settings, 0, 0, b"\0\x02\0\0\0\x01")]),
        ("a ping of the wrong size", vec![frame(Kind::Ping, 0, 0, b"1234567")]),
        ("a farewell of the wrong size", vec![frame(Kind::GoAway, 0, 0, b"1234567")]),
        ("an update by nothing", vec![frame(Kind::WindowUpdate, 0, 0, &[0; 4])]),
        ("an update by too much", vec![frame(Kind::WindowUpdate, 0, 1, b"\x7f\xff\xff\xff")]),
        ("a body first", vec![frame(Kind::Data, 0, 1, b"x")]),
        ("a header without status", vec![frame(Kind::Headers, END_HEADERS, 1, FIELD)]),
        ("an interim answer at the end", vec![frame(Kind::Headers, 5, 1, b"\x08\x03103")]),
        ("two headers", vec![header(), header()]),
        ("trailers that are not the end", vec![header(), frame(Kind::Headers, END_HEADERS, 1, FIELD)]),
        ("a continuation of nothing", vec![frame(Kind::Continuation, END_HEADERS, 1, OK)]),
        ("an interrupted header", vec![frame(Kind::Headers, 0, 1, OK), frame(Kind::Ping, 0, 0, &[0; 8])]),
    ] {
        let result = events(&frames);
        assert!(matches!(result, Err(Http2Error::Malformed(_))), "{why}: {result:?}");
    }
    let (mut exchange, _) = request(b"x");
    exchange.receive(&header());
    assert!(exchange.event().is_err(), "no settings");
}

#[test]
fn a_header_without_end_is_given_up() {
    let mut endless = vec![frame(Kind::Headers, 0, 1, OK)];
    endless.resize(6, frame(Kind::Continuation, 0, 1, &[0; LARGEST_PAYLOAD]));
    assert_eq!(events(&endless), Err(Http2Error::HeaderTooLarge));
}

#[test]
fn no_prefix_and_no_wrong_byte_makes_it_panic() {
    let whole: Vec<u8> = [SETTINGS_FRAME, &answer().concat()].concat();
    let read = |bytes: &[u8]| {
        let (mut exchange, _) = request(b"x");
        let mut count = 0;
        for piece in bytes.chunks(5) {
            exchange.receive(piece);
            while exchange.event()?.is_some() {
                count += 1;
            }
        }
        Ok::<_, Http2Error>(count)
    };
    assert_eq!(read(&whole), Ok(4));
    for length in 0..whole.len() {
        assert!(read(&whole[..length]).unwrap() < 4);
    }
    let mut outcomes = 0;
    for place in 0..whole.len() {
        for byte in 0..=u8::MAX {
            let mut mutated = whole.clone();
            mutated[place] = byte;
            outcomes += usize::from(read(&mutated).is_ok());
        }
    }
    assert!((1..whole.len() * 256).contains(&outcomes));
}
