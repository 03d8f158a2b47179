//! `slipway explain`.

use serde_json::json;

use crate::root::{Root, json, text, told};

fn explained(what: &str) -> String {
    told(&Root::new().planned("explain", &[what]))
}

#[test]
fn a_value_is_followed_back_to_the_field_that_gave_it() {
    insta::assert_snapshot!(explained("net.core.somaxconn"));
    insta::assert_snapshot!(explained("--register-with-taints"));
    insta::assert_snapshot!(explained("agentpool"));
    let answer = json(&Root::new().planned("explain", &["--max-pods", "-o", "json"]));
    let answer = &answer["answers"][0];
    assert_eq!((&answer["kind"], &answer["name"]), (&json!("kubelet-key"), &json!("maxPods")));
    assert_eq!(
        (&answer["step"], &answer["path"]),
        (&json!("kubelet-config"), &json!("/etc/default/kubeletconfig.json"))
    );
}

#[test]
fn files_units_steps_and_variables_are_explained_by_their_names() {
    for (what, kind, part) in [
        ("/etc/default/kubelet", "[file]", "<- step kubelet-config: configure kubelet"),
        (
            "/etc/default/kubelet",
            "[file]",
            "<- kubelet_config.kubelet_node_labels[agentpool], set in the contract: \"nodepool1\"",
        ),
        (
            "/var/lib/kubelet/bootstrap-kubeconfig",
            "<secret>",
            "<- bootstrapping_config.tls_bootstrapping_token, set in the contract: \"<secret>\"",
        ),
        ("kubelet.service", "[unit]", "<- step start-kubelet: start kubelet"),
        ("start-containerd", "[step]", "-> unit containerd.service: restart, enable"),
        ("KUBELET_FLAGS", "[script-variable]", "<- kubelet_config.kubelet_flags, set in the contract"),
        ("GPU_DRIVER_VERSION", "[script-variable]", "<- fact components: unknown"),
    ] {
        let text = explained(what);
        assert!(text.contains(kind) && text.contains(part), "{what}: {text}");
    }
}

#[test]
fn a_field_of_the_contract_is_followed_to_what_comes_of_it() {
    let text = explained("kubelet_config.kubelet_flags[--cloud-provider]");
    assert!(
        text.starts_with("kubelet_config.kubelet_flags[--cloud-provider] = \"external\"  [contract-field]\n")
    );
    assert!(
        text.contains("-> kubelet-flag --cloud-provider = external\n") && !text.contains("--register-with")
    );
    // The last part of a path is enough.
    let text = explained("cse_timeout");
    assert!(
        text.contains("set; honoured by native provisioning") && text.contains("-> bound time for all of it")
    );
    let text = explained("custom_search_domain_config.domain_name");
    assert!(text.contains("not set") && text.contains("refused by native provisioning: "), "{text}");
}

#[test]
fn what_has_no_such_name_is_answered_with_the_nearest_one() {
    let output = Root::new().planned("explain", &["/etc/default/kubelt"]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(text(&output.stderr));
}
