//! Credentials and identity: fields that need or exclude each other.

use super::essentials::{ClientPair, Credentials};
use super::findings::Findings;
use super::flags::flag_path;
use super::rules;
use crate::Contract;
use crate::codec::{Message as _, View};
use crate::messages::{AuthConfig, BootstrappingAuthMethod, BootstrappingConfig};

rules! {
    CLIENT_PAIR: Error "client-pair",
    summary: "A client certificate and its key come together.",
    reason: "The kubelet cannot use one without the other.",
    good: r#"{"kubelet_config": {"kubelet_client_cert_content": "Y2VydA==", "kubelet_client_key": "a2V5"}}"#,
    bad: r#"{"kubelet_config": {"kubelet_client_cert_content": "Y2VydA=="}}"#;

    CLIENT_PAIR_UNUSED: Note "client-pair-unused",
    summary: "A client certificate is given only where the node has no other credential.",
    reason: "With a bootstrap token or secure TLS bootstrapping the node does not write the certificate.",
    good: r#"{"bootstrapping_config": {"tls_bootstrapping_token": "abcdef.0123456789abcdef"}}"#,
    bad: r#"{"bootstrapping_config": {"tls_bootstrapping_token": "abcdef.0123456789abcdef"}, "kubelet_config": {"kubelet_client_cert_content": "Y2VydA==", "kubelet_client_key": "a2V5"}}"#;

    AUTH_METHOD_WITHOUT_TOKEN: Warning "auth-method-without-token",
    summary: "The auth method `BOOTSTRAP_TOKEN` comes with a token.",
    reason: "The method alone changes nothing on the node.",
    good: r#"{"bootstrapping_config": {"bootstrapping_auth_method": "BOOTSTRAPPING_AUTH_METHOD_BOOTSTRAP_TOKEN", "tls_bootstrapping_token": "abcdef.0123456789abcdef"}}"#,
    bad: r#"{"bootstrapping_config": {"bootstrapping_auth_method": "BOOTSTRAPPING_AUTH_METHOD_BOOTSTRAP_TOKEN"}}"#;

    AUTH_METHOD_IGNORED: Warning "auth-method-ignored",
    summary: "The auth method is a bootstrap token or secure TLS bootstrapping.",
    reason: "Nodes have no code for the methods `ARC_MSI` and `AZURE_MSI`; they use the token, if there is one.",
    good: r#"{"bootstrapping_config": {"bootstrapping_auth_method": "BOOTSTRAPPING_AUTH_METHOD_SECURE_TLS_BOOTSTRAPPING"}}"#,
    bad: r#"{"bootstrapping_config": {"bootstrapping_auth_method": "BOOTSTRAPPING_AUTH_METHOD_AZURE_MSI"}}"#;

    SECURE_BOOTSTRAPPING_OFF: Warning "secure-bootstrapping-off",
    summary: "Settings of secure TLS bootstrapping come with its auth method.",
    reason: "Without the method the settings have no effect.",
    good: r#"{"bootstrapping_config": {"bootstrapping_auth_method": "BOOTSTRAPPING_AUTH_METHOD_SECURE_TLS_BOOTSTRAPPING", "secure_tls_bootstrapping_get_nonce_timeout": "10s"}}"#,
    bad: r#"{"bootstrapping_config": {"secure_tls_bootstrapping_get_nonce_timeout": "10s"}}"#;

    SERVICE_PRINCIPAL_SECRET: Warning "service-principal-secret",
    summary: "A service principal comes with its secret, and a secret with its service principal.",
    reason: "The cloud provider and the credential provider cannot sign in with one of them.",
    good: r#"{"auth_config": {"service_principal_id": "11111111-2222-3333-4444-555555555555", "service_principal_secret": "c2VjcmV0"}}"#,
    bad: r#"{"auth_config": {"service_principal_id": "11111111-2222-3333-4444-555555555555"}}"#;

    TWO_IDENTITIES: Warning "two-identities",
    summary: "A node signs in to Azure with a managed identity or with a service principal.",
    reason: "With both, clients on the node differ in which one they take. AKS writes `msi` as the service \
             principal of nodes with a managed identity; that is fine.",
    good: r#"{"auth_config": {"use_managed_identity_extension": true, "assigned_identity_id": "id", "service_principal_id": "msi", "service_principal_secret": "bXNp"}}"#,
    bad: r#"{"auth_config": {"use_managed_identity_extension": true, "service_principal_id": "11111111-2222-3333-4444-555555555555", "service_principal_secret": "c2VjcmV0"}}"#;

    IDENTITY_UNUSED: Warning "identity-unused",
    summary: "A managed identity is named only where it is used.",
    reason: "Without `use_managed_identity_extension` the cloud provider does not sign in with it.",
    good: r#"{"auth_config": {"use_managed_identity_extension": true, "assigned_identity_id": "id"}}"#,
    bad: r#"{"auth_config": {"assigned_identity_id": "id"}}"#;

    IMAGE_PULL_OFF: Warning "image-pull-off",
    summary: "Settings of image pulls by service account come with their switch.",
    reason: "Without `enabled` they have no effect.",
    good: r#"{"service_account_image_pull_profile": {}}"#,
    bad: r#"{"service_account_image_pull_profile": {"local_authority_sni": "demo.example"}}"#;

    IMAGE_PULL_WITHOUT_PROVIDER: Warning "image-pull-without-provider",
    summary: "Image pulls by service account come with the flags of the image credential provider.",
    reason: "The node configures the credential provider only if both flags are there.",
    good: r#"{"service_account_image_pull_profile": {"enabled": true}, "kubelet_config": {"kubelet_flags": {"--image-credential-provider-config": "/c.yaml", "--image-credential-provider-bin-dir": "/bin"}}}"#,
    bad: r#"{"service_account_image_pull_profile": {"enabled": true}}"#;

    CREDENTIAL_PROVIDER_PAIR: Warning "credential-provider-pair",
    summary: "The two flags of the image credential provider come together.",
    reason: "With one of them alone the kubelet uses no credential provider, and pulls from private registries fail.",
    good: r#"{"kubelet_config": {"kubelet_flags": {"--image-credential-provider-config": "/var/lib/kubelet/credential-provider-config.yaml", "--image-credential-provider-bin-dir": "/var/lib/kubelet/credential-provider"}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_flags": {"--image-credential-provider-config": "/var/lib/kubelet/credential-provider-config.yaml"}}}"#;
}

