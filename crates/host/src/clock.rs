//! The time, in the machine's zone.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use crate::files;

/// The time now, in the machine's zone.
pub fn now() -> Zoned {
    static ZONE: OnceLock<TimeZone> = OnceLock::new();
    Timestamp::now().to_zoned(ZONE.get_or_init(|| zone(env::var_os("TZ").as_deref().map(Path::new))).clone())
}

/// Seconds since 1970.
pub fn unix_seconds() -> i64 {
    let elapsed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(elapsed.as_secs()).unwrap_or(i64::MAX)
}

/// The zone as Go finds it: the file that `TZ` names, else `/etc/localtime`, else UTC. One file is read; a database of
/// all zones would cost more than everything else that a start does.
fn zone(variable: Option<&Path>) -> TimeZone {
    let file = match variable {
        None => PathBuf::from("/etc/localtime"),
        Some(name) if name.as_os_str().is_empty() => return TimeZone::UTC,
        Some(name) => {
            let name = name.to_str().and_then(|name| name.strip_prefix(':')).map_or(name, Path::new);
            Path::new("/usr/share/zoneinfo").join(name)
        }
    };
    files::read(&file).ok().and_then(|data| TimeZone::tzif("Local", &data).ok()).unwrap_or(TimeZone::UTC)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_zone_is_the_one_that_is_named_and_utc_otherwise() {
        let noon: Timestamp = "2026-01-15T12:00:00Z".parse().unwrap();
        let hour = |name: &str| noon.to_zoned(zone(Some(Path::new(name)))).hour();
        assert_eq!((hour(""), hour("no/such/zone"), hour("/etc/passwd"), hour("UTC")), (12, 12, 12, 12));
        if Path::new("/usr/share/zoneinfo/Asia/Tokyo").exists() {
            let absolute = "/usr/share/zoneinfo/Asia/Tokyo";
            assert_eq!((hour("Asia/Tokyo"), hour(":Asia/Tokyo"), hour(absolute)), (21, 21, 21));
        }
    }
}
