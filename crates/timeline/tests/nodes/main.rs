//! Nodes and what their evidence tells: a real one, and others in the shapes that real ones have.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "the tests read their data and fail by panicking"
)]

mod again;
mod drawn;
mod hostile;
mod ordered;
mod real;
mod shapes;
mod troubles;
mod versions;
mod zones;

use std::io::Cursor;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use slipway_timeline::evidence::{HEAD, Kind};
use slipway_timeline::{Anatomy, Evidence, Interval};

fn data(node: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(node)
}

/// The files of a node: names within it, kinds, contents.
fn files(node: &str) -> Vec<(String, Kind, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![data(node)];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let name = path.strip_prefix(data(node)).unwrap().to_str().unwrap().to_owned();
        let text = std::fs::read(&path).unwrap();
        if let Some(kind) = Kind::of(&name, &text[..text.len().min(HEAD)]) {
            found.push((name, kind, text));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

fn read(name: &str, kind: Kind, text: &[u8]) -> Evidence {
    Evidence::read(kind, name, &TimeZone::UTC, &mut Cursor::new(text))
}

fn anatomy(node: &str) -> Anatomy {
    Anatomy::of(files(node).iter().map(|(name, kind, text)| read(name, *kind, text)).collect())
}

fn named<'a>(anatomy: &'a Anatomy, name: &str) -> &'a Interval {
    let found = anatomy.intervals.iter().find(|interval| interval.name == name);
    found.unwrap_or_else(|| panic!("no {name} in {:#?}", anatomy.intervals))
}

fn found(anatomy: &Anatomy) -> Vec<&str> {
    let mut ids: Vec<&str> = anatomy.findings.iter().map(|finding| finding.id).collect();
    ids.dedup();
    ids
}

/// Seconds since a node's start.
fn since(start: &str, time: Timestamp) -> f64 {
    time.duration_since(start.parse().unwrap()).as_secs_f64()
}

/// Every moment of the way is told of once.
fn assert_whole(anatomy: &Anatomy) {
    let (first, last) = (anatomy.path.first().unwrap(), anatomy.path.last().unwrap());
    assert_eq!((Some(first.start), Some(last.end)), (anatomy.start(), anatomy.goal()));
    for pair in anatomy.path.windows(2) {
        assert_eq!(pair[0].end, pair[1].start);
    }
    let shares: f64 = anatomy.shares.iter().map(|share| share.took.as_secs_f64()).sum();
    let phases: f64 = anatomy.phases.values().sum();
    assert!((shares - anatomy.total_seconds).abs() < 1e-6, "{shares} {}", anatomy.total_seconds);
    assert!((phases - anatomy.total_seconds).abs() < 1e-6, "{phases} {}", anatomy.total_seconds);
    assert_eq!(
        anatomy.gaps.len(),
        anatomy.path.iter().filter(|part| part.interval.is_none()).count(),
        "every gap has a name"
    );
    for interval in &anatomy.intervals {
        assert!(interval.saves <= interval.took(), "{interval:?}");
    }
}