const PROVIDER_CONFIG: &str = "--image-credential-provider-config";
const PROVIDER_BINARIES: &str = "--image-credential-provider-bin-dir";

pub(super) fn check(contract: &Contract, findings: &mut Findings<'_>) {
    client_pair(contract, findings);
    if let Some(bootstrapping) = &contract.bootstrapping_config {
        auth_method(contract, bootstrapping, findings);
    }
    if let Some(auth) = &contract.auth_config {
        azure_identity(auth, findings);
    }
    credential_provider(contract, findings);
    image_pull(contract, findings);
}

fn client_pair(contract: &Contract, findings: &mut Findings<'_>) {
    const CERTIFICATE: &str = "kubelet_config.kubelet_client_cert_content";
    const KEY: &str = "kubelet_config.kubelet_client_key";
    let credentials = Credentials::of(contract);
    match credentials.client {
        ClientPair::CertificateOnly => {
            findings.advise(
                &CLIENT_PAIR,
                CERTIFICATE,
                "the client certificate has no key",
                format!("set {KEY}"),
            );
        }
        ClientPair::KeyOnly => {
            findings.advise(
                &CLIENT_PAIR,
                KEY,
                "the client key has no certificate",
                format!("set {CERTIFICATE}"),
            );
        }
        ClientPair::Both if credentials.token || credentials.secure_bootstrapping => {
            let message = "the client certificate is not used: the node has another credential";
            findings.report(&CLIENT_PAIR_UNUSED, CERTIFICATE, message);
        }
        ClientPair::Both | ClientPair::None => {}
    }
}

