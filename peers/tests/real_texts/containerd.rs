//! containerd loads our configurations, and every setting in them takes effect.

use slipway_scripts::Mode;
use toml::{Table, Value};

use super::contracts::{Family, named, text, texts};
use super::programs::{CONTAINERD_1, CONTAINERD_2, Program, file};

const WITH_GPU: &str = "CONTAINERD_CONFIG_CONTENT";
const WITHOUT_GPU: &str = "CONTAINERD_CONFIG_NO_GPU_CONTENT";

const CRI: &str = "io.containerd.grpc.v1.cri";
const IMAGES: &str = "io.containerd.cri.v1.images";
const RUNTIME: &str = "io.containerd.cri.v1.runtime";

/// What containerd 1.7 has no plugins for: Kata's nodes bring a containerd that has them.
const NOT_IN_1: [&str; 2] =
    ["/plugins/io.containerd.differ.v1.erofs", "/plugins/io.containerd.snapshotter.v1.erofs"];
/// What the peer writes for containerd 2.x in places where it no longer looks.
const NOT_IN_2: [&str; 2] =
    ["/plugins/io.containerd.cri.v1.runtime/cni/bin_dir", "/plugins/io.containerd.grpc.v1.cri/containerd"];

/// A configuration as containerd has it in the end.
struct Loaded {
    effective: Table,
    /// What containerd had to say, one line each.
    remarks: String,
}

fn program(family: Family) -> &'static Program {
    match family {
        Family::V1 => &CONTAINERD_1,
        Family::V2 => &CONTAINERD_2,
    }
}

fn load(family: Family, text: &str) -> Result<Loaded, String> {
    let config = file("toml", text);
    let output =
        program(family).command().arg("--config").arg(config).args(["config", "dump"]).output().unwrap();
    let remarks = String::from_utf8(output.stderr).unwrap();
    if !output.status.success() {
        return Err(remarks);
    }
    let effective = String::from_utf8(output.stdout).unwrap().parse().unwrap();
    // Our texts are of the version that both families read, so that containerd 2.x always has this to say.
    let unexpected = |line: &&str| !line.contains("Configuration migrated from version 2");
    Ok(Loaded { effective, remarks: remarks.lines().filter(unexpected).collect() })
}

/// The configuration that a contract leads to, as containerd has it.
fn effective(contract: &str, family: Family, mode: Mode, variable: &str) -> Table {
    let text = text(&named(contract), family, mode, variable).unwrap();
    load(family, &text).unwrap_or_else(|error| panic!("{contract}: {error}\n{text}")).effective
}

/// The settings that are not in effect as written.
fn lost(path: &str, written: &Value, effective: Option<&Value>) -> Vec<String> {
    match (written, effective) {
        (Value::Table(written), Some(Value::Table(effective))) => {
            let settings = written.iter();
            let lost = |(name, value)| lost(&format!("{path}/{name}"), value, effective.get(name));
            settings.flat_map(lost).collect()
        }
        (written, Some(effective)) if written == effective => Vec::new(),
        _ => vec![path.to_owned()],
    }
}

/// The settings of a text by the places where the newest containerd of its family has them.
fn written(text: &str, family: Family) -> Value {
    let mut written: Table = text.parse().unwrap();
    assert_eq!(written.remove("version"), Some(Value::Integer(2)));
    if family == Family::V2 {
        let metrics = written.remove("metrics").unwrap();
        let plugins = written["plugins"].as_table_mut().unwrap();
        plugins.insert("io.containerd.server.v1.metrics".to_owned(), metrics);
    }
    Value::Table(written)
}

