//! Characters that break the text a value is rendered into. The renderers put values in as they are.

use super::findings::Findings;
use super::shapes::{Site, walk};
use super::{Rule, rules};
use crate::Contract;
use crate::codec::Format;

rules! {
    CONTROL_CHARACTER: Error "control-character",
    summary: "A value holds no control characters; encoded values may hold line breaks.",
    reason: "A NUL makes the start of the provisioning script fail. A line break ends the line of the file that \
             the value is written to, and what follows it becomes a line of its own.",
    good: r#"{"cluster_config": {"location": "westeurope"}}"#,
    bad: r#"{"cluster_config": {"location": "westeurope\n"}}"#;

    VALUE_TOO_LONG: Error "value-too-long",
    summary: "A value is shorter than 128 KiB.",
    reason: "Values reach the provisioning script through its environment, and the kernel refuses to start a \
             program with a longer one.",
    good: r#"{"message_of_the_day": "SGVsbG8K"}"#,
    bad: "";

    BREAKS_TOML: Error "breaks-toml",
    summary: "A value that goes into containerd's configuration has no quotes and no backslashes.",
    reason: "containerd does not start with a configuration that is not TOML.",
    good: r#"{"kubelet_config": {"container_data_dir": "/mnt/containers"}}"#,
    bad: r#"{"kubelet_config": {"container_data_dir": "/mnt/\"containers\""}}"#;

    BREAKS_AZURE_JSON: Error "breaks-azure-json",
    summary: "A value that goes into `azure.json` has no quotes and no backslashes.",
    reason: "The cloud provider, the credential provider and storage drivers all read that file.",
    good: r#"{"cluster_config": {"resource_group": "MC_demo_demo_westeurope"}}"#,
    bad: r#"{"cluster_config": {"resource_group": "MC_\"demo\""}}"#;

    BREAKS_SHELL: Error "breaks-shell",
    summary: "A proxy setting has no quotes, backslashes, dollar signs, backquotes and blanks.",
    reason: "Proxy settings are evaluated by the shell: such a character ends the text or starts a command.",
    good: r#"{"http_proxy_config": {"http_proxy": "http://user:p%24ss@proxy:3128/"}}"#,
    bad: r#"{"http_proxy_config": {"http_proxy": "http://user:p$ss@proxy:3128/"}}"#;

    BREAKS_UNIT_LINE: Error "breaks-unit-line",
    summary: "A value that becomes part of a unit's command line has no blanks, quotes, backslashes and dollar signs.",
    reason: "Kubelet flags and the settings of secure TLS bootstrapping are joined to one line, which systemd \
             splits again at blanks, after taking quotes and backslashes away.",
    good: r#"{"kubelet_config": {"kubelet_flags": {"--register-with-taints": "dedicated=gpu:NoSchedule"}}}"#,
    bad: r#"{"kubelet_config": {"kubelet_flags": {"--register-with-taints": "dedicated=gpu:NoSchedule, x=y:NoExecute"}}}"#;
}

/// The kernel's limit for one environment variable, less room for its name.
const LONGEST: usize = 128 * 1024 - 64;

const JSON_OR_TOML: &[char] = &['"', '\\'];
const SHELL: &[char] = &['"', '\\', '$', '`', ' ', '\t'];
const UNIT: &[char] = &['"', '\'', '\\', '$', ' ', '\t'];

/// What values become part of, by message and field, and what must not stand in them. `*` stands for all fields.
static RENDERED: &[(&str, &str, &Rule, &[char])] = &[
    ("KubeletConfig", "container_data_dir", &BREAKS_TOML, JSON_OR_TOML),
    ("KubeBinaryConfig", "pod_infra_container_image_url", &BREAKS_TOML, JSON_OR_TOML),
    ("AuthConfig", "tenant_id", &BREAKS_AZURE_JSON, JSON_OR_TOML),
    ("AuthConfig", "subscription_id", &BREAKS_AZURE_JSON, JSON_OR_TOML),
    ("AuthConfig", "service_principal_id", &BREAKS_AZURE_JSON, JSON_OR_TOML),
    ("AuthConfig", "assigned_identity_id", &BREAKS_AZURE_JSON, JSON_OR_TOML),
    ("ClusterConfig", "*", &BREAKS_AZURE_JSON, JSON_OR_TOML),
    ("ClusterNetworkConfig", "*", &BREAKS_AZURE_JSON, JSON_OR_TOML),
    ("HttpProxyConfig", "http_proxy", &BREAKS_SHELL, SHELL),
    ("HttpProxyConfig", "https_proxy", &BREAKS_SHELL, SHELL),
    ("HttpProxyConfig", "no_proxy_entries", &BREAKS_SHELL, SHELL),
    ("KubeletConfig", "kubelet_flags", &BREAKS_UNIT_LINE, UNIT),
    ("BootstrappingConfig", "secure_tls_bootstrapping_aad_resource", &BREAKS_UNIT_LINE, UNIT),
    ("BootstrappingConfig", "secure_tls_bootstrapping_user_assigned_identity_id", &BREAKS_UNIT_LINE, UNIT),
];

pub(super) fn check(contract: &Contract, findings: &mut Findings<'_>) {
    walk(contract, "", &mut |site| {
        if let Some(text) = site.text() {
            characters(&site, text, findings);
        }
    });
}

fn characters(site: &Site<'_>, text: &str, findings: &mut Findings<'_>) {
    if text.len() > LONGEST {
        findings.report(
            &VALUE_TOO_LONG,
            site.path,
            format!("the value has {} bytes: at most {LONGEST} fit", text.len()),
        );
    }
    if let Some(control) = text.chars().find(|c| c.is_control() && !may_stand(site, *c)) {
        let message = format!("the control character U+{:04X} stands in the value", u32::from(control));
        return findings.advise(&CONTROL_CHARACTER, site.path, message, "remove it");
    }
    for (message, field, rule, forbidden) in RENDERED {
        if *message == site.table.name
            && (*field == "*" || *field == site.field.name)
            && let Some(found) = text.chars().find(|c| forbidden.contains(c))
        {
            let shown =
                if found.is_whitespace() { "a blank".to_owned() } else { format!("the character {found}") };
            let hint = if rule.id == BREAKS_SHELL.id {
                "in a URL, write it as % and two hexadecimal digits"
            } else {
                "remove it"
            };
            findings.advise(rule, site.path, format!("{shown} stands in the value"), hint);
        }
    }
}

/// Whether a control character does no harm here, or another rule speaks of it: encoded values and features have
/// shapes of their own, and the outbound command runs as a script.
fn may_stand(site: &Site<'_>, control: char) -> bool {
    match site.field.format {
        Format::Named("base64" | "base64-json" | "pem-certificate" | "pem-private-key") => true,
        Format::Named("feature") => matches!(control, '\n' | '\r'),
        _ => site.field.name == "outbound_command" && matches!(control, '\n' | '\t'),
    }
}
