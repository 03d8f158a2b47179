//! Large and hostile inputs: nothing crashes, and time and memory grow as the text does.

use std::time::{Duration, Instant};

use slipway_contract::codec::{Decoded, Policy, decode};
use slipway_contract::{Contract, Severity};

struct Cost {
    time: Duration,
    peak: u64,
}

fn cost(text: &[u8], policy: Policy) -> Cost {
    let start = Instant::now();
    let memory = allocation_counter::measure(|| {
        let decoded: Decoded<Contract> = decode(text, policy);
        assert!(!decoded.stopped || decoded.issues.iter().any(|issue| issue.severity == Severity::Error));
    });
    Cost { time: start.elapsed(), peak: memory.bytes_max }
}

/// How many times longer four times the text may take: room for noise, not for squares.
const MOST_TIME: f64 = 8.0;

fn ratio(few: &Cost, many: &Cost) -> f64 {
    many.time.as_secs_f64() / few.time.as_secs_f64().max(0.005)
}

/// Reads a text and one four times as long, under both policies.
fn grows_with_the_text(make: impl Fn(usize) -> Vec<u8>, largest: usize) {
    let (small, large) = (make(largest / 4), make(largest));
    for policy in [Policy::Careful, Policy::Compatible] {
        // Other work on the machine can spoil a measurement, but hardly three.
        let (mut few, mut many) = (cost(&small, policy), cost(&large, policy));
        for _ in 0..2 {
            if ratio(&few, &many) >= MOST_TIME {
                (few, many) = (cost(&small, policy), cost(&large, policy));
            }
        }
        let time = ratio(&few, &many);
        assert!(time < MOST_TIME, "{policy:?}: {time:.1} x the time for 4 x the text");
        assert!(many.peak < few.peak * 6 + 65_536, "{policy:?}: {} bytes, then {}", few.peak, many.peak);
        assert!(many.peak < 10 * large.len() as u64 + 2_000_000, "{policy:?}: {} bytes", many.peak);
    }
}

fn object(members: impl Iterator<Item = String>) -> Vec<u8> {
    format!("{{{}}}", members.collect::<Vec<_>>().join(",")).into_bytes()
}

#[test]
fn fifty_megabytes_of_brackets_are_refused_or_stepped_over() {
    const SIZE: usize = 50_000_000;
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let depth = SIZE / (open.len() + close.len());
        let nested = format!("{{\"x\":{}1{}}}", open.repeat(depth), close.repeat(depth));
        let decoded: Decoded<Contract> = decode(nested.as_bytes(), Policy::Careful);
        assert!(decoded.stopped);
    }
    grows_with_the_text(|size| format!("{{\"x\":[{}[]]}}", "[[]],".repeat(size / 5)).into_bytes(), SIZE / 4);
}

#[test]
fn a_million_unknown_keys_cost_no_more_than_their_share() {
    grows_with_the_text(|count| object((0..count).map(|at| format!("\"key{at}\":[{at}]"))), 1_000_000);
}

#[test]
fn a_million_repetitions_of_a_key_cost_no_more_than_their_share() {
    grows_with_the_text(|count| object((0..count).map(|_| "\"vm_size\":\"x\"".to_owned())), 1_000_000);
    let map = |count| {
        let entries = object((0..count).map(|at| format!("\"k{}\":\"v\"", at % 7)));
        [b"{\"enabled_features\":", &entries[..], b"}"].concat()
    };
    grows_with_the_text(map, 1_000_000);
}

#[test]
fn a_million_map_entries_and_list_elements_are_all_read() {
    let text = object((0..1_000_000).map(|at| format!("\"k{at}\":\"v\"")));
    let text = [b"{\"enabled_features\":", &text[..], b"}"].concat();
    let decoded: Decoded<Contract> = decode(&text, Policy::Compatible);
    assert_eq!(decoded.message.enabled_features.len(), 1_000_000);
    grows_with_the_text(
        |count| format!("{{\"custom_ca_certs\":[{}\"\"]}}", "\"a\",7,".repeat(count)).into_bytes(),
        1_000_000,
    );
}

#[test]
fn one_string_of_fifty_megabytes_is_read_in_one_piece() {
    let string = |size: usize, part: &str| {
        format!("{{\"vm_size\":\"{}\"}}", part.repeat(size / part.len())).into_bytes()
    };
    grows_with_the_text(|size| string(size, "abcdefghij"), 50_000_000);
    grows_with_the_text(|size| string(size, "\\u00e9\\n"), 20_000_000);
    let decoded: Decoded<Contract> = decode(&string(50_000_000, "abcdefghij"), Policy::Careful);
    assert_eq!(decoded.message.vm_size.len(), 50_000_000);
}
