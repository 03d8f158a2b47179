//! `slipway` on a host where one thing goes wrong. Arguments are those of `slipway`; the environment says the rest:
//! `FAULT` what goes wrong and when, as [`Fault::parse`] reads it; `WORKERS` how many steps run at once, by default one,
//! so that operations have the same numbers each time; `OPERATIONS` a file that gets the list of operations at the end.

#![expect(clippy::disallowed_methods, reason = "the list of operations is for the test, not for the machine")]

use std::cell::RefCell;
use std::env;
use std::io;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;

use slipway::Surroundings;
use slipway_host::{Fault, Faulty, Host, Machine, Operations};

fn main() -> ExitCode {
    let fault = env::var("FAULT").ok().map(|text| Fault::parse(&text).expect("FAULT names a fault"));
    let workers = env::var("WORKERS").ok().map(|text| text.parse().expect("WORKERS is a number above zero"));
    let record: RefCell<Option<Operations>> = RefCell::default();
    let machine = |root: Option<&Path>| -> io::Result<Box<dyn Host>> {
        // The machine itself is nothing to try faults on.
        let root = root.ok_or_else(|| io::Error::other("a test works below --root"))?;
        let host = Faulty::new(Machine::below(root)?, fault);
        record.replace(Some(host.record()));
        Ok(Box::new(host))
    };
    let around = Surroundings {
        machine: &machine,
        workers: workers.or(Some(NonZeroUsize::MIN)),
        ..Surroundings::real()
    };
    let code = slipway::run_in(env::args_os(), &around);
    if let (Some(file), Some(record)) = (env::var_os("OPERATIONS"), record.take()) {
        std::fs::write(file, record.list().join("\n")).expect("OPERATIONS can be written");
    }
    code
}
