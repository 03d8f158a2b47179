//! containerd's configuration, for both families of containerd and for machines with and without a GPU.

use slipway_model::Mode;

use crate::toml::Toml;

/// The container interface of containerd 1.x, one plugin for everything.
const CRI: &str = "io.containerd.grpc.v1.cri";
/// The image side of the container interface of containerd 2.x.
const IMAGES: &str = "io.containerd.cri.v1.images";
/// The runtime side of the container interface of containerd 2.x.
const RUNTIME: &str = "io.containerd.cri.v1.runtime";

/// Which texts a containerd understands. Version 2 still reads those of version 1, not the other way round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// containerd 1.x.
    V1,
    /// containerd 2.x and later.
    V2,
}

/// Which of a node's two texts is meant; the scripts choose when they know whether drivers are installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// For a node that may use its GPU.
    Gpu,
    /// For a node that leaves its GPU alone.
    NoGpu,
}

/// What decides containerd's configuration.
#[expect(clippy::struct_excessive_bools, reason = "each is a feature of its own that a node has or has not")]
#[derive(Debug, Clone, Copy)]
pub struct ContainerdConfig<'a> {
    /// Which containerd reads the text.
    pub family: Family,
    /// Where containerd keeps its data; empty for its own default.
    pub root: &'a str,
    /// The image of the pause container.
    pub sandbox_image: &'a str,
    /// Whether pods can ask for a virtual machine of their own.
    pub kata: bool,
    /// Whether images are streamed while they run.
    pub artifact_streaming: bool,
    /// Whether containers reach the GPU through NVIDIA's runtime.
    pub nvidia: bool,
    /// Whether systemd manages the control groups; containerd 2.x always has it so.
    pub cgroup_v2: bool,
    /// Whether containerd fills in kubenet's network configuration.
    pub kubenet_bridge: bool,
    /// Whether registries are configured by files below `certs.d`.
    pub registry_hosts: bool,
}

/// A configuration that no text can express.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContainerdError {
    /// Both features want to be the one snapshotter.
    #[error(
        "Kata and artifact streaming exclude each other: each needs its own snapshotter as containerd's default"
    )]
    KataWithArtifactStreaming,
}

impl Family {
    /// The family of a version as containerd prints it. What is no version belongs to the first family.
    ///
    /// In [`Mode::Compat`] a version has exactly three numbers; in [`Mode::Ours`] the first number is enough, so
    /// that a distribution's `2.1.4~ds2` is what it says.
    pub fn of_version(version: &str, mode: Mode) -> Self {
        let version = version.strip_prefix('v').unwrap_or(version);
        let is_v2 = match mode {
            Mode::Compat => {
                let release = version.split('-').next().unwrap_or_default();
                let numbers: Vec<i64> = release.split('.').map_while(|part| part.parse().ok()).collect();
                release.split('.').count() == 3 && numbers.len() == 3 && numbers[0] >= 2
            }
            Mode::Ours => {
                let major = version.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
                !matches!(major.trim_start_matches('0'), "" | "1")
            }
        };
        if is_v2 { Self::V2 } else { Self::V1 }
    }
}

/// The text of containerd's configuration file.
///
/// Kata together with artifact streaming is an error in [`Mode::Ours`]. In [`Mode::Compat`], where the peer writes a
/// text that containerd refuses, the later of the two, artifact streaming, is the default snapshotter.
pub fn containerd_config(
    config: &ContainerdConfig<'_>,
    variant: Variant,
    mode: Mode,
) -> Result<String, ContainerdError> {
    if config.kata && config.artifact_streaming && mode == Mode::Ours {
        return Err(ContainerdError::KataWithArtifactStreaming);
    }
    let mut text = Toml::new();
    text.number("version", 2).number("oom_score", -999);
    if !config.root.is_empty() {
        text.text("root", config.root);
    }
    if config.kata {
        erofs(&mut text);
    }
    match config.family {
        Family::V1 => {
            text.table(&["plugins", CRI]).text("sandbox_image", config.sandbox_image);
            if variant == Variant::Gpu {
                text.flag("enable_cdi", true);
            }
            text.table(&["plugins", CRI, "containerd"]);
            default_snapshotter(&mut text, config);
            runtimes(&mut text, CRI, config, variant);
            network(&mut text, CRI, config, mode);
            registry(&mut text, CRI, config);
        }
        Family::V2 => {
            text.table(&["plugins", IMAGES]);
            // Kata's runtimes name their snapshotters themselves here.
            default_snapshotter(&mut text, &ContainerdConfig { kata: false, ..*config });
            text.table(&["plugins", IMAGES, "pinned_images"]).text("sandbox", config.sandbox_image);
            registry(&mut text, IMAGES, config);
            text.table(&["plugins", RUNTIME, "containerd"]);
            runtimes(&mut text, RUNTIME, config, variant);
            network(&mut text, RUNTIME, config, mode);
        }
    }
    text.table(&["metrics"]).text("address", "0.0.0.0:10257");
    if config.artifact_streaming {
        snapshotter_service(&mut text, "overlaybd", "/run/overlaybd-snapshotter/overlaybd.sock");
    }
    if config.kata {
        kata(&mut text, config.family, variant, mode);
    }
    Ok(text.finish())
}

