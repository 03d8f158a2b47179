//! The service manager, spoken to in its own language: units, jobs and what became of them.

mod connection;
mod wire;

use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use slipway_model::Verb;

use crate::host::{BootMoments, UnitState, runs, word};
use connection::Connection;
use wire::{Call, Message};

/// How long the manager has to answer; as long as its own clients give it.
const ANSWER: Duration = Duration::from_secs(25);
/// Reading all unit files takes longer on a machine that has just begun to boot.
const RELOAD: Duration = Duration::from_secs(90);

const MANAGER: &str = "org.freedesktop.systemd1";
const MANAGER_PATH: &str = "/org/freedesktop/systemd1";
const MANAGER_INTERFACE: &str = "org.freedesktop.systemd1.Manager";
const UNIT_INTERFACE: &str = "org.freedesktop.systemd1.Unit";
const SERVICE_INTERFACE: &str = "org.freedesktop.systemd1.Service";
const JOB_REMOVED: &str = "type='signal',sender='org.freedesktop.systemd1',\
    interface='org.freedesktop.systemd1.Manager',member='JobRemoved'";

/// Where the service manager is found.
///
/// Its private socket comes first. It is there from the first moment of a boot, while the bus socket exists before
/// anybody listens: who connects to it early waits for a bus that may be ordered after the very unit that waits.
///
/// All questions go through one conversation, which stays open for the next: on a busy machine every turn costs
/// milliseconds. The manager takes up one message at a time anyhow, and tells everybody who listens about every unit and
/// job, so a second listener makes it slower.
#[derive(Debug)]
pub(crate) struct Systemd {
    private: PathBuf,
    bus: PathBuf,
    open: Mutex<Option<Session>>,
}

impl Default for Systemd {
    fn default() -> Self {
        Self::at("/run/systemd/private", "/run/dbus/system_bus_socket")
    }
}

impl Systemd {
    fn at(private: impl Into<PathBuf>, bus: impl Into<PathBuf>) -> Self {
        Self { private: private.into(), bus: bus.into(), open: Mutex::default() }
    }

    /// The state of a unit.
    pub(crate) fn unit(&self, name: &str) -> io::Result<UnitState> {
        self.converse(ANSWER, |session| session.unit(name))
    }

    /// Whether a unit does its work or is about to. A unit that runs is one that the manager has in memory; for one that
    /// it has not, it would read files, and forget what it read before it is told to start it.
    pub(crate) fn runs(&self, name: &str) -> io::Result<bool> {
        self.converse(ANSWER, |session| {
            let unit = match session.manage("GetUnit", &[name]) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
                other => other?,
            };
            let state = property(unit.body("o")?.string()?, &[UNIT_INTERFACE, "ActiveState"]);
            let state = session.connection.call(&state, session.deadline)?;
            Ok(runs(state.body("v")?.variant_string()?))
        })
    }

    /// Reads the unit files again.
    pub(crate) fn reload(&self) -> io::Result<()> {
        self.converse(RELOAD, |session| session.manage("Reload", &[]).map(drop))
    }

    /// Asks for a job and, with a time, waits for its end: in a conversation of its own, so that others can go on.
    pub(crate) fn job(&self, unit: &str, verb: Verb, wait: Option<Duration>) -> io::Result<()> {
        // A unit that does not run reads its configuration when it starts.
        if verb == Verb::Reload && self.unit(unit)?.active != "active" {
            return Ok(());
        }
        let Some(wait) = wait else {
            return self.converse(ANSWER, |session| session.enqueue(unit, verb).map(drop));
        };
        let mut session = self.connect(ANSWER)?;
        session.listen()?;
        let job = session.enqueue(unit, verb)?;
        session.await_end(&job, unit, verb, wait)?;
        if verb == Verb::Stop {
            // It was told to end, so however it did is no failure that the manager should go on showing. One that is
            // forgotten already is meant, too.
            session.deadline = Instant::now() + ANSWER;
            let _ = session.manage("ResetFailedUnit", &[unit]);
        }
        Ok(())
    }

    /// When the system booted.
    pub(crate) fn boot_moments(&self) -> io::Result<BootMoments> {
        self.converse(ANSWER, |session| {
            let mut moment = |name| session.number(MANAGER_PATH, MANAGER_INTERFACE, name);
            Ok(BootMoments {
                kernel: moment("KernelTimestamp")?,
                initrd: moment("InitRDTimestamp")?,
                userspace: moment("UserspaceTimestamp")?,
                finished: moment("FinishTimestamp")?,
            })
        })
    }

    fn converse<T>(&self, within: Duration, talk: impl Fn(&mut Session) -> io::Result<T>) -> io::Result<T> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let was_open = open.is_some();
        let mut session = open.take().map_or_else(|| self.connect(within), Ok)?;
        session.deadline = Instant::now() + within;
        let mut told = talk(&mut session);
        // The manager may have closed it meanwhile, for example because it was started anew.
        if was_open && told.as_ref().is_err_and(has_closed) {
            session = self.connect(within)?;
            told = talk(&mut session);
        }
        if told.is_ok() {
            *open = Some(session);
        }
        told
    }

    fn connect(&self, within: Duration) -> io::Result<Session> {
        let deadline = Instant::now() + within;
        let first = match Connection::open(&self.private, deadline) {
            Ok(connection) => return Ok(Session { connection, deadline, over_bus: false }),
            Err(error) => error,
        };
        let connection = Connection::open(&self.bus, deadline).map_err(|second| {
            let (private, bus) = (self.private.display(), self.bus.display());
            let reason = format!("systemd does not answer at {private} ({first}), nor at {bus} ({second})");
            io::Error::new(second.kind(), reason)
        })?;
        let mut session = Session { connection, deadline, over_bus: true };
        session.ask_bus("Hello", &[])?;
        Ok(session)
    }
}

