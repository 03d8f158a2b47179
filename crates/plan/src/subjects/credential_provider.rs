//! How kubelet logs in to Azure's registries.

use std::path::{Path, PathBuf};
use std::time::Duration;

use slipway_model::{Attributes, ExitReason, Facts, Node, Sources};
use slipway_render::{AccountPull, CREDENTIAL_PROVIDER, CredentialProvider, credential_provider_config};

use crate::draft::Draft;
use crate::op::{Action, Artifact, Move};
use crate::places::{AZURE_JSON, START_KUBELET};
use crate::step::{Step, StepId};

const CONFIG: StepId = StepId("credential-provider-config");
const PROGRAM: StepId = StepId("credential-provider");
const CONFIG_FLAG: &str = "--image-credential-provider-config";
const PROGRAM_FLAG: &str = "--image-credential-provider-bin-dir";
/// Where images keep the archive.
const CACHE: &str = "/opt/credentialprovider/downloads";

/// Kubelet asks a provider only if both flags say where it is; then it does not start without it.
pub(crate) fn steps(node: &Node, _facts: &Facts, draft: &mut Draft) {
    let (Some(config), Some(directory)) =
        (node.kubelet.flags.get(CONFIG_FLAG), node.kubelet.flags.get(PROGRAM_FLAG))
    else {
        return;
    };
    let mut of = Sources::none();
    let (config, directory) = (of.read(config), of.read(directory));
    draft.add(program(node, of.clone(), directory));
    draft.order(PROGRAM, START_KUBELET);
    let because = of.clone();
    let text = text(node, &mut of);
    draft.add(
        Step::join(CONFIG, "tell kubelet how to log in to registries")
            .or_fail(ExitReason::CredentialProvider)
            .because(&because)
            .file(of, config, 0o644, text),
    );
    draft.order(CONFIG, START_KUBELET);
}

fn program(node: &Node, mut of: Sources, directory: &str) -> Step {
    let program: PathBuf = Path::new(directory).join(CREDENTIAL_PROVIDER);
    let attributes = Attributes::root(0o755);
    let because = of.clone();
    let action = match of.read(&node.binaries.credential_provider) {
        Some(archive) => Action::Artifact(Artifact {
            url: archive.url.clone(),
            sha256: archive.sha256.clone(),
            cached: archive.file_name().map(|name| Path::new(CACHE).join(name)),
            members: vec![("azure-acr-credential-provider".to_owned(), program)],
            attributes,
        }),
        // Without an address the image has to have it where kubelet looks.
        None => Action::Move(Move { from: Vec::new(), to: program, attributes }),
    };
    Step::bake(PROGRAM, "install the credential provider for registries")
        .or_fail(ExitReason::CredentialProvider)
        .taking(Duration::from_mins(5))
        .because(&because)
        .op(of, action)
}

fn text(node: &Node, of: &mut Sources) -> String {
    let pull = &node.kubelet.account_pull;
    let account = of.read(&pull.enabled).then(|| AccountPull {
        authority: of.read(&pull.authority).as_str(),
        client: of.read(&pull.client).as_deref(),
        tenant: of.read(&pull.tenant).as_deref(),
        server: of.read(&node.cluster.server).as_str(),
    });
    credential_provider_config(&CredentialProvider {
        azure_json: AZURE_JSON,
        registry_suffix: of.read(&node.cloud.custom.registry_suffix).as_deref(),
        mirror: of.read(&node.cluster.registry_mirror).as_deref(),
        account,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{facts, lines, plain, text, with};

    const FLAGS: &str = r#""kubelet_config":{"kubelet_flags":{"--image-credential-provider-config":"/var/lib/kubelet/credential-provider-config.yaml","--image-credential-provider-bin-dir":"/var/lib/kubelet/credential-provider"}}"#;

    #[test]
    fn a_provider_is_for_kubelets_that_are_told_of_one() {
        assert!(lines(steps, &plain(), &facts()).is_empty());
        assert_eq!(
            lines(steps, &with(FLAGS), &facts()),
            [
                "credential-provider move /var/lib/kubelet/credential-provider/acr-credential-provider 0755",
                "credential-provider-config file /var/lib/kubelet/credential-provider-config.yaml 0644",
            ]
        );
        let fetched = with(&format!(
            r#"{FLAGS},"kube_binary_config":{{"linux_credential_provider_url":"https://h/p.tar.gz"}}"#
        ));
        assert_eq!(
            lines(steps, &fetched, &facts())[0],
            "credential-provider artifact /var/lib/kubelet/credential-provider/acr-credential-provider"
        );
    }

    #[test]
    fn accounts_and_mirrors_reach_the_configuration() {
        let node = with(&format!(
            r#"{FLAGS},"bootstrap_profile_container_registry_server":"r.azurecr.io","service_account_image_pull_profile":{{"enabled":true,"local_authority_sni":"sni"}}"#
        ));
        let text = text(steps, &node, &facts(), "/var/lib/kubelet/credential-provider-config.yaml");
        assert!(text.contains("--registry-mirror=mcr.microsoft.com:r.azurecr.io"), "{text}");
        assert!(
            text.contains("--ib-sni-name=sni") && text.contains("--ib-apiserver-ip=api.example"),
            "{text}"
        );
    }
}
