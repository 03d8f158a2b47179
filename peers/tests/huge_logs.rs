//! Logs of 100 MB in the shipped program: each is read in under two seconds, in memory that does not depend on its size.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the test writes logs, and runs and measures the binary"
)]

use std::fs;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::Command;

use slipway_peers::binary::slipway;

const SIZE: usize = 100_000_000;
const MOST_SECONDS: f64 = 2.0;
const MOST_KIB: f64 = 48.0 * 1024.0;

/// Slipway's journal, in which lines count from the beginning of an attempt on.
const JOURNAL: &str = "var/lib/slipway/journal.jsonl";
const BEGINS: &str =
    "{\"event\":\"attempt-began\",\"id\":\"a1\",\"boot\":\"b1\",\"time\":\"2026-11-15T08:00:00.000000Z\"}\n";

/// Every log that can grow, and lines of it.
const LOGS: [(&str, &str); 14] = [
    (
        "cluster-provision.log",
        "+ local task=AKS.CSE.x\n+ local 'startTime=2026-11-15 08:00:00.000'\n+ for i in $(seq 1 100); do something --with a=b; done\nReading package lists...\n+ local 'endTime=2026-11-15 08:00:00.100'\n",
    ),
    (
        "cloud-init.log",
        "2026-11-15 08:00:00,000 - util.py[DEBUG]: Reading from /proc/uptime (quiet=False) and more words\n2026-11-15 08:00:00,100 - handlers.py[DEBUG]: start: init-local/check-cache: attempting to read from cache\n2026-11-15 08:00:00,200 - handlers.py[DEBUG]: finish: init-local/check-cache: SUCCESS: no cache found\n",
    ),
    (
        "cloud-init-output.log",
        "Get:12 http://azure.archive.ubuntu.com/ubuntu jammy-updates/main amd64 Packages [1,234 kB]\n",
    ),
    (
        "waagent.log",
        "2026-11-15T08:00:00.000000Z INFO ExtHandler ExtHandler [CGW] Disabling resource usage monitoring. Reason: x\n2026-11-15T08:00:00.000000Z INFO ExtHandler [Microsoft.Azure.Extensions.CustomScript-2.1.10] Executing command: bin/custom-script-shim enable with environment variables: {}\n2026-11-15T08:00:01.000000Z INFO ExtHandler [Microsoft.Azure.Extensions.CustomScript-2.1.10] Command: bin/custom-script-shim enable\n[stdout]\n",
    ),
    (
        "syslog",
        "Nov 15 08:00:00 aks-nodepool1-vmss000000 systemd[1]: Started Session 12 of User azureuser, and other words.\n",
    ),
    (
        "handler.log",
        "time=2026-11-15T08:00:00Z version=v2.1.10/git@x-clean operation=enable seq=0 event=start\ntime=2026-11-15T08:00:01Z version=v2.1.10/git@x-clean operation=enable seq=0 event=end\n",
    ),
    (
        "custom-script/download/0/stdout",
        "some words that a command printed, and nothing that anybody looks for\n",
    ),
    (
        "journal.jsonl",
        "{\"__REALTIME_TIMESTAMP\":\"1794773862632709\",\"__MONOTONIC_TIMESTAMP\":\"4908781367\",\"SYSLOG_IDENTIFIER\":\"kubelet\",\"_SYSTEMD_UNIT\":\"kubelet.service\",\"MESSAGE\":\"I1115 20:17:49.669342     907 flags.go:64] FLAG: --address=\\\"0.0.0.0\\\"\"}\n",
    ),
    (
        "journal.export",
        "__CURSOR=s=1\n__REALTIME_TIMESTAMP=1794773862632709\n__MONOTONIC_TIMESTAMP=4908781367\nSYSLOG_IDENTIFIER=kubelet\nMESSAGE=I1115 20:17:49.669342     907 flags.go:64] FLAG: --address\n\n",
    ),
    // Steps that end, steps that never do, and attempts.
    (
        JOURNAL,
        "{\"event\":\"step-began\",\"step\":\"start-containerd\",\"time\":\"2026-11-15T08:00:00.000000Z\"}\n{\"event\":\"step-ended\",\"step\":\"start-containerd\",\"time\":\"2026-11-15T08:00:01.000000Z\",\"outcome\":\"done\"}\n",
    ),
    (
        JOURNAL,
        "{\"event\":\"step-began\",\"step\":\"start-containerd\",\"time\":\"2026-11-15T08:00:00.000000Z\"}\n",
    ),
    (JOURNAL, BEGINS),
    (
        "units.txt",
        "Id=containerd.service\nInactiveExitTimestamp=Sun 2026-11-15 08:00:00 UTC\nInactiveExitTimestampMonotonic=12000000\nActiveEnterTimestamp=Sun 2026-11-15 08:00:01 UTC\nActiveEnterTimestampMonotonic=13000000\n\n",
    ),
    (
        "dump.txt",
        "-> Unit containerd.service:\n\tDescription: containerd container runtime\n\tInactive Exit Timestamp: Sun 2026-11-15 08:00:00 UTC\n\tActive Enter Timestamp: Sun 2026-11-15 08:00:01 UTC\n",
    ),
];

fn write(path: &Path, lines: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let block = lines.repeat(65_536 / lines.len());
    let mut file = BufWriter::new(fs::File::create(path).unwrap());
    if path.ends_with(JOURNAL) {
        file.write_all(BEGINS.as_bytes()).unwrap();
    }
    for _ in 0..SIZE / block.len() {
        file.write_all(block.as_bytes()).unwrap();
    }
    file.flush().unwrap();
}

#[test]
fn a_log_of_100_megabytes_is_read_within_two_seconds_and_48_megabytes() {
    let (binary, area) = (slipway(), Path::new(env!("CARGO_TARGET_TMPDIR")).join("huge-logs"));
    for (name, lines) in LOGS {
        let _ = fs::remove_dir_all(&area);
        write(&area.join(name), lines);
        // A machine that does something else meanwhile is no reason: processor time counts.
        let output = Command::new("/usr/bin/time")
            .args(["-f", "%U %S %M"])
            .arg(&binary)
            .args(["anatomy", "-o", "json", "--from"])
            .arg(&area)
            .output()
            .expect("GNU time is missing: run ./test, which installs it");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{name}: {said}");
        let cost: Vec<f64> =
            said.lines().last().unwrap().split(' ').map(|number| number.parse().unwrap()).collect();
        let [user, system, peak] = cost[..] else { panic!("{said}") };
        println!("{name}: {:.2} s, {peak} KiB", user + system);
        assert!(user + system < MOST_SECONDS, "{name}: {user} and {system} s");
        assert!(peak < MOST_KIB, "{name}: {peak} KiB");
    }
    fs::remove_dir_all(&area).unwrap();
}
