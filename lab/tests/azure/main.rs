//! The emulated Azure, asked over the loopback.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod arm;
mod artifacts;
mod client;
mod connections;
mod entra;
mod faults;
mod himds;
mod images;
mod metadata;
mod wireserver;

use std::net::Ipv4Addr;

use client::Named;
use slipway_lab::azure::{
    Addresses, Azure, Cloud, Config, Identity, MANAGEMENT, Machine, SIGN_IN, Service, Subnet, Tls,
};
use tempfile::TempDir;

/// An Azure with one machine, and the directories that it serves.
struct Lab {
    azure: Azure,
    directory: TempDir,
    authority: String,
}

impl Lab {
    fn of(machines: Vec<Machine>) -> Self {
        Self::with(machines, Cloud::default())
    }

    fn with(machines: Vec<Machine>, cloud: Cloud) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let (files, images) = (directory.path().join("files"), directory.path().join("images"));
        std::fs::create_dir(&files).unwrap();
        let tls = Tls::of_its_own(&[SIGN_IN, MANAGEMENT]).unwrap();
        let authority = tls.authority().to_owned();
        let config = Config { addresses: Addresses::loopback(), machines, files, images, cloud, tls };
        Self { azure: Azure::start(config).unwrap(), directory, authority }
    }

    fn sign_in(&self) -> Named<'_> {
        Named { address: self.azure.address(Service::Entra), name: SIGN_IN, authority: &self.authority }
    }

    fn management(&self) -> Named<'_> {
        Named { address: self.azure.address(Service::Arm), name: MANAGEMENT, authority: &self.authority }
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