fn auth_method(contract: &Contract, bootstrapping: &BootstrappingConfig, findings: &mut Findings<'_>) {
    const METHOD: &str = "bootstrapping_config.bootstrapping_auth_method";
    match bootstrapping.bootstrapping_auth_method {
        BootstrappingAuthMethod::BootstrapToken if !Credentials::of(contract).token => findings.advise(
            &AUTH_METHOD_WITHOUT_TOKEN,
            METHOD,
            "the auth method is a bootstrap token, and there is none",
            "set bootstrapping_config.tls_bootstrapping_token",
        ),
        BootstrappingAuthMethod::ArcMsi | BootstrappingAuthMethod::AzureMsi => findings.advise(
            &AUTH_METHOD_IGNORED,
            METHOD,
            "nodes have no code for this auth method",
            "use BOOTSTRAPPING_AUTH_METHOD_SECURE_TLS_BOOTSTRAPPING or a bootstrap token",
        ),
        BootstrappingAuthMethod::SecureTlsBootstrapping => return,
        _ => {}
    }
    let table = bootstrapping.table();
    for (index, field) in table.fields.iter().enumerate() {
        let set = !matches!(bootstrapping.view(index), View::Absent | View::Text(""));
        if field.name.starts_with("secure_tls_bootstrapping_") && set {
            findings.advise(
                &SECURE_BOOTSTRAPPING_OFF,
                &format!("bootstrapping_config.{}", field.name),
                "the setting has no effect: secure TLS bootstrapping is off",
                "set bootstrapping_auth_method to BOOTSTRAPPING_AUTH_METHOD_SECURE_TLS_BOOTSTRAPPING",
            );
        }
    }
}

fn azure_identity(auth: &AuthConfig, findings: &mut Findings<'_>) {
    let principal = !auth.service_principal_id.is_empty();
    let secret = !auth.service_principal_secret.expose().is_empty();
    let stands_for_managed_identity = auth.service_principal_id == "msi";
    if auth.use_managed_identity_extension {
        if principal && secret && !stands_for_managed_identity {
            findings.advise(
                &TWO_IDENTITIES,
                "auth_config.service_principal_id",
                "a service principal is set beside the managed identity",
                "remove one of them, or write msi as the service principal",
            );
        }
        return;
    }
    if principal && !secret {
        findings.advise(
            &SERVICE_PRINCIPAL_SECRET,
            "auth_config.service_principal_id",
            "the service principal has no secret",
            "set auth_config.service_principal_secret, or use_managed_identity_extension",
        );
    }
    if secret && !principal {
        findings.advise(
            &SERVICE_PRINCIPAL_SECRET,
            "auth_config.service_principal_secret",
            "the secret has no service principal",
            "set auth_config.service_principal_id",
        );
    }
    if !auth.assigned_identity_id.is_empty() && !principal {
        findings.advise(
            &IDENTITY_UNUSED,
            "auth_config.assigned_identity_id",
            "the managed identity is not used",
            "set auth_config.use_managed_identity_extension",
        );
    }
}

fn credential_provider(contract: &Contract, findings: &mut Findings<'_>) {
    let Some(kubelet) = &contract.kubelet_config else { return };
    let has = |flag: &str| kubelet.kubelet_flags.contains_key(flag);
    for (present, missing) in [(PROVIDER_CONFIG, PROVIDER_BINARIES), (PROVIDER_BINARIES, PROVIDER_CONFIG)] {
        if has(present) && !has(missing) {
            let message = format!("{present} is set without {missing}");
            let hint = format!("set {missing} too");
            findings.advise(&CREDENTIAL_PROVIDER_PAIR, &flag_path(present), message, hint);
        }
    }
}

fn image_pull(contract: &Contract, findings: &mut Findings<'_>) {
    const PROFILE: &str = "service_account_image_pull_profile";
    let Some(profile) = &contract.service_account_image_pull_profile else { return };
    if !profile.enabled {
        for (field, value) in [
            ("default_client_id", &profile.default_client_id),
            ("default_tenant_id", &profile.default_tenant_id),
            ("local_authority_sni", &profile.local_authority_sni),
        ] {
            if !value.is_empty() {
                let message = "the setting has no effect: image pulls by service account are off";
                findings.advise(
                    &IMAGE_PULL_OFF,
                    &format!("{PROFILE}.{field}"),
                    message,
                    format!("set {PROFILE}.enabled"),
                );
            }
        }
        return;
    }
    let flags = contract.kubelet_config.as_ref().map(|kubelet| &kubelet.kubelet_flags);
    if flags
        .is_none_or(|flags| !flags.contains_key(PROVIDER_CONFIG) && !flags.contains_key(PROVIDER_BINARIES))
    {
        findings.advise(
            &IMAGE_PULL_WITHOUT_PROVIDER,
            &format!("{PROFILE}.enabled"),
            "image pulls by service account need the image credential provider",
            format!("set the flags {PROVIDER_CONFIG} and {PROVIDER_BINARIES}"),
        );
    }
}
