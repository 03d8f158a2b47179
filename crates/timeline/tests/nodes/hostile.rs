//! Evidence that is cut, garbled or huge: what is there counts, and nothing breaks.

use std::io::{BufReader, Read};
use std::time::Duration;

use jiff::tz::TimeZone;
use slipway_timeline::evidence::Kind;
use slipway_timeline::{Anatomy, Evidence};

use super::{data, files, read};

const KINDS: [Kind; 16] = [
    Kind::SlipwayJournal,
    Kind::Result,
    Kind::Event,
    Kind::CloudInitLog,
    Kind::CloudInitOutput,
    Kind::CloudInitStatus,
    Kind::AgentLog,
    Kind::ExtensionLog,
    Kind::ExtensionOutput,
    Kind::ExtensionSettings,
    Kind::Trace,
    Kind::JournalJson,
    Kind::JournalExport,
    Kind::Units,
    Kind::ManagerDump,
    Kind::Platform,
];

fn nodes() -> Vec<String> {
    let nodes = std::fs::read_dir(data("")).unwrap();
    nodes.map(|node| node.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn the_data_has_every_kind_of_file() {
    let all: Vec<Kind> = nodes().iter().flat_map(|node| files(node)).map(|(_, kind, _)| kind).collect();
    for kind in KINDS {
        assert!(all.contains(&kind), "{kind:?}");
    }
}

#[test]
fn a_file_that_is_cut_anywhere_gives_what_was_before_the_cut() {
    for (name, kind, text) in nodes().iter().flat_map(|node| files(node)) {
        let whole = read(&name, kind, &text);
        let step = (text.len() / 40).max(1);
        for end in (0..text.len()).step_by(step) {
            let part = read(&name, kind, &text[..end]);
            assert!(part.seen.len() <= whole.seen.len(), "{name} at {end}");
            Anatomy::of(part);
        }
    }
}

#[test]
fn a_file_with_garbled_bytes_and_a_file_of_another_kind_break_nothing() {
    for (at, (name, _, text)) in nodes().iter().flat_map(|node| files(node)).enumerate() {
        let mut garbled = text.clone();
        let mut state = at as u64 + 1;
        for _ in 0..=garbled.len() / 50 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let place = usize::try_from(state >> 33).unwrap() % garbled.len().max(1);
            if let Some(byte) = garbled.get_mut(place) {
                *byte = state.to_le_bytes()[3];
            }
        }
        let kinds: Vec<Kind> = if at % 8 == 0 { KINDS.to_vec() } else { vec![KINDS[at % KINDS.len()]] };
        for kind in kinds {
            Anatomy::of(read(&name, kind, &garbled));
        }
    }
}

#[test]
fn what_is_no_evidence_is_said_with_its_place() {
    let json = [Kind::Event, Kind::CloudInitStatus, Kind::ExtensionSettings, Kind::Platform];
    for kind in json {
        let evidence = read("x", kind, b"{\"a\":\n 1,, }");
        assert_eq!(evidence.problems[0].line, Some(2), "{kind:?}");
    }
    for kind in [Kind::SlipwayJournal, Kind::JournalJson] {
        let evidence = read("x", kind, b"\n{\"MESSAGE\": \"cut he");
        assert_eq!(
            (evidence.problems[0].file.as_str(), evidence.problems[0].line),
            ("x", Some(2)),
            "{kind:?}"
        );
    }
    let evidence = read("x", Kind::Result, b"");
    assert!(evidence.problems[0].message.contains("has no result"));
    let endless = vec![b'x'; 1_000_000];
    for kind in KINDS {
        let evidence = read("x", kind, &endless);
        assert!(evidence.spans.is_empty() && evidence.seen.is_empty(), "{kind:?}");
    }
    let cut = read("x", Kind::JournalExport, b"__CURSOR=1\nMESSAGE\n\xff\xff\xff\xff\xff\xff\xff\xffabc");
    assert!(cut.problems[0].message.contains("is cut"), "{:?}", cut.problems);
}

/// A text that is made while it is read.
struct Endless {
    line: Vec<u8>,
    at: usize,
    left: usize,
}

impl Read for Endless {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let length = into.len().min(self.left).min(self.line.len() - self.at);
        into[..length].copy_from_slice(&self.line[self.at..self.at + length]);
        (self.at, self.left) = ((self.at + length) % self.line.len(), self.left - length);
        Ok(length)
    }
}

/// How long this thread was on a processor: others use them, too.
fn processor_time() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(told.split(' ').next().unwrap().parse().unwrap())
}

