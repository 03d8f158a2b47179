//! The exit codes of provisioning: one table, from which results, messages and documentation are made.

use crate::Blame;

/// Defines [`ExitReason`] from the table: `CODE Variant "reason" Blame "name in the scripts" "meaning" "hint";`.
macro_rules! exit_reasons {
    ($($code:literal $variant:ident $reason:literal $blame:ident $script:literal $meaning:literal $hint:literal;)+) => {
        /// Why provisioning failed. The numbers are those of the AKS scripts, which others act upon.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ExitReason {
            $(#[doc = $meaning] $variant,)+
        }

        impl ExitReason {
            /// Every reason, by rising code.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            const fn row(self) -> Row {
                match self {
                    $(Self::$variant => Row {
                        code: $code, reason: $reason, blame: Blame::$blame, script: $script, meaning: $meaning, hint: $hint,
                    },)+
                }
            }
        }
    };
}

struct Row {
    code: i16,
    reason: &'static str,
    blame: Blame,
    script: &'static str,
    meaning: &'static str,
    hint: &'static str,
}

impl ExitReason {
    /// The reason for a code in a result; `None` for success and for codes that nobody gives.
    pub fn of(code: i64) -> Option<Self> {
        // A process cannot exit with -1; whoever waited for it saw 255.
        let code = if code == 255 { -1 } else { code };
        Self::ALL.iter().copied().find(|reason| i64::from(reason.code()) == code)
    }

    /// The number, as results carry it.
    pub const fn code(self) -> i16 {
        self.row().code
    }

    /// The stable name, in kebab-case.
    pub const fn reason(self) -> &'static str {
        self.row().reason
    }

    /// Who has to act, most likely.
    pub const fn blame(self) -> Blame {
        self.row().blame
    }

    /// What the scripts call it, where they have a name for it.
    pub fn script_name(self) -> Option<&'static str> {
        Some(self.row().script).filter(|name| !name.is_empty())
    }

    /// What it means, in one sentence.
    pub const fn meaning(self) -> &'static str {
        self.row().meaning
    }

    /// What to try.
    pub const fn hint(self) -> &'static str {
        self.row().hint
    }
}

