//! The work of one step: what its operations share.

use std::io;
use std::path::{Path, PathBuf};

use slipway_host::Host;
use slipway_plan::Step;

use crate::attempt::{Effect, Problem};
use crate::carry::carry;
use crate::home;
use crate::journal::{Journal, Line};
use crate::ledger::{Entry, Ledger, State};
use crate::outside::{Outside, Patience};
use crate::tree::{ABOVE, Edit, There, Wanted, look, make_directory, missing_above, put_file, put_link};

/// Where the work is done, and where it is recorded.
pub(crate) struct Site<'a> {
    pub(crate) host: &'a dyn Host,
    pub(crate) outside: &'a dyn Outside,
    pub(crate) ledger: Ledger,
    pub(crate) journal: Journal,
}

/// A step at work.
#[derive(Clone, Copy)]
pub(crate) struct Work<'a> {
    pub(crate) site: &'a Site<'a>,
    pub(crate) step: &'a Step,
    pub(crate) patience: Patience<'a>,
}

/// An edit whose before-image is recorded.
pub(crate) struct Prepared<'a> {
    edit: Edit<'a>,
    above: Vec<PathBuf>,
    aside: Option<PathBuf>,
}

impl<'a> Work<'a> {
    pub(crate) fn host(&self) -> &'a dyn Host {
        self.site.host
    }

    /// Brings edits about: records what they replace, makes that durable, does them.
    pub(crate) fn edit(&self, edits: Vec<Edit<'_>>) -> Result<Effect, Problem> {
        let due = self.prepare(edits)?;
        self.settle()?;
        self.perform(&due)
    }

    /// Records what edits replace; what is so already falls out.
    pub(crate) fn prepare<'e>(&self, edits: Vec<Edit<'e>>) -> Result<Vec<Prepared<'e>>, Problem> {
        let mut due = Vec::new();
        for edit in edits {
            let there = look(self.host(), &edit.path).map_err(|error| at(&edit.path, &error))?;
            if self.is_so(&edit, &there)? {
                continue;
            }
            let prepared = self.record(&edit, &there).map_err(|error| at(&edit.path, &error))?;
            due.push(Prepared { above: prepared.0, aside: prepared.1, edit });
        }
        Ok(due)
    }

    /// Does what was prepared. Doing it twice does no harm.
    pub(crate) fn perform(&self, due: &[Prepared<'_>]) -> Result<Effect, Problem> {
        for prepared in due {
            let path = &prepared.edit.path;
            self.put(prepared).map_err(|error| at(path, &error))?;
        }
        Ok(if due.is_empty() { Effect::Unchanged } else { Effect::Changed })
    }

    /// Makes records durable.
    pub(crate) fn settle(&self) -> Result<(), Problem> {
        let settled = self.site.ledger.settle(self.host());
        settled.map_err(|error| Problem::system(home::LEDGER, &error))
    }

    /// Says in the journal that something is about to change.
    pub(crate) fn changing(&self, what: &str) -> io::Result<()> {
        self.note(&Line::Changing { step: self.step.id.0.to_owned(), what: what.to_owned() })
    }

    /// Adds a line to the journal.
    pub(crate) fn note(&self, line: &Line) -> io::Result<()> {
        self.site.journal.add(self.host(), line)
    }

    /// Adds an entry to the ledger and says so in the journal.
    pub(crate) fn enter(&self, what: &str, entry: Entry) -> Result<(), Problem> {
        let entered = self.site.ledger.record(self.host(), entry).and_then(|()| self.changing(what));
        entered.map_err(|error| Problem::system(what, &error))
    }

    /// Records and makes the directories above a path.
    pub(crate) fn make_above(&self, path: &Path) -> Result<(), Problem> {
        let host = self.host();
        let made = || -> io::Result<Vec<PathBuf>> {
            let above = missing_above(host, path)?;
            for directory in &above {
                self.site.ledger.replace(host, directory, State::Directory { attributes: ABOVE })?;
            }
            Ok(above)
        };
        let above = made().map_err(|error| at(path, &error))?;
        self.settle()?;
        for directory in above {
            make_directory(host, &directory, ABOVE).map_err(|error| at(&directory, &error))?;
        }
        Ok(())
    }

    fn is_so(&self, edit: &Edit<'_>, there: &There) -> Result<bool, Problem> {
        if edit.wanted.is(there) {
            return Ok(true);
        }
        let refused = |found: &str| Err(Problem::new(edit.path.display().to_string(), found));
        match (&edit.wanted, there) {
            // An image may keep a directory elsewhere and link to it.
            (Wanted::Directory(_), There::Link { .. }) if self.host().list(&edit.path).is_ok() => Ok(true),
            (Wanted::Directory(_), There::File { .. } | There::Link { .. }) => {
                refused("there is a file where a directory should be")
            }
            (Wanted::File { .. } | Wanted::Link(_), There::Directory { .. }) => {
                refused("there is a directory where a file should be")
            }
            (Wanted::Absent, _) => Ok(false),
            (_, There::Other) => refused("there is a device, a pipe or a socket"),
            _ => Ok(false),
        }
    }

    fn record(&self, edit: &Edit<'_>, there: &There) -> io::Result<(Vec<PathBuf>, Option<PathBuf>)> {
        let (host, ledger) = (self.host(), &self.site.ledger);
        let above = missing_above(host, &edit.path)?;
        for directory in &above {
            ledger.replace(host, directory, State::Directory { attributes: ABOVE })?;
        }
        let mut aside = None;
        match (&edit.wanted, there) {
            (Wanted::Directory(wanted), There::Directory { attributes }) => {
                let path = edit.path.to_path_buf();
                ledger.record(host, Entry::Attributes { path, was: *attributes, leaves: *wanted })?;
            }
            (Wanted::Absent, _) => aside = ledger.set_aside(host, &edit.path)?,
            (wanted, _) => ledger.replace(host, &edit.path, wanted.state())?,
        }
        self.changing(&edit.path.to_string_lossy())?;
        Ok((above, aside))
    }

    fn put(&self, prepared: &Prepared<'_>) -> io::Result<()> {
        let (host, path) = (self.host(), &prepared.edit.path);
        for directory in &prepared.above {
            make_directory(host, directory, ABOVE)?;
        }
        match &prepared.edit.wanted {
            Wanted::Absent => match &prepared.aside {
                Some(_) if host.entry(path)?.is_none() => Ok(()),
                Some(aside) => carry(host, path, aside),
                None => home::clear(host, path),
            },
            Wanted::Directory(attributes) => match host.entry(path)? {
                Some(_) => host.set_attributes(path, *attributes),
                None => make_directory(host, path, *attributes),
            },
            Wanted::Link(target) => put_link(host, path, target, None),
            Wanted::File { attributes, content } => put_file(host, path, *attributes, content, None),
        }
    }
}

impl Prepared<'_> {
    pub(crate) fn path(&self) -> &Path {
        &self.edit.path
    }
}

/// What the system says about a path.
pub(crate) fn at(path: &Path, error: &io::Error) -> Problem {
    Problem::system(path.display().to_string(), error)
}
