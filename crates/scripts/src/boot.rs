//! The start of provisioning at boot: what an AKS image's launcher script does, without a shell.
//!
//! [`decision`] is pure: what to run, given what is there. This file looks, waits, runs and hands over.

mod decision;
mod features;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use slipway_contract::Contract;
use slipway_contract::codec::{Policy, decode};
use slipway_host::{self as host, Changes, Child, Exit, Interruption};

use crate::paths;

pub use decision::{
    Found, HotfixStep, Places, Provisioner, hotfix_steps, provision_arguments, staged_binary,
};
pub use features::Features;

/// The name under which the launcher writes to the system's log.
pub const TAG: &str = "aks-node-controller-launcher";

/// How long to wait for a contract that is still being written.
const WRITING: Duration = Duration::from_secs(2);

/// How long after its end something that a hotfix step left behind may hold its output open.
const LINGER: Duration = Duration::from_secs(1);

/// How a boot ended that did not end in another program.
#[derive(Debug)]
pub enum Ending {
    /// There is neither a contract nor a command.
    NothingToDo,
    /// This signal told us to end.
    Interrupted(i32),
    /// The program that should provision cannot be executed.
    NoHandOver(PathBuf, io::Error),
}

/// Starts provisioning. Does not return when there is something to provision: the process becomes the program that
/// does it.
pub fn boot(
    places: &Places,
    own_binary: &Path,
    host_name_timeout: Duration,
    say: &mut dyn FnMut(&str),
) -> Ending {
    settle_host_name(places, host_name_timeout, say);
    let config = Some(places.config.as_path()).filter(|path| host::exists(path));
    let command = Some(places.command.as_path()).filter(|path| host::exists(path));
    let Some(arguments) = provision_arguments(config, command) else {
        let (config, command) = (places.config.display(), places.command.display());
        say(&format!("Nothing to provision: neither {config} nor {command} exists"));
        return Ending::NothingToDo;
    };
    if let Some(config) = config {
        await_whole_contract(config, say);
    }
    let environment = environment(&places.features, say);
    let provisioner = Provisioner::of(Found {
        executable: host::is_executable(&places.binary),
        ourselves: host::is_same_file(&places.binary, own_binary),
        // A pre-rendered command is a script, wherever it is.
        scripts: command.is_some() || host::exists(Path::new(paths::SCRIPTS)),
    });
    let binary = match provisioner {
        Provisioner::Image => places.binary.as_path(),
        Provisioner::Natively => own_binary,
        Provisioner::InItsStead => {
            say(&format!("{} cannot be executed: using {}", places.binary.display(), own_binary.display()));
            own_binary
        }
    };
    if let Some(signal) = hotfix(places, binary, &environment, say) {
        say("Told to end before provisioning began");
        return Ending::Interrupted(signal);
    }
    let staged = staged_binary(&places.binary);
    if host::is_executable(&staged) {
        say(&format!("Using hotfix binary {}", staged.display()));
        let error = host::become_program(&staged, &arguments, environment.clone());
        say(&format!("The hotfix binary cannot be executed: {}", host::os_text(&error)));
    }
    say(&format!("Using binary {}", binary.display()));
    let error = host::become_program(binary, &arguments, environment);
    Ending::NoHandOver(binary.to_owned(), error)
}

fn settle_host_name(places: &Places, timeout: Duration, say: &mut dyn FnMut(&str)) {
    let file = places.host_name.display();
    match host::settled_host_name(&places.host_name, timeout) {
        Ok(names) if names.settled() => {}
        Ok(names) => say(&format!(
            "Warning: the host name has not settled in {} s: the kernel has '{}', {file} '{}'; going on",
            timeout.as_secs(),
            names.kernel,
            names.configured
        )),
        Err(error) => say(&format!("Warning: cannot wait for the host name: {}", host::os_text(&error))),
    }
}

/// Waits for a contract whose text breaks off: whoever writes it may not be done, because a unit that starts when the
/// file appears starts before the file is complete. One that stays broken is for `provision` to report.
fn await_whole_contract(path: &Path, say: &mut dyn FnMut(&str)) {
    let deadline = Instant::now() + WRITING;
    let Ok(changes) = Changes::beside(path) else { return };
    loop {
        let text = host::read(path).unwrap_or_default();
        let left = deadline.saturating_duration_since(Instant::now());
        if !decode::<Contract>(&text, Policy::Careful).stopped {
            return;
        }
        if left.is_zero() || changes.wait_with(&[], left).is_err() {
            say(&format!("Warning: {} is not complete; going on", path.display()));
            return;
        }
    }
}

/// Our environment with the features in it.
fn environment(features: &Path, say: &mut dyn FnMut(&str)) -> BTreeMap<OsString, OsString> {
    let mut environment: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
    let text = match host::read(features) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return environment,
        Err(error) => {
            say(&format!("Warning: {} cannot be read: {}", features.display(), host::os_text(&error)));
            return environment;
        }
    };
    let features_read = Features::read(&text);
    for (line, reason) in features_read.skipped {
        say(&format!("Warning: line {line} of {} sets nothing: {reason}", features.display()));
    }
    environment.extend(features_read.variables);
    environment
}

/// Runs the hotfix steps that are due. Their failure is no reason not to provision; the signal is one.
fn hotfix(
    places: &Places,
    binary: &Path,
    environment: &BTreeMap<OsString, OsString>,
    say: &mut dyn FnMut(&str),
) -> Option<i32> {
    let interruption = Interruption::listen().ok();
    // The first step may write the pointer that the second looks for, so each is decided when it is its turn.
    for step in [HotfixStep::Check, HotfixStep::Download] {
        if !hotfix_steps(environment, host::exists(&places.hotfix)).contains(&step) {
            continue;
        }
        let name = step.command();
        let ended = Child::new(binary, [name])
            .environment(environment.clone())
            .passing_output()
            .lingering(LINGER)
            .yielding_to_signals()
            .run();
        match ended.map(|ended| (ended.exit, ended.interrupted)) {
            Ok((_, Some(signal))) => return Some(signal),
            Ok((Exit::Code(0), _)) => {}
            Ok((Exit::Code(code), _)) => say(&format!("{name} failed with exit code {code}; going on")),
            Ok((Exit::Signal(signal, _), _)) => {
                say(&format!("{name} was ended by a signal ({}); going on", host::signal_name(signal)));
            }
            Err(error) => say(&format!("{name} cannot be run: {}; going on", host::os_text(&error))),
        }
        if let Some(signal) = interruption.as_ref().and_then(Interruption::signal) {
            return Some(signal);
        }
    }
    interruption.and_then(|interruption| interruption.signal())
}
