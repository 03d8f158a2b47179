//! Where things are on a node of this kind.

/// The image's directory for everything below.
pub const CONTAINERS: &str = "/opt/azure/containers";
/// The image's binary, under the name that launchers know.
pub const BINARY: &str = "/opt/azure/containers/aks-node-controller";
/// Where the image's scripts begin.
pub const SCRIPTS: &str = "/opt/azure/containers/provision_start.sh";
/// Which hotfix to stage, if any.
pub const HOTFIX: &str = "/opt/azure/containers/aks-node-controller-hotfix.json";
/// Features that are switched on for this node.
pub const FEATURES: &str = "/opt/azure/containers/enabled_features.sh";
/// The name that the machine is to have.
pub const HOST_NAME: &str = "/etc/hostname";
/// The contract.
pub const CONTRACT: &str = "/opt/azure/containers/aks-node-controller-config.json";
/// The pre-rendered command.
pub const COMMAND: &str = "/opt/azure/containers/aks-node-controller-nbc-cmd.sh";
/// The image's component manifest.
pub const COMPONENTS: &str = "/opt/azure/components.json";
/// An attempt has ended, well or not.
pub const COMPLETE: &str = "/opt/azure/containers/provision.complete";
/// A bake has ended: the image is prepared, and no node was made.
pub const PREPARED: &str = "/opt/azure/containers/base_prep.complete";
/// The result.
pub const RESULT: &str = "/var/log/azure/aks/provision.json";
/// The log.
pub const LOG: &str = "/var/log/azure/aks-node-controller.log";
/// Where the guest agent looks for events.
pub const EVENTS: &str = "/var/log/azure/Microsoft.Azure.Extensions.CustomScript/events";
