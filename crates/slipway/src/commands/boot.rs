//! `slipway boot`: the start of provisioning.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Duration;

use slipway_host::{Syslog, now, os_text, signal_name};
use slipway_scripts::boot::{self, Ending, Places};

use crate::Outcome;
use crate::cli::Boot;
use crate::failure::Failure;

pub(crate) fn run(arguments: &Boot) -> Result<Outcome, Failure> {
    let places = Places::named_by(|name| std::env::var_os(name));
    let own_binary = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("/proc/self/exe"));
    let syslog = Syslog::connect(boot::TAG);
    let mut say = |message: &str| {
        syslog.write(message, &now());
        // Whoever started us may not be listening, and the hand-over must not wait for a buffer.
        let mut out = io::stdout().lock();
        let _ = writeln!(out, "{message}").and_then(|()| out.flush());
    };
    let timeout = Duration::from_secs(arguments.host_name_timeout);
    match boot::boot(&places, &own_binary, timeout, &mut say) {
        Ending::NothingToDo => Ok(Outcome::Done),
        Ending::Interrupted(signal) => {
            let code = u8::try_from(128 + signal).unwrap_or(1);
            let failure =
                Failure::machine("interrupted", "boot was ended", format!("signal: {}", signal_name(signal)));
            Err(Failure { code, ..failure })
        }
        Ending::NoHandOver(program, error) => {
            // What a shell exits with when it cannot execute a program.
            let code = if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 };
            let doing = format!("cannot hand over to {}", program.display());
            let failure = Failure::machine("hand-over-failed", doing, os_text(&error));
            Err(Failure { code, ..failure }.with_hint("check BIN_PATH and the mode of the file"))
        }
    }
}
