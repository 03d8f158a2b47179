//! How kubelet asks the credential provider for Azure's registries.

use crate::quote::quoted;
use crate::registry::MICROSOFT_REGISTRY;

/// The provider's name, which is its program's name too.
pub const CREDENTIAL_PROVIDER: &str = "acr-credential-provider";

/// Azure's registries, in every cloud.
const REGISTRIES: [&str; 8] = [
    "*.azurecr.io",
    "*.azurecr.cn",
    "*.azurecr.de",
    "*.azurecr.us",
    "*.*.geo.azurecr.io",
    "*.*.geo.azurecr.cn",
    "*.*.geo.azurecr.de",
    "*.*.geo.azurecr.us",
];

/// Which registries the provider is asked about, and with what.
#[derive(Debug, Clone, Copy, Default)]
pub struct CredentialProvider<'a> {
    /// The cloud provider's file.
    pub azure_json: &'a str,
    /// How the registries of a custom cloud end.
    pub registry_suffix: Option<&'a str>,
    /// The registry that stands for Microsoft's where there is no way out.
    pub mirror: Option<&'a str>,
    /// Pulls in the name of a pod's service account.
    pub account: Option<AccountPull<'a>>,
}

/// Pulls in the name of a pod's service account.
#[derive(Debug, Clone, Copy)]
pub struct AccountPull<'a> {
    /// The name under which the cluster's authority for identities answers.
    pub authority: &'a str,
    /// The identity for accounts that name none.
    pub client: Option<&'a str>,
    /// That identity's tenant.
    pub tenant: Option<&'a str>,
    /// The API server.
    pub server: &'a str,
}

/// The text of the file that kubelet's `--image-credential-provider-config` names.
pub fn credential_provider_config(config: &CredentialProvider<'_>) -> String {
    let mut images: Vec<String> = REGISTRIES.map(str::to_owned).to_vec();
    let mut arguments = vec![config.azure_json.to_owned()];
    images.extend(config.registry_suffix.map(|suffix| format!("*{suffix}")));
    if let Some(mirror) = config.mirror {
        images.push(MICROSOFT_REGISTRY.to_owned());
        arguments.push(format!("--registry-mirror={MICROSOFT_REGISTRY}:{mirror}"));
    }
    let mut out = format!(
        "apiVersion: kubelet.config.k8s.io/v1\nkind: CredentialProviderConfig\nproviders:\n  \
         - name: {CREDENTIAL_PROVIDER}\n    apiVersion: credentialprovider.kubelet.k8s.io/v1\n    \
         defaultCacheDuration: \"10m\"\n"
    );
    if let Some(account) = config.account {
        out.push_str(
            "    tokenAttributes:\n      serviceAccountTokenAudience: \"api://AKSIdentityBinding\"\n      \
             requireServiceAccount: false\n      cacheType: ServiceAccount\n      \
             optionalServiceAccountAnnotationKeys:\n        - \"kubernetes.azure.com/acr-client-id\"\n",
        );
        arguments.push(format!("--ib-sni-name={}", account.authority));
        arguments.extend(account.client.map(|id| format!("--ib-default-client-id={id}")));
        arguments.extend(account.tenant.map(|id| format!("--ib-default-tenant-id={id}")));
        arguments.push(format!("--ib-apiserver-ip={}", account.server));
    }
    list(&mut out, "matchImages", &images);
    list(&mut out, "args", &arguments);
    out
}

fn list(out: &mut String, name: &str, items: &[String]) {
    out.push_str("    ");
    out.push_str(name);
    out.push_str(":\n");
    for item in items {
        out.push_str("      - ");
        quoted(out, item, char::is_control);
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_cluster_asks_about_azures_registries_only() {
        let text =
            credential_provider_config(&CredentialProvider { azure_json: "/a.json", ..Default::default() });
        assert!(text.ends_with("      - \"*.*.geo.azurecr.us\"\n    args:\n      - \"/a.json\"\n"), "{text}");
        assert!(!text.contains("tokenAttributes"));
    }

    #[test]
    fn suffix_mirror_and_accounts_add_their_own() {
        let account =
            AccountPull { authority: "sni", client: Some("c"), tenant: None, server: "api.example" };
        let text = credential_provider_config(&CredentialProvider {
            azure_json: "/a.json",
            registry_suffix: Some(".azurecr.example"),
            mirror: Some("r.azurecr.io"),
            account: Some(account),
        });
        for line in [
            "      - \"*.azurecr.example\"\n",
            "      - \"mcr.microsoft.com\"\n",
            "      - \"--registry-mirror=mcr.microsoft.com:r.azurecr.io\"\n",
            "      cacheType: ServiceAccount\n",
            "      - \"--ib-sni-name=sni\"\n      - \"--ib-default-client-id=c\"\n      - \"--ib-apiserver-ip=api.example\"\n",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }
}
