use slipway_host::Host;

use crate::{Missing, text};

const ONLINE: &str = "/sys/devices/system/cpu/online";
const MEMORY: &str = "/proc/meminfo";

/// How many processors are online.
pub(crate) fn cpus(host: &dyn Host) -> Result<u32, Missing> {
    count(text(host, ONLINE)?.trim())
        .ok_or(Missing::Content(ONLINE.to_owned(), "it is no list of processors"))
}

/// How many numbers are in a list such as `0-3,8`.
fn count(ranges: &str) -> Option<u32> {
    ranges.split(',').try_fold(0, |sum: u32, range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        sum.checked_add(last.checked_sub(first)?.checked_add(1)?)
    })
}

/// How much memory the kernel has.
pub(crate) fn memory_bytes(host: &dyn Host) -> Result<u64, Missing> {
    let total = text(host, MEMORY)?.lines().find_map(|line| {
        let kilobytes = line.strip_prefix("MemTotal:")?.trim().strip_suffix("kB")?;
        kilobytes.trim().parse::<u64>().ok()?.checked_mul(1024)
    });
    total.ok_or(Missing::Content(MEMORY.to_owned(), "it has no total"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_processors_are_counted() {
        for (list, expected) in [
            ("0", Some(1)),
            ("0-3", Some(4)),
            ("0-3,8,10-11", Some(7)),
            ("", None),
            ("3-0", None),
            ("a", None),
        ] {
            assert_eq!(count(list), expected, "{list}");
        }
    }
}