exit_reasons! {
    -1 Killed "killed" Machine ""
        "The node's command was ended by a signal or could not be started, so it has no code of its own."
        "the error names the signal: after `killed` look for the out-of-memory killer in the kernel log, after `terminated` for who stopped the unit";
    1 Unspecified "unspecified" Machine ""
        "A command failed and the scripts have no code of their own for it."
        "the last lines of the output name the command; an unreachable wireserver (168.63.129.16) in init-aks-cloud.sh also ends this way";
    2 UnitMask "unit-mask-failed" Machine "ERR_SYSTEMCTL_MASK_FAIL"
        "A systemd unit could not be masked, or retries used up the time that was left."
        "look for the unit in the output and ask `systemctl status` about it";
    4 UnitStart "unit-start-failed" Machine "ERR_SYSTEMCTL_START_FAIL"
        "A systemd unit would not start or could not be enabled."
        "find the unit in the output, then `systemctl status UNIT` and `journalctl -u UNIT`";
    6 FileMissing "file-missing" Machine "ERR_FILE_WATCH_TIMEOUT"
        "A file that the scripts wait for never came, or the containerd configuration could not be decoded."
        "check that the image and the contract fit each other, and that cloud-init wrote its files";
    7 AgentHold "agent-hold-failed" Machine "ERR_HOLD_WALINUXAGENT"
        "The package of the Azure agent could not be held back from upgrades."
        "another package manager may hold the lock: `ps` for apt or dpkg, then try again";
    8 AgentRelease "agent-release-failed" Machine "ERR_RELEASE_HOLD_WALINUXAGENT"
        "The hold on the package of the Azure agent could not be released."
        "another package manager may hold the lock: `ps` for apt or dpkg, then try again";
    9 PackageInstall "package-install-failed" Network "ERR_APT_INSTALL_TIMEOUT"
        "A package could not be installed with apt or dnf."
        "check that the package repositories can be reached through firewall and proxy, and that no other package manager runs";
    10 CudaMissing "cuda-package-missing" Machine "ERR_MISSING_CUDA_PACKAGE"
        "There is no CUDA package for the running kernel."
        "use an image whose kernel the GPU driver supports";
    25 RepositoryList "repository-list-failed" Network "ERR_MOBY_APT_LIST_TIMEOUT"
        "The list of a package repository could not be fetched."
        "check outbound access to packages.microsoft.com";
    26 RepositoryKey "repository-key-failed" Network "ERR_MS_GPG_KEY_DOWNLOAD_TIMEOUT"
        "The signing key of a package repository could not be fetched."
        "check outbound access to packages.microsoft.com";
    28 ContainerdInstall "containerd-install-failed" Network "ERR_CONTAINERD_INSTALL_TIMEOUT"
        "containerd could not be installed."
        "use an image that brings the version asked for, or open access to the package repository";
    31 KubernetesDownload "kubernetes-download-failed" Network "ERR_K8S_DOWNLOAD_TIMEOUT"
        "The Kubernetes binaries could not be downloaded."
        "check outbound access to packages.aks.azure.com, or to the registry that the contract names";
    34 KubeletStart "kubelet-start-failed" Machine "ERR_KUBELET_START_FAIL"
        "kubelet could not be started, or its cgroups could not be made."
        "`journalctl -u kubelet` says why; an unknown flag or a bad configuration value is the usual cause";
    39 ContainerdVersion "containerd-version-invalid" Machine "ERR_CONTAINERD_VERSION_INVALID"
        "The image's data about containerd versions cannot be used."
        "look at /opt/azure/components.json of the image";
    41 CniDownload "cni-download-failed" Network "ERR_CNI_DOWNLOAD_TIMEOUT"
        "The CNI plugins could not be downloaded."
        "check outbound access, or use an image that brings them";
    42 RepositoryPackageDownload "repository-package-download-failed" Network "ERR_MS_PROD_DEB_DOWNLOAD_TIMEOUT"
        "The package that sets up the repository could not be downloaded."
        "check outbound access to packages.microsoft.com";
    43 RepositoryPackageInstall "repository-package-install-failed" Machine "ERR_MS_PROD_DEB_PKG_ADD_FAIL"
        "The package that sets up the repository could not be installed."
        "another package manager may hold the lock; the output has the words of dpkg";
    49 KernelModule "kernel-module-failed" Machine "ERR_MODPROBE_FAIL"
        "A kernel module could not be loaded, or the rule that forbids one could not be changed."
        "`dmesg` and `modprobe -v MODULE` say why; modules must fit the running kernel";
    50 Outbound "outbound-connection-failed" Network "ERR_OUTBOUND_CONN_FAIL"
        "The container registry cannot be reached from the node."
        "check routes, network security groups, firewall and proxy for the registry's address, mcr.microsoft.com by default";
    51 ApiServerUnreachable "api-server-unreachable" Network "ERR_K8S_API_SERVER_CONN_FAIL"
        "The address of the API server does not accept connections from the node."
        "check routes, network security groups and firewall for port 443, private endpoint and authorized IP ranges";
    52 ApiServerName "api-server-name-unresolved" Network "ERR_K8S_API_SERVER_DNS_LOOKUP_FAIL"
        "The custom DNS servers cannot resolve the name of the API server."
        "let the network's DNS servers forward to 168.63.129.16, and link the private DNS zone to their network";
    53 ApiServerAzureName "api-server-name-unresolved-by-azure" Network "ERR_K8S_API_SERVER_AZURE_DNS_LOOKUP_FAIL"
        "Azure's DNS cannot resolve the name of the API server."
        "check that the cluster runs, that the name in the contract is its name, and that the private DNS zone is linked";
    70 ContainerdDownload "containerd-download-failed" Network "ERR_CONTAINERD_DOWNLOAD_TIMEOUT"
        "The containerd package that the contract names could not be downloaded."
        "check the address in the contract and outbound access to it";
    80 SearchDomain "search-domain-failed" Input "ERR_CUSTOM_SEARCH_DOMAINS_FAIL"
        "The node could not join the custom search domain."
        "check the domain's name, realm user and password in the contract";
    84 GpuDriver "gpu-driver-failed" Machine "ERR_GPU_DRIVERS_START_FAIL"
        "The GPU driver could not be installed or does not run."
        "`dmesg` and `nvidia-smi` say more; the VM size must have a GPU that the image's driver supports";
    85 GpuRuntime "gpu-runtime-restart-failed" Machine "ERR_GPU_DRIVERS_INSTALL_TIMEOUT"
        "containerd did not come back after the GPU driver was installed."
        "`journalctl -u containerd` says why";
    86 GpuDevicePlugin "gpu-device-plugin-failed" Machine "ERR_GPU_DEVICE_PLUGIN_START_FAIL"
        "The GPU device plugin would not start."
        "the output names its unit; `journalctl -u UNIT` says why";
    87 GpuInfoRom "gpu-inforom-corrupted" Machine "ERR_GPU_INFO_ROM_CORRUPTED"
        "The GPU reports a corrupted infoROM: the hardware is faulty."
        "delete the node, so that its replacement lands on other hardware";
    95 AmaDriver "ama-driver-missing" Machine "ERR_AMDAMA_DRIVER_NOT_FOUND"
        "The image has no driver for the AMD AMA accelerator."
        "use an image that supports the VM size";
    96 AmaInstall "ama-install-failed" Machine "ERR_AMDAMA_INSTALL_FAIL"
        "The packages of the AMD AMA accelerator could not be installed."
        "the output has the words of the package manager";
    99 PackageIndex "package-index-failed" Network "ERR_APT_UPDATE_TIMEOUT"
        "The package index could not be refreshed."
        "check outbound access to the package repositories, and that no other package manager runs";
    103 Sysctl "sysctl-failed" Input "ERR_SYSCTL_RELOAD"
        "Kernel settings or transparent huge pages could not be applied."
        "the output names the setting; check custom_linux_os_config in the contract against the kernel";
    119 ContainerdNotReady "containerd-not-ready" Machine "ERR_CTR_OPERATION_ERROR"
        "containerd did not answer when images were to be renamed."
        "`journalctl -u containerd` says why";
    121 KubeletInstall "kubelet-install-failed" Network "ERR_KUBELET_INSTALL_FAIL"
        "The kubelet package could not be installed."
        "check the Kubernetes version in the contract and access to the package repository";
    122 KubectlInstall "kubectl-install-failed" Network "ERR_KUBECTL_INSTALL_FAIL"
        "The kubectl package could not be installed."
        "check the Kubernetes version in the contract and access to the package repository";
    123 ManagedGpu "managed-gpu-failed" Input "ERR_ENABLE_MANAGED_GPU_EXPERIENCE"
        "The managed GPU experience contradicts other settings or could not be set up."
        "check gpu_config in the contract and the tags of the VM";
    124 TimedOut "timed-out" Machine ""
        "The whole run took longer than it may (`CSE_TIMEOUT`, 15 minutes by default)."
        "the last lines of the output show where it stood; most often a download that crawls or is retried";
    126 NotExecutable "command-not-executable" Machine ""
        "A program or script of the image is there but cannot be executed."
        "check the modes of the scripts in /opt/azure/containers and the mount options of their file system";
    127 CommandMissing "command-missing" Machine ""
        "A program or script of the image is missing."
        "the output names it; this image may not be an AKS node image, or the contract is for another one";
    128 NodeExporter "node-exporter-failed" Machine "ERR_NODE_EXPORTER_START_FAIL"
        "The node exporter would not start."
        "`journalctl -u node-exporter` says why; provisioning goes on without it";
    129 DraDriver "dra-driver-failed" Machine "ERR_DRA_DRIVER_START_FAIL"
        "The driver for dynamic resource allocation would not start."
        "the output names its unit; `journalctl -u UNIT` says why";
    130 Swap "swap-failed" Machine "ERR_SWAP_CREATE_FAIL"
        "The swap file could not be made."
        "check the size of the swap file in custom_linux_os_config and the resource disk";
    131 SwapSpace "swap-no-space" Input "ERR_SWAP_CREATE_INSUFFICIENT_DISK_SPACE"
        "There is no disk with room for the swap file."
        "ask for less swap, or for a VM size with a larger resource disk";
    137 KilledHard "killed-hard" Machine ""
        "The run was killed: it did not end in the time that it has after being told to, or memory ran out."
        "look for the out-of-memory killer in the kernel log, and at the last lines of the output";
    143 Terminated "terminated" Machine ""
        "The run was told to end before it was done."
        "look for who stopped it: a shutdown, a reboot, or `systemctl stop`";
    153 ArtifactStreaming "artifact-streaming-failed" Machine "ERR_ARTIFACT_STREAMING_INSTALL"
        "Artifact streaming could not be enabled."
        "`systemctl status acr-mirror overlaybd-tcmu` says why";
    161 TrustStore "trust-store-failed" Input "ERR_UPDATE_CA_CERTS"
        "The store of trusted certificates could not be updated."
        "check that every certificate in the contract is PEM, base64 of it where the contract asks for that";
    169 TlsBootstrapDownload "tls-bootstrap-download-failed" Network "ERR_SECURE_TLS_BOOTSTRAP_CLIENT_DOWNLOAD_ERROR"
        "The client of secure TLS bootstrapping could not be downloaded."
        "check the address in the contract and outbound access to it";
    172 SshDisable "ssh-disable-failed" Machine "ERR_DISABLE_SSH"
        "The SSH service could not be disabled."
        "`systemctl status ssh sshd` says why";
    178 SshKeys "ssh-configuration-failed" Machine "ERR_CONFIG_PUBKEY_AUTH_SSH"
        "The authentication settings of the SSH service could not be changed."
        "`sshd -t` says what is wrong with /etc/ssh/sshd_config";
    202 SnapshotTimer "snapshot-update-failed" Machine "ERR_SNAPSHOT_UPDATE_START_FAIL"
        "The timer for package snapshots would not start."
        "`systemctl status snapshot-update.timer` says why";
    204 KubernetesInstall "kubernetes-install-failed" Machine "ERR_K8S_INSTALL_ERR"
        "The Kubernetes binaries are not there after their installation, or there is no way to install them on this system."
        "check the Kubernetes version and the binaries' address in the contract against the image";
    205 CredentialProvider "credential-provider-failed" Network "ERR_CREDENTIAL_PROVIDER_DOWNLOAD_TIMEOUT"
        "The registry credential provider could not be installed."
        "check the address in the contract and outbound access to it";
    206 CniVersion "cni-version-invalid" Machine "ERR_CNI_VERSION_INVALID"
        "The reference CNI plugins are not in the image, or there are several."
        "look for cni-plugins below /opt/cni/downloads in the image";
    207 KubernetesPull "kubernetes-pull-failed" Network "ERR_ORAS_PULL_K8S_FAIL"
        "The Kubernetes binaries could not be pulled from the registry."
        "check that the bootstrap registry holds them and that the node can reach it";
    208 CredentialProviderPull "credential-provider-pull-failed" Network "ERR_ORAS_PULL_CREDENTIAL_PROVIDER"
        "The registry credential provider could not be pulled from the registry."
        "check that the bootstrap registry holds it and that the node can reach it";
    210 RegistryImds "registry-login-no-imds" Service "ERR_ORAS_IMDS_TIMEOUT"
        "The instance metadata service gave no token to log in to the registry with."
        "check that the VM has the kubelet identity, and that nothing blocks 169.254.169.254";
    211 RegistryNetwork "registry-login-no-network" Network "ERR_ORAS_PULL_NETWORK_TIMEOUT"
        "The registry cannot be reached to log in."
        "check routes, private endpoint and firewall for the registry";
    212 RegistryUnauthorized "registry-unauthorized" Input "ERR_ORAS_PULL_UNAUTHORIZED"
        "The registry refuses the kubelet identity."
        "give the identity the AcrPull role on the registry";
    213 ServingCertificateTag "serving-certificate-tag-failed" Service "ERR_LOOKUP_DISABLE_KUBELET_SERVING_CERTIFICATE_ROTATION_TAG"
        "The VM's tag about serving certificates could not be read from the instance metadata service."
        "check that nothing blocks 169.254.169.254";
    216 Localdns "localdns-failed" Machine "ERR_LOCALDNS_FAIL"
        "The node's own DNS server would not start."
        "`journalctl -u localdns` says why";
    217 LocaldnsCorefile "localdns-corefile-missing" Input "ERR_LOCALDNS_COREFILE_NOTFOUND"
        "The configuration of the node's own DNS server is missing or empty."
        "check local_dns_profile in the contract";
    218 LocaldnsSlice "localdns-slice-missing" Machine "ERR_LOCALDNS_SLICEFILE_NOTFOUND"
        "The systemd slice of the node's own DNS server is missing."
        "use an image that supports localdns, or turn it off in the contract";
    219 LocaldnsBinary "localdns-binary-failed" Machine "ERR_LOCALDNS_BINARY_ERR"
        "The program of the node's own DNS server is missing or does not run."
        "use an image that supports localdns, or turn it off in the contract";
    220 TlsBootstrapEnable "tls-bootstrap-enable-failed" Machine "ERR_SECURE_TLS_BOOTSTRAP_ENABLE_FAILURE"
        "The unit of secure TLS bootstrapping could not be enabled."
        "`systemctl status secure-tls-bootstrap` says why";
    223 CloudInit "cloud-init-failed" Input "ERR_CLOUD_INIT_FAILED"
        "cloud-init ended with a fatal error."
        "`cloud-init status --long` and /var/log/cloud-init.log name the module; custom data is the usual cause";
    224 GpuDecision "gpu-decision-failed" Service "ERR_NVIDIA_DRIVER_INSTALL"
        "Whether to install the GPU driver could not be decided."
        "the VM's tags come from the instance metadata service: check that nothing blocks 169.254.169.254";
    227 ManagedGpuInstall "managed-gpu-install-failed" Network "ERR_MANAGED_NVIDIA_EXP_INSTALL_FAIL"
        "The packages of the managed GPU experience could not be installed."
        "check outbound access to the package repositories";
    229 DcgmExporter "dcgm-exporter-failed" Machine "ERR_NVIDIA_DCGM_EXPORTER_FAIL"
        "The exporter of GPU metrics would not start."
        "the output names its unit; `journalctl -u UNIT` says why";
    230 ManagedGpuTag "managed-gpu-tag-failed" Service "ERR_LOOKUP_ENABLE_MANAGED_GPU_EXPERIENCE_TAG"
        "The VM's tag about managed GPUs could not be read from the instance metadata service."
        "check that nothing blocks 169.254.169.254";
    231 SystemExtensionPull "system-extension-pull-failed" Network "ERR_ORAS_PULL_SYSEXT_FAIL"
        "A system extension could not be pulled from the registry."
        "check that the node can reach the registry, mcr.microsoft.com by default";
    232 SystemExtensionVersion "system-extension-version-missing" Machine "ERR_SYSEXT_VERSION_ID_NOT_FOUND"
        "The system's version, by which its extensions are chosen, is not known."
        "look for VERSION_ID in /etc/os-release of the image";
    233 PauseImage "pause-image-failed" Network "ERR_PULL_POD_INFRA_CONTAINER_IMAGE"
        "The pause image could not be fetched or imported."
        "check that the node can reach the registry, mcr.microsoft.com by default";
    234 Imds "imds-failed" Service "ERR_IMDS_FETCH_FAILED"
        "The instance metadata service did not answer, or not with JSON."
        "check that nothing blocks 169.254.169.254 and that no proxy is used for it";
    235 DcgmInstall "dcgm-install-failed" Network "ERR_NVIDIA_DCGM_INSTALL"
        "The GPU management packages could not be installed."
        "check outbound access to the package repositories";
    240 Controller "controller-failed" Input "ERR_AKS_NODE_CONTROLLER_ERROR"
        "Provisioning ended before the node's work began: contract, command or image manifest cannot be used."
        "the error says which; `slipway config validate FILE` lists everything that is wrong with a contract";
    243 SecondaryNic "secondary-nic-failed" Machine "ERR_SECONDARY_NIC_CONFIG_FAIL"
        "A secondary network interface could not be configured."
        "compare the interfaces that `ip link` shows with those of the VM";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_rise_and_reasons_are_unique_kebab_case() {
        let codes: Vec<i16> = ExitReason::ALL.iter().map(|reason| reason.code()).collect();
        assert!(codes.windows(2).all(|pair| pair[0] < pair[1]), "{codes:?}");
        let mut names: Vec<&str> = ExitReason::ALL.iter().map(|reason| reason.reason()).collect();
        let kebab = |name: &&str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        assert!(names.iter().all(kebab), "{names:?}");
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), codes.len());
    }

    #[test]
    fn a_meaning_is_a_sentence_and_a_hint_is_not() {
        for reason in ExitReason::ALL {
            assert!(reason.meaning().ends_with('.'), "{reason:?}");
            assert!(!reason.hint().ends_with('.'), "{reason:?}");
        }
    }

    #[test]
    fn a_code_finds_its_reason_and_success_has_none() {
        assert_eq!(ExitReason::of(52), Some(ExitReason::ApiServerName));
        assert_eq!(ExitReason::of(255), Some(ExitReason::Killed));
        assert_eq!(ExitReason::of(0), None);
        assert_eq!(ExitReason::of(20), None);
        assert_eq!(ExitReason::of(i64::MIN), None);
        assert_eq!(ExitReason::Controller.code(), 240);
        assert_eq!(ExitReason::TimedOut.script_name(), None);
    }
}
