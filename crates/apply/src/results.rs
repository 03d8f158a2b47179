//! Files that belong to an attempt and to none of its steps.

use std::io;
use std::path::Path;

use slipway_host::Host;
use slipway_model::Attributes;

use crate::attempt::{ApplyError, Problem};
use crate::carry::carry;
use crate::home;
use crate::ledger::{Ledger, State};
use crate::tree::{ABOVE, digest, make_directory, missing_above, put_file};
use crate::work::at;

/// Results, sentinels: whatever is published about an attempt. A reset takes it back like everything else.
pub struct Results<'a> {
    host: &'a dyn Host,
    ledger: Ledger,
}

impl<'a> Results<'a> {
    /// The results of a host. Whoever calls holds the lock, and no attempt is under way.
    pub fn open(host: &'a dyn Host) -> Result<Self, ApplyError> {
        let opened = home::sweep(host).and_then(|()| home::make(host)).and_then(|()| Ledger::open(host));
        let ledger = opened.map_err(|source| ApplyError::State { path: home::LEDGER.into(), source })?;
        Ok(Self { host, ledger })
    }

    /// Puts a file in its place, in one instant, and makes it durable.
    pub fn put(&self, path: &Path, attributes: Attributes, content: &[u8]) -> Result<(), Problem> {
        let put = || -> io::Result<()> {
            let above = missing_above(self.host, path)?;
            for directory in &above {
                self.ledger.replace(self.host, directory, State::Directory { attributes: ABOVE })?;
            }
            let leaves = State::File { attributes, sha256: digest(content) };
            self.ledger.replace(self.host, path, leaves)?;
            self.ledger.settle(self.host)?;
            for directory in &above {
                make_directory(self.host, directory, ABOVE)?;
            }
            put_file(self.host, path, attributes, content, None)?;
            self.host.sync()
        };
        put().map_err(|error| at(path, &error))
    }

    /// Removes a file, if there is one.
    pub fn remove(&self, path: &Path) -> Result<(), Problem> {
        let remove = || -> io::Result<()> {
            if self.host.entry(path)?.is_none() {
                return Ok(());
            }
            let aside = self.ledger.set_aside(self.host, path)?;
            self.ledger.settle(self.host)?;
            match aside {
                Some(aside) => carry(self.host, path, &aside)?,
                None => home::clear(self.host, path)?,
            }
            self.host.sync()
        };
        remove().map_err(|error| at(path, &error))
    }
}