#[test]
fn a_huge_log_is_read_in_bounded_memory_and_time() {
    const SIZE: usize = 100_000_000;
    // Without the compiler's help a part of it has to do; the shipped program is measured with all of it.
    let size = if cfg!(debug_assertions) { SIZE / 50 } else { SIZE };
    let lines: [(Kind, &str); 11] = [
        (
            Kind::Trace,
            "+ local task=AKS.CSE.x\n+ local 'startTime=2026-11-15 08:00:00.000'\n+ for i in $(seq 1 100); do something --with a=b; done\nReading package lists...\n+ local 'endTime=2026-11-15 08:00:00.100'\n",
        ),
        (
            Kind::CloudInitLog,
            "2026-11-15 08:00:00,000 - util.py[DEBUG]: Reading from /proc/uptime (quiet=False) and more words\n",
        ),
        (
            Kind::CloudInitOutput,
            "Get:12 http://azure.archive.ubuntu.com/ubuntu jammy-updates/main amd64 Packages [1,234 kB]\n",
        ),
        (
            Kind::AgentLog,
            "2026-11-15T08:00:00.000000Z INFO ExtHandler ExtHandler [CGW] Disabling resource usage monitoring. Reason: x\n2026-11-15T08:00:00.000000Z INFO ExtHandler [Microsoft.Azure.Extensions.CustomScript-2.1.10] Executing command: x with environment variables: {}\n2026-11-15T08:00:01.000000Z INFO ExtHandler [Microsoft.Azure.Extensions.CustomScript-2.1.10] Command: x\n[stdout]\n",
        ),
        (
            Kind::ExtensionLog,
            "time=2026-11-15T08:00:00Z version=v2.1.10 operation=enable seq=0 event=start\ntime=2026-11-15T08:00:01Z version=v2.1.10 operation=enable seq=0 event=end\n",
        ),
        (
            Kind::SlipwayJournal,
            "{\"event\":\"attempt-began\",\"id\":\"a1\",\"boot\":\"b1\",\"time\":\"2026-11-15T08:00:00Z\"}\n{\"event\":\"step-began\",\"step\":\"start-containerd\",\"time\":\"2026-11-15T08:00:00.000000Z\"}\n{\"event\":\"step-ended\",\"step\":\"start-containerd\",\"time\":\"2026-11-15T08:00:01.000000Z\",\"outcome\":\"done\"}\n{\"event\":\"step-began\",\"step\":\"start-kubelet\",\"time\":\"2026-11-15T08:00:01.000000Z\"}\n",
        ),
        (
            Kind::Units,
            "Id=containerd.service\nInactiveExitTimestamp=Sun 2026-11-15 08:00:00 UTC\nActiveEnterTimestamp=Sun 2026-11-15 08:00:01 UTC\n\n",
        ),
        (
            Kind::ManagerDump,
            "-> Unit containerd.service:\n\tInactive Exit Timestamp: Sun 2026-11-15 08:00:00 UTC\n",
        ),
        (Kind::ExtensionOutput, "some words that a command printed, and nothing that anybody looks for\n"),
        (
            Kind::JournalJson,
            "{\"__REALTIME_TIMESTAMP\":\"1794773862632709\",\"__MONOTONIC_TIMESTAMP\":\"4908781367\",\"SYSLOG_IDENTIFIER\":\"kubelet\",\"_SYSTEMD_UNIT\":\"kubelet.service\",\"MESSAGE\":\"I1115 20:17:49.669342     907 flags.go:64] FLAG: --address=\\\"0.0.0.0\\\"\"}\n",
        ),
        (
            Kind::JournalExport,
            "__CURSOR=s=1\n__REALTIME_TIMESTAMP=1794773862632709\n__MONOTONIC_TIMESTAMP=4908781367\nSYSLOG_IDENTIFIER=kubelet\nMESSAGE=I1115 20:17:49.669342     907 flags.go:64] FLAG: --address\n\n",
        ),
    ];
    for (kind, line) in lines {
        let before = processor_time();
        let text = Endless { line: line.as_bytes().to_vec(), at: 0, left: size };
        let mut input = BufReader::with_capacity(65_536, text);
        let evidence = Evidence::read(kind, "huge", &TimeZone::UTC, &mut input);
        let kept = evidence.spans.len() + evidence.seen.len() + evidence.ticks.len() + evidence.signs.len();
        assert!(kept <= 20_000, "{kind:?}: {kept}");
        let took = processor_time().saturating_sub(before);
        println!("{kind:?}: {took:?}");
        assert!(took < Duration::from_secs(2), "{kind:?}: {took:?}");
    }
}
