//! A stand-in for the Azure Connected Machine agent, which cannot be had in tests: it keeps what it is told.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part")]

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value, json};
use slipway_azure::arm::ResourceId;
use slipway_azure::credential::{ProgramEnd, RunProgram};
use slipway_model::Secret;

/// The agent: what it is connected to, and what becomes of a connection.
pub struct StandIn {
    connected: Mutex<Option<ResourceId>>,
    becomes: ResourceId,
    code: Option<i32>,
    arguments: Mutex<Vec<Vec<String>>>,
    settings: Mutex<Option<(Value, u32)>>,
    on_connect: Mutex<Box<dyn Fn() + Send>>,
}

impl StandIn {
    /// An agent that ends every change with this code.
    pub fn new(connected: Option<ResourceId>, becomes: ResourceId, code: Option<i32>) -> Self {
        Self {
            connected: Mutex::new(connected),
            becomes,
            code,
            arguments: Mutex::default(),
            settings: Mutex::default(),
            on_connect: Mutex::new(Box::new(|| {})),
        }
    }

    pub fn on_connect(&self, act: impl Fn() + Send + 'static) {
        *self.on_connect.lock().unwrap() = Box::new(act);
    }

    pub fn calls(&self, verb: &str) -> usize {
        self.arguments.lock().unwrap().iter().filter(|arguments| arguments[0] == verb).count()
    }

    pub fn last_arguments(&self) -> Vec<String> {
        self.arguments.lock().unwrap().last().unwrap().clone()
    }

    pub fn all_arguments(&self) -> String {
        self.arguments.lock().unwrap().concat().join(" ")
    }

    /// What the file said that it was told to read, and the file's mode.
    pub fn settings(&self) -> Option<(Value, u32)> {
        self.settings.lock().unwrap().clone()
    }
}

impl RunProgram for StandIn {
    fn run(&self, arguments: &[&str], _: Duration) -> io::Result<ProgramEnd> {
        self.arguments.lock().unwrap().push(arguments.iter().map(|&argument| argument.to_owned()).collect());
        let ended = |code, stdout: String| {
            Ok(ProgramEnd {
                code: Some(code),
                stdout: Secret::new(stdout.into_bytes()),
                stderr: String::new(),
            })
        };
        match *arguments {
            ["show", "-j"] => {
                let connected = self.connected.lock().unwrap();
                let part = |part: fn(&ResourceId) -> &str| connected.as_ref().map_or("", part).to_owned();
                let status = if connected.is_some() { "Connected" } else { "Disconnected" };
                // The agent's own spelling of groups is another than Azure's.
                let shown = json!({
                    "subscriptionId": part(ResourceId::subscription),
                    "resourceGroup": part(ResourceId::group).to_uppercase(),
                    "resourceName": part(ResourceId::name),
                    "status": status,
                });
                ended(0, shown.to_string())
            }
            ["connect", "--config", path] => {
                let mode = fs::metadata(path)?.permissions().mode() & 0o7777;
                *self.settings.lock().unwrap() = Some((serde_json::from_slice(&fs::read(path)?)?, mode));
                self.on_connect.lock().unwrap()();
                let Some(code) = self.code else {
                    *self.connected.lock().unwrap() = Some(self.becomes.clone());
                    return ended(0, String::new());
                };
                ended(code, "AZCM0042: arm-token is no good".to_owned())
            }
            ["disconnect", "--force-local-only"] => {
                *self.connected.lock().unwrap() = None;
                ended(0, String::new())
            }
            _ => ended(1, format!("unknown command: {arguments:?}")),
        }
    }
}

/// A directory of one test.
pub struct Area(PathBuf);

impl Area {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("slipway-flex-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        fs::read_dir(&self.0).unwrap().next().is_none()
    }
}

impl Drop for Area {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
