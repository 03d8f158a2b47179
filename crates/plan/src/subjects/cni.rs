//! Network plugins: directories, kubenet's template, Azure CNI's files.

use std::path::PathBuf;
use std::time::Duration;

use slipway_model::node::{Download, Plugin, Policy};
use slipway_model::{Attributes, ExitReason, Facts, Node, Sources};
use slipway_render::KUBENET_TEMPLATE;

use crate::draft::Draft;
use crate::edit::Change;
use crate::op::{Action, Artifact, Edit, Move};
use crate::step::{Step, StepId};

use super::containerd::bridges;
use super::units::image_unit;

/// The directories of network plugins are there.
pub(crate) const DIRECTORIES: StepId = StepId("cni-directories");

const PROGRAMS: &str = "/opt/cni/bin";
const CONFIGURATION: &str = "/etc/cni/net.d";
/// Where images keep archives of Azure CNI and what was in them.
const DOWNLOADS: &str = "/opt/cni/downloads";
/// Azure CNI's programs. The archive has more of them, which azure-vnet can do without.
const AZURE_PROGRAMS: [&str; 2] = ["azure-vnet", "azure-vnet-ipam"];
const AZURE_CONFIGURATION: &str = "10-azure.conflist";

pub(crate) fn steps(node: &Node, facts: &Facts, draft: &mut Draft) {
    let mut step = Step::bake(DIRECTORIES, "make the directories of network plugins")
        .or_fail(ExitReason::CniVersion)
        .directory(Sources::none(), PROGRAMS, 0o755)
        .directory(Sources::none(), CONFIGURATION, 0o755);
    let mut of = Sources::none();
    if bridges(&mut of, node) {
        step = step.file(of.clone(), "/etc/containerd/kubenet_template.conf", 0o644, KUBENET_TEMPLATE);
        draft.add(
            Step::after_ready(StepId("kubenet-bridge"), "drop what the bridge delivers twice")
                .or_degrade(ExitReason::UnitStart)
                .because(&of)
                .op(of, image_unit("ensure-no-dup.service")),
        );
    }
    draft.add(step);
    azure(node, facts, draft);
}

fn azure(node: &Node, facts: &Facts, draft: &mut Draft) {
    let mut of = Sources::none();
    if *of.read(&node.network.plugin) != Plugin::Azure {
        return;
    }
    let mut step = Step::bake(StepId("azure-cni"), "place Azure CNI")
        .or_fail(ExitReason::CniDownload)
        .after(&[DIRECTORIES])
        .because(&of)
        .taking(Duration::from_mins(5));
    let configuration = PathBuf::from(CONFIGURATION).join(AZURE_CONFIGURATION);
    let mut archived = of.clone();
    let actions = match archived.read(&node.network.plugin_archive) {
        Some(archive) if !image_holds(&mut archived, facts, archive) => fetched(archive),
        Some(archive) => held(archive.file_name().map(unpacked_in)),
        None => held(None),
    };
    for action in actions {
        step = step.op(archived.clone(), action);
    }
    // Calico routes between pods and the node; a bridge between them would hide the packets from it.
    if *of.read(&node.network.policy) == Policy::Calico {
        let change =
            Change::JsonText { member: "mode".into(), from: "bridge".into(), to: "transparent".into() };
        let edit = Edit { path: configuration, attributes: Attributes::root(0o600), exact: false, change };
        step = step.op(of, Action::Edit(edit));
    }
    draft.add(step);
}

/// Images hold the versions that their manifest names; an image without a manifest is taken to hold what is asked for.
fn image_holds(of: &mut Sources, facts: &Facts, archive: &Download) -> bool {
    let Some(manifest) = of.fact("components", &facts.components) else { return true };
    let version = archive.file_name().map(stem).and_then(|stem| stem.rsplit_once("-v"));
    let Some((_, version)) = version else { return false };
    let parts_of_versions = |c: char| c.is_ascii_digit() || c == '.';
    manifest.0.match_indices(version).any(|(at, found)| {
        !manifest.0[..at].ends_with(parts_of_versions)
            && !manifest.0[at + found.len()..].starts_with(parts_of_versions)
    })
}

/// Where images unpack an archive of this name.
fn unpacked_in(file_name: &str) -> PathBuf {
    PathBuf::from(DOWNLOADS).join(stem(file_name))
}