/// Images as read-only file systems, which Kata's preview runtime mounts in its machines.
fn erofs(text: &mut Toml) {
    text.table(&["plugins", "io.containerd.snapshotter.v1.erofs"])
        .text("default_size", "10G")
        .flag("enable_fsverity", false)
        .texts("ovl_mount_options", &[]);
    text.table(&["plugins", "io.containerd.service.v1.diff-service"]).texts("default", &["erofs", "walking"]);
    text.table(&["plugins", "io.containerd.differ.v1.erofs"])
        .texts("mkfs_options", &["-T0", "--mkfs-time", "--sort=none"])
        .flag("enable_tar_index", false);
}

fn default_snapshotter(text: &mut Toml, config: &ContainerdConfig<'_>) {
    let snapshotter = match config {
        ContainerdConfig { artifact_streaming: true, .. } => "overlaybd",
        ContainerdConfig { kata: true, .. } => "overlayfs",
        _ => return,
    };
    text.text("snapshotter", snapshotter).flag("disable_snapshot_annotations", false);
}

/// The runtime of ordinary containers and the one of untrusted ones, in the plugin's table `containerd`.
fn runtimes(text: &mut Toml, plugin: &str, config: &ContainerdConfig<'_>, variant: Variant) {
    let (name, program) = match variant {
        Variant::Gpu if config.nvidia => ("nvidia-container-runtime", "/usr/bin/nvidia-container-runtime"),
        Variant::Gpu | Variant::NoGpu => ("runc", "/usr/bin/runc"),
    };
    text.text("default_runtime_name", name);
    for (name, systemd) in [(name, config.cgroup_v2 || config.family == Family::V2), ("untrusted", false)] {
        let path = ["plugins", plugin, "containerd", "runtimes", name, "options"];
        text.table(&path[..5]).text("runtime_type", "io.containerd.runc.v2");
        text.table(&path).text("BinaryName", program);
        if systemd {
            text.flag("SystemdCgroup", true);
        }
    }
}

fn network(text: &mut Toml, plugin: &str, config: &ContainerdConfig<'_>, mode: Mode) {
    if !config.kubenet_bridge {
        return;
    }
    text.table(&["plugins", plugin, "cni"]);
    // containerd 2.1 renamed this setting and 2.4 dropped the old name; the directory is the default of all.
    if config.family == Family::V1 || mode == Mode::Compat {
        text.text("bin_dir", "/opt/cni/bin");
    }
    text.text("conf_dir", "/etc/cni/net.d").text("conf_template", "/etc/containerd/kubenet_template.conf");
}

fn registry(text: &mut Toml, plugin: &str, config: &ContainerdConfig<'_>) {
    if config.registry_hosts {
        text.table(&["plugins", plugin, "registry"]).text("config_path", "/etc/containerd/certs.d");
    }
    text.table(&["plugins", plugin, "registry", "headers"]).texts("X-Meta-Source-Client", &["azure/aks"]);
}

fn snapshotter_service(text: &mut Toml, name: &str, socket: &str) {
    text.table(&["proxy_plugins", name]).text("type", "snapshot").text("address", socket);
}

