//! `check-hotfix`: asking the live-patching service and noting its answer.

use std::collections::BTreeMap;
use std::fmt;
use std::io::ErrorKind;

use serde_json::Value;
use slipway_azure::imds::attested_document;
use slipway_azure::livepatch::{Code, LivePatchError, PROTOCOLS, Service};
use slipway_host as host;
use slipway_model::Mode;
use slipway_timeline::{EventLevel, Record};

use super::pointer::versions;
use super::target::Target;
use super::version::base;
use super::{Places, Pointer, Services, path_error};
use crate::report::Report;

const TASK: &str = "CheckHotfix";
const COMPONENT: &str = "aksNodeController";

/// How asking ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// A table was served that names this image's base; it is noted.
    Read,
    /// A table was served that does not name this image's base; it is noted.
    NoneForBase,
    /// There is no table for this node.
    NoneAvailable,
    /// The service cannot be had; the table in the contract is noted.
    FromContract,
    /// Nothing is noted.
    Failed,
}

impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Read => "lpsRead",
            Self::NoneForBase => "noHotfixForBase",
            Self::NoneAvailable => "noHotfixAvailable",
            Self::FromContract => "customDataFallback",
            Self::Failed => "failed",
        })
    }
}

/// Asks which hotfix the running version should have and notes the answer in the pointer file. Whatever comes of it,
/// provisioning goes on: there is no error, only an outcome, a record and an event.
pub fn check_hotfix(
    running: &str,
    mode: Mode,
    places: &Places,
    services: &Services,
    report: &Report,
) -> Outcome {
    let start = host::now();
    report.log(&Record::info("aks-node-controller check-hotfix started"));
    let check = Check { running, mode, places, services, report };
    match check.run() {
        Ok(outcome) => {
            report.log(&Record::info("check-hotfix completed").with("outcome", outcome.to_string()));
            let text = format!("check-hotfix outcome={outcome}");
            report.event(TASK, EventLevel::Informational, &text, &start);
            outcome
        }
        Err(error) => {
            let outcome = Outcome::Failed;
            report.log(
                &Record::warn("check-hotfix completed with error (fail-open)")
                    .with("outcome", outcome.to_string())
                    .with("error", error.as_str()),
            );
            let text = format!("check-hotfix outcome={outcome} error={error}");
            report.event(TASK, EventLevel::Error, &text, &start);
            outcome
        }
    }
}

struct Check<'a> {
    running: &'a str,
    mode: Mode,
    places: &'a Places,
    services: &'a Services,
    report: &'a Report,
}

/// Why the service gave no table, by what follows from it.
enum Unserved {
    /// It knows this node and has nothing for it.
    Nothing(String),
    /// It did not like the request; asking elsewhere would hide that.
    Refused(String),
    /// It could not be reached or could not answer.
    Unavailable(String),
}

impl Check<'_> {
    fn run(&self) -> Result<Outcome, String> {
        match self.ask() {
            Ok(config) => self.served(&config),
            Err(Unserved::Nothing(reason)) => {
                self.report.log(&Record::info("LPS has no hotfix for this node").with("reason", reason));
                Ok(Outcome::NoneAvailable)
            }
            Err(Unserved::Refused(error)) => {
                Err(format!("LPS fetch failed with a client error, not falling back: {error}"))
            }
            Err(Unserved::Unavailable(error)) => self.fall_back(&error),
        }
    }

    fn ask(&self) -> Result<String, Unserved> {
        let unavailable =
            |step: &str, error: &dyn fmt::Display| Unserved::Unavailable(format!("{step}: {error}"));
        let target = Target::find(self.places, self.report)
            .map_err(|error| unavailable("resolving LPS endpoint", &error))?;
        let token = attested_document(self.services.metadata)
            .map_err(|error| unavailable("getting attested document", &error))?;
        let mut service = Service::behind(&target.api_server, &target.authorities);
        if let Some(address) = self.services.live_patching {
            service = service.at(address);
        }
        self.report.log(
            &Record::info("dialing LPS")
                .with("dialHost", service.host())
                .with("alpn", PROTOCOLS.to_vec())
                .with("component", COMPONENT),
        );
        service.component_config(COMPONENT, &token).map_err(|error| {
            let text = format!("calling LPS: {error}");
            match &error {
                LivePatchError::Status(status) => match status.code {
                    Code::UNAUTHENTICATED | Code::PERMISSION_DENIED | Code::NOT_FOUND => {
                        Unserved::Nothing(text)
                    }
                    Code::INVALID_ARGUMENT | Code::RESOURCE_EXHAUSTED => Unserved::Refused(text),
                    _ => Unserved::Unavailable(text),
                },
                _ => Unserved::Unavailable(text),
            }
        })
    }

    fn served(&self, config: &str) -> Result<Outcome, String> {
        let served =
            Pointer::parse(config.as_bytes()).map_err(|problem| format!("parsing LPS config: {problem}"))?;
        if served.hotfixes.is_empty() {
            return Ok(Outcome::NoneAvailable);
        }
        let names_this_base = base(self.running).is_some_and(|base| served.hotfixes.contains_key(base));
        self.note(served.hotfixes)?;
        Ok(if names_this_base { Outcome::Read } else { Outcome::NoneForBase })
    }

    /// The table in the contract: no field of it, and the only thing to go by when the service cannot be had.
    fn fall_back(&self, error: &str) -> Result<Outcome, String> {
        self.report
            .log(&Record::warn("failed to reach LPS, attempting cold-start fallback").with("error", error));
        let path = self.places.contract();
        let table = match host::read(&path) {
            Ok(text) => embedded(&text).map_err(|problem| format!("parsing {}: {problem}", path.display())),
            Err(missing) if missing.kind() == ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(unreadable) => Err(path_error("open", &path, &unreadable)),
        };
        let table = table.map_err(|problem| {
            format!("LPS fetch failed ({error}) and cold-start fallback failed: {problem}")
        })?;
        if table.is_empty() {
            return Err(format!("LPS fetch failed and no cold-start pointer present: {error}"));
        }
        self.note(table)?;
        Ok(Outcome::FromContract)
    }

    /// Puts the table into the pointer file and leaves the rest of the file to whoever wrote it.
    fn note(&self, table: BTreeMap<String, String>) -> Result<(), String> {
        let path = self.places.pointer();
        let mut pointer = Pointer::read(&path).unwrap_or_else(|error| {
            let lost = "existing hotfix pointer cannot be read, its versions are lost";
            self.report.log(&Record::warn(lost).with("error", error));
            Pointer::default()
        });
        pointer.hotfixes = table;
        pointer.write(&path, self.mode)
    }
}

fn embedded(contract: &[u8]) -> Result<BTreeMap<String, String>, String> {
    let contract: Value = serde_json::from_slice(contract).map_err(|error| error.to_string())?;
    let Value::Object(members) = contract else { return Err("it is not a JSON object".to_owned()) };
    let table = members.into_iter().rev().find(|(key, _)| key.eq_ignore_ascii_case("hotfixes"));
    versions(table.map_or(Value::Null, |(_, value)| value))
}