fn stem(file_name: &str) -> &str {
    file_name.strip_suffix(".tgz").or_else(|| file_name.strip_suffix(".tar.gz")).unwrap_or(file_name)
}

/// What the image holds, where it is used. Some images keep only the configuration among the programs.
fn held(unpacked: Option<PathBuf>) -> Vec<Action> {
    let place = |from, to, mode| Action::Move(Move { from, to, attributes: Attributes::root(mode) });
    let mut places = Vec::new();
    let mut configurations = vec![PathBuf::from(PROGRAMS).join(AZURE_CONFIGURATION)];
    if let Some(unpacked) = unpacked {
        for program in AZURE_PROGRAMS {
            places.push(place(vec![unpacked.join(program)], PathBuf::from(PROGRAMS).join(program), 0o755));
        }
        configurations.insert(0, unpacked.join(AZURE_CONFIGURATION));
    }
    places.push(place(configurations, PathBuf::from(CONFIGURATION).join(AZURE_CONFIGURATION), 0o600));
    places
}

/// What the image does not hold, from the network. The configuration has a mode of its own.
fn fetched(archive: &Download) -> Vec<Action> {
    let fetch = |members: Vec<(String, PathBuf)>, mode| {
        Action::Artifact(Artifact {
            url: archive.url.clone(),
            sha256: archive.sha256.clone(),
            cached: archive.file_name().map(|name| PathBuf::from(DOWNLOADS).join(name)),
            members,
            attributes: Attributes::root(mode),
        })
    };
    let member = |name: &str, directory: &str| (name.to_owned(), PathBuf::from(directory).join(name));
    let programs = AZURE_PROGRAMS.iter().map(|name| member(name, PROGRAMS));
    vec![fetch(programs.collect(), 0o755), fetch(vec![member(AZURE_CONFIGURATION, CONFIGURATION)], 0o600)]
}

#[cfg(test)]
mod tests {
    use crate::outline::{assert_named, file, plan, step};

    const AZURE: &str = r#"{"version":"v1","network_config":{"network_plugin":"NETWORK_PLUGIN_AZURE","vnet_cni_plugins_url":"https://h/azure-vnet-cni-linux-amd64-v1.6.2.tgz"}}"#;

    #[test]
    fn azure_cni_comes_from_the_image_if_its_manifest_names_the_version() {
        let held = step(&plan(AZURE, r#"{"components":{"v":"1.6.2"}}"#), "azure-cni");
        assert!(held.contains(
            "move [\"/opt/cni/downloads/azure-vnet-cni-linux-amd64-v1.6.2/azure-vnet\"] -> /opt/cni/bin/azure-vnet 755"
        ));
        assert!(held.contains("-> /etc/cni/net.d/10-azure.conflist 600") && !held.contains("fetch"));
        let fetched = step(&plan(AZURE, r#"{"components":{"v":"1.6.21","w":"11.6.2"}}"#), "azure-cni");
        assert_eq!(fetched.matches("fetch").count(), 2);
        assert!(!fetched.contains("move"));
    }

    #[test]
    fn calico_needs_transparent_mode() {
        let calico = AZURE.replace("\"vnet_cni", "\"network_policy\":\"NETWORK_POLICY_CALICO\",\"vnet_cni");
        assert!(
            step(&plan(&calico, "{}"), "azure-cni")
                .contains("edit /etc/cni/net.d/10-azure.conflist JsonText")
        );
        assert!(!step(&plan(AZURE, "{}"), "azure-cni").contains("edit"));
        assert_named("network_config.network_policy", AZURE, &calico, "{}");
        assert_named("network_config.network_plugin", AZURE, r#"{"version":"v1"}"#, "{}");
        let other = AZURE.replace("1.6.2", "1.6.3");
        assert_named("network_config.vnet_cni_plugins_url", AZURE, &other, "{}");
    }

    #[test]
    fn kubenet_has_a_template_and_a_filter_unless_calico_routes() {
        let kubenet = r#"{"version":"v1","network_config":{"network_plugin":"NETWORK_PLUGIN_KUBENET"}}"#;
        let plan = plan(kubenet, "{}");
        assert!(file(&plan, "/etc/containerd/kubenet_template.conf").contains("cbr0"));
        assert!(file(&plan, "/etc/containerd/config.toml").contains("kubenet_template.conf"));
        assert_eq!(
            step(&plan, "kubenet-bridge"),
            "AfterReady or degrade 4\nrestart enable ensure-no-dup.service if there\n"
        );
    }
}