/// The runtimes of Kata. The peer writes them below the old plugin for containerd 2.x too, and leaves the
/// confidential one out of one of its texts; [`Mode::Ours`] does neither.
fn kata(text: &mut Toml, family: Family, variant: Variant, mode: Mode) {
    let plugin = if family == Family::V2 && mode == Mode::Ours { RUNTIME } else { CRI };
    let path = |name| ["plugins", plugin, "containerd", "runtimes", name, "options"];

    let kata = path("kata");
    text.table(&kata[..5]).text("runtime_type", "io.containerd.kata.v2").text("snapshotter", "overlayfs");
    if family == Family::V2 {
        text.flag("privileged_without_host_devices", true);
        text.table(&kata).text("ConfigPath", "/usr/share/defaults/kata-containers/configuration.toml");
    } else {
        let katacli = path("katacli");
        text.table(&katacli[..5]).text("runtime_type", "io.containerd.runc.v1");
        text.table(&katacli)
            .flag("NoPivotRoot", false)
            .flag("NoNewKeyring", false)
            .text("ShimCgroup", "")
            .number("IoUid", 0)
            .number("IoGid", 0)
            .text("BinaryName", "/usr/bin/kata-runtime")
            .text("Root", "")
            .text("CriuPath", "")
            .flag("SystemdCgroup", false);
    }

    let preview = path("kata-preview");
    text.table(&preview[..5])
        .text("runtime_type", "io.containerd.kata.v2")
        .flag("privileged_without_host_devices", true)
        .text("snapshotter", "erofs");
    text.table(&preview)
        .text("ConfigPath", "/usr/share/defaults/kata-containers/configuration-clh-preview.toml");

    snapshotter_service(text, "tardev", "/run/containerd/tardev-snapshotter.sock");
    if family == Family::V1 || variant == Variant::Gpu || mode == Mode::Ours {
        let confidential = path("kata-cc");
        text.table(&confidential[..5])
            .text("snapshotter", "tardev")
            .text("runtime_type", "io.containerd.kata-cc.v2")
            .flag("privileged_without_host_devices", true)
            .texts("pod_annotations", &["io.katacontainers.*"]);
        text.table(&confidential).text(
            "ConfigPath",
            "/opt/confidential-containers/share/defaults/kata-containers/configuration-clh-snp.toml",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: ContainerdConfig<'_> = ContainerdConfig {
        family: Family::V1,
        root: "",
        sandbox_image: "pause:3.6",
        kata: false,
        artifact_streaming: false,
        nvidia: false,
        cgroup_v2: false,
        kubenet_bridge: false,
        registry_hosts: true,
    };

    fn read(config: &ContainerdConfig<'_>, variant: Variant, mode: Mode) -> toml::Table {
        containerd_config(config, variant, mode).unwrap().parse().unwrap()
    }

    #[test]
    fn versions_lead_to_families() {
        for (version, compat, ours) in [
            ("1.7.22", Family::V1, Family::V1),
            ("v2.0.0", Family::V2, Family::V2),
            ("2.1.4-1", Family::V2, Family::V2),
            ("02.0.0", Family::V2, Family::V2),
            ("10.0.0", Family::V2, Family::V2),
            ("4294967296.0.0", Family::V2, Family::V2),
            ("2.1.4~ds2", Family::V1, Family::V2),
            ("2.1", Family::V1, Family::V2),
            ("99999999999999999999.0.0", Family::V1, Family::V2),
            ("1.6.24~ds1", Family::V1, Family::V1),
            ("", Family::V1, Family::V1),
            ("unknown", Family::V1, Family::V1),
        ] {
            assert_eq!(Family::of_version(version, Mode::Compat), compat, "{version}");
            assert_eq!(Family::of_version(version, Mode::Ours), ours, "{version}");
        }
    }

    #[test]
    fn every_combination_is_valid_toml_or_a_typed_error() {
        for bits in 0..128_u32 {
            let on = |bit: u32| bits & (1 << bit) != 0;
            let config = ContainerdConfig {
                family: if on(0) { Family::V1 } else { Family::V2 },
                kata: on(1),
                artifact_streaming: on(2),
                nvidia: on(3),
                cgroup_v2: on(4),
                kubenet_bridge: on(5),
                registry_hosts: on(6),
                root: "/mnt/\"x\"\n[y]",
                sandbox_image: "a\"\nversion = 9",
            };
            for variant in [Variant::Gpu, Variant::NoGpu] {
                assert_eq!(read(&config, variant, Mode::Compat)["root"].as_str(), Some(config.root));
                match containerd_config(&config, variant, Mode::Ours) {
                    Ok(text) => assert!(text.parse::<toml::Table>().is_ok()),
                    Err(error) => {
                        assert_eq!(error, ContainerdError::KataWithArtifactStreaming);
                        assert!(config.kata && config.artifact_streaming);
                    }
                }
            }
        }
    }

    #[test]
    fn nvidia_is_used_by_the_text_for_gpus_only() {
        let config = ContainerdConfig { nvidia: true, ..PLAIN };
        let runtime = |variant| {
            let table = read(&config, variant, Mode::Ours);
            table["plugins"][CRI]["containerd"]["default_runtime_name"].as_str().unwrap().to_owned()
        };
        assert_eq!(runtime(Variant::Gpu), "nvidia-container-runtime");
        assert_eq!(runtime(Variant::NoGpu), "runc");
    }

    #[test]
    fn kata_on_containerd_2_is_where_containerd_2_looks() {
        let config = ContainerdConfig { kata: true, family: Family::V2, ..PLAIN };
        let table = read(&config, Variant::NoGpu, Mode::Ours);
        let runtimes = table["plugins"][RUNTIME]["containerd"]["runtimes"].as_table().unwrap();
        for name in ["runc", "kata", "kata-preview", "kata-cc"] {
            assert!(runtimes.contains_key(name), "{name}");
        }
        assert!(!table["plugins"].as_table().unwrap().contains_key(CRI));
        let peer = read(&config, Variant::NoGpu, Mode::Compat);
        let runtimes = peer["plugins"][CRI]["containerd"]["runtimes"].as_table().unwrap();
        assert!(runtimes.contains_key("kata") && !runtimes.contains_key("kata-cc"));
    }
}
