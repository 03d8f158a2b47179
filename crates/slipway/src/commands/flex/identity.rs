//! Who the machine is to Azure, and what Azure says about its cluster.

use std::env;
use std::path::Path;
use std::time::{Duration, Instant};

use slipway_azure::arm::{Arm, ArmError, ResourceId};
use slipway_azure::credential::{
    ArcAgent, ArcEndpoint, ClientCertificate, KEY_DIRECTORY, ManagedIdentity, Proof, Scope, ServicePrincipal,
    TokenError, TokenSource,
};
use slipway_fetch::{Client, Patience, Trust};
use slipway_flex::FlexConfig;
use slipway_flex::config::{ApiServer, Identity, Kept, PrincipalCredential};
use slipway_flex::identity::AgentKeys;
use slipway_host::Host;
use slipway_model::Secret;

use crate::commands::launch::kubeconfig;
use crate::failure::Failure;
use crate::files;

/// How long Azure may take to say what is missing in a configuration.
const WITHIN: Duration = Duration::from_mins(2);

/// Where the tokens of the configuration's identity come from.
pub(super) fn source(config: &FlexConfig, host: &dyn Host) -> Result<Box<dyn TokenSource>, Failure> {
    let Some(identity) = &config.identity else {
        return Err(Failure::input(
            "no-identity",
            "cannot get a token",
            "the configuration names no identity: neither Arc, nor a managed identity, nor a service principal",
        )
        .with_hint("azure.arc, azure.managedIdentity or azure.servicePrincipal names one"));
    };
    let made: Result<Box<dyn TokenSource>, TokenError> = match identity {
        Identity::Arc => arc(host),
        Identity::Managed(client) => ManagedIdentity::new(client.as_deref()).map(|it| Box::new(it) as _),
        Identity::Principal { tenant, client, credential } => {
            let proof = proof(credential)?;
            ServicePrincipal::new(config.arm.authority, tenant, client, proof, client_of_azure()?)
                .map(|it| Box::new(it) as _)
        }
    };
    made.map_err(|error| untold(&error))
}

fn arc(host: &dyn Host) -> Result<Box<dyn TokenSource>, TokenError> {
    let installed = host.entry(Path::new(KEY_DIRECTORY)).is_ok_and(|entry| entry.is_some());
    // An agent that has not made its directory yet is asked at the usual place, and says itself what is wrong.
    let endpoint = ArcEndpoint::find(|name| env::var(name).ok(), installed)?.unwrap_or_default();
    Ok(Box::new(ArcAgent::new(endpoint, None, AgentKeys::default())?))
}

fn proof(credential: &PrincipalCredential) -> Result<Proof, Failure> {
    let read = |path: &Path| -> Result<Secret<String>, Failure> {
        Ok(Secret::new(String::from_utf8_lossy(&files::read(path)?.text).into_owned()))
    };
    Ok(match credential {
        PrincipalCredential::Secret(Kept::Here(secret)) => Proof::Secret(secret.clone()),
        PrincipalCredential::Secret(Kept::In(file)) => {
            Proof::Secret(Secret::from(read(file)?.expose().trim()))
        }
        PrincipalCredential::Certificate(file) => {
            let certificate = ClientCertificate::from_pem(&read(file)?).map_err(|error| untold(&error))?;
            Proof::Certificate(Box::new(certificate))
        }
    })
}

fn client_of_azure() -> Result<Client, Failure> {
    Client::new(&Trust::SystemAnd(Vec::new()), None, None)
        .map_err(|error| Failure::machine("no-trust", "cannot speak TLS", error))
}

/// A token that was not given, for the user.
pub(super) fn untold(error: &TokenError) -> Failure {
    Failure { blame: error.blame(), ..Failure::input("no-token", "cannot get a token", error) }
        .with_hint(error.hint())
}

/// Asks Azure for what the configuration does not say: the API server, its CA, a token to join with.
pub(super) fn complete(config: &mut FlexConfig, host: &dyn Host) -> Result<(), Failure> {
    if config.identity.is_none() || config.server.is_some() && config.ca.is_some() {
        return Ok(());
    }
    let never = || false;
    let patience = Patience::new(Instant::now() + WITHIN, &never);
    let scope = Scope::of(&config.arm.audience);
    let asked = |error: ArmError| {
        Failure {
            blame: error.blame(),
            ..Failure::input("azure-unasked", "cannot ask Azure about the cluster", &error)
        }
        .with_hint(error.hint())
    };
    let arm =
        Arm::new(&config.arm.endpoint, client_of_azure()?, source(config, host)?, scope).map_err(asked)?;
    let cluster = ResourceId::parse(&config.cluster.to_string())
        .map_err(|error| Failure::input("bad-cluster", "cannot ask Azure about the cluster", error))?;
    let pool = cluster.child("agentPools", &config.agent_pool);
    // A node's own role allows this and nothing else; where the pool is not a flexible one, the cluster's users are told
    // the same.
    let (server, ca) = match arm.bootstrap_data(&pool, patience) {
        Ok(data) => {
            if let (Some(token), None) = (&data.token, &config.token) {
                config
                    .give_token(token.expose())
                    .map_err(|error| Failure::input("bad-token", "cannot use what Azure says", error))?;
            }
            (data.fqdn, data.ca_pem)
        }
        Err(error) if error.is_forbidden() || error.is_absent() => {
            let kubeconfig = arm.user_kubeconfig(&cluster, patience).map_err(asked)?;
            let cluster = kubeconfig::cluster_of(&kubeconfig)?;
            (Some(cluster.server), String::from_utf8(cluster.ca_pem).ok())
        }
        Err(error) => return Err(asked(error)),
    };
    let server = server.as_deref().map(ApiServer::parse).transpose();
    match (server, ca) {
        (Ok(Some(server)), Some(ca)) => {
            config.give_cluster(server, ca);
            Ok(())
        }
        _ => Err(Failure::input(
            "azure-silent",
            "cannot use what Azure says",
            "it names no API server with a CA",
        )
        .with_hint("node.kubelet.clusterFQDN and caCertData say it in the configuration")),
    }
}
