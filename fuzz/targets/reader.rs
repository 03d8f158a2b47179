//! The JSON reader over any bytes: it ends, it stays inside the text, its two ways through a value agree,
//! and what another JSON reader accepts it accepts too.

#![no_main]

use libfuzzer_sys::fuzz_target;
use slipway_contract::codec::{Reader, SyntaxError, Token};

const DEEPEST: usize = 10_000;

fuzz_target!(|text: &[u8]| {
    let skipped = skip(text);
    if let Err(error) = &skipped {
        assert!(error.at <= text.len(), "an error outside the text");
    }
    match walk(text) {
        Some(walked) => assert_eq!(skipped, walked, "skipping a value and walking through it differ"),
        None => assert!(skipped.is_err(), "too deep to walk, yet skipped"),
    }
    if serde_json::from_slice::<serde_json::Value>(text).is_ok() {
        assert_eq!(skipped, Ok(()), "this is JSON");
    }
});

fn skip(text: &[u8]) -> Result<(), SyntaxError> {
    let mut reader = Reader::new(text);
    reader.skip(DEEPEST)?;
    reader.finish()
}

/// Reads the value token by token; `None` where it nests deeper than `skip` goes.
fn walk(text: &[u8]) -> Option<Result<(), SyntaxError>> {
    let mut reader = Reader::new(text);
    let mut open: Vec<Token<'_>> = Vec::new();
    let mut first = false;
    loop {
        let more = match open.last() {
            None => Ok(true),
            Some(Token::Object) => reader.key(first).map(|key| key.is_some()),
            Some(_) => reader.element(first),
        };
        match more {
            Err(error) => return Some(Err(error)),
            Ok(true) => {
                let before = reader.position();
                let token = match reader.token() {
                    Err(error) => return Some(Err(error)),
                    Ok(token) => token,
                };
                first = matches!(token, Token::Object | Token::List);
                if first {
                    reader.enter();
                    open.push(token);
                }
                let after = reader.position();
                assert!(before < after && after <= text.len(), "a token that takes no text");
                if open.len() > DEEPEST {
                    return None;
                }
            }
            Ok(false) => {
                open.pop();
                first = false;
            }
        }
        if open.is_empty() {
            return Some(reader.finish());
        }
    }
}
