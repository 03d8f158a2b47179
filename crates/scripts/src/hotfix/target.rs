//! Whom to ask: the cluster's API server and its CA, from whichever file this node was given.

use std::io::ErrorKind;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use slipway_contract::Contract;
use slipway_contract::codec::{Policy, decode};
use slipway_host as host;
use slipway_timeline::{Record, text};

use super::{Places, path_error};
use crate::assignments;
use crate::report::Report;

/// The API server that the live-patching service is behind.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) api_server: String,
    /// The cluster's CA, PEM; empty where it is not known.
    pub(super) authorities: Vec<u8>,
}

impl Target {
    /// From the contract, or from the command file where there is no contract.
    pub(super) fn find(places: &Places, report: &Report) -> Result<Self, String> {
        let contract = places.contract();
        match host::read(&contract) {
            Ok(text) => {
                Self::of_contract(&text).map_err(|problem| format!("{}: {problem}", contract.display()))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                report.log(
                    &Record::info("node config not found, trying nbc-cmd.sh fallback")
                        .with("path", contract.display().to_string()),
                );
                Self::of_command(places, report)
            }
            Err(error) => Err(format!("reading node config: {}", path_error("open", &contract, &error))),
        }
    }

    fn of_contract(text: &[u8]) -> Result<Self, String> {
        let decoded = decode::<Contract>(text, Policy::Compatible);
        let api_server = decoded.message.api_server_config.map(|config| config.api_server_name);
        let Some(api_server) = api_server.filter(|name| !name.is_empty()) else {
            let reason = decoded.issues.iter().find(|_| decoded.stopped).map(|issue| issue.message.as_str());
            let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
            return Err(format!("it has no api_server_config.api_server_name{reason}"));
        };
        let authorities = certificate(&decoded.message.kubernetes_ca_cert)
            .map_err(|problem| format!("decoding kubernetes_ca_cert: {problem}"))?;
        Ok(Self { api_server, authorities })
    }

    fn of_command(places: &Places, report: &Report) -> Result<Self, String> {
        let path = places.command();
        let command = host::read(&path).map_err(|error| {
            format!("reading nbc-cmd {}: {}", path.display(), path_error("open", &path, &error))
        })?;
        let variables = assignments(&command);
        let variable = |name: &str| variables.get(name).map(|value| text(value)).unwrap_or_default();
        let api_server = variable("API_SERVER_NAME");
        if api_server.is_empty() {
            return Err(format!("nbc-cmd {} sets no API_SERVER_NAME", path.display()));
        }
        let authorities = certificate(&variable("KUBE_CA_CRT"))
            .map_err(|problem| format!("decoding nbc-cmd KUBE_CA_CRT: {problem}"))?;
        report.log(
            &Record::info("loaded LPS target from nbc-cmd.sh fallback")
                .with("fqdn", api_server.as_str())
                .with("path", path.display().to_string()),
        );
        Ok(Self { api_server, authorities })
    }
}

/// A certificate out of its base64, which may be broken into lines.
fn certificate(encoded: &str) -> Result<Vec<u8>, String> {
    let encoded: Vec<u8> = encoded.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    STANDARD.decode(encoded).map_err(|error| error.to_string())
}
