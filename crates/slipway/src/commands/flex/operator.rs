//! Whoever is signed in where a machine joins: they may do in Azure what the machine itself may not.

use std::env;
use std::path::PathBuf;
use std::sync::Arc;

use slipway_azure::credential::{AzureCli, Cached, ServicePrincipal, TokenSource};
use slipway_flex::FlexConfig;
use slipway_flex::config::{Kept, PrincipalCredential};
use slipway_flex::identity::Installed;
use slipway_model::Secret;

use super::identity;
use crate::failure::Failure;

/// Tokens of whoever is signed in.
pub(super) type Operator = Arc<dyn TokenSource>;

/// Whom the environment names, as Azure's own clients read it, or who has signed in with the Azure CLI.
pub(super) fn operator(config: &FlexConfig) -> Result<Operator, Failure> {
    let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    if let (Some(tenant), Some(client)) = (variable("AZURE_TENANT_ID"), variable("AZURE_CLIENT_ID")) {
        let secret =
            variable("AZURE_CLIENT_SECRET").map(Secret::new).map(Kept::Here).map(PrincipalCredential::Secret);
        let certificate = || {
            let path = variable("AZURE_CLIENT_CERTIFICATE_PATH").map(PathBuf::from);
            path.map(PrincipalCredential::Certificate)
        };
        if let Some(credential) = secret.or_else(certificate) {
            let proof = identity::proof(&credential)?;
            let client_of_azure = identity::client_of_azure(config)?;
            let made = ServicePrincipal::new(config.arm.authority, &tenant, &client, proof, client_of_azure);
            let source = made.map_err(|error| identity::untold(&error))?;
            return Ok(Arc::new(Cached::new(source)));
        }
    }
    if let Some(program) = Installed::find("az", |name| env::var_os(name)) {
        return Ok(Arc::new(Cached::new(AzureCli::new(program, Some(&config.tenant)))));
    }
    Err(Failure::input(
        "nobody-signed-in",
        "cannot act in Azure",
        "neither the environment nor the Azure CLI says who is signed in",
    )
    .with_hint("sign in with az login, or set AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET"))
}
