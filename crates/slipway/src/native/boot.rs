//! The boot's moments, asked of the service manager.

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use slipway_host::{Host, now};
use slipway_timeline::{BOOT_UNITS, BootMoments};

/// What the service manager knows of this boot; nothing below a root.
pub(crate) fn moments(host: &dyn Host) -> BootMoments {
    let mut moments = BootMoments::default();
    if !host.is_live() {
        return moments;
    }
    let zone = now().time_zone().clone();
    if let Ok(boot) = host.boot_moments() {
        moments.kernel = zoned(boot.kernel, &zone);
        moments.userspace = zoned(boot.userspace, &zone);
        moments.finished = zoned(boot.finished, &zone);
    }
    for (unit, take) in BOOT_UNITS {
        let started = host.unit(unit).ok().and_then(|state| zoned(state.main_started, &zone));
        take(&mut moments, started);
    }
    moments
}

fn zoned(micros: u64, zone: &TimeZone) -> Option<Zoned> {
    let micros = i64::try_from(micros).ok().filter(|micros| *micros > 0)?;
    Some(Timestamp::from_microsecond(micros).ok()?.to_zoned(zone.clone()))
}
