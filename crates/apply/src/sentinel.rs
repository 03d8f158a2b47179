//! The file by which others learn that an attempt has ended. It is on the record, so that a reset takes it away, and brings
//! back what was there before.

use std::io;
use std::path::Path;

use slipway_host::Host;
use slipway_model::Attributes;

use crate::carry::carry;
use crate::home;
use crate::ledger::{Ledger, State};
use crate::tree::{ABOVE, digest, make_directory, missing_above, put_file};

/// Puts an empty file in its place, durably.
pub fn raise_sentinel(host: &dyn Host, path: &Path, attributes: Attributes) -> io::Result<()> {
    home::sweep(host)?;
    home::make(host)?;
    let ledger = Ledger::open(host)?;
    let above = missing_above(host, path)?;
    for directory in &above {
        ledger.replace(host, directory, State::Directory { attributes: ABOVE })?;
    }
    ledger.replace(host, path, State::File { attributes, sha256: digest(&[]) })?;
    ledger.settle(host)?;
    for directory in &above {
        make_directory(host, directory, ABOVE)?;
    }
    put_file(host, path, attributes, &[], None)?;
    host.sync()
}

/// Takes the file away; where there is none, nothing is touched.
pub fn lower_sentinel(host: &dyn Host, path: &Path) -> io::Result<()> {
    if host.entry(path)?.is_none() {
        return Ok(());
    }
    home::sweep(host)?;
    home::make(host)?;
    let ledger = Ledger::open(host)?;
    let aside = ledger.set_aside(host, path)?;
    ledger.settle(host)?;
    match aside {
        Some(aside) => carry(host, path, &aside),
        None => home::clear(host, path),
    }?;
    host.sync()
}

#[cfg(test)]
mod tests {
    use slipway_host::Recorded;

    use super::*;
    use crate::{ResetOptions, Unwatched, reset};

    const PATH: &str = "/opt/x/complete";

    #[test]
    fn a_sentinel_comes_and_goes_and_a_reset_brings_back_what_was_there() {
        for dirty in [false, true] {
            let host = Recorded::below();
            if dirty {
                host.make_directory(Path::new("/opt"), ABOVE).unwrap();
                host.make_directory(Path::new("/opt/x"), ABOVE).unwrap();
                let mut file = host.create(Path::new(PATH), Attributes::root(0o640)).unwrap();
                file.write_all(b"theirs").unwrap();
            }
            for _ in 0..2 {
                lower_sentinel(&host, Path::new(PATH)).unwrap();
                assert_eq!(host.entry(Path::new(PATH)).unwrap(), None);
                raise_sentinel(&host, Path::new(PATH), Attributes::root(0o600)).unwrap();
                assert_eq!(host.read(Path::new(PATH)).unwrap(), b"");
            }
            let report = reset(&host, ResetOptions::default(), &Unwatched).unwrap();
            assert!(report.kept.is_empty() && report.failed.is_empty(), "{report:?}");
            let left = host.read(Path::new(PATH)).ok();
            assert_eq!(left.as_deref(), dirty.then_some(&b"theirs"[..]));
            assert_eq!(host.entry(Path::new("/opt")).unwrap().is_some(), dirty);
        }
    }
}
