//! Kubelet's unit, and the file of variables from which its command line is filled.
//!
//! The names of the variables are those of the image's own unit: drop-ins of images and of users keep their meaning.

use crate::unit::UnitText;

/// The variables that add to kubelet's command line, in their order on it.
const VARIABLES: [&str; 6] = [
    "$KUBELET_TLS_BOOTSTRAP_FLAGS",
    "$KUBELET_CONFIG_FILE_FLAGS",
    "$KUBELET_CONTAINERD_FLAGS",
    "$KUBELET_CONTAINER_RUNTIME_FLAG",
    "$KUBELET_CGROUP_FLAGS",
    "$KUBELET_FLAGS",
];

/// The text of `kubelet.service`. Nothing runs before kubelet: rules of the firewall are a unit of their own, directories are
/// made beforehand, and systemd shares the root's mounts already.
pub fn kubelet_unit() -> String {
    let command = format!(
        "/opt/bin/kubelet --enable-server --node-labels=${{KUBELET_NODE_LABELS}} --v=2 \
         --volume-plugin-dir=/etc/kubernetes/volumeplugins {}",
        VARIABLES.join(" ")
    );
    UnitText::section("Unit")
        .set("Description", "Kubelet")
        .set("ConditionPathExists", "/opt/bin/kubelet")
        .set("Wants", "network-online.target containerd.service slipway-firewall.service")
        .set("After", "network-online.target containerd.service slipway-firewall.service")
        // A kubelet that fails every two seconds and is restarted besides would be given up for good.
        .set("StartLimitIntervalSec", "0")
        .and("Service")
        .set("Restart", "always")
        .set("RestartSec", "2")
        .set("SuccessExitStatus", "143")
        .set("EnvironmentFile", "/etc/default/kubelet")
        .set("ExecStart", &command)
        .and("Install")
        .set("WantedBy", "multi-user.target")
        .finish()
}

/// What `/etc/default/kubelet` is made of.
#[derive(Debug, Clone, Copy)]
pub struct KubeletDefaults<'a> {
    /// Flags, `--name=value` each.
    pub flags: &'a [String],
    /// Labels, `name=value` each.
    pub labels: &'a [String],
    /// Who enforces network policies; may be empty.
    pub network_policy: &'a str,
    /// The file with a custom cloud's endpoints.
    pub environment: Option<&'a str>,
}

/// The text of `/etc/default/kubelet`. The service manager breaks flags at white space, so they may not hold any.
pub fn kubelet_defaults(defaults: KubeletDefaults<'_>) -> String {
    let mut out = String::with_capacity(1024);
    let flags = defaults.flags.join(" ");
    let labels = defaults.labels.join(",");
    let lines = [
        ("KUBELET_FLAGS", flags.as_str()),
        ("KUBELET_REGISTER_SCHEDULABLE", "true"),
        ("NETWORK_POLICY", defaults.network_policy),
        ("KUBELET_IMAGE", ""),
        ("KUBELET_NODE_LABELS", labels.as_str()),
    ];
    for (name, value) in
        lines.into_iter().chain(defaults.environment.map(|path| ("AZURE_ENVIRONMENT_FILEPATH", path)))
    {
        out.push_str(name);
        out.push('=');
        out.extend(value.chars().map(|c| if c.is_control() { ' ' } else { c }));
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_runs_before_kubelet_and_every_variable_has_its_place() {
        let unit = kubelet_unit();
        assert!(
            !unit.contains("ExecStartPre") && !unit.contains("/bin/sh") && !unit.contains("bash"),
            "{unit}"
        );
        let command = unit.lines().find(|line| line.starts_with("ExecStart=")).unwrap();
        assert!(command.ends_with("$KUBELET_CGROUP_FLAGS $KUBELET_FLAGS"), "{command}");
    }

    #[test]
    fn variables_stand_on_a_line_each() {
        let text = kubelet_defaults(KubeletDefaults {
            flags: &["--a=1".into(), "--b=2\nX=3".into()],
            labels: &["x=1".into(), "y=".into()],
            network_policy: "calico",
            environment: Some("/etc/kubernetes/akscustom.json"),
        });
        assert_eq!(
            text,
            "KUBELET_FLAGS=--a=1 --b=2 X=3\nKUBELET_REGISTER_SCHEDULABLE=true\nNETWORK_POLICY=calico\nKUBELET_IMAGE=\n\
             KUBELET_NODE_LABELS=x=1,y=\nAZURE_ENVIRONMENT_FILEPATH=/etc/kubernetes/akscustom.json\n"
        );
    }
}
