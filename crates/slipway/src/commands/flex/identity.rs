//! Who the machine is to Azure, and what Azure says about its cluster.

use std::env;
use std::path::Path;
use std::time::{Duration, Instant};

use slipway_azure::arm::{Arm, ArmError, ResourceId};
use slipway_azure::credential::{
    ArcAgent, ArcEndpoint, ClientCertificate, KEY_DIRECTORY, ManagedIdentity, Proof, Scope, ServicePrincipal,
    TokenError, TokenSource,
};
use slipway_fetch::{Client, Patience};
use slipway_flex::FlexConfig;
use slipway_flex::config::{ApiServer, Identity, Kept, PrincipalCredential};
use slipway_flex::identity::AgentKeys;
use slipway_host::Host;
use slipway_model::Secret;

use super::outward::Outward;
use crate::commands::launch::kubeconfig;
use crate::failure::Failure;
use crate::files;
use crate::native::progress::Told;

/// How long Azure may take to say what is missing in a configuration.
const WITHIN: Duration = Duration::from_mins(2);
/// How long a role may take until it counts everywhere.
pub(super) const ROLES_WITHIN: Duration = Duration::from_mins(5);
/// Between two looks whether it does.
pub(super) const LOOK_AGAIN: Duration = Duration::from_secs(5);
/// How long the service that gives tokens may be away: it restarts when it updates itself.
pub(super) const RESTARTS_WITHIN: Duration = Duration::from_mins(1);

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
            ServicePrincipal::new(config.arm.authority, tenant, client, proof, client_of_azure(config)?)
                .map(|it| Box::new(it) as _)
        }
    };
    made.map_err(|error| untold(&error))
}

/// The Resource Manager, asked as the machine.
pub(super) fn own_arm(config: &FlexConfig, host: &dyn Host) -> Result<Arm, Failure> {
    arm(config, source(config, host)?)
}

fn arc(host: &dyn Host) -> Result<Box<dyn TokenSource>, TokenError> {
    let installed = host.entry(Path::new(KEY_DIRECTORY)).is_ok_and(|entry| entry.is_some());
    // An agent that has not made its directory yet is asked at the usual place, and says itself what is wrong.
    let endpoint = ArcEndpoint::find(|name| env::var(name).ok(), installed)?.unwrap_or_default();
    Ok(Box::new(ArcAgent::new(endpoint, None, AgentKeys::default())?))
}

