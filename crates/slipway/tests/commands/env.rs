//! `slipway config env`, and the help of the commands on a node.

use serde_json::Value;

use crate::{run, shown, stdout};

#[test]
fn the_variables_are_lines_that_a_shell_reads_with_secrets_masked() {
    insta::assert_snapshot!(shown(&["config", "env", "examples/contract.json"], ""));
}

#[test]
fn the_variables_are_one_sorted_object_of_strings_for_programs() {
    insta::assert_snapshot!(shown(&["config", "env", "examples/contract.json", "-o", "json"], ""));
}

#[test]
fn compat_and_show_secrets_mask_nothing() {
    const TOKEN: &str = "abcdef.0123456789abcdef";
    for flag in ["--compat", "--show-secrets"] {
        let text = stdout(&["config", "env", "examples/contract.json", flag], "");
        assert!(text.contains(&format!("TLS_BOOTSTRAP_TOKEN='{TOKEN}'\n")), "{flag}");
    }
    assert!(!stdout(&["config", "env", "examples/contract.json"], "").contains(TOKEN));
}

#[test]
fn a_shell_reads_the_lines_back() {
    let contract = r#"{"version":"v1","message_of_the_day":"it's $(id) `id` \\ \"\n"}"#;
    let lines = stdout(&["config", "env", "-"], contract);
    let script = format!("{lines}\nprintf '%s.' \"$MESSAGE_OF_THE_DAY\"");
    let shell = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
    assert_eq!(String::from_utf8(shell.stdout).unwrap(), "it's $(id) `id` \\ \"\n.");
}

#[test]
fn facts_choose_the_containerd_configuration() {
    let facts = std::env::temp_dir().join(format!("slipway-facts-{}.json", std::process::id()));
    let text = |version: &str| {
        std::fs::write(&facts, format!(r#"{{"containerd": {{"version": "{version}"}}}}"#)).unwrap();
        let arguments =
            ["config", "env", "-o", "json", "--facts", facts.to_str().unwrap(), "examples/contract.json"];
        let values: Value = serde_json::from_str(&stdout(&arguments, "")).unwrap();
        values["CONTAINERD_CONFIG_CONTENT"].as_str().unwrap().to_owned()
    };
    assert_ne!(text("1.7.20"), text("2.0.4"));
    std::fs::remove_file(facts).unwrap();
}

#[test]
fn a_half_read_contract_is_used_as_far_as_the_go_program_reads_it_with_compat() {
    let half = r#"{"version":"v1","kubernetes_version":"1.33.2","is_kata":"yes","message_of_the_day":"x"}"#;
    let lines = |text: String| text.lines().filter(|line| line.contains("='x'")).count();
    assert_eq!(lines(stdout(&["config", "env", "-", "--compat"], half)), 0);
    assert_eq!(lines(String::from_utf8(run(&["config", "env", "-"], half).stdout).unwrap()), 1);
}

#[test]
fn a_contract_whose_variables_cannot_be_built_is_refused_with_the_reason() {
    let both = r#"{"version":"v1","is_kata":true,"enable_artifact_streaming":true}"#;
    insta::assert_snapshot!(shown(&["config", "env", "-"], both));
    assert_eq!(run(&["config", "env", "-", "--compat"], both).status.code(), Some(0));
}

#[test]
fn the_commands_on_a_node_explain_themselves() {
    for command in [&["provision", "--help"][..], &["provision-wait", "--help"], &["config", "env", "--help"]]
    {
        insta::assert_snapshot!(shown(command, ""));
    }
}

#[test]
fn wrong_usage_on_a_node_says_what_is_wrong() {
    insta::assert_snapshot!(shown(&["provision"], ""));
    insta::assert_snapshot!(shown(&["provision-wait", "--timeout", "15"], ""));
}
