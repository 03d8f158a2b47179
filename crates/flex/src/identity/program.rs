//! Programs of this machine that know more about an identity than we do: `az` and `azcmagent`.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use slipway_azure::credential::{ProgramEnd, RunProgram};
use slipway_host::{Child, Exit, find_program};
use slipway_model::Secret;

const MOST_OUTPUT: usize = 1 << 20;
const LINGER: Duration = Duration::from_millis(500);
/// What such a program gets of our environment: where things are, whose files it reads, and which way leads out.
const PASSED_ON: [&str; 10] = [
    "PATH",
    "HOME",
    "LANG",
    "AZURE_CONFIG_DIR",
    "HTTPS_PROXY",
    "https_proxy",
    "NO_PROXY",
    "no_proxy",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_FILE",
];

/// A program that is there.
#[derive(Debug, Clone)]
pub struct Installed {
    path: PathBuf,
    environment: Vec<(OsString, OsString)>,
}

impl Installed {
    /// Looks for a program by its name in the directories of `PATH`.
    pub fn find(name: &str, variable: impl Fn(&str) -> Option<OsString>) -> Option<Self> {
        let path = find_program(name, &variable("PATH")?)?;
        let environment =
            PASSED_ON.iter().filter_map(|name| Some(((*name).into(), variable(name)?))).collect();
        Some(Self { path, environment })
    }
}

impl RunProgram for Installed {
    fn run(&self, arguments: &[&str], within: Duration) -> io::Result<ProgramEnd> {
        let child = Child::new(&self.path, arguments).environment(self.environment.iter().cloned());
        let ended = child.within(within).lingering(LINGER).keeping(MOST_OUTPUT).run()?;
        let code = match ended.exit {
            Exit::Code(code) if !ended.timed_out => Some(code),
            _ => None,
        };
        let stderr = String::from_utf8_lossy(&ended.stderr).into_owned();
        Ok(ProgramEnd { code, stdout: Secret::new(ended.stdout), stderr })
    }
}
