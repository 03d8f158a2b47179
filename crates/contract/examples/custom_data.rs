//! Builds a contract in code, checks it, and renders the custom data that a VM is created with.
//!
//! `cargo run -p slipway-contract --example custom_data`

use slipway_contract::codec::{Options, encode};
use slipway_contract::custom_data::{Form, Order, render};
use slipway_contract::messages::{
    ApiServerConfig, BootstrappingAuthMethod, BootstrappingConfig, ClusterConfig, KubeletConfig,
    NetworkConfig, NetworkPlugin, VmType,
};
use slipway_contract::{Contract, validate};

#[expect(clippy::print_stdout, reason = "an example shows what it made")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let contract = Contract {
        version: "v1".to_owned(),
        kubernetes_version: "1.34.1".to_owned(),
        vm_size: "Standard_D4s_v5".to_owned(),
        api_server_config: Some(ApiServerConfig {
            api_server_name: "prod-dns-1a2b3c4d.hcp.westeurope.azmk8s.io".to_owned(),
            ..ApiServerConfig::default()
        }),
        bootstrapping_config: Some(BootstrappingConfig {
            bootstrapping_auth_method: BootstrappingAuthMethod::BootstrapToken,
            // A secret is a type of its own: printing the contract does not show it.
            tls_bootstrapping_token: Some("abcdef.0123456789abcdef".into()),
            ..BootstrappingConfig::default()
        }),
        cluster_config: Some(ClusterConfig {
            location: "westeurope".to_owned(),
            resource_group: "MC_prod_prod_westeurope".to_owned(),
            vm_type: VmType::Vmss,
            ..ClusterConfig::default()
        }),
        kubelet_config: Some(KubeletConfig {
            kubelet_flags: [("--max-pods".to_owned(), "110".to_owned())].into(),
            ..KubeletConfig::default()
        }),
        network_config: Some(NetworkConfig {
            network_plugin: NetworkPlugin::None,
            ..NetworkConfig::default()
        }),
        ..Contract::default()
    };
    println!("{}\n", encode(&contract, Options::SHOWN));

    // What the rules have to say about it; this one has no CA certificate yet.
    for issue in validate(encode(&contract, Options::FILE).as_bytes(), 1_800_000_000) {
        println!("{}: {}: {} [{}]", issue.severity, issue.path, issue.message, issue.reason);
    }

    let custom_data = render(&Order { contract: &contract, form: Form::Boothook, bring: None })?;
    println!("\n{} characters of custom data", custom_data.base64().expose().len());
    Ok(())
}
