//! The decoder over any bytes, under both policies: it never panics, says why it stopped, and what it read
//! survives being written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use slipway_contract::codec::{Decoded, Layout, Names, Options, Policy, decode, decode_with_places, encode};
use slipway_contract::{Contract, Severity};

fuzz_target!(|text: &[u8]| {
    let compatible: Decoded<Contract> = decode(text, Policy::Compatible);
    let careful: Decoded<Contract> = decode_with_places(text, Policy::Careful);
    for decoded in [&compatible, &careful] {
        check_issues(text, decoded);
    }
    assert!(careful.places.values().all(|at| *at < text.len()), "a value outside the text");
    assert_eq!(compatible.issues, careful.issues, "both policies tell the same story");
    assert!(compatible.stopped || !careful.stopped, "careful reads on wherever compatible does");
    if !compatible.stopped {
        assert!(!has_error(&compatible), "an error that did not stop the compatible reader");
        assert_eq!(write(&compatible, Options::FILE), write(&careful, Options::FILE));
    }
    if !careful.stopped {
        let camel = Options { names: Names::Json, layout: Layout::Compact, ..Options::FILE };
        for options in [Options::FILE, Options::EMBEDDED, camel] {
            let again: Decoded<Contract> = decode(write(&careful, options).as_bytes(), Policy::Compatible);
            assert!(!again.stopped && !has_error(&again), "our own text is refused");
            // Written forms are compared: a NaN is not equal to itself.
            assert_eq!(write(&again, Options::FILE), write(&careful, Options::FILE));
        }
    }
});

fn write(decoded: &Decoded<Contract>, options: Options) -> String {
    encode(&decoded.message, options)
}

fn has_error(decoded: &Decoded<Contract>) -> bool {
    decoded.issues.iter().any(|issue| issue.severity == Severity::Error)
}

fn check_issues(text: &[u8], decoded: &Decoded<Contract>) {
    assert!(!decoded.stopped || has_error(decoded), "stopped without a reason");
    assert!(decoded.issues.is_sorted_by_key(|issue| issue.offset), "issues out of order");
    let lines = 1 + text.iter().filter(|byte| **byte == b'\n').count();
    for issue in &decoded.issues {
        assert!(issue.offset <= text.len(), "an issue outside the text");
        assert!((1..=lines).contains(&issue.line) && issue.column >= 1, "no such place");
    }
}