pub(super) fn proof(credential: &PrincipalCredential) -> Result<Proof, Failure> {
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

/// Who asks Azure, by the way out that the configuration says.
pub(super) fn client_of_azure(config: &FlexConfig) -> Result<Client, Failure> {
    Outward::new(&config.outward, None)?.client()
}

/// A token that was not given, for the user.
pub(super) fn untold(error: &TokenError) -> Failure {
    Failure { blame: error.blame(), ..Failure::input("no-token", "cannot get a token", error) }
        .with_hint(error.hint())
}

/// The Resource Manager, asked with these tokens.
pub(super) fn arm(config: &FlexConfig, tokens: Box<dyn TokenSource>) -> Result<Arm, Failure> {
    let scope = Scope::of(&config.arm.audience);
    Arm::new(&config.arm.endpoint, client_of_azure(config)?, tokens, scope).map_err(|error| unasked(&error))
}

/// The cluster's id.
pub(super) fn cluster(config: &FlexConfig) -> Result<ResourceId, Failure> {
    ResourceId::parse(&config.cluster.to_string())
        .map_err(|error| Failure::input("bad-cluster", "cannot ask Azure about the cluster", error))
}

/// Azure did not do what it was asked, for the user.
pub(super) fn unasked(error: &ArmError) -> Failure {
    Failure {
        blame: error.blame(),
        ..Failure::input("azure-unasked", "cannot ask Azure about the cluster", error)
    }
    .with_hint(error.hint())
}

/// Asks Azure for what the configuration does not say: the API server, its CA, a token to join with. Where somebody hears
/// it, a role that was given a moment ago is waited for.
pub(super) fn complete(
    config: &mut FlexConfig,
    host: &dyn Host,
    waiting: Option<Told>,
    stop: &dyn Fn() -> bool,
) -> Result<(), Failure> {
    if config.identity.is_none() || config.server.is_some() && config.ca.is_some() {
        return Ok(());
    }
    let within = if waiting.is_some() { ROLES_WITHIN } else { WITHIN };
    let patience = Patience::new(Instant::now() + within, stop);
    let arm = arm(config, source(config, host)?)?;
    let cluster = cluster(config)?;
    let pool = cluster.child("agentPools", &config.agent_pool);
    let (server, ca) = loop {
        match told_by_azure(config, &arm, &cluster, &pool, patience) {
            Err(Unanswered::Azure(error)) if error.is_forbidden() => {
                let Some(told) = waiting else { return Err(unasked(&error)) };
                told.remark("azure: the role of the machine's identity does not count yet; asking again");
                if patience.sleep(LOOK_AGAIN).is_err() {
                    return Err(unasked(&error));
                }
            }
            Err(Unanswered::Azure(error)) => return Err(unasked(&error)),
            Err(Unanswered::Unusable(failure)) => return Err(failure),
            Ok(answer) => break answer,
        }
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

/// Why Azure told nothing.
enum Unanswered {
    Azure(ArmError),
    Unusable(Failure),
}

/// Server and CA, as far as Azure says them; a token goes into the configuration.
type ClusterTold = (Option<String>, Option<String>);

/// A node's own role allows the first question and nothing else; where the pool is not a flexible one, the cluster's users
/// are told the same.
fn told_by_azure(
    config: &mut FlexConfig,
    arm: &Arm,
    cluster: &ResourceId,
    pool: &ResourceId,
    patience: Patience<'_>,
) -> Result<ClusterTold, Unanswered> {
    let data = match arm.bootstrap_data(pool, patience) {
        Err(refused) if refused.is_forbidden() || refused.is_absent() => {
            let kubeconfig = arm.user_kubeconfig(cluster, patience).map_err(|error| {
                // What the node's own role would allow is the better advice.
                Unanswered::Azure(if error.is_forbidden() && refused.is_forbidden() {
                    refused
                } else {
                    error
                })
            })?;
            let cluster = kubeconfig::cluster_of(&kubeconfig).map_err(Unanswered::Unusable)?;
            return Ok((Some(cluster.server), String::from_utf8(cluster.ca_pem).ok()));
        }
        data => data.map_err(Unanswered::Azure)?,
    };
    if let (Some(token), None) = (&data.token, &config.token) {
        config.give_token(token.expose()).map_err(|error| {
            Unanswered::Unusable(Failure::input("bad-token", "cannot use what Azure says", error))
        })?;
    }
    Ok((data.fqdn, data.ca_pem))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use serde_json::json;
    use slipway_host::Recorded;

    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test is the other side")]
    fn a_signal_ends_the_wait_for_azure() {
        // A proxy that takes connections and says nothing.
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = format!("http://{}", silent.local_addr().unwrap());
        let cluster = "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/c";
        let text = json!({
            "azure": {
                "servicePrincipal": {"tenantId": "t", "clientId": "c", "clientSecret": "s3cr3t"},
                "targetCluster": {"resourceId": cluster},
            },
            "networking": {"httpsProxy": proxy},
        });
        let mut config = slipway_flex::read(text.to_string().as_bytes(), "edge-01").config.unwrap();
        let begun = Instant::now();
        let stop = || begun.elapsed() > Duration::from_millis(200);
        let failure = complete(&mut config, &Recorded::live(), None, &stop).unwrap_err();
        assert!(begun.elapsed() < Duration::from_secs(10), "{}", failure.found);
        assert!(stop(), "{}", failure.found);
    }
}
