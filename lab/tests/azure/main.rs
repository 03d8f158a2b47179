//! The emulated Azure, asked over the loopback.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod artifacts;
mod client;
mod connections;
mod faults;
mod images;
mod metadata;
mod wireserver;

use std::net::Ipv4Addr;

use slipway_lab::azure::{Addresses, Azure, Config, Identity, Machine, Subnet};
use tempfile::TempDir;

/// An Azure with one machine, and the directories that it serves.
struct Lab {
    azure: Azure,
    directory: TempDir,
}

impl Lab {
    fn of(machines: Vec<Machine>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let (files, images) = (directory.path().join("files"), directory.path().join("images"));
        std::fs::create_dir(&files).unwrap();
        let config = Config { addresses: Addresses::loopback(), machines, files, images };
        Self { azure: Azure::start(config).unwrap(), directory }
    }

    fn new() -> Self {
        Self::of(vec![machine()])
    }
}

fn machine() -> Machine {
    let subnet = Subnet { address: Ipv4Addr::new(10, 224, 0, 0), prefix: 16 };
    let mut machine = Machine::new("lab-node-0", Ipv4Addr::new(10, 224, 0, 4), subnet);
    machine.tags = vec![("owner".into(), "lab".into()), ("SkipBinaryCleanup".into(), "true".into())];
    machine.identities = vec![Identity { client_id: "client-one".into(), object_id: "object-one".into() }];
    machine
}
