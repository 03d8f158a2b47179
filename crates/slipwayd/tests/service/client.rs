//! Our own client against our own service.

use slipway_azure::ProvisioningService;
use slipway_contract::custom_data::read;
use slipway_fetch::{Client, Trust};
use slipway_launch::nps::{Reply, ServiceClient};
use slipway_launch::{Bootstrapper as _, Fidelity, NoPayload, Payload, Request, resolve};
use slipway_model::Secret;

use crate::running::{Area, Running, recorded};

fn launch(address: &str, token: Option<&str>) -> Result<Payload, NoPayload> {
    let request = Request::parse(&recorded("request-01")["input"].to_string()).unwrap();
    let node = resolve(&request, Fidelity::Compat).unwrap();
    let client = Client::new(&Trust::Nobody, None, None).unwrap();
    let service = ProvisioningService::new(address, client, token.map(Secret::from).as_ref()).unwrap();
    let send = |path: &str, body: &[u8]| {
        let reply = service.get(path, body).map_err(|error| error.to_string())?;
        Ok(Reply { status: reply.status, content_type: reply.content_type, body: reply.body })
    };
    ServiceClient { launch: &request, send: &send, fidelity: Fidelity::Compat }.payload(&node)
}

#[test]
fn a_launched_node_gets_its_contract_with_the_launchers_own_token_in_it() {
    let area = Area::new();
    let file = area.write("token", "0123456789abcdef");
    let service = Running::start(&["--bearer-token-file", file.to_str().unwrap()]);
    // The peer knows the service as a host with a port.
    let payload = launch(&service.address.to_string(), Some("0123456789abcdef")).unwrap();
    let contents = read(payload.custom_data.expose().as_bytes()).unwrap();
    let contract = contents.contracts().next().unwrap().contract.clone();
    let input = &recorded("request-01")["input"];
    let token = contract.bootstrapping_config.unwrap().tls_bootstrapping_token.unwrap();
    assert_eq!(token.expose(), input["options"]["kubeletBootstrapToken"].as_str().unwrap());
    assert_eq!(contract.vm_size, input["sku"]["name"].as_str().unwrap());
    assert!(payload.command.unwrap().expose().ends_with(" provision-wait"));

    let refused = launch(&service.address.to_string(), None).unwrap_err().to_string();
    assert!(refused.contains("401") && refused.contains("bearer token"), "{refused}");
}

#[test]
fn a_service_that_is_not_there_is_named() {
    let error = launch("http://127.0.0.1:1", None).unwrap_err().to_string();
    assert!(error.contains("node provisioning: ") && error.contains("127.0.0.1:1"), "{error}");
}