fn assert_in_effect(family: Family, mode: Mode, except: &[&str], may_complain: bool) {
    let texts = texts(family, mode, &[WITH_GPU, WITHOUT_GPU]);
    assert!(texts.len() > 10, "{}", texts.len());
    for (text, name) in texts {
        let loaded = load(family, &text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        assert!(may_complain || loaded.remarks.is_empty(), "{name}: {}", loaded.remarks);
        let lost = lost("", &written(&text, family), Some(&Value::Table(loaded.effective)));
        let lost: Vec<_> = lost.iter().filter(|path| !except.contains(&path.as_str())).collect();
        assert!(lost.is_empty(), "{name}: not in effect: {lost:?}\n{text}");
    }
}

#[test]
fn containerd_1_has_every_setting_in_effect_under_both_names() {
    for mode in [Mode::Compat, Mode::Ours] {
        assert_in_effect(Family::V1, mode, &NOT_IN_1, false);
    }
}

#[test]
fn containerd_2_has_every_setting_of_ours_in_effect_without_a_remark() {
    assert_in_effect(Family::V2, Mode::Ours, &[], false);
}

#[test]
fn containerd_2_has_every_setting_of_the_peers_in_effect_but_those_that_the_peer_misplaces() {
    assert_in_effect(Family::V2, Mode::Compat, &NOT_IN_2, true);
}

#[test]
fn containerd_2_still_loads_what_was_written_for_containerd_1() {
    for (text, name) in texts(Family::V1, Mode::Ours, &[WITH_GPU, WITHOUT_GPU]) {
        let loaded = load(Family::V2, &text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        assert_eq!(loaded.remarks, "", "{name}");
        let runtimes = &loaded.effective["plugins"][RUNTIME]["containerd"]["runtimes"];
        assert!(runtimes.get("untrusted").is_some(), "{name}");
    }
}

#[test]
fn nvidias_runtime_is_the_default_of_a_gpu_node_only_where_drivers_are_installed() {
    for (family, plugin) in [(Family::V1, CRI), (Family::V2, RUNTIME)] {
        for mode in [Mode::Compat, Mode::Ours] {
            let runtimes =
                |variable| effective("gpu", family, mode, variable)["plugins"][plugin]["containerd"].clone();
            let gpu = runtimes(WITH_GPU);
            assert_eq!(gpu["default_runtime_name"].as_str(), Some("nvidia-container-runtime"));
            let options = &gpu["runtimes"]["nvidia-container-runtime"]["options"];
            assert_eq!(options["BinaryName"].as_str(), Some("/usr/bin/nvidia-container-runtime"));
            assert_eq!(runtimes(WITHOUT_GPU)["default_runtime_name"].as_str(), Some("runc"));
        }
    }
}

#[test]
fn the_pause_image_the_data_directory_and_the_registries_are_those_of_the_contract() {
    let pause = Some("mcr.microsoft.com/oss/v2/kubernetes/pause:3.6");
    let hosts = Some("/etc/containerd/certs.d");
    for mode in [Mode::Compat, Mode::Ours] {
        let one = effective("kubenet", Family::V1, mode, WITHOUT_GPU);
        assert_eq!(one["root"].as_str(), Some("/mnt/aks/containers"));
        assert_eq!(one["plugins"][CRI]["sandbox_image"].as_str(), pause);
        assert_eq!(one["plugins"][CRI]["registry"]["config_path"].as_str(), hosts);
        let two = effective("kubenet", Family::V2, mode, WITHOUT_GPU);
        assert_eq!(two["root"].as_str(), Some("/mnt/aks/containers"));
        assert_eq!(two["plugins"][IMAGES]["pinned_images"]["sandbox"].as_str(), pause);
        assert_eq!(two["plugins"][IMAGES]["registry"]["config_path"].as_str(), hosts);
        let network = &two["plugins"][RUNTIME]["cni"];
        assert_eq!(network["bin_dirs"].as_array().unwrap(), &[Value::from("/opt/cni/bin")]);
        assert_eq!(network["conf_template"].as_str(), Some("/etc/containerd/kubenet_template.conf"));
    }
}

#[test]
fn systemd_has_the_control_groups_of_runc_and_streaming_has_its_snapshotter() {
    for (family, runtime, images) in
        [(Family::V1, CRI, &[CRI, "containerd"][..]), (Family::V2, RUNTIME, &[IMAGES])]
    {
        for mode in [Mode::Compat, Mode::Ours] {
            let loaded = effective("streaming", family, mode, WITHOUT_GPU);
            let runc = &loaded["plugins"][runtime]["containerd"]["runtimes"]["runc"];
            assert_eq!(runc["options"]["SystemdCgroup"].as_bool(), Some(true));
            let images = images.iter().fold(&loaded["plugins"], |table, name| &table[*name]);
            assert_eq!(images["snapshotter"].as_str(), Some("overlaybd"));
            assert_eq!(images["disable_snapshot_annotations"].as_bool(), Some(false));
            assert_eq!(loaded["proxy_plugins"]["overlaybd"]["type"].as_str(), Some("snapshot"));
        }
    }
}

#[test]
fn containerd_2_finds_katas_runtimes_in_our_text_and_not_in_the_peers() {
    let kata = ["kata", "kata-preview", "kata-cc"];
    for variable in [WITH_GPU, WITHOUT_GPU] {
        for (mode, found) in [(Mode::Ours, 3), (Mode::Compat, 0)] {
            let loaded = effective("kata", Family::V2, mode, variable);
            let runtimes = &loaded["plugins"][RUNTIME]["containerd"]["runtimes"];
            assert_eq!(kata.iter().filter(|name| runtimes.get(**name).is_some()).count(), found);
        }
    }
}

#[test]
fn a_broken_text_is_refused_and_an_unknown_setting_is_noticed() {
    let unknown = format!("version = 2\n[plugins.\"{RUNTIME}\"]\nno_such_setting = true\n[metrics]\n");
    for family in [Family::V1, Family::V2] {
        assert!(load(family, "version = 2\n[plugins\n").is_err());
        let loaded = load(family, &unknown).unwrap();
        let lost = lost("", &written(&unknown, family), Some(&Value::Table(loaded.effective)));
        assert!(!lost.is_empty());
        assert_eq!(loaded.remarks.contains("no_such_setting"), family == Family::V2);
    }
}