fn has_closed(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), BrokenPipe | ConnectionReset | UnexpectedEof)
}

/// One conversation.
#[derive(Debug)]
struct Session {
    connection: Connection,
    deadline: Instant,
    over_bus: bool,
}

impl Session {
    fn manage(&mut self, member: &str, arguments: &[&str]) -> io::Result<Message> {
        self.connection.call(&manager(member, arguments), self.deadline)
    }

    fn ask_bus(&mut self, member: &str, arguments: &[&str]) -> io::Result<Message> {
        let (name, path) = ("org.freedesktop.DBus", "/org/freedesktop/DBus");
        let call = Call { destination: name, path, interface: name, member, arguments };
        self.connection.call(&call, self.deadline)
    }

    fn number(&mut self, path: &str, interface: &str, name: &str) -> io::Result<u64> {
        self.connection.call(&property(path, &[interface, name]), self.deadline)?.body("v")?.variant_number()
    }

    fn unit(&mut self, name: &str) -> io::Result<UnitState> {
        let path = object_path(name);
        let names = [name];
        let load = manager("LoadUnit", &names);
        let [loaded, exists, active, sub, became_active, result, main_started] = self.connection.calls(
            &[
                &load,
                &property(&path, &[UNIT_INTERFACE, "LoadState"]),
                &property(&path, &[UNIT_INTERFACE, "ActiveState"]),
                &property(&path, &[UNIT_INTERFACE, "SubState"]),
                &property(&path, &[UNIT_INTERFACE, "ActiveEnterTimestamp"]),
                &property(&path, &[SERVICE_INTERFACE, "Result"]),
                &property(&path, &[SERVICE_INTERFACE, "ExecMainStartTimestamp"]),
            ],
            self.deadline,
        )?;
        loaded?;
        let text = |answer: io::Result<Message>| {
            answer.and_then(|answer| Ok(answer.body("v")?.variant_string()?.to_owned()))
        };
        let number =
            |answer: io::Result<Message>| answer.and_then(|answer| answer.body("v")?.variant_number());
        let is_service = name.ends_with(".service");
        Ok(UnitState {
            exists: text(exists)? != "not-found",
            active: text(active)?,
            sub: text(sub)?,
            became_active: number(became_active)?,
            result: if is_service { text(result)? } else { String::new() },
            main_started: if is_service { number(main_started)? } else { 0 },
        })
    }

    /// Lets the signals about jobs come to us; over the private socket they do without being asked for.
    fn listen(&mut self) -> io::Result<()> {
        self.connection.listen();
        if self.over_bus {
            self.ask_bus("AddMatch", &[JOB_REMOVED])?;
            self.manage("Subscribe", &[])?;
        }
        Ok(())
    }

    fn enqueue(&mut self, unit: &str, verb: Verb) -> io::Result<String> {
        let member = match verb {
            Verb::Start => "StartUnit",
            Verb::Restart => "RestartUnit",
            Verb::Stop => "StopUnit",
            Verb::Reload => "ReloadUnit",
        };
        Ok(self.manage(member, &[unit, "replace"])?.body("o")?.string()?.to_owned())
    }

    fn await_end(&mut self, job: &str, unit: &str, verb: Verb, wait: Duration) -> io::Result<()> {
        let deadline = Instant::now() + wait;
        loop {
            let signal = match self.connection.signal(deadline) {
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                    let reason = format!("the {} of {unit} has not ended after {wait:?}", word(verb));
                    return Err(io::Error::new(io::ErrorKind::TimedOut, reason));
                }
                other => other?,
            };
            if signal.member != "JobRemoved" {
                continue;
            }
            let mut body = signal.body("uoss")?;
            let (_, path, _, result) = (body.word()?, body.string()?, body.string()?, body.string()?);
            if path == job {
                return outcome(unit, verb, result);
            }
        }
    }
}

fn manager<'a>(member: &'a str, arguments: &'a [&'a str]) -> Call<'a> {
    Call { destination: MANAGER, path: MANAGER_PATH, interface: MANAGER_INTERFACE, member, arguments }
}

/// The question for a property: the interface and its name.
fn property<'a>(path: &'a str, arguments: &'a [&'a str]) -> Call<'a> {
    let interface = "org.freedesktop.DBus.Properties";
    Call { destination: MANAGER, path, interface, member: "Get", arguments }
}

/// Where the manager has a unit, so that nobody needs to ask: letters and digits stay, the rest is in hexadecimal. A
/// digit in front counts to the rest.
fn object_path(unit: &str) -> String {
    let mut path = "/org/freedesktop/systemd1/unit/".to_owned();
    for (index, octet) in unit.bytes().enumerate() {
        let stays = octet.is_ascii_alphabetic() || (index > 0 && octet.is_ascii_digit());
        if stays {
            path.push(char::from(octet));
        } else {
            let _ = write!(path, "_{octet:02x}");
        }
    }
    path
}

/// What a job's result means to who asked for it.
fn outcome(unit: &str, verb: Verb, result: &str) -> io::Result<()> {
    let what = match result {
        // Skipped is a job that had nothing to do.
        "done" | "skipped" => return Ok(()),
        "failed" => "failed",
        "timeout" => "took longer than its unit allows",
        "canceled" => "was cancelled by another job",
        "dependency" => "was not begun, because a unit that it needs failed",
        "assert" => "was not begun, because an assertion of the unit does not hold",
        other => other,
    };
    let reason = format!("the {} of {unit} {what}: see journalctl --unit={unit}", word(verb));
    Err(io::Error::other(reason))
}

#[cfg(test)]
mod tests;
